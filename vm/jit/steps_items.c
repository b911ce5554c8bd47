// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Indexing: instructions with one key and with several.

#include "vm/jit/steps.h"
#include "vm/value/objects.h"
#include "vm/value/seq.h"

// Unpacks a constant slice into its components.
static Var open_slice(Infer *f, Var key) {
    Var bounds[3], slice;
    if (key.type.kind != VAR_CONST || f->variant->constants[key.type.which].kind != K_SLICE)
        return key;
    const Slice *own = f->variant->constants[key.type.which].slice;
    bounds[0] = infer_object(f, own->start);
    bounds[1] = infer_object(f, own->stop);
    bounds[2] = infer_object(f, own->step);
    return step_slice(f, bounds, &slice) ? slice : key;
}

// Reads the keys of an index: one, or the items of a constant tuple. Returns how many; 0: too many.
static int keys_of(Infer *f, Var key, Var keys[REGION_DIMS]) {
    keys[0] = open_slice(f, key);
    if (key.type.kind != VAR_CONST) return 1;
    Value v = f->variant->constants[key.type.which];
    if (v.kind != K_TUPLE) return 1;
    if (v.tuple->len > REGION_DIMS) return 0;
    for (size_t i = 0; i < v.tuple->len; i++)
        keys[i] = open_slice(f, infer_object(f, v.tuple->items[i]));
    return (int)v.tuple->len;
}

bool step_items(Infer *f, const Instr *at, uint32_t array, uint32_t keys, bool get, Var *out) {
    uint32_t count = instr_wide(at[1]);
    if (count > REGION_DIMS) return false;
    Var each[REGION_DIMS];
    for (uint32_t i = 0; i < count; i++) each[i] = open_slice(f, f->regs[keys + i]);
    bool known = get ? step_get(f, f->regs[array], each, (int)count, out)
                     : step_set(f, f->regs[array], each, (int)count, infer_operand(f, 'x', at->c));
    for (uint32_t i = 0; known && i < count; i++) infer_set(f, keys + i, (Var){0});
    return known;
}

bool step_item(Infer *f, const Instr *at, Var *out) {
    bool get = at->op == OP_GETITEM;
    Var keys[REGION_DIMS], array = get ? infer_operand(f, 'x', at->b) : f->regs[at->a];
    int count = keys_of(f, infer_operand(f, 'x', get ? at->c : at->b), keys);
    if (count == 0) return false;
    Items items;
    int64_t index;
    if (get && count == 1 && items_of(f, array, &items)) {
        if (keys[0].type.kind != VAR_INT || !infer_known(f, keys[0].parts[0], &index)) return false;
        if (index < -items.count || index >= items.count) return false;
        *out = items.items[index < 0 ? index + items.count : index];
        return true;
    }
    if (get && count == 1 && is_array(keys[0])) return step_take(f, array, keys[0], out);
    return get ? step_get(f, array, keys, count, out)
               : step_set(f, array, keys, count, infer_operand(f, 'x', at->c));
}

// --- Tuples ------------------------------------------------------------------------------------

bool step_tuple(Infer *f, const Instr *at, Var *out) {
    if (f->tuple_count == TUPLES || at->c > TUPLE_ITEMS) return false;
    Items *items = &f->tuples[f->tuple_count];
    items->count = at->c;
    for (uint32_t i = 0; i < at->c; i++) {
        items->items[i] = f->regs[at->b + i];
        if (items->items[i].type.kind == VAR_BODY &&
            !step_make(f, items->items[i], &items->items[i]))
            return false;
    }
    for (uint32_t i = 0; i < at->c; i++) infer_set(f, at->b + i, (Var){0});
    *out = (Var){{.kind = VAR_TUPLE, .which = (uint16_t)f->tuple_count++}, NO_PARTS};
    return true;
}

bool items_of(Infer *f, Var v, Items *out) {
    out->count = 0;
    if (v.type.kind == VAR_TUPLE) {
        *out = f->tuples[v.type.which];
    } else if (v.type.kind == VAR_SHAPE) {
        out->count = v.type.which;
        for (int i = 0; i < out->count; i++) out->items[i] = var_of(VAR_INT, v.parts[i]);
    } else if (v.type.kind == VAR_CONST) {
        Value tuple = f->variant->constants[v.type.which];
        if (tuple.kind != K_TUPLE || tuple.tuple->len > TUPLE_ITEMS) return false;
        out->count = (int)tuple.tuple->len;
        for (int i = 0; i < out->count; i++) out->items[i] = infer_object(f, tuple.tuple->items[i]);
    } else {
        return false;
    }
    return true;
}

bool step_unpack(Infer *f, const Instr *at) {
    Items items;
    if (!items_of(f, infer_operand(f, 'x', at->b), &items) || items.count != at->c) return false;
    // variables hold only values that exits can restore
    for (int i = 0; i < items.count; i++)
        if (items.items[i].type.kind >= VAR_SLICE) return false;
    if (at->flags & FLAG_LAST_B) infer_set(f, at->b, (Var){0});
    for (int i = 0; i < items.count; i++) infer_set(f, at->a + (uint32_t)i, items.items[i]);
    return true;
}
