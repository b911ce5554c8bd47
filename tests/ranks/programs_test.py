#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""How arrays are cut over ranks makes no difference: random NumPy programs print the same on one rank and on 2, 3, 5
and 7, with every array cut or only larger ones (--split-least), and each collective step compared between the ranks
(--check-ranks).

Numbers may differ as far as the order of a sum may change them, exceptions and warnings may not. The programs are those
of tests/generated_arrays, as they are and with what they show kept to the end of a row of programs (so that hundreds of
operations wait for one another), and those of rank_program.py, with arrays over grids of ranks as well (laid.py).

usage: programs_test.py NACRE [--count N] [--seed S] [--first N] [--ranks 2,3] [--kind K] [--every] [--show NUMBER] [-- OPTIONS]
OPTIONS go to the program under test on all sides.
"""

import argparse
import math
import os
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
ARRAYS = os.path.join(TESTS, "generated_arrays")
sys.path[:0] = [HERE, ARRAYS, os.path.join(TESTS, "generated"), os.path.join(TESTS, "run")]

import process  # noqa: E402
import rank_program  # noqa: E402
from comparing import NUMBER, blocks_agree  # noqa: E402
from depths_test import texts_of  # noqa: E402
from sanitizers import sanitizers_of  # noqa: E402

RANKS = (2, 3, 4, 5, 6, 7, 8)
LEAST = (1, 200)  # bytes of the arrays that are cut, in turn
COUNT, BATCH, ROW, SECONDS = 720, 30, 6, 120
KINDS = ("ranks", "grids", "arrays", "ranks", "grids", "late")  # of batches, in turn
TOLERANCE = {"float64": 1e-12, "complex128": 1e-12, "float32": 1e-5, "complex64": 1e-5, "float16": 1e-2,
             "python": 1e-12}
WARNING = re.compile(r"^\S+?:\d+: \w*Warning: .*$", re.M)
DRIVER = """def report(e):
    print("-1 !", type(e).__name__ + ":", e)
"""
ONE = """%s("=== program %d")
try:
    import p_%d
except Exception as e:
    report(e)
"""


# --- comparing -----------------------------------------------------------------------------------

def numbers_agree(got, want, dtype):
    """Two lists of elements, as far as rounding goes: relative to the largest of them."""
    if NUMBER.split(got) != NUMBER.split(want):
        return False
    pairs = [(float(a), float(b)) for a, b in zip(NUMBER.findall(got), NUMBER.findall(want))]
    size = max((abs(b) for _, b in pairs if math.isfinite(b)), default=0.0)
    most = TOLERANCE[dtype] * max(size, 1.0)
    return all(a == b or math.isnan(a) and math.isnan(b) or abs(a - b) <= most for a, b in pairs)


def shown_agree(got, want):
    """Two blocks of shown.py."""
    if got == want:
        return True
    head, _, values = want.partition("\n")
    ours, _, mine = got.partition("\n")
    match = re.match(r"\S+ = (\w+)", head)
    return head == ours and bool(match) and match.group(1) in TOLERANCE and numbers_agree(mine, values, match.group(1))


def blocks(output):
    """A program's output in parts: a head line and the lines that belong to it."""
    found = []
    for line in output.split("\n"):
        if re.match(r"\S+ [=~!] ", line) or not found:
            found.append(line)
        else:
            found[-1] += "\n" + line
    return found


def difference(got, want, agree):
    ours, theirs = blocks(got), blocks(want)
    for mine, wanted in zip(ours, theirs):
        if not agree(mine, wanted):
            return "%s\n  and not\n%s" % (mine[:600], wanted[:600])
    if len(ours) != len(theirs):
        return "%d values, and not %d" % (len(ours), len(theirs))
    return None


# --- running -------------------------------------------------------------------------------------

class Batch:
    """Programs that share a process, as files in a folder."""

    def __init__(self, folder, kind, texts):
        self.folder, self.kind, self.texts = folder, kind, texts
        for number, text in texts.items():
            self.write("p_%d.py" % number, text)
        late = kind == "late"
        self.agree = shown_agree if kind in ("ranks", "grids") else blocks_agree
        for module in ("shown.py", "laid.py"):
            shutil.copy(os.path.join(HERE, module), folder)
        observing = "at_once.py" if late else "observing.py"
        shutil.copy(os.path.join(ARRAYS, "observing.py"), os.path.join(folder, observing))
        if late:
            shutil.copy(os.path.join(ARRAYS, "late.py"), os.path.join(folder, "observing.py"))
        self.driver(late)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def driver(self, late):
        text = ("import observing\n" if late else "") + DRIVER
        for i, number in enumerate(self.texts):
            text += ONE % ("observing.mark" if late else "print", number, number)
            if late and (i % ROW == ROW - 1 or i + 1 == len(self.texts)):
                text += "observing.flush()\n"
        self.write("driver.py", text)

    def ask(self, options, ranks, least=None):
        """({number: output}, sorted warnings, how the process ended or None)."""
        command = [options.nacre, "-n", str(ranks)] + options.rest
        if ranks > 1:
            command += ["--transport", "loopback", "--split-least", str(least), "--check-ranks"]
        done = process.run(command + [os.path.join(self.folder, "driver.py")], SECONDS * options.slow)
        outputs = {}
        for part in ("\n" + done.out).split("\n=== program ")[1:]:
            number, _, text = part.partition("\n")
            outputs[int(number)] = text.rstrip("\n")
        ended = None if done.status == 0 else "%s, %s" % (
            "no end" if done.timed_out else "exit status %s" % done.status, done.err[-1500:])
        return outputs, sorted(WARNING.findall(done.err)), ended

    def compare(self, options, ways):
        """[(number, way, difference)], a way being a number of ranks and what they cut."""
        wanted, warned, ended = self.ask(options, 1)
        if ended:
            return [(max(wanted, default=-1), (1, None), ended)]
        found = []
        for way in ways:
            got, mine, ended = self.ask(options, *way)
            if ended:
                found.append((max(got, default=-1), way, ended))
            for number in self.texts:
                if ended and (number not in got or number == max(got)):
                    break
                differs = difference(got.get(number, ""), wanted[number], self.agree)
                if differs:
                    found.append((number, way, differs))
            if not ended and mine != warned:
                odd = [line for line in mine + warned if mine.count(line) != warned.count(line)]
                found.append((number_of(odd[0]), way, "warnings: %d, and not %d, of\n%s" % (
                    mine.count(odd[0]), warned.count(odd[0]), odd[0])))
        return found


def number_of(warning):
    match = re.search(r"p_(\d+)\.py", warning)
    return int(match.group(1)) if match else -1


def kind_of(options, at):
    return options.kind or KINDS[at // BATCH % len(KINDS)]


def make_texts(options, kind, numbers):
    if kind in ("ranks", "grids"):
        return {number: rank_program.make_program(options.seed, number, kind == "grids") for number in numbers}
    return texts_of(options.seed, [numbers], 1)


def run_batch(options, at):
    kind = kind_of(options, at)
    texts = make_texts(options, kind, range(at, min(at + BATCH, options.first + options.count)))
    ways = [(ranks, least) for ranks in options.ranks for least in LEAST]
    if not options.every:  # one with each of LEAST, and others for the next batch of the kind
        turn = sum(divmod(at // BATCH, len(KINDS)))
        ways = [ways[2 * turn % len(ways)], ways[(2 * turn + 3) % len(ways)]]
    with tempfile.TemporaryDirectory(prefix="nacre-programs-") as folder:
        return kind, len(texts), Batch(folder, kind, texts).compare(options, dict.fromkeys(ways))


def parse_arguments():
    arguments, rest = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, rest = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nacre")
    parser.add_argument("--count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="ranks")
    parser.add_argument("--ranks", default=",".join(map(str, RANKS)))
    parser.add_argument("--kind", choices=sorted(set(KINDS)), help="of all batches")
    parser.add_argument("--every", action="store_true", help="all programs in all ways")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int)
    options = parser.parse_args(arguments)
    options.rest = rest
    options.nacre = os.path.abspath(options.nacre)
    options.ranks = [int(ranks) for ranks in options.ranks.split(",")]
    options.slow = 8 if sanitizers_of(options.nacre) else 1
    share = 8 if options.slow > 1 or "NACRE_STRESS" in os.environ else 1  # of the default run
    options.count = options.count or COUNT // share
    options.first -= options.first % BATCH
    return options


def main():
    options = parse_arguments()
    if options.show is not None:
        kind = kind_of(options, options.show)
        print(make_texts(options, kind, [options.show])[options.show], end="")
        return 0
    start = time.monotonic()
    programs = 0
    failed = set()
    with ThreadPoolExecutor(options.jobs) as pool:
        for kind, count, found in pool.map(lambda at: run_batch(options, at),
                                           range(options.first, options.first + options.count, BATCH)):
            programs += count
            for number, (ranks, least), differs in found:
                failed.add(number)
                print("FAILED %s program %d on %d ranks that cut from %s bytes on: %s" % (
                    kind, number, ranks, least, differs), flush=True)
    print("%d programs, %d differ, %.0f s" % (programs, len(failed), time.monotonic() - start))
    return 1 if failed or programs < 0.95 * options.count else 0


if __name__ == "__main__":
    sys.exit(main())
