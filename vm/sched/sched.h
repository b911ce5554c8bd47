// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The scheduler: record → observe → plan → run. Recording is in vm/graph; what is here happens when
// a value is observed or the depth limit is reached.

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

// What a report says of one of a kernel's nodes, which may be gone by then.
typedef struct Provenance {
    CodePlace place;  // where the operation was written; the code object is held
    const char *name; // what warnings call it; not owned, lasts as long as the VM
    OpId op;
    uint32_t untold; // a set of Flag that is not told of
    uint8_t like;    // the site whose conditions are also this one's
    bool scalar, quiet;
} Provenance;

// A kernel that has been launched, or a copy to the device that has been begun, and perhaps is not finished.
typedef struct Flight {
    Event event;
    uint32_t flags[KERN_SITES]; // sets of Flag, from the backend
    int site_count;             // 0: of a copy
    const Site *sites;          // borrowed from who waits for it; otherwise NULL
    Provenance *provenance;     // site_count of them, owned: the pending report. NULL: there are sites
    FloatErrors actions;        // with that: what was to be done of float conditions when it was launched
    void *workspace;
    size_t workspace_bytes;
    Lasting *lasting; // whose memory the workspace is; NULL: the VM's
    void *block; // host memory that it still reads, of a buffer that has no use for it any more; or NULL
    size_t block_bytes;
    size_t held; // bytes that come back when it has arrived: these, and of buffers that were freed behind it
} Flight;

// So many flights, and bytes that they hold.
enum { FLIGHTS = 128, FLIGHT_BYTES = 1 << 28, BAND_LEAST = 1 << 16, DIRECT_MOST = 1024 };

// Where a kernel is launched, and what the backend has built for it.
typedef struct Target {
    const Device *device;
    void *built;
} Target;

// What the engine keeps, and how much at a time: these at most, in stress mode next to nothing.
typedef struct EngineLimits {
    int depth;                    // nodes that may be pending, at most DEPTH_MAX
    int loop_depth;               // a back edge runs them when there are as many
    int recipe_sets, recipe_ways; // plans that are kept: at most RECIPE_SETS by RECIPE_WAYS, powers of 2
    int kept_blocks;              // of the memory of arrays that are gone: at most KEPT_BLOCKS
    int flights;                  // kernels and copies under way: at most FLIGHTS
    int tile;                     // BackendOptions.tile
    int64_t band_least;           // elements of a loop that may be run in bands
    int64_t direct_most;          // elements of an operation that may be done where it is written
    int64_t device_least;         // elements of a loop that is sent to the device though its operands are on the host
} EngineLimits;

// Where work went another way than was asked for: detour.c.
typedef struct Detour Detour;
typedef struct Detours {
    Detour *list;
    size_t count, room;
} Detours;

// The engine of one VM. It begins with its graph (see graph_of).
struct Engine {
    Graph graph;
    Device device; // where work is done
    Device host;   // the reference, for what the device cannot do; often the same
    Placing placing;
    BackendOptions options; // both were opened with
    bool sandboxed, unfused; // as in EngineOptions
    Link link;     // to the other ranks
    EngineLimits limits;
    bool aside;   // there are nodes that a stop left
    bool starved; // an error about memory or the device was raised, and its nodes are still pending
    Residents residents;
    uint64_t device_launches; // kernels launched on the device
    size_t shared; // storages whose home is the device
    bool strays;   // one of them may have been brought to the host
    bool retired;  // the device is left to those who still have memory of it
    EngineStats stats; // those of the graph stand there
    char element[DTYPE_SIZE_MAX]; // the one that was read last from the device
    uint64_t runs[AOP_COUNT]; // launched kernels of each operation
    Flight flights[FLIGHTS]; // a ring, in the order of their events
    uint32_t first_flight, flight_count;
    size_t held; // by all of them
    Event arrived; // the last event that is known to have happened
    void (*lingers)(Vm *vm); // engine_when_lingering
    bool lost;     // the device did not do what it was given: what is there alone cannot be had any more
    bool device_failed; // the exception that was raised last, since something was run, is about the device
    RecipeCache recipes;
    Strict strict;
    Detours detours;
    bool barred; // the exception that is set came of a detour: what it kept from being run is pending still
    bool checks;         // what passes promise is checked
    uint32_t left_out;   // passes, as bits in the order of passes.c
    struct Watch *watch; // borrowed; mostly NULL
    struct Chain *chain; // of bands.c; NULL: nobody has asked for bands
    struct Editor *editor;   // borrowed; NULL: nobody changes plans
    struct Editing *editing; // of edit.c; NULL: there was no editor yet
    void *spare; // a workspace to be used again, or NULL
    size_t spare_bytes;
    Lasting *outlasting; // workspaces of kernels that were left while their work goes on
    Plan plan;
};

// sched.c: what GraphHooks asks for recording and observing.
Status sched_recorded(Vm *vm);
Status sched_observe(Vm *vm, Storage *storage, bool for_writing);
Status sched_run_all(Vm *vm); // without waiting for it

// defer.c: before a plan for some storages' values is run. Without memory nothing is put off.
void plan_defer(Vm *vm, Plan *plan, Storage *const *asked, size_t asked_count);

// direct.c
bool sched_direct(Vm *vm, const Node *node); // GraphHooks.direct

// detour.c. An array that nobody has asked to see is brought to the host: GraphHooks.fetched.
Status detour_fetch(Vm *vm, const char *why);
void detours_visit(const Detours *all, Visitor *visitor);
void detours_free(Vm *vm, Detours *all);

// run.c: a node that nothing is planned for.
Status run_single(Vm *vm, Node *node);
Site site_of(const Node *node, const Kernel *kernel, int number); // the kernel's of that number
// Does with the nodes what the recipe says.
Status run_recipe(Vm *vm, const Recipe *recipe, Node *const *nodes);

// bands.c. Runs the step and some that follow it, in bands, and says how many: 0 if they are better run one
// by one.
Status run_bands(Vm *vm, const Step *first, Node *const *nodes, int *done);
void bands_free(Vm *vm);

// Whether what float conditions do to the program can be an exception: it is due where the operation was written.
bool sched_float_errors_raise(const Vm *vm);

// memory.c: where storages are; the rest of GraphHooks.
Status memory_to_host(Vm *vm, Storage *storage, bool for_writing);
// Frees the device's copy, after copying it to the host if that was the only one.
Status memory_leave(Vm *vm, Storage *storage);
// The number of single-element reads that cost as much as one copy of the whole buffer to the host.
uint32_t memory_fare(const Buffer *buffer);
// As GraphHooks.away and element.
bool memory_is_away(Vm *vm, Storage *storage);
const char *memory_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes);
void memory_drop(Vm *vm, Buffer *buffer);
// Makes the copy in the device's place valid, whatever it holds so far.
Status memory_to_device(Vm *vm, const Device *device, Storage *storage);
// Before a kernel that writes the storage there is launched: nothing reads that memory any more.
void memory_await_readers(Vm *vm, const Device *device, const Storage *storage);
// Notes that a launched kernel writes the storage there.
void memory_written(Vm *vm, const Device *device, Storage *storage);

// flight.c: launching, waiting, and what comes of it. Reports are made in the order of launches: at an observation,
// before anything that can be seen from outside, before what is done about float conditions changes, and when as
// much is under way as may be. A kernel whose report can be an exception is waited for at once.
// Launches a kernel whose operands are in the device's place. *refused: the device does not take it, and nothing has
// changed.
Status flight_launch(Vm *vm, const Target *target, Kernel *kernel, const Site *sites, bool *refused);
// Before something is given to the device's queue.
Status flight_make_room(Vm *vm);
// Notes that a copy from the host's memory, or the clearing of the device's, has been begun.
void flight_copying(Vm *vm, Event event);
// The buffer's memory on the device goes, which something under way may be using.
void flight_holds(Vm *vm, const Buffer *buffer);
// The buffer's host memory goes, as soon as no copy reads it any more.
void flight_free_host(Vm *vm, Buffer *buffer);
// Waits for the event, and reports nothing. False: the device is lost.
bool flight_await(Vm *vm, Event event);
// Reports what was launched up to the event, or everything, and waits for it.
Status flight_settle(Vm *vm, Event event);
Status flight_settle_all(Vm *vm);
void flight_forget_all(Vm *vm); // waits, and reports nothing
void flight_visit(Vm *vm, Visitor *visitor);
void flight_free_spare(Vm *vm);
// Runs kernels in bands, flags[i] being what the sites of the i-th one receive. False: no memory.
bool flight_launch_bands(Vm *vm, const Device *device, Bands *bands, uint32_t *const *flags);
// Runs a single loop on the host, and leaves reporting its flags to the caller. False: no memory.
bool flight_launch_here(Vm *vm, const Device *device, Kernel *kernel, uint32_t *flags);
// The warnings and errors of a kernel that has been run.
Status flight_report(Vm *vm, const Flight *flight);
// RuntimeError about work that the device did not do; nodes that wait for it stay pending.
Status flight_device_failed(Vm *vm, const char *what, const char *with);

#endif
