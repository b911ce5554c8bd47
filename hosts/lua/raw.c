// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations on values as functions of Lua, thin wrappers of the engine's functions. The length of a table of arguments
// is passed beside it, as the table may contain nil.

#include "raw.h"

#include <string.h>

// Returns the handle at an index; an argument error if there is none.
static NacreValue *value_at(lua_State *L, Session *s, int index) {
    NacreValue *value = boxed(L, s, index);
    if (!value) luaL_argerror(L, index, "a value of nacre expected");
    return value;
}

// Pushes the result *out of a call, or raises its error. Takes a pointer, as arguments are evaluated in any order and
// the call sets `out`.
static int answer(lua_State *L, Session *s, NacreStatus status, NacreValue **out) {
    check(L, s, status);
    push_value(L, s, *out);
    return 1;
}

// --- Making --------------------------------------------------------------------------------------

// raw.box(x): x as a value, even if Lua could represent it
static int raw_box(lua_State *L) {
    Session *s = session_of(L);
    NacreValue *value = boxed(L, s, 1);
    if (value) lua_pushvalue(L, 1);
    else to_value(L, s, 1);
    return 1;
}

typedef NacreValue *(*MakeSequence)(NacreVm *vm, size_t count, NacreValue *const *items);

static int make_sequence(lua_State *L, MakeSequence make) {
    Session *s = session_of(L);
    size_t count = (size_t)luaL_checkinteger(L, 2);
    NacreValue **items = to_values(L, s, 1, count);
    push_box(L, s, made(L, s, make(s->vm, count, items)));
    return 1;
}

static int raw_tuple(lua_State *L) { // raw.tuple(items, count)
    return make_sequence(L, nacre_tuple);
}

static int raw_list(lua_State *L) {
    return make_sequence(L, nacre_list);
}

static int raw_dict(lua_State *L) { // raw.dict(keys, values, count)
    Session *s = session_of(L);
    size_t count = (size_t)luaL_checkinteger(L, 3);
    NacreValue **keys = to_values(L, s, 1, count), **values = to_values(L, s, 2, count);
    push_box(L, s, made(L, s, nacre_dict(s->vm, count, keys, values)));
    return 1;
}

static int raw_slice(lua_State *L) { // raw.slice(start, stop, step): nil for a part that is left out
    Session *s = session_of(L);
    NacreValue *parts[3];
    for (int i = 0; i < 3; i++) parts[i] = lua_isnoneornil(L, i + 1) ? NULL : to_value(L, s, i + 1);
    push_box(L, s, made(L, s, nacre_slice(s->vm, parts[0], parts[1], parts[2])));
    return 1;
}

static int raw_ellipsis(lua_State *L) {
    Session *s = session_of(L);
    push_box(L, s, made(L, s, nacre_ellipsis(s->vm)));
    return 1;
}

// --- Looking -------------------------------------------------------------------------------------

static int raw_kind(lua_State *L) { // "array", …; nil if the argument is not a value
    static const char *const names[] = {
        [NACRE_KIND_NONE] = "none", [NACRE_KIND_BOOL] = "bool", [NACRE_KIND_INT] = "int",
        [NACRE_KIND_FLOAT] = "float", [NACRE_KIND_COMPLEX] = "complex", [NACRE_KIND_SCALAR] = "scalar",
        [NACRE_KIND_TEXT] = "text", [NACRE_KIND_BYTES] = "bytes", [NACRE_KIND_TUPLE] = "tuple",
        [NACRE_KIND_LIST] = "list", [NACRE_KIND_DICT] = "dict", [NACRE_KIND_SET] = "set",
        [NACRE_KIND_ARRAY] = "array", [NACRE_KIND_CALLABLE] = "callable", [NACRE_KIND_MODULE] = "module",
        [NACRE_KIND_OTHER] = "other"};
    Session *s = session_of(L);
    NacreValue *value = boxed(L, s, 1);
    if (value) lua_pushstring(L, names[nacre_kind(s->vm, value)]);
    else lua_pushnil(L);
    return 1;
}

static int raw_type(lua_State *L) {
    Session *s = session_of(L);
    lua_pushstring(L, nacre_type_name(s->vm, value_at(L, s, 1)));
    return 1;
}

static int raw_same(lua_State *L) {
    Session *s = session_of(L);
    lua_pushboolean(L, nacre_same(boxed(L, s, 1), boxed(L, s, 2)));
    return 1;
}

static int raw_str(lua_State *L) {
    Session *s = session_of(L);
    NacreValue *out = NULL;
    return answer(L, s, nacre_str(s->vm, to_value(L, s, 1), &out), &out);
}

static int raw_repr(lua_State *L) {
    Session *s = session_of(L);
    NacreValue *out = NULL;
    return answer(L, s, nacre_repr(s->vm, to_value(L, s, 1), &out), &out);
}

static int raw_length(lua_State *L) {
    Session *s = session_of(L);
    int64_t length = 0;
    check(L, s, nacre_length(s->vm, value_at(L, s, 1), &length));
    lua_pushinteger(L, length);
    return 1;
}

static void push_numbers(lua_State *L, const int64_t *numbers, int count) {
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushinteger(L, numbers[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static int raw_info(lua_State *L) { // returns dtype, shape, strides, itemsize
    Session *s = session_of(L);
    NacreArray info = {.struct_size = sizeof info};
    check(L, s, nacre_array_info(s->vm, value_at(L, s, 1), &info));
    lua_pushstring(L, info.dtype);
    push_numbers(L, info.shape, info.ndim);
    push_numbers(L, info.strides, info.ndim);
    lua_pushinteger(L, (lua_Integer)info.itemsize);
    return 4;
}

// --- Doing ---------------------------------------------------------------------------------------

static int raw_item(lua_State *L) {
    Session *s = session_of(L);
    NacreValue *out = NULL;
    return answer(L, s, nacre_item(s->vm, value_at(L, s, 1), to_value(L, s, 2), &out), &out);
}

static int raw_set_item(lua_State *L) {
    Session *s = session_of(L);
    check(L, s, nacre_set_item(s->vm, value_at(L, s, 1), to_value(L, s, 2), to_value(L, s, 3)));
    return 0;
}

static int raw_attribute(lua_State *L) {
    Session *s = session_of(L);
    NacreValue *out = NULL;
    return answer(L, s, nacre_attribute(s->vm, value_at(L, s, 1), luaL_checkstring(L, 2), &out), &out);
}

static int raw_set_attribute(lua_State *L) {
    Session *s = session_of(L);
    NacreValue *item = to_value(L, s, 3);
    check(L, s, nacre_set_attribute(s->vm, value_at(L, s, 1), luaL_checkstring(L, 2), item));
    return 0;
}

static int raw_operator(lua_State *L) { // raw.operator(symbol, a, b)
    Session *s = session_of(L);
    NacreValue *a = to_value(L, s, 2), *b = to_value(L, s, 3), *out = NULL;
    return answer(L, s, nacre_operator(s->vm, luaL_checkstring(L, 1), a, b, &out), &out);
}

static int raw_unary(lua_State *L) { // raw.unary(symbol, a)
    Session *s = session_of(L);
    NacreValue *out = NULL;
    return answer(L, s, nacre_operator(s->vm, luaL_checkstring(L, 1), to_value(L, s, 2), NULL, &out), &out);
}

static int raw_iterate(lua_State *L) {
    Session *s = session_of(L);
    NacreValue *out = NULL;
    check(L, s, nacre_iterate(s->vm, value_at(L, s, 1), &out));
    push_box(L, s, out);
    return 1;
}

static int raw_next(lua_State *L) { // returns whether there was a next value, and the value
    Session *s = session_of(L);
    NacreValue *out = NULL;
    check(L, s, nacre_next(s->vm, value_at(L, s, 1), &out));
    lua_pushboolean(L, out != NULL);
    push_value(L, s, out);
    return 2;
}

const char **to_texts(lua_State *L, int index) {
    luaL_checktype(L, index, LUA_TTABLE);
    size_t count = lua_rawlen(L, index);
    const char **texts = lua_newuserdatauv(L, (count + 1) * sizeof *texts, 0);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        texts[i] = luaL_checkstring(L, -1);
        lua_pop(L, 1); // the table owns the string
    }
    texts[count] = NULL;
    return texts;
}

static int raw_call(lua_State *L) { // raw.call(f, args, count, names): `names` are the keywords of the last args
    Session *s = session_of(L);
    NacreValue *callee = value_at(L, s, 1), *out = NULL;
    size_t count = (size_t)luaL_checkinteger(L, 3);
    size_t named = lua_isnoneornil(L, 4) ? 0 : lua_rawlen(L, 4);
    NacreValue **args = to_values(L, s, 2, count);
    if (!named) return answer(L, s, nacre_call(s->vm, callee, count, args, &out), &out);
    const char **names = to_texts(L, 4);
    return answer(L, s, nacre_call_with(s->vm, callee, count - named, args, named, names, &out), &out);
}

// --- Programs ------------------------------------------------------------------------------------

static int raw_import(lua_State *L) {
    Session *s = session_of(L);
    NacreValue *out = NULL;
    return answer(L, s, nacre_import(s->vm, luaL_checkstring(L, 1), &out), &out);
}

static int raw_global(lua_State *L) {
    Session *s = session_of(L);
    NacreValue *out = NULL;
    return answer(L, s, nacre_global(s->vm, luaL_checkstring(L, 1), &out), &out);
}

static int raw_set_global(lua_State *L) {
    Session *s = session_of(L);
    check(L, s, nacre_set_global(s->vm, luaL_checkstring(L, 1), to_value(L, s, 2)));
    return 0;
}

static int raw_run(lua_State *L) { // raw.run(text, name)
    Session *s = session_of(L);
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    check(L, s, nacre_run(s->vm, text, len, luaL_checkstring(L, 2), NACRE_FILE));
    return 0;
}

static int raw_run_file(lua_State *L) {
    Session *s = session_of(L);
    check(L, s, nacre_run_file(s->vm, luaL_checkstring(L, 1)));
    return 0;
}

static int raw_evaluate(lua_State *L) { // raw.evaluate(text, name)
    Session *s = session_of(L);
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    NacreValue *out = NULL;
    return answer(L, s, nacre_evaluate(s->vm, text, len, luaL_checkstring(L, 2), &out), &out);
}

static int raw_compute(lua_State *L) { // raw.compute(arrays, count)
    Session *s = session_of(L);
    size_t count = (size_t)luaL_checkinteger(L, 2);
    NacreValue **arrays = to_values(L, s, 1, count);
    check(L, s, nacre_compute(s->vm, count, arrays));
    return 0;
}

static int raw_stats(lua_State *L) {
    Session *s = session_of(L);
    NacreStats stats = {.struct_size = sizeof stats};
    check(L, s, nacre_stats(s->vm, &stats));
    lua_newtable(L);
    const struct {
        const char *name;
        uint64_t number;
    } rows[] = {{"kernels", stats.kernels}, {"nodes_recorded", stats.nodes_recorded},
                {"nodes_executed", stats.nodes_executed}, {"nodes_eliminated", stats.nodes_eliminated},
                {"nodes_pending", stats.nodes_pending}, {"library_calls", stats.library_calls},
                {"memory_in_use", stats.memory_in_use}, {"memory_peak", stats.memory_peak},
                {"direct_operations", stats.direct_operations}, {"nodes_batched", stats.nodes_batched}, {"threads", stats.threads},
                {"bytes_host_to_device", stats.bytes_host_to_device},
                {"bytes_device_to_host", stats.bytes_device_to_host}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lua_pushinteger(L, (lua_Integer)rows[i].number);
        lua_setfield(L, -2, rows[i].name);
    }
    lua_pushinteger(L, (lua_Integer)nacre_held(s->vm));
    lua_setfield(L, -2, "held");
    return 1;
}

static int raw_version(lua_State *L) {
    lua_pushstring(L, nacre_version());
    return 1;
}

const luaL_Reg raw_functions[] = {
    {"box", raw_box}, {"tuple", raw_tuple}, {"list", raw_list}, {"dict", raw_dict}, {"slice", raw_slice},
    {"ellipsis", raw_ellipsis}, {"kind", raw_kind}, {"type", raw_type}, {"same", raw_same}, {"str", raw_str},
    {"repr", raw_repr}, {"length", raw_length}, {"info", raw_info}, {"item", raw_item},
    {"set_item", raw_set_item}, {"attribute", raw_attribute}, {"set_attribute", raw_set_attribute},
    {"operator", raw_operator}, {"unary", raw_unary}, {"iterate", raw_iterate}, {"next", raw_next},
    {"call", raw_call}, {"import", raw_import}, {"global", raw_global}, {"set_global", raw_set_global},
    {"run", raw_run}, {"run_file", raw_run_file}, {"evaluate", raw_evaluate}, {"compute", raw_compute},
    {"stats", raw_stats}, {"version", raw_version}, {"func", raw_func}, {NULL, NULL},
};
