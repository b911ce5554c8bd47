// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds the files of a script from the imports in their bytecode, for a VM that runs without the disk.

#include <string.h>

#include "lang/compile.h"
#include "vm/api/api.h"

typedef struct Found {
    struct Found *next;
    Buf path, text; // both include a final NUL
} Found;

typedef struct Search {
    Vm *vm;
    Found *first, **last;
    size_t folder; // length of the script's folder at the start of each path
} Search;

// --- Files -------------------------------------------------------------------------------------

static bool is_found(const Search *s, const char *path) {
    for (const Found *f = s->first; f; f = f->next)
        if (strcmp(f->path.data, path) == 0) return true;
    return false;
}

static void found_free(Vm *vm, Found *f) {
    buf_free(&f->path);
    buf_free(&f->text);
    mem_free(&vm->mem, f, sizeof *f);
}

// Reads a file and adds it to the list. Consumes the path. OSError (see is_absent) if there is no such file.
static Status add_file(Search *s, Buf *path) {
    Vm *vm = s->vm;
    Found *f = path->failed ? NULL : mem_zalloc(&vm->mem, sizeof *f);
    if (!f) {
        buf_free(path);
        return vm_no_memory(vm);
    }
    f->path = *path;
    buf_init(&f->text, &vm->mem);
    Status st = host_read_file(vm, f->path.data, &f->text);
    if (st == ST_OK) {
        buf_putc(&f->text, '\0');
        if (f->text.failed) st = vm_no_memory(vm);
    }
    if (st == ST_OK) {
        *s->last = f;
        s->last = &f->next;
    } else {
        found_free(vm, f);
    }
    return st;
}

static bool is_absent(const Vm *vm) {
    return vm_error_is(vm, EXC_FileNotFoundError) || vm_error_is(vm, EXC_NotADirectoryError);
}

// Adds a module's file, if it has one that is not in the list.
static Status add_module(Search *s, const char *name, size_t length) {
    Vm *vm = s->vm;
    for (size_t i = 0; host_module_ending(i); i++) {
        Buf path;
        buf_init(&path, &vm->mem);
        buf_put(&path, s->first->path.data, s->folder);
        for (size_t c = 0; c < length; c++) buf_putc(&path, name[c] == '.' ? '/' : name[c]);
        buf_put(&path, host_module_ending(i), strlen(host_module_ending(i)) + 1);
        if (!path.failed && is_found(s, path.data)) {
            buf_free(&path);
            return ST_OK;
        }
        Status st = add_file(s, &path);
        if (st == ST_OK || !is_absent(vm)) return st;
        vm_clear_error(vm);
    }
    return ST_OK;
}

// --- Imports -----------------------------------------------------------------------------------

// Adds the modules a, a.b and a.b.c of a dotted name, unless they are built in.
static Status add_dotted(Search *s, const char *name) {
    Status st = ST_OK;
    size_t length = strlen(name), top = strcspn(name, ".");
    char first[256];
    if (length == 0 || top >= sizeof first) return ST_OK;
    memcpy(first, name, top);
    first[top] = '\0';
    if (host_has_module(first)) return ST_OK;
    for (size_t at = 0; at <= length && st == ST_OK; at++)
        if (name[at] == '.' || at == length) st = add_module(s, name, at);
    return st;
}

// Adds the module a.b for `from a import b`, where b may be a module.
static Status add_item(Search *s, const char *module, const char *item) {
    Buf name;
    buf_init(&name, &s->vm->mem);
    if (*module) buf_printf(&name, "%s.", module);
    buf_puts(&name, item);
    buf_putc(&name, '\0');
    Status st = name.failed ? vm_no_memory(s->vm) : add_dotted(s, name.data);
    buf_free(&name);
    return st;
}

// Writes the full name of the module that an import statement names, whose `level` leading dots start at the package.
static void name_module(Buf *out, const char *package, int64_t level, const char *name) {
    size_t len = strlen(package);
    out->len = 0;
    for (; level > 1 && len > 0; level--)
        while (len > 0 && package[--len] != '.') {
        }
    if (level > 0) buf_printf(out, "%.*s%s", (int)len, package, len > 0 && *name ? "." : "");
    buf_printf(out, "%s", name);
    buf_putc(out, '\0');
}

static Status add_imports(Search *s, const char *package, const BcCode *code) {
    Status st = ST_OK;
    Buf module;
    buf_init(&module, &s->vm->mem);
    for (uint32_t i = 0; i < code->code_len && st == ST_OK;
         i += bc_op_info[code->code[i].op].words) {
        const Instr *at = &code->code[i];
        if (at->op == OP_IMPORT) {
            name_module(&module, package, at->c, code->consts[at->b].text);
            st = module.failed ? vm_no_memory(s->vm) : add_dotted(s, module.data);
        }
        if (at->op == OP_IMPORT_FROM && module.data) st = add_item(s, module.data, code->consts[at->c].text);
    }
    buf_free(&module);
    for (uint32_t i = 0; i < code->const_count && st == ST_OK; i++)
        if (code->consts[i].kind == BC_CODE) st = add_imports(s, package, code->consts[i].code);
    return st;
}

// Writes the package of a file: its folders below the script's.
static void package_of(const Search *s, const Found *f, Buf *out) {
    const char *path = f->path.data + s->folder, *slash = strrchr(path, '/');
    for (const char *c = path; c < slash; c++) buf_putc(out, *c == '/' ? '.' : *c);
    buf_putc(out, '\0');
}

static Status search_file(Search *s, const Found *f) {
    CompileErrors errors = {0};
    BcUnit *unit = compile_source(&s->vm->mem, f->text.data, f->text.len - 1, f->path.data,
                                  COMPILE_FILE, &errors);
    Buf package;
    buf_init(&package, &s->vm->mem);
    package_of(s, f, &package);
    Status st = package.failed ? vm_no_memory(s->vm)
                : unit         ? add_imports(s, package.data, unit->main)
                               : raise_compile_errors(s->vm, &errors);
    buf_free(&package);
    compile_errors_free(&errors);
    bc_unit_free(unit);
    return st;
}

// --- All of it ---------------------------------------------------------------------------------

NacreStatus nacre_program_files(NacreVm *handle, const char *path, NacreFileFn each, void *ctx) {
    if (!api_is_alive(handle) || !path || !each || handle->running) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Search s = {.vm = vm};
    const char *slash = strrchr(path, '/');
    Buf script;
    s.last = &s.first;
    s.folder = slash ? (size_t)(slash + 1 - path) : 0;
    api_clear_outcome(handle);
    buf_init(&script, &vm->mem);
    buf_put(&script, path, strlen(path) + 1);
    Status st = add_file(&s, &script);
    for (const Found *f = s.first; f && st == ST_OK; f = f->next) st = search_file(&s, f);
    for (const Found *f = s.first; f && st == ST_OK; f = f->next)
        each(ctx, f->path.data, f->text.data, f->text.len - 1);
    for (Found *f = s.first, *next; f; f = next) {
        next = f->next;
        found_free(vm, f);
    }
    return st == ST_OK ? NACRE_OK : api_failed(handle);
}

NacreStatus nacre_add_file(NacreVm *handle, const char *path, const char *text, size_t len) {
    if (!api_is_alive(handle) || !path || !text || handle->running) return NACRE_MISUSE;
    return host_add_file(&handle->vm, path, text, len) == ST_OK ? NACRE_OK : api_failed(handle);
}
