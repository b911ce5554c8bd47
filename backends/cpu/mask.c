// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a mask selects: elements, and their places.

#include <string.h>

#include "backends/cpu/cpu.h"

enum {
    WORD = 8,       // elements of a mask that are looked at as one
    BLOCK = 1 << 14 // that one thread goes through; those before are counted first
};

typedef struct Selection {
    Job job;
    const uint8_t *mask;
    int64_t n, room, blocks;
    int64_t *firsts;  // how many are selected before each block, and before the end
    const char *from; // elements, or NULL: places are wanted
    char *to;
    size_t size;
    int parts;
} Selection;

static int64_t blocks_of(int64_t n) {
    return (n + BLOCK - 1) / BLOCK;
}

static int64_t block_end(const Selection *s, int64_t block) {
    return block + 1 < s->blocks ? (block + 1) * BLOCK : s->n;
}

// Bytes of 0 and 1: words are added byte by byte for as long as no byte can overflow.
static int64_t count_bytes(const uint8_t *mask, int64_t n) {
    enum { WORDS = 255 };
    const uint64_t ones = UINT64_C(0x0101010101010101), evens = UINT64_C(0x00ff00ff00ff00ff);
    int64_t count = 0, i = 0;
    while (n - i >= WORD) {
        uint64_t sums = 0, word;
        for (int k = 0; k < WORDS && n - i >= WORD; k++, i += WORD) {
            memcpy(&word, mask + i, WORD);
            sums += word & ones;
        }
        sums = (sums & evens) + (sums >> 8 & evens); // four sums, of 510 at most
        count += (int64_t)(sums * UINT64_C(0x0001000100010001) >> 48);
    }
    for (; i < n; i++) count += mask[i];
    return count;
}

static void count_part(void *argument, int part, int worker) {
    Selection *s = argument;
    int64_t to = s->blocks * (part + 1) / s->parts;
    (void)worker;
    for (int64_t b = s->blocks * part / s->parts; b < to; b++)
        s->firsts[b + 1] = count_bytes(s->mask + b * BLOCK, block_end(s, b) - b * BLOCK);
}

// The first place from `i` on, in steps of a word, behind which something is selected, or the rest.
static int64_t skip_unselected(const uint8_t *mask, int64_t i, int64_t n) {
    for (uint64_t word = 0; n - i >= WORD; i += WORD) {
        memcpy(&word, mask + i, WORD);
        if (word) break;
    }
    return i;
}

// Writes what each element of a word is, and goes on only behind selected ones: no branch to guess.
// What would be written behind the last one is not.
#define SELECT(name, T, ELEMENT)                                                                 \
    static void select_##name(const Selection *s, int64_t i, int64_t n, int64_t made, int64_t room) { \
        const uint8_t *mask = s->mask;                                                           \
        const T *from = (const T *)s->from;                                                      \
        T *to = (T *)s->to;                                                                      \
        (void)from;                                                                              \
        while (made < room && (i = skip_unselected(mask, i, n)) < n)                             \
            for (int64_t end = n - i < WORD ? n : i + WORD; i < end && made < room; i++) {       \
                to[made] = ELEMENT;                                                              \
                made += mask[i];                                                                 \
            }                                                                                    \
    }
SELECT(place, int64_t, i)
SELECT(1, uint8_t, from[i])
SELECT(2, uint16_t, from[i])
SELECT(4, uint32_t, from[i])
SELECT(8, uint64_t, from[i])
SELECT(16, Wide, from[i])

static void select_block(const Selection *s, int64_t block) {
    int64_t at = block * BLOCK, end = block_end(s, block);
    int64_t made = s->firsts[block], room = s->firsts[block + 1];
    if (!s->from) {
        select_place(s, at, end, made, room);
        return;
    }
    switch (s->size) {
    case 1: select_1(s, at, end, made, room); break;
    case 2: select_2(s, at, end, made, room); break;
    case 4: select_4(s, at, end, made, room); break;
    case 8: select_8(s, at, end, made, room); break;
    default: select_16(s, at, end, made, room); break;
    }
}

static void select_part(void *argument, int part, int worker) {
    const Selection *s = argument;
    int64_t to = s->blocks * (part + 1) / s->parts;
    (void)worker;
    for (int64_t b = s->blocks * part / s->parts; b < to; b++) select_block(s, b);
}

static void run_part(const Cpu *cpu, PartFn part, Selection *s, uint32_t *flags) {
    if (s->parts > 1) share_out(cpu, part, s, s->parts, flags);
    else part(s, 0, 0);
}

static void select_all(const Cpu *cpu, Selection *s, uint32_t *flags) {
    if (s->room == 0) return;
    s->parts = s->n < PARALLEL_WORK ? 1 : parts_for(cpu, s->blocks);
    s->firsts[0] = 0;
    if (s->blocks > 1) run_part(cpu, count_part, s, flags);
    else s->firsts[1] = s->room;
    for (int64_t b = 1; b <= s->blocks; b++) {
        s->firsts[b] += b > 1 ? s->firsts[b - 1] : 0;
        if (s->firsts[b] > s->room) s->firsts[b] = s->room;
    }
    if (!interrupted(cpu, flags)) run_part(cpu, select_part, s, flags);
}

static size_t compress_workspace(const Cpu *cpu, const Kernel *k) {
    (void)cpu;
    return (size_t)(blocks_of(view_size(&k->args[1].view)) + 1) * sizeof(int64_t);
}

static void run_compress(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    Selection s = {.from = arg_at(&k->args[0]), .mask = (const uint8_t *)arg_at(&k->args[1]),
                   .to = arg_at(&k->result), .n = view_size(&k->args[1].view),
                   .size = dtype_size(k->result.view.dtype), .room = k->result.view.shape[0],
                   .firsts = k->workspace};
    s.blocks = blocks_of(s.n);
    select_all(cpu, &s, flags);
}

// The true elements of the innermost axis, behind the indexes of the others. As above, each place is
// written, and left behind when it is selected.
static int64_t *nonzero_row(const uint8_t *mask, const View *in, const int64_t *index, int64_t *to,
                            const int64_t *end) {
    int last = in->ndim - 1;
    int64_t n = in->shape[last];
    for (int64_t i = 0; to < end && (i = skip_unselected(mask, i, n)) < n;)
        for (int64_t stop = n - i < WORD ? n : i + WORD; i < stop && to < end; i++) {
            for (int d = 0; d < last; d++) to[d] = index[d];
            to[last] = i;
            to += mask[i] * in->ndim;
        }
    return to;
}

static size_t nonzero_workspace(const Cpu *cpu, const Kernel *k) {
    const View *in = &k->args[0].view;
    (void)cpu;
    return in->ndim == 1 ? (size_t)(blocks_of(in->shape[0]) + 1) * sizeof(int64_t) : 0;
}

static void run_nonzero(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *in = &k->args[0].view;
    if (in->ndim == 1) {
        Selection s = {.mask = (const uint8_t *)arg_at(&k->args[0]), .to = arg_at(&k->result),
                       .n = in->shape[0], .blocks = blocks_of(in->shape[0]),
                       .room = k->result.view.shape[0], .firsts = k->workspace};
        select_all(cpu, &s, flags);
        return;
    }
    int64_t index[NDIM_MAX] = {0}, *to = (int64_t *)arg_at(&k->result);
    const int64_t *end = to + k->result.view.shape[0] * in->ndim, *strides[1] = {in->strides};
    char *at[1] = {arg_at(&k->args[0])};
    if (to == end) return;
    do to = nonzero_row((const uint8_t *)at[0], in, index, to, end);
    while (!interrupted(cpu, flags) &&
           odometer_next(in->ndim - 1, in->shape, index, at, strides, 1));
}

const LibraryFn library_COMPRESS = {run_compress, compress_workspace};
const LibraryFn library_NONZERO = {run_nonzero, nonzero_workspace};
