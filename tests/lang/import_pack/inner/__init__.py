# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
three = 3
from .. import first as f
from ..second import two as t
from .leaf import leaf
