# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""How each kernel in C is called: a function per kernel takes what the kernel in NumPy takes and
returns (C's arguments, the result). What C writes besides is made here, before the clock runs."""

import os

import numpy as np

TILE = 64  # of floyd_warshall.c
THREADS = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count())


def aligned(like):
    """An array like another one, whose first byte is at a multiple of 64."""
    room = np.empty(like.size + 8, dtype=like.dtype)
    skip = -room.ctypes.data % 64 // like.itemsize
    return room[skip:skip + like.size].reshape(like.shape)


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


def arc_distance(theta_1, phi_1, theta_2, phi_2):
    out = np.empty_like(theta_1)
    return (out.size, theta_1, phi_1, theta_2, phi_2, out), out


def azimint_naive(data, radius, npt):
    means = np.empty(npt)
    return (data.size, npt, data, radius, means), means


def compute(array_1, array_2, a, b, c):
    out = aligned(array_1)
    return (out.size, a, b, c, array_1, array_2, out), out


def conv2d_bias(image, weights, bias):
    n, h, w, _ = image.shape
    k, co = weights.shape[0], bias.size
    out = np.empty((n, h - k + 1, w - k + 1, co), dtype=np.float32)
    return (*image.shape, k, co, image, weights, bias, out), out


def covariance(M, float_n, data):
    cov, mean = np.empty((M, M)), np.empty(M)
    return (*data.shape, data, cov, mean), cov


def crc16(data):
    result = np.empty(1, dtype=np.int64)
    return (data.size, data, result), result


def doitgen(NR, NQ, NP, A, C4):
    return (NR, NQ, NP, A, C4, np.empty((768, NP))), A


def go_fast(a):
    out = aligned(a)
    return (a.shape[0], a, out), out


def mandelbrot1(xmin, xmax, ymin, ymax, xn, yn, maxiter, horizon):
    x, y = np.linspace(xmin, xmax, xn), np.linspace(ymin, ymax, yn)
    Z, N = np.empty((yn, xn), dtype=np.complex128), np.empty((yn, xn), dtype=np.int64)
    return (xn, yn, maxiter, horizon, x, y, Z, N), (Z, N)


def mandelbrot2(xmin, xmax, ymin, ymax, xn, yn, itermax, horizon):
    x, y = np.linspace(xmin, xmax, xn), np.linspace(ymin, ymax, yn)
    Z, N = np.empty((xn, yn), dtype=np.complex128), np.empty((xn, yn), dtype=np.int64)
    return (xn, yn, itermax, horizon, x, y, Z, N), (Z.T, N.T)


def nbody(mass, pos, vel, N, steps, dt, G, softening):
    kinetic, potential = np.empty(steps + 1), np.empty(steps + 1)
    return (N, steps, dt, G, softening, mass, pos, vel, kinetic, potential, np.empty(9 * N)), (
        kinetic, potential)


def nussinov(N, seq):
    table = np.empty((N, N), dtype=np.int32)
    return (N, seq, table), table


def softmax(x):
    y = np.empty_like(x)
    return (x.size // x.shape[-1], x.shape[-1], x, y), y


def spmv(A_row, A_col, A_val, x):
    y = np.empty(A_row.size - 1)
    return (y.size, A_val.size, A_row, A_col, A_val, x, y), y


def cavity_flow(nx, ny, nt, nit, u, v, dt, dx, dy, p, rho, nu):
    room = np.empty(4 * nx * ny)
    return (nx, ny, nt, nit, dt, dx, dy, rho, nu, u, v, p, room), (u, v, p)


def channel_flow(nit, u, v, dt, dx, dy, p, rho, nu, F):
    ny, nx = u.shape
    room, steps = np.empty(7 * (nx + 2) * ny), np.empty(1, dtype=np.int64)
    return (nx, ny, nit, dt, dx, dy, rho, nu, F, u, v, p, room, steps), (steps, u, v, p)
