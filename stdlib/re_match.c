// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The class re.Match. It stores positions in bytes, and returns them to scripts in characters.

#include <inttypes.h>
#include <string.h>

#include "stdlib/re.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static Match *match_of(Value v) {
    return (Match *)v.obj;
}

static size_t spans_bytes(uint32_t groups) {
    return 2 * ((size_t)groups + 1) * sizeof(size_t);
}

Status match_new(Vm *vm, Pattern *pattern, const ReText *text, Value *out) {
    Match *match = obj_new(vm, K_MATCH, sizeof *match + spans_bytes(pattern->groups));
    if (!match) return vm_no_memory(vm);
    match->pattern = (Pattern *)retain(v_obj(pattern)).obj;
    match->text = retain(text->given);
    match->value = retain(text->value);
    match->pos = text->pos;
    match->endpos = text->endpos;
    match->groups = pattern->groups;
    match->last = re_last_group(pattern);
    memcpy(match->spans, pattern->spans, spans_bytes(pattern->groups));
    *out = v_obj(match);
    return ST_OK;
}

static void match_visit(Obj *obj, Visitor *visitor) {
    visit_obj(visitor, ((Match *)obj)->pattern);
    visit_value(visitor, ((Match *)obj)->text);
    visit_value(visitor, ((Match *)obj)->value);
}

// Clears all references. The collector drops every object of a dead cycle before it frees them (free_garbage), so a
// match that something else still references may survive, empty, and is dropped again when it is freed.
static void match_drop(Vm *vm, Obj *obj) {
    Match *match = (Match *)obj;
    release_obj(vm, match->pattern);
    match->pattern = NULL;
    clear(vm, &match->text);
    clear(vm, &match->value);
}

static size_t match_size(const Obj *obj) {
    return sizeof(Match) + spans_bytes(((const Match *)obj)->groups);
}

// --- Groups ------------------------------------------------------------------------------------

static Status no_group(Vm *vm) {
    return vm_raise(vm, EXC_IndexError, "no such group");
}

// Returns the number of the group that an argument means: an index or a name. Raises IndexError if there is no such
// group.
static Status group_number(Vm *vm, const Match *match, Value which, uint32_t *out) {
    int64_t number;
    if (which.kind == K_INT) {
        number = which.i;
    } else if (unwrap(which).kind == K_STR) {
        Value found;
        Status st = dict_get(vm, match->pattern->groupindex.dict, unwrap(which), &found);
        if (st == ST_STOP) return no_group(vm);
        if (st != ST_OK) return st;
        number = found.i;
    } else {
        Status st = op_index(vm, which, &number);
        if (st == ST_DEFER) return st;
        if (st != ST_OK && !vm_error_is(vm, EXC_TypeError) && !vm_error_is(vm, EXC_IndexError)) return st;
        if (st != ST_OK) {
            vm_clear_error(vm);
            return no_group(vm);
        }
    }
    if (number < 0 || number > match->groups) return no_group(vm);
    *out = (uint32_t)number;
    return ST_OK;
}

static Status group_text(Vm *vm, const Match *match, uint32_t group, Value missing, Value *out) {
    size_t from = match->spans[2 * group];
    if (from != RE_UNSET) return re_piece(vm, match->value, from, match->spans[2 * group + 1], out);
    *out = retain(missing);
    return ST_OK;
}

static Status one_group(Vm *vm, const Match *match, Value which, Value *out) {
    uint32_t group;
    Status st = group_number(vm, match, which, &group);
    return st == ST_OK ? group_text(vm, match, group, V_NONE, out) : st;
}

// Tail-calls helper(what, match, argument), which does the parts that are written in the language.
static Status ask_helper(Vm *vm, const char *what, Value self, Value argument) {
    Str *name = str_text(vm, what);
    if (!name) return vm_no_memory(vm);
    const Value pass[3] = {v_obj(name), self, argument};
    Status st = vm_tail(vm, match_of(self)->pattern->helper, pass, 3);
    release_obj(vm, name);
    return st;
}

static Status groups_of(Vm *vm, const Match *match, const Tuple *which, Value *out) {
    if (which->len == 0) return group_text(vm, match, 0, V_NONE, out);
    if (which->len == 1) return one_group(vm, match, which->items[0], out);
    Tuple *tuple = tuple_new(vm, which->len);
    if (!tuple) return vm_no_memory(vm);
    Status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < which->len; i++)
        st = one_group(vm, match, which->items[i], &tuple->items[i]);
    if (st == ST_OK)
        *out = v_obj(tuple);
    else
        release_obj(vm, tuple);
    return st;
}

static Status m_group(Vm *vm, const Value *args, Value *out) {
    Status st = groups_of(vm, match_of(args[0]), args[1].tuple, out);
    return st == ST_DEFER ? ask_helper(vm, "group", args[0], args[1]) : st; // an argument's class defines __index__
}

static Status match_getitem(Vm *vm, Value self, Value key, Value *out) {
    return one_group(vm, match_of(self), key, out);
}

static Status m_groups(Vm *vm, const Value *args, Value *out) {
    const Match *match = match_of(args[0]);
    Tuple *tuple = tuple_new(vm, match->groups);
    if (!tuple) return vm_no_memory(vm);
    Status st = ST_OK;
    for (uint32_t i = 0; st == ST_OK && i < match->groups; i++)
        st = group_text(vm, match, i + 1, args[1], &tuple->items[i]);
    if (st == ST_OK)
        *out = v_obj(tuple);
    else
        release_obj(vm, tuple);
    return st;
}

static Status m_groupdict(Vm *vm, const Value *args, Value *out) {
    const Match *match = match_of(args[0]);
    Dict *dict = dict_new(vm);
    if (!dict) return vm_no_memory(vm);
    Status st = ST_OK;
    uint32_t at = 0;
    Value name, number, text;
    while (st == ST_OK && dict_next(match->pattern->groupindex.dict, &at, &name, &number)) {
        st = group_text(vm, match, (uint32_t)number.i, args[1], &text);
        if (st != ST_OK) break;
        st = dict_set(vm, dict, name, text);
        release(vm, text);
    }
    if (st == ST_OK)
        *out = v_obj(dict);
    else
        release_obj(vm, dict);
    return st;
}

// --- Places ------------------------------------------------------------------------------------

static int64_t place(Vm *vm, const Match *match, size_t which) {
    size_t byte = match->spans[which];
    if (byte == RE_UNSET) return -1;
    return (int64_t)re_char_at(vm, match->pattern, match->value, byte);
}

static Status place_of(Vm *vm, const Value *args, int end, Value *out) {
    uint32_t group;
    Status st = group_number(vm, match_of(args[0]), args[1], &group);
    if (st == ST_OK) *out = v_int(place(vm, match_of(args[0]), 2 * (size_t)group + (size_t)end));
    return st;
}

static Status m_start(Vm *vm, const Value *args, Value *out) {
    return place_of(vm, args, 0, out);
}
static Status m_end(Vm *vm, const Value *args, Value *out) {
    return place_of(vm, args, 1, out);
}

static Status span_of(Vm *vm, const Match *match, uint32_t group, Value *out) {
    Value pair[2];
    for (size_t i = 0; i < 2; i++) pair[i] = v_int(place(vm, match, 2 * (size_t)group + i));
    return tuple_of(vm, pair, 2, out);
}

static Status m_span(Vm *vm, const Value *args, Value *out) {
    uint32_t group;
    Status st = group_number(vm, match_of(args[0]), args[1], &group);
    return st == ST_OK ? span_of(vm, match_of(args[0]), group, out) : st;
}

static Status get_regs(Vm *vm, Value self, Value *out) {
    const Match *match = match_of(self);
    Tuple *tuple = tuple_new(vm, (size_t)match->groups + 1);
    if (!tuple) return vm_no_memory(vm);
    for (uint32_t i = 0; i <= match->groups; i++)
        if (span_of(vm, match, i, &tuple->items[i]) != ST_OK) {
            release_obj(vm, tuple);
            return ST_ERROR;
        }
    *out = v_obj(tuple);
    return ST_OK;
}

// --- Templates ---------------------------------------------------------------------------------

static bool put_text(Value text, size_t from, size_t to, Buf *out) {
    if (text.kind == K_STR)
        buf_put(out, text.str->data + from, to - from);
    else
        buf_put(out, text.bytes->data + from, to - from);
    return !out->failed;
}

Status re_fill(Vm *vm, const Tuple *template, Value text, const size_t *spans, uint32_t groups, Buf *out) {
    for (size_t i = 0; i < template->len; i++) {
        Value item = unwrap(template->items[i]);
        if (item.kind == K_INT && item.i >= 0 && item.i <= groups) {
            size_t from = spans[2 * item.i];
            if (from != RE_UNSET) put_text(text, from, spans[2 * item.i + 1], out);
        } else if (item.kind == text.kind) {
            put_text(item, 0, item.kind == K_STR ? item.str->len : item.bytes->len, out);
        } else {
            return vm_raise(vm, EXC_TypeError,
                            item.kind == K_STR || item.kind == K_BYTES
                                ? text.kind == K_STR ? "sequence item %zu: expected str instance, bytes found"
                                                     : "sequence item %zu: expected a bytes-like object, str found"
                                : "a template has texts and numbers of groups", i);
        }
    }
    return out->failed ? vm_no_memory(vm) : ST_OK;
}

Status re_fill_match(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_MATCH || args[1].kind != K_TUPLE)
        return vm_raise(vm, EXC_TypeError, "a match and a tuple are needed");
    const Match *match = match_of(args[0]);
    Value text = match->value;
    Buf buf;
    buf_init(&buf, &vm->mem);
    Status st = re_fill(vm, args[1].tuple, text, match->spans, match->groups, &buf);
    if (st == ST_OK) return text.kind == K_STR ? str_buf_out(vm, &buf, out) : bytes_buf_out(vm, &buf, out);
    buf_free(&buf);
    return st;
}

static Status m_expand(Vm *vm, const Value *args, Value *out) {
    (void)out;
    return ask_helper(vm, "expand", args[0], args[1]);
}

// --- As a kind ---------------------------------------------------------------------------------

static Status m_self(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = retain(args[0]);
    return ST_OK;
}

static const NativeDef methods[] = {
    {"group", "self, /, *args", m_group, NULL, PURE},
    {"groups", "self, default=None", m_groups, NULL, PURE},
    {"groupdict", "self, default=None", m_groupdict, NULL, PURE},
    {"start", "self, group=0, /", m_start, NULL, PURE},
    {"end", "self, group=0, /", m_end, NULL, PURE},
    {"span", "self, group=0, /", m_span, NULL, PURE},
    {"expand", "self, template", m_expand, NULL, PURE},
    {"__copy__", "self, /", m_self, NULL, PURE},
    {"__deepcopy__", "self, memo, /", m_self, NULL, PURE},
    {"__class_getitem__", "cls, item, /", m_self, NULL, PURE},
    {0},
};

static Status get_re(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(v_obj(match_of(self)->pattern));
    return ST_OK;
}
static Status get_string(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(match_of(self)->text);
    return ST_OK;
}
static Status get_pos(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(match_of(self)->pos);
    return ST_OK;
}
static Status get_endpos(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(match_of(self)->endpos);
    return ST_OK;
}
static Status get_lastindex(Vm *vm, Value self, Value *out) {
    (void)vm;
    uint32_t last = match_of(self)->last;
    *out = last ? v_int(last) : V_NONE;
    return ST_OK;
}
static Status get_lastgroup(Vm *vm, Value self, Value *out) {
    (void)vm;
    const Match *match = match_of(self);
    *out = match->last ? retain(match->pattern->names.tuple->items[match->last]) : V_NONE;
    return ST_OK;
}

static const AttrDef attrs[] = {
    {"re", get_re, NULL}, {"string", get_string, NULL}, {"pos", get_pos, NULL}, {"endpos", get_endpos, NULL},
    {"lastindex", get_lastindex, NULL}, {"lastgroup", get_lastgroup, NULL}, {"regs", get_regs, NULL}, {0},
};

static Status match_repr(Vm *vm, Value self, Buf *out, int depth) {
    const Match *match = match_of(self);
    Value text, shown;
    (void)depth;
    Status st = group_text(vm, match, 0, V_NONE, &text);
    if (st != ST_OK) return st;
    st = op_repr_value(vm, text, &shown);
    release(vm, text);
    if (st != ST_OK) return st;
    buf_printf(out, "<re.Match object; span=(%" PRId64 ", %" PRId64 "), match=", place(vm, match, 0),
               place(vm, match, 1));
    enum { MOST = 50 };
    size_t stop = str_offset(shown.str, MOST);
    buf_put(out, shown.str->data, stop < shown.str->len ? stop : shown.str->len);
    buf_putc(out, '>');
    release(vm, shown);
    return ST_OK;
}

const TypeSlots kind_MATCH = {
    .visit = match_visit, .drop = match_drop, .size = match_size, .getitem = match_getitem, .repr = match_repr,
    .methods = methods, .attrs = attrs, .doc = "The result of re.match() and re.search().\nMatch objects always have "
    "a boolean value of True.",
};
