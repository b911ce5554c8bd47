// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Deques: items in one block, with room at both ends. Where an end has none, items move within the block if a good part
// of it is free, else the block grows, so that each step costs constant time on average.

#include "vm/value/deque.h"

#include <string.h>

#include "vm/value/object.h"
#include "vm/value/seq_dunders.h"
#include "vm/value/seq_impl.h"

enum { ROOM_LEAST = 8, KEPT_MOST = 64 };

static Deque *self_deque(const Value *args) {
    return deque_of(unwrap(args[0]));
}

static Status done(Value *out) {
    *out = V_NONE;
    return ST_OK;
}

static Deque *deque_new(Vm *vm, int64_t limit) {
    Deque *d = obj_new(vm, K_DEQUE, sizeof *d);
    if (d) d->limit = limit;
    return d;
}

// --- Room --------------------------------------------------------------------------------------

static void move_to(Deque *d, size_t head) {
    if (d->len) memmove(d->items + head, d->items + d->head, d->len * sizeof(Value));
    d->head = head;
}

__attribute__((noinline)) static bool make_room_right(Vm *vm, Deque *d) {
    if (d->head && d->head >= d->len) {
        move_to(d, 0);
        return true;
    }
    return mem_grow(&vm->mem, (void **)&d->items, &d->cap, d->head + d->len + 1, sizeof(Value));
}

__attribute__((noinline)) static bool make_room_left(Vm *vm, Deque *d) {
    size_t room = d->len / 2 + ROOM_LEAST;
    if (d->cap - d->len < room && !mem_grow(&vm->mem, (void **)&d->items, &d->cap, d->len + room, sizeof(Value)))
        return false;
    move_to(d, (d->cap - d->len + 1) / 2);
    return true;
}

// --- Ends --------------------------------------------------------------------------------------

// Removes the item at an end of a deque that is not empty; owned.
static inline Value take_left(Deque *d) {
    d->edits++;
    d->len--;
    return d->items[d->head++];
}

static inline Value take_right(Deque *d) {
    d->edits++;
    return d->items[d->head + --d->len];
}

// Consumes the value, also on failure. A deque that is full loses an item at its other end.
static inline Status put_right(Vm *vm, Deque *d, Value owned) {
    if (d->head + d->len == d->cap && !make_room_right(vm, d)) {
        release(vm, owned);
        return vm_no_memory(vm);
    }
    d->edits++;
    v_store(&d->items[d->head + d->len++], owned);
    if (d->limit >= 0 && d->len > (size_t)d->limit) release(vm, take_left(d));
    return ST_OK;
}

static inline Status put_left(Vm *vm, Deque *d, Value owned) {
    if (d->head == 0 && !make_room_left(vm, d)) {
        release(vm, owned);
        return vm_no_memory(vm);
    }
    d->edits++;
    d->items[--d->head] = owned;
    d->len++;
    if (d->limit >= 0 && d->len > (size_t)d->limit) release(vm, take_right(d));
    return ST_OK;
}

static void empty(Vm *vm, Deque *d) {
    Value *items = d->items;
    size_t head = d->head, len = d->len, cap = d->cap;
    d->items = NULL;
    d->head = d->len = d->cap = 0;
    d->edits++;
    for (size_t i = 0; i < len; i++) release(vm, items[head + i]);
    mem_free(&vm->mem, items, cap * sizeof *items);
}

static Status method_append(Vm *vm, const Value *args, Value *out) {
    Status st = put_right(vm, self_deque(args), retain(args[1]));
    return st == ST_OK ? done(out) : st;
}

static Status method_appendleft(Vm *vm, const Value *args, Value *out) {
    Status st = put_left(vm, self_deque(args), retain(args[1]));
    return st == ST_OK ? done(out) : st;
}

// The block of a long queue goes with its last item.
static Status taken(Vm *vm, Deque *d, Value v, Value *out) {
    if (d->len == 0 && d->cap > KEPT_MOST) empty(vm, d);
    *out = v;
    return ST_OK;
}

static Status method_pop(Vm *vm, const Value *args, Value *out) {
    Deque *d = self_deque(args);
    if (d->len == 0) return vm_raise(vm, EXC_IndexError, "pop from an empty deque");
    return taken(vm, d, take_right(d), out);
}

static Status method_popleft(Vm *vm, const Value *args, Value *out) {
    Deque *d = self_deque(args);
    if (d->len == 0) return vm_raise(vm, EXC_IndexError, "pop from an empty deque");
    return taken(vm, d, take_left(d), out);
}

// --- Many items --------------------------------------------------------------------------------

typedef Status (*PutFn)(Vm *vm, Deque *d, Value owned);

static Status put_right_fn(Vm *vm, Deque *d, Value owned) {
    return put_right(vm, d, owned);
}

static Status put_left_fn(Vm *vm, Deque *d, Value owned) {
    return put_left(vm, d, owned);
}

// ST_DEFER: nothing has been taken.
static Status put_all(Vm *vm, Deque *d, Value iterable, PutFn put) {
    Value it, item, items = V_UNDEF;
    Status st = ST_OK;
    if (v_is(unwrap(iterable), v_obj(d))) st = op_to_list(vm, v_obj(d), &items);
    if (st == ST_OK) st = op_iter(vm, items.kind == K_UNDEF ? iterable : items, &it);
    release(vm, items);
    if (st != ST_OK) return st;
    if (!iter_is_native(it)) st = ST_DEFER;
    if (it.kind == K_ITER && it.obj->aux == ITER_LIST && put == put_right_fn && d->limit < 0) {
        const List *from = it.iter->over.list; // putting calls nobody who could change it
        while (st == ST_OK && (size_t)it.iter->index < from->len)
            st = put_right(vm, d, retain(from->items[it.iter->index++]));
    }
    for (size_t n = 0; st == ST_OK; n++) {
        st = op_next(vm, it, &item);
        if (st == ST_OK) st = put(vm, d, item);
        if (st == ST_OK) st = vm_poll_at(vm, n);
    }
    release(vm, it);
    return st == ST_STOP ? ST_OK : st;
}

static Status method_extend(Vm *vm, const Value *args, Value *out) {
    Status st = put_all(vm, self_deque(args), args[1], put_right_fn);
    return st == ST_OK ? done(out) : st;
}

static Status method_extendleft(Vm *vm, const Value *args, Value *out) {
    Status st = put_all(vm, self_deque(args), args[1], put_left_fn);
    return st == ST_OK ? done(out) : st;
}

static Status read_limit(Vm *vm, Value v, int64_t *limit) {
    *limit = -1;
    if (v.kind == K_NONE) return ST_OK;
    if (!is_int(unwrap(v))) return vm_raise(vm, EXC_TypeError, "an integer is required");
    Status st = seq_size_arg(vm, v, limit);
    if (st == ST_OK && *limit < 0) st = vm_raise(vm, EXC_ValueError, "maxlen must be non-negative");
    return st;
}

static Status construct(Vm *vm, const Value *args, Value *out) {
    int64_t limit;
    Status st = read_limit(vm, args[1], &limit);
    if (st != ST_OK) return st;
    Deque *d = deque_new(vm, limit);
    if (!d) return vm_no_memory(vm);
    if (args[0].kind != K_UNDEF) st = put_all(vm, d, args[0], put_right_fn);
    if (st == ST_OK) *out = v_obj(d);
    else release_obj(vm, d);
    return st;
}

static Status method_init(Vm *vm, const Value *args, Value *out) {
    Deque *d = self_deque(args);
    Value made;
    Status st = construct(vm, args + 1, &made);
    if (st != ST_OK) return st;
    Deque *from = deque_of(made), old = *d;
    d->items = from->items, d->head = from->head, d->len = from->len, d->cap = from->cap;
    d->limit = from->limit;
    d->edits++;
    from->items = old.items, from->head = old.head, from->len = old.len, from->cap = old.cap;
    release(vm, made);
    return done(out);
}

static Status copy_of(Vm *vm, const Deque *d, int64_t limit, Value *out) {
    Deque *made = deque_new(vm, limit);
    if (!made) return vm_no_memory(vm);
    Status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < d->len; i++) {
        st = put_right(vm, made, retain(d->items[d->head + i]));
        if (st == ST_OK) st = vm_poll_at(vm, i);
    }
    if (st == ST_OK) *out = v_obj(made);
    else release_obj(vm, made);
    return st;
}

// A copy is of the instance's class, which only the slow path sees.
static Status defer(Vm *vm, const Value *args, Value *out) {
    (void)vm, (void)args, (void)out;
    return ST_DEFER;
}

static Status method_clear(Vm *vm, const Value *args, Value *out) {
    empty(vm, self_deque(args));
    return done(out);
}

// --- Places ------------------------------------------------------------------------------------

static Status method_rotate(Vm *vm, const Value *args, Value *out) {
    Deque *d = self_deque(args);
    int64_t steps, len = (int64_t)d->len;
    Status st = seq_size_arg(vm, args[1], &steps);
    if (st != ST_OK || len < 2) return st == ST_OK ? done(out) : st;
    steps %= len;
    if (steps > len / 2) steps -= len;
    if (steps < -(len / 2)) steps += len;
    d->edits++;
    // Parts as long as the free room at that end; room first, so that no item is lost.
    while (steps > 0) {
        if (d->head == 0 && !make_room_left(vm, d)) return vm_no_memory(vm);
        const size_t part = (size_t)steps < d->head ? (size_t)steps : d->head;
        d->head -= part;
        memcpy(d->items + d->head, d->items + d->head + d->len, part * sizeof(Value));
        steps -= (int64_t)part;
    }
    while (steps < 0) {
        if (d->head + d->len == d->cap && !make_room_right(vm, d)) return vm_no_memory(vm);
        const size_t room = d->cap - d->head - d->len, part = (size_t)-steps < room ? (size_t)-steps : room;
        memcpy(d->items + d->head + d->len, d->items + d->head, part * sizeof(Value));
        d->head += part;
        steps += (int64_t)part;
    }
    return done(out);
}

static Status method_reverse(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    Deque *d = self_deque(args);
    Value *items = deque_items(d);
    for (size_t i = 0, j = d->len; i + 1 < j; i++) {
        Value last = items[--j];
        items[j] = items[i];
        items[i] = last;
    }
    return done(out);
}

static Status method_insert(Vm *vm, const Value *args, Value *out) {
    Deque *d = self_deque(args);
    int64_t index;
    Status st = seq_size_arg(vm, args[1], &index);
    if (st != ST_OK) return st;
    if (d->limit >= 0 && d->len >= (size_t)d->limit)
        return vm_raise(vm, EXC_IndexError, "deque already at its maximum size");
    size_t at = (size_t)seq_clamp(index, (int64_t)d->len);
    st = put_right(vm, d, retain(args[2]));
    if (st != ST_OK) return st;
    Value *items = deque_items(d);
    memmove(items + at + 1, items + at, (d->len - 1 - at) * sizeof(Value));
    items[at] = args[2];
    return done(out);
}

static void remove_at(Vm *vm, Deque *d, size_t at) {
    Value *items = deque_items(d), old = items[at];
    memmove(items + at, items + at + 1, (d->len - 1 - at) * sizeof(Value));
    d->len--;
    d->edits++;
    release(vm, old);
}

static Status not_in_deque(Vm *vm, Value v) {
    Value text;
    Status st = op_repr_value(vm, v, &text);
    if (st != ST_OK) return st;
    st = vm_raise(vm, EXC_ValueError, "%s is not in deque", text.str->data);
    release(vm, text);
    return st;
}

static Status method_remove(Vm *vm, const Value *args, Value *out) {
    Deque *d = self_deque(args);
    int64_t at;
    Status st = seq_find(vm, deque_items(d), 0, d->len, args[1], &at);
    if (st != ST_OK) return st;
    if (at < 0) return not_in_deque(vm, args[1]);
    remove_at(vm, d, (size_t)at);
    return done(out);
}

static Status method_index(Vm *vm, const Value *args, Value *out) {
    Deque *d = self_deque(args);
    int64_t from, to, at;
    Status st = seq_range_args(vm, args[2], args[3], BOUND_ONLY, (int64_t)d->len, &from, &to);
    if (st == ST_OK) st = seq_find(vm, deque_items(d), (size_t)from, (size_t)to, args[1], &at);
    if (st != ST_OK) return st;
    if (at < 0) return not_in_deque(vm, args[1]);
    *out = v_int(at);
    return ST_OK;
}

static Status method_count(Vm *vm, const Value *args, Value *out) {
    Deque *d = self_deque(args);
    int64_t count;
    Status st = seq_count(vm, deque_items(d), d->len, args[1], &count);
    if (st == ST_OK) *out = v_int(count);
    return st;
}

// --- Items -------------------------------------------------------------------------------------

static Status find_place(Vm *vm, Value self, Value key, Value **place) {
    const Deque *d = deque_of(self);
    int64_t index = key.i;
    if (key.kind != K_INT) {
        Status st = op_index_or(vm, key, EXC_IndexError, "cannot fit '%s' into an index-sized integer", &index);
        if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError))
            return vm_raise(vm, EXC_TypeError, "sequence index must be integer, not '%s'", type_name(vm, key));
        if (st != ST_OK) return st;
    }
    Status st = seq_index(vm, &index, (int64_t)d->len, "deque");
    if (st == ST_OK) *place = d->items + d->head + index;
    return st;
}

static Status deque_getitem(Vm *vm, Value self, Value key, Value *out) {
    Value *place;
    Status st = find_place(vm, self, key, &place);
    if (st == ST_OK) *out = retain(*place);
    return st;
}

static Status deque_setitem(Vm *vm, Value self, Value key, Value value) {
    Value *place;
    Status st = find_place(vm, self, key, &place);
    if (st == ST_OK) replace(vm, place, retain(value));
    return st;
}

static Status deque_delitem(Vm *vm, Value self, Value key) {
    Value *place;
    Status st = find_place(vm, self, key, &place);
    if (st == ST_OK) remove_at(vm, deque_of(self), (size_t)(place - deque_items(deque_of(self))));
    return st;
}

static Status deque_contains(Vm *vm, Value self, Value item, bool *out) {
    int64_t at;
    Status st = seq_find(vm, deque_items(deque_of(self)), 0, deque_of(self)->len, item, &at);
    if (st == ST_OK) *out = at >= 0;
    return st;
}

static Status deque_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = deque_of(self)->len != 0;
    return ST_OK;
}

static Status deque_len(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = (int64_t)deque_of(self)->len;
    return ST_OK;
}

// --- Iterators ---------------------------------------------------------------------------------

static Status walk(Vm *vm, IterRole role, Value self, int64_t from, Value *out) {
    Iter *it = iter_new(vm, role, self);
    if (!it) return vm_no_memory(vm);
    it->index = from;
    it->version = deque_of(self)->edits;
    *out = v_obj(it);
    return ST_OK;
}

static Status deque_iter(Vm *vm, Value self, Value *out) {
    return walk(vm, ITER_DEQUE, self, 0, out);
}

Status deque_reversed(Vm *vm, Value self, Value *out) {
    return walk(vm, ITER_DEQUE_REVERSED, self, (int64_t)deque_of(self)->len, out);
}

Status deque_iter_next(Vm *vm, Iter *it, Value *out) {
    const Deque *d = deque_of(it->over);
    if (d->edits != it->version) return vm_raise(vm, EXC_RuntimeError, "deque mutated during iteration");
    if (it->gc.obj.aux == ITER_DEQUE_REVERSED) {
        if (it->index == 0) return ST_STOP;
        *out = retain(d->items[d->head + (size_t)--it->index]);
        return ST_OK;
    }
    if ((size_t)it->index >= d->len) return ST_STOP;
    *out = retain(d->items[d->head + (size_t)it->index++]);
    return ST_OK;
}

// --- Operators ---------------------------------------------------------------------------------

static Status repeat_in_place(Vm *vm, Deque *d, Value times) {
    int64_t count;
    size_t unit = d->len, all;
    Status st = seq_repeat_count(vm, times, &count);
    if (st != ST_OK || unit == 0) return st;
    if (count == 0) {
        empty(vm, d);
        return ST_OK;
    }
    int64_t enough = d->limit / (int64_t)unit + 1;
    if (d->limit >= 0 && count > enough) count = enough;
    if (__builtin_mul_overflow(unit, (size_t)count, &all) || all > SIZE_MAX / 2 / sizeof(Value)) return vm_no_memory(vm);
    // Of a deque with a limit the last `unit` items stay those that repeat.
    for (size_t i = unit; st == ST_OK && i < all; i++) {
        st = put_right(vm, d, retain(d->items[d->head + d->len - unit]));
        if (st == ST_OK) st = vm_poll_at(vm, i);
    }
    return st;
}

static Status in_place_binary(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    Status st = ST_NOTIMPL;
    if (op == BIN_ADD) st = put_all(vm, deque_of(a), b, put_right_fn);
    if (op == BIN_MUL) st = repeat_in_place(vm, deque_of(a), b);
    if (st == ST_OK) *out = retain(a);
    return st;
}

static Status deque_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    if (in_place && a.kind == K_DEQUE) return in_place_binary(vm, op, a, b, out);
    bool left = a.kind == K_DEQUE;
    if (op == BIN_ADD ? !left || b.kind != K_DEQUE : op != BIN_MUL) return ST_NOTIMPL;
    const Deque *from = deque_of(left ? a : b);
    Value made;
    Status st = copy_of(vm, from, from->limit, &made);
    if (st != ST_OK) return st;
    st = op == BIN_ADD ? put_all(vm, deque_of(made), b, put_right_fn) : repeat_in_place(vm, deque_of(made), left ? b : a);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

static Status deque_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    if (b.kind != K_DEQUE) return ST_NOTIMPL;
    const Deque *x = deque_of(a), *y = deque_of(b);
    return seq_compare_items(vm, op, deque_items(x), x->len, deque_items(y), y->len, out);
}

Status deque_repr_named(Vm *vm, Deque *d, const char *name, Buf *out, int depth) {
    if (!repr_enter(&d->gc.obj)) {
        buf_puts(out, "[...]");
        return ST_OK;
    }
    buf_printf(out, "%s([", name);
    Status st = seq_repr_items(vm, deque_items(d), d->len, out, depth);
    buf_putc(out, ']');
    if (d->limit >= 0) buf_printf(out, ", maxlen=%lld", (long long)d->limit);
    buf_putc(out, ')');
    repr_leave(&d->gc.obj);
    return st;
}

static Status deque_repr(Vm *vm, Value self, Buf *out, int depth) {
    return deque_repr_named(vm, deque_of(self), "deque", out, depth);
}

// --- The kind ----------------------------------------------------------------------------------

static void deque_visit(Obj *obj, Visitor *visitor) {
    const Deque *d = (const Deque *)obj;
    for (size_t i = 0; i < d->len; i++) visit_value(visitor, d->items[d->head + i]);
}

static void deque_drop(Vm *vm, Obj *obj) {
    empty(vm, (Deque *)obj);
}

static size_t deque_size(const Obj *obj) {
    (void)obj;
    return sizeof(Deque);
}

static Status get_maxlen(Vm *vm, Value self, Value *out) {
    (void)vm;
    int64_t limit = deque_of(unwrap(self))->limit;
    *out = limit < 0 ? V_NONE : v_int(limit);
    return ST_OK;
}

static const AttrDef attrs[] = {{"maxlen", get_maxlen, NULL}, {0}};

static const NativeDef construct_row = {"deque", "iterable=?, maxlen=None", construct, "deque_slow", PURE};

static const NativeDef methods[] = {
    {"append", "self, object, /\nAdds an item at the right end.", method_append, NULL, PURE},
    {"appendleft", "self, object, /\nAdds an item at the left end.", method_appendleft, NULL, PURE},
    {"clear", "self, /\nRemoves all items.", method_clear, NULL, PURE},
    {"copy", "self, /\nA deque with the same items and limit.", defer, "deque_copy_slow", PURE},
    {"__copy__", "self, /", defer, "deque_copy_slow", PURE},
    {"__deepcopy__", "self, memo, /", defer, "deque_deepcopy_slow", PURE},
    {"count", "self, value, /\nHow many items are equal to a value.", method_count, "seq_count_slow", PURE},
    {"extend", "self, iterable, /\nAdds items at the right end.", method_extend, "deque_extend_slow", PURE},
    {"extendleft", "self, iterable, /\nAdds items at the left end, one after the other: they end up reversed.",
     method_extendleft, "deque_extendleft_slow", PURE},
    {"index", "self, value, start=?, stop=?, /\nThe position of the first item that is equal to a value.", method_index,
     "deque_index_slow", PURE},
    {"insert", "self, index, value, /\nPuts an item before a position.", method_insert, NULL, PURE},
    {"pop", "self, /\nTakes the rightmost item.", method_pop, NULL, PURE},
    {"popleft", "self, /\nTakes the leftmost item.", method_popleft, NULL, PURE},
    {"remove", "self, value, /\nRemoves the first item that is equal to a value.", method_remove, "deque_remove_slow", PURE},
    {"reverse", "self, /\nTurns the order of the items round.", method_reverse, NULL, PURE},
    {"rotate", "self, n=1, /\nMoves n items from the right end to the left end (from left to right if negative).",
     method_rotate, NULL, PURE},
    {"__init__", "self, iterable=?, maxlen=None", method_init, "deque_init_slow", PURE},
#define WITH_ORDER
#define WITH_CHANGE
#define WITH_REVERSED
#define DUNDER DUNDER_ROW
#include "vm/value/seq_dunders.def"
    {0},
};

const TypeSlots kind_DEQUE = {
    .visit = deque_visit,
    .drop = deque_drop,
    .size = deque_size,
    .binary = deque_binary,
    .compare = deque_compare,
    .truth = deque_truth,
    .hash = seq_unhashable,
    .len = deque_len,
    .getitem = deque_getitem,
    .setitem = deque_setitem,
    .delitem = deque_delitem,
    .contains = deque_contains,
    .iter = deque_iter,
    .repr = deque_repr,
    .construct = &construct_row,
    .methods = methods,
    .attrs = attrs,
    .doc = "deque([iterable[, maxlen]])\n\nA list that grows and shrinks at both ends in constant time.",
};
