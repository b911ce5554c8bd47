// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Describes the elements of an array that a view covers, as an index in the script's notation.

#include <stdlib.h>
#include <string.h>

#include "plans.h"

enum { DIMS = 8 }; // no regions are shown for arrays with more dimensions

// The array that views are parts of, in C order.
typedef struct Whole {
    int ndim;
    int64_t offset, shape[DIMS], strides[DIMS];
} Whole;

static bool is_c_order(const NacreView *view) {
    if (view->ndim < 1 || view->ndim > DIMS) return false;
    for (int d = 0; d + 1 < view->ndim; d++)
        if (view->strides[d] != view->strides[d + 1] * view->shape[d + 1]) return false;
    return view->strides[view->ndim - 1] > 0;
}

static void whole_of_view(const NacreView *view, Whole *whole) {
    whole->ndim = view->ndim;
    whole->offset = view->offset;
    memcpy(whole->shape, view->shape, (size_t)view->ndim * sizeof *view->shape);
    memcpy(whole->strides, view->strides, (size_t)view->ndim * sizeof *view->strides);
}

// Guesses the shape of an array from a view's strides. If they decrease, and each is a multiple of the next, each
// extent of the array is the quotient of two successive strides. The last stride is taken for the size of an element.
// Returns false if the strides do not decrease like that.
static bool guess(const NacreView *view, int64_t bytes, Whole *whole) {
    int64_t outer = bytes;
    whole->ndim = 0;
    whole->offset = 0;
    for (int d = 0; d < view->ndim; d++) {
        int64_t stride = view->strides[d];
        if (stride == 0 && view->shape[d] > 1) return false;
        if (stride <= 0 || stride > outer || outer % stride || whole->ndim == DIMS) return false;
        whole->shape[whole->ndim] =
            outer / stride; // extent: how many strides fit into the next outer one
        whole->strides[whole->ndim++] = stride;
        outer = stride;
    }
    return whole->ndim > 0;
}

// Guesses the array's shape from the view with the most dimensions.
static bool find_guess(const KeptPlan *plan, int storage, Whole *whole) {
    const NacreView *best = NULL;
    Whole tried;
    for (int n = 0; n < plan->node_count; n++) {
        const NacreNode *node = &plan->nodes[n];
        for (int i = 0; i <= node->operand_count; i++) {
            const NacreView *view =
                i < node->operand_count ? &node->operands[i].view : &node->result;
            bool scalar = i < node->operand_count && node->operands[i].is_scalar;
            if (scalar || view->storage != storage || (best && best->ndim >= view->ndim)) continue;
            if (guess(view, (int64_t)plan->storages[storage].bytes, &tried)) best = view;
        }
    }
    return best && guess(best, (int64_t)plan->storages[storage].bytes, whole);
}

static bool find_whole(const KeptPlan *plan, int storage, Whole *whole) {
    const NacreStorage *of = &plan->storages[storage];
    if (of->name && is_c_order(&of->array)) {
        whole_of_view(&of->array, whole);
        int64_t bytes = whole->strides[0] * whole->shape[0];
        if (bytes == (int64_t)of->bytes) return true;
    }
    return find_guess(plan, storage, whole);
}

static void put_slice(int64_t first, int64_t count, int64_t step, int64_t extent, Text *out) {
    int64_t end = first + (count - 1) * step + (step > 0 ? 1 : -1);
    if (first == 0 && count == extent && step == 1) {
        text_puts(out, ":");
        return;
    }
    if (step < 0 ? first != extent - 1 : first != 0) text_printf(out, "%lld", (long long)first);
    text_puts(out, ":");
    bool to_end = step > 0 ? end + step > extent : end < 0;
    if (!to_end && step > 0 && extent - end <= 4)
        text_printf(out, "-%lld", (long long)(extent - end));
    else if (!to_end) text_printf(out, "%lld", (long long)end);
    if (step != 1) text_printf(out, ":%lld", (long long)step);
}

// Appends an index. Assumes that each dimension of the view runs along a dimension of the array, in the same order; the
// array's other dimensions get an integer index. Returns false if the view is not of that form. Appends nothing if the
// view covers the whole array.
static bool put_index(const NacreView *view, const Whole *whole, Text *out) {
    int64_t rest = view->offset - whole->offset;
    bool all = true;
    int at = 0;
    Text index = {0};
    for (int d = 0; d < whole->ndim; d++) {
        int64_t stride = whole->strides[d], first = rest / stride, inner = 0;
        while (at < view->ndim && (view->shape[at] == 1 || view->strides[at] == 0)) at++;
        rest -= first * stride;
        if (d) text_puts(&index, ", ");
        if (at < view->ndim) {
            int64_t step = view->strides[at] / stride;
            inner = step * stride == view->strides[at] && step != 0 && llabs(step) < whole->shape[d]
                        ? step
                        : 0;
        }
        if (inner == 0) {
            if (first < 0 || first >= whole->shape[d]) break;
            all = all && whole->shape[d] == 1;
            if (whole->shape[d] == 1) text_puts(&index, ":");
            else text_printf(&index, "%lld", (long long)first);
            continue;
        }
        int64_t last = first + (view->shape[at] - 1) * inner;
        if (first < 0 || last < 0 || first >= whole->shape[d] || last >= whole->shape[d]) break;
        all = all && first == 0 && inner == 1 && view->shape[at] == whole->shape[d];
        put_slice(first, view->shape[at], inner, whole->shape[d], &index);
        at++;
    }
    while (at < view->ndim && (view->shape[at] == 1 || view->strides[at] == 0)) at++;
    bool found = at == view->ndim && rest == 0 && index.bytes;
    if (found && !all) text_printf(out, "[%s]", index.bytes);
    text_free(&index);
    return found;
}

// Returns whether a view has the array's axes in reversed order: a transposed array.
static bool is_permuted(const NacreView *view, const Whole *whole) {
    if (view->ndim != whole->ndim || view->ndim < 2 || view->offset != whole->offset) return false;
    for (int d = 0; d < view->ndim; d++)
        if (view->strides[d] != whole->strides[view->ndim - 1 - d] ||
            view->shape[d] != whole->shape[view->ndim - 1 - d])
            return false;
    return true;
}

static int64_t touched(const NacreView *view) {
    int64_t count = 1;
    for (int d = 0; d < view->ndim; d++)
        if (view->strides[d] != 0 || view->shape[d] == 0) count *= view->shape[d];
    return count;
}

void region_put(const KeptPlan *plan, const NacreView *view, Text *out) {
    Whole whole;
    int64_t elements = 1;
    if (view->storage < 0 || touched(view) == 0) return;
    if (!find_whole(plan, view->storage, &whole)) {
        if (view->offset) text_printf(out, "[from byte %lld]", (long long)view->offset);
        return;
    }
    for (int d = 0; d < whole.ndim; d++) elements *= whole.shape[d];
    if (is_permuted(view, &whole)) text_puts(out, ".T");
    else if (view->offset == whole.offset && touched(view) == elements && is_c_order(view)) return;
    else if (!put_index(view, &whole, out))
        text_printf(out, "[%lld of %lld]", (long long)touched(view), (long long)elements);
}
