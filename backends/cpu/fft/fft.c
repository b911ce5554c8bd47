// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fourier transforms along an axis, by FFTW or own code. Rows are processed in groups: in place if
// their layout suits the plan, otherwise through buffers. Neighbouring rows are gathered together,
// since along an axis other than the last they share cache lines.

#include <string.h>

#include "backends/cpu/fft/fft_rows.h"
#include "backends/cpu/flags.h"
#include "backends/cpu/library.h"
#include "backends/cpu/tile/move.h"

enum { LINE = 64 }; // bytes of a cache line

// --- Layout ------------------------------------------------------------------------------------

static FftKind kind_of(const Kernel *k, bool mirrored) {
    switch (k->library) {
    case AOP_RFFT: return FFT_HALVED;
    case AOP_IRFFT: return FFT_RESTORED;
    case AOP_IFFT: return mirrored ? FFT_HALVED : FFT_INVERSE;
    default: return mirrored ? FFT_HALVED : FFT_FORWARD;
    }
}

static void side_of(FftSide *side, const KernArg *arg, int axis) {
    const View *view = &arg->view;
    side->at = arg_at(arg);
    side->size = dtype_size(view->dtype);
    side->step = view->strides[axis];
    side->extent = view->shape[axis];
}

static int64_t magnitude(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

// Collects the other axes, with the result's fastest one last, joined if possible.
static void other_axes(Fft *f, const View *in, const View *out, int axis) {
    int count = 0;
    for (int d = 0; d < out->ndim; d++) {
        if (d == axis || out->shape[d] == 1) continue;
        int at = count++;
        for (; at > 0 && magnitude(f->out.strides[at - 1]) < magnitude(out->strides[d]); at--) {
            f->shape[at] = f->shape[at - 1];
            f->in.strides[at] = f->in.strides[at - 1];
            f->out.strides[at] = f->out.strides[at - 1];
        }
        f->shape[at] = out->shape[d];
        f->in.strides[at] = in->strides[d];
        f->out.strides[at] = out->strides[d];
    }
    f->ndim = 0;
    for (int d = 0; d < count; d++) {
        int to = f->ndim - 1;
        bool joined = to >= 0 && f->in.strides[to] == f->in.strides[d] * f->shape[d] &&
                      f->out.strides[to] == f->out.strides[d] * f->shape[d];
        if (!joined) to = f->ndim++;
        f->shape[to] = joined ? f->shape[to] * f->shape[d] : f->shape[d];
        f->in.strides[to] = f->in.strides[d];
        f->out.strides[to] = f->out.strides[d];
    }
    if (f->ndim > 0) return;
    f->ndim = 1;
    f->shape[0] = 1;
    f->in.strides[0] = f->out.strides[0] = 0;
}

// Returns the number of rows in a group: enough short rows to be worth a call; along slower axes, enough to use
// whole cache lines.
static int64_t group_of(const Fft *f) {
    enum { POINTS = 1 << 13, MOST = 64 };
    bool across = f->in.step != (int64_t)f->in.size || f->out.step != (int64_t)f->out.size;
    int64_t rows = POINTS / f->rows.points, least = across ? LINE / (int64_t)f->in.size : 1;
    if (rows < least) rows = least;
    if (rows > MOST) rows = MOST;
    if (rows < f->group_least) rows = f->group_least;
    if (rows > f->shape[f->ndim - 1]) rows = f->shape[f->ndim - 1];
    return rows;
}

static bool aligned(const Fft *f, const FftSide *side) {
    int64_t unit = fft_alignment();
    if ((int64_t)((uintptr_t)side->at % (uint64_t)unit)) return false;
    for (int d = 0; d < f->ndim - 1; d++)
        if (side->strides[d] % unit) return false;
    return side->strides[f->ndim - 1] * f->rows.count % unit == 0;
}

// Chooses between the array's own memory and a buffer, and the distance of a group's rows. `spoiled`: the plan
// destroys the side's elements.
static void place(const Fft *f, FftSide *side, bool spoiled) {
    int64_t size = (int64_t)side->size, across = side->strides[f->ndim - 1];
    int64_t whole = side->length > side->extent ? side->length : side->extent;
    bool apart = f->rows.count == 1 || (across % size == 0 && across >= whole * size);
    side->direct = !spoiled && side->extent >= side->length &&
                   (side->step == size || whole == 1) && apart && aligned(f, side);
    side->row = across / size;
    side->bytes = 0;
    if (side->direct) return;
    int64_t line = LINE / size;
    side->row = (side->length + line - 1) / line * line;
    if (f->group > 1) side->row += line; // avoids 2**k strides, which map to the same cache sets
    side->bytes = (size_t)side->row * (size_t)f->group * side->size;
}

static void fft_make(Fft *f, const Kernel *k) {
    const View *in = &k->args[0].view, *out = &k->result.view;
    int axis = axis_of(k);
    fft_open(); // determines alignment and the plan's layout
    bool real = dtype_kind(in->dtype) != DK_COMPLEX;
    *f = (Fft){.factor = k->args[1].scalar.f};
    f->mirrored = real && k->library != AOP_RFFT;
    f->inverse = k->library == AOP_IFFT;
    side_of(&f->in, &k->args[0], axis);
    side_of(&f->out, &k->result, axis);
    f->rows = (FftRows){.kind = kind_of(k, f->mirrored),
                        .narrow = dtype_real(out->dtype) == DT_FLOAT32,
                        .points = k->library == AOP_RFFT ? k->attrs.points : f->out.extent};
    f->in.length = f->rows.kind == FFT_RESTORED ? f->rows.points / 2 + 1 : f->rows.points;
    f->out.length = f->out.extent;
    other_axes(f, in, out, axis);
}

void fft_layout(Fft *f, const Cpu *cpu) {
    enum { SHARED_FROM = 1 << 14, LONG_FROM = 1 << 9 };
    f->group = group_of(f);
    f->rows.count = f->rows.points < LONG_FROM ? f->group : 1;
    place(f, &f->in, f->rows.kind == FFT_RESTORED);
    place(f, &f->out, false);
    f->rows.in_row = f->in.row;
    f->rows.out_row = f->out.row;
    f->line = (f->shape[f->ndim - 1] + f->group - 1) / f->group;
    f->groups = f->line;
    for (int d = 0; d < f->ndim - 1; d++) f->groups *= f->shape[d];
    bool shared = f->groups > 1 && f->groups * f->group * f->rows.points >= SHARED_FROM;
    f->parts = shared ? parts_for(cpu, f->groups) : 1;
}

static size_t buffer_bytes(const Fft *f) {
    return aligned_bytes(f->in.bytes + f->out.bytes + fft_scratch(&f->rows));
}

size_t fft_buffers(const Cpu *cpu, const Fft *f) {
    return buffer_bytes(f) * (size_t)(f->parts > 1 ? cpu->threads : 1);
}

static size_t fft_workspace(const Cpu *cpu, const Kernel *k) {
    Fft f;
    if (view_size(&k->result.view) == 0) return 0;
    fft_make(&f, k);
    if (fft_is_long(cpu, &f)) return fft_long_workspace(cpu, &f);
    fft_layout(&f, cpu);
    return fft_buffers(cpu, &f);
}

// --- Elements ----------------------------------------------------------------------------------

// Moves n elements of each of `rows` rows: row by row if `along`, otherwise element by element
// across rows.
static inline void move(size_t size, bool along, const char *from, int64_t from_step,
                        int64_t from_row, char *to, int64_t to_step, int64_t to_row, int64_t n,
                        int64_t rows) {
    int64_t outer = along ? rows : n, inner = along ? n : rows;
    int64_t from_inner = along ? from_step : from_row, to_inner = along ? to_step : to_row;
    int64_t from_outer = along ? from_row : from_step, to_outer = along ? to_row : to_step;
    for (int64_t i = 0; i < outer; i++, from += from_outer, to += to_outer)
        for (int64_t j = 0; j < inner; j++)
            memcpy(to + j * to_inner, from + j * from_inner, size);
}

static void move_rows(size_t size, bool along, const char *from, int64_t from_step,
                      int64_t from_row, char *to, int64_t to_step, int64_t to_row, int64_t n,
                      int64_t rows) {
    switch (size) { // makes the size a constant
    case 4: move(4, along, from, from_step, from_row, to, to_step, to_row, n, rows); break;
    case 8: move(8, along, from, from_step, from_row, to, to_step, to_row, n, rows); break;
    default: move(sizeof(Wide), along, from, from_step, from_row, to, to_step, to_row, n, rows);
    }
}

// Gathers a group's rows contiguously; missing elements are 0.
static void gather_rows(const Fft *f, const char *from, char *to, int64_t rows) {
    const FftSide *side = &f->in;
    int64_t size = (int64_t)side->size, row = side->row * size;
    int64_t there = side->extent < side->length ? side->extent : side->length;
    int64_t across = side->strides[f->ndim - 1];
    bool along = rows == 1 || magnitude(side->step) <= magnitude(across);
    move_rows(side->size, along, from, side->step, across, to, size, row, there, rows);
    for (int64_t r = 0; r < rows && there < side->length; r++)
        memset(to + r * row + there * size, 0, (size_t)((side->length - there) * size));
}

static void scatter_rows(const Fft *f, const char *from, char *to, int64_t rows) {
    const FftSide *side = &f->out;
    int64_t size = (int64_t)side->size, across = side->strides[f->ndim - 1];
    bool along = rows == 1 || magnitude(side->step) <= magnitude(across);
    move_rows(side->size, along, from, size, side->row * size, to, side->step, across, side->length,
              rows);
}

#define PER_FLOAT(T)                                                                        \
    /* Mirrors the first half of a row of n complex numbers. An inverse is conjugate. */    \
    static void mirror_##T(T *row, int64_t n, bool inverse) {                               \
        row[1] = 0;                                                                         \
        if (n % 2 == 0) row[n + 1] = 0;                                                     \
        for (int64_t i = 1, j = n - 1; i < j; i++, j--) {                                   \
            T im = row[2 * i + 1], plus = 0 + im, minus = 0 - im; /* never -0 */            \
            row[2 * i + 1] = inverse ? minus : plus;                                        \
            row[2 * j] = row[2 * i];                                                        \
            row[2 * j + 1] = inverse ? plus : minus;                                        \
        }                                                                                   \
    }                                                                                       \
    static void scale_##T(T *at, int64_t n, T factor) {                                     \
        for (int64_t i = 0; i < n; i++) at[i] *= factor;                                    \
    }                                                                                       \
    /* Clears the imaginary parts that are 0 in the transform of real numbers. */           \
    static void drop_imaginary_##T(T *row, int64_t points) {                                \
        row[1] = 0;                                                                         \
        if (points % 2 == 0) row[points + 1] = 0;                                           \
    }
PER_FLOAT(double)
PER_FLOAT(float)

static void prepare_rows(const Fft *f, char *at, int64_t rows) {
    for (int64_t r = 0; r < rows; r++, at += f->in.row * (int64_t)f->in.size) {
        if (f->rows.narrow) drop_imaginary_float((float *)at, f->rows.points);
        else drop_imaginary_double((double *)at, f->rows.points);
    }
}

void fft_finish(const Fft *f, char *at, int64_t rows) {
    bool complex = f->rows.kind != FFT_RESTORED;
    int64_t numbers = f->out.length * (complex ? 2 : 1);
    if (!f->mirrored && f->factor == 1) return;
    for (int64_t r = 0; r < rows; r++, at += f->out.row * (int64_t)f->out.size) {
        if (f->rows.narrow) {
            if (f->mirrored) mirror_float((float *)at, f->out.length, f->inverse);
            if (f->factor != 1) scale_float((float *)at, numbers, (float)f->factor);
        } else {
            if (f->mirrored) mirror_double((double *)at, f->out.length, f->inverse);
            if (f->factor != 1) scale_double((double *)at, numbers, f->factor);
        }
    }
}

// --- Running -----------------------------------------------------------------------------------

static void execute(const Fft *f, char *in, char *out, int64_t rows, void *scratch) {
    if (f->rows.count > 1) {
        fft_execute(rows == f->group ? f->whole : f->rest, in, out, scratch);
        return;
    }
    for (; rows > 0; rows--) {
        fft_execute(f->whole, in, out, scratch);
        in += f->in.row * (int64_t)f->in.size;
        out += f->out.row * (int64_t)f->out.size;
    }
}

// Multiplies element k of row r of the result by power r * k of a root of unity.
static void turn_rows(const Fft *f, char *at, int64_t first, int64_t rows) {
    for (int64_t r = first; r < first + rows; r++, at += f->out.row * (int64_t)f->out.size)
        for (int64_t k = 0; k < f->out.length; k++) {
            double c, s;
            fft_turn(f->turn, r * k, &c, &s);
            if (f->rows.narrow) {
                float *z = (float *)at + 2 * k, re = z[0], im = z[1];
                z[0] = (float)(re * c - im * s);
                z[1] = (float)(re * s + im * c);
            } else {
                double *z = (double *)at + 2 * k, re = z[0], im = z[1];
                z[0] = re * c - im * s;
                z[1] = re * s + im * c;
            }
        }
}

static void run_group(const Fft *f, int64_t group, char *buffers) {
    int last = f->ndim - 1;
    int64_t within = group % f->line, other = group / f->line;
    int64_t first = within * f->group, rest = f->shape[last] - first;
    int64_t rows = rest < f->group ? rest : f->group;
    char *from = f->in.at + first * f->in.strides[last];
    char *to = f->out.at + first * f->out.strides[last];
    for (int d = last - 1; d >= 0; d--) {
        from += other % f->shape[d] * f->in.strides[d];
        to += other % f->shape[d] * f->out.strides[d];
        other /= f->shape[d];
    }
    char *in = f->in.direct ? from : buffers, *out = f->out.direct ? to : buffers + f->in.bytes;
    if (!f->in.direct) gather_rows(f, from, in, rows);
    if (f->rows.kind == FFT_RESTORED) prepare_rows(f, in, rows);
    execute(f, in, out, rows, buffers + f->in.bytes + f->out.bytes);
    if (f->turn) turn_rows(f, out, first, rows);
    fft_finish(f, out, rows);
    if (!f->out.direct) scatter_rows(f, out, to, rows);
}

static void run_part(void *job, int part, int worker) {
    Fft *f = job;
    int64_t end = f->groups * (part + 1) / f->parts;
    uint32_t flags = 0;
    flags_clear();
    for (int64_t i = f->groups * part / f->parts; i < end; i++) {
        if (interrupted(f->job.cpu, &flags)) break;
        run_group(f, i, f->workspace + (size_t)worker * buffer_bytes(f));
    }
    flags |= flags_raised() & (FLAG_OVERFLOW | FLAG_INVALID);
    atomic_fetch_or(&f->job.flags, flags);
}

static bool find_plans(Fft *f, FftPlans *plans) {
    FftRows rest = f->rows;
    rest.count = f->shape[f->ndim - 1] % f->group;
    f->whole = f->rest = fft_plan(plans, &f->rows);
    if (f->whole && f->rows.count > 1 && rest.count) f->rest = fft_plan(plans, &rest);
    return f->whole && f->rest;
}

void fft_run(Cpu *cpu, Fft *f, uint32_t *flags) {
    if (find_plans(f, &cpu->fft)) share_out(cpu, run_part, f, f->parts, flags);
    else *flags |= FLAG_FAILED;
}

static void run_fft(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    Fft f;
    if (view_size(&k->result.view) == 0) return;
    fft_make(&f, k);
    f.workspace = k->workspace;
    if (fft_is_long(cpu, &f)) {
        fft_long_run(cpu, &f, flags);
    } else {
        fft_layout(&f, cpu);
        fft_run(cpu, &f, flags);
    }
    fft_trim(&cpu->fft);
}

const LibraryFn library_FFT = {.run = run_fft, .workspace = fft_workspace};
const LibraryFn library_IFFT = {.run = run_fft, .workspace = fft_workspace};
const LibraryFn library_RFFT = {.run = run_fft, .workspace = fft_workspace};
const LibraryFn library_IRFFT = {.run = run_fft, .workspace = fft_workspace};
