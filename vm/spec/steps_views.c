// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Rows of arrays in regions: an address, an extent and a stride. Slices, single elements of them.

#include "vm/spec/steps.h"

static int32_t of_ints(Infer *f, OpId op, int32_t a, int32_t b) {
    return infer_apply(f, op, DT_INT64, DT_INT64, a, b);
}

// --- Views -------------------------------------------------------------------------------------

static int32_t of_array(Infer *f, RegionOp op, int array, int dim) {
    return infer_emit(f, INSTR(.op = (uint8_t)op, .type = DT_INT64, .array = (uint8_t)array,
                               .dim = (uint8_t)dim));
}

static Var view_of(uint8_t dtype, RowPlace place, int32_t address, int32_t extent, int32_t stride) {
    return (Var){{.kind = VAR_VIEW, .dtype = dtype, .which = row_place(place)},
                 {address, extent, stride}};
}

// An array of one dimension as a row.
bool row_of(Infer *f, Var v, Var *out) {
    *out = v;
    if (v.type.kind == VAR_VIEW) return true;
    if (v.type.kind != VAR_ARRAY) return false;
    const RegionArray *array = &f->variant->region.arrays[v.type.which];
    if (array->ndim != 1) return false;
    bool dense = array->dense;
    *out = view_of(
        array->dtype, (RowPlace){v.type.which, dense}, of_array(f, RG_ADDRESS, v.type.which, 0),
        of_array(f, RG_EXTENT, v.type.which, 0), of_array(f, RG_STRIDE, v.type.which, 0));
    return true;
}

bool is_row(const Infer *f, Var v) {
    if (v.type.kind == VAR_VIEW || v.type.kind == VAR_ROW) return true;
    return v.type.kind == VAR_ARRAY && f->variant->region.arrays[v.type.which].ndim == 1;
}

// --- Slices ------------------------------------------------------------------------------------

bool step_slice(Infer *f, const Var bounds[3], Var *out) {
    *out = (Var){{.kind = VAR_SLICE}, {NO_VALUE, NO_VALUE, NO_VALUE}};
    int64_t step;
    for (int i = 0; i < 2; i++) {
        if (bounds[i].type.kind == VAR_NONE) continue;
        if (bounds[i].type.kind != VAR_INT) return false;
        out->parts[i] = bounds[i].parts[0];
    }
    if (bounds[2].type.kind == VAR_NONE) return true;
    if (bounds[2].type.kind != VAR_INT || !infer_known(f, bounds[2].parts[0], &step)) return false;
    if (step == 1) return true;
    // Backwards from end to begin.
    out->type.which = 1;
    return step == -1 && out->parts[0] == NO_VALUE && out->parts[1] == NO_VALUE;
}

// A bound of a slice within 0 … extent.
static int32_t bound(Infer *f, int32_t value, int32_t extent, int32_t otherwise) {
    int64_t number;
    if (value == NO_VALUE) return otherwise;
    int32_t zero = infer_int(f, 0), from_begin = value;
    if (!infer_known(f, value, &number) || number < 0) {
        int32_t negative = infer_apply(f, AOP_LESS, DT_INT64, DT_BOOL, value, zero);
        RegionInstr choose =
            INSTR(.op = RG_APPLY, .elementwise = AOP_WHERE, .from = DT_INT64, .type = DT_INT64);
        choose.args[1] = of_ints(f, AOP_ADD, value, extent);
        choose.args[0] = negative;
        choose.args[2] = value;
        from_begin = of_ints(f, AOP_MAXIMUM, infer_emit(f, choose), zero);
    }
    return of_ints(f, AOP_MINIMUM, from_begin, extent);
}

// What a slice takes of a row.
static Var slice_of(Infer *f, Var row, Var slice) {
    int32_t extent = row.parts[VIEW_EXTENT], stride = row.parts[VIEW_STRIDE];
    if (slice.type.which) {
        int32_t last = of_ints(f, AOP_SUBTRACT, extent, infer_int(f, 1));
        RowPlace place = place_of_row(row.type);
        place.dense = false;
        row.parts[VIEW_ADDRESS] =
            of_ints(f, AOP_ADD, row.parts[VIEW_ADDRESS], of_ints(f, AOP_MULTIPLY, last, stride));
        row.parts[VIEW_STRIDE] = infer_apply(f, AOP_NEGATIVE, DT_INT64, DT_INT64, stride, NO_VALUE);
        row.type.which = row_place(place);
        return row;
    }
    int32_t zero = infer_int(f, 0);
    int32_t start = bound(f, slice.parts[0], extent, zero),
            stop = bound(f, slice.parts[1], extent, extent);
    int32_t count = of_ints(f, AOP_MAXIMUM, of_ints(f, AOP_SUBTRACT, stop, start), zero);
    int32_t offset = of_ints(f, AOP_MULTIPLY, start, stride);
    row.parts[VIEW_ADDRESS] = of_ints(f, AOP_ADD, row.parts[VIEW_ADDRESS], offset);
    row.parts[VIEW_EXTENT] = count;
    return row;
}

static int32_t checked_index(Infer *f, int array, int dim, int32_t value) {
    RegionInstr instr =
        INSTR(.op = RG_INDEX, .type = DT_INT64, .array = (uint8_t)array, .dim = (uint8_t)dim);
    instr.exit = infer_exit(f);
    instr.args[0] = value;
    return infer_emit(f, instr);
}

// The dimension that a row goes along: of the one slice among the keys, or the last one where there
// is no key for it. -1: that is no row.
static int row_dimension(int ndim, const Var *keys, int count) {
    int along = count == ndim - 1 ? count : -1;
    for (int d = 0; d < count; d++) {
        if (keys[d].type.kind != VAR_SLICE) continue;
        if (along >= 0 || count != ndim) return -1;
        along = d;
    }
    return along;
}

// A row of an array of several dimensions: an index for each but one, and what is taken along that.
static bool row_of_array(Infer *f, Var array, const Var *keys, int count, Var *out) {
    int number = array.type.which, ndim = f->variant->region.arrays[number].ndim;
    int along = row_dimension(ndim, keys, count);
    int32_t places[REGION_DIMS];
    if (along < 0) return false;
    for (int d = 0; d < count; d++)
        if (d != along && !index_of(f, keys[d], &places[d])) return false;
    int32_t address = of_array(f, RG_ADDRESS, number, 0);
    for (int d = 0; d < ndim; d++) {
        if (d == along) continue;
        int32_t place = checked_index(f, number, d, places[d]);
        address = of_ints(f, AOP_ADD, address,
                          of_ints(f, AOP_MULTIPLY, place, of_array(f, RG_STRIDE, number, d)));
    }
    bool dense = along == ndim - 1 && f->variant->region.arrays[number].dense;
    *out = view_of(array.type.dtype, (RowPlace){(uint16_t)number, dense}, address,
                   of_array(f, RG_EXTENT, number, along), of_array(f, RG_STRIDE, number, along));
    if (along < count) *out = slice_of(f, *out, keys[along]);
    return true;
}

// The address of an element of a row.
bool element_address(Infer *f, Var row, Var key, int32_t *address) {
    int32_t place, zero = infer_int(f, 0);
    if (!index_of(f, key, &place)) return false;
    RegionInstr choose =
        INSTR(.op = RG_APPLY, .elementwise = AOP_WHERE, .from = DT_INT64, .type = DT_INT64);
    choose.args[1] = of_ints(f, AOP_ADD, place, row.parts[VIEW_EXTENT]);
    choose.args[0] = infer_apply(f, AOP_LESS, DT_INT64, DT_BOOL, place, zero);
    choose.args[2] = place;
    place = infer_emit(f, choose);
    int32_t far = infer_cast(f, DT_INT64, DT_UINT64, place);
    int32_t extent = infer_cast(f, DT_INT64, DT_UINT64, row.parts[VIEW_EXTENT]);
    infer_leave_if(f, infer_apply(f, AOP_GREATER_EQUAL, DT_UINT64, DT_BOOL, far, extent));
    *address = of_ints(f, AOP_ADD, row.parts[VIEW_ADDRESS],
                       of_ints(f, AOP_MULTIPLY, place, row.parts[VIEW_STRIDE]));
    return true;
}

bool step_get_row(Infer *f, Var array, const Var *keys, int count, Var *out) {
    Var row;
    int32_t address;
    if (array.type.kind == VAR_ARRAY && f->variant->region.arrays[array.type.which].ndim > 1)
        return row_of_array(f, array, keys, count, out);
    if (count != 1 || !row_of(f, array, &row)) return false;
    if (keys[0].type.kind == VAR_SLICE) {
        *out = slice_of(f, row, keys[0]);
        return true;
    }
    if (!element_address(f, row, keys[0], &address)) return false;
    RegionInstr load = INSTR(.op = RG_LOAD_AT, .type = row.type.dtype);
    load.args[0] = address;
    *out = var_of(VAR_SCALAR, infer_emit(f, load));
    out->type.dtype = row.type.dtype;
    return true;
}

bool step_flip(Infer *f, Var v, Var *out) {
    Var row;
    if (!row_of(f, v, &row)) return false;
    *out = slice_of(f, row, (Var){{.kind = VAR_SLICE, .which = 1}, {NO_VALUE, NO_VALUE, NO_VALUE}});
    return true;
}
