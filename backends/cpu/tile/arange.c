// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic sequences as in NumPy: extrapolated from the first two elements, in the array's type.

#include "backends/cpu/cpu.h"
#include "backends/cpu/library.h"
#include "backends/cpu/loops/complex_math.h"
#include "backends/cpu/loops/forms.h"

#define STEP_BOOL(T, first, step, i) ((T)(i < 2 ? first : step)) // at most two elements
#define STEP_INT(T, first, step, i) ((T)((uint64_t)(first) + (uint64_t)(i) * (uint64_t)(step)))
#define STEP_UINT(T, first, step, i) STEP_INT(T, first, step, i)
#define STEP_FLOAT(T, first, step, i) ((first) + (T)(i) * (step))
#define STEP_COMPLEX(T, first, step, i) \
    nc_pair(T, __real__(first) + (i) * __real__(step), __imag__(first) + (i) * __imag__(step))
#define nc_pair(T, re, im) _Generic((T)0, float _Complex: pair_c64, default: pair_c128)(re, im)
#define PART_COMPLEX(s) pair_c128((s).re, (s).im)
#define PART_BOOL(s) ((s).i)
#define PART_INT(s) ((s).i)
#define PART_UINT(s) ((s).u)
#define PART_FLOAT(s) ((s).f)

// Computes elements `from` … `to`. NumPy's step is the difference of the first two rounded elements, which
// are stored as they are.
#define SEQUENCE(A, ID, name, CTYPE, FORM, KIND, ...)                                         \
    static void sequence_##ID(char *at, int64_t stride, int64_t from, int64_t to,             \
                              const KernArg *args) {                                          \
        typedef COMPUTED_##FORM(CTYPE) T;                                                     \
        T first = (T)PART_##KIND(args[0].scalar), second = (T)PART_##KIND(args[1].scalar);    \
        T step = (T)(second - first);                                                         \
        CTYPE *dense = (CTYPE *)at;                                                           \
        if (stride == sizeof(CTYPE))                                                          \
            for (int64_t i = from; i < to; i++)                                               \
                dense[i] = PUT_##FORM(CTYPE, STEP_##KIND(T, first, step, i));                 \
        else                                                                                  \
            for (int64_t i = from; i < to; i++)                                               \
                *(CTYPE *)(at + i * stride) = PUT_##FORM(CTYPE, STEP_##KIND(T, first, step, i)); \
        if (from <= 0 && to > 0) *(CTYPE *)at = PUT_##FORM(CTYPE, first);                     \
        if (from <= 1 && to > 1) *(CTYPE *)(at + stride) = PUT_##FORM(CTYPE, second);         \
    }
NACRE_DTYPES(SEQUENCE, )

typedef void (*SequenceFn)(char *at, int64_t stride, int64_t from, int64_t to, const KernArg *args);
static const SequenceFn sequences[DT_COUNT] = {
#define ROW(A, ID, ...) [DT_##ID] = sequence_##ID,
    NACRE_DTYPES(ROW, )
#undef ROW
};

typedef struct SequenceJob {
    Job job;
    const Kernel *kernel;
    int parts;
} SequenceJob;

static void sequence_part(void *argument, int part, int worker) {
    const SequenceJob *s = argument;
    const Kernel *k = s->kernel;
    const View *out = &k->result.view;
    int64_t n = out->shape[0];
    (void)worker;
    sequences[out->dtype](arg_at(&k->result), out->strides[0], n * part / s->parts,
                          n * (part + 1) / s->parts, k->args);
}

static void run_arange(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    SequenceJob s = {.kernel = k, .parts = 1};
    uint32_t unsaid = 0; // NumPy does not report overflow here
    if (k->result.view.shape[0] >= PARALLEL_WORK) s.parts = parts_for(cpu, PARALLEL_WORK);
    (void)flags;
    share_out(cpu, sequence_part, &s, s.parts, &unsaid);
}

const LibraryFn library_ARANGE = {.run = run_arange};
