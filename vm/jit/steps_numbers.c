// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Python numbers and NumPy scalars, with the types and limits of vm/interp/fast.h and
// vm/array/scalar_arith.c. The region leaves where the interpreter would warn or raise.

#include "vm/jit/steps.h"

enum { EXACT_BITS = 53 }; // mantissa of a float64

// --- Types -------------------------------------------------------------------------------------

static bool is_strong(Var v) {
    return v.type.kind == VAR_SCALAR;
}

bool is_number_var(Var v) {
    if (is_strong(v)) return v.type.dtype != DT_BOOL;
    return v.type.kind == VAR_INT || v.type.kind == VAR_FLOAT;
}

DType number_type(Var v) {
    return var_part_type(v.type);
}

static bool is_float(Var v) {
    return dtype_kind(number_type(v)) == DK_FLOAT;
}

static Strength strength(Var v) {
    if (is_strong(v)) return STRONG;
    return v.type.kind == VAR_INT ? WEAK_INT : WEAK_FLOAT;
}

// Returns the common type of two numbers, at least one of which is a NumPy scalar.
static DType common(Var a, Var b) {
    if (is_strong(a) && is_strong(b)) return dtype_promote(number_type(a), number_type(b));
    return is_strong(a) ? dtype_with_weak(number_type(a), strength(b))
                        : dtype_with_weak(number_type(b), strength(a));
}

// Converts by way of float64, as NumPy scalars do.
static int32_t as_float(Infer *f, Var v, DType type) {
    int32_t wide = infer_cast(f, number_type(v), DT_FLOAT64, v.parts[0]);
    int32_t number = infer_cast(f, DT_FLOAT64, type, wide);
    if (type != DT_FLOAT64 && !is_strong(v)) infer_tells(f, number);
    return number;
}

static Var number(VarKind kind, DType type, int32_t part) {
    Var v = var_of(kind, part);
    if (kind == VAR_SCALAR) v.type.dtype = (uint8_t)type;
    return v;
}

// Leaves unless low <= value <= high, as int64.
static void stay_between(Infer *f, int32_t value, int64_t low, int64_t high, int why) {
    int32_t from_low = infer_apply(f, AOP_SUBTRACT, DT_INT64, DT_INT64, value, infer_int(f, low));
    int32_t width = infer_number(f, DT_UINT64, (Scalar){.u = (uint64_t)high - (uint64_t)low});
    int32_t shifted = infer_cast(f, DT_INT64, DT_UINT64, from_low);
    infer_leave_for(f, infer_apply(f, AOP_GREATER, DT_UINT64, DT_BOOL, shifted, width), why, value,
                    NO_VALUE);
}

static void stay_exact(Infer *f, Var v) {
    const RegionInstr *in = &f->variant->region.code[v.parts[0]];
    int64_t most = (int64_t)1 << EXACT_BITS;
    if (f->maker->failed || v.type.kind != VAR_INT) return;
    if (in->op == RG_NUMBER && (int64_t)in->number <= most && (int64_t)in->number >= -most) return;
    stay_between(f, v.parts[0], -most, most, LEFT_EXACT);
}

static void leave_if_zero(Infer *f, DType type, int32_t value) {
    infer_leave_for(
        f, infer_apply(f, AOP_EQUAL, type, DT_BOOL, value, infer_number(f, type, (Scalar){0})),
        because(LEFT_DIVISION, type == DT_INT64 ? DIVISION_TRUE : DIVISION_FLOAT), NO_VALUE,
        NO_VALUE);
}

// --- Integers ----------------------------------------------------------------------------------

static int32_t checked(Infer *f, uint8_t how, OpId op, DType type, int32_t a, int32_t b) {
    RegionInstr instr =
        INSTR(.op = how, .elementwise = (uint8_t)op, .from = (uint8_t)type, .type = (uint8_t)type);
    instr.exit = infer_exit(f);
    instr.args[0] = a;
    instr.args[1] = b;
    return infer_emit(f, instr);
}

// Emits arithmetic that leaves on overflow; in AOT code NumPy integers wrap.
static int32_t arithmetic(Infer *f, OpId op, VarKind kind, DType type, int32_t a, int32_t b) {
    if (f->ahead && kind == VAR_SCALAR) return infer_apply(f, op, type, type, a, b);
    int32_t r = checked(f, RG_CHECKED, op, type, a, b);
    if (!f->maker->failed) f->variant->region.code[r].number = kind == VAR_INT;
    return r;
}

static int32_t rounded_down(Infer *f, OpId op, VarKind kind, int32_t a, int32_t b) {
    RegionInstr instr =
        INSTR(.op = RG_ROUND_DOWN, .elementwise = (uint8_t)op, .from = DT_INT64, .type = DT_INT64);
    int64_t by;
    bool positive = infer_known(f, b, &by) && by > 0;
    if (f->ahead && !positive) instr.dim = kind == VAR_SCALAR ? DIVIDE_WRAPPING : DIVIDE_EXACT;
    instr.exit = infer_exit(f);
    instr.args[0] = a;
    instr.args[1] = b;
    return infer_emit(f, instr);
}

static bool is_number_of(const Infer *f, Var v, int64_t i) {
    const RegionInstr *in = &f->variant->region.code[v.parts[0]];
    return v.type.kind == VAR_INT && in->op == RG_NUMBER && (int64_t)in->number == i;
}

static bool int_division(Infer *f, Var a, Var b, Var *out) {
    leave_if_zero(f, DT_INT64, b.parts[0]);
    stay_exact(f, a);
    stay_exact(f, b);
    int32_t x = infer_cast(f, DT_INT64, DT_FLOAT64, a.parts[0]),
            y = infer_cast(f, DT_INT64, DT_FLOAT64, b.parts[0]);
    *out = number(VAR_FLOAT, DT_FLOAT64, infer_apply(f, AOP_DIVIDE, DT_FLOAT64, DT_FLOAT64, x, y));
    return true;
}

static bool integers(Infer *f, OpId op, VarKind kind, DType type, int32_t a, int32_t b, Var *out) {
    int32_t r;
    switch (op) {
    case AOP_ADD:
    case AOP_SUBTRACT:
    case AOP_MULTIPLY: r = arithmetic(f, op, kind, type, a, b); break;
    case AOP_FLOOR_DIVIDE:
    case AOP_REMAINDER:
        if (type != DT_INT64) return false;
        r = rounded_down(f, op, kind, a, b);
        break;
    case AOP_LEFT_SHIFT:
        if (kind == VAR_SCALAR)
            r = infer_apply(f, op, type, type, a, b);
        else
            r = checked(f, RG_SHIFT_LEFT, op, type, a, b);
        break;
    case AOP_RIGHT_SHIFT:
        if (kind == VAR_INT) stay_between(f, b, 0, 63, LEFT_SHIFT);
        r = infer_apply(f, op, type, type, a, b);
        break;
    case AOP_BITWISE_AND:
    case AOP_BITWISE_OR:
    case AOP_BITWISE_XOR: r = infer_apply(f, op, type, type, a, b); break;
    default: return false;
    }
    *out = number(kind, type, r);
    return true;
}

static bool python_ints(Infer *f, OpId op, Var a, Var b, Var *out) {
    if (op == AOP_DIVIDE) return int_division(f, a, b, out);
    if (op == AOP_POWER && is_number_of(f, b, 2))
        return integers(f, AOP_MULTIPLY, VAR_INT, DT_INT64, a.parts[0], a.parts[0], out);
    return integers(f, op, VAR_INT, DT_INT64, a.parts[0], b.parts[0], out);
}

// --- Floats ------------------------------------------------------------------------------------

static int32_t power(Infer *f, int32_t a, int32_t b, bool numpy) {
    RegionInstr instr = INSTR(.op = RG_POWER, .from = DT_FLOAT64, .type = DT_FLOAT64);
    if (!f->ahead || !numpy) instr.exit = infer_exit(f);
    instr.args[0] = a;
    instr.args[1] = b;
    return infer_emit(f, instr);
}

static bool python_floats(Infer *f, OpId op, Var a, Var b, Var *out) {
    int32_t x = infer_cast(f, number_type(a), DT_FLOAT64, a.parts[0]);
    int32_t y = infer_cast(f, number_type(b), DT_FLOAT64, b.parts[0]), r;
    if (op == AOP_DIVIDE) leave_if_zero(f, DT_FLOAT64, y);
    if (op == AOP_ADD || op == AOP_SUBTRACT || op == AOP_MULTIPLY || op == AOP_DIVIDE)
        r = infer_apply(f, op, DT_FLOAT64, DT_FLOAT64, x, y);
    else if (op == AOP_POWER)
        r = power(f, x, y, false);
    else
        return false;
    *out = number(VAR_FLOAT, DT_FLOAT64, r);
    return true;
}

static bool numpy_floats(Infer *f, OpId op, DType type, Var a, Var b, Var *out) {
    bool plain = op == AOP_ADD || op == AOP_SUBTRACT || op == AOP_MULTIPLY || op == AOP_DIVIDE;
    if (!plain && !(op == AOP_POWER && type == DT_FLOAT64)) return false;
    int32_t x = as_float(f, a, type), y = as_float(f, b, type);
    int32_t r = plain ? infer_apply(f, op, type, type, x, y) : power(f, x, y, true);
    if (plain) infer_tells(f, r);
    *out = number(VAR_SCALAR, type, r);
    return true;
}

// --- All numbers -------------------------------------------------------------------------------

static bool numpy_numbers(Infer *f, OpId op, Var a, Var b, Var *out) {
    DType type = common(a, b);
    if (op == AOP_DIVIDE && dtype_kind(type) != DK_FLOAT) type = DT_FLOAT64;
    if (type == DT_FLOAT16 || type == DT_NONE) return false;
    if (dtype_kind(type) == DK_FLOAT) return numpy_floats(f, op, type, a, b, out);
    // a Python int must fit; int64 takes any
    const Var *weak = !is_strong(a) ? &a : !is_strong(b) ? &b : NULL;
    if (weak && !int_fits(f, *weak, type)) {
        if (type == DT_UINT64) return false;
        stay_between(f, weak->parts[0], dtype_kind(type) == DK_INT ? dtype_min(type) : 0,
                     (int64_t)dtype_max(type), because(LEFT_BOUNDS, type));
    }
    return integers(f, op, VAR_SCALAR, type, infer_cast(f, number_type(a), type, a.parts[0]),
                    infer_cast(f, number_type(b), type, b.parts[0]), out);
}

static bool is_truth(Var v) {
    return is_strong(v) && v.type.dtype == DT_BOOL;
}

bool step_arithmetic(Infer *f, OpId op, Var a, Var b, Var *out) {
    if (is_truth(a) && is_truth(b) &&
        (op == AOP_BITWISE_AND || op == AOP_BITWISE_OR || op == AOP_BITWISE_XOR)) {
        *out = number(VAR_SCALAR, DT_BOOL,
                      infer_apply(f, op, DT_BOOL, DT_BOOL, a.parts[0], b.parts[0]));
        return true;
    }
    if (!is_number_var(a) || !is_number_var(b)) return false;
    if (is_strong(a) || is_strong(b)) return numpy_numbers(f, op, a, b, out);
    return is_float(a) || is_float(b) ? python_floats(f, op, a, b, out)
                                      : python_ints(f, op, a, b, out);
}

bool step_comparison(Infer *f, OpId op, Var a, Var b, Var *out) {
    if (!is_number_var(a) || !is_number_var(b)) return false;
    bool strong = is_strong(a) || is_strong(b);
    VarKind kind = strong ? VAR_SCALAR : VAR_BOOL;
    DType type = DT_INT64;
    int32_t x = a.parts[0], y = b.parts[0];
    if (is_float(a) || is_float(b)) {
        type = strong ? common(a, b) : DT_FLOAT64;
        if (type == DT_FLOAT16) return false;
        if (!strong) stay_exact(f, a);
        if (!strong) stay_exact(f, b);
        x = as_float(f, a, type);
        y = as_float(f, b, type);
    } else {
        if (number_type(a) == DT_UINT64 || number_type(b) == DT_UINT64) return false;
        x = infer_cast(f, number_type(a), type, x);
        y = infer_cast(f, number_type(b), type, y);
    }
    *out = number(kind, DT_BOOL, infer_apply(f, op, type, DT_BOOL, x, y));
    return true;
}

bool step_negative(Infer *f, Var a, Var *out) {
    if (!is_number_var(a)) return false;
    DType type = number_type(a);
    *out = a;
    if (is_float(a)) {
        out->parts[0] = infer_apply(f, AOP_NEGATIVE, type, type, a.parts[0], NO_VALUE);
        return true;
    }
    if (dtype_kind(type) != DK_INT) return false;
    out->parts[0] =
        checked(f, RG_CHECKED, AOP_SUBTRACT, type, infer_number(f, type, (Scalar){0}), a.parts[0]);
    return true;
}

bool step_invert(Infer *f, Var a, Var *out) {
    if (!is_number_var(a) || is_float(a)) return false;
    DType type = number_type(a);
    *out = a;
    out->parts[0] = infer_apply(f, AOP_INVERT, type, type, a.parts[0], NO_VALUE);
    return true;
}

bool truth_of(Infer *f, Var a, int32_t *out) {
    if (a.type.kind == VAR_BOOL || is_truth(a)) {
        *out = a.parts[0];
        return true;
    }
    if (!is_number_var(a)) return false;
    DType type = number_type(a);
    *out = infer_apply(f, AOP_NOT_EQUAL, type, DT_BOOL, a.parts[0],
                       infer_number(f, type, (Scalar){0}));
    return true;
}

bool index_of(Infer *f, Var a, int32_t *out) {
    if (!is_number_var(a) || is_float(a) || number_type(a) == DT_UINT64) return false;
    *out = infer_cast(f, number_type(a), DT_INT64, a.parts[0]);
    return true;
}
