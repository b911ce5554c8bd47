// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Units as bytes. After a head (magic, version, hash of the instruction table) come the parts of
// the unit in the order of their declarations; numbers are LEB128 (seven bits a byte, low ones
// first), texts have their length in front, instructions are eight bytes, low byte first.

#include <string.h>

#include "lang/unit.h"

enum { PACK_VERSION = 2, MAGIC_BYTES = 4 };
static const char magic[MAGIC_BYTES + 1] = "NCRu";

// Changes whenever an instruction is added, moved or given other fields.
static uint32_t table_hash(void) {
    uint32_t hash = 2166136261u; // FNV-1a
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        const BcOpInfo *info = &bc_op_info[i];
        for (const char *c = info->name; *c; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
        const char rest[] = {(char)info->words, info->a, info->b, info->c};
        for (size_t k = 0; k < sizeof rest; k++) hash = (hash ^ (uint8_t)rest[k]) * 16777619u;
    }
    return hash;
}

// ---- writing ------------------------------------------------------------------------------------

static void put_number(Buf *out, uint64_t value) {
    while (value >= 0x80) {
        buf_putc(out, (char)(value | 0x80));
        value >>= 7;
    }
    buf_putc(out, (char)value);
}

// Small differences of either sign become small numbers.
static void put_difference(Buf *out, uint32_t value, uint32_t from) {
    int64_t difference = (int64_t)value - from;
    put_number(out, difference < 0 ? (uint64_t)-difference * 2 - 1 : (uint64_t)difference * 2);
}

static void put_text(Buf *out, const char *text, uint32_t len) {
    put_number(out, len);
    buf_put(out, text, len);
}

static void put_name(Buf *out, const char *name) {
    put_text(out, name, (uint32_t)strlen(name));
}

static void put_names(Buf *out, char *const *names, uint32_t count) {
    put_number(out, count);
    for (uint32_t i = 0; i < count; i++) put_name(out, names[i]);
}

static void put_double(Buf *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++) buf_putc(out, (char)(bits >> 8 * i));
}

static void put_code(Buf *out, const BcCode *code);

static void put_const(Buf *out, const BcConst *value) {
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
        for (uint32_t i = 0; i < value->len; i++) put_const(out, &value->items[i]);
        break;
    case BC_CODE: put_code(out, value->code); break;
    default: break;
    }
}

static void put_16(Buf *out, uint16_t value) {
    buf_putc(out, (char)value);
    buf_putc(out, (char)(value >> 8));
}

static void put_instructions(Buf *out, const BcCode *code) {
    uint32_t line = code->line;
    put_number(out, code->code_len);
    for (uint32_t i = 0; i < code->code_len; i++) {
        const Instr *at = &code->code[i];
        buf_putc(out, (char)at->op);
        buf_putc(out, (char)at->flags);
        put_16(out, at->a);
        put_16(out, at->b);
        put_16(out, at->c);
    }
    for (uint32_t i = 0; i < code->code_len; i++) {
        const BcSpan *span = &code->spans[i];
        put_difference(out, span->line, line);
        put_number(out, span->col);
        put_difference(out, span->end_line, span->line);
        put_number(out, span->end_col);
        line = span->line;
    }
    buf_put(out, (const char *)code->marks, code->code_len);
}

static void put_tables(Buf *out, const BcCode *code) {
    put_number(out, code->const_count);
    for (uint32_t i = 0; i < code->const_count; i++) put_const(out, &code->consts[i]);
    put_number(out, code->handler_count);
    for (uint32_t i = 0; i < code->handler_count; i++) {
        const BcHandler *row = &code->handlers[i];
        put_number(out, row->start);
        put_number(out, row->end);
        put_number(out, row->handler);
        put_number(out, row->reg);
    }
    put_number(out, code->capture_count);
    for (uint32_t i = 0; i < code->capture_count; i++) {
        const BcCapture *capture = &code->captures[i];
        buf_putc(out, capture->from_register);
        put_number(out, capture->index);
        put_name(out, capture->name);
    }
}

static void put_code(Buf *out, const BcCode *code) {
    put_name(out, code->name);
    put_name(out, code->qualname);
    put_number(out, code->flags);
    put_number(out, code->line);
    put_number(out, code->positional_only);
    put_number(out, code->positional);
    put_number(out, code->keyword_only);
    put_number(out, code->reg_count);
    put_names(out, code->local_names, code->local_count);
    put_instructions(out, code);
    put_tables(out, code);
}

bool bc_pack(const BcUnit *unit, Buf *out) {
    buf_put(out, magic, MAGIC_BYTES);
    put_number(out, PACK_VERSION);
    put_number(out, table_hash());
    put_name(out, unit->filename);
    put_names(out, unit->globals, unit->global_count);
    put_code(out, unit->main);
    return !out->failed;
}

// ---- reading ------------------------------------------------------------------------------------

// After the first thing wrong, every read gives 0 and allocations give NULL.
typedef struct Reader {
    Arena *arena;
    const unsigned char *at, *end;
    bool damaged, no_memory;
    bool own; // bytes of the library itself: their build verified them
} Reader;

static uint64_t damage(Reader *r) {
    r->damaged = true;
    r->at = r->end;
    return 0;
}

static uint64_t get_byte(Reader *r) {
    return r->at < r->end ? *r->at++ : damage(r);
}

static uint64_t get_number(Reader *r) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint64_t byte = get_byte(r);
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    return damage(r);
}

static uint32_t get_32(Reader *r) {
    uint64_t value = get_number(r);
    return (uint32_t)(value <= UINT32_MAX ? value : damage(r));
}

static uint16_t get_16(Reader *r) {
    uint64_t value = get_number(r);
    return (uint16_t)(value <= UINT16_MAX ? value : damage(r));
}

static uint32_t get_difference(Reader *r, uint32_t from) {
    uint64_t value = get_number(r);
    if (value >> 34) return (uint32_t)damage(r);
    int64_t difference = value & 1 ? -(int64_t)(value / 2) - 1 : (int64_t)(value / 2);
    int64_t sum = from + difference;
    return (uint32_t)(sum >= 0 && sum <= UINT32_MAX ? (uint64_t)sum : damage(r));
}

// How many of something follow; each takes at least one byte, which bounds what gets allocated.
static uint32_t get_count(Reader *r) {
    uint32_t count = get_32(r);
    return count <= (size_t)(r->end - r->at) ? count : (uint32_t)damage(r);
}

static void *allocate(Reader *r, size_t count, size_t size) {
    if (r->damaged || r->no_memory) return NULL;
    void *block = arena_alloc(r->arena, (count + 1) * size);
    if (!block) {
        damage(r);
        r->no_memory = true;
    }
    return block;
}

static char *get_text(Reader *r, uint32_t *len) {
    uint32_t count = get_count(r);
    char *text = allocate(r, count, 1);
    if (!text) return NULL;
    memcpy(text, r->at, count);
    r->at += count;
    if (len) *len = count;
    return text;
}

static char **get_names(Reader *r, uint32_t *count) {
    *count = get_count(r);
    char **names = allocate(r, *count, sizeof *names);
    for (uint32_t i = 0; names && i < *count; i++) names[i] = get_text(r, NULL);
    return names;
}

static double get_double(Reader *r) {
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < 8; i++) bits |= get_byte(r) << 8 * i;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static BcCode *get_code(Reader *r, uint32_t depth);

static BcConst get_const(Reader *r, uint32_t depth);

static BcConst *get_consts(Reader *r, uint32_t *count, uint32_t depth) {
    *count = get_count(r);
    if (depth > UNIT_MAX_NESTING) damage(r);
    BcConst *items = allocate(r, *count, sizeof *items);
    for (uint32_t i = 0; items && !r->damaged && i < *count; i++)
        items[i] = get_const(r, depth + 1);
    return items;
}

static BcConst get_const(Reader *r, uint32_t depth) {
    BcConst value = {.kind = BC_NONE};
    uint64_t kind = get_byte(r);
    if (kind > BC_CODE) damage(r);
    if (r->damaged) return value;
    value.kind = (BcConstKind)kind;
    switch (value.kind) {
    case BC_INT: value.i = (int64_t)get_number(r); break;
    case BC_BIG:
        value.base = (int32_t)get_byte(r);
        value.text = get_text(r, &value.len);
        break;
    case BC_FLOAT:
    case BC_IMAG: value.f = get_double(r); break;
    case BC_STR:
    case BC_BYTES: value.text = get_text(r, &value.len); break;
    case BC_TUPLE: value.items = get_consts(r, &value.len, depth); break;
    case BC_CODE: value.code = get_code(r, depth + 1); break;
    default: break;
    }
    return value;
}

static uint16_t get_pair(Reader *r) {
    uint64_t low = get_byte(r);
    return (uint16_t)(low | get_byte(r) << 8);
}

static Instr get_instr(Reader *r) {
    Instr instr = {.op = (uint8_t)get_byte(r), .flags = (uint8_t)get_byte(r)};
    instr.a = get_pair(r);
    instr.b = get_pair(r);
    instr.c = get_pair(r);
    return instr;
}

static void get_spans(Reader *r, BcCode *code) {
    uint32_t line = code->line;
    for (uint32_t i = 0; i < code->code_len; i++) {
        BcSpan *span = &code->spans[i];
        span->line = line = get_difference(r, line);
        span->col = get_32(r);
        span->end_line = get_difference(r, line);
        span->end_col = get_32(r);
    }
}

static void get_instructions(Reader *r, BcCode *code) {
    uint32_t count = code->code_len = get_count(r);
    code->code = allocate(r, count, sizeof *code->code);
    code->spans = allocate(r, count, sizeof *code->spans);
    code->marks = allocate(r, count, 1);
    if (r->damaged) return;
    for (uint32_t i = 0; i < count; i++) code->code[i] = get_instr(r);
    get_spans(r, code);
    for (uint32_t i = 0; i < count; i++) {
        code->marks[i] = (uint8_t)get_byte(r);
        if (code->marks[i] & ~BC_MARK_STATEMENT) damage(r);
    }
}

static void get_handlers(Reader *r, BcCode *code) {
    code->handler_count = get_count(r);
    code->handlers = allocate(r, code->handler_count, sizeof *code->handlers);
    for (uint32_t i = 0; !r->damaged && i < code->handler_count; i++) {
        BcHandler *row = &code->handlers[i];
        row->start = get_32(r);
        row->end = get_32(r);
        row->handler = get_32(r);
        row->reg = get_32(r);
    }
}

static void get_captures(Reader *r, BcCode *code) {
    code->capture_count = get_count(r);
    code->captures = allocate(r, code->capture_count, sizeof *code->captures);
    for (uint32_t i = 0; !r->damaged && i < code->capture_count; i++) {
        BcCapture *capture = &code->captures[i];
        uint64_t from_register = get_byte(r);
        if (from_register > 1) damage(r);
        capture->from_register = from_register == 1;
        capture->index = get_16(r);
        capture->name = get_text(r, NULL);
    }
}

static BcCode *get_code(Reader *r, uint32_t depth) {
    BcCode *code = allocate(r, 1, sizeof *code);
    if (!code) return NULL;
    code->name = get_text(r, NULL);
    code->qualname = get_text(r, NULL);
    code->flags = get_32(r);
    code->line = get_32(r);
    code->positional_only = get_16(r);
    code->positional = get_16(r);
    code->keyword_only = get_16(r);
    code->reg_count = get_16(r);
    uint32_t locals;
    code->local_names = get_names(r, &locals);
    if (locals > MAX_REGS) damage(r);
    code->local_count = (uint16_t)locals;
    get_instructions(r, code);
    code->consts = get_consts(r, &code->const_count, depth);
    get_handlers(r, code);
    get_captures(r, code);
    return code;
}

static bool get_head(Reader *r) {
    if ((size_t)(r->end - r->at) < MAGIC_BYTES || memcmp(r->at, magic, MAGIC_BYTES) != 0) {
        return false;
    }
    r->at += MAGIC_BYTES;
    return get_number(r) == PACK_VERSION && get_number(r) == table_hash();
}

static bool get_unit(Reader *r, BcUnit *unit) {
    if (!get_head(r)) return false;
    unit->filename = get_text(r, NULL);
    unit->globals = get_names(r, &unit->global_count);
    unit->main = get_code(r, 0);
    if (r->damaged || r->at != r->end) return false;
    return r->own || unit_verify(unit, NULL, &r->no_memory);
}

static bool unpack(Mem *mem, const char *bytes, size_t len, bool own, BcUnit **out,
                   bool *no_memory) {
    const unsigned char *start = (const unsigned char *)bytes;
    BcUnit *unit = unit_new(mem);
    *out = NULL;
    *no_memory = !unit;
    if (!unit) return false;
    Reader reader = {.arena = unit_arena(unit), .at = start, .end = start + len, .own = own};
    if (get_unit(&reader, unit)) {
        *out = unit;
        return true;
    }
    *no_memory = reader.no_memory;
    bc_unit_free(unit);
    return false;
}

bool bc_unpack(Mem *mem, const char *bytes, size_t len, BcUnit **out, bool *no_memory) {
    return unpack(mem, bytes, len, false, out, no_memory);
}

bool bc_unpack_own(Mem *mem, const char *bytes, size_t len, BcUnit **out, bool *no_memory) {
    return unpack(mem, bytes, len, true, out, no_memory);
}
