# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Warnings of tests."""

import contextlib
import functools
import re
import unittest
import warnings

_OF_NONE = dict.fromkeys(["category", "filename", "lineno", "message"])


@contextlib.contextmanager
def save_restore_warnings_filters():
    """What the block does to the filters is undone."""
    with warnings.catch_warnings():
        yield


def ignore_warnings(*, category):
    """Decorates a method, in which no such warnings are given."""
    def decorate(method):
        def quietly(*args, **kwargs):
            with save_restore_warnings_filters():
                warnings.simplefilter("ignore", category=category)
                return method(*args, **kwargs)
        return functools.wraps(method)(quietly)
    return decorate


def check_syntax_warning(testcase, statement, errtext="", *, lineno=1, offset=None):
    """The compiler gives no warnings, so there is nothing to test."""
    raise unittest.SkipTest("warnings of the compiler")


class WarningsRecorder:
    """The warnings of a block since reset(); other attributes are those of the newest."""

    def __init__(self, record):
        self._record = record
        self._seen = 0

    def reset(self):
        self._seen = len(self._record)

    @property
    def warnings(self):
        return self._record[self._seen:]

    def __getattr__(self, name):
        since = self.warnings
        if since:
            return getattr(since[-1], name)
        if name in _OF_NONE:
            return _OF_NONE[name]
        raise AttributeError(f"{self!r} has no attribute {name!r}")


def _fits(warning, text, category):
    if not issubclass(warning.category, category):
        return False
    return not text or bool(re.match(text, str(warning.message), re.I))


@contextlib.contextmanager
def check_warnings(*filters, quiet=None):
    """All warnings of the block match a filter (text, category), and each filter matches one unless quiet."""
    if not filters:
        filters = [("", Warning)]
        quiet = quiet is None or quiet
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        yield WarningsRecorder(record)
        left = record[:]
    idle = []
    for text, category in filters:
        others = [warning for warning in left if not _fits(warning, text, category)]
        if len(others) == len(left):
            idle.append(f"filter ({text!r}, {category.__name__}) did not catch any warning")
        left = others
    if left:
        raise AssertionError(f"unhandled warning {left[0]}")
    if idle and not quiet:
        raise AssertionError(idle[0])


@contextlib.contextmanager
def check_no_warnings(testcase, message="", category=Warning, force_gc=False):
    """The block gives no such warning."""
    with warnings.catch_warnings(record=True) as record:
        warnings.filterwarnings("always", category=category, message=message)
        yield
        testcase.assertEqual([], record[:])


check_no_resource_warning = functools.partial(check_no_warnings, category=ResourceWarning)
