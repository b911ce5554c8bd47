#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The public test suite of the array API standard on Nacre, through the module `nacre_array` beside this file.

    run.py NACRE             few examples a test, without those that not_passing.txt names; all others have to pass
    run.py NACRE --all       many, of all tests, on NumPy too; fails as well if one of those passes; writes
                             bench/results/array_api.md
    run.py NACRE -k NAME     further options are pytest's; nothing is compared

Examples are the same ones every time. `fetch` brings the suite; without it the exit status is 77.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FETCHED = os.path.join(ROOT, "build", "array_api")
SUITE, PYTHON = os.path.join(FETCHED, "suite"), os.path.join(FETCHED, "venv", "bin", "python")
NOT_PASSING = os.path.join(HERE, "not_passing.txt")
SKIPPED = 77  # the exit status for a test that cannot be run
FEW, MANY = 3, 100  # examples a test
FAILED = "failed", "error"
SOMETIMES = "for some examples: "  # a reason that begins so is one for tests that draw single examples

sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "tests", "build")]
import library  # noqa: E402
import measure  # noqa: E402


def is_there():
    return os.path.exists(os.path.join(SUITE, "complete")) and os.access(PYTHON, os.X_OK)


def environment_of(nacre):
    """Of a run on Nacre: where the bridge and the library are."""
    shared = os.path.join(os.path.dirname(os.path.dirname(nacre)), "lib", "libnacre.so")
    return dict(library.sanitized(nacre) or os.environ, PYTHONPATH=HERE, NACRE_LIBRARY=shared,
                ARRAY_API_TESTS_MODULE="nacre_array")


def environment_of_numpy(python):
    """Of a run on the NumPy of another interpreter, whose other packages are not meant."""
    folder = measure.output([python, "-c", "import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))"])
    return dict(os.environ, PYTHONPATH=os.pathsep.join((HERE, folder.strip())), ARRAY_API_TESTS_MODULE="numpy")


def run_suite(environment, examples, options=()):
    """Runs the suite: {test: outcome}, and what pytest printed."""
    with tempfile.TemporaryDirectory(prefix="nacre-array-api-") as folder:
        report = os.path.join(folder, "report.json")
        command = [PYTHON, "-m", "pytest", "array_api_tests", "--max-examples", str(examples), "--disable-deadline",
                   "--derandomize", "--hypothesis-seed=0", "-p", "seeded", "-p", "no:cacheprovider",
                   "-q", "--disable-warnings", "--tb=short", "--json-report", "--json-report-file", report, *options]
        # Examples depend on the order of sets too.
        done = subprocess.run(command, cwd=SUITE, env=dict(environment, PYTHONHASHSEED="0"), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode > 1:  # neither "all pass" nor "some fail"
            sys.exit("pytest ends with status %d:\n%s" % (done.returncode, done.stdout))
        with open(report, encoding="utf-8") as file:
            tests = json.load(file)["tests"]
    return {test["nodeid"]: test["outcome"] for test in tests}, done.stdout


def named_tests():
    """{test: why} of not_passing.txt, where the reason stands above the tests as a comment."""
    found, reason = {}, ""
    with open(NOT_PASSING, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith("# "):
                reason = line[2:]
            elif line:
                found[line] = reason
    return found


def of_outcome(results, *outcomes):
    return [test for test, outcome in results.items() if outcome in outcomes]


def counts(results):
    return [len(of_outcome(results, *outcomes)) for outcomes in (("passed",), FAILED, ("skipped",))]


def compare(results, named, also_passing):
    """What differs from not_passing.txt, as lines."""
    unnamed = {test: outcome for test, outcome in results.items() if test not in named}
    lines = ["%s: %s" % (outcome, test) for test, outcome in unnamed.items() if outcome != "passed"]
    lines += ["there is no test " + test for test in named if test not in results]
    if also_passing:
        always = {test for test, why in named.items() if not why.startswith(SOMETIMES)}
        lines += ["passes by now: " + test for test in of_outcome(results, "passed") if test in always]
    return lines


def reasons_table(ours, numpys, named):
    """What fails and why, and how many of these tests fail for NumPy."""
    tests_of = {}
    for test in of_outcome(ours, *FAILED):
        tests_of.setdefault(named.get(test, "not looked into yet"), []).append(test)
    return measure.table(["what fails", "Nacre", "NumPy"], [
        [why, str(len(tests)), str(sum(numpys[test] in FAILED for test in tests))] for why, tests in tests_of.items()])


def write_results(options, ours, numpys, named):
    figures = [["Nacre", *map(str, counts(ours))], ["NumPy", *map(str, counts(numpys))]]
    lines = measure.table(["", "passed", "failed", "skipped"], figures) + [""] + reasons_table(ours, numpys, named)
    more = sum(numpys[test] in FAILED for test in of_outcome(ours, "passed"))
    lines += ["", "%d tests that Nacre passes fail for NumPy." % more]
    commit = measure.output(["git", "-C", SUITE, "rev-parse", "--short", "HEAD"]).strip()
    about = ("[array-api-tests](https://github.com/data-apis/array-api-tests) at commit %s, %d examples a test: "
             "`tests/array_api/run.py build/release/bin/nacre --all`." % (commit, options.examples))
    measure.write(options, "array_api.md", "The test suite of the array API standard", about, lines, ["numpy"])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nacre", type=os.path.abspath)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--examples", type=int, help="a test (%d, with --all %d)" % (FEW, MANY))
    parser.add_argument("--dry", action="store_true", help="print; leave bench/results alone")
    options, options.pytest = parser.parse_known_args()
    options.python = sys.executable
    options.examples = options.examples or (MANY if options.all else FEW)
    return options


def main():
    options = arguments()
    if not is_there():
        print("tests/array_api/fetch has not been run")
        return SKIPPED
    # A failure is made small, which takes the time of many examples.
    left_out = [] if options.all or options.pytest else ["--skips-file", NOT_PASSING]
    results, printed = run_suite(environment_of(options.nacre), options.examples, left_out + options.pytest)
    if options.pytest:
        print(printed)
        return 1 if of_outcome(results, *FAILED) else 0
    named = named_tests()
    differs = compare(results, named, options.all)
    if options.all:
        write_results(options, results, run_suite(environment_of_numpy(sys.executable), options.examples)[0], named)
    if differs:
        print(printed)
    print("\n".join(differs + ["%d passed, %d failed, %d skipped" % tuple(counts(results))]))
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
