// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The loops for one instruction set as a plug-in, nacre-loops-SET.so: what it shows of itself. They are
// a third of a megabyte and more for each set, and a processor uses one.

#ifndef NACRE_BACKENDS_LOOPS_LOOPS_H
#define NACRE_BACKENDS_LOOPS_LOOPS_H

#include "backends/cpu/cpu.h"
#include "nacre_config.h"

typedef struct LoopsPlugin {
    const char *made_for; // LOOPS_MADE_FOR of its build
    uint32_t struct_size; // sizeof(Loops)
    const Loops *loops;
} LoopsPlugin;
typedef const LoopsPlugin *(*LoopsPluginFn)(void); // nacre_loops

// Loops stand in tables by number of op and type: a plug-in with others is none.
#define OP(ID, ...) #ID " "
#define LOOPS_TYPE(A, ID, ...) #ID " "
static const char loops_made_for[] = NACRE_VERSION " "
#include "vm/graph/ops.def"
    NACRE_DTYPES(LOOPS_TYPE, );
#undef LOOPS_TYPE

#endif
