// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Selection by masks: elements, and their indices.

#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/library.h"

// Mask elements per block. The selected elements before each block are counted first.
enum { BLOCK = 1 << 14, MANY = 1 << 20 }; // bytes that take longer to count than waking a thread

typedef struct Selection Selection;
// Processes the `room` selected elements from `begin` to `end`. The first of them has the number `made` among all
// selected ones.
typedef void (*BlockFn)(const Selection *s, int64_t begin, int64_t end, int64_t made, int64_t room);

struct Selection {
    Job job;
    const Kernel *kernel;
    const Loops *loops;
    const uint8_t *mask;
    int64_t n, room, blocks;
    int64_t first;   // index of the mask's first element
    int64_t *firsts; // selected elements before each block, and in total
    const char *from;
    char *to;
    size_t size;
    BlockFn block;
    int parts;
};

static int64_t blocks_of(int64_t n) {
    return (n + BLOCK - 1) / BLOCK;
}

static size_t firsts_bytes(int64_t n) {
    return (size_t)(blocks_of(n) + 1) * sizeof(int64_t);
}

static int64_t block_end(const Selection *s, int64_t block) {
    return block + 1 < s->blocks ? (block + 1) * BLOCK : s->n;
}

static void count_part(void *argument, int part, int worker) {
    Selection *s = argument;
    int64_t to = s->blocks * (part + 1) / s->parts;
    (void)worker;
    for (int64_t b = s->blocks * part / s->parts; b < to; b++)
        s->firsts[b + 1] = s->loops->count_true(s->mask + b * BLOCK, (size_t)(block_end(s, b) - b * BLOCK));
}

static void select_part(void *argument, int part, int worker) {
    const Selection *s = argument;
    int64_t to = s->blocks * (part + 1) / s->parts;
    (void)worker;
    for (int64_t b = s->blocks * part / s->parts; b < to; b++) {
        int64_t room = s->firsts[b + 1] - s->firsts[b];
        if (room > 0) s->block(s, b * BLOCK, block_end(s, b), s->firsts[b], room);
    }
}

// The result was sized by an earlier count, so later counts are limited to it.
static void sum_counts(Selection *s) {
    s->firsts[0] = 0;
    for (int64_t b = 1; b <= s->blocks; b++) {
        s->firsts[b] += s->firsts[b - 1];
        if (s->firsts[b] > s->room) s->firsts[b] = s->room;
    }
}

static void select_all(const Cpu *cpu, const Kernel *k, Selection *s, uint32_t *flags) {
    if (s->room == 0 || s->n == 0) return;
    s->kernel = k;
    s->loops = cpu->loops;
    s->blocks = blocks_of(s->n);
    s->firsts = k->workspace;
    s->parts = parts_for(cpu, s->blocks);
    if (s->n < PARALLEL_WORK || cpu->threads == 1) {
        s->block(s, 0, s->n, 0, s->room);
        return;
    }
    share_out(cpu, count_part, s, s->parts, flags);
    sum_counts(s);
    if (!interrupted(cpu, flags)) share_out(cpu, select_part, s, s->parts, flags);
}

// --- Elements ----------------------------------------------------------------------------------

static int number_of_size(size_t size) {
    return __builtin_ctzl(size);
}

static void compress_block(const Selection *s, int64_t begin, int64_t end, int64_t made, int64_t room) {
    int64_t size = (int64_t)s->size;
    s->loops->compress[number_of_size(s->size)](s->mask + begin, (size_t)(end - begin), s->from + begin * size,
                                                s->to + made * size, (size_t)room);
}

static void run_compress(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    Selection s = {.from = arg_at(&k->args[0]), .mask = (const uint8_t *)arg_at(&k->args[1]),
                   .to = arg_at(&k->result), .n = view_size(&k->args[1].view),
                   .size = dtype_size(k->result.view.dtype), .room = k->result.view.shape[0],
                   .block = compress_block};
    select_all(cpu, k, &s, flags);
}

static void expand_block(const Selection *s, int64_t begin, int64_t end, int64_t made, int64_t room) {
    int64_t size = (int64_t)s->size;
    s->loops->expand[number_of_size(s->size)](s->mask + begin, (size_t)(end - begin), s->from + made * size,
                                              s->to + begin * size, (size_t)room);
}

static void run_expand(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    Selection s = {.mask = (const uint8_t *)arg_at(&k->args[0]), .from = arg_at(&k->args[1]),
                   .to = arg_at(&k->result), .n = view_size(&k->args[0].view),
                   .size = dtype_size(k->result.view.dtype), .room = view_size(&k->args[1].view),
                   .block = expand_block};
    select_all(cpu, k, &s, flags);
}

static size_t compress_workspace(const Cpu *cpu, const Kernel *k) {
    (void)cpu;
    return firsts_bytes(view_size(&k->args[1].view));
}

// --- Indices -----------------------------------------------------------------------------------

static void places_block(const Selection *s, int64_t begin, int64_t end, int64_t made, int64_t room) {
    s->loops->places_of_true(s->mask + begin, (size_t)(end - begin), s->first + begin, (int64_t *)s->to + made,
                             (size_t)room);
}

// Converts linear positions, in ascending order, to indices. Keeps the outer indices of the row
// found last.
typedef struct Odometer {
    const View *view;
    int64_t index[NDIM_MAX], begin, end; // bounds of the row, in elements
} Odometer;

static void odometer_to(Odometer *o, int64_t place) {
    int last = o->view->ndim - 1;
    int64_t n = o->view->shape[last], row = place / n;
    o->begin = row * n;
    o->end = o->begin + n;
    for (int d = last - 1; d >= 0; d--) {
        o->index[d] = row % o->view->shape[d];
        row /= o->view->shape[d];
    }
}

// Writes pairs of indices, for matrices: elements of one row share the first index. Returns the end of the pairs.
static int64_t *pairs_of(Odometer *o, const int64_t *places, int64_t count, int64_t *to) {
    for (int64_t i = 0; i < count;) {
        if (places[i] >= o->end) odometer_to(o, places[i]);
        int64_t row = o->index[0], begin = o->begin, from = i;
        if (places[count - 1] < o->end) i = count;
        else
            while (places[i] < o->end) i++; // stops, since the last one is beyond
        for (int64_t j = from; j < i; j++, to += 2) {
            to[0] = row;
            to[1] = places[j] - begin;
        }
    }
    return to;
}

// Writes one row of indices per selected element.
static void rows_block(const Selection *s, int64_t begin, int64_t end, int64_t made, int64_t room) {
    enum { SOME = 256 };
    int64_t places[SOME];
    Odometer o = {.view = &s->kernel->args[0].view};
    int ndim = o.view->ndim, last = ndim - 1;
    int64_t *to = (int64_t *)s->to + made * ndim;
    for (int64_t at = begin; at < end && room > 0; at += SOME) {
        int64_t rest = end - at < SOME ? end - at : SOME;
        int64_t count = s->loops->count_true(s->mask + at, (size_t)rest);
        if (count > room) count = room;
        s->loops->places_of_true(s->mask + at, (size_t)rest, s->first + at, places, (size_t)count);
        if (ndim == 2) to = pairs_of(&o, places, count, to);
        for (int64_t i = 0; ndim > 2 && i < count; i++, to += ndim) {
            if (places[i] >= o.end) odometer_to(&o, places[i]);
            for (int d = 0; d < last; d++) to[d] = o.index[d];
            to[last] = places[i] - o.begin;
        }
        room -= count;
    }
}

static int64_t looked_at(const Kernel *k) {
    return k->attrs.points ? k->attrs.points : view_size(&k->args[0].view);
}

static void run_nonzero(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *in = &k->args[0].view;
    Selection s = {.mask = (const uint8_t *)arg_at(&k->args[0]) + k->attrs.step, .to = arg_at(&k->result),
                   .n = looked_at(k), .first = k->attrs.step, .room = k->result.view.shape[0],
                   .block = in->ndim == 1 ? places_block : rows_block};
    select_all(cpu, k, &s, flags);
}

static size_t places_workspace(const Cpu *cpu, const Kernel *k) {
    (void)cpu;
    return firsts_bytes(looked_at(k));
}

static size_t mask_workspace(const Cpu *cpu, const Kernel *k) {
    (void)cpu;
    return firsts_bytes(view_size(&k->args[0].view));
}

// --- Counts ------------------------------------------------------------------------------------

typedef struct Counting {
    Job job;
    const uint8_t *mask;
    int64_t n, blocks;
    OpId question; // LOGICAL_OR, LOGICAL_AND; otherwise a count
    atomic_bool answered;
    atomic_llong count;
    int parts;
} Counting;

// "Any" and "all" stop once the answer is known.
static void counting_part(void *argument, int part, int worker) {
    Counting *c = argument;
    int64_t to = c->blocks * (part + 1) / c->parts, total = 0;
    bool any = c->question == AOP_LOGICAL_OR, all = c->question == AOP_LOGICAL_AND;
    (void)worker;
    for (int64_t b = c->blocks * part / c->parts; b < to && !atomic_load(&c->answered); b++) {
        int64_t n = b + 1 < c->blocks ? BLOCK : c->n - b * BLOCK;
        int64_t count = c->job.cpu->loops->count_true(c->mask + b * BLOCK, (size_t)n);
        total += count;
        if ((any && count > 0) || (all && count < n)) atomic_store(&c->answered, true);
    }
    atomic_fetch_add(&c->count, total);
}

static void run_count(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    Counting c = {.job.cpu = cpu, .mask = (const uint8_t *)arg_at(&k->args[0]),
                  .n = view_size(&k->args[0].view), .question = k->attrs.combine};
    c.blocks = blocks_of(c.n);
    c.parts = c.n < MANY || cpu->threads == 1 ? 1 : parts_for(cpu, c.blocks);
    if (c.parts > 1) share_out(cpu, counting_part, &c, c.parts, flags);
    else counting_part(&c, 0, 0);
    int64_t count = atomic_load(&c.count);
    bool answered = atomic_load(&c.answered);
    char *to = arg_at(&k->result);
    if (c.question == AOP_LOGICAL_OR) *to = answered;
    else if (c.question == AOP_LOGICAL_AND) *to = !answered;
    else memcpy(to, &count, sizeof count);
}

const LibraryFn library_COUNT_TRUE = {.run = run_count};
const LibraryFn library_COMPRESS = {.run = run_compress, .workspace = compress_workspace};
const LibraryFn library_EXPAND = {.run = run_expand, .workspace = mask_workspace};
const LibraryFn library_NONZERO = {.run = run_nonzero, .workspace = places_workspace};
