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
    DT_NONE = DT_COUNT, // no type, or not decided yet
} DType;

typedef enum DKind { DK_BOOL, DK_INT, DK_UINT, DK_FLOAT, DK_COMPLEX, DK_COUNT } DKind;

typedef struct DTypeInfo {
    const char *name;      // "float64"
    const char *type_name; // "numpy.float64", as messages call a scalar
    const char *base;      // name of the abstract class above the scalar's
    DKind kind;
    char kind_letter, type_letter;
    uint8_t size; // bytes
    bool half;    // FORM
} DTypeInfo;
extern const DTypeInfo dtype_info[DT_COUNT];

enum { DTYPE_SIZE_MAX = 16 }; // bytes of the largest element

// One element outside memory: integers and bool in i (uint64 in u), floats in f as double, complex
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
// The type of a complex number's parts; others stay. And the complex type of such parts.
DType dtype_real(DType t);
DType dtype_complex(DType t);

// The smallest type that holds both, as np.promote_types.
DType dtype_promote(DType a, DType b);
// Several types, each once, and the type that holds them all: not always that of one pair after the
// other. DT_NONE without any. dtype_promote_all uses the set up.
typedef struct DTypeSet {
    DType types[DT_COUNT];
    int count;
} DTypeSet;
void dtype_set_add(DTypeSet *set, DType t);
DType dtype_promote_all(DTypeSet *set);

typedef enum Casting { CAST_NO, CAST_EQUIV, CAST_SAFE, CAST_SAME_KIND, CAST_UNSAFE } Casting;
bool dtype_can_cast(DType from, DType to, Casting casting);

// By NumPy's name ("float64", "float", "<f8", "d", "bool_" …); DT_NONE when there is no such type.
// *swapped: the text asks for the other byte order.
DType dtype_by_name(const char *text, size_t len, bool *swapped);

// The range of an integer type.
int64_t dtype_min(DType t);
uint64_t dtype_max(DType t);

// Moves one element between memory and a Scalar.
Scalar dtype_load(DType t, const void *at);
void dtype_store(DType t, void *at, Scalar s);
// As a C cast; bool: != 0; of a complex number, the real part.
Scalar dtype_convert(DType from, DType to, Scalar s);

#endif
