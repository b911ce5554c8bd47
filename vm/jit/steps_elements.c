// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loads and stores of single elements of arrays.

#include "vm/jit/steps.h"

// Returns whether the keys are one index for each dimension of one of the region's arrays.
static bool is_element(const Infer *f, Var array, const Var *keys, int count) {
    if (array.type.kind != VAR_ARRAY || f->variant->region.arrays[array.type.which].ndim != count)
        return false;
    for (int d = 0; d < count; d++)
        if (keys[d].type.kind == VAR_SLICE || keys[d].type.kind == VAR_NONE) return false;
    return true;
}

// Emits indexes counted from the start of each dimension, with a check of their range.
static bool places_of(Infer *f, Var array, const Var *keys, int count,
                      int32_t places[REGION_DIMS]) {
    for (int d = 0; d < REGION_DIMS; d++) places[d] = NO_VALUE;
    for (int d = 0; d < count; d++)
        if (!index_of(f, keys[d], &places[d])) return false;
    for (int d = 0; d < count; d++) {
        RegionInstr instr = INSTR(.op = RG_INDEX, .type = DT_INT64,
                                  .array = (uint8_t)array.type.which, .dim = (uint8_t)d);
        instr.exit = infer_exit(f);
        instr.args[0] = places[d];
        places[d] = infer_emit(f, instr);
    }
    return true;
}

// Yields shape[key] for a constant key.
static bool extent_at(Infer *f, Var shape, Var key, Var *out) {
    int64_t dim, ndim = shape.type.which;
    if (key.type.kind != VAR_INT || !infer_known(f, key.parts[0], &dim)) return false;
    if (dim < -ndim || dim >= ndim) return false;
    *out = var_of(VAR_INT, shape.parts[dim < 0 ? dim + ndim : dim]);
    return true;
}

bool step_get(Infer *f, Var array, const Var *keys, int count, Var *out) {
    int32_t places[REGION_DIMS];
    if (array.type.kind == VAR_SHAPE) return count == 1 && extent_at(f, array, keys[0], out);
    if (!is_element(f, array, keys, count)) return step_get_view(f, array, keys, count, out);
    if (!places_of(f, array, keys, count, places)) return false;
    RegionInstr instr =
        INSTR(.op = RG_LOAD, .type = array.type.dtype, .array = (uint8_t)array.type.which);
    for (int d = 0; d < count; d++) instr.args[d] = places[d];
    *out = var_of(VAR_SCALAR, infer_emit(f, instr));
    out->type.dtype = array.type.dtype;
    return true;
}

// Emits the cast of a Python int to an element type; leaves unless it fits.
static int32_t fitting(Infer *f, DType type, int32_t value) {
    int32_t narrow = infer_cast(f, DT_INT64, type, value),
            back = infer_cast(f, type, DT_INT64, narrow);
    infer_leave_for(f, infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, back, value),
                    because(LEFT_BOUNDS, type), value, NO_VALUE);
    return narrow;
}

static bool is_float_var(Var v) {
    return is_number_var(v) && dtype_kind(number_type(v)) == DK_FLOAT;
}

bool element_of(Infer *f, Var v, DType type, int32_t *out) {
    bool numeric = is_number_var(v);
    DType from = var_part_type(v.type);
    *out = v.parts[0];
    if (type == DT_BOOL)
        return v.type.kind == VAR_BOOL || (v.type.kind == VAR_SCALAR && from == DT_BOOL);
    if (!numeric) return false;
    if (v.type.kind == VAR_SCALAR && from == type) return true;
    if (dtype_kind(type) == DK_FLOAT) {
        *out = infer_cast(f, DT_FLOAT64, type, infer_cast(f, from, DT_FLOAT64, v.parts[0]));
        if (type != DT_FLOAT64) infer_tells(f, *out);
        return true;
    }
    if (is_float_var(v) && !f->ahead && type != DT_UINT64)
        step_int_of(f, v, &v); // as C casts it, if it fits
    if (v.type.kind != VAR_INT || type == DT_UINT64) return false;
    *out = type == DT_INT64 ? v.parts[0] : fitting(f, type, v.parts[0]);
    return true;
}

bool step_set(Infer *f, Var array, const Var *keys, int count, Var value) {
    int32_t places[REGION_DIMS], element;
    if (!is_element(f, array, keys, count)) return step_set_view(f, array, keys, count, value);
    if (count >= REGION_DIMS || !is_writable(f, array)) return false;
    if (!places_of(f, array, keys, count, places)) return false;
    if (!element_of(f, value, (DType)array.type.dtype, &element)) return false;
    infer_quiet(f);
    RegionInstr instr =
        INSTR(.op = RG_STORE, .type = array.type.dtype, .array = (uint8_t)array.type.which);
    for (int d = 0; d < count; d++) instr.args[d] = places[d];
    instr.args[3] = element;
    infer_emit(f, instr);
    f->variant->region.arrays[array.type.which].written = true;
    f->done = true;
    return true;
}
