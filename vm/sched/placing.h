// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decides which of the VM's devices runs a kernel, by sizes and the places of operands, never by clocks. So the same
// program decides in the same way each time.

#ifndef NACRE_VM_SCHED_PLACING_H
#define NACRE_VM_SCHED_PLACING_H

#include "vm/plugin/backend.h"

// Where kernels run. DEVICE: on the device, except little work whose operands are on the host. FOLLOWS: on the host,
// except kernels with an operand that is on the device only. HOST: on the host.
typedef enum Placing { PLACING_DEVICE, PLACING_FOLLOWS, PLACING_HOST } Placing;

struct Engine;
// Returns the device where kernels run unless their operands are elsewhere. Plans are made for this one.
const Device *placing_home(const struct Engine *engine);
int64_t placing_least(const struct Engine *engine); // the number of elements from which on a loop is not little work
// Returns whether a kernel is little work, which the host does as fast as the device if the operands are on the host.
bool placing_is_little(const struct Engine *engine, const Kernel *kernel);
// Returns the device that is to run a kernel. Called once for each run, since it counts how often little work is done
// on the device for the sake of an operand (Buffer.touches).
const Device *placing_of(const struct Engine *engine, const Kernel *kernel);

// Finds the place that a script calls "cpu", or by the name of a backend, with or without ":0" after it. Opens the
// backend's device if the VM has none yet; it can have one. Raises ValueError, or RuntimeError if there is no device.
Status placing_find(Vm *vm, const char *name, Place *place);
// Makes kernels run on the device, or on the host, from now on. Runs the pending nodes first. *before: what was chosen
// before, for placing_resume.
Status placing_choose(Vm *vm, Place place, Placing *before);
Status placing_resume(Vm *vm, Placing before);
// Moves a storage, which the VM must own, to a place. Copies elsewhere become invalid.
Status placing_move(Vm *vm, Storage *storage, Place place);
// Runs the nodes that a storage depends on, and returns the name of the backend whose device has written it last or
// owns its memory, such as "cpu". NULL: an exception is set.
const char *placing_name(Vm *vm, Storage *storage);

#endif
