// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders kernels for devices that run one work item per element, or one per lane of a reducing
// group. Such devices have no float flags, so flags are derived from operands and results.

#ifndef NACRE_BACKENDS_EMIT_EMIT_GRID_H
#define NACRE_BACKENDS_EMIT_EMIT_GRID_H

#include "backends/emit/emit.h"

struct GridTold;

// A device language's spelling of its concepts.
typedef struct GridWords {
    const char *kernel;           // qualifier of a kernel function
    const char *bound;            // qualifier of a kernel whose groups have at most 256 work items: of a loop
    const char *global, *local;   // address spaces: device memory, group memory
    const char *item[2];          // index of the work item along the last dimension; number of its
                                  // row
    const char *lane, *group;     // lane within the group; number of the group
    const char *side;             // number of a reducing group among those that share a block
    const char *width;            // work items of the group along the last dimension
    int each;                     // elements of a long row that a work item computes
    int rows;                     // rows of a stencil of which a work item computes elements
    const char *barrier;          // barrier between lanes
    const char *atomics;          // defines ATOMIC_ADD, ATOMIC_MAX, ATOMIC_OR of uint32_t in device memory
    int lanes;                    // lanes of a reducing group
    int few, beside;              // lanes of a group for a short row (1: a single work item); such groups in a block
    int threads;                  // number of work items that a reduction is cut into, if it is large enough
    void (*flags)(const struct GridTold *told, Buf *out); // emit_flags
    const char *overloaded;       // qualifier of functions that share a name
    const char *complex;          // defines complex numbers, for texts that use them (emit_numbers.h)
    const char *over;             // defines nc_over(x, y, r), x / y computed from r = 1 / y; NULL: division is fast
} GridWords;

enum { GRID_DIMS = NDIM_MAX, GRID_ACCESSES = KERN_LOADS + KERN_STORES };

// Type of a half's accumulator: a half, rounded at every step; or a float, rounded once at the end.
typedef enum GridSum { SUM_PLAIN, SUM_WIDE } GridSum;

// Signature of a device kernel: everything that determines its text. No uninitialised padding, so
// it is compared by bytes.
typedef struct Grid {
    AxisSet reduced; // reduced dimensions, in the order of grid_dims()
    Form form;       // signature of the body
    uint8_t ndim, store_count, reduction_count, lanes;
    uint8_t serial; // one work item per result combines the elements in the order of the axis
    uint8_t store_types[KERN_STORES], store_motions[KERN_STORES];
    int8_t store_values[KERN_STORES];
    uint8_t ops[KERN_STORES], op_sites[KERN_STORES], begun[KERN_STORES], has_first[KERN_STORES];
    uint8_t op_tells[KERN_STORES], sums[KERN_STORES]; // sums: GridSum
    uint8_t sites[KERN_CODE], tells[KERN_CODE];
    uint8_t tells_any;
    uint8_t each;   // elements of a work item, `width` apart; not of reductions
    uint8_t narrow; // numbers of rows, results and elements fit into 32 bits
    // Of a stencil: consecutive rows that a work item computes; otherwise 0. Each load reads the same array as its
    // leader, an earlier load or itself, but `shifts` rows further on.
    uint8_t rows;
    uint8_t beside; // reducing groups that share a block
    uint8_t inverses[2]; // bit set of the parameters that are divisors, whose reciprocals are among the numbers
    int8_t leaders[KERN_LOADS], shifts[KERN_LOADS];
} Grid;
_Static_assert(sizeof(Grid) % sizeof(uint64_t) == 0, "its bytes are compared");

// Returns the kernel's dimensions in the order of its text: reduced ones last, so that sums along different axes have
// the same text. With computed loads the order stays.
void grid_dims(const Kernel *kernel, uint8_t dims[NDIM_MAX]);

// Computes the signature. False: the kernel is not supported.
bool grid_of(const Dialect *dialect, const Kernel *kernel, Grid *grid);

// Arguments: memory of each load and store; partial results, one per reduction; the flags, a uint32
// per site; then numbers of 8 bytes: extents, offsets of accesses, their strides (by access, then
// dimension), parameters, reciprocals of those in `inverses`, and initial values of reductions. A half is passed as a
// double, a complex number as two doubles. Then come GRID_CUT numbers, which reductions use: results, elements along
// reduced dimensions, elements per part, parts, and whether parts are joined.
//
// The function GRID_NAME computes the kernel. Work items beyond the extents do nothing, so more may be launched. In a
// reduction each group of `lanes` computes one part of a result; if parts are not joined, it is the result. Otherwise
// the function GRID_JOIN combines the parts of each result, by as many lanes.
enum { GRID_CUT = 5 };
#define GRID_NAME "nacre_code"
#define GRID_JOIN "nacre_join"
int grid_numbers(const Grid *grid); // returns the count of these numbers
static inline bool grid_has_inverse(const Grid *grid, int param) {
    return grid->inverses[param / 8] >> param % 8 & 1;
}
// Bytes of a partial result: a half's is a float.
static inline size_t grid_part_size(DType type) {
    return type == DT_FLOAT16 ? sizeof(float) : dtype_size(type);
}

// An operation whose float flags and errors are reported. emit_flags() appends statements that derive the flags from
// operands and result, and raise them at the operation's site; or nothing if the operation has no flags.
typedef struct GridTold {
    OpId op;
    DType from, type; // of the operands, and of the result
    const char *result, *operands[2];
    int site;
} GridTold;
void emit_flags(const GridTold *told, Buf *out);
bool emit_has_flags(OpId op, DType from, DType type); // whether emit_flags() appends anything

void emit_grid(const Dialect *dialect, const Grid *grid, Buf *out);

// emit_items.c: a parallel loop of a region as a kernel with a work item for each iteration, or pair of iterations
// (vm/region/items.h). Arguments: the memory of each array that is read or written; the memory of the results; then the
// numbers. The text has a second function, GRID_COPY, which copies as many 4-byte words as its number says from its
// first memory to its second. False: the loop has instructions that cannot be rendered for the dialect.
#define GRID_COPY "nacre_copy"
bool emit_items(const Dialect *dialect, const Region *region, int number, Buf *out);

#endif
