// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// import: modules that are loaded already, built-in ones (native, or compiled with the library), and files in
// the folders of sys.path.

#include <string.h>

#include "lang/compile.h"
#include "lang/support/deflate.h"
#include "vm/interp/host.h"
#include "vm/interp/interp.h"
#include "vm/value/bytes.h"
#include "vm/value/dict.h"
#include "vm/value/effects.h"
#include "vm/value/ops.h"
#include "vm/value/os_text.h"
#include "vm/value/seq.h"
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
    module->importing = false;
    // Searches by value, since the name under which it was being imported is not known.
    uint32_t pos = 0;
    Value key, value;
    while (dict_next(vm->modules, &pos, &key, &value))
        if (value.kind == K_MODULE && value.module == module) {
            dict_del_str(vm, vm->modules, key.str);
            return;
        }
}

// Pushes the frame of a module's body `main` (consumed), whose end delivers the module to `dest`.
static Status run_body(Vm *vm, Module *module, Value main, RetKind ret, uint16_t dest) {
    (void)ret;
    Frame *frame = frame_push(vm, main.func, RET_IMPORT, dest);
    release(vm, main);
    if (!frame) {
        import_failed(vm, module);
        return ST_ERROR;
    }
    module->gc.obj.refs++;
    module->importing = true;
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
    const StdlibModule *row = host_packed_module(STDLIB_DICTIONARY);
    return row ? (Dictionary){(const char *)row->bytes, row->len} : (Dictionary){0};
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

// --- Files ---------------------------------------------------------------------------------------

Status raise_compile_errors(Vm *vm, const CompileErrors *errors) {
    if (errors->no_memory || errors->count == 0) return vm_no_memory(vm);
    Buf text;
    buf_init(&text, &vm->mem);
    // Writes the first error last, where readers and tools look for it.
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
    // `value` has the rendered errors, with source lines and carets, for traceback_format.
    ExcInstance *exc = exc_of(vm->error);
    replace(vm, &exc->value, rendered);
    const char *said = errors->items[0].message;
    Value message;
    if (str_out(vm, str_new(vm, said, strlen(said)), &message) != ST_OK) return ST_ERROR;
    // On failure here, MemoryError replaces the SyntaxError.
    Status st = instance_set(vm, &exc->inst, vm_name(vm, NAME_msg), message);
    if (st == ST_OK) instance_set(vm, &exc->inst, vm_name(vm, NAME_lineno), v_int((int64_t)errors->items[0].span.line));
    release(vm, message);
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

// Makes a list of one str, the path `dir`.
static Status path_list(Vm *vm, const char *dir, size_t len, Value *out) {
    List *list = list_new(vm, 1);
    Str *text = list ? os_text(vm, dir, len) : NULL;
    Status st = text ? list_append(vm, list, v_obj(text)) : vm_no_memory(vm);
    if (st == ST_OK) *out = v_obj(list);
    else release_obj(vm, list);
    return st;
}

// Sets __package__, from which relative imports start, and __path__ of a package, the folders in which its modules are
// searched for. `package`: the folder of a module that is a package; NULL: it is none.
static Status set_package(Vm *vm, Module *module, const char *package) {
    Str *name = module->name;
    const char *dot = strrchr(name->data, '.');
    size_t len = package ? name->len : dot ? (size_t)(dot - name->data) : 0;
    Value value;
    Status st = str_out(vm, str_new(vm, name->data, len), &value);
    if (st == ST_OK) st = module_set(vm, module, "__package__", value);
    if (st == ST_OK && package) st = path_list(vm, package, strlen(package), &value);
    if (st == ST_OK && package) st = module_set(vm, module, "__path__", value);
    return st;
}

static Status set_file(Vm *vm, Module *module, const char *path) {
    module->file = os_text(vm, path, strlen(path));
    if (vm_check(vm, module->file) != ST_OK) return ST_ERROR;
    module->file->obj.refs++;
    return module_set(vm, module, "__file__", v_obj(module->file));
}

// Loads a module from source text and pushes its body's frame. `package`: see set_package.
static Status load_file(Vm *vm, Str *name, const char *path, const char *package, const Buf *text,
                        uint16_t dest) {
    Value module, main = V_UNDEF;
    if (begin_module(vm, name, &module) != ST_OK) return ST_ERROR;
    Status st = set_file(vm, module.module, path);
    if (st == ST_OK) st = set_package(vm, module.module, package);
    if (st == ST_OK)
        st = compile_text(vm, text->data, text->len, module.module->file->data, COMPILE_FILE,
                          module.module, &main);
    if (st == ST_OK) st = run_body(vm, module.module, main, RET_IMPORT, dest);
    else import_failed(vm, module.module);
    release(vm, module);
    return st;
}

// Loads a module from the file base + ending. ST_STOP: there is no such file.
static Status try_file(Vm *vm, Str *name, const char *base, const char *ending, uint16_t dest) {
    Buf path, text;
    buf_init(&path, &vm->mem);
    buf_init(&text, &vm->mem);
    buf_printf(&path, "%s%s", base, ending);
    buf_putc(&path, '\0');
    Status st = path.failed ? vm_no_memory(vm) : ST_OK;
    if (st == ST_OK && !vm->info->files) st = os_access(vm, ACCESS_READ, path.data);
    if (st == ST_OK) st = host_read_source(vm, path.data, &text);
    if (st == ST_OK) st = load_file(vm, name, path.data, *ending == '/' ? base : NULL, &text, dest);
    else if (st == ST_ERROR && (vm_error_is(vm, EXC_FileNotFoundError) ||
                                vm_error_is(vm, EXC_NotADirectoryError))) {
        vm_clear_error(vm);
        st = ST_STOP;
    }
    buf_free(&text);
    buf_free(&path);
    return st;
}

// Looks for a module in one folder: loads its file, or adds a folder of its name to *portions (PEP 420).
static Status try_folder(Vm *vm, Str *name, const char *leaf, Str *dir, List *portions,
                         uint16_t dest) {
    Buf base;
    if (os_name_bytes(vm, v_obj(dir), &base) != ST_OK) return ST_ERROR;
    bool apart = base.len > 0 && base.data[base.len - 1] != '/';
    buf_printf(&base, "%s%s", apart ? "/" : "", leaf);
    buf_putc(&base, '\0');
    Status st = base.failed ? vm_no_memory(vm) : ST_STOP;
    for (size_t i = 0; st == ST_STOP && host_module_ending(i); i++)
        st = try_file(vm, name, base.data, host_module_ending(i), dest);
    bool folder = false;
    if (st == ST_STOP && host_is_folder(vm, base.data, &folder) != ST_OK) st = ST_ERROR;
    if (st == ST_STOP && folder) {
        Str *portion = os_text(vm, base.data, base.len - 1);
        if (!portion || list_append(vm, portions, v_obj(portion)) != ST_OK) st = vm_no_memory(vm);
    }
    buf_free(&base);
    return st;
}

// Makes a package that has folders but no file of its own (PEP 420).
static Status load_portions(Vm *vm, Str *name, Value portions, Value *out) {
    Value module;
    if (begin_module(vm, name, &module) != ST_OK) return ST_ERROR;
    Status st = set_package(vm, module.module, "");
    if (st == ST_OK) st = module_set(vm, module.module, "__path__", retain(portions));
    if (st == ST_OK) *out = module;
    else import_failed(vm, module.module);
    if (st != ST_OK) release(vm, module);
    return st;
}

// Sets *out (borrowed) to the list of folders in which to search for a module: sys.path, or __path__ of the package
// that the name begins with. V_UNDEF: imports from files are not allowed.
static Status search_path(Vm *vm, Str *name, Value *out) {
    const char *dot = strrchr(name->data, '.');
    Str *parent = str_intern(vm, dot ? name->data : "sys", dot ? (size_t)(dot - name->data) : 3);
    Str *path = str_intern(vm, dot ? "__path__" : "path", dot ? 8 : 4);
    Value module = V_UNDEF, loaded_now = V_UNDEF;
    Status st = parent && path ? ST_OK : vm_no_memory(vm);
    if (st == ST_OK) module = loaded(vm, parent);
    if (st == ST_OK && !dot && module.kind == K_UNDEF && host_script_dir(vm)) {
        st = import_one(vm, parent, 0, &loaded_now); // sys is native, so no body has to run,
        module = loaded_now;                         // and it stays in sys.modules
    }
    *out = st == ST_OK && module.kind == K_MODULE ? module_get(module.module, path) : V_UNDEF;
    if (st == ST_OK && dot && out->kind != K_LIST && !host_is_package(parent->data)) {
        vm_raise(vm, EXC_ModuleNotFoundError, "No module named '%s'; '%s' is not a package",
                 name->data, parent->data);
        st = exc_about(vm, name, V_UNDEF);
    }
    release(vm, loaded_now);
    release_obj(vm, parent);
    release_obj(vm, path);
    return st;
}

// host_module(name): the module's source text that the host supplies, or None. A row with an effect, so that only one
// rank's host is asked.
static Status host_module(Vm *vm, const Value *args, Value *out) {
    const char *text;
    size_t len;
    *out = V_NONE;
    if (!vm->host.module(vm->host.ctx, args[0].str->data, &text, &len)) return ST_OK;
    return bytes_out(vm, bytes_new(vm, text, len), out);
}
static const NativeDef host_module_row = {"host_module", "name, /", host_module, NULL, FILESYSTEM};

// Loads a module that the host supplies. ST_STOP: it has none of that name.
static Status load_from_host(Vm *vm, Str *name, uint16_t dest) {
    Value key = v_obj(name), given;
    if (!vm->host.module) return ST_STOP;
    if (native_run(vm, &host_module_row, &key, &given) != ST_OK) return ST_ERROR;
    if (given.kind == K_NONE) return ST_STOP;
    Buf file, text;
    buf_init(&file, &vm->mem);
    buf_init(&text, &vm->mem);
    buf_printf(&file, "<host>/%s.py", name->data);
    buf_putc(&file, '\0');
    buf_put(&text, given.bytes->data, given.bytes->len);
    release(vm, given);
    Status st = file.failed || text.failed ? vm_no_memory(vm)
                                           : load_file(vm, name, file.data, NULL, &text, dest);
    buf_free(&text);
    buf_free(&file);
    return st;
}

static Status load_along(Vm *vm, Str *name, Value path, uint16_t dest, Value *out) {
    const char *dot = strrchr(name->data, '.'), *leaf = dot ? dot + 1 : name->data;
    List *portions = list_new(vm, 0);
    Status st = portions ? ST_STOP : vm_no_memory(vm);
    for (size_t i = 0; st == ST_STOP && i < path.list->len; i++)
        if (path.list->items[i].kind == K_STR)
            st = try_folder(vm, name, leaf, path.list->items[i].str, portions, dest);
    if (st == ST_STOP && portions->len > 0) st = load_portions(vm, name, v_obj(portions), out);
    release_obj(vm, portions);
    return st;
}

static Status load_beside(Vm *vm, Str *name, uint16_t dest, Value *out) {
    Value path = V_UNDEF;
    Status st = load_from_host(vm, name, dest);
    if (st != ST_STOP) return st;
    if (search_path(vm, name, &path) != ST_OK) return ST_ERROR;
    if (path.kind != K_LIST) return not_found(vm, name);
    retain(path); // a module's body may replace it
    st = load_along(vm, name, path, dest, out);
    release(vm, path);
    return st == ST_STOP ? not_found(vm, name) : st;
}

static Status load(Vm *vm, Str *name, uint16_t dest, Value *out) {
    Value there = loaded(vm, name);
    if (there.kind != K_UNDEF) {
        *out = retain(there);
        return ST_OK;
    }
    for (const BuiltinModule *row = builtin_modules; row->name; row++)
        if (str_is(name, row->name)) return load_native(vm, name, row, out);
    const StdlibModule *packed = host_packed_module(name->data);
    if (packed) return load_packed(vm, name, packed, dest);
    return load_beside(vm, name, dest, out);
}

// Imports a dotted name. `import a.b.c` returns a (`leaf`: c); each component becomes an attribute of the one before.
// What is not loaded already is left to import_dotted of the prelude.
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

// Follows a dotted path of modules that are attributes of one another. *out is the last one (owned).
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

// Computes the name of the package from which a relative import with `level` dots starts (PEP 366). *out is owned.
static Status package_of(Vm *vm, const Module *module, int64_t level, Str **out) {
    Str *key = str_intern(vm, "__package__", 11);
    if (!key) return vm_no_memory(vm);
    Value package = module_get(module, key);
    release_obj(vm, key);
    if (package.kind != K_STR || package.str->len == 0)
        return vm_raise(vm, EXC_ImportError, "attempted relative import with no known parent package");
    size_t len = package.str->len;
    for (; level > 1; level--) {
        while (len > 0 && package.str->data[--len] != '.') {
        }
        if (len == 0)
            return vm_raise(vm, EXC_ImportError, "attempted relative import beyond top-level package");
    }
    *out = str_intern(vm, package.str->data, len);
    return vm_check(vm, *out);
}

static Status import_relative(Vm *vm, Str *name, int64_t level, uint16_t dest, Value *out) {
    Str *package;
    if (package_of(vm, vm->interp->frame->func->module, level, &package) != ST_OK) return ST_ERROR;
    Buf full;
    buf_init(&full, &vm->mem);
    buf_printf(&full, "%s%s%s", package->data, name->len ? "." : "", name->data);
    Str *whole = full.failed ? NULL : str_intern(vm, full.data, full.len);
    Status st = whole ? load_dotted(vm, whole, true, dest, out) : vm_no_memory(vm);
    release_obj(vm, whole);
    buf_free(&full);
    release_obj(vm, package);
    return st;
}

Status import_module(Vm *vm, Str *name, int64_t level, bool leaf, uint16_t dest, Value *out) {
    return level > 0 ? import_relative(vm, name, level, dest, out)
                     : load_dotted(vm, name, leaf, dest, out);
}

Status import_one(Vm *vm, Str *name, uint16_t dest, Value *out) {
    return load(vm, name, dest, out);
}

static bool has_name(Vm *vm, const Module *module, const char *text, size_t len) {
    Str *name = str_intern(vm, text, len);
    bool has = name && module_get(module, name).kind != K_UNDEF;
    release_obj(vm, name);
    return has;
}

static bool is_built_in_package(const Module *module) {
    return !module->file && host_is_package(module->name->data);
}

// Returns whether a missing attribute may come from the module's __getattr__, or be a submodule of the package.
static bool may_find(Vm *vm, const Module *module) {
    return module_get(module, vm_name(vm, NAME_getattr)).kind != K_UNDEF ||
           has_name(vm, module, "__path__", 8) || is_built_in_package(module);
}

// Replaces the current error by the ImportError for a name that `from` does not have.
static Status not_in_module(Vm *vm, Value from, Str *name) {
    vm_clear_error(vm);
    bool is_module = from.kind == K_MODULE, file = is_module && from.module->file;
    bool partly = is_module && from.module->importing;
    vm_raise(vm, EXC_ImportError, "cannot import name '%s' from %s'%s'%s (%s)", name->data,
             partly ? "partially initialized module " : "", is_module ? from.module->name->data : "?",
             partly ? " (most likely due to a circular import)" : "",
             file ? from.module->file->data : "unknown location");
    if (!is_module) return ST_ERROR;
    return exc_about(vm, from.module->name, file ? v_obj(from.module->file) : V_UNDEF);
}

static Status plain_from(Vm *vm, Value from, Str *name, Value *out) {
    Status st = attr_get_plain(vm, from, name, out);
    if (st != ST_ERROR || !vm_error_is(vm, EXC_AttributeError)) return st;
    return not_in_module(vm, from, name);
}

Status import_from(Vm *vm, Value from, Str *name, uint16_t dest, Value *out) {
    if (from.kind == K_MODULE && module_get(from.module, name).kind == K_UNDEF &&
        may_find(vm, from.module)) {
        const Value args[2] = {from, v_obj(name)};
        return call_prelude(vm, "import_from_asking", args, 2, RET_STORE, dest, out);
    }
    return plain_from(vm, from, name, out);
}

Status import_from_plain(Vm *vm, Value from, Str *name, Value *out) {
    return plain_from(vm, from, name, out);
}

static Status star_names(Vm *vm, Module *from, Module *into, Value all) {
    Value list;
    if (op_to_list(vm, all, &list) != ST_OK) return ST_ERROR;
    Status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < list.list->len; i++) {
        Value name = list.list->items[i], v;
        if (name.kind != K_STR)
            st = vm_raise(vm, EXC_TypeError, "Item in %s.__all__ must be str, not %s", from->name->data,
                          argument_type_name(vm, name));
        if (st == ST_OK) st = attr_get_plain(vm, v_obj(from), name.str, &v);
        if (st == ST_OK) st = module_set(vm, into, name.str->data, v);
    }
    release(vm, list);
    return st;
}

Status import_star(Vm *vm, Value from, Module *into, Value *out) {
    if (from.kind != K_MODULE) return vm_raise(vm, EXC_ImportError, "import * needs a module");
    *out = V_NONE;
    if (may_find(vm, from.module)) {
        const Value args[2] = {from, v_obj(into)};
        return call_prelude(vm, "import_star_asking", args, 2, RET_DISCARD, 0, out);
    }
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
