// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Detours: work that goes another way than the program's options ask for. They are counted by place, and
// the option `strict` makes an error or a warning of each.

#include <string.h>

#include "vm/sched/sched.h"

struct Detour {
    DetourKind kind;
    int which;       // tells detours of one place apart
    CodePlace place; // holds a reference to the code, which owns the text that `at` points to
    SourceLine at;
    uint64_t count;
    char *text;
    size_t text_size;
};

static Detour *find(const Detours *all, DetourKind kind, int which, CodePlace place) {
    for (size_t i = 0; i < all->count; i++) {
        Detour *detour = &all->list[i];
        if (detour->kind == kind && detour->which == which && detour->place.code == place.code &&
            detour->place.pc == place.pc)
            return detour;
    }
    return NULL;
}

static void put_text(DetourKind kind, const char *what, const char *why, Buf *out) {
    switch (kind) {
    case DETOUR_KERNEL: buf_printf(out, "%s runs on the host: %s", what, why); break;
    case DETOUR_TRANSFER: buf_printf(out, "%s is brought to the host: %s", what, why); break;
    case DETOUR_GATHERED: buf_printf(out, "%s is done whole on every rank: %s", what, why); break;
    case DETOUR_ROWS: buf_printf(out, "%s brings arrays on a grid of ranks into rows: %s", what, why); break;
    case DETOUR_INTERPRETED: buf_printf(out, "%s is left to the interpreter: %s", what, why); break;
    }
    buf_putc(out, '\0');
}

// Adds a detour to the list. NULL: out of memory, and the list is unchanged.
static Detour *add(Vm *vm, Detours *all, const Detour *like, const Buf *text) {
    if (text->failed || !mem_grow(&vm->mem, (void **)&all->list, &all->room, all->count + 1, sizeof *all->list))
        return NULL;
    char *kept = mem_alloc(&vm->mem, text->len);
    if (!kept) return NULL;
    memcpy(kept, text->data, text->len);
    Detour *detour = &all->list[all->count++];
    *detour = *like;
    detour->text = kept;
    detour->text_size = text->len;
    if (!detour->place.code) return detour;
    vm->locate(vm, detour->place, &detour->at);
    detour->place.code->refs++;
    return detour;
}

static Status complain(Vm *vm, CodePlace place, uint32_t line, const char *text) {
    Status st;
    if (vm->engine->strict == STRICT_ERROR) {
        vm_raise(vm, EXC_RuntimeError, "--strict: line %u: %s", line, text);
        if (vm->trace && place.code) vm->trace(vm, place);
        return ST_ERROR;
    }
    const CodePlace *blamed = vm->blamed;
    vm->blamed = place.code ? &place : NULL;
    st = vm_warn(vm, EXC_RuntimeWarning, "--strict: %s", text);
    vm->blamed = blamed;
    return st;
}

Status engine_detour(Vm *vm, DetourKind kind, int which, CodePlace place, const char *what, const char *why) {
    struct Engine *engine = vm->engine;
    Detour *known = find(&engine->detours, kind, which, place);
    engine->stats.fallbacks += kind == DETOUR_KERNEL;
    if (known) known->count++;
    if (known && engine->strict != STRICT_ERROR) return ST_OK;
    Buf text;
    buf_init(&text, &vm->mem);
    put_text(kind, what, why, &text);
    Detour like = {.kind = kind, .which = which, .place = place, .count = 1};
    if (!known && (known = add(vm, &engine->detours, &like, &text))) like.at = known->at;
    Status st = ST_OK;
    if (engine->strict != STRICT_OFF)
        st = text.failed ? vm_no_memory(vm) : complain(vm, place, known ? known->at.line : 0, text.data);
    buf_free(&text);
    engine->barred = st != ST_OK;
    return st;
}

Status engine_detour_here(Vm *vm, DetourKind kind, const char *what, const char *why) {
    CodePlace here = {.code = NULL};
    if (vm->where) vm->where(vm, 0, &here);
    return engine_detour(vm, kind, 0, here, what, why);
}

Status detour_fetch(Vm *vm, const char *why) {
    return engine_detour_here(vm, DETOUR_TRANSFER, "an array", why);
}

bool engine_detour_told(const Vm *vm, int index, EngineDetour *out) {
    const Detours *all = &vm->engine->detours;
    static const char *const kinds[] = {[DETOUR_KERNEL] = "kernel", [DETOUR_TRANSFER] = "transfer",
                                        [DETOUR_GATHERED] = "gathered", [DETOUR_ROWS] = "rows",
                                        [DETOUR_INTERPRETED] = "interpreted"};
    if (index < 0 || (size_t)index >= all->count) return false;
    const Detour *detour = &all->list[index];
    *out = (EngineDetour){.kind = kinds[detour->kind], .text = detour->text, .file = detour->at.file,
                          .line = detour->at.line, .count = detour->count};
    return true;
}

void detours_visit(const Detours *all, Visitor *visitor) {
    for (size_t i = 0; i < all->count; i++) visit_obj(visitor, all->list[i].place.code);
}

void detours_free(Vm *vm, Detours *all) {
    for (size_t i = 0; i < all->count; i++) {
        mem_free(&vm->mem, all->list[i].text, all->list[i].text_size);
        if (all->list[i].place.code) release_obj(vm, all->list[i].place.code);
    }
    mem_free(&vm->mem, all->list, all->room * sizeof *all->list);
    *all = (Detours){.count = 0};
}
