# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Prints how each peer is set up here, a line `RUNNER: TEXT` each. A program of its own, as the
driver imports none of them."""
import jax
import numba
import numexpr
import numpy


@numba.njit(parallel=True)
def total(n):
    value = 0
    for i in numba.prange(n):
        value += i
    return value


total(1000)  # only now Numba has chosen
print("numpy: as it comes from PyPI; BLAS: %(name)s %(version)s, the only part with threads" %
      numpy.show_config(mode="dicts")["Build Dependencies"]["blas"])
print("numexpr: whole expressions, results into arrays that exist (out=); %d threads, %s VML" %
      (numexpr.nthreads, "with" if numexpr.use_vml else "without"))
print("numba: njit(parallel=True), no fastmath, results into arrays that exist; %d threads of %s, "
      "%s SVML" % (numba.get_num_threads(), numba.threading_layer(),
                   "with" if numba.config.USING_SVML else "without"))
print("jax: jit on %s, %s bit, every call is waited for" % (
    jax.default_backend(), 64 if jax.config.jax_enable_x64 else 32))
