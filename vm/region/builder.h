// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Builds a region by appending to it.

#ifndef NACRE_VM_REGION_BUILDER_H
#define NACRE_VM_REGION_BUILDER_H

#include "lang/support/mem.h"
#include "vm/region/region.h"

// Initialises an instruction that has no operands and no exit.
#define REGION_INSTR(...) \
    ((RegionInstr){__VA_ARGS__, .exit = NO_VALUE, .args = {NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE}})

// Capacities of the growing arrays.
typedef struct RegionMaker {
    Mem *mem;
    Region *region;
    int32_t code_room, block_room, exit_room, link_room, nest_room, parallel_room;
    bool failed; // sticky: out of memory, or the region exceeds its limits
} RegionMaker;

enum { REGION_CODE = 1 << 13, REGION_SLOTS = 1024 }; // upper limits

// Appends an instruction. Returns its value's number, or NO_VALUE on failure.
int32_t region_add(RegionMaker *maker, RegionInstr instr);
int32_t region_add_int(RegionMaker *maker, int64_t i); // an int64 constant
int32_t region_add_apply(RegionMaker *maker, OpId op, DType from, DType type, int32_t a, int32_t b);
// Returns an instruction that selects one of two numbers of a type by a bool.
RegionInstr region_choice(DType type, int32_t condition, int32_t yes, int32_t no);
int32_t region_add_block(RegionMaker *maker, uint32_t pc);
int32_t region_add_exit(RegionMaker *maker, RegionExit exit);
int32_t region_add_link(RegionMaker *maker, int32_t value); // returns the index in Region.links
RegionNest *region_add_nest(RegionMaker *maker);            // a new empty nest; NULL on failure
RegionParallel *region_add_parallel(RegionMaker *maker);    // a new empty parallel loop; NULL on
                                                            // failure
void region_wants_slots(RegionMaker *maker, int32_t count);
// The lengths of a region's arrays, to truncate it again when a transformation fails. Instructions
// that existed before the mark must not have been changed.
typedef struct RegionMark {
    int32_t code_count, block_count, exit_count, link_count;
} RegionMark;
RegionMark region_mark(const RegionMaker *maker);
void region_go_back(RegionMaker *maker, RegionMark mark); // also clears `failed`

void region_free(Mem *mem, RegionMaker *maker); // frees what the region holds, but not the region
                                                // itself

// Returns whether an instruction has operands in Region.links.
static inline bool has_links(uint8_t op) {
    return op == RG_DOT || op == RG_PRODUCT || op == RG_TAKE || op == RG_RAISED ||
           op == RG_UNSPOILT || op == RG_PARALLEL;
}

// Returns the first inconsistency of a region; NULL: none.
const char *region_verify(const Region *region);

#endif
