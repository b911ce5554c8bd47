// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Plans kept for drawing and saving: copies of what the library shows of them after each pass.

#ifndef NACRE_HOSTS_CLI_PLANS_H
#define NACRE_HOSTS_CLI_PLANS_H

#include <stdbool.h>
#include <stdint.h>

#include "nacre/nacre.h"
#include "text.h"

// Decisions about a node after a pass.
typedef struct NodeFate {
    NacreFate fate;
    int group, kernel, why_node;
    const char *why, *routine; // static texts of the library
} NodeFate;

typedef struct Stage {
    const char *pass; // static text of the library; NULL: before the first pass
    NodeFate *fates;  // owned; one entry per node
} Stage;

enum { STAGES_MAX = 16 };

typedef struct KeptPlan {
    uint64_t number, runs;
    NacreUse use;
    int node_count, storage_count, stage_count;
    NacreNode *nodes;       // owned, including file, shapes and strides; decisions are in `stages`
    NacreStorage *storages; // owned, including name, data and shapes
    Stage stages[STAGES_MAX];
} KeptPlan;

typedef struct Plans {
    NacreVm *vm;
    KeptPlan *plans; // indexed by plan number
    size_t count, cap;
    bool failed;     // memory ran out, so plans are incomplete
} Plans;

// Starts watching. *plans must be zeroed. `data`: keep the elements of inputs too. Returns false if the VM cannot be
// watched.
bool plans_start(Plans *plans, NacreVm *vm, bool data);
void plans_free(Plans *plans);

const char *stage_name(const Stage *stage); // returns the pass's name; "recorded" before the first pass

// region.c: Appends which elements of the array a view covers, such as "[1:-1, 0]" or ".T". Appends nothing if it
// covers all of them, and only an offset or a number of elements if the view is no slice of the array.
void region_put(const KeptPlan *plan, const NacreView *view, Text *out);

// draw.c: Selects the plans and stages that a picture shows.
typedef struct Drawing {
    const char *title;
    const char *pass; // name of a pass, "recorded" or "all"; NULL: the last pass
    long plan;        // number of the plan; -1: all
    long line;        // only plans with a node of this line; 0: all
    int most;         // maximum number of plans
} Drawing;
// Appends a picture in Graphviz's language. Returns the number of plans drawn, or -1 for an unknown pass. Sets
// *left_out to the number of further plans.
int draw_plans(const Plans *plans, const Drawing *drawing, Text *out, int *left_out);
bool drawing_takes(const Drawing *drawing, const KeptPlan *plan);

// svg.c: Loads Graphviz when it is first needed. Returns its name; NULL: not available.
const char *svg_library(void);
// Writes a picture in Graphviz's language as an SVG file. Returns false if it cannot be laid out or written.
bool svg_write(const char *dot, const char *path);

#endif
