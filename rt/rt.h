// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The runtime's own state, behind a nacre_rt.

#ifndef NACRE_RT_RT_H
#define NACRE_RT_RT_H

#include "backends/cpu/cpu.h"
#include "nacre/rt.h"

enum { RT_MADE = 16, RT_CLASS = 64, RT_TEXT = 512 };

// Memory that code has asked for; it is kept from call to call.
typedef struct Block {
    char *at;
    size_t bytes;
} Block;

struct nacre_rt {
    Vm vm; // stands in for the engine's: its memory and its interrupt
    Cpu cpu;
    Pool pool;
    RegionCalls calls;
    Block made[RT_MADE], scratch;
    char cls[RT_CLASS], text[RT_TEXT];
    const char *file, *function;
    int line;
};

// Sets the error; `cls` is what it is called. Returns the status.
int rt_fail(nacre_rt *rt, nacre_rt_status status, const char *cls, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
