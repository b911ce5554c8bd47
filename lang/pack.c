// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Packs units into bytes. A head (magic, version, hash of the instruction table, whether columns are
// stored) precedes the parts of the unit. Numbers are LEB128 (seven bits a byte, low ones first). Texts
// are length-prefixed and NUL-terminated. An instruction is two bytes (op, flags) and three numbers.
//
// A code object is a head, with what has to be known of a function before it is called, and a
// length-prefixed body, which can be read later (unpack.c).

#include "lang/pack.h"

#include <string.h>

const char pack_magic[PACK_MAGIC_BYTES + 1] = "NCRu";

uint32_t pack_table_hash(void) {
    uint32_t hash = 2166136261u; // FNV-1a
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        const BcOpInfo *info = &bc_op_info[i];
        for (const char *c = info->name; *c; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
        const char rest[] = {(char)info->words, info->a, info->b, info->c};
        for (size_t k = 0; k < sizeof rest; k++) hash = (hash ^ (uint8_t)rest[k]) * 16777619u;
    }
    return hash;
}

typedef struct Writer {
    Buf *out;
    bool columns; // whether columns of instructions are stored, not only lines
} Writer;

static void put_number(Buf *out, uint64_t value) {
    while (value >= 0x80) {
        buf_putc(out, (char)(value | 0x80));
        value >>= 7;
    }
    buf_putc(out, (char)value);
}

// Writes a signed difference zigzag-encoded, so that small ones of either sign take one byte.
static void put_difference(Buf *out, uint32_t value, uint32_t from) {
    int64_t difference = (int64_t)value - from;
    put_number(out, difference < 0 ? (uint64_t)-difference * 2 - 1 : (uint64_t)difference * 2);
}

static void put_text(Buf *out, const char *text, uint32_t len) {
    put_number(out, len);
    buf_put(out, text, len);
    buf_putc(out, '\0');
}

static void put_name(Buf *out, const char *name) {
    put_text(out, name, (uint32_t)strlen(name));
}

static void put_names(Buf *out, char *const *names, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) put_name(out, names[i]);
}

static void put_double(Buf *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++) buf_putc(out, (char)(bits >> 8 * i));
}

static void put_code(const Writer *w, const BcCode *code);

static void put_const(const Writer *w, const BcConst *value) {
    Buf *out = w->out;
    buf_putc(out, (char)value->kind);
    switch (value->kind) {
    case BC_INT: put_number(out, (uint64_t)value->i); break;
    case BC_BIG:
        buf_putc(out, (char)value->base);
        put_text(out, value->text, value->len);
        break;
    case BC_FLOAT:
    case BC_IMAG: put_double(out, value->f); break;
    case BC_STR:
    case BC_BYTES: put_text(out, value->text, value->len); break;
    case BC_TUPLE:
        put_number(out, value->len);
        for (uint32_t i = 0; i < value->len; i++) put_const(w, &value->items[i]);
        break;
    case BC_CODE: put_code(w, value->code); break;
    default: break;
    }
}

static void put_places(const Writer *w, const BcCode *code) {
    uint32_t line = code->line;
    for (uint32_t i = 0; i < code->code_len; i++) {
        const BcSpan *span = &code->spans[i];
        put_difference(w->out, span->line, line);
        line = span->line;
        if (!w->columns) continue;
        put_number(w->out, span->col);
        put_difference(w->out, span->end_line, span->line);
        put_number(w->out, span->end_col);
    }
}

// Writes the statement marks, eight to a byte.
static void put_marks(Buf *out, const BcCode *code) {
    for (uint32_t i = 0; i < code->code_len; i += 8) {
        int bits = 0;
        for (uint32_t k = 0; k < 8 && i + k < code->code_len; k++)
            bits |= (code->marks[i + k] & BC_MARK_STATEMENT) << k;
        buf_putc(out, (char)bits);
    }
}

static void put_instructions(const Writer *w, const BcCode *code) {
    put_number(w->out, code->code_len);
    for (uint32_t i = 0; i < code->code_len; i++) {
        const Instr *at = &code->code[i];
        buf_putc(w->out, (char)at->op);
        buf_putc(w->out, (char)at->flags);
        put_number(w->out, at->a);
        put_number(w->out, at->b);
        put_number(w->out, at->c);
    }
    put_places(w, code);
    put_marks(w->out, code);
}

static void put_tables(const Writer *w, const BcCode *code) {
    Buf *out = w->out;
    put_number(out, code->const_count);
    for (uint32_t i = 0; i < code->const_count; i++) put_const(w, &code->consts[i]);
    put_number(out, code->handler_count);
    for (uint32_t i = 0; i < code->handler_count; i++) {
        const BcHandler *row = &code->handlers[i];
        put_number(out, row->start);
        put_number(out, row->end);
        put_number(out, row->handler);
        put_number(out, row->reg);
    }
}

static void put_captures(Buf *out, const BcCode *code) {
    put_number(out, code->capture_count);
    for (uint32_t i = 0; i < code->capture_count; i++) {
        const BcCapture *capture = &code->captures[i];
        buf_putc(out, capture->from_register);
        put_number(out, capture->index);
        put_name(out, capture->name);
    }
}

static void put_body(const Writer *w, const BcCode *code) {
    put_names(w->out, code->local_names, code->local_count);
    put_instructions(w, code);
    put_tables(w, code);
}

static void put_code(const Writer *w, const BcCode *code) {
    Buf body, *out = w->out;
    put_name(out, code->name);
    put_name(out, strcmp(code->qualname, code->name) == 0 ? "" : code->qualname);
    put_number(out, code->flags);
    put_number(out, code->line);
    put_number(out, code->positional_only);
    put_number(out, code->positional);
    put_number(out, code->keyword_only);
    put_number(out, code->reg_count);
    put_number(out, code->local_count);
    put_captures(out, code);
    buf_init(&body, out->mem);
    put_body(&(Writer){&body, w->columns}, code);
    put_number(out, body.len);
    buf_put(out, body.data, body.len);
    out->failed |= body.failed;
    buf_free(&body);
}

static bool pack(const BcUnit *unit, bool columns, Buf *out) {
    const Writer w = {out, columns};
    buf_put(out, pack_magic, PACK_MAGIC_BYTES);
    put_number(out, PACK_VERSION);
    put_number(out, pack_table_hash());
    buf_putc(out, columns);
    put_name(out, unit->filename);
    put_number(out, unit->global_count);
    put_names(out, unit->globals, unit->global_count);
    put_code(&w, unit->main);
    return !out->failed;
}

bool bc_pack(const BcUnit *unit, Buf *out) {
    return pack(unit, true, out);
}

bool bc_pack_own(const BcUnit *unit, Buf *out) {
    return pack(unit, false, out);
}
