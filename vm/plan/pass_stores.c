// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decides what kernels store: results visible outside the plan, or read by a later kernel. Other
// values stay within their kernel. A group with more stores than a kernel allows is split.

#include "vm/plan/pass.h"

static void put_in_order(Plan *plan) {
    plan->order_count = 0;
    for (int g = 0; g < plan->group_count; g++) {
        int at = plan->groups[g].first;
        for (;; at = plan->next[at]) {
            const Node *node = plan->nodes[at];
            for (int i = 0; i < node->input_count; i++)
                if (!node->inputs[i].is_scalar)
                    plan->last[plan_number(&node->inputs[i].view)] = plan->order_count;
            plan->last[plan_number(&node->output)] = plan->order_count;
            plan->order[plan->order_count++] = (uint16_t)at;
            if (plan->next[at] == at) break;
        }
    }
}

static bool is_stored(const Making *m, int at, int end) {
    const Node *node = m->plan->nodes[m->plan->order[at]];
    return op_info[node->op].op_class == CLASS_REDUCTION || node->hints & HINT_STORED ||
           plan_is_wanted(m, plan_number(&node->output), end);
}

// Makes nodes from … end - 1 of the order a kernel group, and decides which of their results are
// stored. With `stores` 0 the last result always is: for a loop that runs only for its warnings, or a
// kernel that is not a loop.
static void add_piece(Making *m, int from, int end, bool is_loop, int16_t call, int stores) {
    Plan *plan = m->plan;
    for (int n = from; n < end; n++) {
        bool stored = is_stored(m, n, end) || (stores == 0 && n == end - 1);
        plan->fates[plan->order[n]] = stored ? FATE_STORED : FATE_ELIDED;
    }
    plan->pieces[plan->piece_count++] =
        (Piece){.from = (uint16_t)from, .count = (uint16_t)(end - from), .is_loop = is_loop, .call = call};
}

static void add_loop(Making *m, int from, int end) {
    int stores = 0, middle = (from + end) / 2;
    for (int n = from; n < end; n++) stores += is_stored(m, n, end);
    if (stores <= KERN_STORES) {
        add_piece(m, from, end, true, -1, stores);
        return;
    }
    if (m->watch)
        m->plan->whys[m->plan->order[middle]] = (Why){WHY_WIDE, (int16_t)m->plan->order[from]};
    add_loop(m, from, middle);
    add_loop(m, middle, end);
}

Status pass_stores(Making *m) {
    Plan *plan = m->plan;
    put_in_order(plan);
    for (int g = 0, from = 0; g < plan->group_count; g++) {
        const Group *group = &plan->groups[g];
        if (group->open) add_loop(m, from, from + group->count);
        else add_piece(m, from, from + group->count, false, group->call, 0);
        from += group->count;
    }
    return ST_OK;
}

// --- Checking ----------------------------------------------------------------------------------

static const char *check_order(const Plan *plan) {
    bool found[DEPTH_MAX] = {false};
    int live = 0;
    for (int n = 0; n < plan->node_count; n++) live += plan_is_live(plan, n);
    if (plan->order_count != live) return "nodes are missing in the order";
    for (int n = 0; n < live; n++) {
        int at = plan->order[n];
        if (at >= plan->node_count || !plan_is_live(plan, at) || found[at])
            return "a node is run twice, or is none";
        found[at] = true;
    }
    return NULL;
}

// Checks that an elided value is only read by its own kernel.
static const char *check_elided(const Making *m, int node, int end) {
    const Plan *plan = m->plan;
    uint32_t number = plan_number(&plan->nodes[node]->output);
    if (plan->fates[node] != FATE_ELIDED) return NULL;
    if (m->key->seen[number]) return "what others see is not stored";
    for (int later = end; later < plan->order_count; later++) {
        const Node *reader = plan->nodes[plan->order[later]];
        for (int i = 0; i < reader->input_count; i++)
            if (!reader->inputs[i].is_scalar && plan_number(&reader->inputs[i].view) == number)
                return "what a later kernel reads is not stored";
    }
    return NULL;
}

const char *check_stores(const Making *m) {
    const Plan *plan = m->plan;
    const char *problem = check_order(plan);
    int at = 0;
    for (int p = 0; !problem && p < plan->piece_count; p++) {
        const Piece *piece = &plan->pieces[p];
        int stores = 0;
        if (piece->from != at || piece->count < 1 || piece->count > KERN_SITES)
            return "kernels do not follow one another";
        if (!piece->is_loop && piece->call < 0 && piece->count != 1) return "several nodes in no loop";
        at += piece->count;
        for (int n = piece->from; !problem && n < at; n++) {
            if (plan->fates[plan->order[n]] == FATE_LIVE) problem = "a node without fate";
            else problem = check_elided(m, plan->order[n], at);
            stores += plan->fates[plan->order[n]] == FATE_STORED;
        }
        if (!problem && (stores < 1 || stores > KERN_STORES))
            problem = "a kernel stores nothing, or too much";
    }
    return problem || at == plan->order_count ? problem : "nodes in no kernel";
}
