// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// import: modules already there, built-in ones (native, or compiled ahead), and files beside the
// script.

#include <string.h>

#include "lang/compile.h"
#include "lang/support/deflate.h"
#include "vm/interp/host.h"
#include "vm/interp/interp.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/shape.h"
#include "vm/value/str.h"

static Status not_found(Vm *vm, Str *name) {
    vm_raise(vm, EXC_ModuleNotFoundError, "No module named '%s'", name->data);
    return exc_about(vm, name, V_UNDEF);
}

static Value loaded(Vm *vm, Str *name) {
    return dict_get_str(vm->modules, name);
}

static Status remember(Vm *vm, Str *name, Value module) {
    return dict_set_str(vm, vm->modules, name, module);
}

void import_failed(Vm *vm, Module *module) {
    // Under whatever name it was being imported.
    uint32_t pos = 0;
    Value key, value;
    while (dict_next(vm->modules, &pos, &key, &value))
        if (value.kind == K_MODULE && value.module == module) {
            dict_del_str(vm, vm->modules, key.str);
            return;
        }
}

// Pushes the frame of a module's body; it delivers the module.
static Status run_body(Vm *vm, Module *module, Value main, RetKind ret, uint16_t dest) {
    (void)ret;
    Frame *frame = frame_push(vm, main.func, RET_IMPORT, dest);
    release(vm, main);
    if (!frame) {
        import_failed(vm, module);
        return ST_ERROR;
    }
    module->gc.obj.refs++;
    frame->extra = v_obj(module);
    return ST_TAIL;
}

static Status begin_module(Vm *vm, Str *name, Value *module) {
    if (module_new(vm, name->data, module) != ST_OK) return ST_ERROR;
    if (remember(vm, name, *module) == ST_OK) return ST_OK;
    release(vm, *module);
    return ST_ERROR;
}

static Status load_native(Vm *vm, Str *name, const BuiltinModule *row, Value *out) {
    Value module;
    if (begin_module(vm, name, &module) != ST_OK) return ST_ERROR;
    Status st = row->functions ? module_add_natives(vm, module.module, row->functions) : ST_OK;
    if (st == ST_OK && row->init) st = row->init(vm, module.module);
    if (st != ST_OK) {
        import_failed(vm, module.module);
        release(vm, module);
        return st;
    }
    *out = module;
    return ST_OK;
}

static Dictionary dictionary(void) {
    for (const StdlibModule *row = nacre_stdlib_modules; row->name; row++)
        if (strcmp(row->name, STDLIB_DICTIONARY) == 0) return (Dictionary){(const char *)row->bytes, row->len};
    return (Dictionary){0};
}

static bool unpack(Vm *vm, const StdlibModule *row, BcUnit **unit, bool *no_memory) {
    const char *packed = (const char *)row->bytes;
    if (row->len == row->size) return bc_unpack_own(&vm->mem, packed, row->len, unit, no_memory);
    char *bytes = mem_alloc(&vm->mem, row->size);
    DeflateResult result = DEFLATE_NO_MEMORY;
    if (bytes) result = deflate_unpack_with(dictionary(), packed, row->len, &vm->mem, bytes, row->size);
    *no_memory = result == DEFLATE_NO_MEMORY;
    if (result != DEFLATE_OK || !bc_unpack_own(&vm->mem, bytes, row->size, unit, no_memory)) {
        mem_free(&vm->mem, bytes, row->size);
        return false;
    }
    (*unit)->bytes = bytes;
    (*unit)->byte_count = row->size;
    return true;
}

static Status load_packed(Vm *vm, Str *name, const StdlibModule *row, uint16_t dest) {
    BcUnit *unit;
    bool no_memory;
    Value module, main;
    if (!unpack(vm, row, &unit, &no_memory))
        return no_memory ? vm_no_memory(vm)
                         : vm_raise(vm, EXC_ImportError, "built-in module '%s' is damaged",
                                    name->data);
    if (begin_module(vm, name, &module) != ST_OK) {
        bc_unit_free(unit);
        return ST_ERROR;
    }
    Status st = code_load(vm, unit, NULL, 0, module.module, &main);
    if (st == ST_OK) st = run_body(vm, module.module, main, RET_IMPORT, dest);
    else import_failed(vm, module.module);
    release(vm, module);
    return st;
}

// --- Files beside the script ---------------------------------------------------------------------

Status raise_compile_errors(Vm *vm, const CompileErrors *errors) {
    if (errors->no_memory || errors->count == 0) return vm_no_memory(vm);
    Buf text;
    buf_init(&text, &vm->mem);
    // The first error last: next to where one reads, and where tools look for it.
    for (uint32_t i = errors->count; i-- > 0;) {
        buf_puts(&text, errors->items[i].rendered);
        if (text.len && text.data[text.len - 1] != '\n') buf_putc(&text, '\n');
    }
    ExcKind kind = EXC_SyntaxError;
    const char *name = errors->items[0].kind;
    if (strcmp(name, "IndentationError") == 0) kind = EXC_IndentationError;
    else if (strcmp(name, "TabError") == 0) kind = EXC_TabError;
    else if (strcmp(name, "MemoryError") == 0) kind = EXC_MemoryError;
    else if (strcmp(name, "RecursionError") == 0) kind = EXC_RecursionError;
    vm_raise(vm, kind, "%s", errors->items[0].message);
    Value rendered;
    bool other = v_is(vm->error, vm->no_memory) || !vm_error_is(vm, kind); // memory has run out
    if (other || str_buf_out(vm, &text, &rendered) != ST_OK) {
        buf_free(&text);
        return ST_ERROR;
    }
    // Where the error is shown, the text with carets is shown too.
    ExcInstance *exc = exc_of(vm->error);
    replace(vm, &exc->value, rendered);
    instance_set(vm, &exc->inst, vm_name(vm, NAME_lineno),
                 v_int((int64_t)errors->items[0].span.line));
    return ST_ERROR;
}

Status compile_text(Vm *vm, const char *text, size_t len, const char *filename, int mode,
                    Module *module, Value *main) {
    CompileErrors errors = {0};
    BcUnit *unit = compile_source(&vm->mem, text, len, filename, (CompileMode)mode, &errors);
    Status st = unit ? code_load(vm, unit, text, len, module, main)
                     : raise_compile_errors(vm, &errors);
    compile_errors_free(&errors);
    return st;
}

static Status load_file(Vm *vm, Str *name, const char *path, const char *text, size_t len,
                        uint16_t dest) {
    Value module, main = V_UNDEF;
    if (begin_module(vm, name, &module) != ST_OK) return ST_ERROR;
    module.module->file = os_text(vm, path, strlen(path));
    Status st = vm_check(vm, module.module->file);
    if (st == ST_OK) {
        module.module->file->obj.refs++;
        st = module_set(vm, module.module, "__file__", v_obj(module.module->file));
    }
    if (st == ST_OK)
        st = compile_text(vm, text, len, module.module->file->data, COMPILE_FILE, module.module,
                          &main);
    if (st == ST_OK) st = run_body(vm, module.module, main, RET_IMPORT, dest);
    else import_failed(vm, module.module);
    release(vm, module);
    return st;
}

static Status try_path(Vm *vm, Str *name, const char *dir, const char *suffix, uint16_t dest) {
    Buf path;
    buf_init(&path, &vm->mem);
    if (dir && *dir) buf_printf(&path, "%s/", dir);
    for (const char *c = name->data; *c; c++) buf_putc(&path, *c == '.' ? '/' : *c);
    buf_put(&path, suffix, strlen(suffix) + 1);
    Buf text;
    buf_init(&text, &vm->mem);
    Status st = path.failed ? vm_no_memory(vm) : ST_OK;
    if (st == ST_OK && !vm->info->files) st = os_access(vm, ACCESS_READ, path.data);
    if (st == ST_OK) st = host_read_source(vm, path.data, &text);
    if (st == ST_OK) st = load_file(vm, name, path.data, text.data, text.len, dest);
    else if (st == ST_ERROR && (vm_error_is(vm, EXC_FileNotFoundError) ||
                                vm_error_is(vm, EXC_NotADirectoryError))) {
        vm_clear_error(vm);
        st = ST_STOP;
    }
    buf_free(&text);
    buf_free(&path);
    return st;
}

// ST_STOP: the host has no such module.
static Status load_from_host(Vm *vm, Str *name, uint16_t dest) {
    const char *text;
    size_t len;
    if (!vm->host.module || !vm->host.module(vm->host.ctx, name->data, &text, &len)) return ST_STOP;
    Buf file;
    buf_init(&file, &vm->mem);
    buf_printf(&file, "<host>/%s.py", name->data);
    buf_putc(&file, '\0');
    Status st = file.failed ? vm_no_memory(vm) : load_file(vm, name, file.data, text, len, dest);
    buf_free(&file);
    return st;
}

static Status load_beside(Vm *vm, Str *name, uint16_t dest) {
    Status given = load_from_host(vm, name, dest);
    if (given != ST_STOP) return given;
    const char *dir = host_script_dir(vm);
    if (!dir) return not_found(vm, name);
    for (size_t i = 0; host_module_ending(i); i++) {
        Status st = try_path(vm, name, dir, host_module_ending(i), dest);
        if (st != ST_STOP) return st;
    }
    return not_found(vm, name);
}

static Status load(Vm *vm, Str *name, uint16_t dest, Value *out) {
    Value there = loaded(vm, name);
    if (there.kind != K_UNDEF) {
        *out = retain(there);
        return ST_OK;
    }
    for (const BuiltinModule *row = builtin_modules; row->name; row++)
        if (str_is(name, row->name)) return load_native(vm, name, row, out);
    for (const StdlibModule *row = nacre_stdlib_modules; row->name; row++)
        if (str_is(name, row->name)) return load_packed(vm, name, row, dest);
    return load_beside(vm, name, dest);
}

// `import a.b.c` binds a; the components are attributes of one another. Built-in packages bring
// their submodules along, so only the last component may need loading here.
static Status load_dotted(Vm *vm, Str *name, bool leaf, uint16_t dest, Value *out) {
    const char *dot = strchr(name->data, '.');
    if (!dot) return load(vm, name, dest, out);
    Str *top_name = str_intern(vm, name->data, (size_t)(dot - name->data));
    if (!top_name) return vm_no_memory(vm);
    Value top = loaded(vm, top_name);
    if (top.kind == K_UNDEF || !module_has_path(vm, top, dot + 1)) {
        const Value args[2] = {v_obj(name), v_bool(leaf)};
        Status st = call_prelude(vm, "import_dotted", args, 2, RET_STORE, dest, out);
        release_obj(vm, top_name);
        return st;
    }
    release_obj(vm, top_name);
    if (!leaf) {
        *out = retain(top);
        return ST_OK;
    }
    return module_follow(vm, top, dot + 1, out);
}

bool module_has_path(Vm *vm, Value module, const char *path) {
    Value out;
    if (module_follow(vm, module, path, &out) == ST_OK) {
        release(vm, out);
        return true;
    }
    vm_clear_error(vm);
    return false;
}

// Attributes along a dotted path; *out owned.
Status module_follow(Vm *vm, Value module, const char *path, Value *out) {
    Value at = retain(module);
    while (path) {
        const char *dot = strchr(path, '.');
        size_t len = dot ? (size_t)(dot - path) : strlen(path);
        Str *name = str_intern(vm, path, len);
        Value next = V_UNDEF;
        if (name && at.kind == K_MODULE) next = retain(module_get(at.module, name));
        if (next.kind != K_MODULE) {
            Status st = name ? not_found(vm, name) : vm_no_memory(vm);
            release(vm, next);
            release_obj(vm, name);
            release(vm, at);
            return st;
        }
        release_obj(vm, name);
        replace(vm, &at, next);
        path = dot ? dot + 1 : NULL;
    }
    *out = at;
    return ST_OK;
}

Status import_module(Vm *vm, Str *name, int64_t level, bool leaf, uint16_t dest, Value *out) {
    // A script's folder is its package: `from . import x` and `from .x import y` look beside it.
    if (level > 1)
        return vm_raise(vm, EXC_ImportError, "attempted relative import beyond top-level package");
    if (level == 1 && name->len == 0) {
        Frame *frame = vm->interp->frame;
        *out = retain(v_obj(frame->func->module));
        return ST_OK;
    }
    return load_dotted(vm, name, leaf, dest, out);
}

Status import_one(Vm *vm, Str *name, uint16_t dest, Value *out) {
    return load(vm, name, dest, out);
}

// The module itself has no such name.
static Status not_in_module(Vm *vm, Value from, Str *name) {
    vm_clear_error(vm);
    const char *module = from.kind == K_MODULE ? from.module->name->data : "?";
    bool file = from.kind == K_MODULE && from.module->file;
    vm_raise(vm, EXC_ImportError, "cannot import name '%s' from '%s' (%s)", name->data, module,
             file ? from.module->file->data : "unknown location");
    return from.kind == K_MODULE ? exc_about(vm, from.module->name,
                                             file ? v_obj(from.module->file) : V_UNDEF)
                                 : ST_ERROR;
}

static Status plain_from(Vm *vm, Value from, Str *name, Value *out) {
    Status st = attr_get_plain(vm, from, name, out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_AttributeError)) return st;
    return not_in_module(vm, from, name);
}

Status import_from(Vm *vm, Value from, Str *name, uint16_t dest, Value *out) {
    bool asks = from.kind == K_MODULE &&
                module_get(from.module, vm_name(vm, NAME_getattr)).kind != K_UNDEF &&
                module_get(from.module, name).kind == K_UNDEF;
    if (asks) { // __getattr__ of the module, in whose stead an ImportError is raised
        const Value args[2] = {from, v_obj(name)};
        return call_prelude(vm, "import_from_asking", args, 2, RET_STORE, dest, out);
    }
    return plain_from(vm, from, name, out);
}

static Status star_names(Vm *vm, Module *from, Module *into, Value all) {
    Value list;
    if (op_to_list(vm, all, &list) != ST_OK) return ST_ERROR;
    Status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < list.list->len; i++) {
        Value name = list.list->items[i], v;
        if (name.kind != K_STR) st = vm_raise(vm, EXC_TypeError, "__all__ must hold strings");
        if (st == ST_OK) st = plain_from(vm, v_obj(from), name.str, &v);
        if (st == ST_OK) st = module_set(vm, into, name.str->data, v);
    }
    release(vm, list);
    return st;
}

Status import_star(Vm *vm, Value from, Module *into) {
    if (from.kind != K_MODULE) return vm_raise(vm, EXC_ImportError, "import * needs a module");
    Str *all_name = str_intern(vm, "__all__", 7);
    if (!all_name) return vm_no_memory(vm);
    Value all = module_get(from.module, all_name);
    release_obj(vm, all_name);
    if (all.kind != K_UNDEF) return star_names(vm, from.module, into, all);
    uint32_t pos = 0;
    Value key, slot;
    while (dict_next(from.module->slots_of, &pos, &key, &slot)) {
        Value v = from.module->slots[slot.i];
        if (v.kind == K_UNDEF || key.str->data[0] == '_') continue;
        if (module_set_str(vm, into, key.str, retain(v)) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}
