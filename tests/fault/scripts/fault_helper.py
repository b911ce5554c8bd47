# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Imported by import_user.ncr."""

words = {name: len(name) for name in ("a", "bc", "def")}


def double(x):
    return 2 * x


class Thing:
    def __init__(self, value):
        self.value = value
