// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// __slots__. All instances store attributes in slots, so __slots__ only restricts which attributes there may be.

#include "vm/value/slots.h"

#include <string.h>

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// Converts __slots__, a str or an iterable with a native iterator, to a tuple of its names.
static Status texts_of(Vm *vm, Value slots, Value *out) {
    if (slots.kind == K_STR) return tuple_of(vm, &slots, 1, out);
    if (slots.kind == K_TUPLE) {
        *out = retain(slots);
        return ST_OK;
    }
    Value it, next;
    Status st = op_iter(vm, slots, &it);
    if (st == ST_DEFER)
        return vm_raise(vm, EXC_NotImplementedError, "__slots__ must be a built-in container");
    if (st != ST_OK) return st;
    List *list = list_new(vm, 0);
    st = list ? ST_OK : vm_no_memory(vm);
    while (st == ST_OK && (st = op_next(vm, it, &next)) == ST_OK) st = list_append(vm, list, next);
    release(vm, it);
    if (st == ST_STOP) st = tuple_of(vm, list->items, (uint32_t)list->len, out);
    else if (st == ST_DEFER)
        st = vm_raise(vm, EXC_NotImplementedError, "__slots__ must be a built-in container");
    release_obj(vm, list);
    return st;
}

static bool is_identifier(const Str *text) {
    if (text->len == 0 || (text->data[0] >= '0' && text->data[0] <= '9')) return false;
    for (uint32_t i = 0; i < text->len; i++) {
        unsigned char c = (unsigned char)text->data[i];
        bool word = c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                    (c >= 'A' && c <= 'Z');
        if (!word) return false;
    }
    return true;
}

// Mangles a private name: __x of class C becomes _C__x. Returns the name owned and interned; NULL: no memory.
static Str *mangled(Vm *vm, const Class *cls, Str *name) {
    const char *own = cls->name->data;
    while (*own == '_') own++;
    bool is_private = name->len > 2 && memcmp(name->data, "__", 2) == 0 &&
                      memcmp(name->data + name->len - 2, "__", 2) != 0 && *own;
    if (!is_private) return str_intern_str(vm, name);
    Buf buf;
    buf_init(&buf, &vm->mem);
    buf_printf(&buf, "_%s%s", own, name->data);
    Str *made = buf.failed ? NULL : str_intern(vm, buf.data, buf.len);
    buf_free(&buf);
    return made;
}

static Status check_slot(Vm *vm, const Class *cls, Value name) {
    if (name.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "__slots__ items must be strings, not '%s'",
                        type_name(vm, name));
    if (!is_identifier(name.str)) return vm_raise(vm, EXC_TypeError, "__slots__ must be identifiers");
    (void)cls;
    return ST_OK;
}

static bool has_dict(const Class *cls) {
    if (cls->flags & CLASS_EXCEPTION) return true;
    return cls->flags & CLASS_USER && !(cls->flags & CLASS_NO_DICT);
}

static bool any_base_has_dict(const Class *cls) {
    for (uint32_t i = 0; i < cls->base_count; i++)
        if (has_dict(cls->bases[i])) return true;
    return false;
}

// Adds a name of __slots__ to the list of attributes. __dict__ sets *wants_dict instead, and __weakref__ is left out.
static Status take_name(Vm *vm, const Class *cls, Value text, List *names, bool *wants_dict) {
    if (check_slot(vm, cls, text) != ST_OK) return ST_ERROR;
    Str *name = mangled(vm, cls, text.str);
    if (!name) return vm_no_memory(vm);
    if (str_is(name, "__dict__") || str_is(name, "__weakref__")) {
        *wants_dict |= name->data[2] == 'd';
        release_obj(vm, name);
        return ST_OK;
    }
    bool special = str_is(name, "__classcell__") || str_is(name, "__qualname__");
    Status st = list_append(vm, names, v_obj(name)); // holds it from now on
    if (st == ST_OK && !special && dict_get_str(cls->dict, name).kind != K_UNDEF)
        st = vm_raise(vm, EXC_ValueError, "'%s' in __slots__ conflicts with class variable", name->data);
    return st;
}

static Status take_names(Vm *vm, Class *cls, const Tuple *texts, bool *wants_dict) {
    Value slots;
    List *names = list_new(vm, texts->len);
    Status st = vm_check(vm, names);
    for (size_t i = 0; st == ST_OK && i < texts->len; i++)
        st = take_name(vm, cls, texts->items[i], names, wants_dict);
    if (st == ST_OK) st = tuple_of(vm, names->items, (uint32_t)names->len, &slots);
    if (st == ST_OK) cls->slots = slots.tuple;
    release_obj(vm, names);
    return st;
}

static bool has_items(Kind payload) {
    return payload == K_INT || payload == K_TUPLE || payload == K_BYTES;
}

Status class_slots(Vm *vm, Class *cls) {
    Value slots = dict_get_str(cls->dict, vm_name(vm, NAME_slots)), texts;
    if (slots.kind == K_UNDEF) return ST_OK;
    if (texts_of(vm, slots, &texts) != ST_OK) return ST_ERROR;
    bool wants_dict = false;
    Status st = take_names(vm, cls, texts.tuple, &wants_dict);
    release(vm, texts);
    if (st != ST_OK) return st;
    if (cls->slots->len > 0 && has_items(cls->payload_kind))
        return vm_raise(vm, EXC_TypeError, "nonempty __slots__ not supported for subtype of '%s'",
                        cls->base->name->data);
    if (wants_dict && any_base_has_dict(cls))
        return vm_raise(vm, EXC_TypeError, "__dict__ slot disallowed: we already got one");
    if (!wants_dict && !any_base_has_dict(cls)) cls->flags |= CLASS_NO_DICT;
    if (cls->slots->len > 0) cls->solid = cls;
    return ST_OK;
}

bool class_has_slot(const Class *cls, const Str *name) {
    for (uint32_t i = 0; i < cls->mro_count; i++) {
        const Tuple *slots = cls->mro[i]->slots;
        for (size_t k = 0; slots && k < slots->len; k++)
            if (slots->items[k].str == name) return true;
    }
    return false;
}
