// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A device that cannot do everything: what it refuses is done on the host, with the same values, and
// elements are where they have to be before and after. The device is the mirror, which refuses the
// operations of a set.

#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "vm/api/api.h"
#include "vm/sched/engine.h"
#include "vm/sched/sched.h"

#define CHECK(condition, ...)                                                                   \
    ((condition) ? (void)0                                                                      \
                 : (void)(printf("line %d: %s: ", __LINE__, #condition), printf(__VA_ARGS__),   \
                          printf("\n"), failures++))
static int failures;

enum { OUT_BYTES = 1 << 14 };

typedef struct Run {
    NacreVm *vm;
    char out[OUT_BYTES];
    size_t len;
} Run;

// --- A picky device ----------------------------------------------------------------------------

static bool refused[AOP_COUNT];

static Support picky_supports(void *ctx, const Kernel *kernel) {
    if (kernel->library != AOP_NONE && refused[kernel->library]) return SUPPORT_NO;
    if (kernel->reduction_count > 0 && refused[kernel->reductions[0].op]) return SUPPORT_NO;
    for (int i = 0; i < kernel->code_count; i++)
        if (refused[kernel->code[i].op]) return SUPPORT_NO;
    return backend_mirror.supports(ctx, kernel);
}

static Backend picky;

static int on_write(void *ctx, int stream, const char *bytes, size_t len) {
    Run *run = ctx;
    (void)stream;
    if (run->len + len >= OUT_BYTES) return -1;
    memcpy(run->out + run->len, bytes, len);
    run->len += len;
    run->out[run->len] = '\0';
    return 0;
}

// `depth`: 1 has each operation run where it is written, so that figures are about it alone.
static void start_strict(Run *run, const char *backend, bool is_picky, int depth, const char *strict) {
    NacreOptions options = {.struct_size = sizeof options};
    options.strict = strict;
    memset(run, 0, sizeof *run);
    options.write = on_write;
    options.ctx = run;
    options.threads = 1;
    options.backend = backend;
    options.depth = depth;
    run->vm = nacre_new(&options);
    CHECK(run->vm, "no VM on %s", backend);
    if (is_picky) run->vm->vm.engine->device.backend = &picky;
}

static void start(Run *run, const char *backend, bool is_picky, int depth) {
    start_strict(run, backend, is_picky, depth, NULL);
}

static void finish(Run *run) {
    if (run->vm) nacre_free(run->vm);
    run->vm = NULL;
}

static NacreStatus run_text(Run *run, const char *text) {
    return nacre_run(run->vm, text, strlen(text), "<test>", NACRE_FILE);
}

static void runs(Run *run, const char *text) {
    CHECK(run_text(run, text) == NACRE_OK, "%s\n%s", text, nacre_error_text(run->vm));
}

static bool says(Run *run, const char *expression, const char *expect) {
    NacreStatus status =
        nacre_run(run->vm, expression, strlen(expression), "<test>", NACRE_EXPRESSION);
    if (status == NACRE_OK && strcmp(nacre_result_text(run->vm), expect) == 0) return true;
    printf("%s is '%s', not '%s'\n%s", expression, nacre_result_text(run->vm), expect,
           nacre_error_text(run->vm));
    return false;
}

static EngineStats stats_of(const Run *run) {
    return engine_stats(&run->vm->vm);
}

static void refuse_none(void) {
    memset(refused, 0, sizeof refused);
}

// --- The same values ---------------------------------------------------------------------------

// Uses what the op table has: loops, casts, reductions, scans, products, indexes, sorts.
static const char everything[] =
    "import numpy as np\n"
    "a = np.arange(24.0).reshape(4, 6) - 7\n"
    "i = np.arange(24).reshape(4, 6) % 7\n"
    "b = a.T.copy()\n"
    "print(a + i, a - 1, a * a, i // 2, i % 3, -a, abs(a), i ** 2, i & 3, i | 1, i ^ 5, ~i, i << 2, i >> 1)\n"
    "print(np.sqrt(abs(a)).sum(), np.floor(a / 2), np.maximum(a, 3), a < i, (a == 1) | (i > 3))\n"
    "print(a.sum(0), a.prod(1), i.max(), i.min(0), a.mean(), a.std(), a.any(), (a > -9).all(1))\n"
    "print(i.argmax(1), a.argmin(), i.cumsum(0), (i + 1).cumprod(1), a @ b, i @ i.T, a[0] @ b[:, 1])\n"
    "print(a[i > 3], a[[1, 3, 0]], a[:, [2, -1]], a[i % 4, i % 6], np.nonzero(i == 2), np.where(i > 2, a, -a))\n"
    "print(np.sort(-a), np.argsort(i, 1), np.searchsorted([1, 4, 9], [0, 4, 10]), np.bincount(i.ravel()))\n"
    "print(a.astype('float32'), i.astype(bool), a.astype('int8'), np.concatenate([a, i]), a.T.ravel())\n"
    "a[1:3] = i[0]\n"
    "a[:, 1] += 5\n"
    "a[i == 4] = 100\n"
    "a[[0, 1], [2, 3]] = [8, 9]\n"
    "a[2, 2] = -1\n"
    "a[a < 0] *= 2\n"
    "a[::-1] = a\n"
    "print(a, a[2, 2], a.tolist())\n"
    "c = a + 0.5j\n"
    "print(c * c, abs(c).sum(), c.real[0], c.imag.sum())\n"
    "try:\n"
    "    a[[5]]\n"
    "except IndexError as e:\n"
    "    print(e)\n"
    "with np.errstate(all='raise'):\n"
    "    try:\n"
    "        a / (i * 0)\n"
    "    except FloatingPointError as e:\n"
    "        print(e)\n";

static void compare(const char *what, const char *wanted, bool want_fallbacks) {
    static Run run;
    start(&run, "mirror", true, 0);
    runs(&run, everything);
    CHECK(strcmp(run.out, wanted) == 0, "%s refused:\n%s\ninstead of\n%s", what, run.out, wanted);
    EngineStats stats = stats_of(&run);
    CHECK(!want_fallbacks || stats.fallbacks > 0, "%s: no fallbacks", what);
    CHECK(stats.fallbacks <= stats.kernels + stats.library_calls, "%s: too many fallbacks", what);
    finish(&run);
}

static void same_values(void) {
    static Run reference;
    int used = 0;
    start(&reference, "cpu", false, 0);
    runs(&reference, everything);
    CHECK(reference.len > 1000, "only %zu bytes", reference.len);
    refuse_none();
    compare("nothing", reference.out, false);
    for (int op = 0; op < AOP_COUNT; op++, used++) {
        refuse_none();
        refused[op] = true;
        compare(op_info[op].name, reference.out, false);
    }
    for (int part = 0; part < 2; part++) {
        for (int op = 0; op < AOP_COUNT; op++) refused[op] = op % 2 == part;
        compare(part ? "odd ones" : "even ones", reference.out, true);
    }
    memset(refused, 1, sizeof refused);
    compare("everything", reference.out, true);
    finish(&reference);
    CHECK(used > 50, "only %d operations", used);
}

// --- Figures -----------------------------------------------------------------------------------

static void counts(void) {
    static Run run;
    refuse_none();
    refused[AOP_MULTIPLY] = true;
    start(&run, "mirror", true, 1);
    runs(&run, "import numpy as np\na = np.arange(1000.0)\nb = a + 1\nc = b - a\n");
    CHECK(stats_of(&run).fallbacks == 0, "%d", (int)stats_of(&run).fallbacks);
    runs(&run, "for n in range(3):\n    c = a * b\n    c = c + 1\n");
    CHECK(stats_of(&run).fallbacks == 3, "%d", (int)stats_of(&run).fallbacks);
    runs(&run, "c *= 2\nd = np.prod(a[1:5])\n");
    CHECK(stats_of(&run).fallbacks == 5, "%d", (int)stats_of(&run).fallbacks);
    finish(&run);
    start(&run, "cpu", false, 1);
    runs(&run, "import numpy as np\na = np.arange(10.0)\na * a\n");
    CHECK(stats_of(&run).fallbacks == 0, "%d", (int)stats_of(&run).fallbacks);
    finish(&run);
}

// --- Where elements are ------------------------------------------------------------------------

typedef struct Moves {
    int in, out, fallbacks;
} Moves;

static Moves moves_of(Run *run, const char *text) {
    EngineStats before = stats_of(run);
    runs(run, text);
    EngineStats after = stats_of(run);
    return (Moves){(int)(after.copies_in - before.copies_in),
                   (int)(after.copies_out - before.copies_out),
                   (int)(after.fallbacks - before.fallbacks)};
}

#define MOVES(text, want_in, want_out, want_fallbacks)                                            \
    do {                                                                                          \
        Moves m = moves_of(&run, text);                                                           \
        CHECK(m.in == (want_in) && m.out == (want_out) && m.fallbacks == (want_fallbacks),        \
              "%s: %d in, %d out, %d fallbacks", text, m.in, m.out, m.fallbacks);                 \
    } while (0)

static void moves(void) {
    static Run run;
    refuse_none();
    refused[AOP_MULTIPLY] = true;
    start(&run, "mirror", true, 1);
    runs(&run, "import numpy as np\na = np.arange(1000.0)\n");
    MOVES("b = a + 1", 0, 0, 0);
    runs(&run, "c = b * 2"); // b comes to the host; c is there and nowhere else
    MOVES("np.multiply(b, 3, out=c)", 0, 0, 1);
    MOVES("d = c + 1", 1, 0, 0); // c goes to the device …
    MOVES("e = c + 2", 0, 0, 0); // … once
    MOVES("np.multiply(c, 3, out=b)", 0, 0, 1);
    CHECK(says(&run, "(b[0], b[999], d[999], e[1])",
               "(np.float64(9.0), np.float64(9000.0), np.float64(3001.0), np.float64(8.0))"), " ");
    MOVES("c[3] = -1.0", 0, 0, 0); // written on the host: the device's copy is old
    MOVES("f = c + 1", 1, 0, 0);
    CHECK(says(&run, "f[2:5].tolist()", "[10.0, 0.0, 16.0]"), " ");
    MOVES("c += 1", 0, 0, 0); // on the device: the host's copy is old
    MOVES("np.multiply(c, 2, out=b)", 0, 1, 1);
    CHECK(says(&run, "b[2:5].tolist()", "[20.0, 0.0, 32.0]"), " ");
    MOVES("c[1:3] *= 10", 0, 0, 1); // on the host: that the slice is assigned to itself then is nothing
    MOVES("c[2:4] += 1", 1, 0, 0);
    CHECK(says(&run, "c[:5].tolist()", "[4.0, 70.0, 101.0, 1.0, 16.0]"), " ");
    runs(&run, "with np.errstate(over='raise'):\n    try:\n        c * 1e308\n"
               "    except FloatingPointError as e:\n        print(e)\n");
    CHECK(strcmp(run.out, "overflow encountered in multiply\n") == 0, "%s", run.out);
    CHECK(run_text(&run, "c * c[:2]\n") == NACRE_ERROR, "shapes fit");
    CHECK(run_text(&run, "x = 1\nwith np.errstate(all='raise'):\n    c * 1e308\n") == NACRE_ERROR &&
              nacre_error_line(run.vm) == 3, "line %d", nacre_error_line(run.vm));
    finish(&run);
}

// --- strict --------------------------------------------------------------------------------------

static const char sorted[] = "import numpy as np\n"
                             "a = np.arange(8.0) * -1\n"
                             "b = np.argsort(a)\n"
                             "c = a + 1\n";

static void raises(Run *run, const char *text, const char *want) {
    CHECK(run_text(run, text) == NACRE_ERROR, "%s went well", text);
    CHECK(strcmp(nacre_error_text(run->vm), want) == 0, "%s\ninstead of\n%s", nacre_error_text(run->vm), want);
}

// An operation that the device has not is an error of its line; what does not need it is there, and what does
// raises each time, rather than having undefined elements.
static void strict_errors(void) {
    static Run run;
    refuse_none();
    refused[AOP_ARGSORT] = true;
    start_strict(&run, "mirror", true, 0, "error");
    runs(&run, "import numpy as np\n"
               "a = np.arange(8.0) * -1\n"
               "b = np.argsort(a)\n"
               "c = a + 1\n"
               "for turn in range(3):\n"
               "    try:\n"
               "        b[1]\n"
               "    except RuntimeError as e:\n"
               "        print(e)\n"
               "b = 0\n");
    CHECK(strcmp(run.out, "--strict: line 3: argsort runs on the host: mirror has no argsort\n"
                          "--strict: line 3: argsort runs on the host: mirror has no argsort\n"
                          "--strict: line 3: argsort runs on the host: mirror has no argsort\n") == 0, "%s", run.out);
    for (int turn = 0; turn < 2; turn++)
        raises(&run, sorted,
               "Traceback (most recent call last):\n"
               "  File \"<test>\", line 3, in <module>\n"
               "    b = np.argsort(a)\n"
               "        ^^^^^^^^^^^^^\n"
               "RuntimeError: --strict: line 3: argsort runs on the host: mirror has no argsort\n");
    CHECK(says(&run, "c.tolist()", "[1.0, 0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0]"), " ");
    finish(&run);
}

static void strict_warnings(void) {
    static Run run;
    refuse_none();
    refused[AOP_ARGSORT] = true;
    start_strict(&run, "mirror", true, 0, "warn");
    runs(&run, sorted);
    runs(&run, "import numpy as np\nc = a + 1\nfor n in range(3):\n    d = np.argsort(c)\n    print(d[0], d[7])\n");
    CHECK(strcmp(run.out, "<test>:3: RuntimeWarning: --strict: argsort runs on the host: mirror has no argsort\n"
                          "  b = np.argsort(a)\n"
                          "<test>:4: RuntimeWarning: --strict: argsort runs on the host: mirror has no argsort\n"
                          "  d = np.argsort(c)\n"
                          "7 0\n7 0\n7 0\n") == 0, "%s", run.out);
    NacreDetour detour = {.struct_size = sizeof detour};
    CHECK(nacre_detour(run.vm, 1, &detour) == NACRE_OK && detour.count == 3 && detour.line == 4 &&
              strcmp(detour.kind, "kernel") == 0 && strcmp(detour.file, "<test>") == 0,
          "%s of line %u: %d times", detour.kind, detour.line, (int)detour.count);
    CHECK(nacre_detour(run.vm, 2, &detour) == NACRE_MISUSE && nacre_detour(run.vm, -1, &detour) == NACRE_MISUSE, " ");
    finish(&run);
}

// Fallbacks are counted by line without it, too, and the host's own backend knows none.
static void lines(void) {
    static Run run;
    NacreDetour detour = {.struct_size = sizeof detour};
    refuse_none();
    refused[AOP_ARGSORT] = true;
    start(&run, "mirror", true, 0);
    runs(&run, sorted);
    CHECK(nacre_detour(run.vm, 0, &detour) == NACRE_OK && detour.line == 3 && detour.count == 1, " ");
    finish(&run);
    start_strict(&run, "cpu", false, 0, "error");
    runs(&run, everything);
    CHECK(nacre_detour(run.vm, 0, &detour) == NACRE_MISUSE, "%s", detour.text);
    finish(&run);
    CHECK(!nacre_new(&(NacreOptions){.struct_size = sizeof(NacreOptions), .strict = "very"}), "strict is 'very'");
}

int main(void) {
    picky = backend_mirror;
    picky.supports = picky_supports;
    same_values();
    counts();
    moves();
    strict_errors();
    strict_warnings();
    lines();
    if (failures) printf("%d failures\n", failures);
    return failures > 0;
}
