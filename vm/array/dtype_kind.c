// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind dtype: np.dtype('float64') and the .dtype of arrays.

#include "vm/array/array.h"
#include "vm/value/object.h"
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

// Compares with anything that names a dtype: a class, a text.
static Status dtype_compare(Vm *vm, CompareOp op, Value a, Value b, Value *out) {
    DType other;
    if (op != CMP_EQ && op != CMP_NE) return ST_NOTIMPL;
    bool named = b.kind == K_DTYPE || b.kind == K_STR || b.kind == K_CLASS;
    if (named && dtype_from(vm, b, DT_NONE, &other) != ST_OK) {
        vm_clear_error(vm);
        named = false;
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
    char text[] = {info->size == 1 ? '|' : '<', info->kind_letter, (char)('0' + info->size), 0};
    return str_out(vm, str_text(vm, text), out);
}

static const AttrDef attrs[] = {
    {"name", get_name, NULL}, {"kind", get_kind, NULL}, {"char", get_char, NULL},
    {"itemsize", get_itemsize, NULL}, {"type", get_type, NULL}, {"str", get_str, NULL},
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
    .attrs = attrs,
};
