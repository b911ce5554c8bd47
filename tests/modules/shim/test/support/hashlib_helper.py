# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Hash functions that tests need."""


def requires_hashdigest(digestname, openssl=None, usedforsecurity=True):
    return lambda test: test
