// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decides which kernels a device language supports, and computes their signatures.

#include <string.h>

#include "backends/emit/emit_grid.h"

static uint8_t motion_of(const KernAccess *access, int inner) {
    int64_t stride = access->strides[inner];
    if (stride == (int64_t)dtype_size(access->dtype)) return MOTION_UNIT;
    return stride == 0 ? MOTION_NONE : MOTION_STRIDED;
}

// Integer division and powers raise flags that cannot be derived from the result.
static bool has_words(const KernInstr *in) {
    if (in->op == AOP_CAST) return true;
    bool is_float = dtype_kind((DType)in->from) == DK_FLOAT;
    return is_float || op_info[in->op].effects != EFFECT_FPE || in->op == AOP_ADD ||
           in->op == AOP_SUBTRACT || in->op == AOP_MULTIPLY || in->op == AOP_SQUARE ||
           in->op == AOP_ABSOLUTE || in->op == AOP_SIGN;
}

// Ops for which it is known where an infinite result of finite operands is a division by zero.
static bool has_pole(OpId op) {
    switch (op) {
    case AOP_LOG1P:
    case AOP_ARCTANH:
    case AOP_LOGADDEXP:
    case AOP_LOGADDEXP2: return true;
    default: return false;
    }
}

static bool add_code(const Kernel *k, Grid *grid) {
    for (int i = 0; i < k->code_count; i++) {
        const KernInstr *in = &k->code[i];
        if (!has_words(in) || (in->tells && has_pole((OpId)in->op))) return false;
        grid->sites[i] = in->site;
        grid->tells[i] = k->flags && in->tells;
        grid->tells_any |= grid->tells[i];
    }
    return true;
}

static bool add_stores(const Dialect *d, const Kernel *k, Grid *grid) {
    for (int s = 0; s < k->store_count; s++) {
        const KernAccess *to = &k->stores[s].to;
        if (!d->types[to->dtype]) return false;
        grid->store_types[s] = (uint8_t)to->dtype;
        grid->store_motions[s] = motion_of(to, k->ndim - 1);
        grid->store_values[s] = k->stores[s].value;
    }
    return true;
}

// The lanes of a group share a long reduction, with coalesced loads along the last dimension. If that dimension is
// kept, one work item per result gives coalesced loads instead.
static uint8_t lanes_of(const Dialect *d, const Kernel *k, int64_t count, int64_t results) {
    enum { LONG = 1024, WIDE = 32 };
    bool is_kept = !(k->reduced >> (k->ndim - 1) & 1);
    return (uint8_t)(!k->reduction_count || count < LONG || (is_kept && results >= WIDE) ? 1 : d->grid->lanes);
}

static bool add_reductions(const Dialect *d, const Kernel *k, Grid *grid) {
    int64_t count = 1, results = 1;
    for (int dim = 0; dim < k->ndim; dim++) *(k->reduced >> dim & 1 ? &count : &results) *= k->shape[dim];
    grid->lanes = lanes_of(d, k, count, results);
    for (int r = 0; r < k->reduction_count; r++) {
        const KernReduction *reduction = &k->reductions[r];
        DType type = k->stores[r].to.dtype;
        OpId op = (OpId)reduction->op;
        if (!op_info[op].commutative || !op_has_loop(op, type) || count == 0) return false;
        grid->ops[r] = reduction->op;
        grid->op_sites[r] = reduction->site;
        grid->begun[r] = reduction->begun;
        grid->has_first[r] = reduction->has_initial && !reduction->begun;
        grid->tells_any |= k->flags && dtype_kind(type) == DK_FLOAT;
    }
    return true;
}

bool grid_of(const Dialect *d, const Kernel *k, Grid *grid) {
    memset(grid, 0, sizeof *grid);
    if (k->library != AOP_NONE || k->ndim < 1 || k->ndim > GRID_DIMS || k->may_raise) return false;
    if (!form_of_values(k, true, &grid->form) || !emit_can_spell(d, &grid->form)) return false;
    grid->ndim = (uint8_t)k->ndim;
    grid->store_count = (uint8_t)k->store_count;
    grid->reduction_count = (uint8_t)k->reduction_count;
    grid->reduced = (uint32_t)k->reduced;
    // A lane's position along the dimensions is part of its address.
    for (int i = 0; i < k->load_count && k->reduction_count; i++)
        if (grid->form.motions[i] < MOTION_LINES) grid->form.motions[i] = MOTION_NONE;
    return add_code(k, grid) && add_stores(d, k, grid) && add_reductions(d, k, grid);
}

int grid_numbers(const Grid *grid) {
    int accesses = grid->form.load_count + grid->store_count;
    return grid->ndim + accesses * (1 + grid->ndim) + grid->form.param_count +
           grid->reduction_count + GRID_CUT;
}
