// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module numpy: collects the tables of functions, and adds constants and classes.

#include "stdlib/numpy/numpy.h"

#include <math.h>

#include "stdlib/stdlib.h"
#include "vm/value/class.h"
#include "vm/value/str.h"

// Attributes of numpy that are written in the language are loaded when they are first used.
// stdlib/numpy/_lazy.ncr has their names.
static Status fn_getattr(Vm *vm, const Value *args, Value *out) {
    (void)out;
    if (args[0].kind == K_STR) return ST_DEFER;
    return vm_raise(vm, EXC_TypeError, "attribute name must be string");
}

static Status fn_dir(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    (void)out;
    return ST_DEFER;
}

// Functions that are methods of arrays as well.
const NativeDef numpy_functions[] = {
#define X(name, signature, doc)                                                        \
    {#name, sizeof(signature) > 1 ? "a, " signature "\n" doc : "a\n" doc, array_m_##name, \
                            NULL, PURE},
    ARRAY_METHODS(X)
#undef X
    {"__getattr__", "name, /", fn_getattr, "numpy_getattr", PURE},
    {"__dir__", "", fn_dir, "numpy_dir", PURE},
    {"amax", "a, " SIGNATURE_EXTREME
     "\nThe same as max.\n"
     "\n>>> np.amax([3, 7, 5])\nnp.int64(7)",
     array_m_max, NULL, PURE},
    {"amin", "a, " SIGNATURE_EXTREME
     "\nThe same as min.\n"
     "\n>>> np.amin([3, 7, 5])\nnp.int64(3)",
     array_m_min, NULL, PURE},
    {"var", "a, " SIGNATURE_SPREAD ", correction=?"
     "\nVariances along axes: mean squared distances to the mean, divided by the count less\n"
     "ddof.\n\n>>> np.var([1, 2, 3, 4])\nnp.float64(1.25)\n>>> np.var([1, 2, 3, 4], ddof=1)\n"
     "np.float64(1.6666666666666667)",
     array_var, NULL, PURE},
    {"std", "a, " SIGNATURE_SPREAD ", correction=?"
     "\nStandard deviations along axes: roots of the variances.\n"
     "\n>>> np.std([[1, 3], [2, 6]], axis=1)\narray([1., 2.])",
     array_std, NULL, PURE},
    {"repeat", "a, repeats, axis=None"
     "\nEach element so many times, one after another: the same number for all, or one for each\n"
     "along the axis.\n\n>>> np.repeat([1, 2], 3)\narray([1, 1, 1, 2, 2, 2])\n"
     ">>> np.repeat([[1, 2], [3, 4]], [1, 2], axis=0)\narray([[1, 2],\n       [3, 4],\n"
     "       [3, 4]])",
     array_m_repeat, "numpy_repeat", PURE},
    {"take", "a, indices, axis=None, out=None, mode='raise'"
     "\nElements at places along an axis, or of all in C order. Places beyond the end are an\n"
     "IndexError, or wrap around, or are clipped.\n\n>>> np.take([10, 20, 30], [2, 0])\n"
     "array([30, 10])\n>>> np.take([10, 20, 30], [4], mode='wrap')\narray([20])",
     array_m_take, "numpy_take", PURE},
    {"put", "a, ind, v, mode='raise'"
     "\nWrites elements at places of the array in C order; fewer values than places begin anew.\n"
     "\n>>> a = np.arange(5)\n>>> np.put(a, [0, 3], [-1, -2])\n>>> a\narray([-1,  1,  2, -2,  4])",
     array_m_put, "numpy_put", PURE},
    {"around", "a, decimals=0, out=None"
     "\nThe same as round.\n"
     "\n>>> np.around([1.25, 2.675], 1)\narray([1.2, 2.7])",
     array_m_round, NULL, PURE},
    {"sort", "a, axis=-1, kind=None, order=None, *, stable=None"
     "\nA sorted copy along an axis, NaN last; axis=None sorts all elements in a row.\n"
     "\n>>> np.sort([[3, 1], [2, 4]], axis=0)\narray([[2, 1],\n       [3, 4]])",
     array_sorted, NULL, PURE},
    {"partition", "a, kth, axis=-1, kind='introselect', order=None"
     "\nA copy in which the k-th element along the axis is in its sorted place, smaller ones\n"
     "before it.\n\n>>> np.partition([5, 1, 4, 2], 1)[:2]\narray([1, 2])",
     array_partitioned, NULL, PURE},
    {"bincount", "x, /, weights=None, minlength=0"
     "\nHow often each integer from 0 on is there, or the sum of its weights.\n"
     "\n>>> np.bincount([0, 2, 2, 3])\narray([1, 0, 2, 1])\n"
     ">>> np.bincount([0, 1, 1], weights=[0.5, 1, 2])\narray([0.5, 3. ])",
     array_bincount, NULL, PURE},
    {0},
};

// The release of NumPy whose behaviour module numpy has; tests/requirements.txt pins it.
#define NUMPY_VERSION "2.4.6"

static Status set_text(Vm *vm, Module *module, const char *name, const char *text) {
    Value v;
    Status st = str_out(vm, str_text(vm, text), &v);
    return st == ST_OK ? module_set(vm, module, name, v) : st;
}

static Status set_float(Vm *vm, Module *module, const char *name, double value) {
    return module_set(vm, module, name, v_float(value));
}

static Status add_constants(Vm *vm, Module *module) {
    Status st = set_float(vm, module, "pi", M_PI);
    if (st == ST_OK) st = set_float(vm, module, "e", M_E);
    if (st == ST_OK) st = set_float(vm, module, "inf", INFINITY);
    if (st == ST_OK) st = set_float(vm, module, "nan", NAN);
    if (st == ST_OK) st = set_float(vm, module, "euler_gamma", 0.5772156649015329);
    if (st == ST_OK) st = module_set(vm, module, "newaxis", V_NONE);
    if (st == ST_OK) st = set_text(vm, module, "__version__", NUMPY_VERSION);
    if (st == ST_OK) st = set_text(vm, module, "__array_api_version__", "2024.12");
    if (st == ST_OK) st = module_set(vm, module, "True_", v_scalar(DT_BOOL, (Scalar){.i = 1}));
    if (st == ST_OK) st = module_set(vm, module, "False_", v_scalar(DT_BOOL, (Scalar){.i = 0}));
    return st;
}

// Moves the class of a built-in kind to module numpy: sets its __module__ and adds it.
static Status own_class(Vm *vm, Module *module, const char *name, Kind kind) {
    Class *cls = vm->classes[kind];
    replace(vm, &cls->module, retain(v_obj(module->name)));
    return module_set(vm, module, name, retain(v_obj(cls)));
}

static Status add_class(Vm *vm, Module *module, const char *name, Class *cls) {
    return module_set(vm, module, name, retain(v_obj(cls)));
}

static Status add_classes(Vm *vm, Module *module) {
    static const struct {
        const char *name;
        DType type;
    } others[] = {
        {"bool_", DT_BOOL}, {"int_", DT_INT64}, {"intp", DT_INT64}, {"uint", DT_UINT64},
        {"double", DT_FLOAT64}, {"single", DT_FLOAT32}, {"half", DT_FLOAT16}, {"intc", DT_INT32},
        {"byte", DT_INT8}, {"ubyte", DT_UINT8}, {"short", DT_INT16}, {"ushort", DT_UINT16},
        {"longlong", DT_INT64}, {"long", DT_INT64}, {"uintc", DT_UINT32}, {"uintp", DT_UINT64},
        {"ulong", DT_UINT64}, {"ulonglong", DT_UINT64}, {"csingle", DT_COMPLEX64},
        {"cdouble", DT_COMPLEX128},
    };
    Status st = scalar_classes_init(vm, module);
    for (size_t i = 0; st == ST_OK && i < sizeof others / sizeof *others; i++)
        st = add_class(vm, module, others[i].name, vm->scalar_classes[others[i].type]);
    if (st == ST_OK) st = own_class(vm, module, "ndarray", K_ARRAY);
    if (st == ST_OK) st = own_class(vm, module, "dtype", K_DTYPE);
    if (st == ST_OK) st = own_class(vm, module, "ufunc", K_UFUNC);
    if (st == ST_OK) st = own_class(vm, module, "flatiter", K_FLATITER);
    return st;
}

Status numpy_init(Vm *vm, Module *module) {
    static const NativeDef *const tables[] = {numpy_creation, numpy_shaping, numpy_files, numpy_selection,
                                             numpy_packing};
    Status st = numpy_exceptions_init(vm);
    if (st == ST_OK) st = numpy_ufuncs_init(vm, module);
    for (size_t i = 0; st == ST_OK && i < sizeof tables / sizeof *tables; i++)
        st = module_add_natives(vm, module, tables[i]);
    if (st == ST_OK) st = add_constants(vm, module);
    return st == ST_OK ? add_classes(vm, module) : st;
}
