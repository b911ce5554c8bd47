#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Checks of turns on devices: the lists name scripts that are there, and every script has its turn."""

import os
import unittest

import run_devices
import run_ncr

NAMES = ["a/%d.ncr" % k for k in range(40)]
COSTS = {name: 0.5 + k % 19 for k, name in enumerate(NAMES)}


class Lists(unittest.TestCase):
    def test_left_out(self):
        for (name, _), reason in run_devices.left_out().items():
            self.assertTrue(os.path.isfile(os.path.join(run_devices.TESTS, name)), name + " is not there")
            self.assertGreater(len(reason.split()), 4, name + " needs a reason")

    def test_costs(self):
        known = run_devices.costs()
        for name, _ in known:
            self.assertTrue(os.path.isfile(os.path.join(run_devices.TESTS, name)), name + " is not there")
        self.assertTrue(all(cost > 0 for cost in known.values()))

    def test_row_that_cannot_be_read(self):
        rows, run_devices.rows_of = run_devices.rows_of, lambda _: ["array/x.ncr mirror: for a reason"]
        try:
            self.assertRaises(ValueError, run_devices.left_out)
        finally:
            run_devices.rows_of = rows

    def test_what_is_left_out_does_not_run(self):
        folder = os.path.join(run_devices.TESTS, "array")
        first = os.path.relpath(run_ncr.scripts_of([folder])[0], run_devices.TESTS)
        absent = {(first, "cuda"): "a reason"}
        self.assertIn(first, run_devices.scripts_in([folder], "opencl", absent))
        self.assertNotIn(first, run_devices.scripts_in([folder], "cuda", absent))


class Turns(unittest.TestCase):
    def turn(self, commit):
        return run_devices.turn(NAMES, COSTS.get, commit)

    def test_same_commit(self):
        self.assertEqual(self.turn("c0ffee"), self.turn("c0ffee"))

    def test_budget(self):
        for k in range(50):
            cost = sum(map(COSTS.get, self.turn(str(k))))
            self.assertLessEqual(cost, run_devices.FIXED + run_devices.LONG)
            self.assertGreater(cost, run_devices.DRAWN / 2)

    def test_fixed_part(self):
        always = set.intersection(*(set(self.turn(str(k))) for k in range(50)))
        self.assertTrue(always)
        self.assertLessEqual(sum(map(COSTS.get, always)), run_devices.FIXED)

    def test_everything_has_its_turn(self):
        drawn = set().union(*(self.turn(str(k)) for k in range(400)))
        self.assertEqual(drawn, {name for name in NAMES if COSTS[name] <= run_devices.LONG})

    def test_parts(self):
        parts = [run_devices.part_of(NAMES, "%d/3" % k) for k in (1, 2, 3)]
        self.assertEqual(sorted(sum(parts, [])), sorted(NAMES))
        self.assertTrue(all(parts))


if __name__ == "__main__":
    unittest.main()
