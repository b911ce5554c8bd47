// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays of the script as the host accesses them, and memory of the host as arrays.

#include <string.h>

#include "vm/api/call.h"
#include "vm/api/sizes.h"
#include "vm/array/array.h"
#include "vm/sched/engine.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- What they are -------------------------------------------------------------------------------

static Status no_array(Vm *vm, Value value) {
    return vm_raise(vm, EXC_TypeError, "expected an array, got '%s' object", type_name(vm, value));
}

static void describe(NacreArray *info, DType dtype, int ndim, const int64_t *shape,
                     const int64_t *strides) {
    *info = (NacreArray){.dtype = dtype_info[dtype].name,
                         .kind = dtype_info[dtype].kind_letter,
                         .itemsize = dtype_size(dtype),
                         .ndim = ndim,
                         .shape = shape,
                         .strides = strides,
                         .size = 1,
                         .is_contiguous = 1};
    for (int d = 0; d < ndim; d++) info->size *= shape[d];
}

void api_describe(Array *array, NacreArray *info) {
    describe(info, array->dtype, array->ndim, array_shape(array), array_strides(array));
    info->is_writable = !array->readonly;
    info->is_contiguous = array_is_contiguous(array);
}

NacreStatus nacre_array_info(NacreVm *handle, NacreValue *value, NacreArray *info) {
    NacreArray found;
    if (!api_is_open(handle) || !api_is_held(handle, value) || !api_can_give(info, FIRST_ARRAY))
        return NACRE_MISUSE;
    Value v = value->value;
    if (v.kind == K_ARRAY) {
        api_describe(v.array, &found);
    } else if (is_numpy_scalar(v)) {
        describe(&found, scalar_dtype(v), 0, NULL, NULL);
    } else {
        api_begin(handle);
        return api_end(handle, no_array(&handle->vm, v), V_UNDEF, NULL);
    }
    API_GIVE(info, &found);
    return NACRE_OK;
}

// --- Making them ---------------------------------------------------------------------------------

Status api_dtype_named(Vm *vm, const char *name, DType *out) {
    bool swapped = false;
    *out = dtype_by_name(name, strlen(name), &swapped);
    if (*out == DT_NONE || swapped)
        return vm_raise(vm, EXC_TypeError, "data type '%.60s' not understood", name);
    return ST_OK;
}

Status api_check_shape(Vm *vm, int ndim, const int64_t *shape) {
    if (ndim < 0 || ndim > NDIM_MAX)
        return vm_raise(vm, EXC_ValueError,
                        "maximum supported dimension for an ndarray is %d, found %d", NDIM_MAX,
                        ndim);
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0)
            return vm_raise(vm, EXC_ValueError, "negative dimensions are not allowed");
    return ST_OK;
}

NacreStatus nacre_array(NacreVm *handle, const char *dtype, int ndim, const int64_t *shape,
                        NacreValue **out) {
    if (!api_is_open(handle) || !dtype || (ndim > 0 && !shape) || !out) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Value array = V_UNDEF;
    DType type;
    api_begin(handle);
    Status st = api_dtype_named(vm, dtype, &type);
    if (st == ST_OK) st = api_check_shape(vm, ndim, shape);
    const int64_t none = 0; // shape of an array without dimensions
    if (st == ST_OK) st = array_new(vm, type, ndim, ndim ? shape : &none, ROOM_ZEROED, &array);
    return api_end(handle, st, array, out);
}

NacreStatus nacre_as_array(NacreVm *handle, NacreValue *value, const char *dtype,
                           NacreValue **out) {
    if (!api_is_open(handle) || !api_is_held(handle, value) || !out) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Value args[2] = {value->value, V_NONE}, result = V_UNDEF;
    DType type;
    api_begin(handle);
    Status st = dtype ? api_dtype_named(vm, dtype, &type) : ST_OK;
    if (st == ST_OK && dtype) st = dtype_out(vm, type, &args[1]);
    if (st == ST_OK) st = api_call_of(vm, "numpy", "asarray", args, 2, &result);
    release(vm, args[1]);
    return api_end(handle, st, result, out);
}

// --- Memory of the host --------------------------------------------------------------------------

typedef struct Lent {
    void (*release)(void *ctx, void *data);
    void *ctx, *data;
} Lent;

static void give_back(Vm *vm, void *owner) {
    Lent *lent = owner;
    if (lent->release) lent->release(lent->ctx, lent->data);
    mem_free(&vm->mem, lent, sizeof *lent);
}

bool api_is_lent(const Storage *storage) {
    return storage->owner && storage->give_back == give_back;
}

// Describes memory of the host as a view without storage.
static Status view_of(Vm *vm, const NacreMemory *memory, View *view) {
    *view = (View){.ndim = memory->ndim};
    Status st = api_dtype_named(vm, memory->dtype, &view->dtype);
    if (st == ST_OK) st = api_check_shape(vm, memory->ndim, memory->shape);
    if (st != ST_OK) return st;
    for (int d = 0; d < view->ndim; d++) view->shape[d] = memory->shape[d];
    st = view_check_size(vm, view);
    if (st != ST_OK) return st;
    if (memory->strides)
        memcpy(view->strides, memory->strides, (size_t)view->ndim * sizeof(int64_t));
    else
        view_fill_strides(view);
    return ST_OK;
}

// Requires elements that are aligned as in C, since the processor may not be able to read others.
static Status check_alignment(Vm *vm, const NacreMemory *memory, const View *view) {
    size_t part = dtype_size(dtype_real(view->dtype));
    bool aligned = (uintptr_t)memory->data % part == 0;
    for (int d = 0; d < view->ndim; d++)
        aligned &= view->shape[d] < 2 || view->strides[d] % (int64_t)part == 0;
    return aligned ? ST_OK
                   : vm_raise(vm, EXC_ValueError, "memory is not aligned for elements of %s",
                              dtype_info[view->dtype].name);
}

// Computes the bytes that elements occupy, from *low to before *high, relative to the first element. False: they exceed
// the address range.
static bool reach(const View *view, int64_t *low, int64_t *high) {
    *low = 0;
    *high = (int64_t)dtype_size(view->dtype);
    for (int d = 0; d < view->ndim; d++) {
        int64_t step;
        if (view->shape[d] == 0) {
            *low = 0;
            *high = 1;
            return true;
        }
        if (__builtin_mul_overflow(view->shape[d] - 1, view->strides[d], &step)) return false;
        int64_t *end = step < 0 ? low : high;
        if (__builtin_add_overflow(*end, step, end)) return false;
    }
    return true;
}

static Status wrap(Vm *vm, const NacreMemory *memory, bool on_device, Lent *lent, Value *out) {
    View view;
    int64_t low, high;
    static const char nothing[16];
    Status st = view_of(vm, memory, &view);
    if (st == ST_OK) st = check_alignment(vm, memory, &view);
    if (st != ST_OK) return st;
    if (!reach(&view, &low, &high))
        return vm_raise(vm, EXC_ValueError, "strides lead beyond what can be addressed");
    if (!memory->data && view_size(&view) > 0)
        return vm_raise(vm, EXC_ValueError, "there is no memory");
    char *first = memory->data ? memory->data : (char *)(uintptr_t)nothing;
    on_device = on_device && view_size(&view) > 0;
    view.storage = on_device ? sharing_adopt(vm, first + low, (size_t)(high - low), lent, give_back)
                             : storage_over(vm, first + low, (size_t)(high - low), lent, give_back);
    if (!view.storage) return vm_no_memory(vm);
    view.offset = -low;
    if (view_size(&view) > 0 && !on_device && engine_checks(vm)) view.storage->doubted |= DOUBT_BORROWED;
    st = array_of_view(vm, &view, V_UNDEF, out);
    // From here on, releasing the storage returns the memory to the host.
    if (st != ST_OK) view.storage->owner = NULL;
    storage_release(vm, view.storage);
    if (st == ST_OK) out->array->readonly = memory->is_readonly != 0;
    return st;
}

NacreStatus nacre_wrap(NacreVm *handle, const NacreMemory *given, NacreValue **out) {
    NacreMemory memory;
    if (!api_is_open(handle) || !API_TAKE(&memory, FIRST_MEMORY, given) || !memory.dtype ||
        (memory.ndim > 0 && !memory.shape) || !out)
        return NACRE_MISUSE;
    return api_wrap(handle, &memory, false, out);
}

NacreStatus api_wrap(NacreVm *handle, const NacreMemory *memory, bool on_device, NacreValue **out) {
    Vm *vm = &handle->vm;
    Value array = V_UNDEF;
    api_begin(handle);
    Lent *lent = mem_alloc(&vm->mem, sizeof *lent);
    Status st = vm_check(vm, lent);
    if (st == ST_OK) {
        *lent = (Lent){memory->release, memory->ctx, memory->data};
        st = wrap(vm, memory, on_device, lent, &array);
        if (st != ST_OK) mem_free(&vm->mem, lent, sizeof *lent);
    }
    if (st != ST_OK && memory->release) memory->release(memory->ctx, memory->data);
    return api_end(handle, st, array, out);
}

// --- Elements ------------------------------------------------------------------------------------

// Computes the address of the elements; not NULL even if there are none, as NULL reports an exception.
static Status address(Vm *vm, Value value, bool for_writing, void **data) {
    if (value.kind != K_ARRAY) return no_array(vm, value);
    Status st = for_writing ? array_check_writeable(vm, value.array, "array") : ST_OK;
    if (st != ST_OK) return st;
    char *at =
        for_writing ? array_write(vm, value.array) : (char *)(uintptr_t)array_read(vm, value.array);
    if (!at) return ST_ERROR;
    *data = at;
    return ST_OK;
}

NacreStatus nacre_read(NacreVm *handle, NacreValue *array, const void **data) {
    if (!api_is_open(handle) || !api_is_held(handle, array) || !data) return NACRE_MISUSE;
    void *at = NULL;
    api_begin(handle);
    Status st = address(&handle->vm, array->value, false, &at);
    if (st == ST_OK) *data = at;
    return api_end(handle, st, V_UNDEF, NULL);
}

NacreStatus nacre_write(NacreVm *handle, NacreValue *array, void **data) {
    if (!api_is_open(handle) || !api_is_held(handle, array) || !data) return NACRE_MISUSE;
    Status st = ST_OK;
    api_begin(handle);
    if (array->value.kind == K_ARRAY && array->value.array->storage->home)
        st = vm_raise(&handle->vm, EXC_BufferError, "the array's memory is a device's, and others see it there");
    if (st == ST_OK) st = address(&handle->vm, array->value, true, data);
    return api_end(handle, st, V_UNDEF, NULL);
}

static Status check_bytes(Vm *vm, Value value, size_t bytes) {
    if (value.kind != K_ARRAY) return no_array(vm, value);
    size_t needed = (size_t)array_size(value.array) * dtype_size(value.array->dtype);
    return needed == bytes ? ST_OK
                           : vm_raise(vm, EXC_ValueError,
                                      "the array's elements are %zu bytes, not %zu", needed, bytes);
}

static Status copy_out(Vm *vm, Value array, void *to, size_t bytes) {
    Value plain;
    void *from = NULL;
    Status st = check_bytes(vm, array, bytes);
    if (st == ST_OK) st = array_contiguous(vm, array, &plain);
    if (st != ST_OK) return st;
    st = address(vm, plain, false, &from);
    if (st == ST_OK && bytes) memcpy(to, from, bytes);
    release(vm, plain);
    return st;
}

NacreStatus nacre_copy_to(NacreVm *handle, NacreValue *array, void *data, size_t bytes) {
    if (!api_is_open(handle) || !api_is_held(handle, array) || (!data && bytes))
        return NACRE_MISUSE;
    api_begin(handle);
    return api_end(handle, copy_out(&handle->vm, array->value, data, bytes), V_UNDEF, NULL);
}

// Copies memory of the host into an array, through a contiguous array of the same shape if the strides need it.
static Status copy_in(Vm *vm, Value array, const void *from, size_t bytes) {
    Value copy;
    void *to = NULL;
    View view;
    Status st = check_bytes(vm, array, bytes);
    if (st == ST_OK) st = array_check_writeable(vm, array.array, "array");
    if (st != ST_OK) return st;
    Array *a = array.array;
    if (array_is_contiguous(a)) {
        st = address(vm, array, true, &to);
        if (st == ST_OK && bytes) memcpy(to, from, bytes);
        return st;
    }
    st = array_new(vm, a->dtype, a->ndim, array_shape(a), ROOM_HOST, &copy);
    if (st != ST_OK) return st;
    st = address(vm, copy, true, &to);
    if (st == ST_OK) {
        memcpy(to, from, bytes);
        array_view(a, &view);
        st = array_assign(vm, &view, copy);
    }
    release(vm, copy);
    return st;
}

NacreStatus nacre_copy_from(NacreVm *handle, NacreValue *array, const void *data, size_t bytes) {
    if (!api_is_open(handle) || !api_is_held(handle, array) || (!data && bytes))
        return NACRE_MISUSE;
    api_begin(handle);
    return api_end(handle, copy_in(&handle->vm, array->value, data, bytes), V_UNDEF, NULL);
}

// --- Operations ----------------------------------------------------------------------------------

NacreStatus nacre_apply(NacreVm *handle, const char *name, size_t count,
                        NacreValue *const *operands, NacreValue **out) {
    if (!api_is_open(handle) || !name || !api_are_held(handle, count, operands) || !out)
        return NACRE_MISUSE;
    Value own = api_operation(handle, name);
    if (own.kind != K_UNDEF) {
        NacreValue function = {.value = own, .vm = handle};
        return nacre_call(handle, &function, count, operands, out);
    }
    NacreValue *module = NULL;
    NacreStatus status = nacre_import(handle, "numpy", &module);
    if (status == NACRE_OK) status = nacre_call_method(handle, module, name, count, operands, out);
    nacre_release(handle, module);
    return status;
}

static Status compute(Vm *vm, size_t count, NacreValue *const *arrays) {
    if (count == 0) return engine_observe_all(vm);
    Storage **storages = mem_alloc(&vm->mem, count * sizeof *storages);
    if (!storages) return vm_no_memory(vm);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (arrays[i]->value.kind == K_ARRAY) storages[found++] = arrays[i]->value.array->storage;
    Status st = engine_observe(vm, storages, found);
    mem_free(&vm->mem, storages, count * sizeof *storages);
    return st;
}

NacreStatus nacre_defer(NacreVm *handle, NacreValue *array, int defer) {
    if (!api_is_alive(handle) || !api_is_held(handle, array)) return NACRE_MISUSE;
    if (array->value.kind == K_ARRAY) storage_defer(array->value.array->storage, defer != 0);
    return NACRE_OK;
}

NacreStatus nacre_compute(NacreVm *handle, size_t count, NacreValue *const *arrays) {
    if (!api_is_open(handle) || !api_are_held(handle, count, arrays)) return NACRE_MISUSE;
    api_begin(handle);
    return api_end(handle, compute(&handle->vm, count, arrays), V_UNDEF, NULL);
}
