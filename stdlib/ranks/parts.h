// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Natives of module _ranks about arrays: how they are distributed, and explicit distribution.

#ifndef NACRE_STDLIB_RANKS_PARTS_H
#define NACRE_STDLIB_RANKS_PARTS_H

#include "vm/graph/storage.h"
#include "vm/value/vm.h"

// The form of a rank's part, which the ranks exchange.
typedef struct PartForm {
    int32_t dtype, ndim;
    int64_t shape[NDIM_MAX];
} PartForm;

Status parts_partition(Vm *vm, const Value *args, Value *out);
Status parts_blank(Vm *vm, const Value *args, Value *out);
Status parts_whole(Vm *vm, const Value *args, Value *out);
Status parts_gathered(Vm *vm, const Value *args, Value *out);
Status parts_own(Vm *vm, const Value *args, Value *out);
Status parts_join(Vm *vm, const Value *args, Value *out);
// Restricts a view to this rank's part. Returns the address to which the view's offset is added; NULL: an exception is
// set.
const char *parts_own_base(Vm *vm, View *view);

// grids.c
Status parts_blank_grid(Vm *vm, const Value *args, Value *out);
Status parts_join_grid(Vm *vm, const Value *args, Value *out);
Status parts_grid(Vm *vm, const Value *args, Value *out);
// Restricts a view to this rank's box of a grid. *base: the address to which the view's offset is added; NULL: the
// array is not on a grid.
Status parts_own_box(Vm *vm, View *view, const char **base);

// deliver.c
Status parts_sharing(Vm *vm, const Value *args, Value *out);
Status parts_uncounted(Vm *vm, const Value *args, Value *out);
Status parts_tell(Vm *vm, const Value *args, Value *out);
Status parts_deliver(Vm *vm, const Value *args, Value *out);

#endif
