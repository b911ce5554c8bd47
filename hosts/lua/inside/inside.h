// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lua inside the command: its configuration, and passes over array work. It is a library of its own
// (nacre-lua.so), so that the command runs without Lua; what it takes of nacre.h is the command's.

#ifndef NACRE_HOSTS_LUA_INSIDE_INSIDE_H
#define NACRE_HOSTS_LUA_INSIDE_INSIDE_H

#include "nacre/nacre.h"

typedef struct LuaInside LuaInside;

// What the command does for Lua.
typedef struct LuaHooks {
    void *ctx;
    // Sets one of the command's options by the name that it has there; 0: there is none of that name, or
    // the value is wrong.
    int (*set_option)(void *ctx, const char *name, const char *value);
    // Why what Lua does has to end: the class of an exception (KeyboardInterrupt, TimeoutError); NULL: it may go on.
    const char *(*interrupted)(void *ctx);
    int trusted;                   // Lua has all its libraries: files, programs, modules in C
} LuaHooks;

enum { LUA_INSIDE_VERSION = 3 };

// Functions that can fail return what went wrong, as a text that is valid until the next call; NULL: nothing.
typedef struct LuaInsideTable {
    int version;
    LuaInside *(*open)(const LuaHooks *hooks); // NULL: no memory
    // Runs a configuration, before there is a VM.
    const char *(*configure)(LuaInside *lua, const char *path);
    // Whether the configuration is for a program on several ranks too, on which there is no Lua: it asks for nothing
    // but options.
    const char *(*check_ranks)(LuaInside *lua);
    // The VM that passes are for, and what the configuration asked for it. Not closed before the VM is.
    const char *(*attach)(LuaInside *lua, NacreVm *vm);
    const char *(*run)(LuaInside *lua, const char *path); // a file with passes
    int (*is_running)(const LuaInside *lua); // whether Lua is at work, with all that it has called
    void (*close)(LuaInside *lua); // NULL is fine
} LuaInsideTable;

// The library's only function, "nacre_lua_inside".
typedef const LuaInsideTable *(*LuaInsideFn)(void);

#endif
