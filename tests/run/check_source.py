#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Checks of the source tree that no compiler makes.

layers   a folder includes only folders below it (the table is in LAYERS)
headers  every source file begins with its licence line, copyright line and a comment
elements files that touch elements of arrays on the host are those in ON_HOST
slots    every field of the tables that parts of the engine agree on is read by somebody (SLOTS)
effects  what native functions declare of their effects is what they do (effects.py)
"""

import os
import re
import sys

import effects

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Each folder and what it may include, besides itself. The longest matching folder counts.
LAYERS = {
    "lang/support": [],
    "lang": ["lang/support"],
    "vm/value": ["lang"],
    "vm/graph": ["lang", "vm/value"],
    "vm/array": ["lang", "vm/value", "vm/graph"],
    "vm/kernel": ["lang", "vm/value", "vm/graph"],
    "vm/region": ["lang/support", "vm/graph", "vm/kernel"],
    "vm/plugin": ["lang/support", "vm/value", "vm/graph", "vm/kernel", "vm/region"],
    "vm/plan": ["lang", "vm/value", "vm/graph", "vm/kernel", "vm/plugin"],
    "vm/sched": ["lang", "vm/value", "vm/graph", "vm/kernel", "vm/region", "vm/plugin", "vm/plan"],
    "vm/interp": ["lang", "vm"],
    "vm/jit": ["lang", "vm"],
    "vm/api": ["lang", "vm", "backends", "dist", "stdlib", "include"],
    "backends": ["lang/support", "vm/value", "vm/graph", "vm/kernel", "vm/region", "vm/plugin"],
    "backends/grid": ["lang/support", "vm/value", "vm/graph", "vm/kernel", "vm/region", "vm/plugin", "backends/emit"],
    "backends/opencl": ["lang/support", "vm/value", "vm/graph", "vm/kernel", "vm/region", "vm/plugin", "backends/emit",
                        "backends/grid"],
    "backends/cuda": ["lang/support", "vm/value", "vm/graph", "vm/kernel", "vm/region", "vm/plugin", "backends/emit",
                      "backends/grid", "backends/cpu/native"],
    "dist": ["lang/support", "vm/value", "vm/plugin"],
    "rt": ["lang/support", "vm/value", "vm/graph", "vm/kernel", "vm/region", "vm/plugin", "backends/cpu", "include"],
    "stdlib": ["lang", "vm", "include"],
    "stdlib/sparse": ["lang/support", "vm/value", "vm/graph", "backends/cpu/loops"],
    "stdlib/suitesparse": ["lang/support", "vm/graph", "stdlib/sparse"],
    "tools": ["lang"],
    "hosts": ["include"],
}
# Who asks for elements on the host, and why that is no array work, which is done by nodes of the
# graph. The list may only get shorter, or get another way in or out of arrays.
ON_HOST = {
    "vm/array/array_new.c": "array_read and array_write themselves",
    "vm/array/array_kind.c": "truth, int(), float() of an array with one element",
    "vm/array/buffers.c": "arrays from bytes, and bytes of arrays",
    "vm/array/convert.c": "arrays from lists",
    "vm/array/distinct.c": "distinct values of a few elements, whose number is only known then",
    "vm/array/element.c": "a number from an array with one element",
    "vm/graph/row_runs.c": "indices of sparse matrices, which are looked at once",
    "vm/array/flat.c": "an array without dimensions that stands for an index, and which index was out of range",
    "vm/array/index_get.c": "single elements",
    "vm/array/index_key.c": "an array without dimensions that stands for an int or a bool",
    "vm/array/index_set.c": "single elements",
    "vm/array/index_walk.c": "which index was out of range",
    "vm/array/mapped.c": "files mapped into memory",
    "vm/array/print.c": "text",
    "vm/array/reshape.c": "tolist",
    "vm/array/take_put.c": "how often each element is repeated, which says how many there are",
    "vm/array/ufunc.c": "a result without dimensions is a scalar",
    "vm/array/sort.c": "the range of a few numbers, which says how many counts there are",
    "vm/graph/graph.c": "graph_host itself",
    "vm/graph/fill.c": "memory for those who look at an array of one value",
    "vm/sched/blocks.c": "blocks of distributed arrays, which are sent and received",
    "vm/sched/flight.c": "which index was out of range",
    "vm/sched/batch.c": "scalars that differ from round to round, which become an array",
    "vm/sched/split_mask.c": "how many elements of a rank's part are selected",
    "vm/sched/split_finish.c": "partial results, which are sent and combined",
    "vm/sched/boxes.c": "elements that are packed to be sent",
    "vm/sched/grid.c": "boxes that are packed to be sent, and what comes of them",
    "vm/sched/grid_move.c": "boxes that are packed to be sent, and what comes of them",
    "vm/sched/split_grid.c": "where results of parts begin",
    "stdlib/ranks/grids.c": "a rank's own box",
    "vm/sched/own.c": "addresses for kernels of the engine's own",
    "vm/sched/split_scan.c": "the last elements of each part, which are gathered",
    "vm/sched/split_sort.c": "samples, and shares that are sent",
    "vm/sched/places.c": "elements at indices, which are sent, and the indices",
    "vm/sched/split_extreme.c": "the largest elements of each part, which are sent and compared",
    "vm/sched/split_lines.c": "which entries and columns ranks need: rows and indices of a sparse matrix",
    "vm/sched/split_places.c": "an identity, where values of a rank's own are combined into an array",
    "vm/sched/memory.c": "what a host that watches is shown",
    "vm/jit/items.c": "loops on a device, whose arrays come home where a round gives up",
    "vm/sched/items.c": "the same",
    "vm/jit/parts.c": "loops that ranks share, each on its own blocks",
    "vm/jit/enter.c": "loops whose statements touch single elements",
    "vm/api/arrays.c": "elements that the host reads and writes",
    "vm/api/dlpack.c": "elements that other libraries see",
    "vm/api/graph.c": "results of a graph without a script",
    "stdlib/buffer.c": "arrays that natives write bytes into",
    "stdlib/numpy/create.c": "an array without dimensions, whose number another array is filled with",
    "stdlib/numpy/file.c": "files",
    "stdlib/numpy/fromstring.c": "texts",
    "stdlib/numpy/loadtxt.c": "files",
    "stdlib/numpy/raw.c": "files",
    "stdlib/numpy/zip.c": "files",
    "stdlib/ranks/codec.c": "arrays that one rank has read for all",
    "stdlib/ranks/deliver.c": "elements of this rank's part that others need, which are sent",
    "stdlib/ranks/parts.c": "copies of the part that this rank has",
    "stdlib/ranks/replicate.c": "arrays that rank 0 is about to look at",
    "stdlib/numpy/random_bits.c": "states of generators, from and to arrays",
    "stdlib/numpy/random_draw.c": "random numbers, drawn one after the other",
    "stdlib/numpy/random_int.c": "random numbers, drawn one after the other",
    "stdlib/numpy/random_vectors.c": "random numbers, drawn one after the other",
    "stdlib/imsave.c": "pictures",
    "vm/sched/placing.c": "arrays that a script wants on the host",
    "stdlib/pictures.c": "pictures: arrays go to a plug-in",
    "stdlib/sparse.c": "operations on sparse matrices are those of plug-ins",
}
TOUCHES = re.compile(r"\b(?:array_read|array_fetch|array_write|graph_read|graph_read_element|graph_fetch|graph_write|graph_host)\(|buffer\.host\b")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
GENERATED = {"nacre_config.h", "nacre_commit.h", "emit_prelude.h", "lua_core.h", "lua_inside.h", "lua_pass.h",
             "logo.h"}
EMBEDDED = re.compile(r"grid_text_\w+[.]h$")
SOURCE = (".c", ".h", ".def", ".py", ".ncr", ".cmake", ".sh")
SPDX = "SPDX-License-Identifier: Apache-2.0"
SUBJECT = re.compile(r"//\n// \w| \*\n \* \w")
COPYRIGHT = re.compile(r"Copyright \d{4} The Nacre Authors")


def source_files():
    names = []
    for place, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if f[0] != "." and f not in ("build", "__pycache__")]
        names += [os.path.relpath(os.path.join(place, file), ROOT) for file in files]
    return sorted(names)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def layer_of(folder):
    while folder and folder not in LAYERS:
        folder = os.path.dirname(folder)
    return folder


def within(folder, places):
    return any(folder == place or folder.startswith(place + "/") for place in places)


def resolve(includer, target):
    """The folder of an included file inside the tree, or None for generated and outside ones."""
    beside = os.path.join(os.path.dirname(includer), target)
    for candidate in (beside, target, os.path.join("include", target)):
        if os.path.isfile(os.path.join(ROOT, candidate)):
            return os.path.dirname(os.path.normpath(candidate))
    return None


def check_layers():
    problems = []
    for name in source_files():
        folder = layer_of(os.path.dirname(name))
        if not name.endswith((".c", ".h", ".def")) or not folder:
            continue
        for target in INCLUDE.findall(read(name)):
            place = resolve(name, target)
            if place is None:
                if target not in GENERATED and not EMBEDDED.match(target):
                    problems.append("%s includes %s, which is not there" % (name, target))
            elif not within(place, LAYERS[folder] + [folder, os.path.dirname(name)]):
                problems.append("%s (layer %s) includes %s" % (name, folder, target))
    return problems


def check_elements():
    touching = {name for name in source_files() if name.endswith(".c") and
                not name.startswith("tests/") and TOUCHES.search(read(name))}
    return (["%s touches elements on the host" % name for name in sorted(touching - set(ON_HOST))] +
            ["%s does not touch elements: take it off the list" % name
             for name in sorted(set(ON_HOST) - touching)])


# Structures whose every field is there to be read: where each is declared, by which names others reach it, and
# fields that tests alone read, with the reason.
SLOTS = {
    "OpInfo": ("vm/graph/op.h", r"op_info\[[^\]]*\]\.|\binfo->",
               {"tolerance": "bounds of backends: tests/backends/tolerance_test.c"}),
    "Backend": ("vm/plugin/backend.h", r"\b(?:backend|chosen|found)->|\bbackends\[\w+\]->|\(\*at\)->",
                {}),
    "Ranks": ("vm/plugin/ranks.h", r"\bfns->|\b(?:found|ranks)->|\branks\[\w+\]->|\(\*at\)->", {}),
    "GraphHooks": ("vm/graph/graph.h", r"\bhooks(?:\.|->)", {}),
    "Node": ("vm/graph/node.h", r"\b(?:node|copy|first|last|spare|n|of|sum|root|product|scaling|reduction|reader)(?:->|\.)", {}),
    "NodeAttrs": ("vm/graph/node.h", r"\battrs(?:\.|->)", {}),
    "Storage": ("vm/graph/storage.h", r"\bstorage(?:->|\.)|\bstorages\[\w+\]->|\b(?:to|from|old|new|between)->", {}),
    "Buffer": ("vm/graph/storage.h", r"\bbuffer(?:\.|->)|\bto->|\b[ab]->", {}),
}


def fields_of(text, name):
    """The names of a structure's fields."""
    body = re.search(r"typedef struct %s \{(.*?)^\} %s;" % (name, name), text, re.M | re.S).group(1)
    body = re.sub(r"//[^\n]*", "", body)
    fields = []
    for line in body.split(";"):
        pointer = re.search(r"\(\*(\w+)\)\(", line)
        names = [pointer.group(1)] if pointer else [re.sub(r"\[.*", "", part).split(" ")[-1].lstrip("*")
                                                   for part in line.strip().split(",")]
        fields += [field for field in names if field]
    return fields


def dead_fields(fields, reach, sources):
    """Fields that nothing reads; assigning one, or naming it in an initializer, is not reading."""
    return [field for field in fields
            if not re.search(r"(?:%s)%s\b(?!\s*=[^=])" % (reach, re.escape(field)), sources)]


def check_slots():
    sources = "\n".join(read(name) for name in source_files() if name.endswith((".c", ".h", ".def")) and
                        name.startswith(("vm/", "backends/", "stdlib/", "rt/")))
    sources = re.sub(r"//[^\n]*", "", sources)
    problems = []
    for name, (place, reach, tests) in SLOTS.items():
        fields = fields_of(read(place), name)
        dead = dead_fields(fields + ["planted"], reach, sources)
        if "planted" not in dead:
            problems.append("the check of %s finds no dead field" % name)
        problems += ["nobody reads %s.%s (%s)" % (name, field, place) for field in dead
                     if field != "planted" and field not in tests]
        problems += ["%s.%s is read: take it off the list" % (name, field) for field in tests if field not in dead]
    return problems


def check_headers():
    problems = []
    for name in source_files():
        if not (name.endswith(SOURCE) or os.path.basename(name) == "CMakeLists.txt"):
            continue
        lines = read(name).split("\n")
        if lines[0].startswith(("#!", "# oracle:")):
            del lines[0]
        lines += [""] * 3
        if not (SPDX in lines[0] and COPYRIGHT.search(lines[1])):
            problems.append("%s lacks the licence and copyright lines" % name)
        elif name.endswith((".c", ".h")) and not SUBJECT.match("\n".join(lines[2:4])):
            problems.append("%s does not say its subject after the copyright line" % name)
    return problems


def check_effects():
    return effects.problems_of(effects.source_tree(source_files(), read))


def main():
    checks = {"layers": check_layers, "headers": check_headers, "elements": check_elements, "slots": check_slots,
              "effects": check_effects}
    if len(sys.argv) != 2 or sys.argv[1] not in checks:
        sys.exit("usage: check_source.py " + "|".join(checks))
    problems = checks[sys.argv[1]]()
    print("\n".join(problems) if problems else "ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
