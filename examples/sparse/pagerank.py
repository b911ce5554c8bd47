# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""PageRank of this project's own headers: a file gives its rank to the files that it includes. Which ones does
everything rest upon?"""

import os
import re
import sys

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

DAMPING, TOLERANCE = 0.85, 1e-12
FOLDERS = ("lang", "vm", "backends", "stdlib")


def includes(root):
    """The names of C files, and who includes whom, as pairs of numbers."""
    names = sorted(os.path.relpath(os.path.join(at, name), root) for folder in FOLDERS
                   for at, _, files in os.walk(os.path.join(root, folder)) for name in files if name.endswith((".c", ".h")))
    number = {name: i for i, name in enumerate(names)}
    pairs = []
    for name in names:
        with open(os.path.join(root, name)) as file:
            for target in re.findall(r'#include "([^"]+)"', file.read()):
                if target in number:
                    pairs.append((number[name], number[target]))
    return names, np.array(pairs)


def pagerank(links):
    """The stationary distribution of a walk along links that now and then jumps anywhere."""
    n = links.shape[0]
    out = links @ np.ones(n)
    share = np.where(out > 0, 1.0 / np.maximum(out, 1.0), 0.0)
    rank, back = np.full(n, 1.0 / n), links.T.tocsr()
    while True:
        lost = rank[out == 0].sum() / n  # of files that include nothing
        new = DAMPING * (back @ (rank * share) + lost) + (1 - DAMPING) / n
        if np.abs(new - rank).sum() < TOLERANCE:
            return new
        rank = new


root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
names, pairs = includes(root)
links = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(names), len(names))).tocsr()
rank = pagerank(links)
print(f"{len(names)} files, {links.nnz} includes, {connected_components(links)[0]} connected components")
for i in np.argsort(-rank, kind="stable")[:5]:
    print(f"{rank[i]:.5f} {names[i]}")
