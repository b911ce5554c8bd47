// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Opens the plug-ins with the loops of instruction sets, at the first operation on arrays. They are read from folders
// that belong to this library, and count as part of it, so they are opened in a sandbox too.

#include "backends/loops/loops.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/cpu/library.h"
#include "lang/support/libraries.h"

enum { SETS = 2 };
static const char *const set_names[SETS] = {[LOOPS_AVX2] = "avx2", [LOOPS_AVX512] = "avx512"};

// Loops found by this process: filled once, under a lock, as plug-ins stay open.
static struct {
    pthread_once_t once[SETS];
    const Loops *loops[SETS];
} process = {.once = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT}};

static const Loops *loops_in(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) return NULL;
    LoopsPluginFn fn = (LoopsPluginFn)dlsym(handle, "nacre_loops");
    const LoopsPlugin *plugin = fn ? fn() : NULL;
    bool fits = plugin && plugin->struct_size == sizeof(Loops) &&
                strcmp(plugin->made_for, loops_made_for) == 0;
    dlclose(handle); // RTLD_NODELETE keeps it loaded
    return fits ? plugin->loops : NULL;
}

static const Loops *look(LoopSet set) {
    char folder[PATH_MAX], path[2 * PATH_MAX];
    if (!library_folder(folder)) return NULL;
    for (int i = 0; i < LIBRARY_PLACES; i++) {
        snprintf(path, sizeof path, "%s/%s/nacre-loops-%s.so", folder, library_places[i], set_names[set]);
        const Loops *found = access(path, R_OK) == 0 ? loops_in(path) : NULL;
        if (found) return found;
    }
    return NULL;
}

static void look_avx2(void) {
    process.loops[LOOPS_AVX2] = look(LOOPS_AVX2);
}

static void look_avx512(void) {
    process.loops[LOOPS_AVX512] = look(LOOPS_AVX512);
}

const Loops *loops_find(LoopSet set) {
    pthread_once(&process.once[set], set == LOOPS_AVX512 ? look_avx512 : look_avx2);
    return process.loops[set];
}

// Reports a missing plug-in: work is then slower than the processor allows, and last bits are those of a processor
// without the instruction set.
void loops_describe(Buf *out, const Loops *used) {
    LoopSet best = has_avx512() ? LOOPS_AVX512 : LOOPS_AVX2;
    if (!has_avx2()) return;
    if (loops_find(best) == used)
        buf_printf(out, "plug-in: loops for %s\n", set_names[best]);
    else
        buf_printf(out, "plug-in: nacre-loops-%s.so is missing, or of another build\n", set_names[best]);
}
