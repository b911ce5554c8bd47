// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Convolution of two rows, the shorter one reversed. Each sum is added in the order of the longer
// row's elements, starting from 0, as in NumPy for short rows; a block of sums at a time, so that
// the compiler vectorises.

#include "backends/cpu/cpu.h"
#include "backends/cpu/few.h"
#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
#include "backends/cpu/loops/complex_math.h"
#include "backends/cpu/loops/forms.h"

enum { BLOCK = 256, POLLED_WORK = 1 << 22 };

typedef struct Slide {
    const char *a, *v;   // a is contiguous
    int64_t n, m, stride; // lengths of a and v; stride of v in bytes
    int64_t first;       // index of the first sum
    char *to;
} Slide;

#define PRODUCT_BOOL(sum, x, y) ((sum) | ((x) & (y)))
#define PRODUCT_INT(sum, x, y) (T)((uint64_t)(sum) + (uint64_t)(x) * (uint64_t)(y))
#define PRODUCT_UINT(sum, x, y) PRODUCT_INT(sum, x, y)
#define PRODUCT_FLOAT(sum, x, y) (sum) + (x) * (y)
#define PRODUCT_COMPLEX(sum, x, y) (sum) + nc_mul_c(x, y)

// Sum k adds v[i] * a[k - i] wherever a[k - i] exists.
#define SLIDE(A, ID, name, CTYPE, FORM, KIND, ...)                                              \
    static void slide_##ID(const Slide *s, int64_t from, int64_t to) {                          \
        typedef COMPUTED_##FORM(CTYPE) T;                                                       \
        T sums[BLOCK];                                                                          \
        for (int64_t count; from < to; from += count) {                                         \
            int64_t k = s->first + from;                                                        \
            count = to - from < BLOCK ? to - from : BLOCK;                                      \
            for (int64_t j = 0; j < count; j++) sums[j] = 0;                                    \
            int64_t last = k + count - 1 < s->m - 1 ? k + count - 1 : s->m - 1;                 \
            for (int64_t i = last; i >= 0 && i > k - s->n; i--) {                               \
                int64_t low = i > k ? i - k : 0, high = s->n + i - k < count ? s->n + i - k : count; \
                const CTYPE *a = (const CTYPE *)s->a + (k - i + low);                           \
                T value = GET_##FORM(*(const CTYPE *)(s->v + i * s->stride));                   \
                T *sum = sums + low;                                                            \
                for (int64_t j = 0; j < high - low; j++)                                        \
                    sum[j] = PRODUCT_##KIND(sum[j], GET_##FORM(a[j]), value);                   \
            }                                                                                   \
            for (int64_t j = 0; j < count; j++)                                                 \
                ((CTYPE *)s->to)[from + j] = PUT_##FORM(CTYPE, sums[j]);                        \
        }                                                                                       \
    }
NACRE_DTYPES(SLIDE, )

typedef void (*SlideFn)(const Slide *s, int64_t from, int64_t to);
static const SlideFn slides[DT_COUNT] = {
#define ROW(A, ID, ...) [DT_##ID] = slide_##ID,
    NACRE_DTYPES(ROW, )
#undef ROW
};

void convolve_few(const Node *node, char *to) {
    const View *a = &node->inputs[0].view, *v = &node->inputs[1].view;
    const Slide s = {view_at(a), view_at(v), a->shape[0], v->shape[0], v->strides[0], node->attrs.step, to};
    slides[a->dtype](&s, 0, node->output.shape[0]);
}

typedef struct SlideJob {
    Job job;
    Slide slide;
    SlideFn run;
    int64_t count;
    int parts;
} SlideJob;

static void slide_part(void *argument, int part, int worker) {
    SlideJob *j = argument;
    int64_t from = j->count * part / j->parts, end = j->count * (part + 1) / j->parts;
    int64_t shorter = j->slide.m < j->slide.n ? j->slide.m : j->slide.n, most = POLLED_WORK / shorter + BLOCK;
    uint32_t flags = 0;
    (void)worker;
    for (int64_t to; from < end && !interrupted(j->job.cpu, &flags); from = to) {
        to = end - from < most ? end : from + most;
        j->run(&j->slide, from, to);
    }
    atomic_fetch_or(&j->job.flags, flags);
}

static void run_convolve(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const View *a = &k->args[0].view, *v = &k->args[1].view;
    SlideJob j = {.slide = {arg_at(&k->args[0]), arg_at(&k->args[1]), a->shape[0], v->shape[0], v->strides[0],
                            k->attrs.step, arg_at(&k->result)},
                  .run = slides[a->dtype], .count = k->result.view.shape[0]};
    if (j.count == 0) return;
    double work = (double)j.count * (double)v->shape[0];
    j.parts = work >= PARALLEL_WORK && cpu->threads > 1 ? parts_for(cpu, j.count) : 1;
    share_out(cpu, slide_part, &j, j.parts, flags);
}

const LibraryFn library_CONVOLVE = {.run = run_convolve};
