# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What the argument test makes of a call: other arrays in the places of its arrays, other keywords, more
and fewer arguments."""

import ast
import copy
import importlib
import inspect

import numpy as np

from surface import ROLES

STATES = ("rng", "legacy")
SIZES = ("n", "r")

# For an array: (kind, what stands in its place). The helpers are in attempts.py.
ARRAYS = [(name, "%%s.astype(np.%s)" % name) for name in (
    "bool_", "int8", "uint8", "int32", "uint64", "float16", "float32", "complex64", "complex128")] + [
    ("empty", "%s[:0]"), ("0-d", "np.array(first(%s))"), ("scalar", "first(%s)"), ("python", "first(%s).item()"),
    ("strided", "np.repeat(%s, 2, axis=0)[::2]"), ("reversed", "%s[::-1]"), ("fortran", "np.asfortranarray(%s)"),
    ("read-only", "frozen(%s)"), ("special", "special(%s)"), ("list", "%s.tolist()"), ("tuple", "tuple(%s.tolist())"),
    ("row", "%s[None]"), ("column", "%s[..., None]"), ("None", "None"), ("text", "'abc'"), ("ragged", "[[1, 2], [3]]"),
    ("dict", "{}"), ("huge", "10**30"), ("nan", "np.nan"), ("one", "%s[:1]"),
]
AXIS = ("0", "-1", "1", "None", "7", "-9", "1.5", "'x'", "(0,)", "(0, 0)", "()", "True", "np.int64(0)")
# For a keyword that NumPy's function has: values to try.
KEYWORDS = {
    "axis": AXIS, "axes": AXIS[:6],
    "dtype": ("np.float32", "int", "complex", "'f2'", "bool", "'nonsense'", "7", "None"),
    "out": ("7", "np.zeros(3)", "[1, 2]", "np.zeros(10, np.int8)", "None"),
    "keepdims": ("True", "False", "1", "None"),
    "where": ("True", "False", "np.arange(10) % 2 == 0", "[1, 0]", "None"),
    "initial": ("1", "2.5", "None", "'x'"),
    "ddof": ("1", "0.5", "'x'", "20", "None"), "correction": ("1", "20"),
    "order": ("'C'", "'F'", "'A'", "'K'", "'X'", "1", "None", "2"),
    "kind": ("'stable'", "'quicksort'", "'nonsense'", "3"), "stable": ("True", "None"),
    "side": ("'left'", "'right'", "'up'"), "sorter": ("None", "[0, 1]"),
    "mode": ("'full'", "'same'", "'valid'", "'wrap'", "'clip'", "'raise'", "'edge'", "'reflect'", "'nonsense'", "1"),
    "casting": ("'no'", "'safe'", "'unsafe'", "'nonsense'", "1"),
    "method": ("'linear'", "'lower'", "'nearest'", "'median_unbiased'", "'nonsense'"),
    "bins": ("5", "0", "-1", "'auto'", "[1, 2, 3]", "[3, 1]", "2.5", "'nonsense'"),
    "range": ("(0, 1)", "(1, 0)", "(0, np.nan)", "5"), "density": ("True",), "weights": ("np.ones(10)", "[1, 2]"),
    "minlength": ("200", "-1", "'x'"), "k": ("1", "-1", "1.5"), "offset": ("1", "-20", "'x'"),
    "n": ("1", "0", "-1", "5", "1.5"), "norm": ("'ortho'", "'forward'", "'nonsense'", "None"),
    "s": ("(2, 2)", "(0, 1)", "5"), "d": ("0.5",), "endpoint": ("False",), "retstep": ("True",), "num": ("3", "0", "-1"),
    "return_index": ("True",), "return_inverse": ("True",), "return_counts": ("True",), "equal_nan": ("True", "False"),
    "invert": ("True",), "assume_unique": ("True",), "rtol": ("0.5", "np.nan"), "atol": ("0.5",),
    "copy": ("True", "False"), "ndmin": ("3", "-1"), "like": ("None",), "subok": ("True",), "rowvar": ("False",),
    "bias": ("True",), "compute_uv": ("False",), "full_matrices": ("False",), "hermitian": ("True",),
    "UPLO": ("'U'", "'X'"), "upper": ("True",), "ord": ("1", "np.inf", "'fro'", "0", "'nonsense'"), "p": ("2", "-np.inf", "1"),
    "bitorder": ("'little'", "'x'"), "count": ("3", "-1", "100"), "prepend": ("0",), "append": ("0",), "fill_value": ("0",),
    "period": ("2.0", "0"), "left": ("9",), "right": ("9", "True"), "decimals": ("1", "-1", "1.5"),
    "indexing": ("'ij'", "'nonsense'"), "sparse": ("True",), "nan": ("7",), "posinf": ("8",), "neginf": ("9",),
    "size": ("3", "(2, 2)", "-1", "1.5", "()", "None"), "replace": ("False",), "shuffle": ("False",), "overwrite_input": ("True",),
    "include_initial": ("True",), "returned": ("True",), "edge_order": ("2", "3"), "dx": ("0.5",), "x": ("None",),
    "shape": ("(2, 2)", "(-1, 2)", "(3,)"), "newshape": ("(2, 5)",), "signature": ("None",), "trim": ("'f'", "'x'"),
    "increasing": ("True",), "deg": ("1", "-1"), "full": ("True",), "cov": ("True",), "rcond": ("0.1",), "tol": ("0.1",),
    "min": ("0", "None"), "max": ("0", "None"), "a_min": ("0",), "a_max": ("0",), "optimize": ("True", "'greedy'"),
}


def called_node(tree):
    """The call that is varied: the outermost one; None for an attribute."""
    node = tree.body
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node if isinstance(node, ast.Call) else None


def signature_of(name):
    """The parameters of a function as NumPy says them, or as its ufuncs all have them; None: it does not."""
    parts = name.split(".")
    thing, at = np, 1
    while at < len(parts):
        if not hasattr(thing, parts[at]):
            thing = importlib.import_module(".".join(parts[:at + 1]))
        else:
            thing = getattr(thing, parts[at])
        at += 1
    if isinstance(thing, np.ufunc):
        return ["out", "where", "casting", "order", "dtype", "subok", "signature"]
    try:
        return list(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return None


# Methods written in C do not say what they take.
METHODS = {
    "all": "axis out keepdims where", "any": "axis out keepdims where", "argmax": "axis out keepdims",
    "argmin": "axis out keepdims", "argsort": "axis kind order", "argpartition": "axis kind order", "astype": "order casting copy",
    "clip": "min max out", "compress": "axis out", "copy": "order", "cumprod": "axis dtype out", "cumsum": "axis dtype out",
    "diagonal": "offset", "dot": "out", "flatten": "order", "max": "axis out keepdims initial where",
    "mean": "axis dtype out keepdims where", "min": "axis out keepdims initial where", "prod": "axis dtype out keepdims initial where",
    "ravel": "order", "repeat": "axis", "reshape": "order copy", "round": "decimals out", "searchsorted": "side sorter",
    "squeeze": "axis", "std": "axis dtype out ddof keepdims where correction", "sum": "axis dtype out keepdims initial where",
    "take": "axis out mode", "trace": "offset dtype out", "var": "axis dtype out ddof keepdims where correction",
    "array": "dtype copy order ndmin", "arange": "dtype", "dot": "out", "where": "", "concatenate": "axis out dtype casting",
    "bincount": "weights minlength", "zeros": "dtype order", "empty": "dtype order", "fromiter": "dtype count", "inner": "", "vdot": "",
    "lexsort": "axis", "frombuffer": "dtype count offset", "fromstring": "dtype count", "packbits": "axis bitorder",
    "unpackbits": "axis count bitorder", "unravel_index": "order shape", "ravel_multi_index": "mode order",
    "asarray": "dtype order copy", "asanyarray": "dtype order", "ascontiguousarray": "dtype", "asfortranarray": "dtype",
}


def keywords_of(call):
    found = signature_of(call.name) if not call.name.startswith("numpy.ndarray.") else None
    if found is None:
        found = METHODS.get(call.name.rpartition(".")[2], "size" if ".random." in call.name else "").split()
    return [word for word in found if word in KEYWORDS]


class _Replace(ast.NodeTransformer):
    """Puts a text in the place of the nth array."""

    def __init__(self, nth, template):
        self.nth, self.template, self.seen = nth, template, -1

    def visit_Name(self, node):
        if node.id in ROLES and node.id not in STATES + SIZES:
            self.seen += 1
            if self.seen == self.nth:
                text = self.template % node.id if "%s" in self.template else self.template
                return ast.parse(text, mode="eval").body
        return node

    def visit_Lambda(self, node):
        return node


def arrays_in(tree):
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ROLES
            and node.id not in STATES + SIZES]


def with_call(tree, change):
    """The text after a change to the varied call."""
    made = copy.deepcopy(tree)
    change(called_node(made))
    return ast.unparse(made)


def replaced(call, keyword, value):
    def change(node):
        node.keywords = [word for word in node.keywords if word.arg != keyword]
        node.keywords.append(ast.keyword(keyword, ast.parse(value, mode="eval").body))
    return change


def variations(call):
    """(kind, text) of all attempts for a call."""
    tree = ast.parse(call.text, mode="eval")
    found = [("plain", call.text)]
    for nth, role in enumerate(arrays_in(tree)):
        for kind, template in ARRAYS:
            made = _Replace(nth, template).visit(copy.deepcopy(tree))
            found.append((kind if nth == 0 else "%s as argument %d" % (kind, nth + 1), ast.unparse(ast.fix_missing_locations(made))))
    if called_node(tree) is None:
        return found

    def more(node):
        node.args += [ast.Constant(1)] * 14

    def fewer(node):
        del node.args[-1:]

    def none(node):
        node.args, node.keywords = [], []

    found.append(("unknown keyword", with_call(tree, replaced(call, "nonsense", "1"))))
    found += [("too many arguments", with_call(tree, more)), ("an argument fewer", with_call(tree, fewer)),
              ("no arguments", with_call(tree, none))]
    for keyword in keywords_of(call):
        for value in KEYWORDS[keyword]:
            found.append(("%s=%s" % (keyword, value), with_call(tree, replaced(call, keyword, value))))
    return found
