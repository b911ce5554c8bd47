# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# usage: linalg.py SIZE: a line for each function on matrices of so many rows, with the seconds of one
# call: the least of several rounds, each long enough for the clock.
import sys
import time

import numpy as np

n = int(sys.argv[1])
linalg = np.linalg
rng = np.random.default_rng(1)
a = rng.standard_normal((n, n))
definite = a @ a.T + n * np.eye(n)
symmetric = a + a.T
b = rng.standard_normal(n)
sides = rng.standard_normal((n, n))


def seconds(call):
    rounds, best = 1, 1e9
    call()
    while True:
        start = time.perf_counter()
        for _ in range(rounds):
            call()
        spent = time.perf_counter() - start
        if spent > 0.002 or rounds > 1 << 20:
            break
        rounds *= 2
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(rounds):
            call()
        best = min(best, (time.perf_counter() - start) / rounds)
    return best


def measured(name, call):
    print(name, seconds(call))


measured("solve, one side", lambda: linalg.solve(a, b))
measured("solve, n sides", lambda: linalg.solve(a, sides))
measured("inv", lambda: linalg.inv(a))
measured("slogdet", lambda: linalg.slogdet(a))
measured("cholesky", lambda: linalg.cholesky(definite))
measured("qr", lambda: linalg.qr(a))
measured("eigh", lambda: linalg.eigh(symmetric))
measured("eigvalsh", lambda: linalg.eigvalsh(symmetric))
measured("svd", lambda: linalg.svd(a))
measured("svdvals", lambda: linalg.svdvals(a))
if n < 1000:
    measured("eig", lambda: linalg.eig(a))
    measured("lstsq", lambda: linalg.lstsq(a, b))
measured("norm", lambda: linalg.norm(a))
