// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays to and from other libraries by DLPack. An exported tensor may be returned by any thread, at any time, even
// after nacre_free. So it holds a storage, not a value, and returning it only adds it to a list, which the VM's thread
// empties. The last tensor that is returned after nacre_free frees the rest of the VM: its memory.

#include "vm/api/dlpack.h"

#include <string.h>

#include "vm/api/call.h"
#include "vm/api/sizes.h"
#include "vm/array/array.h"

struct Export {
    union {
        DLManagedTensor legacy;
        DLManagedTensorVersioned versioned;
    } managed; // first: the tensor's address is the export's
    NacreVm *handle;
    Storage *storage;       // owned
    Export *next;           // list of returned exports
    Export *before, *after; // list of live exports
    size_t size;            // bytes of this structure
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
    Vm *vm = &handle->vm;
    Storage *storage = export->storage;
    if (export->before)
        export->before->after = export->after;
    else
        handle->exports = export->after;
    if (export->after) export->after->before = export->before;
    if (!vm->engine && storage->refs == 1 && storage->buffer.device) sharing_free(vm, handle->left, storage);
    storage_release(vm, storage);
    mem_free(&vm->mem, export, export->size);
}

void api_take_back(NacreVm *handle) {
    Export *export = atomic_exchange(&handle->given_back, NULL);
    for (Export *next; export; export = next) {
        next = export->next;
        let_go(handle, export);
    }
}

// Returns an export to the VM; runs on any thread. Once the export is in the list, the VM owns it. Once the count is
// lowered, the VM may be destroyed.
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

// Prepares exports that outlive the VM. Memory on a device that was shared stays until it is released, together with
// the context that frees it. Other copies on devices are freed now; host memory stays.
void api_keep_exports(NacreVm *handle) {
    for (Export *export = handle->exports; export; export = export->after) {
        Storage *storage = export->storage;
        Buffer *buffer = &storage->buffer;
        if (!buffer->resident) continue;
        if (storage->home) handle->left = sharing_retire(&handle->vm, storage);
        else graph_of(&handle->vm)->hooks.drop(&handle->vm, buffer);
    }
}

// --- Handing out ---------------------------------------------------------------------------------

static Status not_lent(Vm *vm, const char *why) {
    return vm_raise(vm, EXC_BufferError, "%s", why);
}

static DLTensor tensor_of(const View *view, int32_t device, char *base, int64_t *dims) {
    int64_t size = (int64_t)dtype_size(view->dtype);
    for (int d = 0; d < view->ndim; d++) {
        dims[d] = view->shape[d];
        dims[view->ndim + d] = view->strides[d] / size;
    }
    return (DLTensor){.data = base + view->offset,
                      .device = {device, 0},
                      .ndim = view->ndim,
                      .dtype = data_type(view->dtype),
                      .shape = dims,
                      .strides = dims + view->ndim};
}

// Lends an array's host memory, and returns the address of its storage's first byte; NULL: an exception is set.
static char *lend_on_host(Vm *vm, Array *array) {
    Storage *storage = array->storage;
    char *base = array->readonly ? (char *)(uintptr_t)graph_read(vm, storage) : graph_write(vm, storage);
    if (base) storage_lend(storage);
    return base;
}

static char *lend_on_device(Vm *vm, Array *array, int64_t stream) {
    Status st = sharing_lend(vm, array->storage, !array->readonly);
    if (st == ST_OK && stream >= 0) st = sharing_order(vm, stream);
    return st == ST_OK ? array->storage->buffer.device : NULL;
}

static Status lend(NacreVm *handle, Array *array, const NacreDlpack *asked, bool there, uint64_t flags, Export **out) {
    Vm *vm = &handle->vm;
    View view;
    array_view(array, &view);
    size_t size = sizeof(Export) + 2 * (size_t)view.ndim * sizeof(int64_t);
    char *base = there ? lend_on_device(vm, array, asked->stream) : lend_on_host(vm, array);
    if (!base) return ST_ERROR;
    Export *export = mem_zalloc(&vm->mem, size);
    if (!export) return vm_no_memory(vm);
    export->handle = handle;
    export->size = size;
    export->storage = storage_retain(view.storage);
    export->after = handle->exports;
    if (export->after) export->after->before = export;
    handle->exports = export;
    DLTensor tensor = tensor_of(&view, there ? sharing_type(vm) : DL_CPU, base, export->dims);
    if (asked->versioned)
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

// Returns whether an object of the script owns the memory, which then cannot outlive the VM.
static bool is_foreign(const Storage *storage) {
    return storage->owner && !api_is_lent(storage) && !storage_is_lent(storage);
}

static Status lend_copy(NacreVm *handle, Value array, const NacreDlpack *asked, bool there, Export **out) {
    Value copy;
    if (asked->copy < 0) return not_lent(&handle->vm, "Unable to avoid copying: its memory cannot be shared so.");
    Status st = array_copy(&handle->vm, array, array.array->dtype, &copy);
    if (st != ST_OK) return st;
    copy.array->readonly = array.array->readonly && asked->copy == 0;
    st = lend(handle, copy.array, asked, there, DL_IS_COPIED, out);
    release(&handle->vm, copy);
    return st;
}

static Status hand_out(NacreVm *handle, Value value, const NacreDlpack *asked, Export **out) {
    Vm *vm = &handle->vm;
    bool there = false;
    if (value.kind != K_ARRAY)
        return vm_raise(vm, EXC_TypeError, "expected an array, got '%s' object",
                        type_name(vm, value));
    Array *array = value.array;
    if (array->readonly && !asked->versioned && asked->copy <= 0)
        return not_lent(vm,
                        "Cannot export readonly array since signalling readonly is unsupported by "
                        "this version of DLPack");
    if (!strides_are_whole(array))
        return not_lent(vm, "DLPack only supports strides which are a multiple of itemsize.");
    if (sharing_find(vm, array->storage, &there) != ST_OK) return ST_ERROR;
    const bool leaves = there && asked->on_host, stays = there && !leaves;
    const bool copies = leaves || asked->copy > 0 || is_foreign(array->storage);
    return copies ? lend_copy(handle, value, asked, stays, out) : lend(handle, array, asked, stays, 0, out);
}

NacreStatus nacre_dlpack(NacreVm *handle, NacreValue *array, const NacreDlpack *given, void **tensor) {
    NacreDlpack asked;
    if (!api_is_open(handle) || !api_is_held(handle, array) || !API_TAKE(&asked, FIRST_DLPACK, given) || !tensor)
        return NACRE_MISUSE;
    Export *export = NULL;
    api_begin(handle);
    Status st = hand_out(handle, array->value, &asked, &export);
    if (st == ST_OK) *tensor = export;
    return api_end(handle, st, V_UNDEF, NULL);
}

NacreStatus nacre_to_dlpack(NacreVm *handle, NacreValue *array, int versioned, void **tensor) {
    const NacreDlpack asked = {.struct_size = sizeof asked, .versioned = versioned};
    return nacre_dlpack(handle, array, &asked, tensor);
}

NacreStatus nacre_dlpack_device(NacreVm *handle, NacreValue *array, int *type, int *number) {
    if (!api_is_open(handle) || !api_is_held(handle, array) || !type || !number) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    bool there = false;
    api_begin(handle);
    Status st = array->value.kind == K_ARRAY ? sharing_find(vm, array->value.array->storage, &there)
                                             : vm_raise(vm, EXC_TypeError, "expected an array");
    if (st == ST_OK) *type = there ? sharing_type(vm) : DL_CPU, *number = 0;
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

static Status check_device(Vm *vm, DLDevice device, bool *on_device) {
    int32_t type = device.device_type == DL_CUDA_MANAGED ? DL_CUDA : device.device_type;
    *on_device = type != DL_CPU && type != DL_CUDA_HOST;
    if (!*on_device || (type == sharing_type(vm) && device.device_id == 0)) return ST_OK;
    if (type == sharing_type(vm))
        return vm_raise(vm, EXC_BufferError, "Unsupported device in DLTensor (number %d): the program's is number 0; copy "
                        "the elements there, or to the host, before", (int)device.device_id);
    return vm_raise(vm, EXC_BufferError, "Unsupported device in DLTensor (type %d): %s", (int)device.device_type,
                    type == DL_CUDA ? "the program has no CUDA device; open it before (backend \"cuda\", "
                                      "nacre.device('cuda')), or copy the elements to the host"
                                    : "copy the elements to the host before");
}

static Status check(Vm *vm, const DLTensor *tensor, bool *on_device) {
    if (check_device(vm, tensor->device, on_device) != ST_OK) return ST_ERROR;
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

// Converts strides to bytes. If those of a dimension with at most one element overflow, they are replaced.
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
    bool on_device = false;
    api_begin(handle);
    Status st = ST_OK;
    if (versioned && later->version.major > DLPACK_MAJOR)
        st = vm_raise(vm, EXC_BufferError, "Unsupported DLPack version %u.%u", later->version.major,
                      later->version.minor);
    if (st == ST_OK) st = check(vm, tensor, &on_device);
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
    return api_wrap(handle, &memory, on_device, out);
}
