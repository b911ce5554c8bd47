// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Data types of array elements: their table (dtypes.def) and NumPy's promotion rules (NEP 50).

#ifndef NACRE_VM_GRAPH_DTYPE_H
#define NACRE_VM_GRAPH_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/graph/dtypes.def"

typedef enum DType {
#define ROW(A, ID, ...) DT_##ID,
    NACRE_DTYPES(ROW, )
#undef ROW
    DT_COUNT,
    DT_NONE = DT_COUNT, // no type, or undecided
} DType;

typedef enum DKind { DK_BOOL, DK_INT, DK_UINT, DK_FLOAT, DK_COMPLEX, DK_COUNT } DKind;

typedef struct DTypeInfo {
    const char *name;      // "float64"
    const char *type_name; // "numpy.float64", a scalar's name in messages
    const char *base;      // abstract base class of the scalar's class
    DKind kind;
    char kind_letter, type_letter;
    uint8_t size; // bytes
    bool half;    // FORM
} DTypeInfo;
extern const DTypeInfo dtype_info[DT_COUNT];

enum { DTYPE_SIZE_MAX = 16 }; // size of the largest element

// One element as a value: integers and bool in i (uint64 in u), floats in f as double, complex
// numbers in re and im.
typedef union Scalar {
    int64_t i;
    uint64_t u;
    double f;
    struct {
        double re, im;
    };
} Scalar;

static inline DKind dtype_kind(DType t) {
    return dtype_info[t].kind;
}
static inline size_t dtype_size(DType t) {
    return dtype_info[t].size;
}
static inline bool dtype_is_integer(DType t) {
    return dtype_kind(t) == DK_INT || dtype_kind(t) == DK_UINT;
}
static inline bool dtype_is_inexact(DType t) {
    return dtype_kind(t) == DK_FLOAT || dtype_kind(t) == DK_COMPLEX;
}
// Return the real type of a complex type's parts (other types are unchanged), and the complex type of
// a real one.
DType dtype_real(DType t);
DType dtype_complex(DType t);

// Returns the smallest type that holds both, as np.promote_types.
DType dtype_promote(DType a, DType b);
// A set of types, and the type that holds them all, which is not always the result of pairwise
// promotion. DT_NONE if empty. dtype_promote_all consumes the set.
typedef struct DTypeSet {
    DType types[DT_COUNT];
    int count;
} DTypeSet;
void dtype_set_add(DTypeSet *set, DType t);
DType dtype_promote_all(DTypeSet *set);

typedef enum Casting { CAST_NO, CAST_EQUIV, CAST_SAFE, CAST_SAME_KIND, CAST_UNSAFE } Casting;
bool dtype_can_cast(DType from, DType to, Casting casting);

// Looks up a NumPy name ("float64", "float", "<f8", "d", "bool_" …); DT_NONE if unknown. *swapped:
// the name asks for the other byte order.
DType dtype_by_name(const char *text, size_t len, bool *swapped);

// Return the smallest and the largest value of an integer type.
int64_t dtype_min(DType t);
uint64_t dtype_max(DType t);

// Loads or stores an element in memory.
Scalar dtype_load(DType t, const void *at);
void dtype_store(DType t, void *at, Scalar s);
// Converts as a C cast does; to bool: != 0; from complex: the real part.
Scalar dtype_convert(DType from, DType to, Scalar s);
// Returns whether a float can be converted to an integer type. If not, that is an invalid operation.
bool dtype_holds(DType to, double d);

#endif
