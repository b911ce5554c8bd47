#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The scripts of this folder where FFTW is not there, against CPython like the others, on one thread and on
several; and how far the two kinds of transforms are apart. Skipped where nothing can be preloaded.

usage: hidden_test.py NACRE
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77

# Norms of differences, relative; lengths with all kinds of factors, and primes.
APART = """
import numpy as np
rng = np.random.default_rng(7)
for n in (1, 2, 3, 64, 100, 360, 961, 1009, 4096, 30030, 65537, 1 << 17):
    a = rng.random(n) - 0.5
    c = a + 1j * rng.random(n)
    for x in (np.fft.fft(c), np.fft.ifft(c), np.fft.rfft(a), np.fft.irfft(np.fft.rfft(a), n), np.fft.fft(a),
              np.fft.fft(c.astype('complex64')), np.fft.rfft(a.astype('float32'))):
        print(n, x.dtype, *x[:: max(1, n // 50)].tolist())
"""
TOLERANCE = {"complex128": 2e-13, "float64": 2e-13, "complex64": 3e-5, "float32": 3e-5}


def run(words, hide, env=()):
    return subprocess.run(words, capture_output=True, text=True,
                          env=dict(os.environ, **dict(env), **({"LD_PRELOAD": hide} if hide else {})))


def apart(nacre, hide):
    texts = [run([nacre, "-c", APART], way).stdout.split("\n") for way in (None, hide)]
    wrong = 0 if len(texts[0]) == len(texts[1]) > 80 else 1
    for one, other in zip(*texts):
        if not one:
            continue
        (n, dtype, *these), (_, _, *those) = one.split(), other.split()
        these, those = [complex(x) for x in these], [complex(x) for x in those]
        gap = sum(abs(a - b) ** 2 for a, b in zip(these, those)) ** 0.5 / sum(abs(a) ** 2 for a in these) ** 0.5
        if not gap <= TOLERANCE[dtype]:
            wrong += 1
            print("%s points of %s: %g apart" % (n, dtype, gap))
    return wrong


def main():
    nacre = os.path.abspath(sys.argv[1])
    hide = os.path.join(os.path.dirname(os.path.dirname(nacre)), "tests", "hide.so")
    if not os.path.exists(hide):
        print("nothing can be preloaded")
        return SKIPPED
    about = run([nacre, "info"], hide).stdout
    if "FFTW: not there" not in about:
        print(about)
        return 1
    wrong = 0
    for threads in ("1", "4"):
        done = run([sys.executable, os.path.join(HERE, "..", "run", "run_ncr.py"), "--nacre", nacre, HERE], hide,
                   {"NACRE_THREADS": threads}.items())
        if done.returncode:
            wrong += 1
            print(done.stdout[-4000:] + done.stderr[-2000:])
    wrong += apart(nacre, hide)
    print("%d wrong" % wrong)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
