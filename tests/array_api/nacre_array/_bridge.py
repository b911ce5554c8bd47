# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Values of Nacre as objects of Python.

A `Value` holds a NacreValue. Its attributes, operators, items and calls go to Nacre, and come back as None, bool,
int, float, complex, str, bytes, tuple, list or dict where the result is one, else as another Value. What Nacre
raises is raised as Python's exception of the same name. Nothing is computed here, and no result is mended.
"""

import builtins
import collections
import ctypes
import inspect
import sys
import warnings
from ctypes import byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

from . import _library
from ._library import OK

_nacre = _library.Library(_library.library_path())
_call = _nacre.call
_builtins = None   # Nacre's module, once it is there
_namespace = None  # the module of Python that stands for Nacre's numpy, once it is known
_hold_of = object.__getattribute__


class _Untranslatable(TypeError):
    """An object of Python that is nothing in Nacre."""


# --- What a call answers -----------------------------------------------------------------------------


def _check(status):
    """Raises what Nacre has raised, and hands on its warnings."""
    if status != OK:
        _nacre.warned.clear()
        raise _exception()
    if _nacre.warned:
        _tell_warnings()


def _made(handle):
    """A hold that a function returns, NULL where it fails."""
    if not handle:
        raise _exception()
    return handle


def _out(name, *arguments):
    """The result of a function that gives one through its last parameter, as a hold."""
    out = c_void_p()
    _check(_call(name, *arguments, byref(out)))
    return out.value


def _exception():
    handle = _call("error_value")
    if not handle:
        return RuntimeError("nacre.h was misused")
    value = Value._hold(handle)
    made = _exception_class(_attribute(value, "__class__"))(*_attribute(value, "args"))
    made.message = str(value)
    return made


_exception_classes = {}


def _exception_class(nacres):
    """Python's class of the same name as a class of Nacre; NumPy's are made, with the bases that they have there."""
    name = _attribute(nacres, "__name__")
    found = getattr(builtins, name, None) or _exception_classes.get(name)
    if found is None:
        bases = tuple(_exception_class(base) for base in _attribute(nacres, "__bases__"))
        found = _exception_classes[name] = type(name, bases, {"__str__": lambda self: self.message})
    return found


def _tell_warnings():
    heard, _nacre.warned[:] = _nacre.warned[:], []
    for category, message in heard:
        found = getattr(builtins, category, None)
        if found is None:
            found = _exception_class(_attribute(_attribute(_numpy, "exceptions"), category))
        warnings.warn(message, found, stacklevel=5)


# --- From Python to Nacre ----------------------------------------------------------------------------


class _Lent(list):
    """Holds on values that are made for one call."""

    def __enter__(self):
        return self

    def __exit__(self, *_raised):
        for handle in self:
            _nacre.release(handle)

    def lend(self, given):
        """A hold on an object, valid until the call is over."""
        if isinstance(given, Value):
            return _hold_of(given, "_hold_")
        make = _MAKERS.get(type(given)) or next((m for kind, m in _MAKERS.items() if isinstance(given, kind)), None)
        if make is None:
            raise _Untranslatable(f"{type(given).__name__!r} objects are not translated to Nacre")
        handle = _made(make(self, given))
        self.append(handle)
        return handle

    def lend_all(self, given):
        return (c_void_p * len(given))(*[self.lend(item) for item in given])


def _make_int(_lent, number):
    if -2**63 <= number < 2**63:
        return _call("int", number)
    if 0 <= number < 2**64:
        return _call("uint", number)
    text = str(int(number)).encode()
    return _out("evaluate", text, len(text), b"<int>")


def _make_text(_lent, text):
    data = text.encode("utf-8", "surrogatepass")
    return _call("text", data, len(data))


def _make_dict(lent, items):
    return _call("dict", len(items), lent.lend_all(list(items.keys())), lent.lend_all(list(items.values())))


def _make_slice(lent, given):
    ends = [None if end is None else lent.lend(end) for end in (given.start, given.stop, given.step)]
    return _call("slice", *ends)


def _make_class(lent, given):
    """The built-in class of the same name, as for a dtype."""
    if given not in (bool, int, float, complex, tuple):
        raise _Untranslatable(f"{given!r} is not translated to Nacre")
    return _out("attribute", lent.lend(_builtins), given.__name__.encode())


_MAKERS = {  # subclasses before their bases
    type(None): lambda _lent, _given: _call("none"),
    bool: lambda _lent, truth: _call("bool", truth),
    int: _make_int,
    float: lambda _lent, number: _call("float", number),
    complex: lambda _lent, number: _call("complex", number.real, number.imag),
    str: _make_text,
    bytes: lambda _lent, data: _call("bytes", data, len(data)),
    tuple: lambda lent, items: _call("tuple", len(items), lent.lend_all(items)),
    list: lambda lent, items: _call("list", len(items), lent.lend_all(items)),
    dict: _make_dict,
    slice: _make_slice,
    type(...): lambda _lent, _given: _call("ellipsis"),
    type: _make_class,
}


# --- From Nacre to Python ----------------------------------------------------------------------------


def _python(handle):
    """The object of Python for a hold, which is taken over."""
    take = _TAKERS.get(_call("kind", handle))
    if take is None:
        return _value(handle)
    try:
        return take(handle)
    finally:
        _nacre.release(handle)


def _value(handle):
    if _call("type_name", handle) == b"NotImplementedType":
        _nacre.release(handle)
        return NotImplemented
    if _namespace is not None and _nacre.same(handle, _hold_of(_numpy, "_hold_")):
        _nacre.release(handle)
        return _namespace
    value = Value._hold(handle)
    return _named_tuple(value) if _is_tuple(value) else value


def _take_int(handle):
    number = c_int64()
    if _call("as_int", handle, byref(number)) == OK:
        return number.value
    return int(_text_of("str", handle))  # beyond 64 bits


def _take_float(handle):
    number = c_double()
    _check(_call("as_float", handle, byref(number)))
    return number.value


def _take_complex(handle):
    real, imaginary = c_double(), c_double()
    _check(_call("as_complex", handle, byref(real), byref(imaginary)))
    return complex(real.value, imaginary.value)


def _take_truth(handle):
    truth = c_int()
    _check(_call("as_truth", handle, byref(truth)))
    return bool(truth.value)


def _take_bytes(handle, name="as_bytes"):
    data, size = c_void_p(), c_size_t()
    _check(_call(name, handle, byref(data), byref(size)))
    return ctypes.string_at(data, size.value)


def _take_text(handle):
    return _take_bytes(handle, "as_text").decode("utf-8", "surrogatepass")


def _take_items(handle):
    count = c_int64()
    _check(_call("length", handle, byref(count)))
    return [_python(_out("at", handle, i)) for i in range(count.value)]


_tuple_classes = {}  # of results that are tuples with names: by name and fields


def _is_tuple(value):
    """Whether a value is of a class that a script, or a module of the library, derives from tuple."""
    if _call("kind", _hold_of(value, "_hold_")) != _library.OTHER or _builtins is None:
        return False
    return _call_value(_attribute(_builtins, "isinstance"), value, tuple)


def _named_tuple(value):
    name, fields = _attribute(_attribute(value, "__class__"), "__name__"), _attribute(value, "_fields")
    key = name, fields
    if key not in _tuple_classes:
        _tuple_classes[key] = collections.namedtuple(name, fields)
    return _tuple_classes[key](*value)


def _take_dict(handle):
    found, iterator = {}, _out("iterate", handle)
    try:
        while key := _out("next", iterator):
            item = _out("item", handle, key)
            found[_python(key)] = _python(item)
    finally:
        _nacre.release(iterator)
    return found


_TAKERS = {
    _library.NONE: lambda _handle: None,
    _library.BOOL: _take_truth,
    _library.INT: _take_int,
    _library.FLOAT: _take_float,
    _library.COMPLEX: _take_complex,
    _library.TEXT: _take_text,
    _library.BYTES: _take_bytes,
    _library.TUPLE: lambda handle: tuple(_take_items(handle)),
    _library.LIST: _take_items,
    _library.DICT: _take_dict,
}


def _text_of(name, handle):
    return _python(_out(name, handle))


# --- Values ------------------------------------------------------------------------------------------


def _attribute(value, name):
    return _python(_out("attribute", _hold_of(value, "_hold_"), name.encode()))


def _call_value(function, *arguments, **named):
    with _Lent() as lent:
        every = lent.lend_all([*arguments, *named.values()])
        names = (c_char_p * len(named))(*[name.encode() for name in named])
        out = _out("call_with", _hold_of(function, "_hold_"), len(arguments), every, len(named), names)
    return _python(out)


def _operate(symbol, a, b=None, *, unary=False):
    with _Lent() as lent:
        out = _out("operator", symbol, lent.lend(a), None if unary else lent.lend(b))
    return _python(out)


class Value:
    """A value of Nacre."""

    @classmethod
    def _hold(cls, handle):
        """The object for a hold, which is taken over. NumPy scalars that Nacre derives from float and complex are
        objects of such classes here too."""
        if _call("kind", handle) != _library.SCALAR:
            made = object.__new__(Value)
        else:
            made = _scalar(handle)
        object.__setattr__(made, "_hold_", handle)
        return made

    def __del__(self, release=_nacre.release, of=object.__getattribute__):  # globals may be gone when Python ends
        release(of(self, "__dict__").get("_hold_"))

    # The class and what Python itself wants of an object stay Python's; methods are looked up by operators in the
    # class, so that `x + y` is Nacre's operator and `x.__add__` Nacre's method.
    def __getattribute__(self, name):
        if name in ("__class__", "__dict__"):
            return object.__getattribute__(self, name)
        if name == "__signature__":
            return _signature(self)
        return _attribute(self, name)

    def __setattr__(self, name, item):
        with _Lent() as lent:
            _check(_call("set_attribute", _hold_of(self, "_hold_"), name.encode(), lent.lend(item)))

    def __dir__(self):
        return _call_value(_attribute(_builtins, "dir"), self)

    def __call__(self, /, *arguments, **named):
        return _call_value(self, *arguments, **named)

    def __repr__(self):
        return _text_of("repr", _hold_of(self, "_hold_"))

    def __str__(self):
        return _text_of("str", _hold_of(self, "_hold_"))

    def __hash__(self):
        return _call_value(_attribute(_builtins, "hash"), self)

    def __bool__(self):
        return _take_truth(_hold_of(self, "_hold_"))

    def __int__(self):
        return _call_value(_attribute(_builtins, "int"), self)

    def __float__(self):
        return _call_value(_attribute(_builtins, "float"), self)

    def __complex__(self):
        return _call_value(_attribute(_builtins, "complex"), self)

    def __index__(self):
        return _call_value(_attribute(_operator, "index"), self)

    def __abs__(self):
        return _call_value(_attribute(_builtins, "abs"), self)

    def __len__(self):
        length = c_int64()
        _check(_call("length", _hold_of(self, "_hold_"), byref(length)))
        return length.value

    def __iter__(self):
        iterator = _out("iterate", _hold_of(self, "_hold_"))

        def items():
            try:
                while item := _out("next", iterator):
                    yield _python(item)
            finally:
                _nacre.release(iterator)

        return items()

    def __contains__(self, item):
        return _operate(b"in", item, self)

    def __getitem__(self, key):
        with _Lent() as lent:
            out = _out("item", _hold_of(self, "_hold_"), lent.lend(key))
        return _python(out)

    def __setitem__(self, key, item):
        with _Lent() as lent:
            _check(_call("set_item", _hold_of(self, "_hold_"), lent.lend(key), lent.lend(item)))

    def __delitem__(self, key):
        with _Lent() as lent:
            _check(_call("delete_item", _hold_of(self, "_hold_"), lent.lend(key)))


def _operator_methods(symbol):
    """Methods for an operator: `a + b`, with the sides exchanged, and `a += b`. Objects that are nothing in Nacre are
    for their own classes to deal with."""

    def method(operate):
        def found(self, other):
            try:
                return operate(self, other)
            except _Untranslatable:
                return NotImplemented

        return found

    def in_place(self, other):
        with _Lent() as lent:
            hold = _hold_of(self, "_hold_")
            out = _out("operator", symbol + b"=", hold, lent.lend(other))
        if _nacre.same(out, hold):
            _nacre.release(out)
            return self
        return _python(out)

    return (method(lambda self, other: _operate(symbol, self, other)),
            method(lambda self, other: _operate(symbol, other, self)), method(in_place))


def _add_operators():
    arithmetic = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
                  "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}
    for name, symbol in arithmetic.items():
        plain, reflected, in_place = _operator_methods(symbol.encode())
        setattr(Value, f"__{name}__", plain)
        setattr(Value, f"__r{name}__", reflected)
        setattr(Value, f"__i{name}__", in_place)
    for name, symbol in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
        setattr(Value, f"__{name}__", _operator_methods(symbol.encode())[0])
    for name, symbol in {"neg": b"-", "pos": b"+", "invert": b"~"}.items():
        setattr(Value, f"__{name}__", lambda self, symbol=symbol: _operate(symbol, self, unary=True))


_add_operators()


class _Float(Value, float):
    """A NumPy scalar that Nacre derives from float."""


class _Complex(Value, complex):
    """A NumPy scalar that Nacre derives from complex."""


_scalar_bases = {}  # of a NumPy scalar's class, by name


def _scalar(handle):
    """A new object for a NumPy scalar."""
    name = _call("type_name", handle)
    if name not in _scalar_bases:
        own = Value._hold(_out("attribute", handle, b"__class__"))
        derived = [kind for kind in (float, complex) if _call_value(_attribute(_builtins, "issubclass"), own, kind)]
        _scalar_bases[name] = derived[0] if derived else None
    base = _scalar_bases[name]
    if base is float:
        return float.__new__(_Float, _take_float(handle))
    if base is complex:
        return complex.__new__(_Complex, _take_complex(handle))
    return object.__new__(Value)


# --- Signatures --------------------------------------------------------------------------------------


def _signature(function):
    """inspect.signature of Nacre, as Python's."""
    found = _call_value(_attribute(_inspect, "signature"), function)
    empty = _attribute(_attribute(_inspect, "Parameter"), "empty")

    def default_of(parameter):
        found = _attribute(parameter, "default")
        return inspect.Parameter.empty if isinstance(found, Value) and _is(found, empty) else found

    parameters = []
    for parameter in _attribute(found, "parameters").values():
        kind = inspect._ParameterKind(int(_attribute(parameter, "kind")))
        parameters.append(inspect.Parameter(_attribute(parameter, "name"), kind, default=default_of(parameter)))
    return inspect.Signature(parameters)


def _is(a, b):
    return _nacre.same(_hold_of(a, "_hold_"), _hold_of(b, "_hold_"))


# --- Modules -----------------------------------------------------------------------------------------


def _import(name):
    return Value._hold(_out("import", name.encode()))


_builtins, _operator, _inspect = _import("builtins"), _import("operator"), _import("inspect")
_numpy = _import("numpy")
VERSION = _attribute(_numpy, "__version__")


def numpy_is(name):
    global _namespace
    _namespace = sys.modules[name]


def numpy_attribute(name):
    return _attribute(_numpy, name)


def numpy_names():
    return _call_value(_attribute(_builtins, "dir"), _numpy)
