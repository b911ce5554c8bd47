# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A process that runs a program of a suite, and takes its turns when it is asked to."""

import json
import os
import re
import resource
import select
import subprocess
import tempfile
from typing import NamedTuple

import measure


PREPARING = 900  # seconds for making data, and code that is compiled ahead of time
NOT_COMPILED = re.compile("not compiled: .*")


class NoAnswer(Exception):
    """A process failed or took too long."""


class Turn(NamedTuple):
    """What a turn found: seconds of a call, cores that were busy, and what the result is."""
    seconds: float
    busy: float
    result: list


def environment(threads):
    """Everybody has the same number of threads."""
    names = ("NACRE_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
             "NUMEXPR_MAX_THREADS", "NUMBA_NUM_THREADS", "NPROC")  # the last one is JAX's
    return {**os.environ, **{name: str(threads) for name in names}, "JAX_ENABLE_X64": "1",
            "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=%s"
            % str(threads > 1).lower(), "PYTHONDONTWRITEBYTECODE": "1"}


def confined(threads):
    """The cores to run on: as many as there are threads, whatever pools a peer makes."""
    cores = sorted(os.sched_getaffinity(0))
    return cores[:threads] if len(cores) > threads else cores


def at_work(pid):
    """Whether a process is there and has not come to its end."""
    try:
        with open("/proc/%s/stat" % pid, encoding="utf-8") as file:
            return file.read().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


class Process:
    """`start` begins it; after a failure `why` says what happened, and it is gone. `cache` is where
    nacre keeps code (None: where it always does)."""

    def __init__(self, runner, command, threads, timeout, cache=None):
        self.runner, self.command, self.threads = runner, command, threads
        self.timeout, self.cache = timeout, cache
        self.calls = 1
        self.notes = []  # what it said of the case
        self.most = 0  # MiB, of processes that have ended
        self.why = None
        self.child = self.errors = None

    def start(self):
        env = environment(self.threads)
        if self.cache:
            env["NACRE_CACHE"] = self.cache
        self.errors = tempfile.TemporaryFile("w+")
        self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=self.errors, env=env)
        os.sched_setaffinity(self.child.pid, confined(self.threads))
        # If memory runs out, this is what the system should end.
        with open("/proc/%d/oom_score_adj" % self.child.pid, "w", encoding="ascii") as file:
            file.write("1000")

    def ask(self, order, timeout):
        """The words of the answer."""
        try:
            self.child.stdin.write(order.encode() + b"\n")
            self.child.stdin.flush()
            if not select.select([self.child.stdout], [], [], timeout)[0]:
                raise NoAnswer("not finished after %g s" % timeout)
            line = self.child.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line.endswith(b"\n"):
            self.child.wait()
            raise NoAnswer(self.last_words())
        return line.split()

    def last_words(self):
        self.errors.seek(0)
        line = self.errors.read().strip().split("\n")[-1].replace(measure.ROOT + "/", "")
        said = NOT_COMPILED.search(line)
        return said.group() if said else "exit status %d; %s" % (self.child.returncode, line)

    def begin(self, case):
        """Makes the case's data, and `notes`. The peak of memory counts from here."""
        limit = case.limit << 30 or resource.RLIM_INFINITY
        resource.prlimit(self.child.pid, resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))
        self.notes = [word.decode() for word in self.ask("case " + case.name, PREPARING)[1:]]
        try:
            with open("/proc/%d/clear_refs" % self.child.pid, "w", encoding="ascii") as file:
                file.write("5")
        except PermissionError:
            pass  # then the peak has the making of the data in it

    def turn(self):
        words = [float(word) for word in self.ask("calls %d" % self.calls, self.timeout)]
        return Turn(words[0], words[1], words[2:])

    def peak(self):
        """The most memory it had, in MiB."""
        if self.child:
            with open("/proc/%d/status" % self.child.pid, encoding="ascii") as file:
                found = re.search(r"VmHWM:\s*(\d+)", file.read())
            self.most = max(self.most, int(found.group(1)) / 1024 if found else 0)
        return self.most

    def compiling(self):
        """Whether a process that it started, a compiler, is at work."""
        listed = "/proc/%d/task/%d/children" % (self.child.pid, self.child.pid)
        with open(listed, encoding="ascii") as file:
            return any(at_work(pid) for pid in file.read().split())

    def end(self):
        """Lets it come to its end; one that does not answer is killed."""
        if self.child:
            try:
                self.child.stdin.close()
                self.child.wait(timeout=10)
            except (BrokenPipeError, subprocess.TimeoutExpired):
                self.child.kill()
                self.child.wait()
            self.child.stdout.close()
            self.errors.close()
        self.child = None

    def give_up(self, why):
        self.why = why
        if self.child:
            self.child.kill()
        self.end()
