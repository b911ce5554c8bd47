// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs parallel loops of regions on a device. Arrays that a loop writes are copied before, so that they can be restored
// if a work item fails.

#include <string.h>

#include "backends/grid/library.h"

enum { CODE, COPY };

static bool text_of(void *context, Buf *out) {
    const RegionItems *items = ((void **)context)[0];
    const GridMachine *m = ((void **)context)[1];
    return emit_items(m->driver->dialect, items->region, items->number, out);
}

// Hashes a text by FNV-1a from two bases, for twice the width.
static void hash_text(const Buf *text, uint8_t *parts) {
    uint64_t hashes[2] = {0xcbf29ce484222325u, 0x9ae16a3b2f90404fu};
    for (size_t i = 0; i < text->len; i++)
        for (int h = 0; h < 2; h++) hashes[h] = (hashes[h] ^ (uint8_t)text->data[i]) * 0x100000001b3u;
    memcpy(parts, hashes, GRID_PARTS);
}
_Static_assert(sizeof(((ItemsKey *)0)->hash) == GRID_PARTS && GRID_PARTS < 2 * sizeof(uint64_t), "a hash fills the key");

// Computes the hash of the loop's text, which is its key. False: the loop cannot be rendered.
static bool know(const GridMachine *m, RegionItems *items) {
    Buf text;
    buf_init(&text, &m->vm->mem);
    items->key->known = emit_items(m->driver->dialect, items->region, items->number, &text) && !text.failed;
    if (items->key->known) hash_text(&text, items->key->hash);
    buf_free(&text);
    return items->key->known;
}

static const GridProgram *program_of(GridMachine *m, RegionItems *items) {
    static const char *const names[] = {GRID_NAME, GRID_COPY, NULL};
    void *context[] = {items, m};
    const GridSource source = {text_of, context, names};
    const size_t memories = (size_t)__builtin_popcount(items_arrays(&items->region->parallels[items->number])) + 1;
    GridKey key;
    memset(&key, 0, sizeof key);
    const GridProgram *program = NULL;
    const bool fits = (size_t)items->word_count * sizeof(int64_t) + memories * sizeof(void *) <= m->argument_bytes;
    if (fits && (items->key->known || know(m, items))) {
        key.form.op = GRID_ITEMS;
        memcpy(key.form.part, items->key->hash, GRID_PARTS);
        program = grid_program_from(&m->programs, &key, &source);
    }
    items->key->refused = !program;
    return program;
}

// --- Running ---------------------------------------------------------------------------------------

// Copies memory in words of 4 bytes; memory of the pool is a multiple of 4 bytes long.
static void copy(GridRun *run, void *from, void *to, size_t bytes) {
    void *const memories[] = {from, to};
    const int64_t words = (int64_t)((bytes + 3) / 4);
    grid_step(run, COPY, (GridSize){(size_t)words, 1}, (GridArguments){memories, 2, &words, sizeof words});
}

typedef struct Kept {
    void *from, *to;
    size_t bytes;
} Kept;

static int keep(GridRun *run, const RegionItems *items, Kept kept[REGION_ARRAYS]) {
    const RegionParallel *loop = &items->region->parallels[items->number];
    int count = 0;
    for (int a = 0; a < items->region->array_count; a++) {
        if (!(loop->written >> a & 1)) continue;
        Kept one = {items->memories[a].memory, NULL, items->memories[a].bytes};
        bool known = false;
        for (int i = 0; i < count; i++) known |= kept[i].from == one.from;
        if (known) continue;
        one.to = grid_scratch(run, one.bytes + 3);
        kept[count++] = one;
    }
    for (int i = 0; i < count; i++) copy(run, kept[i].from, kept[i].to, kept[i].bytes);
    return count;
}

static void run_items(GridRun *run, const RegionItems *items, void *results) {
    const RegionParallel *loop = &items->region->parallels[items->number];
    void *memories[REGION_ARRAYS + 1];
    int count = 0;
    for (int a = 0; a < items->region->array_count; a++)
        if (items_arrays(loop) >> a & 1) memories[count++] = items->memories[a].memory;
    memories[count++] = results;
    const size_t rounds = (size_t)items->words[ITEMS_ROUNDS], width = (size_t)items->words[ITEMS_WIDTH];
    const GridSize size = loop->within.head ? (GridSize){width, rounds} : (GridSize){rounds, 1};
    grid_step(run, CODE, size, (GridArguments){memories, count, items->words, (size_t)items->word_count * sizeof(int64_t)});
}

static bool fetch(GridRun *run, void *results, RegionItems *items) {
    const GridDriver *driver = run->machine->driver;
    const size_t bytes = (size_t)items->result_count * sizeof(int64_t);
    if (!run->failed) run->failed = !driver->fetch(run->machine->device, results, items->results, bytes);
    return !run->failed;
}

bool grid_items(GridMachine *m, RegionItems *items) {
    Kept kept[REGION_ARRAYS];
    const GridProgram *program = program_of(m, items);
    if (!program) return false;
    GridRun run = {.machine = m, .program = program};
    const size_t bytes = (size_t)items->result_count * sizeof(int64_t);
    void *results = grid_scratch(&run, bytes);
    const int kept_count = keep(&run, items, kept);
    grid_clear(&run, results, bytes);
    run_items(&run, items, results);
    const bool good = fetch(&run, results, items) && items->accept(items);
    for (int i = 0; !good && i < kept_count; i++) copy(&run, kept[i].to, kept[i].from, kept[i].bytes);
    grid_give_scratch(&run);
    return good;
}
