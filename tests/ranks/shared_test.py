#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Which NumPy functions ranks share on distributed arrays. Those in SHARED have to: each rank does its part, and no array
is gathered. Those in WHOLE need not, but then `detours` has to say so.

usage: shared_test.py NACRE [--list]
--list shows for each what it costs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

RANKS, LEAST = 3, 64  # bytes from which on arrays are cut: more than a few results have
# All arrays are made of indices: each rank has its block from the start.
MADE = """
import numpy as np
A = np.fromfunction(lambda i, j: (i * 7 + j * 5) % 23 / 4, (24, 24))
B = np.fromfunction(lambda i, j: (i * 3 + j * 11) % 19 / 4 + 1, (24, 24))
x = np.fromfunction(lambda i: (i * 7) % 31 / 2, (97,))
n, m, p = (x * 2).astype(int), A > 2, x > 5
i = np.arange(50) * 13 % 97
r = i % 24
"""
# A band of 97 rows.
BAND = """
import scipy.sparse as sp
k = np.fromfunction(lambda i: i, (194,)).astype(np.int32)
S = sp.csr_array((k / 7.0, np.minimum(k // 2 + k % 2, 96), 2 * np.fromfunction(lambda i: i, (98,)).astype(np.int32)), shape=(97, 97))
X = np.fromfunction(lambda i, j: i + j, (97, 3))
"""
# An expression, or a statement behind a semicolon; with S and X, BAND is made before.
SHARED = """
A + B * 2
A[1:] - A[:-1]
S @ x
S @ X
S.T @ x
S.T @ X
X.T @ S
(S * 2) @ x
S.data.sum()
S.multiply(3) @ (x + 1)
A.T + B.T
np.exp(A)
np.where(m, A, B)
np.clip(A, 1, 2)
np.select([m, ~m], [A, B])
np.choose(n[:24] % 2, [A, B])
np.piecewise(x, [x < 5, x >= 5], [-1.0, 1.0])
np.heaviside(x, 0.5)
np.nan_to_num(A)
np.isclose(A, B)
np.round(A, 1)
A.astype(np.float32)
A.copy()
A.T.copy()
A.flatten()
A.ravel() + 1
A.reshape(12, 48) + 1
A.reshape(-1)[5:100] * 2
np.broadcast_to(x[:24], (24, 24)) + 1
np.add.outer(x, x)
np.outer(x, x)
np.meshgrid(x, x)
np.indices((24, 24))
np.tri(24)
np.eye(24)
np.tril(A)
np.triu(A)
np.diag(x)
np.diagonal(A) + 1
np.trace(A)
np.sum(A)
np.sum(A, axis=0)
np.mean(A, axis=1)
np.var(A, axis=0)
np.max(A, axis=0)
np.prod(A, axis=1)
np.nansum(A)
np.any(m)
np.all(m)
np.count_nonzero(m)
np.count_nonzero(m, axis=0)
np.allclose(A, B)
np.array_equal(A, B)
np.linalg.norm(A)
np.argmax(x)
np.argmin(A)
np.argmax(A, axis=0)
np.argmax(A, axis=1)
np.nanargmax(x)
np.bincount(n)
np.bincount(n, weights=x)
np.histogram(x, bins=10)
np.histogram(x, bins=10, weights=x)
np.digitize(x, [1.0, 5, 10])
np.searchsorted([1.0, 2, 3], x)
np.interp(x, [0.0, 10], [1.0, 2])
np.isin(n, [1, 2, 3])
np.convolve(x, [1.0, 2, 3])
np.convolve(x, [1.0, 2, 3], 'same')
np.correlate(x, [1.0, 2, 3], 'valid')
np.diff(x)
np.diff(A, axis=0)
np.diff(A, axis=1)
np.ediff1d(x)
np.gradient(x)
np.gradient(A)
np.trapezoid(x)
np.cross(A[:, :3], B[:, :3])
np.roll(x, 3)
np.roll(A, 3, axis=0)
np.roll(A, 3, axis=1)
np.roll(A, 3)
np.pad(x, 2)
np.pad(A, 2, mode='edge')
np.pad(A, 2, mode='reflect')
np.flip(A) + 1
np.rot90(A) + 1
np.tile(x, 3)
np.tile(A, (2, 2))
np.repeat(x, 2)
np.repeat(A, 2, axis=0)
np.concatenate([A, B])
np.concatenate([A, B], axis=1)
np.stack([A, B])
np.stack([A, B], axis=-1)
np.column_stack([x, x])
np.append(x, 1.0)
np.insert(x, 5, 1.0)
np.delete(x, 5)
np.vander(x, 3)
np.polyval([1.0, 2, 3], x)
x[i]
x[::-1][i]
A[r]
A[r, i % 23]
A[:, r]
A.T[r]
A.reshape(4, 144)[r % 4]
A[r[:6].reshape(2, 3)]
A.reshape(4, 6, 24)[:, r % 6]
x[[3, 90]]
np.take(x, i)
np.take(A, r, axis=1)
np.take_along_axis(A, np.argsort(A, axis=1), axis=1)
x[p]
A[m]
A[p[:24]]
np.extract(p, x)
np.compress(p, x)
np.nonzero(A)
np.flatnonzero(x)
np.argwhere(m)
np.unravel_index(n, (200, 5))
np.ravel_multi_index((n % 5, n % 7), (5, 7))
A @ B
A @ x[:24]
np.dot(x, x)
np.inner(A, B)
np.tensordot(A, B, 1)
np.kron(A[:4, :4], B[:3, :3])
np.einsum('ij,jk->ik', A, B)
np.einsum('ij,ij->i', A, B)
np.einsum('ij->', A)
np.sort(A, axis=1)
np.argsort(A, axis=1)
np.median(A, axis=1)
np.cumsum(A, axis=1)
np.maximum.accumulate(A, axis=1)
np.add.reduceat(A, [0, 10, 20], axis=1)
np.packbits(m, axis=1)
np.unpackbits(np.packbits(m, axis=1), axis=1)
np.fft.fft(A, axis=1)
np.fft.rfft(A)
np.linalg.qr(A.reshape(24, 6, 4))
np.linalg.slogdet(A[:, :16].reshape(24, 4, 4))
np.linspace(0, 1, 97) + x
np.full_like(A, 2.0)
np.random.default_rng(1).random(97) + 1
np.random.default_rng(1).normal(size=(24, 24)) + 1
np.random.default_rng(1).integers(0, 10, 97) + 1
np.random.RandomState(1).rand(24, 24) + 1
; x[i] = 1.0
; x[i] = x[:50]
; x[i] += 1
; A[r] = 5.0
; A[r] = B[r]
; A[r, i % 23] = 3.0
; A[:, r] = 2.0
; A.T[r] = B[r]
; A.reshape(4, 144)[r % 4] = 2.0
; np.add.at(x, i, 1.0)
; np.put(x, i, 2.0)
; x[p] = 1.0
; A[m] = B[m]
; np.copyto(A, B, where=m)
; np.putmask(A, m, B)
; np.place(x, p, [1.0])
; A[3:5] = 1
; A[:, 2] = x[:24]
; np.fill_diagonal(A, 1.0)
; A.sort(axis=1)
; A[5, 7] = A[20, 3]
np.sort(x)
np.sort(A, axis=0)
np.median(x)
np.percentile(x, 30)
np.searchsorted(np.sort(x), x)
np.cumsum(x)
np.cumsum(A, axis=0)
np.unwrap(x)
np.fft.fft2(A)
"""
WHOLE = """
np.argsort(x)
np.unique(x)
np.partition(x, 5)
np.lexsort((x, n))
np.intersect1d(n, [1, 2])
np.add.reduceat(x, [0, 10, 20])
np.fft.fft(x)
np.linalg.solve(A + 100 * np.eye(24), x[:24])
np.linalg.inv(A + 100 * np.eye(24))
np.linalg.det(A)
np.polyfit(x, x, 1)
np.histogram2d(x, x, bins=4)
; np.random.default_rng(1).shuffle(x)
; s = sum(x[k] for k in range(97))
(S + S.T).data
(S @ S).data
S.T.tocsr().data
S.sum(axis=0)
S[3:90].data
S.power(2).data
-S @ x
abs(S) @ x
"""


def is_sparse(text):
    return re.search(r"\b[SX]\b", text)


def run(text):
    """What rank 0 says at the end."""
    code = MADE + (BAND if is_sparse(text) else "") + (text[1:].strip() if text.startswith(";") else "result = " + text if text else "")
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        subprocess.run([NACRE, "-n", str(RANKS), "--transport", "loopback", "--split-least", str(LEAST), "--tier", "interp",
                        "--check-ranks", "--stats", stats, "-c", code], check=True, timeout=120)
        with open(stats, encoding="utf-8") as file:
            return json.load(file)


def figures(text):
    """Kernels that all ranks did whole, arrays brought to all that are large enough to be distributed, bytes that rank 0
    received, and the detours."""
    found = run(text)
    rank = found["ranks"][0]
    arrays = sum(line["arrays_gathered"] for line in rank["lines"] if line["array_bytes_gathered"] >= LEAST)
    return [rank["kernels_gathered"], arrays, rank["array_bytes_received"],
            [each["text"] for each in found["detours"]]]


def lines(table):
    return [line for line in table.split("\n") if line]


def main():
    shared, whole = lines(SHARED), lines(WHOLE)
    wrong = []
    none, band = figures(""), figures("; S, X")
    with ThreadPoolExecutor(2) as pool:
        for text, (kernels, arrays, received, detours) in zip(shared + whole, pool.map(figures, shared + whole)):
            before = band if is_sparse(text) else none
            kernels, arrays, received = kernels - before[0], arrays - before[1], received - before[2]
            if "--list" in sys.argv:
                print("%-60s %d whole, %d gathered, %6d bytes  %s" % (text, kernels, arrays, received, "; ".join(detours)))
            if text in shared and (kernels or arrays or detours):
                wrong.append("%s: %d kernels done whole, %d arrays gathered: %s" % (text, kernels, arrays, "; ".join(detours)))
            if text in whole and not detours and (kernels or arrays):
                wrong.append("%s: %d arrays gathered, of which nothing is told" % (text, arrays))
    print("\n".join(wrong + ["%d shared, %d not yet; %d wrong" % (len(shared), len(whole), len(wrong))]))
    return 1 if wrong else 0


if __name__ == "__main__":
    NACRE = os.path.abspath(sys.argv[1])
    sys.exit(main())
