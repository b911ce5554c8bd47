# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The default tests as single items, so that they can be put in order and stopped at the first
failure: each script, each C program, each Python program. Knows which lines each of them runs."""

import collections
import glob
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import types

MEMORY = 8 << 30  # as tests/CMakeLists.txt has it
AT_LEAST = 5  # seconds that any test may take
TIMES = 10  # as long as without a change; then it is timed out
PATIENCE = 8  # seconds by the clock for each one of the processor
# Where one program is many tests: how it lists them, how it runs one, and how it runs one faster,
# for the lines alone.
PARTS = {"fault/fault_test.c": (["--points", "1"], "--only", ["--points", "10"])}
PART_NAME = re.compile(r"^(\S+) +\d+ requests ", re.M)

Outcome = collections.namedtuple("Outcome", "verdict detail")  # passed, failed, timed out
PASSED, TIMED_OUT = Outcome("passed", ""), Outcome("timed out", "")


class Item:
    def __init__(self, sort, path, arguments=(), for_lines=()):
        self.sort, self.path, self.arguments, self.for_lines = sort, path, arguments, for_lines
        self.file = path[len("tests/") :]
        self.name = " ".join([self.file] + list(arguments))
        self.digest, self.seconds, self.covers = None, 0.0, True

    @property
    def program(self):
        """Of a C test: the program's name in the build folder."""
        folder, name = os.path.split(self.file)
        return "tests/%s_%s" % (folder.replace("/", "_"), name[: -len(".c")])

    @property
    def limit(self):
        return max(AT_LEAST, TIMES * self.seconds)


def find_items(tree):
    """As tests/CMakeLists.txt finds them, without those that run no program of ours."""
    items = []
    for sort, pattern in ("script", "*.ncr"), ("program", "*_test.c"), ("python", "*_test.py"):
        for path in sorted(glob.glob(os.path.join(tree, "tests", "**", pattern), recursive=True)):
            name = os.path.relpath(path, tree)
            if not name.startswith(("tests/fuzz/", "tests/run/")):
                items.append(Item(sort, name))
    return items


class Suite:
    def __init__(self, copy):
        self.copy = copy
        sys.path.insert(0, os.path.join(copy.tree, "tests", "run"))
        import process
        import run_ncr

        self.run_ncr = run_ncr
        self.python = os.path.join(copy.tree, "build", "venv", "bin", "python")
        if not os.access(self.python, os.X_OK):
            self.python = sys.executable
        self.oracle = process.Oracle(self.python, os.path.join(copy.tree, "build", "oracle"))
        self.items = find_items(copy.tree)
        self.kept = os.path.join(copy.home, "suite.json")
        self.covered = os.path.join(copy.home, "covered")
        self.lines = {}  # source: (all lines with code, {item name: lines it runs})

    # --- running ---

    def run(self, item, nacre, program, limit, env=None, arguments=()):
        """`nacre` is the program under test; `program` that of a C test; `limit` in seconds of the
        processor, as others may want it too."""
        if item.sort == "script":
            return self.run_script(item, nacre, limit, env or {})
        path = os.path.join(self.copy.tree, item.path)
        command = [program] if item.sort == "program" else [self.python, path, nacre]
        command += list(item.arguments) + list(arguments)
        whole = dict(os.environ, OMP_WAIT_POLICY="passive", **env or {})
        return self.run_program(command, limit, whole)

    def run_script(self, item, nacre, limit, env):
        options = types.SimpleNamespace(
            nacre=nacre, backend=None, env=[], timeout=PATIENCE * limit, memory_gib=MEMORY >> 30
        )
        runner = self.run_ncr.Runner(options)
        runner.extra_env, runner.oracle = env, self.oracle
        limited = ["/bin/sh", "-c", 'ulimit -t %d; exec "$@"' % limit, "sh"]
        command = runner.command
        runner.command = lambda path, args: limited + command(path, args)
        problems = runner.problems(os.path.join(self.copy.tree, item.path))
        if not problems:
            return PASSED
        if problems[0].startswith("not finished after"):
            return TIMED_OUT
        if any("SIGXCPU" in problem for problem in problems):
            return TIMED_OUT
        return Outcome("failed", problems[0])

    def run_program(self, command, limit, env):
        with tempfile.TemporaryDirectory(prefix="nacre-mutate-") as folder:
            started = subprocess.Popen(
                command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=lambda: limit_process(limit))
            try:
                text = started.communicate(timeout=PATIENCE * limit)[0]
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                started.communicate()
                return TIMED_OUT
        if started.returncode in (0, 77):
            return PASSED
        if started.returncode == -signal.SIGXCPU:
            return TIMED_OUT
        return Outcome("failed", text.decode(errors="replace").strip()[:300])

    # --- what they do without a change ---

    def measure(self, say):
        """Times every item, leaves out those that fail, and notes which lines each one runs. What
        is known of an item that has not changed is kept."""
        sources = self.copy.digest("lang", "vm", "backends", "stdlib", "hosts", "tests/run")
        known = self.read_kept()
        if known.get("sources") != sources:
            known = {"sources": sources, "items": {}}
            shutil.rmtree(self.covered, ignore_errors=True)
        items, self.items = self.with_parts(), []
        for item in items:
            item.digest = self.digest_of(item)
            row = known["items"].get(item.name)
            if not row or row["digest"] != item.digest:
                row = self.measured(item, say)
                known["items"][item.name] = row
                self.write_kept(known)
            item.seconds, item.covers = row["seconds"], row["covers"]
            if row["passed"]:
                self.items.append(item)
            else:
                say("left out, as it fails without any change: %s" % item.name)

    def with_parts(self):
        """The items, programs that are many tests taken to pieces."""
        items = []
        for item in self.items:
            if item.name not in PARTS:
                items.append(item)
                continue
            listing, choice, for_lines = PARTS[item.name]
            program = os.path.join(self.copy.builds["fast"], item.program)
            listed = subprocess.run([program] + listing, capture_output=True, text=True).stdout
            items += [
                Item(item.sort, item.path, [choice, name], for_lines)
                for name in PART_NAME.findall(listed)
            ]
        return items

    def digest_of(self, item):
        """Of a script itself; of a program's whole folder."""
        if item.sort == "script":
            return hashlib.sha256(self.copy.read_bytes(item.path)).hexdigest()[:20]
        return self.copy.digest(os.path.dirname(item.path))

    def measured(self, item, say):
        fast, cover = self.copy.builds["fast"], self.copy.builds["cover"]
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        outcome = self.run(item, fast + "/bin/nacre", os.path.join(fast, item.program), 600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - usage.ru_utime + after.ru_stime - usage.ru_stime
        data = self.data_folder(item)
        shutil.rmtree(data, ignore_errors=True)
        env = {"GCOV_PREFIX": data, "GCOV_PREFIX_STRIP": str(len(cover.split("/")) - 1)}
        if outcome == PASSED:
            program = os.path.join(cover, item.program)
            self.run(item, cover + "/bin/nacre", program, 1200, env, item.for_lines)
        say("%s: %s, %.2f s" % (item.name, outcome.verdict, seconds))
        return {"digest": item.digest, "passed": outcome == PASSED, "seconds": seconds,
                "covers": os.path.isdir(data)}

    def read_kept(self):
        try:
            with open(self.kept, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}

    def write_kept(self, known):
        with open(self.kept + ".part", "w", encoding="utf-8") as file:
            json.dump(known, file)
        os.replace(self.kept + ".part", self.kept)

    # --- which of them run a line ---

    def data_folder(self, item):
        return os.path.join(self.covered, item.name.replace("/", "+"))

    def relevant(self, mutant):
        """The items that could notice: those that run a line of the change."""
        with_code = [item for item in self.items if item.covers]
        if not mutant.path.endswith(".c") or not mutant.in_function:
            return with_code
        lines, by_item = self.lines_of(mutant.path)
        if not lines:
            return with_code
        near = [n for n in lines if mutant.line <= n <= mutant.last_line]
        if not near:  # inside of a statement that began above
            near = [max((n for n in lines if n < mutant.line), default=0),
                    min((n for n in lines if n > mutant.line), default=0)]
        return [item for item in with_code if by_item.get(item.name, set()).intersection(near)]

    def lines_of(self, path):
        if path not in self.lines:
            self.lines[path] = self.ask_gcov(path)
        return self.lines[path]

    def ask_gcov(self, path):
        """One gcov for one source and all items; each data file needs its notes beside it."""
        cover = self.copy.builds["cover"]
        objects = [name[: -len(".o")] for name in self.copy.dependents(path) if name.endswith(
            ("/" + path + ".o"))]
        all_lines, by_item = set(), {}
        with tempfile.TemporaryDirectory(dir=self.copy.home) as folder:
            names = []
            for item in self.items:
                for stem in objects:
                    data = os.path.join(self.data_folder(item), stem + ".gcda")
                    notes = os.path.join(cover, stem + ".gcno")
                    if os.path.isfile(data) and os.path.isfile(notes):
                        here = os.path.join(folder, str(len(names)), os.path.basename(stem))
                        os.mkdir(os.path.dirname(here))
                        os.symlink(data, here + ".gcda")
                        os.symlink(notes, here + ".gcno")
                        names.append((item.name, here + ".gcda"))
            if not names:
                return all_lines, by_item
            command = ["gcov", "--json-format", "--stdout"] + [n for _, n in names]
            done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
            for (name, _), text in zip(names, done.stdout.splitlines()):
                for file in json.loads(text)["files"]:
                    if file["file"].endswith("/" + path):
                        all_lines.update(row["line_number"] for row in file["lines"])
                        by_item.setdefault(name, set()).update(
                            row["line_number"] for row in file["lines"] if row["count"])
        return all_lines, by_item


def limit_process(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
