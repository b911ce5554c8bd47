// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A Lua state inside the command. Most of its behaviour is written in Lua (nacre/inside.lua).

#include "inside.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../raw.h"
#include "lua_core.h"
#include "lua_inside.h"
#include "lua_pass.h"

enum { MEMORY_MOST = 512 << 20, TEXT_MOST = 16 << 20, INSTRUCTIONS = 10000 };

// Sources in Lua, by their names for `require`.
static const struct {
    const char *name, *text;
} texts[] = {{"nacre.core", LUA_CORE}, {"nacre.pass", LUA_PASS}, {"nacre.inside", LUA_INSIDE}};
enum { TEXTS = sizeof texts / sizeof *texts };

struct LuaInside {
    LuaHooks hooks;
    lua_State *L;
    Session *session; // NULL: there is no VM yet
    size_t used;      // bytes that Lua has allocated
    int depth;        // nesting depth of calls into Lua
    char *problem;
};

// --- The state -----------------------------------------------------------------------------------

static void *allocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    LuaInside *lua = ctx;
    size_t held = ptr ? old_size : 0;
    if (new_size > held && lua->used - held + new_size > MEMORY_MOST && !lua->hooks.trusted) return NULL;
    void *new = NULL;
    if (new_size) {
        new = realloc(ptr, new_size);
        if (!new) return NULL;
    } else {
        free(ptr);
    }
    lua->used = lua->used - held + new_size;
    return new;
}

static LuaInside *inside_of(lua_State *L) {
    return *(LuaInside **)lua_getextraspace(L);
}

// Count hook: raises an error if an interrupt or the time limit requires Lua to end.
static void look_up(lua_State *L, lua_Debug *where) {
    const LuaInside *lua = inside_of(L);
    const char *reason = lua->hooks.interrupted ? lua->hooks.interrupted(lua->hooks.ctx) : NULL;
    (void)where;
    if (!reason) return;
    lua_sethook(L, look_up, LUA_MASKCOUNT, 1); // if the error is handled, it is raised again at the next instruction
    lua_newtable(L); // an error object like those of the engine's exceptions
    static const char *const fields[] = {"class", "message", "traceback"};
    for (int i = 0; i < 3; i++) {
        lua_pushstring(L, i == 1 ? "" : reason);
        lua_setfield(L, -2, fields[i]);
    }
    lua_error(L);
}

static int set_option(lua_State *L) { // set_option(name, value): whether name and value are valid
    const LuaInside *lua = inside_of(L);
    lua_pushboolean(L, lua->hooks.set_option(lua->hooks.ctx, luaL_checkstring(L, 1), luaL_checkstring(L, 2)));
    return 1;
}

// Loads source only, not bytecode, which Lua does not verify.
static int load_text(lua_State *L) { // load_text(text, name, environment): a function, or nil and the error
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    lua_settop(L, 3);
    if (luaL_loadbufferx(L, text, len, luaL_checkstring(L, 2), "t") != LUA_OK) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    if (!lua_isnoneornil(L, 3)) {
        lua_pushvalue(L, 3);
        lua_setupvalue(L, -2, 1);
    }
    return 1;
}

static int read_file(lua_State *L) { // read_file(path): the text of a regular file, or nil
    size_t len;
    struct stat about;
    const char *path = luaL_checklstring(L, 1, &len);
    if (strlen(path) != len || stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > TEXT_MOST)
        return 0;
    luaL_Buffer text;
    char *bytes = luaL_buffinitsize(L, &text, (size_t)about.st_size + 1); // may raise an error, so it comes before the
                                                                          // file is opened
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    size_t read = fread(bytes, 1, (size_t)about.st_size, file);
    fclose(file);
    luaL_pushresultsize(&text, read);
    return 1;
}

static int known_backend(lua_State *L) {
    lua_pushboolean(L, nacre_backend_known(luaL_checkstring(L, 1)));
    return 1;
}

static int embedded(lua_State *L) { // embedded(name): the text of a built-in source, or nil
    const char *name = luaL_checkstring(L, 1);
    for (int i = 0; i < TEXTS; i++)
        if (strcmp(texts[i].name, name) == 0) return lua_pushstring(L, texts[i].text), 1;
    return 0;
}

static int start(lua_State *L) { // start(): makes the table of functions that core.lua needs, for the command's VM
    LuaInside *lua = inside_of(L);
    lua->session = session_push(L);
    lua->session->vm = lua_touserdata(L, lua_upvalueindex(1));
    lua->session->depth = &lua->depth;
    return 1;
}

static int prepare(lua_State *L) {
    LuaInside *lua = inside_of(L);
    static const luaL_Reg functions[] = {{"set_option", set_option}, {"load_text", load_text},
                                         {"read_file", read_file},   {"known_backend", known_backend},
                                         {"embedded", embedded},     {NULL, NULL}};
    static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base},        {LUA_TABLIBNAME, luaopen_table},
                                         {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math},
                                         {LUA_UTF8LIBNAME, luaopen_utf8},  {LUA_COLIBNAME, luaopen_coroutine},
                                         {LUA_OSLIBNAME, luaopen_os},      {NULL, NULL}};
    for (const luaL_Reg *each = libraries; each->name; each++) {
        luaL_requiref(L, each->name, each->func, 1);
        lua_pop(L, 1);
    }
    if (lua->hooks.trusted) luaL_openlibs(L);
    luaL_newlib(L, functions);
    lua_pushboolean(L, lua->hooks.trusted);
    lua_setfield(L, -2, "trusted");
    if (luaL_loadbufferx(L, LUA_INSIDE, sizeof LUA_INSIDE - 1, "=nacre.inside", "t") != LUA_OK) return lua_error(L);
    lua_insert(L, -2);
    lua_call(L, 1, 1); // returns a table of functions
    lua_setfield(L, LUA_REGISTRYINDEX, "inside");
    return 0;
}

static LuaInside *inside_open(const LuaHooks *hooks) {
    LuaInside *lua = calloc(1, sizeof *lua);
    if (!lua) return NULL;
    lua->hooks = *hooks;
    lua->L = lua_newstate(allocate, lua);
    if (!lua->L) {
        free(lua);
        return NULL;
    }
    *(LuaInside **)lua_getextraspace(lua->L) = lua;
    lua_sethook(lua->L, look_up, LUA_MASKCOUNT, INSTRUCTIONS);
    lua_pushcfunction(lua->L, prepare);
    if (lua_pcall(lua->L, 0, 0, 0) == LUA_OK) return lua;
    lua_close(lua->L);
    free(lua);
    return NULL;
}

// The VM has been destroyed before, so boxes that are left must not release anything.
static void inside_close(LuaInside *lua) {
    if (!lua) return;
    if (lua->session) lua->session->vm = NULL;
    lua_close(lua->L);
    free(lua->problem);
    free(lua);
}

// --- Calls ---------------------------------------------------------------------------------------

// Arguments of carry_out.
typedef struct Order {
    LuaInside *lua;
    const char *function, *path; // a function of inside.lua, and its argument
    NacreVm *vm;                 // if set, the argument instead of `path`
} Order;

// Message handler of lua_pcall: converts an error to a string, in protected mode.
static int text_of_error(lua_State *L) {
    if (lua_istable(L, 1)) { // an exception, whose traceback has its place
        static const char *const fields[] = {"traceback", "class"};
        for (int i = 0; i < 2; i++) {
            lua_pushstring(L, fields[i]);
            lua_rawget(L, 1);
            if (lua_type(L, -1) == LUA_TSTRING && lua_rawlen(L, -1) > 0) return 1;
        }
    }
    if (lua_type(L, 1) != LUA_TSTRING) lua_pushfstring(L, "an error that is a %s", luaL_typename(L, 1));
    return 1;
}

static int carry_out(lua_State *L) {
    const Order *order = lua_touserdata(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, "inside");
    lua_getfield(L, -1, order->function);
    if (order->vm) {
        lua_pushlightuserdata(L, order->vm);
        lua_pushcclosure(L, start, 1);
    } else {
        lua_pushstring(L, order->path);
    }
    lua_call(L, 1, 0);
    return 0;
}

static const char *call(Order order) {
    LuaInside *lua = order.lua;
    lua_State *L = lua->L;
    lua_pushcfunction(L, text_of_error);
    lua_pushcfunction(L, carry_out);
    lua_pushlightuserdata(L, &order);
    lua->depth++;
    int outcome = lua_pcall(L, 1, 0, -3);
    lua->depth--;
    free(lua->problem);
    lua->problem = NULL;
    if (outcome != LUA_OK) {
        const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "Lua has failed";
        lua->problem = strdup(text);
        if (!lua->problem) return "not enough memory";
    }
    lua_settop(L, 0);
    return lua->problem;
}

static const char *inside_configure(LuaInside *lua, const char *path) {
    return call((Order){.lua = lua, .function = "configure", .path = path});
}

static const char *inside_attach(LuaInside *lua, NacreVm *vm) {
    return call((Order){.lua = lua, .function = "attach", .vm = vm});
}

static const char *inside_run(LuaInside *lua, const char *path) {
    return call((Order){.lua = lua, .function = "run", .path = path});
}

static const char *inside_check_ranks(LuaInside *lua) {
    return call((Order){.lua = lua, .function = "check_ranks", .path = ""});
}

static int inside_is_running(const LuaInside *lua) {
    return lua->depth > 0;
}

__attribute__((visibility("default"))) const LuaInsideTable *nacre_lua_inside(void) {
    static const LuaInsideTable table = {.version = LUA_INSIDE_VERSION, .open = inside_open,
                                         .configure = inside_configure,
                                         .check_ranks = inside_check_ranks, .attach = inside_attach,
                                         .run = inside_run, .is_running = inside_is_running,
                                         .close = inside_close};
    return &table;
}
