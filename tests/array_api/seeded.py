# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A plug-in of pytest: each test begins with the same random numbers, also one that draws examples by itself."""

import random


def pytest_runtest_setup():
    random.seed(0)
