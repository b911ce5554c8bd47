// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reduces a run of the innermost dimension, in NumPy's order: pairwise if that dimension is
// reduced, element by element into existing values if it is kept.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/tile/move.h"
#include "vm/graph/half.h"

void combine_in_order(const Cpu *cpu, OpId op, DType type, const char *a, size_t n, char *acc) {
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

// --- Kinds of reductions -----------------------------------------------------------------------

DType reduced_type(const Kernel *k, int r) {
    return k->stores[r].to.dtype;
}

bool op_in_order(OpId op, DType type) {
    switch (op) {
    case AOP_MAXIMUM:
    case AOP_MINIMUM:
    case AOP_FMAX:
    case AOP_FMIN: return dtype_kind(type) == DK_COMPLEX;
    default: return !op_info[op].commutative || dtype_is_inexact(type);
    }
}

bool is_in_order(const Kernel *k, int r) {
    return op_in_order((OpId)k->reductions[r].op, reduced_type(k, r));
}

bool is_float_sum(const Kernel *k, int r) {
    return k->reductions[r].op == AOP_ADD && dtype_is_inexact(reduced_type(k, r));
}

DType summed_type(const Kernel *k) {
    for (int r = 0; r < k->reduction_count; r++)
        if (is_float_sum(k, r)) return reduced_type(k, r);
    return DT_NONE;
}

// NumPy rounds such results once, at the end of a row.
bool is_half_run(const Kernel *k, int r) {
    OpId op = (OpId)k->reductions[r].op;
    bool arithmetic = op == AOP_MULTIPLY || op == AOP_SUBTRACT || op == AOP_DIVIDE;
    return arithmetic && reduced_type(k, r) == DT_FLOAT16;
}

bool may_reorder(const Kernel *k, int r) {
    return is_float_sum(k, r) || (!is_in_order(k, r) && !is_half_run(k, r));
}

bool is_plain(const Kernel *k) {
    return k->code_count == 0 && k->store_count == 1 && k->load_count;
}

// --- Values ------------------------------------------------------------------------------------

static void evaluate_tiles(Worker *w, const Kernel *k, char *const *at, int64_t begin, size_t n, bool told) {
    char *here[KERN_ACCESSES];
    for (size_t done = 0; done < n;) {
        size_t count = n - done < w->tiles->length ? n - done : w->tiles->length;
        for (int i = 0; i < access_count(k); i++)
            here[i] = at[i] + (begin + (int64_t)done) * access_number(k, i)->strides[k->ndim - 1];
        for (int r = 0; r < k->reduction_count; r++)
            here[k->load_count + r] = w->blocks[r] + done * dtype_size(reduced_type(k, r));
        tiles_run(w->tiles, k, here, count, told, w->flags);
        done += count;
    }
}

void tell_reduction(Worker *w, const Kernel *k, int r) {
    const KernReduction *reduction = &k->reductions[r];
    if (k->told_apart) flags_tell(&w->flags[reduction->site], ~reduction->untold, true);
}

// Before evaluation: decides whether flags are attributed per instruction. Flags raised so far
// belong to the only reduction; several reductions have attributed theirs.
static bool begin_run(Worker *w, const Kernel *k) {
    if (k->reduction_count == 1) tell_reduction(w, k, 0);
    return w->tiles->telling == TELL_BY_SPAN && w->wary > 0;
}

// After evaluation: returns whether the evaluation must be repeated with flags per instruction.
static bool end_run(Worker *w, bool told) {
    enum { WARY = 16 };
    if (told) w->wary--;
    if (told || w->tiles->telling != TELL_BY_SPAN || !flags_any()) return false;
    flags_clear();
    w->wary = WARY;
    return true;
}

static bool is_nothing_to_do(const Worker *w, const Kernel *k) {
    for (int r = 0; r < k->reduction_count; r++)
        if (w->tiles->value_access[r] == k->load_count + r) return false;
    return k->code_count == 0 && k->store_count == k->reduction_count;
}

static const char *values_of(const Worker *w, const Kernel *k, int r, char *const *at, int64_t begin) {
    int access = w->tiles->value_access[r];
    if (access >= k->load_count) return w->blocks[access - k->load_count];
    return at[access] + begin * (int64_t)dtype_size(reduced_type(k, r));
}

void evaluate(Worker *w, const Kernel *k, char *const *at, int64_t begin, size_t n, const char **values) {
    for (int r = 0; r < k->reduction_count; r++) values[r] = values_of(w, k, r, at, begin);
    if (is_nothing_to_do(w, k)) return;
    bool told = begin_run(w, k);
    evaluate_tiles(w, k, at, begin, n, told);
    if (end_run(w, told)) evaluate_tiles(w, k, at, begin, n, true);
}

// Sums n elements along the tree of PAIRWISE_SUM, evaluating a subtree's just before they are added: few enough to stay
// in the L1 cache with their operands, and enough for an evaluation's overhead not to count.
static Scalar sum_tree(Worker *w, const Kernel *k, char *const *at, int64_t begin, size_t n, bool told) {
    DType type = reduced_type(k, 0);
    enum { AT_ONCE = 1 << 11 };
    if (n > AT_ONCE) {
        size_t half = (size_t)left_half(type, (int64_t)n);
        Scalar first = sum_tree(w, k, at, begin, half, told);
        return sum_of(type, first, sum_tree(w, k, at, begin + (int64_t)half, n - half, told));
    }
    evaluate_tiles(w, k, at, begin, n, told);
    Scalar sum = sum_run(w->cpu, type, values_of(w, k, 0, at, begin), n, (int64_t)dtype_size(type));
    if (told) tell_reduction(w, k, 0);
    return sum;
}

Scalar sum_block(Worker *w, const Kernel *k, char *const *at, int64_t begin, size_t n) {
    if (is_plain(k)) {
        int64_t stride = k->loads[0].strides[k->ndim - 1];
        return sum_run(w->cpu, reduced_type(k, 0), at[0] + begin * stride, n, stride);
    }
    bool told = begin_run(w, k);
    Scalar sum = sum_tree(w, k, at, begin, n, told);
    return end_run(w, told) ? sum_tree(w, k, at, begin, n, true) : sum;
}

// --- Reduction to one number -------------------------------------------------------------------

// Sums along the upper levels of the tree, polling interrupts.
static Scalar sum_blocks(Worker *w, const Kernel *k, char *const *at, int64_t begin, int64_t n) {
    if (left(w->cpu, k, w->flags)) return (Scalar){.re = 0, .im = 0};
    if (n <= BLOCK) return sum_block(w, k, at, begin, (size_t)n);
    DType type = reduced_type(k, 0);
    int64_t half = left_half(type, n);
    Scalar first = sum_blocks(w, k, at, begin, half);
    return sum_of(type, first, sum_blocks(w, k, at, begin + half, n - half));
}

// Returns the number of elements of a row that one summation tree covers.
static int64_t row_unit(const Kernel *k) {
    int64_t n = k->shape[k->ndim - 1];
    return k->runs.buffered && n > SUM_BUFFER ? SUM_BUFFER : n;
}

static void sum_inner(Worker *w, const Kernel *k, char *const *at, char *acc) {
    int64_t n = k->shape[k->ndim - 1], unit = row_unit(k);
    for (int64_t begin = 0; begin < n && !left(w->cpu, k, w->flags); begin += unit)
        add_sum(reduced_type(k, 0), sum_blocks(w, k, at, begin, n - begin < unit ? n - begin : unit), acc);
}

static void combine_halves(OpId op, const uint16_t *from, size_t n, float *acc) {
    for (size_t i = 0; i < n; i++) {
        float x = half_to_float(from[i]);
        *acc = op == AOP_MULTIPLY ? *acc * x : op == AOP_SUBTRACT ? *acc - x : *acc / x;
    }
}

static void halves_inner(Worker *w, const Kernel *k, char *const *at, char *acc) {
    int64_t n = k->shape[k->ndim - 1];
    float sum = half_to_float(*(uint16_t *)acc);
    const char *values;
    for (int64_t begin = 0; begin < n && !left(w->cpu, k, w->flags); begin += TILE) {
        size_t count = n - begin < TILE ? (size_t)(n - begin) : TILE;
        evaluate(w, k, at, begin, count, &values);
        combine_halves((OpId)k->reductions[0].op, (const void *)values, count, &sum);
    }
    *(uint16_t *)acc = half_from_float(sum);
}

static bool refuses(Worker *w, const Kernel *k, int r, const char *values, size_t n) {
    DType type = reduced_type(k, r);
    if (!refuses_exponents((OpId)k->reductions[r].op, type, values, (int64_t)dtype_size(type), n)) return false;
    w->flags[k->reductions[r].site] |= FLAG_NEGATIVE_POWER;
    return true;
}

static void reduce_values(Worker *w, const Kernel *k, int r, const char *values, size_t n, char *acc) {
    DType type = reduced_type(k, r);
    OpId op = (OpId)k->reductions[r].op;
    if (is_in_order(k, r)) {
        combine_in_order(w->cpu, op, type, values, n, acc);
    } else {
        LoopFn loop = loop_of(w->cpu, op, type);
        fold(w->cpu, op, type, values, n, w->blocks[r]);
        loop(acc, w->blocks[r], NULL, acc, 1);
    }
}

// Reduces n elements of a run, for all reductions at once: float sums, as trees, into `sums`,
// others into their accumulators. False: interrupted.
static bool reduce_some(Worker *w, const Kernel *k, char *const *at, int64_t begin, int64_t n, Scalar *sums) {
    const char *values[KERN_STORES];
    if (left(w->cpu, k, w->flags)) return false;
    evaluate(w, k, at, begin, (size_t)n, values);
    for (int r = k->reduction_count - 1; r >= 0; r--) { // backwards: reductions that share values read
                                                        // the block of the first one, which reuses it
        DType type = reduced_type(k, r);
        if (refuses(w, k, r, values[r], (size_t)n)) return false;
        if (is_float_sum(k, r)) sums[r] = sum_run(w->cpu, type, values[r], (size_t)n, (int64_t)dtype_size(type));
        else reduce_values(w, k, r, values[r], (size_t)n, at[k->load_count + r]);
        if (k->reduction_count > 1) tell_reduction(w, k, r);
    }
    return true;
}

static bool reduce_tree(Worker *w, const Kernel *k, char *const *at, int64_t begin, int64_t n, Scalar *sums) {
    if (n <= BLOCK) return reduce_some(w, k, at, begin, n, sums);
    Scalar more[KERN_STORES];
    int64_t half = left_half(summed_type(k), n);
    if (!reduce_tree(w, k, at, begin, half, sums) || !reduce_tree(w, k, at, begin + half, n - half, more)) return false;
    for (int r = 0; r < k->reduction_count; r++)
        if (is_float_sum(k, r)) sums[r] = sum_of(reduced_type(k, r), sums[r], more[r]);
    return true;
}

// Reduces runs one after the other. Float sums follow their trees.
static void runs_inner(Worker *w, const Kernel *k, char *const *at) {
    bool summed = summed_type(k) != DT_NONE;
    int64_t n = k->shape[k->ndim - 1], run = summed ? row_unit(k) : TILE;
    Scalar sums[KERN_STORES];
    for (int64_t begin = 0; begin < n; begin += run) {
        if (!reduce_tree(w, k, at, begin, n - begin < run ? n - begin : run, sums)) return;
        for (int r = 0; r < k->reduction_count; r++) {
            if (!is_float_sum(k, r)) continue;
            add_sum(reduced_type(k, r), sums[r], at[k->load_count + r]);
            if (k->reduction_count > 1) tell_reduction(w, k, r);
        }
    }
}

void reduce_run(Worker *w, const Kernel *k, char *const *at) {
    bool lone = k->reduction_count == 1;
    if (lone && is_float_sum(k, 0)) sum_inner(w, k, at, at[k->load_count]);
    else if (lone && is_half_run(k, 0)) halves_inner(w, k, at, at[k->load_count]);
    else runs_inner(w, k, at);
}

// --- Combination into a run --------------------------------------------------------------------

void combine_values(Worker *w, const Kernel *k, int r, const char *values, size_t n, char *out) {
    DType type = reduced_type(k, r);
    size_t size = dtype_size(type);
    int64_t stride = k->stores[r].to.strides[k->ndim - 1];
    LoopFn loop = loop_of(w->cpu, (OpId)k->reductions[r].op, type);
    if (w->begins) {
        scatter(values, out, stride, size, n);
        return;
    }
    if (stride == (int64_t)size) {
        loop(out, values, NULL, out, n);
        return;
    }
    char *olds = w->blocks[r] + BLOCK / 2 * size; // after the values
    gather(out, stride, olds, size, n);
    loop(olds, values, NULL, olds, n);
    scatter(olds, out, stride, size, n);
}

void combine_run(Worker *w, const Kernel *k, char *const *at) {
    int inner = k->ndim - 1;
    int64_t n = k->shape[inner];
    const char *values[KERN_STORES];
    for (int64_t begin = 0; begin < n && !left(w->cpu, k, w->flags); begin += TILE) {
        size_t count = n - begin < TILE ? (size_t)(n - begin) : TILE;
        evaluate(w, k, at, begin, count, values);
        for (int r = 0; r < k->reduction_count; r++) {
            if (refuses(w, k, r, values[r], count)) return;
            char *out = at[k->load_count + r] + begin * k->stores[r].to.strides[inner];
            combine_values(w, k, r, values[r], count, out);
            if (k->reduction_count > 1) tell_reduction(w, k, r);
        }
    }
}
