# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A package."""
from . import first
from .second import two
from .inner import *
__all__ = ['first', 'two', 'lazy']
print('pack', __name__, __package__, __path__ == [__file__.rsplit('/', 1)[0]])
