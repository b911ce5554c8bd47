// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module numpy: puts the tables together and adds constants and classes.

#include "stdlib/numpy.h"

#include <math.h>

#include "stdlib/stdlib.h"
#include "vm/value/class.h"

// What is written in the language is loaded when it is first asked for; stdlib/numpy/_lazy.ncr knows
// the names.
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

// What arrays have as methods too.
const NativeDef numpy_functions[] = {
#define X(name, signature) {#name, sizeof(signature) > 1 ? "a, " signature : "a", array_m_##name, \
                            NULL, PURE},
    ARRAY_METHODS(X)
#undef X
    {"__getattr__", "name, /", fn_getattr, "numpy_getattr", FILESYSTEM},
    {"__dir__", "", fn_dir, "numpy_dir", PURE},
    {"amax", "a, " SIGNATURE_EXTREME, array_m_max, NULL, PURE},
    {"amin", "a, " SIGNATURE_EXTREME, array_m_min, NULL, PURE},
    {"var", "a, " SIGNATURE_SPREAD ", correction=?", array_var, NULL, PURE},
    {"std", "a, " SIGNATURE_SPREAD ", correction=?", array_std, NULL, PURE},
    {"repeat", "a, repeats, axis=None", array_m_repeat, "numpy_repeat", PURE},
    {"take", "a, indices, axis=None, out=None, mode='raise'", array_m_take, "numpy_take", PURE},
    {"put", "a, ind, v, mode='raise'", array_m_put, "numpy_put", PURE},
    {"around", "a, decimals=0, out=None", array_m_round, NULL, PURE},
    {"sort", "a, axis=-1, kind=None, order=None, *, stable=None", array_sorted, NULL, PURE},
    {"partition", "a, kth, axis=-1, kind='introselect', order=None", array_partitioned, NULL, PURE},
    {"bincount", "x, /, weights=None, minlength=0", array_bincount, NULL, PURE},
    {0},
};

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
    if (st == ST_OK) st = module_set(vm, module, "True_", v_scalar(DT_BOOL, (Scalar){.i = 1}));
    if (st == ST_OK) st = module_set(vm, module, "False_", v_scalar(DT_BOOL, (Scalar){.i = 0}));
    return st;
}

// These kinds' classes were made with the others, as built-ins.
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
