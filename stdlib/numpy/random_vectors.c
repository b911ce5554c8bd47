// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Distributions of vectors: multinomial, Dirichlet, multivariate hypergeometric. Each function makes an array
// of `rows` rows; numpy/_random_vectors.ncr has checked the parameters.

#include <string.h>

#include "stdlib/numpy/random.h"
#include "vm/value/ops.h"

// --- Arguments and results ---------------------------------------------------------------------

typedef struct Rows {
    Bits *g;
    int64_t count, width;
    Value array; // the result, owned
    char *to;
} Rows;

// Returns the elements of an argument, which must be a contiguous array of the type; NULL: an exception is set.
static const void *elements(Vm *vm, Value v, DType type) {
    bool good = v.kind == K_ARRAY && v.array->dtype == type && array_is_contiguous(v.array);
    if (good) return array_fetch(vm, v.array, FOR_RANDOM);
    vm_raise(vm, EXC_TypeError, "a contiguous array of %s is needed", dtype_info[type].name);
    return NULL;
}

static int64_t width_of(Array *array) {
    return array->ndim ? array_shape(array)[array->ndim - 1] : 1;
}

// Makes the result, zeroed. args[0]: the generator; args[wide]: an array as wide as the result's rows; args[last]: the
// number of rows.
static Status rows_begin(Vm *vm, const Value *args, int wide, int last, DType type, Rows *rows) {
    *rows = (Rows){.g = bits_of(vm, args[0]), .width = width_of(args[wide].array)};
    if (!rows->g) return ST_ERROR;
    if (array_long(vm, args[last], &rows->count) != ST_OK) return op_refused(vm);
    int64_t shape[] = {rows->count, rows->width};
    Status st = array_new(vm, type, 2, shape, ROOM_HOST, &rows->array);
    if (st != ST_OK) return st;
    rows->to = array_write(vm, rows->array.array);
    if (!rows->to) {
        release(vm, rows->array);
        return ST_ERROR;
    }
    memset(rows->to, 0, (size_t)(rows->count * rows->width) * dtype_size(type));
    return ST_OK;
}

// Checks that an argument has one row or all of them, since other sizes would be read beyond their end.
static Status rows_fit(Vm *vm, const Rows *rows, Value v, int64_t width) {
    int64_t size = array_size(v.array);
    if (size == width || size == width * rows->count) return ST_OK;
    return vm_raise(vm, EXC_ValueError, "parameters of another size than the rows");
}

// Polls for interrupts about every ELEMENTS elements.
static Status rows_poll(Vm *vm, const Rows *rows, int64_t row) {
    enum { ELEMENTS = 1 << 12 };
    int64_t often = ELEMENTS / (rows->width + 1) + 1;
    return row % often == 0 ? vm_poll(vm) : ST_OK;
}

static Status rows_end(Vm *vm, const Rows *rows, Status st, Value *out) {
    if (st == ST_OK)
        *out = rows->array;
    else
        release(vm, rows->array);
    return st;
}

// --- Multinomial -------------------------------------------------------------------------------

// Draws the counts of `width` outcomes in n trials, as a sequence of conditional binomial variates. `first` has the
// precomputed data for the first outcome, which rows with the same n and p share.
static void multinomial(Bits *g, Binomial *first, int64_t n, const double *p, int64_t width, int64_t *to) {
    double left = 1;
    Binomial next, *b = first;
    for (int64_t j = 0; j + 1 < width; j++) {
        if (j > 0) binomial_init(b = &next, n, p[j] / left);
        to[j] = binomial_draw(g, b);
        n -= to[j];
        if (n <= 0) return;
        left -= p[j];
    }
    if (n > 0) to[width - 1] = n;
}

// multinomial_rows(bits, n, p, rows): n is int64, one number or one for each row; p is float64, one row or all of them.
static Status fn_multinomial_rows(Vm *vm, const Value *args, Value *out) {
    const int64_t *n = elements(vm, args[1], DT_INT64);
    const double *p = n ? elements(vm, args[2], DT_FLOAT64) : NULL;
    Rows rows;
    if (!p) return ST_ERROR;
    Status st = rows_begin(vm, args, 2, 3, DT_INT64, &rows);
    if (st != ST_OK) return st;
    st = rows_fit(vm, &rows, args[1], 1);
    if (st == ST_OK) st = rows_fit(vm, &rows, args[2], rows.width);
    int64_t n_step = array_size(args[1].array) > 1;
    int64_t p_step = array_size(args[2].array) > rows.width ? rows.width : 0;
    int64_t *to = (int64_t *)rows.to;
    Binomial first;
    for (int64_t i = 0; st == ST_OK && rows.width > 0 && i < rows.count; i++, to += rows.width) {
        if (i == 0 || n_step || p_step) binomial_init(&first, n[i * n_step], p[i * p_step]);
        multinomial(rows.g, &first, n[i * n_step], p + i * p_step, rows.width, to);
        st = rows_poll(vm, &rows, i);
    }
    return rows_end(vm, &rows, st, out);
}

// Reads a list or tuple of up to FEW_OUTCOMES floats and ints. Returns false if it is not one.
enum { FEW_OUTCOMES = 32 };
static bool plain_numbers(Value v, double *room, int64_t *n) {
    bool list = v.kind == K_LIST;
    if (!list && v.kind != K_TUPLE) return false;
    const Value *items = list ? v.list->items : v.tuple->items;
    *n = (int64_t)(list ? v.list->len : v.tuple->len);
    if (*n == 0 || *n > FEW_OUTCOMES) return false;
    for (int64_t j = 0; j < *n; j++) {
        if (items[j].kind != K_FLOAT && items[j].kind != K_INT) return false;
        room[j] = items[j].kind == K_FLOAT ? items[j].f : (double)items[j].i;
    }
    return true;
}

// Finds one row of probabilities: the elements of an array, or those of a list, which are copied to `room`. ST_DEFER:
// the argument needs the slow path.
static Status plain_row(Vm *vm, Value v, double *room, const double **row, int64_t *n) {
    *row = room;
    if (v.kind != K_ARRAY) return plain_numbers(v, room, n) ? ST_OK : ST_DEFER;
    bool plain = v.array->ndim == 1 && v.array->dtype == DT_FLOAT64 && array_is_contiguous(v.array);
    *n = plain ? array_size(v.array) : 0;
    if (*n == 0) return ST_DEFER;
    *row = (const double *)array_fetch(vm, v.array, FOR_RANDOM);
    return *row ? ST_OK : ST_ERROR;
}

static bool are_probabilities(const double *p, int64_t n) {
    for (int64_t j = 0; j < n; j++)
        if (!(p[j] >= 0 && p[j] <= 1)) return false;
    return random_kahan_sum(p, n - 1) <= 1 + 1e-12;
}

// Reads size=, with fewer than NDIM_MAX dimensions, as one is added. Returns false if it needs the slow path.
static bool plain_shape(Value size, int64_t *shape, int *ndim) {
    const Value *items = &size;
    size_t count = size.kind != K_NONE;
    if (size.kind == K_TUPLE) items = size.tuple->items, count = size.tuple->len;
    if (count >= NDIM_MAX) return false;
    for (size_t d = 0; d < count; d++) {
        if (items[d].kind != K_INT || items[d].i < 0) return false;
        shape[d] = items[d].i;
    }
    *ndim = (int)count;
    return true;
}

// multinomial(bits, n, pvals, size, old) for one n and one row of probabilities; the slow path handles the rest.
static Status fn_multinomial(Vm *vm, const Value *args, Value *out) {
    double room[FEW_OUTCOMES];
    const double *p;
    int64_t shape[NDIM_MAX], width;
    int ndim;
    Rows rows = {.g = bits_of(vm, args[0])};
    if (!rows.g) return ST_ERROR;
    if (args[1].kind != K_INT || args[1].i < 0 || !plain_shape(args[3], shape, &ndim)) return ST_DEFER;
    Status st = plain_row(vm, args[2], room, &p, &width);
    if (st != ST_OK) return st;
    if (!are_probabilities(p, width)) return ST_DEFER;
    shape[ndim++] = rows.width = width;
    st = array_new(vm, DT_INT64, ndim, shape, ROOM_HOST, &rows.array);
    if (st != ST_OK) return st;
    int64_t *to = (int64_t *)array_write(vm, rows.array.array), size = array_size(rows.array.array);
    if (to) memset(to, 0, (size_t)size * sizeof *to);
    else st = ST_ERROR;
    Binomial first;
    binomial_init(&first, args[1].i, p[0]);
    for (int64_t i = 0; st == ST_OK && i < size / width; i++, to += width) {
        multinomial(rows.g, &first, args[1].i, p, width, to);
        st = rows_poll(vm, &rows, i);
    }
    return rows_end(vm, &rows, st, out);
}

// --- Dirichlet ---------------------------------------------------------------------------------

typedef double (*GammaFn)(Bits *g, double shape);

static void dirichlet_by_gammas(Bits *g, GammaFn gamma, const double *alpha, int64_t width,
                                double *to) {
    double sum = 0;
    for (int64_t j = 0; j < width; j++) sum += to[j] = gamma(g, alpha[j]);
    double inverse = 1 / sum;
    for (int64_t j = 0; j < width; j++) to[j] *= inverse;
}

// Breaks pieces off a stick by beta variates, for small alphas, whose gamma variates may all be zero. beyond[j] is the
// sum of alpha from j on.
static void dirichlet_by_pieces(Bits *g, const double *alpha, const double *beyond, int64_t width,
                                double *to) {
    double stick = 1;
    for (int64_t j = 0; j + 1 < width; j++) {
        double piece = draw_beta(g, alpha[j], beyond[j + 1]);
        to[j] = stick * piece;
        stick *= 1 - piece;
        if (beyond[j + 1] == 0) break;
    }
    to[width - 1] = stick;
}

// dirichlet(bits, alpha, beyond, old, rows): uses gamma variates if `beyond` is None, otherwise stick-breaking. `old`:
// RandomState's gamma variates.
static Status fn_dirichlet(Vm *vm, const Value *args, Value *out) {
    const double *alpha = elements(vm, args[1], DT_FLOAT64), *beyond = NULL;
    Rows rows;
    bool old;
    if (!alpha) return ST_ERROR;
    if (args[2].kind != K_NONE && !(beyond = elements(vm, args[2], DT_FLOAT64))) return ST_ERROR;
    if (op_truth(vm, args[3], &old) != ST_OK) return ST_ERROR;
    Status st = rows_begin(vm, args, 1, 4, DT_FLOAT64, &rows);
    if (st != ST_OK) return st;
    if (array_size(args[1].array) != rows.width || (beyond && array_size(args[2].array) != rows.width))
        st = vm_raise(vm, EXC_ValueError, "parameters of another size than the rows");
    double *to = (double *)rows.to;
    for (int64_t i = 0; st == ST_OK && i < rows.count; i++, to += rows.width) {
        if (beyond && rows.width > 0)
            dirichlet_by_pieces(rows.g, alpha, beyond, rows.width, to);
        else
            dirichlet_by_gammas(rows.g, old ? draw_old_gamma : draw_gamma, alpha, rows.width, to);
        st = rows_poll(vm, &rows, i);
    }
    return rows_end(vm, &rows, st, out);
}

// --- Multivariate hypergeometric ---------------------------------------------------------------

// Draws how many items of each color are in the sample, as a sequence of conditional hypergeometric variates.
static void marginals(Bits *g, const int64_t *colors, int64_t total, int64_t sample, int64_t width,
                      int64_t *to) {
    for (int64_t j = 0; sample > 0 && j + 1 < width; j++) {
        total -= colors[j];
        to[j] = draw_hypergeometric(g, colors[j], total, sample);
        sample -= to[j];
    }
    if (sample > 0) to[width - 1] = sample;
}

// Draws the same by shuffling the first `sample` of all items in place; things[i] is the color of item i.
static void counts(Bits *g, int64_t *things, int64_t total, int64_t sample, int64_t *to) {
    for (int64_t j = 0; j < sample; j++) {
        int64_t k = j + (int64_t)draw_below(g, (uint64_t)(total - j - 1), true), thing = things[k];
        things[k] = things[j];
        things[j] = thing;
        to[thing]++;
    }
}

static int64_t *all_things(Vm *vm, const int64_t *colors, int64_t width, int64_t total) {
    bool fits = total <= INT64_MAX / (int64_t)sizeof(int64_t);
    int64_t *things = fits ? mem_alloc(&vm->mem, (size_t)total * sizeof *things) : NULL, at = 0;
    for (int64_t j = 0; things && j < width; j++)
        for (int64_t i = 0; i < colors[j]; i++) things[at++] = j;
    if (!things) vm_no_memory(vm);
    return things;
}

// hypergeometric(bits, colors, sample, counted, rows). If the sample is more than half of all items, draws those that
// are not in it.
static Status fn_hypergeometric(Vm *vm, const Value *args, Value *out) {
    const int64_t *colors = elements(vm, args[1], DT_INT64);
    int64_t sample, total = 0, *things = NULL;
    bool counted;
    Rows rows;
    if (!colors) return ST_ERROR;
    if (array_long(vm, args[2], &sample) != ST_OK) return op_refused(vm);
    if (op_truth(vm, args[3], &counted) != ST_OK) return ST_ERROR;
    Status st = rows_begin(vm, args, 1, 4, DT_INT64, &rows);
    if (st != ST_OK) return st;
    bool good = array_size(args[1].array) == rows.width;
    for (int64_t j = 0; good && j < rows.width; j++)
        good = colors[j] >= 0 && !__builtin_add_overflow(total, colors[j], &total);
    if (!good || sample < 0 || sample > total)
        st = vm_raise(vm, EXC_ValueError, "colors or a sample that cannot be");
    bool leaves = st == ST_OK && sample > total / 2;
    int64_t *to = (int64_t *)rows.to, count = leaves ? total - sample : sample;
    if (st == ST_OK && counted && total > 0 && !(things = all_things(vm, colors, rows.width, total)))
        st = ST_ERROR;
    for (int64_t i = 0; st == ST_OK && i < rows.count; i++, to += rows.width) {
        if (things)
            counts(rows.g, things, total, count, to);
        else if (rows.width > 0)
            marginals(rows.g, colors, total, count, rows.width, to);
        for (int64_t j = 0; leaves && j < rows.width; j++) to[j] = colors[j] - to[j];
        st = rows_poll(vm, &rows, i);
    }
    if (things) mem_free(&vm->mem, things, (size_t)total * sizeof *things);
    return rows_end(vm, &rows, st, out);
}

const NativeDef numpy_random_vectors[] = {
    {"multinomial", "bits, n, pvals, size, old, /", fn_multinomial, "numpy_multinomial", PURE},
    {"multinomial_rows", "bits, n, p, rows, /", fn_multinomial_rows, NULL, PURE},
    {"dirichlet", "bits, alpha, beyond, old, rows, /", fn_dirichlet, NULL, PURE},
    {"hypergeometric", "bits, colors, sample, counted, rows, /", fn_hypergeometric, NULL, PURE},
    {0},
};
