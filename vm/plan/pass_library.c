// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library patterns: a matrix product whose only reader is the arithmetic after it, alpha * (A @ B)
// + beta * C, becomes one GEMM call, if the backend has one. The call runs where its last node
// stands, so no node in between may write its inputs.

#include "vm/plan/pass.h"

// The users of each storage, by number, among the plan's live nodes.
typedef struct Uses {
    uint16_t reads[VIEWS_MAX], writes[VIEWS_MAX];
    int16_t reader[VIEWS_MAX], writer[VIEWS_MAX]; // the last one
} Uses;

static void count_uses(const Making *m, Uses *uses) {
    size_t count = (size_t)m->key->storage_count;
    memset(uses->reads, 0, count * sizeof *uses->reads);
    memset(uses->writes, 0, count * sizeof *uses->writes);
    for (int n = 0; n < m->plan->node_count; n++) {
        const Node *node = m->plan->nodes[n];
        if (!plan_is_live(m->plan, n)) continue;
        for (int i = 0; i < node->input_count; i++) {
            if (node->inputs[i].is_scalar) continue;
            uint32_t read = plan_number(&node->inputs[i].view);
            uses->reads[read]++;
            uses->reader[read] = (int16_t)n;
        }
        uint32_t written = plan_number(&node->output);
        uses->writes[written]++;
        uses->writer[written] = (int16_t)n;
    }
}

// --- Steps of a call ---------------------------------------------------------------------------

static bool is_matrix(const View *view) {
    return view->ndim == 2 && view->shape[0] > 0 && view->shape[1] > 0;
}

// Returns whether a node computes in a type without casting arrays.
static bool is_of_type(const Node *node, DType type) {
    if (node->attrs.loop != type || node->output.dtype != type || node->hints & HINT_OWN) return false;
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && node->inputs[i].dtype != type) return false;
    return true;
}

static bool is_product(const Node *node) {
    DType type = node->output.dtype;
    if (node->op != AOP_MATMUL || !dtype_is_inexact(type) || type == DT_FLOAT16) return false;
    return is_of_type(node, type) && !node->inputs[0].is_scalar && !node->inputs[1].is_scalar &&
           is_matrix(&node->output) && is_matrix(&node->inputs[0].view) &&
           is_matrix(&node->inputs[1].view);
}

// Recognises scaling of a matrix. Negation counts, except for complex numbers, where the signs of
// zeros would differ.
static bool is_scaling(const Node *node, DType type) {
    if (!is_of_type(node, type)) return false;
    if (node->op == AOP_NEGATIVE) return dtype_kind(type) == DK_FLOAT;
    return node->op == AOP_MULTIPLY && node->inputs[0].is_scalar != node->inputs[1].is_scalar;
}

static bool is_sum(const Node *node, DType type) {
    return (node->op == AOP_ADD || node->op == AOP_SUBTRACT) && is_of_type(node, type) &&
           !node->inputs[0].is_scalar && !node->inputs[1].is_scalar;
}

static int scaled_operand(const Node *node) {
    return node->op == AOP_MULTIPLY && node->inputs[0].is_scalar;
}

// Finds the operand through which the only reader reads a node's output; -1: it is visible
// elsewhere, or read in another way.
static int only_reader(const Making *m, const Uses *uses, int at, int *reader) {
    const View *made = &m->plan->nodes[at]->output;
    uint32_t number = plan_number(made);
    if (m->key->seen[number] || uses->writes[number] != 1 || uses->reads[number] != 1) return -1;
    *reader = uses->reader[number];
    const Node *node = m->plan->nodes[*reader];
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && node->inputs[i].view.storage == made->storage)
            return view_same(&node->inputs[i].view, made) ? i : -1;
    return -1;
}

// --- Finding one -------------------------------------------------------------------------------

// Returns whether the addend is computed by a loop, into which the sum is better fused.
static bool is_made_by_loop(const Plan *plan, const View *view, int sum) {
    for (int n = sum - 1; n >= 0; n--)
        if (plan_is_live(plan, n) && plan->nodes[n]->output.storage == view->storage)
            return plan->call_of[n] < 0 &&
                   op_info[plan->nodes[n]->op].op_class == CLASS_ELEMENTWISE;
    return false;
}

// Finds the other operand of the sum, and its scaling.
static bool find_addend(const Making *m, const Uses *uses, int product_operand, Call *call) {
    const Plan *plan = m->plan;
    const Node *sum = plan->nodes[call->steps[GEMM_SUM]];
    const View *addend = &sum->inputs[1 - product_operand].view;
    uint32_t number = plan_number(addend);
    int reader, maker = uses->writes[number] == 1 ? uses->writer[number] : -1;
    bool scaled = maker >= 0 && maker < call->steps[GEMM_SUM] && plan->call_of[maker] < 0 &&
                  is_scaling(plan->nodes[maker], sum->output.dtype) &&
                  only_reader(m, uses, maker, &reader) >= 0;
    if (scaled) {
        call->steps[GEMM_SCALE_ADDEND] = (int16_t)maker;
        const Node *scaling = plan->nodes[maker];
        addend = &scaling->inputs[scaled_operand(scaling)].view;
    }
    return !is_made_by_loop(plan, addend, call->steps[GEMM_SUM]);
}

// Returns whether a later loop reads a node's output: then scaling alone is not worth a call, as the loop can fuse it.
static bool is_read_by_loop(const Making *m, int at) {
    uint32_t number = plan_number(&m->plan->nodes[at]->output);
    for (int n = at + 1; n < m->plan->node_count; n++) {
        const Node *node = m->plan->nodes[n];
        OpClass class = (OpClass)op_info[node->op].op_class;
        if (!plan_is_live(m->plan, n) || (class != CLASS_ELEMENTWISE && class != CLASS_REDUCTION))
            continue;
        for (int i = 0; i < node->input_count; i++)
            if (!node->inputs[i].is_scalar && plan_number(&node->inputs[i].view) == number)
                return true;
    }
    return false;
}

static bool find_call(const Making *m, const Uses *uses, int product, Call *call) {
    const Plan *plan = m->plan;
    DType type = plan->nodes[product]->output.dtype;
    int next, operand = only_reader(m, uses, product, &next);
    *call = (Call){.steps = {(int16_t)product, -1, -1, -1}};
    if (operand < 0) return false;
    if (is_scaling(plan->nodes[next], type)) {
        int scale = next;
        call->steps[GEMM_SCALE] = (int16_t)scale;
        operand = only_reader(m, uses, scale, &next);
        if (operand < 0 || !is_sum(plan->nodes[next], type)) return !is_read_by_loop(m, scale);
    }
    if (!is_sum(plan->nodes[next], type)) return false;
    call->steps[GEMM_SUM] = (int16_t)next;
    return find_addend(m, uses, operand, call);
}

// --- Conditions for a call ---------------------------------------------------------------------

void needs_of_call(const Plan *plan, const Call *call, Needs *needs) {
    const Node *product = plan->nodes[call->steps[GEMM_PRODUCT]];
    const View *addend = call_addend(plan->nodes, call);
    needs->count = 0;
    needs->views[needs->count++] = &product->inputs[0].view;
    needs->views[needs->count++] = &product->inputs[1].view;
    if (addend) needs->views[needs->count++] = addend;
    needs->views[needs->count++] = &plan->nodes[call_root(call)]->output;
}

static bool is_step(const Call *call, int node) {
    for (int s = 0; s < GEMM_STEPS; s++)
        if (call->steps[s] == node) return true;
    return false;
}

// Returns whether nodes between the call's first and last node write its inputs.
static bool is_overtaken(const Plan *plan, const Call *call, const Needs *needs) {
    int from = call->steps[GEMM_PRODUCT], scale = call->steps[GEMM_SCALE_ADDEND];
    for (int n = scale >= 0 && scale < from ? scale : from; n < call_root(call); n++) {
        if (!plan_is_live(plan, n) || is_step(call, n)) continue;
        for (int i = 0; i < needs->count - 1; i++)
            if (view_meets(&plan->nodes[n]->output, needs->views[i])) return true;
    }
    return false;
}

// Returns whether the call may write its result. The factors are read meanwhile, so they must not
// overlap it; the addend may be exactly the same view.
static bool may_write(const Needs *needs) {
    const View *to = needs->views[needs->count - 1];
    if (!view_is_injective(to) || view_meets(to, needs->views[0]) ||
        view_meets(to, needs->views[1]))
        return false;
    return needs->count == 3 || view_same(to, needs->views[2]) || !view_meets(to, needs->views[2]);
}

static bool is_supported(const Making *m, const Call *call) {
    const Device *device = m->device;
    Kernel kernel;
    kernel_from_call(&kernel, m->plan->nodes, call);
    return !kernel_verify(&kernel) &&
           device->backend->supports(device->ctx, &kernel) == SUPPORT_YES;
}

static bool is_alone(const View *view, const Needs *needs) {
    for (int i = 0; i < needs->count; i++)
        if (needs->views[i] != view && needs->views[i]->storage == view->storage) return false;
    return true;
}

bool call_takes_over(const Making *m, const Call *call, int end) {
    const View *addend = call_addend(m->plan->nodes, call);
    Needs needs;
    needs_of_call(m->plan, call, &needs);
    return addend && is_alone(addend, &needs) && !plan_is_wanted(m, plan_number(addend), end);
}

static bool may_be_made(const Making *m, const Call *call) {
    Needs needs;
    needs_of_call(m->plan, call, &needs);
    return may_write(&needs) && !is_overtaken(m->plan, call, &needs);
}

static void note_call(Plan *plan, const Call *call) {
    for (int s = 0; s < GEMM_STEPS; s++)
        if (call->steps[s] >= 0) plan->call_of[call->steps[s]] = (int16_t)plan->call_count;
    plan->calls[plan->call_count++] = *call;
}

static bool has_products(const Plan *plan) {
    for (int n = 0; n < plan->node_count; n++)
        if (plan_is_live(plan, n) && is_product(plan->nodes[n])) return true;
    return false;
}

Status pass_library(Making *m) {
    Plan *plan = m->plan;
    Uses uses;
    Call call;
    if (!has_products(plan)) return ST_OK;
    count_uses(m, &uses);
    for (int n = 0; n < plan->node_count; n++) {
        if (!plan_is_live(plan, n) || plan->call_of[n] >= 0 || !is_product(plan->nodes[n]))
            continue;
        bool found =
            find_call(m, &uses, n, &call) && may_be_made(m, &call) && is_supported(m, &call);
        if (found) note_call(plan, &call);
    }
    return ST_OK;
}

// --- Checking ----------------------------------------------------------------------------------

static const char *check_call(const Making *m, const Uses *uses, int number) {
    const Plan *plan = m->plan;
    const Call *call = &plan->calls[number];
    int root = call_root(call), reader, missing = 0;
    for (int n = 0; n < plan->node_count; n++) missing += plan->call_of[n] == number;
    for (int s = 0; s < GEMM_STEPS; s++) missing -= call->steps[s] >= 0;
    if (missing) return "a call of fewer nodes than it has";
    for (int s = 0; s < GEMM_STEPS; s++) {
        int at = call->steps[s];
        if (at < 0 && s != GEMM_PRODUCT) continue;
        if (at < 0 || at >= plan->node_count || !plan_is_live(plan, at))
            return "a call of what is no node";
        if (plan->call_of[at] != number) return "a node in two calls";
        if (at != root && only_reader(m, uses, at, &reader) < 0)
            return "what is only handed on in a call is read elsewhere";
        if (at != root && plan->call_of[reader] != number)
            return "a call that does not hang together";
    }
    return may_be_made(m, call) ? NULL : "a call overtakes what it depends on";
}

const char *check_library(const Making *m) {
    const Plan *plan = m->plan;
    const char *problem = NULL;
    Uses uses;
    count_uses(m, &uses);
    for (int n = 0; n < plan->node_count; n++)
        if (plan->call_of[n] >= plan->call_count) return "a node of a call that is not there";
    for (int c = 0; !problem && c < plan->call_count; c++) problem = check_call(m, &uses, c);
    return problem;
}
