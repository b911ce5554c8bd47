// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Interrupts and the end of the time in the middle of one call of LAPACK: the program is told at once, while the call
// goes on in its thread and frees what it has at the end, whether there is still a VM or library or not. That a call was
// left is seen from the number of threads; an own one that has ended does not count.

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

static void sleep_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static int threads_now(void) {
    DIR *dir = opendir("/proc/self/task");
    int count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) count += entry->d_name[0] != '.';
    if (dir) closedir(dir);
    return count;
}

// Waits until there are no more threads than that. A minute is for machines that are very busy.
static bool threads_end(int count) {
    for (int i = 0; i < 60000 && threads_now() > count; i++) sleep_ms(1);
    return threads_now() <= count;
}

// --- Hosts ---------------------------------------------------------------------------------------

// What the VM holds of the host's memory.
static void *count_alloc(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    size_t *held = ctx;
    void *block = NULL;
    if (new_size == 0) free(ptr);
    else if (!(block = realloc(ptr, new_size))) return NULL;
    *held += new_size - old_size;
    return block;
}

typedef struct Long {
    Host host;
    size_t held;
    int threads; // before anything long
    int running; // now
    pthread_t thread;
} Long;

static bool has_lapack(NacreVm *vm) {
    return run(vm, "import numpy as np\nL = np.linalg\nL.svd(np.eye(3))") == NACRE_OK;
}

static void *do_nothing(void *ctx) {
    return ctx;
}

static NacreVm *start(Long *l, const char *backend, size_t memory_limit, double time_limit) {
    pthread_t first; // with which a sanitizer starts a thread of its own
    memset(l, 0, sizeof *l);
    if (pthread_create(&first, NULL, do_nothing, NULL) == 0) pthread_join(first, NULL);
    NacreOptions options = host_options(&l->host);
    options.alloc = count_alloc;
    options.alloc_ctx = &l->held;
    options.backend = backend;
    options.threads = 1;
    options.memory_limit = memory_limit;
    options.time_limit = time_limit;
    NacreVm *vm = l->host.vm = nacre_new(&options);
    CHECK(vm);
    if (!has_lapack(vm) || run(vm, "a = np.sin(np.arange(1200. * 1200)).reshape(1200, 1200)\nr = float(a.sum())\nb = a[:300, :300]\n"
                                   "expect = L.svd(b)[1][0]\n") != NACRE_OK) {
        nacre_free(vm);
        return NULL;
    }
    l->threads = threads_now();
    return vm;
}

// Waits until there are more threads than that, perhaps in vain, and a little longer.
static void threads_begin(int count) {
    for (int i = 0; i < 60000 && threads_now() <= count; i++) sleep_ms(1);
    sleep_ms(20);
}

// Interrupts once the call has a thread beside this one.
static void *interrupt_soon(void *ctx) {
    Long *l = ctx;
    threads_begin(l->running + 1);
    nacre_interrupt(l->host.vm);
    return NULL;
}

static NacreStatus run_interrupted(Long *l, const char *text) {
    l->running = threads_now();
    CHECK(pthread_create(&l->thread, NULL, interrupt_soon, l) == 0);
    NacreStatus status = run(l->host.vm, text);
    pthread_join(l->thread, NULL);
    return status;
}

static bool is_right(NacreVm *vm) {
    return evaluates(vm, "bool(L.svd(b)[1][0] == expect)", "True") && evaluates(vm, "float(a.sum()) == r", "True") &&
           evaluates(vm, "(np.arange(10.) * 2).sum().item()", "90.0");
}

// --- Interrupts ----------------------------------------------------------------------------------

static void test_interrupts(const char *backend, size_t count, const char *const *texts) {
    Long l;
    NacreVm *vm = start(&l, backend, 0, 0);
    if (!vm) return;
    for (size_t i = 0; i < count; i++) {
        CHECK(run(vm, "x = 5") == NACRE_OK);
        NacreStatus status = run_interrupted(&l, texts[i]);
        int threads = threads_now();
        CHECK(status == NACRE_INTERRUPTED);
        CHECK(threads > l.threads);
        if (failures) printf("%s: %d, %d threads of %d\n", texts[i], (int)status, threads, l.threads);
        CHECK(evaluates(vm, "x", "5"));
        CHECK(is_right(vm));
        CHECK(threads_end(l.threads));
    }
    nacre_free(vm);
    CHECK(l.held == 0);
}

static void test_cpu(void) {
    static const char *const texts[] = {"x = L.svd(a)[1][0].item()", "x = L.lstsq(a, a, rcond=None)[2]",
                                        "def f(): return L.eigvals(a[:900, :900])[0].item()\nx = f()",
                                        "x = [L.qr(np.stack([a, a, a]))[0][i, 0, 0].item() for i in range(9)]"};
    test_interrupts(NULL, sizeof texts / sizeof *texts, texts);
}

static void test_mirror(void) {
    test_interrupts("mirror", 1, (const char *const[]){"x = L.svd(a)[1][0].item()"});
}

static void test_closed_at_once(void) {
    Long l;
    NacreVm *vm = start(&l, NULL, 0, 0);
    if (!vm) return;
    CHECK(run_interrupted(&l, "try:\n    s = L.svd(a)[1]\n    s[0].item()\nexcept KeyboardInterrupt:\n    s = L.svd(b)[1][0] == expect") ==
          NACRE_OK);
    CHECK(evaluates(vm, "bool(s)", "True"));
    nacre_free(vm);
    CHECK(l.held == 0 && threads_now() > l.threads && threads_end(l.threads));
}

static void test_time(void) {
    Long l;
    NacreVm *vm = start(&l, NULL, 0, 3); // what comes before must not take as long
    if (!vm) return;
    CHECK(run(vm, "big = np.sin(np.arange(3000. * 3000)).reshape(3000, 3000)\nbig.sum().item()") == NACRE_OK);
    CHECK(failed(vm, run(vm, "y = L.eig(big)[0][0].item()"), "TimeoutError"));
    CHECK(threads_now() > l.threads);
    CHECK(is_right(vm));
    nacre_free(vm);
    CHECK(l.held == 0);
}

// --- Calls that were left -------------------------------------------------------------------------

// Two may be running; a third long call waits, and short ones do not.
static void test_few_are_left(void) {
    Long l;
    NacreVm *vm = start(&l, NULL, 0, 0);
    if (!vm) return;
    for (int i = 0; i < 2; i++)
        CHECK(run_interrupted(&l, "x = L.eig(a[:900, :900])[0][0].item()") == NACRE_INTERRUPTED);
    CHECK(threads_now() <= l.threads + 2);
    CHECK(pthread_create(&l.thread, NULL, interrupt_soon, &l) == 0); // its own thread is one more: at once
    CHECK(run(vm, "x = L.eig(a[:900, :900])[0][0].item()") == NACRE_INTERRUPTED);
    pthread_join(l.thread, NULL);
    CHECK(threads_now() <= l.threads + 2);
    CHECK(is_right(vm));
    CHECK(threads_now() <= l.threads + 2);
    CHECK(evaluates(vm, "bool(abs(L.norm(L.svd(a)[1]) - L.norm(a)) < 1e-8 * L.norm(a))", "True")); // waits
    nacre_free(vm);
    CHECK(threads_end(l.threads));
}

// What a call that was left has still counts, until it has ended and the memory is wanted.
static void test_memory(void) {
    enum { LIMIT = 220 << 20 };
    Long l;
    NacreStats stats = {.struct_size = sizeof stats};
    NacreVm *vm = start(&l, NULL, LIMIT, 0);
    if (!vm) return;
    CHECK(nacre_stats(vm, &stats) == NACRE_OK);
    size_t before = stats.memory_in_use;
    CHECK(run_interrupted(&l, "x = L.svd(a)[1][0].item()") == NACRE_INTERRUPTED);
    CHECK(nacre_stats(vm, &stats) == NACRE_OK && stats.memory_in_use > before + (64 << 20));
    CHECK(failed(vm, run(vm, "y = bytes(150000000)"), "MemoryError"));
    CHECK(threads_end(l.threads));
    CHECK(run(vm, "y = bytes(150000000)") == NACRE_OK);
    CHECK(failed(vm, run(vm, "L.svd(a)[1][0].item()"), "MemoryError"));
    CHECK(is_right(vm));
    nacre_free(vm);
    CHECK(l.held == 0);
}

// --- Unloading --------------------------------------------------------------------------------------

typedef struct Library {
    void *handle;
    NacreVm *(*new)(const NacreOptions *);
    NacreStatus (*run)(NacreVm *, const char *, size_t, const char *, NacreMode);
    void (*interrupt)(NacreVm *);
    void (*free)(NacreVm *);
    NacreVm *vm;
    int threads;
} Library;

// The library beside this program; false: it is not there.
static bool library_open(Library *library, char *path, size_t size) {
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n < 0) return false;
    path[n] = '\0';
    for (int i = 0; i < 2 && strrchr(path, '/'); i++) *strrchr(path, '/') = '\0';
    snprintf(path + strlen(path), size - strlen(path), "/lib/libnacre.so");
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library->handle) return false;
    *(void **)&library->new = dlsym(library->handle, "nacre_new");
    *(void **)&library->run = dlsym(library->handle, "nacre_run");
    *(void **)&library->interrupt = dlsym(library->handle, "nacre_interrupt");
    *(void **)&library->free = dlsym(library->handle, "nacre_free");
    return library->new && library->run && library->interrupt && library->free;
}

static void *interrupt_library(void *ctx) {
    Library *library = ctx;
    threads_begin(library->threads + 1);
    library->interrupt(library->vm);
    return NULL;
}

static void test_unloading(void) {
    static const char first[] = "import numpy\nnumpy.linalg.svd(numpy.eye(3))";
    static const char text[] = "import numpy as np\na = np.sin(np.arange(1200. * 1200)).reshape(1200, 1200)\n"
                               "np.linalg.svd(a)[1][0].item()\n";
    char path[4096];
    Library library = {0};
    pthread_t thread;
    if (!library_open(&library, path, sizeof path)) {
        printf("no library to be unloaded\n");
        return;
    }
    NacreOptions options = {.struct_size = sizeof options, .threads = 1};
    library.vm = library.new(&options);
    CHECK(library.vm);
    if (library.run(library.vm, first, sizeof first - 1, "<t>", NACRE_FILE) == NACRE_OK) {
        int threads = library.threads = threads_now();
        pthread_create(&thread, NULL, interrupt_library, &library);
        CHECK(library.run(library.vm, text, sizeof text - 1, "<t>", NACRE_FILE) == NACRE_INTERRUPTED);
        pthread_join(thread, NULL);
        CHECK(threads_now() > threads);
        library.free(library.vm);
        dlclose(library.handle);
        CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD)); // the thread's code is still there
        CHECK(threads_end(threads));
    }
}

int main(void) {
    static const Test tests[] = {
        {"cpu", test_cpu},       {"mirror", test_mirror},       {"closed at once", test_closed_at_once},
        {"few", test_few_are_left}, {"memory", test_memory}, {"unloading", test_unloading}, {"time", test_time},
    };
    return RUN_TESTS(tests);
}
