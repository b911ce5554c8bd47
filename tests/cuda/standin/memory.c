// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Device memory. Addresses are those of a region that cannot be read; what they stand for is one region further.

#define _GNU_SOURCE
#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, ALIGN = 256 };
static const size_t region_bytes = (size_t)1 << 38;

typedef struct Block {
    Ptr at;
    size_t bytes, span; // span: of its pages
    struct Block *next;
} Block;

static Block *blocks;
static char *region;
static size_t used, in_use, most;

static size_t round_up(size_t bytes, size_t to) {
    return (bytes + to - 1) / to * to;
}

bool memory_begin(void) {
    void *both = mmap(NULL, 2 * region_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    region = both == MAP_FAILED ? NULL : both;
    return region;
}

int memory_take(Ptr *out, size_t bytes) {
    size_t rounded = round_up(bytes, ALIGN), span = round_up(rounded, PAGE);
    if (!bytes) return INVALID_VALUE;
    if (bytes > settings.memory || in_use + rounded > settings.memory || used + span + PAGE > region_bytes)
        return OUT_OF_MEMORY;
    char *here = region + used;
    Block *b = calloc(1, sizeof *b);
    if (!b || mmap(here + region_bytes, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
                  MAP_FAILED) {
        free(b);
        return OUT_OF_MEMORY;
    }
    memset(here + region_bytes, 0xff, span);
    used += span + PAGE;
    *b = (Block){(Ptr)(uintptr_t)(here + span - rounded), bytes, span, blocks}; // its end is the page's end
    blocks = b;
    if ((in_use += rounded) > most) most = in_use;
    *out = b->at;
    return OK;
}

int memory_give(Ptr address) {
    for (Block **at = &blocks; *at; at = &(*at)->next) {
        Block *b = *at;
        if (b->at != address) continue;
        size_t rounded = round_up(b->bytes, ALIGN);
        char *begin = (char *)(uintptr_t)(b->at + rounded) - b->span;
        mmap(begin + region_bytes, b->span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        *at = b->next;
        in_use -= rounded;
        free(b);
        return OK;
    }
    return wrong(INVALID_VALUE, "free of %#llx, which is no allocation", address);
}

static const Block *block_of(Ptr address) {
    for (const Block *b = blocks; b; b = b->next)
        if (address >= b->at && address < b->at + b->bytes) return b;
    return NULL;
}

bool memory_is_begin(Ptr address) {
    const Block *b = block_of(address);
    return b && b->at == address;
}

void *memory_real(Ptr address, size_t bytes, const char *what) {
    const Block *b = block_of(address);
    if (b && address + bytes <= b->at + b->bytes) return (char *)(uintptr_t)address + region_bytes;
    wrong(INVALID_VALUE, "%s: %zu bytes at %#llx are not in an allocation", what, bytes, address);
    return NULL;
}

void *memory_moved(Ptr address) {
    return block_of(address) ? (char *)(uintptr_t)address + region_bytes : NULL;
}

bool memory_has(const void *address) {
    return region && (const char *)address >= region && (const char *)address < region + region_bytes;
}

long memory_live(size_t *bytes, size_t *peak) {
    long count = 0;
    for (const Block *b = blocks; b; b = b->next) count++;
    *bytes = in_use;
    *peak = most;
    return count;
}
