# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Threads of tests."""

import contextlib

can_start_thread = True


def threading_setup():
    return ()


def threading_cleanup(*original):
    pass


def reap_threads(func):
    return func


def join_thread(thread, timeout=None):
    thread.join(timeout)


@contextlib.contextmanager
def wait_threads_exit(timeout=None):
    yield


@contextlib.contextmanager
def start_threads(threads, unlock=None):
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()


class catch_threading_exception:
    def __enter__(self):
        self.exc_type = self.exc_value = self.exc_traceback = self.thread = None
        return self

    def __exit__(self, *what):
        pass


def requires_working_threading(*, module=False):
    return lambda test: test
