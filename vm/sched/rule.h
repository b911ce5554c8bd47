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
    bool overlaps;   // the exchange that brings operands is only begun (overlap.h)
    bool in_place;   // boxes are not allowed: the call needs operands as contiguous ranges, or by computed addresses
} Limits;

// The iteration space of a library call, in the form of a loop: a load for each array operand, and the result's store.
// A dimension of an operand that must not be cut is a separate dimension of the space.
typedef struct CallSpace {
    Kernel loop;
    Limits limits;
    // For each array operand and then the result: the dimension of its view that goes along a dimension of the space;
    // -1: none does.
    int8_t dims[NODE_INPUTS + 1][NDIM_MAX];
    int8_t args[NODE_INPUTS]; // for each load: the number of the call's operand
} CallSpace;

// Returns whether an op can combine results of parts. A product of floats cannot: that of one part may be infinite
// where a zero in another part makes the whole product zero.
bool op_has_parts(OpId op, DType type);

// How results of parts along attrs.axes are combined.
typedef enum AlongAxes { ALONG_NOT, ALONG_SCAN, ALONG_SORT } AlongAxes;
AlongAxes call_along_axes(const Kernel *call);
// Builds the space of a call by the rule of its op. Returns false if there is no rule, or if it does not fit the call.
bool call_space(const Kernel *call, CallSpace *space);
// Sets the call's views from the accesses of the loop, which may access boxes by now.
void call_use_boxes(Kernel *call, const CallSpace *space);
// Restricts the call's views to the indices from … to of dimension `dim` of the space.
void call_slice(Kernel *call, const CallSpace *space, int dim, int64_t from, int64_t to);

#endif
