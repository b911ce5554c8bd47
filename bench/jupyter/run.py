#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""How long a person waits for the Jupyter kernel, beside ipykernel: start, cells, output, completion, interrupts, end.

A script `ensure_venv jupyter bench/jupyter/requirements.txt` of scripts/deps makes the environment, build/jupyter.
Writes bench/results/jupyter.md.
"""

import os
import queue
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import interrupts  # noqa: E402
import measure  # noqa: E402

KERNELS = ("nacre", "python3")
WAIT = 120
LINES = 100000
NAMES = "import numpy as np\n" + "\n".join("name_%d = %d" % (i, i) for i in range(1000))


class Kernel:
    """A kernel that has just been started; `start` is how long it took to answer."""

    def __init__(self, name):
        from jupyter_client.manager import KernelManager
        self.manager = KernelManager(kernel_name=name)
        begin = time.perf_counter()
        self.manager.start_kernel()
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        # A request that comes before the kernel has bound its sockets may be lost, and so is what it says before it
        # knows who listens.
        self.until_answered(lambda: self.reply(self.client.kernel_info(), 0.25))
        self.start = time.perf_counter() - begin
        self.until_answered(lambda: self.until_idle(self.client.kernel_info(), 1))
        self.run("")

    @staticmethod
    def until_answered(ask):
        while True:
            try:
                return ask()
            except queue.Empty:
                continue

    def reply(self, request, wait=WAIT):
        while True:
            message = self.client.get_shell_msg(timeout=wait)
            if message["parent_header"].get("msg_id") == request:
                return message

    def until_idle(self, request, wait=WAIT):
        """Characters of text, and messages, until the kernel is idle again."""
        characters = messages = 0
        while True:
            message = self.client.get_iopub_msg(timeout=wait)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "stream":
                characters += len(message["content"]["text"])
                messages += 1
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return characters, messages

    def run(self, code):
        """Seconds of a round trip, and what until_idle gives."""
        begin = time.perf_counter()
        request = self.client.execute(code)
        written = self.until_idle(request)
        self.reply(request)
        return time.perf_counter() - begin, written

    def ask(self, request):
        begin = time.perf_counter()
        message = self.reply(request())
        return time.perf_counter() - begin, message["content"]

    def interrupt(self, code):
        request = self.client.execute(code)
        time.sleep(0.3)
        begin = time.perf_counter()
        self.manager.interrupt_kernel()
        self.until_idle(request)
        assert self.reply(request)["content"].get("ename") == "KeyboardInterrupt", code
        return time.perf_counter() - begin

    def shutdown(self):
        process = self.manager.provisioner.process
        begin = time.perf_counter()
        self.client.shutdown()
        while process.poll() is None and time.perf_counter() - begin < WAIT:
            time.sleep(0.001)
        spent = time.perf_counter() - begin
        self.client.stop_channels()
        self.manager.cleanup_resources()
        return spent

    def memory(self):
        with open("/proc/%d/status" % self.manager.provisioner.process.pid, encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1024 / 1e6


def whole(kernel_name):
    """{what: milliseconds, or what it says} of one kernel's life."""
    kernel = Kernel(kernel_name)
    found = {"start to kernel_info_reply": kernel.start}
    memory = {"resident after the start, MB": kernel.memory()}
    found["empty cell"] = measure.median([kernel.run("")[0] for _ in range(100)])
    found["`1 + 1`"] = measure.median([kernel.run("1 + 1")[0] for _ in range(100)])
    found["%d lines of output" % LINES], (characters, messages) = kernel.run("for i in range(%d): print('line', i)" % LINES)
    assert characters == sum(len("line %d\n" % i) for i in range(LINES)), characters
    kernel.run(NAMES)
    for text in "name_", "np.", "np.lin":
        found["complete `%s`" % text] = measure.median([kernel.ask(lambda: kernel.client.complete(text))[0] for _ in range(20)])
    found["inspect `np.linspace`"] = measure.median([kernel.ask(lambda: kernel.client.inspect("np.linspace"))[0] for _ in range(20)])
    found["interrupt `while True: pass`"] = measure.median([kernel.interrupt("while True: pass") for _ in range(5)])
    kernel.run("a = np.ones((3000, 3000))")
    found["interrupt `a @ a` (3000²) in a loop"] = kernel.interrupt("while True: b = a @ a")
    found["shutdown"] = kernel.shutdown()
    return {name: 1e3 * seconds for name, seconds in found.items()} | memory


def main():
    options = measure.arguments(__doc__, 7, venv="jupyter")
    if sys.prefix != os.path.realpath(os.path.join(os.path.dirname(options.python), "..")):
        os.execv(options.python, [options.python] + sys.argv)
    with tempfile.TemporaryDirectory(prefix="nacre-bench-") as folder:
        subprocess.run([options.nacre, "kernel", "install", "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
        os.environ["JUPYTER_PATH"] = os.path.join(folder, "share", "jupyter")
        os.environ["JUPYTER_RUNTIME_DIR"] = os.path.join(folder, "runtime")
        os.environ["XDG_DATA_HOME"] = os.path.join(folder, "data")
        ours, others = measure.interleaved(KERNELS, options.pairs, whole)
        stops = [[what, str(len(times)), "%.1f" % (1e3 * measure.median(times)), "%.1f" % (1e3 * max(times))]
                 for what, times in interrupts.measured(lambda: Kernel(KERNELS[0]))]
    rows = []
    for name in ours[0]:
        mine, theirs = [run[name] for run in ours], [run[name] for run in others]
        rows.append([name, "%.2f" % measure.median(mine), "%.2f" % measure.median(theirs)] +
                    measure.ratio_cells(measure.ratios(theirs, mine)))
    measure.write(options, "jupyter.md", "The Jupyter kernel",
                  "In ms where nothing else is said, medians of %d kernels of each kind, in turns; the ratio is "
                  "ipykernel's time by Nacre's, with the 95 %% interval of its median. All are round trips seen by "
                  "jupyter_client." % options.pairs,
                  measure.table(["", "nacre", "ipykernel", "ratio", "interval"], rows) +
                  ["", "From an interrupt to the reply of the cell, in ms, of Nacre's kernel alone. Each cell ended with "
                   "KeyboardInterrupt, and the next one ran with all variables.", ""] +
                  measure.table(["what ran", "interrupts", "median", "worst"], stops),
                  ["ipykernel", "jupyter_client", "numpy"])


if __name__ == "__main__":
    main()
