# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# A while loop with a branch, a memo dictionary and tuples.

def longest(limit):
    known = {1: 1}
    best = (1, 1)
    for start in range(2, limit):
        n = start
        steps = 0
        while n not in known:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        length = steps + known[n]
        known[start] = length
        if length > best[1]:
            best = start, length
    return best, len(known)


print(longest(300000))
