# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from import_circle.a import x
y = 2
