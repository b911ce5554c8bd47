// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs a rank's part of a parallel loop, and agrees with the other ranks on the outcome.

#include "vm/jit/parts.h"

#include <fenv.h>
#include <string.h>

#include "vm/region/items.h"
#include "vm/region/parallel_box.h"
#include "vm/region/parallel_fold.h"
#include "vm/region/parallel_reach.h"
#include "vm/sched/engine.h"

// --- Before code is entered ----------------------------------------------------------------------

// Runs the pending nodes of all arrays first, since those of one array may move another's memory.
Status parts_open(AwayRun *run) {
    const Region *r = &run->variant->region;
    Status st = ST_OK;
    for (int pass = 0; pass < 2; pass++)
        for (int a = 0; a < r->array_count && st == ST_OK; a++) {
            View view;
            array_view(run->arrays[a], &view);
            if (pass == 0) st = graph_of(run->vm)->hooks.observe(run->vm, view.storage, r->arrays[a].written);
            else st = engine_loop_open(run->vm, &view, r->arrays[a].written);
        }
    return st;
}

// --- What the loop accesses ----------------------------------------------------------------------

_Static_assert((int)LOOP_USES >= PARALLEL_WRITES + PARALLEL_READS + (int)REGION_ARRAYS, "there is room for all uses");

static void add_use(const AwayRun *run, LoopParts *parts, int array, RoundsReach all, RoundsReach at, bool written) {
    const int64_t offset = run->arrays[array]->offset;
    parts->uses[parts->use_count++] = (LoopUse){.storage = run->storages[array],
                                                .all = {offset + all.low, offset + all.high},
                                                .at = {offset + at.low, offset + at.high},
                                                .step = at.step,
                                                .written = written};
}

static void add_accesses(const AwayRun *run, const ParallelRun *loop, LoopParts *parts) {
    const RegionParallel *p = loop->loop;
    for (int w = 0; w < p->write_count; w++)
        add_use(run, parts, p->writes[w].array, reach_of_array(loop, p->writes[w].array),
                        reach_of_access(loop, parts->rounds, &p->writes[w]), true);
    for (int i = 0; i < p->read_count; i++)
        add_use(run, parts, p->reads[i].array, reach_of_array(loop, p->reads[i].array),
                        reach_of_access(loop, parts->rounds, &p->reads[i]), false);
    for (int a = 0; a < loop->region->array_count; a++) {
        const RoundsReach all = reach_of_array(loop, a);
        if (p->unlisted >> a & 1) add_use(run, parts, a, all, all, false);
    }
}

static bool overlap(RoundsReach a, RoundsReach b) {
    return a.low < b.high && b.low < a.high;
}

// Returns whether each written array's elements are distinct, and overlap no other array that the loop accesses.
// Compares offsets within storages: addresses say nothing, since each storage has memory for some of its elements
// only.
static bool are_apart(const AwayRun *run, const ParallelRun *loop) {
    const uint32_t touched = items_arrays(loop->loop);
    for (int w = 0; w < loop->region->array_count; w++) {
        if (!(loop->loop->written >> w & 1)) continue;
        if (!elements_are_apart(loop, w)) return false;
        for (int a = 0; a < loop->region->array_count; a++) {
            if (a == w || !(touched >> a & 1) || run->storages[a] != run->storages[w]) continue;
            RoundsReach of_a = reach_of_array(loop, a), of_w = reach_of_array(loop, w);
            const int64_t between = run->arrays[a]->offset - run->arrays[w]->offset;
            of_a.low += between;
            of_a.high += between;
            if (overlap(of_a, of_w)) return false;
        }
    }
    return true;
}

static const char *why_not(const AwayRun *run, const ParallelRun *loop) {
    if (loop->loop->folded) return "rounds fold into elements of an array";
    if (loop->loop->views) return "a name for a part of an array outlives its round";
    if (loop->tally->given_up >= ITEMS_GIVEN_UP) return "some of its rounds cannot be done in machine code";
    return are_apart(run, loop) ? NULL : "its arrays overlap";
}

// --- This rank's iterations ----------------------------------------------------------------------

// Layout of the report that ranks exchange: three numbers, then the head's parameters after the rank's part.
enum { REPORT_MADE, REPORT_STOPPED, REPORT_WENT, REPORT_PARAMS, REPORT_MOST = REPORT_PARAMS + PARALLEL_PARAMS };

typedef struct OwnPart {
    AwayRun *run;
    ParallelRun loop;
    LoopParts parts;
    Buffer kept;       // elements' values before they were written, stretch after stretch of iterations
    size_t kept_bytes; // bytes of `kept` in use
    int64_t made;      // iterations whose elements are in `kept`
    int64_t stretch;   // iterations of a stretch
    bool keeps;        // whether values are kept, so that they can be restored
    RegionSlot report[REPORT_MOST];
} OwnPart;

static void begin(const OwnPart *part, const RegionSlot *state, RegionSlot *mine) {
    const RegionParallel *p = part->loop.loop;
    for (int i = 0; i < p->param_count; i++) {
        mine[i] = parallel_advanced(p, state, i, part->parts.first);
        if (p->params[i].kind == PARALLEL_COUNT) mine[i].i = part->parts.count;
        if (p->params[i].kind == PARALLEL_LAST) mine[i] = parallel_unset((DType)p->params[i].type);
        if (p->params[i].kind == PARALLEL_FOLD) mine[i] = fold_begin((OpId)p->params[i].op, (DType)p->params[i].type, state[i]);
    }
}

// Returns the elements that iterations first … first + count - 1 of the part write by access `write`.
static Box box_of_stretch(const OwnPart *part, int write, int64_t first, int64_t count) {
    return box_of(&part->loop, &part->loop.loop->writes[write], part->parts.first + first, count);
}

static size_t bytes_of(const OwnPart *part, int64_t first, int64_t count) {
    size_t bytes = 0;
    for (int w = 0; w < part->loop.loop->write_count; w++) {
        Box box = box_of_stretch(part, w, first, count);
        bytes += box_bytes(&box);
    }
    return bytes;
}

static int64_t in_stretch(const OwnPart *part, int64_t first) {
    const int64_t left = part->parts.count - first;
    return part->stretch < left ? part->stretch : left;
}

static bool reads_what_it_writes(const LoopParts *parts) {
    for (int i = 0; i < parts->use_count; i++)
        for (int k = 0; k < parts->use_count; k++)
            if (parts->uses[i].written && !parts->uses[k].written && parts->uses[i].storage == parts->uses[k].storage) return true;
    return false;
}

// Returns whether iterations may run twice, so that the values which they overwrite need not be kept. For that, the
// loop must not raise an exception, so that all iterations will run, here or on gathered arrays; and no iteration may
// read an element that was written. Without kept values the loop cannot be stopped in the middle, so it has to be short
// (work_most). Values are also kept if that costs little compared with the loop (WORK_A_BYTE). All ranks make the same
// decision, since either all restore or none.
static bool may_be_repeated(const OwnPart *part) {
    enum { WORK_A_BYTE = 16 };
    const double work_most = 4e9; // estimated instructions; about a second
    const LoopParts *parts = &part->parts;
    return !parts->flags_raise && !reads_what_it_writes(parts) && parts->work <= work_most &&
           parts->work <= WORK_A_BYTE * (double)bytes_of(part, -parts->first, parts->rounds) &&
           reach_is_checked(&part->loop, parts->rounds);
}

// Chooses the length of stretches, so short that the elements kept of one are still in the cache when its iterations
// write them. Allocates `kept`; false: out of memory.
static bool find_stretches(OwnPart *part) {
    enum { STRETCH_BYTES = 1 << 18 };
    const int64_t count = part->parts.count, threads = part->loop.calls->threads;
    const size_t bytes = bytes_of(part, 0, count), most = (size_t)threads * STRETCH_BYTES;
    part->stretch = bytes <= most ? count : (int64_t)((double)count * (double)most / (double)bytes);
    if (part->stretch < 1) part->stretch = 1;
    part->keeps = !may_be_repeated(part);
    if (!part->keeps) part->stretch = count;
    part->kept.bytes = 0;
    for (int64_t first = 0; part->keeps && first < count; first += part->stretch)
        part->kept.bytes += bytes_of(part, first, in_stretch(part, first));
    return part->kept.bytes == 0 || buffer_alloc_host(part->run->vm, &part->kept, FRESH_ANY);
}

static void keep(OwnPart *part, int64_t first, int64_t count) {
    for (int w = 0; w < part->loop.loop->write_count; w++) {
        Box box = box_of_stretch(part, w, first, count);
        box_keep(&box, part->kept.host + part->kept_bytes);
        part->kept_bytes += box_bytes(&box);
    }
}

// Restores kept values, the last kept first, since two stretches may write the same elements.
static void put_back(OwnPart *part) {
    while (part->made > 0) {
        const int64_t first = (part->made - 1) / part->stretch * part->stretch, count = part->made - first;
        part->made = first;
        for (int w = part->loop.loop->write_count - 1; w >= 0; w--) {
            Box box = box_of_stretch(part, w, first, count);
            part->kept_bytes -= box_bytes(&box);
            box_put_back(&box, part->kept.host + part->kept_bytes);
        }
    }
}

// Returns whether all variables that iterations set have values.
static bool has_lasts(const OwnPart *part, const RegionSlot *mine) {
    const RegionParallel *p = part->loop.loop;
    for (int i = 0; i < p->param_count; i++)
        if (p->params[i].kind == PARALLEL_LAST && mine[i].i == parallel_unset((DType)p->params[i].type).i) return false;
    return true;
}

// Runs the iterations of a stretch, in threads as far as possible, the rest in this one. False: not all have run.
static bool make_stretch(OwnPart *part, int64_t first, int64_t count, RegionSlot *mine, int64_t *went) {
    static const volatile size_t goes_on = 1;
    ParallelRun *loop = &part->loop;
    const volatile size_t *stop = part->keeps ? loop->stop : &goes_on;
    RegionSlot out[PARALLEL_PARAMS];
    int64_t further = 0;
    loop->skipped = part->parts.first + first;
    mine[loop->loop->count_param].i = count;
    if (*stop != 0 && parallel_run(loop, mine, went) == count) return true;
    feclearexcept(FE_ALL_EXCEPT);
    const bool done = *stop != 0 && loop->rounds(loop->slots, stop, &further, loop->calls, mine, out);
    feclearexcept(FE_ALL_EXCEPT);
    if (done) memcpy(mine, out, (size_t)loop->loop->param_count * sizeof *mine);
    *went += further;
    return done;
}

static bool make(OwnPart *part, RegionSlot *mine, int64_t *went) {
    bool done = true;
    for (int64_t first = 0; done && first < part->parts.count; first += part->stretch) {
        const int64_t count = in_stretch(part, first);
        if (part->keeps) keep(part, first, count);
        if (part->keeps) part->made = first + count;
        done = make_stretch(part, first, count, mine, went);
    }
    return done && has_lasts(part, mine);
}

static void run_part(OwnPart *part, const RegionSlot *state) {
    RegionSlot *mine = part->report + REPORT_PARAMS;
    int64_t went = 0;
    begin(part, state, mine);
    part->report[REPORT_MADE].i = part->parts.count == 0 || (find_stretches(part) && make(part, mine, &went));
    part->report[REPORT_STOPPED].i = part->keeps && *part->loop.stop == 0;
    part->report[REPORT_WENT].i = went;
}

// --- Agreement -------------------------------------------------------------------------------------

// Computes the head's parameters after the loop, from all ranks' reports. False: a fold overflows or raises a flag.
static bool go_on(const OwnPart *part, const RegionSlot *all, int ranks, RegionSlot *state) {
    const RegionParallel *p = part->loop.loop;
    const int words = REPORT_PARAMS + p->param_count;
    RegionSlot after[PARALLEL_PARAMS];
    for (int i = 0; i < p->param_count; i++) {
        const RegionSlot *of_rank = all + REPORT_PARAMS + i;
        after[i] = parallel_advanced(p, state, i, part->parts.rounds);
        if (p->params[i].kind == PARALLEL_COUNT) after[i].i -= part->parts.rounds;
        if (p->params[i].kind == PARALLEL_LAST) after[i] = of_rank[part->parts.last * words];
        for (int r = 0; r < ranks && p->params[i].kind == PARALLEL_FOLD; r++)
            if (!fold_together((OpId)p->params[i].op, (DType)p->params[i].type, &after[i], of_rank[r * words])) return false;
    }
    memcpy(state, after, (size_t)p->param_count * sizeof *state);
    return true;
}

// Returns whether every rank has made its iterations; then *state and *went are combined over all ranks.
static bool accept(OwnPart *part, const RegionSlot *all, int ranks, RegionSlot *state, int64_t *went) {
    const int words = REPORT_PARAMS + part->loop.loop->param_count;
    bool made = true, stopped = false;
    int64_t further = 0;
    for (int r = 0; r < ranks; r++) {
        made &= all[r * words + REPORT_MADE].i != 0;
        stopped |= all[r * words + REPORT_STOPPED].i != 0;
        further += all[r * words + REPORT_WENT].i;
    }
    if (made && go_on(part, all, ranks, state)) {
        *went += further;
        return true;
    }
    if (stopped) return false;
    part->loop.tally->given_up++;
    part->run->variant->gathers = "a round of it cannot be done in machine code";
    return false;
}

static Status agree(OwnPart *part, RegionSlot *state, int64_t *went, bool *made) {
    Vm *vm = part->run->vm;
    const size_t words = (size_t)(REPORT_PARAMS + part->loop.loop->param_count);
    const int ranks = engine_rank_count(vm);
    RegionSlot *all = mem_alloc(&vm->mem, words * (size_t)ranks * sizeof *all);
    if (!all) return vm_no_memory(vm);
    Status st = engine_loop_agree(vm, part->report, all, words * sizeof *all);
    *made = st == ST_OK && accept(part, all, ranks, state, went);
    mem_free(&vm->mem, all, words * (size_t)ranks * sizeof *all);
    return st;
}

// Sets the arrays' addresses in the slots, since their memory may have moved.
static void put_addresses(const AwayRun *run) {
    const Region *r = &run->variant->region;
    for (int a = 0; a < r->array_count; a++)
        run->slots[r->arrays[a].slot].address = run->storages[a]->buffer.host + run->arrays[a]->offset;
}

static int64_t share(OwnPart *part, RegionSlot *state, int64_t *went) {
    AwayRun *run = part->run;
    bool made = false;
    put_addresses(run);
    run_part(part, state);
    run->st = agree(part, state, went, &made);
    if (!made) put_back(part);
    buffer_free_host(run->vm, &part->kept);
    engine_loop_end(run->vm, &part->parts);
    if (!made) away_leave(run);
    part->loop.tally->parts += made ? (uint64_t)part->parts.count : 0;
    return made ? part->parts.rounds : 0;
}

int64_t parts_make(AwayRun *run, const ParallelRun *loop, RegionSlot *state, int64_t *went) {
    const int64_t rounds = state[loop->loop->count_param].i;
    OwnPart *part = rounds > 0 ? mem_zalloc(loop->mem, sizeof *part) : NULL;
    int64_t made = 0;
    if (rounds <= 0) return 0;
    if (!part) {
        run->st = vm_no_memory(run->vm);
        away_leave(run);
        return 0;
    }
    part->run = run;
    part->loop = *loop;
    part->loop.apart = true;
    part->parts = (LoopParts){.rounds = rounds, .work = round_work(loop, rounds) * (double)rounds, .balance = &run->variant->balance};
    part->parts.why = why_not(run, loop);
    add_accesses(run, loop, &part->parts);
    run->st = engine_loop_begin(run->vm, &part->parts);
    if (run->st != ST_OK) {
        away_leave(run);
    } else if (!part->parts.why) {
        made = share(part, state, went);
    } else if (part->parts.is_cut) {
        run->variant->gathers = part->parts.why;
        away_leave(run);
    } else {
        made = parallel_run(loop, state, went);
    }
    mem_free(loop->mem, part, sizeof *part);
    return made;
}
