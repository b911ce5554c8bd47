// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Diagnostics of the front end: what went wrong, where, and what was expected, and their rendering
// as Python prints a SyntaxError.

#ifndef NACRE_LANG_DIAG_H
#define NACRE_LANG_DIAG_H

#include "lang/ast.h"
#include "lang/support/buf.h"

typedef enum DiagKind {
    DIAG_SYNTAX,      // SyntaxError
    DIAG_INDENTATION, // IndentationError
    DIAG_TAB,         // TabError
    DIAG_MEMORY,      // MemoryError
    DIAG_RECURSION,   // RecursionError
} DiagKind;

typedef struct Diag {
    DiagKind kind;
    Span span;
    const char *message;
    const char *expected; // or NULL: what the parser was looking for
    bool at_end;          // the text ended too early; more of it could have helped
} Diag;

enum { DIAG_CAP = 20 };

// Owns its messages. Reports beyond DIAG_CAP are counted but not kept.
typedef struct DiagList {
    Arena arena;
    Diag items[DIAG_CAP];
    uint32_t count;   // kept
    uint32_t dropped; // beyond the cap
} DiagList;

void diag_init(DiagList *list, Mem *mem);
void diag_free(DiagList *list);

// Adds a report; `message` is a printf format. If there is no memory for the text, the report is
// kept as a MemoryError with a constant message. Returns the item, or NULL past the cap.
Diag *diag_add(DiagList *list, DiagKind kind, Span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
Diag *diag_vadd(DiagList *list, DiagKind kind, Span span, const char *format, va_list args);

// Attaches "what was expected" (copied) to a report; item may be NULL.
void diag_expect(DiagList *list, Diag *item, const char *expected);

// Returns the name of the Python class of a kind: "SyntaxError", …
const char *diag_kind_name(DiagKind kind);

// Writes the report as Python does:
//     File "x.py", line 3
//       x = (1 +
//           ^
//   SyntaxError: '(' was never closed
// followed by a line `  expected: …` where there is one. `text` is the source that was parsed.
// Carets count code points; wide characters and tabs are not expanded.
void diag_render(const Diag *item, const char *text, size_t len, const char *filename, Buf *out);

// Returns line number `line` (from 1) of `text`, without its line ending. Empty past the end.
Text diag_source_line(const char *text, size_t len, uint32_t line);

// Returns the number of code points before byte `col` of a line. A byte that is no valid UTF-8 counts
// as one.
uint32_t diag_column(Text line, uint32_t col);

#endif
