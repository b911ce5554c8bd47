// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partition rules of library operations (ops.def, `partition`), read for one call.

#ifndef NACRE_VM_SCHED_RULE_H
#define NACRE_VM_SCHED_RULE_H

#include "vm/kernel/kernel.h"

// How an iteration space may be cut over the ranks.
typedef struct Limits {
    AxisSet whole;   // dimensions that may not be cut
    AxisSet scanned; // dimensions whose parts are continued by split_scan.c
    bool in_place;   // without boxes: the call has addresses of elements that are no strides
} Limits;

// The iteration space of a library call, in the form of a loop: a load for each array operand, and the result's store.
// A dimension of an operand that has to stay whole is a dimension of its own.
typedef struct CallSpace {
    Kernel loop;
    Limits limits;
    // For each array operand and then the result: the dimension of its view that goes along a dimension of the space;
    // -1: none does.
    int8_t dims[NODE_INPUTS + 1][NDIM_MAX];
    int8_t args[NODE_INPUTS]; // the number of the operand that a load is
} CallSpace;

// Whether values of parts can be combined by an op to those of the whole. A product of floats cannot: that of a part
// may be infinite where a zero elsewhere makes the whole one zero.
bool op_has_parts(OpId op, DType type);

// How parts along attrs.axes become one.
typedef enum AlongAxes { ALONG_NOT, ALONG_SCAN, ALONG_SORT } AlongAxes;
AlongAxes call_along_axes(const Kernel *call);
// False: the op has no rule, or the call is none that it is for.
bool call_space(const Kernel *call, CallSpace *space);
// Gives the call's views the accesses of the loop, which may be those of boxes by now.
void call_use_boxes(Kernel *call, const CallSpace *space);
// Cuts the call's views: of dimension `dim` of the space, from … to.
void call_slice(Kernel *call, const CallSpace *space, int dim, int64_t from, int64_t to);

#endif
