// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders parallel loops for devices. A work item enters the loop's head with the parameters of its own iteration and
// one iteration left, so that it runs this iteration and then reaches the loop's end. If the inner loop's iterations
// are work items too, the work item enters the inner loop's head in the same way.

#include "backends/emit/emit_region.h"
#include "vm/region/items.h"
#include "vm/region/loops.h"

typedef struct Items {
    const Dialect *dialect;
    const Region *region;
    const RegionParallel *loop;
    BlockSet blocks; // blocks that a work item may reach
    Buf *out;
} Items;

// --- Which loops can be rendered -------------------------------------------------------------------

static bool has_words(const RegionInstr *in) {
    if (region_op_is_scalar(in->op)) return !in->to_block;
    switch ((RegionOp)in->op) {
    case RG_LOAD:
    case RG_STORE:
    case RG_ADDRESS:
    case RG_STRIDE:
    case RG_LOAD_AT:
    case RG_STORE_AT: return !in->to_block;
    case RG_CHECKED: return in->dim == CHECK_NOW;
    case RG_QUIET: return !in->dim; // dim: it checks a nest
    default: return false;
    }
}

static bool follow(Items *t, int32_t block) {
    const RegionEdge *edges[2];
    bool changed = false;
    int count = block_edges(t->region, block, edges);
    for (int e = 0; e < count; e++) {
        const int32_t to = emit_item_block(t->region, edges[e]->block);
        if (to == t->loop->end || block_in(&t->blocks, to)) continue;
        block_put(&t->blocks, to);
        changed = true;
    }
    return changed;
}

// Returns whether a block is rendered. Blocks that end by leaving the region are not, since they may access elements
// that the loop does not. A work item that reaches one reports failure and returns.
static bool is_made(const Items *t, int32_t block) {
    const Region *r = t->region;
    return block_in(&t->blocks, block) && r->code[r->blocks[block].end - 1].op != RG_LEAVE;
}

static bool is_spelled(const Items *t) {
    const Region *r = t->region;
    for (int32_t b = 0; b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; is_made(t, b) && i < r->blocks[b].end; i++)
            if (!has_words(&r->code[i]) || !t->dialect->types[r->code[i].type] || !t->dialect->types[r->code[i].from])
                return false;
    return true;
}

static bool find_blocks(Items *t) {
    bool changed = true;
    block_put(&t->blocks, t->loop->head);
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < t->region->block_count; b++)
            if (block_in(&t->blocks, b)) changed |= follow(t, b);
    }
    return is_spelled(t);
}

// --- Helpers -----------------------------------------------------------------------------------------

// Writes sums, differences and products that return whether they overflow; they stand for the builtins of C compilers.
static void put_overflow(const char *word, const char *type, bool narrow, Buf *out) {
    static const struct {
        const char *name, *sign, *test;
    } ways[] = {{"add", "+", "((a ^ *r) & (b ^ *r)) < 0"},
                {"sub", "-", "((a ^ b) & (a ^ *r)) < 0"},
                {"mul", "*",
                 "((W(a) + 0x80000000u) | (W(b) + 0x80000000u)) >> 32 && a && ((a == -1 && b == *r && b < 0) || *r / a != b)"}};
    for (int w = 0; w < 3; w++) {
        buf_printf(out, "%sstatic inline int over_%s(%s a, %s b, %s *r) {\n", word, ways[w].name, type, type, type);
        if (narrow)
            buf_printf(out, "    const int64_t w = (int64_t)a %s (int64_t)b;\n    *r = (%s)w;\n    return *r != w;\n}\n", ways[w].sign,
                       type);
        else
            buf_printf(out, "    *r = (%s)(W(a) %s W(b));\n    return %s;\n}\n", type, ways[w].sign, ways[w].test);
    }
}

static void put_unsigned(const char *word, Buf *out) {
    buf_printf(out, "%sstatic inline int over_add(uint64_t a, uint64_t b, uint64_t *r) { *r = a + b; return *r < a; }\n", word);
    buf_printf(out, "%sstatic inline int over_sub(uint64_t a, uint64_t b, uint64_t *r) { *r = a - b; return a < b; }\n", word);
    buf_printf(out, "%sstatic inline int over_mul(uint64_t a, uint64_t b, uint64_t *r) { *r = a * b; return a && *r / a != b; }\n",
               word);
}

static void put_helpers(const Dialect *d, Buf *out) {
    static const char *const narrow[] = {"int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t"};
    buf_puts(out, "enum { ROUNDS_MOST = 1 << 26 };\n"
                  "#undef MEET\n#define MEET(flags, site, met) (bad |= (met))\n"
                  "#define UNLIKELY(x) (x)\n#define INT64_MIN (-INT64_MAX - 1)\n"
                  "#define IS_LESS(x, y) ((x) < (y))\n#define IS_LESS_EQUAL(x, y) ((x) <= (y))\n"
                  "#define IS_GREATER(x, y) ((x) > (y))\n#define IS_GREATER_EQUAL(x, y) ((x) >= (y))\n"
                  "typedef union Bits {\n    double f;\n    int64_t i;\n} Bits;\n"
                  "static inline double bits(int64_t i) {\n    Bits b;\n    b.i = i;\n    return b.f;\n}\n"
                  "static inline int64_t bits_of(double f) {\n    Bits b;\n    b.f = f;\n    return b.i;\n}\n");
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) put_overflow(d->grid->overloaded, narrow[i], true, out);
    put_overflow(d->grid->overloaded, "int64_t", false, out);
    put_unsigned(d->grid->overloaded, out);
    buf_puts(out, "#define __builtin_add_overflow over_add\n#define __builtin_sub_overflow over_sub\n"
                  "#define __builtin_mul_overflow over_mul\n");
}

// --- The beginning -----------------------------------------------------------------------------------

static void put_head(const Items *t) {
    const GridWords *w = t->dialect->grid;
    const bool pairs = t->loop->within.head;
    buf_printf(t->out, "%s " GRID_NAME "(", w->bound);
    for (int a = 0; a < t->region->array_count; a++)
        if (items_arrays(t->loop) >> a & 1) buf_printf(t->out, "%s char *m%d, ", w->global, a);
    buf_printf(t->out, "%s int64_t *results, const Numbers g) {\n    const int64_t round = %s, within = %s;\n", w->global,
               w->item[pairs], pairs ? w->item[0] : "0");
    buf_puts(t->out, "    if (round >= g.w[0] || within >= g.w[1]) return;\n"
                     "    uint32_t bad = 0;\n    int64_t went = 0, told = 1, ran = 0;\n");
}

// Declares the arrays' addresses, extents and strides, which start at word number `word` of the arguments. Returns the
// number of the first word after them.
static int put_arrays(const Items *t, int word) {
    for (int a = 0; a < t->region->array_count; a++) {
        const RegionArray *array = &t->region->arrays[a];
        buf_printf(t->out, "    %s char *const a%d = ", t->dialect->grid->global, a);
        if (items_arrays(t->loop) >> a & 1) buf_printf(t->out, "m%d + g.w[%d];\n", a, word);
        else buf_puts(t->out, "0;\n"); // only its shape is used
        for (int d = 0; d < array->ndim; d++)
            buf_printf(t->out, "    const int64_t n%d_%d = g.w[%d], s%d_%d = g.w[%d];\n", a, d, word + 1 + d, a, d,
                       word + 1 + array->ndim + d);
        word += items_array_words(array);
    }
    return word;
}

// Writes an argument word, converted to a type.
static void put_word(const Items *t, uint8_t type, int word) {
    const char *how = emit_slot_member(type) == 'f' ? "(%s)bits(g.w[%d])" : "(%s)g.w[%d]";
    buf_printf(t->out, how, t->dialect->types[type], word);
}

static void put_values(const Items *t, int word) {
    const Region *r = t->region;
    for (int32_t b = 0; b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) {
            const bool passed = b == t->loop->end && r->code[i].op == RG_PARAM; // a jump to the end gives it a value
            if (r->code[i].op != RG_INPUT && (block_in(&t->blocks, b) || passed)) emit_value(t->dialect, r, i, t->out);
        }
    for (int32_t i = 0; i < r->code_count; i++) {
        if (r->code[i].op != RG_INPUT) continue;
        buf_printf(t->out, "    const %s v%d = ", t->dialect->types[r->code[i].type], i);
        put_word(t, r->code[i].type, word++);
        buf_puts(t->out, ";\n");
    }
}

// Writes the value of a head's parameter after a number of iterations.
static void put_stepped(const Items *t, const ParallelChange *change, int32_t param, int32_t first, const char *rounds) {
    if (change->by == NO_VALUE)
        buf_printf(t->out, "    v%d = (int64_t)(W(v%d) + W(INT64_C(%lld)) * W(%s));\n", param, param, (long long)change->step, rounds);
    else
        buf_printf(t->out, "    v%d = (int64_t)(W(v%d) + W(v%d) * W(%s));\n", param, param, first + change->by, rounds);
}

static void put_changes(const Items *t, const ParallelChange *changes, int count, int32_t first, const char *rounds) {
    for (int i = 0; i < count; i++) {
        if (changes[i].kind == PARALLEL_STEPS) put_stepped(t, &changes[i], first + i, first, rounds);
        if (changes[i].kind == PARALLEL_COUNT) buf_printf(t->out, "    v%d = 1;\n", first + i);
    }
}

static void put_state(const Items *t) {
    const RegionParallel *p = t->loop;
    const int32_t first = t->region->blocks[p->head].first;
    for (int i = 0; i < p->param_count; i++) {
        buf_printf(t->out, "    v%d = ", first + i);
        put_word(t, p->params[i].type, ITEMS_PARAMS + i);
        buf_puts(t->out, ";\n");
        if (p->params[i].kind != PARALLEL_LAST) continue;
        const bool is_float = emit_slot_member(p->params[i].type) == 'f';
        buf_printf(t->out, is_float ? "    const int64_t u%d = bits_of((double)v%d);\n" : "    const int64_t u%d = (int64_t)v%d;\n", i,
                   first + i);
    }
    put_changes(t, p->params, p->param_count, first, "round");
    buf_printf(t->out, "    goto block%d;\n", p->head);
}

// Enters the inner loop at this work item's iteration. If the loop has no iterations, item 0 still runs the code after
// it, so that the outer loop's last values are stored.
static void put_enter(const Items *t) {
    const ParallelWithin *w = &t->loop->within;
    const int32_t first = t->region->blocks[w->head].first;
    buf_printf(t->out, "enter%d:;\n    if (v%d > g.w[1]) goto away;\n", w->head, first + w->count_param);
    buf_printf(t->out, "    if (within >= (v%d > 0 ? v%d : 1)) return;\n    ran = v%d > 0;\n    if (!ran) goto block%d;\n"
                       "    told = within == v%d - 1;\n",
               first + w->count_param, first + w->count_param, first + w->count_param, w->head, first + w->count_param);
    for (int i = 0; i < w->param_count; i++) {
        if (w->params[i].kind != PARALLEL_LAST) continue;
        const RegionSlot unset = parallel_unset((DType)w->params[i].type);
        const char *how = emit_slot_member(w->params[i].type) == 'f' ? "    v%d = (%s)bits((int64_t)%lluu);\n"
                                                                     : "    v%d = (%s)(int64_t)%lluu;\n";
        buf_printf(t->out, how, first + i, t->dialect->types[w->params[i].type], (unsigned long long)unset.i);
    }
    put_changes(t, w->params, w->param_count, first, "within");
    buf_printf(t->out, "    goto block%d;\n", w->head);
}

// --- The end -----------------------------------------------------------------------------------------

// Stores the values that each of the last ITEMS_TAIL iterations leaves, the last iteration first.
static void put_results(const Items *t) {
    const RegionParallel *p = t->loop;
    const int32_t first = t->region->blocks[p->head].first;
    int number = 0;
    buf_printf(t->out, "block%d:;\n    if (bad) goto away;\n    if (told && round >= g.w[0] - %d) {\n", p->end, ITEMS_TAIL);
    buf_printf(t->out, "        %s int64_t *to = results + 1 + (g.w[0] - 1 - round) * %d;\n        to[0] = ran;\n",
               t->dialect->grid->global, 1 + 2 * items_lasts(p));
    for (int i = 0; i < p->param_count; i++) {
        if (p->params[i].kind != PARALLEL_LAST) continue;
        const bool is_float = emit_slot_member(p->params[i].type) == 'f';
        buf_printf(t->out, is_float ? "        to[%d] = bits_of((double)v%d);\n" : "        to[%d] = (int64_t)v%d;\n", 2 + 2 * number,
                   first + i);
        buf_printf(t->out, "        to[%d] = to[%d] != u%d;\n", 1 + 2 * number, 2 + 2 * number, i);
        number++;
    }
    buf_puts(t->out, "    }\n    return;\n");
}

static void put_ways_out(const Items *t) {
    const Region *r = t->region;
    for (int32_t e = 0; e < r->exit_count; e++) {
        bool used = false;
        for (int32_t b = 0; b < r->block_count && !used; b++)
            for (int32_t i = r->blocks[b].first; is_made(t, b) && i < r->blocks[b].end; i++)
                used |= r->code[i].exit == e;
        if (used) buf_printf(t->out, "exit%d:;\n", e);
    }
    buf_puts(t->out, "away:;\n    results[0] = 1;\n}\n");
}

static void put_copy(const Dialect *d, Buf *out) {
    const GridWords *w = d->grid;
    buf_printf(out, "%s " GRID_COPY "(%s uint32_t *from, %s uint32_t *to, const Copied g) {\n", w->kernel, w->global, w->global);
    buf_printf(out, "    const int64_t i = %s;\n    if (i < g.count) to[i] = from[i];\n}\n", w->item[0]);
}

bool emit_items(const Dialect *d, const Region *r, int number, Buf *out) {
    Items t = {.dialect = d, .region = r, .loop = &r->parallels[number], .out = out};
    int words = ITEMS_PARAMS + t.loop->param_count;
    if (!find_blocks(&t)) return false;
    buf_puts(out, d->prelude);
    put_helpers(d, out);
    buf_puts(out, "typedef struct Copied {\n    int64_t count;\n} Copied;\n");
    for (int a = 0; a < r->array_count; a++)
        words += items_array_words(&r->arrays[a]);
    const int inputs = words;
    for (int32_t i = 0; i < r->code_count; i++) words += r->code[i].op == RG_INPUT;
    buf_printf(out, "typedef struct Numbers {\n    int64_t w[%d];\n} Numbers;\n", words);
    put_copy(d, out);
    put_head(&t);
    put_arrays(&t, ITEMS_PARAMS + t.loop->param_count);
    put_values(&t, inputs);
    put_state(&t);
    if (t.loop->within.head) put_enter(&t);
    for (int32_t b = 0; b < r->block_count; b++)
        if (is_made(&t, b)) emit_block(d, r, b, t.loop, NULL, out);
        else if (block_in(&t.blocks, b)) buf_printf(out, "block%d:;\n    goto away;\n", b);
    put_results(&t);
    put_ways_out(&t);
    return !out->failed;
}
