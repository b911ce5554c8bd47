#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What the command shows of array work: --explain, graph, profile.

usage: seeing_test.py NACRE
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
os.environ.pop("NACRE_STRESS", None)  # where plans are too small to be looked at
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
START = "import numpy as np\na = np.ones((50, 40))\nb = np.ones((50, 40))\nprint(a[0, 0], b[0, 0])\n"


def run(*arguments, text=None, environment=None, status=0):
    """(output, error output) of the command."""
    done = subprocess.run([NACRE, *arguments], timeout=120, capture_output=True, text=True,
                          input=text if text is not None else "",
                          env={**os.environ, **(environment or {})})
    if done.returncode != status:
        raise AssertionError("exit status %d: %s" % (done.returncode, done.stderr))
    return done.stdout, done.stderr


class Script:
    """A script in a folder of its own."""

    def __init__(self, text, name="script.ncr"):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, name)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.folder.cleanup()

    def beside(self, name):
        return os.path.join(self.folder.name, name)


class Explain(unittest.TestCase):
    def explain(self, code):
        """(kernels of each line, what is said below it, rows of kernels by letter, last line)."""
        out, plain = run("-c", START + code)[0], run("--explain", "-c", START + code)
        self.assertEqual(out, plain[0])
        lines, said, kernels, at = {}, {}, {}, None
        for row in plain[1].splitlines():
            source = re.match(r" {0,5}(\d+)  (.*?)((?: [A-Z]+)*)$", row)
            kernel = re.match(r"  ([A-Z]+) +(\S.*?)  +(\d+) +(\d+) +([\d.]+ k?B)  (.*?)  +(\S.* → .*)$", row)
            if kernel:
                letter, where, runs, made, size, work, views = kernel.groups()
                kernels[letter] = {"lines": where, "runs": int(runs), "made": int(made), "bytes": size,
                                   "work": work, "views": views}
            elif source:
                at = int(source.group(1))
                lines[at] = source.group(3).split()
            elif "· apart: " in row:
                said.setdefault(at, []).append(row.split("· apart: ")[1])
        return lines, said, kernels, plain[1].splitlines()[-1]

    def test_a_chain_over_two_lines_is_one_kernel(self):
        lines, said, kernels, _ = self.explain("c = a * b + a\nd = c - 1\nprint(d[0, 0])\n")
        self.assertEqual(lines[5], lines[6])
        self.assertEqual(len(lines[5]), 1)
        self.assertNotIn(6, said)
        self.assertEqual(kernels[lines[5][0]],
                         {"lines": "5–6", "runs": 1, "made": 1, "bytes": "64 kB",
                          "work": "multiply, add, subtract", "views": "2 float64[50,40] → 2 float64[50,40]"})

    def test_reasons(self):
        said = self.explain("c = a + b\nd = c[1:] - c[:-1]\ne = c - c.sum(axis=0)\nprint()\n")[1]
        self.assertEqual(said[6], ["needs other elements of the result of line 5's add"])
        self.assertEqual(said[7], ["needs the whole result of its add.reduce"])

    def test_a_library_routine_and_broadcasting(self):
        lines, _, kernels, _ = self.explain("c = a.T @ b + a[0]\nprint(c[0, 0])\n")
        self.assertEqual([kernels[k]["work"] for k in lines[5]], ["library gemm: matmul, add"])
        self.assertEqual(kernels[lines[5][0]]["views"],
                         "float64[40,50], float64[50,40], float64[1,40] → float64[40,40]")
        lines, _, kernels, _ = self.explain("c = np.sqrt(a.T @ b + 1)\nprint(c[0, 0])\n")
        self.assertEqual([kernels[k]["work"] for k in lines[5]], ["library matmul", "add, sqrt"])

    def test_a_loop_plans_once(self):
        lines, _, kernels, last = self.explain("for i in range(5, 25):\n    c = a * i - b\n    c[0, 0]\n")
        self.assertEqual(len(lines[6]), 1)
        self.assertEqual((kernels[lines[6][0]]["runs"], kernels[lines[6][0]]["made"]), (20, 1))
        self.assertIn(" 1 made, 19 reused", last)

    def test_shapes_that_vary(self):
        _, _, kernels, _ = self.explain("for i in range(40, 47):\n    c = a[:i] * b[:i] - 1\n    c[0, 0]\n")
        self.assertIn("2 float64[40,40] → float64[40,40] at first", [k["views"] for k in kernels.values()])

    def test_direct_operations(self):
        _, said = run("--explain", "-c", "import numpy as np\nc = np.ones(5)\nfor i in range(7):\n    c = c * 2 + 1\nprint(c)\n")
        self.assertIn("\n          · direct: multiply ×7, add ×7\n", said)
        self.assertIn("15 operations on few elements done directly", said)

    def test_bands(self):
        code = ("m = np.ones((3000, 300))\nd = m - m.mean(axis=1, keepdims=True)\n"
                "e = d / (d.std(axis=1, keepdims=True) + 1)\nprint(e[0, 0])\n")
        _, _, kernels, last = self.explain(code)
        rows = {re.search(r"\(in bands of (\d+)", k["work"]).group(1) for k in kernels.values() if "bands" in k["work"]}
        self.assertEqual(len(rows), 1)
        self.assertTrue(all("bands" in k["work"] for k in kernels.values() if "[3000,300]" in k["views"]), kernels)
        # What is handed on in a band has never been in memory.
        self.assertIn("– → –", [k["views"] for k in kernels.values()])

    def test_what_is_dropped(self):
        code = "for i in range(3):\n    c = np.negative(a)\n    c = a + b\n    d = c * 2\n    d[0, 0]\nprint()\n"
        self.assertIn("; 3 operations dropped, as nobody looked", self.explain(code)[3])

    def test_an_operand_that_is_copied(self):
        _, _, kernels, _ = self.explain("a[1:] = a[:-1] * 2\na[1:] += a[:-1]\nprint()\n")
        self.assertTrue(any(k["work"].startswith("copy for ") for k in kernels.values()))

    def test_lines_of_the_script_for_functions_of_the_library(self):
        with Script(START + "d = np.vander(a[0], 3)\nprint(d[0, 0])\n") as script:
            said = run("--explain", script.path)[1]
        self.assertIn("d = np.vander(a[0], 3)", said)
        self.assertEqual(re.findall(r"^\S.*\.ncr$", said, re.M), [script.path])

    def test_without_array_work(self):
        self.assertEqual(run("--explain", "-c", "print(1)"), ("1\n", "no array work\n"))

    def test_the_source_of_machine_code(self):
        code = "def f(x):\n    return x * 2\ns = 0\nfor i in range(900):\n    s += f(i)\nprint(s)\n"
        out, said = run("--tier", "function", "--explain=source", "-c", code)
        self.assertEqual(out, "809100\n")
        source = said[said.index("// loop of line 4 of <string>\n"):]
        lines = re.findall(r"^ *// line (\d+): (.*)$", source, re.M)
        self.assertIn(("5", "    s += f(i)"), lines)
        self.assertIn(("2", "    return x * 2"), lines)
        self.assertNotIn("//", run("--tier", "function", "--explain", "-c", code)[1])

    def test_from_the_environment_and_standard_input(self):
        out, said = run(text=START, environment={"NACRE_EXPLAIN": "1"})
        self.assertEqual(out, "1.0 1.0\n")
        self.assertIn("a = np.ones((50, 40))", said)

    def test_a_script_that_fails(self):
        out, said = run("--explain", "-c", START + "c = a + b\n1 / 0\n", status=1)
        self.assertIn("ZeroDivisionError", said)
        self.assertIn("add", said)

    def test_the_other_backend(self):
        with Script(START + "c = a * b + a\nprint(c.sum())\n") as script:
            first, other = (run("--explain", "--backend", name, script.path) for name in ("cpu", "mirror"))
        self.assertEqual(first, other)


def draw(code, *options, name="x.dot"):
    """(text of the picture, error output) of a script."""
    with Script(START + code) as script:
        said = run("graph", "-o", script.beside(name), *options, script.path)[1]
        with open(script.beside(name), encoding="utf-8") as file:
            return file.read().replace(script.path, "SCRIPT"), said


def pictures(dot):
    """The plans of a picture, by title."""
    parts = re.split(r"^subgraph cluster_plan\d+ \{\n  label=<(.*?)>;.*$", dot, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def nodes(part):
    """Labels of operations and arrays, by id."""
    found = re.findall(r"^ *([na]\d+_\d+(?:_\d+)?) \[.*?label=<<b>(.*?)</b>(.*?)>[,\]]", part, re.M)
    return {key: (title, re.sub("<.*?>", " ", rest).split()) for key, title, rest in found}


def edges(part):
    """(from, to, region) by title."""
    titles = {key: title for key, (title, _) in nodes(part).items()}
    found = re.findall(r"^ *(\w+) -> (\w+) \[(?:label=\"(.*?)\")?", part, re.M)
    return sorted((titles[a], titles[b], region) for a, b, region in found)


class Graph(unittest.TestCase):
    CHAIN = "c = a * b + a\nd = c[1:] - 1\nprint(d[0, 0])\n"

    def last(self, code, *options):
        return list(pictures(draw(code, *options)[0]).values())[-1]

    def test_operations_arrays_and_regions(self):
        self.assertEqual(edges(self.last(self.CHAIN)),
                         [("a", "add", ""), ("a", "multiply", ""), ("add", "c", ""), ("b", "multiply", ""),
                          ("c", "subtract (·, 1)", "[1:, :]"), ("multiply", "add", ""),
                          ("subtract (·, 1)", "d", "")])

    def test_several_regions_of_one_array(self):
        self.assertIn(("a", "add", "[1:, :]\\n[:-1, :]"), edges(self.last("c = a[1:] + a[:-1]\nc *= 2\nprint()\n")))
        self.assertIn(("a", "add", "all\\n[::-1, :]"), edges(self.last("c = a + a[::-1]\nc *= 2\nprint()\n")))
        self.assertIn(("a", "multiply", ""), edges(self.last("c = a * a\nc += 2\nprint()\n")))

    def test_labels(self):
        found = dict(nodes(self.last(self.CHAIN)).values())
        self.assertEqual(found["multiply"], ["float64[50,40]", "line", "5"])
        self.assertEqual(found["c"], ["float64[50,40]"])

    def test_kernels_are_areas(self):
        part = self.last(self.CHAIN)
        self.assertEqual(re.findall(r'label="(\w+ \d+)"', part), ["kernel 1"])
        self.assertIn("#d9dee4", part)  # the product is handed on, and grey

    def test_calls_have_a_name(self):
        part = self.last("c = 2 * (a.T @ b) + 3\nd = 2 * (a @ b.T) + 3 * (a @ a.T)\nprint()\n")
        self.assertIn('label="kernel 4: gemm"', part)
        self.assertEqual(len(re.findall(r'label="kernel', part)), 2)

    def test_stages(self):
        dot = draw(self.CHAIN, "--pass", "all")[0]
        self.assertEqual([title.split(", ")[1] for title in pictures(dot)][-5:],
                         ["recorded", "after dead_code", "after library", "after fusion", "after stores"])
        before = self.last(self.CHAIN, "--pass", "recorded")
        self.assertNotIn("subgraph", before)
        self.assertEqual(edges(before), edges(self.last(self.CHAIN)))
        self.assertIn('label="group 1"', self.last(self.CHAIN, "--pass", "fusion"))

    def test_what_is_dropped(self):
        part = self.last("c = a + b\nd = np.negative(a)\ndel d\ne = c - a\nprint()\n")
        self.assertEqual(part.count("dropped: nobody looks"), 1)

    def test_versions_of_an_array(self):
        part = self.last("a[0] = b[1] * 2\nc = a + 1\nprint()\n")
        self.assertIn(("copy", "a", "[0, :]"), edges(part))
        self.assertIn(("a", "a", ""), edges(part))  # the rows that stay
        self.assertIn(("b", "multiply (·, 2)", "[1, :]"), edges(part))

    def test_regions(self):
        for index in ("1:, :", ":-1, 1:-1", "::2, :", "1::2, ::3", "10:20, 5", "3, :", ":, -1:", "4, 2:9",
                      "::-1, :", ":, ::-1", "20:11:-2, :"):
            part = self.last("c = a[%s] * 2 + 1\nprint()\n" % index)
            shown = next(region for start, _, region in edges(part) if start == "a")
            self.assertEqual(shown, "[%s]" % index.replace(", -1:", ", 39"), index)
        for code, shown in (("a.T", ".T"), ("a.reshape(40, 50)", ""), ("a.ravel()[5:15]", "[0, 5:15]"),
                            ("a[:2].ravel()", "[80 of 2000]"), ("a.diagonal()", "[40 of 2000]")):
            part = self.last("c = %s * 2 + 1\nprint()\n" % code)
            found = next(region for start, _, region in edges(part) if start == "a")
            self.assertEqual(found, shown, code)

    def test_choosing_plans(self):
        code = "c = a + 1\nc = c * 2\nprint(c[0, 0])\nfor i in range(5, 9):\n    d = c - i\n    d *= 3\n    d[0, 0]\n"
        titles = list(pictures(draw(code)[0]))
        self.assertTrue(titles[-1].endswith("ran 4 times"), titles)
        self.assertEqual(list(pictures(draw(code, "--line", "9")[0])), titles[-1:])
        self.assertEqual(list(pictures(draw(code, "--plan", str(len(titles)))[0])), titles[-1:])
        dot, said = draw(code, "--most", "1")
        self.assertEqual(list(pictures(dot)), titles[:1])
        self.assertIn("the first 1 of %d plans" % len(titles), said)

    def test_svg(self):
        with Script(START + self.CHAIN) as script:
            out = script.beside("x.svg")
            if "pictures of plans: none" in run("info")[0]:
                self.assertIn("-o FILE.dot works without", run("graph", "-o", out, script.path, status=2)[1])
                return
            # What the libraries behind Graphviz keep is no leak of ours.
            keeps = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
            run("graph", "-o", out, script.path, environment=keeps)
            with open(out, encoding="utf-8") as file:
                text = file.read()
        self.assertIn("<svg", text)
        self.assertIn(">multiply<", text)

    def test_the_script_runs_as_ever(self):
        with Script("import sys\nimport numpy as np\na = np.ones(3) + 1\nprint(a, sys.argv[1:])\nsys.exit(3)\n") as script:
            out, _ = run("graph", "-o", script.beside("x.dot"), script.path, "one", "two", status=3)
            self.assertEqual(out, "[2. 2. 2.] ['one', 'two']\n")
            out, _ = run("graph", script.path, "-o", script.beside("x.dot"), "one", status=3)
            self.assertEqual(out, "[2. 2. 2.] ['one']\n")

    def test_refusals(self):
        with Script(START + self.CHAIN) as script:
            with Script("print(1)\n") as other:
                self.assertIn("no array work", run("graph", "-o", other.beside("x.dot"), other.path, status=2)[1])
            for arguments, message in (
                    ([script.path], "where to?"), (["-o", "x.dot"], "which script?"),
                    (["-o", "x.png", script.path], "the file's name has to end with .svg, .dot or .json: x.png"),
                    (["-o", script.beside("x.dot"), "--pass", "nonsense", script.path], "no such pass: nonsense"),
                    (["-o", script.beside("x.dot"), "--plan", "0", script.path], "bad option --plan"),
                    (["-o", script.beside("x.dot"), "--plan", "99", script.path], "there is no such plan"),
                    (["-o", script.beside("no/x.dot"), script.path], "No such file or directory"),
                    (["-o"], "no value for -o"), (["--colour", "red", script.path], "bad option --colour")):
                self.assertIn(message, run("graph", *arguments, status=2)[1])


class Unchanged(unittest.TestCase):
    """What is run does not depend on whether anybody watches."""

    SAME = ("nodes_recorded", "nodes_executed", "nodes_eliminated", "kernels", "library_calls", "kernels_in_bands",
            "direct_operations", "plans_made", "plans_reused", "fallbacks", "operations",
            "copies_host_to_device", "copies_device_to_host")
    STENCIL = ("import numpy as np\nu = np.zeros((600, 500))\nu[0] = 1\nfor n in range(20):\n"
               "    u[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4\n"
               "r = (u - u.mean(axis=1, keepdims=True)) / (u.std(axis=1, keepdims=True) + 1)\nprint(r.sum())\n")
    SMALL = ("import numpy as np\nc = np.arange(10.0)\nfor i in range(300):\n    c = np.sqrt(c * c + 1) - c.sum() / 100\n"
             "    c[2] = c[[1, 3]].max()\nprint(c, 1 / (c * 0))\n")

    def stats(self, path, *options):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "stats")
            out, said = run("--tier", "interp", "--stats", file, *options, path)
            with open(file, encoding="utf-8") as stats:
                figures = json.load(stats)
        return out, said, {name: figures[name] for name in self.SAME}

    def test_figures(self):
        folder = os.path.join(ROOT, "tests", "kernels")
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".ncr")][:40:10]
        with Script(self.STENCIL, "stencil.ncr") as stencil, Script(self.SMALL, "small.ncr") as small:
            for path in [stencil.path, small.path] + paths:
                for backend in ("cpu", "mirror"):
                    plain = self.stats(path, "--backend", backend)
                    ways = [["--explain"]] + [["profile"]] * (path in (stencil.path, small.path))
                    for way in ways:
                        seen = self.stats(path, "--backend", backend, *way)
                        self.assertEqual((plain[0], plain[2]), (seen[0], seen[2]), (path, backend, way))
                    if backend == "cpu" and path == stencil.path:
                        self.assertGreater(plain[2]["kernels_in_bands"], 10)
                    if backend == "cpu" and path == small.path:
                        self.assertGreater(plain[2]["direct_operations"], 1000)


class Profile(unittest.TestCase):
    CODE = START + ("for i in range(5, 25):\n    c = a * i - b\n    c[0, 0]\nd = c @ c.T\nprint(d[0, 0])\n")

    def profile(self, *options):
        with Script(self.CODE) as script:
            out, said = run("profile", *options, script.path)
            self.assertEqual(out, run(script.path)[0])
            return said.replace(script.path, "SCRIPT")

    def test_lines_and_kernels(self):
        said = self.profile()
        self.assertRegex(said, r"[\d.]+ (µs|ms|s ) in all, of which +[\d.]+ (µs|ms|s ) \(\d+%\) in kernels\n")
        figures = r" +[\d.]+ (?:µs|ms|s ) +[\d.]+% +[\d.]+ k?M?B +[\d.]+ +(?:[\d.]+|–) +\d+% +(\d+)$"
        lines = {int(line): int(count) for line, count in
                 re.findall(r"^ +(\d+)  \S.*?" + figures, said.partition("kernels   ")[0], re.M)}
        self.assertEqual((lines[6], lines[8]), (20, 1))
        rows = re.findall(r"^  (\d+) +(\S.*?)" + figures, said.partition("  kernels   ")[2], re.M)
        self.assertIn(("6", "multiply, subtract", "20"), rows)
        self.assertIn(("8", "library matmul", "1"), rows)

    def test_direct_operations(self):
        with Script("import numpy as np\nc = np.ones(5)\nfor i in range(40):\n    c = c * 2 - c\nprint(c)\n") as script:
            said = run("profile", script.path)[1]
        self.assertRegex(said, r"roof  kernels   direct\n")
        self.assertRegex(said, r"(?m)^ +4  c = c \* 2 - c +0 +80$")

    def test_the_machine(self):
        said = self.profile()
        found = re.search(r"the machine, (\d+) threads?: ([\d.]+) GB/s \(triad\), ([\d.]+) Gop/s", said)
        self.assertTrue(0.1 < float(found.group(2)) < 1e5 and 0.1 < float(found.group(3)) < 1e6, said)
        with Script(self.CODE) as script:
            self.assertIn("the machine, 1 thread:", run("--threads", "1", "profile", script.path)[1])

    def test_trace(self):
        with Script(self.CODE) as script:
            path = script.beside("trace.json")
            run("profile", "--trace", path, script.path)
            with open(path, encoding="utf-8") as file:
                trace = json.load(file)
            lines = {event["args"]["lines"].replace(script.path, "SCRIPT") for event in trace["traceEvents"]
                     if event["ph"] == "X"}
        events = trace["traceEvents"]
        self.assertEqual([event["ph"] for event in events[:2]], ["M", "M"])
        spans = [event for event in events if event["ph"] == "X"]
        self.assertTrue({"SCRIPT: 6", "SCRIPT: 8"} <= lines, lines)
        self.assertEqual(len([s for s in spans if s["name"] == "multiply, subtract"]), 20)
        self.assertEqual([s["cat"] for s in spans if s["name"] == "matmul"], ["library"])
        end = 0
        for span in spans:
            self.assertTrue(span["dur"] >= 0 and span["ts"] >= end, span)
            self.assertEqual((span["pid"], span["tid"]), (1, 1))
            end = span["ts"]
        product = next(s for s in spans if s["name"] == "matmul")["args"]
        self.assertEqual((product["operations"], product["bytes"]), (2 * 50 * 50 * 40, 8 * (50 * 40 * 2 + 50 * 50)))

    def test_refusals(self):
        self.assertIn("which script?", run("profile", status=2)[1])
        self.assertIn("bad option --colour", run("profile", "--colour", "x", status=2)[1])
        with Script(self.CODE) as script:
            self.assertIn("No such file", run("profile", "--trace", "/no/where.json", script.path, status=1)[1])

    def test_exit_status_and_errors(self):
        with Script("import numpy as np\nprint(np.ones(3) + 1)\nraise SystemExit(7)\n") as script:
            self.assertEqual(run("profile", script.path, status=7)[0], "[2. 2. 2.]\n")


if __name__ == "__main__":
    unittest.main()
