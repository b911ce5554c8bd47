# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import jax
import jax.numpy as jnp


def normal(x):
    k = 1 / (1 + 0.2316419 * jnp.abs(x))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (
        -1.821255978 + k * 1.330274429))))
    tail = jnp.exp(-x * x / 2) / jnp.sqrt(2 * jnp.pi) * poly
    return jnp.where(x < 0, tail, 1 - tail)


@jax.jit
def mean_price(spot, years):
    spread = VOLATILITY * jnp.sqrt(years)
    d1 = (jnp.log(spot / STRIKE) + (RATE + VOLATILITY ** 2 / 2) * years) / spread
    return jnp.mean(spot * normal(d1) - STRIKE * jnp.exp(-RATE * years) * normal(d1 - spread))


def prepared(spot, days):
    return jnp.asarray(spot), days


def run(spot, days):
    prices = [mean_price(spot, day / 365) for day in range(1, days + 1)]
    return np.array([float(price) for price in prices])
