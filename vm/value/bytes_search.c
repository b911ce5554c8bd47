// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Methods of bytes that search for bytes: find and its family, count, startswith, removeprefix, replace.

#define _GNU_SOURCE
#include <string.h>

#include "vm/value/bytes_impl.h"
#include "vm/value/str_search.h"

static Status missing(Vm *vm, const char *method) {
    return vm_raise(vm, EXC_TypeError, "%s() takes at least 1 argument (0 given)", method);
}

// Computes the part from `start` to `end`. at == NULL: start is behind the end, so that nothing is found, not even
// empty bytes.
static Status part_of(Vm *vm, const Bytes *bytes, Value start, Value end, Run *out) {
    int64_t from, to, len = (int64_t)bytes->len;
    Status st = seq_bound(vm, start, BOUND_OR_NONE, 0, &from);
    if (st == ST_OK) st = seq_bound(vm, end, BOUND_OR_NONE, len, &to);
    if (st != ST_OK) return st;
    bool beyond = from > len;
    from = seq_clamp(from, len);
    to = seq_clamp(to, len);
    *out = beyond || from > to ? (Run){0} : (Run){bytes->data + from, (size_t)(to - from)};
    return ST_OK;
}

// --- find, index -------------------------------------------------------------------------------

typedef const char *(*FindFn)(const char *at, const char *end, const char *sub, size_t len);

static Status find_method(Vm *vm, const Value *args, const char *name, FindFn find, bool must,
                          Value *out) {
    Bytes *bytes = self_bytes(args);
    char room;
    Run sub, part;
    if (args[1].kind == K_UNDEF) return missing(vm, name);
    Status st = part_of(vm, bytes, args[2], args[3], &part);
    if (st == ST_OK) st = bytes_arg_or_byte(vm, args[1], &room, &sub);
    if (st != ST_OK) return st;
    const char *found = part.at ? find(part.at, part.at + part.len, sub.at, sub.len) : NULL;
    if (!found && must) return vm_raise(vm, EXC_ValueError, "subsection not found");
    *out = v_int(found ? found - bytes->data : -1);
    return ST_OK;
}

Status bytes_m_find(Vm *vm, const Value *args, Value *out) {
    return find_method(vm, args, "find", bytes_find, false, out);
}

Status bytes_m_rfind(Vm *vm, const Value *args, Value *out) {
    return find_method(vm, args, "rfind", bytes_find_last, false, out);
}

Status bytes_m_index(Vm *vm, const Value *args, Value *out) {
    return find_method(vm, args, "index", bytes_find, true, out);
}

Status bytes_m_rindex(Vm *vm, const Value *args, Value *out) {
    return find_method(vm, args, "rindex", bytes_find_last, true, out);
}

// --- count, replace ----------------------------------------------------------------------------

static Status count_matches(Vm *vm, Run part, Run sub, size_t limit, size_t *count) {
    const char *at = part.at, *end = part.at + part.len;
    *count = 0;
    while (*count < limit && (at = bytes_find(at, end, sub.at, sub.len))) {
        if (vm_poll_at(vm, ++*count) != ST_OK) return ST_ERROR;
        at += sub.len;
    }
    return ST_OK;
}

Status bytes_m_count(Vm *vm, const Value *args, Value *out) {
    char room;
    Run sub, part;
    if (args[1].kind == K_UNDEF) return missing(vm, "count");
    Status st = part_of(vm, self_bytes(args), args[2], args[3], &part);
    if (st == ST_OK) st = bytes_arg_or_byte(vm, args[1], &room, &sub);
    if (st != ST_OK) return st;
    size_t count = 0;
    if (part.at && sub.len && count_matches(vm, part, sub, SIZE_MAX, &count) != ST_OK) return ST_ERROR;
    if (part.at && !sub.len) count = part.len + 1;
    *out = v_int((int64_t)count);
    return ST_OK;
}

// Allocates the result of replacing `matches` old pieces in `len` bytes; NULL also when its size overflows.
static Bytes *replaced_room(Vm *vm, size_t len, size_t matches, Run old, Run fresh) {
    size_t more;
    if (__builtin_mul_overflow(matches, fresh.len, &more)) return NULL;
    if (__builtin_add_overflow(more, len - matches * old.len, &more)) return NULL;
    return bytes_alloc(vm, more);
}

// Writes `fresh` before each of the first `matches` bytes, and at the end if there are more matches than bytes.
static void put_between(char *put, Run all, Run fresh, size_t matches) {
    size_t before = matches < all.len ? matches : all.len;
    for (size_t i = 0; i < before; i++) {
        put = mempcpy(put, fresh.at, fresh.len);
        *put++ = all.at[i];
    }
    if (matches > all.len) put = mempcpy(put, fresh.at, fresh.len);
    memcpy(put, all.at + before, all.len - before);
}

static Status put_replaced(Vm *vm, char *put, Run all, Run old, Run fresh, size_t matches) {
    const char *at = all.at, *end = all.at + all.len;
    for (; matches > 0; matches--) {
        if (vm_poll_at(vm, matches) != ST_OK) return ST_ERROR;
        const char *found = bytes_find(at, end, old.at, old.len);
        put = mempcpy(put, at, (size_t)(found - at));
        put = mempcpy(put, fresh.at, fresh.len);
        at = found + old.len;
    }
    memcpy(put, at, (size_t)(end - at));
    return ST_OK;
}

Status bytes_m_replace(Vm *vm, const Value *args, Value *out) {
    Bytes *bytes = self_bytes(args);
    Run all = run_of(bytes), old, fresh;
    int64_t count;
    Status st = bytes_arg(vm, args[1], &old);
    if (st == ST_OK) st = bytes_arg(vm, args[2], &fresh);
    if (st == ST_OK) st = seq_size_arg(vm, args[3], &count);
    if (st != ST_OK) return st;
    size_t limit = count < 0 ? SIZE_MAX : (size_t)count, matches;
    if (!old.len) matches = limit < all.len + 1 ? limit : all.len + 1;
    else if (count_matches(vm, all, old, limit, &matches) != ST_OK) return ST_ERROR;
    if (matches == 0) return bytes_same(vm, bytes, out);
    Bytes *to = replaced_room(vm, all.len, matches, old, fresh);
    if (!to) return vm_no_memory(vm);
    if (!old.len) put_between(to->data, all, fresh, matches);
    else if (put_replaced(vm, to->data, all, old, fresh, matches) != ST_OK) {
        release_obj(vm, to);
        return ST_ERROR;
    }
    return bytes_out(vm, to, out);
}

// --- Beginnings and ends -----------------------------------------------------------------------

typedef bool (*EdgeFn)(Run part, Run edge);

static bool begins(Run part, Run prefix) {
    return part.len >= prefix.len && memcmp(part.at, prefix.at, prefix.len) == 0;
}

static bool ends(Run part, Run suffix) {
    return part.len >= suffix.len &&
           memcmp(part.at + part.len - suffix.len, suffix.at, suffix.len) == 0;
}

static Status any_edge(Vm *vm, const Tuple *edges, EdgeFn edge, Run part, bool *out) {
    *out = false;
    for (size_t i = 0; i < edges->len && !*out; i++) {
        Run one;
        Status st = bytes_arg(vm, edges->items[i], &one);
        if (st != ST_OK) return st;
        *out = part.at && edge(part, one);
    }
    return ST_OK;
}

static Status edge_method(Vm *vm, const Value *args, const char *name, EdgeFn edge, Value *out) {
    const Bytes *one = bytes_of(args[1]);
    Value edges = unwrap(args[1]);
    Run part;
    if (edges.kind == K_UNDEF) return missing(vm, name);
    Status st = part_of(vm, self_bytes(args), args[2], args[3], &part);
    if (st != ST_OK) return st;
    bool found = false;
    if (one)
        found = part.at && edge(part, run_of(one));
    else if (edges.kind == K_TUPLE)
        st = any_edge(vm, edges.tuple, edge, part, &found);
    else
        st = vm_raise(vm, EXC_TypeError, "%s first arg must be bytes or a tuple of bytes, not %s",
                      name, type_name(vm, args[1]));
    if (st == ST_OK) *out = v_bool(found);
    return st;
}

Status bytes_m_startswith(Vm *vm, const Value *args, Value *out) {
    return edge_method(vm, args, "startswith", begins, out);
}

Status bytes_m_endswith(Vm *vm, const Value *args, Value *out) {
    return edge_method(vm, args, "endswith", ends, out);
}

Status bytes_m_removeprefix(Vm *vm, const Value *args, Value *out) {
    Bytes *bytes = self_bytes(args);
    Run prefix;
    if (bytes_arg(vm, args[1], &prefix) != ST_OK) return ST_ERROR;
    if (!prefix.len || !begins(run_of(bytes), prefix)) return bytes_same(vm, bytes, out);
    return bytes_run_out(vm, bytes->data + prefix.len, bytes->len - prefix.len, out);
}

Status bytes_m_removesuffix(Vm *vm, const Value *args, Value *out) {
    Bytes *bytes = self_bytes(args);
    Run suffix;
    if (bytes_arg(vm, args[1], &suffix) != ST_OK) return ST_ERROR;
    if (!suffix.len || !ends(run_of(bytes), suffix)) return bytes_same(vm, bytes, out);
    return bytes_run_out(vm, bytes->data, bytes->len - suffix.len, out);
}
