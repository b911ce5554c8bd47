// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The door of lang/: source text to a compiled unit, or to a list of errors. It shows no syntax
// tree, so the virtual machine sees bytecode only.

#ifndef NACRE_LANG_COMPILE_H
#define NACRE_LANG_COMPILE_H

#include "lang/bytecode.h"

typedef enum CompileMode {
    COMPILE_FILE,
    COMPILE_INTERACTIVE, // one statement; expression statements are shown by DISPLAY
    COMPILE_EXPRESSION,  // the main code returns the value
    COMPILE_CELL,        // as a file, but an expression at its end is shown by DISPLAY
} CompileMode;

typedef struct CompileError {
    const char *kind;    // "SyntaxError", "IndentationError", "TabError", "MemoryError", "RecursionError"
    const char *message;
    BcSpan span;
    const char *rendered; // as Python prints it: File line, source line, caret, "Kind: message"
    bool at_end;          // more text could have helped
} CompileError;

typedef struct CompileErrors {
    Mem *mem;
    CompileError *items;
    uint32_t count, cap;
    bool no_memory;
} CompileErrors;

// On success *out is an owned unit (verified in debug builds). On failure returns NULL and `errors`
// (zeroed by the caller, freed with compile_errors_free) holds at least one item or no_memory.
BcUnit *compile_source(Mem *mem, const char *text, size_t len, const char *filename,
                       CompileMode mode, CompileErrors *errors);
void compile_errors_free(CompileErrors *errors);

typedef enum Completeness { TEXT_COMPLETE, TEXT_INCOMPLETE, TEXT_INVALID } Completeness;
Completeness compile_is_complete(Mem *mem, const char *text, size_t len);

// Calls `each` for the docstrings of the module (name ""), of functions and classes in it and in its
// classes ("f", "C", "C.m"), in the order of the text. Everything is valid during the call; `line`
// is where the literal begins. False when the text cannot be parsed, or out of memory: `each` may
// have been called by then.
typedef void (*CompileDocFn)(void *ctx, const char *name, const char *doc, size_t len,
                             uint32_t line);
bool compile_docstrings(Mem *mem, const char *text, size_t len, CompileDocFn each, void *ctx);

#endif
