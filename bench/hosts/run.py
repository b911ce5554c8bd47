#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What a host pays: calls of functions of the script, arrays over its memory, a VM's memory; a chain of array operations in
Lua and LuaJIT beside the same chain in a script.

Writes bench/results/hosts.md.
"""

import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import measure  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def build(lib, folder):
    program = os.path.join(folder, "calls")
    measure.output(["cc", "-O2", os.path.join(HERE, "calls.c"), "-o", program,
                    "-I" + os.path.join(measure.ROOT, "include"), "-L" + lib, "-lnacre", "-Wl,-rpath," + lib])
    return program


def of_calls(program, times):
    found = [measure.figures([program]) for _ in range(times)]
    nanoseconds = [[name, "%.0f ns" % (1e9 * measure.median([each[key] for each in found])),
                    "%.0f to %.0f" % tuple(1e9 * end for end in measure.interval([each[key] for each in found]))]
                   for name, key in (("call of a function of two arguments, its result held and released", "call"),
                                     ("the same call within the script", "within"),
                                     ("an array over the host's memory, made and released", "wrap"))]
    megabytes = []
    for name, key in (("the first VM of a process, resident, with the library's pages that it touches", "first_resident"),
                      ("another VM, resident", "resident")):
        each_time = [each[key] / 1e6 for each in found]
        megabytes.append([name, "%.2f MB" % measure.median(each_time), "%.2f to %.2f" % measure.interval(each_time)])
    return nanoseconds + megabytes


def of_chains(lib, times):
    os.environ["LUA_PATH"] = os.path.join(lib, "lua", "?.lua")
    os.environ["LUA_CPATH"] = os.path.join(lib, "lua", "?.so")
    rows = []
    for program in ("lua5.4", "luajit"):
        if not shutil.which(program):
            continue
        found = [measure.figures([program, os.path.join(HERE, "chain.lua")]) for _ in range(times)]
        for chain in ("straight", "forked"):
            ratios = [each[chain] / each[chain + "_script"] for each in found]
            rows.append(["%s, %s" % (program, chain), "%.2f" % measure.median(ratios),
                         "%.2f to %.2f" % measure.interval(ratios)])
    return rows


def main():
    options = measure.arguments(__doc__, 9)
    lib = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(options.nacre))), "lib")
    with tempfile.TemporaryDirectory() as folder:
        calls = of_calls(build(lib, folder), options.pairs)
    lines = measure.table(["what", "median", "interval"], calls)
    lines += ["", "A chain of five operations on 10⁷ doubles; its time over that of the same chain in a script.",
              "Forked: two of the results are needed at the end, one of which Lua still holds by then.", ""]
    lines += measure.table(["in", "median", "interval"], of_chains(lib, options.pairs))
    measure.write(options, "hosts.md", "What a host pays",
                  "Medians of %d processes with their 95 %% intervals." % options.pairs, lines, [])


if __name__ == "__main__":
    main()
