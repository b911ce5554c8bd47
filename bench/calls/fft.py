# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# usage: fft.py SHAPE ("1024", "256x256"): the seconds of one call for each function on arrays of that shape.
import sys

import numpy as np

from clock import measured

shape = tuple(int(n) for n in sys.argv[1].split("x"))
fft = np.fft
rng = np.random.default_rng(1)
real = rng.standard_normal(shape)
values = real + 1j * rng.standard_normal(shape)
single = values.astype(np.complex64)
half = fft.rfft(real)

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
