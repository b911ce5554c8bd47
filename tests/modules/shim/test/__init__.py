# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Stands for CPython's package of tests."""

import test.support as support
