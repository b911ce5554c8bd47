#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What jupyter_kernel_test does not look at: interrupts, shutdown, restart, input, signatures, much output, what is
displayed and updated, aborted cells, magic words, a parent that has gone.

usage: kernel_test.py NACRE
"""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import client
from client import Kernel, of_type, text_of, wait_for_end

import zmq

SOON = 30  # seconds within which what is asked for has to happen, on a machine that is busy


class Shared(unittest.TestCase):
    """Tests that share a kernel."""

    @classmethod
    def setUpClass(cls):
        cls.kernel = Kernel()

    @classmethod
    def tearDownClass(cls):
        cls.kernel.__exit__()

    def run_cell(self, code, **options):
        return self.kernel.run(code, **options)

    def fails(self, code, name, **options):
        reply, messages = self.run_cell(code, **options)
        self.assertEqual((reply["status"], reply.get("ename")), ("error", name))
        return reply, messages


class Cells(Shared):
    def test_only_the_last_expression_is_shown(self):
        reply, messages = self.run_cell("1\n2\n3")
        self.assertEqual([m["data"] for m in of_type(messages, "execute_result")], [{"text/plain": "3"}])
        for code in "4;", "x = 4", "None", "if True:\n    5", "def f():\n    6\n":
            self.assertEqual(of_type(self.run_cell(code)[1], "execute_result"), [], code)

    def test_underscore(self):
        self.run_cell("6 * 7")
        self.assertEqual(self.kernel.value("_ + 1"), "43")

    def test_functions_see_cells_run_later(self):
        self.run_cell("def area(): return width * 2")
        self.run_cell("width = 21")
        self.assertEqual(self.kernel.value("area()"), "42")

    def test_syntax_error(self):
        reply, _ = self.fails("x = (1,\ny = 2", "SyntaxError")
        self.assertIn("In[", "\n".join(reply["traceback"]))
        self.assertEqual(self.kernel.value("1 + 1"), "2")

    def test_error(self):
        reply, messages = self.fails("def f(a):\n    return 1 / a\nf(0)", "ZeroDivisionError")
        self.assertEqual(reply["evalue"], "division by zero")
        text = "\n".join(reply["traceback"])
        self.assertIn("line 2, in f", text)
        self.assertIn("\x1b[", text)
        self.assertEqual(of_type(messages, "error")[0]["traceback"], reply["traceback"])

    def test_recursion(self):
        self.fails("def f(): return f()\nf()", "RecursionError")
        self.assertEqual(self.kernel.value("2 + 2"), "4")

    def test_memory(self):
        self.fails("import numpy as np\nx = np.ones((1 << 40,))\nx[0] = 2", "MemoryError")
        self.assertEqual(self.kernel.value("3 + 3"), "6")

    def test_a_cell_that_ends_itself(self):
        for code in "exit()", "quit()", "import sys\nsys.exit(3)":
            self.fails(code, "SystemExit")
        self.assertEqual(self.kernel.value("4 + 4"), "8")

    def test_silent(self):
        before = self.run_cell("1")[0]["execution_count"]
        reply, messages = self.run_cell("print('unseen')\n5", silent=True)
        self.assertEqual({m["msg_type"] for m in messages}, {"status"})
        self.assertEqual(reply["execution_count"], before)

    def test_count_without_history(self):
        before = self.run_cell("1")[0]["execution_count"]
        self.assertEqual(self.run_cell("1", store_history=False)[0]["execution_count"], before)
        self.assertEqual(self.run_cell("1")[0]["execution_count"], before + 1)

    def test_user_expressions(self):
        reply, _ = self.run_cell("n = 5", user_expressions={"a": "n * 2", "b": "nothing_here"})
        self.assertEqual(reply["user_expressions"]["a"]["data"]["text/plain"], "10")
        self.assertEqual(reply["user_expressions"]["b"]["ename"], "NameError")

    def test_cells_behind_an_error_are_not_run(self):
        first = self.kernel.client.execute("import time\ntime.sleep(0.5)\n1 / 0")
        second = self.kernel.client.execute("never = True")
        third = self.kernel.client.execute("never = True", stop_on_error=False)
        self.assertEqual(self.kernel.reply_to(first)["content"]["status"], "error")
        self.assertEqual(self.kernel.reply_to(second)["content"]["status"], "aborted")
        self.assertEqual(self.kernel.reply_to(third)["content"]["status"], "aborted")
        self.fails("never", "NameError")

    def test_an_error_that_stops_nothing(self):
        first = self.kernel.client.execute("import time\ntime.sleep(0.3)\n1 / 0", stop_on_error=False)
        second = self.kernel.client.execute("later = True")
        self.assertEqual(self.kernel.reply_to(first)["content"]["status"], "error")
        self.assertEqual(self.kernel.reply_to(second)["content"]["status"], "ok")

    def test_stderr_and_bytes_that_are_no_text(self):
        self.assertEqual(self.kernel.text("import sys\nprint('e', file=sys.stderr)", "stderr"), "e\n")
        self.assertEqual(self.kernel.text("print('größer – ∑ 🐚')"), "größer – ∑ 🐚\n")

    def test_printed_while_the_cell_runs(self):
        request = self.kernel.client.execute("import time\nprint('now')\ntime.sleep(600)")
        start = time.monotonic()
        self.kernel.wait_busy(request)
        self.assertLess(time.monotonic() - start, SOON)
        self.kernel.manager.interrupt_kernel()
        self.kernel.reply_to(request)


class Display(Shared):
    def shown(self, code, kind="display_data"):
        reply, messages = self.run_cell("from IPython.display import *\n" + code)
        self.assertEqual(reply["status"], "ok", reply)
        return of_type(messages, kind)

    def test_arrays(self):
        data = self.shown("import numpy as np\nnp.arange(12.).reshape(3, 4)", "execute_result")[0]["data"]
        self.assertTrue(data["text/plain"].startswith("array([["))
        self.assertIn("<table>", data["text/html"])
        self.assertIn("float64 · 3 × 4 · 96 B", data["text/html"])
        data = self.shown("np.arange(10**6).reshape(1000, 1000)", "execute_result")[0]["data"]
        self.assertLess(len(data["text/html"]), 20000)
        self.assertIn("data:image/png;base64,", data["text/html"])
        for code in "np.zeros(())", "np.zeros((0, 3))", "np.zeros((2, 2, 2))":
            self.assertEqual(set(self.shown(code, "execute_result")[0]["data"]), {"text/plain"}, code)

    def test_forms_of_a_class(self):
        made = self.shown("class C:\n"
                          "    def _repr_html_(self): return '<b>c</b>'\n"
                          "    def _repr_png_(self): return b'\\x89PNG'\n"
                          "    def _repr_svg_(self): return '<svg/>'\n"
                          "    def _repr_latex_(self): return None\n"
                          "    def _repr_json_(self): return {'a': [1, 2]}\n"
                          "display(C())")[0]["data"]
        self.assertEqual(made["text/html"], "<b>c</b>")
        self.assertEqual(made["image/png"], "iVBORw==")
        self.assertEqual(made["image/svg+xml"], "<svg/>")
        self.assertEqual(made["application/json"], {"a": [1, 2]})
        self.assertNotIn("text/latex", made)

    def test_a_class_that_shows_itself(self):
        shown = self.shown("class D:\n    def _ipython_display_(self): display(HTML('<i>d</i>'))\nD()")
        self.assertEqual(shown[0]["data"]["text/html"], "<i>d</i>")

    def test_errors_in_forms(self):
        self.fails("class E:\n    def _repr_html_(self): return 1 / 0\nE()", "ZeroDivisionError")

    def test_update(self):
        handle = self.shown("handle = display('first', display_id=True)")[0]["transient"]["display_id"]
        self.assertEqual(self.shown("handle.update('second')", "update_display_data")[0],
                         {"data": {"text/plain": "'second'"}, "metadata": {}, "transient": {"display_id": handle}})
        self.assertEqual(self.shown("display(1, display_id='own')")[0]["transient"], {"display_id": "own"})

    def test_clear(self):
        self.assertEqual(self.shown("clear_output(wait=True)", "clear_output"), [{"wait": True}])

    def test_image_and_metadata(self):
        shown = self.shown("display(Image(b'\\x89PNG\\r\\n\\x1a\\n', width=30))")[0]
        self.assertEqual(shown["metadata"], {"image/png": {"width": 30}})

    def test_long_collections(self):
        text = self.shown("list(range(100000))", "execute_result")[0]["data"]["text/plain"]
        self.assertTrue(text.startswith("[0,\n 1,") and text.endswith(" 999,\n ...]"), text[-40:])

    def test_order_of_text_and_pictures(self):
        _, messages = self.run_cell("from IPython.display import *\nfor i in range(3):\n    print(i)\n    display(i)")
        kinds = [m["msg_type"] for m in messages if m["msg_type"] in ("stream", "display_data")]
        self.assertEqual(kinds, ["stream", "display_data"] * 3)


class Magic(Shared):
    def test_time(self):
        self.assertRegex(self.kernel.text("%time x = sum(range(10))"), r"CPU times: .*\nWall time: .*s\n")
        self.assertEqual(self.kernel.value("x"), "45")
        self.assertRegex(self.kernel.text("%%time\ny = 1\nz = 2"), "Wall time")
        self.assertEqual(self.kernel.value("(y, z)"), "(1, 2)")

    def test_timeit(self):
        self.assertRegex(self.kernel.text("%timeit -n 10 -r 3 sorted([3, 1, 2])"),
                         r"per loop \(mean ± std\. dev\. of 3 runs, 10 loops each\)\n$")
        self.assertRegex(self.kernel.text("%%timeit -n 5 -r 2 data = [1, 2]\nsum(data)\nmax(data)"), "2 runs, 5 loops")

    def test_timeit_evaluates(self):
        # Array work whose result nobody reads is not done elsewhere, nor is a loop that does nothing run.
        self.run_cell("import numpy as np, time\nz = np.full(10**6, 0.5)\ndef direct():\n"
                      "    start = time.perf_counter()\n    y = np.sin(z)\n    y[0]\n    return time.perf_counter() - start")
        least = 0.3 * float(self.kernel.value("min([direct() for i in range(10)])"))
        for text in ("%timeit -o -q -n 5 -r 3 np.sin(z)", "%timeit -o -q -n 5 -r 3 x = ';'; np.sin(z) ; ",
                     "%timeit -o -q -n 5 -r 3 b = np.sin(z)", "%%timeit -o -q -n 5 -r 3\nb = ';'\n(np.\n sin(z))  # at last",
                     "%%timeit -o -q -n 5 -r 3\nif z.size:\n    b = np.sin(z)\n    'no; value'"):
            with self.subTest(text):
                self.run_cell(text)
                self.assertGreater(float(self.kernel.value("_.best")), least)
        self.assertGreater(float(self.kernel.value("timed = %timeit -o -q -n 100000 -r 3 1 + 1\ntimed.best")), 1e-9)

    def test_who(self):
        self.run_cell("%reset\nalpha = 1\nbeta = [2]")
        self.assertEqual(self.kernel.text("%who"), "alpha\tbeta\n")
        self.assertIn("list    n=1", self.kernel.text("%whos"))

    def test_questions(self):
        for code in "print?", "?print", "%pinfo print":
            reply, _ = self.run_cell(code)
            self.assertIn("print(*args", reply["payload"][0]["data"]["text/plain"], code)
        self.assertEqual(self.kernel.text("nothing_here?"), "Object `nothing_here` not found.\n")

    def test_files(self):
        self.kernel.text("%%writefile made.py\ntold = 'from the file'\nprint(told)")
        self.assertEqual(self.kernel.text("%run made.py"), "from the file\n")
        self.assertEqual(self.kernel.value("told"), "'from the file'")
        reply, _ = self.run_cell("%load made.py")
        self.assertIn("told = ", reply["payload"][0]["text"])
        self.assertEqual(reply["payload"][0]["source"], "set_next_input")

    def test_shell(self):
        self.assertEqual(self.kernel.text("!echo one; echo two"), "one\ntwo\n")
        self.assertEqual(self.kernel.value("lines = !echo three\nlines"), "['three']")
        self.assertEqual(self.kernel.text("for i in range(2):\n    !echo again"), "again\nagain\n")

    def test_reports(self):
        text = self.kernel.text("import numpy as np\n%explain a = np.arange(1000.) * 2 + 1")
        self.assertIn("multiply", text)
        self.assertIn("GB/s", self.kernel.text("%profile b = (a * 2).sum()"))
        _, messages = self.run_cell("%graph (a + 1).sum()")
        drawn = of_type(messages, "display_data") or of_type(messages, "error")
        self.assertTrue("<svg" in str(drawn) or "libgvc6" in str(drawn), drawn)
        self.assertEqual(text_of(messages), "")
        lines = ["b = np.sin(a[%d:]) * 2\nfloat(b[0])" % i for i in range(40)]
        _, messages = self.run_cell("%%graph\na = np.ones(10**5)\n" + "\n".join(lines))
        if of_type(messages, "display_data"):
            self.assertRegex(text_of(messages), r"^the first 24 of [3-9]\d plans;")

    def test_what_is_no_magic(self):
        self.assertEqual(self.kernel.value("7 %2"), "1")
        self.assertEqual(self.kernel.value("'''\n%time\n!no\n'''"), "'\\n%time\\n!no\\n'")
        self.assertEqual(self.kernel.value("(9\n%4)"), "1")
        self.fails("%nothing", "UsageError")
        self.fails("%%nothing\n1", "UsageError")
        self.run_cell("%matplotlib inline\n%load_ext autoreload\n%autoreload 2")

    def test_backend(self):
        self.assertEqual(self.kernel.text("%backend"), "cpu\n")
        self.fails("%backend abacus", "ValueError")
        with Kernel() as own:
            own.run("kept = 1")
            own.run("%backend mirror")
            self.assertEqual(own.text("%backend"), "mirror\n")
            self.assertEqual(own.run("kept")[0]["ename"], "NameError")
            self.assertEqual(own.value("import numpy as np\nfloat((np.arange(10.) * 2).sum())"), "90.0")


class Introspection(Shared):
    def complete(self, code, at=None):
        request = self.kernel.client.complete(code, len(code) if at is None else at)
        return self.kernel.reply_to(request)["content"]

    def test_places_are_code_points(self):
        self.run_cell("größe_des_feldes = 1")
        found = self.complete("x = '🐚' + größe_d")
        self.assertEqual((found["matches"], found["cursor_start"], found["cursor_end"]),
                         (["größe_des_feldes"], len("x = '🐚' + "), len("x = '🐚' + größe_d")))

    def test_attributes_and_modules(self):
        self.run_cell("import numpy as np\nclass C:\n    def method(self): pass\nc = C()\nc.field = 1")
        self.assertEqual(self.complete("c.")["matches"], ["field", "method"])
        self.assertIn("linspace", self.complete("y = 1\nnp.lin")["matches"])
        self.assertIn("numpy", self.complete("import nu")["matches"])

    def test_parameters(self):
        self.run_cell("def scale(x, factor=(2, 3), *rest, folds=1, _own=2): pass")
        self.assertEqual(self.complete("scale(1, f")["matches"][:2], ["factor=", "folds="])
        self.assertEqual(self.complete("y = max(1, scale(fa")["matches"][:1], ["factor="])
        self.assertNotIn("factor=", self.complete("scale(1).f")["matches"])
        self.assertNotIn("factor=", self.complete("scale(1)\nf")["matches"])

    def test_files(self):
        for name in "data_one.txt", "data_two.txt", ".hidden", "größe.csv":
            with open(os.path.join(client.FOLDER, name), "w", encoding="utf-8"):
                pass
        os.makedirs(os.path.join(client.FOLDER, "data_folder"), exist_ok=True)
        found = self.complete("open('data_")
        self.assertEqual((found["matches"], found["cursor_start"]), (["data_folder/", "data_one.txt", "data_two.txt"], 6))
        self.assertEqual(self.complete("open('grö")["matches"], ["größe.csv"])
        self.assertEqual(self.complete("open('%s/data_o" % client.FOLDER)["matches"], ["data_one.txt"])
        self.assertNotIn(".hidden", self.complete("open('")["matches"])
        self.assertEqual(self.complete("open('.hid")["matches"], [".hidden"])
        self.assertEqual(self.complete("open('/nowhere/at/all/")["matches"], [])

    def test_inspect(self):
        self.run_cell("def scale(x, factor=2):\n    'Scales x.'\n    return x * factor")
        for code, at in ("scale", 5), ("scale(3, ", 9), ("y = scale(max(1, 2), ", 21):
            request = self.kernel.client.inspect(code, at)
            content = self.kernel.reply_to(request)["content"]
            self.assertTrue(content["found"], code)
            self.assertIn("scale(x, factor=2)", content["data"]["text/plain"])
        content = self.kernel.reply_to(self.kernel.client.inspect("nothing_here", 3))["content"]
        self.assertEqual((content["found"], content["data"]), (False, {}))

    def test_is_complete(self):
        for code, wanted, indent in (("a = 1\nb = 2", "complete", None), ("for i in x:", "incomplete", "    "),
                                     ("if a:\n    for b in c:", "incomplete", "        "), ("a b", "invalid", None)):
            content = self.kernel.reply_to(self.kernel.client.is_complete(code))["content"]
            self.assertEqual((content["status"], content.get("indent")), (wanted, indent), code)

    def test_comm(self):
        message = self.kernel.client.session.msg("comm_open", {"comm_id": "7", "target_name": "t", "data": {}})
        self.kernel.client.shell_channel.send(message)
        closed = of_type(self.kernel.until_idle(message["header"]["msg_id"]), "comm_close")
        self.assertEqual(closed, [{"comm_id": "7", "data": {}}])

    def test_unknown_requests_are_ignored(self):
        self.kernel.client.shell_channel.send(self.kernel.client.session.msg("telepathy_request", {}))
        self.assertEqual(self.kernel.value("5 + 5"), "10")

    def test_history(self):
        self.run_cell("marker_one = 1")
        self.run_cell("marker_two = 2")
        self.run_cell("marker_one = 1")
        request = self.kernel.client.history(hist_access_type="search", pattern="marker_*", unique=True)
        found = [row[2] for row in self.kernel.reply_to(request)["content"]["history"]]
        self.assertEqual(found, ["marker_two = 2", "marker_one = 1"])


class Input(Shared):
    def answer(self, code, *answers):
        request = self.kernel.client.execute(code, allow_stdin=True)
        asked = []
        for answer in answers:
            content = self.kernel.client.get_stdin_msg(timeout=client.WAIT)["content"]
            asked.append((content["prompt"], content["password"]))
            self.kernel.client.input(answer)
        return asked, self.kernel.reply_to(request)["content"], text_of(self.kernel.until_idle(request))

    def test_input(self):
        asked, reply, text = self.answer("a = input('Name? ')\nprint(a, input())", "Ada", "größer 🐚")
        self.assertEqual((asked, reply["status"], text), ([("Name? ", False), ("", False)], "ok", "Ada größer 🐚\n"))

    def test_getpass(self):
        asked, reply, text = self.answer("import getpass\nprint(len(getpass.getpass()))", "secret")
        self.assertEqual((asked, text), ([("Password: ", True)], "6\n"))

    def test_nobody_to_ask(self):
        self.fails("input('?')", "RuntimeError", allow_stdin=False)

    def test_interrupted(self):
        request = self.kernel.client.execute("x = 1\ninput('?')", allow_stdin=True)
        self.kernel.client.get_stdin_msg(timeout=client.WAIT)
        self.kernel.manager.interrupt_kernel()
        self.assertEqual(self.kernel.reply_to(request)["content"]["ename"], "KeyboardInterrupt")
        self.kernel.client.input("too late")
        asked, _, text = self.answer("print(input('again '))", "in time")
        self.assertEqual((asked, text), ([("again ", False)], "in time\n"))

    def test_asked_by_a_handler(self):
        request = self.kernel.client.execute("try:\n    input('first ')\nexcept KeyboardInterrupt:\n    print(input('second '))",
                                             allow_stdin=True)
        self.kernel.client.get_stdin_msg(timeout=client.WAIT)
        self.kernel.manager.interrupt_kernel()
        self.assertEqual(self.kernel.client.get_stdin_msg(timeout=client.WAIT)["content"]["prompt"], "second ")
        self.kernel.client.input("answered")
        self.assertEqual(self.kernel.reply_to(request)["content"]["status"], "ok")
        self.assertEqual(text_of(self.kernel.until_idle(request)), "answered\n")


class Interrupts(Shared):
    def interrupted(self, code, interrupt=None):
        """Seconds from an interrupt of a cell that has said that it runs to its end."""
        request = self.kernel.client.execute("print('runs')\n" + code)
        self.kernel.wait_busy(request)
        time.sleep(0.1)
        start = time.monotonic()
        (interrupt or self.kernel.manager.interrupt_kernel)()
        reply = self.kernel.reply_to(request)["content"]
        self.assertEqual(reply.get("ename"), "KeyboardInterrupt", reply)
        self.assertEqual(self.kernel.value("40 + 2"), "42")
        return time.monotonic() - start

    def test_kinds_of_work(self):
        setup = "import numpy as np, time\na = np.ones((1500, 1500))\nv = np.ones(10**6)\nw = np.ones(2**23)\n"
        self.run_cell(setup)
        for code in ("while True: pass", "while True: v = v + 1", "while True: b = a @ a", "time.sleep(600)",
                     "s = 0\nfor i in range(10**14):\n    s += i % 7", "while True: np.linalg.svd(a[:300, :300])",
                     "while True: np.fft.fft(w)[0]", "while True: sorted(v.tolist())",
                     "while True: print('x' * 1000)"):
            with self.subTest(code):
                self.assertLess(self.interrupted(code), SOON)

    def test_within_one_call_of_a_library(self):
        with Kernel() as kernel:  # an own one, as the call goes on: for a minute or so
            kernel.run("import numpy as np\na = np.sin(np.arange(3500. ** 2)).reshape(3500, 3500)\na[1, 1]")
            reply, _ = kernel.run("np.linalg.eig(np.eye(2))")
            if reply.get("ename") == "NotImplementedError":
                self.skipTest("there is no LAPACK")
            request = kernel.client.execute("print('runs')\nx = np.linalg.eig(a)[0]\nx[0]")
            kernel.wait_busy(request)
            time.sleep(1)
            start = time.monotonic()
            kernel.manager.interrupt_kernel()
            self.assertEqual(kernel.reply_to(request)["content"].get("ename"), "KeyboardInterrupt")
            self.assertEqual(kernel.value("np.linalg.svd(np.diag([3., 2., 1.]))[1].tolist()"), "[3.0, 2.0, 1.0]")
            self.assertLess(time.monotonic() - start, SOON)
            kernel.control("shutdown_request", {"restart": False})
            self.assertTrue(wait_for_end(kernel.process, SOON))

    def test_by_signal(self):
        os.kill(self.kernel.process.pid, signal.SIGINT)  # while nothing runs: nothing
        time.sleep(0.5)
        self.assertEqual(self.kernel.value("1 + 2"), "3")
        self.interrupted("while True: pass", lambda: os.kill(self.kernel.process.pid, signal.SIGINT))

    def test_reply_while_nothing_runs(self):
        request = self.kernel.control("interrupt_request")
        reply = self.kernel.reply_to(request, self.kernel.client.get_control_msg)
        self.assertEqual((reply["msg_type"], reply["content"]), ("interrupt_reply", {"status": "ok"}))
        self.assertEqual(self.kernel.value("2 + 3"), "5")

    def test_a_handler_goes_on(self):
        request = self.kernel.client.execute("print('runs')\ntry:\n    while True: pass\n"
                                             "except KeyboardInterrupt:\n    print('caught')")
        self.kernel.wait_busy(request)
        self.kernel.manager.interrupt_kernel()
        self.assertEqual(self.kernel.reply_to(request)["content"]["status"], "ok")
        self.assertIn("caught", text_of(self.kernel.until_idle(request)))

    def test_many_in_a_row(self):
        # At once after the cell's beginning, when the interrupt may come before the first statement.
        self.run_cell("i = 0")
        for i in range(200):
            request = self.kernel.client.execute("while True: pass" if i % 2 else "while True: print(i)\n")
            while True:
                message = self.kernel.client.get_iopub_msg(timeout=client.WAIT)
                if message["parent_header"].get("msg_id") == request and message["msg_type"] == "execute_input":
                    break
            self.kernel.control("interrupt_request")
            reply = self.kernel.reply_to(request)["content"]
            self.assertEqual(reply.get("ename"), "KeyboardInterrupt", reply)
            self.kernel.until_idle(request)
        self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_control_answers_while_a_cell_runs(self):
        request = self.kernel.client.execute("print('runs')\nwhile True: pass")
        self.kernel.wait_busy(request)
        info = self.kernel.control("kernel_info_request")
        reply = self.kernel.reply_to(info, self.kernel.client.get_control_msg)
        self.assertEqual(reply["content"]["implementation"], "nacre")
        self.kernel.manager.interrupt_kernel()
        self.kernel.reply_to(request)


class Output(Shared):
    def test_many_lines(self):
        text = self.kernel.text("for i in range(100000):\n    print('line', i)")
        self.assertEqual(text, "".join(["line %d\n" % i for i in range(100000)]))

    def test_few_messages(self):
        _, messages = self.run_cell("for i in range(20000):\n    print(i)")
        self.assertLess(len(of_type(messages, "stream")), 100)

    def test_below_the_limits_of_the_server(self):
        """No window of 3 seconds has more than 1,000,000 bytes of text, or 1,000 messages, a second."""
        request = self.kernel.client.execute("for i in range(60000):\n    print('x' * 99)")
        arrived = []
        while True:
            message = self.kernel.client.get_iopub_msg(timeout=client.WAIT)
            # When the kernel sent it: this client may be late.
            arrived.append((message["header"]["date"].timestamp(), len(message["content"].get("text", ""))))
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle" and \
                    message["parent_header"].get("msg_id") == request:
                break
        self.assertEqual(sum(size for _, size in arrived), 6000000)
        for start, _ in arrived:
            inside = [size for at, size in arrived if start <= at < start + 3]
            self.assertLess(sum(inside), 3000000)
            self.assertLess(len(inside), 3000)

    def test_one_long_text(self):
        self.assertEqual(self.kernel.text("print('é' * 500000, end='')"), "é" * 500000)


class Wire(unittest.TestCase):
    """Messages that no honest client sends, on a connection of the test's own."""

    def setUp(self):
        self.kernel = Kernel()
        self.addCleanup(self.kernel.__exit__)

    def send(self, frames, channel="shell"):
        info = self.kernel.client.get_connection_info()
        own = zmq.Context.instance().socket(zmq.DEALER)
        own.linger = 1000
        own.connect("tcp://%s:%d" % (info["ip"], info[channel + "_port"]))
        own.send_multipart(frames)
        return own

    def message(self, kind="execute_request", content=None):
        session = self.kernel.client.session
        if content is None:
            content = {"code": "broken_in = True", "silent": True}
        parts = session.serialize(session.msg(kind, content))
        return parts[parts.index(b"<IDS|MSG>"):]

    def still_works(self):
        self.assertEqual(self.kernel.run("broken_in")[0]["ename"], "NameError")

    def test_forged(self):
        good = self.message()
        for channel in "shell", "control":
            for frames in ([good[0], b"0" * 64] + good[2:], [good[0], b""] + good[2:], [good[0], good[1][:-1]] + good[2:],
                           good[:2] + [good[2].replace(b"}", b" }")] + good[3:]):
                self.send(frames, channel).close()
        self.still_works()

    def test_malformed(self):
        session = self.kernel.client.session
        for header in b"{", b"[]", b"\xff\xfe", b"{}", b'{"msg_type": 5}', b"[" * 100000, b'{"a":' * 100000:
            four = [header, b"{}", b"{}", b"{}"]
            self.send([b"<IDS|MSG>", session.sign(four)] + four).close()
        for frames in [b""], [b"x"] * 50, [b"<IDS|MSG>"], [b"<IDS|MSG>", b"", b"{}"]:
            self.send(frames).close()
        for content in ({"code": 5}, {"code": None}, {}, {"code": "1", "user_expressions": 7}, {"code": "1", "silent": "x"}):
            self.send(self.message(content=content)).close()
        for kind in ("complete_request", "inspect_request", "is_complete_request", "history_request", "comm_open",
                     "comm_info_request"):
            self.send(self.message(kind, {"code": 1, "cursor_pos": "x", "n": "many", "session": 2 ** 70})).close()
            self.send(self.message(kind, {"code": "a.b", "cursor_pos": 10 ** 12, "n": -5, "pattern": "["})).close()
            self.send(self.message(kind, {"code": "a.b", "cursor_pos": -10 ** 12})).close()
        self.still_works()

    def test_replayed(self):
        frames = self.message(content={"code": "times = globals().get('times', 0) + 1", "silent": True})
        for _ in range(3):
            self.send(frames).close()
        self.kernel.run("pass")
        time.sleep(0.3)
        self.assertEqual(self.kernel.value("times"), "1")

    def test_a_client_that_goes(self):
        own = self.send(self.message(content={"code": "import time\ntime.sleep(0.5)\nleft = [1] * 10**6\nleft"}))
        own.close(linger=100)
        time.sleep(0.7)
        self.assertEqual(self.kernel.value("len(left)"), "1000000")

    def test_welcome(self):
        info = self.kernel.client.get_connection_info()
        own = zmq.Context.instance().socket(zmq.SUB)
        own.connect("tcp://%s:%d" % (info["ip"], info["iopub_port"]))
        own.subscribe(b"topic")
        self.assertTrue(own.poll(1000 * client.WAIT))
        frames = own.recv_multipart()
        self.assertEqual(frames[0], b"topic")
        self.assertEqual(json.loads(frames[3])["msg_type"], "iopub_welcome")
        self.assertEqual(json.loads(frames[6]), {"subscription": "topic"})
        own.close()


class Life(unittest.TestCase):
    def test_shutdown(self):
        for restart in False, True:
            with Kernel() as kernel:
                request = kernel.control("shutdown_request", {"restart": restart})
                reply = kernel.reply_to(request, kernel.client.get_control_msg)
                self.assertEqual(reply["content"], {"status": "ok", "restart": restart})
                self.assertTrue(wait_for_end(kernel.process, SOON))
                self.assertEqual(kernel.process.returncode, 0)

    def test_shutdown_of_a_busy_kernel_twice(self):
        with Kernel() as kernel:
            request = kernel.client.execute("print('runs')\nwhile True: pass")
            kernel.wait_busy(request)
            os.kill(kernel.process.pid, signal.SIGINT)
            kernel.control("shutdown_request", {"restart": False})
            kernel.control("shutdown_request", {"restart": False})
            self.assertTrue(wait_for_end(kernel.process, SOON))

    def test_restart(self):
        with Kernel() as kernel:
            kernel.run("x = 1")
            kernel.manager.restart_kernel()
            kernel.client.wait_for_ready(timeout=client.WAIT)
            self.assertEqual(kernel.run("x")[0]["ename"], "NameError")

    def test_the_parent_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "connection.json")
            sockets = [socket.socket() for _ in range(5)]
            for one in sockets:
                one.bind(("127.0.0.1", 0))
            ports = [one.getsockname()[1] for one in sockets]
            for one in sockets:
                one.close()
            names = ("shell_port", "control_port", "stdin_port", "hb_port", "iopub_port")
            with open(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as out:
                json.dump({"transport": "tcp", "ip": "127.0.0.1", "key": "k", "signature_scheme": "hmac-sha256",
                           **dict(zip(names, ports))}, out)
            # The shell starts the kernel and ends; the kernel tells its number first.
            done = subprocess.run(["sh", "-c", '"$0" kernel start -f "$1" >/dev/null 2>&1 & echo $!; sleep 1', client.NACRE, file],
                                  capture_output=True, text=True)
            kernel = int(done.stdout)
            end = time.monotonic() + SOON
            while os.path.exists("/proc/%d" % kernel) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertFalse(os.path.exists("/proc/%d" % kernel))

    def start(self, **changes):
        """What a kernel says that is given a connection file with such contents."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "connection.json")
            contents = {"transport": "tcp", "ip": "127.0.0.1", "key": "k", "signature_scheme": "hmac-sha256", "shell_port": 1,
                        "control_port": 2, "stdin_port": 3, "hb_port": 4, "iopub_port": 5}
            mode = changes.pop("mode", 0o600)
            text = changes.pop("text", None)
            contents.update(changes)
            with open(file, "w", encoding="utf-8") as out:
                out.write(json.dumps(contents) if text is None else text)
            os.chmod(file, mode)
            done = subprocess.run([client.NACRE, "kernel", "start", "-f", file], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1)
            return done.stderr

    def test_bad_connection_files(self):
        self.assertIn("0600", self.start(mode=0o644))
        self.assertIn("not a JSON object", self.start(text="{"))
        self.assertIn("neither tcp nor ipc", self.start(transport="pgm"))
        self.assertIn("hmac-sha256", self.start(signature_scheme="hmac-md5"))
        self.assertIn("a port is missing", self.start(shell_port=None))
        self.assertIn("a port is missing", self.start(shell_port=70000))
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.assertIn("in use", self.start(shell_port=taken.getsockname()[1]))
        done = subprocess.run([client.NACRE, "kernel", "start", "-f", "/nowhere"], capture_output=True, text=True)
        self.assertIn("No such file", done.stderr)

    def test_transports(self):
        with Kernel(transport="ipc", connection_file=os.path.join(client.FOLDER, "ipc.json")) as kernel:
            self.assertEqual(kernel.value("6 * 7"), "42")
        with tempfile.TemporaryDirectory() as folder:
            os.environ["IPYTHONDIR"] = folder
            with Kernel(transport_encryption="required") as kernel:
                self.assertEqual(kernel.value("6 * 7"), "42")

    def test_install(self):
        with tempfile.TemporaryDirectory() as folder:
            nacre = [client.NACRE, "kernel", "install"]
            environment = {**os.environ, "JUPYTER_DATA_DIR": folder + "/user", "VIRTUAL_ENV": folder + "/venv"}
            for options, place in ((["--user"], "user/kernels/nacre"), (["--sys-prefix"], "venv/share/jupyter/kernels/nacre"),
                                   (["--prefix", folder + "/p", "--name", "own"], "p/share/jupyter/kernels/own"),
                                   (["--user", "--backend", "mirror"], "user/kernels/nacre-mirror")):
                done = subprocess.run(nacre + options, capture_output=True, text=True, env=environment)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                with open(os.path.join(folder, place, "kernel.json"), encoding="utf-8") as file:
                    spec = json.load(file)
                self.assertEqual(spec["interrupt_mode"], "message")
                self.assertEqual(spec["argv"][0], os.path.realpath(client.NACRE))
                self.assertTrue(os.path.exists(os.path.join(folder, place, "logo-64x64.png")))
            for options in (["--backend", "abacus"], ["--name", "a/b"], ["--nonsense"]):
                done = subprocess.run(nacre + options, capture_output=True, text=True, env=environment)
                self.assertEqual(done.returncode, 2, options)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
