// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bands: consecutive loops over the same rows run a band of rows at a time, if each row needs only the
// same row of the other loops (or rows nearby: skew.c). Examples are a mean of each row and then the
// deviations from it, or two halves of an expression that is too long for one loop. A result that only
// loops of the band read never reaches memory.
//
// Which loops can run so depends on sizes, so it is decided when a recipe is run.

#include "vm/kernel/figures.h"
#include "vm/plan/watch.h"
#include "vm/sched/chain.h"

// --- Loops that may be in bands ----------------------------------------------------------------

// Returns whether a kernel can run by rows of dimension 0. A reduction has to keep that dimension and reduce the last
// one, so that no row's result depends on the number of rows.
static bool has_rows(const Kernel *k) {
    int inner = k->ndim - 1;
    if (k->shape[0] <= 1 || k->lines_count) return false;
    return !k->reduction_count || (!(k->reduced & 1) && (k->reduced >> inner & 1));
}

static bool take_link(Vm *vm, ChainLink *link, const Step *step, Node *const *all) {
    const Device *device = placing_home(vm->engine);
    if (!step || !step_is_loop(step)) return false;
    for (uint32_t n = 0; n < step->count; n++) link->nodes[n] = all[step->nodes[n]];
    link->step = step;
    link->exchange.count = 0;
    kernel_unpack(&link->kernel, step->packed, link->nodes, &link->dying);
    kernel_simplify(&link->kernel);
    for (uint32_t n = 0; n < step->count; n++)
        link->sites[n] = site_of(link->nodes[n], &link->kernel, (int)n);
    return link->kernel.ndim > 0 && !link->kernel.may_raise && !(link->kernel.hints & (HINT_WHOLE | HINT_HOST)) &&
           device->backend->supports(device->ctx, &link->kernel) == SUPPORT_YES;
}

// --- Rows --------------------------------------------------------------------------------------

// Returns whether the loop has this number of rows, or can be divided into as many.
static bool goes_along(const Kernel *k, int64_t rows) {
    if (!has_rows(k)) return false;
    if (k->shape[0] == rows) return true;
    return !k->reduction_count && k->ndim < NDIM_MAX && k->shape[0] % rows == 0;
}

Touched *chain_touched(struct Chain *c, const Storage *storage) {
    for (int i = 0; i < c->touched_count; i++)
        if (c->touched[i].storage == storage) return &c->touched[i];
    return NULL;
}

static void note(struct Chain *c, const Kernel *k, const KernAccess *access, int64_t rows,
                 uint32_t loaded, uint32_t stored) {
    int64_t inner = k->shape[0] / rows, step = access->strides[0] * inner;
    int64_t low = access->offset, high = low + (int64_t)dtype_size(access->dtype) - 1;
    for (int d = 0; d < k->ndim; d++) {
        int64_t reach = ((d == 0 ? inner : k->shape[d]) - 1) * access->strides[d];
        if (reach > 0)
            high += reach;
        else
            low += reach;
    }
    Touched *t = chain_touched(c, access->storage);
    if (!t) {
        t = &c->touched[c->touched_count++];
        *t = (Touched){
            .storage = access->storage, .step = step, .low = low, .high = high, .even = true};
    }
    t->even &= t->step == step;
    t->low = low < t->low ? low : t->low;
    t->high = high > t->high ? high : t->high;
    t->loaded |= loaded;
    t->stored |= stored;
}

static void note_loop(struct Chain *c, int number, int64_t rows) {
    const Kernel *k = &c->links[number].kernel;
    uint32_t bit = (uint32_t)1 << number;
    for (int i = 0; i < k->load_count; i++) note(c, k, &k->loads[i], rows, bit, 0);
    for (int i = 0; i < k->store_count; i++) note(c, k, &k->stores[i].to, rows, 0, bit);
}

// Tests, for storages that several loops access and one writes, that row i of each loop accesses row i of the storage
// only.
static bool by_rows(const struct Chain *c) {
    for (int i = 0; i < c->touched_count; i++) {
        const Touched *t = &c->touched[i];
        uint32_t loops = t->loaded | t->stored;
        int64_t cell = t->step < 0 ? -t->step : t->step;
        if (!t->stored || !(loops & (loops - 1))) continue;
        if (!t->even || t->high - t->low >= cell) return false;
    }
    return true;
}

// Returns how many loops, from the first one on, have this number of rows, need no other rows of each other, and
// share a storage with the loops before.
static int count_along(struct Chain *c, int64_t rows) {
    int count = 0;
    c->touched_count = 0;
    while (count < c->count && goes_along(&c->links[count].kernel, rows)) {
        int before = c->touched_count, fresh = 0;
        note_loop(c, count, rows);
        fresh = c->touched_count - before;
        const Kernel *k = &c->links[count].kernel;
        if (!by_rows(c) || (count > 0 && fresh == k->load_count + k->store_count)) break;
        count++;
    }
    return count;
}

// Chooses the number of rows with which most loops can run together, of equal choices the larger. Returns how many
// loops.
static int choose_rows(struct Chain *c) {
    int64_t rows = 0;
    int most = 0;
    for (int i = 0; i < c->count; i++) {
        int64_t extent = c->links[i].kernel.shape[0];
        int count = extent == rows || extent <= 1 ? 0 : count_along(c, extent);
        if (count < most || (count == most && extent < rows)) continue;
        rows = extent;
        most = count;
    }
    c->count = most;
    c->touched_count = 0;
    for (int i = 0; i < most; i++) note_loop(c, i, rows);
    c->bands.rows = rows;
    return most;
}

// --- Storages that only the chain sees ---------------------------------------------------------

static uint32_t references(const struct Chain *c, const Storage *storage) {
    uint32_t found = 0;
    for (int i = 0; i < c->count; i++)
        for (uint32_t n = 0; n < c->links[i].step->count; n++) {
            const Node *node = c->links[i].nodes[n];
            for (int a = 0; a < node->input_count; a++)
                found += !node->inputs[a].is_scalar && node->inputs[a].view.storage == storage;
            found += node->output.storage == storage;
        }
    return found;
}

size_t chain_row_bytes(const struct Chain *c) {
    size_t bytes = 0;
    for (int i = 0; i < c->touched_count; i++)
        bytes += (size_t)(c->touched[i].step < 0 ? -c->touched[i].step : c->touched[i].step);
    return bytes;
}

static void find_inside(struct Chain *c, int64_t band) {
    c->bands.inside_bytes = 0;
    for (int i = 0; i < c->touched_count; i++) {
        Touched *t = &c->touched[i];
        t->inside = t->stored && t->even && t->step > 0 && is_blank(&t->storage->buffer) &&
                    references(c, t->storage) == t->storage->refs;
        if (!t->inside) continue;
        size_t bytes = (size_t)(t->step * (band - 1) + t->high - t->low + 1);
        t->offset = (int64_t)c->bands.inside_bytes;
        c->bands.inside_bytes += aligned_bytes(bytes);
    }
}

// --- Memory ------------------------------------------------------------------------------------

// Returns those of the loads `dying` (bits) whose storage no other loop accesses.
static uint32_t one_loop(struct Chain *c, int number, uint32_t dying) {
    const Kernel *k = &c->links[number].kernel;
    for (int i = 0; i < k->load_count; i++) {
        const Touched *t = chain_touched(c, k->loads[i].storage);
        if (t->inside || (t->loaded | t->stored) != (uint32_t)1 << number)
            dying &= ~((uint32_t)1 << i);
    }
    return dying;
}

static void place_inside(struct Chain *c, KernAccess *access, uint32_t *set, int bit) {
    const Touched *t = chain_touched(c, access->storage);
    if (!t->inside) return;
    *set |= (uint32_t)1 << bit;
    access->base = NULL;
    access->offset += t->offset - t->low;
}

static Status bring(Vm *vm, const Device *device, KernAccess *access, bool inside) {
    if (inside) return ST_OK;
    Status st = memory_to_device(vm, device, access->storage);
    if (st == ST_OK) access->base = operand_base(device, access->storage);
    return st;
}

static Status prepare_link(Vm *vm, const Device *device, struct Chain *c, int number) {
    ChainLink *link = &c->links[number];
    Kernel *k = &link->kernel;
    uint32_t *loads = &c->bands.loads_inside[number], *stores = &c->bands.stores_inside[number];
    *loads = *stores = 0;
    for (int i = 0; i < k->load_count; i++) place_inside(c, &k->loads[i], loads, i);
    for (int i = 0; i < k->store_count; i++) place_inside(c, &k->stores[i].to, stores, i);
    exchange_find(device, k, one_loop(c, number, link->dying), &link->exchange);
    exchange_swap(vm, &link->exchange);
    k->underflow = vm->float_errors.action[FLOAT_UNDERFLOW] != FLOAT_IGNORE;
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < k->load_count; i++)
        st = bring(vm, device, &k->loads[i], *loads >> i & 1);
    for (int i = 0; st == ST_OK && i < k->store_count; i++)
        st = bring(vm, device, &k->stores[i].to, *stores >> i & 1);
    return st;
}

// Returns whether the chain is not restartable, since its loops overwrite what they read; it is not interrupted then.
static bool is_whole(const struct Chain *c) {
    bool whole = false;
    for (int i = 0; i < c->count; i++) whole |= c->links[i].kernel.whole;
    for (int i = 0; i < c->touched_count; i++) {
        const Touched *t = &c->touched[i];
        whole |= !t->inside && t->stored && t->loaded;
    }
    return whole;
}

static void undo(Vm *vm, const struct Chain *c, int count) {
    for (int i = count - 1; i >= 0; i--) exchange_swap(vm, &c->links[i].exchange);
}

static Status prepare(Vm *vm, const Device *device, struct Chain *c) {
    Status st = ST_OK;
    for (int i = 0; i < c->count; i++) {
        st = prepare_link(vm, device, c, i);
        if (st == ST_OK) continue;
        undo(vm, c, i + 1);
        return st;
    }
    bool whole = is_whole(c);
    for (int i = 0; i < c->count; i++) {
        Kernel *k = &c->links[i].kernel;
        k->whole = whole;
        c->bands.kernels[i] = k;
        for (int s = 0; s < k->store_count; s++)
            if (!(c->bands.stores_inside[i] >> s & 1))
                memory_written(vm, device, k->stores[s].to.storage);
    }
    return ST_OK;
}

// --- Running -----------------------------------------------------------------------------------

bool chain_is_interrupted(const struct Chain *c) {
    for (int i = 0; i < c->count; i++)
        for (int n = 0; n < c->links[i].flight.site_count; n++)
            if (c->links[i].flight.flags[n] & FLAG_INTERRUPTED) return true;
    return false;
}

static Status finish(Vm *vm, struct Chain *c) {
    Status st = chain_is_interrupted(c) ? vm_poll(vm) : ST_OK;
    if (st != ST_OK) return st; // all nodes stay pending, since results inside the chain are lost
    for (int i = 0; i < c->count; i++) {
        ChainLink *link = &c->links[i];
        Status one = st == ST_OK ? flight_report(vm, &link->flight) : ST_OK;
        for (uint32_t n = 0; n < link->step->count; n++)
            graph_finish(vm, link->nodes[n], one == ST_OK ? NODE_EXECUTED : NODE_ELIMINATED);
        if (st == ST_OK) st = one;
    }
    return st;
}

// Estimates the instructions of a kernel in bands, whose operands are in a cache.
static double work_of(const Kernel *k) {
    return (double)kernel_elements(k) * (k->code_count + k->reduction_count + k->load_count + k->store_count);
}

void chain_show(Vm *vm, const struct Chain *c, double begin, double seconds) {
    Watch *watch = vm->engine->watch;
    double all = 0, at = begin;
    for (int i = 0; i < c->count; i++) all += work_of(&c->links[i].kernel);
    for (int i = 0; i < c->count; i++) {
        const ChainLink *link = &c->links[i];
        double part = all > 0 ? work_of(&link->kernel) / all : 0;
        const KernelRun run = {.kernel = &link->kernel, .sites = link->sites, .band = c->bands.band,
                               .begin = at, .seconds = part * seconds,
                               .loads_inside = c->bands.loads_inside[i],
                               .stores_inside = c->bands.stores_inside[i]};
        at += run.seconds;
        watch->kernel(watch, vm, &run);
    }
}

static Status launch(Vm *vm, const Device *device, struct Chain *c) {
    uint32_t *flags[BAND_KERNELS];
    double begin = vm->engine->watch ? watch_clock() : 0;
    for (int i = 0; i < c->count; i++) {
        ChainLink *link = &c->links[i];
        link->flight = (Flight){.site_count = link->kernel.site_count, .sites = link->sites};
        flags[i] = link->flight.flags;
        for (uint32_t n = 0; n < link->step->count; n++) vm->engine->runs[link->nodes[n]->op]++;
    }
    if (!flight_launch_bands(vm, device, &c->bands, flags)) {
        undo(vm, c, c->count);
        return vm_no_memory(vm);
    }
    if (vm->engine->watch && !chain_is_interrupted(c)) chain_show(vm, c, begin, watch_clock() - begin);
    return finish(vm, c);
}

void chain_take(Vm *vm, struct Chain *c, const Step *first, Node *const *all) {
    c->count = 0;
    while (c->count < BAND_KERNELS && take_link(vm, &c->links[c->count], first, all)) {
        first = first->next;
        c->count++;
    }
}

static bool is_large(const Vm *vm, const Step *step, Node *const *all) {
    const View *space = kernel_space_of(all[step->nodes[0]]);
    return view_size(space) >= vm->engine->limits.band_least;
}

// Makes a chain of loops of which each row needs the same row of the others. False: fewer than two, or the backend
// declines.
static bool straight(const Backend *backend, const Device *device, struct Chain *c) {
    c->count = choose_rows(c);
    if (c->count < 2) return false;
    int64_t rows = c->bands.rows;
    c->bands.band = backend->band_rows(device->ctx, rows, chain_row_bytes(c), 0);
    if (c->bands.band == 0) return false;
    find_inside(c, c->bands.band);
    for (int i = 0; i < c->count; i++)
        if (c->links[i].kernel.shape[0] != rows) kernel_split(&c->links[i].kernel, rows);
    c->bands.skewed = false;
    c->bands.count = c->count;
    return true;
}

// Makes a chain of loops of which a row needs rows nearby of the others, if it has more loops than a straight chain.
// False: it has not.
static bool skewed(const Backend *backend, const Device *device, struct Chain *c) {
    int all = c->count, straight_ones = choose_rows(c);
    c->count = all;
    if (!skew_find(c, backend, device, straight_ones + 1)) {
        c->count = all;
        return false;
    }
    c->bands.inside_bytes = 0;
    for (int i = 0; i < c->touched_count; i++) c->touched[i].inside = false;
    c->bands.skewed = true;
    c->bands.count = c->count;
    return true;
}

Status run_bands(Vm *vm, const Step *first, Node *const *all, int *done) {
    struct Engine *engine = vm->engine;
    const Device *device = placing_home(engine);
    const Backend *backend = device->backend;
    *done = 0;
    if (!step_is_loop(first) || !first->next || !step_is_loop(first->next) || !backend->band_rows)
        return ST_OK;
    if (!is_on_ranks(vm) && !is_large(vm, first, all)) return ST_OK;
    if (!engine->chain) engine->chain = mem_zalloc(&vm->mem, sizeof *engine->chain);
    struct Chain *c = engine->chain;
    if (!c) return is_on_ranks(vm) ? vm_no_memory(vm) : ST_OK; // all ranks must take the same path
    if (is_on_ranks(vm)) return ghost_run(vm, c, first, all, done);
    chain_take(vm, c, first, all);
    if (c->count < 2) return ST_OK;
    if (!skewed(backend, device, c) && !straight(backend, device, c)) return ST_OK;
    Status st = prepare(vm, device, c);
    if (st == ST_OK) st = launch(vm, device, c);
    if (st != ST_OK && vm_error_is(vm, EXC_MemoryError)) {
        vm_clear_error(
            vm); // one by one the loops may need less memory, and an error can name the loop
        return ST_OK;
    }
    *done = c->count;
    return st;
}

void bands_free(Vm *vm) {
    struct Chain *c = vm->engine->chain;
    if (c) mem_free(&vm->mem, c->wholes, BAND_KERNELS * sizeof *c->wholes);
    mem_free(&vm->mem, c, sizeof *c);
    vm->engine->chain = NULL;
}
