// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations of the host: registering them, recording nodes, running their functions.

#include <string.h>

#include "vm/api/api.h"
#include "vm/api/sizes.h"
#include "vm/array/array.h"
#include "vm/kernel/host_op.h"

typedef struct Operation {
    HostOp op; // first, so that backends get &operation->op
    struct Operation *next;
    NacreVm *handle;
    DType dtype; // DT_NONE: operands keep their types
    bool contiguous;
    NacreStatus (*infer)(void *ctx, NacreVm *vm, const NacreArray *operands, NacreResult *result);
    NacreOperationFn run[HOST_WAYS];
    void *ctx;
    void (*drop)(void *ctx);
    Value function; // the script's function that records a node of it
} Operation;

// --- Running -----------------------------------------------------------------------------------

static NacreTensor tensor_of(const KernArg *arg, bool on_host) {
    const View *view = &arg->view;
    return (NacreTensor){.data = on_host ? arg_at(arg) : arg->base, .offset = on_host ? 0 : view->offset,
                         .dtype = dtype_info[view->dtype].name, .itemsize = dtype_size(view->dtype),
                         .ndim = view->ndim, .shape = view->shape, .strides = view->strides};
}

static bool run(const HostOp *op, int way, const HostCall *call) {
    const Operation *own = (const Operation *)op;
    NacreTensor operands[NODE_INPUTS];
    bool on_host = !call->queue;
    for (int i = 0; i < op->arity; i++) operands[i] = tensor_of(&call->kernel->args[i], on_host);
    const NacreOperationCall out = {.struct_size = sizeof out, .backend = call->backend,
                                    .operand_count = op->arity, .operands = operands,
                                    .result = tensor_of(&call->kernel->result, on_host),
                                    .threads = call->threads, .queue = call->queue};
    return own->run[way](own->ctx, &out) == 0;
}

// --- Recording ---------------------------------------------------------------------------------

// Converts an operand to the type and layout that the operation needs; owned.
static Status operand_of(Vm *vm, const Operation *own, Value value, Value *out) {
    Value array;
    if (!own->contiguous) return array_from(vm, value, own->dtype, out);
    Status st = array_from(vm, value, own->dtype, &array);
    if (st != ST_OK) return st;
    st = array_contiguous(vm, array, out);
    release(vm, array);
    return st;
}

static Status check_result(Vm *vm, const NacreResult *result, DType *dtype) {
    Status st = api_dtype_named(vm, result->dtype ? result->dtype : "", dtype);
    return st == ST_OK ? api_check_shape(vm, result->ndim, result->shape) : st;
}

static Status infer(Operation *own, const Value *operands, NacreResult *result, DType *dtype) {
    NacreVm *handle = own->handle;
    NacreArray infos[NODE_INPUTS];
    for (int i = 0; i < own->op.arity; i++) {
        api_describe(operands[i].array, &infos[i]);
        infos[i].struct_size = sizeof infos[i];
    }
    *result = (NacreResult){.dtype = infos[0].dtype, .ndim = infos[0].ndim};
    memcpy(result->shape, infos[0].shape, (size_t)infos[0].ndim * sizeof(int64_t));
    if (own->infer) {
        handle->hosting++; // infer may use the VM like any function of the host
        NacreStatus status = own->infer(own->ctx, handle, infos, result);
        handle->hosting--;
        if (status != NACRE_OK) return api_host_failed(handle, own->op.name);
    }
    return check_result(&handle->vm, result, dtype);
}

static Status record(Operation *own, const Value *operands, Value *out) {
    Vm *vm = &own->handle->vm;
    NacreResult result;
    DType dtype = DT_NONE;
    Status st = infer(own, operands, &result, &dtype);
    if (st == ST_OK) st = array_new(vm, dtype, result.ndim, result.shape, ROOM_PLACED, out);
    if (st != ST_OK) return st;
    Node *node = graph_node(vm, AOP_HOST);
    st = vm_check(vm, node);
    if (node) {
        node->attrs.loop = dtype;
        node->attrs.host = &own->op;
        for (int i = 0; i < own->op.arity; i++) {
            node_input_array(node, operands[i].array);
        }
        node_output_array(node, out->array);
        st = graph_record(vm, node);
    }
    if (st != ST_OK) release(vm, *out);
    return st;
}

// The function that the script calls: records a node of the operation.
static NacreStatus apply(void *ctx, NacreVm *handle, size_t count, NacreValue *const *args, NacreValue **result) {
    Operation *own = ctx;
    Vm *vm = &handle->vm;
    Value operands[NODE_INPUTS], out = V_UNDEF;
    Status st = ST_OK;
    for (size_t i = 0; i < count; i++) operands[i] = V_UNDEF;
    api_begin(handle);
    for (size_t i = 0; st == ST_OK && i < count; i++) st = operand_of(vm, own, args[i]->value, &operands[i]);
    if (st == ST_OK) st = record(own, operands, &out);
    for (size_t i = 0; i < count; i++) release(vm, operands[i]);
    return api_end(handle, st, st == ST_OK ? out : V_UNDEF, result);
}

// --- Adding ------------------------------------------------------------------------------------

static const Operation *find(const NacreVm *handle, const char *name) {
    const Operation *own = handle->operations;
    while (own && strcmp(own->op.name, name) != 0) own = own->next;
    return own;
}

Value api_operation(const NacreVm *handle, const char *name) {
    const Operation *own = find(handle, name);
    return own ? own->function : V_UNDEF;
}

int api_operation_arity(const NacreVm *handle, const char *name) {
    const Operation *own = find(handle, name);
    return own ? own->op.arity : 0;
}

static void free_operation(Operation *own) {
    Vm *vm = &own->handle->vm;
    if (own->drop) own->drop(own->ctx);
    for (int way = 0; way < own->op.way_count; way++) api_free_text(vm, own->op.backends[way]);
    api_free_text(vm, own->op.name);
    mem_free(&vm->mem, own, sizeof *own);
}

static Status check_numbers(Vm *vm, const NacreHostOperation *from, bool is_known) {
    if (is_known) return vm_raise(vm, EXC_ValueError, "there is an operation '%.60s' already", from->name);
    if (from->operand_count < 1 || from->operand_count > NODE_INPUTS)
        return vm_raise(vm, EXC_ValueError, "an operation has 1 to %d operands", NODE_INPUTS);
    if (from->implementation_count < 1 || from->implementation_count > HOST_WAYS)
        return vm_raise(vm, EXC_ValueError, "an operation has 1 to %d functions", HOST_WAYS);
    for (int i = 0; i < from->implementation_count; i++)
        if (!from->implementations[i].backend || !from->implementations[i].run)
            return vm_raise(vm, EXC_ValueError, "function %d has no backend, or is none", i);
    return ST_OK;
}

static Status set_functions(Vm *vm, Operation *own, const NacreHostOperation *from) {
    for (int i = 0; i < from->implementation_count; i++) {
        if (host_op_way(&own->op, from->implementations[i].backend) >= 0)
            return vm_raise(vm, EXC_ValueError, "there are two functions for '%.60s'", from->implementations[i].backend);
        const char *name = api_copied(vm, from->implementations[i].backend);
        if (!name) return vm_no_memory(vm);
        own->op.backends[own->op.way_count] = name;
        own->run[own->op.way_count++] = from->implementations[i].run;
    }
    return host_op_way(&own->op, "cpu") >= 0 ? ST_OK
                                             : vm_raise(vm, EXC_ValueError, "there is no function for 'cpu'");
}

static Status add(NacreVm *handle, const NacreHostOperation *from, Operation *own) {
    Vm *vm = &handle->vm;
    Status st = check_numbers(vm, from, api_operation(handle, from->name).kind != K_UNDEF);
    own->dtype = DT_NONE;
    if (st == ST_OK && from->dtype) st = api_dtype_named(vm, from->dtype, &own->dtype);
    if (st == ST_OK) st = vm_check(vm, own->op.name = api_copied(vm, from->name));
    if (st == ST_OK) st = set_functions(vm, own, from);
    if (st != ST_OK) return st;
    own->op.arity = from->operand_count;
    own->op.may_fail = from->may_fail;
    own->op.run = run;
    own->contiguous = from->is_contiguous;
    own->infer = from->infer;
    return ST_OK;
}

static const char *const signatures[NODE_INPUTS] = {"a, /",       "a, b, /",       "a, b, c, /",
                                                   "a, b, c, d, /", "a, b, c, d, e, /", "a, b, c, d, e, f, /"};

NacreStatus nacre_add_operation(NacreVm *handle, const NacreHostOperation *given, NacreValue **out) {
    NacreHostOperation from;
    if (!api_is_open(handle) || handle->edit || !API_TAKE(&from, FIRST_HOST_OPERATION, given) || !from.name ||
        !from.implementations)
        return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    NacreValue *function = NULL;
    api_begin(handle);
    Operation *own = mem_zalloc(&vm->mem, sizeof *own);
    Status st = vm_check(vm, own);
    if (own) {
        *own = (Operation){.handle = handle, .ctx = from.ctx, .drop = from.drop};
        st = add(handle, &from, own);
    }
    NacreStatus status = api_end(handle, st, V_UNDEF, NULL);
    if (status == NACRE_OK) {
        const NacreFunction calls = {.struct_size = sizeof calls, .name = from.name,
                                     .signature = signatures[own->op.arity - 1], .doc = from.doc,
                                     .fn = apply, .ctx = own};
        status = nacre_function(handle, &calls, &function);
    }
    if (status != NACRE_OK) {
        if (own) free_operation(own);
        else if (from.drop) from.drop(from.ctx);
        return status;
    }
    own->function = retain(function->value);
    own->next = handle->operations;
    handle->operations = own;
    if (out) *out = function;
    else nacre_release(handle, function);
    return NACRE_OK;
}

// --- The end -----------------------------------------------------------------------------------

void api_visit_operations(const NacreVm *handle, Visitor *visitor) {
    for (const Operation *own = handle->operations; own; own = own->next) visit_value(visitor, own->function);
}

void api_drop_operations(NacreVm *handle) {
    for (Operation *own = handle->operations; own; own = own->next) clear(&handle->vm, &own->function);
}

void api_free_operations(NacreVm *handle) {
    for (Operation *own = handle->operations, *next; own; own = next) {
        next = own->next;
        free_operation(own);
    }
    handle->operations = NULL;
}
