# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def stockham_fft(N, R, K, x, y):
    factors = np.exp(-2.0j * np.pi * np.arange(R * R) / R)
    data, room = x.copy(), np.empty_like(x)
    for stage in range(K):
        before, behind = R**stage, R**(K - stage - 1)
        for at in prange(N // R):
            left, right = at // behind, at % behind
            for r in range(R):
                total = 0.0 + 0.0j
                for s in range(R):
                    twiddle = np.exp(-2.0j * np.pi * (s * left) / (before * R))
                    total += factors[r * s] * twiddle * data[(left * R + s) * behind + right]
                room[(r * before + left) * behind + right] = total
        data, room = room, data
    y[:] = data
    return y
