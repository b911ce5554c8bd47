// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The holds that a host has on values: cells in blocks, which stay until the VM goes, so that a hold
// that was let go of can still be told from one that is good.

#include "vm/api/api.h"
#include "vm/value/object.h"

enum { HOLDS_EACH = 64 };

typedef struct HoldBlock {
    struct HoldBlock *next;
    NacreValue cells[HOLDS_EACH];
} HoldBlock;

static bool add_block(NacreVm *handle) {
    HoldBlock *block = mem_zalloc(&handle->vm.mem, sizeof *block);
    if (!block) return false;
    block->next = handle->holds;
    handle->holds = block;
    for (int i = HOLDS_EACH; i-- > 0;) {
        block->cells[i].next_free = handle->free_holds;
        handle->free_holds = &block->cells[i];
    }
    return true;
}

NacreValue *api_hold(NacreVm *handle, Value owned) {
    if (!handle->free_holds && !add_block(handle)) {
        release(&handle->vm, owned);
        vm_no_memory(&handle->vm);
        return NULL;
    }
    NacreValue *cell = handle->free_holds;
    handle->free_holds = cell->next_free;
    cell->value = owned;
    cell->vm = handle;
    cell->edit = handle->edit;
    handle->held++;
    return cell;
}

NacreValue *nacre_hold(NacreVm *handle, NacreValue *value) {
    if (!api_is_open(handle) || !api_is_held(handle, value)) return NULL;
    NacreValue *hold = api_hold(handle, retain(value->value));
    if (!hold) api_failed(handle);
    return hold;
}

// Arguments of a function of the host are no cells of a block: their `next_free` leads to themselves.
static bool is_argument(const NacreValue *value) {
    return value->next_free == value;
}

void nacre_release(NacreVm *handle, NacreValue *value) {
    if (!handle || !api_is_held(handle, value) || is_argument(value)) return;
    Value given_up = value->value;
    *value = (NacreValue){.next_free = handle->free_holds};
    handle->free_holds = value;
    handle->held--;
    release(&handle->vm, given_up);
}

size_t nacre_held(const NacreVm *handle) {
    return handle ? handle->held : 0;
}

void api_visit(Vm *vm, Visitor *visitor) {
    NacreVm *handle = (NacreVm *)vm;
    visit_value(visitor, handle->exception);
    for (HoldBlock *block = handle->holds; block; block = block->next)
        for (int i = 0; i < HOLDS_EACH; i++)
            if (block->cells[i].vm) visit_value(visitor, block->cells[i].value);
}

void api_empty_holds(NacreVm *handle) {
    for (HoldBlock *block = handle->holds; block; block = block->next)
        for (int i = 0; i < HOLDS_EACH; i++) {
            NacreValue *cell = &block->cells[i];
            if (!cell->vm || cell->edit != handle->edit) continue;
            cell->edit = 0;
            replace(&handle->vm, &cell->value, V_NONE);
        }
}

void api_free_holds(NacreVm *handle) {
    for (HoldBlock *block = handle->holds; block; block = block->next)
        for (int i = 0; i < HOLDS_EACH; i++) nacre_release(handle, &block->cells[i]);
    for (HoldBlock *block = handle->holds, *next; block; block = next) {
        next = block->next;
        mem_free(&handle->vm.mem, block, sizeof *block);
    }
    handle->holds = NULL;
    handle->free_holds = NULL;
}
