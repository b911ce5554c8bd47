# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Running one script in a process of its own, in an empty folder, with limits; and CPython's
answer to the same script, remembered between runs."""

import hashlib
import json
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHIM = os.path.join(ROOT, "stdlib", "python")
FRAME = re.compile(r'^\s*File ".*", line (\d+)')


class Outcome:
    """Standard output, standard error and exit status of a finished run."""

    def __init__(self, out, err, status, timed_out=False):
        self.out, self.err, self.status, self.timed_out = out, err, status, timed_out

    @property
    def error(self):
        """The exception's type and message: the last line of standard error that is not indented.
        Indented lines below it explain more."""
        lines = [line for line in self.err.split("\n") if line and not line[0].isspace()]
        return lines[-1].rstrip() if lines else ""

    def error_place(self, source):
        """(line, column) of the innermost frame of the traceback; column from 1, or None."""
        lines = self.err.split("\n")
        frames = [i for i, text in enumerate(lines) if FRAME.match(text)]
        if not frames:
            return None, None
        at = frames[-1]
        number = int(FRAME.match(lines[at]).group(1))
        shown = lines[at + 1] if at + 1 < len(lines) else ""
        marks = lines[at + 2] if at + 2 < len(lines) else ""
        if not marks.strip() or marks.strip("~^ "):
            return number, None
        caret = len(marks) - len(marks.lstrip()) - (len(shown) - len(shown.lstrip()))
        original = source.split("\n")[number - 1] if number <= source.count("\n") + 1 else ""
        return number, caret + len(original) - len(original.lstrip()) + 1


def environment(extra):
    env = dict(os.environ)
    env.update(LC_ALL="C.UTF-8", COLUMNS="80", NO_COLOR="1", OMP_WAIT_POLICY="passive",
               PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=SHIM, MPLBACKEND="agg")
    env.update(extra)
    return env


def text(data):
    return data.decode("utf-8", "backslashreplace")


def limited(command, memory_gib):
    """`command` with its address space limited, and no core files."""
    if not memory_gib:
        return command
    limits = "ulimit -c 0; ulimit -v %d; exec \"$@\"" % int(memory_gib * (1 << 20))
    return ["/bin/sh", "-c", limits, "sh"] + command


def run(command, timeout, extra_env=None, memory_gib=0):
    with tempfile.TemporaryDirectory(prefix="nacre-test-") as folder:
        try:
            done = subprocess.run(limited(command, memory_gib), cwd=folder, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=timeout,
                                  env=environment(extra_env or {}))
        except subprocess.TimeoutExpired as late:
            return Outcome(text(late.stdout or b""), text(late.stderr or b""), None, True)
    return Outcome(text(done.stdout), text(done.stderr), done.returncode)


class Oracle:
    """CPython's outcome for a script. The answer is kept under a hash of everything it can depend
    on: the script, its arguments, the modules beside it, the interpreter and its packages."""

    def __init__(self, python, cache):
        self.python, self.cache = python, cache
        self.folders = {}
        os.makedirs(cache, exist_ok=True)
        probe = ("import sys, importlib.metadata as m\n"
                 "print(sys.version, sorted((d.name, d.version) for d in m.distributions()))")
        done = subprocess.run([python, "-c", probe], capture_output=True, check=True)
        self.version = done.stdout

    def _modules(self, folder):
        """The text of every module that a script in `folder` could import."""
        if folder not in self.folders:
            digest = hashlib.sha256()
            for place in (folder, SHIM):
                names = sorted(os.listdir(place)) if os.path.isdir(place) else []
                for name in names:
                    if name.endswith(".py"):
                        with open(os.path.join(place, name), "rb") as file:
                            digest.update(name.encode() + b"\0" + file.read() + b"\0")
            self.folders[folder] = digest.digest()
        return self.folders[folder]

    def _key(self, path, source, args):
        digest = hashlib.sha256(self.version)
        digest.update(self._modules(os.path.dirname(path)))
        digest.update(json.dumps([os.path.basename(path), source, args]).encode())
        return os.path.join(self.cache, digest.hexdigest()[:40] + ".json")

    def ask(self, path, source, args, timeout):
        kept = self._key(path, source, args)
        try:
            with open(kept, encoding="utf-8") as file:
                return Outcome(**json.load(file))
        except (OSError, ValueError, TypeError):
            pass
        outcome = run([self.python, path] + args, timeout)
        if not outcome.timed_out:
            self._keep(kept, outcome)
        return outcome

    def _keep(self, kept, outcome):
        fields = {"out": outcome.out, "err": outcome.err, "status": outcome.status}
        handle, partial = tempfile.mkstemp(dir=self.cache, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(fields, file)
        os.replace(partial, kept)
