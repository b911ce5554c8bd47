#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of statements whose rows need rows nearby (stencils, boundaries, temporaries, time steps): the
same bits, warnings and errors when they are run one by one, and when as many as possible go together in bands
of two or three rows, or of as many as the cache holds, by one, two and three threads; and when several ranks do their
parts of as many as possible with one exchange.

usage: stencils_test.py NACRE [COUNT [SEED]]
"""

import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

ONE_BY_ONE = ({}, ("--depth", "1"))
TOGETHER = (({"NACRE_STRESS": "1"}, ("--depth", "256", "--threads", "1")),
            ({"NACRE_STRESS": "1"}, ("--depth", "256", "--threads", "3")),
            ({}, ("--depth", "256", "--threads", "1")),
            ({}, ("--depth", "96", "--threads", "2")))
RANKS = ("--transport", "loopback", "--split-least", "1", "--check-ranks", "--threads", "1")
ON_RANKS = (({"NACRE_STRESS": "1"}, ("--depth", "256", "-n", "2", *RANKS)),
            ({"NACRE_STRESS": "1"}, ("--depth", "96", "-n", "3", *RANKS)),
            ({}, ("--depth", "256", "-n", "2", *RANKS)))
NAMES = "abcd"


class Writer:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        large = self.rng.random() < 0.3
        if self.rng.random() < 0.7:
            self.shape = (self.rng.choice((300, 777)), self.rng.choice((900, 1500))) if large else (
                self.rng.choice((5, 9, 16, 33, 60)), self.rng.choice((3, 7, 20)))
        else:
            self.shape = (self.rng.choice((60, 100)), 40, 90) if large else (self.rng.choice((6, 11, 30)), 5, 6)
        self.steps = self.rng.choice((2, 3, 5))

    def region(self):
        """What each axis leaves out at its ends, at most 2."""
        return [(self.rng.choice((0, 1, 1, 2)), self.rng.choice((0, 1, 1, 2))) if axis == 0 or self.rng.random() < 0.6
                else (0, 0) for axis in range(len(self.shape))]

    def view(self, name, region, moved=True):
        """A view of the region's shape, moved along its axes as far as there is room."""
        cuts = []
        for low, high in region:
            by = self.rng.randint(-low, high) if moved else 0
            begin, end = low + by, high - by
            cuts.append("%s:%s" % (begin or "", -end or ""))
        while cuts and cuts[-1] == ":":
            cuts.pop()
        return "%s[%s]" % (name, ", ".join(cuts)) if cuts else name

    def term(self, region):
        term = self.view(self.rng.choice(NAMES), region)
        if self.rng.random() < 0.1:
            term = "row[%d:%s]" % (region[-1][0], -region[-1][1] or "")
        if self.rng.random() < 0.4:
            term = "%s * %s" % (self.rng.choice(("0.5", "0.25", "-0.75", "k")), term)
        if self.rng.random() < 0.15:
            term = "np.sqrt(abs(%s))" % term
        if self.rng.random() < 0.05:
            term = "1 / (%s)" % term
        return term

    def expression(self, region):
        terms = [self.term(region) for _ in range(self.rng.randint(1, 4))]
        return " ".join([terms[0]] + ["%s %s" % (self.rng.choice("+-*"), term) for term in terms[1:]])

    def statement(self):
        chance, name = self.rng.random(), self.rng.choice(NAMES)
        if chance < 0.1:
            return "%s[%s] = %s" % (name, self.rng.choice(("0", "-1", "1", ":, 0", ":, -1")), self.rng.choice(("k", "0.5")))
        if chance < 0.2:
            return "%s *= 0.5" % name
        region = self.region()
        if chance < 0.3:
            return "t = %s\n    %s += t * 0.5" % (self.expression(region), self.view(name, region))
        if chance < 0.35:
            return "%s[1:] = %s[:-1]" % (name, self.rng.choice(NAMES))
        return "%s %s %s" % (self.view(name, region), self.rng.choice(("=", "=", "+=", "-=")), self.expression(region))

    def program(self):
        kind = self.rng.choice(("float64", "float64", "float32"))
        size = " * ".join(map(str, self.shape))
        lines = ["import numpy as np"]
        for number, name in enumerate(NAMES):
            lines.append("%s = (((np.arange(%s) * %d + %d) %% 97) / 97).reshape(%r).astype(np.%s)" %
                         (name, size, 37 + 6 * number, number, self.shape, kind))
        lines.append("row = (np.arange(%d) / 50).astype(np.%s)" % (self.shape[-1], kind))
        lines.append("for step in range(%d):\n    k = 0.125 * step" % self.steps)
        lines += ["    " + self.statement() for _ in range(self.rng.randint(2, 7))]
        for name in NAMES:
            lines.append("print(%s.view(np.int%s).sum(), %s.ravel()[::%d].tolist())" %
                         (name, kind[5:], name, max(1, self.shape[0] * self.shape[1] // 7)))
        return "\n".join(lines) + "\n"


def outcome(nacre, way, path, stats):
    variables, options = way
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NACRE_")}
    environment.update(variables, NACRE_TIER="interp")
    done = subprocess.run([nacre, "--stats", stats, *options, path], capture_output=True, env=environment, timeout=300)
    with open(stats, encoding="utf-8") as file:
        together = json.load(file)["kernels_in_bands"]
    return (done.returncode, done.stdout, done.stderr), together


def check(nacre, seed):
    """What differs, as text, or None; how many loops were run together."""
    text = Writer(seed).program()
    with tempfile.TemporaryDirectory() as folder:
        path, stats = os.path.join(folder, "stencils.py"), os.path.join(folder, "stats.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        wanted, none = outcome(nacre, ONE_BY_ONE, path, stats)
        together = 0
        for way in TOGETHER + ON_RANKS:
            found, some = outcome(nacre, way, path, stats)
            together += some
            if found != wanted:
                return "seed %d, %r:\n%s\n%r\n%r" % (seed, way, text, wanted, found), together
    return "seed %d: in bands one by one" % seed if none else None, together


def main():
    nacre = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    differing = together = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for what, some in pool.map(lambda seed: check(nacre, seed), range(first, first + count)):
            together += some
            if what:
                differing += 1
                print(what)
    print("%d programs, %d loops in bands, %d differ" % (count, together, differing))
    return 1 if differing or together < count else 0


if __name__ == "__main__":
    sys.exit(main())
