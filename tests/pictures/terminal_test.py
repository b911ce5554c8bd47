#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""plt.show() in a terminal that takes sixels, in one that says it does not, in one that says nothing, and in a pipe.

The test is the terminal: it answers the question which device it is, and decodes what is drawn.
"""

import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import termios
import time

SCRIPT = """
import matplotlib.pyplot as plt
fig = plt.figure(figsize=(2, 1.5), dpi=40, facecolor='red')
ax = fig.add_axes((0.25, 0.25, 0.5, 0.5), facecolor='blue')
ax.axis('off')
fig.patches.append(plt.Rectangle((0.5, 0), 0.5, 1, color='lime', transform=fig.transFigure, figure=fig))
plt.show()
print('done')
"""
QUESTION = b"\x1b[c"
failures = []


def check(what, fine):
    if not fine:
        failures.append(what)


def run_in_terminal(nacre, script, folder, answer):
    """What the program writes to a terminal, whose state it must leave as it was."""
    leader, follower = pty.openpty()
    before = termios.tcgetattr(follower)
    environment = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TERM_PROGRAM", "KITTY_WINDOW_ID", "LC_TERMINAL")}
    process = subprocess.Popen([nacre, script], stdin=follower, stdout=follower, stderr=follower, cwd=folder,
                               env={**environment, "TERM": "xterm"})
    seen, until = b"", time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([leader], [], [], 0.05)[0]:
            seen += os.read(leader, 65536)
            if answer and QUESTION in seen:
                os.write(leader, answer)
                answer = None
        elif process.poll() is not None:
            break
    check("it ended: %r" % seen[-200:], process.poll() == 0)
    check("the terminal is as before", termios.tcgetattr(follower) == before)
    os.close(leader)
    os.close(follower)
    return seen


def decoded(text):
    """Pixels of a sixel picture: a dictionary of (row, column) to (red, green, blue) in percent."""
    size = re.match(rb'"1;1;(\d+);(\d+)', text)
    palette, pixels = {}, {}
    row = column = colour = 0
    for token in re.finditer(rb"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)([?-~])|([?-~])|([$-])", text[size.end():]):
        number, red, green, blue, chosen, count, repeated, single, move = token.groups()
        if number:
            palette[int(number)] = (int(red), int(green), int(blue))
        elif chosen:
            colour = int(chosen)
        elif move:
            column, row = 0, row + (6 if move == b"-" else 0)
        else:
            bits = (repeated or single)[0] - 63
            for _ in range(int(count or 1)):
                for k in range(6):
                    if bits >> k & 1:
                        pixels[row + k, column] = palette[colour]
                column += 1
    return (int(size.group(2)), int(size.group(1))), pixels


def check_sixels(seen):
    picture = re.search(rb"\x1bP[0-9;]*q(.*?)\x1b\\", seen, re.S)
    check("there is a picture: %r" % seen[:200], picture is not None)
    if picture is None:
        return
    (rows, columns), pixels = decoded(picture.group(1))
    check("its size: %s" % ((rows, columns),), (rows, columns) == (60, 80))
    check("every pixel is drawn", len(pixels) == rows * columns)
    check("its colours", pixels.get((5, 5)) == (100, 0, 0) and pixels.get((5, 75)) == (0, 100, 0))
    check("and then the program goes on", seen.rstrip().endswith(b"done"))


def main():
    nacre = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "show.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        picture = os.path.join(folder, "figure_1.png")
        check_sixels(run_in_terminal(nacre, script, folder, b"\x1b[?62;4;22c"))
        check("no file beside the picture", not os.path.exists(picture))
        for answer in (b"\x1b[?62;22c", None):
            seen = run_in_terminal(nacre, script, folder, answer)
            check("a file where there are no sixels", os.path.exists(picture) and b"figure_1.png" in seen and b"\x1bP" not in seen)
            os.remove(picture)
        done = subprocess.run([nacre, script], stdin=subprocess.DEVNULL, capture_output=True, cwd=folder, timeout=60)
        check("a pipe: %r" % done.stdout, done.stdout == b"figure_1.png\ndone\n" and os.path.exists(picture))
    for failure in failures:
        print(failure)
    sys.exit(failures != [])


main()
