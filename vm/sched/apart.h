// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Distribution by hand: finds how an array is cut over the ranks, cuts an array as the program says, and lets each rank
// work by itself for a while on arrays of its own.
//
// While ranks work apart no array is distributed and there are no collective steps, since each rank may do something
// else. Storages made or written meanwhile are marked DOUBT_APART, and are refused once all ranks do the same again.
// Distributed arrays are refused while ranks are apart. So no kernel has arrays of both kinds.

#ifndef NACRE_VM_SCHED_APART_H
#define NACRE_VM_SCHED_APART_H

#include "vm/graph/node.h"
#include "vm/sched/blocks.h"

// Begins and ends work apart; calls nest. The outermost calls run the pending nodes first: apart_enter on all ranks
// together, apart_leave on each rank alone. With a single rank only apart_enter does anything: it runs them.
Status apart_enter(Vm *vm);
Status apart_leave(Vm *vm);
// As apart_enter and apart_leave, but pending nodes stay pending: for natives that copy elements.
void apart_begin(Vm *vm);
void apart_end(Vm *vm);

// Checks a node that is being recorded. Raises RuntimeError if it reads or writes a distributed array while ranks are
// apart, or an array of one rank while they are not.
Status apart_check(Vm *vm, const Node *node);
Status apart_refuse(Vm *vm);     // raises RuntimeError about an array of one rank outside of work apart
// Raises RuntimeError if ranks are apart, since all ranks have to make the call `name` together.
Status apart_refuse_call(Vm *vm, const char *name);
Status apart_refuse_cut(Vm *vm); // raises RuntimeError about a distributed array while ranks are apart

// Finds the axis along which an array is cut, and each rank's range of indices there. *axis -1: every rank has the
// whole array, which is gathered if its cuts follow no axis. Collective, since it runs the nodes that the array depends
// on.
Status parts_find(Vm *vm, const View *view, int *axis, Extent *ranges);
// Cuts the storage of a new array, whose slowest dimension is `axis`, by the lengths of the ranks' parts.
Status parts_cut(Vm *vm, const View *view, int axis, const int64_t *lengths);
// Divides `length` among the ranks so that lengths differ by at most 1.
void parts_even(const Vm *vm, int64_t length, int64_t *lengths);

#endif
