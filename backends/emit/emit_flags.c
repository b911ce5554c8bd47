// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders float flags and errors of operations on devices. Devices have no flag register, so flags are derived from
// operands and results.

#include <stdio.h>

#include "backends/emit/emit_grid.h"

// Returns whether an op on floats raises nothing: finite operands have finite results, and no operand is invalid.
static bool is_quiet(OpId op) {
    switch (op) {
    case AOP_ABSOLUTE:
    case AOP_SIGN:
    case AOP_CBRT:
    case AOP_ARCTAN:
    case AOP_TANH:
    case AOP_ARCSINH:
    case AOP_DEG2RAD:
    case AOP_FABS:
    case AOP_RINT:
    case AOP_ARCTAN2:
    case AOP_COPYSIGN:
    case AOP_HEAVISIDE:
    case AOP_FREXP:
    case AOP_MODF: return true;
    default: return false;
    }
}

static bool has_flags_of_integers(OpId op, DType type) {
    switch (op) {
    case AOP_FLOOR_DIVIDE:
    case AOP_REMAINDER:
    case AOP_FMOD:
    case AOP_RECIPROCAL: return true;
    case AOP_POWER:
    case AOP_WRAP_INDEX: return dtype_kind(type) == DK_INT;
    default: return false;
    }
}

static size_t part_size(DType type) {
    return dtype_kind(type) == DK_COMPLEX ? dtype_size(type) / 2 : dtype_size(type);
}

static bool has_flags_of_cast(DType from, DType to) {
    if (to == DT_FLOAT16 && dtype_is_integer(from)) return dtype_size(from) > 1 && from != DT_INT16;
    if (!dtype_is_inexact(from) || to == DT_BOOL) return false;
    return !dtype_is_inexact(to) || part_size(to) < part_size(from);
}

bool emit_has_flags(OpId op, DType from, DType type) {
    if (op == AOP_CAST) return has_flags_of_cast(from, type);
    if (dtype_is_integer(from)) return has_flags_of_integers(op, from);
    if (op_info[op].effects != EFFECT_FPE || op == AOP_POSITIVE || from == DT_BOOL) return false;
    if (dtype_kind(from) == DK_COMPLEX) return op != AOP_RINT;
    return dtype_kind(type) == DK_FLOAT && !is_quiet(op);
}

// --- Integers --------------------------------------------------------------------------------------

static void put_integers(const GridTold *t, Buf *out) {
    const char *x = t->operands[0], *y = t->operands[1];
    const bool is_signed = dtype_kind(t->from) == DK_INT;
    int site = t->site;
    switch (t->op) {
    case AOP_RECIPROCAL: buf_printf(out, "        if (%s == 0) MEET(flags, %d, 9u);\n", x, site); break;
    case AOP_POWER: buf_printf(out, "        if (%s < 0) MEET(flags, %d, 16u);\n", y, site); break;
    case AOP_WRAP_INDEX:
        buf_printf(out, "        if ((uint64_t)%s >= (uint64_t)%s) MEET(flags, %d, 32u);\n", t->result, y, site);
        break;
    default: buf_printf(out, "        if (%s == 0) MEET(flags, %d, 1u);\n", y, site); break;
    }
    if (t->op == AOP_FLOOR_DIVIDE && is_signed)
        buf_printf(out, "        if (%s == -1 && %s == (int64_t)(UINT64_MAX << %d)) MEET(flags, %d, 2u);\n", y, x,
                   8 * (int)dtype_size(t->from) - 1, site);
}

// --- Floats ----------------------------------------------------------------------------------------

// Writes a test of the operands for a pole: there, an infinite result of finite operands is a division by zero, not an
// overflow.
static void put_pole(OpId op, const char *const names[2], Buf *out) {
    switch (op) {
    case AOP_DIVIDE:
    case AOP_FLOOR_DIVIDE:
    case AOP_REMAINDER: buf_printf(out, "%s == 0", names[1]); break;
    case AOP_POWER:
    case AOP_FLOAT_POWER:
    case AOP_RECIPROCAL:
    case AOP_LOG:
    case AOP_LOG2:
    case AOP_LOG10: buf_printf(out, "%s == 0", names[0]); break;
    case AOP_LOG1P: buf_printf(out, "%s == -1", names[0]); break;
    case AOP_ARCTANH: buf_printf(out, "fabs(%s) == 1", names[0]); break;
    default: buf_puts(out, "0"); break;
    }
}

static void put_all(const char *test, const char *joint, const char *const names[2], int count, Buf *out) {
    for (int a = 0; a < count; a++) buf_printf(out, "%s%s(%s)", a ? joint : "", test, names[a]);
}

static void put_floats(const GridTold *t, Buf *out) {
    const char *const *names = t->operands;
    int count = names[1] ? 2 : 1;
    bool by_first = t->op == AOP_NEXTAFTER; // infinity as the direction does not count
    buf_printf(out, "        if (!isfinite(%s)) {\n            const uint32_t met = isnan(%s) ? (", t->result,
               t->result);
    put_all("isnan", " || ", names, count, out);
    buf_puts(out, " ? 0u : 8u) : (");
    put_all("isfinite", " && ", names, by_first ? 1 : count, out);
    buf_puts(out, ") ? (");
    put_pole(t->op, names, out);
    // floor_divide of an overflowing quotient is also invalid, but not for halves, which are computed as floats
    buf_printf(out, " ? 1u : %s) : 0u;\n            if (met) MEET(flags, %d, met);\n        }\n",
               t->op == AOP_FLOOR_DIVIDE && t->from != DT_FLOAT16 ? "10u" : "2u", t->site);
}

// Writes the flag check of logarithms of sums, which compare the difference of their operands with 0.
static void put_difference(const GridTold *t, Buf *out) {
    const char *x = t->operands[0], *y = t->operands[1];
    buf_printf(out, "        if (isnan(%s) || isnan(%s)) MEET(flags, %d, 8u);\n", x, y, t->site);
    buf_printf(out, "        if (isfinite(%s) && isfinite(%s) && !isfinite(%s - %s)) MEET(flags, %d, 2u);\n", x, y, x,
               y, t->site);
}

// Writes a test whether a float is outside the integer range that the conversion uses: 32 bits for narrow signed types,
// otherwise 64.
static void put_to_integer(const GridTold *t, const char *operand, Buf *out) {
    const char *low = ">= -9223372036854775808.0", *high = "< 9223372036854775808.0";
    if (dtype_kind(t->type) == DK_UINT)
        high = "< 18446744073709551616.0";
    else if (dtype_size(t->type) <= 4)
        low = "> -2147483649.0", high = "< 2147483648.0";
    buf_printf(out, "        if (!(%s %s && %s %s)) MEET(flags, %d, 8u);\n", operand, low, operand, high, t->site);
}

static void put_narrowed(const GridTold *t, const char *result, const char *operand, Buf *out) {
    buf_printf(out, "        if (isinf(%s) && isfinite(%s)) MEET(flags, %d, 2u);\n", result, operand, t->site);
}

// Writes the flag checks of a cast. Of a complex operand the real part counts, and the imaginary part too if the result
// is complex.
static void put_cast(const GridTold *t, Buf *out) {
    const bool from_complex = dtype_kind(t->from) == DK_COMPLEX, to_complex = dtype_kind(t->type) == DK_COMPLEX;
    char part[64], made[64];
    snprintf(part, sizeof part, from_complex ? "RE(%s)" : "%s", t->operands[0]);
    snprintf(made, sizeof made, to_complex ? "RE(%s)" : "%s", t->result);
    if (!dtype_is_inexact(t->from))
        buf_printf(out, "        if (isinf(%s)) MEET(flags, %d, 2u);\n", t->result, t->site);
    else if (!dtype_is_inexact(t->type))
        put_to_integer(t, part, out);
    else
        put_narrowed(t, made, part, out);
    if (!from_complex || !to_complex) return;
    snprintf(part, sizeof part, "IM(%s)", t->operands[0]);
    snprintf(made, sizeof made, "IM(%s)", t->result);
    put_narrowed(t, made, part, out);
}

// --- Complex numbers -------------------------------------------------------------------------------

// Writes the call that returns an operation's flags.
static void put_complex_call(const GridTold *t, Buf *out) {
    const char *x = t->operands[0], *y = t->operands[1], *r = t->result;
    switch (t->op) {
    case AOP_ADD:
    case AOP_SUBTRACT: buf_printf(out, "flags_add_c(%s, %s, %s)", r, x, y); break;
    case AOP_MULTIPLY: buf_printf(out, "flags_mul_c(%s, %s)", x, y); break;
    case AOP_SQUARE: buf_printf(out, "flags_mul_c(%s, %s)", x, x); break;
    case AOP_DIVIDE: buf_printf(out, "flags_div_c(%s, %s)", x, y); break;
    case AOP_RECIPROCAL: buf_printf(out, "flags_reciprocal_c(%s)", x); break;
    case AOP_ABSOLUTE: buf_printf(out, "step_c(%s, RE(%s), IM(%s))", r, x, x); break;
    case AOP_SIGN: buf_printf(out, "flags_size_c(%s)", x); break;
    case AOP_EXPM1: buf_printf(out, "flags_expm1_c(%s)", x); break;
    case AOP_LOG1P: buf_printf(out, "flags_log1p_c(%s)", x); break;
    case AOP_POWER:
    case AOP_FLOAT_POWER: buf_printf(out, "flags_pow_c(%s, %s, %s)", r, x, y); break;
    case AOP_LOG:
    case AOP_LOG2:
    case AOP_LOG10:
    case AOP_ARCTAN:
    case AOP_ARCTANH: buf_printf(out, "flags_of_c(%s, %s, 1u)", r, x); break;
    default: buf_printf(out, "flags_of_c(%s, %s, 2u)", r, x); break;
    }
}

// Adds flags that the host's C library raises beyond those that IEEE 754 requires.
static void put_more_invalid(const GridTold *t, Buf *out) {
    const char *x = t->operands[0], *r = t->result;
    switch (t->op) {
    case AOP_EXP:
    case AOP_EXP2: buf_printf(out, " | flags_nans_c(%s, RE(%s)) | flags_nans_c(%s, IM(%s))", r, x, r, x); break;
    case AOP_SINH: buf_printf(out, " | flags_nans_c(%s, RE(%s))", r, x); break;
    case AOP_SIN: buf_printf(out, " | flags_nans_c(%s, IM(%s))", r, x); break;
    case AOP_TANH: buf_printf(out, " | (isnan(RE(%s)) && isinf(IM(%s)) ? 8 : 0)", x, x); break;
    case AOP_TAN: buf_printf(out, " | (isnan(IM(%s)) && isinf(RE(%s)) ? 8 : 0)", x, x); break;
    default: break;
    }
}

static void put_complex(const GridTold *t, Buf *out) {
    buf_puts(out, "        {\n            const uint32_t met = ");
    put_complex_call(t, out);
    put_more_invalid(t, out);
    buf_printf(out, ";\n            if (met) MEET(flags, %d, met);\n        }\n", t->site);
}

void emit_flags(const GridTold *t, Buf *out) {
    if (!emit_has_flags(t->op, t->from, t->type)) return;
    if (t->op == AOP_CAST)
        put_cast(t, out);
    else if (dtype_is_integer(t->from))
        put_integers(t, out);
    else if (dtype_kind(t->from) == DK_COMPLEX)
        put_complex(t, out);
    else if (t->op == AOP_LOGADDEXP || t->op == AOP_LOGADDEXP2)
        put_difference(t, out);
    else if (t->op == AOP_SPACING && t->from == DT_FLOAT16) // infinities and NaN are invalid here
        buf_printf(out, "        if (!isfinite(%s)) MEET(flags, %d, isfinite(%s) ? 2u : 8u);\n", t->result, t->site,
                   t->operands[0]);
    else if (t->op == AOP_SPACING)
        put_narrowed(t, t->result, t->operands[0], out);
    else
        put_floats(t, out);
}
