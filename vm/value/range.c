// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ranges. Nearly all have bounds and a length of 64 bits; the others keep exact ints (BigRange).

#include "vm/value/num_methods.h"
#include "vm/value/object.h"
#include "vm/value/seq_dunders.h"
#include "vm/value/seq_impl.h"
#include "vm/value/str.h"

// --- Making ------------------------------------------------------------------------------------

// Converts an argument to an exact int (owned).
static Status int_arg(Vm *vm, Value v, Value *out) {
    Value x = unwrap(v);
    if (x.kind == K_BIGINT) {
        *out = retain(x);
        return ST_OK;
    }
    Status st = num_to_index(vm, v, out);
    if (st != ST_NOTIMPL) return st;
    return vm_raise(vm, EXC_TypeError, "'%s' object cannot be interpreted as an integer", type_name(vm, v));
}

// Computes the length of a range. False: it does not fit int64.
static bool count_items(int64_t start, int64_t stop, int64_t step, int64_t *len) {
    *len = 0;
    if (step > 0 ? start >= stop : start <= stop) return true;
    uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    uint64_t count = (span - 1) / stride + 1;
    *len = (int64_t)count;
    return count <= INT64_MAX;
}

static Status big_range_new(Vm *vm, Value start, Value stop, Value step, Value *out) {
    Value len;
    Status st = range_count(vm, start, stop, step, &len);
    if (st != ST_OK) return st;
    BigRange *big = obj_new(vm, K_RANGE, sizeof *big);
    if (!big) {
        release(vm, len);
        return vm_no_memory(vm);
    }
    big->range.obj.aux = RANGE_BIG;
    big->range.step = 1;
    big->start = retain(start);
    big->stop = retain(stop);
    big->step = retain(step);
    big->len = len;
    *out = v_obj(big);
    return ST_OK;
}

// Makes a range from ints of any size.
static Status range_of(Vm *vm, Value start, Value stop, Value step, Value *out) {
    if (int_sign(step) == 0) return vm_raise(vm, EXC_ValueError, "range() arg 3 must not be zero");
    int64_t len;
    bool small = start.kind == K_INT && stop.kind == K_INT && step.kind == K_INT &&
                 count_items(start.i, stop.i, step.i, &len);
    if (!small) return big_range_new(vm, start, stop, step, out);
    Range *range = obj_new(vm, K_RANGE, sizeof *range);
    if (!range) return vm_no_memory(vm);
    range->start = start.i;
    range->stop = stop.i;
    range->step = step.i;
    range->len = len;
    *out = v_obj(range);
    return ST_OK;
}

Status range_new(Vm *vm, Value start, Value stop, Value step, Value *out) {
    if (start.kind == K_INT && stop.kind == K_INT && step.kind == K_INT)
        return range_of(vm, start, stop, step, out);
    Value ints[3] = {V_UNDEF, V_UNDEF, V_UNDEF};
    Status st = int_arg(vm, start, &ints[0]);
    if (st == ST_OK) st = int_arg(vm, stop, &ints[1]);
    if (st == ST_OK) st = int_arg(vm, step, &ints[2]);
    if (st == ST_OK) st = range_of(vm, ints[0], ints[1], ints[2], out);
    for (int i = 0; i < 3; i++) release(vm, ints[i]);
    return st;
}

Status range_loop(Vm *vm, const Value *args, uint32_t count, Value *out) {
    if (count < 1 || count > 3) return ST_NOTIMPL;
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind != K_INT) return ST_NOTIMPL;
    int64_t start = count > 1 ? args[0].i : 0, stop = args[count > 1].i;
    int64_t step = count > 2 ? args[2].i : 1, len;
    if (step == 0 || !count_items(start, stop, step, &len)) return ST_NOTIMPL;
    Iter *it = iter_new(vm, ITER_RANGE, V_NONE);
    if (!it) return vm_no_memory(vm);
    it->index = start;
    it->stop = len;
    it->step = step;
    *out = v_obj(it);
    return ST_OK;
}

static Status range_construct(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind == K_UNDEF) return range_new(vm, v_int(0), args[0], v_int(1), out);
    return range_new(vm, args[0], args[1], args[2].kind == K_UNDEF ? v_int(1) : args[2], out);
}

static void range_drop(Vm *vm, Obj *obj) {
    if (!range_is_big((Range *)obj)) return;
    BigRange *big = (BigRange *)obj;
    clear(vm, &big->start);
    clear(vm, &big->stop);
    clear(vm, &big->step);
    clear(vm, &big->len);
}

static size_t range_size(const Obj *obj) {
    return range_is_big((const Range *)obj) ? sizeof(BigRange) : sizeof(Range);
}

// --- One view of both forms --------------------------------------------------------------------

// The fields of either form of a range, as ints that are borrowed from it.
typedef struct Bounds {
    Value start, stop, step, len;
} Bounds;

static Bounds bounds_of(const Range *range) {
    if (range_is_big(range)) {
        const BigRange *big = (const BigRange *)range;
        return (Bounds){big->start, big->stop, big->step, big->len};
    }
    return (Bounds){v_int(range->start), v_int(range->stop), v_int(range->step),
                    v_int(range->len)};
}

// Computes start + index * step.
static Status item_at(Vm *vm, Bounds b, Value index, Value *out) {
    Value offset;
    Status st = big_op(vm, BIN_MUL, index, b.step, &offset);
    if (st != ST_OK) return st;
    st = big_op(vm, BIN_ADD, b.start, offset, out);
    release(vm, offset);
    return st;
}

// --- Items -------------------------------------------------------------------------------------

static Status range_getslice(Vm *vm, const Range *range, const Slice *slice, Value *out) {
    Bounds b = bounds_of(range);
    SliceValues part;
    Status st = slice_resolve_values(vm, slice, b.len, &part);
    if (st != ST_OK) return st;
    Value start = V_UNDEF, stop = V_UNDEF, step = V_UNDEF;
    st = item_at(vm, b, part.start, &start);
    if (st == ST_OK) st = item_at(vm, b, part.stop, &stop);
    if (st == ST_OK) st = big_op(vm, BIN_MUL, b.step, part.step, &step);
    if (st == ST_OK) st = range_of(vm, start, stop, step, out);
    release(vm, start);
    release(vm, stop);
    release(vm, step);
    slice_values_release(vm, &part);
    return st;
}

static Status out_of_range(Vm *vm) {
    return vm_raise(vm, EXC_IndexError, "range object index out of range");
}

static Status big_getitem(Vm *vm, const Range *range, Value index, Value *out) {
    Bounds b = bounds_of(range);
    Value at;
    Status st = big_op(vm, BIN_ADD, index, int_sign(index) < 0 ? b.len : v_int(0), &at);
    if (st != ST_OK) return st;
    bool inside = int_sign(at) >= 0 && big_cmp(vm, at, b.len) < 0;
    st = inside ? item_at(vm, b, at, out) : out_of_range(vm);
    release(vm, at);
    return st;
}

static Status range_getitem(Vm *vm, Value self, Value key, Value *out) {
    const Range *range = self.range;
    if (key.kind == K_SLICE) return range_getslice(vm, range, key.slice, out);
    if (unwrap(key).kind == K_BIGINT) return big_getitem(vm, range, unwrap(key), out);
    int64_t index;
    Status st = seq_key(vm, key, "range", &index);
    if (st != ST_OK) return st;
    if (range_is_big(range)) return big_getitem(vm, range, v_int(index), out);
    st = seq_index(vm, &index, range->len, "range object");
    if (st == ST_OK) *out = v_int((int64_t)((uint64_t)range->start +
                                            (uint64_t)index * (uint64_t)range->step));
    return st;
}

// --- Membership --------------------------------------------------------------------------------

static bool small_position(const Range *range, int64_t v, int64_t *at) {
    bool up = range->step > 0;
    if (up ? v < range->start || v >= range->stop : v > range->start || v <= range->stop)
        return false;
    uint64_t offset = up ? (uint64_t)v - (uint64_t)range->start
                         : (uint64_t)range->start - (uint64_t)v;
    uint64_t stride = up ? (uint64_t)range->step : -(uint64_t)range->step;
    *at = (int64_t)(offset / stride);
    return offset % stride == 0;
}

// Computes the position of an int from the quotient and remainder of (v - start) by step. ST_STOP: it is not in the
// range.
static Status big_position(Vm *vm, const Range *range, Value v, Value *at) {
    Bounds b = bounds_of(range);
    Value offset, rest, position = V_UNDEF;
    Status st = big_op(vm, BIN_SUB, v, b.start, &offset);
    if (st != ST_OK) return st;
    st = big_op(vm, BIN_MOD, offset, b.step, &rest);
    if (st == ST_OK && int_sign(rest) != 0) st = ST_STOP;
    if (st == ST_OK) st = big_op(vm, BIN_FLOORDIV, offset, b.step, &position);
    if (st == ST_OK && (int_sign(position) < 0 || big_cmp(vm, position, b.len) >= 0)) st = ST_STOP;
    release(vm, offset);
    if (st == ST_OK)
        *at = position;
    else
        release(vm, position);
    return st;
}

static Status int_position(Vm *vm, const Range *range, Value v, Value *at) {
    int64_t small, index;
    if (range_is_big(range)) return big_position(vm, range, v, at);
    if (!int_to_i64(v, &small) || !small_position(range, small, &index)) return ST_STOP;
    *at = v_int(index);
    return ST_OK;
}

// Finds the position of a float, which counts as the int that it equals. ST_STOP: it is not in the range.
static Status float_position(Vm *vm, const Range *range, double d, Value *at) {
    if (d - d != 0 || d != __builtin_trunc(d)) return ST_STOP;
    Value whole;
    Status st = int_from_double(vm, d, &whole);
    if (st != ST_OK) return st;
    st = int_position(vm, range, whole, at);
    release(vm, whole);
    return st;
}

static Status position_of(Vm *vm, const Range *range, Value v, Value *at);

// Finds the position of any other value by comparing it with the items one by one. User code is left to the slow path.
static Status searched_position(Vm *vm, const Range *range, Value v, Value *at) {
    Value iterator, item;
    Status st = op_iter(vm, v_obj((Obj *)range), &iterator);
    if (st != ST_OK) return st;
    bool same = false;
    for (int64_t i = 0; st == ST_OK && !same; i++) {
        st = op_next(vm, iterator, &item);
        if (st != ST_OK) break;
        st = op_eq(vm, item, v, &same);
        release(vm, item);
        if (st == ST_OK && same) *at = v_int(i);
        if (v.kind != K_ARRAY) break; // equals no int; one comparison tells whether user code decides
    }
    release(vm, iterator);
    if (st != ST_OK || same) return st;
    // An instance of a class derived from a number compares as the number inside.
    if (v.kind == K_INSTANCE && is_number(unwrap(v))) return position_of(vm, range, unwrap(v), at);
    return ST_STOP;
}

// Finds the position of a value equal to v (an owned int); ST_STOP when there is none.
static Status position_of(Vm *vm, const Range *range, Value v, Value *at) {
    Value x = v.kind == K_INSTANCE ? V_UNDEF : v;
    double d;
    if (is_int(x)) return int_position(vm, range, x, at);
    if (x.kind == K_FLOAT) return float_position(vm, range, x.f, at);
    if (x.kind == K_COMPLEX)
        return x.complex->im == 0 ? float_position(vm, range, x.complex->re, at) : ST_STOP;
    if (x.kind != K_SCALAR) return searched_position(vm, range, v, at);
    if (op_as_double(vm, x, &d) == ST_OK) return float_position(vm, range, d, at);
    vm_clear_error(vm);
    return ST_STOP;
}

static Status range_contains(Vm *vm, Value self, Value item, bool *out) {
    Value at;
    Status st = position_of(vm, self.range, item, &at);
    if (st != ST_OK && st != ST_STOP) return st;
    *out = st == ST_OK;
    if (st == ST_OK) release(vm, at);
    return ST_OK;
}

static Status method_index(Vm *vm, const Value *args, Value *out) {
    Status st = position_of(vm, args[0].range, args[1], out);
    if (st != ST_STOP) return st;
    if (!is_int(args[1]))
        return vm_raise(vm, EXC_ValueError, "sequence.index(x): x not in sequence");
    Value text;
    st = op_repr_value(vm, args[1], &text);
    if (st != ST_OK) return st;
    st = vm_raise(vm, EXC_ValueError, "%s is not in range", text.str->data);
    release(vm, text);
    return st;
}

static Status method_count(Vm *vm, const Value *args, Value *out) {
    bool found;
    Status st = range_contains(vm, args[0], args[1], &found);
    if (st == ST_OK) *out = v_int(found);
    return st;
}

// --- As a kind ---------------------------------------------------------------------------------

// Compares ranges as sequences: bounds that make no difference do not count.
static Status range_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    if (b.kind != K_RANGE || (op != CMP_EQ && op != CMP_NE)) return ST_NOTIMPL;
    Bounds x = bounds_of(a.range), y = bounds_of(b.range);
    bool same = big_cmp(vm, x.len, y.len) == 0;
    if (same && int_sign(x.len) != 0) {
        same = big_cmp(vm, x.start, y.start) == 0;
        if (same && !num_equal(x.len, v_int(1))) same = big_cmp(vm, x.step, y.step) == 0;
    }
    *out = v_bool(same == (op == CMP_EQ));
    return ST_OK;
}

// Computes the hash of the tuple (len, start, step), with None for fields that do not matter.
static Status range_hash(Vm *vm, Value self, int64_t *out) {
    Bounds b = bounds_of(self.range);
    int64_t none;
    Status st = op_hash(vm, V_NONE, &none);
    if (st != ST_OK) return st;
    bool empty = int_sign(b.len) == 0, single = num_equal(b.len, v_int(1));
    const int64_t parts[3] = {num_hash(b.len), empty ? none : num_hash(b.start),
                              empty || single ? none : num_hash(b.step)};
    *out = hash_combine_items(parts, 3);
    return ST_OK;
}

static Status range_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = int_sign(bounds_of(self.range).len) != 0;
    return ST_OK;
}

static Status range_len(Vm *vm, Value self, int64_t *out) {
    if (int_to_i64(bounds_of(self.range).len, out)) return ST_OK;
    return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C ssize_t");
}

static Status range_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)depth;
    Bounds b = bounds_of(self.range);
    buf_puts(out, "range(");
    Status st = int_repr(vm, b.start, 10, out);
    buf_puts(out, ", ");
    if (st == ST_OK) st = int_repr(vm, b.stop, 10, out);
    if (st == ST_OK && !num_equal(b.step, v_int(1))) {
        buf_puts(out, ", ");
        st = int_repr(vm, b.step, 10, out);
    }
    buf_putc(out, ')');
    return st;
}

static Status iterate(Vm *vm, Value self, bool backwards, Value *out) {
    const Range *range = self.range;
    Iter *it = iter_new(vm, range_is_big(range) ? ITER_BIG_RANGE : ITER_RANGE, self);
    if (!it) return vm_no_memory(vm);
    if (range_is_big(range)) {
        it->extra = retain(((const BigRange *)range)->start);
    } else {
        uint64_t first = (uint64_t)range->start, step = (uint64_t)range->step;
        it->index = (int64_t)(backwards ? first + (uint64_t)(range->len - 1) * step : first);
        it->step = (int64_t)(backwards ? -step : step);
        it->stop = range->len;
    }
    *out = v_obj(it);
    return ST_OK;
}

static Status range_iter(Vm *vm, Value self, Value *out) {
    return iterate(vm, self, false, out);
}

Status range_reversed(Vm *vm, Value self, Value *out) {
    if (!range_is_big(self.range)) return iterate(vm, self, true, out);
    Slice backwards = {.start = V_NONE, .stop = V_NONE, .step = v_int(-1)};
    Value turned;
    Status st = range_getslice(vm, self.range, &backwards, &turned);
    if (st != ST_OK) return st;
    st = iterate(vm, turned, false, out);
    release(vm, turned);
    return st;
}

static Status get_start(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(bounds_of(self.range).start);
    return ST_OK;
}
static Status get_stop(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(bounds_of(self.range).stop);
    return ST_OK;
}
static Status get_step(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(bounds_of(self.range).step);
    return ST_OK;
}

static const NativeDef construct_row = {"range", "start, stop=?, step=?, /", range_construct,
                                        "range_slow", PURE};

static const NativeDef methods[] = {
    {"count", "self, value, /", method_count, "seq_count_slow", PURE},
    {"index", "self, value, /", method_index, "range_index_slow", PURE},
#define WITH_HASH
#define WITH_REVERSED
#define DUNDER DUNDER_ROW
#include "vm/value/seq_dunders.def"
    {NULL, NULL, NULL, NULL, PURE},
};

static const AttrDef attrs[] = {
    {"start", get_start, NULL},
    {"stop", get_stop, NULL},
    {"step", get_step, NULL},
    {NULL, NULL, NULL},
};

const TypeSlots kind_RANGE = {
    .drop = range_drop,
    .size = range_size,
    .compare = range_compare,
    .truth = range_truth,
    .hash = range_hash,
    .len = range_len,
    .getitem = range_getitem,
    .contains = range_contains,
    .iter = range_iter,
    .repr = range_repr,
    .construct = &construct_row,
    .methods = methods,
    .attrs = attrs,
};
