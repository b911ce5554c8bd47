// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Storages: buffers that track where their valid copies are. Every write makes a new version. A
// view is a storage with offset, shape and strides.

#ifndef NACRE_VM_GRAPH_STORAGE_H
#define NACRE_VM_GRAPH_STORAGE_H

#include "lang/support/buf.h"
#include "vm/graph/dtype.h"
#include "vm/value/vm.h"

enum { NDIM_MAX = 64, BUFFER_ALIGN = 64 };

// Rounds up so that what follows is aligned.
static inline size_t aligned_bytes(size_t bytes) {
    return (bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
}

// Used as a set. Three places are never combined with others. PLACE_RANKS: each rank has a block of its own in host
// memory (vm/sched/blocks.h). PLACE_GRID: each rank has a box of its own, along several dimensions (vm/sched/grid.h).
// PLACE_UNKNOWN, in a dry run (vm/sched/dry.h): every rank would have all elements, but nobody has computed them. The
// host memory can be read, and holds zeros or older contents.
typedef enum Place {
    PLACE_NOWHERE = 0,
    PLACE_HOST = 1,
    PLACE_DEVICE = 2,
    PLACE_RANKS = 4,
    PLACE_UNKNOWN = 8,
    PLACE_GRID = 16,
} Place;

// Contents of an array that was never written: zeros; undefined (np.empty).
typedef enum Untouched { WRITTEN, UNTOUCHED_ZEROS, UNTOUCHED_ANY } Untouched;

typedef struct Buffer {
    char *host;      // aligned to BUFFER_ALIGN (an object's own memory to 16 bytes); NULL: no host
                     // memory
    void *device;    // the backend's handle
    struct Blocks *blocks; // how it is cut over the ranks, or was cut before it was gathered; NULL: never cut
    struct Grid *grid;     // as `blocks`, over a grid of ranks
    size_t bytes;    // SIZE_MAX: not known until its producer has run
    void *block;     // allocation that contains `host`
    size_t block_bytes;
    uint64_t busy;   // the backend's event after which no work under way accesses the device's memory
    uint64_t copied; // the event after which no copy under way reads the host's memory; 0: there was none
    uint8_t valid;   // set of Place; empty: never written
    uint8_t untouched; // Untouched: the host memory is as allocated
    uint8_t made;    // PLACE_DEVICE: the device has written it last
    uint32_t touches; // accesses to elements, and by small kernels, while valid on the device only (graph_is_away,
                      // placing_of)
    uint32_t resident; // number among the buffers with device memory, from 1 (vm/sched/residents.h); 0: has none
} Buffer;

struct Node;

// Reasons for checking a storage before each use, as a set. While it is not empty, its memory may not be read without
// the check.
typedef enum Doubt {
    DOUBT_BORROWED = 1, // its owner may have freed it: foreign.c
    DOUBT_APART = 2,    // made while this rank worked by itself (Graph.apart): other ranks have different contents
} Doubt;

// A known fact about a contiguous array's elements; valid for one version.
typedef enum FactKind {
    FACT_TRUES,     // the number of true elements of a mask
    FACT_INDICES,   // no element is negative; value: the largest (-1: no elements)
    FACT_ASCENDING, // elements are not negative and ascend; value: the last
} FactKind;
typedef struct Fact {
    uint64_t version;
    int64_t offset, size, value; // size 0: not known
    FactKind kind;
} Fact;

// A pending result that stays pending while its consumers run, to be rematerialised if needed (vm/sched/defer.c). At
// most once per result.
typedef enum Deferral { DEFERRED_NOT, DEFERRED, DEFERRED_BEFORE } Deferral;

typedef struct FillWindow FillWindow;

typedef struct Storage {
    uint32_t refs;
    uint32_t held;        // references by pending nodes; refs == held means that it is not visible
                          // elsewhere
    uint8_t wanted;       // scratch of the scheduler while it plans; otherwise 0
    uint8_t doubted;      // set of Doubt
    uint8_t deferral;     // Deferral
    bool of_scalars;      // has the scalars of loop rounds that were batched (vm/sched/rounds.h)
    uint8_t home;         // PLACE_DEVICE: its device memory is shared with others, so it is kept and kept up to date
                          // (vm/sched/sharing.h)
    uint32_t counted, accesses, number;
    struct Storage *sharer; // the storage that shares the device's memory until either is written; NULL: none
                            // (vm/sched/lazy_copy.h)
    uint64_t version;       // version that the recorded writes lead to
    struct Node *producer;  // pending node that writes the current version; NULL: none
    Fact fact;              // the fact found last (vm/array/facts.c)
    struct Fill *fill;        // all elements have one value, and no memory (fill.h); NULL: an ordinary storage
    FillWindow *windows;      // memory through which parts of the fill were read
    struct RowRuns *row_runs; // runs of the matrix that has these indices, or NULL (row_runs.h)
    void *owner;            // owner of the memory; NULL: the storage itself
    void (*give_back)(Vm *vm, void *owner);
    Buffer buffer;
} Storage;

// Returns a storage of `bytes` bytes, without memory. Owned; NULL: out of memory.
Storage *storage_new(Vm *vm, size_t bytes);
// Does the same for memory that the program does not know of, which does not count towards the next collection.
Storage *storage_new_scratch(Vm *vm, size_t bytes);
// Makes a storage over borrowed memory. If the memory must not change, only read-only arrays may use it;
// otherwise writes are executed at once. It is never reused for other arrays. `give_back`
// is called with the owner when the storage is freed, but not if this call fails. Owned; NULL: out
// of memory.
Storage *storage_over(Vm *vm, const char *host, size_t bytes, void *owner,
                      void (*give_back)(Vm *vm, void *owner));
// Marks a storage whose memory becomes visible outside the VM: it is then treated like borrowed memory.
void storage_lend(Storage *storage);
bool storage_is_lent(const Storage *storage);
// foreign.c: returns whether borrowed memory still exists, as far as can be detected.
bool storage_is_there(const Storage *storage);
typedef enum Fresh {
    FRESH_ANY,    // will be overwritten completely
    FRESH_OWN,    // may be seen: old contents of this VM or zeros, never data of others in the process
    FRESH_ZEROED,
} Fresh;
// Allocates host memory for a buffer whose `bytes` are set, and marks it valid.
bool buffer_alloc_host(Vm *vm, Buffer *buffer, Fresh fresh);
void buffer_free_host(Vm *vm, Buffer *buffer);
// Returns whether only an address range is reserved for the buffer (dry runs), as its elements are never computed.
bool buffer_is_reserved(Vm *vm, const Buffer *buffer);
void storage_release(Vm *vm, Storage *storage); // accepts NULL
static inline Storage *storage_retain(Storage *storage) {
    if (storage) storage->refs++;
    return storage;
}

// Hints that holders of a pending result are unlikely to read it.
static inline void storage_defer(Storage *storage, bool defer) {
    if (storage->deferral != DEFERRED_BEFORE) storage->deferral = defer ? DEFERRED : DEFERRED_NOT;
}

// A set of axes, as bits.
typedef uint64_t AxisSet;
static inline AxisSet axis_bit(int axis) {
    return (AxisSet)1 << axis;
}
static inline AxisSet axes_below(int ndim) {
    return ndim == NDIM_MAX ? ~(AxisSet)0 : axis_bit(ndim) - 1;
}

// Offsets and strides are in bytes.
typedef struct View {
    Storage *storage; // borrowed, unless its holder says otherwise
    int64_t offset;
    DType dtype;
    int ndim;
    int64_t shape[NDIM_MAX], strides[NDIM_MAX];
} View;

static inline void view_set(View *view, Storage *storage, int64_t offset, DType dtype, int ndim, const int64_t *shape,
                            const int64_t *strides) {
    view->storage = storage;
    view->offset = offset;
    view->dtype = dtype;
    view->ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        view->shape[d] = shape[d];
        view->strides[d] = strides[d];
    }
}

// Copies only the dimensions in use.
static inline void view_copy(View *to, const View *from) {
    view_set(to, from->storage, from->offset, from->dtype, from->ndim, from->shape, from->strides);
}
static inline int64_t view_size(const View *view) { // number of elements
    int64_t size = 1;
    for (int i = 0; i < view->ndim; i++) size *= view->shape[i];
    return size;
}
bool view_is_contiguous(const View *view); // C order
bool view_is_f_contiguous(const View *view); // Fortran order: the first axis is contiguous
void view_fill_strides(View *view);        // C order for its shape and dtype
// Sets contiguous strides for axes in the given order, fastest last.
void view_fill_strides_along(View *view, const int *axes);
// Computes the lowest and highest byte of the view, relative to the storage; false if it has no elements.
bool view_extent(const View *view, int64_t *low, int64_t *high);
bool view_same(const View *a, const View *b);     // the same elements in the same order
bool view_may_overlap(const View *a, const View *b);
// Returns whether no two elements share a byte.
bool view_is_injective(const View *view);

// shape_text.c
void shape_text(const int64_t *shape, int ndim, Buf *out);       // (2, 3)
void shape_text_tight(const int64_t *shape, int ndim, Buf *out); // (2,3)
Status view_no_memory(Vm *vm, const View *view); // MemoryError: Unable to allocate …

// region.c: tests whether views overlap. False only if they share no byte; exact for boxes of one array
// with any steps.
bool view_meets(const View *a, const View *b);

#endif
