# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Function definitions: plain ones with random bodies, and closures, decorators, recursion and
generators in many variants."""

from contextlib import contextmanager

from failures import Failures
from scope import Frame, Function, Param, paren


class Functions(Failures):
    """A part of the generator."""

    @contextmanager
    def function_frame(self, kind="function"):
        self.frames.append(Frame(kind))
        own, self.own_names = self.own_names, 0
        yield self.frame
        self.own_names = own
        self.frames.pop()

    # --- plain functions ---

    def parameters(self):
        """(list of Param, varargs type or None, kwargs type or None)."""
        params, default = [], False
        for _ in range(self.number(0, 3)):
            default = default or self.chance(0.3)
            params.append(
                Param(
                    self.fresh("a"),
                    self.pick(
                        ("int", "int", "str", "float", ("list", "int"), ("dict", "str", "int"))
                    ),
                    default,
                )
            )
        varargs = "int" if self.chance(0.2) else None
        if self.chance(0.2):
            for _ in range(self.number(1, 2)):
                params.append(
                    Param(self.fresh("a"), self.pick(("int", "str")), self.chance(0.6), "keyword")
                )
        if params and params[0].kind == "normal" and self.chance(0.08):
            params[0].kind = "positional"
        return params, varargs, "int" if self.chance(0.15) else None

    def signature(self, params, varargs, kwargs):
        parts = []
        for p in params:
            if p.kind == "keyword" and not any(part.startswith("*") for part in parts):
                parts.append("*args" if varargs else "*")
            note = ": %s" % self.pick(("int", "'note'", "list")) if self.chance(0.05) else ""
            value = "=" + paren(self.leaf(p.type), 1) if p.default else ""
            parts.append(p.name + note + value)
            if p.kind == "positional":
                parts.append("/")
        if varargs and "*args" not in parts:
            parts.append("*args")
        if kwargs:
            parts.append("**kw")
        return ", ".join(parts)

    def function(self):
        params, varargs, kwargs = self.parameters()
        returns = self.plain_type(1)
        function = Function(self.fresh("f"), params, returns)
        function.varargs, function.kwargs = varargs, kwargs
        signature = self.signature(params, varargs, kwargs)
        note = " -> %s" % self.pick(("int", "'result'", "None")) if self.chance(0.05) else ""
        start = len(self.out.lines)
        with self.out.block("def %s(%s)%s:" % (function.name, signature, note)):
            if self.chance(0.1):
                self.out.line("'''%s'''" % self.pick(("What it does.", "A note.")))
            with self.function_frame() as frame:
                frame.returns = returns
                for p in params:
                    frame.names[p.name] = p.type
                if varargs:
                    frame.names["list(args)"] = ("list", varargs)
                    frame.names["args[0]" if self.chance(0.1) else "len(args)"] = "int"
                if kwargs:
                    frame.names["len(kw)"] = "int"
                    frame.names["kw"] = ("dict", "str", kwargs)
                self.function_body(returns)
        body = "\n".join(self.out.lines[start:])
        function.costly = "for " in body or "while " in body
        if len(self.frames) == 1:
            self.functions.append(function)
        if self.frame.kind != "class":
            self.use(function)
        return function

    def function_body(self, returns):
        if self.chance(0.2) and self.frames[-2].kind == "module":
            self.touch_global()
        for _ in range(self.number(0, 3)):
            self.statement()
            if self.chance(0.15):
                with self.out.block("if %s:" % self.text("bool", 2)):
                    self.out.line("return %s" % self.text(returns, 2))
        if self.chance(0.06):
            self.failing()
        self.out.line("return %s" % self.text(returns, 3))

    def touch_global(self):
        names = [
            n
            for n, t in self.frames[0].names.items()
            if t == "int" and n.isidentifier() and n not in self.frames[0].fixed
        ]
        if not names:
            return
        name = self.pick(names)
        self.out.line("global %s" % name)
        self.out.line(
            "%s = (%s %s %d) %% 10007" % (name, name, self.pick("+-*^"), self.number(1, 9))
        )

    def use(self, function):
        if self.chance(0.8):
            calls = [self.call_text(function, 1) for _ in range(self.number(1, 2))]
            self.out.line("print(%s)" % ", ".join(calls))
        if self.chance(0.15):
            before, self.wrong = self.wrong, 0.3
            with self.out.block("try:"):
                self.out.line("print(%s)" % self.call_text(function, 1))
            self.wrong = before
            self.handler("TypeError" if self.chance(0.5) else "Exception")
            if "Exception" not in self.out.lines[-2]:
                self.handler("Exception")

    # --- closures ---

    def closure(self):
        self.pick(
            (
                self.counter_closure,
                self.adder_closures,
                self.getter_setter,
                self.deep_closure,
                self.deleted_cell,
                self.memo_closure,
            )
        )()

    def counter_closure(self):
        name = self.fresh("counter")
        op = self.pick(("+=", "-=", "*=", "^="))
        with self.out.block("def %s(n, step=%d):" % (name, self.number(1, 4))):
            with self.out.block("def tick(by=%s):" % self.pick(("1", "step", "n", "None"))):
                self.out.line("nonlocal n")
                self.out.line("n %s by" % op)
                self.out.line("return n%s" % self.pick(("", " * step", ", step", " % 1000")))
            self.out.line("return tick")
        a, b = self.fresh("t"), self.fresh("t")
        self.out.line(
            "%s, %s = %s(%s), %s(%d, step=%d)"
            % (a, b, name, self.text("int", 1), name, self.number(0, 9), self.number(1, 5))
        )
        with self.out.block("try:"):
            self.out.line("print(%s(), %s(), %s(%d), %s())" % (a, a, a, self.number(1, 5), b))
        self.handler("Exception")

    def adder_closures(self):
        fs = self.fresh("fs")
        body = self.pick(("x + k", "x * k - 1", "(x, k)", "[k] * 2", "f'{x}{k}'", "x if k else -x"))
        form = self.pick(("late", "early", "def", "made"))
        if form == "late":
            self.out.line("%s = [lambda x: %s for k in range(%d)]" % (fs, body, self.number(1, 4)))
        elif form == "early":
            self.out.line(
                "%s = [lambda x, k=k: %s for k in range(%d)]" % (fs, body, self.number(1, 4))
            )
        elif form == "def":
            self.out.line("%s = []" % fs)
            with self.out.block("for k in range(%d):" % self.number(1, 4)):
                with self.out.block("def g(x%s):" % self.pick(("", ", k=k"))):
                    self.out.line("return " + body)
                self.out.line("%s.append(g)" % fs)
        else:
            make = self.fresh("make")
            with self.out.block("def %s(k):" % make):
                self.out.line("return lambda x: " + body)
            self.out.line("%s = [%s(k) for k in range(%d)]" % (fs, make, self.number(1, 4)))
        self.out.line("print([f(%d) for f in %s])" % (self.number(0, 9), fs))

    def getter_setter(self):
        name = self.fresh("pair")
        with self.out.block("def %s(v=%s):" % (name, paren(self.leaf("int"), 1))):
            with self.out.block("def get():"):
                self.out.line("return v")
            with self.out.block("def put(x):"):
                self.out.line("nonlocal v")
                self.out.line("v = %s" % self.pick(("x", "x, v", "[v, x]", "v + x")))
            self.out.line("return get, put")
        g, p = self.fresh("g"), self.fresh("p")
        self.out.line("%s, %s = %s()" % (g, p, name))
        self.out.line("print(%s())" % g)
        self.out.line("%s(%s)" % (p, self.text("int", 1)))
        self.out.line("print(%s(), %s(5), %s())" % (g, p, g))

    def deep_closure(self):
        name = self.fresh("deep")
        with self.out.block("def %s(a):" % name):
            with self.out.block("def two(b):"):
                self.out.line("c = a %s b" % self.pick("+-*"))
                with self.out.block("def three(d=%s):" % self.pick(("a", "c", "b", "1"))):
                    if self.chance(0.5):
                        self.out.line("nonlocal %s" % self.pick(("c", "a", "b, c")))
                        self.out.line("c = %s" % self.pick(("d", "a + 1", "b * 2")))
                    self.out.line(
                        "return a, b, %s, [a for a in range(b)]"
                        % self.pick(("d", "d + a", "(lambda: a + d)()"))
                    )
                self.out.line("return three() + (c, three.__name__)")
            self.out.line("return two(a + %d), a" % self.number(-1, 2))
        with self.out.block("try:"):
            self.out.line("print(%s(%d))" % (name, self.number(0, 4)))
        self.handler("Exception")

    def deleted_cell(self):
        name = self.fresh("cell")
        with self.out.block("def %s(x):" % name):
            with self.out.block("def inner():"):
                if self.chance(0.5):
                    self.out.line("nonlocal x")
                    self.out.line("del x")
                else:
                    self.out.line("return x")
            with self.out.block("try:"):
                self.out.line("inner()")
                self.out.line(self.pick(("del x", "x = 5", "inner()", "x += 1")))
                self.out.line("return inner(), x")
            with self.out.block("except NameError as e:"):
                self.out.line("return 'caught', type(e).__name__, str(e)")
        self.out.line("print(%s(%d))" % (name, self.number(0, 5)))

    def memo_closure(self):
        name = self.fresh("memo")
        with self.out.block("def %s(f):" % name):
            self.out.line("seen = {}")
            with self.out.block("def wrapped(*key, **kw):"):
                with self.out.block("if key not in seen:"):
                    self.out.line("seen[key] = f(*key, **kw)")
                pairs = self.chance(0.3)
                self.out.line("return seen[key]%s" % (", len(seen)" if pairs else ""))
            self.out.line("return wrapped")
        with self.out.block("def fib(n):"):
            self.out.line("return n if n < 2 else fib(n - 1) + fib(n - 2)")
        self.out.line("fib = %s(fib)" % name)
        with self.out.block("try:"):
            # Tuples are joined where numbers would be added: twice as long with each step.
            self.out.line("print(fib(%d))" % self.number(3, 12 if pairs else 40))
        self.handler("Exception")

    # --- decorators ---

    def decorated(self):
        deco, f = self.fresh("deco"), self.fresh("f")
        with_arguments = self.chance(0.4)
        header = "def %s(f):" % deco
        if with_arguments:
            self.out.line("def %s(n=%d):" % (deco, self.number(1, 3)))
            self.out.level += 1
            header = "def outer(f):"
        with self.out.block(header):
            with self.out.block("def wrapped(*args, **kw):"):
                body = self.pick(
                    (
                        "return [f(*args, **kw)]",
                        "return f(*args, **kw), len(args), sorted(kw)",
                        "print('call', args, kw)\nreturn f(*args, **kw)",
                        "try:\n    return f(*args, **kw)\n"
                        "except Exception as e:\n    return 'caught', type(e).__name__, str(e)",
                        "return f(*args[::-1], **kw)",
                    )
                )
                if with_arguments and self.chance(0.6):
                    body = "return [f(*args, **kw) for _ in range(n)]"
                for text in body.split("\n"):
                    self.out.line(text)
            if self.chance(0.3):
                self.out.line("wrapped.__name__ = f.__name__ + '_w'")
            self.out.line("return %s" % self.pick(("wrapped", "wrapped", "wrapped", "f")))
        if with_arguments:
            self.out.line("return outer")
            self.out.level -= 1
        use = deco + ("(%s)" % self.pick(("", "2", "n=3", "0")) if with_arguments else "")
        for _ in range(self.weighted([(5, 1), (1, 2)])):
            self.out.line("@" + use)
        with self.out.block("def %s(a, b=%d):" % (f, self.number(0, 5))):
            self.out.line(
                "return %s"
                % self.pick(("a + b", "a, b", "a * b", "[a] * b", "f'{a}-{b}'", "a / b"))
            )
        with self.out.block("try:"):
            self.out.line(
                "print(%s(%s), %s(%s, b=%d), %s.__name__)"
                % (f, self.text("int", 1), f, self.text("int", 1), self.number(0, 4), f)
            )
        self.handler("Exception")

    # --- recursion ---

    def recursion(self):
        f = self.fresh("rec")
        base = self.pick(("0", "1", "[]", "''", "()"))
        step = {
            "0": ("n + {r}", "n * 2 - {r}", "{r} + {r2}"),
            "1": ("n * {r}", "n - {r}"),
            "[]": ("{r} + [n]", "[n, *{r}]", "[{r}]"),
            "''": ("{r} + str(n)", "'(' + {r} + ')'"),
            "()": ("(n,) + {r}", "({r},)"),
        }[base]
        text = self.pick(step).format(r="%s(n - 1)" % f, r2="%s(n - 2)" % f)
        if self.chance(0.5):
            with self.out.block("def %s(n):" % f):
                self.out.line("if n <= 0: return %s" % base)
                self.out.line("return " + text)
        else:
            self.out.line("%s = lambda n: %s if n <= 0 else %s" % (f, base, text))
        self.out.line("print(%s(%d))" % (f, self.number(0, 9)))
        if self.chance(0.06):
            with self.out.block("def %s_endless(n):" % f):
                self.out.line("return %s_endless(n + 1)" % f)
            with self.out.block("try:"):
                self.out.line("%s_endless(0)" % f)
            with self.out.block("except RecursionError as e:"):
                self.out.line("print('caught', type(e).__name__)")

    # --- generators ---

    def generator(self):
        self.pick(
            (
                self.generator_function,
                self.generator_function,
                self.send_generator,
                self.throw_generator,
                self.close_generator,
                self.delegating,
                self.generator_chain,
            )
        )()

    def generator_function(self):
        """CPython runs the `finally` of a generator that is left half-way, Nacre does not. So it
        prints nothing, but notes in a log, which is shown of generators that came to their end."""
        name, outer, self.log = self.fresh("gen"), self.log, self.fresh("log")
        self.out.line("%s = []" % self.log)
        with self.out.block("def %s(n, m=%d):" % (name, self.number(1, 3))):
            with self.function_frame() as frame:
                frame.names.update(n="int", m="int")
                frame.fixed.update("nm")
                for _ in range(self.number(1, 3)):
                    self.yield_statement()
                if self.chance(0.3):
                    self.out.line("return %s" % self.text("int", 1))
        calls = [
            "%s(%d)" % (name, self.number(0, 4)),
            "%s(%d, m=%d)" % (name, self.number(0, 3), self.number(0, 3)),
        ]
        for call in calls[: self.number(1, 2)]:
            self.out.line("%s.clear()" % self.log)
            self.consume(call, self.log)
        self.log = outer

    def yield_statement(self):
        kind = self.pick(("plain", "loop", "loop", "if", "from", "try", "while", "statement"))
        value = self.show_text(
            self.pick(("int", "int", "str", ("tuple", "int", "str"), ("list", "int"))), 2
        )
        if kind == "plain":
            self.out.line("yield %s" % value if self.chance(0.9) else "yield")
        elif kind == "loop":
            i = self.fresh("i")
            with self.out.block("for %s in range(n):" % i):
                self.frame.loops += 1
                before = dict(self.frame.names)
                self.frame.names[i] = "int"
                self.frame.fixed.add(i)
                if self.chance(0.4):
                    self.statement()
                self.out.line("yield %s" % self.text(self.pick(("int", "str")), 2))
                self.exits()
                self.frame.names = before
                self.frame.loops -= 1
        elif kind == "if":
            with self.out.block("if %s:" % self.text("bool", 2)):
                self.out.line("yield %s" % value)
                if self.chance(0.2):
                    self.out.line("return")
        elif kind == "from":
            self.out.line(
                "yield from %s"
                % self.atom(self.pick((("list", "int"), "str", ("tuple", "int", "int"))), 2)
            )
        elif kind == "try":
            with self.out.block("try:"):
                self.out.line("yield %s" % value)
                if self.chance(0.3):
                    self.failing()
            if self.chance(0.6):
                with self.out.block("except Exception as e:"):
                    self.out.line("yield 'caught', type(e).__name__, str(e)")
            else:
                with self.out.block("finally:"):
                    self.out.line("%s.append('finally')" % self.log)
        elif kind == "while":
            i = self.fresh("n")
            self.out.line("%s = 0" % i)
            with self.out.block("while %s < m:" % i):
                self.out.line("%s += 1" % i)
                self.out.line("yield %s * m" % i)
        else:
            self.statement()

    def consume(self, call, log="''"):
        it = self.fresh("it")
        kind = self.pick(("list", "list", "for", "next", "star", "any", "zip", "unpack"))
        with self.out.block("try:"):
            if kind == "list":
                self.out.line("print(list(%s), %s)" % (call, log))
            elif kind == "for":
                with self.out.block("for v, x in enumerate(%s):" % call):
                    self.out.line("print(v, x)")
                    if self.chance(0.4):
                        self.out.line("if v == %d: break" % self.number(0, 2))
            elif kind == "next":
                self.out.line("%s = %s" % (it, call))
                self.out.line("print(next(%s), next(%s, 'end'))" % (it, it))
                self.out.line("print(list(%s), next(%s, None), %s)" % (it, it, log))
            elif kind == "star":
                self.out.line("print(*%s, %s, sep='|')" % (call, log))
            elif kind == "any":
                self.out.line(
                    "print(%s(%s))"
                    % (
                        self.pick(
                            ("any", "all", "tuple", "sum", "max", "', '.join", "len", "sorted")
                        ),
                        call,
                    )
                    if self.chance(0.8)
                    else "print(3 in %s)" % call
                )
            elif kind == "zip":
                self.out.line("print(list(zip(%s, range(9))), dict(enumerate(%s)))" % (call, call))
            else:
                self.out.line("%s, *%s_rest = %s" % (it, it, call))
                self.out.line("print(%s, %s_rest, %s)" % (it, it, log))
        self.handler("Exception")

    def send_generator(self):
        name, g = self.fresh("gen"), self.fresh("g")
        with self.out.block("def %s(total=%d):" % (name, self.number(0, 5))):
            with self.out.block("while True:"):
                self.out.line(
                    "got = yield %s" % self.pick(("total", "(total, 'so far')", "total * 2"))
                )
                with self.out.block("if got is None:"):
                    self.out.line(self.pick(("return total", "break", "raise ValueError('none')")))
                self.out.line("total %s got" % self.pick(("+=", "-=", "*=", "^=")))
        self.out.line("%s = %s(%s)" % (g, name, self.text("int", 1)))
        with self.out.block("try:"):
            if self.chance(0.1):
                self.out.line("%s.send(3)" % g)
            self.out.line(
                "print(next(%s), %s.send(%d), %s.send(%s))"
                % (g, g, self.number(0, 9), g, self.text("int", 1))
            )
            self.out.line("%s.send(None)" % g)
        with self.out.block("except StopIteration as e:"):
            self.out.line("print('caught stop', e.value)")
        self.handler("Exception")

    def throw_generator(self):
        name, g = self.fresh("gen"), self.fresh("g")
        with self.out.block("def %s():" % name):
            with self.out.block("while True:"):
                with self.out.block("try:"):
                    self.out.line("got = yield 'waiting'")
                    self.out.line("print('got', got)")
                with self.out.block(
                    "except %s as e:"
                    % self.pick(("ValueError", "(ValueError, KeyError)", "Exception"))
                ):
                    self.out.line("print('inside', repr(e))")
                    self.out.line(
                        self.pick(
                            (
                                "yield 'recovered'",
                                "return 'gone'",
                                "raise RuntimeError('new')",
                                "raise",
                                "continue",
                                "pass",
                            )
                        )
                    )
                if self.chance(0.4):
                    with self.out.block("finally:"):
                        self.out.line("print('finally')")
        self.out.line("%s = %s()" % (g, name))
        with self.out.block("try:"):
            if self.chance(0.85):
                self.out.line("print(next(%s))" % g)
            self.out.line(
                "print(%s.throw(%s))"
                % (
                    g,
                    self.pick(
                        ("ValueError('thrown')", "KeyError('k')", "ValueError", "IndexError('out')")
                    ),
                )
            )
            # Nothing but the generator itself may fail before it is closed.
            self.out.line("print(%s.send(%d))" % (g, self.number(0, 9)))
            self.out.line("%s.close()" % g)
        with self.out.block("except StopIteration as e:"):
            self.out.line("print('caught stop', e.value)")
        self.handler("Exception")

    def close_generator(self):
        name, g, last = self.fresh("gen"), self.fresh("g"), None
        with self.out.block("def %s():" % name):
            with self.out.block("try:"):
                self.out.line("yield 1")
                self.out.line("yield 2")
            if self.chance(0.5):
                with self.out.block("except GeneratorExit:"):
                    self.out.line("print('exit')")
                    last = self.pick(
                        ("raise", "return", "yield 3", "pass", "raise ValueError('in exit')")
                    )
                    self.out.line(last)
            with self.out.block("finally:"):
                self.out.line("pass" if last == "yield 3" else "print('closing')")
        self.out.line("%s = %s()" % (g, name))
        with self.out.block("try:"):
            for _ in range(self.number(0, 3)):
                self.out.line("print(next(%s, 'none'))" % g)
            self.out.line("print(%s.close(), list(%s))" % (g, g))
        self.handler("Exception")

    def delegating(self):
        inner, outer = self.fresh("inner"), self.fresh("outer")
        with self.out.block("def %s(n):" % inner):
            with self.out.block("for i in range(n):"):
                self.out.line("got = yield i")
                self.out.line("if got: print('inner got', got)")
                if self.chance(0.2):
                    self.out.line("if i == 1: raise KeyError('inner')")
            self.out.line("return %s" % self.pick(("n * 10", "'result'", "None", "[n]")))
        with self.out.block("def %s(n):" % outer):
            with self.out.block("try:"):
                self.out.line("r = yield from %s(n)" % inner)
                self.out.line("print('returned', r)")
                self.out.line(
                    "yield from %s"
                    % self.pick(
                        ("'ab'", "[r, r]", "range(2)", "%s(1)" % inner, "(q for q in (7, 8))")
                    )
                )
            with self.out.block(
                "except %s as e:" % self.pick(("KeyError", "ValueError", "Exception"))
            ):
                self.out.line("yield 'outer', repr(e)")
        self.consume("%s(%d)" % (outer, self.number(0, 3)))
        g = self.fresh("g")
        self.out.line("%s = %s(%d)" % (g, outer, self.number(1, 3)))
        with self.out.block("try:"):
            self.out.line("print(next(%s), %s.send('hi'))" % (g, g))
            self.out.line(
                self.pick(
                    (
                        "print(%s.throw(ValueError('thrown')))" % g,
                        "%s.close()" % g,
                        "print(list(%s))" % g,
                    )
                )
            )
        self.handler("Exception")

    def generator_chain(self):
        a, b = self.fresh("s"), self.fresh("s")
        self.out.line("%s = (%s)" % (a, self.generator_expression("int", 2)))
        self.out.line(
            "%s = (x %s %d for x in %s if x %% %d)"
            % (b, self.pick("+-*"), self.number(1, 5), a, self.number(2, 3))
        )
        with self.out.block("try:"):
            self.out.line("print(next(%s, 'none'), list(%s), list(%s))" % (b, b, a))
        self.handler("Exception")
