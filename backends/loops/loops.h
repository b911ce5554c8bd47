// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Interface of the plug-ins nacre-loops-SET.so, each with the loops for one instruction set. The loops are in plug-ins
// since they take a third of a megabyte or more for each set, and a processor uses one set only.

#ifndef NACRE_BACKENDS_LOOPS_LOOPS_H
#define NACRE_BACKENDS_LOOPS_LOOPS_H

#include "backends/cpu/cpu.h"
#include "nacre_config.h"

typedef struct LoopsPlugin {
    const char *made_for; // loops_made_for of its build
    uint32_t struct_size; // sizeof(Loops)
    const Loops *loops;
} LoopsPlugin;
typedef const LoopsPlugin *(*LoopsPluginFn)(void); // type of nacre_loops, the function that a plug-in exports

// Identifies the version, ops and types. Loops are in tables indexed by op and type, so a plug-in that was built with
// others is rejected.
#define OP(ID, ...) #ID " "
#define LOOPS_TYPE(A, ID, ...) #ID " "
static const char loops_made_for[] = NACRE_VERSION " "
#include "vm/graph/ops.def"
    NACRE_DTYPES(LOOPS_TYPE, );
#undef LOOPS_TYPE

#endif
