// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Applying operations to values: operands, promotion (NEP 50), broadcasting, recording.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vm/array/array.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

typedef struct Operand {
    Value value; // borrowed, or the array made of a list (then owned: `made`)
    Value made;
    bool is_array;
    Strength strength;
    DType dtype; // strong ones
    Scalar scalar;
    View view;
} Operand;

Strength strength_of(Value v) {
    switch (v.kind) {
    case K_INT:
    case K_BIGINT: return WEAK_INT;
    case K_FLOAT: return WEAK_FLOAT;
    case K_COMPLEX: return WEAK_COMPLEX;
    default: return STRONG;
    }
}

DType dtype_with_weak(DType type, Strength weak) {
    switch (weak) {
    case WEAK_INT: return type == DT_NONE || type == DT_BOOL ? DT_INT64 : type;
    case WEAK_FLOAT: return type == DT_NONE || !dtype_is_inexact(type) ? DT_FLOAT64 : type;
    case WEAK_COMPLEX:
        return type == DT_NONE || !dtype_is_inexact(type) ? DT_COMPLEX128 : dtype_complex(type);
    default: return type;
    }
}

static inline Status operand_of(Vm *vm, Value v, Operand *o) {
    o->value = v;
    o->made = V_UNDEF;
    o->is_array = false;
    o->view.ndim = 0;
    o->strength = strength_of(v);
    switch (v.kind) {
    case K_BOOL: o->dtype = DT_BOOL; o->scalar.i = v.i; return ST_OK;
    case K_INT:
    case K_BIGINT:
    case K_FLOAT:
    case K_COMPLEX: o->dtype = dtype_with_weak(DT_NONE, o->strength); return ST_OK;
    case K_SCALAR:
    case K_COMPLEX_SCALAR: o->dtype = scalar_dtype(v); o->scalar = scalar_of(v); return ST_OK;
    case K_LIST:
    case K_TUPLE:
    case K_FLATITER:
    case K_RANGE: {
        Status st = array_from(vm, v, DT_NONE, &o->made);
        if (st != ST_OK) return st;
        o->value = o->made;
        break;
    }
    case K_ARRAY: break;
    default: return ST_NOTIMPL;
    }
    o->is_array = true;
    o->dtype = o->value.array->dtype;
    array_view(o->value.array, &o->view);
    return ST_OK;
}

static void release_operands(Vm *vm, Operand *operands, int count) {
    for (int i = 0; i < count; i++) release(vm, operands[i].made);
}

// --- Types -------------------------------------------------------------------------------------

// The type in which an operand meets the others. Functions of floats take the first loop to which each
// can be cast: for int16 and uint16, which have int32 in common, that of float32.
static DType meeting_type(OpId op, DType own) {
    DType loop, result;
    bool is_float = op_info[op].dtype_rule == RULE_FLOAT && op_types(op, own, &loop, &result);
    return is_float ? loop : own;
}

static DType first_type(const Operand *operands) {
    return operands[0].strength == STRONG ? operands[0].dtype : DT_NONE;
}

static DType common_type(const UfuncCall *u, const Operand *operands) {
    if (u->op == AOP_LDEXP) return dtype_with_weak(first_type(operands), operands[0].strength);
    bool alike = u->count == 2 && operands[0].strength == STRONG && operands[1].strength == STRONG &&
                 operands[0].dtype == operands[1].dtype;
    if (alike) return operands[0].dtype;
    DType type = DT_NONE, first = DT_NONE;
    Strength weak = STRONG;
    int strong = 0;
    for (int i = u->op == AOP_WHERE; i < u->count; i++) {
        DType own = operands[i].dtype;
        if (operands[i].strength != STRONG) {
            if (operands[i].strength > weak) weak = operands[i].strength;
        } else if (strong++ == 0) {
            type = first = own;
        } else {
            if (strong == 2) type = meeting_type(u->op, first);
            type = dtype_promote(type, meeting_type(u->op, own));
        }
    }
    return dtype_with_weak(type, weak);
}

// --- Loops that there are not -------------------------------------------------------------------

// <class 'numpy.dtypes.Float64DType'>
static void class_text(DType type, Strength strength, Buf *out) {
    static const char *const kinds[DK_COUNT] = {
        [DK_BOOL] = "Bool", [DK_INT] = "Int", [DK_UINT] = "UInt", [DK_FLOAT] = "Float",
        [DK_COMPLEX] = "Complex"};
    static const char *const weak[] = {
        [WEAK_INT] = "_PyLong", [WEAK_FLOAT] = "_PyFloat", [WEAK_COMPLEX] = "_PyComplex"};
    if (strength == STRONG && type == DT_NONE) {
        buf_puts(out, "None");
        return;
    }
    buf_puts(out, "<class 'numpy.dtypes.");
    buf_puts(out, strength == STRONG ? kinds[dtype_kind(type)] : weak[strength]);
    if (strength == STRONG && type != DT_BOOL) buf_printf(out, "%d", 8 * (int)dtype_size(type));
    buf_puts(out, "DType'>");
}

static Status no_signature(Vm *vm, OpId op, const LoopTypes *types) {
    Buf text;
    buf_init(&text, &vm->mem);
    if (types->count > 1) buf_putc(&text, '(');
    for (int i = 0; i < types->count; i++) {
        if (i) buf_puts(&text, ", ");
        class_text(types->types[i], types->strengths[i], &text);
    }
    buf_puts(&text, types->count > 1 ? ") -> " : " -> ");
    class_text(types->result, STRONG, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm)
                            : vm_raise(vm, EXC_TypeError, "ufunc '%s' did not contain a loop "
                                       "with signature matching types %s", op_info[op].name, text.data);
    buf_free(&text);
    return st;
}

Status no_loop(Vm *vm, OpId op, DType type, const LoopTypes *types) {
    const char *name = op_info[op].name;
    if (type == DT_BOOL && op == AOP_SUBTRACT)
        return vm_raise(vm, EXC_TypeError, "numpy boolean subtract, the `-` operator, is not "
                        "supported, use the bitwise_xor, the `^` operator, or the logical_xor "
                        "function instead.");
    if (type == DT_BOOL && op == AOP_NEGATIVE)
        return vm_raise(vm, EXC_TypeError, "The numpy boolean negative, the `-` operator, is not "
                        "supported, use the `~` operator or the logical_not function instead.");
    if (types && (type == DT_BOOL || op == AOP_GCD || op == AOP_LCM))
        return no_signature(vm, op, types);
    return vm_raise(vm, EXC_TypeError, "ufunc '%s' not supported for the input types, and the "
                    "inputs could not be safely coerced to any supported types according to the "
                    "casting rule ''safe''", name);
}

static Status no_loop_for(Vm *vm, const UfuncCall *u, const Operand *operands, DType common) {
    LoopTypes types = {.count = u->count, .result = u->dtype};
    for (int i = 0; i < u->count; i++) {
        types.types[i] = operands[i].dtype;
        types.strengths[i] = operands[i].strength;
    }
    return no_loop(vm, u->op, common, &types);
}

Status no_matching_loop(Vm *vm, OpId op) {
    return vm_raise(vm, EXC_TypeError, "No loop matching the specified signature and casting was "
                    "found for ufunc %s", op_info[op].name);
}

// --- Casting -----------------------------------------------------------------------------------

const char *const casting_names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};

static Status cannot_cast(Vm *vm, const UfuncCall *u, const char *what, DType from, DType to) {
    return vm_raise(vm, EXC_TypeError, "Cannot cast ufunc '%s' %s from dtype('%s') to dtype('%s') "
                    "with casting rule '%s'", op_info[u->op].name, what, dtype_info[from].name,
                    dtype_info[to].name, casting_names[u->casting]);
}

Status cannot_cast_array(Vm *vm, Value array, DType to, Casting casting) {
    bool is_array = array.kind == K_ARRAY;
    DType from = is_array ? array.array->dtype : scalar_dtype(array);
    return vm_raise(vm, EXC_TypeError, "Cannot cast %s from dtype('%s') to dtype('%s') according to "
                    "the rule '%s'", is_array && array.array->ndim ? "array data" : "scalar",
                    dtype_info[from].name, dtype_info[to].name, casting_names[casting]);
}

static Status check_input(Vm *vm, const UfuncCall *u, const Operand *operands, int i, DType loop) {
    char what[24];
    if (u->op == AOP_WHERE || dtype_can_cast(operands[i].dtype, loop, u->casting)) return ST_OK;
    if (u->count == 1) snprintf(what, sizeof what, "input");
    else snprintf(what, sizeof what, "input %d", i);
    return cannot_cast(vm, u, what, operands[i].dtype, loop);
}

// Python's numbers as elements of the loop's type, which has to be one for numbers of that kind. Where
// only their truth matters, none is too large.
static Status weak_scalars(Vm *vm, const UfuncCall *u, Operand *operands, DType loop) {
    bool truth = op_info[u->op].dtype_rule == RULE_LOGICAL;
    for (int i = 0; i < u->count; i++) {
        Operand *o = &operands[i];
        if (o->strength == STRONG) continue;
        bool fits = o->strength == WEAK_INT || dtype_kind(loop) == DK_COMPLEX ||
                    (o->strength == WEAK_FLOAT && dtype_is_inexact(loop));
        if (!fits && !truth && check_input(vm, u, operands, i, loop) != ST_OK) return ST_ERROR;
        Value v = truth && o->strength == WEAK_INT ? v_int(int_sign(o->value) != 0) : o->value;
        Status st = scalar_from(vm, v, loop, &o->scalar);
        if (st != ST_OK) return st;
        o->dtype = loop;
    }
    return ST_OK;
}

// The loop whose result is of a type that was asked for.
static Status loop_for(Vm *vm, const UfuncCall *u, const Operand *operands, DType common, DType *loop,
                       DType *result) {
    DType wanted = u->dtype;
    bool is_complex = common != DT_NONE && dtype_kind(common) == DK_COMPLEX, found = true;
    switch ((DTypeRule)op_info[u->op].dtype_rule) {
    case RULE_COMPARE:
    case RULE_LOGICAL:
    case RULE_COUNT:
        found = op_types(u->op, common, loop, result);
        break;
    case RULE_SIZE:
        *loop = is_complex ? dtype_complex(wanted) : wanted;
        *result = dtype_real(*loop);
        break;
    default:
        found = op_types(u->op, wanted, loop, result);
        if (!found && wanted == DT_BOOL) return no_loop_for(vm, u, operands, DT_BOOL);
    }
    return found && *result == wanted ? ST_OK : no_matching_loop(vm, u->op);
}

// The loop for the operands; these and the result have to be of types that it may take and give.
static inline Status settle_types(Vm *vm, const UfuncCall *u, Operand *operands, DType *loop,
                           DType *result) {
    DType common = common_type(u, operands);
    Status st = ST_OK;
    if (u->op == AOP_LDEXP && !dtype_can_cast(operands[1].dtype, DT_INT64, CAST_SAFE))
        return u->dtype == DT_NONE ? no_loop_for(vm, u, operands, operands[1].dtype)
                                   : no_matching_loop(vm, u->op);
    if (u->dtype != DT_NONE) st = loop_for(vm, u, operands, common, loop, result);
    else if (!op_types(u->op, common, loop, result)) return no_loop_for(vm, u, operands, common);
    if (st == ST_OK) st = weak_scalars(vm, u, operands, *loop);
    bool promoted = u->dtype == DT_NONE && u->casting >= CAST_SAME_KIND;
    for (int i = 0; st == ST_OK && !promoted && i < u->count; i++)
        st = check_input(vm, u, operands, i, *loop);
    if (st != ST_OK || u->into.kind != K_ARRAY) return st;
    DType target = u->into.array->dtype;
    if (!dtype_can_cast(*result, target, u->casting))
        return cannot_cast(vm, u, "output", *result, target);
    return array_check_writeable(vm, u->into.array, "output array");
}

// --- Shapes ------------------------------------------------------------------------------------

static Status broadcast_error(Vm *vm, const View *const *views, int count) {
    Buf text;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "operands could not be broadcast together with shapes ");
    for (int i = 0; i < count; i++) {
        shape_text_tight(views[i]->shape, views[i]->ndim, &text);
        buf_putc(&text, ' ');
    }
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

Status shapes_broadcast(Vm *vm, const View *const *views, int count, int64_t *shape, int *ndim) {
    *ndim = 0;
    for (int i = 0; i < count; i++)
        if (views[i]->ndim > *ndim) *ndim = views[i]->ndim;
    for (int d = 0; d < *ndim; d++) {
        shape[d] = 1;
        for (int i = 0; i < count; i++) {
            int own = d - (*ndim - views[i]->ndim);
            int64_t extent = own < 0 ? 1 : views[i]->shape[own];
            if (extent == 1 || extent == shape[d]) continue;
            if (shape[d] != 1) return broadcast_error(vm, views, count);
            shape[d] = extent;
        }
    }
    return ST_OK;
}

void view_broadcast(View *view, const int64_t *shape, int ndim) {
    int lead = ndim - view->ndim;
    for (int d = ndim - 1; d >= 0; d--) {
        bool stretched = d < lead || (view->shape[d - lead] == 1 && shape[d] != 1);
        view->strides[d] = stretched ? 0 : view->strides[d - lead];
    }
    memcpy(view->shape, shape, (size_t)ndim * sizeof *shape);
    view->ndim = ndim;
}

static Status check_into_shape(Vm *vm, const View *into, const int64_t *shape, int ndim) {
    Buf text;
    if (into->ndim == ndim && memcmp(into->shape, shape, (size_t)ndim * sizeof *shape) == 0)
        return ST_OK;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "non-broadcastable output operand with shape ");
    shape_text_tight(into->shape, into->ndim, &text);
    buf_puts(&text, " doesn't match the broadcast shape ");
    shape_text_tight(shape, ndim, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

// Operands that all lie densely in Fortran's order, and not all in C's, have a result that does.
static bool all_fortran(const View *const *views, int count, int ndim) {
    bool all_c = true, all_f = true;
    if (ndim < 2) return false;
    for (int i = 0; i < count; i++) {
        if (views[i]->ndim == 0) continue;
        all_c = all_c && views[i]->ndim == ndim && view_is_contiguous(views[i]);
        all_f = all_f && views[i]->ndim == ndim && view_is_f_contiguous(views[i]);
    }
    return all_f && !all_c;
}

// An output takes part, but is not stretched itself. `axes`: how a new result lies in memory.
static Status operand_shapes(Vm *vm, const UfuncCall *u, Operand *operands, const View *into,
                             int64_t *shape, int *ndim, int *axes) {
    int count = u->count;
    const View *views[NODE_INPUTS + 1] = {NULL};
    int arrays = 0;
    for (int i = 0; i < count; i++) views[i] = &operands[i].view;
    if (into) views[count] = into;
    Status st = shapes_broadcast(vm, views, count + (into != NULL), shape, ndim);
    if (st == ST_OK && into) st = check_into_shape(vm, into, shape, *ndim);
    if (st != ST_OK) return st;
    bool fortran = !into && u->op != AOP_WHERE && all_fortran(views, count, *ndim);
    AxisLayout layouts[NODE_INPUTS];
    for (int i = 0; i < count; i++) {
        if (!operands[i].is_array) continue;
        view_broadcast(&operands[i].view, shape, *ndim);
        layouts[arrays++] = (AxisLayout){views[i]->shape, views[i]->strides};
    }
    if (fortran || into) axes_straight(*ndim, fortran, axes);
    else axes_of_operands(layouts, (size_t)arrays, *ndim, axes);
    return ST_OK;
}

// --- Output ------------------------------------------------------------------------------------

static Status element_value(Vm *vm, Array *array, Value *out) {
    const char *data = array_read(vm, array);
    if (!data) return ST_ERROR;
    return scalar_out(vm, array->dtype, dtype_load(array->dtype, data), out);
}

Status array_to_scalar(Vm *vm, Value *v) {
    if (v->kind != K_ARRAY || v->array->ndim > 0) return ST_OK;
    Value scalar;
    Status st = element_value(vm, v->array, &scalar);
    release(vm, *v);
    if (st == ST_OK) *v = scalar;
    return st;
}

static Status record(Vm *vm, OpId op, Operand *operands, int count, DType loop, bool operator,
                     Array *into) {
    View to;
    Node *node = graph_node(vm, op);
    if (!node) return vm_no_memory(vm);
    for (int i = 0; i < count; i++) {
        if (operands[i].is_array) node_input_view(node, &operands[i].view);
        else node_input_scalar(node, operands[i].dtype, operands[i].scalar);
    }
    array_view(into, &to);
    node_output(node, &to);
    node->attrs.loop = loop;
    node->attrs.scalar = operator && to.ndim == 0;
    for (int i = 0; i < count; i++) node->attrs.scalar &= !operands[i].is_array;
    return graph_record(vm, node);
}

static Status apply_operands(Vm *vm, const UfuncCall *u, Operand *operands, Value *out) {
    int64_t shape[NDIM_MAX];
    int ndim, axes[NDIM_MAX];
    DType loop, result;
    View target;
    bool given = u->into.kind == K_ARRAY;
    Status st = settle_types(vm, u, operands, &loop, &result);
    if (st != ST_OK) return st;
    if (given) array_view(u->into.array, &target);
    st = operand_shapes(vm, u, operands, given ? &target : NULL, shape, &ndim, axes);
    if (st != ST_OK) return st;
    // What may be refused half way must leave the output alone.
    bool aside = given && op_info[u->op].may_raise && dtype_is_integer(loop);
    if (given && !aside) *out = retain(u->into);
    else st = array_new_arranged(vm, result, ndim, shape, axes, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    st = record(vm, u->op, operands, u->count, loop, u->operator, out->array);
    if (st == ST_OK && aside) {
        st = array_assign(vm, &target, *out);
        replace(vm, out, retain(u->into));
    }
    if (st != ST_OK) {
        release(vm, *out);
        return st;
    }
    return given ? ST_OK : array_to_scalar(vm, out);
}

// A comparison takes any int: one that does not fit the others' integers is larger, or smaller, than
// all of them.
static Value compared(Vm *vm, const UfuncCall *u, int i) {
    Value v = u->args[i], with = u->args[1 - i];
    DType type = with.kind == K_ARRAY ? with.array->dtype
                 : is_numpy_scalar(with) ? scalar_dtype(with) : DT_NONE;
    Scalar scalar;
    if (type == DT_NONE || !dtype_is_integer(type) || strength_of(v) != WEAK_INT) return v;
    if (scalar_from(vm, v, type, &scalar) == ST_OK || !vm_error_is(vm, EXC_OverflowError)) return v;
    vm_clear_error(vm);
    return v_float(int_sign(v) * INFINITY);
}

// ST_NOTIMPL: an operand is no number.
static inline Status take_operands(Vm *vm, const UfuncCall *u, Operand *operands, int *ready) {
    bool compares = op_info[u->op].dtype_rule == RULE_COMPARE;
    Status st = ST_OK;
    for (*ready = 0; *ready < u->count && st == ST_OK; *ready += st == ST_OK)
        st = operand_of(vm, compares ? compared(vm, u, *ready) : u->args[*ready], &operands[*ready]);
    return st;
}

static Status apply(Vm *vm, const UfuncCall *u, Value *out) {
    Operand operands[NODE_INPUTS];
    int ready;
    Status st = take_operands(vm, u, operands, &ready);
    if (st == ST_OK) {
        Value result;
        st = apply_operands(vm, u, operands, &result);
        if (st == ST_OK) *out = result;
    }
    release_operands(vm, operands, ready);
    return st;
}

// --- where= ------------------------------------------------------------------------------------

// What takes part in an operation with where=: arrays of the common shape, of which the selected
// elements are computed. The others are not even looked at, so nothing is said about them.
typedef struct Masked {
    UfuncCall inner;
    Value args[NODE_INPUTS], mask, into; // owned
    int64_t shape[NDIM_MAX];
    int ndim;
} Masked;

// Replaces an array by what of it the mask selects; a scalar stays.
static Status select_of(Vm *vm, Masked *m, Value *v) {
    View view;
    Value whole, selected;
    if (v->kind != K_ARRAY || v->array->ndim == 0) return ST_OK;
    array_view(v->array, &view);
    view_broadcast(&view, m->shape, m->ndim);
    Status st = array_of_view(vm, &view, *v, &whole);
    if (st != ST_OK) return st;
    st = array_getitem(vm, whole, m->mask, &selected);
    release(vm, whole);
    if (st == ST_OK) replace(vm, v, selected);
    return st;
}

// A mask may be a list of anything, but an array has to be one of bool.
static Status take_mask(Vm *vm, Value where, Masked *m) {
    if (where.kind == K_ARRAY && where.array->dtype != DT_BOOL)
        return cannot_cast_array(vm, where, DT_BOOL, CAST_SAFE);
    return array_from(vm, where, DT_BOOL, &m->mask);
}

static Status masked_types(Vm *vm, const UfuncCall *u) {
    Operand operands[NODE_INPUTS];
    DType loop, result;
    int ready;
    Status st = take_operands(vm, u, operands, &ready);
    if (st == ST_OK) st = settle_types(vm, u, operands, &loop, &result);
    release_operands(vm, operands, ready);
    return st;
}

static Status masked_shape(Vm *vm, const UfuncCall *u, Masked *m) {
    View views[NODE_INPUTS + 2];
    const View *all[NODE_INPUTS + 2] = {NULL};
    bool given = u->into.kind == K_ARRAY;
    int count = u->count;
    for (int i = 0; i < count; i++) {
        views[i].ndim = 0;
        if (m->args[i].kind == K_ARRAY) array_view(m->args[i].array, &views[i]);
    }
    if (given) array_view(u->into.array, &views[count++]);
    array_view(m->mask.array, &views[count]);
    for (int i = 0; i <= count; i++) all[i] = &views[i];
    Status st = shapes_broadcast(vm, all, count + 1, m->shape, &m->ndim);
    if (st == ST_OK && given) st = check_into_shape(vm, &views[count - 1], m->shape, m->ndim);
    if (st != ST_OK) return st;
    Value whole;
    view_broadcast(&views[count], m->shape, m->ndim);
    st = array_of_view(vm, &views[count], m->mask, &whole);
    if (st == ST_OK) replace(vm, &m->mask, whole);
    return st;
}

// The selected results, and where they go: elements that are not selected keep what is in out=, and
// are 0 where nothing was given.
static Status masked_into(Vm *vm, const UfuncCall *u, Masked *m, Value *out) {
    Value made, array;
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < u->count; i++) st = select_of(vm, m, &m->args[i]);
    if (st == ST_OK) st = apply(vm, &m->inner, &made);
    if (st != ST_OK) return st;
    st = array_from(vm, made, DT_NONE, &array);
    release(vm, made);
    if (st != ST_OK) return st;
    if (u->into.kind == K_ARRAY) {
        m->into = retain(u->into);
    } else {
        st = array_new(vm, array.array->dtype, m->ndim, m->shape, ROOM_ZEROED, &m->into);
    }
    if (st == ST_OK) st = array_setitem(vm, m->into, m->mask, array);
    release(vm, array);
    if (st != ST_OK) return st;
    *out = retain(m->into);
    return u->into.kind == K_ARRAY ? ST_OK : array_to_scalar(vm, out);
}

static Status apply_masked(Vm *vm, const UfuncCall *u, Value *out) {
    Masked m = {.inner = *u, .mask = V_UNDEF, .into = V_UNDEF};
    m.inner.args = m.args;
    m.inner.into = m.inner.where = V_UNDEF;
    for (int i = 0; i < NODE_INPUTS; i++) m.args[i] = V_UNDEF;
    Status st = take_mask(vm, u->where, &m);
    for (int i = 0; st == ST_OK && i < u->count; i++) {
        if (is_array_like(u->args[i])) st = array_from(vm, u->args[i], DT_NONE, &m.args[i]);
        else m.args[i] = retain(u->args[i]);
    }
    if (st == ST_OK) st = masked_types(vm, &(UfuncCall){.op = u->op, .args = m.args, .count = u->count,
                                                        .into = u->into, .dtype = u->dtype,
                                                        .casting = u->casting});
    if (st == ST_OK) st = masked_shape(vm, u, &m);
    if (st == ST_OK) st = masked_into(vm, u, &m, out);
    for (int i = 0; i < NODE_INPUTS; i++) release(vm, m.args[i]);
    release(vm, m.mask);
    release(vm, m.into);
    return st;
}

Status ufunc_apply(Vm *vm, const UfuncCall *u, Value *out) {
    bool everywhere = u->where.kind == K_UNDEF || (u->where.kind == K_BOOL && u->where.i);
    return everywhere ? apply(vm, u, out) : apply_masked(vm, u, out);
}

Status array_apply(Vm *vm, OpId op, const Value *args, int count, Value into, DType dtype,
                   Value *out) {
    const UfuncCall u = {.op = op, .args = args, .count = count, .into = into, .dtype = dtype,
                     .casting = CAST_SAME_KIND};
    return apply(vm, &u, out);
}

Status array_operator(Vm *vm, OpId op, const Value *args, int count, Value into, Value *out) {
    const UfuncCall u = {.op = op, .args = args, .count = count, .into = into, .dtype = DT_NONE,
                     .casting = CAST_SAME_KIND, .operator = true};
    return apply(vm, &u, out);
}
