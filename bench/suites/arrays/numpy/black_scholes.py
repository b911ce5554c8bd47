# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Prices of call options by the formula of Black and Scholes, for expiry after 1, 2, … days: the
# mean price for each. The normal distribution is Abramowitz and Stegun's polynomial 26.2.17.
import numpy as np

STRIKE = 65.0
RATE = 0.08
VOLATILITY = 0.3


def data(n, days):
    return 4 * np.random.default_rng(0).random(n) + 58, days


def normal(x):
    k = 1 / (1 + 0.2316419 * np.abs(x))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))
    tail = np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * poly
    return np.where(x < 0, tail, 1 - tail)


def price(spot, years):
    spread = VOLATILITY * np.sqrt(years)
    d1 = (np.log(spot / STRIKE) + (RATE + VOLATILITY ** 2 / 2) * years) / spread
    return spot * normal(d1) - STRIKE * np.exp(-RATE * years) * normal(d1 - spread)


def run(spot, days):
    return np.array([np.mean(price(spot, day / 365)) for day in range(1, days + 1)])
