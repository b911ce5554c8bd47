// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Distribution by hand: how an array lies on the ranks, arrays that are cut as the program says, and ranks that work
// by themselves for a while, on arrays that are theirs alone.
//
// While ranks work apart nothing is distributed, and there are no steps: each may do something else. What is made or
// written meanwhile is marked (DOUBT_APART), and refused where all ranks do the same; distributed arrays are refused
// while they are apart. So the two kinds never meet in one kernel, but by the functions here.

#ifndef NACRE_VM_SCHED_APART_H
#define NACRE_VM_SCHED_APART_H

#include "vm/graph/node.h"
#include "vm/sched/blocks.h"

// What is pending is done before, by all ranks together, or by each alone. Nests; does nothing where a program runs alone.
Status apart_enter(Vm *vm);
Status apart_leave(Vm *vm);
// The same without doing anything before: for natives that copy elements.
void apart_begin(Vm *vm);
void apart_end(Vm *vm);

// A node that is being recorded: RuntimeError where it has to do with arrays of the other kind.
Status apart_check(Vm *vm, const Node *node);
Status apart_refuse(Vm *vm);     // RuntimeError: an array of one rank where all ranks do the same
// RuntimeError where ranks are apart: a call that all of them make together.
Status apart_refuse_call(Vm *vm, const char *name);
Status apart_refuse_cut(Vm *vm); // RuntimeError: a distributed array while ranks are apart

// The axis along which an array is cut, and each rank's indices there; *axis -1: it is whole on every rank. Runs what it
// depends on, so that it is collective.
Status parts_find(Vm *vm, const View *view, int *axis, Extent *ranges);
// Cuts the storage of a new array, whose slowest dimension is `axis`, by the lengths of the ranks' parts.
Status parts_cut(Vm *vm, const View *view, int axis, const int64_t *lengths);
// Even lengths.
void parts_even(const Vm *vm, int64_t length, int64_t *lengths);

#endif
