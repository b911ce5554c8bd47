// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind ufunc: an elementwise function as an object, with its methods and attributes.

#include <math.h>
#include <string.h>

#include "vm/array/methods.h"
#include "vm/value/func.h"
#include "vm/value/list.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

Status ufunc_new(Vm *vm, OpId op, uint32_t second, const NativeDef *def, Value owner, Value *out) {
    Value call;
    Status st = native_new(vm, def, owner, &call);
    if (st != ST_OK) return st;
    Ufunc *ufunc = obj_new(vm, K_UFUNC, sizeof *ufunc);
    if (!ufunc) {
        release(vm, call);
        return vm_no_memory(vm);
    }
    ufunc->op = op;
    ufunc->second = second;
    ufunc->call = call;
    *out = v_obj(ufunc);
    return ST_OK;
}

static void ufunc_visit(Obj *obj, Visitor *visitor) {
    visit_value(visitor, ((Ufunc *)obj)->call);
}

static void ufunc_drop(Vm *vm, Obj *obj) {
    clear(vm, &((Ufunc *)obj)->call);
}

static size_t ufunc_size(const Obj *obj) {
    (void)obj;
    return sizeof(Ufunc);
}

static const OpInfo *info_of(Value self) {
    return &op_info[self.ufunc->op];
}

static const char *name_of(Value self) {
    return self.ufunc->call.native->def->name;
}

static Status ufunc_repr(Vm *vm, Value self, Buf *out, int depth) {
    (void)vm;
    (void)depth;
    buf_printf(out, "<ufunc '%s'>", name_of(self));
    return ST_OK;
}

// --- Arguments ---------------------------------------------------------------------------------

static int results_of(Value self) {
    return self.ufunc->second == OP_NO_SECOND ? 1 : 2;
}

static Status two_operands(Vm *vm, Value self, const char *what) {
    if (info_of(self)->arity == 2 && results_of(self) == 1) return ST_OK;
    if (info_of(self)->arity == 2)
        return vm_raise(vm, EXC_ValueError, "%s only supported for functions returning a single value", what);
    return vm_raise(vm, EXC_ValueError, "%s only supported for binary functions", what);
}

Status ufunc_output_of(Vm *vm, Value out, int count, int which, Value *into) {
    *into = V_UNDEF;
    if (out.kind == K_TUPLE && out.tuple->len != (size_t)count)
        return vm_raise(vm, EXC_ValueError, "The 'out' tuple must have exactly one entry per ufunc output");
    if (out.kind == K_TUPLE) out = out.tuple->items[which];
    else if (count > 1 && out.kind != K_UNDEF)
        return vm_raise(vm, EXC_TypeError, "'out' must be a tuple of arrays");
    if (out.kind == K_NONE || out.kind == K_UNDEF) return ST_OK;
    *into = out;
    if (out.kind == K_ARRAY) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "return arrays must be of ArrayType");
}

Status ufunc_output(Vm *vm, Value out, Value *into) {
    return ufunc_output_of(vm, out, 1, 0, into);
}

Status casting_from(Vm *vm, Value v, Casting *out) {
    for (int i = 0; v.kind == K_STR && i <= CAST_UNSAFE; i++)
        if (str_is(v.str, casting_names[i])) {
            *out = (Casting)i;
            return ST_OK;
        }
    Value text;
    if (v.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "casting must be str, not %s", type_name(vm, v));
    if (op_repr_value(vm, v, &text) != ST_OK) return ST_ERROR;
    Status st = vm_raise(vm, EXC_ValueError, "casting must be one of 'no', 'equiv', 'safe', "
                         "'same_kind', 'unsafe' (got %s)", text.str->data);
    release(vm, text);
    return st;
}

// --- Methods -----------------------------------------------------------------------------------

static Status m_reduce(Vm *vm, const Value *args, Value *out) {
    ReduceCall call = {.op = (OpId)args[0].ufunc->op, .axis = args[2], .initial = args[6],
                       .where = args[7]};
    Status st = two_operands(vm, args[0], "reduce");
    if (st == ST_OK) st = dtype_from(vm, args[3], DT_NONE, &call.dtype);
    if (st == ST_OK) st = ufunc_output(vm, args[4], &call.into);
    if (st == ST_OK) st = truth_from(vm, args[5], &call.keepdims);
    return st == ST_OK ? ufunc_reduce(vm, &call, args[1], out) : st;
}

static Status m_accumulate(Vm *vm, const Value *args, Value *out) {
    ReduceCall call = {.op = (OpId)args[0].ufunc->op, .axis = args[2]};
    Status st = two_operands(vm, args[0], "accumulate");
    if (st == ST_OK) st = dtype_from(vm, args[3], DT_NONE, &call.dtype);
    if (st == ST_OK) st = ufunc_output(vm, args[4], &call.into);
    return st == ST_OK ? ufunc_accumulate(vm, &call, args[1], out) : st;
}

static Status m_reduceat(Vm *vm, const Value *args, Value *out) {
    ReduceCall call = {.op = (OpId)args[0].ufunc->op, .axis = args[3]};
    Value places = V_UNDEF;
    Status st = two_operands(vm, args[0], "reduceat");
    if (st == ST_OK) st = places_from(vm, args[2], &places);
    if (st == ST_OK) st = dtype_from(vm, args[4], DT_NONE, &call.dtype);
    if (st == ST_OK) st = ufunc_output(vm, args[5], &call.into);
    if (st == ST_OK) st = ufunc_reduceat(vm, &call, args[1], places, out);
    release(vm, places);
    return st;
}

// Appends axes of extent 1 to the first operand for the second's axes.
static Status with_room(Vm *vm, Value v, int room, Value *out) {
    View view;
    array_view(v.array, &view);
    if (view.ndim + room > NDIM_MAX)
        return vm_raise(vm, EXC_ValueError, "maximum supported dimension for an ndarray is "
                        "%d, found %d", NDIM_MAX, view.ndim + room);
    for (int i = 0; i < room; i++) {
        view.shape[view.ndim + i] = 1;
        view.strides[view.ndim + i] = 0;
    }
    view.ndim += room;
    return array_of_view(vm, &view, v, out);
}

static Status m_outer(Vm *vm, const Value *args, Value *out) {
    Value pair[2] = {retain(args[1]), retain(args[2])}, array;
    UfuncCall call = {.op = (OpId)args[0].ufunc->op, .args = pair, .count = 2, .where = args[4]};
    Status st = two_operands(vm, args[0], "outer product");
    for (int i = 0; st == ST_OK && i < 2; i++)
        if ((is_array_like(pair[i]) || has_stand_in(pair[i])) &&
            (st = array_from(vm, pair[i], DT_NONE, &array)) == ST_OK)
            replace(vm, &pair[i], array);
    if (st == ST_OK && pair[0].kind == K_ARRAY && pair[1].kind == K_ARRAY) {
        st = with_room(vm, pair[0], pair[1].array->ndim, &array);
        if (st == ST_OK) replace(vm, &pair[0], array);
    }
    if (st == ST_OK) st = ufunc_output(vm, args[3], &call.into);
    if (st == ST_OK) st = casting_from(vm, args[5], &call.casting);
    if (st == ST_OK) st = dtype_from(vm, args[7], DT_NONE, &call.dtype);
    if (st == ST_OK) st = ufunc_apply(vm, &call, out);
    release(vm, pair[0]);
    release(vm, pair[1]);
    return st == ST_NOTIMPL ? no_loop(vm, call.op, DT_NONE, NULL) : st;
}

static Status m_at(Vm *vm, const Value *args, Value *out) {
    bool binary = info_of(args[0])->arity == 2;
    if (args[1].kind != K_ARRAY) return vm_raise(vm, EXC_TypeError, "first operand must be array");
    if (binary && args[3].kind == K_UNDEF)
        return vm_raise(vm, EXC_ValueError, "second operand needed for ufunc");
    if (!binary && args[3].kind != K_UNDEF)
        return vm_raise(vm, EXC_ValueError, "second operand provided when ufunc is unary");
    Status st = array_at(vm, (OpId)args[0].ufunc->op, args[1], args[2], args[3]);
    if (st == ST_OK) *out = V_NONE;
    return st;
}

static const NativeDef methods[] = {
    {"reduce", "self, array, axis=0, dtype=None, out=None, keepdims=False, initial=?, where=True"
     "\nWhat the operation makes of the elements along axes, one after another.\n\n"
     ">>> np.multiply.reduce([2, 3, 4])\nnp.int64(24)",
     m_reduce, NULL, PURE},
    {"accumulate", "self, array, axis=0, dtype=None, out=None"
     "\nThe results of reducing the first elements along an axis: one, two, and so on.\n\n"
     ">>> np.maximum.accumulate([1, 3, 2, 5])\narray([1, 3, 3, 5])",
     m_accumulate, NULL, PURE},
    {"reduceat", "self, array, indices, axis=0, dtype=None, out=None"
     "\nReduces the pieces of an axis that begin at the indexes.\n\n"
     ">>> np.add.reduceat([1, 2, 3, 4], [0, 2])\narray([3, 7])",
     m_reduceat, NULL, PURE},
    {"outer", "self, A, B, /, *, out=None, where=True, casting='same_kind', order='K', dtype=None, "
     "subok=True"
     "\nThe operation on each element of the one with each of the other.\n\n"
     ">>> np.add.outer([1, 2], [10, 20])\narray([[11, 21],\n       [12, 22]])",
     m_outer, NULL, PURE},
    {"at", "self, a, indices, b=?, /"
     "\nThe operation in place at indexes; where one is named twice, twice.\n\n"
     ">>> a = np.zeros(3)\n>>> np.add.at(a, [0, 0, 2], 1)\n>>> a\narray([2., 0., 1.])",
     m_at, NULL, PURE},
    {0},
};

// --- Attributes --------------------------------------------------------------------------------

static Status get_name(Vm *vm, Value self, Value *out) {
    return str_out(vm, str_text(vm, name_of(self)), out);
}
static Status get_nin(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(info_of(self)->arity);
    return ST_OK;
}
static Status get_nout(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(results_of(self));
    return ST_OK;
}
static Status get_nargs(Vm *vm, Value self, Value *out) {
    (void)vm;
    *out = v_int(info_of(self)->arity + results_of(self));
    return ST_OK;
}
static Status get_identity(Vm *vm, Value self, Value *out) {
    (void)vm;
    switch ((Identity)info_of(self)->identity) {
    case IDENTITY_ZERO: *out = v_int(0); break;
    case IDENTITY_ONE: *out = v_int(1); break;
    case IDENTITY_ALL_BITS: *out = v_int(-1); break;
    case IDENTITY_MINUS_INFINITY: *out = v_float(-INFINITY); break;
    default: *out = V_NONE;
    }
    if (info_of(self)->dtype_rule == RULE_LOGICAL && out->kind == K_INT) *out = v_bool(out->i != 0);
    return ST_OK;
}
static Status get_none(Vm *vm, Value self, Value *out) {
    (void)vm;
    (void)self;
    *out = V_NONE;
    return ST_OK;
}

// Returns the type letters of all loops, such as "dd->d".
static Status get_types(Vm *vm, Value self, Value *out) {
    Value list[DT_COUNT];
    size_t count = 0;
    Status st = ST_OK;
    int arity = info_of(self)->arity;
    for (int t = 0; st == ST_OK && t < DT_COUNT; t++) {
        DType loop, result;
        char text[8];
        if (!op_types((OpId)self.ufunc->op, (DType)t, &loop, &result) || loop != (DType)t) continue;
        memset(text, dtype_info[t].type_letter, (size_t)arity);
        memcpy(text + arity, "->", 2);
        size_t length = (size_t)arity + 2;
        text[length++] = dtype_info[result].type_letter;
        if (results_of(self) > 1 && op_types((OpId)self.ufunc->second, (DType)t, &loop, &result))
            text[length++] = dtype_info[result].type_letter;
        text[length] = '\0';
        st = str_out(vm, str_text(vm, text), &list[count]);
        count += st == ST_OK;
    }
    if (st == ST_OK) st = list_of(vm, list, count, out);
    for (size_t i = 0; i < count; i++) release(vm, list[i]);
    return st;
}
static Status get_ntypes(Vm *vm, Value self, Value *out) {
    int64_t count = 0;
    (void)vm;
    for (int t = 0; t < DT_COUNT; t++) {
        DType loop, result;
        count += op_types((OpId)self.ufunc->op, (DType)t, &loop, &result) && loop == (DType)t;
    }
    *out = v_int(count);
    return ST_OK;
}
static Status get_doc(Vm *vm, Value self, Value *out) {
    Buf text;
    buf_init(&text, &vm->mem);
    const char *own = strchr(self.ufunc->call.native->def->signature, '\n'); // for ufuncs with two results
    const char *outputs = results_of(self) > 1 ? "[, out1, out2], /, [, out=(None, None)]" : ", /, out=None";
    buf_printf(&text, "%s(%s%s, *, where=True, casting='same_kind', order='K', "
               "dtype=None, subok=True)\n\n%s", name_of(self),
               info_of(self)->arity == 1 ? "x" : "x1, x2", outputs, own ? own + 1 : info_of(self)->doc);
    return str_buf_out(vm, &text, out);
}

static Status get_resolve_dtypes(Vm *vm, Value self, Value *out) {
    (void)self, (void)out;
    return vm_raise(vm, EXC_AttributeError, "'numpy.ufunc' object has no attribute 'resolve_dtypes': np.result_type "
                    "says what operands have in common, and `types` which loops there are");
}

static const AttrDef attrs[] = {
    {"__name__", get_name, NULL},     {"__qualname__", get_name, NULL}, {"nin", get_nin, NULL},
    {"nout", get_nout, NULL},         {"nargs", get_nargs, NULL},       {"ntypes", get_ntypes, NULL},
    {"types", get_types, NULL},       {"identity", get_identity, NULL}, {"signature", get_none, NULL},
    {"__doc__", get_doc, NULL},       {"resolve_dtypes", get_resolve_dtypes, NULL},
    {0},
};

const TypeSlots kind_UFUNC = {
    .visit = ufunc_visit,
    .drop = ufunc_drop,
    .size = ufunc_size,
    .repr = ufunc_repr,
    .methods = methods,
    .attrs = attrs,
    .doc = "Functions that operate element by element on whole arrays.",
};
