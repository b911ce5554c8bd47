# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# What stands behind every program of a suite: it takes its turns as the driver asks for them on
# standard input, `case NAME` or `calls COUNT`, and answers in one line each.
import time

PIECE = 1 << 20


def timed(calls):
    """Seconds of a call, cores that were busy (also in between), and the last result. The clock is
    read after each call because work may be put off until somebody looks: reading a clock looks.
    Results of peers that work in the background are waited for in their `run`."""
    seconds = 0.0
    processor = time.process_time()
    begin = time.perf_counter()
    for _ in range(calls):
        refresh()
        start = time.perf_counter()
        result = run(*given)
        end = time.perf_counter()
        seconds += end - start
    return seconds / calls, (time.process_time() - processor) / (end - begin), result


def parts(result):
    """The arrays of a result; of complex ones both parts."""
    for array in result if isinstance(result, tuple) else (result,):
        flat = np.asarray(array).reshape(-1)
        if flat.dtype.kind == "c":
            yield flat.real
            yield flat.imag
        else:
            yield flat


def looked_at(result):
    """For each array of a result: its size, its sum, that of its absolute values, and some of its
    elements. Goes piece by piece, so as not to be what needs most memory."""
    found = []
    for flat in parts(result):
        pieces = [flat[at:at + PIECE] for at in range(0, flat.size, PIECE)]
        found += [flat.size, sum(float(piece.sum()) for piece in pieces),
                  sum(float(np.abs(piece).sum()) for piece in pieces)]
        found += [float(x) for x in flat[np.arange(PLACES) * 7919 % flat.size]]
    return found


def turn(calls):
    seconds, busy, result = timed(calls)
    return [seconds, busy] + looked_at(result)


given = None
while True:
    try:
        order, what = input().split(" ", 1)
    except EOFError:
        break
    if order == "case":
        given = None
        given = prepared(*data(**CASES[what]))
        print("ready", *notes(), flush=True)
    else:
        print(*turn(int(what)), flush=True)
