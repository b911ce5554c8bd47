# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
def nussinov(N, seq):
    table = np.zeros((N, N), np.int32)
    for i in range(N - 1, -1, -1):
        for j in range(i + 1, N):
            best = max(table[i, j], table[i, j - 1])
            best = max(best, table[i + 1, j])
            if i < j - 1 and seq[i] + seq[j] == 3:
                best = max(best, table[i + 1, j - 1] + 1)
            else:
                best = max(best, table[i + 1, j - 1])
            table[i, j] = best
            if j + 1 < N:
                for k in range(j + 1, N):
                    table[i, k] = max(table[i, k], best + table[j + 1, k])
    return table
