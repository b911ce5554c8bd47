// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Callables: signatures and argument binding, native functions, bound methods, properties, cells.
// Functions written in the language are in vm/interp.

#ifndef NACRE_VM_VALUE_FUNC_H
#define NACRE_VM_VALUE_FUNC_H

#include "vm/value/vm.h"

typedef struct Param {
    Str *name;
    Value fallback; // default; V_UNDEF when required or `?`
    bool optional;
} Param;

// Parameters in binding order: positional-only, positional, keyword-only, then *args, then **kw.
typedef struct Signature {
    const char *name; // of the function, for messages; borrowed
    const NativeDef *def;       // NULL for functions written in the language
    Value owner;                // natives: the class or module they belong to, if any; owned
    Param *params;
    Value *fallbacks; // natives: the params' fallbacks, by slot; NULL: a keyword-only parameter is required, or there
                      // are *args or **kw
    int positional_only, positional; // counts; positional includes the positional-only ones
    int keyword_only;
    int has_varargs, has_varkw; // 0 or 1
    int total;                  // slots: positional + keyword_only + has_varargs + has_varkw
    int required;               // leading positional parameters without default
    bool bound_self;            // first parameter is called self: left out of counts in messages
} Signature;

// Returns the signature of a row for its owner, whom messages name; it is parsed once per VM. NULL when out of memory.
// Order of slots in `args` of a NativeFn: positional, keyword-only, *args, **kw.
const Signature *signature_of(Vm *vm, const NativeDef *def, Value owner);
// Parses a native's signature, at its first call, as a program calls few of all natives. NULL when out of memory.
const Signature *native_parse(Vm *vm, Native *native);
static inline const Signature *native_signature(Vm *vm, Native *native) {
    return native->signature ? native->signature : native_parse(vm, native);
}
int native_slots(const NativeDef *def); // computes Signature.total from the row
void signatures_free(Vm *vm); // frees all signatures of a VM

// Binds a call to slots (an array of sig->total, all V_UNDEF at entry; receives owned values).
// `args`: `count` positional values, then the values of the keywords in `names` (a tuple of str,
// may be NULL); all borrowed. Errors are Python's: missing, unexpected, multiple values …
// On failure all slots are V_UNDEF again. The caller checks that a method's self is of its kind.
Status signature_bind(Vm *vm, const Signature *sig, const Value *args, size_t count,
                      const Tuple *names, Value *slots);

// Returns the text after a native's signature, its docstring (borrowed; NULL: none), and the signature's length.
const char *native_doc(const NativeDef *def, size_t *signature_len);
Status native_new(Vm *vm, const NativeDef *def, Value owner, Value *out);
Status bound_new(Vm *vm, Value self, Value func, Value *out); // borrows both
Status descr_new(Vm *vm, DescrRole role, Value get, Value set, Value del, Value *out);
Status cell_new(Vm *vm, Value value, Value *out); // consumes value

// Constructors of staticmethod and classmethod, whose objects are of the same kind as properties (K_DESCR).
extern const NativeDef staticmethod_construct, classmethod_construct;

// Adds rows ending with name == NULL to a namespace. In a class, a row whose first parameter is
// `cls` becomes a class method (except __new__, which is called with the class as it is).
Status natives_into_dict(Vm *vm, Dict *dict, const NativeDef *rows, Value owner);

extern const NativeDef func_methods[]; // of functions written in the language

extern const NativeDef descr_binding[]; // of static and class methods

// Calls a property's getter for an instance. May return ST_TAIL.
Status property_get(Vm *vm, struct Descr *descr, Value self, Value *out);

#endif
