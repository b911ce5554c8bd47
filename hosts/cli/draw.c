// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Plans as pictures in Graphviz's language: operations are rounded boxes, arrays that outlive the plan are square
// boxes, and kernels of several operations are areas.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plans.h"
#include "record.h"

// A plan after a pass.
typedef struct Canvas {
    const KeptPlan *plan;
    const Stage *stage;
    int place;     // index among the drawn plans, which is part of each id
    bool *boxed;   // by storage: whether it is drawn
    int *versions; // by storage: number of writes so far
    int *writers;  // by storage: the node that wrote it last; -1: none
    Text *out, *edges;
} Canvas;

static const char ink[] = "#1f2933", faint[] = "#52606d";
static const char *const areas[] = {"#e8f0fb", "#e9f6ec", "#fdf3e1",
                                    "#f3ecfa", "#fbeaea", "#e6f6f6"};

// --- Text --------------------------------------------------------------------------------------

static void put_escaped(const char *text, Text *out) {
    for (; *text; text++) {
        if (*text == '&') text_puts(out, "&amp;");
        else if (*text == '<') text_puts(out, "&lt;");
        else if (*text == '>') text_puts(out, "&gt;");
        else if (*text == '"') text_puts(out, "&quot;");
        else text_add(out, text, 1);
    }
}

static void put_faint(Text *out, const char *text) {
    text_printf(out, "<br/><font point-size=\"8\" color=\"%s\">", faint);
    put_escaped(text, out);
    text_puts(out, "</font>");
}

static void put_number(double number, Text *out) {
    text_printf(out, "%.6g", number);
}

static void put_scalar(const NacreOperand *operand, Text *out) {
    const char *dtype = operand->view.dtype;
    if (strcmp(dtype, "bool") == 0) text_puts(out, operand->integer ? "True" : "False");
    else if (strncmp(dtype, "uint", 4) == 0)
        text_printf(out, "%" PRIu64, (uint64_t)operand->integer);
    else if (strncmp(dtype, "int", 3) == 0) text_printf(out, "%" PRId64, operand->integer);
    else put_number(operand->real, out);
    if (strncmp(dtype, "complex", 7) == 0) text_printf(out, "%+.6gj", operand->imaginary);
}

static void put_operation(const NacreNode *node, Text *out) {
    bool scalars = false;
    put_escaped(record_name(node), out);
    for (int i = 0; i < node->operand_count; i++) scalars |= node->operands[i].is_scalar;
    if (!scalars) return;
    for (int i = 0; i < node->operand_count; i++) {
        text_puts(out, i ? ", " : " (");
        if (node->operands[i].is_scalar) put_scalar(&node->operands[i], out);
        else text_puts(out, "·");
    }
    text_puts(out, ")");
}

static void put_view(const NacreView *view, Text *out) {
    Text text = {0};
    record_view(view, &text);
    put_faint(out, text_string(&text));
    text_free(&text);
}

// --- Operations --------------------------------------------------------------------------------

static void put_style(const Canvas *c, int at) {
    NacreFate fate = c->stage->fates[at].fate;
    const char *fill = fate == NACRE_INSIDE ? "#d9dee4" : "#ffffff", *line = ink,
               *style = "rounded,filled";
    const char *text = ink;
    if (fate == NACRE_DROPPED) {
        fill = "#fafafa";
        line = text = "#a0a8b0";
        style = "rounded,filled,dashed";
    } else if (fate == NACRE_INSIDE) line = "#b3bcc6", text = "#52606d";
    text_printf(c->out, ", style=\"%s\", fillcolor=\"%s\", color=\"%s\", fontcolor=\"%s\"", style,
                fill, line, text);
}

static void put_node(const Canvas *c, int at) {
    const NacreNode *node = &c->plan->nodes[at];
    const NodeFate *fate = &c->stage->fates[at];
    text_printf(c->out, "    n%d_%d [label=<<b>", c->place, at);
    put_operation(node, c->out);
    text_puts(c->out, "</b>");
    put_view(&node->result, c->out);
    if (node->file)
        text_printf(c->out, "<font point-size=\"8\" color=\"%s\">  line %d</font>", faint,
                    node->line);
    if (fate->fate == NACRE_DROPPED) put_faint(c->out, "dropped: nobody looks");
    text_puts(c->out, ">");
    put_style(c, at);
    if (*fate->why) {
        text_puts(c->out, ", tooltip=\"");
        put_escaped(fate->why, c->out);
        if (fate->why_node >= 0)
            text_printf(c->out, " %s, line %d", record_name(&c->plan->nodes[fate->why_node]),
                        c->plan->nodes[fate->why_node].line);
        text_puts(c->out, "\"");
    }
    text_puts(c->out, "];\n");
}

// Returns the number of the area that a node is drawn in: its kernel, or before kernels are decided its group.
static int area_of(const Canvas *c, int at) {
    const NodeFate *fate = &c->stage->fates[at];
    return fate->kernel >= 0 ? fate->kernel : fate->group;
}

static void put_nodes(const Canvas *c) {
    for (int at = 0; at < c->plan->node_count; at++) {
        int area = area_of(c, at), members = 0, first = at;
        for (int n = 0; n < c->plan->node_count; n++) {
            if (area_of(c, n) != area || area < 0) continue;
            if (n < first) first = n;
            members++;
        }
        if (first < at) continue; // drawn with its area
        const char *routine = c->stage->fates[at].routine;
        if (members < 2) {
            put_node(c, at);
            continue;
        }
        text_printf(
            c->out,
            "  subgraph cluster_%d_%d {\n    label=\"%s %d%s%s\"; style=\"rounded,filled\"; "
            "color=\"#9fb3c8\"; fillcolor=\"%s\"; fontcolor=\"%s\"; fontsize=9; margin=8;\n",
            c->place, area, c->stage->fates[at].kernel >= 0 ? "kernel" : "group", area + 1,
            routine ? ": " : "", routine ? routine : "",
            areas[area % (int)(sizeof areas / sizeof *areas)], faint);
        for (int n = at; n < c->plan->node_count; n++)
            if (area_of(c, n) == area) put_node(c, n);
        text_puts(c->out, "  }\n");
    }
}

// --- Arrays ------------------------------------------------------------------------------------

// Decides which arrays are drawn: those that are seen outside the plan, inputs, and those that are written more than
// once.
static void find_boxes(const Canvas *c) {
    int count = c->plan->storage_count;
    for (int i = 0; i < count; i++) {
        c->boxed[i] = c->plan->storages[i].is_input || c->plan->storages[i].is_seen;
        c->versions[i] = 0;
        c->writers[i] = -1;
    }
    for (int n = 0; n < c->plan->node_count; n++) {
        int to = c->plan->nodes[n].result.storage;
        if (to < 0) continue;
        c->boxed[to] |= c->versions[to]++ > 0;
    }
    for (int i = 0; i < count; i++) c->versions[i] = 0;
}

static const NacreView *some_view(const Canvas *c, int storage) {
    const NacreStorage *of = &c->plan->storages[storage];
    if (of->name) return &of->array;
    const NacreView *best = NULL;
    int64_t most = -1;
    for (int n = 0; n < c->plan->node_count; n++) {
        const NacreNode *node = &c->plan->nodes[n];
        for (int i = 0; i <= node->operand_count; i++) {
            const NacreView *view =
                i < node->operand_count ? &node->operands[i].view : &node->result;
            int64_t size = 1;
            if ((i < node->operand_count && node->operands[i].is_scalar) ||
                view->storage != storage)
                continue;
            for (int d = 0; d < view->ndim; d++) size *= view->strides[d] ? view->shape[d] : 1;
            if (size > most) best = view, most = size;
        }
    }
    return best;
}

static void put_box(const Canvas *c, int storage, int writer) {
    const NacreStorage *of = &c->plan->storages[storage];
    const NacreView *view = some_view(c, storage);
    text_printf(c->out,
                "  a%d_%d_%d [shape=box, style=filled, fillcolor=\"#fff8dc\", color=\"#8d6e2f\", "
                "label=<<b>",
                c->place, storage, c->versions[storage]);
    if (of->name) put_escaped(of->name, c->out);
    else text_puts(c->out, "unnamed");
    text_puts(c->out, "</b>");
    if (view) put_view(view, c->out);
    if (writer >= 0 && c->plan->nodes[writer].file && of->is_input) {
        char text[64];
        snprintf(text, sizeof text, "after line %d", c->plan->nodes[writer].line);
        put_faint(c->out, text);
    }
    text_puts(c->out, ">];\n");
}

// --- Edges -------------------------------------------------------------------------------------

static bool is_dropped(const Canvas *c, int at) {
    return c->stage->fates[at].fate == NACRE_DROPPED;
}

static void end_edge(const Canvas *c, const Text *label, bool dropped) {
    text_puts(c->edges, " [");
    if (label->len) {
        text_puts(c->edges, "label=\"");
        put_escaped(text_string(label), c->edges);
        text_puts(c->edges, "\"");
    }
    if (dropped) text_puts(c->edges, " style=dashed color=\"#c0c6cc\"");
    text_puts(c->edges, "];\n");
}

// Appends the regions of an array that a node reads, one per line; nothing if it only reads the whole array.
static void put_regions(const Canvas *c, const NacreNode *node, int storage, Text *out) {
    int count = 0, whole = 0;
    for (int i = 0; i < node->operand_count; i++) {
        Text region = {0};
        if (node->operands[i].is_scalar || node->operands[i].view.storage != storage) continue;
        region_put(c->plan, &node->operands[i].view, &region);
        whole += region.len == 0;
        text_printf(out, "%s%s", count++ ? "\\n" : "", region.len ? region.bytes : "all");
        text_free(&region);
    }
    if (whole == count) text_clear(out);
}

// Draws an edge from each array, or from the node that wrote it, to the node that reads it.
static void put_reads(const Canvas *c, int at) {
    const NacreNode *node = &c->plan->nodes[at];
    for (int i = 0; i < node->operand_count; i++) {
        const NacreView *view = &node->operands[i].view;
        bool before = false;
        if (node->operands[i].is_scalar || view->storage < 0) continue;
        for (int j = 0; j < i; j++)
            before |=
                !node->operands[j].is_scalar && node->operands[j].view.storage == view->storage;
        if (before || (!c->boxed[view->storage] && c->writers[view->storage] < 0)) continue;
        if (c->boxed[view->storage])
            text_printf(c->edges, "  a%d_%d_%d", c->place, view->storage,
                        c->versions[view->storage]);
        else text_printf(c->edges, "  n%d_%d", c->place, c->writers[view->storage]);
        text_printf(c->edges, " -> n%d_%d", c->place, at);
        Text label = {0};
        put_regions(c, node, view->storage, &label);
        end_edge(c, &label, is_dropped(c, at));
        text_free(&label);
    }
}

// Draws an edge from a node to the new version of the array that it writes. If it writes only a part, a dotted edge
// from the previous version shows where the other elements come from.
static void put_write(const Canvas *c, int at) {
    const NacreView *view = &c->plan->nodes[at].result;
    int to = view->storage, before = to < 0 ? 0 : c->versions[to];
    Text region = {0};
    if (to < 0) return;
    c->writers[to] = at;
    if (!c->boxed[to]) return;
    c->versions[to]++;
    put_box(c, to, at);
    text_printf(c->edges, "  n%d_%d -> a%d_%d_%d", c->place, at, c->place, to, c->versions[to]);
    region_put(c->plan, view, &region);
    end_edge(c, &region, is_dropped(c, at));
    if (region.len && (before > 0 || c->plan->storages[to].is_input))
        text_printf(c->edges,
                    "  a%d_%d_%d -> a%d_%d_%d [style=dotted, arrowhead=none, color=\"#a8904a\"];\n",
                    c->place, to, before, c->place, to, before + 1);
    text_free(&region);
}

static bool is_used(const Canvas *c, int storage) {
    for (int n = 0; n < c->plan->node_count; n++) {
        const NacreNode *node = &c->plan->nodes[n];
        for (int i = 0; i < node->operand_count; i++)
            if (!node->operands[i].is_scalar && node->operands[i].view.storage == storage)
                return true;
        if (node->result.storage != storage) continue;
        Text region = {0};
        region_put(c->plan, &node->result, &region);
        bool whole = region.len == 0;
        text_free(&region);
        return !whole;
    }
    return false;
}

static void put_graph(const Canvas *c) {
    find_boxes(c);
    for (int i = 0; i < c->plan->storage_count; i++)
        if (c->boxed[i] && c->plan->storages[i].is_input && is_used(c, i)) put_box(c, i, -1);
    for (int at = 0; at < c->plan->node_count; at++) {
        put_reads(c, at);
        put_write(c, at);
    }
    put_nodes(c);
}

// --- Plans -------------------------------------------------------------------------------------

static void put_title(const KeptPlan *plan, const Stage *stage, Text *out) {
    text_printf(out, "plan %" PRIu64 ", ", plan->number + 1);
    if (plan->use == NACRE_PLAN_SINGLE) text_puts(out, "nothing to be fused");
    else text_puts(out, stage->pass ? "after " : "");
    if (plan->use != NACRE_PLAN_SINGLE) put_escaped(stage_name(stage), out);
    text_printf(out, ", ran %" PRIu64 " time%s", plan->runs, plan->runs == 1 ? "" : "s");
}

static bool draw_stage(const KeptPlan *plan, const Stage *stage, int place, Text *out) {
    size_t count = (size_t)plan->storage_count + 1;
    Text edges = {0};
    Canvas c = {.plan = plan, .stage = stage, .place = place, .out = out, .edges = &edges};
    c.boxed = calloc(count, sizeof *c.boxed);
    c.versions = calloc(count, sizeof *c.versions);
    c.writers = calloc(count, sizeof *c.writers);
    bool done = c.boxed && c.versions && c.writers;
    if (done) {
        text_printf(out, "subgraph cluster_plan%d {\n  label=<", place);
        put_title(plan, stage, out);
        text_printf(out,
                    ">; labeljust=l; fontsize=11; style=rounded; color=\"#cbd2d9\"; "
                    "fontcolor=\"%s\"; margin=12;\n",
                    ink);
        put_graph(&c);
        text_add(out, text_string(&edges), edges.len);
        text_puts(out, "}\n");
    }
    done = done && !edges.failed;
    text_free(&edges);
    free(c.boxed);
    free(c.versions);
    free(c.writers);
    return done;
}

static bool is_wanted(const Drawing *drawing, const KeptPlan *plan, int stage) {
    const char *pass = drawing->pass;
    if (!pass || plan->stage_count == 1) return stage == plan->stage_count - 1;
    return strcmp(pass, "all") == 0 || strcmp(pass, stage_name(&plan->stages[stage])) == 0;
}

bool drawing_takes(const Drawing *drawing, const KeptPlan *plan) {
    if (plan->stage_count == 0 || (drawing->plan >= 0 && (uint64_t)drawing->plan != plan->number))
        return false;
    for (int n = 0; n < plan->node_count; n++)
        if (plan->nodes[n].line == drawing->line) return true;
    return drawing->line == 0;
}

static bool is_pass(const char *name) {
    const char *known, *doc;
    if (!name || strcmp(name, "all") == 0 || strcmp(name, "recorded") == 0) return true;
    for (int i = 0; nacre_pass(i, &known, &doc); i++)
        if (strcmp(known, name) == 0) return true;
    return false;
}

int draw_plans(const Plans *plans, const Drawing *drawing, Text *out, int *left_out) {
    int drawn = 0, place = 0;
    *left_out = 0;
    if (!is_pass(drawing->pass)) return -1;
    text_puts(out,
              "digraph plans {\n"
              "graph [fontname=\"Helvetica\", nodesep=0.25, ranksep=0.35, newrank=true, label=<");
    put_escaped(drawing->title, out);
    text_printf(out, ">, labelloc=t, fontsize=13, fontcolor=\"%s\"];\n", ink);
    text_printf(
        out,
        "node [fontname=\"Helvetica\", fontsize=10, shape=box, margin=\"0.08,0.04\", height=0.3, "
        "penwidth=0.9, fontcolor=\"%s\"];\n"
        "edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.55, penwidth=0.8, "
        "color=\"#52606d\", "
        "fontcolor=\"#3e5c76\"];\n",
        ink);
    for (size_t i = 0; i < plans->count; i++) {
        const KeptPlan *plan = &plans->plans[i];
        if (!drawing_takes(drawing, plan)) continue;
        if (drawn == drawing->most) {
            ++*left_out;
            continue;
        }
        drawn++;
        for (int s = 0; s < plan->stage_count; s++)
            if (is_wanted(drawing, plan, s) && !draw_stage(plan, &plan->stages[s], place++, out))
                out->failed = true;
    }
    text_puts(out, "}\n");
    return drawn;
}
