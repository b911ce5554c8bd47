// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Which of the VM's devices runs a kernel. The same program decides alike each time: sizes and the places of operands
// count, never clocks.

#ifndef NACRE_VM_SCHED_PLACING_H
#define NACRE_VM_SCHED_PLACING_H

#include "vm/plugin/backend.h"

// DEVICE: the device, but for little work whose operands are on the host. FOLLOWS: the host, but for kernels with an
// operand that is on the device alone. HOST: the host.
typedef enum Placing { PLACING_DEVICE, PLACING_FOLLOWS, PLACING_HOST } Placing;

struct Engine;
// Where kernels are run unless their operands are elsewhere: what plans are made for.
const Device *placing_home(const struct Engine *engine);
int64_t placing_least(const struct Engine *engine); // elements of a loop that is not little work for the device
// Whether the host does it as fast, if its operands are there.
bool placing_is_little(const struct Engine *engine, const Kernel *kernel);
// Where to run a kernel, which is asked once for each run: that little work is done on the device is counted.
const Device *placing_of(const struct Engine *engine, const Kernel *kernel);

// Where a script wants arrays: "cpu", or the name of a backend, with or without ":0" behind it, whose device is opened
// if it is not there; a VM has one. False: an exception is set (ValueError, or RuntimeError without such a device).
Status placing_find(Vm *vm, const char *name, Place *place);
// From now on the device, or the host; what is pending is run before. *before: what was in force, for `placing_resume`.
Status placing_choose(Vm *vm, Place place, Placing *before);
Status placing_resume(Vm *vm, Placing before);
// Moves a storage, which must be the VM's own, to a place, where it then is alone.
Status placing_move(Vm *vm, Storage *storage, Place place);
// Name of the device that has written the storage last, or whose memory it is, "cpu" or that of a backend, once what is
// pending for it has run.
const char *placing_name(Vm *vm, Storage *storage);

#endif
