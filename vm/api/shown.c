// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Describes a plan to the host.

#include "vm/api/shown.h"
#include "vm/api/sizes.h"
#include "vm/kernel/host_op.h"

void shown_begin(Shown *s, Vm *vm, const Plan *plan, const PlanKey *key) {
    s->plan = plan;
    s->key = key;
    s->node_count = plan->node_count;
    s->showing = SHOWING_NOTHING;
    for (int n = 0; n < plan->node_count; n++) {
        const CodePlace place = plan->nodes[n]->place;
        s->lines[n] = (SourceLine){0};
        if (place.code) vm->locate(vm, place, &s->lines[n]);
    }
}

bool shown_has(const Shown *s, int index) {
    return s && s->showing != SHOWING_NOTHING && index >= 0 && index < s->node_count &&
           s->plan->nodes[index]->state == NODE_RECORDED;
}

// --- Nodes -------------------------------------------------------------------------------------

static int number_of(const Shown *s, const Storage *storage) {
    for (int i = 0; i < s->key->storage_count; i++)
        if (s->key->storages[i].storage == storage) return i;
    return -1;
}

NacreView shown_view(const Shown *s, const View *view) {
    return (NacreView){.storage = number_of(s, view->storage),
                       .dtype = dtype_info[view->dtype].name,
                       .offset = view->offset,
                       .ndim = view->ndim,
                       .shape = view->shape,
                       .strides = view->strides};
}

static NacreOperand operand_out(const Shown *s, const NodeInput *input) {
    NacreOperand out = {.is_scalar = input->is_scalar};
    if (!input->is_scalar) {
        out.view = shown_view(s, &input->view);
        return out;
    }
    out.view = (NacreView){.storage = -1, .dtype = dtype_info[input->dtype].name};
    if (dtype_kind(input->dtype) == DK_COMPLEX) {
        out.real = input->scalar.re;
        out.imaginary = input->scalar.im;
    } else if (dtype_kind(input->dtype) == DK_FLOAT) out.real = input->scalar.f;
    else out.integer = input->scalar.i;
    return out;
}

static NacreAttributes attributes_out(const NodeAttrs *a) {
    return (NacreAttributes){
        .axes = a->axes, .loop = a->loop < DT_COUNT ? dtype_info[a->loop].name : NULL,
        .combine = a->combine < AOP_COUNT ? op_info[a->combine].name : NULL, .step = a->step,
        .points = a->points, .axis = a->axis, .part = a->part, .begun = a->begun, .right = a->right,
        .upper = a->upper, .or_nan = a->or_nan, .scalar = a->scalar, .quiet = a->quiet};
}

static void decisions_out(const Plan *plan, int index, NacreNode *out) {
    static const NacreFate fates[] = {[FATE_LIVE] = NACRE_UNDECIDED, [FATE_DEAD] = NACRE_DROPPED,
                                      [FATE_STORED] = NACRE_STORED, [FATE_ELIDED] = NACRE_INSIDE};
    out->fate = fates[plan->fates[index]];
    if (!plan_is_live(plan, index)) return;
    if (plan->call_count && plan->call_of[index] >= 0) out->routine = op_info[AOP_GEMM].name;
    if (plan->group_count) out->group = plan->group_of[index];
    for (int p = 0; p < plan->piece_count; p++)
        for (int i = 0; i < plan->pieces[p].count; i++)
            if (plan->order[plan->pieces[p].from + i] == index) out->kernel = p;
    out->why = why_text((WhyId)plan->whys[index].id);
    out->why_node = plan->whys[index].with;
    out->why_plain = plan->whys[index].id == WHY_ALONE || plan->whys[index].id == WHY_ROUTINE;
}

NacreStatus nacre_plan_node(const NacreVm *handle, int index, NacreNode *node) {
    if (!api_is_alive(handle) || !api_can_give(node, FIRST_NODE)) return NACRE_MISUSE;
    const Shown *s = handle->shown;
    if (!shown_has(s, index)) return NACRE_MISUSE;
    const Node *from = s->plan->nodes[index];
    NacreNode found = {.operation = node_name(from),
                       .file = s->lines[index].file,
                       .line = (int)s->lines[index].line,
                       .operand_count = from->input_count,
                       .result = shown_view(s, &from->output),
                       .attributes = attributes_out(&from->attrs),
                       .group = -1,
                       .kernel = -1,
                       .why = "",
                       .why_node = -1};
    for (int i = 0; i < from->input_count; i++)
        found.operands[i] = operand_out(s, &from->inputs[i]);
    if (s->showing == SHOWING_PASS) decisions_out(s->plan, index, &found);
    API_GIVE(node, &found);
    return NACRE_OK;
}

NacreStatus nacre_plan_storage(NacreVm *handle, int index, NacreStorage *storage) {
    if (!api_is_alive(handle) || !api_can_give(storage, FIRST_STORAGE)) return NACRE_MISUSE;
    const Shown *s = handle->shown;
    if (!s || s->showing == SHOWING_NOTHING || s->showing == SHOWING_KERNEL || index < 0 ||
        index >= s->key->storage_count)
        return NACRE_MISUSE;
    Storage *from = s->key->storages[index].storage;
    const Buffer *buffer = &from->buffer;
    Array *array;
    NacreStorage found = {.bytes = buffer->bytes, .is_input = buffer->valid != 0, .is_seen = s->key->seen[index],
                          .name = variable_of(&handle->vm, from, &array)};
    if (found.name)
        found.array = (NacreView){.storage = index, .dtype = dtype_info[array->dtype].name,
                                  .offset = array->offset, .ndim = array->ndim,
                                  .shape = array_shape(array), .strides = array_strides(array)};
    bool fetch = s->data && found.is_input && s->showing == SHOWING_PASS;
    if (fetch) found.data = engine_peek(&handle->vm, from);
    API_GIVE(storage, &found);
    return NACRE_OK;
}
