#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Archives of arrays go both ways between Nacre and NumPy; damaged ones are refused with a built-in
exception, and sizes that lie do not make the program allocate.

usage: npz_exchange_test.py NACRE
"""

import io
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

READ = ("import sys, numpy as np\nfor path in sys.argv[1:]:\n    try:\n        z = np.load(path)\n"
        "        print([(k, str(a.dtype), a.shape, a.tolist()) for k, a in z.items()])\n"
        "    except (ValueError, EOFError, OSError, NotImplementedError) as e:\n"
        "        print(type(e).__name__, e)\n")
WRITE = ("import sys, numpy as np\nz = np.load(sys.argv[1])\nfor save, path in ((np.savez, sys.argv[2]), "
         "(np.savez_compressed, sys.argv[3])):\n    save(path, **{k: z[k] for k in z})\n")

nacre = os.path.abspath(sys.argv[1])
checks = 0


def run(code, *args):
    command = [nacre, "--memory-limit", "16M", "-c", code, *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit("nacre failed (%d):\n%s%s" % (done.returncode, done.stdout, done.stderr))
    return done.stdout


def expect(what, got, wanted):
    global checks
    checks += 1
    if got != wanted:
        sys.exit("%s: got %r, wanted %r" % (what, got, wanted))


def shown(z):
    return str([(k, str(a.dtype), a.shape, a.tolist()) for k, a in z.items()])


ARRAYS = {"a": np.arange(6).reshape(2, 3), "b": np.array(1.5), "none": np.zeros((0, 3)), "c": np.array([True, False]),
          "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "ä/ö": np.arange(4, dtype=np.float16),
          "long": np.arange(3000, dtype=np.uint16) % 7}


def check_exchange(folder):
    path = os.path.join(folder, "in.npz")
    outs = [os.path.join(folder, name) for name in ("stored.npz", "packed.npz")]
    for save in np.savez, np.savez_compressed:
        save(path, **ARRAYS)
        expect("NumPy's archive", run(READ, path).strip(), shown(np.load(path)))
        run(WRITE, path, *outs)
        for out in outs:
            expect("Nacre's archive", shown(np.load(out)), shown(ARRAYS))
            expect("check sums", zipfile.ZipFile(out).testzip(), None)
    expect("compressed", os.path.getsize(outs[1]) < os.path.getsize(outs[0]), True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        z.comment = b"PK\5\6 in a comment"[4:]
        z.writestr("x.npy", npy(np.arange(3)))
    with open(path, "rb") as file:
        data = file.read()
    expect("with a comment", run(READ, path).strip(), "[('x', 'int64', (3,), [0, 1, 2])]")
    with open(path, "wb") as file:
        file.write(b"PK\3\4 something before" + data)
    expect("something before", run(READ, path).strip(), "[('x', 'int64', (3,), [0, 1, 2])]")


def npy(a):
    out = io.BytesIO()
    np.save(out, a)
    return out.getvalue()


def archive(method, name="x.npy", data=None):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        z.writestr(name, npy(np.arange(40)) if data is None else data)
    return out.getvalue()


def patched(data, at, form, value):
    return data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form):]


def damaged():
    for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
        data = archive(method)
        central, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
        yield "check sum", patched(data, central + 16, "<I", 5)
        for at in 20, 24, 28, 30, 32, 42:
            form = "<H" if at in (28, 30, 32) else "<I"
            for value in 0, 1, 60000, 0x7fffffff, 0xfffffffe, 0xffffffff:
                if (form == "<I" or value < 65536) and value != struct.unpack_from(form, data, central + at)[0]:
                    yield "entry %d = %d" % (at, value), patched(data, central + at, form, value)
        for at, form in (12, "<I"), (16, "<I"):
            for value in 1, 60000, 0x7fffffff, 0xfffffffe, 0xffffffff:
                yield "end %d = %d" % (at, value), patched(data, end + at, form, value)
        for at in range(30, central, 7):
            yield "byte %d" % at, patched(data, at, "B", data[at] ^ 0x55)
        for cut in list(range(4, len(data), 11)):
            yield "cut at %d" % cut, data[:cut]
        yield "method", patched(data, central + 10, "<H", 12)
        yield "encrypted", patched(data, central + 8, "<H", 1)
        yield "no magic", data.replace(b"PK\3\4", b"PK\5\6")
        yield "no directory", data.replace(b"PK\1\2", b"PK\1\3")
        yield "two names", data.replace(b"x.npy", b"y.npy", 1)
        lying = npy(np.arange(4)).replace(b"(4,), }" + b" " * 12, b"(4000000000000,), }")
        yield "a lying header", archive(method, data=lying)
        yield "a short array", archive(method, data=npy(np.arange(4))[:-1])
        yield "no array", archive(method, "x.txt", b"some text")


def check_damaged(folder):
    names, whats = [], []
    for i, (what, data) in enumerate(damaged()):
        names.append(os.path.join(folder, "bad%d.npz" % i))
        whats.append(what)
        with open(names[-1], "wb") as file:
            file.write(data)
    good = "[('x', 'int64', (40,), %s)]" % list(range(40))
    for what, name, line in zip(whats, names, run(READ, *names).splitlines()):
        expect("%s: %s" % (what, line), line.split(" ")[0] in ("ValueError", "NotImplementedError"), True)
        expect("%s is good" % what, line == good, False)
    expect("answers", len(run(READ, *names).splitlines()), len(names))


def check_written_whole(folder):
    path = os.path.join(folder, "kept.npz")
    np.savez(path, x=1)
    code = ("import sys, numpy as np\ntry:\n    np.savez(sys.argv[1] + '/no/y', [1])\n"
            "except OSError as e:\n    print(type(e).__name__)\nnp.savez(sys.argv[1] + '/kept', x=7.5)\n")
    expect("missing folder", run(code, folder).strip(), "FileNotFoundError")
    expect("overwritten", float(np.load(path)["x"]), 7.5)
    expect("left-overs", [n for n in os.listdir(folder) if "tmp" in n], [])


with tempfile.TemporaryDirectory() as folder:
    check_exchange(folder)
    check_damaged(folder)
    check_written_whole(folder)
print("%d checks passed" % checks)
