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
    const char *open, *close;    // surround the body of one element, `i`
    const char *region_prelude;  // further helpers, for regions
    const struct GridWords *grid; // for device languages (emit_grid.h)
} Dialect;

// Dialect.types of all languages; half floats and complex numbers are emitted for devices only. A half float is a float
// whose value a half has.
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
// The same for a region, as a RegionFn (vm/region/region.h), with the lines of `notes` (or NULL).
bool emit_region(const Dialect *dialect, const Region *region, const RegionNotes *notes, Buf *out);
// Only the function, for people to read.
bool emit_region_text(const Dialect *dialect, const Region *region, const RegionNotes *notes,
                      Buf *out);
bool emit_kernel_text(const Dialect *dialect, const Form *form, Buf *out);
// The same, where `head` is the function's storage class, type and name.
bool emit_region_as(const Dialect *dialect, const Region *region, const char *head,
                    const RegionNotes *notes, Buf *out);

void emit_string(const char *text, Buf *out); // as a C string literal

// Writes the body for one element, `i`: loads into l0 …, results of instructions into v0 …, stores
// into o0 …. Loads are a0 …, with strides s0 … if not contiguous; parameters are p0 ….
void emit_body(const Dialect *dialect, const Form *form, Buf *out);

// Writes the body without stores. A `behind` callback (or NULL) may append text after each
// instruction. Quotients by the parameters in `inverses` are made of their reciprocals q0 …, by nc_over().
typedef struct Behind {
    void (*instr)(const struct Behind *behind, int instr, Buf *out);
    uint32_t inverses;
} Behind;
bool emit_divides_by(const FormInstr *in, int param); // a float quotient by that parameter
void emit_values(const Dialect *dialect, const Form *form, const Behind *behind, Buf *out);
// The same of loads l0 … that the caller has written.
void emit_code(const Dialect *dialect, const Form *form, const Behind *behind, Buf *out);
// Writes the variable name of a value.
enum { NAME_BYTES = 16 };
void emit_value_name(char name[NAME_BYTES], int value);
// Memory of a value: the type that pointers to it have (of complex numbers that of their parts), and what loads the
// value at a place, or stores one, as a statement.
const char *emit_memory_type(const Dialect *dialect, DType type);
void emit_load(DType type, const char *place, Buf *out);
void emit_store(DType type, const char *place, const char *value, Buf *out);
// Returns whether the dialect has all types.
bool emit_can_spell(const Dialect *dialect, const Form *form);

// Render RG_NEST (its value is `at`) and RG_SPREAD.
void emit_nest(const Dialect *dialect, const Region *region, const RegionInstr *instr, int32_t at,
               Buf *out);
void emit_spread(const Dialect *dialect, const Region *region, const RegionInstr *instr, Buf *out);

// `result` = an elementwise op's expression with named operands, as a block of statements.
void emit_expression(const Dialect *dialect, OpId op, DType from, DType type, const char *result,
                     const char *const operands[3], Buf *out);
// `result` = a cast, as a statement.
void emit_cast_to(const Dialect *dialect, DType from, DType to, const char *result,
                  const char *operand, Buf *out);

#endif
