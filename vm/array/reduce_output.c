// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// out= of reductions and scans.

#include <inttypes.h>
#include <string.h>

#include "vm/array/reductions.h"


static int kept_shape(const View *in, AxisSet axes, int64_t *shape) {
    int kept = 0;
    for (int d = 0; d < in->ndim; d++)
        if (!(axes >> d & 1)) shape[kept++] = in->shape[d];
    return kept;
}

static Status wrong_rank(Vm *vm, const ReduceCall *call, int found, int wanted) {
    return vm_raise(vm, EXC_ValueError, "output parameter for reduction operation %s has the wrong "
                    "number of dimensions: Found %d but expected %d%s", op_info[call->op].name, found,
                    wanted, call->keepdims ? " (must match the operand's when keepdims=True)" : "");
}

// Raises NumPy's error for a wrong extent. It lists the output's axes next to the operand's; reduced
// axes are "newaxis".
static Status wrong_extent(Vm *vm, const View *in, AxisSet axes, bool keepdims, Array *into) {
    Buf text;
    int first = 0, printed = 0;
    if (keepdims) axes = 0;
    while (first < in->ndim && axes >> first & 1) first++;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "operands could not be broadcast together with remapped shapes "
                    "[original->remapped]: ");
    shape_text_tight(array_shape(into), into->ndim, &text);
    buf_puts(&text, "->(");
    for (int d = first, kept = 0; d < in->ndim; d++) {
        if (printed++) buf_putc(&text, ',');
        if (axes >> d & 1) buf_puts(&text, "newaxis");
        else buf_printf(&text, "%" PRId64, array_shape(into)[kept++]);
    }
    buf_puts(&text, in->ndim == 1 ? ",) " : ") ");
    shape_text_tight(in->shape, in->ndim, &text);
    buf_puts(&text, " ");
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

// Finds an axis where output or operand wrongly has extent 1.
static Status stretched_output(Vm *vm, const ReduceCall *call, const View *in, AxisSet axes, int axis) {
    Array *into = call->into.array;
    int at = 0;
    for (int d = 0; d < axis; d++) at += call->keepdims || !(axes >> d & 1);
    int64_t extent = array_shape(into)[at];
    if (axes >> axis & 1)
        return vm_raise(vm, EXC_ValueError, "operand was set up as a reduction along axis %d, but the "
                        "length of the axis is %" PRId64 " (it has to be 1)", axis, extent);
    if (extent == 1)
        return vm_raise(vm, EXC_ValueError, "output operand requires a reduction along dimension %d, "
                        "but the reduction is not enabled. The dimension size of 1 does not match the "
                        "expected output shape.", at);
    int64_t shape[NDIM_MAX];
    Buf text;
    at = 0;
    for (int d = 0; d < in->ndim; d++) {
        bool taken = call->keepdims || !(axes >> d & 1);
        shape[d] = in->shape[d] == 1 && taken ? array_shape(into)[at] : in->shape[d];
        at += taken;
    }
    buf_init(&text, &vm->mem);
    buf_puts(&text, "non-broadcastable operand with shape ");
    shape_text_tight(in->shape, in->ndim, &text);
    buf_puts(&text, " doesn't match the broadcast shape ");
    shape_text_tight(shape, in->ndim, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

Status check_reduced_output(Vm *vm, const ReduceCall *call, const View *in, AxisSet axes) {
    if (call->into.kind != K_ARRAY) return ST_OK;
    Array *into = call->into.array;
    int64_t shape[NDIM_MAX];
    int kept = kept_shape(in, axes, shape), wanted = call->keepdims ? in->ndim : kept;
    if (array_check_writeable(vm, into, "output array") != ST_OK) return ST_ERROR;
    if (into->ndim != wanted) return wrong_rank(vm, call, into->ndim, wanted);
    int stretched = -1;
    for (int d = 0, at = 0; d < in->ndim; d++) {
        bool reduced = axes >> d & 1;
        if (reduced && !call->keepdims) continue;
        int64_t extent = array_shape(into)[at++];
        if (extent != in->shape[d] && extent != 1 && in->shape[d] != 1)
            return wrong_extent(vm, in, axes, call->keepdims, into);
        if (extent != (reduced ? 1 : in->shape[d]) && stretched < 0) stretched = d;
    }
    return stretched < 0 ? ST_OK : stretched_output(vm, call, in, axes, stretched);
}

// --- Scans -------------------------------------------------------------------------------------

static void remapped(const int64_t *shape, int ndim, int taken, Buf *text) {
    shape_text_tight(shape, ndim, text);
    buf_puts(text, "->");
    shape_text_tight(shape, taken, text);
    buf_putc(text, ' ');
}

static Status scan_output_error(Vm *vm, Array *into, const View *shape, const View *operand) {
    int64_t reversed[NDIM_MAX], common[NDIM_MAX];
    int ndim = shape->ndim;
    bool broadcast = true, narrow = false; // narrow: extent 1 where more is needed
    Buf text;
    if (into->ndim < ndim)
        return vm_raise(vm, EXC_ValueError, "Iterator input op_axes[0][%d] (==%d) is not a valid axis "
                        "of op[0], which has %d dimensions ", ndim - into->ndim - 1, into->ndim,
                        into->ndim);
    for (int d = 0; d < ndim; d++) {
        int64_t extent = array_shape(into)[d], own = shape->shape[d];
        broadcast = broadcast && (extent == 1 || own == 1 || extent == own);
        common[d] = own == 1 ? extent : own;
        narrow = narrow || extent != common[d];
        reversed[ndim - 1 - d] = extent;
    }
    buf_init(&text, &vm->mem);
    if (broadcast && narrow) {
        buf_puts(&text, "non-broadcastable output operand with shape ");
        shape_text_tight(array_shape(into), into->ndim, &text);
        buf_puts(&text, " [remapped to ");
        shape_text_tight(reversed, ndim, &text);
        buf_puts(&text, "] doesn't match the broadcast shape ");
        shape_text_tight(common, ndim, &text);
    } else {
        buf_puts(&text, "operands could not be broadcast together with remapped shapes "
                        "[original->remapped]: ");
        remapped(array_shape(into), into->ndim, ndim, &text);
        remapped(operand->shape, ndim, ndim, &text);
    }
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

static void bounds(const View *view, int64_t *low, int64_t *high) {
    *low = *high = view->offset;
    for (int d = 0; d < view->ndim; d++) {
        int64_t reach = (view->shape[d] - 1) * view->strides[d];
        if (reach < 0) *low += reach;
        else *high += reach;
    }
}

static bool may_overlap(const View *a, const View *b) {
    int64_t low_a, high_a, low_b, high_b;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] == 0) return false;
    for (int d = 0; d < b->ndim; d++)
        if (b->shape[d] == 0) return false;
    bounds(a, &low_a, &high_a);
    bounds(b, &low_b, &high_b);
    return a->storage == b->storage && low_a <= high_b && low_b <= high_a;
}

Status check_scan_output(Vm *vm, const ReduceCall *call, const View *shape,
                                const View *operand, DType type) {
    if (call->into.kind != K_ARRAY) return ST_OK;
    Array *into = call->into.array;
    if (array_check_writeable(vm, into, "output array") != ST_OK) return ST_ERROR;
    bool fits = into->ndim >= shape->ndim &&
                memcmp(array_shape(into), shape->shape, (size_t)shape->ndim * sizeof(int64_t)) == 0;
    if (fits && into->ndim == shape->ndim) return ST_OK;
    View view;
    array_view(into, &view);
    bool iterated = shape->ndim > 1 || into->dtype != type || operand->dtype != type ||
                    may_overlap(&view, operand);
    if (iterated && fits) return array_size(into) ? ST_OK : ST_STOP;
    if (iterated) return scan_output_error(vm, into, shape, operand);
    if (array_size(into) == 0) return ST_STOP;
    return vm_raise(vm, EXC_ValueError, "provided out is the wrong size for the accumulation.");
}

// --- The result --------------------------------------------------------------------------------

Status reduced_into(Vm *vm, Value into, Value *out) {
    View to;
    if (into.kind != K_ARRAY) return ST_OK;
    array_view(into.array, &to);
    // takes the first element along surplus axes (see check_scan_output)
    to.ndim = (*out).array->ndim;
    Status st = warn_of_cast(vm, (*out).array->dtype, to.dtype);
    if (st == ST_OK) st = array_assign(vm, &to, *out);
    release(vm, *out);
    if (st == ST_OK) *out = retain(into);
    return st;
}
