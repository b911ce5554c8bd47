// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of the cpu backend share.

#ifndef NACRE_BACKENDS_CPU_CPU_H
#define NACRE_BACKENDS_CPU_CPU_H

#include "backends/cpu/fft.h"
#include "backends/cpu/pool.h"
#include "vm/sched/backend.h"
#include "vm/value/vm.h"

enum { PARALLEL_WORK = 1 << 16 }; // elements; work below is not worth a second thread
enum { STEP = 8 }; // elements that the steps of factorisations take at once

// n elements: out = op(a, b, c); arrays are contiguous and the same or disjoint.
typedef void (*LoopFn)(const void *a, const void *b, const void *c, void *out, size_t n);
// out[i] = out[i-1] op in[i], where out[-1] is at `before`; NULL: the first one is in[0]. `in` may be `out`.
typedef void (*ScanFn)(const void *before, const void *in, void *out, size_t n);
// A function of SLEEF, of whatever type and width, and what applies it to n elements; `loop` does
// those over again that come out as a NaN or infinite, and with `whole` those of whole numbers.
typedef void (*VectorFn)(void);
typedef void (*VectorRun)(VectorFn fn, LoopFn loop, bool whole, const void *a, const void *b,
                          void *out, size_t n);
// An own vector function's loops, which do instead of the op's; the second one's results go past the cache.
typedef struct OwnLoops {
    LoopFn loop, streamed; // NULL: there are none
} OwnLoops;

// C = A @ B of small matrices; strides in elements (of complex numbers in their halves), the columns
// of C next to one another.
typedef void (*ProductF64)(const double *a, int64_t a_row, int64_t a_col, const double *b, int64_t b_row,
                           int64_t b_col, double *c, int64_t c_row, int64_t rows, int64_t depth,
                           int64_t cols);
typedef void (*ProductF32)(const float *a, int64_t a_row, int64_t a_col, const float *b, int64_t b_row,
                           int64_t b_col, float *c, int64_t c_row, int64_t rows, int64_t depth,
                           int64_t cols);

// y = A @ x, where y, x and the rows of A, or y and its columns, are contiguous; strides in elements.
typedef void (*MatvecRows)(const void *a, int64_t a_row, const void *x, int64_t rows, int64_t depth,
                           void *y);
typedef void (*MatvecCols)(const void *a, int64_t a_col, const void *x, int64_t x_step,
                           int64_t rows, int64_t depth, void *y);

// Elements that a mask of n bytes selects, `room` of them, side by side: compress takes them out of `from`,
// expand puts those of `from` in their places.
typedef void (*SelectFn)(const uint8_t *mask, size_t n, const void *from, void *to, size_t room);

// The loops for one instruction set.
// A row of elements of 64 bits that is parted: those with keys below `low` go to the front of `to`, those above `high`
// to its end, the keys of the others between them aside; or places, and pairs of key and place. Keys by sort.c's Order.
typedef struct Apart {
    const uint64_t *from;
    size_t n;
    bool floating, places;
    uint64_t sign, last, infinity, flip, low, high;
    uint64_t *to, *between;
    size_t done, before, middle, behind; // what has become of the first elements
} Apart;

typedef void (*FoldFn)(const void *from, size_t n, void *out);

typedef struct Loops {
    const LoopFn (*ops)[DT_COUNT];     // by OpId; only where op_has_loop
    const LoopFn *casts[DT_COUNT];     // by target, then source
    const ScanFn *const *scans;        // by OpId, then type; NULL for most ops
    // Sums of n elements `stride` bytes apart, in NumPy's pairwise order.
    double (*sum_f64)(const char *at, size_t n, int64_t stride);
    float (*sum_f32)(const char *at, size_t n, int64_t stride);
    float (*sum_f16)(const char *at, size_t n, int64_t stride);
    float _Complex (*sum_c64)(const char *at, size_t n, int64_t stride);
    double _Complex (*sum_c128)(const char *at, size_t n, int64_t stride);
    ProductF64 product_f64, product_c128;
    ProductF32 product_f32, product_c64;
    double (*dot_f64)(const double *a, const double *b, size_t n);
    float (*dot_f32)(const float *a, const float *b, size_t n);
    // Of integers, by the logarithm of an element's bytes (products_int_template.h); strides in elements.
    void (*int_products[4])(const void *a, int64_t a_row, int64_t a_col, const void *b, int64_t b_row, int64_t b_col,
                            void *c, int64_t c_row, int64_t rows, int64_t depth, int64_t cols);
    void (*int_dots[4])(const void *a, const void *b, size_t n, void *to);
    int64_t dot_few_bytes; // of fewer, products are added one by one
    MatvecRows matvec_rows[2]; // of float, double
    MatvecCols matvec_cols[2];
    // Steps of factorisations (factor_steps_template.h).
    void (*subtract_product)(const double *a, int64_t a_row, int64_t a_col, const double *b,
                             int64_t b_row, double *c, int64_t c_row, int64_t rows, int64_t depth,
                             int64_t cols);
    bool (*lu_panel)(double *panel, int64_t rows, int64_t count, int64_t *pivots);
    bool (*lu_panel_complex)(double *re, double *im, int64_t rows, int64_t count, int64_t *pivots);
    bool (*cholesky_block)(double *a, int64_t row, int64_t n);
    // Steps of reductions by reflections (reflect_template.h).
    void (*rank_two)(double *a, int64_t row, int64_t rows, int64_t cols, const double *v,
                     const double *w, const double *v_rows, const double *w_rows, const double *next,
                     double *product);
    void (*reflect)(double *z, int64_t row, int64_t rows, int64_t cols, const double *v, double tau);
    // What becomes of elements side by side, one at least, that meet one another (fold_template.h).
    const FoldFn *const *folds;        // by OpId, then type; NULL for most, or for all
    // Masks (select_template.h).
    int64_t (*count_true)(const uint8_t *mask, size_t n);
    void (*places_of_true)(const uint8_t *mask, size_t n, int64_t first, int64_t *to, size_t room);
    void (*apart_64)(Apart *apart); // apart_template.h; NULL: there is no such loop
    SelectFn compress[5], expand[5];   // by the logarithm of an element's bytes
    int vector_width;                  // bytes; 0: no vector functions
    const char *vector_set;            // SLEEF's name of the instruction set
    VectorRun vectors[2][2];           // of float, double; with one operand, with two
    const OwnLoops *own_f64;           // by OpId: own vector functions of doubles; NULL: there are none
} Loops;
extern const Loops loops_baseline;
extern const Loops loops_avx2, loops_avx512; // x86-64 only, where they are linked in
// The loops of an instruction set that the processor has; NULL: they are not there. Linked in
// (loops_linked.c), or in a plug-in (backends/loops).
typedef enum LoopSet { LOOPS_AVX2, LOOPS_AVX512 } LoopSet;
const Loops *loops_find(LoopSet set);
// A line for `nacre info`.
void loops_describe(Buf *out, const Loops *used);

typedef struct Cpu {
    Vm *vm;
    int threads;
    size_t tile; // elements of a tile; 0: as suits the kernel
    bool reproducible; // to the last bit, for any number of threads
    bool stress;       // calls of libraries are taken for long ones (long_call.h)
    bool near;         // operands are in a cache: of bands (bands.c)
    Pool *pool;
    Tier tier;
    struct CodeStore *code; // code_store.c; NULL: no machine code is made
    RegionCalls region_calls;
    struct KernelCode *native; // native.c; NULL: kernels are interpreted
    const Loops *loops; // the best that this processor has; NULL before cpu_ready
    void *sleef, *libmvec; // handles of the libraries, or NULL
    VectorFn vectors[AOP_COUNT][2]; // of float, double; NULL: there is none, or nobody asked yet
    atomic_bool looked[AOP_COUNT][2];
    FftPlans fft;
} Cpu;

// What every job of the pool begins with.
typedef struct Job {
    const Cpu *cpu;
    atomic_uint flags; // of all parts
} Job;

// The flags of a kernel's sites, of all parts of a job.
typedef struct SiteFlags {
    int count;
    atomic_uint of[KERN_SITES];
} SiteFlags;
void sites_clear(SiteFlags *sites, const Kernel *kernel);
void sites_tell(SiteFlags *sites, const uint32_t *flags); // what a part's thread has met
void sites_gather(SiteFlags *sites, uint32_t *flags);

// How many parts a job of so many units is cut into, with `most` units there are: more than there are
// threads, so that one that comes late, or is held up, leaves less for the others to wait for.
static inline int parts_for(const Cpu *cpu, int64_t most) {
    enum { EACH = 4 };
    int64_t parts = (int64_t)cpu->threads * EACH;
    return (int)(parts < most ? parts : most);
}

// Where a part begins.
static inline int64_t cut_before(int64_t extent, int64_t part, int64_t parts) {
    return extent * part / parts;
}

// In how many parts a product goes where the number of threads may not matter: BLIS takes other ways,
// with other last bits, for a part with few rows.
static inline int fixed_parts(int64_t extent) {
    enum { LEAST = 128, MOST = 16 };
    return extent < 2 * LEAST ? 1 : extent < LEAST * MOST ? (int)(extent / LEAST) : MOST;
}

// services.c: a Cpu without kernels; its vm's `mem` and `interrupt` are looked at, and no more of it.
void cpu_begin(Cpu *cpu, Vm *vm, Pool *pool, int threads); // 0: as many as the machine has
// Before the first work: chooses the loops, for which a plug-in may have to be opened.
void cpu_choose_loops(Cpu *cpu);
static inline void cpu_ready(Cpu *cpu) {
    if (__builtin_expect(!cpu->loops, 0)) cpu_choose_loops(cpu);
}
const Loops *cpu_best_loops(void);
int cpu_default_threads(void);

// Shares a job out to the threads; `job` begins with a Job. Workers are numbered below cpu->threads.
void share_out(const Cpu *cpu, PartFn run, void *job, int parts, uint32_t *flags);

// Whether the work should be left: asked between tiles, rows and panels, by any thread. Sets the
// flag that has the exception raised.
static inline bool interrupted(const Cpu *cpu, uint32_t *flags) {
    if (!vm_interrupted(cpu->vm)) return false;
    *flags |= FLAG_INTERRUPTED;
    return true;
}

// The same for a kernel, which may be one that cannot be left.
static inline bool left(const Cpu *cpu, const Kernel *kernel, uint32_t *flags) {
    return !kernel->whole && interrupted(cpu, flags);
}

// The one axis along which a library node works.
static inline int axis_of(const Kernel *kernel) {
    return __builtin_ctzll(kernel->attrs.axes);
}

static inline LoopFn loop_of(const Cpu *cpu, OpId op, DType type) {
    return cpu->loops->ops[op][type];
}

// vector.c: looks for the vector functions that a kernel can use, before its threads run.
void vectors_prepare(Cpu *cpu, const Kernel *kernel);
// The own function of an op, or NULL.
static inline const OwnLoops *own_of(const Cpu *cpu, OpId op, DType type) {
    const OwnLoops *own = type == DT_FLOAT64 ? cpu->loops->own_f64 : NULL;
    return own && own[op].loop ? &own[op] : NULL;
}
// RegionCalls.function: what a tile's instruction does.
void cpu_function(void *context, int op, int type, const void *a, const void *b, void *result, int64_t count);
void vectors_close(Cpu *cpu);
void vectors_describe(Buf *out, const Loops *loops);

// select.c: TAKE and PUT with views, whose elements, the places' and the other operand's, lie there.
void select_few(const Cpu *cpu, const Direct *direct, char *places, char *other, char *out);

// move.c
// An element of 16 bytes, to be moved.
typedef struct Wide {
    uint64_t halves[2];
} Wide;
void gather(const char *from, int64_t stride, void *to, size_t size, size_t n);
void scatter(const void *from, char *to, int64_t stride, size_t size, size_t n);
// Copies to memory that is not wanted in the cache. When all is copied, stream_end lets other threads
// see it.
void stream(void *to, const void *from, size_t bytes);
void stream_end(void);
// Walks the index space of dims 0 … ndim-1: adds the strides of `count` addresses. Begin with all
// indexes 0; false when every index has been visited.
bool odometer_next(int ndim, const int64_t *shape, int64_t *index, char **at,
                   const int64_t *const *strides, int count);
// From the beginning to a place, counted as odometer_next walks.
void odometer_set(int ndim, const int64_t *shape, int64_t *index, char **at,
                  const int64_t *const *strides, int count, int64_t place);

// reduce_sums.c
// buffer[0] = a[0] op a[1] op …, in whatever order. The buffer has room for half of the elements and
// FOLD_STEP more, or is a.
enum { FOLD_STEP = 64 };
void fold(const Cpu *cpu, OpId op, DType type, const char *a, size_t n, char *buffer);
// reduce.c
size_t reduce_workspace(const Cpu *cpu, const Kernel *kernel);
void tile_reduce(Cpu *cpu, const Kernel *kernel, uint32_t *flags);

// How an op that is no loop is done: its file defines library_ID, and library.c lists them all.
typedef struct LibraryFn {
    void (*run)(Cpu *cpu, const Kernel *kernel, uint32_t *flags);
    size_t (*workspace)(const Cpu *cpu, const Kernel *kernel); // NULL: none
    const struct StackWork *stacks; // linalg.h; for run_stacks
    double (*work)(const Kernel *kernel); // of one call of a library (long_call.h); NULL: there is none that is long
} LibraryFn;
extern const LibraryFn *const library_fns[AOP_COUNT]; // NULL for loops
#define DECLARE_ELEMENTWISE(ID)
#define DECLARE_REDUCTION(ID)
#define DECLARE_SCAN(ID) extern const LibraryFn library_##ID;
#define DECLARE_CREATION(ID) DECLARE_SCAN(ID)
#define DECLARE_LIBRARY(ID) DECLARE_SCAN(ID)
#define OP(ID, name, arity, CLASS, ...) DECLARE_##CLASS(ID)
#include "vm/graph/ops.def"

// extreme.c: where the first of the largest or smallest of elements side by side is.
// A row that is sorted, or its places; where elements belong in a sorted row. `from` is side by side. False: somebody
// broke it off, and nothing has been written.
bool sort_few(const Cpu *cpu, const Direct *d, const char *from, char *to);
void convolve_few(const Direct *d, const char *a, const char *v, char *to); // convolve.c
void search_few(const Direct *d, const char *row, const char *wanted, char *to);
int64_t extreme_place(DType type, const char *at, int64_t n, bool largest);
// direct.c: Backend.direct.
bool cpu_direct(void *ctx, const Direct *direct, uint32_t told);

// gemm.c: whether a GEMM is done here better than its operations one by one.
bool gemm_supports(const Cpu *cpu, const Kernel *kernel);

// features.c: whether the processor has what loops_avx2.c, loops_avx512.c and BLIS's code for such
// processors need.
bool has_avx2(void);
bool has_avx512(void);

// blis.c: C = A @ B for floats and doubles, and C -= A @ B for doubles, with element strides. False: BLIS
// is not there or cannot do it.
typedef struct Matrix {
    char *data;
    int64_t rows, cols, row_stride, col_stride; // strides in bytes
} Matrix;
// RegionCalls.dot: just as a node's product, by this thread while there are few elements.
void cpu_dot(void *context, int type, const char *a, int64_t a_stride, const char *b, int64_t b_stride,
             int64_t count, char *result, int quiet);
// RegionCalls.product and reduce.
void cpu_product(void *context, int type, char *to, const int64_t shape[3], const char *a,
                 const int64_t a_strides[2], const char *b, const int64_t b_strides[2], int quiet);
void cpu_reduce(void *context, int op, int type, const char *at, int64_t count, int64_t row, char *result);
bool blis_matmul(DType type, const Matrix *a, const Matrix *b, const Matrix *c);
bool blis_subtract(const Matrix *a, const Matrix *b, const Matrix *c);
// Before the first threads are started: afterwards BLIS cannot be told the processor any more.
void blis_prepare(void);
// Calls of BLIS by this thread in between take one thread (or, if `wide`, those of the processor for
// large work). Give the answer of `begin` to `end`.
int blis_begin(bool wide);
void blis_end(int before);
void blis_describe(Buf *out);

#endif
