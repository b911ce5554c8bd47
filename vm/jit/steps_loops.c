// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Loops over ranges and arrays. A range is three numbers: next value, step, and remaining count, computed as in
// vm/value/range.c.

#include "lang/effects.h"
#include "vm/jit/steps.h"

static int32_t checked_difference(Infer *f, int32_t a, int32_t b) {
    RegionInstr instr =
        INSTR(.op = RG_CHECKED, .elementwise = AOP_SUBTRACT, .from = DT_INT64, .type = DT_INT64);
    instr.exit = infer_exit(f);
    instr.args[0] = a;
    instr.args[1] = b;
    return infer_emit(f, instr);
}

// Emits the number of steps from `low` to `high`, exclusive. `step` is positive; `single`: it is known to be 1.
static int32_t steps_between(Infer *f, int32_t low, int32_t high, int32_t step, bool single) {
    int32_t way = checked_difference(f, high, low), count = way;
    if (!single) {
        RegionInstr divide = INSTR(.op = RG_ROUND_DOWN, .elementwise = AOP_FLOOR_DIVIDE,
                                   .from = DT_INT64, .type = DT_INT64);
        divide.exit = infer_exit(f);
        divide.args[0] = checked_difference(f, way, infer_int(f, 1));
        divide.args[1] = step;
        // for a distance <= 0 the result is <= 0 too
        count = infer_apply(f, AOP_ADD, DT_INT64, DT_INT64, infer_emit(f, divide), infer_int(f, 1));
    }
    return infer_apply(f, AOP_MAXIMUM, DT_INT64, DT_INT64, count, infer_int(f, 0));
}

bool step_range(Infer *f, const Var *args, int count, Var *out) {
    int32_t zero = infer_int(f, 0), one = infer_int(f, 1), bounds[3];
    for (int i = 0; i < count; i++)
        if (!index_of(f, args[i], &bounds[i])) return false;
    int32_t start = count > 1 ? bounds[0] : zero, stop = bounds[count > 1];
    int32_t step = count > 2 ? bounds[2] : one, left;
    const RegionInstr *known = &f->variant->region.code[step];
    if (f->maker->failed) return false;
    int64_t width = known->op == RG_NUMBER ? (int64_t)known->number : 0;
    if (width < 0 && width > INT64_MIN)
        left = steps_between(f, stop, start, infer_int(f, -width), width == -1);
    else
        left = steps_between(f, start, stop, step, width == 1); // leaves unless the step is positive
    *out = var_of(VAR_ITER, start);
    out->parts[1] = step;
    out->parts[2] = left;
    return true;
}

// --- Arrays ------------------------------------------------------------------------------------

bool step_iter(Infer *f, Var over, Var *out) {
    Var view;
    if (over.type.kind == VAR_BODY && !step_make(f, over, &over)) return false;
    if (!view_of(f, over, &view)) return false;
    *out = view;
    out->type.kind = VAR_EACH;
    out->parts[0] = infer_int(f, 0);
    for (int p = 0; p < var_parts(view.type); p++) out->parts[1 + p] = view.parts[p];
    return true;
}

// Emits the iterator's next item: an element, or a view with one dimension less. An element is loaded
// even if there is none left, but then from a safe address.
static Var item_at(Infer *f, const Var *each, int32_t more) {
    ViewCode code = view_of_code(each->type.which), left = code;
    const int32_t *extents = &each->parts[2], *strides = &each->parts[2 + code.ndim];
    int32_t way = of_ints(f, AOP_MULTIPLY, each->parts[0], strides[0]);
    int32_t address = of_ints(f, AOP_ADD, each->parts[1], way);
    Var item;
    if (code.ndim == 1) {
        RegionInstr load = INSTR(.op = RG_LOAD_AT, .type = each->type.dtype);
        load.args[0] =
            infer_choice(f, more, address, infer_emit(f, INSTR(.op = RG_SAFE, .type = DT_INT64)));
        item = var_of(VAR_SCALAR, infer_emit(f, load));
        item.type.dtype = each->type.dtype;
        return item;
    }
    left.ndim--;
    item = var_of(VAR_VIEW, address);
    item.type.dtype = each->type.dtype;
    item.type.which = view_code(left);
    for (int d = 0; d < left.ndim; d++) {
        item.parts[1 + d] = extents[1 + d];
        item.parts[1 + left.ndim + d] = strides[1 + d];
    }
    return item;
}

// Emits the head of a loop over an array: advances the iterator, or ends the loop. `each` is the iterator with the view
// that it runs over, `iterator` the variable in its register.
static void to_next(Infer *f, const Instr *at, const Var *each, Var iterator) {
    Var before = f->regs[at->b];
    int32_t more = infer_apply(f, AOP_LESS, DT_INT64, DT_BOOL, each->parts[0], each->parts[2]);
    iterator.parts[0] = of_ints(f, AOP_ADD, each->parts[0], infer_int(f, 1));
    infer_set(f, at->a, iterator);
    infer_set(f, at->b, item_at(f, each, more));
    RegionEdge round = infer_edge(f, instr_wide(at[1]));
    infer_set(f, at->a, (Var){0});
    infer_set(f, at->b, before);
    infer_branch_along(f, more, round, infer_edge(f, f->next));
}

// Translates FOR over an array whose iterator existed on entry.
static bool step_walk(Infer *f, const Instr *at) {
    Var walk = f->regs[at->a], each;
    VarType array = {.kind = VAR_ARRAY, .which = walk.type.dtype};
    array.dtype = f->variant->region.arrays[array.which].dtype;
    infer_poll(f);
    if (!step_iter(f, (Var){array, NO_PARTS}, &each)) return false;
    each.parts[0] = walk.parts[0];
    to_next(f, at, &each, walk);
    return true;
}

static bool step_each(Infer *f, const Instr *at) {
    const Var each = f->regs[at->a];
    infer_poll(f);
    to_next(f, at, &each, each);
    return true;
}

// --- Points of ranges --------------------------------------------------------------------------

static void poll_grid(Infer *f) {
    infer_poll(f);
    if (!f->maker->failed) f->variant->region.code[f->variant->region.code_count - 1].dim = 1;
}

static int32_t *grid_next_of(Var *grid, int axis) {
    return &grid->parts[3 * axis];
}

static void advance(Infer *f, Var *grid, int axis) {
    int32_t *of = grid_next_of(grid, axis);
    GridCode code = grid_of_code(grid->type.dtype);
    code.fresh = false;
    grid->type.dtype = grid_code(code);
    of[0] = of_ints(f, AOP_ADD, of[0], of[1]);
    of[2] = of_ints(f, AOP_SUBTRACT, of[2], infer_int(f, 1));
}

static Var at_level(Var grid, int level) {
    GridCode code = grid_of_code(grid.type.dtype);
    code.fresh = code.first && level > code.level;
    code.first &= level > 0;
    code.level = (uint8_t)level;
    grid.type.dtype = grid_code(code);
    return grid;
}

static Var begin_row(Var grid, int level) {
    GridCode code = grid_of_code(grid.type.dtype);
    const int32_t *begin = &grid.parts[3 * code.rank + 2 * (level - 1)];
    grid_next_of(&grid, level)[0] = begin[0];
    grid_next_of(&grid, level)[2] = begin[1];
    return grid;
}

// Starts the next row: resets the inner range and advances the outer one.
static Var next_row(Infer *f, Var grid, int level) {
    grid = begin_row(grid, level);
    advance(f, &grid, level - 1);
    return at_level(grid, level - 1);
}

// Makes the edge to the body, with the point's ints in the registers that the body unpacks them to. False: the body
// does not begin by unpacking the point.
static bool edge_to_body(Infer *f, const Instr *at, Var grid, RegionEdge *out) {
    int rank = grid_of_code(grid.type.dtype).rank;
    uint32_t body = instr_wide(at[1]), to = at->b;
    const Instr *unpack = &f->place->code->bc->code[body];
    if (rank > 1) {
        if (unpack->op != OP_UNPACK || unpack->b != at->b || unpack->c != rank ||
            !(unpack->flags & FLAG_LAST_B))
            return false;
        to = unpack->a;
        body += bc_op_info[OP_UNPACK].words;
        infer_set(f, at->b, (Var){0});
    }
    for (int a = 0; a < rank; a++)
        infer_set(f, to + (uint32_t)a, var_of(VAR_INT, grid_next_of(&grid, a)[0]));
    advance(f, &grid, rank - 1);
    infer_set(f, at->a, grid);
    *out = infer_edge(f, body);
    return true;
}

// Translates FOR over the points of several ranges to nested loops, one per range. All their heads are versions of this
// one instruction, which differ in GridCode.level.
static bool step_grid(Infer *f, const Instr *at) {
    Var grid = f->regs[at->a], item = f->regs[at->b], before[GRID_RANGES];
    GridCode code = grid_of_code(grid.type.dtype);
    uint32_t to = f->place->code->bc->code[instr_wide(at[1])].a;
    RegionEdge round, end;
    poll_grid(f);
    int32_t more = infer_apply(f, AOP_GREATER, DT_INT64, DT_BOOL,
                               grid_next_of(&grid, code.level)[2], infer_int(f, 0));
    if (code.level + 1 < code.rank) {
        infer_set(f, at->a, at_level(begin_row(grid, code.level + 1), code.level + 1));
        round = infer_edge(f, f->pc);
    } else {
        for (int a = 0; code.rank > 1 && a < code.rank; a++) before[a] = f->regs[to + (uint32_t)a];
        if (!edge_to_body(f, at, grid, &round)) return false;
        for (int a = 0; code.rank > 1 && a < code.rank; a++)
            infer_set(f, to + (uint32_t)a, before[a]);
        infer_set(f, at->b, item);
    }
    if (code.fresh) {
        infer_emit(f, INSTR(.op = RG_JUMP, .edges = {round}));
        f->ended = true;
        return true;
    }
    infer_set(f, at->a, code.level > 0 ? next_row(f, grid, code.level) : (Var){0});
    end = infer_edge(f, code.level > 0 ? f->pc : f->next);
    infer_branch_along(f, more, round, end);
    return true;
}

bool step_for(Infer *f, const Instr *at) {
    Var iter = f->regs[at->a], item = f->regs[at->b];
    uint32_t body = instr_wide(at[1]), next = f->next;
    if (iter.type.kind == VAR_WALK) return step_walk(f, at);
    if (iter.type.kind == VAR_EACH) return step_each(f, at);
    if (iter.type.kind == VAR_GRID) return step_grid(f, at);
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
