// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The host's list of passes, and running them.

#include "vm/api/passes.h"
#include "vm/api/sizes.h"

#include <string.h>

#include "vm/interp/interp.h"

// --- Running -----------------------------------------------------------------------------------

static bool has_operation(const HostPass *pass, const Plan *plan) {
    for (int n = 0; n < plan->node_count; n++)
        if (pass->operations[plan->nodes[n]->op / 64] >> plan->nodes[n]->op % 64 & 1) return true;
    return false;
}

static Status run_one(NacreVm *handle, const char *name, NacreEditFn run, void *ctx) {
    HostPasses *passes = handle->passes;
    const NacrePlan about = {.struct_size = sizeof about,
                             .node_count = passes->shown.node_count,
                             .storage_count = passes->shown.key->storage_count};
    NacreStatus status = run(ctx, handle, &about);
    if (handle->vm.stopped) return vm_time_is_up(&handle->vm);
    return status == NACRE_OK ? ST_OK : api_host_failed(handle, name);
}

static Status run_all(NacreVm *handle) {
    HostPasses *passes = handle->passes;
    if (passes->once) return run_one(handle, "editing", passes->once, passes->ctx);
    Status st = ST_OK;
    for (HostPass *pass = passes->first; st == ST_OK && pass; pass = pass->next)
        if (has_operation(pass, passes->shown.plan))
            st = run_one(handle, pass->name, pass->run, pass->ctx);
    return st;
}

// Runs the host's passes, which may do what host functions may. Turns off the check of reference counts, since the
// host holds references on the C stack.
static Status edit(Editor *editor, Vm *vm, const Plan *plan, const PlanKey *key) {
    NacreVm *handle = (NacreVm *)vm;
    HostPasses *passes = handle->passes;
    (void)editor;
    Shown *before = handle->shown;
    int hosting = handle->hosting;
    bool stress = vm->interp->stress;
    shown_begin(&passes->shown, vm, plan, key);
    passes->shown.showing = SHOWING_EDIT;
    handle->shown = &passes->shown;
    handle->hosting = handle->running;
    handle->edit = ++handle->edits;
    vm->interp->stress = false;
    Status st = run_all(handle);
    vm->interp->stress = stress;
    api_empty_holds(handle);
    handle->edit = 0;
    handle->hosting = hosting;
    handle->shown = before;
    passes->shown.showing = SHOWING_NOTHING;
    return st;
}

// --- The list ----------------------------------------------------------------------------------

static Status passes_of(NacreVm *handle, HostPasses **out) {
    if (!handle->passes) {
        handle->passes = mem_zalloc(&handle->vm.mem, sizeof *handle->passes);
        if (!handle->passes) return vm_no_memory(&handle->vm);
        handle->passes->editor.edit = handle->passes->once_editor.edit = edit;
        handle->passes->once_editor.each_time = true;
    }
    *out = handle->passes;
    return ST_OK;
}

// Makes the engine run passes again on plans that they left unchanged before.
static Status install(NacreVm *handle) {
    HostPasses *passes = handle->passes;
    passes->editor.each_time = false;
    for (const HostPass *pass = passes->first; pass; pass = pass->next)
        passes->editor.each_time |= pass->each_time;
    return engine_edit(&handle->vm, passes->first ? &passes->editor : NULL) ? ST_OK
                                                                             : vm_no_memory(&handle->vm);
}

static void free_pass(Vm *vm, HostPass *pass) {
    api_free_text(vm, pass->name);
    api_free_text(vm, pass->doc);
    if (pass->drop) pass->drop(pass->ctx);
    mem_free(&vm->mem, pass, sizeof *pass);
}

static HostPass **find_pass(const NacreVm *handle, const char *name) {
    HostPass **at = handle->passes ? &handle->passes->first : NULL;
    while (at && *at && strcmp((*at)->name, name) != 0) at = &(*at)->next;
    return at && *at ? at : NULL;
}

static Status set_operations(Vm *vm, HostPass *pass, const char *const *names) {
    if (!names) memset(pass->operations, -1, sizeof pass->operations);
    for (; names && *names; names++) {
        OpId op = op_named(*names, strlen(*names));
        if (op == AOP_NONE) return vm_raise(vm, EXC_ValueError, "there is no operation '%.60s'", *names);
        pass->operations[op / 64] |= (uint64_t)1 << op % 64;
    }
    return ST_OK;
}

static bool is_engines(const char *name) {
    const char *own, *doc;
    for (int i = 0; nacre_pass(i, &own, &doc); i++)
        if (strcmp(own, name) == 0) return true;
    return false;
}

static Status add(NacreVm *handle, const NacrePass *from, HostPass *pass) {
    Vm *vm = &handle->vm;
    HostPasses *passes = NULL;
    if (find_pass(handle, from->name) || is_engines(from->name))
        return vm_raise(vm, EXC_ValueError, "there is a pass '%.60s' already", from->name);
    Status st = passes_of(handle, &passes);
    if (st == ST_OK) st = set_operations(vm, pass, from->operations);
    if (st == ST_OK) st = vm_check(vm, pass->name = api_copied(vm, from->name));
    if (st == ST_OK && from->doc) st = vm_check(vm, pass->doc = api_copied(vm, from->doc));
    if (st != ST_OK) return st;
    pass->each_time = from->each_time;
    pass->run = from->run;
    HostPass **end = &passes->first;
    while (*end) end = &(*end)->next;
    *end = pass;
    st = install(handle);
    if (st != ST_OK) *end = NULL;
    return st;
}

NacreStatus nacre_add_pass(NacreVm *handle, const NacrePass *given) {
    NacrePass taken;
    const NacrePass *from = &taken;
    if (!api_is_open(handle) || handle->edit || !API_TAKE(&taken, FIRST_PASS, given) || !taken.name || !taken.run)
        return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    api_begin(handle);
    HostPass *pass = mem_zalloc(&vm->mem, sizeof *pass);
    Status st = vm_check(vm, pass);
    if (pass) {
        pass->ctx = from->ctx;
        pass->drop = from->drop;
        st = add(handle, from, pass);
        if (st != ST_OK) free_pass(vm, pass);
    } else if (from->drop) {
        from->drop(from->ctx);
    }
    return api_end(handle, st, V_UNDEF, NULL);
}

NacreStatus nacre_remove_pass(NacreVm *handle, const char *name) {
    if (!api_is_open(handle) || handle->edit || !name) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    api_begin(handle);
    HostPass **at = find_pass(handle, name);
    Status st = at ? ST_OK : vm_raise(vm, EXC_KeyError, "'%.60s'", name);
    if (at) {
        HostPass *gone = *at;
        *at = gone->next;
        st = install(handle);
        free_pass(vm, gone);
    }
    return api_end(handle, st, V_UNDEF, NULL);
}

void api_free_passes(NacreVm *handle) {
    HostPasses *passes = handle->passes;
    if (!passes) return;
    handle->passes = NULL;
    engine_edit(&handle->vm, NULL);
    for (HostPass *pass = passes->first, *next; pass; pass = next) {
        next = pass->next;
        free_pass(&handle->vm, pass);
    }
    mem_free(&handle->vm.mem, passes, sizeof *passes);
}

NacreStatus nacre_use_pass(NacreVm *handle, const char *name, int used) {
    if (!api_is_open(handle) || handle->edit || !name) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    api_begin(handle);
    Status st = engine_use_pass(vm, name, used) ? ST_OK
                                                : vm_raise(vm, EXC_ValueError, "no pass '%.60s' can be left out", name);
    return api_end(handle, st, V_UNDEF, NULL);
}

// --- Once --------------------------------------------------------------------------------------

static Status edit_now(NacreVm *handle, size_t count, NacreValue *const *arrays) {
    Vm *vm = &handle->vm;
    size_t found = 0;
    Storage **storages = mem_alloc(&vm->mem, (count + 1) * sizeof *storages);
    if (!storages) return vm_no_memory(vm);
    for (size_t i = 0; i < count; i++)
        if (arrays[i]->value.kind == K_ARRAY) storages[found++] = arrays[i]->value.array->storage;
    Status st = count && !found ? ST_OK : engine_edit_now(vm, storages, found, &handle->passes->once_editor);
    mem_free(&vm->mem, storages, (count + 1) * sizeof *storages);
    return st;
}

NacreStatus nacre_edit(NacreVm *handle, size_t count, NacreValue *const *arrays, NacreEditFn edit_fn,
                       void *ctx) {
    if (!api_is_open(handle) || handle->edit || !edit_fn || !api_are_held(handle, count, arrays))
        return NACRE_MISUSE;
    HostPasses *passes = NULL;
    api_begin(handle);
    Status st = passes_of(handle, &passes);
    if (st == ST_OK) st = install(handle);
    if (st == ST_OK) {
        passes->once = edit_fn;
        passes->ctx = ctx;
        st = edit_now(handle, count, arrays);
        passes->once = NULL;
    }
    return api_end(handle, st, V_UNDEF, NULL);
}
