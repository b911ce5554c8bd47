// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The value: what a register, a list item or a host handle holds.
//
// Sixteen bytes: a kind, a word of detail, and a payload. Kinds before K_FIRST_HEAP live in the
// payload; the others point to a reference-counted object. All-zero bytes are the undefined value.
//
// Ownership words used on every prototype: "borrows" (the caller keeps its reference), "consumes"
// (the callee takes it over, also when it fails), "returns owned" (the caller must release it).
// Arguments are borrowed unless a comment says otherwise; `Value *out` receives an owned value,
// and is left untouched unless the call returns ST_OK.

#ifndef NACRE_VM_VALUE_VALUE_H
#define NACRE_VM_VALUE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Vm Vm;

typedef enum Kind {
#define IMMEDIATE(name, type) K_##name,
#define HEAP(name, type) K_##name,
#define CYCLIC(name, type) K_##name,
#include "vm/value/kinds.def"
#undef IMMEDIATE
#undef HEAP
#undef CYCLIC
    KIND_COUNT
} Kind;

enum { K_FIRST_HEAP = K_BIGINT, K_FIRST_CYCLIC = K_SLICE };

typedef enum ObjFlag {
    OBJ_IN_REPR = 1, // a container whose repr is being written; inside itself, it prints as [...]
    OBJ_WEAK = 2,    // is in the table of weak references (weak.h), by its address
} ObjFlag;

// Header of every heap object.
typedef struct Obj {
    uint32_t refs;
    uint8_t kind;
    uint8_t flags; // ObjFlag
    uint16_t aux;  // free for the kind
} Obj;

// Header of every object the cycle collector tracks; a link in the VM's list.
typedef struct GcObj {
    Obj obj;
    struct GcObj *prev, *next;
    uint32_t gc_refs; // scratch of the collector
    uint32_t gc_mark;
} GcObj;

typedef struct Value {
    union {
        struct {
            uint32_t kind; // a Kind
            uint32_t aux;  // K_SCALAR: its DType; otherwise 0
        };
        uint64_t head;     // both, for copying
    };
    union {
        int64_t i; // K_INT; K_BOOL (0 or 1)
        double f;  // K_FLOAT
        uint64_t bits;
        Obj *obj;
        struct BigInt *big;
        struct Complex *complex;
        struct Str *str;
        struct Bytes *bytes;
        struct ByteArray *bytearray;
        struct Range *range;
        struct Slice *slice;
        struct Tuple *tuple;
        struct List *list;
        struct Dict *dict;
        struct Set *set;
        struct Iter *iter;
        struct Cell *cell;
        struct Func *func;
        struct Native *native;
        struct Bound *bound;
        struct Descr *descr;
        struct Gen *gen;
        struct Module *module;
        struct Class *cls;
        struct Instance *inst;
        struct Array *array;
        struct Ufunc *ufunc;
    };
} Value;

// Result of every operation that can fail.
typedef enum Status {
    ST_OK = 0,
    ST_ERROR,   // vm->error holds the exception
    ST_DEFER,   // needs code written in the language (a user's __eq__, a generator as argument …);
                // nothing has been changed. The interpreter runs the slow path instead. See
                // docs/internals.md, "Natives never call back".
    ST_TAIL,    // the result is that of calling vm->tail (see vm_tail in vm.h)
    ST_STOP,    // iterator: exhausted. Look-up: not there. No exception is set.
    ST_NOTIMPL, // a kind's binary/compare slot: not for these operands; ask the other one
} Status;

static inline bool is_heap(Value v) {
    return v.kind >= K_FIRST_HEAP;
}

// Returns whether v is a NumPy scalar. Its element is interpreted by vm/array.
static inline bool is_numpy_scalar(Value v) {
    return v.kind == K_SCALAR || v.kind == K_COMPLEX_SCALAR;
}
static inline uint32_t numpy_dtype(Value v) {
    return v.kind == K_SCALAR ? v.aux : v.obj->aux;
}

// Copies a value by halves. Values are written by halves, and reading sixteen bytes at once right after that
// stalls the processor until both writes have left its store buffer.
static inline Value v_load(const Value *slot) {
    Value v;
    v.head = slot->head;
    v.bits = slot->bits;
    return v;
}
static inline void v_store(Value *slot, Value v) {
    slot->head = v.head;
    slot->bits = v.bits;
}

#define V_UNDEF ((Value){.kind = K_UNDEF})
#define V_NONE ((Value){.kind = K_NONE})
#define V_NOTIMPLEMENTED ((Value){.kind = K_NOTIMPLEMENTED})
#define V_ELLIPSIS ((Value){.kind = K_ELLIPSIS})

static inline Value v_bool(bool b) {
    return (Value){.kind = K_BOOL, .i = b};
}
static inline Value v_int(int64_t i) {
    return (Value){.kind = K_INT, .i = i};
}
static inline Value v_float(double f) {
    return (Value){.kind = K_FLOAT, .f = f};
}
// Wraps a pointer to any heap object (by its header's kind); takes no new reference.
static inline Value v_obj(void *obj) {
    return (Value){.kind = ((Obj *)obj)->kind, .obj = (Obj *)obj};
}

// Frees an object whose count reached zero; never recurses, however deep the objects that it owns.
void obj_dead(Vm *vm, Obj *obj);

static inline Value retain(Value v) {
    if (is_heap(v)) v.obj->refs++;
    return v;
}
static inline void release(Vm *vm, Value v) {
    if (is_heap(v) && --v.obj->refs == 0) obj_dead(vm, v.obj);
}
static inline void release_obj(Vm *vm, void *obj) {
    if (obj && --((Obj *)obj)->refs == 0) obj_dead(vm, (Obj *)obj);
}
// Stores an owned value in place of another, which it releases last, when the slot is valid again.
static inline void replace(Vm *vm, Value *slot, Value owned) {
    Value old = v_load(slot);
    v_store(slot, owned);
    release(vm, old);
}
static inline void clear(Vm *vm, Value *slot) {
    Value old = v_load(slot);
    slot->head = K_UNDEF; // the payload of an undefined value is never read
    release(vm, old);
}

// Python's `is`.
static inline bool v_is(Value a, Value b) {
    return a.kind == b.kind && (a.kind <= K_ELLIPSIS || (a.bits == b.bits && a.aux == b.aux));
}

#endif
