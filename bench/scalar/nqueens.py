# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Backtracking with lists: all solutions for eleven queens.

def place(row, n, columns, rising, falling):
    if row == n:
        return 1
    found = 0
    for column in range(n):
        if columns[column] or rising[row + column] or falling[row - column + n]:
            continue
        columns[column] = rising[row + column] = falling[row - column + n] = True
        found += place(row + 1, n, columns, rising, falling)
        columns[column] = rising[row + column] = falling[row - column + n] = False
    return found


def queens(n):
    return place(0, n, [False] * n, [False] * (2 * n), [False] * (2 * n + 1))


print(queens(11))
