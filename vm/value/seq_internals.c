// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Native functions for the prelude's slow paths over sequences and strings, which run where items
// have operators written in the language:
//
//   _sort_order(keys, reverse)   the stable order of keys, as a list of positions
//   _swap_items(a, b)            exchanges the items of two lists; True if a had memory for items. Allocates nothing
//   _repr_enter(x)               False when the repr of x is being written already
//   _repr_leave(x)
//   _hash_items(hashes)          the hash of a tuple whose items have these hashes
//   _format_pieces(template)     [(literal, field name or None, specification, conversion)]
//   _format_name(name)           (first, [(is_attribute, name or number)]); first is '' when the
//                                field numbers itself

#include "vm/value/seq_impl.h"
#include "vm/value/seq_natives.h"
#include "vm/value/str_fields.h"
#include "vm/value/str_impl.h"

// --- Order, repr, hash -------------------------------------------------------------------------

static Status must_be_list(Vm *vm, Value v) {
    if (v.kind == K_LIST) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "expected a list, not %s", type_name(vm, v));
}

static Status sort_order(Vm *vm, const Value *args, Value *out) {
    bool reverse;
    Status st = must_be_list(vm, args[0]);
    if (st == ST_OK) st = op_truth(vm, args[1], &reverse);
    if (st != ST_OK) return st;
    size_t len = args[0].list->len;
    Value keys;
    st = tuple_of(vm, args[0].list->items, len, &keys);
    if (st != ST_OK) return st;
    List *order = list_new(vm, len);
    st = vm_check(vm, order);
    for (size_t i = 0; st == ST_OK && i < len; i++)
        st = list_append(vm, order, v_int((int64_t)i));
    if (st == ST_OK && keys.tuple != vm->empty_tuple)
        st = seq_sort(vm, order->items, keys.tuple->items, len, reverse);
    release(vm, keys);
    if (st == ST_OK)
        *out = v_obj(order);
    else
        release_obj(vm, order);
    return st;
}

static Status swap_items(Vm *vm, const Value *args, Value *out) {
    Value a = unwrap(args[0]), b = unwrap(args[1]);
    if (must_be_list(vm, a) != ST_OK || must_be_list(vm, b) != ST_OK) return ST_ERROR;
    List old = *a.list;
    a.list->len = b.list->len;
    a.list->cap = b.list->cap;
    a.list->items = b.list->items;
    b.list->len = old.len;
    b.list->cap = old.cap;
    b.list->items = old.items;
    *out = v_bool(old.cap > 0);
    return ST_OK;
}

static Status repr_enter_row(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    Value x = unwrap(args[0]);
    *out = v_bool(!is_heap(x) || repr_enter(x.obj));
    return ST_OK;
}

static Status repr_leave_row(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    Value x = unwrap(args[0]);
    if (is_heap(x)) repr_leave(x.obj);
    *out = V_NONE;
    return ST_OK;
}

static Status hash_items(Vm *vm, const Value *args, Value *out) {
    Status st = must_be_list(vm, args[0]);
    if (st != ST_OK) return st;
    const List *list = args[0].list;
    size_t bytes = (list->len + 1) * sizeof(int64_t);
    int64_t *hashes = mem_alloc(&vm->mem, bytes);
    st = vm_check(vm, hashes);
    for (size_t i = 0; st == ST_OK && i < list->len; i++)
        st = op_index(vm, list->items[i], &hashes[i]);
    if (st == ST_OK) *out = v_int(hash_combine_items(hashes, list->len));
    mem_free(&vm->mem, hashes, bytes);
    return st;
}

// --- Templates ---------------------------------------------------------------------------------

static Status must_be_str(Vm *vm, Value v, Span *out) {
    Str *s = str_of(v);
    if (!s) return vm_raise(vm, EXC_TypeError, "expected str, not %s", type_name(vm, v));
    *out = (Span){s->data, str_end(s)};
    return ST_OK;
}

static Status span_out(Vm *vm, Span span, Value *out) {
    return str_bytes_out(vm, span.from ? span.from : "", (size_t)(span.to - span.from), out);
}

// Appends a tuple of `count` owned parts, unless making them failed.
static Status append_parts(Vm *vm, List *list, Value *parts, size_t count, Status st) {
    Value tuple;
    if (st == ST_OK) st = tuple_steal(vm, parts, count, &tuple);
    if (st == ST_OK) return list_append(vm, list, tuple);
    for (size_t i = 0; i < count; i++) clear(vm, &parts[i]);
    return st;
}

static Status append_piece(Vm *vm, List *list, const FormatPiece *piece) {
    Value parts[4] = {V_UNDEF, V_NONE, V_UNDEF, V_NONE};
    Status st = span_out(vm, piece->literal, &parts[0]);
    if (st == ST_OK && piece->has_field) st = span_out(vm, piece->name, &parts[1]);
    if (st == ST_OK) st = span_out(vm, piece->spec, &parts[2]);
    if (st == ST_OK && piece->conversion)
        st = str_out(vm, str_char(vm, piece->conversion), &parts[3]);
    return append_parts(vm, list, parts, 4, st);
}

static Status format_pieces(Vm *vm, const Value *args, Value *out) {
    Span rest;
    FormatPiece piece;
    Status st = must_be_str(vm, args[0], &rest);
    if (st != ST_OK) return st;
    List *list = list_new(vm, 0);
    if (!list) return vm_no_memory(vm);
    while (st == ST_OK && (st = format_next_piece(vm, &rest, &piece)) == ST_OK)
        st = append_piece(vm, list, &piece);
    if (st == ST_STOP) {
        *out = v_obj(list);
        return ST_OK;
    }
    release_obj(vm, list);
    return st;
}

static Status append_step(Vm *vm, List *list, const FormatStep *step) {
    Value parts[2] = {v_bool(step->attribute), v_int(step->index)};
    Status st = step->index >= 0 ? ST_OK : span_out(vm, step->name, &parts[1]);
    return append_parts(vm, list, parts, 2, st);
}

static Status name_steps(Vm *vm, Span rest, Value *out) {
    FormatStep step;
    List *list = list_new(vm, 0);
    if (!list) return vm_no_memory(vm);
    Status st = ST_OK;
    while (st == ST_OK && (st = format_next_step(vm, &rest, &step)) == ST_OK)
        st = append_step(vm, list, &step);
    if (st == ST_STOP) {
        *out = v_obj(list);
        return ST_OK;
    }
    release_obj(vm, list);
    return st;
}

static Status format_name(Vm *vm, const Value *args, Value *out) {
    Span rest, first;
    int64_t index;
    Value parts[2] = {V_UNDEF, V_UNDEF};
    Status st = must_be_str(vm, args[0], &rest);
    if (st == ST_OK) st = format_first_name(vm, &rest, &first, &index);
    if (st != ST_OK) return st;
    if (index >= 0)
        parts[0] = v_int(index);
    else
        st = span_out(vm, first, &parts[0]);
    if (st == ST_OK) st = name_steps(vm, rest, &parts[1]);
    if (st == ST_OK) return tuple_steal(vm, parts, 2, out);
    release(vm, parts[0]);
    return st;
}

const NativeDef seq_internals[] = {
    {"_sort_order", "keys, reverse, /", sort_order, "sort_order_slow", PURE},
    {"_swap_items", "a, b, /", swap_items, NULL, PURE},
    {"_repr_enter", "x, /", repr_enter_row, NULL, PURE},
    {"_repr_leave", "x, /", repr_leave_row, NULL, PURE},
    {"_hash_items", "hashes, /", hash_items, NULL, PURE},
    {"_format_pieces", "template, /", format_pieces, NULL, PURE},
    {"_format_name", "name, /", format_name, NULL, PURE},
    {NULL, NULL, NULL, NULL, PURE},
};
