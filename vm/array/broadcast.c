// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Broadcasting of shapes.

#include <string.h>

#include "vm/array/array.h"
#include "vm/array/ufunc.h"

static Status broadcast_error(Vm *vm, const View *const *views, int count) {
    Buf text;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "operands could not be broadcast together with shapes ");
    for (int i = 0; i < count; i++) {
        shape_text_tight(views[i]->shape, views[i]->ndim, &text);
        buf_putc(&text, ' ');
    }
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

Status shapes_broadcast(Vm *vm, const View *const *views, int count, int64_t *shape, int *ndim) {
    *ndim = 0;
    for (int i = 0; i < count; i++)
        if (views[i]->ndim > *ndim) *ndim = views[i]->ndim;
    for (int d = 0; d < *ndim; d++) {
        shape[d] = 1;
        for (int i = 0; i < count; i++) {
            int own = d - (*ndim - views[i]->ndim);
            int64_t extent = own < 0 ? 1 : views[i]->shape[own];
            if (extent == 1 || extent == shape[d]) continue;
            if (shape[d] != 1) return broadcast_error(vm, views, count);
            shape[d] = extent;
        }
    }
    return ST_OK;
}

void view_broadcast(View *view, const int64_t *shape, int ndim) {
    int lead = ndim - view->ndim;
    for (int d = ndim - 1; d >= 0; d--) {
        bool stretched = d < lead || (view->shape[d - lead] == 1 && shape[d] != 1);
        view->strides[d] = stretched ? 0 : view->strides[d - lead];
    }
    memcpy(view->shape, shape, (size_t)ndim * sizeof *shape);
    view->ndim = ndim;
}

Status check_output_shape(Vm *vm, const View *into, const int64_t *shape, int ndim) {
    Buf text;
    if (into->ndim == ndim && memcmp(into->shape, shape, (size_t)ndim * sizeof *shape) == 0)
        return ST_OK;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "non-broadcastable output operand with shape ");
    shape_text_tight(into->shape, into->ndim, &text);
    buf_puts(&text, " doesn't match the broadcast shape ");
    shape_text_tight(shape, ndim, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}
