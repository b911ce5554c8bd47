// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind ndarray: its slots, methods and attributes.

#include <inttypes.h>

#include "vm/array/mapped.h"
#include "vm/array/methods.h"
#include "vm/value/effects.h"
#include "vm/value/func.h"
#include "vm/value/num.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- Memory ------------------------------------------------------------------------------------

static void array_visit(Obj *obj, Visitor *visitor) {
    visit_value(visitor, ((Array *)obj)->base);
}

static void array_drop(Vm *vm, Obj *obj) {
    Array *array = (Array *)obj;
    clear(vm, &array->base);
    array_free_dims(vm, array);
    storage_release(vm, array->storage);
    array->storage = NULL;
}

static size_t array_obj_size(const Obj *obj) {
    return sizeof(Array) + 2 * (size_t)((const Array *)obj)->own_ndim * sizeof(int64_t);
}

// --- Slots -------------------------------------------------------------------------------------

static Status one_element(Vm *vm, Value self, Scalar *out) {
    const Array *array = self.array;
    const char *data = graph_read_element(vm, array->storage, array->offset, dtype_size(array->dtype));
    if (!data) return ST_ERROR;
    *out = dtype_load(array->dtype, data);
    return ST_OK;
}

static Status array_truth(Vm *vm, Value self, bool *out) {
    Scalar s;
    int64_t size = array_size(self.array);
    if (size == 0)
        return vm_raise(vm, EXC_ValueError, "The truth value of an empty array is ambiguous. Use "
                        "`array.size > 0` to check that an array is not empty.");
    if (size > 1)
        return vm_raise(vm, EXC_ValueError,
                        "The truth value of an array with more than one element "
                        "is ambiguous. Use a.any() or a.all()");
    Status st = one_element(vm, self, &s);
    if (st == ST_OK) *out = dtype_convert(self.array->dtype, DT_BOOL, s).i != 0;
    return st;
}

static Status array_hash(Vm *vm, Value self, int64_t *out) {
    (void)self;
    (void)out;
    return vm_raise(vm, EXC_TypeError, "unhashable type: 'numpy.ndarray'");
}

static Status array_len(Vm *vm, Value self, int64_t *out) {
    if (self.array->ndim == 0) return vm_raise(vm, EXC_TypeError, "len() of unsized object");
    *out = array_shape(self.array)[0];
    return ST_OK;
}

static Status array_iter(Vm *vm, Value self, Value *out) {
    if (self.array->ndim == 0) return vm_raise(vm, EXC_TypeError, "iteration over a 0-d array");
    Iter *it = iter_new(vm, ITER_ARRAY, self);
    if (!it) return vm_no_memory(vm);
    *out = v_obj(it);
    return ST_OK;
}

static Status array_delitem(Vm *vm, Value self, Value key) {
    (void)self, (void)key;
    return vm_raise(vm, EXC_ValueError, "cannot delete array elements");
}

static Status array_contains(Vm *vm, Value self, Value item, bool *out) {
    Value equal, any;
    Status st = array_compare(vm, CMP_EQ, self, item, &equal);
    if (st != ST_OK) return st == ST_NOTIMPL ? (*out = false, ST_OK) : st;
    if (equal.kind != K_ARRAY) return op_truth(vm, equal, out);
    st = array_reduce(vm, AOP_ANY, equal, axes_below(equal.array->ndim), false, DT_NONE,
                      &any);
    release(vm, equal);
    if (st == ST_OK) *out = any.i != 0;
    return st;
}

// --- Conversions -------------------------------------------------------------------------------

static Status only_element(Vm *vm, const Value *args, Value *out) {
    Scalar s;
    if (args[0].array->ndim > 0) return not_zero_dimensional(vm);
    Status st = one_element(vm, args[0], &s);
    if (st != ST_OK) return st;
    *out = scalar_to_python(vm, args[0].array->dtype, s);
    return out->kind == K_UNDEF ? vm_no_memory(vm) : ST_OK;
}

static Status m_int(Vm *vm, const Value *args, Value *out) {
    Value v;
    Status st = only_element(vm, args, &v);
    if (st != ST_OK) return st;
    if (v.kind == K_FLOAT) return int_from_double(vm, v.f, out);
    if (v.kind == K_COMPLEX) {
        release(vm, v);
        return vm_raise(vm, EXC_TypeError, "int() argument must be a string, a bytes-like object or a "
                        "real number, not 'complex'");
    }
    *out = v.kind == K_BOOL ? v_int(v.i) : v;
    return ST_OK;
}

static Status m_float(Vm *vm, const Value *args, Value *out) {
    Value v;
    double d;
    Status st = only_element(vm, args, &v);
    if (st != ST_OK) return st;
    if (v.kind == K_COMPLEX)
        st = vm_raise(vm, EXC_TypeError,
                      "float() argument must be a string or a real number, not 'complex'");
    else st = op_as_double(vm, v, &d);
    release(vm, v);
    if (st == ST_OK) *out = v_float(d);
    return st;
}

static Status m_complex(Vm *vm, const Value *args, Value *out) {
    Value v;
    Status st = only_element(vm, args, &v);
    if (st != ST_OK) return st;
    if (v.kind == K_COMPLEX) {
        *out = v;
        return ST_OK;
    }
    double d;
    st = op_as_double(vm, v, &d);
    release(vm, v);
    return st == ST_OK ? complex_out(vm, d, 0, out) : st;
}

static Status m_index(Vm *vm, const Value *args, Value *out) {
    if (args[0].array->ndim > 0 || !dtype_is_integer(args[0].array->dtype))
        return vm_raise(vm, EXC_TypeError,
                        "only integer scalar arrays can be converted to a scalar "
                        "index");
    return only_element(vm, args, out);
}

static Status m_format(Vm *vm, const Value *args, Value *out) {
    bool plain = args[1].kind == K_STR && args[1].str->len == 0;
    if (plain && args[0].array->ndim > 0) return op_str_value(vm, args[0], out);
    if (args[0].array->ndim > 0)
        return vm_raise(vm, EXC_TypeError,
                        "unsupported format string passed to numpy.ndarray.__format__");
    Value v;
    Scalar s;
    Status st = one_element(vm, args[0], &s);
    if (st != ST_OK) return st;
    st = scalar_out(vm, args[0].array->dtype, s, &v);
    if (st != ST_OK) return st;
    Buf text;
    buf_init(&text, &vm->mem);
    st = op_format(vm, v, args[1].str, &text);
    release(vm, v);
    if (st == ST_OK) return str_buf_out(vm, &text, out);
    buf_free(&text);
    return st;
}

// Gets the only element; ValueError if there are more or none.
static Status sole_item(Vm *vm, Value self, Value *out) {
    Scalar s;
    if (array_size(self.array) != 1)
        return vm_raise(vm, EXC_ValueError, "can only convert an array of size 1 to a Python scalar");
    Status st = one_element(vm, self, &s);
    return st == ST_OK ? scalar_out(vm, self.array->dtype, s, out) : st;
}

// Gets an element by its number in C order.
static Status numbered_item(Vm *vm, Value self, int64_t number, Value *out) {
    const int64_t *shape = array_shape(self.array), size = array_size(self.array);
    int ndim = self.array->ndim;
    Value at[NDIM_MAX];
    if (number < -size || number >= size)
        return vm_raise(vm, EXC_IndexError, "index %" PRId64 " is out of bounds for size %" PRId64,
                        number, size);
    if (number < 0) number += size;
    for (int d = ndim - 1; d >= 0; number /= shape[d], d--) at[d] = v_int(number % shape[d]);
    return ndim ? array_get_element(vm, self.array, at, ndim, out) : sole_item(vm, self, out);
}

static Status item_index(Vm *vm, Value v, int64_t *out) {
    if (v.kind == K_BOOL || (is_numpy_scalar(v) && scalar_dtype(v) == DT_BOOL))
        return vm_raise(vm, EXC_TypeError, "an integer is required");
    if (v.kind == K_BIGINT)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C long");
    return array_long(vm, v, out);
}

// Gets an element by one index per dimension.
static Status indexed_item(Vm *vm, Value self, const Value *indexes, Value *out) {
    int ndim = self.array->ndim;
    Value at[NDIM_MAX];
    for (int d = 0; d < ndim; d++) {
        int64_t extent = array_shape(self.array)[d], i;
        Status st = item_index(vm, indexes[d], &i);
        if (st != ST_OK) return st;
        if (i < -extent || i >= extent)
            return vm_raise(vm, EXC_IndexError, "index %" PRId64 " is out of bounds for axis %d with size "
                            "%" PRId64, i, d, extent);
        at[d] = v_int(i);
    }
    return array_get_element(vm, self.array, at, ndim, out);
}

// Gets the element for item(), as a NumPy scalar. A tuple is unpacked.
static Status item_at(Vm *vm, Value self, const Tuple *at, Value *out) {
    int64_t number;
    if (at->len == 1 && at->items[0].kind == K_TUPLE) at = at->items[0].tuple;
    if (at->len == 0) return sole_item(vm, self, out);
    if (at->len == (size_t)self.array->ndim) return indexed_item(vm, self, at->items, out);
    if (at->len != 1)
        return vm_raise(vm, EXC_ValueError, "incorrect number of indices for array");
    Status st = item_index(vm, at->items[0], &number);
    return st == ST_OK ? numbered_item(vm, self, number, out) : st;
}

static Status m_item(Vm *vm, const Value *args, Value *out) {
    Value v = V_UNDEF;
    Status st = item_at(vm, args[0], args[1].tuple, &v);
    if (st != ST_OK) return st;
    *out = scalar_to_python(vm, scalar_dtype(v), scalar_of(v));
    release(vm, v);
    return out->kind == K_UNDEF ? vm_no_memory(vm) : ST_OK;
}

static Status m_conjugate(Vm *vm, const Value *args, Value *out) {
    bool is_complex = dtype_kind(args[0].array->dtype) == DK_COMPLEX;
    if (is_complex || args[1].kind != K_NONE)
        return array_apply(vm, AOP_CONJUGATE, args, 1, args[1], DT_NONE, out);
    *out = retain(args[0]);
    return ST_OK;
}

static Status m_tolist(Vm *vm, const Value *args, Value *out) {
    return array_tolist(vm, args[0], out);
}

// NumPy's names of the C types, for messages.
static const char *const c_names[DT_COUNT] = {
    [DT_BOOL] = "bool", [DT_INT8] = "byte", [DT_UINT8] = "ubyte", [DT_INT16] = "short", [DT_UINT16] = "ushort",
    [DT_INT32] = "int", [DT_UINT32] = "uint", [DT_INT64] = "long", [DT_UINT64] = "ulong", [DT_FLOAT16] = "half",
    [DT_FLOAT32] = "float", [DT_FLOAT64] = "double", [DT_COMPLEX64] = "cfloat", [DT_COMPLEX128] = "cdouble"};

// Checks that elements are unchanged when cast back; bools may come from any number.
static Status check_same_values(Vm *vm, Value given, Value cast) {
    DType own = given.array->dtype, to = cast.array->dtype;
    Value back, same = V_UNDEF, nan = V_UNDEF, all = V_UNDEF;
    if (to == DT_BOOL) return ST_OK;
    bool widened = dtype_kind(to) == DK_COMPLEX && dtype_kind(own) != DK_COMPLEX;
    Status st = widened ? array_real(vm, cast, &all) : ST_OK;
    if (st == ST_OK) st = array_copy(vm, widened ? all : cast, own, &back);
    if (widened) clear(vm, &all);
    if (st != ST_OK) return st;
    st = array_apply(vm, AOP_EQUAL, (Value[]){given, back}, 2, V_UNDEF, DT_NONE, &same);
    if (st == ST_OK && dtype_is_inexact(own) && dtype_is_inexact(to)) {
        st = array_apply(vm, AOP_ISNAN, &given, 1, V_UNDEF, DT_NONE, &nan);
        if (st == ST_OK) st = array_apply(vm, AOP_LOGICAL_OR, (Value[]){same, nan}, 2, V_UNDEF, DT_NONE, &all);
        release(vm, nan);
        if (st == ST_OK) replace(vm, &same, all);
    }
    bool fine = false;
    if (st == ST_OK && same.kind == K_ARRAY) {
        st = array_reduce(vm, AOP_ALL, same, axes_below(same.array->ndim), false, DT_NONE, &all);
        fine = st == ST_OK && all.i != 0;
    } else if (st == ST_OK) {
        fine = same.i != 0;
    }
    release(vm, same);
    release(vm, back);
    if (st != ST_OK || fine) return st;
    return vm_raise(vm, EXC_ValueError, "could not cast 'same_value' %s to %s", c_names[own], c_names[to]);
}

// Checks that only zero imaginary parts are discarded.
static Status check_no_imaginary(Vm *vm, Value a, const char *to) {
    Value part, any;
    Status st = array_imag(vm, a, &part);
    if (st != ST_OK) return st;
    st = array_reduce(vm, AOP_ANY, part, axes_below(part.array->ndim), false, DT_NONE, &any);
    release(vm, part);
    if (st != ST_OK || !any.i) return st;
    return vm_raise(vm, EXC_ValueError, "could not cast 'same_value' %s to %s: imag is not 0",
                    a.array->dtype == DT_COMPLEX64 ? "cfloat" : "cdouble", to);
}

// Casts an array; ValueError if a value changes. Ignores float flags of the casts, since a value that
// does not fit is an error anyway.
static Status astype_same(Vm *vm, Value a, DType t, Order order, Value *out) {
    const FloatErrors before = vm->float_errors;
    for (int i = 0; i < FLOAT_ERROR_COUNT; i++) vm->float_errors.action[i] = FLOAT_IGNORE;
    bool narrows = dtype_kind(a.array->dtype) == DK_COMPLEX && dtype_kind(t) != DK_COMPLEX && t != DT_BOOL;
    Status st = narrows ? check_no_imaginary(vm, a, c_names[t]) : ST_OK;
    Value real = V_UNDEF;
    if (st == ST_OK && narrows) st = array_real(vm, a, &real);
    if (st == ST_OK && narrows) a = real;
    if (st == ST_OK) st = array_copy_ordered(vm, a, t, order, out);
    if (st == ST_OK && (st = check_same_values(vm, a, *out)) != ST_OK) release(vm, *out);
    vm->float_errors = before;
    release(vm, real);
    return st;
}

// Parses casting= of astype, whose error text also lists 'same_value'.
static Status astype_casting(Vm *vm, Value v, Casting *out) {
    Value text;
    Status st = casting_from(vm, v, out);
    if (st != ST_ERROR || v.kind != K_STR || !vm_error_is(vm, EXC_ValueError)) return st;
    vm_clear_error(vm);
    if (op_repr_value(vm, v, &text) != ST_OK) return ST_ERROR;
    st = vm_raise(vm, EXC_ValueError, "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe', "
                  "'same_value' (got %s)", text.str->data);
    release(vm, text);
    return st;
}

static Status m_astype(Vm *vm, const Value *args, Value *out) {
    DType t, own = args[0].array->dtype;
    Order order;
    Casting casting = CAST_NO;
    bool copy = true, same = args[3].kind == K_STR && str_is(args[3].str, "same_value");
    Status st = dtype_from(vm, args[1], DT_FLOAT64, &t);
    if (st == ST_OK) st = order_from(vm, args[2], ORDER_K, &order);
    if (st == ST_OK && !same) st = astype_casting(vm, args[3], &casting);
    if (st == ST_OK) st = op_truth(vm, args[5], &copy);
    if (st != ST_OK) return st;
    if (same) return astype_same(vm, args[0], t, order, out);
    if (!dtype_can_cast(own, t, casting))
        return cannot_cast_array(vm, args[0], t, casting);
    if (!copy && t == own && array_is_in_order(args[0].array, order)) {
        *out = retain(args[0]);
        return ST_OK;
    }
    return array_copy_ordered(vm, args[0], t, order, out);
}

static Status m_reshape(Vm *vm, const Value *args, Value *out) {
    int64_t shape[NDIM_MAX];
    int ndim;
    Order order;
    Status st = order_from(vm, args[1], ORDER_C, &order);
    if (st != ST_OK) return st;
    const Tuple *given = args[3].tuple;
    if (given->len == 0) return vm_raise(vm, EXC_TypeError, "reshape() takes exactly 1 argument (0 given)");
    st = shape_from(vm, given->len == 1 ? given->items[0] : args[3], shape, &ndim);
    return st == ST_OK ? array_reshape_copying(vm, args[0], shape, ndim, order, args[2], out) : st;
}

static Status m_flatten(Vm *vm, const Value *args, Value *out) {
    Order order;
    Status st = order_from(vm, args[1], ORDER_C, &order);
    return st == ST_OK ? array_ravel_ordered(vm, args[0], true, order, out) : st;
}

static Status transpose_order(Vm *vm, Value axes, int ndim, int *order) {
    AxisSet seen = 0;
    if (axes.tuple->len != (size_t)ndim)
        return vm_raise(vm, EXC_ValueError, "axes don't match array");
    for (int d = 0; d < ndim; d++) {
        Status st = axis_from(vm, axes.tuple->items[d], ndim, &order[d]);
        if (st != ST_OK) return st;
        if (seen >> order[d] & 1) return vm_raise(vm, EXC_ValueError, "repeated axis in transpose");
        seen |= axis_bit(order[d]);
    }
    return ST_OK;
}

static Status m_transpose(Vm *vm, const Value *args, Value *out) {
    int order[NDIM_MAX];
    Value axes = args[1], listed = V_UNDEF;
    Value only = axes.kind == K_TUPLE && axes.tuple->len == 1 ? axes.tuple->items[0] : V_UNDEF;
    if (only.kind == K_ARRAY && only.array->ndim == 1) {
        Status read = array_tolist(vm, only, &listed);
        if (read == ST_OK) read = m_transpose(vm, (Value[]){args[0], listed}, out);
        release(vm, listed);
        return read;
    }
    if (only.kind == K_TUPLE || only.kind == K_LIST || only.kind == K_NONE) axes = only;
    if (axes.kind == K_NONE || (axes.kind == K_TUPLE && axes.tuple->len == 0))
        return array_transpose(vm, args[0], NULL, out);
    Status st = ST_OK;
    if (axes.kind == K_LIST) {
        st = tuple_of(vm, axes.list->items, axes.list->len, &listed);
        axes = listed;
    }
    if (st == ST_OK) st = transpose_order(vm, axes, args[0].array->ndim, order);
    release(vm, listed);
    return st == ST_OK ? array_transpose(vm, args[0], order, out) : st;
}

static Status m_fill(Vm *vm, const Value *args, Value *out) {
    View view;
    array_view(args[0].array, &view);
    Scalar s;
    Status st = array_check_writeable(vm, args[0].array, "assignment destination");
    if (st == ST_OK) st = element_from(vm, args[1], view.dtype, &s);
    if (st == ST_OK) st = array_fill(vm, &view, view.dtype, s);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

// Sets the WRITEABLE flag. Only views of bytes or of read-only arrays cannot become writeable.
Status array_set_writeable(Vm *vm, Value self, bool writeable) {
    Array *array = self.array;
    bool fixed = array->base.kind == K_BYTES ||
                 (array->base.kind == K_ARRAY && array->base.array->readonly);
    if (writeable && fixed)
        return vm_raise(vm, EXC_ValueError, "cannot set WRITEABLE flag to True of this array");
    array->readonly = !writeable;
    return ST_OK;
}

static Status m_setflags(Vm *vm, const Value *args, Value *out) { // self, write, align, uic
    bool writeable;
    *out = V_NONE;
    if (args[1].kind == K_NONE) return ST_OK;
    Status st = op_truth(vm, args[1], &writeable);
    return st == ST_OK ? array_set_writeable(vm, args[0], writeable) : st;
}

static Status m_deepcopy(Vm *vm, const Value *args, Value *out) {
    return array_copy_ordered(vm, args[0], args[0].array->dtype, ORDER_K, out);
}

// Methods implemented in the prelude.
static Status m_in_language(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    (void)out;
    return ST_DEFER;
}

static Status m_compress(Vm *vm, const Value *args, Value *out) { // self, condition, axis, out
    return array_compress(vm, args[0], args[1], args[2], args[3], out);
}

static Status m_choose(Vm *vm, const Value *args, Value *out) { // self, out, mode, choices
    const Tuple *given = args[3].tuple;
    const Value *choices = given->items;
    size_t count = given->len;
    if (count == 1 && choices[0].kind == K_LIST) {
        count = choices[0].list->len;
        choices = choices[0].list->items;
    }
    return args[1].kind == K_NONE ? array_choose(vm, args[0], choices, count, args[2], out) : ST_DEFER;
}

const NativeDef array_methods[] = {
#define X(name, signature, doc)                                                 \
    {#name, sizeof(signature) > 1 ? "self, " signature "\n" doc : "self\n" doc, \
     array_m_##name, NULL, PURE},
    ARRAY_METHODS(X)
#undef X
    {"var", "self, " SIGNATURE_SPREAD
     "\nVariances along axes.\n"
     "\n>>> np.array([1., 2, 3]).var()\nnp.float64(0.6666666666666666)",
     array_m_var, NULL, PURE},
    {"std", "self, " SIGNATURE_SPREAD
     "\nStandard deviations along axes.\n"
     "\n>>> np.array([1., 3]).std()\nnp.float64(1.0)",
     array_m_std, NULL, PURE},
    {"repeat", "self, repeats, axis=None"
     "\nEach element so many times, one after another.\n"
     "\n>>> np.array([1, 2]).repeat(2)\narray([1, 1, 2, 2])",
     array_m_repeat, "numpy_repeat", PURE},
    {"take", "self, indices, axis=None, out=None, mode='raise'"
     "\nElements at places along an axis, or of all in C order.\n"
     "\n>>> np.array([10, 20, 30]).take([2, 0])\narray([30, 10])",
     array_m_take, "numpy_take", PURE},
    {"put", "self, indices, values, mode='raise'"
     "\nWrites elements at places of the array in C order.\n"
     "\n>>> a = np.arange(3)\n>>> a.put([0, 2], 9)\n>>> a\narray([9, 1, 9])",
     array_m_put, "numpy_put", PURE},
    {"choose", "self, *choices, out=None, mode='raise'"
     "\nFor each element, a number, what is at its place of the choice with that number.\n"
     "\n>>> np.array([0, 1]).choose([1, 2], [10, 20])\narray([ 1, 20])",
     m_choose, "array_choose", PURE},
    {"compress", "self, condition, axis=None, out=None"
     "\nThe elements along an axis where the condition, a row, is true.\n"
     "\n>>> np.array([1, 2, 3]).compress([True, False, True])\narray([1, 3])",
     m_compress, "array_compress", PURE},
    {"diagonal", "self, offset=0, axis1=0, axis2=1"
     "\nA view of a diagonal that can only be read.\n"
     "\n>>> np.array([[1, 2], [3, 4]]).diagonal()\narray([1, 4])",
     array_m_diagonal, NULL, PURE},
    {"trace", "self, offset=0, axis1=0, axis2=1, dtype=None, out=None"
     "\nSums of a diagonal.\n"
     "\n>>> np.array([[1, 2], [3, 4]]).trace()\nnp.int64(5)",
     array_m_trace, "numpy_trace", PURE},
    {"byteswap", "self, inplace=False"
     "\nEach element's bytes the other way round: in place, or in a copy.\n"
     "\n>>> np.array([1, 256], dtype=np.int16).byteswap()\narray([256,   1], dtype=int16)",
     array_m_byteswap, NULL, PURE},
    {"getfield", "self, dtype, offset=0"
     "\nA view of a part of each element, `offset` bytes behind its begin, as another type.\n"
     "\n>>> np.array([1 + 2j]).getfield(np.float64, 8)\narray([2.])",
     m_in_language, "array_getfield", PURE},
    {"setfield", "self, val, dtype, offset=0"
     "\nWrites a part of each element, `offset` bytes behind its begin.\n"
     "\n>>> a = np.array([1 + 2j])\n>>> a.setfield(5.0, np.float64, 8)\n>>> a\narray([1.+5.j])",
     m_in_language, "array_setfield", PURE},
    {"__array_namespace__", "self, /, *, api_version=None"
     "\nModule numpy, as the array API standard asks for it.\n"
     "\n>>> np.zeros(1).__array_namespace__() is np\nTrue",
     m_in_language, "array_namespace", PURE},
    {"__dlpack__", "self, /, *, stream=None, max_version=None, dl_device=None, copy=None"
     "\nThe array's memory, in a capsule for from_dlpack.\n"
     "\n>>> type(np.zeros(1).__dlpack__()).__name__\n'PyCapsule'",
     m_in_language, "array_dlpack", PURE},
    {"__dlpack_device__", "self, /"
     "\nWhere the memory is, in DLPack's numbers: (1, 0) is the processor.\n"
     "\n>>> np.zeros(1).__dlpack_device__()\n(1, 0)",
     m_in_language, "array_dlpack_device", PURE},
    {"to_device", "self, device, /, *, stream=None"
     "\nThe array itself: 'cpu' is the only device for NumPy's interface.\n"
     "\n>>> np.arange(2).to_device('cpu')\narray([0, 1])",
     m_in_language, "array_to_device", PURE},
    {"tofile", "self, fid, /, sep='', format='%s'"
     "\nWrites the elements to a file, as they are or, with sep, as texts.\n"
     "\n>>> import tempfile\n>>> f = tempfile.NamedTemporaryFile()\n"
     ">>> np.arange(3).tofile(f.name)\n>>> np.fromfile(f.name, dtype=np.int64)\narray([0, 1, 2])",
     m_in_language, "array_tofile", PURE},
    {"__int__", "self, /", m_int, NULL, PURE},
    {"__float__", "self, /", m_float, NULL, PURE},
    {"__complex__", "self, /", m_complex, NULL, PURE},
    {"__index__", "self, /", m_index, NULL, PURE},
    {"__format__", "self, format_spec, /", m_format, NULL, PURE},
    {"__copy__", "self", m_deepcopy, NULL, PURE},
    {"__deepcopy__", "self, memo", m_deepcopy, NULL, PURE},
    {"conjugate", "self, out=None"
     "\nElements with the imaginary part's sign turned; real ones are as they are.\n"
     "\n>>> np.array([1 + 2j]).conjugate()\narray([1.-2.j])",
     m_conjugate, NULL, PURE},
    {"conj", "self, out=None"
     "\nThe same as conjugate.\n"
     "\n>>> np.array([1 + 2j]).conj()\narray([1.-2.j])",
     m_conjugate, NULL, PURE},
    {"item", "self, *args"
     "\nAn element as Python's own number: by index, by number in C order, or the only one.\n"
     "\n>>> np.array([[1, 2], [3, 4]]).item(1, 0)\n3",
     m_item, NULL, PURE},
    {"tolist", "self, /"
     "\nThe elements as nested lists of Python's own numbers.\n"
     "\n>>> np.array([[1, 2], [3, 4]]).tolist()\n[[1, 2], [3, 4]]",
     m_tolist, NULL, PURE},
    {"astype", "self, dtype, order='K', casting='unsafe', subok=True, copy=True"
     "\nA copy of another type; with copy=False the array itself where it has that type.\n"
     "\n>>> np.array([1.7, -1.7]).astype(int)\narray([ 1, -1])",
     m_astype, NULL, PURE},
    {"copy", "self, order='C'"
     "\nA copy, in C order unless another is asked for.\n"
     "\n>>> np.array([1, 2]).copy()\narray([1, 2])",
     array_m_copy, NULL, PURE},
    {"tobytes", "self, order='C'"
     "\nThe bytes of the elements, in C order unless another is asked for.\n"
     "\n>>> np.array([1, 2], dtype=np.int16).tobytes()\nb'\\x01\\x00\\x02\\x00'",
     array_m_tobytes, NULL, PURE},
    {"reshape", "self, *shape, order='C', copy=None"
     "\nThe same elements in another shape, of which one extent may be -1.\n"
     "\n>>> np.arange(6).reshape(2, -1)\narray([[0, 1, 2],\n       [3, 4, 5]])",
     m_reshape, NULL, PURE},
    {"flatten", "self, order='C'"
     "\nA copy of all elements in a row.\n"
     "\n>>> np.array([[1, 2], [3, 4]]).flatten()\narray([1, 2, 3, 4])",
     m_flatten, NULL, PURE},
    {"transpose", "self, *axes"
     "\nA view with the axes the other way round, or in the order that is given.\n"
     "\n>>> np.ones((2, 3)).transpose().shape\n(3, 2)",
     m_transpose, NULL, PURE},
    {"fill", "self, value, /"
     "\nWrites one value everywhere.\n"
     "\n>>> a = np.empty(3)\n>>> a.fill(2)\n>>> a\narray([2., 2., 2.])",
     m_fill, NULL, PURE},
    {"setflags", "self, write=None, align=None, uic=None"
     "\nwrite=False makes the array one that can only be read.\n"
     "\n>>> a = np.arange(2)\n>>> a.setflags(write=False)\n>>> a.flags.writeable\nFalse",
     m_setflags, NULL, PURE},
    {"view", "self, dtype=?, type=?"
     "\nThe same memory as elements of another type.\n"
     "\n>>> np.array([1.0]).view(np.int64)\narray([4607182418800017408])",
     array_m_view, NULL, PURE},
    {"resize", "self, *new_shape, refcheck=True"
     "\nGives the array another shape in place; new elements are zeros.\n"
     "\n>>> a = np.array([1, 2, 3])\n>>> a.resize(2, 2)\n>>> a\narray([[1, 2],\n       [3, 0]])",
     array_m_resize, NULL, PURE},
    {"sort", "self, axis=-1, kind=None, order=None, *, stable=None"
     "\nSorts in place along an axis, NaN last.\n"
     "\n>>> a = np.array([3, 1, 2])\n>>> a.sort()\n>>> a\narray([1, 2, 3])",
     array_m_sort, NULL, PURE},
    {"partition", "self, kth, axis=-1, kind='introselect', order=None"
     "\nIn place: the k-th element along the axis in its sorted place, smaller ones before it.\n"
     "\n>>> a = np.array([3, 1, 2])\n>>> a.partition(0)\n>>> a[0]\nnp.int64(1)",
     array_m_partition, NULL, PURE},
    {0},
};

// --- Attributes --------------------------------------------------------------------------------

static Status ints_tuple(Vm *vm, const int64_t *ints, int count, Value *out) {
    Value items[NDIM_MAX];
    for (int i = 0; i < count; i++) items[i] = v_int(ints[i]);
    return tuple_of(vm, items, (size_t)count, out);
}

static Status get_shape(Vm *vm, Value self, Value *out) {
    return ints_tuple(vm, array_shape(self.array), self.array->ndim, out);
}
static Status get_strides(Vm *vm, Value self, Value *out) {
    return ints_tuple(vm, array_strides(self.array), self.array->ndim, out);
}
static Status get_ndim(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(self.array->ndim);
    return ST_OK;
}
static Status get_size(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(array_size(self.array));
    return ST_OK;
}
static Status get_dtype(Vm *vm, Value self, Value *out) {
    return dtype_out(vm, self.array->dtype, out);
}
static Status get_itemsize(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int((int64_t)dtype_size(self.array->dtype));
    return ST_OK;
}
static Status get_nbytes(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(array_size(self.array) * (int64_t)dtype_size(self.array->dtype));
    return ST_OK;
}
static Status get_t(Vm *vm, Value self, Value *out) {
    return array_transpose(vm, self, NULL, out);
}
static Status get_base(Vm *vm, Value self, Value *out) {
    (void)vm;
    Value base = self.array->base;
    *out = base.kind == K_ARRAY || base.kind == K_BYTES ? retain(base) : V_NONE;
    return ST_OK;
}
// Assign to a.real and a.imag.
static Status set_real(Vm *vm, Value self, Value value) {
    Value part;
    View view;
    Status st = array_check_writeable(vm, self.array, "assignment destination");
    if (st == ST_OK) st = array_real(vm, self, &part);
    if (st != ST_OK) return st;
    array_view(part.array, &view);
    st = array_assign(vm, &view, value);
    release(vm, part);
    return st;
}
static Status set_imag(Vm *vm, Value self, Value value) {
    Value part;
    View view;
    if (dtype_kind(self.array->dtype) != DK_COMPLEX)
        return vm_raise(vm, EXC_TypeError, "array does not have imaginary part to set");
    Status st = array_check_writeable(vm, self.array, "assignment destination");
    if (st == ST_OK) st = array_imag(vm, self, &part);
    if (st != ST_OK) return st;
    array_view(part.array, &view);
    st = array_assign(vm, &view, value);
    release(vm, part);
    return st;
}
static Status set_flat(Vm *vm, Value self, Value value) {
    return array_set_flat(vm, self, V_ELLIPSIS, value);
}

static Status get_mt(Vm *vm, Value self, Value *out) {
    int axes[NDIM_MAX], ndim = self.array->ndim;
    if (ndim < 2)
        return vm_raise(vm, EXC_ValueError, "matrix transpose with ndim < 2 is undefined");
    axes_straight(ndim, false, axes);
    axes[ndim - 1] = ndim - 2;
    axes[ndim - 2] = ndim - 1;
    return array_transpose(vm, self, axes, out);
}

// Returns "cpu": a program sees its arrays in host memory, wherever a backend keeps them.
static Status get_device(Vm *vm, Value self, Value *out) {
    (void)self;
    return str_out(vm, str_text(vm, "cpu"), out);
}

// --- Attributes of file-backed arrays --------------------------------------------------------------

static Status in_no_file(Vm *vm, const char *name) {
    return vm_raise(vm, EXC_AttributeError, "'numpy.ndarray' object has no attribute '%s'", name);
}
static Status mapped_filename(Vm *vm, const Value *args, Value *out) {
    const Mapping *m = array_mapping(args[0].array);
    if (!m) return in_no_file(vm, "filename");
    *out = retain(v_obj(m->path));
    return ST_OK;
}
static Status mapped_mode(Vm *vm, const Value *args, Value *out) {
    static const char *const modes[] = {[MAP_READ] = "r", [MAP_COPY] = "c", [MAP_UPDATE] = "r+",
                                        [MAP_NEW] = "w+"};
    const Mapping *m = array_mapping(args[0].array);
    return m ? str_out(vm, str_text(vm, modes[m->mode]), out) : in_no_file(vm, "mode");
}
static Status mapped_offset(Vm *vm, const Value *args, Value *out) {
    const Mapping *m = array_mapping(args[0].array);
    if (!m) return in_no_file(vm, "offset");
    *out = v_int(m->offset);
    return ST_OK;
}
// These run as effects (effects.h), as a file-backed array is a handle: with several ranks, one has the
// file, the others a copy.
static Status get_filename(Vm *vm, Value self, Value *out) {
    static const NativeDef row = {"filename", "self, /", mapped_filename, NULL, FILESYSTEM};
    return native_run(vm, &row, &self, out);
}
static Status get_mode(Vm *vm, Value self, Value *out) {
    static const NativeDef row = {"mode", "self, /", mapped_mode, NULL, FILESYSTEM};
    return native_run(vm, &row, &self, out);
}
static Status get_offset(Vm *vm, Value self, Value *out) {
    static const NativeDef row = {"offset", "self, /", mapped_offset, NULL, FILESYSTEM};
    return native_run(vm, &row, &self, out);
}
static Status m_flush(Vm *vm, const Value *args, Value *out) {
    *out = V_NONE;
    return mapping_flush(vm, args[0].array);
}
static Status get_flush(Vm *vm, Value self, Value *out) {
    static const NativeDef flush = {"flush", "self, /", m_flush, NULL, FILESYSTEM};
    Value native;
    bool mapped;
    if (array_in_file(vm, self, &mapped) != ST_OK) return ST_ERROR;
    if (!mapped) return in_no_file(vm, "flush");
    Status st = native_new(vm, &flush, V_NONE, &native);
    if (st != ST_OK) return st;
    st = bound_new(vm, self, native, out);
    release(vm, native);
    return st;
}

static Status get_data(Vm *vm, Value self, Value *out) {
    (void)out;
    return vm_tail(vm, dict_get_str(vm->builtins, vm_name(vm, NAME_memoryview)), &self, 1);
}

// --- Attributes that there cannot be ---------------------------------------------------------------

static Status refused(Vm *vm, const char *name, const char *why) {
    return vm_raise(vm, EXC_AttributeError, "'numpy.ndarray' object has no attribute '%s': %s", name, why);
}
#define REFUSED(name, why)                                       \
    static Status get_##name(Vm *vm, Value self, Value *out) {   \
        (void)self, (void)out;                                   \
        return refused(vm, #name, why);                          \
    }
REFUSED(ctypes, "memory is not reached by its address")
REFUSED(dump, "nothing is pickled; use np.save")
REFUSED(dumps, "nothing is pickled; use np.save, or tobytes()")

const AttrDef array_attrs[] = {
    {"shape", get_shape, array_set_shape}, {"strides", get_strides, NULL}, {"ndim", get_ndim, NULL},
    {"size", get_size, NULL}, {"dtype", get_dtype, NULL}, {"itemsize", get_itemsize, NULL},
    {"nbytes", get_nbytes, NULL}, {"T", get_t, NULL}, {"base", get_base, NULL},
    {"real", array_real, set_real}, {"imag", array_imag, set_imag}, {"flat", array_flat, set_flat},
    {"mT", get_mt, NULL}, {"flags", array_flags, NULL},
    {"ctypes", get_ctypes, NULL}, {"data", get_data, NULL}, {"dump", get_dump, NULL},
    {"dumps", get_dumps, NULL}, {"device", get_device, NULL},
    {"filename", get_filename, NULL}, {"mode", get_mode, NULL}, {"offset", get_offset, NULL},
    {"flush", get_flush, NULL},
    {0},
};

static const NativeDef construct = {"ndarray", "shape, dtype=None, buffer=None, offset=0, strides=None, order=None", array_construct,
                                    NULL, PURE};

static Status get_element(Vm *vm, Value self, const Value *keys, int count, Value *out) {
    return array_get_element(vm, self.array, keys, count, out);
}

static Status set_element(Vm *vm, Value self, const Value *keys, int count, Value value) {
    return array_set_element(vm, self.array, keys, count, value);
}

const TypeSlots kind_ARRAY = {
    .getitems = get_element,
    .setitems = set_element,
    .visit = array_visit,
    .drop = array_drop,
    .size = array_obj_size,
    .binary = array_binary,
    .compare = array_compare,
    .unary = array_unary,
    .truth = array_truth,
    .hash = array_hash,
    .len = array_len,
    .getitem = array_getitem,
    .setitem = array_setitem,
    .delitem = array_delitem,
    .contains = array_contains,
    .iter = array_iter,
    .repr = array_repr,
    .str = array_str,
    .construct = &construct,
    .methods = array_methods,
    .attrs = array_attrs,
    .doc = "Elements of one type in a grid of any number of dimensions, over memory that may be shared.",
};
