# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Ratings of items by users as a product of two thin matrices, learnt by stochastic gradients over batches of ratings:
r = mean + b_user + b_item + p_user . q_item. The errors of a batch are a sparse matrix: what P Q^T has at its places is
taken off, and its products with Q and P are the gradients.

    factorise.py [RATINGS]    1,000,000 are a tenth of MovieLens 10M; those of an item by one user count once
"""

import sys
import time

import numpy as np
from scipy.sparse import coo_array

try:
    from nacre.sparse import sddmm
except ImportError:
    def sddmm(A, B, C):
        """A.multiply(B @ C), without the elements of B @ C that A has no entries for."""
        row = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
        made = A.copy()
        made.data *= (B[row] * C.T[A.indices]).sum(axis=1)
        return made

RATINGS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
USERS, ITEMS = RATINGS * 7 // 1000, RATINGS * 107 // 100_000
PLANTED, NOISE = 16, 0.8
RANK, BATCHES, EPOCHS, STEP, CAUTION, DECAY = 16, 20, 10, 0.6, 3.0, 0.05


def popular(rng, count, size):
    """Numbers below `count` by Zipf's law."""
    weight = np.cumsum(1.0 / (np.arange(count) + 10.0))
    return np.searchsorted(weight, rng.random(size) * weight[-1])


def planted(rng):
    """Ratings with a known answer: the places, and a product of rank PLANTED with noise."""
    place = np.unique(popular(rng, USERS, RATINGS) * ITEMS + popular(rng, ITEMS, RATINGS))
    user, item = (place // ITEMS).astype(np.int32), (place % ITEMS).astype(np.int32)
    P, Q = rng.normal(size=(USERS, PLANTED)) / 4, rng.normal(size=(ITEMS, PLANTED)) / 2
    return user, item, 3.5 + (P[user] * Q[item]).sum(axis=1) + NOISE * rng.normal(size=len(place))


rng = np.random.default_rng(3)
user, item, rating = planted(rng)
count, mean = len(rating), rating.mean()
bu, bi = np.zeros(USERS), np.zeros(ITEMS)
P, Q = 0.1 * rng.normal(size=(USERS, RANK)), 0.1 * rng.normal(size=(ITEMS, RANK))
print(f"{USERS} users, {ITEMS} items, {count} ratings of deviation {rating.std():.4f}")
start = time.perf_counter()
for epoch in range(EPOCHS):
    squares = 0.0
    for batch in np.array_split(rng.permutation(count), BATCHES):
        u, i = user[batch], item[batch]
        E = coo_array((rating[batch] - mean - bu[u] - bi[i], (u, i)), shape=(USERS, ITEMS)).tocsr()
        ones = E.copy()
        ones.data[:] = 1.0
        E.data -= sddmm(ones, P, Q.T).data
        squares += (E.data**2).sum()
        back = E.T.tocsr()
        # Steps are shorter, the more ratings of the batch a user or an item has.
        per_user, per_item = STEP / (np.diff(E.indptr) + CAUTION), STEP / (np.diff(back.indptr) + CAUTION)
        gp, gq = E @ Q - DECAY * P, back @ P - DECAY * Q
        bu += per_user * (E @ np.ones(ITEMS) - DECAY * bu)
        bi += per_item * (back @ np.ones(USERS) - DECAY * bi)
        P += per_user[:, None] * gp
        Q += per_item[:, None] * gq
    print(f"epoch {epoch}: root mean square error {(squares / count)**0.5:.5f}")
print(f"{EPOCHS * count / (time.perf_counter() - start):.0f} ratings/s", file=sys.stderr)
