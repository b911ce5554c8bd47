// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A region: a loop of the program with typed values, as basic blocks in SSA form. Numbers enter and
// leave through slots. A case that the types do not cover leaves the region (deoptimisation): an
// index out of range, integer overflow, a float flag, or an instruction that regions do not
// support. The values then return to the interpreter, which executes that instruction.

#ifndef NACRE_VM_REGION_REGION_H
#define NACRE_VM_REGION_REGION_H

#include "lang/support/buf.h"
#include "vm/kernel/form.h"
#include "vm/region/parallel_loops.h"

enum { NO_VALUE = -1 };

typedef enum RegionOp {
    RG_PARAM,      // block parameter: passed by each jump to the block
    RG_INPUT,      // value of slot `number` on entry; may stand in any block
    RG_NUMBER,     // constant; `number`: the bits of a Scalar of type `type`
    RG_APPLY,      // elementwise op `elementwise` with operands of type `from`. `dim`: its float
                   // flags are only checked, so they may differ from the exact ones
    RG_CAST,       // converts `from` to `type`
    RG_CHECKED,    // ADD, SUBTRACT or MULTIPLY of integers; leaves on overflow, or does as
                   // CheckLater in `dim` says. `number`: 1 for Python ints, where a fold in another
                   // order may ignore overflow of an intermediate
    RG_SHIFT_LEFT, // left shift of int64; leaves if bits are lost
    RG_ROUND_DOWN, // FLOOR_DIVIDE or REMAINDER of int64; leaves unless the divisor is positive, or
                   // does as DivideHow in `dim` says
    RG_POWER,      // power of float64, by the C library; if it has an exit, leaves unless the result
                   // is finite
    RG_LIBRARY,    // function `elementwise` of NACRE_REGION_FUNCTIONS, of float64; leaves if the
                   // result is not finite. `dim`: only if the operand was finite
    RG_FUNCTION,   // elementwise op by calling RegionCalls.function
    RG_INDEX,    // converts args[0] to an index from the start of dimension `dim`; leaves if out of
                 // range
    RG_LOAD,     // loads the element of `array` at indexes args
    RG_STORE,    // stores args[3] to the element of `array` at indexes args[0] … args[2]
    RG_ADDRESS,  // address of the first element of `array`, as int64
    RG_EXTENT,   // extent of dimension `dim` of an array
    RG_STRIDE,   // stride of dimension `dim` of an array, in bytes
    RG_SAFE,     // some readable address, as int64
    RG_LOAD_AT,  // loads the element at address args[0]
    RG_STORE_AT, // stores args[3] at address args[0]
    RG_NEST,     // computes nest `number`. True: stored to the destination; false: stored to the
                 // scratch buffer
    RG_ROOM,     // reserves scratch for args[0] elements of `number` bytes each; leaves if out of
                 // memory
    RG_SPREAD,   // unless args[0], copies the results of nest `number` from the scratch buffer to
                 // the destination
    RG_MAKE,     // allocates array `number` with `dim` extents args, returns its address; leaves if
                 // out of memory
    RG_VECTOR,   // elementwise op by RegionCalls.function on args[3] elements: inputs at args[0]
                 // and args[1], output at args[2]
    RG_REDUCE,   // reduces args[1] elements at args[0], in rows of args[2], by reduction
                 // `elementwise`
    RG_REDUCE_ROWS, // reduces args[2] contiguous rows of args[1] elements at args[0]; one result
                    // per row, from args[3] on
    RG_PRODUCT, // matrix product; links: destination, rows, inner, columns, then address and
                // strides of each factor
    RG_TAKE, // gathers elements by indices of type `from`; links: destination, count, the source's
             // address, extent and stride, the indices' address and stride. Leaves if an index is
             // out of range
    RG_DOT,  // dot product of two vectors; links: address and stride of each, count
    RG_LEAVE_IF, // leaves if args[0]
    RG_QUIET, // leaves if float flags are raised by the values args, by the last nest (if `dim`),
              // or earlier
    RG_POLL, // leaves if an interrupt is pending (*stop is 0). `dim`: the program declares the
             // loop's iterations independent
    // Only in loops that have been versioned (vm/region/version.c):
    RG_BACKWARD, // offset that makes indexes, at most args[0], count from the start of dimension
                 // `dim`: its extent, or 0
    RG_FITS,     // whether ADD, SUBTRACT or MULTIPLY of two int64 fits into int64
    RG_STOPPED,  // whether an interrupt is pending (*stop is 0)
    RG_RAISED,   // whether float flags are raised by computing the values links, or earlier
    RG_SPOILT,   // whether a deferred check has failed since RG_UNSPOILT
    RG_AGAIN,    // opaque copy of args[0]: the C compiler must not merge computations through it
    RG_TOLD,     // forces the values args to be computed, so that they raise their flags
    RG_CALM,     // clears the float flags
    RG_UNSPOILT, // resets the deferred checks; the int64 values links must stay small
    RG_COUNT,    // adds args[0] to the count of iterations
    RG_KEEP,     // saves elements for rollback, in place `number`; args: address, stride in bytes,
                 // count
    RG_PUT_BACK, // restores the elements of place `number`; args as of RG_KEEP
    // Only in parallel loops (vm/region/parallel_make.c):
    RG_PARALLEL, // runs iterations of parallel loop `number` in threads and returns how many;
                 // links: the initial parameters of its head, then RegionParallel's links
    RG_AFTER,    // the head's parameter `number` after RG_PARALLEL args[0]
    RG_JUMP,
    RG_BRANCH, // jumps to edges[0] if args[0] holds, otherwise to edges[1]
    // Ends the head of a counted loop: its first parameter, args[0], counts up to args[1], then
    // edges[1] is taken. The loop consists of the blocks from edges[0], the next one, up to
    // `number`; the first argument of their back edges is ignored.
    RG_ROUNDS,
    RG_LEAVE,
} RegionOp;

// Returns whether an instruction works on scalars and control flow only, and accesses no element of an array. Threads
// and a device's work items can run all of these.
static inline bool region_op_is_scalar(uint8_t op) {
    switch ((RegionOp)op) {
    case RG_PARAM:
    case RG_INPUT:
    case RG_NUMBER:
    case RG_APPLY:
    case RG_CAST:
    case RG_SHIFT_LEFT:
    case RG_ROUND_DOWN:
    case RG_POWER:
    case RG_LIBRARY:
    case RG_FUNCTION:
    case RG_INDEX:
    case RG_EXTENT:
    case RG_LEAVE_IF:
    case RG_POLL:
    case RG_JUMP:
    case RG_BRANCH: return true;
    default: return false;
    }
}

// How an ADD or SUBTRACT in RG_CHECKED defers its overflow check.
typedef enum CheckLater {
    CHECK_NOW,
    CHECK_LATER, // RG_SPOILT reports an overflow
    // The sum is not checked, only args[1]: if that stays small, LATER_ROUNDS additions to a small start
    // value (RG_UNSPOILT) cannot overflow. RG_SPOILT reports that it was too large.
    CHECK_SMALL,
} CheckLater;
enum { LATER_BITS = 50, LATER_ROUNDS = 1 << 12 };

// How RG_ROUND_DOWN divides.
typedef enum DivideHow {
    DIVIDE_POSITIVE, // the divisor is known to be positive
    DIVIDE_EXACT,    // leaves if the result does not fit into 64 bits
    DIVIDE_WRAPPING, // division by 0 gives 0, overflow wraps
} DivideHow;

// A jump's target, and the arguments for its block's parameters.
typedef struct RegionEdge {
    int32_t block, first, count; // values: in Region.links
} RegionEdge;

typedef struct RegionInstr {
    uint8_t op, elementwise, from, type; // a RegionOp, an OpId, two DTypes
    uint8_t array, dim;
    uint16_t scope; // number of the function that it belongs to, as in RegionNotes
    int32_t exit;   // exit that it leaves by; NO_VALUE: it never leaves
    bool to_block;  // `exit` is a block, which has no parameters
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
    int32_t first, end; // range of instructions; the last one jumps or leaves
    uint32_t pc;        // position in the program's bytecode
} RegionBlock;

// A nest: elementwise operations on arrays of one shape, run as a kernel body for each row of the
// last dimension. Operands are numbers of instructions. Strides are in bytes; NO_VALUE broadcasts
// along a dimension.
typedef struct RegionNest {
    Form form; // signature of the body, with one result
    int32_t ndim;
    int32_t extents[REGION_DIMS];
    int32_t addresses[KERN_LOADS], strides[KERN_LOADS][REGION_DIMS], params[KERN_PARAMS];
    int32_t into, into_strides[REGION_DIMS]; // destination
    bool into_dense;
    bool direct;       // results can be stored directly unless operands alias the destination
    uint32_t may_meet; // which loads may alias the destination
} RegionNest;
enum { SCRATCH_ELEMENTS = 1 << 16 }; // maximum for a nest
// Limits of the elements saved for rollback.
enum { KEPT_PLACES = 8, KEPT_ELEMENTS = 1024 };

// An array whose elements are read or written. Slot `slot` holds its address, followed by its
// extents and its strides in bytes.
typedef struct RegionArray {
    uint8_t dtype, ndim;
    bool dense; // elements of the last dimension are contiguous
    bool readonly; // stores to it are left to the interpreter
    bool written;
    int32_t slot;
} RegionArray;

// Why code compiled ahead of time (vm/jit/ahead.h) is left. Exits pass the values that the message
// names, in the order given here.
typedef enum RegionWhy {
    LEFT_NONE,
    LEFT_RETURN,   // the components of the results
    LEFT_RAISE,    // exception `detail` of AheadCode.raised
    LEFT_INDEX,    // index, extent; `detail` is the axis
    LEFT_TAKEN,    // extent; one of many indices is out of range
    LEFT_SHAPES,   // extents of one shape, then of the other; `detail` is a shapes_detail
    LEFT_OVERFLOW, // integer overflow
    LEFT_BOUNDS,   // an int outside the range of DType `detail`
    LEFT_EXACT,    // an int that float64 cannot represent
    LEFT_DIVISION, // division by zero; `detail` is a DivisionKind
    LEFT_SHIFT,    // shift count
    LEFT_STEP,     // step of a range, not positive
    LEFT_LIBRARY,  // operand and result of a math function
    LEFT_POWER,    // operands of a power
    LEFT_INT,      // a float with no int64 value
    LEFT_EMPTY,    // reduction `detail` of an empty array
    LEFT_NEGATIVE, // negative extent
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

// State passed on leaving: values go into slots from 0 on.
typedef struct RegionExit {
    uint32_t pc;
    int32_t first, count; // in Region.links
    int32_t like;         // an exit with the same variables and types
    uint8_t why, detail;  // RegionWhy
    uint16_t scope;       // function of `line`, which `why` refers to
    uint32_t line;
    bool unknown; // the region has no instruction for what the program does at `pc`
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
    int32_t slot_count; // maximum over entry and exits
    int16_t plain[REGION_BLOCKS]; // head of the original loop, for the gate of its fast copy; 0: any other block
    bool alone;         // runs without an interpreter, so it never polls
} Region;

// Maps a region's instructions to source. `text` appends one source line, without its newline, for
// people who read generated code. `file` names the program's own file for debuggers and profilers.
typedef struct RegionNotes {
    void *context;
    void (*text)(void *context, uint16_t scope, uint32_t line, Buf *out);
    const char *(*file)(void *context, uint16_t scope);
} RegionNotes;

// Functions that compiled code calls. Those with `context` are set by the backend, those with `runner`
// by the code that runs the region. `result` is an element of the type; `quiet`: leave no float flags
// raised.
typedef struct RegionCalls {
    void *context;
    int threads;       // number of threads, including the caller's
    bool reproducible; // bit-identical for any number of threads
    // Runs all parts of a job, in any order, on threads numbered from 0, the caller's.
    void (*share)(void *context, RegionPartFn run, void *job, int parts);
    void (*dot)(void *context, int type, const char *a, int64_t a_stride, const char *b,
                int64_t b_stride, int64_t count, char *result, int quiet);
    // A vectorised elementwise op on `count` elements of a float type.
    void (*function)(void *context, int op, int type, const void *a, const void *b, void *result,
                     int64_t count);
    // Product into a matrix in C order; strides: of rows and columns.
    void (*product)(void *context, int type, char *to, const int64_t shape[3], const char *a,
                    const int64_t a_strides[2], const char *b, const int64_t b_strides[2],
                    int quiet);
    // Reduces contiguous elements, in any order. `row` is the length of the rows that they came in,
    // which determines the summation tree.
    void (*reduce)(void *context, int op, int type, const char *at, int64_t count, int64_t row, char *result);
    void *runner;
    // Allocates an uninitialised array in C order, which replaces the one with that number. NULL:
    // out of memory.
    char *(*make)(void *runner, int number, int type, int ndim, const int64_t *extents);
    // Runs as many iterations of parallel loop `number` as possible in threads; returns how many.
    // `state`: the parameters of its head, which are updated. `values`: the values of its links.
    int64_t (*parallel)(void *runner, int number, RegionRoundsFn rounds, RegionSlot *state,
                        const int64_t *values, int64_t *went);
    char *scratch; // SCRATCH_ELEMENTS, or what RG_ROOM reserved
    bool (*room)(void *runner, int64_t bytes); // grows the scratch buffer; false: out of memory
    // For vectors with fewer bytes, `dot` adds the products sequentially, starting from 0.
    int64_t few_bytes;
} RegionCalls;

// Functions of module math, by the C library's names.
#define NACRE_REGION_FUNCTIONS(F) \
    F(sqrt)                       \
    F(exp) F(log) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) F(tanh) F(fabs)

// Runs from the entry (block 0) to an exit, whose number it returns. It polls `stop` every few
// iterations and leaves when *stop is 0. *rounds receives the iterations run.
typedef int32_t (*RegionFn)(RegionSlot *slots, const volatile size_t *stop, int64_t *rounds,
                            const RegionCalls *calls);

#endif
