// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders libraries compiled ahead of time: C source for each function, and the header.

#ifndef NACRE_BACKENDS_EMIT_EMIT_AHEAD_H
#define NACRE_BACKENDS_EMIT_EMIT_AHEAD_H

#include "backends/emit/emit.h"
#include "vm/region/ahead.h"

// Writes what precedes all functions. `module` prefixes their names.
void emit_ahead_begin(const Dialect *dialect, Buf *source);
void emit_header_begin(const char *module, Buf *header);
// Writes a function's definition and declaration. False: the dialect lacks a type.
bool emit_ahead(const Dialect *dialect, const char *module, const AheadFunction *function,
                Buf *source);
void emit_ahead_header(const Dialect *dialect, const char *module, const AheadFunction *function,
                       Buf *header);
void emit_header_end(Buf *header);

#endif
