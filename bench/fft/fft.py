# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# usage: fft.py SHAPE ("1024", "256x256"): a line for each function on arrays of that shape, with the
# seconds of one call: the least of several rounds, each long enough for the clock.
import sys
import time

import numpy as np

shape = tuple(int(n) for n in sys.argv[1].split("x"))
fft = np.fft
rng = np.random.default_rng(1)
real = rng.standard_normal(shape)
values = real + 1j * rng.standard_normal(shape)
single = values.astype(np.complex64)
half = fft.rfft(real)


def seconds(call):
    rounds, best = 1, 1e9
    call()
    while True:
        start = time.perf_counter()
        for _ in range(rounds):
            call()
        spent = time.perf_counter() - start
        if spent > 0.002 or rounds > 1 << 20:
            break
        rounds *= 2
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(rounds):
            call()
        best = min(best, (time.perf_counter() - start) / rounds)
    return best


def measured(name, call):
    print(name, seconds(call))


if len(shape) == 1:
    measured("fft", lambda: fft.fft(values))
    measured("ifft", lambda: fft.ifft(values))
    measured("fft, complex64", lambda: fft.fft(single))
    measured("fft, real", lambda: fft.fft(real))
    measured("rfft", lambda: fft.rfft(real))
    measured("irfft", lambda: fft.irfft(half, shape[-1]))
else:
    measured("fft2", lambda: fft.fft2(values))
    measured("ifft2", lambda: fft.ifft2(values))
    measured("fft2, complex64", lambda: fft.fft2(single))
    measured("fft2, real", lambda: fft.fft2(real))
    measured("rfft2", lambda: fft.rfft2(real))
    measured("irfft2", lambda: fft.irfft2(fft.rfft2(real), shape))
