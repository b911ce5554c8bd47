// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Applying operations to values: operands, promotion (NEP 50), broadcasting, recording.

#include <inttypes.h>
#include <math.h>
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

static Status operand_of(Vm *vm, Value v, Operand *o) {
    o->value = v;
    o->made = V_UNDEF;
    o->is_array = false;
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

static DType common_type(const Operand *operands, int first, int count) {
    DType type = DT_NONE;
    Strength weak = STRONG;
    for (int i = first; i < count; i++) {
        if (operands[i].strength != STRONG) {
            if (operands[i].strength > weak) weak = operands[i].strength;
        } else {
            type = type == DT_NONE ? operands[i].dtype : dtype_promote(type, operands[i].dtype);
        }
    }
    return dtype_with_weak(type, weak);
}

static Status weak_scalars(Vm *vm, Operand *operands, int count, DType type) {
    for (int i = 0; i < count; i++) {
        if (operands[i].strength == STRONG) continue;
        Status st = scalar_from(vm, operands[i].value, type, &operands[i].scalar);
        if (st != ST_OK) {
            if (vm_error_is(vm, EXC_OverflowError) && operands[i].value.kind == K_BIGINT &&
                type == DT_INT64) {
                Value text;
                if (op_repr_value(vm, operands[i].value, &text) != ST_OK) return ST_ERROR;
                vm_raise(vm, EXC_OverflowError, "Python integer %s out of bounds for int64",
                         text.str->data);
                release(vm, text);
            }
            return ST_ERROR;
        }
        operands[i].dtype = type;
    }
    return ST_OK;
}

static Status no_loop(Vm *vm, OpId op, DType type) {
    const char *name = op_info[op].name;
    if (type == DT_BOOL && op == AOP_SUBTRACT)
        return vm_raise(vm, EXC_TypeError, "numpy boolean subtract, the `-` operator, is not "
                        "supported, use the bitwise_xor, the `^` operator, or the logical_xor "
                        "function instead.");
    if (type == DT_BOOL && op == AOP_NEGATIVE)
        return vm_raise(vm, EXC_TypeError, "The numpy boolean negative, the `-` operator, is not "
                        "supported, use the `~` operator or the logical_not function instead.");
    if (type == DT_BOOL)
        return vm_raise(vm, EXC_TypeError, "ufunc '%s' did not contain a loop with signature "
                        "matching types <class 'numpy.dtypes.BoolDType'> -> None", name);
    return vm_raise(vm, EXC_TypeError, "ufunc '%s' not supported for the input types, and the "
                    "inputs could not be safely coerced to any supported types according to the "
                    "casting rule ''safe''", name);
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

// `into`: named in the error, too, when there is one.
static Status operand_shapes(Vm *vm, Operand *operands, int count, Array *into, int64_t *shape,
                             int *ndim) {
    const View *views[NODE_INPUTS + 1] = {NULL};
    int arrays = 0;
    for (int i = 0; i < count; i++)
        if (operands[i].is_array) views[arrays++] = &operands[i].view;
    Status st = shapes_broadcast(vm, views, arrays, shape, ndim);
    if (st != ST_OK && into) {
        View last;
        array_view(into, &last);
        views[arrays++] = &last;
        return broadcast_error(vm, views, arrays);
    }
    if (st != ST_OK) return st;
    for (int i = 0; i < count; i++)
        if (operands[i].is_array) view_broadcast(&operands[i].view, shape, *ndim);
    return ST_OK;
}

// --- Output ------------------------------------------------------------------------------------

static Status check_into_shape(Vm *vm, Array *into, const int64_t *shape, int ndim) {
    bool fits = into->ndim == ndim && memcmp(array_shape(into), shape, (size_t)ndim * 8) == 0;
    if (!fits) {
        Buf text;
        buf_init(&text, &vm->mem);
        buf_puts(&text, "non-broadcastable output operand with shape ");
        shape_text_tight(array_shape(into), into->ndim, &text);
        buf_puts(&text, " doesn't match the broadcast shape ");
        shape_text_tight(shape, ndim, &text);
        buf_putc(&text, '\0');
        Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
        buf_free(&text);
        return st;
    }
    return ST_OK;
}

static Status check_into_type(Vm *vm, OpId op, Array *into, DType result) {
    if (dtype_can_cast(result, into->dtype, CAST_SAME_KIND)) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "Cannot cast ufunc '%s' output from dtype('%s') to "
                    "dtype('%s') with casting rule 'same_kind'", op_info[op].name,
                    dtype_info[result].name, dtype_info[into->dtype].name);
}

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

static Status apply_operands(Vm *vm, OpId op, Operand *operands, int count, Value into, DType dtype,
                             bool operator, Value *out) {
    int64_t shape[NDIM_MAX];
    int ndim;
    DType loop, result;
    DType type = common_type(operands, op == AOP_WHERE, count);
    if (dtype != DT_NONE && op_info[op].dtype_rule != RULE_COMPARE) type = dtype;
    if (!op_types(op, type, &loop, &result)) return no_loop(vm, op, type);
    Status st = weak_scalars(vm, operands, count, loop == DT_FLOAT64 ? loop : type);
    if (st == ST_OK && into.kind == K_ARRAY) st = check_into_type(vm, op, into.array, result);
    Array *target = into.kind == K_ARRAY ? into.array : NULL;
    if (st == ST_OK) st = operand_shapes(vm, operands, count, target, shape, &ndim);
    if (st != ST_OK) return st;
    if (into.kind == K_ARRAY) {
        st = check_into_shape(vm, into.array, shape, ndim);
        if (st == ST_OK) *out = retain(into);
    } else {
        st = array_new(vm, result, ndim, shape, ROOM_PLACED, out);
    }
    if (st != ST_OK) return st;
    st = record(vm, op, operands, count, loop, operator, out->array);
    if (st != ST_OK) {
        release(vm, *out);
        return st;
    }
    return into.kind == K_ARRAY ? ST_OK : array_to_scalar(vm, out);
}

static Status apply(Vm *vm, OpId op, const Value *args, int count, Value into, DType dtype,
                    bool operator, Value *out) {
    Operand operands[NODE_INPUTS];
    Status st = ST_OK;
    int ready = 0;
    while (ready < count && (st = operand_of(vm, args[ready], &operands[ready])) == ST_OK) ready++;
    if (st == ST_OK) {
        Value result;
        st = apply_operands(vm, op, operands, count, into, dtype, operator, &result);
        if (st == ST_OK) *out = result;
    }
    release_operands(vm, operands, ready);
    return st;
}

Status array_apply(Vm *vm, OpId op, const Value *args, int count, Value into, DType dtype,
                   Value *out) {
    return apply(vm, op, args, count, into, dtype, false, out);
}

Status array_operator(Vm *vm, OpId op, const Value *args, int count, Value into, Value *out) {
    return apply(vm, op, args, count, into, DT_NONE, true, out);
}

// --- Reductions and scans ----------------------------------------------------------------------

static Status empty_reduction(Vm *vm, OpId op) {
    if (op == AOP_ARGMAX || op == AOP_ARGMIN)
        return vm_raise(vm, EXC_ValueError, "attempt to get %s of an empty sequence",
                        op_info[op].name);
    return vm_raise(vm, EXC_ValueError, "zero-size array to reduction operation %s which has no "
                    "identity", op == AOP_MAX ? "maximum" : "minimum");
}

static bool reduces_nothing(const View *in, AxisSet axes) {
    bool empty_axis = false;
    for (int d = 0; d < in->ndim; d++) {
        if (in->shape[d] == 0 && !(axes >> d & 1)) return false; // no output either
        empty_axis |= in->shape[d] == 0;
    }
    return empty_axis;
}

static Status record_reduction(Vm *vm, OpId op, const View *in, AxisSet axes, DType loop,
                               Array *into) {
    View to;
    Node *node = graph_node(vm, op);
    if (!node) return vm_no_memory(vm);
    node_input_view(node, in);
    array_view(into, &to);
    node_output(node, &to);
    node->attrs.loop = loop;
    node->attrs.axes = axes;
    return graph_record(vm, node);
}

// The same elements with 1 for each reduced extent.
static Status keep_dims(Vm *vm, Value *v, const View *in, AxisSet axes) {
    int64_t shape[NDIM_MAX];
    for (int d = 0; d < in->ndim; d++) shape[d] = axes >> d & 1 ? 1 : in->shape[d];
    Value kept;
    Status st = array_reshape(vm, *v, shape, in->ndim, &kept);
    release(vm, *v);
    if (st == ST_OK) *v = kept;
    return st;
}

static Status reduce_array(Vm *vm, OpId op, Array *array, AxisSet axes, bool keepdims, DType dtype,
                           Value *out) {
    View in;
    int64_t shape[NDIM_MAX];
    int kept = 0;
    DType loop, result;
    array_view(array, &in);
    for (int d = 0; d < in.ndim; d++)
        if (!(axes >> d & 1)) shape[kept++] = in.shape[d];
    if (op_info[op].identity == IDENTITY_NONE && reduces_nothing(&in, axes))
        return empty_reduction(vm, op);
    op_types(op, in.dtype, &loop, &result);
    if (dtype != DT_NONE) loop = result = dtype;
    Value made;
    Status st = array_new(vm, result, kept, shape, ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    st = record_reduction(vm, op, &in, axes, loop, made.array);
    if (st != ST_OK) {
        release(vm, made);
        return st;
    }
    *out = made;
    return keepdims ? keep_dims(vm, out, &in, axes) : array_to_scalar(vm, out);
}

Status array_reduce(Vm *vm, OpId op, Value a, AxisSet axes, bool keepdims, DType dtype,
                    Value *out) {
    return reduce_array(vm, op, a.array, axes, keepdims, dtype, out);
}

Status array_scan(Vm *vm, OpId op, Value a, int axis, DType dtype, Value *out) {
    View in;
    DType loop, result;
    array_view(a.array, &in);
    op_types(op, in.dtype, &loop, &result);
    if (dtype != DT_NONE) loop = result = dtype;
    Status st = array_new(vm, result, in.ndim, in.shape, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    st = record_reduction(vm, op, &in, axis_bit(axis), loop, out->array);
    if (st != ST_OK) release(vm, *out);
    return st;
}

// --- Matrix products ---------------------------------------------------------------------------

static Status matmul_scalar(Vm *vm, int operand) {
    return vm_raise(vm, EXC_ValueError,
                    "matmul: Input operand %d does not have enough dimensions "
                    "(has 0, gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires 1)",
                    operand);
}

static Status matmul_mismatch(Vm *vm, int64_t got, int64_t want) {
    return vm_raise(vm, EXC_ValueError, "matmul: Input operand 1 has a mismatch in its core "
                    "dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size %" PRId64
                    " is different from %" PRId64 ")", got, want);
}

// A vector becomes a matrix of one row (on the left) or one column.
static void as_matrix(View *view, bool left) {
    if (view->ndim != 1) return;
    int at = left ? 0 : 1;
    view->shape[1 - at] = view->shape[0];
    view->strides[1 - at] = view->strides[0];
    view->shape[at] = 1;
    view->strides[at] = 0;
    view->ndim = 2;
}

static Status matmul_shape(Vm *vm, View *a, View *b, int64_t *shape, int *ndim) {
    View stacks[2] = {*a, *b};
    const View *views[2] = {&stacks[0], &stacks[1]};
    stacks[0].ndim = a->ndim - 2;
    stacks[1].ndim = b->ndim - 2;
    if (shapes_broadcast(vm, views, 2, shape, ndim) != ST_OK) return ST_ERROR;
    for (int i = 0; i < 2; i++) {
        View *v = i ? b : a;
        int64_t extents[2] = {v->shape[v->ndim - 2], v->shape[v->ndim - 1]};
        int64_t strides[2] = {v->strides[v->ndim - 2], v->strides[v->ndim - 1]};
        v->ndim -= 2;
        view_broadcast(v, shape, *ndim);
        for (int k = 0; k < 2; k++) {
            v->shape[*ndim + k] = extents[k];
            v->strides[*ndim + k] = strides[k];
        }
        v->ndim = *ndim + 2;
    }
    shape[*ndim] = a->shape[*ndim];
    shape[*ndim + 1] = b->shape[*ndim + 1];
    *ndim += 2;
    return ST_OK;
}

static Status record_matmul(Vm *vm, const View *a, const View *b, bool quiet, Array *into) {
    View to;
    Node *node = graph_node(vm, AOP_MATMUL);
    if (!node) return vm_no_memory(vm);
    node_input_view(node, a);
    node_input_view(node, b);
    array_view(into, &to);
    node_output(node, &to);
    node->attrs.loop = into->dtype;
    node->attrs.quiet = quiet;
    return graph_record(vm, node);
}

static Status matmul_arrays(Vm *vm, Array *left, Array *right, bool quiet, Value *out) {
    View a, b;
    int64_t shape[NDIM_MAX];
    int ndim;
    array_view(left, &a);
    array_view(right, &b);
    if (a.ndim == 0 || b.ndim == 0) return matmul_scalar(vm, a.ndim != 0);
    bool row = a.ndim == 1, column = b.ndim == 1;
    as_matrix(&a, true);
    as_matrix(&b, false);
    if (a.shape[a.ndim - 1] != b.shape[b.ndim - 2])
        return matmul_mismatch(vm, b.shape[b.ndim - 2], a.shape[a.ndim - 1]);
    if (matmul_shape(vm, &a, &b, shape, &ndim) != ST_OK) return ST_ERROR;
    Value made;
    Status st = array_new(vm, a.dtype, ndim, shape, ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    st = record_matmul(vm, &a, &b, quiet, made.array);
    int kept = 0;
    for (int d = 0; d < ndim; d++)
        if (!(row && d == ndim - 2) && !(column && d == ndim - 1)) shape[kept++] = shape[d];
    if (st == ST_OK) st = array_reshape(vm, made, shape, kept, out);
    release(vm, made);
    return st == ST_OK ? array_to_scalar(vm, out) : st;
}

static Status product(Vm *vm, Value a, Value b, bool quiet, Value *out) {
    Value left = V_UNDEF, right = V_UNDEF, typed = V_UNDEF;
    Status st = array_from(vm, a, DT_NONE, &left);
    if (st == ST_OK) st = array_from(vm, b, DT_NONE, &right);
    if (st == ST_OK && left.array->dtype != right.array->dtype) {
        DType type = dtype_promote(left.array->dtype, right.array->dtype);
        Value *odd = left.array->dtype == type ? &right : &left;
        st = array_from(vm, *odd, type, &typed);
        if (st == ST_OK) replace(vm, odd, typed);
        odd = odd == &left ? &right : &left;
        if (st == ST_OK) st = array_from(vm, *odd, type, &typed);
        if (st == ST_OK) replace(vm, odd, typed);
    }
    if (st == ST_OK) st = matmul_arrays(vm, left.array, right.array, quiet, out);
    release(vm, left);
    release(vm, right);
    return st;
}

Status array_matmul(Vm *vm, Value a, Value b, Value *out) {
    return product(vm, a, b, false, out);
}

static Status dot_mismatch(Vm *vm, Array *a, Array *b) {
    Buf text;
    int da = a->ndim - 1, db = b->ndim == 1 ? 0 : b->ndim - 2;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "shapes ");
    shape_text_tight(array_shape(a), a->ndim, &text);
    buf_puts(&text, " and ");
    shape_text_tight(array_shape(b), b->ndim, &text);
    buf_printf(&text, " not aligned: %" PRId64 " (dim %d) != %" PRId64 " (dim %d)",
               array_shape(a)[da], da, array_shape(b)[db], db);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

// Other than matmul, dot does not look at the float flags.
static Status dot_arrays(Vm *vm, Value a, Value b, Value *out) {
    Array *x = a.array, *y = b.array;
    if (x->ndim == 0 || y->ndim == 0)
        return array_apply(vm, AOP_MULTIPLY, (Value[]){a, b}, 2, V_UNDEF, DT_NONE, out);
    if (array_shape(x)[x->ndim - 1] != array_shape(y)[y->ndim == 1 ? 0 : y->ndim - 2])
        return dot_mismatch(vm, x, y);
    if (x->ndim > 2 && y->ndim > 2)
        return vm_raise(vm, EXC_NotImplementedError,
                        "dot of two arrays of more than two dimensions");
    if (y->ndim > 2) // sum over the second-to-last axis of y
        return vm_raise(vm, EXC_NotImplementedError, "dot with a second array of %d dimensions",
                        y->ndim);
    return product(vm, a, b, true, out);
}

Status array_dot(Vm *vm, Value a, Value b, Value *out) {
    Value left = V_UNDEF, right = V_UNDEF;
    Status st = array_from(vm, a, DT_NONE, &left);
    if (st == ST_OK) st = array_from(vm, b, DT_NONE, &right);
    if (st == ST_OK) st = dot_arrays(vm, left, right, out);
    release(vm, left);
    release(vm, right);
    return st;
}

// --- Operators ---------------------------------------------------------------------------------

static const OpId binary_ops[BINARY_COUNT] = {
    [BIN_ADD] = AOP_ADD,           [BIN_SUB] = AOP_SUBTRACT,     [BIN_MUL] = AOP_MULTIPLY,
    [BIN_DIV] = AOP_DIVIDE,        [BIN_FLOORDIV] = AOP_FLOOR_DIVIDE, [BIN_MOD] = AOP_REMAINDER,
    [BIN_POW] = AOP_POWER,         [BIN_LSHIFT] = AOP_LEFT_SHIFT, [BIN_RSHIFT] = AOP_RIGHT_SHIFT,
    [BIN_AND] = AOP_BITWISE_AND,   [BIN_OR] = AOP_BITWISE_OR,    [BIN_XOR] = AOP_BITWISE_XOR,
    [BIN_MATMUL] = AOP_MATMUL,     [BIN_DIVMOD] = AOP_NONE,
};
static const OpId compare_ops[COMPARE_COUNT] = {
    [CMP_LT] = AOP_LESS, [CMP_LE] = AOP_LESS_EQUAL, [CMP_EQ] = AOP_EQUAL,
    [CMP_NE] = AOP_NOT_EQUAL, [CMP_GT] = AOP_GREATER, [CMP_GE] = AOP_GREATER_EQUAL,
};

static bool usable(Value v) {
    return v.kind == K_ARRAY || is_numpy_scalar(v) || is_number(v) || is_array_like(v);
}

// NumPy's own short cuts for `array ** number`: other functions, with other last digits.
static OpId power_op(Value base, Value exponent) {
    bool is_float = base.kind == K_ARRAY && dtype_is_inexact(base.array->dtype);
    double e;
    if (base.kind != K_ARRAY) return AOP_POWER;
    if (exponent.kind == K_INT) e = (double)exponent.i;
    else if (exponent.kind == K_FLOAT) e = exponent.f;
    else return AOP_POWER;
    if (e == 2.0 && (is_float || exponent.kind == K_INT)) return AOP_SQUARE;
    if (!is_float) return AOP_POWER;
    if (e == 1.0) return AOP_POSITIVE;
    if (e == -1.0) return AOP_RECIPROCAL;
    return e == 0.5 ? AOP_SQRT : AOP_POWER;
}

static Status divmod_pair(Vm *vm, Value a, Value b, Value *out) {
    Value pair[2] = {V_UNDEF, V_UNDEF};
    Status st = array_apply(vm, AOP_FLOOR_DIVIDE, (Value[]){a, b}, 2, V_UNDEF, DT_NONE, &pair[0]);
    if (st == ST_OK)
        st = array_apply(vm, AOP_REMAINDER, (Value[]){a, b}, 2, V_UNDEF, DT_NONE, &pair[1]);
    if (st == ST_OK) return tuple_steal(vm, pair, 2, out);
    release(vm, pair[0]);
    return st;
}

Status array_binary(Vm *vm, BinaryOp bin, bool in_place, Value a, Value b, Value *out) {
    if (!usable(a) || !usable(b)) return ST_NOTIMPL;
    if (bin == BIN_DIVMOD) return divmod_pair(vm, a, b, out);
    OpId op = binary_ops[bin];
    Value into = in_place && a.kind == K_ARRAY ? a : V_UNDEF;
    if (op == AOP_MATMUL) {
        Status st = array_matmul(vm, a, b, out);
        if (st != ST_OK || into.kind != K_ARRAY) return st;
        View to;
        array_view(into.array, &to);
        st = array_assign(vm, &to, *out);
        replace(vm, out, retain(into));
        return st;
    }
    if (op == AOP_POWER) op = power_op(a, b);
    int count = op_info[op].arity;
    return array_operator(vm, op, (Value[]){a, b}, count, into, out);
}

// An int compared with integers of a type it does not fit is larger, or smaller, than all of them.
static Value compared(Vm *vm, Value v, Value with) {
    DType type = with.kind == K_ARRAY ? with.array->dtype
                 : is_numpy_scalar(with) ? scalar_dtype(with) : DT_NONE;
    Scalar scalar;
    if (type == DT_NONE || !dtype_is_integer(type) || (v.kind != K_INT && v.kind != K_BIGINT))
        return v;
    if (scalar_from(vm, v, type, &scalar) == ST_OK || !vm_error_is(vm, EXC_OverflowError)) return v;
    vm_clear_error(vm);
    return v_float(int_sign(v) * INFINITY);
}

Status array_compare(Vm *vm, CompareOp cmp, Value a, Value b, Value *out) {
    if (!usable(a) || !usable(b)) {
        if ((cmp != CMP_EQ && cmp != CMP_NE) || a.kind != K_ARRAY) return ST_NOTIMPL;
        View view; // nothing is equal to, say, a string
        Status st = array_new(vm, DT_BOOL, a.array->ndim, array_shape(a.array), ROOM_ZEROED, out);
        if (st != ST_OK || cmp == CMP_EQ) return st;
        array_view(out->array, &view);
        return array_fill(vm, &view, DT_BOOL, (Scalar){.i = 1});
    }
    Value pair[2] = {compared(vm, a, b), compared(vm, b, a)};
    return array_apply(vm, compare_ops[cmp], pair, 2, V_UNDEF, DT_NONE, out);
}

Status array_unary(Vm *vm, UnaryOp un, Value a, Value *out) {
    static const OpId ops[UNARY_COUNT] = {[UN_NEG] = AOP_NEGATIVE, [UN_POS] = AOP_POSITIVE,
                                          [UN_INVERT] = AOP_INVERT, [UN_ABS] = AOP_ABSOLUTE};
    return array_apply(vm, ops[un], &a, 1, V_UNDEF, DT_NONE, out);
}
