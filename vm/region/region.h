// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A region: a loop of a program whose values are typed, as blocks of instructions in
// single-assignment form. Numbers go in and out through slots. Where something happens that the
// types do not cover (an index out of range, an integer that outgrows 64 bits, a float condition,
// an instruction that is not known here), the region is left: its values go back to the
// interpreter, which does that instruction.

#ifndef NACRE_VM_REGION_REGION_H
#define NACRE_VM_REGION_REGION_H

#include "lang/support/buf.h"
#include "vm/kernel/form.h"
#include "vm/region/parallel_loops.h"

enum { NO_VALUE = -1 };

typedef enum RegionOp {
    RG_PARAM,      // of a block: comes along with the jump
    RG_INPUT,      // the slot `number` as it was on entry; in whatever block it stands
    RG_NUMBER,     // `number`: the bits of a Scalar of type `type`
    RG_APPLY,      // the elementwise op `elementwise` of operands of type `from`; `dim`: its float
                   // conditions need not be those that it should have, only be looked at
    RG_CAST,       // from `from` to `type`
    RG_CHECKED,    // ADD, SUBTRACT or MULTIPLY of integers; leaves where the result does not fit,
                   // or does what CheckLater says in `dim`. `number`: of Python's ints, so that
                   // where it does not fit in between does not matter
    RG_SHIFT_LEFT, // of int64; leaves where bits get lost
    RG_ROUND_DOWN, // FLOOR_DIVIDE or REMAINDER of int64; leaves unless the divisor is above 0, or
                   // as DivideHow in `dim` says
    RG_POWER,      // of float64, as the C library has it; leaves unless it is finite, if at all
    RG_LIBRARY,    // function `elementwise` of region_functions, of a float64; leaves unless it is
                   // finite; with `dim`: only if that is not the operand's doing
    RG_FUNCTION,   // the elementwise op, by RegionCalls.function
    RG_INDEX,    // args[0] in dimension `dim` of an array, counted from its begin; leaves if out of
                 // range
    RG_LOAD,     // the element of `array` at the indexes args
    RG_STORE,    // args[3] becomes that element
    RG_ADDRESS,  // of the first element of `array`, as int64
    RG_EXTENT,   // of dimension `dim` of an array
    RG_STRIDE,   // along it, in bytes
    RG_SAFE,     // an address that can be read, as int64
    RG_LOAD_AT,  // the element at address args[0]
    RG_STORE_AT, // args[3] becomes the element at address args[0]
    RG_NEST,     // computes the elements of nest `number`. True: they are where they belong, false:
                 // they are in the scratch
    RG_ROOM,     // the scratch holds args[0] elements of `number` bytes each; leaves if there is no
                 // memory
    RG_SPREAD,   // brings the elements of nest `number` there from the scratch, unless args[0]
    RG_MAKE,     // the address of array `number` of those made, of `dim` extents args; leaves if
                 // there is no memory
    RG_VECTOR,   // the elementwise op, by RegionCalls.function: of args[3] elements at args[0] and
                 // args[1], to args[2]
    RG_REDUCE,   // args[1] elements at args[0], in rows of args[2], by reduction `elementwise`
    RG_REDUCE_ROWS, // of args[2] rows of args[1] elements, side by side from args[0] on, each
                    // to an element from args[3] on
    RG_PRODUCT, // of two matrices; links: where it belongs, rows, inner, columns, then address and
                // strides of each
    RG_TAKE, // elements by number, an integer of type `from`; links: where they belong, how many,
             // address, extent and stride of what they are taken from, address and stride of the
             // numbers. Leaves if one is out of range
    RG_DOT,  // product of two vectors; links: address, bytes apart, the same of the other, count
    RG_LEAVE_IF, // condition args[0]
    RG_QUIET, // leaves where float conditions came up in the values args, the last nest (if `dim`),
              // or before
    RG_POLL, // leaves if somebody wants the interpreter's attention; `dim`: the program says that the
             // loop's rounds may be made in any order
    // Of loops that have been looked through (vm/region/version.c):
    RG_BACKWARD, // what makes indexes of at most args[0] count from the begin of dimension `dim` of
                 // an array: its extent, or 0
    RG_FITS,     // whether ADD, SUBTRACT or MULTIPLY of two int64 is one
    RG_STOPPED,  // whether somebody wants the interpreter's attention
    RG_RAISED,   // whether float conditions came up in the values links, or before
    RG_SPOILT,   // whether something came up since RG_UNSPOILT that was to be looked at later
    RG_AGAIN,    // args[0], as a value that nothing has been computed from so far
    RG_TOLD,     // the values args are computed, whoever uses them
    RG_CALM,     // forgets float conditions
    RG_UNSPOILT, // nothing has come up; the int64 values links are to be small
    RG_COUNT,    // args[0] rounds have been made
    RG_KEEP,     // args: address, bytes apart, count: elements are kept in place `number`
    RG_PUT_BACK, // and written where they were; the same args
    // Of loops that run in parallel (vm/region/parallel_make.c):
    RG_PARALLEL, // how many of its rounds parallel loop `number` has made; links: the parameters of
                 // its head in front of them, then RegionParallel's links
    RG_AFTER,    // what parameter `number` is behind the rounds of RG_PARALLEL, args[0]
    RG_JUMP,
    RG_BRANCH, // by condition args[0]: to edges[0] if it holds
    // Ends the head of a loop: args[0], its first parameter, counts its rounds up to args[1], after
    // which it goes along edges[1]. The loop is the blocks from edges[0] on, the next one, up to
    // `number`; what they jump back with as the first parameter is not looked at.
    RG_ROUNDS,
    RG_LEAVE,
} RegionOp;

// What becomes of an ADD or SUBTRACT in RG_CHECKED that need not fit at once.
typedef enum CheckLater {
    CHECK_NOW,
    CHECK_LATER, // RG_SPOILT says whether it did
    // RG_SPOILT says whether args[1] has ever been too large for a sum of as many of them, and of
    // one of RG_UNSPOILT's, to fit for sure: there may be LATER_ROUNDS of them.
    CHECK_SMALL,
} CheckLater;
enum { LATER_BITS = 50, LATER_ROUNDS = 1 << 12 };

// How RG_ROUND_DOWN divides.
typedef enum DivideHow {
    DIVIDE_POSITIVE, // by what is above 0
    DIVIDE_EXACT,    // leaves where there is no result in 64 bits
    DIVIDE_WRAPPING, // by 0 is 0, and what does not fit wraps
} DivideHow;

// Where a jump goes, and what the block's parameters become there.
typedef struct RegionEdge {
    int32_t block, first, count; // values: in Region.links
} RegionEdge;

typedef struct RegionInstr {
    uint8_t op, elementwise, from, type; // RegionOp, OpId, DType
    uint8_t array, dim;
    uint16_t scope; // the function that it comes from, as RegionNotes has them
    int32_t exit;   // where it leaves to; NO_VALUE: it never does
    bool to_block;  // that is a block, which has no parameters
    int32_t args[4];
    uint32_t line;
    uint64_t number;
    union {
        RegionEdge edges[2];
        struct {
            int32_t first, count; // in Region.links
        } links;
    };
} RegionInstr;

typedef struct RegionBlock {
    int32_t first, end; // instructions; the last one jumps or leaves
    uint32_t pc;        // of the program
} RegionBlock;

// Elementwise operations on arrays of one shape: a kernel's body, for each row along the last
// dimension. Values are numbers of instructions; strides are in bytes, NO_VALUE where there is none
// along a dimension, which then has the same elements again.
typedef struct RegionNest {
    Form form; // of one result
    int32_t ndim;
    int32_t extents[REGION_DIMS];
    int32_t addresses[KERN_LOADS], strides[KERN_LOADS][REGION_DIMS], params[KERN_PARAMS];
    int32_t into, into_strides[REGION_DIMS]; // where the results belong
    bool into_dense;
    bool direct;       // the results can be put there at once, but where they meet
    uint32_t may_meet; // one of these loads
} RegionNest;
enum { SCRATCH_ELEMENTS = 1 << 16 }; // at most, of a nest
// Of elements that are put back where rounds have to be made again.
enum { KEPT_PLACES = 8, KEPT_ELEMENTS = 1024 };

// An array that elements are read from or written to. Its address is in slot `slot`, then follow
// its extents, then its strides in bytes.
typedef struct RegionArray {
    uint8_t dtype, ndim;
    bool dense; // elements of the last dimension are contiguous
    bool readonly; // what stores to it is left to the interpreter
    bool written;
    int32_t slot;
} RegionArray;

// Why code that nobody stands behind is left (vm/jit/ahead.h): its exits hand over what the
// message names, values in this order.
typedef enum RegionWhy {
    LEFT_NONE,
    LEFT_RETURN,   // the results, of each its parts
    LEFT_RAISE,    // of exception `detail` of Ahead.raised
    LEFT_INDEX,    // index, extent; `detail` is the axis
    LEFT_TAKEN,    // extent; one of many indexes
    LEFT_SHAPES,   // extents of one, then of the other; shapes_detail in `detail`
    LEFT_OVERFLOW, // of an int
    LEFT_BOUNDS,   // an int that is none of DType `detail`
    LEFT_EXACT,    // an int that is no float64
    LEFT_DIVISION, // by zero, as DivisionKind in `detail` says
    LEFT_SHIFT,    // the count
    LEFT_STEP,     // of a range, that is not above 0
    LEFT_LIBRARY,  // operand, result of a function of math
    LEFT_POWER,    // operands
    LEFT_INT,      // of a float
    LEFT_EMPTY,    // a reduction; `detail` is the op
    LEFT_NEGATIVE, // an extent
    LEFT_MEMORY,
} RegionWhy;
typedef enum ShapesKind { SHAPES_BROADCAST, SHAPES_MATMUL, SHAPES_DOT, SHAPES_ASSIGN } ShapesKind;
static inline int shapes_detail(ShapesKind kind, int a_ndim, int b_ndim) {
    return (int)kind | a_ndim << 2 | b_ndim << 5;
}
typedef enum DivisionKind {
    DIVISION_TRUE,
    DIVISION_FLOAT,
    DIVISION_FLOOR,
    DIVISION_MODULO
} DivisionKind;

// What is handed over on leaving: values go into slots from 0 on.
typedef struct RegionExit {
    uint32_t pc;
    int32_t first, count; // in Region.links
    int32_t like;         // its variables have the types of those at this exit
    uint8_t why, detail;  // RegionWhy
    uint16_t scope;       // with why: the function that it is left in, and the line
    uint32_t line;
    bool unknown; // there is an instruction that the region has no words for, at
    uint32_t why_pc;
} RegionExit;

typedef struct Region {
    RegionInstr *code;
    RegionBlock *blocks;
    RegionExit *exits;
    int32_t *links;
    RegionNest *nests;
    RegionParallel *parallels;
    RegionArray arrays[REGION_ARRAYS];
    int32_t code_count, block_count, exit_count, link_count, nest_count, array_count;
    int32_t parallel_count;
    int32_t slot_count; // as many as entry or any exit wants
    bool alone;         // there is no interpreter: nobody wants its attention
} Region;

// Where a region's instructions stand in the program. People who look at source text get the lines with
// it: `text` appends one, without its end. Debuggers and profilers want the `file`'s name, which stays the program's.
typedef struct RegionNotes {
    void *context;
    void (*text)(void *context, uint16_t scope, uint32_t line, Buf *out);
    const char *(*file)(void *context, uint16_t scope);
} RegionNotes;

// What code calls: of the backend (`result` is an element of the type; `quiet`: no float conditions
// are left behind), and of whoever runs it.
typedef struct RegionCalls {
    void *context;
    int threads;       // that there are, with the caller's
    bool reproducible; // to the last bit, for any number of them
    // Runs all parts of a job, in any order, by threads numbered from 0, the caller's.
    void (*share)(void *context, RegionPartFn run, void *job, int parts);
    void (*dot)(void *context, int type, const char *a, int64_t a_stride, const char *b,
                int64_t b_stride, int64_t count, char *result, int quiet);
    // An elementwise op that is computed in vectors, of `count` elements of a float type.
    void (*function)(void *context, int op, int type, const void *a, const void *b, void *result,
                     int64_t count);
    // Into a matrix in C order; strides: along rows and columns.
    void (*product)(void *context, int type, char *to, const int64_t shape[3], const char *a,
                    const int64_t a_strides[2], const char *b, const int64_t b_strides[2],
                    int quiet);
    // Elements side by side, by the row of a reduction whose elements may meet in any order.
    // They came in rows of `row`, which decides in what trees floats are summed.
    void (*reduce)(void *context, int op, int type, const char *at, int64_t count, int64_t row, char *result);
    void *runner;
    // An array in C order with undefined elements, in the place of the one with that number, which
    // nobody needs any more. NULL: there is no memory.
    char *(*make)(void *runner, int number, int type, int ndim, const int64_t *extents);
    // As many rounds of parallel loop `number` as can be made, in threads; how many. `state` has
    // the parameters of its head, before and after, `values` RegionParallel's links.
    int64_t (*parallel)(void *runner, int number, RegionRoundsFn rounds, RegionSlot *state,
                        const int64_t *values, int64_t *went);
    char *scratch; // for SCRATCH_ELEMENTS, or as much as RG_ROOM has asked for
    bool (*room)(void *runner, int64_t bytes); // of the scratch; false: there is no memory
    // Of vectors of fewer bytes `dot` adds the products one by one, in order, from 0 on.
    int64_t few_bytes;
} RegionCalls;

// Functions of module math, by the C library's names.
#define NACRE_REGION_FUNCTIONS(F) \
    F(sqrt)                       \
    F(exp) F(log) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(fabs)

// Runs from the region's entry (block 0) until it is left; the number of the exit. `stop` is looked
// at in every round of a loop, or every so many: 0 asks it to leave. *rounds receives how often loops went round.
typedef int32_t (*RegionFn)(RegionSlot *slots, const volatile size_t *stop, int64_t *rounds,
                            const RegionCalls *calls);

#endif
