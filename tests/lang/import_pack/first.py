# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
one = 1
from import_pack import second
print('first', __name__, __package__)
