# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# What stands before the attempts of the argument test.
import warnings

warnings.simplefilter("ignore")
np.seterr(all="ignore")


def first(a):
    return a.reshape(-1)[0]


def frozen(a):
    a = a.copy()
    a.setflags(write=False)
    return a


def special(a):
    a = a.copy()
    flat = a.reshape(-1)
    if a.dtype.kind in "fc":
        values = [np.nan, np.inf, -np.inf, -0.0, 0.0]
    elif a.dtype.kind == "b":
        values = [True, False]
    else:
        values = [np.iinfo(a.dtype).max, np.iinfo(a.dtype).min, 0]
    for at, value in enumerate(values):
        if at < flat.size:
            flat[at] = value
    return a


def shown(v):
    if isinstance(v, (tuple, list)) and len(v) < 200:
        return type(v).__name__ + "(" + "; ".join([shown(one) for one in v]) + ")"
    if isinstance(v, np.ndarray):
        return "array " + str(v.dtype) + " " + str(v.shape) + " " + repr(v.reshape(-1).tolist()[:200])
    if isinstance(v, np.generic):
        return "scalar " + str(v.dtype) + " " + repr(v.item())
    if isinstance(v, (bool, int, float, complex, str)):
        return type(v).__name__ + " " + repr(v)
    if v is None:
        return "None"
    if isinstance(v, np.dtype):
        return "dtype " + str(v)
    return "other " + type(v).__name__


def attempt(number, action):
    np.random.seed(3)
    try:
        answer = shown(action())
    except Exception as e:
        words = " ".join(str(e).split())
        kinds = [k.__name__ for k in type(e).__mro__ if k.__name__ in KNOWN]
        answer = "raises " + kinds[0] + " " + words[:200]
    print(number, answer)


KNOWN = ("TypeError", "ValueError", "IndexError", "KeyError", "AttributeError", "OverflowError", "MemoryError",
         "NotImplementedError", "LinAlgError", "ZeroDivisionError", "AxisError", "RuntimeError", "OSError", "EOFError",
         "StopIteration", "AssertionError", "SystemError", "ArithmeticError", "LookupError", "Exception")
