// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Editing: what pending nodes somebody else's passes may change before the engine's own make a recipe of
// them. An editor looks at a plan, records nodes of its own as a script would, and says whose results theirs
// are to be instead. Those go to the place of the node that they replace, and what served nobody else goes
// with it. The graph is right at every moment, whatever the editor does.

#ifndef NACRE_VM_SCHED_EDIT_H
#define NACRE_VM_SCHED_EDIT_H

#include "vm/plan/pass.h"
#include "vm/sched/sched.h"

typedef struct Editor {
    // Shown a plan, whose storages have numbers, before it is run. Everything that it has made of the plan's
    // arrays is to be gone when it returns.
    Status (*edit)(struct Editor *editor, Vm *vm, const Plan *plan, const PlanKey *key);
    // Whether it is asked each time, and not just until it has once left such a plan as it is.
    bool each_time;
} Editor;

enum { SETTLED_KEYS = 256 };

// Where in the program elements were asked for: from … to, places among the pending nodes. From > to: nowhere.
typedef struct Asked {
    uint16_t from, to;
} Asked;

// A plan that is being edited, and hashes of those that were left as they are.
typedef struct Editing {
    Editor *editor;   // at work; NULL: none is
    const Plan *plan;
    bool changed;
    int count;                // nodes that were pending, in the program's order
    Node *nodes[DEPTH_MAX];   // what is recorded after them is the editor's
    bool replaced[DEPTH_MAX], spare[DEPTH_MAX]; // by what the editor made; perhaps of no use any more
    uint16_t places[DEPTH_MAX]; // of the plan's nodes, among these
    Asked asked[VIEWS_MAX];   // of the plan's storages, by number
    uint64_t settled[SETTLED_KEYS];
} Editing;

// Installs an editor, borrowed, or none with NULL. False: no memory.
bool engine_edit(Vm *vm, Editor *editor);
// Shows what leads to the values of some storages (with count 0 all that is pending) to an editor now, without
// running it.
Status engine_edit_now(Vm *vm, Storage *const *storages, size_t count, Editor *editor);

// sched.c, before the plan is run. *changed: it has to be taken again.
Status plan_edit(Vm *vm, Plan *plan, Editor *editor, bool warns, bool *changed);
void editing_free(Vm *vm);
static inline bool is_editing(const struct Engine *engine) {
    return engine->editing && engine->editing->editor;
}

// --- For the editor, while it is at work ---------------------------------------------------------------

enum { EDIT_RESULT = -1 };

// What a node of the plan reads as its operand, or writes (EDIT_RESULT). Whoever makes nodes of it says so
// first with edit_ask.
const View *edit_view(const Vm *vm, int node, int operand);
void edit_ask(Vm *vm, int node, int operand);
// The node of the plan that has written just what another one reads; -1: none of them, or in parts.
int edit_writer(const Vm *vm, int node, int operand);
// Gives a node's result the values of a view, of the same shape and type, that the editor's nodes write, or
// that has them already. ValueError where what these nodes read has been overwritten at that place.
Status edit_replace(Vm *vm, int node, const View *with);
// What is wished for a node, together with what was; of numbers the new one.
void edit_wish(Vm *vm, int node, NodeWish wish);

#endif
