# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What CPython's tests use of its package test.support, for a run under Nacre."""

import contextlib
import functools
import io
import os
import sys
import unittest

import test.support.import_helper as import_helper
import test.support.os_helper as os_helper
import test.support.script_helper as script_helper
import test.support.threading_helper as threading_helper
import test.support.warnings_helper as warnings_helper
import test.support.hashlib_helper as hashlib_helper
import test.support.logging_helper as logging_helper
import test.support.socket_helper as socket_helper

verbose = 0
use_resources = None
max_memuse = real_max_memuse = 0
failfast = False
match_tests = None
debug = False
is_jython = is_android = is_emscripten = is_wasi = MS_WINDOWS = False
is_apple = False
unix_shell = "/bin/sh"
has_fork_support = has_subprocess_support = has_socket_support = False
HAVE_DOCSTRINGS = MISSING_C_DOCSTRINGS = False
Py_DEBUG = PGO = False
TEST_SUPPORT_DIR = TEST_HOME_DIR = STDLIB_DIR = REPO_ROOT = TEST_DATA_DIR = os.getcwd()
LOOPBACK_TIMEOUT, INTERNET_TIMEOUT, SHORT_TIMEOUT, LONG_TIMEOUT = 5.0, 60.0, 30.0, 300.0
SOCK_MAX_SIZE = PIPE_MAX_SIZE = 16 * 1024 * 1024 + 1
_1M, _1G, _2G, _4G = 2 ** 20, 2 ** 30, 2 ** 31, 2 ** 32
MAX_Py_ssize_t = sys.maxsize
EQUALITY_FORMS = ()
TESTFN = os_helper.TESTFN


class Error(Exception):
    pass


class TestFailed(Error):
    pass


class TestDidNotRun(Error):
    pass


class ResourceDenied(unittest.SkipTest):
    pass


# --- What is required ------------------------------------------------------------------------------------


def _always(obj):
    return obj


def is_resource_enabled(resource):
    return False


def requires(resource, msg=None):
    raise ResourceDenied(msg or f"Use of the {resource!r} resource not enabled")


def requires_resource(resource):
    return unittest.skip(f"resource {resource!r} is not enabled")


def check_impl_detail(**guards):
    """Whether details of CPython are to be tested."""
    return not guards.pop("cpython", False) and bool(guards) and False


def impl_detail(msg=None, **guards):
    return unittest.skip(msg or "a detail of the implementation")


def cpython_only(test):
    """A test of CPython's details."""
    return unittest.skip("a detail of CPython")(test)


def requires_debug_ranges(reason="columns in bytecode"):
    return unittest.skip(reason)


def no_tracing(func):
    return func


def refcount_test(test):
    return cpython_only(test)


def anticipate_failure(condition):
    return unittest.expectedFailure if condition else _always


requires_IEEE_754 = skip_if_broken_multiprocessing_synchronize = _always
requires_docstrings = unittest.skip("docstrings of natives")
requires_subprocess = requires_fork = lambda: unittest.skip("processes of Python")
requires_bz2 = requires_lzma = lambda reason="": unittest.skip("a library")


def requires_zlib(reason="requires zlib"):
    try:
        import zlib
    except ImportError:
        return unittest.skip(reason)
    return _always


requires_gzip = requires_zlib
requires_limited_api = requires_specialization = unittest.skip("a detail of CPython")


def requires_mac_ver(*version):
    return _always


requires_linux_version = requires_freebsd_version = requires_mac_ver


def skip_if_sanitizer(reason=None, *, address=False, memory=False, ub=False, thread=False):
    return _always


def check_sanitizer(*, address=False, memory=False, ub=False, thread=False):
    return False


def requires_venv_with_pip():
    return unittest.skip("venv")


def skip_if_pgo_task(test):
    return test


def bigmemtest(size, memuse, dry_run=True):
    """Decorator of a test with much data: it is run with little."""
    def decorator(test):
        @functools.wraps(test)
        def wrapper(self):
            return test(self, 5147)
        wrapper.size, wrapper.memuse = size, memuse
        return wrapper
    return decorator


def bigaddrspacetest(test):
    return unittest.skip("needs a large address space")(test)


def precisionbigmemtest(size, memuse, dry_run=True):
    return bigmemtest(size, memuse, dry_run)


def reap_children():
    pass


# --- Objects ---------------------------------------------------------------------------------------------


class _AlwaysEqual:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False


class _NeverEqual:
    def __eq__(self, other):
        return False

    def __ne__(self, other):
        return True

    def __hash__(self):
        return 1


@functools.total_ordering
class _Largest:
    def __eq__(self, other):
        return isinstance(other, _Largest)

    def __lt__(self, other):
        return False

    def __hash__(self):
        return 2


@functools.total_ordering
class _Smallest:
    def __eq__(self, other):
        return isinstance(other, _Smallest)

    def __gt__(self, other):
        return False

    def __hash__(self):
        return 3


ALWAYS_EQ, NEVER_EQ, LARGEST, SMALLEST = _AlwaysEqual(), _NeverEqual(), _Largest(), _Smallest()


def sortdict(mapping):
    return "{" + ", ".join([f"{key!r}: {mapping[key]!r}" for key in sorted(mapping)]) + "}"


def iter_builtin_types():
    return iter([int, float, complex, str, bytes, list, tuple, dict, set, frozenset, bool, type, object, range, slice])


# --- Contexts --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def captured_output(stream_name):
    before = getattr(sys, stream_name)
    setattr(sys, stream_name, io.StringIO())
    try:
        yield getattr(sys, stream_name)
    finally:
        setattr(sys, stream_name, before)


def captured_stdout():
    return captured_output("stdout")


def captured_stderr():
    return captured_output("stderr")


def captured_stdin():
    return captured_output("stdin")


@contextlib.contextmanager
def swap_attr(obj, attr, new_val):
    had, before = hasattr(obj, attr), getattr(obj, attr, None)
    setattr(obj, attr, new_val)
    try:
        yield before
    finally:
        if had:
            setattr(obj, attr, before)
        elif hasattr(obj, attr):
            delattr(obj, attr)


@contextlib.contextmanager
def swap_item(obj, item, new_val):
    had = item in obj
    before = obj[item] if had else None
    obj[item] = new_val
    try:
        yield before
    finally:
        if had:
            obj[item] = before
        elif item in obj:
            del obj[item]


@contextlib.contextmanager
def disable_gc():
    import gc
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


@contextlib.contextmanager
def set_recursion_limit(limit):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextlib.contextmanager
def infinite_recursion(max_depth=75):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 500) if max_depth > 500 else 500)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextlib.contextmanager
def adjust_int_max_str_digits(max_digits):
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(max_digits)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


class SuppressCrashReport:
    def __enter__(self):
        return self

    def __exit__(self, *what):
        pass


def run_with_locale(catstr, *locales):
    def decorator(func):
        return unittest.skip("locales")(func)
    return decorator


def run_with_tz(tz):
    def decorator(func):
        return unittest.skip("time zones")(func)
    return decorator


# --- Doing -----------------------------------------------------------------------------------------------


def gc_collect():
    import gc
    for _ in range(3):
        gc.collect()


def run_unittest(*classes):
    raise unittest.SkipTest("run_unittest")


def findfile(filename, subdir=None):
    return os.path.join(TEST_HOME_DIR, subdir or "", filename)


def open_urlresource(url, *args, **kw):
    raise ResourceDenied("network")


def check_syntax_error(testcase, statement, errtext="", *, lineno=None, offset=None):
    with testcase.assertRaisesRegex(SyntaxError, errtext) as caught:
        compile(statement, "<test string>", "exec")
    testcase.assertIsNotNone(caught.exception.lineno)
    if lineno is not None:
        testcase.assertEqual(caught.exception.lineno, lineno)
    if offset is not None:
        testcase.assertEqual(caught.exception.offset, offset)


def check_disallow_instantiation(testcase, tp, *args, **kwds):
    testcase.assertRaises(TypeError, tp, *args, **kwds)


def check__all__(test_case, module, name_of_module=None, extra=(), not_exported=()):
    """__all__ names what is public in a module."""
    names = (module.__name__,) if name_of_module is None else name_of_module
    names = (names,) if isinstance(names, str) else names
    expected = set(extra)
    for name in dir(module):
        if name.startswith("_") or name in not_exported:
            continue
        obj = getattr(module, name)
        if getattr(obj, "__module__", None) in names or \
                not hasattr(obj, "__module__") and not isinstance(obj, type(sys)):
            expected.add(name)
    test_case.assertCountEqual(module.__all__, expected)


def check_sizeof(test, obj, size):
    raise unittest.SkipTest("sizes of CPython's objects")


def calcobjsize(fmt):
    return 0


calcvobjsize = calcobjsize


def setswitchinterval(interval):
    pass


def get_original_stdout():
    return sys.__stdout__


def print_warning(msg):
    sys.stderr.write(f"Warning -- {msg}\n")


def optim_args_from_interpreter_flags():
    return []


args_from_interpreter_flags = optim_args_from_interpreter_flags


def python_is_optimized():
    return True


def skip_if_buggy_ucrt_strfptime(test):
    return test


def patch(test_instance, object_to_patch, attr_name, new_value):
    before = getattr(object_to_patch, attr_name)
    test_instance.addCleanup(setattr, object_to_patch, attr_name, before)
    setattr(object_to_patch, attr_name, new_value)


class catch_unraisable_exception:
    unraisable = None

    def __enter__(self):
        raise unittest.SkipTest("sys.unraisablehook")

    def __exit__(self, *what):
        pass


def missing_compiler_executable(cmd_names=()):
    return "cc"


def sleeping_retry(timeout, err_msg=None, /, *, init_delay=0.010, max_delay=1.0, error=True):
    yield from busy_retry(timeout, err_msg, error=error)


def busy_retry(timeout, err_msg=None, /, *, error=True):
    import time
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        yield
    if error:
        raise AssertionError(err_msg or f"timeout ({timeout:.1f} seconds)")


class Matcher:
    def matches(self, d, **kwargs):
        return all([d.get(key) == value for key, value in kwargs.items()])
