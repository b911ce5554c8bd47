// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Estimates the instructions of a parallel loop's iteration: instructions times inner iteration
// counts and nest elements, as affine sums of values known in front of the loop.

#include "vm/region/parallel.h"

// --- Sums --------------------------------------------------------------------------------------

static int link_of(ParallelPlan *plan, int32_t name) {
    RegionParallel *p = &plan->loop;
    for (int i = 0; i < p->link_count; i++)
        if (plan->names[i] == name) return i;
    if (p->link_count == PARALLEL_LINKS) return -1;
    plan->names[p->link_count] = name;
    return p->link_count++;
}

ParallelSum parallel_sum(ParallelPlan *plan, const DependIndex *form) {
    ParallelSum sum = {.known = form->known, .constant = form->constant, .step = form->steps[0]};
    for (int t = 0; t < form->term_count; t++) {
        int link = link_of(plan, form->terms[t].name);
        if (link < 0) sum.known = false;
        sum.terms[sum.term_count].link = link;
        sum.terms[sum.term_count++].times = form->terms[t].times;
    }
    return sum;
}

// --- Instructions ------------------------------------------------------------------------------

static int64_t work_of(const RegionInstr *in) {
    enum { LIBRARY_WORK = 20, DIVISION_WORK = 8 };
    switch ((RegionOp)in->op) {
    case RG_PARAM:
    case RG_NUMBER:
    case RG_INPUT: return 0;
    case RG_POWER:
    case RG_FUNCTION:
    case RG_REDUCE:
    case RG_DOT:
    case RG_LIBRARY: return LIBRARY_WORK;
    case RG_ROUND_DOWN: return DIVISION_WORK;
    default: return 1;
    }
}

typedef struct Levels {
    ParallelPlan *plan;
    IndexForms *forms;
    const Region *region;
} Levels;

// --- Work --------------------------------------------------------------------------------------

// Returns the level of the innermost loop around a block.
static int level_of_block(const Levels *f, int32_t block, int loops) {
    const RegionParallel *p = &f->plan->loop;
    int found = 0;
    for (int l = 1; l < loops; l++)
        if (block_in(&forms_loop_of(f->forms, p->levels[l].head)->blocks, block) &&
            (found == 0 ||
             block_in(&forms_loop_of(f->forms, p->levels[found].head)->blocks, p->levels[l].head)))
            found = l;
    return found;
}

static bool is_no_more_than_zero(IndexForms *s, int32_t value) {
    int64_t number;
    return forms_number(s, value, &number) && number <= 0;
}

// Returns an affine upper bound of a value wherever the value is positive; not `known`: none was found.
static DependIndex form_above(IndexForms *s, int32_t value) {
    const RegionInstr in = s->maker->region->code[forms_origin(s, value)];
    const bool is_apply = in.op == RG_APPLY;
    DependIndex form = forms_index(s, value);
    for (int a = 0; a < 2 && !form.known && is_apply; a++)
        if (in.elementwise == AOP_MINIMUM || (in.elementwise == AOP_MAXIMUM && is_no_more_than_zero(s, in.args[!a])))
            form = forms_index(s, in.args[a]);
    return form;
}

// Finds an inner loop's iteration count, if the loop counts down to 0 as the outer one does.
static void find_rounds(Levels *f, ParallelLevel *level) {
    const Region *r = f->region;
    RegionParallel *p = &f->plan->loop;
    const RegionBlock *head = &r->blocks[level->head];
    const RegionInstr *end = &r->code[head->end - 1];
    const RegionInstr *test = end->op == RG_BRANCH ? &r->code[end->args[0]] : end;
    EdgesIn at = {0};
    if (test->op != RG_APPLY || test->elementwise != AOP_GREATER || test->args[0] < head->first ||
        r->code[test->args[0]].op != RG_PARAM)
        return;
    for (const RegionEdge *edge; (edge = next_edge_in(r, level->head, &at));) {
        const FlowLoop *loop = forms_loop_of(f->forms, level->head);
        if (block_in(&loop->blocks, at.block)) continue;
        int32_t count = forms_origin(f->forms, r->links[edge->first + test->args[0] - head->first]);
        f->forms->roughly = false;
        DependIndex form = form_above(f->forms, count);
        level->most = form.known;
        f->forms->roughly = true;
        if (!form.known) form = forms_index(f->forms, count);
        level->rounds = parallel_sum(f->plan, &form);
        level->most &= level->rounds.known;
        for (int l = 1; l < f->forms->levels; l++)
            for (int k = 1; k < p->level_count; k++)
                if (p->levels[k].head == f->forms->level_heads[l]) level->steps[k] = form.steps[l];
        return;
    }
}

// Adds a nest as one level per dimension, each inside the one before. False: too many.
static bool add_nest(Levels *f, int around, const RegionNest *nest) {
    RegionParallel *p = &f->plan->loop;
    for (int k = 0; k < nest->ndim; k++) {
        if (p->level_count == PARALLEL_LEVELS) return false;
        DependIndex extent = forms_index(f->forms, nest->extents[k]);
        ParallelLevel *level = &p->levels[p->level_count];
        *level = (ParallelLevel){
            .head = NO_VALUE, .around = around, .rounds = parallel_sum(f->plan, &extent)};
        for (int l = 1; l < f->forms->levels; l++)
            for (int i = 1; i < p->level_count; i++)
                if (p->levels[i].head == f->forms->level_heads[l])
                    level->steps[i] = extent.steps[l];
        around = p->level_count++;
    }
    p->levels[around].work = nest->form.code_count + nest->form.load_count + 1;
    p->nests = true;
    return true;
}

static bool add_nests(Levels *f) {
    const Region *r = f->region;
    int loops = f->plan->loop.level_count;
    for (int32_t b = 0; b < r->block_count; b++) {
        if (!block_in(&f->forms->loop->blocks, b)) continue;
        int around = level_of_block(f, b, loops);
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++)
            if (r->code[i].op == RG_NEST && !add_nest(f, around, &r->nests[r->code[i].number]))
                return false;
    }
    return true;
}

static bool list_levels(Levels *f) {
    RegionParallel *p = &f->plan->loop;
    p->level_count = 1;
    p->levels[0] = (ParallelLevel){.head = f->forms->loop->head, .around = NO_VALUE};
    for (int32_t b = 0; b < f->region->block_count; b++) {
        if (b == f->forms->loop->head || !block_in(&f->forms->loop->blocks, b) ||
            !forms_loop_of(f->forms, b))
            continue;
        if (p->level_count == PARALLEL_LEVELS) return false;
        p->levels[p->level_count++] = (ParallelLevel){.head = b};
    }
    return true;
}

static void count_work(Levels *f) {
    const Region *r = f->region;
    RegionParallel *p = &f->plan->loop;
    for (int32_t b = 0; b < r->block_count; b++) {
        if (!block_in(&f->forms->loop->blocks, b)) continue;
        ParallelLevel *level = &p->levels[level_of_block(f, b, p->level_count)];
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++)
            level->work += work_of(&r->code[i]);
    }
}

static bool is_within(const Levels *f, int level, int of) {
    const RegionParallel *p = &f->plan->loop;
    return block_in(&forms_loop_of(f->forms, p->levels[of].head)->blocks, p->levels[level].head);
}

// Returns the innermost of the levels around a level.
static int level_around(const Levels *f, int level) {
    int around = 0;
    for (int k = 1; k < f->plan->loop.level_count; k++)
        if (k != level && is_within(f, level, k) && (around == 0 || is_within(f, k, around)))
            around = k;
    return around;
}

bool parallel_levels(ParallelPlan *plan, IndexForms *forms) {
    Levels f = {plan, forms, forms->maker->region};
    forms->roughly = true;
    if (!list_levels(&f)) return false;
    count_work(&f);
    for (int l = 1; l < plan->loop.level_count; l++) {
        plan->loop.levels[l].around = level_around(&f, l);
        find_rounds(&f, &plan->loop.levels[l]);
    }
    return add_nests(&f);
}
