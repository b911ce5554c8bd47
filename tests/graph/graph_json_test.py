#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Plans saved as JSON: they run again with the same results, on other inputs too, and whatever a file
says it is refused in words or run, never worse.

usage: graph_json_test.py NACRE
"""

import copy
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

NACRE = os.path.abspath(sys.argv.pop(1))
os.environ.pop("NACRE_STRESS", None)  # where plans are too small to be looked at
MUTATIONS, SECONDS = 3000, 100

# Names, and how they come to be; everything named is a result.
PROGRAM = """import numpy as np
a = np.arange(12.0).reshape(3, 4) - 5
n = np.arange(6, dtype=np.int16)
z = np.array([1 + 2j, 3 - 1j, 0.5j])
t = np.array([True, False, True])
a[0, 0], n[0], z[0], t[0]
p = a * 2.5 + a[:, ::-1]
q = np.where(a < 0, -a, np.sqrt(np.abs(p)))
a[1:, 1:] += 0.25 * q[:-1, :-1]
s = p.sum(axis=1)
m = q.max(axis=0)
d = a.T @ p
c = np.cumsum(a, axis=0)
k = np.sort(q, axis=1)
j = np.argsort(a, axis=0)
x = p.argmax(axis=1)
w = z * (2 - 1j) + z.conj()
u = (n << 2) % 7
b = np.logical_xor.reduce(a > 1, axis=0)
f = np.full(3, np.inf) + np.array([1, np.nan, -2])
e = np.arange(2, 9, 3) * t
print()
"""
NAMES = list("apqsmdckjxwubfe")


def run(*arguments, status=0, **options):
    done = subprocess.run([NACRE, *arguments], timeout=60, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, **options)
    if status is not None and done.returncode != status:
        raise AssertionError("exit status %d: %s" % (done.returncode, done.stderr))
    return done


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def save(self, program, name="g.json"):
        with open(self.at("script.ncr"), "w", encoding="utf-8") as file:
            file.write(program)
        run("graph", "-o", self.at(name), self.at("script.ncr"))
        with open(self.at(name), encoding="utf-8") as file:
            return json.load(file)

    def largest(self, graph):
        return max(graph["plans"], key=lambda plan: len(plan["nodes"]))

    def results(self, plan, names, *inputs):
        wanted = [name for name in names if any(s["name"] == name and s["result"] for s in plan["storages"])]
        arguments = [part for name in wanted for part in ("-o", "%s=%s" % (name, self.at("out_%s.npy" % name)))]
        run("run-graph", "--plan", str(plan["plan"]), self.at("g.json"), *inputs, *arguments)
        return {name: np.load(self.at("out_%s.npy" % name)) for name in wanted}


class RoundTrip(Folder):
    def test_results_are_the_script_s(self):
        plan = self.largest(self.save(PROGRAM))
        found = self.results(plan, NAMES)
        self.assertEqual(set(found) - {"a"}, set(NAMES) - {"a"})
        known = {}
        exec(PROGRAM.replace("print()", ""), known)
        for name, array in found.items():
            self.assertEqual((array.dtype, array.shape), (known[name].dtype, known[name].shape), name)
            np.testing.assert_allclose(array, known[name], rtol=1e-13, err_msg=name)

    def test_on_every_backend_and_depth(self):
        plan = self.largest(self.save(PROGRAM))
        first = run("run-graph", "--plan", str(plan["plan"]), self.at("g.json")).stdout
        for options in (["--backend", "mirror"], ["--depth", "1"], ["--threads", "1"]):
            other = run(*options, "run-graph", "--plan", str(plan["plan"]), self.at("g.json")).stdout
            self.assertEqual(first, other)

    def test_other_inputs(self):
        plan = self.largest(self.save("import numpy as np\nv = np.ones(5)\nv[0]\nw = v * 3 + 1\nr = w - v\nprint()\n"))
        np.save(self.at("v.npy"), np.arange(5.0))
        found = self.results(plan, ["w", "r"], "v=" + self.at("v.npy"))
        np.testing.assert_array_equal(found["w"], np.arange(5.0) * 3 + 1)
        np.testing.assert_array_equal(found["r"], np.arange(5.0) * 2 + 1)

    def test_large_inputs_are_files_beside(self):
        plan = self.largest(self.save("import numpy as np\nv = np.arange(2000.0)\nv[0]\nw = v * 3 + 1\nr = w - v\nprint()\n"))
        storage = next(s for s in plan["storages"] if s["name"] == "v")
        self.assertEqual(storage["file"], "g.%d.v.npy" % plan["plan"])
        np.testing.assert_array_equal(np.load(self.at(storage["file"])), np.arange(2000.0))
        np.testing.assert_array_equal(self.results(plan, ["w"])["w"], np.arange(2000.0) * 3 + 1)
        os.unlink(self.at(storage["file"]))
        self.assertIn("No such file", run("run-graph", "--plan", str(plan["plan"]), self.at("g.json"), status=2).stderr)

    def test_printing_results(self):
        plan = self.largest(self.save("import numpy as np\nv = np.ones(3)\nv[0]\nw = v * 3\nw += 1\nprint()\n"))
        self.assertEqual(run("run-graph", "--plan", str(plan["plan"]), self.at("g.json")).stdout,
                         "w float64 (3,)\n[4. 4. 4.]\n")

    def test_what_is_saved_of_passes(self):
        plan = self.largest(self.save("import numpy as np\nv = np.ones(9)\nv[0]\nw = v * 3\nw = w + 1\nx = w[1:] - w[:-1]\nprint()\n"))
        self.assertEqual([stage["pass"] for stage in plan["passes"]][0], "recorded")
        last = plan["passes"][-1]["nodes"]
        self.assertEqual([node["fate"] for node in last], ["inside", "stored", "stored"])
        self.assertEqual([node["kernel"] for node in last], [0, 0, 1])
        self.assertEqual((last[2]["why"], last[2]["why_node"]), ("needs other elements of the result of", 1))

    def test_warnings_and_errors_of_operations(self):
        graph = {"nacre_graph": 1, "plans": [{"plan": 1, "storages": [
            {"name": "r", "bytes": 8, "dtype": "int64", "shape": [1], "result": True}], "nodes": [
                {"op": "power", "loop": "int64", "inputs": [{"scalar": 2, "dtype": "int64"}, {"scalar": -1, "dtype": "int64"}],
                 "output": {"storage": 0, "dtype": "int64", "offset": 0, "shape": [1], "strides": [8]}}]}]}
        self.write(graph)
        self.assertIn("ValueError: Integers to negative integer powers are not allowed.",
                      run("run-graph", self.at("g.json"), status=1).stderr)
        node = graph["plans"][0]["nodes"][0]
        node.update(op="divide", loop="float64")
        self.write(graph)
        self.assertEqual(run("run-graph", self.at("g.json")).stdout, "r int64 (1,)\n[-2]\n")
        node["inputs"][1]["scalar"] = 0
        self.write(graph)
        self.assertIn("RuntimeWarning: divide by zero encountered in divide", run("run-graph", self.at("g.json")).stderr)

    def write(self, graph):
        with open(self.at("g.json"), "w", encoding="utf-8") as file:
            json.dump(graph, file)


ODD = [None, True, -1, 0, 1, 2, 3, 7, 8, 16, 63, 64, 65, 255, 2**31, 2**53, 2**62, 2**63 - 1, 2**63, 2**64, -2**63,
       1e300, -0.5, "", "a", "nan", "float16", "int8", "uint64", "bool", "complex64", "float64", "add", "matmul",
       "sort", "add.reduce", "reduce", "take", "wrap_index", "cast", "where", "ldexp", "arange", "cholesky", "fft",
       [], {}, [0], [1, 2], [-8], [3, 4], [[]], {"scalar": 1, "dtype": "int64"}]


def places(value, path=()):
    """Every place in a tree but the figures of the passes, which are not looked at."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        if key != "passes":
            yield from places(child, path + (key,))


def mutated(graph, draw):
    """A copy with a few places changed."""
    tree = copy.deepcopy(graph)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        path = draw.choice(list(places(tree))[1:] or [()])
        if not path:
            return tree
        parent = tree
        for key in path[:-1]:
            parent = parent[key]
        key = path[-1]
        what = draw.random()
        if what < 0.15:
            del parent[key]
        elif what < 0.3 and isinstance(parent[key], int):
            parent[key] += draw.choice((-8, -1, 1, 4, 8))
        elif what < 0.4 and isinstance(parent, list):
            parent.insert(draw.randrange(len(parent) + 1), copy.deepcopy(draw.choice(parent)))
        elif what < 0.45 and isinstance(parent, dict):
            parent["more"] = draw.choice(ODD)
        else:
            parent[key] = copy.deepcopy(draw.choice(ODD))
    return tree


class Hostile(Folder):
    def refused(self, text, message, status=2):
        with open(self.at("bad.json"), "w", encoding="utf-8") as file:
            file.write(text)
        self.assertIn(message, run("run-graph", self.at("bad.json"), status=status).stderr)

    def test_what_is_no_json(self):
        for text, message in (("", "1: the text ends too early"), ("{", "a key is wanted"), ("[1,]", "no value"),
                              ("[" * 50, "nested too deep"), ('{"a": 1, "a": 2}', "a key that was there before"),
                              ('"\\q"', "no such escape"), ("[01]", "no value"), ("1e999", "too large"),
                              ("{}\n\nx", "3: something stands behind the end"), ('"\\ud800"', "surrogates"),
                              ('"a\nb"', "a control character"), ('["\\u12', "a string without end"), ("nul", "no value"),
                              ("{%s}" % ",".join('"%d": 0' % i for i in range(99)), "too many keys")):
            self.refused(text, message)

    def test_fields(self):
        plan = self.largest(self.save("import numpy as np\nv = np.ones(3)\nv[0]\nw = v * 3\nw += 1\nprint()\n"))
        graph = {"nacre_graph": 1, "plans": [plan]}
        for place, value, message, status in (
                ("nacre_graph", 2, "nacre_graph: an integer in range is wanted", 2),
                ("plans", {}, "plans: a list is wanted", 2), ("plans", [], "plans: there is no such plan", 2),
                ("plans.0.more", 1, "plans[0].more: this key is not known", 2),
                ("plans.0.storages.0.bytes", -8, "storages[0].bytes: an integer in range is wanted", 2),
                ("plans.0.storages.0.data", "AAAA", "storages[0].data: other bytes are wanted", 2),
                ("plans.0.storages.0.data", "?" * 32, "storages[0].data: other bytes are wanted", 2),
                ("plans.0.storages.0.dtype", "float65", "storages[0].dtype: there is no such dtype", 2),
                ("plans.0.storages.0.shape", [4], "another number of bytes than the storage has", 2),
                ("plans.0.storages.0.file", "../x.npy", "storages[0].file: there are data already", 2),
                ("plans.0.storages.1.name", "v", "storages[1].name: is another one's too", 2),
                ("plans.0.nodes.0.line", "4", "nodes[0].line: an integer in range is wanted", 2),
                ("plans.0.nodes.0.inputs.0.storage", 9, "nodes[0].inputs[0].storage: an integer in range", 2),
                ("plans.0.nodes.0.inputs.1.scalar", "x", "nodes[0].inputs[1].scalar: a value of its dtype", 2),
                ("plans.0.nodes.0.output.strides", [], "nodes[0].output.strides: as many as the shape has", 2),
                ("plans.0.nodes.0.output.strides", [0], "node 0: elements of the result share their places", 1),
                ("plans.0.nodes.0.output.offset", 8, "node 0: a view reaches beyond its storage", 1),
                ("plans.0.nodes.0.output.offset", 3, "node 0: an offset that is no element's", 1),
                ("plans.0.nodes.0.inputs.0.strides", [-8], "node 0: a view reaches beyond its storage", 1),
                ("plans.0.nodes.0.inputs.0.shape", [2], "node 0: an operand is not of the result's shape", 1),
                ("plans.0.nodes.0.op", "gcd", "node 0: the operation is not made for this dtype", 1),
                ("plans.0.nodes.0.op", "sqrt", "node 0: wrong number of operands", 1),
                ("plans.0.nodes.0.op", "nothing", "node 0: there is no such operation", 1),
                ("plans.0.nodes.0.op", "take", "node 0: operations of this name are run for scripts only", 1)):
            tree = copy.deepcopy(graph)
            at, keys = tree, [int(key) if key.isdigit() else key for key in place.split(".")]
            for key in keys[:-1]:
                at = at[key]
            at[keys[-1]] = value
            self.refused(json.dumps(tree), message, status)

    def test_arguments(self):
        graph = self.save("import numpy as np\nv = np.ones(3)\nv[0]\nw = v * 3\nw += 1\nprint()\n")
        np.save(self.at("v.npy"), np.arange(4.0))
        np.save(self.at("f.npy"), np.asfortranarray(np.ones((2, 2))))
        with open(self.at("x.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00\xff\xff{")
        plan = str(self.largest(graph)["plan"])
        for arguments, message in ((["v"], "NAME=FILE.npy is wanted"), (["-o"], "NAME=FILE.npy is wanted"),
                                   (["y=z.npy"], "no array of that name"), (["w=z.npy"], "this is no input"),
                                   (["v=none.npy"], "No such file"), (["v=" + self.at("v.npy")], "another dtype or shape"),
                                   (["v=" + self.at("f.npy")], "C order is wanted"),
                                   (["v=" + self.at("x.npy")], "no .npy file"), (["-o", "w=/no/where.npy"], "No such file")):
            self.assertIn(message, run("run-graph", "--plan", plan, self.at("g.json"), *arguments, status=2).stderr)
        self.assertIn("there is no such plan", run("run-graph", "--plan", "77", self.at("g.json"), status=2).stderr)

    def test_mutations(self):
        """Refused or run, whatever is in the file; and not always refused."""
        plan = self.largest(self.save(PROGRAM))
        graph, draw = {"nacre_graph": 1, "plans": [dict(plan, passes=[])]}, random.Random(5)
        # Single nodes with their storages, so that mistakes do not hide behind an earlier one.
        pieces = [{"nacre_graph": 1, "plans": [dict(graph["plans"][0], nodes=[node])]} for node in plan["nodes"]]
        statuses, end, done = {}, time.monotonic() + SECONDS, 0
        while done < MUTATIONS and (done < 300 or time.monotonic() < end):
            text = json.dumps(mutated(draw.choice(pieces) if draw.random() < 0.8 else graph, draw))
            if draw.random() < 0.05:
                at = draw.randrange(len(text))
                text = text[:at] + draw.choice('{}[]",:0-\\\\') + text[at + draw.randrange(3):]
            with open(self.at("m.json"), "w", encoding="utf-8") as file:
                file.write(text)
            result = run("--memory-limit", "200M", "--threads", "2", "run-graph", self.at("m.json"), status=None)
            self.assertIn(result.returncode, (0, 1, 2), text + result.stderr)
            if result.returncode:
                self.assertRegex(result.stderr, r"nacre run-graph: |ValueError: |MemoryError|NotImplementedError: ", text)
            self.assertNotIn("SystemError", result.stderr, text)
            statuses[result.returncode] = statuses.get(result.returncode, 0) + 1
            done += 1
        self.assertEqual(set(statuses), {0, 1, 2})


if __name__ == "__main__":
    unittest.main()
