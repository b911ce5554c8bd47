// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lua inside the command: its configuration, and passes over array work. Lua is in a library of its own (nacre-lua.so),
// so that the command runs without Lua. The library uses the command's copy of the functions of nacre.h.

#ifndef NACRE_HOSTS_LUA_INSIDE_INSIDE_H
#define NACRE_HOSTS_LUA_INSIDE_INSIDE_H

#include "nacre/nacre.h"

typedef struct LuaInside LuaInside;

// Callbacks that the command provides.
typedef struct LuaHooks {
    void *ctx;
    // Sets an option of the command by its name. Returns 0 if there is no such option or the value is invalid.
    int (*set_option)(void *ctx, const char *name, const char *value);
    // Returns the class of the exception that must end Lua's execution (KeyboardInterrupt, TimeoutError); NULL: Lua may
    // continue.
    const char *(*interrupted)(void *ctx);
    int trusted;                   // Lua gets all of its standard library: files, processes, modules in C
} LuaHooks;

enum { LUA_INSIDE_VERSION = 3 };

// Functions of the library. Those that return a text return NULL on success, or a description of the error, which is
// valid until the next call.
typedef struct LuaInsideTable {
    int version;
    LuaInside *(*open)(const LuaHooks *hooks); // NULL: out of memory
    // Runs a configuration file, before there is a VM.
    const char *(*configure)(LuaInside *lua, const char *path);
    // Checks that the configuration also suits a program on several ranks, where there is no Lua. It does if it sets
    // only options.
    const char *(*check_ranks)(LuaInside *lua);
    // Sets the VM that passes apply to, and applies the rest of the configuration to it. The VM must be destroyed
    // before `close`.
    const char *(*attach)(LuaInside *lua, NacreVm *vm);
    const char *(*run)(LuaInside *lua, const char *path); // runs a file with passes
    int (*is_running)(const LuaInside *lua); // returns whether Lua code runs, or something that it has called
    void (*close)(LuaInside *lua); // NULL is allowed
} LuaInsideTable;

// Type of "nacre_lua_inside", the only function that the library exports.
typedef const LuaInsideTable *(*LuaInsideFn)(void);

#endif
