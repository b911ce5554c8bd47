// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Expresses accesses and checks of a parallel loop as affine sums of its counters.

#include "vm/region/parallel_touch.h"

#include <string.h>

_Static_assert((int)PARALLEL_INNER == (int)DEPEND_LEVELS, "numbers of counters are those of depend.h");

// --- Accesses ----------------------------------------------------------------------------------

// Adds an access to a list unless an equal one is in it. False: no room.
static bool add_access(ParallelPlan *plan, const Access *access, ParallelAccess *list, int *count, int most) {
    ParallelAccess added;
    memset(&added, 0, sizeof added);
    added.array = access->array;
    for (int d = 0; d < access->at.ndim; d++) {
        const DependIndex *form = &access->at.index[d];
        if (!form->known) continue;
        added.index[d] = parallel_sum(plan, form);
        for (int l = 1; l < DEPEND_LEVELS; l++) {
            added.inner[d][l] = form->steps[l];
            added.moves[d] |= form->steps[l] != 0;
        }
    }
    for (int i = 0; i < *count; i++)
        if (memcmp(&added, &list[i], sizeof added) == 0) return true;
    if (*count == most) return false;
    list[(*count)++] = added;
    return true;
}

bool touch_writes(ParallelPlan *plan, const Access *accesses, int count) {
    RegionParallel *p = &plan->loop;
    for (int i = 0; i < count; i++) {
        if (!accesses[i].store || p->folded >> accesses[i].array & 1) continue;
        if (!add_access(plan, &accesses[i], p->writes, &p->write_count, PARALLEL_WRITES)) return false;
    }
    return true;
}

static void list_reads(ParallelPlan *plan, const Access *accesses, int count) {
    RegionParallel *p = &plan->loop;
    for (int i = 0; i < count; i++)
        if (!accesses[i].store && !add_access(plan, &accesses[i], p->reads, &p->read_count, PARALLEL_READS))
            p->unlisted |= UINT32_C(1) << accesses[i].array;
}

// Adds the arrays that a block outside the loop reads to those that the loop reads. An iteration that leaves the loop
// runs this block before it is discarded.
static void note_way_out(RegionParallel *p, const Region *r, const RegionBlock *block) {
    const uint32_t all = (uint32_t)((UINT64_C(1) << r->array_count) - 1);
    uint32_t read = 0;
    for (int32_t i = block->first; i < block->end; i++)
        if (!region_op_is_scalar(r->code[i].op))
            read |= r->code[i].op == RG_LOAD ? UINT32_C(1) << r->code[i].array : all;
    p->read |= read;
    p->unlisted |= read;
}

// --- Checks ------------------------------------------------------------------------------------

// Adds an instruction's check, if it has one. False: not a range check of a known sum, or no room.
static bool add_check(ParallelPlan *plan, IndexForms *forms, int32_t instr) {
    const RegionInstr *in = &forms->maker->region->code[instr];
    RegionParallel *p = &plan->loop;
    if (in->exit == NO_VALUE || in->op == RG_QUIET || in->op == RG_POLL) return true;
    const bool is_index = in->op == RG_INDEX;
    if ((!is_index && in->op != RG_CHECKED) || in->to_block || p->check_count == PARALLEL_CHECKS) return false;
    const DependIndex form = forms_index(forms, instr);
    ParallelCheck *check = &p->checks[p->check_count++];
    *check = (ParallelCheck){.array = is_index ? in->array : NO_ARRAY, .dim = in->dim, .sum = parallel_sum(plan, &form)};
    memcpy(check->inner, form.steps, sizeof check->inner);
    return check->sum.known;
}

void touch_reads(ParallelPlan *plan, IndexForms *forms, const Access *accesses, int count) {
    const Region *r = forms->maker->region;
    const FlowLoop *loop = forms->loop;
    RegionParallel *p = &plan->loop;
    list_reads(plan, accesses, count);
    p->checked = true;
    for (int32_t b = 0; b < r->block_count; b++) {
        const RegionEdge *edges[2];
        if (!block_in(&loop->blocks, b)) continue;
        for (int32_t i = r->blocks[b].first; p->checked && i < r->blocks[b].end; i++) p->checked = add_check(plan, forms, i);
        const int edge_count = b == loop->head ? 0 : block_edges(r, b, edges);
        for (int e = 0; e < edge_count; e++) {
            if (block_in(&loop->blocks, edges[e]->block)) continue;
            note_way_out(p, r, &r->blocks[edges[e]->block]);
            p->checked = false;
        }
    }
}

void touch_inner(ParallelPlan *plan, const IndexForms *forms) {
    RegionParallel *p = &plan->loop;
    for (int l = 1; l < forms->levels; l++)
        for (int k = 1; k < p->level_count; k++)
            if (p->levels[k].head == forms->level_heads[l]) p->inner[l] = k;
}

// --- Addresses ---------------------------------------------------------------------------------

static bool is_address(const RegionInstr *in, const uint8_t *marks) {
    if (in->op == RG_ADDRESS || in->op == RG_MAKE || in->op == RG_SAFE) return true;
    if (in->op != RG_APPLY || in->type != DT_INT64) return false;
    for (int i = 0; i < op_info[in->elementwise].arity; i++)
        if (marks[in->args[i]]) return true;
    return false;
}

static bool mark_along(const Region *r, const RegionEdge *edge, uint8_t *marks) {
    bool changed = false;
    for (int32_t i = 0; i < edge->count; i++) {
        const int32_t to = r->blocks[edge->block].first + i;
        if (!marks[r->links[edge->first + i]] || marks[to]) continue;
        marks[to] = changed = true;
    }
    return changed;
}

void touch_views(ParallelPlan *plan, const Region *r, const FlowLoop *loop, uint8_t *marks) {
    RegionParallel *p = &plan->loop;
    bool changed = true;
    memset(marks, 0, (size_t)r->code_count);
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < r->block_count; b++) {
            const RegionEdge *edges[2];
            for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) {
                if (marks[i] || !is_address(&r->code[i], marks)) continue;
                marks[i] = changed = true;
            }
            const int count = block_edges(r, b, edges);
            for (int e = 0; e < count; e++) changed |= mark_along(r, edges[e], marks);
        }
    }
    for (int i = 0; i < p->param_count; i++)
        p->views |= p->params[i].kind == PARALLEL_LAST && marks[r->blocks[loop->head].first + i];
}
