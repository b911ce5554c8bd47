// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Fusion: groups nodes into kernels. Nodes are visited in program order. Each joins the last group
// that is allowed and shares data with it, or starts a new group. Groups run in order, so a node
// must come after every group it depends on. It may join such a group if both touch the same
// elements in the same order: then the value is passed on in a tile.

#include <stdlib.h>

#include "vm/plan/pass.h"

// --- What may be fused -------------------------------------------------------------------------

static bool is_reduction(const Node *node) {
    return op_info[node->op].op_class == CLASS_REDUCTION;
}

// Returns whether a fused reduction keeps the summation order that it has alone, where the operand's
// dimensions may be joined. With one axis, or all of them, the order is the same either way.
static bool has_one_order(const Node *node) {
    int ndim = node->inputs[0].view.ndim;
    AxisSet axes = node->attrs.axes;
    bool one = axes != 0 && (axes & (axes - 1)) == 0, all = axes == axes_below(ndim);
    return one || (all && node->attrs.loop != DT_FLOAT16);
}

static const Node *maker_of(const Plan *plan, int at, const View *view) {
    for (int n = at - 1; n >= 0; n--)
        if (plan_is_live(plan, n) && plan->nodes[n]->output.storage == view->storage)
            return view_same(&plan->nodes[n]->output, view) ? plan->nodes[n] : NULL;
    return NULL;
}

// Returns whether a sum is a contraction: of products of two arrays that each lack some dimensions.
// It is computed as a matrix product, whose order of summation differs from that of a sum of stored
// products. Small ones add whole rows sequentially.
static bool is_contraction(const Plan *plan, int at) {
    const Node *sum = plan->nodes[at], *product = maker_of(plan, at, &sum->inputs[0].view);
    int ndim = sum->inputs[0].view.ndim;
    bool rows = ndim > 0 && !(sum->attrs.axes >> (ndim - 1) & 1);
    return rows && product && product->op == AOP_MULTIPLY && sum->attrs.combine == AOP_ADD &&
           dtype_is_inexact(sum->attrs.loop) && sum->attrs.loop != DT_FLOAT16 &&
           !product->inputs[0].is_scalar && view_repeats(&product->inputs[0].view) &&
           !product->inputs[1].is_scalar && view_repeats(&product->inputs[1].view);
}

static bool keeps_order(const Plan *plan, int at) {
    return has_one_order(plan->nodes[at]) || is_contraction(plan, at);
}

static bool same_order(const View *a, const View *b) {
    for (int d = 0; d < a->ndim; d++)
        for (int e = d + 1; e < a->ndim; e++) {
            int64_t x = llabs(a->strides[d]) - llabs(a->strides[e]);
            int64_t y = llabs(b->strides[d]) - llabs(b->strides[e]);
            if ((x > 0) != (y > 0) || (x < 0) != (y < 0)) return false;
        }
    return true;
}

// Sums in one loop must use the same summation trees.
static bool sum_alike(const Node *a, const Node *b) {
    SumRuns of_a, of_b;
    if (!node_sums_floats(a) || !node_sums_floats(b)) return true;
    sum_runs(a, &of_a);
    sum_runs(b, &of_b);
    return (dtype_kind(a->attrs.loop) == DK_COMPLEX) == (dtype_kind(b->attrs.loop) == DK_COMPLEX) &&
           of_a.span == of_b.span && of_a.unit == of_b.unit && of_a.buffered == of_b.buffered;
}

// Reductions in one loop must reduce the same dimensions in the same order. Half floats accumulate
// in a wider type, a whole row at a time.
static bool reduce_together(const Node *a, const Node *b) {
    if (a->attrs.axes != b->attrs.axes) return false;
    if (a->attrs.loop == DT_FLOAT16 || b->attrs.loop == DT_FLOAT16 || !sum_alike(a, b)) return false;
    return same_order(&a->inputs[0].view, &b->inputs[0].view);
}

SizeClass view_size_class(const View *view) {
    enum { FEW = 1 << 12, MANY = 1 << 17 }; // numbers of elements
    int64_t size = view_size(view);
    if (size == 0) return SIZE_EMPTY;
    return size <= FEW ? SIZE_FEW : size < MANY ? SIZE_SOME : SIZE_MANY;
}

bool view_repeats(const View *view) {
    for (int d = 0; d < view->ndim; d++)
        if (view->shape[d] > 1 && view->strides[d] == 0) return true;
    return false;
}

// Returns whether the output may alias an operand. Sorting works on a copy of each row, and can be
// repeated after an interrupt.
static bool works_in_place(const Node *node) {
    return op_info[node->op].op_class == CLASS_ELEMENTWISE || node->op == AOP_SORT;
}

int clashing_operand(const Node *node) {
    bool in_place = works_in_place(node);
    for (int i = 0; i < node->input_count; i++) {
        const NodeInput *input = &node->inputs[i];
        if (input->is_scalar || !view_meets(&input->view, &node->output)) continue;
        if (!in_place || !view_same(&input->view, &node->output)) return i;
    }
    return -1;
}

// Returns whether a node can be a load of a loop (KernLines): a product of a compressed matrix with a vector, by rows.
static bool is_lines(const Plan *plan, const Node *node) {
    return plan->has_lines && kernel_has_lines(node);
}

// Returns whether operands are read at other elements than the one being computed.
static bool gathers(const Node *node) {
    return node->op == AOP_SPARSE_PRODUCT;
}

// Returns why the node cannot be fused at all; WHY_NONE: it can.
static WhyId unfusable(const Plan *plan, int at) {
    const Node *node = plan->nodes[at];
    OpClass class = (OpClass)op_info[node->op].op_class;
    if (is_lines(plan, node)) return view_size_class(&node->output) == SIZE_EMPTY ? WHY_EMPTY : WHY_NONE;
    if (class != CLASS_ELEMENTWISE && class != CLASS_REDUCTION) return WHY_ROUTINE;
    if (node_can_fail(node)) return WHY_MAY_RAISE;
    if (class == CLASS_REDUCTION && !keeps_order(plan, at)) return WHY_ORDER;
    if (view_size_class(kernel_space_of(node)) == SIZE_EMPTY) return WHY_EMPTY;
    if (clashing_operand(node) >= 0) return WHY_OVERLAP;
    return view_is_injective(&node->output) ? WHY_NONE : WHY_REPEATED;
}

// --- Dependences -------------------------------------------------------------------------------

static void needs_of(const Node *node, Needs *needs) {
    needs->count = 0;
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar) needs->views[needs->count++] = &node->inputs[i].view;
    needs->views[needs->count++] = &node->output;
}

// Returns the first group that the node may join, and the dependence that sets this limit.
static int earliest_group(const Plan *plan, const Node *node, const Needs *needs, Why *why) {
    bool reduces = is_reduction(node);
    int earliest = 0;
    for (int i = 0; i < needs->count; i++) {
        const View *view = needs->views[i];
        bool writes = i == needs->count - 1;
        const Access *access;
        for (uint32_t at = view->storage->accesses; at; at = access->before) {
            access = &plan->accesses[at - 1];
            int group = plan->group_of[access->node];
            if ((!writes && !access->writes) || group < earliest) continue;
            const Node *other = plan->nodes[access->node];
            bool whole = access->writes && is_reduction(other);
            bool elsewhere = (!writes && gathers(node)) || (!access->writes && gathers(other));
            bool by_element = !(reduces && writes) && !whole && !elsewhere;
            if (by_element && view_same(view, access->view)) {
                if (group > earliest) earliest = group;
            } else if (view_meets(view, access->view)) {
                earliest = group + 1;
                WhyId id = whole ? WHY_WHOLE : writes ? WHY_OVERWRITES : WHY_SHIFTED;
                *why = (Why){(uint8_t)id, (int16_t)access->node};
            }
        }
    }
    return earliest;
}

static bool same_space(const Group *group, const View *space) {
    return group->ndim == space->ndim &&
           memcmp(group->shape, space->shape, (size_t)space->ndim * sizeof *space->shape) == 0;
}

// Returns whether sharing a load pays off: if the elements would leave the cache between two kernels,
// or if a kernel's launch costs more than its work. For sizes in between, it is better to fuse with
// the kernel that computes an operand.
static bool is_worth_sharing(const View *view) {
    return !view_repeats(view) && view_size_class(view) != SIZE_SOME;
}

// Counts operands that the group has neither loaded nor computed. Sets *common if the node and the
// group share a view that makes joining worthwhile.
static int new_loads(const Plan *plan, int group, const Needs *needs, bool *common) {
    int loads = 0;
    for (int i = 0; i < needs->count; i++) {
        bool found = false, writes = i == needs->count - 1;
        const Access *access;
        for (uint32_t at = needs->views[i]->storage->accesses; at; at = access->before) {
            access = &plan->accesses[at - 1];
            bool here = plan->group_of[access->node] == group && view_same(needs->views[i], access->view) &&
                        (access->writes || !gathers(plan->nodes[access->node]));
            found |= here;
            *common |= here && (writes || access->writes || is_worth_sharing(needs->views[i]));
        }
        loads += !found && !writes;
    }
    return loads;
}

// Returns whether the node's reduction fits those of a group.
static bool reduces_with(const Plan *plan, const Group *group, const Node *node) {
    if (!is_reduction(node) || group->reduction < 0) return true;
    const Node *other = plan->nodes[group->reduction];
    return other == node || reduce_together(other, node);
}

// Returns an upper bound of a node's instructions: the operation, and casts of operands and result.
static int code_bound(const Node *node) {
    DType loop, result;
    if (!op_types(node->op, node->attrs.loop, &loop, &result)) result = node->attrs.loop;
    int bound = is_reduction(node) ? 3 : 1 + (result != node->output.dtype);
    for (int i = 0; i < node->input_count; i++)
        bound += !node->inputs[i].is_scalar && node->inputs[i].dtype != node->attrs.loop;
    return bound;
}

static bool has_room(const Group *group, const Node *node, int loads) {
    return group->lines + gathers(node) <= KERN_LINES && group->loads + loads <= KERN_LOADS &&
           group->params + node->input_count + is_reduction(node) <= KERN_PARAMS &&
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
    group->lines += gathers(node);
    for (int i = 0; i < node->input_count; i++) group->params += node->inputs[i].is_scalar;
    group->code += code_bound(node);
    if (is_reduction(node)) {
        if (group->reduction < 0 || node_sums_floats(node)) group->reduction = (int16_t)at;
        group->params++; // its initial value may need a parameter
    }
}

static void begin_group(Plan *plan, int at, bool open, int loads) {
    const View *space = kernel_space_of(plan->nodes[at]);
    int number = plan->group_count++;
    plan->groups[number] = (Group){.first = (uint16_t)at, .open = open, .reduction = -1, .call = -1,
                                   .apart = plan->nodes[at]->hints & HINT_APART,
                                   .ndim = space->ndim, .shape = space->shape};
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

// --- Reasons -----------------------------------------------------------------------------------

// Returns the last node of the group that shares a storage with the given one; -1: none. A node where
// one of the two writes the storage (*depends) is preferred.
static int related(const Plan *plan, int group, const Needs *needs, bool *depends) {
    int found = -1;
    *depends = false;
    for (int i = 0; i < needs->count; i++) {
        const Access *access;
        for (uint32_t at = needs->views[i]->storage->accesses; at; at = access->before) {
            access = &plan->accesses[at - 1];
            bool writes = access->writes || i == needs->count - 1;
            if (plan->group_of[access->node] != group || writes < *depends) continue;
            if (access->node > found || writes > *depends) found = access->node;
            *depends = writes;
        }
    }
    return found;
}

// Returns why a fusable node did not join a group that it shares data with.
static WhyId refusal(const Plan *plan, int number, const Node *node, const Needs *needs) {
    const Group *group = &plan->groups[number];
    bool common = false;
    if (!group->open) return WHY_BEHIND;
    if (!same_space(group, kernel_space_of(node))) return WHY_SPACE;
    if (!reduces_with(plan, group, node)) return WHY_REDUCES;
    int loads = new_loads(plan, number, needs, &common);
    return !common ? WHY_SHARES : has_room(group, node, loads) ? WHY_NONE : WHY_FULL;
}

// Returns whether an operand is another node's whole output, reshaped.
static bool is_reshaped(const Node *writer, const Needs *needs) {
    const View *made = &writer->output;
    const Group space = {.ndim = made->ndim, .shape = made->shape};
    int64_t low, high, from, to;
    if (!view_extent(made, &low, &high)) return false;
    for (int i = 0; i < needs->count - 1; i++) {
        const View *view = needs->views[i];
        if (view->storage != made->storage || view_size(view) != view_size(made)) continue;
        if (same_space(&space, view)) continue;
        if (view_extent(view, &from, &to) && from == low && to == high) return true;
    }
    return false;
}

// Returns why a node that starts a group was not fused with the last group that it shares data with.
static Why reason(const Plan *plan, const Node *node, const Needs *needs, int earliest, Why moved) {
    for (int g = plan->group_count - 1; g >= 0; g--) {
        bool depends;
        int with = related(plan, g, needs, &depends);
        if (with < 0) continue;
        if (moved.id != WHY_NONE && (g < earliest || !depends)) {
            bool reshaped = moved.id == WHY_SHIFTED && is_reshaped(plan->nodes[moved.with], needs);
            return reshaped ? (Why){WHY_SPACE, moved.with} : moved;
        }
        WhyId id = refusal(plan, g, node, needs);
        if (id == WHY_REDUCES) with = plan->groups[g].reduction;
        return (Why){(uint8_t)id, (int16_t)with};
    }
    return (Why){WHY_ALONE, -1};
}

// --- Merging -----------------------------------------------------------------------------------

// Returns whether a group's nodes may be delayed into a later group's loop: nothing in between
// depends on them, and the later group at most element by element.
static bool may_wait(const Plan *plan, int group, int later) {
    for (int at = plan->groups[group].first;; at = plan->next[at]) {
        Needs needs;
        needs_of(plan->nodes[at], &needs);
        for (int i = 0; i < needs.count; i++) {
            bool writes = i == needs.count - 1;
            const Access *access;
            for (uint32_t n = needs.views[i]->storage->accesses; n; n = access->before) {
                access = &plan->accesses[n - 1];
                int other = plan->group_of[access->node];
                if (other <= group || other > later || !(writes || access->writes)) continue;
                bool reduces = (writes && is_reduction(plan->nodes[at])) ||
                               (access->writes && is_reduction(plan->nodes[access->node]));
                bool elsewhere = (!writes && gathers(plan->nodes[at])) ||
                                 (!access->writes && gathers(plan->nodes[access->node]));
                bool by_element = other == later && !reduces && !elsewhere && view_same(needs.views[i], access->view);
                if (!by_element && view_meets(needs.views[i], access->view)) return false;
            }
        }
        if (plan->next[at] == at) return true;
    }
}

// Merges two lists in program order.
static void merge_lists(Plan *plan, const Group *from, Group *into) {
    int a = from->first, b = into->first, left_a = from->count, left_b = into->count, last = -1;
    while (left_a + left_b > 0) {
        bool takes_a = left_b == 0 || (left_a > 0 && a < b);
        int taken = takes_a ? a : b;
        if (takes_a) a = plan->next[a];
        else b = plan->next[b];
        left_a -= takes_a;
        left_b -= !takes_a;
        if (last < 0) into->first = (uint16_t)taken;
        else plan->next[last] = (uint16_t)taken;
        last = taken;
    }
    plan->next[last] = (uint16_t)last;
    into->last = (uint16_t)last;
}

// Moves a group's nodes into a later group of the same iteration space, if allowed, and renumbers
// the groups after it. `last` is the last grouped node. False: not allowed, and nothing has changed.
static bool merge(Plan *plan, int group, int later, int last) {
    Group *from = &plan->groups[group], *into = &plan->groups[later];
    const View *space = kernel_space_of(plan->nodes[from->first]);
    bool room = from->lines + into->lines <= KERN_LINES && from->loads + into->loads <= KERN_LOADS && from->params + into->params <= KERN_PARAMS &&
                from->code + into->code <= KERN_CODE && from->count + into->count < KERN_SITES;
    if (!from->open || !into->open || into->apart || !room) return false;
    if (from->apart && into->first < from->first) return false;
    if (from->reduction >= 0 && !reduces_with(plan, into, plan->nodes[from->reduction])) return false;
    if (!same_space(into, space) || !may_wait(plan, group, later)) return false;
    merge_lists(plan, from, into);
    into->count += from->count;
    into->loads += from->loads;
    into->lines += from->lines;
    into->params += from->params;
    into->code += from->code;
    into->apart = from->apart;
    if (from->reduction >= 0 && (into->reduction < 0 || node_sums_floats(plan->nodes[from->reduction])))
        into->reduction = from->reduction;
    plan->group_count--;
    for (int g = group; g < plan->group_count; g++) plan->groups[g] = plan->groups[g + 1];
    for (int n = 0; n <= last; n++)
        if (plan_is_live(plan, n) && plan->group_of[n] >= group)
            plan->group_of[n] = (uint16_t)(plan->group_of[n] == group ? later - 1 : plan->group_of[n] - 1);
    return true;
}

// Merges the groups of a placed node's operands with its own.
static void join_operands(Plan *plan, int at) {
    const Node *node = plan->nodes[at];
    for (int i = 0; i < node->input_count; i++) {
        const View *view = &node->inputs[i].view;
        if (node->inputs[i].is_scalar) continue;
        for (uint32_t n = view->storage->accesses; n; n = plan->accesses[n - 1].before) {
            const Access *access = &plan->accesses[n - 1];
            if (!access->writes || !view_same(view, access->view)) continue;
            int own = plan->group_of[at], theirs = plan->group_of[access->node];
            if (theirs < own) merge(plan, theirs, own, at);
            break; // earlier writes have been overwritten
        }
    }
}

// --- Placing -----------------------------------------------------------------------------------

// Returns the last group that can take the node; -1: none. *loads: number of loads that the node adds.
static int group_for(const Plan *plan, const Node *node, const Needs *needs, int earliest, int *loads) {
    for (int g = plan->group_count - 1; g >= earliest; g--) {
        const Group *group = &plan->groups[g];
        bool common = node->hints & HINT_TOGETHER;
        if (!group->open || !same_space(group, kernel_space_of(node)) || !reduces_with(plan, group, node)) continue;
        *loads = new_loads(plan, g, needs, &common);
        if (common && has_room(group, node, *loads)) return g;
    }
    return -1;
}

// Puts a call's nodes into a group of their own, which runs at the position of the last one.
static void place_call(Plan *plan, int at) {
    int number = plan->call_of[at], last = call_root(&plan->calls[number]);
    Needs needs;
    plan->group_of[at] = 0; // until the last one is placed
    plan->whys[at] = (Why){WHY_ROUTINE, -1};
    if (at != last) return;
    needs_of_call(plan, &plan->calls[number], &needs);
    int group = plan->group_count, first = 0;
    while (plan->call_of[first] != number) first++;
    begin_group(plan, first, false, needs.count - 1);
    plan->groups[group].call = (int16_t)number;
    for (int n = first + 1; n <= last; n++)
        if (plan->call_of[n] == number) join(plan, group, n, 0);
    note_accesses(plan, last, &needs);
}

static void place(Plan *plan, int at, bool explains) {
    const Node *node = plan->nodes[at];
    Needs needs;
    Why moved = {WHY_NONE, -1};
    WhyId alone = unfusable(plan, at);
    int found = -1, loads = 0, earliest = 0;
    needs_of(node, &needs);
    if (alone == WHY_NONE) {
        earliest = earliest_group(plan, node, &needs, &moved);
        if (!(node->hints & HINT_APART)) found = group_for(plan, node, &needs, earliest, &loads);
    }
    if (explains) {
        plan->whys[at] = (Why){(uint8_t)alone, -1};
        if (found < 0 && alone == WHY_NONE)
            plan->whys[at] = node->hints & HINT_APART ? (Why){WHY_HINTED, -1}
                                                     : reason(plan, node, &needs, earliest, moved);
    }
    if (found >= 0) join(plan, found, at, loads);
    else begin_group(plan, at, alone == WHY_NONE, needs.count - 1);
    note_accesses(plan, at, &needs);
    if (alone == WHY_NONE) join_operands(plan, at);
}

// Drops reasons that no longer hold: those of nodes that do not start a group, or whose groups have
// been merged.
static void forget_reasons(Plan *plan) {
    for (int n = 0; n < plan->node_count; n++) {
        Why *why = &plan->whys[n];
        if (!plan_is_live(plan, n) || why->id == WHY_NONE) continue;
        int group = plan->group_of[n];
        bool together = why->with >= 0 && plan->group_of[why->with] == group;
        if (together || plan->groups[group].first != n) *why = (Why){WHY_NONE, -1};
    }
}

// Closes groups that consist of one sparse product, so that the library routine computes it, which divides the rows
// among threads by their numbers of entries.
static void close_lone_lines(Plan *plan) {
    for (int g = 0; g < plan->group_count; g++) {
        Group *group = &plan->groups[g];
        if (group->count == 1 && plan->nodes[group->first]->op == AOP_SPARSE_PRODUCT) group->open = false;
    }
}

Status pass_fusion(Making *m) {
    Plan *plan = m->plan;
    plan->group_count = plan->access_count = 0;
    plan->has_lines = m->has_lines;
    for (int i = 0; i < plan->node_count; i++)
        if (!plan_is_live(plan, i)) continue;
        else if (plan->call_of[i] >= 0) place_call(plan, i);
        else place(plan, i, m->watch);
    for (int i = 0; i < plan->access_count; i++) plan->accesses[i].view->storage->accesses = 0;
    close_lone_lines(plan);
    if (m->watch) forget_reasons(plan);
    return ST_OK;
}

// --- Checking ----------------------------------------------------------------------------------

// Checks the groups' lists, and finds each node's position in its group.
static const char *check_lists(const Plan *plan, int places[DEPTH_MAX]) {
    int placed = 0, live = 0;
    for (int n = 0; n < plan->node_count; n++) live += plan_is_live(plan, n);
    for (int g = 0; g < plan->group_count; g++) {
        const Group *group = &plan->groups[g];
        int at = group->first;
        if (!group->open && group->call < 0 && group->count != 1) return "several nodes in a group for one";
        for (int i = 0; i < group->count; i++, at = plan->next[at]) {
            if (at >= plan->node_count || !plan_is_live(plan, at)) return "a group of what is no node";
            if (plan->group_of[at] != g) return "a node in two groups";
            if ((plan->next[at] == at) != (i == group->count - 1)) return "a group that does not end";
            places[at] = i;
            placed++;
        }
    }
    return placed == live ? NULL : "nodes in no group";
}

static const char *check_group(const Plan *plan, const Group *group) {
    const View *space = kernel_space_of(plan->nodes[group->first]);
    int at = group->first;
    for (int i = 0; i < group->count; i++, at = plan->next[at]) {
        const Node *node = plan->nodes[at];
        const View *own = kernel_space_of(node);
        if (plan->call_of[at] != group->call) return "a call's node in another group";
        if (!reduces_with(plan, group, node)) return "reductions in one loop that go other ways";
        if (group->open && unfusable(plan, at) != WHY_NONE) return "a node in a loop that cannot be fused";
        if (own->ndim != space->ndim ||
            memcmp(own->shape, space->shape, (size_t)own->ndim * sizeof *own->shape) != 0)
            return "nodes of other shapes in one loop";
    }
    return group->loads <= KERN_LOADS && group->count <= KERN_SITES ? NULL : "a loop that is too large";
}

// Checks two dependent nodes: they must be in program order, or element by element in one loop.
static const char *check_pair(const Plan *plan, int first, int second, const int *places) {
    const Node *a = plan->nodes[first], *b = plan->nodes[second];
    Needs of_a, of_b;
    int ga = plan->group_of[first], gb = plan->group_of[second];
    needs_of(a, &of_a);
    needs_of(b, &of_b);
    for (int i = 0; i < of_a.count; i++)
        for (int j = 0; j < of_b.count; j++) {
            bool a_writes = i == of_a.count - 1, b_writes = j == of_b.count - 1;
            if ((!a_writes && !b_writes) || !view_meets(of_a.views[i], of_b.views[j])) continue;
            if (ga > gb || (ga == gb && places[first] > places[second]))
                return "a node runs before one that it depends on";
            bool whole = (a_writes && is_reduction(a)) || (b_writes && is_reduction(b)) ||
                         (!a_writes && gathers(a)) || (!b_writes && gathers(b));
            if (ga == gb && (whole || !view_same(of_a.views[i], of_b.views[j])))
                return "nodes in one loop that touch other elements of each other's";
        }
    return NULL;
}

const char *check_fusion(const Making *m) {
    const Plan *plan = m->plan;
    int places[DEPTH_MAX];
    const char *problem = check_lists(plan, places);
    for (int g = 0; !problem && g < plan->group_count; g++) problem = check_group(plan, &plan->groups[g]);
    for (int i = 0; !problem && i < plan->node_count; i++)
        for (int j = i + 1; !problem && j < plan->node_count; j++)
            if (plan_is_live(plan, i) && plan_is_live(plan, j)) problem = check_pair(plan, i, j, places);
    return problem;
}
