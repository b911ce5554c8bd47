# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import numexpr


def normal(x, out):
    k = "(1 / (1 + 0.2316419 * abs(x)))"
    numexpr.evaluate(k, out=out)
    k = out
    return numexpr.evaluate(
        "where(x < 0, 0., 1.) + where(x < 0, 1., -1.) * exp(-x * x / 2) * 0.3989422804014327 * "
        "(k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + "
        "k * 1.330274429)))))", out=out)


def prepared(spot, days):
    return spot, days, [np.empty_like(spot) for _ in range(3)]


def price(spot, years, d1, first, second):
    spread = VOLATILITY * np.sqrt(years)
    drift = (RATE + VOLATILITY ** 2 / 2) * years
    numexpr.evaluate("(log(spot / STRIKE) + drift) / spread", out=d1)
    normal(d1, first)
    d2 = numexpr.evaluate("d1 - spread", out=d1)
    normal(d2, second)
    discount = STRIKE * np.exp(-RATE * years)
    return numexpr.evaluate("sum(spot * first - discount * second)") / spot.size


def run(spot, days, rooms):
    return np.array([price(spot, day / 365, *rooms) for day in range(1, days + 1)])
