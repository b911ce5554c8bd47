// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Machine code from source text: taken from the on-disk cache, or built in the background by the
// compiler found at run time. Used only by the VM's own thread.

#ifndef NACRE_BACKENDS_CPU_NATIVE_CODE_STORE_H
#define NACRE_BACKENDS_CPU_NATIVE_CODE_STORE_H

#include "lang/support/buf.h"
#include "vm/value/vm.h"

typedef struct CodeStore CodeStore;
typedef struct Code Code; // owned by the store, and lives as long

CodeStore *code_store_open(Vm *vm);              // NULL: out of memory
void code_store_close(Vm *vm, CodeStore *store); // accepts NULL; kills a running build

// Returns whether files with line numbers are kept, for debuggers and profilers.
bool code_store_stays(const CodeStore *store);

// Requests machine code of a translation unit with one function, EMITTED_NAME; takes over `text`. NULL: out of
// memory.
Code *code_store_ask(CodeStore *store, Vm *vm, Buf *text);
// Collects finished builds and starts the next. With `wait`, returns when no request is left to build.
void code_store_attend(CodeStore *store, Vm *vm, bool wait);

void *code_entry(const Code *code);           // the function; NULL: not ready, or failed
bool code_failed(const Code *code);           // the code will never be ready

extern const char *const code_flags[]; // compiler flags; ends with NULL

void code_store_describe(Buf *out); // appends a line for `nacre info`

#endif
