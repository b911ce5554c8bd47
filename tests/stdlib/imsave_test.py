#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""matplotlib.pyplot.imsave: the pixels of the PNG files it writes, read back.

usage: imsave_test.py NACRE
"""

import hashlib
import os
import struct
import subprocess
import sys
import tempfile
import zlib

nacre = os.path.abspath(sys.argv[1])
failures = 0


def check(what, got, wanted):
    global failures
    if got != wanted:
        failures += 1
        print("%s: got %r, wanted %r" % (what, got, wanted))


def chunks(data):
    at = 8
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
        check("checksum of " + kind.decode(), struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0],
              zlib.crc32(kind + body))
        yield kind, body
        at += 12 + size


def read_png(path):
    """(width, height, rows of RGBA tuples)"""
    with open(path, "rb") as file:
        data = file.read()
    check("signature", data[:8], b"\x89PNG\r\n\x1a\n")
    parts = list(chunks(data))
    check("first and last chunk", (parts[0][0], parts[-1]), (b"IHDR", (b"IEND", b"")))
    width, height, depth, colour, packing, filtering, interlace = struct.unpack(">IIBBBBB", parts[0][1])
    check("kind of picture", (depth, colour, packing, filtering, interlace), (8, 6, 0, 0, 0))
    raw = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
    check("size of the data", len(raw), height * (1 + 4 * width))
    rows, last = [], bytes(4 * width)
    for i in range(height):
        line = raw[i * (1 + 4 * width):][:1 + 4 * width]
        last = unfiltered(line[0], line[1:], last)
        rows.append([tuple(last[j:j + 4]) for j in range(0, 4 * width, 4)])
    return width, height, rows


def unfiltered(kind, line, above):
    out = bytearray()
    for i, byte in enumerate(line):
        left, up, corner = (out[i - 4] if i >= 4 else 0), above[i], (above[i - 4] if i >= 4 else 0)
        guess = left + up - corner
        nearest = min((left, up, corner), key=lambda x: abs(guess - x))
        out.append((byte + (0, left, up, (left + up) // 2, nearest)[kind]) & 255)
    return bytes(out)


def saved(call, expect_error=None):
    """The picture a call of imsave makes; `{}` is the file's name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.png")
        code = "import numpy as np\nimport matplotlib.pyplot as plt\nplt.imsave(%s)\n" % call.format(repr(path))
        done = subprocess.run([nacre, "-c", code], capture_output=True, text=True, timeout=60)
        if expect_error:
            check(call, done.stderr.strip().split("\n")[-1].replace(folder, ""), expect_error)
            return None
        check(call + " " + done.stderr, done.returncode, 0)
        return read_png(path)


def colours_of(name):
    width, height, rows = saved("{}, np.arange(256.0).reshape(1, 256), cmap=%r" % name)
    check(name, (width, height), (256, 1))
    return rows[0]


def check_maps():
    check("gray", colours_of("gray"), [(i, i, i, 255) for i in range(256)])
    check("grey", colours_of("grey"), [(i, i, i, 255) for i in range(256)])
    viridis = colours_of("viridis")
    check("no name", colours_of(None), viridis)
    check("viridis", (viridis[0], viridis[-1]), ((68, 1, 84, 255), (253, 231, 36, 255)))
    check("all of viridis", hashlib.sha256(repr(viridis).encode()).hexdigest()[:16], "ec9e25795d5abd66")
    steps = max(abs(a - b) for x, y in zip(viridis, viridis[1:]) for a, b in zip(x, y))
    check("steps of viridis", steps <= 3, True)
    stops = ((0, (.2, .2, .6)), (.15, (0, .6, 1)), (.25, (0, .8, .4)), (.5, (1, 1, .6)), (.75, (.5, .36, .33)),
             (1, (1, 1, 1)))
    wanted = []
    for i in range(256):
        x = i / 255
        k = max(k for k in range(5) if stops[k][0] < x or k == 0)
        (a, low), (b, high) = stops[k], stops[k + 1]
        wanted.append(tuple(int(255 * (p + (x - a) / (b - a) * (q - p)) + 1e-9) for p, q in zip(low, high)) + (255,))
    check("terrain", colours_of("terrain"), wanted)


def check_values():
    gray = "cmap='gray'"
    levels = lambda call: [[pixel[0] for pixel in row] for row in saved(call)[2]]
    check("range", levels("{}, [[0.0, 0.5, 1.0], [2.0, -1.0, 3.0]], " + gray), [[64, 96, 128], [192, 0, 255]])
    check("limits", levels("{}, [[0.0, 0.5, 1.0], [2.0, -1.0, 3.0]], vmin=0, vmax=2, " + gray),
          [[0, 64, 128], [255, 0, 255]])
    check("one limit", levels("{}, [[1, 2], [3, 4]], vmin=2, " + gray), [[0, 0], [128, 255]])
    check("other limit", levels("{}, [[1, 2], [3, 4]], vmax=3, " + gray), [[0, 128], [255, 255]])
    check("all the same", levels("{}, [[7.0, 7.0]], " + gray), [[0, 0]])
    check("origin", levels("{}, [[0, 1], [2, 3]], origin='lower', " + gray), [[170, 255], [0, 85]])
    check("origin above", levels("{}, [[0, 1], [2, 3]], origin='upper', " + gray), [[0, 85], [170, 255]])
    check("transposed", levels("{}, np.arange(4.0).reshape(2, 2).T[::-1], " + gray), [[85, 255], [0, 170]])
    check("nan", saved("{}, [[float('nan'), 1.0, 2.0]], " + gray)[2], [[(0, 0, 0, 0), (0, 0, 0, 255), (255, 255, 255, 255)]])
    check("colours", saved("{}, np.array([[[0.0, 0.5, 1.0], [2.0, -1.0, 0.25]]])")[2],
          [[(0, 127, 255, 255), (255, 0, 63, 255)]])
    check("bytes", saved("{}, np.array([[[0, 5, 255, 7]], [[1, 2, 3, 4]]], dtype=np.uint8)")[2],
          [[(0, 5, 255, 7)], [(1, 2, 3, 4)]])
    width, height, rows = saved("{}, np.arange(70000).reshape(350, 200), " + gray)
    check("large", (width, height, [row[0][0] for row in rows]),
          (200, 350, [int(200 * i / 69999 * 256) for i in range(350)]))


def check_refusals():
    saved("{}, [1.0, 2.0]", "ValueError: imsave needs an array of 2 dimensions, or of 3 with 3 or 4 colours; "
          "this one has 1")
    saved("{}, np.zeros((2, 2, 2))", "ValueError: imsave needs an array of 2 dimensions, or of 3 with 3 or 4 colours; "
          "this one has 3")
    saved("{}, np.zeros((0, 2))", "ValueError: imsave needs between 1 and 32768 rows and columns")
    saved("{}, np.zeros((1, 32769))", "ValueError: imsave needs between 1 and 32768 rows and columns")
    saved("{}, [[1]], cmap=5", "TypeError: get_cmap expects None or an instance of a str or Colormap . you passed 5 of "
          "type <class 'int'>")
    saved("{}[:-3] + 'jpg', [[1]]", "ValueError: Format 'jpg' is not supported (supported formats: png)")
    saved("5, [[1]]", "TypeError: expected str, bytes or os.PathLike object, not int")
    saved("{}, [[1]], vmin='a'", "TypeError: must be real number, not str")


check_maps()
check_values()
check_refusals()
sys.exit(failures != 0)
