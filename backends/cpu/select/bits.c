// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// packbits and unpackbits, on rows of contiguous matrices. attrs.right: the first truth value is
// the lowest bit of its byte, otherwise the highest.

#include <string.h>

#include "backends/cpu/library.h"
#include "backends/cpu/rows.h"

enum { EACH = 8 };

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

static void pack_bytes_of(const Rows *rows, char *const *at, int64_t from, int64_t to, uint32_t *flags) {
    const Kernel *k = rows->what;
    int64_t n = k->args[0].view.shape[1], end = to * EACH < n ? to * EACH : n;
    (void)flags;
    pack_row(at[0] + from * EACH, end - from * EACH, k->attrs.right, (uint8_t *)at[1] + from);
}

// Runs a function over rows of `bits` truth values each. A unit of a row is a packed byte.
static void run_rows(const Cpu *cpu, const Kernel *k, RowFn run, int64_t bits, uint32_t *flags) {
    const View *in = &k->args[0].view, *out = &k->result.view;
    const int64_t strides[2][1] = {{in->shape[1]}, {out->shape[1]}};
    Rows rows = {.run = run, .what = k, .operands = 2, .ndim = 1, .shape = in->shape,
                 .strides = {strides[0], strides[1]}, .at = {arg_at(&k->args[0]), arg_at(&k->result)},
                 .units = (bits + EACH - 1) / EACH};
    rows_run(cpu, &rows, in->shape[0] * bits, flags);
}

static void run_pack_bits(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    run_rows(cpu, k, pack_bytes_of, k->args[0].view.shape[1], flags);
}

// Spreads bits to bytes: the first copy of the byte keeps bit 7 (or bit 0, if lowest_first), the next bit 6 (or 1), …
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

static void unpack_bytes_of(const Rows *rows, char *const *at, int64_t from, int64_t to, uint32_t *flags) {
    const Kernel *k = rows->what;
    int64_t n = k->result.view.shape[1], end = to * EACH < n ? to * EACH : n;
    (void)flags;
    unpack_row((const uint8_t *)at[0] + from, end - from * EACH, k->attrs.right, at[1] + from * EACH);
}

static void run_unpack_bits(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    run_rows(cpu, k, unpack_bytes_of, k->result.view.shape[1], flags);
}

const LibraryFn library_PACK_BITS = {.run = run_pack_bits};
const LibraryFn library_UNPACK_BITS = {.run = run_unpack_bits};
