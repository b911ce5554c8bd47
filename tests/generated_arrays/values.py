# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Data types, elements, shapes and scalars, as text."""

# Each row: name, kind, and whether the engine has it. A type takes part once its last column says so.
DTYPES = (
    ("bool", "b", True),
    ("int8", "i", True),
    ("int16", "i", True),
    ("int32", "i", True),
    ("int64", "i", True),
    ("uint8", "u", True),
    ("uint16", "u", True),
    ("uint32", "u", True),
    ("uint64", "u", True),
    ("float16", "f", True),
    ("float32", "f", True),
    ("float64", "f", True),
    ("complex64", "c", True),
    ("complex128", "c", True),
)
KINDS = {name: kind for name, kind, _ in DTYPES}
HERE = tuple(name for name, _, here in DTYPES if here)
# Programs use these more often than the others.
COMMON = ("float64", "int64", "float64", "bool", "float32")
SPELLINGS = ("'%s'", "np.%s", "np.dtype('%s')")

BITS = {name: int("".join(c for c in name if c.isdigit()) or 8) for name in KINDS}
FLOAT_MAX = {"float16": "65504.0", "float32": "3.4028234663852886e+38",
             "float64": "1.7976931348623157e+308"}
FLOAT_TINY = {"float16": "6e-08", "float32": "1e-45", "float64": "5e-324"}


def limits(name):
    if KINDS[name] == "i":
        return -(2 ** (BITS[name] - 1)), 2 ** (BITS[name] - 1) - 1
    return 0, 2 ** BITS[name] - 1


class Values:
    """Draws texts; `self.rng` decides."""

    def __init__(self, rng):
        self.rng = rng

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return items[int(self.rng.random() * len(items))]

    def number(self, low, high):
        return low + int(self.rng.random() * (high - low + 1))

    def weighted(self, rows):
        at = self.rng.random() * sum(weight for weight, _ in rows)
        for weight, item in rows:
            at -= weight
            if at < 0:
                return item
        return rows[-1][1]

    # --- types ---

    def dtype_name(self, kinds="biufc"):
        names = [n for n in (COMMON if self.chance(0.35) else HERE) if KINDS[n] in kinds]
        return self.pick(names or [n for n in HERE if KINDS[n] in kinds])

    def dtype(self, kinds="biufc"):
        return self.pick(SPELLINGS) % self.dtype_name(kinds)

    # --- elements ---

    def element(self, name, style):
        kind = KINDS[name]
        if kind == "b":
            return self.pick(("True", "False"))
        if kind in "iu":
            return str(self.integer(name, style))
        if kind == "f":
            return self.real(name, style)
        part = "float64" if name == "complex128" else "float32"
        return "complex(%s, %s)" % (self.real(part, style), self.real(part, style))

    def integer(self, name, style):
        low, high = limits(name)
        if style == "wild" and self.chance(0.4):
            return self.pick((low, high, high - 1, low + 1, high // 2, high // 3, 2 ** (BITS[name] // 2)))
        if style == "spread":
            return max(low, min(high, self.number(-100, 100)))
        return max(low, self.number(-6, 9))

    def real(self, name, style):
        if style == "wild" and self.chance(0.45):
            return self.pick(("np.nan", "np.inf", "-np.inf", "-0.0", "0.0", FLOAT_MAX[name],
                              "-" + FLOAT_MAX[name], FLOAT_TINY[name], "1e-5", "1e4", "-1e-3"))
        if style == "spread":
            return self.pick(("0.1", "-0.3", "3.141592653589793", "1e-3", "2.5", "123.456", "-7.75",
                              "0.6666666666666666", "1.0", "-1.0", "0.999", "42.0", "-1e-2"))
        return repr(self.number(-16, 24) / 4)

    def style(self):
        return self.weighted(((6, "tame"), (2, "spread"), (2, "wild")))

    # --- shapes ---

    def extent(self):
        return self.weighted(((1, 0), (3, 1), (5, 2), (6, 3), (4, 4), (2, 5), (0.6, 9)))

    def rank(self):
        return self.weighted(((6, 0), (34, 1), (30, 2), (14, 3), (6, 4), (3, 5), (3, 6), (1.5, 40)))

    def shape(self, rank=None):
        rank = self.rank() if rank is None else rank
        if rank >= 40:
            shape = [1] * self.number(33, 50)
            for _ in range(self.number(0, 3)):
                shape[self.number(0, len(shape) - 1)] = self.number(0, 3)
            return tuple(shape)
        if rank == 1 and self.chance(0.03):
            return (self.pick((127, 128, 130, 1001, 1024, 1030, 2100)),)
        shape = [self.extent() for _ in range(rank)]
        while size_of(shape) > 200:
            shape[self.number(0, rank - 1)] = 1
        return tuple(shape)

    # --- arrays ---

    def array(self, name, shape, style=None):
        """An expression that makes an array."""
        size, kind = size_of(shape), KINDS[name]
        if size > 60 or (size and self.chance(0.12)):
            return self.counted(name, shape, size)
        if self.chance(0.06):
            return self.filled(name, shape)
        style = style or self.style()
        items = [self.element(name, style) for _ in range(size)]
        wanted = ", dtype=" + self.pick(SPELLINGS) % name
        natural = {"b": "bool", "i": "int64", "f": "float64", "c": "complex128"}.get(kind)
        if size and natural == name and self.chance(0.5):
            wanted = ""
        if len(shape) <= 3 and size:
            return "np.array(%s%s)" % (nested(items, shape), wanted)
        return "np.array([%s]%s).reshape(%s)" % (", ".join(items), wanted, shape_text(shape))

    def counted(self, name, shape, size):
        step = self.pick((1, 1, 2, 3)) if KINDS[name] != "u" else 1
        start = self.number(-4, 4) if KINDS[name] in "ifc" and BITS[name] > 8 else 0
        text = "np.arange(%d, %d, %d)" % (start, start + step * size, step)
        if KINDS[name] == "f" and self.chance(0.5):
            text = "(%s / 4)" % text
        if BITS[name] == 8:
            text = "(%s %% %d)" % (text, self.pick((2, 3, 7, 100)))
        text = "%s.astype(%s)" % (text, self.pick(SPELLINGS) % name)
        return text if len(shape) == 1 else "%s.reshape(%s)" % (text, shape_text(shape))

    def filled(self, name, shape):
        kind = self.pick(("zeros", "ones", "full"))
        fill = ", " + self.element(name, "tame") if kind == "full" else ""
        return "np.%s(%s%s, dtype=%s)" % (kind, shape_text(shape), fill, self.pick(SPELLINGS) % name)

    # --- scalars ---

    def scalar(self, kinds="biuf"):
        """A Python or NumPy number."""
        if self.chance(0.55):
            kind = self.pick(kinds)
            if kind == "b":
                return self.pick(("True", "False"))
            if kind in "iu":
                return self.pick(("0", "1", "2", "3", "-1", "7", "-5", "100", "300", "-200", "70000",
                                  "2 ** 40", "2 ** 63", "-2 ** 63"))
            if kind == "c":
                return self.pick(("1j", "(2-3j)", "0j"))
            return self.pick(("0.5", "2.0", "-1.5", "0.0", "0.25", "1e3", "1e300", "np.inf", "np.nan"))
        name = self.dtype_name(kinds)
        return "np.%s(%s)" % (name, self.element(name, self.style()))


def size_of(shape):
    size = 1
    for extent in shape:
        size *= extent
    return size


def shape_text(shape):
    return "(%s)" % ", ".join(map(str, shape)) if len(shape) != 1 else "(%d,)" % shape[0]


def nested(items, shape):
    if not shape:
        return items[0]
    step = len(items) // shape[0]
    return "[%s]" % ", ".join(
        nested(items[at : at + step], shape[1:]) for at in range(0, len(items), step)
    )
