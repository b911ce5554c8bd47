# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Programs that tests start with `python`: they are skipped."""

import unittest


def _skipped(*args, **kwargs):
    raise unittest.SkipTest("starts python")


assert_python_ok = assert_python_failure = spawn_python = kill_python = run_python_until_end = _skipped
make_script = make_pkg = make_zip_script = make_zip_pkg = run_test_script = _skipped


def interpreter_requires_environment():
    return False
