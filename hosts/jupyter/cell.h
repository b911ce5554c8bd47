// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A cell's text: statements of the language, a magic word (`%time …`), or a question (`name?`).

#ifndef NACRE_HOSTS_JUPYTER_CELL_H
#define NACRE_HOSTS_JUPYTER_CELL_H

#include "kernel.h"

// Runs a cell's text, between kernel_begin and kernel_end. Returns as nacre_run does.
NacreStatus cell_run(Kernel *k, const char *code);

// magic.c. Translates the magic words of a cell's text to calls. The caller frees the result. NULL: an exception is
// set, and *status is the VM's status.
char *magic_transform(Kernel *k, const char *code, NacreStatus *status);
void magic_free(Kernel *k); // called before the VM is destroyed

#endif
