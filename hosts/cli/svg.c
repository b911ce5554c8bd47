// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Layout of pictures by Graphviz, whose library is opened when a picture is requested.

#include <dlfcn.h>
#include <stddef.h>

#include "nacre_config.h"
#include "plans.h"

// Declarations as in <gvc.h> and <cgraph.h>, with the structures opaque.
static struct {
    void *library;
    void *(*gvContext)(void);
    void *(*agmemread)(const char *);
    int (*gvLayout)(void *, void *, const char *);
    int (*gvRenderFilename)(void *, void *, const char *, const char *);
    int (*gvFreeLayout)(void *, void *);
    int (*agclose)(void *);
    // Not freed: Graphviz's text plug-in caches the name of the last font by address, and freeing a context would free
    // the names of its fonts.
    void *context;
} lib;

static bool open_library(void) {
    if (!lib.library && NACRE_GVC_LIBRARY[0] != '\0')
        lib.library = dlopen(NACRE_GVC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!lib.library) return false;
    bool all = true;
#define LOOK_UP(name)                                                                              \
    *(void **)&lib.name = dlsym(lib.library, #name);                                               \
    all = all && lib.name;
    LOOK_UP(gvContext)
    LOOK_UP(agmemread)
    LOOK_UP(gvLayout)
    LOOK_UP(gvRenderFilename)
    LOOK_UP(gvFreeLayout)
    LOOK_UP(agclose)
#undef LOOK_UP
    if (all && !lib.context) lib.context = lib.gvContext();
    return all && lib.context;
}

const char *svg_library(void) {
    return open_library() ? NACRE_GVC_LIBRARY : NULL;
}

bool svg_write(const char *dot, const char *path) {
    if (!open_library()) return false;
    void *graph = lib.agmemread(dot);
    bool done = graph && lib.gvLayout(lib.context, graph, "dot") == 0;
    if (done) {
        done = lib.gvRenderFilename(lib.context, graph, "svg", path) == 0;
        lib.gvFreeLayout(lib.context, graph);
    }
    if (graph) lib.agclose(graph);
    return done;
}
