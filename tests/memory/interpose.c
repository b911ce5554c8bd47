// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A library to be preloaded: counts what a process asks the C library and the system for memory, and
// writes the counts to the file that NACRE_INTERPOSED names when the process ends. What the C library
// asks for within itself is not seen.

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

// From here on a block is an array's, and no small object of the program's.
enum { LARGE = 1 << 18 };

static atomic_uint_fast64_t calls, large_calls, large_bytes;

static void count(size_t size) {
    atomic_fetch_add(&calls, 1);
    if (size < LARGE) return;
    atomic_fetch_add(&large_calls, 1);
    atomic_fetch_add(&large_bytes, size);
}

// The names under which glibc's allocator can be had past its public ones; dlsym would allocate.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
    count(items * size);
    return __libc_calloc(items, size);
}

// One that frees is none.
void *realloc(void *block, size_t size) {
    if (size > 0 || !block) count(size);
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    int before = errno;
    void *found = memalign(alignment, size);
    errno = before;
    if (!found) return ENOMEM;
    *block = found;
    return 0;
}

typedef void *(*MmapFn)(void *, size_t, int, int, int, off_t);

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    static _Atomic(MmapFn) real;
    if (!atomic_load(&real)) {
        void *found = dlsym(RTLD_NEXT, "mmap");
        MmapFn fn;
        memcpy(&fn, &found, sizeof fn);
        atomic_store(&real, fn);
    }
    count(size);
    return atomic_load(&real)(at, size, protection, flags, file, offset);
}

static __attribute__((destructor)) void report(void) {
    uint64_t seen[] = {atomic_load(&calls), atomic_load(&large_calls), atomic_load(&large_bytes)};
    const char *path = getenv("NACRE_INTERPOSED");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", seen[0], seen[1], seen[2]);
    fclose(file);
}
