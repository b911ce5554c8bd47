// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sorting, partitioning, searching sorted arrays, counting. Every sort is stable, whatever its
// kind; a partition is a partial sort.

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "vm/array/methods.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// --- Arguments ---------------------------------------------------------------------------------

static Status check_order(Vm *vm, Value order) {
    if (order.kind == K_NONE) return ST_OK;
    return vm_raise(vm, EXC_ValueError, "Cannot specify order when the array has no fields.");
}

// Checks kind= and stable=. As in NumPy, only the first letter of a kind counts.
static Status check_kind(Vm *vm, Value kind, Value stable) {
    if (kind.kind == K_NONE) return ST_OK;
    if (kind.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "sort kind must be str, not %s", type_name(vm, kind));
    int letter = tolower((unsigned char)kind.str->data[0]);
    if (letter != 'q' && letter != 'h' && letter != 's' && letter != 'm')
        return vm_raise(vm, EXC_ValueError,
                        "sort kind must be one of 'quick', 'heap', or 'stable' (got '%s')",
                        kind.str->data);
    if (stable.kind == K_NONE) return ST_OK;
    return vm_raise(vm, EXC_ValueError, "`kind` and keyword parameters can't be provided at the "
                    "same time. Use only one of them.");
}

// Checks the arguments a, axis, kind, order, stable.
static Status check_sort(Vm *vm, const Value *args) {
    Status st = check_kind(vm, args[2], args[4]);
    return st == ST_OK ? check_order(vm, args[3]) : st;
}

// Finds the array and axis to sort along. For axis None the array is flattened, and with `lone` also a
// 0-dimensional array for any axis.
static Status axis_arg(Vm *vm, Value a, Value axis, bool lone, Value *array, int *at) {
    Value flat;
    Status st = array_from(vm, a, DT_NONE, array);
    if (st != ST_OK) return st;
    bool is_flat = axis.kind == K_NONE;
    if (is_flat || (lone && array->array->ndim == 0)) {
        st = array_ravel(vm, *array, false, &flat);
        if (st == ST_OK) replace(vm, array, flat);
    }
    if (st == ST_OK) st = axis_from(vm, is_flat ? v_int(-1) : axis, array->array->ndim, at);
    if (st != ST_OK) release(vm, *array);
    return st;
}

// --- Sorting -----------------------------------------------------------------------------------

// Range of positions that a partition must place correctly; count 0: all.
typedef struct Places {
    int64_t first, count;
} Places;

static Status sort_into(Vm *vm, OpId op, Array *from, int axis, Places places, Array *into) {
    Node *node = graph_node(vm, op);
    if (!node) return vm_no_memory(vm);
    node_input_array(node, from);
    node_output_array(node, into);
    node->attrs.loop = from->dtype;
    node->attrs.axes = axis_bit(axis);
    node->attrs.step = places.first;
    node->attrs.points = places.count;
    return graph_record(vm, node);
}

static Status sort_along(Vm *vm, OpId op, Value array, int axis, Places places, Value *out) {
    Array *from = array.array;
    Value made;
    DType type = op == AOP_SORT ? from->dtype : DT_INT64;
    View view;
    int axes[NDIM_MAX];
    array_view(from, &view);
    axes_in_order(&view, op == AOP_SORT ? ORDER_K : ORDER_C, axes);
    Status st = array_new_arranged(vm, type, view.ndim, view.shape, axes, ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    st = sort_into(vm, op, from, axis, places, made.array);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

static Status sort_in_place(Vm *vm, Value self, Value axis, Places places, Value *out) {
    int at;
    if (axis_number_normal(vm, axis) != ST_OK) return ST_ERROR;
    Status st = axis_named(vm, axis, self.array->ndim, "", &at);
    if (st == ST_OK) st = array_check_writeable(vm, self.array, "sort array");
    if (st == ST_OK) st = sort_into(vm, AOP_SORT, self.array, at, places, self.array);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

Status array_m_sort(Vm *vm, const Value *args, Value *out) {
    Status st = check_sort(vm, args);
    return st == ST_OK ? sort_in_place(vm, args[0], args[1], (Places){0}, out) : st;
}

static Status sort_copy(Vm *vm, OpId op, const Value *args, Value *out) {
    Value array, along = args[1];
    int axis;
    Status st = check_sort(vm, args);
    if (st == ST_OK && op == AOP_SORT && along.kind != K_NONE) { // a bool counts as a number here
        st = axis_number_normal(vm, along);
        if (along.kind == K_BOOL) along = v_int(along.i);
    }
    if (st == ST_OK) st = axis_arg(vm, args[0], along, op == AOP_ARGSORT, &array, &axis);
    if (st != ST_OK) return st;
    st = sort_along(vm, op, array, axis, (Places){0}, out);
    release(vm, array);
    return st;
}

Status array_sorted(Vm *vm, const Value *args, Value *out) {
    return sort_copy(vm, AOP_SORT, args, out);
}
Status array_m_argsort(Vm *vm, const Value *args, Value *out) {
    return sort_copy(vm, AOP_ARGSORT, args, out);
}

// Gathers a row in a given order.
static Status in_order(Vm *vm, Value row, Value order, Value *out) {
    Array *at = order.array, *from = row.array;
    Status st = array_new(vm, from->dtype, 1, array_shape(at), ROOM_PLACED, out);
    if (st != ST_OK) return st;
    Node *node = graph_node(vm, AOP_TAKE);
    if (node) {
        node_input_array(node, from);
        node_input_array(node, at);
        node_output_array(node, out->array);
        node->attrs.loop = from->dtype;
        node->attrs.step = array_strides(from)[0];
        node->attrs.axes = axis_bit(0);
        st = graph_record(vm, node);
    } else {
        st = vm_no_memory(vm);
    }
    if (st != ST_OK) release(vm, *out);
    return st;
}

static Status next_order(Vm *vm, Value key, Value *order) {
    Value sorted, places, next;
    Status st = in_order(vm, key, *order, &sorted);
    if (st != ST_OK) return st;
    st = sort_along(vm, AOP_ARGSORT, sorted, 0, (Places){0}, &places);
    release(vm, sorted);
    if (st != ST_OK) return st;
    st = in_order(vm, *order, places, &next);
    release(vm, places);
    if (st == ST_OK) replace(vm, order, next);
    return st;
}

Status array_lexsort(Vm *vm, const Value *keys, size_t count, Value *out) {
    for (size_t i = 0; i < count; i++) {
        bool is_row = keys[i].kind == K_ARRAY && keys[i].array->ndim == 1;
        if (!is_row || array_size(keys[i].array) != array_size(keys[0].array)) return ST_DEFER;
    }
    if (count == 0) return ST_DEFER;
    Value order;
    Status st = sort_along(vm, AOP_ARGSORT, keys[0], 0, (Places){0}, &order);
    if (st != ST_OK) return st;
    for (size_t i = 1; st == ST_OK && i < count; i++)
        st = next_order(vm, keys[i], &order);
    if (st == ST_OK) *out = order;
    else release(vm, order);
    return st;
}

// --- Partitions --------------------------------------------------------------------------------

static Status add_place(Vm *vm, Value place, Array *array, int axis, Places *places) {
    int64_t kth, n = array_shape(array)[axis];
    if (array_long(vm, place, &kth) != ST_OK) return op_refused(vm);
    if (array_size(array) == 0) return ST_OK;
    if (kth < 0) kth += n;
    if (kth >= 0 && kth < n) {
        int64_t first = places->count && places->first < kth ? places->first : kth;
        int64_t end = places->first + places->count > kth + 1 ? places->first + places->count : kth + 1;
        *places = (Places){first, end - first};
        return ST_OK;
    }
    return vm_raise(vm, EXC_ValueError, "kth(=%" PRId64 ") out of bounds (%" PRId64 ")", kth, n);
}

// Computes the range of positions that contains `kth`, an integer or a row of integers.
static Status places_of(Vm *vm, Value kth, Array *array, int axis, Places *out) {
    Value places, list;
    *out = (Places){0};
    if (!is_array_like(kth) && kth.kind != K_INT && kth.kind != K_BOOL && kth.kind != K_SCALAR)
        return vm_raise(vm, EXC_TypeError, "Partition index must be integer");
    Status st = array_from(vm, kth, DT_NONE, &places);
    if (st != ST_OK) return st;
    if (places.array->dtype == DT_BOOL)
        st = vm_raise(vm, EXC_ValueError, "Booleans unacceptable as partition index");
    else if (dtype_kind(places.array->dtype) == DK_FLOAT)
        st = vm_raise(vm, EXC_TypeError, "Partition index must be integer");
    else if (places.array->ndim > 1)
        st = exceeds_one_dimension(vm, kth);
    if (st == ST_OK) st = array_tolist(vm, places, &list);
    release(vm, places);
    if (st != ST_OK) return st;
    if (list.kind != K_LIST) st = add_place(vm, list, array, axis, out);
    for (size_t i = 0; list.kind == K_LIST && st == ST_OK && i < list.list->len; i++)
        st = add_place(vm, list.list->items[i], array, axis, out);
    release(vm, list);
    return st;
}

// Checks the arguments a, kth, axis, kind, order.
static Status check_partition(Vm *vm, const Value *args) {
    if (args[3].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "select kind must be str, not %s",
                        type_name(vm, args[3]));
    if (!str_is(args[3].str, "introselect"))
        return vm_raise(vm, EXC_ValueError, "select kind must be 'introselect' (got '%s')",
                        args[3].str->data);
    return check_order(vm, args[4]);
}

static Status partition_copy(Vm *vm, OpId op, const Value *args, Value *out) {
    Value array;
    int axis;
    Places places;
    Value along = op == AOP_SORT && args[2].kind == K_BOOL ? v_int(args[2].i) : args[2];
    Status st = check_partition(vm, args);
    if (st == ST_OK) st = axis_arg(vm, args[0], along, op == AOP_ARGSORT, &array, &axis);
    if (st != ST_OK) return st;
    st = places_of(vm, args[1], array.array, axis, &places);
    if (st == ST_OK) st = sort_along(vm, op, array, axis, places, out);
    release(vm, array);
    return st;
}

Status array_partitioned(Vm *vm, const Value *args, Value *out) {
    return partition_copy(vm, AOP_SORT, args, out);
}
Status array_m_argpartition(Vm *vm, const Value *args, Value *out) {
    return partition_copy(vm, AOP_ARGSORT, args, out);
}

Status array_m_partition(Vm *vm, const Value *args, Value *out) {
    int axis;
    Places places;
    Status st = check_partition(vm, args);
    if (st == ST_OK) st = axis_from(vm, args[2], args[0].array->ndim, &axis);
    if (st == ST_OK) st = places_of(vm, args[1], args[0].array, axis, &places);
    if (st == ST_OK) st = array_check_writeable(vm, args[0].array, "partition array");
    return st == ST_OK ? sort_in_place(vm, args[0], args[2], places, out) : st;
}

// --- Looking up --------------------------------------------------------------------------------

static Status check_row(Vm *vm, Array *array, Value given) {
    if (array->ndim == 1) return ST_OK;
    if (array->ndim) return exceeds_one_dimension(vm, given);
    return vm_raise(vm, EXC_ValueError, "object of too small depth for desired array");
}

static Status side_arg(Vm *vm, Value side, bool *right) {
    if (side.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "search side must be str, not %s", type_name(vm, side));
    *right = str_is(side.str, "right");
    if (*right || str_is(side.str, "left")) return ST_OK;
    bool letter = strchr("lLrR", side.str->data[0]) && side.str->len;
    if (letter) return vm_raise(vm, EXC_ValueError, "search side must be one of 'left' or 'right'");
    return vm_raise(vm, EXC_ValueError, "search side must be 'left' or 'right' (got '%s')", side.str->data);
}

static Status sorter_array(Vm *vm, Value sorter, Array *row, Value *out) {
    Value typed;
    if (!is_array_like(sorter))
        return vm_raise(vm, EXC_TypeError, "could not parse sorter argument");
    Status st = array_from(vm, sorter, DT_NONE, out);
    if (st != ST_OK) return st;
    if (!dtype_is_integer(out->array->dtype))
        st = vm_raise(vm, EXC_TypeError, "sorter must only contain integers");
    else if (out->array->ndim != 1)
        st = vm_raise(vm, EXC_TypeError, "could not parse sorter argument");
    else if (array_size(out->array) != array_size(row))
        st = vm_raise(vm, EXC_ValueError, "sorter.size must equal a.size");
    if (st == ST_OK) st = array_from(vm, *out, DT_INT64, &typed);
    if (st == ST_OK) replace(vm, out, typed);
    else release(vm, *out);
    return st;
}

// Computes the smallest (AOP_MIN) or largest (AOP_MAX) element of a non-empty array of integers.
static Status extreme(Vm *vm, OpId op, Value array, int64_t *out) {
    Value found;
    Status st = array_reduce(vm, op, array, axes_below(array.array->ndim), false, DT_NONE, &found);
    if (st == ST_OK) *out = scalar_of(found).i;
    return st;
}

// Applies a sorter to a row.
static Status apply_sorter(Vm *vm, Value *row, Value sorter) {
    Value places, sorted;
    int64_t low = 0, high = -1, n = array_size(row->array);
    Status st = sorter_array(vm, sorter, row->array, &places);
    if (st != ST_OK) return st;
    if (n > 0) st = extreme(vm, AOP_MIN, places, &low);
    if (st == ST_OK && n > 0) st = extreme(vm, AOP_MAX, places, &high);
    if (st == ST_OK && (low < 0 || high >= n))
        st = vm_raise(vm, EXC_ValueError, "Sorter index out of range.");
    if (st == ST_OK) st = array_getitem(vm, *row, places, &sorted);
    release(vm, places);
    if (st == ST_OK) replace(vm, row, sorted);
    return st;
}

static Status promote_pair(Vm *vm, Value *a, Value *b) {
    DType type = dtype_promote(a->array->dtype, b->array->dtype);
    Value same;
    Status st = array_from(vm, *a, type, &same);
    if (st == ST_OK) replace(vm, a, same);
    if (st == ST_OK) st = array_from(vm, *b, type, &same);
    if (st == ST_OK) replace(vm, b, same);
    return st;
}

static Status record_search(Vm *vm, Array *row, Array *wanted, bool right, Array *into) {
    Node *node = graph_node(vm, AOP_SEARCHSORTED);
    if (!node) return vm_no_memory(vm);
    node_input_array(node, row);
    node_input_array(node, wanted);
    node_output_array(node, into);
    node->attrs.loop = row->dtype;
    node->attrs.right = right;
    return graph_record(vm, node);
}

static Status search(Vm *vm, Value *row, Value *wanted, Value sorter, bool right, Value *out) {
    Status st = check_row(vm, row->array, *row);
    if (st == ST_OK && sorter.kind != K_NONE) st = apply_sorter(vm, row, sorter);
    if (st == ST_OK) st = promote_pair(vm, row, wanted);
    if (st != ST_OK) return st;
    Array *w = wanted->array;
    Value made;
    st = array_new(vm, DT_INT64, w->ndim, array_shape(w), ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    st = record_search(vm, row->array, w, right, made.array);
    if (st != ST_OK) {
        release(vm, made);
        return st;
    }
    *out = made;
    return array_to_scalar(vm, out);
}

Status array_m_searchsorted(Vm *vm, const Value *args, Value *out) {
    Value row = V_UNDEF, wanted = V_UNDEF;
    bool right = false;
    Status st = side_arg(vm, args[2], &right);
    if (st == ST_OK) st = array_from(vm, args[0], DT_NONE, &row);
    if (st == ST_OK) st = array_from(vm, args[1], DT_NONE, &wanted);
    if (st == ST_OK) st = search(vm, &row, &wanted, args[3], right, out);
    release(vm, row);
    release(vm, wanted);
    return st;
}

// --- Counting ----------------------------------------------------------------------------------

static Status not_safe(Vm *vm, DType from, DType to) {
    return vm_raise(vm, EXC_TypeError, "Cannot cast array data from dtype('%s') to dtype('%s') according "
                    "to the rule 'safe'", dtype_info[from].name, dtype_info[to].name);
}

// Converts a row of integers to int64. As in NumPy, an array of floats is an error, but a list is cast.
static Status counted_array(Vm *vm, Value v, Value *out) {
    Value array;
    Status st = array_from(vm, v, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = check_row(vm, array.array, v);
    DType type = array.array->dtype;
    bool is_complex = dtype_kind(type) == DK_COMPLEX;
    if (st == ST_OK && (is_complex || (v.kind == K_ARRAY && dtype_kind(type) == DK_FLOAT)))
        st = not_safe(vm, type, DT_INT64);
    if (st == ST_OK) st = array_from(vm, array, DT_INT64, out);
    release(vm, array);
    return st;
}

static Status record_count(Vm *vm, Array *numbers, Value weights, Array *into) {
    Node *node = graph_node(vm, AOP_BINCOUNT);
    if (!node) return vm_no_memory(vm);
    node_input_array(node, numbers);
    if (weights.kind == K_ARRAY) node_input_array(node, weights.array);
    else node_input_scalar(node, DT_INT64, (Scalar){.i = 1});
    node_output_array(node, into);
    node->attrs.loop = into->dtype;
    return graph_record(vm, node);
}

static Status weights_array(Vm *vm, Value v, Array *numbers, Value *out) {
    if (v.kind == K_ARRAY && dtype_kind(v.array->dtype) == DK_COMPLEX)
        return not_safe(vm, v.array->dtype, DT_FLOAT64);
    Status st = array_from(vm, v, DT_FLOAT64, out);
    if (st != ST_OK) return st;
    st = check_row(vm, out->array, v);
    if (st == ST_OK && array_size(out->array) != array_size(numbers))
        st = vm_raise(vm, EXC_ValueError, "The weights and list don't have the same length.");
    if (st != ST_OK) release(vm, *out);
    return st;
}

// Computes the minimum and maximum of a non-empty row.
static Status number_range(Vm *vm, Value numbers, int64_t *low, int64_t *high) {
    enum { FEW = 1024 };
    int64_t n = array_size(numbers.array), stride = array_strides(numbers.array)[0], x;
    if (n > FEW || graph_is_distributed(vm, numbers.array->storage)) {
        Status st = extreme(vm, AOP_MIN, numbers, low);
        return st == ST_OK ? extreme(vm, AOP_MAX, numbers, high) : st;
    }
    const char *at = array_fetch(vm, numbers.array, "the range of a few numbers is found there");
    if (!at) return ST_ERROR;
    memcpy(low, at, sizeof *low);
    *high = *low;
    for (int64_t i = 1; i < n; i++) {
        memcpy(&x, at + i * stride, sizeof x);
        if (x < *low) *low = x;
        if (x > *high) *high = x;
    }
    return ST_OK;
}

static Status count(Vm *vm, Value numbers, Value weights, int64_t length, Value *out) {
    int64_t low = 0, high = -1;
    Value made, w = V_UNDEF;
    bool any = array_size(numbers.array) > 0;
    Status st = any ? number_range(vm, numbers, &low, &high) : ST_OK;
    if (st == ST_OK && low < 0)
        st = vm_raise(vm, EXC_ValueError, "'list' argument must have no negative elements");
    if (st == ST_OK && any && weights.kind != K_NONE)
        st = weights_array(vm, weights, numbers.array, &w);
    if (st != ST_OK) return st;
    if (length <= high) length = high < INT64_MAX ? high + 1 : high;
    st = array_new(vm, w.kind == K_ARRAY ? DT_FLOAT64 : DT_INT64, 1, &length, ROOM_ZEROED, &made);
    if (st == ST_OK) {
        st = record_count(vm, numbers.array, w, made.array);
        if (st == ST_OK) *out = made;
        else release(vm, made);
    }
    release(vm, w);
    return st;
}

Status array_bincount(Vm *vm, const Value *args, Value *out) {
    Value numbers;
    int64_t length = 0;
    Status st = counted_array(vm, args[0], &numbers);
    if (st != ST_OK) return st;
    if (args[2].kind == K_NONE) st = vm_raise(vm, EXC_TypeError, "use 0 instead of None for minlength");
    else if (array_long(vm, args[2], &length) != ST_OK) st = op_refused(vm);
    if (st == ST_OK && length < 0)
        st = vm_raise(vm, EXC_ValueError, "'minlength' must not be negative");
    if (st == ST_OK) st = count(vm, numbers, args[1], length, out);
    release(vm, numbers);
    return st;
}
