// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inside of infer.c and its steps: the state of one block while its instructions are gone through.

#ifndef NACRE_VM_JIT_STEPS_H
#define NACRE_VM_JIT_STEPS_H

#include "vm/jit/infer.h"

typedef struct Var {
    VarType type;
    int32_t parts[VAR_PARTS];
} Var;
// No value in any part.
#define NO_PARTS {[0 ... VAR_PARTS - 1] = NO_VALUE}

// Where the program is: in a scope of the variant.
typedef struct Spot {
    int32_t scope;
    uint32_t pc;
} Spot;

// A block of code for one set of types.
typedef struct Version {
    Spot at;
    int32_t block;
    uint32_t count;
    VarType *types;
} Version;

enum { QUIETLY = 4, BODIES = 128, TUPLES = 16, TUPLE_ITEMS = 6, INLINED_VARS = 512 };

// What a tuple holds.
typedef struct Items {
    int count;
    Var items[TUPLE_ITEMS];
} Items;

// Elementwise operations that have been put off.
typedef struct Body {
    RegionNest nest;
    ViewCode views[KERN_LOADS]; // that the loads are of
    DType type;
    bool tells;    // float conditions may come up
    uint32_t made; // arrays that the region has made, of the loads
} Body;

typedef struct Infer {
    Vm *vm;
    const LoopPlace *place; // of the scope
    const Frame *frame;
    struct Ahead *ahead; // of a function that is compiled ahead of time; NULL: of a loop
    Variant *variant;
    RegionMaker *maker;
    LoopPlace places[SCOPES]; // of the variant's scopes; but for the first one, owned
    uint32_t root_count, var_room;
    Version versions[REGION_BLOCKS];
    int32_t version_count;
    Var *vars;    // now: registers of the outermost scope, globals, registers of scopes within
    Var *restart; // when the statement at hand, or what of it is not done yet, begins
    Var *regs;    // of the scope, in vars
    int32_t scope;
    uint32_t pc, next; // the instruction at hand, the one behind it
    Spot restart_at;
    int32_t restart_exit;          // of that; NO_VALUE: none so far
    int32_t source_parts[SOURCES]; // the values of sources
    int32_t slot_count;            // on entry
    int32_t block_first;           // instruction of the block at hand
    int32_t told[QUIETLY];         // numbers computed since then that may have met float conditions
    int told_count;
    bool nest_told;      // the elements of the last nest are among them
    Body bodies[BODIES]; // of this block
    int body_count;
    Items tuples[TUPLES]; // of this block
    int tuple_count;
    bool ended;    // the block has its jump
    bool returned; // a call has come to its end within the block
    bool done;     // something has been written: what follows cannot be begun again from `restart`
} Infer;

// --- infer_emit.c -------------------------------------------------------------------------------
int32_t infer_emit(Infer *f, RegionInstr instr);
#define INSTR(...) REGION_INSTR(__VA_ARGS__)
int32_t infer_number(Infer *f, DType type, Scalar number);
int32_t infer_int(Infer *f, int64_t i);                           // an int64
bool infer_known(const Infer *f, int32_t value, int64_t *number); // it is such a number
// Which of two int64.
int32_t infer_choice(Infer *f, int32_t condition, int32_t yes, int32_t no);
int32_t infer_apply(Infer *f, OpId op, DType from, DType type, int32_t a, int32_t b);
int32_t infer_cast(Infer *f, DType from, DType to,
                   int32_t value); // nothing where they are the same
int32_t infer_exit(Infer *f);      // where the statement is begun again by the interpreter
void infer_leave_if(Infer *f, int32_t condition);
// The same, with what becomes of it where no interpreter can go on: a RegionWhy, perhaps of
// because(), and the values that it names, or NO_VALUE.
void infer_leave_for(Infer *f, int32_t condition, int why, int32_t a, int32_t b);
// The same of shapes that do not fit.
void infer_leave_shapes(Infer *f, int32_t condition, ShapesKind kind, int a_ndim, const int32_t *a,
                        int b_ndim, const int32_t *b);
void infer_leave(Infer *f,
                 bool unknown);  // ends the block; `unknown`: there are no words for what comes
void infer_poll(Infer *f);       // leaves if the interpreter is wanted
void infer_quiet(Infer *f);      // leaves if float conditions have come up
void infer_nest_tells(Infer *f); // they may have in the last nest
void infer_tells(Infer *f, int32_t value); // float conditions may have come up in it
bool infer_settle(Infer *f, uint32_t pc);  // what is put off and wanted there; false: it cannot be
void infer_jump(Infer *f, uint32_t pc);
// Of the variables as they are, but for the loop's: to `yes` if the condition holds.
void infer_branch(Infer *f, int32_t condition, uint32_t yes, uint32_t no);
void infer_leave_statement(Infer *f, bool unknown, bool whole); // `whole`: from its begin
void infer_begin_statement(Infer *f); // what comes now can be begun again here
RegionEdge infer_edge(Infer *f, uint32_t pc);
void infer_branch_along(Infer *f, int32_t condition, RegionEdge yes, RegionEdge no);
Var var_of(VarKind kind, int32_t part);
Var infer_operand(Infer *f, char letter, uint16_t field); // of an instruction
void infer_set(Infer *f, uint32_t reg, Var to);
Var *infer_global(Infer *f, const Instr *at); // the variable of a global; NULL: it has none
Var infer_object(Infer *f, Value value);      // one that never changes
// The number of an object in Variant.constants; -1: no room.
int infer_constant(Infer *f, Value value);

// --- infer_scope.c -----------------------------------------------------------------------------
uint32_t infer_var_count(const Infer *f, int32_t scope); // with those of the scopes around it
void infer_enter(Infer *f, Spot at);                     // goes on there
bool infer_is_live(const Infer *f, Spot at, uint32_t var);
bool infer_holds_pieces(const Infer *f, Spot at);              // what no exit can put back
uint32_t infer_made(const Infer *f, Spot at, const Var *vars); // arrays made that are held there
int32_t infer_make_exit(Infer *f, Spot at, const Var *vars);   // NO_VALUE: no memory

// --- infer_entry.c, steps.c --------------------------------------------------------------------
void infer_entry(Infer *f); // block 0
// What a source holds now. VAR_UNDEF: nothing that could be relied on.
Var infer_source(Infer *f, Source source, bool known);
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

// --- steps_items.c -----------------------------------------------------------------------------
bool step_item(Infer *f, const Instr *at, Var *out);
bool step_tuple(Infer *f, const Instr *at, Var *out);
bool step_unpack(Infer *f, const Instr *at);
// The items of a tuple, or of what is as good as one. False: it is none.
bool items_of(Infer *f, Var v, Items *out);
bool step_items(Infer *f, const Instr *at, uint32_t array, uint32_t keys, bool get, Var *out);

// --- steps_views.c -----------------------------------------------------------------------------
static inline int32_t var_extent(const Var *v, int dim) {
    return v->parts[1 + dim];
}
static inline int32_t var_stride(const Var *v, int dim) {
    return v->parts[1 + view_of_code(v->type.which).ndim + dim];
}
bool is_array(Var v);                    // of any kind; a body too
bool view_of(Infer *f, Var v, Var *out); // an array that has memory, as a view
bool is_writable(const Infer *f, Var v);       // an array that has memory, and may be stored to
int array_ndim(const Infer *f, Var v);
DType array_type(const Infer *f, Var v);
bool element_address(Infer *f, Var view, const Var *keys, int count, int32_t *address);
bool step_slice(Infer *f, const Var bounds[3], Var *out);
bool step_get_view(Infer *f, Var array, const Var *keys, int count, Var *out);
bool step_flip(Infer *f, Var v, Var *out);
bool step_transpose(Infer *f, Var v, Var *out);
int32_t of_ints(Infer *f, OpId op, int32_t a, int32_t b); // int64

// --- steps_bodies.c ----------------------------------------------------------------------------
// The operands' common type, of which arrays and NumPy's numbers decide. DT_NONE: none that there
// is code for.
DType operands_type(Infer *f, const Var *operands, int count);
bool int_fits(const Infer *f, Var v, DType type); // Python's int, as an element of a type
// An elementwise op, at least one of whose operands is an array.
bool step_elementwise(Infer *f, OpId op, const Var *operands, int count, Var *out);
bool step_where(Infer *f, const Var operands[3], Var *out);
// A value as a body of one result of a type, for a shape (ndim and extents in *body).
bool body_of_value(Infer *f, Var v, DType type, Body *body);

// --- steps_arrays.c ----------------------------------------------------------------------------
bool step_set_view(Infer *f, Var array, const Var *keys, int count, Var value);
// a op= b; `stored`: the result is stored there anyhow.
bool step_in_place(Infer *f, OpId op, Var a, Var b, bool stored, Var *out);
bool step_make(Infer *f, Var v, Var *out); // an array of its own for what a body computes
// The same of a type; and a new one with undefined elements. Arrays in `beside` are still needed.
bool step_make_of(Infer *f, Var v, DType type, uint32_t beside, Var *out);
bool step_new(Infer *f, DType type, int ndim, const int32_t *extents, uint32_t beside, Var *out);
bool step_outer(Infer *f, OpId op, const Var *args, Var *out); // of two vectors
// One of a number everywhere.
bool step_made_filled(Infer *f, DType type, int ndim, const int32_t *extents, int64_t number,
                      uint32_t beside, Var *out);
void nest_limit(Infer *f, const RegionNest *nest); // leaves if there are too many elements
uint32_t var_made(Var v); // the array that it is of, if the region has made that
bool step_method(Infer *f, const char *name, Var self, const Var *args, int count, Var *out);
bool step_like(Infer *f, const char *name, Var of, Var *out); // np.zeros_like and so on
// np.zeros and so on; `type` is VAR_UNDEF where none is given.
bool step_filled(Infer *f, const char *name, Var shape, Var type, Var *out);
bool step_take(Infer *f, Var array, Var places, Var *out);   // array[places], of a row of integers
bool step_dot(Infer *f, Var a, Var b, bool quiet, Var *out); // of vectors

// --- steps_contract.c --------------------------------------------------------------------------
// np.sum(v, axis=along) of products that have been put off.
bool step_sum_along(Infer *f, Var v, Var along, Var *out);

// --- steps_library.c ---------------------------------------------------------------------------
bool step_vector(Infer *f, OpId op, DType loop, const Var *operands, int count, Var *out);
bool step_reduce(Infer *f, OpId op, Var v, Var *out);
bool step_reduction_named(Infer *f, const char *name, Var v, Var *out); // of all elements
// Along the last axis of several; `keep`: keepdims=True.
bool step_reduction_along(Infer *f, const char *name, Var v, Var axis, bool keep, Var *out);
bool step_product(Infer *f, Var a, Var b, bool quiet, Var *out);

// --- steps_loops.c -----------------------------------------------------------------------------
bool step_range(Infer *f, const Var *args, int count, Var *out); // iter(range(*args))
bool step_iter(Infer *f, Var over, Var *out);                    // iter(over) of an array
bool step_for(Infer *f, const Instr *at);

// --- steps_calls.c -----------------------------------------------------------------------------
bool step_attribute(Infer *f, Var of, Str *name, Var *out);
// The name of a function of module numpy; NULL: it is none.
const char *numpy_name(Value callee);
bool step_call(Infer *f, Value callee, const Var *args, int count, Var *out);
// With a name for the second of two arguments.
bool step_call_named(Infer *f, Value callee, const Var *args, const char *name, Var *out);

// --- ahead_exits.c: of functions that are compiled ahead of time ---------------------------------
static inline int because(RegionWhy why, int detail) {
    return (int)why | detail << 8;
}
int32_t ahead_exit(Infer *f, int why, const int32_t *values, int count);
void ahead_explain(Infer *f, RegionInstr *instr);        // why it leaves, if it has an exit without
void ahead_give_up(Infer *f, Spot at);                   // there are no words for what stands there
bool ahead_source(Infer *f, Source source, Var *out);    // what is there now, for ever
// The extent of an array's dimension, where annotations say more than that. NO_VALUE: they do not.
int32_t ahead_extent(Infer *f, int array, int dim);
bool ahead_return(Infer *f, const Instr *at);            // from the function itself
bool ahead_raise(Infer *f, const Instr *at);             // a call of an exception, and its raise

// min and max of numbers of two types, which is that of the answer; ends the block.
bool ahead_extreme(Infer *f, const Instr *at);

// --- steps_inline.c ----------------------------------------------------------------------------
// Goes on in a function of the program, whose answer goes into register `dest`. `names`: of the
// last arguments; or NULL.
bool step_into(Infer *f, Func *func, const Var *args, int count, const Tuple *names, uint16_t dest);
bool step_return(Infer *f, const Instr *at);

#endif
