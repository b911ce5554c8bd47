// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The parser: source text to syntax tree.

#ifndef NACRE_LANG_PARSER_H
#define NACRE_LANG_PARSER_H

#include "lang/ast.h"
#include "lang/diag.h"

typedef enum ParseMode {
    PARSE_FILE,        // any number of statements
    PARSE_INTERACTIVE, // one statement as typed at a prompt (a line of simple ones, or a compound)
    PARSE_EXPRESSION,  // one expression, as for eval; the module holds one STMT_EXPR
} ParseMode;

// Parses `text` (UTF-8, `len` bytes, borrowed only during the call). On success returns true, `out`
// owns the tree (ast_free) and `diags` is unchanged. On failure returns false, with `out` empty and at
// least one report in `diags` (initialised by the caller with diag_init), in source order. Out of
// memory is a report of kind DIAG_MEMORY. `filename` is not used, as diag_render takes it later; it
// may be NULL.
bool parse_module(Mem *mem, const char *text, size_t len, const char *filename, ParseMode mode,
                  Ast *out, DiagList *diags);

typedef enum ParseCompleteness {
    PARSE_COMPLETE,   // a whole statement: run it
    PARSE_INCOMPLETE, // ask for another line
    PARSE_INVALID,    // no further line can mend it
} ParseCompleteness;

// For prompts: returns whether the text typed so far is a whole statement. Lines are joined by '\n',
// and the last one has none (as for Python's codeop). A compound statement is complete once its last
// line is empty. Text of blanks and comments only is complete.
ParseCompleteness parse_is_complete(Mem *mem, const char *text, size_t len);

#endif
