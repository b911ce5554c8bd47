# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# The arrays that calls.txt speaks of, for n elements; NumPy runs this too.
import numpy as np


def make(n):
    """{name: array}, the same each time."""
    draw = np.random.default_rng(5)
    r = int(n ** 0.5)
    x, y = draw.standard_normal(n), draw.standard_normal(n)
    A, B = draw.standard_normal((r, r)), draw.standard_normal((r, r))
    return {
        "n": n, "r": r, "x": x, "y": y, "p": draw.random(n) + 0.5, "u": draw.uniform(-1, 1, n), "s": np.sort(x),
        "i": draw.integers(1, 10, n), "j": draw.integers(1, 10, n), "g": draw.integers(0, 100, n),
        "k": draw.integers(0, n, n), "b": draw.random(n) < 0.5, "d": draw.random(n) < 0.5,
        "h": draw.integers(0, 256, n).astype(np.uint8), "z": x + 1j * y, "A": A, "B": B,
        "S": A @ A.T / r + np.eye(r), "Z": A + 1j * B, "I": draw.integers(-9, 10, (r, r)), "v": draw.standard_normal(r),
        "Q": draw.standard_normal((n // 3, 3)), "K": draw.standard_normal((max(n // 9, 3), 3, 3)),
        "t": draw.standard_normal(min(n, 1000)), "rng": np.random.default_rng(7),
        "legacy": np.random.RandomState(7),
    }
