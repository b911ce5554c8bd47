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
import resource
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
    "backwards": "C = A * 2\nB[12:28, 6:10] = C[7:23, 1:5] + A[25:9:-1, 3:7]\ny = x[1:40] + x[40:1:-1]\n",
    "lines": "for k in range(N):\n    A[k, k + 1:] = A[k, k + 1:] / (k + 1)\n    A[k + 1:, k + 1:] -= A[k + 1:, k:k + 1] * A[k:k + 1, k + 1:]\n",
}
# Grids of two axes, of two axes otherwise, and of three, for so many ranks.
GRIDS = {1: ((1, 1), (1, 1), (1, 1, 1)), 2: ((1, 2), (2, 1), (1, 2, 1)), 3: ((3, 1), (1, 3), (1, 1, 3)), 4: ((2, 2), (4, 1), (2, 1, 2)),
         6: ((2, 3), (3, 2), (1, 3, 2)), 16: ((4, 4), (2, 8), (2, 2, 4)), 60: ((10, 6), (1, 60), (5, 3, 4))}
MADE_OF_BOXES = """
import numpy as np
import nacre
N, P = 53, %d
two, other, three = %s, %s, %s
A = nacre.distribute(np.fromfunction(lambda i, j: i * (j + 2) / N, (N, N)), grid=two)
B = nacre.distribute(np.fromfunction(lambda i, j: i * (j + 3) / N, (N, N)), grid=two)
x = np.fromfunction(lambda i: i / N, (N,))
"""
OF_BOXES = {
    "five points": PROGRAMS["stencil"],
    "nine points": """
for t in range(3):
    B[1:-1, 1:-1] = sum(A[i:N - 2 + i, j:N - 2 + j] for i in range(3) for j in range(3)) / 9
    A[1:-1, 1:-1] = B[:-2, :-2] + B[2:, 2:] + B[:-2, 2:]
""",
    "heat": """
G = nacre.distribute(np.fromfunction(lambda i, j, k: i + j * k, (17, 14, 11)), grid=three)
H = G.copy()
for t in range(2):
    H[1:-1, 1:-1, 1:-1] = (G[2:, 1:-1, 1:-1] + G[:-2, 1:-1, 1:-1] + G[1:-1, 2:, 1:-1] + G[1:-1, :-2, 1:-1] + G[1:-1, 1:-1, 2:] +
                           G[1:-1, 1:-1, :-2] - 6 * G[1:-1, 1:-1, 1:-1])
    G[1:-1, 1:-1, 1:-1] = H[1:-1, 1:-1, 1:-1] + H[2:, 2:, 2:]
h = G.sum(axis=1)
""",
    "transposed": PROGRAMS["transposed"] + "D[...] = C.T * 2\n",
    "slices": PROGRAMS["parts"] + """
C = A[::-1, 5:] + 1
A[3:40, 7:20] = B[10:47, 20:33]
D = A[:, 4] + B[7]
A[20:] = B[:-20].copy()
A[:-9, :-9] += B[9:, 9:]
A[5:50, 1:-1] = B[50:5:-1, 2:]
""",
    "reductions": PROGRAMS["reductions"] + "e = np.sqrt((A - B) ** 2).sum()\nf = A.prod(axis=1)\ng = (A > 3).any(axis=0)\nA /= A.std()\n",
    "elements": PROGRAMS["elements"] + "for i in range(50):\n    x[i] = A[i, 7]\nA += 1\n",
    "whole": "print(A)\nA[3] = 7\nA += B\nA.tolist()\nB = B * A\n",
    "moves": """
R = np.fromfunction(lambda i, j: i * (j + 2) / N, (N, N))
R += 1
C = nacre.resplit(A, 0)
D = nacre.resplit(C, grid=other)
E = nacre.resplit(D, 1)
F = nacre.resplit(A, None)
G = nacre.resplit(A, grid=other)
C += A
D += A
R += A
A += R + F
nacre.bounds(E)
""",
    "products": PROGRAMS["products"],
    "rows": "C = np.cumsum(A, axis=1)\nA += 1\nD = np.sort(B, axis=0)\nr = A.ravel() + 1\nd = B.diagonal() * 2\n",
    "one axis": "y = nacre.distribute(x, grid=(P,))\nz = y * 2\nz[1:] += y[:-1]\ny += z[::-1]\nA += y\n",
    "few elements": """
C = nacre.ones((2, 3), grid=two)
D = C * 2
D[1:] = C[:-1]
D[:, 1:] += C[:, :-1]
E = D.sum(axis=0) + C.T.sum()
E = D + np.ones(3)
print(D[1, 2])
D.tolist()
E = np.sort(D, axis=1)
G = nacre.zeros((5, 1, 2), grid=three)
G += 1
G[1:] = G[:-1] * 2
""",
    "two grids": """
G = nacre.distribute(np.fromfunction(lambda i, j: i - j, (N, N)), grid=other)
C = A + G
G[1:-1, 1:-1] += A[2:, 2:] * B[:-2, 1:-1]
D = np.where(A > B, G, x)
A[...] = G.T
""",
    "strips": "C = np.empty((N, N))\nC[...] = A * 2\nC[1:] = A[:-1]\nE = A[:, :1] + B[:1]\nE *= C\nk = np.outer(x, x) + A\nA -= A.mean(axis=0)\n",
}
# A machine whose messages cost next to nothing. Measuring this one would take longer than a plan.
KEYS = {"ranks_per_socket": 1, "ranks_per_node": 2, "rank_memory_bandwidth_GB_per_s": 10,
        "node_memory_bandwidth_GB_per_s": 16, "rank_cache_MB": 1, "rank_arithmetic_Gflop_per_s": 1000,
        "kernel_overhead_us": 1e-9, "message_overhead_us": 1e-9, "socket_latency_us": 1e-9, "node_latency_us": 1e-9,
        "fabric_latency_us": 1e-9, "socket_bandwidth_GB_per_s": 1e9, "node_bandwidth_GB_per_s": 1e9,
        "fabric_bandwidth_GB_per_s": 1e9, "node_injection_bandwidth_GB_per_s": 1e9}
OF_RUNS = {"seconds_with_ranks", "exchanges_overlapped", "sent", "lines"}


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


class Boxes(PlanCase):
    """The same for arrays over grids of ranks."""

    def compare(self, text, ranks, **options):
        text = MADE_OF_BOXES % (ranks, *GRIDS[ranks]) + text
        self.assertEqual(self.plan(text, ranks, **options)[0], self.run_really(text, ranks, **options))

    def compare_all(self, names, ranks, **options):
        try:
            self.compare("".join(OF_BOXES[name] for name in names), ranks, **options)
        except AssertionError:
            for name in names:
                with self.subTest(program=name, ranks=ranks):
                    self.compare(OF_BOXES[name], ranks, **options)
            raise

    def test_programs(self):
        for ranks in 1, 2, 3, 4, 6, 16:
            self.compare_all(OF_BOXES, ranks)

    def test_large_arrays_alone(self):
        for ranks in 3, 6:
            self.compare_all(OF_BOXES, ranks, least="4K")
            self.compare("v = nacre.resplit(A[:3, :3].copy(), None)\nr = v.min(axis=1)\nq = v - r[:, None]\n"
                         "w = nacre.distribute(v, grid=two)\n", ranks, least="200")

    def test_more_ranks_than_rows(self):
        self.compare_all(("nine points", "heat", "slices", "moves", "few elements"), 60)

    def test_nodes_change_no_counts(self):
        text = MADE_OF_BOXES % (16, *GRIDS[16]) + OF_BOXES["nine points"] + OF_BOXES["moves"] + OF_BOXES["slices"]
        plain = self.plan(text, 16)[0]
        for socket, node in (1, 3), (2, 4), (5, 5), (3, 6), (16, 16):
            figures, report = self.plan(text, 16, "--machine", self.machine(ranks_per_socket=socket, ranks_per_node=node))
            self.assertEqual(figures, plain)

    def test_report(self):
        _, report = self.plan(MADE_OF_BOXES % (6, *GRIDS[6]) + OF_BOXES["five points"], 6)
        rows = {line["line"]: line for line in report["lines"]}
        first = MADE_OF_BOXES.count("\n") + 3
        for line in first, first + 1:
            self.assertEqual(rows[line]["parts"], "boxes of (51, 51), 6 parts")
            self.assertEqual((rows[line]["kernels_shared"], rows[line]["exchanges"], rows[line]["assumed"]), (5, 5, 0))

    def test_looking(self):
        first = MADE_OF_BOXES.count("\n") + 1
        for text in "print(A.sum())\n", "print(A)\n", "n = int(A[3, 3])\n":
            _, report = self.plan(MADE_OF_BOXES % (4, *GRIDS[4]) + text, 4)
            self.assertEqual([line["line"] for line in report["lines"] if line["assumed"]], [first])

    def test_boxes_of_others(self):
        text = MADE_OF_BOXES % (4, *GRIDS[4]) + "C = nacre.from_local(nacre.local(A), grid=two)\n"
        done = nacre("--split-least", "1", "plan", "--ranks", "4", "--machine", self.machine(), self.script(text))
        self.assertIn("NotImplementedError: nacre plan does not know the boxes of other ranks: nacre.from_local with a grid of ranks\n",
                      done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_ten_thousand_ranks(self):
        # Boxes of ten by ten elements, of which those at the edges have fewer neighbours.
        text = "import numpy as np\nimport nacre\nA = nacre.zeros((1000, 1000), grid=(100, 100))\nB = nacre.zeros((1000, 1000), grid=(100, 100))\n"
        figures, _ = self.plan(text + PROGRAMS["stencil"], 10000)
        for rank, each in enumerate(figures):
            row, column = divmod(rank, 100)
            neighbours = (row > 0) + (row < 99) + (column > 0) + (column < 99)
            self.assertEqual(each["array_bytes_received"], 10 * neighbours * 10 * 8)

    @unittest.skipIf("thread" in sanitizers_of(NACRE), "ThreadSanitizer leaves no such range of addresses")
    def test_hundred_thousand_ranks(self):
        ranks, p, q = 100000, 400, 250
        text = "import numpy as np\nimport nacre\nN = 400000\nA, B = nacre.zeros((N, N), grid=True), nacre.zeros((N, N), grid=True)\n" + \
               PROGRAMS["stencil"].replace("range(5)", "range(50)") + "C = A @ B\n"
        report = self.path("report.json")
        done = nacre("plan", "--ranks", str(ranks), "--machine", self.machine(), "--json", report, self.script(text))
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        with open(report, encoding="utf-8") as file:
            rows = {line["line"]: line for line in json.load(file)["lines"]}
        flags = ranks * (ranks - 1)  # which all tell each other after each kernel
        halos = 2 * (p - 1) * q + 2 * p * (q - 1)
        self.assertEqual([rows[line]["messages"] for line in (7, 8)], [50 * (halos + flags)] * 2)
        self.assertEqual(rows[9]["messages"], ranks * (p - 1 + q - 1) + flags)  # each is brought its rows, and its columns
        if not sanitizers_of(NACRE):
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 1 << 20)


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
        row, slow, fast = 8000, {"fabric_bandwidth_GB_per_s": 1}, {"rank_memory_bandwidth_GB_per_s": 1e9,
                                                                   "node_memory_bandwidth_GB_per_s": 1e9, "rank_arithmetic_Gflop_per_s": 1e9}

        def seconds(ranks, **keys):  # where kernels take no time that messages could be hidden in
            return self.line(text, ranks, **fast, **keys)["message_seconds"]

        self.assertAlmostEqual(seconds(2), 0, delta=1e-9)
        self.assertAlmostEqual(seconds(2, node_bandwidth_GB_per_s=1), row / 1e9, delta=1e-7)
        # Between two nodes there is one row, from the last rank of one to the first one of the other.
        self.assertAlmostEqual(seconds(4, **slow), row / 1e9, delta=1e-7)
        self.assertAlmostEqual(seconds(4, node_latency_us=10, fabric_latency_us=30) * 1e6, 30, delta=0.01)
        self.assertAlmostEqual(seconds(4, node_injection_bandwidth_GB_per_s=1), row / 1e9, delta=1e-7)

    def test_messages_that_are_hidden(self):
        """While a row travels, a rank computes its other rows, and waits for the rest. What messages cost the processor
        is never hidden."""
        text = "import numpy as np\nN = 1000\nA, B = np.zeros((N, N)), np.zeros((N, N))\nA += 1\nB += 1\n" \
               "float((A + B).sum())\nB[1:] = A[:-1]\n"
        work = 8e6 / 8e9  # of a half of the rows, read and written, by two ranks of a node
        for megabytes_per_s, left in (1000, 0), (8, 8000 / 8e6 - work), (4, 8000 / 4e6 - work):
            line = self.line(text, 2, node_bandwidth_GB_per_s=megabytes_per_s / 1e3)
            self.assertAlmostEqual(line["work_seconds"], work, delta=work / 50)
            self.assertAlmostEqual(line["message_seconds"], left, delta=work / 50)
        self.assertAlmostEqual(self.line(text, 2, message_overhead_us=7)["message_seconds"] * 1e6, 7, delta=0.01)

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
