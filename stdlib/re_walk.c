// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions that iterate over the matches of a pattern: findall, finditer, split, sub.

#include <string.h>

#include "stdlib/re.h"
#include "vm/value/bytes.h"
#include "vm/value/class.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/seq_impl.h"
#include "vm/value/str.h"

static Status next_in(Vm *vm, ReWalk *walk, ReMode mode) {
    if (walk->text.pos > walk->text.endpos) return ST_STOP;
    Pattern *pattern = walk->pattern;
    Status st = re_run(vm, pattern, &walk->text, walk->at, mode, walk->not_empty);
    if (st != ST_OK) {
        walk->at = walk->text.end + 1; // no later call finds a match
        return st;
    }
    walk->at = pattern->spans[1];
    walk->not_empty = pattern->spans[0] == pattern->spans[1];
    return ST_OK;
}

Status re_next(Vm *vm, ReWalk *walk) {
    return next_in(vm, walk, RE_SEARCH);
}

static Status walk_whole(Vm *vm, Value self, Value text, ReWalk *walk) {
    *walk = (ReWalk){.pattern = pattern_of(self)};
    return re_whole_text(vm, walk->pattern, text, &walk->text);
}

static Status end_walk(Vm *vm, ReWalk *walk, Status st) {
    release(vm, walk->text.value);
    return st;
}

static Status out_buf(Vm *vm, Value like, Buf *buf, Value *out) {
    return like.kind == K_STR ? str_buf_out(vm, buf, out) : bytes_buf_out(vm, buf, out);
}

// --- findall and split -------------------------------------------------------------------------

static Status piece(Vm *vm, const ReWalk *walk, uint32_t group, bool none, Value *out) {
    const size_t *span = walk->pattern->spans + 2 * (size_t)group;
    if (none && span[0] == RE_UNSET) {
        *out = V_NONE;
        return ST_OK;
    }
    return re_piece(vm, walk->text.value, span[0], span[1], out);
}

static Status found(Vm *vm, const ReWalk *walk, Value *out) {
    uint32_t groups = walk->pattern->groups;
    if (groups < 2) return piece(vm, walk, groups, false, out);
    Tuple *tuple = tuple_new(vm, groups);
    if (!tuple) return vm_no_memory(vm);
    for (uint32_t i = 0; i < groups; i++)
        if (piece(vm, walk, i + 1, false, &tuple->items[i]) != ST_OK) {
            release_obj(vm, tuple);
            return ST_ERROR;
        }
    *out = v_obj(tuple);
    return ST_OK;
}

static Status list_out(Vm *vm, Status st, List *list, Value *out) {
    if (st == ST_OK || st == ST_STOP) {
        *out = v_obj(list);
        return ST_OK;
    }
    release_obj(vm, list);
    return st;
}

Status re_findall(Vm *vm, const Value *args, Value *out) {
    ReWalk walk = {.pattern = pattern_of(args[0])};
    Status st = re_text(vm, walk.pattern, args + 1, &walk.text);
    if (st != ST_OK) return st;
    walk.at = walk.text.start;
    List *list = list_new(vm, 0);
    if (!list) return end_walk(vm, &walk, vm_no_memory(vm));
    while ((st = re_next(vm, &walk)) == ST_OK) {
        Value item;
        st = found(vm, &walk, &item);
        if (st == ST_OK) st = list_append(vm, list, item);
        if (st == ST_OK && list->len % 4096 == 0) st = vm_poll(vm);
        if (st != ST_OK) break;
    }
    return end_walk(vm, &walk, list_out(vm, st, list, out));
}

static Status append_piece(Vm *vm, const ReWalk *walk, List *list, size_t from, size_t to) {
    Value item;
    Status st = re_piece(vm, walk->text.value, from, to, &item);
    return st == ST_OK ? list_append(vm, list, item) : st;
}

static Status split_here(Vm *vm, const ReWalk *walk, List *list, size_t before) {
    Status st = append_piece(vm, walk, list, before, walk->pattern->spans[0]);
    for (uint32_t i = 1; st == ST_OK && i <= walk->pattern->groups; i++) {
        Value item;
        st = piece(vm, walk, i, true, &item);
        if (st == ST_OK) st = list_append(vm, list, item);
    }
    return st;
}

Status re_split(Vm *vm, const Value *args, Value *out) {
    ReWalk walk;
    int64_t most;
    Status st = seq_size_arg(vm, args[2], &most);
    if (st == ST_OK) st = walk_whole(vm, args[0], args[1], &walk);
    if (st != ST_OK) return st;
    List *list = list_new(vm, 0);
    if (!list) return end_walk(vm, &walk, vm_no_memory(vm));
    size_t before = 0;
    for (int64_t n = 0; most == 0 || n < most; n++) {
        st = re_next(vm, &walk);
        if (st == ST_OK) st = split_here(vm, &walk, list, before);
        if (st == ST_OK && n % 4096 == 4095) st = vm_poll(vm);
        if (st != ST_OK) break;
        before = walk.at;
    }
    if (st == ST_OK || st == ST_STOP) st = append_piece(vm, &walk, list, before, walk.text.end);
    return end_walk(vm, &walk, list_out(vm, st, list, out));
}

// --- sub ---------------------------------------------------------------------------------------

// Replaces matches by the expansion of a template, a tuple of texts and numbers of groups. `most`: how many, 0 for all.
// `counted`: returns (text, number of replacements).
static Status substitute(Vm *vm, ReWalk *walk, const Tuple *template, int64_t most, bool counted, Value *out) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    size_t before = 0;
    int64_t n = 0;
    Status st = ST_OK;
    while ((most == 0 || n < most) && (st = re_next(vm, walk)) == ST_OK) {
        const Pattern *pattern = walk->pattern;
        buf_put(&buf, walk->text.data + before, pattern->spans[0] - before);
        st = re_fill(vm, template, walk->text.value, pattern->spans, pattern->groups, &buf);
        if (st == ST_OK && ++n % 4096 == 0) st = vm_poll(vm);
        if (st != ST_OK) break;
        before = walk->at;
    }
    Value made;
    if (st == ST_OK || st == ST_STOP) {
        buf_put(&buf, walk->text.data + before, walk->text.end - before);
        st = n ? out_buf(vm, walk->text.value, &buf, &made) : re_piece(vm, walk->text.value, 0, walk->text.end, &made);
        if (!n) buf_free(&buf);
    } else {
        buf_free(&buf);
    }
    if (st != ST_OK || !counted) {
        if (st == ST_OK) *out = made;
        return st;
    }
    Value pair[2] = {made, v_int(n)};
    st = tuple_of(vm, pair, 2, out);
    release(vm, made);
    return st;
}

static bool has_backslash(Value text) {
    const char *data = text.kind == K_STR ? text.str->data : text.bytes->data;
    size_t len = text.kind == K_STR ? text.str->len : text.bytes->len;
    return memchr(data, '\\', len) != NULL;
}

// Tail-calls helper('sub', pattern, replacement, text, count, counted), for a replacement that is a function or needs
// to be parsed as a template.
static Status ask_helper(Vm *vm, const Value *args, bool counted) {
    Str *what = str_text(vm, "sub");
    if (!what) return vm_no_memory(vm);
    const Value pass[6] = {v_obj(what), args[0], args[1], args[2], args[3], v_bool(counted)};
    Status st = vm_tail(vm, pattern_of(args[0])->helper, pass, 6);
    release_obj(vm, what);
    return st;
}

static Status sub(Vm *vm, const Value *args, bool counted, Value *out) {
    Value replacement = unwrap(args[1]);
    ReWalk walk;
    int64_t most;
    if ((replacement.kind != K_STR && replacement.kind != K_BYTES) || has_backslash(replacement))
        return ask_helper(vm, args, counted);
    Status st = seq_size_arg(vm, args[3], &most);
    if (st == ST_OK) st = walk_whole(vm, args[0], args[2], &walk);
    if (st != ST_OK) return st;
    Value template;
    st = tuple_of(vm, &replacement, 1, &template);
    if (st == ST_OK) {
        st = substitute(vm, &walk, template.tuple, most, counted, out);
        release(vm, template);
    }
    return end_walk(vm, &walk, st);
}

Status re_sub(Vm *vm, const Value *args, Value *out) {
    return sub(vm, args, false, out);
}

Status re_subn(Vm *vm, const Value *args, Value *out) {
    return sub(vm, args, true, out);
}

static Status need_pattern(Vm *vm, Value v) {
    return v.kind == K_PATTERN ? ST_OK : vm_raise(vm, EXC_TypeError, "a pattern is needed");
}

// sub_template(pattern, template, text, count, counted): as sub, with a parsed template.
Status re_sub_template(Vm *vm, const Value *args, Value *out) {
    ReWalk walk;
    int64_t most;
    if (need_pattern(vm, args[0]) != ST_OK) return ST_ERROR;
    if (args[1].kind != K_TUPLE) return vm_raise(vm, EXC_TypeError, "a template is a tuple");
    Status st = seq_size_arg(vm, args[3], &most);
    if (st == ST_OK) st = walk_whole(vm, args[0], args[2], &walk);
    if (st != ST_OK) return st;
    return end_walk(vm, &walk, substitute(vm, &walk, args[1].tuple, most, args[4].kind == K_BOOL && args[4].i, out));
}

// pieces(pattern, text, count): returns the list of matches with the non-empty texts around them, in order.
Status re_pieces(Vm *vm, const Value *args, Value *out) {
    ReWalk walk;
    int64_t most;
    if (need_pattern(vm, args[0]) != ST_OK) return ST_ERROR;
    Status st = seq_size_arg(vm, args[2], &most);
    if (st == ST_OK) st = walk_whole(vm, args[0], args[1], &walk);
    if (st != ST_OK) return st;
    List *list = list_new(vm, 0);
    if (!list) return end_walk(vm, &walk, vm_no_memory(vm));
    size_t before = 0;
    for (int64_t n = 0; most == 0 || n < most; n++) {
        Value item;
        st = re_next(vm, &walk);
        if (st == ST_OK && walk.pattern->spans[0] > before)
            st = append_piece(vm, &walk, list, before, walk.pattern->spans[0]);
        if (st == ST_OK) st = match_new(vm, walk.pattern, &walk.text, &item);
        if (st == ST_OK) st = list_append(vm, list, item);
        if (st == ST_OK && n % 4096 == 4095) st = vm_poll(vm);
        if (st != ST_OK) break;
        before = walk.at;
    }
    if ((st == ST_OK || st == ST_STOP) && before < walk.text.end)
        st = append_piece(vm, &walk, list, before, walk.text.end);
    return end_walk(vm, &walk, list_out(vm, st, list, out));
}

// --- Iterators ---------------------------------------------------------------------------------

typedef struct Scanner {
    GcObj gc;
    ReWalk walk; // the scanner owns the pattern, text.given and text.value
} Scanner;

Status scanner_new(Vm *vm, Pattern *pattern, const ReText *text, Value *out) {
    Scanner *scanner = obj_new(vm, K_SCANNER, sizeof *scanner);
    if (!scanner) return vm_no_memory(vm);
    scanner->walk = (ReWalk){.pattern = pattern, .text = *text, .at = text->start};
    retain(v_obj(pattern));
    retain(text->given);
    retain(text->value);
    *out = v_obj(scanner);
    return ST_OK;
}

Status re_finditer(Vm *vm, const Value *args, Value *out) {
    ReText text;
    Status st = re_text(vm, pattern_of(args[0]), args + 1, &text);
    if (st != ST_OK) return st;
    st = scanner_new(vm, pattern_of(args[0]), &text, out);
    release(vm, text.value);
    return st;
}

static ReWalk *walk_of(Value self) {
    return &((Scanner *)self.obj)->walk;
}

static void scanner_visit(Obj *obj, Visitor *visitor) {
    ReWalk *walk = &((Scanner *)obj)->walk;
    visit_obj(visitor, walk->pattern);
    visit_value(visitor, walk->text.given);
    visit_value(visitor, walk->text.value);
}

static void scanner_drop(Vm *vm, Obj *obj) {
    ReWalk *walk = &((Scanner *)obj)->walk;
    release_obj(vm, walk->pattern);
    walk->pattern = NULL;
    walk->at = walk->text.end + 1;
    clear(vm, &walk->text.given);
    clear(vm, &walk->text.value);
}

static size_t scanner_size(const Obj *obj) {
    (void)obj;
    return sizeof(Scanner);
}

static Status step(Vm *vm, Value self, ReMode mode, Value *out) {
    ReWalk *walk = walk_of(self);
    if (!walk->pattern) return ST_STOP;
    Status st = next_in(vm, walk, mode);
    return st == ST_OK ? match_new(vm, walk->pattern, &walk->text, out) : st;
}

static Status scanner_iter(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self);
    return ST_OK;
}

static Status scanner_next(Vm *vm, Value self, Value *out) {
    return step(vm, self, RE_SEARCH, out);
}

static Status step_or_none(Vm *vm, Value self, ReMode mode, Value *out) {
    Status st = step(vm, self, mode, out);
    if (st != ST_STOP) return st;
    *out = V_NONE;
    return ST_OK;
}

static Status m_search(Vm *vm, const Value *args, Value *out) {
    return step_or_none(vm, args[0], RE_SEARCH, out);
}
static Status m_match(Vm *vm, const Value *args, Value *out) {
    return step_or_none(vm, args[0], RE_MATCH, out);
}

static Status get_pattern(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = walk_of(self)->pattern ? retain(v_obj(walk_of(self)->pattern)) : V_NONE;
    return ST_OK;
}

static const NativeDef methods[] = {
    {"search", "self, /", m_search, NULL, PURE},
    {"match", "self, /", m_match, NULL, PURE},
    {0},
};
static const AttrDef attrs[] = {{"pattern", get_pattern, NULL}, {0}};

const TypeSlots kind_SCANNER = {
    .visit = scanner_visit, .drop = scanner_drop, .size = scanner_size, .iter = scanner_iter, .next = scanner_next,
    .methods = methods, .attrs = attrs,
};
