// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _numpy_linalg: records the nodes of linear algebra. Functions with NumPy's signature are exported
// unchanged by stdlib/numpy/linalg.ncr; for the others it checks the arguments first.
//
// As in NumPy, all work is done in float64 or complex128: narrower operands are widened, and their results
// rounded.

#include <inttypes.h>
#include <string.h>

#include "stdlib/stdlib.h"
#include "vm/array/array.h"
#include "vm/value/class.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- Operands ----------------------------------------------------------------------------------

// The type that nodes work in, and the type that results are rounded to. Both are complex if an operand is, and the
// result is narrow (float32, complex64) if all operands are.
typedef struct Types {
    DType work, result;
} Types;

static bool is_narrow(DType type) {
    return type == DT_FLOAT32 || type == DT_COMPLEX64;
}

static Types types_for(bool complex, bool narrow) {
    if (complex) return (Types){DT_COMPLEX128, narrow ? DT_COMPLEX64 : DT_COMPLEX128};
    return (Types){DT_FLOAT64, narrow ? DT_FLOAT32 : DT_FLOAT64};
}

static Status types_of(Vm *vm, const Value *arrays, int count, Types *out) {
    bool complex = false, narrow = true;
    for (int i = 0; i < count; i++) {
        DType type = arrays[i].array->dtype;
        if (type == DT_FLOAT16)
            return vm_raise(vm, EXC_TypeError, "array type %s is unsupported in linalg",
                            dtype_info[type].name);
        complex |= dtype_kind(type) == DK_COMPLEX;
        narrow &= is_narrow(type);
    }
    *out = types_for(complex, narrow);
    return ST_OK;
}

static Status widen(Vm *vm, Value *array, DType type) {
    Value wide;
    if (array->array->dtype == type) return ST_OK;
    Status st = array_from(vm, *array, type, &wide);
    if (st == ST_OK) replace(vm, array, wide);
    return st;
}

// Makes an array of at least two dimensions from v, owned. Raises LinAlgError for other shapes.
static Status matrices_from(Vm *vm, Value v, bool square, Value *out) {
    Value array;
    Status st = array_from(vm, v, DT_NONE, &array);
    if (st != ST_OK) return st;
    int ndim = array.array->ndim;
    const int64_t *shape = array_shape(array.array);
    if (ndim < 2)
        st = vm_raise(vm, EXC_LinAlgError, "%d-dimensional array given. Array must be at least "
                      "two-dimensional", ndim);
    else if (square && shape[ndim - 1] != shape[ndim - 2])
        st = vm_raise(vm, EXC_LinAlgError, "Last 2 dimensions of the array must be square");
    if (st == ST_OK) *out = array;
    else release(vm, array);
    return st;
}

// As matrices_from, and finds the types for this operand and widens it.
static Status operand_from(Vm *vm, Value v, bool square, Value *array, Types *types) {
    Status st = matrices_from(vm, v, square, array);
    if (st != ST_OK) return st;
    st = types_of(vm, array, 1, types);
    if (st == ST_OK) st = widen(vm, array, types->work);
    if (st != ST_OK) release(vm, *array);
    return st;
}

// --- Recording ---------------------------------------------------------------------------------

// Makes an array for the node's result and records the node, which is consumed. Rounds the result if its type is
// narrower.
static Status record(Vm *vm, Node *node, int ndim, const int64_t *shape, Types types, Value *out) {
    Value made, rounded;
    Status st = array_new(vm, types.work, ndim, shape, ROOM_PLACED, &made);
    if (st != ST_OK) {
        graph_discard(vm, node);
        return st;
    }
    node_output_array(node, made.array);
    node->attrs.loop = types.work;
    st = graph_record(vm, node);
    if (st == ST_OK && types.result != types.work) {
        st = array_copy(vm, made, types.result, &rounded);
        if (st == ST_OK) replace(vm, &made, rounded);
    }
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

// Makes a node with one operand.
static Status node_of(Vm *vm, OpId op, Value array, Node **out) {
    *out = graph_node(vm, op);
    if (!*out) return vm_no_memory(vm);
    node_input_array(*out, array.array);
    return ST_OK;
}

// --- Solutions, inverses, Cholesky factors -----------------------------------------------------

static Status few_dimensions(Vm *vm, int has) {
    return vm_raise(vm, EXC_ValueError, "solve: Input operand 1 does not have enough dimensions (has "
                    "%d, gufunc core with signature (m,m),(m,n)->(m,n) requires 2)", has);
}

static Status other_extent(Vm *vm, bool vector, int64_t got, int64_t want) {
    return vm_raise(vm, EXC_ValueError, "%s: Input operand 1 has a mismatch in its core dimension 0, "
                    "with gufunc signature %s (size %" PRId64 " is different from %" PRId64 ")",
                    vector ? "solve1" : "solve",
                    vector ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)", got, want);
}

// Broadcasts the stacks of two arrays of matrices, all but the last two dimensions, in place. *shape, *ndim: those of
// the broadcast stack.
static Status stack_together(Vm *vm, View *a, View *b, int64_t *shape, int *ndim) {
    View stacks[2] = {*a, *b}, *both[2] = {a, b};
    stacks[0].ndim -= 2;
    stacks[1].ndim -= 2;
    Status st = shapes_broadcast(vm, (const View *[]){&stacks[0], &stacks[1]}, 2, shape, ndim);
    for (int i = 0; i < 2 && st == ST_OK; i++) {
        View *v = both[i];
        int core = v->ndim - 2;
        view_broadcast(&stacks[i], shape, *ndim);
        memmove(v->shape + *ndim, v->shape + core, 2 * sizeof *v->shape);
        memmove(v->strides + *ndim, v->strides + core, 2 * sizeof *v->strides);
        memcpy(v->shape, stacks[i].shape, (size_t)*ndim * sizeof *v->shape);
        memcpy(v->strides, stacks[i].strides, (size_t)*ndim * sizeof *v->strides);
        v->ndim = *ndim + 2;
    }
    return st;
}

static Status solve(Vm *vm, Array *a, Array *b, Types types, Value *out) {
    View left, right;
    int64_t shape[NDIM_MAX];
    int ndim;
    bool vector = b->ndim == 1;
    if (b->ndim == 0) return few_dimensions(vm, 0);
    array_view(a, &left);
    array_view(b, &right);
    if (vector) {
        right.ndim = 2;
        right.shape[1] = 1;
        right.strides[1] = (int64_t)dtype_size(right.dtype);
    }
    int64_t n = left.shape[left.ndim - 1], sides = right.shape[right.ndim - 1];
    if (right.shape[right.ndim - 2] != n)
        return other_extent(vm, vector, right.shape[right.ndim - 2], n);
    Status st = stack_together(vm, &left, &right, shape, &ndim);
    if (st != ST_OK) return st;
    Node *node = graph_node(vm, AOP_SOLVE);
    if (!node) return vm_no_memory(vm);
    node_input_view(node, &left);
    node_input_view(node, &right);
    shape[ndim] = n;
    shape[ndim + 1] = sides;
    Value made, flat;
    st = record(vm, node, ndim + 2, shape, types, &made);
    if (st == ST_OK && vector) {
        st = array_reshape(vm, made, shape, ndim + 1, &flat);
        release(vm, made);
        made = flat;
    }
    if (st == ST_OK) *out = made;
    return st;
}

static Status fn_solve(Vm *vm, const Value *args, Value *out) {
    Value pair[2] = {V_UNDEF, V_UNDEF};
    Types types;
    Status st = matrices_from(vm, args[0], true, &pair[0]);
    if (st == ST_OK) st = array_from(vm, args[1], DT_NONE, &pair[1]);
    if (st == ST_OK) st = types_of(vm, pair, 2, &types);
    for (int i = 0; i < 2 && st == ST_OK; i++) st = widen(vm, &pair[i], types.work);
    if (st == ST_OK) st = solve(vm, pair[0].array, pair[1].array, types, out);
    release(vm, pair[0]);
    release(vm, pair[1]);
    return st;
}

// Records an op that maps square matrices to square matrices of the same extent.
static Status same_shape(Vm *vm, OpId op, Value v, bool flag, Value *out) {
    Value array;
    Types types;
    Node *node;
    Status st = operand_from(vm, v, true, &array, &types);
    if (st != ST_OK) return st;
    st = node_of(vm, op, array, &node);
    if (st == ST_OK) {
        node->attrs.upper = node->attrs.or_nan = flag; // what it means depends on the op
        st = record(vm, node, array.array->ndim, array_shape(array.array), types, out);
    }
    release(vm, array);
    return st;
}

static Status fn_inv(Vm *vm, const Value *args, Value *out) {
    return same_shape(vm, AOP_INVERSE, args[0], false, out);
}
static Status fn_inv_or_nan(Vm *vm, const Value *args, Value *out) {
    return same_shape(vm, AOP_INVERSE, args[0], true, out);
}
static Status fn_cholesky(Vm *vm, const Value *args, Value *out) {
    bool upper;
    Status st = op_truth(vm, args[1], &upper);
    if (st != ST_OK) return st == ST_DEFER ? op_refused(vm) : st;
    return same_shape(vm, AOP_CHOLESKY, args[0], upper, out);
}

// --- Several results packed in one array -------------------------------------------------------
//
// A node has one output. An op with several results writes them one after the other to the last axis of one array, and
// each result is a view of a part of it.

// Extents of a part: an a x b matrix; with b < 0 a vector of a elements, with a < 0 a single number. `real`: the part
// is real even if the op works in complex numbers.
typedef struct Extents {
    int64_t a, b;
    bool real;
} Extents;

static int axes_in(Extents e) {
    return e.a < 0 ? 0 : e.b < 0 ? 1 : 2;
}

// Returns how many elements of `type` a part occupies. Two real numbers fit into a complex one.
static int64_t elements_in(Extents e, DType type) {
    int64_t count = (e.a < 0 ? 1 : e.a) * (e.b < 0 ? 1 : e.b);
    return dtype_kind(type) == DK_COMPLEX && e.real ? (count + 1) / 2 : count;
}

static DType real_of(DType type) {
    return type == DT_COMPLEX128 ? DT_FLOAT64 : type == DT_COMPLEX64 ? DT_FLOAT32 : type;
}

// Makes a view of the part that starts at element `at` of the last axis of `packed`, with the part's axes in its place.
static Status part_of(Vm *vm, Array *packed, int64_t at, Extents e, Value *out) {
    const int64_t extents[] = {e.a, e.b};
    View view;
    array_view(packed, &view);
    int core = view.ndim - 1, count = axes_in(e);
    view.offset += at * (int64_t)dtype_size(view.dtype);
    if (e.real) view.dtype = real_of(view.dtype);
    int64_t step = (int64_t)dtype_size(view.dtype);
    view.ndim = core + count;
    for (int d = count - 1; d >= 0; d--) {
        view.shape[core + d] = extents[d];
        view.strides[core + d] = step;
        step *= extents[d];
    }
    return array_of_view(vm, &view, V_UNDEF, out);
}

enum { PARTS = 4 };

// Records a node with `count` results, which is consumed. *out: a tuple of arrays or scalars.
static Status record_parts(Vm *vm, Node *node, Array *operand, Types types, const Extents *extents,
                           int count, Value *out) {
    int64_t shape[NDIM_MAX], length = 0, at = 0;
    int ndim = operand->ndim - 2;
    Value packed, parts[PARTS];
    memcpy(shape, array_shape(operand), (size_t)ndim * sizeof *shape);
    for (int i = 0; i < count; i++) length += elements_in(extents[i], types.work);
    shape[ndim] = length;
    Status st = record(vm, node, ndim + 1, shape, types, &packed);
    if (st != ST_OK) return st;
    int made = 0;
    while (made < count) {
        st = part_of(vm, packed.array, at, extents[made], &parts[made]);
        if (st != ST_OK) break;
        at += elements_in(extents[made], types.work);
        st = array_to_scalar(vm, &parts[made]);
        if (st != ST_OK) break;
        made++;
    }
    release(vm, packed);
    if (st == ST_OK) return tuple_steal(vm, parts, (size_t)count, out);
    while (made > 0) release(vm, parts[--made]);
    return st;
}

static Status determinant(Vm *vm, OpId op, Value v, int results, Value *out) {
    static const Extents numbers[] = {{-1, -1, false}, {-1, -1, true}};
    Value array, parts;
    Types types;
    Node *node;
    Status st = operand_from(vm, v, true, &array, &types);
    if (st != ST_OK) return st;
    st = node_of(vm, op, array, &node);
    if (st == ST_OK) st = record_parts(vm, node, array.array, types, numbers, results, &parts);
    release(vm, array);
    if (st != ST_OK) return st;
    *out = results == 1 ? retain(parts.tuple->items[0]) : retain(parts);
    release(vm, parts);
    return st;
}

static Status fn_det(Vm *vm, const Value *args, Value *out) {
    return determinant(vm, AOP_DET, args[0], 1, out);
}
static Status fn_slogdet(Vm *vm, const Value *args, Value *out) {
    return determinant(vm, AOP_SLOGDET, args[0], 2, out);
}

// --- Factors -----------------------------------------------------------------------------------

// Reads an argument that is one of the module's constants VALUES, REDUCED, COMPLETE and RAW.
static Status part_from(Vm *vm, Value v, Part *out) {
    if (v.kind != K_INT || v.i < PART_VALUES || v.i > PART_RAW)
        return vm_raise(vm, EXC_ValueError, "no such part");
    *out = (Part)v.i;
    return ST_OK;
}

// Finds the extents of the results, in the order of ops.def, for an m x n matrix. Returns their number.
static int extents_of(OpId op, Part part, int64_t m, int64_t n, Extents *out) {
    int64_t k = m < n ? m : n, width = part == PART_COMPLETE ? m : k;
    switch (op) {
    case AOP_QR:
        out[0] = part == PART_VALUES ? (Extents){k, n, false}
                 : part == PART_RAW  ? (Extents){n, m, false}
                                     : (Extents){m, width, false};
        out[1] = part == PART_RAW ? (Extents){k, -1, false} : (Extents){width, n, false};
        return part == PART_VALUES ? 1 : 2;
    case AOP_SVD:
        out[0] = (Extents){k, -1, true};
        out[1] = (Extents){m, width, false};
        out[2] = (Extents){part == PART_COMPLETE ? n : k, n, false};
        return part == PART_VALUES ? 1 : 3;
    default: // EIGH, EIG
        out[0] = (Extents){n, -1, op == AOP_EIGH};
        out[1] = (Extents){n, n, false};
        return part == PART_VALUES ? 1 : 2;
    }
}

static Status factors(Vm *vm, OpId op, Value v, Value part_value, bool upper, Value *out) {
    Value array;
    Types types;
    Node *node;
    Part part = PART_VALUES;
    Extents extents[PARTS];
    Status st = part_from(vm, part_value, &part);
    if (st == ST_OK) st = operand_from(vm, v, op == AOP_EIGH || op == AOP_EIG, &array, &types);
    if (st != ST_OK) return st;
    const int64_t *shape = array_shape(array.array) + array.array->ndim - 2;
    int count = extents_of(op, part, shape[0], shape[1], extents);
    if (op == AOP_EIG) types = types_for(true, is_narrow(types.result));
    st = node_of(vm, op, array, &node);
    if (st == ST_OK) {
        node->attrs.part = (uint8_t)part;
        node->attrs.upper = upper;
        st = record_parts(vm, node, array.array, types, extents, count, out);
    }
    release(vm, array);
    return st;
}

static Status fn_qr(Vm *vm, const Value *args, Value *out) {
    return factors(vm, AOP_QR, args[0], args[1], false, out);
}
static Status fn_svd(Vm *vm, const Value *args, Value *out) {
    return factors(vm, AOP_SVD, args[0], args[1], false, out);
}
static Status fn_eigh(Vm *vm, const Value *args, Value *out) {
    return factors(vm, AOP_EIGH, args[0], args[1], args[2].kind == K_BOOL && args[2].i, out);
}

static Status fn_eig(Vm *vm, const Value *args, Value *out) {
    return factors(vm, AOP_EIG, args[0], args[1], false, out);
}

// lstsq(a, b, rcond): linalg.ncr has checked that a and b have two dimensions and as many rows.
static Status fn_lstsq(Vm *vm, const Value *args, Value *out) {
    Value pair[2] = {V_UNDEF, V_UNDEF};
    Types types;
    double rcond;
    Node *node;
    Status st = op_as_double(vm, args[2], &rcond);
    if (st != ST_OK) return st == ST_DEFER ? op_refused(vm) : st;
    for (int i = 0; i < 2 && st == ST_OK; i++) st = matrices_from(vm, args[i], false, &pair[i]);
    if (st == ST_OK) st = types_of(vm, pair, 2, &types);
    for (int i = 0; i < 2 && st == ST_OK; i++) st = widen(vm, &pair[i], types.work);
    if (st == ST_OK) st = node_of(vm, AOP_LSTSQ, pair[0], &node);
    if (st == ST_OK) {
        int64_t m = array_shape(pair[0].array)[0], n = array_shape(pair[0].array)[1];
        int64_t sides = array_shape(pair[1].array)[1];
        const Extents extents[] = {{n, sides, false}, {sides, -1, true}, {-1, -1, true},
                                   {m < n ? m : n, -1, true}};
        node_input_array(node, pair[1].array);
        node_input_scalar(node, DT_FLOAT64, (Scalar){.f = rcond});
        st = record_parts(vm, node, pair[0].array, types, extents, 4, out);
    }
    release(vm, pair[0]);
    release(vm, pair[1]);
    return st;
}

// --- The module --------------------------------------------------------------------------------

const NativeDef numpy_linalg_functions[] = {
    {"solve", "a, b"
     "\nThe solution x of a @ x = b for square matrices, by LU factors; LinAlgError for a\n"
     "singular one.\n\n>>> np.linalg.solve([[2, 0], [0, 4]], [2, 4])\narray([1., 1.])",
     fn_solve, NULL, PURE},
    {"inv", "a"
     "\nInverses of square matrices; LinAlgError for a singular one.\n"
     "\n>>> np.linalg.inv([[2, 0], [0, 4]])\narray([[0.5 , 0.  ],\n       [0.  , 0.25]])",
     fn_inv, NULL, PURE},
    {"inv_or_nan", "a, /", fn_inv_or_nan, NULL, PURE},
    {"cholesky", "a, /, *, upper=False"
     "\nThe lower triangular matrix whose product with its own conjugate transpose is `a`;\n"
     "LinAlgError unless that is positive definite. LAPACK's potrf.\n\n"
     ">>> np.linalg.cholesky([[4, 2], [2, 5]])\narray([[2., 0.],\n       [1., 2.]])",
     fn_cholesky, NULL, PURE},
    {"det", "a"
     "\nDeterminants of stacks of square matrices, by LU factors.\n"
     "\n>>> np.linalg.det([[1, 2], [3, 4]]).round(6)\nnp.float64(-2.0)",
     fn_det, NULL, PURE},
    {"slogdet", "a, /", fn_slogdet, NULL, PURE},
    {"qr", "a, part, /", fn_qr, NULL, PURE},
    {"svd", "a, part, /", fn_svd, NULL, PURE},
    {"eigh", "a, part, upper, /", fn_eigh, NULL, PURE},
    {"eig", "a, part, /", fn_eig, NULL, PURE},
    {"lstsq", "a, b, rcond, /", fn_lstsq, NULL, PURE},
    {0},
};

Status numpy_linalg_init(Vm *vm, Module *module) {
    static const struct {
        const char *name;
        Part part;
    } parts[] = {{"VALUES", PART_VALUES}, {"REDUCED", PART_REDUCED}, {"COMPLETE", PART_COMPLETE},
                 {"RAW", PART_RAW}};
    Class *error = vm->exceptions[EXC_LinAlgError];
    Str *home = str_text(vm, "numpy.linalg");
    if (!home) return vm_no_memory(vm);
    replace(vm, &error->module, v_obj(home));
    Status st = module_set(vm, module, "LinAlgError", retain(v_obj(error)));
    for (size_t i = 0; st == ST_OK && i < sizeof parts / sizeof *parts; i++)
        st = module_set(vm, module, parts[i].name, v_int(parts[i].part));
    return st;
}
