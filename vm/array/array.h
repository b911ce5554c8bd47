// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays as values: a storage seen through offset, shape and strides. Operations record nodes of
// the typed graph; whoever touches elements asks for the host's copy (array_read, array_write).

#ifndef NACRE_VM_ARRAY_ARRAY_H
#define NACRE_VM_ARRAY_ARRAY_H

#include "vm/graph/graph.h"

typedef struct Array {
    GcObj gc;
    Storage *storage; // owned
    Value base;       // the array this is a view of, or V_UNDEF
    int64_t offset;   // bytes
    DType dtype;
    bool readonly;
    int ndim, own_ndim;
    int64_t *dims; // ndim extents, then ndim strides in bytes: in `own`, or too many for it
    int64_t own[]; // room for those of own_ndim dimensions
} Array;

static inline int64_t *array_shape(Array *array) {
    return array->dims;
}
static inline int64_t *array_strides(Array *array) {
    return array->dims + array->ndim;
}

// --- Making (array_new.c) ----------------------------------------------------------------------

typedef enum Room {
    ROOM_PLACED, // undefined elements, and memory when the nodes that write them are run
    ROOM_HOST,   // undefined elements, memory on the host: about to be written there
    ROOM_EMPTY,  // likewise, and perhaps nobody writes it: what may be seen of it is the VM's own, and bools are bools
    ROOM_ZEROED,
} Room;
// A new array in C order. MemoryError in NumPy's words.
Status array_new(Vm *vm, DType dtype, int ndim, const int64_t *shape, Room room, Value *out);
// The same with its axes in memory in the order given, the one that moves fastest last. NULL: C order.
Status array_new_arranged(Vm *vm, DType dtype, int ndim, const int64_t *shape, const int *axes,
                          Room room, Value *out);
// One for a node to write (ROOM_PLACED), in C order, with the shape of another that has elements.
Status array_new_like(Vm *vm, Array *like, DType dtype, Value *out);
// The bytes that an array of a view's shape takes, at least 1; false: more than can be counted.
bool view_byte_count(const View *view, size_t *bytes);
// ValueError where they cannot: memory that is seen several times (strides of 0) does not forbid it.
// For views whose shape does not come from another array's.
Status view_check_size(Vm *vm, const View *view);
Status array_too_big(Vm *vm); // that ValueError
// An array over a view's storage (retained). `base` is borrowed; V_UNDEF: it owns its elements.
Status array_of_view(Vm *vm, const View *view, Value base, Value *out);
// An array of nothing, with room for so many dimensions, and what makes it a view of another one's
// memory, `offset` bytes from its first element; `dims`: extents, then strides. This cannot fail.
Status array_spare(Vm *vm, int ndim, Value *out);
void array_become_view(Array *spare, Value base, int64_t offset, int ndim, const int64_t *dims);
void array_view(Array *array, View *out); // borrowed storage
// The array's elements as a node's operand, and as its output.
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
// ValueError: `what` ("assignment destination") is read-only.
Status array_set_writeable(Vm *vm, Value array, bool writeable); // ValueError: its base is not
Status array_check_writeable(Vm *vm, const Array *array, const char *what);
// The address of the first element on the host, for reading or for writing (see graph_read); NULL:
// an exception is set.
const char *array_read(Vm *vm, Array *array);
const char *array_fetch(Vm *vm, Array *array, const char *why); // see graph_fetch
char *array_write(Vm *vm, Array *array);
// Elements of any array, in C order: a copy (owned) unless it is contiguous already (retained).
Status array_contiguous(Vm *vm, Value array, Value *out);
Status array_copy(Vm *vm, Value array, DType dtype, Value *out); // C order, of that type
// Writes the elements of a value (array, scalar, nested lists) into a view, broadcasting.
Status array_assign(Vm *vm, const View *to, Value from);
Status array_fill(Vm *vm, const View *to, DType dtype, Scalar scalar);
// Warns where a cast from one type to the other gives up imaginary parts.
Status warn_of_cast(Vm *vm, DType from, DType to);
// That a number was made of an array with dimensions.
Status not_zero_dimensional(Vm *vm);  // where a Python number is asked of an array with dimensions
Status exceeds_one_dimension(Vm *vm, Value given); // where a row is asked for

// --- Values from outside (convert.c, element.c) -------------------------------------------------

// np.asarray: arrays as they are (retained) when the type fits, anything else converted. `dtype`
// may be DT_NONE: found from the elements.
Status array_from(Vm *vm, Value v, DType dtype, Value *out);
// A single number as element of a type: OverflowError, TypeError. Weak Python numbers are allowed.
Status scalar_from(Vm *vm, Value v, DType dtype, Scalar *out);
// The same for an item of a list and for what is written to one element: NumPy scalars have to fit
// signed integers, and arrays are read as float() and int() read them.
Status element_from(Vm *vm, Value v, DType dtype, Scalar *out);
bool is_array_like(Value v); // list, tuple, range, array
// An int for a C long: what op_index gives, and NumPy's OverflowError.
Status array_long(Vm *vm, Value v, int64_t *out);
// What an object of a class counts as where an array is wanted: the built-in value inside, what its __array__()
// says, or its items. Borrowed; anything else stays. ST_DEFER: see asking.h.
Status array_stand_in(Vm *vm, Value *v);
// A dtype= argument; None and V_UNDEF give `fallback`.
Status dtype_from(Vm *vm, Value v, DType fallback, DType *out);
// A shape argument: an int or a sequence of ints, none negative.
Status shape_from(Vm *vm, Value v, int64_t *shape, int *ndim);
// The same where None, which NumPy warns of, is ().
Status shape_argument(Vm *vm, Value v, int64_t *shape, int *ndim);
Status shape_of_new(Vm *vm, const int64_t *shape, int ndim); // ValueError: an extent is negative
// An axis argument in -ndim … ndim-1: numpy's AxisError (here ValueError).
Status axis_from(Vm *vm, Value v, int ndim, int *out);
// That an axis argument is None or an int, before there is an array that it could be one of.
Status axis_argument(Vm *vm, Value v);
// The same as axis_from where NumPy takes True for 1; errors begin with the argument's name unless it is "".
Status axis_named(Vm *vm, Value v, int ndim, const char *name, int *out);
// An axis as numpy's normalize_axis_index reads it: floats and what is too large are named otherwise.
Status axis_normal(Vm *vm, Value v, int ndim, const char *name, int *out);
Status axis_number_normal(Vm *vm, Value v); // that it is an int at all
Status int_argument(Vm *vm, Value v, int64_t *out); // of a C function that takes an int
// axis=None (all), an int or a tuple of ints, as a set.
Status axes_from(Vm *vm, Value v, int ndim, AxisSet *out);

// How much say a value has in a result's type: Python's own numbers take the others' type as far as
// their kind allows (NEP 50).
typedef enum Strength { STRONG, WEAK_INT, WEAK_FLOAT, WEAK_COMPLEX } Strength;
Strength strength_of(Value v);
DType dtype_with_weak(DType type, Strength weak); // DT_NONE: there are only weak ones

// --- Operations (ufunc.c) ----------------------------------------------------------------------

// How elements lie in memory: A and K look at the operands.
typedef enum Order { ORDER_C, ORDER_F, ORDER_A, ORDER_K } Order;

// A call of an elementwise op: what NumPy's functions take.
typedef struct UfuncCall {
    OpId op;
    const Value *args;
    int count;
    Value into;      // out=; V_UNDEF: none
    DType dtype;     // of the result; DT_NONE: as the operands have it
    Casting casting; // of operands to the loop, and of the result to out=
    Value where;     // V_UNDEF or True: everywhere
    bool operator;
    bool ordered;          // a new result lies in `order`, otherwise as the operands do
    Order order;
    const char *result_of; // of a ufunc with several results, its name
    int which;             // and which of its operands and results this is
} UfuncCall;
// Objects for numpy's names, and what their functions take (ufunc_kind.c). out=: an array, None or a
// tuple of one of them; V_UNDEF for none.
static inline bool op_is_ufunc(OpId op) {
    return op_info[op].op_class == CLASS_ELEMENTWISE && op_info[op].dtype_rule != RULE_SELECT &&
           op_info[op].dtype_rule != RULE_CAST && op_info[op].arity < 3;
}
// `second`: the op of the second result, or OP_NO_SECOND.
Status ufunc_new(Vm *vm, OpId op, uint32_t second, const NativeDef *def, Value owner, Value *out);
Status ufunc_output(Vm *vm, Value out, Value *into);
Status ufunc_output_of(Vm *vm, Value out, int count, int which, Value *into); // of several results
extern const char *const casting_names[];
// TypeError: an array's elements (or a scalar) may not be cast so.
Status cannot_cast_array(Vm *vm, Value array, DType to, Casting casting);
Status casting_from(Vm *vm, Value v, Casting *out);
Status ufunc_apply(Vm *vm, const UfuncCall *u, Value *out);
// TypeError: not for operands of this common type. `types`: of the operands (DT_NONE: none yet) and the
// result, where they are known.
typedef struct LoopTypes {
    DType types[NODE_INPUTS], result;
    Strength strengths[NODE_INPUTS];
    int count;
    const char *result_of; // as in UfuncCall
} LoopTypes;
Status no_loop(Vm *vm, OpId op, DType type, const LoopTypes *types);
Status no_matching_loop(Vm *vm, OpId op);    // TypeError: not with a result of the type asked for

// Applies an elementwise op to values: promotion, broadcasting, a scalar when all operands are.
// `into` is V_UNDEF or an array to be written (out=, in-place). ST_NOTIMPL: an operand is no
// number.
Status array_apply(Vm *vm, OpId op, const Value *args, int count, Value into, DType dtype,
                   Value *out);
// The same for an operator: warnings about scalars are worded otherwise.
Status array_operator(Vm *vm, OpId op, const Value *args, int count, Value into, Value *out);
// Reductions by a row of the op table; `axes` is a set.
Status array_reduce(Vm *vm, OpId op, Value a, AxisSet axes, bool keepdims, DType dtype,
                    Value *out);
// The set of axes that axis= names; of an array without dimensions 0 and -1 name all of them.
Status axis_set_from(Vm *vm, Array *array, Value axis, AxisSet *out);

// The methods of NumPy's functions of two operands; values stay the caller's.
typedef struct ReduceCall {
    OpId op;        // elementwise
    Value axis;
    DType dtype;    // DT_NONE: found from the operand (and out=)
    Value into;     // out=; anything but an array: none
    bool keepdims;
    Value initial;  // V_UNDEF: the identity; None: the first element
    Value where;    // V_UNDEF or True: everywhere
    const Value *slot; // of a native's operand, which is not used afterwards; or NULL
} ReduceCall;
Status ufunc_reduce(Vm *vm, const ReduceCall *call, Value a, Value *out);
Status ufunc_accumulate(Vm *vm, const ReduceCall *call, Value a, Value *out);
// A row of places for ufunc_reduceat, contiguous. What is in a list may be of any type, an array has
// to hold integers.
Status places_from(Vm *vm, Value indices, Value *out);
Status ufunc_reduceat(Vm *vm, const ReduceCall *call, Value a, Value places, Value *out);

Status array_matmul(Vm *vm, Value a, Value b, Value *out);
Status array_matmul_in_place(Vm *vm, Value a, Value b, Value *out); // a @= b; `a` is an array
Status array_dot(Vm *vm, Value a, Value b, Value *out);
// The product of stacks of matrices, of one type and stretched to one another, as an array or scalar of the
// shape, which may lack axes of extent 1. `called`: by float errors, NULL: matmul; product_untold: they are nobody's concern.
extern const char product_untold[];
Status array_product(Vm *vm, const View *a, const View *b, int ndim, const int64_t *shape, const char *called,
                     Value *out);
// Names of axes, a letter for each.
typedef struct Term {
    const char *letters;
    int count;
} Term;
// contract.c: the sums of products of two arrays of one type along the axes that the result lacks.
// ST_NOTIMPL: they do not fit, are empty, or that is no matrix product, or better made otherwise.
Status array_contract(Vm *vm, const Value *arrays, const Term *terms, Term result, const char *called, Value *out);
// Sums along axes of a view of the array's elements, in their own type (of bool: whether any is true), as an
// array or scalar; float conditions are nobody's concern.
Status array_sum_quietly(Vm *vm, const View *in, AxisSet axes, Value *out);
// Broadcasts shapes: ValueError. `view` gets strides 0 where it is stretched.
Status shapes_broadcast(Vm *vm, const View *const *views, int count, int64_t *shape, int *ndim);
void view_broadcast(View *view, const int64_t *shape, int ndim);
// A 0-dimensional result as a scalar; other arrays stay. Consumes and returns through *v.
Status array_to_scalar(Vm *vm, Value *v);
Status array_binary(Vm *vm, BinaryOp op, bool in_place, Value a, Value b, Value *out);
Status array_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out);
Status array_unary(Vm *vm, UnaryOp op, Value a, Value *out);

// --- Indexing (index_*.c) ----------------------------------------------------------------------

Status array_getitem(Vm *vm, Value self, Value key, Value *out);
Status array_setitem(Vm *vm, Value self, Value key, Value value);
// a[i, j] with int indexes on a host array with nothing pending: the interpreter's short cut.
// ST_NOTIMPL: not such a case, take the long way; nothing has happened.
Status array_get_element(Vm *vm, Array *array, const Value *indexes, int count, Value *out);
Status array_set_element(Vm *vm, Array *array, const Value *indexes, int count, Value value);
Status array_nonzero(Vm *vm, Value a, Value *out); // a tuple of int64 arrays
// The first element of a contiguous int64 row that is not in 0 … extent-1; ST_STOP: there is none.
Status array_find_outside(Vm *vm, Array *row, int64_t extent, int64_t *found);
// a[key] = op(a[key], operand), once for each time that an element is named. `operand` V_UNDEF: op has
// one operand.
Status array_at(Vm *vm, OpId op, Value a, Value key, Value operand);

// --- Shapes (reshape.c) ------------------------------------------------------------------------

Status array_reshape(Vm *vm, Value a, const int64_t *shape, int ndim, Value *out);
Status array_transpose(Vm *vm, Value a, const int *order, Value *out); // NULL: reversed
Status array_ravel(Vm *vm, Value a, bool copy, Value *out);
Status array_concatenate(Vm *vm, const Value *parts, size_t count, int axis, DType dtype,
                         Value *out);
Status array_tolist(Vm *vm, Value a, Value *out);
// The real or the imaginary parts: views of a complex array; of others itself, and zeros.
Status array_real(Vm *vm, Value a, Value *out);
Status array_imag(Vm *vm, Value a, Value *out);

// Fills in the extent given as -1. ValueError: the shape does not hold so many elements.
Status shape_resolve(Vm *vm, int64_t size, const int64_t *shape, int ndim, int64_t *out);

// --- Orders in memory (order.c) ----------------------------------------------------------------

// 'A': Fortran's where that is the array's and C's is not. 'K': as the array has its axes.
Status order_from(Vm *vm, Value v, Order fallback, Order *out); // an order= argument
Status order_of_new(Vm *vm, Value v, Order *out);               // only 'C' and 'F'
bool array_is_in_order(Array *array, Order order);
// The axes of a new array, the one that moves fastest last: plainly; in an order of another's;
// as elementwise results have them (operands are broadcast to the same shape).
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
// copy=: None; True: never a view; False: a view, or ValueError.
Status array_reshape_copying(Vm *vm, Value a, const int64_t *shape, int ndim, Order order, Value copy,
                             Value *out);

// --- Changed in place (resize.c), seen otherwise (retype.c) --------------------------------------

Status array_set_shape(Vm *vm, Value self, Value shape); // AttributeError where elements had to move
void array_free_dims(Vm *vm, Array *array); // dims that are not its own; it has none afterwards
// np.ndarray(shape, dtype, buffer, offset, strides, order)
Status array_construct(Vm *vm, const Value *args, Value *out);
// np.frombuffer(buffer, dtype, count, offset): a view of an array's memory or, read only, of bytes.
Status array_from_buffer(Vm *vm, const Value *args, Value *out);
// Bytes (borrowed) as a row of uint8, read only, without a copy (buffers.c).
Status array_over_bytes(Vm *vm, Value bytes, Value *out);
// The bytes that a view of `base`, an array, shows as elements of view->dtype (retype.c).
Status array_seen_as(Vm *vm, Value base, const View *view, Value *out);
// A view with shape and strides as given (or None: as they are), within the memory of the array.
Status array_as_strided(Vm *vm, Value array, Value shape, Value strides, bool writeable, Value *out);

// --- Attributes that are objects (flags.c, flat.c) ----------------------------------------------

Status array_flags(Vm *vm, Value array, Value *out);
Status array_flat(Vm *vm, Value array, Value *out);
Status array_of_flat(Vm *vm, Value flat, Value *out); // its elements: a copy
// a.flat[key] = value, for keys of many: values are used over and over again.
Status array_set_flat(Vm *vm, Value array, Value key, Value value);

// --- Text (print.c) ----------------------------------------------------------------------------

Status array_str(Vm *vm, Value self, Buf *out, int depth);
Status array_repr(Vm *vm, Value self, Buf *out, int depth);
// The same with other options than the VM's. ValueError: precision is negative.
Status array_str_as(Vm *vm, Array *array, const PrintOptions *options, Buf *out);
Status array_repr_as(Vm *vm, Array *array, const PrintOptions *options, Buf *out);
// np.array2string: what stands around the text, in characters, is not part of it.
typedef struct ArrayFrame {
    const char *separator;
    size_t separator_len;
    int64_t prefix, suffix;
} ArrayFrame;
Status array_text(Vm *vm, Array *array, const PrintOptions *options, const ArrayFrame *frame,
                  Buf *out);
void scalar_text(DType dtype, Scalar s, Buf *out); // as str() of a NumPy scalar

// --- Scalars and dtypes ------------------------------------------------------------------------

static inline DType scalar_dtype(Value v) {
    return (DType)numpy_dtype(v);
}
static inline Scalar scalar_of(Value v) {
    if (v.kind == K_COMPLEX_SCALAR) return (Scalar){.re = v.complex->re, .im = v.complex->im};
    return (Scalar){.i = v.i};
}
// A scalar of any type.
Status scalar_out(Vm *vm, DType dtype, Scalar s, Value *out);
// The same for types that are not complex.
static inline Value v_scalar(DType dtype, Scalar s) {
    return (Value){.kind = K_SCALAR, .aux = dtype, .i = s.i};
}
// int, float, complex or bool; V_UNDEF: no memory
Value scalar_to_python(Vm *vm, DType dtype, Scalar s);
Status dtype_out(Vm *vm, DType dtype, Value *out);
// Classes of scalars, abstract ones first: fills vm->scalar_classes and the module's names.
Status scalar_classes_init(Vm *vm, Module *module);

extern const NativeDef array_methods[];
extern const AttrDef array_attrs[];

#endif
