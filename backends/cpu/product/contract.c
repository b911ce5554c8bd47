// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Contractions: sums of products that are matrix products, for example of an image's windows with
// weights:
//
// (x[:, :, None] * y[None]).sum(axis=1)
//
// Dimensions along which only x varies are rows; those of y alone are columns; reduced ones are the
// depth; dimensions of both are a stack. If elements are reused enough, x and y are packed as
// matrices if necessary, and multiplied.
// The order of summation differs from NumPy's, as for matrix products. If a float flag is raised,
// the plain loop runs instead, which can report the site.

#include "backends/cpu/flags.h"
#include "backends/cpu/product/blis.h"
#include "backends/cpu/product/products.h"
#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/tile/move.h"
#include "vm/region/region.h"

enum {
    REUSE = 2, // average uses of an element of x and y that make copies pay
    DEPTH = 8, // minimum depth
};

typedef enum Role { IN_STACK, IN_ROWS, IN_COLUMNS, IN_DEPTH, ROLES } Role;

typedef struct Contraction {
    const Kernel *kernel;
    DType type;
    int dims[ROLES][NDIM_MAX], count[ROLES]; // dimensions by role, outermost first
    int64_t extent[ROLES];                   // product of a role's extents
    bool packs[3];                           // for x, y and the result
} Contraction;

// Roles of the row and column dimensions of x, y and the result.
static const Role roles[3][2] = {
    {IN_ROWS, IN_DEPTH}, {IN_DEPTH, IN_COLUMNS}, {IN_ROWS, IN_COLUMNS}};

static const KernInstr *product_of(const Kernel *k) {
    return &k->code[k->code_count - 1];
}

// Returns the load that is a factor, possibly cast to the product's type. -1: the factor is anything else.
static int load_of(const Kernel *k, int value) {
    if (value < KERN_LOADS) return value;
    if (value < KERN_FIRST_CODE) return -1;
    const KernInstr *cast = &k->code[value - KERN_FIRST_CODE];
    return cast->op == AOP_CAST && cast->args[0] < KERN_LOADS ? cast->args[0] : -1;
}

static const KernAccess *operand(const Contraction *c, int which) {
    const Kernel *k = c->kernel;
    return which == 2 ? &k->stores[0].to : &k->loads[load_of(k, product_of(k)->args[which])];
}

// --- Recognition ---------------------------------------------------------------------------------

static bool begins_with_nothing(const KernReduction *sum, DType type) {
    const Scalar *first = &sum->initial;
    if (sum->begun || !sum->has_initial) return !sum->begun;
    return dtype_kind(type) == DK_COMPLEX ? first->re == 0 && first->im == 0 : first->f == 0;
}

static bool is_sum_of_products(const Kernel *k) {
    if (k->reduction_count != 1 || k->store_count != 1 || k->load_count != 2 || k->code_count == 0)
        return false;
    const KernInstr *product = product_of(k);
    DType type = (DType)product->type;
    int x = load_of(k, product->args[0]), y = load_of(k, product->args[1]);
    bool known = dtype_is_inexact(type) && type != DT_FLOAT16 && product->from == type;
    if (!known || product->op != AOP_MULTIPLY || x < 0 || y < 0 || x == y) return false;
    return k->reductions[0].op == AOP_ADD && begins_with_nothing(&k->reductions[0], type) &&
           k->stores[0].value == KERN_FIRST_CODE + k->code_count - 1 &&
           k->stores[0].to.dtype == type && k->stores[0].to.storage != k->loads[0].storage &&
           k->stores[0].to.storage != k->loads[1].storage;
}

static Role role_of(const Contraction *c, int d) {
    bool x = operand(c, 0)->strides[d] != 0, y = operand(c, 1)->strides[d] != 0;
    if (c->kernel->reduced >> d & 1) return x && y ? IN_DEPTH : ROLES;
    return x && y ? IN_STACK : x ? IN_ROWS : y ? IN_COLUMNS : ROLES;
}

static bool sort_dims(Contraction *c) {
    for (int role = 0; role < ROLES; role++) {
        c->count[role] = 0;
        c->extent[role] = 1;
    }
    for (int d = 0; d < c->kernel->ndim; d++) {
        Role role = role_of(c, d);
        if (role == ROLES) return false;
        c->dims[role][c->count[role]++] = d;
        c->extent[role] *= c->kernel->shape[d];
    }
    return true;
}

static bool is_worth_it(const Contraction *c) {
    int64_t rows = c->extent[IN_ROWS], columns = c->extent[IN_COLUMNS];
    // for sizes that compiled loops handle themselves, use the loops' order of summation
    double work =
        (double)c->extent[IN_STACK] * (double)rows * (double)columns * (double)c->extent[IN_DEPTH];
    return work > SCRATCH_ELEMENTS && c->extent[IN_DEPTH] >= DEPTH &&
           rows * columns >= REUSE * (rows + columns);
}

// Returns whether a role's dimensions can be joined into one for an operand.
static bool is_one(const Contraction *c, int which, Role role) {
    const KernAccess *access = operand(c, which);
    const int *dims = c->dims[role];
    for (int i = 0; i + 1 < c->count[role]; i++)
        if (access->strides[dims[i]] !=
            access->strides[dims[i + 1]] * c->kernel->shape[dims[i + 1]])
            return false;
    return true;
}

static bool contraction_of(const Kernel *k, Contraction *c) {
    c->kernel = k;
    if (!is_sum_of_products(k)) return false;
    c->type = (DType)product_of(k)->type;
    if (!sort_dims(c) || !is_worth_it(c)) return false;
    for (int i = 0; i < 3; i++)
        c->packs[i] = operand(c, i)->dtype != c->type || !is_one(c, i, roles[i][0]) ||
                      !is_one(c, i, roles[i][1]);
    return true;
}

// --- Matrices ------------------------------------------------------------------------------------

static size_t packed_bytes(const Contraction *c, int which) {
    int64_t elements = c->extent[roles[which][0]] * c->extent[roles[which][1]];
    return c->packs[which] ? ((size_t)elements * dtype_size(c->type) + 63) & ~(size_t)63 : 0;
}

static int64_t inner_stride(const Contraction *c, int which, Role role) {
    int count = c->count[role];
    return count ? operand(c, which)->strides[c->dims[role][count - 1]] : 0;
}

static Matrix matrix_of(const Contraction *c, int which, char *at) {
    Role rows = roles[which][0], cols = roles[which][1];
    int64_t size = (int64_t)dtype_size(c->type);
    if (c->packs[which])
        return (Matrix){at, c->extent[rows], c->extent[cols], c->extent[cols] * size, size};
    return (Matrix){at, c->extent[rows], c->extent[cols], inner_stride(c, which, rows),
                    inner_stride(c, which, cols)};
}

static void load_row(const Cpu *cpu, const Contraction *c, int which, const char *from,
                     int64_t stride, char *to, size_t n) {
    enum { SOME = 512 };
    _Alignas(64) char row[SOME * DTYPE_SIZE_MAX];
    DType type = operand(c, which)->dtype;
    size_t size = dtype_size(type);
    if (type == c->type) {
        gather(from, stride, to, size, n);
        return;
    }
    for (size_t i = 0; i < n; i += SOME) {
        size_t some = n - i < SOME ? n - i : SOME;
        gather(from + (int64_t)i * stride, stride, row, size, some);
        cpu->loops->casts[c->type][type](row, NULL, NULL, to + i * dtype_size(c->type), some);
    }
}

// Copies a factor's matrix to its packed copy, or the packed result to its place.
static void copy_matrix(const Cpu *cpu, const Contraction *c, int which, char *at, char *packed) {
    const KernAccess *access = operand(c, which);
    size_t size = dtype_size(c->type);
    int64_t shape[NDIM_MAX], strides[NDIM_MAX], index[NDIM_MAX] = {0};
    int ndim = 0;
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < c->count[roles[which][i]]; d++, ndim++) {
            shape[ndim] = c->kernel->shape[c->dims[roles[which][i]][d]];
            strides[ndim] = access->strides[c->dims[roles[which][i]][d]];
        }
    const int64_t *walked[1] = {strides};
    int64_t stride = strides[ndim - 1];
    size_t row = (size_t)shape[ndim - 1];
    do {
        if (which == 2)
            scatter(packed, at, stride, size, row);
        else
            load_row(cpu, c, which, at, stride, packed, row);
        packed += row * size;
    } while (odometer_next(ndim - 1, shape, index, &at, walked, 1));
}

// --- Execution -----------------------------------------------------------------------------------

static void one_of_stack(const Cpu *cpu, const Contraction *c, char *const *at, uint32_t *flags) {
    char *room = c->kernel->workspace, *to[3];
    Matrix matrices[3];
    for (int i = 0; i < 3; i++) {
        to[i] = c->packs[i] ? room : at[i];
        room += packed_bytes(c, i);
        if (c->packs[i] && i < 2) copy_matrix(cpu, c, i, at[i], to[i]);
        matrices[i] = matrix_of(c, i, to[i]);
    }
    matrix_product(cpu, c->type, &matrices[0], &matrices[1], &matrices[2], flags);
    if (c->packs[2]) copy_matrix(cpu, c, 2, at[2], to[2]);
}

bool is_contraction(const Kernel *k) {
    Contraction c = {.kernel = k};
    if (!is_sum_of_products(k)) return false;
    c.type = (DType)product_of(k)->type;
    return sort_dims(&c) && c.count[IN_ROWS] && c.count[IN_COLUMNS] &&
           !(k->reduced >> (k->ndim - 1) & 1);
}

size_t contract_workspace(const Kernel *k) {
    Contraction c;
    if (!contraction_of(k, &c)) return 0;
    return packed_bytes(&c, 0) + packed_bytes(&c, 1) + packed_bytes(&c, 2);
}

bool contract(const Cpu *cpu, const Kernel *k, uint32_t *flags) {
    Contraction c;
    int64_t shape[NDIM_MAX], strides[3][NDIM_MAX], index[NDIM_MAX] = {0};
    const int64_t *walked[3] = {strides[0], strides[1], strides[2]};
    uint32_t raised = 0;
    if (!contraction_of(k, &c)) return false;
    char *at[3] = {access_at(operand(&c, 0)), access_at(operand(&c, 1)), access_at(operand(&c, 2))};
    for (int i = 0; i < c.count[IN_STACK]; i++) {
        int d = c.dims[IN_STACK][i];
        shape[i] = k->shape[d];
        for (int w = 0; w < 3; w++) strides[w][i] = operand(&c, w)->strides[d];
    }
    do one_of_stack(cpu, &c, at, &raised);
    while (!(raised & FLAG_INTERRUPTED) &&
           odometer_next(c.count[IN_STACK], shape, index, at, walked, 3));
    flags[0] |= raised & FLAG_INTERRUPTED;
    if (!k->underflow) raised &= ~(uint32_t)FLAG_UNDERFLOW;
    return !k->flags || !raised || (raised & FLAG_INTERRUPTED);
}
