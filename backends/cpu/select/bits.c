// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// packbits and unpackbits, on rows of contiguous matrices. attrs.right: the first truth value is
// the lowest bit of its byte, otherwise the highest.

#include <string.h>

#include "backends/cpu/library.h"
#include "backends/cpu/linalg/linalg.h"

enum { EACH = 8, POLL_ROWS = 4096 };

// Packs eight bytes of 0 or 1, the lowest being first. The multiplication moves byte i to bit 63 -
// i, or 56 + i; all other terms stay below these eight bits.
static inline uint8_t byte_of(uint64_t truths, bool lowest_first) {
    return (uint8_t)(truths * (lowest_first ? 0x0102040810204080u : 0x8040201008040201u) >> 56);
}

static void pack_row(const char *from, int64_t n, bool lowest_first, uint8_t *to) {
    uint64_t truths;
    int64_t i = 0;
    for (; i + EACH <= n; i += EACH) {
        memcpy(&truths, from + i, EACH);
        *to++ = byte_of(truths, lowest_first);
    }
    if (i == n) return;
    truths = 0;
    memcpy(&truths, from + i, (size_t)(n - i));
    *to = byte_of(truths, lowest_first);
}

static void run_pack_bits(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *in = &k->args[0].view, *out = &k->result.view;
    const char *from = arg_at(&k->args[0]);
    uint8_t *to = (uint8_t *)arg_at(&k->result);
    for (int64_t r = 0; r < in->shape[0]; r++, from += in->shape[1], to += out->shape[1]) {
        pack_row(from, in->shape[1], k->attrs.right, to);
        if (r % POLL_ROWS == 0 && interrupted(cpu, flags)) return;
    }
}

// Spreads bits to bytes: the first copy of the byte keeps bit 7, the next bit 6, …
static inline uint64_t truths_of(uint8_t byte, bool lowest_first) {
    uint64_t copies = byte * 0x0101010101010101u;
    uint64_t bits = copies & (lowest_first ? 0x8040201008040201u : 0x0102040810204080u);
    return (bits + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
}

static void unpack_row(const uint8_t *from, int64_t n, bool lowest_first, char *to) {
    uint64_t truths;
    int64_t i = 0;
    for (; i + EACH <= n; i += EACH) {
        truths = truths_of(*from++, lowest_first);
        memcpy(to + i, &truths, EACH);
    }
    if (i == n) return;
    truths = truths_of(*from, lowest_first);
    memcpy(to + i, &truths, (size_t)(n - i));
}

static void run_unpack_bits(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *in = &k->args[0].view, *out = &k->result.view;
    const uint8_t *from = (const uint8_t *)arg_at(&k->args[0]);
    char *to = arg_at(&k->result);
    for (int64_t r = 0; r < in->shape[0]; r++, from += in->shape[1], to += out->shape[1]) {
        unpack_row(from, out->shape[1], k->attrs.right, to);
        if (r % POLL_ROWS == 0 && interrupted(cpu, flags)) return;
    }
}

const LibraryFn library_PACK_BITS = {.run = run_pack_bits};
const LibraryFn library_UNPACK_BITS = {.run = run_unpack_bits};
