// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Birth and death of heap objects.
//
// A tracked object whose count reaches zero joins a queue, and the outermost call empties it. So
// freeing a list of lists of lists, a million deep, takes two C frames.

#include "vm/value/object.h"

#include <string.h>

#include "vm/value/str.h"
#include "vm/value/weak.h"

static void track(Vm *vm, GcObj *gc) {
    GcObj *head = &vm->gc_list;
    gc->prev = head->prev;
    gc->next = head;
    head->prev->next = gc;
    head->prev = gc;
    vm->gc_count++;
}

static void untrack(Vm *vm, GcObj *gc) {
    gc->prev->next = gc->next;
    gc->next->prev = gc->prev;
    if (vm->gc_count) vm->gc_count--;
}

void *obj_new(Vm *vm, Kind kind, size_t size) {
    Obj *obj = mem_alloc(&vm->mem, size);
    if (!obj) return NULL;
    memset(obj, 0, size);
    obj->refs = 1;
    obj->kind = (uint8_t)kind;
    if ((int)kind >= K_FIRST_CYCLIC) track(vm, (GcObj *)obj);
    return obj;
}

static void destroy(Vm *vm, Obj *obj) {
    const TypeSlots *slots = kind_slots[obj->kind];
    if (obj->flags & OBJ_WEAK) weak_forget(vm, obj);
    if (slots->drop) slots->drop(vm, obj);
    mem_free(&vm->mem, obj, slots->size(obj));
}

static void drain(Vm *vm) {
    vm->draining = true;
    while (vm->dead) {
        GcObj *gc = vm->dead;
        vm->dead = gc->next;
        destroy(vm, &gc->obj);
    }
    vm->draining = false;
}

void obj_dead(Vm *vm, Obj *obj) {
    if (obj->kind < K_FIRST_CYCLIC) {
        if (obj->kind == K_STR && (obj->aux & STR_INTERNED)) {
            str_interned_drop(vm, (Str *)obj);
            obj->aux &= (uint16_t)~STR_INTERNED;
        }
        destroy(vm, obj);
        return;
    }
    const TypeSlots *slots = kind_slots[obj->kind];
    if (slots->rescue && slots->rescue(vm, obj)) return;
    GcObj *gc = (GcObj *)obj;
    untrack(vm, gc);
    gc->next = vm->dead;
    vm->dead = gc;
    if (!vm->draining) drain(vm);
}
