// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Methods of bytes that split or trim: split, rsplit, splitlines, partition, strip and its family.

#include <string.h>

#include "vm/value/bytes_impl.h"
#include "vm/value/str_search.h"

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
    pieces->st = bytes_run_out(pieces->vm, from, (size_t)(to - from), &piece);
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

// --- split -------------------------------------------------------------------------------------

// run_end returns the end of the run that begins at `at`: of white space, or of other bytes if !space. run_begin
// returns the begin of the run that ends at `end`.
static const char *run_end(const char *at, const char *end, bool space) {
    while (at < end && byte_is_space(*at) == space) at++;
    return at;
}
static const char *run_begin(const char *begin, const char *end, bool space) {
    while (end > begin && byte_is_space(end[-1]) == space) end--;
    return end;
}

// Splits at white space. After `limit` splits the rest is one piece, with white space at its end.
static void split_spaces(Pieces *pieces, Run all, int64_t limit) {
    const char *end = all.at + all.len, *at = run_end(all.at, end, true);
    while (at < end && pieces->st == ST_OK) {
        const char *stop = limit-- > 0 ? run_end(at, end, false) : end;
        add(pieces, at, stop);
        at = run_end(stop, end, true);
    }
}

static void rsplit_spaces(Pieces *pieces, Run all, int64_t limit) {
    const char *begin = all.at, *end = run_begin(begin, all.at + all.len, true);
    while (end > begin && pieces->st == ST_OK) {
        const char *start = limit-- > 0 ? run_begin(begin, end, false) : begin;
        add(pieces, start, end);
        end = run_begin(begin, start, true);
    }
}

static void split_at(Pieces *pieces, Run all, Run sep, int64_t limit) {
    const char *at = all.at, *end = all.at + all.len, *found;
    while (limit-- > 0 && pieces->st == ST_OK && (found = bytes_find(at, end, sep.at, sep.len))) {
        add(pieces, at, found);
        at = found + sep.len;
    }
    add(pieces, at, end);
}

static void rsplit_at(Pieces *pieces, Run all, Run sep, int64_t limit) {
    const char *begin = all.at, *end = all.at + all.len, *found;
    while (limit-- > 0 && pieces->st == ST_OK &&
           (found = bytes_find_last(begin, end, sep.at, sep.len))) {
        add(pieces, found + sep.len, end);
        end = found;
    }
    add(pieces, begin, end);
}

static Status separator(Vm *vm, Value v, Run *sep) {
    if (bytes_arg(vm, v, sep) != ST_OK) return ST_ERROR;
    return sep->len ? ST_OK : vm_raise(vm, EXC_ValueError, "empty separator");
}

static Status split_method(Vm *vm, const Value *args, bool right, Value *out) {
    Run all = run_of(self_bytes(args)), sep;
    bool spaces = args[1].kind == K_NONE;
    int64_t limit;
    Status st = seq_size_arg(vm, args[2], &limit);
    if (st == ST_OK && !spaces) st = separator(vm, args[1], &sep);
    if (st != ST_OK) return st;
    if (limit < 0) limit = INT64_MAX;
    Pieces pieces = pieces_begin(vm);
    if (spaces)
        (right ? rsplit_spaces : split_spaces)(&pieces, all, limit);
    else
        (right ? rsplit_at : split_at)(&pieces, all, sep, limit);
    if (right && pieces.st == ST_OK) reverse(pieces.list);
    return pieces_end(&pieces, out);
}

Status bytes_m_split(Vm *vm, const Value *args, Value *out) {
    return split_method(vm, args, false, out);
}

Status bytes_m_rsplit(Vm *vm, const Value *args, Value *out) {
    return split_method(vm, args, true, out);
}

// --- Lines: only \n, \r and \r\n end one ---------------------------------------------------------

Status bytes_m_splitlines(Vm *vm, const Value *args, Value *out) {
    Run all = run_of(self_bytes(args));
    int64_t keep;
    Status st = op_index(vm, args[1], &keep);
    if (st == ST_DEFER)
        return vm_raise(vm, EXC_TypeError, "'%s' object cannot be interpreted as an integer",
                        type_name(vm, args[1]));
    if (st != ST_OK) return st;
    Pieces pieces = pieces_begin(vm);
    for (const char *at = all.at, *end = all.at + all.len; at < end && pieces.st == ST_OK;) {
        const char *stop = at;
        while (stop < end && *stop != '\n' && *stop != '\r') stop++;
        const char *next = stop < end ? stop + 1 : end;
        if (stop + 1 < end && *stop == '\r' && stop[1] == '\n') next++;
        add(&pieces, at, keep ? next : stop);
        at = next;
    }
    return pieces_end(&pieces, out);
}

// --- partition ---------------------------------------------------------------------------------

// Returns the tuple (before, separator, after), where the separator is the bytes from … to.
static Status three_pieces(Vm *vm, Run all, const char *from, const char *to, Value *out) {
    Value parts[3] = {V_UNDEF, V_UNDEF, V_UNDEF};
    Status st = bytes_run_out(vm, all.at, (size_t)(from - all.at), &parts[0]);
    if (st == ST_OK) st = bytes_run_out(vm, from, (size_t)(to - from), &parts[1]);
    if (st == ST_OK) st = bytes_run_out(vm, to, (size_t)(all.at + all.len - to), &parts[2]);
    if (st == ST_OK) return tuple_steal(vm, parts, 3, out);
    for (int i = 0; i < 3; i++) release(vm, parts[i]);
    return st;
}

Status bytes_m_partition(Vm *vm, const Value *args, Value *out) {
    Run all = run_of(self_bytes(args)), sep;
    if (separator(vm, args[1], &sep) != ST_OK) return ST_ERROR;
    const char *end = all.at + all.len, *found = bytes_find(all.at, end, sep.at, sep.len);
    return three_pieces(vm, all, found ? found : end, found ? found + sep.len : end, out);
}

Status bytes_m_rpartition(Vm *vm, const Value *args, Value *out) {
    Run all = run_of(self_bytes(args)), sep;
    if (separator(vm, args[1], &sep) != ST_OK) return ST_ERROR;
    const char *found = bytes_find_last(all.at, all.at + all.len, sep.at, sep.len);
    return three_pieces(vm, all, found ? found : all.at, found ? found + sep.len : all.at, out);
}

// --- strip -------------------------------------------------------------------------------------

enum { LEFT = 1, RIGHT = 2 };

// Returns whether a byte is to be stripped. chars.at == NULL: white space.
static bool strips(Run chars, char c) {
    return chars.at ? memchr(chars.at, c, chars.len) != NULL : byte_is_space(c);
}

static Status strip_method(Vm *vm, const Value *args, int sides, Value *out) {
    Bytes *bytes = self_bytes(args);
    Run chars = {0};
    if (args[1].kind != K_NONE && bytes_arg(vm, args[1], &chars) != ST_OK) return ST_ERROR;
    const char *from = bytes->data, *to = from + bytes->len;
    while (sides & LEFT && from < to && strips(chars, *from)) from++;
    while (sides & RIGHT && from < to && strips(chars, to[-1])) to--;
    if ((size_t)(to - from) == bytes->len) return bytes_same(vm, bytes, out);
    return bytes_run_out(vm, from, (size_t)(to - from), out);
}

Status bytes_m_strip(Vm *vm, const Value *args, Value *out) {
    return strip_method(vm, args, LEFT | RIGHT, out);
}

Status bytes_m_lstrip(Vm *vm, const Value *args, Value *out) {
    return strip_method(vm, args, LEFT, out);
}

Status bytes_m_rstrip(Vm *vm, const Value *args, Value *out) {
    return strip_method(vm, args, RIGHT, out);
}
