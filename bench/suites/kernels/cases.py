# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The kernels, with what they write into and their sizes. Those of size S are the defaults of each
kernel's `initialize`; those of `paper` are what NPBench publishes under that name; `quick` is for
tests of this suite."""

from case import Case
from programs import tolerance

TITLE = "Kernels, beside NumPy, Numba, Pythran and C"
# Points next to the Mandelbrot set come out of chaos in the last digits.
CHAOTIC = {"mandelbrot1": 1e-2, "mandelbrot2": 1e-2}


def kernel(name, changed, paper, quick, each=0):
    """A row: `changed` names parameters; `each` is GiB, for what needs much at size paper."""
    return Case(name, name, {}, quick=quick, paper=paper, each=each, changed=tuple(changed.split()),
                rtol=CHAOTIC.get(name) or tolerance(name))


CASES = [
    kernel("adi", "u", dict(TSTEPS=100, N=200), dict(TSTEPS=2, N=12)),
    kernel("arc_distance", "", dict(N=10000000), dict(N=1000)),
    kernel("atax", "", dict(M=18000, N=22000), dict(M=40, N=50), each=10),
    kernel("azimint_hist", "", dict(N=1000000, npt=1000), dict(N=4000, npt=10)),
    kernel("azimint_naive", "", dict(N=1000000, npt=1000), dict(N=4000, npt=10)),
    kernel("bicg", "", dict(M=18000, N=22000), dict(M=40, N=50), each=10),
    kernel("cavity_flow", "u v p", dict(ny=101, nx=101, nt=700, nit=50),
           dict(ny=11, nx=13, nt=5, nit=3)),
    kernel("channel_flow", "u v p", dict(ny=101, nx=101, nit=50), dict(ny=11, nx=13, nit=3)),
    kernel("cholesky", "A", dict(N=2000), dict(N=20)),
    kernel("cholesky2", "A", dict(N=2000), dict(N=20)),
    kernel("compute", "", dict(M=12500, N=12500), dict(M=40, N=50), each=6),
    kernel("contour_integral", "", dict(NR=500, NM=1000, slab_per_bc=2, num_int_pts=32),
           dict(NR=6, NM=9, num_int_pts=4)),
    kernel("conv2d_bias", "", dict(N=8, C_in=3, C_out=16, K=20, H=256, W=256),
           dict(N=2, H=8, W=9)),
    kernel("correlation", "data", dict(M=1200, N=1400), dict(M=20, N=30)),
    kernel("covariance", "data", dict(M=1200, N=1400), dict(M=20, N=30)),
    kernel("covariance2", "", dict(M=1200, N=1400), dict(M=20, N=30)),
    kernel("crc16", "", dict(N=1000000), dict(N=100)),
    kernel("deriche", "", dict(W=7680, H=4320), dict(W=20, H=30)),
    kernel("doitgen", "A", dict(NR=220, NQ=250, NP=270), dict(NR=4, NQ=5, NP=6)),
    kernel("durbin", "", dict(N=16000), dict(N=20)),
    kernel("fdtd_2d", "ex ey hz", dict(TMAX=500, NX=1000, NY=1200), dict(TMAX=3, NX=12, NY=14)),
    kernel("floyd_warshall", "path", dict(N=2800), dict(N=20)),
    kernel("gemm", "C", dict(NI=2000, NJ=2300, NK=2600), dict(NI=20, NJ=22, NK=24)),
    kernel("gemver", "A w x", dict(N=8000), dict(N=30), each=2.5),
    kernel("gesummv", "", dict(N=11200), dict(N=30), each=4),
    kernel("go_fast", "", dict(N=12500), dict(N=30), each=3),
    kernel("gramschmidt", "A", dict(M=240, N=200), dict(M=14, N=12)),
    kernel("hdiff", "out_field", dict(I=256, J=256, K=160), dict(I=6, J=7, K=8)),
    kernel("heat_3d", "A B", dict(TSTEPS=500, N=120), dict(TSTEPS=4, N=8)),
    kernel("jacobi_1d", "A B", dict(TSTEPS=4000, N=32000), dict(TSTEPS=5, N=40)),
    kernel("jacobi_2d", "A B", dict(TSTEPS=1000, N=2800), dict(TSTEPS=5, N=14)),
    kernel("k2mm", "D", dict(NI=3200, NJ=3600, NK=4400, NL=4800),
           dict(NI=20, NJ=22, NK=24, NL=26)),
    kernel("k3mm", "", dict(NI=3200, NJ=3600, NK=4000, NL=4400, NM=4800),
           dict(NI=20, NJ=22, NK=24, NL=26, NM=28)),
    kernel("lenet", "", dict(N=16, H=256, W=256), dict(N=2, H=16, W=20)),
    kernel("lu", "A", dict(N=2000), dict(N=20)),
    kernel("ludcmp", "A", dict(N=2000), dict(N=20)),
    kernel("mandelbrot1", "", dict(XN=1000, YN=1000, maxiter=200), dict(XN=20, YN=25, maxiter=9)),
    kernel("mandelbrot2", "", dict(XN=1000, YN=1000, maxiter=200), dict(XN=20, YN=25, maxiter=9)),
    kernel("mlp", "", dict(C_in=3, N=8, S0=30000, S1=10000, S2=1000),
           dict(N=4, S0=60, S1=40, S2=20), each=2.5),
    kernel("mvt", "x1 x2", dict(N=16000), dict(N=30), each=6),
    kernel("nbody", "pos vel", dict(N=100, tEnd=10.0, dt=0.01), dict(N=8, tEnd=0.2)),
    kernel("nussinov", "", dict(N=500), dict(N=16)),
    kernel("resnet", "", dict(N=8, W=56, H=56, C1=256, C2=64), dict(N=8, W=6, H=5, C1=8, C2=4)),
    kernel("scattering_self_energies", "Sigma",
           dict(Nkz=4, NE=10, Nqz=4, Nw=3, N3D=3, NA=20, NB=4, Norb=4), dict(NE=2, NA=3)),
    kernel("seidel_2d", "A", dict(TSTEPS=100, N=400), dict(TSTEPS=3, N=14)),
    kernel("softmax", "", dict(N=64, H=16, SM=512), dict(N=3, H=2, SM=20), each=3),
    kernel("spmv", "", dict(M=131072, N=131072, nnz=262144), dict(M=64, N=64, nnz=300)),
    kernel("stockham_fft", "y", dict(R=4, K=10), dict(R=2, K=6)),
    kernel("symm", "C", dict(M=1000, N=1200), dict(M=12, N=14)),
    kernel("syr2k", "C", dict(M=1000, N=1200), dict(M=12, N=14)),
    kernel("syrk", "C", dict(M=1000, N=1200), dict(M=12, N=14)),
    kernel("trisolv", "x", dict(N=16000), dict(N=30), each=6),
    kernel("trmm", "B", dict(M=1000, N=1200), dict(M=12, N=14)),
    kernel("vadv", "utens_stage", dict(I=256, J=256, K=160), dict(I=6, J=7, K=8)),
]
