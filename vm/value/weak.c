// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Weak references. Objects with a number are found by their address, through chains of a hash table. A
// number consists of the object's place in the table and a count of the objects that had the place before (turn).

#include "vm/value/weak.h"

#include "vm/value/seq.h"

enum { FIRST_PLACES = 64, NO_PLACE = -1 };

typedef struct Place {
    Obj *obj;       // NULL: free
    int64_t number; // turn << 32 | place
    uint64_t serial;
    int32_t next;   // in the chain of its bucket, or of free places
    bool watched;
} Place;

typedef struct WeakTable {
    Place *places;
    int32_t *buckets; // as many as places
    size_t count;     // places
    uint64_t serials; // last serial number given; 0 is never given
    int32_t unused;   // first free place
    int64_t *dead;    // watched numbers; room for all that are watched
    size_t dead_count, dead_cap, watched;
    Value waker;
} WeakTable;

static size_t bucket_of(const WeakTable *table, const Obj *obj) {
    return (size_t)(((uintptr_t)obj >> 4) * 0x9E3779B97F4A7C15u >> 20) & (table->count - 1);
}

static void chain(WeakTable *table, int32_t place) {
    int32_t *bucket = &table->buckets[bucket_of(table, table->places[place].obj)];
    table->places[place].next = *bucket;
    *bucket = place;
}

static bool table_grow(Vm *vm, WeakTable *table) {
    size_t count = table->count ? table->count * 2 : FIRST_PLACES;
    Place *places = count <= INT32_MAX ? mem_alloc(&vm->mem, count * sizeof *places) : NULL;
    int32_t *buckets = places ? mem_alloc(&vm->mem, count * sizeof *buckets) : NULL;
    if (!buckets) {
        mem_free(&vm->mem, places, count * sizeof *places);
        return false;
    }
    size_t old = table->count;
    for (size_t i = 0; i < count; i++) {
        buckets[i] = NO_PLACE;
        places[i] = i < old ? table->places[i] : (Place){.number = (int64_t)i};
    }
    mem_free(&vm->mem, table->places, old * sizeof *places);
    mem_free(&vm->mem, table->buckets, old * sizeof *buckets);
    table->places = places;
    table->buckets = buckets;
    table->count = count;
    for (size_t i = 0; i < old; i++) chain(table, (int32_t)i);
    for (size_t i = count; i-- > old;) {
        places[i].next = table->unused;
        table->unused = (int32_t)i;
    }
    return true;
}

static WeakTable *table_of(Vm *vm) {
    if (vm->weak) return vm->weak;
    vm->weak = mem_zalloc(&vm->mem, sizeof *vm->weak);
    if (vm->weak) vm->weak->unused = NO_PLACE;
    return vm->weak;
}

static bool can_be_weak(Value v) {
    switch (v.kind) {
    case K_INSTANCE:
    case K_FUNC:
    case K_CLASS:
    case K_SET:
    case K_FROZENSET:
    case K_DEQUE:
    case K_GEN:
    case K_MODULE:
    case K_ARRAY:
    case K_BOUND:
    case K_FILE: return true;
    default: return false;
    }
}

static int32_t place_of(const WeakTable *table, const Obj *obj) {
    int32_t place = table->buckets[bucket_of(table, obj)];
    while (table->places[place].obj != obj) place = table->places[place].next;
    return place;
}

// Returns an object's place in the table, to which it is added if it has none. NULL: out of memory.
static const Place *place_for(Vm *vm, Obj *obj) {
    WeakTable *table = table_of(vm);
    if (!table) return NULL;
    if (!(obj->flags & OBJ_WEAK)) {
        if (table->unused == NO_PLACE && !table_grow(vm, table)) return NULL;
        int32_t place = table->unused;
        table->unused = table->places[place].next;
        table->places[place].obj = obj;
        table->places[place].watched = false;
        table->places[place].serial = ++table->serials;
        chain(table, place);
        obj->flags |= OBJ_WEAK;
    }
    return &table->places[place_of(table, obj)];
}

Status weak_number(Vm *vm, Value v, int64_t *number) {
    if (!can_be_weak(v))
        return vm_raise(vm, EXC_TypeError, "cannot create weak reference to '%s' object",
                        type_name(vm, v));
    const Place *place = place_for(vm, v.obj);
    if (!place) return vm_no_memory(vm);
    *number = place->number;
    return ST_OK;
}

bool weak_serial(Vm *vm, Obj *obj, uint64_t *serial) {
    const Place *place = place_for(vm, obj);
    if (place) *serial = place->serial;
    return place;
}

static Place *place_with(Vm *vm, int64_t number) {
    size_t place = (size_t)(number & UINT32_MAX);
    if (!vm->weak || place >= vm->weak->count) return NULL;
    Place *found = &vm->weak->places[place];
    return found->obj && found->number == number ? found : NULL;
}

Value weak_object(Vm *vm, int64_t number) {
    const Place *place = place_with(vm, number);
    // An object without references is about to be freed.
    return place && place->obj->refs ? retain(v_obj(place->obj)) : V_NONE;
}

bool weak_watch(Vm *vm, int64_t number) {
    Place *place = place_with(vm, number);
    if (!place || place->watched) return true;
    WeakTable *table = vm->weak;
    if (!mem_grow(&vm->mem, (void **)&table->dead, &table->dead_cap,
                  table->dead_count + table->watched + 1, sizeof *table->dead))
        return false;
    place->watched = true;
    table->watched++;
    return true;
}

Status weak_dead(Vm *vm, Value *out) {
    WeakTable *table = vm->weak;
    List *list = list_new(vm, table ? table->dead_count : 0);
    if (!list) return vm_no_memory(vm);
    Status st = ST_OK;
    for (size_t i = 0; table && st == ST_OK && i < table->dead_count; i++)
        st = list_append(vm, list, v_int(table->dead[i]));
    if (st != ST_OK) {
        release_obj(vm, list);
        return st;
    }
    if (table) table->dead_count = 0;
    *out = v_obj(list);
    return ST_OK;
}

void weak_waker(Vm *vm, Value waker) {
    WeakTable *table = table_of(vm);
    if (table)
        replace(vm, &table->waker, waker);
    else
        release(vm, waker);
}

void weak_forget(Vm *vm, Obj *obj) {
    WeakTable *table = vm->weak;
    if (!table) return;
    int32_t place = place_of(table, obj), *link = &table->buckets[bucket_of(table, obj)];
    Place *found = &table->places[place];
    while (*link != place) link = &table->places[*link].next;
    *link = found->next;
    if (found->watched) {
        table->watched--;
        table->dead[table->dead_count++] = found->number;
    }
    found->obj = NULL;
    found->number += (int64_t)1 << 32;
    found->next = table->unused;
    table->unused = place;
    obj->flags &= (uint8_t)~OBJ_WEAK;
    if (found->watched) clear(vm, &table->waker);
}

void weak_visit(Vm *vm, Visitor *visitor) {
    if (vm->weak) visit_value(visitor, vm->weak->waker);
}

void weak_free(Vm *vm) {
    WeakTable *table = vm->weak;
    if (!table) return;
    clear(vm, &table->waker);
    mem_free(&vm->mem, table->places, table->count * sizeof *table->places);
    mem_free(&vm->mem, table->buckets, table->count * sizeof *table->buckets);
    mem_free(&vm->mem, table->dead, table->dead_cap * sizeof *table->dead);
    mem_free(&vm->mem, table, sizeof *table);
    vm->weak = NULL;
}
