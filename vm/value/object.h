// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Making and tracking heap objects; the cycle collector's entry points.

#ifndef NACRE_VM_VALUE_OBJECT_H
#define NACRE_VM_VALUE_OBJECT_H

#include "vm/value/vm.h"

// Returns a new object with one reference, fields after the header cleared; NULL when out of memory.
// Cyclic kinds are linked into the collector's list at once, so fields must be valid (zero is).
void *obj_new(Vm *vm, Kind kind, size_t size);

// Collects unreachable cycles now; returns the number of objects freed.
size_t gc_collect(Vm *vm);
// Returns whether a collection is due. Called at safe points (the back-edges of loops).
static inline bool gc_wanted(const Vm *vm) {
    return (vm->gc_count > vm->gc_threshold || vm->gc_grown) && !vm->gc_disabled;
}
// Makes a collection due once memory has grown from now on by half of what the limit leaves, or by half of itself.
void gc_mark_memory(Vm *vm);

// Returns whether a safe point has anything to do, by one comparison: a collection is due, or an interrupt
// is pending (which sets its flag first, and then safe_stop to 0).
static inline bool safe_point_due(const Vm *vm) {
    return vm->gc_count >= atomic_load_explicit(&vm->safe_stop, memory_order_relaxed);
}
// Recomputes safe_stop, after the threshold or gc_disabled has changed or an interrupt has been handled.
static inline void safe_point_arm(Vm *vm) {
    atomic_store(&vm->safe_stop, vm->gc_disabled ? SIZE_MAX : vm->gc_threshold + 1);
    if (atomic_load(&vm->interrupt)) atomic_store(&vm->safe_stop, 0);
}

// Reports every reference held outside tracked objects that the caller knows of (frames,
// registers, handles), without those that the Vm itself holds.
typedef void (*RootsFn)(Vm *vm, Visitor *visitor);

// For stress modes: counts, for every tracked object, the references found by walking all tracked
// objects, the Vm and `roots`, and compares with its reference count. Appends a line for each that
// differs; true when none does, which means that the whole state can be reached.
bool gc_verify(Vm *vm, RootsFn roots, Buf *report);

// Visits what the Vm's own fields hold (vm.c).
void vm_value_visit(Vm *vm, Visitor *visitor);

#endif
