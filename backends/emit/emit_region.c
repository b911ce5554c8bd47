// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The renderer of regions: each value is a variable of the function, each block a label, each exit
// a label behind them.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/emit/emit.h"

enum { NAME_BYTES = 16 };
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

static char slot_member(uint8_t type) {
    return dtype_kind((DType)type) == DK_FLOAT ? 'f' : 'i';
}

// Comparisons that say nothing of NaN; NULL: the op is none of them.
static const char *quiet_comparison(const RegionInstr *in) {
    if (dtype_kind((DType)in->from) != DK_FLOAT) return NULL;
    switch (in->elementwise) {
    case AOP_LESS: return "IS_LESS";
    case AOP_LESS_EQUAL: return "IS_LESS_EQUAL";
    case AOP_GREATER: return "IS_GREATER";
    case AOP_GREATER_EQUAL: return "IS_GREATER_EQUAL";
    default: return NULL;
    }
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
}

static void put_checked(const RegionInstr *in, int32_t at, Buf *out) {
    const char *how = in->elementwise == AOP_ADD        ? "add"
                      : in->elementwise == AOP_SUBTRACT ? "sub"
                                                        : "mul";
    buf_printf(out, "        if (UNLIKELY(__builtin_%s_overflow(v%d, v%d, &v%d))) goto exit%d;\n",
               how, in->args[0], in->args[1], at, in->exit);
}

static void put_shift_left(const RegionInstr *in, int32_t at, Buf *out) {
    int32_t a = in->args[0], b = in->args[1];
    buf_printf(out, "        if (UNLIKELY((uint64_t)v%d >= 63)) goto exit%d;\n", b, in->exit);
    buf_printf(out, "        v%d = (int64_t)((uint64_t)v%d << v%d);\n", at, a, b);
    buf_printf(out, "        if (UNLIKELY(v%d >> v%d != v%d)) goto exit%d;\n", at, b, a, in->exit);
}

static void put_round_down(const RegionInstr *in, int32_t at, Buf *out) {
    int32_t a = in->args[0], b = in->args[1];
    buf_printf(out, "        if (UNLIKELY(v%d <= 0)) goto exit%d;\n", b, in->exit);
    if (in->elementwise == AOP_FLOOR_DIVIDE) {
        buf_printf(out, "        v%d = v%d / v%d - (v%d %% v%d < 0);\n", at, a, b, a, b);
        return;
    }
    buf_printf(out, "        v%d = v%d %% v%d;\n        if (v%d < 0) v%d += v%d;\n", at, a, b, at,
               at, b);
}

static void put_power(const RegionInstr *in, int32_t at, Buf *out) {
    buf_printf(out,
               "        v%d = pow(v%d, v%d);\n        if (UNLIKELY(!isfinite(v%d))) goto exit%d;\n",
               at, in->args[0], in->args[1], at, in->exit);
}

static void put_library(const RegionInstr *in, int32_t at, Buf *out) {
#define NAME(name) #name,
    static const char *const names[] = {NACRE_REGION_FUNCTIONS(NAME)};
#undef NAME
    buf_printf(out, "        v%d = %s(v%d);\n        if (UNLIKELY(!isfinite(v%d))) goto exit%d;\n",
               at, names[in->elementwise], in->args[0], at, in->exit);
}

static void put_function(const RegionInstr *in, int32_t at, Buf *out) {
    buf_printf(out, "        calls->function(calls->context, %d, %d, &v%d, &v%d, &v%d, 1);\n",
               in->elementwise, in->from, in->args[0], in->args[in->args[1] != NO_VALUE], at);
}

// --- Elements ----------------------------------------------------------------------------------

static void put_index(const RegionInstr *in, int32_t at, Buf *out) {
    buf_printf(out, "        v%d = v%d < 0 ? v%d + n%d_%d : v%d;\n", at, in->args[0], in->args[0],
               in->array, in->dim, in->args[0]);
    buf_printf(out, "        if (UNLIKELY((uint64_t)v%d >= (uint64_t)n%d_%d)) goto exit%d;\n", at,
               in->array, in->dim, in->exit);
}

// An lvalue.
static void put_element(const Dialect *d, const Region *r, const RegionInstr *in, Buf *out) {
    const RegionArray *array = &r->arrays[in->array];
    const char *type = spelled(d, array->dtype);
    int last = array->ndim - 1;
    buf_printf(out, "%s(%s *)(a%d", array->dense ? "(" : "*", type, in->array);
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
    buf_printf(out, "});\n        if (UNLIKELY(v%d == 0)) goto exit%d;\n", at, in->exit);
}

static void put_dot(const Region *r, const RegionInstr *in, int32_t at, Buf *out) {
    const int32_t *v = r->links + in->links.first;
    buf_printf(out,
               "        calls->dot(calls->context, %d, (const char *)v%d, v%d, (const char *)v%d, "
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
    buf_printf(
        out,
        "        for (int64_t i = 0; i < v%d; i++) {\n            int64_t at = *(const %s "
        "*)(v%d + i * v%d);\n            at += at < 0 ? v%d : 0;\n            if "
        "(UNLIKELY((uint64_t)at >= (uint64_t)v%d)) goto exit%d;\n            ((%s *)v%d)[i] = "
        "*(const %s *)(v%d + at * v%d);\n        }\n",
        v[1], number, v[5], v[6], v[3], v[3], in->exit, type, v[0], type, v[2], v[4]);
}

static void put_reduce(const RegionInstr *in, int32_t at, Buf *out) {
    buf_printf(out,
               "        calls->reduce(calls->context, %d, %d, (const char *)v%d, v%d, (char "
               "*)&v%d);\n",
               in->elementwise, in->type, in->args[0], in->args[1], at);
}

static void put_vector(const RegionInstr *in, Buf *out) {
    buf_printf(out,
               "        calls->function(calls->context, %d, %d, (const void *)v%d, (const void "
               "*)v%d, (void *)v%d, v%d);\n",
               in->elementwise, in->from, in->args[0], in->args[in->args[1] != NO_VALUE],
               in->args[2], in->args[3]);
}

// --- Control -----------------------------------------------------------------------------------

// All of the block's parameters at once.
static void put_edge(const Dialect *d, const Region *r, const RegionEdge *edge, Buf *out) {
    const RegionBlock *block = &r->blocks[edge->block];
    buf_puts(out, "        {\n");
    for (int32_t i = 0; i < edge->count; i++)
        buf_printf(out, "            const %s t%d = v%d;\n",
                   spelled(d, r->code[block->first + i].type), i, r->links[edge->first + i]);
    for (int32_t i = 0; i < edge->count; i++)
        buf_printf(out, "            v%d = t%d;\n", block->first + i, i);
    buf_printf(out, "            goto block%d;\n        }\n", edge->block);
}

static void put_quiet(const RegionInstr *in, Buf *out) {
    for (int a = 0; a < 4 && in->args[a] != NO_VALUE; a++)
        buf_printf(out, "        COMPUTED(v%d);\n", in->args[a]);
    if (in->dim) buf_puts(out, "        WRITTEN(calls->scratch);\n");
    buf_printf(out, "        if (UNLIKELY(RAISED)) goto exit%d;\n", in->exit);
}

static void put_exit(const Region *r, int32_t number, Buf *out) {
    const RegionExit *exit = &r->exits[number];
    buf_printf(out, "exit%d:\n", number);
    for (int32_t i = 0; i < exit->count; i++) {
        int32_t value = r->links[exit->first + i];
        char member = slot_member(r->code[value].type);
        buf_printf(out, "    slots[%d].%c = (%s)v%d;\n", i, member,
                   member == 'f' ? "double" : "int64_t", value);
    }
    buf_printf(out, "    *rounds = went;\n    return %d;\n", number);
}

// --- All of it ---------------------------------------------------------------------------------

static void put_instr(const Dialect *d, const Region *r, int32_t at, Buf *out) {
    const RegionInstr *in = &r->code[at];
    switch ((RegionOp)in->op) {
    case RG_PARAM:
    case RG_INPUT: break; // in the function's head
    case RG_NUMBER: put_number(d, in, at, out); break;
    case RG_APPLY: put_apply(d, in, at, out); break;
    case RG_CAST:
        emit_cast_to(d, (DType)in->from, (DType)in->type, name_of(at).text,
                     name_of(in->args[0]).text, out);
        break;
    case RG_CHECKED: put_checked(in, at, out); break;
    case RG_SHIFT_LEFT: put_shift_left(in, at, out); break;
    case RG_ROUND_DOWN: put_round_down(in, at, out); break;
    case RG_POWER: put_power(in, at, out); break;
    case RG_LIBRARY: put_library(in, at, out); break;
    case RG_FUNCTION: put_function(in, at, out); break;
    case RG_INDEX: put_index(in, at, out); break;
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
        buf_printf(out, "        v%d = *(const %s *)v%d;\n", at, spelled(d, in->type), in->args[0]);
        break;
    case RG_STORE_AT:
        buf_printf(out, "        *(%s *)v%d = v%d;\n", spelled(d, in->type), in->args[0],
                   in->args[3]);
        break;
    case RG_NEST: emit_nest(d, r, in, at, out); break;
    case RG_SPREAD: emit_spread(d, r, in, out); break;
    case RG_MAKE: put_make(in, at, out); break;
    case RG_VECTOR: put_vector(in, out); break;
    case RG_REDUCE: put_reduce(in, at, out); break;
    case RG_PRODUCT: put_product(r, in, out); break;
    case RG_TAKE: put_take(d, r, in, out); break;
    case RG_DOT: put_dot(r, in, at, out); break;
    case RG_LEAVE_IF:
        buf_printf(out, "        if (UNLIKELY(v%d)) goto exit%d;\n", in->args[0], in->exit);
        break;
    case RG_QUIET: put_quiet(in, out); break;
    case RG_POLL:
        buf_printf(out, "        went++;\n        if (UNLIKELY(*stop == 0)) goto exit%d;\n",
                   in->exit);
        break;
    case RG_JUMP: put_edge(d, r, &in->edges[0], out); break;
    case RG_BRANCH:
        buf_printf(out, "        if (v%d)\n", in->args[0]);
        put_edge(d, r, &in->edges[0], out);
        put_edge(d, r, &in->edges[1], out);
        break;
    case RG_LEAVE: buf_printf(out, "        goto exit%d;\n", in->exit); break;
    }
}

static bool has_value(const RegionInstr *in) {
    return in->op <= RG_LOAD || (in->op >= RG_ADDRESS && in->op <= RG_LOAD_AT) ||
           in->op == RG_NEST || in->op == RG_MAKE || in->op == RG_REDUCE || in->op == RG_DOT;
}

static void put_values(const Dialect *d, const Region *r, Buf *out) {
    for (int32_t i = 0; i < r->code_count; i++) {
        const RegionInstr *in = &r->code[i];
        if (!has_value(in)) continue;
        buf_printf(out, "    %s v%d", spelled(d, in->type), i);
        if (in->op == RG_INPUT)
            buf_printf(out, " = (%s)slots[%d].%c", spelled(d, in->type), (int)in->number,
                       slot_member(in->type));
        buf_puts(out, ";\n");
    }
}

static bool can_spell(const Dialect *d, const Region *r) {
    for (int32_t i = 0; i < r->code_count; i++)
        if (!spelled(d, r->code[i].from) || !spelled(d, r->code[i].type)) return false;
    for (int a = 0; a < r->array_count; a++)
        if (!spelled(d, r->arrays[a].dtype)) return false;
    return d->region_prelude;
}

static void put_block(const Dialect *d, const Region *r, int32_t b, const RegionNotes *notes,
                      Buf *out) {
    const RegionInstr *before = NULL;
    buf_printf(out, "block%d:;\n    {\n", b);
    for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) {
        const RegionInstr *in = &r->code[i];
        if (notes && (!before || before->line != in->line || before->scope != in->scope))
            notes->line(notes->context, in->scope, in->line, out);
        before = in;
        put_instr(d, r, i, out);
    }
    buf_puts(out, "    }\n");
}

bool emit_region(const Dialect *d, const Region *r, Buf *out) {
    if (!d->region_prelude) return false;
    buf_puts(out, d->prelude);
    buf_puts(out, d->region_prelude);
    return emit_region_text(d, r, NULL, out);
}

bool emit_region_text(const Dialect *d, const Region *r, const RegionNotes *notes, Buf *out) {
    if (!can_spell(d, r)) return false;
    buf_puts(out,
             "\nint32_t " EMITTED_NAME
             "(Slot *slots, const volatile size_t *stop, int64_t *rounds, const Calls *calls) {\n"
             "    int64_t went = 0;\n    (void)calls;\n");
    put_values(d, r, out);
    put_arrays(r, out);
    for (int32_t b = 0; b < r->block_count; b++) put_block(d, r, b, notes, out);
    for (int32_t e = 0; e < r->exit_count; e++) put_exit(r, e, out);
    buf_puts(out, "}\n");
    return !out->failed;
}
