#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Files that are damaged, missing, of the wrong sort or cannot be written: .npy files cut at every
byte, sources and texts that are no UTF-8, full devices, closed pipes; and that no partial file is
left.

usage: files_test.py NACRE
"""

import os
import socket
import struct
import subprocess
import tempfile

from harness import check, expect, finish, memory_limit, run, seconds, start, state

NUMPY = "import sys, numpy as np\n"
LOAD = NUMPY + "print(np.load(sys.argv[1]))\n"
# Loads every file named on the command line; one line each: shape and elements, or the exception.
LOAD_ALL = (NUMPY + "for name in sys.argv[1:]:\n    try:\n        a = np.load(name)\n"
            "        print('array', a.shape, a.tolist())\n    except Exception as e:\n"
            "        print(type(e).__name__, e)\n")


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


# --- .npy ------------------------------------------------------------------------------------------


def npy(header=None, data=b"", version=(1, 0), descr="<f8", shape="(2,)", length=None, order=False):
    """A file of the format, with whatever wrong in it."""
    if header is None:
        header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    text = header.encode() + b"\n"
    size = len(text) if length is None else length
    count = struct.pack("<H", size) if version[0] == 1 else struct.pack("<I", size)
    return b"\x93NUMPY" + bytes(version) + count + text + data


WHOLE = npy(data=struct.pack("<2d", 1.5, 2.5))
CANNOT_PARSE = "ValueError Cannot parse header"

# what, content, beginning of the line LOAD_ALL prints
DAMAGED = [
    ("empty", b"", "EOFError No data left in file"),
    ("no magic", b"\x94" + WHOLE[1:], "ValueError This file contains pickled (object) data."),
    ("text", b"hello, this is no array\n", "ValueError This file contains pickled"),
    ("zip", b"PK\x03\x04" + b"\0" * 30, "ValueError File is not a zip file"),
    ("version 4", npy(version=(4, 0)), "ValueError we only support format version (1,0), (2,0), "
     "and (3,0), not (4, 0)"),
    ("version 1.1", npy(version=(1, 1)), "ValueError we only support format version"),
    ("header longer than the file", npy(length=60000), "ValueError EOF: reading array header, "
     "expected 60000 bytes got "),
    ("header of 4 GiB", npy(version=(2, 0), length=(1 << 32) - 1),
     "ValueError EOF: reading array header, expected 4294967295 bytes got "),
    ("header of no bytes", npy(length=0), CANNOT_PARSE),
    ("header cut", npy(length=20), CANNOT_PARSE),
    ("no dict", npy(header="hello"), CANNOT_PARSE),
    ("a list", npy(header="[1, 2]"), CANNOT_PARSE),
    ("not closed", npy(header="{'descr': '<f8', 'fortran_order': False, 'shape': (2,)"),
     CANNOT_PARSE),
    ("string not closed", npy(header="{'descr: '<f8'}"), CANNOT_PARSE),
    ("no shape", npy(header="{'descr': '<f8', 'fortran_order': False}"), CANNOT_PARSE),
    ("shape twice", npy(header="{'descr': '<f8', 'fortran_order': False, 'shape': (2,), "
                               "'shape': (3,)}"), CANNOT_PARSE),
    ("another key", npy(header="{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'x': 1}"),
     CANNOT_PARSE),
    ("order no bool", npy(header="{'descr': '<f8', 'fortran_order': 5, 'shape': (2,)}"),
     CANNOT_PARSE),
    ("nested", npy(header="{" * 10000), CANNOT_PARSE),
    ("parentheses", npy(shape="(" * 10000), CANNOT_PARSE),
    ("NUL", npy(header="{'descr': '<f8',\0 'fortran_order': False, 'shape': (2,)}"), CANNOT_PARSE),
    ("unknown dtype", npy(descr="<q9"), "ValueError descr is not a valid dtype descriptor: '<q9'"),
    ("empty dtype", npy(descr=""), "ValueError descr is not a valid dtype descriptor: ''"),
    ("other byte order", npy(descr=">f8", data=b"\0" * 16), "NotImplementedError arrays in the "
     "other byte order ('>f8')"),
    ("objects", npy(descr="|O", data=b"\x80\x04."), "ValueError Object arrays cannot be loaded "
     "when allow_pickle=False"),
    ("negative extent", npy(shape="(-1,)"), CANNOT_PARSE),
    ("float extent", npy(shape="(1.5,)"), CANNOT_PARSE),
    ("extent of 30 digits", npy(shape="(%s,)" % ("9" * 30)), CANNOT_PARSE),
    ("65 dimensions", npy(shape="(%s)" % ("1, " * 65)), CANNOT_PARSE),
    ("more than the file", npy(shape="(1000000000,)", data=b"\0" * 16), "ValueError cannot reshape"),
    ("exabytes", npy(shape="(1000000000000000000,)", data=b"\0" * 16), "ValueError cannot reshape"),
    ("product overflows", npy(shape="(4294967296, 4294967296, 8)"), "ValueError cannot reshape"),
    ("overflow to nothing", npy(shape="(4294967296, 4294967296, 0)"), ""),
    ("one element short", npy(shape="(3,)", data=b"\0" * 16), "ValueError cannot reshape"),
    ("half an element", npy(data=b"\0" * 15), "ValueError cannot reshape"),
    ("more data than needed", npy(shape="(1,)", data=struct.pack("<3d", 1.5, 2, 3)),
     "array (1,) [1.5]"),
    ("no elements", npy(shape="(0, 5)"), "array (0, 5) []"),
    ("no dimensions", npy(shape="()", data=struct.pack("<d", 2.5)), "array () 2.5"),
    ("Python 2", npy(shape="(2L,)", data=struct.pack("<2d", 1, 2)), "array (2,) [1.0, 2.0]"),
    ("Fortran's order", npy(shape="(2, 2)", data=struct.pack("<4d", 1, 2, 3, 4), order=True),
     "array (2, 2) [[1.0, 3.0], [2.0, 4.0]]"),
    ("bools of any byte", npy(descr="|b1", data=b"\x07\0"), "array (2,) [True, False]"),
]


def check_npy(folder):
    paths = [write(os.path.join(folder, "d%d.npy" % i), data)
             for i, (_, data, _) in enumerate(DAMAGED)]
    done = run("damaged .npy", ["-c", LOAD_ALL, *paths])
    lines = done.out.splitlines()
    check("damaged .npy: all answered", len(lines) == len(DAMAGED), done.out + done.err)
    for (what, _, wanted), line in zip(DAMAGED, lines):
        check(".npy: " + what, line.startswith(wanted), line[:300])


def check_cuts(folder):
    paths = [write(os.path.join(folder, "cut%d.npy" % i), WHOLE[:i]) for i in range(len(WHOLE))]
    done = run("cut .npy", ["-c", LOAD_ALL, *paths])
    lines = done.out.splitlines()
    check("cut .npy: all answered", len(lines) == len(WHOLE), done.err)
    for i, line in enumerate(lines):
        check(".npy cut at %d" % i, line.startswith(("ValueError ", "EOFError ")), line[:300])


def check_flips(folder):
    """Each byte replaced by three others: an array or an exception, nothing else."""
    paths = []
    for i in range(len(WHOLE)):
        for value in (0, 0xFF, WHOLE[i] ^ 1):
            data = WHOLE[:i] + bytes([value]) + WHOLE[i + 1:]
            paths.append(write(os.path.join(folder, "flip%d_%d.npy" % (i, value)), data))
    done = run("changed .npy", ["-c", LOAD_ALL, *paths])
    known = ("array (", "ValueError ", "EOFError ", "NotImplementedError ")
    lines = done.out.splitlines()
    check("changed .npy: all answered", len(lines) == len(paths), done.err)
    for path, line in zip(paths, lines):
        check(os.path.basename(path), line.startswith(known), line[:300])


# --- Files that are not what they should be --------------------------------------------------------


def check_missing(folder):
    nowhere = os.path.join(folder, "nowhere")
    through = os.path.join(write(os.path.join(folder, "plain"), b""), "x")
    rows = [(nowhere, "FileNotFoundError: [Errno 2] No such file or directory: '%s'" % nowhere),
            (folder, "IsADirectoryError: [Errno 21] Is a directory: '%s'" % folder),
            (through, "NotADirectoryError: [Errno 20] Not a directory: '%s'" % through),
            ("", "FileNotFoundError: [Errno 2] No such file or directory: ''"),
            ("x" * 5000, "OSError: [Errno 36] File name too long: '%s'" % ("x" * 5000))]
    if os.geteuid() != 0:
        locked = write(os.path.join(folder, "locked"), b"")
        os.chmod(locked, 0)
        rows.append((locked, "PermissionError: [Errno 13] Permission denied: '%s'" % locked))
    for path, error in rows:
        what = os.path.basename(path)[:10] + ": "
        if path:
            expect(what + "script", run(what + "script", [path]), error=error)
        expect(what + "np.load", run(what + "load", ["-c", LOAD, path]), error=error)
        code = "import sys\nopen(sys.argv[1]).read()"
        expect(what + "open", run(what + "open", ["-c", code, path]), error=error)
    unreadable = "/proc/self/mem"  # opens, but its first byte cannot be read
    if os.path.exists(unreadable):
        error = "OSError: [Errno 5] Input/output error: '%s'" % unreadable
        expect("read error", run("read error", ["-c", LOAD, unreadable]), error=error)
        expect("read error", run("read error", [unreadable]), error=error)
    name = os.path.join(folder, "socket")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        expect("socket", run("socket", [name]), error="OSError: [Errno 6] No such device or "
               "address: '%s'" % name)
    expect("NUL", run("NUL", ["-c", "open('a\\0b')"]), error="ValueError: embedded null byte")


# bytes of a script, the error, line
SOURCES = [
    (b"x = '\xff'\n", "SyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xff in "
     "position 5: invalid start byte", 1),
    (b"x = 1\n# \xc3(\n", "SyntaxError: (unicode error) 'utf-8' codec can't decode byte …", 2),
    (b"x = 1\ny = '\xed\xa0\x80'\n", "SyntaxError: (unicode error) 'utf-8' codec can't decode …", 2),
    (b"x = '\xf0\x9f\x98", "SyntaxError: (unicode error) 'utf-8' codec can't decode …", 1),
    (b"x = 1\n\0\n", "SyntaxError: source code cannot contain null bytes", 2),
    (b"\0" * 1000, "SyntaxError: source code cannot contain null bytes", 1),
    (b"x = '\0'\n", "SyntaxError: source code cannot contain null bytes", 1),
    (b"\xfe\xff\0x\0=\0001", "SyntaxError: …", 1),
    (b"x = 1\r\ny = $\r\n", "SyntaxError: invalid syntax", 2),
    (b"x = 1\ry = $\r", "SyntaxError: invalid syntax", 2),
    (b"x = 5\n  \ty = 1\n", "IndentationError: unexpected indent", 2),
    ("ä = 1\nöö = ä + ü\n".encode(), "NameError: name 'ü' is not defined", 2),
    (b"x = 1\ny = \xc2\xa02\n", "SyntaxError: …", 2),
    (b"\x7fELF\x02\x01\x01", "SyntaxError: …", 1),
]


def check_sources(folder):
    for i, (data, error, line) in enumerate(SOURCES):
        what = "source %d" % (i + 1)
        done = run(what, [write(os.path.join(folder, "source.ncr"), data)])
        expect(what, done, error=error)
        at = done.error_place(data.decode("latin-1"))[0]
        check(what + ": line", at == line, "%s, not %s\n%s" % (at, line, done.err))
    good = write(os.path.join(folder, "good.ncr"), b"\xef\xbb\xbfprint('\xc3\xa4')\r\nprint(2)")
    expect("with a BOM", run("with a BOM", [good]), out="ä\n2\n")
    expect("empty", run("empty", [write(os.path.join(folder, "empty.ncr"), b"")]), out="")


def check_texts(folder):
    path = write(os.path.join(folder, "text"), b"one\ntw\xffo\nthree\n")
    wrong = ("UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position …")
    read = "import sys\nf = open(sys.argv[1])\nx = f.read()\n"
    lines = "import sys\nfor line in open(sys.argv[1]):\n    print(line)\n"
    expect("read", run("read", ["-c", read, path]), error=wrong)
    expect("lines", run("lines", ["-c", lines, path]), error=wrong)
    expect("input()", run("input()", ["-c", "input()"], stdin=b"\xff\n"), error=wrong)
    expect("stdin", run("stdin", ["-c", "import sys\nsys.stdin.read()"], stdin=b"a\xc3"),
           error="UnicodeDecodeError: …")
    expect("as a script", run("as a script", [], stdin=b"x = '\xff'"), error="SyntaxError: …")
    for data, error in ((b"ab\xe2\x82(", "bytes in position 2-3: invalid continuation byte"),
                        (b"\xf0\x9f\x98", "bytes in position 0-2: unexpected end of data"),
                        (b"\xed\xa0\x80", "byte 0xed in position 0: invalid continuation byte"),
                        (b"\xc0\x80", "byte 0xc0 in position 0: invalid start byte")):
        short = write(os.path.join(folder, "short"), data)
        expect("read", run("read", ["-c", read, short]),
               error="UnicodeDecodeError: 'utf-8' codec can't decode " + error)
    zeros = write(os.path.join(folder, "zeros"), b"a\0b\n")
    expect("NUL in a text", run("NUL", ["-c", "import sys\nprint(len(open(sys.argv[1]).read()))",
                                        zeros]), out="4\n")


# --- Names that are no UTF-8 ----------------------------------------------------------------------


MAIN = br"""import sys, beside
try:
    from beside import no
except ImportError as e:
    told = str(e)
print(__file__.endswith("/in\udcff/main\udcfe.py"), sys.argv[0] == __file__,
      sys.path[0].endswith("/in\udcff"), beside.__file__.endswith("/in\udcff/beside.py"),
      told.endswith("/in\udcff/beside.py)"))
beside.fail()
"""


def check_names(folder):
    show = "import sys\nprint(ascii(sys.argv))\nprint(len(sys.argv))\n"
    expect("argument", run("argument", ["-c", show, b"\xff", b"a\xed\xa0\x80", "ä".encode()]),
           out="['-c', '\\udcff', 'a\\udced\\udca0\\udc80', '\\xe4']\n4\n")
    expect("variable", run("variable", ["-c", "import os\nprint(ascii(os.getenv('BAD\\udcfe')), "
                                        "ascii(os.environ['BAD\\udcfe']))"],
                           env={b"BAD\xfe": b"x\xff\xc3"}),
           out="'x\\udcff\\udcc3' 'x\\udcff\\udcc3'\n")
    inside = os.path.join(os.fsencode(folder), b"in\xff")
    os.mkdir(inside)
    expect("folder", run("folder", ["-c", "import os\nprint(ascii(os.getcwd())[-10:])"],
                         cwd=inside), out="/in\\udcff'\n")
    main = write(os.path.join(inside, b"main\xfe.py"), MAIN)
    write(os.path.join(inside, b"beside.py"), b"def fail():\n    raise ValueError('\\udcff')\n")
    done = run("script", [main])
    expect("script", done, error="ValueError: \\udcff", out="True True True True True\n")
    for name in "in\\udcff/main\\udcfe.py", "in\\udcff/beside.py":
        check("traceback names " + name, name in done.err, done.err)
    wrong = write(os.path.join(inside, b"wrong.py"), b"x = = 1\n")
    done = run("syntax", [wrong])
    check("syntax error: name", "in\\udcff/wrong.py\", line 1" in done.err, done.err)
    for gone in [inside + b"/gone\xfd"], ["-c", "import sys\nopen(sys.argv[1])", inside + b"/gone\xfd"]:
        done = run("gone", gone)
        check("gone: name", done.error.endswith("/in\\udcff/gone\\udcfd'"), done.err)
    expect("exit", run("exit", ["-c", "import sys\nsys.exit('why\\udcff')"]), status=1)
    check("exit: text", run("exit", ["-c", "import sys\nsys.exit('why\\udcff')"]).err ==
          "why\\udcff\n")
    expect("output", run("output", ["-c", "import sys\nprint('a', sys.argv[1])", b"\xff"]), out="a ",
           error="UnicodeEncodeError: 'utf-8' codec can't encode character '\\udcff' in position 0: "
                 "surrogates not allowed")


# --- Output that cannot be written -------------------------------------------------------------


def check_full():
    """/dev/full takes nothing."""
    if not os.path.exists("/dev/full"):
        return
    wrong = "OSError: [Errno 28] No space left on device…"
    with open("/dev/full", "wb") as full:
        for code in ("print('x' * 100000)", "print('x')", "import sys\nsys.stdout.write('x')",
                     "while True: print('x' * 1000)"):
            done = run("full", ["-c", code], stdout=full)
            check("full: status", done.status == 1, "%s %s" % (done.status, done.err))
    for code in ("f = open('/dev/full', 'w')\nf.write('x')\nf.close()",
                 "with open('/dev/full', 'w') as f:\n    f.write('x' * 10 ** 6)",
                 "print('x', file=open('/dev/full', 'w'), flush=True)",
                 "f = open('/dev/full', 'w')\nf.write('x')\nf.flush()"):
        expect("full: " + code, run("full", ["-c", code]), error=wrong)


def check_closed_pipe():
    for code, stream in (("while True: print('x' * 100)", 1), ("print('x')", 1),
                         ("import sys\nwhile True: sys.stderr.write('x' * 1000)", 2)):
        reader, writer = os.pipe()
        os.close(reader)
        out, err = (writer, subprocess.PIPE) if stream == 1 else (subprocess.DEVNULL, writer)
        process = subprocess.Popen([state.nacre, "-c", code], stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, preexec_fn=memory_limit(8))
        os.close(writer)
        try:
            said = process.communicate(timeout=seconds())[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[1]
            check("closed pipe: ends", False, code)
        check("closed pipe: status", process.returncode == 1, "%s %s" % (process.returncode, said))


# What leaves a file behind, and what was in its way. Each limit on the size of a file is hit in the
# middle of the writing.
SAVERS = [
    ("a.npy", "np.save('a.npy', np.ones(100000))"),
    ("a.png", "plt.imsave('a.png', np.arange(250000.0).reshape(500, 500) % 7919)"),
]


def check_partial(folder):
    if state.watches_threads:  # its run-time does not bear a limit on files
        return
    imports = "import numpy as np\nimport matplotlib.pyplot as plt\n"
    for before in (None, b"what was there"):
        for name, code in SAVERS:
            with tempfile.TemporaryDirectory(dir=folder) as place:
                if before is not None:
                    write(os.path.join(place, name), before)
                what = "%s %s" % (name, "over a file" if before else "new")
                # SIGXFSZ is ignored, so that write() fails with EFBIG.
                command = "trap '' XFSZ; ulimit -f 8; exec \"$@\""
                done = subprocess.run(
                    ["/bin/sh", "-c", command, "sh", state.nacre, "-c", imports + code], cwd=place,
                    capture_output=True, timeout=seconds(), stdin=subprocess.DEVNULL)
                error = done.stderr.decode().strip().split("\n")[-1]
                check(what + ": error", done.returncode == 1 and error ==
                      "OSError: [Errno 27] File too large: '%s'" % name, error)
                left = {n: open(os.path.join(place, n), "rb").read() for n in os.listdir(place)}
                check(what + ": nothing partial", left == ({name: before} if before else {}),
                      str({n: len(data) for n, data in left.items()}))
    for name, code in SAVERS:
        for place, error in (("/nowhere/at/all", "FileNotFoundError"), (folder, "IsADirectory")):
            path = place if place == folder else os.path.join(place, name)
            target = path if name.endswith(".npy") else path + ".png"
            if place == folder:
                target = os.path.join(folder, "folder" + name[1:])
                os.makedirs(target, exist_ok=True)
            done = run("save to " + target, ["-c", imports + code.replace("'%s'" % name,
                                                                         repr(target))])
            check("save to %s" % target, done.status == 1 and error in done.err.split("\n")[-2],
                  done.err)


def main():
    start(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        check_npy(folder)
        check_cuts(folder)
        check_flips(folder)
        check_missing(folder)
        check_sources(folder)
        check_texts(folder)
        check_names(folder)
        check_full()
        check_closed_pipe()
        check_partial(folder)
    finish()


main()
