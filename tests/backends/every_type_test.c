// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Devices have every elementwise op and every reduction for every type, with ordinary operands and with those at the
// ends of a type's range: within the tolerance that the op table states, and without the host's help.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "nacre/nacre.h"
#include "vm/graph/half.h"
#include "vm/graph/op.h"

enum { TEXT = 256, BATCH = 6, MORE = 4 }; // MORE: what complex functions may be off beyond a row's tolerance

static int failures, compared;

typedef struct Side {
    const char *backend;
    bool is_device; // which must not fall back
    NacreVm *vm;
} Side;

typedef struct Case {
    OpId op;
    double tolerance;
    char text[TEXT]; // an expression
} Case;

static bool run(NacreVm *vm, const char *text) {
    return nacre_run(vm, text, strlen(text), "<test>", NACRE_FILE) == NACRE_OK;
}

// --- Operands ----------------------------------------------------------------------------------------

// x and y; P, whose sums and products cancel and overflow nothing; e, exponents of integers.
static const char ordinary[] =
    "k = np.arange(4096)\nu = (k * 40503 %% 65536 + 0.37) / 65536\nv = (k * 30011 %% 65536 + 0.73) / 65536\n"
    "T = np.dtype('%s')\n"
    "if T.kind == 'f':\n    x = (u * 8 - 4).astype(T)\n    y = (v * 8 - 4).astype(T)\n    P = (u + 0.5).astype(T)\n"
    "elif T.kind == 'c':\n    x = ((u * 8 - 4) + 1j * (v * 8 - 4)).astype(T)\n    y = x[::-1] * T.type(0.75)\n"
    "    P = (u + 0.5 + 0.1j * v).astype(T)\n"
    "elif T.kind == 'b':\n    x = k %% 3 == 0\n    y = k %% 5 < 2\n    P = x\n"
    "else:\n    x = (k * 40503 %% 251 - (125 if T.kind == 'i' else 0)).astype(T)\n    y = (k * 30011 %% 17 - "
    "(8 if T.kind == 'i' else 0)).astype(T)\n    P = x\nP = P.reshape(64, 64)\nb = u < v\ne = abs(y) %% 5 if T.kind in 'iu' else y\n";

static const char special[] =
    "T = np.dtype('%s')\n"
    "if T.kind == 'b':\n    s = np.array([False, True])\n"
    "elif T.kind in 'iu':\n    i = np.iinfo(T)\n    s = np.array([0, 1, 2, 3, 7, 100, i.max, i.max - 1, i.min, i.min + 1]).astype(T)\n"
    "else:\n    f = np.finfo('float64' if T.kind == 'c' and T.itemsize == 16 else 'float32' if T.kind == 'c' else T)\n"
    "    s = np.array([0.0, -0.0, 1, -1, 0.5, -3.3, 10.25, 700.5, float(f.max), -float(f.max), np.inf, -np.inf, np.nan])\n"
    "    if T.kind == 'c':\n        s = (np.repeat(s, s.size) + 0j)\n        s.imag = np.tile(s.real[::13], 13)\n"
    "    s = s.astype(T)\nx = np.repeat(s, s.size)\ny = np.tile(s, s.size)\nP = s.reshape(1, -1)\nb = np.arange(x.size) %% 2 == 0\n"
    "e = abs(y) %% 5 if T.kind in 'iu' else y\n";

static bool prepare(NacreVm *vm, const char *operands, const char *type) {
    static char text[1 << 13];
    int used = snprintf(text, sizeof text, "import numpy as np\nnp.seterr(all='ignore')\n");
    snprintf(text + used, sizeof text - (size_t)used, operands, type);
    return run(vm, text);
}

// --- Results -----------------------------------------------------------------------------------------

static double units(double a, double b, double size, int digits, int least) {
    int exponent;
    if (a == b || (isnan(a) && isnan(b))) return 0;
    if (!isfinite(a) || !isfinite(b)) return INFINITY;
    (void)frexp(fmax(size, fmax(fabs(a), fabs(b))), &exponent);
    return fabs(a - b) / ldexp(1, (exponent < least ? least : exponent) - digits);
}

static double number_at(const char *at, DType part) {
    double d;
    float f;
    uint16_t h;
    if (part == DT_FLOAT64) return memcpy(&d, at, sizeof d), d;
    if (part == DT_FLOAT32) return memcpy(&f, at, sizeof f), f;
    return memcpy(&h, at, sizeof h), half_to_float(h);
}

static double units_of(const char *p, const char *q, DType part, double size) {
    int digits = part == DT_FLOAT64 ? 53 : part == DT_FLOAT32 ? 24 : 11;
    int least = part == DT_FLOAT64 ? -1021 : part == DT_FLOAT32 ? -125 : -13;
    return units(number_at(p, part), number_at(q, part), size, digits, least);
}

// Of complex numbers in units of the larger part, if it is finite.
static double difference(const char *p, const char *q, DType type) {
    DType part = type == DT_COMPLEX128 ? DT_FLOAT64 : type == DT_COMPLEX64 ? DT_FLOAT32 : type;
    size_t step = dtype_size(part);
    if (memcmp(p, q, dtype_size(type)) == 0) return 0;
    if (!dtype_is_inexact(type)) return INFINITY;
    if (part == type) return units_of(p, q, type, 0);
    double size = fmax(fabs(number_at(p, part)), fabs(number_at(p + step, part)));
    if (!isfinite(size)) size = 0;
    return fmax(units_of(p, q, part, size), units_of(p + step, q + step, part, size));
}

static DType type_named(const char *name) {
    for (int t = 0; t < DT_COUNT; t++)
        if (strcmp(dtype_info[t].name, name) == 0) return (DType)t;
    return DT_NONE;
}

// The largest difference of elements of r<number> on two sides.
static double distance(NacreVm *a, NacreVm *b, int number) {
    NacreArray m = {.struct_size = sizeof m}, n = {.struct_size = sizeof n};
    NacreValue *x = NULL, *y = NULL;
    const void *p, *q;
    char name[16];
    double most = INFINITY;
    snprintf(name, sizeof name, "r%d", number);
    if (nacre_global(a, name, &x) == NACRE_OK && nacre_global(b, name, &y) == NACRE_OK &&
        nacre_array_info(a, x, &m) == NACRE_OK && nacre_array_info(b, y, &n) == NACRE_OK &&
        strcmp(m.dtype, n.dtype) == 0 && m.ndim == n.ndim && nacre_read(a, x, &p) == NACRE_OK &&
        nacre_read(b, y, &q) == NACRE_OK) {
        size_t count = 1;
        most = 0;
        for (int d = 0; d < m.ndim; d++) count *= (size_t)m.shape[d];
        for (size_t i = 0; i < count; i++)
            most = fmax(most, difference((const char *)p + i * m.itemsize, (const char *)q + i * m.itemsize, type_named(m.dtype)));
    }
    nacre_release(a, x);
    nacre_release(b, y);
    return most;
}

// --- Cases -------------------------------------------------------------------------------------------

static double tolerance_of(OpId op, DType type) {
    bool is_function = dtype_kind(type) == DK_COMPLEX && op_info[op].effects == EFFECT_FPE && op > AOP_DIVIDE;
    return op_info[op].tolerance + (is_function ? MORE : 0);
}

// The op as a script writes it; false: it is not a function.
static bool element_case(OpId op, DType type, Case *c) {
    static const char *const operands[] = {"", "x", "x, y", "x, y, y"};
    const OpInfo *info = &op_info[op];
    if (info->op_class != CLASS_ELEMENTWISE || op == AOP_CAST || op == AOP_WRAP_INDEX) return false;
    *c = (Case){.op = op, .tolerance = tolerance_of(op, type)};
    if (op == AOP_WHERE) return snprintf(c->text, TEXT, "np.where(b, x, y)") > 0;
    // of negative numbers it cancels
    if (op == AOP_LOGADDEXP || op == AOP_LOGADDEXP2) return snprintf(c->text, TEXT, "np.%s(abs(x), abs(y))", info->name) > 0;
    if (op == AOP_BYTESWAP) return snprintf(c->text, TEXT, "x.byteswap()") > 0;
    if (op == AOP_FREXP || op == AOP_MODF) return snprintf(c->text, TEXT, "np.%s(x)[0]", info->name) > 0;
    if (op == AOP_FREXP_EXPONENT || op == AOP_MODF_WHOLE)
        return snprintf(c->text, TEXT, "np.%s(x)[1]", op == AOP_MODF_WHOLE ? "modf" : "frexp") > 0;
    if (op == AOP_POWER) return snprintf(c->text, TEXT, "np.power(x, e)") > 0;
    return snprintf(c->text, TEXT, "np.%s(%s)", info->name, operands[info->arity]) > 0;
}

static bool is_one_of_many(OpId op) {
    return op != AOP_ADD && op != AOP_SUBTRACT && op != AOP_MULTIPLY && op != AOP_MAXIMUM;
}

// Reductions by an op of two operands along an axis, or along both: of most ops one of them, since each is compiled.
// Powers of powers leave every range. All of a mask are counted, which is a library operation.
static bool reduction_case(OpId op, int axis, DType type, Case *c) {
    static const char *const axes[] = {"axis=0", "axis=1", "axis=0, initial=1", "axis=None"};
    const OpInfo *info = &op_info[op];
    if (info->op_class != CLASS_ELEMENTWISE || info->arity != 2 || op == AOP_WRAP_INDEX) return false;
    if (op == AOP_POWER || op == AOP_FLOAT_POWER || op == AOP_LDEXP) return false;
    if (is_one_of_many(op) ? axis != (int)op % 3 : axis == 3 && (!info->commutative || type == DT_BOOL)) return false;
    *c = (Case){.op = op, .tolerance = op_info[op].effects == EFFECT_PURE ? 0 : 64};
    return snprintf(c->text, TEXT, "np.asarray(np.%s.reduce(P, %s))", info->name, axes[axis]) > 0;
}

static bool cast_case(DType to, Case *c) {
    *c = (Case){.op = AOP_CAST};
    return snprintf(c->text, TEXT, "x.astype('%s')", dtype_info[to].name) > 0;
}

// --- Comparing ---------------------------------------------------------------------------------------

static uint64_t fallbacks_of(NacreVm *vm) {
    NacreStats stats = {.struct_size = sizeof stats};
    return nacre_stats(vm, &stats) == NACRE_OK ? stats.fallbacks : UINT64_MAX;
}

static void compare(NacreVm *reference, Side *side, const Case *cases, int count, const char *text, const char *type) {
    uint64_t before = fallbacks_of(side->vm);
    if (!run(side->vm, text)) printf("%s\n", nacre_error_text(side->vm)), failures++;
    for (int i = 0; i < count; i++) {
        double off = distance(reference, side->vm, i);
        compared++;
        if (off <= cases[i].tolerance) continue;
        printf("%s of %s on %s: %g units in the last place, not %g\n", cases[i].text, type, side->backend, off,
               cases[i].tolerance);
        failures++;
    }
    if (!side->is_device || fallbacks_of(side->vm) == before) return;
    printf("%s has not all of this for %s:\n%s", side->backend, type, text);
    failures++;
}

typedef struct Batch {
    Side *sides;
    int side_count, count;
    const char *type;
    Case cases[BATCH];
} Batch;

static void finish(Batch *b) {
    char text[BATCH * (TEXT + 16)];
    size_t used = 0;
    for (int i = 0; i < b->count; i++) used += (size_t)snprintf(text + used, sizeof text - used, "r%d = %s\n", i, b->cases[i].text);
    if (b->count && !run(b->sides[0].vm, text)) printf("%s\n", nacre_error_text(b->sides[0].vm)), failures++;
    for (int s = 1; s < b->side_count && b->count; s++)
        if (b->sides[s].vm) compare(b->sides[0].vm, &b->sides[s], b->cases, b->count, text, b->type);
    b->count = 0;
}

// Leaves out what there is not for the type.
static void add(Batch *b, const Case *c) {
    char text[TEXT + 16];
    snprintf(text, sizeof text, "r0 = %s\n", c->text);
    if (!run(b->sides[0].vm, text)) return;
    b->cases[b->count++] = *c;
    if (b->count == BATCH) finish(b);
}

// Phases of complex powers of what is large are those of many turns; what a float that is no integer's becomes is the
// machine's.
static void all_cases(Batch *b, DType type, bool is_special) {
    const bool is_complex = dtype_kind(type) == DK_COMPLEX;
    Case c;
    for (int op = 0; op < AOP_COUNT; op++) {
        bool turns = is_special && is_complex && (op == AOP_POWER || op == AOP_FLOAT_POWER);
        if (!turns && element_case((OpId)op, type, &c)) add(b, &c);
    }
    finish(b);
    for (int to = 0; to < DT_COUNT; to++) {
        bool fits = !is_special || !dtype_is_inexact(type) || dtype_is_inexact((DType)to) || to == DT_BOOL;
        fits &= type == DT_BOOL || dtype_kind((DType)to) != DK_UINT || !dtype_is_inexact(type);
        if (fits && cast_case((DType)to, &c)) add(b, &c);
    }
    finish(b);
    // each reduction is a kernel to compile: one type of each kind
    const bool is_reduced = type == DT_INT64 || type == DT_FLOAT16 || type == DT_FLOAT64 || type == DT_COMPLEX128;
    for (int op = 0; op < AOP_COUNT && is_reduced && !is_special; op++)
        for (int axis = 0; axis < 4; axis++)
            if (reduction_case((OpId)op, axis, type, &c)) add(b, &c);
    finish(b);
}

static NacreVm *start(const Side *side) {
    NacreOptions options = {.struct_size = sizeof options, .backend = side->backend, .threads = 2, .tier = "interp"};
    return nacre_new(&options);
}

int main(void) {
    static const char *const operands[] = {ordinary, special};
    Side sides[] = {{"cpu", false, NULL}, {"mirror", false, NULL}, {"opencl", true, NULL}, {"cuda", true, NULL}};
    enum { SIDES = sizeof sides / sizeof *sides };
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int s = 0; s < SIDES; s++) sides[s].vm = start(&sides[s]);
    for (int which = 0; which < 2; which++)
        for (int t = 0; t < DT_COUNT; t++) {
            Batch batch = {.sides = sides, .side_count = SIDES, .type = dtype_info[t].name};
            for (int s = 0; s < SIDES; s++)
                if (sides[s].vm && !prepare(sides[s].vm, operands[which], batch.type))
                    failures++, printf("%s\n", nacre_error_text(sides[s].vm));
            all_cases(&batch, (DType)t, which == 1);
        }
    for (int s = 0; s < SIDES; s++)
        if (sides[s].vm) nacre_free(sides[s].vm);
    printf("%d compared, %d wrong\n", compared, failures);
    return failures || compared < 2000;
}
