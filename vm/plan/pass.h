// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Passes turn a plan into a recipe. Passes over the plan decide the disposition of its nodes; then
// passes over each kernel lower it. The tables in passes.c list them in order; each pass has its
// own file, pass_NAME.c.
// A pass may only look at what the plan's key contains (plan_key.c), because its decisions are
// cached for every plan with that key. Decisions are recorded in the plan or kernel. Each pass has
// a check of its postcondition; debug and stress builds run all checks so far before and after each
// pass.

#ifndef NACRE_VM_PLAN_PASS_H
#define NACRE_VM_PLAN_PASS_H

#include "vm/graph/graph.h"
#include "vm/plan/recipe.h"
#include "vm/plugin/backend.h"

struct Watch;

// A plan being turned into a recipe.
typedef struct Making {
    Vm *vm;
    Plan *plan;
    const PlanKey *key;
    bool warns;  // float errors are reported
    bool checks; // run the postconditions
    bool has_lines; // sparse products may be loads of loops
    uint32_t left_out; // optional passes to skip, as bits (pass_number)
    const Device *device; // the device that the plan will run on
    struct Watch *watch; // observer that sees the plan and reasons after each pass, or NULL
} Making;

typedef struct Pass {
    const char *name, *doc;
    Status (*run)(Making *making);
    // Postcondition: returns what is wrong with a plan after this pass and any later ones; NULL:
    // nothing.
    const char *(*check)(const Making *making);
    bool optional; // plans are correct without it
} Pass;

// A kernel being lowered from nodes from … end in plan order. It has the sizes of the current
// nodes, but what is cached holds for any sizes (packed.c).
typedef struct Lowering {
    const Making *making;
    int from, end;
    Node *nodes[KERN_SITES];
    Kernel kernel;
    KernelMaker maker;
    uint32_t dying; // loads, as bits, whose memory nothing uses after the kernel
} Lowering;

typedef struct KernelPass {
    const char *name, *doc;
    void (*run)(Lowering *lowering);
    const char *(*check)(const Lowering *lowering);
    bool optional;
} KernelPass;

// In passes.c. Tables end with a row without a name.
extern const Pass plan_passes[];
extern const KernelPass kernel_passes[];
// Returns the bit of an optional pass in Making.left_out; -1: unknown name.
int pass_number(const char *name);
Status passes_run(Making *making);
void passes_none(Making *making); // runs no pass, only shows the recorded plan to the watcher
Status passes_lower(Lowering *lowering, const Piece *piece);

// Checks the input of the first pass.
const char *plan_check(const Making *making);

// Returns the number of the view's storage in the plan.
static inline uint32_t plan_number(const View *view) {
    return view->storage->number - 1;
}

static inline bool plan_is_live(const Plan *plan, int node) {
    return plan->fates[node] != FATE_DEAD;
}

// Views that a node, or a call, touches.
typedef struct Needs {
    const View *views[NODE_INPUTS + 1]; // operands, then the output
    int count;
} Needs;
void needs_of_call(const Plan *plan, const Call *call, Needs *needs); // pass_library.c
// Returns whether a call may overwrite its addend because nothing uses it after position `end`.
bool call_takes_over(const Making *making, const Call *call, int end);

// Returns whether a storage is still used after position `end` of the order: by later nodes, or
// outside the plan.
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

// packed.c: packs a lowered kernel without anything specific to its nodes, and returns the number of
// bytes.
size_t kernel_pack(const Lowering *lowering, char *to); // NULL: only counts
// Unpacks a kernel with the sizes, storages and scalars of the current nodes; *dying as in Lowering.
void kernel_unpack(Kernel *kernel, const char *from, Node *const *nodes, uint32_t *dying);

#endif
