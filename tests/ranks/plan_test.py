#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""`nacre plan`: what it counts for any rank is what that rank counts in a run; what it cannot know it says; its
estimates follow from their formulas; and what is wrong with files and options is told.

usage: plan_test.py NACRE
"""

import glob
import json
import os
import re
import subprocess
import sys
import unittest

for folder in ("hosts", "run"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), folder))
from command_case import CommandCase  # noqa: E402
from sanitizers import sanitizers_of  # noqa: E402
from terminal import environment  # noqa: E402

NACRE = os.path.abspath(sys.argv.pop(1))
MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "machines")
MADE = """
import numpy as np
N = 53
A = np.fromfunction(lambda i, j: i * (j + 2) / N, (N, N))
B = np.fromfunction(lambda i, j: i * (j + 3) / N, (N, N))
x = np.fromfunction(lambda i: i / N, (N,))
"""
PROGRAMS = {
    "stencil": """
for t in range(5):
    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
    A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
""",
    "wide": "B[20:] = A[:-20]\nB[:-17] += A[17:]\nx[:30] = x[23:]\n",
    "products": "C = A @ B\ny = A @ x\nz = x @ A\nC = C @ B + A\n",
    "reductions": "a = A.sum()\nb = A.sum(axis=0)\nc = B.max(axis=1)\nd = (A * B).mean(axis=0)\nx -= b\nx += c\n",
    "cumulative": "C = np.cumsum(A, axis=1)\nD = np.cumsum(A, axis=0)\ny = np.cumsum(x)\n",
    "transposed": "C = A + B.T\nD = A.T.copy()\nC += D\n",
    "sorted": "C = np.sort(A, axis=1)\nD = np.sort(A, axis=0)\ny = np.argsort(x)\n",
    "small": "s = np.ones(3)\nfor i in range(4):\n    s = s * 2 + 1\nx[:3] = s\nprint(int(s[0]))\n",
    "parts": "C = A[10:20] * 2\nD = A[::3, ::2] + 1\nA[::2] = B[::2]\nA[5:6, :] = x\nA[:, 3] = 1\n",
    "elements": "for i in range(20):\n    x[i] = A[i, 3] + 1\nprint(A[52, 52])\n",
    "whole": "print(A)\nA[3] = 7\nprint(x.tolist())\n",
    "random": "r = np.random.default_rng(3).random((N, N))\nr += A\nr = r @ B\n",
    "lines": "for k in range(N):\n    A[k, k + 1:] = A[k, k + 1:] / (k + 1)\n    A[k + 1:, k + 1:] -= A[k + 1:, k:k + 1] * A[k:k + 1, k + 1:]\n",
}
# A machine whose messages cost next to nothing. Measuring this one would take longer than a plan.
KEYS = {"ranks_per_socket": 1, "ranks_per_node": 2, "rank_memory_bandwidth_GB_per_s": 10,
        "node_memory_bandwidth_GB_per_s": 16, "rank_cache_MB": 1, "rank_arithmetic_Gflop_per_s": 1000,
        "kernel_overhead_us": 1e-9, "message_overhead_us": 1e-9, "socket_latency_us": 1e-9, "node_latency_us": 1e-9,
        "fabric_latency_us": 1e-9, "socket_bandwidth_GB_per_s": 1e9, "node_bandwidth_GB_per_s": 1e9,
        "fabric_bandwidth_GB_per_s": 1e9, "node_injection_bandwidth_GB_per_s": 1e9}
OF_RUNS = {"seconds_with_ranks", "sent", "lines"}


def nacre(*arguments):
    return subprocess.run((NACRE,) + arguments, capture_output=True, text=True, timeout=120, env=environment({}))


def figures_in(path):
    with open(path, encoding="utf-8") as file:
        ranks = json.load(file)["ranks"]
    return [{name: value for name, value in each.items() if name not in OF_RUNS} for each in ranks]


class PlanCase(CommandCase):
    def path(self, name):
        return os.path.join(self.folder, name)

    def machine(self, **keys):
        """A file that describes one."""
        return self.script("".join("%s = %g # text\n" % each for each in dict(KEYS, **keys).items()), "x.machine")

    def plan(self, text, ranks, *options, least="1"):
        """(figures of each rank, the report as JSON)"""
        stats, report = self.path("plan.json"), self.path("report.json")
        if "--machine" not in options:
            options += "--machine", self.machine()
        done = nacre("--stats", stats, "--tier", "interp", "--split-least", least, "plan", "--ranks", str(ranks), "--json",
                     report, *options, self.script(text))
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        with open(report, encoding="utf-8") as file:
            return figures_in(stats), json.load(file)

    def run_really(self, text, ranks, least="1"):
        stats = self.path("run.json")
        done = nacre("--stats", stats, "--tier", "interp", "--split-least", least, "-n", str(ranks), "--transport", "loopback",
                     self.script(text))
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return figures_in(stats)


class Counts(PlanCase):
    def compare(self, text, ranks, **options):
        self.assertEqual(self.plan(text, ranks, **options)[0], self.run_really(text, ranks, **options))

    def test_programs(self):
        for ranks in 2, 3, 4, 7, 16:
            try:
                self.compare("".join(MADE + text for text in PROGRAMS.values()), ranks)
            except AssertionError:
                for name, text in PROGRAMS.items():  # which one is it?
                    with self.subTest(program=name, ranks=ranks):
                        self.compare(MADE + text, ranks)
                raise

    def test_large_arrays_alone(self):
        for names in ("stencil", "products"), ("small", "elements", "whole", "parts"):
            with self.subTest(programs=names):
                self.compare("".join(MADE + PROGRAMS[name] for name in names), 5, least="4K")

    def test_more_ranks_than_rows(self):
        self.compare(MADE + PROGRAMS["stencil"] + PROGRAMS["whole"], 60)

    def test_nodes_change_no_counts(self):
        text = MADE + PROGRAMS["stencil"] + PROGRAMS["transposed"]
        plain = self.plan(text, 16)[0]
        for machine in glob.glob(os.path.join(MACHINES, "*.machine")):
            self.assertEqual(self.plan(text, 16, "--machine", machine)[0], plain)

    def test_totals(self):
        figures, report = self.plan(MADE + PROGRAMS["stencil"] + PROGRAMS["transposed"], 7)
        sent = sum(each["messages_sent"] for each in figures)
        self.assertEqual(sum(each["messages_received"] for each in figures), sent)
        # In the figures are those of the interpreter's end, too.
        self.assertLess(max(each["message_bytes_received"] for each in figures) - report["rank_bytes_received"], 3000)
        self.assertLess(report["messages"], sent)
        self.assertEqual(report["messages"], sum(line["messages"] for line in report["lines"]))
        self.assertEqual(report["kernels_shared"], figures[0]["kernels_shared"])
        halo = [line for line in report["lines"] if line["line"] == 9]
        self.assertEqual([(line["kernels_shared"], line["exchanges"]) for line in halo], [(5, 5)])


class Unknown(PlanCase):
    def assumed(self, text, ranks=3):
        return [line["line"] for line in self.plan(MADE + text, ranks)[1]["lines"] if line["assumed"]]

    def test_known(self):
        self.assertEqual(self.assumed(PROGRAMS["stencil"]), [])
        _, report = self.plan(MADE + "s = np.ones(3)\nif s.sum() == 3: A += 1\nprint(1 / s)\n", 3, least="4K")
        self.assertEqual(report["assumed"], 0)
        self.assertEqual([line["kernels_shared"] for line in report["lines"] if line["line"] == 8], [1])

    def test_looking(self):
        first = MADE.count("\n") + 1
        for text in "print(A.sum())\n", "if A.max() > 1: x += 1\n", "y = x[x > 0.5]\n", "print(A)\n", "x.tolist()\n", \
                "n = int(A[3, 3])\n", "while A[3, 3] > 1: A -= 1\n":
            with self.subTest(text=text):
                self.assertEqual(self.assumed("\n" * 3 + text)[:1], [first + 3])

    def test_text(self):
        done = nacre("--split-least", "1", "plan", "-n", "3", "--machine", self.machine(), self.script(MADE + "print('shown', A.sum())\n"))
        self.assertNotIn("shown", done.stdout)
        self.assertIn("What follows from them may be wrong:\n            script.ncr:7\n", done.stdout)
        self.assertEqual((done.stderr, done.returncode), ("", 0))

    def test_no_files(self):
        target = self.path("out.npy")
        done = nacre("--split-least", "1", "plan", "-n", "3", "--machine", self.machine(), self.script(MADE + "np.save(%r, A)\n" % target))
        self.assertFalse(os.path.exists(target))
        self.assertIn("PermissionError", done.stderr)
        self.assertIn("NOT ALL     the program ended with PermissionError", done.stdout)
        self.assertEqual(done.returncode, 1)


class Large(PlanCase):
    @unittest.skipIf("thread" in sanitizers_of(NACRE), "ThreadSanitizer leaves no such range of addresses")
    def test_terabytes(self):
        text = MADE.replace("N = 53", "N = 400000") + PROGRAMS["stencil"] + "print(A[7, 7], A.sum())\nnp.random.rand(N, N)\n"
        figures, report = self.plan(text, 1000, least="1048576")
        # A row above and one below in two half steps, of two arrays: several half steps share an exchange.
        rows = figures[500]["array_bytes_received"] / (5 * 2 * 2 * 8)
        self.assertTrue(400000 < rows < 2 * 400000, rows)
        self.assertLess(figures[500]["exchanges"], 5)
        self.assertGreater(report["memory_peak"], 2 * 8 * 400000 ** 2 // 1000)

    @unittest.skipIf("thread" in sanitizers_of(NACRE), "ThreadSanitizer leaves no such range of addresses")
    def test_more_rows_than_32_bits(self):
        text = "import numpy as np\nN = 3 * 2 ** 31\nA, B = np.fromfunction(lambda i: i / 7, (N,)), np.fromfunction(lambda i: i / 3, (N,))\n" \
               "for t in range(2):\n    B[1:-1] = A[:-2] + A[2:]\n    A[1:-1] = B[:-2] + B[2:]\n"
        rows = {line["line"]: line for line in self.plan(text, 4, least="1048576")[1]["lines"]}
        self.assertIn("4 parts", rows[5]["parts"])
        self.assertIn("4 parts", rows[6]["parts"])

    def test_many_ranks(self):
        _, report = self.plan(MADE + PROGRAMS["stencil"] + "print(A.tolist())\n", 20000)
        rows = {line["line"]: line for line in report["lines"]}
        self.assertIn("51 parts", rows[9]["parts"])
        # Every rank receives the rows that it lacks of A: 52 ranks have one, and one has none.
        self.assertEqual(rows[11]["rank_bytes"] // 8 // 53, 53)


class Model(PlanCase):
    def line(self, text, ranks, **keys):
        """What the model says of the last line of a program."""
        _, report = self.plan(text, ranks, "--machine", self.machine(**keys))
        last = text.rstrip("\n").count("\n") + 1
        return next(line for line in report["lines"] if line["line"] == last and line["file"].endswith("script.ncr"))

    def test_memory(self):
        text = "import numpy as np\nN = 1000\nA = np.zeros((N, N))\nA *= 2\n"
        for ranks, rate in (1, 10e9), (2, 8e9), (4, 8e9):
            self.assertAlmostEqual(self.line(text, ranks)["work_seconds"], 16e6 / ranks / rate, delta=1e-9)
        self.assertAlmostEqual(self.line(text, 4)["alone_seconds"], 16e6 / 8e9, delta=1e-9)

    def test_stencil_that_leaves_the_cache(self):
        text = "import numpy as np\nN = %d\nA, B = np.zeros((2, 8, N))\n" \
               "B[1:-1, 1:-1] = A[2:, 1:-1] + A[1:-1, 1:-1] + A[:-2, 1:-1]\n"
        for n, times in (1000, 2), (100000, 4):
            seconds = self.line(text % n, 1)["work_seconds"]
            self.assertAlmostEqual(seconds / (times * 6 * (n - 2) * 8 / 10e9), 1, delta=1e-3)

    def test_messages(self):
        text = "import numpy as np\nN = 1000\nA, B = np.zeros((N, N)), np.zeros((N, N))\nA += 1\nB += 1\n" \
               "float((A + B).sum())\nB[1:] = A[:-1]\n"
        row, slow = 8000, {"fabric_bandwidth_GB_per_s": 1}
        self.assertAlmostEqual(self.line(text, 2)["message_seconds"], 0, delta=1e-9)
        self.assertAlmostEqual(self.line(text, 2, node_bandwidth_GB_per_s=1)["message_seconds"], row / 1e9, delta=1e-7)
        # Between two nodes there is one row, from the last rank of one to the first one of the other.
        own = self.line(text, 4, **slow)["message_seconds"]
        self.assertAlmostEqual(own, row / 1e9, delta=1e-7)
        self.assertAlmostEqual(self.line(text, 4, node_latency_us=10, fabric_latency_us=30)["message_seconds"] * 1e6,
                               30, delta=0.01)
        self.assertAlmostEqual(self.line(text, 4, node_injection_bandwidth_GB_per_s=1)["message_seconds"],
                               row / 1e9, delta=1e-7)

    def test_efficiency(self):
        _, report = self.plan(MADE + PROGRAMS["stencil"], 4)
        self.assertAlmostEqual(report["efficiency"], report["alone_seconds"] / report["seconds"] / 4, places=6)
        self.assertAlmostEqual(report["seconds"], report["work_seconds"] + report["message_seconds"], places=6)


class Mistakes(PlanCase):
    def refused(self, *arguments):
        done = nacre("plan", *arguments)
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        return done.stderr.rstrip("\n").replace(self.folder, "")

    def test_options(self):
        path = self.script("print(1)\n")
        for value in "0", "-1", "x", "1.5", "":
            self.assertEqual(self.refused("--ranks", value, path), "nacre plan: a number of ranks, at least 1, is wanted by --ranks")
        self.assertEqual(self.refused("--ranks=2000000", path), "nacre plan: so many ranks cannot be planned for: at most 1048576")
        self.assertEqual(self.refused(path), "nacre plan: on how many ranks? (--ranks N)")
        self.assertEqual(self.refused("--ranks", "3"), "nacre plan: which script?")
        self.assertEqual(self.refused("--ranks"), "nacre plan: a value is wanted by --ranks")
        self.assertEqual(self.refused("--rank", "3", path), "nacre plan: unknown option --rank")
        self.assertEqual(self.refused("--top", "0", path), "nacre plan: a number of lines, at least 1, is wanted by --top")

    def test_machine_files(self):
        path = self.script("print(1)\n")
        with open(self.machine(), encoding="utf-8") as file:
            good = file.read()
        os.remove(self.path("x.machine"))
        for text, problem in (
                (None, "/x.machine: No such file or directory"),
                ("", "/x.machine: 'ranks_per_socket' is missing"),
                (good.replace("rank_cache_MB", "cache"), "/x.machine:5: there is no key 'cache'"),
                (good + "rank_cache_MB = 2\n", "/x.machine:16: 'rank_cache_MB' is there twice"),
                (good.replace("MB = 1 ", "MB = 1 MB"), "/x.machine:5: a number above 0 is wanted for 'rank_cache_MB', not '1 MB'"),
                (good.replace("MB = 1 ", "MB = -1 "), "/x.machine:5: a number above 0 is wanted for 'rank_cache_MB', not '-1'"),
                (good.replace("node = 2", "node = 2.5"), "/x.machine:2: a whole number is wanted for 'ranks_per_node', not '2.5'"),
                (good.replace("socket = 1", "socket = 3"), "/x.machine: 'ranks_per_node' has to be a multiple of 'ranks_per_socket'"),
                ("\n\nranks\n", "/x.machine:3: a line is a key, '=' and a number"),
                (good + "\0", "/x.machine: it is no text")):
            if text is not None:
                self.script(text, "x.machine")
            self.assertEqual(self.refused("-n", "2", "--machine", self.path("x.machine"), path), "nacre plan: " + problem)

    def test_failing_program(self):
        done = nacre("--split-least", "1", "plan", "--ranks", "3", "--machine", self.machine(), self.script(MADE + "A += B\nprint(A)\nraise ValueError('no')\n"))
        self.assertIn("ValueError: no\n", done.stderr)
        self.assertIn("script.ncr:7", done.stdout)
        self.assertIn("NOT ALL     the program ended with ValueError: this is what came before\n", done.stdout)
        self.assertEqual(done.returncode, 1)
        done = nacre("plan", "-n", "2", self.script("import sys\nsys.exit(3)\n"))
        self.assertIn("script.ncr on 2 ranks of this one, as measured", done.stdout)
        self.assertEqual((done.stderr, done.returncode), ("", 3))

    def test_table(self):
        text = MADE + "".join("A += %d\n" % i for i in range(30)) + "A.sum()\n"
        done = nacre("--split-least", "1", "plan", "--ranks", "3", "--machine", self.machine(), "--top", "5", self.script(text))
        lines = done.stdout.split("\n\n")[1].splitlines()
        self.assertEqual(len(lines), 1 + 5 + 1)
        self.assertRegex(lines[-1], r"^and \d+ lines more \(--top\)$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
