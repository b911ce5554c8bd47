# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A copy of the tree, built twice: as it is tested, and counting the lines that run. A changed
source is compiled beside the first build, which is never touched, and linked with its objects."""

import hashlib
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile

SHARED = ("venv", "oracle")  # what the tests look for in build/
BUILDS = {
    "fast": ["-DCMAKE_BUILD_TYPE=Release"],
    "cover": [
        "-DCMAKE_BUILD_TYPE=Coverage",  # a type without flags of its own
        "-DCMAKE_C_FLAGS=-O0 -DNDEBUG",
        "-DNACRE_COVERAGE=ON",
    ],
}


class NotCompiled(Exception):
    """The compiler or the linker refuses the change."""


class BuildBroken(Exception):
    """The standard library cannot be compiled by the changed compiler."""


def output(command, **how):
    return subprocess.run(command, check=True, capture_output=True, **how).stdout


def committed_files(root, commit):
    """{name: (bytes, mode)}"""
    with tarfile.open(fileobj=io.BytesIO(output(["git", "-C", root, "archive", commit]))) as tar:
        members = [m for m in tar.getmembers() if m.isfile()]
        return {m.name: (tar.extractfile(m).read(), m.mode) for m in members}


def working_files(root):
    listed = output(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"])
    files = {}
    for name in filter(None, listed.decode().split("\0")):
        path = os.path.join(root, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                files[name] = file.read(), os.stat(path).st_mode & 0o777
    return files


class Copy:
    def __init__(self, root, home, commit):
        """`commit` is None for the working tree."""
        self.root, self.home = root, home
        self.tree = os.path.join(home, "tree")
        self.builds = {name: os.path.join(home, name) for name in BUILDS}
        self.changed = os.path.join(home, "changed")  # what was compiled of a change
        name = output(["git", "-C", root, "rev-parse", "--short", commit or "HEAD"])
        self.commit = name.decode().strip() + ("" if commit else " and more")
        self.files = committed_files(root, commit) if commit else working_files(root)

    # --- the tree and its builds ---

    def refresh(self):
        """Brings the copy up to date; unchanged files keep their times."""
        for name, (data, mode) in self.files.items():
            path = os.path.join(self.tree, name)
            if not os.path.isfile(path) or self.read_bytes(name) != data:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)
                os.chmod(path, mode)
        for here, folders, names in os.walk(self.tree):
            if here == self.tree and "build" in folders:
                folders.remove("build")
            for name in names:
                path = os.path.join(here, name)
                if os.path.relpath(path, self.tree) not in self.files:
                    os.unlink(path)
        self.share()

    def share(self):
        folder = os.path.join(self.tree, "build")
        os.makedirs(folder, exist_ok=True)
        for name in SHARED:
            there, link = os.path.join(self.root, "build", name), os.path.join(folder, name)
            if os.path.isdir(there) and not os.path.lexists(link):
                os.symlink(there, link)

    def build(self, name, jobs, cmake):
        configure = ["cmake", "-S", self.tree, "-B", self.builds[name], "-G", "Ninja"]
        configure += ["-DNACRE_TESTS=ON"] + BUILDS[name] + cmake
        make = ["cmake", "--build", self.builds[name], "--parallel", str(jobs)]
        with open(os.path.join(self.home, name + ".log"), "wb") as log:
            for command in configure, make:
                if subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode:
                    sys.exit("mutate: the unchanged tree does not build; see " + log.name)
        if name == "fast":
            self.read_build()

    def read_bytes(self, name):
        with open(os.path.join(self.tree, name), "rb") as file:
            return file.read()

    def read(self, name):
        return self.read_bytes(name).decode()

    def digest(self, *folders):
        """Of some files, or of all that is in some folders, of the copy."""
        digest = hashlib.sha256()
        for folder in folders:
            if os.path.isfile(os.path.join(self.tree, folder)):
                digest.update(self.read_bytes(folder))
            for here, below, names in os.walk(os.path.join(self.tree, folder)):
                below.sort()
                for name in sorted(n for n in names if not n.endswith(".pyc")):
                    path = os.path.relpath(os.path.join(here, name), self.tree)
                    digest.update(path.encode() + b"\0" + self.read_bytes(path) + b"\0")
        return digest.hexdigest()[:20]

    # --- what the fast build does ---

    def read_build(self):
        """Commands and dependencies, as CMake and Ninja know them."""
        self.fast = self.builds["fast"]
        self.compiling, self.users, self.linking = {}, {}, {}
        with open(os.path.join(self.fast, "compile_commands.json"), encoding="utf-8") as file:
            for row in json.load(file):
                command = shlex.split(row["command"])
                self.compiling[command[command.index("-o") + 1]] = command
        target = None
        for line in output(["ninja", "-C", self.fast, "-t", "deps"]).decode().split("\n"):
            if line.startswith(" "):
                self.users.setdefault(os.path.normpath(line.strip()), []).append(target)
            else:
                target = line.partition(":")[0]

    def dependents(self, name):
        """The objects that are compiled from a file, directly or not."""
        return self.users.get(os.path.join(self.tree, name), [])

    def link_command(self, program):
        if program not in self.linking:
            text = output(["ninja", "-C", self.fast, "-t", "commands", program]).decode()
            words = shlex.split(text.rstrip().split("\n")[-1])
            self.linking[program] = [w for w in words if w not in (":", "&&")]
        return self.linking[program]

    # --- a change ---

    def compile_change(self, path, text):
        """{object: path of its changed form} for `text` in the place of a source. Objects that come
        out as they were are left out."""
        shutil.rmtree(self.changed, ignore_errors=True)
        source = os.path.join(self.tree, path)
        times, original = os.stat(source), self.read_bytes(path)
        try:
            with open(source, "wb") as file:
                file.write(text.encode())
            return self.compile_objects(self.dependents(path))
        finally:
            with open(source, "wb") as file:
                file.write(original)
            os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))

    def compile_objects(self, objects):
        changed = {}
        for name in objects:
            out = os.path.join(self.changed, name)
            self.compile(name, out)
            if not self.same_bytes(out, os.path.join(self.fast, name)):
                changed[name] = out
        return changed

    def compile(self, name, out):
        command = list(self.compiling[name])
        command[command.index("-o") + 1] = out
        os.makedirs(os.path.dirname(out), exist_ok=True)
        if subprocess.run(command, cwd=self.fast, capture_output=True).returncode:
            raise NotCompiled

    @staticmethod
    def same_bytes(a, b):
        with open(a, "rb") as one, open(b, "rb") as other:
            return one.read() == other.read()

    def link(self, program, objects):
        """A program of the fast build with some objects changed; None when it has none of them."""
        out = os.path.join(self.changed, program)
        command, used = [], False
        in_library = [p for name, p in objects.items() if self.is_of_library(name)]
        for word in self.link_command(program):
            if word in objects:
                word, used = objects[word], True
            elif word.endswith("libnacre.a"):
                command += in_library  # before the library: its own are then not taken
                used = used or bool(in_library)
            command.append(word)
        if not used:
            return None
        command[command.index("-o") + 1] = out
        os.makedirs(os.path.dirname(out), exist_ok=True)
        if subprocess.run(command, cwd=self.fast, capture_output=True).returncode:
            raise NotCompiled
        return out

    def is_of_library(self, name):
        return name.split("/")[1] in (
            "nacre_lang.dir", "nacre_vm.dir", "nacre_backends.dir", "nacre_stdlib.dir",
            "nacre_stdlib_bytecode.dir",
        ) and name.startswith("CMakeFiles/")

    def compile_library(self, objects, seconds):
        """Where the compiler of the language is changed: does the standard library come out as
        before? If not, its object is added to `objects`."""
        ncc = self.link("bin/nacre_ncc", objects)
        if not ncc:
            return
        made = "generated/stdlib_bytecode.c"
        with tempfile.TemporaryDirectory(dir=self.home) as folder:
            modules = self.library_modules()
            new = os.path.join(folder, "stdlib_bytecode.c")
            done = subprocess.run(
                [ncc, "-o", new] + modules, cwd=os.path.join(self.tree, "stdlib"),
                capture_output=True, timeout=seconds)
            if done.returncode:
                raise BuildBroken(done.stderr.decode(errors="replace").strip()[-200:])
            if self.same_bytes(new, os.path.join(self.fast, made)):
                return
            name = next(n for n in self.compiling if n.endswith("stdlib_bytecode.c.o"))
            command = self.compiling[name]
            out = os.path.join(self.changed, name)
            os.makedirs(os.path.dirname(out), exist_ok=True)
            words = [new if w.endswith(made) else w for w in command]
            words[words.index("-o") + 1] = out
            if subprocess.run(words, cwd=self.fast, capture_output=True).returncode:
                raise BuildBroken("its bytecode is no C")
            objects[name] = out

    def library_modules(self):
        text = output(["ninja", "-C", self.fast, "-t", "commands", "generated/stdlib_bytecode.c"])
        words = shlex.split(text.decode().rstrip().split("\n")[-1])
        at = max(i for i, word in enumerate(words) if word.endswith("stdlib_bytecode.c"))
        return words[at + 1 :]
