#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Where modules are looked for: beside the script however it is named, in PYTHONPATH; packages in programs that have their files
with them.

usage: import_path_test.py NACRE
"""

import os
import subprocess
import sys
import tempfile

FILES = {
    "app/main.py": "import sys, beside, outside\nfrom pack.inner import deep\n"
                   "print(beside.__file__, outside.value, deep.text, sys.path[0], __file__)\n",
    "app/beside.py": "",
    "app/pack/__init__.py": "from .first import one\n",
    "app/pack/first.py": "one = 1\n",
    "app/pack/inner/__init__.py": "",
    "app/pack/inner/deep.py": "from .. import one\nfrom ..first import one as again\ntext = f'deep {one} {again}'\n",
    "lib/outside.py": "value = 'from outside'\n",
}


def write_files(folder):
    for name, text in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def run(nacre, folder, script, path="lib"):
    environment = dict(os.environ, PYTHONPATH="%s::/nowhere" % os.path.join(folder, path))
    done = subprocess.run([nacre, script], cwd=os.path.join(folder, "app"), capture_output=True, text=True, env=environment,
                          timeout=120)
    return done.stdout + done.stderr


def main():
    nacre = os.path.abspath(sys.argv[1])
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        write_files(folder)
        app = os.path.join(folder, "app")
        wanted = "%s from outside deep 1 1 %s %s\n" % (os.path.join(app, "beside.py"), app, os.path.join(app, "main.py"))
        for script in ("main.py", "./main.py", "../app/main.py", "pack/../main.py", os.path.join(app, "main.py")):
            found = run(nacre, folder, script)
            if found != wanted:
                wrong += 1
                print("%s: %r, not %r" % (script, found, wanted))
        absent = run(nacre, folder, "main.py", "nowhere")
        if "ModuleNotFoundError: No module named 'outside'" not in absent:
            wrong += 1
            print("without its folder in PYTHONPATH: %r" % absent)
    print("%d wrong" % wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
