// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A long transform as two passes of short ones, which threads share and which stay in the caches: W. M. Gentleman and
// G. Sande, "Fast Fourier transforms: for fun and profit", 1966; D. H. Bailey, "FFTs in external or hierarchical
// memory", 1990. With points = down * across, the row is a matrix of `down` rows: its columns are transformed, each
// element is multiplied by a root of unity ("turned"), rows are transformed, and the result is the matrix read by
// columns. A row of real numbers is transformed as half as many complex ones; the row's own transform is separated
// from theirs afterwards (apart) or, for an inverse transform, converted to theirs before (together).
//
// Two passes cost a half more than one, so they are used with several threads, or in reproducible mode.

#include <math.h>
#include <string.h>

#include "backends/cpu/fft/fft_rows.h"
#include "backends/cpu/tile/move.h"

enum { SHORT_LEAST = 64, LONG_LEAST = 1 << 18, PART_LEAST = 1 << 16, GROUP = 16 };
enum { APART = 64 }; // bytes between rows of the matrix, which would share cache sets otherwise

static bool is_real(const Fft *f) {
    return f->rows.kind == FFT_HALVED || f->rows.kind == FFT_RESTORED;
}

// Returns the number of complex points that are transformed.
static int64_t points_of(const Fft *f) {
    return is_real(f) ? f->rows.points / 2 : f->rows.points;
}

// Returns the largest divisor up to the square root; a number below SHORT_LEAST: there is none from SHORT_LEAST on.
static int64_t divisor_of(int64_t points) {
    int64_t down = (int64_t)sqrt((double)points);
    while (down >= SHORT_LEAST && points % down) down--;
    return down;
}

static size_t complex_size(const Fft *f) {
    return f->rows.narrow ? 2 * sizeof(float) : 2 * sizeof(double);
}

// Real rows must be contiguous, since pairs of their numbers are transformed as complex numbers.
bool fft_is_long(const Cpu *cpu, const Fft *f) {
    int64_t points = points_of(f);
    if (cpu->threads == 1 && !cpu->reproducible) return false;
    if (points < LONG_LEAST || divisor_of(points) < SHORT_LEAST || f->in.extent < f->in.length) return false;
    if (f->rows.kind == FFT_HALVED)
        return f->rows.points % 2 == 0 && f->in.step == (int64_t)f->in.size && f->out.step == (int64_t)f->out.size;
    return f->rows.kind != FFT_RESTORED || (f->rows.points % 2 == 0 && f->out.step == (int64_t)f->out.size);
}

// --- Memory ------------------------------------------------------------------------------------

typedef struct Long {
    Job job;
    const Fft *f;
    int64_t points, down, across;
    int64_t row; // bytes from row to row of the matrix
    FftTurn turn, unpack; // of the complex transform, and of a real one with twice the points
    char *between, *packed; // the matrix; for FFT_RESTORED, the result of `together`
    char *from, *to;        // a row's operand and result
    int parts;
    char *rest;             // workspace of the passes
} Long;

static size_t table_bytes(int64_t points, int *bits) {
    *bits = 1;
    while ((int64_t)1 << 2 * *bits < points) ++*bits;
    return aligned_bytes((size_t)((points >> *bits) + 1 + ((int64_t)1 << *bits)) * 2 * sizeof(double));
}

static void fill_powers(double *to, int64_t count, int64_t step, int64_t points) {
    for (int64_t i = 0; i < count; i++) {
        long double angle = -2 * acosl(-1) * (long double)(i * step) / (long double)points; // rounded once, at the end
        to[2 * i] = (double)cosl(angle);
        to[2 * i + 1] = (double)sinl(angle);
    }
}

static size_t make_turn(FftTurn *t, int64_t points, bool inverse, double *memory) {
    size_t bytes = table_bytes(points, &t->bits);
    int64_t fine = (int64_t)1 << t->bits, coarse = (points >> t->bits) + 1;
    t->points = points;
    t->inverse = inverse;
    t->fine = memory;
    t->coarse = memory ? memory + 2 * fine : NULL;
    if (memory) {
        fill_powers(memory, fine, 1, points);
        fill_powers(memory + 2 * fine, coarse, fine, points);
    }
    return bytes;
}

static bool is_inverse(const Fft *f) {
    return f->rows.kind == FFT_INVERSE || f->rows.kind == FFT_RESTORED;
}

static void long_make(Long *l, const Fft *f, char *memory) {
    *l = (Long){.f = f, .points = points_of(f)};
    l->down = divisor_of(l->points);
    l->across = l->points / l->down;
    l->between = memory;
    l->row = l->across * (int64_t)complex_size(f) + APART;
    size_t matrix = aligned_bytes((size_t)(l->row * l->down)), used = matrix;
    l->packed = memory ? memory + used : NULL;
    if (f->rows.kind == FFT_RESTORED) used += matrix;
    used += make_turn(&l->turn, l->points, is_inverse(f), memory ? (double *)(memory + used) : NULL);
    double *at = memory ? (double *)(memory + used) : NULL;
    if (is_real(f)) used += make_turn(&l->unpack, 2 * l->points, is_inverse(f), at);
    l->rest = (char *)used; // an offset while there is no memory
    if (memory) l->rest = memory + used;
}

// --- Passes ------------------------------------------------------------------------------------

// Makes a pass: `rows` transforms of `points` elements. Steps and rows: bytes between elements and between rows.
static void pass_make(Fft *p, const Long *l, int64_t points, int64_t rows, char *from, int64_t from_step,
                      int64_t from_row, char *to, int64_t to_step, int64_t to_row) {
    const Fft *f = l->f;
    *p = (Fft){.factor = 1, .ndim = 1, .shape = {rows}, .workspace = l->rest, .group_least = GROUP};
    p->rows = (FftRows){.kind = is_inverse(f) ? FFT_INVERSE : FFT_FORWARD, .narrow = f->rows.narrow, .points = points};
    p->in = (FftSide){.at = from, .size = complex_size(f), .step = from_step, .extent = points, .length = points,
                      .strides = {from_row}};
    p->out = (FftSide){.at = to, .size = complex_size(f), .step = to_step, .extent = points, .length = points,
                       .strides = {to_row}};
}

static void columns_pass(Fft *p, const Long *l, char *from, int64_t step) {
    int64_t size = (int64_t)complex_size(l->f);
    pass_make(p, l, l->down, l->across, from, step * l->across, step, l->between, l->row, size);
    p->turn = &l->turn;
}

static void rows_pass(Fft *p, const Long *l, char *to, int64_t step) {
    int64_t size = (int64_t)complex_size(l->f);
    pass_make(p, l, l->across, l->down, l->between, size, l->row, to, step * l->down, step);
    p->factor = is_real(l->f) ? 1 : l->f->factor;
}

// Returns the bytes between the complex elements of a side, which may be pairs of real ones.
static int64_t step_of(const Fft *f, const FftSide *side) {
    return is_real(f) ? (int64_t)complex_size(f) : side->step;
}

size_t fft_long_workspace(const Cpu *cpu, const Fft *f) {
    Long l;
    Fft columns, rows;
    long_make(&l, f, NULL);
    columns_pass(&columns, &l, f->in.at, step_of(f, &f->in));
    rows_pass(&rows, &l, f->out.at, step_of(f, &f->out));
    // buffers depend on the rows' alignment: with unaligned addresses, both passes need them
    columns.in.at = columns.out.at = rows.in.at = rows.out.at = (char *)1;
    fft_layout(&columns, cpu);
    fft_layout(&rows, cpu);
    size_t a = fft_buffers(cpu, &columns), b = fft_buffers(cpu, &rows);
    return (size_t)l.rest + (a > b ? a : b);
}

// --- Real rows ---------------------------------------------------------------------------------

#define PER_FLOAT(T)                                                                                  \
    /* Replaces elements k and n-k of the transform of pairs by those of the row's own transform. */  \
    static void apart_##T(const Long *l, T *z, int64_t from, int64_t to) {                            \
        int64_t n = l->points;                                                                        \
        for (int64_t k = from; k < to; k++) {                                                         \
            T *a = z + 2 * k, *b = z + 2 * (n - k);                                                   \
            double ar = a[0], ai = a[1], br = k ? b[0] : a[0], bi = k ? b[1] : a[1], c, s;            \
            fft_turn(&l->unpack, k, &c, &s);                                                          \
            double er = (ar + br) / 2, ei = (ai - bi) / 2, fr = (ai + bi) / 2, fi = (br - ar) / 2;    \
            double tr = fr * c - fi * s, ti = fr * s + fi * c;                                        \
            a[0] = (T)(er + tr), a[1] = (T)(ei + ti);                                                 \
            b[0] = (T)(er - tr), b[1] = (T)(ti - ei);                                                 \
        }                                                                                             \
    }                                                                                                 \
    /* The inverse of apart, from elements `step` bytes apart. */                                     \
    static void together_##T(const Long *l, const char *x, int64_t step, T *z, int64_t from, int64_t to) { \
        int64_t n = l->points;                                                                        \
        for (int64_t k = from; k < to; k++) {                                                         \
            const T *a = (const T *)(x + k * step), *b = (const T *)(x + (n - k) * step);             \
            double ar = a[0], ai = k ? a[1] : 0, br = b[0], bi = k ? b[1] : 0, c, s;                  \
            fft_turn(&l->unpack, k, &c, &s);                                                          \
            double er = ar + br, ei = ai - bi, dr = ar - br, di = ai + bi;                            \
            double tr = dr * c - di * s, ti = dr * s + di * c;                                        \
            z[2 * k] = (T)(er - ti), z[2 * k + 1] = (T)(ei + tr);                                     \
            if (k && k < n - k) z[2 * (n - k)] = (T)(er + ti), z[2 * (n - k) + 1] = (T)(tr - ei);     \
        }                                                                                             \
    }
PER_FLOAT(double)
PER_FLOAT(float)

typedef void (*UnpackFn)(Long *l, int64_t from, int64_t to);

static void apart(Long *l, int64_t from, int64_t to) {
    if (l->f->rows.narrow) apart_float(l, (float *)l->to, from, to);
    else apart_double(l, (double *)l->to, from, to);
}

static void together(Long *l, int64_t from, int64_t to) {
    if (l->f->rows.narrow) together_float(l, l->from, l->f->in.step, (float *)l->packed, from, to);
    else together_double(l, l->from, l->f->in.step, (double *)l->packed, from, to);
}

static void unpack_part(Long *l, int part, UnpackFn unpack) {
    int64_t count = l->points / 2 + 1, end = cut_before(count, part + 1, l->parts);
    uint32_t flags = 0;
    for (int64_t at = cut_before(count, part, l->parts); at < end && !interrupted(l->job.cpu, &flags); at += PART_LEAST)
        unpack(l, at, end - at < PART_LEAST ? end : at + PART_LEAST);
    atomic_fetch_or(&l->job.flags, flags);
}

static void apart_part(void *argument, int part, int worker) {
    (void)worker;
    unpack_part(argument, part, apart);
}

static void together_part(void *argument, int part, int worker) {
    (void)worker;
    unpack_part(argument, part, together);
}

// --- Running -----------------------------------------------------------------------------------

static bool is_over(uint32_t flags) {
    return flags & (FLAG_INTERRUPTED | FLAG_FAILED);
}

static void run_pass(Cpu *cpu, Fft *pass, uint32_t *flags) {
    fft_layout(pass, cpu);
    if (!is_over(*flags)) fft_run(cpu, pass, flags);
}

static void run_row(Cpu *cpu, Long *l, uint32_t *flags) {
    const Fft *f = l->f;
    Fft pass, finish = *f;
    char *from = l->from;
    l->parts = parts_for(cpu, l->points / PART_LEAST + 1);
    if (f->rows.kind == FFT_RESTORED) {
        share_out(cpu, together_part, l, l->parts, flags);
        from = l->packed;
    }
    columns_pass(&pass, l, from, step_of(f, &f->in));
    run_pass(cpu, &pass, flags);
    rows_pass(&pass, l, l->to, step_of(f, &f->out));
    run_pass(cpu, &pass, flags);
    if (f->rows.kind == FFT_HALVED && !is_over(*flags)) share_out(cpu, apart_part, l, l->parts, flags);
    if (is_real(f) && !is_over(*flags)) fft_finish(&finish, l->to, 1);
}

void fft_long_run(Cpu *cpu, const Fft *f, uint32_t *flags) {
    Long l;
    int64_t index[NDIM_MAX] = {0};
    const int64_t *strides[2] = {f->in.strides, f->out.strides};
    char *at[2] = {f->in.at, f->out.at};
    long_make(&l, f, f->workspace);
    do {
        l.from = at[0];
        l.to = at[1];
        run_row(cpu, &l, flags);
    } while (!is_over(*flags) && odometer_next(f->ndim, f->shape, index, at, strides, 2));
}
