#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The test suite of the array API standard, where it has been fetched.

usage: suite_test.py NACRE
"""

import sys

import run

sys.exit(run.main())
