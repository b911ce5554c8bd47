// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The native iterators: one kind, and one way to step for each role. The constructors enumerate,
// zip and reversed are in iter_functions.c.

#include <inttypes.h>

#include "vm/value/bytes.h"
#include "vm/value/deque.h"
#include "vm/value/dict.h"
#include "vm/value/grid.h"
#include "vm/value/identity.h"
#include "vm/value/object.h"
#include "vm/value/seq_impl.h"
#include "vm/value/stepper.h"
#include "vm/value/str_impl.h"

Iter *iter_new(Vm *vm, IterRole role, Value over) {
    Iter *it = obj_new(vm, K_ITER, sizeof *it);
    if (!it) return NULL;
    it->gc.obj.aux = (uint16_t)role;
    it->over = retain(over);
    return it;
}

// --- Sequences ---------------------------------------------------------------------------------

// Ends the iterator: releases its source, so that it stays exhausted.
static Status stop(Vm *vm, Iter *it) {
    clear(vm, &it->over);
    return ST_STOP;
}

static Status next_range(Vm *vm, Iter *it, Value *out) {
    if (it->stop <= 0) return stop(vm, it);
    it->stop--;
    *out = v_int(it->index);
    it->index = (int64_t)((uint64_t)it->index + (uint64_t)it->step);
    return ST_OK;
}

// `extra` is the next value, `index` counts the values produced.
static Status next_big_range(Vm *vm, Iter *it, Value *out) {
    const BigRange *range = (const BigRange *)it->over.range;
    if (big_cmp(vm, v_int(it->index), range->len) >= 0) return stop(vm, it);
    Value after;
    Status st = big_op(vm, BIN_ADD, it->extra, range->step, &after);
    if (st != ST_OK) return st;
    it->index++;
    *out = it->extra;
    it->extra = after;
    return ST_OK;
}

static Status next_list(Vm *vm, Iter *it, Value *out) {
    List *list = it->over.list;
    if ((size_t)it->index >= list->len) return stop(vm, it);
    *out = retain(list->items[it->index++]);
    return ST_OK;
}

static Status next_tuple(Vm *vm, Iter *it, Value *out) {
    Tuple *tuple = it->over.tuple;
    if ((size_t)it->index >= tuple->len) return stop(vm, it);
    *out = retain(tuple->items[it->index++]);
    return ST_OK;
}

// `index` is the position after the next item's.
static Status next_list_reversed(Vm *vm, Iter *it, Value *out) {
    List *list = it->over.list;
    if (it->index <= 0 || (size_t)it->index > list->len) return stop(vm, it);
    *out = retain(list->items[--it->index]);
    return ST_OK;
}

static Status next_tuple_reversed(Vm *vm, Iter *it, Value *out) {
    if (it->index <= 0) return stop(vm, it);
    *out = retain(it->over.tuple->items[--it->index]);
    return ST_OK;
}

// `index` is a byte offset.
static Status next_char(Vm *vm, Iter *it, Value *out) {
    const Str *s = it->over.str;
    if (it->index >= s->len) return stop(vm, it);
    const char *at = s->data + it->index;
    int width = utf8_width(*at);
    it->index += width;
    return str_bytes_out(vm, at, (size_t)width, out);
}

static Status next_byte(Vm *vm, Iter *it, Value *out) {
    const Bytes *bytes = bytes_of(it->over); // a bytearray may change or move its bytes between items
    if ((size_t)it->index >= bytes->len) return stop(vm, it);
    *out = v_int((unsigned char)bytes->data[it->index++]);
    return ST_OK;
}

static Status char_before(Vm *vm, Iter *it, Value *out) {
    const Str *s = it->over.str;
    if (it->index <= 0) return stop(vm, it);
    int width = utf8_width_before(s->data + it->index);
    it->index -= width;
    return str_bytes_out(vm, s->data + it->index, (size_t)width, out);
}

static Status next_row(Vm *vm, Iter *it, Value *out) {
    int64_t rows;
    Status st = op_len(vm, it->over, &rows);
    if (st != ST_OK) return st;
    if (it->index >= rows) return stop(vm, it);
    return op_getitem(vm, it->over, v_int(it->index++), out);
}

// Steps backwards over anything with a length and items by number.
static Status item_before(Vm *vm, Iter *it, Value *out) {
    if (it->over.kind == K_STR) return char_before(vm, it, out);
    if (it->index <= 0) return stop(vm, it);
    Status st = op_getitem(vm, it->over, v_int(--it->index), out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_IndexError)) return st;
    vm_clear_error(vm);
    return stop(vm, it);
}

// --- Iterators over iterators ------------------------------------------------------------------

// Returns the count of enumerate in *out, and increments it; beyond 64 bits the count is in `extra`.
static Status take_count(Vm *vm, Iter *it, Value *out) {
    Value now = it->extra.kind == K_UNDEF ? v_int(it->index) : it->extra;
    if (now.kind == K_INT && now.i < INT64_MAX) {
        it->index++;
        *out = now;
        return ST_OK;
    }
    Value after;
    Status st = big_op(vm, BIN_ADD, now, v_int(1), &after);
    if (st != ST_OK) return st;
    it->extra = after;
    *out = now; // with its reference
    return ST_OK;
}

static Status iter_next(Vm *vm, Value self, Value *out);

static inline Status step(Vm *vm, Value iterator, Value *out) {
    if (iterator.kind == K_ITER && iterator.iter->gc.obj.aux == ITER_LIST) {
        Iter *it = iterator.iter;
        if (it->over.kind == K_LIST && (size_t)it->index < it->over.list->len) {
            *out = retain(v_load(&it->over.list->items[it->index++]));
            return ST_OK;
        }
    }
    return iterator.kind == K_ITER ? iter_next(vm, iterator, out) : op_next(vm, iterator, out);
}

// Returns a tuple to fill, with a reference for the caller; NULL when out of memory. Two tuples are reused in turn: a
// loop that unpacks the tuples still holds the last one while it asks for the next.
static Tuple *result_tuple(Vm *vm, Iter *it, size_t len) {
    Tuple **made = &it->made[it->turn ^= 1];
    if (!*made || (*made)->gc.obj.refs != 1) {
        release_obj(vm, *made);
        *made = tuple_new(vm, len);
        if (!*made) return NULL;
    }
    (*made)->gc.obj.refs++;
    return *made;
}

static Status next_numbered(Vm *vm, Iter *it, Value *out) {
    Value item, count;
    Status st = step(vm, it->over, &item);
    if (st != ST_OK) return st == ST_STOP ? stop(vm, it) : st;
    Tuple *pair = result_tuple(vm, it, 2);
    st = vm_check(vm, pair);
    if (st == ST_OK) st = take_count(vm, it, &count);
    if (st != ST_OK) {
        release(vm, item);
        release_obj(vm, pair);
        return st;
    }
    replace(vm, &pair->items[0], count);
    replace(vm, &pair->items[1], item);
    *out = v_obj(pair);
    return ST_OK;
}

// Raises ValueError that names the arguments before number `count` (from 0): "argument 1" or "arguments 1-3".
static Status zip_uneven(Vm *vm, size_t count, const char *how) {
    if (count == 1)
        return vm_raise(vm, EXC_ValueError, "zip() argument 2 is %s than argument 1", how);
    return vm_raise(vm, EXC_ValueError, "zip() argument %zu is %s than arguments 1-%zu", count + 1,
                    how, count);
}

// For strict=True, checks that all iterators are at their end, as the first one is.
static Status zip_all_ended(Vm *vm, const Tuple *iterators) {
    for (size_t i = 1; i < iterators->len; i++) {
        Value extra;
        Status st = op_next(vm, iterators->items[i], &extra);
        if (st == ST_STOP) continue;
        if (st != ST_OK) return st;
        release(vm, extra);
        return zip_uneven(vm, i, "longer");
    }
    return ST_STOP;
}

static Status zip_ended(Vm *vm, Iter *it, size_t at) {
    bool strict = it->extra.kind == K_BOOL && it->extra.i;
    if (!strict) return ST_STOP;
    return at == 0 ? zip_all_ended(vm, it->over.tuple) : zip_uneven(vm, at, "shorter");
}

static Status next_zipped(Vm *vm, Iter *it, Value *out) {
    const Tuple *iterators = it->over.tuple;
    if (iterators->len == 0) return ST_STOP;
    Tuple *items = result_tuple(vm, it, iterators->len);
    if (!items) return vm_no_memory(vm);
    for (size_t i = 0; i < iterators->len; i++) {
        Value item;
        Status st = step(vm, iterators->items[i], &item);
        if (st == ST_OK) {
            replace(vm, &items->items[i], item);
            continue;
        }
        release_obj(vm, items);
        return st == ST_STOP ? zip_ended(vm, it, i) : st;
    }
    *out = v_obj(items);
    return ST_OK;
}

// --- Items taken apart -------------------------------------------------------------------------

enum { APART_MOST = 4 };

static Status zip_apart(Vm *vm, Iter *it, uint32_t count, Value *slots) {
    const Tuple *iterators = it->over.tuple;
    Value items[APART_MOST];
    for (uint32_t i = 0; i < count; i++) {
        Status st = step(vm, iterators->items[i], &items[i]);
        if (st == ST_OK) continue;
        for (uint32_t k = 0; k < i; k++) release(vm, items[k]);
        return st == ST_STOP ? zip_ended(vm, it, i) : st;
    }
    for (uint32_t i = 0; i < count; i++) replace(vm, &slots[i], items[i]);
    return ST_OK;
}

static Status numbered_apart(Vm *vm, Iter *it, Value *slots) {
    Value item, count;
    Status st = step(vm, it->over, &item);
    if (st != ST_OK) return st == ST_STOP ? stop(vm, it) : st;
    st = take_count(vm, it, &count);
    if (st != ST_OK) {
        release(vm, item);
        return st;
    }
    replace(vm, &slots[0], count);
    replace(vm, &slots[1], item);
    return ST_OK;
}

static Status entry_apart(Vm *vm, Iter *it, Value *slots) {
    Value key, value;
    Status st = dict_iter_entry(vm, it, &key, &value);
    if (st != ST_OK) return st;
    retain(key);
    retain(value);
    replace(vm, &slots[0], key);
    replace(vm, &slots[1], value);
    return ST_OK;
}

Status iter_take_apart(Vm *vm, Iter *it, uint32_t count, Value *slots) {
    if (it->over.kind == K_UNDEF) return ST_NOTIMPL;
    switch ((IterRole)it->gc.obj.aux) {
    case ITER_ZIP:
        if (count == 0 || count > APART_MOST || it->over.tuple->len != count) return ST_NOTIMPL;
        return zip_apart(vm, it, count, slots);
    case ITER_ENUMERATE: return count == 2 ? numbered_apart(vm, it, slots) : ST_NOTIMPL;
    case ITER_GRID: return grid_apart(vm, it, count, slots);
    case ITER_DICT_ITEMS: return count == 2 ? entry_apart(vm, it, slots) : ST_NOTIMPL;
    default: return ST_NOTIMPL;
    }
}

// --- The kind ----------------------------------------------------------------------------------

static Status iter_next(Vm *vm, Value self, Value *out) {
    Iter *it = self.iter;
    if (it->over.kind == K_UNDEF) return ST_STOP;
    switch ((IterRole)it->gc.obj.aux) {
    case ITER_RANGE: return next_range(vm, it, out);
    case ITER_BIG_RANGE: return next_big_range(vm, it, out);
    case ITER_LIST: return next_list(vm, it, out);
    case ITER_LIST_REVERSED: return next_list_reversed(vm, it, out);
    case ITER_TUPLE: return next_tuple(vm, it, out);
    case ITER_TUPLE_REVERSED: return next_tuple_reversed(vm, it, out);
    case ITER_STR: return next_char(vm, it, out);
    case ITER_BYTES: return next_byte(vm, it, out);
    case ITER_DICT_KEYS:
    case ITER_DICT_VALUES:
    case ITER_DICT_ITEMS:
    case ITER_DICT_REVERSED: return dict_iter_next(vm, it, out);
    case ITER_SET: return set_iter_next(vm, it, out);
    case ITER_ARRAY: return next_row(vm, it, out);
    case ITER_ENUMERATE: return next_numbered(vm, it, out);
    case ITER_ZIP: return next_zipped(vm, it, out);
    case ITER_GETITEM_REVERSED: return item_before(vm, it, out);
    case ITER_FILE: return op_next(vm, it->over, out);
    case ITER_GRID: return grid_next(vm, it, out);
    case ITER_DEQUE:
    case ITER_DEQUE_REVERSED: return deque_iter_next(vm, it, out);
    }
    return ST_STOP;
}

static Status iter_iter(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self);
    return ST_OK;
}

static Status iter_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)depth;
    buf_printf(out, "<%s object at ", type_name(vm, self));
    Status st = identity_text(vm, self.obj, out);
    buf_putc(out, '>');
    return st;
}

static void iter_visit(Obj *obj, Visitor *visitor) {
    Iter *it = (Iter *)obj;
    visit_value(visitor, it->over);
    visit_value(visitor, it->extra);
    visit_obj(visitor, it->made[0]);
    visit_obj(visitor, it->made[1]);
}

static void iter_drop(Vm *vm, Obj *obj) {
    Iter *it = (Iter *)obj;
    clear(vm, &it->over);
    clear(vm, &it->extra);
    for (int i = 0; i < 2; i++) {
        Tuple *made = it->made[i];
        it->made[i] = NULL;
        release_obj(vm, made);
    }
}

static size_t iter_size(const Obj *obj) {
    (void)obj;
    return sizeof(Iter);
}

static int64_t set_left(const Iter *it) {
    const Set *set = it->over.set;
    uint32_t pos = (uint32_t)it->index;
    int64_t left = 0;
    Value key;
    while (it->version == set->used && set_next(set, &pos, &key)) left++;
    return left;
}

static int64_t deque_left(const Iter *it) {
    const Deque *deque = deque_of(it->over);
    if (deque->edits != it->version) return 0;
    return it->gc.obj.aux == ITER_DEQUE ? (int64_t)deque->len - it->index : it->index;
}

// Computes how many items are left to walk backwards over, from a place where items may be missing by now.
static Status left_before(Vm *vm, const Iter *it, int64_t *out) {
    int64_t len = it->index;
    Status st = it->over.kind == K_STR ? ST_OK : op_len(vm, it->over, &len);
    *out = it->over.kind == K_STR ? (int64_t)str_count_chars(it->over.str->data, (size_t)it->index)
           : it->index > len      ? 0
                                  : it->index;
    return st;
}

static Status big_range_left(Vm *vm, const Iter *it, Value *out) {
    return big_op(vm, BIN_SUB, ((const BigRange *)it->over.range)->len, v_int(it->index), out);
}

Status iter_length_hint(Vm *vm, const Value *args, Value *out) {
    const Iter *it = args[0].iter;
    const Value over = it->over;
    int64_t len, left = -1;
    Status st = ST_OK;
    if (args[0].kind == K_STEPPER) { // of reversed
        const Stepper *back = (const Stepper *)args[0].obj;
        *out = v_int(back->source.kind == K_UNDEF ? 0 : back->index + 1);
        return ST_OK;
    }
    if (over.kind == K_UNDEF) {
        *out = v_int(0);
        return ST_OK;
    }
    switch ((IterRole)it->gc.obj.aux) {
    case ITER_RANGE: left = it->stop; break;
    case ITER_BIG_RANGE: return big_range_left(vm, it, out);
    case ITER_LIST:
    case ITER_TUPLE:
    case ITER_BYTES:
    case ITER_ARRAY:
        st = op_len(vm, over, &len);
        left = it->index < len ? len - it->index : 0;
        break;
    case ITER_STR: left = (int64_t)str_count_chars(over.str->data + it->index, over.str->len - (size_t)it->index); break;
    case ITER_LIST_REVERSED:
    case ITER_TUPLE_REVERSED:
    case ITER_GETITEM_REVERSED: st = left_before(vm, it, &left); break;
    case ITER_DICT_KEYS:
    case ITER_DICT_VALUES:
    case ITER_DICT_ITEMS:
    case ITER_DICT_REVERSED: left = dict_iter_left(it); break;
    case ITER_SET: left = set_left(it); break;
    case ITER_DEQUE:
    case ITER_DEQUE_REVERSED: left = deque_left(it); break;
    case ITER_ENUMERATE:
    case ITER_ZIP:
    case ITER_FILE:
    case ITER_GRID: break;
    }
    if (st == ST_OK) *out = left < 0 ? V_NOTIMPLEMENTED : v_int(left);
    return st;
}

static Status method_iter(Vm *vm, const Value *args, Value *out) {
    return iter_iter(vm, args[0], out);
}

static Status method_next(Vm *vm, const Value *args, Value *out) {
    Status st = iter_next(vm, args[0], out);
    return st == ST_STOP ? vm_raise_stop(vm, V_UNDEF) : st;
}

static const NativeDef methods[] = {
    {"__iter__", "self, /", method_iter, NULL, PURE},
    {"__next__", "self, /", method_next, NULL, PURE},
    {"__length_hint__", "self, /", iter_length_hint, NULL, PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

const TypeSlots kind_ITER = {
    .visit = iter_visit,
    .drop = iter_drop,
    .size = iter_size,
    .iter = iter_iter,
    .next = iter_next,
    .repr = iter_repr,
    .methods = methods,
};
