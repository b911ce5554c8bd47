// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The entry point of lang/: compiles source text to a unit, or to a list of errors. The syntax tree
// is not exposed: the virtual machine sees bytecode only.

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
    bool at_end;          // the text ended too early; more of it could have helped
} CompileError;

typedef struct CompileErrors {
    Mem *mem;
    CompileError *items;
    uint32_t count, cap;
    bool no_memory;
} CompileErrors;

// Returns a unit that the caller owns (verified in debug builds). On failure returns NULL, and
// `errors` holds at least one item or has no_memory set. The caller zeroes `errors` before the call
// and frees it with compile_errors_free.
BcUnit *compile_source(Mem *mem, const char *text, size_t len, const char *filename,
                       CompileMode mode, CompileErrors *errors);
void compile_errors_free(CompileErrors *errors);

typedef enum Completeness { TEXT_COMPLETE, TEXT_INCOMPLETE, TEXT_INVALID } Completeness;
Completeness compile_is_complete(Mem *mem, const char *text, size_t len);

// Calls `each` for every docstring in source order: of the module (name ""), of its functions and
// classes, and of their methods and nested classes ("f", "C", "C.m"). The arguments are valid during
// the call only; `line` is where the literal begins. Returns false if the text cannot be parsed, or
// when out of memory, in which case some calls may have been made.
typedef void (*CompileDocFn)(void *ctx, const char *name, const char *doc, size_t len,
                             uint32_t line);
bool compile_docstrings(Mem *mem, const char *text, size_t len, CompileDocFn each, void *ctx);

#endif
