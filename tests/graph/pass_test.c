// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What passes promise is checked: a plan that is spoiled behind a pass is a SystemError.

#include <stdio.h>
#include <string.h>

#include "nacre/nacre.h"
#include "vm/api/api.h"
#include "vm/plan/watch.h"
#include "vm/sched/sched.h"

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

// d = -c is node 1; node 3, c[1:] + c[:-1], cannot be in its kernel.
static const char script[] = "import numpy as np\na = np.ones(9)\na[0]\n"
                             "c = a * 2\nd = -c\ne = c - d\nf = c[1:] + c[:-1]\ndel d\nprint()\n";

// A call of three nodes, and a node that reads what it makes.
static const char product[] = "import numpy as np\na = np.ones((9, 9))\na[0, 0]\n"
                              "c = 2 * (a @ a) + a\nd = -c\nprint()\n";
// A product, a factor of which is written before it is added to.
static const char written[] = "import numpy as np\na = np.ones((9, 9))\nc = np.ones((9, 9))\n"
                              "a[0, 0], c[0, 0]\np = a @ c\na[0] = 7\nd = p + c\ndel p\nprint()\n";

static int run_script(const char *script, const char *pass, Spoil spoil, const char *expect) {
    NacreOptions options = {.struct_size = sizeof options, .depth = DEPTH_DEFAULT}; // no direct operations
    NacreVm *vm = nacre_new(&options);
    vm->vm.engine->checks = true;
    Spoiler spoiler = {
        .watch = {.plan = on_plan, .pass = on_pass, .kernel = on_kernel}, .pass = pass, .spoil = spoil};
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

static int run(const char *pass, Spoil spoil, const char *expect) {
    return run_script(script, pass, spoil, expect);
}

static int run_call(const char *pass, Spoil spoil, const char *expect) {
    return run_script(product, pass, spoil, expect);
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

static void forget_a_step(Plan *plan) {
    plan->calls[0].steps[GEMM_SUM] = -1;
}
static void take_another_node(Plan *plan) {
    plan->calls[0].steps[GEMM_SUM] = 3;
}
static void leave_out_a_step(Plan *plan) {
    plan->calls[0].steps[GEMM_SCALE] = -1;
    plan->call_of[1] = -1;
}
static void overtake(Plan *plan) {
    plan->calls[plan->call_count++] = (Call){.steps = {0, -1, -1, 2}};
    plan->call_of[0] = plan->call_of[2] = 0;
}
static void call_a_loop(Plan *plan) {
    plan->groups[1].call = 0;
}
static void loop_over_a_call(Plan *plan) {
    plan->groups[0].call = -1;
}

int main(void) {
    int failures = run("dead_code", nothing, NULL);
    failures += run("dead_code", drop_a_read_node, "a node that is dropped is read");
    failures += run("fusion", move_to_another_group, "a node in two groups");
    failures += run("fusion", forget_a_node, "a group that does not end");
    failures += run("fusion", close_a_wide_group, "several nodes in a group for one");
    failures += run("fusion", swap_groups, "a node runs before one that it depends on");
    failures += run("fusion", not_in_order, "a node runs before one that it depends on");
    failures += run_call("library", nothing, NULL);
    failures += run_call("library", forget_a_step, "a call of fewer nodes than it has");
    failures += run_call("library", leave_out_a_step, "a call that does not hang together");
    failures += run_call("library", take_another_node, "a node in two calls");
    failures += run_script(written, "library", nothing, NULL);
    failures += run_script(written, "library", overtake, "a call overtakes what it depends on");
    failures += run_call("fusion", call_a_loop, "a call's node in another group");
    failures += run_call("fusion", loop_over_a_call, "several nodes in a group for one");
    return failures != 0;
}
