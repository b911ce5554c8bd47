// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Methods of str that look for a text in another: find and its family, count, startswith,
// removeprefix, replace. Searching works on bytes: UTF-8 texts match only at whole characters.

#define _GNU_SOURCE
#include "vm/value/str_search.h"

#include <string.h>

#include "vm/value/ops.h"
#include "vm/value/str_impl.h"

const char *bytes_find(const char *at, const char *end, const char *sub, size_t len) {
    if (len == 1) return memchr(at, *sub, (size_t)(end - at));
    return memmem(at, (size_t)(end - at), sub, len);
}

// Looks for the last byte of `sub`, from the right.
const char *bytes_find_last(const char *at, const char *end, const char *sub, size_t len) {
    if (len == 0) return end;
    while ((size_t)(end - at) >= len) {
        const char *last = memrchr(at + len - 1, sub[len - 1], (size_t)(end - at) - (len - 1));
        if (!last) return NULL;
        if (memcmp(last + 1 - len, sub, len) == 0) return last + 1 - len;
        end = last;
    }
    return NULL;
}

static Status missing(Vm *vm, const char *method) {
    return vm_raise(vm, EXC_TypeError, "%s() takes at least 1 argument (0 given)", method);
}

static Status must_be_str(Vm *vm, const char *method, Value v) {
    if (v.kind == K_UNDEF) return missing(vm, method);
    return vm_raise(vm, EXC_TypeError, "must be str, not %s", type_name(vm, v));
}

// --- find, index -------------------------------------------------------------------------------

typedef const char *(*FindFn)(const char *at, const char *end, const char *sub, size_t len);

// Computes the position in characters, or -1.
static Status find_with(Vm *vm, const Value *args, const char *name, FindFn find, int64_t *out) {
    Str *s = self_str(args), *sub = str_of(args[1]);
    if (!sub) return must_be_str(vm, name, args[1]);
    StrRange range;
    Status st = str_arg_range(vm, s, args[2], args[3], &range);
    if (st != ST_OK) return st;
    *out = -1;
    if (range.empty) return ST_OK;
    const char *from = s->data + range.from;
    const char *found = find(from, s->data + range.to, sub->data, sub->len);
    if (!found) return ST_OK;
    size_t skipped = (size_t)(found - from);
    if (!str_is_ascii(s)) skipped = str_count_chars(from, skipped);
    *out = (int64_t)(range.first + skipped);
    return ST_OK;
}

static Status find_method(Vm *vm, const Value *args, const char *name, FindFn find, bool must,
                          Value *out) {
    int64_t at = -1;
    Status st = find_with(vm, args, name, find, &at);
    if (st != ST_OK) return st;
    if (must && at < 0) return vm_raise(vm, EXC_ValueError, "substring not found");
    *out = v_int(at);
    return ST_OK;
}

Status str_m_find(Vm *vm, const Value *args, Value *out) {
    return find_method(vm, args, "find", bytes_find, false, out);
}

Status str_m_rfind(Vm *vm, const Value *args, Value *out) {
    return find_method(vm, args, "rfind", bytes_find_last, false, out);
}

Status str_m_index(Vm *vm, const Value *args, Value *out) {
    return find_method(vm, args, "index", bytes_find, true, out);
}

Status str_m_rindex(Vm *vm, const Value *args, Value *out) {
    return find_method(vm, args, "rindex", bytes_find_last, true, out);
}

// --- count, replace ----------------------------------------------------------------------------

static Status count_matches(Vm *vm, const char *at, const char *end, const Str *sub, size_t limit, size_t *count) {
    *count = 0;
    while (*count < limit && (at = bytes_find(at, end, sub->data, sub->len))) {
        if (vm_poll_at(vm, ++*count) != ST_OK) return ST_ERROR;
        at += sub->len;
    }
    return ST_OK;
}

Status str_m_count(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args), *sub = str_of(args[1]);
    if (!sub) return must_be_str(vm, "count", args[1]);
    StrRange range;
    Status st = str_arg_range(vm, s, args[2], args[3], &range);
    if (st != ST_OK) return st;
    const char *from = s->data + range.from, *to = s->data + range.to;
    size_t count = 0;
    if (!range.empty && !sub->len) count = str_count_chars(from, (size_t)(to - from)) + 1;
    else if (!range.empty && count_matches(vm, from, to, sub, SIZE_MAX, &count) != ST_OK) return ST_ERROR;
    *out = v_int((int64_t)count);
    return ST_OK;
}

// Inserts `fresh` before each of the first `limit` characters, and at the end if the limit allows.
static Status put_between(Vm *vm, const Str *s, const Str *fresh, size_t limit, Value *out) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    const char *at = s->data, *end = str_end(s);
    for (; limit > 0; limit--) {
        buf_put(&buf, fresh->data, fresh->len);
        if (at == end) break;
        int width = utf8_width(*at);
        buf_put(&buf, at, (size_t)width);
        at += width;
    }
    buf_put(&buf, at, (size_t)(end - at));
    return str_buf_out(vm, &buf, out);
}

static Status replace_matches(Vm *vm, const Str *s, const Str *old, const Str *fresh,
                              size_t matches, Value *out) {
    Str *to = str_alloc(vm, s->len - matches * old->len + matches * fresh->len);
    if (!to) return vm_no_memory(vm);
    const char *at = s->data, *end = str_end(s);
    char *put = to->data;
    for (; matches > 0; matches--) {
        if (vm_poll_at(vm, matches) != ST_OK) {
            release_obj(vm, to);
            return ST_ERROR;
        }
        const char *found = bytes_find(at, end, old->data, old->len);
        put = mempcpy(put, at, (size_t)(found - at));
        put = mempcpy(put, fresh->data, fresh->len);
        at = found + old->len;
    }
    memcpy(put, at, (size_t)(end - at));
    str_finish(to);
    return str_out(vm, to, out);
}

Status str_m_replace(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args), *old = str_of(args[1]), *fresh = str_of(args[2]);
    if (!old || !fresh)
        return vm_raise(vm, EXC_TypeError, "replace() argument %d must be str, not %s",
                        old ? 2 : 1, argument_type_name(vm, args[old ? 2 : 1]));
    int64_t count;
    Status st = str_arg_size(vm, args[3], &count);
    if (st != ST_OK) return st;
    size_t limit = count < 0 ? SIZE_MAX : (size_t)count;
    if (limit == 0 || str_equal(old, fresh)) return str_same(s, out);
    if (old->len == 0) return put_between(vm, s, fresh, limit, out);
    size_t matches;
    if (count_matches(vm, s->data, str_end(s), old, limit, &matches) != ST_OK) return ST_ERROR;
    if (matches == 0) return str_same(s, out);
    return replace_matches(vm, s, old, fresh, matches, out);
}

// --- Beginnings and ends -----------------------------------------------------------------------

typedef bool (*EdgeFn)(const char *at, const char *end, const Str *edge);

static bool begins(const char *at, const char *end, const Str *prefix) {
    return (size_t)(end - at) >= prefix->len && memcmp(at, prefix->data, prefix->len) == 0;
}

static bool ends(const char *at, const char *end, const Str *suffix) {
    return (size_t)(end - at) >= suffix->len &&
           memcmp(end - suffix->len, suffix->data, suffix->len) == 0;
}

static Status any_edge(Vm *vm, const Tuple *edges, const char *name, EdgeFn edge, const char *at,
                       const char *end, bool *out) {
    *out = false;
    for (size_t i = 0; i < edges->len && !*out; i++) {
        Str *one = str_of(edges->items[i]);
        if (!one)
            return vm_raise(vm, EXC_TypeError, "tuple for %s must only contain str, not %s", name,
                            type_name(vm, edges->items[i]));
        *out = at && edge(at, end, one);
    }
    return ST_OK;
}

static Status edge_method(Vm *vm, const Value *args, const char *name, EdgeFn edge, Value *out) {
    Str *s = self_str(args), *one = str_of(args[1]);
    Value edges = unwrap(args[1]);
    if (edges.kind == K_UNDEF) return missing(vm, name);
    StrRange range;
    Status st = str_arg_range(vm, s, args[2], args[3], &range);
    if (st != ST_OK) return st;
    const char *at = range.empty ? NULL : s->data + range.from, *end = s->data + range.to;
    bool found = false;
    if (one)
        found = at && edge(at, end, one);
    else if (edges.kind == K_TUPLE)
        st = any_edge(vm, edges.tuple, name, edge, at, end, &found);
    else
        st = vm_raise(vm, EXC_TypeError, "%s first arg must be str or a tuple of str, not %s",
                      name, type_name(vm, args[1]));
    if (st == ST_OK) *out = v_bool(found);
    return st;
}

Status str_m_startswith(Vm *vm, const Value *args, Value *out) {
    return edge_method(vm, args, "startswith", begins, out);
}

Status str_m_endswith(Vm *vm, const Value *args, Value *out) {
    return edge_method(vm, args, "endswith", ends, out);
}

static Status remove_edge(Vm *vm, const Value *args, const char *name, EdgeFn edge, bool front,
                          Value *out) {
    Str *s = self_str(args), *one = str_of(args[1]);
    if (!one)
        return vm_raise(vm, EXC_TypeError, "%s() argument must be str, not %s", name,
                        argument_type_name(vm, args[1]));
    if (!one->len || !edge(s->data, str_end(s), one)) return str_same(s, out);
    return str_bytes_out(vm, s->data + (front ? one->len : 0), s->len - one->len, out);
}

Status str_m_removeprefix(Vm *vm, const Value *args, Value *out) {
    return remove_edge(vm, args, "removeprefix", begins, true, out);
}

Status str_m_removesuffix(Vm *vm, const Value *args, Value *out) {
    return remove_edge(vm, args, "removesuffix", ends, false, out);
}
