// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reads graphs from JSON. Each field must have the right type and range, and unknown fields are errors. The library
// checks whether the operations are valid.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_file.h"

enum { DIMS_MOST = 64, OPERANDS = sizeof((NacreNode *)0)->operands / sizeof(NacreOperand), INT_MOST = 1 << 30 };

typedef struct Loader {
    LoadedGraph *out;
    char place[96]; // of the element that is read: "nodes[3].inputs[0]"
    bool failed;
} Loader;

static bool fail(Loader *l, const char *key, const char *wanted) {
    if (l->failed) return false;
    l->failed = true;
    text_printf(&l->out->problem, "%s%s%s: %s", l->place, *l->place && *key ? "." : "", key,
                wanted);
    return false;
}

// --- Fields ------------------------------------------------------------------------------------

static bool check_keys(Loader *l, const Json *object, const char *const *known) {
    if (!object || object->kind != JSON_OBJECT) return fail(l, "", "an object is wanted");
    for (size_t i = 0; i < object->count; i++) {
        const char *const *at = known;
        while (*at && strcmp(*at, object->keys[i]) != 0) at++;
        if (!*at) return fail(l, object->keys[i], "this key is not known");
    }
    return true;
}

static bool to_integer(const Json *json, int64_t *out) {
    if (!json || json->kind != JSON_INTEGER || (!json->negative && json->bits > INT64_MAX))
        return false;
    *out = (int64_t)json->bits;
    return true;
}

static bool integer(Loader *l, const Json *object, const char *key, bool needed, int64_t least,
                    int64_t most, int64_t *out) {
    const Json *json = json_get(object, key);
    *out = 0;
    if (!json && !needed) return true;
    if (to_integer(json, out) && *out >= least && *out <= most) return true;
    return fail(l, key, json ? "an integer in range is wanted" : "is missing");
}

static bool flag(Loader *l, const Json *object, const char *key, int *out) {
    const Json *json = json_get(object, key);
    *out = json && json->truth;
    return !json || json->kind == JSON_BOOL || fail(l, key, "true or false is wanted");
}

static bool string(Loader *l, const Json *object, const char *key, bool needed, const char **out) {
    const Json *json = json_get(object, key);
    *out = json ? json->text : NULL;
    if (json ? json->kind == JSON_STRING : !needed) return true;
    return fail(l, key, json ? "a string is wanted" : "is missing");
}

static bool list(Loader *l, const Json *object, const char *key, size_t most, const Json **out) {
    *out = json_get(object, key);
    if (*out && (*out)->kind == JSON_ARRAY && (*out)->count <= most) return true;
    return fail(l, key,
                !*out                        ? "is missing"
                : (*out)->kind != JSON_ARRAY ? "a list is wanted"
                                             : "is too long");
}

static bool dtype(Loader *l, const Json *object, const char *key, const char **out) {
    return string(l, object, key, true, out) &&
           (npy_item(*out) || fail(l, key, "there is no such dtype"));
}

// --- Storages ----------------------------------------------------------------------------------

static bool load_data(Loader *l, const Json *json, NacreStorage *storage, GraphArray *array) {
    const char *data;
    if (!string(l, json, "data", false, &data) || !string(l, json, "file", false, &array->file))
        return false;
    if (data && array->file) return fail(l, "file", "there are data already");
    if (storage->is_input && !data && !array->file)
        return fail(l, "data", "an input without data or file");
    if (!storage->is_input && (data || array->file))
        return fail(l, "input", "there are data, but this is no input");
    if (array->file && (!*array->file || strchr(array->file, '/')))
        return fail(l, "file", "the name of a file beside this one is wanted");
    if (!data) return true;
    if (strlen(data) / 4 * 3 + 3 < storage->bytes) return fail(l, "data", "other bytes are wanted");
    array->data = malloc(storage->bytes + 1);
    if (!array->data) return fail(l, "data", "out of memory");
    storage->data = array->data;
    return base64_read(data, array->data, storage->bytes) ||
           fail(l, "data", "other bytes are wanted");
}

static bool load_form(Loader *l, const Json *json, size_t bytes, Npy *form) {
    const Json *shape;
    if (!dtype(l, json, "dtype", &form->dtype) || !list(l, json, "shape", NPY_DIMS, &shape))
        return false;
    form->item = npy_item(form->dtype);
    form->ndim = (int)shape->count;
    __int128 all = (__int128)form->item;
    for (int d = 0; d < form->ndim; d++) {
        if (!to_integer(&shape->items[d], &form->shape[d]) || form->shape[d] < 0)
            return fail(l, "shape", "extents are wanted");
        all *= form->shape[d];
        if (all > INT64_MAX) return fail(l, "shape", "is too large");
    }
    form->bytes = bytes;
    return all == (__int128)bytes ||
           fail(l, "shape", "another number of bytes than the storage has");
}

static bool load_storage(Loader *l, const Json *json, int number) {
    static const char *const known[] = {"name",   "bytes", "dtype", "shape", "input",
                                        "result", "data",  "file",  NULL};
    NacreStorage *storage = &l->out->storages[number];
    GraphArray *array = &l->out->arrays[number];
    int64_t bytes;
    snprintf(l->place, sizeof l->place, "storages[%d]", number);
    *storage = (NacreStorage){.struct_size = sizeof *storage};
    bool done = check_keys(l, json, known) && string(l, json, "name", true, &array->name) &&
                integer(l, json, "bytes", true, 0, INT64_MAX, &bytes) &&
                flag(l, json, "input", &storage->is_input) &&
                flag(l, json, "result", &storage->is_seen);
    if (!done) return false;
    for (int i = 0; i < number; i++)
        if (strcmp(l->out->arrays[i].name, array->name) == 0)
            return fail(l, "name", "is another one's too");
    storage->bytes = (size_t)bytes;
    storage->name = array->name;
    return load_form(l, json, storage->bytes, &array->form) && load_data(l, json, storage, array);
}

// --- Nodes -------------------------------------------------------------------------------------

static const int64_t *load_numbers(Loader *l, const Json *json, const char *key, int *count) {
    const Json *numbers;
    LoadedGraph *out = l->out;
    if (!list(l, json, key, DIMS_MOST, &numbers)) return NULL;
    int64_t *at = out->numbers + out->number_count;
    *count = (int)numbers->count;
    for (int i = 0; i < *count; i++)
        if (!to_integer(&numbers->items[i], &at[i]))
            return fail(l, key, "integers are wanted"), NULL;
    out->number_count += numbers->count;
    return at;
}

static bool load_view(Loader *l, const Json *json, NacreView *view) {
    static const char *const known[] = {"storage", "dtype", "offset", "shape", "strides", NULL};
    int64_t storage;
    int strides = 0;
    bool done = check_keys(l, json, known) &&
                integer(l, json, "storage", true, 0, l->out->graph.storage_count - 1, &storage) &&
                dtype(l, json, "dtype", &view->dtype) &&
                integer(l, json, "offset", true, 0, INT64_MAX, &view->offset) &&
                (view->shape = load_numbers(l, json, "shape", &view->ndim)) &&
                (view->strides = load_numbers(l, json, "strides", &strides));
    if (!done) return false;
    view->storage = (int)storage;
    return strides == view->ndim || fail(l, "strides", "as many as the shape has are wanted");
}

static bool to_float(const Json *json, double *out) {
    static const struct {
        const char *name;
        double value;
    } names[] = {{"inf", __builtin_inf()}, {"-inf", -__builtin_inf()}, {"nan", __builtin_nan("")}};
    *out = json->number;
    if (json->kind == JSON_INTEGER || json->kind == JSON_NUMBER) return true;
    for (int i = 0; json->kind == JSON_STRING && i < 3; i++)
        if (strcmp(json->text, names[i].name) == 0) return *out = names[i].value, true;
    return false;
}

static bool load_scalar(Loader *l, const Json *json, NacreOperand *to) {
    static const char *const known[] = {"scalar", "dtype", NULL};
    const Json *value = json_get(json, "scalar");
    if (!check_keys(l, json, known) || !dtype(l, json, "dtype", &to->view.dtype)) return false;
    const char *type = to->view.dtype;
    to->is_scalar = 1;
    bool right;
    if (strcmp(type, "bool") == 0) {
        right = value->kind == JSON_BOOL;
        to->integer = value->truth;
    } else if (strncmp(type, "uint", 4) == 0) {
        right = value->kind == JSON_INTEGER && !value->negative;
        to->integer = (int64_t)value->bits;
    } else if (strncmp(type, "int", 3) == 0) right = to_integer(value, &to->integer);
    else if (strncmp(type, "complex", 7) == 0)
        right = value->kind == JSON_ARRAY && value->count == 2 &&
                to_float(&value->items[0], &to->real) && to_float(&value->items[1], &to->imaginary);
    else right = to_float(value, &to->real);
    return right || fail(l, "scalar", "a value of its dtype is wanted");
}

static bool load_axes(Loader *l, const Json *json, uint64_t *out) {
    const Json *axes;
    int64_t axis;
    *out = 0;
    if (!json_get(json, "axes")) return true;
    if (!list(l, json, "axes", DIMS_MOST, &axes)) return false;
    for (size_t i = 0; i < axes->count; i++) {
        if (!to_integer(&axes->items[i], &axis) || axis < 0 || axis >= DIMS_MOST ||
            *out >> axis & 1)
            return fail(l, "axes", "different numbers of axes are wanted");
        *out |= (uint64_t)1 << axis;
    }
    return true;
}

static bool load_attributes(Loader *l, const Json *json, NacreAttributes *to) {
    int64_t axis, part;
    bool done = load_axes(l, json, &to->axes) && dtype(l, json, "loop", &to->loop) &&
                string(l, json, "combine", false, &to->combine) &&
                integer(l, json, "step", false, INT64_MIN, INT64_MAX, &to->step) &&
                integer(l, json, "points", false, INT64_MIN, INT64_MAX, &to->points) &&
                integer(l, json, "axis", false, -DIMS_MOST, DIMS_MOST, &axis) &&
                integer(l, json, "part", false, 0, 255, &part) &&
                flag(l, json, "begun", &to->begun) && flag(l, json, "right", &to->right) &&
                flag(l, json, "upper", &to->upper) && flag(l, json, "or_nan", &to->or_nan) &&
                flag(l, json, "scalar", &to->scalar) && flag(l, json, "quiet", &to->quiet);
    if (!done) return false;
    to->axis = (int)axis;
    to->part = (int)part;
    return true;
}

static bool load_node(Loader *l, const Json *json, int number) {
    static const char *const known[] = {
        "op",    "loop",  "inputs", "output", "axes",   "combine", "step", "points", "axis", "part",
        "begun", "right", "upper",  "or_nan", "scalar", "quiet",   "file", "line",   NULL};
    NacreNode *node = &l->out->nodes[number];
    const Json *inputs;
    const char *file;
    int64_t line;
    snprintf(l->place, sizeof l->place, "nodes[%d]", number);
    *node = (NacreNode){.struct_size = sizeof *node};
    bool done = check_keys(l, json, known) && string(l, json, "op", true, &node->operation) &&
                string(l, json, "file", false, &file) &&
                integer(l, json, "line", false, 0, INT_MOST, &line) &&
                load_attributes(l, json, &node->attributes) &&
                list(l, json, "inputs", OPERANDS, &inputs);
    if (!done) return false;
    node->operand_count = (int)inputs->count;
    for (int i = 0; done && i < node->operand_count; i++) {
        snprintf(l->place, sizeof l->place, "nodes[%d].inputs[%d]", number, i);
        const Json *input = &inputs->items[i];
        done = json_get(input, "scalar") ? load_scalar(l, input, &node->operands[i])
                                         : load_view(l, input, &node->operands[i].view);
    }
    snprintf(l->place, sizeof l->place, "nodes[%d].output", number);
    return done && load_view(l, json_get(json, "output"), &node->result);
}

// --- All of it ---------------------------------------------------------------------------------

static bool make_room(Loader *l, size_t storages, size_t nodes) {
    LoadedGraph *out = l->out;
    out->number_cap = nodes * (OPERANDS + 1) * 2 * DIMS_MOST;
    out->storages = calloc(storages + 1, sizeof *out->storages);
    out->arrays = calloc(storages + 1, sizeof *out->arrays);
    out->nodes = calloc(nodes + 1, sizeof *out->nodes);
    out->numbers = calloc(out->number_cap + 1, sizeof *out->numbers);
    return (out->storages && out->arrays && out->nodes && out->numbers) ||
           fail(l, "", "out of memory");
}

static const Json *find_plan(Loader *l, const Json *tree, long number) {
    static const char *const known[] = {"nacre_graph", "source", "plans", NULL};
    static const char *const of_plan[] = {"plan",  "runs",   "use", "storages",
                                          "nodes", "passes", NULL};
    const Json *plans;
    const char *source;
    int64_t version;
    if (!check_keys(l, tree, known) || !string(l, tree, "source", false, &source) ||
        !integer(l, tree, "nacre_graph", true, GRAPH_VERSION, GRAPH_VERSION, &version) ||
        !list(l, tree, "plans", INT_MOST, &plans))
        return NULL;
    for (size_t i = 0; i < plans->count; i++) {
        int64_t is;
        snprintf(l->place, sizeof l->place, "plans[%zu]", i);
        if (!check_keys(l, &plans->items[i], of_plan) ||
            !integer(l, &plans->items[i], "plan", true, 1, INT64_MAX, &is))
            return NULL;
        if (number < 0 || is == number + 1) return &plans->items[i];
    }
    *l->place = '\0';
    fail(l, "plans", "there is no such plan");
    return NULL;
}

bool graph_load(const Json *tree, long number, LoadedGraph *out) {
    enum { MOST = 1 << 16 };
    Loader l = {.out = out};
    const Json *storages, *nodes;
    *out = (LoadedGraph){.graph.struct_size = sizeof out->graph};
    const Json *plan = find_plan(&l, tree, number);
    bool done = plan && list(&l, plan, "storages", MOST, &storages) &&
                list(&l, plan, "nodes", MOST, &nodes) &&
                make_room(&l, storages->count, nodes->count);
    if (!done) return false;
    out->graph.storages = out->storages;
    out->graph.nodes = out->nodes;
    for (size_t i = 0; done && i < storages->count; i++) {
        done = load_storage(&l, &storages->items[i], (int)i);
        out->graph.storage_count = (int)i + 1;
    }
    for (size_t i = 0; done && i < nodes->count; i++)
        done = load_node(&l, &nodes->items[i], (int)i);
    out->graph.node_count = (int)nodes->count;
    return done;
}

void loaded_graph_free(LoadedGraph *graph) {
    for (int i = 0; graph->arrays && i < graph->graph.storage_count; i++)
        free(graph->arrays[i].data);
    free(graph->storages);
    free(graph->nodes);
    free(graph->arrays);
    free(graph->numbers);
    text_free(&graph->problem);
    *graph = (LoadedGraph){0};
}
