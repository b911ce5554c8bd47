// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The table of array operations, made from ops.def.

#ifndef NACRE_VM_GRAPH_OP_H
#define NACRE_VM_GRAPH_OP_H

#include <string.h>

#include "vm/graph/dtype.h"

typedef enum OpId {
#define OP(ID, ...) AOP_##ID,
#include "vm/graph/ops.def"
    AOP_COUNT,
    AOP_NONE = AOP_COUNT
} OpId;

typedef enum OpClass {
    CLASS_ELEMENTWISE,
    CLASS_REDUCTION,
    CLASS_SCAN,
    CLASS_CREATION,
    CLASS_LIBRARY
} OpClass;
typedef enum DTypeRule {
    RULE_SAME, RULE_DIVIDE, RULE_FLOAT, RULE_COMPARE, RULE_LOGICAL, RULE_BITS, RULE_INT8,
    RULE_WIDE, RULE_COUNT, RULE_FLOAT_TRUTH, RULE_EXPONENT,
    RULE_SELECT, RULE_CAST, RULE_SIZE, RULE_SUM, RULE_INDEX, RULE_ARGS
} DTypeRule;
typedef enum OpEffects { EFFECT_PURE, EFFECT_FPE } OpEffects;
typedef enum Identity {
    IDENTITY_NONE, IDENTITY_ZERO, IDENTITY_ONE, IDENTITY_ALL_BITS, IDENTITY_MINUS_INFINITY
} Identity;
// How an op treats zeros, as in ops.def.
typedef enum Zeros { ZEROS_NONE, ZEROS_KEPT, ZEROS_LEFT, ZEROS_EITHER } Zeros;

typedef struct OpInfo {
    const char *name; // NumPy's name
    uint8_t arity, op_class, dtype_rule, effects;
    bool may_raise, commutative;
    uint8_t zeros, identity;
    int tolerance;            // allowed difference between backends, in ulps
    const char *partition;    // as in ops.def, or "NONE"
    const char *vector;       // as in ops.def, or "NONE"
    const char *expr[DK_COUNT]; // by kind of the operands; "NONE": no such loop
    OpId combine;             // reductions and scans: the combining elementwise op
    const char *doc;
} OpInfo;
extern const OpInfo op_info[AOP_COUNT];

static inline bool op_has_loop(OpId op, DType t) {
    const char *expr = op_info[op].expr[dtype_kind(t)];
    return expr[0] != 'N' || expr[1] != 'O';
}

OpId op_named(const char *name, size_t len); // AOP_NONE: no such op

// Return the reduction, or scan, by an elementwise op; REDUCE or ACCUMULATE if there is no row for it.
OpId op_reduction(OpId op);
OpId op_scan(OpId op);

// Returns whether an op's work grows faster than its operands (products and linear algebra).
bool op_is_cubic(OpId op);

// Returns the identity of an op that has one, as an element of a type.
Scalar op_identity(OpId op, DType type);

// Applies the op's type rule: *loop is the type that operands are cast to, *result that of the result.
// `promoted` is the operands' common type. False: the op is not defined for it (both are DT_NONE).
bool op_types(OpId op, DType promoted, DType *loop, DType *result);
// Returns the result's type for operands that have been cast to `loop`.
static inline DType op_result_type(OpId op, DType loop) {
    switch ((DTypeRule)op_info[op].dtype_rule) {
    case RULE_COMPARE:
    case RULE_LOGICAL:
    case RULE_FLOAT_TRUTH: return DT_BOOL;
    case RULE_COUNT: return DT_UINT8;
    case RULE_EXPONENT: return DT_INT32;
    case RULE_INDEX: return DT_INT64;
    case RULE_SIZE: return dtype_real(loop);
    default: return loop;
    }
}

// Returns whether the op has a vector function.
static inline bool op_has_vector(OpId op) {
    return strcmp(op_info[op].vector, "NONE") != 0;
}

#endif
