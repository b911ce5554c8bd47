// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Deferred elementwise operations: builds bodies of nests, which are emitted when they are stored. A
// body that is used as an operand is copied into the body that uses it.

#include <string.h>

#include "vm/jit/steps.h"

// --- Shapes ------------------------------------------------------------------------------------

static bool is_one(const Infer *f, int32_t extent) {
    int64_t number;
    return infer_known(f, extent, &number) && number == 1;
}

// Reads the extents of any kind of array; returns how many.
static int extents_of(Infer *f, Var v, int32_t extents[REGION_DIMS]) {
    Var view = v;
    int ndim = array_ndim(f, v);
    if (v.type.kind != VAR_BODY) view_of(f, v, &view);
    for (int d = 0; d < ndim; d++)
        extents[d] = v.type.kind == VAR_BODY ? f->bodies[v.type.which].nest.extents[d]
                                             : var_extent(&view, d);
    return ndim;
}

// Leaves unless two extents of operands are equal.
static void leave_unless_equal(Infer *f, int32_t a, int32_t b, const Var *operands, int count) {
    int32_t values[2 * REGION_DIMS], first[REGION_DIMS], second[REGION_DIMS];
    int x = -1, y = -1, used = 0;
    for (int i = 0; i < count; i++)
        if (is_array(operands[i])) *(x < 0 ? &x : &y) = i;
    int32_t differ = infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, a, b);
    int first_ndim = extents_of(f, operands[x], first);
    int second_ndim = y < 0 ? 0 : extents_of(f, operands[y], second);
    for (int d = 0; d < first_ndim; d++) values[used++] = first[d];
    for (int d = 0; d < second_ndim; d++) values[used++] = second[d];
    infer_leave_shapes(f, differ, SHAPES_BROADCAST, first_ndim, values, second_ndim,
                       values + first_ndim);
}

// Broadcasts the body's shape with an operand's, by NumPy's rules. Leaves if extents differ because one
// is 1 at run time only.
static void join_shape(Infer *f, Body *body, Var v, const Var *operands, int count) {
    int32_t own[REGION_DIMS];
    int ndim = extents_of(f, v, own), shift = body->nest.ndim - ndim;
    for (int d = 0; d < ndim; d++) {
        int32_t *extent = &body->nest.extents[d + shift];
        if (*extent == NO_VALUE || is_one(f, *extent)) {
            *extent = own[d];
        } else if (own[d] != *extent && !is_one(f, own[d])) {
            leave_unless_equal(f, own[d], *extent, operands, count);
        }
    }
}

// Broadcasts the shapes of all array operands.
static void begin_shape(Infer *f, Body *body, const Var *operands, int count) {
    for (int i = 0; i < count; i++)
        if (is_array(operands[i]) && array_ndim(f, operands[i]) > body->nest.ndim)
            body->nest.ndim = array_ndim(f, operands[i]);
    for (int d = 0; d < REGION_DIMS; d++) body->nest.extents[d] = NO_VALUE;
    for (int i = 0; i < count; i++)
        if (is_array(operands[i])) join_shape(f, body, operands[i], operands, count);
}

// --- Bodies ------------------------------------------------------------------------------------

static Body *new_body(Infer *f, Var *out) {
    if (f->body_count == BODIES) return NULL;
    *out = (Var){{.kind = VAR_BODY, .which = (uint16_t)f->body_count}, NO_PARTS};
    Body *body = &f->bodies[f->body_count++];
    memset(body, 0, sizeof *body);
    return body;
}

typedef struct Load {
    int32_t address;
    const int32_t *extents, *strides; // of ndim dimensions
    int ndim;
    DType type;
    ViewCode view;
} Load;

static int add_load(const Infer *f, Body *body, const Load *load) {
    RegionNest *nest = &body->nest;
    int32_t strides[REGION_DIMS];
    int i = 0, shift = nest->ndim - load->ndim, last = nest->ndim - 1;
    for (int d = 0; d < nest->ndim; d++) {
        bool spread =
            d < shift || (is_one(f, load->extents[d - shift]) && !is_one(f, nest->extents[d]));
        strides[d] = spread ? NO_VALUE : load->strides[d - shift];
    }
    size_t size = (size_t)nest->ndim * sizeof *strides;
    while (i < nest->form.load_count &&
           (nest->addresses[i] != load->address || nest->form.load_types[i] != load->type ||
            memcmp(nest->strides[i], strides, size) != 0))
        i++;
    if (i < nest->form.load_count) return i;
    if (i == KERN_LOADS) return -1;
    nest->form.load_count++;
    nest->form.load_types[i] = (uint8_t)load->type;
    nest->form.motions[i] = strides[last] == NO_VALUE ? MOTION_NONE
                            : load->view.dense        ? MOTION_UNIT
                                                      : MOTION_STRIDED;
    nest->addresses[i] = load->address;
    memcpy(nest->strides[i], strides, size);
    body->views[i] = load->view;
    if (load->view.owner >= FIRST_MADE) body->made |= 1u << (load->view.owner - FIRST_MADE);
    return i;
}

static int add_param(Body *body, DType type, int32_t value) {
    Form *form = &body->nest.form;
    for (int i = 0; i < form->param_count; i++)
        if (body->nest.params[i] == value && form->param_types[i] == type)
            return KERN_FIRST_PARAM + i;
    if (form->param_count == KERN_PARAMS) return -1;
    form->param_types[form->param_count] = (uint8_t)type;
    body->nest.params[form->param_count] = value;
    return KERN_FIRST_PARAM + form->param_count++;
}

static int add_code(Body *body, OpId op, DType from, DType type, int a, int b, int c) {
    Form *form = &body->nest.form;
    if (form->code_count == KERN_CODE || a < 0) return -1;
    FormInstr instr = {
        (uint8_t)op, (uint8_t)from, (uint8_t)type, {(int8_t)a, (int8_t)b, (int8_t)c}};
    for (int i = 0; i < form->code_count; i++)
        if (memcmp(&form->code[i], &instr, sizeof instr) == 0) return KERN_FIRST_CODE + i;
    form->code[form->code_count] = instr;
    return KERN_FIRST_CODE + form->code_count++;
}

// Appends another body's operations, renumbering values.
static int add_body(const Infer *f, Body *to, const Body *from) {
    int8_t now[KERN_VALUES];
    const Form *form = &from->nest.form;
    memset(now, -1, sizeof now);
    for (int i = 0; i < form->load_count; i++) {
        Load load = {.address = from->nest.addresses[i],
                     .extents = from->nest.extents,
                     .strides = from->nest.strides[i],
                     .ndim = from->nest.ndim,
                     .type = (DType)form->load_types[i],
                     .view = from->views[i]};
        now[i] = (int8_t)add_load(f, to, &load);
        if (now[i] < 0) return -1;
    }
    for (int i = 0; i < form->param_count; i++) {
        now[KERN_FIRST_PARAM + i] =
            (int8_t)add_param(to, (DType)form->param_types[i], from->nest.params[i]);
        if (now[KERN_FIRST_PARAM + i] < 0) return -1;
    }
    int last = -1;
    for (int i = 0; i < form->code_count; i++) {
        const FormInstr *in = &form->code[i];
        last = add_code(to, (OpId)in->op, (DType)in->from, (DType)in->type, now[in->args[0]],
                        in->args[1] < 0 ? -1 : now[in->args[1]],
                        in->args[2] < 0 ? -1 : now[in->args[2]]);
        if (last < 0) return -1;
        now[KERN_FIRST_CODE + i] = (int8_t)last;
    }
    to->tells |= from->tells;
    return last;
}

// Returns whether a Python int fits an element type.
bool int_fits(const Infer *f, Var v, DType type) {
    int64_t number;
    if (dtype_kind(type) == DK_FLOAT || type == DT_INT64) return true;
    if (!infer_known(f, v.parts[0], &number)) return false;
    return number >= dtype_min(type) && number >= 0
               ? (uint64_t)number <= dtype_max(type)
               : dtype_kind(type) == DK_INT && number >= dtype_min(type);
}

// Adds an array operand to the body, as a load or by copying its deferred body. Returns its value's number in the
// form; -1: no room.
static int add_array(Infer *f, Body *body, Var v) {
    if (v.type.kind == VAR_BODY) return add_body(f, body, &f->bodies[v.type.which]);
    Var view;
    view_of(f, v, &view);
    ViewCode code = view_of_code(view.type.which);
    Load load = {.address = view.parts[0],
                 .extents = &view.parts[1],
                 .strides = &view.parts[1 + code.ndim],
                 .ndim = code.ndim,
                 .type = (DType)view.type.dtype,
                 .view = code};
    return add_load(f, body, &load);
}

// Adds an operand, cast to the loop's type. Returns its value's number in the form; -1: no room.
static int add_operand(Infer *f, Body *body, Var v, DType type) {
    if (is_array(v)) {
        int value = add_array(f, body, v);
        DType own = array_type(f, v);
        body->tells |= type == DT_FLOAT32 && own == DT_FLOAT64;
        return own == type || value < 0 ? value
                                        : add_code(body, AOP_CAST, own, type, value, -1, -1);
    }
    int32_t number = infer_cast(f, number_type(v), type, v.parts[0]);
    if (type == DT_FLOAT32 && number_type(v) != DT_FLOAT32) infer_tells(f, number);
    return add_param(body, type, number);
}

// --- Operations --------------------------------------------------------------------------------

DType operands_type(Infer *f, const Var *operands, int count) {
    DType type = DT_NONE;
    for (int i = 0; i < count; i++) {
        bool array = is_array(operands[i]);
        if (!array && !is_number_var(operands[i])) return DT_NONE;
        if (!array && operands[i].type.kind != VAR_SCALAR) continue;
        DType own = array ? array_type(f, operands[i]) : number_type(operands[i]);
        type = type == DT_NONE ? own : dtype_promote(type, own);
    }
    for (int i = 0; i < count && type != DT_NONE; i++) {
        if (operands[i].type.kind == VAR_INT) {
            type = dtype_with_weak(type, WEAK_INT);
            if (!int_fits(f, operands[i], type)) return DT_NONE;
        }
        if (operands[i].type.kind == VAR_FLOAT) type = dtype_with_weak(type, WEAK_FLOAT);
    }
    return type == DT_FLOAT16 || dtype_kind(type) == DK_COMPLEX ? DT_NONE : type;
}

// Returns whether a nest can compute an operation. Excludes integer operations that set float flags in
// software.
static bool has_words(OpId op, DType loop) {
    bool is_float = dtype_kind(loop) == DK_FLOAT;
    if (op_info[op].op_class != CLASS_ELEMENTWISE || op_info[op].may_raise ||
        !op_has_loop(op, loop))
        return false;
    if (is_float) return !op_has_vector(op);
    return op != AOP_FLOOR_DIVIDE && op != AOP_REMAINDER && op != AOP_FMOD && op != AOP_RECIPROCAL;
}

// Returns whether it is an integer division by a positive constant, which cannot raise.
static bool is_safe_division(const Infer *f, OpId op, DType loop, const Var *operands) {
    int64_t by;
    return (op == AOP_FLOOR_DIVIDE || op == AOP_REMAINDER) && dtype_kind(loop) != DK_FLOAT &&
           loop != DT_BOOL && operands[1].type.kind == VAR_INT &&
           infer_known(f, operands[1].parts[0], &by) && by > 0;
}

static bool is_two(const Infer *f, Var v) {
    int64_t number;
    return v.type.kind == VAR_INT && infer_known(f, v.parts[0], &number) && number == 2;
}

bool step_elementwise(Infer *f, OpId op, const Var *operands, int count, Var *out) {
    if (op == AOP_POWER && count == 2 && is_two(f, operands[1])) {
        op = AOP_SQUARE;
        count = 1;
    }
    DType loop, result, type = operands_type(f, operands, count);
    int args[3] = {-1, -1, -1};
    if (type == DT_NONE || count > 3 || !op_types(op, type, &loop, &result)) return false;
    if (dtype_kind(loop) == DK_FLOAT && op_has_vector(op) && loop == result &&
        !op_info[op].may_raise)
        return step_vector(f, op, loop, operands, count, out);
    if (!has_words(op, loop) && !is_safe_division(f, op, loop, operands)) return false;
    if (loop == DT_FLOAT16 || result == DT_FLOAT16) return false;
    Body *body = new_body(f, out);
    if (!body) return false;
    begin_shape(f, body, operands, count);
    for (int i = 0; i < count; i++) {
        args[i] = add_operand(f, body, operands[i], loop);
        if (args[i] < 0) return false;
    }
    body->type = result;
    body->tells |= dtype_kind(loop) == DK_FLOAT && op_info[op].effects == EFFECT_FPE;
    return add_code(body, op, loop, result, args[0], args[1], args[2]) >= 0;
}

// Translates np.where(condition, a, b).
bool step_where(Infer *f, const Var operands[3], Var *out) {
    int args[3];
    bool truth = is_array(operands[0]) ? array_type(f, operands[0]) == DT_BOOL : false;
    DType type = operands_type(f, operands + 1, 2);
    Body *body = truth && type != DT_NONE ? new_body(f, out) : NULL;
    if (!body) return false;
    begin_shape(f, body, operands, 3);
    for (int i = 0; i < 3; i++) {
        args[i] = add_operand(f, body, operands[i], i == 0 ? DT_BOOL : type);
        if (args[i] < 0) return false;
    }
    body->type = type;
    return add_code(body, AOP_WHERE, type, type, args[0], args[1], args[2]) >= 0;
}

bool body_of_value(Infer *f, Var v, DType type, Body *body) {
    int value = add_operand(f, body, v, type);
    // a body needs at least one instruction
    if (value >= 0 && value < KERN_FIRST_CODE)
        value = add_code(body, AOP_CAST, type, type, value, -1, -1);
    if (value < 0) return false;
    body->nest.form.outs[0] = (uint8_t)(value - KERN_FIRST_CODE);
    body->nest.form.out_count = 1;
    return true;
}
