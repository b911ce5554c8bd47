// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Iterates over the elements of arrays of one shape in parallel, in C order: the steps of np.nditer, whose items are views
// of elements, and of np.broadcast, whose items are scalars. Classes of numpy hold a walk as `_walk` and have natives for
// methods. A native leaves what a plain walk (ArrayWalk.plain) does not cover to a method of the class.

#include "vm/array/walk.h"

#include "vm/value/class.h"
#include "vm/value/func.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

int64_t array_offset_of(Array *array, int64_t i) {
    const int64_t *shape = array_shape(array), *strides = array_strides(array);
    int64_t offset = array->offset;
    for (int d = array->ndim - 1; d > 0; d--) {
        offset += i % shape[d] * strides[d];
        i /= shape[d];
    }
    return array->ndim ? offset + i * strides[0] : offset;
}

// --- Items ---------------------------------------------------------------------------------------

// The number of elements in the item at hand, of a walk in chunks.
static int64_t chunk_at(const ArrayWalk *walk) {
    const int64_t left = walk->end - walk->at;
    return left < walk->chunk ? left : walk->chunk;
}

// A view of the item at hand in the place of one that was given out before, if nobody has that any more.
static bool view_again(const ArrayWalk *walk, Value made, Array *of) {
    Array *view = made.array;
    const int ndim = walk->chunk != 0;
    if (made.kind != K_ARRAY || view->gc.obj.refs != 1 || view->gc.obj.flags & OBJ_WEAK) return false;
    if (view->storage != of->storage || view->dtype != of->dtype || view->ndim != ndim || view->readonly != of->readonly)
        return false;
    if (ndim && (array_shape(view)[0] != chunk_at(walk) || array_strides(view)[0] != array_strides(of)[of->ndim - 1]))
        return false;
    view->offset = array_offset_of(of, walk->at);
    return true;
}

static Status view_of(Vm *vm, const ArrayWalk *walk, Value of, Value *out) {
    View view;
    view.storage = of.array->storage;
    view.offset = array_offset_of(of.array, walk->at);
    view.dtype = of.array->dtype;
    view.ndim = walk->chunk != 0;
    if (view.ndim) {
        view.shape[0] = chunk_at(walk);
        view.strides[0] = array_strides(of.array)[of.array->ndim - 1];
    }
    return array_of_view(vm, &view, of, out);
}

// Puts one array's item of the current step into *slot. Reuses the view that *slot holds if nothing else refers to it.
static Status put_item(Vm *vm, const ArrayWalk *walk, Value of, Value *slot) {
    Value item;
    if (!walk->elements && view_again(walk, *slot, of.array)) return ST_OK;
    Status st = walk->elements ? array_element_at(vm, of.array, walk->at, &item) : view_of(vm, walk, of, &item);
    if (st == ST_OK) replace(vm, slot, item);
    return st;
}

// Items are those given two steps ago, where these are free: a loop still holds the last one.
static Status item_of(Vm *vm, ArrayWalk *walk, Value *out) {
    const Tuple *views = walk->views.tuple;
    Value *made = &walk->made[walk->turn ^= 1];
    Status st = ST_OK;
    if (walk->several) {
        if (made->kind != K_TUPLE || made->obj->refs != 1) {
            Tuple *row = tuple_new(vm, views->len);
            if (!row) return vm_no_memory(vm);
            replace(vm, made, v_obj(row));
        }
        for (size_t i = 0; st == ST_OK && i < views->len; i++)
            st = put_item(vm, walk, views->items[i], &made->tuple->items[i]);
    } else {
        st = put_item(vm, walk, views->items[0], made);
    }
    if (st == ST_OK) *out = retain(v_load(made));
    return st;
}

// --- The walk as an object ------------------------------------------------------------------------

static ArrayWalk *walk_of(Value v) {
    return (ArrayWalk *)v.obj;
}

static bool is_walk(Value v) {
    return v.kind == K_FLATITER && v.obj->aux == FLAT_WALK;
}

void walk_visit(Obj *obj, Visitor *visitor) {
    const ArrayWalk *walk = (const ArrayWalk *)obj;
    visit_value(visitor, walk->flat.array);
    visit_value(visitor, walk->views);
    visit_value(visitor, walk->axes);
    visit_value(visitor, walk->made[0]);
    visit_value(visitor, walk->made[1]);
}

void walk_drop(Vm *vm, Obj *obj) {
    ArrayWalk *walk = (ArrayWalk *)obj;
    walk->plain = false;
    walk->end = 0;
    clear(vm, &walk->flat.array);
    clear(vm, &walk->views);
    clear(vm, &walk->axes);
    clear(vm, &walk->made[0]);
    clear(vm, &walk->made[1]);
}

static bool are_views(Value views, Value axes) {
    if (views.kind != K_TUPLE || axes.kind != K_TUPLE || views.tuple->len == 0) return false;
    for (size_t i = 0; i < views.tuple->len; i++) {
        const Value view = views.tuple->items[i], first = views.tuple->items[0];
        if (view.kind != K_ARRAY || view.array->ndim != first.array->ndim) return false;
        for (int d = 0; d < view.array->ndim; d++)
            if (array_shape(view.array)[d] != array_shape(first.array)[d]) return false;
    }
    const int64_t ndim = views.tuple->items[0].array->ndim;
    for (size_t i = 0; i < axes.tuple->len; i++) {
        const Value axis = axes.tuple->items[i];
        if (axis.kind != K_INT || axis.i < -ndim || axis.i >= ndim) return false;
    }
    return axes.tuple->len == 0 || (int64_t)axes.tuple->len == ndim;
}

// walk(views, axes, elements, several): `axes` says for each axis of the views which one of places it is, -1 - axis if it
// goes backwards. Another walk in the place of the views: a copy.
Status array_walk(Vm *vm, const Value *args, Value *out) {
    const bool copies = is_walk(args[0]);
    if (!copies && !are_views(args[0], args[1])) return vm_raise(vm, EXC_TypeError, "a walk is over arrays of one shape");
    ArrayWalk *walk = obj_new(vm, K_FLATITER, sizeof *walk);
    if (!walk) return vm_no_memory(vm);
    walk->flat.gc.obj.aux = FLAT_WALK;
    if (copies) {
        const ArrayWalk *from = walk_of(args[0]);
        walk->at = from->at, walk->end = from->end;
        walk->elements = from->elements, walk->several = from->several;
        walk->started = from->started, walk->plain = from->plain, walk->chunk = from->chunk;
    } else {
        walk->elements = args[2].i != 0;
        walk->several = args[3].i != 0;
    }
    walk->views = retain(copies ? walk_of(args[0])->views : args[0]);
    walk->axes = retain(copies ? walk_of(args[0])->axes : args[1]);
    walk->flat.array = retain(walk->views.tuple->items[0]);
    *out = v_obj(walk);
    return ST_OK;
}

// walk_at(walk): the element at hand, and whether it has been given.
Status array_walk_at(Vm *vm, const Value *args, Value *out) {
    if (!is_walk(args[0])) return vm_raise(vm, EXC_TypeError, "a walk is needed");
    const Value pair[2] = {v_int(walk_of(args[0])->at), v_bool(walk_of(args[0])->started)};
    return tuple_of(vm, pair, 2, out);
}

// Returns whether chunks begin where rows do, or the views are one row.
static bool fits_rows(const ArrayWalk *walk) {
    Array *view = walk->flat.array.array;
    if (walk->chunk == 0 || view->ndim == 1) return true;
    return view->ndim && array_shape(view)[view->ndim - 1] == walk->chunk && walk->at % walk->chunk == 0 &&
           walk->end % walk->chunk == 0;
}

// walk_go(walk, at, started, end, plain, chunk): moves the walk to element `at`, and sets the rest. Each is an int or a bool.
Status array_walk_go(Vm *vm, const Value *args, Value *out) {
    if (!is_walk(args[0])) return vm_raise(vm, EXC_TypeError, "a walk is needed");
    for (int i = 1; i < 6; i++)
        if (args[i].kind != K_INT && args[i].kind != K_BOOL) return vm_raise(vm, EXC_TypeError, "an int is needed");
    ArrayWalk *walk = walk_of(args[0]);
    const int64_t size = array_size(walk->flat.array.array);
    walk->at = args[1].i < 0 ? 0 : args[1].i;
    walk->started = args[2].i != 0;
    walk->end = args[3].i > size ? size : args[3].i;
    walk->chunk = args[5].i < 0 ? 0 : args[5].i;
    walk->plain = args[4].i != 0 && fits_rows(walk);
    *out = V_NONE;
    return ST_OK;
}

// --- Methods of classes that hold one --------------------------------------------------------------

// NULL: the walk is not plain, or not there.
static ArrayWalk *held(Vm *vm, Value self) {
    Value found;
    if (self.kind != K_INSTANCE || instance_get(vm, self.inst, vm_name(vm, NAME_walk), &found) != ST_OK) return NULL;
    const bool good = found.kind == K_FLATITER && found.obj->aux == FLAT_WALK && walk_of(found)->plain;
    release(vm, found); // the instance holds it
    return good ? walk_of(found) : NULL;
}

static Status by_method(Vm *vm, const Value *args, int count, NameId name) {
    Value method = args[0].kind == K_INSTANCE ? class_lookup(args[0].inst->cls, vm_name(vm, name)) : V_UNDEF;
    if (method.kind == K_UNDEF) return vm_raise(vm, EXC_TypeError, "this is no walk over arrays");
    return vm_tail(vm, method, args, count);
}

static Status walk_next(Vm *vm, const Value *args, Value *out) {
    ArrayWalk *walk = held(vm, args[0]);
    const int64_t step = !walk || !walk->started ? 0 : walk->chunk ? walk->chunk : 1;
    if (!walk || step >= walk->end - walk->at) return by_method(vm, args, 1, NAME_walk_next);
    walk->at += step;
    walk->started = true;
    return item_of(vm, walk, out);
}

static Status walk_step(Vm *vm, const Value *args, Value *out) {
    ArrayWalk *walk = held(vm, args[0]);
    const int64_t step = walk && walk->chunk ? walk->chunk : 1;
    if (!walk || step >= walk->end - walk->at) return by_method(vm, args, 1, NAME_walk_step);
    walk->at += step;
    *out = v_bool(true);
    return ST_OK;
}

static Status walk_item(Vm *vm, const Value *args, Value *out) {
    ArrayWalk *walk = held(vm, args[0]);
    const bool plain = walk && walk->at < walk->end && args[1].kind == K_INT && args[1].i >= 0 &&
                       (size_t)args[1].i < walk->views.tuple->len;
    if (!plain || walk->elements) return by_method(vm, args, 2, NAME_walk_item);
    return view_of(vm, walk, walk->views.tuple->items[args[1].i], out);
}

static Status walk_place(Vm *vm, const Value *args, Value *out) {
    ArrayWalk *walk = held(vm, args[0]);
    Array *view = walk ? walk->views.tuple->items[0].array : NULL;
    if (!view || walk->at >= walk->end || view->ndim == 0 || walk->axes.tuple->len != (size_t)view->ndim)
        return by_method(vm, args, 1, NAME_walk_place);
    Tuple *place = tuple_new(vm, (size_t)view->ndim);
    if (!place) return vm_no_memory(vm);
    for (int d = 0; d < view->ndim; d++) place->items[d] = v_int(0);
    int64_t rest = walk->at;
    for (int d = view->ndim - 1; d >= 0; d--) {
        const int64_t axis = walk->axes.tuple->items[d].i, extent = array_shape(view)[d];
        const int64_t i = d ? rest % extent : rest;
        if (d) rest /= extent;
        v_store(&place->items[axis < 0 ? -1 - axis : axis], v_int(axis < 0 ? extent - 1 - i : i));
    }
    *out = v_obj(place);
    return ST_OK;
}

const NativeDef array_walk_methods[] = {
    {"walk_next", "self, /", walk_next, NULL, PURE},
    {"walk_step", "self, /", walk_step, NULL, PURE},
    {"walk_item", "self, key, /", walk_item, NULL, PURE},
    {"walk_place", "self, /", walk_place, NULL, PURE},
    {0},
};
