// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds loops that may run in parallel. Such a loop counts down to 0 as `for` does, is left only at
// its head and has no effects but stores. What one iteration reads of an earlier one must be
// loop-invariant or computable from the iteration number. No iteration touches an element that
// another one writes.

#include <string.h>

#include "vm/region/parallel.h"
#include "vm/region/parallel_access.h"
#include "vm/region/parallel_fold.h"
#include "vm/region/parallel_touch.h"
#include "vm/region/parallel_within.h"

enum { ACCESSES = 128 };

typedef struct Finder {
    RegionMaker *maker;
    const Region *region;
    const Flow *flow;
    const FlowLoop *loop;
    ParallelPlan *plan;
    ParallelUse use;
    IndexForms forms;
    const char *why;  // why the loop may not run in parallel
    uint8_t *marks;   // scratch of fold_of_param, a byte per value
    uint8_t *tainted; // per value: may depend on a variable that the previous iteration set
    Access accesses[ACCESSES];
    int access_count;
} Finder;

static const RegionInstr *code_of(const Finder *f, int32_t value) {
    return &f->region->code[value];
}

// --- Instructions ------------------------------------------------------------------------------

static bool runs_in_threads(uint8_t op) {
    if (region_op_is_scalar(op)) return true;
    switch ((RegionOp)op) {
    case RG_CHECKED:
    case RG_LOAD:
    case RG_STORE:
    case RG_LOAD_AT:
    case RG_STORE_AT:
    case RG_NEST:
    case RG_SPREAD:
    case RG_REDUCE:
    case RG_DOT:
    case RG_ADDRESS:
    case RG_STRIDE:
    case RG_QUIET: return true;
    default: return false;
    }
}

// --- Shape -------------------------------------------------------------------------------------

static bool has_stored(uint8_t op) {
    return op == RG_STORE || op == RG_STORE_AT || op == RG_NEST || op == RG_SPREAD;
}

// Tests that a block behind an edge out of the loop stores nothing and leaves the region. An iteration that takes
// such an edge is discarded.
static bool only_leaves(const Region *r, int32_t block) {
    int32_t last = r->blocks[block].end - 1;
    for (int32_t i = r->blocks[block].first; i < last; i++)
        if (!runs_in_threads(r->code[i].op) || has_stored(r->code[i].op)) return false;
    return r->code[last].op == RG_LEAVE;
}

static bool is_declared(const Region *r, const RegionBlock *head) {
    for (int32_t i = head->first; i < head->end; i++)
        if (r->code[i].op == RG_POLL && r->code[i].dim) return true;
    return false;
}

// Checks that the head compares the remaining count with 0, and that only the head leaves the loop.
static bool is_counted(Finder *f) {
    const Region *r = f->region;
    const RegionBlock *head = &r->blocks[f->loop->head];
    const RegionInstr *end = &r->code[head->end - 1];
    RegionParallel *p = &f->plan->loop;
    int64_t step;
    if (end->op != RG_BRANCH || !block_in(&f->loop->blocks, end->edges[0].block) ||
        block_in(&f->loop->blocks, end->edges[1].block))
        return false;
    const RegionInstr *test = &r->code[end->args[0]];
    if (test->op != RG_APPLY || test->elementwise != AOP_GREATER || test->from != DT_INT64)
        return false;
    const RegionInstr *zero = code_of(f, test->args[1]);
    if (zero->op != RG_NUMBER || zero->number != 0) return false;
    p->head = f->loop->head;
    p->declared = is_declared(r, head);
    p->end = end->edges[1].block;
    p->line = end->line;
    p->count_param = test->args[0] - head->first;
    return code_of(f, test->args[0])->op == RG_PARAM && p->count_param >= 0 &&
           test->args[0] < head->end && forms_step(&f->forms, f->loop, test->args[0], &step) &&
           step == -1;
}

static bool is_closed(Finder *f) {
    const Region *r = f->region;
    for (int32_t b = 0; b < r->block_count; b++) {
        const RegionEdge *edges[2];
        if (!block_in(&f->loop->blocks, b)) continue;
        int count = block_edges(r, b, edges);
        for (int e = 0; e < count; e++)
            if (!block_in(&f->loop->blocks, edges[e]->block) && b != f->loop->head &&
                !only_leaves(r, edges[e]->block))
                return false;
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++)
            if (!runs_in_threads(r->code[i].op)) return false;
    }
    return true;
}

// --- Parameters --------------------------------------------------------------------------------

// Finds the invariant parameter that `param` grows by.
static int16_t grows_by(Finder *f, int32_t param) {
    const Region *r = f->region;
    int32_t first = r->blocks[f->loop->head].first, by = NO_VALUE;
    EdgesIn at = {0};
    for (const RegionEdge *edge; (edge = next_edge_in(r, f->loop->head, &at));) {
        if (!block_in(&f->loop->blocks, at.block)) continue;
        const RegionInstr *in =
            code_of(f, forms_origin(&f->forms, r->links[edge->first + param - first]));
        if (in->op != RG_APPLY || in->elementwise != AOP_ADD || in->type != DT_INT64 ||
            forms_origin(&f->forms, in->args[0]) != param)
            return NO_VALUE;
        int32_t step = forms_origin(&f->forms, in->args[1]) - first;
        if (step < 0 || step >= INT16_MAX || code_of(f, first + step)->op != RG_PARAM ||
            (by != NO_VALUE && by != step) || !forms_same(&f->forms, first + step))
            return NO_VALUE;
        by = step;
    }
    return (int16_t)by;
}

static bool classify(Finder *f, int32_t place) {
    RegionParallel *p = &f->plan->loop;
    int32_t param = f->region->blocks[f->loop->head].first + place;
    DType type = (DType)code_of(f, param)->type;
    int64_t step = 0;
    ParallelParam kind = PARALLEL_LAST;
    if (forms_same(&f->forms, param))
        kind = PARALLEL_SAME;
    else if (place == p->count_param)
        kind = PARALLEL_COUNT;
    else if (forms_step(&f->forms, f->loop, param, &step) ||
             (p->params[place].by = grows_by(f, param)) != NO_VALUE)
        kind = PARALLEL_STEPS;
    if (kind != PARALLEL_STEPS || step != 0) p->params[place].by = NO_VALUE;
    p->params[place].kind = (uint8_t)kind;
    p->params[place].type = (uint8_t)type;
    p->params[place].step = step;
    f->tainted[param] = kind == PARALLEL_LAST;
    return kind != PARALLEL_LAST || type != DT_BOOL;
}

static bool classify_params(Finder *f) {
    RegionParallel *p = &f->plan->loop;
    int32_t first = f->region->blocks[f->loop->head].first;
    p->param_count = 0;
    while (code_of(f, first + p->param_count)->op == RG_PARAM)
        if (p->param_count == PARALLEL_PARAMS || !classify(f, p->param_count++)) return false;
    return true;
}

// Recognises folds among the parameters classified as PARALLEL_LAST.
static void find_folds(Finder *f) {
    RegionParallel *p = &f->plan->loop;
    int32_t first = f->region->blocks[f->loop->head].first;
    for (int i = 0; i < p->param_count; i++) {
        OpId op;
        bool exact;
        if (p->params[i].kind != PARALLEL_LAST) continue;
        if (!fold_of_param(f->region, f->loop, first + i, f->marks, &op, &exact)) continue;
        if (!exact && !p->declared) continue;
        p->params[i].kind = PARALLEL_FOLD;
        p->params[i].op = (uint8_t)op;
        p->rounded |= !exact;
        f->tainted[first + i] = false;
    }
}

// Propagates taint along an edge within an iteration.
static bool taint_along(Finder *f, const RegionEdge *edge) {
    bool changed = false;
    if (edge->block == f->loop->head || !block_in(&f->loop->blocks, edge->block)) return false;
    for (int32_t i = 0; i < edge->count; i++) {
        int32_t to = f->region->blocks[edge->block].first + i;
        if (!f->tainted[f->region->links[edge->first + i]] || f->tainted[to]) continue;
        f->tainted[to] = changed = true;
    }
    return changed;
}

static void spread_taint(Finder *f) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < f->region->block_count; b++) {
            const RegionEdge *edges[2];
            if (!block_in(&f->loop->blocks, b)) continue;
            int count = block_edges(f->region, b, edges);
            for (int e = 0; e < count; e++) changed |= taint_along(f, edges[e]);
        }
    }
}

static bool is_tainted(const void *finder, int32_t value) {
    return ((const Finder *)finder)->tainted[value];
}

// Checks that no iteration reads a variable that the previous one set.
static bool nobody_reads(Finder *f) {
    const Region *r = f->region;
    find_folds(f);
    spread_taint(f);
    for (int32_t b = 0; b < r->block_count; b++) {
        if (!block_in(&f->loop->blocks, b)) continue;
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++)
            if (any_operand(r, &r->code[i], is_tainted, f)) return false;
    }
    return true;
}

// --- Elements ----------------------------------------------------------------------------------

static bool list_accesses(Finder *f) {
    const Region *r = f->region;
    RegionParallel *p = &f->plan->loop;
    bool folds = false;
    f->access_count = 0;
    for (int32_t b = 0; b < r->block_count; b++) {
        if (!block_in(&f->loop->blocks, b)) continue;
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) {
            Access *more = f->accesses + f->access_count;
            int count = accesses_of(&f->forms, i, more, ACCESSES - f->access_count);
            if (count < 0) return false;
            for (int a = 0; a < count; a++)
                *(more[a].store ? &p->written : &p->read) |= UINT32_C(1) << more[a].array;
            f->access_count += count;
        }
    }
    for (int i = 0; i < p->param_count; i++) folds |= p->params[i].kind == PARALLEL_FOLD;
    return p->written != 0 || folds;
}

// Checks that no two iterations touch the same element of a written array.
static bool is_independent(Finder *f, int array) {
    DependNest nest = {.levels = f->forms.levels, .rounds = {-1, -1, -1, -1}};
    for (int w = 0; w < f->access_count; w++) {
        if (!f->accesses[w].store || f->accesses[w].array != array) continue;
        for (int a = 0; a < f->access_count; a++) {
            if (f->accesses[a].array != array) continue;
            Depend depend = region_depend(&nest, &f->accesses[w].at, &f->accesses[a].at);
            if (!depend_lets_go(&nest, &depend, 0)) return false;
        }
    }
    return true;
}

static bool only_elements(const Finder *f, int array) {
    bool only = true;
    for (int a = 0; a < f->access_count; a++)
        only &= f->accesses[a].array != array || f->accesses[a].element;
    return only;
}

// Tests that iterations are independent, by analysis or by the program's declaration. If declared, an
// array that iterations provably only fold into becomes a reduction; for others the program is trusted.
static bool are_independent(Finder *f) {
    RegionParallel *p = &f->plan->loop;
    for (int a = 0; a < f->region->array_count; a++) {
        OpId op;
        if (!(p->written >> a & 1) || is_independent(f, a)) continue;
        if (!p->declared) return false;
        if (!only_elements(f, a) || !fold_of_array(&f->forms, a, &op)) continue;
        p->folded |= UINT32_C(1) << a;
        p->folds[a] = (uint8_t)op;
        p->rounded = true;
    }
    return true;
}

// --- Lists for running the loop ----------------------------------------------------------------

static bool list_writes(Finder *f) {
    return touch_writes(f->plan, f->accesses, f->access_count);
}

static bool find_levels(Finder *f) {
    // before parallel_levels, which makes indexes approximate
    if (f->use.reads) touch_reads(f->plan, &f->forms, f->accesses, f->access_count);
    if (!parallel_levels(f->plan, &f->forms)) return false;
    touch_inner(f->plan, &f->forms);
    return true;
}

// --- Loops -------------------------------------------------------------------------------------

static bool is_parallel(Finder *f) {
    static const struct {
        bool (*holds)(Finder *f);
        const char *otherwise;
    } all[] = {
        {is_counted, "how many rounds there will be is not known"},
        {is_closed, "there are statements in it that threads do not run"},
        {classify_params, "it has too many names"},
        {nobody_reads, "a round needs what the one before has made"},
        {list_accesses, "it writes no elements, or too many"},
        {are_independent, "rounds may write and need the same elements"},
        {list_writes, "it writes too many elements"},
        {find_levels, "there are too many loops in it"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].holds(f)) continue;
        f->why = all[i].otherwise;
        return false;
    }
    return true;
}

static bool look_at(Finder *f) {
    size_t values = (size_t)f->region->code_count;
    bool found = false;
    f->tainted = mem_zalloc(f->maker->mem, values);
    f->marks = mem_zalloc(f->maker->mem, values);
    if (f->tainted && f->marks && forms_open(f->maker, f->flow, f->loop, &f->forms)) {
        found = is_parallel(f);
        if (found && f->use.reads) touch_views(f->plan, f->region, f->loop, f->marks);
        forms_close(&f->forms);
    }
    mem_free(f->maker->mem, f->tainted, values);
    mem_free(f->maker->mem, f->marks, values);
    return found;
}

// Looks for an inner loop that is parallel, too, and adds it to the plan.
static void find_within(Finder *f) {
    ParallelPlan *outer = f->plan;
    const FlowLoop *loop = f->loop, *inner = within_find(f->region, f->flow, loop, outer->loop.written);
    ParallelPlan *plan = inner ? mem_zalloc(f->maker->mem, sizeof *plan) : NULL;
    if (!plan) return;
    f->plan = plan;
    f->loop = inner;
    if (look_at(f)) within_keep(&plan->loop, inner, &outer->loop);
    f->plan = outer;
    f->loop = loop;
    mem_free(f->maker->mem, plan, sizeof *plan);
}

static bool is_taken(const ParallelPlans *plans, const FlowLoop *loop, const Flow *flow) {
    for (int i = 0; i < plans->count; i++)
        for (int32_t l = 0; l < flow->loop_count; l++)
            if (flow->loops[l].head == plans->plans[i]->loop.head &&
                block_in(&flow->loops[l].blocks, loop->head))
                return true;
    return false;
}

// Returns the loop with most blocks of those not seen, since outer loops have more; NO_VALUE: none.
static int32_t next_loop(const Flow *flow, const bool *seen) {
    int32_t best = NO_VALUE, most = 0;
    for (int32_t l = 0; l < flow->loop_count; l++) {
        int32_t blocks = 0;
        for (int w = 0; w < FLOW_WORDS; w++)
            blocks += __builtin_popcountll(flow->loops[l].blocks.words[w]);
        if (seen[l] || blocks <= most) continue;
        best = l;
        most = blocks;
    }
    return best;
}

static void find_all(Finder *f, ParallelPlans *out) {
    bool seen[FLOW_LOOPS] = {false};
    for (int32_t l; out->count < PARALLEL_LOOPS && (l = next_loop(f->flow, seen)) != NO_VALUE;) {
        seen[l] = true;
        f->loop = &f->flow->loops[l];
        if (is_taken(out, f->loop, f->flow)) continue;
        f->plan = mem_zalloc(f->maker->mem, sizeof *f->plan);
        if (!f->plan) return;
        if (look_at(f)) {
            if (f->use.items) find_within(f);
            out->plans[out->count++] = f->plan;
            continue;
        }
        if (out->count == 0 && !out->why) {
            const RegionBlock *head = &f->region->blocks[f->loop->head];
            out->why = f->why;
            out->line = f->region->code[head->end - 1].line;
        }
        mem_free(f->maker->mem, f->plan, sizeof *f->plan);
    }
}

void parallel_find(RegionMaker *m, ParallelUse use, ParallelPlans *out) {
    Flow *flow = mem_alloc(m->mem, sizeof *flow);
    Finder *f = mem_zalloc(m->mem, sizeof *f);
    out->count = 0;
    out->why = NULL;
    if (flow && f && flow_find(m->mem, m->region, flow)) {
        f->maker = m;
        f->region = m->region;
        f->flow = flow;
        f->use = use;
        find_all(f, out);
        flow_free(m->mem, flow);
    }
    mem_free(m->mem, flow, sizeof *flow);
    mem_free(m->mem, f, sizeof *f);
}

void parallel_free(Mem *mem, ParallelPlans *plans) {
    for (int i = 0; i < plans->count; i++) mem_free(mem, plans->plans[i], sizeof(ParallelPlan));
    plans->count = 0;
}
