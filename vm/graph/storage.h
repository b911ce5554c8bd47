// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Where elements live. A storage is a buffer that knows where its valid copies are. Every write makes a
// new version. A view is a storage seen through an offset and strides.

#ifndef NACRE_VM_GRAPH_STORAGE_H
#define NACRE_VM_GRAPH_STORAGE_H

#include "lang/support/buf.h"
#include "vm/graph/dtype.h"
#include "vm/value/vm.h"

enum { NDIM_MAX = 64, BUFFER_ALIGN = 64 };

// Bytes, rounded up so that what lies behind them is aligned.
static inline size_t aligned_bytes(size_t bytes) {
    return (bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
}

typedef enum Place { PLACE_NOWHERE = 0, PLACE_HOST = 1, PLACE_DEVICE = 2 } Place; // a set

typedef struct Buffer {
    char *host;      // aligned to BUFFER_ALIGN, an object's own memory to 16 bytes; NULL: not there
    void *device;    // the backend's handle
    size_t bytes;    // SIZE_MAX: known once its producer has run
    void *block;     // what was allocated for `host`
    size_t block_bytes;
    uint64_t busy;   // the backend's event after which nothing under way touches the device's memory
    uint64_t copied; // … after which no copy under way reads the host's; 0: there was none
    uint8_t valid;   // set of Place; none: nobody has written it
} Buffer;

struct Node;

// How many elements of a contiguous mask in a storage are true, for as long as it is of that version.
typedef struct TrueCount {
    uint64_t version;
    int64_t offset, size, count; // size 0: not known
} TrueCount;

// Whether a pending result is left pending by what is computed of it (vm/sched/defer.c), which happens once.
typedef enum Deferral { DEFERRED_NOT, DEFERRED, DEFERRED_BEFORE } Deferral;

typedef struct Storage {
    uint32_t refs;
    uint32_t held;        // of these, references of pending nodes: with refs == held nobody else can see it
    uint8_t wanted;       // of the scheduler, while it plans; 0 otherwise
    uint8_t doubted;      // memory of others that is looked after before it is used: foreign.c
    uint8_t deferral;     // Deferral
    uint32_t counted, accesses, number;
    uint64_t version;       // of the contents that recorded writes lead to
    struct Node *producer;  // the pending node that writes the current version; NULL: none pending
    TrueCount trues;        // of the mask that was last counted
    void *owner;            // whose memory it is; NULL: its own
    void (*give_back)(Vm *vm, void *owner);
    Buffer buffer;
} Storage;

// A storage of `bytes` bytes without memory. Owned; NULL: out of memory.
Storage *storage_new(Vm *vm, size_t bytes);
// A storage over memory that belongs to something else. If that must not change, only read-only
// arrays may see it; what is written to others is done at once, and the memory is given to no other use.
// `give_back` is called with the owner when the storage goes; not when this fails. Owned; NULL: out of
// memory.
Storage *storage_over(Vm *vm, const char *host, size_t bytes, void *owner,
                      void (*give_back)(Vm *vm, void *owner));
// Somebody else sees a storage's own memory from now on: it is treated as memory of others is.
void storage_lend(Storage *storage);
bool storage_is_lent(const Storage *storage);
// foreign.c: whether such memory is still there, as far as can be found out.
bool storage_is_there(const Storage *storage);
typedef enum Fresh {
    FRESH_ANY,    // all of it is about to be written
    FRESH_OWN,    // may be seen: what this VM had there before, or zeros; never what others of the process had
    FRESH_ZEROED,
} Fresh;
// Host memory for a buffer whose `bytes` are set, through the VM's allocator; now valid there.
bool buffer_alloc_host(Vm *vm, Buffer *buffer, Fresh fresh);
void buffer_free_host(Vm *vm, Buffer *buffer);
void storage_release(Vm *vm, Storage *storage); // NULL is fine
static inline Storage *storage_retain(Storage *storage) {
    if (storage) storage->refs++;
    return storage;
}

// Says whether who holds a pending result will hardly ask for it.
static inline void storage_defer(Storage *storage, bool defer) {
    if (storage->deferral != DEFERRED_BEFORE) storage->deferral = defer ? DEFERRED : DEFERRED_NOT;
}

// A set of axes.
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

// A copy without the dimensions that are not there.
static inline void view_copy(View *to, const View *from) {
    view_set(to, from->storage, from->offset, from->dtype, from->ndim, from->shape, from->strides);
}
static inline int64_t view_size(const View *view) { // elements
    int64_t size = 1;
    for (int i = 0; i < view->ndim; i++) size *= view->shape[i];
    return size;
}
bool view_is_contiguous(const View *view); // C order
bool view_is_f_contiguous(const View *view); // Fortran's order: the first axis moves fastest
void view_fill_strides(View *view);        // C order for its shape and dtype
// The same with the axes in another order, the one that moves fastest last.
void view_fill_strides_along(View *view, const int *axes);
// Lowest and highest byte the view touches, relative to the storage; false when it has no elements.
bool view_extent(const View *view, int64_t *low, int64_t *high);
bool view_same(const View *a, const View *b);     // the very same elements in the same order
bool view_may_overlap(const View *a, const View *b);
// Whether the address of an element says which one it is: no two of them share a byte.
bool view_is_injective(const View *view);

// shape_text.c
void shape_text(const int64_t *shape, int ndim, Buf *out);       // (2, 3)
void shape_text_tight(const int64_t *shape, int ndim, Buf *out); // (2,3)
Status view_no_memory(Vm *vm, const View *view); // MemoryError: Unable to allocate …

// region.c: false only if no byte is in both, which is found out for boxes of one array, whatever
// their steps.
bool view_meets(const View *a, const View *b);

#endif
