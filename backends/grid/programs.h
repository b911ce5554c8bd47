// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A device's programs; the most recently used ones are kept. A program is the code of a loop (Grid), or of a library
// operation (GridForm).

#ifndef NACRE_BACKENDS_GRID_PROGRAMS_H
#define NACRE_BACKENDS_GRID_PROGRAMS_H

#include "backends/emit/emit_grid.h"
#include "lang/support/mem.h"

// GRID_CODES: functions of a program.
enum { GRID_PROGRAMS = 256, GRID_CODES = 12 };

// Signature of a library operation's program: everything that determines its text. Each GridRow (library.h) defines its
// own meaning of `part`. Compared by bytes.
enum { GRID_PARTS = 15 };
typedef struct GridForm {
    uint8_t op; // OpId
    uint8_t part[GRID_PARTS];
} GridForm;

// Key of a program: form.op AOP_NONE is a loop, GRID_ITEMS a loop of a region, whose parts are a hash of the text.
enum { GRID_ITEMS = UINT8_MAX };
_Static_assert((int)AOP_COUNT < (int)GRID_ITEMS, "it is no operation");
typedef struct GridKey {
    GridForm form;
    Grid grid;
} GridKey;

typedef struct GridProgram {
    GridKey key;
    uint64_t used; // when it was last asked for; 0: an empty place
    bool usable;   // false: the device's compiler failed
    void *module, *codes[GRID_CODES]; // the device's: a module and its functions, in the order of their names
} GridProgram;

typedef struct GridCompiler {
    // Compiles the text and finds the functions (names end with NULL). If it fails, release frees what it has stored in
    // the program.
    bool (*compile)(void *device, GridProgram *program, const Buf *text, const char *const *names);
    void (*release)(void *device, GridProgram *program); // frees the code; enqueued work keeps what it needs
} GridCompiler;

typedef struct GridPrograms {
    const GridCompiler *compiler;
    const Dialect *dialect;
    void *device;
    Mem *mem;
    uint64_t asked;
    uint64_t hashes[GRID_PROGRAMS]; // of the keys
    GridProgram *places;            // GRID_PROGRAMS of them
} GridPrograms;

bool grid_programs_open(GridPrograms *programs, Mem *mem, const GridCompiler *compiler, const Dialect *dialect,
                        void *device); // false: no memory
void grid_programs_close(GridPrograms *programs); // does nothing if they were not opened
// Returns the program of a key, compiling it if it is not kept. NULL: the device's compiler failed.
const GridProgram *grid_program(GridPrograms *programs, const GridKey *key);
// Returns the program of a key whose text comes from a source. `text` is called if the program is not kept, and returns
// false if there is no text.
typedef struct GridSource {
    bool (*text)(void *context, Buf *out);
    void *context;
    const char *const *names; // of the functions, ending with NULL
} GridSource;
const GridProgram *grid_program_from(GridPrograms *programs, const GridKey *key, const GridSource *source);

#endif
