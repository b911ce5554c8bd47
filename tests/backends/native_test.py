#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Machine code for kernels: the same output as without, kept for the next process, and no harm where there is no
compiler or where somebody has been at the cache.

usage: native_test.py NACRE
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ.pop("NACRE_STRESS", None)

FEW = """import numpy as np
u = np.zeros((60, 70))
u[0] = 1
u[:, 3] = np.arange(60) % 7
for i in range(8):
    new = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    change = abs(new - u[1:-1, 1:-1]).max()
    u[1:-1, 1:-1] = new
print(u.sum(), change, (u > 0.5).sum())
"""
# Stencils, masks, casts, broadcasts, reductions with something before them, in place, with gaps.
SCRIPT = FEW + """
print((u * u).sum(axis=0)[:5], (u + 1).prod(axis=1).max(), ((u - u.mean()) ** 2).mean())
for kind in ("bool", "int8", "uint8", "int32", "int64", "uint64", "float32", "float64"):
    a = (np.arange(3000) * 7 % 13).astype(kind)
    b = (np.arange(3000) * 5 % 11 + 1).astype(kind)
    c = np.where(a > b, a, b) + a * b
    c += a[::-1]
    d = np.maximum(a, b).astype("float64") / (b + 1.5) - a.astype("int16")
    e = a[::3] * b[1::3] + c[5]
    print(kind, c.sum(), d.sum(), e[:4], ((a != b) & (c > a)).sum(), (c % b if kind != "bool" else c).max())
big = np.full(5000, 1e200)
print((big * big)[0], (big - big / 3).sum(), np.floor(big[:9] / 7e199) * -0.0)
print(np.where(u > 7, 1 / (u - 1), u).max(), np.logical_and(u > 9, 1 / u).sum())
unused = big * 1e200
print(a.reshape(50, 60)[:, :1] * b[:60] - a[:50, None])
"""


class Native(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cache = os.path.join(self.folder.name, "cache")
        self.broken = os.path.join(self.folder.name, "broken")
        self.compiler = self.program("cc", "[ -e %s ] && exit 1\nexec cc \"$@\"\n" % self.broken)

    def program(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o700)
        return path

    def test_lines_for_profilers(self):
        kept, script = os.path.join(self.folder.name, "kept"), os.path.join(self.folder.name, "rounds.py")
        os.mkdir(kept)
        with open(script, "w", encoding="utf-8") as file:
            file.write("s = 0.0\nfor i in range(20000):\n    s += i * 0.5\n    if s > 1e6:\n        s /= 3\nprint(s)\n")
        done = subprocess.run([NACRE, "--tier", "function", script], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "NACRE_KEEP_CODE": kept, "NACRE_CACHE": self.cache})
        plain = subprocess.run([NACRE, "--tier", "interp", script], capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, plain.stdout, ""))
        libraries = glob.glob(os.path.join(kept, "nacre-*", "*.so"))
        self.assertEqual(len(libraries), 1)
        lines = subprocess.run(["objdump", "--dwarf=decodedline", libraries[0]], capture_output=True, text=True,
                               timeout=60, check=True).stdout
        found = {int(line) for line in re.findall(r"^rounds\.py +(\d+) ", lines, re.M)}
        self.assertLessEqual({3, 4, 5}, found)
        self.assertLessEqual(found, set(range(1, 7)))
        self.assertFalse(os.path.exists(self.cache) and os.listdir(self.cache))

    def without_compiler(self, *args, **env):
        """The same where the compiler, by the same name, does not work any more."""
        with open(self.broken, "w", encoding="utf-8"):
            pass
        try:
            return self.run_script(*args, **env)
        finally:
            os.unlink(self.broken)

    def run_script(self, tier="kernel", script=FEW, **env):
        """(output, warnings, how many kinds of kernels got code)."""
        figures = os.path.join(self.folder.name, "stats.json")
        done = subprocess.run([NACRE, "--tier", tier, "--stats", figures, "--depth", "128", "-c", script], timeout=300,
                              capture_output=True, text=True,
                              env={**os.environ, "NACRE_CACHE": self.cache, "TMPDIR": self.folder.name,
                                   "NACRE_CC": self.compiler, **env})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(glob.glob(os.path.join(self.folder.name, "nacre-*")), [])
        with open(figures, encoding="utf-8") as file:
            return done.stdout, done.stderr, json.load(file)["kernels_compiled"]

    def entries(self):
        return sorted(glob.glob(os.path.join(self.cache, "*.code")))

    def test_the_same_bits(self):
        text, said, made = self.run_script("interp", SCRIPT)
        self.assertEqual(made, 0)
        first = self.run_script("kernel", SCRIPT)
        self.assertEqual(first[:2], (text, said))
        self.assertGreater(first[2], 30)
        self.assertEqual(os.stat(self.cache).st_mode & 0o777, 0o700)
        self.assertGreater(len(self.entries()), 30)
        self.assertEqual(glob.glob(os.path.join(self.cache, "*.lock")), [])
        # Nothing is compiled a second time.
        self.assertEqual(self.without_compiler("kernel", SCRIPT), first)

    def test_no_compiler(self):
        text, said, _ = self.run_script("interp")
        for compiler in ("/bin/false", "/nowhere/cc", "/bin/true", "/dev/null"):
            self.assertEqual(self.run_script(NACRE_CC=compiler), (text, said, 0), compiler)
        self.assertEqual(self.run_script(PATH="/nowhere", NACRE_CC=""), (text, said, 0))

    def test_a_slow_compiler_holds_nobody_up(self):
        slow = self.program("slow", "sleep 30\n")
        script = "import numpy as np\na = np.arange(1e6)\nfor i in range(300):\n    b = a * a + a\n    b[i]\nprint(b.sum())"
        text, _, _ = self.run_script("interp", script)
        done = subprocess.run([NACRE, "--tier", "auto", "-c", script], timeout=20, capture_output=True, text=True,
                              env={**os.environ, "NACRE_CACHE": self.cache, "TMPDIR": self.folder.name, "NACRE_CC": slow})
        self.assertEqual((done.stdout, done.returncode), (text, 0))
        self.assertEqual(glob.glob(os.path.join(self.folder.name, "nacre-*")), [])

    def test_work_that_is_worth_it(self):
        script = "import numpy as np\na = np.arange(1e6)\nfor i in range(%d):\n    b = a * a + a\n    b[i]\nprint(b.sum())"
        self.assertEqual(self.run_script("auto", script % 3)[2], 0)
        self.assertEqual(self.run_script("auto", script % 2000)[2], 1)

    def spoil(self, how):
        """What happens after each entry has been treated so."""
        text, said, _ = first = self.run_script()
        self.assertGreater(len(self.entries()), 2)
        for path in self.entries():
            how(path)
        self.assertEqual(self.without_compiler(), (text, said, 0))
        self.assertEqual(self.run_script(), first)

    def test_spoiled_entries(self):
        def planted(path):
            with open(path, "wb") as file:
                file.write(b"\x7fELF" + bytes(4000))

        def shortened(path):
            os.truncate(path, os.path.getsize(path) - 1)

        def changed(path):
            with open(path, "r+b") as file:
                file.seek(-100, 2)
                byte = file.read(1)
                file.seek(-100, 2)
                file.write(bytes([byte[0] ^ 1]))

        def linked(path):
            os.rename(path, path + "_")
            os.symlink(path + "_", path)

        def open_to_all(path):
            os.chmod(path, 0o666)

        def a_pipe(path):
            os.unlink(path)
            os.mkfifo(path, 0o600)

        def emptied(path):
            os.truncate(path, 0)

        for how in (planted, shortened, changed, linked, open_to_all, a_pipe, emptied):
            with self.subTest(how=how.__name__):
                self.spoil(how)

    def test_entries_of_others(self):
        if os.geteuid() != 0:
            self.skipTest("needs to be root")
        self.spoil(lambda path: os.chown(path, 65534, 65534))

    def test_folders_that_are_not_private(self):
        text, said, made = self.run_script()
        os.chmod(self.cache, 0o777)
        self.assertEqual(self.without_compiler(), (text, said, 0))
        os.chmod(self.cache, 0o700)
        self.assertEqual(self.without_compiler(), (text, said, made))
        other = os.path.join(self.folder.name, "link")
        os.symlink(self.cache, other)
        self.assertEqual(self.without_compiler(NACRE_CACHE=other), (text, said, 0))
        for path in ("/dev/null", "/proc/nowhere", os.path.join(self.folder.name, "stats.json")):
            self.assertEqual(self.run_script(NACRE_CACHE=path), (text, said, made))

    def test_processes_at_a_time(self):
        env = {**os.environ, "NACRE_CACHE": self.cache, "TMPDIR": self.folder.name}
        running = [subprocess.Popen([NACRE, "--tier", "kernel", "--depth", "128", "-c", FEW], env=env,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(3)]
        texts = {process.communicate(timeout=300)[0] for process in running}
        self.assertEqual(texts, {self.run_script("interp")[0]})


if __name__ == "__main__":
    unittest.main()
