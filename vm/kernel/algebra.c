// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Algebraic simplification that keeps results bit-identical: removes instructions without effect,
// and replaces division by a power of two by multiplication with its inverse.

#include <math.h>
#include <stdlib.h>

#include "vm/kernel/kernel.h"

// --- Scalars -----------------------------------------------------------------------------------

static bool is_plain_float(DType type) {
    return type == DT_FLOAT32 || type == DT_FLOAT64;
}

static ScalarClass exact_class(DType type, Scalar scalar) {
    int exponent;
    switch (dtype_kind(type)) {
    case DK_INT:
    case DK_UINT:
        if (scalar.i == 1) return SCALAR_ONE;
        if (scalar.i == 0) return SCALAR_ZERO;
        return scalar.i > 0 && (scalar.i & (scalar.i - 1)) == 0 ? SCALAR_POWER : SCALAR_ANY;
    case DK_FLOAT: break;
    default: return SCALAR_ANY;
    }
    if (scalar.f == 1) return SCALAR_ONE;
    if (scalar.f == 0) return signbit(scalar.f) ? SCALAR_ANY : SCALAR_ZERO;
    // Far enough from the limits of single precision that the inverse is exact there, too.
    bool power = isfinite(scalar.f) && fabs(frexp(scalar.f, &exponent)) == 0.5 && abs(exponent) < 100;
    return power ? SCALAR_POWER : SCALAR_ANY;
}

// Returns whether a zero operand can decide the op's result.
static bool has_zero(OpId op) {
    return op_info[op].zeros == ZEROS_LEFT || op_info[op].zeros == ZEROS_EITHER;
}

static bool is_whole(DType type) {
    return type == DT_BOOL || dtype_is_integer(type);
}

ScalarClass scalar_class(OpId op, DType type, Scalar scalar) {
    ScalarClass class;
    switch (op) {
    case AOP_MULTIPLY:
    case AOP_DIVIDE:
        class = exact_class(type, scalar);
        if (class == SCALAR_ZERO && op == AOP_MULTIPLY && is_whole(type)) return class;
        return class == SCALAR_ONE || (class == SCALAR_POWER && op == AOP_DIVIDE) ? class : SCALAR_ANY;
    case AOP_SUBTRACT: return exact_class(type, scalar) == SCALAR_ZERO ? SCALAR_ZERO : SCALAR_ANY;
    default:
        return has_zero(op) && is_whole(type) && scalar.i == 0 ? SCALAR_ZERO : SCALAR_ANY;
    }
}

// Classifies the scalar that an operand's parameter was converted from: the conversion may round, and the plan key
// records the class of the original only.
static ScalarClass class_of_value(const KernelMaker *m, const KernInstr *in, int operand) {
    int param = in->args[operand] - KERN_FIRST_PARAM;
    if (param < 0 || param >= KERN_PARAMS || m->inverted[param]) return SCALAR_ANY;
    return scalar_class((OpId)in->op, m->params[param]->dtype, m->params[param]->scalar);
}

// --- Instructions ------------------------------------------------------------------------------

static const KernInstr *instr_of(const Kernel *k, int value) {
    return value >= KERN_FIRST_CODE ? &k->code[value - KERN_FIRST_CODE] : NULL;
}

// Returns whether this cast undoes an earlier, lossless one.
static bool is_cast_back(const Kernel *k, const KernInstr *in) {
    const KernInstr *first = instr_of(k, in->args[0]);
    if (!first || first->op != AOP_CAST || first->from != in->type) return false;
    // NumPy calls casts of 64-bit integers to float64 safe, but a float64 does not hold all of them.
    bool rounds = dtype_is_integer((DType)first->from) && dtype_size((DType)first->from) == 8 &&
                  dtype_is_inexact((DType)first->type);
    return !rounds && dtype_can_cast((DType)first->from, (DType)first->type, CAST_SAFE);
}

// Finds an operand that is zero and makes the result zero. Only for integers: for floats, infinity
// or NaN times zero is not zero.
static int zero_operand(const KernelMaker *m, const KernInstr *in) {
    Zeros zeros = (Zeros)op_info[in->op].zeros;
    if (!has_zero((OpId)in->op) || !is_whole((DType)in->from)) return -1;
    if (class_of_value(m, in, 0) == SCALAR_ZERO) return in->args[0];
    return zeros == ZEROS_EITHER && class_of_value(m, in, 1) == SCALAR_ZERO ? in->args[1] : -1;
}

// Finds an earlier value that equals the instruction's result; -1: none.
static int same_as(const KernelMaker *m, const KernInstr *in) {
    const Kernel *k = m->kernel;
    const KernInstr *first = instr_of(k, in->args[0]);
    if (in->from != in->type && in->op != AOP_CAST) return -1;
    // for complex numbers 1 * (inf + i nan) is not the same number
    bool scales = in->op == AOP_MULTIPLY || in->op == AOP_DIVIDE || in->op == AOP_SUBTRACT;
    if (scales && dtype_kind((DType)in->from) == DK_COMPLEX) return -1;
    int zero = zero_operand(m, in);
    if (zero >= 0) return zero;
    switch (in->op) {
    case AOP_MULTIPLY:
        if (class_of_value(m, in, 0) == SCALAR_ONE) return in->args[1];
        return class_of_value(m, in, 1) == SCALAR_ONE ? in->args[0] : -1;
    case AOP_DIVIDE: return class_of_value(m, in, 1) == SCALAR_ONE ? in->args[0] : -1;
    case AOP_SUBTRACT: return class_of_value(m, in, 1) == SCALAR_ZERO ? in->args[0] : -1;
    case AOP_POSITIVE: return kernel_is_of_lines(k, in->args[0]) ? -1 : in->args[0]; // add_lines
    case AOP_NEGATIVE:
    case AOP_CONJUGATE: return first && first->op == in->op ? first->args[0] : -1;
    case AOP_ABSOLUTE: return first && first->op == in->op && first->from == first->type ? in->args[0] : -1;
    case AOP_CAST: return is_cast_back(k, in) ? first->args[0] : -1;
    default: return -1;
    }
}

// Returns a parameter that is the inverse of another; -1: no free parameter.
static int inverse_of(KernelMaker *m, int value) {
    Kernel *k = m->kernel;
    int param = value - KERN_FIRST_PARAM, i = 0;
    while (i < k->param_count && !(m->params[i] == m->params[param] && m->inverted[i])) i++;
    if (i == KERN_PARAMS) return -1;
    if (i == k->param_count) {
        m->params[i] = m->params[param];
        m->inverted[i] = true;
        k->params[i] = scalar_inverse(k->params[param]);
        k->param_types[i] = k->param_types[param];
        k->param_count++;
    }
    return KERN_FIRST_PARAM + i;
}

static void multiply_instead(KernelMaker *m, KernInstr *in) {
    if (in->op != AOP_DIVIDE || !is_plain_float((DType)in->from)) return;
    if (class_of_value(m, in, 1) != SCALAR_POWER) return;
    int inverse = inverse_of(m, in->args[1]);
    if (inverse < 0) return;
    in->op = AOP_MULTIPLY;
    in->args[1] = (int8_t)inverse;
}

// --- The body ----------------------------------------------------------------------------------

// Marks the stored values and, transitively, their operands.
static void mark_used(const Kernel *k, bool used[KERN_CODE]) {
    for (int s = 0; s < k->store_count; s++)
        if (k->stores[s].value >= KERN_FIRST_CODE) used[k->stores[s].value - KERN_FIRST_CODE] = true;
    for (int i = k->code_count - 1; i >= 0; i--)
        for (int a = 0; a < 3 && used[i]; a++)
            if (k->code[i].args[a] >= KERN_FIRST_CODE) used[k->code[i].args[a] - KERN_FIRST_CODE] = true;
}

// Removes unused instructions, except those that report float flags. `idle` marks instructions
// without effect.
static void drop_unused(Kernel *k, const bool idle[KERN_CODE]) {
    bool used[KERN_CODE];
    int8_t number[KERN_VALUES];
    int count = 0;
    for (int v = 0; v < KERN_VALUES; v++) number[v] = (int8_t)v;
    for (int i = 0; i < k->code_count; i++) used[i] = k->code[i].tells && !idle[i];
    mark_used(k, used);
    for (int i = 0; i < k->code_count; i++) {
        if (!used[i]) continue;
        KernInstr in = k->code[i];
        for (int a = 0; a < 3; a++)
            if (in.args[a] >= 0) in.args[a] = number[in.args[a]];
        number[KERN_FIRST_CODE + i] = (int8_t)(KERN_FIRST_CODE + count);
        k->code[count++] = in;
    }
    k->code_count = count;
    for (int s = 0; s < k->store_count; s++) k->stores[s].value = number[k->stores[s].value];
}

void kernel_algebra(KernelMaker *m) {
    Kernel *k = m->kernel;
    int8_t number[KERN_VALUES]; // per instruction: the value that it is replaced by
    bool idle[KERN_CODE] = {false}, changed = false;
    if (k->hints & HINT_PLAIN) return;
    for (int v = 0; v < KERN_VALUES; v++) number[v] = (int8_t)v;
    for (int i = 0; i < k->code_count; i++) {
        KernInstr *in = &k->code[i];
        for (int a = 0; a < 3; a++)
            if (in->args[a] >= 0) in->args[a] = number[in->args[a]];
        int same = same_as(m, in);
        idle[i] = same >= 0;
        changed |= idle[i];
        if (idle[i]) number[KERN_FIRST_CODE + i] = number[same];
        else multiply_instead(m, in);
    }
    if (!changed) return;
    for (int s = 0; s < k->store_count; s++) k->stores[s].value = number[k->stores[s].value];
    drop_unused(k, idle);
}
