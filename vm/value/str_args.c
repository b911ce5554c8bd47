// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arguments of str's methods.

#include "vm/value/seq_impl.h"
#include "vm/value/str_impl.h"

Status str_arg_size(Vm *vm, Value v, int64_t *out) {
    return seq_size_arg(vm, v, out);
}

Status str_arg_range(Vm *vm, const Str *s, Value start, Value end, StrRange *out) {
    if (start.kind == K_UNDEF && end.kind == K_UNDEF) {
        *out = (StrRange){.to = s->len};
        return ST_OK;
    }
    int64_t from, to;
    Status st = seq_bound(vm, start, BOUND_OR_NONE, 0, &from);
    if (st == ST_OK) st = seq_bound(vm, end, BOUND_OR_NONE, s->chars, &to);
    if (st != ST_OK) return st;
    bool beyond = from > (int64_t)s->chars; // "".find("", 1) finds nothing
    from = seq_clamp(from, s->chars);
    to = seq_clamp(to, s->chars);
    *out = (StrRange){.first = (size_t)from, .empty = beyond || from > to};
    if (out->empty) return ST_OK;
    out->from = str_offset(s, (size_t)from);
    out->to = str_offset(s, (size_t)to);
    return ST_OK;
}
