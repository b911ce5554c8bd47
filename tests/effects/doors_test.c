// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Every way to a native function leads past the hook: which ones it is asked about, in the order of the program;
// what it answers is what the program gets; and it is not asked about what such a native does in its turn.

#include <stdlib.h>
#include <string.h>

#include "tests/effects/host.h"
#include "vm/value/effects.h"
#include "vm/value/str.h"

typedef enum Answer { CALLS, RAISES, REPLACES, TAILS } Answer;

// What the hook was asked about.
typedef struct Record {
    EffectHook hook;
    char names[4096];
    int calls, depth, deepest;
    Answer answer;
    const char *of; // the native that is not called; NULL: none
} Record;

static Status run(void *ctx, Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    Record *record = ctx;
    size_t used = strlen(record->names);
    snprintf(record->names + used, sizeof record->names - used, "%s%s", used ? " " : "", def->name);
    record->calls++;
    CHECK(has_effect(def));
    bool answers = record->of && strcmp(def->name, record->of) == 0;
    if (answers && record->answer == RAISES) return vm_raise(vm, EXC_PermissionError, "not here");
    if (answers && record->answer == REPLACES) return str_out(vm, str_text(vm, "another"), out);
    if (answers && record->answer == TAILS) return vm_tail(vm, v_obj(vm->object_class), NULL, 0);
    if (++record->depth > record->deepest) record->deepest = record->depth;
    Status st = def->fn(vm, args, out);
    record->depth--;
    return st;
}

typedef struct Fixture {
    Host host;
    Record record;
    NacreVm *vm;
} Fixture;

static void start(Fixture *f, const char *tier) {
    f->host = (Host){.line = "typed\n"};
    f->record = (Record){.hook = {.ctx = &f->record, .run = run}};
    f->vm = host_start(&f->host, tier);
    CHECK(f->vm);
    effects_hook(&f->vm->vm, &f->record.hook);
}

static void forget(Fixture *f) {
    *f->record.names = '\0';
    f->record.calls = 0;
}

static void finish(Fixture *f) {
    effects_hook(&f->vm->vm, NULL);
    CHECK(f->record.deepest <= 1 && host_run(f->vm, "home.cleanup()\n"));
    nacre_free(f->vm);
}

// Whether a text asks about just these.
static void asks(Fixture *f, const char *text, const char *names) {
    forget(f);
    CHECK(host_run(f->vm, text));
    if (strcmp(f->record.names, names) != 0) printf("%s\n  asks about  %s\n  and not     %s\n", text, f->record.names, names);
    CHECK(strcmp(f->record.names, names) == 0);
}

static void prepare(Fixture *f) {
    CHECK(host_run(f->vm, "import os, time, sys, random, tempfile, io, operator, functools, itertools\n"
                          "import numpy as np, _os, _time, _system\n"
                          "np.load, np.memmap, np.fromfile, np.seterr()\n"
                          "home = tempfile.TemporaryDirectory()\nname = home.name + '/file'\n"
                          "open(name, 'w').close()\n"));
}

// Calls as instructions make them, with arguments to bind and without; bound methods; slots of instructions.
static void test_instructions(void) {
    Fixture f;
    start(&f, NULL);
    prepare(&f);
    asks(&f, "len([1]); abs(-1); id(f'{object()}'); sorted([2, 1]); hash('a'); repr(len)\n", "");
    asks(&f, "time.time(); time.monotonic_ns()\n", "time monotonic_ns");
    asks(&f, "os.getpid(); os.listdir('/'); os.path.exists('/')\n", "getpid listdir _exists");
    asks(&f, "f = open(name, mode='w'); f.write('a\\nb\\n'); f.close()\n", "open write close");
    asks(&f, "g = f.write; c = f.closed; n = f.name\n", "closed");
    asks(&f, "with open(name) as f:\n    for line in f: pass\n", "open closed __next__ __next__ __next__ __exit__");
    asks(&f, "f = open(name); a, b = f; 'a' in f\n", "open __next__ __next__ __next__ __next__");
    asks(&f, "print(1); print('a', end=''); print(*[1, 2], sep='', flush=True)\n", "print print print");
    asks(&f, "x = input('? '); sys.stdin.readline()\n", "input readline");
    asks(&f, "import random; random.seed(3); random.random()\n", "");
    asks(&f, "import given\n", "host_module time");
    asks(&f, "import given\n", "");
    finish(&f);
}

// Natives that others call, by slow paths and steppers, and with code of the program in between.
static void test_inside(void) {
    Fixture f;
    start(&f, NULL);
    prepare(&f);
    asks(&f, "list(map(_time.time, ()))\n", "");
    asks(&f, "list(map(_os._exists, ['/', '/none']))\n", "_exists _exists");
    asks(&f, "list(map(print, [1, 2]))\n", "print print");
    asks(&f, "list(filter(os.path.isdir, ['/', '/none'])); next(map(len, open(name)), 0)\n", "_isdir _isdir open __next__");
    asks(&f, "sorted([2, 1], key=lambda x: (time.time(), x))\n", "time time");
    asks(&f, "functools.reduce(lambda a, b: a + _os.getpid(), [1, 2, 3])\n", "getpid getpid");
    asks(&f, "list(itertools.starmap(_os._exists, [('/',)])); list(iter(time.time, 0) for i in ())\n", "_exists");
    asks(&f, "class S:\n    def __str__(self): return str(time.monotonic())\nprint(S(), S())\n", "monotonic monotonic print");
    asks(&f, "class P:\n    def __fspath__(self): os.getpid(); return name\nopen(P()).close()\n", "open getpid open close");
    asks(&f, "class I:\n    def __index__(self): return _os.getpid() * 0\nopen(name).seek(I())\n",
         "open seek seek getpid seek");
    asks(&f, "def g():\n    yield time.time()\n    yield from (time.time() for i in range(2))\nlist(g())\n", "time time time");
    asks(&f, "f = open(name, 'w'); f.writelines(str(_os.getpid()) for i in range(2)); f.close()\n",
         "open getpid write getpid write close");
    asks(&f, "operator.methodcaller('read')(open(name)); getattr(open(name), 'read')()\n", "open read open read");
    asks(&f, "io.StringIO('a').read(); b = io.StringIO(); print(1, file=b)\n", "");
    finish(&f);
}

// What the hook answers takes the place of the native's answer, exceptions too.
static void test_answers(void) {
    Fixture f;
    start(&f, NULL);
    prepare(&f);
    f.record.of = "getpid";
    f.record.answer = REPLACES;
    asks(&f, "assert _os.getpid() == 'another' and list(map(_os.getpid, *[[]])) == []\n", "getpid");
    f.record.answer = RAISES;
    asks(&f, "try: _os.getpid()\nexcept PermissionError as e: assert e.args == ('not here',)\nelse: assert 0\n", "getpid");
    asks(&f, "def g():\n    try: yield _os.getpid()\n    finally: time.time()\n"
             "try: list(g())\nexcept PermissionError: pass\nelse: assert 0\n", "getpid time");
    f.record.answer = TAILS;
    asks(&f, "try: _os.getpid()\nexcept SystemError as e: assert 'getpid() has an effect' in str(e)\nelse: assert 0\n", "getpid");
    f.record.of = "open";
    f.record.answer = RAISES;
    asks(&f, "try: open(name)\nexcept OSError as e: assert type(e) is PermissionError\nelse: assert 0\n", "open");
    f.record.of = NULL;
    asks(&f, "try: open('/none/at/all')\nexcept FileNotFoundError as e: assert e.errno == 2\nelse: assert 0\n", "open");
    effects_hook(&f.vm->vm, NULL);
    asks(&f, "time.time(); print(1)\n", "");
    CHECK(strcmp(f.host.out, "1\n") == 0);
    finish(&f);
}

// --- Into the interpreter again ----------------------------------------------------------------

// A function of the host: no native, and so nobody is asked about it; but about what it has the VM do.
static NacreStatus host_calls(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **result) {
    (void)ctx;
    return count == 1 ? nacre_call(vm, args[0], 0, NULL, result) : nacre_raise(vm, "TypeError", "one argument");
}

static void test_host_functions(void) {
    Fixture f;
    start(&f, NULL);
    prepare(&f);
    NacreFunction function = {.struct_size = sizeof function, .name = "calls", .signature = "f", .fn = host_calls};
    NacreValue *value = NULL;
    CHECK(nacre_function(f.vm, &function, &value) == NACRE_OK && nacre_set_global(f.vm, "calls", value) == NACRE_OK);
    nacre_release(f.vm, value);
    asks(&f, "calls(time.time); calls(lambda: [os.getpid() for i in range(2)])\n", "time getpid getpid");
    asks(&f, "def inner(): return calls(time.monotonic)\nprint(calls(inner) > 0)\n", "monotonic print");
    asks(&f, "try: calls(lambda: open('/none'))\nexcept OSError: time.time()\n", "open time");
    // What the host calls itself.
    forget(&f);
    NacreValue *clock = NULL;
    CHECK(host_run(f.vm, "clock = time.time\n") && nacre_global(f.vm, "clock", &clock) == NACRE_OK);
    CHECK(nacre_call(f.vm, clock, 0, NULL, &value) == NACRE_OK && strcmp(f.record.names, "time") == 0);
    nacre_release(f.vm, value);
    nacre_release(f.vm, clock);
    finish(&f);
}

// --- Compiled loops and functions ----------------------------------------------------------------

// Loops that are compiled, with natives with an effect among their statements, and whole functions called from there.
static void test_compiled(const char *tier) {
    Fixture f;
    start(&f, tier);
    prepare(&f);
    CHECK(host_run(f.vm,
        "import math\n"
        "x = np.arange(20000.)\n"
        "def plain(x):\n    total = 0.\n    for i in range(len(x)): total += abs(x[i]) + math.sin(x[i]) + max(i, 2)\n    return total\n"
        "def now(x):\n    total = 0.\n    for i in range(len(x)):\n        total += x[i]\n"
        "        if i % 5000 == 0: total += _os.getpid()\n    return total\n"
        "def each(x):\n    total = 0\n    for i in range(100): total += _os.getpid() * 0 + x[i]\n    return total\n"
        "def one(v): return v + _os.getpid() * 0\n"
        "def calls(x):\n    total = 0.\n    for i in range(50): total += one(x[i])\n    return total\n"
        "def writes(x):\n    for i in range(3):\n        x[i] = i\n        print(x[i])\n"));
    for (int i = 0; i < 3; i++) {
        asks(&f, "plain(x)\n", "");
        asks(&f, "now(x)\n", "getpid getpid getpid getpid");
        asks(&f, "each(x)\n", f.record.names);
        CHECK(f.record.calls == 100);
        asks(&f, "calls(x)\n", f.record.names);
        CHECK(f.record.calls == 50);
        asks(&f, "writes(x)\n", "print print print");
    }
    CHECK(strcmp(f.host.out, "0.0\n1.0\n2.0\n0.0\n1.0\n2.0\n0.0\n1.0\n2.0\n") == 0);
    finish(&f);
}

int main(void) {
    test_instructions();
    test_inside();
    test_answers();
    test_host_functions();
    static const char *const tiers[] = {"interp", "auto", "function"};
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++) test_compiled(tiers[i]);
    return failures != 0;
}
