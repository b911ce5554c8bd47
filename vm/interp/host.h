// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Services of the host to the interpreter: tables of built-in modules, files, arguments.

#ifndef NACRE_VM_INTERP_HOST_H
#define NACRE_VM_INTERP_HOST_H

#include "lang/compile.h"
#include "lang/stdlib_blob.h"
#include "vm/value/vm.h"

// A module written in C: its functions (may be NULL), then init (may be NULL) for the rest.
typedef struct BuiltinModule {
    const char *name;
    const NativeDef *functions;
    Status (*init)(Vm *vm, Module *module);
} BuiltinModule;
extern const BuiltinModule builtin_modules[]; // stdlib/modules.c; ends with name == NULL

// A file of a program that comes with its files in memory.
typedef struct HostFile {
    struct HostFile *next;
    char *path, *text; // owned; the text ends with a NUL
    size_t path_size, len;
} HostFile;

// Options of the host; strings are owned by the VM.
typedef struct HostInfo {
    char *script_dir; // of the running script; NULL: no imports from files
    size_t script_dir_size;
    HostFile *files; // unless NULL, scripts and modules are read from these alone
    Value argv;      // list of str
    bool interactive;
    double start_time; // monotonic seconds at VM creation
} HostInfo;

const char *host_script_dir(Vm *vm);
// Reads a whole file, NUL-terminated after its last byte (not counted); OSError on failure.
Status host_read_file(Vm *vm, const char *path, Buf *out);
// The same for a script or a module, which may be among HostInfo.files.
Status host_read_source(Vm *vm, const char *path, Buf *out);
Status host_add_file(Vm *vm, const char *path, const char *text, size_t len);
void host_free_files(Vm *vm);
// Returns the index-th ending that a module's file may have after its name; NULL past the last one.
const char *host_module_ending(size_t index);
// Returns a table of compiled modules that ends with name == NULL: 0 is the library's own, 1 its plug-in's. NULL: none.
enum { PACKED_TABLES = 2 };
const StdlibModule *host_packed_modules(int table);
const StdlibModule *host_packed_module(const char *name); // NULL: none of that name
bool host_has_module(const char *name);                   // whether it is built in
bool host_is_package(const char *package); // whether it is built in as a package: one in CPython, or has submodules
// Sets *out to whether a path is a folder on the disk; false for a program that has its files in memory.
Status host_is_folder(Vm *vm, const char *path, bool *out);

// Compiles a text and loads it into a module: *main is a function without parameters.
Status compile_text(Vm *vm, const char *text, size_t len, const char *filename, int mode,
                    Module *module, Value *main);
Status raise_compile_errors(Vm *vm, const CompileErrors *errors);

// Imports a module by its full name, without binding it in its package. ST_TAIL: its body runs first.
Status import_one(Vm *vm, Str *name, uint16_t dest, Value *out);
// Reads an attribute of a module without loading a submodule for it; raises ImportError as `from … import` does.
Status import_from_plain(Vm *vm, Value from, Str *name, Value *out);
bool module_has_path(Vm *vm, Value module, const char *path);
Status module_follow(Vm *vm, Value module, const char *path, Value *out);

#endif
