// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs code in a temporary main module, and finds docstrings with examples, for doctest.

#include "lang/compile.h"
#include "vm/api/api.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"

static Status copy_variables(Vm *vm, const Module *from, Module *to) {
    uint32_t pos = 0;
    Value name, number;
    while (dict_next(from->slots_of, &pos, &name, &number)) {
        size_t slot;
        if (from->slots[number.i].kind == K_UNDEF) continue;
        if (module_slot(vm, to, name.str, &slot) != ST_OK) return ST_ERROR;
        replace(vm, &to->slots[slot], retain(from->slots[number.i]));
    }
    return ST_OK;
}

NacreStatus nacre_scratch_begin(NacreVm *handle) {
    if (!api_is_alive(handle) || handle->running || handle->vm.interp->main_aside) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Interp *interp = vm->interp;
    Value scratch;
    Status st = module_new(vm, interp->main->name->data, &scratch);
    if (st == ST_OK && copy_variables(vm, interp->main, scratch.module) != ST_OK) {
        release(vm, scratch);
        st = ST_ERROR;
    }
    if (st != ST_OK) {
        vm_clear_error(vm);
        return NACRE_ERROR;
    }
    interp->main_aside = interp->main;
    interp->main = scratch.module;
    return NACRE_OK;
}

NacreStatus nacre_scratch_end(NacreVm *handle) {
    if (!api_is_alive(handle) || handle->running || !handle->vm.interp->main_aside) return NACRE_MISUSE;
    Interp *interp = handle->vm.interp;
    release_obj(&handle->vm, interp->main);
    interp->main = interp->main_aside;
    interp->main_aside = NULL;
    return NACRE_OK;
}

typedef struct DocCall {
    NacreDocFn each;
    void *ctx;
} DocCall;

static void pass_on(void *ctx, const char *name, const char *doc, size_t len, uint32_t line) {
    const DocCall *call = ctx;
    call->each(call->ctx, name, (int)line, doc, len);
}

NacreStatus nacre_docstrings(NacreVm *handle, const char *text, size_t len, NacreDocFn each,
                             void *ctx) {
    if (!api_is_alive(handle) || !text || !each || handle->running) return NACRE_MISUSE;
    DocCall call = {each, ctx};
    return compile_docstrings(&handle->vm.mem, text, len, pass_on, &call) ? NACRE_OK : NACRE_ERROR;
}
