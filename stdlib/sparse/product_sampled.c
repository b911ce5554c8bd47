// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Sampled dense-dense matrix product (SDDMM): multiplies each entry of a sparse matrix by the element of a dense
// product at the same place. Only these elements of the product are computed.

#include "stdlib/sparse/elements.h"
#include "stdlib/sparse/select.h"

typedef struct Sampled Sampled;
struct Sampled {
    SparseCall *call;
    Select of;
    const void *left, *right; // left: a row of `depth` elements per line; right: one per index
    int64_t depth;
    void *to;
    int parts;
    void (*lines)(const Sampled *s, int64_t from, int64_t end);
};

// Keeps several partial sums, so that additions do not wait for each other.
#define SAMPLED(I, ID, ctype, KIND)                                                                  \
    static void sampled_##ID##_##I(const Sampled *s, int64_t from, int64_t end) {                    \
        typedef ctype T;                                                                             \
        enum { LANES = 8 };                                                                          \
        const I *indptr = s->of.indptr, *at = s->of.indices;                                         \
        const T *restrict data = s->of.data;                                                         \
        T *restrict to = s->to;                                                                      \
        const int64_t depth = s->depth, whole = depth / LANES * LANES;                               \
        for (int64_t line = from; line < end; line++) {                                              \
            const T *restrict x = (const T *)s->left + line * depth;                                 \
            for (int64_t k = indptr[line]; k < indptr[line + 1]; k++) {                              \
                const T *restrict y = (const T *)s->right + (int64_t)at[k] * depth;                  \
                T sums[LANES] = {0}, sum = 0;                                                        \
                for (int64_t i = 0; i < whole; i += LANES)                                           \
                    for (int lane = 0; lane < LANES; lane++)                                         \
                        sums[lane] = ADD_##KIND(sums[lane], MULTIPLY_##KIND(x[i + lane], y[i + lane])); \
                for (int64_t i = whole; i < depth; i++) sum = ADD_##KIND(sum, MULTIPLY_##KIND(x[i], y[i])); \
                for (int lane = 0; lane < LANES; lane++) sum = ADD_##KIND(sum, sums[lane]);          \
                to[k] = MULTIPLY_##KIND(data[k], sum);                                               \
            }                                                                                        \
        }                                                                                            \
    }
// The types that exist; the language casts others to them.
#define SAMPLED_TYPES(X, I)                                                                                \
    X(I, INT64, int64_t, INT) X(I, FLOAT32, float, FLOAT) X(I, FLOAT64, double, FLOAT)                     \
    X(I, COMPLEX64, float _Complex, COMPLEX) X(I, COMPLEX128, double _Complex, COMPLEX)
SAMPLED_TYPES(SAMPLED, int32_t)
SAMPLED_TYPES(SAMPLED, int64_t)
#define SAMPLED_ROW(I, ID, ...) [DT_##ID] = sampled_##ID##_##I,
static void (*const sampled_lines[2][DT_COUNT])(const Sampled *s, int64_t from, int64_t end) = {
    {SAMPLED_TYPES(SAMPLED_ROW, int32_t)}, {SAMPLED_TYPES(SAMPLED_ROW, int64_t)}};

static void sampled_part(void *argument, int part, int worker) {
    enum { POLLED = 64 };
    Sampled *s = argument;
    int64_t end = part_begin(s->of.from_lines, part + 1, s->parts), next;
    (void)worker;
    for (int64_t line = part_begin(s->of.from_lines, part, s->parts); line < end; line = next) {
        if (s->call->host->stopped(s->call)) return;
        next = end - line < POLLED ? end : line + POLLED;
        s->lines(s, line, next);
    }
}

// sddmm(indptr, indices, data, left, right, across): returns new data: each entry times the element at its place of
// left × right'. `left` has a row per line, `right` a row per index. All have one type.
void op_sddmm(SparseCall *call) {
    const SparseArg *data = &call->args[2], *left = &call->args[3], *right = &call->args[4];
    const int64_t across = call->args[5].whole;
    Sampled s = {.call = call, .left = left->data, .right = right->data};
    if (!select_begin(call, &s.of, call->args) || !check_indptr(call, &call->args[0], s.of.entries) || !check_indices(call, &call->args[1], across)) return;
    const int64_t lines = s.of.from_lines;
    s.depth = lines > 0 && left->kind == SPARSE_ARRAY ? left->count / lines : 0;
    s.lines = sampled_lines[s.of.wide][data->type];
    if (left->kind != SPARSE_ARRAY || right->kind != SPARSE_ARRAY || left->type != data->type || right->type != data->type ||
        !s.lines || left->count != lines * s.depth || (lines > 0 && right->count != across * s.depth)) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "the operands of a sampled product do not fit together");
        return;
    }
    int64_t entries = select_indptr(&s.of, lines);
    s.to = call->host->array(call, data->type, entries);
    s.parts = parts_of(call, entries * (s.depth + 1), lines);
    if (s.to) call->host->share(call, sampled_part, &s, s.parts);
}
