# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Fills templates. The generator runs what it writes with NumPy as it goes, so every choice can look
at the arrays there are: their shapes, types and elements."""

import re

import numpy as np

from values import Values, shape_text, size_of

CHOICE = re.compile(r"\{(\w+)\}")
LOOPS = "biufc"


def mixed_zeros(array):
    """Has zeros of both signs: which of two equal ones is the larger or comes first is not said."""
    if array.dtype.kind != "f":
        return False
    zero = array == 0
    signs = np.signbit(array[zero])
    return bool(signs.any() and not signs.all())


def orderly(array):
    return not mixed_zeros(array) and array.dtype.kind != "c"


def tame(array):
    """Finite and of a moderate size."""
    if array.dtype.kind not in "f":
        return array.dtype.kind != "c"
    return bool(np.all(np.abs(array.astype("float64")) < 1e4)) if array.size else True


def sums_exactly(array):
    """Quarters so small that float16 adds and multiplies some of them without rounding."""
    if array.dtype.kind in "biu":
        return True
    if array.dtype.kind == "c" or array.size > 40:
        return False
    values = np.abs(array.astype("float64")) * 4
    return bool(np.all(values < 100) and np.all(values == np.floor(values)))


class Rendering(Values):
    """One program's pool of arrays, and the choices of templates."""

    def __init__(self, rng):
        super().__init__(rng)
        self.space = {"np": np}
        self.pool = []  # names of arrays that are the same for everybody, to the last bit
        self.lines = []
        self.counter = 0
        self.wrong = 0.0
        self.subject = None

    # --- the pool ---

    def fresh(self, prefix):
        self.counter += 1
        return "%s%d" % (prefix, self.counter)

    def adopt(self, text):
        """A new array by an expression that cannot fail, as a line of its own."""
        name = self.fresh("a")
        self.space[name] = eval(text, self.space)
        if not isinstance(self.space[name], np.ndarray):
            text = "np.asarray(%s)" % text
            self.space[name] = eval(text, self.space)
        self.lines.append("%s = %s" % (name, text))
        self.pool.append(name)
        return name

    def new_array(self, kinds=LOOPS, shape=None, style=None, rank=None):
        shape = self.shape(rank) if shape is None else shape
        return self.adopt(self.array(self.dtype_name(kinds), shape, style))

    def known(self, wanted):
        """The name of a pool array with a property, or None."""
        found = [n for n in self.pool[-14:] if wanted(self.space[n])]
        return self.pick(found) if found else None

    def one(self, wanted, kinds=LOOPS, rank=None, style=None, reuse=0.8):
        name = self.known(wanted) if self.chance(reuse) else None
        if name is None:
            name = self.new_array(kinds, None, style, self.pick(rank) if rank else None)
        if self.subject is None:
            self.subject = name
        return name

    @property
    def x(self):
        """The subject itself."""
        if self.subject is None:
            self.one(lambda a: True)
        return self.space[self.subject]

    # --- templates ---

    def render(self, template):
        self.subject = None
        template = self.with_options(template)
        return CHOICE.sub(lambda m: str(getattr(self, "t_" + m.group(1))()), template.replace(
            "{{", "\0").replace("}}", "\1")).replace("\0", "{").replace("\1", "}")

    def with_options(self, template):
        """Takes or drops what stands in <…>; the comparison `<` has blanks around it."""
        while True:
            match = re.search(r"<(?! )([^<>]*)>", template)
            if not match:
                return template
            text = match.group(1) if self.chance(0.35) else ""
            template = template[: match.start()] + text + template[match.end() :]

    def t_a(self):
        return self.one(lambda a: True)

    def t_n(self):
        return self.one(lambda a: a.dtype.kind in "iufc", "iufc" if not self.chance(0.1) else LOOPS)

    def t_o(self):
        return self.one(orderly, "biuf", style="tame" if self.chance(0.7) else "spread")

    def t_ov(self):
        return self.one(lambda a: orderly(a) and a.ndim == 1, "biuf", (1,), "tame")

    def t_i(self):
        return self.one(lambda a: a.dtype.kind in "iu", "iu" if not self.chance(0.1) else LOOPS)

    def t_m(self):
        return self.one(lambda a: a.dtype.kind == "b", "b")

    def t_f(self):
        return self.one(lambda a: a.dtype.kind in "f", "f")

    def t_v(self):
        return self.one(lambda a: a.ndim == 1, LOOPS, (1,))

    def t_w(self):
        return self.one(lambda a: a.ndim >= 2, LOOPS, (2, 2, 3))

    def t_e(self):
        return self.one(sums_exactly, "biuf", style="tame", reuse=0.6)

    def t_ew(self):
        return self.one(lambda a: sums_exactly(a) and a.ndim == 2, "biuf", (2,), "tame")

    def t_ve(self):
        return self.one(lambda a: sums_exactly(a) and a.ndim == 1, "biuf", (1,), "tame")

    def t_vi(self):
        return self.one(lambda a: a.ndim == 1 and a.dtype.kind in "iu", "iu", (1,), "tame")

    def t_t(self):
        return self.one(tame, "biuf", style="tame", reuse=0.6)

    def t_tv(self):
        return self.one(lambda a: tame(a) and a.ndim == 1, "biuf", (1,), "tame")

    def t_tiny(self):
        return self.one(lambda a: tame(a) and a.dtype.kind == "f", "f", (1, 2), "tame")

    def t_tb(self):
        """What a matrix product with the subject takes."""
        x = self.x
        rank = self.number(1, 3)
        shape = self.shape(rank)
        if x.ndim and not self.chance(self.wrong):
            shape = shape[:-2] + ((x.shape[-1],) if rank == 1 else (x.shape[-1], shape[-1]))
        if size_of(shape) > 400:
            shape = (x.shape[-1] if x.ndim else 1,)
        return self.new_array("biuf", shape, "tame")

    def t_x(self):
        return self.subject or self.t_a()

    # --- other arrays beside the subject ---

    def t_b(self):
        """An operand that goes with the subject."""
        x = self.x
        roll = self.rng.random()
        if roll < 0.30:
            return self.scalar()
        if roll < 0.62:
            name = self.known(lambda a: fits(a.shape, x.shape))
            if name:
                return name
        if roll < 0.72 and x.ndim:
            return "%s[%s]" % (self.subject, self.pick(("::-1", "...", "0:1", "-1:")))
        if roll < 0.76:
            return "[%s]" % ", ".join(self.scalar("if") for _ in range(self.number(0, 3)))
        if self.chance(self.wrong):
            return self.one(lambda a: True)
        return self.new_array(LOOPS, self.partner_shape(x.shape))

    def t_c(self):
        """Any other array, often of the same shape."""
        if self.chance(0.6):
            return self.t_same()
        return self.one(lambda a: True)

    def partner_shape(self, shape):
        kept = shape[self.number(0, len(shape)) if self.chance(0.3) else 0 :]
        found = tuple(1 if self.chance(0.2) else extent for extent in kept)
        if self.chance(0.1) and len(shape) < 5:
            found = (self.number(0, 2),) + (1,) * (len(shape) - len(found)) + found
        return found if size_of(found) < 3000 else ()

    def t_same(self):
        shape = self.x.shape
        if self.chance(self.wrong):
            shape = self.shape(len(shape) if self.chance(0.5) and len(shape) < 7 else None)
        name = self.known(lambda a: a.shape == shape) if self.chance(0.5) else None
        return name or self.new_array(LOOPS, shape, "tame")

    def t_joined(self):
        """Agrees with the subject but for one axis."""
        shape = list(self.x.shape)
        if shape and len(shape) < 7:
            shape[self.number(0, len(shape) - 1)] = self.number(0, 3)
        return self.new_array(LOOPS, tuple(shape), "tame")

    def t_row(self):
        n = max(self.x.shape, default=1)
        return "[%s]" % ", ".join(self.pick(("True", "False", "0", "1")) for _ in range(min(n, 6)))

    def t_wmask(self):
        if self.chance(0.15):
            return self.pick(("True", "False", "[1, 0]", "None", "2"))
        shape = self.partner_shape(self.x.shape)
        return self.adopt(self.array("bool", shape))

    # --- numbers ---

    def t_axis(self):
        rank = self.x.ndim
        if self.chance(0.5 * self.wrong):
            return self.pick(("1.0", "'0'", "None", "(0, 0)", "()", "True", "[0]", "2 ** 70"))
        low = 2 if self.chance(self.wrong) else 0
        return self.number(-rank - low, max(rank - 1, -rank) + low) if rank or low else 0

    def t_axes(self):
        rank = self.x.ndim
        if rank < 2 or self.chance(0.6):
            return "None" if self.chance(0.2) else self.t_axis()
        axes = list(range(rank))
        self.rng.shuffle(axes)
        axes = [a - rank if self.chance(0.3) else a for a in axes[: self.number(0, min(rank, 3))]]
        if self.chance(self.wrong):
            axes += [self.number(-rank - 1, rank)]
        return shape_text(axes)

    def t_newaxis(self):
        rank = self.x.ndim + 1
        low = 2 if self.chance(self.wrong) else 0
        return self.number(-rank - low, rank - 1 + low)

    def t_perm(self):
        axes = list(range(self.x.ndim))
        self.rng.shuffle(axes)
        if self.chance(self.wrong) and axes:
            axes[0] = self.pick((axes[-1], 9, -1))
        return shape_text(axes)

    def t_k(self):
        return self.number(-3, 3)

    def t_int(self):
        return self.number(-4, 6)

    def t_small(self):
        return self.number(0, 4) if not self.chance(0.3 * self.wrong) else self.pick(
            ("-1", "2.0", "'a'", "None"))

    def t_small1(self):
        return self.number(1, 4)

    def t_q(self):
        return self.pick(("0.5", "0.25", "[0.0, 0.3, 1.0]", "1", "1.5"))

    def t_p(self):
        return self.pick(("50", "25", "[0, 30, 100]", "99.5", "-1"))

    def t_bound(self):
        return self.pick(("0", "1", "5", "-3", "2.5", "-0.5", "10", "0.25", "7"))

    def t_scalar(self):
        return self.scalar()

    def t_lo(self):
        return self.pick(("0", "-1", "1", "None", "-0.5", "np.int8(2)", "np.float32(0.25)", "3", "-1000"))

    def t_hi(self):
        return self.pick(("3", "2", "5", "None", "2.5", "np.int64(4)", "100", "0", "300"))

    def t_flag(self):
        return self.pick(("True", "False", "True", "1"))

    def t_ints(self):
        n = max(self.x.shape[:1] + (1,))
        extra = 1 if self.chance(self.wrong) else 0
        items = [self.number(-n, n - 1 + extra) for _ in range(self.number(0, 4))]
        text = "[%s]" % ", ".join(map(str, items))
        roll = self.rng.random()
        if roll < 0.2:
            return str(self.number(-n, n - 1 + extra))
        if roll < 0.4:
            return "np.array(%s, dtype='%s')" % (text, self.pick(("int8", "int64", "int32")))
        if roll < 0.5 and items:
            return "[%s, %s]" % (text, text)
        return text if items or self.chance(0.5) else "[0]"

    def t_ints1(self):
        return "[%s]" % ", ".join(str(self.number(0, 4)) for _ in range(self.number(0, 3)))

    def t_small_ints(self):
        name = self.known(lambda a: a.ndim == 1 and a.dtype.kind in "iu" and a.size and
                          -1 <= a.min() and a.max() < 50)
        return name or "[%s]" % ", ".join(str(self.number(0, 6)) for _ in range(self.number(0, 5)))

    def t_square(self):
        """A matrix far from singular; at times something else."""
        if self.chance(self.wrong):
            return self.one(lambda a: a.dtype.kind in "biuf", "biuf", (0, 1, 2, 2, 3), "tame")
        n = self.number(1, 4)
        name = self.new_array("iuf", (n, n), "tame")
        self.subject = self.subject or name
        return "(%s + 99 * np.eye(%d))" % (name, n)

    # --- words ---

    def t_dtype(self):
        if self.chance(0.5 * self.wrong):
            return self.pick(("'nosuch'", "int", "float", "bool", "3", "None", "np.floating", "'i4'",
                              "'<f8'", "'?'", "'e'", "'u2'", "'l'", "np.integer"))
        return self.dtype("biuf")

    def t_idtype(self):
        return self.dtype("iu" if not self.chance(self.wrong) else "f")

    def t_fdtype(self):
        return self.dtype("f" if not self.chance(self.wrong) else "i")

    def t_abstract(self):
        return self.pick(("integer", "floating", "number", "generic", "inexact", "signedinteger",
                          "unsignedinteger", "float64", "int8"))

    def t_casting(self):
        return self.pick(("'no'", "'equiv'", "'safe'", "'same_kind'", "'unsafe'", "'same_kind'",
                          "'nosuch'"))

    def t_side(self):
        return self.pick(("'left'", "'right'", "'right'", "'middle'"))

    def t_mode(self):
        return self.pick(("'clip'", "'wrap'", "'raise'", "'fold'"))

    def t_pad(self):
        return self.pick(("'edge'", "'reflect'", "'wrap'", "'symmetric'", "'constant'", "'nosuch'"))

    def t_indexing(self):
        return self.pick(("'ij'", "'xy'", "'yx'"))

    def t_ein1(self):
        return self.pick(("'ij->ji'", "'ij->i'", "'ij'", "'ii'", "'ii->i'", "'...j->...'", "'ij->k'"))

    def t_sections(self):
        if self.chance(0.5):
            return self.number(1, 4)
        return "[%s]" % ", ".join(str(self.number(-1, 4)) for _ in range(self.number(0, 3)))

    def t_repeats(self):
        if self.chance(0.6):
            return self.number(-1 if self.chance(self.wrong) else 0, 3)
        n = self.x.shape[0] if self.x.ndim and self.chance(0.7) else self.x.size
        return "[%s]" % ", ".join(str(self.number(0, 2)) for _ in range(min(n, 12)))

    def t_reps(self):
        return self.pick((self.number(0, 3), shape_text([self.number(0, 2) for _ in range(3)]), "()",
                          "(2, 1)"))

    # --- shapes ---

    def t_shape(self):
        if self.chance(0.4 * self.wrong):
            return self.pick(("-1", "(2, -3)", "2.0", "'ab'", "(1.5,)", "None", "(2, 'a')"))
        shape = self.shape()
        return str(shape[0]) if len(shape) == 1 and self.chance(0.5) else shape_text(shape)

    def t_reshape(self):
        size = self.x.size
        parts, left = [], size
        for _ in range(self.number(0, 3)):
            divisors = [d for d in (1, 2, 3, 4, 5, 6) if left and left % d == 0]
            part = self.pick(divisors) if divisors else self.number(0, 2)
            parts.append(part)
            left = left // part if part else 0
        parts.append(-1 if self.chance(0.4) else left)
        if self.chance(self.wrong):
            parts[self.number(0, len(parts) - 1)] = self.pick((-1, 5, 7, -2))
        self.rng.shuffle(parts)
        return shape_text(parts)

    def t_broadcast(self):
        shape = list(self.x.shape)
        for d, extent in enumerate(shape):
            if extent == 1 and self.chance(0.5):
                shape[d] = self.number(0, 3)
            elif self.chance(0.3 * self.wrong):
                shape[d] = self.number(1, 4)
        if len(shape) < 6:
            shape = [self.number(1, 3) for _ in range(self.number(0, 2))] + shape
        return shape_text(shape)

    # --- indexes ---

    def slice_of(self, extent):
        def part(low, high):
            return str(self.number(low, high)) if self.chance(0.5) else ""

        step = self.weighted(((8, ""), (4, ":-1"), (2, ":2"), (1, ":-2"), (1, ":3"), (0.2, ":0"),
                              (0.5, ":"), (0.5, ":-7")))
        if step == ":0" and not self.chance(self.wrong * 3):
            step = ":2"
        return "%s:%s%s" % (part(-extent - 1, extent + 1), part(-extent - 1, extent + 1), step)

    def t_slices(self):
        parts = [self.slice_of(extent) for extent in self.x.shape[: self.number(1, 4)]]
        if self.chance(0.3):
            parts.insert(self.number(0, len(parts)), self.pick(("...", "None")))
        return ", ".join(parts) or "..."

    def place(self, extent):
        extra = 1 if self.chance(self.wrong) else 0
        if extent == 0 and not extra:
            return ":"
        at = str(self.number(-extent - extra, extent - 1 + extra))
        return "np.%s(%s)" % (self.pick(("int8", "int64")), at) if self.chance(0.1) else at

    def t_basic(self):
        parts = []
        for extent in self.x.shape[: self.number(0, 4)]:
            parts.append(self.place(extent) if self.chance(0.5) else self.slice_of(extent))
        if self.chance(0.4):
            parts.insert(self.number(0, len(parts)), self.pick(("...", "None", "np.newaxis")))
        if self.chance(self.wrong):
            parts += [self.pick(("0", "...", "1.0", "'a'", "0, 0", "..., ...", "np.float64(1)"))]
        return ", ".join(parts) or "()"

    def places(self, extent, shape):
        extra = 1 if self.chance(self.wrong) else 0
        n = max(extent, 1 if extra else 0)
        items = [self.number(-n, n - 1 + extra) if n else 0 for _ in range(size_of(shape))]
        text = "[%s]" % ", ".join(map(str, items))
        if len(shape) == 1 and shape[0] and self.chance(0.6):
            return text
        return "np.array(%s, dtype='%s').reshape(%s)" % (
            text, self.pick(("int64", "int64", "int8", "uint8" if min(items, default=0) >= 0 else
                             "int16")), shape_text(shape))

    def mask(self, extents):
        if len(extents) == 1 and extents[0] < 20 and self.chance(0.7):
            n = extents[0] + (1 if self.chance(self.wrong) else 0)
            text = "[%s]" % ", ".join(self.pick(("True", "False")) for _ in range(n))
            return text if n and self.chance(0.5) else "np.array(%s, dtype=bool)" % text
        return "np.array(%s)" % self.array("bool", tuple(extents))

    def t_fancy(self):
        x, parts, at = self.x, [], 0
        if self.chance(0.2):
            return self.pick(("%s > 1", "%s != 0", "~(%s > 0)", "%s == %s" % ("%s", self.subject))) % (
                self.subject,)
        shape = self.pick(((2,), (3,), (1,), (2, 2), (0,), (2, 1), ()))
        while at < min(x.ndim, 4):
            roll = self.rng.random()
            if roll < 0.45:
                parts.append(self.places(x.shape[at], shape if self.chance(0.8) else (1,)))
                at += 1
            elif roll < 0.6:
                count = 1 if self.chance(0.7) else min(2, x.ndim - at)
                parts.append(self.mask(x.shape[at : at + count]))
                at += count
            elif roll < 0.75:
                parts.append(self.place(x.shape[at]))
                at += 1
            else:
                parts.append(self.slice_of(x.shape[at]))
                at += 1
            if self.chance(0.25):
                break
        if self.chance(0.25):
            parts.insert(self.number(0, len(parts)), self.pick(("None", "...", "True", "False")))
        if self.chance(self.wrong):
            parts += [self.pick(("[0]", "[1.0]", "['a']", "[[0], [0, 1]]", "np.array(1.5)", "None"))]
        return ", ".join(parts) or "[]"

    def t_index(self):
        return self.t_basic() if self.chance(0.5) else self.t_fancy()


def fits(one, other):
    """The shapes broadcast together to something small."""
    size = 1
    for at in range(1, max(len(one), len(other)) + 1):
        a = one[-at] if at <= len(one) else 1
        b = other[-at] if at <= len(other) else 1
        if a != b and a != 1 and b != 1:
            return False
        size *= b if a == 1 else a
    return size <= 3000
