// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Builds a region from a loop's bytecode and the values of its variables on entry. Blocks are made
// once per set of types, so a variable may be an int in the first iteration and a NumPy scalar
// later.

#ifndef NACRE_VM_JIT_INFER_H
#define NACRE_VM_JIT_INFER_H

#include "vm/array/array.h"
#include "vm/interp/interp.h"
#include "vm/region/builder.h"
#include "vm/region/items.h"
#include "vm/sched/loop_parts.h"

// Kind of a variable: a frame's register, or a global that the loop names.
typedef enum VarKind {
    VAR_UNDEF, // undefined, or dead
    VAR_NONE,
    VAR_BOOL,
    VAR_INT,
    VAR_FLOAT,
    VAR_SCALAR, // a NumPy scalar of type `dtype`
    VAR_ITER,   // range iterator: next value, step, remaining count; `which` is 1 if it entered the
                // loop with step 1
    VAR_WALK,   // iterator over array `dtype`, held by variable `which`: number of items taken
    VAR_GRID,   // iterator over the points of ranges, held by variable `which`; `dtype` is a
                // grid_code. For each range: next value, step, remaining count; then for each but
                // the first: start, length
    VAR_CONST,  // an object: constant `which` of Variant.constants
    VAR_ARRAY,  // array `which` of the region's
    VAR_OBJECT, // what variable `which` held on entry
    VAR_MADE,   // a whole array made by the region; components as VAR_VIEW
    VAR_VIEW,   // view of an array: address, extents, strides; `which` is a view_code
    VAR_EACH,   // iterator over a VAR_VIEW: number of items taken, then as VAR_VIEW
    // Only within a statement, never stored back to variables:
    VAR_SLICE,  // slice of ints: start, stop (NO_VALUE: None) and step, known; `which` is 1 for
                // [::-1]
    VAR_SHAPE,  // shape of an array: `which` extents
    VAR_BODY,   // deferred elementwise operations: number `which` of Infer.bodies
    VAR_TUPLE,  // tuple `which` of Infer.tuples
    VAR_METHOD, // method, named by constant `which`, of the array in the next register
} VarKind;

typedef struct VarType {
    uint8_t kind, dtype;
    uint16_t which;
} VarType;

// Properties of a view: owner, number of dimensions (at most REGION_DIMS), and whether the last
// dimension is contiguous. Owners are the region's arrays, followed by those it makes.
typedef struct ViewCode {
    uint16_t owner;
    uint8_t ndim;
    bool dense;
} ViewCode;
enum { MADE_ARRAYS = 16, FIRST_MADE = REGION_ARRAYS };
static inline uint16_t view_code(ViewCode view) {
    return (uint16_t)(view.owner << 4 | view.ndim << 1 | view.dense);
}
static inline ViewCode view_of_code(uint16_t code) {
    return (ViewCode){(uint16_t)(code >> 4), code >> 1 & 7, code & 1};
}

// The state of a VAR_GRID.
// rank: number of ranges.
// level: the range that the head iterates over; inner ranges are at their start.
// plain: all steps are 1.
// first: the first row is running. It is peeled, since variables may change types in it.
// fresh: that row has yielded no point yet. It has at least one, so the head need not test for it.
typedef struct GridCode {
    uint8_t rank, level;
    bool plain, first, fresh;
} GridCode;
enum { GRID_RANGES = 3 };
static inline uint8_t grid_code(GridCode grid) {
    return (uint8_t)(grid.rank | grid.level << 2 | grid.plain << 4 | grid.first << 5 |
                     grid.fresh << 6);
}
static inline GridCode grid_of_code(uint8_t code) {
    return (GridCode){code & 3, code >> 2 & 3, code >> 4 & 1, code >> 5 & 1, code >> 6 & 1};
}

// The origin of a value that code depends on or takes on entry, other than the loop's variables. The
// region never writes it.
typedef enum SourceKind {
    SOURCE_SLOT,     // slot `at` of a module's globals
    SOURCE_CELL,     // cell of a called function
    SOURCE_FREE,     // free variable `at` of the frame's function
    SOURCE_CAPTURED, // cell in register `at`
} SourceKind;
typedef struct Source {
    uint8_t kind;
    VarType type;
    uint32_t at;
    int32_t slot; // first slot in the region, if it has components
    Obj *holder;  // module or cell; owned
    Value known;  // unless V_UNDEF: the code is only valid for this very value; owned
} Source;

// A function whose call is in progress at an exit, or the loop's own frame (scope 0). Its registers
// are variables from `base` on.
typedef struct Scope {
    Func *func;       // NULL: the frame's function; otherwise a constant of the variant
    int32_t parent;   // calling scope
    uint32_t call_pc; // position of the call in the caller
    uint16_t dest;    // caller's register for the result
    uint32_t base;    // first variable
} Scope;

// A variable's new value on leaving.
typedef struct ExitVar {
    uint32_t var;
    VarType type;
} ExitVar;
typedef struct Exit {
    int32_t scope; // innermost scope
    int32_t first, count;
    int32_t why_scope; // scope of why_pc
} Exit;

enum { CONSTANTS = 64, SOURCES = 64, SCOPES = 24, EXIT_ITERS = 8, EXIT_VIEWS = 8 };
enum { ARRAY_OF_SOURCE = 1 << 15 }; // in Variant.array_vars: marks the number of a source

struct Ahead; // ahead.h

// A compiled loop, specialised for types.
typedef struct Variant {
    Region region;
    RegionMaker maker;
    VarType *entry;     // type of each variable
    Exit *exits;        // parallel to the region's exits
    ExitVar *exit_vars; // variables that may have changed
    size_t exit_room, exit_var_room, exit_var_count;
    Value constants[CONSTANTS];
    Source sources[SOURCES];
    Scope scopes[SCOPES];
    uint16_t array_vars[REGION_ARRAYS]; // variable or source that holds each array
    int constant_count, source_count, scope_count;
    int32_t first_slot;          // first slot of the variables
    uint32_t frame_bytes;        // upper bound of frame memory that leaving needs
    int frame_count, view_count; // upper bound of frames and views that leaving needs
    void *code;                  // owned by the backend
    RegionFn run;                // NULL: not compiled yet
    bool failed;
    const char *refused; // or NULL: why it gets no code: whole-array work in `refused_line` is left to the interpreter
    uint32_t refused_line;
    uint64_t entered, left, rounds;
    const char *serial; // why its outermost loop, in line `serial_line`, does not run in parallel
    uint32_t serial_line;
    ParallelTally tallies[PARALLEL_LOOPS]; // statistics of its parallel loops
    bool for_items; // a device can run its loops (items.h)
    bool for_parts; // ranks can share its loops (parts.h)
    LoopBalance balance;
    const char *gathers; // why the next entry gathers its arrays although `for_parts`; NULL: it does not
    ItemsKey items[PARALLEL_LOOPS];
} Variant;

typedef struct LoopPlace {
    Code *code;
    Module *module;
    // Instruction indexes: the loop's head (FOR or LOOP), and its range, which ends after the last jump back.
    uint32_t head, begin,
        end;
    uint32_t reg_count, global_count;
    uint32_t *globals; // slots of globals that the loop names
    uint64_t *live;    // liveness: per instruction, the registers read before being written
    uint32_t live_words;
    uint64_t *targets; // set of jump targets
} LoopPlace;

static inline uint32_t place_vars(const LoopPlace *place) {
    return place->reg_count + place->global_count;
}

// place.c. Finds the loop with this head. False: not a loop, too large, without variables, or out of memory.
bool place_find(Vm *vm, Code *code, Module *module, uint32_t head, LoopPlace *place);
// Treats a whole function as the loop.
bool place_whole(Vm *vm, Code *code, Module *module, LoopPlace *place);
void place_free(Vm *vm, LoopPlace *place);
bool place_is_live(const LoopPlace *place, uint32_t pc, uint32_t var);
// Lists the heads of loops around an instruction, outermost first; returns how many (at most
// `most`).
int place_heads(Vm *vm, const Code *code, uint32_t pc, uint32_t *heads, int most);
Value place_value(const LoopPlace *place, const Value *regs, uint32_t var); // borrowed
Value source_value(const Source *source, const Frame *frame);               // borrowed

// infer.c. Makes a variant for the current values of the loop's variables. *out, which the caller owns, is
// NULL when out of memory; it has `failed` set if code would gain nothing or the region exceeds its limits.
// ST_ERROR (SystemError): the generated region is invalid.
Status variant_make(Vm *vm, const LoopPlace *place, const Frame *frame, Variant **out);
// The same for a whole function that is compiled ahead of time. *ahead (ahead.h) receives its result types
// and exceptions, or why it cannot be compiled.
Status variant_make_ahead(Vm *vm, const LoopPlace *place, const Frame *frame, struct Ahead *ahead,
                          Variant **out);
void variant_free(Vm *vm, const LoopPlace *place, Variant *variant);

// Maximum number of components of a variable.
enum { VAR_PARTS = 2 + 2 * REGION_DIMS };
_Static_assert(5 * GRID_RANGES - 2 <= VAR_PARTS, "a grid has room");
static inline int var_parts(VarType type) {
    if ((type.kind >= VAR_BOOL && type.kind <= VAR_SCALAR) || type.kind == VAR_WALK) return 1;
    if (type.kind == VAR_VIEW || type.kind == VAR_MADE)
        return 1 + 2 * view_of_code(type.which).ndim;
    if (type.kind == VAR_EACH) return 2 + 2 * view_of_code(type.which).ndim;
    if (type.kind == VAR_GRID) return 5 * grid_of_code(type.dtype).rank - 2;
    return type.kind == VAR_ITER ? 3 : 0;
}
static inline DType var_part_type(VarType type) {
    if (type.kind == VAR_BOOL) return DT_BOOL;
    if (type.kind == VAR_FLOAT) return DT_FLOAT64;
    return type.kind == VAR_SCALAR ? (DType)type.dtype : DT_INT64;
}

#endif
