// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Launches that nobody waits for: how often a device is waited for, that warnings come in their order and with
// their lines all the same, and what a device that refuses or fails leaves behind. The device is the mirror, at its
// slowest: it does nothing before somebody waits.

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/mirror/mirror.h"
#include "vm/api/api.h"
#include "vm/sched/sched.h"

#define CHECK(condition, ...)                                                                   \
    ((condition) ? (void)0                                                                      \
                 : (void)(printf("line %d: %s: ", __LINE__, #condition), printf(__VA_ARGS__),   \
                          printf("\n"), failures++))
static int failures;

enum { OUT_BYTES = 1 << 14 };

typedef struct Run {
    NacreVm *vm;
    char out[OUT_BYTES]; // what is written, and the warnings, as they come
    size_t len;
} Run;

static void put(Run *run, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int len = vsnprintf(run->out + run->len, OUT_BYTES - run->len, format, args);
    va_end(args);
    if (len > 0 && run->len + (size_t)len < OUT_BYTES) run->len += (size_t)len;
}

static int on_write(void *ctx, int stream, const char *bytes, size_t len) {
    (void)stream;
    put(ctx, "%.*s", (int)len, bytes);
    return 0;
}

static void on_warn(void *ctx, const char *category, const char *message, const char *file, int line) {
    (void)category, (void)file;
    put(ctx, "<%d: %s>\n", line, message);
}

static int on_module(void *ctx, const char *name, const char **text, size_t *len) {
    (void)ctx;
    if (strcmp(name, "made") != 0) return 0;
    *text = "\ndef g(a):\n    return 1 / a\n";
    *len = strlen(*text);
    return 1;
}

static void start_least(Run *run, const char *backend, int depth, size_t device_least) {
    NacreOptions options = {.struct_size = sizeof options};
    *run = (Run){0};
    options.write = on_write;
    options.warn = on_warn;
    options.module = on_module;
    options.ctx = run;
    options.threads = 1;
    options.backend = backend;
    options.depth = depth;
    options.device_least = device_least;
    run->vm = nacre_new(&options);
    CHECK(run->vm, "no VM on %s", backend);
}

static void start(Run *run, const char *backend, int depth) {
    start_least(run, backend, depth, 0);
}

static void start_lazy(Run *run, int depth) {
    start(run, "mirror", depth);
    mirror_try(run->vm->vm.engine->device.ctx, &(MirrorTrial){.lazy = true});
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

static MirrorFigures figures_of(const Run *run) {
    return mirror_figures(run->vm->vm.engine->device.ctx);
}

// --- Waiting -----------------------------------------------------------------------------------

typedef struct Counts {
    int launches, busy, waits;
} Counts;

static Counts counts_of(Run *run, const char *text) {
    MirrorFigures before = figures_of(run);
    uint64_t waits = engine_stats(&run->vm->vm).waits;
    runs(run, text);
    MirrorFigures after = figures_of(run);
    waits = engine_stats(&run->vm->vm).waits - waits;
    CHECK(waits == after.waits - before.waits, "%d waits are counted of %d", (int)waits,
          (int)(after.waits - before.waits));
    return (Counts){(int)(after.launches - before.launches),
                    (int)(after.launches_while_busy - before.launches_while_busy), (int)waits};
}

#define COUNTS(text, want_launches, want_busy, want_waits)                                          \
    do {                                                                                            \
        Counts c = counts_of(&run, text);                                                           \
        printf("%3d launches, %3d while busy, %2d waits\n", c.launches, c.busy, c.waits);            \
        CHECK(c.launches == (want_launches) && c.busy == (want_busy) && c.waits == (want_waits),    \
              "%s: %d launches, %d of them while busy, %d waits", text, c.launches, c.busy,         \
              c.waits);                                                                             \
    } while (0)

static void waits(void) {
    static Run run;
    start_lazy(&run, 1); // each operation is launched where it is written
    runs(&run, "import numpy as np\na = np.arange(1000.0)\nb = a + 1\n");
    // The end of a script is an observation.
    COUNTS("b = a + 1\n", 1, 0, 1);
    COUNTS("for i in range(100):\n    b = b * 1.5\n", 100, 99, 1);
    COUNTS("for i in range(100):\n    b = b / 2\nprint(b[3] > 0)\n", 100, 99, 1);
    COUNTS("i = a.astype('int64')\nfor n in range(20):\n    i += n\n", 21, 20, 1);
    // So is what is read. The sum and the end of the script have nothing left to wait for.
    COUNTS("c = b * 0 + 1\nc[0]\nd = c + 1\nd[1]\ne = d + c\ne[0]\n", 4, 1, 3);
    // With all float conditions ignored, or printed; with those that raise each kernel is waited for that may.
    COUNTS("np.seterr(all='ignore')\nfor n in range(10):\n    c = a / (a - n)\n", 20, 19, 1);
    COUNTS("np.seterr(all='print')\nfor n in range(10):\n    c = a * 0.5\n", 10, 9, 1);
    COUNTS("np.seterr(all='raise')\nfor n in range(10):\n    c = a * 0.5\n", 10, 0, 10);
    COUNTS("np.seterr(all='warn', under='ignore')\n", 0, 0, 0);
    COUNTS("for n in range(10):\n    c = a * 0.5\n", 10, 9, 1);
    finish(&run);
}

// What is copied to the device is not waited for, and may go, or be overwritten, right behind.
static void copies(void) {
    static Run run;
    start_lazy(&run, 1);
    runs(&run, "import numpy as np\nz = np.zeros(1000)\nz[0] = 0.0\nt = np.zeros(3)\nt[0] = 1\n");
    COUNTS("s = z + 1\nfor n in range(5):\n    h = np.array([float(n)] * 1000)\n    s = s + h\n    del h\n", 6, 6, 1);
    CHECK(engine_stats(&run.vm->vm).copies_in >= 6, "%d", (int)engine_stats(&run.vm->vm).copies_in);
    runs(&run, "print(s[0], s[999])\n");
    // Who overwrites has to wait for the copy; copies are in the queue, too.
    COUNTS("h = np.array([1.0] * 1000)\ns = h + 1\nh[0] = 5.0\nh[1] = 6.0\n", 1, 1, 2);
    runs(&run, "print(s[0], s[1], h[0], h[1], h[2])\n");
    CHECK(strcmp(run.out, "11.0 11.0\n2.0 2.0 5.0 6.0 1.0\n") == 0, "%s", run.out);
    finish(&run);
}

// More than may be under way at once.
static void many(void) {
    static Run run;
    start_lazy(&run, 1);
    runs(&run, "import numpy as np\na = np.ones(10)\nfor n in range(1000):\n    a = a + 1\nprint(a[9])\n");
    CHECK(strcmp(run.out, "1001.0\n") == 0, "%s", run.out);
    // Nor does what is under way hold any amount of memory: here 50 arrays of 16 MB, in a lazy queue.
    runs(&run, "b = np.zeros(2000000)\nfor n in range(50):\n    b = b + 1\nprint(b[5])\n");
    NacreStats stats = {.struct_size = sizeof stats};
    nacre_stats(run.vm, &stats);
    CHECK(stats.memory_peak < (size_t)400 << 20, "%zu", stats.memory_peak);
    finish(&run);
}

// --- Reports -----------------------------------------------------------------------------------

static const char reports[] =
    "import numpy as np, warnings\n"
    "def f(a, b):\n"
    "    c = a / b\n"
    "    return c * 1e308 * 10\n"
    "a = np.arange(1.0, 6)\n"
    "z = a * 0\n"
    "b = f(a, z - 0)\n"
    "print('one')\n"
    "for n in range(3):\n"
    "    c = np.sqrt(a - n)\n"
    "    d = np.log(a - 1)\n"
    "print(c[0], d[1] > 0)\n"
    "del b\n"
    "with np.errstate(divide='print', invalid='ignore'):\n"
    "    e = 1 / z\n"
    "    np.float64(1) / np.float64(0)\n"
    "    e = np.sqrt(-a)\n"
    "x = np.float64(1) / np.float64(0)\n"
    "x = np.log(z)\n" // is told of while casts are not
    "y = a.astype('int64', casting='same_value')\n"
    "print(y)\n"
    "with warnings.catch_warnings(record=True) as heard:\n"
    "    warnings.simplefilter('always')\n"
    "    y = a / z\n"
    "    print(len(heard), heard[0].lineno)\n"
    "with warnings.catch_warnings():\n"
    "    warnings.simplefilter('error')\n"
    "    try:\n"
    "        a /= z\n"
    "    except RuntimeWarning as error:\n"
    "        print(error, error.__traceback__.tb_lineno)\n"
    "a = np.arange(1.0, 6)\n"
    "with np.errstate(all='raise'):\n"
    "    try:\n"
    "        b = a * 2\n"
    "        b[1:] /= z[1:]\n"
    "    except FloatingPointError as error:\n"
    "        print(error, error.__traceback__.tb_lineno, b)\n"
    "q = np.exp(a * 1000)\n"
    "warnings.warn('by hand')\n"
    "q += np.inf\n"
    "q -= q\n";

static void in_order(void) {
    static Run cpu, mirror;
    for (int depth = 0; depth < 3; depth++) {
        start(&cpu, "cpu", depth);
        runs(&cpu, reports);
        start_lazy(&mirror, depth);
        runs(&mirror, reports);
        CHECK(strcmp(cpu.out, mirror.out) == 0, "depth %d:\n%s---\n%s", depth, cpu.out, mirror.out);
        CHECK(strstr(cpu.out, "<3: divide by zero encountered in divide>\n"), "%s", cpu.out);
        CHECK(strstr(cpu.out, "Warning: divide by zero encountered in divide\n"), "%s", cpu.out);
        finish(&cpu);
        finish(&mirror);
    }
}

// A report does not need the function that the operation is written in.
static void gone_code(void) {
    static Run run;
    start_lazy(&run, 1);
    runs(&run, "import numpy as np, sys, gc\na = np.zeros(5)\nimport made\nb = made.g(a)\n"
               "del made, sys.modules['made']\ngc.collect()\nx = [bytes(n) for n in range(1000)]\nprint(b[0])\n");
    CHECK(strcmp(run.out, "<3: divide by zero encountered in divide>\ninf\n") == 0, "%s", run.out);
    finish(&run);
}

// --- Devices that do not do what they are given --------------------------------------------------

static void *device_of(const Run *run) {
    return run->vm->vm.engine->device.ctx;
}

static const char chain[] =
    "a = np.arange(1.0, 101)\n"
    "b = a + 1\n"
    "b *= a\n"
    "c = (b - a).cumsum()\n"
    "b[::2] = c[1::2]\n"
    "d = b / (a - 1)\n"
    "print(b[:4], c[-1], d.sum())\n";

// Copies on write: what is refused may be the copy of what an operation does not write.
static const char copies_chain[] =
    "a = np.arange(1.0, 101)\n"
    "a += 1\n"
    "b = np.arange(1.0, 101) * 3\n"
    "b -= 1\n"
    "for k in range(3):\n"
    "    c = a.copy()\n"
    "    d = b.copy()\n"
    "    time.time()\n"
    "    a[1:-1] = (c[2:] + c[:-2]) * 0.5\n"
    "    b *= 1.5\n"
    "    a[5:20] += d[:15]\n"
    "    b[3:] = c[:-3] * 2\n"
    "    e = a.copy()\n"
    "    time.time()\n"
    "    a *= 2; e += 1\n"
    "print(a.tolist(), b.tolist(), c.tolist(), d.tolist(), e.tolist())\n";

// A program on a mirror that refuses something; what it prints is what the cpu does. How often that was asked of it,
// and how often the host stood in for it.
static void run_refusing(MirrorTrial trial, int depth, const char *program, const char *want, uint64_t *asked,
                         uint64_t *fallbacks) {
    static Run run;
    start_least(&run, "mirror", depth, program == chain ? 0 : 1);
    runs(&run, "import numpy as np, time\n");
    mirror_try(device_of(&run), &trial);
    MirrorFigures before = figures_of(&run);
    *fallbacks = engine_stats(&run.vm->vm).fallbacks;
    runs(&run, program);
    MirrorFigures after = figures_of(&run);
    *fallbacks = engine_stats(&run.vm->vm).fallbacks - *fallbacks;
    *asked = trial.refused_launch ? after.launches - before.launches : after.builds - before.builds;
    CHECK(strcmp(run.out, want) == 0, "depth %d, launch %d, build %d refused:\n%s", depth, (int)trial.refused_launch,
          (int)trial.refused_build, run.out);
    finish(&run);
}

// What is refused, launches and builds alike, the host does.
static void refused(const char *program, int depth, uint64_t most) {
    static Run cpu;
    uint64_t asked, fallbacks, refusals = 0;
    start(&cpu, "cpu", depth);
    runs(&cpu, "import numpy as np, time\n");
    runs(&cpu, program);
    for (uint64_t number = 1; number < most; number++) {
        run_refusing((MirrorTrial){.lazy = number % 2, .refused_launch = number}, depth, program, cpu.out, &asked, &fallbacks);
        CHECK(fallbacks == (asked >= number), "launch %d: %d fallbacks", (int)number, (int)fallbacks);
        run_refusing((MirrorTrial){.lazy = number % 2, .refused_build = number}, depth, program, cpu.out, &asked, &fallbacks);
        CHECK(fallbacks == (asked >= number), "build %d: %d fallbacks", (int)number, (int)fallbacks);
        refusals += fallbacks;
    }
    CHECK(refusals > 4, "only %d", (int)refusals);
    finish(&cpu);
}

// A copy that fails is an exception at the operation's line. What waits for it is pending still, so the next try finds
// everything as it was.
static void failed_copy(void) {
    static Run run;
    start(&run, "mirror", 0);
    runs(&run, "import numpy as np\nh = np.array([1.0, 2.0, 3.0] * 500)\nprint(h[0])\n");
    run.len = 0;
    mirror_try(device_of(&run), &(MirrorTrial){.refused_copy = 1});
    runs(&run, "try:\n"
               "    b = h + 1\n"
               "    b *= 2\n"
               "    b[0]\n"
               "except RuntimeError as error:\n"
               "    print(error)\n"
               "print(b[:3], h[:3])\n");
    CHECK(strcmp(run.out, "the device could not copy an array from the host\n[4. 6. 8.] [1. 2. 3.]\n") == 0,
          "%s", run.out);
    CHECK(run_text(&run, "h = np.ones(2000)\nh[0] = 3\nb = h + 1\nx = 1\nprint(b[0])\n") == NACRE_OK, "%s",
          nacre_error_text(run.vm));
    mirror_try(device_of(&run), &(MirrorTrial){.refused_copy = 1});
    CHECK(run_text(&run, "h = np.array([1.0] * 2000)\nb = h + 1\nx = 1\nprint(b[0])\n") == NACRE_ERROR, "no error");
    CHECK(strstr(nacre_error_text(run.vm), "line 2"), "%s", nacre_error_text(run.vm));
    finish(&run);
}

// A device that fails later: the exception names the operation's line, the program goes on, and nothing that was made
// from there on can be read.
static void lost(void) {
    static Run run;
    start(&run, "mirror", 1);
    runs(&run, "import numpy as np\na = np.arange(5.0)\nh = np.array([1.0, 2.0])\n");
    mirror_try(device_of(&run), &(MirrorTrial){.lazy = true, .lost_launch = 2});
    runs(&run, "import traceback\n"
               "try:\n"
               "    b = a + 1\n"
               "    c = b * 2\n"
               "    d = c - 1\n"
               "    print('never')\n"
               "except RuntimeError as error:\n"
               "    last = error.__traceback__\n"
               "    while last.tb_next:\n"
               "        last = last.tb_next\n"
               "    print(error, last.tb_lineno)\n"
               "for x in (c, d):\n"
               "    try:\n"
               "        print(x[0])\n"
               "    except RuntimeError as error:\n"
               "        print(error)\n"
               "print(h)\n");
    CHECK(strcmp(run.out, "the device could not run multiply 4\n"
                          "the device could not copy an array to the host\n"
                          "the device could not copy an array to the host\n"
                          "[1. 2.]\n") == 0, "%s", run.out);
    finish(&run);
}

int main(void) {
    waits();
    copies();
    many();
    in_order();
    gone_code();
    for (int depth = 0; depth < 2; depth++) {
        refused(chain, depth, 16);
        refused(copies_chain, depth, 60);
    }
    failed_copy();
    lost();
    if (failures) printf("%d failures\n", failures);
    return failures > 0;
}
