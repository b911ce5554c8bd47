// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Slice objects, and resolving them against a length.

#include "vm/value/object.h"
#include "vm/value/seq_impl.h"

Status slice_new(Vm *vm, Value start, Value stop, Value step, Value *out) {
    Slice *slice = obj_new(vm, K_SLICE, sizeof *slice);
    if (!slice) return vm_no_memory(vm);
    slice->start = retain(start);
    slice->stop = retain(stop);
    slice->step = retain(step);
    *out = v_obj(slice);
    return ST_OK;
}

// --- Resolving ---------------------------------------------------------------------------------

static int64_t limit(int64_t bound, int64_t low, int64_t high, int64_t len) {
    if (bound < 0) {
        bound += len;
        return bound < low ? low : bound;
    }
    return bound > high ? high : bound;
}

static int64_t items_between(int64_t start, int64_t stop, int64_t step) {
    if (step > 0) return start < stop ? (stop - start - 1) / step + 1 : 0;
    return start > stop ? (start - stop - 1) / -step + 1 : 0;
}

// Follows CPython's PySlice_Unpack and PySlice_AdjustIndices. A step of INT64_MIN becomes INT64_MIN + 1,
// so that it can be negated; no sequence is long enough for that to make a difference.
Status slice_resolve(Vm *vm, const Slice *slice, int64_t len, int64_t *start, int64_t *stop,
                     int64_t *step, int64_t *count) {
    Status st = seq_bound(vm, slice->step, BOUND_OR_NONE, 1, step);
    if (st != ST_OK) return st;
    if (*step == 0) return vm_raise(vm, EXC_ValueError, "slice step cannot be zero");
    if (*step == INT64_MIN) *step = -INT64_MAX;
    bool back = *step < 0;
    int64_t low = back ? -1 : 0, high = back ? len - 1 : len;
    st = seq_bound(vm, slice->start, BOUND_OR_NONE, back ? INT64_MAX : 0, start);
    if (st == ST_OK) st = seq_bound(vm, slice->stop, BOUND_OR_NONE, back ? INT64_MIN : INT64_MAX,
                                    stop);
    if (st != ST_OK) return st;
    *start = limit(*start, low, high, len);
    *stop = limit(*stop, low, high, len);
    *count = items_between(*start, *stop, *step);
    return ST_OK;
}

// --- The same for ints of any size -------------------------------------------------------------

Status big_op(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    return num_binary(vm, op, a, b, out);
}

int big_cmp(Vm *vm, Value a, Value b) {
    if (num_equal(a, b)) return 0;
    Value less;
    return num_compare(vm, CMP_LT, a, b, &less) == ST_OK && less.i ? -1 : 1;
}

// Converts a bound to an int (owned). ST_STOP: it is None.
static Status bound_value(Vm *vm, Value v, Value *out) {
    Value x = unwrap(v);
    if (x.kind == K_NONE || x.kind == K_UNDEF) return ST_STOP;
    if (is_int(x)) {
        *out = retain(x);
        return ST_OK;
    }
    int64_t small;
    Status st = seq_bound(vm, v, BOUND_OR_NONE, 0, &small);
    if (st == ST_OK) *out = v_int(small);
    return st;
}

// Resolves a bound: counts a negative one from the end, and limits it to low … high. `fallback` stands for None.
static Status limited(Vm *vm, Value v, Value fallback, Value low, Value high, Value len,
                      Value *out) {
    Value bound;
    Status st = bound_value(vm, v, &bound);
    if (st == ST_STOP) {
        *out = retain(fallback);
        return ST_OK;
    }
    if (st != ST_OK) return st;
    if (int_sign(bound) < 0) {
        Value sum;
        st = big_op(vm, BIN_ADD, bound, len, &sum);
        if (st == ST_OK) replace(vm, &bound, sum);
        if (st == ST_OK && big_cmp(vm, bound, low) < 0) replace(vm, &bound, retain(low));
    } else if (big_cmp(vm, bound, high) > 0) {
        replace(vm, &bound, retain(high));
    }
    if (st == ST_OK)
        *out = bound;
    else
        release(vm, bound);
    return st;
}

// Computes ceil((stop - start) / step), at least 0.
Status range_count(Vm *vm, Value start, Value stop, Value step, Value *out) {
    Value span, floor;
    Status st = big_op(vm, BIN_SUB, start, stop, &span);
    if (st != ST_OK) return st;
    st = big_op(vm, BIN_FLOORDIV, span, step, &floor); // -ceil
    release(vm, span);
    if (st != ST_OK) return st;
    st = big_op(vm, BIN_SUB, v_int(0), floor, out);
    release(vm, floor);
    if (st == ST_OK && int_sign(*out) < 0) replace(vm, out, v_int(0));
    return st;
}

void slice_values_release(Vm *vm, SliceValues *values) {
    clear(vm, &values->start);
    clear(vm, &values->stop);
    clear(vm, &values->step);
    clear(vm, &values->count);
}

static Status resolve_bounds(Vm *vm, const Slice *slice, Value len, SliceValues *out) {
    bool back = int_sign(out->step) < 0;
    Value last; // len - 1
    Status st = big_op(vm, BIN_SUB, len, v_int(1), &last);
    if (st != ST_OK) return st;
    Value low = v_int(back ? -1 : 0), high = back ? last : len;
    st = limited(vm, slice->start, back ? high : low, low, high, len, &out->start);
    if (st == ST_OK)
        st = limited(vm, slice->stop, back ? low : high, low, high, len, &out->stop);
    if (st == ST_OK) st = range_count(vm, out->start, out->stop, out->step, &out->count);
    release(vm, last);
    return st;
}

Status slice_resolve_values(Vm *vm, const Slice *slice, Value len, SliceValues *out) {
    *out = (SliceValues){.step = V_UNDEF};
    Status st = bound_value(vm, slice->step, &out->step);
    if (st == ST_STOP) {
        out->step = v_int(1);
        st = ST_OK;
    }
    if (st != ST_OK) return st;
    if (int_sign(out->step) == 0)
        st = vm_raise(vm, EXC_ValueError, "slice step cannot be zero");
    else
        st = resolve_bounds(vm, slice, len, out);
    if (st != ST_OK) slice_values_release(vm, out);
    return st;
}

// --- The kind ----------------------------------------------------------------------------------

static void slice_visit(Obj *obj, Visitor *visitor) {
    Slice *slice = (Slice *)obj;
    visit_value(visitor, slice->start);
    visit_value(visitor, slice->stop);
    visit_value(visitor, slice->step);
}

static void slice_drop(Vm *vm, Obj *obj) {
    Slice *slice = (Slice *)obj;
    clear(vm, &slice->start);
    clear(vm, &slice->stop);
    clear(vm, &slice->step);
}

static size_t slice_size(const Obj *obj) {
    (void)obj;
    return sizeof(Slice);
}

static Status slice_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    if (b.kind != K_SLICE) return ST_NOTIMPL;
    const Value x[3] = {a.slice->start, a.slice->stop, a.slice->step};
    const Value y[3] = {b.slice->start, b.slice->stop, b.slice->step};
    return seq_compare_items(vm, op, x, 3, y, 3, out);
}

static Status slice_repr(Vm *vm, Value self, Buf *out, int depth) {
    if (!repr_enter(self.obj)) {
        buf_puts(out, "slice(...)");
        return ST_OK;
    }
    const Value parts[3] = {self.slice->start, self.slice->stop, self.slice->step};
    buf_puts(out, "slice(");
    Status st = seq_repr_items(vm, parts, 3, out, depth);
    buf_putc(out, ')');
    repr_leave(self.obj);
    return st;
}

static Status slice_construct(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind == K_UNDEF) return slice_new(vm, V_NONE, args[0], V_NONE, out);
    return slice_new(vm, args[0], args[1], args[2], out);
}

static Status slice_indices(Vm *vm, const Value *args, Value *out) {
    Value len = unwrap(args[1]);
    int64_t small;
    if (!is_int(len)) {
        Status st = op_index(vm, args[1], &small);
        if (st != ST_OK) return st;
        len = v_int(small);
    }
    if (int_sign(len) < 0) return vm_raise(vm, EXC_ValueError, "length should not be negative");
    SliceValues values;
    Status st = slice_resolve_values(vm, args[0].slice, len, &values);
    if (st != ST_OK) return st;
    const Value three[3] = {values.start, values.stop, values.step};
    st = tuple_of(vm, three, 3, out);
    slice_values_release(vm, &values);
    return st;
}

static Status get_start(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self.slice->start);
    return ST_OK;
}
static Status get_stop(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self.slice->stop);
    return ST_OK;
}
static Status get_step(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self.slice->step);
    return ST_OK;
}

static const NativeDef construct_row = {"slice", "start, stop=?, step=None, /", slice_construct,
                                        NULL, PURE};

static const NativeDef methods[] = {
    {"indices", "self, len, /", slice_indices, "slice_indices_slow", PURE},
    {NULL, NULL, NULL, NULL, PURE},
};

static const AttrDef attrs[] = {
    {"start", get_start, NULL},
    {"stop", get_stop, NULL},
    {"step", get_step, NULL},
    {NULL, NULL, NULL},
};

const TypeSlots kind_SLICE = {
    .visit = slice_visit,
    .drop = slice_drop,
    .size = slice_size,
    .compare = slice_compare,
    .hash = seq_unhashable,
    .repr = slice_repr,
    .construct = &construct_row,
    .methods = methods,
    .attrs = attrs,
};
