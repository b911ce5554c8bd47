# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What tests of the command have in common: a folder for scripts, and what a run showed."""

import os
import tempfile
import unittest


class CommandCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nacre-command-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def script(self, text, name="script.ncr"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def check(self, done, out, err="", status=0):
        self.assertEqual((done.stdout, done.stderr, done.returncode), (out, err, status))
