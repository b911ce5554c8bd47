# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A handler that keeps records for tests."""


class TestHandler:
    def __init__(self, matcher):
        self.buffer, self.matcher = [], matcher
