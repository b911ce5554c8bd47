#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Rows of random expressions, chosen and made small by Hypothesis, printed by Nacre and by CPython.

    expressions_test.py PATH-OF-NACRE

Whole programs are compared by run_generated.py; here the choices themselves are shrunk."""

import os
import sys

from hypothesis import HealthCheck, Phase, given, settings, strategies

from expressions import Expressions
from running import Interpreter, differing

TYPES = (
    "int",
    "float",
    "complex",
    "bool",
    "str",
    ("list", "int"),
    ("list", "str"),
    ("tuple", "int", "str"),
) + (("dict", "str", "int"), ("list", "float"))
ROWS = 12
GUARDED = """try:
    print(%s)
except Exception as e:
    print(type(e).__name__, e)
"""


def rows(rng):
    """A program that prints some expressions; a third of them may be of a wrong type."""
    generator = Expressions(rng)
    texts = []
    for _ in range(generator.number(1, ROWS)):
        generator.wrong = 0.15 if generator.chance(0.3) else 0.0
        texts.append(GUARDED % generator.text(generator.pick(TYPES), generator.number(1, 3)))
    return "".join(texts)


def main():
    nacre = Interpreter([sys.argv[1]], 60, 0)
    python = Interpreter([sys.executable, "-S", "-W", "ignore"], 20, 0)

    @settings(
        max_examples=int(os.environ.get("NACRE_EXAMPLES", "150")),
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategies.randoms(use_true_random=False))
    def same_answers(rng):
        text = rows(rng)
        want = python.run_text(text)
        if want.comparable:
            found = differing(nacre.run_text(text), want)
            assert found is None, "%s\n%s" % (found, text)

    same_answers()
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
