// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// dict: its slots, constructor and methods.

#include "vm/value/seq.h"
#include "vm/value/seq_impl.h"
#include "vm/value/set_impl.h"

// --- Memory ------------------------------------------------------------------------------------

static void slot_visit(Obj *obj, Visitor *visitor) {
    Value key, value;
    uint32_t pos = 0;
    while (dict_next((Dict *)obj, &pos, &key, &value)) {
        visit_value(visitor, key);
        visit_value(visitor, value);
    }
    if (obj->aux & DICT_OF_MODULE) visit_obj(visitor, ((ModuleDict *)obj)->module);
}

static void slot_drop(Vm *vm, Obj *obj) {
    dict_clear(vm, (Dict *)obj);
    if (!(obj->aux & DICT_OF_MODULE)) return;
    Module *module = ((ModuleDict *)obj)->module;
    ((ModuleDict *)obj)->module = NULL;
    release_obj(vm, module);
}

static size_t slot_size(const Obj *obj) {
    return obj->aux & DICT_OF_MODULE ? sizeof(ModuleDict) : sizeof(Dict);
}

// --- Slots -------------------------------------------------------------------------------------

static Status slot_len(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = self.dict->count;
    return ST_OK;
}

static Status slot_getitem(Vm *vm, Value self, Value key, Value *out) {
    Value found;
    Status st = dict_get(vm, self.dict, key, &found);
    if (st == ST_STOP) return vm_raise_key(vm, key);
    if (st == ST_OK) *out = retain(found);
    return st;
}

static Status slot_setitem(Vm *vm, Value self, Value key, Value value) {
    return dict_set(vm, self.dict, key, value);
}

static Status slot_delitem(Vm *vm, Value self, Value key) {
    Status st = dict_del(vm, self.dict, key);
    return st == ST_STOP ? vm_raise_key(vm, key) : st;
}

static Status slot_contains(Vm *vm, Value self, Value item, bool *out) {
    Value found;
    Status st = dict_get(vm, self.dict, item, &found);
    if (st != ST_OK && st != ST_STOP) return st;
    *out = st == ST_OK;
    return ST_OK;
}

static Status slot_iter(Vm *vm, Value self, Value *out) {
    return dict_iter_new(vm, VIEW_KEYS, false, self.dict, out);
}

static Status equal(Vm *vm, const Dict *a, const Dict *b, bool *out) {
    *out = a->count == b->count;
    for (uint32_t i = 0; i < a->used && *out; i++) {
        const DictEntry *e = &a->entries[i];
        uint32_t at;
        if (e->key.kind == K_UNDEF) continue;
        Status st = dict_find(vm, b, e->key, e->hash, &at);
        if (st == ST_OK) st = op_eq(vm, e->value, b->entries[at].value, out);
        if (st == ST_STOP) *out = false;
        if (st != ST_OK && st != ST_STOP) return st;
    }
    return ST_OK;
}

static Status slot_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    if (a.kind != K_DICT || b.kind != K_DICT || (op != CMP_EQ && op != CMP_NE)) return ST_NOTIMPL;
    bool same;
    Status st = equal(vm, a.dict, b.dict, &same);
    if (st == ST_OK) *out = v_bool(same == (op == CMP_EQ));
    return st;
}

static Status merged(Vm *vm, Value a, Value b, Value *out) {
    Dict *result = dict_copy(vm, a.dict);
    if (!result) return vm_no_memory(vm);
    Status st = dict_update(vm, result, b.dict);
    if (st == ST_OK) {
        *out = v_obj(result);
    } else {
        release_obj(vm, result);
    }
    return st;
}

static Status slot_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out) {
    if (op != BIN_OR || a.kind != K_DICT) return ST_NOTIMPL;
    if (in_place) {
        Status st = dict_update_from(vm, a.dict, b);
        if (st == ST_OK) *out = retain(a);
        return st;
    }
    return b.kind == K_DICT ? merged(vm, a, b, out) : ST_NOTIMPL;
}

static Status write_entries(Vm *vm, const Dict *dict, Buf *out, int depth) {
    Value key, value;
    uint32_t pos = 0;
    for (bool first = true; dict_next(dict, &pos, &key, &value); first = false) {
        if (!first) buf_puts(out, ", ");
        Status st = op_repr_nested(vm, key, out, depth + 1);
        if (st != ST_OK) return st;
        buf_puts(out, ": ");
        st = op_repr_nested(vm, value, out, depth + 1);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

static Status slot_repr(Vm *vm, Value self, Buf *out, int depth) {
    if (!repr_enter(self.obj)) {
        buf_puts(out, "{...}");
        return ST_OK;
    }
    buf_putc(out, '{');
    Status st = write_entries(vm, self.dict, out, depth);
    buf_putc(out, '}');
    repr_leave(self.obj);
    return st;
}

// --- Updating from anything --------------------------------------------------------------------

// Converts an item of the iterable to a list of two values, owned.
static Status pair_of(Vm *vm, Value item, size_t number, Value *list) {
    Status st = op_to_list(vm, item, list);
    if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError))
        return vm_raise(vm, EXC_TypeError,
                        "cannot convert dictionary update sequence element #%zu to a sequence",
                        number);
    if (st != ST_OK || list->list->len == 2) return st;
    vm_raise(vm, EXC_ValueError,
             "dictionary update sequence element #%zu has length %zu; 2 is required", number,
             list->list->len);
    release(vm, *list);
    return ST_ERROR;
}

static Status set_pair(Vm *vm, Dict *dict, Value item, size_t number) {
    if (item.kind == K_TUPLE && item.tuple->len == 2)
        return dict_set(vm, dict, item.tuple->items[0], item.tuple->items[1]);
    if (item.kind == K_LIST && item.list->len == 2)
        return dict_set(vm, dict, item.list->items[0], item.list->items[1]);
    Value list;
    Status st = pair_of(vm, item, number, &list);
    if (st != ST_OK) return st;
    st = dict_set(vm, dict, list.list->items[0], list.list->items[1]);
    if (st == ST_DEFER) op_put_back(vm, item, list);
    release(vm, list);
    return st;
}

// Lets an iterator start again: its items are the pairs of the dict, which were set from its items, `item` (consumed) and
// those that are left.
static Status pairs_again(Vm *vm, const Dict *dict, Value source, Value item) {
    Value list = V_UNDEF, pair, rest, both[2];
    uint32_t pos = 0;
    Status st = list_steal(vm, NULL, 0, &list);
    while (st == ST_OK && dict_next(dict, &pos, &both[0], &both[1])) {
        st = tuple_of(vm, both, 2, &pair);
        if (st == ST_OK) st = list_append(vm, list.list, pair);
    }
    if (st == ST_OK) st = list_append(vm, list.list, item);
    else release(vm, item);
    if (st == ST_OK) st = op_to_list(vm, source, &rest);
    if (st == ST_OK) {
        st = list_extend(vm, list.list, rest);
        release(vm, rest);
    }
    if (st == ST_OK) op_put_back(vm, source, list);
    release(vm, list);
    return st == ST_OK ? ST_DEFER : st;
}

// Sets the pairs of zip or enumerate in an empty dict, one by one.
static Status set_zipped(Vm *vm, Dict *dict, Value source) {
    Status st = ST_OK;
    for (size_t n = 0; st == ST_OK; n++) {
        Value item;
        st = kind_ITER.next(vm, source, &item);
        if (st != ST_OK) break;
        st = dict_set(vm, dict, item.tuple->items[0], item.tuple->items[1]);
        if (st == ST_DEFER) return pairs_again(vm, dict, source, item);
        release(vm, item);
        if (st == ST_OK) st = vm_poll_at(vm, n);
    }
    return st == ST_STOP ? ST_OK : st;
}

static bool gives_pairs(Value source) {
    if (source.kind != K_ITER || source.iter->over.kind == K_UNDEF) return false;
    if (source.obj->aux == ITER_ENUMERATE) return source.iter->over.kind == K_ITER;
    if (source.obj->aux != ITER_ZIP || source.iter->over.tuple->len != 2) return false;
    const Value *parts = source.iter->over.tuple->items;
    return parts[0].kind == K_ITER && parts[1].kind == K_ITER;
}

static Status update_from_pairs(Vm *vm, Dict *dict, Value source) {
    Value list;
    if (dict->count == 0 && gives_pairs(source)) return set_zipped(vm, dict, source);
    Status st = op_to_list(vm, source, &list);
    if (st != ST_OK) return st;
    for (size_t i = 0; i < list.list->len && st == ST_OK; i++)
        st = set_pair(vm, dict, list.list->items[i], i);
    if (st == ST_DEFER) op_put_back(vm, source, list);
    release(vm, list);
    return st;
}

// Returns whether methods written in the language define the object's items.
static bool has_own_protocol(const Vm *vm, Value v) {
    return op_user_method(vm, v, NAME_iter) || op_user_method(vm, v, NAME_getitem);
}

Status dict_update_from(Vm *vm, Dict *dict, Value source) {
    if (has_own_protocol(vm, source)) return ST_DEFER;
    Value inner = unwrap(source);
    if (inner.kind == K_DICT) return dict_update(vm, dict, inner.dict);
    if (inner.kind == K_INSTANCE) return ST_DEFER; // it may have keys()
    return update_from_pairs(vm, dict, source);
}

// Implements dict(iterable, **kwargs) and d.update(iterable, **kwargs).
static Status update_with(Vm *vm, Dict *dict, Value iterable, Value kwargs) {
    Status st = iterable.kind == K_UNDEF ? ST_OK : dict_update_from(vm, dict, iterable);
    if (st == ST_OK && kwargs.dict->count) st = dict_update(vm, dict, kwargs.dict);
    return st;
}

static Status construct(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind == K_UNDEF) { // the dict of keywords is a new one already
        *out = retain(args[1]);
        return ST_OK;
    }
    Dict *dict = dict_new(vm);
    if (!dict) return vm_no_memory(vm);
    Status st = update_with(vm, dict, args[0], args[1]);
    if (st == ST_OK) {
        *out = v_obj(dict);
    } else {
        release_obj(vm, dict);
    }
    return st;
}

// --- Methods -----------------------------------------------------------------------------------

static Status none(Status st, Value *out) {
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static Status method_clear(Vm *vm, const Value *args, Value *out) {
    Dict *dict = args[0].dict;
    while (dict->gc.obj.aux & DICT_OF_MODULE && dict->used) dict_remove_entry(vm, dict, dict->used - 1);
    dict_clear(vm, dict);
    return none(ST_OK, out);
}

static Status method_copy(Vm *vm, const Value *args, Value *out) {
    Dict *copy = dict_copy(vm, args[0].dict);
    if (!copy) return vm_no_memory(vm);
    *out = v_obj(copy);
    return ST_OK;
}

static Status method_get(Vm *vm, const Value *args, Value *out) {
    Value found;
    Status st = dict_get(vm, args[0].dict, args[1], &found);
    if (st != ST_OK && st != ST_STOP) return st;
    *out = retain(st == ST_OK ? found : args[2]);
    return ST_OK;
}

static Status method_setdefault(Vm *vm, const Value *args, Value *out) {
    Dict *dict = args[0].dict;
    int64_t hash;
    uint32_t entry;
    Status st = key_hash(vm, args[1], &hash);
    if (st == ST_OK) st = dict_find(vm, dict, args[1], hash, &entry);
    if (st == ST_OK) {
        *out = retain(dict->entries[entry].value);
    } else if (st == ST_STOP) {
        st = dict_set_hashed(vm, dict, args[1], hash, args[2]);
        if (st == ST_OK) *out = retain(args[2]);
    }
    return st;
}

static Status method_pop(Vm *vm, const Value *args, Value *out) {
    Dict *dict = args[0].dict;
    Status st = dict->count ? dict_pop(vm, dict, args[1], out) : ST_STOP;
    if (st != ST_STOP) return st;
    if (args[2].kind == K_UNDEF) return vm_raise_key(vm, args[1]);
    *out = retain(args[2]);
    return ST_OK;
}

static Status empty_popitem(Vm *vm) {
    Str *text = str_text(vm, "popitem(): dictionary is empty");
    if (!text) return vm_no_memory(vm);
    vm_raise_key(vm, v_obj(text));
    release_obj(vm, text);
    return ST_ERROR;
}

static Status method_popitem(Vm *vm, const Value *args, Value *out) {
    Dict *dict = args[0].dict;
    if (dict->count == 0) return empty_popitem(vm);
    Tuple *pair = tuple_new(vm, 2);
    if (!pair) return vm_no_memory(vm);
    uint32_t last = dict->used - 1; // never a hole: holes at the end are removed at once
    dict_take_entry(vm, dict, last, &pair->items[0], &pair->items[1]);
    *out = v_obj(pair);
    return ST_OK;
}

static Status method_update(Vm *vm, const Value *args, Value *out) {
    return none(update_with(vm, args[0].dict, args[1], args[2]), out);
}

static Status method_keys(Vm *vm, const Value *args, Value *out) {
    return dict_view_new(vm, VIEW_KEYS, args[0].dict, out);
}

static Status method_values(Vm *vm, const Value *args, Value *out) {
    return dict_view_new(vm, VIEW_VALUES, args[0].dict, out);
}

static Status method_items(Vm *vm, const Value *args, Value *out) {
    return dict_view_new(vm, VIEW_ITEMS, args[0].dict, out);
}

static Status set_all(Vm *vm, Dict *dict, const List *keys, Value value) {
    Status st = ST_OK;
    for (size_t i = 0; i < keys->len && st == ST_OK; i++)
        st = dict_set(vm, dict, keys->items[i], value);
    return st;
}

// For derived classes, the slow path makes the instance.
static Status method_fromkeys(Vm *vm, const Value *args, Value *out) {
    Value list;
    if (args[0].kind != K_CLASS || args[0].cls != vm->classes[K_DICT]) return ST_DEFER;
    Status st = op_to_list(vm, args[1], &list);
    if (st != ST_OK) return st;
    Dict *dict = dict_new(vm);
    st = dict ? set_all(vm, dict, list.list, args[2]) : vm_no_memory(vm);
    if (st == ST_DEFER) op_put_back(vm, args[1], list);
    release(vm, list);
    if (st == ST_OK) {
        *out = v_obj(dict);
    } else {
        release_obj(vm, dict);
    }
    return st;
}

// --- Operators as methods, for derived classes that call their base ------------------------------

// Defers for an absent key. self is the dict inside an instance here; the slow path gets the instance, whose class may
// have a __missing__.
static Status method_getitem(Vm *vm, const Value *args, Value *out) {
    Value found;
    Status st = dict_get(vm, args[0].dict, args[1], &found);
    if (st == ST_OK) *out = retain(found);
    return st == ST_STOP ? ST_DEFER : st;
}

static Status method_setitem(Vm *vm, const Value *args, Value *out) {
    return none(dict_set(vm, args[0].dict, args[1], args[2]), out);
}

static Status method_delitem(Vm *vm, const Value *args, Value *out) {
    return none(slot_delitem(vm, args[0], args[1]), out);
}

static Status method_contains(Vm *vm, const Value *args, Value *out) {
    bool found = false;
    Status st = slot_contains(vm, args[0], args[1], &found);
    if (st == ST_OK) *out = v_bool(found);
    return st;
}

static Status method_len(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = v_int(args[0].dict->count);
    return ST_OK;
}

static Status method_iter(Vm *vm, const Value *args, Value *out) {
    return slot_iter(vm, args[0], out);
}

static Status method_reversed(Vm *vm, const Value *args, Value *out) {
    return dict_iter_new(vm, VIEW_KEYS, true, args[0].dict, out);
}

static Status or_not_implemented(Status st, Value *out) {
    if (st != ST_NOTIMPL) return st;
    *out = V_NOTIMPLEMENTED;
    return ST_OK;
}

static Status method_eq(Vm *vm, const Value *args, Value *out) {
    return or_not_implemented(slot_compare(vm, CMP_EQ, args[0], unwrap(args[1]), out), out);
}

static Status method_ne(Vm *vm, const Value *args, Value *out) {
    return or_not_implemented(slot_compare(vm, CMP_NE, args[0], unwrap(args[1]), out), out);
}

static Status method_or(Vm *vm, const Value *args, Value *out) {
    return or_not_implemented(slot_binary(vm, BIN_OR, false, args[0], unwrap(args[1]), out), out);
}

static Status method_ror(Vm *vm, const Value *args, Value *out) {
    return or_not_implemented(slot_binary(vm, BIN_OR, false, unwrap(args[1]), args[0], out), out);
}

static Status method_ior(Vm *vm, const Value *args, Value *out) {
    return slot_binary(vm, BIN_OR, true, args[0], args[1], out);
}

static Status method_repr(Vm *vm, const Value *args, Value *out) {
    return op_repr_value(vm, args[0], out);
}

static const NativeDef dict_methods[] = {
    {"clear", "self, /", method_clear, NULL, PURE},
    {"copy", "self, /", method_copy, NULL, PURE},
    {"fromkeys", "cls, iterable, value=None, /", method_fromkeys, "dict_fromkeys_slow", PURE},
    {"get", "self, key, default=None, /", method_get, "dict_get_slow", PURE},
    {"items", "self, /", method_items, NULL, PURE},
    {"keys", "self, /", method_keys, NULL, PURE},
    {"pop", "self, key, default=?, /", method_pop, "dict_pop_slow", PURE},
    {"popitem", "self, /", method_popitem, NULL, PURE},
    {"setdefault", "self, key, default=None, /", method_setdefault, "dict_setdefault_slow", PURE},
    {"update", "self, iterable=?, /, **kwargs", method_update, "dict_update_slow", PURE},
    {"values", "self, /", method_values, NULL, PURE},
    {"__init__", "self, iterable=?, /, **kwargs", method_update, "dict_update_slow", PURE},
    {"__getitem__", "self, key, /", method_getitem, "dict_getitem_slow", PURE},
    {"__setitem__", "self, key, value, /", method_setitem, "dict_setitem_slow", PURE},
    {"__delitem__", "self, key, /", method_delitem, "dict_delitem_slow", PURE},
    {"__contains__", "self, key, /", method_contains, "dict_contains_slow", PURE},
    {"__len__", "self, /", method_len, NULL, PURE},
    {"__iter__", "self, /", method_iter, NULL, PURE},
    {"__reversed__", "self, /", method_reversed, NULL, PURE},
    {"__eq__", "self, value, /", method_eq, "dict_eq_slow", PURE},
    {"__ne__", "self, value, /", method_ne, "dict_ne_slow", PURE},
    {"__or__", "self, value, /", method_or, "dict_or_slow", PURE},
    {"__ror__", "self, value, /", method_ror, "dict_ror_slow", PURE},
    {"__ior__", "self, value, /", method_ior, "dict_ior_slow", PURE},
    {"__repr__", "self, /", method_repr, "repr_slow", PURE},
    {0},
};

static const NativeDef dict_construct = {"dict", "iterable=?, /, **kwargs", construct, "dict_slow",
                                         PURE};

const TypeSlots kind_DICT = {
    .visit = slot_visit,
    .drop = slot_drop,
    .size = slot_size,
    .binary = slot_binary,
    .compare = slot_compare,
    .hash = seq_unhashable,
    .len = slot_len,
    .getitem = slot_getitem,
    .setitem = slot_setitem,
    .delitem = slot_delitem,
    .contains = slot_contains,
    .iter = slot_iter,
    .repr = slot_repr,
    .construct = &dict_construct,
    .methods = dict_methods,
};
