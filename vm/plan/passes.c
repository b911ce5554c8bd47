// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The passes, in the order in which they are run.

#include "vm/plan/pass.h"
#include "vm/plan/watch.h"

const Pass plan_passes[] = {
    {"dead_code", "drops nodes of which nobody will know", pass_dead_code, check_dead_code, true},
    {"library", "finds nodes that one call of a library routine does", pass_library, check_library,
     true},
    {"fusion", "puts nodes that can be one loop into groups", pass_fusion, check_fusion,
     false},
    {"stores", "decides what is stored, and parts groups that store too much", pass_stores,
     check_stores, false},
    {0},
};

const KernelPass kernel_passes[] = {
    {"body", "instructions, each computed once", pass_body, check_body, false},
    {"algebra", "leaves out what does nothing, and takes cheaper instructions", pass_algebra, check_algebra,
     true},
    {"handover", "finds operands whose memory a result may take over", pass_handover,
     check_handover, true},
    {0},
};

// --- Which are used ----------------------------------------------------------------------------

enum { PLAN_PASSES = sizeof plan_passes / sizeof *plan_passes - 1 };

int pass_number(const char *name) {
    for (int i = 0; plan_passes[i].name; i++)
        if (plan_passes[i].optional && strcmp(plan_passes[i].name, name) == 0) return i;
    for (int i = 0; kernel_passes[i].name; i++)
        if (kernel_passes[i].optional && strcmp(kernel_passes[i].name, name) == 0) return PLAN_PASSES + i;
    return -1;
}

static bool uses_pass(const Making *m, const Pass *pass) {
    return !(m->left_out >> (pass - plan_passes) & 1);
}

static bool uses_kernel_pass(const Lowering *l, const KernelPass *pass) {
    return !(l->making->left_out >> (PLAN_PASSES + (pass - kernel_passes)) & 1);
}

static Status malformed(Vm *vm, const char *what, const char *pass, const char *problem) {
    return vm_raise(vm, EXC_SystemError, "malformed %s after %s: %s", what, pass, problem);
}

// --- Over a plan -------------------------------------------------------------------------------

const char *plan_check(const Making *m) {
    if (m->plan->node_count < 1 || m->plan->node_count > DEPTH_MAX) return "no nodes, or too many";
    for (int n = 0; n < m->plan->node_count; n++) {
        const Node *node = m->plan->nodes[n];
        const char *problem = graph_verify(node);
        if (problem) return problem;
        if (node->state != NODE_RECORDED) return "a node that is not pending";
        if (plan_number(&node->output) >= (uint32_t)m->key->storage_count)
            return "a storage without number";
    }
    return NULL;
}

// Checks the plan, and the postconditions of all passes up to `done` (NULL: of none).
static Status check_plan(const Making *m, const Pass *done) {
    const char *problem = plan_check(m);
    for (const Pass *pass = plan_passes; done && !problem && pass <= done; pass++)
        problem = uses_pass(m, pass) ? pass->check(m) : NULL;
    return problem ? malformed(m->vm, "plan", done ? done->name : "recording", problem) : ST_OK;
}

static void begin(const Making *m) {
    Plan *plan = m->plan;
    for (int n = 0; n < plan->node_count; n++) {
        plan->fates[n] = FATE_LIVE;
        plan->call_of[n] = -1;
    }
    for (int n = 0; m->watch && n < plan->node_count; n++) plan->whys[n] = (Why){WHY_NONE, -1};
    plan->call_count = plan->group_count = plan->order_count = plan->piece_count = 0;
}

void passes_none(Making *m) {
    begin(m);
    m->watch->pass(m->watch, m, NULL);
}

Status passes_run(Making *m) {
    Status st = m->checks ? check_plan(m, NULL) : ST_OK;
    begin(m);
    if (st == ST_OK && m->watch) m->watch->pass(m->watch, m, NULL);
    for (const Pass *pass = plan_passes; st == ST_OK && pass->name; pass++) {
        if (uses_pass(m, pass)) st = pass->run(m);
        if (st == ST_OK && m->checks) st = check_plan(m, pass);
        if (st == ST_OK && m->watch) m->watch->pass(m->watch, m, pass);
    }
    return st;
}

// --- Over a kernel -----------------------------------------------------------------------------

static Status check_kernel(const Lowering *l, const KernelPass *done) {
    const char *problem = NULL;
    for (const KernelPass *pass = kernel_passes; !problem && pass <= done; pass++)
        problem = uses_kernel_pass(l, pass) ? pass->check(l) : NULL;
    return problem ? malformed(l->making->vm, "kernel", done->name, problem) : ST_OK;
}

Status passes_lower(Lowering *l, const Piece *piece) {
    const Plan *plan = l->making->plan;
    Status st = ST_OK;
    l->from = piece->from;
    l->end = piece->from + piece->count;
    l->dying = 0;
    for (int n = l->from; n < l->end; n++) l->nodes[n - l->from] = plan->nodes[plan->order[n]];
    for (const KernelPass *pass = kernel_passes; st == ST_OK && pass->name; pass++) {
        if (uses_kernel_pass(l, pass)) pass->run(l);
        if (l->making->checks) st = check_kernel(l, pass);
    }
    // checked in every build, since backends trust kernels
    const char *problem = st == ST_OK ? kernel_verify_body(&l->kernel) : NULL;
    return problem ? malformed(l->making->vm, "kernel", "all passes", problem) : st;
}
