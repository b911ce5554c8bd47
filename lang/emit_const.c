// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The constant table of a code object. Equal constants are stored once: a hash table finds them.

#include <string.h>

#include "lang/emit.h"

static uint32_t mix(uint32_t hash, uint64_t value) {
    value = (value ^ hash) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(value >> 32) ^ (uint32_t)value;
}

static uint32_t text_hash(const char *text, uint32_t len) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < len; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static uint64_t float_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Recurses into tuples, as the functions below do: the parser bounds their nesting.
static uint32_t const_hash(const BcConst *value) {
    uint32_t hash = mix((uint32_t)value->kind, value->len);
    switch (value->kind) {
    case BC_INT: return mix(hash, (uint64_t)value->i);
    case BC_FLOAT:
    case BC_IMAG: return mix(hash, float_bits(value->f));
    case BC_BIG:
    case BC_STR:
    case BC_BYTES: return mix(hash, text_hash(value->text, value->len));
    case BC_TUPLE:
        for (uint32_t i = 0; i < value->len; i++) hash = mix(hash, const_hash(&value->items[i]));
        return hash;
    default: return hash;
    }
}

static bool const_equal(const BcConst *a, const BcConst *b) {
    if (a->kind != b->kind || a->len != b->len) return false;
    switch (a->kind) {
    case BC_INT: return a->i == b->i;
    case BC_FLOAT:
    case BC_IMAG: return float_bits(a->f) == float_bits(b->f); // distinguishes 0.0 and -0.0
    case BC_BIG: return a->base == b->base && memcmp(a->text, b->text, a->len) == 0;
    case BC_STR:
    case BC_BYTES: return memcmp(a->text, b->text, a->len) == 0;
    case BC_TUPLE:
        for (uint32_t i = 0; i < a->len; i++) {
            if (!const_equal(&a->items[i], &b->items[i])) return false;
        }
        return true;
    case BC_CODE: return false; // code objects are never merged
    default: return true;
    }
}

static BcConst const_copy(Emitter *e, const BcConst *value) {
    BcConst copy = *value;
    if (value->kind == BC_STR || value->kind == BC_BYTES || value->kind == BC_BIG) {
        copy.text = arena_text(e->out, value->text, value->len);
        if (!copy.text) ctx_no_memory(e->ctx);
    } else if (value->kind == BC_TUPLE) {
        copy.items = arena_alloc(e->out, (value->len + 1) * sizeof *copy.items);
        if (!copy.items) ctx_no_memory(e->ctx);
        for (uint32_t i = 0; i < value->len; i++) copy.items[i] = const_copy(e, &value->items[i]);
    }
    return copy;
}

// Returns the slot of an equal constant, or the empty slot for it. Linear probing.
static uint32_t *probe(ConstTable *table, const BcConst *value) {
    uint32_t mask = table->slot_cap - 1;
    for (uint32_t i = const_hash(value) & mask;; i = (i + 1) & mask) {
        uint32_t number = table->slots[i];
        if (!number || const_equal(&table->items[number - 1], value)) return &table->slots[i];
    }
}

static void enlarge(Emitter *e, ConstTable *table) {
    table->slot_cap = table->slot_cap ? table->slot_cap * 2 : 16;
    table->slots = ctx_alloc(e->ctx, table->slot_cap * sizeof *table->slots);
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->items[i].kind != BC_CODE) *probe(table, &table->items[i]) = i + 1;
    }
}

Operand emit_const(Emitter *e, const BcConst *value) {
    ConstTable *table = &e->consts;
    if (table->count * 2 >= table->slot_cap) enlarge(e, table);
    uint32_t *slot = value->kind == BC_CODE ? NULL : probe(table, value);
    if (slot && *slot) return (*slot - 1) | CONST_BIT;
    if (table->count == MAX_CONSTS) ctx_fail(e->ctx, e->where, "too many constants in function");
    table->items =
        ctx_grow(e->ctx, table->items, &table->cap, table->count + 1, sizeof *table->items);
    table->items[table->count] = const_copy(e, value);
    if (slot) *slot = table->count + 1;
    return table->count++ | CONST_BIT;
}

Operand emit_const_kind(Emitter *e, BcConstKind kind) {
    return emit_const(e, &(BcConst){.kind = kind});
}

Operand emit_const_int(Emitter *e, int64_t value) {
    return emit_const(e, &(BcConst){.kind = BC_INT, .i = value});
}

Operand emit_const_text(Emitter *e, Text text) {
    return emit_const(e, &(BcConst){.kind = BC_STR,
                                    .len = (uint32_t)text.len,
                                    .text = (char *)(uintptr_t)text.bytes});
}

Operand emit_const_name(Emitter *e, Name name) {
    return emit_const_text(e, (Text){name, strlen(name)});
}

uint32_t emit_name(Emitter *e, Name name) {
    return emit_const_name(e, name) & ~(uint32_t)CONST_BIT;
}
