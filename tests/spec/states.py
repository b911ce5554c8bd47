# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of loops that touch objects with state: iterators of each kind, generators, files, random streams, lists
that grow, attributes, closures, globals, dictionaries, views, read-only arrays. A compiled loop leaves such a statement to the
interpreter, so nothing of the state may be lost or be there twice."""

import random

PRELUDE = """\
import io
import itertools
import numpy as np

total = 0
class Box:
    limit = 3
    def __init__(self):
        self.x = 0
    def step(self):
        self.x += 1
        return self.x
def counter():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count
def numbers(n):
    for i in range(n):
        yield i * 3
def add_total(v):
    global total
    total += v
    return total
def pull(source):
    return next(source, -1)
def refuse(array, k):
    try:
        array[k] = 1
    except ValueError:
        return 1
    return 0
"""

# What makes an iterator; `%d` is a length.
ITERATORS = (
    "iter(range(%d))", "iter(range(%d))", "iter(range(%d))", "iter(range(%d))", "iter(range(5, 5 + 2 * %d, 2))", "iter(range(%d, 0, -1))", "reversed(range(%d))",
    "iter(list(range(%d)))", "iter(tuple(range(%d)))", "reversed(list(range(%d)))", "iter(dict.fromkeys(range(%d)))",
    "iter(dict.fromkeys(range(%d), 4).values())", "iter(bytes(%d))", "iter(np.arange(%d))", "iter(np.arange(%d) * 0.5)",
    "iter(np.arange(2 * %d)[::2])", "numbers(%d)", "(i + 1 for i in range(%d))", "map(abs, range(-2, %d))",
    "map(int, np.arange(%d))", "filter(None, range(%d))", "itertools.islice(itertools.count(2), %d)",
    "itertools.chain(range(3), range(%d))", "itertools.cycle(range(%d))", "iter(counter(), %d)",
)
ITERATOR_USES = (
    "s += int(next({it}, -1))", "s += int(next({it}, -1))", "s += int(pull({it}))", "x = next({it}, None)",
    "s += int(next({it}, 0)) + int(next({it}, 0))", "a[n % 8] = next({it}, 7)", "j = {it}; s += int(next(j, 0))",
    "keep = [{it}]; s += int(next(keep[0], 2))", "s, x = s + 1, next({it}, 3)", "s += {it} is {it}",
    "for v in {it}:\n    s += int(v)\n    if s % 2: break",
    "try:\n    s += int({it}.__next__())\nexcept StopIteration:\n    s -= 1",
    "try:\n    s += int(next({it}))\nexcept StopIteration:\n    {it} = iter(range(4))",
    "other = {it}; {it} = iter(range(s % 7)); s += int(next(other, 5))",
)
USES = (
    "rows.append(n); s += len(rows)", "s += rows.pop() if rows else 2", "rows[n % 3:n % 3] = [s % 5]",
    "s += rows[-1] if rows else 0", "counts[n % 5] = counts.get(n % 5, 0) + 1", "s += counts.setdefault(n % 7, n)",
    "s += len(counts)", "box.x += 1; s += box.x", "s += box.step()", "box.y = s", "Box.limit += 1; s += Box.limit",
    "s += count()", "s += add_total(n)", "s += total", "total = total + 1",
    "s += int(rng.integers(10))", "a[n % 8] += rng.random()", "s += len(file.readline())", "file.write('ab')",
    "s += int(legacy.rand() * 10)", "seen.add(s % 11); s += len(seen)", "text += 'x'; s += len(text)",
    "view = a[n % 4:]; view[0] += 1", "view = a[1:]; other = view; other[0] = n; s += int(view[0])",
    "a = a + 1 if n % 9 == 0 else a", "a = np.concatenate([a, a])[:8]", "a.flags.writeable = True",
    "s += refuse(fixed, n % 4)", "s += refuse(spread, n % 4)", "s += refuse(shown[n % 2:], 1)",
    "try:\n    fixed[n % 4] = 1\nexcept ValueError:\n    s += 1",
    "try:\n    shown[1:3] = a[1:3]\nexcept ValueError:\n    s += 1",
    "try:\n    shown += 1\nexcept ValueError:\n    s += 1",
    "shown.flags.writeable = n % 3 == 0; s += refuse(shown, 0); shown.flags.writeable = False",
    "s += a.size", "s += int(fixed[n % 4])", "if n % 997 == 5: print(n, s)",
)
PLAIN = (
    "s += n * 2", "a[n % 8] += 1", "s = s % 1000003", "a[1:] = a[:-1] * 0.5 + n", "s += int(a[n % 8])", "b[n % 8] = s % 100",
    "s += b[n % 8]", "for k in range(4):\n    b[k] += k\n    s += k",
)
HEADS = (
    "n = 0\nwhile n < {rounds}:\n    n += 1", "for n in range({rounds}):", "for n in np.arange({rounds}):",
    "for n in iter(range({rounds})):", "for m in range({rounds} // 8 + 1):\n    for n in range(8):",
    "for n, m in enumerate(range({rounds})):",
)


class States:
    """One program: a few loops, in functions or at the top, over the same objects."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = [PRELUDE]

    def pick(self, items):
        return self.random.choice(items)

    def put(self, text, depth):
        self.lines += ["    " * depth + line for line in text.split("\n")]

    def setup(self, depth):
        self.names = ["it%d" % i for i in range(self.random.randint(1, 3))]
        for name in self.names:
            self.put("%s = %s" % (name, self.pick(ITERATORS) % self.random.choice((0, 30, 300, 5000))), depth)
        if self.random.random() < 0.3: # held twice
            self.put("held = %s" % self.names[0], depth)
        self.put("s = 0; rows = []; counts = {}; box = Box(); count = counter(); seen = set(); text = ''", depth)
        self.put("rng = np.random.default_rng(3); legacy = np.random.RandomState(4)", depth)
        self.put("file = io.StringIO('one\\ntwo\\n' * 500)", depth)
        self.put("a = np.arange(8.0); b = np.zeros(8, int)", depth)
        self.put("fixed = np.frombuffer(b'abcdefgh', np.uint8); spread = np.broadcast_to(np.arange(4.0), (2, 4))[1]", depth)
        self.put("shown = np.arange(6.0)[:]; shown.flags.writeable = False; x = 0", depth)

    def body(self, depth):
        for _ in range(self.random.randint(2, 5)):
            kind = self.random.random()
            if kind < 0.35:
                text = self.pick(ITERATOR_USES).format(it=self.pick(self.names))
            else:
                text = self.pick(USES if kind < 0.6 else PLAIN)
            # What is left in every round is soon the interpreter's for good.
            rarely = kind < 0.6 and self.random.random() < 0.8
            if rarely:
                self.put("if n %% %d == 3:" % self.random.randint(4, 12), depth)
            self.put(text, depth + rarely)

    def loop(self, depth):
        head = self.pick(HEADS).format(rounds=self.random.choice((40, 3000, 8000)))
        self.put(head, depth)
        last = head.split("\n")[-1]
        inner = depth + (len(last) - len(last.lstrip())) // 4 + last.endswith(":")
        self.body(max(inner, depth + 1))

    def show(self, depth):
        self.put("print(s, rows[:5], len(rows), sorted(counts.items()), box.x, count(), len(seen), len(text), x, total)", depth)
        self.put("print(a, b, bytes(fixed), spread, shown, file.tell(), rng.random(), legacy.rand())", depth)
        for name in self.names:
            self.put("print([str(next(%s, None)) for _ in range(3)])" % name, depth)

    def program(self):
        inside = self.random.random() < 0.5
        if inside:
            self.put("def main():\n    global total", 0)
        self.setup(inside)
        for _ in range(self.random.randint(1, 3)):
            self.loop(inside)
        self.show(inside)
        if inside:
            self.put("main()\nmain()", 0)
        return "\n".join(self.lines) + "\n"


def make_program(seed):
    return States(seed).program()


if __name__ == "__main__":
    import sys
    print(make_program(int(sys.argv[1])))
