// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private to infer.c and the steps: the state of one block during translation.

#ifndef NACRE_VM_JIT_STEPS_H
#define NACRE_VM_JIT_STEPS_H

#include "vm/jit/infer.h"

typedef struct Var {
    VarType type;
    int32_t parts[VAR_PARTS];
} Var;
// Initialises all components to NO_VALUE.
#define NO_PARTS {[0 ... VAR_PARTS - 1] = NO_VALUE}

// A program position: scope and pc.
typedef struct Spot {
    int32_t scope;
    uint32_t pc;
} Spot;

// A block version for one set of types.
typedef struct Version {
    Spot at;
    int32_t block;
    uint32_t count;
    VarType *types;
} Version;

enum { QUIETLY = 4, BODIES = 128, TUPLES = 16, TUPLE_ITEMS = 6, INLINED_VARS = 512 };

// Items of a tuple.
typedef struct Items {
    int count;
    Var items[TUPLE_ITEMS];
} Items;

// Deferred elementwise operations.
typedef struct Body {
    RegionNest nest;
    ViewCode views[KERN_LOADS]; // source of each load
    DType type;
    bool tells;    // may raise float flags
    uint32_t made; // arrays made by the region that the loads read, as bits
} Body;

typedef struct Infer {
    Vm *vm;
    const LoopPlace *place; // code of the current scope
    const Frame *frame;
    struct Ahead *ahead; // for AOT functions; NULL for loops
    Variant *variant;
    RegionMaker *maker;
    LoopPlace places[SCOPES]; // per scope of the variant; owned except for the first
    uint32_t root_count, var_room;
    Version versions[REGION_BLOCKS];
    int32_t version_count;
    Var *vars;    // current variables: registers of the outermost scope, globals, registers of
                  // inner scopes
    Var *restart; // their values at the restart point of the statement
    Var *regs;    // registers of the current scope, in vars
    int32_t scope;
    uint32_t pc, next; // current instruction, and the next one
    Spot restart_at;
    int32_t restart_exit;          // exit to the restart point; NO_VALUE: none yet
    int32_t source_parts[SOURCES]; // values of sources
    int32_t slot_count;            // number of slots used on entry
    int32_t block_first;           // first instruction of the current block
    int32_t told[QUIETLY];         // values since the last check that may have raised float flags
    int told_count;
    bool nest_told;      // the last nest may also have raised float flags since that check
    Body bodies[BODIES]; // of the current block
    int body_count;
    Items tuples[TUPLES]; // of the current block
    int tuple_count;
    bool ended;    // the block has its final jump
    bool returned; // an inlined call returned in this block
    bool done;     // something was written: no restart from `restart` any more
} Infer;

// --- infer_emit.c -------------------------------------------------------------------------------
int32_t infer_emit(Infer *f, RegionInstr instr);
#define INSTR(...) REGION_INSTR(__VA_ARGS__)
int32_t infer_number(Infer *f, DType type, Scalar number);
int32_t infer_int(Infer *f, int64_t i);                           // an int64 constant
bool infer_known(const Infer *f, int32_t value, int64_t *number); // returns whether the value is a constant
// Emits the selection of one of two int64.
int32_t infer_choice(Infer *f, int32_t condition, int32_t yes, int32_t no);
int32_t infer_apply(Infer *f, OpId op, DType from, DType type, int32_t a, int32_t b);
int32_t infer_cast(Infer *f, DType from, DType to,
                   int32_t value); // returns `value` if both are the same
int32_t infer_exit(Infer *f);      // an exit where the interpreter repeats the statement
void infer_leave_if(Infer *f, int32_t condition);
// Like infer_leave_if; AOT code reports `why`, a RegionWhy (perhaps with a detail: because()), and the
// values a and b that its message names (NO_VALUE: none).
void infer_leave_for(Infer *f, int32_t condition, int why, int32_t a, int32_t b);
// Like infer_leave_if, for shapes that do not match; AOT code reports both shapes.
void infer_leave_shapes(Infer *f, int32_t condition, ShapesKind kind, int a_ndim, const int32_t *a,
                        int b_ndim, const int32_t *b);
void infer_leave(Infer *f,
                 bool unknown);  // ends the block; `unknown`: the next instruction is not supported
void infer_poll(Infer *f);       // leaves if an interrupt is pending
void infer_quiet(Infer *f);      // leaves if float flags have been raised
void infer_nest_tells(Infer *f); // notes that the last nest may raise float flags
void infer_tells(Infer *f, int32_t value); // notes that computing the value may raise float flags
bool infer_settle(Infer *f, uint32_t pc);  // emits deferred operations that are live at pc; false:
                                           // impossible
void infer_jump(Infer *f, uint32_t pc);
// Ends the block with a branch to `yes` if the condition holds, otherwise to `no`.
void infer_branch(Infer *f, int32_t condition, uint32_t yes, uint32_t no);
void infer_leave_statement(Infer *f, bool unknown, bool whole); // `whole`: the interpreter repeats the whole statement
void infer_begin_statement(Infer *f); // marks a restart point
RegionEdge infer_edge(Infer *f, uint32_t pc);
void infer_branch_along(Infer *f, int32_t condition, RegionEdge yes, RegionEdge no);
Var var_of(VarKind kind, int32_t part);
// Returns the operand in an instruction's field: an immediate int ('i'), a register or a constant.
Var infer_operand(Infer *f, char letter, uint16_t field);
void infer_set(Infer *f, uint32_t reg, Var to);
Var *infer_global(Infer *f, const Instr *at); // the variable of a global; NULL: none
Var infer_object(Infer *f, Value value);      // an immutable object
// Returns an object's number in Variant.constants, to which it is added if necessary; -1: no room.
int infer_constant(Infer *f, Value value);

// --- infer_scope.c -----------------------------------------------------------------------------
uint32_t infer_var_count(const Infer *f, int32_t scope); // including enclosing scopes
void infer_enter(Infer *f, Spot at);                     // continues translation at a position
bool infer_is_live(const Infer *f, Spot at, uint32_t var);
bool infer_holds_pieces(const Infer *f, Spot at); // whether a live variable holds a value that no exit can restore
uint32_t infer_made(const Infer *f, Spot at, const Var *vars); // region-made arrays of live variables, as bits
int32_t infer_make_exit(Infer *f, Spot at, const Var *vars);   // number of a new exit; NO_VALUE: out of memory

// --- infer_entry.c, steps.c --------------------------------------------------------------------
void infer_entry(Infer *f); // emits block 0
// Returns the current value of a source, as a constant if `known`. VAR_UNDEF: code cannot rely on it.
Var infer_source(Infer *f, Source source, bool known);
void infer_step(Infer *f, const Instr *at);
bool is_constant_object(Value value); // whether code treats an object as a constant, compared by identity

// --- steps_numbers.c: false: regions do not support these operands -----------------------------
bool step_arithmetic(Infer *f, OpId op, Var a, Var b, Var *out);
bool step_comparison(Infer *f, OpId op, Var a, Var b, Var *out);
bool step_negative(Infer *f, Var a, Var *out);
bool step_invert(Infer *f, Var a, Var *out);
bool truth_of(Infer *f, Var a, int32_t *out);
bool is_number_var(Var a);
DType number_type(Var a);
// Converts a Python int or NumPy integer to an int64 index.
bool index_of(Infer *f, Var a, int32_t *out);

// --- steps_elements.c --------------------------------------------------------------------------
bool step_get(Infer *f, Var array, const Var *keys, int count, Var *out);
bool step_set(Infer *f, Var array, const Var *keys, int count, Var value);

// Converts a number to an element type for storing.
bool element_of(Infer *f, Var v, DType type, int32_t *out);

// --- steps_items.c -----------------------------------------------------------------------------
bool step_item(Infer *f, const Instr *at, Var *out);
bool step_tuple(Infer *f, const Instr *at, Var *out);
bool step_unpack(Infer *f, const Instr *at);
// Lists the items of a tuple, a shape or a constant tuple. False: none of these.
bool items_of(Infer *f, Var v, Items *out);
bool step_items(Infer *f, const Instr *at, uint32_t array, uint32_t keys, bool get, Var *out);

// --- steps_views.c -----------------------------------------------------------------------------
static inline int32_t var_extent(const Var *v, int dim) {
    return v->parts[1 + dim];
}
static inline int32_t var_stride(const Var *v, int dim) {
    return v->parts[1 + view_of_code(v->type.which).ndim + dim];
}
bool is_array(Var v);                    // any kind of array, including deferred operations (VAR_BODY)
bool view_of(Infer *f, Var v, Var *out); // an array in memory, as a view
bool is_writable(const Infer *f, Var v);       // an array in memory that may be written
int array_ndim(const Infer *f, Var v);
DType array_type(const Infer *f, Var v);
bool element_address(Infer *f, Var view, const Var *keys, int count, int32_t *address);
bool step_slice(Infer *f, const Var bounds[3], Var *out);
bool step_get_view(Infer *f, Var array, const Var *keys, int count, Var *out);
bool step_flip(Infer *f, Var v, Var *out);
bool step_transpose(Infer *f, Var v, Var *out);
int32_t of_ints(Infer *f, OpId op, int32_t a, int32_t b); // op on int64

// --- steps_bodies.c ----------------------------------------------------------------------------
// Returns the operands' common type, decided by arrays and NumPy scalars (NEP 50). DT_NONE: not
// supported.
DType operands_type(Infer *f, const Var *operands, int count);
bool int_fits(const Infer *f, Var v, DType type); // whether a Python int certainly fits an element type
// Translates an elementwise op with at least one array operand.
bool step_elementwise(Infer *f, OpId op, const Var *operands, int count, Var *out);
bool step_where(Infer *f, const Var operands[3], Var *out);
// Converts a value to a body with one result of a type, for a given shape (ndim and extents in
// *body).
bool body_of_value(Infer *f, Var v, DType type, Body *body);

// --- steps_arrays.c ----------------------------------------------------------------------------
bool step_set_view(Infer *f, Var array, const Var *keys, int count, Var value);
// Translates a op= b. `stored`: the next instruction stores the result, so it is only computed here.
bool step_in_place(Infer *f, OpId op, Var a, Var b, bool stored, Var *out);
bool step_make(Infer *f, Var v, Var *out); // materialises a body in a new array
// step_make_of materialises `v` with a given element type, step_new makes an uninitialised array. The
// region-made arrays in `beside` (bits) must not be reused for it.
bool step_make_of(Infer *f, Var v, DType type, uint32_t beside, Var *out);
bool step_new(Infer *f, DType type, int ndim, const int32_t *extents, uint32_t beside, Var *out);
bool step_outer(Infer *f, OpId op, const Var *args, Var *out); // outer product of two vectors
// Broadcasts a scalar into a new array.
bool step_made_filled(Infer *f, DType type, int ndim, const int32_t *extents, int64_t number,
                      uint32_t beside, Var *out);
void nest_limit(Infer *f, const RegionNest *nest); // leaves if there are too many elements
uint32_t var_made(Var v); // the region-made array that `v` refers to, as a bit; or 0
bool step_method(Infer *f, const char *name, Var self, const Var *args, int count, Var *out);
bool step_like(Infer *f, const char *name, Var of, Var *out); // np.zeros_like and similar
// Translates np.zeros, np.ones and np.empty; `type` is VAR_UNDEF if not given.
bool step_filled(Infer *f, const char *name, Var shape, Var type, Var *out);
bool step_take(Infer *f, Var array, Var places, Var *out);   // array[places] with a vector of
                                                             // indices
bool step_dot(Infer *f, Var a, Var b, bool quiet, Var *out); // dot product of vectors

// --- steps_contract.c --------------------------------------------------------------------------
// Translates np.sum(v, axis=along) of deferred products.
bool step_sum_along(Infer *f, Var v, Var along, Var *out);

// --- steps_library.c ---------------------------------------------------------------------------
bool step_vector(Infer *f, OpId op, DType loop, const Var *operands, int count, Var *out);
bool step_reduce(Infer *f, OpId op, Var v, Var *out);
bool step_reduction_named(Infer *f, const char *name, Var v, Var *out); // reduces all elements
// Reduces along the last of several axes; `keep`: keepdims=True.
bool step_reduction_along(Infer *f, const char *name, Var v, Var axis, bool keep, Var *out);
bool step_product(Infer *f, Var a, Var b, bool quiet, Var *out);

// --- steps_loops.c -----------------------------------------------------------------------------
bool step_range(Infer *f, const Var *args, int count, Var *out); // iter(range(*args))
bool step_iter(Infer *f, Var over, Var *out);                    // iter(over) of an array
bool step_for(Infer *f, const Instr *at);

// --- steps_calls.c -----------------------------------------------------------------------------
bool step_attribute(Infer *f, Var of, Str *name, Var *out);
// Returns the name of a function of module numpy; NULL: it is not one.
const char *numpy_name(Value callee);
bool step_call(Infer *f, Value callee, const Var *args, int count, Var *out);
// Translates min and max of two numbers of different types. The result has the selected operand's type, so this ends
// the block.
bool step_extreme(Infer *f, const Instr *at);
// Converts a float to an int, rounding towards zero. Leaves unless -2**63 <= x < 2**63, so for NaN, too.
bool step_int_of(Infer *f, Var v, Var *out);
// Translates a call with the second of two arguments by keyword.
bool step_call_named(Infer *f, Value callee, const Var *args, const char *name, Var *out);

// --- ahead_exits.c: of functions that are compiled ahead of time ---------------------------------
static inline int because(RegionWhy why, int detail) {
    return (int)why | detail << 8;
}
int32_t ahead_exit(Infer *f, int why, const int32_t *values, int count);
void ahead_explain(Infer *f, RegionInstr *instr);        // sets the reason of an instruction's exit
                                                         // unless it has one
void ahead_give_up(Infer *f, Spot at);                   // reports an unsupported construct
bool ahead_source(Infer *f, Source source, Var *out);    // current value, assumed constant
// Returns the extent of an array's dimension if annotations define it elsewhere. NO_VALUE: they do not.
int32_t ahead_extent(Infer *f, int array, int dim);
bool ahead_return(Infer *f, const Instr *at);            // return from the compiled function itself
bool ahead_raise(Infer *f, const Instr *at);             // raises with a constant text; false: any
                                                         // other instruction

// --- steps_inline.c ----------------------------------------------------------------------------
// Inlines a function of the program, whose result goes to register `dest`. `names`: names of the
// keyword arguments, which are the last of `args`; or NULL.
bool step_into(Infer *f, Func *func, const Var *args, int count, const Tuple *names, uint16_t dest);
bool step_return(Infer *f, const Instr *at);

#endif
