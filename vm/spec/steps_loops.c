// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ranges in regions: three numbers, as vm/value/range.c counts them.

#include "vm/spec/steps.h"

static int32_t checked_difference(Infer *f, int32_t a, int32_t b) {
    RegionInstr instr =
        INSTR(.op = RG_CHECKED, .elementwise = AOP_SUBTRACT, .from = DT_INT64, .type = DT_INT64);
    instr.exit = infer_exit(f);
    instr.args[0] = a;
    instr.args[1] = b;
    return infer_emit(f, instr);
}

// How many steps it takes from `low` up to `high`, which is excluded; `step` is above 0.
static int32_t steps_between(Infer *f, int32_t low, int32_t high, int32_t step, bool single) {
    int32_t way = checked_difference(f, high, low), count = way;
    if (!single) {
        RegionInstr divide = INSTR(.op = RG_ROUND_DOWN, .elementwise = AOP_FLOOR_DIVIDE,
                                   .from = DT_INT64, .type = DT_INT64);
        divide.exit = infer_exit(f);
        divide.args[0] = checked_difference(f, way, infer_int(f, 1));
        divide.args[1] = step;
        // Of a way of 0 or less this is 0 or less too.
        count = infer_apply(f, AOP_ADD, DT_INT64, DT_INT64, infer_emit(f, divide), infer_int(f, 1));
    }
    return infer_apply(f, AOP_MAXIMUM, DT_INT64, DT_INT64, count, infer_int(f, 0));
}

bool step_range(Infer *f, const Var *args, int count, Var *out) {
    int32_t zero = infer_int(f, 0), one = infer_int(f, 1);
    for (int i = 0; i < count; i++)
        if (args[i].type.kind != VAR_INT) return false;
    int32_t start = count > 1 ? args[0].parts[0] : zero, stop = args[count > 1].parts[0];
    int32_t step = count > 2 ? args[2].parts[0] : one, left;
    const RegionInstr *known = &f->variant->region.code[step];
    if (f->maker->failed) return false;
    int64_t width = known->op == RG_NUMBER ? (int64_t)known->number : 0;
    if (width < 0 && width > INT64_MIN)
        left = steps_between(f, stop, start, infer_int(f, -width), width == -1);
    else
        left = steps_between(f, start, stop, step, width == 1); // leaves unless the step is above 0
    *out = var_of(VAR_ITER, start);
    out->parts[1] = step;
    out->parts[2] = left;
    return true;
}

// The next element of an array, as its iterator gives it.
static bool step_walk(Infer *f, const Instr *at) {
    Var walk = f->regs[at->a], item = f->regs[at->b], next_item;
    uint32_t body = instr_wide(at[1]), next = f->next;
    uint8_t array = walk.type.dtype, type = f->variant->region.arrays[array].dtype;
    infer_poll(f);
    int32_t extent = infer_emit(f, INSTR(.op = RG_EXTENT, .type = DT_INT64, .array = array));
    int32_t more = infer_apply(f, AOP_LESS, DT_INT64, DT_BOOL, walk.parts[0], extent);
    // Loaded before it is known whether there is one: of the first element otherwise.
    RegionInstr choose =
        INSTR(.op = RG_APPLY, .elementwise = AOP_WHERE, .from = DT_INT64, .type = DT_INT64);
    choose.args[2] = infer_int(f, 0);
    choose.args[0] = more;
    choose.args[1] = walk.parts[0];
    RegionInstr load = INSTR(.op = RG_LOAD, .type = type, .array = array);
    load.args[0] = infer_emit(f, choose);
    next_item = var_of(VAR_SCALAR, infer_emit(f, load));
    next_item.type.dtype = type;
    Var after = walk;
    after.parts[0] = infer_apply(f, AOP_ADD, DT_INT64, DT_INT64, walk.parts[0], infer_int(f, 1));
    infer_set(f, at->a, after);
    infer_set(f, at->b, next_item);
    RegionEdge round = infer_edge(f, body);
    infer_set(f, at->a, (Var){0});
    infer_set(f, at->b, item);
    infer_branch_along(f, more, round, infer_edge(f, next));
    return true;
}

bool step_for(Infer *f, const Instr *at) {
    Var iter = f->regs[at->a], item = f->regs[at->b];
    uint32_t body = instr_wide(at[1]), next = f->next;
    if (iter.type.kind == VAR_WALK) return step_walk(f, at);
    if (iter.type.kind != VAR_ITER) return false;
    infer_poll(f);
    int32_t more = infer_apply(f, AOP_GREATER, DT_INT64, DT_BOOL, iter.parts[2], infer_int(f, 0));
    Var after = iter;
    after.parts[0] = infer_apply(f, AOP_ADD, DT_INT64, DT_INT64, iter.parts[0], iter.parts[1]);
    after.parts[2] =
        infer_apply(f, AOP_SUBTRACT, DT_INT64, DT_INT64, iter.parts[2], infer_int(f, 1));
    infer_set(f, at->a, after);
    infer_set(f, at->b, var_of(VAR_INT, iter.parts[0]));
    RegionEdge round = infer_edge(f, body);
    infer_set(f, at->a, (Var){0});
    infer_set(f, at->b, item);
    infer_branch_along(f, more, round, infer_edge(f, next));
    return true;
}
