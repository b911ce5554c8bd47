# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Which operations on large arrays use one thread alone: calls in one process with one thread and in one with two. Of each
the milliseconds of processor time, and the share of it that threads other than the first one took (0.5: both worked as
much): these mean the same on a busy machine, which times by the clock do not. Writes bench/results/threads.md.
"""

import subprocess
import sys
import tempfile

import measure

SETUP = """
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")
rng = np.random.default_rng(1)
N = 1 << 21
WIDE = 1 << 11
x = rng.random(N)
f = x.astype(np.float32)
i = rng.integers(0, 1 << 20, N)
small = rng.integers(0, 100, N)
few = i.astype(np.int32)
b = x > 0.5
rare = x > 0.99
z = x + 1j * x[::-1]
rows = x.reshape(WIDE, -1)
tall = x.reshape(-1, 4)
flat = x.reshape(4, -1)
irows = i.reshape(WIDE, -1)
iflat = i.reshape(4, -1)
ordered = np.sort(x)
places = rng.integers(0, N, N)
bits = rng.integers(0, 256, N).astype(np.uint8)
steps = np.arange(0, N, 100)
narrow = rng.random(64)
square = rng.random((512, 512))
definite = square @ square.T + 512 * np.eye(512)
stack = rng.random((20000, 4, 4)) + 4 * np.eye(4)
near = 1 + 1e-9 * x
zrows = z.reshape(WIDE, -1)
target = np.empty(N)
wide_target = np.empty((WIDE, N // WIDE))
"""

# (operation of ops.def or kind of kernel, call)
CASES = [
    ("elementwise", "x * 2 + f"),
    ("elementwise", "np.sin(x)"),
    ("elementwise", "np.where(b, x, 0)"),
    ("elementwise", "i // 3"),
    ("elementwise", "x.astype(np.float32)"),
    ("fill", "np.ones(N)"),
    ("fill", "np.full(N, 2.5)"),
    ("fill", "np.zeros(N) + 0"),
    ("copy", "x.copy()"),
    ("copy", "rows.T.copy()"),
    ("copy", "x[::-1].copy()"),
    ("copy", "np.roll(x, 1000)"),
    ("copy", "np.roll(rows, 3, axis=1)"),
    ("copy", "np.tile(x, 2)"),
    ("copy", "np.repeat(x, 2)"),
    ("copy", "np.concatenate((x, x))"),
    ("copy", "np.stack((x, x), axis=1)"),
    ("copy", "np.pad(rows, 2)"),
    ("copy", "np.diff(x)"),
    ("copy", "np.flip(rows, 0) + 1"),
    ("add.reduce", "x.sum()"),
    ("add.reduce", "i.sum()"),
    ("add.reduce", "z.sum()"),
    ("add.reduce", "rows.sum(axis=0)"),
    ("add.reduce", "rows.sum(axis=1)"),
    ("add.reduce", "flat.sum(axis=0)"),
    ("add.reduce", "flat.sum(axis=1)"),
    ("add.reduce", "tall.sum(axis=0)"),
    ("add.reduce", "tall.sum(axis=1)"),
    ("add.reduce", "rows[:, ::2].sum()"),
    ("multiply.reduce", "near.prod()"),
    ("multiply.reduce", "i.prod()"),
    ("multiply.reduce", "z.prod()"),
    ("multiply.reduce", "near.reshape(WIDE, -1).prod(axis=0)"),
    ("multiply.reduce", "near.reshape(WIDE, -1).prod(axis=1)"),
    ("multiply.reduce", "near.reshape(4, -1).prod(axis=1)"),
    ("multiply.reduce", "near.reshape(-1, 4).prod(axis=0)"),
    ("maximum.reduce", "x.max()"),
    ("maximum.reduce", "z.max()"),
    ("minimum.reduce", "rows.min(axis=0)"),
    ("minimum.reduce", "flat.min(axis=1)"),
    ("minimum.reduce", "tall.min(axis=0)"),
    ("logical_or.reduce", "np.any(rows > 2)"),
    ("logical_and.reduce", "np.all(x >= 0)"),
    ("reduce", "np.bitwise_xor.reduce(i)"),
    ("reduce", "np.logaddexp.reduce(x)"),
    ("reduce", "np.hypot.reduce(x)"),
    ("reduce", "np.gcd.reduce(i)"),
    ("reduce", "np.subtract.reduce(x)"),
    ("reduce", "np.subtract.reduce(rows, axis=0)"),
    ("reduce", "x.std()"),
    ("reduce", "np.ptp(x)"),
    ("add.accumulate", "np.cumsum(x)"),
    ("add.accumulate", "np.cumsum(f)"),
    ("add.accumulate", "np.cumsum(i)"),
    ("add.accumulate", "np.cumsum(few)"),
    ("add.accumulate", "np.cumsum(b)"),
    ("add.accumulate", "np.cumsum(rows, axis=0)"),
    ("add.accumulate", "np.cumsum(rows, axis=1)"),
    ("add.accumulate", "np.cumsum(iflat, axis=1)"),
    ("add.accumulate", "np.cumsum(flat, axis=1)"),
    ("add.accumulate", "np.cumsum(i[::2])"),
    ("multiply.accumulate", "np.cumprod(near)"),
    ("multiply.accumulate", "np.cumprod(i)"),
    ("multiply.accumulate", "np.cumprod(near.reshape(WIDE, -1), axis=0)"),
    ("accumulate", "np.maximum.accumulate(x)"),
    ("accumulate", "np.minimum.accumulate(i)"),
    ("accumulate", "np.maximum.accumulate(rows, axis=0)"),
    ("accumulate", "np.logical_or.accumulate(b)"),
    ("accumulate", "np.bitwise_xor.accumulate(i)"),
    ("accumulate", "np.logaddexp.accumulate(x)"),
    ("reduceat", "np.add.reduceat(x, steps)"),
    ("reduceat", "np.add.reduceat(i, steps)"),
    ("reduceat", "np.maximum.reduceat(rows, [0, 100, 300], axis=0)"),
    ("reduceat", "np.add.reduceat(rows, [0, 100, 300], axis=1)"),
    ("arange", "np.arange(N)"),
    ("arange", "np.arange(0.0, N)"),
    ("arange", "np.linspace(0, 1, N)"),
    ("arange", "np.indices((WIDE, WIDE))"),
    ("arange", "np.tri(WIDE)"),
    ("arange", "np.eye(WIDE)"),
    ("draw", "rng.random(N)"),
    ("draw", "rng.standard_normal(N)"),
    ("draw", "rng.integers(0, 10, N)"),
    ("draw", "rng.permutation(N)"),
    ("take", "x[places]"),
    ("take", "np.take(rows, [1, 5, 7] * 500, axis=0)"),
    ("take", "np.take(rows, [1, 5, 7] * 500, axis=1)"),
    ("take", "np.take_along_axis(rows, irows % 1024, axis=1)"),
    ("take", "rows[np.arange(WIDE), 5]"),
    ("put", "target.__setitem__(places, x)"),
    ("put", "np.add.at(target, places, x)"),
    ("put", "wide_target.__setitem__(np.arange(WIDE), rows)"),
    ("compress", "x[b]"),
    ("compress", "x[rare]"),
    ("compress", "rows[rows[:, 0] > 0.5]"),
    ("compress", "rows[:, rows[0] > 0.5]"),
    ("expand", "target.__setitem__(b, 1.5)"),
    ("expand", "np.place(target, b, x)"),
    ("count_nonzero", "np.count_nonzero(b)"),
    ("count_nonzero", "np.count_nonzero(i)"),
    ("nonzero", "np.nonzero(b)"),
    ("nonzero", "np.argwhere(rows > 0.5)"),
    ("nonzero", "np.flatnonzero(x > 0.5)"),
    ("pack_bits", "np.packbits(bits)"),
    ("pack_bits", "np.packbits(b)"),
    ("unpack_bits", "np.unpackbits(bits)"),
    ("argmax", "x.argmax()"),
    ("argmax", "i.argmax()"),
    ("argmax", "rows.argmax(axis=0)"),
    ("argmax", "rows.argmax(axis=1)"),
    ("argmin", "flat.argmin(axis=1)"),
    ("argmin", "tall.argmin(axis=0)"),
    ("argmin", "b.argmin()"),
    ("sort", "np.sort(x)"),
    ("sort", "np.sort(i)"),
    ("sort", "np.sort(small)"),
    ("sort", "np.sort(few)"),
    ("sort", "np.sort(z)"),
    ("sort", "np.sort(rows, axis=0)"),
    ("sort", "np.sort(rows, axis=1)"),
    ("sort", "np.sort(flat, axis=1)"),
    ("sort", "np.partition(x, N // 2)"),
    ("sort", "np.median(x)"),
    ("sort", "np.percentile(rows, 30, axis=0)"),
    ("sort", "np.unique(i)"),
    ("sort", "np.unique(x)"),
    ("argsort", "np.argsort(x)"),
    ("argsort", "np.argsort(i)"),
    ("argsort", "np.argsort(few)"),
    ("argsort", "np.argsort(rows, axis=1)"),
    ("argsort", "np.argpartition(x, N // 2)"),
    ("argsort", "np.lexsort((x, small))"),
    ("searchsorted", "np.searchsorted(ordered, x)"),
    ("searchsorted", "np.searchsorted(ordered, ordered)"),
    ("searchsorted", "np.digitize(x, ordered[::1000])"),
    ("searchsorted", "np.isin(i, small)"),
    ("bincount", "np.bincount(small)"),
    ("bincount", "np.bincount(i)"),
    ("bincount", "np.bincount(small, weights=x)"),
    ("histogram", "np.histogram(x, 50)"),
    ("histogram", "np.histogram(x, ordered[::10000])"),
    ("histogram", "np.histogram2d(x, x, 20)"),
    ("interpolate", "np.interp(x, ordered[::100], ordered[::100])"),
    ("convolve", "np.convolve(x, narrow)"),
    ("convolve", "np.correlate(x, narrow)"),
    ("matmul", "square @ square"),
    ("matmul", "rows @ narrow[:1].repeat(N // WIDE)"),
    ("matmul", "stack @ stack"),
    ("matmul", "x @ x"),
    ("matmul", "irows[:400, :400] @ irows[:400, :400]"),
    ("matmul", "np.outer(x[:WIDE], x[:WIDE])"),
    ("matmul", "np.einsum('ij,ij->i', rows, rows)"),
    ("matmul", "np.tensordot(rows, rows, ([1], [1]))"),
    ("solve", "np.linalg.solve(definite, square)"),
    ("solve", "np.linalg.solve(stack, stack)"),
    ("inv", "np.linalg.inv(definite)"),
    ("inv", "np.linalg.inv(stack)"),
    ("det", "np.linalg.det(stack)"),
    ("cholesky", "np.linalg.cholesky(definite)"),
    ("qr", "np.linalg.qr(square)"),
    ("qr", "np.linalg.qr(stack)"),
    ("eigh", "np.linalg.eigh(stack)"),
    ("svd", "np.linalg.svd(stack)"),
    ("fft", "np.fft.fft(z)"),
    ("fft", "np.fft.fft(zrows, axis=0)"),
    ("fft", "np.fft.fft(zrows, axis=1)"),
    ("fft", "np.fft.fft2(zrows)"),
    ("fft", "np.fft.fft(z[:1000003])"),
    ("ifft", "np.fft.ifft(z)"),
    ("rfft", "np.fft.rfft(x)"),
    ("rfft", "np.fft.rfft(rows, axis=1)"),
    ("irfft", "np.fft.irfft(z)"),
]

MEASURE = '''
def waited(result):
    """Looks at a result, so that no work is left."""
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, np.ndarray) and part.size:
            part.item(0)


def measured(call):
    """Milliseconds of processor time of a go, and the other threads' share of it."""
    waited(call())
    goes, begun, own, everybody = 0, time.perf_counter(), time.thread_time(), time.process_time()
    while goes < LEAST or time.perf_counter() - begun < 0.05:
        waited(call())
        goes += 1
    everybody = time.process_time() - everybody
    own = time.thread_time() - own
    return everybody / goes * 1e3, max(0.0, 1 - own / everybody)


def tell(operation, text, call):
    ms, share = measured(call)
    print("%s|%s|%.3f|%.3f" % (operation, text, ms, share), flush=True)


'''


def program(cases, least):
    calls = ["tell(%r, %r, lambda: %s)" % (operation, text, text) for operation, text in cases]
    return SETUP + "LEAST = %d\n" % least + MEASURE + "\n".join(calls) + "\n"


def measured(options, threads, cases):
    """{call: (milliseconds, share)}"""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(program(cases, options.pairs))
        script.flush()
        done = subprocess.run([options.nacre, "--threads", str(threads), script.name], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("failed with %d threads" % threads)
    lines = [line.split("|") for line in done.stdout.splitlines()]
    return {(operation, text): (float(ms), float(share)) for operation, text, ms, share in lines}


def main():
    options = measure.arguments(__doc__, 5)
    cases = [case for case in CASES if not options.only or any(word in part for word in options.only for part in case)]
    one, two = (measured(options, threads, cases) for threads in (1, 2))
    rows = [(operation, "`%s`" % text, "%.2f" % one[operation, text][0], "%.2f" % two[operation, text][0],
             "%.2f" % two[operation, text][1]) for operation, text in cases]
    lines = measure.table(("operation", "call", "1 thread, CPU ms", "2 threads, CPU ms", "share of the second"), rows)
    about = ("Calls on arrays of 2,097,152 elements: processor time of a call with one thread and with two, the sum of both "
             "threads, and the second one's share of it (0.5: as much as the first one; 0: the call uses one thread). "
             "Work that is shared takes as long as the larger share.")
    measure.write(options, "threads.md", "Operations with one thread and with two", about, lines)


main()
