// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Builds the kernel of a library call from the nodes fused into it.

#include "vm/plan/plan.h"
#include "vm/plugin/backend.h"

static const Node *step_node(Node *const *nodes, const Call *call, GemmStep step) {
    return call->steps[step] >= 0 ? nodes[call->steps[step]] : NULL;
}

// Returns the position of the scalar among a scaling node's operands; -1: the node negates, and has no scalar.
static int number_of(const Node *scaling) {
    return scaling->op == AOP_NEGATIVE ? -1 : scaling->inputs[0].is_scalar ? 0 : 1;
}

// Returns which operand of the sum is the product, or the scaled product: 0 or 1.
static int product_operand(Node *const *nodes, const Call *call) {
    const Node *made = step_node(nodes, call, GEMM_SCALE);
    const Node *sum = step_node(nodes, call, GEMM_SUM);
    if (!made) made = step_node(nodes, call, GEMM_PRODUCT);
    return sum->inputs[0].view.storage != made->output.storage;
}

const View *call_addend(Node *const *nodes, const Call *call) {
    const Node *sum = step_node(nodes, call, GEMM_SUM);
    const Node *scaling = step_node(nodes, call, GEMM_SCALE_ADDEND);
    if (!sum) return NULL;
    if (!scaling) return &sum->inputs[1 - product_operand(nodes, call)].view;
    return &scaling->inputs[number_of(scaling) == 0 ? 1 : 0].view;
}

static void number_into(Kernel *k, int param, const Node *scaling, DType type) {
    int at = scaling ? number_of(scaling) : -1;
    k->params[param] = dtype_convert(DT_INT64, type, (Scalar){.i = scaling ? -1 : 1});
    k->param_types[param] = type;
    if (at >= 0)
        k->params[param] =
            dtype_convert(scaling->inputs[at].dtype, type, scaling->inputs[at].scalar);
    k->gemm.behind[param ? GEMM_SCALE_ADDEND : GEMM_SCALE] = at == 1;
}

static void count_sites(Kernel *k, Node *const *nodes, const Call *call) {
    k->site_count = 0;
    for (int s = 0; s < GEMM_STEPS; s++) {
        int site = 0;
        for (int other = 0; other < GEMM_STEPS; other++)
            site += call->steps[other] >= 0 && call->steps[other] < call->steps[s];
        k->gemm.sites[s] = (int8_t)(call->steps[s] < 0 ? -1 : site);
        if (call->steps[s] < 0) continue;
        k->site_count++;
        k->flags |= node_can_tell(nodes[call->steps[s]]);
    }
}

static void operand(KernArg *arg, const View *view) {
    arg->is_scalar = !view;
    if (view)
        arg->view = *view;
    else
        arg->scalar = (Scalar){.i = 0};
}

void kernel_take_over(Kernel *k) {
    k->args[2].view.storage = k->result.view.storage;
    k->whole = true;
}

void kernel_from_call(Kernel *k, Node *const *nodes, const Call *call) {
    const Node *product = step_node(nodes, call, GEMM_PRODUCT),
               *sum = step_node(nodes, call, GEMM_SUM);
    const View *addend = call_addend(nodes, call);
    const Node *root = nodes[call_root(call)];
    DType type = root->output.dtype;
    kernel_clear(k);
    k->library = AOP_GEMM;
    k->attrs = product->attrs;
    k->attrs.loop = type;
    for (int s = 0; s < GEMM_STEPS; s++)
        if (call->steps[s] >= 0) k->hints = hints_joined(k->hints, nodes[call->steps[s]]->hints);
    operand(&k->args[0], &product->inputs[0].view);
    operand(&k->args[1], &product->inputs[1].view);
    operand(&k->args[2], addend);
    operand(&k->result, &root->output);
    k->param_count = 2;
    number_into(k, 0, step_node(nodes, call, GEMM_SCALE), type);
    number_into(k, 1, step_node(nodes, call, GEMM_SCALE_ADDEND), type);
    k->gemm.behind[GEMM_PRODUCT] = false;
    k->gemm.behind[GEMM_SUM] = sum && product_operand(nodes, call) == 1;
    k->gemm.subtracts = sum && sum->op == AOP_SUBTRACT;
    count_sites(k, nodes, call);
    k->whole =
        addend && addend->storage == root->output.storage; // not restartable: the addend is
                                                           // overwritten
}
