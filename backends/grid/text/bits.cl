// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Truth values as bits of bytes, and back: a work item for each byte.

KERNEL nacre_pack(GLOBAL const uint8_t *from, GLOBAL uint8_t *to, const GridBits g) {
    const int64_t column = ITEM, row = ROW;
    if (column >= g.bytes || row >= g.rows) return;
    GLOBAL const uint8_t *truths = from + g.from + row * g.truths;
    uint32_t byte = 0;
    for (int64_t j = 0, i = 8 * column; j < 8 && i < g.truths; j++, i++)
        byte |= (uint32_t)(truths[i] != 0) << (g.right ? j : 7 - j);
    to[g.to + row * g.bytes + column] = (uint8_t)byte;
}

KERNEL nacre_unpack(GLOBAL const uint8_t *from, GLOBAL uint8_t *to, const GridBits g) {
    const int64_t column = ITEM, row = ROW;
    if (8 * column >= g.truths || row >= g.rows) return;
    GLOBAL uint8_t *truths = to + g.to + row * g.truths;
    const uint32_t byte = from[g.from + row * g.bytes + column];
    for (int64_t j = 0, i = 8 * column; j < 8 && i < g.truths; j++, i++)
        truths[i] = (uint8_t)(byte >> (g.right ? j : 7 - j) & 1);
}
