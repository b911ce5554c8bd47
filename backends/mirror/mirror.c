// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The mirror backend: a simulated device for tests. It has memory of its own, to and from which bytes are copied, and a
// queue that a thread of its own executes in order, so launch returns before the work is done. Kernels are computed by
// the cpu backend. Code that forgets to ask for the host's copy, or to wait, gets wrong results here, as with a real
// device.

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/product/blis.h"
#include "backends/mirror/mirror.h"
#include "vm/kernel/host_op.h"

enum { TASKS = 256, POISON = 0xA5 };

typedef enum TaskKind { TASK_RUN, TASK_COPY } TaskKind;

// A copy of a kernel, since the scheduler's is gone when launch returns.
typedef struct Queued {
    Kernel kernel;
    struct Queued *next; // in the free list
} Queued;

typedef struct Task {
    TaskKind kind;
    bool lost; // the device has failed: the task is skipped
    Queued *queued; // of TASK_RUN
    uint32_t *flags;
    void *to;
    const void *from;
    size_t bytes;
} Task;

// The head in front of a buffer's device memory. If memory is freed while queued work uses it, the block waits in a
// list.
typedef struct Block {
    void *start;
    size_t bytes;
    struct Block *next;
    Event after;
} Block;

typedef struct Mirror {
    Vm *vm;
    void *cpu; // context of the cpu backend; kernels run with it in the thread
    Block *leaving;
    Queued *spare;
    Event reclaimed; // tasks up to this one have given their kernels back
    MirrorFigures figures, begun; // now, and when the trial began
    MirrorTrial trial;
    Event lost; // the first task that is not done; 0: none
    bool noticed;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; // guards all members below
    pthread_cond_t posting, finishing;
    Task tasks[TASKS]; // a ring; the event of a task is its number, from 1
    Event posted, finished;
    Event wanted; // lazy: the latest event that is waited for; later tasks do not run
    bool lazy, closing;
} Mirror;

// --- The queue ---------------------------------------------------------------------------------

static void carry_out(const Mirror *mirror, const Task *task) {
    Event none;
    if (task->lost) return;
    if (task->kind == TASK_COPY) {
        memcpy(task->to, task->from, task->bytes);
        return;
    }
    const Kernel *kernel = &task->queued->kernel;
    if (kernel->library == AOP_HOST) {
        const HostCall call = {.backend = "mirror", .kernel = kernel, .threads = 1};
        if (!host_op_run(&call)) *task->flags |= FLAG_FAILED;
    } else backend_cpu.launch(mirror->cpu, kernel, NULL, task->flags, &none);
}

static bool has_work(const Mirror *mirror) {
    if (mirror->finished == mirror->posted) return false;
    return !mirror->lazy || mirror->closing || mirror->finished < mirror->wanted;
}

static void *work_off(void *arg) {
    Mirror *mirror = arg;
    pthread_mutex_lock(&mirror->lock);
    for (;;) {
        while (!has_work(mirror) && !mirror->closing) pthread_cond_wait(&mirror->posting, &mirror->lock);
        if (!has_work(mirror)) break;
        const Task *task = &mirror->tasks[mirror->finished % TASKS];
        pthread_mutex_unlock(&mirror->lock);
        carry_out(mirror, task);
        pthread_mutex_lock(&mirror->lock);
        mirror->finished++;
        pthread_cond_broadcast(&mirror->finishing);
    }
    pthread_mutex_unlock(&mirror->lock);
    return NULL;
}

// Waits for an event. The caller holds the lock.
static void await(Mirror *mirror, Event event) {
    if (mirror->wanted < event) mirror->wanted = event;
    pthread_cond_signal(&mirror->posting);
    while (mirror->finished < event) pthread_cond_wait(&mirror->finishing, &mirror->lock);
}

// Puts the kernels of tasks up to `finished`, which the thread has executed, into the free list.
static void reclaim(Mirror *mirror, Event finished) {
    for (; mirror->reclaimed < finished; mirror->reclaimed++) {
        Task *task = &mirror->tasks[mirror->reclaimed % TASKS];
        if (!task->queued) continue;
        task->queued->next = mirror->spare;
        mirror->spare = task->queued;
        task->queued = NULL;
    }
}

// Returns a place in the queue, which the caller fills in before it calls `post`.
static Task *next_task(Mirror *mirror) {
    pthread_mutex_lock(&mirror->lock);
    if (mirror->posted - mirror->finished == TASKS) await(mirror, mirror->finished + 1);
    Event finished = mirror->finished;
    Task *task = &mirror->tasks[mirror->posted % TASKS];
    pthread_mutex_unlock(&mirror->lock);
    reclaim(mirror, finished);
    task->lost = mirror->lost;
    return task;
}

static Event post(Mirror *mirror) {
    pthread_mutex_lock(&mirror->lock);
    Event event = ++mirror->posted;
    pthread_cond_signal(&mirror->posting);
    pthread_mutex_unlock(&mirror->lock);
    return event;
}

static Event finished(Mirror *mirror) {
    pthread_mutex_lock(&mirror->lock);
    Event event = mirror->finished;
    pthread_mutex_unlock(&mirror->lock);
    return event;
}

static bool mirror_wait(void *ctx, Event event) {
    Mirror *mirror = ctx;
    mirror->figures.waits++;
    pthread_mutex_lock(&mirror->lock);
    await(mirror, event);
    pthread_mutex_unlock(&mirror->lock);
    bool done = !mirror->lost || event < mirror->lost;
    mirror->noticed |= !done;
    return done;
}

// Counts a call, and returns whether it is the one that the trial makes fail.
static bool is_the_one(uint64_t *count, uint64_t begun, uint64_t number) {
    return ++*count - begun == number;
}

// --- Memory ------------------------------------------------------------------------------------

static Block *block_of(const Buffer *buffer) {
    return (Block *)((char *)buffer->device - BUFFER_ALIGN);
}

static void sweep(Mirror *mirror) {
    Event now = finished(mirror);
    for (Block **at = &mirror->leaving; *at;) {
        Block *block = *at;
        if (block->after > now) {
            at = &block->next;
            continue;
        }
        *at = block->next;
        mem_free(&mirror->vm->mem, block->start, block->bytes);
    }
}

static bool mirror_alloc(Vm *vm, void *ctx, Buffer *buffer) {
    _Static_assert(sizeof(Block) <= BUFFER_ALIGN, "a block's head has the room of one alignment");
    Mirror *mirror = ctx;
    sweep(mirror);
    if (buffer->bytes > SIZE_MAX / 2) return false;
    size_t bytes = buffer->bytes + 2 * BUFFER_ALIGN;
    char *start = mem_alloc(&vm->mem, bytes);
    if (!start) return false;
    uintptr_t at = ((uintptr_t)start + 2 * BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
    buffer->device = (void *)at;
    buffer->valid |= PLACE_DEVICE;
    *block_of(buffer) = (Block){.start = start, .bytes = bytes};
    memset(buffer->device, POISON, buffer->bytes);
    return true;
}

static void mirror_free(Vm *vm, void *ctx, Buffer *buffer) {
    Mirror *mirror = ctx;
    Block *block = block_of(buffer);
    (void)vm;
    block->after = buffer->busy;
    block->next = mirror->leaving;
    mirror->leaving = block;
    buffer->device = NULL;
    buffer->valid &= (uint8_t)~PLACE_DEVICE;
    sweep(mirror);
}

// Clears memory at once, since it is new and no queued work uses it.
static bool mirror_clear(void *ctx, const Buffer *buffer, Event *event) {
    const Mirror *mirror = ctx;
    *event = 0;
    if (!mirror->noticed) memset(buffer->device, 0, buffer->bytes);
    return !mirror->noticed;
}

// Enqueues a copy. False: the trial makes it fail, or the device is known to be lost.
static bool post_copy(Mirror *mirror, void *to, const void *from, size_t bytes, Event *event) {
    if (is_the_one(&mirror->figures.copies, mirror->begun.copies, mirror->trial.refused_copy)) return false;
    if (mirror->noticed) return false;
    Task *task = next_task(mirror);
    task->kind = TASK_COPY;
    task->to = to;
    task->from = from;
    task->bytes = bytes;
    *event = post(mirror);
    return true;
}

static bool mirror_copy(Vm *vm, void *ctx, Buffer *buffer, Place to, Event *event) {
    (void)vm;
    return to == PLACE_HOST ? post_copy(ctx, buffer->host, buffer->device, buffer->bytes, event)
                            : post_copy(ctx, buffer->device, buffer->host, buffer->bytes, event);
}

static bool mirror_read(Vm *vm, void *ctx, const Buffer *buffer, BufferPart part, Event *event) {
    (void)vm;
    return post_copy(ctx, part.to, (const char *)buffer->device + part.offset, part.bytes, event);
}

// --- Life --------------------------------------------------------------------------------------

// Starts the thread with all signals blocked, since they belong to the host's threads.
static bool start_thread(Mirror *mirror) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    mirror->started = pthread_create(&mirror->thread, NULL, work_off, mirror) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return mirror->started;
}

static void mirror_close(Vm *vm, void *ctx) {
    Mirror *mirror = ctx;
    if (mirror->started) {
        pthread_mutex_lock(&mirror->lock);
        mirror->closing = true;
        pthread_cond_signal(&mirror->posting);
        pthread_mutex_unlock(&mirror->lock);
        pthread_join(mirror->thread, NULL);
    }
    sweep(mirror);
    reclaim(mirror, mirror->posted);
    for (Queued *queued; (queued = mirror->spare);) {
        mirror->spare = queued->next;
        mem_free(&vm->mem, queued, sizeof *queued);
    }
    if (mirror->cpu) backend_cpu.close(vm, mirror->cpu);
    pthread_cond_destroy(&mirror->posting);
    pthread_cond_destroy(&mirror->finishing);
    pthread_mutex_destroy(&mirror->lock);
    mem_free(&vm->mem, mirror, sizeof *mirror);
}

static void *mirror_open(Vm *vm, const BackendOptions *options) {
    Mirror *mirror = mem_zalloc(&vm->mem, sizeof *mirror);
    if (!mirror) return NULL;
    mirror->vm = vm;
    pthread_mutex_init(&mirror->lock, NULL);
    pthread_cond_init(&mirror->posting, NULL);
    pthread_cond_init(&mirror->finishing, NULL);
    blis_prepare();
    // Machine code may be made by the VM's own thread only, not by the queue's: kernels are interpreted.
    BackendOptions own = *options;
    own.tier = TIER_INTERP;
    mirror->cpu = backend_cpu.open(vm, &own);
    if (mirror->cpu && start_thread(mirror)) return mirror;
    mirror_close(vm, mirror);
    return NULL;
}

// Waits for all launches before work of others, which thus follows them.
static bool mirror_order(void *ctx, int64_t stream, bool theirs_first) {
    Mirror *mirror = ctx;
    (void)stream;
    if (!theirs_first) mirror_wait(mirror, mirror->posted);
    return true;
}

// --- Kernels -----------------------------------------------------------------------------------

static Support mirror_supports(void *ctx, const Kernel *kernel) {
    if (kernel->library == AOP_HOST)
        return host_op_way(kernel->attrs.host, "mirror") >= 0 ? SUPPORT_YES : SUPPORT_NO;
    return backend_cpu.supports(((Mirror *)ctx)->cpu, kernel);
}

static size_t mirror_workspace(void *ctx, const Kernel *kernel) {
    return backend_cpu.workspace(((Mirror *)ctx)->cpu, kernel);
}

static bool mirror_lasts(void *ctx, const Kernel *kernel) {
    return backend_cpu.lasts(((Mirror *)ctx)->cpu, kernel);
}

// Builds nothing; fails if the trial says so.
static bool mirror_build(Vm *vm, void *ctx, const Kernel *kernel, void **built) {
    Mirror *mirror = ctx;
    (void)vm, (void)kernel, (void)built;
    bool refused = is_the_one(&mirror->figures.builds, mirror->begun.builds, mirror->trial.refused_build);
    uint64_t each = mirror->trial.refused_each, number = mirror->figures.builds - mirror->begun.builds;
    return !refused && !(each && number % each == 0);
}

static Queued *queued_copy(Mirror *mirror, const Kernel *kernel) {
    Queued *queued = mirror->spare;
    if (queued) mirror->spare = queued->next;
    else if (!(queued = mem_alloc(&mirror->vm->mem, sizeof *queued))) return NULL;
    queued->kernel = *kernel;
    for (int i = 0; i < KERN_LINES; i++) queued->kernel.lines[i].runs = NULL; // they may be freed before the task runs
    return queued;
}

static bool mirror_launch(void *ctx, const Kernel *kernel, void *built, uint32_t *flags,
                          Event *event) {
    Mirror *mirror = ctx;
    MirrorFigures *figures = &mirror->figures;
    (void)built;
    if (is_the_one(&figures->launches, mirror->begun.launches, mirror->trial.refused_launch)) return false;
    Task *task = next_task(mirror);
    Queued *queued = queued_copy(mirror, kernel);
    if (!queued) return false;
    task->kind = TASK_RUN;
    task->queued = queued;
    task->flags = flags;
    if (figures->launches - mirror->begun.launches == mirror->trial.lost_launch) {
        mirror->lost = mirror->posted + 1;
        task->lost = true;
    }
    figures->launches_while_busy += finished(mirror) < mirror->posted;
    *event = post(mirror);
    return true;
}

// --- For tests -----------------------------------------------------------------------------------

MirrorFigures mirror_figures(const void *ctx) {
    return ((const Mirror *)ctx)->figures;
}

void mirror_try(void *ctx, const MirrorTrial *trial) {
    Mirror *mirror = ctx;
    mirror->begun = mirror->figures;
    mirror->trial = *trial;
    pthread_mutex_lock(&mirror->lock);
    mirror->lazy = trial->lazy;
    pthread_cond_signal(&mirror->posting);
    pthread_mutex_unlock(&mirror->lock);
}

static int mirror_threads(void *ctx) {
    return backend_cpu.threads(((Mirror *)ctx)->cpu);
}

static int mirror_workers(void *ctx) {
    return backend_cpu.workers(((Mirror *)ctx)->cpu);
}

const Backend backend_mirror = {
    .abi_version = BACKEND_ABI,
    .struct_size = sizeof(Backend),
    .name = "mirror",
    .place = PLACE_DEVICE,
    .lines = true,
    .least = 1, // so that tests of all sizes run on it
    .open = mirror_open,
    .close = mirror_close,
    .alloc = mirror_alloc,
    .free = mirror_free,
    .clear = mirror_clear,
    .copy = mirror_copy,
    .read = mirror_read,
    .supports = mirror_supports,
    .build = mirror_build,
    .workspace = mirror_workspace,
    .lasts = mirror_lasts,
    .launch = mirror_launch,
    .wait = mirror_wait,
    .threads = mirror_threads,
    .workers = mirror_workers,
    .shares = 12, // kDLExtDev, for tests
    .order = mirror_order,
};
