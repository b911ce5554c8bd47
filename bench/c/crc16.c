// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A check sum of 16 bits, eight bytes at a time: a table for each says what a byte at that distance
// does. The tables are made when the library is loaded.
//
// Floor: bytes = n; flops = 0; span = n.
#include "kernel.h"

enum { BYTES = 8, POLYNOMIAL = 0x8408 };

static uint16_t tables[BYTES][256];

__attribute__((constructor)) static void make_tables(void) {
    for (int b = 0; b < 256; b++) {
        uint16_t crc = b;
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
        tables[0][b] = crc;
    }
    for (int t = 1; t < BYTES; t++)
        for (int b = 0; b < 256; b++)
            tables[t][b] = tables[t - 1][b] >> 8 ^ tables[0][tables[t - 1][b] & 255];
}

void crc16(int64_t n, const uint8_t data[restrict n], int64_t result[restrict 1]) {
    uint32_t crc = 0xFFFF;
    int64_t i = 0;
    for (; i + BYTES <= n; i += BYTES) {
        const uint8_t *b = data + i;
        crc = tables[7][b[0] ^ (crc & 255)] ^ tables[6][b[1] ^ crc >> 8] ^ tables[5][b[2]] ^
              tables[4][b[3]] ^ tables[3][b[4]] ^ tables[2][b[5]] ^ tables[1][b[6]] ^
              tables[0][b[7]];
    }
    for (; i < n; i++) crc = crc >> 8 ^ tables[0][(crc ^ data[i]) & 255];
    crc = ~crc & 0xFFFF;
    *result = (crc << 8 | crc >> 8) & 0xFFFF;
}
