// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The scheduler: record → observe → plan → run. Nodes are recorded by vm/graph. The scheduler runs them when a value is
// observed or the depth limit is reached.

#ifndef NACRE_VM_SCHED_SCHED_H
#define NACRE_VM_SCHED_SCHED_H

#include "vm/graph/graph.h"
#include "vm/plan/recipe.h"
#include "vm/plugin/backend.h"
#include "vm/plugin/lasting.h"
#include "vm/sched/collective.h"
#include "vm/sched/engine.h"
#include "vm/sched/placing.h"
#include "vm/sched/residents.h"

// What a report of warnings and errors says of one of a kernel's nodes, which may have been freed by then.
typedef struct Provenance {
    CodePlace place;  // the operation's place in the program; the code object is held
    const char *name; // the operation's name in warnings; not owned, lives as long as the VM
    OpId op;
    uint32_t untold; // a set of Flag that is not reported
    uint8_t like;    // the same-as site, whose flags are also this one's
    bool scalar, quiet;
} Provenance;

// A kernel that was launched, or a copy to the device that was begun, and that may not have finished.
typedef struct Flight {
    Event event;
    uint32_t flags[KERN_SITES]; // sets of Flag, from the backend
    int site_count;             // 0: it is a copy
    const Site *sites;          // borrowed from a caller that waits for the flight; NULL: nobody does
    Provenance *provenance;     // if `sites` is NULL: site_count of them for the deferred report, owned
    FloatErrors actions;        // with `provenance`: the reactions to float flags that were set at the launch
    void *workspace;
    size_t workspace_bytes;
    Lasting *lasting; // what owns the workspace; NULL: the VM
    void *block; // host memory that a copy still reads, to be freed after it; or NULL
    size_t block_bytes;
    size_t held; // bytes to be freed when the flight is complete: workspace, block, and freed memory of the device
} Flight;

// Limits of flights and of bytes that they hold; defaults of EngineLimits.
enum { FLIGHTS = 128, FLIGHT_BYTES = 1 << 28, BAND_LEAST = 1 << 16, DIRECT_MOST = 1024 };
// The default of EngineLimits.lazy_copy_least: from here on a GPU takes longer to copy an array than to launch kernels
// that copy its edges.
enum { LAZY_COPY_LEAST = 1 << 25 };

// Where a kernel is launched, and what the backend has built for it.
typedef struct Target {
    const Device *device;
    void *built;
    bool launched; // flight_launch has launched the kernel, even if its report is an error
} Target;

// Limits of what the engine keeps and of how much it does at a time. In stress mode they are minimal.
typedef struct EngineLimits {
    int depth;                    // nodes that may be pending, at most DEPTH_MAX
    int loop_depth;               // number of pending nodes at which a loop's back edge runs them
    int recipe_sets, recipe_ways; // the recipe cache: at most RECIPE_SETS by RECIPE_WAYS, powers of 2
    int kept_blocks;              // blocks of freed arrays that are kept for new ones, at most KEPT_BLOCKS
    int flights;                  // kernels and copies in flight, at most FLIGHTS
    int tile;                     // BackendOptions.tile
    int64_t band_least;           // number of elements from which on a loop may be run in bands
    int64_t direct_most;          // number of elements up to which an operation may be executed directly
    int64_t device_least;         // elements from which on a loop is sent to the device with operands on the host
    size_t lazy_copy_least;       // bytes from which on an array is copied lazily (lazy_copy.h)
} EngineLimits;

// The detours of a program (detour.c).
typedef struct Detour Detour;
typedef struct Detours {
    Detour *list;
    size_t count, room;
} Detours;

// The engine of one VM. It begins with its graph (see graph_of).
struct Engine {
    Graph graph;
    Device device; // the device that kernels run on
    Device host;   // the CPU backend, for what the device cannot do; often the same
    Placing placing;
    BackendOptions options; // those that `device` and `host` were opened with
    bool sandboxed, unfused; // as in EngineOptions
    Link link;     // to the other ranks
    EngineLimits limits;
    bool aside;   // some pending nodes were left by a stop (engine_put_aside)
    bool starved; // an error about memory or the device was raised, and the nodes concerned are still pending
    Residents residents;
    uint64_t device_launches; // kernels launched on the device
    size_t shared; // number of storages whose home is the device
    bool strays;   // one of them may have been brought to the host
    bool retired;  // the device stays open for those who still have memory of it (sharing_retire)
    EngineStats stats; // without those that Graph counts
    char element[DTYPE_SIZE_MAX]; // the single element that was read last from the device
    uint64_t runs[AOP_COUNT]; // how often each operation was run
    Flight flights[FLIGHTS]; // a ring, in the order of their events
    uint32_t first_flight, flight_count;
    size_t held; // sum of Flight.held
    Event arrived; // the last event that is known to have happened
    void (*lingers)(Vm *vm); // engine_when_lingering
    bool lost;     // the device failed: elements that only it has are lost
    bool device_failed; // the exception that was raised by the current run is about the device
    RecipeCache recipes;
    Strict strict;
    Detours detours;
    bool barred; // the exception that is set came from a detour, whose nodes are still pending
    bool checks;         // plans are checked after each pass
    uint32_t left_out;   // passes that are switched off, as bits in the order of passes.c
    struct Watch *watch; // borrowed; mostly NULL
    struct Chain *chain; // of bands.c; NULL: not used yet
    struct Editor *editor;   // borrowed; NULL: nobody changes plans
    struct Editing *editing; // of edit.c; NULL: there was no editor yet
    void *spare; // a workspace that is kept for the next kernel, or NULL
    size_t spare_bytes;
    Lasting *outlasting; // workspaces of interrupted kernels whose work continues
    Plan plan;
};

// sched.c: implement GraphHooks.recorded and observe.
Status sched_recorded(Vm *vm);
Status sched_observe(Vm *vm, Storage *storage, bool for_writing);
Status sched_run_all(Vm *vm); // runs all pending nodes, without waiting for kernels in flight

// defer.c: decides, before a plan for the values of `asked` is run, which of its nodes are deferred. Defers none if out
// of memory.
void plan_defer(Vm *vm, Plan *plan, Storage *const *asked, size_t asked_count);

// direct.c
bool sched_direct(Vm *vm, const Node *node); // GraphHooks.direct

// detour.c: implements GraphHooks.fetched, which is called before an array is copied to the host although the program
// has not asked for its elements.
Status detour_fetch(Vm *vm, const char *why);
void detours_visit(const Detours *all, Visitor *visitor);
void detours_free(Vm *vm, Detours *all);

// run.c: returns whether the target's backend supports the kernel, and sets target->built to its code.
bool target_takes(Vm *vm, Target *target, const Kernel *kernel);
// Runs one node by itself, without a plan.
Status run_single(Vm *vm, Node *node);
Site site_of(const Node *node, const Kernel *kernel, int number); // the site that `node` is in the kernel
// Runs nodes by a recipe.
Status run_recipe(Vm *vm, const Recipe *recipe, Node *const *nodes);

// bands.c: runs the step and some that follow it in bands. *done: how many; 0 if they are better run one by one.
Status run_bands(Vm *vm, const Step *first, Node *const *nodes, int *done);
void bands_free(Vm *vm);

// Returns whether a float flag can raise an exception, which must come at the operation's place in the program.
bool sched_float_errors_raise(const Vm *vm);

// memory.c: moves storages between places; implements the other GraphHooks.
Status memory_to_host(Vm *vm, Storage *storage, bool for_writing);
// Frees the device's copy, after copying it to the host if that was the only one.
Status memory_leave(Vm *vm, Storage *storage);
// Returns the number of single-element reads that cost as much as one copy of the whole buffer to the host.
uint32_t memory_fare(const Buffer *buffer);
// Implement GraphHooks.away, element and drop.
bool memory_is_away(Vm *vm, Storage *storage);
const char *memory_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes);
void memory_drop(Vm *vm, Buffer *buffer);
// Makes the copy in the device's place valid, and allocates it if necessary.
Status memory_to_device(Vm *vm, const Device *device, Storage *storage);
// Called before a kernel is launched that writes the storage there: waits until nothing reads that memory any more.
void memory_await_readers(Vm *vm, const Device *device, const Storage *storage);
// Notes that a launched kernel writes the storage there.
void memory_written(Vm *vm, const Device *device, Storage *storage);

// flight.c: launches kernels, waits for them, and reports their warnings and errors, in the order of launches. Reports
// are made at an observation, before externally visible effects, before the reactions to float flags change, and when
// the number of flights reaches its limit. A kernel whose report can be an exception is waited for at once.
// Launches a kernel whose operands are in the device's place. *refused: the device does not support it, and nothing has
// changed.
Status flight_launch(Vm *vm, Target *target, Kernel *kernel, const Site *sites, bool *refused);
// Called before a kernel or copy is given to the device's queue: waits for older ones if limits are reached.
Status flight_make_room(Vm *vm);
// As flight_make_room, for several kernels that are launched without reports between them.
Status flight_reserve(Vm *vm, int count);
// Notes that a copy from the host's memory, or the clearing of the device's memory, has been begun.
void flight_copying(Vm *vm, Event event);
// Called before a buffer's memory on the device is freed: counts its bytes as held by the newest flight, if the buffer
// may be in use.
void flight_holds(Vm *vm, const Buffer *buffer);
// Frees a buffer's host memory, as soon as no copy reads it any more.
void flight_free_host(Vm *vm, Buffer *buffer);
// Waits for an event, and reports nothing. Returns false if the device is lost.
bool flight_await(Vm *vm, Event event);
// Waits for the flights up to an event, or for all of them, and reports their warnings and errors.
Status flight_settle(Vm *vm, Event event);
Status flight_settle_all(Vm *vm);
void flight_forget_all(Vm *vm); // waits for all flights, and reports nothing
void flight_visit(Vm *vm, Visitor *visitor);
void flight_free_spare(Vm *vm);
// Runs kernels in bands. flags[i] receives the flags of the i-th kernel's sites. False: no memory.
bool flight_launch_bands(Vm *vm, const Device *device, Bands *bands, uint32_t *const *flags);
// Runs a single loop on the host; the caller reports its flags. False: no memory.
bool flight_launch_here(Vm *vm, const Device *device, Kernel *kernel, uint32_t *flags);
// Reports the warnings and errors of a kernel that has finished.
Status flight_report(Vm *vm, const Flight *flight);
// Raises RuntimeError about work in which the device failed. The nodes that need it stay pending.
Status flight_device_failed(Vm *vm, const char *what, const char *with);

#endif
