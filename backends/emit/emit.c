// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders kernel bodies: each value becomes a variable, each instruction the expression from its
// row of the op table.

#include "backends/emit/emit.h"

#include <ctype.h>
#include <stdio.h>

static const char *spelled(const Dialect *d, uint8_t type) {
    return d->types[type];
}

void emit_value_name(char name[NAME_BYTES], int value) {
    if (value < KERN_FIRST_PARAM)
        snprintf(name, NAME_BYTES, "l%d", value);
    else if (value < KERN_FIRST_CODE)
        snprintf(name, NAME_BYTES, "p%d", value - KERN_FIRST_PARAM);
    else
        snprintf(name, NAME_BYTES, "v%d", value - KERN_FIRST_CODE);
}

// --- Memory --------------------------------------------------------------------------------------

const char *emit_memory_type(const Dialect *d, DType type) {
    if (type == DT_FLOAT16) return "uint16_t";
    if (type == DT_COMPLEX64) return d->types[DT_FLOAT32];
    return d->types[type == DT_COMPLEX128 ? DT_FLOAT64 : type];
}

void emit_load(DType type, const char *place, Buf *out) {
    const char *of_half = type == DT_FLOAT16 ? "half_to_float(*%s)" : "*%s";
    buf_printf(out, dtype_kind(type) == DK_COMPLEX ? "NC_LOAD(%s)" : of_half, place);
}

void emit_store(DType type, const char *place, const char *value, Buf *out) {
    const char *of_half = type == DT_FLOAT16 ? "*%s = half_from_float(%s);\n" : "*%s = %s;\n";
    buf_printf(out, dtype_kind(type) == DK_COMPLEX ? "NC_STORE(%s, %s);\n" : of_half, place, value);
}

void emit_string(const char *text, Buf *out) {
    buf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\' || *text == '?') buf_putc(out, '\\');
        if (*text == '\n')
            buf_puts(out, "\\n");
        else if (iscntrl((unsigned char)*text))
            buf_printf(out, "\\%03o", (unsigned char)*text);
        else
            buf_putc(out, *text);
    }
    buf_putc(out, '"');
}

// --- Arguments ---------------------------------------------------------------------------------

static void put_params(const Dialect *d, const Form *f, Buf *out) {
    for (int i = 0; i < f->param_count; i++)
        buf_printf(out, "    const %s p%d = *(const %s *)(params + %d);\n",
                   spelled(d, f->param_types[i]), i, spelled(d, f->param_types[i]),
                   i * PARAM_BYTES);
}

static void put_addresses(const Dialect *d, const Form *f, Buf *out) {
    for (int i = 0; i < f->load_count; i++) {
        const char *type = spelled(d, f->load_types[i]);
        if (f->motions[i] == MOTION_STRIDED)
            buf_printf(out,
                       "    const char *a%d = loads[%d];\n    const int64_t s%d = steps[%d];\n", i,
                       i, i, i);
        else
            buf_printf(out, "    const %s *a%d = (const %s *)loads[%d];\n", type, i, type, i);
    }
    for (int i = 0; i < f->out_count; i++) {
        const char *type = spelled(d, f->code[f->outs[i]].type);
        buf_printf(out, "    %s *o%d = (%s *)outs[%d];\n", type, i, type, i);
    }
}

// --- Operations by a loop-invariant integer --------------------------------------------------------

static const char *const by_one[AOP_COUNT][2] = {
#define BY_ONE(ID, int_expr, uint_expr) [AOP_##ID] = {#int_expr, #uint_expr},
#include "backends/cpu/loops/by_one.def"
#undef BY_ONE
};

static const char *by_one_expr(OpId op, DType type) {
    DKind kind = dtype_kind(type);
    return kind == DK_INT ? by_one[op][0] : kind == DK_UINT ? by_one[op][1] : NULL;
}

static bool stays(const Form *f, int value) {
    return value < KERN_FIRST_PARAM ? f->motions[value] == MOTION_NONE : value < KERN_FIRST_CODE;
}

static bool is_by_one(const Form *f, const FormInstr *in) {
    return op_info[in->op].arity == 2 && by_one_expr((OpId)in->op, (DType)in->from) && stays(f, in->args[1]);
}

// Writes, in front of the loop, the divisors d0 … precomputed from loop-invariant operands.
static void put_divisors(const Dialect *d, const Form *f, Buf *out) {
    for (int i = 0; i < f->code_count; i++) {
        const FormInstr *in = &f->code[i];
        if (!is_by_one(f, in)) continue;
        int value = in->args[1];
        bool is_load = value < KERN_FIRST_PARAM;
        buf_printf(out, "    const NcDivisor d%d = nc_divisor_%c((%s)%s%d, %d);\n", i,
                   dtype_kind((DType)in->from) == DK_INT ? 'i' : 'u', spelled(d, in->from), is_load ? "*a" : "p",
                   is_load ? value : value - KERN_FIRST_PARAM, dtype_size((DType)in->from) > 4 ? 64 : 32);
    }
}

// Opens a block that runs if one of the divisors is plain (nc_divisor_i). False: there is no divisor, and no block.
static bool put_plain(const Form *f, Buf *out) {
    bool any = false;
    for (int i = 0; i < f->code_count; i++) {
        if (!is_by_one(f, &f->code[i])) continue;
        buf_printf(out, "%sd%d.is_plain", any ? " || " : "    if (", i);
        any = true;
    }
    if (any) buf_puts(out, ") {\n");
    return any;
}

// --- The body ----------------------------------------------------------------------------------

static void put_load(const Dialect *d, const Form *f, int i, Buf *out) {
    enum { PLACE = 80 };
    char place[PLACE];
    DType type = (DType)f->load_types[i];
    bool is_complex = dtype_kind(type) == DK_COMPLEX;
    buf_printf(out, "        const %s l%d = ", spelled(d, (uint8_t)type), i);
    if (f->motions[i] == MOTION_UNIT && !is_complex && type != DT_FLOAT16) {
        buf_printf(out, "a%d[i];\n", i);
        return;
    }
    if (f->motions[i] == MOTION_UNIT)
        snprintf(place, sizeof place, is_complex ? "a%d + 2 * i" : "(a%d + i)", i);
    else if (f->motions[i] == MOTION_NONE)
        snprintf(place, sizeof place, "a%d", i);
    else
        snprintf(place, sizeof place, "(const %s%s *)(a%d + (int64_t)i * s%d)", d->global, emit_memory_type(d, type), i,
                 i);
    emit_load(type, place, out);
    buf_puts(out, ";\n");
}

static void put_loads(const Dialect *d, const Form *f, Buf *out) {
    for (int i = 0; i < f->load_count; i++)
        if (f->motions[i] < MOTION_LINES) put_load(d, f, i, out); // emit_grid.c has computed ones before the body
}

// Writes a cast from or to a complex type. A complex number becomes a real one by its real part. The part of a
// complex128 is converted to a half as a double, so that it is rounded once.
static void put_cast_complex(const Dialect *d, DType from, DType to, const char *result, const char *operand,
                             Buf *out) {
    char part[2 * NAME_BYTES];
    const char *pair = to == DT_COMPLEX64 ? "pair_c64" : "pair_c128";
    snprintf(part, sizeof part, "RE(%s)", operand);
    if (dtype_kind(from) != DK_COMPLEX)
        buf_printf(out, "        %s = %s(%s, 0);\n", result, pair, operand);
    else if (dtype_kind(to) == DK_COMPLEX)
        buf_printf(out, "        %s = %s(RE(%s), IM(%s));\n", result, pair, operand, operand);
    else if (to == DT_BOOL)
        buf_printf(out, "        %s = nc_truth_c(%s);\n", result, operand);
    else
        emit_cast_to(d, from == DT_COMPLEX64 ? DT_FLOAT32 : DT_FLOAT64, to, result, part, out);
}

void emit_cast_to(const Dialect *d, DType from, DType to, const char *result, const char *operand,
                  Buf *out) {
    bool odd = dtype_kind(from) == DK_FLOAT && dtype_kind(to) == DK_UINT;
    if (dtype_kind(from) == DK_COMPLEX || dtype_kind(to) == DK_COMPLEX)
        put_cast_complex(d, from, to, result, operand, out);
    else if (to == DT_BOOL)
        buf_printf(out, "        %s = %s != 0;\n", result, operand);
    else if (to == DT_FLOAT16)
        buf_printf(out, "        %s = half_to_float(half_from_%s(%s));\n", result,
                   from == DT_FLOAT64 ? "double" : "float", operand);
    else
        buf_printf(out, "        %s = (%s)%s(%s);\n", result, spelled(d, (uint8_t)to),
                   odd ? "nc_to_unsigned" : "", operand);
}

bool emit_divides_by(const FormInstr *in, int param) {
    return in->op == AOP_DIVIDE && in->args[1] == KERN_FIRST_PARAM + param && in->from == in->type &&
           (in->from == DT_FLOAT64 || in->from == DT_FLOAT32);
}

// Returns the parameter by whose reciprocal an instruction multiplies, or -1.
static int inverse_of(const FormInstr *in, const Behind *behind) {
    const int param = in->args[1] - KERN_FIRST_PARAM;
    if (!behind || param < 0 || param >= KERN_PARAMS) return -1;
    return behind->inverses >> param & 1 && emit_divides_by(in, param) ? param : -1;
}

static void put_quotient(const char *result, const char *x, int param, Buf *out) {
    buf_printf(out, "        %s = nc_over(%s, p%d, q%d);\n", result, x, param, param);
}

// Names the operands x, y and z of type T, as expressions in the op table expect; d is the
// precomputed divisor if y is loop-invariant.
static void put_expression(const Dialect *d, OpId id, DType from, DType type, const char *result,
                           const char *const operands[3], const char *divisor, Buf *out) {
    static const char *const names[] = {"x", "y", "z"};
    const OpInfo *op = &op_info[id];
    // ops without float flags only have results that a half can hold
    bool rounds = type == DT_FLOAT16 && op->effects == EFFECT_FPE;
    buf_printf(out, "        {\n            typedef %s T;\n", spelled(d, (uint8_t)from));
    if (from == DT_FLOAT16) buf_puts(out, "            enum { IS_HALF = 1 };\n");
    for (int a = 0; a < op->arity; a++) {
        bool truth = a == 0 && op->dtype_rule == RULE_SELECT;
        buf_printf(out, "            const %s %s = %s;\n", truth ? spelled(d, DT_BOOL) : "T",
                   names[a], operands[a]);
    }
    if (divisor) buf_printf(out, "            const NcDivisor d = %s;\n", divisor);
    buf_printf(out, rounds ? "            %s = half_to_float(half_from_float((%s)(%s)));\n        }\n"
                           : "            %s = (%s)(%s);\n        }\n", result, spelled(d, (uint8_t)type),
               divisor ? by_one_expr(id, from) : op->expr[dtype_kind(from)]);
}

void emit_expression(const Dialect *d, OpId op, DType from, DType type, const char *result,
                     const char *const operands[3], Buf *out) {
    put_expression(d, op, from, type, result, operands, NULL, out);
}

static void put_code(const Dialect *d, const Form *f, bool divisors, const Behind *behind, Buf *out) {
    for (int i = 0; i < f->code_count; i++) {
        const FormInstr *in = &f->code[i];
        char result[NAME_BYTES], names[3][NAME_BYTES], divisor[NAME_BYTES];
        for (int a = 0; a < 3; a++) emit_value_name(names[a], in->args[a] < 0 ? 0 : in->args[a]);
        emit_value_name(result, KERN_FIRST_CODE + i);
        snprintf(divisor, sizeof divisor, "d%d", i);
        buf_printf(out, "        %s %s;\n", spelled(d, in->type), result);
        if (in->op == AOP_CAST)
            emit_cast_to(d, (DType)in->from, (DType)in->type, result, names[0], out);
        else if (inverse_of(in, behind) >= 0)
            put_quotient(result, names[0], inverse_of(in, behind), out);
        else
            put_expression(d, (OpId)in->op, (DType)in->from, (DType)in->type, result,
                           (const char *const[]){names[0], names[1], names[2]},
                           divisors && is_by_one(f, in) ? divisor : NULL, out);
        if (behind) behind->instr(behind, i, out);
    }
}

bool emit_can_spell(const Dialect *d, const Form *f) {
    for (int i = 0; i < f->load_count; i++)
        if (!spelled(d, f->load_types[i])) return false;
    for (int i = 0; i < f->param_count; i++)
        if (!spelled(d, f->param_types[i])) return false;
    for (int i = 0; i < f->code_count; i++)
        if (!spelled(d, f->code[i].from) || !spelled(d, f->code[i].type)) return false;
    return true;
}

static void put_values(const Dialect *d, const Form *f, bool divisors, const Behind *behind, Buf *out) {
    put_loads(d, f, out);
    put_code(d, f, divisors, behind, out);
}

void emit_values(const Dialect *d, const Form *f, const Behind *behind, Buf *out) {
    put_values(d, f, false, behind, out);
}

void emit_code(const Dialect *d, const Form *f, const Behind *behind, Buf *out) {
    put_code(d, f, false, behind, out);
}

static void put_body(const Dialect *d, const Form *f, bool divisors, Buf *out) {
    buf_puts(out, d->open);
    put_values(d, f, divisors, NULL, out);
    for (int i = 0; i < f->out_count; i++)
        buf_printf(out, "        o%d[i] = v%d;\n", i, f->outs[i]);
    buf_puts(out, d->close);
}

void emit_body(const Dialect *d, const Form *f, Buf *out) {
    put_body(d, f, false, out);
}

bool emit_kernel_text(const Dialect *d, const Form *f, Buf *out) {
    if (!emit_can_spell(d, f)) return false;
    buf_puts(out, "\nvoid " EMITTED_NAME
                  "(char *const *loads, const int64_t *steps, const char *params, "
                  "char *const *outs, size_t n) {\n    (void)loads, (void)steps, (void)params;\n");
    put_params(d, f, out);
    put_addresses(d, f, out);
    put_divisors(d, f, out);
    if (put_plain(f, out)) {
        put_body(d, f, false, out);
        buf_puts(out, "    return;\n    }\n");
    }
    put_body(d, f, true, out);
    buf_puts(out, "}\n");
    return !out->failed;
}

bool emit_kernel(const Dialect *d, const Form *f, Buf *out) {
    buf_puts(out, d->prelude);
    return emit_kernel_text(d, f, out);
}
