// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fusion: which nodes become one kernel. Nodes are taken in program order; each goes into the last
// group that it may be in and that has data in common with it, or begins a group of its own. Groups are
// run in order, so a node must come behind every group that it depends on. It may be in that very group
// if both touch just the same elements in the same order: then the value is handed on in a tile.

#include <string.h>

#include "vm/sched/plan.h"

// --- What may be fused -------------------------------------------------------------------------

static const View *space_of(const Node *node) {
    bool reduces = op_info[node->op].op_class == CLASS_REDUCTION;
    return reduces ? &node->inputs[0].view : &node->output;
}

// Fused with what it reduces, a reduction must add in the order that it has alone, where the operand's
// dimensions may have been joined. With one axis, or all of them, the order does not depend on that.
static bool keeps_order(const Node *node) {
    int ndim = node->inputs[0].view.ndim;
    AxisSet axes = node->attrs.axes;
    bool one = axes != 0 && (axes & (axes - 1)) == 0, all = axes == axes_below(ndim);
    return one || (all && node->attrs.loop != DT_FLOAT16);
}

int clashing_operand(const Node *node) {
    bool elementwise = op_info[node->op].op_class == CLASS_ELEMENTWISE;
    for (int i = 0; i < node->input_count; i++) {
        const NodeInput *input = &node->inputs[i];
        if (input->is_scalar || !view_meets(&input->view, &node->output)) continue;
        if (!elementwise || !view_same(&input->view, &node->output)) return i;
    }
    return -1;
}

static bool is_fusable(const Node *node) {
    OpClass class = (OpClass)op_info[node->op].op_class;
    if (class != CLASS_ELEMENTWISE && class != CLASS_REDUCTION) return false;
    if (node_can_fail(node)) return false;
    if (class == CLASS_REDUCTION && !keeps_order(node)) return false;
    return view_size(space_of(node)) > 0 && clashing_operand(node) < 0 && view_is_injective(&node->output);
}

// --- Dependences -------------------------------------------------------------------------------

typedef struct Needs {
    const View *views[NODE_INPUTS + 1]; // the output's last
    int count;
} Needs;

static void needs_of(const Node *node, Needs *needs) {
    needs->count = 0;
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar) needs->views[needs->count++] = &node->inputs[i].view;
    needs->views[needs->count++] = &node->output;
}

// The first group that the node may be in.
static int earliest_group(const Plan *plan, const Node *node, const Needs *needs) {
    bool reduces = op_info[node->op].op_class == CLASS_REDUCTION;
    int earliest = 0;
    for (int i = 0; i < needs->count; i++) {
        const View *view = needs->views[i];
        bool writes = i == needs->count - 1;
        const Access *access;
        for (uint32_t at = view->storage->accesses; at; at = access->before) {
            access = &plan->accesses[at - 1];
            int group = plan->group_of[access->node];
            if ((!writes && !access->writes) || group < earliest) continue;
            bool by_element = !(reduces && writes) &&
                              !(plan->groups[group].reduces && access->writes &&
                                op_info[plan->nodes[access->node]->op].op_class == CLASS_REDUCTION);
            if (by_element && view_same(view, access->view)) {
                if (group > earliest) earliest = group;
            } else if (view_meets(view, access->view)) {
                earliest = group + 1;
            }
        }
    }
    return earliest;
}

static bool same_space(const Group *group, const View *space) {
    return group->ndim == space->ndim &&
           memcmp(group->shape, space->shape, (size_t)space->ndim * sizeof *space->shape) == 0;
}

// A second load of the same elements is worth saving where they do not stay in the cache meanwhile, and
// a second kernel where it costs more than its work. In between, what is made last is best used next.
static bool is_worth_sharing(const View *view) {
    enum { FEW = 1 << 12, MANY = 1 << 17 }; // elements
    int64_t size = view_size(view);
    for (int d = 0; d < view->ndim; d++)
        if (view->shape[d] > 1 && view->strides[d] == 0) return false;
    return size <= FEW || size >= MANY;
}

// How many of the node's operands the group has not loaded or computed. *common: it has some that make
// it worth joining.
static int new_loads(const Plan *plan, int group, const Needs *needs, bool *common) {
    int loads = 0;
    for (int i = 0; i < needs->count; i++) {
        bool found = false, writes = i == needs->count - 1;
        const Access *access;
        for (uint32_t at = needs->views[i]->storage->accesses; at; at = access->before) {
            access = &plan->accesses[at - 1];
            bool here = plan->group_of[access->node] == group && view_same(needs->views[i], access->view);
            found |= here;
            *common |= here && (writes || access->writes || is_worth_sharing(needs->views[i]));
        }
        loads += !found && !writes;
    }
    return loads;
}

static int code_bound(const Node *node) {
    return 2 + node->input_count; // casts of operands and of the result
}

static bool has_room(const Group *group, const Node *node, int loads) {
    return group->loads + loads <= KERN_LOADS &&
           group->params + (node->input_count) <= KERN_PARAMS &&
           group->code + code_bound(node) <= KERN_CODE && group->count < KERN_SITES;
}

// --- Groups ------------------------------------------------------------------------------------

static void join(Plan *plan, int number, int at, int loads) {
    Group *group = &plan->groups[number];
    const Node *node = plan->nodes[at];
    plan->group_of[at] = (uint16_t)number;
    plan->next[at] = (uint16_t)at;
    if (group->count++ > 0) plan->next[group->last] = (uint16_t)at;
    group->last = (uint16_t)at;
    group->loads += loads;
    for (int i = 0; i < node->input_count; i++) group->params += node->inputs[i].is_scalar;
    group->code += code_bound(node);
    group->reduces |= op_info[node->op].op_class == CLASS_REDUCTION;
}

static void begin_group(Plan *plan, int at, bool open, int loads) {
    const View *space = space_of(plan->nodes[at]);
    int number = plan->group_count++;
    plan->groups[number] = (Group){.first = (uint16_t)at, .open = open, .ndim = space->ndim,
                                   .shape = space->shape};
    join(plan, number, at, loads);
}

static void note_accesses(Plan *plan, int at, const Needs *needs) {
    for (int i = 0; i < needs->count; i++) {
        Storage *storage = needs->views[i]->storage;
        plan->accesses[plan->access_count++] =
            (Access){.view = needs->views[i], .node = (uint16_t)at,
                     .writes = i == needs->count - 1, .before = storage->accesses};
        storage->accesses = (uint32_t)plan->access_count;
    }
}

static void place(Plan *plan, int at) {
    const Node *node = plan->nodes[at];
    Needs needs;
    bool open = is_fusable(node), reduces = op_info[node->op].op_class == CLASS_REDUCTION;
    needs_of(node, &needs);
    int earliest = open ? earliest_group(plan, node, &needs) : plan->group_count;
    for (int g = plan->group_count - 1; g >= earliest; g--) {
        const Group *group = &plan->groups[g];
        bool common = false;
        if (!group->open || (group->reduces && reduces) || !same_space(group, space_of(node))) continue;
        int loads = new_loads(plan, g, &needs, &common);
        if (!common || !has_room(group, node, loads)) continue;
        join(plan, g, at, loads);
        note_accesses(plan, at, &needs);
        return;
    }
    begin_group(plan, at, open, needs.count - 1);
    note_accesses(plan, at, &needs);
}

void plan_groups(Plan *plan) {
    plan->group_count = plan->access_count = 0;
    for (int i = 0; i < plan->node_count; i++) place(plan, i);
    for (int i = 0; i < plan->access_count; i++) plan->accesses[i].view->storage->accesses = 0;
}
