# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Nacre's kernel interrupted: many times in a row, and in the middle of work of many kinds."""

import time

# What runs, how often it is interrupted, and how long it runs before.
WORK = (
    ("`while True: pass`", 20, 0.1),
    ("`while True: v = v + 1`, 10⁶ elements", 20, 0.1),
    ("`while True: s += i % 7`, a compiled loop", 20, 0.1),
    ("`while True: b = a @ a`, 2000²", 10, 0.2),
    ("`np.sort(w)`, 3·10⁷ elements", 5, 0.2),
    ("`while True: print('x' * 1000)`", 20, 0.2),
    ("`for i in range(100000): print('line', i)` over and over", 20, 0.2),
    ("`time.sleep(600)`", 10, 0.1),
    ("`input()`", 10, 0.1),
    ("`np.linalg.solve`, 5000²", 3, 0.3),
    ("`np.linalg.svd`, 2000²", 3, 0.5),
    ("`np.linalg.eig`, 2000²", 3, 0.5),
    ("`np.linalg.eigh`, 2500²", 3, 0.5),
    ("`np.linalg.lstsq`, 2500²", 3, 0.5),
    ("`np.fft.fft(w)`, 3·10⁷ elements", 3, 0.1),
)
SETUP = """import numpy as np, time
rng = np.random.default_rng(1)
a, v, w = rng.random((2000, 2000)), rng.random(10**6), rng.random(3 * 10**7)
large, symmetric = rng.random((5000, 5000)), rng.random((2500, 2500))
symmetric += symmetric.T
v[0], w[0], large[0, 0], symmetric[0, 0]"""
CODE = {
    "s +=": "s = i = 0\nwhile True:\n    i += 1\n    s += i % 7",
    "np.sort": "while True: x = np.sort(w); x[0]",
    "over and over": "while True:\n    for i in range(100000): print('line', i)",
    "input()": "input('? ')",
    "solve": "x = np.linalg.solve(large, large[0]); x[0]",
    "svd": "x = np.linalg.svd(a)[1]; x[0]",
    "eigh": "x = np.linalg.eigh(symmetric)[0]; x[0]",
    "eig": "x = np.linalg.eig(a)[0]; x[0]",
    "lstsq": "x = np.linalg.lstsq(symmetric, symmetric[0])[0]; x[0]",
    "fft": "while True: x = np.fft.fft(w); x[0]",
}
ROW = 1000


def code_of(title):
    for part, code in CODE.items():
        if part in title:
            return code
    return title.split("`")[1]


def interrupted(kernel, code, before):
    """Seconds from the interrupt to the end of the cell. The next cell has to run."""
    request = kernel.client.execute("print('runs', flush=True)\n" + code)
    while True:
        message = kernel.client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") == request and message["msg_type"] == "stream":
            break
    time.sleep(before)
    begin = time.perf_counter()
    kernel.manager.interrupt_kernel()
    content = kernel.reply(request)["content"]
    spent = time.perf_counter() - begin
    assert content.get("ename") == "KeyboardInterrupt", (code, content)
    kernel.until_idle(request)
    assert kernel.ask(lambda: kernel.client.execute("assert len(v) == 10**6"))[1]["status"] == "ok", code
    return spent


def in_a_row(kernel):
    """Every second one of a loop that writes, each as soon as the cell has begun."""
    found = []
    for i in range(ROW):
        request = kernel.client.execute("while True: pass" if i % 2 else "while True: print(1)")
        while True:
            message = kernel.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") == request and message["msg_type"] == "execute_input":
                break
        begin = time.perf_counter()
        kernel.manager.interrupt_kernel()
        content = kernel.reply(request)["content"]
        found.append(time.perf_counter() - begin)
        assert content.get("ename") == "KeyboardInterrupt", content
        kernel.until_idle(request)
    return found


def measured(make):
    """(what, seconds of each interrupt) of kernels that `make` makes."""
    kernel = make()
    kernel.run(SETUP)
    yield "%d cells in a row, half of which write without end" % ROW, in_a_row(kernel)
    for title, count, before in WORK:
        yield title, [interrupted(kernel, code_of(title), before) for _ in range(count)]
    kernel.shutdown()
