// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files of the code generator (compile_*.c). No function returns a failure: errors
// leave through the context (ctx_fail).
//
// Registers. Locals come first and serve as operands without a copy. Temporaries are a stack above
// them (Emitter.top). Evaluating an expression leaves `top` unchanged, except that expr_operand and
// expr_next may leave their result in a new temporary.

#ifndef NACRE_LANG_COMPILE_INTERNAL_H
#define NACRE_LANG_COMPILE_INTERNAL_H

#include "lang/compile.h"
#include "lang/emit.h"
#include "lang/resolve.h"

enum {
    NO_REG = 0xffffffffu,
    MAX_ROW = 255,    // items built or passed from registers in one go
    MAX_INDEXES = 32, // items of a[i, j, …] passed in registers
    MAX_STATIC_NESTING = 20,
};

typedef struct Compiler {
    Context *ctx;
    BcUnit *unit;
    Arena *arena; // of the unit
    CompileMode mode;
    const Stmt *shown; // COMPILE_CELL: the expression statement at the end, which is displayed; or NULL
    Resolution *names;
    NameMap globals; // value: slot + 1
    const char **global_names;
    uint32_t global_cap;
    const Expr **spine; // scratch stack of compile_spine.c
    uint32_t spine_count, spine_cap;
} Compiler;

typedef enum BlockKind {
    BLOCK_LOOP,
    BLOCK_TRY, // guard only
    BLOCK_FINALLY,
    BLOCK_HANDLER, // handling the exception in reg, reg + 1
    BLOCK_NAMED,   // body of `except … as name`
    BLOCK_WITH,    // the pair to call is in reg, reg + 1
} BlockKind;

// A statement around the code being compiled that needs code of its own when control leaves it.
typedef struct Block {
    BlockKind kind;
    struct Block *outer;
    uint32_t depth;
    uint32_t reg;      // LOOP: the iterator or NO_REG
    Label exit, again; // LOOP
    StmtList finally;  // FINALLY
    Name name;         // NAMED
    Span span;
    Label guard; // handler of exceptions raised inside, or NO_LABEL
    uint32_t guard_reg;
    uint32_t guard_start;
} Block;

// A code object that is being generated.
typedef struct Fn {
    Compiler *c;
    struct Fn *outer;
    Scope *frame;
    Scope *scope; // where names are looked up: frame, or a comprehension inlined into it
    Emitter e;
    Block *blocks; // innermost first
    uint32_t nesting;
    const char *name, *qualname;
} Fn;

// ---- compile_fold.c -----------------------------------------------------------------------------

// Folds an expression of literals, tuples and small arithmetic to a constant. Returns false if it
// is not constant.
bool fold_expr(Fn *f, const Expr *expr, BcConst *out);
bool fold_binary(BinaryOp op, const BcConst *left, const BcConst *right, BcConst *out);
bool fold_truth(const BcConst *value);
bool fold_items(Fn *f, ExprList items, BcConst *out); // to a tuple; false if an item is not constant

// ---- compile_name.c -----------------------------------------------------------------------------

// Returns the register of a variable that lives in one, else NO_REG.
uint32_t name_register(Fn *f, Name name);
bool name_may_rebind(Fn *f, Name name); // by a `:=` inside an expression
void name_load(Fn *f, Span span, Name name, uint32_t dest);
void name_check(Fn *f, Span span, Name name); // emits CHECK for a variable in a register that is read next
void name_store(Fn *f, Span span, Name name, Operand value);
void name_delete(Fn *f, Span span, Name name);
void name_clear(Fn *f, Span span, Name name); // unbinds, bound or not
uint32_t name_global_slot(Fn *f, Name name);

// ---- compile_expr.c -----------------------------------------------------------------------------

// Evaluates into a register. A local is written once, by the last instruction. A temporary may be
// written earlier, so no operand may be in it.
void expr_into(Fn *f, const Expr *expr, uint32_t dest);

// Evaluates to a constant, to a local without a copy, or to a new temporary. The _before form is for
// an operand that is read after other expressions are evaluated: it copies a local that they may
// rebind.
Operand expr_operand(Fn *f, const Expr *expr);
Operand expr_operand_before(Fn *f, const Expr *expr);
// Like expr_operand, but a computed value goes into the temporary `temp`.
Operand expr_operand_in(Fn *f, const Expr *expr, uint32_t temp);
// Like the two above, but a constant is moved into a new temporary.
uint32_t expr_register(Fn *f, const Expr *expr);
uint32_t expr_register_before(Fn *f, const Expr *expr);

uint32_t expr_next(Fn *f, const Expr *expr); // into the next temporary
void expr_discard(Fn *f, const Expr *expr);  // for its effects
Operand expr_none(Fn *f);

// Returns the first of the consecutive registers from which a value for `dest` is built. If dest is
// the last temporary, that is dest itself (it is popped), else the next free one.
uint32_t expr_row(Fn *f, uint32_t dest);

// Returns the operand's register; a constant is moved into a new temporary first.
uint32_t operand_register(Fn *f, Span span, Operand operand);

// Returns whether the register is a temporary.
static inline bool is_temp(const Fn *f, uint32_t reg) {
    return reg >= f->frame->local_count;
}

// ---- the other kinds of expression --------------------------------------------------------------

void expr_jump(Fn *f, const Expr *expr, Label label, bool sense); // if its truth is `sense`: compile_cond.c
void expr_bool(Fn *f, const Expr *expr, uint32_t dest);           // dest: a temporary
void expr_compare(Fn *f, const Expr *expr, uint32_t dest);
void expr_ternary(Fn *f, const Expr *expr, uint32_t dest);
void expr_spine(Fn *f, const Expr *expr, uint32_t dest);         // compile_spine.c
void expr_fstring(Fn *f, const Expr *expr, uint32_t dest);       // compile_fstring.c
void expr_comprehension(Fn *f, const Expr *expr, uint32_t dest); // compile_comp.c
void expr_tuple(Fn *f, const Expr *expr, uint32_t dest);         // compile_display.c
void expr_list(Fn *f, const Expr *expr, uint32_t dest);
void expr_set(Fn *f, const Expr *expr, uint32_t dest);
void expr_dict(Fn *f, const Expr *expr, uint32_t dest);
void expr_lambda(Fn *f, const Expr *expr, uint32_t dest); // compile_func.c

// Builds a tuple or a list of items, some of which may be starred, whichever is faster. Returns true
// for a list.
bool display_sequence(Fn *f, Span span, ExprList items, uint32_t dest);

// Makes two tuples of plain items, in registers `dest` and the next, by two consecutive instructions, so that a
// comparison that follows need not make the tuples. False: the expressions are others, and nothing was emitted.
bool display_pair(Fn *f, const Expr *first, const Expr *second, uint32_t dest);

// Return the opcode of a binary operator, of a comparison.
Opcode binary_opcode(BinaryOp op);
Opcode compare_opcode(CompareOp op);

// ---- compile_call.c -----------------------------------------------------------------------------

// Returns whether the arguments can be passed in registers (no * or **, not too many).
bool call_is_plain(ArgList args);
// Returns the constant number (without CONST_BIT) of the tuple of names of the last `count` arguments.
uint32_t call_keyword_names(Fn *f, ArgList args, uint32_t count);
// Emits a call with arguments in registers. The callee is in `base`, the last temporary. With
// `method`, the pair of GETMETHOD is in base and base + 1, the last two temporaries.
void call_plain(Fn *f, const Expr *expr, uint32_t base, bool method, uint32_t dest);
void call_unpacked(Fn *f, const Expr *expr, uint32_t base, uint32_t dest);
// Packs the arguments into the next two temporaries: positional ones as a tuple or list, keyword
// ones as a dict or None. Returns true if the first is a list. Error messages name the function in
// register `callee`; with `names_callee`, so does the one about a lone *x.
bool call_pack(Fn *f, Span span, ArgList args, uint32_t callee, bool names_callee);
bool call_is_super(Fn *f, const Expr *expr);
void call_super(Fn *f, const Expr *expr, uint32_t dest);

// ---- compile_assign.c ---------------------------------------------------------------------------

void assign_target(Fn *f, const Expr *target, Operand value);
void assign_stmt(Fn *f, const Stmt *stmt);
void assign_augmented(Fn *f, const Stmt *stmt);
void assign_annotated(Fn *f, const Stmt *stmt);
void assign_delete(Fn *f, const Expr *target);
Operand annotation_operand(Fn *f, const Expr *annotation);

// An evaluated subscript: compile_subscript.c.
typedef struct Index {
    uint32_t count; // 0: one operand; else the number of consecutive registers from `first`
    Operand operand;
    uint32_t first;
} Index;
Index index_eval(Fn *f, const Expr *index);
void index_get(Fn *f, Span span, uint32_t dest, Operand object, Index index);
void index_set(Fn *f, Span span, uint32_t object, Index index, Operand value);
// Copies the registers to new temporaries, as using an index consumes them.
Index index_copy(Fn *f, Span span, Index index);
Operand index_single(Fn *f, Span span, Index index); // packs several items into a tuple

// ---- statements ---------------------------------------------------------------------------------

void stmt_body(Fn *f, StmtList body);
void stmt_def(Fn *f, const Stmt *stmt);   // compile_func.c
void stmt_class(Fn *f, const Stmt *stmt); // compile_class.c
void stmt_if(Fn *f, const Stmt *stmt);    // compile_control.c
void stmt_while(Fn *f, const Stmt *stmt);
void stmt_for(Fn *f, const Stmt *stmt);
void stmt_break(Fn *f, const Stmt *stmt);
void stmt_continue(Fn *f, const Stmt *stmt);
void stmt_return(Fn *f, const Stmt *stmt);
void stmt_try(Fn *f, const Stmt *stmt); // compile_try.c
void stmt_with(Fn *f, const Stmt *stmt);
void stmt_match(Fn *f, const Stmt *stmt); // compile_match.c
void stmt_import(Fn *f, const Stmt *stmt); // compile_import.c
void stmt_import_from(Fn *f, const Stmt *stmt);

void block_push(Fn *f, Block *block);
void block_pop(Fn *f, Block *block);
// Opens a guard: from here until guard_close, an exception is put into `reg` and control goes to label
// `guard`. The guards of outer blocks stay open.
void guard_open(Fn *f, Block *block, Label guard, uint32_t reg);
void guard_close(Fn *f, Block *block);
void nesting_enter(Fn *f, Span span);
void nesting_leave(Fn *f);
// Emits the code that a jump out of the block has to run (the body of `finally`, the call of __exit__ …).
void block_leave(Fn *f, const Block *block);

// ---- code objects: compile_func.c ---------------------------------------------------------------

void fn_begin(Fn *f, Compiler *c, Fn *outer, Scope *scope, const char *name, Span span);
BcCode *fn_end(Fn *f, const ParamList *params, uint32_t flags, uint32_t line); // params: or NULL
// Emits FUNC, which creates the function of `code` in dest. The three registers from `base` hold
// defaults, keyword defaults and annotations.
void fn_make(Fn *f, Span span, BcCode *code, uint32_t base, uint32_t dest);
void fn_make_plain(Fn *f, Span span, BcCode *code, uint32_t dest); // with none of the three
// Returns the docstring of a body, or NULL.
const Expr *body_docstring(StmtList body);
StmtList body_without_docstring(StmtList body);
// Evaluates decorators into the next temporaries. The value they are applied to follows them.
void decorators_begin(Fn *f, ExprList decorators);
// Applies the decorators to `value`, the last temporary; the result is in the first decorator's register.
void decorators_end(Fn *f, ExprList decorators, uint32_t value);

#endif
