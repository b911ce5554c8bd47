// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays as values: a storage with offset, shape and strides. Operations record nodes of the typed
// graph; access to elements goes through the host's copy (array_read, array_write).

#ifndef NACRE_VM_ARRAY_ARRAY_H
#define NACRE_VM_ARRAY_ARRAY_H

#include "vm/graph/graph.h"

typedef struct Array {
    GcObj gc;
    Storage *storage; // owned
    Value base;       // the array that this is a view of, or V_UNDEF
    int64_t offset;   // bytes
    DType dtype;
    bool readonly;
    int ndim, own_ndim;
    int64_t *dims; // ndim extents, then ndim strides in bytes: in `own`, or allocated if too many
    int64_t own[]; // space for own_ndim dimensions
} Array;

static inline int64_t *array_shape(Array *array) {
    return array->dims;
}
static inline int64_t *array_strides(Array *array) {
    return array->dims + array->ndim;
}

// --- Making (array_new.c) ----------------------------------------------------------------------

typedef enum Room {
    ROOM_PLACED, // uninitialised; gets memory when the nodes that write it run
    ROOM_HOST,   // uninitialised host memory, to be written at once
    ROOM_EMPTY,  // uninitialised host memory that may be seen (np.empty): only old contents of this
                 // VM, and valid bools
    ROOM_ZEROED,
    ROOM_LATER,  // no memory: the caller gives the array a fill (vm/graph/fill.h)
} Room;
// Makes an array in C order. MemoryError with NumPy's message.
Status array_new(Vm *vm, DType dtype, int ndim, const int64_t *shape, Room room, Value *out);
// Makes an array that the caller fills at once, in the order of its elements. If it is cut over ranks, each rank fills
// a part; otherwise it is as with ROOM_HOST, and the part is all of it.
typedef struct ArrayPart {
    char *at;         // address of element 0, even if it is not in the part; NULL in a dry run of ranks
    int64_t from, to; // the elements to be filled
} ArrayPart;
Status array_new_part(Vm *vm, DType dtype, int ndim, const int64_t *shape, Value *out, ArrayPart *part);
// Makes an array whose axes have the given order in memory, fastest last. NULL: C order.
Status array_new_arranged(Vm *vm, DType dtype, int ndim, const int64_t *shape, const int *axes,
                          Room room, Value *out);
// Makes an output for a node (ROOM_PLACED), in C order, with the shape of another, non-empty array.
Status array_new_like(Vm *vm, Array *like, DType dtype, Value *out);
// Computes the bytes of an array with a view's shape, at least 1; false: overflow.
bool view_byte_count(const View *view, size_t *bytes);
// Raises ValueError if the byte count of a view's shape overflows, which a broadcast view (strides of 0)
// may do. For views whose shape is not taken from another array.
Status view_check_size(Vm *vm, const View *view);
Status array_too_big(Vm *vm); // raises that ValueError
// Makes an array over a view's storage (retained). `base` is borrowed; V_UNDEF: the array owns its
// elements.
Status array_of_view(Vm *vm, const View *view, Value base, Value *out);
// array_spare preallocates an array with space for `ndim` dimensions. array_become_view, which cannot
// fail, makes it a view of the array `base`, `offset` bytes from its first element; `dims`: extents,
// then strides.
Status array_spare(Vm *vm, int ndim, Value *out);
void array_become_view(Array *spare, Value base, int64_t offset, int ndim, const int64_t *dims);
void array_view(Array *array, View *out); // borrowed storage
// Make an array's elements a node's next operand, or its output.
static inline void node_input_array(Node *node, Array *array) {
    node_input_dims(node, array->storage, array->offset, array->dtype, array->ndim, array_shape(array),
                    array_strides(array));
}
static inline void node_output_array(Node *node, Array *array) {
    node_output_dims(node, array->storage, array->offset, array->dtype, array->ndim, array_shape(array),
                     array_strides(array));
}
int64_t array_size(Array *array);
bool array_is_contiguous(Array *array);
Status array_set_writeable(Vm *vm, Value array, bool writeable); // ValueError: its base is not
// Raises ValueError if the array is read-only; `what` names it ("assignment destination").
Status array_check_writeable(Vm *vm, const Array *array, const char *what);
// array_read and array_write return the host address of the first element (see graph_read); NULL: an
// exception is set.
const char *array_read(Vm *vm, Array *array);
// Returns an array to read: the array itself, retained; or a copy, if its memory is not on the host and it is a small
// part of its storage, so that reading copies only that part to the host.
Status array_part(Vm *vm, Array *array, Value *part);
// Copies the corners of an array that is on a device or distributed: the first and last `edge` elements of each axis
// that has more. *out is None if the array is on the host, or has no such axes, or too many.
Status array_corners(Vm *vm, Array *array, int64_t edge, Value *out);
const char *array_fetch(Vm *vm, Array *array, const char *why); // see graph_fetch
char *array_write(Vm *vm, Array *array);
// Returns an array's elements as a C-contiguous array: a copy (owned), or the array itself (retained).
Status array_contiguous(Vm *vm, Value array, Value *out);
Status array_copy(Vm *vm, Value array, DType dtype, Value *out); // C order, of that type
// Writes the elements of a value (array, scalar, nested lists) into a view, broadcasting.
Status array_assign(Vm *vm, const View *to, Value from);
Status array_fill(Vm *vm, const View *to, DType dtype, Scalar scalar);
// Warns if a cast discards imaginary parts.
Status warn_of_cast(Vm *vm, DType from, DType to);
// Errors for arrays with the wrong number of dimensions.
Status not_zero_dimensional(Vm *vm);  // a scalar was needed
Status exceeds_one_dimension(Vm *vm, Value given); // a vector was needed

// --- Values from outside (convert.c, element.c) -------------------------------------------------

// np.asarray: returns arrays of a fitting type as they are (retained), and converts anything else.
// `dtype` may be DT_NONE: taken from the elements.
Status array_from(Vm *vm, Value v, DType dtype, Value *out);
// Converts one number to an element: OverflowError, TypeError. Accepts weak Python numbers.
Status scalar_from(Vm *vm, Value v, DType dtype, Scalar *out);
// Converts a list item, or the value of an element assignment: NumPy scalars must fit signed integers,
// and arrays are converted by float() and int().
Status element_from(Vm *vm, Value v, DType dtype, Scalar *out);
bool is_array_like(Value v); // list, tuple, range, array
// Returns whether array_stand_in may replace a value.
static inline bool has_stand_in(Value v) {
    return v.kind == K_INSTANCE || v.kind == K_DEQUE;
}
// Converts an int, or an object with __index__, to a C long, with NumPy's OverflowError.
Status array_long(Vm *vm, Value v, int64_t *out);
// Replaces an object of a class by what stands for it as an array: the built-in value inside, the
// result of __array__(), or its items. Borrowed; other values are unchanged. ST_DEFER: see asking.h.
Status array_stand_in(Vm *vm, Value *v);
// Parses dtype=; None and V_UNDEF give `fallback`.
Status dtype_from(Vm *vm, Value v, DType fallback, DType *out);
// Parses a shape: an int or a sequence of ints, none negative.
Status shape_from(Vm *vm, Value v, int64_t *shape, int *ndim);
// Parses a shape argument: like shape_from, but None means (), with NumPy's warning.
Status shape_argument(Vm *vm, Value v, int64_t *shape, int *ndim);
Status shape_of_new(Vm *vm, const int64_t *shape, int ndim); // ValueError: an extent is negative
// Parses an axis in -ndim … ndim-1; raises numpy's AxisError (here ValueError).
Status axis_from(Vm *vm, Value v, int ndim, int *out);
// Checks that an axis argument is None or an int, before the array is known.
Status axis_argument(Vm *vm, Value v);
// As axis_from, but True counts as 1; errors start with the argument's name unless it is "".
Status axis_named(Vm *vm, Value v, int ndim, const char *name, int *out);
// Parses an axis as numpy's normalize_axis_index does, with its messages for floats and large ints.
Status axis_normal(Vm *vm, Value v, int ndim, const char *name, int *out);
Status axis_number_normal(Vm *vm, Value v); // only checks that it is an int
Status int_argument(Vm *vm, Value v, int64_t *out); // for parameters of type int in NumPy's C code
// Parses axis=None (all axes), an int or a tuple of ints to a set.
Status axes_from(Vm *vm, Value v, int ndim, AxisSet *out);

// Strength of a value in type promotion (NEP 50): Python numbers are weak, and take the type of the
// other operand as far as their kind allows.
typedef enum Strength { STRONG, WEAK_INT, WEAK_FLOAT, WEAK_COMPLEX } Strength;
Strength strength_of(Value v);
DType dtype_with_weak(DType type, Strength weak); // DT_NONE: all are weak

// --- Operations (ufunc.c) ----------------------------------------------------------------------

// Memory order: A and K depend on the operands.
typedef enum Order { ORDER_C, ORDER_F, ORDER_A, ORDER_K } Order;

// A call of an elementwise op, with the parameters of NumPy's ufuncs.
typedef struct UfuncCall {
    OpId op;
    const Value *args;
    int count;
    Value into;      // out=; V_UNDEF: none
    DType dtype;     // result type; DT_NONE: from the operands
    Casting casting; // applies to operands (to the loop type) and to the result (to out=)
    Value where;     // V_UNDEF or True: everywhere
    bool operator;
    const Value *called;   // the arguments of the native that returns this result; NULL: none does
    bool ordered;          // a new result uses `order`; otherwise the operands' order
    Order order;
    const char *result_of; // if the ufunc has several results, its name
    int which;             // index of that result among operands and results, for messages
} UfuncCall;
// Ufunc objects and their parameters (ufunc_kind.c). Returns whether an op is a ufunc of scripts.
static inline bool op_is_ufunc(OpId op) {
    return op_info[op].op_class == CLASS_ELEMENTWISE && op_info[op].dtype_rule != RULE_SELECT &&
           op_info[op].dtype_rule != RULE_CAST && op_info[op].arity < 3;
}
// `second`: op of the second result, or OP_NO_SECOND.
Status ufunc_new(Vm *vm, OpId op, uint32_t second, const NativeDef *def, Value owner, Value *out);
Status ufunc_output(Vm *vm, Value out, Value *into); // parses out=: an array, None or a 1-tuple; V_UNDEF: none
Status ufunc_output_of(Vm *vm, Value out, int count, int which, Value *into); // out= of a ufunc with several results
extern const char *const casting_names[];
// Raises TypeError: the casting rule forbids this cast of an array (or scalar).
Status cannot_cast_array(Vm *vm, Value array, DType to, Casting casting);
Status casting_from(Vm *vm, Value v, Casting *out);
Status ufunc_apply(Vm *vm, const UfuncCall *u, Value *out);
// no_loop raises TypeError: there is no loop for operands of this common type. LoopTypes: types of the
// operands (DT_NONE: none yet) and of the result, if known.
typedef struct LoopTypes {
    DType types[NODE_INPUTS], result;
    Strength strengths[NODE_INPUTS];
    int count;
    const char *result_of; // as in UfuncCall
} LoopTypes;
Status no_loop(Vm *vm, OpId op, DType type, const LoopTypes *types);
Status no_matching_loop(Vm *vm, OpId op);    // TypeError: no loop for the requested result type

// Applies an elementwise op: promotion, broadcasting, and a scalar result if all operands are.
// `into` is V_UNDEF or the array to write (out=, in-place). ST_NOTIMPL: an operand is not a number.
Status array_apply(Vm *vm, OpId op, const Value *args, int count, Value into, DType dtype,
                   Value *out);
// Applies an op as an operator, whose scalar warnings have other texts.
Status array_operator(Vm *vm, OpId op, const Value *args, int count, Value into, Value *out);
// Reduces by an op with a row in the table; `axes` is a set.
Status array_reduce(Vm *vm, OpId op, Value a, AxisSet axes, bool keepdims, DType dtype,
                    Value *out);
// Parses axis= of a reduction to a set; for a 0-dimensional array 0 and -1 stand for all axes.
Status axis_set_from(Vm *vm, Array *array, Value axis, AxisSet *out);

// A call of a binary ufunc's method: reduce, accumulate, reduceat.
typedef struct ReduceCall {
    OpId op;        // elementwise
    Value axis;
    DType dtype;    // DT_NONE: from the operand (and out=)
    Value into;     // out=; not an array: none
    bool keepdims;
    Value initial;  // V_UNDEF: the identity; None: the first element
    Value where;    // V_UNDEF or True: everywhere
    const Value *slot; // a native's argument that may be consumed; or NULL
    const Value *called; // the native's arguments, if what it returns is computed from this result alone; or NULL
} ReduceCall;
Status ufunc_reduce(Vm *vm, const ReduceCall *call, Value a, Value *out);
Status ufunc_accumulate(Vm *vm, const ReduceCall *call, Value a, Value *out);
// Converts indices to a contiguous array for ufunc_reduceat. List items may have any type; an array must
// hold integers.
Status places_from(Vm *vm, Value indices, Value *out);
Status ufunc_reduceat(Vm *vm, const ReduceCall *call, Value a, Value places, Value *out);

Status array_matmul(Vm *vm, Value a, Value b, Value *out);
Status array_matmul_in_place(Vm *vm, Value a, Value b, Value *out); // a @= b; `a` is an array
Status array_dot(Vm *vm, Value a, Value b, Value *out);
// facts.c: look up, and cache, a fact about the elements of a contiguous array; valid until it is written to.
bool array_knows(Array *array, FactKind kind, int64_t *value);
void array_learns(Array *array, FactKind kind, int64_t value);
// Returns whether a contiguous int32 or int64 array has the property `kind`; *value as above.
Status array_check_indices(Vm *vm, Value array, FactKind kind, bool *holds, int64_t *value);
// sparse.c. args: indptr, indices, data, x, whether columns are compressed, and the extent of the other dimension.
Status array_sparse_product(Vm *vm, const Value *args, Value *out);
// args: an array. Returns the two matrices whose pending product it is; None if it is none, or has been computed.
Status array_product_factors(Vm *vm, const Value *args, Value *out);
// Computes the matrix product of broadcast stacks of one type, as an array or scalar of the given
// shape, which may lack axes of extent 1. `called`: name in float errors; NULL: matmul;
// product_untold: float errors are not reported.
extern const char product_untold[];
Status array_product(Vm *vm, const View *a, const View *b, int ndim, const int64_t *shape, const char *called,
                     Value *out);
// Axis labels, one letter each.
typedef struct Term {
    const char *letters;
    int count;
} Term;
// contract.c: contracts two arrays of one type along the axes that the result lacks. ST_NOTIMPL:
// labels do not fit, an array is empty, or a matrix product would not pay.
Status array_contract(Vm *vm, const Value *arrays, const Term *terms, Term result, const char *called, Value *out);
// Records the sum along axes of a view, in the array's own type (for bool: any), as an array even if no axis is left:
// what is released before array_to_scalar reads it is never stored. `called`: its name in warnings; NULL: ignores float
// flags.
Status array_sum_of(Vm *vm, const View *in, AxisSet axes, const char *called, Value *out);
// Broadcasts shapes: ValueError. `view` gets strides of 0 along broadcast axes.
Status shapes_broadcast(Vm *vm, const View *const *views, int count, int64_t *shape, int *ndim);
void view_broadcast(View *view, const int64_t *shape, int ndim);
// Converts a 0-dimensional array to a scalar; other arrays are unchanged. Consumes and returns
// through *v.
Status array_to_scalar(Vm *vm, Value *v);
// Returns whether a value is a 0-dimensional array that is pending on a device: reading it waits.
bool array_is_awaited(Vm *vm, Value v);
// Does the same as array_to_scalar for the result of a native that was called with these arguments, or of `@` (NULL).
// Leaves an array that is awaited if it is only assigned to an item of another (vm->is_stored).
Status array_to_result(Vm *vm, const Value *args, Value *v);
Status array_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out);
Status array_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out);
Status array_unary(Vm *vm, UnaryOp op, Value a, Value *out);

// --- Indexing (index_*.c) ----------------------------------------------------------------------

Status array_getitem(Vm *vm, Value self, Value key, Value *out);
Status array_setitem(Vm *vm, Value self, Value key, Value value);
// Read and write a[i, j] with int indices: the interpreter's fast path. ST_NOTIMPL: not applicable;
// nothing has happened.
Status array_get_element(Vm *vm, Array *array, const Value *indexes, int count, Value *out);
Status array_set_element(Vm *vm, Array *array, const Value *indexes, int count, Value value);
Status array_put_element(Vm *vm, Array *array, int64_t offset, Scalar s); // of the array's type, at that byte
Status array_nonzero(Vm *vm, Value a, Value *out); // a tuple of int64 arrays
// Finds the first element of a contiguous int64 row outside 0 … extent-1; ST_STOP: none.
Status array_find_outside(Vm *vm, Array *row, int64_t extent, int64_t *found);
// Computes a[key] = op(a[key], operand), repeatedly for repeated indices (ufunc.at). `operand` V_UNDEF: op
// is unary.
Status array_at(Vm *vm, OpId op, Value a, Value key, Value operand);

// --- Shapes (reshape.c) ------------------------------------------------------------------------

Status array_reshape(Vm *vm, Value a, const int64_t *shape, int ndim, Value *out);
Status array_transpose(Vm *vm, Value a, const int *order, Value *out); // NULL: reversed
Status array_ravel(Vm *vm, Value a, bool copy, Value *out);
Status array_concatenate(Vm *vm, const Value *parts, size_t count, int axis, DType dtype,
                         Value *out);
Status array_tolist(Vm *vm, Value a, Value *out);
// Return the real or imaginary parts: views of a complex array; for real arrays the array itself, and zeros.
Status array_real(Vm *vm, Value a, Value *out);
Status array_imag(Vm *vm, Value a, Value *out);

// Resolves an extent of -1. ValueError: the shape does not fit the size.
Status shape_resolve(Vm *vm, int64_t size, const int64_t *shape, int ndim, int64_t *out);

// --- Orders in memory (order.c) ----------------------------------------------------------------

// 'A': Fortran order if the array has that order and not C's. 'K': the array's own order of axes.
Status order_from(Vm *vm, Value v, Order fallback, Order *out); // parses order=
Status order_of_new(Vm *vm, Value v, Order *out);               // only 'C' and 'F'
bool array_is_in_order(Array *array, Order order);
// Compute the axis order of a new array, fastest last: C or Fortran order; as requested relative to
// another array; or that of an elementwise result (of operands broadcast to one shape).
void axes_straight(int ndim, bool fortran, int *axes);
void axes_in_order(const View *like, Order order, int *axes);
typedef struct AxisLayout {
    const int64_t *shape, *strides;
} AxisLayout;
void axes_of_operands(const AxisLayout *operands, size_t count, int ndim, int *axes);
Status array_copy_ordered(Vm *vm, Value array, DType dtype, Order order, Value *out);
Status array_ravel_ordered(Vm *vm, Value a, bool copy, Order order, Value *out);
Status array_reshape_ordered(Vm *vm, Value a, const int64_t *shape, int ndim, Order order,
                             Value *out);
// Reshapes with copy=. None: copies if necessary; True: always copies; False: a view, or ValueError.
Status array_reshape_copying(Vm *vm, Value a, const int64_t *shape, int ndim, Order order, Value copy,
                             Value *out);

// --- Changing in place (resize.c), reinterpreting memory (retype.c) ------------------------------

Status array_set_shape(Vm *vm, Value self, Value shape); // AttributeError if elements would have to
                                                         // move
void array_free_dims(Vm *vm, Array *array); // frees separately allocated dims
// Computes np.ndarray(shape, dtype, buffer, offset, strides, order).
Status array_construct(Vm *vm, const Value *args, Value *out);
// np.frombuffer(buffer, dtype, count, offset): returns a view of an array's memory, or a read-only
// view of bytes.
Status array_from_buffer(Vm *vm, const Value *args, Value *out);
// Returns bytes (borrowed) as a read-only row of uint8, without a copy (buffers.c).
Status array_over_bytes(Vm *vm, Value bytes, Value *out);
// Returns a bytearray's memory as a row of uint8, without a copy. The bytearray keeps its size while such arrays exist.
Status array_over_bytearray(Vm *vm, Value v, Value *out);
// Reinterprets the bytes of a view of `base`, an array, as view->dtype (retype.c).
Status array_seen_as(Vm *vm, Value base, const View *view, Value *out);
// Returns a view with the given shape and strides (None: unchanged), checked to stay within the
// array's memory.
Status array_as_strided(Vm *vm, Value array, Value shape, Value strides, bool writeable, Value *out);

// --- Attributes that are objects (flags.c, flat.c) ----------------------------------------------

Status array_flags(Vm *vm, Value array, Value *out);
Status array_flat(Vm *vm, Value array, Value *out);
Status array_of_flat(Vm *vm, Value flat, Value *out); // copies its elements
// Assigns a.flat[key] = value for keys of several elements: values are repeated as needed.
Status array_set_flat(Vm *vm, Value array, Value key, Value value);

// --- Text (print.c) ----------------------------------------------------------------------------

Status array_str(Vm *vm, Value self, Buf *out, int depth);
Status array_repr(Vm *vm, Value self, Buf *out, int depth);
// Write the text with options other than the VM's. ValueError: precision is negative.
Status array_str_as(Vm *vm, Array *array, const PrintOptions *options, Buf *out);
Status array_repr_as(Vm *vm, Array *array, const PrintOptions *options, Buf *out);
// np.array2string: characters around the text that count towards the line width but are not written.
typedef struct ArrayFrame {
    const char *separator;
    size_t separator_len;
    int64_t prefix, suffix;
} ArrayFrame;
Status array_text(Vm *vm, Array *array, const PrintOptions *options, const ArrayFrame *frame,
                  Buf *out);
void scalar_text(DType dtype, Scalar s, Buf *out); // like str() of a NumPy scalar

// --- Scalars and dtypes ------------------------------------------------------------------------

static inline DType scalar_dtype(Value v) {
    return (DType)numpy_dtype(v);
}
static inline Scalar scalar_of(Value v) {
    if (v.kind == K_COMPLEX_SCALAR) return (Scalar){.re = v.complex->re, .im = v.complex->im};
    return (Scalar){.i = v.i};
}
// Makes a NumPy scalar of any type.
Status scalar_out(Vm *vm, DType dtype, Scalar s, Value *out);
// Returns a NumPy scalar of a type that is not complex.
static inline Value v_scalar(DType dtype, Scalar s) {
    return (Value){.kind = K_SCALAR, .aux = dtype, .i = s.i};
}
// Converts to int, float, complex or bool; V_UNDEF: out of memory.
Value scalar_to_python(Vm *vm, DType dtype, Scalar s);
Status dtype_out(Vm *vm, DType dtype, Value *out);
// Creates the scalar classes, abstract ones first: fills vm->scalar_classes and the module's names.
Status scalar_classes_init(Vm *vm, Module *module);

extern const NativeDef array_methods[];
extern const AttrDef array_attrs[];

#endif
