# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Warnings of tests."""

import contextlib
import functools
import warnings


class WarningsRecorder:
    """The warnings of a block; attributes are those of the last one."""

    def __init__(self, warnings_list):
        self._warnings = warnings_list
        self._last = 0

    def __getattr__(self, attr):
        if len(self._warnings) > self._last:
            return getattr(self._warnings[-1], attr)
        if attr in ("message", "category", "filename", "lineno"):
            return None
        raise AttributeError(f"{self!r} has no attribute {attr!r}")

    @property
    def warnings(self):
        return list(self._warnings)[self._last:]

    def reset(self):
        self._last = len(self._warnings)


@contextlib.contextmanager
def check_warnings(*filters, quiet=None):
    """All warnings of the block match a filter (text, category), and each filter matches one unless quiet."""
    if not filters:
        filters, quiet = (("", Warning),), True if quiet is None else quiet
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        yield WarningsRecorder(given)
        given = list(given)
    missing = []
    for text, category in filters:
        matching = [one for one in given if issubclass(one.category, category) and _matches(text, str(one.message))]
        given = [one for one in given if one not in matching]
        if not matching and not quiet:
            missing.append((text, category.__name__))
    if given:
        raise AssertionError(f"unhandled warning {given[0]}")
    if missing:
        raise AssertionError(f"filter ({missing[0][0]!r}, {missing[0][1]}) did not catch any warning")


def _matches(pattern, text):
    if not pattern:
        return True
    import re
    return re.match(pattern, text, re.I) is not None


@contextlib.contextmanager
def check_no_warnings(testcase, message="", category=Warning, force_gc=False):
    with warnings.catch_warnings(record=True) as given:
        warnings.filterwarnings("always", message=message, category=category)
        yield
        testcase.assertEqual(list(given), [])


def check_no_resource_warning(testcase):
    return check_no_warnings(testcase, category=ResourceWarning)


@contextlib.contextmanager
def save_restore_warnings_filters():
    with warnings.catch_warnings():
        yield


def ignore_warnings(*, category):
    def decorator(test):
        @functools.wraps(test)
        def wrapper(self, *args, **kwargs):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", category=category)
                return test(self, *args, **kwargs)
        return wrapper
    return decorator


def check_syntax_warning(testcase, statement, errtext="", *, lineno=1, offset=None):
    import unittest
    raise unittest.SkipTest("warnings of the compiler")
