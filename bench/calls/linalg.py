# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# usage: linalg.py SIZE: the seconds of one call for each function on matrices of so many rows.
import sys

import numpy as np

from clock import measured

n = int(sys.argv[1])
linalg = np.linalg
rng = np.random.default_rng(1)
a = rng.standard_normal((n, n))
definite = a @ a.T + n * np.eye(n)
symmetric = a + a.T
b = rng.standard_normal(n)
sides = rng.standard_normal((n, n))

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
