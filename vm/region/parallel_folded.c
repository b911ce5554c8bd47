// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private copies of folded arrays. Each part's copies are stored in C order after the slots that the part
// runs with.

#include "vm/region/parallel_folded.h"

#include <fenv.h>
#include <string.h>

#include "vm/graph/dtype.h"
#include "vm/region/parallel_box.h"
#include "vm/region/parallel_fold.h"

// --- Memory ------------------------------------------------------------------------------------

static bool is_folded(const ParallelRun *run, int array) {
    return run->loop->folded >> array & 1;
}

static Box whole(const ParallelRun *run, int array) {
    const ParallelAccess all = {.array = array};
    return box_of(run, &all, 0, 1);
}

static size_t array_bytes(const ParallelRun *run, int array) {
    Box box = whole(run, array);
    return (box_bytes(&box) + 7) / 8 * 8;
}

static size_t part_bytes(const ParallelRun *run) {
    size_t bytes = (size_t)run->region->slot_count * sizeof(RegionSlot);
    for (int a = 0; a < run->region->array_count; a++)
        if (is_folded(run, a)) bytes += array_bytes(run, a);
    return bytes;
}

// Returns the memory for all parts and one more, which holds the combined result.
size_t folded_bytes(const ParallelRun *run, int parts) {
    return part_bytes(run) * (size_t)(parts + 1);
}

double folded_work(const ParallelRun *run) {
    return (double)folded_bytes(run, FOLDED_PARTS) / 4;
}

// --- Private copies ----------------------------------------------------------------------------

static void fill(const RegionArray *array, OpId op, char *at, size_t bytes) {
    DType type = (DType)array->dtype;
    RegionSlot one = fold_begin(op, type, (RegionSlot){0});
    float narrow = (float)one.f;
    size_t size = dtype_size(type);
    for (size_t i = 0; i + size <= bytes; i += size)
        memcpy(at + i, type == DT_FLOAT32 ? (const void *)&narrow : &one, size);
}

// Initialises a private copy in C order, and describes it in the part's slots.
static void place_array(const ParallelRun *run, int number, RegionSlot *slots, char *at) {
    const RegionArray *array = &run->region->arrays[number];
    OpId op = (OpId)run->loop->folds[number];
    int64_t stride = (int64_t)dtype_size((DType)array->dtype);
    Box box = whole(run, number);
    if (op == AOP_MINIMUM || op == AOP_MAXIMUM)
        box_keep(&box, at);
    else
        fill(array, op, at, box_bytes(&box));
    slots[array->slot].address = at;
    for (int d = array->ndim; d-- > 0;) {
        slots[array->slot + 1 + array->ndim + d].i = stride;
        stride *= slots[array->slot + 1 + d].i;
    }
}

const RegionSlot *folded_begin(const ParallelRun *run, char *room, int part) {
    char *at = room + part_bytes(run) * (size_t)part;
    RegionSlot *slots = (RegionSlot *)at;
    size_t bytes = (size_t)run->region->slot_count * sizeof *slots;
    memcpy(slots, run->slots, bytes);
    at += bytes;
    for (int a = 0; a < run->region->array_count; a++) {
        if (!is_folded(run, a)) continue;
        place_array(run, a, slots, at);
        at += array_bytes(run, a);
    }
    return slots;
}

// --- Combining ---------------------------------------------------------------------------------

#define FOLD_FLOATS(T)                                \
    for (size_t i = 0; i < count; i++) {              \
        T *x = (T *)to + i, y = ((const T *)from)[i]; \
        if (op == AOP_ADD)                            \
            *x += y;                                  \
        else if (op == AOP_MULTIPLY)                  \
            *x *= y;                                  \
        else if (op == AOP_MINIMUM ? y < *x : y > *x) \
            *x = y;                                   \
        else if (y != y)                              \
            *x = y;                                   \
    }

static bool fold_elements(DType type, OpId op, char *to, const char *from, size_t bytes) {
    size_t count = bytes / dtype_size(type);
    if (type == DT_FLOAT64)
        FOLD_FLOATS(double)
    else if (type == DT_FLOAT32)
        FOLD_FLOATS(float)
    else
        for (size_t i = 0; i < count; i++) {
            RegionSlot *x = (RegionSlot *)to + i, y = ((const RegionSlot *)from)[i];
            if (!fold_together(op, type, x, y)) return false;
        }
    return true;
}

static bool sum_up(const ParallelRun *run, int number, const char *room, size_t offset, char *sum,
                   int parts) {
    const RegionArray *array = &run->region->arrays[number];
    Box box = whole(run, number);
    box_keep(&box, sum);
    for (int part = 0; part < parts; part++)
        if (!fold_elements((DType)array->dtype, (OpId)run->loop->folds[number], sum,
                           room + part_bytes(run) * (size_t)part + offset, box_bytes(&box)))
            return false;
    return true;
}

bool folded_together(const ParallelRun *run, char *room, int parts) {
    size_t slots = (size_t)run->region->slot_count * sizeof(RegionSlot);
    char *sums = room + part_bytes(run) * (size_t)parts;
    feclearexcept(FE_ALL_EXCEPT);
    size_t offset = slots;
    for (int a = 0; a < run->region->array_count; a++) {
        if (!is_folded(run, a)) continue;
        if (!sum_up(run, a, room, offset, sums + offset, parts)) return false;
        offset += array_bytes(run, a);
    }
    bool calm = !fetestexcept(FE_OVERFLOW | FE_INVALID);
    feclearexcept(FE_ALL_EXCEPT);
    offset = slots;
    for (int a = 0; calm && a < run->region->array_count; a++) {
        if (!is_folded(run, a)) continue;
        Box box = whole(run, a);
        box_put_back(&box, sums + offset);
        offset += array_bytes(run, a);
    }
    return calm;
}
