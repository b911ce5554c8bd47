#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The public test suite of the array API standard on Nacre, through the module `nacre_array` beside this file.

    run.py NACRE             few examples a test; fails if a test fails that failing.txt does not name
    run.py NACRE --all       many, on NumPy too; fails as well if a test of failing.txt does not; writes
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
FAILING = os.path.join(HERE, "failing.txt")
SKIPPED = 77  # the exit status for a test that cannot be run
FEW, MANY = 3, 100  # examples a test

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
    return dict(os.environ, PYTHONPATH=folder.strip(), ARRAY_API_TESTS_MODULE="numpy")


def run_suite(environment, examples, options=()):
    """Runs the suite: {test: outcome}, and what pytest printed."""
    with tempfile.TemporaryDirectory(prefix="nacre-array-api-") as folder:
        report = os.path.join(folder, "report.json")
        command = [PYTHON, "-m", "pytest", "array_api_tests", "--max-examples", str(examples), "--derandomize",
                   "--disable-deadline", "-q", "--disable-warnings", "--tb=short", "-p", "no:cacheprovider", "--json-report",
                   "--json-report-file", report, *options]
        done = subprocess.run(command, cwd=SUITE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        if done.returncode > 1:  # neither "all pass" nor "some fail"
            sys.exit("pytest ends with status %d:\n%s" % (done.returncode, done.stdout))
        with open(report, encoding="utf-8") as file:
            tests = json.load(file)["tests"]
    return {test["nodeid"]: test["outcome"] for test in tests}, done.stdout


def expected_failures():
    """{test: why} of failing.txt, where the reason stands above the tests as a comment."""
    found, reason = {}, ""
    with open(FAILING, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith("# "):
                reason = line[2:]
            elif line:
                found[line] = reason
    return found


def of_outcome(results, *outcomes):
    return [test for test, outcome in results.items() if outcome in outcomes]


def counts(results):
    return [len(of_outcome(results, "passed")), len(of_outcome(results, "failed", "error")),
            len(of_outcome(results, "skipped"))]


def compare(results, expected, also_passing):
    """What differs from failing.txt, as lines."""
    failed = of_outcome(results, "failed", "error")
    lines = ["fails: " + test for test in failed if test not in expected]
    lines += ["is no test: " + test for test in expected if test not in results]
    if also_passing:
        lines += ["passes by now: " + test for test in expected if test in results and test not in failed]
    return lines


def write_results(options, ours, numpys, expected):
    head = ["", "passed", "failed", "skipped"]
    rows = [[name] + [str(number) for number in counts(results)] for name, results in
            (("Nacre", ours), ("NumPy", numpys))]
    reasons = {}
    for test in of_outcome(ours, "failed", "error"):
        reasons.setdefault(expected.get(test, "not looked into"), []).append(test)
    lines = measure.table(head, rows) + ["", "What fails, why, and how many of these tests fail for NumPy too:", ""]
    whys = [[why, str(len(tests)), str(sum(numpys[test] == "failed" for test in tests))] for why, tests in reasons.items()]
    lines += measure.table(["reason", "Nacre", "NumPy"], whys)
    commit = measure.output(["git", "-C", SUITE, "rev-parse", "--short", "HEAD"]).strip()
    about = ("[array-api-tests](https://github.com/data-apis/array-api-tests) at commit %s, %d examples a test, the same "
             "ones for both: `tests/array_api/run.py build/release/bin/nacre --all`." % (commit, options.examples))
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
    results, printed = run_suite(environment_of(options.nacre), options.examples, options.pytest)
    if options.pytest:
        print(printed)
        return 0
    expected = expected_failures()
    differs = compare(results, expected, options.all)
    if options.all:
        write_results(options, results, run_suite(environment_of_numpy(sys.executable), options.examples)[0], expected)
    if differs:
        print(printed)
    print("\n".join(differs + ["%d passed, %d failed, %d skipped" % tuple(counts(results))]))
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
