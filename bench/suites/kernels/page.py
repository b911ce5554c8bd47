# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The page of results of the kernels: ratios, the machine's limits, loops, what has no figures."""

import measure
import pages

NUMBA = ("numba", "numba_parallel", "numba_loops")
PEERS = ("numpy", *NUMBA, "pythran")
SAME = tuple(peer for peer in PEERS if peer != "numba_loops")  # run the kernel's own text
HOW = {"numba": "njit", "numba_parallel": "parallel", "numba_loops": "loops"}

ABOUT = """\
The programs of `tests/kernels` at size {size} (`bench/suites/kernels/cases.py`), each with
{threads} threads. What is timed is the kernel's function; its data are made before, what it writes
into is restored between calls while the clock stands, and everybody writes into the same arrays
each time. Ratio: the peer's time over Nacre's, so above 1 Nacre is faster; ratio of the medians of
{pairs} turns, taken in turning order, and its 95 % bootstrap interval. Calls that warm up and
compile are not timed; Nacre's first call, in a new process and without code from earlier ones, has
a column of its own. Numba: the best of its modes, which the column behind names. The best: the
fastest of NumPy, Numba and Pythran. C: `bench/c`, by hand. A result counts only where its sums and
{places} of its elements agree with NumPy's, to what the kernel's own test allows. The machine's
load before the first kernel was {load:.1f}."""

LIMITS = """How far C and Nacre are from what the machine can do. The floor is what each kernel in
`bench/c` states, bytes at the speed of a triad over as much memory, or flops at the peak of {peak}
GFLOP/s, whichever takes longer; that many µs would be 100 %. Triad, GB/s: {triad}.""".replace(
    "\n", " ")

LOOPS = """What Nacre did in one call, and what became of the loops in the kernel's own text that
went round often enough to be looked at. Left: what a loop's machine code leaves to the interpreter
again and again.""".replace("\n", " ")


def median_of(found, runner):
    times = found.get(runner, {}).get("seconds")
    return measure.median(times) if times else None


def fastest(found, runners):
    """The one of some runners that is fastest; None if none has an answer."""
    timed = [runner for runner in runners if median_of(found, runner)]
    return min(timed, key=lambda runner: median_of(found, runner)) if timed else None


def ratio_of(found, runners):
    runner = fastest(found, runners)
    return pages.ratio(found, runner) if runner else None


def first_cell(found):
    first = found.get("nacre", {}).get("first")
    return "%.1f" % (first * 1e3) if first else "—"


def ratio_table(results):
    head = ["kernel", "Nacre, µs", "interval", "first, ms", "NumPy", "interval", "Numba",
            "interval", "mode", "Pythran", "interval", "the best", "interval", "C", "interval"]
    rows = []
    for name, found in results.items():
        rows.append(
            [name] + pages.time_cells(found) + [first_cell(found)] +
            measure.ratio_cells(ratio_of(found, ["numpy"])) +
            measure.ratio_cells(ratio_of(found, NUMBA)) + [HOW.get(fastest(found, NUMBA), "")] +
            measure.ratio_cells(ratio_of(found, ["pythran"])) +
            measure.ratio_cells(ratio_of(found, PEERS)) +
            measure.ratio_cells(ratio_of(found, ["c"])))
    return measure.table(head, rows)


def summaries(results):
    lines = []
    for title, runners in (("NumPy", ["numpy"]), ("Numba", NUMBA), ("Pythran", ["pythran"]),
                           ("the best of them", PEERS),
                           ("the best of those that run the kernel's own text", SAME),
                           ("loops written for Numba", ["numba_loops"]), ("C", ["c"])):
        values = [r[0] for r in (ratio_of(found, runners) for found in results.values()) if r]
        if values:
            lines.append("- %s %d below 0.8." % (
                measure.summary("%s, %d kernels" % (title, len(values)), values),
                sum(value < 0.8 for value in values)))
    return lines


def floor_seconds(notes, rates):
    """The time of the floor, and what limits it."""
    span = notes["span"]
    size = min((size for size in rates["triad"] if size >= span), default=max(rates["triad"]))
    moving, computing = notes["bytes"] / rates["triad"][size], notes["flops"] / rates["peak"]
    return max(moving, computing), "bytes" if moving >= computing else "flops"


def share(floor, seconds):
    return "%.0f %%" % (100 * floor / seconds) if seconds else "—"


def limit_table(results, rates):
    rows = []
    for name, found in results.items():
        if "notes" not in found.get("c", {}):
            continue
        floor, what = floor_seconds(found["c"]["notes"], rates)
        mine, theirs = median_of(found, "nacre"), median_of(found, "c")
        rows.append([name, measure.microseconds(theirs), measure.microseconds(floor), what,
                     share(floor, theirs), share(floor, mine)])
    return measure.table(["kernel", "C, µs", "floor, µs", "by", "C at", "Nacre at"], rows)


def limits(results, rates):
    triad = ", ".join("%s %.0f" % (size_of(size), value / 1e9)
                      for size, value in sorted(rates["triad"].items()))
    return ["", LIMITS.format(peak="%.0f" % (rates["peak"] / 1e9), triad=triad),
            ""] + limit_table(results, rates)


def size_of(size):
    return "%d MiB" % (size >> 20) if size >> 20 else "%d KiB" % (size >> 10)


def interpreted(loop):
    return not loop["compiled"] or loop["left"] is not None


def left_text(loops):
    """What of a kernel's loops the interpreter does."""
    texts = ["loop %d: %s" % (loop["line"], loop["what"] if not loop["why"] else
                              "line %d, %s" % (loop["left"], loop["why"]))
             for loop in loops if interpreted(loop)]
    return "; ".join(texts)


def work_table(results):
    rows = []
    for name, found in results.items():
        nacre = found.get("nacre", {})
        figures, loops = nacre.get("figures") or {}, nacre.get("loops") or []
        rows.append([name] + [str(figures.get(key, "—")) for key in (
            "kernels", "library_calls", "loop_rounds", "loops_left")] +
            [str(sum(loop["compiled"] for loop in loops)), left_text(loops)])
    return measure.table(["kernel", "kernels", "library calls", "rounds in machine code",
                          "times left", "loops with code", "left to the interpreter"], rows)


def loop_summary(results):
    looked = [found["nacre"] for found in results.values()
              if found.get("nacre", {}).get("loops") is not None]
    clean = sum(not any(interpreted(loop) for loop in nacre["loops"]) for nacre in looked)
    return "%d of %d kernels have no loop of which the interpreter does a part." % (
        clean, len(looked))


def page(suite, setup, results, left_out, rates=None):
    lines = ["- %s: %s" % (suite.RUNNERS[runner], text) for runner, text in setup.items()]
    lines += [""] + ratio_table(results) + [""] + summaries(results)
    trouble = pages.troubles(suite.RUNNERS, results, left_out)
    if rates:
        lines += limits(results, rates)
    lines += ["", LOOPS, ""] + work_table(results) + ["", loop_summary(results)]
    return lines + (["", "No figures:", ""] + trouble if trouble else [])
