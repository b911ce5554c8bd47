// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Every native function there is, against its slow path: what a row names in the prelude exists, is
// a function, and does not take more or fewer arguments than the native one can hand on.

#include <stdio.h>
#include <string.h>

#include "vm/api/api.h"
#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/str.h"

static int checks, failures;

static void fail(const Signature *native, const char *what) {
    printf("FAILED %s(%s), slow path %s: %s\n", native->def->name, native->def->signature,
           native->def->slow, what);
    failures++;
}

static void check(Vm *vm, const Signature *native) {
    if (!native || !native->def || !native->def->slow) return;
    checks++;
    Str *name = str_intern(vm, native->def->slow, strlen(native->def->slow));
    if (!name) return fail(native, "out of memory");
    Value found = module_get(vm->interp->prelude, name);
    for (GcObj *gc = vm->gc_list.next; found.kind != K_FUNC && gc != &vm->gc_list; gc = gc->next)
        if (gc->obj.kind == K_MODULE && strcmp(((Module *)gc)->name->data, "_prelude_rare") == 0)
            found = module_get((Module *)gc, name);
    release_obj(vm, name);
    if (found.kind != K_FUNC) return fail(native, "the prelude has no such function");
    const Signature *slow = func_sig(vm, found.func);
    if (slow->keyword_only) fail(native, "it has keyword-only parameters");
    // Fewer than all of them: where a native function goes this way only without the others.
    if (slow->positional < native->required && !slow->has_varargs) fail(native, "too few");
    if (slow->positional > native->total) fail(native, "too many");
}

static void check_constructors(Vm *vm) {
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (kind_slots[kind] && kind_slots[kind]->construct)
            check(vm, signature_of(vm, kind_slots[kind]->construct, V_UNDEF));
}

static void check_all(NacreVm *handle) {
    Vm *vm = &handle->vm;
    for (GcObj *gc = vm->gc_list.next; gc != &vm->gc_list; gc = gc->next)
        if (gc->obj.kind == K_NATIVE) check(vm, native_signature(vm, (Native *)gc));
    check_constructors(vm);
}

int main(void) {
    static const char text[] = "import _nacre, math, cmath, time, sys, os, gc, numpy, functools, _prelude_rare\n"
                               "import _imsave, _pictures\n";
    NacreOptions options = {.struct_size = sizeof options};
    NacreVm *vm = nacre_new(&options);
    if (!vm) return 1;
    if (nacre_run(vm, text, sizeof text - 1, "natives", NACRE_FILE) != NACRE_OK) {
        printf("%s", nacre_error_text(vm));
        failures++;
    }
    check_all(vm);
    nacre_free(vm);
    printf("%d checks, %d failed\n", checks, failures);
    return failures || checks < 100;
}
