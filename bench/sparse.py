#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""scipy.sparse beside SciPy: the same program by both, taken by turns. Writes bench/results/sparse.md.

    bench/compare --suite sparse                all; forty minutes
    bench/compare --suite sparse spmv cg        names that have these in them; writes nothing

Other libraries have columns if they are there: the packages of bench/suites/sparse_peers.txt in a virtual environment
build/sparse-peers, or in that of the Python that --peers names; PETSc is Debian's package python3-petsc4py, run by as many
processes as --ranks says, with huge pages.
"""

import glob
import os
import subprocess
import sys
import tempfile

import measure
from sparse_cases import APPLICATIONS, CASES, PEERS, PETSC_CASES, application, program

ABOUT = """\
The same program by Nacre and by CPython with SciPy; milliseconds are the median of several calls in a process, and ratios
those of {turns} processes each, taken by turns, with their range. Above 1 Nacre is faster. Both have all cores; SciPy uses one
but where it calls a library. Applications are timed once in a process, without the imports.{peers}"""
ABOUT_PEERS = """
Columns of other libraries say how many times as long they take as Nacre; they too have all cores: PETSc is run by
{ranks} of MPI's processes, with huge pages."""

# Debian's Python, and where its PETSc is.
SYSTEM = "/usr/bin/python3"
PETSC = "/usr/lib/petscdir/petsc*/*-real/lib/python3/dist-packages"


def seconds(command):
    """What a program says that it took."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode:
        sys.exit("failed: %s\n%s" % (" ".join(command), done.stderr[-2000:]))
    return float(done.stdout.split()[-1])


def peers_there(python):
    """Those of the peers that this Python can import. sparse_dot_mkl has to be told where the library is."""
    for found in glob.glob(os.path.join(os.path.dirname(python), "..", "lib", "libmkl_rt.so*")):
        os.environ.setdefault("MKL_RT", found)

    def there(package):
        return subprocess.run([python, "-c", "import " + package], capture_output=True).returncode == 0

    return [name for name, (package, _) in PEERS.items() if there(package)] if os.access(python, os.X_OK) else []


def petsc_command(options):
    """What runs bench/sparse_petsc.py, or None where PETSc is missing."""
    found = glob.glob(PETSC)
    if not found or not os.access(SYSTEM, os.X_OK):
        return None
    environment = {"PYTHONPATH": found[0], "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return (["env"] + ["%s=%s" % pair for pair in environment.items()]
            + ["mpiexec", "-n", str(options.ranks), "--bind-to", "none", SYSTEM,
               os.path.join(measure.ROOT, "bench", "sparse_petsc.py")])


def chosen(options):
    """(name, what it is, program, arguments) of what is to be measured."""
    def wanted(name):
        return not options.only or any(each in name for each in options.only)

    for name, what, before, timed in CASES:
        if wanted(name):
            yield name, what, program(before, timed), []
    for name, what, (file, *arguments) in APPLICATIONS:
        if wanted(name):
            yield name, what, application(file), arguments


def commands_for(options, folder, case, peers):
    """The command of Nacre, that of SciPy, and of each of the peers, None where it does not do the case."""
    name, _, text, arguments = case
    texts = [text, text]
    befores = {each: before for each, _, before, _ in CASES}
    for peer in peers:
        its = PEERS[peer][1].get(name)
        texts.append(its and program(befores[name] + "\n" + its[0], its[1]))
    commands = []
    for at, (python, each) in enumerate(zip([options.nacre, options.python] + [options.peers] * len(peers), texts)):
        path = os.path.join(folder, "%s-%d.py" % (name, at))
        if each:
            with open(path, "w", encoding="utf-8") as file:
                file.write(each)
        commands.append([python, path] + arguments if each else None)
    petsc = petsc_command(options)
    if petsc:
        commands.append(petsc + [name] if name in PETSC_CASES else None)
    return commands


def row(options, folder, case, peers):
    """A line of the table."""
    commands = commands_for(options, folder, case, peers)
    found = iter(measure.interleaved([each for each in commands if each], options.pairs, seconds))
    ours, *others = [next(found) if each else None for each in commands]
    cells = [case[1], "%.2f" % (measure.median(others[0]) * 1e3), "%.2f" % (measure.median(ours) * 1e3)]
    cells += ["%.2f (%.2f–%.2f)" % measure.ratios(each, ours) if each else "" for each in others]
    return "| " + " | ".join(cells) + " |"


def main():
    options = measure.arguments(__doc__.split("\n")[0], 5, lambda add: (
        add("--suite"), add("--peers", metavar="PYTHON", help="the Python that has other libraries",
                            default=os.path.join(measure.ROOT, "build", "sparse-peers", "bin", "python")),
        add("--ranks", type=int, default=os.cpu_count(), help="processes of PETSc")))
    peers = peers_there(options.peers)
    others = peers + (["PETSc"] if petsc_command(options) else [])
    head = ["what", "SciPy, ms", "Nacre, ms", "times as fast"] + others
    rows = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    with tempfile.TemporaryDirectory(prefix="nacre-sparse-") as folder:
        for case in chosen(options):
            rows.append(row(options, folder, case, peers))
            print(rows[-1], file=sys.stderr, flush=True)
    about = ABOUT.format(turns=options.pairs, peers=ABOUT_PEERS.format(ranks=options.ranks) if others else "")
    measure.write(options, "sparse.md", "scipy.sparse beside SciPy", about, rows)


if __name__ == "__main__":
    main()
