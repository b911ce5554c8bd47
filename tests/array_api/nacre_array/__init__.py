# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Nacre's `numpy` as a module of Python, for programs that are written for the array API standard.

Every name is looked up in Nacre: nothing here, nor in `_bridge`, computes.
"""

from . import _bridge

__version__ = _bridge.VERSION


def __getattr__(name):
    return _bridge.numpy_attribute(name)


def __dir__():
    return _bridge.numpy_names()


_bridge.numpy_is(__name__)
