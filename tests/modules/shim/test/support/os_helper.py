# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Files, folders and the environment of tests."""

import contextlib
import os
import shutil
import tempfile
import unittest

TESTFN_ASCII = f"@test_{os.getpid() if hasattr(os, 'getpid') else 1}_tmp"
TESTFN_UNICODE = TESTFN_ASCII + "-\xe0\xf2\u0258\u0141\u011f"
TESTFN_UNENCODABLE = TESTFN_NONASCII = None
TESTFN_UNDECODABLE = None
FS_NONASCII = "\xe6"
TESTFN = TESTFN_ASCII
SAVEDCWD = os.getcwd()


def unlink(filename):
    try:
        os.unlink(filename)
    except (FileNotFoundError, NotADirectoryError):
        pass


def rmdir(dirname):
    try:
        os.rmdir(dirname)
    except FileNotFoundError:
        pass


def rmtree(path):
    shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def temp_dir(path=None, quiet=False):
    if path is None:
        path = os.path.realpath(tempfile.mkdtemp())
    else:
        os.mkdir(path)
    try:
        yield path
    finally:
        rmtree(path)


@contextlib.contextmanager
def change_cwd(path, quiet=False):
    before = os.getcwd()
    os.chdir(os.path.realpath(path))
    try:
        yield os.getcwd()
    finally:
        os.chdir(before)


@contextlib.contextmanager
def temp_cwd(name="tempcwd", quiet=False):
    with temp_dir(path=name) as path:
        with change_cwd(path) as cwd:
            yield cwd


@contextlib.contextmanager
def temp_umask(umask):
    before = os.umask(umask)
    try:
        yield
    finally:
        os.umask(before)


def create_empty_file(filename):
    with open(filename, "wb"):
        pass


def can_symlink():
    return True


def can_xattr():
    return False


def can_chmod():
    return True


def fd_count():
    return len(os.listdir("/proc/self/fd"))


def make_bad_fd():
    raise unittest.SkipTest("numbers of open files")


def fs_is_case_insensitive(directory):
    return False


def skip_unless_symlink(test):
    return test


skip_unless_working_chmod = skip_unless_hardlink = skip_unless_dac_override = skip_unless_symlink


def skip_unless_xattr(test):
    return unittest.skip("attributes of files")(test)


skip_if_dac_override = skip_unless_xattr


class FakePath:
    """An object with __fspath__, which gives, or raises, what it is given."""

    def __init__(self, path):
        self.path = path

    def __repr__(self):
        return f"<FakePath {self.path!r}>"

    def __fspath__(self):
        if isinstance(self.path, BaseException) or \
                isinstance(self.path, type) and issubclass(self.path, BaseException):
            raise self.path
        return self.path


class EnvironmentVarGuard:
    """Variables of the environment that are as before behind a block."""

    def __init__(self):
        self._changed = {}

    def __getitem__(self, name):
        return os.environ[name]

    def __setitem__(self, name, value):
        self._changed.setdefault(name, os.environ.get(name))
        os.environ[name] = value

    def __delitem__(self, name):
        self._changed.setdefault(name, os.environ.get(name))
        os.environ.pop(name, None)

    def __contains__(self, name):
        return name in os.environ

    def keys(self):
        return os.environ.keys()

    def set(self, name, value):
        self[name] = value

    def unset(self, name):
        del self[name]

    def copy(self):
        return dict(os.environ)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        for name, value in self._changed.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
