#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Patterns that backtrack for ever, or into much memory: limits of time and memory are kept.

usage: re_limits_test.py NACRE
"""

import subprocess
import sys
import time

# Pattern, text. The set at the end of each keeps PCRE2 from seeing at once that the text has no such character.
ENDLESS = [
    (r"(a+)+[bc]", "'a' * 64"),
    (r"\\s+$", "' ' * 3000000 + 'x'"),
    (r"(a*)*[bc]", "'a' * 5000"),
    (r"(.*)(.*)(.*)(.*)[yz]", "'x' * 100000"),
    (r"(?:a|a)*[bc]", "'a' * 60"),
    (r"(?:é|e)+$[xy]", "'é' * 1000000"),
    (r"(?=(a*))\\1[bc]", "'a' * 300000"),
    (r"(.*)(.*)\\1\\2[xy]", "'ab' * 3000"),
]
DEEP = "import re\nprint(re.match('(?:(a)|b)*?$', 'ab' * 3000000))"


def last_line(nacre, options, code):
    done = subprocess.run([nacre, *options, "-c", code], capture_output=True, text=True, timeout=100)
    return (done.stderr.strip() or done.stdout.strip()).split("\n")[-1]


def main():
    nacre, failures = sys.argv[1], 0
    for pattern, text in ENDLESS:
        code = "import re\ntext = %s\nre.search('%s', text)" % (text, pattern)
        begin = time.monotonic()
        line = last_line(nacre, ["--time-limit", "0.5"], code)
        took = time.monotonic() - begin
        if not line.startswith("TimeoutError") or took > 30:
            failures += 1
            print("%s on %s: %s, after %.1f s" % (pattern, text, line, took))
    line = last_line(nacre, ["--memory-limit", "100M"], DEEP)
    if not line.startswith("MemoryError"):
        failures += 1
        print("deep backtracking in 100 MB: %s" % line)
    print("%d failed" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
