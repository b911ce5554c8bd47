#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The command on ranks that are processes: what -n starts, who writes, exit status, what is said of mistakes.

usage: mpi_command_test.py NACRE
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, "hosts"), os.path.join(TESTS, "run")]
from command_case import CommandCase  # noqa: E402
from sanitizers import without_leaks  # noqa: E402

NACRE = os.path.abspath(sys.argv[1])
LAUNCHERS = ("NACRE_", "OMPI_", "PMI_", "PMIX_", "SLURM_")
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def environment(more=None):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}
    return {**kept, **without_leaks(), **(more or {})}


def run(*command, text="", env=None, folder=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=120, cwd=folder,
                          env=environment(env))


def nacre(*arguments, **more):
    return run(NACRE, *arguments, **more)


def launcher():
    """The line of `nacre info` about -n."""
    return next(line for line in nacre("info").stdout.splitlines() if line.startswith("-n: "))


class Command(CommandCase):
    def test_output_is_that_of_one(self):
        text = "import sys, numpy as np\nprint(sys.argv[1:], np.arange(10.0).sum())\nprint('end', file=sys.stderr)\n"
        for ranks in "1", "2", "3":
            self.check(nacre("-n", ranks, "--transport", "mpi", "-c", text, "a", "-n", "b"), "['a', '-n', 'b'] 45.0\n", "end\n")
        self.check(nacre("--transport", "mpi", "-n", "2", text="print(7)\n"), "7\n")
        self.check(nacre("-c", "print(7)", env={"NACRE_RANKS": "2"}), "7\n")

    def test_program_on_standard_input(self):
        text = "print(1)\ntry:\n    print(input())\nexcept EOFError:\n    print('end')\n"
        self.check(nacre("-n", "3", text=text), "1\nend\n")
        self.check(nacre("-n", "2", "-", text=""), "")
        alone, done = nacre(text="x = (\n"), nacre("-n", "2", text="x = (\n")
        self.check(done, "", alone.stderr, 1)

    def test_arrays_are_shared_out(self):
        text = "import numpy as np\na = np.arange(300.0).reshape(30, 10)\n" \
               "print((a * 2 + a[::-1]).sum(axis=0), a.T @ a[:, 0], np.sort(a.ravel())[:5], a.max())\n"
        options = ("--split-least", "1", "--check-ranks")
        alone = nacre("-c", text)
        self.assertEqual(alone.returncode, 0)
        for ranks in "2", "4":
            self.check(nacre("-n", ranks, *options, "-c", text), alone.stdout)

    def test_all_of_a_long_output_arrives(self):
        done = nacre("-n", "2", "-c", "for i in range(20000): print('line', i)")
        self.check(done, "".join("line %d\n" % i for i in range(20000)))

    def test_files_are_written_once(self):
        stats = os.path.join(self.folder, "stats.json")
        self.check(nacre("-n", "2", "--stats", stats, "-c", "pass"), "")
        with open(stats, encoding="utf-8") as file:
            ranks = json.load(file)["ranks"]
        self.assertEqual([one["rank"] for one in ranks], [0, 1])

    def test_figures_of_all_ranks(self):
        path = os.path.join(self.folder, "stats.json")
        text = "import numpy as np\nx = np.ones((30, 20)) + 1\ny = x[:-1] + x[1:]\ntotal = float(y.sum())\nz = x.tolist()\n"
        for ranks, status in (3, 0), (4, 0), (3, 1):
            more = "raise ValueError('all')\n" if status else ""
            done = nacre("-n", str(ranks), "--split-least", "1", "--stats", path, "-c", text + more)
            self.assertEqual(done.returncode, status, done.stderr)
            with open(path, encoding="utf-8") as file:
                figures = json.load(file)["ranks"]
            self.assertEqual([one["rank"] for one in figures], list(range(ranks)))
            self.assertEqual(sum(one["messages_sent"] for one in figures), sum(one["messages_received"] for one in figures))
            lines = [{line["line"]: line for line in one["lines"]} for one in figures]
            self.assertEqual(sum(each[3]["array_bytes_received"] for each in lines), (ranks - 1) * 20 * 8)
            self.assertEqual([each[5]["arrays_gathered"] for each in lines], ranks * [1])

    def test_profile(self):
        done = nacre("-n", "2", "profile", self.script("import numpy as np\nprint(float((np.ones(1000) + 1).sum()))\n"))
        self.assertEqual((done.stdout, done.returncode), ("2000.0\n", 0), done.stderr)
        self.assertRegex(done.stderr, r"\nsteps with other ranks, of the run: rank 0: \d+%, rank 1: \d+%\n$")

    def test_figures_where_ranks_part(self):
        path = os.path.join(self.folder, "stats.json")
        text = "from nacre import comm\nif comm.rank == 1: raise ValueError('other')\ncomm.barrier()\n"
        done = nacre("-n", "2", "--stats", path, "-c", text)
        self.assertEqual(done.returncode, 1, done.stderr)
        with open(path, encoding="utf-8") as file:
            self.assertEqual([one["rank"] for one in json.load(file)["ranks"]], [0])

    def test_errors(self):
        done = nacre("-n", "2", "-c", "print(1)\nx = [1][3]\n")
        self.assertEqual((done.stdout, done.returncode), ("1\n", 1))
        self.assertTrue(done.stderr.startswith("Traceback"), done.stderr)
        self.assertTrue(done.stderr.endswith("\nIndexError: list index out of range\n"), done.stderr)
        self.assertEqual(done.stderr.count("IndexError"), 1)

    def test_errors_of_others(self):
        text = "from nacre import comm\nprint('on')\nif comm.rank == 1: raise ValueError('other')\ncomm.barrier()\n"
        done = nacre("-n", "3", "-c", text)
        self.assertEqual((done.stdout, done.returncode), ("on\n", 1))
        self.assertEqual(done.stderr.count("ValueError: other"), 1)

    def test_input(self):
        self.check(nacre("-n", "3", "-c", "print(input('who? '))", text="me\n"), "who? me\n")

    def test_exit_status(self):
        # 75 and 134 are also what it looks like when ranks are ended by others and by signals.
        for status in 5, 75, 134:
            self.check(nacre("-n", "2", "-c", "import sys\nsys.exit(%d)" % status), "", "", status)

    def test_arguments_that_mpirun_knows(self):
        given = ["a", ":", "\\:", "\\\\:", ":x", "x:", "\\", "", "*", "-np", "3", "--", "a b", "\t'\""]
        self.check(nacre("-n", "2", "-c", "import sys\nprint(sys.argv[1:])", *given), "%r\n" % given)

    def test_output_that_nobody_reads(self):
        program = "for i in range(200000): print('line', i)"
        command = [NACRE, "-n", "2", "-c", program]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment()) as process:
            self.assertEqual(process.stdout.readline(), "line 0\n")
            process.stdout.close()
            self.assertEqual(process.wait(timeout=60), 128 + signal.SIGPIPE)
            self.assertNotIn("Segmentation", process.stderr.read())

    def test_output_that_does_not_wait(self):
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        with subprocess.Popen([NACRE, "-n", "2", "-c", "for i in range(60000): print('line', i)"], stdin=subprocess.DEVNULL,
                              stdout=writer, env=environment()) as process:
            os.close(writer)
            time.sleep(1)
            with os.fdopen(reader) as stream:
                self.assertEqual(len(stream.read().splitlines()), 60000)
            self.assertEqual(process.wait(timeout=60), 0)

    def test_interrupt_of_the_launcher(self):
        command = [NACRE, "-n", "2", "-c", "print('on', flush=True)\nwhile True: pass"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment(), start_new_session=True) as process:
            self.assertEqual(process.stdout.readline(), "on\n")
            process.send_signal(signal.SIGINT) # to this process alone
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)

    def test_a_rank_is_killed(self):
        before = time.monotonic()
        done = nacre("-n", "2", "-c", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)
        self.assertIn("a rank was ended by signal 9 (Killed)", done.stderr)
        self.assertLess(time.monotonic() - before, 30)

    def test_ctrl_c(self):
        started = subprocess.Popen([NACRE, "-n", "2", "-c", "print('on', flush=True)\nwhile True: pass"],
                                   stdout=subprocess.PIPE, text=True, env=environment(), start_new_session=True)
        self.assertEqual(started.stdout.readline(), "on\n")
        os.killpg(started.pid, signal.SIGINT)
        self.assertEqual(started.wait(timeout=30), 128 + signal.SIGINT)
        started.stdout.close()

    def test_signals_end_all(self):
        """Whoever ends the command ends its ranks."""
        mark = "rank of %d" % os.getpid()
        started = subprocess.Popen([NACRE, "-n", "2", "-c", "print('on', flush=True)\nwhile True: pass", mark],
                                   stdout=subprocess.PIPE, text=True, env=environment())
        self.assertEqual(started.stdout.readline(), "on\n")
        started.terminate()
        self.assertNotEqual(started.wait(timeout=30), 0)
        started.stdout.close()
        end = time.monotonic() + 30
        while subprocess.run(["pgrep", "-f", mark], stdout=subprocess.DEVNULL, check=False).returncode == 0:
            self.assertLess(time.monotonic(), end, "a rank is still there")
            time.sleep(0.1)

    def test_under_a_launcher(self):
        mpirun = launcher().partition("(")[2].rstrip(")")
        command = [mpirun, "-n", "2", "--oversubscribe", NACRE]
        self.check(run(*command, "-c", "print(7)", env=AS_ROOT), "7\n")
        self.check(run(*command, "-n", "2", "-c", "print(7)", env=AS_ROOT), "7\n")
        done = run(*command, "-n", "3", "-c", "print(7)", env=AS_ROOT)
        self.assertIn("-n (NACRE_RANKS) asks for 3 ranks, but mpirun has started 2 processes", done.stderr)
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        text = "print(7)"
        done = run(*command, "--transport", "loopback", "-n", "2", "-c", text, env=AS_ROOT)
        self.check(done, "7\n7\n") # two programs, each on two threads

    def test_programs_of_ranks_are_no_ranks(self):
        text = "import subprocess\nprint(subprocess.run([%r, '-c', 'print(8)'], capture_output=True).stdout)" % NACRE
        mpirun = launcher().partition("(")[2].rstrip(")")
        done = run(mpirun, "-n", "2", "--oversubscribe", NACRE, "-c", text, env=AS_ROOT)
        self.check(done, "b'8\\n'\n")

    def test_another_launcher(self):
        for variables in {"PMI_SIZE": "2", "PMI_RANK": "0"}, {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0"}:
            done = nacre("-c", "print(7)", env=variables)
            self.assertIn("nacre: the ranks cannot be joined: ", done.stderr)
            self.assertIn("started 2 processes", done.stderr)
            self.assertIn("but nacre-mpi.so is linked with ", done.stderr)
            self.assertEqual((done.stdout, done.returncode), ("", 1))

    def test_without_mpirun(self):
        nowhere = {"NACRE_MPIRUN": os.path.join(self.folder, "nothing")}
        done = nacre("-n", "2", "--transport", "mpi", "-c", "print(7)", env=nowhere)
        self.assertIn("there is no mpirun", done.stderr)
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        self.check(nacre("-n", "2", "-c", "print(7)", env=nowhere), "7\n") # threads
        info = run(NACRE, "info", env=nowhere).stdout
        self.assertIn("-n: threads, --transport loopback (there is no mpirun", info)

    def test_too_many(self):
        self.check(nacre("-n", "1000000", "-c", "1"), "", "nacre: --transport mpi: so many ranks cannot be started\n", 2)

    def test_what_runs_on_one_rank(self):
        for command in ["doctest", "x.py"], ["build", "x.py"], ["run-graph", "x.json"]:
            done = nacre("-n", "2", *command)
            self.assertIn("runs on one rank", done.stderr)
            self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    if not launcher().startswith("-n: processes"):
        print("without MPI: " + launcher())
        sys.exit(77)
    if not shutil.which("pgrep"):
        del Command.test_signals_end_all
    unittest.main(argv=sys.argv[:1])
