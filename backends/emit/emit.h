// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Source text for kernels. One renderer writes the body; what languages differ in stands in a table
// for each.

#ifndef NACRE_BACKENDS_EMIT_EMIT_H
#define NACRE_BACKENDS_EMIT_EMIT_H

#include "backends/emit/form.h"
#include "lang/support/buf.h"

typedef struct Dialect {
    const char *name;
    const char *prelude;         // what bodies call
    const char *types[DT_COUNT]; // how each type is spelled; NULL: not in this language
    const char *open, *close;    // around the body of one element, `i`
} Dialect;

extern const Dialect dialect_c;

// The name of the function: void nacre_body(char *const *loads, const int64_t *steps, const char
// *params, char *const *outs, size_t n) computes n elements. Loads are the addresses of first
// elements and their strides in bytes; params lie PARAM_BYTES apart; outs are contiguous, each an
// operand's memory or apart from it.
#define NACRE_BODY "nacre_body"
enum { PARAM_BYTES = 16 };
typedef void (*BodyFn)(char *const *loads, const int64_t *steps, const char *params,
                       char *const *outs, size_t n);

// Appends a whole translation unit. False: the dialect has no word for a type in it.
bool emit_kernel(const Dialect *dialect, const Form *form, Buf *out);

#endif
