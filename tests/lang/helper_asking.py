# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A module that answers for names it has not."""

asked = []


def __getattr__(name):
    if not name.startswith("__"):
        asked.append(name)
    if name == "later":
        return 42
    if name == "bad":
        raise ValueError("bad")
    raise AttributeError(f"no {name}")
