// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors

#include "cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether the text ends with a semicolon, which keeps the value of its last expression from being shown.
static bool is_quiet(const char *code) {
    size_t len = strlen(code);
    while (len > 0 && strchr(" \t\r\n", code[len - 1])) len--;
    return len > 0 && code[len - 1] == ';';
}

CellEnd cell_run(Kernel *k, const char *code) {
    CellEnd end = {.status = NACRE_OK};
    char name[32];
    snprintf(name, sizeof name, "In[%d]", k->count);
    free(k->result);
    k->result = NULL;
    end.status = nacre_run(k->vm, code, strlen(code), name, is_quiet(code) ? NACRE_FILE : NACRE_CELL);
    return end;
}
