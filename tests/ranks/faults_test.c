// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Faults in programs on ranks: a rank that is lost, has no memory, is interrupted or raises something of its own, at a
// place drawn by a seed, among messages that are late. However that goes, every rank ends, and none as if nothing had
// been; nothing is leaked.
//
// usage: faults_test [COUNT [SEED [FIRST]]]

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nacre/nacre.h"

enum { RANKS_MOST = 6, COUNT = 120, LIMIT = 60 }; // LIMIT: seconds for one fault, beyond which something hangs

// Each with a place where one rank may raise something. The arrays of the first are large enough for ghost zones.
static const char *const programs[] = {
    "A = np.fromfunction(lambda i, j: i * j / 7, (300, 240)); B = A * 2\n"
    "for t in range(6):\n"
    "    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[2:, 1:-1] + A[:-2, 1:-1])\n"
    "    A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, 2:] + B[1:-1, :-2])\n"
    "    if t == 3: fault()\n"
    "print(A.sum() > 0, A[5, 5] > 0)\n",

    "def mean(a, b):\n"
    "    for i in range(1, a.shape[0] - 1):\n"
    "        for j in range(a.shape[1]):\n"
    "            b[i, j] = a[i - 1, j] + a[i + 1, j] / 2\n"
    "def add(a, b):\n"
    "    for i in range(a.shape[0]):\n"
    "        for j in range(a.shape[1]):\n"
    "            a[i, j] += b[i, j] * 0.25\n"
    "A = np.fromfunction(lambda i, j: i * j % 7, (90, 40)); B = A * 2\n"
    "for t in range(6):\n"
    "    mean(A, B); add(A, B)\n"
    "    if t == 3: fault()\n"
    "print(A.sum() > 0, B[5, 5] > 0)\n",

    "x = np.sin(np.arange(500.0)); y = np.sort(x); z = np.cumsum(x)\n"
    "fault()\n"
    "print(y[0] <= y[-1], z[-1] > -500, x[x > 0.5].size, np.median(x) < 1)\n",

    "A = np.arange(900.0).reshape(30, 30) % 7; B = A.T.copy()\n"
    "C = A @ B + A.T @ B\n"
    "fault()\n"
    "D = np.sort(C, axis=0) - np.cumsum(A, axis=0)\n"
    "print(C.max() > 0, D.shape, np.fft.fft(A, axis=0).real.sum() < 1e9, (A / 2).sum(axis=0)[3] > 0)\n",

    "import nacre; A = nacre.distribute(np.fromfunction(lambda i, j: i * j % 7, (60, 50)), grid=True); B = A.copy()\n"
    "for t in range(5):\n"
    "    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[2:, 1:-1] + A[:-2, 1:-1] + A[1:-1, 2:] + A[1:-1, :-2])\n"
    "    A, B = B, A\n"
    "    if t == 3: fault()\n"
    "C = A @ B.T + A.sum(axis=1)\n"
    "print(C.max() > 0, A[5, 5] > 0, np.sort(A, axis=0).shape, A.T.copy()[3, 4] >= 0, np.cumsum(A)[5] >= 0)\n",

    "import os, tempfile, time, json\n"
    "rng = np.random.default_rng(); x = rng.random(300); t = time.time()\n"
    "for i in range(3):\n"
    "    x = x * 1.5 + i; print(json.dumps({'i': i, 'more': bool(x.sum() > 0)}))\n"
    "    if i == 1: fault()\n"
    "with tempfile.TemporaryDirectory() as folder:\n"
    "    np.save(os.path.join(folder, 'x.npy'), x); y = np.load(os.path.join(folder, 'x.npy'))\n"
    "print((x == y).all())\n",

    "import _sparse\n"
    "n = 300; k = np.arange(2 * n); x = np.arange(n) / n\n"
    "S = [2 * np.arange(n + 1), np.minimum(k // 2 + k % 2, n - 1), np.ones(2 * n)]\n"
    "for t in range(6):\n"
    "    x = _sparse.product(*S, x, t % 2 == 1, n) / 3\n"
    "    if t == 2: S[1][7] = 5\n"
    "    if t == 3: fault()\n"
    "print(x.sum() > 0, x[3] >= 0)\n",

    "x = np.arange(400) % 11; y = np.zeros(400)\n"
    "for k in range(20):\n"
    "    y[k::20] = x[k::20] ** 2; y[x == k] += 1\n"
    "    if k == 9: fault()\n"
    "    try:\n"
    "        y[1000] = 1\n"
    "    except IndexError:\n"
    "        y[k] += 1\n"
    "print(y.sum() > 0, np.concatenate([x, x[::-1]]).reshape(20, 40)[:, 3].max())\n",
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

// What goes wrong.
typedef enum Kind { LATE, LOST, MEMORY, INTERRUPT, RAISE, KINDS } Kind;
static const char *const kind_names[] = {"late messages", "lost", "no memory", "interrupted", "raises"};

typedef struct Fault {
    Kind kind;
    int program, ranks, rank; // of which this one is hit
    uint64_t at, seed;        // its collective step, allocation, or microsecond
} Fault;

typedef struct Rank {
    const Fault *fault;
    NacreGroup *group;
    pthread_t thread;
    int rank;
    bool is_there;           // it could join
    NacreStatus status;
    uint64_t allocations;
    int64_t in_use;
    char error[400];
    pthread_mutex_t mutex;   // of vm, which another thread may interrupt
    NacreVm *vm;
} Rank;

static uint64_t mix(uint64_t x) { // splitmix64
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static Fault fault_of(uint64_t seed, uint64_t number) {
    uint64_t random = mix(seed * 1000003 + number);
    Fault fault = {.kind = (Kind)(number % KINDS), .program = (int)(number / KINDS % PROGRAMS)};
    fault.ranks = 2 + (int)(random % (RANKS_MOST - 1));
    fault.rank = (int)(mix(random) % (uint64_t)fault.ranks);
    fault.seed = number % 3 ? mix(random + 1) | 1 : 0;
    random = mix(random + 2);
    if (fault.kind == LOST) fault.at = 1 + random % 60;
    if (fault.kind == MEMORY) fault.at = 1 + random % 12000;
    if (fault.kind == INTERRUPT) fault.at = random % 30000;
    return fault;
}

// --- One rank --------------------------------------------------------------------------------------

static void *allocate(void *ctx, void *ptr, size_t old, size_t new) {
    Rank *rank = ctx;
    const Fault *fault = rank->fault;
    if (new > old && fault->kind == MEMORY && fault->rank == rank->rank && ++rank->allocations >= fault->at &&
        rank->allocations < fault->at + 3)
        return NULL;
    void *made = NULL;
    if (new == 0) free(ptr);
    else made = realloc(ptr, new);
    if (new == 0 || made) rank->in_use += (int64_t)new - (int64_t)old;
    return made;
}

static int discard(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx, (void)stream, (void)bytes, (void)len;
    return 0;
}

static void set_vm(Rank *rank, NacreVm *vm) {
    pthread_mutex_lock(&rank->mutex);
    rank->vm = vm;
    pthread_mutex_unlock(&rank->mutex);
}

static NacreVm *open_vm(Rank *rank) {
    NacreOptions options = {.struct_size = sizeof options};
    options.alloc = allocate;
    options.alloc_ctx = options.ctx = rank;
    options.unpooled = rank->fault->kind == MEMORY;
    options.write = discard;
    options.threads = 1;
    options.ranks = "loopback";
    options.group = rank->group;
    options.rank = rank->rank;
    options.split_least = 1;
    return nacre_new(&options);
}

static void *run(void *arg) {
    static const char head[] = "import numpy as np, nacre\n"
                               "def fault():\n"
                               "    if nacre.comm.rank == %d: raise KeyError('of one rank')\n";
    static const char harmless[] = "import numpy as np\n"
                                   "def fault(): pass\n";
    Rank *rank = arg;
    const Fault *fault = rank->fault;
    char text[2048];
    int used = snprintf(text, sizeof text, fault->kind == RAISE ? head : harmless, fault->rank);
    snprintf(text + used, sizeof text - (size_t)used, "%s", programs[fault->program]);
    NacreVm *vm = open_vm(rank);
    rank->is_there = vm != NULL;
    if (!vm) return NULL;
    set_vm(rank, vm);
    rank->status = nacre_run(vm, text, strlen(text), "program", NACRE_FILE);
    if (rank->status != NACRE_OK) snprintf(rank->error, sizeof rank->error, "%s", nacre_error_text(vm));
    set_vm(rank, NULL);
    nacre_free(vm);
    return NULL;
}

static void interrupt(Rank *rank, uint64_t after) {
    const struct timespec span = {.tv_nsec = (long)after * 1000};
    nanosleep(&span, NULL);
    pthread_mutex_lock(&rank->mutex);
    if (rank->vm) nacre_interrupt(rank->vm);
    pthread_mutex_unlock(&rank->mutex);
}

// --- All of them -----------------------------------------------------------------------------------

static bool complain(const Fault *fault, uint64_t number, const Rank *ranks, const char *what) {
    printf("fault %" PRIu64 ": rank %d of %d %s at %" PRIu64 " in program %d: %s\n", number, fault->rank, fault->ranks,
           kind_names[fault->kind], fault->at, fault->program, what);
    for (int r = 0; r < fault->ranks; r++)
        printf("  rank %d: status %d%s %s\n", r, (int)ranks[r].status, ranks[r].is_there ? "" : " (did not join)", ranks[r].error);
    return false;
}

// *hit: something ended otherwise than it would have.
static bool inject(uint64_t seed, uint64_t number, bool *hit) {
    const Fault fault = fault_of(seed, number);
    NacreGroupOptions options = {.struct_size = sizeof options, .ranks = fault.ranks, .seed = fault.seed, .stall = 20};
    if (fault.kind == LOST) {
        options.lost_rank = fault.rank;
        options.lost_step = fault.at;
    }
    Rank ranks[RANKS_MOST];
    NacreGroup *group = nacre_group_new(&options);
    if (!group) return false;
    int bad = 0;
    alarm(LIMIT);
    for (int r = 0; r < fault.ranks; r++) {
        ranks[r] = (Rank){.fault = &fault, .group = group, .rank = r, .mutex = PTHREAD_MUTEX_INITIALIZER};
        if (pthread_create(&ranks[r].thread, NULL, run, &ranks[r]) != 0) exit(1);
    }
    if (fault.kind == INTERRUPT) interrupt(&ranks[fault.rank], fault.at);
    for (int r = 0; r < fault.ranks; r++) pthread_join(ranks[r].thread, NULL);
    alarm(0);
    nacre_group_free(group);
    for (int r = 0; r < fault.ranks; r++) bad += !ranks[r].is_there || ranks[r].status != NACRE_OK;
    *hit = bad > 0;
    if (fault.kind == LATE && bad) return complain(&fault, number, ranks, "it fails though nothing is wrong");
    if (fault.kind == RAISE && !bad) return complain(&fault, number, ranks, "an exception is lost");
    if (bad && bad < fault.ranks) return complain(&fault, number, ranks, "some ranks go on");
    for (int r = 0; r < fault.ranks; r++)
        if (ranks[r].in_use) return complain(&fault, number, ranks, "memory is leaked");
    return true;
}

static void hangs(int signal) {
    static const char text[] = "faults_test: ranks hang\n";
    (void)signal;
    if (write(1, text, sizeof text - 1) < 0) _exit(2);
    _exit(1);
}

int main(int argc, char **argv) {
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : COUNT, seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
                   first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    uint64_t wrong = 0, hits[KINDS] = {0};
    struct sigaction action = {.sa_handler = hangs};
    sigaction(SIGALRM, &action, NULL);
    for (uint64_t i = first; i < first + count; i++) {
        bool hit = false;
        if (getenv("NACRE_FAULTS_SHOWN")) printf("fault %" PRIu64 "\n", i), fflush(stdout);
        wrong += !inject(seed, i, &hit);
        hits[i % KINDS] += hit;
    }
    printf("%" PRIu64 " faults, %" PRIu64 " went wrong; took effect:", count, wrong);
    for (int k = LOST; k < KINDS; k++) printf(" %s %" PRIu64, kind_names[k], hits[k]);
    printf("\n");
    for (int k = LOST; k < KINDS; k++) wrong += count >= COUNT && !hits[k]; // a kind that never does shows nothing
    return wrong > 0;
}
