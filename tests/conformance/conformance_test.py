#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""NumPy's docstrings as tests: every example, with what NumPy really prints for it, through
`nacre doctest`.

    conformance_test.py NACRE                 compares with passing.txt, which may only grow
    conformance_test.py NACRE --update        writes passing.txt
    conformance_test.py NACRE --show NAME     the failures of one function

Examples that do not give the same every time are left out.
"""

import argparse
import hashlib
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RECORD = os.path.join(HERE, "record.py")
PASSING = os.path.join(HERE, "passing.txt")
RESULT = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)


def recorded_once(seed, library):
    env = dict(os.environ, PYTHONHASHSEED=str(seed))
    done = subprocess.run([sys.executable, RECORD, library], env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit("record.py fails:\n" + done.stderr[-2000:])
    return json.loads(done.stdout)


def recorded(library="numpy"):
    """{name: [[source, output], …]}; kept in the build folder, under a hash of its origin."""
    version = importlib.import_module(library.split(".")[0]).__version__
    with open(RECORD, "rb") as file:
        origin = hashlib.sha256(file.read() + (library + version).encode()).hexdigest()[:16]
    path = os.path.join(ROOT, "build", "conformance", origin + ".json")
    if not os.path.exists(path):
        first, *others = [recorded_once(seed, library) for seed in range(4)]
        both = {}
        for name, examples in first.items():
            same = [e for e in examples if all(e in other.get(name, []) for other in others)]
            if any(output for _, output in same):
                both[name] = same
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(both, file)
        os.replace(path + ".new", path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def as_text(examples):
    parts = []
    for source, output in [["import numpy as np\n", ""]] + examples:
        if IN_STRESS:
            source = source.replace("range(500)", "range(5)")
        lines = source.rstrip("\n").split("\n")
        parts.append(">>> " + "\n... ".join(lines))
        if output:
            parts.append(re.sub(r"^[ \t]*$", "<BLANKLINE>", output.rstrip("\n"), flags=re.M))
        parts.append("")
    return "\n".join(parts) + "\n"


# Seconds for the examples of one docstring. Checking every reference at every statement takes its time, so what NumPy's
# docstrings repeat 500 times, to have it timed, is repeated less often then.
IN_STRESS = "NACRE_STRESS" in os.environ
LIMIT = 300 if IN_STRESS else 60


def checked(nacre, name, examples):
    """(examples that pass, what `nacre doctest` says)."""
    with tempfile.TemporaryDirectory(prefix="nacre-conformance-") as folder:
        with open(os.path.join(folder, "examples.txt"), "w", encoding="utf-8") as file:
            file.write(as_text(examples))
        try:
            done = subprocess.run([nacre, "doctest", "examples.txt"], cwd=folder, timeout=LIMIT,
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return -1, "not finished"
    result = RESULT.search(done.stdout)
    if done.returncode not in (0, 1) or not result:
        return -1, "exit status %d\n%s" % (done.returncode, (done.stdout + done.stderr)[-1500:])
    return max(0, int(result.group(1)) - 1), done.stdout  # the import does not count


def read_passing():
    if not os.path.exists(PASSING):
        return {}
    with open(PASSING, encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    return {name: int(count) for name, count in rows}


def write_passing(counts, total):
    with open(PASSING, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: Apache-2.0\n# Copyright 2026 The Nacre Authors\n#\n"
                   "# How many examples of each of NumPy's docstrings pass (see conformance_test.py): "
                   "%d of %d.\n" % (sum(counts.values()), total))
        for name in sorted(counts):
            file.write("%s %d\n" % (name, counts[name]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nacre")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--show", metavar="NAME")
    options = parser.parse_args()
    nacre, names = os.path.abspath(options.nacre), recorded()
    if options.show:
        print(checked(nacre, options.show, names[options.show])[1], end="")
        return 0
    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(names, pool.map(lambda n: checked(nacre, n, names[n]), names)))
    wrong = [name for name, (count, _) in results.items() if count < 0]
    counts = {name: count for name, (count, _) in results.items() if count > 0}
    total = sum(map(len, names.values()))
    whole = sum(counts.get(name, 0) == len(examples) for name, examples in names.items())
    for name in wrong:
        print("%s: %s" % (name, results[name][1]))
    print("%d of %d examples pass (%.1f %%), %d of %d docstrings whole" %
          (sum(counts.values()), total, 100 * sum(counts.values()) / total, whole, len(names)))
    if options.update:
        write_passing(counts, total)
        return bool(wrong)
    fewer = [(name, counts.get(name, 0), count) for name, count in read_passing().items()
             if name in names and counts.get(name, 0) < count]
    for name, count, before in fewer:
        print("%s: %d examples pass, before %d\n%s" % (name, count, before, results[name][1][-1000:]))
    return bool(wrong or fewer)


if __name__ == "__main__":
    sys.exit(main())
