// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What native functions want to know of objects whose class is written in the language.
//
// Natives never call back. One that meets such an object asks, gets no answer, and gives up with ST_DEFER,
// nothing changed. If it has no slow path of its own the interpreter calls it anew (native_slow in the prelude):
// this time each question is noted, answered by code of the language, and the call made again, until no question
// is left. So every native takes objects of the script's classes wherever it converts by the functions of ops.h.

#ifndef NACRE_VM_VALUE_ASKING_H
#define NACRE_VM_VALUE_ASKING_H

#include "vm/value/vm.h"

// `native_answers` in stdlib/_prelude_asked.ncr has them in the same order.
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

// Looks up the answer for v, borrowed for the duration of the call. ST_DEFER: not answered yet.
Status op_ask(Vm *vm, Question what, Value v, Value *out);
// As op_ask; the answer is a number or a text for which the caller gets a reference of its own.
Status op_ask_owned(Vm *vm, Question what, Value v, Value *out);
// Drops a pending question without an answer.
void ask_forget(Vm *vm);
// The key of an answer in the dictionary of answers.
Value ask_key(Question what, Value v);

#endif
