// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Building and finding machine code for kernels. One compiler runs at a time, as a process of its
// own, in a folder that nobody else can see into.

#include "backends/cpu/native.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/cpu/code_cache.h"

extern char **environ;

enum { CODES = 256, PATH_BYTES = 256 };
// Instructions times elements that a form has to have cost before it is worth a compiler: some 0.1
// s.
static const double least_work = 1 << 27;

typedef enum CodeState {
    CODE_NONE, // not worth it yet
    CODE_WANTED,
    CODE_BUILDING,
    CODE_READY,
    CODE_FAILED, // the interpreter goes on
} CodeState;

typedef struct Code {
    Form form;
    uint64_t hash;
    CodeState state;
    double work;
    uint64_t not_before; // attendances: another process is building it
    BodyFn body;
    void *library;
} Code;

struct CodeStore {
    pthread_mutex_t lock; // of everything below: native_body is asked by all threads
    Tier tier;
    char folder[PATH_BYTES]; // empty: not made yet
    CodeCache cache;
    Code *building; // NULL: none is
    CodeKey key;    // of what is being built,
    int claim;      // to which this process has one
    pid_t compiler;
    uint64_t attended;
    int wanted, ready, count;
    Code codes[CODES];
};

CodeStore *native_open(Vm *vm, Tier tier) {
    CodeStore *n = mem_zalloc(&vm->mem, sizeof *n);
    if (!n) return NULL;
    pthread_mutex_init(&n->lock, NULL);
    n->tier = tier;
    code_cache_open(&n->cache);
    return n;
}

// --- Files -------------------------------------------------------------------------------------

static void name_file(const CodeStore *n, const Code *code, const char *ending,
                      char path[PATH_BYTES + 32]) {
    snprintf(path, PATH_BYTES + 32, "%s/%d.%s", n->folder, (int)(code - n->codes), ending);
}

static bool make_folder(CodeStore *n) {
    const char *parent = getenv("TMPDIR");
    if (n->folder[0]) return true;
    int length = snprintf(n->folder, sizeof n->folder, "%s/nacre-XXXXXX",
                          parent && *parent ? parent : "/tmp");
    if (length < (int)sizeof n->folder && mkdtemp(n->folder)) return true;
    n->folder[0] = 0;
    return false;
}

static bool write_source(const CodeStore *n, const Code *code, const Buf *text) {
    char path[PATH_BYTES + 32];
    name_file(n, code, "c", path);
    return write_private_file(path, text->data, text->len);
}

static void remove_files(const CodeStore *n, const Code *code) {
    char path[PATH_BYTES + 32];
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

static void want(CodeStore *n, Code *code) {
    if (code->state != CODE_NONE) return;
    code->state = CODE_WANTED;
    n->wanted++;
}

enum { WORDS = 16 };

// The flags with which the interpreter's loops are compiled: none of them changes a value. And what
// is computed stays where it is written, since sunk into one side of a choice it would raise its
// float flags for some elements only.
static void words_of(const char *source, const char *library, const char *words[WORDS]) {
    const char *named = getenv("NACRE_CC"), *compiler = named && *named ? named : "cc";
    const char *const all[] = {compiler,
                               "-O3",
                               "-march=native",
                               "-ffp-contract=off",
                               "-fno-math-errno",
                               "-fno-tree-sink",
                               "-w",
                               "-fPIC",
                               "-shared",
                               "-o",
                               library,
                               source,
                               "-lm",
                               NULL};
    memcpy(words, all, sizeof all);
}

static bool start_compiler(CodeStore *n, const Code *code, char *const *environment) {
    char source[PATH_BYTES + 32], library[PATH_BYTES + 32];
    const char *words[WORDS];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    name_file(n, code, "c", source);
    name_file(n, code, "so", library);
    words_of(source, library, words);
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

// The compiler's files lie in the folder too, so that nothing is left of one that is ended. It is a
// group of processes, which a key pressed at the terminal does not reach.
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

// The library is open, or none could be made.
static void settle(CodeStore *n, Code *code, void *library) {
    code->library = library;
    code->body = library ? (BodyFn)dlsym(library, NACRE_BODY) : NULL;
    code->state = code->body ? CODE_READY : CODE_FAILED;
    n->ready += code->body != NULL;
}

static void finish(CodeStore *n, Vm *vm, Code *code, bool good) {
    char path[PATH_BYTES + 32];
    name_file(n, code, "so", path);
    if (good) code_cache_store(&n->cache, n->key, path, &vm->mem);
    settle(n, code, good ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL);
    code_cache_release(&n->cache, n->key, n->claim);
    remove_files(n, code);
}

// Takes the code from the cache, or begins to build it.
static void get_code(CodeStore *n, Vm *vm, Code *code, const Buf *text) {
    enum { LATER = 64 };
    const char *words[WORDS];
    words_of("", "", words); // file names are not what makes code differ
    CodeKey key = code_key(text, words);
    char path[PATH_BYTES + 32];
    if (!make_folder(n)) return;
    name_file(n, code, "so", path);
    if (code_cache_load(&n->cache, key, path, &vm->mem)) {
        settle(n, code, dlopen(path, RTLD_NOW | RTLD_LOCAL));
        unlink(path);
        return;
    }
    int claim = code_cache_claim(&n->cache, key);
    if (claim == CLAIM_BUSY) {
        code->not_before = n->attended + LATER;
        want(n, code);
        return;
    }
    n->key = key;
    n->claim = claim;
    if (write_source(n, code, text) && spawn(n, vm, code)) {
        code->state = CODE_BUILDING;
        n->building = code;
        return;
    }
    remove_files(n, code);
    code_cache_release(&n->cache, key, claim);
}

static void begin(CodeStore *n, Vm *vm, Code *code) {
    Buf text;
    buf_init(&text, &vm->mem);
    n->wanted--;
    code->state = CODE_NONE;
    if (emit_kernel(&dialect_c, &code->form, &text)) get_code(n, vm, code, &text);
    if (code->state == CODE_NONE) code->state = CODE_FAILED;
    buf_free(&text);
}

// Takes what the compiler has made, if it has ended. A host that waits for all children may have
// had the news before: then the file says how it ended.
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

static Code *find(CodeStore *n, const Form *form) {
    uint64_t hash = form_hash(form);
    for (int i = 0; i < n->count; i++)
        if (n->codes[i].hash == hash && memcmp(&n->codes[i].form, form, sizeof *form) == 0)
            return &n->codes[i];
    if (n->count == CODES) return NULL;
    Code *code = &n->codes[n->count++];
    code->form = *form;
    code->hash = hash;
    return code;
}

static void build_next(CodeStore *n, Vm *vm) {
    for (int i = 0; n->wanted > 0 && !n->building && i < n->count; i++)
        if (n->codes[i].state == CODE_WANTED && n->codes[i].not_before <= n->attended)
            begin(n, vm, &n->codes[i]);
}

void native_attend(CodeStore *n, Vm *vm, const Kernel *kernel) {
    Form form;
    pthread_mutex_lock(&n->lock);
    n->attended++;
    if (n->tier == TIER_KERNEL && form_of(kernel, &form)) {
        Code *code = find(n, &form);
        if (code) want(n, code);
    }
    if (n->building) collect(n, vm, false);
    if (!n->building) build_next(n, vm);
    while (n->tier == TIER_KERNEL && n->building) {
        collect(n, vm, true);
        build_next(n, vm);
    }
    pthread_mutex_unlock(&n->lock);
}

BodyFn native_body(CodeStore *n, const Form *form, const Kernel *kernel) {
    double work = kernel->code_count;
    for (int d = 0; d < kernel->ndim; d++) work *= (double)kernel->shape[d];
    pthread_mutex_lock(&n->lock);
    Code *code = find(n, form);
    if (code) {
        code->work += work;
        if (code->work >= least_work) want(n, code);
    }
    BodyFn body = code ? code->body : NULL;
    pthread_mutex_unlock(&n->lock);
    return body;
}

int native_count(CodeStore *n) {
    if (!n) return 0;
    pthread_mutex_lock(&n->lock);
    int ready = n->ready;
    pthread_mutex_unlock(&n->lock);
    return ready;
}

void native_close(Vm *vm, CodeStore *n) {
    if (!n) return;
    if (n->building) {
        kill(-n->compiler, SIGKILL);
        collect(n, vm, true);
    }
    for (int i = 0; i < n->count; i++)
        if (n->codes[i].library) dlclose(n->codes[i].library);
    if (n->folder[0]) remove_folder(n);
    code_cache_close(&n->cache);
    pthread_mutex_destroy(&n->lock);
    mem_free(&vm->mem, n, sizeof *n);
}
