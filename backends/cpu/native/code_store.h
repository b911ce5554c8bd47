// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Machine code from source text: taken from the cache on disk, or built by the compiler that is
// found where the program runs, while the program goes on. All of it is the business of the VM's
// own thread.

#ifndef NACRE_BACKENDS_CPU_NATIVE_CODE_STORE_H
#define NACRE_BACKENDS_CPU_NATIVE_CODE_STORE_H

#include "lang/support/buf.h"
#include "vm/value/vm.h"

typedef struct CodeStore CodeStore;
typedef struct Code Code; // of the store, and there as long as it

CodeStore *code_store_open(Vm *vm);              // NULL: no memory
void code_store_close(Vm *vm, CodeStore *store); // NULL is fine; ends what is being built

// Whether files are left behind, with the program's lines, for debuggers and profilers.
bool code_store_stays(const CodeStore *store);

// A translation unit with one function, EMITTED_NAME, to be built; takes the text over. NULL: no
// memory.
Code *code_store_ask(CodeStore *store, Vm *vm, Buf *text);
// Takes what has been built since, and begins with the next. `wait`: until nothing is left to do.
void code_store_attend(CodeStore *store, Vm *vm, bool wait);

void *code_entry(const Code *code);           // the function; NULL: not there yet, or
bool code_failed(const Code *code);           // never

extern const char *const code_flags[]; // of the compiler; ends with NULL

void code_store_describe(Buf *out); // a line for `nacre info`

#endif
