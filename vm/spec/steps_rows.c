// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Elementwise operations on rows in regions, which are put off until they are assigned or reduced.
// They are computed into a scratch of limited length first and stored when all went well, so that
// operands may overlap the target, and a statement that meets float conditions can be begun again.
// What is longer is left to the scheduler, which does it in threads.

#include <string.h>

#include "vm/spec/steps.h"

// --- Operations --------------------------------------------------------------------------------

// What is put off: a tree of operations over rows and numbers. Bodies are made of it at once: an
// operand's loop is appended to.
static Body *body_of(Infer *f, Var v) {
    return &f->bodies[v.type.which];
}

static Body *new_body(Infer *f, Var *out) {
    if (f->body_count == BODIES) return NULL;
    *out =
        (Var){{.kind = VAR_ROW, .which = (uint16_t)f->body_count}, {NO_VALUE, NO_VALUE, NO_VALUE}};
    Body *body = &f->bodies[f->body_count++];
    memset(body, 0, sizeof *body);
    return body;
}

static int add_load(Body *body, Var row) {
    Form *form = &body->loop.form;
    for (int i = 0; i < form->load_count; i++)
        if (body->loop.addresses[i] == row.parts[VIEW_ADDRESS] &&
            body->loop.strides[i] == row.parts[VIEW_STRIDE] &&
            form->load_types[i] == row.type.dtype)
            return i;
    if (form->load_count == KERN_LOADS) return -1;
    int i = form->load_count++;
    form->load_types[i] = row.type.dtype;
    form->motions[i] = place_of_row(row.type).dense ? MOTION_UNIT : MOTION_STRIDED;
    body->loop.addresses[i] = row.parts[VIEW_ADDRESS];
    body->loop.strides[i] = row.parts[VIEW_STRIDE];
    return i;
}

static int add_param(Body *body, DType type, int32_t value) {
    Form *form = &body->loop.form;
    if (form->param_count == KERN_PARAMS) return -1;
    form->param_types[form->param_count] = (uint8_t)type;
    body->loop.params[form->param_count] = value;
    return KERN_FIRST_PARAM + form->param_count++;
}

static int add_code(Body *body, OpId op, DType from, DType type, int a, int b) {
    Form *form = &body->loop.form;
    if (form->code_count == KERN_CODE || a < 0) return -1;
    form->code[form->code_count] =
        (FormInstr){(uint8_t)op, (uint8_t)from, (uint8_t)type, {(int8_t)a, (int8_t)b, -1}};
    return KERN_FIRST_CODE + form->code_count++;
}

// Another body's operations, with the values that they have here.
static int add_body(Body *to, const Body *from) {
    int8_t now[KERN_VALUES];
    const Form *form = &from->loop.form;
    memset(now, -1, sizeof now);
    for (int i = 0; i < form->load_count; i++) {
        Var row = {{.kind = VAR_VIEW,
                    .dtype = form->load_types[i],
                    .which = row_place((RowPlace){0, form->motions[i] == MOTION_UNIT})},
                   {from->loop.addresses[i], NO_VALUE, from->loop.strides[i]}};
        now[i] = (int8_t)add_load(to, row);
        if (now[i] < 0) return -1;
    }
    for (int i = 0; i < form->param_count; i++) {
        now[KERN_FIRST_PARAM + i] =
            (int8_t)add_param(to, (DType)form->param_types[i], from->loop.params[i]);
        if (now[KERN_FIRST_PARAM + i] < 0) return -1;
    }
    int last = -1;
    for (int i = 0; i < form->code_count; i++) {
        const FormInstr *in = &form->code[i];
        last = add_code(to, (OpId)in->op, (DType)in->from, (DType)in->type, now[in->args[0]],
                        in->args[1] < 0 ? -1 : now[in->args[1]]);
        if (last < 0) return -1;
        now[KERN_FIRST_CODE + i] = (int8_t)last;
    }
    to->tells |= from->tells;
    return last;
}

static DType row_type(const Infer *f, Var v) {
    return v.type.kind == VAR_ROW ? f->bodies[v.type.which].type : (DType)v.type.dtype;
}

static int32_t row_extent(const Infer *f, Var v) {
    return v.type.kind == VAR_ROW ? f->bodies[v.type.which].extent : v.parts[VIEW_EXTENT];
}

// Python's int as an element of a type.
bool int_fits(const Infer *f, Var v, DType type) {
    int64_t number;
    if (dtype_kind(type) == DK_FLOAT || type == DT_INT64) return true;
    if (!infer_known(f, v.parts[0], &number)) return false;
    return number >= dtype_min(type) && number >= 0
               ? (uint64_t)number <= dtype_max(type)
               : dtype_kind(type) == DK_INT && number >= dtype_min(type);
}

// An operand in the body, cast to the type of the loop.
static int add_operand(Infer *f, Body *body, Var v, DType type) {
    int value;
    DType own;
    if (is_row(f, v)) {
        Var row = v;
        if (v.type.kind == VAR_ROW)
            value = add_body(body, body_of(f, v));
        else
            value = row_of(f, v, &row) ? add_load(body, row) : -1;
        own = row_type(f, row);
        return own == type || value < 0 ? value : add_code(body, AOP_CAST, own, type, value, -1);
    }
    int32_t number = infer_cast(f, number_type(v), type, v.parts[0]);
    if (type == DT_FLOAT32 && number_type(v) != DT_FLOAT32) infer_tells(f, number);
    return add_param(body, type, number);
}

// The operands' common type: rows and NumPy's numbers decide. DT_NONE: not one that there is code
// for.
DType rows_type(Infer *f, const Var *operands, int count) {
    DType type = DT_NONE;
    for (int i = 0; i < count; i++) {
        bool row = is_row(f, operands[i]);
        if (!row && !is_number_var(operands[i])) return DT_NONE;
        if (!row && operands[i].type.kind != VAR_SCALAR) continue;
        DType own = row ? row_type(f, operands[i]) : number_type(operands[i]);
        type = type == DT_NONE ? own : dtype_promote(type, own);
    }
    for (int i = 0; i < count && type != DT_NONE; i++) {
        if (operands[i].type.kind == VAR_INT && !is_row(f, operands[i])) {
            type = dtype_with_weak(type, WEAK_INT);
            if (!int_fits(f, operands[i], type)) return DT_NONE;
        }
        if (operands[i].type.kind == VAR_FLOAT) type = dtype_with_weak(type, WEAK_FLOAT);
    }
    return type == DT_FLOAT16 || dtype_kind(type) == DK_COMPLEX ? DT_NONE : type;
}

// Float conditions of integers are not the processor's.
static bool has_words(OpId op, DType loop) {
    bool is_float = dtype_kind(loop) == DK_FLOAT;
    if (op_info[op].op_class != CLASS_ELEMENTWISE || op_info[op].may_raise ||
        !op_has_loop(op, loop))
        return false;
    if (is_float) return !op_has_vector(op);
    return op != AOP_FLOOR_DIVIDE && op != AOP_REMAINDER && op != AOP_FMOD && op != AOP_RECIPROCAL;
}

static bool is_two(const Infer *f, Var v) {
    int64_t number;
    return v.type.kind == VAR_INT && infer_known(f, v.parts[0], &number) && number == 2;
}

bool step_rows(Infer *f, OpId op, const Var *operands, int count, Var *out) {
    if (op == AOP_POWER && count == 2 && is_two(f, operands[1])) {
        op = AOP_SQUARE;
        count = 1;
    }
    DType loop, result, type = rows_type(f, operands, count);
    int32_t extent = NO_VALUE;
    int args[2] = {-1, -1};
    if (type == DT_NONE || count > 2 || !op_types(op, type, &loop, &result) || !has_words(op, loop))
        return false;
    if (loop == DT_FLOAT16 || result == DT_FLOAT16) return false;
    Body *body = new_body(f, out);
    if (!body) return false;
    for (int i = 0; i < count; i++) {
        if (is_row(f, operands[i])) {
            Var row = operands[i];
            if (row.type.kind == VAR_ARRAY) row_of(f, row, &row);
            int32_t own = row_extent(f, row);
            if (extent != NO_VALUE && own != extent)
                infer_leave_if(f, infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, own, extent));
            extent = own;
        }
        args[i] = add_operand(f, body, operands[i], loop);
        if (args[i] < 0) return false;
    }
    body->type = result;
    body->extent = extent;
    body->tells |= dtype_kind(loop) == DK_FLOAT && op_info[op].effects == EFFECT_FPE;
    return add_code(body, op, loop, result, args[0], args[1]) >= 0;
}

// --- Ends --------------------------------------------------------------------------------------

// Computes a value, cast to a type, into the scratch; *extent of it, or of the row that a number is
// to fill.
static bool compute(Infer *f, Var v, DType type, int32_t extent) {
    Var done;
    Body *body = new_body(f, &done);
    RegionLoop *loop = body ? region_add_loop(f->maker) : NULL;
    if (!loop) return false;
    int value = add_operand(f, body, v, type);
    // A body has at least one instruction.
    if (value >= 0 && value < KERN_FIRST_CODE)
        value = add_code(body, AOP_CAST, type, type, value, -1);
    if (value < 0) return false;
    body->loop.form.outs[0] = (uint8_t)(value - KERN_FIRST_CODE);
    body->loop.form.out_count = 1;
    infer_leave_if(
        f, infer_apply(f, AOP_GREATER, DT_INT64, DT_BOOL, extent, infer_int(f, SCRATCH_ELEMENTS)));
    *loop = body->loop;
    RegionInstr instr = INSTR(.op = RG_LOOP, .type = (uint8_t)type);
    instr.number = (uint64_t)(loop - f->variant->region.loops);
    instr.args[0] = extent;
    infer_emit(f, instr);
    if (body->tells) infer_row_tells(f);
    return true;
}

static bool can_store(const Infer *f, Var v, DType type) {
    if (is_row(f, v)) {
        DType own = v.type.kind == VAR_ARRAY ? (DType)v.type.dtype : row_type(f, v);
        return own == type || (type == DT_FLOAT64 && own != DT_BOOL);
    }
    if (!is_number_var(v)) return false;
    if (v.type.kind == VAR_SCALAR && number_type(v) == type) return true;
    return type == DT_FLOAT64 || (type == DT_INT64 && v.type.kind == VAR_INT);
}

// An element of a row: a[i][j] = value.
static bool set_element(Infer *f, Var row, Var key, Var value) {
    int32_t element;
    RegionInstr instr = INSTR(.op = RG_STORE_AT, .type = row.type.dtype);
    if (!element_address(f, row, key, &instr.args[0])) return false;
    if (!element_of(f, value, (DType)row.type.dtype, &element)) return false;
    infer_quiet(f);
    instr.args[3] = element;
    infer_emit(f, instr);
    f->variant->region.arrays[place_of_row(row.type).array].written = true;
    f->done = true;
    return true;
}

bool step_set_row(Infer *f, Var array, const Var *keys, int count, Var value) {
    Var row, source = value;
    if (array.type.kind == VAR_VIEW && count == 1 && keys[0].type.kind != VAR_SLICE)
        return set_element(f, array, keys[0], value);
    bool sliced = false;
    for (int i = 0; i < count; i++) sliced |= keys[i].type.kind == VAR_SLICE;
    bool several =
        array.type.kind == VAR_ARRAY && f->variant->region.arrays[array.type.which].ndim > 1;
    if (!(sliced || several) || !step_get_row(f, array, keys, count, &row)) return false;
    if (row.type.kind != VAR_VIEW || !can_store(f, value, (DType)row.type.dtype)) return false;
    if (source.type.kind == VAR_ARRAY && !row_of(f, source, &source)) return false;
    int32_t extent = row.parts[VIEW_EXTENT];
    if (is_row(f, source) && row_extent(f, source) != extent)
        infer_leave_if(
            f, infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, row_extent(f, source), extent));
    if (!compute(f, source, (DType)row.type.dtype, extent)) return false;
    infer_quiet(f);
    RegionInstr instr = INSTR(.op = RG_SPREAD, .type = row.type.dtype);
    instr.args[0] = row.parts[VIEW_ADDRESS];
    instr.args[1] = place_of_row(row.type).dense ? NO_VALUE : row.parts[VIEW_STRIDE];
    instr.args[2] = extent;
    infer_emit(f, instr);
    f->variant->region.arrays[place_of_row(row.type).array].written = true;
    f->done = true;
    return true;
}

bool step_dot(Infer *f, Var a, Var b, bool quiet, Var *out) {
    enum { DOT_MOST = 1 << 15 };
    Var x, y;
    if (!row_of(f, a, &x) || !row_of(f, b, &y) || x.type.dtype != y.type.dtype) return false;
    DType type = (DType)x.type.dtype;
    if (type != DT_FLOAT64 && type != DT_FLOAT32) return false;
    infer_leave_if(f, infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, x.parts[VIEW_EXTENT],
                                  y.parts[VIEW_EXTENT]));
    infer_leave_if(f, infer_apply(f, AOP_GREATER, DT_INT64, DT_BOOL, x.parts[VIEW_EXTENT],
                                  infer_int(f, DOT_MOST)));
    infer_quiet(f); // the call forgets what came before
    const int32_t values[] = {x.parts[VIEW_ADDRESS], x.parts[VIEW_STRIDE], y.parts[VIEW_ADDRESS],
                              y.parts[VIEW_STRIDE], x.parts[VIEW_EXTENT]};
    RegionInstr instr = INSTR(.op = RG_DOT, .type = (uint8_t)type, .dim = quiet);
    instr.links.first = f->variant->region.link_count;
    instr.links.count = 5;
    for (int i = 0; i < 5; i++) region_add_link(f->maker, values[i]);
    *out = var_of(VAR_SCALAR, infer_emit(f, instr));
    out->type.dtype = (uint8_t)type;
    if (!quiet) infer_tells(f, out->parts[0]);
    return true;
}
