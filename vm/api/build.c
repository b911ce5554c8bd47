// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Compilation ahead of time: a module's annotated functions as C, header and pkg-config file.

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/native/code_store.h"
#include "backends/emit/emit_ahead.h"
#include "vm/api/sizes.h"
#include "vm/jit/ahead.h"
#include "vm/value/dict.h"
#include "vm/value/os_text.h"
#include "vm/value/str.h"

// Returns flag number `index` for compiling the generated C; NULL: no more. Omits -fno-tree-sink, which protects
// readings of float flags: this code does not read them, and not all compilers know the flag.
const char *nacre_build_flag(int index) {
    for (int i = 0; code_flags[i]; i++)
        if (strcmp(code_flags[i], "-fno-tree-sink") != 0 && index-- == 0) return code_flags[i];
    return NULL;
}

typedef struct Builder {
    NacreVm *handle;
    const NacreBuild *build;
    char module[AHEAD_NAME];
    Buf source, header, config;
    int count; // functions
} Builder;

// --- Errors ------------------------------------------------------------------------------------

static BcSpan span_of(const Ahead *ahead) {
    return bc_span(ahead->func->code->bc, ahead->pc);
}

static uint32_t code_points(const char *from, const char *to) {
    uint32_t count = 0;
    for (; from < to; from++) count += ((unsigned char)*from & 0xc0) != 0x80;
    return count;
}

// Prints the line without its indentation, and carets under the span.
static void put_source(const Unit *unit, BcSpan span, Buf *out) {
    const char *at = unit->source, *end = at ? at + unit->source_len : NULL;
    for (uint32_t line = 1; at && line < span.line; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (at) at++;
    }
    if (!at) return;
    const char *stop = memchr(at, '\n', (size_t)(end - at)), *first = at;
    if (!stop) stop = end;
    while (first < stop && (*first == ' ' || *first == '\t')) first++;
    const char *from = at + span.col, *to = span.end_line == span.line ? at + span.end_col : stop;
    if (from < first || from > stop) from = first;
    if (to <= from || to > stop) to = stop;
    buf_puts(out, "    ");
    buf_put(out, first, (size_t)(stop - first));
    buf_puts(out, "\n    ");
    for (uint32_t i = code_points(first, from); i > 0; i--) buf_putc(out, ' ');
    for (uint32_t i = code_points(from, to); i > 0; i--) buf_putc(out, '^');
    buf_putc(out, '\n');
}

static void tell(NacreVm *handle, const Ahead *ahead) {
    const Unit *unit = ahead->func->code->unit;
    BcSpan span = span_of(ahead);
    Buf *out = &handle->error_text;
    if (out->len == 0) handle->error_line = (int)span.line;
    buf_printf(out, "  File \"%s\", line %u, in %s\n", unit->bc->filename, span.line,
               ahead->func->qualname->data);
    put_source(unit, span, out);
    buf_printf(out, "BuildError: %s\n", ahead->why);
    snprintf(handle->error_class, sizeof handle->error_class, "BuildError");
}

static NacreStatus refuse(NacreVm *handle, const char *path, const char *why) {
    snprintf(handle->error_class, sizeof handle->error_class, "BuildError");
    buf_printf(&handle->error_text, "BuildError: %s: %s\n", path, why);
    buf_putc(&handle->error_text, '\0');
    return NACRE_ERROR;
}

// --- Functions ---------------------------------------------------------------------------------

static Status build_function(Builder *b, Func *func) {
    Vm *vm = &b->handle->vm;
    AheadMade *made = mem_zalloc(&vm->mem, sizeof *made);
    if (!made) return vm_no_memory(vm);
    Status st = ahead_make(vm, func, made);
    if (st == ST_OK && made->ahead.failed) {
        tell(b->handle, &made->ahead);
    } else if (st == ST_OK) {
        bool known = emit_ahead(&dialect_c, b->module, &made->function, &b->source);
        emit_ahead_header(&dialect_c, b->module, &made->function, &b->header);
        if (!known || b->source.failed || b->header.failed) st = vm_no_memory(vm);
        b->count++;
    }
    ahead_free(vm, made);
    mem_free(&vm->mem, made, sizeof *made);
    return st;
}

// Returns whether a variable is a function to be compiled: annotated, defined by the module itself, and of that name.
static bool is_wanted(const Module *module, const Str *name, Value v) {
    return v.kind == K_FUNC && v.func->module == module &&
           strcmp(v.func->name->data, name->data) == 0 && name->data[0] != '_' &&
           ahead_is_annotated(v.func);
}

static Status build_functions(Builder *b) {
    Vm *vm = &b->handle->vm;
    const Module *module = vm->interp->main;
    Value name, slot;
    Status st = ST_OK;
    for (uint32_t pos = 0; st == ST_OK && dict_next(module->slots_of, &pos, &name, &slot);) {
        Value v = module->slots[slot.i];
        if (name.kind == K_STR && is_wanted(module, name.str, v)) st = build_function(b, v.func);
    }
    return st;
}

// --- Names -------------------------------------------------------------------------------------

// Evaluates MODULE.NAME. False: out of memory, as set in the outcome. Other failures are reported by the code that uses
// the name.
static bool load_value(NacreVm *handle, const Str *module, const Str *name) {
    Buf text;
    buf_init(&text, &handle->vm.mem);
    buf_printf(&text, "%s.%s", module->data, name->data);
    NacreStatus status = NACRE_OK;
    if (text.failed) {
        vm_no_memory(&handle->vm);
        status = api_failed(handle);
    } else {
        status = nacre_run(handle, text.data, text.len, "<build>", NACRE_EXPRESSION);
    }
    buf_free(&text);
    return status == NACRE_OK || strcmp(handle->error_class, "MemoryError") != 0;
}

// Imports the part of numpy that is written in the language, if the attribute has not been used yet.
static bool load_attribute(NacreVm *handle, const Module *module, uint32_t slot, Str *name) {
    Value of, number;
    if (slot >= module->len || module->slots[slot].kind != K_MODULE) return true;
    const Module *asked = module->slots[slot].module;
    Value found = dict_get_str(asked->slots_of, name);
    if (asked->file || (found.kind == K_INT && asked->slots[found.i].kind != K_UNDEF)) return true;
    for (uint32_t pos = 0; dict_next(module->slots_of, &pos, &of, &number);)
        if (number.i == slot && of.kind == K_STR) return load_value(handle, of.str, name);
    return true;
}

static bool load_attributes(NacreVm *handle, const Module *module, const Code *code) {
    const BcCode *bc = code->bc;
    bool good = true;
    for (uint32_t i = 0; i < bc->code_len && good; i += bc_op_info[bc->code[i].op].words) {
        const Instr *at = &bc->code[i], *next = at + 1;
        if (at->op != OP_GLOBAL_GET || i + 1 >= bc->code_len) continue;
        if ((next->op == OP_GETATTR || next->op == OP_GETMETHOD) && next->b == at->a)
            good = load_attribute(handle, module, instr_wide(*at), code->consts[next->c].str);
    }
    for (uint32_t c = 0; c < bc->const_count && good; c++)
        if (code->consts[c].kind == K_CODE)
            good = load_attributes(handle, module, (const Code *)code->consts[c].obj);
    return good;
}

static bool load_names(NacreVm *handle) {
    const Module *module = handle->vm.interp->main;
    bool good = true;
    for (size_t i = 0; i < module->len && good; i++) {
        Value v = module->slots[i];
        if (v.kind == K_FUNC && v.func->module == module)
            good = load_attributes(handle, module, v.func->code);
    }
    if (good) api_clear_outcome(handle);
    return good;
}

// --- All of it ---------------------------------------------------------------------------------

// Converts a module's name to an identifier of C.
static void name_module(const char *module, char name[AHEAD_NAME]) {
    size_t n = 0;
    for (; module[n] && n + 1 < AHEAD_NAME; n++)
        name[n] = isalnum((unsigned char)module[n]) ? module[n] : '_';
    name[n] = '\0';
    if (isdigit((unsigned char)name[0])) name[0] = '_';
}

static void put_config(Builder *b) {
    buf_printf(
        &b->config,
        "libdir=${pcfiledir}\nincludedir=${pcfiledir}\n\nName: %s\nDescription: Functions of "
        "%s, compiled by Nacre\nVersion: %s\nRequires: nacre-rt\nLibs: -L${libdir} "
        "-l%s\nCflags: -I${includedir}\n",
        b->build->library, b->build->module, nacre_version(), b->build->library);
}

static void give(const Builder *b, NacreBuilt which, const Buf *text) {
    b->build->each(b->build->ctx, which, text->data, text->len);
}

static NacreStatus write_all(Builder *b) {
    NacreVm *handle = b->handle;
    emit_ahead_begin(&dialect_c, &b->source);
    emit_header_begin(b->module, &b->header);
    Status st = build_functions(b);
    emit_header_end(&b->header);
    put_config(b);
    if (st == ST_OK && (b->source.failed || b->header.failed || b->config.failed))
        st = vm_no_memory(&handle->vm);
    if (st != ST_OK) return api_failed(handle);
    if (handle->error_text.len > 0) {
        buf_putc(&handle->error_text, '\0');
        return NACRE_ERROR;
    }
    if (b->count == 0)
        return refuse(handle, b->build->path, "there is no function with annotations");
    give(b, NACRE_BUILT_SOURCE, &b->source);
    give(b, NACRE_BUILT_HEADER, &b->header);
    give(b, NACRE_BUILT_PKG_CONFIG, &b->config);
    return NACRE_OK;
}

static Status name_main(Vm *vm, const char *name) {
    Str *text = os_text(vm, name, strlen(name));
    if (!text) return vm_no_memory(vm);
    return module_set(vm, vm->interp->main, "__name__", v_obj(text));
}

NacreStatus nacre_build(NacreVm *handle, const NacreBuild *given) {
    NacreBuild taken;
    const NacreBuild *build = &taken;
    if (!api_is_alive(handle) || handle->running || !API_TAKE(&taken, FIRST_BUILD, given) || !build->path ||
        !build->module || !build->library || !build->each)
        return NACRE_MISUSE;
    Builder b = {.handle = handle, .build = build};
    if (name_main(&handle->vm, build->module) != ST_OK) return api_failed(handle);
    NacreStatus status = nacre_run_file(handle, build->path);
    if (status != NACRE_OK) return status;
    if (!load_names(handle)) return NACRE_ERROR;
    name_module(build->module, b.module);
    buf_init(&b.source, &handle->vm.mem);
    buf_init(&b.header, &handle->vm.mem);
    buf_init(&b.config, &handle->vm.mem);
    status = write_all(&b);
    buf_free(&b.source);
    buf_free(&b.header);
    buf_free(&b.config);
    return status;
}
