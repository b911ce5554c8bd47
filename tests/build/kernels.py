# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Functions that are compiled ahead of time."""

from __future__ import annotations

import math

import numpy as np
from nacre import bool_, float32, float64, int32, int64, sizes, uint8

GRAVITY = 9.81
SCALE = np.float64(2.5)


def helper(x, k=2):
    return x * k + GRAVITY


def numbers(a: float64, b: float) -> float64:
    return helper(a) + math.sqrt(b) * SCALE


def weighted(a: float64, x: float64[N], y: float64[N]) -> float64:
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return a * s


def heat(u: float64[N, M], alpha: float64):
    v = u.copy()
    v[1:-1, 1:-1] += alpha * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
                              - 4 * u[1:-1, 1:-1])
    return v


def shift(u: float64[N, M], alpha: float64) -> None:
    u[1:, :] = u[:-1, :] * alpha


def reverse(x: float64[N]) -> None:
    x[:] = x[::-1]


def both(x: float64[N]) -> tuple[float64, float64[N]]:
    return x.sum(), x * 2 + 1


def same_twice(x: float64[N]):
    y = x + 1
    return y, y, x


def product(a: float64[N, K], b: float64[K, M]):
    return a @ b


def waves(x: float64[N]):
    return np.exp(-x) + np.sin(x)


def element(x: float64[N, M], i: int, j: int64) -> float64:
    return x[i, j]


def row(x: float64[N, M], i: int):
    return x[i]


def chosen(x: float64[N], at: int64[M]):
    return x[at]


def divided(a: int, b: int) -> tuple[int, int]:
    return a // b, a % b


def quotient(a: float, b: float) -> float:
    return a / b


def numpy_quotient(a: float64, b: float64) -> float64:
    return a / b


def factorial(n: int) -> int:
    if n < 0:
        raise ValueError("n must not be negative")
    s = 1
    for i in range(1, n + 1):
        s *= i
    return s


def known(n: int) -> int:
    if n > 3:
        raise KeyError
    assert n > 0, "n is to be positive"
    return n


def three(m: float64[3, 3], v: float64[3]):
    return m @ v


def square(m: float64[N, N], v: float64[N]):
    w = np.zeros(v.shape[0])
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            w[i] += m[i, j] * v[j]
    return w


def escape(re: float64, im: float64, most: int64) -> int:
    x = 0.0
    y = 0.0
    n = 0
    while n < most and x * x + y * y <= 4.0:
        x, y = x * x - y * y + re, 2 * x * y + im
        n += 1
    return n


def collatz(n: int) -> int:
    c = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        c += 1
    return c


def logarithm(x: float) -> float:
    return math.log(x)


def exponential(x: float) -> float:
    return math.exp(x)


def power(a: float, b: float) -> float:
    return a ** b


def numpy_power(a: float64, b: float64) -> float64:
    return a ** b


def wrapped(a: int32, b: int32) -> int32:
    return a * b + a


def wrapped_quotient(a: int64, b: int64) -> tuple[int64, int64]:
    return a // b, a % b


def shifted(a: int, n: int) -> int:
    return a << n


def to_int(x: float) -> int:
    return int(x)


def rounded(x: float, n: int) -> int:
    found = round(x) + 10 * math.floor(x) + 100 * math.ceil(x) + 1000 * math.trunc(x)
    return -found if n in (1, 3) else found


def outermost(x: float, y: float, z: float) -> float:
    return min(x, y, z) + 10 * max(x, y, z)


def stored(x: uint8[N], v: int) -> None:
    x[0] = v


def largest(x: float32[N]) -> float32:
    return x.max()


def sums(x: float64[N], y: float64[M]):
    return x + y


def masked(x: float64[N, M], y: float64[N, M]):
    return np.where(x > y, x, y)


def outer(x: float64[N], y: float64[M]):
    return np.outer(x, y) + np.multiply.outer(x, y)


def truth(a: bool, b: bool_) -> bool:
    return not a


def unused(x: float64[N], y: float64[N], n: int) -> int:
    return n


def strided(n: int, step: int) -> int:
    s = 0
    for i in range(0, n, step):
        s += i
    return s


def many(n: int) -> float:
    x = np.ones((n, n))
    y = x * 2
    z = y[::-1] + x
    z[1:] = z[:-1] * 0.5
    return float(z.sum())


def assigned(x: float64[N, M], y: float64[K]) -> None:
    x[:, :] = y


def multiplied(x: float64[N, M], y: float64[K, L]):
    return x @ y


def combined(x: float64[N], y: float64[K, L]):
    return x @ y


def dotted(x: float64[N, M], y: float64[K, L]):
    return np.dot(x, y)


def clipped(x: float64[N], low: float64, high: float64):
    return np.clip(x, low, high)


def flipped(x: float64[N]):
    return np.flip(x) * 2


def alike(x: float64[N, M]):
    y = np.zeros((x.shape[1], x.size), dtype=x.dtype)
    y[0] = 1
    return y


def bounded(a: int, b: int64) -> int64:
    best = 0
    for i in range(a):
        best += max(i, b)
    return best + min(a, b)


def softmax(x: float64[N, M]):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def rows(x: float64[N, M, K]):
    return x.mean(axis=2), x.sum(2), np.min(x * 2, axis=-1), (x > 3).any(axis=2).sum()


def whole_rows(x: int64[N, M]):
    return x.sum(axis=1), x.max(1)


def total(x: float64[N, M]) -> tuple[float64, float64]:
    return x.sum(), np.mean(x)
