#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What bench/sparse.py measures of PETSc, run by one process per core with Debian's Python and its package
python3-petsc4py. Prints how long CASE takes, in seconds, as the other programs of that suite do.

    mpiexec -n 2 python3 bench/sparse_petsc.py CASE
"""

import sys
import time

import numpy as np
import petsc4py

petsc4py.init([])
from petsc4py import PETSc


def five_points(n):
    """The five-point matrix of an n × n grid, by blocks of rows, each process making its own. Entries that would be
    outside the grid are left out."""
    A = PETSc.Mat().create()
    A.setSizes(n * n)
    A.setType(PETSc.Mat.Type.AIJ)
    A.setUp()
    first, last = A.getOwnershipRange()
    A.destroy()
    row = np.arange(first, last)
    columns = np.stack([row - n, row - 1, row, row + 1, row + n], axis=1)
    there = np.stack([row >= n, row % n > 0, row >= 0, row % n < n - 1, row < n * (n - 1)], axis=1)
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(PETSc.IntType)
    values = np.broadcast_to([-1.0, -1.0, 4.0, -1.0, -1.0], columns.shape)[there]
    return PETSc.Mat().createAIJ(n * n, csr=(indptr, columns[there].astype(PETSc.IntType), values))


def product(A):
    x, y = A.createVecs()
    x.set(1.0)
    return lambda: A.mult(x, y)


def conjugate_gradients(A, steps):
    """A fixed number of steps without a preconditioner, from zero. The natural norm costs no product of its own."""
    x, b = A.createVecs()
    first, last = b.getOwnershipRange()
    b.setArray(np.sin(np.arange(first, last)))
    solver = PETSc.KSP().create()
    solver.setOperators(A)
    solver.setType(PETSc.KSP.Type.CG)
    solver.getPC().setType(PETSc.PC.Type.NONE)
    solver.setNormType(PETSc.KSP.NormType.NATURAL)
    solver.setTolerances(rtol=1e-300, atol=1e-300, max_it=steps)

    def once():
        solver.solve(b, x)
        if solver.getIterationNumber() != steps:
            sys.exit("%d steps instead of %d" % (solver.getIterationNumber(), steps))

    return once


CASES = {"spmv-5": lambda: product(five_points(2002)),
         "cg": lambda: conjugate_gradients(five_points(2002), 20)}


def main():
    once = CASES[sys.argv[1]]()
    once()
    times = []
    # As many calls in every process: at most 200, for about a second.
    rounds = 3
    while len(times) < rounds:
        PETSc.COMM_WORLD.barrier()
        start = time.perf_counter()
        once()
        PETSc.COMM_WORLD.barrier()
        times.append(time.perf_counter() - start)
        if len(times) == 3:
            share = PETSc.Vec().createMPI((1, PETSc.DECIDE))
            share.set(sum(times) / 3)
            rounds = int(min(200, max(3, 1 / share.max()[1])))
    if PETSc.COMM_WORLD.rank == 0:
        print("took", sorted(times)[len(times) // 2])


if __name__ == "__main__":
    main()
