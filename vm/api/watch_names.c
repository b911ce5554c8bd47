// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Names of arrays: the variables that hold them.

#include "vm/api/shown.h"
#include "vm/value/dict.h"
#include "vm/value/str.h"

// Prefers an array of the whole storage to a view.
typedef struct Search {
    const Storage *storage;
    const char *name;
    Array *array;
    bool whole;
} Search;

static void consider(Search *search, Value v, const Str *name) {
    if (v.kind != K_ARRAY || !name || search->whole) return;
    Array *array = (Array *)v.obj;
    if (array->storage != search->storage) return;
    bool whole = array->base.kind == K_UNDEF;
    if (search->name && !whole) return;
    search->name = name->data;
    search->array = array;
    search->whole = whole;
}

static void look_into_frame(Search *search, const Frame *frame) {
    const BcCode *code = frame->code->bc;
    for (uint32_t i = 0; frame->code->local_names && i < code->local_count; i++)
        consider(search, frame->regs[i], frame->code->local_names[i]);
}

static void look_into_module(Search *search, const Module *module) {
    uint32_t at = 0;
    Value name, slot;
    while (dict_next(module->slots_of, &at, &name, &slot))
        if (name.kind == K_STR && slot.kind == K_INT)
            consider(search, module->slots[slot.i], name.str);
}

// Searches the running functions, the innermost first, then the script's global variables.
const char *variable_of(Vm *vm, const Storage *storage, Array **array) {
    Search search = {.storage = storage};
    for (const Frame *frame = vm->interp->frame; frame && !search.whole; frame = frame->prev)
        if (frame->code->unit->source) look_into_frame(&search, frame);
    if (!search.whole && vm->interp->main) look_into_module(&search, vm->interp->main);
    *array = search.array;
    return search.name;
}
