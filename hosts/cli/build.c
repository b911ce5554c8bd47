// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command `nacre build`: generates C from a module's functions, and calls the compiler.

#include <errno.h>
#include <libgen.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "build.h"
#include "bundle.h"

extern char **environ;

static const char usage_text[] =
    "usage: nacre build FILE -o libNAME.so [--march=CPU]\n"
    "       nacre build --exe FILE -o PROGRAM\n"
    "\n"
    "Compiles the annotated functions of a module. Beside the library it writes NAME.h, for C, "
    "and\n"
    "NAME.pc, for pkg-config.\n"
    "\n"
    "  --exe         a program of the whole script instead: this one, with the script's files in "
    "it\n"
    "  -o FILE       the library; with the ending .c only its source and the header are written\n"
    "  --march=CPU   processor that it is for, in the compiler's words (default: native)\n";

// --- Names -------------------------------------------------------------------------------------

// Returns the last part of a path without its suffix. The caller frees it; NULL: out of memory.
static char *stem_of(const char *path) {
    const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
    const char *dot = strchr(begin, '.');
    return strndup(begin, dot && dot > begin ? (size_t)(dot - begin) : strlen(begin));
}

static void name_files(Build *b) {
    const char *slash = strrchr(b->output, '/'), *dot = strrchr(b->output, '.');
    int folder = slash ? (int)(slash + 1 - b->output) : 0;
    char *stem = stem_of(b->output);
    const char *name = stem && strncmp(stem, "lib", 3) == 0 && stem[3] ? stem + 3 : stem;
    b->only_source = dot && strcmp(dot, ".c") == 0;
    b->library = name ? strdup(name) : NULL;
    text_printf(&b->header, "%.*s%s.h", folder, b->output, name ? name : "");
    text_printf(&b->config, "%.*s%s.pc", folder, b->output, name ? name : "");
    if (b->only_source)
        text_puts(&b->source, b->output);
    else
        text_printf(&b->source, "%s.XXXXXX.c", b->output);
    free(stem);
}

// Finds the folder in which this program is installed, or was built, and which contains include/ and lib/. Returns
// false if that fails.
static bool find_prefix(Build *b) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) return false;
    path[length] = '\0';
    text_puts(&b->prefix, dirname(dirname(path)));
    text_printf(&b->libraries, "%s/%s", text_string(&b->prefix), NACRE_LIBDIR);
    if (access(text_string(&b->libraries), X_OK) != 0) { // not installed: it runs where it was built
        text_clear(&b->libraries);
        text_printf(&b->libraries, "%s/lib", text_string(&b->prefix));
    }
    return !b->prefix.failed && !b->libraries.failed;
}

// --- The compiler ------------------------------------------------------------------------------

// Runs the compiler that the environment names, otherwise the first of the usual ones that exists. Returns its exit
// status.
static int run_compiler(const char **words) {
    static const char *const usual[] = {"cc", "gcc", "clang", NULL};
    const char *named = getenv("NACRE_CC");
    pid_t child;
    int status, error = ENOENT;
    for (int i = 0; error == ENOENT && usual[i]; i++) {
        words[0] = named && *named ? named : usual[i];
        error = posix_spawnp(&child, words[0], NULL, NULL, (char *const *)words, environ);
        if (named && *named) break;
    }
    if (error) {
        fprintf(stderr, "nacre build: no C compiler: %s: %s\n", words[0], strerror(error));
        return 1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int compile(const Build *b) {
    enum { WORDS = 64 };
    const char *words[WORDS];
    Text include = {0}, libraries = {0}, soname = {0}, rpath = {0};
    char *output = strdup(b->output);
    int n = 0;
    const char *flag;
    words[n++] = NULL; // the compiler, which run_compiler sets
    for (int i = 0; (flag = nacre_build_flag(i)) && n < WORDS / 2; i++)
        words[n++] = b->march && strncmp(flag, "-march=", 7) == 0 ? b->march : flag;
    text_printf(&include, "-I%s/include", text_string(&b->prefix));
    text_printf(&libraries, "-L%s", text_string(&b->libraries));
    text_printf(&rpath, "-Wl,-rpath,%s", text_string(&b->libraries));
    text_printf(&soname, "-Wl,-soname,%s", output ? basename(output) : "");
    const char *const rest[] = {"-g",
                                "-fvisibility=hidden",
                                "-shared",
                                "-o",
                                b->output,
                                text_string(&b->source),
                                text_string(&include),
                                text_string(&libraries),
                                text_string(&soname),
                                text_string(&rpath),
                                "-lnacre-rt",
                                "-lm",
                                NULL};
    memcpy(words + n, rest, sizeof rest);
    int status = output ? run_compiler(words) : 1;
    free(output);
    text_free(&include);
    text_free(&libraries);
    text_free(&soname);
    text_free(&rpath);
    return status;
}

// --- Files -------------------------------------------------------------------------------------

static void write_file(Build *b, const char *path, const char *text, size_t length) {
    FILE *file = b->failed ? NULL : fopen(path, "w");
    bool good = file && fwrite(text, 1, length, file) == length;
    if (file && fclose(file) != 0) good = false;
    if (!good && !b->failed) fprintf(stderr, "nacre build: %s: %s\n", path, strerror(errno));
    b->failed |= !good;
}

// Writes the C source: to the output if only the source was requested, otherwise to a temporary file that only its
// owner can read.
static void write_source(Build *b, const char *text, size_t length) {
    if (b->only_source) {
        write_file(b, b->source.bytes, text, length);
        return;
    }
    int fd = mkstemps(b->source.bytes, 2);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    b->failed = !file || fwrite(text, 1, length, file) != length;
    if (file) b->failed |= fclose(file) != 0;
    if (b->failed) fprintf(stderr, "nacre build: %s: %s\n", b->source.bytes, strerror(errno));
}

static void take_text(void *ctx, NacreBuilt which, const char *text, size_t length) {
    Build *b = ctx;
    if (which == NACRE_BUILT_SOURCE) write_source(b, text, length);
    if (which == NACRE_BUILT_HEADER) write_file(b, text_string(&b->header), text, length);
    if (which == NACRE_BUILT_PKG_CONFIG && !b->only_source)
        write_file(b, text_string(&b->config), text, length);
}

// --- All of it ---------------------------------------------------------------------------------

static int build_library(Cli *cli, Build *b) {
    NacreVm *vm = cli_start(cli, 1, (char *[]){(char *)(uintptr_t)b->file});
    if (!vm) return cli->start_status;
    char *module = stem_of(b->file);
    NacreBuild build = {.struct_size = sizeof build,
                        .path = b->file,
                        .module = module ? module : "",
                        .library = b->library ? b->library : "",
                        .each = take_text,
                        .ctx = b};
    int status = cli_finish(cli, vm, nacre_build(vm, &build));
    free(module);
    if (status == 0 && b->failed) status = 1;
    if (status == 0 && !b->only_source) status = compile(b);
    if (!b->only_source && b->source.bytes) unlink(b->source.bytes);
    return status;
}

static bool read_arguments(Build *b, int count, char **argv) {
    for (int i = 1; i < count; i++) {
        if (strcmp(argv[i], "-o") == 0 && i + 1 < count)
            b->output = argv[++i];
        else if (strcmp(argv[i], "--exe") == 0)
            b->program = true;
        else if (strncmp(argv[i], "--march=", 8) == 0)
            b->march = argv[i] + 1;
        else if (argv[i][0] == '-' || b->file)
            return false;
        else
            b->file = argv[i];
    }
    return b->file && b->output && !(b->program && b->march);
}

int cli_build(Cli *cli, int count, char **argv) {
    Build b = {0};
    if (!read_arguments(&b, count, argv)) {
        fputs(usage_text, stderr);
        return 2;
    }
    if (b.program) return bundle_build(cli, b.file, b.output);
    name_files(&b);
    int status = 1;
    if (find_prefix(&b)) status = build_library(cli, &b);
    free(b.library);
    text_free(&b.header);
    text_free(&b.config);
    text_free(&b.source);
    text_free(&b.prefix);
    text_free(&b.libraries);
    return status;
}
