// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kernel form, which every backend implements: an iteration space, affine loads, a typed SSA
// body, stores, and perhaps reductions along the same dimensions. A store may alias a load exactly,
// element by element: a tile is loaded before it is stored. Library nodes (matmul, argmax, scans …)
// carry views instead of a body and are run by name. A launched kernel is self-contained: its
// storages have memory, and the nodes that it was made of may be gone.
//
// A kernel is made of one or several nodes, its sites (provenance): float flags and errors are
// reported per site.

#ifndef NACRE_VM_KERNEL_KERNEL_H
#define NACRE_VM_KERNEL_KERNEL_H

#include "vm/graph/node.h"

enum { KERN_LOADS = 16, KERN_PARAMS = 16, KERN_CODE = 64, KERN_STORES = 8, KERN_SITES = 64 };
// Values are numbered: loads first, then parameters, then results of instructions.
enum {
    KERN_FIRST_PARAM = KERN_LOADS,
    KERN_FIRST_CODE = KERN_FIRST_PARAM + KERN_PARAMS,
    KERN_VALUES = KERN_FIRST_CODE + KERN_CODE
};

// Set of float flags raised by a kernel, and of errors that become Python exceptions.
typedef enum Flag {
    FLAG_DIVIDE = 1,
    FLAG_OVERFLOW = 2,
    FLAG_UNDERFLOW = 4,
    FLAG_INVALID = 8,
    FLAG_NEGATIVE_POWER = 16, // ValueError: Integers to negative integer powers are not allowed.
    FLAG_INDEX = 32,          // IndexError: WRAP_INDEX leaves out-of-range indices unchanged
    FLAG_INTERRUPTED = 64,    // vm->interrupt was seen: work stopped, the output is incomplete
    FLAG_FAILED = 128,        // LinAlgError with the op's message; MemoryError for Fourier
                              // transforms
    FLAG_ABSENT = 256,        // NotImplementedError: the op's library is missing
} Flag;

enum { FLAGS_FLOAT = FLAG_DIVIDE | FLAG_OVERFLOW | FLAG_UNDERFLOW | FLAG_INVALID };

// Affine access: the element at offset + sum of index[d] * strides[d], in bytes.
typedef struct KernAccess {
    Storage *storage; // borrowed from the node
    char *base;       // address of the storage's memory on the device that runs the kernel
    DType dtype;
    int64_t offset;
    int64_t strides[NDIM_MAX];
} KernAccess;

// A computed load: element i is the product of line i of a compressed matrix with a vector (SPARSE_PRODUCT). It takes
// four consecutive loads. The first, `load`, has the type and the stride of the products, and the storage of indptr.
// The next three are indices, data and the vector. They are read where indptr and indices point, have strides of 0, and
// are not values.
enum { KERN_LINES = 2, LINE_LOADS = 4 };
typedef struct KernLines {
    int8_t load;
    int64_t offset; // offset of indptr's first element; a load at that offset begins with line 0
    int64_t entries; // number of entries in all lines
    const struct RowRuns *runs; // runs of the lines (row_runs.h), or NULL. Borrowed until the next node is recorded, so
                                // an asynchronous backend may not keep it
    int64_t first;   // index of line 0 in `runs`
} KernLines;

typedef struct KernInstr {
    uint8_t op;         // an elementwise OpId
    uint8_t site;       // the fused node that it came from (provenance)
    uint8_t from, type; // DType of the operands (for WHERE, of the second and third) and of the
                        // result
    bool tells;         // report the float flags that it raises
    int8_t args[3];     // -1: unused
} KernInstr;

typedef struct KernStore {
    KernAccess to; // has the dtype of the value
    int8_t value;
} KernStore;

// A reduction: combines values into a store by an elementwise op.
typedef struct KernReduction {
    uint8_t op, site;
    bool begun;       // accumulates into what the store already holds
    bool has_initial; // starts from `initial`; otherwise from the first value along the reduced
                      // dimensions
    uint32_t untold;  // flags that the op does not report
    Scalar initial;
} KernReduction;

// An operand of a library node.
typedef struct KernArg {
    bool is_scalar;
    Scalar scalar; // converted to the type attrs.loop
    View view;     // view from the node; borrows the storage
    char *base;    // as in KernAccess
} KernArg;

// GEMM: alpha * (args[0] @ args[1]) + beta * args[2]. Each step is one fused node, which reports
// its own float flags. Missing steps are skipped. args[2] may alias the result.
typedef enum GemmStep {
    GEMM_PRODUCT,
    GEMM_SCALE,        // multiplies by params[0]
    GEMM_SCALE_ADDEND, // multiplies args[2] by params[1]
    GEMM_SUM,          // adds args[2]; without this step args[2] is an unused scalar
    GEMM_STEPS
} GemmStep;

typedef struct KernGemm {
    int8_t sites[GEMM_STEPS]; // fused node of each step; -1: no such step
    bool behind[GEMM_STEPS];  // operand order: for scaling, the scalar is second; for SUM, the
                              // product is second
    bool subtracts;           // SUM subtracts its second operand from the first
} KernGemm;

// How NumPy groups a float sum: each chunk that its iterator buffers is summed as one pairwise
// tree. A tree has `unit` elements, except that the last tree of each `span` has the remainder. The
// trees' sums are added sequentially.
enum { SUM_BUFFER = 8192 }; // elements
typedef struct SumRuns {
    int64_t span, unit; // elements, for a sum over all dimensions in iteration order
    bool buffered;      // the operand is cast: then a tree is limited to SUM_BUFFER elements even
                        // along one dimension
} SumRuns;

// Computes span and unit for dimensions that cannot be joined, innermost first; `buffered` is an
// input.
static inline void sum_runs_of(const int64_t *shape, int count, SumRuns *runs) {
    int64_t row = count ? shape[0] : 1, core = row, size = row;
    if (count <= 1 || row >= SUM_BUFFER || (!runs->buffered && 2 * row > SUM_BUFFER)) {
        runs->span = row;
        runs->unit = runs->buffered && row > SUM_BUFFER ? SUM_BUFFER : row;
        return;
    }
    // Multiplies dimensions until the product reaches SUM_BUFFER; `core` is the product without the last one.
    for (int d = 1; d < count && size < SUM_BUFFER; d++) {
        core = size;
        size *= shape[d];
    }
    runs->span = size;
    runs->unit = size <= SUM_BUFFER ? size : core * (SUM_BUFFER / core);
}

typedef struct Kernel {
    OpId library; // AOP_NONE: a loop; otherwise a library node, described by args, result and attrs
    KernArg args[NODE_INPUTS], result;
    NodeAttrs attrs;
    KernGemm gemm;
    void *workspace; // scratch memory of the size that the backend asked for; owned by the
                     // scheduler
    struct Lasting *lasting; // owner of that memory if the kernel may outlive its launch; otherwise
                             // NULL
    int ndim;
    int64_t shape[NDIM_MAX];
    int load_count, param_count, code_count, store_count;
    KernAccess loads[KERN_LOADS];
    Scalar params[KERN_PARAMS];
    DType param_types[KERN_PARAMS];
    KernInstr code[KERN_CODE];
    KernStore stores[KERN_STORES];
    uint8_t like[KERN_SITES]; // per site: an earlier site that computes the same, whose flags it
                              // shares
    int64_t order[NDIM_MAX]; // for reductions: magnitudes of the strides that dimensions are sorted by
    // The first stores belong to the reductions: their strides are 0 along `reduced` dimensions.
    KernReduction reductions[KERN_STORES];
    int reduction_count;
    int lines_count;
    KernLines lines[KERN_LINES]; // computed loads; SPARSE_PRODUCT run by name uses only `runs` and `first` of lines[0]
    AxisSet reduced;
    SumRuns runs; // grouping of float sums
    uint8_t site_count;
    uint32_t untold;       // library node: flags that it does not report
    bool may_raise, flags; // float flags can be raised; flags are worth reading afterwards
    bool told_apart;       // a raised flag must be traced to its instruction: there are several sites, or some
                           // report only part of the flags
    bool underflow;        // report underflow too, even where detecting it is slow
    bool whole;            // not restartable: overwrites its own inputs, so it must run to the end
    NodeHints hints;             // hints of all fused nodes
    struct Split *split;       // set if this is one rank's part of a kernel (vm/sched/split.h); NULL: the whole kernel
} Kernel;

// Provenance: one of the nodes fused into a kernel, and how it reports flags.
typedef struct Site {
    const Node *node;
    const Node *reader; // the node that reads this one if it only copies an operand; otherwise the
                        // node itself
    uint32_t untold;    // flags that it does not report
    int like;           // number of the site whose flags it shares
} Site;

// State while a kernel is built from nodes of one iteration space, in program order.
typedef struct KernelMaker {
    Kernel *kernel;
    int known_count;
    struct Known {
        const View *view; // borrowed from a node
        int8_t value;
        bool stored;
    } known[KERN_CODE]; // values of views that the nodes have written so far
    const View *loads[KERN_LOADS];
    const NodeInput *params[KERN_PARAMS];
    bool inverted[KERN_PARAMS]; // the parameter holds the inverse of the scalar
    const Node *reductions[KERN_STORES];
    int8_t reduction_values[KERN_STORES];
} KernelMaker;

bool scalars_equal(const NodeInput *a, const NodeInput *b); // same number and same type
// Returns the view whose shape is the node's iteration space: the operand of a reduction, otherwise
// the output.
const View *kernel_space_of(const Node *node);
void kernel_set_space(Kernel *kernel, const Node *node);
void kernel_set_access(KernAccess *access, const View *view);
// Sets the four loads of computed load `number` from the views of its node's operands.
void kernel_set_lines(Kernel *kernel, int number, const View *const views[LINE_LOADS]);
// Returns whether a node may become a computed load on backends that support these.
bool kernel_has_lines(const Node *node);
void kernel_from_lines(Kernel *kernel, const Node *node); // builds a loop of such a node alone
// Returns whether a load is one of the four of a computed load.
static inline bool kernel_is_of_lines(const Kernel *kernel, int load) {
    for (int i = 0; i < kernel->lines_count; i++)
        if (load >= kernel->lines[i].load && load < kernel->lines[i].load + LINE_LOADS) return true;
    return false;
}
// Maps a reduction's output into its operand's space, with strides of 0 along reduced dimensions.
void kernel_set_reduced(Kernel *kernel, KernAccess *to, const Node *node);
void kernel_set_order(Kernel *kernel, const Node *reduction); // takes the order of summation from
                                                              // the operand

bool node_sums_floats(const Node *node);
void sum_runs(const Node *sum, SumRuns *runs); // computes how NumPy groups the sum
void kernel_sum_runs(Kernel *kernel); // computes the grouping again after the kernel's shape has changed

// Starts a loop over the iteration space of its first node.
void kernel_begin(KernelMaker *maker, Kernel *kernel, const Node *first);
// Adds an elementwise node or a reduction; the n-th call makes site n. Unless `stored`, its result
// is only visible to nodes added later.
void kernel_add(KernelMaker *maker, const Node *node, bool stored);
void kernel_finish(KernelMaker *maker);
// Simplifies the body (algebra.c).
void kernel_algebra(KernelMaker *maker);
// Properties of a scalar that algebra may use. Plans with equal keys have scalars of equal classes.
typedef enum ScalarClass {
    SCALAR_ANY,
    SCALAR_ONE,
    SCALAR_ZERO,  // 0, but not -0
    SCALAR_POWER, // a power of two with an exact inverse
} ScalarClass;
ScalarClass scalar_class(OpId op, DType type, Scalar scalar);
static inline Scalar scalar_inverse(Scalar scalar) {
    return (Scalar){.f = 1 / scalar.f};
}
bool node_can_fail(const Node *node); // returns whether errors may depend on values
bool node_can_tell(const Node *node); // returns whether the node can report float flags
bool cast_can_tell(DType from, DType to); // returns whether values that do not fit raise float flags
// Resets to an empty kernel.
void kernel_clear(Kernel *kernel);
// Builds the kernel of a single node of any class.
void kernel_from_node(Kernel *kernel, const Node *node);
// Builds a kernel that copies, and casts, elements between two views of the same shape.
void kernel_copying(Kernel *kernel, const KernArg *to, const KernArg *from);
// Copies the used parts of a loop's (large) structure. Not for library nodes.
void kernel_copy(Kernel *to, const Kernel *from);
// Drops dimensions of extent 1, moves the fastest dimension innermost, and joins dimensions that
// are contiguous with each other. Sums keep NumPy's order: by magnitude of stride.
void kernel_simplify(Kernel *kernel);
void kernel_swap_dims(Kernel *kernel, int a, int b);
// Splits dimension 0, which must not be reduced, in two. `outer` divides its extent.
void kernel_split(Kernel *kernel, int64_t outer);
// Restricts the iteration space to from … to - 1 along a dimension.
void kernel_slice(Kernel *kernel, int dim, int64_t from, int64_t to);
// Returns the first inconsistency of a kernel; NULL: none.
const char *kernel_verify(const Kernel *kernel);
const char *kernel_verify_call(const Kernel *kernel); // gemm.c: checks a GEMM
// Checks a loop that may not have been simplified yet, and so may have no dimension.
const char *kernel_verify_body(const Kernel *kernel);

// Return the address of the first element.
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
