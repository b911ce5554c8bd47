// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Random programs full of float conditions, under all that seterr can want of them: what is printed, warned of and
// raised, in its order and with its lines, is the same on the cpu, on the mirror, and on the mirror at its slowest,
// where each report is as late as it may be; there also while the host does some of the kernels.
//
//     late_reports_test [COUNT [SEED]]

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/mirror/mirror.h"
#include "vm/api/api.h"
#include "vm/sched/sched.h"

enum { TEXT_BYTES = 1 << 16, ARRAYS = 4, COUNT = 40 };

typedef struct Text {
    char bytes[TEXT_BYTES];
    size_t len;
} Text;

static void put(Text *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text->bytes + text->len, TEXT_BYTES - text->len, format, args);
    va_end(args);
    if (len > 0 && text->len + (size_t)len < TEXT_BYTES) text->len += (size_t)len;
}

// --- Programs ----------------------------------------------------------------------------------

typedef struct Maker {
    uint64_t state;
    Text *text;
    int nested, indent;
} Maker;

static uint32_t below(Maker *m, uint32_t n) {
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->state >> 33) % n;
}

static void line(Maker *m, const char *format, ...) {
    char bytes[256];
    va_list args;
    va_start(args, format);
    vsnprintf(bytes, sizeof bytes, format, args);
    va_end(args);
    put(m->text, "%*s%s\n", 4 * m->indent, "", bytes);
}

static const char *action(Maker *m) {
    static const char *const actions[] = {"ignore", "warn", "warn", "raise", "print"};
    return actions[below(m, sizeof actions / sizeof *actions)];
}

static char name(Maker *m) {
    return (char)('a' + below(m, ARRAYS));
}

static void expression(Maker *m, char out[128]) {
    static const char *const forms[] = {
        "%c / %c", "%c * 1e200 * %c", "np.sqrt(%c) + %c", "np.log(%c) - %c", "np.exp(%c * 300) + %c", "%c - %c",
        "%c + %c[::-1]", "np.where(%c > 1, %c, 2)", "np.minimum(%c, %c) * 3", "(%c * %c).cumsum()",
        "np.square(%c) / (%c - 1)", "np.float64(0) / np.float64(0) + %c * %c", "%c // (%c * 0)",
        "np.sort(%c) + %c", "%c.astype('float32') * %c", "(%c * 0).astype('int64') // 2 + %c",
        "f(%c, %c)", "np.minimum(abs(%c), 9).sum() + %c", "%c / 2 + 0 * %c"};
    snprintf(out, 128, forms[below(m, sizeof forms / sizeof *forms)], name(m), name(m));
}

static void statements(Maker *m, int count);

static void block(Maker *m, int count) {
    m->indent++;
    m->nested++;
    statements(m, count);
    m->nested--;
    m->indent--;
}

static void compound(Maker *m) {
    switch (below(m, 5)) {
    case 0:
        line(m, "for n in range(%u):", 2 + below(m, 4));
        block(m, 3);
        return;
    case 1:
        line(m, "with np.errstate(all='%s', divide='%s'):", action(m), action(m));
        block(m, 3);
        return;
    case 2:
        line(m, "with warnings.catch_warnings():");
        m->indent++;
        line(m, "warnings.simplefilter('%s')", below(m, 2) ? "error" : "always");
        m->indent--;
        block(m, 2);
        return;
    case 3:
        line(m, "with warnings.catch_warnings(record=True) as heard:");
        m->indent++;
        line(m, "warnings.simplefilter('always')");
        m->indent--;
        block(m, 2);
        line(m, "print([(str(w.message), w.lineno) for w in heard])");
        return;
    default: break;
    }
    line(m, "try:");
    block(m, 4);
    line(m, "except (FloatingPointError, RuntimeWarning, IndexError) as error:");
    m->indent++;
    line(m, "print(type(error).__name__, error, last_line(error))");
    if (below(m, 2)) line(m, "print(a[:2], b[:2])");
    m->indent--;
}

static void statement(Maker *m) {
    char value[128];
    expression(m, value);
    switch (below(m, m->nested < 3 ? 12 : 10)) {
    case 0: line(m, "%c[1:3] = (%s)[:2]", name(m), value); return;
    case 1: line(m, "%c *= %c", name(m), name(m)); return;
    case 2: line(m, "%c /= %c - %u", name(m), name(m), below(m, 3)); return;
    case 3: line(m, "print('at', %c[%u])", name(m), below(m, 4)); return;
    case 4: line(m, "print('line')"); return;
    case 5: line(m, "%c = np.arange(%u., %u.)", name(m), below(m, 3), 2000); line(m, "%c = a + 1", name(m)); return;
    case 10:
    case 11: compound(m); return;
    default: line(m, "%c = %s", name(m), value); return;
    }
}

static void statements(Maker *m, int count) {
    for (int i = 0; i < count; i++) statement(m);
}

// Of arrays that are too large to be done directly; 2000 elements for all. No sums of what is infinite: whether
// one that is invalid is told of differs with what is fused, on the cpu, too.
static void make(uint64_t seed, Text *text) {
    Maker m = {.state = seed * 7919 + 17, .text = text};
    text->len = 0;
    put(text, "import numpy as np, warnings\nnp.set_printoptions(threshold=5)\n"
              "def last_line(error):\n    at = error.__traceback__\n    while at.tb_next:\n        at = at.tb_next\n"
              "    return at.tb_lineno\n"
              "def f(x, y):\n    z = x / (y - y)\n    return np.sqrt(z - x)\n"
              "a = np.arange(2000.) - 1\nb = a * 0.5\nc = np.ones(2000)\nd = a[::-1].copy()\n");
    for (int i = 0; i < 4; i++) {
        line(&m, "np.seterr(all='%s', over='%s')", action(&m), action(&m));
        line(&m, "try:");
        block(&m, 6);
        line(&m, "except FloatingPointError as error:");
        line(&m, "    print(error, last_line(error), c[:2])");
    }
    for (char n = 'a'; n < 'a' + ARRAYS; n++) line(&m, "print(%c)", n);
    line(&m, "a / (b * 0)");
}

// --- Running -----------------------------------------------------------------------------------

static int on_write(void *ctx, int stream, const char *bytes, size_t len) {
    put(ctx, "%s%.*s", stream == 2 ? "!" : "", (int)len, bytes);
    return 0;
}

static void on_warn(void *ctx, const char *category, const char *message, const char *file, int at) {
    (void)file;
    put(ctx, "<%d: %s: %s>\n", at, category, message);
}

typedef struct Way {
    const char *name, *backend;
    bool lazy;
    int depth;
    uint64_t refused_each; // kernels that the host does
} Way;

static bool run(const Way *way, const Text *program, Text *out) {
    NacreOptions options = {.struct_size = sizeof options};
    out->len = 0;
    options.write = on_write;
    options.warn = on_warn;
    options.ctx = out;
    options.threads = 1;
    options.backend = way->backend;
    options.depth = way->depth;
    options.tier = "interp";
    NacreVm *vm = nacre_new(&options);
    if (!vm) return false;
    if (way->lazy) mirror_try(vm->vm.engine->device.ctx, &(MirrorTrial){.lazy = true, .refused_each = way->refused_each});
    NacreStatus status = nacre_run(vm, program->bytes, program->len, "<program>", NACRE_FILE);
    if (status != NACRE_OK) put(out, "%s", nacre_error_text(vm));
    nacre_free(vm);
    return true;
}

static int compare(uint64_t seed) {
    static Text program, want, got;
    // Where nodes wait differs with the depth, and with that which of them a handler drops; so each has its own.
    enum { WAYS = 5 };
    static const Way ways[][WAYS] = {
        {{"cpu", "cpu", false, 128, 0},
         {"mirror", "mirror", false, 128, 0},
         {"lazy", "mirror", true, 128, 0},
         {"lazy, the host every third", "mirror", true, 128, 3},
         {"lazy, the host every other", "mirror", true, 128, 2}},
        {{"cpu, depth 1", "cpu", false, 1, 0},
         {"mirror, depth 1", "mirror", false, 1, 0},
         {"lazy, depth 1", "mirror", true, 1, 0},
         {"lazy, depth 1, the host every third", "mirror", true, 1, 3},
         {"lazy, depth 1, the host every other", "mirror", true, 1, 2}},
    };
    int failures = 0;
    make(seed, &program);
    for (size_t depth = 0; depth < sizeof ways / sizeof *ways; depth++) {
        if (!run(&ways[depth][0], &program, &want)) return 1;
        for (int i = 1; i < WAYS; i++) {
            if (!run(&ways[depth][i], &program, &got)) return 1;
            if (want.len == got.len && memcmp(want.bytes, got.bytes, want.len) == 0) continue;
            printf("seed %d, %s\n%.*s--- cpu\n%.*s--- %s\n%.*s", (int)seed, ways[depth][i].name, (int)program.len,
                   program.bytes, (int)want.len, want.bytes, ways[depth][i].name, (int)got.len, got.bytes);
            failures++;
        }
    }
    return failures;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : COUNT, failures = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (int i = 0; i < count && !failures; i++) failures += compare(seed + (uint64_t)i);
    if (failures) printf("%d failures\n", failures);
    return failures > 0;
}
