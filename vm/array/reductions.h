// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by reductions and scans.

#ifndef NACRE_VM_ARRAY_REDUCTIONS_H
#define NACRE_VM_ARRAY_REDUCTIONS_H

#include "vm/array/array.h"

typedef struct Row {
    OpId op;      // REDUCTION, SCAN, or an argmax
    OpId combine; // the combining op if `op` is a generic one
    DType loop;
    AxisSet axes;
    bool begun;
    bool quiet; // ignore float flags
} Row;

Status record_row(Vm *vm, const Row *row, const View *in, const View *to);

// Finds the type in which elements are combined, which is the result's.
Status reduction_type(Vm *vm, OpId op, DType own, DType given, Value into, DType *out);

// reduce_output.c. The first two check the shape of out= for a reduction or a scan; ST_STOP: out= of a
// scan has no elements and stays as it is. reduced_into copies the result to out=, with any cast.
Status check_reduced_output(Vm *vm, const ReduceCall *call, const View *in, AxisSet axes);
Status check_scan_output(Vm *vm, const ReduceCall *call, const View *shape, const View *operand,
                         DType type);
Status reduced_into(Vm *vm, Value into, Value *out);

#endif
