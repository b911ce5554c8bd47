#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A plug-in of another build is refused: one whose table has another version, another size or another name is as if it
were not there, and the same plug-in unchanged is taken.

usage: old_plugin_test.py NACRE
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
PLUGINS = os.path.join(os.path.dirname(os.path.dirname(NACRE)), "lib", "nacre")
CUDA = os.path.join(PLUGINS, "nacre-cuda.so")


def head_of(plugin):
    """The first 8 bytes of a backend's table: version and size."""
    library = ctypes.CDLL(plugin)
    library.nacre_backend.restype = ctypes.POINTER(ctypes.c_uint32)
    return library.nacre_backend()[0], library.nacre_backend()[1]


class OldPlugin(unittest.TestCase):
    def setUp(self):
        linked = subprocess.run(["ldd", NACRE], capture_output=True, text=True).stdout
        if not os.path.exists(CUDA) or "san.so" in linked:
            self.skipTest("no plug-in")
        folder = tempfile.TemporaryDirectory(prefix="nacre-old-")
        self.addCleanup(folder.cleanup)
        self.program = os.path.join(folder.name, "bin", "nacre")
        self.plugins = os.path.join(folder.name, "lib", "nacre")
        os.makedirs(os.path.dirname(self.program))
        os.makedirs(self.plugins)
        shutil.copy(NACRE, self.program)

    def said(self, backend="cuda"):
        """What the command says that finds its plug-ins beside it."""
        done = subprocess.run((self.program, "--backend", backend, "-c", "print(1)"), capture_output=True, text=True)
        return done.stderr + done.stdout

    def plant(self, change, name="cuda"):
        with open(CUDA, "rb") as file:
            data = file.read()
        head = b"".join(word.to_bytes(4, sys.byteorder) for word in head_of(CUDA))
        self.assertEqual(data.count(head), 1)
        changed = b"".join(word.to_bytes(4, sys.byteorder) for word in change(*head_of(CUDA)))
        with open(os.path.join(self.plugins, "nacre-%s.so" % name), "wb") as file:
            file.write(data.replace(head, changed))

    def test_unchanged(self):
        self.plant(lambda version, size: (version, size))
        self.assertNotIn("unknown backend", self.said())

    def test_version(self):
        for step in (-1, 1):
            self.plant(lambda version, size: (version + step, size))
            self.assertEqual(self.said(), "nacre: unknown backend 'cuda'\n")

    def test_size(self):
        for step in (-8, 8):
            self.plant(lambda version, size: (version, size + step))
            self.assertEqual(self.said(), "nacre: unknown backend 'cuda'\n")

    def test_name(self):
        self.plant(lambda version, size: (version, size), "other")
        self.assertEqual(self.said("other"), "nacre: unknown backend 'other'\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
