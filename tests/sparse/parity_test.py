#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The names of SciPy that parity.tsv says are there are there, and docs/scipy.md counts them.

    parity_test.py PATH-OF-NACRE    prints the names that are missing; fails, if one that was there is gone
"""

import sys

import list_names


def main():
    with open(list_names.TABLE) as file:
        listed = file.read().splitlines()
    with open(list_names.EXAMPLES) as file:
        examples = file.read().splitlines()
    with open(list_names.PAGE) as file:
        page = file.read()
    now = list_names.state_of(sys.argv[1], [line.split("\t")[0] for line in listed])
    gone = [a for a, b in zip(listed, now) if a.endswith("\there") and not b.endswith("\there")]
    new = [b for a, b in zip(listed, now) if a.endswith("\tmissing") and b.endswith("\there")]
    print("missing:", *[line.split("\t")[0] for line in now if line.endswith("\tmissing")], sep="\n  ")
    print(f"{sum(line.endswith('here') for line in now)} of {len(now)} names are there")
    if len(now) != len(listed):
        sys.exit("the probe did not answer for every name")
    if gone:
        sys.exit("gone: " + " ".join(gone))
    if new:
        print("new; run list_names.py:", *new)
    if page != list_names.page_of(listed, examples):
        sys.exit("docs/scipy.md is not what list_names.py writes")


if __name__ == "__main__":
    main()
