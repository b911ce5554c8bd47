// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// NumPy scalars: immediate values with a dtype; complex ones are objects.

#include <math.h>
#include <string.h>

#include "vm/array/array.h"
#include "vm/array/methods.h"
#include "vm/array/scalar_arith.h"
#include "vm/value/class.h"
#include "vm/value/effects.h"
#include "vm/value/num.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

static DType self_dtype(Value self) {
    return scalar_dtype(self);
}

Status scalar_out(Vm *vm, DType dtype, Scalar s, Value *out) {
    if (dtype_kind(dtype) != DK_COMPLEX) {
        *out = v_scalar(dtype, s);
        return ST_OK;
    }
    Complex *boxed = obj_new(vm, K_COMPLEX_SCALAR, sizeof *boxed);
    if (!boxed) return vm_no_memory(vm);
    boxed->obj.aux = (uint16_t)dtype;
    boxed->re = s.re;
    boxed->im = s.im;
    *out = v_obj(boxed);
    return ST_OK;
}

static size_t boxed_size(const Obj *obj) {
    (void)obj;
    return sizeof(Complex);
}

Value scalar_to_python(Vm *vm, DType dtype, Scalar s) {
    Value v;
    switch (dtype_kind(dtype)) {
    case DK_COMPLEX: return complex_out(vm, s.re, s.im, &v) == ST_OK ? v : V_UNDEF;
    case DK_BOOL: return v_bool(s.i != 0);
    case DK_INT: return v_int(s.i);
    case DK_FLOAT: return v_float(s.f);
    default: return int_from_u64(vm, s.u, &v) == ST_OK ? v : V_UNDEF;
    }
}

static Status to_python(Vm *vm, Value self, Value *out) {
    *out = scalar_to_python(vm, self_dtype(self), scalar_of(self));
    return out->kind == K_UNDEF ? vm_no_memory(vm) : ST_OK;
}

// --- Slots -------------------------------------------------------------------------------------

static Status scalar_truth(Vm *vm, Value self, bool *out) {
    (void)vm;
    *out = dtype_convert(self_dtype(self), DT_BOOL, scalar_of(self)).i != 0;
    return ST_OK;
}

static Status scalar_hash(Vm *vm, Value self, int64_t *out) {
    Value v;
    Status st = to_python(vm, self, &v);
    if (st != ST_OK) return st;
    *out = num_hash(v);
    release(vm, v);
    return ST_OK;
}

static Status scalar_str(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    scalar_text(self_dtype(self), scalar_of(self), out);
    return ST_OK;
}

static Status scalar_repr(Vm *vm, Value self, Buf *out, int depth) {
    if (self_dtype(self) == DT_BOOL) {
        buf_puts(out, self.i ? "np.True_" : "np.False_");
        return ST_OK;
    }
    // a complex number's text has its own parentheses, unless it is purely imaginary
    Scalar s = scalar_of(self);
    bool bare = dtype_kind(self_dtype(self)) != DK_COMPLEX || (s.re == 0 && !signbit(s.re));
    buf_printf(out, "np.%s%s", dtype_info[self_dtype(self)].name, bare ? "(" : "");
    scalar_str(vm, self, out, depth);
    if (bare) buf_putc(out, ')');
    return ST_OK;
}

static Status scalar_getitem(Vm *vm, Value self, Value key, Value *out) {
    if (key.kind == K_TUPLE && key.tuple->len == 0) {
        *out = retain(self);
        return ST_OK;
    }
    Value array;
    Status st = array_from(vm, self, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = array_getitem(vm, array, key, out);
    release(vm, array);
    if (st != ST_ERROR || vm_error_is(vm, EXC_MemoryError)) return st;
    vm_clear_error(vm);
    return vm_raise(vm, EXC_IndexError, "invalid index to scalar variable.");
}

// --- Conversions and methods -------------------------------------------------------------------

static Status m_int(Vm *vm, const Value *args, Value *out) {
    if (warn_of_cast(vm, self_dtype(args[0]), DT_INT64) != ST_OK) return ST_ERROR;
    if (dtype_is_inexact(self_dtype(args[0])))
        return int_from_double(vm, scalar_of(args[0]).f, out);
    Status st = to_python(vm, args[0], out);
    if (st == ST_OK && out->kind == K_BOOL) *out = v_int(out->i);
    return st;
}

static Status m_index(Vm *vm, const Value *args, Value *out) {
    if (!dtype_is_integer(self_dtype(args[0])) || self_dtype(args[0]) == DT_BOOL)
        return vm_raise(vm, EXC_TypeError, "'%s' object cannot be interpreted as an integer",
                        type_name(vm, args[0]));
    return to_python(vm, args[0], out);
}

static Status m_float(Vm *vm, const Value *args, Value *out) {
    if (warn_of_cast(vm, self_dtype(args[0]), DT_FLOAT64) != ST_OK) return ST_ERROR;
    *out = v_float(dtype_convert(self_dtype(args[0]), DT_FLOAT64, scalar_of(args[0])).f);
    return ST_OK;
}

static Status m_complex(Vm *vm, const Value *args, Value *out) {
    const Scalar s = dtype_convert(self_dtype(args[0]), DT_COMPLEX128, scalar_of(args[0]));
    return complex_out(vm, s.re, s.im, out);
}

static Status m_item(Vm *vm, const Value *args, Value *out) {
    return to_python(vm, args[0], out);
}

static Status m_format(Vm *vm, const Value *args, Value *out) {
    Value v;
    Buf text;
    if (args[1].kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "__format__() argument must be str, not %s",
                        type_name(vm, args[1]));
    Status st = to_python(vm, args[0], &v); // even an empty specification shows all digits of a double
    if (st != ST_OK) return st;
    buf_init(&text, &vm->mem);
    st = format_value(vm, v, args[1].str, &text);
    release(vm, v);
    if (st == ST_OK) return str_buf_out(vm, &text, out);
    buf_free(&text);
    return st;
}

enum { ARGS_MAX = 12 }; // maximum arguments of a forwarded method, including self

// Forwards a method to a 0-dimensional array and converts the result back to a scalar.
static Status through_array(Vm *vm, const char *name, const Value *args, int count, Value *out) {
    Value array, result, copy[ARGS_MAX];
    Status st = array_from(vm, args[0], self_dtype(args[0]), &array);
    if (st != ST_OK) return st;
    const NativeDef *row = array_methods;
    while (row->name && strcmp(row->name, name) != 0) row++;
    memcpy(copy, args, (size_t)count * sizeof *copy);
    copy[0] = array;
    st = row->name ? native_run(vm, row, copy, &result) : ST_STOP;
    release(vm, copy[0]); // unless it was consumed
    if (st != ST_OK) return st;
    *out = result;
    return result.kind == K_ARRAY ? array_to_scalar(vm, out) : ST_OK;
}

// Rounds to a Python int if no digits are given.
static Status m_python_round(Vm *vm, const Value *args, Value *out) {
    DType own = self_dtype(args[0]);
    if (own == DT_BOOL || dtype_kind(own) == DK_COMPLEX)
        return vm_raise(vm, EXC_TypeError, "type %s doesn't define __round__ method", type_name(vm, args[0]));
    if (args[1].kind != K_NONE) return through_array(vm, "round", (Value[]){args[0], args[1], V_NONE}, 3, out);
    if (dtype_kind(own) != DK_FLOAT) return to_python(vm, args[0], out);
    return float_round(vm, args[0].f, false, 0, out);
}

// Name and number of parameters, including self.
#define THROUGH_ARRAY(X)                                                                 \
    X(sum, 7, SIGNATURE_SUM)                                                             \
    X(prod, 7, SIGNATURE_SUM)                                                            \
    X(min, 6, SIGNATURE_EXTREME)                                                         \
    X(max, 6, SIGNATURE_EXTREME)                                                         \
    X(mean, 6, SIGNATURE_MEAN)                                                           \
    X(var, 8, SIGNATURE_SPREAD)                                                          \
    X(std, 8, SIGNATURE_SPREAD)                                                          \
    X(round, 3, "decimals=0, out=None")                                                  \
    X(tobytes, 2, "order='C'")                                                           \
    X(argmax, 4, SIGNATURE_PLACE)                                                        \
    X(argmin, 4, SIGNATURE_PLACE)                                                        \
    X(any, 5, SIGNATURE_TRUTH)                                                           \
    X(all, 5, SIGNATURE_TRUTH)                                                           \
    X(astype, 6, "dtype, order='K', casting='unsafe', subok=True, copy=True")            \
    X(squeeze, 2, "axis=None")                                                           \
    X(transpose, 2, "*axes")                                                             \
    X(reshape, 4, "*shape, order='C', copy=None")                                                   \
    X(view, 3, "dtype=?, type=?")
#define X(name, count, signature)                                       \
    _Static_assert((count) <= ARGS_MAX, "more arguments than are copied"); \
    static Status m_##name(Vm *vm, const Value *args, Value *out) {     \
        return through_array(vm, #name, args, count, out);              \
    }
THROUGH_ARRAY(X)
#undef X

// Methods implemented in the prelude.
static Status m_in_language(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    (void)out;
    return ST_DEFER;
}

static Status m_item_at(Vm *vm, const Value *args, Value *out) {
    return args[1].tuple->len == 0 ? m_item(vm, args, out) : through_array(vm, "item", args, 2, out);
}

static Status m_same(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    *out = retain(args[0]);
    return ST_OK;
}

static Status m_conjugate(Vm *vm, const Value *args, Value *out) {
    Scalar s = scalar_of(args[0]);
    if (dtype_kind(self_dtype(args[0])) == DK_COMPLEX) s.im = -s.im;
    return scalar_out(vm, self_dtype(args[0]), s, out);
}

static Status m_is_integer(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    bool is = dtype_kind(self_dtype(args[0])) != DK_FLOAT || floor(args[0].f) == args[0].f;
    *out = v_bool(is && (dtype_kind(self_dtype(args[0])) != DK_FLOAT || isfinite(args[0].f)));
    return ST_OK;
}

static const NativeDef methods[] = {
    {"__int__", "self, /", m_int, NULL, PURE},
    {"__index__", "self, /", m_index, NULL, PURE},
    {"__float__", "self, /", m_float, NULL, PURE},
    {"__complex__", "self, /", m_complex, NULL, PURE},
    {"__format__", "self, format_spec, /", m_format, NULL, PURE},
    {"__round__", "self, ndigits=None, /", m_python_round, NULL, PURE},
    {"item", "self, *args", m_item_at, NULL, PURE},
    {"tolist", "self, /", m_item, NULL, PURE},
    {"copy", "self, /", m_same, NULL, PURE},
    {"conjugate", "self, /", m_conjugate, NULL, PURE},
    {"conj", "self, /", m_conjugate, NULL, PURE},
    {"is_integer", "self, /", m_is_integer, NULL, PURE},
    {"byteswap", "self, inplace=False", m_in_language, "array_byteswap", PURE},
    {"getfield", "self, dtype, offset=0", m_in_language, "scalar_getfield", PURE},
    {"setfield", "self, val, dtype, offset=0", m_in_language, "scalar_setfield", PURE},
    {"__array_namespace__", "self, /, *, api_version=None", m_in_language, "array_namespace", PURE},
    {"to_device", "self, device, /, *, stream=None", m_in_language, "array_to_device", PURE},
#define X(name, count, signature) {#name, "self, " signature, m_##name, NULL, PURE},
    THROUGH_ARRAY(X)
#undef X
    {0},
};

static Status get_dtype(Vm *vm, Value self, Value *out) {
    return dtype_out(vm, self_dtype(self), out);
}
static Status get_shape(Vm *vm, Value self, Value *out) {
    (void)self;
    *out = retain(v_obj(vm->empty_tuple));
    return ST_OK;
}
static Status get_zero(Vm *vm, Value self, Value *out) {
    (void)vm;
    (void)self;
    *out = v_int(0);
    return ST_OK;
}
static Status get_one(Vm *vm, Value self, Value *out) {
    (void)vm;
    (void)self;
    *out = v_int(1);
    return ST_OK;
}
static Status get_itemsize(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int((int64_t)dtype_size(self_dtype(self)));
    return ST_OK;
}
static Status get_self(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self);
    return ST_OK;
}
static Status get_real(Vm *vm, Value self, Value *out) {
    if (dtype_kind(self_dtype(self)) != DK_COMPLEX) return get_self(vm, self, out);
    *out = v_scalar(dtype_real(self_dtype(self)), (Scalar){.f = scalar_of(self).re});
    return ST_OK;
}
static Status get_imag(Vm *vm, Value self, Value *out) {
    bool is_complex = dtype_kind(self_dtype(self)) == DK_COMPLEX;
    (void)vm;
    *out = v_scalar(dtype_real(self_dtype(self)),
                    is_complex ? (Scalar){.f = scalar_of(self).im} : (Scalar){.i = 0});
    return ST_OK;
}

static const AttrDef attrs[] = {
    {"dtype", get_dtype, NULL}, {"shape", get_shape, NULL}, {"ndim", get_zero, NULL},
    {"size", get_one, NULL}, {"itemsize", get_itemsize, NULL}, {"nbytes", get_itemsize, NULL},
    {"T", get_self, NULL}, {"real", get_real, NULL}, {"imag", get_imag, NULL},
    {0},
};

// --- Classes -----------------------------------------------------------------------------------

// Calls a scalar class, such as np.float64(x). For a sequence it returns an array.
static Status construct_scalar(Vm *vm, const Value *args, Value *out) {
    int t = 0;
    while (t < DT_COUNT && vm->scalar_classes[t] != args[0].cls) t++;
    if (t == DT_COUNT)
        return vm_raise(vm, EXC_TypeError, "cannot create 'numpy.%s' instances",
                        args[0].cls->name->data);
    Value v = args[1].kind == K_UNDEF ? v_int(0) : args[1];
    if (is_array_like(v)) {
        Status st = array_from(vm, v, (DType)t, out);
        return st == ST_OK ? array_to_scalar(vm, out) : st;
    }
    Scalar s;
    Status st = scalar_from(vm, unwrap(v), (DType)t, &s);
    if (st != ST_OK || args[2].kind == K_UNDEF) // complex(real, imaginary)
        return st == ST_OK ? scalar_out(vm, (DType)t, s, out) : st;
    if (dtype_kind((DType)t) != DK_COMPLEX)
        return vm_raise(vm, EXC_TypeError, "%s() takes at most 1 argument (2 given)",
                        dtype_info[t].name);
    Scalar imaginary;
    st = scalar_from(vm, unwrap(args[2]), dtype_real((DType)t), &imaginary);
    s.im = imaginary.f;
    return st == ST_OK ? scalar_out(vm, (DType)t, s, out) : st;
}

static const NativeDef construct = {"generic", "cls, value=?, imag=?, /", construct_scalar, NULL,
                                    PURE};

// Returns a second base class: float64 also derives from Python's float, complex128 from complex; NULL: none.
static Class *also_base(const Vm *vm, const char *name) {
    if (strcmp(name, dtype_info[DT_FLOAT64].name) == 0) return vm->classes[K_FLOAT];
    if (strcmp(name, dtype_info[DT_COMPLEX128].name) == 0) return vm->classes[K_COMPLEX];
    return NULL;
}

static Class *make_class(Vm *vm, const char *name, Class *base) {
    Class *bases[] = {base, also_base(vm, name)};
    Class *cls = class_builtin_of(vm, name, bases, bases[1] ? 2 : 1, K_SCALAR);
    Buf full;
    if (!cls) return NULL;
    buf_init(&full, &vm->mem);
    buf_printf(&full, "numpy.%s", name);
    Str *text = str_from_buf(vm, &full);
    if (!text) {
        release_obj(vm, cls);
        return NULL;
    }
    release_obj(vm, cls->qualname);
    cls->qualname = text; // name of the scalar in messages
    return cls;
}

// Makes a scalar class, and sets it in the module. It may exist already, from an import that failed later or whose
// module was dropped.
static Status place_class(Vm *vm, Module *module, const char *name, Class *base, Class **slot) {
    if (!*slot) *slot = make_class(vm, name, base);
    if (!*slot) return vm_no_memory(vm);
    return module_set(vm, module, name, retain(v_obj(*slot)));
}

Status scalar_classes_init(Vm *vm, Module *module) {
    static const char *const abstract[][2] = {
        {"generic", NULL}, {"number", "generic"}, {"integer", "number"}, {"inexact", "number"},
        {"signedinteger", "integer"}, {"unsignedinteger", "integer"}, {"floating", "inexact"},
        {"complexfloating", "inexact"},
    };
    enum { ABSTRACT = sizeof abstract / sizeof *abstract };
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < ABSTRACT; i++) {
        Class *base = vm->object_class;
        for (int j = 0; abstract[i][1] && j < i; j++)
            if (strcmp(abstract[j][0], abstract[i][1]) == 0)
                base = vm->scalar_classes[DT_COUNT + j];
        st = place_class(vm, module, abstract[i][0], base, &vm->scalar_classes[DT_COUNT + i]);
    }
    for (int t = 0; st == ST_OK && t < DT_COUNT; t++) {
        int j = 0;
        while (strcmp(abstract[j][0], dtype_info[t].base) != 0) j++;
        st = place_class(vm, module, dtype_info[t].name, vm->scalar_classes[DT_COUNT + j],
                         &vm->scalar_classes[t]);
    }
    return st;
}

_Static_assert(DT_COUNT + 8 <= SCALAR_CLASSES, "room for every class of scalars");

static bool is_of_arrays_only(const Str *name) {
    return str_is(name, "dot") || str_is(name, "partition") || str_is(name, "argpartition") ||
           str_is(name, "mT");
}

// Looks up an attribute of Python's float that shorter floats have as well: as_integer_ratio. (float64 inherits all.)
static Status of_python_float(Vm *vm, Value v, Str *name, Value *out) {
    Value number;
    if (dtype_kind(self_dtype(v)) != DK_FLOAT || !str_is(name, "as_integer_ratio")) return ST_STOP;
    Status st = to_python(vm, v, &number);
    return st == ST_OK ? op_getattr(vm, number, name, out) : st;
}

// Looks up attributes of a 0-dimensional array, which scalars have as well.
static Status scalar_getattr(Vm *vm, Value v, Str *name, Value *out) {
    Value array;
    if (name->data[0] == '_' || is_of_arrays_only(name)) return ST_STOP;
    if (class_lookup(class_of(vm, v), name).kind != K_UNDEF) return ST_STOP;
    Status st = array_from(vm, v, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = op_getattr(vm, array, name, out);
    release(vm, array);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_AttributeError)) return st;
    // same error message as for an array's attribute
    for (const AttrDef *attr = array_attrs; attr->name; attr++)
        if (str_is(name, attr->name)) return ST_ERROR;
    vm_clear_error(vm);
    return of_python_float(vm, v, name, out);
}

#define SCALAR_SLOTS                  \
    .getattr = scalar_getattr,        \
    .binary = scalar_binary,          \
    .compare = scalar_compare,        \
    .unary = scalar_unary,            \
    .truth = scalar_truth,            \
    .hash = scalar_hash,              \
    .getitem = scalar_getitem,        \
    .repr = scalar_repr,              \
    .str = scalar_str,                \
    .construct = &construct,          \
    .methods = methods,               \
    .attrs = attrs,                   \
    .doc = "Base class for numpy scalar types."
const TypeSlots kind_SCALAR = {SCALAR_SLOTS};
const TypeSlots kind_COMPLEX_SCALAR = {SCALAR_SLOTS, .size = boxed_size};
