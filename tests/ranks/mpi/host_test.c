// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Hosts that use MPI themselves: who starts it, who ends it, and whose communicator it is. Without arguments this
// program starts itself, under mpirun where a case is for several processes.

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nacre/nacre.h"
#include "nacre_config.h"
#include "tests/ranks/mpi/job.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) fail_at(#condition, __LINE__);                                           \
    } while (0)

static int failures;

static void fail_at(const char *what, int line) {
    fprintf(stderr, "line %d: %s\n", line, what);
    failures++;
}

static char refusal[1024];

static void take_refusal(void *ctx, const char *why) {
    (void)ctx;
    snprintf(refusal, sizeof refusal, "%s", why);
}

static NacreVm *new_vm(const char *ranks, MPI_Comm *communicator) {
    NacreOptions options = {.struct_size = sizeof options, .ranks = ranks, .communicator = communicator,
                            .threads = 1, .refused = take_refusal};
    return nacre_new(&options);
}

static void check_runs(NacreVm *vm, int rank, int size) {
    static const char text[] = "import numpy as np\nx = int(np.arange(1000).sum())\n";
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(vm && nacre_run(vm, text, sizeof text - 1, "<test>", NACRE_FILE) == NACRE_OK);
    CHECK(vm && nacre_stats(vm, &stats) == NACRE_OK);
    CHECK((int)stats.rank == rank && (int)stats.ranks == size);
}

static bool is_initialized(void) {
    int flag = 0;
    MPI_Initialized(&flag);
    return flag;
}

static bool is_finalized(void) {
    int flag = 0;
    MPI_Finalized(&flag);
    return flag;
}

// A VM that was not asked leaves MPI alone, and so do lists of what there is.
static void case_unasked(void) {
    NacreFeature feature = {.struct_size = sizeof feature};
    NacreVm *vm = new_vm(NULL, NULL);
    check_runs(vm, 0, 1);
    for (int i = 0; nacre_feature(i, &feature); i++) CHECK(feature.name[0]);
    nacre_free(vm);
    CHECK(!is_initialized());
}

// A VM starts MPI; it goes on after the VM for the next one, and ends with the process.
static void case_ours(void) {
    int rank, size, sum = 0, one = 1;
    for (int i = 0; i < 3; i++) {
        NacreVm *vm = new_vm("mpi", NULL);
        CHECK(is_initialized());
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        check_runs(vm, rank, size);
        nacre_free(vm);
        CHECK(!is_finalized());
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size);
}

// The host's MPI and communicator, which stay the host's.
static void case_hosts(void) {
    int rank, size, part_rank, part_size, sum = 0, one = 1;
    MPI_Comm part;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part); // in another order
    MPI_Comm_rank(part, &part_rank);
    MPI_Comm_size(part, &part_size);
    NacreVm *vm = new_vm("mpi", &part);
    check_runs(vm, part_rank, part_size);
    MPI_Barrier(part);
    nacre_free(vm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part);
    CHECK(sum == part_size);
    MPI_Comm_free(&part); // the VMs have duplicates
    CHECK(!is_finalized());
    MPI_Finalize();
    CHECK(!new_vm("mpi", NULL) && strstr(refusal, "MPI has ended"));
}

// The host ends MPI while there is a VM.
static void case_too_early(void) {
    int size;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    NacreVm *vm = new_vm("mpi", NULL);
    CHECK(vm);
    MPI_Finalize();
    nacre_free(vm);
}

static void *open_elsewhere(void *unused) {
    (void)unused;
    return new_vm("mpi", NULL);
}

static void case_refused(void) {
    MPI_Comm none = MPI_COMM_NULL;
    int level = 0;
    pthread_t thread;
    void *vm = NULL;
    CHECK(!new_vm("telegraph", NULL) && strstr(refusal, "no transport 'telegraph'"));
    CHECK(!is_initialized());
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    CHECK(!new_vm("mpi", &none) && strstr(refusal, "communicator"));
    CHECK(pthread_create(&thread, NULL, open_elsewhere, NULL) == 0 && pthread_join(thread, &vm) == 0);
    CHECK(level > MPI_THREAD_FUNNELED || (!vm && strstr(refusal, "MPI_THREAD_SERIALIZED")));
    MPI_Finalize();
}

// --- Starting the cases ---------------------------------------------------------------------------

static const struct Case {
    const char *name;
    void (*run)(void);
    const char *ranks; // NULL: without mpirun
} cases[] = {
    {"unasked", case_unasked, NULL}, {"ours", case_ours, NULL},     {"ours", case_ours, "2"},
    {"hosts", case_hosts, "4"},      {"hosts", case_hosts, "1"},    {"too_early", case_too_early, "2"},
    {"refused", case_refused, NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

static void start(const struct Case *one, char *self) {
    setpgid(0, 0);
    set_up_job();
    if (one->ranks) execl(NACRE_MPIRUN, NACRE_MPIRUN, "-n", one->ranks, self, one->name, (char *)NULL);
    else execl(self, self, one->name, (char *)NULL);
    _exit(127);
}

static int run(const struct Case *one, char *self) {
    int status = 0, limit = *NACRE_SANITIZE ? 12000 : 3000; // hundredths of a second
    pid_t pid = fork();
    if (pid == 0) start(one, self);
    while (waitpid(pid, &status, WNOHANG) == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        if (limit-- == 0) kill(-pid, SIGKILL);
    }
    printf("%-10s %s: status %d%s\n", one->name, one->ranks ? one->ranks : "-", status, limit < 0 ? ": it does not end" : "");
    fflush(stdout);
    return status != 0;
}

int main(int argc, char **argv) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    if (argc == 1) {
        int bad = 0;
        for (int i = 0; i < CASES; i++) bad += run(&cases[i], self);
        return bad > 0;
    }
    for (int i = 0; i < CASES; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0) continue;
        cases[i].run();
        return failures > 0;
    }
    return 2;
}
