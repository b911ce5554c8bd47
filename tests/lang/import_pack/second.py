# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
two = 2
from . import first
print(first.__name__)
