// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by tuples and lists (and, for arguments, str and range): reading indexes and bounds, comparing, searching and
// printing runs of values.

#include <string.h>

#include "vm/value/num_methods.h"
#include "vm/value/seq_impl.h"

// --- Indexes, bounds, counts -------------------------------------------------------------------

// As op_index, with another message if the value is no integer.
static Status index_or(Vm *vm, Value v, int64_t *out, const char *message) {
    Status st = op_index(vm, v, out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_TypeError)) return st;
    return vm_raise(vm, EXC_TypeError, "%s", message);
}

Status seq_bound(Vm *vm, Value v, BoundRule rule, int64_t fallback, int64_t *out) {
    if (v.kind == K_INT) {
        *out = v.i;
        return ST_OK;
    }
    if (v.kind == K_UNDEF || (v.kind == K_NONE && rule == BOUND_OR_NONE)) {
        *out = fallback;
        return ST_OK;
    }
    Value whole;
    Status st = num_to_index(vm, v, &whole);
    if (st == ST_OK) {
        if (!int_to_i64(whole, out)) *out = int_sign(whole) < 0 ? INT64_MIN : INT64_MAX;
        release(vm, whole);
    }
    if (st != ST_NOTIMPL) return st;
    return index_or(vm, v, out,
                    rule == BOUND_OR_NONE
                        ? "slice indices must be integers or None or have an __index__ method"
                        : "slice indices must be integers or have an __index__ method");
}

int64_t seq_clamp(int64_t bound, int64_t len) {
    if (bound < 0) bound = bound < -len ? 0 : bound + len;
    return bound > len ? len : bound;
}

Status seq_range_args(Vm *vm, Value start, Value end, BoundRule rule, int64_t len, int64_t *from,
                      int64_t *to) {
    Status st = seq_bound(vm, start, rule, 0, from);
    if (st == ST_OK) st = seq_bound(vm, end, rule, INT64_MAX, to);
    if (st != ST_OK) return st;
    *from = seq_clamp(*from, len);
    *to = seq_clamp(*to, len);
    return ST_OK;
}

Status seq_key(Vm *vm, Value key, const char *what, int64_t *out) {
    if (key.kind == K_INT) {
        *out = key.i;
        return ST_OK;
    }
    Status st = op_index(vm, key, out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_TypeError)) return st;
    return vm_raise(vm, EXC_TypeError, "%s indices must be integers or slices, not %s", what,
                    type_name(vm, key));
}

Status seq_index(Vm *vm, int64_t *index, int64_t len, const char *what) {
    if (*index < 0) *index += len;
    if (*index >= 0 && *index < len) return ST_OK;
    return vm_raise(vm, EXC_IndexError, "%s index out of range", what);
}

Status seq_size_arg(Vm *vm, Value v, int64_t *out) {
    return op_index_or(vm, v, EXC_OverflowError, "Python int too large to convert to C ssize_t", out);
}

Status seq_repeat_count(Vm *vm, Value v, int64_t *out) {
    Value x = unwrap(v);
    if (!is_int(x) && !is_numpy_scalar(x) && x.kind != K_INSTANCE) return ST_NOTIMPL;
    Status st = op_index_or(vm, v, EXC_OverflowError, "cannot fit '%s' into an index-sized integer", out);
    if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError)) {
        vm_clear_error(vm);
        return ST_NOTIMPL;
    }
    if (st == ST_OK && *out < 0) *out = 0;
    return st;
}

// --- Runs of values ----------------------------------------------------------------------------

// Python's order of sequences: the first items that differ decide, else the lengths.
Status seq_compare_items(Vm *vm, CompareOp op, const Value *a, size_t a_len, const Value *b,
                         size_t b_len, Value *out) {
    bool equality = op == CMP_EQ || op == CMP_NE;
    if (equality && a_len != b_len) {
        *out = v_bool(op == CMP_NE);
        return ST_OK;
    }
    size_t common = a_len < b_len ? a_len : b_len;
    for (size_t i = 0; i < common; i++) {
        bool same;
        Status st = seq_eq(vm, a[i], b[i], &same);
        if (st != ST_OK) return st;
        if (same) continue;
        if (equality) {
            *out = v_bool(op == CMP_NE);
        } else if (a[i].kind == K_INT && b[i].kind == K_INT) {
            *out = v_bool((op == CMP_LT || op == CMP_LE) == (a[i].i < b[i].i));
        } else {
            return op_compare(vm, op, a[i], b[i], out);
        }
        return ST_OK;
    }
    if (!equality) return op_compare(vm, op, v_int((int64_t)a_len), v_int((int64_t)b_len), out);
    *out = v_bool(op == CMP_EQ);
    return ST_OK;
}

Status seq_find(Vm *vm, const Value *items, size_t from, size_t to, Value v, int64_t *out) {
    *out = -1;
    for (size_t i = from; i < to; i++) {
        bool same;
        Status st = seq_eq(vm, items[i], v, &same);
        if (st != ST_OK) return st;
        if (!same) continue;
        *out = (int64_t)i;
        return ST_OK;
    }
    return ST_OK;
}

Status seq_count(Vm *vm, const Value *items, size_t len, Value v, int64_t *out) {
    int64_t count = 0;
    for (size_t i = 0; i < len; i++) {
        bool same;
        Status st = seq_eq(vm, items[i], v, &same);
        if (st != ST_OK) return st;
        count += same;
    }
    *out = count;
    return ST_OK;
}

Status seq_repr_items(Vm *vm, const Value *items, size_t len, Buf *out, int depth) {
    for (size_t i = 0; i < len; i++) {
        if (i > 0) buf_puts(out, ", ");
        Status st = op_repr_nested(vm, items[i], out, depth + 1);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

Status seq_unhashable(Vm *vm, Value self, int64_t *out) {
    (void)out;
    return vm_raise(vm, EXC_TypeError, "unhashable type: '%s'", type_name(vm, self));
}

// Copies all that is filled already, up to blocks of BLOCK bytes, between which it polls for interrupts.
Status seq_fill(Vm *vm, char *data, size_t unit, size_t total) {
    enum { BLOCK = 1 << 24 };
    for (size_t done = unit, from = unit; done < total;) {
        size_t more = from < total - done ? from : total - done;
        memcpy(data + done, data, more);
        done += more;
        if (from < BLOCK) from = done;
        else if (vm_poll(vm) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}
