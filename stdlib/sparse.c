// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module `_sparse`: operations on sparse matrices. The product is a node of the graph. Structural work and
// factorisations are done by plug-ins (sparse/sparse.h), which are loaded when one of their operations is first called.

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lang/support/libraries.h"
#include "stdlib/sparse/sparse.h"
#include "stdlib/state.h"
#include "stdlib/stdlib.h"
#include "vm/array/array.h"
#include "vm/sched/engine.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- Plug-ins ------------------------------------------------------------------------------------

typedef enum Which { OWN, SUITESPARSE, PLUGINS } Which;
static const char *const files[PLUGINS] = {"nacre-sparse.so", "nacre-suitesparse.so"};

// The plug-ins of this process, NULL if not found. Each is looked for once, under pthread_once, and stays loaded.
static struct {
    pthread_once_t once[PLUGINS];
    const SparsePlugin *plugins[PLUGINS];
} process = {.once = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT}};

static void look(Which which) {
    char folder[PATH_MAX], path[2 * PATH_MAX];
    if (!library_folder(folder)) return;
    for (int i = 0; i < LIBRARY_PLACES && !process.plugins[which]; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", folder, library_places[i], files[which]);
        void *handle = access(path, R_OK) == 0 ? dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE) : NULL;
        if (!handle) continue;
        SparsePluginFn fn = (SparsePluginFn)dlsym(handle, "nacre_sparse");
        const SparsePlugin *plugin = fn ? fn() : NULL;
        if (plugin && plugin->version == SPARSE_VERSION) process.plugins[which] = plugin;
        dlclose(handle); // RTLD_NODELETE keeps it loaded
    }
}
static void look_own(void) {
    look(OWN);
}
static void look_suitesparse(void) {
    look(SUITESPARSE);
}

// Returns a plug-in, which is loaded at the first call. NULL: it was not found, or has another version.
static const SparsePlugin *plugin_of(Which which) {
    pthread_once(&process.once[which], which == OWN ? look_own : look_suitesparse);
    return process.plugins[which];
}

void sparse_describe(Buf *text) {
    const SparsePlugin *plugin = plugin_of(SUITESPARSE);
    if (plugin) buf_printf(text, "SuiteSparse: %s\n", plugin->about);
    else buf_puts(text, "SuiteSparse: not there; sparse systems are not solved directly\n");
}

static const SparseOp *find_op(const char *name) {
    for (int i = 0; i < PLUGINS; i++) {
        const SparsePlugin *plugin = plugin_of((Which)i);
        for (const SparseOp *op = plugin ? plugin->ops : NULL; op && op->name; op++)
            if (strcmp(op->name, name) == 0) return op;
    }
    return NULL;
}

// --- States --------------------------------------------------------------------------------------

typedef struct SparseState {
    const SparseStateKind *kind;
    void *state;
} SparseState;

static void sparse_state_drop(Vm *vm, void *data) {
    SparseState *kept = data;
    (void)vm;
    if (kept->state) kept->kind->drop(kept->state);
}

static const StateKind sparse_state = {"the state of a sparse operation", sizeof(SparseState), sparse_state_drop};

// --- A call --------------------------------------------------------------------------------------

typedef struct Scratch {
    struct Scratch *next;
    size_t size;
    Value array; // owns the bytes of a large request, since array memory is cached and reused; else None
    _Alignas(16) char bytes[];
} Scratch;

typedef struct Calling {
    SparseCall call; // has to be first: the plug-in's pointer to it is cast back to Calling
    Vm *vm;
    SparseArg args[SPARSE_ARGS];
    Value owned[SPARSE_ARGS]; // contiguous arrays made for the call
    Value results[SPARSE_RESULTS];
    int results_count;
    Scratch *scratch;
} Calling;

static void raised(Calling *c) {
    c->call.error = SPARSE_STOPPED;
}

static Value *next_result(Calling *c) {
    if (c->results_count == SPARSE_RESULTS) return NULL;
    Value *place = &c->results[c->results_count++];
    *place = V_NONE;
    return place;
}

static void *host_array(SparseCall *call, DType type, int64_t count) {
    Calling *c = (Calling *)call;
    Value *place = next_result(c);
    char *data = NULL;
    if (place && array_new(c->vm, type, 1, &count, ROOM_HOST, place) == ST_OK) data = array_write(c->vm, place->array);
    if (!data) raised(c);
    return data;
}

static void host_number(SparseCall *call, double value) {
    Value *place = next_result((Calling *)call);
    if (place) *place = v_float(value);
}

static void host_whole(SparseCall *call, int64_t value) {
    Value *place = next_result((Calling *)call);
    if (place) *place = v_int(value);
}

static void host_state(SparseCall *call, const SparseStateKind *kind, void *state) {
    Calling *c = (Calling *)call;
    Value *place = next_result(c);
    SparseState *kept = place ? state_new(c->vm, &sparse_state, place) : NULL;
    if (kept) {
        *kept = (SparseState){kind, state};
        return;
    }
    kind->drop(state);
    raised(c);
}

static void *host_scratch(SparseCall *call, size_t bytes) {
    enum { MUCH = 1 << 16 };
    Calling *c = (Calling *)call;
    const int64_t count = (int64_t)bytes;
    size_t size = bytes < MUCH ? sizeof(Scratch) + bytes : sizeof(Scratch);
    Scratch *made = bytes <= PTRDIFF_MAX ? mem_alloc(&c->vm->mem, size) : NULL;
    if (!made) {
        vm_no_memory(c->vm);
        raised(c);
        return NULL;
    }
    *made = (Scratch){c->scratch, size, V_NONE};
    c->scratch = made;
    if (bytes < MUCH) return made->bytes;
    char *data = NULL;
    if (array_new(c->vm, DT_UINT8, 1, &count, ROOM_HOST, &made->array) == ST_OK) data = array_write(c->vm, made->array.array);
    else made->array = V_NONE;
    if (!data) raised(c);
    return data;
}

static bool host_allows(SparseCall *call, size_t bytes) {
    Mem *mem = &((Calling *)call)->vm->mem;
    size_t size = bytes > 0 ? bytes : 1;
    void *block = bytes <= PTRDIFF_MAX ? mem_alloc(mem, size) : NULL;
    if (block) mem_free(mem, block, size);
    return block != NULL;
}

static void host_share(SparseCall *call, SparsePartFn run, void *job, int parts) {
    engine_share(((Calling *)call)->vm, run, job, parts);
}

static bool host_stopped(const SparseCall *call) {
    return vm_interrupted(((const Calling *)call)->vm);
}

static const SparseHost host = {.array = host_array, .number = host_number, .whole = host_whole, .state = host_state,
                                .scratch = host_scratch, .allows = host_allows, .share = host_share, .stopped = host_stopped};

// --- Arguments and results -----------------------------------------------------------------------

static Status array_arg(Vm *vm, Value v, bool writes, SparseArg *arg, Value *owned) {
    Status st = ST_OK;
    if (!writes) st = array_contiguous(vm, v, owned);
    else if (array_is_contiguous(v.array)) *owned = retain(v);
    else st = vm_raise(vm, EXC_ValueError, "an array that is written to has to be contiguous");
    if (st == ST_OK && writes) st = array_check_writeable(vm, v.array, "output array");
    if (st != ST_OK) return st;
    arg->kind = SPARSE_ARRAY;
    arg->type = owned->array->dtype;
    arg->count = array_size(owned->array);
    arg->data = writes ? (void *)array_write(vm, owned->array)
                       : (void *)(uintptr_t)array_fetch(vm, owned->array, "operations on sparse matrices are done there");
    return arg->data ? ST_OK : ST_ERROR;
}

static Status arg_from(Vm *vm, Value v, bool writes, SparseArg *arg, Value *owned) {
    const SparseState *kept;
    switch (v.kind) {
    case K_NONE: return ST_OK;
    case K_ARRAY: return array_arg(vm, v, writes, arg, owned);
    case K_STR:
        arg->kind = SPARSE_TEXT;
        arg->text = v.str->data;
        arg->count = (int64_t)v.str->len;
        return ST_OK;
    case K_STATE:
        kept = state_of(vm, v, &sparse_state);
        if (!kept) return ST_ERROR;
        arg->kind = SPARSE_STATE;
        arg->data = kept->state;
        arg->state = kept->kind;
        return ST_OK;
    case K_FLOAT:
        arg->kind = SPARSE_NUMBER;
        arg->number = v.f;
        arg->whole = v.f >= -0x1p63 && v.f < 0x1p63 ? (int64_t)v.f : 0;
        return ST_OK;
    default:
        arg->kind = SPARSE_NUMBER;
        if (op_index(vm, v, &arg->whole) != ST_OK) return op_refused(vm);
        arg->number = (double)arg->whole;
        return ST_OK;
    }
}

static Status error_of(Calling *c) {
    Vm *vm = c->vm;
    static const ExcKind kinds[] = {[SPARSE_VALUE_ERROR] = EXC_ValueError, [SPARSE_INDEX_ERROR] = EXC_IndexError,
                                  [SPARSE_RUNTIME_ERROR] = EXC_RuntimeError,
                                  [SPARSE_NOT_IMPLEMENTED] = EXC_NotImplementedError};
    switch (c->call.error) {
    case SPARSE_OK: return vm_interrupted(vm) ? vm_poll(vm) : ST_OK;
    case SPARSE_NO_MEMORY: return vm_no_memory(vm);
    case SPARSE_STOPPED: return vm_interrupted(vm) && vm->error.kind == K_UNDEF ? vm_poll(vm) : ST_ERROR;
    default: return vm_raise(vm, kinds[c->call.error], "%s", c->call.message);
    }
}

// Returns None, the only result, or a tuple of the results.
static Status results_out(Calling *c, Value *out) {
    if (c->results_count == 0) {
        *out = V_NONE;
        return ST_OK;
    }
    if (c->results_count > 1) return tuple_steal(c->vm, c->results, (size_t)c->results_count, out);
    *out = c->results[0];
    c->results[0] = V_UNDEF;
    return ST_OK;
}

static Status run_op(Vm *vm, const SparseOp *op, const Tuple *given, Value *out) {
    Calling c = {.call = {.host = &host, .threads = engine_threads(vm)}, .vm = vm};
    Status st = ST_OK;
    if (given->len != (size_t)op->args || given->len > SPARSE_ARGS)
        return vm_raise(vm, EXC_TypeError, "%s takes %d arguments", op->name, op->args);
    for (int i = 0; i < op->args && st == ST_OK; i++, c.call.count++) {
        c.owned[i] = V_UNDEF;
        st = arg_from(vm, given->items[i], (op->writes >> i & 1) != 0, &c.args[i], &c.owned[i]);
    }
    c.call.args = c.args;
    if (st == ST_OK) {
        op->run(&c.call);
        st = error_of(&c);
    }
    if (st == ST_OK) st = results_out(&c, out);
    for (int i = 0; i < c.results_count; i++) release(vm, c.results[i]);
    for (int i = 0; i < c.call.count; i++) release(vm, c.owned[i]);
    while (c.scratch) {
        Scratch *next = c.scratch->next;
        release(vm, c.scratch->array);
        mem_free(&vm->mem, c.scratch, c.scratch->size);
        c.scratch = next;
    }
    return st;
}

// call(name, *args): runs an operation and returns its results: None, one value, or a tuple.
static Status fn_call(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_STR) return vm_raise(vm, EXC_TypeError, "an operation is named by a str");
    const char *name = args[0].str->data;
    const SparseOp *op = find_op(name);
    if (op) return run_op(vm, op, args[1].tuple, out);
    if (!plugin_of(OWN))
        return vm_raise(vm, EXC_ImportError, "scipy.sparse needs nacre-sparse.so, beside the library and of the same build");
    return vm_raise(vm, EXC_NotImplementedError,
                    "%s needs nacre-suitesparse.so, beside the library: it is made if SuiteSparse is there when Nacre is "
                    "built (apt install libsuitesparse-dev)", name);
}

// has(name): returns whether there is such an operation.
static Status fn_has(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_STR) return vm_raise(vm, EXC_TypeError, "an operation is named by a str");
    *out = v_bool(find_op(args[0].str->data) != NULL);
    return ST_OK;
}

// version(array): returns a number that changes with each write to the array, or to another array with the same
// storage.
static Status fn_version(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_ARRAY) return vm_raise(vm, EXC_TypeError, "an array has versions");
    *out = v_int((int64_t)args[0].array->storage->version);
    return ST_OK;
}

const NativeDef sparse_functions[] = {
    {"product", "indptr, indices, data, x, by_column, across, /", array_sparse_product, NULL, PURE},
    {"factors", "x, /", array_product_factors, NULL, PURE},
    {"call", "name, /, *args", fn_call, NULL, PURE},
    {"version", "array, /", fn_version, NULL, PURE},
    {"has", "name, /", fn_has, NULL, PURE},
    {0},
};
