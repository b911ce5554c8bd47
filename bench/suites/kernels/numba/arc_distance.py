# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def arc_distance(theta_1, phi_1, theta_2, phi_2):
    out = np.empty_like(theta_1)
    for i in prange(theta_1.size):
        half = np.sin((theta_2[i] - theta_1[i]) / 2)**2 + \
            np.cos(theta_1[i]) * np.cos(theta_2[i]) * np.sin((phi_2[i] - phi_1[i]) / 2)**2
        out[i] = 2 * np.arctan2(np.sqrt(half), np.sqrt(1 - half))
    return out
