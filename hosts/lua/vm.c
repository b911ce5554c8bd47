// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The VM of a Lua state: its options, its output, its end, and requests for garbage collections.

#include <stdio.h>
#include <string.h>

#include "raw.h"

Session *session_of(lua_State *L) {
    Session *s = lua_touserdata(L, lua_upvalueindex(1));
    if (!s->vm) luaL_error(L, "nacre: the VM is closed");
    s->L = L;
    return s;
}

static int write_text(void *ctx, int stream, const char *bytes, size_t len) {
    FILE *file = stream == 2 ? stderr : stdout;
    (void)ctx;
    if (len == 0) return fflush(file);
    return fwrite(bytes, 1, len, file) == len ? 0 : -1;
}

static long read_line(void *ctx, const char **bytes) {
    static _Thread_local char line[4096];
    (void)ctx;
    if (!fgets(line, sizeof line, stdin)) return ferror(stdin) ? -1 : 0;
    *bytes = line;
    return (long)strlen(line);
}

// Runs Lua's garbage collector if that is worth it. Arrays that Lua cannot reach stay held until they are collected,
// and would have to be stored. A collection traverses Lua's heap at about a fiftieth of the speed at which results are
// stored, so it pays off only if the results are that much larger than the heap.
static void collect(Session *s, size_t bytes) {
    size_t heap = (size_t)lua_gc(s->L, LUA_GCCOUNT) * 1024;
    if (heap / 2 < bytes / 25) lua_gc(s->L, LUA_GCCOLLECT);
}

// Defers arrays in registers of running functions, which cannot be collected. A temporary (a register without a name)
// has nearly always been used up: it was an operand of the next operation. With `named`, marks variables as not
// deferred instead, since they will probably be read.
static void defer_registers(Session *s, int named) {
    enum { LEVELS = 32 };
    lua_State *L = s->L;
    lua_Debug frame;
    for (int level = 0; level < LEVELS && lua_getstack(L, level, &frame); level++) {
        const char *name;
        for (int n = 1; (name = lua_getlocal(L, &frame, n)); n++) {
            NacreValue *value = (named ? name[0] != '(' : strcmp(name, "(temporary)") == 0) ? boxed(L, s, -1) : NULL;
            if (value) nacre_defer(s->vm, value, !named);
            lua_pop(L, 1);
        }
    }
}

static void reclaim(void *ctx, size_t bytes) {
    enum { LEAST = 1 << 20 }; // smallest number of bytes for which registers are searched
    Session *s = ctx;
    collect(s, bytes);
    if (bytes < LEAST || !lua_checkstack(s->L, 4)) return;
    defer_registers(s, 0);
    defer_registers(s, 1);
}

static int close_session(lua_State *L) {
    Session *s = lua_touserdata(L, 1);
    NacreVm *vm = s->vm;
    s->vm = NULL;
    if (s->owned) nacre_free(vm);
    return 0;
}

static const char *text_option(lua_State *L, const char *name) {
    lua_getfield(L, 1, name);
    const char *text = lua_isnil(L, -1) ? NULL : luaL_checkstring(L, -1);
    lua_pop(L, 1); // the table owns the string
    return text;
}

static lua_Integer number_option(lua_State *L, const char *name) {
    lua_getfield(L, 1, name);
    lua_Integer number = lua_isnil(L, -1) ? 0 : luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    return number;
}

static NacreOptions read_options(lua_State *L, Session *s) {
    NacreOptions options = {.struct_size = sizeof options};
    options.write = write_text;
    options.read_line = read_line;
    options.reclaim = reclaim;
    options.ctx = s;
    options.tier = "auto";
    if (lua_isnoneornil(L, 1)) return options;
    luaL_checktype(L, 1, LUA_TTABLE);
    const char *tier = text_option(L, "tier");
    if (tier) options.tier = tier;
    options.backend = text_option(L, "backend");
    options.strict = text_option(L, "strict");
    options.threads = (int)number_option(L, "threads");
    options.memory_limit = (size_t)number_option(L, "memory_limit");
    options.recursion_limit = (int)number_option(L, "recursion_limit");
    options.reproducible = (int)number_option(L, "reproducible");
    options.sandbox = (int)number_option(L, "sandbox");
    lua_getfield(L, 1, "time_limit");
    options.time_limit = luaL_optnumber(L, -1, 0);
    lua_pop(L, 1);
    return options;
}

const char session_key = 0;

Session *session_push(lua_State *L) {
    Session *s = lua_newuserdatauv(L, sizeof *s, 0);
    memset(s, 0, sizeof *s);
    s->L = L;
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &session_key);
    lua_newtable(L); // its metatable destroys the VM when the state is closed
    lua_pushcfunction(L, close_session);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_newtable(L);
    lua_pushvalue(L, -2);
    luaL_setfuncs(L, raw_functions, 1);
    lua_pushvalue(L, -2);
    luaL_setfuncs(L, raw_plan_functions, 1);
    lua_newtable(L); // the metatable of values, which core.lua fills
    lua_pushvalue(L, -3);
    lua_pushcclosure(L, box_collect, 1);
    lua_setfield(L, -2, "__gc");
    lua_pushboolean(L, 0); // hides the metatable from getmetatable
    lua_setfield(L, -2, "__metatable");
    lua_pushvalue(L, -1);
    s->metatable = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_setfield(L, -2, "values");
    lua_newtable(L); // the metatable of errors
    lua_pushvalue(L, -1);
    s->errors = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_setfield(L, -2, "errors");
    lua_remove(L, -2); // the session, which the functions own
    return s;
}

// Makes a session with a VM, and returns the table of functions.
int session_start(lua_State *L) {
    Session *s = session_push(L);
    NacreOptions options = read_options(L, s);
    s->vm = nacre_new(&options);
    if (!s->vm) return luaL_error(L, "nacre: no VM with these options (backend, tier, memory)");
    s->owned = 1;
    return 1;
}

// Entry point of require "nacre.raw": returns the function that makes a VM.
__attribute__((visibility("default"))) int luaopen_nacre_raw(lua_State *L) {
    lua_pushcfunction(L, session_start);
    return 1;
}
