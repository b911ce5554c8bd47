// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The operations of the language on any values. They dispatch to the kinds' slots and raise
// Python's errors; where a user class decides, they return ST_DEFER (see value.h) and the
// interpreter takes over.

#ifndef NACRE_VM_VALUE_OPS_H
#define NACRE_VM_VALUE_OPS_H

#include "vm/value/vm.h"

// Text of an operator and its method names, from ops.def.
typedef struct OpNames {
    const char *symbol, *method, *reflected, *in_place;
} OpNames;
extern const OpNames binary_names[BINARY_COUNT];
extern const OpNames compare_names[COMPARE_COUNT];
extern const OpNames unary_names[UNARY_COUNT];

// True when v is an instance of a class that defines the method in the language, so that an
// operation on it must be deferred.
bool op_user_method(const Vm *vm, Value v, NameId name);
// True when the class of v sets the method to None, which forbids the operation.
bool op_forbidden(const Vm *vm, Value v, NameId name);

Status op_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out);
// Replaces *out, the result of an in-place operator, by the instance `a` if that result is the value inside `a`.
void op_keep_instance(Vm *vm, bool in_place, Value a, Value *out);
Status op_binary_error(Vm *vm, BinaryOp op, bool in_place, Value a, Value b); // the TypeError
Status op_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out);
Status op_compare_error(Vm *vm, CompareOp op, Value a, Value b);
Status op_unary(Vm *vm, UnaryOp op, Value a, Value *out);
Status op_eq(Vm *vm, Value a, Value b, bool *out); // `a is b or a == b`, as containers compare
Status op_lt(Vm *vm, Value a, Value b, bool *out);

Status op_truth(Vm *vm, Value v, bool *out);
Status op_hash(Vm *vm, Value v, int64_t *out);      // TypeError: unhashable type: 'list'
Status op_len(Vm *vm, Value v, int64_t *out);
Status op_getitem(Vm *vm, Value v, Value key, Value *out); // ST_TAIL: __missing__ of a dict class
Status op_setitem(Vm *vm, Value v, Value key, Value value);
Status op_delitem(Vm *vm, Value v, Value key);
Status op_contains(Vm *vm, Value v, Value item, bool *out);
Status op_iter(Vm *vm, Value v, Value *out);        // TypeError: 'int' object is not iterable
Status op_next(Vm *vm, Value it, Value *out);       // ST_STOP at the end

// Text. The Buf must use vm->mem; a failed Buf becomes MemoryError here.
Status op_repr(Vm *vm, Value v, Buf *out);
Status op_str(Vm *vm, Value v, Buf *out);
Status op_repr_nested(Vm *vm, Value v, Buf *out, int depth); // for slots: depth already counted
Status op_repr_value(Vm *vm, Value v, Value *out);  // as a str
Status op_str_value(Vm *vm, Value v, Value *out);
Status op_format(Vm *vm, Value v, Str *spec, Buf *out); // format(v, spec)

// Attributes (attr.c). op_getattr may return ST_TAIL (a property's getter, __getattr__).
Status op_getattr(Vm *vm, Value v, Str *name, Value *out);
Status op_setattr(Vm *vm, Value v, Str *name, Value value); // V_UNDEF deletes; may be ST_TAIL
// Method lookup without binding: *self is V_UNDEF when the result is to be called as it is.
Status op_getmethod(Vm *vm, Value v, Str *name, Value *func, Value *self);
// Looks up a method in the class only, never in the instance; ST_STOP if there is none.
// `func` is borrowed, unbound.
Status op_special(Vm *vm, Value v, NameId name, Value *func);

// Conversions.
Status op_index(Vm *vm, Value v, int64_t *out); // int, bool, NumPy integer; TypeError otherwise.
                                                // IndexError when it does not fit 64 bits
// As op_index, with another exception if the value does not fit. The text may have a %s for the name of the type.
Status op_index_or(Vm *vm, Value v, ExcKind kind, const char *text, int64_t *out)
    __attribute__((format(printf, 4, 0)));
Status op_as_double(Vm *vm, Value v, double *out); // "must be real number, not str"
// Returns the status of a native in which one of these failed and the status was lost in a condition: ST_ERROR, or
// ST_DEFER if no exception was raised, as a method of the user has to be called.
Status op_refused(const Vm *vm);
Status op_is_callable(Vm *vm, Value v, bool *out);
bool op_isinstance(Vm *vm, Value v, const Class *cls);
bool class_is_subclass(const Class *cls, const Class *base);
// Hash of a sequence from its items' hashes (CPython's tuple hash).
int64_t hash_combine_items(const int64_t *hashes, size_t n);

// Collects the items of a native iterable in a new list, *out. ST_DEFER: its iterator is written in the language.
Status op_to_list(Vm *vm, Value iterable, Value *out);

#endif
