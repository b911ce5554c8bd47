// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Iterators whose steps may need code of the program (map, filter, itertools …): their state is in
// an object, so that it outlives an exception. A step is a state machine: it takes an event and returns
// what it wants next. Its runner (vm/interp/stepping.c) takes items and makes calls for it.

#ifndef NACRE_VM_VALUE_STEPPER_H
#define NACRE_VM_VALUE_STEPPER_H

#include "vm/value/vm.h"

typedef enum StepRole {
#define STEPPER(id, ...) STEPPER_##id,
#include "vm/value/steppers.def"
#undef STEPPER
    STEPPER_ROLES
} StepRole;
_Static_assert((int)STEPPER_ROLES <= STEPPER_CLASSES, "room for their classes");

typedef struct Stepper {
    GcObj gc;                        // gc.obj.aux: StepRole
    Value func;                      // what is called; UNDEF: nothing
    Value source;                    // an iterator, or a tuple of them; UNDEF: at its end
    Value a, b, c;                   // by role
    int64_t index, stop, step, next; // by role
    Tuple *made[2];                  // results, reused if nothing else holds them
    struct Stepper *group;           // groupby: the group returned last; borrowed
    int64_t *places;                 // index of each position: combinations, permutations, product
    size_t place_count;
    bool turn, flag;
    // A step that stepper_plain has begun but cannot complete: the StepEvent to continue with (0: none), the event's
    // value (in), and the act's phase and held value.
    uint8_t begun, begun_phase;
    Value begun_in, begun_held;
} Stepper;

typedef enum StepEvent {
    STEP_START,  // an item is wanted
    STEP_ITEM,   // what STEP_NEXT asked for
    STEP_END,    // the source has no more, or what was called raised StopIteration
    STEP_RESULT, // result of the call
    STEP_BACK,   // in `begun` only, for no step: the item given back by stepper_give_back is the next one
} StepEvent;

typedef enum StepWant {
    STEP_GIVE,   // value is the item (owned)
    STEP_STOP,   // at the end
    STEP_FAIL,   // vm->error is set
    STEP_NEXT,   // the next item of callee
    STEP_CALL,   // callee, or the prelude's function `helper`, with args
    STEP_LAST,   // as STEP_CALL, but the result is the item
    STEP_SPREAD, // as STEP_LAST, but args[0] is a tuple or list of all arguments
} StepWant;

// A step under way. Of its state, only `held` and `phase` outlast a call.
typedef struct Act {
    Stepper *of; // borrowed
    Value held;
    int64_t phase;
    Value value;
    Value callee;       // borrowed from the stepper or from held
    const char *helper; // or NULL
    Value args[2];      // owned
    uint32_t count;
} Act;

// Continues a step after an event, and returns what it wants next. Consumes `in` (the item or the result).
StepWant stepper_step(Vm *vm, Act *act, StepEvent event, Value in);

// Computes the next item if native iterators and functions suffice. ST_NOTIMPL: they do not, and the runner continues
// from it->begun.
Status stepper_plain(Vm *vm, Stepper *it, Value *out);
// Takes the next item of an iterator that makes no calls for it. ST_NOTIMPL: this is another iterator.
Status stepper_source(Vm *vm, Value source, Value *out);
// Calls a native function with arguments that it borrows. ST_NOTIMPL: it has to be called in the usual way; nothing has
// happened.
Status stepper_call(Vm *vm, Value callee, const Value *args, uint32_t count, Value *out);
// Gives back an item (consumed) that stepper_plain has returned, so that it is the next one again.
void stepper_give_back(Stepper *it, Value item);

// Makes a stepper of this role, for a constructor; NULL when out of memory.
Stepper *stepper_new(Vm *vm, StepRole role);
// Returns the class of a role, which is made at the first call. Borrowed; NULL when out of memory.
Class *stepper_class(Vm *vm, StepRole role);
// Writes the repr of count and repeat with the name of a class. ST_STOP: it is another iterator.
Status stepper_repr_named(Vm *vm, Value self, const char *name, Buf *out, int depth);
const char *stepper_name(StepRole role); // as messages say it: "itertools.chain"
// Returns the row of a class's constructor, with *role set, or NULL.
const NativeDef *stepper_construct(const Class *cls, Vm *vm, StepRole *role);
// Returns a tuple to fill (owned); NULL when out of memory. Two tuples are used in turn, as a loop that
// unpacks the items still holds the last one while it takes the next.
Tuple *stepper_row(Vm *vm, Stepper *it, size_t len);
// Wraps an iterator in a cell, by which a slow path tells a constructor to take the iterator as it is.
Status stepper_ready(Vm *vm, Value iterator, Value *out);

// Natives for the prelude. gather(list, iterator) appends items as long as they need no code of the program; True: to
// the end. add_up(total, iterator) adds them to a total, which it returns.
Status stepper_gather(Vm *vm, const Value *args, Value *out);
Status stepper_add_up(Vm *vm, const Value *args, Value *out);

Status stepper_sorter(Vm *vm, const Value *args, Value *out); // see stepper_sort.c

Status stepper_callable(Vm *vm, Value function, Value sentinel, Value *out);
Status stepper_getitem(Vm *vm, Value sequence, Value *out);
extern const NativeDef itertools_functions[];
Status itertools_init(Vm *vm, Module *module);

#endif
