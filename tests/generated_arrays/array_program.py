# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A random array program: some arrays, then a row of guarded steps, each of which prints what it
made or how it failed.

The generator runs each step with NumPy before it writes it down. So it knows the arrays that later
steps choose from, and leaves out what NumPy itself does not define: numbers cast to integers that
cannot hold them, the order of equal things, types that are not in the table. Results that may be off
by a little are printed with their tolerance and never used again.

The same (seed, number) gives the same text wherever the same NumPy is.
"""

import ast
import random
import re
import signal
import warnings

import numpy as np

from catalogue import (EXACT, INEXACT, MATRIX_FUNCTIONS, OVERLAPPING, PRINTING, REDUCTIONS, VIEWS,
                       rows)
from optable import read_ops
from rendering import Rendering, mixed_zeros, shape_text
from values import HERE, limits

# Parts that wait for the engine; True turns them on.
UFUNC_METHODS = True  # reduce, accumulate, outer, at, reduceat
UFUNC_KEYWORDS = True  # where=, casting=, dtype=

# Exact for real numbers, but there is more than one way to do it with complex ones.
NOT_FOR_COMPLEX = {"divide", "reciprocal", "float_power", "absolute", "abs({n})", "/", "round"}
NUMPY_ULP = 4  # how far NumPy's own functions may be from the true value
SIZE_MAX = 5000
STEP_SECONDS = 2
HEAD = "import numpy as np\nfrom observing import show, text, fail\n"

OPS = [op for op in read_ops() if op.op_class == "ELEMENTWISE" and isinstance(
    getattr(np, op.name, None), np.ufunc)]
BY_NAME = {op.name: op for op in OPS}
OPERATORS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floor_divide",
             "%": "remainder", "**": "power", "&": "bitwise_and", "|": "bitwise_or",
             "^": "bitwise_xor", "<<": "left_shift", ">>": "right_shift", "==": "equal",
             "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater",
             ">=": "greater_equal"}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
ARITHMETIC = [sign for sign in OPERATORS if sign not in COMPARISONS]
# Which of two equal zeros these answer, or what sign a NaN has, is not said.
OF_EQUALS = {"maximum", "minimum", "fmax", "fmin", "max", "min", "clip", "sort", "nanmax", "nanmin"}
OF_SIGNS = {"signbit", "copysign"}
EXTREMES = {"maximum", "minimum", "fmax", "fmin", "max", "min"}
# NumPy's AVX-512 loops keep no more of such a reduction than the first element combined with the
# last.
MISREDUCED = re.compile(r"(arctan2|power|ldexp)\.reduce(at)?")
CONVERTING = ("dtype", "astype", "out=", "casting", "full", "fill", "put", "place", "copyto", "np.array",
              "insert", "pad", "choose", "select")
MUTATING = ("np.fill_diagonal(", "np.place(", "np.putmask(", "np.put(", "np.copyto(", ".fill(", ".sort(<",
            ".put(")
TYPES_HERE = set(HERE)
PLAIN = (bool, int, float, str, type(None), np.dtype, type)


class Rejected(Exception):
    """A step that nobody can be compared on."""


def too_long(*_):
    raise Rejected


def comparable(value):
    if isinstance(value, (tuple, list)):
        return len(value) < 200 and all(map(comparable, value))
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.name in TYPES_HERE and value.size <= SIZE_MAX
    if isinstance(value, type):
        return value.__module__ in ("builtins", "numpy")
    return isinstance(value, PLAIN)


def root_of(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def out_of_range(values, target):
    """Floats that an integer type cannot hold."""
    values = np.asarray(values)
    if values.dtype.kind not in "fc" or target.dtype.kind not in "iu" or not values.size:
        return False
    if values.dtype.kind == "c":
        return True
    low, high = limits(target.dtype.name)
    values = values.astype("float64")
    return not bool(np.all(np.isfinite(values)) and np.all(values > low - 1) and np.all(values < high))


class Step:
    """What is known of a step before it is run."""

    def __init__(self, label, text, exact=None, target=None, keep=False, warned=False, printed=False):
        self.label, self.text, self.exact, self.target = label, text, exact, target
        self.keep, self.warned, self.printed = keep, warned, printed


class ArrayProgram(Rendering):
    def __init__(self, rng):
        super().__init__(rng)
        self.steps = 0

    # --- running a step ---

    def used(self, text):
        """The names of arrays in an expression, and its constants."""
        names, constants = [], []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name) and node.id in self.space and node.id != "np":
                names.append(node.id)
            elif isinstance(node, ast.Constant) and isinstance(node.value, float):
                constants += [node.value, -node.value]
            elif isinstance(node, ast.Attribute) and node.attr in ("nan", "inf"):
                constants.append(np.nan)
        return names, constants

    def execute(self, step):
        """(value or None, exception or None) of the step; the arrays are changed as it says."""
        name = "v%d" % self.steps
        code = step.text if step.target else "%s = %s" % (name, step.text)
        with warnings.catch_warnings(record=True) as seen, np.errstate(all="warn"):
            warnings.simplefilter("always")
            try:
                exec(code, self.space)
                error = None
            except Rejected:
                raise
            except Exception as caught:
                error = caught
        if isinstance(error, SyntaxError):
            raise ValueError(code) from error
        if any("in cast" in str(w.message) for w in seen) or isinstance(error, MemoryError):
            raise Rejected
        if error is not None:
            if "0x" in str(error) or "object" in str(error) and "dtype" in str(error):
                raise Rejected
            return None, error
        return self.space[step.target or name], None

    def check(self, step, value, names, constants):
        if not step.target and not comparable(value):
            raise Rejected
        target = self.space.get(step.target) if step.target else value
        if isinstance(target, (np.ndarray, np.generic)):
            if target.size > SIZE_MAX or target.dtype.name not in TYPES_HERE:
                raise Rejected
            if MISREDUCED.fullmatch(step.label) and {"float32", "float64"} & {
                    target.dtype.name, np.result_type(*[self.space[n] for n in names]).name}:
                raise Rejected
            if step.target or any(word in step.text for word in CONVERTING):
                sources = [self.space[n] for n in names if n != step.target] + [np.array(constants)]
                if any(out_of_range(s, target) for s in sources):
                    raise Rejected

    def wrapped_extreme(self, step, names):
        """Whether elements of an extreme wrap around in out=: NumPy begins with one that has, and goes
        on after each buffer with another."""
        integers = [self.space[n] for n in names if self.space[n].dtype.kind in "iu"]
        for into in (self.space[n] for n in self.changed(step)):
            if into.dtype.kind in "iu":
                low, high = limits(into.dtype.name)
                if any(a.size and (int(a.min()) < low or int(a.max()) > high) for a in integers):
                    return True
        return False

    def guard(self, step, names):
        """Refuses what has no defined result, by the operands."""
        if "cum" in step.text and "out=" in step.text and any(self.space[n].ndim == 0 for n in names):
            raise Rejected  # may end NumPy's process
        if step.label == "np.array_equiv" and any(self.space[n].ndim > 32 for n in names):
            raise Rejected  # NumPy cannot broadcast them, and says no
        if "reciprocal" in step.text and any(
                self.space[n].dtype.kind in "iu" and (self.space[n] == 0).any() for n in names):
            raise Rejected
        words = set(re.split(r"[ .]", step.label.replace("np.", "")))
        arrays = [self.space[n] for n in names]
        if words & EXTREMES and "out=" in step.text and self.wrapped_extreme(step, names):
            raise Rejected
        # NumPy's clip has an order of complex numbers of its own, in which a NaN as a part is nothing.
        if "clip" in words and any(a.dtype.kind == "c" and np.isnan(a).any() for a in arrays):
            raise Rejected
        if words & OF_SIGNS and any(a.dtype.kind == "f" and np.isnan(a).any() for a in arrays):
            raise Rejected
        if words & OF_EQUALS and (any(map(mixed_zeros, arrays)) or len(arrays) > 1 and any(
                a.dtype.kind == "f" and (a == 0).any() and np.signbit(a[a == 0]).any() for a in arrays)):
            raise Rejected

    def do(self, step):
        """Runs a step and writes it down."""
        try:
            names, constants = self.used(step.text)
        except SyntaxError as error:
            raise ValueError(step.text) from error
        names = list(dict.fromkeys(names))
        self.guard(step, names)
        saved = []
        if step.target or "out=" in step.text:
            for array in {id(r): r for r in (root_of(self.space[n]) for n in names if isinstance(
                    self.space[n], np.ndarray))}.values():
                saved.append((array, array.copy()))
        before = {n: self.space[n] for n in names}
        scale = self.scale(step, names)
        try:
            signal.setitimer(signal.ITIMER_REAL, STEP_SECONDS)
            value, error = self.execute(step)
            self.check(step, value, names, constants)
        except Rejected:
            for array, copy in saved:
                array[...] = copy
            self.space.update(before)
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        words = set(re.split(r"[ .=]", step.label))
        if step.exact is None and words & NOT_FOR_COMPLEX and any(
                np.asarray(operand).dtype.kind == "c" for operand in before.values()):
            step.exact = NUMPY_ULP
        self.write(step, value, error, scale)
        self.after(step, value, error, names)
        self.steps += 1

    def scale(self, step, names):
        if not isinstance(step.exact, tuple):
            return None
        total = 1.0
        with np.errstate(all="ignore"):
            for name in names:
                array = np.asarray(self.space[name])
                if array.dtype.kind in "biufc":
                    sizes = np.abs(array.astype("complex128"))
                    total += float(np.sum(sizes[np.isfinite(sizes)]))
        return total if step.exact[0] == "sum" else total * total

    def tolerance(self, step, value, scale):
        """The further arguments of show: empty for what is exact."""
        if step.exact is None or not inexact_type(value):
            return ""
        if scale is None or not np.isfinite(scale):
            return ", %d" % (step.exact[1] if isinstance(step.exact, tuple) else step.exact)
        return ", %d, %.6g" % (step.exact[1], scale)

    def write(self, step, value, error, scale):
        number, name = self.steps, "v%d" % self.steps
        put = self.lines.append
        put("try:")
        mark = "  # %d %s%s" % (number, step.label, " w" if step.warned else "")
        put("    " + (step.text if step.target else "%s = %s" % (name, step.text)) + mark)
        if not step.target:
            shown = "text" if step.printed else "show"
            put("    %s(%d, %s%s)" % (shown, number, name, self.tolerance(step, value, scale)))
        put("except Exception as e:")
        put("    fail(%d, e)" % number)
        for changed in self.changed(step):
            put("show(%d, %s%s)" % (number, changed,
                                    self.tolerance(step, self.space[changed], scale)))

    def changed(self, step):
        if step.target:
            return [step.target]
        if "out=" in step.text:
            out = step.text.split("out=")[1]
            return [n for n in self.pool if out.startswith((n + ")", n + ",", n + "["))][:1]
        return []

    def after(self, step, value, error, names):
        """Keeps what later steps may use, and forgets what was made inexact."""
        if step.exact is not None:
            for changed in self.changed(step):
                array = self.space[changed]
                if inexact_type(array):
                    self.pool = [n for n in self.pool if n != changed and not np.may_share_memory(
                        np.asarray(self.space[n]), np.asarray(array))]
        elif error is None and not step.target and isinstance(value, (np.ndarray, np.generic)):
            if isinstance(value, np.ndarray) or self.chance(0.15):
                if value.size <= 2500 and (step.keep or self.chance(0.3)):
                    self.pool.append("v%d" % self.steps)

    # --- kinds of steps ---

    def ulp_of(self, op):
        return op.tolerance + NUMPY_ULP if op.tolerance else None

    def op_call(self):
        op = self.pick(OPS)
        template = "np.%s({%s}" % (op.name, "n" if self.chance(0.7) else "a")
        template += ", {b}" if op.arity == 2 else ""
        if self.chance(0.2 * self.wrong):
            template += self.pick((", foo=1", ", {b}, {b}, {b}", ", dtype='nosuch'", ", axis=0"))
        text = self.render(template)
        if UFUNC_KEYWORDS and self.chance(0.15) and "dtype" not in template:
            text += ", dtype=%s" % self.t_dtype()
            if self.chance(0.4):
                text += ", casting=%s" % self.t_casting()
        # Comparisons under a mask may end NumPy's process.
        masked = UFUNC_KEYWORDS and self.chance(0.12) and op.rule != "COMPARE"
        if masked or self.chance(0.2):
            out = self.out_for(text + ")", op.tolerance > 0)
            # NumPy forgets what was in an output that it copies, where the mask is false.
            if masked and op.rule == "LOGICAL" and self.overlaps(out, text):
                raise Rejected
            text += ", out=%s" % out
            if masked:
                text += ", where=%s" % self.t_wmask()
        return Step("np." + op.name, text + ")", self.ulp_of(op), warned=True, keep=True)

    def overlaps(self, out, text):
        """Whether an expression for an output may share memory with what a call takes."""
        array = eval(out, dict(self.space))
        return isinstance(array, np.ndarray) and any(
            np.may_share_memory(array, self.space[name])
            for name in re.findall(r"\b[av]\d+\b", text) if isinstance(self.space[name], np.ndarray))

    def out_for(self, text, nearly=False):
        """An array for the result of an expression, most often one that fits."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = np.asarray(eval(text, dict(self.space)))
        except Rejected:
            raise
        except Exception:
            value = self.x
        if value.dtype.name not in TYPES_HERE or value.size > SIZE_MAX:
            raise Rejected
        roll = self.rng.random()
        if nearly and roll < 0.45:
            roll = 0.6
        if roll < 0.25 and value.shape == self.x.shape and isinstance(self.x, np.ndarray):
            return self.subject
        if roll < 0.45:
            found = self.known(lambda a: a.shape == value.shape and isinstance(a, np.ndarray))
            if found:
                return found
        if roll < 0.5:
            return self.pick(("None", "(None,)", "3", "[1]"))
        shape = value.shape
        if self.chance(self.wrong):
            shape = self.shape()
        # A result that is only nearly the same is compared in units of its own type.
        name = value.dtype.name if nearly or not self.chance(0.3) else self.dtype_name("biuf")
        return self.adopt("np.%s(%s, dtype='%s')" % (self.pick(("zeros", "ones")), shape_text(shape), name))

    def operator(self):
        if self.chance(0.15):
            sign, kind = self.pick((("-", "n"), ("+", "n"), ("~", "a"), ("not ", "a"), ("-", "a")))
            return Step("unary " + sign, self.render("%s{%s}" % (sign, kind)), warned=True, keep=True)
        sign = self.pick(ARITHMETIC if self.chance(0.75) else COMPARISONS)
        bits = sign in "&|^<<>>"
        template = "{%s} %s {b}" % (("i" if self.chance(0.8) else "a") if bits else "a", sign)
        if self.chance(0.2):
            template = "%s %s {a}" % (self.scalar("bi" if bits else "bif"), sign)
        text = self.render(template)
        return Step("operator " + sign, text, self.ulp_of(BY_NAME[OPERATORS[sign]]), warned=True, keep=True)

    def augmented(self):
        sign = self.pick(ARITHMETIC)
        kind = "i" if sign in "&|^<<>>" and self.chance(0.8) else "a"
        place = self.pick(("", "", "[{index}]", "[{slices}]"))
        text = self.render("{%s}%s %s= {b}" % (kind, place, sign))
        return Step("augmented %s=" % sign, text, self.ulp_of(BY_NAME[OPERATORS[sign]]),
                    target=self.subject, warned=not place)

    def view(self):
        template, _ = self.pick(rows(VIEWS))
        return Step(label_of(template), self.render(template), keep=True)

    def reading(self):
        return Step("index", self.render("{a}[{index}]"), keep=True)

    def writing(self):
        text = self.render("{a}[{index}]")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                shape = np.shape(eval(text, dict(self.space)))
        except Rejected:
            raise
        except Exception:
            shape = ()
        if self.chance(0.4):
            value = self.scalar()
        elif self.chance(1 - self.wrong):
            value = self.new_array("biuf", self.partner_shape(shape))
        else:
            value = self.one(lambda a: True)
        return Step("index =", "%s = %s" % (text, value), target=self.subject)

    def reduction(self):
        name, extra, exact = self.pick(REDUCTIONS)
        method = self.chance(0.4)
        kind = "e" if name in ("sum", "cumsum") and self.chance(0.4) else "a" if self.chance(0.3) else "o"
        if name in ("mean", "var", "std", "prod", "cumprod"):
            kind = "t" if self.chance(0.85) else "n"
        self.subject = None
        subject = getattr(self, "t_" + kind)()
        keywords = []
        if self.chance(0.75):
            cumulative = name.startswith(("cum", "arg"))
            keywords.append("axis=%s" % (self.t_axis() if cumulative else self.t_axes()))
        if extra == "dtype" and self.chance(0.25):
            keywords.append("dtype=%s" % self.t_dtype())
        if extra == "ddof" and self.chance(0.4):
            keywords.append("ddof=%d" % self.number(0, 2))
        if not name.startswith("cum") and self.chance(0.3):
            keywords.append("keepdims=%s" % self.t_flag())
        if self.chance(0.2 * self.wrong):
            keywords.append(self.pick(("foo=1", "axis=0", "keepdim=True", "out=3", "dtype='nosuch'")))
        keywords = list({k.split("=")[0]: k for k in keywords}.values())
        call = "%s.%s(%s" % (subject, name, ", ".join(keywords)) if method else "np.%s(%s" % (
            name, ", ".join([subject] + keywords))
        if self.chance(0.12) and "out=3" not in keywords:
            call += "%sout=%s" % ("" if call.endswith("(") else ", ", self.out_for(
                call + ")", exact is not None))
        if sums_to_the_bit(self.x) and name in ("sum", "cumsum"):
            exact = None
        return Step(name, call + ")", exact, warned=name not in ("mean", "var", "std"))

    def ufunc_method(self):
        op = self.pick([o for o in OPS if o.arity == 2])
        method = self.pick(("reduce", "accumulate", "outer", "at", "reduceat"))
        kind = "e" if op.name in ("add", "multiply") else "o" if op.name in OF_EQUALS else "n"
        if method == "outer":
            text = self.render("np.%s.outer({%s}, {c})" % (op.name, kind))
        elif method == "at" and op.rule not in ("SAME", "BITS"):
            raise Rejected  # casts there may end NumPy's process
        elif method == "at":
            text = self.render("np.%s.at({%s}, {ints}" % (op.name, kind))
            text += ", np.array(%s, dtype='%s'))" % (
                self.element(self.x.dtype.name, "tame"), self.x.dtype.name)
            return Step("ufunc.at", text, self.ulp_of(op), target=self.subject, warned=True)
        elif method == "reduceat":
            text = self.render("np.%s.reduceat({%s}, {ints}<, axis={axis}><, dtype={dtype}>)" % (
                op.name, kind))
        elif method == "accumulate":
            text = self.render("np.%s.accumulate({%s}<, axis={axis}><, dtype={dtype}>)" % (op.name, kind))
        else:
            text = self.render("np.%s.reduce({%s}<, axis={axes}><, dtype={dtype}><, keepdims={flag}>"
                               "<, initial={scalar}>)" % (op.name, kind))
        exact = ("sum", 64) if op.name == "add" else 128 if op.name == "multiply" else None
        if op.tolerance or op.name in ("divide", "subtract", "fmod"):
            exact = 256
        return Step("%s.%s" % (op.name, method), text, exact, warned=True)

    def from_catalogue(self):
        template, exact = self.pick(CATALOGUE)
        if "{matrix_function}" in template:
            name = self.pick(MATRIX_FUNCTIONS)
            text = "np.shape(np.linalg.%s(%s)%s)" % (
                name, self.matrix(), "[0]" if name in ("qr", "svd", "eigh", "eig", "slogdet") else "")
            return Step("np.linalg." + name, text)
        text = self.render(template)
        if template.startswith("np.clip(") and template.split("out=")[-1] == "":
            raise Rejected
        target = self.subject if any(word in template for word in MUTATING) else None
        return Step(label_of(template), text, exact, target=target)

    def matrix(self):
        self.subject = None
        return self.t_square()

    def t_out(self):
        return self.known(lambda a: a.shape == self.x.shape) or self.subject

    def overlapping(self):
        template, _ = self.pick(rows(OVERLAPPING))
        text = self.render(template)
        exact = ("sum", 64) if "cumsum" in text or "accumulate" in text else None
        # Where operands overlap, it depends on NumPy's loop whether complex products are fused.
        if ("*=" in text or "multiply" in text) and self.space[self.subject].dtype.kind == "c":
            exact = exact or NUMPY_ULP
        return Step("overlap " + label_of(template), text, exact, target=self.subject)

    def printing(self):
        template, _ = self.pick(rows(PRINTING))
        return Step("print", self.render(template), printed=True)

    def step(self):
        kinds = [(26, self.op_call), (14, self.operator), (9, self.augmented), (12, self.view),
                 (8, self.reading), (9, self.writing), (13, self.reduction), (28, self.from_catalogue),
                 (5, self.overlapping), (4, self.printing)]
        if UFUNC_METHODS:
            kinds.append((9, self.ufunc_method))
        made = self.weighted(kinds)()
        if made.target and not isinstance(self.space.get(made.target), np.ndarray):
            raise Rejected
        self.do(made)

    def program(self):
        """Its text."""
        self.wrong = self.pick((0.0, 0.05, 0.1, 0.3))
        signal.signal(signal.SIGALRM, too_long)
        for _ in range(self.number(1, 3)):
            self.new_array()
        wanted = self.number(5, 12)
        with np.errstate(all="ignore"):
            for _ in range(4 * wanted):
                if self.steps >= wanted:
                    break
                try:
                    self.step()
                except Rejected:
                    pass
        return HEAD + "\n".join(self.lines) + "\n"


def inexact_type(value):
    if isinstance(value, (tuple, list)):
        return any(map(inexact_type, value))
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "fc"
    return isinstance(value, (float, complex))


def sums_to_the_bit(array):
    return array.dtype.kind in "biu"


def label_of(template):
    """The function or form that a template is about."""
    if template.startswith("np."):
        return template.split("(")[0].split("{")[0]
    tail = template.split("}", 1)[-1]
    return "method " + tail.split("(")[0].split("{")[0].strip() if tail.startswith(".") else template


CATALOGUE = rows(EXACT) * 2 + list(INEXACT)


def make_program(seed, number):
    """The text of program `number` of the run with `seed`."""
    return ArrayProgram(random.Random("arrays/%s/%s" % (seed, number))).program()


if __name__ == "__main__":
    import sys

    print(make_program(sys.argv[1], int(sys.argv[2])))
