// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Contractions: sums of products of arrays that each lack some of the other's dimensions, for
// example a convolution of an image's windows with weights. Rows of products are accumulated one
// after the other, in the order of the cpu backend for sizes that regions handle
// (backends/cpu/product/contract.c).

#include <string.h>

#include "vm/jit/steps.h"

// --- Recognition ---------------------------------------------------------------------------------

// Returns whether a value is a load of the type, or a cast of a load.
static bool is_factor(const Form *form, int value, DType type) {
    if (value < KERN_FIRST_PARAM) return form->load_types[value] == type;
    if (value < KERN_FIRST_CODE) return false;
    const FormInstr *in = &form->code[value - KERN_FIRST_CODE];
    return in->op == AOP_CAST && in->args[0] < KERN_FIRST_PARAM;
}

static bool is_product(const Body *body) {
    const Form *form = &body->nest.form;
    DType type = body->type;
    if (form->load_count != 2 || form->param_count || !form->code_count) return false;
    const FormInstr *in = &form->code[form->code_count - 1];
    return (type == DT_FLOAT64 || type == DT_FLOAT32) && in->op == AOP_MULTIPLY &&
           in->from == type && in->args[0] != in->args[1] && is_factor(form, in->args[0], type) &&
           is_factor(form, in->args[1], type);
}

// Returns the axes as a set. 0: not constant, or not axes.
static AxisSet axes_of(Infer *f, Var v, int ndim) {
    Items items;
    AxisSet axes = 0;
    if (!items_of(f, v, &items)) {
        items.count = 1;
        items.items[0] = v;
    }
    for (int i = 0; i < items.count; i++) {
        int64_t axis;
        Var item = items.items[i];
        if (item.type.kind != VAR_INT || !infer_known(f, item.parts[0], &axis)) return 0;
        if (axis < 0) axis += ndim;
        if (axis < 0 || axis >= ndim || axes >> axis & 1) return 0;
        axes |= axis_bit((int)axis);
    }
    return axes;
}

// Tests that each factor lacks a kept dimension, but none that is summed, and that whole rows are
// added.
static bool is_contraction(const Body *body, AxisSet axes) {
    const RegionNest *nest = &body->nest;
    bool lacks[2] = {false, false};
    if (axes >> (nest->ndim - 1) & 1) return false;
    for (int d = 0; d < nest->ndim; d++) {
        bool x = nest->strides[0][d] != NO_VALUE, y = nest->strides[1][d] != NO_VALUE;
        if (axes >> d & 1 ? !x || !y : !x && !y) return false;
        lacks[0] |= !x;
        lacks[1] |= !y;
    }
    return lacks[0] && lacks[1];
}

// --- Accumulation --------------------------------------------------------------------------------

// Computes the shape of the sums; returns its number of dimensions. Leaves if one has extent 1, since the backend drops
// such dimensions.
static int kept_extents(Infer *f, const RegionNest *nest, AxisSet axes,
                        int32_t extents[REGION_DIMS]) {
    int ndim = 0;
    for (int d = 0; d < nest->ndim; d++) {
        if (axes >> d & 1) continue;
        extents[ndim++] = nest->extents[d];
        if (!f->ahead)
            infer_leave_if(
                f, infer_apply(f, AOP_EQUAL, DT_INT64, DT_BOOL, nest->extents[d], infer_int(f, 1)));
    }
    return ndim;
}

// Makes the body accumulate its products into the sums. False: no room.
static bool add_to(Body *body, const Var *sums, AxisSet axes) {
    RegionNest *nest = &body->nest;
    Form *form = &nest->form;
    int load = form->load_count, product = form->code_count - 1, d = 0;
    if (form->code_count == KERN_CODE) return false;
    nest->into = nest->addresses[load] = sums->parts[0];
    for (int k = 0; k < nest->ndim; k++)
        nest->into_strides[k] = nest->strides[load][k] =
            axes >> k & 1 ? NO_VALUE : var_stride(sums, d++);
    nest->into_dense = nest->direct = true; // fresh memory: no rollback needed
    form->load_types[load] = (uint8_t)body->type;
    form->motions[load] = MOTION_UNIT;
    form->load_count++;
    form->code[form->code_count] =
        (FormInstr){AOP_ADD,
                    (uint8_t)body->type,
                    (uint8_t)body->type,
                    {(int8_t)load, (int8_t)(KERN_FIRST_CODE + product), -1}};
    form->outs[0] = form->code_count++;
    form->out_count = 1;
    return true;
}

bool step_sum_along(Infer *f, Var v, Var along, Var *out) {
    int32_t extents[REGION_DIMS];
    Var view;
    if (v.type.kind != VAR_BODY) return false;
    Body body = f->bodies[v.type.which];
    AxisSet axes = axes_of(f, along, body.nest.ndim);
    if (!axes || !is_product(&body) || !is_contraction(&body, axes)) return false;
    int ndim = kept_extents(f, &body.nest, axes, extents);
    nest_limit(f, &body.nest);
    if (!step_made_filled(f, body.type, ndim, extents, 0, body.made, out)) return false;
    view_of(f, *out, &view);
    RegionNest *nest = add_to(&body, &view, axes) ? region_add_nest(f->maker) : NULL;
    if (!nest) return false;
    *nest = body.nest;
    infer_quiet(f);
    infer_emit(f, INSTR(.op = RG_NEST, .type = DT_BOOL, .from = (uint8_t)body.type,
                        .number = (uint64_t)(nest - f->variant->region.nests)));
    infer_nest_tells(f);
    return true;
}
