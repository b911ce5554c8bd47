// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A kind of value: one constant table of functions per kind, and the description of native functions and methods.

#ifndef NACRE_VM_VALUE_KIND_H
#define NACRE_VM_VALUE_KIND_H

#include "lang/support/buf.h"
#include "vm/value/value.h"

typedef enum BinaryOp {
#define BINARY(name, ...) BIN_##name,
#include "vm/value/ops.def"
    BINARY_COUNT
} BinaryOp;

typedef enum CompareOp {
#define COMPARE(name, ...) CMP_##name,
#include "vm/value/ops.def"
    COMPARE_COUNT
} CompareOp;

typedef enum UnaryOp {
#define UNARY(name, ...) UN_##name,
#include "vm/value/ops.def"
    UNARY_COUNT
} UnaryOp;

// A native function. `args` holds exactly one value per parameter of its signature, in order
// (`*args` arrives as a tuple, `**kw` as a dict), all borrowed; V_UNDEF where an optional
// parameter without default was not given. May return ST_OK, ST_ERROR, ST_TAIL, or ST_DEFER if
// its row names a slow path. Never calls into the interpreter.
typedef Status (*NativeFn)(Vm *vm, const Value *args, Value *out);

// Releases an argument that a native function does not use again, and sets it to V_UNDEF.
static inline void native_give_up(Vm *vm, const Value *arg) {
    Value value = *arg;
    *(Value *)arg = V_UNDEF;
    release(vm, value);
}

// What a native function has to do with the world outside the VM, for programs that run on many processes at once
// (ranks), all of which call the native. A native with an effect (all values above INNER) runs on one rank, and the
// others get its result or its exception (effects.h). Any other native runs on each rank, with the same outcome.
//
// PURE        depends on its arguments and on the VM's state, and changes nothing else. Seeded random numbers, the
//             collector, counts of references, sizes of objects, identities (identity.h), warnings on their way to
//             the host are the VM's state. A row that only defers is pure: its slow path calls the rows with effects.
// INNER       converts or stores its arguments, on every rank; the part of it that reaches outside is a row of its
//             own, called by native_run: print, f.writelines, import.
// CLOCK       reads a clock, or waits.
// ENV         the process, user, machine and environment: time zone, folder, numbers of processes, terminal, what
//             the host can show.
// FILESYSTEM  files, folders, pipes, other programs, standard streams: reads and writes, output, prompts. Also queries
//             of a handle (an open file, an array in a file) whose result may differ between ranks.
// ENTROPY     random bytes of the operating system.
//
// The test source/effects compares this with what each function calls.
typedef enum Purity { PURE, INNER, CLOCK, ENV, FILESYSTEM, ENTROPY } Purity;

// One native function or method. Tables of rows end with name == NULL.
//
// `signature` is Python's own: "self, sub, start=?, end=?, /", "iterable, /, *, key=None",
// "*args, sep=' ', end='\n'". A default is None, True, False, an integer, a float, a quoted
// string, or `?` (V_UNDEF: the function can tell that nothing was given).
// The function's __doc__ may follow it, on lines of its own.
// `slow`, if set, names a function of the prelude (stdlib/_prelude*.ncr), which is called with the same arguments
// (one per parameter, trailing undefined ones left out) when `fn` returns ST_DEFER.
typedef struct NativeDef {
    const char *name;
    const char *signature;
    NativeFn fn;
    const char *slow;
    Purity purity;
} NativeDef;

// A computed attribute of a kind (`range.start`, `f.__name__`). set may be NULL.
typedef struct AttrDef {
    const char *name;
    Status (*get)(Vm *vm, Value self, Value *out);
    Status (*set)(Vm *vm, Value self, Value value);
} AttrDef;

// Receives the references of an object: its slot `visit` calls `visit` for each object that it owns a reference to.
typedef struct Visitor {
    void (*visit)(struct Visitor *visitor, Obj *obj);
} Visitor;

static inline void visit_value(Visitor *visitor, Value v) {
    if (is_heap(v)) visitor->visit(visitor, v.obj);
}
static inline void visit_obj(Visitor *visitor, void *obj) {
    if (obj) visitor->visit(visitor, (Obj *)obj);
}

// Any slot may be NULL: the operation then raises the usual TypeError (or, for eq/hash, compares
// and hashes by identity; for truth, is true; for str, is repr).
typedef struct TypeSlots {
    // Memory. `visit` reports every owned reference (cyclic kinds only). `drop` releases every
    // owned reference and leaves the object valid but empty (breaks cycles); `size` is the number
    // of bytes to free, called after `drop`. Kinds with side buffers free them in `drop`.
    void (*visit)(Obj *obj, Visitor *visitor);
    void (*drop)(Vm *vm, Obj *obj);
    size_t (*size)(const Obj *obj);
    // Called when the last reference is gone. Returns true if it took the object over (one reference), because code of
    // the program has to run before the object is freed. Never called for objects in dead cycles.
    bool (*rescue)(Vm *vm, Obj *obj);

    // Operators: ST_NOTIMPL when they do not support the operands. `in_place` asks for `a op= b`.
    Status (*binary)(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out);
    Status (*compare)(Vm *vm, CompareOp op, Value a, Value b, Value *out);
    Status (*unary)(Vm *vm, UnaryOp op, Value a, Value *out);

    Status (*truth)(Vm *vm, Value self, bool *out);
    Status (*hash)(Vm *vm, Value self, int64_t *out);
    Status (*len)(Vm *vm, Value self, int64_t *out);
    Status (*getitem)(Vm *vm, Value self, Value key, Value *out);
    Status (*setitem)(Vm *vm, Value self, Value key, Value value);
    Status (*delitem)(Vm *vm, Value self, Value key);
    // v[i, j, …] without making the tuple; ST_NOTIMPL: nothing has been done, the caller makes the tuple.
    Status (*getitems)(Vm *vm, Value self, const Value *keys, int count, Value *out);
    Status (*setitems)(Vm *vm, Value self, const Value *keys, int count, Value value);
    Status (*contains)(Vm *vm, Value self, Value item, bool *out);
    Status (*iter)(Vm *vm, Value self, Value *out); // a K_ITER, K_GEN … value
    Status (*next)(Vm *vm, Value self, Value *out); // ST_STOP at the end

    // Append text. `depth` counts nesting; past REPR_DEPTH they raise RecursionError.
    Status (*repr)(Vm *vm, Value self, Buf *out, int depth);
    Status (*str)(Vm *vm, Value self, Buf *out, int depth);

    // Attributes beyond `methods` and `attrs` (modules, classes, instances): ST_STOP = no such.
    Status (*getattr)(Vm *vm, Value self, struct Str *name, Value *out);
    Status (*setattr)(Vm *vm, Value self, struct Str *name, Value value); // V_UNDEF deletes

    // `X(...)` for the class of this kind: signature, function, slow path (name = the class's).
    const NativeDef *construct;
    const NativeDef *methods;   // ends with name == NULL; may be NULL
    const AttrDef *attrs;       // ends with name == NULL; may be NULL
    const char *doc;
} TypeSlots;

enum { REPR_DEPTH = 200 };

// By kind; never NULL.
extern const TypeSlots *const kind_slots[KIND_COUNT];

// The type's Python name for a kind ("int" for K_BIGINT).
extern const char *const kind_names[KIND_COUNT];

#define IMMEDIATE(name, type) extern const TypeSlots kind_##name;
#define HEAP(name, type) extern const TypeSlots kind_##name;
#define CYCLIC(name, type) extern const TypeSlots kind_##name;
#include "vm/value/kinds.def"
#undef IMMEDIATE
#undef HEAP
#undef CYCLIC

#endif
