// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A backend: a small const table of functions, and a context per VM. Execution is asynchronous by contract: launch may
// return before the work is done, and the memory of a launched kernel may not be touched before its event has been
// waited for.

#ifndef NACRE_VM_PLUGIN_BACKEND_H
#define NACRE_VM_PLUGIN_BACKEND_H

#include "lang/support/buf.h"
#include "vm/graph/graph.h"
#include "vm/kernel/kernel.h"
#include "vm/region/items.h"

enum { BACKEND_ABI = 22 };

// A moment in the backend's queue; they happen in the order of their numbers. 0: already happened.
typedef uint64_t Event;

typedef enum Support { SUPPORT_NO, SUPPORT_YES } Support;

// Options of the host that a backend may support. A VM cannot be made if the host sets one that its backend does not
// support.
typedef enum Taken { TAKES_STREAM = 1 } Taken; // set

// How far a backend goes in making code for kernels. Results are the same to the last bit.
typedef enum Tier {
    TIER_INTERP, // it makes none
    TIER_AUTO,   // for kernels with enough work, while their work goes on without
    TIER_KERNEL, // for every kernel, which waits for it
    TIER_FUNCTION, // for every loop of the program that can have it, which waits for it; none for kernels
} Tier;

typedef struct BackendOptions {
    int threads; // 0: as many as the machine has
    int tile;    // elements that an interpreter of kernels evaluates at once; 0: as it thinks best
    bool reproducible; // results are the same to the last bit for any number of threads
    bool deterministic; // and for this number of threads in every run; region_code waits
    bool stress;       // what is done for much work only is done for all, so that tests meet it
    Tier tier;
    void *stream; // NacreOptions has it
} BackendOptions;

// Loops that are run one after the other, a band of rows at a time, so that what one makes is still near
// for the next. Dimension 0 of each goes along the rows, and is not reduced.
enum { BAND_KERNELS = 16 };
typedef struct Bands {
    int count;
    const Kernel *kernels[BAND_KERNELS];
    int64_t rows, band; // of all of them; at a time
    // Rows that need rows nearby: where row 0 of a kernel is among `rows`, and how many rows it stays behind
    // the first kernel; when rows before some row have not been gone through, how many rows behind that one
    // it begins. All rows of a kernel that another's row needs have been gone through then.
    bool skewed;
    int64_t first[BAND_KERNELS], lag[BAND_KERNELS], ahead[BAND_KERNELS];
    // Loads, and stores, as bits, of what nobody else will ever see. Each thread has memory of its own for
    // that, `inside_bytes`, where the access's offset is that of the band's first row.
    uint32_t loads_inside[BAND_KERNELS], stores_inside[BAND_KERNELS];
    size_t inside_bytes;
    void *workspace; // as much as the backend asked for
} Bands;

// Part of a buffer, and where in the host's memory it goes.
typedef struct BufferPart {
    size_t offset, bytes;
    void *to;
} BufferPart;

typedef struct Backend {
    uint32_t abi_version; // BACKEND_ABI
    uint32_t struct_size; // sizeof(Backend) the plug-in was compiled with
    const char *name;
    uint32_t place; // Place where its kernels find their operands
    bool lines;     // its kernels may have computed loads (KernLines)
    int64_t least;  // of a device: elements of a loop that it runs as fast as the host, whose operands are there

    // A context for one VM, or NULL (out of memory, no device).
    void *(*open)(Vm *vm, const BackendOptions *options);
    void (*close)(Vm *vm, void *ctx);

    // Gives the buffer memory in the backend's place and marks it valid there, elements undefined.
    // False: no memory.
    bool (*alloc)(Vm *vm, void *ctx, Buffer *buffer);
    // Takes it away again; work under way (buffer->busy) still has it to its end.
    void (*free)(Vm *vm, void *ctx, Buffer *buffer);
    // Fills its memory there with zeros, behind all that was launched before. False: as of copy. NULL: zeros are copied.
    bool (*clear)(void *ctx, const Buffer *buffer, Event *event);
    // Copies the buffer's bytes from the other place to `to`, behind all that was launched before; it may go on
    // when this returns. Until the event has happened the host's memory is not freed, and not written by anybody
    // else. False: the device does not do it, or is lost (see wait). NULL: the place is the host.
    bool (*copy)(Vm *vm, void *ctx, Buffer *buffer, Place to, Event *event);

    // Copies a piece of the buffer's memory from the device to the host, likewise. NULL: only whole buffers are copied.
    bool (*read)(Vm *vm, void *ctx, const Buffer *buffer, BufferPart part, Event *event);

    // Can this kernel be run here? Compiles nothing, and is asked more often than kernels are run. The scheduler
    // falls back to the cpu backend where not. A GEMM is only made, when a plan is, if the answer is yes: no says
    // that its operations are better done one by one.
    Support (*supports)(void *ctx, const Kernel *kernel);
    // Why a library operation is left to the host whatever its operands are, for people; NULL: it is not. Default: nothing is said.
    const char *(*lacks)(void *ctx, OpId op);
    // Bytes of host memory (aligned to BUFFER_ALIGN) that launch wants in kernel->workspace.
    size_t (*workspace)(void *ctx, const Kernel *kernel);
    // Returns whether an interrupted kernel (FLAG_INTERRUPTED) may leave work running. Its workspace then is
    // reference-counted memory that can outlive the VM (kernel->lasting, lasting.h); the remaining work holds a
    // reference and touches nothing else. Default: never.
    bool (*lasts)(void *ctx, const Kernel *kernel);
    // Finds or starts compiling the code of a kernel that is launched next; *built is passed to launch, which waits
    // for a compilation in the background. False: there is no code, and the host runs the kernel. Default: no code
    // is needed.
    bool (*build)(Vm *vm, void *ctx, const Kernel *kernel, void **built);
    // Runs a verified kernel, which may go as soon as launch returns. flags[i] receives a set of Flag
    // for each of the kernel's sites before the event happens; a kernel of a library node has one. False:
    // the device does not take it, nothing has been begun, and the host runs it.
    // Other threads allocate nothing: the VM's memory belongs to its own.
    bool (*launch)(void *ctx, const Kernel *kernel, void *built, uint32_t *flags, Event *event);
    // Waits for the event. False: the device is lost, and not all work up to the event was done. Asking again for
    // earlier events finds the first that failed; every later `copy`, or the wait for it, fails. Default: every event
    // has already happened.
    bool (*wait)(void *ctx, Event event);

    // Returns the number of rows per band for kernels that run over the same rows with `row_bytes` bytes a row. Skewed
    // bands keep `beside` further rows in the cache. 0: running them one by one is faster. Default: always 0.
    int64_t (*band_rows)(void *ctx, int64_t rows, size_t row_bytes, int64_t beside);
    size_t (*bands_workspace)(void *ctx, const Bands *bands); // as `workspace`
    // As `launch`, of several kernels: flags[i] is what the i-th one's sites receive. All is done when it
    // returns.
    void (*launch_bands)(void *ctx, const Bands *bands, uint32_t *const *flags);

    // Returns how many elements direct execution of a node processes; -1: its kind is never executed directly.
    int64_t (*direct_size)(const Node *node);
    // Executes a node of `size` elements on the calling thread. Operands are valid in host memory, and the result has
    // host memory. False: it needs a kernel, or raised one of the flags in `reported`; a result that held a value
    // still holds it. Both are NULL for backends that do not work in host memory.
    bool (*direct)(void *ctx, const Node *node, int64_t size, uint32_t reported);

    int (*threads)(void *ctx);
    // Runs run(job, part, worker) for every part, on all threads, and returns when all are done; workers are numbered
    // below threads(ctx). NULL for backends other than the host's.
    void (*share)(void *ctx, RegionPartFn run, void *job, int parts);
    int (*workers)(void *ctx); // how many threads have done work so far, the caller's among them
    int (*compiled)(void *ctx); // for how many kernel forms code has been made. Default: none
    // Asks for code for a region; it is on its way, or there is none (NULL). The answer is the backend's. The
    // notes have files, for code that is to be looked at. By default there never is.
    void *(*region)(Vm *vm, void *ctx, const Region *region, const RegionNotes *notes);
    // Returns the functions asked for before; NULL until they are compiled, and *failed if they never will be.
    const RegionCalls *(*region_calls)(void *ctx);
    RegionFn (*region_code)(Vm *vm, void *ctx, void *asked, bool wait, bool *failed);
    // For people: source text of a region's code, and of the code of kernel form number `index`. False:
    // there is none. Default: none.
    bool (*region_source)(void *ctx, const Region *region, const RegionNotes *notes, Buf *out);
    bool (*kernel_source)(void *ctx, int index, Buf *out);
    // Runs a parallel loop of a region as work items (vm/region/items.h), after all earlier launches, and waits. False:
    // it did not run, and memory is unchanged; items->key records it if the loop can never run. NULL: the backend runs
    // no loops.
    bool (*items)(void *ctx, RegionItems *items);
    void (*describe)(Buf *out); // lines for `nacre info`: "NAME: text", a text with "no…" in front where it is absent
    uint32_t takes;             // set of Taken
    // Opens libraries that must be opened while the process has a single thread. Default: none.
    void (*prepare)(void);
    // Memory that other libraries of the process see, too (vm/sched/sharing.h). Type of such a device in DLPack, whose
    // number is 0; 0: its memory is not shared. Its handles are addresses.
    int32_t shares;
    // Orders launches against a stream of another library: `theirs_first` makes later launches wait for the stream,
    // otherwise the stream waits for earlier launches. Stream 0: the default streams. False: there is no such stream.
    bool (*order)(void *ctx, int64_t stream, bool theirs_first);
    // The VM ends before its memory is given back: completes all work. What follows is `free` of such memory and
    // `close`, by any thread. Default: there is nothing to be done.
    void (*retire)(void *ctx);
} Backend;

// A backend and its context for this VM.
typedef struct Device {
    const Backend *backend;
    void *ctx;
} Device;

// Those linked in; backends/registry.c. Ends with NULL; the first is the default and the reference.
extern const Backend *const backends[];
// By name; NULL names the first. Others than those linked in are looked for among plug-ins. NULL: there is none.
const Backend *backend_built_in(const char *name); // without plug-ins
const Backend *backend_find(const char *name);
void backends_describe(Buf *out); // for `nacre info`
void backends_prepare(void);      // those that are linked in

#endif
