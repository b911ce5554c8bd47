#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Programs that were built with an older nacre.h still work: functions have the prototypes recorded in abi.txt,
structures with a size begin with the fields recorded there, all others are the same, as are numbers of
enumerations. What is new has to be recorded, by --update, which refuses to break what is there unless
--break is said, too.

usage: abi_test.py NACRE [--update [--break]]
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "abi.txt")
HEADER = os.path.join(HERE, "..", "..", "include", "nacre", "nacre.h")


def one_line(text):
    return re.sub(r"\s+", " ", text).strip().replace("( ", "(")


def declarations():
    """{name: line} of functions, types of functions, structures and enumerations, in the header's order."""
    with open(HEADER, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    found = {}
    for match in re.finditer(r"NACRE_API ([^;]*?\b(nacre_\w+)\([^;]*\));", text):
        found[match.group(2)] = "function " + one_line(match.group(1))
    for match in re.finditer(r"typedef ([^;{}]*\(\*(\w+)\)\([^;]*\));", text):
        found[match.group(2)] = "callback " + one_line(match.group(1))
    for match in re.finditer(r"typedef (struct|enum) (\w+) \{(.*?)\n\} \w+;", text, re.S):
        between = "; " if match.group(1) == "struct" else ", "
        parts = [one_line(part) for part in match.group(3).split(between.strip()) if part.strip()]
        # Commas in parameters of a callback that is a field do not occur: structures are parted by semicolons.
        found[match.group(2)] = "%s %s: %s" % (match.group(1), match.group(2), between.join(parts))
    return found


def read_record():
    if not os.path.exists(RECORD):
        return {}
    with open(RECORD, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    return dict(line.split("\t", 1) for line in lines)


def problem(name, before, now):
    """What a program built before would stumble over, or None."""
    if now is None:
        return name + " is gone"
    if now == before:
        return None
    may_grow = before.startswith("struct") and "size_t struct_size" in before or before.startswith("enum")
    if may_grow and now.startswith(before):
        return None
    return "%s is another one:\n  %s\n  %s" % (name, before, now)


def write_record(now):
    with open(RECORD, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: Apache-2.0\n# Copyright 2026 The Nacre Authors\n#\n"
                   "# The binary interface of libnacre.so.0, as abi_test.py has read it from nacre.h.\n\n")
        for name, line in now.items():
            file.write("%s\t%s\n" % (name, line))


def main():
    before, now = read_record(), declarations()
    broken = [what for what in (problem(name, line, now.get(name)) for name, line in before.items()) if what]
    for what in broken:
        print(what)
    if "--update" in sys.argv and (not broken or "--break" in sys.argv):
        write_record(now)
        return 0
    new = [name for name in now if now[name] != before.get(name)] if not broken else []
    for name in new:
        print("%s is not recorded: run with --update" % name)
    print("%d declarations, %d problems" % (len(now), len(broken) + len(new)))
    return int(bool(broken or new) or len(now) < 100)


if __name__ == "__main__":
    sys.exit(main())
