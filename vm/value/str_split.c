// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Methods of str that take a text apart: split, rsplit, splitlines, partition, rpartition.

#define _GNU_SOURCE
#include <string.h>

#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str_impl.h"
#include "vm/value/str_search.h"
#include "vm/value/unicode.h"

// Pieces being collected into a list; `st` keeps the first failure.
typedef struct Pieces {
    Vm *vm;
    List *list;
    Status st;
} Pieces;

static Pieces pieces_begin(Vm *vm) {
    List *list = list_new(vm, 0);
    return (Pieces){.vm = vm, .list = list, .st = vm_check(vm, list)};
}

static void add(Pieces *pieces, const char *from, const char *to) {
    if (pieces->st != ST_OK) return;
    Value piece;
    pieces->st = str_bytes_out(pieces->vm, from, (size_t)(to - from), &piece);
    if (pieces->st == ST_OK) pieces->st = list_append(pieces->vm, pieces->list, piece);
}

static void reverse(List *list) {
    for (size_t i = 0, j = list->len; i + 1 < j; i++) {
        Value last = list->items[--j];
        list->items[j] = list->items[i];
        list->items[i] = last;
    }
}

static Status pieces_end(Pieces *pieces, Value *out) {
    if (pieces->st == ST_OK)
        *out = v_obj(pieces->list);
    else
        release_obj(pieces->vm, pieces->list);
    return pieces->st;
}

// --- At white space ----------------------------------------------------------------------------

static bool is_space(uint32_t cp) {
    if (cp < 128) return cp == ' ' || (cp >= 9 && cp <= 13) || (cp >= 28 && cp <= 31);
    return uni_is(cp, UNI_SPACE);
}

// Returns the end of the run of (non-)space characters that begins at `at`.
static const char *run_end(Pieces *pieces, const char *at, const char *end, bool space) {
    for (size_t n = 0; at < end && pieces->st == ST_OK; n++) {
        pieces->st = vm_poll_at(pieces->vm, n);
        const char *next = at;
        if (is_space(str_next(&next, end)) != space) break;
        at = next;
    }
    return at;
}

// Returns the begin of the run of (non-)space characters that ends at `end`.
static const char *run_begin(Pieces *pieces, const char *begin, const char *end, bool space) {
    for (size_t n = 0; end > begin && pieces->st == ST_OK; n++) {
        pieces->st = vm_poll_at(pieces->vm, n);
        const char *before = end - utf8_width_before(end);
        int width;
        if (is_space(str_decode(before, end, &width)) != space) break;
        end = before;
    }
    return end;
}

// Past the limit the rest is one piece, white space at its far side included.
static void split_spaces(Pieces *pieces, const Str *s, int64_t limit) {
    const char *end = str_end(s), *at = run_end(pieces, s->data, end, true);
    while (at < end && pieces->st == ST_OK) {
        const char *stop = limit-- > 0 ? run_end(pieces, at, end, false) : end;
        add(pieces, at, stop);
        at = run_end(pieces, stop, end, true);
    }
}

static void rsplit_spaces(Pieces *pieces, const Str *s, int64_t limit) {
    const char *begin = s->data, *end = run_begin(pieces, begin, str_end(s), true);
    while (end > begin && pieces->st == ST_OK) {
        const char *start = limit-- > 0 ? run_begin(pieces, begin, end, false) : begin;
        add(pieces, start, end);
        end = run_begin(pieces, begin, start, true);
    }
}

// --- At a separator ----------------------------------------------------------------------------

static void split_at(Pieces *pieces, const Str *s, const Str *sep, int64_t limit) {
    const char *at = s->data, *end = str_end(s), *found;
    while (limit-- > 0 && pieces->st == ST_OK &&
           (found = bytes_find(at, end, sep->data, sep->len))) {
        add(pieces, at, found);
        at = found + sep->len;
    }
    add(pieces, at, end);
}

static void rsplit_at(Pieces *pieces, const Str *s, const Str *sep, int64_t limit) {
    const char *begin = s->data, *end = str_end(s), *found;
    while (limit-- > 0 && pieces->st == ST_OK &&
           (found = bytes_find_last(begin, end, sep->data, sep->len))) {
        add(pieces, found + sep->len, end);
        end = found;
    }
    add(pieces, begin, end);
}

static Status split_method(Vm *vm, const Value *args, bool right, Value *out) {
    Str *s = self_str(args), *sep = str_of(args[1]);
    int64_t limit;
    Status st = str_arg_size(vm, args[2], &limit);
    if (st != ST_OK) return st;
    if (!sep && args[1].kind != K_NONE)
        return vm_raise(vm, EXC_TypeError, "must be str or None, not %s", type_name(vm, args[1]));
    if (sep && sep->len == 0) return vm_raise(vm, EXC_ValueError, "empty separator");
    if (limit < 0) limit = INT64_MAX;
    Pieces pieces = pieces_begin(vm);
    if (sep)
        (right ? rsplit_at : split_at)(&pieces, s, sep, limit);
    else
        (right ? rsplit_spaces : split_spaces)(&pieces, s, limit);
    if (right && pieces.st == ST_OK) reverse(pieces.list);
    return pieces_end(&pieces, out);
}

Status str_m_split(Vm *vm, const Value *args, Value *out) {
    return split_method(vm, args, false, out);
}

Status str_m_rsplit(Vm *vm, const Value *args, Value *out) {
    return split_method(vm, args, true, out);
}

// --- Lines -------------------------------------------------------------------------------------

static bool is_line_break(uint32_t cp) {
    return (cp >= 10 && cp <= 13) || (cp >= 28 && cp <= 30) || cp == 0x85 || cp == 0x2028 ||
           cp == 0x2029;
}

// Returns the end of the line that begins at `at`, without its line break; *next is where the next line begins.
static const char *line_end(Pieces *pieces, const char *at, const char *end, const char **next) {
    for (size_t n = 0; at < end && pieces->st == ST_OK; n++) {
        pieces->st = vm_poll_at(pieces->vm, n);
        const char *stop = at;
        uint32_t cp = str_next(&at, end);
        if (!is_line_break(cp)) continue;
        if (cp == '\r' && at < end && *at == '\n') at++;
        *next = at;
        return stop;
    }
    *next = end;
    return end;
}

Status str_m_splitlines(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    int64_t keep;
    Status st = op_index(vm, args[1], &keep);
    if (st == ST_DEFER)
        return vm_raise(vm, EXC_TypeError, "'%s' object cannot be interpreted as an integer",
                        type_name(vm, args[1]));
    if (st != ST_OK) return st;
    Pieces pieces = pieces_begin(vm);
    for (const char *at = s->data, *end = str_end(s); at < end && pieces.st == ST_OK;) {
        const char *next, *stop = line_end(&pieces, at, end, &next);
        add(&pieces, at, keep ? next : stop);
        at = next;
    }
    return pieces_end(&pieces, out);
}

// --- partition ---------------------------------------------------------------------------------

// Makes the tuple (before, separator, after), where the separator is the bytes from … to.
static Status three_pieces(Vm *vm, const Str *s, const char *from, const char *to, Value *out) {
    Value parts[3] = {V_UNDEF, V_UNDEF, V_UNDEF};
    Status st = str_bytes_out(vm, s->data, (size_t)(from - s->data), &parts[0]);
    if (st == ST_OK) st = str_bytes_out(vm, from, (size_t)(to - from), &parts[1]);
    if (st == ST_OK) st = str_bytes_out(vm, to, (size_t)(str_end(s) - to), &parts[2]);
    if (st == ST_OK) return tuple_steal(vm, parts, 3, out);
    for (int i = 0; i < 3; i++) release(vm, parts[i]);
    return st;
}

static Status partition_arg(Vm *vm, const Value *args, Str **sep) {
    *sep = str_of(args[1]);
    if (!*sep) return vm_raise(vm, EXC_TypeError, "must be str, not %s", type_name(vm, args[1]));
    if ((*sep)->len == 0) return vm_raise(vm, EXC_ValueError, "empty separator");
    return ST_OK;
}

Status str_m_partition(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args), *sep;
    if (partition_arg(vm, args, &sep) != ST_OK) return ST_ERROR;
    const char *found = bytes_find(s->data, str_end(s), sep->data, sep->len);
    if (!found) return three_pieces(vm, s, str_end(s), str_end(s), out);
    return three_pieces(vm, s, found, found + sep->len, out);
}

Status str_m_rpartition(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args), *sep;
    if (partition_arg(vm, args, &sep) != ST_OK) return ST_ERROR;
    const char *found = bytes_find_last(s->data, str_end(s), sep->data, sep->len);
    if (!found) return three_pieces(vm, s, s->data, s->data, out);
    return three_pieces(vm, s, found, found + sep->len, out);
}
