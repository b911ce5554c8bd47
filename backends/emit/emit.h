// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Source text for kernels. One renderer writes the body; what languages differ in stands in a table
// for each.

#ifndef NACRE_BACKENDS_EMIT_EMIT_H
#define NACRE_BACKENDS_EMIT_EMIT_H

#include "lang/support/buf.h"
#include "vm/kernel/form.h"
#include "vm/region/region.h"

typedef struct Dialect {
    const char *prelude;         // what bodies call
    const char *global;          // in front of types of what lies in the machine's memory
    const char *types[DT_COUNT]; // how each type is spelled; NULL: not in this language
    const char *open, *close;    // around the body of one element, `i`
    const char *region_prelude;  // what regions call besides
    const struct GridWords *grid; // of languages of devices (emit_grid.h)
} Dialect;

extern const Dialect dialect_c, dialect_opencl;

// The function's name in every unit.
#define EMITTED_NAME "nacre_code"

// A kernel's body: void nacre_code(char *const *loads, const int64_t *steps, const char
// *params, char *const *outs, size_t n) computes n elements. Loads are the addresses of first
// elements and their strides in bytes; params lie PARAM_BYTES apart; outs are contiguous, each an
// operand's memory or apart from it.
enum { PARAM_BYTES = 16 };
typedef void (*BodyFn)(char *const *loads, const int64_t *steps, const char *params,
                       char *const *outs, size_t n);

// Appends a whole translation unit. False: the dialect has no word for a type in it.
bool emit_kernel(const Dialect *dialect, const Form *form, Buf *out);
// The same of a region: a RegionFn (vm/region/region.h), `notes` (or NULL) with it.
bool emit_region(const Dialect *dialect, const Region *region, const RegionNotes *notes, Buf *out);
// For people: the function alone.
bool emit_region_text(const Dialect *dialect, const Region *region, const RegionNotes *notes,
                      Buf *out);
bool emit_kernel_text(const Dialect *dialect, const Form *form, Buf *out);
// The same with `head` for the function's storage class, type and name.
bool emit_region_as(const Dialect *dialect, const Region *region, const char *head,
                    const RegionNotes *notes, Buf *out);

void emit_string(const char *text, Buf *out); // as a literal of C

// The body of a form for one element, `i`: loads into l0 …, then v0 …; its results into o0 …. Loads
// are a0 …, s0 … bytes apart where they are strided, parameters p0 ….
void emit_body(const Dialect *dialect, const Form *form, Buf *out);

// What of it makes values, without what is stored; `behind` (or NULL) is asked for more after each
// instruction.
typedef struct Behind {
    void (*instr)(const struct Behind *behind, int instr, Buf *out);
} Behind;
void emit_values(const Dialect *dialect, const Form *form, const Behind *behind, Buf *out);
// What a value of a kernel is called in it.
enum { NAME_BYTES = 16 };
void emit_value_name(char name[NAME_BYTES], int value);
// Whether there are words for all types.
bool emit_can_spell(const Dialect *dialect, const Form *form);

// What RG_NEST (its value is `at`) and RG_SPREAD do.
void emit_nest(const Dialect *dialect, const Region *region, const RegionInstr *instr, int32_t at,
               Buf *out);
void emit_spread(const Dialect *dialect, const Region *region, const RegionInstr *instr, Buf *out);

// `result` = an elementwise op's expression, of operands by name: statements in a block of their
// own.
void emit_expression(const Dialect *dialect, OpId op, DType from, DType type, const char *result,
                     const char *const operands[3], Buf *out);
// `result` = a cast, as a statement.
void emit_cast_to(const Dialect *dialect, DType from, DType to, const char *result,
                  const char *operand, Buf *out);

#endif
