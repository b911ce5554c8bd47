// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The emitter collects the instructions, labels, exception ranges, temporary registers and constants
// of one code object. Unreachable instructions (after a jump or return, before a label that is used)
// are not appended.

#ifndef NACRE_LANG_EMIT_H
#define NACRE_LANG_EMIT_H

#include "lang/bytecode.h"
#include "lang/context.h"

typedef uint32_t Operand; // an `x` field: a register, or a constant's number with CONST_BIT
typedef uint32_t Label;   // jumps hold labels until emit_finish replaces them by indexes

enum { NO_LABEL = 0xffffffffu, MAX_CODE = 1 << 24 };

typedef struct LabelState {
    uint32_t position; // NO_LABEL until bound
    bool used;         // reachable code jumps here
} LabelState;

typedef struct EmitHandler {
    BcHandler row;  // handler: a label
    uint32_t depth; // nesting of the range: inner ranges have larger numbers
} EmitHandler;

typedef struct ConstTable {
    BcConst *items;
    uint32_t count, cap;
    uint32_t *slots; // hash table of constant numbers + 1; 0: empty
    uint32_t slot_cap;
} ConstTable;

typedef struct Emitter {
    Context *ctx;
    Arena *out; // the unit's, which holds the constants
    Instr *code;
    BcSpan *spans;
    uint8_t *marks;
    uint32_t len, code_cap, span_cap, mark_cap;
    LabelState *labels;
    uint32_t label_count, label_cap;
    EmitHandler *handlers;
    uint32_t handler_count, handler_cap;
    ConstTable consts;
    uint32_t top;       // first free temporary
    uint32_t reg_count; // most registers ever in use
    Span where;         // of the code object, for errors about it as a whole
    bool reachable;
    bool statement; // the next instruction starts a statement
} Emitter;

void emit_init(Emitter *e, Context *ctx, Arena *out, Span where, uint32_t local_count);

// Append an instruction with zeroed extension words.
void emit(Emitter *e, Span span, Opcode op, uint32_t a, uint32_t b, uint32_t c);
void emit_alt(Emitter *e, Span span, Opcode op, uint32_t a, uint32_t b, uint32_t c); // FLAG_ALT
void emit_wide(Emitter *e, Span span, Opcode op, uint32_t a, uint32_t number);
void emit_extension(Emitter *e, uint32_t number); // sets the last extension word of the last instruction
void emit_move(Emitter *e, Span span, uint32_t dest, Operand source); // emits nothing if they are equal

Label emit_label(Emitter *e);
void emit_bind(Emitter *e, Label label);
// Announces that a jump emitted later leads to the label, so that code at it counts as reachable.
void emit_expect(Emitter *e, Label label);
// Emits a jump. op: JUMP (reg 0), JUMP_IF, JUMP_IFNOT.
void emit_jump(Emitter *e, Span span, Opcode op, uint32_t reg, Label label);
void emit_for(Emitter *e, Span span, uint32_t iterator, uint32_t dest, Label body);

// Records that exceptions in [start, here) go to `handler`. Does nothing if the range is empty.
void emit_protect(Emitter *e, uint32_t start, Label handler, uint32_t reg, uint32_t depth);

// Allocates `count` consecutive temporaries and returns the first. They are a stack: resetting `top`
// frees them.
uint32_t emit_temps(Emitter *e, uint32_t count);
static inline uint32_t emit_temp(Emitter *e) {
    return emit_temps(e, 1);
}

// Return a constant as an operand (with CONST_BIT). An equal constant is reused; the value is copied.
Operand emit_const(Emitter *e, const BcConst *value);
Operand emit_const_kind(Emitter *e, BcConstKind kind);
Operand emit_const_int(Emitter *e, int64_t value);
Operand emit_const_text(Emitter *e, Text text);
Operand emit_const_name(Emitter *e, Name name);
// Returns the constant number of a name, for a `k` field (without CONST_BIT).
uint32_t emit_name(Emitter *e, Name name);

// Fills in the instructions, constants, handlers and register count of `code`, whose parameters and
// locals are set already. Resolves labels, drops checks that cannot fail, and marks last uses.
void emit_finish(Emitter *e, BcCode *code);

#endif
