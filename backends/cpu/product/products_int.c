// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of integers and of booleans on the calling thread. Integer products use panels or dot
// products (products_int_template.h). A boolean result is true if any pair is: 64 columns are
// computed at a time, as bits of a word, until all are true.

#include <string.h>

#include "backends/cpu/product/blis.h"
#include "backends/cpu/product/products.h"
#include "backends/cpu/tile/move.h"

enum { ROOM = 512, NARROW = 4 }; // elements of a strided vector packed at a time; columns from which panels pay

// Transposes a matrix, for the transposed product C' = B' @ A'.
static Matrix transposed(const Matrix *m) {
    return (Matrix){m->data, m->cols, m->rows, m->col_stride, m->row_stride};
}

// --- Integers -----------------------------------------------------------------------------------

static bool has_row(const Matrix *m, int64_t size) {
    return m->cols <= 1 || m->col_stride == size;
}

// Uses dot products for few columns or a single row. False: the vectors are strided.
static bool by_dots(const Loops *loops, int log_size, const Matrix *a, const Matrix *b,
                    const Matrix *c) {
    const int64_t size = (int64_t)1 << log_size;
    Matrix columns = transposed(b);
    if ((b->cols >= NARROW && a->rows > 1) || !has_row(a, size) || !has_row(&columns, size))
        return false;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < b->cols; j++)
            loops->int_dots[log_size](a->data + i * a->row_stride, b->data + j * b->col_stride,
                                      (size_t)a->cols,
                                      c->data + i * c->row_stride + j * c->col_stride);
    return true;
}

static bool by_panels(const Loops *loops, int log_size, const Matrix *a, const Matrix *b,
                      const Matrix *c) {
    const int64_t size = (int64_t)1 << log_size;
    if (!has_row(c, size) || a->row_stride % size || a->col_stride % size || b->row_stride % size ||
        b->col_stride % size || c->row_stride % size)
        return false;
    loops->int_products[log_size](a->data, a->row_stride / size, a->col_stride / size, b->data,
                                  b->row_stride / size, b->col_stride / size, c->data,
                                  c->row_stride / size, a->rows, a->cols, b->cols);
    return true;
}

bool product_of_ints(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b,
                     const Matrix *c) {
    int log_size = __builtin_ctzll(dtype_size(type));
    if (by_dots(cpu->loops, log_size, a, b, c)) return true;
    if (a->rows == 1) return false; // the plain loop adds rows of B without packing them
    Matrix left = transposed(b), right = transposed(a), to = transposed(c);
    bool upright = has_row(c, (int64_t)1 << log_size) && b->cols >= NARROW;
    return upright ? by_panels(cpu->loops, log_size, a, b, c)
                   : by_panels(cpu->loops, log_size, &left, &right, &to);
}

// --- Booleans -----------------------------------------------------------------------------------

enum {
    WORD = 64,
    WORDS = 8,
    DEPTH = 512
}; // bits; words of columns, and rows of B, packed at a time

// Bit j is set if byte j is not zero.
static uint64_t bits_of(uint64_t bytes) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    uint64_t ones = (((bytes & low) + low) | bytes) >> 7 & 0x0101010101010101;
    return ones * 0x0102040810204080 >> 56;
}

// Packs `count` <= 64 elements into the bits of a word; the others are 0.
static uint64_t word_of(const char *from, int64_t stride, int64_t count) {
    uint64_t word = 0, bytes;
    if (stride == 1 && count == WORD) {
        for (int i = 0; i < WORD; i += 8) {
            memcpy(&bytes, from + i, sizeof bytes);
            word |= bits_of(bytes) << i;
        }
        return word;
    }
    for (int64_t i = 0; i < count; i++) word |= (uint64_t)(from[i * stride] != 0) << i;
    return word;
}

static void words_of(const char *from, int64_t stride, int64_t count, uint64_t *words) {
    for (int w = 0; w < WORDS; w++) {
        int64_t rest = count - w * WORD;
        words[w] = rest > 0 ? word_of(from + w * WORD * stride, stride, least(rest, WORD)) : 0;
    }
}

static void put_words(const uint64_t *words, char *to, int64_t stride, int64_t count) {
    for (int64_t j = 0; j < count;) {
        uint64_t bits = words[j / WORD] >> j % WORD & 0xff;
        if (stride == 1 && count - j >= 8) {
            uint64_t bytes = (bits * 0x0101010101010101) & 0x8040201008040201;
            bytes = (((bytes & 0x7f7f7f7f7f7f7f7f) + 0x7f7f7f7f7f7f7f7f) | bytes) >> 7 &
                    0x0101010101010101;
            memcpy(to + j, &bytes, sizeof bytes);
            j += 8;
            continue;
        }
        to[j * stride] = (char)(bits & 1);
        j++;
    }
}

static bool have_all(const uint64_t *words, const uint64_t *all) {
    uint64_t missing = 0;
    for (int w = 0; w < WORDS; w++) missing |= all[w] & ~words[w];
    return missing == 0;
}

// ORs into a row of C the packed rows of B where A's element is true.
static void take_in(const char *a, int64_t a_col, int64_t depth, const uint64_t (*packed)[WORDS],
                    const uint64_t *all, uint64_t *words) {
    for (int64_t k = 0; k < depth && !have_all(words, all); k += WORD) {
        uint64_t at = word_of(a + k * a_col, a_col, least(depth - k, WORD));
        for (int n = 1; at; at &= at - 1, n++) {
            const uint64_t *row = packed[k + __builtin_ctzll(at)];
            for (int w = 0; w < WORDS; w++) words[w] |= row[w];
            if (n % 8 == 0 && have_all(words, all)) return;
        }
    }
}

// Computes WORDS words of columns for a slice of the depth; with `more`, ORs them into C.
static void block_of_bits(const Matrix *a, const Matrix *b, const Matrix *c, bool more) {
    uint64_t packed[DEPTH][WORDS], all[WORDS], words[WORDS];
    for (int w = 0; w < WORDS; w++) {
        int64_t rest = c->cols - w * WORD;
        all[w] = rest >= WORD ? UINT64_MAX : rest > 0 ? ((uint64_t)1 << rest) - 1 : 0;
    }
    for (int64_t k = 0; k < b->rows; k++)
        words_of(b->data + k * b->row_stride, b->col_stride, b->cols, packed[k]);
    for (int64_t i = 0; i < a->rows; i++) {
        char *row = c->data + i * c->row_stride;
        memset(words, 0, sizeof words);
        if (more) words_of(row, c->col_stride, c->cols, words);
        take_in(a->data + i * a->row_stride, a->col_stride, b->rows, packed, all, words);
        put_words(words, row, c->col_stride, c->cols);
    }
}

// Packs a strided vector into `room`; a contiguous one is used in place.
static const char *pack_vector(const char *from, int64_t stride, int64_t count, char *room) {
    if (stride == 1) return from;
    gather(from, stride, room, 1, (size_t)count);
    return room;
}

// Returns whether both are true at some index.
static bool any_true_pair(const char *a, const char *b, int64_t count) {
    for (int64_t i = 0; i < count;) {
        char any = 0;
        for (int64_t end = least(i + WORD, count); i < end; i++)
            any |= (char)((a[i] != 0) & (b[i] != 0));
        if (any) return true;
    }
    return false;
}

// Computes each result by itself, for few columns.
static void product_of_narrow_bools(const Matrix *a, const Matrix *b, const Matrix *c) {
    char left[ROOM], right[ROOM];
    for (int64_t j = 0; j < b->cols; j++)
        for (int64_t k = 0; k == 0 || k < a->cols; k += ROOM) {
            int64_t count = least(a->cols - k, ROOM);
            const char *column = pack_vector(b->data + k * b->row_stride + j * b->col_stride,
                                         b->row_stride, count, right);
            for (int64_t i = 0; i < a->rows; i++) {
                char *to = c->data + i * c->row_stride + j * c->col_stride;
                if (k == 0) *to = 0;
                if (*to) continue;
                const char *row = pack_vector(a->data + i * a->row_stride + k * a->col_stride,
                                          a->col_stride, count, left);
                *to = any_true_pair(row, column, count);
            }
        }
}

void product_of_bools(const Matrix *a, const Matrix *b, const Matrix *c) {
    enum { COLS = WORD * WORDS };
    if (b->cols < 2 * NARROW) {
        product_of_narrow_bools(a, b, c);
        return;
    }
    for (int64_t j = 0; j < b->cols; j += COLS)
        for (int64_t k = 0; k == 0 || k < a->cols; k += DEPTH) {
            Matrix left = cols_between(a, k, least(k + DEPTH, a->cols)),
                   to = cols_between(c, j, least(j + COLS, b->cols));
            Matrix columns = cols_between(b, j, least(j + COLS, b->cols));
            Matrix right = rows_between(&columns, k, least(k + DEPTH, b->rows));
            block_of_bits(&left, &right, &to, k > 0);
        }
}
