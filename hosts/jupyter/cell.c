// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs a cell's text: selects the mode, and translates magic words.

#include "cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns whether the text ends with a semicolon, which suppresses the value of its last expression.
static bool is_quiet(const char *code) {
    size_t len = strlen(code);
    while (len > 0 && strchr(" \t\r\n", code[len - 1])) len--;
    return len > 0 && code[len - 1] == ';';
}

// Returns whether a line may be a magic word, a command or a question. This is a quick filter: the language decides
// exactly.
static bool may_be_magic(const char *code) {
    for (const char *line = code; line; line = strchr(line, '\n')) {
        line += strspn(line, "\n \t");
        size_t len = strcspn(line, "\n");
        while (len > 0 && strchr(" \t\r", line[len - 1])) len--;
        if (!len) continue;
        if (strchr("%!?", line[0]) || line[len - 1] == '?') return true;
        const char *equals = memchr(line, '=', len);
        if (equals && strchr("%!", equals[1 + strspn(equals + 1, " ")])) return true;
    }
    return false;
}

// Runs a cell on several ranks. Magic words call the host of one rank, so the language refuses them here.
static NacreStatus run_together(Kernel *k, const char *code) {
    static const char note[] = "Magic words (%…, !…, ?) are for kernels of one rank.\n";
    const NacreMode mode = is_quiet(code) ? NACRE_FILE : NACRE_CELL;
    kernel_begin_together(k, (MateTask){.kind = MATE_CELL, .text = code, .len = strlen(code), .filename = k->cell_name,
                                        .mode = mode, .expressions = k->expressions});
    NacreStatus status = nacre_run(k->vm, code, strlen(code), k->cell_name, mode);
    if (status == NACRE_ERROR && may_be_magic(code) && strcmp(nacre_error_class(k->vm), "SyntaxError") == 0)
        kernel_write(k, 2, note, sizeof note - 1);
    return status;
}

NacreStatus cell_run(Kernel *k, const char *code) {
    NacreStatus status = NACRE_OK;
    snprintf(k->cell_name, sizeof k->cell_name, "In[%d]", k->count);
    free(k->result);
    k->result = NULL;
    if (k->mates) return run_together(k, code);
    char *changed = may_be_magic(code) ? magic_transform(k, code, &status) : NULL;
    if (status != NACRE_OK) return status;
    const char *text = changed ? changed : code;
    status = nacre_run(k->vm, text, strlen(text), k->cell_name, is_quiet(text) ? NACRE_FILE : NACRE_CELL);
    free(changed);
    return status;
}
