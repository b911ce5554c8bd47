// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A matrix times one or a few vectors, of float32 and float64. Each matrix element is used once per
// vector, so memory bandwidth decides: the matrix is read in order, by all threads. The split into
// parts depends on the shape only, except where it cannot affect the result.

#include "backends/cpu/flags.h"
#include "backends/cpu/product/blis.h"
#include "backends/cpu/product/products.h"
#include "backends/cpu/tile/move.h"

enum {
    ROWS_LEAST = 16,     // with fewer rows, each is a dot product (matmul.c)
    SIDE_BY_SIDE = 4096, // elements packed from a strided vector at a time
    SPAN = 2048,         // elements of the result that stay in the first-level cache
    NARROW = 256,        // maximum length of a result whose elements are split into partial sums
    SUMS = 8192,         // total number of partial sums
    SUM_WORK = 1 << 15,  // minimum matrix elements per part
    PARTS_MAX = 64,
    FEW = 3,             // vectors; more than that are multiplied in panels
    FEW_DEPTH = 16,      // minimum length of such vectors; for shorter ones panels are faster
    BAND = 4096,         // matrix elements that stay in the first-level cache for all vectors
};

// y = A @ x for a few vectors. Either rows or columns of A are contiguous.
typedef struct Matvec {
    Job job;
    const Matrix *a;
    bool is_double, by_rows;
    const char *x;
    int64_t x_stride;
    char *to;
    int64_t to_stride;
    int64_t count, x_next, to_next; // number of vectors; bytes from one to the next
    int parts;
} Matvec;

static int64_t size_of(const Matvec *m) {
    return m->is_double ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
}

// --- Parts of the rows and columns ---------------------------------------------------------------

static void make_side_by_side(const Matvec *m, int64_t vector, int64_t top, int64_t rows, int64_t left,
                              int64_t cols, char *to) {
    const Loops *loops = m->job.cpu->loops;
    const Matrix *a = m->a;
    const char *from = a->data + top * a->row_stride + left * a->col_stride;
    const char *x = m->x + vector * m->x_next + left * m->x_stride;
    int64_t size = size_of(m);
    if (m->by_rows)
        loops->matvec_rows[m->is_double](from, a->row_stride / size, x, rows, cols, to);
    else
        loops->matvec_cols[m->is_double](from, a->col_stride / size, x, m->x_stride / size, rows,
                                         cols, to);
}

static int64_t band_rows(const Matvec *m) {
    int64_t rows = m->count == 1 ? SPAN : BAND / (m->a->cols + 1);
    return rows < ROWS_LEAST ? ROWS_LEAST : rows < SPAN ? rows : SPAN;
}

static void make_rows(const Matvec *m, int64_t top, int64_t bottom) {
    _Alignas(64) char room[SPAN * sizeof(double)];
    int64_t size = size_of(m), band = band_rows(m);
    bool has_gaps = m->to_stride != size;
    for (int64_t i = top; i < bottom; i += band) {
        int64_t rows = bottom - i < band ? bottom - i : band;
        for (int64_t vector = 0; vector < m->count; vector++) {
            char *to = m->to + vector * m->to_next + i * m->to_stride;
            make_side_by_side(m, vector, i, rows, 0, m->a->cols, has_gaps ? room : to);
            if (has_gaps) scatter(room, to, m->to_stride, (size_t)size, (size_t)rows);
        }
    }
}

static void rows_part(void *argument, int part, int worker) {
    Matvec *m = argument;
    (void)worker;
    flags_clear();
    make_rows(m, cut_before(m->a->rows, part, m->parts),
              cut_before(m->a->rows, part + 1, m->parts));
    atomic_fetch_or(&m->job.flags, flags_raised());
}

// --- Narrow results ------------------------------------------------------------------------------

typedef struct Narrow {
    Matvec matvec;
    _Alignas(64) char sums[SUMS * sizeof(double)];
} Narrow;

static int narrow_parts(const Matrix *a) {
    int64_t parts = a->rows * a->cols / SUM_WORK, most = SUMS / (a->rows + 1);
    if (most > PARTS_MAX) most = PARTS_MAX;
    return (int)(parts < most ? parts : most);
}

static void sum_part(void *argument, int part, int worker) {
    Narrow *n = argument;
    const Matrix *a = n->matvec.a;
    int64_t left = cut_before(a->cols, part, n->matvec.parts),
            right = cut_before(a->cols, part + 1, n->matvec.parts);
    (void)worker;
    flags_clear();
    make_side_by_side(&n->matvec, 0, 0, a->rows, left, right - left,
                      n->sums + (int64_t)part * a->rows * size_of(&n->matvec));
    atomic_fetch_or(&n->matvec.job.flags, flags_raised());
}

static void add_sums(const Narrow *n) {
    const Matvec *m = &n->matvec;
    int64_t rows = m->a->rows;
#define ADD_UP(T)                                                                                 \
    for (int64_t i = 0; i < rows; i++) {                                                          \
        T sum = 0;                                                                                \
        for (int part = 0; part < m->parts; part++) sum += ((const T *)n->sums)[part * rows + i]; \
        *(T *)(m->to + i * m->to_stride) = sum;                                                   \
    }
    if (m->is_double)
        ADD_UP(double)
    else
        ADD_UP(float)
#undef ADD_UP
}

static void narrow_matvec(const Cpu *cpu, const Matvec *m, uint32_t *flags) {
    Narrow n;
    n.matvec = *m;
    n.matvec.parts = narrow_parts(m->a);
    share_out(cpu, sum_part, &n, n.matvec.parts, flags);
    flags_clear();
    add_sums(&n);
    *flags |= flags_raised();
}

// --- Choice --------------------------------------------------------------------------------------

static void run_matvec(const Cpu *cpu, Matvec *m, uint32_t *flags) {
    int64_t work = m->a->rows * m->a->cols;
    if (!m->by_rows && m->count == 1 && m->a->rows <= NARROW && narrow_parts(m->a) > 1) {
        narrow_matvec(cpu, m, flags);
        return;
    }
    // Column-major: only one part per thread, since short pieces of columns would leave each memory
    // page half-read.
    m->parts = work < PARALLEL_WORK ? 1 : m->by_rows ? parts_for(cpu, m->a->rows) : cpu->threads;
    if (m->parts > 1) {
        share_out(cpu, rows_part, m, m->parts, flags);
        return;
    }
    flags_clear();
    make_rows(m, 0, m->a->rows);
    *flags |= flags_raised();
}

// Returns whether there are few vectors, and they are long enough.
static bool are_few(int64_t count, int64_t depth) {
    return count == 1 || (count <= FEW && depth >= FEW_DEPTH);
}

// Packs vectors contiguously into the buffer. False: they do not fit.
static bool gather_vectors(Matvec *m, int64_t depth, char *room) {
    int64_t size = size_of(m);
    if (m->count * depth > SIDE_BY_SIDE) return false;
    for (int64_t v = 0; v < m->count; v++)
        gather(m->x + v * m->x_next, m->x_stride, room + v * depth * size, (size_t)size, (size_t)depth);
    m->x = room;
    m->x_stride = size;
    m->x_next = depth * size;
    return true;
}

bool matvec(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c,
            uint32_t *flags) {
    bool is_row = a->rows < b->cols; // transposed: a row vector times a matrix
    Matrix matrix = is_row ? turned(*b) : *a, vectors = is_row ? turned(*a) : *b, to = is_row ? turned(*c) : *c;
    Matvec m = {.a = &matrix, .is_double = type == DT_FLOAT64, .x = vectors.data,
                .x_stride = vectors.row_stride, .x_next = vectors.col_stride, .count = vectors.cols,
                .to = to.data, .to_stride = to.row_stride, .to_next = to.col_stride};
    _Alignas(64) char room[SIDE_BY_SIDE * sizeof(double)];
    int64_t size = size_of(&m);
    if ((type != DT_FLOAT64 && type != DT_FLOAT32) || !are_few(m.count, matrix.cols)) return false;
    if (matrix.rows < ROWS_LEAST || matrix.row_stride % size || matrix.col_stride % size ||
        m.x_stride % size || m.x_next % size)
        return false;
    m.by_rows = matrix.col_stride == size;
    if (!m.by_rows && matrix.row_stride != size) return false;
    if (m.by_rows && m.x_stride != size && !gather_vectors(&m, matrix.cols, room)) return false;
    m.job.cpu = cpu;
    run_matvec(cpu, &m, flags);
    return true;
}
