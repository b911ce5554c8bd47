// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs small nodes without building a kernel (Backend.direct). Operands are gathered into
// contiguous buffers and passed to the functions that the kernel would call, so results have the
// same bits. Refuses unsupported nodes, and those that would report a flag.

#include <string.h>

#include "backends/cpu/few.h"
#include "backends/cpu/flags.h"
#include "backends/cpu/loops/vector.h"
#include "backends/cpu/product/products.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/sparse/lines.h"
#include "backends/cpu/tile/move.h"

// Buffer for an operand's elements.
typedef struct Elements {
    _Alignas(BUFFER_ALIGN) char bytes[TILE * DTYPE_SIZE_MAX];
} Elements;

typedef struct SmallNode {
    Cpu *cpu;
    const Node *node;
    const View *views[3], *to; // operands, NULL for scalars; axes are sorted so that `to` is
                               // contiguous
    int64_t elements;
    uint32_t reported;
} SmallNode;

// --- Operands ------------------------------------------------------------------------------------

// Tests one dimension, the usual case of small operands, inline.
static inline bool is_contiguous(const View *view) {
    if (view->ndim != 1) return view_is_contiguous(view);
    return view->strides[0] == (int64_t)dtype_size(view->dtype) || view->shape[0] <= 1;
}

static void repeat(DType own, Scalar number, DType type, int64_t count, char *to) {
    size_t size = dtype_size(type);
    dtype_store(type, to, dtype_convert(own, type, number));
    gather(to, 0, to + size, size, (size_t)count - 1);
}

static void collect(const View *view, char *to) {
    int inner = view->ndim - 1, outer = inner > 0 ? inner - 1 : 0;
    size_t size = dtype_size(view->dtype), width = (size_t)view->shape[inner];
    size_t n = inner > 0 ? width * (size_t)view->shape[outer] : width;
    const int64_t *strides[1] = {view->strides};
    char *at = view_at(view);
    int64_t index[NDIM_MAX];
    for (int d = 0; d < outer; d++) index[d] = 0;
    do {
        if (inner == 0) gather(at, view->strides[0], to, size, n);
        else gather_narrow(at, view->strides[outer], view->strides[inner], width, to, size, n);
        to += n * size;
    } while (odometer_next(outer, view->shape, index, &at, strides, 1));
}

// Copies an operand to the buffer, contiguous and cast.
static __attribute__((noinline)) const char *gathered(const SmallNode *c, int i, DType type, Elements *room) {
    const View *view = c->views[i];
    const NodeInput *input = &c->node->inputs[i];
    Elements own;
    if (!view) {
        repeat(input->dtype, input->scalar, type, c->elements, room->bytes);
        return room->bytes;
    }
    if (view->dtype == type) {
        collect(view, room->bytes);
        return room->bytes;
    }
    const char *at = view_at(view);
    if (!is_contiguous(view)) {
        collect(view, own.bytes);
        at = own.bytes;
    }
    c->cpu->loops->casts[type][view->dtype](at, at, NULL, room->bytes, (size_t)c->elements);
    return room->bytes;
}

// Returns an operand's elements, contiguous and cast: in place if possible, otherwise copied to the buffer.
static inline const char *fetch(const SmallNode *c, int i, DType type, Elements *room) {
    const View *view = c->views[i];
    if (view && view->dtype == type && is_contiguous(view)) return view_at(view);
    return gathered(c, i, type, room);
}

// Returns whether the computation raised a flag that must be reported.
static bool reports(const SmallNode *c) {
    return flags_any() && flags_raised() & c->reported;
}

// Returns whether a scalar of type `own` can be passed to a loop of `type` without raising flags.
static bool takes_number(DType own, DType type) {
    if (own == type || (type == DT_FLOAT64 && own == DT_INT64)) return true;
    return dtype_can_cast(own, type, CAST_SAFE);
}

// --- Elementwise ---------------------------------------------------------------------------------

// Sorts all views' axes by the result's memory order. False: the result has gaps.
static bool sort_axes(SmallNode *c, View rooms[4]) {
    const View *to = c->to;
    int axes[NDIM_MAX];
    for (int d = 0; d < to->ndim; d++) {
        int at = d;
        for (; at > 0 && to->strides[axes[at - 1]] < to->strides[d]; at--) axes[at] = axes[at - 1];
        axes[at] = d;
    }
    for (int v = 0; v < 4; v++) {
        const View *from = v < 3 ? c->views[v] : to;
        if (!from) continue;
        rooms[v] = (View){.storage = from->storage, .offset = from->offset, .dtype = from->dtype, .ndim = from->ndim};
        for (int d = 0; d < to->ndim; d++) {
            rooms[v].shape[d] = from->shape[axes[d]];
            rooms[v].strides[d] = from->strides[axes[d]];
        }
        if (v < 3) c->views[v] = &rooms[v];
    }
    c->to = &rooms[3];
    return view_is_contiguous(c->to);
}

static DType operand_type(const Node *node, int i) {
    return node->op == AOP_WHERE && i == 0 ? DT_BOOL : node->attrs.loop;
}

// Returns the set of operands that are exactly the result's memory; they are overwritten element by element.
// -1: an operand overlaps in another way, or is a scalar whose conversion may raise flags.
static int overwritten_operands(const SmallNode *c) {
    const Node *node = c->node;
    int overwritten = 0;
    for (int i = 0; i < node->input_count; i++) {
        const View *view = c->views[i];
        if (!view) {
            if (!takes_number(node->inputs[i].dtype, operand_type(node, i))) return -1;
        } else if (view->storage == c->to->storage) {
            if (view->dtype != operand_type(node, i) || !view_same(view, c->to)) return -1;
            overwritten |= 1 << i;
        }
    }
    return overwritten;
}

static inline void run_loop(const SmallNode *c, const char *const operands[3], char *out) {
    DType loop = c->node->attrs.loop;
    if (c->node->input_count <= 2 && (loop == DT_FLOAT32 || loop == DT_FLOAT64))
        cpu_function(c->cpu, c->node->op, loop, operands[0], operands[1], out, c->elements);
    else loop_of(c->cpu, c->node->op, loop)(operands[0], operands[1], operands[2], out, (size_t)c->elements);
}

static bool map_loop(const SmallNode *c) {
    const Node *node = c->node;
    Elements rooms[3], before;
    char *out = view_at(c->to);
    const char *operands[3] = {out, out, out}; // unary: the others are not read
    const size_t bytes = (size_t)c->elements * dtype_size(c->to->dtype);
    const int overwritten = overwritten_operands(c);
    if (overwritten < 0) return false;
    if (overwritten) memcpy(before.bytes, out, bytes);
    flags_clear();
    for (int i = 0; i < node->input_count; i++)
        operands[i] = overwritten >> i & 1 ? before.bytes : fetch(c, i, operand_type(node, i), &rooms[i]);
    run_loop(c, operands, out);
    if (!reports(c)) return true;
    if (overwritten) memcpy(out, before.bytes, bytes);
    return false;
}

// Returns whether operands are numbers, or contiguous arrays of the loop's type that the result does not overwrite: these
// are used in place.
static inline bool is_in_place(const SmallNode *c) {
    const Node *node = c->node;
    if (node->input_count > 2) return false;
    for (int i = 0; i < node->input_count; i++) {
        const View *view = c->views[i];
        if (!view && operand_type(node, i) == node->attrs.loop && takes_number(node->inputs[i].dtype, node->attrs.loop)) continue;
        if (!view || view->dtype != node->attrs.loop || view->storage == c->to->storage || !is_contiguous(view)) return false;
    }
    return true;
}

static inline const char *in_place(const SmallNode *c, int i, Elements *room) {
    const NodeInput *number = &c->node->inputs[i];
    if (c->views[i]) return view_at(c->views[i]);
    repeat(number->dtype, number->scalar, c->node->attrs.loop, c->elements, room->bytes);
    return room->bytes;
}

static inline bool map_in_place(const SmallNode *c) {
    Elements rooms[2];
    flags_clear();
    const char *first = in_place(c, 0, &rooms[0]);
    const char *operands[3] = {first, c->node->input_count == 2 ? in_place(c, 1, &rooms[1]) : first, first};
    run_loop(c, operands, view_at(c->to));
    return !reports(c);
}

static void spread(const View *view, const char *from) {
    int inner = view->ndim - 1;
    size_t size = dtype_size(view->dtype), n = (size_t)view->shape[inner];
    const int64_t *strides[1] = {view->strides};
    char *to = view_at(view);
    int64_t index[NDIM_MAX];
    for (int d = 0; d < inner; d++) index[d] = 0;
    do {
        scatter(from, to, view->strides[inner], size, n);
        from += n * size;
    } while (odometer_next(inner, view->shape, index, &to, strides, 1));
}

static void copy_to(const SmallNode *c, char *out) {
    const View *from = c->views[0];
    const NodeInput *number = &c->node->inputs[0];
    DType type = c->to->dtype;
    Elements room;
    const char *at;
    if (!from) {
        repeat(number->dtype, number->scalar, type, c->elements, out);
        return;
    }
    at = view_at(from);
    if (!is_contiguous(from)) {
        char *to = from->dtype == type ? out : room.bytes;
        collect(from, to);
        at = to;
    }
    if (from->dtype != type) c->cpu->loops->casts[type][from->dtype](at, at, NULL, out, (size_t)c->elements);
    else if (at != out) memcpy(out, at, (size_t)c->elements * dtype_size(type));
}

static bool copy(const SmallNode *c) {
    Elements room;
    const View *from = c->views[0];
    bool together = is_contiguous(c->to);
    // a move without a cast cannot raise, so skip the slow reading of flags
    bool casts = from && from->dtype != c->to->dtype;
    if (from ? from->storage == c->to->storage : c->node->inputs[0].dtype != c->to->dtype) return false;
    if (casts) flags_clear();
    copy_to(c, together ? view_at(c->to) : room.bytes);
    if (casts && reports(c)) return false;
    if (!together) spread(c->to, room.bytes);
    return true;
}

// Returns whether all indices, negative ones included, are in range.
static bool are_inside(const char *indexes, int64_t count, int64_t extent) {
    for (int64_t i = 0, index; i < count; i++) {
        memcpy(&index, indexes + i * (int64_t)sizeof index, sizeof index);
        if (index < -extent || index >= extent) return false;
    }
    return true;
}

static bool wrap(const SmallNode *c) {
    int64_t extent = c->node->inputs[1].scalar.i;
    char *indexes = view_at(c->to);
    bool here = c->views[0] && c->node->inputs[1].is_scalar && view_same(c->views[0], c->to) && is_contiguous(c->to);
    if (!here || !are_inside(indexes, c->elements, extent)) return false;
    for (int64_t i = 0, index; i < c->elements; i++) {
        memcpy(&index, indexes + i * (int64_t)sizeof index, sizeof index);
        index += index < 0 ? extent : 0;
        memcpy(indexes + i * (int64_t)sizeof index, &index, sizeof index);
    }
    return true;
}

static bool map(SmallNode *c) {
    const Node *node = c->node;
    View rooms[4];
    if (node->op == AOP_CAST) return copy(c);
    if (node->op == AOP_WRAP_INDEX) return wrap(c);
    bool raises = op_info[node->op].may_raise && !dtype_is_inexact(node->attrs.loop);
    bool fits = op_result_type(node->op, node->attrs.loop) == c->to->dtype;
    if (raises || !fits || (node->input_count == 3 && node->op != AOP_WHERE && node->op != AOP_CLIP)) return false;
    if (!is_contiguous(c->to) && !sort_axes(c, rooms)) return false;
    return is_in_place(c) ? map_in_place(c) : map_loop(c);
}

// --- Reductions ----------------------------------------------------------------------------------

// Returns whether a node is a supported reduction of all elements to one. Sums of non-contiguous floats are excluded,
// since they have their own order.
static bool is_total(const SmallNode *c) {
    const Node *node = c->node;
    const View *in = c->views[0];
    OpId op = node->op, combine = node->attrs.combine;
    bool by_row = op == AOP_SUM || op == AOP_PROD || op == AOP_MAX || op == AOP_MIN ||
                  (op == AOP_REDUCE && (combine == AOP_FMAX || combine == AOP_FMIN));
    if (!in || node->attrs.begun || node->attrs.axes != axes_below(in->ndim)) return false;
    if (!by_row) return op == AOP_ANY || op == AOP_ALL || op == AOP_ARGMAX || op == AOP_ARGMIN;
    return c->to->dtype == node->attrs.loop && (!dtype_is_inexact(node->attrs.loop) || is_contiguous(in));
}

// Reduces all elements as reduce_whole.c does for a single piece.
static bool reduce(const SmallNode *c) {
    const Node *node = c->node;
    const Cpu *cpu = c->cpu;
    Elements room, folded;
    OpId combine = node->op == AOP_REDUCE ? node->attrs.combine : op_info[node->op].combine;
    bool truths = op_info[node->op].dtype_rule == RULE_LOGICAL;
    DType loop = truths ? DT_BOOL : node->attrs.loop;
    size_t size = dtype_size(loop), n = (size_t)c->elements;
    bool is_sum = combine == AOP_ADD && dtype_is_inexact(loop);
    bool in_order = !is_sum && op_in_order(combine, loop);
    char *to = view_at(c->to);
    if (in_order && (combine != AOP_MULTIPLY || (loop != DT_FLOAT64 && loop != DT_FLOAT32))) return false;
    flags_clear();
    const char *from = fetch(c, 0, loop, &room);
    if (op_info[node->op].identity == IDENTITY_NONE) memcpy(to, from, size);
    else dtype_store(loop, to, op_identity(node->op, loop));
    if (is_sum) {
        add_sum(loop, sum_run(cpu, loop, from, n, (int64_t)size), to);
    } else if (in_order) {
        combine_in_order(cpu, combine, loop, from, n, to);
    } else {
        fold(cpu, combine, loop, from, n, folded.bytes);
        loop_of(cpu, combine, loop)(to, folded.bytes, NULL, to, 1);
    }
    return !reports(c);
}

static bool find_extreme(const SmallNode *c) {
    Elements room;
    DType own = c->views[0]->dtype;
    const char *from = fetch(c, 0, own, &room);
    int64_t place = extreme_place(own, from, c->elements, c->node->op == AOP_ARGMAX);
    memcpy(view_at(c->to), &place, sizeof place);
    return true;
}

// Counts the true elements of a contiguous mask, or tests whether any or all are true.
static bool count_true(const SmallNode *c) {
    const View *mask = c->views[0];
    OpId combine = c->node->attrs.combine;
    if (!mask || mask->dtype != DT_BOOL || !is_contiguous(mask)) return false;
    int64_t count = c->cpu->loops->count_true((const uint8_t *)view_at(mask), (size_t)c->elements);
    bool truth = combine == AOP_LOGICAL_OR ? count > 0 : count == c->elements;
    if (combine == AOP_NONE) memcpy(view_at(c->to), &count, sizeof count);
    else *view_at(c->to) = truth;
    return true;
}

static bool reduce_all(const SmallNode *c) {
    if (!is_total(c)) return false;
    bool places = c->node->op == AOP_ARGMAX || c->node->op == AOP_ARGMIN;
    return places ? find_extreme(c) : reduce(c);
}

// --- Taking and putting --------------------------------------------------------------------------

// Returns the address of an element by index; negative indices count from the end.
static char *place(const View *row, char *base, const char *indexes, int64_t i) {
    int64_t index;
    memcpy(&index, indexes + i * (int64_t)sizeof index, sizeof index);
    return base + (index < 0 ? index + row->shape[0] : index) * row->strides[0];
}

static bool are_rows(const View *row, const View *at, const View *values, DType type) {
    if (row->ndim != 1 || row->dtype != type || !is_contiguous(at) || at->dtype != DT_INT64) return false;
    return !values || (values->dtype == type && is_contiguous(values));
}

static bool take_raw(const SmallNode *c) {
    const View *row = c->views[0], *at = c->views[1];
    if (!are_rows(row, at, c->to, c->to->dtype)) return false;
    size_t size = dtype_size(row->dtype);
    char *base = view_at(row), *out = view_at(c->to);
    const char *indexes = view_at(at);
    if (!are_inside(indexes, c->elements, row->shape[0])) return false;
    for (int64_t i = 0; i < c->elements; i++)
        memcpy(out + i * (int64_t)size, place(row, base, indexes, i), size);
    return true;
}

// Combines values into elements. If a flag must be reported, the old elements are restored, in
// reverse order.
static bool combine_raw(const SmallNode *c, const char *indexes, const char *values, size_t step) {
    Elements before;
    const View *row = c->to;
    const size_t size = dtype_size(row->dtype);
    const LoopFn loop = loop_of(c->cpu, c->node->attrs.combine, row->dtype);
    char *base = view_at(row);
    flags_clear();
    for (int64_t i = 0; i < c->elements; i++, values += step) {
        char *there = place(row, base, indexes, i);
        memcpy(before.bytes + (size_t)i * size, there, size);
        loop(there, values, NULL, there, 1);
    }
    if (!reports(c)) return true;
    for (int64_t i = c->elements; i-- > 0;)
        memcpy(place(row, base, indexes, i), before.bytes + (size_t)i * size, size);
    return false;
}

static bool put_raw(const SmallNode *c) {
    char number[DTYPE_SIZE_MAX];
    const NodeInput *input = &c->node->inputs[1];
    const View *row = c->to, *at = c->views[0], *values = c->views[1];
    if (!are_rows(row, at, values, c->node->attrs.loop) || at->storage == row->storage) return false;
    if (values && values->storage == row->storage) return false;
    const char *indexes = view_at(at), *from = values ? view_at(values) : number;
    size_t size = dtype_size(row->dtype), step = values ? size : 0;
    if (!are_inside(indexes, c->elements, row->shape[0])) return false;
    if (!values) dtype_store(row->dtype, number, dtype_convert(input->dtype, row->dtype, input->scalar));
    if (c->node->attrs.combine != AOP_NONE) return combine_raw(c, indexes, from, step);
    char *base = view_at(row);
    for (int64_t i = 0; i < c->elements; i++, from += step) memcpy(place(row, base, indexes, i), from, size);
    return true;
}

static bool select_places(const SmallNode *c) {
    const Node *node = c->node;
    bool take = node->op == AOP_TAKE;
    const View *at = c->views[take ? 1 : 0], *other = c->views[take ? 0 : 1];
    if (!at || !other || node->attrs.combine != AOP_NONE || other->dtype != c->to->dtype) return false;
    if (at->storage == c->to->storage || other->storage == c->to->storage) return false;
    select_few(c->cpu, node, view_at(at), view_at(other), view_at(c->to));
    return true;
}

static bool take_or_put(const SmallNode *c) {
    if (!c->node->attrs.raw) return select_places(c);
    return c->node->op == AOP_TAKE ? take_raw(c) : put_raw(c);
}

// --- Library operations --------------------------------------------------------------------------

// Multiplies matrices. The product of two contiguous vectors is computed as in compiled code.
static bool multiply(const SmallNode *c) {
    const View *a = c->views[0], *b = c->views[1], *to = c->to;
    const DType type = to->dtype;
    if (!a || !b || a->dtype != type || b->dtype != type) return false;
    char *at[3] = {view_at(a), view_at(b), view_at(to)};
    int64_t size = (int64_t)dtype_size(type), depth = a->shape[a->ndim - 1];
    bool rows = a->ndim == 2 && a->shape[0] == 1 && b->shape[1] == 1;
    if (rows && a->strides[1] == size && b->strides[0] == size) {
        flags_clear();
        cpu_dot(c->cpu, (int)type, at[0], size, at[1], size, depth, at[2], false);
        return !reports(c);
    }
    uint32_t flags = 0; // products accumulate flags themselves
    stack_product(c->cpu, a, b, to, at, &flags);
    return !(flags & (c->reported | FLAG_INTERRUPTED));
}

static bool sort(const SmallNode *c) {
    Elements room;
    const View *in = c->views[0];
    bool in_place = in && in->storage == c->to->storage;
    if (!in || in->ndim != 1 || !is_contiguous(c->to) || (in_place && !view_same(in, c->to))) return false;
    return sort_few(c->cpu, c->node, fetch(c, 0, in->dtype, &room), view_at(c->to));
}

static bool search(const SmallNode *c) {
    Elements room;
    const View *row = c->views[0], *wanted = c->views[1];
    if (!row || !wanted || !is_contiguous(c->to)) return false;
    search_few(c->node, fetch(c, 1, row->dtype, &room), c->elements, view_at(c->to));
    return true;
}

static bool convolve(const SmallNode *c) {
    enum { FEW_PRODUCTS = 1 << 13 };
    const View *a = c->views[0], *v = c->views[1];
    if (!a || !v || a->dtype != v->dtype || !is_contiguous(a) || !is_contiguous(c->to)) return false;
    int64_t n = a->shape[0], m = v->shape[0];
    if (n > FEW_PRODUCTS || m > FEW_PRODUCTS || n * m > FEW_PRODUCTS) return false;
    convolve_few(c->node, view_at(c->to));
    return true;
}

// Multiplies the rows of a compressed matrix; operands and result are contiguous.
static bool multiply_lines(const SmallNode *c) {
    const NodeInput *in = c->node->inputs;
    const Lines lines = {.indptr = view_at(&in[0].view), .indices = view_at(&in[1].view), .data = view_at(&in[2].view),
                         .x = view_at(&in[3].view), .width = c->to->ndim == 2 ? c->to->shape[1] : 1};
    sparse_rows(c->to->dtype, in[0].dtype == DT_INT64, &lines, 0, c->to->shape[0], view_at(c->to));
    return true;
}

// Adds 1 to the element of the result at each index.
static bool count_places(const SmallNode *c) {
    Elements room;
    if (!c->views[0] || c->views[1] || c->to->dtype != DT_INT64 || !is_contiguous(c->to)) return false;
    const char *at = fetch(c, 0, DT_INT64, &room);
    int64_t *to = (int64_t *)(void *)view_at(c->to), number;
    for (int64_t i = 0; i < c->elements; i++, at += sizeof number) {
        memcpy(&number, at, sizeof number);
        to[number]++;
    }
    return true;
}

static bool find_true(const SmallNode *c) {
    const View *mask = c->views[0];
    if (!mask || mask->ndim != 1 || mask->dtype != DT_BOOL || !is_contiguous(mask) || !is_contiguous(c->to)) return false;
    c->cpu->loops->places_of_true((const uint8_t *)view_at(mask), (size_t)c->elements, 0,
                                  (int64_t *)(void *)view_at(c->to), (size_t)c->to->shape[0]);
    return true;
}

// --- Dispatch ------------------------------------------------------------------------------------

int64_t cpu_direct_size(const Node *node) {
    const NodeInput *in = node->inputs;
    int64_t most;
    if (op_info[node->op].op_class == CLASS_ELEMENTWISE) return view_size(&node->output);
    switch (node->op) {
    case AOP_TAKE: return view_size(node->attrs.raw ? &in[1].view : &node->output);
    case AOP_PUT: return view_size(node->attrs.raw || in[1].is_scalar ? &in[0].view : &in[1].view);
    case AOP_MATMUL:
        most = view_size(&node->output);
        for (int i = 0; i < 2 && most > 0; i++) {
            int64_t size = in[i].is_scalar ? -1 : view_size(&in[i].view);
            most = size <= 0 ? size : size > most ? size : most;
        }
        return most;
    case AOP_SEARCHSORTED: return in[1].is_scalar ? -1 : view_size(&in[1].view);
    case AOP_CONVOLVE: return view_size(&node->output);
    case AOP_SPARSE_PRODUCT:
        if (node->attrs.right) return -1;
        most = node->output.ndim == 2 ? node->output.shape[1] : 1;
        return view_size(&node->output) + most * view_size(&in[2].view);
    case AOP_ARGMAX:
    case AOP_ARGMIN:
    case AOP_SORT:
    case AOP_ARGSORT:
    case AOP_BINCOUNT:
    case AOP_NONZERO:
    case AOP_COUNT_TRUE: return in[0].is_scalar ? -1 : view_size(&in[0].view);
    default: break;
    }
    bool reduces = op_info[node->op].op_class == CLASS_REDUCTION;
    return reduces && !in[0].is_scalar ? view_size(&in[0].view) : -1;
}

static bool run(SmallNode *c) {
    if (op_info[c->node->op].op_class == CLASS_ELEMENTWISE) return map(c);
    switch (c->node->op) {
    case AOP_TAKE:
    case AOP_PUT: return take_or_put(c);
    case AOP_MATMUL: return multiply(c);
    case AOP_SORT:
    case AOP_ARGSORT: return sort(c);
    case AOP_SEARCHSORTED: return search(c);
    case AOP_CONVOLVE: return convolve(c);
    case AOP_SPARSE_PRODUCT: return multiply_lines(c);
    case AOP_BINCOUNT: return count_places(c);
    case AOP_NONZERO: return find_true(c);
    case AOP_COUNT_TRUE: return count_true(c);
    default: return reduce_all(c);
    }
}

bool cpu_direct(void *ctx, const Node *node, int64_t size, uint32_t reported) {
    SmallNode c = {.cpu = ctx, .node = node, .to = &node->output, .elements = size, .reported = reported};
    if (size > TILE || reported & FLAG_UNDERFLOW) return false;
    cpu_ready(ctx);
    for (int i = 0; i < node->input_count && i < 3; i++)
        c.views[i] = node->inputs[i].is_scalar ? NULL : &node->inputs[i].view;
    return run(&c);
}
