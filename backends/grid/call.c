// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Cuts kernels into work items, and collects their numeric arguments.

#include "backends/grid/call.h"

#include <math.h>
#include <string.h>

const Kernel *grid_kernel(const Kernel *k, Kernel *own) {
    if (k->ndim > 0 || k->library != AOP_NONE) return k;
    *own = *k;
    own->ndim = 1;
    own->shape[0] = 1;
    own->order[0] = 0;
    for (int i = 0; i < own->load_count; i++) own->loads[i].strides[0] = 0;
    for (int s = 0; s < own->store_count; s++) own->stores[s].to.strides[0] = 0;
    return own;
}

bool grid_may_run(const Vm *vm, const Kernel *kernel) {
    return vm->float_errors.action[FLOAT_UNDERFLOW] == FLOAT_IGNORE || !kernel->flags;
}

const KernAccess *grid_access(const Kernel *k, int i) {
    return i < k->load_count ? &k->loads[i] : &k->stores[i - k->load_count].to;
}

// --- Work items ------------------------------------------------------------------------------------

static int64_t least_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void cut(GridCall *c, const GridWords *words) {
    enum { LEAST = 16 }; // elements for each work item
    const Kernel *k = c->kernel;
    const int64_t lanes = c->grid->lanes;
    c->results = c->count = 1;
    for (int d = 0; d < k->ndim; d++) *(k->reduced >> d & 1 ? &c->count : &c->results) *= k->shape[d];
    int64_t items = c->results > words->threads / lanes ? words->threads : c->results * lanes;
    c->parts = k->reduction_count && items && !c->grid->serial ? least_of(words->threads / items, c->count / (lanes * LEAST)) : 1;
    if (c->parts < 1) c->parts = 1;
    c->each = (c->count + c->parts - 1) / c->parts;
    c->parts = c->each ? (c->count + c->each - 1) / c->each : 1; // rounding may have left the last ones empty
}

GridSize grid_size(const GridCall *c) {
    const Kernel *k = c->kernel;
    if (k->reduction_count) return (GridSize){(size_t)(c->results * c->parts), 1};
    const size_t each = c->grid->each;
    GridSize size = {((size_t)k->shape[k->ndim - 1] + each - 1) / each, 1};
    for (int d = 0; d < k->ndim - 1; d++) {
        const size_t rows = d == k->ndim - 2 && c->grid->rows > 1 ? c->grid->rows : 1;
        size.rows *= ((size_t)k->shape[d] + rows - 1) / rows;
    }
    if (size.items == 0 || size.rows == 0) size = (GridSize){0, 0};
    return size;
}

GridSize grid_join_size(const GridCall *c) {
    return (GridSize){(size_t)c->results, 1};
}

GridSize grid_group(GridSize size, size_t most) {
    GridSize group = {1, 1};
    while (group.items < most && group.items < size.items) group.items *= 2;
    while (group.rows < most / group.items && group.rows < size.rows) group.rows *= 2;
    return group;
}

GridSize grid_group_tall(GridSize size, size_t most) {
    enum { ROWS = 4 };
    GridSize group = {1, 1};
    while (group.rows < ROWS && group.rows < size.rows) group.rows *= 2;
    group.items = grid_group(size, most / group.rows).items;
    return group;
}

static size_t rounded(size_t count, size_t each) {
    return (count + each - 1) / each * each;
}

GridSize grid_group_few(GridSize size, size_t most, bool tall) {
    enum { ROWS = 4, SQUARE = 8, WASTE = 2 };
    const size_t widths[] = {most, SQUARE, 1};
    size_t run[3], least = SIZE_MAX;
    if (tall && size.rows >= ROWS && size.items >= most / ROWS) return (GridSize){most / ROWS, ROWS};
    for (int i = 0; i < 3; i++) {
        run[i] = rounded(size.items, widths[i]) * rounded(size.rows, most / widths[i]);
        if (run[i] < least) least = run[i];
    }
    const size_t width = run[0] / WASTE <= least ? widths[0] : run[1] / WASTE <= least ? widths[1] : widths[2];
    return (GridSize){width, most / width};
}

size_t grid_part_bytes(const GridCall *c, int r) {
    return (size_t)(c->results * c->parts) * grid_part_size(c->kernel->stores[r].to.dtype);
}

// --- Numbers -----------------------------------------------------------------------------------------

// Stores a scalar as an argument: in one word of 8 bytes, a half as a double; a complex number as two doubles. Returns
// the number of words.
static int put_scalar(DType type, Scalar scalar, int64_t *to) {
    float narrow = (float)scalar.f;
    const bool is_complex = dtype_kind(type) == DK_COMPLEX;
    *to = 0;
    if (type == DT_FLOAT32)
        memcpy(to, &narrow, sizeof narrow);
    else
        memcpy(to, &scalar, is_complex ? sizeof scalar : sizeof *to); // little-endian: narrow integers are first
    return is_complex ? 2 : 1;
}

int64_t grid_word(DType type, Scalar scalar) {
    int64_t words[2];
    put_scalar(type, scalar, words);
    return words[0];
}

// Returns the reciprocal of a float parameter; NaN if the parameter is so large or small that quotients by it may
// overflow or underflow (nc_over).
static int64_t inverse(DType type, double y) {
    const double most = type == DT_FLOAT32 ? 0x1p40 : 0x1p200, size = fabs(y);
    Scalar r = {.f = NAN};
    if (size < most && size > 1 / most) r.f = type == DT_FLOAT32 ? 1.0f / (float)y : 1.0 / y;
    return grid_word(type, r);
}

static void put_numbers(GridCall *c) {
    const Kernel *k = c->kernel;
    int accesses = grid_access_count(k), at = 0;
    uint8_t dims[NDIM_MAX];
    grid_dims(k, dims);
    for (int d = 0; d < k->ndim; d++) c->numbers[at++] = k->shape[dims[d]];
    for (int a = 0; a < accesses; a++) c->numbers[at++] = grid_access(k, a)->offset;
    for (int a = 0; a < accesses; a++)
        for (int d = 0; d < k->ndim; d++) c->numbers[at++] = grid_access(k, a)->strides[dims[d]];
    for (int i = 0; i < k->param_count; i++) at += put_scalar(k->param_types[i], k->params[i], &c->numbers[at]);
    for (int i = 0; i < k->param_count; i++)
        if (grid_has_inverse(c->grid, i)) c->numbers[at++] = inverse(k->param_types[i], k->params[i].f);
    for (int r = 0; r < k->reduction_count; r++)
        at += put_scalar(k->stores[r].to.dtype, k->reductions[r].initial, &c->numbers[at]);
    const int64_t tail[GRID_CUT] = {c->results, c->count, c->each, c->parts, c->parts > 1};
    memcpy(&c->numbers[at], tail, sizeof tail);
}

// Returns whether two loads read the same array at least a row apart, as in a stencil.
static bool are_rows_apart(const Kernel *k, const KernAccess *a, const KernAccess *b) {
    const int row = k->ndim - 2;
    if (a->storage != b->storage || a->strides[row] != b->strides[row] || a->strides[row] == 0) return false;
    const int64_t stride = a->strides[row] < 0 ? -a->strides[row] : a->strides[row], apart = a->offset - b->offset;
    return apart >= stride || -apart >= stride;
}

static bool is_tall(const Kernel *k) {
    if (k->ndim < 2 || k->reduction_count) return false;
    for (int i = 1; i < k->load_count; i++)
        if (are_rows_apart(k, &k->loads[0], &k->loads[i]) || are_rows_apart(k, &k->loads[i - 1], &k->loads[i])) return true;
    return false;
}

void grid_call(GridCall *c, const Dialect *dialect, const Kernel *kernel, const Grid *grid) {
    c->kernel = kernel;
    c->grid = grid;
    c->tall = grid->rows <= 1 && is_tall(kernel);
    cut(c, dialect->grid);
    put_numbers(c);
}
