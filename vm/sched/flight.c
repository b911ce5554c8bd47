// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Launching kernels, waiting for them, and the warnings and errors that come of them.

#include <inttypes.h>
#include <string.h>

#include "vm/kernel/host_op.h"
#include "vm/sched/sched.h"

// What warnings name: of ufunc.at its operation.
static OpId warned_op(const Node *node) {
    return node->op == AOP_PUT && node->attrs.combine != AOP_NONE ? node->attrs.combine : node->op;
}

// NumPy's name of it, which says of no reduction by what.
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

// The first index that is none, in the order of the elements.
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

// What became of an operand that has no such result.
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

static Status report_site(Vm *vm, const Site *site, uint32_t flags) {
    const Node *node = site->node;
    OpId op = warned_op(node);
    const char *name = node->attrs.called ? node->attrs.called : warned_name(op), *of = node->attrs.scalar ? "scalar " : "";
    flags &= ~site->untold;
    if (flags & FLAG_INDEX) return index_error(vm, node);
    if (flags & FLAG_ABSENT)
        return vm_raise(vm, EXC_NotImplementedError, "this build has no LAPACK, which %s needs", name);
    if (flags & FLAG_FAILED && op == AOP_HOST)
        return vm_raise(vm, EXC_RuntimeError, "%s failed", node->attrs.host->name);
    if (flags & FLAG_FAILED) return failure(vm, op);
    if (flags & FLAG_NEGATIVE_POWER)
        return vm_raise(vm, EXC_ValueError,
                        "Integers to negative integer powers are not allowed.");
    Status st = ST_OK;
    if (node->attrs.quiet) return ST_OK;
    for (size_t i = 0; st == ST_OK && i < sizeof float_flags / sizeof *float_flags; i++)
        if (flags & float_flags[i].flag) st = vm_float_error(vm, float_flags[i].error, of, name);
    return st;
}

Status flight_report(Vm *vm, const Flight *flight) {
    Status st = ST_OK;
    for (int i = 0; i < flight->site_count; i++)
        if (flight->flags[i] & FLAG_INTERRUPTED) return vm_poll(vm);
    for (int i = 0; flight->sites && st == ST_OK && i < flight->site_count; i++) {
        uint32_t flags = flight->flags[i] | flight->flags[flight->sites[i].like];
        if (!flags) continue;
        vm->blamed = &flight->sites[i].node->place;
        st = report_site(vm, &flight->sites[i], flags);
        vm->blamed = NULL;
    }
    return st;
}

static Flight *oldest(struct Engine *engine) {
    return engine->flight_count ? &engine->flights[engine->first_flight] : NULL;
}

// One workspace is kept, so that small kernels in a row need not ask for theirs.
static void keep_workspace(Vm *vm, const Flight *flight) {
    enum { SPARE_MAX = 1 << 21 };
    struct Engine *engine = vm->engine;
    void *workspace = flight->workspace;
    size_t bytes = flight->workspace_bytes;
    if (flight->lasting) {
        lasting_put(&engine->outlasting, flight->lasting);
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

// The oldest flight has arrived.
static Status arrive(Vm *vm) {
    struct Engine *engine = vm->engine;
    const Flight *flight = oldest(engine);
    engine->first_flight = (engine->first_flight + 1) % FLIGHTS;
    engine->flight_count--;
    keep_workspace(vm, flight);
    return flight_report(vm, flight);
}

Status flight_settle(Vm *vm, Event event) {
    struct Engine *engine = vm->engine;
    Status st = ST_OK;
    for (const Flight *flight; (flight = oldest(engine)) && flight->event <= event;) {
        if (flight->event) engine->device.backend->wait(engine->device.ctx, flight->event);
        Status one = arrive(vm);
        if (st == ST_OK) st = one;
    }
    return st;
}

Status flight_settle_all(Vm *vm) {
    return flight_settle(vm, UINT64_MAX);
}

// Memory of so many bytes, aligned, in *workspace; of the flight.
static bool find_workspace(Vm *vm, size_t bytes, Flight *flight, void **workspace) {
    flight->workspace = *workspace = NULL;
    flight->workspace_bytes = 0;
    flight->lasting = NULL;
    if (bytes == 0) return true;
    bytes += BUFFER_ALIGN;
    if (vm->engine->spare && vm->engine->spare_bytes < bytes) flight_free_spare(vm);
    if (vm->engine->spare) {
        flight->workspace = vm->engine->spare;
        bytes = vm->engine->spare_bytes;
        vm->engine->spare = NULL;
    } else {
        flight->workspace = mem_alloc(&vm->mem, bytes);
    }
    flight->workspace_bytes = bytes;
    uintptr_t at = (uintptr_t)flight->workspace;
    *workspace = (void *)((at + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN);
    return flight->workspace;
}

// The same, of memory that the kernel's work may keep.
static bool find_lasting(Vm *vm, size_t bytes, Flight *flight, Kernel *kernel) {
    flight->workspace = NULL;
    flight->workspace_bytes = 0;
    flight->lasting = kernel->lasting = lasting_new(&vm->mem, bytes);
    if (!flight->lasting) return false;
    kernel->workspace = lasting_memory(flight->lasting);
    return true;
}

static bool find_memory(Vm *vm, const Device *device, Flight *flight, Kernel *kernel) {
    const Backend *backend = device->backend;
    size_t bytes = backend->workspace(device->ctx, kernel);
    kernel->lasting = NULL;
    if (bytes && backend->lasts && backend->lasts(device->ctx, kernel)) return find_lasting(vm, bytes, flight, kernel);
    return find_workspace(vm, bytes, flight, &kernel->workspace);
}

// Whether nothing can be said of any site, so that nobody needs to wait.
static bool is_silent(const Kernel *kernel, const Site *sites) {
    if (kernel->may_raise) return false;
    bool silent = true;
    for (int i = 0; kernel->flags && silent && i < kernel->site_count; i++)
        silent = sites[i].node->attrs.quiet;
    return silent;
}

Status flight_launch(Vm *vm, const Device *device, Kernel *kernel, const Site *sites, Event *event) {
    struct Engine *engine = vm->engine;
    if (engine->flight_count >= (uint32_t)engine->limits.flights) {
        Status st = flight_settle(vm, oldest(engine)->event);
        if (st != ST_OK) return st;
    }
    uint32_t at = (engine->first_flight + engine->flight_count) % FLIGHTS;
    Flight *flight = &engine->flights[at];
    bool silent = is_silent(kernel, sites);
    flight->site_count = kernel->site_count;
    flight->sites = silent ? NULL : sites;
    memset(flight->flags, 0, (size_t)kernel->site_count * sizeof *flight->flags);
    if (!find_memory(vm, device, flight, kernel)) return vm_no_memory(vm);
    if (!device->backend->launch(device->ctx, kernel, NULL, flight->flags, event)) {
        keep_workspace(vm, flight);
        return vm_raise(vm, EXC_RuntimeError, "the device could not run %s",
                        kernel->site_count ? warned_name(warned_op(sites[0].node)) : "a kernel");
    }
    engine->flight_count++;
    flight->event = *event;
    if (kernel->library == AOP_NONE) engine->stats.kernels++;
    else engine->stats.library_calls++;
    return silent && *event ? ST_OK : flight_settle(vm, *event ? *event : UINT64_MAX);
}

bool flight_launch_bands(Vm *vm, const Device *device, Bands *bands, uint32_t *const *flags) {
    Flight flight;
    size_t bytes = device->backend->bands_workspace(device->ctx, bands);
    if (!find_workspace(vm, bytes, &flight, &bands->workspace)) return false;
    device->backend->launch_bands(device->ctx, bands, flags);
    keep_workspace(vm, &flight);
    vm->engine->stats.kernels += (uint64_t)bands->count;
    vm->engine->stats.kernels_in_bands += (uint64_t)bands->count;
    return true;
}
