#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Pickles between Nacre and CPython with NumPy, both ways and in every protocol; pickles that name what is forbidden, and
damaged ones: an exception, no crash, and no memory for what they only promise.

usage: pickle_exchange_test.py NACRE
"""

import os
import pickle
import random
import subprocess
import sys
import tempfile

PROGRAM = """
import collections
import pickle
import sys
import numpy as np

data = {'a': np.arange(6.).reshape(2, 3), 'f': np.asfortranarray(np.ones((2, 2))), 's': np.float32(2.5),
        'd': np.dtype('i8'), 'l': [1, 'x', (2.5, None)], 'o': collections.OrderedDict(x=1), 'big': -2**80,
        'set': {1, 2}, 'b': np.array([True, False]), 'c': 1 + 2j, 'e': ValueError('q'), 'y': b'\\x00\\xff', 'r': range(3)}
with open(sys.argv[2], sys.argv[1] + 'b') as file:
    if sys.argv[1] == 'w':
        for protocol in range(int(sys.argv[3]), 6):
            pickle.dump(data, file, protocol)
    else:
        count = 0
        while True:
            try:
                back = pickle.load(file)
            except EOFError:
                break
            count += 1
            for key, value in data.items():
                if isinstance(value, np.ndarray):
                    assert np.array_equal(back[key], value) and back[key].dtype == value.dtype, key
                else:
                    assert repr(back[key]) == repr(value), (count, key, back[key])
        print(count)
"""
# What may not be named, or called; and lengths that lie.
FORBIDDEN = [b"cos\nsystem\n(S'true'\ntR.", b"cbuiltins\neval\n(S'1'\ntR.", b"\x80\x04\x8c\x03sys\x8c\x04exit\x93)R.",
             b"cnumpy\nones\n(I1000000000000\ntR.", b"cbuiltins\nbytes\n(I1000000000000\ntR.",
             b"cbuiltins\nlist\n(cbuiltins\nrange\n(I1000000000000\ntRtR.", b"c__main__\npickle.loads\n.",
             b"\x8e" + b"\xff" * 7 + b"\x0fab.", b"\x96" + b"\xff" * 7 + b"\x0fab."]
READER = """
import pickle
import sys
for line in open(sys.argv[1]):
    data = bytes([int(line[i:i + 2], 16) for i in range(0, len(line.strip()), 2)])
    try:
        pickle.loads(data)
        print('read')
    except Exception as error:
        print(type(error).__name__)
"""


def run(command, *words):
    done = subprocess.run([command, *words], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit("%s fails:\n%s" % (command, done.stderr[-2000:]))
    return done.stdout.split()


def damaged():
    """Pickles with bytes changed, left out and put in."""
    dice = random.Random(1)
    whole = [pickle.dumps([1, "text", (2.5, None), {1: {2}}, b"x", 2**70], protocol) for protocol in range(6)]
    for _ in range(400):
        data = bytearray(dice.choice(whole))
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(data))
            data[at:at + dice.randint(0, 2)] = bytes(dice.randrange(256) for _ in range(dice.randint(0, 2)))
            if not data:
                data = bytearray(b".")
        yield bytes(data)


def main():
    nacre, failed = os.path.abspath(sys.argv[1]), []
    with tempfile.TemporaryDirectory() as folder:
        program, reader, table = (os.path.join(folder, name) for name in ("program.py", "reader.py", "table.txt"))
        with open(program, "w") as file:
            file.write(PROGRAM)
        with open(reader, "w") as file:
            file.write(READER)
        for writer, first, count in ((nacre, "2", "4"), (sys.executable, "0", "6")):
            place = os.path.join(folder, "data.pickle")
            run(writer, program, "w", place, first)
            for command in (nacre, sys.executable):
                if run(command, program, "r", place) != [count]:
                    failed.append("%s does not read what %s has written" % (command, writer))
        with open(table, "w") as file:
            file.write("".join(data.hex() + "\n" for data in FORBIDDEN + list(damaged())))
        answers = run(nacre, reader, table)
        failed += ["%r: %s" % (data, answer) for data, answer in zip(FORBIDDEN, answers) if answer != "UnpicklingError"]
        if len(answers) != len(FORBIDDEN) + 400:
            failed.append("%d answers" % len(answers))
    print("\n".join(failed) or "all agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
