// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The tree as text, for tests and for looking at.

#ifndef NACRE_LANG_AST_DUMP_H
#define NACRE_LANG_AST_DUMP_H

#include "lang/ast.h"
#include "lang/support/buf.h"

// Appends the module as an S-expression, one statement of the module a line:
//   (Assign (targets (Name= x)) (Binary + (Name a) (Int 1)))
// Targets are marked `=` where they are stored to and `~` where they are deleted. With `spans`,
// "@line:col-line:col" follows the kind of each statement and expression.
void ast_dump(const Module *module, bool spans, Buf *out);

#endif
