# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Libraries that `nacre build` writes, called by way of ctypes: arguments and results are Python's and
NumPy's, prototypes those of the header."""

import ctypes
import os
import re
import subprocess

import numpy as np

PROTOTYPE = re.compile(r"^int (\w+)\(nacre_rt \*rt(?:, (.*))?\);$", re.M)
PARAM = re.compile(r"(const )?(\w+) (\*?)(\w+)$")
NUMBERS = {"double": "d", "float": "f", "bool": "?", "int8_t": "b", "int16_t": "h", "int32_t": "i",
           "int64_t": "q", "uint8_t": "B", "uint16_t": "H", "uint32_t": "I", "uint64_t": "Q"}


class Array(ctypes.Structure):
    """nacre_rt_array"""
    _fields_ = [("data", ctypes.c_void_p), ("ndim", ctypes.c_int), ("shape", ctypes.c_int64 * 4),
                ("strides", ctypes.c_int64 * 4)]


class Failed(Exception):
    """What a function answered: status, text, file, function, line."""


def number_type(name):
    return np.ctypeslib.as_ctypes_type(np.dtype(NUMBERS[name]))


def build(nacre, module, folder, *options):
    """Builds a module's library in a folder; the compiler's and the builder's answer."""
    stem = os.path.splitext(os.path.basename(module))[0]
    output = os.path.join(folder, "lib%s.so" % stem)
    done = subprocess.run([nacre, "build", *options, module, "-o", output], capture_output=True,
                          text=True, timeout=300)
    return done.returncode, done.stderr


class Library:
    def __init__(self, nacre, folder, module, threads=1):
        root = os.path.dirname(os.path.dirname(nacre))
        self.rt = ctypes.CDLL(os.path.join(root, "lib", "libnacre-rt.so"), ctypes.RTLD_GLOBAL)
        self.rt.nacre_rt_open.restype = ctypes.c_void_p
        for name in ("error", "error_class", "error_file", "error_function"):
            getattr(self.rt, "nacre_rt_" + name).restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p(self.rt.nacre_rt_open(threads))
        self.code = ctypes.CDLL(os.path.join(folder, "lib%s.so" % module))
        with open(os.path.join(folder, module + ".h"), encoding="utf-8") as file:
            found = PROTOTYPE.findall(file.read())
        self.heads = {name[len(module) + 1:]: (name, self.parse(text)) for name, text in found}

    def close(self):
        self.rt.nacre_rt_close(self.handle)

    @staticmethod
    def parse(text):
        params = [PARAM.match(part) for part in text.split(", ")] if text else []
        return [(m.group(2), m.group(3), m.group(4)) for m in params]

    def told(self, name):
        return getattr(self.rt, "nacre_rt_" + name)(self.handle).decode()

    def call(self, function, *args):
        """The function's result. Arrays are handed over as they are, with their strides."""
        name, params = self.heads[function]
        given, results, args, kept = [self.handle], [], list(args), []
        for kind, pointer, param in params:
            if param.endswith(("_shape", "_strides")):
                continue
            if param.startswith("result"):
                results.append(Array() if kind == "nacre_rt_array" else number_type(kind)())
                given.append(ctypes.byref(results[-1]))
            elif pointer:
                array = args.pop(0)
                kept.append((array.ctypes.shape_as(ctypes.c_int64), array.ctypes.strides_as(ctypes.c_int64)))
                given += [ctypes.c_void_p(array.ctypes.data), *kept[-1]]
            else:
                given.append(number_type(kind)(args.pop(0)))
        status = getattr(self.code, name)(*given)
        if status:
            raise Failed(status, self.told("error"), self.told("error_file"), self.told("error_function"),
                         self.rt.nacre_rt_error_line(self.handle))
        types = [kind for kind, _, param in params if param.startswith("result")]
        return [self.take(result) for result, _ in zip(results, types)], \
            any(param.startswith("result_") for _, _, param in params)

    def take(self, result):
        if not isinstance(result, Array):
            return result.value
        shape, strides = result.shape[:result.ndim], result.strides[:result.ndim]
        taken = (shape, strides, ctypes.string_at(result.data, int(np.prod(shape)) * strides[-1]))
        self.rt.nacre_rt_array_free(ctypes.byref(result))
        return taken
