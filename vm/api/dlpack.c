// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays to and from other libraries by DLPack. A tensor that was handed out may be given back by any
// thread, at any time, even after nacre_free: what it holds is a storage, not a value, and whoever gives it
// back only puts it into a list, which the VM's thread empties. The last one after nacre_free takes down
// what is left of the VM, its memory.

#include "vm/api/dlpack.h"

#include <string.h>

#include "vm/api/call.h"
#include "vm/array/array.h"

struct Export {
    union {
        DLManagedTensor legacy;
        DLManagedTensorVersioned versioned;
    } managed; // first: the tensor's address is the export's
    NacreVm *handle;
    Storage *storage;       // owned
    Export *next;           // of those given back
    Export *before, *after; // of those handed out
    size_t size;            // of this
    int64_t dims[];         // shape, then strides
};

// --- Types ---------------------------------------------------------------------------------------

static DLDataType data_type(DType dtype) {
    static const uint8_t codes[DK_COUNT] = {[DK_BOOL] = DL_BOOL,
                                            [DK_INT] = DL_INT,
                                            [DK_UINT] = DL_UINT,
                                            [DK_FLOAT] = DL_FLOAT,
                                            [DK_COMPLEX] = DL_COMPLEX};
    return (DLDataType){codes[dtype_kind(dtype)], (uint8_t)(8 * dtype_size(dtype)), 1};
}

static DType dtype_of(DLDataType type) {
    for (int t = 0; t < DT_COUNT; t++) {
        DLDataType own = data_type((DType)t);
        if (own.code == type.code && own.bits == type.bits && own.lanes == type.lanes)
            return (DType)t;
    }
    return DT_NONE;
}

// --- Giving back ---------------------------------------------------------------------------------

static void let_go(NacreVm *handle, Export *export) {
    if (export->before)
        export->before->after = export->after;
    else
        handle->exports = export->after;
    if (export->after) export->after->before = export->before;
    storage_release(&handle->vm, export->storage);
    mem_free(&handle->vm.mem, export, export->size);
}

void api_take_back(NacreVm *handle) {
    Export *export = atomic_exchange(&handle->given_back, NULL);
    for (Export *next; export; export = next) {
        next = export->next;
        let_go(handle, export);
    }
}

// Of any thread. After the list has it, the export is the VM's; after the count, so is the VM.
static void give_back(Export *export) {
    NacreVm *handle = export->handle;
    export->next = atomic_load(&handle->given_back);
    while (!atomic_compare_exchange_weak(&handle->given_back, &export->next, export)) {
    }
    if (atomic_fetch_sub(&handle->users, 1) == 1) api_free_rest(handle);
}

static void delete_legacy(DLManagedTensor *self) {
    if (self) give_back((Export *)self);
}

static void delete_versioned(DLManagedTensorVersioned *self) {
    if (self) give_back((Export *)self);
}

// Copies of exported arrays on devices go with the engine; the elements stay.
void api_keep_exports(NacreVm *handle) {
    for (Export *export = handle->exports; export; export = export->after) {
        Buffer *buffer = &export->storage->buffer;
        if (buffer->device) graph_of(&handle->vm)->hooks.drop(&handle->vm, buffer);
    }
}

// --- Handing out ---------------------------------------------------------------------------------

static Status not_lent(Vm *vm, const char *why) {
    return vm_raise(vm, EXC_BufferError, "%s", why);
}

static DLTensor tensor_of(const View *view, char *base, int64_t *dims) {
    int64_t size = (int64_t)dtype_size(view->dtype);
    for (int d = 0; d < view->ndim; d++) {
        dims[d] = view->shape[d];
        dims[view->ndim + d] = view->strides[d] / size;
    }
    return (DLTensor){.data = base + view->offset,
                      .device = {DL_CPU, 0},
                      .ndim = view->ndim,
                      .dtype = data_type(view->dtype),
                      .shape = dims,
                      .strides = dims + view->ndim};
}

static Status lend(NacreVm *handle, Array *array, bool versioned, uint64_t flags, Export **out) {
    Vm *vm = &handle->vm;
    View view;
    array_view(array, &view);
    size_t size = sizeof(Export) + 2 * (size_t)view.ndim * sizeof(int64_t);
    char *base = array->readonly ? (char *)(uintptr_t)graph_read(vm, view.storage)
                                 : graph_write(vm, view.storage);
    if (!base) return ST_ERROR;
    Export *export = mem_zalloc(&vm->mem, size);
    if (!export) return vm_no_memory(vm);
    export->handle = handle;
    export->size = size;
    export->storage = storage_retain(view.storage);
    storage_lend(view.storage);
    export->after = handle->exports;
    if (export->after) export->after->before = export;
    handle->exports = export;
    DLTensor tensor = tensor_of(&view, base, export->dims);
    if (versioned)
        export->managed.versioned =
            (DLManagedTensorVersioned){.version = {DLPACK_MAJOR, DLPACK_MINOR},
                                       .deleter = delete_versioned,
                                       .flags = flags | (array->readonly ? DL_READ_ONLY : 0),
                                       .dl_tensor = tensor};
    else
        export->managed.legacy = (DLManagedTensor){.deleter = delete_legacy, .dl_tensor = tensor};
    atomic_fetch_add(&handle->users, 1);
    *out = export;
    return ST_OK;
}

static bool strides_are_whole(Array *array) {
    for (int d = 0; d < array->ndim; d++)
        if (array_strides(array)[d] % (int64_t)dtype_size(array->dtype)) return false;
    return true;
}

static Status hand_out(NacreVm *handle, Value value, bool versioned, Export **out) {
    Vm *vm = &handle->vm;
    if (value.kind != K_ARRAY)
        return vm_raise(vm, EXC_TypeError, "expected an array, got '%s' object",
                        type_name(vm, value));
    Array *array = value.array;
    if (array->readonly && !versioned)
        return not_lent(vm,
                        "Cannot export readonly array since signalling readonly is unsupported by "
                        "this version of DLPack");
    if (!strides_are_whole(array))
        return not_lent(vm, "DLPack only supports strides which are a multiple of itemsize.");
    // What belongs to objects of the script cannot outlive the VM.
    bool foreign =
        array->storage->owner && !api_is_lent(array->storage) && !storage_is_lent(array->storage);
    if (!foreign) return lend(handle, array, versioned, 0, out);
    Value copy;
    Status st = array_copy(vm, value, array->dtype, &copy);
    if (st != ST_OK) return st;
    copy.array->readonly = array->readonly;
    st = lend(handle, copy.array, versioned, DL_IS_COPIED, out);
    release(vm, copy);
    return st;
}

NacreStatus nacre_to_dlpack(NacreVm *handle, NacreValue *array, int versioned, void **tensor) {
    if (!api_is_open(handle) || !api_is_held(handle, array) || !tensor) return NACRE_MISUSE;
    Export *export = NULL;
    api_begin(handle);
    Status st = hand_out(handle, array->value, versioned, &export);
    if (st == ST_OK) *tensor = export;
    return api_end(handle, st, V_UNDEF, NULL);
}

// --- Taking in -----------------------------------------------------------------------------------

static void delete_taken(void *ctx, void *data) {
    DLManagedTensor *tensor = ctx;
    (void)data;
    if (tensor->deleter) tensor->deleter(tensor);
}

static void delete_taken_versioned(void *ctx, void *data) {
    DLManagedTensorVersioned *tensor = ctx;
    (void)data;
    if (tensor->deleter) tensor->deleter(tensor);
}

static Status check(Vm *vm, const DLTensor *tensor) {
    int32_t device = tensor->device.device_type;
    if (device != DL_CPU && device != DL_CUDA_HOST)
        return vm_raise(vm, EXC_BufferError, "Unsupported device in DLTensor (type %d)",
                        (int)device);
    if (tensor->ndim < 0 || tensor->ndim > NDIM_MAX)
        return vm_raise(vm, EXC_RuntimeError,
                        "maxdims of DLPack tensor is higher than the supported maxdims.");
    if (tensor->dtype.lanes != 1)
        return vm_raise(vm, EXC_RuntimeError, "Unsupported lanes in DLTensor dtype.");
    if (dtype_of(tensor->dtype) == DT_NONE)
        return vm_raise(vm, EXC_RuntimeError, "Unsupported dtype in DLTensor.");
    if (tensor->ndim > 0 && !tensor->shape)
        return vm_raise(vm, EXC_ValueError, "a DLTensor without shape");
    return ST_OK;
}

// Strides in bytes; a dimension that has none or one element has any.
static Status byte_strides(Vm *vm, const DLTensor *tensor, int64_t size, int64_t *strides) {
    for (int d = 0; d < tensor->ndim; d++)
        if (__builtin_mul_overflow(tensor->strides[d], size, &strides[d])) {
            if (tensor->shape[d] > 1)
                return vm_raise(vm, EXC_ValueError, "strides lead beyond what can be addressed");
            strides[d] = size;
        }
    return ST_OK;
}

NacreStatus nacre_from_dlpack(NacreVm *handle, void *given, int versioned, NacreValue **out) {
    if (!api_is_open(handle) || !given || !out) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    DLManagedTensorVersioned *later = given;
    const DLTensor *tensor = versioned ? &later->dl_tensor : &((DLManagedTensor *)given)->dl_tensor;
    int64_t strides[NDIM_MAX];
    api_begin(handle);
    Status st = ST_OK;
    if (versioned && later->version.major > DLPACK_MAJOR)
        st = vm_raise(vm, EXC_BufferError, "Unsupported DLPack version %u.%u", later->version.major,
                      later->version.minor);
    if (st == ST_OK) st = check(vm, tensor);
    if (st == ST_OK && tensor->strides)
        st = byte_strides(vm, tensor, (int64_t)dtype_size(dtype_of(tensor->dtype)), strides);
    if (st != ST_OK) {
        (versioned ? delete_taken_versioned : delete_taken)(given, NULL);
        return api_end(handle, st, V_UNDEF, NULL);
    }
    const NacreMemory memory = {.struct_size = sizeof memory,
                                .data = tensor->data ? (char *)tensor->data + tensor->byte_offset
                                                     : NULL,
                                .dtype = dtype_info[dtype_of(tensor->dtype)].name,
                                .ndim = tensor->ndim,
                                .shape = tensor->shape,
                                .strides = tensor->strides ? strides : NULL,
                                .is_readonly = versioned && later->flags & DL_READ_ONLY,
                                .release = versioned ? delete_taken_versioned : delete_taken,
                                .ctx = given};
    api_end(handle, ST_OK, V_UNDEF, NULL);
    return nacre_wrap(handle, &memory, out);
}
