// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writes the helpers for half floats and complex numbers, which are the same in all device languages.

#include "backends/emit/emit_numbers.h"

#include "backends/emit/emit_grid.h"
#include "emit_prelude.h"

// Text that calls a macro for both complex types. Its arguments are the type of the parts and suffixes of names.
#define OF_BOTH(macro) #macro "(float, c64, c, f)\n" #macro "(double, c128, c, )\n"

static bool is_complex(uint8_t type) {
    return dtype_kind((DType)type) == DK_COMPLEX;
}

// Returns whether a complex operation is arithmetic: whether it needs none of the complex functions.
static bool is_arithmetic(OpId op) {
    switch (op) {
    case AOP_ADD:
    case AOP_SUBTRACT:
    case AOP_MULTIPLY:
    case AOP_DIVIDE:
    case AOP_ABSOLUTE:
    case AOP_SIGN:
    case AOP_CONJUGATE:
    case AOP_SQUARE:
    case AOP_RECIPROCAL:
    case AOP_RINT:
    case AOP_CAST: return true;
    default: return op_info[op].effects == EFFECT_PURE;
    }
}

void needs_type(Needs *needs, uint8_t type) {
    needs->half |= type == DT_FLOAT16;
    needs->complex |= is_complex(type);
}

void needs_op(Needs *needs, OpId op, uint8_t from, uint8_t type, bool tells) {
    needs_type(needs, from);
    needs_type(needs, type);
    if (!is_complex(from)) return;
    needs->functions |= !is_arithmetic(op);
    needs->flags |= tells && op != AOP_CAST;
    needs->more_flags |= tells && !is_arithmetic(op);
}

void needs_put(const Needs *needs, const Dialect *dialect, Buf *out) {
    if (needs->half) buf_puts(out, NACRE_HALF);
    if (needs->complex) {
        buf_puts(out, dialect->grid->complex);
        buf_puts(out, NACRE_COMPLEX_PARTS OF_BOTH(COMPLEX_PARTS) NACRE_COMPLEX_NAMES);
    }
    if (needs->functions) buf_puts(out, NACRE_COMPLEX_FUNCTIONS NACRE_COMPLEX_MORE OF_BOTH(COMPLEX_MORE));
    if (needs->flags) buf_puts(out, NACRE_COMPLEX_FLAGS OF_BOTH(COMPLEX_FLAGS));
    if (needs->more_flags) buf_puts(out, OF_BOTH(COMPLEX_MORE_FLAGS));
}
