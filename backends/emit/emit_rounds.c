// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders parallel loops: their iterations as a function of their own, and the call.

#include "backends/emit/emit_region.h"

static bool is_block_of(const RegionParallel *p, int32_t block) {
    return p->blocks[block / 64] >> block % 64 & 1;
}

static void put_values(const Dialect *d, const Region *r, const RegionParallel *p, Buf *out) {
    for (int32_t b = 0; b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++)
            if (is_block_of(p, b) || r->code[i].op == RG_INPUT ||
                (b == p->end && r->code[i].op == RG_PARAM))
                emit_value(d, r, i, out);
}

static void put_state_in(const Dialect *d, const Region *r, const RegionParallel *p, Buf *out) {
    int32_t first = r->blocks[p->entry].first;
    for (int i = 0; i < p->param_count; i++) {
        uint8_t type = r->code[first + i].type;
        buf_printf(out, "    v%d = (%s)in[%d].%c;\n", first + i, d->types[type], i,
                   emit_slot_member(type));
    }
    buf_printf(out, "    goto block%d;\n", p->entry);
}

// Stores the loop's parameters with the values that they last had in the head.
static void put_state_out(const Region *r, const RegionParallel *p, Buf *out) {
    int32_t first = r->blocks[p->head].first;
    buf_printf(out, "block%d:\n", p->end);
    for (int i = 0; i < p->param_count; i++) {
        char member = emit_slot_member(r->code[first + i].type);
        buf_printf(out, "    out[%d].%c = (%s)v%d;\n", i, member,
                   member == 'f' ? "double" : "int64_t", first + i);
    }
    buf_puts(out, "    *rounds = went;\n    return !RAISED;\n");
}

// Writes the labels of the exits; any exit abandons the iterations.
static void put_ways_out(const Region *r, const RegionParallel *p, Buf *out) {
    for (int32_t e = 0; e < r->exit_count; e++) {
        bool used = false;
        for (int32_t b = 0; b < r->block_count && !used; b++)
            for (int32_t i = r->blocks[b].first; is_block_of(p, b) && i < r->blocks[b].end; i++)
                used |= r->code[i].exit == e && !r->code[i].to_block;
        if (used) buf_printf(out, "exit%d:\n", e);
    }
    buf_puts(out, "away:\n    *rounds = went;\n    return 0;\n");
}

void emit_rounds(const Dialect *d, const Region *r, int number, const RegionNotes *notes,
                 Buf *out) {
    const RegionParallel *p = &r->parallels[number];
    buf_printf(
        out,
        "\nstatic int32_t rounds%d(const Slot *slots, const volatile size_t *stop, int64_t "
        "*rounds,\n                       const Calls *calls, const Slot *in, Slot *out) {\n",
        number);
    emit_locals(r, out);
    put_values(d, r, p, out);
    put_state_in(d, r, p, out);
    for (int32_t b = 0; b < r->block_count; b++)
        if (is_block_of(p, b)) emit_block(d, r, b, p, notes, out);
    put_state_out(r, p, out);
    put_ways_out(r, p, out);
    buf_puts(out, "}\n");
}

void emit_parallel(const Region *r, const RegionInstr *in, int32_t at, Buf *out) {
    const RegionParallel *p = &r->parallels[in->number];
    const int32_t *links = r->links + in->links.first;
    buf_printf(out, "        Slot state%d[%d];\n", at, p->param_count);
    for (int i = 0; i < p->param_count; i++) {
        char member = emit_slot_member(r->code[links[i]].type);
        buf_printf(out, "        state%d[%d].%c = (%s)v%d;\n", at, i, member,
                   member == 'f' ? "double" : "int64_t", links[i]);
    }
    buf_puts(out, "        const int64_t values[] = {");
    for (int i = 0; i < p->link_count; i++) buf_printf(out, "v%d, ", links[p->param_count + i]);
    buf_printf(out,
               "0};\n        v%d = calls->parallel(calls->runner, %d, rounds%d, state%d, values, "
               "&went);\n",
               at, (int)in->number, (int)in->number, at);
}
