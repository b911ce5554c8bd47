// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// nacre_ncc -o OUT.c MORE.c [NAME=]PATH… -- [NAME=]PATH…: compiles modules to bytecode, as two C files:
// those before `--` fill nacre_stdlib_modules in OUT.c, the others nacre_more_plugin in MORE.c
// (lang/stdlib_blob.h). A build tool, not part of the library.
//
// Without a NAME=, a module is named after its path: `scipy/sparse.ncr` is scipy.sparse, and
// `scipy/__init__.ncr` is scipy.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/compile.h"
#include "lang/stdlib_blob.h"
#include "lang/support/deflate.h"

enum { BYTES_PER_LINE = 20 };

// Modules that each VM starts with are not compressed: the time counts there. Nor are those of the plug-in: inflating
// took a third of the time that importing them does, and as they are they stay in the file's pages, which processes share.
static const char started_with[] = "_prelude";

typedef struct Module {
    const char *path;
    Buf name;
    Buf packed;
    size_t size; // of its unit, before it was compressed
} Module;

static void die(const char *path, const char *what) {
    fprintf(stderr, "nacre_ncc: %s: %s\n", path, what);
    exit(1);
}

// ---- names --------------------------------------------------------------------------------------

static bool ends_with(const Buf *name, const char *end) {
    size_t len = strlen(end);
    return name->len >= len && memcmp(name->data + name->len - len, end, len) == 0;
}

static bool begins_with(const Buf *name, const char *start) {
    size_t len = strlen(start);
    return name->len >= len && memcmp(name->data, start, len) == 0;
}

static void name_from_path(const char *path, Buf *name) {
    while (strncmp(path, "./", 2) == 0) path += 2;
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    size_t len = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    for (size_t i = 0; i < len; i++) buf_putc(name, path[i] == '/' ? '.' : path[i]);
    if (ends_with(name, ".__init__")) name->len -= strlen(".__init__");
}

static Module module_of(Mem *mem, const char *argument) {
    Module module = {.path = argument};
    const char *equals = strchr(argument, '=');
    buf_init(&module.name, mem);
    buf_init(&module.packed, mem);
    if (equals) {
        buf_put(&module.name, argument, (size_t)(equals - argument));
        module.path = equals + 1;
    } else {
        name_from_path(argument, &module.name);
    }
    return module;
}

// ---- compiling ----------------------------------------------------------------------------------

static void read_file(const char *path, Buf *text) {
    char block[8192];
    size_t len;
    FILE *file = fopen(path, "rb");
    if (!file) die(path, "cannot be read");
    while ((len = fread(block, 1, sizeof block, file)) > 0) buf_put(text, block, len);
    bool bad = ferror(file) || text->failed;
    fclose(file);
    if (bad) die(path, "cannot be read");
}

static void report(const char *path, CompileErrors *errors) {
    for (uint32_t i = 0; i < errors->count; i++) {
        fprintf(stderr, "%s\n", errors->items[i].rendered);
    }
    die(path, errors->no_memory ? "out of memory" : "does not compile");
}

static void compile_module(Mem *mem, Module *module) {
    Buf text;
    CompileErrors errors = {.mem = mem};
    buf_init(&text, mem);
    read_file(module->path, &text);
    BcUnit *unit = compile_source(mem, text.data, text.len, module->path, COMPILE_FILE, &errors);
    if (!unit) report(module->path, &errors);
    if (!bc_verify(unit, NULL) || !bc_pack_own(unit, &module->packed)) die(module->path, "cannot be packed");
    module->size = module->packed.len;
    bc_unit_free(unit);
    buf_free(&text);
}

static bool is_named(const Module *module, const char *name) {
    return module->name.len == strlen(name) && memcmp(module->name.data, name, module->name.len) == 0;
}

static Dictionary find_dictionary(const Module *modules, int count) {
    for (int i = 0; i < count; i++)
        if (is_named(&modules[i], STDLIB_DICTIONARY))
            return (Dictionary){modules[i].packed.data, modules[i].packed.len};
    return (Dictionary){0};
}

// What is compressed has another length, so it is left as it is where that would be the same.
static void compress(Mem *mem, Module *module, Dictionary dictionary) {
    Buf small, *packed = &module->packed;
    if (begins_with(&module->name, started_with)) return;
    buf_init(&small, mem);
    DeflateResult result = deflate_pack_with(dictionary, packed->data, packed->len, &small);
    if (result != DEFLATE_OK && result != DEFLATE_ABSENT) die(module->path, "cannot be compressed");
    if (result == DEFLATE_OK && small.len < packed->len) {
        packed->len = 0;
        buf_put(packed, small.data, small.len);
    }
    buf_free(&small);
}

// ---- writing ------------------------------------------------------------------------------------

static void write_bytes(FILE *out, int number, const Module *module) {
    const Buf *packed = &module->packed;
    fprintf(out, "\n// %.*s\nstatic const unsigned char module_%d[] = {", (int)module->name.len,
            module->name.data, number);
    for (size_t i = 0; i < packed->len; i++) {
        fprintf(out, "%s%d,", i % BYTES_PER_LINE ? "" : "\n    ", (unsigned char)packed->data[i]);
    }
    fprintf(out, "\n};\n");
}

static void write_table(FILE *out, const char *name, const Module *modules, int first, int end) {
    fprintf(out, "\n%s[] = {\n", name);
    for (int i = first; i < end; i++) {
        fprintf(out, "    {\"%.*s\", module_%d, %zu, %zu},\n", (int)modules[i].name.len,
                modules[i].name.data, i, modules[i].packed.len, modules[i].size);
    }
    fprintf(out, "    {0, 0, 0, 0},\n};\n");
}

// FNV-1a, of all modules as they are packed.
static unsigned long long hash_of(const Module *modules, int count) {
    unsigned long long hash = 0xCBF29CE484222325u;
    for (int i = 0; i < count; i++)
        for (size_t b = 0; b < modules[i].packed.len; b++)
            hash = (hash ^ (unsigned char)modules[i].packed.data[b]) * 0x100000001B3u;
    return hash;
}

static void begin_file(FILE *out) {
    fprintf(out, "// Written by nacre_ncc.\n\n#include \"lang/stdlib_blob.h\"\n");
}

// Modules up to `first_more` go to `out`, the others to `more`.
static void write_all(Mem *mem, FILE *out, FILE *more, Module *modules, int first_more, int count) {
    for (int i = 0; i < count; i++) compile_module(mem, &modules[i]);
    Dictionary dictionary = find_dictionary(modules, count);
    for (int i = 0; i < first_more; i++) compress(mem, &modules[i], dictionary);
    unsigned long long hash = hash_of(modules, count);
    begin_file(out);
    begin_file(more);
    for (int i = 0; i < count; i++) write_bytes(i < first_more ? out : more, i, &modules[i]);
    write_table(out, "const StdlibModule nacre_stdlib_modules", modules, 0, first_more);
    fprintf(out, "\nconst unsigned long long nacre_stdlib_hash = %lluu;\n", hash);
    write_table(more, "static const StdlibModule modules", modules, first_more, count);
    fprintf(more, "\nconst StdlibPlugin nacre_more_plugin = {%lluu, modules};\n", hash);
}

static bool close_file(FILE *file) {
    bool bad = ferror(file);
    return fclose(file) == 0 && !bad;
}

int main(int argc, char **argv) {
    Mem mem;
    mem_init(&mem, NULL, NULL, true, 0);
    if (argc < 4 || strcmp(argv[1], "-o") != 0) {
        fprintf(stderr, "usage: nacre_ncc -o OUT.c MORE.c [NAME=]PATH... -- [NAME=]PATH...\n");
        return 2;
    }
    int count = 0, first_more = -1;
    Module *modules = calloc((size_t)argc, sizeof *modules);
    FILE *out = fopen(argv[2], "w"), *more = fopen(argv[3], "w");
    if (!out || !more || !modules) die(argv[2], "cannot be written");
    for (int i = 4; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) first_more = count;
        else modules[count++] = module_of(&mem, argv[i]);
    }
    write_all(&mem, out, more, modules, first_more < 0 ? count : first_more, count);
    if (!close_file(out) || !close_file(more)) die(argv[2], "cannot be written");
    for (int i = 0; i < count; i++) {
        buf_free(&modules[i].name);
        buf_free(&modules[i].packed);
    }
    free(modules);
    mem_destroy(&mem);
    return 0;
}
