// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Plans and passes, as functions of Lua that nacre/pass.lua wraps in objects. Nodes and operands are numbered from 0
// here.

#include <stdbool.h>
#include <string.h>

#include "raw.h"

static int int_at(lua_State *L, int index) {
    return (int)luaL_checkinteger(L, index);
}

static void set_integer(lua_State *L, const char *name, lua_Integer number) {
    lua_pushinteger(L, number);
    lua_setfield(L, -2, name);
}

static void set_string(lua_State *L, const char *name, const char *text) {
    lua_pushstring(L, text); // pushes nil for NULL
    lua_setfield(L, -2, name);
}

static void set_shape(lua_State *L, const NacreView *view) {
    lua_createtable(L, view->ndim, 0);
    for (int d = 0; d < view->ndim; d++) {
        lua_pushinteger(L, view->shape[d]);
        lua_rawseti(L, -2, d + 1);
    }
    lua_setfield(L, -2, "shape");
}

static int raw_node(lua_State *L) { // raw.node(number): a table that describes the node
    Session *s = session_of(L);
    NacreNode node = {.struct_size = sizeof node};
    check(L, s, nacre_plan_node(s->vm, int_at(L, 1), &node));
    lua_newtable(L);
    set_string(L, "operation", node.operation);
    set_string(L, "file", node.file);
    set_string(L, "dtype", node.result.dtype);
    set_integer(L, "line", node.line);
    set_integer(L, "operands", node.operand_count);
    set_shape(L, &node.result);
    return 1;
}

static int raw_number(lua_State *L) { // raw.number(node, operand): a scalar operand; nil for an array or a complex
                                      // number
    Session *s = session_of(L);
    NacreNode node = {.struct_size = sizeof node};
    int operand = int_at(L, 2);
    check(L, s, nacre_plan_node(s->vm, int_at(L, 1), &node));
    if (operand < 0 || operand >= node.operand_count || !node.operands[operand].is_scalar) return 0;
    const NacreOperand *from = &node.operands[operand];
    if (strncmp(from->view.dtype, "float", 5) == 0) lua_pushnumber(L, from->real);
    else if (strncmp(from->view.dtype, "complex", 7) == 0) return 0;
    else lua_pushinteger(L, from->integer);
    return 1;
}

// Boxes a number too, as its dtype is needed.
static int raw_plan_value(lua_State *L) { // raw.plan_value(node, operand)
    Session *s = session_of(L);
    NacreValue *out = NULL;
    check(L, s, nacre_plan_value(s->vm, int_at(L, 1), int_at(L, 2), &out));
    push_box(L, s, out);
    return 1;
}

static int raw_writer(lua_State *L) { // raw.writer(node, operand): nil if there is none
    Session *s = session_of(L);
    int writer = nacre_plan_writer(s->vm, int_at(L, 1), int_at(L, 2));
    if (writer < 0) return 0;
    lua_pushinteger(L, writer);
    return 1;
}

static int raw_replace(lua_State *L) { // raw.replace(node, value)
    Session *s = session_of(L);
    check(L, s, nacre_plan_replace(s->vm, int_at(L, 1), to_value(L, s, 2)));
    return 0;
}

// raw.match(node, pattern): nil if the pattern does not match; otherwise a table of captures, name = {node, operand},
// and a table of the matched nodes
static int raw_match(lua_State *L) {
    Session *s = session_of(L);
    NacreMatch match = {.struct_size = sizeof match};
    int found = 0;
    check(L, s, nacre_plan_match(s->vm, int_at(L, 1), luaL_checkstring(L, 2), &match, &found));
    if (!found) return 0;
    lua_newtable(L);
    for (int i = 0; i < match.capture_count; i++) {
        lua_createtable(L, 2, 0);
        lua_pushinteger(L, match.captures[i].node);
        lua_rawseti(L, -2, 1);
        lua_pushinteger(L, match.captures[i].operand);
        lua_rawseti(L, -2, 2);
        lua_setfield(L, -2, match.captures[i].name);
    }
    lua_createtable(L, match.node_count, 0);
    for (int i = 0; i < match.node_count; i++) {
        lua_pushinteger(L, match.nodes[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 2;
}

static int wished(lua_State *L, const char *name) {
    lua_getfield(L, 2, name);
    bool whole = lua_isinteger(L, -1) && lua_tointeger(L, -1) == (int)lua_tointeger(L, -1);
    int number = whole ? (int)lua_tointeger(L, -1) : lua_toboolean(L, -1);
    if (!whole && !lua_isnil(L, -1) && !lua_isboolean(L, -1))
        luaL_error(L, "nacre: the wish '%s' is true, false or a whole number", name);
    lua_pop(L, 1);
    return number;
}

static int raw_wish(lua_State *L) { // raw.wish(node, wishes)
    Session *s = session_of(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    const NacreWish wish = {.struct_size = sizeof wish,   .apart = wished(L, "apart"),
                            .together = wished(L, "together"), .stored = wished(L, "stored"),
                            .own = wished(L, "own"),      .plain = wished(L, "plain"),
                            .host = wished(L, "host"),    .whole = wished(L, "whole"),
                            .code = wished(L, "code"),    .tile = wished(L, "tile"),
                            .threads = wished(L, "threads")};
    check(L, s, nacre_plan_wish(s->vm, int_at(L, 1), &wish));
    return 0;
}

static int raw_operations(lua_State *L) { // operations of the op table, in its order
    NacreOperation operation = {.struct_size = sizeof operation};
    lua_newtable(L);
    for (int i = 0; nacre_operation(i, &operation); i++) {
        lua_newtable(L);
        set_string(L, "name", operation.name);
        set_string(L, "kind", operation.kind);
        set_integer(L, "operands", operation.operand_count);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

// --- Passes --------------------------------------------------------------------------------------

// Arguments of run_protected.
typedef struct Run {
    const LuaFunction *function;
    const NacrePlan *plan;
} Run;

static int run_protected(lua_State *L) {
    const Run *run = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, run->function->reference);
    lua_pushinteger(L, run->plan->node_count);
    lua_call(L, 1, 0);
    return 0;
}

static NacreStatus run_pass(void *ctx, NacreVm *vm, const NacrePlan *plan) {
    Run run = {ctx, plan};
    (void)vm;
    return lua_function_run(run.function->session, run_protected, &run);
}

static int raw_add_pass(lua_State *L) { // raw.add_pass(name, doc, operations or nil, each_time, function)
    Session *s = session_of(L);
    NacrePass pass = {.struct_size = sizeof pass, .name = luaL_checkstring(L, 1),
                      .doc = luaL_optstring(L, 2, NULL), .each_time = lua_toboolean(L, 4), .run = run_pass,
                      .drop = lua_function_drop};
    if (!lua_isnoneornil(L, 3)) pass.operations = to_texts(L, 3);
    pass.ctx = lua_function_new(L, s, 5);
    check(L, s, nacre_add_pass(s->vm, &pass)); // calls `drop` if it fails
    return 0;
}

static int raw_remove_pass(lua_State *L) {
    Session *s = session_of(L);
    check(L, s, nacre_remove_pass(s->vm, luaL_checkstring(L, 1)));
    return 0;
}

static int raw_use_pass(lua_State *L) { // raw.use_pass(name, used)
    Session *s = session_of(L);
    check(L, s, nacre_use_pass(s->vm, luaL_checkstring(L, 1), lua_toboolean(L, 2)));
    return 0;
}

static int raw_edit(lua_State *L) { // raw.edit(function, arrays, count)
    Session *s = session_of(L);
    size_t count = (size_t)luaL_checkinteger(L, 3);
    NacreValue **arrays = to_values(L, s, 2, count);
    LuaFunction *function = lua_function_new(L, s, 1);
    NacreStatus status = nacre_edit(s->vm, count, arrays, run_pass, function);
    lua_function_drop(function);
    check(L, s, status);
    return 0;
}

const luaL_Reg raw_plan_functions[] = {
    {"node", raw_node}, {"number", raw_number}, {"plan_value", raw_plan_value}, {"writer", raw_writer},
    {"replace", raw_replace}, {"match", raw_match}, {"wish", raw_wish}, {"operations", raw_operations},
    {"add_pass", raw_add_pass}, {"remove_pass", raw_remove_pass}, {"use_pass", raw_use_pass},
    {"edit", raw_edit}, {NULL, NULL},
};
