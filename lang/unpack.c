// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reads packed units (pack.c). Functions of the library's own modules are read lazily, since a program
// calls few of them: their heads with the unit, their bodies at the first call.

#include "lang/pack.h"

#include <stddef.h>
#include <string.h>

// A reading position. Errors are sticky: after the first one, reads return 0 and allocations NULL.
typedef struct Reader {
    Arena *arena;
    const unsigned char *at, *end;
    bool damaged, no_memory;
    // The bytes are part of the library. They were verified when it was built, and they outlive the
    // unit, so texts are borrowed and not copied, and bodies of functions are read at the first call.
    bool own;
    bool columns;
} Reader;

static uint64_t damage(Reader *r) {
    r->damaged = true;
    r->at = r->end;
    return 0;
}

static uint64_t get_byte(Reader *r) {
    return r->at < r->end ? *r->at++ : damage(r);
}

static uint64_t get_long_number(Reader *r) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint64_t byte = get_byte(r);
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    return damage(r);
}

static inline uint64_t get_number(Reader *r) {
    return r->at < r->end && *r->at < 0x80 ? *r->at++ : get_long_number(r);
}

static uint32_t get_32(Reader *r) {
    uint64_t value = get_number(r);
    return (uint32_t)(value <= UINT32_MAX ? value : damage(r));
}

static inline uint16_t get_16(Reader *r) {
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

// Reads the number of items that follow. Each takes at least one byte, so the bytes left bound it, and
// damaged bytes cannot cause huge allocations.
static uint32_t get_count(Reader *r) {
    uint32_t count = get_32(r);
    return count <= (size_t)(r->end - r->at) ? count : (uint32_t)damage(r);
}

// Returns cleared memory for `count` items. For 0 items that is a non-NULL pointer that must not be
// dereferenced. NULL: no memory, or an earlier error.
static void *allocate(Reader *r, size_t count, size_t size) {
    static const max_align_t nothing;
    if (r->damaged || r->no_memory) return NULL;
    void *block = count ? arena_alloc(r->arena, count * size) : (void *)(uintptr_t)&nothing;
    if (!block) {
        damage(r);
        r->no_memory = true;
    }
    return block;
}

static char *get_text(Reader *r, uint32_t *len) {
    uint32_t count = get_count(r);
    char *text = r->own ? (char *)(uintptr_t)r->at : allocate(r, (size_t)count + 1, 1);
    if (!text || r->damaged) return NULL;
    if (!r->own) memcpy(text, r->at, count);
    r->at += count;
    if (len) *len = count;
    if (get_byte(r) != 0) damage(r);
    return text;
}

static void get_names(Reader *r, char **names, uint32_t count) {
    for (uint32_t i = 0; i < count && !r->damaged; i++) names[i] = get_text(r, NULL);
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

static Instr get_instr(Reader *r) {
    Instr instr = {.op = (uint8_t)get_byte(r), .flags = (uint8_t)get_byte(r)};
    instr.a = get_16(r);
    instr.b = get_16(r);
    instr.c = get_16(r);
    return instr;
}

static void get_places(Reader *r, BcCode *code) {
    uint32_t line = code->line;
    code->spans = allocate(r, code->code_len, sizeof *code->spans);
    for (uint32_t i = 0; i < code->code_len && !r->damaged; i++) {
        BcSpan *span = &code->spans[i];
        span->line = span->end_line = line = get_difference(r, line);
        if (!r->columns) continue;
        span->col = get_32(r);
        span->end_line = get_difference(r, line);
        span->end_col = get_32(r);
    }
}

static void skip_lines(Reader *r, BcCode *code) {
    code->lines = r->at;
    for (uint32_t i = 0; i < code->code_len; i++) get_number(r);
    code->lines_len = (uint32_t)(r->at - code->lines);
}

BcSpan bc_span(const BcCode *code, uint32_t pc) {
    if (pc >= code->code_len) return (BcSpan){code->line, 0, code->line, 0};
    if (code->spans) return code->spans[pc];
    Reader r = {.at = code->lines, .end = code->lines + code->lines_len};
    uint32_t line = code->line;
    for (uint32_t i = 0; i <= pc; i++) line = get_difference(&r, line);
    return (BcSpan){line, 0, line, 0};
}

static void get_marks(Reader *r, BcCode *code) {
    for (uint32_t i = 0; i < code->code_len; i += 8) {
        uint64_t bits = get_byte(r);
        for (uint32_t k = 0; k < 8; k++, bits >>= 1) {
            if (i + k < code->code_len) code->marks[i + k] = bits & BC_MARK_STATEMENT;
            else if (bits & 1) damage(r);
        }
    }
}

static void get_instructions(Reader *r, BcCode *code) {
    uint32_t count = code->code_len = get_count(r);
    code->code = allocate(r, count, sizeof *code->code);
    code->marks = allocate(r, count, 1);
    if (r->damaged) return;
    for (uint32_t i = 0; i < count; i++) code->code[i] = get_instr(r);
    if (r->own) skip_lines(r, code);
    else get_places(r, code);
    get_marks(r, code);
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

static void get_body(Reader *r, BcCode *code, uint32_t depth) {
    const unsigned char *end = code->packed + code->packed_len;
    code->local_names = allocate(r, code->local_count, sizeof *code->local_names);
    get_names(r, code->local_names, code->local_count);
    get_instructions(r, code);
    code->consts = get_consts(r, &code->const_count, depth);
    get_handlers(r, code);
    if (r->at != end) damage(r);
    code->packed = NULL;
}

static BcCode *get_code(Reader *r, uint32_t depth) {
    BcCode *code = allocate(r, 1, sizeof *code);
    if (!code) return NULL;
    uint32_t len = 1;
    code->name = get_text(r, NULL);
    code->qualname = get_text(r, &len);
    if (len == 0) code->qualname = code->name;
    code->flags = get_32(r);
    code->line = get_32(r);
    code->positional_only = get_16(r);
    code->positional = get_16(r);
    code->keyword_only = get_16(r);
    code->reg_count = get_16(r);
    code->local_count = get_16(r);
    if (code->local_count > MAX_REGS || bc_param_count(code) > code->local_count) damage(r);
    get_captures(r, code);
    code->packed_len = get_count(r);
    code->packed = r->at;
    if (r->own) r->at += code->packed_len;
    else get_body(r, code, depth);
    return code;
}

static bool get_head(Reader *r) {
    if (r->end - r->at < PACK_MAGIC_BYTES || memcmp(r->at, pack_magic, PACK_MAGIC_BYTES) != 0) return false;
    r->at += PACK_MAGIC_BYTES;
    if (get_number(r) != PACK_VERSION) return false;
    uint64_t table = get_number(r);
    if (!r->own && table != pack_table_hash()) return false;
    uint64_t columns = get_byte(r);
    r->columns = columns == 1;
    return columns <= 1 && !(r->own && r->columns);
}

static bool get_unit(Reader *r, BcUnit *unit) {
    if (!get_head(r)) return false;
    unit->filename = get_text(r, NULL);
    unit->global_count = get_count(r);
    unit->globals = allocate(r, unit->global_count, sizeof *unit->globals);
    get_names(r, unit->globals, unit->global_count);
    unit->main = get_code(r, 0);
    if (r->damaged || r->at != r->end) return false;
    return r->own || unit_verify(unit, NULL, &r->no_memory);
}

static bool unpack(Mem *mem, const char *bytes, size_t len, bool own, BcUnit **out, bool *no_memory) {
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

bool bc_unpack_body(BcUnit *unit, BcCode *code) {
    if (!code->packed) return true;
    const unsigned char *packed = code->packed;
    Reader reader = {.arena = unit_arena(unit), .at = packed, .end = packed + code->packed_len, .own = true};
    get_body(&reader, code, 0);
    if (!reader.damaged) return true;
    code->packed = packed;
    code->code_len = code->const_count = code->handler_count = 0;
    return false;
}
