# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Matrix products and transposes on nested lists.

def matrix(n, seed):
    return [[(i * seed + j * 7) % 11 - 5.0 for j in range(n)] for i in range(n)]


def product(a, b):
    columns = [list(column) for column in zip(*b)]
    return [[sum([x * y for x, y in zip(row, column)]) for column in columns] for row in a]


def product_by_index(a, b):
    n = len(a)
    out = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i][k] * b[k][j]
            out[i][j] = total
    return out


a = matrix(160, 3)
b = matrix(160, 5)
c = product(a, b)
d = product_by_index(a, b)
print(sum([sum(row) for row in c]), c == d, c[17][23], d[119][0])
