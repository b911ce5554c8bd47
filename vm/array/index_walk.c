// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Integer array indexing: broadcasting, bounds checks, gather and scatter.

#include <inttypes.h>
#include <string.h>

#include "vm/array/index.h"

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

// Resolves negative indices in place; IndexError for the first one out of range.
static Status wrap_indexes(Vm *vm, Array *indexes, int axis, int64_t extent) {
    Node *node = graph_node(vm, AOP_WRAP_INDEX);
    if (!node) return vm_no_memory(vm);
    node_input_array(node, indexes);
    node_input_scalar(node, DT_INT64, (Scalar){.i = extent});
    node_output_array(node, indexes);
    node->attrs.loop = DT_INT64;
    node->attrs.axis = axis;
    return graph_record(vm, node);
}

// Checks the bounds of ints (`numbers`) or of index arrays, and resolves negative indices.
static Status wrap_all(Vm *vm, const Selection *s, bool numbers) {
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < s->advanced_count; i++) {
        const Advanced *a = &s->advanced[i];
        if (a->unchecked && a->number == numbers)
            st = wrap_indexes(vm, a->array.array, a->axis, s->view.shape[a->dim]);
    }
    return st;
}

Status index_walk(Vm *vm, const Selection *s, Walk *w) {
    bool together = s->gap == 0 || s->gap == s->advanced_count;
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
    if (w->ndim + count > NDIM_MAX) return index_too_large(vm, w->ndim + count);
    w->result = (View){.dtype = s->view.dtype};
    for (int i = 0; i < w->at; i++) view_push_dim(&w->result, s->view.shape[kept[i]], 0);
    for (int d = 0; d < w->ndim; d++) view_push_dim(&w->result, w->shape[d], 0);
    for (int i = w->at; i < count; i++) view_push_dim(&w->result, s->view.shape[kept[i]], 0);
    return ST_OK;
}

Status index_check(Vm *vm, const Selection *s, const Walk *w) {
    for (int d = 0; d < w->ndim; d++)
        if (w->shape[d] == 0) return ST_OK;
    return wrap_all(vm, s, false);
}

// Combines the index arrays to one: the only one as it is (*step: bytes per index), or their sum in
// bytes. Without any, the single index 0.
static Status places_of(Vm *vm, const Selection *s, Value *places, int64_t *step) {
    *step = 0;
    if (s->advanced_count == 0) return array_from(vm, v_int(0), DT_INT64, places);
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
    // The sum of 0-dimensional arrays is a scalar, which this makes an array again.
    if (st == ST_OK) st = array_from(vm, sum, DT_INT64, places);
    release(vm, sum);
    *step = 1;
    return st;
}

// Permutes `dense` (of the result's shape) so that the index axes come first.
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

Status index_move(Vm *vm, const Selection *s, const Walk *w, View *dense, bool take,
                  const Meet *meet) {
    Value places;
    View at;
    int64_t step;
    Status st = places_of(vm, s, &places, &step);
    if (st != ST_OK) return st;
    array_view(places.array, &at);
    view_broadcast(&at, w->shape, w->ndim);
    places_first(w, dense);
    AxisSet axes = 0;
    for (int i = 0; i < s->advanced_count; i++) axes |= axis_bit(s->advanced[i].dim);
    const View *operands[2] = {take ? &s->view : &at, take ? &at : dense};
    Node *node = graph_node_of(vm, take ? AOP_TAKE : AOP_PUT, meet ? dense->dtype : s->view.dtype,
                               take ? dense : &s->view, 2, operands);
    if (!node) {
        release(vm, places);
        return vm_no_memory(vm);
    }
    node->attrs.combine = meet ? meet->op : AOP_NONE;
    node->attrs.called = meet && meet->as_at ? "at" : NULL;
    node->attrs.step = step;
    node->attrs.axes = axes;
    st = graph_record(vm, node);
    release(vm, places);
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
