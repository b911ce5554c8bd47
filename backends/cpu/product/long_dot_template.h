// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Long dot products: a template, included by matmul.c for each type of elements.
// T: float or double
// DOT: the loop for contiguous vectors of T, a field of Loops
// NAME(f): name of a function for T
//
// A long dot product is summed by blocks, in order: the result does not depend on the number of threads. Strides are in
// bytes. Strided vectors are packed a piece at a time.

static const T *NAME(side_by_side)(const char *at, int64_t stride, int64_t count, T *room) {
    if (stride == sizeof(T)) return (const T *)at;
    gather(at, stride, room, sizeof(T), (size_t)count);
    return room;
}

static T NAME(short)(const Cpu *cpu, const char *a, int64_t a_stride, const char *b, int64_t b_stride, int64_t count) {
    T x[SIDE_BY_SIDE], y[SIDE_BY_SIDE];
    return cpu->loops->DOT(NAME(side_by_side)(a, a_stride, count, x), NAME(side_by_side)(b, b_stride, count, y),
                           (size_t)count);
}

static T NAME(one_block)(const Cpu *cpu, const char *a, int64_t a_stride, const char *b, int64_t b_stride,
                         int64_t count) {
    T sum = 0;
    if (a_stride == sizeof(T) && b_stride == sizeof(T))
        return cpu->loops->DOT((const T *)a, (const T *)b, (size_t)count);
    for (int64_t at = 0; at < count; at += SIDE_BY_SIDE)
        sum += NAME(short)(cpu, a + at * a_stride, a_stride, b + at * b_stride, b_stride,
                           count - at < SIDE_BY_SIDE ? count - at : SIDE_BY_SIDE);
    return sum;
}

typedef struct NAME(Job) {
    Job job;
    const char *a, *b;
    int64_t a_stride, b_stride, first, n;
    T sums[DOT_BATCH];
} NAME(Job);

static void NAME(block)(void *argument, int part, int worker) {
    NAME(Job) *j = argument;
    int64_t at = j->first + (int64_t)part * DOT_BLOCK, rest = j->n - at;
    (void)worker;
    flags_clear();
    j->sums[part] = NAME(one_block)(j->job.cpu, j->a + at * j->a_stride, j->a_stride, j->b + at * j->b_stride,
                                    j->b_stride, rest < DOT_BLOCK ? rest : DOT_BLOCK);
    atomic_fetch_or(&j->job.flags, flags_raised());
}

static T NAME(long)(const Cpu *cpu, const char *a, int64_t a_stride, const char *b, int64_t b_stride, int64_t n,
                    uint32_t *flags) {
    if (n <= DOT_BLOCK) return NAME(one_block)(cpu, a, a_stride, b, b_stride, n);
    NAME(Job) j;
    T sum = 0;
    *flags |= flags_raised();
    j.job.cpu = cpu;
    j.a = a;
    j.b = b;
    j.a_stride = a_stride;
    j.b_stride = b_stride;
    j.n = n;
    for (j.first = 0; j.first < n; j.first += DOT_BLOCK * DOT_BATCH) {
        int64_t some = n - j.first, whole = DOT_BLOCK * DOT_BATCH;
        int count = (int)(((some < whole ? some : whole) + DOT_BLOCK - 1) / DOT_BLOCK);
        if (n >= DOT_SHARED) share_out(cpu, NAME(block), &j, count, flags);
        else {
            atomic_store(&j.job.flags, 0);
            for (int i = 0; i < count; i++) NAME(block)(&j, i, 0);
            *flags |= atomic_load(&j.job.flags);
        }
        for (int i = 0; i < count; i++) sum += j.sums[i];
    }
    return sum;
}

#undef T
#undef DOT
#undef NAME
