// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Emits instructions in front of a loop that compute its integers in the first and the last
// iteration, and their bounds (interval arithmetic).

#include "vm/region/range.h"

#include "vm/region/kind.h"

typedef struct Bounds {
    int32_t low, high;
} Bounds;

// --- Numbers -----------------------------------------------------------------------------------

static int32_t number(LoopRanges *s, int64_t i) {
    return region_add_int(s->maker, i);
}

static int32_t apply(LoopRanges *s, OpId op, int32_t a, int32_t b) {
    return region_add_apply(s->maker, op, DT_INT64, DT_INT64, a, b);
}

static int32_t compare(LoopRanges *s, OpId op, int32_t a, int32_t b) {
    return region_add_apply(s->maker, op, DT_INT64, DT_BOOL, a, b);
}

void ranges_want(LoopRanges *s, int32_t condition) {
    if (s->closed) s->maker->failed = true;
    s->condition = s->condition == NO_VALUE ? condition
                                            : region_add_apply(s->maker, AOP_BITWISE_AND, DT_BOOL,
                                                               DT_BOOL, s->condition, condition);
}

void ranges_want_order(LoopRanges *s, int32_t a, int32_t b) {
    ranges_want(s, compare(s, AOP_LESS_EQUAL, a, b));
}

// Emits a sum, difference or product, and adds the condition that it fits into int64.
static int32_t sure(LoopRanges *s, OpId op, int32_t a, int32_t b) {
    RegionInstr fits =
        REGION_INSTR(.op = RG_FITS, .elementwise = (uint8_t)op, .from = DT_INT64, .type = DT_BOOL);
    fits.args[0] = a;
    fits.args[1] = b;
    ranges_want(s, region_add(s->maker, fits));
    return apply(s, op, a, b);
}

static void want_type(LoopRanges *s, DType type, Bounds bounds) {
    if (type == DT_INT64) return;
    ranges_want_order(s, number(s, dtype_min(type)), bounds.low);
    ranges_want_order(s, bounds.high, number(s, (int64_t)dtype_max(type)));
}

// --- In one iteration --------------------------------------------------------------------------

static int32_t at_head_param(LoopRanges *s, int32_t param, Moment when) {
    int32_t place = ranges_param(s, param);
    Induction induction = {NO_VALUE, false};
    if (when == AT_FIRST) return s->gate + place;
    if (when == AT_CHUNK) return s->chunk + place;
    if (!find_induction(s, param, &induction)) s->maker->failed = true;
    if (s->maker->failed) return NO_VALUE;
    OpId op = induction.minus ? AOP_SUBTRACT : AOP_ADD;
    int32_t step = ranges_at(s, induction.step, AT_FIRST);
    if (when == AT_NEXT) return apply(s, op, s->chunk + place, step);
    return sure(s, op, s->gate + place, sure(s, AOP_MULTIPLY, s->rounds_less, step));
}

// Emits a loop-invariant parameter's value, widened to int64 if it is a small integer other than bool.
static int32_t fixed_param(LoopRanges *s, int32_t param) {
    int32_t value = s->gate + ranges_param(s, param);
    DType type = (DType)s->maker->region->code[param].type;
    if (!is_small_int(type) || type == DT_BOOL) return value;
    RegionInstr cast = REGION_INSTR(.op = RG_CAST, .from = (uint8_t)type, .type = DT_INT64);
    cast.args[0] = value;
    return region_add(s->maker, cast);
}

static int32_t at_arithmetic(LoopRanges *s, const RegionInstr *in, Moment when) {
    bool vouched = when == AT_FIRST || when == AT_LAST, negative = in->elementwise == AOP_NEGATIVE;
    OpId op = negative ? AOP_SUBTRACT : (OpId)in->elementwise;
    int32_t a = negative ? number(s, 0) : ranges_at(s, in->args[0], when);
    int32_t b = ranges_at(s, in->args[!negative], when);
    if (!vouched) return apply(s, op, a, b);
    int32_t result = sure(s, op, a, b);
    want_type(s, (DType)in->type, (Bounds){result, result});
    return result;
}

static int32_t at_apply(LoopRanges *s, const RegionInstr *in, Moment when) {
    switch (in->elementwise) {
    case AOP_ADD:
    case AOP_SUBTRACT:
    case AOP_MULTIPLY:
    case AOP_NEGATIVE: return at_arithmetic(s, in, when);
    case AOP_WHERE: {
        int32_t yes = ranges_at(s, in->args[1], when), no = ranges_at(s, in->args[2], when);
        return region_add(s->maker,
                          region_choice(DT_INT64, ranges_at(s, in->args[0], when), yes, no));
    }
    default: break;
    }
    int32_t a = ranges_at(s, in->args[0], when), b = ranges_at(s, in->args[1], when);
    return in->type == DT_BOOL ? compare(s, (OpId)in->elementwise, a, b)
                               : apply(s, (OpId)in->elementwise, a, b);
}

static int32_t make_at(LoopRanges *s, int32_t value, Moment when) {
    RegionInstr in = s->maker->region->code[value];
    switch ((RegionOp)in.op) {
    case RG_PARAM:
        return s->values[value].kind == VALUE_FIXED ? fixed_param(s, value)
                                                    : at_head_param(s, value, when);
    case RG_NUMBER:
        if (in.type != DT_BOOL) in.type = DT_INT64;
        return region_add(s->maker, in);
    case RG_ADDRESS:
    case RG_EXTENT:
    case RG_STRIDE: return region_add(s->maker, in);
    case RG_INDEX: {
        int32_t index = ranges_at(s, in.args[0], when);
        return apply(s, AOP_ADD, index, ranges_index(s, value));
    }
    case RG_CAST: {
        int32_t same = ranges_at(s, in.args[0], when);
        if (when == AT_FIRST || when == AT_LAST) want_type(s, (DType)in.type, (Bounds){same, same});
        return same;
    }
    case RG_CHECKED: return at_arithmetic(s, &in, when);
    case RG_APPLY: return at_apply(s, &in, when);
    default: s->maker->failed = true; return NO_VALUE;
    }
}

int32_t ranges_at(LoopRanges *s, int32_t value, Moment when) {
    int32_t origin = ranges_origin(s, value);
    ValueKind kind = ranges_kind(s, origin);
    LoopValue *v = &s->values[origin];
    if (kind < VALUE_AFFINE) s->maker->failed = true;
    if (s->maker->failed) return NO_VALUE;
    if (kind == VALUE_FIXED) when = AT_FIRST;
    if (v->at[when] == NO_VALUE) v->at[when] = make_at(s, origin, when);
    return v->at[when];
}

// --- In all iterations -------------------------------------------------------------------------

static Bounds bounds_of(LoopRanges *s, int32_t value) {
    int32_t low = ranges_low(s, value); // computes both bounds
    return (Bounds){low, ranges_high(s, value)};
}

static Bounds hull(LoopRanges *s, Bounds a, Bounds b) {
    return (Bounds){apply(s, AOP_MINIMUM, a.low, b.low), apply(s, AOP_MAXIMUM, a.high, b.high)};
}

static Bounds sum(LoopRanges *s, OpId op, Bounds a, Bounds b) {
    bool minus = op == AOP_SUBTRACT;
    return (Bounds){sure(s, op, a.low, minus ? b.high : b.low),
                    sure(s, op, a.high, minus ? b.low : b.high)};
}

static Bounds product(LoopRanges *s, Bounds a, Bounds b) {
    int32_t p = sure(s, AOP_MULTIPLY, a.low, b.low), q = sure(s, AOP_MULTIPLY, a.low, b.high);
    Bounds first = {apply(s, AOP_MINIMUM, p, q), apply(s, AOP_MAXIMUM, p, q)};
    p = sure(s, AOP_MULTIPLY, a.high, b.low), q = sure(s, AOP_MULTIPLY, a.high, b.high);
    Bounds second = {apply(s, AOP_MINIMUM, p, q), apply(s, AOP_MAXIMUM, p, q)};
    return hull(s, first, second);
}

// Bounds the difference between a parameter and a value gathered from it (is_gathering).
static Bounds way_from(LoopRanges *s, int32_t value, int32_t param) {
    int32_t origin = ranges_origin(s, value);
    const RegionInstr in = s->maker->region->code[origin];
    int32_t zero = number(s, 0);
    Bounds way = {zero, zero};
    int budget = 1 << 10;
    if (origin == param || s->maker->failed) return way;
    if (in.op == RG_PARAM) {
        bool any = false;
        for (Incoming at = {0}; next_incoming(s, origin, &at); any = true) {
            Bounds one = way_from(s, at.value, param);
            way = any ? hull(s, way, one) : one;
        }
        return way;
    }
    if (in.op != RG_CHECKED && in.op != RG_APPLY) s->maker->failed = true;
    if (s->maker->failed) return way;
    bool first = is_gathered(s, in.args[0], param, &budget) && ranges_knows(s, in.args[1]);
    Bounds other = bounds_of(s, in.args[first]);
    return sum(s, (OpId)in.elementwise, way_from(s, in.args[!first], param), other);
}

// Bounds an accumulating parameter over all iterations, at the start of each.
static Bounds gathered_bounds(LoopRanges *s, int32_t param) {
    Bounds way = {NO_VALUE, NO_VALUE};
    int32_t zero = number(s, 0), begin = s->gate + ranges_param(s, param);
    for (Incoming at = {0}; next_incoming(s, param, &at);) {
        Bounds one = way_from(s, at.value, param);
        way = way.low == NO_VALUE ? one : hull(s, way, one);
    }
    way = hull(s, way, (Bounds){zero, zero});
    return (Bounds){sure(s, AOP_ADD, begin, sure(s, AOP_MULTIPLY, s->rounds_less, way.low)),
                    sure(s, AOP_ADD, begin, sure(s, AOP_MULTIPLY, s->rounds_less, way.high))};
}

static Bounds param_bounds(LoopRanges *s, int32_t param) {
    Bounds all = {NO_VALUE, NO_VALUE};
    if (is_head_param(s, param)) return gathered_bounds(s, param);
    for (Incoming at = {0}; next_incoming(s, param, &at);) {
        Bounds one = bounds_of(s, at.value);
        all = all.low == NO_VALUE ? one : hull(s, all, one);
    }
    return all;
}

static int32_t round_down(LoopRanges *s, int32_t value, int32_t divisor) {
    RegionInstr instr = REGION_INSTR(.op = RG_ROUND_DOWN, .elementwise = AOP_FLOOR_DIVIDE,
                                     .from = DT_INT64, .type = DT_INT64);
    instr.args[0] = value;
    instr.args[1] = divisor;
    return region_add(s->maker, instr);
}

static Bounds round_down_bounds(LoopRanges *s, const RegionInstr *in) {
    int32_t divisor = ranges_at(s, in->args[1], AT_FIRST);
    ranges_want_order(s, number(s, 1), divisor);
    if (in->elementwise == AOP_REMAINDER)
        return (Bounds){number(s, 0), apply(s, AOP_SUBTRACT, divisor, number(s, 1))};
    int64_t known = 1;
    ranges_number(s, in->args[1], &known);
    Bounds a = bounds_of(s, in->args[0]);
    return (Bounds){round_down(s, a.low, number(s, known)),
                    round_down(s, a.high, number(s, known))};
}

static Bounds mask_bounds(LoopRanges *s, const RegionInstr *in) {
    int64_t mask;
    for (int a = 0; a < 2; a++)
        if (ranges_number(s, in->args[a], &mask) && mask >= 0) break;
    return (Bounds){number(s, 0), number(s, mask)};
}

static Bounds apply_bounds(LoopRanges *s, const RegionInstr *in) {
    switch (in->elementwise) {
    case AOP_NEGATIVE: {
        int32_t zero = number(s, 0);
        return sum(s, AOP_SUBTRACT, (Bounds){zero, zero}, bounds_of(s, in->args[0]));
    }
    case AOP_WHERE: return hull(s, bounds_of(s, in->args[1]), bounds_of(s, in->args[2]));
    case AOP_BITWISE_AND: return mask_bounds(s, in);
    default: break;
    }
    Bounds a = bounds_of(s, in->args[0]), b = bounds_of(s, in->args[1]);
    if (in->elementwise == AOP_ADD || in->elementwise == AOP_SUBTRACT)
        return sum(s, (OpId)in->elementwise, a, b);
    if (in->elementwise == AOP_MULTIPLY) return product(s, a, b);
    // MAXIMUM, MINIMUM and right shifts are monotonic in their operands.
    return (Bounds){apply(s, (OpId)in->elementwise, a.low, b.low),
                    apply(s, (OpId)in->elementwise, a.high, b.high)};
}

static Bounds instr_bounds(LoopRanges *s, int32_t value) {
    const RegionInstr in = s->maker->region->code[value];
    Bounds bounds;
    switch ((RegionOp)in.op) {
    case RG_PARAM: return param_bounds(s, value);
    case RG_INDEX: {
        int32_t offset = ranges_index(s, value);
        bounds = bounds_of(s, in.args[0]);
        return (Bounds){apply(s, AOP_ADD, bounds.low, offset),
                        apply(s, AOP_ADD, bounds.high, offset)};
    }
    case RG_ROUND_DOWN: return round_down_bounds(s, &in);
    case RG_CAST: bounds = bounds_of(s, in.args[0]); break;
    default: bounds = apply_bounds(s, &in);
    }
    want_type(s, (DType)in.type, bounds);
    return bounds;
}

static Bounds make_bounds(LoopRanges *s, int32_t value) {
    const LoopValue *v = &s->values[value];
    DType type = (DType)s->maker->region->code[value].type;
    if (v->by_type)
        return (Bounds){number(s, dtype_min(type)), number(s, (int64_t)dtype_max(type))};
    if (v->kind == VALUE_FIXED) {
        int32_t fixed = ranges_at(s, value, AT_FIRST);
        return (Bounds){fixed, fixed};
    }
    if (v->kind != VALUE_AFFINE) return instr_bounds(s, value);
    int32_t first = ranges_at(s, value, AT_FIRST), last = ranges_at(s, value, AT_LAST);
    return (Bounds){apply(s, AOP_MINIMUM, first, last), apply(s, AOP_MAXIMUM, first, last)};
}

int32_t ranges_low(LoopRanges *s, int32_t value) {
    int32_t origin = ranges_origin(s, value);
    if (!ranges_knows(s, origin)) s->maker->failed = true;
    if (s->maker->failed) return NO_VALUE;
    LoopValue *v = &s->values[origin];
    if (v->low == NO_VALUE) {
        Bounds bounds = make_bounds(s, origin);
        v->low = bounds.low;
        v->high = bounds.high;
    }
    return v->low;
}

int32_t ranges_high(LoopRanges *s, int32_t value) {
    int32_t low = ranges_low(s, value);
    return low == NO_VALUE ? NO_VALUE : s->values[ranges_origin(s, value)].high;
}

int32_t ranges_index(LoopRanges *s, int32_t index) {
    const RegionInstr in = s->maker->region->code[index];
    LoopValue *v = &s->values[index];
    if (v->offset != NO_VALUE) return v->offset;
    Bounds bounds = bounds_of(s, in.args[0]);
    RegionInstr extent =
        REGION_INSTR(.op = RG_EXTENT, .type = DT_INT64, .array = in.array, .dim = in.dim);
    int32_t all = region_add(s->maker, extent), zero = number(s, 0);
    RegionInstr backward =
        REGION_INSTR(.op = RG_BACKWARD, .type = DT_INT64, .array = in.array, .dim = in.dim);
    backward.args[0] = bounds.high;
    v->offset = region_add(s->maker, backward);
    ranges_want_order(s, zero, apply(s, AOP_ADD, bounds.low, v->offset));
    ranges_want(s, compare(s, AOP_LESS, apply(s, AOP_ADD, bounds.high, v->offset), all));
    return v->offset;
}
