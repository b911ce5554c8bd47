#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""`ctest -L LABEL` selects the tests of a subject, wherever their folders are, and no others.

usage: labels_test.py NACRE
"""

import json
import os
import subprocess
import sys

# Of each label, what begins the names of its tests, and tests that must be among them. An expression of
# ctest matches a part of a label: `lua` is for both programs.
LABELS = {
    "embed": (("api/", "build/embed_test", "build/bundle_test", "docs/"),
              ("api/api_test", "api/abi_test", "build/embed_test", "build/bundle_test")),
    "fault": (("fault/", "graph/watch_fault_test"), ("fault/fault_test", "graph/watch_fault_test")),
    "^lua$": (("lua/",), ()),
    "luajit": (("luajit/",), ()),
    "lua": (("lua/", "luajit/"), ()),
}


def selected(build, *options):
    done = subprocess.run(["ctest", "--show-only=json-v1", *options], cwd=build, capture_output=True, text=True,
                          check=True)
    return {test["name"] for test in json.loads(done.stdout)["tests"]}


def main():
    build = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
    every, wrong = selected(build), 0
    for label, (beginnings, needed) in LABELS.items():
        expected = {name for name in every if name.startswith(beginnings)}
        got = selected(build, "-L", label)
        if got != expected or not expected.issuperset(needed):
            wrong += 1
            print("%s: %s" % (label, sorted(got ^ expected | (set(needed) - got))))
    print("%d labels, %d wrong" % (len(LABELS), wrong))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
