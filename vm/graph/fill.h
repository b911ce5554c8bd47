// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Large arrays of one value (np.zeros, np.full). Their storage has no memory and no pending node, but a fill.
// Elementwise operations that read it get a scalar operand instead. Other operations read a new array of the part that
// they need, and accesses from the host read a window (FillWindow). Writing a part, reading all of it in memory, or
// reading it as another type turns it into an ordinary storage.

#ifndef NACRE_VM_GRAPH_FILL_H
#define NACRE_VM_GRAPH_FILL_H

#include "vm/graph/graph.h"

enum { FILL_LEAST = 1 << 20 }; // bytes of a storage that may have a fill

// Memory filled with the value, for reading a part of the storage on the host. It lives as long as the storage.
struct FillWindow {
    FillWindow *before; // smaller ones, whose addresses may be in use
    size_t bytes;
    char *data;
};

typedef struct Fill {
    View view;          // the whole array, for error messages; its storage is not set
    Scalar value;
    bool any;           // np.empty: any value would do
} Fill;

// Returns whether new storages of that size are made as fills; distributed ones are not.
bool fill_pays(Vm *vm, size_t bytes);
// Gives a fresh storage a fill. `view` is all of it.
Status fill_new(Vm *vm, const View *view, Scalar value, bool any);
void fill_free(Vm *vm, Storage *storage); // accepts one without
void fill_free_windows(Vm *vm, Storage *storage);
// Makes a fill an ordinary storage, with the value in memory or in a pending node. MemoryError.
Status fill_settle(Vm *vm, Storage *storage);
// Address of a view's first element, in memory that has at least the view's elements. NULL: an exception is set.
const char *fill_read(Vm *vm, const View *view);
const char *fill_element(Vm *vm, Storage *storage, int64_t offset);

// Records, for graph_record, a node that reads or writes a storage with a fill. Replaces operands as described above,
// and settles the output's fill, unless the node overwrites all of it.
Status fill_record(Vm *vm, Node *node);
static inline bool fill_concerns(Vm *vm, const Node *node) {
    if (!graph_of(vm)->has_fills) return false;
    if (node->output.storage->fill) return true;
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && node->inputs[i].view.storage->fill) return true;
    return false;
}

#endif
