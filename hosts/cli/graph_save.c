// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writes plans as JSON.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_file.h"

static void put_numbers(const int64_t *numbers, int count, Text *out) {
    text_puts(out, "[");
    for (int i = 0; i < count; i++) text_printf(out, "%s%" PRId64, i ? ", " : "", numbers[i]);
    text_puts(out, "]");
}

static void put_float(double number, Text *out) {
    if (isnan(number)) text_puts(out, "\"nan\"");
    else if (isinf(number)) text_puts(out, number < 0 ? "\"-inf\"" : "\"inf\"");
    else text_printf(out, "%.17g", number);
}

// --- Storages ----------------------------------------------------------------------------------

static bool form_of_view(const NacreView *view, size_t bytes, Npy *out) {
    *out = (Npy){
        .dtype = view->dtype, .item = npy_item(view->dtype), .ndim = view->ndim, .bytes = bytes};
    int64_t stride = (int64_t)out->item;
    for (int d = view->ndim - 1; d >= 0; d--) {
        if (view->shape[d] > 1 && view->strides[d] != stride) return false;
        out->shape[d] = view->shape[d];
        stride *= view->shape[d];
    }
    return view->offset == 0 && stride == (int64_t)bytes;
}

// Returns the dtype and shape of an array: those of the script's variable, or of a node's view that covers the whole
// array; otherwise one dimension with the dtype of a node's view.
static Npy form_of(const KeptPlan *plan, int number) {
    const NacreStorage *storage = &plan->storages[number];
    Npy form;
    const char *dtype = NULL;
    if (storage->name && form_of_view(&storage->array, storage->bytes, &form)) return form;
    for (int n = 0; n < plan->node_count; n++) {
        const NacreNode *node = &plan->nodes[n];
        for (int i = 0; i <= node->operand_count; i++) {
            const NacreView *view =
                i < node->operand_count ? &node->operands[i].view : &node->result;
            bool scalar = i < node->operand_count && node->operands[i].is_scalar;
            if (scalar || view->storage != number) continue;
            if (form_of_view(view, storage->bytes, &form)) return form;
            if (storage->bytes % npy_item(view->dtype) == 0) dtype = view->dtype;
        }
    }
    if (!dtype) dtype = "uint8";
    size_t item = npy_item(dtype);
    return (Npy){.dtype = dtype, .item = item, .ndim = 1, .bytes = storage->bytes,
                 .shape = {(int64_t)(storage->bytes / item)}};
}

// Appends the name of an array: that of the variable, with a number if it is not unique.
static void put_name(const KeptPlan *plan, int number, Text *out) {
    const char *name = plan->storages[number].name;
    int before = 0;
    for (int i = 0; name && i < number; i++)
        before += plan->storages[i].name && strcmp(plan->storages[i].name, name) == 0;
    if (!name) text_printf(out, "array%d", number);
    else if (before) text_printf(out, "%s.%d", name, before + 1);
    else text_puts(out, name);
}

// Appends an input's elements, or writes them to a file beside the JSON file, which is named after it: for g.json and
// u, g.1.u.npy. Returns false with errno if the file cannot be written.
static bool put_data(const KeptPlan *plan, int number, const char *path, Text *out) {
    const NacreStorage *storage = &plan->storages[number];
    if (storage->bytes <= EMBEDDED_BYTES) {
        text_puts(out, ", \"data\": \"");
        base64_put(storage->data, storage->bytes, out);
        text_puts(out, "\"");
        return true;
    }
    Text file = {0};
    Npy form = form_of(plan, number);
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    text_add(&file, path, dot ? (size_t)(dot - path) : strlen(path));
    text_printf(&file, ".%" PRIu64 ".", plan->number + 1);
    put_name(plan, number, &file);
    text_puts(&file, ".npy");
    form.data = storage->data;
    bool done = !file.failed && npy_write(&form, file.bytes);
    if (done) {
        text_puts(out, ", \"file\": ");
        json_put_string(file.bytes + (slash ? slash + 1 - path : 0), out);
    }
    text_free(&file);
    return done;
}

// Returns whether an array is a result of the plan: a node writes it, and it is used outside the plan.
static bool is_result(const KeptPlan *plan, int number) {
    bool written = false;
    for (int n = 0; n < plan->node_count; n++) written |= plan->nodes[n].result.storage == number;
    return written && plan->storages[number].is_seen;
}

static bool put_storage(const KeptPlan *plan, int number, const char *path, Text *out) {
    const NacreStorage *storage = &plan->storages[number];
    Npy form = form_of(plan, number);
    Text name = {0};
    put_name(plan, number, &name);
    text_puts(out, "{\"name\": ");
    json_put_string(text_string(&name), out);
    text_free(&name);
    text_printf(out, ", \"bytes\": %zu, \"dtype\": \"%s\", \"shape\": ", storage->bytes,
                form.dtype);
    put_numbers(form.shape, form.ndim, out);
    text_printf(out, ", \"input\": %s, \"result\": %s", storage->is_input ? "true" : "false",
                is_result(plan, number) ? "true" : "false");
    bool done = !storage->data || put_data(plan, number, path, out);
    text_puts(out, "}");
    return done;
}

// --- Nodes -------------------------------------------------------------------------------------

static void put_view(const NacreView *view, Text *out) {
    text_printf(out, "{\"storage\": %d, \"dtype\": \"%s\", \"offset\": %" PRId64 ", \"shape\": ",
                view->storage, view->dtype, view->offset);
    put_numbers(view->shape, view->ndim, out);
    text_puts(out, ", \"strides\": ");
    put_numbers(view->strides, view->ndim, out);
    text_puts(out, "}");
}

static void put_operand(const NacreOperand *operand, Text *out) {
    const char *dtype = operand->view.dtype;
    if (!operand->is_scalar) {
        put_view(&operand->view, out);
        return;
    }
    text_puts(out, "{\"scalar\": ");
    if (strcmp(dtype, "bool") == 0) text_puts(out, operand->integer ? "true" : "false");
    else if (strncmp(dtype, "uint", 4) == 0)
        text_printf(out, "%" PRIu64, (uint64_t)operand->integer);
    else if (strncmp(dtype, "int", 3) == 0) text_printf(out, "%" PRId64, operand->integer);
    else if (strncmp(dtype, "complex", 7) == 0) {
        text_puts(out, "[");
        put_float(operand->real, out);
        text_puts(out, ", ");
        put_float(operand->imaginary, out);
        text_puts(out, "]");
    } else put_float(operand->real, out);
    text_printf(out, ", \"dtype\": \"%s\"}", dtype);
}

static void put_attributes(const NacreAttributes *a, Text *out) {
    int64_t axes[64];
    int count = 0;
    for (int i = 0; i < 64; i++)
        if (a->axes >> i & 1) axes[count++] = i;
    if (count) {
        text_puts(out, ", \"axes\": ");
        put_numbers(axes, count, out);
    }
    if (a->combine) text_printf(out, ", \"combine\": \"%s\"", a->combine);
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"step", a->step}, {"points", a->points}, {"axis", a->axis}, {"part", a->part}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value)
            text_printf(out, ", \"%s\": %" PRId64, numbers[i].name, numbers[i].value);
    const struct {
        const char *name;
        int value;
    } flags[] = {{"begun", a->begun},   {"right", a->right},   {"upper", a->upper},
                 {"or_nan", a->or_nan}, {"scalar", a->scalar}, {"quiet", a->quiet}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].value) text_printf(out, ", \"%s\": true", flags[i].name);
}

static void put_node(const NacreNode *node, Text *out) {
    text_printf(out, "{\"op\": \"%s\"", node->operation);
    if (node->attributes.loop) text_printf(out, ", \"loop\": \"%s\"", node->attributes.loop);
    put_attributes(&node->attributes, out);
    if (node->file) {
        text_puts(out, ", \"file\": ");
        json_put_string(node->file, out);
        text_printf(out, ", \"line\": %d", node->line);
    }
    text_puts(out, ",\n         \"inputs\": [");
    for (int i = 0; i < node->operand_count; i++) {
        if (i) text_puts(out, ",\n                    ");
        put_operand(&node->operands[i], out);
    }
    text_puts(out, "],\n         \"output\": ");
    put_view(&node->result, out);
    text_puts(out, "}");
}

// --- What passes decide ------------------------------------------------------------------------

static void put_stage(const KeptPlan *plan, const Stage *stage, Text *out) {
    static const char *const fates[] = {[NACRE_UNDECIDED] = "undecided",
                                        [NACRE_DROPPED] = "dropped",
                                        [NACRE_STORED] = "stored",
                                        [NACRE_INSIDE] = "inside"};
    text_printf(out, "{\"pass\": \"%s\", \"nodes\": [", stage_name(stage));
    for (int n = 0; n < plan->node_count; n++) {
        const NodeFate *fate = &stage->fates[n];
        text_printf(out, "%s\n         {\"fate\": \"%s\"", n ? "," : "", fates[fate->fate]);
        if (fate->group >= 0) text_printf(out, ", \"group\": %d", fate->group);
        if (fate->kernel >= 0) text_printf(out, ", \"kernel\": %d", fate->kernel);
        if (*fate->why) text_printf(out, ", \"why\": \"%s\"", fate->why);
        if (fate->why_node >= 0) text_printf(out, ", \"why_node\": %d", fate->why_node);
        text_puts(out, "}");
    }
    text_puts(out, "]}");
}

// --- All of it ---------------------------------------------------------------------------------

static bool put_plan(const KeptPlan *plan, const char *path, Text *out) {
    static const char *const uses[] = {"made", "reused", "single"};
    bool done = true;
    text_printf(out,
                "  {\"plan\": %" PRIu64 ", \"runs\": %" PRIu64
                ", \"use\": \"%s\",\n    \"storages\": [",
                plan->number + 1, plan->runs, uses[plan->use]);
    for (int i = 0; done && i < plan->storage_count; i++) {
        text_puts(out, i ? ",\n        " : "\n        ");
        done = put_storage(plan, i, path, out);
    }
    text_puts(out, "],\n    \"nodes\": [");
    for (int i = 0; i < plan->node_count; i++) {
        text_puts(out, i ? ",\n        " : "\n        ");
        put_node(&plan->nodes[i], out);
    }
    text_puts(out, "],\n    \"passes\": [");
    for (int s = 0; s < plan->stage_count; s++) {
        if (s) text_puts(out, ",\n      ");
        put_stage(plan, &plan->stages[s], out);
    }
    text_puts(out, "]}");
    return done;
}

int graph_save(const Plans *plans, const Drawing *drawing, const char *path, Text *out) {
    int written = 0;
    text_printf(out, "{\"nacre_graph\": %d,\n \"source\": ", GRAPH_VERSION);
    json_put_string(drawing->title, out);
    text_puts(out, ",\n \"plans\": [\n");
    for (size_t i = 0; i < plans->count; i++) {
        if (!drawing_takes(drawing, &plans->plans[i])) continue;
        if (written++) text_puts(out, ",\n");
        if (!put_plan(&plans->plans[i], path, out)) return -1;
    }
    text_puts(out, "\n ]}\n");
    return written;
}
