// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Chooses which loops get a fast copy, and emits the blocks around it. "Original" is the loop that
// was copied:
//
//   gate    computes the iteration count; small: original
//   check   evaluates the hoisted conditions; false: original
//   chunk   chooses the chunk's length; an interrupt is pending: original, which polls for it
//   keep    saves the elements that the chunk will write
//   rounds  head of the copy, followed by its other blocks
//   done    a deferred check failed: again; iterations are left: chunk; otherwise original, which
//           finds that the loop has ended
//   again   rolls back the chunk's writes, then original

#include "vm/region/version.h"

#include <string.h>

#include "vm/region/fast.h"

enum { ROUNDS_LEAST = 4, CHUNK_ROUNDS = LATER_ROUNDS };

// --- Shape -------------------------------------------------------------------------------------

// Returns whether a fast copy supports an instruction.
static bool has_words(uint8_t op) {
    switch ((RegionOp)op) {
    case RG_NEST:
    case RG_SPREAD:
    case RG_MAKE:
    case RG_VECTOR:
    case RG_REDUCE:
    case RG_REDUCE_ROWS:
    case RG_PRODUCT:
    case RG_TAKE:
    case RG_DOT:
    case RG_ROUNDS: return false;
    default: return true;
    }
}

// Returns whether it is an ordered comparison of floats. Outside of speculative chunks it must not raise a flag on
// NaN, which makes it slower.
static bool orders_floats(const RegionInstr *in) {
    return in->op == RG_APPLY && dtype_kind((DType)in->from) == DK_FLOAT &&
           in->elementwise >= AOP_LESS && in->elementwise <= AOP_GREATER_EQUAL;
}

// Properties of a loop that are better speculated on and checked once a chunk.
typedef struct Traits {
    bool quiet, orders, stores;
} Traits;

static bool is_plain(FastLoop *f, Traits *traits) {
    const Region *r = f->maker->region;
    *traits = (Traits){0};
    for (int32_t b = 0; b < f->flow->block_count; b++) {
        if (!block_in(&f->loop->blocks, b)) continue;
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) {
            if (!has_words(r->code[i].op)) return false;
            traits->quiet |= r->code[i].op == RG_QUIET;
            traits->stores |= r->code[i].op == RG_STORE;
            traits->orders |= orders_floats(&r->code[i]);
        }
    }
    return true;
}

static bool is_ordered(const FastLoop *f, int32_t block) {
    for (int32_t n = 0; n < f->block_count; n++)
        if (f->order[n] == block) return true;
    return false;
}

// Tests that all predecessors within an iteration are already ordered.
static bool is_ready(const FastLoop *f, int32_t block) {
    const Region *r = f->maker->region;
    for (int32_t b = 0; b < f->flow->block_count; b++) {
        const RegionEdge *edges[2];
        if (!block_in(&f->loop->blocks, b) || is_ordered(f, b)) continue;
        int count = block_edges(r, b, edges);
        for (int e = 0; e < count; e++)
            if (edges[e]->block == block) return false;
    }
    return true;
}

// Sorts the blocks topologically. False: they contain another cycle.
static bool order_blocks(FastLoop *f) {
    bool found = true;
    f->block_count = 1;
    f->order[0] = f->loop->head;
    while (found) {
        found = false;
        for (int32_t b = 0; b < f->flow->block_count; b++) {
            if (!block_in(&f->loop->blocks, b) || is_ordered(f, b) || !is_ready(f, b)) continue;
            f->order[f->block_count++] = b;
            found = true;
        }
    }
    for (int32_t b = 0; b < f->flow->block_count; b++)
        if (block_in(&f->loop->blocks, b) && !is_ordered(f, b)) return false;
    return true;
}

static void find_edges(FastLoop *f) {
    const Region *r = f->maker->region;
    f->parts = false;
    memset(&f->always, 0xff, sizeof f->always);
    for (int32_t n = 0; n < f->block_count; n++) {
        const RegionEdge *edges[2];
        int count = block_edges(r, f->order[n], edges);
        for (int e = 0; e < count; e++) {
            f->parts |= n > 0 && !block_in(&f->loop->blocks, edges[e]->block);
            if (edges[e]->block != f->loop->head) continue;
            for (int w = 0; w < FLOW_WORDS; w++)
                f->always.words[w] &= f->flow->dominators[f->order[n]].words[w];
        }
    }
}

// --- Counting ----------------------------------------------------------------------------------

static OpId opposite(OpId op) {
    switch (op) {
    case AOP_LESS: return AOP_GREATER_EQUAL;
    case AOP_LESS_EQUAL: return AOP_GREATER;
    case AOP_GREATER: return AOP_LESS_EQUAL;
    case AOP_GREATER_EQUAL: return AOP_LESS;
    default: return op == AOP_EQUAL ? AOP_NOT_EQUAL : AOP_NONE;
    }
}

static OpId turned_round(OpId op) {
    switch (op) {
    case AOP_LESS: return AOP_GREATER;
    case AOP_LESS_EQUAL: return AOP_GREATER_EQUAL;
    case AOP_GREATER: return AOP_LESS;
    case AOP_GREATER_EQUAL: return AOP_LESS_EQUAL;
    default: return op;
    }
}

static bool comes_to_an_end(const Counting *c) {
    switch (c->op) {
    case AOP_LESS:
    case AOP_LESS_EQUAL: return c->step > 0;
    case AOP_GREATER:
    case AOP_GREATER_EQUAL: return c->step < 0;
    default: return c->op == AOP_NOT_EQUAL && (c->step == 1 || c->step == -1);
    }
}

static bool is_counted(FastLoop *f) {
    LoopRanges *s = &f->ranges;
    const Region *r = f->maker->region;
    const RegionInstr *end = &r->code[r->blocks[f->loop->head].end - 1];
    if (end->op != RG_BRANCH) return false;
    bool first = block_in(&f->loop->blocks, end->edges[0].block),
         second = block_in(&f->loop->blocks, end->edges[1].block);
    if (first == second) return false;
    f->stay = second;
    const RegionInstr test = r->code[ranges_origin(s, end->args[0])];
    if (test.op != RG_APPLY || test.from != DT_INT64 || test.type != DT_BOOL) return false;
    if (test.elementwise < AOP_EQUAL || test.elementwise > AOP_GREATER_EQUAL) return false;
    bool turned = ranges_kind(s, test.args[0]) == VALUE_FIXED;
    Counting *c = &f->counting;
    *c = (Counting){
        .varying = test.args[turned], .fixed = test.args[!turned], .op = (OpId)test.elementwise};
    if (second) c->op = opposite(c->op);
    if (turned) c->op = turned_round(c->op);
    if (ranges_kind(s, c->fixed) != VALUE_FIXED) return false;
    c->step = ranges_step(s, c->varying);
    return c->step != 0 && comes_to_an_end(c);
}

// --- Blocks in front of the loop ---------------------------------------------------------------

static int32_t apply(FastLoop *f, OpId op, int32_t a, int32_t b) {
    return region_add_apply(f->maker, op, DT_INT64, DT_INT64, a, b);
}

static int32_t number(FastLoop *f, int64_t i) {
    return region_add_int(f->maker, i);
}

static int32_t compare(FastLoop *f, OpId op, int32_t a, int32_t b) {
    return region_add_apply(f->maker, op, DT_INT64, DT_BOOL, a, b);
}

static void add_params(FastLoop *f) {
    const Region *r = f->maker->region;
    int32_t head = r->blocks[f->loop->head].first;
    for (int32_t p = 0; p < f->params; p++)
        region_add(f->maker, REGION_INSTR(.op = RG_PARAM, .type = r->code[head + p].type));
}

// Makes an edge to a block whose first parameters are the head's; callers may append further values.
static RegionEdge edge_to(FastLoop *f, int32_t block, const int32_t *state) {
    RegionEdge edge = {.block = block, .first = f->maker->region->link_count, .count = f->params};
    for (int32_t p = 0; p < f->params; p++) region_add_link(f->maker, state[p]);
    return edge;
}

static RegionEdge edge_from(FastLoop *f, int32_t block, int32_t first) {
    RegionEdge edge = {.block = block, .first = f->maker->region->link_count, .count = f->params};
    for (int32_t p = 0; p < f->params; p++) region_add_link(f->maker, first + p);
    return edge;
}

static void add_branch(FastLoop *f, int32_t condition, RegionEdge yes, RegionEdge no) {
    RegionInstr branch = REGION_INSTR(.op = RG_BRANCH, .edges = {yes, no});
    branch.args[0] = condition;
    region_add(f->maker, branch);
}

static void end_block(FastLoop *f, int32_t block, int32_t first) {
    Region *r = f->maker->region;
    if (f->maker->failed) return;
    r->blocks[block] = (RegionBlock){first, r->code_count, r->blocks[f->loop->head].pc};
}

// Emits (way - 1) / step + 1, rounded down.
static int32_t steps_of(FastLoop *f, int32_t way, int64_t step) {
    if (step == 1) return way;
    RegionInstr divide = REGION_INSTR(.op = RG_ROUND_DOWN, .elementwise = AOP_FLOOR_DIVIDE,
                                      .from = DT_INT64, .type = DT_INT64);
    int32_t one = number(f, 1);
    divide.args[0] = apply(f, AOP_SUBTRACT, way, one);
    divide.args[1] = number(f, step);
    return apply(f, AOP_ADD, region_add(f->maker, divide), one);
}

// Emits the iteration count, or a value below 1. If it does not fit into int64, the condition of
// the loop's ranges is false.
static int32_t count_rounds(FastLoop *f) {
    LoopRanges *s = &f->ranges;
    const Counting *c = &f->counting;
    int32_t from = ranges_at(s, c->varying, AT_FIRST), to = ranges_at(s, c->fixed, AT_FIRST);
    bool up = c->step > 0, also = c->op == AOP_LESS_EQUAL || c->op == AOP_GREATER_EQUAL;
    RegionInstr fits =
        REGION_INSTR(.op = RG_FITS, .elementwise = AOP_SUBTRACT, .from = DT_INT64, .type = DT_BOOL);
    fits.args[0] = up ? to : from;
    fits.args[1] = up ? from : to;
    ranges_want(s, region_add(f->maker, fits));
    int32_t way = apply(f, AOP_SUBTRACT, fits.args[0], fits.args[1]);
    if (also) {
        int32_t one = number(f, 1);
        ranges_want(s, compare(f, AOP_LESS, way, number(f, INT64_MAX)));
        way = apply(f, AOP_ADD, way, one);
    }
    return steps_of(f, way, up ? c->step : -c->step);
}

static void make_gate(FastLoop *f) {
    int32_t first = f->maker->region->code_count;
    f->ranges.gate = first;
    add_params(f);
    f->left = count_rounds(f);
    f->ranges.rounds_less = apply(f, AOP_SUBTRACT, f->left, number(f, 1));
    int32_t many = compare(f, AOP_GREATER_EQUAL, f->left, number(f, ROUNDS_LEAST));
    RegionEdge none = edge_from(f, f->loop->head, first);
    add_branch(f, many, (RegionEdge){.block = f->check}, none);
    end_block(f, f->gate, first);
}

static void make_check(FastLoop *f) {
    const Region *r = f->maker->region;
    int32_t first = r->code_count;
    for (int32_t n = 0; n < f->block_count; n++) {
        RegionBlock block = r->blocks[f->order[n]];
        for (int32_t i = block.first; i < block.end && !f->maker->failed; i++) want_fate(f, i);
    }
    f->ranges.closed = true;
    RegionEdge yes = edge_from(f, f->chunk, f->ranges.gate);
    region_add_link(f->maker, f->left);
    yes.count++;
    add_branch(f, f->ranges.condition, yes, edge_from(f, f->loop->head, f->ranges.gate));
    end_block(f, f->check, first);
}

// --- Chunks ------------------------------------------------------------------------------------

static void make_chunk(FastLoop *f) {
    int32_t first = f->maker->region->code_count;
    f->ranges.chunk = first;
    add_params(f);
    f->left = region_add(f->maker, REGION_INSTR(.op = RG_PARAM, .type = DT_INT64));
    int32_t most = number(f, f->kept_count > 0 ? KEPT_ELEMENTS : CHUNK_ROUNDS);
    f->chunk_rounds = apply(f, AOP_MINIMUM, f->left, most);
    int32_t stopped = region_add(f->maker, REGION_INSTR(.op = RG_STOPPED, .type = DT_BOOL));
    RegionEdge leave = edge_from(f, f->loop->head, first);
    add_branch(f, stopped, leave, (RegionEdge){.block = f->keep});
    end_block(f, f->chunk, first);
}

static bool changes(const FastLoop *f, int32_t param) {
    int32_t head = f->maker->region->blocks[f->loop->head].first;
    return f->ranges.values[head + param].kind != VALUE_FIXED;
}

static void make_keep(FastLoop *f) {
    int32_t first = f->maker->region->code_count;
    if (f->tries) keep_elements(f);
    if (f->tries) begin_checks(f);
    int32_t zero = number(f, 0);
    RegionEdge edge = {.block = f->rounds, .first = f->maker->region->link_count, .count = 1};
    region_add_link(f->maker, zero);
    for (int32_t p = 0; p < f->params; p++) {
        if (!changes(f, p)) continue;
        region_add_link(f->maker, f->ranges.chunk + p);
        edge.count++;
    }
    region_add(f->maker, REGION_INSTR(.op = RG_JUMP, .edges = {edge}));
    end_block(f, f->keep, first);
}

static void make_rounds(FastLoop *f) {
    const Region *r = f->maker->region;
    int32_t first = r->code_count, head = r->blocks[f->loop->head].first;
    region_add(f->maker, REGION_INSTR(.op = RG_PARAM, .type = DT_INT64));
    for (int32_t p = 0; p < f->params; p++)
        f->state[p] = !changes(f, p)
                          ? f->ranges.gate + p
                          : region_add(f->maker, REGION_INSTR(.op = RG_PARAM,
                                                              .type = r->code[head + p].type));
    RegionInstr rounds =
        REGION_INSTR(.op = RG_ROUNDS, .number = (uint64_t)f->copies[f->block_count - 1],
                     .edges = {{.block = f->copies[0]}, {.block = f->done}});
    rounds.args[0] = first;
    rounds.args[1] = f->chunk_rounds;
    region_add(f->maker, rounds);
    end_block(f, f->rounds, first);
}

// Jumps to `again` if a deferred check of the chunk failed.
static void look_back(FastLoop *f) {
    int32_t floats = f->maker->region->link_count;
    for (int32_t p = 0; p < f->params; p++) {
        DType type = (DType)f->maker->region->code[f->state[p]].type;
        if (changes(f, p) && dtype_kind(type) == DK_FLOAT) region_add_link(f->maker, f->state[p]);
    }
    leave_if_spoilt(f, floats);
    RegionInstr count = REGION_INSTR(.op = RG_COUNT);
    count.args[0] = f->chunk_rounds;
    region_add(f->maker, count);
}

static void make_done(FastLoop *f) {
    int32_t first = f->maker->region->code_count;
    if (f->tries) look_back(f);
    int32_t left = apply(f, AOP_SUBTRACT, f->left, f->chunk_rounds);
    int32_t more = compare(f, AOP_GREATER, left, number(f, 0));
    RegionEdge next = edge_to(f, f->chunk, f->state);
    region_add_link(f->maker, left);
    next.count++;
    add_branch(f, more, next, edge_to(f, f->loop->head, f->state));
    end_block(f, f->done, first);
}

static void make_again(FastLoop *f) {
    int32_t first = f->maker->region->code_count;
    put_elements_back(f);
    region_add(f->maker, REGION_INSTR(.op = RG_CALM));
    for (int32_t p = 0; p < f->params; p++) {
        uint8_t type = f->maker->region->code[f->ranges.chunk + p].type;
        RegionInstr again = REGION_INSTR(.op = RG_AGAIN, .type = type);
        again.args[0] = f->ranges.chunk + p;
        f->state[p] = region_add(f->maker, again);
    }
    RegionEdge edge = edge_to(f, f->loop->head, f->state);
    region_add(f->maker, REGION_INSTR(.op = RG_JUMP, .edges = {edge}));
    end_block(f, f->again, first);
}

// --- Loops -------------------------------------------------------------------------------------

// Numbers the copy's blocks consecutively, as RG_ROUNDS requires.
static void number_blocks(FastLoop *f) {
    uint32_t pc = f->maker->region->blocks[f->loop->head].pc;
    f->gate = region_add_block(f->maker, pc);
    f->check = region_add_block(f->maker, pc);
    f->chunk = region_add_block(f->maker, pc);
    f->keep = region_add_block(f->maker, pc);
    f->rounds = region_add_block(f->maker, pc);
    for (int32_t n = 0; n < f->block_count; n++)
        f->copies[n] = region_add_block(f->maker, f->maker->region->blocks[f->order[n]].pc);
    f->done = region_add_block(f->maker, pc);
    f->again = f->tries ? region_add_block(f->maker, pc) : NO_VALUE;
}

static void make_blocks(FastLoop *f) {
    number_blocks(f);
    void (*const makers[])(FastLoop *) = {make_gate,   make_check,  make_chunk, make_keep,
                                          make_rounds, copy_blocks, make_done};
    for (size_t i = 0; i < sizeof makers / sizeof *makers && !f->maker->failed; i++) makers[i](f);
    if (f->tries && !f->maker->failed) make_again(f);
}

// Redirects edges that enter the loop from outside to its gate.
static void redirect(FastLoop *f, int32_t blocks_before) {
    Region *r = f->maker->region;
    for (int32_t b = 0; b < blocks_before; b++) {
        RegionInstr *end = &r->code[r->blocks[b].end - 1];
        if (block_in(&f->loop->blocks, b)) continue;
        int count = end->op == RG_JUMP ? 1 : end->op == RG_BRANCH || end->op == RG_ROUNDS ? 2 : 0;
        for (int e = 0; e < count; e++)
            if (end->edges[e].block == f->loop->head) end->edges[e].block = f->gate;
    }
}

static void choose_tries(FastLoop *f, Traits traits) {
    f->looks = traits.quiet || (traits.orders && !traits.stores);
    f->tries = can_put_back(f);
    if (f->tries && !f->looks) f->tries = !f->parts && leaves_later(f);
    f->looks &= f->tries;
    if (!f->tries) f->kept_count = 0;
}

static bool is_worth_it(FastLoop *f) {
    Traits traits;
    f->params = 0;
    const Region *r = f->maker->region;
    const RegionBlock *head = &r->blocks[f->loop->head];
    while (r->code[head->first + f->params].op == RG_PARAM) f->params++;
    if (!is_plain(f, &traits) || !order_blocks(f) || !is_counted(f)) return false;
    find_edges(f);
    f->guards = has_guards(f);
    choose_tries(f, traits);
    return true;
}

// Emits the fast copy and redirects the loop's entries. On failure truncates the region to what it was.
static bool make_copy(FastLoop *f) {
    const RegionMark mark = region_mark(f->maker);
    make_blocks(f);
    if (f->maker->failed) {
        region_go_back(f->maker, mark);
        return false;
    }
    redirect(f, mark.block_count);
    return true;
}

static bool make_fast(RegionMaker *m, const Flow *flow, const FlowLoop *loop, FastLoop *f) {
    size_t values = (size_t)m->region->code_count * sizeof(int32_t),
           exits = (size_t)m->region->exit_count * sizeof(int32_t),
           state = (size_t)m->region->code_count * sizeof(int32_t);
    *f = (FastLoop){.maker = m, .flow = flow, .loop = loop};
    bool made = false;
    if (!ranges_open(m, loop, &f->ranges)) return false;
    f->map = mem_alloc(m->mem, values);
    f->state = mem_alloc(m->mem, state);
    f->exits = mem_alloc(m->mem, exits + 1);
    if (f->map && f->state && f->exits && is_worth_it(f)) {
        memset(f->map, 0xff, values);
        memset(f->exits, 0xff, exits);
        made = make_copy(f);
    }
    mem_free(m->mem, f->map, values);
    mem_free(m->mem, f->state, state);
    mem_free(m->mem, f->exits, exits + 1);
    ranges_close(&f->ranges);
    return made;
}

// Checks for capacity: a copy is slightly larger than the loop.
static bool has_room(const Region *r, const Flow *flow, const FlowLoop *loop) {
    enum { MORE_CODE = 512, MORE_BLOCKS = 16, TIMES = 3 };
    int32_t code = 0, blocks = 0;
    for (int32_t b = 0; b < flow->block_count; b++) {
        if (!block_in(&loop->blocks, b)) continue;
        code += r->blocks[b].end - r->blocks[b].first;
        blocks++;
    }
    return r->code_count + TIMES * code + MORE_CODE <= REGION_CODE &&
           r->block_count + TIMES * blocks + MORE_BLOCKS <= REGION_BLOCKS;
}

void region_make_fast(RegionMaker *m, int32_t *gates) {
    Flow *flow = mem_alloc(m->mem, sizeof *flow);
    FastLoop *f = mem_alloc(m->mem, sizeof *f);
    for (int32_t b = 0; b < m->region->block_count; b++) gates[b] = NO_VALUE;
    if (flow && f && flow_find(m->mem, m->region, flow)) {
        int32_t made = NO_VALUE; // head of the last copied loop
        for (int32_t i = 0; i < flow->loop_count; i++) {
            const FlowLoop *loop = &flow->loops[i];
            bool wanted = loop->innermost && loop->head != made && has_room(m->region, flow, loop);
            if (!wanted || !make_fast(m, flow, loop, f)) continue;
            made = loop->head;
            gates[made] = f->gate;
            m->region->plain[f->gate] = (int16_t)made;
        }
        flow_free(m->mem, flow);
    }
    mem_free(m->mem, flow, sizeof *flow);
    mem_free(m->mem, f, sizeof *f);
}
