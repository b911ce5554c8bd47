// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Compiles whole functions to regions. The forward pass takes types from the values of variables, so
// the parameters get placeholder values of the annotated types.

#include "vm/jit/ahead.h"

#include <string.h>

#include "vm/value/object.h"
#include "vm/value/objects.h"
#include "vm/value/str.h"

// --- Placeholders ------------------------------------------------------------------------------

static Status stand_in_array(Vm *vm, const AheadType *type, bool dense, Value *out) {
    enum { EXTENT = 4 };
    int64_t shape[REGION_DIMS], dims[2 * REGION_DIMS];
    int64_t stride = (int64_t)dtype_size((DType)type->dtype) * (dense ? 1 : 2);
    Value whole = V_UNDEF;
    for (int d = 0; d < type->ndim; d++) shape[d] = EXTENT;
    Status st = array_new(vm, (DType)type->dtype, type->ndim, shape, ROOM_HOST, &whole);
    if (st == ST_OK) st = array_spare(vm, type->ndim, out);
    for (int d = type->ndim - 1; d >= 0 && st == ST_OK; d--) {
        dims[d] = EXTENT / 2;
        dims[type->ndim + d] = stride;
        stride *= d == type->ndim - 1 && !dense ? EXTENT / 2 : EXTENT;
    }
    if (st == ST_OK) array_become_view(out->array, whole, 0, type->ndim, dims);
    release(vm, whole);
    return st;
}

static Status stand_in(Vm *vm, const AheadType *type, bool dense, Value *out) {
    switch ((AheadKind)type->kind) {
    case AHEAD_NONE: *out = V_NONE; break;
    case AHEAD_BOOL: *out = v_bool(false); break;
    case AHEAD_INT: *out = v_int(0); break;
    case AHEAD_FLOAT: *out = v_float(0); break;
    case AHEAD_SCALAR: *out = v_scalar((DType)type->dtype, (Scalar){0}); break;
    case AHEAD_ARRAY: return stand_in_array(vm, type, dense, out);
    }
    return ST_OK;
}

static Status stand_ins(Vm *vm, const AheadFunction *function, bool dense, Value *regs) {
    Status st = ST_OK;
    for (int p = 0; p < function->param_count && st == ST_OK; p++)
        st = stand_in(vm, &function->params[p].type, dense, &regs[p]);
    return st;
}

// --- Regions -----------------------------------------------------------------------------------

static void find_slots(AheadMade *made, int which) {
    AheadFunction *function = &made->function;
    const Variant *variant = made->variants[which];
    int32_t slot = variant->first_slot;
    for (int p = 0; p < function->param_count; p++) {
        AheadParam *param = &function->params[p];
        VarType type = variant->entry[p];
        param->slot[which] = var_parts(type) > 0 ? slot++ : NO_VALUE;
        param->used |= type.kind != VAR_UNDEF;
    }
    for (int a = 0; a < variant->region.array_count; a++) {
        AheadParam *param = &function->params[variant->array_vars[a]];
        param->slot[which] = variant->region.arrays[a].slot;
        param->written |= variant->region.arrays[a].written;
    }
}

static void find_places(AheadMade *made, const Func *func, int which) {
    const Variant *variant = made->variants[which];
    for (int s = 0; s < variant->scope_count; s++) {
        const Func *of = variant->scopes[s].func ? variant->scopes[s].func : func;
        made->scopes[which][s] = (AheadPlace){of->code->unit->bc->filename, of->name->data};
    }
    made->function.code[which].region = &variant->region;
    made->function.code[which].places = made->scopes[which];
}

static Status make_region(Vm *vm, Frame *frame, AheadMade *made, int which) {
    made->ahead.code = &made->function.code[which];
    made->ahead.returned = false;
    uint64_t refused = vm->mem.refused;
    Status st = stand_ins(vm, &made->function, which == 0, frame->regs);
    if (st == ST_OK)
        st = variant_make_ahead(vm, &made->place, frame, &made->ahead, &made->variants[which]);
    for (int p = 0; p < made->function.param_count; p++) clear(vm, &frame->regs[p]);
    if (st != ST_OK) return st;
    if (!made->variants[which]) return vm_no_memory(vm);
    if (vm->mem.refused != refused) return vm_no_memory(vm);
    if (made->variants[which]->failed)
        ahead_fail(&made->ahead, frame->func, UINT32_MAX,
                   "the function is too large, or its variables are of too many types");
    if (made->ahead.failed) return ST_OK;
    find_slots(made, which);
    find_places(made, frame->func, which);
    return ST_OK;
}

static Status make_regions(Vm *vm, Func *func, AheadMade *made) {
    size_t bytes = sizeof(Frame) + func->code->reg_count * sizeof(Value);
    Frame *frame = mem_zalloc(&vm->mem, bytes);
    if (!frame) return vm_no_memory(vm);
    frame->func = func;
    frame->code = func->code;
    Status st = make_region(vm, frame, made, 0);
    if (st == ST_OK && !made->ahead.failed && made->function.arrays)
        st = make_region(vm, frame, made, 1);
    mem_free(&vm->mem, frame, bytes);
    return st;
}

// --- Whole functions ---------------------------------------------------------------------------

Status ahead_make(Vm *vm, Func *func, AheadMade *made) {
    Ahead *ahead = &made->ahead;
    *ahead = (Ahead){.function = &made->function, .declared_count = -1};
    uint64_t refused = vm->mem.refused;
    Status st = ahead_read_types(vm, func, ahead);
    if (st != ST_OK || ahead->failed) return st;
    if (func->code->bc->handler_count > 0)
        ahead_fail(ahead, func, UINT32_MAX,
                   "a function with try or with is not compiled ahead of time");
    else if (!place_whole(vm, func->code, func->module, &made->place)) {
        if (vm->mem.refused != refused) return vm_no_memory(vm);
        ahead_fail(ahead, func, UINT32_MAX, "the function is too large");
    }
    return ahead->failed ? ST_OK : make_regions(vm, func, made);
}

void ahead_free(Vm *vm, AheadMade *made) {
    for (int i = 0; i < 2; i++)
        if (made->variants[i]) variant_free(vm, &made->place, made->variants[i]);
    if (made->place.code) place_free(vm, &made->place);
}
