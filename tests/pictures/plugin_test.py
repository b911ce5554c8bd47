#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Without nacre-pictures.so matplotlib says what to install, and imsave works; show() writes a file and names it, or gives the
picture to a terminal that takes pictures.

usage: plugin_test.py NACRE
"""

import base64
import os
import pty
import shutil
import subprocess
import sys
import tempfile

SHOW = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint(plt.get_fignums())\n"
failures = []


def check(what, got, wanted):
    if got != wanted:
        failures.append(what)
        print("%s: got %r, wanted %r" % (what, got, wanted))


def run(program, text, folder, **environment):
    return subprocess.run([program, "-c", text], cwd=folder, capture_output=True, text=True, timeout=60,
                          env={**os.environ, **environment})


def check_missing(nacre, folder):
    alone = os.path.join(folder, "nacre")
    shutil.copy(nacre, alone)
    done = run(alone, "import matplotlib.pyplot as plt\nplt.imsave('a.png', [[1.0]])\nplt.plot([1])\n", folder)
    last = done.stderr.strip().split("\n")[-1]
    check("error", last.split(",")[0], "ImportError: matplotlib needs nacre-pictures.so")
    check("what to install", "apt install libcairo2-dev libfreetype-dev fonts-dejavu-core" in last, True)
    check("imsave", os.path.exists(os.path.join(folder, "a.png")), True)


def check_file(nacre, folder):
    done = run(nacre, SHOW, folder)
    check("show " + done.stderr, done.stdout, "figure_1.png\n[]\n")
    with open(os.path.join(folder, "figure_1.png"), "rb") as file:
        check("file", file.read(8), b"\x89PNG\r\n\x1a\n")


def check_terminal(nacre, folder):
    host, terminal = pty.openpty()
    child = subprocess.Popen([nacre, "-c", SHOW], cwd=folder, stdout=terminal, stdin=terminal, stderr=subprocess.PIPE,
                             env={**os.environ, "TERM": "xterm-kitty", "TMUX": "", "TERM_PROGRAM": ""})
    os.close(terminal)
    said = b""
    while True:
        try:
            piece = os.read(host, 65536)
        except OSError: # the other end is closed
            break
        if not piece:
            break
        said += piece
    child.wait(60)
    pieces = said.split(b"\x1b_G")[1:]
    check("first piece", pieces[0].split(b";")[0][:9] if pieces else None, b"a=T,f=100")
    data = base64.b64decode(b"".join(piece.split(b";", 1)[1].split(b"\x1b")[0] for piece in pieces))
    check("picture", data[:8], b"\x89PNG\r\n\x1a\n")
    check("last piece", b"m=0" in pieces[-1] if pieces else None, True)


def main():
    nacre = os.path.abspath(sys.argv[1])
    for part in (check_missing, check_file, check_terminal):
        with tempfile.TemporaryDirectory() as folder:
            part(nacre, folder)
    sys.exit(failures != [])


main()
