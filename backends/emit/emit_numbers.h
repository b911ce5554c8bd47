// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Half floats and complex numbers in text for devices. Long texts take long to compile, so the helpers for these types
// are only in texts that use them.

#ifndef NACRE_BACKENDS_EMIT_EMIT_NUMBERS_H
#define NACRE_BACKENDS_EMIT_EMIT_NUMBERS_H

#include "backends/emit/emit.h"

// Helpers that a text needs: half floats; complex numbers, functions of these, flags of their arithmetic and of their
// functions.
typedef struct Needs {
    bool half, complex, functions, flags, more_flags;
} Needs;

void needs_type(Needs *needs, uint8_t type);
// Adds what an operation needs, and what its flags need if it `tells`.
void needs_op(Needs *needs, OpId op, uint8_t from, uint8_t type, bool tells);
void needs_put(const Needs *needs, const Dialect *dialect, Buf *out); // writes the helpers, after the prelude

#endif
