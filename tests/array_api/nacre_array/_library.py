# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""libnacre.so through ctypes: one VM, and the functions of nacre.h that the bridge calls."""

import atexit
import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

OK = 0

# NacreKind.
NONE, BOOL, INT, FLOAT, COMPLEX, SCALAR, TEXT, BYTES, TUPLE, LIST, DICT, SET, ARRAY, CALLABLE, MODULE, OTHER = range(16)

_Warn = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_char_p, c_int)


class _Options(ctypes.Structure):
    """NacreOptions."""

    _fields_ = (
        ("struct_size", c_size_t), ("alloc", c_void_p), ("alloc_ctx", c_void_p), ("memory_limit", c_size_t),
        ("recursion_limit", c_int), ("unpooled", c_int), ("write", c_void_p), ("read_line", c_void_p),
        ("display", c_void_p), ("warn", _Warn), ("ctx", c_void_p), ("backend", c_char_p), ("threads", c_int),
        ("stress", c_int), ("count_instructions", c_int), ("depth", c_int), ("reproducible", c_int),
        ("tier", c_char_p), ("reclaim", c_void_p), ("time_limit", c_double), ("access", c_void_p),
        ("module", c_void_p), ("sandbox", c_int), ("progress", c_void_p), ("progress_interval", c_double),
        ("communicator", c_void_p), ("stream", c_void_p),
    )


# What is called, with the types of its parameters behind the VM, and of its result.
_VALUE, _OUT, _MANY = c_void_p, POINTER(c_void_p), POINTER(c_void_p)
_FUNCTIONS = {
    "nacre_release": ((_VALUE,), None),
    "nacre_none": ((), _VALUE),
    "nacre_bool": ((c_int,), _VALUE),
    "nacre_int": ((c_int64,), _VALUE),
    "nacre_uint": ((c_uint64,), _VALUE),
    "nacre_float": ((c_double,), _VALUE),
    "nacre_complex": ((c_double, c_double), _VALUE),
    "nacre_text": ((c_char_p, c_size_t), _VALUE),
    "nacre_bytes": ((c_char_p, c_size_t), _VALUE),
    "nacre_tuple": ((c_size_t, _MANY), _VALUE),
    "nacre_list": ((c_size_t, _MANY), _VALUE),
    "nacre_dict": ((c_size_t, _MANY, _MANY), _VALUE),
    "nacre_slice": ((_VALUE, _VALUE, _VALUE), _VALUE),
    "nacre_ellipsis": ((), _VALUE),
    "nacre_kind": ((_VALUE,), c_int),
    "nacre_type_name": ((_VALUE,), c_char_p),
    "nacre_as_truth": ((_VALUE, POINTER(c_int)), c_int),
    "nacre_as_int": ((_VALUE, POINTER(c_int64)), c_int),
    "nacre_as_float": ((_VALUE, POINTER(c_double)), c_int),
    "nacre_as_complex": ((_VALUE, POINTER(c_double), POINTER(c_double)), c_int),
    "nacre_as_text": ((_VALUE, POINTER(c_void_p), POINTER(c_size_t)), c_int),
    "nacre_as_bytes": ((_VALUE, POINTER(c_void_p), POINTER(c_size_t)), c_int),
    "nacre_str": ((_VALUE, _OUT), c_int),
    "nacre_repr": ((_VALUE, _OUT), c_int),
    "nacre_length": ((_VALUE, POINTER(c_int64)), c_int),
    "nacre_item": ((_VALUE, _VALUE, _OUT), c_int),
    "nacre_at": ((_VALUE, c_int64, _OUT), c_int),
    "nacre_set_item": ((_VALUE, _VALUE, _VALUE), c_int),
    "nacre_delete_item": ((_VALUE, _VALUE), c_int),
    "nacre_attribute": ((_VALUE, c_char_p, _OUT), c_int),
    "nacre_set_attribute": ((_VALUE, c_char_p, _VALUE), c_int),
    "nacre_operator": ((c_char_p, _VALUE, _VALUE, _OUT), c_int),
    "nacre_iterate": ((_VALUE, _OUT), c_int),
    "nacre_next": ((_VALUE, _OUT), c_int),
    "nacre_import": ((c_char_p, _OUT), c_int),
    "nacre_evaluate": ((c_char_p, c_size_t, c_char_p, _OUT), c_int),
    "nacre_call_with": ((_VALUE, c_size_t, _MANY, c_size_t, POINTER(c_char_p), _OUT), c_int),
    "nacre_error_value": ((), _VALUE),
    "nacre_error_class": ((), c_char_p),
    "nacre_error_message": ((), c_char_p),
}


class Library:
    """The library, with a VM: `call(name, *arguments)` is the function nacre_name with the VM before them."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        self.warned = []  # (category, message) of warnings that Python has not heard of yet
        self._functions = {}
        for name, (parameters, result) in _FUNCTIONS.items():
            function = getattr(self._library, name)
            function.argtypes, function.restype = (c_void_p,) + parameters, result
            self._functions[name[len("nacre_"):]] = function
        self._same = self._library.nacre_same
        self._same.argtypes, self._same.restype = (c_void_p, c_void_p), c_int
        self._warn = _Warn(self._hear)  # the VM calls it for as long as it lives
        self._vm = self._new(_Options(struct_size=ctypes.sizeof(_Options), warn=self._warn))
        atexit.register(self._free)

    def _new(self, options):
        create = self._library.nacre_new
        create.argtypes, create.restype = (POINTER(_Options),), c_void_p
        vm = create(ctypes.byref(options))
        if not vm:
            raise RuntimeError("the library makes no VM of these options: its nacre.h is not the bridge's")
        return vm

    def _free(self):
        vm, self._vm = self._vm, None
        free = self._library.nacre_free
        free.argtypes, free.restype = (c_void_p,), None
        free(vm)

    def _hear(self, _ctx, category, message, _file, _line):
        self.warned.append((category.decode(), message.decode()))

    def call(self, name, *arguments):
        return self._functions[name](self._vm, *arguments)

    def release(self, value):
        if self._vm and value:  # objects may outlive the VM when Python ends
            self._functions["release"](self._vm, value)

    def same(self, a, b):
        return bool(self._same(a, b))


def library_path():
    """NACRE_LIBRARY: libnacre.so."""
    path = os.environ.get("NACRE_LIBRARY")
    if not path:
        raise ImportError("NACRE_LIBRARY names the libnacre.so that is to be used")
    return path
