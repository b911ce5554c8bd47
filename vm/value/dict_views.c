// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Views of dictionaries (keys, values, items), with the set operations of keys and items, and the
// iterators over dictionaries.

#include "vm/value/identity.h"
#include "vm/value/object.h"
#include "vm/value/seq.h"
#include "vm/value/seq_impl.h"
#include "vm/value/set_impl.h"

const char *const dict_view_names[3] = {"dict_keys", "dict_values", "dict_items"};

// --- Iterators ---------------------------------------------------------------------------------
// Fields of Iter. index: the next entry (reversed: the one after it); version: the number of entries, which must not
// change; step: see below; extra: the last pair returned, reused if nothing else holds it.

// it->step: the DictViewRole in the low ROLE_BITS, and above it the number of entries that are still expected.
enum { ROLE_BITS = 2, ONE_ENTRY = 1 << ROLE_BITS, ROLE_MASK = ONE_ENTRY - 1 };

Status dict_iter_new(Vm *vm, DictViewRole role, bool reversed, Dict *dict, Value *out) {
    static const IterRole roles[] = {ITER_DICT_KEYS, ITER_DICT_VALUES, ITER_DICT_ITEMS};
    Iter *it = iter_new(vm, reversed ? ITER_DICT_REVERSED : roles[role], v_obj(dict));
    if (!it) return vm_no_memory(vm);
    it->index = reversed ? dict->used : 0;
    it->step = role | (int64_t)dict->count << ROLE_BITS;
    it->version = dict->count;
    *out = v_obj(it);
    return ST_OK;
}

static bool step_back(const Dict *dict, int64_t *index, Value *key, Value *value) {
    if (*index > dict->used) *index = dict->used;
    while (*index > 0) {
        const DictEntry *e = &dict->entries[--*index];
        if (e->key.kind == K_UNDEF) continue;
        *key = e->key;
        *value = e->value;
        return true;
    }
    return false;
}

static Status next_pair(Vm *vm, Iter *it, Value key, Value value, Value *out) {
    if (it->extra.kind == K_TUPLE && it->extra.obj->refs == 1) {
        Value *pair = it->extra.tuple->items;
        replace(vm, &pair[0], retain(key));
        replace(vm, &pair[1], retain(value));
    } else {
        const Value pair[2] = {key, value};
        Value fresh;
        if (tuple_of(vm, pair, 2, &fresh) != ST_OK) return ST_ERROR;
        replace(vm, &it->extra, fresh);
    }
    *out = retain(it->extra);
    return ST_OK;
}

Status dict_iter_entry(Vm *vm, Iter *it, Value *key, Value *value) {
    if (it->over.kind == K_UNDEF) return ST_STOP;
    const Dict *dict = it->over.dict;
    if (it->version != dict->count) {
        it->version = UINT32_MAX; // later steps raise, too
        return vm_raise(vm, EXC_RuntimeError, "dictionary changed size during iteration");
    }
    uint32_t pos = (uint32_t)it->index;
    bool more = it->gc.obj.aux == ITER_DICT_REVERSED ? step_back(dict, &it->index, key, value)
                                                     : dict_next(dict, &pos, key, value);
    if (!more) {
        clear(vm, &it->over);
        clear(vm, &it->extra);
        return ST_STOP;
    }
    if (it->gc.obj.aux == ITER_DICT_REVERSED) return ST_OK;
    if (it->step < ONE_ENTRY) // one more entry than there were at first
        return vm_raise(vm, EXC_RuntimeError, "dictionary keys changed during iteration");
    it->step -= ONE_ENTRY;
    it->index = pos;
    return ST_OK;
}

int64_t dict_iter_left(const Iter *it) {
    const Dict *dict = it->over.dict;
    int64_t left = 0;
    if (it->version != dict->count) return 0;
    if (it->gc.obj.aux != ITER_DICT_REVERSED) return it->step >> ROLE_BITS;
    for (uint32_t i = 0; i < it->index && i < dict->used; i++) left += dict->entries[i].key.kind != K_UNDEF;
    return left;
}

Status dict_iter_next(Vm *vm, Iter *it, Value *out) {
    Value key, value;
    Status st = dict_iter_entry(vm, it, &key, &value);
    if (st != ST_OK) return st;
    int64_t role = it->step & ROLE_MASK;
    if (role == VIEW_ITEMS) return next_pair(vm, it, key, value, out);
    *out = retain(role == VIEW_KEYS ? key : value);
    return ST_OK;
}

// --- Views -------------------------------------------------------------------------------------

Status dict_view_new(Vm *vm, DictViewRole role, Dict *dict, Value *out) {
    DictView *view = obj_new(vm, K_DICTVIEW, sizeof *view);
    if (!view) return vm_no_memory(vm);
    view->gc.obj.aux = (uint16_t)role;
    view->dict = retain(v_obj(dict)).dict;
    *out = v_obj(view);
    return ST_OK;
}

static Dict *dict_of(Value view) {
    return ((DictView *)view.obj)->dict;
}
static DictViewRole role_of(Value view) {
    return (DictViewRole)view.obj->aux;
}

static void slot_visit(Obj *obj, Visitor *visitor) {
    visit_obj(visitor, ((DictView *)obj)->dict);
}

static void slot_drop(Vm *vm, Obj *obj) {
    DictView *view = (DictView *)obj;
    Dict *dict = view->dict;
    view->dict = NULL;
    release_obj(vm, dict);
}

static size_t slot_size(const Obj *obj) {
    (void)obj;
    return sizeof(DictView);
}

static Status slot_len(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = dict_of(self)->count;
    return ST_OK;
}

static Status slot_iter(Vm *vm, Value self, Value *out) {
    return dict_iter_new(vm, role_of(self), false, dict_of(self), out);
}

static Status has_item(Vm *vm, Dict *dict, Value item, bool *out) {
    item = unwrap(item);
    Value held;
    *out = false;
    if (item.kind != K_TUPLE || item.tuple->len != 2) return ST_OK;
    Status st = dict_get(vm, dict, item.tuple->items[0], &held);
    if (st == ST_STOP) return ST_OK;
    return st == ST_OK ? op_eq(vm, held, item.tuple->items[1], out) : st;
}

static Status has_value(Vm *vm, const Dict *dict, Value item, bool *out) {
    Value key, value;
    uint32_t pos = 0;
    Status st = ST_OK;
    *out = false;
    while (st == ST_OK && !*out && dict_next(dict, &pos, &key, &value))
        st = op_eq(vm, value, item, out);
    return st;
}

static Status slot_contains(Vm *vm, Value self, Value item, bool *out) {
    Dict *dict = dict_of(self);
    if (role_of(self) == VIEW_ITEMS) return has_item(vm, dict, item, out);
    if (role_of(self) == VIEW_VALUES) return has_value(vm, dict, item, out);
    Value held;
    Status st = dict_get(vm, dict, item, &held);
    if (st != ST_OK && st != ST_STOP) return st;
    *out = st == ST_OK;
    return ST_OK;
}

static Status write_entries(Vm *vm, Value self, Buf *out, int depth) {
    Value key, value;
    uint32_t pos = 0;
    DictViewRole role = role_of(self);
    for (bool first = true; dict_next(dict_of(self), &pos, &key, &value); first = false) {
        if (!first) buf_puts(out, ", ");
        if (role == VIEW_ITEMS) buf_putc(out, '(');
        Status st = op_repr_nested(vm, role == VIEW_VALUES ? value : key, out, depth + 1);
        if (st == ST_OK && role == VIEW_ITEMS) {
            buf_puts(out, ", ");
            st = op_repr_nested(vm, value, out, depth + 1);
            buf_putc(out, ')');
        }
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

static Status slot_repr(Vm *vm, Value self, Buf *out, int depth) {
    if (!repr_enter(self.obj)) {
        buf_puts(out, "...");
        return ST_OK;
    }
    buf_printf(out, "%s([", dict_view_names[role_of(self)]);
    Status st = write_entries(vm, self, out, depth);
    buf_puts(out, "])");
    repr_leave(self.obj);
    return st;
}

// --- Views as sets -----------------------------------------------------------------------------

static bool is_set_view(Value v) {
    return v.kind == K_DICTVIEW && role_of(v) != VIEW_VALUES;
}

// Makes a set of the elements of a view or of any iterable; retains a value that is a set already.
static Status as_set(Vm *vm, Value v, Value *out) {
    if (!is_set(v)) return set_from(vm, v, false, out);
    *out = retain(v);
    return ST_OK;
}

static int64_t size_of(Value v) {
    return is_set(v) ? v.set->used : is_set_view(v) ? (int64_t)dict_of(v)->count : -1;
}

static Status compare_sets(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    Value left, right;
    Status st = as_set(vm, a, &left);
    if (st != ST_OK) return st;
    st = as_set(vm, b, &right);
    if (st == ST_OK) {
        st = set_order(vm, op, left.set, right.set, out);
        release(vm, right);
    }
    release(vm, left);
    return st;
}

static Status slot_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    if (!is_set_view(a) || (!is_set(b) && !is_set_view(b))) return ST_NOTIMPL;
    if ((op == CMP_EQ || op == CMP_NE) && size_of(a) != size_of(b)) {
        *out = v_bool(op == CMP_NE);
        return ST_OK;
    }
    return compare_sets(vm, op, a, b, out);
}

// Makes a set of the elements of `other` that are in `in` (a view or a set), in other's order.
static Status common_elements(Vm *vm, Value in, Value other, Value *out) {
    Value list;
    Status st = op_to_list(vm, other, &list);
    if (st != ST_OK) return st;
    Set *set = set_new(vm, false);
    if (!set) st = vm_no_memory(vm);
    for (size_t i = 0; st == ST_OK && i < list.list->len; i++) {
        bool found = false;
        st = op_contains(vm, in, list.list->items[i], &found);
        if (st == ST_OK && found) st = set_add(vm, set, list.list->items[i]);
    }
    if (st == ST_DEFER) op_put_back(vm, other, list);
    release(vm, list);
    if (st == ST_OK) {
        *out = v_obj(set);
    } else {
        release_obj(vm, set);
    }
    return st;
}

// Intersects. As in CPython, elements are taken from `a` if `b` is larger (a set: as large, too), else from `b`.
static Status view_and(Vm *vm, Value a, Value b, Value *out) {
    if (is_set_view(a) && size_of(b) > size_of(a) - (b.kind == K_SET)) return common_elements(vm, b, a, out);
    return common_elements(vm, a, b, out);
}

// Copies the left operand (a view, a set or an iterable, as in `list - view`), and changes the copy by the right one.
static Status change_copy(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    Value set;
    Status st = set_from(vm, a, false, &set);
    if (st != ST_OK) return st;
    st = op == BIN_OR    ? set_update(vm, set.set, b)
         : op == BIN_SUB ? set_difference_update(vm, set.set, b)
                         : set_symmetric_difference_update(vm, set.set, b);
    if (st == ST_OK) {
        *out = set;
    } else {
        release(vm, set);
    }
    return st;
}

static bool is_set_operator(BinaryOp op) {
    return op == BIN_OR || op == BIN_AND || op == BIN_SUB || op == BIN_XOR;
}

static Status slot_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    (void)in_place;
    if (!is_set_operator(op) || (!is_set_view(a) && !is_set_view(b))) return ST_NOTIMPL;
    if (a.kind == K_ITER) return ST_DEFER; // iterating uses it up, and the other operand may defer after that
    if (op == BIN_AND) return is_set_view(a) ? view_and(vm, a, b, out) : view_and(vm, b, a, out);
    return change_copy(vm, op, a, b, out);
}

// --- Methods -----------------------------------------------------------------------------------

static Status method_isdisjoint(Vm *vm, const Value *args, Value *out) {
    Value common;
    Status st = view_and(vm, args[0], unwrap(args[1]), &common);
    if (st != ST_OK) return st;
    *out = v_bool(common.set->used == 0);
    release(vm, common);
    return ST_OK;
}

static Status method_reversed(Vm *vm, const Value *args, Value *out) {
    return dict_iter_new(vm, role_of(args[0]), true, dict_of(args[0]), out);
}

static const NativeDef view_methods[] = {
    {"isdisjoint", "self, other, /", method_isdisjoint, "dict_view_isdisjoint_slow", PURE},
    {"__reversed__", "self, /", method_reversed, NULL, PURE},
    {0},
};

static Status view_hash(Vm *vm, Value self, int64_t *out) {
    if (is_set_view(self)) return seq_unhashable(vm, self, out);
    return identity_hash(vm, self, out);
}

static Status attr_mapping(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(dict_of(self)));
    return ST_OK;
}

static const AttrDef view_attrs[] = {{"mapping", attr_mapping, NULL}, {0}};

const TypeSlots kind_DICTVIEW = {
    .visit = slot_visit,
    .drop = slot_drop,
    .size = slot_size,
    .binary = slot_binary,
    .compare = slot_compare,
    .hash = view_hash,
    .len = slot_len,
    .contains = slot_contains,
    .iter = slot_iter,
    .repr = slot_repr,
    .methods = view_methods,
    .attrs = view_attrs,
};
