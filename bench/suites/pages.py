# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The page of results of a suite: ratios, what has no figures and why, and what the work was."""

import measure

ABOUT = """\
Programs of `bench/suites/{suite}` under Nacre and its peers, each with {threads} threads. Nacre
and NumPy run the same text. Ratio: the peer's time over Nacre's, so above 1 Nacre is faster;
ratio of the medians of {pairs} turns, taken in turning order, and its 95 % bootstrap interval.
Calls that warm up and compile are not timed. A result counts only where its sums and {places} of
its elements agree with NumPy's (relative tolerance 1e-9 unless the case says otherwise). The
machine's load before the first case was {load:.1f}."""

WORK = """Peak memory of the process from where its data are made (VmHWM), processor's time over
wall time, and what Nacre runs in one call:""".replace("\n", " ")


def about(options, load):
    suite = options.suite
    text = getattr(suite, "ABOUT", ABOUT)
    return text.format(suite=suite.folder, threads=options.threads, pairs=options.pairs,
                       places=suite.PLACES, size=options.size, limit=options.limit,
                       load=load).replace("\n", " ")


def ratio(found, runner):
    """(ratio, low, high): how many times as long as nacre; None without both times."""
    columns = [found.get(who, {}).get("seconds") for who in (runner, "nacre")]
    if None in columns:
        return None
    def of_medians(drawn):
        return measure.median(drawn[0]) / measure.median(drawn[1])
    return (of_medians(columns),) + measure.bootstrapped(columns, of_medians)


def time_cells(found):
    """Two cells: nacre's time and its interval."""
    times = found.get("nacre", {}).get("seconds")
    if not times:
        return ["—", ""]
    low, high = measure.bootstrapped([times], lambda columns: measure.median(columns[0]))
    return [measure.microseconds(measure.median(times)),
            "%s to %s" % (measure.microseconds(low), measure.microseconds(high))]


def time_table(names, results, peers):
    head = ["case", "Nacre, µs", "interval"]
    for peer in peers:
        head += [names[peer], "interval"]
    rows = []
    for name, found in results.items():
        cells = [name] + time_cells(found)
        for peer in peers:
            cells += measure.ratio_cells(ratio(found, peer))
        rows.append(cells)
    return measure.table(head, rows)


def summaries(names, results, peers):
    lines = []
    for peer in peers:
        values = [r[0] for r in (ratio(found, peer) for found in results.values()) if r]
        if values:
            lines += ["- " + measure.summary("%s, %d cases" % (names[peer], len(values)), values)]
    return lines


def troubles(names, results, left_out):
    lines = ["- %s, %s: %s" % (name, names[runner], one["why"]) for name, found in results.items()
             for runner, one in found.items() if "why" in one]
    return lines + ["- %s: left out, it needs more memory than there was" % n for n in left_out]


def work_table(results):
    head = ["case", "Nacre, MiB", "NumPy, MiB", "Nacre's cores", "NumPy's cores", "operations",
            "kernels", "library calls"]
    rows = []
    for name, found in results.items():
        both = [found.get(runner, {}) for runner in ("nacre", "numpy")]
        figures = both[0].get("figures") or {}
        rows.append([name] + ["%.0f" % one["peak"] if "peak" in one else "—" for one in both] +
                    ["%.2f" % one["busy"] if "busy" in one else "—" for one in both] +
                    [str(figures.get(key, "—")) for key in (
                        "nodes_executed", "kernels", "library_calls")])
    return measure.table(head, rows)


def page(suite, setup, results, left_out):
    names = suite.RUNNERS
    peers = [r for r in names if r != "nacre" and any(r in found for found in results.values())]
    lines = ["- %s: %s" % (names[runner], text) for runner, text in setup.items()]
    lines += [""] + time_table(names, results, peers) + [""] + summaries(names, results, peers)
    trouble = troubles(names, results, left_out)
    lines += ["", "No figures:", ""] + trouble if trouble else []
    lines += ["", WORK, ""] + work_table(results)
    return lines
