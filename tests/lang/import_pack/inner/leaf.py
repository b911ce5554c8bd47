# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
leaf = 'leaf'
def up():
    from ... import x
