// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Backends agree with the tile interpreter within the tolerance that the op table states, for every op on
// floats. Within the cpu's own tiers, and on the mirror, that is to the last bit for elementwise ops.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "nacre/nacre.h"
#include "vm/graph/op.h"

enum { N = 4096, TEXT = 256 };

static int failures, compared;

typedef struct Side {
    const char *backend;
    const char *tier;
    bool exact;
    NacreVm *vm;
} Side;

static bool run(NacreVm *vm, const char *text) {
    return nacre_run(vm, text, strlen(text), "<test>", NACRE_FILE) == NACRE_OK;
}

// Operands between -4 and 4, none of them of few bits; of sums only positive ones, which cancel nothing.
static bool prepare(NacreVm *vm, const char *type) {
    char text[4 * TEXT];
    snprintf(text, sizeof text,
             "import numpy as np\nnp.seterr(all='ignore')\nk = np.arange(%d)\n"
             "u = (k * 40503 %% 65536 + 0.37) / 65536\nv = (k * 30011 %% 65536 + 0.73) / 65536\n"
             "x = (u * 8 - 4).astype(np.%s)\ny = (v * 8 - 4).astype(np.%s)\nz = x - y\nb = x > y\n"
             "p = abs(x)\nq = abs(y)\nP = p.reshape(64, 64)\nQ = q.reshape(64, 64)\nr = x\n", N, type, type);
    return run(vm, text);
}

// The op as a script writes it; false: it is none of floats, or not a function.
static bool expression(OpId op, char *text) {
    const OpInfo *info = &op_info[op];
    static const char *const operands[][4] = {{"", "x", "x, y", "x, y, y + 1"}, {"", "P", "P, Q", ""}};
    bool elementwise = info->op_class == CLASS_ELEMENTWISE;
    bool folds = (info->op_class == CLASS_REDUCTION || info->op_class == CLASS_SCAN) && info->combine != AOP_NONE;
    if (op == AOP_MATMUL) return snprintf(text, TEXT, "r = P @ Q\n") > 0;
    if (op == AOP_FREXP || op == AOP_MODF) return snprintf(text, TEXT, "r = np.%s(x)[0]\n", info->name) > 0;
    // of negative numbers it cancels
    if (op == AOP_LOGADDEXP || op == AOP_LOGADDEXP2) return snprintf(text, TEXT, "r = np.%s(p, q)\n", info->name) > 0;
    if (op == AOP_WHERE) return snprintf(text, TEXT, "r = np.where(b, x, y)\n") > 0;
    if (!(elementwise && op_has_loop(op, DT_FLOAT64)) && !folds) return false;
    return snprintf(text, TEXT, "r = np.%s(%s)\n", info->name, operands[folds][info->arity]) > 0;
}

static bool result(NacreVm *vm, NacreArray *info, NacreValue **value, const void **data) {
    *info = (NacreArray){.struct_size = sizeof *info};
    return nacre_global(vm, "r", value) == NACRE_OK && nacre_array_info(vm, *value, info) == NACRE_OK &&
           nacre_read(vm, *value, data) == NACRE_OK;
}

static double units(double a, double b, int digits, int least) {
    int exponent;
    if (a == b || (isnan(a) && isnan(b))) return 0;
    if (!isfinite(a) || !isfinite(b)) return INFINITY;
    (void)frexp(fabs(a) > fabs(b) ? a : b, &exponent);
    return fabs(a - b) / ldexp(1, (exponent < least ? least : exponent) - digits);
}

// The largest distance of elements, in units in the last place; of other types than floats: infinite if any differs.
static double distance(const NacreArray *a, const char *at, const NacreArray *b, const char *bt) {
    double most = 0;
    int64_t count = 1;
    if (strcmp(a->dtype, b->dtype) != 0 || a->ndim != b->ndim) return INFINITY;
    for (int d = 0; d < a->ndim; d++) count *= a->shape[d];
    for (int64_t i = 0; i < count; i++) {
        const char *p = at + (size_t)i * a->itemsize, *q = bt + (size_t)i * a->itemsize;
        double x, y, off;
        if (memcmp(p, q, a->itemsize) == 0) continue;
        if (strcmp(a->dtype, "float64") == 0) {
            memcpy(&x, p, sizeof x), memcpy(&y, q, sizeof y);
            off = units(x, y, 53, -1021);
        } else if (strcmp(a->dtype, "float32") == 0) {
            float f, g;
            memcpy(&f, p, sizeof f), memcpy(&g, q, sizeof g);
            off = units(f, g, 24, -125);
        } else {
            off = INFINITY;
        }
        if (off > most) most = off;
    }
    return most;
}

static void compare(Side *reference, Side *side, OpId op, const char *type) {
    char text[TEXT];
    NacreArray a, b;
    NacreValue *x = NULL, *y = NULL;
    const void *p, *q;
    if (!expression(op, text) || !run(reference->vm, text)) return; // two results of one function
    bool elementwise = op_info[op].op_class == CLASS_ELEMENTWISE;
    double off = INFINITY, most = side->exact && elementwise ? 0 : op_info[op].tolerance;
    if (run(side->vm, text) && result(reference->vm, &a, &x, &p) && result(side->vm, &b, &y, &q))
        off = distance(&a, p, &b, q);
    else printf("%s\n", nacre_error_text(side->vm));
    compared++;
    if (!(off <= most)) {
        printf("%s of %s on %s: %g units in the last place, not %g\n", op_info[op].name, type, side->backend, off, most);
        failures++;
    }
    nacre_release(reference->vm, x);
    nacre_release(side->vm, y);
}

static NacreVm *start(const Side *side) {
    NacreOptions options = {.struct_size = sizeof options, .backend = side->backend, .device_least = 1, .threads = 2, .tier = side->tier};
    return nacre_new(&options);
}

int main(void) {
    static const char *const types[] = {"float64", "float32"};
    Side sides[] = {{"cpu", "interp", true, NULL}, {"cpu", "kernel", true, NULL}, {"mirror", "interp", true, NULL},
                    {"opencl", "interp", false, NULL}, {"cuda", "interp", false, NULL}};
    enum { SIDES = sizeof sides / sizeof *sides };
    for (int s = 0; s < SIDES; s++) sides[s].vm = start(&sides[s]);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (int s = 0; s < SIDES; s++)
            if (sides[s].vm && !prepare(sides[s].vm, types[t])) failures++, printf("%s\n", nacre_error_text(sides[s].vm));
        for (int op = 0; op < AOP_COUNT; op++)
            for (int s = 1; s < SIDES; s++)
                if (sides[s].vm) compare(&sides[0], &sides[s], (OpId)op, types[t]);
    }
    for (int s = 0; s < SIDES; s++)
        if (sides[s].vm) nacre_free(sides[s].vm);
    printf("%d compared, %d wrong\n", compared, failures);
    return failures || compared < 300;
}
