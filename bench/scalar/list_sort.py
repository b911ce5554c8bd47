# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Sorting lists of numbers, strings and tuples, with and without a key.

def numbers(n):
    state = 2463534242
    out = []
    for _ in range(n):
        state = (state * 1664525 + 1013904223) % 4294967296
        out.append(state)
    return out


values = numbers(200000)
up = sorted(values)
down = sorted(values, reverse=True)
by_tail = sorted(values, key=lambda v: v % 1000)
floats = sorted([v / 7 for v in values])
names = sorted([str(v) for v in values[:100000]])
pairs = [(v % 100, v) for v in values[:100000]]
pairs.sort()
again = list(up)
again.sort()
print(up[0], up[100000], down[0], by_tail[0], by_tail[-1])
print(floats[1000], names[0], names[-1], pairs[50000], again == up)
