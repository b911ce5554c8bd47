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

// A point in the backend's queue of work. Events happen in the order of their numbers. 0: has already happened.
typedef uint64_t Event;

typedef enum Support { SUPPORT_NO, SUPPORT_YES } Support;

// Options of the host that a backend may support. A VM cannot be made if the host sets one that its backend does not
// support.
typedef enum Taken { TAKES_STREAM = 1 } Taken; // set

// What a backend compiles to machine code. Results are the same to the last bit.
typedef enum Tier {
    TIER_INTERP, // nothing
    TIER_AUTO,   // kernels with enough work, in the background; until then they are interpreted
    TIER_KERNEL, // every kernel, which waits for its code
    TIER_FUNCTION, // every loop of the program that can be compiled, which waits for its code; no kernels
} Tier;

typedef struct BackendOptions {
    int threads; // 0: as many as the machine has
    int tile;    // elements that an interpreter of kernels evaluates at once; 0: the backend decides
    bool reproducible; // results are the same to the last bit for any number of threads
    bool deterministic; // for a given number of threads, every run has the same results; region_code waits
    bool stress;       // does for any amount of work what is otherwise done only for much, so that tests cover it
    Tier tier;
    void *stream; // as in NacreOptions
} BackendOptions;

// Row blocking: loops that are run one after the other on a band of rows at a time, so that the results of one are
// still in the cache for the next. Dimension 0 of each goes along the rows, and is not reduced.
enum { BAND_KERNELS = 16 };
typedef struct Bands {
    int count;
    const Kernel *kernels[BAND_KERNELS];
    int64_t rows, band; // number of rows; rows per band
    // Time skewing, for kernels whose rows need neighbouring rows of others. `first`: the position of a kernel's row 0
    // among `rows`. `lag`: how many rows the kernel stays behind the first kernel. `ahead`: how many rows after the
    // start of a stretch it begins, if the rows before the stretch have not been computed. Then all rows that a
    // kernel's row needs have been computed before it.
    bool skewed;
    int64_t first[BAND_KERNELS], lag[BAND_KERNELS], ahead[BAND_KERNELS];
    // Loads and stores, as bits, of values that only these kernels use. Each thread keeps them in `inside_bytes` of its
    // workspace, where the access's offset is that of the band's first row.
    uint32_t loads_inside[BAND_KERNELS], stores_inside[BAND_KERNELS];
    size_t inside_bytes;
    void *workspace; // of the size that bands_workspace returned
    // Called between bands on the thread that launches them, with `poked`; NULL: nothing is.
    void (*poke)(void *poked);
    void *poked;
} Bands;

// Part of a buffer, and the host address that it is copied to.
typedef struct BufferPart {
    size_t offset, bytes;
    void *to;
} BufferPart;

typedef struct Backend {
    uint32_t abi_version; // BACKEND_ABI
    uint32_t struct_size; // sizeof(Backend) the plug-in was compiled with
    const char *name;
    uint32_t place; // Place of its kernels' operands
    bool lines;     // its kernels may have computed loads (KernLines)
    int64_t least;  // of a device: elements from which it runs a loop as fast as the host would with operands there

    // Returns a context for one VM, or NULL (out of memory, no device).
    void *(*open)(Vm *vm, const BackendOptions *options);
    void (*close)(Vm *vm, void *ctx);

    // Gives the buffer memory in the backend's place and marks it valid there, elements undefined.
    // False: no memory.
    bool (*alloc)(Vm *vm, void *ctx, Buffer *buffer);
    // Frees that memory, but not before work under way (buffer->busy) is done with it.
    void (*free)(Vm *vm, void *ctx, Buffer *buffer);
    // Fills the buffer's memory in that place with zeros, after all earlier launches. False: as for copy. NULL: zeros
    // are copied.
    bool (*clear)(void *ctx, const Buffer *buffer, Event *event);
    // Copies the buffer's bytes from the other place to `to`, after all earlier launches. The copy may still be under
    // way when this returns: until the event has happened, the host's memory is neither freed nor written otherwise.
    // False: the device cannot copy, or is lost (see wait). NULL: the backend's place is the host.
    bool (*copy)(Vm *vm, void *ctx, Buffer *buffer, Place to, Event *event);

    // Copies a part of the buffer's memory from the device to the host, as `copy` does. NULL: only whole buffers can be
    // copied.
    bool (*read)(Vm *vm, void *ctx, const Buffer *buffer, BufferPart part, Event *event);

    // Returns whether the backend can run a kernel. Compiles nothing, and is called more often than kernels are run. If
    // not, the scheduler uses the cpu backend. For a GEMM, no also means that its operations are better run one by one:
    // plans then contain none.
    Support (*supports)(void *ctx, const Kernel *kernel);
    // Returns, for people, why a library operation is left to the host whatever its operands are; NULL: it is not.
    // Default: always NULL.
    const char *(*lacks)(void *ctx, OpId op);
    // Returns how many bytes of host memory (aligned to BUFFER_ALIGN) launch needs in kernel->workspace.
    size_t (*workspace)(void *ctx, const Kernel *kernel);
    // Returns whether an interrupted kernel (FLAG_INTERRUPTED) may leave work running. Its workspace then is
    // reference-counted memory that can outlive the VM (kernel->lasting, lasting.h); the remaining work holds a
    // reference and touches nothing else. Default: never.
    bool (*lasts)(void *ctx, const Kernel *kernel);
    // Finds or starts compiling the code of a kernel that is launched next; *built is passed to launch, which waits
    // for a compilation in the background. False: there is no code, and the host runs the kernel. Default: no code
    // is needed.
    bool (*build)(Vm *vm, void *ctx, const Kernel *kernel, void **built);
    // Runs a verified kernel; the Kernel structure may be freed as soon as launch returns. flags[i] receives a set of
    // Flag for site i before the event happens; a kernel of a library node has one site. False: the device rejects the
    // kernel, nothing has been begun, and the host runs it.
    // Only the VM's own thread allocates memory of the VM.
    bool (*launch)(void *ctx, const Kernel *kernel, void *built, uint32_t *flags, Event *event);
    // Waits for the event. False: the device is lost, and not all work up to the event was done. Asking again for
    // earlier events finds the first that failed; every later `copy`, or the wait for it, fails. Default: every event
    // has already happened.
    bool (*wait)(void *ctx, Event event);

    // Returns the number of rows per band for kernels that run over the same rows with `row_bytes` bytes a row. Skewed
    // bands keep `beside` further rows in the cache. 0: running them one by one is faster. Default: always 0.
    int64_t (*band_rows)(void *ctx, int64_t rows, size_t row_bytes, int64_t beside);
    size_t (*bands_workspace)(void *ctx, const Bands *bands); // as `workspace`
    // Runs several kernels in bands: flags[i] receives the flags of kernel i's sites. Returns when all are done.
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
    int (*workers)(void *ctx); // returns how many threads have done work so far, including the caller's
    int (*compiled)(void *ctx); // returns for how many kernel forms code has been compiled. Default: 0
    // Starts compiling a region. Returns a handle for region_code, owned by the backend; NULL: no code can be made.
    // `notes` names source lines, for code that is kept for debuggers. Default: no region is compiled.
    void *(*region)(Vm *vm, void *ctx, const Region *region, const RegionNotes *notes);
    // region_calls returns the functions that a region's code calls. region_code returns the code of a region whose
    // compilation was started; NULL: not yet compiled, or never will be (*failed).
    const RegionCalls *(*region_calls)(void *ctx);
    RegionFn (*region_code)(Vm *vm, void *ctx, void *asked, bool wait, bool *failed);
    // Write, for people, the source text of a region's code, and of the code of kernel form number `index`. False:
    // there is none. Default: none.
    bool (*region_source)(void *ctx, const Region *region, const RegionNotes *notes, Buf *out);
    bool (*kernel_source)(void *ctx, int index, Buf *out);
    // Runs a parallel loop of a region as work items (vm/region/items.h), after all earlier launches, and waits. False:
    // it did not run, and memory is unchanged; items->key records it if the loop can never run. NULL: the backend runs
    // no loops.
    bool (*items)(void *ctx, RegionItems *items);
    void (*describe)(Buf *out); // writes lines for `nacre info`: "NAME: text"; the text begins with "no" if absent
    uint32_t takes;             // set of Taken
    // Opens libraries that must be opened while the process has a single thread; with `for_ranks` such that all
    // threads, which are ranks, compute the same bits. Default: none.
    void (*prepare)(bool for_ranks);
    // Memory that other libraries of the process see, too (vm/sched/sharing.h): the DLPack type of the device, whose
    // number in DLPack is 0. Buffer handles are then addresses. 0: its memory is not shared.
    int32_t shares;
    // Orders launches against a stream of another library: `theirs_first` makes later launches wait for the stream,
    // otherwise the stream waits for earlier launches. Stream 0: the default streams. False: there is no such stream.
    bool (*order)(void *ctx, int64_t stream, bool theirs_first);
    // Completes all work of a VM that ends before others have given its shared memory back. Only `free` of that memory
    // and `close` follow, from any thread. Default: nothing has to be done.
    void (*retire)(void *ctx);
} Backend;

// A backend and its context for this VM.
typedef struct Device {
    const Backend *backend;
    void *ctx;
} Device;

// The backends that are linked in (backends/registry.c). Ends with NULL; the first is the default and the reference.
extern const Backend *const backends[];
// Find a backend by name; a NULL name means the first. backend_find searches plug-ins, too. NULL: there is none.
const Backend *backend_built_in(const char *name); // without plug-ins
const Backend *backend_find(const char *name);
void backends_describe(Buf *out);          // for `nacre info`
void backends_prepare(bool for_ranks);     // those that are linked in

#endif
