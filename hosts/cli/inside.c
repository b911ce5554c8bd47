// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lua inside the command. The library that contains it is opened if there is a configuration or a pass.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inside.h"
#include "plugin.h"

static const LuaInsideTable *open_library(void **library) {
    const char *why;
    LuaInsideFn get = NULL;
    *(void **)&get = plugin_open("nacre-lua.so", "nacre_lua_inside", library, &why);
    const LuaInsideTable *table = get ? get() : NULL;
    return table && table->version == LUA_INSIDE_VERSION ? table : NULL;
}

static int fail(const char *what, const char *problem) {
    size_t length = strlen(problem);
    fflush(stdout);
    fprintf(stderr, "nacre: %s%s%s%s", what, *what ? ": " : "", problem,
            length && problem[length - 1] == '\n' ? "" : "\n");
    return 2;
}

static int set_option(void *ctx, const char *name, const char *value) {
    return cli_set_option(ctx, name, value, ORIGIN_CONFIG);
}

static const char *was_interrupted(void *ctx) {
    const Cli *cli = ctx;
    double limit = cli->options.time_limit;
    if (interrupt_came()) return "KeyboardInterrupt";
    return limit > 0 && cli_clock() - cli->started > limit ? "TimeoutError" : NULL;
}

int inside_allows(void *ctx, NacreAccess access, const char *path) {
    const Inside *inside = &((const Cli *)ctx)->inside;
    (void)access, (void)path;
    return inside->trusted || !inside->lua || !inside->table->is_running(inside->lua);
}

static int begin(Cli *cli, const char *file) {
    Inside *inside = &cli->inside;
    if (inside->lua) return 0;
    if (!inside->table) inside->table = open_library(&inside->library);
    if (!inside->table) return fail(file, "there is no Lua for it (nacre-lua.so, liblua5.4)");
    const LuaHooks hooks = {.ctx = cli, .set_option = set_option, .interrupted = was_interrupted,
                            .trusted = inside->trusted};
    inside->lua = inside->table->open(&hooks);
    return inside->lua ? 0 : fail(file, "out of memory");
}

static int configure(Cli *cli) {
    const char *path = text_string(&cli->inside.config);
    if (cli->inside.config.failed) return fail("", "out of memory");
    int status = begin(cli, path);
    const char *problem = status ? NULL : cli->inside.table->configure(cli->inside.lua, path);
    return problem ? fail("", problem) : status;
}

int inside_configure(Cli *cli, const char *named) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    Text *path = &cli->inside.config;
    if (!named) named = getenv("NACRE_CONFIG");
    if (named) text_puts(path, named); // "" means no configuration
    else if (config && *config) text_printf(path, "%s/nacre/config.lua", config);
    else if (home && *home) text_printf(path, "%s/.config/nacre/config.lua", home);
    bool wanted = path->len > 0 && (named || access(text_string(path), F_OK) == 0);
    if (!wanted) text_clear(path);
    return wanted ? configure(cli) : 0;
}

int inside_attach(Cli *cli, NacreVm *vm) {
    Inside *inside = &cli->inside;
    int status = 0;
    if (!inside->lua && inside->config.len) status = configure(cli); // for a second VM: the state of the first one has
                                                                     // been closed
    if (!status && inside->pass_count) status = begin(cli, inside->passes[0]);
    // On ranks, the configuration sets only options (inside_problem_on_ranks), so there is nothing to attach. Code of
    // one rank's VM alone would make ranks differ.
    if (status || !inside->lua || cli->options.ranks) return status;
    const char *problem = inside->table->attach(inside->lua, vm);
    for (int i = 0; !problem && i < inside->pass_count; i++)
        problem = inside->table->run(inside->lua, inside->passes[i]);
    return problem ? fail("", problem) : 0;
}

const char *inside_problem_on_ranks(Cli *cli) {
    const Inside *inside = &cli->inside;
    return inside->lua ? inside->table->check_ranks(inside->lua) : NULL;
}

bool inside_is_there(void) {
    void *library = NULL;
    bool there = open_library(&library);
    if (library) dlclose(library);
    return there;
}

void inside_free(Inside *inside) {
    inside_close(inside);
    text_free(&inside->config);
    if (inside->library) dlclose(inside->library);
    inside->library = NULL;
    inside->table = NULL;
}

void inside_close(Inside *inside) {
    if (inside->lua) inside->table->close(inside->lua);
    inside->lua = NULL;
}
