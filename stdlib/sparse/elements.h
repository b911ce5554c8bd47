// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Types of entries, and operations on two of them. Rows of NACRE_DTYPES are passed to macros that are written once for
// all types. FORM##_ENTRY(...) omits float16, which sparse arrays cannot have. NAME_KIND(a, b) is an operation in the
// arithmetic of a type `T` of that kind.

#ifndef NACRE_STDLIB_SPARSE_ELEMENTS_H
#define NACRE_STDLIB_SPARSE_ELEMENTS_H

#include "backends/cpu/loops/complex_math.h"
#include "vm/graph/dtype.h"

#define PLAIN_ENTRY(...) __VA_ARGS__
#define COMPLEX_ENTRY(...) __VA_ARGS__
#define HALF_ENTRY(...)

#define ADD_BOOL(a, b) (T)((a) | (b))
#define ADD_INT(a, b) (T)((uint64_t)(a) + (uint64_t)(b))
#define ADD_UINT(a, b) (T)((a) + (b))
#define ADD_FLOAT(a, b) ((a) + (b))
#define ADD_COMPLEX(a, b) ((a) + (b))

#define SUBTRACT_BOOL(a, b) (T)((a) ^ (b))
#define SUBTRACT_INT(a, b) (T)((uint64_t)(a) - (uint64_t)(b))
#define SUBTRACT_UINT(a, b) (T)((a) - (b))
#define SUBTRACT_FLOAT(a, b) ((a) - (b))
#define SUBTRACT_COMPLEX(a, b) ((a) - (b))

#define MULTIPLY_BOOL(a, b) (T)((a) & (b))
#define MULTIPLY_INT(a, b) (T)((uint64_t)(a) * (uint64_t)(b))
#define MULTIPLY_UINT(a, b) (T)((uint64_t)(a) * (uint64_t)(b))
#define MULTIPLY_FLOAT(a, b) ((a) * (b))
#define MULTIPLY_COMPLEX(a, b) nc_mul_c(a, b)

// Only these two kinds are divided: the language converts whole numbers to floats before.
#define DIVIDE_FLOAT(a, b) ((a) / (b))
#define DIVIDE_COMPLEX(a, b) ((b) == 0 ? (T)(NAN + NAN * 1.0fi) : nc_div_c(a, b)) // division by zero as in SciPy: NaN

// Complex numbers are ordered by their real parts, then by their imaginary parts.
#define LESS_BOOL(a, b) ((a) < (b))
#define LESS_INT(a, b) ((a) < (b))
#define LESS_UINT(a, b) ((a) < (b))
#define LESS_FLOAT(a, b) ((a) < (b))
#define LESS_COMPLEX(a, b) \
    (__real__(a) == __real__(b) ? __imag__(a) < __imag__(b) : __real__(a) < __real__(b))

// As in SciPy: if an operand is NaN, the result is the first operand.
#define MAXIMUM(KIND, a, b) (LESS_##KIND(a, b) ? (b) : (a))
#define MINIMUM(KIND, a, b) (LESS_##KIND(b, a) ? (b) : (a))

#define IS_NAN_BOOL(a) false
#define IS_NAN_INT(a) false
#define IS_NAN_UINT(a) false
#define IS_NAN_FLOAT(a) ((a) != (a))
#define IS_NAN_COMPLEX(a) ((a) != (a))

// Size of an element in bytes; 0 for a type that entries cannot have.
#define ENTRY_SIZE(A, ID, name, ctype, FORM, ...) FORM##_ENTRY([DT_##ID] = sizeof(ctype),)
__attribute__((unused)) static const uint8_t entry_sizes[DT_COUNT] = {NACRE_DTYPES(ENTRY_SIZE, )};

// Elements as types of their size, for code that only moves them.
typedef struct Element16 {
    uint64_t half[2];
} Element16;
#define SPARSE_SIZES(X, A) X(A, 1, uint8_t) X(A, 2, uint16_t) X(A, 4, uint32_t) X(A, 8, uint64_t) X(A, 16, Element16)

// Returns the position of a size in tables ordered by size: 1, 2, 4, 8, 16.
static inline int size_place(size_t size) {
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
}

#endif
