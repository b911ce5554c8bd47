// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lua functions as functions that scripts can call. Lua errors are caught here, since their longjmp must not skip
// frames of the engine.

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "raw.h"

// Arguments of run_protected.
typedef struct Call {
    LuaFunction *function;
    size_t count;
    NacreValue *const *args;
    NacreValue **result;
} Call;

// Pushes the items of a tuple, and returns how many there are.
static int push_items(lua_State *L, Session *s, NacreValue *tuple) {
    int64_t count = 0;
    check(L, s, nacre_length(s->vm, tuple, &count));
    luaL_checkstack(L, (int)count + 8, "arguments");
    for (int64_t i = 0; i < count; i++) {
        NacreValue *item = NULL;
        check(L, s, nacre_at(s->vm, tuple, i, &item));
        push_value(L, s, item);
    }
    return (int)count;
}

static int push_all(lua_State *L, Session *s, const Call *call) {
    luaL_checkstack(L, (int)call->count + 8, "arguments");
    for (size_t i = 0; i < call->count; i++)
        push_value(L, s, made(L, s, nacre_hold(s->vm, call->args[i])));
    return (int)call->count;
}

static int run_protected(lua_State *L) {
    Call *call = lua_touserdata(L, 1);
    Session *s = call->function->session;
    lua_rawgeti(L, LUA_REGISTRYINDEX, call->function->reference);
    int count = call->function->spreads ? push_items(L, s, call->args[0]) : push_all(L, s, call);
    lua_call(L, count, 1);
    *call->result = nacre_hold(s->vm, to_value(L, s, -1));
    return 0;
}

// Returns a string field of a table, NULL if there is none, and leaves it on the stack. Reads the table without
// metamethods, as those may raise errors.
static const char *text_field(lua_State *L, int table, const char *name) {
    lua_pushstring(L, name);
    lua_rawget(L, table);
    return lua_tostring(L, -1); // the table owns the string
}

// Message handler of lua_pcall: raises a Lua error as an exception of the VM. Runs in protected mode, as it may itself
// raise errors.
static int raise_for_lua(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &session_key);
    Session *s = lua_touserdata(L, -1);
    const char *class_name = NULL, *message = NULL;
    if (lua_istable(L, 1)) {
        class_name = text_field(L, 1, "class");
        message = text_field(L, 1, "message");
    }
    if (!class_name || !message) {
        class_name = "RuntimeError";
        message = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "a function of Lua failed";
    }
    if (s && s->vm) nacre_raise(s->vm, class_name, message);
    lua_settop(L, 0);
    lua_pushboolean(L, 1); // marks the error as converted
    return 1;
}

NacreStatus lua_function_run(Session *s, lua_CFunction protected, void *call) {
    lua_State *L = s->L;
    NacreStatus status = NACRE_OK;
    if (!lua_checkstack(L, 8)) return nacre_raise(s->vm, "MemoryError", "Lua's stack is full");
    if (s->depth) ++*s->depth;
    lua_pushcfunction(L, raise_for_lua); // does not allocate, as C functions without upvalues and light userdata are
                                         // plain values
    lua_pushcfunction(L, protected);
    lua_pushlightuserdata(L, call);
    int outcome = lua_pcall(L, 1, 0, -3);
    if (s->depth) --*s->depth;
    if (outcome != LUA_OK) {
        bool raised = lua_type(L, -1) == LUA_TBOOLEAN;
        lua_pop(L, 1);
        status = NACRE_ERROR;
        if (!raised) nacre_raise(s->vm, outcome == LUA_ERRMEM ? "MemoryError" : "RuntimeError", "Lua has failed");
    }
    lua_pop(L, 1);
    s->L = L; // nested calls may have set it to a coroutine
    return status;
}

static NacreStatus call_lua(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                            NacreValue **result) {
    LuaFunction *function = ctx;
    Call call = {function, count, args, result};
    (void)vm;
    return lua_function_run(function->session, run_protected, &call);
}

void lua_function_drop(void *ctx) {
    LuaFunction *function = ctx;
    luaL_unref(function->session->L, LUA_REGISTRYINDEX, function->reference);
    free(function);
}

LuaFunction *lua_function_new(lua_State *L, Session *s, int index) {
    luaL_checktype(L, index, LUA_TFUNCTION);
    LuaFunction *function = malloc(sizeof *function);
    if (!function) luaL_error(L, "not enough memory");
    lua_pushvalue(L, index);
    *function = (LuaFunction){.session = s, .reference = luaL_ref(L, LUA_REGISTRYINDEX)};
    return function;
}

int raw_func(lua_State *L) { // raw.func(name, signature or nil, function)
    Session *s = session_of(L);
    const char *name = luaL_checkstring(L, 1), *signature = luaL_optstring(L, 2, NULL);
    LuaFunction *function = lua_function_new(L, s, 3);
    function->spreads = !signature; // the function takes any number of arguments
    const NacreFunction made_of = {.struct_size = sizeof made_of, .name = name, .signature = signature,
                                   .fn = call_lua, .ctx = function, .drop = lua_function_drop};
    NacreValue *value = NULL;
    check(L, s, nacre_function(s->vm, &made_of, &value)); // calls `drop` if it fails
    push_box(L, s, value);
    return 1;
}
