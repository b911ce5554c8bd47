# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Integer arithmetic in three nested loops.

def run(n):
    total = 0
    for i in range(n):
        for j in range(n):
            for k in range(n):
                total += (i * j + k) % 7
    return total


print(run(175))
