// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The C half of the module for Lua 5.4: one VM for each Lua state, handles of values as userdata, and the functions
// from which nacre/core.lua makes the module. For LuaJIT, nacre/ffi.lua has the same functions by its FFI.

#ifndef NACRE_HOSTS_LUA_RAW_H
#define NACRE_HOSTS_LUA_RAW_H

#include <lauxlib.h>
#include <lua.h>

#include "nacre/nacre.h"

// The VM of a Lua state; an upvalue of each function.
typedef struct Session {
    NacreVm *vm;  // NULL: closed
    int owned;    // the VM is destroyed with the session
    int *depth;   // nesting depth of calls from the engine into Lua, counted for the session's owner; or NULL
    lua_State *L; // the Lua thread that called the engine last; callbacks run in it
    int metatable, errors; // registry references of the metatables of values and of error objects
} Session;

// vm.c
Session *session_of(lua_State *L); // returns the session of the running function, and sets its L; raises an error if
                                   // the VM is closed
int session_start(lua_State *L);   // raw.start(options): makes a session with a VM, and pushes its table of functions

// convert.c. All functions may raise Lua errors.
//
// Returns the value at an index: a value's own handle (borrowed), or a new one made from a boolean, a number, a string
// or nil. A new handle is owned by a box that is pushed onto the stack, so that it is released even if an error is
// raised.
NacreValue *to_value(lua_State *L, Session *s, int index);
// Does the same for items 1 … count of the table at an index. The array is a userdatum, which is pushed, followed by a
// table that owns the new boxes.
NacreValue **to_values(lua_State *L, Session *s, int index, size_t count);
// Pushes a value, and consumes the handle: values that Lua has become Lua's own, a tuple becomes a table, and
// everything else is put into a box. push_box always makes a box.
void push_value(lua_State *L, Session *s, NacreValue *value);
void push_box(lua_State *L, Session *s, NacreValue *value);
NacreValue *boxed(lua_State *L, Session *s, int index); // returns the handle in a box (borrowed); NULL: not a box
int box_collect(lua_State *L);
// Raises the error that a call has set, unless the status is NACRE_OK.
void check(lua_State *L, Session *s, NacreStatus status);
// Returns the value that a function has returned, or raises its error if the value is NULL.
NacreValue *made(lua_State *L, Session *s, NacreValue *value);

extern const char session_key; // its address is the registry key of a state's session
// Makes a session without a VM. Pushes a table of functions that have the session as upvalue 1.
Session *session_push(lua_State *L);

// raw.c. Returns the strings of the table at an index, followed by NULL. The table owns the strings; the array is a
// userdatum, which is pushed.
const char **to_texts(lua_State *L, int index);

// function.c: Implements raw.func(name, signature, function), which makes a value from a Lua function.
int raw_func(lua_State *L);

// A Lua function that the engine calls.
typedef struct LuaFunction {
    Session *session;
    int reference; // registry reference of the function
    int spreads;   // the engine passes one tuple, whose items are the function's arguments
} LuaFunction;
LuaFunction *lua_function_new(lua_State *L, Session *s, int index);
void lua_function_drop(void *function);
// Calls a C function in protected mode with `call` as its argument, so that a Lua error does not jump (longjmp) over
// the engine. Returns NACRE_ERROR, with the exception raised, if there is an error.
NacreStatus lua_function_run(Session *s, lua_CFunction protected, void *call);

extern const luaL_Reg raw_functions[];      // raw.c
extern const luaL_Reg raw_plan_functions[]; // plan.c

#endif
