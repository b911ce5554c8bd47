// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fourier transforms on a device: chooses the algorithm for rows, and enqueues their passes.

#include "backends/grid/library.h"
#include "backends/grid/text/fourier.h"

#include <string.h>

#include "grid_text_fourier.h"
#include "grid_text_fourier_h.h"

enum { SHORT, PASS, CHIRP, SPREAD, MULTIPLY, COLLECT, UNPACK, SCALE, LOOK, REPORT };
enum { PART_TYPE, PART_IN_REAL, PART_OUT_REAL, PART_TELLS };
enum { ROOM_BYTES = 1 << 15, CHUNK_POINTS = 1 << 23 }; // a group's LOCAL memory; points that are transformed at a time

// --- Arguments -----------------------------------------------------------------------------------------------

static int axis_of_node(const Kernel *k) {
    int axis = 0;
    while (!(k->attrs.axes >> axis & 1)) axis++;
    return axis;
}

static void side_of(const View *view, int axis, GridFourierSide *side) {
    *side = (GridFourierSide){.offset = view->offset, .step = view->strides[axis], .extent = view->shape[axis]};
}

// Collects the other axes, joining those that the strides of both views allow to join. False: there are too many.
static bool other_axes(const View *in, const View *out, int axis, GridFourier *g) {
    g->rows = 1;
    for (int d = 0; d < out->ndim; d++) {
        const int64_t extent = out->shape[d], from = in->strides[d], to = out->strides[d];
        if (d == axis) continue;
        g->rows *= extent;
        if (extent == 1) continue;
        int last = (int)g->ndim - 1;
        bool goes_on = last >= 0 && g->in.steps[last] == extent * from && g->out.steps[last] == extent * to;
        if (!goes_on && g->ndim == GRID_FOURIER_DIMS) return false;
        if (!goes_on) last = (int)g->ndim++;
        g->extent[last] = goes_on ? g->extent[last] * extent : extent;
        g->in.steps[last] = from;
        g->out.steps[last] = to;
    }
    return true;
}

// Computes the radices of a length. False: it has larger prime factors.
static bool factors_of(int64_t length, GridFourier *g) {
    static const int64_t radices[] = {8, 4, 2, 3, 5, 7, 11, 13};
    g->passes = 0;
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        for (; length % radices[i] == 0; length /= radices[i]) g->radix[g->passes++] = radices[i];
    return length == 1;
}

static int64_t room_of(DType type) {
    return ROOM_BYTES / 2 / (int64_t)dtype_size(dtype_complex(type));
}

// Returns whether rows of real numbers are transformed as half as many complex numbers: if half the length has no large
// prime factors.
static bool is_packed(const Kernel *k, const GridFourier *g) {
    GridFourier own = *g;
    return (k->library == AOP_RFFT || k->library == AOP_IRFFT) && g->points % 2 == 0 && factors_of(g->points / 2, &own);
}

// Returns the length of the transforms: of the convolution that a row with large prime factors becomes, or of the row.
static int64_t length_of(const GridFourier *g) {
    GridFourier own = *g;
    int64_t length = 1;
    if (g->is_packed) return g->points / 2;
    if (factors_of(g->points, &own)) return g->points;
    while (length < 2 * g->points - 1) length *= 2;
    return length;
}

static bool fourier_of(const Kernel *k, GridFourier *g) {
    const View *in = &k->args[0].view, *out = &k->result.view;
    const int axis = axis_of_node(k);
    const double factor = k->args[1].scalar.f;
    *g = (GridFourier){.points = k->library == AOP_RFFT ? k->attrs.points : out->shape[axis],
                       .sign = k->library == AOP_IFFT || k->library == AOP_IRFFT ? 1 : -1};
    memcpy(&g->factor, &factor, sizeof factor);
    side_of(in, axis, &g->in);
    side_of(out, axis, &g->out);
    if (g->points < 1 || !other_axes(in, out, axis, g)) return false;
    g->is_packed = is_packed(k, g);
    g->length = length_of(g);
    return g->length < INT32_MAX;
}

// --- The row of the table ------------------------------------------------------------------------------------

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    GridFourier g;
    const View *in = &k->args[0].view, *out = &k->result.view;
    const DType type = dtype_real(out->dtype);
    if (!k->args[1].is_scalar || dtype_real(in->dtype) != type || (type != DT_FLOAT32 && type != DT_FLOAT64)) return false;
    form->part[PART_TYPE] = (uint8_t)type;
    form->part[PART_IN_REAL] = in->dtype == type;
    form->part[PART_OUT_REAL] = out->dtype == type;
    form->part[PART_TELLS] = k->flags;
    return grid_has_type(dialect, DT_FLOAT64) && fourier_of(k, &g);
}

static const char *const *text(const Dialect *dialect, const GridForm *form, Buf *out) {
    static const char *const names[] = {"nacre_short",  "nacre_pass",    "nacre_chirp", "nacre_spread",
                                        "nacre_multiply", "nacre_collect", "nacre_unpack",  "nacre_scale", "nacre_look",
                                        "nacre_report", NULL};
    grid_define_type(dialect, "R", form->part[PART_TYPE], out);
    grid_define_number("IN_REAL", form->part[PART_IN_REAL], out);
    grid_define_number("OUT_REAL", form->part[PART_OUT_REAL], out);
    grid_define_number("HALVED", form->part[PART_OUT_REAL], out);
    grid_define_number("TELLS", form->part[PART_TELLS], out);
    grid_define_number("ROOM", room_of(form->part[PART_TYPE]), out);
    buf_puts(out, GRID_TEXT_FOURIER_H GRID_TEXT_FOURIER);
    return names;
}

// --- Running -------------------------------------------------------------------------------------------------

// Memory of a run: two buffers for the passes over some rows; the transform of the chirp; `seen`, a word for each row
// with the NaN and infinities of the operand.
typedef struct Work {
    GridRun *run;
    void *in, *out, *side[2], *chirp, *seen;
} Work;

// Enqueues a function in groups of one size, since some devices compile code for each size.
static void step(const Work *w, int function, int64_t items, int64_t rows, void *const *memories, int count,
                 const GridFourier *g) {
    const size_t groups = (size_t)(items + GRID_FOURIER_LANES - 1) / GRID_FOURIER_LANES;
    grid_step_groups(w->run, function, (GridSize){groups, (size_t)rows}, GRID_FOURIER_LANES,
                     (GridArguments){memories, count, g, sizeof *g});
}

// Whether the first pass reads the operand, and the last pass writes the result.
typedef enum Ends { NEITHER, OPERAND, BOTH } Ends;

// Runs the passes over `length` points, from side[at] to the other side and back. `ends`: whether the first pass reads
// the operand, and the last pass writes the result, instead of a side. Returns the side that has the points.
static int run_passes(const Work *w, GridFourier g, void *const side[2], int at, Ends ends, int64_t sign) {
    g.stage = 1;
    g.inner_sign = sign;
    factors_of(g.length, &g);
    for (int pass = 0; pass < g.passes; pass++, at = 1 - at) {
        g.own_radix = g.radix[pass];
        g.is_first = ends != NEITHER && pass == 0;
        g.is_last = ends == BOTH && pass == g.passes - 1;
        step(w, PASS, g.length / g.own_radix, g.rows,
             (void *const[]){w->in, w->out, side[at], side[1 - at], w->seen, w->run->flags}, 6, &g);
        g.stage *= g.own_radix;
    }
    return at;
}

static bool is_plain(const GridFourier *g) {
    return g->is_packed || g->length == g->points;
}

static void run_plain(const Work *w, const GridFourier *g) {
    const bool unpacks = g->is_packed && w->run->program->key.form.part[PART_IN_REAL];
    const int at = run_passes(w, *g, w->side, 0, unpacks ? OPERAND : BOTH, g->sign);
    void *const memories[] = {w->side[at], w->out, w->seen, w->run->flags};
    if (unpacks) step(w, UNPACK, g->length / 2 + 1, g->rows, memories, 4, g);
}

static void run_bluestein(const Work *w, const GridFourier *g) {
    step(w, SPREAD, g->length, g->rows, (void *const[]){w->in, w->side[0], w->seen}, 3, g);
    int at = run_passes(w, *g, w->side, 0, NEITHER, -1);
    step(w, MULTIPLY, g->length, g->rows, (void *const[]){w->side[at], w->chirp}, 2, g);
    at = run_passes(w, *g, w->side, at, NEITHER, 1);
    step(w, COLLECT, g->points, g->rows, (void *const[]){w->side[at], w->out, w->seen, w->run->flags}, 4, g);
}

// Computes the chirp's transform; w->chirp is the side that the last pass leaves it in.
static void prepare_chirp(Work *w, GridFourier g, void *const side[2]) {
    g.rows = 1;
    step(w, CHIRP, g.length, 1, (void *const[]){side[0]}, 1, &g);
    w->chirp = side[run_passes(w, g, side, 0, NEITHER, -1)];
}

static void run_long(Work *w, GridFourier *g, int64_t rows) {
    const size_t size = dtype_size(dtype_complex(w->run->program->key.form.part[PART_TYPE]));
    const int64_t chunk = g->length < CHUNK_POINTS ? CHUNK_POINTS / g->length : 1, most = chunk < rows ? chunk : rows;
    for (int i = 0; i < 2; i++) w->side[i] = grid_scratch(w->run, (size_t)(g->length * most) * size);
    if (!is_plain(g)) {
        void *const side[] = {grid_scratch(w->run, (size_t)g->length * size), grid_scratch(w->run, (size_t)g->length * size)};
        prepare_chirp(w, *g, side);
    }
    for (g->first = 0; g->first < rows; g->first += chunk) {
        g->rows = rows - g->first < chunk ? rows - g->first : chunk;
        grid_clear(w->run, w->seen, (size_t)g->rows * sizeof(uint32_t));
        if (is_plain(g)) run_plain(w, g);
        else run_bluestein(w, g);
    }
}

static void run_short(const Work *w, GridFourier *g) {
    const DType type = w->run->program->key.form.part[PART_TYPE];
    g->together = room_of(type) / g->length;
    factors_of(g->length, g);
    const size_t groups = (size_t)((g->rows + g->together - 1) / g->together);
    void *const memories[] = {w->in, w->out, w->seen, w->run->flags};
    grid_clear(w->run, w->seen, (size_t)g->rows * sizeof(uint32_t));
    grid_step_groups(w->run, SHORT, (GridSize){groups, 1}, GRID_FOURIER_LANES, (GridArguments){memories, 4, g, sizeof *g});
}

// --- By the vendor's library --------------------------------------------------------------------------------

static bool side_fits(const GridFourier *g, const GridFourierSide *side, int64_t size, void *memory, struct GridTransformSide *to) {
    const int64_t apart = g->ndim ? side->steps[0] : 0;
    *to = (struct GridTransformSide){memory, side->offset, side->step / size, g->rows > 1 ? apart / size : g->points};
    return side->offset % size == 0 && side->step > 0 && side->step % size == 0 && apart >= 0 && apart % size == 0 &&
           (g->rows == 1 || apart > 0);
}

// Describes the rows for a plan of cuFFT, which needs complete rows, and separate memories for input and output.
static bool transform_of(const Work *w, const GridFourier *g, GridTransform *t) {
    enum { LEAST = 1 << 20 }; // points; opening the library and making a plan costs as much as hundreds of smaller runs
    const GridForm *form = &w->run->program->key.form;
    const DType type = form->part[PART_TYPE];
    const bool is_real = form->part[PART_IN_REAL];
    const int64_t size = (int64_t)dtype_size(dtype_complex(type)), in_size = is_real ? size / 2 : size;
    *t = (GridTransform){.type = type, .is_real = is_real, .sign = (int)g->sign, .points = g->points, .rows = g->rows};
    return is_real == (w->run->kernel->library == AOP_RFFT) && g->points * g->rows >= LEAST && w->in != w->out &&
           g->in.extent >= g->points && g->ndim <= 1 && side_fits(g, &g->in, in_size, w->in, &t->in) &&
           side_fits(g, &g->out, size, w->out, &t->out);
}

// Transforms by the vendor's library, then applies the factor and reports flags. Operands are searched for NaN and
// infinities only in rows with results that are not finite. False: the library was not used.
static bool run_by_library(const Work *w, const GridFourier *g) {
    enum { POINTS_EACH = 64 };
    const GridDriver *driver = w->run->machine->driver;
    const double one = 1;
    const bool tells = w->run->program->key.form.part[PART_TELLS], scales = memcmp(&g->factor, &one, sizeof one) != 0;
    const int64_t items = (g->points + POINTS_EACH - 1) / POINTS_EACH;
    GridTransform t;
    if (!driver->transform || w->run->failed || !transform_of(w, g, &t) || !driver->transform(w->run->machine->device, &t)) return false;
    void *const odd = tells ? grid_scratch(w->run, (size_t)g->rows * sizeof(uint32_t)) : w->seen;
    void *const memories[] = {w->in, w->out, w->seen, odd, w->run->flags};
    grid_clear(w->run, w->seen, (size_t)g->rows * sizeof(uint32_t));
    if (tells) grid_clear(w->run, odd, (size_t)g->rows * sizeof(uint32_t));
    if (tells || scales) step(w, SCALE, g->out.extent, g->rows, memories, 5, g);
    if (tells) step(w, LOOK, items, g->rows, memories, 5, g);
    if (tells) step(w, REPORT, items, g->rows, memories, 5, g);
    return true;
}

static void run_some_way(GridRun *run, bool (*by_library)(const Work *w, const GridFourier *g)) {
    const Kernel *k = run->kernel;
    GridFourier g;
    Work w = {.run = run, .in = k->args[0].base, .out = k->result.base};
    if (!fourier_of(k, &g) || view_size(&k->result.view) == 0) return;
    w.seen = grid_scratch(run, (size_t)g.rows * sizeof(uint32_t));
    if (by_library && by_library(&w, &g)) return;
    if (is_plain(&g) && g.length <= room_of(run->program->key.form.part[PART_TYPE])) run_short(&w, &g);
    else run_long(&w, &g, g.rows);
}

static void run(GridRun *run) {
    run_some_way(run, run_by_library);
}

static void run_own(GridRun *run) {
    run_some_way(run, NULL);
}

const GridRow grid_FFT = {.form = form, .text = text, .run = run, .tells = true};
const GridRow grid_IFFT = {.form = form, .text = text, .run = run, .tells = true};
const GridRow grid_RFFT = {.form = form, .text = text, .run = run, .tells = true};
const GridRow grid_IRFFT = {.form = form, .text = text, .run = run_own, .tells = true};
