// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Converts compressed rows to blocks (BSR) and back. The blocks of a block row are in the order in which their first
// entries appear, row by row.

#include "stdlib/sparse/ops.h"

typedef struct Blocks {
    SparseCall *call;
    DType index, type;
    const void *indptr_from, *indices_from, *data_from;
    void *indptr, *indices, *data;
    int64_t rows, columns; // of the block matrix
    int64_t high, wide;    // rows and columns of one block
    int64_t *seen;         // by worker and block column: last block row there + 1 (counting), the block (filling)
    int parts;
} Blocks;

// --- To blocks -----------------------------------------------------------------------------------

// count_ counts the blocks of the block rows [from, end). fill_ writes the blocks.
#define BLOCK_COUNT(I)                                                                         \
    static void count_##I(const Blocks *b, int64_t from, int64_t end, int64_t *seen) {         \
        const I *restrict indptr = b->indptr_from, *restrict indices = b->indices_from;        \
        I *restrict counts = (I *)b->indptr + 1;                                               \
        for (int64_t row = from; row < end; row++) {                                           \
            I n = 0;                                                                           \
            for (int64_t k = indptr[row * b->high]; k < indptr[(row + 1) * b->high]; k++) {    \
                int64_t column = indices[k] / b->wide;                                         \
                n += seen[column] != row + 1;                                                  \
                seen[column] = row + 1;                                                        \
            }                                                                                  \
            counts[row] = n;                                                                   \
        }                                                                                      \
    }
BLOCK_COUNT(int32_t)
BLOCK_COUNT(int64_t)

#define BLOCK_FILL(I, ID, CTYPE, FORM, KIND)                                                   \
    static void fill_##ID##_##I(const Blocks *b, int64_t from, int64_t end, int64_t *seen) {   \
        const I *restrict indptr = b->indptr_from, *restrict indices = b->indices_from;        \
        const CTYPE *restrict data = b->data_from;                                             \
        const int64_t size = b->high * b->wide;                                                \
        for (int64_t row = from; row < end; row++) {                                           \
            const int64_t first = ((const I *)b->indptr)[row];                                 \
            int64_t next = first;                                                              \
            for (int64_t i = 0; i < b->high; i++)                                              \
                for (int64_t k = indptr[row * b->high + i]; k < indptr[row * b->high + i + 1]; k++) { \
                    const int64_t column = indices[k] / b->wide;                               \
                    int64_t block = seen[column];                                              \
                    if (block < first || block >= next || ((I *)b->indices)[block] != column) { \
                        block = seen[column] = next++;                                         \
                        ((I *)b->indices)[block] = (I)column;                                  \
                        memset((CTYPE *)b->data + block * size, 0, sizeof(CTYPE) * (size_t)size); \
                    }                                                                          \
                    CTYPE *at = (CTYPE *)b->data + block * size + i * b->wide + indices[k] % b->wide; \
                    *at = ADD_##FORM##_##KIND(CTYPE, *at, data[k]);                            \
                }                                                                              \
        }                                                                                      \
    }
#define FILL_PLAIN(ID, C, KIND) BLOCK_FILL(int32_t, ID, C, PLAIN, KIND) BLOCK_FILL(int64_t, ID, C, PLAIN, KIND)
#define FILL_COMPLEX(ID, C, KIND) BLOCK_FILL(int32_t, ID, C, COMPLEX, KIND) BLOCK_FILL(int64_t, ID, C, COMPLEX, KIND)
#define FILL_HALF(ID, C, KIND) // sparse arrays of float16 do not exist
#define ROW(A, ID, name, ctype, FORM, KIND, ...) FILL_##FORM(ID, ctype, KIND)
NACRE_DTYPES(ROW, )
#undef ROW

typedef void (*BlocksFn)(const Blocks *b, int64_t from, int64_t end, int64_t *seen);
#define FN_PLAIN(I, ID) fill_##ID##_##I,
#define FN_COMPLEX(I, ID) FN_PLAIN(I, ID)
#define FN_HALF(I, ID) NULL,
#define ROW(I, ID, name, ctype, FORM, ...) FN_##FORM(I, ID)
static const BlocksFn fills[2][DT_COUNT] = {{NACRE_DTYPES(ROW, int32_t)}, {NACRE_DTYPES(ROW, int64_t)}};
#undef ROW

typedef struct Pass {
    Blocks *blocks;
    BlocksFn run;
} Pass;

static void pass_part(void *job, int part, int worker) {
    const Pass *p = job;
    const Blocks *b = p->blocks;
    int64_t *seen = b->seen ? b->seen + (size_t)worker * (size_t)b->columns : NULL;
    if (!b->call->host->stopped(b->call))
        p->run(b, part_begin(b->rows, part, b->parts), part_begin(b->rows, part + 1, b->parts), seen);
}

static void run_pass(Blocks *b, BlocksFn run) {
    Pass p = {b, run};
    if (b->seen) memset(b->seen, 0, sizeof(int64_t) * (size_t)b->call->threads * (size_t)b->columns);
    b->call->host->share(b->call, pass_part, &p, b->parts);
}

static bool refuse(SparseCall *call, const char *message) {
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "%s", message);
    return false;
}

// Reads the arguments (indptr, indices, …, columns, high, wide) and makes `b->indptr` of the block rows, as a result of
// the call if `result`. False: the call's error is set, or the program is to be stopped.
static bool count_blocks(Blocks *b, const SparseArg *data, const SparseArg *extents, bool result) {
    SparseCall *call = b->call;
    const SparseArg *indptr = &call->args[0], *indices = &call->args[1];
    if (!check_lines(call, indptr, indices, data) || !check_indices(call, indices, extents[0].whole)) return false;
    b->high = extents[1].whole;
    b->wide = extents[2].whole;
    if (b->high < 1 || b->wide < 1 || (indptr->count - 1) % b->high != 0 || extents[0].whole % b->wide != 0)
        return refuse(call, "shape must be multiple of blocksize");
    b->rows = (indptr->count - 1) / b->high;
    b->columns = extents[0].whole / b->wide;
    b->index = indptr->type;
    b->indptr_from = indptr->data;
    b->indices_from = indices->data;
    b->seen = call->host->scratch(call, sizeof(int64_t) * (size_t)call->threads * (size_t)b->columns);
    if (!b->seen) return false;
    b->indptr = result ? call->host->array(call, b->index, b->rows + 1)
                       : call->host->scratch(call, ((size_t)b->rows + 1) * dtype_bytes(b->index));
    if (!b->indptr) return false;
    b->parts = parts_of(call, indices->count, b->rows);
    run_pass(b, b->index == DT_INT64 ? count_int64_t : count_int32_t);
    if (call->host->stopped(call)) return false; // counting is incomplete
    set_index(b->indptr, b->index, 0, 0);
    int64_t count = 0;
    for (int64_t row = 1; row <= b->rows; row++) {
        count += index_in(b->indptr, b->index, row);
        set_index(b->indptr, b->index, row, count);
    }
    return true;
}

// count_blocks(indptr, indices, columns, high, wide): returns how many blocks of that size have entries.
void op_count_blocks(SparseCall *call) {
    Blocks b = {.call = call};
    if (count_blocks(&b, NULL, &call->args[2], false)) call->host->whole(call, index_in(b.indptr, b.index, b.rows));
}

// blocks_from_lines(indptr, indices, data, columns, high, wide): returns indptr and indices of the blocks, and the
// blocks' elements. Duplicate entries are added up.
void op_blocks_from_lines(SparseCall *call) {
    Blocks b = {.call = call, .type = call->args[2].type, .data_from = call->args[2].data};
    if (!count_blocks(&b, &call->args[2], &call->args[3], true)) return;
    int64_t count = index_in(b.indptr, b.index, b.rows), size;
    if (__builtin_mul_overflow(count, b.high * b.wide, &size)) {
        refuse(call, "array is too big");
        return;
    }
    b.indices = call->host->array(call, b.index, count);
    b.data = b.indices ? call->host->array(call, b.type, size) : NULL;
    if (b.data) run_pass(&b, fills[b.index == DT_INT64][b.type]);
}

// --- To rows -------------------------------------------------------------------------------------

#define BLOCK_ROWS(I)                                                                          \
    static void rows_##I(const Blocks *b, int64_t from, int64_t end, int64_t *seen) {          \
        const I *restrict indptr = b->indptr_from, *restrict indices = b->indices_from;        \
        const size_t size = dtype_bytes(b->type), line = size * (size_t)b->wide;               \
        const int64_t each = b->high * b->wide;                                                \
        (void)seen;                                                                            \
        for (int64_t row = from; row < end; row++) {                                           \
            int64_t place = indptr[row] * each;                                                \
            const int64_t blocks = indptr[row + 1] - indptr[row];                              \
            for (int64_t i = 0; i < b->high; i++) {                                            \
                for (int64_t k = indptr[row]; k < indptr[row + 1]; k++, place += b->wide) {    \
                    memcpy((char *)b->data + (size_t)place * size,                             \
                           (const char *)b->data_from + (size_t)(k * each + i * b->wide) * size, line); \
                    for (int64_t j = 0; j < b->wide; j++) ((I *)b->indices)[place + j] = (I)(indices[k] * b->wide + j); \
                }                                                                              \
                ((I *)b->indptr)[row * b->high + i + 1] = (I)(indptr[row] * each + (i + 1) * blocks * b->wide); \
            }                                                                                  \
        }                                                                                      \
    }
BLOCK_ROWS(int32_t)
BLOCK_ROWS(int64_t)

// lines_from_blocks(indptr, indices, data, high, wide): returns compressed rows with all elements of the blocks. The
// index type has to be able to count the elements.
void op_lines_from_blocks(SparseCall *call) {
    const SparseArg *a = call->args;
    if (!check_lines(call, &a[0], &a[1], NULL)) return;
    Blocks b = {.call = call, .index = a[0].type, .type = a[2].type, .indptr_from = a[0].data, .indices_from = a[1].data,
                .data_from = a[2].data, .rows = a[0].count - 1, .high = a[3].whole, .wide = a[4].whole};
    int64_t each, size, rows;
    if (a[2].kind != SPARSE_ARRAY || b.high < 1 || b.wide < 1 || __builtin_mul_overflow(b.high, b.wide, &each) ||
        __builtin_mul_overflow(each, index_at(&a[0], b.rows), &size) || size > a[2].count ||
        __builtin_mul_overflow(b.rows, b.high, &rows) || (b.index == DT_INT32 && size > INT32_MAX)) {
        refuse(call, "indices and data should have the same size");
        return;
    }
    b.indptr = call->host->array(call, b.index, rows + 1);
    b.indices = b.indptr ? call->host->array(call, b.index, size) : NULL;
    b.data = b.indices ? call->host->array(call, b.type, size) : NULL;
    if (!b.data) return;
    set_index(b.indptr, b.index, 0, 0);
    b.parts = parts_of(call, size, b.rows);
    run_pass(&b, b.index == DT_INT64 ? rows_int64_t : rows_int32_t);
}
