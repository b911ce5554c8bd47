#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What help() says of numpy's functions, methods and classes: each has words and an example, and what the example
prints is what Nacre prints and what NumPy prints.

    examples_test.py NACRE             fails if one of them is without, or an example is wrong
    examples_test.py NACRE --only X    of names that have X in them
"""

import argparse
import contextlib
import doctest
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

# Asked of Nacre: a line for each name, with its documentation.
PROBE = """import json
import numpy as np

PLACES = (
    ("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft), ("np.random", np.random),
    ("np.random.Generator", np.random.default_rng(1)), ("np.random.RandomState", np.random.RandomState(1)),
    ("np.ndarray", np.zeros((2, 2))), ("np.dtype", np.dtype("f8")), ("np.ufunc", np.add), ("np.lib", np.lib),
    ("np.lib.stride_tricks", np.lib.stride_tricks), ("np.testing", np.testing), ("np.emath", np.emath),
    ("np.polynomial.Polynomial", np.polynomial.Polynomial), ("np.polynomial.polyutils", np.polynomial.polyutils),
    ("np.polynomial.polynomial", np.polynomial.polynomial), ("np.polynomial.chebyshev", np.polynomial.chebyshev),
    ("np.polynomial.legendre", np.polynomial.legendre), ("np.polynomial.laguerre", np.polynomial.laguerre),
    ("np.polynomial.hermite", np.polynomial.hermite), ("np.polynomial.hermite_e", np.polynomial.hermite_e),
)
for place, thing in PLACES:
    for name in dir(thing):
        if name.startswith("_"):
            continue
        value = getattr(thing, name, None)
        if callable(value):
            print(json.dumps([f"{place}.{name}", type(value).__name__ == "type", value.__doc__]))
"""
# Without an example, because there is nothing that prints the same everywhere, or nothing to call.
WITHOUT = {
    "np.fromregex": "refused", "np.linalg.LinAlgError": "an exception", "np.get_include": "refused", "np.info": "prints", "np.show_config": "prints", "np.show_runtime": "prints",
    "np.random.get_bit_generator": "global state",
    "np.random.set_bit_generator": "global state", "np.dtype.type": "a class",
    "np.testing.assert_array_compare": "what other assertions are made of",
    "np.testing.assert_no_gc_cycles": "has a with statement to itself",
    "np.testing.assert_raises_regex": "the language has no regular expressions",
    "np.testing.break_cycles": "nothing to see", "np.testing.build_err_msg": "what other assertions are made of",
    "np.testing.clear_and_catch_warnings": "obsolete", "np.testing.check_support_sve": "of the machine", "np.testing.decorate_methods": "obsolete",
    "np.testing.jiffies": "a clock", "np.testing.measure": "a clock", "np.testing.memusage": "of the machine",
    "np.testing.print_assert_equal": "obsolete", "np.testing.run_threaded": "refused",
    "np.testing.rundocs": "refused", "np.testing.runstring": "refused", "np.testing.tempdir": "a path of the machine",
    "np.testing.temppath": "a path of the machine",
}


def documentation(nacre):
    """[(name, whether it is a class, text)]."""
    with tempfile.TemporaryDirectory(prefix="nacre-examples-") as folder:
        path = os.path.join(folder, "probe.ncr")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROBE)
        done = subprocess.run([nacre, path], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def by_nacre(nacre, name, text):
    """What `nacre doctest` complains about; "" for nothing."""
    with tempfile.TemporaryDirectory(prefix="nacre-examples-") as folder:
        path = os.path.join(folder, "example.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(">>> import numpy as np\n\n" + text + "\n")
        done = subprocess.run([nacre, "doctest", path], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def by_numpy(name, text):
    test = doctest.DocTestParser().get_doctest(text, {"np": np}, name, None, 0)
    said = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        doctest.DocTestRunner(verbose=False).run(test, out=said.write)
    return said.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nacre")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    wrong, checked, seen = [], 0, {}
    for name, is_class, text in documentation(options.nacre):
        if options.only not in name:
            continue
        if not text or not text.strip():
            if name in WITHOUT:
                continue
            wrong.append(f"{name} has no documentation")
            continue
        if ">>>" not in text:
            if not is_class and name not in WITHOUT:
                wrong.append(f"{name} has no example")
            continue
        if text in seen:
            continue
        seen[text] = name
        checked += 1
        for whose, said in (("Nacre", by_nacre(options.nacre, name, text)), ("NumPy", by_numpy(name, text))):
            if said:
                wrong.append(f"{name}: by {whose} the example is\n{said}")
    print("\n".join(wrong))
    print(f"{checked} examples, {len(wrong)} wrong or missing")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
