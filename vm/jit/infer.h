// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// From a loop's bytecode, and the values that its variables have when it begins, to a region.
// Blocks are made once for each set of types they are reached with, so that a variable may be an
// int in the first round and a NumPy number afterwards.

#ifndef NACRE_VM_JIT_INFER_H
#define NACRE_VM_JIT_INFER_H

#include "vm/array/array.h"
#include "vm/interp/interp.h"
#include "vm/region/builder.h"
#include "vm/region/parallel_run.h"

// What is known of a variable: one of the frame's registers, or a global that the loop names.
typedef enum VarKind {
    VAR_UNDEF, // or nobody reads it any more
    VAR_NONE,
    VAR_BOOL,
    VAR_INT,
    VAR_FLOAT,
    VAR_SCALAR, // NumPy's, of `dtype`
    VAR_ITER,   // over a range: next value, step, how many are left; `which` is 1 if it came from
                // outside with a step of 1
    VAR_WALK,   // over array `dtype`, by the iterator in variable `which`: how many it has had
    VAR_GRID,   // over the points of ranges, by the iterator in variable `which`; `dtype` is a
    // grid_code. Of each range: next value, step, how many are left; then of each but the
    // first: start, length
    VAR_CONST,  // an object: number `which` of Variant.constants
    VAR_ARRAY,  // number `which` of the region's
    VAR_OBJECT, // what variable `which` held on entry
    VAR_MADE,   // an array that the region has made, as VAR_VIEW; all of it
    VAR_VIEW,   // of an array: address, extents, strides; `which` is a view_code
    VAR_EACH,   // an iterator over a VAR_VIEW: how many it has had, then as that
    // Only within a statement, and not put back into variables:
    VAR_SLICE,  // of ints: start, stop (NO_VALUE: None) and step, known; `which` is 1 for [::-1]
    VAR_SHAPE,  // of an array: extents; `which` of them
    VAR_BODY,   // number `which` of Infer.bodies: elementwise operations that have been put off
    VAR_TUPLE,  // number `which` of Infer.tuples
    VAR_METHOD, // constant `which` names a method of the array in the next register
} VarKind;

typedef struct VarType {
    uint8_t kind, dtype;
    uint16_t which;
} VarType;

// Of a view: whose it is, of how many dimensions (at most REGION_DIMS), and whether the elements of
// the last one lie side by side. Owners are the region's arrays, then those it makes.
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

// Of a VAR_GRID: how many ranges, at which of them it is (those behind are at their begin), whether
// all steps are 1, and whether it is in a first row that has code of its own, as names may get other
// types in it. `fresh`: of that row no point has been had, so that there is one.
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

// What the code relies on, besides the variables, or takes on entry: where it is, and of what type.
// Nothing in the region writes it.
typedef enum SourceKind {
    SOURCE_SLOT,     // `at` of a module
    SOURCE_CELL,     // a cell of a function that is called
    SOURCE_FREE,     // free variable `at` of the frame's function
    SOURCE_CAPTURED, // the cell in register `at`
} SourceKind;
typedef struct Source {
    uint8_t kind;
    VarType type;
    uint32_t at;
    int32_t slot; // of the region, where it has parts
    Obj *holder;  // the module or the cell; owned
    Value known;  // if not V_UNDEF: only this very value will do; owned
} Source;

// A function that is being called when an exit is taken, or the frame that the loop is in (number
// 0). Its registers are variables from `base` on.
typedef struct Scope {
    Func *func;       // NULL: the frame's; a constant of the variant otherwise
    int32_t parent;   // that called it, at
    uint32_t call_pc; // and wants the answer in register
    uint16_t dest;
    uint32_t base;
} Scope;

// What a variable is on leaving.
typedef struct ExitVar {
    uint32_t var;
    VarType type;
} ExitVar;
typedef struct Exit {
    int32_t scope; // the innermost
    int32_t first, count;
    int32_t why_scope; // that the exit's why_pc is in
} Exit;

enum { CONSTANTS = 64, SOURCES = 64, SCOPES = 24, EXIT_ITERS = 8, EXIT_VIEWS = 8 };
enum { ARRAY_OF_SOURCE = 1 << 15 }; // in Variant.array_vars: the number of a source

struct Ahead; // ahead.h

// A loop with types.
typedef struct Variant {
    Region region;
    RegionMaker maker;
    VarType *entry;     // of each variable
    Exit *exits;        // as the region's
    ExitVar *exit_vars; // those that change, or may have
    size_t exit_room, exit_var_room, exit_var_count;
    Value constants[CONSTANTS];
    Source sources[SOURCES];
    Scope scopes[SCOPES];
    uint16_t array_vars[REGION_ARRAYS]; // where they are found
    int constant_count, source_count, scope_count;
    int32_t first_slot;          // of the variables
    uint32_t frame_bytes;        // that leaving may want for frames, at most
    int frame_count, view_count; // frames and views that leaving may want, at most
    void *code;                  // the backend's
    RegionFn run;                // NULL: not there yet
    bool failed;
    const char *refused; // it gets no code on purpose: what of line `refused_line` is not for the host
    uint32_t refused_line;
    uint64_t entered, left, rounds;
    const char *serial; // why its outermost loop does not run in parallel, in line `serial_line`
    uint32_t serial_line;
    ParallelTally tallies[PARALLEL_LOOPS]; // of its parallel loops
} Variant;

typedef struct LoopPlace {
    Code *code;
    Module *module;
    uint32_t head, begin,
        end; // instructions: FOR or LOOP; the loop, which ends behind the last jump back
    uint32_t reg_count, global_count;
    uint32_t *globals; // slots of the module that the loop names
    uint64_t *live;    // which registers are read before they are written, from each instruction on
    uint32_t live_words;
    uint64_t *targets; // the set of instructions that jumps lead to
} LoopPlace;

static inline uint32_t place_vars(const LoopPlace *place) {
    return place->reg_count + place->global_count;
}

// place.c. Finds the loop that an instruction is the head of. False: it is none, or it is too
// large, or there is no memory.
bool place_find(Vm *vm, Code *code, Module *module, uint32_t head, LoopPlace *place);
// A function as a whole.
bool place_whole(Vm *vm, Code *code, Module *module, LoopPlace *place);
void place_free(Vm *vm, LoopPlace *place);
bool place_is_live(const LoopPlace *place, uint32_t pc, uint32_t var);
// The loops around an instruction, outermost first; how many (at most `most`).
int place_heads(Vm *vm, const Code *code, uint32_t pc, uint32_t *heads, int most);
Value place_value(const LoopPlace *place, const Value *regs, uint32_t var); // borrowed
Value source_value(const Source *source, const Frame *frame);               // borrowed

// infer.c. *out is NULL where there is no memory; `failed` where there is nothing to be gained, or
// not enough room. ST_ERROR (SystemError): what has been made is wrong.
Status variant_make(Vm *vm, const LoopPlace *place, const Frame *frame, Variant **out);
// The same of a function, from its begin to its end; *ahead says how (ahead.h).
Status variant_make_ahead(Vm *vm, const LoopPlace *place, const Frame *frame, struct Ahead *ahead,
                          Variant **out);
void variant_free(Vm *vm, const LoopPlace *place, Variant *variant);

// The components of a variable's value.
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
