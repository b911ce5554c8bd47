// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a cell's text is: statements of the language, a magic word (`%time …`), or a question (`name?`).

#ifndef NACRE_HOSTS_JUPYTER_CELL_H
#define NACRE_HOSTS_JUPYTER_CELL_H

#include "kernel.h"

// How a cell ended. NACRE_MISUSE: a magic word could not be followed, and `ename` and `evalue` say why.
typedef struct CellEnd {
    NacreStatus status;
    char ename[32], evalue[256];
} CellEnd;

// Runs a cell's text between kernel_begin and kernel_end.
CellEnd cell_run(Kernel *k, const char *code);

#endif
