// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decides which kernels a device language supports, and computes their signatures.

#include <string.h>

#include "backends/emit/emit_grid.h"

static uint8_t motion_of(const KernAccess *access, int inner) {
    int64_t stride = access->strides[inner];
    if (stride == (int64_t)dtype_size(access->dtype)) return MOTION_UNIT;
    return stride == 0 ? MOTION_NONE : MOTION_STRIDED;
}

// Errors are reported even if float flags are ignored.
static bool is_error(const KernInstr *in) {
    return op_info[in->op].may_raise && dtype_is_integer((DType)in->from);
}

static void add_code(const Kernel *k, Grid *grid) {
    for (int i = 0; i < k->code_count; i++) {
        const KernInstr *in = &k->code[i];
        bool told = (k->flags && in->tells) || is_error(in);
        grid->sites[i] = in->site;
        grid->tells[i] = told && emit_has_flags((OpId)in->op, (DType)in->from, (DType)in->type);
        grid->tells_any |= grid->tells[i];
    }
}

static bool add_stores(const Dialect *d, const Kernel *k, Grid *grid) {
    for (int s = 0; s < k->store_count; s++) {
        const KernAccess *to = &k->stores[s].to;
        if (!d->types[to->dtype]) return false;
        grid->store_types[s] = (uint8_t)to->dtype;
        grid->store_motions[s] = k->reduction_count ? MOTION_NONE : motion_of(to, k->ndim - 1);
        grid->store_values[s] = k->stores[s].value;
    }
    return true;
}

// Returns the lanes per result. The lanes of a group share a long reduction, fewer lanes a short one, with coalesced
// loads along the last dimension. If that dimension is kept, one work item per result gives coalesced loads instead.
static uint8_t lanes_of(const Dialect *d, const Kernel *k, int64_t count, int64_t results) {
    enum { SHORT = 16, LONG = 1024, WIDE = 32 };
    bool is_kept = !(k->reduced >> (k->ndim - 1) & 1);
    if (!k->reduction_count || count < SHORT || (is_kept && results >= WIDE)) return 1;
    if (count >= LONG) return (uint8_t)d->grid->lanes;
    return (uint8_t)(is_kept ? 1 : d->grid->few);
}

// Returns how halves are accumulated, as NumPy does it: sums and products as floats; differences and quotients as
// floats along the last dimension only.
static uint8_t sum_of(const Kernel *k, OpId op, DType type) {
    bool is_row = k->reduced >> (k->ndim - 1) & 1;
    bool is_wide = op == AOP_ADD || op == AOP_MULTIPLY || (is_row && (op == AOP_SUBTRACT || op == AOP_DIVIDE));
    return type == DT_FLOAT16 && is_wide ? SUM_WIDE : SUM_PLAIN;
}

static bool op_tells(const Kernel *k, OpId op, DType type) {
    bool told = k->flags && op_info[op].effects == EFFECT_FPE;
    return (told || (op_info[op].may_raise && dtype_is_integer(type))) && emit_has_flags(op, type, type);
}

// Adds the reductions. Ops that do not commute combine the elements in the axis's order, by one work item per result.
static bool add_reductions(const Dialect *d, const Kernel *k, Grid *grid) {
    int64_t count = 1, results = 1;
    for (int dim = 0; dim < k->ndim; dim++) *(k->reduced >> dim & 1 ? &count : &results) *= k->shape[dim];
    grid->lanes = lanes_of(d, k, count, results);
    for (int r = 0; r < k->reduction_count; r++) {
        const KernReduction *reduction = &k->reductions[r];
        DType type = k->stores[r].to.dtype;
        OpId op = (OpId)reduction->op;
        if (!op_has_loop(op, type)) return false;
        grid->serial |= !op_info[op].commutative;
        grid->ops[r] = reduction->op;
        grid->op_sites[r] = reduction->site;
        grid->begun[r] = reduction->begun;
        grid->has_first[r] = reduction->has_initial && !reduction->begun;
        grid->op_tells[r] = op_tells(k, op, type);
        grid->sums[r] = sum_of(k, op, type);
        grid->tells_any |= grid->op_tells[r];
    }
    if (grid->serial) grid->lanes = 1;
    grid->beside = (uint8_t)(grid->lanes > 1 && grid->lanes == d->grid->few ? d->grid->beside : 1);
    return true;
}

// --- Several elements for each work item -----------------------------------------------------------------

// Returns the number of rows by which a load is further on than another one of the same array; a value above SHIFT_MOST
// if they are unrelated.
enum { SHIFT_MOST = 3 };
static int64_t shift_between(const Kernel *k, const KernAccess *leader, const KernAccess *load) {
    const int64_t stride = leader->strides[k->ndim - 2], apart = load->offset - leader->offset;
    if (load->storage != leader->storage || load->dtype != leader->dtype || stride == 0 || apart % stride != 0) return INT64_MAX;
    for (int d = 0; d < k->ndim; d++)
        if (load->strides[d] != leader->strides[d]) return INT64_MAX;
    return apart / stride;
}

static void find_leader(const Kernel *k, int load, Grid *grid) {
    grid->leaders[load] = (int8_t)load;
    for (int i = 0; i < load; i++) {
        if (grid->leaders[i] != i) continue;
        int64_t shift = shift_between(k, &k->loads[i], &k->loads[load]);
        if (shift < -SHIFT_MOST || shift > SHIFT_MOST) continue;
        grid->leaders[load] = (int8_t)i;
        grid->shifts[load] = (int8_t)shift;
        return;
    }
}

// Returns the elements that a work item keeps in registers: for each leader (Grid.leaders), the rows that it and its
// followers read.
static int window_sizes(const Grid *grid, int rows) {
    int sum = 0;
    for (int l = 0; l < grid->form.load_count; l++) {
        int first = 0, last = 0;
        if (grid->leaders[l] != l) continue;
        for (int i = 0; i < grid->form.load_count; i++) {
            if (grid->leaders[i] != l) continue;
            if (grid->shifts[i] < first) first = grid->shifts[i];
            if (grid->shifts[i] > last) last = grid->shifts[i];
        }
        sum += rows + last - first;
    }
    return sum;
}

// Sets Grid.rows for a stencil that has enough long rows and whose windows fit into registers. True also if only the
// windows do not fit: then a work item computes one element.
static bool find_rows(const Dialect *d, const Kernel *k, int64_t size, Grid *grid) {
    enum { LONG = 128, ROWS = 32, MANY = 1 << 18, WINDOWS = 48 };
    const int rows = d->grid->rows;
    bool any = false;
    if (rows <= 1 || k->reduction_count || k->lines_count || k->ndim < 2 || size < MANY) return false;
    if (k->shape[k->ndim - 1] < LONG || k->shape[k->ndim - 2] < ROWS) return false;
    for (int i = 0; i < k->load_count; i++) {
        find_leader(k, i, grid);
        any |= grid->shifts[i] != 0;
    }
    if (any && window_sizes(grid, rows) <= WINDOWS) {
        grid->rows = (uint8_t)rows;
        return true;
    }
    memset(grid->leaders, 0, sizeof grid->leaders);
    memset(grid->shifts, 0, sizeof grid->shifts);
    return any;
}

// Returns whether a loop's few values and cheap instructions leave registers for several elements.
static bool is_light(const Kernel *k) {
    enum { LOADS = 6, CODE = 16 };
    bool light = k->load_count <= LOADS && k->code_count <= CODE;
    for (int i = 0; i < k->code_count; i++) light &= op_info[k->code[i].op].tolerance == 0; // no function
    return light;
}

// Returns the elements per work item: several if rows are long, and enough that the whole device has work.
static uint8_t each_of(const Dialect *d, const Kernel *k, int64_t size) {
    enum { LONG = 2048, MANY = 1 << 20 };
    bool is_plain = !k->reduction_count && !k->lines_count;
    return (uint8_t)(is_plain && k->shape[k->ndim - 1] >= LONG && size >= MANY && is_light(k) ? d->grid->each : 1);
}

static void add_extents(const Dialect *d, const Kernel *k, Grid *grid) {
    int64_t size = 1;
    for (int dim = 0; dim < k->ndim && size < INT32_MAX; dim++) size *= k->shape[dim];
    grid->narrow = size < INT32_MAX;
    grid->each = find_rows(d, k, size, grid) ? 1 : each_of(d, k, size);
}

// Keeps the order if there are computed loads, since these run along the first dimension.
void grid_dims(const Kernel *k, uint8_t dims[NDIM_MAX]) {
    const AxisSet last = k->lines_count ? 0 : k->reduced;
    int at = 0;
    for (int d = 0; d < k->ndim; d++)
        if (!(last >> d & 1)) dims[at++] = (uint8_t)d;
    for (int d = 0; d < k->ndim; d++)
        if (last >> d & 1) dims[at++] = (uint8_t)d;
}

static AxisSet reduced_dims(const Kernel *k) {
    uint8_t dims[NDIM_MAX];
    AxisSet reduced = 0;
    grid_dims(k, dims);
    for (int d = 0; d < k->ndim; d++)
        if (k->reduced >> dims[d] & 1) reduced |= (AxisSet)1 << d;
    return reduced;
}

// Returns the unsigned integer type of the same size. Complex types stay, since they are aligned like their parts only.
static uint8_t word_of(uint8_t type) {
    static const uint8_t words[] = {[1] = DT_UINT8, [2] = DT_UINT16, [4] = DT_UINT32, [8] = DT_UINT64};
    return dtype_kind((DType)type) == DK_COMPLEX ? type : words[dtype_size((DType)type)];
}

// Uses one program for all types of a size, if elements are only moved.
static void find_move(const Kernel *k, Grid *grid) {
    if (k->code_count || k->param_count || k->lines_count || k->reduction_count) return;
    for (int i = 0; i < k->load_count; i++) grid->form.load_types[i] = word_of(grid->form.load_types[i]);
    for (int s = 0; s < grid->store_count; s++) grid->store_types[s] = word_of(grid->store_types[s]);
}

_Static_assert(KERN_PARAMS <= 16, "parameters are bits of Grid.inverses");

static void find_inverses(const Dialect *d, Grid *grid) {
    for (int i = 0; i < grid->form.code_count && d->grid->over; i++)
        for (int p = 0; p < grid->form.param_count; p++)
            if (emit_divides_by(&grid->form.code[i], p)) grid->inverses[p / 8] |= (uint8_t)(1 << p % 8);
}

bool grid_of(const Dialect *d, const Kernel *k, Grid *grid) {
    memset(grid, 0, sizeof *grid);
    if (k->library != AOP_NONE || k->ndim < 1) return false;
    if (!form_of_values(k, true, &grid->form) || !emit_can_spell(d, &grid->form)) return false;
    grid->ndim = (uint8_t)k->ndim;
    grid->store_count = (uint8_t)k->store_count;
    grid->reduction_count = (uint8_t)k->reduction_count;
    grid->reduced = reduced_dims(k);
    // In a reduction no load has a stride: the addresses contain a lane's position along all dimensions.
    for (int i = 0; i < k->load_count && k->reduction_count; i++)
        if (grid->form.motions[i] < MOTION_LINES) grid->form.motions[i] = MOTION_NONE;
    add_extents(d, k, grid);
    add_code(k, grid);
    if (!add_stores(d, k, grid) || !add_reductions(d, k, grid)) return false;
    find_move(k, grid);
    find_inverses(d, grid);
    return true;
}

static int words_of(DType type) {
    return dtype_kind(type) == DK_COMPLEX ? 2 : 1;
}

int grid_numbers(const Grid *grid) {
    int accesses = grid->form.load_count + grid->store_count;
    int count = grid->ndim + accesses * (1 + grid->ndim) + GRID_CUT;
    for (int i = 0; i < grid->form.param_count; i++) count += words_of((DType)grid->form.param_types[i]) + grid_has_inverse(grid, i);
    for (int r = 0; r < grid->reduction_count; r++) count += words_of((DType)grid->store_types[r]);
    return count;
}
