// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Iterators whose steps may need code of the program (map, filter, itertools …): their state lies in
// an object, so that it outlives an exception. A step is a machine: told what has happened, it says
// what it wants next. Who runs it (vm/interp/stepping.c) gets items and makes calls for it.

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
    struct Stepper *group;           // groupby: the group handed out last, which is not owned
    int64_t *places;                 // index of each position: combinations, permutations, product
    size_t place_count;
    bool turn, flag;
    // A step that stepper_plain has begun, and cannot end: what has happened (0: there is none), what came of it, and the
    // state of its act.
    uint8_t begun, begun_phase;
    Value begun_in, begun_held;
} Stepper;

typedef enum StepEvent {
    STEP_START,  // an item is wanted
    STEP_ITEM,   // what STEP_NEXT asked for
    STEP_END,    // the source has no more, or what was called raised StopIteration
    STEP_RESULT, // of the call
    STEP_BACK,   // no step's: an item that was given back is to be given again
} StepEvent;

typedef enum StepWant {
    STEP_GIVE,   // value is the item (owned)
    STEP_STOP,   // at the end
    STEP_FAIL,   // vm->error is set
    STEP_NEXT,   // the next item of callee
    STEP_CALL,   // callee, or the prelude's function `helper`, with args
    STEP_LAST,   // the same, whose result is the item
    STEP_SPREAD, // the same, and args[0] is a tuple or list of all arguments
} StepWant;

// A step on its way. What has to outlast a call is in `held` and `phase`.
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

// One step further. Consumes `in` (the item or the result).
StepWant stepper_step(Vm *vm, Act *act, StepEvent event, Value in);

// The next item, where native iterators and functions are enough for it. ST_NOTIMPL: they are not; who runs the step
// goes on with it->begun.
Status stepper_plain(Vm *vm, Stepper *it, Value *out);
// The same of any iterator that needs no call for it.
Status stepper_source(Vm *vm, Value source, Value *out);
// Calls a native function at once, if its arguments (borrowed) need no binding. ST_NOTIMPL: to be called in the usual
// way; nothing has happened.
Status stepper_call(Vm *vm, Value callee, const Value *args, uint32_t count, Value *out);
// The item (consumed) that stepper_plain has given is the next one again.
void stepper_give_back(Stepper *it, Value item);

// A new one of this role, for a constructor; NULL when out of memory.
Stepper *stepper_new(Vm *vm, StepRole role);
// Its class; made at the first call. Borrowed; NULL when out of memory.
Class *stepper_class(Vm *vm, StepRole role);
const char *stepper_name(StepRole role); // as messages say it: "itertools.chain"
// The row of a class's constructor, or NULL.
const NativeDef *stepper_construct(const Class *cls, Vm *vm, StepRole *role);
// A tuple to fill, with a reference for the caller; NULL when out of memory. Two take turns, as a
// loop that takes the tuples apart still holds the last one while it asks for the next.
Tuple *stepper_row(Vm *vm, Stepper *it, size_t len);
// A mark around an iterator that a constructor takes as it is, for slow paths.
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
