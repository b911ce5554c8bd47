# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def vadv(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    I, J, K = utens_stage.shape
    for i in prange(I):
        c = np.empty(K)
        d = np.empty(K)
        for j in range(J):
            for k in range(K):
                above = below = up = down = 0.0
                if k > 0:
                    above = -0.25 * (wcon[i + 1, j, k] + wcon[i, j, k]) * BET_P
                    up = u_stage[i, j, k - 1] - u_stage[i, j, k]
                if k < K - 1:
                    below = 0.25 * (wcon[i + 1, j, k + 1] + wcon[i, j, k + 1]) * BET_P
                    down = u_stage[i, j, k + 1] - u_stage[i, j, k]
                right = (dtr_stage * u_pos[i, j, k] + utens[i, j, k] + utens_stage[i, j, k] -
                         above * up - below * down)
                if k > 0:
                    divided = 1.0 / (dtr_stage - above - below - c[k - 1] * above)
                    d[k] = (right - d[k - 1] * above) * divided
                else:
                    divided = 1.0 / (dtr_stage - below)
                    d[k] = right * divided
                c[k] = below * divided
            x = 0.0
            for k in range(K - 1, -1, -1):
                x = d[k] - c[k] * x
                utens_stage[i, j, k] = dtr_stage * (x - u_pos[i, j, k])
    return utens_stage
