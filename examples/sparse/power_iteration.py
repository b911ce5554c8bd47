# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The largest eigenvalue of a random symmetric matrix by power iteration, sparse and dense arrays beside each other: the
first example of the paper on Legate Sparse (Yadav et al., SC 2023). The imports take what there is."""

try:
    import cupynumeric as np
    import legate_sparse as sparse
except ImportError:
    import numpy as np
    from scipy import sparse

N = 1000
ITERATIONS = 200

A = sparse.random(N, N, density=0.01, format="csr", rng=np.random.default_rng(7))
A = 0.5 * (A + A.T) + N * sparse.eye(N, format="csr")
x = np.random.default_rng(8).random(N)
for _ in range(ITERATIONS):
    x = A @ x
    x /= np.linalg.norm(x)
print(f"{A.nnz} entries, largest eigenvalue {np.dot(x, A @ x):.6f}")
