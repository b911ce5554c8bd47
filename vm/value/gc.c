// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The cycle collector, and the exactness check of reference counts.
//
// The collector is CPython's (Modules/gcmodule.c) without generations: copy every count,
// subtract the references tracked objects hold on each other, and what stays above zero is held
// from outside; everything reachable from there lives, the rest is garbage. It works on lists,
// never on the C stack. The trigger grows with the number of survivors, so that the cost per
// allocated object stays constant.

#include "vm/value/object.h"

#include "vm/value/vm.h"
#include "vm/value/weak.h"

enum { GC_MIN_THRESHOLD = 10000, GC_MIN_GROWTH = 1 << 28, LIMIT_PARTS = 64, GC_BYTES_EACH = 256 };

// gc_mark of an object during a collection.
enum { MARK_NONE, MARK_CANDIDATE, MARK_UNREACHABLE, MARK_REACHABLE };

typedef struct Collector {
    Visitor visitor;
    GcObj *reachable; // list to which objects are moved when found alive
} Collector;

static GcObj *tracked(Obj *obj) {
    return obj->kind >= K_FIRST_CYCLIC ? (GcObj *)obj : NULL;
}

static void list_init(GcObj *head) {
    head->prev = head->next = head;
}

static void list_move(GcObj *gc, GcObj *to) {
    gc->prev->next = gc->next;
    gc->next->prev = gc->prev;
    gc->prev = to->prev;
    gc->next = to;
    to->prev->next = gc;
    to->prev = gc;
}

static void list_splice(GcObj *from, GcObj *to) {
    if (from->next == from) return;
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    list_init(from);
}

static void visit_object(GcObj *gc, Visitor *visitor) {
    const TypeSlots *slots = kind_slots[gc->obj.kind];
    if (slots->visit) slots->visit(&gc->obj, visitor);
}

static void subtract(Visitor *visitor, Obj *obj) {
    (void)visitor;
    GcObj *gc = tracked(obj);
    if (gc && gc->gc_mark == MARK_CANDIDATE && gc->gc_refs) gc->gc_refs--;
}

// Marks an object that a live one refers to as live, to be visited in its turn.
static void rescue(Visitor *visitor, Obj *obj) {
    GcObj *gc = tracked(obj);
    if (!gc) return;
    if (gc->gc_mark == MARK_UNREACHABLE) {
        list_move(gc, ((Collector *)visitor)->reachable);
        gc->gc_mark = MARK_CANDIDATE;
    }
    if (gc->gc_mark == MARK_CANDIDATE && gc->gc_refs == 0) gc->gc_refs = 1;
}

static void count_outside_references(GcObj *head) {
    for (GcObj *gc = head->next; gc != head; gc = gc->next) {
        gc->gc_refs = gc->obj.refs;
        gc->gc_mark = MARK_CANDIDATE;
    }
    Visitor visitor = {subtract};
    for (GcObj *gc = head->next; gc != head; gc = gc->next) visit_object(gc, &visitor);
}

// Splits the list: garbage goes to `garbage`; returns the number of survivors. Objects are parked
// as garbage while nothing alive is known to hold them, and rescued to the end of the list.
static size_t split(GcObj *head, GcObj *garbage) {
    Collector collector = {{rescue}, head};
    size_t survivors = 0;
    for (GcObj *gc = head->next; gc != head;) {
        GcObj *next;
        if (gc->gc_refs) {
            gc->gc_mark = MARK_REACHABLE;
            visit_object(gc, &collector.visitor);
            survivors++;
            next = gc->next; // after the visit: it may have appended
        } else {
            next = gc->next;
            gc->gc_mark = MARK_UNREACHABLE;
            list_move(gc, garbage);
        }
        gc = next;
    }
    return survivors;
}

// Empties every object while holding a reference, so that none is freed while others point to it.
static size_t free_garbage(Vm *vm, GcObj *garbage) {
    size_t freed = 0;
    for (GcObj *gc = garbage->next; gc != garbage; gc = gc->next) {
        gc->obj.refs++;
        if (gc->obj.flags & OBJ_WEAK) weak_forget(vm, &gc->obj);
    }
    for (GcObj *gc = garbage->next; gc != garbage; gc = gc->next) {
        const TypeSlots *slots = kind_slots[gc->obj.kind];
        if (slots->drop) slots->drop(vm, &gc->obj);
    }
    GcObj revived;
    list_init(&revived);
    while (garbage->next != garbage) {
        GcObj *gc = garbage->next;
        if (gc->obj.refs > 1) { // held by something that was not visited: stays, but empty
            list_move(gc, &revived);
        } else {
            freed++;
        }
        release_obj(vm, gc);
    }
    list_splice(&revived, &vm->gc_list);
    return freed;
}

// Sets the memory in use at which the collector runs next, as few objects may hold many bytes. The step has a least
// size, so that near the limit the collector does not run at each allocation.
void gc_mark_memory(Vm *vm) {
    Mem *mem = &vm->mem;
    size_t used = mem->in_use, growth = used / 2 > GC_MIN_GROWTH ? used / 2 : GC_MIN_GROWTH;
    size_t left = mem->limit > used ? (mem->limit - used) / 2 : 0, least = mem->limit / LIMIT_PARTS;
    if (left < least) left = least;
    vm->gc_grown = false;
    mem_mark(mem, used + (mem->limit && left < growth ? left : growth));
}

size_t gc_collect(Vm *vm) {
    if (vm->gc_running || vm->draining) return 0;
    vm->gc_running = true;
    GcObj garbage;
    list_init(&garbage);
    count_outside_references(&vm->gc_list);
    size_t survivors = split(&vm->gc_list, &garbage);
    size_t freed = free_garbage(vm, &garbage);
    vm->gc_count = vm->gc_made = 0;
    vm->gc_made_most = GC_MIN_GROWTH + survivors * GC_BYTES_EACH; // a collection may cost that much
    vm->gc_threshold = survivors / 2 > GC_MIN_THRESHOLD ? survivors / 2 : GC_MIN_THRESHOLD;
    vm->gc_running = false;
    gc_mark_memory(vm);
    safe_point_arm(vm);
    return freed;
}

// --- Exactness check ---------------------------------------------------------------------------

static void count_reference(Visitor *visitor, Obj *obj) {
    (void)visitor;
    GcObj *gc = tracked(obj);
    if (gc) gc->gc_refs++;
}

bool gc_verify(Vm *vm, RootsFn roots, Buf *report) {
    GcObj *head = &vm->gc_list;
    Visitor visitor = {count_reference};
    for (GcObj *gc = head->next; gc != head; gc = gc->next) gc->gc_refs = 0;
    for (GcObj *gc = head->next; gc != head; gc = gc->next) visit_object(gc, &visitor);
    vm_value_visit(vm, &visitor);
    if (roots) roots(vm, &visitor);
    bool exact = true;
    for (GcObj *gc = head->next; gc != head; gc = gc->next) {
        if (gc->gc_refs == gc->obj.refs) continue;
        exact = false;
        buf_printf(report, "%s at %p: %u references counted, %u found\n", kind_names[gc->obj.kind],
                   (void *)gc, gc->obj.refs, gc->gc_refs);
    }
    return exact;
}
