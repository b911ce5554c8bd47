// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Launches kernels, waits for them, and reports their warnings and errors.

#include <inttypes.h>
#include <string.h>

#include "vm/kernel/host_op.h"
#include "vm/sched/operands.h"
#include "vm/sched/overlap.h"
#include "vm/sched/split.h"

// Returns the operation that warnings name: for ufunc.at the one that it combines with.
static OpId warned_op(const Node *node) {
    return node->op == AOP_PUT && node->attrs.combine != AOP_NONE ? node->attrs.combine : node->op;
}

// Returns NumPy's name of an operation. All reductions have the same name, and so have all scans.
static const char *warned_name(OpId op) {
    switch ((OpClass)op_info[op].op_class) {
    case CLASS_REDUCTION: return op_info[AOP_REDUCE].name;
    case CLASS_SCAN: return op_info[AOP_ACCUMULATE].name;
    default: return op_info[op].name;
    }
}

static bool index_next(const View *view, int64_t *index) {
    for (int d = view->ndim - 1; d >= 0; d--) {
        if (++index[d] < view->shape[d]) return true;
        index[d] = 0;
    }
    return false;
}

// Raises IndexError for the first index that is out of range, in the order of the elements.
static Status index_error(Vm *vm, const Node *node) {
    const View *at = &node->output;
    int64_t extent = node->inputs[1].scalar.i, index[NDIM_MAX] = {0}, found = 0;
    Status st = memory_to_host(vm, at->storage, false);
    if (st != ST_OK) return st;
    const char *base = at->storage->buffer.host;
    do {
        int64_t offset = at->offset;
        for (int d = 0; d < at->ndim; d++) offset += index[d] * at->strides[d];
        memcpy(&found, base + offset, sizeof found);
    } while (found >= 0 && found < extent && index_next(at, index));
    return vm_raise(vm, EXC_IndexError, "index %" PRId64 " is out of bounds for axis %d with size "
                    "%" PRId64, found, node->attrs.axis, extent);
}

static const struct {
    Flag flag;
    FloatError error;
} float_flags[] = { // in the order that NumPy asks for them
    {FLAG_DIVIDE, FLOAT_DIVIDE},
    {FLAG_OVERFLOW, FLOAT_OVERFLOW},
    {FLAG_UNDERFLOW, FLOAT_UNDERFLOW},
    {FLAG_INVALID, FLOAT_INVALID},
};

// Raises the error of a library op that has no result for its operand.
static Status failure(Vm *vm, OpId op) {
    const char *problem = "Singular matrix";
    switch (op) {
    case AOP_CHOLESKY: problem = "Matrix is not positive definite"; break;
    case AOP_FFT:
    case AOP_IFFT:
    case AOP_RFFT:
    case AOP_IRFFT: return vm_no_memory(vm);
    case AOP_QR: problem = "Incorrect argument found while performing QR factorization"; break;
    case AOP_EIGH:
    case AOP_EIG: problem = "Eigenvalues did not converge"; break;
    case AOP_SVD: problem = "SVD did not converge"; break;
    case AOP_LSTSQ: problem = "SVD did not converge in Linear Least Squares"; break;
    default: break;
    }
    return vm_raise(vm, EXC_LinAlgError, "%s", problem);
}

static Provenance provenance_of(const Site *site) {
    const Node *node = site->node;
    OpId op = warned_op(node);
    const char *name = node->attrs.called ? node->attrs.called : warned_name(op);
    return (Provenance){.place = node->place, .op = op, .untold = site->untold, .like = (uint8_t)site->like,
                        .name = op == AOP_HOST ? node->attrs.host->name : name,
                        .scalar = node->attrs.scalar, .quiet = node->attrs.quiet};
}

// Raises or warns for the flags of a site. `node` is NULL once it may be freed; only kernels that are waited for at
// once need it.
static Status report_site(Vm *vm, const Provenance *p, const Node *node, uint32_t flags) {
    flags &= ~p->untold;
    if (flags & FLAG_INDEX && node) return index_error(vm, node);
    if (flags & FLAG_ABSENT)
        return vm_raise(vm, EXC_NotImplementedError, "this build has no LAPACK, which %s needs", p->name);
    if (flags & FLAG_FAILED && p->op == AOP_HOST) return vm_raise(vm, EXC_RuntimeError, "%s failed", p->name);
    if (flags & FLAG_FAILED) return failure(vm, p->op);
    if (flags & FLAG_NEGATIVE_POWER)
        return vm_raise(vm, EXC_ValueError,
                        "Integers to negative integer powers are not allowed.");
    Status st = ST_OK;
    if (p->quiet) return ST_OK;
    for (size_t i = 0; st == ST_OK && i < sizeof float_flags / sizeof *float_flags; i++)
        if (flags & float_flags[i].flag)
            st = vm_float_error(vm, float_flags[i].error, p->scalar ? "scalar " : "", p->name);
    return st;
}

static Status report_of(Vm *vm, const Flight *flight, int number) {
    uint32_t flags = flight->flags[number];
    const Site *site = flight->sites ? &flight->sites[number] : NULL;
    flags |= flight->flags[site ? site->like : flight->provenance[number].like];
    if (!flags) return ST_OK;
    Provenance own, *p = &own;
    if (site) own = provenance_of(site);
    else p = &flight->provenance[number];
    vm->blamed = &p->place;
    Status st = report_site(vm, p, site ? site->node : NULL, flags);
    vm->blamed = NULL;
    if (st != ST_OK && !site && vm->trace) vm->trace(vm, p->place);
    return st;
}

Status flight_report(Vm *vm, const Flight *flight) {
    Status st = ST_OK;
    for (int i = 0; i < flight->site_count; i++)
        if (flight->flags[i] & FLAG_INTERRUPTED) return vm_poll(vm);
    for (int i = 0; st == ST_OK && i < flight->site_count; i++) st = report_of(vm, flight, i);
    return st;
}

// Reports with the float-error actions that were set at the launch.
static Status report_late(Vm *vm, const Flight *flight) {
    const FloatErrors now = vm->float_errors;
    vm->float_errors = flight->actions;
    Status st = flight_report(vm, flight);
    vm->float_errors = now;
    return st;
}

// A workspace: the allocated block, and the aligned address within it that kernels use.
typedef struct Workspace {
    void *block, *aligned;
    size_t bytes;
    Lasting *lasting; // whose memory it is; NULL: the VM's
} Workspace;

// Releases a workspace, but keeps one, so that small kernels in a row need not allocate theirs.
static void keep_workspace(Vm *vm, const Workspace *used) {
    enum { SPARE_MAX = 1 << 21 };
    struct Engine *engine = vm->engine;
    void *workspace = used->block;
    size_t bytes = used->bytes;
    if (used->lasting) {
        lasting_put(&engine->outlasting, used->lasting);
        lasting_collect(&engine->outlasting, &vm->mem, false);
        return;
    }
    if (workspace && !engine->spare && bytes <= SPARE_MAX) {
        engine->spare = workspace;
        engine->spare_bytes = bytes;
    } else {
        mem_free(&vm->mem, workspace, bytes);
    }
}

void flight_free_spare(Vm *vm) {
    mem_free(&vm->mem, vm->engine->spare, vm->engine->spare_bytes);
    vm->engine->spare = NULL;
}

// --- Pending reports -----------------------------------------------------------------------------

static void free_provenance(Vm *vm, Flight *flight) {
    for (int i = 0; flight->provenance && i < flight->site_count; i++)
        if (flight->provenance[i].place.code) release_obj(vm, flight->provenance[i].place.code);
    mem_free(&vm->mem, flight->provenance, (size_t)flight->site_count * sizeof *flight->provenance);
    flight->provenance = NULL;
}

// Defers the report: copies the provenance of its sites. False: no memory.
static bool put_off_report(Vm *vm, Flight *flight) {
    Provenance *p = mem_alloc(&vm->mem, (size_t)flight->site_count * sizeof *p);
    if (!p) return false;
    for (int i = 0; i < flight->site_count; i++) {
        p[i] = provenance_of(&flight->sites[i]);
        if (p[i].place.code) p[i].place.code->refs++;
    }
    flight->provenance = p;
    flight->sites = NULL;
    flight->actions = vm->float_errors;
    return true;
}

void flight_visit(Vm *vm, Visitor *visitor) {
    const struct Engine *engine = vm->engine;
    for (uint32_t n = 0; n < engine->flight_count; n++) {
        const Flight *flight = &engine->flights[(engine->first_flight + n) % FLIGHTS];
        for (int i = 0; flight->provenance && i < flight->site_count; i++)
            if (flight->provenance[i].place.code) visitor->visit(visitor, flight->provenance[i].place.code);
    }
}

// --- Waiting -------------------------------------------------------------------------------------

Status flight_device_failed(Vm *vm, const char *what, const char *with) {
    vm->engine->device_failed = true;
    return vm_raise(vm, EXC_RuntimeError, "the device could not %s %s", what, with);
}

bool flight_await(Vm *vm, Event event) {
    struct Engine *engine = vm->engine;
    const Device *device = &engine->device;
    if (event <= engine->arrived) return !engine->lost;
    engine->stats.waits++;
    if (device->backend->wait && !device->backend->wait(device->ctx, event)) engine->lost = true;
    engine->arrived = event;
    return !engine->lost;
}

static Flight *flight_at(struct Engine *engine, uint32_t number) {
    return &engine->flights[(engine->first_flight + number) % FLIGHTS];
}

// Counts the flights up to an event. Work of the host has event 0, and is counted with the flights before it.
static uint32_t count_up_to(struct Engine *engine, Event event) {
    uint32_t count = 0;
    while (count < engine->flight_count && flight_at(engine, count)->event <= event) count++;
    return count;
}

static Event last_event(struct Engine *engine, uint32_t count) {
    while (count > 0)
        if (flight_at(engine, --count)->event) return flight_at(engine, count)->event;
    return 0;
}

static void free_block(Vm *vm, Flight *flight) {
    Buffer gone = {.block = flight->block, .block_bytes = flight->block_bytes};
    if (flight->block) buffer_free_host(vm, &gone);
    flight->block = NULL;
}

static Status report_lost(Vm *vm, const Flight *flight) {
    const Provenance *p = flight->provenance;
    if (flight->site_count == 0) return flight_device_failed(vm, "copy an array", "from the host");
    Provenance own;
    if (!p) own = provenance_of(&flight->sites[0]), p = &own;
    flight_device_failed(vm, "run", p->name);
    if (vm->trace) vm->trace(vm, p->place);
    return ST_ERROR;
}

// Returns whether a lost device has still completed the flight of this event.
static bool is_done(const struct Engine *engine, Event event) {
    const Device *device = &engine->device;
    return !event || device->backend->wait(device->ctx, event);
}

// Completes the oldest flight. `reports`: raises its warnings and errors.
static Status arrive(Vm *vm, bool reports) {
    struct Engine *engine = vm->engine;
    Flight flight = *flight_at(engine, 0); // giving a warning may launch others
    engine->first_flight = (engine->first_flight + 1) % FLIGHTS;
    engine->flight_count--;
    engine->held -= flight.held;
    keep_workspace(vm, &(Workspace){flight.workspace, NULL, flight.workspace_bytes, flight.lasting});
    free_block(vm, &flight);
    Status st = !reports ? ST_OK
                : engine->lost && !is_done(engine, flight.event) ? report_lost(vm, &flight)
                : flight.provenance ? report_late(vm, &flight) : flight_report(vm, &flight);
    free_provenance(vm, &flight);
    return st;
}

static uint32_t raised_by(const Flight *flight) {
    uint32_t raised = 0;
    for (int i = 0; i < flight->site_count; i++) raised |= flight->flags[i];
    return raised;
}

// Completes the newest flight, whose work ended when its launch returned. It may overtake others, since it is the only
// one or has nothing to report.
static Status arrive_at_once(Vm *vm, const Flight *flight) {
    vm->engine->flight_count--;
    keep_workspace(vm, &(Workspace){flight->workspace, NULL, flight->workspace_bytes, flight->lasting});
    return flight_report(vm, flight);
}

// After an operation fails, drops the reports of later ones: the program never reached them.
static Status arrive_all(Vm *vm, uint32_t count) {
    struct Engine *engine = vm->engine;
    Status st = ST_OK;
    while (count-- > 0 && engine->flight_count > 0) {
        Status one = arrive(vm, st == ST_OK);
        if (st == ST_OK) st = one;
    }
    return st;
}

Status flight_settle(Vm *vm, Event event) {
    struct Engine *engine = vm->engine;
    uint32_t count = count_up_to(engine, event);
    if (count == 0) return ST_OK;
    flight_await(vm, last_event(engine, count));
    return arrive_all(vm, count);
}

Status flight_settle_all(Vm *vm) {
    return flight_settle(vm, UINT64_MAX);
}

void flight_forget_all(Vm *vm) {
    struct Engine *engine = vm->engine;
    flight_await(vm, last_event(engine, engine->flight_count));
    while (engine->flight_count > 0) arrive(vm, false);
}

static bool is_full(const struct Engine *engine) {
    return engine->flight_count >= (uint32_t)engine->limits.flights || engine->held > FLIGHT_BYTES;
}

// Returns the event after which half of the ring and of its bytes are free. So a full ring makes only one in many
// launches wait, and the device still has work meanwhile.
static Event event_of_half(struct Engine *engine) {
    const uint32_t most = (uint32_t)engine->limits.flights / 2;
    size_t held = engine->held;
    Event event = 0;
    for (uint32_t n = 0; n < engine->flight_count; n++) {
        const Flight *flight = flight_at(engine, n);
        if (event && engine->flight_count - n <= most && held <= FLIGHT_BYTES / 2) break;
        held -= flight->held;
        if (flight->event) event = flight->event;
    }
    return event;
}

Status flight_make_room(Vm *vm) {
    struct Engine *engine = vm->engine;
    Status st = ST_OK;
    while (st == ST_OK && engine->flight_count > 0 && is_full(engine)) st = flight_settle(vm, event_of_half(engine));
    return st;
}

Status flight_reserve(Vm *vm, int count) {
    struct Engine *engine = vm->engine;
    Status st = flight_make_room(vm);
    while (st == ST_OK && engine->flight_count > 0 && engine->flight_count + (uint32_t)count > FLIGHTS)
        st = flight_settle(vm, event_of_half(engine));
    return st;
}

// --- Host memory that a copy reads ---------------------------------------------------------------

static Flight *add_flight(struct Engine *engine, Event event) {
    Flight *flight = flight_at(engine, engine->flight_count++);
    flight->event = event;
    return flight;
}

void flight_copying(Vm *vm, Event event) {
    Flight *flight = add_flight(vm->engine, event);
    flight->site_count = 0;
    flight->sites = NULL;
    flight->provenance = NULL;
    flight->workspace = flight->block = NULL;
    flight->lasting = NULL;
    flight->held = 0;
}

static void hold(struct Engine *engine, Flight *flight, size_t bytes) {
    flight->held += bytes;
    engine->held += bytes;
}

void flight_holds(Vm *vm, const Buffer *buffer) {
    struct Engine *engine = vm->engine;
    if (buffer->busy > engine->arrived && engine->flight_count > 0)
        hold(engine, flight_at(engine, engine->flight_count - 1), buffer->bytes);
}

void flight_free_host(Vm *vm, Buffer *buffer) {
    struct Engine *engine = vm->engine;
    for (uint32_t n = 0; buffer->block && buffer->copied > engine->arrived && n < engine->flight_count; n++) {
        Flight *flight = flight_at(engine, n);
        if (flight->event != buffer->copied || flight->site_count || flight->block) continue;
        flight->block = buffer->block;
        flight->block_bytes = buffer->block_bytes;
        hold(engine, flight, buffer->block_bytes);
        buffer->host = buffer->block = NULL;
        buffer->block_bytes = 0;
        break;
    }
    if (buffer->block) flight_await(vm, buffer->copied);
    buffer->copied = 0;
    buffer_free_host(vm, buffer);
}

// --- Launching -----------------------------------------------------------------------------------

static bool find_workspace(Vm *vm, size_t bytes, Workspace *found) {
    *found = (Workspace){.bytes = 0};
    if (bytes == 0) return true;
    bytes += BUFFER_ALIGN;
    if (vm->engine->spare && vm->engine->spare_bytes < bytes) flight_free_spare(vm);
    if (vm->engine->spare) {
        found->block = vm->engine->spare;
        bytes = vm->engine->spare_bytes;
        vm->engine->spare = NULL;
    } else {
        found->block = mem_alloc(&vm->mem, bytes);
    }
    found->bytes = bytes;
    uintptr_t at = (uintptr_t)found->block;
    found->aligned = (void *)((at + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN);
    return found->block;
}

// Finds a workspace in reference-counted memory, which interrupted work may keep. False: out of memory.
static bool find_lasting(Vm *vm, size_t bytes, Workspace *found) {
    *found = (Workspace){.lasting = lasting_new(&vm->mem, bytes)};
    if (!found->lasting) return false;
    found->aligned = lasting_memory(found->lasting);
    return true;
}

static bool find_for(Vm *vm, const Device *device, const Kernel *kernel, Workspace *found) {
    const Backend *backend = device->backend;
    size_t bytes = backend->workspace(device->ctx, kernel);
    bool lasts = bytes && backend->lasts && backend->lasts(device->ctx, kernel);
    return lasts ? find_lasting(vm, bytes, found) : find_workspace(vm, bytes, found);
}

// Finds a workspace. When out of memory, completes all flights, which may hold some, and tries again.
static Status find_some_workspace(Vm *vm, const Device *device, const Kernel *kernel, Workspace *found) {
    if (find_for(vm, device, kernel, found)) return ST_OK;
    Status st = flight_settle_all(vm);
    return st != ST_OK || find_for(vm, device, kernel, found) ? st : vm_no_memory(vm);
}

// Returns whether the report may be an exception, which must be raised before later work starts.
static bool is_due_at_once(const Vm *vm, const Kernel *kernel, const Site *sites) {
    if (kernel->may_raise) return true;
    if (!kernel->flags || !sched_float_errors_raise(vm)) return false;
    for (int i = 0; i < kernel->site_count; i++)
        if (!sites[i].node->attrs.quiet) return true;
    return false;
}

Status flight_launch(Vm *vm, Target *target, Kernel *kernel, const Site *sites, bool *refused) {
    struct Engine *engine = vm->engine;
    const Device *device = target->device;
    Event event = 0;
    Workspace workspace;
    Status st = find_some_workspace(vm, device, kernel, &workspace);
    if (st != ST_OK) return st;
    Flight *flight = flight_at(engine, engine->flight_count); // there is room
    flight->site_count = kernel->site_count;
    flight->sites = sites;
    flight->provenance = NULL;
    flight->block = NULL;
    flight->workspace = workspace.block;
    flight->workspace_bytes = workspace.bytes;
    flight->lasting = kernel->lasting = workspace.lasting;
    flight->held = 0;
    kernel->workspace = workspace.aligned;
    memset(flight->flags, 0, (size_t)kernel->site_count * sizeof *flight->flags);
    const bool is_idle = kernel->split && kernel->split->is_empty;
    if (kernel->split && overlap_has_begun(vm)) st = overlap_run(vm, device, kernel, flight->flags);
    else *refused = !is_idle && !device->backend->launch(device->ctx, kernel, target->built, flight->flags, &event);
    if (kernel->split && st == ST_OK && !*refused) st = split_finish(vm, kernel, flight->flags);
    if (st != ST_OK || *refused) {
        keep_workspace(vm, &workspace);
        return st;
    }
    add_flight(engine, event);
    target->launched = true;
    if (kernel->library == AOP_NONE) engine->stats.kernels++;
    else engine->stats.library_calls++;
    if (device == &engine->device) engine->device_launches++;
    operands_written(vm, device, kernel);
    if (!event && (engine->flight_count == 1 || !raised_by(flight))) return arrive_at_once(vm, flight);
    hold(engine, flight, workspace.bytes);
    if (event) operands_busy(kernel, event);
    // Host work that was interrupted or failed (flags other than float flags) is reported at once.
    bool due = is_due_at_once(vm, kernel, sites) || (!event && raised_by(flight) & ~(uint32_t)FLAGS_FLOAT);
    if (!due && put_off_report(vm, flight)) return ST_OK;
    return event ? flight_settle(vm, event) : flight_settle_all(vm);
}

bool flight_launch_here(Vm *vm, const Device *device, Kernel *kernel, uint32_t *flags) {
    Workspace workspace;
    Event event = 0;
    if (!find_workspace(vm, device->backend->workspace(device->ctx, kernel), &workspace)) return false;
    kernel->workspace = workspace.aligned;
    kernel->lasting = NULL;
    device->backend->launch(device->ctx, kernel, NULL, flags, &event);
    keep_workspace(vm, &workspace);
    vm->engine->stats.kernels++;
    return true;
}

bool flight_launch_bands(Vm *vm, const Device *device, Bands *bands, uint32_t *const *flags) {
    Workspace workspace;
    size_t bytes = device->backend->bands_workspace(device->ctx, bands);
    if (!find_workspace(vm, bytes, &workspace)) return false;
    bands->workspace = workspace.aligned;
    device->backend->launch_bands(device->ctx, bands, flags);
    keep_workspace(vm, &workspace);
    vm->engine->stats.kernels += (uint64_t)bands->count;
    vm->engine->stats.kernels_in_bands += (uint64_t)bands->count;
    return true;
}
