// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// str.join; translate and maketrans; encode.

#include <string.h>

#include "vm/value/codec.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str_impl.h"

// --- join --------------------------------------------------------------------------------------

// Checks the items and adds up their sizes.
static Status join_size(Vm *vm, const Str *sep, const Value *items, size_t count, size_t *size) {
    *size = count ? (count - 1) * sep->len : 0;
    for (size_t i = 0; i < count; i++) {
        Str *item = str_of(items[i]);
        if (!item)
            return vm_raise(vm, EXC_TypeError,
                            "sequence item %zu: expected str instance, %s found", i,
                            type_name(vm, items[i]));
        *size += item->len;
    }
    return ST_OK;
}

static char *put(char *at, const Str *s) {
    memcpy(at, s->data, s->len);
    return at + s->len;
}

static Status join_items(Vm *vm, const Str *sep, const Value *items, size_t count, Value *out) {
    size_t size;
    if (join_size(vm, sep, items, count, &size) != ST_OK) return ST_ERROR;
    if (count == 0) return str_bytes_out(vm, "", 0, out);
    if (count == 1) return str_same(str_of(items[0]), out);
    Str *all = str_alloc(vm, size);
    if (!all) return vm_no_memory(vm);
    char *at = put(all->data, str_of(items[0]));
    for (size_t i = 1; i < count; i++) at = put(put(at, sep), str_of(items[i]));
    str_finish(all);
    return str_out(vm, all, out);
}

Status str_m_join(Vm *vm, const Value *args, Value *out) {
    Str *sep = self_str(args);
    Value items = args[1];
    if (items.kind == K_LIST)
        return join_items(vm, sep, items.list->items, items.list->len, out);
    if (items.kind == K_TUPLE)
        return join_items(vm, sep, items.tuple->items, items.tuple->len, out);
    Status st = op_to_list(vm, items, &items);
    if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError))
        return vm_raise(vm, EXC_TypeError, "can only join an iterable");
    if (st != ST_OK) return st;
    st = join_items(vm, sep, items.list->items, items.list->len, out);
    release(vm, items);
    return st;
}

// --- translate ---------------------------------------------------------------------------------

static Status put_code_point(Vm *vm, Value v, Buf *out) {
    int64_t cp;
    if (!int_to_i64(v, &cp) || cp < 0 || cp > 0x10FFFF)
        return vm_raise(vm, EXC_ValueError, "character mapping must be in range(0x110000)");
    buf_utf8(out, (uint32_t)cp);
    return ST_OK;
}

// ST_STOP: the table has nothing for the character.
static Status put_translated(Vm *vm, Value table, uint32_t cp, Buf *out) {
    Value to;
    Status st = op_getitem(vm, table, v_int(cp), &to);
    if (st == ST_TAIL) { // a __missing__
        vm_clear_tail(vm);
        return ST_DEFER;
    }
    if (st == ST_ERROR && vm_error_is(vm, EXC_LookupError)) {
        vm_clear_error(vm);
        return ST_STOP;
    }
    if (st != ST_OK) return st;
    Str *text = str_of(to);
    if (text)
        buf_put(out, text->data, text->len);
    else if (is_int(unwrap(to)))
        st = put_code_point(vm, unwrap(to), out);
    else if (to.kind != K_NONE)
        st = vm_raise(vm, EXC_TypeError, "character mapping must return integer, None or str");
    release(vm, to);
    return st;
}

Status str_m_translate(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    Buf buf;
    buf_init(&buf, &vm->mem);
    for (const char *at = s->data; at < str_end(s);) {
        const char *from = at;
        uint32_t cp = str_next(&at, str_end(s));
        Status st = put_translated(vm, args[1], cp, &buf);
        if (st == ST_OK) continue;
        if (st == ST_STOP) {
            buf_put(&buf, from, (size_t)(at - from));
            continue;
        }
        buf_free(&buf);
        return st;
    }
    return str_buf_out(vm, &buf, out);
}

// --- maketrans ---------------------------------------------------------------------------------

static Status add_pairs(Vm *vm, Dict *table, const Str *from, const Str *to) {
    if (from->chars != to->chars)
        return vm_raise(vm, EXC_ValueError,
                        "the first two maketrans arguments must have equal length");
    const char *x = from->data, *y = to->data;
    Status st = ST_OK;
    while (st == ST_OK && x < str_end(from)) {
        uint32_t key = str_next(&x, str_end(from));
        st = dict_set(vm, table, v_int(key), v_int(str_next(&y, str_end(to))));
    }
    return st;
}

static Status add_removed(Vm *vm, Dict *table, const Str *removed) {
    Status st = ST_OK;
    for (const char *at = removed->data; st == ST_OK && at < str_end(removed);)
        st = dict_set(vm, table, v_int(str_next(&at, str_end(removed))), V_NONE);
    return st;
}

static Status add_entry(Vm *vm, Dict *table, Value key, Value value) {
    Str *text = str_of(key);
    if (text && text->chars != 1)
        return vm_raise(vm, EXC_ValueError, "string keys in translate table must be of length 1");
    if (text) {
        const char *at = text->data;
        key = v_int(str_next(&at, str_end(text)));
    } else if (!is_int(unwrap(key))) {
        return vm_raise(vm, EXC_TypeError, "keys in translate table must be strings or integers");
    }
    return dict_set(vm, table, unwrap(key), value);
}

static Status add_dict(Vm *vm, Dict *table, Value from) {
    from = unwrap(from);
    if (from.kind != K_DICT)
        return vm_raise(vm, EXC_TypeError,
                        "if you give only one argument to maketrans it must be a dict");
    uint32_t pos = 0;
    Value key, value;
    Status st = ST_OK;
    while (st == ST_OK && dict_next(from.dict, &pos, &key, &value))
        st = add_entry(vm, table, key, value);
    return st;
}

static Status not_str(Vm *vm, int number, Value v) {
    return vm_raise(vm, EXC_TypeError, "maketrans() argument %d must be str, not %s", number,
                    argument_type_name(vm, v));
}

static Status fill_table(Vm *vm, Dict *table, const Value *args) {
    if (args[1].kind == K_UNDEF) return add_dict(vm, table, args[0]);
    Str *from = str_of(args[0]), *to = str_of(args[1]), *removed = str_of(args[2]);
    if (!to) return not_str(vm, 2, args[1]);
    if (args[2].kind != K_UNDEF && !removed) return not_str(vm, 3, args[2]);
    if (!from)
        return vm_raise(
            vm, EXC_TypeError,
            "first maketrans argument must be a string if there is a second argument");
    Status st = add_pairs(vm, table, from, to);
    return st == ST_OK && removed ? add_removed(vm, table, removed) : st;
}

Status str_m_maketrans(Vm *vm, const Value *args, Value *out) {
    Dict *table = dict_new(vm);
    if (!table) return vm_no_memory(vm);
    Status st = fill_table(vm, table, args + 1); // args[0] is the class
    if (st == ST_OK)
        *out = v_obj(table);
    else
        release_obj(vm, table);
    return st;
}

// --- encode ------------------------------------------------------------------------------------

Status str_m_encode(Vm *vm, const Value *args, Value *out) {
    const Str *encoding, *errors;
    Status st = codec_names(vm, "encode", args + 1, &encoding, &errors);
    return st == ST_OK ? codec_encode(vm, self_str(args), encoding, errors, out) : st;
}
