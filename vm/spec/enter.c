// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Entering and leaving regions.

#include "vm/spec/enter.h"

#include <fenv.h>

#include "vm/sched/engine.h"
#include "vm/value/object.h"
#include "vm/value/objects.h"
#include "vm/value/seq.h"

void enter_room_free(Vm *vm, EnterRoom *room) {
    for (int i = 0; i < EXIT_ITERS; i++) clear(vm, &room->iters[i]);
    mem_free(&vm->mem, room->values, room->value_room * sizeof(Value));
}

void enter_room_visit(const EnterRoom *room, Visitor *visitor) {
    for (int i = 0; i < EXIT_ITERS; i++) visit_value(visitor, room->iters[i]);
}

// --- Types -------------------------------------------------------------------------------------

static bool array_fits(const RegionArray *wanted, Value v) {
    if (v.kind != K_ARRAY) return false;
    Array *array = v.array;
    if (array->dtype != (DType)wanted->dtype || array->ndim != wanted->ndim) return false;
    if (wanted->written && array->readonly) return false;
    const int64_t *strides = array_strides(array);
    int64_t size = (int64_t)dtype_size(array->dtype), misplaced = array->offset % size;
    for (int d = 0; d < array->ndim; d++) misplaced |= strides[d] % size;
    return misplaced == 0 && wanted->dense == (strides[array->ndim - 1] == size);
}

static bool value_fits(const Variant *variant, VarType type, Value v) {
    switch ((VarKind)type.kind) {
    case VAR_UNDEF: return v.kind == K_UNDEF;
    case VAR_NONE: return v.kind == K_NONE;
    case VAR_BOOL: return v.kind == K_BOOL;
    case VAR_INT: return v.kind == K_INT;
    case VAR_FLOAT: return v.kind == K_FLOAT;
    case VAR_SCALAR: return v.kind == K_SCALAR && v.aux == type.dtype;
    case VAR_ITER: return v.kind == K_ITER && v.obj->aux == ITER_RANGE && v.obj->refs == 1;
    case VAR_WALK:
        return v.kind == K_ITER && v.obj->aux == ITER_ARRAY && v.obj->refs == 1 &&
               array_fits(&variant->region.arrays[type.dtype], v.iter->over);
    case VAR_CONST: return v_is(v, variant->constants[type.which]);
    case VAR_ARRAY: return array_fits(&variant->region.arrays[type.which], v);
    case VAR_OBJECT: return v.kind != K_UNDEF;
    case VAR_SLICE:
    case VAR_SHAPE:
    case VAR_VIEW:
    case VAR_ROW: break; // not of variables
    }
    return false;
}

bool variant_fits(Vm *vm, const LoopPlace *place, const Variant *variant, const Value *regs) {
    // Numbers that are too small for their type are not looked for.
    if (vm->float_errors.action[FLOAT_UNDERFLOW] != FLOAT_IGNORE) return false;
    for (uint32_t v = 0; v < place_vars(place); v++)
        if (place_is_live(place, place->head, v) &&
            !value_fits(variant, variant->entry[v], place_value(place, regs, v)))
            return false;
    for (int g = 0; g < variant->guard_count; g++)
        if (!v_is(variant->guards[g].module->slots[variant->guards[g].slot],
                  variant->guards[g].value))
            return false;
    return true;
}

// --- In ----------------------------------------------------------------------------------------

static Array *array_of(const LoopPlace *place, const Variant *variant, const Value *regs, int a) {
    Value v = place_value(place, regs, variant->array_vars[a]);
    return v.kind == K_ITER ? v.iter->over.array : v.array;
}

// Everything that is pending for an array's elements is run.
static Status get_arrays(Vm *vm, const LoopPlace *place, const Variant *variant,
                         const Value *regs) {
    for (int a = 0; a < variant->region.array_count; a++) {
        Array *array = array_of(place, variant, regs, a);
        if (array_size(array) == 0) return ST_NOTIMPL;
        const char *at =
            variant->region.arrays[a].written ? array_write(vm, array) : array_read(vm, array);
        if (!at) return ST_ERROR;
    }
    return ST_OK;
}

static Status put_arrays(Vm *vm, EnterRoom *room, const LoopPlace *place, const Variant *variant,
                         const Value *regs) {
    Status st = get_arrays(vm, place, variant, regs);
    for (int a = 0; a < variant->region.array_count && st == ST_OK; a++) {
        Array *array = array_of(place, variant, regs, a);
        const RegionArray *wanted = &variant->region.arrays[a];
        RegionSlot *slot = &room->slots[wanted->slot];
        const char *at = array_read(vm, array); // where it is now that all of them are there
        if (!at) return ST_ERROR;
        slot->address = (char *)(uintptr_t)at;
        for (int d = 0; d < wanted->ndim; d++) {
            slot[1 + d].i = array_shape(array)[d];
            slot[1 + wanted->ndim + d].i = array_strides(array)[d];
        }
    }
    return st;
}

static void put_values(EnterRoom *room, const LoopPlace *place, const Variant *variant,
                       const Value *regs) {
    RegionSlot *slot = room->slots;
    for (uint32_t v = 0; v < place_vars(place); v++) {
        VarType type = variant->entry[v];
        if (var_parts(type) == 0) continue;
        Value value = place_value(place, regs, v);
        if (type.kind != VAR_ITER) {
            (slot++)->i = type.kind == VAR_WALK ? value.iter->index : value.i;
            continue;
        }
        (slot++)->i = value.iter->index;
        (slot++)->i = value.iter->step;
        (slot++)->i = value.iter->stop;
    }
}

static Status make_room(Vm *vm, EnterRoom *room, size_t values) {
    if (!mem_grow(&vm->mem, (void **)&room->values, &room->value_room, values, sizeof(Value)))
        return vm_no_memory(vm);
    for (int i = 0; i < EXIT_ITERS; i++) {
        if (room->iters[i].kind != K_UNDEF) continue;
        Iter *iter = iter_new(vm, ITER_RANGE, V_NONE);
        if (!iter) return vm_no_memory(vm);
        room->iters[i] = v_obj(iter);
    }
    return ST_OK;
}

// --- Out ---------------------------------------------------------------------------------------

static Value iter_of(EnterRoom *room, const RegionSlot *slot) {
    Value made = V_UNDEF;
    for (int i = 0; i < EXIT_ITERS && made.kind == K_UNDEF; i++) {
        made = room->iters[i];
        room->iters[i] = V_UNDEF;
    }
    made.iter->index = slot[0].i;
    made.iter->step = slot[1].i;
    made.iter->stop = slot[2].i;
    return made;
}

static Value number_of(VarType type, RegionSlot slot) {
    Scalar number = {.i = slot.i};
    if (type.kind == VAR_BOOL) return v_bool(slot.i);
    if (type.kind == VAR_INT) return v_int(slot.i);
    return type.kind == VAR_FLOAT ? v_float(slot.f) : v_scalar((DType)type.dtype, number);
}

// A variable's new value, owned; its slots are taken.
static Value value_of(EnterRoom *room, const LoopPlace *place, const Variant *variant,
                      const Value *regs, VarType type, const RegionSlot *slot) {
    switch ((VarKind)type.kind) {
    case VAR_UNDEF: return V_UNDEF;
    case VAR_NONE: return V_NONE;
    case VAR_ITER: return iter_of(room, slot);
    case VAR_WALK: {
        Value walk = retain(place_value(place, regs, type.which));
        walk.iter->index = slot->i;
        return walk;
    }
    case VAR_CONST: return retain(variant->constants[type.which]);
    case VAR_ARRAY: return retain(place_value(place, regs, variant->array_vars[type.which]));
    case VAR_OBJECT: return retain(place_value(place, regs, type.which));
    default: return number_of(type, *slot);
    }
}

// What can only be what it was. A register that was not looked at on entry may hold anything.
static bool is_kept(const LoopPlace *place, uint32_t var, VarType before, VarType after) {
    bool same =
        before.kind == after.kind && before.which == after.which && before.dtype == after.dtype;
    return same && var_parts(after) == 0 && (after.kind != VAR_UNDEF || var >= place->reg_count);
}

static void take_values(Vm *vm, EnterRoom *room, const LoopPlace *place, const Variant *variant,
                        int32_t exit, Value *regs) {
    uint32_t count = place_vars(place);
    const VarType *types = variant->exits + (size_t)variant->region.exits[exit].like * count;
    const RegionSlot *slot = room->slots;
    for (uint32_t v = 0; v < count; v++) {
        if (is_kept(place, v, variant->entry[v], types[v])) continue;
        room->values[v] = value_of(room, place, variant, regs, types[v], slot);
        slot += var_parts(types[v]);
    }
    for (uint32_t v = 0; v < count; v++) {
        if (is_kept(place, v, variant->entry[v], types[v])) continue;
        Value *to = v < place->reg_count
                        ? &regs[v]
                        : &place->module->slots[place->globals[v - place->reg_count]];
        replace(vm, to, room->values[v]);
    }
}

Status enter(Vm *vm, EnterRoom *room, const LoopPlace *place, const Variant *variant, Value *regs,
             int32_t *exit, int64_t *rounds) {
    Status st = make_room(vm, room, place_vars(place));
    if (st == ST_OK) st = put_arrays(vm, room, place, variant, regs);
    if (st != ST_OK) return st;
    put_values(room, place, variant, regs);
    feclearexcept(FE_ALL_EXCEPT);
    *exit = variant->run(room->slots, (const volatile size_t *)&vm->safe_stop, rounds,
                         engine_region_calls(vm));
    take_values(vm, room, place, variant, *exit, regs);
    return ST_OK;
}
