// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Indexing: ints, slices, None and Ellipsis make views; masks and integer arrays copy.

#include <inttypes.h>
#include <string.h>

#include "vm/array/array.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

enum { KEYS_MAX = 2 * NDIM_MAX };

// An index array and the dimension of the view it selects from.
typedef struct Advanced {
    int dim;
    Value array;    // int64; owned
    int axis;       // of the array that is indexed, for errors
    bool unchecked; // may be negative or beyond
    bool number;    // an int among index arrays
} Advanced;

typedef struct Selection {
    View view;        // after the basic part
    Advanced advanced[NDIM_MAX];
    int advanced_count;
    bool by_arrays;   // some key is an index array or a mask
    bool by_mask;     // one mask over all dimensions
    bool all_ints;    // every dimension was indexed by an int: the result is a scalar
    bool copies;      // an array without dimensions stands for an int: what is read is no view
} Selection;

static void selection_free(Vm *vm, Selection *s) {
    for (int i = 0; i < s->advanced_count; i++) release(vm, s->advanced[i].array);
}

static Status bad_key(Vm *vm) {
    return vm_raise(vm, EXC_IndexError, "only integers, slices (`:`), ellipsis (`...`), "
                    "numpy.newaxis (`None`) and integer or boolean arrays are valid indices");
}

static Status out_of_bounds(Vm *vm, int64_t index, int axis, int64_t extent) {
    return vm_raise(vm, EXC_IndexError, "index %" PRId64 " is out of bounds for axis %d with size "
                    "%" PRId64, index, axis, extent);
}

static bool is_index(Value v) {
    return v.kind == K_INT ||
           (v.kind == K_SCALAR && dtype_is_integer((DType)v.aux)) ||
           (v.kind == K_ARRAY && v.array->ndim == 0 && dtype_is_integer(v.array->dtype));
}

static bool is_mask(Value v) {
    return v.kind == K_ARRAY && v.array->dtype == DT_BOOL;
}

static Status key_index(Vm *vm, Value v, int64_t *out) {
    if (v.kind == K_SCALAR) {
        *out = scalar_of(v).i;
        return ST_OK;
    }
    if (v.kind == K_ARRAY) {
        const char *data = array_read(vm, v.array);
        if (!data) return ST_ERROR;
        *out = dtype_load(v.array->dtype, data).i;
        return ST_OK;
    }
    return op_index(vm, v, out);
}

// --- Masks -------------------------------------------------------------------------------------

// How many elements of a bool array are true.
static Status count_true(Vm *vm, Value mask, int64_t *out) {
    Value count;
    AxisSet all = axes_below(mask.array->ndim);
    Status st = array_reduce(vm, AOP_SUM, mask, all, false, DT_NONE, &count);
    if (st == ST_OK) *out = scalar_of(count).i;
    return st;
}

// A node with the arrays as inputs and one as output.
static Status record(Vm *vm, OpId op, const Value *inputs, Array *into) {
    View view;
    Node *node = graph_node(vm, op);
    if (!node) return vm_no_memory(vm);
    for (int i = 0; i < op_info[op].arity; i++) {
        array_view(inputs[i].array, &view);
        node_input_view(node, &view);
    }
    array_view(into, &view);
    node_output(node, &view);
    node->attrs.loop = into->dtype;
    return graph_record(vm, node);
}

// The columns of an array with a row for each true element.
static Status columns_of(Vm *vm, Value rows, Value *out) {
    View view;
    Value parts[NDIM_MAX];
    array_view(rows.array, &view);
    int64_t count = view.shape[1], made = 0;
    Status st = ST_OK;
    view.ndim = 1;
    for (; made < count; made++, view.offset += (int64_t)sizeof(int64_t))
        if ((st = array_of_view(vm, &view, rows, &parts[made])) != ST_OK) break;
    if (st == ST_OK) return tuple_steal(vm, parts, (size_t)made, out);
    while (made > 0) release(vm, parts[--made]);
    return st;
}

Status array_nonzero(Vm *vm, Value a, Value *out) {
    Value mask, rows;
    int64_t shape[2] = {0, a.array->ndim};
    if (a.array->ndim == 0)
        return vm_raise(vm, EXC_ValueError, "Calling nonzero on 0d arrays is not allowed. Use "
                        "np.atleast_1d(scalar).nonzero() instead.%s",
                        a.array->dtype == DT_BOOL ? " If the context of this error is of the form "
                                                    "`arr[nonzero(cond)]`, just use `arr[cond]`."
                                                  : "");
    Status st = array_copy(vm, a, DT_BOOL, &mask);
    if (st != ST_OK) return st;
    st = count_true(vm, mask, &shape[0]);
    if (st == ST_OK) st = array_new(vm, DT_INT64, 2, shape, ROOM_PLACED, &rows);
    if (st == ST_OK) {
        st = record(vm, AOP_NONZERO, &mask, rows.array);
        if (st == ST_OK) st = columns_of(vm, rows, out);
        release(vm, rows);
    }
    release(vm, mask);
    return st;
}

// A mask without dimensions, as in a[True]: a new dimension of one element, taken once or never.
static Status add_switch(Vm *vm, Selection *s, Value mask, int dim) {
    const char *data = array_read(vm, mask.array);
    if (!data) return ST_ERROR;
    Value places;
    int64_t count = *data != 0;
    Status st = array_new(vm, DT_INT64, 1, &count, ROOM_ZEROED, &places);
    if (st == ST_OK) s->advanced[s->advanced_count++] = (Advanced){.dim = dim, .array = places};
    return st;
}

static Status add_mask(Vm *vm, Selection *s, Value mask, int dim, int axis) {
    Array *m = mask.array;
    for (int d = 0; d < m->ndim; d++) {
        int64_t want = s->view.shape[dim + d], got = array_shape(m)[d];
        if (want != got && got > 0) // of extent 0 it selects nothing anyway
            return vm_raise(vm, EXC_IndexError, "boolean index did not match indexed array along "
                            "axis %d; size of axis is %" PRId64 " but size of corresponding "
                            "boolean axis is %" PRId64, axis + d, want, got);
    }
    Value places;
    Status st = array_nonzero(vm, mask, &places);
    if (st != ST_OK) return st;
    for (int d = 0; d < m->ndim; d++)
        s->advanced[s->advanced_count++] =
            (Advanced){.dim = dim + d, .array = retain(places.tuple->items[d])};
    release(vm, places);
    return ST_OK;
}

// Counts negative indexes from the end, in place; IndexError for the first one beyond.
static Status wrap_indexes(Vm *vm, Array *indexes, int axis, int64_t extent) {
    View view;
    Node *node = graph_node(vm, AOP_WRAP_INDEX);
    if (!node) return vm_no_memory(vm);
    array_view(indexes, &view);
    node_input_view(node, &view);
    node_input_scalar(node, DT_INT64, (Scalar){.i = extent});
    node_output(node, &view);
    node->attrs.loop = DT_INT64;
    node->attrs.axis = axis;
    return graph_record(vm, node);
}

// An integer array, as int64; see wrap_all.
static Status add_indexes(Vm *vm, Selection *s, Value indexes, int dim, int axis) {
    Value copy;
    Status st = array_copy(vm, indexes, DT_INT64, &copy);
    if (st == ST_OK)
        s->advanced[s->advanced_count++] = (Advanced){.dim = dim, .array = copy, .axis = axis,
                                                      .unchecked = true};
    return st;
}

// --- Taking a key apart ------------------------------------------------------------------------

static bool is_key(Value v) {
    return is_index(v) || v.kind == K_ARRAY || v.kind == K_SLICE || v.kind == K_NONE ||
           v.kind == K_ELLIPSIS;
}

static int consumed_dims(Value key) {
    if (key.kind == K_NONE || key.kind == K_ELLIPSIS) return 0;
    return is_mask(key) ? key.array->ndim : 1;
}

typedef struct Keys {
    Value items[KEYS_MAX];
    Value owned[KEYS_MAX]; // arrays made of lists
    int count;
} Keys;

static void keys_free(Vm *vm, Keys *keys) {
    for (int i = 0; i < keys->count; i++) release(vm, keys->owned[i]);
}

// A list as an index array. What no array is made of is no key; an empty list has no type yet.
static Status key_from_list(Vm *vm, Value list, Value *out) {
    Status st = array_from(vm, list, DT_NONE, out);
    if (st != ST_OK && (vm_error_is(vm, EXC_NotImplementedError) ||
                        vm_error_is(vm, EXC_OverflowError))) {
        vm_clear_error(vm);
        return bad_key(vm);
    }
    if (st != ST_OK || is_mask(*out) || dtype_is_integer(out->array->dtype)) return st;
    if (array_size(out->array) > 0) st = bad_key(vm);
    Value places;
    if (st == ST_OK) st = array_copy(vm, *out, DT_INT64, &places);
    release(vm, *out);
    if (st == ST_OK) *out = places;
    return st;
}

static Status keys_of(Vm *vm, Value key, Keys *keys) {
    const Value *items = key.kind == K_TUPLE ? key.tuple->items : &key;
    size_t n = key.kind == K_TUPLE ? key.tuple->len : 1;
    int ellipses = 0;
    keys->count = 0;
    if (n > KEYS_MAX) return vm_raise(vm, EXC_IndexError, "too many indices for array");
    for (size_t i = 0; i < n; i++) {
        Value item = items[i];
        keys->owned[keys->count] = V_UNDEF;
        if (item.kind == K_LIST || item.kind == K_RANGE || item.kind == K_TUPLE ||
            item.kind == K_BOOL || (item.kind == K_SCALAR && item.aux == DT_BOOL)) {
            Status st = key_from_list(vm, item, &keys->owned[keys->count]);
            if (st != ST_OK) return st;
            item = keys->owned[keys->count];
        }
        if (!is_key(item)) return bad_key(vm);
        if (item.kind == K_ARRAY && !is_mask(item) && !dtype_is_integer(item.array->dtype))
            return vm_raise(vm, EXC_IndexError, "arrays used as indices must be of integer (or "
                            "boolean) type");
        ellipses += item.kind == K_ELLIPSIS;
        if (ellipses > 1)
            return vm_raise(vm, EXC_IndexError, "an index can only have a single ellipsis ('...')");
        keys->items[keys->count++] = item;
    }
    return ST_OK;
}

static Status too_many(Vm *vm, int ndim, int used) {
    return vm_raise(vm, EXC_IndexError, "too many indices for array: array is %d-dimensional, but "
                    "%d were indexed", ndim, used);
}

static void push_dim(View *v, int64_t extent, int64_t stride) {
    v->shape[v->ndim] = extent;
    v->strides[v->ndim++] = stride;
}

static Status take_slice(Vm *vm, View *to, const View *from, int dim, const Slice *slice) {
    int64_t start, stop, step, count;
    Status st = slice_resolve(vm, slice, from->shape[dim], &start, &stop, &step, &count);
    if (st != ST_OK) return st;
    if (count > 0) to->offset += start * from->strides[dim];
    // With one element, or none, the step may be anything: as in NumPy the stride then wraps around.
    push_dim(to, count, (int64_t)((uint64_t)from->strides[dim] * (uint64_t)step));
    return ST_OK;
}

// Among index arrays an int is one of them.
static Status take_int_index(Vm *vm, Selection *s, const View *from, int dim, Value key) {
    Value index;
    Status st = array_from(vm, key, DT_INT64, &index);
    if (st != ST_OK) return st;
    push_dim(&s->view, from->shape[dim], from->strides[dim]);
    st = add_indexes(vm, s, index, s->view.ndim - 1, dim);
    if (st == ST_OK) s->advanced[s->advanced_count - 1].number = true;
    release(vm, index);
    return st;
}

static Status take_int(Vm *vm, View *to, const View *from, int dim, Value key) {
    int64_t index;
    Status st = key_index(vm, key, &index);
    if (st != ST_OK) return st;
    int64_t extent = from->shape[dim];
    if (index < -extent || index >= extent) return out_of_bounds(vm, index, dim, extent);
    to->offset += (index < 0 ? index + extent : index) * from->strides[dim];
    return ST_OK;
}

// One key applied to dimension *dim of `from`.
static Status take_key(Vm *vm, Selection *s, const View *from, int *dim, Value key, int fill) {
    View *to = &s->view;
    bool grows = key.kind == K_NONE || (is_mask(key) && key.array->ndim == 0);
    if (grows && to->ndim + from->ndim - *dim >= NDIM_MAX)
        return too_many(vm, from->ndim, NDIM_MAX + 1);
    if (key.kind == K_NONE) {
        push_dim(to, 1, 0);
        return ST_OK;
    }
    if (key.kind == K_ELLIPSIS) {
        for (int i = 0; i < fill; i++, ++*dim) push_dim(to, from->shape[*dim], from->strides[*dim]);
        return ST_OK;
    }
    if (key.kind == K_SLICE)
        return take_slice(vm, to, from, (*dim)++, (const Slice *)key.obj);
    if (is_index(key) && s->by_arrays) return take_int_index(vm, s, from, (*dim)++, key);
    if (is_index(key)) return take_int(vm, to, from, (*dim)++, key);
    int first = to->ndim, used = consumed_dims(key), axis = *dim;
    if (used == 0) {
        push_dim(to, 1, 0);
        return add_switch(vm, s, key, first);
    }
    for (int i = 0; i < used; i++, ++*dim) push_dim(to, from->shape[*dim], from->strides[*dim]);
    return is_mask(key) ? add_mask(vm, s, key, first, axis) : add_indexes(vm, s, key, first, axis);
}

static Status select_keys(Vm *vm, Array *array, const Keys *keys, Selection *s) {
    View from;
    int used = 0, ints = 0, dim = 0;
    array_view(array, &from);
    s->view = (View){.storage = from.storage, .offset = from.offset, .dtype = from.dtype};
    s->advanced_count = 0;
    s->by_arrays = s->copies = false;
    for (int i = 0; i < keys->count; i++) {
        used += consumed_dims(keys->items[i]);
        ints += is_index(keys->items[i]);
        bool array = keys->items[i].kind == K_ARRAY;
        s->by_arrays |= array && !is_index(keys->items[i]);
        s->copies |= array;
    }
    if (used > from.ndim) return too_many(vm, from.ndim, used);
    for (int i = 0; i < keys->count; i++) {
        Status st = take_key(vm, s, &from, &dim, keys->items[i], from.ndim - used);
        if (st != ST_OK) return st;
    }
    for (; dim < from.ndim; dim++) push_dim(&s->view, from.shape[dim], from.strides[dim]);
    s->by_mask = keys->count == 1 && is_mask(keys->items[0]) && used == from.ndim &&
                 memcmp(array_shape(keys->items[0].array), from.shape, (size_t)used * 8) == 0;
    s->all_ints = ints == from.ndim && keys->count == ints;
    return ST_OK;
}

// --- Integer arrays and masks ------------------------------------------------------------------

// A selection by index arrays: for each combination of the broadcast index arrays, a sub-view of the
// dimensions without one.
typedef struct Walk {
    int64_t shape[NDIM_MAX]; // of the index arrays, broadcast
    int ndim;
    View result;             // shape of the whole result
    int at;                  // where the broadcast dimensions stand in the result
} Walk;

static Status mismatch(Vm *vm, const Selection *s) {
    Buf text;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "shape mismatch: indexing arrays could not be broadcast together with shapes ");
    for (int i = 0; i < s->advanced_count; i++) {
        Array *a = s->advanced[i].array.array;
        if (s->advanced[i].number) continue;
        shape_text_tight(array_shape(a), a->ndim, &text);
        buf_putc(&text, ' ');
    }
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_IndexError, "%s", text.data);
    buf_free(&text);
    return st;
}

static Status broadcast_indexes(Vm *vm, const Selection *s, Walk *w) {
    View indexes[NDIM_MAX];
    const View *views[NDIM_MAX];
    for (int i = 0; i < s->advanced_count; i++) {
        array_view(s->advanced[i].array.array, &indexes[i]);
        views[i] = &indexes[i];
    }
    if (shapes_broadcast(vm, views, s->advanced_count, w->shape, &w->ndim) == ST_OK) return ST_OK;
    return mismatch(vm, s);
}

// Checks the ints, or the index arrays, and counts negative indexes from the end.
static Status wrap_all(Vm *vm, const Selection *s, bool numbers) {
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < s->advanced_count; i++) {
        const Advanced *a = &s->advanced[i];
        if (a->unchecked && a->number == numbers)
            st = wrap_indexes(vm, a->array.array, a->axis, s->view.shape[a->dim]);
    }
    return st;
}

static Status walk_of(Vm *vm, const Selection *s, Walk *w) {
    bool together = true;
    AxisSet taken = 0;
    int kept[NDIM_MAX], count = 0;
    for (int i = 0; i < s->advanced_count; i++) {
        taken |= axis_bit(s->advanced[i].dim);
        if (i > 0 && s->advanced[i].dim != s->advanced[i - 1].dim + 1) together = false;
    }
    if (wrap_all(vm, s, true) != ST_OK || broadcast_indexes(vm, s, w) != ST_OK) return ST_ERROR;
    w->at = 0;
    for (int d = 0; d < s->view.ndim; d++) {
        if (taken >> d & 1) continue;
        if (together && d < s->advanced[0].dim) w->at++;
        kept[count++] = d;
    }
    if (w->ndim + count > NDIM_MAX) return too_many(vm, s->view.ndim, NDIM_MAX + 1);
    w->result = (View){.dtype = s->view.dtype};
    for (int i = 0; i < w->at; i++) push_dim(&w->result, s->view.shape[kept[i]], 0);
    for (int d = 0; d < w->ndim; d++) push_dim(&w->result, w->shape[d], 0);
    for (int i = w->at; i < count; i++) push_dim(&w->result, s->view.shape[kept[i]], 0);
    // Where nothing is selected, index arrays may hold what they like.
    return view_size(&w->result) == 0 ? ST_OK : wrap_all(vm, s, false);
}

// Places as one array: the only index array, or all of them together, in bytes.
static Status places_of(Vm *vm, const Selection *s, Value *places, int64_t *step) {
    *places = retain(s->advanced[0].array);
    *step = s->view.strides[s->advanced[0].dim];
    if (s->advanced_count == 1) return ST_OK;
    Value sum = V_UNDEF, term, more;
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < s->advanced_count; i++) {
        const Value factors[2] = {s->advanced[i].array, v_int(s->view.strides[s->advanced[i].dim])};
        st = array_apply(vm, AOP_MULTIPLY, factors, 2, V_UNDEF, DT_NONE, &term);
        if (st != ST_OK || i == 0) {
            if (st == ST_OK) sum = term;
            continue;
        }
        const Value terms[2] = {sum, term};
        st = array_apply(vm, AOP_ADD, terms, 2, V_UNDEF, DT_NONE, &more);
        release(vm, term);
        if (st == ST_OK) replace(vm, &sum, more);
    }
    release(vm, *places);
    *places = V_UNDEF;
    if (st == ST_OK) st = array_from(vm, sum, DT_INT64, places); // of arrays without dimensions, too
    release(vm, sum);
    *step = 1;
    return st;
}

// The view of `dense` (of the result's shape) with the axes of the places first.
static void places_first(const Walk *w, View *dense) {
    View from = *dense;
    for (int d = 0; d < w->ndim; d++) {
        dense->shape[d] = from.shape[w->at + d];
        dense->strides[d] = from.strides[w->at + d];
    }
    for (int d = 0; d < w->at; d++) {
        dense->shape[w->ndim + d] = from.shape[d];
        dense->strides[w->ndim + d] = from.strides[d];
    }
}

// Records that elements move between the selected places and `dense`, of the result's shape; or, with
// `combine`, that those of `dense`, which are of its loop's type, meet them.
static Status move_selected(Vm *vm, const Selection *s, const Walk *w, View *dense, bool take,
                            OpId combine) {
    Value places;
    View at;
    int64_t step;
    Status st = places_of(vm, s, &places, &step);
    Node *node = st == ST_OK ? graph_node(vm, take ? AOP_TAKE : AOP_PUT) : NULL;
    if (!node) {
        release(vm, places);
        return st == ST_OK ? vm_no_memory(vm) : st;
    }
    array_view(places.array, &at);
    view_broadcast(&at, w->shape, w->ndim);
    places_first(w, dense);
    if (take) node_input_view(node, &s->view);
    node_input_view(node, &at);
    if (!take) node_input_view(node, dense);
    node_output(node, take ? dense : &s->view);
    node->attrs.loop = combine == AOP_NONE ? s->view.dtype : dense->dtype;
    node->attrs.combine = combine;
    node->attrs.step = step;
    node->attrs.axes = 0;
    for (int i = 0; i < s->advanced_count; i++) node->attrs.axes |= axis_bit(s->advanced[i].dim);
    st = graph_record(vm, node);
    release(vm, places);
    return st;
}

static Status get_selected(Vm *vm, const Selection *s, Value *out) {
    Walk w;
    View dense;
    Value made;
    Status st = walk_of(vm, s, &w);
    if (st == ST_OK)
        st = array_new(vm, w.result.dtype, w.result.ndim, w.result.shape, ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &dense);
    st = move_selected(vm, s, &w, &dense, true, AOP_NONE);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

static Status mask_too_deep(Vm *vm, int ndim) {
    return vm_raise(vm, EXC_TypeError, "NumPy boolean array indexing assignment requires a 0 or "
                    "1-dimensional input, input has %d dimensions", ndim);
}

// NumPy's words for values that do not fit the places.
static Status value_mismatch(Vm *vm, const Selection *s, const Walk *w, Value value) {
    Value array;
    Buf text;
    if (!is_array_like(value)) return ST_ERROR; // another problem, reported already
    Status st = array_from(vm, value, DT_NONE, &array);
    if (st != ST_OK) return st;
    Array *a = array.array;
    if (s->by_mask) {
        st = vm_raise(vm, EXC_ValueError,
                      "NumPy boolean array indexing assignment cannot assign %" PRId64
                      " input values to the %" PRId64 " output values where the mask is true",
                      array_size(a), view_size(&w->result));
        release(vm, array);
        return st;
    }
    buf_init(&text, &vm->mem);
    buf_puts(&text, "shape mismatch: value array of shape ");
    shape_text_tight(array_shape(a), a->ndim, &text);
    buf_puts(&text, " could not be broadcast to indexing result of shape ");
    shape_text_tight(w->result.shape, w->result.ndim, &text);
    buf_putc(&text, '\0');
    st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    release(vm, array);
    return st;
}

static Status set_selected(Vm *vm, const Selection *s, Value value) {
    Walk w;
    View dense;
    Value made;
    Status st = walk_of(vm, s, &w);
    if (st == ST_OK)
        st = array_new(vm, w.result.dtype, w.result.ndim, w.result.shape, ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &dense);
    Value values = V_UNDEF; // an array of a list: its depth does not matter
    if (is_array_like(value)) st = array_from(vm, value, DT_NONE, &values);
    bool too_deep = s->by_mask && values.kind == K_ARRAY && values.array->ndim > 1;
    if (too_deep) st = mask_too_deep(vm, values.array->ndim);
    if (st == ST_OK) st = array_assign(vm, &dense, values.kind == K_UNDEF ? value : values);
    release(vm, values);
    if (st == ST_ERROR && vm_error_is(vm, EXC_ValueError)) st = value_mismatch(vm, s, &w, value);
    if (st == ST_OK) st = move_selected(vm, s, &w, &dense, false, AOP_NONE);
    release(vm, made);
    return st;
}

// --- The slots ---------------------------------------------------------------------------------

static Status element(Vm *vm, const View *view, Value *out) {
    const char *base = graph_read(vm, view->storage);
    if (!base) return ST_ERROR;
    return scalar_out(vm, view->dtype, dtype_load(view->dtype, base + view->offset), out);
}

// --- A mask over all dimensions ----------------------------------------------------------------

static bool is_whole_mask(Value self, const Keys *keys) {
    if (keys->count != 1 || !is_mask(keys->items[0])) return false;
    Array *a = self.array, *m = keys->items[0].array;
    return a->ndim == m->ndim && a->ndim > 0 &&
           memcmp(array_shape(a), array_shape(m), (size_t)a->ndim * sizeof(int64_t)) == 0;
}

static Status get_masked(Vm *vm, Value self, Value mask, Value *out) {
    Value pair[2] = {V_UNDEF, V_UNDEF}, made;
    int64_t count;
    Status st = array_contiguous(vm, self, &pair[0]);
    if (st == ST_OK) st = array_contiguous(vm, mask, &pair[1]);
    if (st == ST_OK) st = count_true(vm, pair[1], &count);
    if (st == ST_OK) st = array_new(vm, self.array->dtype, 1, &count, ROOM_PLACED, &made);
    if (st == ST_OK) {
        st = record(vm, AOP_COMPRESS, pair, made.array);
        if (st == ST_OK) *out = made;
        else release(vm, made);
    }
    release(vm, pair[0]);
    release(vm, pair[1]);
    return st;
}

// a[mask] = number is a choice between the number and what is there.
static Status set_masked(Vm *vm, Value self, Value mask, Value number) {
    Scalar s;
    Value result;
    Status st = scalar_from(vm, number, self.array->dtype, &s);
    if (st != ST_OK) return st;
    Value chosen;
    st = scalar_out(vm, self.array->dtype, s, &chosen);
    if (st != ST_OK) return st;
    const Value args[3] = {mask, chosen, self};
    st = array_apply(vm, AOP_WHERE, args, 3, self, DT_NONE, &result);
    release(vm, chosen);
    if (st == ST_OK) release(vm, result);
    return st;
}

static Status copy_in_place(Vm *vm, Value *array) {
    Value copy;
    Status st = array_copy(vm, *array, array->array->dtype, &copy);
    release(vm, *array);
    if (st == ST_OK) *array = copy;
    return st;
}

static Status get_keys(Vm *vm, Value self, const Keys *keys, Value *out) {
    Selection s;
    if (is_whole_mask(self, keys)) return get_masked(vm, self, keys->items[0], out);
    Status st = select_keys(vm, self.array, keys, &s);
    if (st == ST_OK) {
        if (s.advanced_count) st = get_selected(vm, &s, out);
        else if (s.all_ints) st = element(vm, &s.view, out);
        else st = array_of_view(vm, &s.view, self, out);
        if (st == ST_OK && s.copies && out->kind == K_ARRAY && !s.advanced_count)
            st = copy_in_place(vm, out);
    }
    selection_free(vm, &s);
    return st;
}

static bool plain_int(Value v) {
    return v.kind == K_INT;
}

Status array_get_element(Vm *vm, Array *array, const Value *indexes, int count, Value *out) {
    if (count != array->ndim) return ST_NOTIMPL;
    int64_t offset = array->offset;
    for (int d = 0; d < count; d++) {
        if (!plain_int(indexes[d])) return ST_NOTIMPL;
        int64_t i = indexes[d].i, extent = array_shape(array)[d];
        if (i < 0) i += extent;
        if (i < 0 || i >= extent) return ST_NOTIMPL;
        offset += i * array_strides(array)[d];
    }
    const char *base = graph_read(vm, array->storage);
    if (!base) return ST_ERROR;
    if (array->dtype == DT_FLOAT64) {
        double d;
        memcpy(&d, base + offset, sizeof d);
        *out = v_scalar(DT_FLOAT64, (Scalar){.f = d});
    } else {
        return scalar_out(vm, array->dtype, dtype_load(array->dtype, base + offset), out);
    }
    return ST_OK;
}

Status array_set_element(Vm *vm, Array *array, const Value *indexes, int count, Value value) {
    if (count != array->ndim || array->readonly) return ST_NOTIMPL;
    int64_t offset = array->offset;
    for (int d = 0; d < count; d++) {
        if (!plain_int(indexes[d])) return ST_NOTIMPL;
        int64_t i = indexes[d].i, extent = array_shape(array)[d];
        if (i < 0) i += extent;
        if (i < 0 || i >= extent) return ST_NOTIMPL;
        offset += i * array_strides(array)[d];
    }
    Scalar s;
    if (value.kind == K_FLOAT && array->dtype == DT_FLOAT64) {
        s.f = value.f;
    } else if (value.kind == K_SCALAR) {
        s = dtype_convert((DType)value.aux, array->dtype, scalar_of(value));
    } else if (is_array_like(value)) {
        return ST_NOTIMPL;
    } else {
        Status st = scalar_from(vm, value, array->dtype, &s);
        if (st != ST_OK) return st;
    }
    char *base = graph_write(vm, array->storage);
    if (!base) return ST_ERROR;
    dtype_store(array->dtype, base + offset, s);
    return ST_OK;
}

Status array_getitem(Vm *vm, Value self, Value key, Value *out) {
    Keys keys;
    const Value *items = key.kind == K_TUPLE ? key.tuple->items : &key;
    int count = key.kind == K_TUPLE ? (int)key.tuple->len : 1;
    Status st = array_get_element(vm, self.array, items, count, out);
    if (st != ST_NOTIMPL) return st;
    st = keys_of(vm, key, &keys);
    if (st == ST_OK) st = get_keys(vm, self, &keys, out);
    keys_free(vm, &keys);
    return st;
}

// What becomes of a list that should be an element.
static Status list_as_element(Vm *vm, DType dtype, Value value, Scalar *out) {
    bool truth;
    Status st;
    switch (dtype_kind(dtype)) {
    case DK_BOOL:
        st = op_truth(vm, value, &truth);
        *out = (Scalar){.i = st == ST_OK && truth};
        return st;
    case DK_INT:
    case DK_UINT:
        return vm_raise(vm, EXC_TypeError, "int() argument must be a string, a bytes-like object or a "
                        "real number, not '%s'", type_name(vm, value));
    case DK_COMPLEX:
        return vm_raise(vm, EXC_TypeError, "must be real number, not %s", type_name(vm, value));
    default: return vm_raise(vm, EXC_ValueError, "setting an array element with a sequence.");
    }
}

// A single element takes a number, or an array that is one.
static Status set_one(Vm *vm, const View *view, Value value) {
    Scalar s;
    bool listed = is_array_like(value) && value.kind != K_ARRAY;
    Status st = listed ? list_as_element(vm, view->dtype, value, &s)
                       : scalar_from(vm, value, view->dtype, &s);
    return st == ST_OK ? array_fill(vm, view, view->dtype, s) : st;
}

static Status set_keys(Vm *vm, Value self, const Keys *keys, Value value) {
    Selection s;
    bool number = is_numpy_scalar(value) || value.kind == K_FLOAT || value.kind == K_INT ||
                  value.kind == K_BOOL || value.kind == K_COMPLEX;
    if (number && is_whole_mask(self, keys)) return set_masked(vm, self, keys->items[0], value);
    Status st = select_keys(vm, self.array, keys, &s);
    if (st == ST_OK) {
        if (s.advanced_count) st = set_selected(vm, &s, value);
        else if (s.all_ints) st = set_one(vm, &s.view, value);
        else st = array_assign(vm, &s.view, value);
    }
    selection_free(vm, &s);
    return st;
}

Status array_setitem(Vm *vm, Value self, Value key, Value value) {
    Keys keys;
    const Value *items = key.kind == K_TUPLE ? key.tuple->items : &key;
    int count = key.kind == K_TUPLE ? (int)key.tuple->len : 1;
    Status st = array_set_element(vm, self.array, items, count, value);
    if (st != ST_NOTIMPL) return st;
    st = array_check_writeable(vm, self.array, "assignment destination");
    if (st != ST_OK) return st;
    st = keys_of(vm, key, &keys);
    if (st == ST_OK) st = set_keys(vm, self, &keys, value);
    keys_free(vm, &keys);
    return st;
}

Status array_find_outside(Vm *vm, Array *row, int64_t extent, int64_t *found) {
    const char *at = array_read(vm, row);
    if (!at) return ST_ERROR;
    for (int64_t i = 0; i < array_size(row); i++) {
        memcpy(found, at + i * (int64_t)sizeof *found, sizeof *found);
        if (*found < 0 || *found >= extent) return ST_OK;
    }
    return ST_STOP;
}

// --- ufunc.at ----------------------------------------------------------------------------------

// The type that elements of `own` meet an operand in.
static Status meeting_type(Vm *vm, OpId op, DType own, Value operand, DType *loop) {
    DType type = own, other = DT_NONE, result;
    if (operand.kind == K_ARRAY) other = operand.array->dtype;
    else if (is_numpy_scalar(operand)) other = scalar_dtype(operand);
    else if (operand.kind != K_UNDEF) other = dtype_with_weak(DT_NONE, strength_of(operand));
    if (operand.kind == K_ARRAY || is_numpy_scalar(operand)) type = dtype_promote(own, other);
    else if (operand.kind != K_UNDEF) type = dtype_with_weak(own, strength_of(operand));
    if (op_types(op, type, loop, &result)) return ST_OK;
    const LoopTypes types = {.types = {own, other}, .count = op_info[op].arity, .result = DT_NONE};
    return no_loop(vm, op, type, &types);
}

static Status meet_selected(Vm *vm, OpId op, const Selection *s, Value operand) {
    Walk w;
    View dense;
    Value made;
    DType loop;
    Status st = meeting_type(vm, op, s->view.dtype, operand, &loop);
    if (st == ST_OK) st = walk_of(vm, s, &w);
    if (st == ST_OK) st = array_new(vm, loop, w.result.ndim, w.result.shape, ROOM_ZEROED, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &dense);
    if (operand.kind != K_UNDEF) st = array_assign(vm, &dense, operand);
    if (st == ST_ERROR && vm_error_is(vm, EXC_ValueError)) st = value_mismatch(vm, s, &w, operand);
    if (st == ST_OK) st = move_selected(vm, s, &w, &dense, false, op);
    release(vm, made);
    return st;
}

// Without arrays in the key no element is named twice.
static Status meet_view(Vm *vm, OpId op, Value self, Value key, Value operand) {
    Value old, made;
    Status st = array_getitem(vm, self, key, &old);
    if (st != ST_OK) return st;
    const Value args[2] = {old, operand};
    const UfuncCall call = {.op = op, .args = args, .count = op_info[op].arity, .into = V_UNDEF,
                            .dtype = DT_NONE, .casting = CAST_UNSAFE};
    st = ufunc_apply(vm, &call, &made);
    release(vm, old);
    if (st != ST_OK) return st;
    st = array_setitem(vm, self, key, made);
    release(vm, made);
    return st;
}

Status array_at(Vm *vm, OpId op, Value a, Value key, Value operand) {
    Keys keys;
    Selection s;
    Value array;
    Status st = ST_OK;
    if (is_array_like(operand)) st = array_from(vm, operand, DT_NONE, &array);
    else array = retain(operand);
    if (st != ST_OK) return st;
    st = keys_of(vm, key, &keys);
    if (st == ST_OK) {
        st = select_keys(vm, a.array, &keys, &s);
        if (st == ST_OK && s.advanced_count) st = meet_selected(vm, op, &s, array);
        else if (st == ST_OK) st = meet_view(vm, op, a, key, array);
        selection_free(vm, &s);
    }
    keys_free(vm, &keys);
    release(vm, array);
    return st;
}
