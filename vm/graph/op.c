// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The op table and its dtype rules.

#include "vm/graph/op.h"

#include <math.h>

// For reductions, the bool-expression column holds the combining op. Elementwise rows have an
// expression there, which is no identifier: so the column is read as text, and only looked up for
// the classes that need it.
enum { COMBINE_NONE = AOP_NONE };
#define COMBINE_ELEMENTWISE(e) AOP_NONE
#define COMBINE_LIBRARY(e) AOP_NONE
#define COMBINE_CREATION(e) AOP_NONE
#define COMBINE_REDUCTION(e) AOP_##e
#define COMBINE_SCAN(e) AOP_##e

const OpInfo op_info[AOP_COUNT] = {
#define OP(ID, name, arity, CLASS, drule, eff, may, zeros, ident, comm, tol, part, vector, eb, ei, eu, ef, ec, doc) \
    [AOP_##ID] = {name, arity, CLASS_##CLASS, RULE_##drule, EFFECT_##eff, may, comm, ZEROS_##zeros,                \
                  IDENTITY_##ident, tol, #part, #vector, {#eb, #ei, #eu, #ef, #ec}, COMBINE_##CLASS(eb), doc},
#include "vm/graph/ops.def"
};

// Reduction and scan rows by their combining op, plus 1; 0: none. Rows that combine by any op are
// at AOP_NONE.
#define ROW_ELEMENTWISE_REDUCTION(ID, e)
#define ROW_LIBRARY_REDUCTION(ID, e)
#define ROW_CREATION_REDUCTION(ID, e)
#define ROW_SCAN_REDUCTION(ID, e)
#define ROW_REDUCTION_REDUCTION(ID, e) [AOP_##e] = AOP_##ID + 1,
#define ROW_ELEMENTWISE_SCAN(ID, e)
#define ROW_LIBRARY_SCAN(ID, e)
#define ROW_CREATION_SCAN(ID, e)
#define ROW_REDUCTION_SCAN(ID, e)
#define ROW_SCAN_SCAN(ID, e) [AOP_##e] = AOP_##ID + 1,

static const uint16_t reductions[AOP_COUNT + 1] = {
#define OP(ID, name, arity, CLASS, drule, eff, may, zeros, ident, comm, tol, part, vector, eb, ...) \
    ROW_##CLASS##_REDUCTION(ID, eb)
#include "vm/graph/ops.def"
};

static const uint16_t scans[AOP_COUNT + 1] = {
#define OP(ID, name, arity, CLASS, drule, eff, may, zeros, ident, comm, tol, part, vector, eb, ...) \
    ROW_##CLASS##_SCAN(ID, eb)
#include "vm/graph/ops.def"
};

static const bool cubic[AOP_COUNT] = {
#define OP(...)
#define CUBIC(ID) [AOP_##ID] = true,
#include "vm/graph/ops.def"
};

OpId op_named(const char *name, size_t len) {
    for (int op = 0; op < AOP_COUNT; op++)
        if (strlen(op_info[op].name) == len && memcmp(op_info[op].name, name, len) == 0) return (OpId)op;
    return AOP_NONE;
}

OpId op_reduction(OpId op) {
    return reductions[op] ? (OpId)(reductions[op] - 1) : AOP_REDUCE;
}

OpId op_scan(OpId op) {
    return scans[op] ? (OpId)(scans[op] - 1) : AOP_ACCUMULATE;
}

bool op_is_cubic(OpId op) {
    return cubic[op];
}

// Returns the float type in which NumPy computes for an argument of a type.
static DType float_for(DType t) {
    if (dtype_is_inexact(t)) return t;
    if (dtype_size(t) == 1) return DT_FLOAT16;
    return dtype_size(t) == 2 ? DT_FLOAT32 : DT_FLOAT64;
}

static DType sum_type(DType t) {
    switch (dtype_kind(t)) {
    case DK_BOOL:
    case DK_INT: return DT_INT64;
    case DK_UINT: return DT_UINT64;
    default: return t;
    }
}

// Returns the type that operands are cast to.
static DType loop_type(OpId op, DType t) {
    switch ((DTypeRule)op_info[op].dtype_rule) {
    case RULE_DIVIDE: return dtype_is_inexact(t) ? t : DT_FLOAT64;
    case RULE_FLOAT:
    case RULE_FLOAT_TRUTH:
    case RULE_EXPONENT: return float_for(t);
    case RULE_INT8: return t == DT_BOOL ? DT_INT8 : t;
    case RULE_WIDE: return dtype_kind(t) == DK_COMPLEX ? DT_COMPLEX128 : DT_FLOAT64;
    case RULE_SUM: return sum_type(t);
    default: return t;
    }
}

bool op_types(OpId op, DType t, DType *loop, DType *result) {
    *loop = loop_type(op, t);
    *result = op_result_type(op, *loop);
    switch ((DTypeRule)op_info[op].dtype_rule) {
    case RULE_DIVIDE:
    case RULE_SIZE:
    case RULE_WIDE:
    case RULE_SUM:
    case RULE_INDEX: return true;
    default: return op_info[op].op_class != CLASS_ELEMENTWISE || op_has_loop(op, *loop);
    }
}

Scalar op_identity(OpId op, DType type) {
    Scalar s = {.re = 0, .im = 0};
    bool inexact = dtype_is_inexact(type);
    switch ((Identity)op_info[op].identity) {
    case IDENTITY_ONE:
        if (inexact) s.f = 1;
        else s.i = 1;
        break;
    case IDENTITY_ALL_BITS: s.i = type == DT_BOOL ? 1 : -1; break;
    case IDENTITY_MINUS_INFINITY: s.f = -INFINITY; break;
    default: break;
    }
    return s;
}
