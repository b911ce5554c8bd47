# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A kernel compiled by Pythran, ahead of time and for the types of its arguments. What was compiled
once is kept in build/suites, and so is why it could not be."""

import ast
import hashlib
import importlib.util
import os
import re
import subprocess
import sys

import numpy as np
import pythran
from programs import kernel_text

FLAGS = ["-DUSE_XSIMD", "-O3", "-march=native", "-fopenmp"]
BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "build",
                     "suites", "pythran")


def used(tree, name):
    """The statements of a program that the function `name` needs: itself, the functions and
    constants that it names, the imports."""
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    wanted, waiting = set(), [name]
    while waiting:
        one = waiting.pop()
        if one in defined and one not in wanted:
            wanted.add(one)
            waiting += [n.id for n in ast.walk(defined[one]) if isinstance(n, ast.Name)]
    return [node for node in tree.body
            if not isinstance(node, ast.FunctionDef) or node.name in wanted]


def type_of(value):
    """A value's type as Pythran spells it."""
    if isinstance(value, np.ndarray):
        return "%s[%s]" % (value.dtype, ",".join(":" * value.ndim))
    return str(value.dtype) if isinstance(value, np.generic) else type(value).__name__


def program_of(name, given):
    text = kernel_text(name)
    parts = [ast.get_source_segment(text, node) for node in used(ast.parse(text), name)]
    export = "#pythran export %s(%s)\n" % (name, ", ".join(type_of(value) for value in given))
    return export + "\n\n".join(parts) + "\n"


def reason(said):
    """One line of what Pythran or its compiler said."""
    found = re.search(r"\berror: (.*)", said)
    lines = [line.strip() for line in said.split("\n") if line.strip()]
    return (found.group(1) if found else (lines or ["no word"])[-1])[:160]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def build(source, target, failure):
    """Compiles into a file of its own, which then takes its place."""
    part = "%s.%d.so" % (target, os.getpid())
    command = [os.path.join(os.path.dirname(sys.executable), "pythran"), *FLAGS, source, "-o", part]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        write(failure, reason(done.stdout + "\n" + done.stderr))
    else:
        os.replace(part, target)


def compiled(name, given):
    """The kernel's function for arguments of these types."""
    text = program_of(name, given)
    key = hashlib.sha256((text + " ".join(FLAGS) + pythran.__version__).encode()).hexdigest()[:16]
    folder = os.path.join(BUILD, "%s_%s" % (name, key))
    source, target, failure = (os.path.join(folder, name + end) for end in (".py", ".so", ".why"))
    if not os.path.exists(target) and not os.path.exists(failure):
        os.makedirs(folder, exist_ok=True)
        write(source, text)
        build(source, target, failure)
    if os.path.exists(failure):
        sys.exit("not compiled: " + read(failure))
    spec = importlib.util.spec_from_file_location(name, target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)
