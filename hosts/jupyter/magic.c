// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of the host for magic words: pages, the next cell's text, documentation, reports about array work, and the
// backend. The magic words themselves are written in the language (IPython.core.magics).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli/plans.h"
#include "../cli/report.h"
#include "../cli/roof.h"
#include "cell.h"

enum { MOST_PLANS = 24 };

typedef struct Magic {
    NacreValue *transform; // function of the language that translates magic words
    // State of the report about a cell that is being watched.
    bool watching;
    Record record;
    Plans plans;
    Text code;
    double since;
} Magic;

// --- Watching ----------------------------------------------------------------------------------------

static void stop_watching(Magic *m) {
    if (m->watching) {
        record_free(&m->record);
        plans_free(&m->plans);
        text_free(&m->code);
    }
    m->watching = false;
}

static NacreStatus text_argument(NacreVm *vm, NacreValue *const *args, const char **text, size_t *len) {
    return nacre_as_text(vm, args[0], text, len);
}

static NacreStatus return_text(NacreVm *vm, const Text *text, NacreValue **out) {
    if (text->failed) return nacre_raise(vm, "MemoryError", "");
    *out = nacre_text(vm, text_string(text), text->len);
    return *out ? NACRE_OK : NACRE_ERROR;
}

// watch(code, what): starts watching a cell with the text `code`.
static NacreStatus fn_watch(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **out) {
    Kernel *k = ctx;
    Magic *m = k->magic;
    const char *code, *what;
    size_t len, what_len;
    (void)count;
    NacreStatus status = text_argument(vm, args, &code, &len);
    if (status == NACRE_OK) status = nacre_as_text(vm, args[1], &what, &what_len);
    if (status != NACRE_OK) return status;
    stop_watching(m);
    m->record = (Record){0};
    m->plans = (Plans){0};
    m->code = (Text){0};
    text_add(&m->code, code, len);
    m->watching = true;
    bool draws = strcmp(what, "graph") == 0;
    bool good = draws ? plans_start(&m->plans, vm, false) : record_start(&m->record, vm, strcmp(what, "explain") == 0);
    m->since = seconds_now();
    *out = nacre_none(vm);
    return good ? NACRE_OK : nacre_raise(vm, "MemoryError", "");
}

static bool read_back(int file, Text *out) {
    char bytes[4096];
    ssize_t n = lseek(file, 0, SEEK_SET);
    while (n >= 0 && (n = read(file, bytes, sizeof bytes)) > 0) text_add(out, bytes, (size_t)n);
    return n == 0;
}

// Draws the plans as SVG, by a temporary file, since Graphviz only writes files.
static NacreStatus draw(NacreVm *vm, Magic *m, Text *out, int *drawn, int *left_out) {
    const Drawing drawing = {.title = "cell", .plan = -1, .most = MOST_PLANS};
    Text dot = {0};
    if (!svg_library()) return nacre_raise(vm, "ImportError", "pictures of plans need Graphviz's library (Debian: libgvc6)");
    char path[] = "/tmp/nacre-graph-XXXXXX";
    *drawn = draw_plans(&m->plans, &drawing, &dot, left_out);
    int file = *drawn > 0 ? mkstemp(path) : -1;
    bool good = file >= 0 && !dot.failed && svg_write(text_string(&dot), path) && read_back(file, out);
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    text_free(&dot);
    return good || *drawn == 0 ? NACRE_OK : nacre_raise(vm, "OSError", "the picture cannot be made");
}

static NacreStatus return_report(NacreVm *vm, const Text *text, int drawn, int left_out, NacreValue **out) {
    NacreValue *parts[3] = {NULL, nacre_int(vm, drawn), nacre_int(vm, left_out)};
    NacreStatus status = return_text(vm, text, &parts[0]);
    *out = status == NACRE_OK && parts[1] && parts[2] ? nacre_tuple(vm, 3, parts) : NULL;
    for (int i = 0; i < 3; i++) nacre_release(vm, parts[i]);
    return *out ? NACRE_OK : NACRE_ERROR;
}

// watched(what): returns a tuple of the report as text ("" if there was no array work to draw), the number of plans
// that were drawn, and the number that were left out.
static NacreStatus fn_watched(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **out) {
    Kernel *k = ctx;
    Magic *m = k->magic;
    const char *what;
    size_t len;
    Text text = {0};
    int drawn = 0, left_out = 0;
    (void)count;
    NacreStatus status = text_argument(vm, args, &what, &len);
    if (status == NACRE_OK && !m->watching) status = nacre_raise(vm, "RuntimeError", "nothing is watched");
    if (status == NACRE_OK && strcmp(what, "graph") == 0) status = draw(vm, m, &text, &drawn, &left_out);
    else if (status == NACRE_OK && strcmp(what, "profile") == 0)
        profile_put(vm, &m->record, seconds_now() - m->since, k->options.backend, text_string(&m->code), &text);
    else if (status == NACRE_OK) explain_put(vm, &m->record, text_string(&m->code), false, &text);
    stop_watching(m);
    if (status == NACRE_OK) status = return_report(vm, &text, drawn, left_out, out);
    text_free(&text);
    return status;
}

// --- Pages and cells -----------------------------------------------------------------------------------

static void add_payload(Kernel *k, json_t *payload) {
    if (!k->payload) k->payload = json_array();
    json_array_append_new(k->payload, payload);
}

static NacreStatus fn_page(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **out) {
    const char *text;
    size_t len;
    (void)count;
    NacreStatus status = text_argument(vm, args, &text, &len);
    if (status != NACRE_OK) return status;
    add_payload(ctx, json_pack("{s:s, s:{s:o}, s:i}", "source", "page", "data", "text/plain", wire_text(text, len), "start", 0));
    *out = nacre_none(vm);
    return NACRE_OK;
}

static NacreStatus fn_set_next_input(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **out) {
    const char *text;
    size_t len;
    (void)count;
    NacreStatus status = text_argument(vm, args, &text, &len);
    if (status != NACRE_OK) return status;
    add_payload(ctx, json_pack("{s:s, s:o, s:b}", "source", "set_next_input", "text", wire_text(text, len), "replace", 1));
    *out = nacre_none(vm);
    return NACRE_OK;
}

// inspect(name): returns the documentation, or None.
static NacreStatus fn_inspect(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **out) {
    const char *name;
    size_t len;
    Text text = {0};
    (void)ctx;
    (void)count;
    NacreStatus status = text_argument(vm, args, &name, &len);
    if (status != NACRE_OK) return status;
    if (nacre_inspect(vm, name, len, text_write, &text) == NACRE_OK) status = return_text(vm, &text, out);
    else *out = nacre_none(vm);
    text_free(&text);
    return status;
}

// backend(name): selects the backend for the next cells; with "", only queries it. Returns a message.
static NacreStatus fn_backend(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **out) {
    Kernel *k = ctx;
    const char *name;
    size_t len;
    Text said = {0};
    (void)count;
    NacreStatus status = text_argument(vm, args, &name, &len);
    if (status != NACRE_OK) return status;
    if (!len) {
        text_printf(&said, "%s", *k->backend ? k->backend : "cpu");
    } else if (len >= sizeof k->next_backend || !nacre_backend_known(name)) {
        return nacre_raise(vm, "ValueError", "there is no such backend");
    } else {
        snprintf(k->next_backend, sizeof k->next_backend, "%s", name);
        text_printf(&said, "Cells run on the backend %s from now on; all variables are gone.", name);
    }
    status = return_text(vm, &said, out);
    text_free(&said);
    return status;
}

// --- The language's side -------------------------------------------------------------------------------

static const NacreFunction functions[] = {
    {.name = "watch", .signature = "text, what", .fn = fn_watch},
    {.name = "watched", .signature = "what", .fn = fn_watched},
    {.name = "page", .signature = "text", .fn = fn_page},
    {.name = "set_next_input", .signature = "text", .fn = fn_set_next_input},
    {.name = "inspect", .signature = "name", .fn = fn_inspect},
    {.name = "backend", .signature = "name", .fn = fn_backend},
};

static NacreStatus add_function(Kernel *k, NacreValue *table, size_t i) {
    NacreFunction function = functions[i];
    function.struct_size = sizeof function;
    function.ctx = k;
    NacreValue *value = NULL, *name = nacre_text(k->vm, function.name, strlen(function.name));
    NacreStatus status = name ? nacre_function(k->vm, &function, &value) : NACRE_ERROR;
    if (status == NACRE_OK) status = nacre_set_item(k->vm, table, name, value);
    nacre_release(k->vm, name);
    nacre_release(k->vm, value);
    return status;
}

// Imports the module, and passes the host's functions to it.
static NacreStatus open_magic(Kernel *k) {
    NacreValue *module = NULL, *table = NULL;
    if (!k->magic) k->magic = calloc(1, sizeof *k->magic);
    if (!k->magic) return nacre_raise(k->vm, "MemoryError", "");
    if (k->magic->transform) return NACRE_OK;
    NacreStatus status = nacre_import(k->vm, "IPython.core.magics", &module);
    if (status == NACRE_OK) status = nacre_attribute(k->vm, module, "_host", &table);
    for (size_t i = 0; status == NACRE_OK && i < sizeof functions / sizeof *functions; i++)
        status = add_function(k, table, i);
    if (status == NACRE_OK) status = nacre_attribute(k->vm, module, "transform", &k->magic->transform);
    nacre_release(k->vm, table);
    nacre_release(k->vm, module);
    return status;
}

char *magic_transform(Kernel *k, const char *code, NacreStatus *status) {
    *status = open_magic(k);
    NacreValue *made = NULL, *text = *status == NACRE_OK ? nacre_text(k->vm, code, strlen(code)) : NULL;
    if (*status == NACRE_OK) *status = text ? nacre_call(k->vm, k->magic->transform, 1, &text, &made) : NACRE_ERROR;
    const char *bytes = NULL;
    size_t len = 0;
    if (*status == NACRE_OK) *status = nacre_as_text(k->vm, made, &bytes, &len);
    char *copy = bytes ? strdup(bytes) : NULL;
    nacre_release(k->vm, text);
    nacre_release(k->vm, made);
    return copy;
}

void magic_free(Kernel *k) {
    if (!k->magic) return;
    stop_watching(k->magic);
    nacre_release(k->vm, k->magic->transform);
    free(k->magic);
    k->magic = NULL;
}
