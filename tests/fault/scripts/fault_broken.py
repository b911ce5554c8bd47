# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Imported by import_user.ncr; never arrives."""

table = [[i] * 3 for i in range(4)]
table[0][0] / 0
