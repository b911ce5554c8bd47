// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Storages whose elements all have one value.

#include "vm/graph/fill.h"

#include <string.h>

bool fill_pays(Vm *vm, size_t bytes) {
    const size_t most = (size_t)1 << 47; // size of an address space: larger arrays can never have memory
    const Graph *graph = graph_of(vm);
    return bytes >= FILL_LEAST && bytes < most && !graph->hooks.divide && !graph->reserving.least && !graph->kept.pattern &&
           !graph->apart;
}

Status fill_new(Vm *vm, const View *view, Scalar value, bool any) {
    Fill *fill = mem_zalloc(&vm->mem, sizeof *fill);
    if (!fill) return vm_no_memory(vm);
    view_copy(&fill->view, view);
    fill->view.storage = NULL;
    fill->value = value;
    fill->any = any;
    view->storage->fill = fill;
    graph_of(vm)->has_fills = true;
    return ST_OK;
}

// --- Looking at elements -----------------------------------------------------------------------

static void repeat(const Fill *fill, char *to, size_t bytes) {
    size_t size = dtype_size(fill->view.dtype);
    dtype_store(fill->view.dtype, to, fill->value);
    for (size_t done = size; done < bytes; done *= 2) // doubles the filled part
        memcpy(to + done, to, bytes - done < done ? bytes - done : done);
}

// Returns a window of at least `bytes` bytes; NULL: out of memory. A new window has at least twice the bytes of the
// last one, so that all windows together have less than four times the bytes requested. Older windows stay: callers
// may still hold their addresses.
static char *window_of(Vm *vm, Storage *storage, size_t bytes) {
    FillWindow *last = storage->windows;
    if (last && last->bytes >= bytes) return last->data;
    if (last && bytes < 2 * last->bytes) bytes = 2 * last->bytes;
    FillWindow *window = mem_alloc(&vm->mem, sizeof *window);
    char *data = window ? mem_alloc(&vm->mem, bytes) : NULL;
    if (!data) {
        if (window) mem_free(&vm->mem, window, sizeof *window);
        return NULL;
    }
    repeat(storage->fill, data, bytes);
    *window = (FillWindow){last, bytes, data};
    storage->windows = window;
    return data;
}

const char *fill_read(Vm *vm, const View *view) {
    Storage *storage = view->storage;
    Fill *fill = storage->fill;
    int64_t low, high, size = (int64_t)dtype_size(fill->view.dtype);
    if (!view_extent(view, &low, &high)) low = view->offset, high = low + size - 1; // no elements
    low -= low % size;
    size_t bytes = (size_t)(high + 1 - low);
    if (bytes < storage->buffer.bytes) {
        bytes = (bytes + (size_t)size - 1) / (size_t)size * (size_t)size;
        Status st = graph_can_hold(vm, bytes);
        char *data = st == ST_OK && storage->fill ? window_of(vm, storage, bytes) : NULL;
        if (data) return data + (view->offset - low);
        if (st == ST_OK) vm_no_memory(vm);
        return NULL;
    }
    const char *base = graph_read(vm, storage);
    return base ? base + view->offset : NULL;
}

const char *fill_element(Vm *vm, Storage *storage, int64_t offset) {
    const int64_t size = (int64_t)dtype_size(storage->fill->view.dtype);
    const View one = {.storage = storage, .dtype = storage->fill->view.dtype, .offset = offset - offset % size};
    const char *at = fill_read(vm, &one);
    return at ? at + offset % size : NULL;
}

// --- In memory ---------------------------------------------------------------------------------

static bool is_zero(const Fill *fill) {
    char element[DTYPE_SIZE_MAX] = {0}, zeros[DTYPE_SIZE_MAX] = {0};
    dtype_store(fill->view.dtype, element, fill->value);
    return memcmp(element, zeros, sizeof zeros) == 0;
}

static Status record_value(Vm *vm, const View *to, Scalar value) {
    Node *node = graph_node(vm, AOP_CAST);
    if (!node) return vm_no_memory(vm);
    node_input_scalar(node, to->dtype, value);
    node_output(node, to);
    node->attrs.loop = to->dtype;
    return graph_append(vm, node);
}

static Status put_zeros(Vm *vm, Storage *storage, bool any) {
    Status st = graph_can_hold(vm, storage->buffer.bytes);
    if (st == ST_OK && !buffer_alloc_host(vm, &storage->buffer, any ? FRESH_OWN : FRESH_ZEROED)) st = vm_no_memory(vm);
    if (st == ST_OK) storage->buffer.untouched = any ? UNTOUCHED_ANY : UNTOUCHED_ZEROS;
    return st;
}

Status fill_settle(Vm *vm, Storage *storage) {
    Fill *fill = storage->fill;
    View view;
    if (!fill) return ST_OK;
    view_copy(&view, &fill->view);
    view.storage = storage;
    Scalar value = fill->value;
    bool zero = is_zero(fill), any = fill->any;
    Status st = zero ? put_zeros(vm, storage, any) : graph_can_promise(vm, storage->buffer.bytes);
    if (st != ST_OK) {
        if (!vm_error_is(vm, EXC_MemoryError)) return st;
        vm_clear_error(vm);
        return view_no_memory(vm, &view);
    }
    fill_free(vm, storage);
    return zero ? ST_OK : record_value(vm, &view, value);
}

// --- In nodes ----------------------------------------------------------------------------------

static bool is_all(const View *view) {
    return view_is_injective(view) && (size_t)view_size(view) * dtype_size(view->dtype) == view->storage->buffer.bytes;
}

// Returns whether a node overwrites its output's storage completely, without reading it.
static bool overwrites(const Node *node) {
    return op_info[node->op].op_class == CLASS_ELEMENTWISE && !node->attrs.begun && is_all(&node->output);
}

static bool is_of_type(const View *view) {
    const Fill *fill = view->storage->fill;
    return view->dtype == fill->view.dtype && view->offset % (int64_t)dtype_size(view->dtype) == 0;
}

// Replaces the operand by a new array of the part that is read. It has the same strides, which determine the order of
// sums.
static Status read_part(Vm *vm, NodeInput *input, Storage **part) {
    View own;
    int64_t low, high;
    view_copy(&own, &input->view);
    if (!view_extent(&own, &low, &high)) low = 0, high = (int64_t)dtype_size(own.dtype) - 1;
    own.storage = *part = storage_new(vm, (size_t)(high + 1 - low));
    if (!own.storage) return vm_no_memory(vm);
    own.offset -= low;
    View written;
    view_copy(&written, &own);
    for (int d = 0; d < written.ndim; d++)
        if (written.strides[d] == 0 && written.shape[d] > 1) written.shape[d] = 1; // writes broadcast elements once
    Status st = record_value(vm, &written, input->view.storage->fill->value);
    view_copy(&input->view, &own);
    return st;
}

static Status resolve(Vm *vm, Node *node, Storage **parts) {
    bool elementwise = op_info[node->op].op_class == CLASS_ELEMENTWISE;
    Status st = ST_OK;
    for (int i = 0; i < node->input_count && st == ST_OK; i++) {
        NodeInput *input = &node->inputs[i];
        if (input->is_scalar || !input->view.storage->fill) continue;
        if (!is_of_type(&input->view)) {
            st = fill_settle(vm, input->view.storage);
        } else if (elementwise) {
            input->is_scalar = true;
            input->scalar = input->view.storage->fill->value;
        } else {
            st = read_part(vm, input, &parts[i]);
        }
    }
    Storage *to = node->output.storage;
    if (st == ST_OK && to->fill && overwrites(node)) fill_free(vm, to);
    else if (st == ST_OK && to->fill) st = fill_settle(vm, to);
    return st;
}

Status fill_record(Vm *vm, Node *node) {
    Storage *parts[NODE_INPUTS] = {NULL};
    Status st = resolve(vm, node, parts);
    if (st == ST_OK) st = graph_record(vm, node);
    else graph_discard(vm, node);
    for (int i = 0; i < NODE_INPUTS; i++) storage_release(vm, parts[i]);
    return st;
}
