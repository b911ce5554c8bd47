// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Changes an array's shape or size in place.

#include <string.h>

#include "vm/array/methods.h"
#include "vm/value/ops.h"

// Provides space for the extents and strides of `ndim` dimensions: in the object if they fit, otherwise allocated.
static Status make_place(Vm *vm, Array *array, int ndim) {
    size_t bytes = 2 * (size_t)ndim * sizeof(int64_t);
    int64_t *place = array->own;
    if (ndim > array->own_ndim && !(place = mem_alloc(&vm->mem, bytes))) return vm_no_memory(vm);
    array_free_dims(vm, array);
    array->dims = place;
    array->ndim = ndim;
    return ST_OK;
}

void array_free_dims(Vm *vm, Array *array) {
    if (array->dims == array->own) return;
    mem_free(&vm->mem, array->dims, 2 * (size_t)array->ndim * sizeof(int64_t));
    array->dims = array->own;
    array->ndim = 0;
}

static Status take_dims(Vm *vm, Array *array, Array *from) {
    Status st = make_place(vm, array, from->ndim);
    if (st == ST_OK) memcpy(array->dims, from->dims, 2 * (size_t)from->ndim * sizeof(int64_t));
    return st;
}

Status array_set_shape(Vm *vm, Value self, Value value) {
    int64_t shape[NDIM_MAX];
    int ndim;
    Value other;
    Status st = shape_from(vm, value, shape, &ndim);
    if (st == ST_OK) st = array_reshape(vm, self, shape, ndim, &other);
    if (st != ST_OK) return st;
    if (other.array->storage != self.array->storage)
        st = vm_raise(vm, EXC_AttributeError, "Incompatible shape for in-place modification. Use "
                      "`.reshape()` to make a copy with the desired shape.");
    else st = take_dims(vm, self.array, other.array);
    release(vm, other);
    return st;
}

// --- resize ------------------------------------------------------------------------------------

static Status check_resize(Vm *vm, Array *array, bool refcheck) {
    if (!array_is_in_order(array, ORDER_A))
        return vm_raise(vm, EXC_ValueError, "resize only works on single-segment arrays");
    if (array->base.kind != K_UNDEF)
        return vm_raise(vm, EXC_ValueError, "cannot resize this array: it does not own its data");
    if (!refcheck || array->storage->refs - array->storage->held == 1) return ST_OK;
    return vm_raise(vm, EXC_ValueError, "cannot resize an array that references or is referenced\n"
                    "by another object in this way.\nUse the np.resize function to get a new resized copy or\n"
                    " set refcheck=False to disable this check");
}

// Copies the first elements, in memory order.
static Status copy_first(Vm *vm, Array *from, Array *to, int64_t count) {
    View view = {.storage = from->storage, .offset = from->offset, .dtype = from->dtype, .ndim = 1,
                 .shape = {count}, .strides = {(int64_t)dtype_size(from->dtype)}};
    View target = view;
    Value some;
    target.storage = to->storage;
    target.offset = 0;
    Status st = array_of_view(vm, &view, V_UNDEF, &some);
    if (st != ST_OK) return st;
    st = array_assign(vm, &target, some);
    release(vm, some);
    return st;
}

static Status resize(Vm *vm, Array *array, const int64_t *shape, int ndim) {
    Value made;
    int64_t size = array_size(array), wanted;
    int axes[NDIM_MAX];
    axes_straight(ndim, !array_is_in_order(array, ORDER_C), axes);
    Status st = array_new_arranged(vm, array->dtype, ndim, shape, axes, ROOM_ZEROED, &made);
    if (st != ST_OK) return st;
    wanted = array_size(made.array);
    if (size > 0 && wanted > 0)
        st = copy_first(vm, array, made.array, size < wanted ? size : wanted);
    if (st == ST_OK) st = take_dims(vm, array, made.array);
    if (st == ST_OK) {
        storage_release(vm, array->storage);
        array->storage = storage_retain(made.array->storage);
        array->offset = 0;
    }
    release(vm, made);
    return st;
}

Status array_m_resize(Vm *vm, const Value *args, Value *out) { // self, refcheck, *shape
    int64_t shape[NDIM_MAX];
    int ndim;
    bool refcheck;
    size_t bytes;
    const Tuple *given = args[2].tuple;
    Array *array = args[0].array;
    *out = V_NONE;
    Value wanted = given->len == 1 ? given->items[0] : args[2];
    if (given->len == 0 || wanted.kind == K_NONE) return ST_OK;
    Status st = op_truth(vm, args[1], &refcheck);
    if (st == ST_OK) st = shape_from(vm, wanted, shape, &ndim);
    for (int d = 0; st == ST_OK && d < ndim; d++)
        if (shape[d] < 0) st = vm_raise(vm, EXC_ValueError, "negative dimensions not allowed");
    if (st == ST_OK && array->storage->owner)
        st = vm_raise(vm, EXC_ValueError, "cannot resize this array: it does not own its data");
    if (st != ST_OK) return st;
    View same = {.dtype = array->dtype, .ndim = ndim};
    memcpy(same.shape, shape, (size_t)ndim * sizeof *shape);
    if (!view_byte_count(&same, &bytes)) return vm_no_memory(vm);
    if (view_size(&same) == array_size(array)) return array_set_shape(vm, args[0], wanted);
    st = check_resize(vm, array, refcheck);
    return st == ST_OK ? resize(vm, array, shape, ndim) : st;
}
