# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Floating-point arithmetic: the logistic map, and a midpoint rule.

def logistic(x, r, steps):
    total = 0.0
    for _ in range(steps):
        x = r * x * (1.0 - x)
        total += x
    return total


def midpoint(n):
    h = 1.0 / n
    total = 0.0
    i = 0
    while i < n:
        x = (i + 0.5) * h
        total += 4.0 / (1.0 + x * x)
        i += 1
    return total * h


print(logistic(0.25, 3.7, 3000000))
print(midpoint(2500000))
