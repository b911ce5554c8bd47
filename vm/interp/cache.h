// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inline caches: what the extension words of GETATTR, SETATTR and GETMETHOD remember.
//
// First word: flags = CacheMode, a = slot, wide = shape id, kind or module slot. Second word: a pointer, if the mode
// has one; for CACHE_SLOT the shape id and slot that the first word held before. A shape id is never used twice and is
// renewed when its class changes, so a cache is valid if the ids are equal.

#ifndef NACRE_VM_INTERP_CACHE_H
#define NACRE_VM_INTERP_CACHE_H

#include <string.h>

#include "vm/interp/interp.h"

typedef enum CacheMode {
    CACHE_EMPTY,
    CACHE_SLOT,   // instance attribute: shape id, slot
    CACHE_ADD,    // SETATTR that adds a slot: shape id before; pointer: the shape after
    CACHE_METHOD, // of a user class: shape id; pointer: the function (borrowed from the class)
    CACHE_KIND,   // method of a built-in kind: wide = kind; pointer: the native
    CACHE_MODULE, // wide = slot; pointer: the module
    CACHE_CLASS,  // __class__ of an instance: shape id
} CacheMode;

static inline void *cache_pointer(const Instr *cache) {
    void *pointer;
    memcpy(&pointer, &cache[1], sizeof pointer);
    return pointer;
}

static inline void cache_fill(Instr *cache, CacheMode mode, uint16_t slot, uint32_t wide,
                              const void *pointer) {
    cache[0] = instr_with_wide((Instr){OP_EXT, (uint8_t)mode, slot, 0, 0}, wide);
    memcpy(&cache[1], &pointer, sizeof pointer);
}

static inline void cache_fill_slot(Instr *cache, uint16_t slot, uint32_t shape) {
    Instr before = cache->flags == CACHE_SLOT ? cache[0] : (Instr){.op = OP_EXT};
    cache[0] = instr_with_wide((Instr){OP_EXT, CACHE_SLOT, slot, 0, 0}, shape);
    cache[1] = before;
}

#endif
