// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The engine's interface for the rest of the VM: starting, stopping, observing everything, statistics.

#ifndef NACRE_VM_SCHED_ENGINE_H
#define NACRE_VM_SCHED_ENGINE_H

#include "vm/plugin/ranks.h"
#include "vm/region/region.h"
#include "vm/value/kind.h"
#include "vm/value/vm.h"

struct Watch;
struct DryOptions;

// What a detour leads to, beyond being counted.
typedef enum Strict { STRICT_OFF, STRICT_WARN, STRICT_ERROR } Strict;

typedef struct EngineOptions {
    const char *backend; // by name; NULL: "cpu"
    int threads;         // 0: as many as the machine has
    int depth;           // how many array operations may be pending at once, small ones too; 0: the default
    bool reproducible;   // BackendOptions.reproducible; implies `deterministic`
    bool deterministic;  // BackendOptions.deterministic, and no decision depends on the machine's memory or on time.
                         // Implied on ranks, which are also `reproducible` unless all have the same number of threads
    int tier;            // BackendOptions.tier
    Strict strict;
    void *stream;        // BackendOptions.stream
    const Ranks *ranks;  // NULL: the program runs alone
    RanksOptions joining; // the options that `ranks` is opened with, except `stopped`
    void (*refused)(void *ctx, const char *why); // called with the reason if the ranks cannot be joined; or NULL
    void *refused_ctx;
    bool check_ranks;    // Link.checks
    int64_t split_least; // Link.split_least; 0: the default
    const struct DryOptions *dry; // a dry run (dry.h), for which `ranks` is the transport "dry"; NULL: a run
    int64_t device_least; // EngineLimits.device_least; 0: the default
    bool unfused;        // each array operation is run by itself, as a reference for fusion
    bool sandboxed;      // no plug-ins
    bool stress;         // shrinks every limit that was not given, so that rare cases are common; checks
                         // plans after each pass, as every debug build does
} EngineOptions;

// Creates vm->engine. False when out of memory, or when there is no such backend.
bool engine_start(Vm *vm, const EngineOptions *options);
void engine_stop(Vm *vm); // does nothing if not started
void engine_give_back(Vm *vm); // frees workspaces that are not in use any more (Lasting); does nothing if not started
bool engine_checks(const Vm *vm); // whether plans are checked: in debug builds, and with `stress`
void engine_forget(Vm *vm); // drops the pending nodes, which will not be observed

void engine_visit(Vm *vm, Visitor *visitor); // visits the program's objects that the engine holds

// Called at a loop's back-edge: runs the pending nodes if there are enough for a plan.
Status engine_safe_point(Vm *vm);

// Runs all pending nodes, so that later code (reading a clock, the end of a script) sees their effects.
Status engine_observe_all(Vm *vm);
// Waits for all launched kernels, and reports their warnings and errors. Pending nodes stay pending.
Status engine_settle(Vm *vm);
// Called after a stop: pending nodes stay pending until their values are observed.
void engine_put_aside(Vm *vm);
// Runs the nodes that several storages depend on, in one plan.
Status engine_observe(Vm *vm, Storage *const *storages, size_t count);

// Calls run(job, part, worker) for every part, on the host's threads, and returns when all calls have. They must not
// allocate the VM's memory.
void engine_share(Vm *vm, RegionPartFn run, void *job, int parts);
int engine_threads(const Vm *vm); // the number of the host's threads; numbers of workers are less

// Returns whether work is done on a device with its own memory; and the number of elements from which on a loop is, if
// its operands are on the host.
bool engine_on_device(const Vm *vm);
int64_t engine_device_least(const Vm *vm);
// Runs all pending nodes, and counts the kernels launched on the device so far.
Status engine_device_launches(Vm *vm, uint64_t *count);
// Returns whether each array operation is run by itself.
bool engine_is_unfused(const Vm *vm);
const char *engine_device_name(const Vm *vm); // the name of its backend

// Kinds of detours: work that is done in another way than the options ask for.
typedef enum DetourKind {
    DETOUR_KERNEL,      // a device was chosen, and the host does it
    DETOUR_TRANSFER,    // an array is brought to the host though the program has not asked for its elements
    DETOUR_GATHERED,    // arrays are distributed, and every rank does all of it
    DETOUR_ROWS,        // arrays lie on a grid of ranks, and are brought into blocks of rows
    DETOUR_INTERPRETED, // machine code was asked for, and there is none
} DetourKind;
// Counts a detour, and with `strict` raises RuntimeError or warns about it at that place of the program. `which` tells
// apart detours at one place. `what` and `why` are phrases: "argsort", "opencl has no argsort".
Status engine_detour(Vm *vm, DetourKind kind, int which, CodePlace place, const char *what, const char *why);
Status engine_detour_here(Vm *vm, DetourKind kind, const char *what, const char *why); // at the program's current place
typedef struct EngineDetour {
    const char *kind, *text, *file;
    uint32_t line;
    uint64_t count;
} EngineDetour;
bool engine_detour_told(const Vm *vm, int index, EngineDetour *out); // false: there are not so many detours
bool engine_is_strict(const Vm *vm);

// Calls of the host's backend that compile a region: Backend.region, region_calls and region_code.
void *engine_region(Vm *vm, const Region *region, const RegionNotes *notes);
const RegionCalls *engine_region_calls(const Vm *vm);
RegionFn engine_region_code(Vm *vm, void *asked, bool wait, bool *failed);
// Append generated source text, for people: Backend.region_source and kernel_source.
bool engine_region_source(const Vm *vm, const Region *region, const RegionNotes *notes, Buf *out);
bool engine_kernel_source(const Vm *vm, int index, Buf *out);

// Switches an optional pass on or off. False: there is none of that name.
bool engine_use_pass(Vm *vm, const char *name, bool used);
// Installs a watcher, borrowed, or none with NULL.
void engine_watch(Vm *vm, struct Watch *watch);
// Returns the elements of a storage as they are now, without running pending nodes; NULL: they are not available.
const void *engine_peek(Vm *vm, Storage *storage);

typedef struct EngineStats {
    uint64_t recorded, executed, eliminated, pending; // nodes
    uint64_t batched;                        // nodes that became part of those of other rounds of a loop (batch.h)
    uint64_t kernels, library_calls;         // launched
    uint64_t plans_made, plans_reused;
    uint64_t plans_hash;                     // a hash of which nodes were run together, in order
    uint64_t kernels_in_bands;
    uint64_t direct;                         // operations executed directly, without recording a node
    uint64_t fallbacks;                      // kernels, and loops with arrays, on the host though a device was chosen
    uint64_t compiled;                       // kernel forms for which code has been made
    uint64_t threads, threads_used;          // threads that may work, and those that have
    uint64_t copies_in, copies_out, bytes_in, bytes_out; // to and from the device's memory
    uint64_t waits;                          // how often the device was waited for
    uint64_t kernels_shared;                 // partitioned: each rank ran its part
    uint64_t kernels_gathered;               // replicated: every rank ran all of it, on gathered operands
    uint64_t array_exchanges, arrays_gathered, array_bytes_received; // as in NacreStats
    uint64_t exchanges_overlapped;           // exchanges during which this rank computed (overlap.h)
    int ranks, rank;                         // the number of ranks, at least 1; the one that these figures are of
    RanksCounts link;                        // messages between ranks
    uint64_t array_memory_peak;              // of a dry run, as in NacreStats
} EngineStats;
EngineStats engine_stats(const Vm *vm);
// Returns the statistics of any rank of a dry run; otherwise `rank` has to be this one.
EngineStats engine_stats_of(const Vm *vm, int rank);

// Returns how often array operation number `index` was run, in kernels or directly, and sets *name to its name. Past
// the last operation returns 0 and sets *name to NULL.
uint64_t engine_runs(const Vm *vm, int index, const char **name);

// Implements nacre_prepare: initialisation that is possible only while the process has a single thread. `for_ranks`:
// threads of the process are ranks, which have to compute the same bits.
void engine_prepare(bool for_ranks);
// Appends lines about backends and libraries, for `nacre info`.
void engine_describe(Buf *out);

#endif
