# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Runs programs, one in a process or many in one, and says where two interpreters differ."""

import os
import re
import signal
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "run"))
import compare  # noqa: E402
import process  # noqa: E402

# Output that no other interpreter can be asked for: addresses, paths, CPython's cap on digits, and
# where memory ends, since what CPython finds no room for may fit in smaller objects. Nor does Nacre
# tell one NaN from another: a set or dict holds it once.
UNCOMPARABLE = re.compile(
    r" at 0x[0-9a-f]{6}|Exceeds the limit \(\d+|<module '|\bMemoryError\b"
    r"|[{ ]nan: [^{}\n]* nan: |\{(?:[^{}:\n]* )?nan, (?:[^{}:\n]* )?nan[,}]"
)
# Where CPython keeps a module is its own affair.
PLACE = re.compile(r"(cannot import name '\w*' from '[\w.]*') \([^)\n]*\)")
FRAME = re.compile(r'^\s*File "(.*)", line (\d+)(?:, in (.*))?$')
EXCEPTION = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Iteration|Exit|Interrupt)\b")
CHAINS = ("The above exception was the direct cause", "During handling of the above exception")
SUGGESTION = re.compile(r"\. Did you mean: '.*'\?$")
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")
MARK = "=== program "
RTOL = 1e-12

# The collector stays off: it could end a generator of one program while another one prints.
DRIVER = """import gc
gc.disable()

def _run_all():
%s

def _report(e):
    seen = 0
    while e is not None and seen < 4:
        print("!!!", type(e).__name__ + ":", e)
        e = e.__cause__ if e.__cause__ is not None or e.__suppress_context__ else e.__context__
        seen += 1

_run_all()
"""
ONE = """    print("%s%d", flush=True)
    try:
        import p_%d
    except BaseException as e:
        _report(e)
    print("=== end", flush=True)
"""


class Outcome:
    """One program's behaviour: output, exit status, and the traceback's parts."""

    def __init__(self, out, status=0, err="", timed_out=False):
        self.out, self.err = PLACE.sub(r"\1", out), PLACE.sub(r"\1", err)
        self.status, self.timed_out = status, timed_out
        self.crashed = status is not None and (status < 0 or status > 1 or "Sanitizer" in err)
        self.trace = None

    def traceback(self):
        """[(lines of the entries, exception text), …] of the exceptions in the chain, in order."""
        if self.trace is None:
            self.trace = parse_traceback(self.err)
        return self.trace

    @property
    def raised(self):
        return self.status == 1 or "\n!!! " in self.out or "\ncaught " in "\n" + self.out

    @property
    def comparable(self):
        return (
            not self.timed_out
            and not UNCOMPARABLE.search(self.out)
            and not UNCOMPARABLE.search(self.err)
        )


def parse_traceback(err):
    blocks, entries, message = [], [], []
    for line in err.split("\n"):
        match = FRAME.match(line)
        if match:
            if match.group(3) not in COMPREHENSIONS:
                entries.append(int(match.group(2)))
        elif line.startswith(CHAINS):
            blocks.append((entries, SUGGESTION.sub("", "\n".join(message).rstrip())))
            entries, message = [], []
        elif line and not line.startswith((" ", "Traceback (")):
            message.append(line)
    blocks.append((entries, SUGGESTION.sub("", "\n".join(message).rstrip())))
    return blocks


class Difference:
    """Where and how two outcomes differ."""

    def __init__(self, kind, got, want):
        self.kind, self.got, self.want = kind, got, want

    @property
    def signature(self):
        """The same for differences that probably have one cause."""
        text = (
            self.got
            if self.kind in ("crash", "exception", "timeout")
            else "%s / %s" % (self.got, self.want)
        )
        return self.kind + ": " + re.sub(r"\d+", "N", text)[:150]

    @property
    def essence(self):
        """What stays while a program is shrunk: its kind and the exceptions it names."""
        return self.kind, EXCEPTION.findall(self.got), EXCEPTION.findall(self.want)

    def __str__(self):
        return "%s\n    nacre:   %s\n    cpython: %s" % (self.kind, self.got, self.want)


def last_line(outcome):
    lines = outcome.err.rstrip().split("\n")
    return lines[-1] if lines else ""


# Which of two items a sort compares first depends on their order, and that of a set's items on the
# hashes of strings, which CPython draws anew for each process.
ORDERED = re.compile(r"'<' not supported between instances of '(\w+)' and '(\w+)'")


def unordered(text):
    return ORDERED.sub(lambda m: "'<' not supported between %s and %s" % tuple(sorted(m.groups())),
                       text)


def differing(got, want, traces=True):
    """A Difference, or None."""
    if got.timed_out:
        return Difference("timeout", "not finished", "exit status %s" % want.status)
    if got.crashed:
        name = (
            signal.Signals(-got.status).name
            if got.status and got.status < 0
            else "exit status %s" % got.status
        )
        return Difference(
            "crash", "%s %s" % (name, sanitizer_line(got.err)), "exit status %s" % want.status
        )
    if got.status != want.status:
        return Difference(
            "exception", last_line(got) or "no exception", last_line(want) or "no exception"
        )
    place = compare.first_difference(unordered(got.out), unordered(want.out), RTOL)
    if place:
        return Difference(
            (
                "exception"
                if place[1].startswith("!!! ") and not place[2].startswith("!!! ")
                else "output"
            ),
            place[1],
            place[2],
        )
    if want.status == 1 and traces:
        return trace_difference(got, want)
    return None


def sanitizer_line(err):
    found = [line for line in err.split("\n") if "ERROR: " in line or "runtime error" in line]
    return re.sub(r"0x[0-9a-f]+|==\d+==", "", found[0]) if found else ""


def trace_difference(got, want):
    ours, theirs = got.traceback(), want.traceback()
    if ours[-1][1] != theirs[-1][1]:
        if not compare.lines_agree(unordered(ours[-1][1]), unordered(theirs[-1][1]), RTOL):
            return Difference("exception", ours[-1][1], theirs[-1][1])
    if "RecursionError" in theirs[-1][1]:
        return None
    if [unordered(m) for _, m in ours] != [unordered(m) for _, m in theirs]:
        return Difference("chain", str([m for _, m in ours]), str([m for _, m in theirs]))
    if [e for e, _ in ours] != [e for e, _ in theirs]:
        return Difference("lines", str([e for e, _ in ours]), str([e for e, _ in theirs]))
    return None


class Interpreter:
    """A program that runs scripts: Nacre, or the CPython it is compared with."""

    def __init__(self, command, timeout, memory_gib, counts=None):
        self.command, self.timeout, self.memory_gib = command, timeout, memory_gib
        self.counts = counts  # dict to add opcode counts to, or None
        self.measured = 0

    def run_file(self, path, timeout=None):
        env = {}
        if self.counts is not None:
            env["NACRE_OPCODE_COUNTS"] = path + ".counts"
        done = process.run(self.command + [path], timeout or self.timeout, env, self.memory_gib)
        if self.counts is not None:
            self.add_counts(env["NACRE_OPCODE_COUNTS"])
        return Outcome(done.out, done.status, done.err, done.timed_out)

    def add_counts(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                for line in file:
                    name, count = line.split()
                    self.counts[name] = self.counts.get(name, 0) + int(count)
            os.unlink(path)
            self.measured += 1
        except (OSError, ValueError):
            pass

    def run_text(self, text, folder=None):
        with tempfile.TemporaryDirectory(prefix="nacre-generated-", dir=folder) as here:
            path = os.path.join(here, "program.py")
            write(path, text)
            return self.run_file(path)

    def run_batch(self, programs):
        """{number: Outcome} of programs that share a process; a program that ends it, or that does
        not end in time, is left out, and those after it have another process."""
        found, left = {}, dict(programs)
        while left:
            ended = self.run_row(left)
            found.update(ended)
            for number in ended:
                del left[number]
            if left:
                del left[next(iter(left))]
        return found

    def run_row(self, programs):
        """{number: Outcome} of the first of them, as far as one process came."""
        with tempfile.TemporaryDirectory(prefix="nacre-generated-") as here:
            for number, text in programs.items():
                write(os.path.join(here, "p_%d.py" % number), text)
            path = os.path.join(here, "driver.py")
            write(path, DRIVER % "".join(ONE % (MARK, n, n) for n in programs))
            done = self.run_file(path)
        found = {}
        for part in ("\n" + done.out).split("\n" + MARK)[1:]:
            number, _, text = part.partition("\n")
            text = "\n" + text.rstrip()
            if number.isdigit() and text.endswith("\n=== end"):
                found[int(number)] = Outcome(text)
        return found


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
