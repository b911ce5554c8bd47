// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Between the files of the code generator (compile_*.c). Nothing here returns a failure: errors
// leave through the context.
//
// Registers. Locals come first and are used as operands where they lie. Temporaries are a stack
// above them (Emitter.top). An expression that is evaluated leaves `top` as it found it, except
// that expr_operand and expr_next leave their result on it.

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
    const Stmt *shown; // COMPILE_CELL: the expression at the end; NULL: there is none
    Resolution *names;
    NameMap globals; // value: slot + 1
    const char **global_names;
    uint32_t global_cap;
    const Expr **spine; // scratch stack of expr_spine.c
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

// A statement around the place being compiled that control cannot just jump out of.
typedef struct Block {
    BlockKind kind;
    struct Block *outer;
    uint32_t depth;
    uint32_t reg;      // LOOP: the iterator or NO_REG
    Label exit, again; // LOOP
    StmtList finally;  // FINALLY
    Name name;         // NAMED
    Span span;
    Label guard; // where exceptions inside go, or NO_LABEL
    uint32_t guard_reg;
    uint32_t guard_start;
} Block;

// One code object in the making.
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

// The value of an expression known now: literals, tuples of them, small arithmetic.
bool fold_expr(Fn *f, const Expr *expr, BcConst *out);
bool fold_binary(BinaryOp op, const BcConst *left, const BcConst *right, BcConst *out);
bool fold_truth(const BcConst *value);
bool fold_items(Fn *f, ExprList items, BcConst *out); // a tuple, if all items are constant

// ---- compile_name.c -----------------------------------------------------------------------------

// Register of a variable that lives in one, else NO_REG.
uint32_t name_register(Fn *f, Name name);
bool name_may_rebind(Fn *f, Name name); // by a `:=` inside an expression
void name_load(Fn *f, Span span, Name name, uint32_t dest);
void name_check(Fn *f, Span span, Name name); // the variable is in a register and is read now
void name_store(Fn *f, Span span, Name name, Operand value);
void name_delete(Fn *f, Span span, Name name);
void name_clear(Fn *f, Span span, Name name); // unbinds, bound or not
uint32_t name_global_slot(Fn *f, Name name);

// ---- compile_expr.c -----------------------------------------------------------------------------

// Evaluates into a register. A local is written by one instruction, the last; a temporary must be
// fresh and may be written early.
void expr_into(Fn *f, const Expr *expr, uint32_t dest);

// Evaluates to a constant, a local in place, or a new temporary. The _before form is for an operand
// that is read only after other expressions were evaluated.
Operand expr_operand(Fn *f, const Expr *expr);
Operand expr_operand_before(Fn *f, const Expr *expr);
// The same with the temporary given.
Operand expr_operand_in(Fn *f, const Expr *expr, uint32_t temp);
// The same, never a constant.
uint32_t expr_register(Fn *f, const Expr *expr);
uint32_t expr_register_before(Fn *f, const Expr *expr);

uint32_t expr_next(Fn *f, const Expr *expr); // into the next temporary
void expr_discard(Fn *f, const Expr *expr);  // for its effects
Operand expr_none(Fn *f);

// First register of a row to build that ends in dest: dest itself where it is the last temporary.
uint32_t expr_row(Fn *f, uint32_t dest);

// Moves an operand that is a constant into a new temporary.
uint32_t operand_register(Fn *f, Span span, Operand operand);

// A register ≥ the locals.
static inline bool is_temp(const Fn *f, uint32_t reg) {
    return reg >= f->frame->local_count;
}

// ---- the other kinds of expression --------------------------------------------------------------

void expr_jump(Fn *f, const Expr *expr, Label label, bool sense); // compile_cond.c
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

// Items, some of them starred, as a tuple or (true) a list: whatever is built fastest.
bool display_sequence(Fn *f, Span span, ExprList items, uint32_t dest);

// Makes two tuples of plain items, in registers `dest` and the next, by instructions that directly follow each other, so
// that a comparison behind them may do without the tuples. False: they are other expressions, nothing was emitted.
bool display_pair(Fn *f, const Expr *first, const Expr *second, uint32_t dest);

// An instruction of a binary operator.
Opcode binary_opcode(BinaryOp op);
Opcode compare_opcode(CompareOp op);

// ---- compile_call.c -----------------------------------------------------------------------------

// Arguments can be passed from registers (no * or **, not too many).
bool call_is_plain(ArgList args);
// The number of the constant tuple of the names of the last `count` arguments.
uint32_t call_keyword_names(Fn *f, ArgList args, uint32_t count);
// Callee at `base` (= top - 1), or with `method` a pair at base, base + 1 (= top - 1).
void call_plain(Fn *f, const Expr *expr, uint32_t base, bool method, uint32_t dest);
void call_unpacked(Fn *f, const Expr *expr, uint32_t base, uint32_t dest);
// The arguments as a tuple or list and a dict or None in the next two temporaries; `callee` is
// named in messages (`names_callee`: in those about a lone *x as well). True: the first is a list.
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

// The subscript parts of a target or of x[…]: compile_subscript.c.
typedef struct Index {
    uint32_t count; // 0: one operand; else that many registers in a row from `first`
    Operand operand;
    uint32_t first;
} Index;
Index index_eval(Fn *f, const Expr *index);
void index_get(Fn *f, Span span, uint32_t dest, Operand object, Index index);
void index_set(Fn *f, Span span, uint32_t object, Index index, Operand value);
// A copy of the registers, so that the index can be used again afterwards.
Index index_copy(Fn *f, Span span, Index index);
Operand index_single(Fn *f, Span span, Index index); // as one operand

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
// Exceptions from here on go to `guard` until guard_close; what was open stays so outside.
void guard_open(Fn *f, Block *block, Label guard, uint32_t reg);
void guard_close(Fn *f, Block *block);
void nesting_enter(Fn *f, Span span);
void nesting_leave(Fn *f);
// What leaving a block on the way out takes (the body of `finally`, the call of __exit__ …).
void block_leave(Fn *f, const Block *block);

// ---- code objects: compile_func.c ---------------------------------------------------------------

void fn_begin(Fn *f, Compiler *c, Fn *outer, Scope *scope, const char *name, Span span);
BcCode *fn_end(Fn *f, const ParamList *params, uint32_t flags, uint32_t line); // params: or NULL
// Makes the function of `code` in dest; the three registers from `base` hold defaults, keyword
// defaults and annotations.
void fn_make(Fn *f, Span span, BcCode *code, uint32_t base, uint32_t dest);
void fn_make_plain(Fn *f, Span span, BcCode *code, uint32_t dest); // none of the three
// The docstring of a body, or NULL.
const Expr *body_docstring(StmtList body);
StmtList body_without_docstring(StmtList body);
// Evaluates decorators into the next temporaries; what they are called with goes behind them.
void decorators_begin(Fn *f, ExprList decorators);
// `value`, the last temporary, after all decorators is stored under `name`.
void decorators_end(Fn *f, ExprList decorators, uint32_t value);

#endif
