// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of a few long rows with a few long columns, of float32 and float64. Each result is a dot
// product; all vectors are read once, a piece of each at a time. The split into parts depends on
// the shape only, so results do not depend on the threads.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/product/blis.h"
#include "backends/cpu/product/products.h"
#include "backends/cpu/tile/move.h"

enum {
    SIDE = 16,    // maximum of rows and of columns
    CELLS = 64,   // maximum of results
    DEPTH = 4096, // minimum length of a row
    PIECE = 256,  // elements packed contiguously at a time
    PART_DEPTH = 1 << 14,
    PARTS_MAX = 64,
};

typedef struct Deep {
    Job job;
    const Matrix *a, *b;
    int parts;
    _Alignas(64) char sums[PARTS_MAX * CELLS * sizeof(double)];
} Deep;

// Finds n elements of each row of A, or column of B, from `at` on: in place if contiguous, otherwise packed.
#define LINES(T)                                                                                   \
    static void lines_##T(const char *data, int64_t next, int64_t step, int64_t count, int64_t at, \
                          int64_t n, T(*room)[PIECE], const T **lines) {                           \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const char *from = data + i * next + at * step;                                        \
            lines[i] = (const T *)from;                                                            \
            if (step == (int64_t)sizeof(T)) continue;                                              \
            gather(from, step, room[i], sizeof(T), (size_t)n);                                     \
            lines[i] = room[i];                                                                    \
        }                                                                                          \
    }
#define PART(T, dot)                                                                          \
    static void part_##T(void *argument, int part, int worker) {                              \
        Deep *d = argument;                                                                   \
        const Matrix *a = d->a, *b = d->b;                                                    \
        const Loops *loops = d->job.cpu->loops;                                               \
        _Alignas(64) T left[SIDE][PIECE], right[SIDE][PIECE];                                 \
        const T *rows[SIDE], *columns[SIDE];                                                  \
        T *sums = (T *)d->sums + (int64_t)part * CELLS;                                       \
        int64_t at = cut_before(a->cols, part, d->parts),                                     \
                end = cut_before(a->cols, part + 1, d->parts);                                \
        (void)worker;                                                                         \
        flags_clear();                                                                        \
        memset(sums, 0, CELLS * sizeof(T));                                                   \
        for (; at < end; at += PIECE) {                                                       \
            int64_t n = end - at < PIECE ? end - at : PIECE;                                  \
            lines_##T(a->data, a->row_stride, a->col_stride, a->rows, at, n, left, rows);     \
            lines_##T(b->data, b->col_stride, b->row_stride, b->cols, at, n, right, columns); \
            for (int64_t i = 0; i < a->rows; i++)                                             \
                for (int64_t j = 0; j < b->cols; j++)                                         \
                    sums[i * b->cols + j] += loops->dot(rows[i], columns[j], (size_t)n);      \
        }                                                                                     \
        atomic_fetch_or(&d->job.flags, flags_raised());                                       \
    }                                                                                         \
    static void add_##T(const Deep *d, const Matrix *c) {                                     \
        const T *sums = (const T *)d->sums;                                                   \
        for (int64_t i = 0; i < c->rows; i++)                                                 \
            for (int64_t j = 0; j < c->cols; j++) {                                           \
                T sum = 0;                                                                    \
                for (int part = 0; part < d->parts; part++)                                   \
                    sum += sums[(int64_t)part * CELLS + i * c->cols + j];                     \
                *(T *)(c->data + i * c->row_stride + j * c->col_stride) = sum;                \
            }                                                                                 \
    }
LINES(double)
LINES(float)
PART(double, dot_f64)
PART(float, dot_f32)

bool deep_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c,
                  uint32_t *flags) {
    Deep d; // large: not zeroed needlessly
    bool is_double = type == DT_FLOAT64;
    int64_t cells = a->rows * b->cols, parts = a->cols / PART_DEPTH;
    if ((!is_double && type != DT_FLOAT32) || a->cols < DEPTH || a->rows > SIDE || b->cols > SIDE ||
        cells < 2 || cells > CELLS)
        return false;
    d.job.cpu = cpu;
    d.a = a;
    d.b = b;
    d.parts = parts < 1 ? 1 : parts < PARTS_MAX ? (int)parts : PARTS_MAX;
    share_out(cpu, is_double ? part_double : part_float, &d, d.parts, flags);
    flags_clear();
    if (is_double)
        add_double(&d, c);
    else
        add_float(&d, c);
    *flags |= flags_raised();
    return true;
}
