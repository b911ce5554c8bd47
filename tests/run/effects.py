# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What native functions declare (Purity, vm/value/kind.h) beside what they call.

A row that is PURE or INNER, a slot, an attribute, the init of a module reach no call of the system that has an effect, but
through a row of its own, which makes a native INNER; a row with an effect reaches a call of its sort.
"""

import re

from c_calls import Program, Row

CALLS = {
    "CLOCK": """clock clock_gettime clock_nanosleep getrusage gettimeofday nanosleep sleep time times usleep""",
    "ENV": """dlopen dlsym environ getauxval getcwd getegid geteuid getenv getgid gethostname getlogin getpid getppid
        getpwuid gettid getuid gnu_get_libc_version ioctl localtime localtime_r mktime pthread_self
        sched_getaffinity secure_getenv setlocale sysconf tzname tzset uname""",
    "FILESYSTEM": """access chdir chmod chown close closedir copy_file_range creat dup dup2 execv execve execvp faccessat
        fchmod fclose fcntl fdopendir fflush fgets flock fopen fork fprintf fputs fread freopen fseek fstat fstatat fsync
        ftruncate fwrite getchar getline isatty kill lchown link lseek lstat mkdir mkdirat mkdtemp mkstemp msync open openat
        opendir pipe pipe2 poll popen posix_spawn posix_spawnp pread printf putchar puts pwrite read readdir readlink
        readv realpath rename renameat rmdir scandir select sendfile socket stat statvfs symlink system tmpfile truncate
        umask unlink unlinkat utimensat vfork vprintf waitid waitpid write writev
        host.write host.read_line host.display host.publish host.ask host.module""",
    "ENTROPY": "arc4random getentropy getrandom rand random srand srandom",
}
EFFECT_OF = {name: effect for effect, names in CALLS.items() for name in names.split()}

# Functions that are not looked into, and why what they do is no effect of who calls them.
OWN = {
    "print_error": "np.seterr(all='print'): as vm_warn",
    "kept_total": "how many blocks of memory are kept for arrays to come",
    "stdlib_more": "the library's own plug-in of modules",
    "look": "the library's own plug-ins",
    "open_library": "PCRE2, which module re is made of",
    "run_slices": "measures how far to go until the host is asked whether to stop; what is found does not depend on it",
    "vm_warn": "the VM's warnings, of which the host is told; what it does about them is its own business",
    "vm_warn_class": "as vm_warn",
    "engine_observe_all": "array work, which reads what is the engine's own: its cache of kernels, its libraries",
}

HANDLE = "asks a handle, which one rank has"

# Rows with an effect that reach no call of its sort, and why they have it all the same.
UNSEEN = {
    "stdlib/file.c:closed": HANDLE,
    "stdlib/file.c:method_readable": HANDLE,
    "stdlib/file.c:method_writable": HANDLE,
    "stdlib/file.c:method_fileno": HANDLE,
    "stdlib/intrinsics.c:fn_publishes": "what the host can do: an ENV of its own",
    "stdlib/pictures.c:fn_save": "Cairo's numbers, which are the process's",
    "vm/array/mapped.c:in_file": HANDLE,
}

# Functions that reach a call of the system, and are PURE all the same.
PURE_ALL_THE_SAME = {
    "stdlib/intrinsics.c:fn_is_built_in": "looks at the names in the table of modules, not at their functions",
    "stdlib/time.c:fn_gmtime": "asks gmtime_r; localtime_r is for another row with the same body",
    "vm/array/array_kind.c:get_flush": "makes the method, and does not call it",
}

NOT_ASKED = ("drop", "visit", "size", "rescue")  # slots that release what a value has: handles, on the rank that has them


class Effects:
    def __init__(self, tree, own=OWN, unseen=UNSEEN, pure=PURE_ALL_THE_SAME):
        self.program = Program(tree)
        self.own, self.unseen, self.pure = own, unseen, pure
        self.problems, self.used = [], set()
        self.rows = self.program.rows + self.inits(tree)
        self.effects_of_tables = {}
        for row in self.program.rows:
            if row.kind == "native" and row.effect not in ("PURE", "INNER"):
                self.effects_of_tables.setdefault((row.file, "row:" + row.table), set()).add(row.effect)

    def inits(self, tree):
        found = []
        for name, text in tree.items():
            for row in re.findall(r'^const BuiltinModule builtin_modules\[\] = \{(.*?)^\};', text, re.S | re.M):
                found += [Row(name, "builtin_modules", module, init, "PURE", "init") for module, init in
                          re.findall(r'\{"(\w+)", \w+, (\w+)\}', row) if init != "NULL"]
        return found

    def reach(self, start):
        """{call of the system: the way there}, and the rows with effects that are named on the way."""
        calls, rows, ways, stack = {}, set(), {start: [start.name]}, [start]
        while stack:
            node = stack.pop()
            for found, name in self.program.edges(node):
                if name in self.own:
                    continue
                if found is None:
                    if name in EFFECT_OF:
                        calls.setdefault(name, ways[node] + [name])
                elif found not in ways:
                    ways[found] = ways[node] + [found.name]
                    stack.append(found)
                    if (found.file, found.name) in self.effects_of_tables:
                        rows.add((found.file, found.name))
        return calls, rows

    def tainted(self):
        """The functions that reach a call of the system with an effect, or a row with one."""
        callers, found = {}, []
        for node in self.program.nodes.values():
            for callee, name in self.program.edges(node):
                if callee is None and name in EFFECT_OF and name not in self.own:
                    found.append(node)
                elif callee is not None and name not in self.own:
                    if (callee.file, callee.name) in self.effects_of_tables:
                        found.append(node)
                    callers.setdefault(callee, []).append(node)
        tainted = set(found)
        while found:
            for node in callers.get(found.pop(), ()):
                if node not in tainted:
                    tainted.add(node)
                    found.append(node)
        return tainted

    def check(self):
        reached, tainted = {}, self.tainted()
        for row in self.rows:
            start = self.program.find(row.file, row.function)
            if start is None:
                self.problem(row, "names %s, which is not found" % row.function)
                continue
            if row.kind == "slot" and row.name in NOT_ASKED or row.effect == "PURE" and start not in tainted:
                continue
            if start not in reached:
                reached[start] = self.reach(start)
            self.judge(row, *reached[start])
        self.used |= {name for node in self.program.nodes.values() for _, name in self.program.edges(node)} & set(self.own)
        for table, what in ((self.own, "not looked into"), (self.unseen, "excused"), (self.pure, "excused")):
            self.problems += ["%s is %s for nothing: take it off the list" % (name, what)
                              for name in table if name not in self.used]
        return self.problems

    def judge(self, row, calls, rows):
        key = "%s:%s" % (row.file, row.function)
        if row.effect in ("PURE", "INNER"):
            if (calls or rows) and key in self.pure:
                self.used.add(key)
            elif calls:
                way = min(calls.values(), key=len)
                self.problem(row, "is %s and reaches %s (%s): %s" %
                             (row.effect, way[-1], EFFECT_OF[way[-1]], " > ".join(way)))
            if row.effect == "INNER" and not rows:
                self.problem(row, "is INNER, and calls no row with an effect")
            if row.effect == "PURE" and row.kind == "native" and rows and key not in self.pure:
                self.problem(row, "is PURE, and calls a row with an effect: %s" % sorted(rows)[0][1])
            return
        if row.effect not in CALLS:
            self.problem(row, "has no effect that is known: %s" % row.effect)
        elif row.effect not in {EFFECT_OF[name] for name in calls}:
            if key in self.unseen:
                self.used.add(key)
            else:
                self.problem(row, "is %s and reaches nothing of that sort" % row.effect)

    def problem(self, row, what):
        self.problems.append("%s: %s %s '%s' %s" % (row.file, row.table, row.kind, row.name, what))


def source_tree(names, read):
    return {name: read(name) for name in names
            if name.startswith(("vm/", "stdlib/", "lang/", "backends/")) and name.endswith((".c", ".h", ".def"))}


# --- The door, and the check itself ------------------------------------------------------------------

DOOR = "vm/value/effects.h"
PAST_THE_DOOR = re.compile(r"(?:->|\.)fn\s*\(")

PLANTED = {
    "stdlib/planted.c": """
#include "stdlib/file_write.h"
#include "vm/value/effects.h"
static Status lies(Vm *vm, const Value *args, Value *out) { return deeper(vm, args, out); }
static Status deeper(Vm *vm, const Value *args, Value *out) {
    return file_write_whole(vm, "name", NULL); // which is there, and opens a file
}
static Status idle(Vm *vm, const Value *args, Value *out) { int open = 1; return by_field(args->open(open)); }
static Status by_pointer(Vm *vm, const Value *args, Value *out) { return planted_by(vm, args[0], rmdir); }
static Status by_row(Vm *vm, const Value *args, Value *out) { return native_run(vm, &honest_row, args, out); }
static Status fn_made(Vm *vm, const Value *args, Value *out) { return vm->host.write(vm->host.ctx, 1, "", 0); }
static Status reads_clock(Vm *vm, Value self, Value *out) { clock_gettime(CLOCK_REALTIME, NULL); return ST_OK; }
static const NativeDef honest_row = {"honest", "", lies, NULL, FILESYSTEM};
#define MADE(name) {#name, "a=(1, 2), /", fn_##name, NULL, PURE},
static const struct {
    int kinds[3];
} planted_numbers[] = {{{1}}};
const NativeDef planted[] = {
    {"lies", "self, /" "\\nThey say {nothing}.", lies, NULL, PURE},
    {"idle", "", idle, NULL, CLOCK},
    {"other", "", by_pointer, NULL, ENTROPY},
    {"pointer", "", by_pointer, NULL, PURE},
    {"inner", "", idle, NULL, INNER},
    {"fine", "", by_row, NULL, INNER},
    {"half", "", by_row, NULL, PURE},
    MADE(made)
    {0},
};
static const AttrDef planted_attrs[] = {{"now", reads_clock, NULL}, {0}};
const TypeSlots kind_PLANTED = {.drop = reads_clock, .truth = reads_clock, .attrs = planted_attrs};
""",
}
PLANTED_PROBLEMS = {("native", "lies"), ("native", "idle"), ("native", "other"), ("native", "pointer"), ("native", "inner"),
                    ("native", "half"), ("native", "made"), ("attribute", "now"), ("slot", "truth")}


def problems_of(tree):
    """What is wrong in a tree. A file with wrong rows is added to it, and they have to be found."""
    found = Effects({**tree, **PLANTED}).check()
    planted = {problem for problem in found if problem.split(":")[0] in PLANTED}
    named = {(kind, name) for problem in planted for kind, name in re.findall(r": \w+ (\w+) '(\w+)'", problem)}
    problems = [problem for problem in found if problem not in planted]
    if named != PLANTED_PROBLEMS:
        problems.append("of what was planted, there was found\n  " + "\n  ".join(sorted(planted)))
    problems += ["%s calls a native function past the door, native_run" % name for name, text in sorted(tree.items())
                 if name.startswith(("vm/", "stdlib/")) and name != DOOR and PAST_THE_DOOR.search(text)]
    if not PAST_THE_DOOR.search(tree[DOOR]):
        problems.append("%s is not the door" % DOOR)
    return problems
