// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Induction variables of nested loops (Gerlek, Stoltz and Wolfe, "Beyond Induction Variables",
// TOPLAS 1995, of which this is the linear part).

#include "vm/region/parallel_index.h"

#include <string.h>

enum { DEPTH = 128 };

static bool find_origins(IndexForms *s, int32_t *found);

bool forms_open(RegionMaker *maker, const Flow *flow, const FlowLoop *loop, IndexForms *out) {
    const Region *r = maker->region;
    size_t bytes = (size_t)r->code_count * sizeof(int32_t);
    *out = (IndexForms){.maker = maker,
                        .flow = flow,
                        .loop = loop,
                        .count = r->code_count,
                        .levels = 1,
                        .level_heads = {loop->head}};
    out->block_of = mem_alloc(maker->mem, bytes);
    out->origin = mem_alloc(maker->mem, bytes);
    if (!out->block_of || !out->origin) {
        forms_close(out);
        return false;
    }
    memset(out->origin, 0xff, bytes); // NO_VALUE
    memset(out->block_of, 0xff, bytes);
    for (int32_t b = 0; b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) out->block_of[i] = b;
    int32_t *found = mem_alloc(maker->mem, bytes);
    bool opened = found && find_origins(out, found);
    mem_free(maker->mem, found, bytes);
    if (!opened) forms_close(out);
    return opened;
}

void forms_close(IndexForms *s) {
    mem_free(s->maker->mem, s->block_of, (size_t)s->count * sizeof(int32_t));
    mem_free(s->maker->mem, s->origin, (size_t)s->count * sizeof(int32_t));
}

const RegionEdge *next_edge_in(const Region *r, int32_t block, EdgesIn *at) {
    for (; at->block < r->block_count; at->block++, at->edge = 0) {
        const RegionEdge *edges[2];
        int count = block_edges(r, at->block, edges);
        while (at->edge < count)
            if (edges[at->edge++]->block == block) return edges[at->edge - 1];
    }
    return NULL;
}

static int set_size(const BlockSet *set) {
    int size = 0;
    for (int w = 0; w < FLOW_WORDS; w++) size += __builtin_popcountll(set->words[w]);
    return size;
}

const FlowLoop *forms_loop_of(const IndexForms *s, int32_t head) {
    const FlowLoop *found = NULL;
    if (head == s->loop->head) return s->loop;
    for (int32_t i = 0; i < s->flow->loop_count; i++) {
        const FlowLoop *loop = &s->flow->loops[i];
        if (loop->head != head || !block_in(&s->loop->blocks, head)) continue;
        if (!found || set_size(&loop->blocks) > set_size(&found->blocks)) found = loop;
    }
    return found;
}

// --- Names -------------------------------------------------------------------------------------

// Returns whether a block can refer to a value. A value of an inner loop is only valid within the
// iteration that computes it, that is in the loop's blocks other than its head.
static bool reaches(const IndexForms *s, int32_t value, int32_t block) {
    int32_t home = s->block_of[value];
    for (int32_t i = 0; i < s->flow->loop_count; i++) {
        const FlowLoop *loop = &s->flow->loops[i];
        if (loop->head == s->loop->head || !block_in(&s->loop->blocks, loop->head)) continue;
        if (!block_in(&loop->blocks, home)) continue;
        if (!block_in(&loop->blocks, block) || block == loop->head) return false;
    }
    return true;
}

static bool is_name(const IndexForms *s, int32_t value) {
    int32_t home = s->block_of[value];
    return s->maker->region->code[value].op == RG_PARAM && home != NO_VALUE &&
           home != s->loop->head && block_in(&s->loop->blocks, home);
}

// Returns a value's origin as found so far; NO_VALUE: no edge has been seen yet.
static int32_t origin_now(const IndexForms *s, int32_t value) {
    return is_name(s, value) ? s->origin[value] : value;
}

// Propagates the origins that edges pass to parameters. A parameter with differing inputs becomes
// its own origin.
static void look_along(IndexForms *s, const RegionEdge *edge, int32_t *found) {
    const Region *r = s->maker->region;
    if (edge->block == s->loop->head || !block_in(&s->loop->blocks, edge->block)) return;
    for (int32_t i = 0; i < edge->count; i++) {
        int32_t to = r->blocks[edge->block].first + i;
        int32_t from = origin_now(s, r->links[edge->first + i]);
        if (from == NO_VALUE || from == to) continue;
        if (found[to] == NO_VALUE && reaches(s, from, edge->block))
            found[to] = from;
        else if (found[to] != from)
            found[to] = to;
    }
}

// Optimistic copy propagation: assume copies until an edge contradicts it (Wegman and Zadeck,
// "Constant Propagation with Conditional Branches", TOPLAS 1991). False: no fixed point within the
// limit.
static bool find_origins(IndexForms *s, int32_t *found) {
    enum { PASSES = 128, PASSES_FREE = 16 };
    const Region *r = s->maker->region;
    size_t bytes = (size_t)s->count * sizeof *found;
    for (int pass = 0; pass < PASSES; pass++) {
        memset(found, 0xff, bytes);
        for (int32_t b = 0; b < r->block_count; b++) {
            const RegionEdge *edges[2];
            if (!block_in(&s->loop->blocks, b)) continue;
            int count = block_edges(r, b, edges);
            for (int e = 0; e < count; e++) look_along(s, edges[e], found);
        }
        // In deep nests a value may alternate between another origin and itself. After PASSES_FREE passes, a value
        // that is its own origin stays so.
        for (int32_t i = 0; i < s->count && pass >= PASSES_FREE; i++)
            if (s->origin[i] == i) found[i] = i;
        if (memcmp(found, s->origin, bytes) == 0) return true;
        memcpy(s->origin, found, bytes);
    }
    return false;
}

int32_t forms_origin(IndexForms *s, int32_t value) {
    int32_t origin = origin_now(s, value);
    return origin == NO_VALUE ? value : origin;
}

// --- Steps -------------------------------------------------------------------------------------

static bool is_sum(const RegionInstr *in) {
    return (in->op == RG_CHECKED || in->op == RG_APPLY) && in->from == DT_INT64 &&
           in->type == DT_INT64 && (in->elementwise == AOP_ADD || in->elementwise == AOP_SUBTRACT);
}

// Tests that a value is the same number on every path, visiting a limited number of edges.
static bool always_number(const IndexForms *s, int32_t value, int64_t *number, bool *any,
                          int *budget) {
    const Region *r = s->maker->region;
    const RegionInstr *in = &r->code[value];
    int32_t home = s->block_of[value];
    if (in->op == RG_NUMBER && in->type == DT_INT64) {
        bool same = !*any || *number == (int64_t)in->number;
        *number = (int64_t)in->number;
        return *any = same;
    }
    if (in->op != RG_PARAM || home == NO_VALUE) return false;
    EdgesIn at = {0};
    for (const RegionEdge *edge; (edge = next_edge_in(r, home, &at));) {
        int32_t from = r->links[edge->first + value - r->blocks[home].first];
        if (from == value) continue;
        if (--*budget < 0 || !always_number(s, from, number, any, budget)) return false;
    }
    return true;
}

bool forms_number(IndexForms *s, int32_t value, int64_t *number) {
    enum { LOOKS = 16 };
    int32_t origin = forms_origin(s, value);
    const Region *r = s->maker->region;
    bool any = false;
    int budget = LOOKS;
    if (r->code[origin].op == RG_NUMBER) {
        *number = (int64_t)r->code[origin].number;
        return r->code[origin].type == DT_INT64;
    }
    if (s->block_of[origin] != s->loop->head || r->code[origin].op != RG_PARAM ||
        r->code[origin].type != DT_INT64 || !forms_same(s, origin))
        return false;
    EdgesIn at = {0};
    for (const RegionEdge *edge; (edge = next_edge_in(r, s->loop->head, &at));)
        if (!block_in(&s->loop->blocks, at.block) &&
            !always_number(s, r->links[edge->first + origin - r->blocks[s->loop->head].first],
                           number, &any, &budget))
            return false;
    return any;
}

// Matches parameter + constant.
static bool advances(IndexForms *s, int32_t value, int32_t param, int64_t *step) {
    const RegionInstr in = s->maker->region->code[forms_origin(s, value)];
    bool minus = in.elementwise == AOP_SUBTRACT;
    if (!is_sum(&in)) return false;
    if (forms_origin(s, in.args[0]) == param && forms_number(s, in.args[1], step)) {
        if (minus && *step == INT64_MIN) return false;
        *step = minus ? -*step : *step;
        return true;
    }
    return !minus && forms_origin(s, in.args[1]) == param && forms_number(s, in.args[0], step);
}

bool forms_step(IndexForms *s, const FlowLoop *loop, int32_t param, int64_t *step) {
    const Region *r = s->maker->region;
    int32_t place = param - r->blocks[loop->head].first;
    bool any = false;
    EdgesIn at = {0};
    if (r->code[param].type != DT_INT64) return false;
    for (const RegionEdge *edge; (edge = next_edge_in(r, loop->head, &at));) {
        int64_t found;
        if (!block_in(&loop->blocks, at.block)) continue;
        if (!advances(s, r->links[edge->first + place], param, &found)) return false;
        if (any && found != *step) return false;
        *step = found;
        any = true;
    }
    return any;
}

bool forms_same(IndexForms *s, int32_t param) {
    const Region *r = s->maker->region;
    int32_t place = param - r->blocks[s->loop->head].first;
    EdgesIn at = {0};
    for (const RegionEdge *edge; (edge = next_edge_in(r, s->loop->head, &at));)
        if (block_in(&s->loop->blocks, at.block) &&
            forms_origin(s, r->links[edge->first + place]) != param)
            return false;
    return true;
}

// --- Sums --------------------------------------------------------------------------------------

static const DependIndex unknown = {.known = false};

static DependIndex number_form(int64_t number) {
    return (DependIndex){.known = true, .constant = number};
}

static DependIndex term_form(int32_t name) {
    return (DependIndex){.known = true, .terms = {{name, 1}}, .term_count = 1};
}

// Adds a term, merging it with one of the same name. False: overflow, or no room.
static bool add_term(DependIndex *to, DependTerm term) {
    int at = 0;
    while (at < to->term_count && to->terms[at].name < term.name) at++;
    if (at < to->term_count && to->terms[at].name == term.name) {
        if (__builtin_add_overflow(to->terms[at].times, term.times, &to->terms[at].times))
            return false;
        if (to->terms[at].times != 0) return true;
        memmove(&to->terms[at], &to->terms[at + 1],
                (size_t)(--to->term_count - at) * sizeof(DependTerm));
        return true;
    }
    if (to->term_count == DEPEND_TERMS) return false;
    memmove(&to->terms[at + 1], &to->terms[at],
            (size_t)(to->term_count++ - at) * sizeof(DependTerm));
    to->terms[at] = term;
    return true;
}

// Returns a + times * b.
static DependIndex form_sum(DependIndex a, const DependIndex *b, int64_t times) {
    int64_t part;
    if (!a.known || !b->known || times == 0) return times == 0 ? a : unknown;
    if (__builtin_mul_overflow(b->constant, times, &part) ||
        __builtin_add_overflow(a.constant, part, &a.constant))
        return unknown;
    for (int l = 0; l < DEPEND_LEVELS; l++)
        if (__builtin_mul_overflow(b->steps[l], times, &part) ||
            __builtin_add_overflow(a.steps[l], part, &a.steps[l]))
            return unknown;
    for (int t = 0; t < b->term_count; t++) {
        DependTerm term = b->terms[t];
        if (__builtin_mul_overflow(term.times, times, &term.times) || !add_term(&a, term))
            return unknown;
    }
    return a;
}

// Returns the level that counts a loop's iterations; -1: too many levels.
static int level_of(IndexForms *s, int32_t head) {
    for (int l = 0; l < s->levels; l++)
        if (s->level_heads[l] == head) return l;
    if (s->levels == DEPEND_LEVELS) return -1;
    s->level_heads[s->levels] = head;
    return s->levels++;
}

static bool same_form(const DependIndex *a, const DependIndex *b) {
    DependIndex apart = form_sum(*a, b, -1);
    if (!apart.known || apart.constant != 0 || apart.term_count > 0) return false;
    for (int l = 0; l < DEPEND_LEVELS; l++)
        if (apart.steps[l] != 0) return false;
    return true;
}

// Returns the initial value that edges from outside pass to a loop head's parameter.
static DependIndex begin_form(IndexForms *s, const FlowLoop *loop, int32_t param) {
    const Region *r = s->maker->region;
    int32_t place = param - r->blocks[loop->head].first;
    DependIndex begin = unknown;
    bool any = false;
    EdgesIn at = {0};
    if (loop == s->loop) return term_form(param);
    for (const RegionEdge *edge; (edge = next_edge_in(r, loop->head, &at));) {
        if (block_in(&loop->blocks, at.block)) continue;
        DependIndex one = forms_index(s, r->links[edge->first + place]);
        if (any && !same_form(&one, &begin)) return unknown;
        begin = one;
        any = true;
    }
    return begin;
}

static DependIndex param_form(IndexForms *s, int32_t param) {
    const FlowLoop *loop = forms_loop_of(s, s->block_of[param]);
    int64_t step;
    if (!loop) return unknown;
    if (loop == s->loop && forms_same(s, param)) return term_form(param);
    if (!forms_step(s, loop, param, &step)) return unknown;
    DependIndex form = begin_form(s, loop, param);
    int level = level_of(s, loop->head);
    if (level < 0 || !form.known ||
        __builtin_add_overflow(form.steps[level], step, &form.steps[level]))
        return unknown;
    return form;
}

static DependIndex apply_form(IndexForms *s, const RegionInstr *in) {
    if (in->from != DT_INT64 || in->type != DT_INT64) return unknown;
    int64_t times;
    DependIndex b, zero = number_form(0);
    switch (in->elementwise) {
    case AOP_ADD:
    case AOP_SUBTRACT:
        b = forms_index(s, in->args[1]);
        return form_sum(forms_index(s, in->args[0]), &b, in->elementwise == AOP_ADD ? 1 : -1);
    case AOP_NEGATIVE: b = forms_index(s, in->args[0]); return form_sum(zero, &b, -1);
    case AOP_MULTIPLY:
        for (int a = 0; a < 2; a++) {
            if (!forms_number(s, in->args[a], &times)) continue;
            b = forms_index(s, in->args[!a]);
            return form_sum(zero, &b, times);
        }
        return unknown;
    case AOP_MAXIMUM:
    case AOP_MINIMUM: return s->roughly ? forms_index(s, in->args[0]) : unknown;
    case AOP_WHERE: return s->roughly ? forms_index(s, in->args[2]) : unknown;
    default: return unknown;
    }
}

static DependIndex index_form(IndexForms *s, const RegionInstr *in) {
    int64_t number;
    if (!forms_number(s, in->args[0], &number) || number >= 0) return forms_index(s, in->args[0]);
    DependIndex all = term_form(NAME_EXTENT | in->array << 3 | in->dim);
    return form_sum(number_form(number), &all, 1);
}

static DependIndex value_form(IndexForms *s, int32_t value) {
    const RegionInstr in = s->maker->region->code[value];
    switch ((RegionOp)in.op) {
    case RG_NUMBER: return in.type == DT_INT64 ? number_form((int64_t)in.number) : unknown;
    case RG_INPUT:
        return in.type == DT_INT64 ? term_form(NAME_INPUT | (int32_t)in.number) : unknown;
    case RG_EXTENT: return term_form(NAME_EXTENT | in.array << 3 | in.dim);
    case RG_PARAM: return in.type == DT_INT64 ? param_form(s, value) : unknown;
    case RG_INDEX: return index_form(s, &in);
    case RG_CHECKED:
    case RG_APPLY: return apply_form(s, &in);
    default: return unknown;
    }
}

DependIndex forms_index(IndexForms *s, int32_t value) {
    if (s->depth >= DEPTH) return unknown;
    s->depth++;
    DependIndex form = value_form(s, forms_origin(s, value));
    s->depth--;
    return form;
}

// --- Operands ----------------------------------------------------------------------------------

typedef struct Asking {
    bool (*is)(const void *context, int32_t value);
    const void *context;
} Asking;

static bool any_of(const Asking *ask, const int32_t *values, int count) {
    for (int i = 0; i < count; i++)
        if (values[i] != NO_VALUE && ask->is(ask->context, values[i])) return true;
    return false;
}

static bool any_of_nest(const Asking *ask, const RegionNest *nest) {
    for (int i = 0; i < nest->form.load_count; i++)
        if (any_of(ask, &nest->addresses[i], 1) || any_of(ask, nest->strides[i], nest->ndim))
            return true;
    return any_of(ask, nest->extents, nest->ndim) || any_of(ask, &nest->into, 1) ||
           any_of(ask, nest->into_strides, nest->ndim) ||
           any_of(ask, nest->params, nest->form.param_count);
}

bool any_operand(const Region *r, const RegionInstr *in,
                 bool (*is)(const void *context, int32_t value), const void *context) {
    const Asking ask = {is, context};
    if (any_of(&ask, in->args, 4)) return true;
    if (has_links(in->op) && any_of(&ask, r->links + in->links.first, in->links.count)) return true;
    return (in->op == RG_NEST || in->op == RG_SPREAD) && any_of_nest(&ask, &r->nests[in->number]);
}
