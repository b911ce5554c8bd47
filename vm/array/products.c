// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix products: matmul and dot.

#include <inttypes.h>

#include "vm/array/ufunc.h"

enum { DOT_ROW = 1024 }; // maximum length of rows multiplied directly

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

// Makes a vector a matrix of one row (left operand) or one column.
static void as_matrix(View *view, bool left) {
    if (view->ndim != 1) return;
    int at = left ? 0 : 1;
    view->shape[1 - at] = view->shape[0];
    view->strides[1 - at] = view->strides[0];
    view->shape[at] = 1;
    view->strides[at] = 0;
    view->ndim = 2;
}

// Writes an operand's stack dimensions, such as "(2,9,3)->(2,newaxis,newaxis)".
static void remapped_text(const View *v, Buf *out) {
    shape_text_tight(v->shape, v->ndim, out);
    buf_puts(out, "->(");
    for (int d = 0; d < v->ndim - 2; d++) buf_printf(out, "%" PRId64 ",", v->shape[d]);
    buf_puts(out, "newaxis,newaxis) ");
}

// Raises NumPy's error for stacks that do not broadcast.
static Status stack_mismatch(Vm *vm, const View *a, const View *b) {
    Buf text;
    const int64_t matrix[2] = {a->shape[a->ndim - 2], b->shape[b->ndim - 1]};
    buf_init(&text, &vm->mem);
    buf_puts(&text, "operands could not be broadcast together with remapped shapes "
                    "[original->remapped]: ");
    remapped_text(a, &text);
    remapped_text(b, &text);
    buf_puts(&text, " and requested shape ");
    shape_text_tight(matrix, 2, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

static Status matmul_shape(Vm *vm, View *a, View *b, int64_t *shape, int *ndim) {
    View stacks[2] = {*a, *b};
    const View *views[2] = {&stacks[0], &stacks[1]};
    stacks[0].ndim = a->ndim - 2;
    stacks[1].ndim = b->ndim - 2;
    if (shapes_broadcast(vm, views, 2, shape, ndim) != ST_OK) return stack_mismatch(vm, a, b);
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

const char product_untold[] = "";

static Status record_matmul(Vm *vm, const View *a, const View *b, const View *to, const char *called) {
    Node *node = graph_node_of(vm, AOP_MATMUL, to->dtype, to, 2, (const View *[]){a, b});
    if (!node) return vm_no_memory(vm);
    node->attrs.quiet = called == product_untold;
    node->attrs.called = node->attrs.quiet ? NULL : called;
    return graph_record(vm, node);
}

// Sets the shape of a product's view, and strides for contiguous elements.
static void as_product(const View *a, const View *b, View *to) {
    int64_t stride = (int64_t)dtype_size(to->dtype);
    int last = a->ndim - 1;
    to->ndim = a->ndim;
    for (int d = last; d >= 0; d--) {
        to->shape[d] = d == last ? b->shape[d] : a->shape[d];
        to->strides[d] = stride;
        stride *= to->shape[d] > 1 ? to->shape[d] : 1;
    }
}

Status array_product(Vm *vm, const View *a, const View *b, int ndim, const int64_t *shape, const char *called,
                     Value *out) {
    View to;
    Status st = array_new(vm, a->dtype, ndim, shape, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    array_view(out->array, &to);
    as_product(a, b, &to);
    st = record_matmul(vm, a, b, &to, called);
    if (st == ST_OK) return array_to_result(vm, NULL, out);
    release(vm, *out);
    return st;
}

// Records a product with a vector, which is broadcast to x's shape, as a multiplication and a sum along the axis.
static Status sum_of_products(Vm *vm, Array *x, const View *vector, int axis, const char *called, Value *out) {
    Value products;
    View view;
    Status st = array_new_like(vm, x, x->dtype, &products);
    if (st != ST_OK) return st;
    if (!called) called = op_info[AOP_MATMUL].name;
    Node *node = graph_node(vm, AOP_MULTIPLY);
    st = node ? ST_OK : vm_no_memory(vm);
    if (node) {
        node_input_array(node, x);
        node_input_view(node, vector);
        node_output_array(node, products.array);
        node->attrs.loop = x->dtype;
        node->attrs.called = called;
        st = graph_record(vm, node);
    }
    array_view(products.array, &view);
    if (st == ST_OK) st = array_sum_of(vm, &view, axis_bit(axis), called, out);
    release(vm, products); // before the sum is read: a pending plan stores what is referred to
    return st == ST_OK ? array_to_result(vm, NULL, out) : st;
}

// Returns whether a large matrix is the result of a pending elementwise operation, into whose kernel a sum can be fused:
// then the matrix is never written.
static bool is_computed(Array *matrix) {
    enum { LARGE = 1 << 16 };
    const Node *producer = matrix->storage->producer;
    return producer && producer->state == NODE_RECORDED && op_info[producer->op].op_class == CLASS_ELEMENTWISE &&
           array_size(matrix) >= LARGE;
}

// Returns whether a row that does not stay in a core's cache is the result of a pending operation into whose kernel a sum
// can be fused.
static bool is_computed_row(Array *row) {
    enum { CACHED = 1 << 16 };
    const Node *producer = row->storage->producer;
    if (!producer || producer->state != NODE_RECORDED || array_size(row) < CACHED) return false;
    return op_info[producer->op].op_class == CLASS_ELEMENTWISE || producer->op == AOP_SPARSE_PRODUCT;
}

// As a sum, the product of two rows of which one is computed on the way. On a device also that of any two rows, for which
// it has no routine, and of a vector with a matrix that is computed on the way. ST_NOTIMPL: it is another product.
static Status product_by_sum(Vm *vm, Array *left, Array *right, const char *called, Value *out) {
    const bool row = left->ndim == 1, column = right->ndim == 1;
    Array *matrix = row ? right : left;
    View vector;
    if (!dtype_is_inexact(left->dtype) || left->dtype != right->dtype) return ST_NOTIMPL;
    if (!graph_of(vm)->on_device) { // a sum of half floats would round each product
        const bool pays = !graph_of(vm)->unfused && row && column && left->dtype != DT_FLOAT16 && (is_computed_row(left) || is_computed_row(right));
        if (!pays) return ST_NOTIMPL;
    }
    if (array_size(left) == 0 || array_size(right) == 0) return ST_NOTIMPL;
    array_view(row && !column ? left : right, &vector);
    if (row && column) return sum_of_products(vm, left, &vector, 0, called, out);
    if (row == column || matrix->ndim != 2 || !is_computed(matrix)) return ST_NOTIMPL;
    const int along = row ? 0 : 1;
    const int64_t stride = vector.strides[0];
    vector.ndim = 2;
    for (int d = 0; d < 2; d++) {
        vector.shape[d] = array_shape(matrix)[d];
        vector.strides[d] = d == along ? stride : 0;
    }
    return sum_of_products(vm, matrix, &vector, along, called, out);
}

static Status matmul_arrays(Vm *vm, Array *left, Array *right, const char *called, Value *out) {
    View a, b;
    int64_t shape[NDIM_MAX];
    int ndim, kept = 0;
    array_view(left, &a);
    array_view(right, &b);
    if (a.ndim == 0 || b.ndim == 0) return matmul_scalar(vm, a.ndim != 0);
    bool row = a.ndim == 1, column = b.ndim == 1;
    as_matrix(&a, true);
    as_matrix(&b, false);
    if (a.shape[a.ndim - 1] != b.shape[b.ndim - 2])
        return matmul_mismatch(vm, b.shape[b.ndim - 2], a.shape[a.ndim - 1]);
    const Status summed = product_by_sum(vm, left, right, called, out);
    if (summed != ST_NOTIMPL) return summed;
    if (matmul_shape(vm, &a, &b, shape, &ndim) != ST_OK) return ST_ERROR;
    for (int d = 0; d < ndim; d++)
        if (!(row && d == ndim - 2) && !(column && d == ndim - 1)) shape[kept++] = shape[d];
    return array_product(vm, &a, &b, kept, shape, called, out);
}

// Multiplies two short rows of the same type directly.
static bool dot_directly(Vm *vm, Value a, Value b, Value *out, Status *st) {
    if (a.kind != K_ARRAY || b.kind != K_ARRAY || a.array->ndim != 1 || b.array->ndim != 1) return false;
    if (graph_of(vm)->on_device) return false;
    Array *x = a.array, *y = b.array;
    int64_t n = array_shape(x)[0];
    if (n == 0 || n > DOT_ROW || n != array_shape(y)[0] || x->dtype != y->dtype || !array_is_contiguous(x) ||
        !array_is_contiguous(y))
        return false;
    *st = array_new(vm, x->dtype, 0, array_shape(x), ROOM_PLACED, out);
    if (*st != ST_OK) return true;
    int64_t size = (int64_t)dtype_size(x->dtype);
    const int64_t row[2] = {1, n}, column[2] = {n, 1}, one[2] = {1, 1}, steps[2] = {size, size};
    Node *node = graph_node(vm, AOP_MATMUL);
    bool done = node;
    if (node) {
        node_input_dims(node, x->storage, x->offset, x->dtype, 2, row, steps);
        node_input_dims(node, y->storage, y->offset, y->dtype, 2, column, steps);
        node_output_dims(node, out->array->storage, out->array->offset, x->dtype, 2, one, steps);
        node->attrs.loop = x->dtype;
        done = graph_try(vm, node);
    }
    if (done) *st = array_to_scalar(vm, out);
    else release(vm, *out);
    return done;
}

static Status product(Vm *vm, Value a, Value b, const char *called, Value *out) {
    Status direct;
    if (dot_directly(vm, a, b, out, &direct)) return direct;
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
    if (st == ST_OK) st = matmul_arrays(vm, left.array, right.array, called, out);
    release(vm, left);
    release(vm, right);
    return st;
}

Status array_matmul(Vm *vm, Value a, Value b, Value *out) {
    return product(vm, a, b, NULL, out);
}

// Checks that a product can overwrite its first operand.
static Status check_in_place(Vm *vm, Array *a, Array *made, int64_t columns) {
    int core = a->ndim == 1 ? 0 : 1, lead = 0;
    int64_t own = array_shape(a)[a->ndim - 1];
    View to;
    array_view(a, &to);
    // leading dimensions of extent 1 may be dropped
    while (made->ndim - lead > to.ndim && array_shape(made)[lead] == 1) lead++;
    if (own != columns)
        return vm_raise(vm, EXC_ValueError, "matmul: Output operand 0 has a mismatch in its core dimension %d, with "
                        "gufunc signature (n?,k),(k,m?)->(n?,m?) (size %" PRId64 " is different from %" PRId64 ")",
                        core, own, columns);
    if (made->ndim - lead > to.ndim)
        return vm_raise(vm, EXC_ValueError, "output operand requires a reduction along dimension -1, but the reduction is "
                        "not enabled. The dimension size of 1 does not match the expected output shape.");
    if (!dtype_can_cast(made->dtype, a->dtype, CAST_SAME_KIND))
        return vm_raise(vm, EXC_TypeError, "Cannot cast ufunc 'matmul' output from dtype('%s') to dtype('%s') with casting "
                        "rule 'same_kind'", dtype_info[made->dtype].name, dtype_info[a->dtype].name);
    return check_output_shape(vm, &to, array_shape(made) + lead, made->ndim - lead);
}

Status array_matmul_in_place(Vm *vm, Value a, Value b, Value *out) {
    Value matrix, made = V_UNDEF;
    Status st = array_check_writeable(vm, a.array, "output array");
    if (st == ST_OK) st = array_from(vm, b, DT_NONE, &matrix);
    if (st != ST_OK) return st;
    Array *other = matrix.array;
    if (a.array->ndim > 0 && other->ndim == 1) // 0-dimensional: not a matrix
        st = vm_raise(vm, EXC_ValueError, "inplace matrix multiplication requires the first operand to have at least one "
                      "and the second at least two dimensions.");
    if (st == ST_OK) st = array_matmul(vm, a, matrix, &made);
    if (st == ST_OK) st = check_in_place(vm, a.array, made.array, array_shape(other)[other->ndim - 1]);
    if (st == ST_OK) {
        View to;
        array_view(a.array, &to);
        st = array_assign(vm, &to, made);
    }
    if (st == ST_OK) *out = retain(a);
    release(vm, made);
    release(vm, matrix);
    return st;
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

// Computes dot by one matrix product: moves the second operand's second-to-last axis to the front and
// joins its other axes. The result has the axes of both operands without the summed ones.
static Status dot_stacks(Vm *vm, Value a, Value b, Value *out) {
    Array *x = a.array, *y = b.array;
    int64_t shape[2 * NDIM_MAX], matrix[2];
    int order[NDIM_MAX], ndim = 0, summed = y->ndim - 2;
    if (x->ndim + y->ndim - 2 > NDIM_MAX)
        return vm_raise(vm, EXC_ValueError, "dot: too many dimensions in result");
    for (int d = 0; d < x->ndim - 1; d++) shape[ndim++] = array_shape(x)[d];
    order[0] = summed;
    for (int d = 0, at = 1; d < y->ndim; d++) {
        if (d == summed) continue;
        order[at++] = d;
        shape[ndim++] = array_shape(y)[d];
    }
    Value turned, rows, made;
    matrix[0] = array_shape(y)[summed];
    matrix[1] = matrix[0] ? array_size(y) / matrix[0] : 0;
    for (int d = x->ndim - 1; matrix[0] == 0 && d < ndim; d++)
        matrix[1] = d == x->ndim - 1 ? shape[d] : matrix[1] * shape[d];
    Status st = array_transpose(vm, b, order, &turned);
    if (st != ST_OK) return st;
    st = array_reshape(vm, turned, matrix, 2, &rows);
    release(vm, turned);
    if (st != ST_OK) return st;
    st = product(vm, a, rows, "dot", &made);
    release(vm, rows);
    if (st != ST_OK) return st;
    st = array_reshape(vm, made, shape, ndim, out);
    release(vm, made);
    return st;
}

static Status dot_arrays(Vm *vm, Value a, Value b, Value *out) {
    Array *x = a.array, *y = b.array;
    if (x->ndim == 0 || y->ndim == 0) {
        const UfuncCall call = {.op = AOP_MULTIPLY, .args = (Value[]){a, b}, .count = 2, .into = V_UNDEF,
                                .dtype = DT_NONE, .casting = CAST_SAME_KIND, .result_of = "dot"};
        return ufunc_apply(vm, &call, out);
    }
    if (array_shape(x)[x->ndim - 1] != array_shape(y)[y->ndim == 1 ? 0 : y->ndim - 2])
        return dot_mismatch(vm, x, y);
    if (y->ndim > 2) return dot_stacks(vm, a, b, out);
    return product(vm, a, b, "dot", out);
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
