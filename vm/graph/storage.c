// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Storages, and properties of views that do not depend on elements.

#include "vm/graph/fill.h"
#include "vm/graph/graph.h"
#include "vm/graph/row_runs.h"

// On ranks, counts the bytes of new storages, and requests the cycle collector at the limit: all ranks make the same
// storages, so it runs at the same time on all.
static void count_made(Vm *vm, size_t bytes) {
    if (!vm->replication || bytes == SIZE_MAX) return;
    vm->gc_made += bytes;
    if (vm->gc_made < vm->gc_made_most) return;
    vm->gc_grown = true;
    atomic_store(&vm->safe_stop, 0);
}

Storage *storage_new_scratch(Vm *vm, size_t bytes) {
    Storage *storage = mem_zalloc(&vm->mem, sizeof *storage);
    if (!storage) return NULL;
    storage->refs = 1;
    storage->buffer.bytes = bytes;
    return storage;
}

Storage *storage_new(Vm *vm, size_t bytes) {
    Storage *storage = storage_new_scratch(vm, bytes);
    if (!storage) return NULL;
    count_made(vm, bytes);
    if (vm->engine && graph_of(vm)->apart) storage->doubted = DOUBT_APART;
    return storage;
}

Storage *storage_over(Vm *vm, const char *host, size_t bytes, void *owner,
                      void (*give_back)(Vm *vm, void *owner)) {
    Storage *storage = storage_new(vm, bytes);
    if (!storage) return NULL;
    storage->owner = owner;
    storage->give_back = give_back;
    Buffer *buffer = &storage->buffer;
    buffer->host = (char *)(uintptr_t)host;
    buffer->valid = PLACE_HOST;
    return storage;
}

static void keep_own(Vm *vm, void *owner) {
    (void)vm;
    (void)owner;
}

void storage_lend(Storage *storage) {
    if (storage->owner) return;
    storage->owner = storage;
    storage->buffer.untouched = WRITTEN;
    storage->give_back = keep_own;
}

bool storage_is_lent(const Storage *storage) {
    return storage->owner == storage;
}

// Defined here rather than in fill.c, which the runtime of programs compiled ahead of time (rt) does not contain.
void fill_free(Vm *vm, Storage *storage) {
    Fill *fill = storage->fill;
    if (!fill) return;
    storage->fill = NULL;
    mem_free(&vm->mem, fill, sizeof *fill);
}

void fill_free_windows(Vm *vm, Storage *storage) {
    for (FillWindow *window = storage->windows, *before; window; window = before) {
        before = window->before;
        mem_free(&vm->mem, window->data, window->bytes);
        mem_free(&vm->mem, window, sizeof *window);
    }
}

void storage_release(Vm *vm, Storage *storage) {
    if (!storage || --storage->refs > 0) return;
    if (storage->buffer.copied) graph_of(vm)->hooks.free_host(vm, &storage->buffer);
    else buffer_free_host(vm, &storage->buffer);
    if (storage->buffer.device || storage->buffer.blocks || storage->buffer.grid) graph_of(vm)->hooks.drop(vm, &storage->buffer);
    if (storage->owner) storage->give_back(vm, storage->owner);
    row_runs_free(vm, storage->row_runs);
    fill_free(vm, storage);
    fill_free_windows(vm, storage);
    mem_free(&vm->mem, storage, sizeof *storage);
}

void view_fill_strides_along(View *view, const int *axes) {
    int64_t stride = (int64_t)dtype_size(view->dtype);
    for (int i = view->ndim - 1; i >= 0; i--) {
        int axis = axes ? axes[i] : i;
        view->strides[axis] = stride;
        if (view->shape[axis] > 0) stride *= view->shape[axis];
    }
}

void view_fill_strides(View *view) {
    view_fill_strides_along(view, NULL);
}

static bool is_dense(const View *view, bool fortran) {
    int64_t expected = (int64_t)dtype_size(view->dtype);
    for (int i = 0; i < view->ndim; i++)
        if (view->shape[i] == 0) return true;
    for (int i = view->ndim - 1; i >= 0; i--) {
        int axis = fortran ? view->ndim - 1 - i : i;
        if (view->shape[axis] == 1) continue;
        if (view->strides[axis] != expected) return false;
        expected *= view->shape[axis];
    }
    return true;
}

bool view_is_contiguous(const View *view) {
    return is_dense(view, false);
}

bool view_is_f_contiguous(const View *view) {
    return is_dense(view, true);
}

bool view_extent(const View *view, int64_t *low, int64_t *high) {
    *low = view->offset;
    *high = view->offset + (int64_t)dtype_size(view->dtype) - 1;
    for (int i = 0; i < view->ndim; i++) {
        if (view->shape[i] == 0) return false;
        int64_t reach = (view->shape[i] - 1) * view->strides[i];
        if (reach > 0) *high += reach;
        else *low += reach;
    }
    return true;
}

bool view_same(const View *a, const View *b) {
    if (a->storage != b->storage || a->offset != b->offset || a->dtype != b->dtype ||
        a->ndim != b->ndim)
        return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] != b->shape[i] || (a->shape[i] > 1 && a->strides[i] != b->strides[i]))
            return false;
    return true;
}

bool view_is_injective(const View *view) {
    int64_t strides[NDIM_MAX], extents[NDIM_MAX], reach = (int64_t)dtype_size(view->dtype);
    int count = 0;
    for (int i = 0; i < view->ndim; i++) {
        if (view->shape[i] == 0) return true;
        if (view->shape[i] == 1) continue;
        int64_t stride = view->strides[i] < 0 ? -view->strides[i] : view->strides[i];
        int at = count++;
        for (; at > 0 && strides[at - 1] > stride; at--) {
            strides[at] = strides[at - 1];
            extents[at] = extents[at - 1];
        }
        strides[at] = stride;
        extents[at] = view->shape[i];
    }
    for (int i = 0; i < count; i++) {
        if (strides[i] < reach) return false;
        reach += strides[i] * (extents[i] - 1);
    }
    return true;
}

bool view_may_overlap(const View *a, const View *b) {
    int64_t a_low, a_high, b_low, b_high;
    if (a->storage != b->storage) return false;
    if (!view_extent(a, &a_low, &a_high) || !view_extent(b, &b_low, &b_high)) return false;
    return a_low <= b_high && b_low <= a_high;
}
