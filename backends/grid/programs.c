// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds programs by their keys, and compiles missing ones.

#include "backends/grid/programs.h"

#include <string.h>

#include "backends/grid/library.h"

bool grid_programs_open(GridPrograms *programs, Mem *mem, const GridCompiler *compiler, const Dialect *dialect,
                        void *device) {
    *programs = (GridPrograms){.compiler = compiler, .dialect = dialect, .device = device, .mem = mem};
    programs->places = mem_zalloc(mem, GRID_PROGRAMS * sizeof *programs->places);
    return programs->places;
}

static void empty(GridPrograms *programs, GridProgram *p) {
    if (p->used) programs->compiler->release(programs->device, p);
    memset(p, 0, sizeof *p);
}

void grid_programs_close(GridPrograms *programs) {
    if (!programs->places) return;
    for (int i = 0; i < GRID_PROGRAMS; i++) empty(programs, &programs->places[i]);
    mem_free(programs->mem, programs->places, GRID_PROGRAMS * sizeof *programs->places);
    programs->places = NULL;
}

// The part of the key that is compared.
typedef struct KeyBytes {
    const void *bytes;
    size_t size;
} KeyBytes;

static KeyBytes bytes_of(const GridKey *key) {
    return key->form.op == AOP_NONE ? (KeyBytes){&key->grid, sizeof key->grid} : (KeyBytes){&key->form, sizeof key->form};
}

// Hashes four words at a time, since each multiplication waits for the one before in its lane.
static uint64_t hash_of(const GridKey *key) {
    enum { LANES = 4 };
    _Static_assert(sizeof key->grid % sizeof(uint64_t) == 0 && sizeof key->form % sizeof(uint64_t) == 0, "whole words");
    const KeyBytes k = bytes_of(key);
    const size_t words = k.size / sizeof(uint64_t);
    uint64_t hash = key->form.op, lanes[LANES] = {1, 2, 3, 4}, word;
    for (size_t at = 0; at < words; at += LANES)
        for (size_t i = 0; i < LANES && at + i < words; i++) {
            memcpy(&word, (const char *)k.bytes + (at + i) * sizeof word, sizeof word);
            lanes[i] = (lanes[i] ^ word) * 0x9E3779B97F4A7C15u;
        }
    for (int i = 0; i < LANES; i++) {
        hash = (hash ^ lanes[i] ^ lanes[i] >> 32) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool keys_equal(const GridKey *a, const GridKey *b) {
    return a->form.op == b->form.op && memcmp(bytes_of(a).bytes, bytes_of(b).bytes, bytes_of(a).size) == 0;
}

// Returns the place that has a key's program, or else the least recently used place.
static GridProgram *place_of(GridPrograms *programs, const GridKey *key, uint64_t hash) {
    GridProgram *oldest = &programs->places[0];
    for (int i = 0; i < GRID_PROGRAMS; i++) {
        GridProgram *p = &programs->places[i];
        if (programs->hashes[i] == hash && p->used && keys_equal(&p->key, key)) return p;
    }
    for (int i = 1; i < GRID_PROGRAMS; i++)
        if (programs->places[i].used < oldest->used) oldest = &programs->places[i];
    return oldest;
}

static bool compile(GridPrograms *programs, GridProgram *p, const GridSource *source) {
    static const char *const loop[] = {GRID_NAME, NULL}, *const reduction[] = {GRID_NAME, GRID_JOIN, NULL};
    const char *const *names = p->key.grid.reduction_count ? reduction : loop;
    Buf text;
    buf_init(&text, programs->mem);
    bool written = true;
    if (source) {
        names = source->names;
        written = source->text(source->context, &text);
    } else if (p->key.form.op == AOP_NONE) emit_grid(programs->dialect, &p->key.grid, &text);
    else names = grid_library_text(programs->dialect, &p->key.form, &text);
    buf_putc(&text, '\0');
    text.len -= !text.failed;
    bool good = written && !text.failed && programs->compiler->compile(programs->device, p, &text, names);
    buf_free(&text);
    return good;
}

const GridProgram *grid_program(GridPrograms *programs, const GridKey *key) {
    return grid_program_from(programs, key, NULL);
}

const GridProgram *grid_program_from(GridPrograms *programs, const GridKey *key, const GridSource *source) {
    uint64_t hash = hash_of(key);
    GridProgram *p = place_of(programs, key, hash);
    if (!p->used || programs->hashes[p - programs->places] != hash || !keys_equal(&p->key, key)) {
        empty(programs, p);
        p->key = *key;
        p->used = ++programs->asked;
        programs->hashes[p - programs->places] = hash;
        p->usable = compile(programs, p, source);
        if (!p->usable) { // stays in the table, so that it is not compiled again
            programs->compiler->release(programs->device, p);
            p->module = NULL;
            memset(p->codes, 0, sizeof p->codes);
        }
    }
    p->used = ++programs->asked;
    return p->usable ? p : NULL;
}
