// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Views: address, extents and strides, and how indexes and slices change them.

#include "vm/jit/steps.h"

int32_t of_ints(Infer *f, OpId op, int32_t a, int32_t b) {
    return infer_apply(f, op, DT_INT64, DT_INT64, a, b);
}

// --- Views -------------------------------------------------------------------------------------

static int32_t of_array(Infer *f, RegionOp op, int array, int dim) {
    int32_t known = f->ahead && op == RG_EXTENT ? ahead_extent(f, array, dim) : NO_VALUE;
    if (known != NO_VALUE) return known;
    return infer_emit(f, INSTR(.op = (uint8_t)op, .type = DT_INT64, .array = (uint8_t)array,
                               .dim = (uint8_t)dim));
}

bool is_array(Var v) {
    return v.type.kind == VAR_ARRAY || v.type.kind == VAR_MADE || v.type.kind == VAR_VIEW ||
           v.type.kind == VAR_BODY;
}

int array_ndim(const Infer *f, Var v) {
    if (v.type.kind == VAR_ARRAY) return f->variant->region.arrays[v.type.which].ndim;
    return v.type.kind == VAR_BODY ? f->bodies[v.type.which].nest.ndim
                                   : view_of_code(v.type.which).ndim;
}

DType array_type(const Infer *f, Var v) {
    return v.type.kind == VAR_BODY ? f->bodies[v.type.which].type : (DType)v.type.dtype;
}

bool view_of(Infer *f, Var v, Var *out) {
    *out = v;
    out->type.kind = VAR_VIEW;
    if (v.type.kind == VAR_VIEW || v.type.kind == VAR_MADE) return true;
    if (v.type.kind != VAR_ARRAY) return false;
    const RegionArray *array = &f->variant->region.arrays[v.type.which];
    ViewCode code = {v.type.which, array->ndim, array->dense};
    *out = (Var){{.kind = VAR_VIEW, .dtype = array->dtype, .which = view_code(code)}, NO_PARTS};
    out->parts[0] = of_array(f, RG_ADDRESS, code.owner, 0);
    for (int d = 0; d < code.ndim; d++) {
        out->parts[1 + d] = of_array(f, RG_EXTENT, code.owner, d);
        out->parts[1 + code.ndim + d] = of_array(f, RG_STRIDE, code.owner, d);
    }
    return true;
}

// Returns whether an array in memory may be written. A region-made array always may.
bool is_writable(const Infer *f, Var v) {
    uint16_t owner = v.type.kind == VAR_ARRAY ? v.type.which : view_of_code(v.type.which).owner;
    return owner >= FIRST_MADE || !f->variant->region.arrays[owner].readonly;
}

// --- Slices ------------------------------------------------------------------------------------

bool step_slice(Infer *f, const Var bounds[3], Var *out) {
    *out = (Var){{.kind = VAR_SLICE}, NO_PARTS};
    int64_t step;
    for (int i = 0; i < 2; i++) {
        if (bounds[i].type.kind == VAR_NONE) continue;
        if (!index_of(f, bounds[i], &out->parts[i])) return false;
    }
    if (bounds[2].type.kind == VAR_NONE) return true;
    if (bounds[2].type.kind != VAR_INT || !infer_known(f, bounds[2].parts[0], &step)) return false;
    if (step == 1) return true;
    if (step > 0) {
        out->parts[2] = bounds[2].parts[0];
        return true;
    }
    // only [::-1] has a negative step
    out->type.which = 1;
    return step == -1 && out->parts[0] == NO_VALUE && out->parts[1] == NO_VALUE;
}

// Adds the extent to a negative index.
static int32_t from_begin(Infer *f, int32_t value, int32_t extent) {
    int32_t negative = infer_apply(f, AOP_LESS, DT_INT64, DT_BOOL, value, infer_int(f, 0));
    return infer_choice(f, negative, of_ints(f, AOP_ADD, value, extent), value);
}

// Clamps a bound of a slice to 0 … extent.
static int32_t bound(Infer *f, int32_t value, int32_t extent, int32_t otherwise) {
    int64_t number;
    if (value == NO_VALUE) return otherwise;
    int32_t zero = infer_int(f, 0);
    if (infer_known(f, value, &number))
        return number < 0 ? of_ints(f, AOP_MAXIMUM, of_ints(f, AOP_ADD, extent, value), zero)
                          : of_ints(f, AOP_MINIMUM, value, extent);
    return of_ints(f, AOP_MINIMUM, of_ints(f, AOP_MAXIMUM, from_begin(f, value, extent), zero),
                   extent);
}

// Emits the number of steps, of a constant width > 1, in a distance >= 0.
static int32_t steps_in(Infer *f, int32_t way, int32_t step) {
    RegionInstr divide = INSTR(.op = RG_ROUND_DOWN, .elementwise = AOP_FLOOR_DIVIDE,
                               .from = DT_INT64, .type = DT_INT64);
    divide.exit = infer_exit(f);
    divide.args[0] = of_ints(f, AOP_SUBTRACT, way, infer_int(f, 1));
    divide.args[1] = step;
    return of_ints(f, AOP_ADD, infer_emit(f, divide), infer_int(f, 1));
}

// One dimension of a view.
typedef struct Dim {
    int32_t address, extent, stride;
    bool dense;
} Dim;

// Applies a slice to a dimension.
static void slice_dim(Infer *f, Var slice, Dim *dim) {
    int32_t extent = dim->extent, zero = infer_int(f, 0);
    if (slice.type.which) {
        int32_t last = of_ints(f, AOP_SUBTRACT, extent, infer_int(f, 1));
        dim->address =
            of_ints(f, AOP_ADD, dim->address, of_ints(f, AOP_MULTIPLY, last, dim->stride));
        dim->stride = infer_apply(f, AOP_NEGATIVE, DT_INT64, DT_INT64, dim->stride, NO_VALUE);
        dim->dense = false;
        return;
    }
    int32_t start = bound(f, slice.parts[0], extent, zero),
            stop = bound(f, slice.parts[1], extent, extent);
    if (slice.parts[0] != NO_VALUE) {
        dim->extent = of_ints(f, AOP_MAXIMUM, of_ints(f, AOP_SUBTRACT, stop, start), zero);
        dim->address =
            of_ints(f, AOP_ADD, dim->address, of_ints(f, AOP_MULTIPLY, start, dim->stride));
    } else {
        dim->extent = stop;
    }
    if (slice.parts[2] == NO_VALUE) return;
    dim->extent = steps_in(f, dim->extent, slice.parts[2]);
    dim->stride = of_ints(f, AOP_MULTIPLY, dim->stride, slice.parts[2]);
    dim->dense = false;
}

// --- Indexes -----------------------------------------------------------------------------------

// Emits an index counted from the start of its dimension; leaves if out of range.
static int32_t checked_place(Infer *f, const Var *view, bool whole, int dim, int32_t value) {
    ViewCode code = view_of_code(view->type.which);
    if (whole && code.owner < FIRST_MADE) {
        RegionInstr index = INSTR(.op = RG_INDEX, .type = DT_INT64, .array = (uint8_t)code.owner,
                                  .dim = (uint8_t)dim);
        index.exit = infer_exit(f);
        index.args[0] = value;
        return infer_emit(f, index);
    }
    int32_t extent = var_extent(view, dim);
    int32_t place = from_begin(f, value, extent);
    int32_t far = infer_cast(f, DT_INT64, DT_UINT64, place);
    int32_t end = infer_cast(f, DT_INT64, DT_UINT64, extent);
    infer_leave_for(f, infer_apply(f, AOP_GREATER_EQUAL, DT_UINT64, DT_BOOL, far, end),
                    because(LEFT_INDEX, dim), value, extent);
    return place;
}

static bool is_new_axis(Var key) {
    return key.type.kind == VAR_NONE;
}

static bool is_index(Var key) {
    return key.type.kind != VAR_SLICE && !is_new_axis(key);
}

// Reads indexes among the keys as int64. Returns the number of dimensions that the keys use; -1:
// not an index.
static int read_keys(Infer *f, const Var *keys, int count, int32_t places[REGION_DIMS]) {
    int dims = 0;
    for (int k = 0; k < count; k++) {
        if (is_index(keys[k]) && !index_of(f, keys[k], &places[k])) return -1;
        dims += !is_new_axis(keys[k]);
    }
    return dims;
}

// Applies indexes and slices; yields a view of the remaining dimensions.
static bool take_of(Infer *f, Var array, const Var *keys, int count, Var *out) {
    Var view;
    int32_t places[REGION_DIMS];
    if (!view_of(f, array, &view)) return false;
    ViewCode code = view_of_code(view.type.which), left = {.owner = code.owner};
    int named = read_keys(f, keys, count, places);
    if (named < 0 || named > code.ndim) return false;
    int32_t address = view.parts[0];
    Dim dims[2 * REGION_DIMS];
    for (int k = 0, d = 0; k < count || d < code.ndim; k++) {
        if (k < count && is_new_axis(keys[k])) {
            left.dense = false;
            dims[left.ndim++] = (Dim){address, infer_int(f, 1), infer_int(f, 0), false};
            continue;
        }
        bool last = d == code.ndim - 1;
        Dim dim = {address, var_extent(&view, d), var_stride(&view, d), last && code.dense};
        if (k < count && is_index(keys[k])) {
            int32_t place = checked_place(f, &view, array.type.kind == VAR_ARRAY, d, places[k]);
            address = of_ints(f, AOP_ADD, address, of_ints(f, AOP_MULTIPLY, place, dim.stride));
        } else {
            if (k < count) slice_dim(f, keys[k], &dim);
            address = dim.address;
            left.dense = dim.dense;
            dims[left.ndim++] = dim;
        }
        d++;
    }
    if (left.ndim > REGION_DIMS) return false;
    *out = (Var){{.kind = VAR_VIEW, .dtype = view.type.dtype, .which = view_code(left)}, NO_PARTS};
    out->parts[0] = address;
    for (int d = 0; d < left.ndim; d++) {
        out->parts[1 + d] = dims[d].extent;
        out->parts[1 + left.ndim + d] = dims[d].stride;
    }
    return true;
}

bool element_address(Infer *f, Var array, const Var *keys, int count, int32_t *address) {
    Var element;
    if (!is_array(array) || count != array_ndim(f, array)) return false;
    for (int d = 0; d < count; d++)
        if (!is_index(keys[d])) return false;
    if (!take_of(f, array, keys, count, &element)) return false;
    *address = element.parts[0];
    return true;
}

bool step_get_view(Infer *f, Var array, const Var *keys, int count, Var *out) {
    int32_t address;
    if (array.type.kind == VAR_BODY || !is_array(array)) return false;
    if (!element_address(f, array, keys, count, &address))
        return take_of(f, array, keys, count, out) && view_of_code(out->type.which).ndim > 0;
    RegionInstr load = INSTR(.op = RG_LOAD_AT, .type = array.type.dtype);
    load.args[0] = address;
    *out = var_of(VAR_SCALAR, infer_emit(f, load));
    out->type.dtype = array.type.dtype;
    return true;
}

// --- Flipping and transposing ------------------------------------------------------------------

bool step_flip(Infer *f, Var v, Var *out) {
    if (!is_array(v) || array_ndim(f, v) != 1) return false;
    if (v.type.kind == VAR_BODY && !step_make(f, v, &v)) return false;
    return take_of(f, v, &(Var){{.kind = VAR_SLICE, .which = 1}, NO_PARTS}, 1, out);
}

bool step_transpose(Infer *f, Var v, Var *out) {
    Var view;
    if (!view_of(f, v, &view)) return false;
    ViewCode code = view_of_code(view.type.which), turned = code;
    turned.dense = code.ndim == 1 && code.dense;
    *out = view;
    out->type.which = view_code(turned);
    for (int d = 0; d < code.ndim; d++) {
        out->parts[1 + d] = var_extent(&view, code.ndim - 1 - d);
        out->parts[1 + code.ndim + d] = var_stride(&view, code.ndim - 1 - d);
    }
    return true;
}
