# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Runs the command on bad input and judges what comes back. Whatever the input: no signal, no
sanitizer's report, an end within the time limit.

    start(__doc__)                                  takes the path of the command from sys.argv
    done = run(["-c", code])                        a finished run, judged for the above
    expect("what", done, error="ValueError: …")     class and message, status 1, a traceback
    finish()                                        prints the count of checks, exits with 0 or 1

A source may hold marks «…»: they are taken out before it runs, and the error has to be shown at
that line and column, underlined to that width (1 where there is nothing between them).
"""

import os
import re
import resource
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "run"))
from process import Outcome, text  # noqa: E402
from sanitizers import sanitizers_of  # noqa: E402

SECONDS = 20
GIB = 1 << 30
# What a sanitizer says of a request that it turns down, as it should.
TURNED_DOWN = re.compile(r"^==\d+==WARNING: \w+ failed to allocate 0x[0-9a-f]+ bytes\n", re.M)
REPORTS = ("AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "runtime error:", "Assertion `")


class State:
    """What one test program has seen so far."""
    nacre = None
    sanitized = watches_threads = False
    checks = failures = 0


state = State()


def start(usage, grows=False):
    """`grows`: the programs make very many objects, and all of them are looked at in every statement
    of a run with NACRE_STRESS."""
    if grows:
        os.environ.pop("NACRE_STRESS", None)
    if len(sys.argv) != 2:
        sys.exit(usage)
    state.nacre = os.path.abspath(sys.argv[1])
    found = sanitizers_of(state.nacre)
    state.watches_threads, state.sanitized = "thread" in found, bool(found)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def finish():
    print("%d checks, %d failed" % (state.checks, state.failures))
    sys.exit(1 if state.failures or not state.checks else 0)


def seconds(plain=SECONDS):
    return plain * (8 if state.sanitized else 1)


def check(what, good, detail=""):
    state.checks += 1
    if not good:
        state.failures += 1
        print("FAILED %s%s" % (what, ": " + detail if detail else ""), flush=True)
    return good


def memory_limit(gib):
    """For a child process; sanitizers need their terabytes of addresses."""
    def apply():
        resource.setrlimit(resource.RLIMIT_AS, (int(gib * GIB), int(gib * GIB)))
    return None if state.sanitized or not gib else apply


def judge(what, done):
    """The promises that hold for every input."""
    check(what + ": ends", not done.timed_out, "still running; said " + done.err[-300:])
    if done.status is not None:
        check(what + ": no signal", 0 <= done.status < 128 or done.status == 130,
              "status %s\n%s" % (done.status, done.err[-2000:]))
    reports = [word for word in REPORTS if word in done.err]
    check(what + ": no report", not reports, done.err[-2000:])
    return done


def run(what, args, stdin=b"", gib=8, env=None, **options):
    options.setdefault("stdout", subprocess.PIPE)
    if "stdin" not in options:
        options["input"] = stdin
    try:
        done = subprocess.run([state.nacre, *args], stderr=subprocess.PIPE, timeout=seconds(),
                              preexec_fn=memory_limit(gib), env={**os.environ, **(env or {})},
                              **options)
    except subprocess.TimeoutExpired as late:
        return judge(what, Outcome(text(late.stdout or b""), text(late.stderr or b""), None, True))
    err = TURNED_DOWN.sub("", text(done.stderr))
    return judge(what, Outcome(text(done.stdout or b""), err, done.returncode))


def short(message, length=400):
    return message if len(message) <= length else message[:length] + "…"


def expect(what, done, error=None, out=None, status=None, place=None, source=""):
    """Compares an outcome with what is wanted; `error` may end in … for any rest."""
    if done.timed_out:
        return
    if status is None:
        status = 1 if error else 0
    check(what + ": status", done.status == status,
          "%s, not %d\n%s" % (done.status, status, short(done.err, 1000)))
    if error is not None:
        got = done.error
        same = got.startswith(error[:-1]) if error.endswith("…") else got == error
        check(what + ": error", same, "\n  got    %s\n  wanted %s" % (short(got), error))
    if out is not None:
        check(what + ": output", done.out == out, "%r, not %r" % (short(done.out), out))
    if place:
        check(what + ": place", done.error_place(source) == place[:2] and underline(done) == place[2],
              "at %s for %d, not %s for %d\n%s" % (done.error_place(source), underline(done),
                                                  place[:2], place[2], short(done.err, 1000)))


def underline(done):
    """The width of the last mark below a line of source, 0 if there is none."""
    lines = [line.strip() for line in done.err.split("\n")]
    marks = [line for line in lines if line and not line.strip("~^")]
    return len(marks[-1]) if marks else 0


def marked(source):
    """The source without marks, and (line, column from 1, width) of what they surrounded."""
    begin, end = source.find("«"), source.find("»")
    if begin < 0:
        return source, None
    line = source.count("\n", 0, begin) + 1
    column = begin - (source.rfind("\n", 0, begin) + 1) + 1
    return source.replace("«", "").replace("»", ""), (line, column, max(end - begin - 1, 1))


def refuse(what, source, error, args=(), **options):
    """Runs a source given by -c, with marks; it has to end with the error."""
    plain, place = marked(source)
    done = run(what, [*args, "-c", plain], **options)
    # A whole line needs no mark below it.
    if place and underline(done) == 0:
        lines = plain.split("\n")
        if lines[place[0] - 1].strip() == lines[place[0] - 1][place[1] - 1:][:place[2]]:
            check(what + ": line", done.error_place(plain)[0] == place[0], done.err)
            place = None
    expect(what, done, error=error, place=place, source=plain)
    return done


def refuse_all(table):
    for i, (source, error) in enumerate(table):
        refuse("%d (%s)" % (i + 1, short(source.split("\n")[-1], 50)), source, error)
