// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Applies operations to values: operands, promotion (NEP 50), broadcasting, recording.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vm/array/array.h"
#include "vm/array/ufunc.h"
#include "vm/value/num.h"

typedef struct Operand {
    Value value; // borrowed, or an array made from a list (then owned: `made`)
    Value made;
    bool is_array;
    Strength strength;
    DType dtype; // common type of strong operands
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
    if (has_stand_in(v)) {
        Status held = array_stand_in(vm, &v);
        if (held != ST_OK) return held;
    }
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

// Returns the type with which an operand takes part in promotion. Float functions use the first loop to
// which each operand casts separately: for int16 and uint16, with common type int32, that is float32.
static DType meeting_type(OpId op, DType own) {
    DType loop, result;
    bool is_float = op_info[op].dtype_rule == RULE_FLOAT && op_types(op, own, &loop, &result);
    return is_float ? loop : own;
}

static DType first_type(const Operand *operands) {
    return operands[0].strength == STRONG ? operands[0].dtype : DT_NONE;
}

static DType common_type(const UfuncCall *u, const Operand *operands) {
    if (u->op == AOP_LDEXP) { // a Python int as first operand takes the smallest float type
        bool small = operands[0].strength == WEAK_INT && operands[1].strength == STRONG;
        return small ? DT_FLOAT16 : dtype_with_weak(first_type(operands), operands[0].strength);
    }
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

static Status no_loop_for(Vm *vm, const UfuncCall *u, const Operand *operands, DType common) {
    LoopTypes types = {.count = u->count, .result = u->dtype, .result_of = u->result_of};
    for (int i = 0; i < u->count; i++) {
        types.types[i] = operands[i].dtype;
        types.strengths[i] = operands[i].strength;
    }
    return no_loop(vm, u->op, common, &types);
}

// --- Casting -----------------------------------------------------------------------------------

static Status cannot_cast(Vm *vm, const UfuncCall *u, const char *what, DType from, DType to) {
    char which[16] = "";
    if (u->result_of && strcmp(what, "output") == 0) snprintf(which, sizeof which, " %d", u->which);
    return vm_raise(vm, EXC_TypeError, "Cannot cast ufunc '%s' %s%s from dtype('%s') to dtype('%s') "
                    "with casting rule '%s'", u->result_of ? u->result_of : op_info[u->op].name, what, which,
                    dtype_info[from].name, dtype_info[to].name, casting_names[u->casting]);
}

// Returns whether operands are converted to truth values separately, whatever their types.
static bool takes_truth(const UfuncCall *u) {
    return u->count == 2 && op_info[u->op].dtype_rule == RULE_LOGICAL;
}

static Status check_input(Vm *vm, const UfuncCall *u, const Operand *operands, int i, DType loop) {
    char what[24];
    DType own = operands[i].dtype;
    if (u->op == AOP_LDEXP && i == 1 && dtype_is_integer(own)) // loops for int32 and int64
        loop = own == DT_INT64 || own == DT_UINT32 ? DT_INT64 : DT_INT32;
    if (takes_truth(u) || u->op == AOP_WHERE || dtype_can_cast(own, loop, u->casting)) return ST_OK;
    if (u->count == 1) snprintf(what, sizeof what, "input");
    else snprintf(what, sizeof what, "input %d", i);
    return cannot_cast(vm, u, what, own, loop);
}

static const char *weak_name(Strength weak) {
    return weak == WEAK_INT ? "int" : weak == WEAK_FLOAT ? "float" : "complex";
}

static Status cannot_cast_python(Vm *vm, Strength weak, DType to) {
    return vm_raise(vm, EXC_TypeError, "cannot cast Python %s to %s under the casting rule 'equiv'",
                    weak_name(weak), dtype_info[to].name);
}

// Returns whether a Python int as exponent of ldexp has 32 bits. If the first operand is a bool or a Python number, it
// has 64.
static bool has_narrow_exponents(const UfuncCall *u, const Operand *operands) {
    return u->op == AOP_LDEXP && operands[0].strength == STRONG && operands[0].dtype != DT_BOOL;
}

// Returns whether a type can hold Python numbers of a kind; bool holds none.
static bool holds_weak(DType type, Strength weak) {
    DKind kind = dtype_kind(type);
    if (weak == WEAK_COMPLEX) return kind == DK_COMPLEX;
    return weak == WEAK_INT ? kind != DK_BOOL : dtype_is_inexact(type);
}

// Converts a Python number to bool by way of its own type: int64 for an int.
static Status weak_truth(Vm *vm, Operand *o) {
    Scalar alone;
    Status st = scalar_from(vm, o->value, o->dtype, &alone);
    if (st != ST_OK) return st;
    o->scalar = dtype_convert(o->dtype, DT_BOOL, alone);
    o->dtype = DT_BOOL;
    return ST_OK;
}

// Returns whether the call compares ints: comparisons accept any int without a cast.
static bool compares_ints(const UfuncCall *u, DType loop) {
    return op_info[u->op].dtype_rule == RULE_COMPARE && dtype_is_integer(loop);
}

// Converts Python numbers to the loop's type. One of a kind that the loop cannot hold keeps its own
// type and is cast like a strong operand; so is a number without other operands.
static inline Status weak_scalars(Vm *vm, const UfuncCall *u, Operand *operands, DType loop) {
    bool logical = op_info[u->op].dtype_rule == RULE_LOGICAL;
    for (int i = 0; i < u->count; i++) {
        Operand *o = &operands[i];
        Status st;
        if (o->strength == STRONG) continue;
        if (takes_truth(u)) {
            st = weak_truth(vm, o);
        } else if (logical && o->strength == WEAK_INT) { // accepts ints of any size
            st = scalar_from(vm, v_int(int_sign(o->value)), loop, &o->scalar);
            o->dtype = loop;
        } else if (i == 1 && u->casting == CAST_EQUIV && has_narrow_exponents(u, operands)) {
            return cannot_cast_python(vm, o->strength, DT_INT32);
        } else if (u->count == 1 || !holds_weak(loop, o->strength) || (u->op == AOP_LDEXP && i == 1)) {
            st = scalar_from(vm, o->value, o->dtype, &o->scalar);
        } else if (u->casting == CAST_EQUIV && o->dtype != loop && !compares_ints(u, loop)) {
            return cannot_cast_python(vm, o->strength, loop);
        } else {
            st = scalar_from(vm, o->value, loop, &o->scalar);
            o->dtype = loop;
        }
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

// Finds the loop that produces the requested result type.
static Status loop_for(Vm *vm, const UfuncCall *u, const Operand *operands, DType common, DType *loop,
                       DType *result) {
    DType wanted = u->dtype;
    bool is_complex = common != DT_NONE && dtype_kind(common) == DK_COMPLEX, found = true;
    switch ((DTypeRule)op_info[u->op].dtype_rule) {
    case RULE_COMPARE:
    case RULE_LOGICAL:
    case RULE_FLOAT_TRUTH:
        found = op_types(u->op, common, loop, result);
        break;
    case RULE_COUNT:
        if (wanted == DT_UINT8 && !op_has_loop(u->op, common)) common = wanted;
        found = op_types(u->op, common, loop, result);
        break;
    case RULE_EXPONENT: // the requested type would apply to all results of the ufunc
        return no_matching_loop(vm, AOP_FREXP);
    case RULE_SIZE: { // for complex operands: the real type must hold the parts
        DType wide = dtype_complex(wanted);
        bool sized = is_complex && dtype_real(wide) == wanted && dtype_can_cast(common, wide, CAST_SAFE);
        *loop = sized ? wide : wanted;
        *result = dtype_real(*loop);
        break;
    }
    default:
        found = op_types(u->op, wanted, loop, result);
        if (!found && wanted == DT_BOOL) return no_loop_for(vm, u, operands, DT_BOOL);
    }
    return found && *result == wanted ? ST_OK : no_matching_loop(vm, u->op);
}

// Checks ldexp's operands: exponents must be integers that cast safely to 64 bits. With a requested
// type, the first operand must cast safely to it.
static Status check_ldexp(Vm *vm, const UfuncCall *u, const Operand *operands) {
    const Operand *x = &operands[0], *y = &operands[1];
    bool is_weak = y->strength == WEAK_INT, fits = dtype_can_cast(y->dtype, DT_INT64, CAST_SAFE);
    Scalar exponent;
    if (u->dtype == DT_NONE && !fits) return no_loop_for(vm, u, operands, y->dtype);
    if (u->dtype != DT_NONE && !(fits && op_has_loop(u->op, u->dtype) &&
                                 dtype_can_cast(x->dtype, u->dtype, CAST_SAFE)))
        return no_matching_loop(vm, u->op);
    if (!is_weak || !op_has_loop(u->op, dtype_with_weak(x->dtype, WEAK_FLOAT))) return ST_OK;
    Status st = scalar_from(vm, y->value, DT_INT64, &exponent);
    if (st == ST_OK && has_narrow_exponents(u, operands))
        st = scalar_from(vm, y->value, DT_INT32, &exponent);
    return st;
}

// Returns whether a comparison involves an int outside all integer types (see `compared`): then
// nothing is cast.
static bool is_beyond(const UfuncCall *u, const Operand *operands) {
    for (int i = 0; i < u->count; i++)
        if (strength_of(u->args[i]) == WEAK_INT && operands[i].strength == WEAK_FLOAT) return true;
    return false;
}

// Chooses the loop for the operands, and checks that casts to it, and of its result, are allowed.
static inline Status settle_types(Vm *vm, const UfuncCall *u, Operand *operands, DType *loop,
                           DType *result) {
    DType common = common_type(u, operands);
    bool given = u->into.kind == K_ARRAY;
    Status st = ST_OK;
    if (given && array_check_writeable(vm, u->into.array, "output array") != ST_OK) return ST_ERROR;
    if (u->op == AOP_LDEXP) st = check_ldexp(vm, u, operands);
    if (st != ST_OK) return st;
    if (u->dtype != DT_NONE) st = loop_for(vm, u, operands, common, loop, result);
    else if (!op_types(u->op, common, loop, result)) return no_loop_for(vm, u, operands, common);
    if (st == ST_OK) st = weak_scalars(vm, u, operands, *loop);
    bool promoted = (u->dtype == DT_NONE && u->casting >= CAST_SAME_KIND) || is_beyond(u, operands);
    for (int i = 0; st == ST_OK && !promoted && i < u->count; i++)
        st = check_input(vm, u, operands, i, *loop);
    if (st != ST_OK || !given) return st;
    DType target = u->into.array->dtype;
    return dtype_can_cast(*result, target, u->casting) ? ST_OK
                                                       : cannot_cast(vm, u, "output", *result, target);
}

// --- Shapes ------------------------------------------------------------------------------------

// Returns whether a new result is Fortran-contiguous: if all operands are, and not all are C-contiguous.
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

// Broadcasts shapes; an output takes part, but must not be broadcast itself. `axes`: memory order
// of a new result.
static Status operand_shapes(Vm *vm, const UfuncCall *u, Operand *operands, const View *into,
                             int64_t *shape, int *ndim, int *axes) {
    int count = u->count;
    const View *views[NODE_INPUTS + 1] = {NULL};
    int arrays = 0;
    for (int i = 0; i < count; i++) views[i] = &operands[i].view;
    if (into) views[count] = into;
    Status st = shapes_broadcast(vm, views, count + (into != NULL), shape, ndim);
    if (st == ST_OK && into) st = check_output_shape(vm, into, shape, *ndim);
    if (st != ST_OK) return st;
    bool fortran = !into && u->op != AOP_WHERE && all_fortran(views, count, *ndim);
    AxisLayout layouts[NODE_INPUTS];
    for (int i = 0; i < count; i++) {
        if (!operands[i].is_array) continue;
        view_broadcast(&operands[i].view, shape, *ndim);
        layouts[arrays++] = (AxisLayout){views[i]->shape, views[i]->strides};
    }
    if (u->ordered && !into) axes_straight(*ndim, u->order == ORDER_F || (u->order == ORDER_A && fortran), axes);
    else if (fortran || into) axes_straight(*ndim, fortran, axes);
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

bool array_is_awaited(Vm *vm, Value v) {
    return v.kind == K_ARRAY && v.array->ndim == 0 && v.array->storage->producer && graph_of(vm)->on_device;
}

Status array_to_result(Vm *vm, const Value *args, Value *v) {
    if (array_is_awaited(vm, *v) && vm->is_stored && vm->is_stored(vm, args, v->array->dtype)) return ST_OK;
    return array_to_scalar(vm, v);
}

// Returns whether this is scalar arithmetic: no arrays, and all operands cast to the type of one of
// them.
static bool is_of_scalars(const Operand *operands, int count) {
    DType type = DT_NONE;
    Strength weak = STRONG;
    for (int i = 0; i < count; i++) {
        const Operand *o = &operands[i];
        if (o->is_array) return false;
        if (o->strength > weak) weak = o->strength;
        if (o->strength == STRONG) type = type == DT_NONE ? o->dtype : dtype_promote(type, o->dtype);
    }
    if (dtype_with_weak(type, weak) != type) return false;
    for (int i = 0; i < count; i++)
        if (operands[i].strength == STRONG && operands[i].dtype == type) return true;
    return false;
}

static Status record(Vm *vm, const UfuncCall *u, Operand *operands, DType loop, Array *into) {
    int count = u->count;
    Node *node = graph_node(vm, u->op);
    if (!node) return vm_no_memory(vm);
    for (int i = 0; i < count; i++) {
        if (operands[i].is_array) node_input_view(node, &operands[i].view);
        else node_input_scalar(node, operands[i].dtype, operands[i].scalar);
    }
    node_output_array(node, into);
    node->attrs.loop = loop;
    node->attrs.called = u->result_of;
    node->attrs.scalar = u->operator && into->ndim == 0 && is_of_scalars(operands, count);
    return graph_record(vm, node);
}

// Clips exponents of ldexp for half floats to a range that the loop's type can hold; larger exponents
// would have the same results.
static Status clip_exponents(Vm *vm, Operand *exponents) {
    enum { BEYOND = 10000 };
    bool is_signed = dtype_kind(exponents->dtype) == DK_INT;
    const Value args[3] = {exponents->value, v_int(is_signed ? -BEYOND : 0), v_int(BEYOND)};
    Value clipped, array;
    Status st = array_apply(vm, AOP_CLIP, args, 3, V_UNDEF, DT_NONE, &clipped);
    if (st != ST_OK) return st;
    st = array_from(vm, clipped, DT_NONE, &array);
    release(vm, clipped);
    if (st != ST_OK) return st;
    replace(vm, &exponents->made, array);
    exponents->value = array;
    array_view(array.array, &exponents->view);
    return ST_OK;
}

// Warns about losses of unsafe operand casts.
static Status warn_of_inputs(Vm *vm, const UfuncCall *u, const Operand *operands, DType loop) {
    for (int i = 0; i < u->count && !takes_truth(u) && loop != DT_BOOL; i++)
        if (warn_of_cast(vm, operands[i].dtype, loop) != ST_OK) return ST_ERROR;
    return ST_OK;
}

static Status apply_operands(Vm *vm, const UfuncCall *u, Operand *operands, Value *out) {
    int64_t shape[NDIM_MAX];
    int ndim, axes[NDIM_MAX];
    DType loop, result;
    View target;
    bool given = u->into.kind == K_ARRAY;
    Status st = settle_types(vm, u, operands, &loop, &result);
    if (st != ST_OK) return st;
    bool wide = u->op == AOP_LDEXP && loop == DT_FLOAT16 && operands[1].is_array &&
                dtype_size(operands[1].dtype) > 2;
    if (wide && (st = clip_exponents(vm, &operands[1])) != ST_OK) return st;
    if (given) array_view(u->into.array, &target);
    st = operand_shapes(vm, u, operands, given ? &target : NULL, shape, &ndim, axes);
    if (st != ST_OK) return st;
    if (u->casting == CAST_UNSAFE && warn_of_inputs(vm, u, operands, loop) != ST_OK) return ST_ERROR;
    // an operation that may fail must not write the output until it has succeeded
    bool aside = given && op_info[u->op].may_raise && dtype_is_integer(loop);
    if (given && !aside) *out = retain(u->into);
    else st = array_new_arranged(vm, result, ndim, shape, axes, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    st = record(vm, u, operands, loop, out->array);
    if (st == ST_OK && aside) {
        st = array_assign(vm, &target, *out);
        replace(vm, out, retain(u->into));
    }
    if (st != ST_OK) {
        release(vm, *out);
        return st;
    }
    if (given) return ST_OK;
    return u->called ? array_to_result(vm, u->called, out) : array_to_scalar(vm, out);
}

// Returns operand i of a comparison. Comparisons accept any int: one that does not fit the other operand's
// integer type is replaced by infinity with its sign.
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

// Reads the operands; *ready counts those that were read. ST_NOTIMPL: an operand is not a number.
static inline Status take_operands(Vm *vm, const UfuncCall *u, Operand *operands, int *ready) {
    bool compares = op_info[u->op].dtype_rule == RULE_COMPARE;
    Status st = ST_OK;
    for (*ready = 0; *ready < u->count && st == ST_OK; *ready += st == ST_OK)
        st = operand_of(vm, compares ? compared(vm, u, *ready) : u->args[*ready], &operands[*ready]);
    return st;
}

Status ufunc_everywhere(Vm *vm, const UfuncCall *u, Value *out) {
    Status plain;
    if (ufunc_plain(vm, u, out, &plain)) return plain;
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

Status ufunc_check_types(Vm *vm, const UfuncCall *u, DType *result) {
    Operand operands[NODE_INPUTS];
    DType loop;
    int ready;
    Status st = take_operands(vm, u, operands, &ready);
    if (st == ST_OK) st = settle_types(vm, u, operands, &loop, result);
    release_operands(vm, operands, ready);
    return st;
}

Status array_apply(Vm *vm, OpId op, const Value *args, int count, Value into, DType dtype,
                   Value *out) {
    const UfuncCall u = {.op = op, .args = args, .count = count, .into = into, .dtype = dtype,
                     .casting = CAST_SAME_KIND};
    return ufunc_everywhere(vm, &u, out);
}

Status array_operator(Vm *vm, OpId op, const Value *args, int count, Value into, Value *out) {
    const UfuncCall u = {.op = op, .args = args, .count = count, .into = into, .dtype = DT_NONE,
                     .casting = CAST_SAME_KIND, .operator = true};
    return ufunc_everywhere(vm, &u, out);
}
