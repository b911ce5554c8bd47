# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from import_circle.b import y
x = 1
