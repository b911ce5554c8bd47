#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""How much may be pending makes no difference: generated array programs, and scripts of tests/ that use
arrays, print the same with --depth 1, with the default and with the largest depth, and on the mirror
backend with those depths. Output, exit status and what goes to standard error are compared; only the
order of warnings is free. (LAPACK's last digits depend on the thread it runs on, and the mirror has
one of its own: there each backend is compared with itself.)

Each generated program runs twice: as it is, where every step is shown at once, and with what it shows
kept to the end of a row of programs, so that hundreds of operations wait for one another.

usage: depths_test.py NACRE [--count N] [--seed S] [--jobs J] [--all]
"""

import argparse
import glob
import os
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(TESTS, "generated"), os.path.join(TESTS, "run")]

from array_program import make_program  # noqa: E402
from process import limited, text  # noqa: E402
import process  # noqa: E402
from sanitizers import sanitizers_of  # noqa: E402

BACKENDS = ((), ("--backend", "mirror"))
DEPTHS = (("--depth", "1"), (), ("--depth", "256"))
COUNT, BATCH, SECONDS = 300, 100, 120
# Scripts that the default run takes from each folder: one in so many.
FOLDERS = {"array": 3, "array_errors": 2, "functions": 4, "kernels": 6, "sorting": 4, "linalg": 6, "fft": 5,
           "random": 9, "files": 5}
ALWAYS = {"mapped.ncr"}  # writes to memory that is not the engine's
WARNING = re.compile(r"^\S+:\d+: \w*Warning: ")
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+>")
AT_ONCE = """import sys
def report(e):
    print("-1 !", type(e).__name__ + ":", e)
"""
ONE_AT_ONCE = """print("=== program %d", flush=True)
try:
    import p_%d
except Exception as e:
    report(e)
"""
LATE = """import observing
def report(e):
    observing.mark("-1 ! " + type(e).__name__ + ": " + str(e))
"""
ONE_LATE = """observing.mark("=== program %d")
try:
    import p_%d
except Exception as e:
    report(e)
"""
ROW = 6  # programs whose output comes together


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nacre")
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", default="depths")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="all scripts")
    options = parser.parse_args()
    options.nacre = os.path.abspath(options.nacre)
    options.slow = 8 if sanitizers_of(options.nacre) else 1
    options.share = 8 if options.slow > 1 or "NACRE_STRESS" in os.environ else 1  # of the default run
    options.count = options.count or COUNT // options.share
    return options


class Answer:
    """What a run said. Warnings are put in order, with the source lines below them; addresses are left out."""

    def __init__(self, done):
        self.status, self.out = "no end" if done.timed_out else done.status, done.out
        warnings, rest, held = [], [], None
        for line in ADDRESS.sub("at 0x>", done.err).split("\n"):
            if WARNING.match(line):
                held = line
                warnings.append(held)
            elif held is not None and line.startswith("  ") and not line.startswith("  File"):
                warnings[-1] += "\n" + line
                held = None
            else:
                rest.append(line)
                held = None
        self.err = "\n".join(sorted(warnings) + rest)

    def difference(self, other):
        """What is not as in the other one, or None."""
        for name in ("status", "out", "err"):
            mine, wanted = str(getattr(self, name)), str(getattr(other, name))
            if mine == wanted:
                continue
            pairs = list(zip(mine.split("\n") + [""], wanted.split("\n") + [""]))
            at = next((i for i, (a, b) in enumerate(pairs) if a != b), len(pairs) - 1)
            program = [line for line, _ in pairs[:at] if line.startswith("=== program")]
            return "%s, line %d%s:\n  %s\n  and not\n  %s" % (
                name, at + 1, " of " + program[-1][4:] if program else "", pairs[at][0][:300],
                pairs[at][1][:300])
        return None


def ask(options, way, path):
    # Sanitizers map terabytes.
    return Answer(process.run([options.nacre, *way, path], SECONDS * options.slow,
                              memory_gib=0 if options.slow > 1 else 8))


def compare(options, what, path):
    """The differences between the ways to run a file."""
    wanted, found = None, []
    for way in (backend + depth for backend in BACKENDS for depth in DEPTHS):
        answer = ask(options, way, path)
        if not isinstance(answer.status, int) or not 0 <= answer.status < 128:
            found.append("%s with %s: ended with %s\n%s" % (what, way, answer.status, answer.err[-500:]))
        if wanted is None or way == BACKENDS[1] + DEPTHS[0] and what.startswith("linalg"):
            wanted = answer
        difference = answer.difference(wanted)
        if difference:
            found.append("%s with %s: %s" % (what, " ".join(way) or "no options", difference))
    return found


def make_texts(job):
    seed, numbers = job
    return {number: make_program(seed, number) for number in numbers}


def texts_of(seed, rows, jobs):
    """{number: text}. Making a program runs it with NumPy, which now and then ends the process: such a
    program is left out."""
    texts, left = {}, []
    with ProcessPoolExecutor(jobs) as makers:
        for row, future in [(row, makers.submit(make_texts, (seed, row))) for row in rows]:
            try:
                texts.update(future.result())
            except BrokenProcessPool:
                left.append(row)
    for row in left:
        if len(row) > 1:
            middle = len(row) // 2
            texts.update(texts_of(seed, [row[:middle]], 1))
            texts.update(texts_of(seed, [row[middle:]], 1))
    return texts


def batch(options, numbers, texts):
    found = []
    for late in (False, True):
        with tempfile.TemporaryDirectory(prefix="nacre-depths-") as folder:
            for number in numbers:
                with open(os.path.join(folder, "p_%d.py" % number), "w", encoding="utf-8") as file:
                    file.write(texts[number])
            shutil.copy(os.path.join(HERE, "observing.py"),
                        os.path.join(folder, "at_once.py" if late else "observing.py"))
            if late:
                shutil.copy(os.path.join(HERE, "late.py"), os.path.join(folder, "observing.py"))
            driver = LATE if late else AT_ONCE
            for i, number in enumerate(numbers):
                driver += (ONE_LATE if late else ONE_AT_ONCE) % (number, number)
                if late and (i % ROW == ROW - 1 or i + 1 == len(numbers)):
                    driver += "observing.flush()\n"
            path = os.path.join(folder, "driver.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(driver)
            what = "programs %d to %d%s" % (numbers[0], numbers[-1], ", shown late" if late else "")
            found += compare(options, what, path)
    return found


def scripts(everything, share):
    """Scripts that use arrays; of most folders only some."""
    for folder, step in FOLDERS.items():
        paths = sorted(glob.glob(os.path.join(TESTS, folder, "*.ncr")))
        for i, path in enumerate(paths):
            if everything or i % (step * share) == 0 or os.path.basename(path) in ALWAYS:
                yield path


def main():
    options = parse_arguments()
    start = time.monotonic()
    rows = [range(at, min(at + BATCH, options.count)) for at in range(0, options.count, BATCH)]
    texts = texts_of(options.seed, rows, options.jobs)
    rows = [made for made in ([n for n in row if n in texts] for row in rows) if made]
    chosen = list(scripts(options.all, options.share))
    with ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(batch, options, row, texts) for row in rows]
        waiting += [pool.submit(compare, options, os.path.relpath(path, TESTS), path) for path in chosen]
        found = [difference for each in waiting for difference in each.result()]
    for difference in found:
        print("FAILED " + difference)
    print("%d programs and %d scripts in %d ways, %.0f s" % (
        len(texts), len(chosen), len(BACKENDS) * len(DEPTHS), time.monotonic() - start))
    print("%d differences" % len(found))
    return 1 if found or len(texts) < 0.95 * options.count or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
