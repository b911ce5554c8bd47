// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Plans kept for drawing and saving: copies of what the library shows of them, after each pass.

#ifndef NACRE_HOSTS_CLI_PLANS_H
#define NACRE_HOSTS_CLI_PLANS_H

#include <stdbool.h>
#include <stdint.h>

#include "nacre/nacre.h"
#include "text.h"

// What a node looks like after a pass.
typedef struct NodeFate {
    NacreFate fate;
    int group, kernel, why_node;
    const char *why, *routine; // the library's
} NodeFate;

typedef struct Stage {
    const char *pass; // the library's; NULL: before the first one
    NodeFate *fates;  // owned, one for each node
} Stage;

enum { STAGES_MAX = 16 };

typedef struct KeptPlan {
    uint64_t number, runs;
    NacreUse use;
    int node_count, storage_count, stage_count;
    NacreNode *nodes;       // owned, with file, shapes and strides; fates are in the stages
    NacreStorage *storages; // owned, with name, data and shapes
    Stage stages[STAGES_MAX];
} KeptPlan;

typedef struct Plans {
    NacreVm *vm;
    KeptPlan *plans; // by number
    size_t count, cap;
    bool failed;     // memory ran out: something is missing
} Plans;

// Begins to watch; the rest is zeroed first. `data`: elements of inputs are kept too.
bool plans_start(Plans *plans, NacreVm *vm, bool data);
void plans_free(Plans *plans);

const char *stage_name(const Stage *stage); // "recorded" before the first pass

// region.c: which elements of the array a view shows, "[1:-1, 0]"; nothing where it shows all of them,
// or its place where that is all that can be said.
void region_put(const KeptPlan *plan, const NacreView *view, Text *out);

// draw.c. Which plans and stages a picture shows.
typedef struct Drawing {
    const char *title;
    const char *pass; // its name, "recorded", "all"; NULL: the last one
    long plan;        // -1: all
    long line;        // 0: all; otherwise plans with a node of that line
    int most;         // plans at most
} Drawing;
// Adds a picture in Graphviz's language; the number of plans drawn, -1 for an unknown pass. *left_out:
// how many more there are.
int draw_plans(const Plans *plans, const Drawing *drawing, Text *out, int *left_out);
bool drawing_takes(const Drawing *drawing, const KeptPlan *plan);

// svg.c: Graphviz, opened when it is first needed; NULL: it is not there.
const char *svg_library(void);
// Makes a file of a picture in Graphviz's language. False: it cannot be laid out or written.
bool svg_write(const char *dot, const char *path);

#endif
