# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""How each kernel in C is called: a function per kernel takes what the kernel in NumPy takes and
returns (C's arguments, the result). What C writes besides is made here, before the clock runs."""

import os

import numpy as np

TILE = 64  # of floyd_warshall.c
THREADS = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count())


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


def adi(TSTEPS, N, u):
    room = np.empty(2 * N * N + 4 * N + THREADS * 8 * N)
    return (TSTEPS, N, u, room), u


def deriche(alpha, image):
    y, room = np.empty_like(image), np.empty(THREADS * image.shape[0] * 64)
    return (*image.shape, alpha, image, y, room), y


def fdtd_2d(TMAX, ex, ey, hz, fict):
    return (TMAX, *ex.shape, ex, ey, hz, fict), (ex, ey, hz)


def hdiff(in_field, out_field, coeff):
    return (*out_field.shape, in_field, out_field, coeff), out_field


def heat_3d(TSTEPS, A, B):
    return (TSTEPS, A.shape[0], A, B), (A, B)


def jacobi_1d(TSTEPS, A, B):
    return (TSTEPS, A.size, A, B, np.empty_like(A)), (A, B)


def jacobi_2d(TSTEPS, A, B):
    return (TSTEPS, A.shape[0], A, B), (A, B)


def seidel_2d(TSTEPS, N, A):
    return (TSTEPS, N, A), A


def vadv(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    return (*u_pos.shape, dtr_stage, utens_stage, u_stage, wcon, u_pos, utens), utens_stage
