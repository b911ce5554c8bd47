// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind dtype: np.dtype('float64') and the .dtype of arrays.

#include <stdio.h>
#include <string.h>

#include "vm/array/array.h"
#include "vm/value/list.h"
#include "vm/value/object.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

Status dtype_out(Vm *vm, DType dtype, Value *out) {
    Obj *obj = obj_new(vm, K_DTYPE, sizeof *obj);
    if (!obj) return vm_no_memory(vm);
    obj->aux = (uint16_t)dtype;
    *out = v_obj(obj);
    return ST_OK;
}

static DType self_dtype(Value self) {
    return (DType)self.obj->aux;
}

static size_t dtype_obj_size(const Obj *obj) {
    (void)obj;
    return sizeof(Obj);
}

// Compares a dtype with anything that names one, such as a class or a string.
static Status dtype_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    DType other;
    bool ordered = op != CMP_EQ && op != CMP_NE;
    bool named = b.kind == K_DTYPE || b.kind == K_STR || b.kind == K_CLASS;
    if (named && dtype_from(vm, b, DT_NONE, &other) != ST_OK) {
        vm_clear_error(vm);
        named = false;
    }
    if (ordered && !named) return ST_NOTIMPL;
    if (ordered) { // ordering means castability
        DType own = self_dtype(a), lower = op == CMP_LT || op == CMP_LE ? own : other;
        bool casts = dtype_can_cast(lower, lower == own ? other : own, CAST_SAFE);
        *out = v_bool(casts && (own != other || op == CMP_LE || op == CMP_GE));
        return ST_OK;
    }
    *out = v_bool((named && other == self_dtype(a)) == (op == CMP_EQ));
    return ST_OK;
}

static Status dtype_hash(Vm *vm, Value self, int64_t *out) {
    (void)vm;
    *out = 7919 + self_dtype(self);
    return ST_OK;
}

static Status dtype_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    buf_printf(out, "dtype('%s')", dtype_info[self_dtype(self)].name);
    return ST_OK;
}

static Status dtype_str(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    buf_puts(out, dtype_info[self_dtype(self)].name);
    return ST_OK;
}

static Status get_name(Vm *vm, Value self, Value *out) {
    return str_out(vm, str_text(vm, dtype_info[self_dtype(self)].name), out);
}
static Status get_kind(Vm *vm, Value self, Value *out) {
    return str_out(vm, str_new(vm, &dtype_info[self_dtype(self)].kind_letter, 1), out);
}
static Status get_char(Vm *vm, Value self, Value *out) {
    return str_out(vm, str_new(vm, &dtype_info[self_dtype(self)].type_letter, 1), out);
}
static Status get_itemsize(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int((int64_t)dtype_size(self_dtype(self)));
    return ST_OK;
}
static Status get_type(Vm *vm, Value self, Value *out) {
    *out = retain(v_obj(vm->scalar_classes[self_dtype(self)]));
    return ST_OK;
}
static Status get_str(Vm *vm, Value self, Value *out) {
    const DTypeInfo *info = &dtype_info[self_dtype(self)];
    char text[16];
    snprintf(text, sizeof text, "%c%c%d", info->size == 1 ? '|' : '<', info->kind_letter, info->size);
    return str_out(vm, str_text(vm, text), out);
}

// --- What other dtypes than these would have to say more about -----------------------------------

static Status get_self(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = retain(self);
    return ST_OK;
}
static Status get_byteorder(Vm *vm, Value self, Value *out) {
    return str_out(vm, str_text(vm, dtype_size(self_dtype(self)) == 1 ? "|" : "="), out);
}
static Status get_alignment(Vm *vm, Value self, Value *out) {
    DType t = self_dtype(self);
    (void)vm;
    *out = v_int((int64_t)dtype_size(dtype_kind(t) == DK_COMPLEX ? dtype_real(t) : t));
    return ST_OK;
}
// Returns NumPy's number of the type.
static Status get_num(Vm *vm, Value self, Value *out) {
    static const char numbers[DT_COUNT] = {
        [DT_BOOL] = 0, [DT_INT8] = 1, [DT_UINT8] = 2, [DT_INT16] = 3, [DT_UINT16] = 4, [DT_INT32] = 5,
        [DT_UINT32] = 6, [DT_INT64] = 7, [DT_UINT64] = 8, [DT_FLOAT32] = 11, [DT_FLOAT64] = 12,
        [DT_COMPLEX64] = 14, [DT_COMPLEX128] = 15, [DT_FLOAT16] = 23};
    (void)vm;
    *out = v_int(numbers[self_dtype(self)]);
    return ST_OK;
}
// Returns a list like [('', '<f8')].
static Status get_descr(Vm *vm, Value self, Value *out) {
    Value items[2], tuple;
    Status st = get_str(vm, self, &items[1]);
    if (st != ST_OK) return st;
    items[0] = retain(v_obj(vm->empty_str));
    if (tuple_steal(vm, items, 2, &tuple) != ST_OK) return vm_no_memory(vm);
    st = list_of(vm, &tuple, 1, out);
    release(vm, tuple);
    return st;
}
static Status get_shape(Vm *vm, Value self, Value *out) {
    (void)self;
    *out = retain(v_obj(vm->empty_tuple));
    return ST_OK;
}
#define GET_CONSTANT(name, value)                                     \
    static Status get_##name(Vm *vm, Value self, Value *out) {        \
        (void)vm;                                                     \
        (void)self;                                                   \
        *out = value;                                                 \
        return ST_OK;                                                 \
    }
GET_CONSTANT(none, V_NONE)
GET_CONSTANT(zero, v_int(0))
GET_CONSTANT(one, v_int(1))
GET_CONSTANT(true, v_bool(true))
GET_CONSTANT(false, v_bool(false))

// Accepts only the machine's byte order, which all arrays have.
static Status m_newbyteorder(Vm *vm, const Value *args, Value *out) {
    Value order = args[1];
    if (order.kind != K_STR || order.str->len == 0)
        return vm_raise(vm, EXC_ValueError, "byteorder not recognized");
    char letter = order.str->data[0];
    bool own = dtype_size(self_dtype(args[0])) == 1 || strchr("=nN<lL|iI", letter);
    if (!own && !strchr(">bBsS", letter))
        return vm_raise(vm, EXC_ValueError, "byteorder not recognized (got '%s')", order.str->data);
    if (!own) return vm_raise(vm, EXC_NotImplementedError, "arrays in the other byte order");
    *out = retain(args[0]);
    return ST_OK;
}

static const NativeDef dtype_methods[] = {
    {"newbyteorder", "self, new_order='S', /"
     "\nThe type with bytes in that order, which has to be this machine's own.\n\n"
     ">>> np.dtype('i4').newbyteorder('=')\ndtype('int32')",
     m_newbyteorder, NULL, PURE},
    {0},
};

static const AttrDef attrs[] = {
    {"name", get_name, NULL}, {"kind", get_kind, NULL}, {"char", get_char, NULL},
    {"itemsize", get_itemsize, NULL}, {"type", get_type, NULL}, {"str", get_str, NULL},
    {"alignment", get_alignment, NULL}, {"base", get_self, NULL}, {"byteorder", get_byteorder, NULL},
    {"descr", get_descr, NULL}, {"fields", get_none, NULL}, {"flags", get_zero, NULL},
    {"hasobject", get_false, NULL}, {"isalignedstruct", get_false, NULL}, {"isbuiltin", get_one, NULL},
    {"isnative", get_true, NULL}, {"metadata", get_none, NULL}, {"names", get_none, NULL},
    {"ndim", get_zero, NULL}, {"num", get_num, NULL}, {"shape", get_shape, NULL},
    {"subdtype", get_none, NULL},
    {0},
};

static Status dtype_construct(Vm *vm, const Value *args, Value *out) {
    DType t;
    Status st = dtype_from(vm, args[0], DT_FLOAT64, &t);
    return st == ST_OK ? dtype_out(vm, t, out) : st;
}

static const NativeDef construct = {"dtype", "dtype, align=False, copy=False", dtype_construct,
                                    NULL, PURE};

const TypeSlots kind_DTYPE = {
    .size = dtype_obj_size,
    .compare = dtype_compare,
    .hash = dtype_hash,
    .repr = dtype_repr,
    .str = dtype_str,
    .construct = &construct,
    .methods = dtype_methods,
    .attrs = attrs,
    .doc = "The type of an array's elements.",
};
