// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kernel form: what every backend implements. An iteration space, affine loads, a typed SSA body,
// stores, and perhaps reductions along the same dimensions. What is stored may be what is loaded, element by element: a tile
// is loaded before it is stored. Library nodes (matmul, argmax, scans …) carry views instead of a body
// and are done by name. A kernel that is launched is complete in itself: memory has been found for
// its storages, and the nodes it was made of may be gone.
//
// A kernel is made of one node or of several, each of which is one of its sites: float flags and
// errors are told of by site.

#ifndef NACRE_VM_KERNEL_KERNEL_H
#define NACRE_VM_KERNEL_KERNEL_H

#include "vm/graph/node.h"

enum { KERN_LOADS = 16, KERN_PARAMS = 16, KERN_CODE = 64, KERN_STORES = 8, KERN_SITES = 64 };
// Values are numbered: loads from 0 on, params, the results of instructions.
enum {
    KERN_FIRST_PARAM = KERN_LOADS,
    KERN_FIRST_CODE = KERN_FIRST_PARAM + KERN_PARAMS,
    KERN_VALUES = KERN_FIRST_CODE + KERN_CODE
};

// Float conditions met by a kernel, as a set; and errors that are Python exceptions.
typedef enum Flag {
    FLAG_DIVIDE = 1,
    FLAG_OVERFLOW = 2,
    FLAG_UNDERFLOW = 4,
    FLAG_INVALID = 8,
    FLAG_NEGATIVE_POWER = 16, // ValueError: Integers to negative integer powers are not allowed.
    FLAG_INDEX = 32,          // IndexError: WRAP_INDEX, which leaves such indexes as they are
    FLAG_INTERRUPTED = 64,    // vm->interrupt was seen: the work was left, the output is not whole
    FLAG_FAILED = 128,        // LinAlgError, in the op's words; of Fourier transforms MemoryError
    FLAG_ABSENT = 256,        // NotImplementedError: the op's library is not there
} Flag;

enum { FLAGS_FLOAT = FLAG_DIVIDE | FLAG_OVERFLOW | FLAG_UNDERFLOW | FLAG_INVALID };

// One affine access: element at offset + sum of index[d] * strides[d], in bytes.
typedef struct KernAccess {
    Storage *storage; // borrowed from the node
    char *base;       // of the storage's memory, in the place where the kernel runs
    DType dtype;
    int64_t offset;
    int64_t strides[NDIM_MAX];
} KernAccess;

typedef struct KernInstr {
    uint8_t op;         // an elementwise OpId
    uint8_t site;       // which of the kernel's nodes it belongs to
    uint8_t from, type; // DType of the operands (WHERE: of the second and third), of the result
    bool tells;         // float flags that it sets are somebody's business
    int8_t args[3];     // -1: not used
} KernInstr;

typedef struct KernStore {
    KernAccess to; // its dtype is the value's
    int8_t value;
} KernStore;

// Values meet in a store through an elementwise op.
typedef struct KernReduction {
    uint8_t op, site;
    bool begun;       // what the store holds already begins
    bool has_initial; // `initial` begins; otherwise the first value along the reduced dimensions
    uint32_t untold;  // of the op: a set of Flag that it does not tell of
    Scalar initial;
} KernReduction;

// An operand of a library node.
typedef struct KernArg {
    bool is_scalar;
    Scalar scalar; // of attrs.loop's type
    View view;     // of the node; storage borrowed
    char *base;    // as in KernAccess
} KernArg;

// GEMM: alpha * (args[0] @ args[1]) + beta * args[2]. Each step is the operation of one of the kernel's
// nodes, which it tells of; a step that is not there is left out. args[2] may be the result's own memory.
typedef enum GemmStep {
    GEMM_PRODUCT,
    GEMM_SCALE,        // by params[0]
    GEMM_SCALE_ADDEND, // args[2], by params[1]
    GEMM_SUM,          // without it args[2] is a scalar that says nothing
    GEMM_STEPS
} GemmStep;

typedef struct KernGemm {
    int8_t sites[GEMM_STEPS]; // -1: there is no such step
    bool behind[GEMM_STEPS];  // of scaling: the number is the second factor; of SUM: the product comes second
    bool subtracts;           // SUM does: the second from the first
} KernGemm;

// Which elements of a sum of floats meet in one tree: those that NumPy's iterator has before it at once. A tree
// has `unit` elements, the last one of each `span` what is left; they are added one after the other.
enum { SUM_BUFFER = 8192 }; // elements
typedef struct SumRuns {
    int64_t span, unit; // where all dimensions are reduced, in the order of iteration
    bool buffered;      // the operand is cast: along one dimension, too, a tree has SUM_BUFFER elements
} SumRuns;

// Of dimensions that do not lie behind one another, inner ones first; `buffered` is given.
static inline void sum_runs_of(const int64_t *shape, int count, SumRuns *runs) {
    int64_t row = count ? shape[0] : 1, core = row, size = row;
    if (count <= 1 || row >= SUM_BUFFER || (!runs->buffered && 2 * row > SUM_BUFFER)) {
        runs->span = row;
        runs->unit = runs->buffered && row > SUM_BUFFER ? SUM_BUFFER : row;
        return;
    }
    for (int d = 1; d < count && size < SUM_BUFFER; d++) { // whole rows, of as many dimensions as fit
        core = size;
        size *= shape[d];
    }
    runs->span = size;
    runs->unit = size <= SUM_BUFFER ? size : core * (SUM_BUFFER / core);
}

typedef struct Kernel {
    OpId library; // AOP_NONE: a loop; otherwise a library node: args, result and attrs matter
    KernArg args[NODE_INPUTS], result;
    NodeAttrs attrs;
    KernGemm gemm;
    void *workspace; // as much as the backend asked for; of the scheduler
    struct Lasting *lasting; // whose memory that is, if the kernel's work may outlast it; otherwise NULL
    int ndim;
    int64_t shape[NDIM_MAX];
    int load_count, param_count, code_count, store_count;
    KernAccess loads[KERN_LOADS];
    Scalar params[KERN_PARAMS];
    DType param_types[KERN_PARAMS];
    KernInstr code[KERN_CODE];
    KernStore stores[KERN_STORES];
    uint8_t like[KERN_SITES]; // the site whose conditions are also this one's, as it computes the same
    int64_t order[NDIM_MAX]; // with reductions: the strides by which the dimensions are sorted
    // The first stores are those of the reductions: their strides are 0 along `reduced` dimensions.
    KernReduction reductions[KERN_STORES];
    int reduction_count;
    AxisSet reduced;
    SumRuns runs; // where floats are summed
    uint8_t site_count;
    uint32_t untold;       // of a library node: a set of Flag that it does not tell of
    bool may_raise, flags; // worth looking at the float flags afterwards
    bool told_apart;       // after each instruction: sites, or instructions, differ in what they tell
    bool underflow;        // somebody wants to know of underflow too, whatever it costs
    bool whole;            // overwrites what it reads, so it cannot be left half-way
    NodeWish wish;             // its nodes', joined
} Kernel;

// What is to be said of one of a kernel's nodes.
typedef struct Site {
    const Node *node;
    const Node *reader; // who reads what a copy of an operand makes; otherwise the node itself
    uint32_t untold;    // a set of Flag that it does not tell of
    int like;           // number of a site whose conditions are also this one's
} Site;

// What is known of a kernel while it is made of nodes of one iteration space, in program order.
typedef struct KernelMaker {
    Kernel *kernel;
    int known_count;
    struct Known {
        const View *view; // borrowed from a node
        int8_t value;
        bool stored;
    } known[KERN_CODE]; // what the nodes have written so far
    const View *loads[KERN_LOADS];
    const NodeInput *params[KERN_PARAMS];
    bool inverted[KERN_PARAMS]; // the parameter is the scalar's inverse
    const Node *reductions[KERN_STORES];
    int8_t reduction_values[KERN_STORES];
} KernelMaker;

bool scalars_equal(const NodeInput *a, const NodeInput *b); // the same number of the same type
// Where a node's loop goes: what it reduces, otherwise what it makes.
const View *kernel_space_of(const Node *node);
void kernel_set_space(Kernel *kernel, const Node *node);
void kernel_set_access(KernAccess *access, const View *view);
// A reduction's store in the space of its operand: with strides of 0 along the reduced dimensions.
void kernel_set_reduced(Kernel *kernel, KernAccess *to, const Node *node);
void kernel_set_order(Kernel *kernel, const Node *reduction); // by its operand

// Whether a node is a sum of floats, and the trees of one.
bool node_sums_floats(const Node *node);
void sum_runs(const Node *sum, SumRuns *runs);

// A loop over the iteration space of its first node.
void kernel_begin(KernelMaker *maker, Kernel *kernel, const Node *first);
// Adds an elementwise node or a reduction, as the site of the number that it is called for. Without
// `stored` what it writes is only for nodes that are added later.
void kernel_add(KernelMaker *maker, const Node *node, bool stored);
void kernel_finish(KernelMaker *maker);
// Leaves out instructions that do nothing, and takes cheaper ones for others (algebra.c).
void kernel_algebra(KernelMaker *maker);
// What algebra asks of an operation's scalar. Those of plans with the same key are of the same classes.
typedef enum ScalarClass {
    SCALAR_ANY,
    SCALAR_ONE,
    SCALAR_ZERO,  // not -0
    SCALAR_POWER, // of two, with an exact inverse
} ScalarClass;
ScalarClass scalar_class(OpId op, DType type, Scalar scalar);
static inline Scalar scalar_inverse(Scalar scalar) {
    return (Scalar){.f = 1 / scalar.f};
}
bool node_can_fail(const Node *node); // on values
bool node_can_tell(const Node *node); // of float conditions
bool cast_can_tell(DType from, DType to); // of what does not fit
// A kernel of nothing.
void kernel_clear(Kernel *kernel);
// Makes the kernel of one node, of whatever class.
void kernel_from_node(Kernel *kernel, const Node *node);
// Makes the kernel that copies elements from one view to another of the same shape, with a cast.
void kernel_copying(Kernel *kernel, const KernArg *to, const KernArg *from);
// Copies a loop, no library node: what it uses of a large structure.
void kernel_copy(Kernel *to, const Kernel *from);
// Drops dimensions of extent 1, puts the fastest-moving dimension last, joins dimensions that lie
// behind one another. Order of summation is NumPy's: by magnitude of stride.
void kernel_simplify(Kernel *kernel);
void kernel_swap_dims(Kernel *kernel, int a, int b);
// Makes of dimension 0, which is not reduced, two: of `outer` elements, a divisor of its extent, and the
// rest.
void kernel_split(Kernel *kernel, int64_t outer);
// The kernel's index space from … to along a dimension.
void kernel_slice(Kernel *kernel, int dim, int64_t from, int64_t to);
// What is wrong with a kernel; NULL: nothing.
const char *kernel_verify(const Kernel *kernel);
const char *kernel_verify_call(const Kernel *kernel); // gemm.c: of a GEMM
// The same before kernel_simplify, when a loop may have no dimension yet.
const char *kernel_verify_body(const Kernel *kernel);

// Address of an access's first element.
static inline char *access_at(const KernAccess *access) {
    return access->base + access->offset;
}
static inline char *arg_at(const KernArg *arg) {
    return arg->base + arg->view.offset;
}

static inline DType kernel_value_type(const Kernel *kernel, int value) {
    if (value < KERN_FIRST_PARAM) return kernel->loads[value].dtype;
    if (value < KERN_FIRST_CODE) return kernel->param_types[value - KERN_FIRST_PARAM];
    return (DType)kernel->code[value - KERN_FIRST_CODE].type;
}

#endif
