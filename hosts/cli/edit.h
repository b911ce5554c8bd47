// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Editing of lines at a terminal, with history and completion.

#ifndef NACRE_HOSTS_CLI_EDIT_H
#define NACRE_HOSTS_CLI_EDIT_H

#include "cli.h"

typedef struct Editor Editor;

// NULL where lines are not edited: without a terminal at both ends that can move its cursor, or
// without libedit. Owned by the caller. Keeps `input` and `vm`, which have to outlive it.
Editor *edit_open(Input *input, NacreVm *vm);
void edit_close(Editor *editor);

// The library's name; NULL where there is none.
const char *edit_library(void);

// As input_line, after a prompt; the end is Ctrl-D in an empty line.
long edit_line(Editor *editor, const char *prompt, const char **line);

// --- For edit.c ----------------------------------------------------------------------------------

// What Tab does to a line of which `text` stands before the cursor: `insert` (owned, "" or more)
// comes in there. False, with nothing owned, where it can do nothing. Choices are printed.
bool edit_complete(NacreVm *vm, const char *text, char **insert, bool *printed);

// Lines of earlier sessions, oldest first; keeping one more. What fails there is passed over.
void history_load(void (*each)(void *ctx, const char *line), void *ctx);
void history_keep(const char *line);

// How many lines of history are kept.
enum { HISTORY_LINES = 1000 };

#endif
