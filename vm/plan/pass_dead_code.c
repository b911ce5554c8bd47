// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dead code elimination: drops a node if its result is invisible outside the plan and no later node
// reads it. Nodes that may fail or warn are kept.

#include "vm/plan/pass.h"

static bool has_effect(const Making *m, const Node *node) {
    return m->key->seen[plan_number(&node->output)] || node_can_fail(node) ||
           (m->warns && node_can_tell(node) && !node->attrs.spared);
}

static bool reads(const Node *node, uint32_t number) {
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && plan_number(&node->inputs[i].view) == number) return true;
    return false;
}

Status pass_dead_code(Making *m) {
    Plan *plan = m->plan;
    bool read[VIEWS_MAX];
    memset(read, 0, (size_t)m->key->storage_count * sizeof *read);
    for (int n = plan->node_count - 1; n >= 0; n--) {
        const Node *node = plan->nodes[n];
        if (!read[plan_number(&node->output)] && !has_effect(m, node)) {
            plan->fates[n] = FATE_DEAD;
            continue;
        }
        for (int i = 0; i < node->input_count; i++)
            if (!node->inputs[i].is_scalar) read[plan_number(&node->inputs[i].view)] = true;
    }
    return ST_OK;
}

const char *check_dead_code(const Making *m) {
    const Plan *plan = m->plan;
    for (int n = 0; n < plan->node_count; n++) {
        if (plan_is_live(plan, n)) continue;
        if (has_effect(m, plan->nodes[n])) return "a node with effects is dropped";
        uint32_t number = plan_number(&plan->nodes[n]->output);
        for (int later = n + 1; later < plan->node_count; later++)
            if (plan_is_live(plan, later) && reads(plan->nodes[later], number))
                return "a node that is dropped is read";
    }
    return NULL;
}
