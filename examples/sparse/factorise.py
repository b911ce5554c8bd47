# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Ratings of items by users as a product of two thin matrices, learnt by stochastic gradients over batches of ratings:
r = mean + b_user + b_item + p_user . q_item. The errors of a batch are a sparse matrix, the product P Q^T at its places
only, and its products with Q and P are the gradients.

    factorise.py [RATINGS]    1,000,000 are a tenth of MovieLens 10M
"""

import sys
import time

import numpy as np
from scipy.sparse import coo_array

RATINGS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
USERS, ITEMS = RATINGS * 7 // 1000, RATINGS * 107 // 100_000
PLANTED, NOISE = 16, 0.8
RANK, BATCH, EPOCHS, STEP, CAUTION, DECAY = 16, max(RATINGS // 20, 1), 10, 0.6, 3.0, 0.05


def popular(rng, count, size):
    """Numbers below `count` by Zipf's law."""
    weight = np.cumsum(1.0 / (np.arange(count) + 10.0))
    return np.searchsorted(weight, rng.random(size) * weight[-1])


def planted(rng):
    """Ratings with a known answer: the places, and a product of rank PLANTED with noise."""
    user, item = popular(rng, USERS, RATINGS), popular(rng, ITEMS, RATINGS)
    P, Q = rng.normal(size=(USERS, PLANTED)) / 4, rng.normal(size=(ITEMS, PLANTED)) / 2
    return user, item, 3.5 + (P[user] * Q[item]).sum(axis=1) + NOISE * rng.normal(size=RATINGS)


rng = np.random.default_rng(3)
user, item, rating = planted(rng)
mean = rating.mean()
bu, bi = np.zeros(USERS), np.zeros(ITEMS)
P, Q = 0.1 * rng.normal(size=(USERS, RANK)), 0.1 * rng.normal(size=(ITEMS, RANK))
print(f"{USERS} users, {ITEMS} items, {RATINGS} ratings of deviation {rating.std():.4f}")
start = time.perf_counter()
for epoch in range(EPOCHS):
    order, squares = rng.permutation(RATINGS), 0.0
    for at in range(0, RATINGS, BATCH):
        batch = order[at:at + BATCH]
        u, i = user[batch], item[batch]
        error = rating[batch] - mean - bu[u] - bi[i] - (P[u] * Q[i]).sum(axis=1)
        squares += float((error**2).sum())
        E = coo_array((error, (u, i)), shape=(USERS, ITEMS)).tocsr()
        back = E.T.tocsr()
        # Steps are shorter, the more ratings of the batch a user or an item has.
        per_user = STEP / (np.bincount(u, minlength=USERS) + CAUTION)
        per_item = STEP / (np.bincount(i, minlength=ITEMS) + CAUTION)
        gp, gq = E @ Q - DECAY * P, back @ P - DECAY * Q
        bu += per_user * (E @ np.ones(ITEMS) - DECAY * bu)
        bi += per_item * (back @ np.ones(USERS) - DECAY * bi)
        P += per_user[:, None] * gp
        Q += per_item[:, None] * gq
    print(f"epoch {epoch}: root mean square error {(squares / RATINGS)**0.5:.5f}")
print(f"{EPOCHS * RATINGS / (time.perf_counter() - start):.0f} ratings/s", file=sys.stderr)
