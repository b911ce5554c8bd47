// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Death of objects, the cycle collector and the check of reference counts.

#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static size_t tracked_objects(const Vm *vm) {
    size_t count = 0;
    for (const GcObj *gc = vm->gc_list.next; gc != &vm->gc_list; gc = gc->next) count++;
    return count;
}

// [[[…]]], much deeper than the C stack; consumes nothing, returns owned.
static Value nested(Vm *vm, int depth) {
    Value inner = V_NONE;
    for (int i = 0; i < depth; i++) {
        List *list = list_new(vm, 1);
        list_append(vm, list, inner);
        inner = v_obj(list);
    }
    return inner;
}

static int deep_lists_die(Vm *vm) {
    int failures = 0;
    size_t before = vm->mem.in_use;
    release(vm, nested(vm, 1000000));
    CHECK(&failures, vm->mem.in_use == before);
    CHECK(&failures, !vm->dead && !vm->draining);
    return failures;
}

// A list that holds itself, through a dict, a tuple, a cell and a bound method.
static void make_cycle(Vm *vm) {
    List *list = list_new(vm, 0);
    Dict *dict = dict_new(vm);
    Value tuple, cell, bound, items[2] = {v_obj(list), v_obj(dict)};
    tuple_of(vm, items, 2, &tuple);
    cell_new(vm, retain(tuple), &cell);
    bound_new(vm, cell, tuple, &bound);
    dict_set(vm, dict, v_int(1), bound);
    dict_set(vm, dict, v_int(2), v_obj(dict));
    list_append(vm, list, retain(v_obj(dict)));
    release_obj(vm, list);
    release_obj(vm, dict);
    release(vm, tuple);
    release(vm, cell);
    release(vm, bound);
}

static int cycles_die(Vm *vm) {
    enum { CYCLE_OBJECTS = 5, CYCLES = 100 };
    int failures = 0;
    gc_collect(vm);
    size_t before = vm->mem.in_use, objects = tracked_objects(vm);
    for (int i = 0; i < CYCLES; i++) make_cycle(vm);
    CHECK(&failures, tracked_objects(vm) == objects + CYCLES * CYCLE_OBJECTS);
    CHECK(&failures, gc_collect(vm) == CYCLES * CYCLE_OBJECTS);
    CHECK(&failures, vm->mem.in_use == before);
    CHECK(&failures, gc_collect(vm) == 0);
    return failures;
}

// A cycle held by one reference from outside survives with everything it reaches.
static int held_cycles_live(Vm *vm) {
    int failures = 0;
    List *list = list_new(vm, 0);
    list_append(vm, list, retain(v_obj(list)));
    list_append(vm, list, nested(vm, 100));
    make_cycle(vm);
    CHECK(&failures, gc_collect(vm) == 5);
    CHECK(&failures, list->len == 2 && list->gc.obj.refs == 2);
    int depth = 0;
    for (Value v = list->items[1]; v.kind == K_LIST; v = v.list->items[0]) depth++;
    CHECK(&failures, depth == 100);
    release_obj(vm, list);
    CHECK(&failures, gc_collect(vm) == 101);
    return failures;
}

// A long garbage chain that ends in a cycle is freed without recursion.
static int long_garbage_dies(Vm *vm) {
    int failures = 0;
    size_t before = vm->mem.in_use;
    List *list = list_new(vm, 0);
    list_append(vm, list, nested(vm, 300000));
    list_append(vm, list, retain(v_obj(list)));
    release_obj(vm, list);
    CHECK(&failures, gc_collect(vm) == 300001);
    CHECK(&failures, vm->mem.in_use == before);
    return failures;
}

static int threshold_adapts(Vm *vm) {
    int failures = 0;
    gc_collect(vm);
    size_t small = vm->gc_threshold;
    Value kept = nested(vm, 100000);
    CHECK(&failures, gc_wanted(vm));
    gc_collect(vm);
    CHECK(&failures, !gc_wanted(vm) && vm->gc_threshold >= 50000 && vm->gc_threshold > small);
    release(vm, kept);
    gc_collect(vm);
    CHECK(&failures, vm->gc_threshold == small);
    return failures;
}

// --- gc_verify ---------------------------------------------------------------------------------

static bool verified(Vm *vm, RootsFn roots, const char *expect) {
    Buf report;
    buf_init(&report, &vm->mem);
    bool exact = gc_verify(vm, roots, &report);
    buf_putc(&report, '\0');
    bool as_expected = expect ? !exact && strstr(report.data, expect) : exact && report.len == 1;
    if (!as_expected) printf("%s", report.data);
    buf_free(&report);
    return as_expected;
}

static void visit_info(Vm *vm, Visitor *visitor) {
    visit_obj(visitor, vm->info); // stands for what an interpreter holds
}

static int counts_are_checked(Vm *vm) {
    int failures = 0;
    gc_collect(vm);
    CHECK(&failures, verified(vm, NULL, NULL));
    List *list = list_new(vm, 0);
    make_cycle(vm);
    CHECK(&failures, verified(vm, NULL, "list at"));
    CHECK(&failures, verified(vm, NULL, "1 references counted, 0 found"));
    vm->info = (struct HostInfo *)list;
    CHECK(&failures, verified(vm, visit_info, NULL));
    list->gc.obj.refs++;
    CHECK(&failures, verified(vm, visit_info, "2 references counted, 1 found"));
    list->gc.obj.refs--;
    vm->info = NULL;
    release_obj(vm, list);
    gc_collect(vm);
    return failures;
}

static int pending_state_is_visited(Vm *vm) {
    int failures = 0;
    Value list = nested(vm, 3), args[2] = {list, list};
    vm_raise_value(vm, EXC_ValueError, list);
    CHECK(&failures, vm_tail(vm, list, args, 2) == ST_TAIL);
    release(vm, list);
    CHECK(&failures, verified(vm, NULL, NULL));
    vm_clear_error(vm);
    vm_clear_tail(vm);
    CHECK(&failures, verified(vm, NULL, NULL));
    return failures;
}

// --- Instances and text ------------------------------------------------------------------------

static int interned_text_dies(Vm *vm) {
    int failures = 0;
    size_t before = vm->mem.in_use, count = vm->interned_count;
    Str *text = str_intern(vm, "only used here", 14);
    CHECK(&failures, vm->interned_count == count + 1);
    release_obj(vm, text);
    CHECK(&failures, vm->interned_count == count);
    CHECK(&failures, vm->mem.in_use <= before + 65536); // the table itself may have grown
    return failures;
}

// A class, its instance and the instance's attribute that is the instance itself.
static int classes_die(Vm *vm) {
    int failures = 0;
    gc_collect(vm);
    size_t objects = tracked_objects(vm);
    Str *name = str_intern(vm, "Thing", 5);
    Dict *space = dict_new(vm);
    Value cls, inst;
    CHECK(&failures, class_new(vm, name, &vm->object_class, 1, NULL, space, &cls) == ST_OK);
    CHECK(&failures, instance_new(vm, cls.cls, &inst) == ST_OK);
    CHECK(&failures, instance_set(vm, inst.inst, name, inst) == ST_OK);
    CHECK(&failures, instance_set(vm, inst.inst, vm_name(vm, NAME_self), cls) == ST_OK);
    CHECK(&failures, verified(vm, NULL, "object at"));
    release(vm, inst);
    release(vm, cls);
    release_obj(vm, space);
    release_obj(vm, name);
    gc_collect(vm);
    CHECK(&failures, tracked_objects(vm) == objects);
    return failures;
}

// --- Every failing allocation while a VM is built ------------------------------------------------

static int half_built_vms_die(void) {
    int failures = 0;
    TestVm test;
    size_t n = 0;
    for (bool built = false; !built; n++) {
        memset(&test, 0, sizeof test);
        TestVm fresh;
        if (!test_vm_init(&fresh)) return 1; // takes the allocation function from here
        MemFn fn = fresh.vm.mem.fn;
        failures += test_vm_free(&fresh);
        mem_init(&test.vm.mem, fn, &test, false, 0);
        test.fail_after = n < 200 ? n : n * 7 - 1200; // all of the first, then samples
        built = vm_value_init(&test.vm);
        failures += test_vm_free(&test);
    }
    CHECK(&failures, n > 200);
    return failures;
}

int main(void) {
    TestVm test;
    if (!test_vm_init(&test)) return 1;
    Vm *vm = &test.vm;
    int failures = deep_lists_die(vm) + cycles_die(vm) + held_cycles_live(vm) +
                   long_garbage_dies(vm) + threshold_adapts(vm) + counts_are_checked(vm) +
                   pending_state_is_visited(vm) + interned_text_dies(vm) + classes_die(vm);
    failures += test_vm_free(&test);
    failures += half_built_vms_die();
    return failures != 0;
}
