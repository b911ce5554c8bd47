// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The entry block: types of variables at the loop's start, and their values from slots.

#include "vm/jit/steps.h"
#include "vm/value/grid.h"
#include "vm/value/objects.h"
#include "vm/value/seq.h"

// --- Entry -------------------------------------------------------------------------------------

bool is_constant_object(Value v) {
    return v.kind == K_CLASS || v.kind == K_NATIVE || v.kind == K_MODULE || v.kind == K_UFUNC ||
           v.kind == K_FUNC;
}

static bool is_type_with_code(DType type) {
    return type != DT_FLOAT16 && dtype_kind(type) != DK_COMPLEX;
}

// Tests that the region can access an array's elements: aligned, of a supported type.
static bool is_usable(Array *array) {
    int64_t size = (int64_t)dtype_size(array->dtype);
    if (!is_type_with_code(array->dtype) || array->ndim < 1 || array->ndim > REGION_DIMS)
        return false;
    bool aligned = array->offset % size == 0;
    for (int d = 0; d < array->ndim; d++) aligned &= array_strides(array)[d] % size == 0;
    return aligned;
}

static bool is_dense(Array *array) {
    return array_strides(array)[array->ndim - 1] == (int64_t)dtype_size(array->dtype);
}

// Adds an array to the region's; `where` is its variable or source, as in Variant.array_vars. VAR_OBJECT: no room, or
// the region cannot access the array.
static VarType add_array(Infer *f, Array *array, uint32_t where) {
    Region *r = &f->variant->region;
    if (r->array_count == REGION_ARRAYS || !is_usable(array))
        return (VarType){.kind = VAR_OBJECT, .which = (uint16_t)where};
    f->variant->array_vars[r->array_count] = (uint16_t)where;
    r->arrays[r->array_count] = (RegionArray){.dtype = (uint8_t)array->dtype,
                                              .ndim = (uint8_t)array->ndim,
                                              .dense = is_dense(array),
                                              .readonly = array->readonly,
                                              .slot = f->slot_count};
    f->slot_count += 1 + 2 * array->ndim;
    region_wants_slots(f->maker, f->slot_count);
    return (VarType){
        .kind = VAR_ARRAY, .dtype = (uint8_t)array->dtype, .which = (uint16_t)r->array_count++};
}

static VarType walk_type(Infer *f, Array *array, uint32_t var) {
    VarType type = {.kind = VAR_OBJECT, .which = (uint16_t)var};
    if (array->ndim > 0) type = add_array(f, array, var);
    if (type.kind != VAR_ARRAY) return type;
    return (VarType){.kind = VAR_WALK, .dtype = (uint8_t)type.which, .which = (uint16_t)var};
}

static VarType grid_type(const Iter *it, uint32_t var) {
    GridCode code = {.rank = (uint8_t)grid_rank(it), .plain = grid_is_plain(it)};
    return (VarType){.kind = VAR_GRID, .dtype = grid_code(code), .which = (uint16_t)var};
}

static VarType entry_type(Infer *f, uint32_t var, Value v) {
    switch (v.kind) {
    case K_UNDEF: return (VarType){0};
    case K_NONE: return (VarType){.kind = VAR_NONE};
    case K_BOOL: return (VarType){.kind = VAR_BOOL};
    case K_INT: return (VarType){.kind = VAR_INT};
    case K_FLOAT: return (VarType){.kind = VAR_FLOAT};
    case K_SCALAR:
        if (!is_type_with_code((DType)v.aux)) break;
        return (VarType){.kind = VAR_SCALAR, .dtype = (uint8_t)v.aux};
    case K_ITER:
        if (v.obj->aux == ITER_RANGE && v.obj->refs == 1)
            return (VarType){.kind = VAR_ITER, .which = v.iter->step == 1};
        if (v.obj->aux == ITER_GRID && v.obj->refs == 1 && grid_rank(v.iter) <= GRID_RANGES)
            return grid_type(v.iter, var);
        if (v.obj->aux == ITER_ARRAY && v.obj->refs == 1 && v.iter->over.kind == K_ARRAY)
            return walk_type(f, v.iter->over.array, var);
        break;
    case K_ARRAY: return add_array(f, v.array, var);
    default: break;
    }
    int number = is_constant_object(v) ? infer_constant(f, v) : -1;
    if (number >= 0) return (VarType){.kind = VAR_CONST, .which = (uint16_t)number};
    return (VarType){.kind = VAR_OBJECT, .which = (uint16_t)var};
}

static Var take(Infer *f, VarType type, int32_t *slot) {
    Var var = {type, NO_PARTS};
    for (int p = 0; p < var_parts(type); p++)
        var.parts[p] = infer_emit(f, INSTR(.op = RG_INPUT, .type = (uint8_t)var_part_type(type),
                                           .number = (uint64_t)(*slot)++));
    if (type.kind == VAR_ITER && type.which == 1) var.parts[1] = infer_int(f, 1);
    if (type.kind == VAR_GRID && grid_of_code(type.dtype).plain)
        for (int a = 0; a < grid_of_code(type.dtype).rank; a++)
            var.parts[3 * a + 1] = infer_int(f, 1);
    return var;
}

// Marks grids whose first row must be peeled, since Python numbers may become NumPy scalars in it.
static void tell_first_row(Infer *f) {
    VarType *entry = f->variant->entry;
    bool numbers = false;
    for (uint32_t v = 0; v < f->root_count; v++)
        numbers |= entry[v].kind >= VAR_BOOL && entry[v].kind <= VAR_FLOAT;
    for (uint32_t v = 0; v < f->root_count; v++) {
        if (entry[v].kind != VAR_GRID) continue;
        GridCode code = grid_of_code(entry[v].dtype);
        code.first = numbers && code.rank > 1;
        entry[v].dtype = grid_code(code);
    }
}

// Emits block 0: reads the slots, and jumps to the loop's head.
void infer_entry(Infer *f) {
    Variant *variant = f->variant;
    int32_t block = region_add_block(f->maker, f->place->head), slot = 0;
    infer_enter(f, (Spot){0, f->place->head});
    for (uint32_t v = 0; v < f->root_count; v++)
        if (place_is_live(f->place, f->place->head, v))
            variant->entry[v] = entry_type(f, v, place_value(f->place, f->frame->regs, v));
    tell_first_row(f);
    // slots of arrays come first (add_array), then those of numbers
    variant->first_slot = slot = f->slot_count;
    for (uint32_t v = 0; v < f->root_count; v++) f->vars[v] = take(f, variant->entry[v], &slot);
    f->slot_count = slot;
    region_wants_slots(f->maker, slot);
    infer_jump(f, f->place->head);
    if (!f->maker->failed)
        variant->region.blocks[block] = (RegionBlock){0, variant->region.code_count, f->pc};
}

// --- Other sources -----------------------------------------------------------------------------

static bool same_place(const Source *a, const Source *b) {
    return a->kind == b->kind && a->holder == b->holder && a->at == b->at;
}

// Finds or adds a source; -1: no room, or its value cannot be relied on.
static int find_source(Infer *f, Source source, bool known) {
    Variant *variant = f->variant;
    Value v = source_value(&source, f->frame);
    for (int i = 0; i < variant->source_count; i++)
        if (same_place(&variant->sources[i], &source)) return i;
    if (variant->source_count == SOURCES || v.kind == K_UNDEF || v.kind == K_ITER) return -1;
    int number = variant->source_count;
    source.type = entry_type(f, (uint32_t)(ARRAY_OF_SOURCE | number), v);
    if (source.type.kind == VAR_OBJECT) return -1;
    known &= source.type.kind >= VAR_BOOL && source.type.kind <= VAR_FLOAT;
    if (known) source.known = retain(v);
    if (source.holder) source.holder->refs++;
    variant->source_count++;
    source.slot = f->slot_count;
    f->source_parts[number] = NO_VALUE;
    if (!known && var_parts(source.type) > 0)
        f->source_parts[number] = take(f, source.type, &f->slot_count).parts[0];
    region_wants_slots(f->maker, f->slot_count);
    variant->sources[number] = source;
    return number;
}

Var infer_source(Infer *f, Source source, bool known) {
    Var now;
    if (f->ahead) return ahead_source(f, source, &now) ? now : (Var){0};
    int number = find_source(f, source, known);
    if (number < 0) return (Var){0};
    const Source *found = &f->variant->sources[number];
    if (found->known.kind != K_UNDEF) return infer_object(f, found->known);
    Var var = {found->type, NO_PARTS};
    var.parts[0] = f->source_parts[number];
    return var;
}
