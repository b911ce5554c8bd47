# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
def doitgen(NR, NQ, NP, A, C4):
    A[:] = np.reshape(np.reshape(A, (NR * NQ, NP)) @ C4, (NR, NQ, NP))
    return A
