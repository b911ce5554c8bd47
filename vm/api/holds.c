// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Handles of the host on values: cells in blocks that live as long as the VM, so that a released handle can still be
// recognised.

#include "stdlib/ranks/replicate.h"
#include "vm/api/api.h"
#include "vm/value/object.h"

// Released cells that are kept in a queue before one is reused; more in builds that detect misuse.
enum { HOLDS_EACH = 64, RESTING = API_KNOWS_ALIVE ? 256 : 0 };

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
        if (!handle->free_holds) handle->last_free = &block->cells[i];
        handle->free_holds = &block->cells[i];
    }
    handle->free_count += HOLDS_EACH;
    return true;
}

NacreValue *api_hold(NacreVm *handle, Value owned) {
    if (handle->free_count <= RESTING && !add_block(handle) && !handle->free_holds) {
        release(&handle->vm, owned);
        vm_no_memory(&handle->vm);
        return NULL;
    }
    NacreValue *cell = handle->free_holds;
    handle->free_holds = cell->next_free;
    if (!handle->free_holds) handle->last_free = NULL;
    handle->free_count--;
    *cell = (NacreValue){.value = owned, .vm = handle, .edit = handle->edit};
    handle->held++;
    return cell;
}

NacreValue *nacre_hold(NacreVm *handle, NacreValue *value) {
    if (!api_is_open(handle) || !api_is_held(handle, value)) return NULL;
    NacreValue *hold = api_hold(handle, retain(value->value));
    if (!hold) api_failed(handle);
    return hold;
}

// Handles for arguments of a host's function are not in a block: their `next_free` points to themselves.
static bool is_argument(const NacreValue *value) {
    return value->next_free == value;
}

// Reuses cells in the order of their release, so that a handle used after its release rarely denotes another value.
static void let_go(NacreVm *handle, NacreValue *value) {
    Value given_up = value->value;
    *value = (NacreValue){0};
    if (handle->last_free) handle->last_free->next_free = value;
    else handle->free_holds = value;
    handle->last_free = value;
    handle->free_count++;
    handle->held--;
    release(&handle->vm, given_up);
}

void nacre_release(NacreVm *handle, NacreValue *value) {
    if (api_is_alive(handle) && api_is_held(handle, value) && !is_argument(value)) let_go(handle, value);
}

size_t nacre_held(const NacreVm *handle) {
    return api_is_alive(handle) ? handle->held : 0;
}

void api_visit(Vm *vm, Visitor *visitor) {
    NacreVm *handle = (NacreVm *)vm;
    visit_value(visitor, handle->exception);
    if (replicate_remote(vm)) visit_value(visitor, replicate_remote(vm)->exception);
    api_visit_operations(handle, visitor);
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
        for (int i = 0; i < HOLDS_EACH; i++)
            if (block->cells[i].vm) let_go(handle, &block->cells[i]);
    for (HoldBlock *block = handle->holds, *next; block; block = next) {
        next = block->next;
        mem_free(&handle->vm.mem, block, sizeof *block);
    }
    handle->holds = NULL;
    handle->free_holds = handle->last_free = NULL;
    handle->free_count = 0;
}
