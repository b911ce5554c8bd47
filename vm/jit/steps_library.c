// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Calls of backend functions on whole arrays: vector functions, reductions to a scalar, products.
// Deferred operands are materialised first.

#include <string.h>

#include "vm/jit/steps.h"

// Yields a C-contiguous array of a type: the operand itself, or a new one.
static bool flat_array(Infer *f, Var v, DType type, uint32_t beside, Var *out) {
    if (v.type.kind != VAR_BODY && array_type(f, v) == type) {
        *out = v;
        if (v.type.kind == VAR_MADE) return true;
        view_of(f, v, out);
        ViewCode code = view_of_code(out->type.which);
        if (code.ndim == 1 && code.dense) return true;
    }
    return step_make_of(f, v, type, beside, out);
}

static int32_t count_of(Infer *f, const Var *flat) {
    ViewCode code = view_of_code(flat->type.which);
    int32_t count = var_extent(flat, 0);
    for (int d = 1; d < code.ndim; d++)
        count = of_ints(f, AOP_MULTIPLY, count, var_extent(flat, d));
    return count;
}

// --- Vector functions --------------------------------------------------------------------------

bool step_vector(Infer *f, OpId op, DType loop, const Var *operands, int count, Var *out) {
    Var flat[2] = {0};
    uint32_t held = 0;
    RegionInstr call = INSTR(.op = RG_VECTOR, .elementwise = (uint8_t)op, .from = (uint8_t)loop,
                             .type = (uint8_t)loop);
    for (int i = 0; i < count; i++) {
        // binary functions need equal shapes
        if (!is_array(operands[i]) || array_ndim(f, operands[i]) != array_ndim(f, operands[0]))
            return false;
        if (!flat_array(f, operands[i], loop, held, &flat[i])) return false;
        held |= var_made(flat[i]);
        call.args[i] = flat[i].parts[0];
    }
    ViewCode code = view_of_code(flat[0].type.which);
    for (int d = 0; count > 1 && d < code.ndim; d++)
        infer_leave_shapes(f,
                           infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, var_extent(&flat[0], d),
                                       var_extent(&flat[1], d)),
                           SHAPES_BROADCAST, code.ndim, &flat[0].parts[1], code.ndim,
                           &flat[1].parts[1]);
    if (!step_new(f, loop, code.ndim, &flat[0].parts[1], held, out)) return false;
    call.args[2] = out->parts[0];
    call.args[3] = count_of(f, &flat[0]);
    infer_quiet(f); // the call may clear the flags
    infer_emit(f, call);
    if (op_info[op].effects == EFFECT_FPE) infer_nest_tells(f);
    return true;
}

// --- Reductions --------------------------------------------------------------------------------

// Transposes a column-major matrix before it is summed, since NumPy sums in memory order.
static void in_memory_order(Infer *f, Var *v) {
    Var view;
    if (v->type.kind == VAR_BODY || !view_of(f, *v, &view)) return;
    ViewCode code = view_of_code(view.type.which);
    if (code.ndim != 2 || code.dense) return;
    int32_t wide[2];
    for (int d = 0; d < 2; d++)
        wide[d] = infer_apply(f, AOP_ABSOLUTE, DT_INT64, DT_INT64, var_stride(&view, d), NO_VALUE);
    int32_t turned = infer_apply(f, AOP_LESS, DT_INT64, DT_BOOL, wide[0], wide[1]);
    *v = view;
    for (int p = 1; p < 5; p += 2) {
        v->parts[p] = infer_choice(f, turned, view.parts[p + 1], view.parts[p]);
        v->parts[p + 1] = infer_choice(f, turned, view.parts[p], view.parts[p + 1]);
    }
}

// Emits the length of the rows that are contiguous: `count`, the number of elements, if the whole array is.
static int32_t row_of(Infer *f, const Var *v, int32_t count) {
    Var view;
    if (v->type.kind == VAR_BODY || !view_of(f, *v, &view)) return count;
    ViewCode code = view_of_code(view.type.which);
    if (code.ndim != 2 || code.dense) return count;
    int32_t row = var_extent(&view, 1), behind = of_ints(f, AOP_MULTIPLY, var_stride(&view, 1), row);
    int32_t apart = infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, var_stride(&view, 0), behind);
    int32_t is_row = infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, row, infer_int(f, 1));
    return infer_choice(f, apart, infer_choice(f, is_row, row, count), count);
}

// Reduces all elements of an array; *count receives their number.
static bool reduce_counted(Infer *f, OpId op, Var v, Var *out, int32_t *count) {
    DType loop, result;
    Var flat;
    if (!is_array(v) || !op_types(op, array_type(f, v), &loop, &result)) return false;
    if (loop == DT_FLOAT16 || dtype_kind(loop) == DK_COMPLEX || result != loop) return false;
    if (op == AOP_SUM && dtype_kind(loop) == DK_FLOAT) in_memory_order(f, &v);
    if (!flat_array(f, v, loop, 0, &flat)) return false;
    *count = count_of(f, &flat);
    int32_t row = row_of(f, &v, *count);
    RegionInstr call = INSTR(.op = RG_REDUCE, .elementwise = (uint8_t)op, .type = (uint8_t)loop);
    call.args[0] = flat.parts[0];
    call.args[1] = *count;
    call.args[2] = row;
    if (op_info[op].identity == IDENTITY_NONE)
        infer_leave_for(f,
                        infer_apply(f, AOP_EQUAL, DT_INT64, DT_BOOL, call.args[1], infer_int(f, 0)),
                        because(LEFT_EMPTY, op), NO_VALUE, NO_VALUE);
    infer_quiet(f);
    *out = var_of(VAR_SCALAR, infer_emit(f, call));
    out->type.dtype = (uint8_t)loop;
    if (op_info[op].effects == EFFECT_FPE && dtype_kind(loop) == DK_FLOAT)
        infer_tells(f, out->parts[0]);
    return true;
}

bool step_reduce(Infer *f, OpId op, Var v, Var *out) {
    int32_t count;
    return reduce_counted(f, op, v, out, &count);
}

// Reduces the last axis; `keep` leaves it with extent 1.
static bool reduce_last(Infer *f, OpId op, Var v, bool keep, Var *out) {
    DType loop, result;
    Var flat;
    int32_t extents[REGION_DIMS], rows;
    if (!op_types(op, array_type(f, v), &loop, &result) || result != loop) return false;
    if (loop == DT_FLOAT16 || dtype_kind(loop) == DK_COMPLEX) return false;
    if (!flat_array(f, v, loop, 0, &flat)) return false;
    int last = view_of_code(flat.type.which).ndim - 1;
    for (int d = 0; d < last; d++) extents[d] = var_extent(&flat, d);
    extents[last] = infer_int(f, 1);
    rows = extents[0];
    for (int d = 1; d < last; d++) rows = of_ints(f, AOP_MULTIPLY, rows, extents[d]);
    RegionInstr call =
        INSTR(.op = RG_REDUCE_ROWS, .elementwise = (uint8_t)op, .type = (uint8_t)loop);
    call.args[0] = flat.parts[0];
    call.args[1] = var_extent(&flat, last);
    call.args[2] = rows;
    if (op_info[op].identity == IDENTITY_NONE)
        infer_leave_for(f,
                        infer_apply(f, AOP_EQUAL, DT_INT64, DT_BOOL, call.args[1], infer_int(f, 0)),
                        because(LEFT_EMPTY, op), NO_VALUE, NO_VALUE);
    if (!step_new(f, loop, last + keep, extents, var_made(flat), out)) return false;
    call.args[3] = out->parts[0];
    infer_quiet(f);
    infer_emit(f, call);
    if (op_info[op].effects == EFFECT_FPE && dtype_kind(loop) == DK_FLOAT) infer_nest_tells(f);
    return true;
}

static OpId reduction_named(const char *name) {
    static const struct {
        const char *name;
        OpId op;
    } known[] = {{"sum", AOP_SUM},  {"max", AOP_MAX}, {"amax", AOP_MAX}, {"min", AOP_MIN},
                 {"amin", AOP_MIN}, {"any", AOP_ANY}, {"all", AOP_ALL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) return known[i].op;
    return AOP_NONE;
}

bool step_reduction_along(Infer *f, const char *name, Var v, Var axis, bool keep, Var *out) {
    int64_t number;
    Var sum;
    bool mean = strcmp(name, "mean") == 0;
    OpId op = mean ? AOP_SUM : reduction_named(name);
    if (op == AOP_NONE || !is_array(v) || axis.type.kind != VAR_INT ||
        !infer_known(f, axis.parts[0], &number))
        return false;
    int ndim = array_ndim(f, v);
    if (ndim < 2 || (number != -1 && number != ndim - 1)) return false;
    if (!mean) return reduce_last(f, op, v, keep, out);
    if (array_type(f, v) != DT_FLOAT64) return false;
    if (v.type.kind == VAR_BODY && !step_make(f, v, &v)) return false;
    Var view;
    view_of(f, v, &view);
    Var count = var_of(VAR_INT, var_extent(&view, ndim - 1));
    return reduce_last(f, op, v, keep, &sum) &&
           step_elementwise(f, AOP_DIVIDE, (const Var[]){sum, count}, 2, out);
}

// Emits a mean as sum divided by count. The mean of no elements warns, so the region leaves.
bool step_mean(Infer *f, Var v, Var *out) {
    Var sum;
    int32_t count;
    if (!is_array(v) || array_type(f, v) != DT_FLOAT64) return false;
    if (!reduce_counted(f, AOP_SUM, v, &sum, &count)) return false;
    return step_arithmetic(f, AOP_DIVIDE, sum, var_of(VAR_INT, count), out);
}

bool step_reduction_named(Infer *f, const char *name, Var v, Var *out) {
    OpId op = reduction_named(name);
    if (strcmp(name, "mean") == 0) return step_mean(f, v, out);
    return op != AOP_NONE && step_reduce(f, op, v, out);
}

// --- Products ----------------------------------------------------------------------------------

// A factor of a product as a matrix; a vector is one row or one column.
typedef struct Factor {
    int32_t address, rows, cols, row_stride, col_stride;
} Factor;

static Factor factor_of(Infer *f, const Var *view, bool column) {
    int32_t one = infer_int(f, 1), zero = infer_int(f, 0);
    if (view_of_code(view->type.which).ndim == 2)
        return (Factor){view->parts[0], var_extent(view, 0), var_extent(view, 1),
                        var_stride(view, 0), var_stride(view, 1)};
    return column ? (Factor){view->parts[0], var_extent(view, 0), one, var_stride(view, 0), zero}
                  : (Factor){view->parts[0], one, var_extent(view, 0), zero, var_stride(view, 0)};
}

// Leaves if the product is large enough for threads, which the scheduler uses.
static void limit_product(Infer *f, const Factor *a, const Factor *b) {
    enum { PRODUCT_MOST = 1 << 21 };
    int32_t work = a->rows;
    const int32_t by[] = {a->cols, b->cols};
    for (int i = 0; i < 2; i++) {
        RegionInstr times = INSTR(.op = RG_CHECKED, .elementwise = AOP_MULTIPLY, .from = DT_INT64,
                                  .type = DT_INT64);
        times.exit = infer_exit(f);
        times.args[0] = work;
        times.args[1] = by[i];
        work = infer_emit(f, times);
    }
    infer_leave_if(
        f, infer_apply(f, AOP_GREATER, DT_INT64, DT_BOOL, work, infer_int(f, PRODUCT_MOST)));
}

// Translates a matrix product. `is_dot`: shape errors have np.dot's messages.
bool step_product(Infer *f, Var a, Var b, bool is_dot, Var *out) {
    Var x, y;
    if (!is_array(a) || !is_array(b) || array_type(f, a) != array_type(f, b)) return false;
    DType type = array_type(f, a);
    if (type != DT_FLOAT64 && type != DT_FLOAT32) return false;
    uint32_t held = 0;
    if (a.type.kind == VAR_BODY && !step_make_of(f, a, type, 0, &a)) return false;
    held |= var_made(a);
    if (b.type.kind == VAR_BODY && !step_make_of(f, b, type, held, &b)) return false;
    held |= var_made(b);
    view_of(f, a, &x);
    view_of(f, b, &y);
    int a_dims = view_of_code(x.type.which).ndim, b_dims = view_of_code(y.type.which).ndim;
    if (a_dims > 2 || b_dims > 2) return false;
    if (a_dims == 1 && b_dims == 1) return step_dot(f, x, y, is_dot, out);
    Factor left = factor_of(f, &x, false), right = factor_of(f, &y, true);
    infer_leave_shapes(f, infer_apply(f, AOP_NOT_EQUAL, DT_INT64, DT_BOOL, left.cols, right.rows),
                       is_dot ? SHAPES_DOT : SHAPES_MATMUL, a_dims, &x.parts[1], b_dims,
                       &y.parts[1]);
    if (!f->ahead) limit_product(f, &left, &right);
    const int32_t extents[] = {a_dims == 1 ? right.cols : left.rows, right.cols};
    if (!step_new(f, type, a_dims + b_dims - 2, extents, held, out)) return false;
    infer_quiet(f); // the call clears the flags
    const int32_t values[] = {out->parts[0],    left.rows,       left.cols,       right.cols,
                              left.address,     left.row_stride, left.col_stride, right.address,
                              right.row_stride, right.col_stride};
    RegionInstr call = INSTR(.op = RG_PRODUCT, .type = (uint8_t)type, .dim = false);
    call.links.first = f->variant->region.link_count;
    call.links.count = sizeof values / sizeof *values;
    for (int i = 0; i < call.links.count; i++) region_add_link(f->maker, values[i]);
    infer_emit(f, call);
    infer_nest_tells(f);
    return true;
}
