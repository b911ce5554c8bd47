# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Conjugate gradients for Poisson's equation, by themselves and with a V-cycle of two grids in front of each step: the
coarse matrix is the Galerkin product R A P, and smoothing is weighted Jacobi."""

import sys

import numpy as np
from scipy.sparse import coo_array, diags_array, kron, kronsum
from scipy.sparse.linalg import LinearOperator, cg

N = int(sys.argv[1]) if len(sys.argv) > 1 else 128


def poisson(n):
    line = diags_array([np.full(n - 1, -1.0), np.full(n, 2.0), np.full(n - 1, -1.0)], offsets=[-1, 0, 1])
    return kronsum(line, line, format="csr")


def injection(n):
    """Takes every second point of every second line of the fine grid."""
    coarse = n // 2
    i, j = np.meshgrid(np.arange(coarse), np.arange(coarse))
    fine = (2 * i + 2 * j * n).ravel()
    return coo_array((np.ones(coarse**2), (np.arange(coarse**2), fine)), shape=(coarse**2, n * n)).tocsr()


def full_weighting(n):
    """Each coarse point from its line of three fine ones, in both directions."""
    coarse = n // 2
    k = np.arange(coarse)
    row, col = np.concatenate([k, k, k[1:]]), np.concatenate([2 * k, 2 * k + 1, 2 * k[1:] - 1])
    weight = np.concatenate([np.full(coarse, 1.0), np.full(2 * coarse - 1, 0.5)])
    line = coo_array((weight, (row, col)), shape=(coarse, n)).tocsr()
    return kron(line, line, format="csr")


def jacobi_weight(A):
    """4/3 of the inverse of the largest eigenvalue of A D^-1, by 15 power iterations."""
    inverse = 1.0 / A.diagonal()
    v = np.random.default_rng(1).random(A.shape[0])
    for _ in range(15):
        w = A @ (inverse * v)
        rho = np.linalg.norm(w) / np.linalg.norm(v)
        v = w / np.linalg.norm(w)
    return 4.0 / 3.0 / rho * inverse


def v_cycle(A, R):
    P = R.T.tocsr()
    smooth, coarse = jacobi_weight(A), jacobi_weight(R @ A @ P)

    def cycle(r):
        x = smooth * r
        x = x + P @ (coarse * (R @ (r - A @ x)))
        return x + smooth * (r - A @ x)

    return LinearOperator(A.shape, matvec=cycle, dtype=float)


A = poisson(N)
b = np.random.default_rng(0).random(N * N)
for name, M in (("none", None), ("injection", v_cycle(A, injection(N))), ("full weighting", v_cycle(A, full_weighting(N)))):
    steps = []
    x, info = cg(A, b, rtol=1e-8, M=M, maxiter=5000, callback=lambda xk: steps.append(1))
    print(f"{name}: {len(steps)} iterations, info {info}")
