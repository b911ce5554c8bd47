// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Library operations on devices. A table has a row for each operation of ops.def that is not a loop over elements:
// either text in the common subset of OpenCL C and CUDA C (text/), compiled for the operands' types, with a function
// that enqueues its steps; or the reason why the host does it.

#ifndef NACRE_BACKENDS_GRID_LIBRARY_H
#define NACRE_BACKENDS_GRID_LIBRARY_H

#include "backends/grid/machine.h"
#include "backends/grid/text/view.h"

// One run of a kernel. Its steps are executed in order. If a step fails, `failed` is set, and later steps do nothing.
enum { GRID_SCRATCHES = 16 };
typedef struct GridTaken {
    void *memory;
    size_t bytes;
} GridTaken;

typedef struct GridRun {
    GridMachine *machine;
    const Kernel *kernel;
    const GridProgram *program;
    void *flags; // a uint32_t per site, on the device
    GridTaken taken[GRID_SCRATCHES];
    int taken_count;
    bool failed;
} GridRun;

// Arguments of a function, in the order of its parameters.
typedef struct GridArguments {
    void *const *memories;
    int memory_count;
    const void *numbers; // a structure of 8-byte numbers
    size_t bytes;
} GridArguments;

// Takes device memory for the run, until the run is enqueued. An operation takes all that it needs before its first
// step, so that a run that fails for lack of memory has changed nothing. NULL: there is none.
void *grid_scratch(GridRun *run, size_t bytes);
// Takes memory for `count` elements of `size` bytes.
static inline void *grid_scratch_for(GridRun *run, int64_t count, size_t size) {
    return grid_scratch(run, (size_t)count * size);
}
void grid_give_scratch(GridRun *run); // gives all of it back, once all steps have been enqueued
void grid_clear(GridRun *run, void *memory, size_t bytes); // fills it with zeros; a multiple of 4 bytes
// Enqueues function number `function` of the program for at least size.items by size.rows work items (ITEM, ROW), in
// groups of no particular size. The function has to ignore work items beyond the size.
void grid_step(GridRun *run, int function, GridSize size, GridArguments arguments);
// Enqueues a function for exactly groups.items by groups.rows groups (GROUP, ROW) of `lanes` work items each (LANE).
void grid_step_groups(GridRun *run, int function, GridSize groups, size_t lanes, GridArguments arguments);

// Runs a function of the vendor's library. If it fails, the host runs the kernel: only scratch memory has been written.
void grid_solve(GridRun *run, const GridSolve *what);

// A row of the table. `form`: fills in the parts of the signature; false: the device does not support these operands.
// `text`: writes the definitions that the form's parts stand for, and then the text; returns the functions' names,
// ending with NULL. `run`: enqueues the steps.
typedef struct GridRow {
    const char *reason; // why devices cannot run it; the functions are NULL then, unless `needs` is set
    GridSolveKind needs; // devices whose driver lacks this routine cannot run it
    bool (*form)(const Dialect *dialect, const Kernel *kernel, GridForm *form);
    const char *const *(*text)(const Dialect *dialect, const GridForm *form, Buf *out);
    void (*run)(GridRun *run);
    bool tells; // raises flags at its site
} GridRow;

#define DECLARE_ELEMENTWISE(ID)
#define DECLARE_REDUCTION(ID)
#define DECLARE_SCAN(ID) extern const GridRow grid_##ID;
#define DECLARE_CREATION(ID) DECLARE_SCAN(ID)
#define DECLARE_LIBRARY(ID) DECLARE_SCAN(ID)
#define OP(ID, name, arity, CLASS, ...) DECLARE_##CLASS(ID)
#include "vm/graph/ops.def"
#undef DECLARE_ELEMENTWISE
#undef DECLARE_REDUCTION
#undef DECLARE_SCAN
#undef DECLARE_CREATION
#undef DECLARE_LIBRARY
extern const GridRow *const grid_rows[AOP_COUNT]; // NULL for loops

bool grid_library_form(const Dialect *dialect, const Kernel *kernel, GridForm *form);
const char *const *grid_library_text(const Dialect *dialect, const GridForm *form, Buf *out);
bool grid_library_tells(const GridForm *form);
void grid_library_run(GridRun *run);

// --- For rows --------------------------------------------------------------------------------------------

// Describes a view for device text, with neighbouring dimensions joined. False: more than GRID_VIEW_DIMS are left.
bool grid_view(const View *view, GridView *out);
// Writes "typedef type NAME" with the dialect's spelling of a type. It is not a macro, since expressions of operations
// define a T of their own.
void grid_define_type(const Dialect *dialect, const char *name, DType type, Buf *out);
void grid_define_number(const char *name, int64_t value, Buf *out);
// Defines a type of `size` bytes, for text that only moves elements: an unsigned integer, or a structure of 16 bytes.
void grid_define_word(const char *name, size_t size, Buf *out);
// Returns whether a compiled text can compute with elements of the type.
bool grid_has_type(const Dialect *dialect, DType type);
// Writes the dialect's helpers for half floats and complex numbers that a text with these types, and with an operation
// on the last of them, needs. Called once per text, before the functions below. `tells`: with the operation's flags.
void grid_define_numbers(const Dialect *dialect, const DType *types, int count, OpId op, bool tells, Buf *out);
// Writes "static T NAME(F left, F right)", which returns an elementwise operation's value.
void grid_define_op(const Dialect *dialect, const char *name, OpId op, DType from, DType type, Buf *out);
// Writes "static T NAME(F x)", which returns a cast.
void grid_define_cast(const Dialect *dialect, const char *name, DType from, DType to, Buf *out);
// Writes "static T get_NAME(GLOBAL const char *at)" and "static void put_NAME(GLOBAL char *at, T value)", which load
// and store an element. Its type in memory may differ from T, in which it is computed.
void grid_define_access(const Dialect *dialect, const char *name, DType type, Buf *out);
// Writes "static void NAME(GLOBAL uint32_t *flags, R made, T x, T y)", which raises the flags and errors of an
// operation at site 0; it does nothing if `tells` is false. A cast ignores y.
void grid_define_check(const Dialect *dialect, const char *name, OpId op, DType from, DType type, bool tells, Buf *out);
// Returns whether a text can combine elements of the type by the operation, and whether that raises flags to be
// reported, or errors.
bool grid_can_combine(const Dialect *dialect, OpId op, DType type);
bool grid_combine_tells(const Kernel *kernel, OpId op, DType type);

// Write "#define NAME zero" for a type; and functions that add and multiply two elements, for sums of products. Sums of
// half floats are not rounded on the way.
void grid_define_zero(const Dialect *dialect, const char *name, DType type, Buf *out);
void grid_define_sum(const Dialect *dialect, const char *added, const char *multiplied, DType type, Buf *out);

// Returns the only axis of an operation along one axis.
static inline int grid_axis(const Kernel *kernel) {
    return __builtin_ctzll(kernel->attrs.axes);
}
// Stores in `rest` the view's dimensions other than `axes`.
void grid_rest(const View *view, AxisSet axes, View *rest);

// grid_define_keys writes keys.cl, after the definitions that it needs for a type; the text is the same for all types
// with the same grid_key_type(). grid_key_sort returns how the functions there order elements of a type (KEY_…),
// grid_key_bytes the bytes of a key.
void grid_define_keys(DType type, Buf *out);
uint8_t grid_key_type(DType type);
int64_t grid_key_sort(DType type);
int grid_key_bytes(DType type);

#endif
