// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Editing: lets passes of the host program change pending nodes before the engine's own passes make a recipe of them.
// An editor looks at a plan, records nodes of its own as a script would, and says which results of the plan they
// replace. The new nodes are moved to the position of the node that they replace. Nodes that only served replaced ones
// are dropped. The graph is consistent at every moment, whatever the editor does.

#ifndef NACRE_VM_SCHED_EDIT_H
#define NACRE_VM_SCHED_EDIT_H

#include "vm/plan/pass.h"
#include "vm/sched/sched.h"

typedef struct Editor {
    // Called with a plan, whose storages have numbers, before the plan is run. It has to release everything that it
    // made of the plan's arrays before it returns.
    Status (*edit)(struct Editor *editor, Vm *vm, const Plan *plan, const PlanKey *key);
    // Whether `edit` is called for every plan. Otherwise plans equal to one that it left unchanged are skipped.
    bool each_time;
} Editor;

enum { SETTLED_KEYS = 256 };

// The positions among the pending nodes at which the editor has asked for elements of a storage: from … to. From > to:
// it has not asked.
typedef struct Asked {
    uint16_t from, to;
} Asked;

// A plan that is being edited, and hashes of plans that the editor left unchanged.
typedef struct Editing {
    Editor *editor;   // the one that is running; NULL: none
    const Plan *plan;
    bool changed;
    int count;                // of `nodes`
    Node *nodes[DEPTH_MAX];   // those that were pending before, in the program's order; later ones are the editor's
    bool replaced[DEPTH_MAX], spare[DEPTH_MAX]; // nodes that were replaced, and those that may be unused now
    uint16_t places[DEPTH_MAX]; // for each node of the plan: its position in `nodes`
    Asked asked[VIEWS_MAX];   // for each storage of the plan, by number
    uint64_t settled[SETTLED_KEYS]; // hashes of plans that were left unchanged
} Editing;

// Installs an editor, borrowed, or none with NULL. False: no memory.
bool engine_edit(Vm *vm, Editor *editor);
// Shows an editor the plan of the nodes that some storages depend on (with count 0, of all pending nodes), without
// running the plan.
Status engine_edit_now(Vm *vm, Storage *const *storages, size_t count, Editor *editor);

// Called by sched.c before a plan is run. *changed: nodes were changed, so that the plan has to be collected again.
Status plan_edit(Vm *vm, Plan *plan, Editor *editor, bool warns, bool *changed);
void editing_free(Vm *vm);
static inline bool is_editing(const struct Engine *engine) {
    return engine->editing && engine->editing->editor;
}

// --- For the editor, while it is at work ---------------------------------------------------------------

enum { EDIT_RESULT = -1 };

// Returns the view that a node of the plan reads as an operand, or writes (EDIT_RESULT). An editor that records nodes
// with this view calls edit_ask first.
const View *edit_view(const Vm *vm, int node, int operand);
void edit_ask(Vm *vm, int node, int operand);
// Returns the node of the plan that has written exactly what another one reads as an operand; -1: no node of the plan
// has, or several have.
int edit_writer(const Vm *vm, int node, int operand);
// Replaces a node's result by the values of a view of the same shape and type, which the editor's nodes write or which
// exist already. Raises ValueError if an operand of those nodes has other values at the position of the replaced node.
Status edit_replace(Vm *vm, int node, const View *with);
// Adds hints to those of a node. Of hints that exclude each other, and of numbers, the new one counts.
void edit_hints(Vm *vm, int node, NodeHints hints);

#endif
