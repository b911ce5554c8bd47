# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A module that scripts in this folder import."""

VALUE = 42
_hidden = 'not starred'
loaded = []
loaded.append(__name__)


def double(x):
    return x * 2


def raises():
    raise ValueError('from the module')


def set_value(v):
    global VALUE
    VALUE = v


class Thing:
    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return f'Thing({self.n})'


if __name__ == '__main__':
    print('never printed')
