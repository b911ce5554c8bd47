// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Passes: how a plan becomes a recipe. First those over the plan decide what becomes of its nodes, then
// those over a kernel make each one. Tables (passes.c) say which there are and in what order; each pass
// has a file of its own, pass_NAME.c.
//
// A pass may look at nothing but what is in the plan's key (plan_key.c): its decisions are kept and hold
// for every plan with that key. What they decide stands in the plan, or in the kernel, and what they
// promise is checked: in debug builds and under stress, all promises so far before and after each pass.

#ifndef NACRE_VM_PLAN_PASS_H
#define NACRE_VM_PLAN_PASS_H

#include "vm/graph/graph.h"
#include "vm/plan/recipe.h"
#include "vm/plugin/backend.h"

struct Watch;

// A plan on its way to a recipe.
typedef struct Making {
    Vm *vm;
    Plan *plan;
    const PlanKey *key;
    bool warns;  // float errors do
    bool checks; // promises are checked
    uint32_t left_out; // passes that are not run, as bits (pass_number)
    const Device *device; // where the plan will be run
    struct Watch *watch; // is shown the plan after each pass, with reasons; NULL: nobody watches
} Making;

typedef struct Pass {
    const char *name, *doc;
    Status (*run)(Making *making);
    // What is wrong with a plan for which this pass has been run, whichever came later; NULL: nothing.
    const char *(*check)(const Making *making);
    bool optional; // plans are right without it
} Pass;

// A kernel on its way: of the nodes at from … end in the plan's order. Its sizes are those of the nodes
// at hand; what is kept of it holds for any (packed.c).
typedef struct Lowering {
    const Making *making;
    int from, end;
    Node *nodes[KERN_SITES];
    Kernel kernel;
    KernelMaker maker;
    uint32_t dying; // loads, as bits, whose memory nobody needs behind the kernel
} Lowering;

typedef struct KernelPass {
    const char *name, *doc;
    void (*run)(Lowering *lowering);
    const char *(*check)(const Lowering *lowering);
    bool optional;
} KernelPass;

// passes.c. Tables end with a row without name.
extern const Pass plan_passes[];
extern const KernelPass kernel_passes[];
// The bit of an optional pass in Making.left_out; -1: there is none of that name.
int pass_number(const char *name);
Status passes_run(Making *making);
void passes_none(Making *making); // only shows the plan as it was recorded
Status passes_lower(Lowering *lowering, const Piece *piece);

// Of whatever is given to the first pass.
const char *plan_check(const Making *making);

// The storage's number in the plan, from 0.
static inline uint32_t plan_number(const View *view) {
    return view->storage->number - 1;
}

static inline bool plan_is_live(const Plan *plan, int node) {
    return plan->fates[node] != FATE_DEAD;
}

// What a node, or a call, touches.
typedef struct Needs {
    const View *views[NODE_INPUTS + 1]; // the output's last
    int count;
} Needs;
void needs_of_call(const Plan *plan, const Call *call, Needs *needs); // pass_library.c
// Whether nobody wants the addend of a call behind place `end` of the order, where its last node is.
bool call_takes_over(const Making *making, const Call *call, int end);

// Whether a storage is wanted behind place `end` of the order: by others, or by later nodes.
static inline bool plan_is_wanted(const Making *m, uint32_t number, int end) {
    return m->key->seen[number] || m->plan->last[number] >= end;
}

Status pass_library(Making *making);
const char *check_library(const Making *making);
Status pass_dead_code(Making *making);
const char *check_dead_code(const Making *making);
Status pass_fusion(Making *making);
const char *check_fusion(const Making *making);
Status pass_stores(Making *making);
const char *check_stores(const Making *making);
void pass_body(Lowering *lowering);
const char *check_body(const Lowering *lowering);
void pass_algebra(Lowering *lowering);
const char *check_algebra(const Lowering *lowering);
void pass_handover(Lowering *lowering);
const char *check_handover(const Lowering *lowering);

// packed.c: kernels in as few bytes as they need, without anything that is the nodes' own.
size_t kernel_pack(const Lowering *lowering, char *to); // NULL: only counts
// Gives it the sizes, memory and scalars of the nodes; *dying as in Lowering.
void kernel_unpack(Kernel *kernel, const char *from, Node *const *nodes, uint32_t *dying);

#endif
