// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Questions: conversions (__index__, __len__, __repr__ …) that native functions need of objects whose class is written
// in the language.
//
// Natives never call back. A native with such an argument calls op_ask, which has no answer, and so returns ST_DEFER
// with nothing changed. If the native has no slow path of its own, the interpreter repeats the call (native_slow in the
// prelude): each question is recorded and answered by code of the language, and the native is called again, until no
// question is left. So every native that converts by the functions of ops.h takes objects of the script's classes.

#ifndef NACRE_VM_VALUE_ASKING_H
#define NACRE_VM_VALUE_ASKING_H

#include "vm/value/vm.h"

// The questions, with the types of their answers. `native_answers` in stdlib/_prelude_asked.ncr has the same order.
typedef enum Question {
    ASK_NONE,
    ASK_INDEX,    // an int
    ASK_INT,      // int(x)
    ASK_FLOAT,    // a float
    ASK_COMPLEX,  // a complex number
    ASK_TRUTH,    // a bool
    ASK_LEN,      // an int
    ASK_REPR,     // a str
    ASK_STR,      // a str
    ASK_ITEMS,    // a list
    ASK_SEQUENCE, // a list of the items of an object with length and items
    ASK_ARRAY,    // an array
} Question;

// Looks up the answer for v; *out is borrowed, and valid until the native returns. ST_DEFER: not answered yet.
Status op_ask(Vm *vm, Question what, Value v, Value *out);
// As op_ask, for answers that are numbers or text; *out is owned.
Status op_ask_owned(Vm *vm, Question what, Value v, Value *out);
// Drops a pending question without an answer.
void ask_forget(Vm *vm);
// Returns the key in vm->answers of the answer to a question about v.
Value ask_key(Question what, Value v);

#endif
