// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// repr, str and format of any value.

#include <inttypes.h>

#include "vm/value/asking.h"
#include "vm/value/class.h"
#include "vm/value/deque.h"
#include "vm/value/dict.h"
#include "vm/value/effects.h"
#include "vm/value/identity.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/set_impl.h"
#include "vm/value/stepper.h"
#include "vm/value/str.h"

// Removes what an operation has written if it did not succeed.
static Status finish(Vm *vm, Buf *out, size_t start, Status st) {
    if (st == ST_OK && out->failed) st = vm_no_memory(vm);
    if (st != ST_OK && !out->failed) out->len = start;
    return st;
}

static Status default_repr(Vm *vm, Value v, Buf *out) {
    const Class *cls = class_of(vm, v);
    buf_putc(out, '<');
    if (cls->module.kind == K_STR && !str_is(cls->module.str, "builtins"))
        buf_printf(out, "%s.", cls->module.str->data);
    const Str *name = cls->qualname ? cls->qualname : cls->name;
    buf_printf(out, "%s object at ", name->data);
    Status st = identity_text(vm, v.obj, out);
    buf_putc(out, '>');
    return st;
}

static Status slot_repr(Vm *vm, Value v, Buf *out, int depth) {
    const TypeSlots *slots = kind_slots[v.kind];
    Status st = slots->repr ? slots->repr(vm, v, out, depth) : ST_NOTIMPL;
    return st == ST_NOTIMPL ? default_repr(vm, v, out) : st;
}

static Status slot_str(Vm *vm, Value v, Buf *out, int depth) {
    const TypeSlots *slots = kind_slots[v.kind];
    Status st = slots->str ? slots->str(vm, v, out, depth) : ST_NOTIMPL;
    return st == ST_NOTIMPL ? slot_repr(vm, v, out, depth) : st;
}

typedef Status (*TextFn)(Vm *vm, Value v, Buf *out, int depth);

// Runs a slot one level deeper. vm->repr_depth counts for texts that start over inside another
// one (an exception's arguments), so that no mixture of kinds can exhaust the C stack.
static Status one_deeper(Vm *vm, TextFn text, Value v, Buf *out, int depth) {
    int outer = vm->repr_depth;
    if (depth < outer) depth = outer;
    if (depth > REPR_DEPTH)
        return vm_raise(vm, EXC_RecursionError,
                        "maximum recursion depth exceeded while getting the repr of an object");
    size_t start = out->len;
    vm->repr_depth = depth + 1;
    Status st = text(vm, v, out, depth);
    vm->repr_depth = outer;
    return finish(vm, out, start, st);
}

// Returns whether an instance of a class derived from that of x does not print as x does.
static bool prints_by_class(Value x) {
    return is_set(x) || x.kind == K_DEQUE || x.kind == K_STEPPER || x.kind == K_ITER;
}

// Sets, deques and iterators of derived classes print with the name of their class.
static Status derived_repr(Vm *vm, Value v, Buf *out, int depth) {
    if (!is_set(unwrap(v)) && unwrap(v).kind != K_DEQUE) {
        Status st = stepper_repr_named(vm, unwrap(v), type_name(vm, v), out, depth);
        return st == ST_STOP ? slot_repr(vm, v, out, depth) : st;
    }
    if (unwrap(v).kind == K_DEQUE) return deque_repr_named(vm, deque_of(unwrap(v)), type_name(vm, v), out, depth);
    return set_repr_named(vm, unwrap(v).set, type_name(vm, v), out, depth);
}

static Status text_of_answer(Vm *vm, Question what, Value v, Buf *out) {
    Value text;
    Status st = op_ask(vm, what, v, &text);
    if (st != ST_OK) return st;
    buf_put(out, text.str->data, text.str->len);
    return finish(vm, out, out->len, ST_OK);
}

Status op_repr_nested(Vm *vm, Value v, Buf *out, int depth) {
    if (op_user_method(vm, v, NAME_repr))
        return text_of_answer(vm, ASK_REPR, v, out);
    Value x = unwrap(v);
    if (v.kind == K_INSTANCE && prints_by_class(x)) return one_deeper(vm, derived_repr, v, out, depth);
    return one_deeper(vm, slot_repr, x, out, depth);
}

Status op_repr(Vm *vm, Value v, Buf *out) {
    return op_repr_nested(vm, v, out, 0);
}

Status op_str(Vm *vm, Value v, Buf *out) {
    if (v.kind == K_STR) {
        buf_put(out, v.str->data, v.str->len);
        return finish(vm, out, out->len, ST_OK);
    }
    if (op_user_method(vm, v, NAME_str)) return text_of_answer(vm, ASK_STR, v, out);
    if (exc_of(v)) return one_deeper(vm, slot_str, v, out, 0);
    Value inner = unwrap(v); // texts and bytes have a __str__ that no __repr__ replaces
    if (inner.kind == K_STR || inner.kind == K_BYTES || inner.kind == K_BYTEARRAY)
        return one_deeper(vm, slot_str, inner, out, 0);
    if (op_user_method(vm, v, NAME_repr)) return text_of_answer(vm, ASK_STR, v, out);
    if (v.kind == K_INSTANCE && prints_by_class(unwrap(v))) return op_repr_nested(vm, v, out, 0);
    return one_deeper(vm, slot_str, unwrap(v), out, 0);
}

static Status text_value(Vm *vm, Status (*text)(Vm *, Value, Buf *), Value v, Value *out) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    Status st = text(vm, v, &buf);
    if (st == ST_OK) return str_buf_out(vm, &buf, out);
    buf_free(&buf);
    return st;
}

Status op_repr_value(Vm *vm, Value v, Value *out) {
    return text_value(vm, op_repr, v, out);
}

Status op_str_value(Vm *vm, Value v, Value *out) {
    if (v.kind == K_STR) {
        *out = retain(v);
        return ST_OK;
    }
    if (v.kind == K_INT) return int_small_text(vm, v.i, out);
    return text_value(vm, op_str, v, out);
}

// --- format(v, spec) ---------------------------------------------------------------------------

// Formats by a native __format__ of the value's kind, as NumPy scalars have. ST_NOTIMPL: it has none.
static Status native_format(Vm *vm, Value v, Str *spec, Buf *out) {
    Value method = dict_get_str(class_of(vm, v)->dict, vm_name(vm, NAME_format));
    if (method.kind != K_NATIVE) return ST_NOTIMPL;
    Value args[2] = {v, v_obj(spec)}, text;
    Status st = native_run(vm, method.native->def, args, &text);
    if (st != ST_OK) return st;
    st = op_str(vm, text, out);
    release(vm, text);
    return st;
}

static bool formats_itself(Value v) {
    return is_number(v) || v.kind == K_STR;
}

Status op_format(Vm *vm, Value v, Str *spec, Buf *out) {
    if (op_user_method(vm, v, NAME_format)) return ST_DEFER;
    Value x = unwrap(v);
    size_t start = out->len;
    Status st = ST_NOTIMPL;
    if (spec->len && formats_itself(x)) {
        st = format_value(vm, x, spec, out);
    } else if (x.kind != K_INSTANCE && !formats_itself(x)) {
        st = native_format(vm, x, spec, out);
    }
    if (st != ST_NOTIMPL) return finish(vm, out, start, st);
    if (spec->len == 0) return op_str(vm, v, out);
    return vm_raise(vm, EXC_TypeError, "unsupported format string passed to %s.__format__",
                    type_name(vm, v));
}
