// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _re: the class re.Pattern, and how its methods read their text arguments.

#include <inttypes.h>
#include <string.h>

#include "stdlib/re.h"
#include "stdlib/stdlib.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/seq_impl.h"
#include "vm/value/str.h"

// --- Texts -------------------------------------------------------------------------------------

static size_t count_chars(const char *at, size_t len) {
    const uint64_t ones = 0x0101010101010101u;
    size_t continuing = 0, i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word;
        memcpy(&word, at + i, 8);
        continuing += (((word >> 7 & ~(word >> 6)) & ones) * ones) >> 56;
    }
    for (; i < len; i++) continuing += ((unsigned char)at[i] & 0xC0) == 0x80;
    return len - continuing;
}

// Prepares the cached position for a text. The next conversion of an index counts characters from the cached position,
// so that converting one index after the other takes linear time in all.
static void start_at(Vm *vm, Pattern *pattern, Value text) {
    if (pattern->place_text.kind == K_STR && pattern->place_text.str == text.str) return;
    replace(vm, &pattern->place_text, retain(text));
    pattern->place_byte = pattern->place_char = 0;
}

size_t re_char_at(Vm *vm, Pattern *pattern, Value text, size_t byte) {
    if (text.kind == K_BYTES || str_is_ascii(text.str)) return byte;
    start_at(vm, pattern, text);
    const char *data = text.str->data;
    size_t from = pattern->place_byte;
    if (byte >= from)
        pattern->place_char += count_chars(data + from, byte - from);
    else if (byte > from / 2)
        pattern->place_char -= count_chars(data + byte, from - byte);
    else
        pattern->place_char = count_chars(data, byte);
    pattern->place_byte = byte;
    return pattern->place_char;
}

static size_t step_back(const char *data, size_t at) {
    do at--;
    while (((unsigned char)data[at] & 0xC0) == 0x80);
    return at;
}

static size_t step_on(const char *data, size_t at) {
    unsigned char first = (unsigned char)data[at];
    return at + (first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4);
}

size_t re_byte_at(Vm *vm, Pattern *pattern, Value text, size_t place) {
    if (text.kind == K_BYTES || str_is_ascii(text.str)) return place;
    if (place >= text.str->chars) return text.str->len;
    start_at(vm, pattern, text);
    const char *data = text.str->data;
    if (place < pattern->place_char / 2) pattern->place_byte = pattern->place_char = 0;
    size_t at = pattern->place_byte;
    for (; pattern->place_char > place; pattern->place_char--) at = step_back(data, at);
    for (; pattern->place_char < place; pattern->place_char++) at = step_on(data, at);
    pattern->place_byte = at;
    return at;
}

Status re_piece(Vm *vm, Value text, size_t from, size_t to, Value *out) {
    if (from == RE_UNSET) from = to = 0;
    bool whole = from == 0 && to == (text.kind == K_STR ? text.str->len : text.bytes->len);
    if (whole) {
        *out = retain(text);
        return ST_OK;
    }
    if (text.kind == K_STR) return str_out(vm, str_new(vm, text.str->data + from, to - from), out);
    return bytes_out(vm, bytes_new(vm, text.bytes->data + from, to - from), out);
}

// Returns the str or bytes to search in an argument, owned. Raises TypeError if there is none.
static Status searched(Vm *vm, Value given, Value *out) {
    Value value = unwrap(given);
    if (value.kind == K_STR || value.kind == K_BYTES) {
        *out = retain(value);
        return ST_OK;
    }
    Status st = bytes_like(vm, given, out);
    if (st != ST_NOTIMPL) return st;
    return vm_raise(vm, EXC_TypeError, "expected string or bytes-like object, got '%s'", type_name(vm, given));
}

Status re_whole_text(Vm *vm, Pattern *pattern, Value given, ReText *text) {
    Value value;
    Status st = searched(vm, given, &value);
    if (st != ST_OK) return st;
    bool binary = value.kind == K_BYTES;
    if (pattern->binary != binary) {
        release(vm, value);
        return vm_raise(vm, EXC_TypeError, pattern->binary ? "cannot use a bytes pattern on a string-like object"
                                                           : "cannot use a string pattern on a bytes-like object");
    }
    *text = (ReText){.given = given, .value = value,
                     .data = binary ? value.bytes->data : value.str->data,
                     .end = binary ? value.bytes->len : value.str->len,
                     .endpos = binary ? (int64_t)value.bytes->len : value.str->chars,
                     .form = binary || str_is_ascii(value.str) ? RE_BYTES : RE_UTF};
    return ST_OK;
}

static Status place_arg(Vm *vm, Value v, int64_t most, int64_t *out) {
    if (v.kind == K_UNDEF) return ST_OK;
    int64_t place;
    Status st = seq_size_arg(vm, v, &place);
    if (st == ST_OK) *out = place < 0 ? 0 : place > most ? most : place;
    return st;
}

Status re_text(Vm *vm, Pattern *pattern, const Value *args, ReText *text) {
    Status st = re_whole_text(vm, pattern, args[0], text);
    if (st != ST_OK || (args[1].kind == K_UNDEF && args[2].kind == K_UNDEF)) return st;
    int64_t most = text->endpos;
    st = place_arg(vm, args[1], most, &text->pos);
    if (st == ST_OK) st = place_arg(vm, args[2], most, &text->endpos);
    if (st != ST_OK) {
        release(vm, text->value);
        return st;
    }
    text->start = re_byte_at(vm, pattern, text->value, (size_t)text->pos);
    if (text->endpos < most) text->end = re_byte_at(vm, pattern, text->value, (size_t)text->endpos);
    return ST_OK;
}

// --- Making ------------------------------------------------------------------------------------

enum {
    ARG_SOURCE, ARG_FLAGS, ARG_GROUPS, ARG_INDEX, ARG_NAMES, ARG_ORDER, ARG_LINEAR, ARG_PLAIN, ARG_WIDE,
    ARG_PLAIN_OPTIONS, ARG_WIDE_OPTIONS, ARG_HELPER, ARG_COUNT
};

static bool well_formed(const Value *args) {
    static const uint8_t ints[] = {ARG_FLAGS, ARG_GROUPS, ARG_PLAIN_OPTIONS, ARG_WIDE_OPTIONS};
    for (size_t i = 0; i < sizeof ints; i++)
        if (args[ints[i]].kind != K_INT || args[ints[i]].i < 0) return false;
    Value source = unwrap(args[ARG_SOURCE]), wide = args[ARG_WIDE], order = args[ARG_ORDER];
    if (source.kind == K_STR ? wide.kind != K_STR : source.kind != K_BYTES) return false;
    if (args[ARG_PLAIN].kind != K_STR || !str_is_ascii(args[ARG_PLAIN].str) ||
        args[ARG_INDEX].kind != K_DICT || args[ARG_NAMES].kind != K_TUPLE || args[ARG_GROUPS].i > UINT16_MAX ||
        args[ARG_NAMES].tuple->len != (size_t)args[ARG_GROUPS].i + 1)
        return false;
    for (size_t i = 0; order.kind == K_TUPLE && i < order.tuple->len; i++)
        if (order.tuple->items[i].kind != K_INT || order.tuple->items[i].i < 1 ||
            order.tuple->items[i].i > args[ARG_GROUPS].i)
            return false;
    return true;
}

// pattern(…): makes a pattern from the parser's result.
static Status fn_pattern(Vm *vm, const Value *args, Value *out) {
    if (!well_formed(args)) return vm_raise(vm, EXC_TypeError, "_re.pattern() is for module re");
    Pattern *pattern = obj_new(vm, K_PATTERN, sizeof *pattern);
    if (!pattern) return vm_no_memory(vm);
    pattern->source = retain(args[ARG_SOURCE]);
    pattern->binary = unwrap(args[ARG_SOURCE]).kind == K_BYTES;
    pattern->texts[RE_BYTES] = retain(args[ARG_PLAIN]);
    pattern->texts[RE_UTF] = retain(args[ARG_WIDE]);
    pattern->options[RE_BYTES] = (uint32_t)args[ARG_PLAIN_OPTIONS].i;
    pattern->options[RE_UTF] = (uint32_t)args[ARG_WIDE_OPTIONS].i;
    pattern->groupindex = retain(args[ARG_INDEX]);
    pattern->names = retain(args[ARG_NAMES]);
    pattern->order = retain(args[ARG_ORDER]);
    pattern->helper = retain(args[ARG_HELPER]);
    pattern->flags = args[ARG_FLAGS].i;
    pattern->groups = (uint32_t)args[ARG_GROUPS].i;
    pattern->linear = args[ARG_LINEAR].kind == K_BOOL && args[ARG_LINEAR].i;
    *out = v_obj(pattern);
    Status st = re_check(vm, pattern);
    if (st != ST_OK) release(vm, *out);
    return st;
}

static void pattern_visit(Obj *obj, Visitor *visitor) {
    Pattern *pattern = (Pattern *)obj;
    visit_value(visitor, pattern->source);
    for (int i = 0; i < RE_FORMS; i++) visit_value(visitor, pattern->texts[i]);
    visit_value(visitor, pattern->groupindex);
    visit_value(visitor, pattern->names);
    visit_value(visitor, pattern->order);
    visit_value(visitor, pattern->helper);
    visit_value(visitor, pattern->place_text);
}

static void pattern_drop(Vm *vm, Obj *obj) {
    Pattern *pattern = (Pattern *)obj;
    clear(vm, &pattern->source);
    for (int i = 0; i < RE_FORMS; i++) clear(vm, &pattern->texts[i]);
    clear(vm, &pattern->groupindex);
    clear(vm, &pattern->names);
    clear(vm, &pattern->order);
    clear(vm, &pattern->helper);
    clear(vm, &pattern->place_text);
    re_programs_free(pattern);
}

static size_t pattern_size(const Obj *obj) {
    (void)obj;
    return sizeof(Pattern);
}

// --- Methods -----------------------------------------------------------------------------------

static Status one_match(Vm *vm, const Value *args, ReMode mode, Value *out) {
    Pattern *pattern = pattern_of(args[0]);
    ReText text;
    Status st = re_text(vm, pattern, args + 1, &text);
    if (st != ST_OK) return st;
    st = text.pos > text.endpos ? ST_STOP : re_run(vm, pattern, &text, text.start, mode, false);
    if (st == ST_OK) st = match_new(vm, pattern, &text, out);
    release(vm, text.value);
    if (st != ST_STOP) return st;
    *out = V_NONE;
    return ST_OK;
}

static Status m_search(Vm *vm, const Value *args, Value *out) {
    return one_match(vm, args, RE_SEARCH, out);
}
static Status m_match(Vm *vm, const Value *args, Value *out) {
    return one_match(vm, args, RE_MATCH, out);
}
static Status m_fullmatch(Vm *vm, const Value *args, Value *out) {
    return one_match(vm, args, RE_FULL, out);
}

static Status m_scanner(Vm *vm, const Value *args, Value *out) {
    ReText text;
    Status st = re_text(vm, pattern_of(args[0]), args + 1, &text);
    if (st != ST_OK) return st;
    st = scanner_new(vm, pattern_of(args[0]), &text, out);
    release(vm, text.value);
    return st;
}

static Status m_self(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = retain(args[0]);
    return ST_OK;
}

static Status m_class_getitem(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = retain(args[0]);
    return ST_OK;
}

static const NativeDef methods[] = {
    {"match", "self, string, pos=?, endpos=?", m_match, NULL, PURE},
    {"search", "self, string, pos=?, endpos=?", m_search, NULL, PURE},
    {"fullmatch", "self, string, pos=?, endpos=?", m_fullmatch, NULL, PURE},
    {"findall", "self, string, pos=?, endpos=?", re_findall, NULL, PURE},
    {"finditer", "self, string, pos=?, endpos=?", re_finditer, NULL, PURE},
    {"scanner", "self, string, pos=?, endpos=?", m_scanner, NULL, PURE},
    {"split", "self, string, maxsplit=0", re_split, NULL, PURE},
    {"sub", "self, repl, string, count=0", re_sub, NULL, PURE},
    {"subn", "self, repl, string, count=0", re_subn, NULL, PURE},
    {"__copy__", "self, /", m_self, NULL, PURE},
    {"__deepcopy__", "self, memo, /", m_self, NULL, PURE},
    {"__class_getitem__", "cls, item, /", m_class_getitem, NULL, PURE},
    {0},
};

static Status get_pattern(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(pattern_of(self)->source);
    return ST_OK;
}
static Status get_flags(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(pattern_of(self)->flags);
    return ST_OK;
}
static Status get_groups(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(pattern_of(self)->groups);
    return ST_OK;
}
static Status get_groupindex(Vm *vm, Value self, Value *out) {
    Dict *copy = dict_copy(vm, pattern_of(self)->groupindex.dict);
    if (copy) *out = v_obj(copy);
    return vm_check(vm, copy);
}

static const AttrDef attrs[] = {
    {"pattern", get_pattern, NULL}, {"flags", get_flags, NULL}, {"groups", get_groups, NULL},
    {"groupindex", get_groupindex, NULL}, {0},
};

static Status pattern_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    if (b.kind != K_PATTERN || (op != CMP_EQ && op != CMP_NE)) return ST_NOTIMPL;
    const Pattern *x = pattern_of(a), *y = pattern_of(b);
    bool same = x->flags == y->flags && x->binary == y->binary;
    Status st = same ? op_eq(vm, unwrap(x->source), unwrap(y->source), &same) : ST_OK;
    if (st == ST_OK) *out = v_bool(same == (op == CMP_EQ));
    return st;
}

static Status pattern_hash(Vm *vm, Value self, int64_t *out) {
    int64_t parts[2] = {pattern_of(self)->flags, 0};
    Status st = op_hash(vm, unwrap(pattern_of(self)->source), &parts[1]);
    if (st == ST_OK) *out = hash_combine_items(parts, 2);
    return st;
}

static void put_flags(const Pattern *pattern, Buf *out) {
    static const struct {
        int bit;
        const char *name;
    } names[] = {{1, "re.TEMPLATE"}, {2, "re.IGNORECASE"}, {4, "re.LOCALE"}, {8, "re.MULTILINE"}, {16, "re.DOTALL"},
                 {32, "re.UNICODE"}, {64, "re.VERBOSE"}, {128, "re.DEBUG"}, {256, "re.ASCII"}};
    int64_t flags = pattern->flags;
    if (!pattern->binary && (flags & (4 | 32 | 256)) == 32) flags &= ~(int64_t)32; // re.UNICODE is the default of str
    const char *before = ", ";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags & names[i].bit) {
            buf_puts(out, before);
            buf_puts(out, names[i].name);
            before = "|";
        }
    if (flags >> 9) buf_printf(out, "%s0x%" PRIx64, before, flags >> 9 << 9);
}

static Status pattern_repr(Vm *vm, Value self, Buf *out, int depth) {
    enum { MOST = 200 };
    const Pattern *pattern = pattern_of(self);
    (void)depth;
    Value text;
    Status st = op_repr_value(vm, pattern->source, &text);
    if (st != ST_OK) return st;
    size_t stop = str_offset(text.str, MOST);
    buf_puts(out, "re.compile(");
    buf_put(out, text.str->data, stop < text.str->len ? stop : text.str->len);
    put_flags(pattern, out);
    buf_putc(out, ')');
    release(vm, text);
    return ST_OK;
}

const TypeSlots kind_PATTERN = {
    .visit = pattern_visit, .drop = pattern_drop, .size = pattern_size, .compare = pattern_compare,
    .hash = pattern_hash, .repr = pattern_repr, .methods = methods, .attrs = attrs,
    .doc = "Compiled regular expression object.",
};

// --- The module --------------------------------------------------------------------------------

const NativeDef re_functions[] = {
    {"pattern", "source, flags, groups, index, names, order, linear, plain, wide, plain_options, wide_options, "
                "helper, /", fn_pattern, NULL, PURE},
    {"sub_template", "pattern, template, string, count, counted, /", re_sub_template, NULL, PURE},
    {"pieces", "pattern, string, count, /", re_pieces, NULL, PURE},
    {"fill", "match, template, /", re_fill_match, NULL, PURE},
    {0},
};

static Status own_class(Vm *vm, Module *module, const char *name, Kind kind) {
    Class *cls = vm->classes[kind];
    Str *re = str_text(vm, "re");
    if (!re) return vm_no_memory(vm);
    replace(vm, &cls->module, v_obj(re));
    return module_set(vm, module, name, retain(v_obj(cls)));
}

Status re_init(Vm *vm, Module *module) {
    Status st = re_open(vm);
    if (st == ST_OK) st = own_class(vm, module, "Pattern", K_PATTERN);
    return st == ST_OK ? own_class(vm, module, "Match", K_MATCH) : st;
}
