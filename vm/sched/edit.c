// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lets an editor replace pending nodes of a plan before it is run.

#include "vm/sched/edit.h"

#include <string.h>

static bool is_of_plan(const Storage *storage) {
    return storage->number != 0;
}

// --- Inspecting nodes --------------------------------------------------------------------------

const View *edit_view(const Vm *vm, int node, int operand) {
    const Node *of = vm->engine->editing->plan->nodes[node];
    return operand == EDIT_RESULT ? &of->output : &of->inputs[operand].view;
}

void edit_ask(Vm *vm, int node, int operand) {
    Editing *e = vm->engine->editing;
    const View *view = edit_view(vm, node, operand);
    if (!is_of_plan(view->storage)) return; // a temporary that the editor made for a replaced node
    Asked *asked = &e->asked[plan_number(view)];
    uint16_t place = (uint16_t)(e->places[node] + (operand == EDIT_RESULT)); // operands are live before the node, its result after it
    if (place < asked->from) asked->from = place;
    if (place > asked->to) asked->to = place;
}

int edit_writer(const Vm *vm, int node, int operand) {
    const Editing *e = vm->engine->editing;
    const View *read = edit_view(vm, node, operand);
    int at = e->places[node] - 1;
    while (at >= 0 && !view_meets(&e->nodes[at]->output, read)) at--;
    if (at < 0 || !view_same(&e->nodes[at]->output, read)) return -1;
    for (int n = 0; n < node; n++)
        if (e->plan->nodes[n] == e->nodes[at]) return n;
    return -1;
}

// --- What a result needs -----------------------------------------------------------------------

// Returns the link to the first node that the editor has recorded and that has no place yet; to NULL: there is none.
static Node **first_new(Graph *graph, const Editing *e) {
    Node **at = &graph->first;
    while (*at && *at != e->nodes[e->count - 1]) at = &(*at)->next;
    return *at ? &(*at)->next : at;
}

// Returns whether no node writes to the view between `place` and the places at which the editor asked for its storage
// (edit_ask). If the editor never asked for it, compares with the value after all nodes.
static bool is_unchanged(const Editing *e, const View *view, int place) {
    Asked asked = e->asked[plan_number(view)];
    int from = place, to = e->count;
    if (asked.from <= asked.to) {
        from = asked.from < place ? asked.from : place;
        to = asked.to > place ? asked.to : place;
    }
    for (int n = from; n < to; n++)
        if (view_meets(&e->nodes[n]->output, view)) return false;
    return true;
}

static bool reads(const Node *node, const Storage *storage) {
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && node->inputs[i].view.storage == storage) return true;
    return false;
}

// Returns whether new nodes that use a storage can be put before the node at `place`: no node with a later place
// writes the storage or, if `writes`, reads it. The node at `place` itself does not count, since it gives up
// what it reads.
static bool keeps_order(const Graph *graph, const Editing *e, const Storage *storage, bool writes, int place) {
    int at = 0;
    for (const Node *node = graph->first; node && at < e->count; node = node->next) {
        bool own = e->nodes[at] != node;
        bool touches = node->output.storage == storage || (writes && reads(node, storage));
        if (touches && at > place) return false;
        at += !own;
    }
    return true;
}

static Status overwritten(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "what replaces a node reads elements that are other ones at its place");
}

static Status check_operand(Vm *vm, const Editing *e, const View *view, int place) {
    bool good = is_of_plan(view->storage) ? is_unchanged(e, view, place)
                                          : keeps_order(&vm->engine->graph, e, view->storage, false, place);
    return good ? ST_OK : overwritten(vm);
}

enum { NEEDED_READ = 1, NEEDED_WRITTEN = 2 }; // bits of Storage.wanted: what the needed new nodes do with it

static bool is_needed(const Node *node) {
    if (node->output.storage->wanted) return true;
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar && node->inputs[i].view.storage->wanted & NEEDED_WRITTEN) return true;
    return false;
}

static Status check_needed(Vm *vm, const Editing *e, const Node *node, int place) {
    Status st = keeps_order(&vm->engine->graph, e, node->output.storage, true, place) ? ST_OK : overwritten(vm);
    for (int i = 0; st == ST_OK && i < node->input_count; i++)
        if (!node->inputs[i].is_scalar) st = check_operand(vm, e, &node->inputs[i].view, place);
    return st;
}

// Sets needed[n] for the new nodes that the storage's value needs, from the last one back: nodes that write what
// a needed node reads, and nodes that read or write what a later needed node writes.
static Status find_needed(Vm *vm, const Editing *e, Storage *storage, int place, bool needed[DEPTH_MAX]) {
    Node *news[DEPTH_MAX];
    int count = 0;
    for (Node *node = *first_new(&vm->engine->graph, e); node; node = node->next) news[count++] = node;
    Status st = ST_OK;
    storage->wanted = NEEDED_READ;
    for (int n = count - 1; n >= 0; n--) {
        needed[n] = is_needed(news[n]);
        if (!needed[n]) continue;
        if (st == ST_OK) st = check_needed(vm, e, news[n], place);
        news[n]->output.storage->wanted |= NEEDED_WRITTEN;
        for (int i = 0; i < news[n]->input_count; i++)
            if (!news[n]->inputs[i].is_scalar) news[n]->inputs[i].view.storage->wanted |= NEEDED_READ;
    }
    storage->wanted = 0;
    for (int n = 0; n < count; n++) {
        news[n]->output.storage->wanted = 0;
        for (int i = 0; i < news[n]->input_count; i++)
            if (!news[n]->inputs[i].is_scalar) news[n]->inputs[i].view.storage->wanted = 0;
    }
    return st;
}

// --- Replacing ---------------------------------------------------------------------------------

static void set_place(Vm *vm, Node *node, CodePlace place) {
    if (place.code) place.code->refs++;
    if (node->place.code) release_obj(vm, node->place.code);
    node->place = place;
}

// Moves the needed new nodes before node `before`, whose source line and hints they take over.
static void move_needed(Vm *vm, const Editing *e, Node *before, const bool *needed) {
    Graph *graph = &vm->engine->graph;
    Node **to = &graph->first, **from;
    while (*to != before) to = &(*to)->next;
    int n = 0;
    for (from = first_new(graph, e); *from; n++) {
        Node *node = *from;
        if (!needed[n]) {
            from = &node->next;
            continue;
        }
        *from = node->next;
        node->next = before;
        *to = node;
        to = &node->next;
        set_place(vm, node, before->place);
        node->hints = before->hints;
    }
    graph->last = NULL;
    for (Node *node = graph->first; node; node = node->next) graph->last = node;
}

// Marks the nodes that wrote what a node reads as spare: they may have no use any more.
static void note_writers(Editing *e, const Node *node, int place) {
    for (int i = 0; i < node->input_count; i++)
        for (int n = 0; !node->inputs[i].is_scalar && n < place; n++)
            e->spare[n] |= e->nodes[n]->output.storage == node->inputs[i].view.storage;
}

// Makes the node a copy of the view's elements. Storages of the plan are held meanwhile (hold_storages).
static void become_copy(Vm *vm, Node *node, const View *from) {
    for (int i = 0; i < node->input_count; i++) {
        if (node->inputs[i].is_scalar) continue;
        node->inputs[i].view.storage->held--;
        storage_release(vm, node->inputs[i].view.storage);
    }
    node->op = AOP_CAST;
    node->attrs = (NodeAttrs){.loop = from->dtype, .combine = AOP_NONE, .quiet = node->attrs.quiet};
    node->input_count = 0;
    node_input_view(node, from);
    view_hold(&node->inputs[0].view);
}

static Status check_result(Vm *vm, const View *old, const View *new) {
    bool same = old->ndim == new->ndim && old->dtype == new->dtype;
    for (int d = 0; same && d < old->ndim; d++) same = old->shape[d] == new->shape[d];
    if (same) return ST_OK;
    Buf text;
    buf_init(&text, &vm->mem);
    shape_text(old->shape, old->ndim, &text);
    buf_puts(&text, ", not ");
    buf_puts(&text, dtype_info[new->dtype].name);
    buf_puts(&text, " of shape ");
    shape_text(new->shape, new->ndim, &text);
    Status st = text.failed ? vm_no_memory(vm)
                            : vm_raise(vm, EXC_ValueError, "the node's result is %s of shape %.*s",
                                       dtype_info[old->dtype].name, (int)text.len, text.data);
    buf_free(&text);
    return st;
}

Status edit_replace(Vm *vm, int number, const View *with) {
    Editing *e = vm->engine->editing;
    Node *node = e->plan->nodes[number];
    int place = e->places[number];
    bool needed[DEPTH_MAX] = {false};
    Status st = check_result(vm, &node->output, with);
    if (st == ST_OK) st = check_operand(vm, e, with, place);
    if (st == ST_OK && !is_of_plan(with->storage)) st = find_needed(vm, e, with->storage, place, needed);
    if (st != ST_OK) return st;
    move_needed(vm, e, node, needed);
    note_writers(e, node, place);
    become_copy(vm, node, with);
    e->changed = e->replaced[place] = true;
    return ST_OK;
}

void edit_hints(Vm *vm, int node, NodeHints hints) {
    const NodeHints code = HINT_INTERPRET | HINT_COMPILE;
    Editing *e = vm->engine->editing;
    NodeHints *old = &e->plan->nodes[node]->hints;
    NodeHints new = hints_joined(hints, hints & code ? *old & ~code : *old);
    e->changed |= *old != new;
    *old = new;
}

// --- Cleaning up -------------------------------------------------------------------------------

// Returns the node that computes what `copy` copies, if nothing else uses that result and only nodes of the
// editor are between the two; NULL: none.
static Node *maker_of(const Graph *graph, const Editing *e, const Node *copy) {
    const View *from = &copy->inputs[0].view;
    Node *maker = from->storage->producer;
    bool only = maker && view_same(&maker->output, from) && from->storage->refs == from->storage->held &&
                from->storage->held == 2;
    // The node has to write all elements, since those that it leaves are others in the copy's destination.
    only = only && maker->op != AOP_PUT && !maker->attrs.begun && maker->version == 1 &&
           !from->storage->buffer.valid;
    if (!only) return NULL;
    const Node *at = graph->first;
    while (at && at != maker) at = at->next;
    for (at = at ? at->next : NULL; at && at != copy; at = at->next)
        for (int n = 0; n < e->count; n++)
            if (e->nodes[n] == at) return NULL;
    return at ? maker : NULL;
}

// Makes a copy compute what it copies, if nobody else sees that.
static void make_in_place(Vm *vm, const Editing *e, Node *copy) {
    Node *maker = maker_of(&vm->engine->graph, e, copy);
    if (!maker || copy->op != AOP_CAST) return;
    Storage *between = copy->inputs[0].view.storage;
    copy->op = maker->op;
    copy->attrs = maker->attrs;
    copy->input_count = 0;
    for (int i = 0; i < maker->input_count; i++) {
        const NodeInput *input = &maker->inputs[i];
        if (input->is_scalar) {
            node_input_scalar(copy, input->dtype, input->scalar);
            continue;
        }
        node_input_view(copy, &input->view);
        view_hold(&copy->inputs[i].view);
    }
    between->held--;
    storage_release(vm, between);
    graph_finish(vm, maker, NODE_ELIMINATED);
}

static bool is_read(const Graph *graph, const Storage *storage, const Node *but) {
    for (const Node *node = graph->first; node; node = node->next)
        for (int i = 0; node != but && node->state == NODE_RECORDED && i < node->input_count; i++)
            if (!node->inputs[i].is_scalar && node->inputs[i].view.storage == storage) return true;
    return false;
}

static bool is_of_no_use(const Graph *graph, const Node *node) {
    const Storage *storage = node->output.storage;
    return storage->refs == storage->held && !is_read(graph, storage, node);
}

// Drops nodes that served only replaced nodes, and new nodes that nothing uses, from the last one back.
static void prune(Vm *vm, Editing *e) {
    Graph *graph = &vm->engine->graph;
    Node *news[DEPTH_MAX];
    int count = 0;
    for (Node *node = *first_new(graph, e); node; node = node->next) news[count++] = node;
    while (count-- > 0)
        if (is_of_no_use(graph, news[count])) graph_finish(vm, news[count], NODE_ELIMINATED);
    for (int n = e->count - 1; n >= 0; n--) {
        if (!e->spare[n] || !is_of_no_use(graph, e->nodes[n])) continue;
        note_writers(e, e->nodes[n], n);
        graph_finish(vm, e->nodes[n], NODE_ELIMINATED);
    }
}

static void clean(Vm *vm, Editing *e) {
    prune(vm, e);
    for (int n = 0; n < e->count; n++)
        if (e->replaced[n] && e->nodes[n]->state == NODE_RECORDED) make_in_place(vm, e, e->nodes[n]);
    graph_sweep(vm);
}

// --- Showing a plan ----------------------------------------------------------------------------

static void begin(Vm *vm, Editing *e, Editor *editor, const Plan *plan, const PlanKey *key) {
    e->editor = editor;
    e->plan = plan;
    e->changed = false;
    e->count = 0;
    for (Node *node = vm->engine->graph.first; node; node = node->next) e->nodes[e->count++] = node;
    memset(e->replaced, 0, sizeof e->replaced);
    memset(e->spare, 0, sizeof e->spare);
    for (int n = 0, at = 0; n < plan->node_count; n++) {
        while (e->nodes[at] != plan->nodes[n]) at++;
        e->places[n] = (uint16_t)at;
    }
    for (int i = 0; i < key->storage_count; i++) e->asked[i] = (Asked){UINT16_MAX, 0};
}

// Retains the plan's storages, so that plan_key_clear can reset their numbers.
static void hold_storages(const PlanKey *key) {
    for (int i = 0; i < key->storage_count; i++) storage_retain(key->storages[i].storage);
}

static void let_storages_go(Vm *vm, const PlanKey *key) {
    for (int i = 0; i < key->storage_count; i++) storage_release(vm, key->storages[i].storage);
}

// Hashes what an editor can see of a plan: its key, and the extents and scalars, which are not in the key.
static uint64_t hash_of(const Plan *plan, const PlanKey *key) {
    uint64_t h = key->hash, words[2];
    for (int n = 0; n < plan->node_count; n++) {
        const Node *node = plan->nodes[n];
        for (int i = 0; i < node->input_count; i++) {
            const NodeInput *input = &node->inputs[i];
            if (input->is_scalar) {
                memcpy(words, &input->scalar, sizeof words);
                h = hash_mixed(hash_mixed(h, words[0]), dtype_kind(input->dtype) == DK_COMPLEX ? words[1] : 0);
            }
            for (int d = 0; !input->is_scalar && d < input->view.ndim; d++)
                h = hash_mixed(h, (uint64_t)input->view.shape[d]);
        }
        for (int d = 0; d < node->output.ndim; d++) h = hash_mixed(h, (uint64_t)node->output.shape[d]);
    }
    return h;
}

Status plan_edit(Vm *vm, Plan *plan, Editor *editor, bool warns, bool *changed) {
    struct Engine *engine = vm->engine;
    Editing *e = engine->editing;
    PlanKey *key = &engine->recipes.key;
    *changed = false;
    plan_key_make(key, plan->nodes, plan->node_count, warns);
    uint64_t hash = hash_of(plan, key), *settled = &e->settled[hash % SETTLED_KEYS];
    Status st = ST_OK;
    if (editor->each_time || !key->hash || *settled != hash) {
        for (int n = 0; n < plan->node_count; n++) plan->fates[n] = FATE_LIVE;
        plan->call_count = plan->group_count = plan->order_count = plan->piece_count = 0;
        begin(vm, e, editor, plan, key);
        hold_storages(key);
        st = editor->edit(editor, vm, plan, key);
        e->editor = NULL;
        *changed = true;
    }
    plan_key_clear(key);
    if (!*changed) return ST_OK;
    let_storages_go(vm, key);
    clean(vm, e);
    *changed = e->changed;
    if (st == ST_OK && !e->changed && !editor->each_time) *settled = hash;
    return st;
}

bool engine_edit(Vm *vm, Editor *editor) {
    struct Engine *engine = vm->engine;
    if (!engine->editing && !(engine->editing = mem_zalloc(&vm->mem, sizeof(Editing)))) return false;
    memset(engine->editing->settled, 0, sizeof engine->editing->settled);
    engine->editor = editor;
    return true;
}

void editing_free(Vm *vm) {
    mem_free(&vm->mem, vm->engine->editing, sizeof(Editing));
    vm->engine->editing = NULL;
}
