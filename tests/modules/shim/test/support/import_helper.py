# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Imports of tests. There is one implementation of each module: it stands for the one in C and for the one that is not."""

import contextlib
import sys
import unittest

import _nacre


def import_module(name, deprecated=False, *, required_on=()):
    try:
        return _nacre.import_one(name)
    except ImportError as error:
        raise unittest.SkipTest(str(error)) from None


def import_fresh_module(name, fresh=(), blocked=(), *, deprecated=False):
    try:
        return _nacre.import_one(name)
    except ImportError:
        return None


def unload(name):
    sys.modules.pop(name, None)


forget = unload


def modules_setup():
    return (dict(sys.modules),)


def modules_cleanup(modules):
    pass


class CleanImport:
    def __init__(self, *names, usefrozen=False):
        raise unittest.SkipTest("modules that are imported again")


class DirsOnSysPath:
    def __init__(self, *paths):
        self.before = sys.path[:]
        sys.path.extend(paths)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        sys.path[:] = self.before


@contextlib.contextmanager
def frozen_modules(enabled=True):
    yield


@contextlib.contextmanager
def isolated_modules():
    yield
