// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix products: BLIS for large floats, own code for small floats and complex numbers, a plain
// loop for all other types.

#include "backends/cpu/cpu.h"
#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
#include "backends/cpu/loops/complex_math.h"
#include "backends/cpu/product/blis.h"
#include "backends/cpu/product/products.h"
#include "backends/cpu/rows.h"
#include "backends/cpu/tile/move.h"
#include "vm/graph/half.h"

// Numbers of multiplications from which BLIS is faster than own code, by instruction set, and from
// which a second thread pays.
enum { BLIS_WORK = 64 * 64 * 64, BLIS_WORK_AVX512 = 320 * 320 * 320, THREAD_WORK = 1 << 20 };
enum { SHALLOW = 64 }; // up to this many columns of A BLIS does not pay, except float32 with AVX2
enum { DOT_DEPTH = 128 }; // minimum row length for dot products, if there are few columns

// Multiplies rows of A by B: the inner loop runs along rows of B and C.
#define PRODUCT(A, ID, name, CTYPE, FORM, KIND, ...) PRODUCT_##FORM(ID, CTYPE, KIND)
#define PRODUCT_COMPLEX(ID, T, KIND) PRODUCT_PLAIN(ID, T, KIND)
#define PRODUCT_PLAIN(ID, T, KIND)                                                            \
    static void product_##ID(const Matrix *a, const Matrix *b, const Matrix *c) {             \
        bool unit = b->col_stride == sizeof(T) && c->col_stride == sizeof(T);                 \
        for (int64_t i = 0; i < a->rows; i++) {                                               \
            char *row = c->data + i * c->row_stride;                                          \
            for (int64_t j = 0; j < b->cols; j++) *(T *)(row + j * c->col_stride) = 0;        \
            for (int64_t k = 0; k < a->cols; k++) {                                           \
                T x = *(const T *)(a->data + i * a->row_stride + k * a->col_stride);          \
                const char *other = b->data + k * b->row_stride;                              \
                if (unit) {                                                                   \
                    const T *from = (const T *)other;                                         \
                    T *to = (T *)row;                                                         \
                    for (int64_t j = 0; j < b->cols; j++)                                     \
                        to[j] = (T)ADD_##KIND(to[j], x, from[j]);                             \
                    continue;                                                                 \
                }                                                                             \
                for (int64_t j = 0; j < b->cols; j++) {                                       \
                    T y = *(const T *)(other + j * b->col_stride);                            \
                    T *to = (T *)(row + j * c->col_stride);                                   \
                    *to = (T)ADD_##KIND(*to, x, y);                                           \
                }                                                                             \
            }                                                                                 \
        }                                                                                     \
    }
// For halves: accumulates in float and rounds once.
#define PRODUCT_HALF(ID, CTYPE, KIND)                                                         \
    static void product_##ID(const Matrix *a, const Matrix *b, const Matrix *c) {             \
        for (int64_t i = 0; i < a->rows; i++)                                                 \
            for (int64_t j = 0; j < b->cols; j++) {                                           \
                const char *x = a->data + i * a->row_stride, *y = b->data + j * b->col_stride; \
                float sum = 0;                                                                \
                for (int64_t k = 0; k < a->cols; k++, x += a->col_stride, y += b->row_stride) \
                    sum += half_to_float(*(const CTYPE *)x) * half_to_float(*(const CTYPE *)y); \
                *(CTYPE *)(c->data + i * c->row_stride + j * c->col_stride) =                 \
                    half_from_float(sum);                                                     \
            }                                                                                 \
    }
#define ADD_BOOL(t, x, y) ((t) | ((x) & (y)))
#define ADD_INT(t, x, y) ((uint64_t)(t) + (uint64_t)(x) * (uint64_t)(y))
#define ADD_UINT(t, x, y) ADD_INT(t, x, y)
#define ADD_FLOAT(t, x, y) ((t) + (x) * (y))
#define ADD_COMPLEX(t, x, y) ((t) + nc_mul_c(x, y))
NACRE_DTYPES(PRODUCT, )

typedef void (*ProductFn)(const Matrix *a, const Matrix *b, const Matrix *c);
static const ProductFn products[DT_COUNT] = {
#define ROW(A, ID, ...) [DT_##ID] = product_##ID,
    NACRE_DTYPES(ROW, )
#undef ROW
};

enum { SIDE_BY_SIDE = 1024 }; // elements packed from a strided vector at a time

// Long dot products: elements of a block; blocks summed before their sums are added; elements from which threads share
// the blocks.
enum { DOT_BLOCK = 1 << 15, DOT_BATCH = 64, DOT_SHARED = 1 << 19 };

#define T double
#define DOT dot_f64
#define NAME(f) f##_dot_f64
#include "backends/cpu/product/long_dot_template.h"
#define T float
#define DOT dot_f32
#define NAME(f) f##_dot_f32
#include "backends/cpu/product/long_dot_template.h"

// If rows of A and columns of B are contiguous, each result is a dot product. So is a single
// result, whatever its strides.
#define BY_DOTS(T, dot)                                                                     \
    static bool dots_##T(const Cpu *cpu, const Matrix *a, const Matrix *b, const Matrix *c,  \
                         uint32_t *flags) {                                                 \
        const int64_t size = sizeof(T);                                                     \
        bool one = a->rows == 1 && b->cols == 1;                                            \
        int64_t a_stride = a->cols > 1 ? a->col_stride : size;                              \
        int64_t b_stride = b->rows > 1 ? b->row_stride : size;                              \
        if (!one && (a_stride != size || b_stride != size)) return false;                   \
        for (int64_t i = 0; i < a->rows; i++)                                               \
            for (int64_t j = 0; j < b->cols; j++)                                           \
                *(T *)(c->data + i * c->row_stride + j * c->col_stride) =                   \
                    long_##dot(cpu, a->data + i * a->row_stride, a_stride,                  \
                               b->data + j * b->col_stride, b_stride, a->cols, flags);      \
        return true;                                                                        \
    }
BY_DOTS(double, dot_f64)
BY_DOTS(float, dot_f32)

#define IN_PANELS(name, T, halves, product)                                                 \
    static bool panels_##name(const Loops *loops, const Matrix *a, const Matrix *b, const Matrix *c) { \
        const int64_t size = sizeof(T);                                                     \
        if (c->col_stride != halves * size || a->row_stride % size || a->col_stride % size ||        \
            b->row_stride % size || b->col_stride % size || c->row_stride % size)           \
            return false;                                                                   \
        loops->product((const T *)a->data, a->row_stride / size, a->col_stride / size,      \
                       (const T *)b->data, b->row_stride / size, b->col_stride / size,      \
                       (T *)c->data, c->row_stride / size, a->rows, a->cols, b->cols);      \
        return true;                                                                        \
    }
IN_PANELS(f64, double, 1, product_f64)
IN_PANELS(f32, float, 1, product_f32)
IN_PANELS(c128, double, 2, product_c128)
IN_PANELS(c64, float, 2, product_c64)

ProductWay product_way(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b) {
    double work = (double)a->rows * (double)a->cols * (double)b->cols;
    bool avx512 = cpu->loops->vector_width == 64;
    bool large = work >= (avx512 ? BLIS_WORK_AVX512 : BLIS_WORK);
    bool shallow = a->cols <= SHALLOW && (avx512 || type == DT_FLOAT64);
    bool is_complex = dtype_kind(type) == DK_COMPLEX;
    bool thin = a->rows < 4 || b->cols < 4; // little reuse, so memory bandwidth decides
    bool known = dtype_is_inexact(type) && type != DT_FLOAT16;
    // Own panels of complex numbers are faster than BLIS, which moreover rounds differently in
    // threads other than its first. Only single rows and small products are better without panels.
    if (is_complex) return (ProductWay){.narrow = a->rows == 1 || (b->cols < 4 && work < BLIS_WORK)};
    return (ProductWay){.blis = known && large, .blis_first = known && large && !thin && !shallow,
                 .narrow = (b->cols < 4 && a->cols >= DOT_DEPTH) || a->rows == 1 || b->cols == 1};
}

static bool own_product(const Cpu *cpu, DType type, ProductWay way, const Matrix *a, const Matrix *b,
                        const Matrix *c, uint32_t *flags) {
    const Loops *loops = cpu->loops;
    if (type == DT_FLOAT64)
        return (way.narrow && dots_double(cpu, a, b, c, flags)) || panels_f64(loops, a, b, c);
    if (type == DT_FLOAT32)
        return (way.narrow && dots_float(cpu, a, b, c, flags)) || panels_f32(loops, a, b, c);
    if (dtype_kind(type) == DK_BOOL) {
        product_of_bools(a, b, c);
        return true;
    }
    if (dtype_is_integer(type)) return product_of_ints(cpu, type, a, b, c);
    if (way.narrow) return false;
    return (type == DT_COMPLEX128 && panels_c128(loops, a, b, c)) ||
           (type == DT_COMPLEX64 && panels_c64(loops, a, b, c));
}

void product_part(const Cpu *cpu, DType type, ProductWay way, const Matrix *a, const Matrix *b,
                    const Matrix *c, uint32_t *flags) {
    flags_clear();
    bool done = (way.blis_first && blis_matmul(type, a, b, c)) ||
                own_product(cpu, type, way, a, b, c, flags) ||
                (way.blis && blis_matmul(type, a, b, c));
    if (!done) products[type](a, b, c);
    *flags |= flags_raised();
}

// Returns a small number of parts, since each part packs what it needs of the other matrix.
int product_parts(const Cpu *cpu, double work, int64_t extent) {
    if (work < THREAD_WORK) return 1;
    if (cpu->reproducible) return fixed_parts(extent);
    if (cpu->threads < 2 || extent < 2 * cpu->threads) return 1;
    return work < 64.0 * THREAD_WORK ? cpu->threads : 2 * cpu->threads;
}

typedef struct ProductJob {
    Job job;
    DType type;
    ProductWay way;
    const Matrix *a, *b, *c;
    bool by_rows;
    int parts;
} ProductJob;

static void run_part(void *argument, int part, int worker) {
    ProductJob *p = argument;
    uint32_t raised = 0;
    int64_t extent = p->by_rows ? p->a->rows : p->b->cols;
    int64_t from = cut_before(extent, part, p->parts), to = cut_before(extent, part + 1, p->parts);
    Matrix left = p->by_rows ? rows_between(p->a, from, to) : *p->a;
    Matrix right = p->by_rows ? *p->b : cols_between(p->b, from, to);
    Matrix out = p->by_rows ? rows_between(p->c, from, to) : cols_between(p->c, from, to);
    (void)worker;
    product_part(p->job.cpu, p->type, p->way, &left, &right, &out, &raised);
    atomic_fetch_or(&p->job.flags, raised);
}

// Threads share rows or columns of C, each calling BLIS by itself: BLIS's own threads would be a
// second pool.
static void product_in_threads(const Cpu *cpu, DType type, ProductWay way, const Matrix *a,
                               const Matrix *b, const Matrix *c, uint32_t *flags) {
    double work = (double)a->rows * (double)a->cols * (double)b->cols;
    ProductJob p = {.type = type, .way = way, .a = a, .b = b, .c = c, .by_rows = a->rows >= b->cols};
    p.parts = product_parts(cpu, work, p.by_rows ? a->rows : b->cols);
    if (p.parts == 1) product_part(cpu, type, way, a, b, c, flags);
    else share_out(cpu, run_part, &p, p.parts, flags);
}

double product_most(DType type) {
    if (!dtype_is_inexact(type) || type == DT_FLOAT16) return 1LL << 28; // own loops
    return dtype_kind(type) == DK_COMPLEX ? 1LL << 29 : 1LL << 32;
}

bool product_is_short(DType type, const Matrix *a, const Matrix *b) {
    return (double)a->rows * (double)a->cols * (double)b->cols <= product_most(type);
}

// Returns the number of rows or columns between two polls for interrupts, large enough for an efficient product.
static int64_t lines_at_once(int64_t lines, double fit) {
    enum { LINES_MIN = 256 };
    if (fit >= (double)lines) return lines;
    return fit < LINES_MIN ? least(LINES_MIN, lines) : (int64_t)fit;
}

// Computes very large products block by block, so that they can be interrupted in between. Square
// blocks reread the least of A and B. The first block is always computed, since compiled loops compute only
// products of one block, and do not check whether these are complete.
static void product_by_blocks(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b,
                              const Matrix *c, uint32_t *flags) {
    double elements = product_most(type) / (a->cols > 0 ? (double)a->cols : 1);
    int64_t cols = lines_at_once(b->cols, sqrt(elements));
    int64_t rows = lines_at_once(a->rows, elements / (double)cols);
    cols = lines_at_once(b->cols, elements / (double)rows);
    ProductWay way = product_way(cpu, type, a, b);
    for (int64_t row = 0; row < a->rows; row += rows) {
        int64_t row_end = least(row + rows, a->rows);
        Matrix left = rows_between(a, row, row_end), there = rows_between(c, row, row_end);
        for (int64_t col = 0; col < b->cols; col += cols) {
            int64_t col_end = least(col + cols, b->cols);
            Matrix right = cols_between(b, col, col_end), out = cols_between(&there, col, col_end);
            if ((row || col) && interrupted(cpu, flags)) return;
            product_in_threads(cpu, type, way, &left, &right, &out, flags);
        }
    }
}

void matrix_product(const Cpu *cpu, DType type, const Matrix *a, const Matrix *b, const Matrix *c,
                    uint32_t *flags) {
    if (!matvec(cpu, type, a, b, c, flags) && !deep_product(cpu, type, a, b, c, flags) &&
        !symmetric_product(cpu, type, a, b, c, flags))
        product_by_blocks(cpu, type, a, b, c, flags);
}

void cpu_dot(void *context, int type, const char *a, int64_t a_stride, const char *b, int64_t b_stride,
             int64_t count, char *result, int quiet) {
    const Cpu *cpu = context;
    const int64_t size = (int64_t)dtype_size((DType)type);
    // the vectors as matrices of one row and of one column
    Matrix row = {(char *)(uintptr_t)a, 1, count, 0, a_stride};
    Matrix column = {(char *)(uintptr_t)b, count, 1, b_stride, 0}, out = {result, 1, 1, size, size};
    uint32_t flags = 0;
    // Short cut for short vectors: matrix_product would end in the same dot product.
    if (type == DT_FLOAT64 && count <= SIDE_BY_SIDE)
        *(double *)result = short_dot_f64(cpu, a, a_stride, b, b_stride, count);
    else if (type == DT_FLOAT32 && count <= SIDE_BY_SIDE)
        *(float *)result = short_dot_f32(cpu, a, a_stride, b, b_stride, count);
    else
        matrix_product(cpu, (DType)type, &row, &column, &out, &flags);
    if (quiet) flags_clear();
}

void cpu_product(void *context, int type, char *to, const int64_t shape[3], const char *a,
                 const int64_t a_strides[2], const char *b, const int64_t b_strides[2], int quiet) {
    uint32_t flags = 0;
    const int64_t size = (int64_t)dtype_size((DType)type);
    Matrix left = {(char *)(uintptr_t)a, shape[0], shape[1], a_strides[0], a_strides[1]};
    Matrix right = {(char *)(uintptr_t)b, shape[1], shape[2], b_strides[0], b_strides[1]};
    Matrix out = {to, shape[0], shape[2], shape[2] * size, size};
    if (shape[0] > 0 && shape[2] > 0)
        matrix_product(context, (DType)type, &left, &right, &out, &flags);
    if (quiet) flags_clear();
}

// A stack that multiplies all its matrices by the same B is one taller matrix, if rows continue
// from one matrix to the next. `at` is the innermost remaining stack dimension.
static bool joins_rows(const View *a, const View *b, const View *c, int at, const Matrix *left,
                       const Matrix *to) {
    return b->strides[at] == 0 && (left->rows == 1 || a->strides[at] == left->rows * left->row_stride) &&
           (to->rows == 1 || c->strides[at] == to->rows * to->row_stride);
}

static int join_rows(const View *a, const View *b, const View *c, Matrix *left, Matrix *to) {
    int stacked = c->ndim - 2;
    for (; stacked > 0 && joins_rows(a, b, c, stacked - 1, left, to); stacked--) {
        if (left->rows == 1) left->row_stride = a->strides[stacked - 1];
        if (to->rows == 1) to->row_stride = c->strides[stacked - 1];
        left->rows *= c->shape[stacked - 1];
        to->rows = left->rows;
    }
    return stacked;
}

// Computes some items of a stack of dot products of contiguous rows, with the same bits as separate
// products.
#define ROWS_BY_ROWS(T, dot)                                                                \
    static void rows_by_rows_##T(const Cpu *cpu, int stacked, const int64_t *shape,         \
                                 const int64_t *const *strides, char *at[3], int64_t depth, \
                                 int64_t from, int64_t to) {                                \
        int64_t index[NDIM_MAX];                                                            \
        char *here[3] = {at[0], at[1], at[2]};                                              \
        odometer_set(stacked, shape, index, here, strides, 3, from);                        \
        for (int64_t n = from; n < to; n++) {                                               \
            *(T *)here[2] = cpu->loops->dot((const T *)here[0], (const T *)here[1], (size_t)depth); \
            odometer_next(stacked, shape, index, here, strides, 3);                         \
        }                                                                                   \
    }
ROWS_BY_ROWS(double, dot_f64)
ROWS_BY_ROWS(float, dot_f32)

typedef struct StackJob {
    Job job;
    DType type;
    int stacked, parts;
    const int64_t *shape, *const *strides;
    char **at;
    int64_t depth, count;
} StackJob;

static void stack_part(void *argument, int part, int worker) {
    StackJob *s = argument;
    int64_t from = cut_before(s->count, part, s->parts), to = cut_before(s->count, part + 1, s->parts);
    (void)worker;
    flags_clear();
    (s->type == DT_FLOAT64 ? rows_by_rows_double : rows_by_rows_float)(
        s->job.cpu, s->stacked, s->shape, s->strides, s->at, s->depth, from, to);
    atomic_fetch_or(&s->job.flags, flags_raised());
}

// Returns whether a stack consists of dot products of contiguous rows, short enough for one piece
// each.
static bool are_rows(DType type, const Matrix *a, const Matrix *b) {
    const int64_t size = (int64_t)dtype_size(type);
    return (type == DT_FLOAT64 || type == DT_FLOAT32) && a->rows == 1 && b->cols == 1 && a->cols <= DOT_BLOCK &&
           (a->cols == 1 || (a->col_stride == size && b->row_stride == size));
}

static void stack_of_rows(const Cpu *cpu, StackJob *s, uint32_t *flags) {
    s->count = 1;
    for (int d = 0; d < s->stacked; d++) s->count *= s->shape[d];
    bool small = s->count * s->depth < PARALLEL_WORK;
    s->parts = small ? 1 : parts_for(cpu, s->count);
    share_out(cpu, stack_part, s, s->parts, flags);
}

// A stack of matrices.
typedef struct Stack {
    DType type;
    Matrix a, b, c;
} Stack;

static void stack_item(const Rows *rows, char *const *at, int64_t from, int64_t to, uint32_t *flags) {
    const Stack *s = rows->what;
    Matrix a = s->a, b = s->b, c = s->c;
    (void)from, (void)to;
    a.data = at[0];
    b.data = at[1];
    c.data = at[2];
    matrix_product(rows->job.cpu, s->type, &a, &b, &c, flags);
}

// Leading dimensions have been broadcast. Threads share the matrices of the stack; if these are large, they share
// the work on each.
void stack_product(const Cpu *cpu, const View *a, const View *b, const View *c, char *at[3], uint32_t *flags) {
    const int64_t *strides[3] = {a->strides, b->strides, c->strides};
    if (view_size(c) == 0) return;
    Stack stack = {c->dtype, matrix_at(a, at[0]), matrix_at(b, at[1]), matrix_at(c, at[2])};
    Matrix *ma = &stack.a, *mb = &stack.b, *mc = &stack.c;
    int stacked = join_rows(a, b, c, ma, mc);
    if (stacked > 0 && are_rows(c->dtype, ma, mb)) {
        StackJob s = {.type = c->dtype, .stacked = stacked, .shape = c->shape, .strides = strides, .at = at,
                      .depth = ma->cols};
        stack_of_rows(cpu, &s, flags);
        return;
    }
    Rows rows = {.run = stack_item, .what = &stack, .operands = 3, .ndim = stacked, .shape = c->shape,
                 .strides = {strides[0], strides[1], strides[2]}, .at = {at[0], at[1], at[2]}, .units = 1};
    double work = (double)ma->rows * (double)ma->cols * (double)mb->cols, count = 1;
    for (int d = 0; d < stacked; d++) count *= (double)c->shape[d];
    bool apart = work < THREAD_WORK && work * count >= THREAD_WORK;
    if (stacked == 0) matrix_product(cpu, c->dtype, ma, mb, mc, flags);
    else rows_run(cpu, &rows, apart ? PARALLEL_WORK : 0, flags);
}

static void run_matmul(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view, *b = &k->args[1].view, *c = &k->result.view;
    char *at[3] = {arg_at(&k->args[0]), arg_at(&k->args[1]), arg_at(&k->result)};
    stack_product(cpu, a, b, c, at, flags);
    *flags &= ~(uint32_t)FLAG_UNDERFLOW;
}

const LibraryFn library_MATMUL = {.run = run_matmul};
