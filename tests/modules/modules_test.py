#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""CPython's own tests of its modules and built-in types, under Nacre: how many of them pass.

    modules_test.py NACRE                  compares some modules with expected.txt: none may pass fewer tests than there
    modules_test.py NACRE --all            compares all of them
    modules_test.py NACRE NAME…            shows what becomes of these modules' tests, and why
    modules_test.py NACRE --update [NAME…] writes what passes now to expected.txt
    modules_test.py NACRE --report FILE    writes a page with all of them

The tests are those of the installed CPython 3.11 (Debian: libpython3.11-testsuite); without them this test is
skipped. A file of tests is copied into a folder of its own, beside shim/, which stands for the package test.support.
What Nacre cannot read (a construct that is out), what fails while the file is imported, and tests that end the
program or do not end, are dropped: a test method, a function, or a statement of a class or of the module, as small
as can be. What is dropped counts as not passed: shares are of the tests that CPython finds in the whole file.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
SHIM = os.path.join(HERE, "shim")
EXPECTED = os.path.join(HERE, "expected.txt")
SKIPPED = 77
SECONDS = 60   # after these no more modules are begun, but with --all
HURRY = 15     # seconds for a run of one file then
LIMIT = int(os.environ.get("NACRE_MODULES_LIMIT", "100"))  # seconds for a run of one file
ROUNDS = 60    # runs of one file, each without what has stood in the way of the last one
# Constructs that may be out: what has one is dropped at once where Nacre refuses the example.
CONSTRUCTS = {"async def f():\n    await g()\n": (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await),
              "match 1:\n    case 1:\n        pass\n": (ast.Match,),
              "try:\n    pass\nexcept* ValueError:\n    pass\n": (ast.TryStar,),
              "class A(metaclass=type):\n    pass\n": (ast.keyword,)}
OUT = []
NEVER = "is known to end the program, or not to end"
ENDING = '\n\nif __name__ == "__main__":\n    import recording\n    recording.main()\n'
# What a file of tests does in a function of its own before it runs them: contexts, tests that are made of files of data, and
# which of its classes are tests.
PREPARED = {"decimal": """
init(C)
init(P)
TEST_ALL, DEBUG, skip_expected = True, False, False
directory = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'decimaltestdata', '')
for _file in sorted(os.listdir(directory)):
    if _file.endswith('.decTest'):
        for _class in CIBMTestCases, PyIBMTestCases:
            setattr(_class, 'test_' + _file.split('.')[0], lambda self, f=_file: self.eval_file(directory + f))
for _name, _class in list(globals().items()):
    if isinstance(_class, type) and issubclass(_class, unittest.TestCase) and _class not in all_tests:
        del globals()[_name]
"""}
COUNT = ("import sys, unittest, importlib; m = importlib.import_module('test.test_' + sys.argv[1]); "
         "m.__dict__.pop('load_tests', None); exec(sys.argv[2], m.__dict__); print(unittest.defaultTestLoader.loadTestsFromModule(m).countTestCases())")
PLACE = re.compile(r'^  File "(?:.*/)?([\w.]+\.py)", line (\d+)(?:, in (.*))?$', re.M)


def tests_folder():
    """Where CPython's tests are, or None."""
    if sys.version_info[:2] != (3, 11):
        return None
    try:
        import test
    except ImportError:
        return None
    folder = os.path.dirname(os.path.abspath(test.__file__))
    return folder if os.path.exists(os.path.join(folder, "test_bisect.py")) else None


class Source:
    """A file of tests, out of which pieces are dropped; lines keep their numbers."""

    def __init__(self, path, target, main):
        self.target, self.dropped, self.tests_dropped, self.never = target, [], 0, []
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        tree = ast.parse("\n".join(self.lines))
        if main:
            for node in tree.body:
                if isinstance(node, ast.FunctionDef) and node.name == "load_tests" or \
                        isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
                    self.blank(node)
        prepared = PREPARED.get(os.path.basename(target)[5:-3], "")
        self.ending = prepared + ENDING if main else "\n"
        self.pieces = []
        self.find_pieces(tree.body, "")
        for node in ast.walk(tree):
            if isinstance(node, tuple(OUT)) and getattr(node, "arg", "metaclass") == "metaclass":
                self.drop_at(node.lineno, "holds what is not in the language", writing=False)
        self.write()

    def write(self):
        with open(self.target, "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + self.ending)

    def find_pieces(self, body, inside):
        for node in body:
            name = inside + getattr(node, "name", "")
            inner = [getattr(node, part, []) for part in ("body", "orelse", "finalbody")]
            inner += [handler.body for handler in getattr(node, "handlers", [])]
            opened = isinstance(node, (ast.ClassDef, ast.If, ast.Try, ast.With))
            self.pieces.append((first_line(node), node.end_lineno, node, name, opened))
            for part in inner if opened else []:
                self.find_pieces(part, name + "." if isinstance(node, ast.ClassDef) else inside)

    def blank(self, node):
        start, end = first_line(node) - 1, node.end_lineno
        indent = " " * node.col_offset
        # What else is on the line goes too; a body must not become empty.
        self.lines[start:end] = [indent + "pass"] + [""] * (end - start - 1)

    def drop_at(self, line, why, writing=True):
        """Drops the smallest piece that a line is in; False: there is none, or it has been dropped."""
        around = [piece for piece in self.pieces if piece[0] <= line <= piece[1]]
        return self.drop(min(around, key=lambda piece: piece[1] - piece[0]), why, writing) if around else False

    def drop_test(self, name, why):
        """Drops a test by its name, Class.method; of whichever class has the method, if it is inherited."""
        method = name.split(".")[-1]
        named = [piece for piece in self.pieces if piece[3] == name]
        named = named or [piece for piece in self.pieces if piece[3].split(".")[-1] == method]
        return any([self.drop(piece, why) for piece in named])

    def drop(self, piece, why, writing=True):
        if not self.lines[piece[0] - 1].strip() or piece in self.dropped:
            return False
        node = piece[2]
        if self.without_name(node, why):
            return True
        self.blank(node)
        self.dropped.append(piece)
        functions = [part for part in ast.walk(node) if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
        self.tests_dropped += sum(part.name.startswith("test") for part in functions)
        self.reasons = getattr(self, "reasons", []) + [(piece[3] or type(node).__name__, piece[0], why)]
        if writing:
            self.write()
        return True


    def without_name(self, node, why):
        """Leaves the name out that cannot be imported, if the statement imports others, too."""
        named = re.search(r"cannot import name '(\w+)'|No module named '([\w.]+)'", why)
        if not named or not isinstance(node, (ast.Import, ast.ImportFrom)):
            return False
        name = named.group(1) or named.group(2)
        kept = [alias for alias in node.names if alias.name != name]
        if not kept or len(kept) == len(node.names):
            return False
        node.names = kept
        start, end = node.lineno - 1, node.end_lineno
        self.lines[start:end] = [" " * node.col_offset + ast.unparse(node)] + [""] * (end - start - 1)
        self.reasons = getattr(self, "reasons", []) + [("import of " + name, node.lineno, why)]
        self.write()
        return True


def first_line(node):
    return min([node.lineno] + [one.lineno for one in getattr(node, "decorator_list", [])])


def find_out(nacre):
    """Fills OUT."""
    for example, nodes in CONSTRUCTS.items():
        if subprocess.run([nacre, "-c", example], capture_output=True).returncode:
            OUT.extend(nodes)


# --- Running one file ----------------------------------------------------------------------------------


def lay_out(folder, tests, name):
    """The copies in a folder: {name of the file: Source}."""
    for root, _, files in os.walk(SHIM):
        for file in files:
            if not file.endswith(".py"):
                continue
            place = os.path.join(folder, os.path.relpath(os.path.join(root, file), SHIM))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy(os.path.join(root, file), place)
    for file in os.listdir(tests):  # the data
        if not file.endswith((".py", "__")) and file not in ("support", "libregrtest"):
            os.symlink(os.path.join(tests, file), os.path.join(folder, file))
    main = "test_%s.py" % name
    sources = {main: Source(os.path.join(tests, main), os.path.join(folder, main), True)}
    with open(os.path.join(tests, main), encoding="utf-8") as file:
        text = file.read()
    wanted = re.findall(r"^\s*from test import (\w+(?: *, *\w+)*)|^\s*(?:from|import) test\.(\w+)", text, re.M)
    for helper in [one.strip() for row in wanted for part in row for one in part.split(",")]:
        path = os.path.join(tests, helper + ".py")
        if helper and helper != "support" and helper + ".py" not in sources and os.path.exists(path):
            place = os.path.join(folder, "test", helper + ".py")
            if not os.path.exists(place):
                sources[helper + ".py"] = Source(path, place, False)
    return sources


def run_once(nacre, folder, name, limit):
    """(how it ended, standard error, [(test, outcome)]); the last outcome is '' if a test was going on."""
    told = os.path.join(folder, "told.txt")
    env = dict(os.environ, NACRE_TOLD=told, TMPDIR=folder)
    with open(told, "w"), open(os.path.join(folder, "out.txt"), "w") as out:
        pass
    with open(os.path.join(folder, "out.txt"), "w") as out, open(os.path.join(folder, "err.txt"), "w") as err:
        try:
            ended = subprocess.run([nacre, "test_%s.py" % name], cwd=folder, env=env, stdout=out, stderr=err,
                                   stdin=subprocess.DEVNULL, timeout=limit).returncode
        except subprocess.TimeoutExpired:
            ended = "takes more than %d s" % limit
    with open(os.path.join(folder, "err.txt"), encoding="utf-8", errors="replace") as file:
        err = file.read()
    with open(told, encoding="utf-8", errors="replace") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return ended, err, [(row[0], row[1] if len(row) > 1 else "", row[2] if len(row) > 2 else "") for row in rows]


def last_line(text):
    lines = [line for line in text.split("\n") if line.strip()]
    return lines[-1].strip()[:150] if lines else ""


def make_way(sources, name, ended, err, rows):
    """Drops what has stood in the way; False: it is not known what that is."""
    main = sources["test_%s.py" % name]
    if rows and rows[-1][0] != "END":
        if rows[-1][1] == "":
            why = ended if isinstance(ended, str) else "ends the program (%s) %s" % (ended, last_line(err))
            test = ".".join(rows[-1][0].split(" ")[0].split(".")[1:])
            main.never.append(test)
            return any([source.drop_test(test, why) for source in sources.values()])
        return False
    if isinstance(ended, str):
        return False
    found = False
    syntax = "SyntaxError" in err or "IndentationError" in err or "TabError" in err
    places = [(file, int(line)) for file, line, _ in PLACE.findall(err) if file in sources]
    for file, line in places if syntax else reversed(places):
        found = sources[file].drop_at(line, last_line(err)) or found
        if found and not syntax:
            break
    return found and main is not None


class Report:
    """What has become of one module's tests."""

    def __init__(self, name, sources, ended, err, rows):
        self.name = name
        outcomes = [row[1] for row in rows if row[0] != "END"]
        self.ran = len(outcomes)
        self.passed, self.failed = outcomes.count("ok"), outcomes.count("fail")
        self.errors, self.skipped = outcomes.count("error"), outcomes.count("skip")
        self.whole = bool(rows) and rows[-1][0] == "END"
        self.dropped = sum(source.tests_dropped for source in sources.values())
        self.reasons = [row for source in sources.values() for row in getattr(source, "reasons", [])]
        self.never = sources["test_%s.py" % name].never
        self.rows, self.why = rows, "" if self.whole else "%s: %s" % (ended, last_line(err))


def run_module(nacre, tests, name, never, patient=True):
    """None: it takes too long, and nobody is patient."""
    with tempfile.TemporaryDirectory() as folder:
        sources = lay_out(folder, tests, name)
        for test in never:
            for source in sources.values():
                source.drop_test(test, NEVER)
        for _ in range(ROUNDS):
            ended, err, rows = run_once(nacre, folder, name, LIMIT if patient else HURRY)
            if isinstance(ended, str) and not patient:
                return None
            if rows and rows[-1][0] == "END" or not make_way(sources, name, ended, err, rows):
                break
        return Report(name, sources, ended, err, rows)


def count(tests, name):
    """How many tests CPython finds."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", COUNT, name, PREPARED.get(name, "")], capture_output=True, text=True)
    return int(done.stdout.split()[-1]) if done.returncode == 0 else 0


# --- The table -----------------------------------------------------------------------------------------


def read_expected():
    """{module: (passed, of how many, tests that end the program or do not end)}."""
    with open(EXPECTED, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {row[0]: (int(row[1]), int(row[2]), row[3:]) for row in rows}


def write_expected(rows):
    with open(EXPECTED, "w", encoding="utf-8") as file:
        file.write("# Of CPython's test_MODULE.py: how many tests pass at least, how many there are, and tests that are not begun,\n"
                   "# as they end the program or do not end.\n")
        for name in sorted(rows):
            passed, of, never = rows[name]
            file.write(" ".join([name, str(passed), str(of)] + never) + "\n")


def share(passed, total):
    return "%.0f %%" % (100 * passed / total) if total else "–"


def write_page(path, reports, expected):
    rows = ["# CPython's own tests", "",
            "Test files of CPython 3.11 (`Lib/test/test_MODULE.py`) under Nacre, by `tests/modules/modules_test.py`. "
            "Shares are of the tests that CPython finds in a file; *dropped* are those that are taken out of it, as they "
            "hold something that is not part of the language.", "",
            "| module | tests | ran | passed | failed | errors | skipped | dropped | share |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    passed = total = 0
    for r in sorted(reports, key=lambda r: r.name):
        of = expected[r.name][1]
        passed, total = passed + r.passed, total + of
        rows.append("| %s | %d | %d | %d | %d | %d | %d | %d | %s |" % (
            r.name, of, r.ran, r.passed, r.failed, r.errors, r.skipped, r.dropped, share(r.passed, of)))
    rows.append("| all | %d | | %d | | | | | %s |" % (total, passed, share(passed, total)))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")


def show(report):
    for place, line, why in report.reasons:
        print("  dropped: %s (line %d): %s" % (place, line, why))
    for test, outcome, why in report.rows:
        if outcome not in ("ok", ""):
            print("  %s: %s: %s" % (outcome, test, why))
    if report.why:
        print("  not run to its end: %s" % report.why)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nacre")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--report", metavar="FILE")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_intermixed_args()
    tests = tests_folder()
    if tests is None:
        print("CPython 3.11's tests are not there: skipped")
        return SKIPPED
    expected = read_expected()
    names = args.names or sorted(expected)
    some = not (args.names or args.all or args.update or args.report)
    if some: # others for each library
        random.Random(os.path.getsize(args.nacre)).shuffle(names)
    begun = time.monotonic()

    def run_next(name):
        if some and time.monotonic() - begun > SECONDS:
            return None
        return run_module(nacre, tests, name, known.get(name, (0, 0, []))[2], not some)

    absent = [name for name in names if not os.path.exists(os.path.join(tests, "test_%s.py" % name))]
    if absent:
        print("CPython has no such tests: " + " ".join(absent))
        names = [name for name in names if name not in absent]
    nacre = os.path.abspath(args.nacre)
    find_out(nacre)
    worse, reports = [], []
    known = {} if args.update else dict(expected)
    with ThreadPoolExecutor(args.jobs) as pool:
        for r in pool.map(run_next, names):
            if r is None:
                continue
            least, of, _ = expected.get(r.name, (0, 0, []))
            of = of or count(tests, r.name)
            print("%-14s %4d of %4d (%s): ran %d, failed %d, errors %d, skipped %d, dropped %d" % (
                r.name, r.passed, of, share(r.passed, of), r.ran, r.failed, r.errors, r.skipped, r.dropped), flush=True)
            if args.names:
                show(r)
            if r.passed < least:
                worse.append("%s: %d tests pass, and there were %d" % (r.name, r.passed, least))
            reports.append(r)
            if args.update or r.name not in expected:
                expected[r.name] = r.passed, of, r.never
    if args.update:
        write_expected(expected)
    if args.report:
        write_page(args.report, reports, expected)
    print("\n".join(worse))
    return 1 if worse and not args.update else 0


if __name__ == "__main__":
    sys.exit(main())
