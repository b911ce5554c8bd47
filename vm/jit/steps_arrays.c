// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Stores to arrays: assignments to views, and arrays made by the region. If a float flag is raised, the
// interpreter repeats the statement. So a nest stores directly only if that leaves its operands intact;
// otherwise its results go to a scratch buffer until the check has passed. If an array is too large for
// the buffer, the region leaves, and the scheduler computes it with threads.

#include <string.h>

#include "vm/jit/steps.h"

// --- Nests -------------------------------------------------------------------------------------

// Emits the number of a nest's elements; leaves if it overflows.
static int32_t count_elements(Infer *f, const RegionNest *nest) {
    int32_t count = nest->extents[0];
    for (int d = 1; d < nest->ndim; d++) {
        RegionInstr times = INSTR(.op = RG_CHECKED, .elementwise = AOP_MULTIPLY, .from = DT_INT64,
                                  .type = DT_INT64);
        times.exit = infer_exit(f);
        times.args[0] = count;
        times.args[1] = nest->extents[d];
        count = infer_emit(f, times);
    }
    return count;
}

// Leaves if a nest has more than SCRATCH_ELEMENTS, except in AOT code, which has no scheduler for large work.
void nest_limit(Infer *f, const RegionNest *nest) {
    if (f->ahead) return;
    infer_leave_if(f, infer_apply(f, AOP_GREATER, DT_INT64, DT_BOOL, count_elements(f, nest),
                                  infer_int(f, SCRATCH_ELEMENTS)));
}

static void make_room(Infer *f, const RegionNest *nest, DType type) {
    RegionInstr room = INSTR(.op = RG_ROOM, .number = dtype_size(type));
    room.args[0] = count_elements(f, nest);
    room.exit = infer_exit(f);
    infer_emit(f, room);
}

// Returns whether a load reads exactly the elements that are stored.
static bool is_same(const RegionNest *nest, int load, ViewCode from, ViewCode to) {
    if (nest->addresses[load] != nest->into || from.owner != to.owner) return false;
    for (int d = 0; d < nest->ndim; d++)
        if (nest->strides[load][d] != nest->into_strides[d]) return false;
    return true;
}

// Finds loads that may alias the destination, and decides whether the nest stores directly. Region-made
// arrays alias nothing else.
static void find_meetings(Body *body, ViewCode to) {
    RegionNest *nest = &body->nest;
    bool same = false;
    for (int i = 0; i < nest->form.load_count; i++) {
        ViewCode from = body->views[i];
        bool apart = from.owner != to.owner && (from.owner >= FIRST_MADE || to.owner >= FIRST_MADE);
        if (is_same(nest, i, from, to))
            same = true;
        else if (!apart)
            nest->may_meet |= 1u << i;
    }
    nest->direct = nest->into_dense && !(same && body->tells);
}

// Emits the computation of a body into a view.
static bool store(Infer *f, Body *body, const Var *view) {
    RegionNest *nest = &body->nest, *kept;
    ViewCode to = view_of_code(view->type.which);
    RegionInstr compute = INSTR(.op = RG_NEST, .type = DT_BOOL),
                spread = INSTR(.op = RG_SPREAD, .type = view->type.dtype);
    nest->into = view->parts[0];
    nest->into_dense = to.dense;
    for (int d = 0; d < nest->ndim; d++) nest->into_strides[d] = var_stride(view, d);
    body->tells &= !f->ahead;
    find_meetings(body, to);
    if (f->ahead && !(nest->direct && nest->may_meet == 0))
        make_room(f, nest, (DType)view->type.dtype);
    infer_quiet(f); // check pending flags first: a store cannot be undone
    kept = region_add_nest(f->maker);
    if (!kept) return false;
    *kept = *nest;
    compute.number = spread.number = (uint64_t)(kept - f->variant->region.nests);
    compute.from = view->type.dtype;
    int32_t there = infer_emit(f, compute);
    if (body->tells) infer_nest_tells(f);
    if (nest->direct && nest->may_meet == 0) return true;
    infer_quiet(f);
    spread.args[0] = nest->direct ? there : NO_VALUE;
    infer_emit(f, spread);
    return true;
}

// --- Assignments -------------------------------------------------------------------------------

static bool can_store(const Infer *f, Var v, DType type) {
    if (is_array(v)) {
        DType own = array_type(f, v);
        if (own == type) return true;
        if (dtype_kind(type) == DK_FLOAT) return own != DT_BOOL;
        // a signed type takes all integers, an unsigned type only unsigned ones
        return dtype_kind(type) == DK_INT
                   ? dtype_kind(own) == DK_INT || dtype_kind(own) == DK_UINT
                   : dtype_kind(type) == DK_UINT && dtype_kind(own) == DK_UINT;
    }
    if (!is_number_var(v)) return type == DT_BOOL && number_type(v) == DT_BOOL;
    if (v.type.kind == VAR_SCALAR && number_type(v) == type) return true;
    return dtype_kind(type) == DK_FLOAT || (v.type.kind == VAR_INT && int_fits(f, v, type));
}

static void mark_written(Infer *f, Var view) {
    uint16_t owner = view_of_code(view.type.which).owner;
    if (owner < FIRST_MADE) f->variant->region.arrays[owner].written = true;
    f->done = true;
}

static bool set_element(Infer *f, Var array, int32_t address, Var value) {
    int32_t element;
    Var view;
    RegionInstr instr = INSTR(.op = RG_STORE_AT, .type = array.type.dtype);
    if (!is_writable(f, array) || !element_of(f, value, (DType)array.type.dtype, &element)) return false;
    view_of(f, array, &view);
    infer_quiet(f);
    instr.args[0] = address;
    instr.args[3] = element;
    infer_emit(f, instr);
    mark_written(f, view);
    return true;
}

// Starts a body of the view's shape; a value with fewer dimensions is broadcast.
static bool begin_body(Infer *f, const Var *view, Var value, Body *body) {
    ViewCode code = view_of_code(view->type.which);
    memset(body, 0, sizeof *body);
    body->nest.ndim = code.ndim;
    for (int d = 0; d < code.ndim; d++) body->nest.extents[d] = var_extent(view, d);
    if (!is_array(value)) return true;
    int32_t extents[REGION_DIMS];
    Var own = value;
    int ndim = array_ndim(f, value), shift = code.ndim - ndim;
    if (shift < 0) return false;
    if (value.type.kind != VAR_BODY) view_of(f, value, &own);
    for (int d = 0; d < ndim; d++)
        extents[d] = value.type.kind == VAR_BODY ? f->bodies[value.type.which].nest.extents[d]
                                                 : var_extent(&own, d);
    for (int d = 0; d < ndim; d++) {
        int32_t extent = extents[d];
        if (extent != body->nest.extents[d + shift])
            infer_leave_shapes(f,
                               infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, extent,
                                           body->nest.extents[d + shift]),
                               SHAPES_ASSIGN, ndim, extents, code.ndim, body->nest.extents);
    }
    return true;
}

static bool assign(Infer *f, const Var *view, Var value) {
    Body body;
    DType type = (DType)view->type.dtype;
    if (!is_writable(f, *view) || !can_store(f, value, type) || !begin_body(f, view, value, &body)) return false;
    nest_limit(f, &body.nest);
    if (!body_of_value(f, value, type, &body) || !store(f, &body, view)) return false;
    mark_written(f, *view);
    return true;
}

bool step_in_place(Infer *f, OpId op, Var a, Var b, bool stored, Var *out) {
    Var view, value;
    if (a.type.kind == VAR_BODY || !view_of(f, a, &view)) return false;
    if (!step_elementwise(f, op, (const Var[]){a, b}, 2, &value)) return false;
    // these cases are errors, which the interpreter raises
    if (array_ndim(f, value) != array_ndim(f, a) || !can_store(f, value, array_type(f, a)))
        return false;
    *out = stored ? value : a;
    return stored || (infer_settle(f, f->next) && assign(f, &view, value));
}

bool step_set_view(Infer *f, Var array, const Var *keys, int count, Var value) {
    Var view;
    int32_t address;
    if (!is_array(array) || array.type.kind == VAR_BODY || !infer_settle(f, f->next)) return false;
    if (element_address(f, array, keys, count, &address))
        return set_element(f, array, address, value);
    if (!step_get_view(f, array, keys, count, &view) || view.type.kind != VAR_VIEW) return false;
    return assign(f, &view, value);
}

// --- Arrays of the region's own ------------------------------------------------------------------

// Finds a region-made array that no variable holds, now or at the restart point. -1: all are held.
static int free_array(Infer *f, uint32_t also) {
    uint32_t held = also | infer_made(f, (Spot){f->scope, f->next}, f->vars) |
                    infer_made(f, f->restart_at, f->restart);
    for (int m = 0; m < MADE_ARRAYS; m++)
        if (!(held >> m & 1)) return m;
    return -1;
}

// Emits a new array of a type and shape.
bool step_new(Infer *f, DType type, int ndim, const int32_t *extents, uint32_t also, Var *out) {
    int number = free_array(f, also);
    if (number < 0) return false;
    RegionInstr make = INSTR(.op = RG_MAKE, .from = (uint8_t)type, .type = DT_INT64,
                             .dim = (uint8_t)ndim, .number = (uint64_t)number);
    make.exit = infer_exit(f);
    for (int d = 0; d < ndim; d++) make.args[d] = extents[d];
    ViewCode code = {(uint16_t)(FIRST_MADE + number), (uint8_t)ndim, true};
    *out = var_of(VAR_MADE, infer_emit(f, make));
    out->type.dtype = (uint8_t)type;
    out->type.which = view_code(code);
    int32_t stride = infer_int(f, (int64_t)dtype_size(type));
    for (int d = ndim - 1; d >= 0; d--) {
        out->parts[1 + d] = extents[d];
        out->parts[1 + ndim + d] = stride;
        if (d > 0) stride = of_ints(f, AOP_MULTIPLY, stride, extents[d]);
    }
    return true;
}

bool step_make_of(Infer *f, Var v, DType type, uint32_t beside, Var *out) {
    Body body;
    Var view = v;
    if (!is_array(v)) return false;
    if (v.type.kind == VAR_BODY) {
        memset(&body, 0, sizeof body);
        body.nest.ndim = f->bodies[v.type.which].nest.ndim;
        memcpy(body.nest.extents, f->bodies[v.type.which].nest.extents, sizeof body.nest.extents);
    } else {
        view_of(f, v, &view);
        begin_body(f, &view, v, &body);
    }
    nest_limit(f, &body.nest);
    if (!body_of_value(f, v, type, &body)) return false;
    if (!step_new(f, type, body.nest.ndim, body.nest.extents, body.made | beside, out))
        return false;
    view_of(f, *out, &view);
    return store(f, &body, &view);
}

bool step_make(Infer *f, Var v, Var *out) {
    return is_array(v) && step_make_of(f, v, array_type(f, v), 0, out);
}

uint32_t var_made(Var v) {
    int owner =
        v.type.kind == VAR_MADE || v.type.kind == VAR_VIEW ? view_of_code(v.type.which).owner : 0;
    return owner >= FIRST_MADE ? 1u << (owner - FIRST_MADE) : 0;
}

bool step_made_filled(Infer *f, DType type, int ndim, const int32_t *extents, int64_t number,
                      uint32_t beside, Var *out) {
    Body body;
    Var view, value = var_of(VAR_INT, infer_int(f, number));
    memset(&body, 0, sizeof body);
    body.nest.ndim = ndim;
    memcpy(body.nest.extents, extents, (size_t)ndim * sizeof *extents);
    if (!body_of_value(f, value, type, &body)) return false;
    if (!step_new(f, type, ndim, extents, beside, out)) return false;
    view_of(f, *out, &view);
    return store(f, &body, &view);
}

static bool make_filled(Infer *f, DType type, int ndim, const int32_t *extents, int64_t number,
                        bool empty, Var *out) {
    RegionNest nest = {.ndim = ndim};
    memcpy(nest.extents, extents, (size_t)ndim * sizeof *extents);
    nest_limit(f, &nest);
    return empty ? step_new(f, type, ndim, extents, 0, out)
                 : step_made_filled(f, type, ndim, extents, number, 0, out);
}

// --- Calls ---------------------------------------------------------------------------------------

bool step_outer(Infer *f, OpId op, const Var *args, Var *out) {
    Var a = args[0], b = args[1], column;
    const Var keys[] = {{{.kind = VAR_SLICE}, NO_PARTS}, {{.kind = VAR_NONE}, NO_PARTS}};
    if (!is_array(a) || !is_array(b) || array_ndim(f, a) != 1 || array_ndim(f, b) != 1)
        return false;
    if (a.type.kind == VAR_BODY && !step_make(f, a, &a)) return false;
    return step_get_view(f, a, keys, 2, &column) &&
           step_elementwise(f, op, (const Var[]){column, b}, 2, out);
}

static DType type_of_name(Infer *f, Var type) {
    DType dtype = DT_FLOAT64;
    if (type.type.kind == VAR_UNDEF) return dtype;
    if (type.type.kind != VAR_CONST) return DT_NONE;
    if (dtype_from(f->vm, f->variant->constants[type.type.which], dtype, &dtype) != ST_OK) {
        vm_clear_error(f->vm);
        return DT_NONE;
    }
    return dtype == DT_FLOAT16 || dtype_kind(dtype) == DK_COMPLEX ? DT_NONE : dtype;
}

bool step_filled(Infer *f, const char *name, Var shape, Var type, Var *out) {
    Items items;
    int32_t extents[REGION_DIMS];
    DType dtype = type_of_name(f, type);
    bool empty = strcmp(name, "empty") == 0, ones = strcmp(name, "ones") == 0;
    if (!empty && !ones && strcmp(name, "zeros") != 0) return false;
    if (!items_of(f, shape, &items)) {
        items.count = 1;
        items.items[0] = shape;
    }
    if (dtype == DT_NONE || items.count < 1 || items.count > REGION_DIMS) return false;
    for (int d = 0; d < items.count; d++) {
        if (!index_of(f, items.items[d], &extents[d])) return false;
        infer_leave_for(f, infer_apply(f, AOP_LESS, DT_INT64, DT_BOOL, extents[d], infer_int(f, 0)),
                        LEFT_NEGATIVE, NO_VALUE, NO_VALUE);
    }
    return make_filled(f, dtype, items.count, extents, ones, empty, out);
}

// Gathers by indices, checking each before any is read.
bool step_take(Infer *f, Var array, Var places, Var *out) {
    Var from, at;
    if (array.type.kind == VAR_BODY || !view_of(f, array, &from)) return false;
    if (array_ndim(f, array) != 1 || array_ndim(f, places) != 1) return false;
    DType type = array_type(f, places);
    if (dtype_kind(type) != DK_INT && dtype_kind(type) != DK_UINT) return false;
    if (type == DT_UINT64) return false;
    if (places.type.kind == VAR_BODY && !step_make(f, places, &places)) return false;
    view_of(f, places, &at);
    int32_t count = var_extent(&at, 0);
    if (!f->ahead)
        infer_leave_if(f, infer_apply(f, AOP_GREATER, DT_INT64, DT_BOOL, count,
                                      infer_int(f, SCRATCH_ELEMENTS)));
    if (!step_new(f, (DType)array.type.dtype, 1, &count, var_made(places) | var_made(array), out))
        return false;
    const int32_t values[] = {
        out->parts[0],        count,       from.parts[0],     var_extent(&from, 0),
        var_stride(&from, 0), at.parts[0], var_stride(&at, 0)};
    RegionInstr take = INSTR(.op = RG_TAKE, .from = (uint8_t)type, .type = array.type.dtype);
    take.exit = infer_exit(f);
    take.links.first = f->variant->region.link_count;
    take.links.count = sizeof values / sizeof *values;
    for (int i = 0; i < take.links.count; i++) region_add_link(f->maker, values[i]);
    infer_emit(f, take);
    return true;
}

// --- Methods -------------------------------------------------------------------------------------

bool step_method(Infer *f, const char *name, Var self, const Var *args, int count, Var *out) {
    if (self.type.kind == VAR_CONST)
        return count == 2 && strcmp(name, "outer") == 0 &&
               step_outer(f, (OpId)f->variant->constants[self.type.which].ufunc->op, args, out);
    if (count == 0 && strcmp(name, "copy") == 0 && self.type.kind != VAR_BODY) {
        return step_make(f, self, out);
    }
    if (count == 1 && strcmp(name, "dot") == 0) return step_product(f, self, args[0], true, out);
    return count == 0 && step_reduction_named(f, name, self, out);
}

bool step_like(Infer *f, const char *name, Var of, Var *out) {
    static const struct {
        const char *name;
        int64_t number;
    } known[] = {{"zeros_like", 0}, {"ones_like", 1}, {"empty_like", -1}};
    Var view;
    if (of.type.kind == VAR_BODY || !is_array(of)) return false;
    view_of(f, of, &view);
    ViewCode code = view_of_code(view.type.which);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return make_filled(f, (DType)of.type.dtype, code.ndim, &view.parts[1], known[i].number,
                               known[i].number < 0, out);
    return false;
}

bool step_dot(Infer *f, Var a, Var b, bool is_dot, Var *out) {
    enum { DOT_MOST = 1 << 15 };
    Var x, y;
    if (!view_of(f, a, &x) || !view_of(f, b, &y) || x.type.dtype != y.type.dtype) return false;
    if (array_ndim(f, x) != 1 || array_ndim(f, y) != 1) return false;
    DType type = (DType)x.type.dtype;
    if (type != DT_FLOAT64 && type != DT_FLOAT32) return false;
    int32_t extent = var_extent(&x, 0);
    infer_leave_shapes(f,
                       infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, extent, var_extent(&y, 0)),
                       is_dot ? SHAPES_DOT : SHAPES_MATMUL, 1, &x.parts[1], 1, &y.parts[1]);
    if (!f->ahead)
        infer_leave_if(
            f, infer_apply(f, AOP_GREATER, DT_INT64, DT_BOOL, extent, infer_int(f, DOT_MOST)));
    infer_quiet(f); // the call clears the flags
    const int32_t values[] = {x.parts[0], var_stride(&x, 0), y.parts[0], var_stride(&y, 0), extent};
    RegionInstr instr = INSTR(.op = RG_DOT, .type = (uint8_t)type, .dim = false);
    instr.links.first = f->variant->region.link_count;
    instr.links.count = 5;
    for (int i = 0; i < 5; i++) region_add_link(f->maker, values[i]);
    *out = var_of(VAR_SCALAR, infer_emit(f, instr));
    out->type.dtype = (uint8_t)type;
    infer_tells(f, out->parts[0]);
    return true;
}
