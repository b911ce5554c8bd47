#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""np.load and np.save: files go both ways between Nacre and NumPy, byte for byte, and damaged ones
raise NumPy's kind of exception.

usage: npy_files_test.py NACRE
"""

import io
import os
import subprocess
import sys
import tempfile

import numpy as np
from numpy.lib import format as npy

LOAD = "import sys, numpy as np\na = np.load(sys.argv[1])\nprint(a.dtype, a.shape)\nprint(a)\n"
TURNED = ("import sys, numpy as np\na = np.arange(12.0).reshape(3, 4)\nnp.save(sys.argv[1], a.T)\n"
          "np.savez(sys.argv[2], turned=a.T, part=a[:, ::2].T)\n"
          "b = np.load(sys.argv[2])\nprint(b['turned'].strides, b['part'].strides)\n")
COPY = "import sys, numpy as np\nnp.save(sys.argv[2], np.load(sys.argv[1]))\n"
CATCH = ("import sys, numpy as np\ntry:\n    np.load(sys.argv[1])\n    print('loaded')\n"
         "except (ValueError, EOFError, NotImplementedError) as e:\n    print(type(e).__name__)\n")

nacre = os.path.abspath(sys.argv[1])
checks = 0


def run(code, *args):
    done = subprocess.run([nacre, "-c", code, *args], capture_output=True, text=True, timeout=60)
    if done.returncode:
        sys.exit("nacre failed (%d):\n%s%s" % (done.returncode, done.stdout, done.stderr))
    return done.stdout


def expect(what, got, wanted):
    global checks
    checks += 1
    if got != wanted:
        sys.exit("%s: got %r, wanted %r" % (what, got, wanted))


def check_arrays(folder):
    arrays = [np.arange(6).reshape(2, 3), np.array(1.5), np.zeros((0, 3)), np.array([True, False]),
              np.asfortranarray(np.arange(6.0).reshape(2, 3)),
              np.arange(24.0).reshape(2, 3, 4).T, np.zeros((3, 0), order="F"), np.zeros((1, 3), order="F"), np.arange(24).reshape(2, 3, 4)]
    arrays += [np.arange(5).astype(t) for t in "b B h H i I l L f d".split()]
    for i, a in enumerate(arrays):
        for version in (1, 0), (2, 0), (3, 0):
            path = os.path.join(folder, "a.npy")
            with open(path, "wb") as file:
                npy.write_array(file, a, version=version)
            expect("array %d" % i, run(LOAD, path), "%s %s\n%s\n" % (a.dtype, a.shape, a))
        out = os.path.join(folder, "out.npy")
        run(COPY, path, out)
        expect("saved array %d" % i, np.array_equal(np.load(out), a), True)
        plain = io.BytesIO()
        np.save(plain, a)
        with open(out, "rb") as file:
            expect("bytes of array %d" % i, file.read(), plain.getvalue())


def check_turned(folder):
    """Arrays in Fortran's order keep it."""
    a = np.arange(12.0).reshape(3, 4)
    single, archive = os.path.join(folder, "t.npy"), os.path.join(folder, "t.npz")
    expect("strides", run(TURNED, single, archive), "(8, 32) (24, 8)\n")
    plain = io.BytesIO()
    np.save(plain, a.T)
    with open(single, "rb") as file:
        expect("bytes", file.read(), plain.getvalue())
    with np.load(archive) as got:
        for name, wanted in (("turned", a.T), ("part", a[:, ::2].T)):
            expect(name, got[name].tolist(), wanted.tolist())
            kept = io.BytesIO()
            np.save(kept, wanted)
            kept.seek(0)
            expect(name + " order", got[name].strides, np.load(kept).strides)


def damaged():
    whole = io.BytesIO()
    np.save(whole, np.arange(10.0))
    data = whole.getvalue()
    for cut in (0, 3, 7, 8, 9, 20, 60, 127, 128, 130, len(data) - 1):
        yield "cut at %d" % cut, data[:cut]
    yield "version 9", data[:6] + b"\x09" + data[7:]
    yield "no dict", data[:10] + b"(" + data[11:]
    yield "no dtype", data.replace(b"'<f8'", b"'<q9'")
    yield "objects", data.replace(b"'<f8'", b"'|O' ")
    yield "huge", data.replace(b"(10,), }" + b" " * 12, b"(1000000000,), }    ")
    yield "text", b"hello, this is no array at all"


def check_damaged(folder):
    for what, data in damaged():
        path = os.path.join(folder, "bad.npy")
        with open(path, "wb") as file:
            file.write(data)
        try:
            np.load(path)
            wanted = "loaded"
        except Exception as e:
            wanted = type(e).__name__
        expect(what, run(CATCH, path).strip(), wanted)


def headers():
    """Descriptions of an array of ten bytes, good and bad."""
    good = "{'descr': '|u1', 'fortran_order': False, 'shape': (10,), }"
    yield good
    for old, new in (
            ("'", '"'), (" ", ""), (" ", "  "), (", }", "}"), ("(10,)", "(10)"), ("(10,)", "(2, 5)"), ("(10,)", "(2,5,)"),
            ("(10,)", "()"), ("(10,)", "(0,)"), ("(10,)", "(11,)"), ("(10,)", "(10,,)"),
            ("(10,)", "(10"), ("(10,)", "10,)"), ("(10,)", "(1, 1, 1, 1, 10)"), ("(10,)", "(9223372036854775807, 4)"),
            ("(10,)", "(99999999999999999999,)"), ("(10,)", "(10 5)"), ("(10,)", "(x,)"), ("(10,)", "[10]"),
            ("(10,)", "(0, 9)"), ("(10,)", "(5, 1)"), ("False", "True"), ("False", "Maybe"), ("False", "1"), ("False", ""),
            ("|u1", "|b1"), ("|u1", "<i2"), ("|u1", "<i4"), ("|u1", "<f8"), ("|u1", "|u9"), ("|u1", ""), ("|u1", "|O"),
            ("|u1", "|i1"), ("|u1", "<u2"), ("'descr'", "'descr"), ("'descr'", "'other'"), ("'descr': '|u1', ", ""),
            ("'fortran_order': False, ", ""), ("'shape': (10,), ", ""), ("{", ""), ("}", ""), ("}", "} x"), ("}", "}}"),
            (":", ""), (":", "="), ("'descr'", "'more': 1, 'descr'"),
            (", ", ""), (", '", " '"), ("'|u1'", "|u1"), ("'|u1'", "'|u1"), ("'|u1'", "5"), ("'descr'", "descr")):
        yield good.replace(old, new)
    for cut in range(1, len(good), 3):
        yield good[:cut]


def check_headers(folder):
    path, wanted, names = os.path.join(folder, "h%d.npy"), [], []
    for i, header in enumerate(headers()):
        text = (header + "\n").encode()
        with open(path % i, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(range(10)))
        names.append(path % i)
        try:
            a = np.load(path % i)
            wanted.append("%s %s %s" % (a.dtype, a.shape, a.tolist()))
        except Exception:
            wanted.append("refused")
    code = ("import sys, numpy as np\nfor path in sys.argv[1:]:\n    try:\n        a = np.load(path)\n"
            "        print(a.dtype, a.shape, a.tolist())\n"
            "    except (ValueError, EOFError, OSError, NotImplementedError) as e:\n        print('refused')\n")
    for header, got, want in zip(headers(), run(code, *names).splitlines(), wanted):
        expect(header, got, want)


def check_save(folder):
    path = os.path.join(folder, "kept.npy")
    np.save(path, np.arange(3))
    code = ("import numpy as np, sys\ntry:\n    np.save(sys.argv[1] + '/x/y.npy', [1])\n"
            "except OSError as e:\n    print(type(e).__name__)\nnp.save(sys.argv[1] + '/kept', [7.5])\n")
    expect("missing folder", run(code, folder).strip(), "FileNotFoundError")
    expect("overwritten", np.load(path).tolist(), [7.5])
    expect("left-overs", [n for n in os.listdir(folder) if "tmp" in n], [])


with tempfile.TemporaryDirectory() as folder:
    check_arrays(folder)
    check_turned(folder)
    check_damaged(folder)
    check_headers(folder)
    check_save(folder)
print("%d checks passed" % checks)
