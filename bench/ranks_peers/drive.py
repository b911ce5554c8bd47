# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""One program under a peer: drive.py PEER FILE NAME SIZES CHANGED, the last two in JSON.

FILE has `initialize`, which runs under NumPy in each process, and the function NAME. Its arrays are handed to the peer,
split along the first axis; those of CHANGED are restored before each call. HeAT and cuPyNumeric run the function's text
as it stands, with their module in NumPy's place; Dask runs what dask_programs.py has under that name. Prints the sums of
the results and the median of the calls' seconds.
"""

import gc
import importlib
import json
import sys
import time

import numpy


class Heat:
    module = "heat"

    def __init__(self):
        import heat
        import torch
        torch.set_num_threads(1)
        self.heat = heat

    def give(self, value):
        return self.heat.array(value, split=0)

    def copy(self, value):
        return self.heat.copy(value)

    def wait(self, values):
        self.heat.communication.MPI.COMM_WORLD.Barrier()

    def sums(self, value):
        return [float(self.heat.sum(value)), float(self.heat.sum(value * value))]

    def speaks(self):
        return self.heat.communication.MPI.COMM_WORLD.rank == 0


class CuPyNumeric:
    module = "cupynumeric"

    def __init__(self):
        self.np = importlib.import_module(self.module)

    def give(self, value):
        return self.np.array(value)

    def copy(self, value):
        return value.copy()

    def wait(self, values):
        for value in values:
            float(value[(0,) * value.ndim])

    def sums(self, value):
        return [float(self.np.sum(value)), float(self.np.sum(value * value))]

    def speaks(self):
        return True


class Dask:
    """Its results are kept by the workers, as the other peers keep theirs: persisted and awaited."""

    def __init__(self):
        import dask.array
        import distributed
        self.array, self.distributed = dask.array, distributed
        self.client = distributed.Client(n_workers=2, threads_per_worker=1, processes=True, memory_limit="8GiB",
                                         dashboard_address=None)

    def give(self, value):
        chunks = ((value.shape[0] + 1) // 2,) + value.shape[1:]
        given = self.array.from_array(value, chunks=chunks).persist()
        self.distributed.wait(given)
        return given

    def copy(self, value):
        return value

    def wait(self, values):
        self.distributed.wait([value.persist() if hasattr(value, "persist") else value for value in values])

    def sums(self, value):
        return [float(self.array.sum(value).compute()), float(self.array.sum(value * value).compute())]

    def speaks(self):
        return True


def main():
    name, file, function, sizes, changed = sys.argv[1:6]
    sizes, changed = json.loads(sizes), json.loads(changed)
    with open(file, encoding="utf-8") as opened:
        source = opened.read().partition('\nif __name__ == "__main__":\n')[0]
    made, used = {"__name__": "made"}, {"__name__": "used"}
    exec(compile(source, file, "exec"), made)
    values = made["initialize"](**sizes)
    peer = {"heat": Heat, "cupynumeric": CuPyNumeric, "dask": Dask}[name]()
    if name == "dask":
        import dask_programs
        run = getattr(dask_programs, function)
    else:
        exec(compile(source.replace("import numpy as np", "import %s as np" % peer.module), file, "exec"), used)
        run = used[function]
    given = [peer.give(value) if isinstance(value, numpy.ndarray) and value.ndim else value for value in values]
    before = {at: given[at] for at in changed}

    def once():
        for at, value in before.items():
            given[at] = peer.copy(value)
        peer.wait([given[at] for at in changed])
        start = time.perf_counter()
        result = run(*given)
        result = result if isinstance(result, tuple) else (result,)
        if name == "dask":
            import dask
            result = dask.persist(*result)
        peer.wait(result)
        return time.perf_counter() - start, result

    _, result = once()
    totals = [total for value in result for total in peer.sums(value)]
    del result  # Dask would find what it holds already, by name
    gc.collect()
    times = []
    while sum(times) < 10 and (len(times) < 3 or (sum(times) < 0.5 and len(times) < 10)):
        times.append(once()[0])
    if peer.speaks():
        print(json.dumps({"seconds": sorted(times)[len(times) // 2], "sums": totals}))


if __name__ == "__main__":
    main()
