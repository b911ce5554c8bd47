// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _pictures: canvases of the plug-in nacre-pictures.so, which is loaded when it is first needed. Values are
// converted to the plug-in's arguments (pictures/pictures.h). What is drawn is decided in the language, by
// matplotlib/*.ncr.

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lang/support/libraries.h"
#include "stdlib/pictures/pictures.h"
#include "stdlib/state.h"
#include "stdlib/stdlib.h"
#include "vm/array/array.h"
#include "vm/value/bytes.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- The plug-in ---------------------------------------------------------------------------------

// The plug-in of this process, NULL if not found. It is looked for once, under pthread_once, and stays loaded.
static struct {
    pthread_once_t once;
    const PicturesPlugin *plugin;
} process = {.once = PTHREAD_ONCE_INIT};

static void look(void) {
    char folder[PATH_MAX], path[2 * PATH_MAX];
    if (!library_folder(folder)) return;
    for (int i = 0; i < LIBRARY_PLACES && !process.plugin; i++) {
        snprintf(path, sizeof path, "%s/%s/nacre-pictures.so", folder, library_places[i]);
        void *handle = access(path, R_OK) == 0 ? dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE) : NULL;
        if (!handle) continue;
        PicturesPluginFn fn = (PicturesPluginFn)dlsym(handle, "nacre_pictures");
        const PicturesPlugin *plugin = fn ? fn() : NULL;
        if (plugin && plugin->version == PICTURES_VERSION) process.plugin = plugin;
        dlclose(handle); // RTLD_NODELETE keeps it loaded
    }
}

// --- States --------------------------------------------------------------------------------------

typedef struct PicturesState {
    Pictures *pictures;
} PicturesState;

typedef struct CanvasState {
    Pictures *pictures; // the canvas has a reference to it
    Canvas *canvas;
} CanvasState;

static void pictures_drop(Vm *vm, void *data) {
    PicturesState *state = data;
    (void)vm;
    if (state->pictures) process.plugin->close(state->pictures);
    state->pictures = NULL;
}

static void canvas_drop(Vm *vm, void *data) {
    CanvasState *state = data;
    (void)vm;
    if (state->canvas) process.plugin->canvas_close(state->canvas);
    state->canvas = NULL;
}

static const StateKind pictures_kind = {"the fonts of pictures", sizeof(PicturesState), pictures_drop};
static const StateKind canvas_kind = {"a canvas", sizeof(CanvasState), canvas_drop};

static Status fn_open(Vm *vm, const Value *args, Value *out) {
    Value made;
    (void)args;
    pthread_once(&process.once, look);
    if (!process.plugin)
        return vm_raise(vm, EXC_ImportError,
                        "matplotlib needs nacre-pictures.so, beside the library and of the same build: it is made if Cairo, "
                        "FreeType and DejaVu's fonts are there when Nacre is built (apt install libcairo2-dev "
                        "libfreetype-dev fonts-dejavu-core), and opened if Cairo and FreeType are there when it runs "
                        "(apt install libcairo2 libfreetype6)");
    PicturesState *state = state_new(vm, &pictures_kind, &made);
    if (!state) return ST_ERROR;
    state->pictures = process.plugin->open(&vm->mem);
    if (!state->pictures) {
        release(vm, made);
        return vm_no_memory(vm);
    }
    *out = made;
    return ST_OK;
}

// canvas(pictures, kind, width, height): makes a canvas. Kinds: "png", "svg", "pdf".
static Status fn_canvas(Vm *vm, const Value *args, Value *out) {
    enum { SIDE_MOST = 1 << 15 }; // Cairo's limit
    PicturesState *pictures = state_of(vm, args[0], &pictures_kind);
    int64_t width, height;
    Value made;
    if (!pictures) return ST_ERROR;
    if (args[1].kind != K_STR) return vm_raise(vm, EXC_TypeError, "a canvas's kind is a str");
    if (op_index(vm, args[2], &width) != ST_OK || op_index(vm, args[3], &height) != ST_OK) return op_refused(vm);
    if (width < 1 || height < 1) return vm_raise(vm, EXC_ValueError, "a canvas has one pixel at least");
    if (width >= SIDE_MOST || height >= SIDE_MOST)
        return vm_raise(vm, EXC_ValueError,
                        "Image size of %lldx%lld pixels is too large. It must be less than 2^15 in each direction.",
                        (long long)width, (long long)height);
    CanvasState *state = state_new(vm, &canvas_kind, &made);
    if (!state) return ST_ERROR;
    state->pictures = pictures->pictures;
    state->canvas = process.plugin->canvas(pictures->pictures, args[1].str->data, (int)width, (int)height);
    if (!state->canvas) {
        release(vm, made);
        return vm_no_memory(vm);
    }
    *out = made;
    return ST_OK;
}

// --- Arguments -----------------------------------------------------------------------------------

enum { ARGS_MOST = 16 };

typedef struct Call {
    PictureArg args[ARGS_MOST];
    Value owned[ARGS_MOST]; // contiguous arrays made for the call
    int count;
} Call;

static Status array_arg(Vm *vm, Value v, PictureArg *arg, Value *owned) {
    Value converted;
    bool bytes = v.kind == K_ARRAY && v.array->dtype == DT_UINT8;
    Status st = array_from(vm, v, bytes ? DT_UINT8 : DT_FLOAT64, &converted);
    if (st != ST_OK) return st;
    st = array_contiguous(vm, converted, owned);
    release(vm, converted);
    if (st != ST_OK) return st;
    Array *array = owned->array;
    const char *data = array_read(vm, array);
    if (!data) return ST_ERROR;
    arg->kind = bytes ? ARG_BYTES : ARG_FLOATS;
    arg->floats = bytes ? NULL : (const double *)(const void *)data;
    arg->bytes = bytes ? (const unsigned char *)data : NULL;
    arg->len = (size_t)array_size(array);
    arg->ndim = array->ndim;
    for (int i = 0; i < array->ndim && i < 4; i++) arg->shape[i] = array_shape(array)[i];
    return ST_OK;
}

static Status arg_from(Vm *vm, Value v, PictureArg *arg, Value *owned) {
    *arg = (PictureArg){0};
    *owned = V_UNDEF;
    switch (v.kind) {
    case K_NONE: return ST_OK;
    case K_STR:
        arg->kind = ARG_TEXT;
        arg->text = v.str->data;
        arg->len = v.str->len;
        return ST_OK;
    case K_BYTES:
        arg->kind = ARG_BYTES;
        arg->bytes = (const unsigned char *)v.bytes->data;
        arg->len = v.bytes->len;
        return ST_OK;
    case K_ARRAY:
    case K_TUPLE:
    case K_LIST: return array_arg(vm, v, arg, owned);
    default: arg->kind = ARG_NUMBER; return op_as_double(vm, v, &arg->number);
    }
}

static Status result_from(Vm *vm, PictureStatus status, PictureResult *result, Value *out) {
    if (status == PICTURE_OK && result->has_bytes) return bytes_buf_out(vm, &result->bytes, out);
    buf_free(&result->bytes);
    if (status == PICTURE_NO_MEMORY) return vm_no_memory(vm);
    if (status == PICTURE_REFUSED) return vm_raise(vm, EXC_ValueError, "%s", result->why);
    if (result->count == 0) {
        *out = V_NONE;
        return ST_OK;
    }
    Value items[8];
    for (int i = 0; i < result->count; i++) items[i] = v_float(result->numbers[i]);
    return tuple_steal(vm, items, (size_t)result->count, out);
}

static Status call_with(Vm *vm, const CanvasState *target, const char *op, const Tuple *given, Value *out) {
    Call call = {.count = 0};
    Status st = ST_OK;
    if (given->len > ARGS_MOST) return vm_raise(vm, EXC_TypeError, "too many arguments");
    for (size_t i = 0; i < given->len && st == ST_OK; i++) {
        st = arg_from(vm, given->items[i], &call.args[i], &call.owned[i]);
        call.count++;
    }
    if (st == ST_OK) {
        PictureResult result = {0};
        buf_init(&result.bytes, &vm->mem);
        PictureStatus status = process.plugin->call(target->pictures, target->canvas, op, call.args, call.count, &result);
        st = result_from(vm, status, &result, out);
    }
    for (int i = 0; i < call.count; i++) release(vm, call.owned[i]);
    return st;
}

static Status run_op(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind != K_STR) return vm_raise(vm, EXC_TypeError, "an operation is named by a str");
    CanvasState target = {0};
    const PicturesState *pictures = NULL;
    if (args[0].kind != K_STATE) return vm_raise(vm, EXC_TypeError, "a canvas is needed");
    CanvasState *canvas = state_is(args[0], &canvas_kind);
    if (canvas) {
        target = *canvas;
    } else {
        pictures = state_of(vm, args[0], &pictures_kind);
        if (!pictures) return ST_ERROR;
        target.pictures = pictures->pictures;
    }
    return call_with(vm, &target, args[1].str->data, args[2].tuple, out);
}

// Cairo numbers the definitions in an SVG with counters of the process. Ranks that are threads of one process would get
// different texts, so one rank makes the file (ENV) and the others get a copy.
static Status fn_save(Vm *vm, const Value *args, Value *out) {
    return run_op(vm, args, out);
}
static const NativeDef save_row = {"save", "target, op, given, /", fn_save, NULL, ENV};

// call(target, op, *args): runs an operation and returns a tuple of numbers, bytes, or None.
static Status fn_call(Vm *vm, const Value *args, Value *out) {
    bool saves = args[1].kind == K_STR && str_is(args[1].str, "save");
    return saves ? native_run(vm, &save_row, args, out) : run_op(vm, args, out);
}

const NativeDef pictures_functions[] = {
    {"open", "", fn_open, NULL, PURE},
    {"canvas", "pictures, kind, width, height, /", fn_canvas, NULL, PURE},
    {"call", "target, op, /, *args", fn_call, NULL, INNER},
    {0},
};
