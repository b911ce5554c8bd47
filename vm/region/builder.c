// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Regions as data: growing, freeing, checking.

#include "vm/region/builder.h"

// Grows the array that `items` points to by one element. False: out of memory.
static bool grow(RegionMaker *m, void **items, int32_t count, int32_t *room, size_t size,
                 int32_t most) {
    if (m->failed || count >= most) m->failed = true;
    if (m->failed || count < *room) return !m->failed;
    int32_t wider = *room ? 2 * *room : most < 64 ? most : 64;
    void *moved = mem_realloc(m->mem, *items, (size_t)*room * size, (size_t)wider * size);
    if (!moved) {
        m->failed = true;
        return false;
    }
    *items = moved;
    *room = wider;
    return true;
}

int32_t region_add(RegionMaker *m, RegionInstr instr) {
    Region *r = m->region;
    if (!grow(m, (void **)&r->code, r->code_count, &m->code_room, sizeof *r->code, REGION_CODE))
        return NO_VALUE;
    r->code[r->code_count] = instr;
    return r->code_count++;
}

int32_t region_add_int(RegionMaker *m, int64_t i) {
    return region_add(m, REGION_INSTR(.op = RG_NUMBER, .type = DT_INT64, .number = (uint64_t)i));
}

RegionInstr region_choice(DType type, int32_t condition, int32_t yes, int32_t no) {
    RegionInstr instr = REGION_INSTR(.op = RG_APPLY, .elementwise = AOP_WHERE,
                                     .from = (uint8_t)type, .type = (uint8_t)type);
    instr.args[0] = condition;
    instr.args[1] = yes;
    instr.args[2] = no;
    return instr;
}

int32_t region_add_apply(RegionMaker *m, OpId op, DType from, DType type, int32_t a, int32_t b) {
    RegionInstr instr = REGION_INSTR(.op = RG_APPLY, .elementwise = (uint8_t)op,
                                     .from = (uint8_t)from, .type = (uint8_t)type);
    instr.args[0] = a;
    instr.args[1] = b;
    return region_add(m, instr);
}

int32_t region_add_block(RegionMaker *m, uint32_t pc) {
    Region *r = m->region;
    if (!grow(m, (void **)&r->blocks, r->block_count, &m->block_room, sizeof *r->blocks,
              REGION_BLOCKS))
        return NO_VALUE;
    r->blocks[r->block_count] = (RegionBlock){.first = NO_VALUE, .end = NO_VALUE, .pc = pc};
    return r->block_count++;
}

int32_t region_add_exit(RegionMaker *m, RegionExit exit) {
    Region *r = m->region;
    if (!grow(m, (void **)&r->exits, r->exit_count, &m->exit_room, sizeof *r->exits, REGION_CODE))
        return NO_VALUE;
    r->exits[r->exit_count] = exit;
    region_wants_slots(m, exit.count);
    return r->exit_count++;
}

int32_t region_add_link(RegionMaker *m, int32_t value) {
    Region *r = m->region;
    enum { LINKS = 1 << 18 };
    if (!grow(m, (void **)&r->links, r->link_count, &m->link_room, sizeof *r->links, LINKS))
        return NO_VALUE;
    r->links[r->link_count] = value;
    return r->link_count++;
}

RegionNest *region_add_nest(RegionMaker *m) {
    Region *r = m->region;
    enum { NESTS = 256 };
    if (!grow(m, (void **)&r->nests, r->nest_count, &m->nest_room, sizeof *r->nests, NESTS))
        return NULL;
    r->nests[r->nest_count] = (RegionNest){0};
    return &r->nests[r->nest_count++];
}

RegionParallel *region_add_parallel(RegionMaker *m) {
    Region *r = m->region;
    if (!grow(m, (void **)&r->parallels, r->parallel_count, &m->parallel_room, sizeof *r->parallels,
              PARALLEL_LOOPS))
        return NULL;
    r->parallels[r->parallel_count] = (RegionParallel){0};
    return &r->parallels[r->parallel_count++];
}

void region_wants_slots(RegionMaker *m, int32_t count) {
    if (count > m->region->slot_count) m->region->slot_count = count;
    if (count > REGION_SLOTS) m->failed = true;
}

RegionMark region_mark(const RegionMaker *m) {
    const Region *r = m->region;
    return (RegionMark){r->code_count, r->block_count, r->exit_count, r->link_count};
}

void region_go_back(RegionMaker *m, RegionMark mark) {
    m->region->code_count = mark.code_count;
    m->region->block_count = mark.block_count;
    m->region->exit_count = mark.exit_count;
    m->region->link_count = mark.link_count;
    m->failed = false;
}

void region_free(Mem *mem, RegionMaker *m) {
    Region *r = m->region;
    mem_free(mem, r->code, (size_t)m->code_room * sizeof *r->code);
    mem_free(mem, r->blocks, (size_t)m->block_room * sizeof *r->blocks);
    mem_free(mem, r->exits, (size_t)m->exit_room * sizeof *r->exits);
    mem_free(mem, r->nests, (size_t)m->nest_room * sizeof *r->nests);
    mem_free(mem, r->parallels, (size_t)m->parallel_room * sizeof *r->parallels);
    mem_free(mem, r->links, (size_t)m->link_room * sizeof *r->links);
    *r = (Region){0};
    m->code_room = m->block_room = m->exit_room = m->link_room = m->nest_room = m->parallel_room =
        0;
}

// --- Checking ----------------------------------------------------------------------------------

static int32_t param_count(const Region *r, int32_t block) {
    int32_t at = r->blocks[block].first, count = 0;
    while (at + count < r->blocks[block].end && r->code[at + count].op == RG_PARAM) count++;
    return count;
}

static const char *verify_edge(const Region *r, const RegionEdge *edge) {
    if (edge->block < 0 || edge->block >= r->block_count) return "a jump to no block";
    if (edge->first < 0 || edge->first + edge->count > r->link_count)
        return "a jump with values from nowhere";
    if (edge->count != param_count(r, edge->block)) return "a jump with too few or too many values";
    int32_t params = r->blocks[edge->block].first;
    for (int32_t i = 0; i < edge->count; i++) {
        int32_t value = r->links[edge->first + i];
        if (value < 0 || value >= r->code_count) return "a jump with a value that is none";
        if (r->code[value].type != r->code[params + i].type)
            return "a jump with a value of another type";
    }
    return NULL;
}

static bool ends_block(uint8_t op) {
    return op == RG_JUMP || op == RG_BRANCH || op == RG_ROUNDS || op == RG_LEAVE;
}

// Checks that only the head of the loop is a jump target from outside.
static const char *verify_rounds(const Region *r, int32_t at) {
    const RegionInstr *in = &r->code[at];
    int32_t first = in->edges[0].block, last = (int32_t)in->number, head = first - 1;
    if (head < 0 || last < first || last >= r->block_count || in->edges[0].count != 0 ||
        r->blocks[head].end != at + 1 || r->blocks[head].first != in->args[0])
        return "rounds of no loop";
    for (int32_t i = 0; i < r->code_count; i++) {
        const RegionInstr *jump = &r->code[i];
        bool within = i == at || (i >= r->blocks[first].first && i < r->blocks[last].end);
        if (within || !ends_block(jump->op) || jump->op == RG_LEAVE) continue;
        for (int e = 0; e < (jump->op == RG_JUMP ? 1 : 2); e++)
            if (jump->edges[e].block >= first && jump->edges[e].block <= last)
                return "a jump into a loop";
    }
    return NULL;
}

static const char *verify_instr(const Region *r, int32_t at) {
    const RegionInstr *in = &r->code[at];
    const char *wrong = NULL;
    for (int a = 0; a < 4; a++)
        if (in->args[a] != NO_VALUE && (in->args[a] < 0 || in->args[a] >= r->code_count))
            return "an operand that is none";
    if (in->exit != NO_VALUE &&
        (in->exit < 0 || in->exit >= (in->to_block ? r->block_count : r->exit_count)))
        return "an exit to nowhere";
    if (in->to_block && param_count(r, in->exit) > 0) return "an exit without values";
    if ((in->op == RG_INDEX || in->op == RG_LOAD || in->op == RG_STORE) &&
        in->array >= r->array_count)
        return "an element of no array";
    bool nest = in->op == RG_NEST || in->op == RG_SPREAD;
    if (nest && in->number >= (uint64_t)r->nest_count) return "a nest that is none";
    if (in->op == RG_PARALLEL && in->number >= (uint64_t)r->parallel_count)
        return "a parallel loop that is none";
    if (has_links(in->op) && in->links.first + in->links.count > r->link_count)
        return "operands from nowhere";
    bool two = in->op == RG_BRANCH || in->op == RG_ROUNDS;
    if (in->op == RG_JUMP || two) wrong = verify_edge(r, &in->edges[0]);
    if (two && !wrong) wrong = verify_edge(r, &in->edges[1]);
    if ((in->op == RG_KEEP || in->op == RG_PUT_BACK) && in->number >= KEPT_PLACES)
        return "elements kept nowhere";
    return in->op == RG_ROUNDS && !wrong ? verify_rounds(r, at) : wrong;
}

const char *region_verify(const Region *r) {
    for (int32_t b = 0; b < r->block_count; b++) {
        const RegionBlock *block = &r->blocks[b];
        if (block->first < 0 || block->end <= block->first || block->end > r->code_count)
            return "an empty block";
        for (int32_t i = block->first; i < block->end; i++) {
            const char *wrong = verify_instr(r, i);
            if (wrong) return wrong;
            if (ends_block(r->code[i].op) != (i + 1 == block->end))
                return "a block that does not end";
        }
    }
    for (int32_t e = 0; e < r->exit_count; e++)
        if (r->exits[e].first + r->exits[e].count > r->link_count)
            return "an exit with values from nowhere";
    return NULL;
}
