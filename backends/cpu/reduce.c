// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reductions, in NumPy's order: the innermost dimension of memory is summed pairwise when it is
// reduced, rows are added one after the other when it is kept.

#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/flags.h"
#include "vm/graph/half.h"

enum { BLOCK = 8 * TILE }; // NumPy's buffers hold 8192 elements, and its sums too end there

// --- Runs of the innermost dimension -----------------------------------------------------------

void fold(LoopFn loop, size_t size, const char *a, size_t n, char *buffer) {
    if (n < 2 && a != buffer) memcpy(buffer, a, n * size);
    for (size_t half; n > 1; n -= half, a = buffer) {
        half = n / 2;
        if (half > FOLD_STEP) half -= half % FOLD_STEP; // no rests for the loop to do one by one
        loop(a, a + (n - half) * size, NULL, buffer, half);
        if (a != buffer) memcpy(buffer + half * size, a + half * size, (n - 2 * half) * size);
    }
}

// A float product goes one by one, and whatever may leave one NaN or another.
static void combine_in_order(const Cpu *cpu, OpId op, DType type, const char *a, size_t n,
                             char *acc) {
    LoopFn loop = loop_of(cpu, op, type);
    if (type == DT_FLOAT64 && op == AOP_MULTIPLY) {
        double product = *(double *)acc;
        for (size_t i = 0; i < n; i++) product *= ((const double *)a)[i];
        *(double *)acc = product;
        return;
    }
    if (type == DT_FLOAT32 && op == AOP_MULTIPLY) {
        float product = *(float *)acc;
        for (size_t i = 0; i < n; i++) product *= ((const float *)a)[i];
        *(float *)acc = product;
        return;
    }
    for (size_t i = 0; i < n; i++) loop(acc, a + i * dtype_size(type), NULL, acc, 1);
}

static bool is_in_order(const Kernel *k) {
    switch (k->reduce) {
    case AOP_MAXIMUM:
    case AOP_MINIMUM:
    case AOP_FMAX:
    case AOP_FMIN: return dtype_kind(k->stores[0].to.dtype) == DK_COMPLEX;
    default: return !op_info[k->reduce].commutative || dtype_is_inexact(k->stores[0].to.dtype);
    }
}

static bool is_float_sum(const Kernel *k) {
    return k->reduce == AOP_ADD && dtype_is_inexact(k->stores[0].to.dtype);
}

static Scalar complex_sum(double _Complex sum) {
    return (Scalar){.re = __real__ sum, .im = __imag__ sum};
}

static Scalar sum_run(const Cpu *cpu, DType type, const char *at, size_t n, int64_t stride) {
    const Loops *loops = cpu->loops;
    switch (type) {
    case DT_FLOAT16: return (Scalar){.f = (double)loops->sum_f16(at, n, stride)};
    case DT_FLOAT32: return (Scalar){.f = (double)loops->sum_f32(at, n, stride)};
    case DT_COMPLEX64: return complex_sum(loops->sum_c64(at, n, stride));
    case DT_COMPLEX128: return complex_sum(loops->sum_c128(at, n, stride));
    default: return (Scalar){.f = loops->sum_f64(at, n, stride)};
    }
}

static void add_sum(DType type, Scalar sum, char *acc) {
    switch (type) {
    case DT_FLOAT16: {
        uint16_t *half = (uint16_t *)acc;
        *half = half_from_float(half_to_float(*half) + (float)sum.f);
        break;
    }
    case DT_FLOAT32: *(float *)acc += (float)sum.f; break;
    case DT_COMPLEX64:
        ((float *)acc)[0] += (float)sum.re;
        ((float *)acc)[1] += (float)sum.im;
        break;
    case DT_COMPLEX128:
        ((double *)acc)[0] += sum.re;
        ((double *)acc)[1] += sum.im;
        break;
    default: *(double *)acc += sum.f; break;
    }
}

typedef struct Worker {
    const Cpu *cpu;
    Tiles *tiles;
    char *block; // BLOCK elements
    uint32_t flags[KERN_SITES]; // of each site
} Worker;

// Where the accesses are at place `begin` of a run of the inner dimension.
static void places_in_run(const Kernel *k, char *const *at, int64_t begin, char **here) {
    for (int i = 0; i < access_count(k); i++)
        here[i] = at[i] + begin * access_number(k, i)->strides[k->ndim - 1];
}

// The value's elements begin … begin+n of the inner dimension, copied to `to`.
static void evaluate(Worker *w, const Kernel *k, char *const *at, int64_t begin, size_t n,
                     char *to) {
    size_t size = dtype_size(k->stores[0].to.dtype);
    char *here[KERN_ACCESSES];
    for (size_t done = 0; done < n;) {
        size_t count = n - done < TILE ? n - done : TILE;
        places_in_run(k, at, begin + (int64_t)done, here);
        const void *v = tiles_run(w->tiles, k, here, count, w->flags);
        memcpy(to + done * size, v, count * size);
        done += count;
    }
}

static void sum_inner(Worker *w, const Kernel *k, char *const *at, char *acc) {
    DType type = k->stores[0].to.dtype;
    int inner = k->ndim - 1;
    int64_t n = k->shape[inner], stride = k->loads[0].strides[inner];
    bool plain = k->code_count == 0 && k->store_count == 1;
    for (int64_t begin = 0; begin < n && !left(w->cpu, k, w->flags); begin += BLOCK) {
        size_t count = n - begin < BLOCK ? (size_t)(n - begin) : BLOCK;
        const char *from = plain ? at[0] + begin * stride : w->block;
        if (!plain) evaluate(w, k, at, begin, count, w->block);
        add_sum(type, sum_run(w->cpu, type, from, count, plain ? stride : (int64_t)dtype_size(type)),
                acc);
    }
}

// Half floats that meet as floats, which NumPy rounds once, at the end of a row.
static bool is_half_run(const Kernel *k) {
    bool arithmetic = k->reduce == AOP_MULTIPLY || k->reduce == AOP_SUBTRACT || k->reduce == AOP_DIVIDE;
    return arithmetic && k->stores[0].to.dtype == DT_FLOAT16;
}

static void combine_halves(OpId op, const uint16_t *from, size_t n, float *acc) {
    for (size_t i = 0; i < n; i++) {
        float x = half_to_float(from[i]);
        *acc = op == AOP_MULTIPLY ? *acc * x : op == AOP_SUBTRACT ? *acc - x : *acc / x;
    }
}

static void halves_inner(Worker *w, const Kernel *k, char *const *at, char *acc) {
    int inner = k->ndim - 1;
    int64_t n = k->shape[inner];
    float sum = half_to_float(*(uint16_t *)acc);
    char *here[KERN_ACCESSES];
    for (int64_t begin = 0; begin < n && !left(w->cpu, k, w->flags); begin += TILE) {
        size_t count = n - begin < TILE ? (size_t)(n - begin) : TILE;
        places_in_run(k, at, begin, here);
        combine_halves(k->reduce, tiles_run(w->tiles, k, here, count, w->flags), count, &sum);
    }
    *(uint16_t *)acc = half_from_float(sum);
}

// The values meet in a tile, element by element, and the tile's elements at the end. Those of a short row
// meet one another straight away.
static void reduce_inner(Worker *w, const Kernel *k, char *const *at, char *acc) {
    DType type = k->stores[0].to.dtype;
    int inner = k->ndim - 1;
    int64_t n = k->shape[inner];
    size_t size = dtype_size(type);
    LoopFn loop = loop_of(w->cpu, k->reduce, type);
    bool in_order = is_in_order(k);
    char *here[KERN_ACCESSES];
    for (int64_t begin = 0; begin < n && !left(w->cpu, k, w->flags); begin += TILE) {
        size_t count = n - begin < TILE ? (size_t)(n - begin) : TILE;
        places_in_run(k, at, begin, here);
        const void *v = tiles_run(w->tiles, k, here, count, w->flags);
        if (refuses_exponents(k->reduce, type, v, (int64_t)dtype_size(type), count)) {
            w->flags[k->reduce_site] |= FLAG_NEGATIVE_POWER;
            return;
        }
        if (in_order) combine_in_order(w->cpu, k->reduce, type, v, count, acc);
        else if (n <= TILE) fold(loop, size, v, count, w->block);
        else if (begin == 0) memcpy(w->block, v, count * size);
        else loop(w->block, v, NULL, w->block, count);
    }
    if (in_order || n == 0) return;
    if (n > TILE) fold(loop, size, w->block, TILE, w->block);
    loop(acc, w->block, NULL, acc, 1);
}

static void reduce_run(Worker *w, const Kernel *k, char *const *at, char *acc) {
    if (is_float_sum(k)) sum_inner(w, k, at, acc);
    else if (is_half_run(k)) halves_inner(w, k, at, acc);
    else reduce_inner(w, k, at, acc);
}

// The inner dimension is kept: out[j] = out[j] op value[j].
static void combine_run(Worker *w, const Kernel *k, char *const *at, char *out) {
    DType type = k->stores[0].to.dtype;
    size_t size = dtype_size(type);
    int inner = k->ndim - 1;
    int64_t n = k->shape[inner], stride = k->stores[0].to.strides[inner];
    LoopFn loop = loop_of(w->cpu, k->reduce, type);
    char *here[KERN_ACCESSES], *olds = w->block;
    for (int64_t begin = 0; begin < n && !left(w->cpu, k, w->flags); begin += TILE) {
        size_t count = n - begin < TILE ? (size_t)(n - begin) : TILE;
        places_in_run(k, at, begin, here);
        const void *v = tiles_run(w->tiles, k, here, count, w->flags);
        if (refuses_exponents(k->reduce, type, v, (int64_t)size, count)) {
            w->flags[k->reduce_site] |= FLAG_NEGATIVE_POWER;
            return;
        }
        char *to = out + begin * stride;
        if (stride == (int64_t)size) {
            loop(to, v, NULL, to, count);
            continue;
        }
        gather(to, stride, olds, size, count);
        loop(olds, v, NULL, olds, count);
        scatter(olds, to, stride, size, count);
    }
}

static void reduce_part(Worker *w, const Kernel *k) {
    int inner = k->ndim - 1, accesses = access_count(k);
    char *at[KERN_ACCESSES];
    const int64_t *strides[KERN_ACCESSES];
    int64_t index[NDIM_MAX] = {0};
    for (int i = 0; i < accesses; i++) {
        strides[i] = access_number(k, i)->strides;
        at[i] = access_at(access_number(k, i));
    }
    bool inner_reduced = k->reduced >> inner & 1;
    do {
        if (inner_reduced) reduce_run(w, k, at, at[k->load_count]);
        else combine_run(w, k, at, at[k->load_count]);
    } while (!left(w->cpu, k, w->flags) &&
             odometer_next(inner, k->shape, index, at, strides, accesses));
}

// --- Beginning values --------------------------------------------------------------------------

// Every output element gets the initial value, or the first value along the reduced dimensions.
static void beginning(Kernel *first, const Kernel *k) {
    kernel_copy(first, k);
    for (int d = 0; d < k->ndim; d++)
        if (k->reduced >> d & 1) first->shape[d] = 1;
    first->reduce = AOP_NONE;
    first->reduced = 0;
    first->store_count = 1;
    if (!k->has_initial) return;
    first->load_count = first->code_count = 0;
    first->param_count = 1;
    first->params[0] = k->initial;
    first->param_types[0] = k->stores[0].to.dtype;
    first->stores[0].value = KERN_FIRST_PARAM;
}

// --- Splitting over threads --------------------------------------------------------------------

// The largest kept dimension; -1: all are reduced.
static int kept_dim(const Kernel *k) {
    int best = -1;
    for (int d = 0; d < k->ndim; d++)
        if (!(k->reduced >> d & 1) && (best < 0 || k->shape[d] > k->shape[best])) best = d;
    return best;
}

static void narrow(Kernel *k, int d, int64_t from, int64_t to) {
    for (int i = 0; i < k->load_count; i++) k->loads[i].offset += from * k->loads[i].strides[d];
    for (int i = 0; i < k->store_count; i++)
        k->stores[i].to.offset += from * k->stores[i].to.strides[d];
    k->shape[d] = to - from;
}

static size_t block_bytes(const Kernel *k) {
    size_t size = dtype_size(k->stores[0].to.dtype);
    return BLOCK * (size < 8 ? 8 : size);
}

static size_t worker_bytes(const Kernel *k) {
    return block_bytes(k) + tiles_bytes(k);
}

static Worker worker_of(const Cpu *cpu, const Kernel *k, int i) {
    char *memory = (char *)k->workspace + (size_t)i * worker_bytes(k);
    return (Worker){.cpu = cpu, .block = memory, .tiles = tiles_init(cpu, memory + block_bytes(k), k)};
}

typedef struct ReduceJob {
    Job job;
    SiteFlags sites;
    const Kernel *kernel;
    int dim, parts;
} ReduceJob;

// What the worker has met, with what its last combinations raised.
static void finish(Worker *w, const Kernel *k, SiteFlags *sites) {
    if (k->flags) flags_tell(&w->flags[k->reduce_site], ~k->untold, true);
    sites_tell(sites, w->flags);
}

static void reduce_piece(void *argument, int part, int number) {
    ReduceJob *r = argument;
    const Kernel *k = r->kernel;
    Kernel piece;
    kernel_copy(&piece, k);
    Worker worker = worker_of(r->job.cpu, k, number);
    int d = r->dim;
    if (d >= 0)
        narrow(&piece, d, k->shape[d] * part / r->parts, k->shape[d] * (part + 1) / r->parts);
    flags_clear();
    reduce_part(&worker, &piece);
    finish(&worker, k, &r->sites);
}

static bool worth_threads(const Cpu *cpu, const Kernel *k) {
    int64_t work = 1;
    for (int d = 0; d < k->ndim; d++) work *= k->shape[d];
    return work >= PARALLEL_WORK && cpu->threads > 1;
}

static int parts_of(const Cpu *cpu, const Kernel *k) {
    int d = kept_dim(k);
    return d < 0 || !worth_threads(cpu, k) ? 1 : parts_for(cpu, k->shape[d]);
}

static bool is_whole_sum(const Kernel *k) {
    return is_float_sum(k) && kept_dim(k) < 0;
}

// First for the beginning values, then for the parts.
size_t reduce_workspace(const Cpu *cpu, const Kernel *k) {
    Kernel first;
    beginning(&first, k);
    size_t begin = elementwise_workspace(cpu, &first);
    bool shared = worth_threads(cpu, k) && (is_whole_sum(k) || parts_of(cpu, k) > 1);
    size_t parts = (size_t)(shared ? cpu->threads : 1) * worker_bytes(k);
    return begin > parts ? begin : parts;
}

// --- The sum of everything ---------------------------------------------------------------------

// Elements begin … begin+n in the order of iteration, across rows, into the worker's block.
static void evaluate_flat(Worker *w, const Kernel *k, int64_t begin, size_t n) {
    int inner = k->ndim - 1;
    int64_t row = k->shape[inner], column = begin % row, rest = begin / row, index[NDIM_MAX];
    size_t size = dtype_size(k->stores[0].to.dtype);
    int accesses = access_count(k);
    char *at[KERN_ACCESSES];
    const int64_t *strides[KERN_ACCESSES];
    for (int i = 0; i < accesses; i++) {
        strides[i] = access_number(k, i)->strides;
        at[i] = access_at(access_number(k, i));
    }
    for (int d = inner - 1; d >= 0; d--) {
        index[d] = rest % k->shape[d];
        rest /= k->shape[d];
        for (int i = 0; i < accesses; i++) at[i] += index[d] * strides[i][d];
    }
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < (size_t)(row - column) ? n - done : (size_t)(row - column);
        evaluate(w, k, at, column, some, w->block + done * size);
        column = 0;
        odometer_next(inner, k->shape, index, at, strides, accesses);
    }
}

static Scalar block_sum(Worker *w, const Kernel *k, int64_t begin, size_t n) {
    DType type = k->stores[0].to.dtype;
    if (k->ndim == 1 && k->code_count == 0 && k->store_count == 1) {
        int64_t stride = k->loads[0].strides[0];
        return sum_run(w->cpu, type, access_at(&k->loads[0]) + begin * stride, n, stride);
    }
    evaluate_flat(w, k, begin, n);
    return sum_run(w->cpu, type, w->block, n, (int64_t)dtype_size(type));
}

enum { BATCH = 512 }; // blocks whose sums are kept before they are added

typedef struct Batch {
    Job job;
    SiteFlags sites;
    const Kernel *kernel;
    int64_t first, count, n; // blocks; all elements
    int parts;
    Scalar sums[BATCH];
} Batch;

static void some_blocks(void *argument, int part, int number) {
    Batch *batch = argument;
    Worker worker = worker_of(batch->job.cpu, batch->kernel, number);
    flags_clear();
    for (int64_t i = part; i < batch->count; i += batch->parts) {
        int64_t begin = (batch->first + i) * BLOCK, rest = batch->n - begin;
        batch->sums[i] = block_sum(&worker, batch->kernel, begin, rest < BLOCK ? (size_t)rest : BLOCK);
    }
    finish(&worker, batch->kernel, &batch->sites);
}

// Threads take blocks, and one of them adds their sums in order. So the result does not depend on
// how many there are.
static void whole_sum(const Cpu *cpu, const Kernel *k, int64_t n, uint32_t *flags) {
    Batch batch;
    int64_t blocks = (n + BLOCK - 1) / BLOCK;
    batch.kernel = k;
    batch.n = n;
    for (batch.first = 0; batch.first < blocks && !left(cpu, k, flags); batch.first += BATCH) {
        batch.count = blocks - batch.first < BATCH ? blocks - batch.first : BATCH;
        batch.parts = worth_threads(cpu, k) ? parts_for(cpu, batch.count) : 1;
        sites_clear(&batch.sites, k);
        share_out(cpu, some_blocks, &batch, batch.parts, flags);
        sites_gather(&batch.sites, flags);
        flags_clear();
        for (int64_t i = 0; i < batch.count; i++)
            add_sum(k->stores[0].to.dtype, batch.sums[i], access_at(&k->stores[0].to));
        flags[k->reduce_site] |= flags_raised();
    }
}

void tile_reduce(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    Kernel first;
    int64_t n = 1;
    beginning(&first, k);
    vectors_prepare(cpu, k);
    if (!k->begun) tile_elementwise(cpu, &first, flags);
    for (int d = 0; d < k->ndim; d++) n *= k->shape[d];
    if (n == 0) return;
    if (is_whole_sum(k)) {
        whole_sum(cpu, k, n, flags);
        return;
    }
    ReduceJob r = {.kernel = k, .dim = kept_dim(k), .parts = parts_of(cpu, k)};
    sites_clear(&r.sites, k);
    share_out(cpu, reduce_piece, &r, r.parts, flags);
    sites_gather(&r.sites, flags);
}
