#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""matplotlib.pyplot beside matplotlib: how long whole processes take that draw a picture (`times/`), and how far
pictures are from matplotlib's (`plots/`). With --other NACRE a second build is measured beside.

--python needs matplotlib, with NumPy and Pillow. Writes bench/results/pictures.md.
"""

import glob
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import measure  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# The mean difference of pixels, from 0 to 255, after a blur over three by three of them.
DIFFERENCE = """
import sys
import numpy as np
from PIL import Image
def read(name):
    a = np.asarray(Image.open(name).convert('RGB'), float)
    a = np.pad(a, ((1, 1), (1, 1), (0, 0)), mode='edge')
    h, w = a.shape[0] - 2, a.shape[1] - 2
    return sum(a[i:i + h, j:j + w] for i in range(3) for j in range(3)) / 9
first = read(sys.argv[1])
print(*[abs(read(name) - first).mean() for name in sys.argv[2:]])
"""


def spend(command):
    """Seconds from start to end, and of the processors."""
    silence = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=silence)
    _, status, usage = os.wait4(pid, 0)
    spent = time.perf_counter() - start
    if status:
        sys.exit("failed: " + " ".join(os.path.basename(word) for word in command))
    return spent, usage.ru_utime + usage.ru_stime


def scripts(folder, only):
    found = sorted(glob.glob(os.path.join(HERE, folder, "*.py")))
    return [each for each in found if not only or os.path.basename(each)[:-3] in only]


def title(script):
    with open(script, encoding="utf-8") as file:
        return file.read().split('"""')[1].rstrip(".").split("\n")[0]


def of_times(programs, rounds, only, folder):
    rows = []
    for script in scripts("times", only):
        commands = [[program, script, os.path.join(folder, "out.png")] for program in programs]
        for command in commands:
            spend(command)
        found = measure.interleaved(commands, rounds, spend)
        walls = [[1e3 * each[0] for each in runs] for runs in found]
        row = [title(script)]
        for runs, times in zip(found, walls):
            low, high = measure.interval(times)
            row += ["%.0f (%.0f to %.0f)" % (measure.median(times), low, high),
                    "%.0f" % measure.median([1e3 * each[1] for each in runs])]
        for times in walls[1:]:
            row.append("%.2f" % measure.ratios(times, walls[0])[0])
        rows.append(row)
    return rows


def of_pictures(python, programs, only, folder):
    rows = []
    for script in scripts("plots", only):
        names = [os.path.join(folder, "%d.png" % at) for at in range(len(programs) + 1)]
        for program, name in zip([python] + programs, names):
            spend([program, script, name])
        found = measure.output([python, "-c", DIFFERENCE] + names).split()
        rows.append([title(script)] + ["%.2f" % float(each) for each in found])
    return rows


def main():
    def extend(add):
        add("--other", help="another build of Nacre's program")
        add("--label", default="the other build", help="what that is called")
    options = measure.arguments(__doc__.split("\n")[0], 9, extend, venv="pictures-venv")
    os.environ["MPLBACKEND"] = "Agg"
    ours = [options.nacre] + ([options.other] if options.other else [])
    names = ["Nacre"] + ([options.label] if options.other else [])
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MPLCONFIGDIR"] = folder
        times = of_times(ours + [options.python], options.pairs, options.only, folder)
        pictures = of_pictures(options.python, ours, options.only, folder)
    head = ["picture"]
    for name in names + ["matplotlib"]:
        head += [name + ", ms (95 % interval)", "processor, ms"]
    lines = measure.table(head + [name + " / Nacre" for name in names[1:] + ["matplotlib"]], times)
    lines += ["", "Mean difference of pixels (of 255) from matplotlib's pictures, after a blur over 3 × 3 pixels.", ""]
    lines += measure.table(["picture"] + names, pictures)
    measure.write(options, "pictures.md", "Pictures",
                  "Whole processes that draw a picture of 640 × 480 pixels and write it as PNG; medians of %d."
                  % options.pairs, lines, ["numpy", "matplotlib", "PIL"])


if __name__ == "__main__":
    main()
