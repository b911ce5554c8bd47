// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What passes promise is checked: a plan that is spoiled behind a pass is a SystemError.

#include <stdio.h>
#include <string.h>

#include "nacre/nacre.h"
#include "vm/api/api.h"
#include "vm/sched/watch.h"

typedef void (*Spoil)(Plan *plan);

typedef struct Spoiler {
    Watch watch; // first
    const char *pass;
    Spoil spoil;
    int spoiled;
} Spoiler;

static bool on_plan(Watch *watch, Vm *vm, const Plan *plan, const PlanKey *key, PlanUse use) {
    (void)watch, (void)vm, (void)key, (void)use;
    return plan->node_count > 1;
}

static void on_pass(Watch *watch, const Making *making, const Pass *pass) {
    Spoiler *spoiler = (Spoiler *)watch;
    const char *name = pass ? pass->name : "";
    if (strcmp(name, spoiler->pass) != 0) return;
    spoiler->spoil(making->plan);
    spoiler->spoiled++;
}

static void on_kernel(Watch *watch, Vm *vm, const KernelRun *run) {
    (void)watch, (void)vm, (void)run;
}

static void on_recorded(Watch *watch, Vm *vm, const Node *node) {
    (void)watch, (void)vm, (void)node;
}

// d = -c is node 1; node 3, c[1:] + c[:-1], cannot be in its kernel.
static const char script[] = "import numpy as np\na = np.ones(9)\na[0]\n"
                             "c = a * 2\nd = -c\ne = c - d\nf = c[1:] + c[:-1]\ndel d\nprint()\n";

static int run(const char *pass, Spoil spoil, const char *expect) {
    NacreVm *vm = nacre_new(NULL);
    vm->vm.engine->checks = true;
    Spoiler spoiler = {
        .watch = {on_plan, on_pass, on_kernel, on_recorded}, .pass = pass, .spoil = spoil};
    engine_watch(&vm->vm, &spoiler.watch);
    NacreStatus status = nacre_run(vm, script, strlen(script), "<test>", NACRE_FILE);
    const char *text = nacre_error_text(vm);
    bool right = spoiler.spoiled > 0 &&
                 (expect ? status == NACRE_ERROR && strstr(text, expect) : status == NACRE_OK);
    if (!right) printf("%s: %s\n", expect ? expect : "as it is", text);
    engine_watch(&vm->vm, NULL);
    nacre_free(vm);
    return !right;
}

static void nothing(Plan *plan) {
    (void)plan;
}
static void drop_a_read_node(Plan *plan) {
    plan->fates[1] = FATE_DEAD;
}
static void move_to_another_group(Plan *plan) {
    plan->group_of[1] = (uint16_t)(plan->group_count - 1);
}
static void forget_a_node(Plan *plan) {
    plan->groups[0].count--;
}
static void close_a_wide_group(Plan *plan) {
    plan->groups[0].open = false;
}
static void swap_groups(Plan *plan) {
    Group group = plan->groups[0];
    plan->groups[0] = plan->groups[1];
    plan->groups[1] = group;
    for (int n = 0; n < plan->node_count; n++) plan->group_of[n] = 1 - plan->group_of[n];
}
static void not_in_order(Plan *plan) {
    Group *group = &plan->groups[0];
    group->first = 1;
    plan->next[1] = 0;
    plan->next[0] = 2;
}

int main(void) {
    int failures = run("dead_code", nothing, NULL);
    failures += run("dead_code", drop_a_read_node, "a node that is dropped is read");
    failures += run("fusion", move_to_another_group, "a node in two groups");
    failures += run("fusion", forget_a_node, "a group that does not end");
    failures += run("fusion", close_a_wide_group, "several nodes in a group for one");
    failures += run("fusion", swap_groups, "a node runs before one that it depends on");
    failures += run("fusion", not_in_order, "a node runs before one that it depends on");
    return failures != 0;
}
