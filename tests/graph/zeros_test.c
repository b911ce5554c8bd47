// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the op table says about zeros is what the loops compute, for every elementwise op and type: which ops
// make zero of zeros alone, and which of one zero whatever the other operand.

#include <stdio.h>

#include "backends/cpu/cpu.h"

static int failures, checked;

// Finite numbers, none of them zero.
static const double others[] = {1, -1, 2, 3, -7, 0.5, -2.5, 100};
enum { OTHERS = sizeof others / sizeof *others, OPERANDS = 3, ZERO = -1 };

static Scalar number(DType type, int which) {
    double x = which == ZERO ? 0 : others[which];
    Scalar s = {.re = 0, .im = 0};
    switch (dtype_kind(type)) {
    case DK_BOOL: s.i = x != 0; break;
    case DK_INT: s.i = x == 0 ? 0 : (int64_t)(x * 2); break;
    case DK_UINT: s.i = x == 0 ? 0 : (int64_t)(x < 0 ? -x * 2 : x * 2); break;
    default: s.f = x;
    }
    return s;
}

static bool is_zero(DType type, const char *at) {
    Scalar s = dtype_load(type, at);
    if (dtype_kind(type) == DK_COMPLEX) return s.re == 0 && s.im == 0;
    return dtype_is_inexact(type) ? s.f == 0 : s.i == 0;
}

// The op's loop, or the cast to the same type, over one element; operands by their place in `others`.
static bool gives_zero(OpId op, DType type, const int *which) {
    _Alignas(16) char in[OPERANDS][DTYPE_SIZE_MAX], out[DTYPE_SIZE_MAX] = {1};
    DType loop, result = type;
    for (int i = 0; i < OPERANDS; i++) {
        DType own = op == AOP_WHERE && i == 0 ? DT_BOOL : type;
        dtype_store(own, in[i], number(own, which[i]));
    }
    LoopFn fn = op == AOP_CAST ? loops_baseline.casts[DT_FLOAT64][type] : loops_baseline.ops[op][type];
    if (op == AOP_CAST) result = DT_FLOAT64;
    else op_types(op, type, &loop, &result);
    fn(in[0], in[1], in[2], out, 1);
    return is_zero(result, out);
}

static bool of_zeros(OpId op, DType type) {
    return gives_zero(op, type, (int[OPERANDS]){ZERO, ZERO, ZERO});
}

// With a zero as operand number `at`, for every other one.
static bool of_a_zero(OpId op, DType type, int at) {
    for (int i = 0; i < OTHERS; i++) {
        int which[OPERANDS] = {i, i, i};
        which[at] = ZERO;
        if (!gives_zero(op, type, which)) return false;
    }
    return true;
}

// The most that holds for every type with a loop.
static Zeros found(OpId op) {
    bool kept = true, left = op_info[op].arity == 2, right = left, any = false;
    for (int t = 0; t < DT_COUNT; t++) {
        DType type = (DType)t;
        if (op == AOP_CAST ? type == DT_FLOAT64 : !op_has_loop(op, type)) continue;
        any = true;
        kept = kept && of_zeros(op, type);
        left = left && of_a_zero(op, type, 0);
        right = right && of_a_zero(op, type, 1);
    }
    if (!any || !kept) return ZEROS_NONE;
    return left && right ? ZEROS_EITHER : left ? ZEROS_LEFT : ZEROS_KEPT;
}

int main(void) {
    static const char *const words[] = {"NONE", "KEPT", "LEFT", "EITHER"};
    for (int op = 0; op < AOP_COUNT; op++) {
        if (op_info[op].op_class != CLASS_ELEMENTWISE) continue;
        if (op == AOP_WRAP_INDEX) continue; // index 0 is an error where there is no element
        Zeros says = (Zeros)op_info[op].zeros, is = found((OpId)op);
        checked++;
        if (says == is) continue;
        printf("%s: the table says %s, the loops %s\n", op_info[op].name, words[says], words[is]);
        failures++;
    }
    printf("%d ops, %d wrong\n", checked, failures);
    return failures || checked < 80;
}
