// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reduces everything to one number: by pieces, which threads take in turn.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/tile/move.h"

// Returns whether a reduction finds an extreme of complex numbers: which of several equal ones is taken depends on
// their order, but not on their grouping.
static bool is_ordered_extreme(const Kernel *k, int r) {
    OpId op = (OpId)k->reductions[r].op;
    return (op == AOP_MAXIMUM || op == AOP_MINIMUM) && is_in_order(k, r);
}

// Returns whether all dimensions are reduced, by operations that need not combine elements sequentially.
bool is_whole(const Kernel *k) {
    for (int r = 0; r < k->reduction_count; r++)
        if (!may_reorder(k, r) && !is_ordered_extreme(k, r)) return false;
    return k->reduced == axes_below(k->ndim);
}

// Evaluates elements begin … begin+n in iteration order, across rows, into the worker's blocks.
static void evaluate_flat(Worker *w, const Kernel *k, int64_t begin, size_t n, const char **values) {
    int inner = k->ndim - 1, accesses = access_count(k);
    int64_t row = k->shape[inner], column = begin % row, rest = begin / row, index[NDIM_MAX];
    char *at[KERN_ACCESSES], *blocks[KERN_STORES];
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
    memcpy(blocks, w->blocks, sizeof blocks);
    for (size_t done = 0, some; done < n; done += some) {
        some = n - done < (size_t)(row - column) ? n - done : (size_t)(row - column);
        for (int r = 0; r < k->reduction_count; r++)
            w->blocks[r] = blocks[r] + done * dtype_size(reduced_type(k, r));
        evaluate(w, k, at, column, some, values);
        for (int r = 0; r < k->reduction_count; r++)
            if (values[r] != w->blocks[r]) memcpy(w->blocks[r], values[r], some * dtype_size(reduced_type(k, r)));
        column = 0;
        odometer_next(inner, k->shape, index, at, strides, accesses);
    }
    memcpy(w->blocks, blocks, sizeof blocks);
    for (int r = 0; r < k->reduction_count; r++) values[r] = blocks[r];
}

// Result of a piece.
typedef union Outcome {
    Scalar sum;
    char value[DTYPE_SIZE_MAX];
} Outcome;

static void piece_outcomes(Worker *w, const Kernel *k, int64_t begin, size_t n, Outcome *outcomes) {
    const char *values[KERN_STORES];
    char *at[KERN_ACCESSES];
    for (int i = 0; i < access_count(k); i++) at[i] = access_at(access_number(k, i));
    if (k->ndim == 1 && k->reduction_count == 1 && is_float_sum(k, 0)) {
        outcomes[0].sum = sum_block(w, k, at, begin, n);
        return;
    }
    if (k->ndim == 1) evaluate(w, k, at, begin, n, values);
    else evaluate_flat(w, k, begin, n, values);
    for (int r = k->reduction_count - 1; r >= 0; r--) { // backwards: reductions that share values read
                                                        // the block of the first one, which reuses it
        DType type = reduced_type(k, r);
        size_t size = dtype_size(type);
        if (is_float_sum(k, r)) {
            outcomes[r].sum = sum_run(w->cpu, type, values[r], n, (int64_t)size);
        } else if (is_ordered_extreme(k, r)) {
            memcpy(outcomes[r].value, values[r], size);
            combine_in_order(w->cpu, (OpId)k->reductions[r].op, type, values[r] + size, n - 1, outcomes[r].value);
        } else {
            fold(w->cpu, (OpId)k->reductions[r].op, type, values[r], n, w->blocks[r]);
            memcpy(outcomes[r].value, w->blocks[r], size);
        }
        if (k->reduction_count > 1) tell_reduction(w, k, r);
    }
}

// --- Pieces --------------------------------------------------------------------------------------

// How all elements, in iteration order, are split into pieces of at most BLOCK. For float sums a piece is
// a node of a summation tree (`runs` gives the trees), all at the same depth: a tree's pieces are
// combined along the tree, and the trees' sums are added in order.
typedef struct Pieces {
    int64_t span, unit, units; // as in SumRuns; trees per span
    int64_t count;             // number of pieces
    int depth;
    DType type; // type of the sums
} Pieces;

// Returns the depth of the tree, computed along the last node of each level, which is the largest.
static int tree_depth(DType type, int64_t n) {
    int depth = 0;
    for (; n > BLOCK; depth++) n -= left_half(type, n);
    return depth;
}

static void cut(const Kernel *k, int64_t n, Pieces *pieces) {
    pieces->type = summed_type(k);
    bool summed = pieces->type != DT_NONE;
    pieces->span = summed ? k->runs.span : n;
    pieces->unit = summed ? k->runs.unit : BLOCK;
    pieces->units = (pieces->span + pieces->unit - 1) / pieces->unit;
    pieces->depth = summed ? tree_depth(pieces->type, pieces->unit) : 0;
    pieces->count = n / pieces->span * pieces->units << pieces->depth;
}

static int64_t piece_begin(const Pieces *p, int64_t number, int64_t *n) {
    int64_t unit = number >> p->depth, within = unit % p->units * p->unit;
    int64_t begin = unit / p->units * p->span + within, rest = p->span - within;
    *n = rest < p->unit ? rest : p->unit;
    for (int level = p->depth - 1; level >= 0; level--) {
        int64_t half = left_half(p->type, *n);
        bool right = number >> level & 1;
        if (right) begin += half;
        *n = right ? *n - half : half;
    }
    return begin;
}

enum {
    BATCH = 512, // partial results kept before they are combined
    DEPTH = 64,
};

typedef struct Batch {
    Job job;
    SiteFlags sites;
    const Way *way;
    Pieces pieces;
    int64_t first, count; // pieces
    int parts;
    Outcome outcomes[BATCH];
    Scalar sums[KERN_STORES][DEPTH]; // per level of the tree: a left result that waits for its
                                     // sibling
} Batch;

static void some_pieces(void *argument, int part, int number) {
    Batch *batch = argument;
    const Kernel *k = batch->way->kernel;
    Worker worker;
    worker_init(&worker, batch->job.cpu, batch->way, number);
    flags_clear();
    for (int64_t i = part; i < batch->count && !left(worker.cpu, k, worker.flags); i += batch->parts) {
        int64_t n, begin = piece_begin(&batch->pieces, batch->first + i, &n);
        piece_outcomes(&worker, k, begin, (size_t)n, &batch->outcomes[i * k->reduction_count]);
    }
    stream_end();
    worker_finish(&worker, k, &batch->sites);
}

// Combines a piece's sum with its waiting sibling; a finished tree is added to the result.
static void join_sum(Batch *batch, DType type, int r, int64_t number, Scalar sum, char *acc) {
    int level = 0;
    for (; level < batch->pieces.depth && number >> level & 1; level++)
        sum = sum_of(type, batch->sums[r][level], sum);
    if (level == batch->pieces.depth) add_sum(type, sum, acc);
    else batch->sums[r][level] = sum;
}

static void add_outcome(const Cpu *cpu, Batch *batch, int64_t number, int r, const Outcome *outcome,
                        uint32_t *flags) {
    const Kernel *k = batch->way->kernel;
    DType type = reduced_type(k, r);
    const KernReduction *reduction = &k->reductions[r];
    char *acc = access_at(&k->stores[r].to);
    flags_clear();
    if (is_float_sum(k, r)) join_sum(batch, type, r, number, outcome->sum, acc);
    else loop_of(cpu, (OpId)reduction->op, type)(acc, outcome->value, NULL, acc, 1);
    if (k->flags) flags[reduction->site] |= flags_raised() & ~reduction->untold;
}

// Threads take pieces; one thread combines their results in order. So the result does not depend on
// the number of threads.
void reduce_whole(const Cpu *cpu, const Way *way, int64_t n, uint32_t *flags) {
    const Kernel *k = way->kernel;
    Batch batch;
    int64_t most = BATCH / k->reduction_count;
    batch.way = way;
    cut(k, n, &batch.pieces);
    for (batch.first = 0; batch.first < batch.pieces.count && !left(cpu, k, flags); batch.first += most) {
        int64_t rest = batch.pieces.count - batch.first;
        batch.count = rest < most ? rest : most;
        batch.parts = worth_threads(cpu, k) ? parts_for(cpu, batch.count) : 1;
        sites_clear(&batch.sites, k);
        share_out(cpu, some_pieces, &batch, batch.parts, flags);
        sites_gather(&batch.sites, flags);
        if (flags[0] & FLAG_INTERRUPTED) return;
        for (int64_t i = 0; i < batch.count * k->reduction_count; i++)
            add_outcome(cpu, &batch, batch.first + i / k->reduction_count, (int)(i % k->reduction_count),
                        &batch.outcomes[i], flags);
    }
}
