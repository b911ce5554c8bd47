#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A kernel on several ranks: cells with distributed arrays are what they are on one rank; errors, interrupts, restarts and
ends reach all ranks.

usage: ranks_test.py NACRE
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

os.environ["NACRE_SPLIT_LEAST"] = "64"
os.environ["NACRE_CHECK_RANKS"] = "1"
import client  # noqa: E402
from client import Kernel, of_type, text_of, wait_for_end  # noqa: E402

done = subprocess.run([client.NACRE, "kernel", "install", "--prefix", client.FOLDER, "--ranks", "3"], capture_output=True,
                      text=True)
assert done.returncode == 0, done.stderr
NAME = "nacre-ranks3"
AFRESH = "They have been started afresh: all variables are gone."


def threads_of(pid):
    return len(os.listdir("/proc/%d/task" % pid))


class Cells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernel = Kernel(NAME)
        cls.kernel.run("import numpy as np\nfrom nacre import comm")

    @classmethod
    def tearDownClass(cls):
        cls.kernel.__exit__()

    def fails(self, code, name):
        reply, messages = self.kernel.run(code)
        self.assertEqual((reply["status"], reply.get("ename")), ("error", name))
        return reply, messages

    def test_all_ranks_run_it(self):
        self.assertEqual(self.kernel.value("comm.size"), "3")
        self.assertEqual(self.kernel.text("comm.barrier()\nprint('once')"), "once\n")

    def test_distributed_arrays(self):
        self.kernel.run("x = np.arange(3000.0).reshape(300, 10) * 2")
        self.kernel.run("for i in range(5):\n    x[1:-1] = (x[:-2] + x[2:]) / 2")
        self.assertEqual(self.kernel.value("x.sum()"), "np.float64(8997000.0)")
        self.assertEqual(self.kernel.value("(x @ x.T)[7, 9]"), self.kernel.value("float((x[7] * x[9]).sum())").join(["np.float64(", ")"]))
        self.assertEqual(self.kernel.value("x[x > 5990].tolist()"), "[5992.0, 5994.0, 5996.0, 5998.0]")

    def test_results_and_displays_are_shown_once(self):
        reply, messages = self.kernel.run("class Seen:\n    def _repr_html_(self):\n        return '<b>%s</b>' % np.ones(400).sum()\n"
                                          "    def __repr__(self):\n        return 'seen'\ndisplay(Seen())\nSeen()")
        self.assertEqual(reply["status"], "ok")
        for kind in "display_data", "execute_result":
            self.assertEqual([each["data"] for each in of_type(messages, kind)],
                             [{"text/html": "<b>400.0</b>", "text/plain": "seen"}])

    def test_user_expressions(self):
        reply, _ = self.kernel.run("y = np.ones((40, 10))", user_expressions={"a": "float(y.sum())", "b": "nothing_here"})
        self.assertEqual(reply["user_expressions"]["a"]["data"]["text/plain"], "400.0")
        self.assertEqual(reply["user_expressions"]["b"]["ename"], "NameError")

    def test_an_error_keeps_variables(self):
        self.kernel.run("kept = np.arange(1000.0) + 1")
        for code, name in ("1 / 0", "ZeroDivisionError"), ("x = (", "SyntaxError"), ("kept @ np.ones(3)", "ValueError"), \
                ("import sys\nsys.exit(3)", "SystemExit"), ("%time 1", "SyntaxError"):
            _, messages = self.fails(code, name)
            self.assertNotIn(AFRESH, text_of(messages, "stderr"), code)
        self.assertIn("kernels of one rank", text_of(messages, "stderr"))
        self.assertEqual(self.kernel.value("float(kept.sum())"), "500500.0")

    def test_input(self):
        request = self.kernel.client.execute("line = input('who? ')\nprint(line * 2)", allow_stdin=True)
        asked = self.kernel.client.get_stdin_msg(timeout=client.WAIT)
        self.assertEqual(asked["content"]["prompt"], "who? ")
        self.kernel.client.input("me")
        self.assertEqual(text_of(self.kernel.until_idle(request)), "meme\n")
        self.assertEqual(self.kernel.reply_to(request)["content"]["status"], "ok")

    def test_completion_and_inspection(self):
        self.kernel.run("counter_of_cells = np.ones(200)")
        for _ in range(3):
            request = self.kernel.client.complete("counter_of_c")
            self.assertEqual(self.kernel.reply_to(request)["content"]["matches"], ["counter_of_cells"])
            request = self.kernel.client.complete("np.linalg.eigva")
            self.assertIn("np.linalg.eigvals", [m[-len("np.linalg.eigvals"):] if m.startswith("np") else "np.linalg." + m
                                                for m in self.kernel.reply_to(request)["content"]["matches"]])
            request = self.kernel.client.complete("np.linspace(0, 1, nu")
            self.assertIn("num=", self.kernel.reply_to(request)["content"]["matches"])
            request = self.kernel.client.inspect("np.sum")
            self.assertTrue(self.kernel.reply_to(request)["content"]["found"])
        self.assertEqual(self.kernel.value("float(counter_of_cells.sum())"), "200.0")

    def test_a_rank_that_fails_alone(self):
        self.kernel.run("before = 1")
        reply, messages = self.kernel.run("if comm.rank == 2:\n    raise ValueError('rank two')\ncomm.barrier()")
        self.assertEqual((reply["status"], reply["ename"], reply["evalue"]), ("error", "ValueError", "rank two"))
        self.assertIn(AFRESH, text_of(messages, "stderr"))
        self.fails("before", "NameError")
        self.kernel.run("import numpy as np\nfrom nacre import comm")
        self.assertEqual(self.kernel.value("(comm.size, float(np.ones(500).sum()))"), "(3, 500.0)")


class Interrupts(unittest.TestCase):
    def interrupted(self, code):
        """What a cell that is interrupted after its first line answers, and what it wrote on standard error."""
        with Kernel(NAME) as kernel:
            kernel.run("import numpy as np, time\nx = np.arange(1000.0) + 1")
            request = kernel.client.execute("print('on', flush=True)\n" + code)
            kernel.wait_busy(request)
            kernel.control("interrupt_request")
            begun = time.monotonic()
            told = text_of(kernel.until_idle(request), "stderr")
            reply = kernel.reply_to(request)["content"]
            self.assertLess(time.monotonic() - begun, 30)
            self.assertEqual((reply["status"], reply["ename"]), ("error", "KeyboardInterrupt"))
            afresh = AFRESH in told
            if afresh:
                kernel.run("import numpy as np\nx = np.arange(1000.0) + 1")
            self.assertEqual(kernel.value("float(x.sum())"), "500500.0")
            return afresh

    def test_of_a_loop(self):
        self.assertTrue(self.interrupted("n = 0\nwhile True:\n    n += 1"))

    def test_of_steps_of_all_ranks(self):
        self.interrupted("while True:\n    x = x * 1.0\n    float(x.max())")

    def test_of_what_one_rank_does_for_all(self):
        self.assertFalse(self.interrupted("time.sleep(100)"))


class Life(unittest.TestCase):
    def test_restart(self):
        with Kernel(NAME) as kernel:
            kernel.run("import numpy as np\nx = np.ones(300)")
            first = kernel.process.pid
            kernel.manager.restart_kernel(now=False)
            kernel.client.wait_for_ready(timeout=client.WAIT)
            self.assertNotEqual(kernel.process.pid, first)
            reply, _ = kernel.run("x")
            self.assertEqual(reply["ename"], "NameError")
            self.assertFalse(os.path.exists("/proc/%d" % first))

    def test_shutdown(self):
        for busy in "", "while True:\n    pass", "import time\ntime.sleep(100)":
            kernel = Kernel(NAME)
            process = kernel.process
            if busy:
                kernel.wait_busy(kernel.client.execute("print(1, flush=True)\n" + busy))
            kernel.control("shutdown_request", {"restart": False})
            self.assertTrue(wait_for_end(process, 30), busy)
            kernel.__exit__()

    def test_ranks_are_threads_of_one_process(self):
        with Kernel() as alone, Kernel(NAME) as kernel:
            more = threads_of(kernel.process.pid) - threads_of(alone.process.pid)
            self.assertGreaterEqual(more, 2)
            self.assertEqual(subprocess.run(["pgrep", "-P", str(kernel.process.pid)], capture_output=True, text=True).stdout, "")

    def test_afresh_leaves_no_threads(self):
        with Kernel(NAME) as kernel:
            kernel.run("1")
            before = threads_of(kernel.process.pid)
            for _ in range(3):
                kernel.run("from nacre import comm\nif comm.rank == 1:\n    raise ValueError\ncomm.barrier()")
            self.assertLessEqual(threads_of(kernel.process.pid), before)

    def test_a_parent_that_has_gone(self):
        with tempfile.TemporaryDirectory() as folder:
            connection = os.path.join(folder, "connection.json")
            parent = subprocess.Popen([sys.executable, "-c", PARENT, client.NACRE, connection], stdout=subprocess.PIPE, text=True)
            pid = int(parent.stdout.readline())
            parent.send_signal(signal.SIGKILL)
            parent.wait()
            parent.stdout.close()
            end = time.monotonic() + 30
            while os.path.exists("/proc/%d" % pid) and time.monotonic() < end:
                time.sleep(0.02)
            self.assertFalse(os.path.exists("/proc/%d" % pid))


PARENT = """
import subprocess, sys, time
from jupyter_client.connect import write_connection_file
from jupyter_client.blocking import BlockingKernelClient
write_connection_file(sys.argv[2])
kernel = subprocess.Popen([sys.argv[1], "-n", "3", "--transport", "loopback", "kernel", "start", "-f", sys.argv[2]],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
client = BlockingKernelClient(connection_file=sys.argv[2])
client.load_connection_file()
client.start_channels()
client.wait_for_ready(timeout=60)
print(kernel.pid, flush=True)
time.sleep(100)
"""


class Command(unittest.TestCase):
    def test_kernelspec(self):
        with open(os.path.join(client.FOLDER, "share", "jupyter", "kernels", NAME, "kernel.json"), encoding="utf-8") as file:
            spec = json.load(file)
        self.assertEqual(spec["argv"][1:], ["-n", "3", "--transport", "loopback", "kernel", "start", "-f", "{connection_file}"])
        self.assertEqual(spec["display_name"], "Nacre, 3 ranks")

    def test_mistakes(self):
        for ranks in "0", "-1", "many", "100000":
            done = subprocess.run([client.NACRE, "kernel", "install", "--prefix", client.FOLDER, "--ranks", ranks],
                                  capture_output=True, text=True)
            self.assertEqual((done.stdout, done.returncode), ("", 2), ranks)
        done = subprocess.run([client.NACRE, "-n", "2", "--transport", "mpi", "kernel", "start", "-f", "x.json"],
                              capture_output=True, text=True)
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        self.assertIn("ranks of a kernel are threads", done.stderr)


unittest.main(argv=sys.argv[:1] + sys.argv[2:])
