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
#include "vm/sched/engine.h"

// A kernel that has been launched and perhaps is not finished.
typedef struct Flight {
    Event event;
    uint32_t flags[KERN_SITES]; // sets of Flag, from the backend
    int site_count;
    const Site *sites; // NULL: nothing is said of it, and its nodes may be gone
    void *workspace;
    size_t workspace_bytes;
    Lasting *lasting; // whose memory the workspace is; NULL: the VM's
} Flight;

enum { FLIGHTS = 32, BAND_LEAST = 1 << 16, DIRECT_MOST = 1024 };

// What the engine keeps, and how much at a time: these at most, in stress mode next to nothing.
typedef struct EngineLimits {
    int depth;                    // nodes that may be pending, at most DEPTH_MAX
    int recipe_sets, recipe_ways; // plans that are kept: at most RECIPE_SETS by RECIPE_WAYS, powers of 2
    int kept_blocks;              // of the memory of arrays that are gone: at most KEPT_BLOCKS
    int flights;                  // kernels under way: at most FLIGHTS
    int tile;                     // BackendOptions.tile
    int64_t band_least;           // elements of a loop that may be run in bands
    int64_t direct_most;          // elements of an operation that may be done where it is written
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
    EngineLimits limits;
    bool aside;   // there are nodes that a stop left
    bool starved; // a MemoryError was raised for nodes that are pending still
    EngineStats stats; // those of the graph stand there
    uint64_t runs[AOP_COUNT]; // launched kernels of each operation
    Flight flights[FLIGHTS]; // a ring, in the order of their events
    uint32_t first_flight, flight_count;
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

// memory.c: where storages are; the rest of GraphHooks.
Status memory_to_host(Vm *vm, Storage *storage, bool for_writing);
void memory_drop(Vm *vm, Buffer *buffer);
// Makes the copy in the device's place valid, whatever it holds so far.
Status memory_to_device(Vm *vm, const Device *device, Storage *storage);
// Notes that a launched kernel, done at the event, wrote the storage there.
void memory_written(Vm *vm, const Device *device, Storage *storage);

// flight.c: launching, and what comes of it.
// Launches a kernel; storages have been brought to the device's place. Errors and warnings, of each of
// its sites, come at once where the kernel can have any, otherwise when it is waited for.
Status flight_launch(Vm *vm, const Device *device, Kernel *kernel, const Site *sites, Event *event);
// Waits for what was launched up to the event, or for everything.
Status flight_settle(Vm *vm, Event event);
Status flight_settle_all(Vm *vm);
void flight_free_spare(Vm *vm);
// Runs kernels in bands, flags[i] being what the sites of the i-th one receive. False: no memory.
bool flight_launch_bands(Vm *vm, const Device *device, Bands *bands, uint32_t *const *flags);
// The warnings and errors of a kernel that has been run.
Status flight_report(Vm *vm, const Flight *flight);

#endif
