// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Builds and finds machine code. One compiler process runs at a time, in a folder that is private
// to the user.

#include "backends/cpu/native/code_store.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/cpu/native/code_cache.h"
#include "backends/emit/emit.h"

extern char **environ;

enum { PATH_BYTES = 256 };

typedef enum CodeState {
    CODE_WANTED,
    CODE_BUILDING,
    CODE_READY,
    CODE_FAILED,
} CodeState;

struct Code {
    Buf text; // source, until it is built
    int number;
    CodeState state;
    uint64_t not_before; // skipped until `attended` has this value, since another process builds it
    void *entry, *library;
    Code *next;
};

struct CodeStore {
    char folder[PATH_BYTES]; // empty: not created yet
    bool stays;              // keep built files, with line numbers of the program
    CodeCache cache;
    Code *building; // NULL: nothing is being built
    CodeKey key;    // key of the code that is being built, and this process's claim to build it
    int claim;
    pid_t compiler;
    uint64_t attended;
    int wanted, count;
    Code *codes;
};

CodeStore *code_store_open(Vm *vm) {
    CodeStore *n = mem_zalloc(&vm->mem, sizeof *n);
    const char *folder = getenv("NACRE_KEEP_CODE");
    if (!n) return NULL;
    n->stays = folder && *folder;
    n->cache.folder = -1; // cached code has no line numbers
    if (!n->stays) code_cache_open(&n->cache);
    return n;
}

bool code_store_stays(const CodeStore *n) {
    return n->stays;
}

// --- Files -------------------------------------------------------------------------------------

static void name_file(const CodeStore *n, const Code *code, const char *ending,
                      char path[PATH_BYTES + 32]) {
    snprintf(path, PATH_BYTES + 32, "%s/%d.%s", n->folder, code->number, ending);
}

static bool make_folder(CodeStore *n) {
    const char *parent = getenv(n->stays ? "NACRE_KEEP_CODE" : "TMPDIR");
    if (n->folder[0]) return true;
    int length = snprintf(n->folder, sizeof n->folder, "%s/nacre-XXXXXX",
                          parent && *parent ? parent : "/tmp");
    if (length < (int)sizeof n->folder && mkdtemp(n->folder)) return true;
    n->folder[0] = 0;
    return false;
}

static bool write_source(const CodeStore *n, const Code *code) {
    char path[PATH_BYTES + 32];
    name_file(n, code, "c", path);
    return write_private_file(path, code->text.data, code->text.len);
}

static void remove_files(const CodeStore *n, const Code *code) {
    char path[PATH_BYTES + 32];
    if (n->stays) return;
    name_file(n, code, "c", path);
    unlink(path);
    name_file(n, code, "so", path);
    unlink(path);
}

static void remove_folder(const CodeStore *n) {
    DIR *dir = opendir(n->folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir) closedir(dir);
    rmdir(n->folder);
}

// --- Building ----------------------------------------------------------------------------------

static const char *compiler_name(void) {
    const char *named = getenv("NACRE_CC");
    return named && *named ? named : "cc";
}

static bool is_program(const char *folder, size_t length, const char *name) {
    char path[PATH_BYTES + 32];
    int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
    return size < (int)sizeof path && access(path, X_OK) == 0;
}

void code_store_describe(Buf *out) {
    const char *name = compiler_name(), *paths = getenv("PATH");
    bool found = strchr(name, '/') ? access(name, X_OK) == 0 : false;
    for (const char *at = paths; at && !found && !strchr(name, '/');
         at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL)
        found = is_program(at, strcspn(at, ":"), name);
    buf_printf(out, "machine code: %s %s\n", found ? "by" : "none, there is no compiler", name);
}

enum { WORDS = 32 };

// The same flags as for the interpreter's loops; none changes a value. Code sinking is off: a
// computation moved into one branch would raise its float flags for some elements only. Builtins
// are off, so that C library functions are called as in the interpreter.
const char *const code_flags[] = {"-O3",
                                  "-march=native",
                                  "-ffp-contract=off",
                                  "-fno-math-errno",
                                  "-fno-tree-sink",
                                  "-fno-strict-aliasing",
                                  "-fno-builtin-pow",
                                  "-fno-builtin-exp",
                                  "-fno-builtin-log",
                                  "-fno-builtin-sin",
                                  "-fno-builtin-cos",
                                  "-fno-builtin-tan",
                                  "-fno-builtin-asin",
                                  "-fno-builtin-acos",
                                  "-fno-builtin-atan",
                                  "-fno-builtin-sinh",
                                  "-fno-builtin-cosh",
                                  "-fno-builtin-tanh",
                                  "-w",
                                  "-fPIC",
                                  NULL};

// Returns whether the compiler rejects a flag: clang does not know -fno-tree-sink. Clang does not sink
// computations that may raise float flags, because the emitted code tells it that the flags matter.
static bool is_refused(const char *flag, const char *compiler) {
    const char *slash = strrchr(compiler, '/'), *name = slash ? slash + 1 : compiler;
    return strncmp(name, "clang", 5) == 0 && strcmp(flag, "-fno-tree-sink") == 0;
}

static void words_of(const CodeStore *n, const char *source, const char *library,
                     const char *words[WORDS]) {
    const char *const rest[] = {"-shared", "-o", library, source, "-lm", NULL};
    int count = 0;
    words[count++] = compiler_name();
    if (n->stays) words[count++] = "-g1";
    for (int i = 0; code_flags[i]; i++)
        if (!is_refused(code_flags[i], words[0])) words[count++] = code_flags[i];
    memcpy(words + count, rest, sizeof rest);
}

static bool start_compiler(CodeStore *n, const Code *code, char *const *environment) {
    char source[PATH_BYTES + 32], library[PATH_BYTES + 32];
    const char *words[WORDS];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    name_file(n, code, "c", source);
    name_file(n, code, "so", library);
    words_of(n, source, library, words);
    if (posix_spawn_file_actions_init(&files) != 0) return false;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    for (int f = 0; f < 3; f++) posix_spawn_file_actions_addopen(&files, f, "/dev/null", O_RDWR, 0);
    bool started = posix_spawnp(&n->compiler, words[0], &files, &attributes, (char *const *)words,
                                environment) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return started;
}

// Starts the compiler. Its temporary files go to the store's folder, so nothing is left behind if the
// compiler is killed. The compiler has its own process group, so terminal signals do not reach it.
static bool spawn(CodeStore *n, Vm *vm, const Code *code) {
    char folder[PATH_BYTES + 32];
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **environment = mem_alloc(&vm->mem, (count + 2) * sizeof *environment);
    if (!environment) return false;
    snprintf(folder, sizeof folder, "TMPDIR=%s", n->folder);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0) environment[kept++] = environ[i];
    environment[kept++] = folder;
    environment[kept] = NULL;
    bool started = start_compiler(n, code, environment);
    mem_free(&vm->mem, environment, (count + 2) * sizeof *environment);
    return started;
}

// Records the outcome of a build: `library` is an open library, or NULL if the build failed.
static void settle(Code *code, void *library) {
    code->library = library;
    code->entry = library ? dlsym(library, EMITTED_NAME) : NULL;
    code->state = code->entry ? CODE_READY : CODE_FAILED;
    buf_free(&code->text);
}

static void finish(CodeStore *n, Vm *vm, Code *code, bool good) {
    char path[PATH_BYTES + 32];
    name_file(n, code, "so", path);
    settle(code, good ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL);
    // Only what can be opened is kept: of a compiler that a host has reaped the exit status is unknown.
    if (code->state == CODE_READY) code_cache_store(&n->cache, n->key, path, &vm->mem);
    code_cache_release(&n->cache, n->key, n->claim);
    remove_files(n, code);
}

static CodeKey key_of(const CodeStore *n, const Code *code) {
    const char *words[WORDS];
    words_of(n, "", "", words); // file names must not be part of the key
    return code_key(&code->text, words);
}

// Loads the code from the cache. False: it is not cached.
static bool find_kept(CodeStore *n, Vm *vm, Code *code, CodeKey key) {
    char path[PATH_BYTES + 32];
    if (!make_folder(n)) return false;
    name_file(n, code, "so", path);
    if (!code_cache_load(&n->cache, key, path, &vm->mem)) return false;
    n->wanted--;
    settle(code, dlopen(path, RTLD_NOW | RTLD_LOCAL));
    unlink(path);
    return true;
}

enum { LATER = 64 }; // calls of code_store_attend until code that another VM builds is searched in the cache again

// Starts a build, unless the code is cached or another VM is building it. False: the build could not be started.
static bool begin(CodeStore *n, Vm *vm, Code *code) {
    CodeKey key = key_of(n, code);
    if (find_kept(n, vm, code, key)) return true;
    if (!make_folder(n)) return false;
    int claim = code_cache_claim(&n->cache, key);
    if (claim == CLAIM_BUSY) {
        code->not_before = n->attended + LATER;
        return true;
    }
    n->key = key;
    n->claim = claim;
    if (write_source(n, code) && spawn(n, vm, code)) {
        n->wanted--;
        code->state = CODE_BUILDING;
        n->building = code;
        return true;
    }
    remove_files(n, code);
    code_cache_release(&n->cache, key, claim);
    return false;
}

// Collects the result of a finished compiler. A host that waits for all children may have reaped the compiler
// first: its exit status is then unknown, and whether its library can be opened tells if the build succeeded.
static void collect(CodeStore *n, Vm *vm, bool wait) {
    int status = 0;
    pid_t ended;
    do ended = waitpid(n->compiler, &status, wait ? 0 : WNOHANG);
    while (ended < 0 && errno == EINTR);
    if (ended == 0) return;
    Code *code = n->building;
    n->building = NULL;
    finish(n, vm, code, ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

static void build_next(CodeStore *n, Vm *vm) {
    for (Code *code = n->codes; n->wanted > 0 && !n->building && code; code = code->next) {
        if (code->state != CODE_WANTED || code->not_before > n->attended || begin(n, vm, code))
            continue;
        n->wanted--;
        settle(code, NULL);
    }
}

// --- Interface ---------------------------------------------------------------------------------

Code *code_store_ask(CodeStore *n, Vm *vm, Buf *text) {
    Code *code = text->failed ? NULL : mem_zalloc(&vm->mem, sizeof *code);
    if (!code) {
        buf_free(text);
        return NULL;
    }
    code->text = *text;
    code->number = n->count++;
    code->next = n->codes;
    n->codes = code;
    n->wanted++;
    find_kept(n, vm, code, key_of(n, code));
    return code;
}

void code_store_attend(CodeStore *n, Vm *vm, bool wait) {
    n->attended++;
    if (n->building) collect(n, vm, false);
    if (!n->building) build_next(n, vm);
    while (wait && (n->building || n->wanted > 0)) {
        const struct timespec pause = {.tv_nsec = 2000000};
        if (n->building) collect(n, vm, true);
        else nanosleep(&pause, NULL), n->attended += LATER; // another VM is building it
        build_next(n, vm);
    }
}

void *code_entry(const Code *code) {
    return code->entry;
}

bool code_failed(const Code *code) {
    return code->state == CODE_FAILED;
}

void code_store_close(Vm *vm, CodeStore *n) {
    if (!n) return;
    if (n->building) {
        kill(-n->compiler, SIGKILL);
        collect(n, vm, true);
    }
    for (Code *code = n->codes, *next; code; code = next) {
        next = code->next;
        if (code->library) dlclose(code->library);
        buf_free(&code->text);
        mem_free(&vm->mem, code, sizeof *code);
    }
    if (n->folder[0] && !n->stays) remove_folder(n);
    code_cache_close(&n->cache);
    mem_free(&vm->mem, n, sizeof *n);
}
