#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Line coverage per file and folder, from the counters that the `coverage` build leaves.

    coverage.py BUILD_FOLDER
"""

import collections
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENGINE = ("lang", "vm", "backends", "stdlib", "hosts")


def counter_files(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".gcda"):
                yield os.path.join(place, name)


def executed_lines(folder):
    """{file: {line: times run}}, over every object that a file was compiled into."""
    files = collections.defaultdict(collections.Counter)
    for counters in counter_files(folder):
        done = subprocess.run(["gcov", "--stdout", "--json-format", counters],
                              capture_output=True, check=True)
        for record in done.stdout.decode().splitlines():
            for entry in json.loads(record)["files"]:
                name = os.path.relpath(os.path.join(folder, entry["file"]), ROOT)
                if name.split(os.sep)[0] in ENGINE:
                    for line in entry["lines"]:
                        files[name][line["line_number"]] += line["count"]
    return files


def row(name, ran, total):
    return "%6.1f %%  %6d of %6d  %s" % (100.0 * ran / total if total else 100, ran, total, name)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folders = collections.defaultdict(lambda: [0, 0])
    for name, lines in sorted(executed_lines(os.path.abspath(sys.argv[1])).items()):
        ran = sum(1 for count in lines.values() if count)
        print(row(name, ran, len(lines)))
        for key in (os.path.dirname(name), "all"):
            folders[key][0] += ran
            folders[key][1] += len(lines)
    print()
    for name, (ran, total) in sorted(folders.items(), key=lambda item: (item[0] == "all", item)):
        print(row(name, ran, total))


if __name__ == "__main__":
    main()
