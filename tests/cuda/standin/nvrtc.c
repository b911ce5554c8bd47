// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A stand-in for libnvrtc: compiles CUDA C with the host's C++ compiler, for the stand-in driver. What it gives as
// a cubin is a shared object.
//
// STANDIN_CXX         the compiler and its options (default: g++ -O0)
// STANDIN_TEXTS       set: what was compiled is left in /tmp/standin-XXXXXX, to be looked at
// STANDIN_REAL_NVRTC  a real libnvrtc, which has to accept the source first: one run tests with both
// STANDIN_COMPILED    a folder that keeps what was compiled, by a hash of all that it depends on

#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

extern char **environ;

enum Result { OK, NO_MEMORY, CREATION, INVALID_INPUT, INVALID_PROGRAM, INVALID_OPTION, COMPILATION };
enum { PATH = 4096 };

typedef struct Program {
    char *source, *image;
    size_t size;
} Program;

API int nvrtcVersion(int *major, int *minor) {
    *major = 12, *minor = 0;
    return OK;
}

API int nvrtcGetNumSupportedArchs(int *count) {
    *count = 2;
    return OK;
}

API int nvrtcGetSupportedArchs(int *archs) {
    archs[0] = 80, archs[1] = 90;
    return OK;
}

API int nvrtcCreateProgram(Program **out, const char *source, const char *name, int count, const char *const *headers,
                           const char *const *names) {
    (void)name, (void)headers, (void)names;
    if (!source || count) return INVALID_INPUT;
    Program *p = calloc(1, sizeof *p);
    if (p) p->source = strdup(source);
    *out = p;
    return p && p->source ? OK : NO_MEMORY;
}

API int nvrtcDestroyProgram(Program **p) {
    if (!p || !*p) return INVALID_PROGRAM;
    free((*p)->source);
    free((*p)->image);
    free(*p);
    *p = NULL;
    return OK;
}

// --- Files -------------------------------------------------------------------------------------------

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    if (length > 0) bytes = malloc((size_t)length);
    if (bytes && fread(bytes, 1, (size_t)length, file) == (size_t)length) *size = (size_t)length;
    else free(bytes), bytes = NULL;
    fclose(file);
    return bytes;
}

static unsigned long long hash(unsigned long long h, const char *text) {
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
    return (h ^ 0xff) * 0x100000001b3ull;
}

static const char *compiler(void) {
    const char *own = getenv("STANDIN_CXX");
    return own ? own : "g++ -O0";
}

// Where the code is kept; false: nowhere.
static int kept_path(const Program *p, int count, const char *const *options, char path[PATH]) {
    const char *folder = getenv("STANDIN_COMPILED");
    unsigned long long h = hash(hash(0xcbf29ce484222325ull, p->source), compiler());
    for (int i = 0; i < count; i++) h = hash(h, options[i]);
    return folder && snprintf(path, PATH, "%s/%016llx.so", folder, h) < PATH;
}

static void keep(const Program *p, const char *path) { // whole or not at all
    char part[PATH + 32];
    snprintf(part, sizeof part, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(part, "wb");
    if (!file) return;
    size_t written = fwrite(p->image, 1, p->size, file);
    if (fclose(file) == 0 && written == p->size) rename(part, path);
    else unlink(part);
}

// --- What is compiled --------------------------------------------------------------------------------

// Writes a row for each kernel whose head has the word: its name stands before the parenthesis. Definitions of macros
// are no heads.
static void put_kernels(FILE *out, const char *source, const char *word) {
    for (const char *at = source; (at = strstr(at, word));) {
        const char *line = at, *end = strchr(at, '('), *name;
        while (line > source && line[-1] != '\n') line--;
        at += strlen(word);
        if (!end) break;
        if (*line == '#') continue;
        while (end > at && isspace((unsigned char)end[-1])) end--;
        for (name = end; name > at && (isalnum((unsigned char)name[-1]) || name[-1] == '_');) name--;
        fprintf(out, "STANDIN_KERNEL(%.*s),\n", (int)(end - name), name);
    }
}

// Kernels are declared with __global__, or with a macro KERNEL that has it.
static void put_table(FILE *out, const char *source) {
    fputs("\nstatic const StandinKernel standin_kernels[] = {\n", out);
    put_kernels(out, source, "__global__ ");
    put_kernels(out, source, "\nKERNEL ");
    fputs("{0, 0, 0, 0, 0}};\n"
          "extern \"C\" __attribute__((visibility(\"default\"))) const StandinModule standin_module;\n"
          "const StandinModule standin_module = {standin_kernels, (StandinWide)(&__stop_standin_shared - "
          "&__start_standin_shared) - sizeof standin_anchor, standin_begin};\n",
          out);
}

static int write_source(const Program *p, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) return 0;
    if (strstr(p->source, "__syncthreads")) fputs("#define STANDIN_FIBERS\n", file);
    fprintf(file, "#include \"device.h\"\n%s", p->source);
    put_table(file, p->source);
    return fclose(file) == 0;
}

static int run_compiler(const char *folder, const char *fusing) {
    char command[2 * PATH];
    char *const argv[] = {"sh", "-c", command, NULL};
    pid_t pid;
    int status = 1;
    snprintf(command, sizeof command,
             "exec %s -std=c++17 -w -fPIC -shared -nostartfiles -fno-exceptions -fno-rtti -fno-math-errno "
             "-fno-trapping-math -fno-strict-aliasing -ffp-contract=%s -fvisibility=hidden -nostdlib -pipe -I'%s' -x c++ "
             "'%s/kernel.cc' -o '%s/kernel.so' -lm -lgcc",
             compiler(), fusing, STANDIN_FOLDER, folder, folder);
    if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) == 0) waitpid(pid, &status, 0);
    return status == 0;
}

static int compile(Program *p, const char *fusing) {
    char folder[] = "/tmp/standin-XXXXXX", source[64], object[64];
    if (!mkdtemp(folder)) return CREATION;
    snprintf(source, sizeof source, "%s/kernel.cc", folder);
    snprintf(object, sizeof object, "%s/kernel.so", folder);
    if (write_source(p, source) && run_compiler(folder, fusing)) p->image = read_file(object, &p->size);
    if (getenv("STANDIN_TEXTS")) return p->image ? OK : COMPILATION;
    unlink(source);
    unlink(object);
    rmdir(folder);
    return p->image ? OK : COMPILATION;
}

// --- The real one ------------------------------------------------------------------------------------

static int ask_real(const Program *p, int count, const char *const *options) {
    const char *path = getenv("STANDIN_REAL_NVRTC");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL, *program = NULL;
    if (!path) return OK;
    if (!library) return fprintf(stderr, "stand-in: %s\n", dlerror()), COMPILATION;
    int (*create)(void **, const char *, const char *, int, void *, void *), (*make)(void *, int, const char *const *);
    int (*log_size)(void *, size_t *), (*log)(void *, char *), (*destroy)(void **);
    *(void **)&create = dlsym(library, "nvrtcCreateProgram");
    *(void **)&make = dlsym(library, "nvrtcCompileProgram");
    *(void **)&log_size = dlsym(library, "nvrtcGetProgramLogSize");
    *(void **)&log = dlsym(library, "nvrtcGetProgramLog");
    *(void **)&destroy = dlsym(library, "nvrtcDestroyProgram");
    int result = create(&program, p->source, "kernel.cu", 0, NULL, NULL);
    if (result == OK) result = make(program, count, options);
    size_t size = 0;
    char *text = result && program && log_size(program, &size) == 0 ? malloc(size + 1) : NULL;
    if (text && log(program, text) == 0) fprintf(stderr, "stand-in: NVRTC says:\n%s\n", text);
    free(text);
    if (program) destroy(&program);
    return result;
}

API int nvrtcCompileProgram(Program *p, int count, const char *const *options) {
    const char *fusing = "fast";
    char kept[PATH];
    int is_kept = kept_path(p, count, options, kept);
    for (int i = 0; i < count; i++) {
        if (strcmp(options[i], "--fmad=false") == 0) fusing = "off";
        if (options[i][0] != '-') return INVALID_OPTION;
    }
    if (is_kept && (p->image = read_file(kept, &p->size))) return OK;
    int result = ask_real(p, count, options);
    if (result == OK) result = compile(p, fusing);
    if (result == OK && is_kept) keep(p, kept);
    return result;
}

static int give(const Program *p, char *out) {
    if (!p->image) return INVALID_PROGRAM;
    memcpy(out, p->image, p->size);
    return OK;
}

static int give_size(const Program *p, size_t *size) {
    *size = p->image ? p->size : 0;
    return p->image ? OK : INVALID_PROGRAM;
}

API int nvrtcGetCUBINSize(Program *p, size_t *size) { return give_size(p, size); }
API int nvrtcGetCUBIN(Program *p, char *out) { return give(p, out); }
API int nvrtcGetPTXSize(Program *p, size_t *size) { return give_size(p, size); }
API int nvrtcGetPTX(Program *p, char *out) { return give(p, out); }
