// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a cell's text is: statements of the language, a magic word (`%time …`), or a question (`name?`).

#ifndef NACRE_HOSTS_JUPYTER_CELL_H
#define NACRE_HOSTS_JUPYTER_CELL_H

#include "kernel.h"

// Runs a cell's text, between kernel_begin and kernel_end; as nacre_run.
NacreStatus cell_run(Kernel *k, const char *code);

// magic.c. The cell's text with its magic words made calls, owned; NULL: an exception is set, *status is how the VM
// has answered.
char *magic_transform(Kernel *k, const char *code, NacreStatus *status);
void magic_free(Kernel *k); // before the VM goes

#endif
