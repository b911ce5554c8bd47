# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import math

from numba import njit, prange


@njit(cache=True)
def normal(x):
    k = 1 / (1 + 0.2316419 * abs(x))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))
    tail = math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * poly
    return tail if x < 0 else 1 - tail


@njit(parallel=True, cache=True)
def mean_price(spot, years):
    spread = VOLATILITY * math.sqrt(years)
    drift = (RATE + VOLATILITY ** 2 / 2) * years
    discount = STRIKE * math.exp(-RATE * years)
    total = 0.0
    for i in prange(spot.size):
        d1 = (math.log(spot[i] / STRIKE) + drift) / spread
        total += spot[i] * normal(d1) - discount * normal(d1 - spread)
    return total / spot.size


def run(spot, days):
    return np.array([mean_price(spot, day / 365) for day in range(1, days + 1)])
