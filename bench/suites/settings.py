# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Prints how peers are set up here: for each function of this file that the command line names, a
line `FUNCTION: TEXT`. A program of its own, as the driver imports none of them."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "kernels"), os.path.dirname(HERE)]


def numpy():
    import numpy as np
    return "as it comes from PyPI; BLAS: %(name)s %(version)s, the only part with threads" % (
        np.show_config(mode="dicts")["Build Dependencies"]["blas"])


def numexpr():
    import numexpr as ne
    return "whole expressions, results into arrays that exist (out=); %d threads, %s VML" % (
        ne.nthreads, "with" if ne.use_vml else "without")


def threads_of_numba():
    import numba as nb

    @nb.njit(parallel=True)
    def total(n):
        value = 0
        for i in nb.prange(n):
            value += i
        return value

    total(1000)  # only now Numba has chosen
    return "%d threads of %s, %s SVML" % (nb.get_num_threads(), nb.threading_layer(),
                                          "with" if nb.config.USING_SVML else "without")


def numba():
    return ("njit(parallel=True), no fastmath, results into arrays that exist; " +
            threads_of_numba())


def numba_modes():
    return ("the best of njit, njit(parallel=True) and, where there are some, loops written for "
            "it; no fastmath; " + threads_of_numba())


def jax():
    import jax as found
    return "jit on %s, %s bit, every call is waited for" % (
        found.default_backend(), 64 if found.config.jax_enable_x64 else 32)


def pythran():
    from peer_pythran import FLAGS
    return "the same text, compiled ahead of time, %s; products by the system's BLAS" % (
        " ".join(FLAGS))


def c():
    from peer_c import FLAGS
    said = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout
    return "%s, %s; results into arrays that exist" % (said.split("\n")[0], " ".join(FLAGS))


for setting in sys.argv[1:]:
    print("%s: %s" % (setting, globals()[setting]()))
