// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The compiled form of a source text: units, code objects, instructions. This is plain data in the
// allocator that the compiler was given; the virtual machine turns the constants into values.

#ifndef NACRE_LANG_BYTECODE_H
#define NACRE_LANG_BYTECODE_H

#include "lang/support/buf.h"

typedef enum Opcode {
#define OP(name, words, a, b, c) OP_##name,
#include "lang/opcodes.def"
#undef OP
    OP_COUNT
} Opcode;

enum {
    FLAG_LAST_A = 1,
    FLAG_LAST_B = 2,
    FLAG_LAST_C = 4,
    FLAG_ALT = 128,
    CONST_BIT = 0x8000, // in an `x` field
    MAX_REGS = 0x7fff,
    MAX_CONSTS = 0x7fff,
};

typedef struct Instr {
    uint8_t op, flags;
    uint16_t a, b, c;
} Instr; // 8 bytes; an extension word stores a 32-bit number in (b, c)

static inline uint32_t instr_wide(Instr i) {
    return (uint32_t)i.b | (uint32_t)i.c << 16;
}
static inline Instr instr_with_wide(Instr i, uint32_t wide) {
    i.b = (uint16_t)wide;
    i.c = (uint16_t)(wide >> 16);
    return i;
}

// Returns the operator (OP_ADD … OP_GE) of a binary instruction or comparison, also for its _INT form.
static inline Opcode instr_operator(const Instr *at) {
    return (Opcode)(at->op >= OP_ADD_INT ? at->op - OP_ADD_INT + OP_ADD : at->op);
}

// Returns whether FLAG_ALT on this instruction means that a conditional jump on register a follows.
static inline bool op_is_test(uint8_t op) {
    return (op >= OP_LT && op <= OP_GE) || (op >= OP_LT_INT && op <= OP_NOT_IN) ||
           op == OP_GETITEM || op == OP_GETATTR;
}

// A row of opcodes.def.
typedef struct BcOpInfo {
    const char *name;
    uint8_t words;
    char a, b, c;
} BcOpInfo;
extern const BcOpInfo bc_op_info[OP_COUNT];

// Place of an instruction in the source: lines from 1, columns from 0 in bytes, end exclusive.
typedef struct BcSpan {
    uint32_t line, col, end_line, end_col;
} BcSpan;

typedef enum BcConstKind {
    BC_NONE, BC_TRUE, BC_FALSE, BC_ELLIPSIS,
    BC_INT,     // fits int64
    BC_BIG,     // `text` = digits in `base`
    BC_FLOAT,
    BC_IMAG,    // complex with zero real part
    BC_STR,
    BC_BYTES,
    BC_TUPLE,   // of constants
    BC_CODE,
} BcConstKind;

typedef struct BcConst {
    BcConstKind kind;
    uint32_t len;  // number of bytes in `text`, or of items in a tuple
    int32_t base;
    union {
        int64_t i;
        double f;
        char *text;              // NUL-terminated, may hold NULs
        struct BcConst *items;
        struct BcCode *code;
    };
} BcConst;

// An exception raised at an instruction in [start, end) goes to `handler`: registers from `reg` on
// are released, the exception is put into `reg`. Inner rows stand before outer ones.
typedef struct BcHandler {
    uint32_t start, end, handler, reg;
} BcHandler;

// Where FUNC, which creates a function, finds a variable that the function captures: a cell in a
// register of the enclosing function, or one of the enclosing function's free variables.
typedef struct BcCapture {
    bool from_register;
    uint16_t index;
    char *name;
} BcCapture;

typedef enum BcCodeFlag {
    BC_MODULE = 1,      // top level
    BC_CLASS_BODY = 2,  // names live in a namespace dict
    BC_GENERATOR = 4,
    BC_VARARGS = 8,
    BC_VARKW = 16,
    BC_LAMBDA = 32,
    BC_COMPREHENSION = 64, // its only parameter is the first iterator
    BC_HAS_DOC = 128,   // constant 0 is the docstring
    BC_LOCALS = 256,    // calls locals(): named registers keep their values
} BcCodeFlag;

// Registers: parameters first, in the order in which they bind (positional, keyword-only, *args,
// **kw), then other locals, then temporaries.
typedef struct BcCode {
    char *name, *qualname;
    uint32_t flags;
    uint32_t line; // of def / class / lambda
    uint16_t positional_only, positional, keyword_only;
    uint16_t local_count; // named registers
    uint16_t reg_count;
    char **local_names;   // local_count
    Instr *code;
    BcSpan *spans;        // parallel to code; NULL: bc_span finds it in `lines`
    uint8_t *marks;       // parallel to code: BC_MARK_STATEMENT
    uint32_t code_len;
    BcConst *consts;
    uint32_t const_count;
    BcHandler *handlers;
    uint32_t handler_count;
    BcCapture *captures;  // free variables, by number
    uint32_t capture_count;
    // For the library's own code before bc_unpack_body: the packed body (names of locals,
    // instructions, constants and handlers), whose fields above are not filled in yet. Otherwise NULL.
    const unsigned char *packed;
    uint32_t packed_len;
    // For the library's own code: line numbers, left packed since few are ever needed.
    const unsigned char *lines;
    uint32_t lines_len;
} BcCode;
enum { BC_MARK_STATEMENT = 1 }; // first instruction of a statement

// Returns the place of instruction `pc` in the source, or that of the `def` if pc is past the end.
BcSpan bc_span(const BcCode *code, uint32_t pc);

static inline uint32_t bc_param_count(const BcCode *code) {
    return (uint32_t)code->positional + code->keyword_only + !!(code->flags & BC_VARARGS) +
           !!(code->flags & BC_VARKW);
}

// One compiled text. Global variables are numbered by the unit: slot n is named globals[n]; the
// virtual machine maps them to the module's slots when it loads the unit.
typedef struct BcUnit {
    Mem *mem;
    char *filename;
    char **globals;
    uint32_t global_count;
    BcCode *main;
    char *bytes; // or NULL: packed bytes that the unit refers to (bc_unpack_own), freed with it
    size_t byte_count;
} BcUnit;

void bc_unit_free(BcUnit *unit); // NULL allowed

// Checks everything that the interpreter relies on: opcodes, word counts, register and constant
// numbers and kinds, jump targets, handlers, captures, last-use flags, and that no path runs off
// the end. On failure returns false and writes one line to `why` (may be NULL).
bool bc_verify(const BcUnit *unit, Buf *why);

// Packs a unit into bytes (the format of modules that are compiled ahead of time), and unpacks it.
// bc_unpack checks sizes and runs bc_verify. It returns false, with *out NULL, if the bytes are
// damaged or, with *no_memory set, if memory ran out. The caller owns *out.
bool bc_pack(const BcUnit *unit, Buf *out);
bool bc_unpack(Mem *mem, const char *bytes, size_t len, BcUnit **out, bool *no_memory);
// Pack and unpack modules that are part of the library and were verified when it was built. The bytes
// are borrowed for as long as the unit lives. They hold no columns, which are shown only below a
// source line, and the source is not there. Code objects have no body until bc_unpack_body adds it;
// that returns false, with nothing changed, if memory ran out.
bool bc_pack_own(const BcUnit *unit, Buf *out);
bool bc_unpack_own(Mem *mem, const char *bytes, size_t len, BcUnit **out, bool *no_memory);
bool bc_unpack_body(BcUnit *unit, BcCode *code);

// Writes one line per instruction, with the names of registers, globals and constants.
void bc_disassemble(const BcCode *code, const BcUnit *unit, Buf *out);

#endif
