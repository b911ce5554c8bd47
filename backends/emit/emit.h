// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders kernels as source text. One renderer writes the body; a Dialect table holds what differs
// between languages.

#ifndef NACRE_BACKENDS_EMIT_EMIT_H
#define NACRE_BACKENDS_EMIT_EMIT_H

#include "lang/support/buf.h"
#include "vm/kernel/form.h"
#include "vm/region/region.h"

typedef struct Dialect {
    const char *prelude;         // helpers that bodies call
    const char *global;          // address space qualifier of pointers to memory
    const char *types[DT_COUNT]; // spelling of each type; NULL: not available
    const char *open, *close;    // texts before and after the body of one element, `i`
    const char *region_prelude;  // further helpers, for regions
    const struct GridWords *grid; // for device languages (emit_grid.h)
} Dialect;

// Dialect.types of all languages. Half floats and complex numbers are emitted for devices only. A half is held in a
// float whose value a half can represent.
#define DIALECT_TYPE_PLAIN(ID, ctype) [DT_##ID] = #ctype,
#define DIALECT_TYPE_HALF(ID, ctype)
#define DIALECT_TYPE_COMPLEX(ID, ctype)
#define DIALECT_TYPE(A, ID, name, ctype, FORM, ...) DIALECT_TYPE_OF(FORM, ID, ctype)
#define DIALECT_TYPE_OF(FORM, ID, ctype)            DIALECT_TYPE_##FORM(ID, ctype)
#define DIALECT_TYPES                               NACRE_DTYPES(DIALECT_TYPE, )
#define DIALECT_TYPES_OF_DEVICES \
    [DT_FLOAT16] = "float", [DT_COMPLEX64] = "Complex_c64", [DT_COMPLEX128] = "Complex_c128",

extern const Dialect dialect_c, dialect_opencl, dialect_cuda;

// Name of the function in every translation unit.
#define EMITTED_NAME "nacre_code"

// A kernel's body, void nacre_code(char *const *loads, const int64_t *steps, const char *params,
// char *const *outs, size_t n), computes n elements. loads: addresses of first elements; steps:
// their strides in bytes; params: PARAM_BYTES apart; outs: contiguous, each either exactly an
// operand's memory or disjoint from it.
enum { PARAM_BYTES = 16 };
typedef void (*BodyFn)(char *const *loads, const int64_t *steps, const char *params,
                       char *const *outs, size_t n);

// Appends a translation unit. False: the dialect lacks a type.
bool emit_kernel(const Dialect *dialect, const Form *form, Buf *out);
// Appends a translation unit with a region as a RegionFn (vm/region/region.h). `notes` (or NULL) adds source lines.
bool emit_region(const Dialect *dialect, const Region *region, const RegionNotes *notes, Buf *out);
// Append the function alone, without the prelude, for people to read.
bool emit_region_text(const Dialect *dialect, const Region *region, const RegionNotes *notes,
                      Buf *out);
bool emit_kernel_text(const Dialect *dialect, const Form *form, Buf *out);
// Appends a region's function; `head` is its storage class, type and name.
bool emit_region_as(const Dialect *dialect, const Region *region, const char *head,
                    const RegionNotes *notes, Buf *out);

void emit_string(const char *text, Buf *out); // appends a C string literal

// Writes the body for one element, `i`: loads into l0 …, results of instructions into v0 …, stores
// into o0 …. Loads are a0 …, with strides s0 … if not contiguous; parameters are p0 ….
void emit_body(const Dialect *dialect, const Form *form, Buf *out);

// Hooks into emit_values and emit_code. `instr` may append text after each instruction. Quotients by the parameters in
// the bit set `inverses` are computed by nc_over() from the parameters' reciprocals q0 ….
typedef struct Behind {
    void (*instr)(const struct Behind *behind, int instr, Buf *out);
    uint32_t inverses;
} Behind;
bool emit_divides_by(const FormInstr *in, int param); // whether it is a float quotient by that parameter
// Writes the body without stores. `behind` may be NULL.
void emit_values(const Dialect *dialect, const Form *form, const Behind *behind, Buf *out);
// Writes the instructions only; the caller has written the loads l0 ….
void emit_code(const Dialect *dialect, const Form *form, const Behind *behind, Buf *out);
// Writes the variable name of a value.
enum { NAME_BYTES = 16 };
void emit_value_name(char name[NAME_BYTES], int value);
// Returns the type that a pointer to a value in memory points to; for complex numbers it is that of their parts.
const char *emit_memory_type(const Dialect *dialect, DType type);
// Append an expression that loads the value at a place; a statement that stores a value there.
void emit_load(DType type, const char *place, Buf *out);
void emit_store(DType type, const char *place, const char *value, Buf *out);
// Returns whether the dialect has all types of the form.
bool emit_can_spell(const Dialect *dialect, const Form *form);

// Render RG_NEST, whose value has the number `at`, and RG_SPREAD.
void emit_nest(const Dialect *dialect, const Region *region, const RegionInstr *instr, int32_t at,
               Buf *out);
void emit_spread(const Dialect *dialect, const Region *region, const RegionInstr *instr, Buf *out);

// Appends a block of statements that assigns an elementwise op's expression of the named operands to `result`.
void emit_expression(const Dialect *dialect, OpId op, DType from, DType type, const char *result,
                     const char *const operands[3], Buf *out);
// Appends a statement that assigns a cast of the operand to `result`.
void emit_cast_to(const Dialect *dialect, DType from, DType to, const char *result,
                  const char *operand, Buf *out);

#endif
