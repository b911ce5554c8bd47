// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Kernels on a device: computes their program keys, and enqueues their functions.

#include "backends/grid/machine.h"

#include <string.h>

#include "backends/grid/library.h"

bool grid_open(GridMachine *m, Vm *vm, const GridDriver *driver, void *device, GridLimits limits) {
    m->driver = driver;
    m->device = device;
    m->vm = vm;
    m->argument_bytes = limits.argument_bytes;
    grid_pool_open(&m->pool, &vm->mem, &driver->heap, device, limits.kept);
    return grid_programs_open(&m->programs, &vm->mem, &driver->compiler, driver->dialect, device);
}

void grid_close(GridMachine *m) {
    if (!m->driver) return;
    grid_programs_close(&m->programs);
    grid_pool_close(&m->pool);
}

// --- Program keys --------------------------------------------------------------------------------------

static size_t loop_bytes(const Grid *grid) {
    int memories = grid->form.load_count + grid->store_count + grid->reduction_count + 1;
    return (size_t)grid_numbers(grid) * sizeof(int64_t) + (size_t)memories * sizeof(void *);
}

GridSolveKind grid_needs(OpId op) {
    return grid_rows[op] ? grid_rows[op]->needs : GRID_NOT_SOLVED;
}

static bool has_library(const GridMachine *m, OpId op) {
    const GridSolve asked = {.kind = grid_needs(op)};
    return !asked.kind || (m->driver->solve && m->driver->solve(m->device, &asked));
}

// Computes the key of a kernel's program. False: the device cannot run the kernel, or its arguments are too long.
static bool key_of(const GridMachine *m, const Kernel *kernel, GridKey *key) {
    Kernel own;
    key->form = (GridForm){.op = (uint8_t)kernel->library};
    if (!grid_may_run(m->vm, kernel)) return false;
    if (kernel->library != AOP_NONE)
        return has_library(m, kernel->library) && grid_library_form(m->driver->dialect, kernel, &key->form);
    return grid_of(m->driver->dialect, grid_kernel(kernel, &own), &key->grid) &&
           loop_bytes(&key->grid) <= m->argument_bytes;
}

const char *grid_lacks(void *ctx, OpId op) {
    (void)ctx;
    return grid_rows[op]->reason;
}

bool grid_supports(const GridMachine *m, const Kernel *kernel) {
    GridKey key;
    return key_of(m, kernel, &key);
}

const GridProgram *grid_build(GridMachine *m, const Kernel *kernel) {
    GridKey key;
    return key_of(m, kernel, &key) ? grid_program(&m->programs, &key) : NULL;
}

bool grid_tells(const GridProgram *program) {
    const GridKey *key = &program->key;
    return key->form.op == AOP_NONE ? key->grid.tells_any : grid_library_tells(&key->form);
}

// --- Work items ------------------------------------------------------------------------------------------

static size_t groups_for(size_t count, size_t each) {
    return (count + each - 1) / each;
}

static void step_in(GridRun *run, int function, GridSize size, GridSize group, GridArguments arguments) {
    const GridDriver *driver = run->machine->driver;
    const GridStep step = {.code = run->program->codes[function],
                           .groups = {groups_for(size.items, group.items), groups_for(size.rows, group.rows)},
                           .group = {group.items, group.rows}, .memories = arguments.memories,
                           .memory_count = arguments.memory_count, .numbers = arguments.numbers, .bytes = arguments.bytes};
    if (run->failed || size.items == 0 || size.rows == 0) return;
    run->failed = !driver->enqueue(run->machine->device, &step);
}

static void step(GridRun *run, int function, GridSize size, bool tall, GridArguments arguments) {
    const GridDriver *driver = run->machine->driver;
    GridSize group = driver->few_groups ? grid_group_few(size, driver->group, tall)
                     : tall             ? grid_group_tall(size, driver->group)
                                        : grid_group(size, driver->group);
    step_in(run, function, size, group, arguments);
}

void grid_step(GridRun *run, int function, GridSize size, GridArguments arguments) {
    step(run, function, size, false, arguments);
}

static void step_groups(GridRun *run, int function, GridSize groups, GridSize group, GridArguments arguments) {
    const GridDriver *driver = run->machine->driver;
    const GridStep step = {.code = run->program->codes[function], .groups = {groups.items, groups.rows},
                           .group = {group.items, group.rows}, .memories = arguments.memories,
                           .memory_count = arguments.memory_count, .numbers = arguments.numbers, .bytes = arguments.bytes};
    if (run->failed || groups.items == 0 || groups.rows == 0) return;
    run->failed = !driver->enqueue(run->machine->device, &step);
}

void grid_step_groups(GridRun *run, int function, GridSize groups, size_t lanes, GridArguments arguments) {
    step_groups(run, function, groups, (GridSize){lanes, 1}, arguments);
}

// --- Memory of a run ---------------------------------------------------------------------------------------

void *grid_scratch(GridRun *run, size_t bytes) {
    if (run->failed) return NULL;
    void *memory = run->taken_count < GRID_SCRATCHES ? grid_pool_take(&run->machine->pool, bytes ? bytes : 1) : NULL;
    run->failed = !memory;
    if (memory) run->taken[run->taken_count++] = (GridTaken){memory, bytes ? bytes : 1};
    return memory;
}

void grid_clear(GridRun *run, void *memory, size_t bytes) {
    if (run->failed || bytes == 0) return;
    run->failed = !run->machine->driver->clear(run->machine->device, memory, bytes);
}

void grid_solve(GridRun *run, const GridSolve *what) {
    const GridMachine *m = run->machine;
    if (!run->failed) run->failed = !m->driver->solve || !m->driver->solve(m->device, what);
}

// Gives the memory back before the steps have run: the queue is in order, so later steps may already reuse it.
void grid_give_scratch(GridRun *run) {
    for (int i = 0; i < run->taken_count; i++) grid_pool_give(&run->machine->pool, run->taken[i].memory, run->taken[i].bytes);
    run->taken_count = 0;
}

// --- Loops -----------------------------------------------------------------------------------------------

static void run_function(GridRun *run, const GridCall *call, int function, GridSize size, void *const *parts) {
    void *memories[GRID_ACCESSES + KERN_STORES + 1];
    const Kernel *k = call->kernel;
    const size_t lanes = call->grid->lanes, beside = call->grid->beside; // of a reduction
    int count = 0;
    for (int a = 0; a < grid_access_count(k); a++) memories[count++] = grid_access(k, a)->base;
    for (int r = 0; r < k->reduction_count; r++) memories[count++] = parts[r];
    memories[count++] = run->flags;
    const GridArguments arguments = {memories, count, call->numbers, (size_t)grid_numbers(call->grid) * sizeof(int64_t)};
    if (lanes > 1) step_groups(run, function, (GridSize){(size.items + beside - 1) / beside, size.rows}, (GridSize){lanes, beside}, arguments);
    else step(run, function, size, call->tall, arguments);
}

static void run_loop(GridRun *run, const Kernel *kernel) {
    Kernel own;
    GridCall call;
    void *parts[KERN_STORES] = {NULL};
    grid_call(&call, run->machine->driver->dialect, grid_kernel(kernel, &own), &run->program->key.grid);
    bool joined = kernel->reduction_count && call.parts > 1;
    for (int r = 0; joined && r < kernel->reduction_count; r++) parts[r] = grid_scratch(run, grid_part_bytes(&call, r));
    run_function(run, &call, 0, grid_size(&call), parts);
    if (joined) run_function(run, &call, 1, grid_join_size(&call), parts);
}

// --- All of them -------------------------------------------------------------------------------------------

bool grid_launch(GridMachine *m, const Kernel *kernel, const GridProgram *program, void *flags) {
    GridRun run = {.machine = m, .kernel = kernel, .program = program, .flags = flags};
    if (kernel->library == AOP_NONE) run_loop(&run, kernel);
    else grid_library_run(&run);
    grid_give_scratch(&run);
    return !run.failed;
}
