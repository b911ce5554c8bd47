// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions by which a host's pass inspects and edits the plan that it is shown.

#include "vm/api/passes.h"
#include "vm/api/sizes.h"

#include <string.h>

bool api_edits(const NacreVm *handle, int node) {
    return api_is_open(handle) && handle->edit && shown_has(handle->shown, node);
}

bool api_edits_operand(const NacreVm *handle, int node, int operand) {
    return api_edits(handle, node) && operand >= EDIT_RESULT &&
           operand < handle->shown->plan->nodes[node]->input_count;
}

static bool is_number(const NacreVm *handle, int node, int operand) {
    return operand >= 0 && handle->shown->plan->nodes[node]->inputs[operand].is_scalar;
}

// --- Values ------------------------------------------------------------------------------------

static Status value_of(Vm *vm, const Node *of, int node, int operand, Value *out) {
    if (operand >= 0 && of->inputs[operand].is_scalar) {
        // the scalar has the type that the operation computes in, so that it promotes as the replaced operand does
        const NodeInput *input = &of->inputs[operand];
        DType loop = of->attrs.loop < DT_COUNT ? (DType)of->attrs.loop : input->dtype;
        return scalar_out(vm, loop, dtype_convert(input->dtype, loop, input->scalar), out);
    }
    Status st = array_of_view(vm, edit_view(vm, node, operand), V_UNDEF, out);
    if (st != ST_OK) return st;
    out->array->readonly = true;
    edit_ask(vm, node, operand);
    return ST_OK;
}

NacreStatus nacre_plan_value(NacreVm *handle, int node, int operand, NacreValue **out) {
    if (!api_edits_operand(handle, node, operand) || !out) return NACRE_MISUSE;
    Value value = V_UNDEF;
    const Node *of = handle->shown->plan->nodes[node];
    api_begin(handle);
    Status st = value_of(&handle->vm, of, node, operand, &value);
    return api_end(handle, st, value, out);
}

int nacre_plan_writer(const NacreVm *handle, int node, int operand) {
    if (!api_edits_operand(handle, node, operand) || operand < 0 || is_number(handle, node, operand)) return -1;
    return edit_writer(&handle->vm, node, operand);
}

NacreStatus nacre_plan_replace(NacreVm *handle, int node, NacreValue *with) {
    if (!api_edits(handle, node) || !api_is_held(handle, with)) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Value array = V_UNDEF;
    View view;
    api_begin(handle);
    DType type = handle->shown->plan->nodes[node]->output.dtype;
    // A Python number, or a list of them, is converted to the result's type as NumPy converts Python numbers (weak
    // promotion).
    Status st = array_from(vm, with->value, with->value.kind == K_ARRAY ? DT_NONE : type, &array);
    if (st == ST_OK) {
        array_view(array.array, &view);
        st = edit_replace(vm, node, &view);
    }
    release(vm, array);
    return api_end(handle, st, V_UNDEF, NULL);
}

// --- Hints ------------------------------------------------------------------------------------

static bool number_in(int number, int most) {
    return number >= 0 && number <= most;
}

static bool hints_from(const NacreHint *from, NodeHints *out) {
    enum { TILE_MOST = 1024, THREADS_MOST = 127 };
    bool good = number_in(from->tile, TILE_MOST) && !(from->tile & (from->tile - 1)) &&
                number_in(from->threads, THREADS_MOST) && from->code >= -1 && from->code <= 1;
    if (!good) return false;
    int log = from->tile ? __builtin_ctz((unsigned)from->tile) + 1 : 0;
    *out = (from->apart ? HINT_APART : 0) | (from->together ? HINT_TOGETHER : 0) |
           (from->stored ? HINT_STORED : 0) | (from->own ? HINT_OWN : 0) | (from->plain ? HINT_PLAIN : 0) |
           (from->host ? HINT_HOST : 0) | (from->whole ? HINT_WHOLE : 0) |
           (from->code < 0 ? HINT_INTERPRET : 0) | (from->code > 0 ? HINT_COMPILE : 0) |
           (NodeHints)log << HINT_TILE_AT | (NodeHints)from->threads << HINT_THREADS_AT;
    return true;
}

NacreStatus nacre_plan_hint(NacreVm *handle, int node, const NacreHint *given) {
    NacreHint hints;
    if (!api_edits(handle, node) || !API_TAKE(&hints, FIRST_HINT, given)) return NACRE_MISUSE;
    NodeHints wanted = 0;
    api_begin(handle);
    Status st = ST_OK;
    if (hints_from(&hints, &wanted)) edit_hints(&handle->vm, node, wanted);
    else st = vm_raise(&handle->vm, EXC_ValueError,
                       "a tile is a power of 2 up to 1024, threads are up to 127, code is -1, 0 or 1");
    return api_end(handle, st, V_UNDEF, NULL);
}

// --- The op table ------------------------------------------------------------------------------

int nacre_operation(int index, NacreOperation *out) {
    static const char *const kinds[] = {
        [CLASS_ELEMENTWISE] = "elementwise", [CLASS_REDUCTION] = "reduction", [CLASS_SCAN] = "scan",
        [CLASS_CREATION] = "creation",       [CLASS_LIBRARY] = "library"};
    if (!api_can_give(out, FIRST_OPERATION) || index < 0 || index >= AOP_COUNT) return 0;
    const OpInfo *info = &op_info[index];
    const NacreOperation found = {.name = info->name, .doc = info->doc, .kind = kinds[info->op_class],
                                  .operand_count = info->arity, .is_commutative = info->commutative,
                                  .may_raise = info->may_raise};
    API_GIVE(out, &found);
    return 1;
}
