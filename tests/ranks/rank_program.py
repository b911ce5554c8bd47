# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A random program about how arrays are cut over ranks: extents around numbers of ranks, views that run across the
cuts, arrays that are read and written at once, reductions along the cut dimension and along others.

Statements follow each other without being looked at, so many are pending together; now and then one is shown, and at
the end all arrays are. The generator runs each statement with NumPy, for the shapes that later ones choose from.
Elements are small and stay so: different orders of a sum make little difference.

The same (seed, number) gives the same text wherever the same NumPy is.
"""

import random
import warnings

import numpy as np

HEAD = "import numpy as np\nfrom shown import show, fail\n"
GRIDS = "from laid import laid\n"
EXTENTS = (0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 23, 31, 64)
TYPES = (("float64", 10), ("float32", 4), ("int64", 5), ("int32", 2), ("bool", 2), ("complex128", 2), ("int8", 1),
         ("float16", 1), ("uint8", 1), ("complex64", 1), ("int16", 1))
SIZE_MOST = 4000
STATEMENTS = (10, 26)
ALLOWED = {name for name, _ in TYPES} | {"uint64", "uint32", "uint16"}


class Unfit(Exception):
    """There is no such statement for these arrays."""


class RankProgram:
    def __init__(self, rng, grids=False):
        self.rng = rng
        self.grids = grids  # new arrays are distributed over grids of ranks (laid.py), most of them
        self.space = {"np": np, "laid": lambda x, key: x}
        self.pool = []
        self.lines = []
        self.counter = 0

    # --- choices ---

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        if not items:
            raise Unfit
        return self.rng.choice(list(items))

    def weighted(self, pairs):
        return self.rng.choices([item for item, _ in pairs], [weight for _, weight in pairs])[0]

    def shape(self, rank=None):
        rank = rank or self.weighted(((1, 4), (2, 5), (3, 3), (4, 1)))
        shape = [self.pick(EXTENTS) for _ in range(rank)]
        while np.prod(shape) > SIZE_MOST:
            shape[self.rng.randrange(rank)] = self.pick((1, 2, 3, 5))
        return tuple(shape)

    def array(self, name):
        return self.space[name]

    def one(self, wanted=lambda a: True):
        return self.pick([n for n in self.pool[-9:] if wanted(self.array(n))])

    def number(self):
        return self.pick(("2", "3", "-1", "0.5", "1.25", "0"))

    # --- arrays ---

    def fresh(self):
        self.counter += 1
        return "a%d" % self.counter

    def values(self, shape, dtype):
        """An expression for a new array."""
        size = int(np.prod(shape))
        text = "np.arange(%d) * %d %% %d" % (size, self.pick((1, 3, 5, 7)), self.pick((5, 11, 13, 101)))
        if dtype.startswith("float") and self.chance(0.7):
            text = "(%s) / 4 - 1" % text
        elif dtype.startswith("complex"):
            text = "(%s) / 4 + 1j" % text
        elif dtype == "bool":
            text = "%s > 3" % text
        text = "(%s).astype('%s')" % (text, dtype)
        if len(shape) != 1:
            text = "%s.reshape(%s)" % (text, shape)
        return "laid(%s, %d)" % (text, self.rng.randrange(60)) if self.grids and self.chance(0.8) else text

    def new(self, shape=None, dtype=None):
        name = self.fresh()
        self.run("%s = %s" % (name, self.values(shape or self.shape(), dtype or self.weighted(TYPES))), [name])
        return name

    def partner(self, shape):
        """An expression that goes with a shape: an array of it, or of one that is broadcast."""
        same = [n for n in self.pool if self.array(n).shape == shape]
        if same and self.chance(0.6):
            name = self.pick(same)
            axis = self.rng.randrange(len(shape)) if shape else None
            if axis is not None and self.chance(0.3):
                return "np.roll(%s, 1, axis=%d)" % (name, axis) if self.chance(0.3) else \
                    "%s[%s::-1]" % (name, ":, " * axis)
            return name
        if self.chance(0.3):
            return self.number()
        if shape and self.chance(0.4):
            small = tuple(1 if self.chance(0.4) else n for n in shape)[self.rng.randrange(len(shape)):]
            return self.new(small)
        turned = [n for n in self.pool if self.array(n).shape == shape[::-1]]
        if turned and self.chance(0.6):
            return self.pick(turned) + ".T"
        return self.new(shape)

    def slice(self, n):
        low, high = sorted((self.rng.randint(0, n), self.rng.randint(0, n)))
        step = self.weighted(((1, 5), (2, 2), (3, 1), (-1, 2), (-2, 1)))
        if self.chance(0.2):
            low, high = 0, n
        if step > 0:
            return "%d:%d:%d" % (low, high, step)
        return "%d:%s:%d" % (high - 1, low - 1 if low else "", step) if high else "0:0"

    def slices(self, shape):
        return ", ".join(":" if self.chance(0.4) else self.slice(n) for n in shape)

    def window(self, shape, inner, moved):
        """A slice of extent inner[axis] on each axis, moved by some elements."""
        parts = []
        for n, m in zip(shape, inner):
            at = self.rng.randint(0, n - m) if moved else (n - m) // 2
            turned = moved and self.chance(0.12)
            if turned:
                low = at + m - 1
                parts.append("%d:%s:-1" % (low, at - 1 if at else "") if m else "0:0")
            else:
                parts.append("%d:%d" % (at, at + m) if m < n else ":")
        return ", ".join(parts)

    def axes(self, a):
        if not a.ndim or self.chance(0.25):
            return "None"
        if a.ndim > 1 and self.chance(0.3):
            return str(tuple(sorted(self.rng.sample(range(a.ndim), 2))))
        return str(self.rng.randrange(-a.ndim, a.ndim))

    def axis(self, a):
        if not a.ndim:
            raise Unfit
        return self.rng.randrange(a.ndim)

    # --- statements: text, and the names that they assign ---

    def let(self, expression):
        name = self.fresh()
        return "%s = %s" % (name, expression), [name]

    def elementwise(self):
        name = self.one()
        a = self.array(name)
        sign = self.pick(("+", "-", "*", "+", "-", "*", "<", ">=", "==", "/", "//", "%"))
        text = "%s %s %s" % (name, sign, self.partner(a.shape))
        if self.chance(0.4) and sign in "+-*":
            text = "(%s) * %s + %s" % (text, self.pick(("0.5", "0.25")), self.partner(a.shape))
        return self.let(text)

    def unary(self):
        name = self.one()
        return self.let(self.pick((
            "-%s * 1", "np.abs(%s)", "np.sqrt(np.abs(%s))", "np.sin(%s)", "np.floor(%s)", "np.clip(%s, 0, 2)",
            "np.exp(-np.abs(%s))", "%s.astype('float64')", "%s.astype('int32')", "%s.astype('float32')", "%s.copy()",
            "np.where(%s > 1, 1, -1)", "np.isfinite(%s)", "%s.real + 1", "np.sign(%s)", "%s ** 2",
            "np.zeros_like(%s)", "np.ones_like(%s) * 3", "np.modf(%s)[0]", "np.divmod(%s, 3)[1]")) % name)

    def view(self):
        name = self.one()
        a = self.array(name)
        kinds = ["%s.T", "%s.ravel()", "%s[...]", "%s.reshape(-1)", "%s[None]", "np.flip(%s)", "%s.reshape(-1, 1)"]
        if a.ndim:
            kinds += ["%%s[%s]" % self.slices(a.shape)] * 6
            axis = self.axis(a)
            kinds += ["np.flip(%%s, %d)" % axis, "np.moveaxis(%%s, %d, 0)" % axis, "np.swapaxes(%%s, 0, %d)" % axis]
            if a.shape[axis]:
                kinds.append("%%s[%s%d]" % (":, " * axis, self.rng.randrange(a.shape[axis])))
            kinds.append("np.broadcast_to(%%s, (%d,) + %%s.shape)" % self.pick((1, 2, 3, 5)))
            kinds.append("%%s.reshape(%s)" % (a.shape[::-1],))
            if a.shape[axis] % 2 == 0 and a.shape[axis]:
                kinds.append("%%s.reshape(%s)" % (a.shape[:axis] + (2, a.shape[axis] // 2) + a.shape[axis + 1:],))
            if a.ndim > 1:
                kinds += ["np.diagonal(%s)", "%%s.reshape(%s)" % ((a.shape[0] * a.shape[1],) + a.shape[2:],)]
        if a.dtype.kind == "c":
            kinds += ["%s.real", "%s.imag"]
        kind = self.pick(kinds)
        return self.let(kind.replace("%s", name))

    def store(self):
        """Into a part of an array, of other parts of it."""
        name = self.one(lambda a: a.ndim and a.size and a.flags.writeable)
        a = self.array(name)
        if self.chance(0.25):
            cut = self.slices(a.shape)
            value = self.number() if self.chance(0.5) else "%s[%s]" % (self.partner_name(a.shape), cut)
            return "%s[%s] %s %s" % (name, cut, self.pick(("=", "+=", "*=")), value), []
        inner = [n - self.rng.randint(0, min(n, 3)) for n in a.shape]
        to = "%s[%s]" % (name, self.window(a.shape, inner, True))
        terms = []
        for _ in range(self.rng.randint(1, 3)):
            of = name if self.chance(0.6) else self.partner_name(a.shape)
            terms.append("%s[%s]" % (of, self.window(a.shape, inner, True)))
        scale = " * 0.5" if a.dtype.kind in "fc" else ""
        return "%s %s (%s)%s" % (to, self.pick(("=", "=", "=", "+=", "-=")), " + ".join(terms), scale), []

    def partner_name(self, shape):
        same = [n for n in self.pool if self.array(n).shape == shape]
        return self.pick(same) if same and self.chance(0.8) else self.new(shape)

    def in_place(self):
        name = self.one(lambda a: a.flags.writeable and a.ndim)
        a = self.array(name)
        other = self.partner(a.shape)
        mask = self.partner_name(a.shape)
        return self.pick(("%s += {b}", "%s -= {b}", "%s *= 0.5", "np.add(%s, {b}, out=%s)",
                          "np.multiply(%s, {b}, out=%s[::-1])", "np.copyto(%s, {b}, casting='unsafe')",
                          "np.add(%s, {b}, out=%s, where={m} > 1)", "%s[...] = {b}", "%s.fill(2)",
                          "np.negative(%s[::-1], out=%s)", "np.maximum(%s, {b}, out=%s)", "%s.sort(axis=0)",
                          "%s[:] = %s[::-1].copy()", "%s.T[...] = %s.T * 1")).replace(
                              "%s", name).replace("{b}", other).replace("{m}", mask), []

    def masked(self):
        name = self.one()
        a = self.array(name)
        other = self.partner(a.shape)
        text = self.pick(("r %s[%s > 1]", "r np.where(%s > {b}, %s, {b})", "r np.nonzero(%s)[0]",
                          "r np.argwhere(%s > 1)",
                          "r np.count_nonzero(%s > 1)", "r np.where(%s != 0, 1 / np.where(%s != 0, %s, 1), 0)",
                          "w %s[%s > 1] = 1", "w %s[%s < 1] += 1", "w np.putmask(%s, %s > 1, {b})",
                          "r np.compress(np.arange(%s.shape[0]) % 2 == 0, %s, axis=0)",
                          "r np.select([%s > 1, %s < 0], [%s, 1], 0)",
                          "r np.extract(%s > 0, %s)", "w np.place(%s, %s > 1, [1, 2, 3])"))
        text = text.replace("%s", name).replace("{b}", other)
        if text[0] == "r":
            return self.let(text[2:])
        if not a.flags.writeable:
            raise Unfit
        return text[2:], []

    def indices(self, n):
        if not n:
            raise Unfit
        return "np.array(%s)" % [self.rng.randrange(-n, n) for _ in range(self.pick((1, 2, 3, 5, 9, 20)))]

    def fancy(self):
        name = self.one(lambda a: a.ndim)
        a = self.array(name)
        axis = self.axis(a)
        text = self.pick(("r %s[{i0}]", "r np.take(%s, {i}, axis={x})", "w %s[{i0}] = 2", "w %s[{i0}] += 1",
                          "w np.add.at(%s, {i0}, 1)", "r np.take_along_axis(%s, np.argsort(%s, axis={x}), axis={x})",
                          "w np.put(%s, {i0}, 3)", "r %s[..., {il}]", "r %s[{i0}][::-1]",
                          "r np.delete(%s, 0, axis={x})",
                          "r np.insert(%s, 0, 1, axis={x})"))
        text = text.replace("%s", name).replace("{x}", str(axis)).replace("{i}", self.indices(a.shape[axis]))
        text = text.replace("{i0}", self.indices(a.shape[0])).replace("{il}", self.indices(a.shape[-1]))
        if text[0] == "r":
            return self.let(text[2:])
        if not a.flags.writeable:
            raise Unfit
        return text[2:], []

    def many_indices(self, n, count=None):
        """An index array that is made, and so is cut itself; some of them are repeated, some turned."""
        if not n:
            raise Unfit
        count = count or self.pick((1, 2, 3, 5, 8, 13, 24, 40))
        text = "np.arange(%d) * %d %% %d" % (count, self.pick((1, 3, 5, 7)), self.pick((n, n, max(n // 2, 1))))
        if self.chance(0.2):
            text = "%s - %d" % (text, self.rng.randint(0, n))
        if self.chance(0.06):
            text = "%s + %d" % (text, self.rng.randint(1, n))  # beyond the end
        text = "(%s)" % text
        factor = self.pick((1, 1, 2, 3))
        return "%s.reshape(%d, -1)" % (text, factor) if count % factor == 0 and factor > 1 else text

    def placed(self):
        """Elements at indices that ranks share, read and written."""
        name = self.one(lambda a: a.ndim and a.size)
        a = self.array(name)
        axis = self.axis(a)
        count = self.pick((1, 3, 6, 10, 24))
        reads = ["%s[{i0}]", "%s[{i0}]", "np.take(%s, {ix}, axis={x})", "%s[{colons}{ix}]", "%s[::-1][{i0}]", "%s.T[{il}]",
                 "np.take(%s, {i0}, mode='wrap')", "%s.ravel()[{if}]", "%s[np.argsort(%s.ravel()) % len(%s)]",
                 "%s[np.nonzero(%s.ravel() > 1)[0] % len(%s)]"]
        writes = ["%s[{i0}] = {v}", "%s[{i0}] += 1", "%s[{colons}{ix}] = {v}", "np.add.at(%s, {i0}, 1)",
                  "np.maximum.at(%s, {i0}, 2)", "%s[{c0}] = %s[{d0}]", "%s.T[{il}] = {v}", "np.put(%s, {if}, [3, 2, 1])",
                  "np.subtract.at(%s, {c0}, %s[{d0}])"]
        if a.ndim > 1:
            reads += ["%s[{c0}, {c1}]"] * 2 + ["%s[{c0}, ..., {cl}]"]
            writes += ["%s[{c0}, {c1}] = {v}", "np.add.at(%s, ({c0}, {c1}), 1)", "%s[{c0}, {c1}] = np.arange(%d)" % ("%s", count)]
        writing = self.chance(0.5)
        text = self.pick(writes if writing else reads).replace("%s", name)
        fixed = {"i0": a.shape[0], "ix": a.shape[axis], "il": a.shape[-1], "if": a.size}
        for key, n in fixed.items():
            text = text.replace("{%s}" % key, self.many_indices(n))
        for key, n in (("c0", a.shape[0]), ("d0", a.shape[0]), ("c1", a.shape[1 % a.ndim]), ("cl", a.shape[-1])):
            text = text.replace("{%s}" % key, "(np.arange(%d) * %d %% %d)" % (count, self.pick((1, 3, 5)), n))
        text = text.replace("{x}", str(axis)).replace("{colons}", ":, " * axis).replace("{v}", self.number())
        if not writing:
            return self.let(text)
        if not a.flags.writeable:
            raise Unfit
        return text, []

    def counted(self):
        """What is found by looking at all elements."""
        name = self.one(lambda a: a.ndim and a.dtype.kind in "fiub")
        a = self.array(name)
        return self.let(self.pick((
            "np.argmax(%s, axis={x}, keepdims=True)", "np.argmin(%s, axis={x})", "np.argmax(%s.T, axis=0)",
            "np.argwhere(%s > 0)", "np.flatnonzero(%s)", "np.nonzero(%s)[-1]", "np.nonzero(%s.T > 1)[0]",
            "np.any(%s > 1)", "np.all(%s >= 0)", "np.count_nonzero(%s)", "np.bincount(np.abs(%s.ravel()).astype(int) % 5)",
            "np.bincount(np.abs(%s.ravel()).astype(int) % 7, weights=np.abs(%s.ravel()), minlength=9)",
            "np.histogram(%s, bins=3, range=(-1, 5), weights=%s * 0.5)[0]", "np.histogram(%s, bins=[0, 1, 2, 4])[0]",
            "np.convolve(%s.ravel(), [1, 2, -1], mode={m})", "np.correlate(%s.ravel(), [1, 0.5], mode={m})",
            "np.convolve(%s.ravel(), %s.ravel()[:9], mode={m})", "np.packbits(%s > 1, axis={x})",
            "np.unpackbits(np.packbits(%s > 1, axis={x}), axis={x})", "np.add.reduceat(%s, [0], axis={x})",
            "np.array([np.argmax(%s), np.argmin(%s)])")).replace("%s", name).replace("{x}", str(self.axis(a))).replace(
                "{m}", self.pick(("'full'", "'same'", "'valid'"))))

    def drawn(self):
        """Random numbers: every rank's generator has to be where one process's would be."""
        shape = self.shape()
        bits = self.pick(("PCG64", "PCG64", "Philox", "SFC64", "MT19937", "PCG64DXSM"))
        name = self.fresh()
        draws = ("random(%s)", "random(%s, dtype=np.float32)", "uniform(-1, 2, %s)", "normal(size=%s)",
                 "integers(0, 8, %s)", "integers(0, 10, %s)", "integers(0, 2**40, %s)", "integers(0, 256, %s, dtype=np.uint8)",
                 "integers(-5, 5, %s, dtype=np.int16)", "integers(0, 16, %s, dtype=np.int32)", "exponential(2, %s)",
                 "standard_normal(%s, dtype=np.float32)", "poisson(3, %s)", "triangular(0, 1, 2, %s)")
        old = ("random(%s)", "rand(*%s)", "uniform(-1, 2, %s)", "normal(size=%s)", "randint(0, 8, %s)", "randint(0, 10, %s)",
               "randint(0, 4, %s, dtype=np.int8)", "exponential(2, %s)", "rayleigh(1, %s)")
        legacy = self.chance(0.3)
        first, second = (self.pick(old if legacy else draws) % (self.shape(),), self.pick(old if legacy else draws) % (shape,))
        make = "np.random.RandomState(%d)" if legacy else "np.random.Generator(np.random.%s(%%d))" % bits
        return "g = %s; g.%s; %s = g.%s; g.random()" % (make % self.rng.randrange(99), first, name, second), [name]

    def combined(self):
        name = self.one(lambda a: a.ndim)
        a = self.array(name)
        axis = self.axis(a)
        other = self.partner_name(a.shape)
        text = self.pick(("np.concatenate([%s, {b}], axis={x})", "np.concatenate([%s, {b}, %s * 2], axis={x})",
                          "np.stack([%s, {b}], axis={x})", "np.roll(%s, {k}, axis={x})", "np.roll(%s, {k})",
                          "np.tile(%s, 2)", "np.repeat(%s, 2, axis={x})", "np.pad(%s, 1)",
                          "np.pad(%s, 2, mode='edge')",
                          "np.diff(%s, axis={x})", "np.hstack([%s, {b}])", "np.vstack([{b}, %s])",
                          "np.append(%s, {b})",
                          "np.array_split(%s, 3, axis={x})[1]", "np.concatenate([%s[:1], {b}[1:]])", "np.tril(%s)",
                          "np.rot90(np.atleast_2d(%s))", "np.gradient(%s, axis={x})", "np.meshgrid(%s, {b})[0]"))
        return self.let(text.replace("%s", name).replace("{b}", other).replace("{x}", str(axis)).replace(
            "{k}", str(self.rng.randint(-9, 9))))

    def reduction(self):
        name = self.one()
        a = self.array(name)
        if self.chance(0.12):
            name = "(%s * %s)" % (name, self.partner(a.shape))
        kind = self.pick(("sum", "sum", "prod", "min", "max", "any", "all", "argmax", "argmin", "mean", "var",
                          "std", "ptp",
                          "count_nonzero", "nansum", "nanmax", "median", "logical_and.reduce", "bitwise_or.reduce",
                          "maximum.reduce", "subtract.reduce", "linalg.norm", "average", "logical_xor.reduce",
                          "hypot.reduce"))
        axes = self.axes(a)
        extra = ", keepdims=True" if self.chance(0.3) and kind != "average" else ""
        if kind == "prod":
            name = "np.sign(%s)" % name
        if kind in ("argmax", "argmin", "linalg.norm", "median", "subtract.reduce") and axes[0] == "(":
            axes = "0"
        if kind in ("sum", "max", "min", "all") and self.chance(0.2):
            extra += ", initial=1" if kind != "all" else ""
        if kind in ("sum", "max") and self.chance(0.2) and "initial" in extra:
            extra += ", where=%s > 0" % name
        return self.let("np.%s(%s, axis=%s%s)" % (kind, name, axes, extra))

    def reduced_into(self):
        """Into memory that holds something."""
        name = self.one(lambda a: a.ndim and a.dtype.kind in "fiu")
        a = self.array(name)
        axis = self.axis(a)
        shape = a.shape[:axis] + a.shape[axis + 1:]
        to = self.new((3,) + shape, "float64" if a.dtype.kind == "f" else "int64")
        kind = self.pick(("sum", "max", "min"))
        return "np.%s(%s, axis=%d, out=%s[%d])" % (kind, name, axis, to, self.rng.randrange(3)), []

    def scanned(self):
        name = self.one(lambda a: a.ndim and a.dtype.name not in ("float16", "float32", "complex64"))  # whose sums show their order
        a = self.array(name)
        return self.let("np.%s(%s, axis=%s)" % (self.pick((
            "cumsum", "cumsum", "maximum.accumulate", "add.accumulate", "logical_or.accumulate")), name,
            self.pick(("0", "-1", str(self.axis(a))))))

    def product(self):
        kind = self.weighted((("matmul", 8), ("stack", 4), ("vector", 3), ("addend", 3), ("other", 4)))
        dtype = self.weighted((("float64", 6), ("float32", 2), ("int64", 1), ("complex128", 1)))
        n, k, m = (self.pick((0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 17, 33)) for _ in range(3))
        left = self.chance(0.4) and self.known_with(lambda a: a.ndim == 2) or self.new((n, k), dtype)
        k = self.array(left).shape[1]
        turn = self.chance(0.3)
        right = self.new((m, k) if turn else (k, m), dtype)
        product = "%s @ %s%s" % (left, right, ".T" if turn else "")
        if kind == "stack":
            stack = self.pick(((2,), (3,), (7,), (1,), (2, 3)))
            left = self.new(stack + (n, k), dtype)
            right = self.new(stack + (k, m), dtype) if self.chance(0.6) else right + (".T" if turn else "")
            product = "%s @ %s" % (left, right)
        elif kind == "vector":
            if self.chance(0.5):
                product = "%s @ %s" % (left, self.new((k,), dtype))
            else:
                product = "%s @ %s" % (self.new(self.array(left).shape[:1], dtype), left)
        elif kind == "addend":
            product = "%s * 0.5 + %s" % (product, self.new((self.array(left).shape[0], m), dtype))
        elif kind == "other":
            v, w = self.new((max(k, 1),), dtype), self.new((max(k, 1),), dtype)
            product = self.pick(("np.dot(%s, %s)" % (v, w), "np.outer(%s, %s)" % (v, w), "np.inner(%s, %s)" % (v, w),
                                 "np.einsum('ij,ik->jk', %s, %s)" % (left, left),
                                 "np.tensordot(%s, %s, axes=2)" % (left, left),
                                 "np.einsum('ij->j', %s)" % left, "np.kron(%s, %s)" % (v, w), "np.trace(%s)" % left,
                                 "%s.T @ %s" % (left, left), "np.vdot(%s, %s)" % (v, w),
                                 "np.convolve(%s, %s)" % (v, w)))
        return self.let(product)

    def known_with(self, wanted):
        found = [n for n in self.pool if wanted(self.array(n))]
        return self.pick(found) if found else None

    def ordered(self):
        name = self.one(lambda a: a.ndim and a.dtype.kind in "fiub")
        a = self.array(name)
        axis = self.axis(a)
        return self.let(self.pick((
            "np.sort(%s, axis={x})", "np.argsort(%s, axis={x}, kind='stable')", "np.sort(%s, axis=None)",
            "np.unique(%s)",
            "np.searchsorted(np.sort(%s, axis=None), %s)", "np.partition(np.sort(%s), 0)",
            "np.interp(%s, [0, 1, 2], [0, 2, 1])",
            "np.bincount(np.abs(%s.ravel()).astype(int) % 9)", "np.histogram(%s, bins=4, range=(0.013, 8.07))[0]",
            "np.digitize(%s, [0, 1, 2])", "np.percentile(%s, 30)", "np.lexsort((%s.ravel(), np.abs(%s.ravel())))",
            "np.isin(%s, [1, 2])")).replace("%s", name).replace("{x}", str(axis)))

    def transformed(self):
        name = self.one(lambda a: a.ndim and a.dtype.kind in "fic" and a.size)
        a = self.array(name)
        axis = self.axis(a)
        return self.let(self.pick((
            "np.fft.fft(%s, axis={x})", "np.fft.ifft(%s, axis={x})", "np.fft.rfft(%s.real, axis={x})",
            "np.fft.fftn(%s)",
            "np.fft.ifft(np.fft.fft(%s, axis={x}), axis={x}).real", "np.fft.fft(%s, n=7, axis={x})",
            "np.fft.irfft(%s, axis={x})", "np.fft.fftshift(%s)")).replace("%s", name).replace("{x}", str(axis)))

    def solved(self):
        n = self.pick((1, 2, 3, 5, 8))
        stack = self.pick(((), (1,), (2,), (3,), (7,), (8,), (2, 3)))
        m = self.new(stack + (n, n), self.pick(("float64", "float64", "float32", "complex128")))
        # Well conditioned: what a factorisation amplifies is small.
        a, _ = self.let("%s * 0.01 + np.eye(%d) * 4" % (m, n))
        self.run(a, [a.split(" ")[0]])
        a = a.split(" ")[0]
        b = self.new(stack + (n, self.pick((1, 2, 5))))
        return self.let(self.pick((
            "np.linalg.solve(%s, {b})", "np.linalg.inv(%s)", "np.linalg.det(%s)", "np.abs(np.linalg.qr(%s)[1])",
            "np.linalg.cholesky(%s @ np.conj(np.swapaxes(%s, -1, -2)))", "np.linalg.svd(%s)[1]",
            "np.linalg.eigvalsh(%s + np.conj(np.swapaxes(%s, -1, -2)))", "np.linalg.slogdet(%s)[1]",
            "np.linalg.pinv(%s)",
            "np.linalg.solve(%s * 0, {b})", "np.linalg.matrix_power(%s, 3)", "np.linalg.norm(%s, axis=(-2, -1))"))
            .replace("%s", a).replace("{b}", b))

    def raising(self):
        name = self.one(lambda a: a.ndim and a.dtype.kind in "fi")
        a = self.array(name)
        body = self.pick(("1 / %s", "%s / (%s - 1)", "np.log(%s)", "np.sqrt(%s - 3)", "np.exp(%s * 500)",
                          "%s // 0", "np.sum(1 / %s)",
                          "np.sum(np.log(%s), axis=0)", "%s[1:] / %s[:-1]", "np.power(%s, -1)")).replace("%s", name)
        target, names = self.let(body)
        how = self.pick(("all='raise'", "divide='raise', invalid='ignore'", "all='ignore'", "over='raise'"))
        return "with np.errstate(%s):\n        %s" % (how, target), names

    def loop(self):
        """Time steps: an array of its neighbours."""
        name = self.one(lambda a: a.ndim and a.flags.writeable and a.dtype.kind == "f" and min(a.shape) > 2)
        a = self.array(name)
        inner = tuple(n - 2 if self.chance(0.7) else n for n in a.shape)
        middle = self.window(a.shape, inner, False)
        terms = ["%s[%s]" % (name, self.window(a.shape, inner, True)) for _ in range(self.rng.randint(2, 4))]
        formula = "(%s) / %d" % (" + ".join(terms), len(terms))
        steps = self.rng.randint(1, 6)
        kind = self.pick(("direct", "copy", "residual", "swap", "rows", "function"))
        head = "for step in range(%d):\n        " % steps
        if kind == "direct":
            return head + "%s[%s] = %s" % (name, middle, formula), []
        other = self.fresh()
        if kind == "copy":
            return head + "%s = %s.copy(); %s[%s] = %s" % (other, name, name, middle, formula), [other]
        if kind == "residual":
            return head + "%s = %s.copy(); %s[%s] = %s\n        if float(np.abs(%s - %s).max()) < 0.1: break" % (
                other, name, name, middle, formula, other, name), [other]
        if kind == "swap":
            return "%s = %s.copy()\n    " % (other, name) + head + "%s[%s] = %s; %s, %s = %s, %s" % (
                other, middle, formula, name, other, other, name), [other]
        if kind == "rows":
            return "for i in range(1, len(%s)):\n        %s[i] += 0.25 * %s[i - 1]" % (name, name, name), []
        function = "def f(u):\n        v = u.copy()\n        v[%s] = %s\n        return v\n    " % (
            middle, formula.replace(name, "u"))
        return function + "%s = %s\n    %s%s = f(%s)" % (other, name, head, other, other), [other]

    def scalar(self):
        name = self.one(lambda a: a.size)
        return self.let(self.pick((
            "float(abs(%s.ravel()[0]))", "%s.ravel()[-1]", "%s.size", "%s.sum()", "int(np.argmax(%s))",
            "%s.max() - %s.min()",
            "%s.tolist()", "bool(np.any(%s))", "str(%s)", "len(np.atleast_1d(%s))",
            "%s.item(0)")).replace("%s", name))

    def forget(self):
        if len(self.pool) < 3:
            raise Unfit
        name = self.pick(self.pool)
        self.pool.remove(name)
        return "del %s" % name, []

    # --- programs ---

    def run(self, text, names):
        """Writes a statement down and does it."""
        for name in names:
            self.space.pop(name, None)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                exec(text.replace("\n    ", "\n"), self.space)
        except Exception:
            pass
        for name in names:
            value = self.space.get(name)
            if isinstance(value, np.ndarray) and value.dtype.name in ALLOWED and value.size <= 2 * SIZE_MOST and \
                    self.is_tame(value):
                self.pool.append(name)
        self.lines.append("try:\n    %s\nexcept Exception as e:\n    fail(%d, e)" % (text, len(self.lines)))
        if names and self.chance(0.12):
            self.lines.append("try:\n    show('%s', %s)\nexcept NameError: pass" % (names[0], names[0]))

    def is_tame(self, value):
        if value.dtype.kind not in "fc" or not value.size:
            return True
        sizes = np.abs(value.astype("complex128"))
        return bool(np.all(np.isfinite(sizes)) and np.max(sizes) < 1e6)

    def settle(self):
        """Forgets arrays that a store has made wild."""
        self.pool = [n for n in self.pool if n in self.space and self.is_tame(self.array(n))]

    def program(self):
        kinds = (
            (self.elementwise, 12), (self.unary, 6), (self.view, 12), (self.store, 14), (self.in_place, 8),
            (self.masked, 6),
                 (self.fancy, 6), (self.placed, 10), (self.counted, 8), (self.drawn, 3), (self.combined, 8), (self.reduction, 10), (self.reduced_into, 2), (self.scanned, 4),
                 (self.product, 8), (self.ordered, 5), (self.transformed, 3), (self.solved, 3), (self.raising, 4),
                 (self.loop, 8), (self.scalar, 3), (self.forget, 2), (lambda: (self.new(), None), 4))
        for _ in range(self.rng.randint(1, 3)):
            self.new()
        for _ in range(self.rng.randint(*STATEMENTS)):
            self.settle()
            if not self.pool:
                self.new()
            try:
                text, names = self.weighted(kinds)()
            except Unfit:
                continue
            if names is not None:
                self.run(text, names)
        self.settle()
        for name in self.pool:
            self.lines.append("try:\n    show('{0}', {0})\nexcept Exception as e:\n    fail('{0}', e)".format(name))
        return HEAD + (GRIDS if self.grids else "") + "\n".join(self.lines) + "\n"


def make_program(seed, number, grids=False):
    """The text of program `number` of the run with `seed`."""
    return RankProgram(random.Random("ranks/%s/%s" % (seed, number)), grids).program()


if __name__ == "__main__":
    import sys

    print(make_program(sys.argv[1], int(sys.argv[2])))
