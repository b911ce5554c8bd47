// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Patterns of operations, and matching them in a plan. pattern: operation "(" pattern { "," pattern } ")" | number |
// name | "_"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vm/api/passes.h"
#include "vm/api/sizes.h"
#include "vm/kernel/host_op.h"

enum { TERMS = 64, CAPTURES = 16 };

typedef enum TermKind { TERM_OPERATION, TERM_NUMBER, TERM_NAME, TERM_ANY } TermKind;

// A term of a pattern; an operation's operands are linked.
typedef struct PatternTerm {
    TermKind kind;
    OpId op;
    int arity;
    double number;
    char name[sizeof ((NacreCapture *)0)->name];
    int first, next; // terms; -1: none
} PatternTerm;

typedef struct Pattern {
    const NacreVm *handle;
    const char *at;
    const char *problem; // NULL: none so far
    int count;
    PatternTerm terms[TERMS];
} Pattern;

// --- Reading -----------------------------------------------------------------------------------

static void skip_space(Pattern *p) {
    while (isspace((unsigned char)*p->at)) p->at++;
}

static bool took(Pattern *p, char c) {
    skip_space(p);
    if (*p->at != c) return false;
    p->at++;
    return true;
}

static int new_term(Pattern *p, TermKind kind) {
    if (p->count == TERMS) {
        p->problem = "a pattern has at most 64 terms";
        return 0;
    }
    p->terms[p->count] = (PatternTerm){.kind = kind, .first = -1, .next = -1};
    return p->count++;
}

static bool is_of_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static int read_term(Pattern *p);

// Finds an operation in the op table, or among the host's.
static void find_operation(Pattern *p, PatternTerm *term, const char *name, size_t len) {
    term->op = op_named(name, len);
    if (term->op != AOP_NONE) {
        term->arity = op_info[term->op].arity;
    } else if (len < sizeof term->name) {
        memcpy(term->name, name, len); // zero-padded
        term->op = AOP_HOST;
        term->arity = api_operation_arity(p->handle, term->name);
        if (term->arity) return;
    }
    if (term->op == AOP_NONE || term->op == AOP_HOST) p->problem = "there is no such operation";
}

static int read_operation(Pattern *p, const char *name, size_t len) {
    int self = new_term(p, TERM_OPERATION), count = 0;
    find_operation(p, &p->terms[self], name, len);
    if (p->problem) return self;
    for (int last = -1; !p->problem; count++) {
        int term = read_term(p);
        if (p->problem) break;
        if (last < 0) p->terms[self].first = term;
        else p->terms[last].next = term;
        last = term;
        if (took(p, ')')) break;
        if (!took(p, ',')) p->problem = "expected ',' or ')'";
    }
    if (!p->problem && count + 1 != p->terms[self].arity) p->problem = "wrong number of operands";
    return self;
}

static int read_term(Pattern *p) {
    skip_space(p);
    const char *from = p->at;
    char *end;
    if (isdigit((unsigned char)*from) || *from == '-') {
        double number = strtod(from, &end);
        int self = new_term(p, TERM_NUMBER);
        if (end == from) p->problem = "expected a number";
        p->terms[self].number = number;
        p->at = end;
        return self;
    }
    while (is_of_name(*p->at)) p->at++;
    size_t len = (size_t)(p->at - from);
    if (len == 0) {
        p->problem = "expected an operation, a name or a number";
        return 0;
    }
    if (took(p, '(')) return read_operation(p, from, len);
    bool any = len == 1 && *from == '_';
    int self = new_term(p, any ? TERM_ANY : TERM_NAME);
    if (len >= sizeof p->terms[self].name) p->problem = "a name has at most 27 characters";
    else memcpy(p->terms[self].name, from, len);
    return self;
}

static void read_pattern(Pattern *p, const char *text) {
    p->at = text;
    p->problem = NULL;
    p->count = 0;
    int self = read_term(p);
    skip_space(p);
    if (!p->problem && *p->at) p->problem = "it goes on behind its end";
    if (!p->problem && p->terms[self].kind != TERM_OPERATION) p->problem = "it is no operation";
}

// --- Matching ----------------------------------------------------------------------------------

typedef struct Matching {
    const NacreVm *handle;
    const Pattern *pattern;
    NacreMatch *match;
} Matching;

static const Node *node_of(const Matching *m, int node) {
    return m->handle->shown->plan->nodes[node];
}

static double number_of(const NodeInput *input) {
    return dtype_convert(input->dtype, DT_FLOAT64, input->scalar).f;
}

static bool same_operand(const NodeInput *a, const NodeInput *b) {
    if (a->is_scalar || b->is_scalar)
        return a->is_scalar && b->is_scalar && scalars_equal(a, b);
    return view_same(&a->view, &b->view);
}

static bool capture(const Matching *m, const PatternTerm *term, int node, int operand) {
    NacreMatch *match = m->match;
    const NodeInput *input = &node_of(m, node)->inputs[operand];
    for (int i = 0; i < match->capture_count; i++) {
        const NacreCapture *known = &match->captures[i];
        if (strcmp(known->name, term->name) == 0)
            return same_operand(&node_of(m, known->node)->inputs[known->operand], input);
    }
    if (match->capture_count == CAPTURES) return false;
    NacreCapture *new = &match->captures[match->capture_count++];
    memcpy(new->name, term->name, sizeof new->name);
    new->node = node;
    new->operand = operand;
    return true;
}

// What a term of the pattern must match: an operand of a node, or with EDIT_RESULT the node itself.
typedef struct Goal {
    int term, node, operand;
} Goal;

static bool is_leaf(const Matching *m, const PatternTerm *term, Goal goal) {
    const NodeInput *input = &node_of(m, goal.node)->inputs[goal.operand];
    if (term->kind == TERM_NAME) return capture(m, term, goal.node, goal.operand);
    if (term->kind == TERM_ANY) return true;
    return input->is_scalar && dtype_kind(input->dtype) != DK_COMPLEX && number_of(input) == term->number;
}

// Returns the node that computes the term's operand; -1: none.
static int operation_of(const Matching *m, const PatternTerm *term, Goal goal) {
    int node = goal.node;
    if (goal.operand != EDIT_RESULT)
        node = node_of(m, node)->inputs[goal.operand].is_scalar ? -1
                                                                : edit_writer(&m->handle->vm, node, goal.operand);
    const Node *of = node >= 0 ? node_of(m, node) : NULL;
    bool named = of && (of->op != AOP_HOST || strcmp(of->attrs.host->name, term->name) == 0);
    bool fits = named && of->op == term->op && m->match->node_count < CAPTURES;
    return fits ? node : -1;
}

// Pushes the term's operands as goals, the first one last; `exchanged`: the first two swapped.
static int add_operands(const Matching *m, const PatternTerm *term, int node, bool exchanged, Goal *goals, int count) {
    int arity = term->arity, operand = 0;
    for (int at = term->first; at >= 0; at = m->pattern->terms[at].next, operand++)
        goals[count + arity - 1 - operand] = (Goal){at, node, exchanged ? 1 - operand : operand};
    return count + arity;
}

// Matches all goals, from the last to the first.
static bool reach(const Matching *m, const Goal *goals, int count) {
    if (count == 0) return true;
    NacreMatch *match = m->match;
    const Goal goal = goals[count - 1];
    const PatternTerm *term = &m->pattern->terms[goal.term];
    int captures = match->capture_count, nodes = match->node_count;
    bool reached = false;
    if (term->kind != TERM_OPERATION) {
        reached = is_leaf(m, term, goal) && reach(m, goals, count - 1);
    } else {
        int node = operation_of(m, term, goal);
        bool two_ways = op_info[term->op].commutative && term->arity == 2;
        for (int way = 0; node >= 0 && !reached && way <= two_ways; way++) {
            Goal next[TERMS];
            memcpy(next, goals, (size_t)(count - 1) * sizeof *next);
            match->capture_count = captures;
            match->node_count = nodes;
            match->nodes[match->node_count++] = node;
            reached = reach(m, next, add_operands(m, term, node, way, next, count - 1));
        }
    }
    if (!reached) {
        match->capture_count = captures;
        match->node_count = nodes;
    }
    return reached;
}

NacreStatus nacre_plan_match(NacreVm *handle, int node, const char *text, NacreMatch *out, int *found) {
    if (!api_edits(handle, node) || !text || !api_can_give(out, FIRST_MATCH) || !found) return NACRE_MISUSE;
    Pattern pattern = {.handle = handle};
    Status st = ST_OK;
    api_begin(handle);
    read_pattern(&pattern, text);
    if (pattern.problem)
        st = vm_raise(&handle->vm, EXC_ValueError, "no pattern: %s, at '%.20s'", pattern.problem, pattern.at);
    NacreMatch match = {0};
    *found = 0;
    if (st == ST_OK) {
        const Matching m = {handle, &pattern, &match};
        *found = reach(&m, &(const Goal){0, node, EDIT_RESULT}, 1);
    }
    API_GIVE(out, &match);
    return api_end(handle, st, V_UNDEF, NULL);
}
