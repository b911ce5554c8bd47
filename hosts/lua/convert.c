// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Conversion between Lua's values and the engine's.

#include <string.h>

#include "raw.h"

typedef struct Box {
    NacreValue *value; // owned; NULL: released
} Box;

// --- Errors --------------------------------------------------------------------------------------

static void set_text(lua_State *L, const char *name, const char *text) {
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

// Raises an error object: a table with class, message, traceback and line.
void check(lua_State *L, Session *s, NacreStatus status) {
    if (status == NACRE_OK) return;
    if (status == NACRE_MISUSE) luaL_error(L, "nacre: a value that was let go of, or a call that is not allowed here, as while a pass runs");
    lua_newtable(L);
    set_text(L, "class", status == NACRE_EXIT ? "SystemExit" : nacre_error_class(s->vm));
    set_text(L, "message", nacre_error_message(s->vm));
    lua_pushlstring(L, nacre_error_text(s->vm), nacre_error_size(s->vm));
    lua_setfield(L, -2, "traceback");
    lua_pushinteger(L, status == NACRE_EXIT ? nacre_exit_code(s->vm) : nacre_error_line(s->vm));
    lua_setfield(L, -2, status == NACRE_EXIT ? "code" : "line");
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->errors);
    lua_setmetatable(L, -2);
    lua_error(L);
}

NacreValue *made(lua_State *L, Session *s, NacreValue *value) {
    if (!value) check(L, s, *nacre_error_class(s->vm) ? NACRE_ERROR : NACRE_MISUSE);
    return value;
}

// --- Boxes ---------------------------------------------------------------------------------------

// Makes a box before there is a value for it, so that no handle is lost if Lua is out of memory.
static Box *new_box(lua_State *L, Session *s) {
    Box *box = lua_newuserdatauv(L, sizeof *box, 0);
    box->value = NULL;
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->metatable);
    lua_setmetatable(L, -2);
    return box;
}

int box_collect(lua_State *L) {
    Session *s = lua_touserdata(L, lua_upvalueindex(1));
    Box *box = lua_touserdata(L, 1);
    if (lua_type(L, 1) != LUA_TUSERDATA || lua_rawlen(L, 1) != sizeof *box) return 0;
    if (s->vm && box->value) nacre_release(s->vm, box->value);
    box->value = NULL;
    return 0;
}

NacreValue *boxed(lua_State *L, Session *s, int index) {
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->metatable);
    int is_box = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return is_box ? ((Box *)lua_touserdata(L, index))->value : NULL;
}

void push_box(lua_State *L, Session *s, NacreValue *value) {
    new_box(L, s)->value = value;
}

// --- To the engine -------------------------------------------------------------------------------

static NacreValue *make(lua_State *L, Session *s, int index) {
    size_t len;
    switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL: return nacre_none(s->vm);
    case LUA_TBOOLEAN: return nacre_bool(s->vm, lua_toboolean(L, index));
    case LUA_TNUMBER:
        return lua_isinteger(L, index) ? nacre_int(s->vm, lua_tointeger(L, index))
                                       : nacre_float(s->vm, lua_tonumber(L, index));
    case LUA_TSTRING: {
        const char *text = lua_tolstring(L, index, &len);
        return nacre_text(s->vm, text, len);
    }
    default: luaL_error(L, "nacre: a %s is no value of an array program", luaL_typename(L, index));
    }
    return NULL;
}

NacreValue *to_value(lua_State *L, Session *s, int index) {
    NacreValue *value = boxed(L, s, index);
    if (value) return value;
    index = lua_absindex(L, index);
    Box *box = new_box(L, s);
    box->value = made(L, s, make(L, s, index));
    return box->value;
}

NacreValue **to_values(lua_State *L, Session *s, int index, size_t count) {
    index = lua_absindex(L, index);
    NacreValue **values = lua_newuserdatauv(L, (count + 1) * sizeof *values, 0);
    lua_newtable(L); // owns the boxes that are made
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        values[i] = boxed(L, s, -1);
        if (!values[i]) {
            values[i] = to_value(L, s, -1);
            lua_rawseti(L, -3, (lua_Integer)i + 1);
        }
        lua_pop(L, 1);
    }
    return values;
}

// --- From the engine -----------------------------------------------------------------------------

// Pushes a number or a boolean and returns 1, or returns 0 if Lua cannot represent the value.
static int push_number(lua_State *L, Session *s, NacreValue *value) {
    NacreArray info = {.struct_size = sizeof info};
    NacreKind kind = nacre_kind(s->vm, value);
    int64_t integer;
    double real;
    int truth;
    if (kind == NACRE_KIND_SCALAR) {
        if (nacre_array_info(s->vm, value, &info) != NACRE_OK || info.kind == 'c') return 0;
        kind = info.kind == 'b' ? NACRE_KIND_BOOL : info.kind == 'f' ? NACRE_KIND_FLOAT : NACRE_KIND_INT;
    }
    if (kind == NACRE_KIND_BOOL && nacre_as_truth(s->vm, value, &truth) == NACRE_OK)
        lua_pushboolean(L, truth);
    else if (kind == NACRE_KIND_INT && nacre_as_int(s->vm, value, &integer) == NACRE_OK)
        lua_pushinteger(L, integer);
    else if (kind == NACRE_KIND_FLOAT && nacre_as_float(s->vm, value, &real) == NACRE_OK)
        lua_pushnumber(L, real);
    else return 0;
    return 1;
}

static int push_text(lua_State *L, Session *s, NacreValue *value) {
    const char *text;
    const void *data;
    size_t len;
    switch (nacre_kind(s->vm, value)) {
    case NACRE_KIND_TEXT:
        if (nacre_as_text(s->vm, value, &text, &len) != NACRE_OK) return 0;
        lua_pushlstring(L, text, len);
        return 1;
    case NACRE_KIND_BYTES:
        if (nacre_as_bytes(s->vm, value, &data, &len) != NACRE_OK) return 0;
        lua_pushlstring(L, data, len);
        return 1;
    default: return 0;
    }
}

static void push_tuple(lua_State *L, Session *s, NacreValue *tuple) {
    int64_t count = 0;
    check(L, s, nacre_length(s->vm, tuple, &count));
    luaL_checkstack(L, 8, "nested tuples");
    lua_createtable(L, (int)count, 0);
    for (int64_t i = 0; i < count; i++) {
        NacreValue *item = NULL;
        check(L, s, nacre_at(s->vm, tuple, i, &item));
        push_value(L, s, item);
        lua_rawseti(L, -2, i + 1);
    }
}

// Puts the handle into a box first, since pushing the converted value may raise an error.
void push_value(lua_State *L, Session *s, NacreValue *value) {
    if (!value || nacre_kind(s->vm, value) == NACRE_KIND_NONE) {
        nacre_release(s->vm, value);
        lua_pushnil(L);
        return;
    }
    Box *box = new_box(L, s);
    box->value = value;
    NacreKind kind = nacre_kind(s->vm, value);
    if (kind == NACRE_KIND_TUPLE) push_tuple(L, s, value);
    else if (!push_number(L, s, value) && !push_text(L, s, value)) return;
    lua_remove(L, -2); // removes the box
    nacre_release(s->vm, value);
    box->value = NULL;
}
