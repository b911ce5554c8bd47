# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""How each kernel in C is called: a function per kernel takes what the kernel in NumPy takes and
returns (C's arguments, the result). What C writes besides is made here, before the clock runs."""

import numpy as np

TILE = 64  # of floyd_warshall.c


def atax(A, x):
    y = np.empty(A.shape[1])
    return (*A.shape, A, x, y), y


def bicg(A, p, r):
    s, q = np.empty(A.shape[1]), np.empty(A.shape[0])
    return (*A.shape, A, p, r, s, q), (s, q)


def cholesky(A):
    return (A.shape[0], A), A


def durbin(r):
    y, room, turned = np.empty_like(r), np.empty_like(r), np.empty_like(r)
    return (r.size, r, y, room, turned), y


def floyd_warshall(path):
    n = path.shape[0]
    side = -(-n // TILE) * TILE
    return (n, side, path, np.empty((side, side), dtype=np.int32)), path


def gemm(alpha, beta, C, A, B):
    return (*C.shape, A.shape[1], alpha, beta, C, A, B), C


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    return (A.shape[0], alpha, beta, A, u1, v1, u2, v2, w, x, y, z), (A, x, w)


def gesummv(alpha, beta, A, B, x):
    y = np.empty_like(x)
    return (A.shape[0], alpha, beta, A, B, x, y), y


def gramschmidt(A):
    Q, R = np.zeros_like(A), np.zeros((A.shape[1], A.shape[1]))
    return (*A.shape, A, Q, R), (Q, R)


def lu(A):
    return (A.shape[0], A), A


def mvt(x1, x2, y_1, y_2, A):
    return (A.shape[0], x1, x2, y_1, y_2, A), (x1, x2)


def symm(alpha, beta, C, A, B):
    return (*C.shape, alpha, beta, C, A, B), C


def syr2k(alpha, beta, C, A, B):
    return (*A.shape, alpha, beta, C, A, B), C


def syrk(alpha, beta, C, A):
    return (*A.shape, alpha, beta, C, A), C


def trisolv(L, x, b):
    return (x.size, L, x, b), x


def trmm(alpha, A, B):
    return (*B.shape, alpha, A, B), B
