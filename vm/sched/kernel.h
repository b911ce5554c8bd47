// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kernel form: what every backend implements. An iteration space, affine loads, a small typed
// SSA body, stores, and perhaps one reduction. Library nodes (matmul, argmax, scans …) carry views
// instead of a body and are done by name. A kernel that is launched is complete in itself: memory
// has been found for its storages, and the node it was made of may be gone.

#ifndef NACRE_VM_SCHED_KERNEL_H
#define NACRE_VM_SCHED_KERNEL_H

#include "vm/graph/node.h"

enum { KERN_LOADS = 6, KERN_PARAMS = 4, KERN_CODE = 12, KERN_STORES = 2 };
enum { KERN_VALUES = KERN_LOADS + KERN_PARAMS + KERN_CODE };

// One affine access: element at offset + sum of index[d] * strides[d], in bytes.
typedef struct KernAccess {
    Storage *storage; // borrowed from the node
    char *base;       // of the storage's memory, in the place where the kernel runs
    DType dtype;
    int64_t offset;
    int64_t strides[NDIM_MAX];
} KernAccess;

// Values are numbered: loads, then params, then the results of instructions in order.
typedef struct KernInstr {
    uint16_t op;        // an elementwise OpId
    uint8_t from, type; // DType of the operands (WHERE: of the second and third), of the result
    int8_t args[3];     // -1: not used
} KernInstr;

typedef struct KernStore {
    KernAccess to; // its dtype is the value's
    int8_t value;
} KernStore;

// An operand of a library node.
typedef struct KernArg {
    bool is_scalar;
    Scalar scalar; // of attrs.loop's type
    View view;     // of the node; storage borrowed
    char *base;    // as in KernAccess
} KernArg;

typedef struct Kernel {
    OpId library; // AOP_NONE: a loop; otherwise a library node: args, result and attrs matter
    KernArg args[NODE_INPUTS], result;
    NodeAttrs attrs;
    void *workspace; // as much as the backend asked for; of the scheduler
    int ndim;
    int64_t shape[NDIM_MAX];
    int load_count, param_count, code_count, store_count;
    KernAccess loads[KERN_LOADS];
    Scalar params[KERN_PARAMS];
    DType param_types[KERN_PARAMS];
    KernInstr code[KERN_CODE];
    KernStore stores[KERN_STORES];
    // A reduction: the single store's strides are 0 along `reduced` dimensions, and values meet in
    // it through this elementwise op, beginning with `initial` (AOP_NONE: plain stores).
    OpId reduce;
    AxisSet reduced;
    bool begun;       // what the store holds already begins
    bool has_initial; // otherwise the first value along the reduced dimensions begins
    Scalar initial;
    bool may_raise, flags; // worth looking at the float flags afterwards
    uint32_t untold;       // a set of Flag: those not to look at
    bool underflow;        // somebody wants to know of that too, whatever it costs
} Kernel;

// Makes the kernel of one node.
void kernel_from_node(Kernel *kernel, const Node *node);
// Makes the kernel that copies elements from one view to another of the same shape, with a cast.
void kernel_copying(Kernel *kernel, const KernArg *to, const KernArg *from);
// Copies a loop, no library node: what it uses of a large structure.
void kernel_copy(Kernel *to, const Kernel *from);
// Drops dimensions of extent 1, puts the fastest-moving dimension last, joins dimensions that lie
// behind one another. Order of summation is NumPy's: by magnitude of stride.
void kernel_simplify(Kernel *kernel);
// What is wrong with a kernel; NULL: nothing.
const char *kernel_verify(const Kernel *kernel);

// Address of an access's first element.
static inline char *access_at(const KernAccess *access) {
    return access->base + access->offset;
}
static inline char *arg_at(const KernArg *arg) {
    return arg->base + arg->view.offset;
}

static inline DType kernel_value_type(const Kernel *kernel, int value) {
    if (value < kernel->load_count) return kernel->loads[value].dtype;
    value -= kernel->load_count;
    if (value < kernel->param_count) return kernel->param_types[value];
    return (DType)kernel->code[value - kernel->param_count].type;
}

#endif
