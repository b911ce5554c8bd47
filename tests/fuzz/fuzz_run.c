// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Any bytes as a program. It runs with little memory, few levels of calls and little time, and
// without files; whatever it does, it ends, the VM still works, and everything is given back. The
// length chooses whether reference counts are verified at every statement, and how much memory
// there is.
//
// Time is kept by a thread that interrupts the VM, again and again. A program that catches every
// KeyboardInterrupt and goes on is left in the middle of an allocation, and its memory is freed
// from outside.

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nacre/nacre.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { TEXT_MAX = 8192, TICK_MS = 20, TICKS_FREE = 10, TICKS_MAX = 60, RECURSION = 150 };

// Blocks handed out, so that a VM that is left can be freed.
typedef struct Block {
    struct Block *next, *previous;
} Block;
_Static_assert(sizeof(Block) % 16 == 0, "blocks stay aligned to 16 bytes");

static struct {
    pthread_mutex_t lock; // of vm and ticks
    NacreVm *vm;          // running; NULL: nothing to interrupt
    int ticks;
    atomic_bool running, give_up;
    bool may_leave;
    sigjmp_buf leave;
    Block blocks;
    size_t count;
} now = {.lock = PTHREAD_MUTEX_INITIALIZER};

// --- Memory --------------------------------------------------------------------------------------

static void unlink_block(Block *block) {
    block->previous->next = block->next;
    block->next->previous = block->previous;
    now.count--;
}

static void link_block(Block *block) {
    block->next = now.blocks.next;
    block->previous = &now.blocks;
    now.blocks.next->previous = block;
    now.blocks.next = block;
    now.count++;
}

static void *allocate(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    (void)ctx;
    if (now.may_leave && now.give_up) siglongjmp(now.leave, 1);
    Block *block = ptr ? (Block *)ptr - 1 : NULL, *fresh = NULL;
    if (new_size) {
        fresh = malloc(sizeof *fresh + new_size);
        if (!fresh) return NULL;
        link_block(fresh);
        if (block) memcpy(fresh + 1, ptr, old_size < new_size ? old_size : new_size);
    }
    if (block) {
        unlink_block(block);
        free(block);
    }
    return fresh ? fresh + 1 : NULL;
}

static void free_all(void) {
    while (now.count) {
        Block *block = now.blocks.next;
        unlink_block(block);
        free(block);
    }
}

// --- Time ----------------------------------------------------------------------------------------

static void *keep_time(void *unused) {
    (void)unused;
    for (;;) {
        usleep(TICK_MS * 1000);
        pthread_mutex_lock(&now.lock);
        if (now.vm && ++now.ticks > TICKS_FREE) nacre_interrupt(now.vm);
        if (now.vm && now.ticks > TICKS_MAX) now.give_up = true;
        pthread_mutex_unlock(&now.lock);
    }
    return NULL;
}

static void watch(NacreVm *vm) {
    pthread_mutex_lock(&now.lock);
    now.vm = vm;
    now.ticks = 0;
    now.give_up = false;
    pthread_mutex_unlock(&now.lock);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    pthread_t thread;
    (void)argc;
    (void)argv;
    now.blocks.next = now.blocks.previous = &now.blocks;
    return pthread_create(&thread, NULL, keep_time, NULL);
}

// --- No files ------------------------------------------------------------------------------------
//
// The linker leads calls of these functions here (--wrap): a program of random words shall not meet
// the machine's files. libFuzzer's own calls come while no program runs.

int __real_open(const char *path, int flags, ...);
int __real_unlink(const char *path);
int __real_rmdir(const char *path);
int __real_mkdir(const char *path, mode_t mode);
int __real_rename(const char *from, const char *to);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_unlink(const char *path);
int __wrap_rmdir(const char *path);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_rename(const char *from, const char *to);

static bool refused(void) {
    errno = EACCES;
    return now.running;
}

int __wrap_open(const char *path, int flags, mode_t mode) {
    return refused() ? -1 : __real_open(path, flags, mode);
}

int __wrap_unlink(const char *path) {
    return refused() ? -1 : __real_unlink(path);
}

int __wrap_rmdir(const char *path) {
    return refused() ? -1 : __real_rmdir(path);
}

int __wrap_mkdir(const char *path, mode_t mode) {
    return refused() ? -1 : __real_mkdir(path, mode);
}

int __wrap_rename(const char *from, const char *to) {
    return refused() ? -1 : __real_rename(from, to);
}

// --- One program ---------------------------------------------------------------------------------

static void require(bool condition) {
    if (!condition) abort();
}

// By hand and uncovered: libFuzzer writes what it sees strings compared with into its programs.
__attribute__((no_sanitize("coverage"))) static bool begins(const char *text, const char *with) {
    while (*with)
        if (*text++ != *with++) return false;
    return true;
}

static const char *last_line(const char *text) {
    const char *line = text;
    for (; *text; text++)
        if (*text == '\n' && text[1]) line = text + 1;
    return line;
}

// What no program should be able to cause.
static void look_for_defects(const char *text) {
    static const char *const defects[] = {
        "reference counts are not exact", "malformed", "bad operand", "unknown constant",
        "operation without a slow path", "the prelude has no", "a captured variable",
    };
    const char *line = last_line(text);
    if (!begins(line, "SystemError: ")) return;
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        if (!begins(line + strlen("SystemError: "), defects[i])) continue;
        fprintf(stderr, "%s", text);
        abort();
    }
}

static NacreVm *make_vm(size_t size) {
    NacreOptions options = {.struct_size = sizeof options};
    options.alloc = allocate;
    options.memory_limit = size % 5 == 0 ? 3 << 20 : 64 << 20;
    options.recursion_limit = RECURSION;
    options.stress = size % 4 == 0;
    options.unpooled = 1;
    options.threads = 1;
    return nacre_new(&options);
}

static void run(NacreVm *vm, const char *text, size_t size) {
    NacreStatus status = nacre_run(vm, text, size, "fuzz", NACRE_FILE);
    require(status != NACRE_MISUSE);
    const char *error = nacre_error_text(vm);
    if (status == NACRE_ERROR) require(*nacre_error_class(vm));
    look_for_defects(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > TEXT_MAX) return -1;
    NacreVm *volatile vm = make_vm(size);
    require(vm);
    now.running = true;
    watch(vm);
    if (sigsetjmp(now.leave, 0) == 0) {
        now.may_leave = true;
        run(vm, (const char *)data, size);
        now.may_leave = false;
        watch(NULL);
        nacre_free(vm);
        require(now.count == 0);
    } else {
        now.may_leave = false;
        watch(NULL);
        free_all();
    }
    now.running = false;
    return 0;
}
