// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What reductions and scans share.

#ifndef NACRE_VM_ARRAY_REDUCTIONS_H
#define NACRE_VM_ARRAY_REDUCTIONS_H

#include "vm/array/array.h"

typedef struct Row {
    OpId op;      // REDUCTION, SCAN, or an argmax
    OpId combine; // where the op is none in particular
    DType loop;
    AxisSet axes;
    bool begun;
    bool quiet; // float conditions are nobody's concern
} Row;

Status record_row(Vm *vm, const Row *row, const View *in, const View *to);

// The type that elements meet in, and that the result has.
Status reduction_type(Vm *vm, OpId op, DType own, DType given, Value into, DType *out);

// out= (reduce_output.c): whether it has the shape of the result of reducing, and of scanning, where
// ST_STOP says that it has no elements, and stays as it is. Then the result in it, cast to its type
// whatever that is.
Status check_reduced_output(Vm *vm, const ReduceCall *call, const View *in, AxisSet axes);
Status check_scan_output(Vm *vm, const ReduceCall *call, const View *shape, const View *operand,
                         DType type);
Status reduced_into(Vm *vm, Value into, Value *out);

#endif
