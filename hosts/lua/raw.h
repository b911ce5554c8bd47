// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The C half of the module for Lua 5.4: one VM for each Lua state, holds on values as userdata, and
// functions on them that nacre/core.lua makes the module of. LuaJIT has the same functions by its FFI
// (nacre/ffi.lua).

#ifndef NACRE_HOSTS_LUA_RAW_H
#define NACRE_HOSTS_LUA_RAW_H

#include <lauxlib.h>
#include <lua.h>

#include "nacre/nacre.h"

// The VM of a Lua state, an upvalue of each function.
typedef struct Session {
    NacreVm *vm;  // NULL: closed
    int owned;    // it goes with the session
    int *depth;   // how deep the engine's calls of Lua's functions are, for whoever wants to know; or NULL
    lua_State *L; // that has called last: whoever is called back runs in it
    int metatable, errors; // registry references: of values, of error objects
    size_t reclaimed; // bytes of Lua's heap after the last collection for the engine
} Session;

// vm.c
Session *session_of(lua_State *L); // the running function's; notes L
int session_start(lua_State *L);   // raw.start(options): makes the VM of a new session, upvalue 1

// convert.c. All may raise Lua errors.
// A hold on the value at an index: a value's own (borrowed), or one made of a boolean, a number, a string,
// nil, which stands in a box pushed onto the stack, so that it goes whatever happens.
NacreValue *to_value(lua_State *L, Session *s, int index);
// The same for items 1 … count of the table at an index; the array is pushed too.
NacreValue **to_values(lua_State *L, Session *s, int index, size_t count);
// Pushes a value (consumed): what Lua has itself as Lua's, a tuple as a table, all else in a box.
void push_value(lua_State *L, Session *s, NacreValue *value);
void push_box(lua_State *L, Session *s, NacreValue *value);
NacreValue *boxed(lua_State *L, Session *s, int index); // NULL: no value
int box_collect(lua_State *L);
// Raises what a call has left, unless it is NACRE_OK.
void check(lua_State *L, Session *s, NacreStatus status);
// A value that a function has returned, NULL where it failed.
NacreValue *made(lua_State *L, Session *s, NacreValue *value);

extern const char session_key; // its address: the session of a Lua state, in its registry
// A session over a VM, as upvalue 1 of functions in a table that is pushed.
Session *session_push(lua_State *L);

// raw.c: the texts of a table at an index, which keeps them, with NULL behind them; the array is pushed.
const char **to_texts(lua_State *L, int index);

// function.c: raw.func(name, signature, function)
int raw_func(lua_State *L);

// A function of Lua that the engine calls back.
typedef struct LuaFunction {
    Session *session;
    int reference; // of the function in the registry
    int spreads;   // called with the items of its only argument
} LuaFunction;
LuaFunction *lua_function_new(lua_State *L, Session *s, int index);
void lua_function_drop(void *function);
// Runs a C function of Lua, given what `call` points to, so that nothing that it raises jumps over the engine.
NacreStatus lua_function_run(Session *s, lua_CFunction protected, void *call);

extern const luaL_Reg raw_functions[];      // raw.c
extern const luaL_Reg raw_plan_functions[]; // plan.c

#endif
