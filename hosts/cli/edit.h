// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Line editing at a terminal, with history and completion.

#ifndef NACRE_HOSTS_CLI_EDIT_H
#define NACRE_HOSTS_CLI_EDIT_H

#include "cli.h"

typedef struct Editor Editor;

// Opens an editor, owned by the caller. Borrows `input` and `vm`, which must outlive it. Returns NULL if lines cannot
// be edited: input or output is no terminal that can move its cursor, or libedit is missing.
Editor *edit_open(Input *input, NacreVm *vm);
void edit_close(Editor *editor);

// Returns the library's name; NULL if it is missing.
const char *edit_library(void);

// Reads a line after a prompt, as input_line does. Ctrl-D in an empty line is the end.
long edit_line(Editor *editor, const char *prompt, const char **line);

// --- For edit.c ----------------------------------------------------------------------------------

// Completes a line, of which `text` is the part before the cursor. Sets *insert to the text to be inserted there (owned
// by the caller; may be ""), and *printed if it has printed a list of choices. Returns false, with nothing owned, if
// there is nothing to complete.
bool edit_complete(NacreVm *vm, const char *text, char **insert, bool *printed);

// history_load passes the lines of earlier sessions to `each`, oldest first. history_keep adds a line to the file. Both
// ignore errors.
void history_load(void (*each)(void *ctx, const char *line), void *ctx);
void history_keep(const char *line);

// Maximum number of lines in the history.
enum { HISTORY_LINES = 1000 };

#endif
