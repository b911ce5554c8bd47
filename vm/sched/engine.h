// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The engine's door for the rest of the VM: start, stop, observe everything, figures.

#ifndef NACRE_VM_SCHED_ENGINE_H
#define NACRE_VM_SCHED_ENGINE_H

#include "vm/plugin/ranks.h"
#include "vm/region/region.h"
#include "vm/value/kind.h"
#include "vm/value/vm.h"

struct Watch;
struct DryOptions;

// What becomes of a detour, beyond being counted.
typedef enum Strict { STRICT_OFF, STRICT_WARN, STRICT_ERROR } Strict;

typedef struct EngineOptions {
    const char *backend; // by name; NULL: "cpu"
    int threads;         // 0: as many as the machine has
    int depth;           // so many array operations may be pending at once, small ones too; 0: the default
    bool reproducible;   // BackendOptions.reproducible; implies the next
    bool deterministic;  // BackendOptions.deterministic, and no decision depends on the machine's memory or on time. Implied on ranks,
                         // which are also `reproducible` unless all of them have the same number of threads
    int tier;            // BackendOptions.tier
    Strict strict;
    void *stream;        // BackendOptions.stream
    const Ranks *ranks;  // NULL: the program runs alone
    RanksOptions joining; // what `ranks` is opened with, but for `stopped`
    void (*refused)(void *ctx, const char *why); // called with the reason if they cannot be joined; or NULL
    void *refused_ctx;
    bool check_ranks;    // Link.checks
    int64_t split_least; // Link.split_least; 0: the default
    const struct DryOptions *dry; // a dry run (dry.h), for which `ranks` is the transport "dry"; NULL: a run
    int64_t device_least; // EngineLimits.device_least; 0: the default
    bool unfused;        // each array operation is run by itself: what fusion is compared with
    bool sandboxed;      // no plug-ins
    bool stress;         // shrinks every limit that was not given, so that what is rare is common; checks
                         // plans after each pass, as every debug build does
} EngineOptions;

// Creates vm->engine. False when out of memory, or when there is no such backend.
bool engine_start(Vm *vm, const EngineOptions *options);
void engine_stop(Vm *vm); // harmless when not started
void engine_give_back(Vm *vm); // frees memory that is kept for nothing any more; harmless when not started
bool engine_checks(const Vm *vm); // debug builds, and `stress`
void engine_forget(Vm *vm); // drops what is pending: nobody is going to ask

void engine_visit(Vm *vm, Visitor *visitor); // what it holds of the program

// At a loop's back-edge: runs what is pending if it is worth a plan.
Status engine_safe_point(Vm *vm);

// Runs every pending node, so that what follows (a clock, the end of a script) sees their effects.
Status engine_observe_all(Vm *vm);
// Waits for what has been launched, and reports on it; what is pending stays so.
Status engine_settle(Vm *vm);
// A stop: what is pending stays so until somebody wants its value.
void engine_put_aside(Vm *vm);
// Runs what leads to the values of several storages, together.
Status engine_observe(Vm *vm, Storage *const *storages, size_t count);

// Runs run(job, part, worker) for every part on the host's threads, and returns when all are done. Parts allocate
// nothing of the VM's memory.
void engine_share(Vm *vm, RegionPartFn run, void *job, int parts);
int engine_threads(const Vm *vm); // how many there are; workers are numbered below

// Whether work is done on a device, away from the host's memory; and the elements of a loop from which on it is, where
// its operands are on the host.
bool engine_on_device(const Vm *vm);
int64_t engine_device_least(const Vm *vm);
// Kernels launched on it so far, once all that is pending has been run.
Status engine_device_launches(Vm *vm, uint64_t *count);
// Whether each array operation is run by itself.
bool engine_is_unfused(const Vm *vm);
const char *engine_device_name(const Vm *vm); // the backend's

// Work that goes another way than the options ask for. `what` and `why` are phrases: "argsort", "opencl has no
// argsort".
typedef enum DetourKind {
    DETOUR_KERNEL,      // a device was chosen, and the host does it
    DETOUR_TRANSFER,    // an array is brought to the host though the program has not asked for its elements
    DETOUR_GATHERED,    // arrays are distributed, and every rank does all of it
    DETOUR_ROWS,        // arrays lie on a grid of ranks, and are brought into blocks of rows
    DETOUR_INTERPRETED, // machine code was asked for, and there is none
} DetourKind;
// Counts it, and with `strict` raises RuntimeError or warns, about that place of the program. `which` tells apart
// what happens at one place.
Status engine_detour(Vm *vm, DetourKind kind, int which, CodePlace place, const char *what, const char *why);
Status engine_detour_here(Vm *vm, DetourKind kind, const char *what, const char *why); // where the program is
typedef struct EngineDetour {
    const char *kind, *text, *file;
    uint32_t line;
    uint64_t count;
} EngineDetour;
bool engine_detour_told(const Vm *vm, int index, EngineDetour *out); // false: there is none of that number
bool engine_is_strict(const Vm *vm);

// Code for a region, which runs in the host's memory: Backend.region and region_code.
void *engine_region(Vm *vm, const Region *region, const RegionNotes *notes);
const RegionCalls *engine_region_calls(const Vm *vm);
RegionFn engine_region_code(Vm *vm, void *asked, bool wait, bool *failed);
// Source text, for people: Backend.region_source and kernel_source.
bool engine_region_source(const Vm *vm, const Region *region, const RegionNotes *notes, Buf *out);
bool engine_kernel_source(const Vm *vm, int index, Buf *out);

// Switches an optional pass on or off. False: there is none of that name.
bool engine_use_pass(Vm *vm, const char *name, bool used);
// Installs a watcher, borrowed, or none with NULL.
void engine_watch(Vm *vm, struct Watch *watch);
// Elements of a storage as they are now, whatever is pending; NULL: they cannot be had.
const void *engine_peek(Vm *vm, Storage *storage);

typedef struct EngineStats {
    uint64_t recorded, executed, eliminated, pending; // nodes
    uint64_t kernels, library_calls;         // launched
    uint64_t plans_made, plans_reused;
    uint64_t plans_hash;                     // of what was run together, in order
    uint64_t kernels_in_bands;
    uint64_t direct;                         // operations done where they were written, without a node
    uint64_t fallbacks;                      // kernels, and loops with arrays, on the host though a device was chosen
    uint64_t compiled;                       // kernel forms for which code has been made
    uint64_t threads, threads_used;          // may work; have done so
    uint64_t copies_in, copies_out, bytes_in, bytes_out; // to and from the device's memory
    uint64_t waits;                          // how often the device was waited for
    uint64_t kernels_shared;                 // partitioned: each rank ran its part
    uint64_t kernels_gathered;               // replicated: every rank ran all of it, on gathered operands
    uint64_t array_exchanges, arrays_gathered, array_bytes_received; // as in NacreStats
    int ranks, rank;                         // that run the program, at least 1; this one
    RanksCounts link;                        // what went between them
    uint64_t array_memory_peak;              // of a dry run, as in NacreStats
} EngineStats;
EngineStats engine_stats(const Vm *vm);
// Of any rank of a dry run; else of this one.
EngineStats engine_stats_of(const Vm *vm, int rank);

// How often kernels of array operation number `index` were launched; its name through *name. Past
// the last one 0, with *name NULL.
uint64_t engine_runs(const Vm *vm, int index, const char **name);

// What a process can do only while it has a single thread: nacre_prepare.
void engine_prepare(void);
// Appends lines about backends and libraries, for `nacre info`.
void engine_describe(Buf *out);

#endif
