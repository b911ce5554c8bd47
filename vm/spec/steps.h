// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inside of infer.c and its steps: the state of one block while its instructions are gone through.

#ifndef NACRE_VM_SPEC_STEPS_H
#define NACRE_VM_SPEC_STEPS_H

#include "vm/spec/infer.h"

typedef struct Var {
    VarType type;
    int32_t parts[3];
} Var;

// A block of code for one set of types.
typedef struct Version {
    uint32_t pc;
    int32_t block;
    VarType *types;
} Version;

enum { QUIETLY = 4, BODIES = 64 };

// Operations on rows that have been put off.
typedef struct Body {
    RegionLoop loop;
    DType type;
    int32_t extent;
    bool tells; // float conditions may come up
} Body;

// Of which array a view is, and whether its elements lie side by side: VarType.which.
typedef struct RowPlace {
    uint16_t array;
    bool dense;
} RowPlace;
static inline uint16_t row_place(RowPlace place) {
    return (uint16_t)(place.array << 1 | place.dense);
}
static inline RowPlace place_of_row(VarType type) {
    return (RowPlace){type.which >> 1, type.which & 1};
}

typedef struct Infer {
    Vm *vm;
    const LoopPlace *place;
    Variant *variant;
    RegionMaker *maker;
    uint32_t var_count;
    Version versions[REGION_BLOCKS];
    int32_t version_count;
    Var *vars;    // now
    Var *restart; // when the statement at hand, or what of it is not done yet, begins
    uint32_t pc, restart_pc;
    int32_t restart_exit;  // of that; NO_VALUE: none so far
    int32_t told[QUIETLY]; // numbers computed since then that may have met float conditions
    int told_count;
    bool row_told;       // the scratch is one of them
    Body bodies[BODIES]; // of this block
    int body_count;
    bool ended; // the block has its jump
    bool done;  // something has been written: what follows cannot be begun again from `restart`
} Infer;

// --- infer_emit.c
// -----------------------------------------------------------------------------------
int32_t infer_emit(Infer *f, RegionInstr instr);
#define INSTR(...) REGION_INSTR(__VA_ARGS__)
int32_t infer_number(Infer *f, DType type, Scalar number);
int32_t infer_int(Infer *f, int64_t i);                           // an int64
bool infer_known(const Infer *f, int32_t value, int64_t *number); // it is such a number
int32_t infer_apply(Infer *f, OpId op, DType from, DType type, int32_t a, int32_t b);
int32_t infer_cast(Infer *f, DType from, DType to,
                   int32_t value); // nothing where they are the same
int32_t infer_exit(Infer *f);      // where the statement is begun again by the interpreter
void infer_leave_if(Infer *f, int32_t condition);
void infer_leave(Infer *f,
                 bool unknown); // ends the block; `unknown`: there are no words for what comes
void infer_poll(Infer *f);      // leaves if the interpreter is wanted
void infer_quiet(Infer *f);     // leaves if float conditions have come up
void infer_row_tells(Infer *f); // they may have in the scratch
void infer_tells(Infer *f, int32_t value); // float conditions may have come up in it
void infer_jump(Infer *f, uint32_t pc);
// Of the variables as they are, but for the loop's: to `yes` if the condition holds.
void infer_branch(Infer *f, int32_t condition, uint32_t yes, uint32_t no);
void infer_leave_statement(Infer *f, bool unknown, bool whole); // `whole`: from its begin
void infer_begin_statement(Infer *f); // what comes now can be begun again here
RegionEdge infer_edge(Infer *f, uint32_t pc);
void infer_branch_along(Infer *f, int32_t condition, RegionEdge yes, RegionEdge no);
Var var_of(VarKind kind, int32_t part);
Var infer_operand(Infer *f, char letter, uint16_t field); // of an instruction
void infer_set(Infer *f, uint32_t var, Var to);
uint32_t infer_global(const Infer *f, const Instr *at); // the variable of a global
// The number of an object in Variant.constants; -1: no room.
int infer_constant(Infer *f, Value value);

// --- infer_entry.c, steps.c --------------------------------------------------------------------
void infer_entry(Infer *f, const Value *regs); // block 0
void infer_step(Infer *f, const Instr *at);
bool is_constant_object(Value value); // one that is told by being the same object

// --- steps_numbers.c: false: the region has no words for these operands ------------------------
bool step_arithmetic(Infer *f, OpId op, Var a, Var b, Var *out);
bool step_comparison(Infer *f, OpId op, Var a, Var b, Var *out);
bool step_negative(Infer *f, Var a, Var *out);
bool step_invert(Infer *f, Var a, Var *out);
bool truth_of(Infer *f, Var a, int32_t *out);
bool is_number_var(Var a);
DType number_type(Var a);
// Of a Python int or a NumPy integer, as int64.
bool index_of(Infer *f, Var a, int32_t *out);

// --- steps_elements.c --------------------------------------------------------------------------
bool step_get(Infer *f, Var array, const Var *keys, int count, Var *out);
bool step_set(Infer *f, Var array, const Var *keys, int count, Var value);

// A number as an element of a type, to be stored.
bool element_of(Infer *f, Var v, DType type, int32_t *out);

// --- steps_views.c -----------------------------------------------------------------------------
enum { VIEW_ADDRESS, VIEW_EXTENT, VIEW_STRIDE }; // the parts of a VAR_VIEW
bool is_row(const Infer *f, Var v);
bool row_of(Infer *f, Var v, Var *out); // a view, or an array of one dimension, as a view
bool element_address(Infer *f, Var row, Var key, int32_t *address);
bool step_slice(Infer *f, const Var bounds[3], Var *out);
bool step_get_row(Infer *f, Var array, const Var *keys, int count, Var *out);
bool step_flip(Infer *f, Var v, Var *out);

// --- steps_rows.c ------------------------------------------------------------------------------
// The operands' common type, of which rows and NumPy's numbers decide. DT_NONE: none that there is
// code for.
DType rows_type(Infer *f, const Var *operands, int count);
bool int_fits(const Infer *f, Var v, DType type); // Python's int, as an element of a type
bool step_set_row(Infer *f, Var array, const Var *keys, int count, Var value);
// An elementwise op, at least one of whose operands is a row.
bool step_rows(Infer *f, OpId op, const Var *operands, int count, Var *out);
bool step_dot(Infer *f, Var a, Var b, bool quiet, Var *out);

// --- steps_loops.c -----------------------------------------------------------------------------
bool step_range(Infer *f, const Var *args, int count, Var *out); // iter(range(*args))
bool step_for(Infer *f, const Instr *at);

// --- steps_calls.c -----------------------------------------------------------------------------
bool step_attribute(Infer *f, Var of, Str *name, Var *out);
bool step_call(Infer *f, Value callee, const Var *args, int count, Var *out);

#endif
