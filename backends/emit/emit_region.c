// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders regions: each value becomes a variable, each block a label, each exit a label after all
// blocks.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/emit/emit_region.h"

typedef struct Name {
    char text[NAME_BYTES];
} Name;

static Name name_of(int32_t value) {
    Name name;
    snprintf(name.text, sizeof name.text, "v%d", value);
    return name;
}

static const char *spelled(const Dialect *d, uint8_t type) {
    return d->types[type];
}

// Returns the label that an instruction jumps to if its check fails.
static Name way_out(const RegionInstr *in) {
    Name name;
    snprintf(name.text, sizeof name.text, "%s%d", in->to_block ? "block" : "exit", in->exit);
    return name;
}

// --- Numbers -----------------------------------------------------------------------------------

static void put_number(const Dialect *d, const RegionInstr *in, int32_t at, Buf *out) {
    Scalar number = {.u = in->number};
    const char *type = spelled(d, in->type);
    if (dtype_kind((DType)in->type) != DK_FLOAT)
        buf_printf(out, "        v%d = (%s)%lluu;\n", at, type, (unsigned long long)number.u);
    else if (isfinite(number.f))
        buf_printf(out, "        v%d = (%s)%a;\n", at, type, number.f);
    else
        buf_printf(out, "        v%d = (%s)bits(%lluu);\n", at, type, (unsigned long long)number.u);
}

char emit_slot_member(uint8_t type) {
    return dtype_kind((DType)type) == DK_FLOAT ? 'f' : 'i';
}

// Returns the macro of a comparison that raises no flag for NaN. NULL: the instruction is no such comparison.
static const char *quiet_comparison(const RegionInstr *in) {
    if (dtype_kind((DType)in->from) != DK_FLOAT || in->dim) return NULL;
    switch (in->elementwise) {
    case AOP_LESS: return "IS_LESS";
    case AOP_LESS_EQUAL: return "IS_LESS_EQUAL";
    case AOP_GREATER: return "IS_GREATER";
    case AOP_GREATER_EQUAL: return "IS_GREATER_EQUAL";
    default: return NULL;
    }
}

// Writes the flag checks of an instruction on a device, which has no flag register that could be read later.
static void put_flags(const Dialect *d, OpId op, const RegionInstr *in, int32_t at, Buf *out) {
    if (!d->grid) return;
    const Name result = name_of(at), x = name_of(in->args[0]), y = name_of(in->args[1]);
    const GridTold told = {.op = op, .from = (DType)in->from, .type = (DType)in->type, .result = result.text,
                           .operands = {x.text, op != AOP_CAST && op_info[op].arity > 1 ? y.text : NULL}};
    d->grid->flags(&told, out);
}

static void put_apply(const Dialect *d, const RegionInstr *in, int32_t at, Buf *out) {
    Name names[3];
    const char *comparison = quiet_comparison(in);
    if (comparison) {
        buf_printf(out, "        v%d = %s(v%d, v%d);\n", at, comparison, in->args[0], in->args[1]);
        return;
    }
    for (int a = 0; a < 3; a++) names[a] = name_of(in->args[a]);
    emit_expression(d, (OpId)in->elementwise, (DType)in->from, (DType)in->type, name_of(at).text,
                    (const char *const[]){names[0].text, names[1].text, names[2].text}, out);
    put_flags(d, (OpId)in->elementwise, in, at, out);
}

static const char *overflow_builtin(const RegionInstr *in) {
    if (in->elementwise == AOP_ADD) return "add";
    return in->elementwise == AOP_SUBTRACT ? "sub" : "mul";
}

static void put_fits(const RegionInstr *in, int32_t at, Buf *out) {
    buf_printf(out, "        v%d = FITS(%s, v%d, v%d);\n", at, overflow_builtin(in), in->args[0],
               in->args[1]);
}

// Writes a sum or difference with a deferred overflow check: `spoilt` becomes negative if the sum's sign differs from
// both operands' (or is wrong for a difference), or if an unsigned result has wrapped. CHECK_SMALL collects the bits of
// the second operand in `wide` instead.
static void put_later(const Dialect *d, const RegionInstr *in, int32_t at, Buf *out) {
    bool sum = in->elementwise == AOP_ADD;
    int32_t a = in->args[0], b = in->args[1];
    buf_printf(out, "        v%d = (%s)((uint64_t)v%d %c (uint64_t)v%d);\n", at,
               spelled(d, in->type), a, sum ? '+' : '-', b);
    if (in->dim == CHECK_SMALL)
        buf_printf(out, "        wide |= v%d ^ v%d >> 63;\n", b, b);
    else if (dtype_kind((DType)in->type) == DK_INT)
        buf_printf(out, "        spoilt |= (int64_t)((v%d ^ v%d) & (v%d ^ v%d));\n", a,
                   sum ? at : b, sum ? b : a, at);
    else
        buf_printf(out, "        spoilt |= -(int64_t)(v%d < v%d);\n", sum ? at : a, sum ? a : b);
}

static void put_unspoilt(const Region *r, const RegionInstr *in, Buf *out) {
    buf_puts(out, "        spoilt = wide = 0;\n");
    for (int32_t i = 0; i < in->links.count; i++) {
        int32_t value = r->links[in->links.first + i];
        buf_printf(out, "        wide |= (v%d ^ v%d >> 63) >> %d;\n", value, value,
                   62 - LATER_BITS);
    }
}

static void put_checked(const RegionInstr *in, int32_t at, Buf *out) {
    const char *how = overflow_builtin(in);
    buf_printf(out, "        if (UNLIKELY(__builtin_%s_overflow(v%d, v%d, &v%d))) goto %s;\n", how,
               in->args[0], in->args[1], at, way_out(in).text);
}

static void put_shift_left(const RegionInstr *in, int32_t at, Buf *out) {
    int32_t a = in->args[0], b = in->args[1];
    buf_printf(out, "        if (UNLIKELY((uint64_t)v%d >= 63)) goto %s;\n", b, way_out(in).text);
    buf_printf(out, "        v%d = (int64_t)((uint64_t)v%d << v%d);\n", at, a, b);
    buf_printf(out, "        if (UNLIKELY(v%d >> v%d != v%d)) goto %s;\n", at, b, a,
               way_out(in).text);
}

// Writes a floor division or remainder by a divisor of any value.
static void put_divided(const RegionInstr *in, int32_t at, Buf *out) {
    int32_t a = in->args[0], b = in->args[1];
    bool quotient = in->elementwise == AOP_FLOOR_DIVIDE;
    if (in->dim == DIVIDE_EXACT)
        buf_printf(out, "        if (UNLIKELY(v%d == 0)) goto %s;\n", b, way_out(in).text);
    buf_printf(out, "        if (UNLIKELY(v%d == 0)) v%d = 0;\n", b, at);
    buf_printf(out, "        else if (UNLIKELY(v%d == -1))", b);
    if (!quotient)
        buf_printf(out, " v%d = 0;\n", at);
    else if (in->dim == DIVIDE_EXACT)
        buf_printf(
            out,
            " {\n            if (v%d == INT64_MIN) goto %s;\n            v%d = -v%d;\n        }\n",
            a, way_out(in).text, at, a);
    else
        buf_printf(out, " v%d = (int64_t)-(uint64_t)v%d;\n", at, a);
    buf_printf(out,
               "        else {\n            const int64_t r = v%d %% v%d, off = r != 0 && (r ^ "
               "v%d) < 0;\n",
               a, b, b);
    if (quotient)
        buf_printf(out, "            v%d = v%d / v%d - off;\n        }\n", at, a, b);
    else
        buf_printf(out, "            v%d = r + (off ? v%d : 0);\n        }\n", at, b);
}

static void put_round_down(const RegionInstr *in, int32_t at, Buf *out) {
    int32_t a = in->args[0], b = in->args[1];
    if (in->dim != DIVIDE_POSITIVE && in->exit != NO_VALUE) {
        put_divided(in, at, out);
        return;
    }
    if (in->exit != NO_VALUE)
        buf_printf(out, "        if (UNLIKELY(v%d <= 0)) goto %s;\n", b, way_out(in).text);
    if (in->elementwise == AOP_FLOOR_DIVIDE) {
        buf_printf(out, "        v%d = v%d / v%d - (v%d %% v%d < 0);\n", at, a, b, a, b);
        return;
    }
    buf_printf(out, "        v%d = v%d %% v%d;\n        if (v%d < 0) v%d += v%d;\n", at, a, b, at,
               at, b);
}

static void put_power(const RegionInstr *in, int32_t at, Buf *out) {
    buf_printf(out, "        v%d = pow(v%d, v%d);\n", at, in->args[0], in->args[1]);
    if (in->exit != NO_VALUE)
        buf_printf(out, "        if (UNLIKELY(!isfinite(v%d))) goto %s;\n", at, way_out(in).text);
}

static void put_library(const RegionInstr *in, int32_t at, Buf *out) {
#define NAME(name) #name,
    static const char *const names[] = {NACRE_REGION_FUNCTIONS(NAME)};
#undef NAME
    int32_t x = in->args[0];
    buf_printf(out, "        v%d = %s(v%d);\n        if (UNLIKELY(!isfinite(v%d))", at,
               names[in->elementwise], x, at);
    if (in->dim) // as in CPython's math_1
        buf_printf(out, " && (isnan(v%d) ? !isnan(v%d) : isfinite(v%d))", at, x, x);
    buf_printf(out, ") goto %s;\n", way_out(in).text);
}

static void put_function(const Dialect *d, const RegionInstr *in, int32_t at, Buf *out) {
    if (d->grid) {
        put_apply(d, in, at, out);
        return;
    }
    buf_printf(out, "        calls->function(calls->context, %d, %d, &v%d, &v%d, &v%d, 1);\n",
               in->elementwise, in->from, in->args[0], in->args[in->args[1] != NO_VALUE], at);
}

// --- Elements ----------------------------------------------------------------------------------

// Returns whether a negative index is refused instead of counting from the end: in iterations that run in threads,
// whose dependence test does not cover indices from the end. Constants may be negative.
static bool counts_from_begin(const Region *r, const RegionInstr *in,
                              const RegionParallel *rounds) {
    return rounds && r->code[in->args[0]].op != RG_NUMBER;
}

static void put_index(const Region *r, const RegionInstr *in, int32_t at,
                      const RegionParallel *rounds, Buf *out) {
    if (counts_from_begin(r, in, rounds))
        buf_printf(out, "        v%d = v%d;\n", at, in->args[0]);
    else
        buf_printf(out, "        v%d = v%d < 0 ? v%d + n%d_%d : v%d;\n", at, in->args[0],
                   in->args[0], in->array, in->dim, in->args[0]);
    buf_printf(out, "        if (UNLIKELY((uint64_t)v%d >= (uint64_t)n%d_%d)) goto %s;\n", at,
               in->array, in->dim, way_out(in).text);
}

static void put_backward(const Region *r, const RegionInstr *in, int32_t at,
                         const RegionParallel *rounds, Buf *out) {
    if (counts_from_begin(r, in, rounds))
        buf_printf(out, "        if (UNLIKELY(v%d < 0)) goto away;\n        v%d = 0;\n",
                   in->args[0], at);
    else
        buf_printf(out, "        v%d = v%d < 0 ? n%d_%d : 0;\n", at, in->args[0], in->array,
                   in->dim);
}

// Writes an element of an array as an lvalue.
static void put_element(const Dialect *d, const Region *r, const RegionInstr *in, Buf *out) {
    const RegionArray *array = &r->arrays[in->array];
    const char *type = spelled(d, array->dtype);
    int last = array->ndim - 1;
    buf_printf(out, "%s(%s%s *)(a%d", array->dense ? "(" : "*", d->global, type, in->array);
    for (int dim = 0; dim < array->ndim - array->dense; dim++)
        buf_printf(out, " + v%d * s%d_%d", in->args[dim], in->array, dim);
    if (array->dense)
        buf_printf(out, "))[v%d]", in->args[last]);
    else
        buf_puts(out, ")");
}

static void put_arrays(const Region *r, Buf *out) {
    for (int a = 0; a < r->array_count; a++) {
        const RegionArray *array = &r->arrays[a];
        buf_printf(out, "    char *const a%d = slots[%d].address;\n    (void)a%d;\n", a,
                   array->slot, a);
        for (int dim = 0; dim < array->ndim; dim++)
            buf_printf(out,
                       "    const int64_t n%d_%d = slots[%d].i, s%d_%d = slots[%d].i;\n    "
                       "(void)n%d_%d, (void)s%d_%d;\n",
                       a, dim, array->slot + 1 + dim, a, dim, array->slot + 1 + array->ndim + dim,
                       a, dim, a, dim);
    }
}

// --- Arrays --------------------------------------------------------------------------------------

static void put_make(const RegionInstr *in, int32_t at, Buf *out) {
    buf_printf(out,
               "        v%d = (int64_t)calls->make(calls->runner, %d, %d, %d, (const int64_t[]){",
               at, (int)in->number, in->from, in->dim);
    for (int k = 0; k < in->dim; k++) buf_printf(out, "%sv%d", k ? ", " : "", in->args[k]);
    buf_printf(out, "});\n        if (UNLIKELY(v%d == 0)) goto %s;\n", at, way_out(in).text);
}

// Short dot products are added sequentially inline, as the backend would, which is faster than a
// call.
static void put_dot(const Dialect *d, const Region *r, const RegionInstr *in, int32_t at,
                    Buf *out) {
    const int32_t *v = r->links + in->links.first;
    const char *type = spelled(d, in->type);
    buf_printf(
        out,
        "        if (v%d * (int64_t)sizeof(%s) < calls->few_bytes) {\n"
        "            %s sum = 0;\n"
        "            for (int64_t i = 0; i < v%d; i++)\n"
        "                sum += *(const %s *)(v%d + i * v%d) * *(const %s *)(v%d + i * v%d);\n"
        "            v%d = sum;\n        } else\n",
        v[4], type, type, v[4], type, v[0], v[1], type, v[2], v[3], at);
    buf_printf(
        out,
        "            calls->dot(calls->context, %d, (const char *)v%d, v%d, (const char *)v%d, "
        "v%d, v%d, (char *)&v%d, %d);\n",
        in->type, v[0], v[1], v[2], v[3], v[4], at, in->dim);
}

static void put_product(const Region *r, const RegionInstr *in, Buf *out) {
    const int32_t *v = r->links + in->links.first;
    buf_printf(
        out,
        "        calls->product(calls->context, %d, (char *)v%d, (const int64_t[]){v%d, "
        "v%d, v%d},\n            (const char *)v%d, (const int64_t[]){v%d, v%d}, (const char "
        "*)v%d, (const int64_t[]){v%d, v%d}, %d);\n",
        in->type, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], in->dim);
}

static void put_take(const Dialect *d, const Region *r, const RegionInstr *in, Buf *out) {
    const int32_t *v = r->links + in->links.first;
    const char *type = spelled(d, in->type), *number = spelled(d, in->from);
    buf_printf(out,
               "        for (int64_t i = 0; i < v%d; i++) {\n            int64_t at = *(const %s "
               "*)(v%d + i * v%d);\n            at += at < 0 ? v%d : 0;\n            if "
               "(UNLIKELY((uint64_t)at >= (uint64_t)v%d)) goto %s;\n            ((%s *)v%d)[i] = "
               "*(const %s *)(v%d + at * v%d);\n        }\n",
               v[1], number, v[5], v[6], v[3], v[3], way_out(in).text, type, v[0], type, v[2],
               v[4]);
}

static void put_reduce(const RegionInstr *in, int32_t at, Buf *out) {
    buf_printf(out,
               "        calls->reduce(calls->context, %d, %d, (const char *)v%d, v%d, v%d, (char "
               "*)&v%d);\n",
               in->elementwise, in->type, in->args[0], in->args[1], in->args[2], at);
}

static void put_reduce_rows(const Dialect *d, const RegionInstr *in, Buf *out) {
    const char *type = spelled(d, in->type);
    buf_printf(
        out,
        "        for (int64_t i = 0; i < v%d; i++)\n            calls->reduce(calls->context, "
        "%d, %d, (const char *)((const %s *)v%d + i * v%d), v%d, v%d, (char *)((%s *)v%d + i));\n",
        in->args[2], in->elementwise, in->type, type, in->args[0], in->args[1], in->args[1], in->args[1], type,
        in->args[3]);
}

static void put_vector(const RegionInstr *in, Buf *out) {
    buf_printf(out,
               "        calls->function(calls->context, %d, %d, (const void *)v%d, (const void "
               "*)v%d, (void *)v%d, v%d);\n",
               in->elementwise, in->from, in->args[0], in->args[in->args[1] != NO_VALUE],
               in->args[2], in->args[3]);
}

// --- Control -----------------------------------------------------------------------------------

// Returns whether an edge goes back to the head of an RG_ROUNDS loop, which is rendered as `for`.
static bool jumps_back(const Region *r, const RegionEdge *edge, int32_t at) {
    const RegionInstr *rounds = &r->code[r->blocks[edge->block].end - 1];
    if (rounds->op != RG_ROUNDS) return false;
    return at >= r->blocks[rounds->edges[0].block].first && at < r->blocks[rounds->number].end;
}

// Writes the jump along an edge. It assigns all of the target block's parameters in parallel.
static void put_edge(const Dialect *d, const Region *r, const RegionEdge *edge, int32_t at,
                     const RegionParallel *rounds, Buf *out) {
    const int32_t to = d->grid ? emit_item_block(r, edge->block) : edge->block;
    const RegionBlock *block = &r->blocks[to];
    bool back = jumps_back(r, edge, at);
    const char *label = back ? "next" : d->grid && emit_enters(r, rounds, to, at) ? "enter" : "block";
    buf_puts(out, "        {\n");
    for (int32_t i = back; i < edge->count; i++)
        buf_printf(out, "            const %s t%d = v%d;\n",
                   spelled(d, r->code[block->first + i].type), i, r->links[edge->first + i]);
    for (int32_t i = back; i < edge->count; i++)
        buf_printf(out, "            v%d = t%d;\n", block->first + i, i);
    buf_printf(out, "            goto %s%d;\n        }\n", label, to);
}

static void put_rounds(const RegionInstr *in, Buf *out) {
    buf_printf(out, "        for (; v%d < v%d; v%d++) {\n", in->args[0], in->args[1], in->args[0]);
}

// Closes the loops of RG_ROUNDS whose last block is `last`.
static void put_rounds_end(const Dialect *d, const Region *r, int32_t last, Buf *out) {
    for (int32_t b = last; b-- > 0;) {
        int32_t at = r->blocks[b].end - 1;
        const RegionInstr *in = &r->code[at];
        if (in->op != RG_ROUNDS || in->number != (uint64_t)last) continue;
        buf_printf(out, "        next%d:;\n        }\n", b);
        put_edge(d, r, &in->edges[1], at, NULL, out);
    }
}

static void put_computed(const Region *r, int32_t value, Buf *out) {
    bool is_float = dtype_kind((DType)r->code[value].type) == DK_FLOAT;
    buf_printf(out, "        %s(v%d);\n", is_float ? "COMPUTED" : "COMPUTED_INT", value);
}

static void put_quiet(const RegionInstr *in, Buf *out) {
    for (int a = 0; a < 4 && in->args[a] != NO_VALUE; a++)
        buf_printf(out, "        COMPUTED(v%d);\n", in->args[a]);
    if (in->dim) buf_puts(out, "        STORED;\n");
    buf_printf(out, "        if (UNLIKELY(RAISED)) goto %s;\n", way_out(in).text);
}

static void put_told(const Region *r, const RegionInstr *in, Buf *out) {
    for (int a = 0; a < 4 && in->args[a] != NO_VALUE; a++) put_computed(r, in->args[a], out);
}

static void put_raised(const Region *r, const RegionInstr *in, int32_t at, Buf *out) {
    for (int32_t i = 0; i < in->links.count; i++)
        put_computed(r, r->links[in->links.first + i], out);
    buf_printf(out, "        STORED;\n        v%d = RAISED != 0;\n", at);
}

static void put_again(const RegionInstr *in, int32_t at, Buf *out) {
    bool is_float = dtype_kind((DType)in->type) == DK_FLOAT;
    buf_printf(out, "        v%d = v%d;\n        %s(v%d);\n", at, in->args[0],
               is_float ? "FORGET" : "FORGET_INT", at);
}

// Writes the copy of strided elements to or from their save area.
static void put_kept(const Dialect *d, const RegionInstr *in, Buf *out) {
    const char *type = spelled(d, in->type);
    buf_printf(out, "        %s(%s, v%d, v%d, v%d, kept[%d]);\n",
               in->op == RG_KEEP ? "KEEP" : "PUT_BACK", type, in->args[0], in->args[1], in->args[2],
               (int)in->number);
}

static void put_exit(const Region *r, int32_t number, Buf *out) {
    const RegionExit *exit = &r->exits[number];
    buf_printf(out, "exit%d:\n", number);
    for (int32_t i = 0; i < exit->count; i++) {
        int32_t value = r->links[exit->first + i];
        char member = emit_slot_member(r->code[value].type);
        buf_printf(out, "    slots[%d].%c = (%s)v%d;\n", i, member,
                   member == 'f' ? "double" : "int64_t", value);
    }
    buf_printf(out, "    *rounds = went;\n    return %d;\n", number);
}

// --- All of it ---------------------------------------------------------------------------------

static void put_instr(const Dialect *d, const Region *r, int32_t at, const RegionParallel *rounds,
                      Buf *out) {
    const RegionInstr *in = &r->code[at];
    switch ((RegionOp)in->op) {
    case RG_PARAM:
    case RG_INPUT: break; // read at the function's start
    case RG_NUMBER: put_number(d, in, at, out); break;
    case RG_APPLY: put_apply(d, in, at, out); break;
    case RG_CAST:
        emit_cast_to(d, (DType)in->from, (DType)in->type, name_of(at).text,
                     name_of(in->args[0]).text, out);
        put_flags(d, AOP_CAST, in, at, out);
        break;
    case RG_CHECKED:
        if (in->dim == CHECK_NOW)
            put_checked(in, at, out);
        else
            put_later(d, in, at, out);
        break;
    case RG_SHIFT_LEFT: put_shift_left(in, at, out); break;
    case RG_ROUND_DOWN: put_round_down(in, at, out); break;
    case RG_POWER: put_power(in, at, out); break;
    case RG_LIBRARY: put_library(in, at, out); break;
    case RG_FUNCTION: put_function(d, in, at, out); break;
    case RG_INDEX: put_index(r, in, at, rounds, out); break;
    case RG_LOAD:
        buf_printf(out, "        v%d = ", at);
        put_element(d, r, in, out);
        buf_puts(out, ";\n");
        break;
    case RG_STORE:
        buf_puts(out, "        ");
        put_element(d, r, in, out);
        buf_printf(out, " = v%d;\n", in->args[3]);
        break;
    case RG_ADDRESS: buf_printf(out, "        v%d = (int64_t)a%d;\n", at, in->array); break;
    case RG_EXTENT: buf_printf(out, "        v%d = n%d_%d;\n", at, in->array, in->dim); break;
    case RG_STRIDE: buf_printf(out, "        v%d = s%d_%d;\n", at, in->array, in->dim); break;
    case RG_SAFE: buf_printf(out, "        v%d = (int64_t)slots;\n", at); break;
    case RG_LOAD_AT:
        buf_printf(out, "        v%d = *(const %s%s *)v%d;\n", at, d->global, spelled(d, in->type), in->args[0]);
        break;
    case RG_STORE_AT:
        buf_printf(out, "        *(%s%s *)v%d = v%d;\n", d->global, spelled(d, in->type), in->args[0], in->args[3]);
        break;
    case RG_NEST: emit_nest(d, r, in, at, out); break;
    case RG_SPREAD: emit_spread(d, r, in, out); break;
    case RG_ROOM:
        buf_printf(out, "        if (UNLIKELY(!calls->room(calls->runner, v%d * %d))) goto %s;\n",
                   in->args[0], (int)in->number, way_out(in).text);
        break;
    case RG_MAKE: put_make(in, at, out); break;
    case RG_VECTOR: put_vector(in, out); break;
    case RG_REDUCE: put_reduce(in, at, out); break;
    case RG_REDUCE_ROWS: put_reduce_rows(d, in, out); break;
    case RG_PRODUCT: put_product(r, in, out); break;
    case RG_TAKE: put_take(d, r, in, out); break;
    case RG_DOT: put_dot(d, r, in, at, out); break;
    case RG_LEAVE_IF:
        buf_printf(out, "        if (UNLIKELY(v%d)) goto %s;\n", in->args[0], way_out(in).text);
        break;
    case RG_QUIET:
        if (!d->grid) put_quiet(in, out);
        break;
    case RG_POLL:
        if (r->alone) break;
        if (d->grid) {
            buf_printf(out, "        if (++went > ROUNDS_MOST) goto %s;\n", way_out(in).text);
            break;
        }
        buf_printf(out, "        went++;\n        if (UNLIKELY(*stop == 0)) goto %s;\n",
                   way_out(in).text);
        break;
    case RG_BACKWARD: put_backward(r, in, at, rounds, out); break;
    case RG_FITS: put_fits(in, at, out); break;
    case RG_STOPPED:
        buf_printf(out, r->alone ? "        v%d = 0;\n" : "        v%d = *stop == 0;\n", at);
        break;
    case RG_RAISED: put_raised(r, in, at, out); break;
    case RG_SPOILT:
        buf_printf(out, "        v%d = spoilt < 0 || (uint64_t)wide >> %d;\n", at, LATER_BITS);
        break;
    case RG_UNSPOILT: put_unspoilt(r, in, out); break;
    case RG_AGAIN: put_again(in, at, out); break;
    case RG_TOLD: put_told(r, in, out); break;
    case RG_CALM: buf_puts(out, "        CALM;\n"); break;
    case RG_COUNT: buf_printf(out, "        went += v%d;\n", in->args[0]); break;
    case RG_KEEP:
    case RG_PUT_BACK: put_kept(d, in, out); break;
    case RG_PARALLEL: emit_parallel(r, in, at, out); break;
    case RG_AFTER:
        buf_printf(out, "        v%d = (%s)state%d[%d].%c;\n", at, spelled(d, in->type),
                   in->args[0], (int)in->number, emit_slot_member(in->type));
        break;
    case RG_JUMP: put_edge(d, r, &in->edges[0], at, rounds, out); break;
    case RG_BRANCH:
        buf_printf(out, "        if (v%d)\n", in->args[0]);
        put_edge(d, r, &in->edges[0], at, rounds, out);
        put_edge(d, r, &in->edges[1], at, rounds, out);
        break;
    case RG_ROUNDS: put_rounds(in, out); break;
    case RG_LEAVE: buf_printf(out, "        goto exit%d;\n", in->exit); break;
    }
}

static bool has_value(const RegionInstr *in) {
    switch ((RegionOp)in->op) {
    case RG_STORE:
    case RG_STORE_AT:
    case RG_SPREAD:
    case RG_ROOM:
    case RG_VECTOR:
    case RG_REDUCE_ROWS:
    case RG_PRODUCT:
    case RG_TAKE:
    case RG_LEAVE_IF:
    case RG_QUIET:
    case RG_POLL:
    case RG_TOLD:
    case RG_CALM:
    case RG_UNSPOILT:
    case RG_COUNT:
    case RG_KEEP:
    case RG_PUT_BACK:
    case RG_JUMP:
    case RG_BRANCH:
    case RG_ROUNDS:
    case RG_LEAVE: return false;
    default: return true;
    }
}

void emit_value(const Dialect *d, const Region *r, int32_t at, Buf *out) {
    const RegionInstr *in = &r->code[at];
    if (!has_value(in)) return;
    buf_printf(out, "    %s v%d", spelled(d, in->type), at);
    if (in->op == RG_INPUT)
        buf_printf(out, " = (%s)slots[%d].%c", spelled(d, in->type), (int)in->number,
                   emit_slot_member(in->type));
    buf_puts(out, ";\n");
}

static int kept_places(const Region *r) {
    int count = 0;
    for (int32_t i = 0; i < r->code_count; i++)
        if (r->code[i].op == RG_KEEP && (int)r->code[i].number >= count)
            count = (int)r->code[i].number + 1;
    return count;
}

static bool can_spell(const Dialect *d, const Region *r) {
    for (int32_t i = 0; i < r->code_count; i++)
        if (!spelled(d, r->code[i].from) || !spelled(d, r->code[i].type)) return false;
    for (int a = 0; a < r->array_count; a++)
        if (!spelled(d, r->arrays[a].dtype)) return false;
    return d->region_prelude;
}

static void put_note(const RegionNotes *notes, uint16_t scope, uint32_t line, Buf *out) {
    if (notes->file) {
        buf_printf(out, "#line %u ", line);
        emit_string(notes->file(notes->context, scope), out);
    } else {
        buf_printf(out, "    // line %u: ", line);
        notes->text(notes->context, scope, line, out);
    }
    buf_putc(out, '\n');
}

// Joins the lines of code after a line directive to a single line, since the directive applies to the next line only.
static void join_lines(Buf *out, size_t begin) {
    bool found = false, directive = false;
    for (size_t i = begin; !out->failed && i + 1 < out->len; i++) {
        if (i == begin || out->data[i - 1] == '\n') directive = out->data[i] == '#';
        found |= directive;
        if (out->data[i] == '\n' && found && !directive && out->data[i + 1] != '#')
            out->data[i] = ' ';
    }
}

void emit_block(const Dialect *d, const Region *r, int32_t b, const RegionParallel *rounds,
                const RegionNotes *notes, Buf *out) {
    const RegionInstr *before = NULL;
    bool opens = r->code[r->blocks[b].end - 1].op == RG_ROUNDS;
    buf_printf(out, "block%d:;\n%s", b, opens ? "" : "    {\n");
    for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) {
        const RegionInstr *in = &r->code[i];
        if (notes && (!before || before->line != in->line || before->scope != in->scope))
            put_note(notes, in->scope, in->line, out);
        before = in;
        put_instr(d, r, i, rounds, out);
    }
    if (!opens) buf_puts(out, "    }\n");
    put_rounds_end(d, r, b, out);
}

void emit_locals(const Region *r, Buf *out) {
    buf_puts(out, "    int64_t went = 0, spoilt = 0, wide = 0;\n"
                  "    (void)stop, (void)calls, (void)spoilt, (void)wide;\n");
    if (kept_places(r) > 0)
        buf_printf(out, "    char kept[%d][%d] __attribute__((aligned(64)));\n", kept_places(r),
                   KEPT_ELEMENTS * 8);
    put_arrays(r, out);
}

bool emit_region(const Dialect *d, const Region *r, const RegionNotes *notes, Buf *out) {
    if (!d->region_prelude) return false;
    buf_puts(out, d->prelude);
    buf_puts(out, d->region_prelude);
    return emit_region_text(d, r, notes, out);
}

bool emit_region_text(const Dialect *d, const Region *r, const RegionNotes *notes, Buf *out) {
    buf_puts(out, "\n");
    return emit_region_as(d, r, "int32_t " EMITTED_NAME, notes, out);
}

bool emit_region_as(const Dialect *d, const Region *r, const char *head, const RegionNotes *notes,
                    Buf *out) {
    size_t begin = out->len;
    if (!can_spell(d, r)) return false;
    for (int p = 0; p < r->parallel_count; p++) emit_rounds(d, r, p, notes, out);
    buf_puts(out, head);
    buf_puts(out, "(Slot *slots, const volatile size_t *stop, int64_t *rounds, const Calls *calls) {\n");
    emit_locals(r, out);
    for (int32_t i = 0; i < r->code_count; i++) emit_value(d, r, i, out);
    for (int32_t b = 0; b < r->block_count; b++) emit_block(d, r, b, NULL, notes, out);
    for (int32_t e = 0; e < r->exit_count; e++) {
        const RegionExit *exit = &r->exits[e];
        if (notes && notes->file && exit->line) put_note(notes, exit->scope, exit->line, out);
        put_exit(r, e, out);
    }
    buf_puts(out, "}\n");
    if (notes && notes->file) join_lines(out, begin);
    return !out->failed;
}
