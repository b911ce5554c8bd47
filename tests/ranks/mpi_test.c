// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The transport over MPI, by its table. Without arguments this program starts itself under mpirun, once for each
// case and number of ranks; the program itself is not linked with MPI, as hosts are not.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nacre_config.h"
#include "tests/ranks/mpi/job.h"
#include "vm/plugin/ranks.h"
#include "vm/value/vm.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) fail_at(#condition, __LINE__);                                           \
    } while (0)

static Vm vm;
static const Ranks *fns;
static void *ctx;
static int rank, size, failures;

static void fail_at(const char *what, int line) {
    fprintf(stderr, "rank %d, line %d: %s\n", rank, line, what);
    failures++;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_for(double seconds) {
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))},
              NULL);
}

static bool never(void *unused) {
    (void)unused;
    return false;
}

static void join(bool (*stopped)(void *)) {
    const char *why = NULL;
    ctx = fns->open(&vm, &(RanksOptions){.stopped = stopped}, &why);
    if (!ctx) {
        fprintf(stderr, "open: %s\n", why);
        exit(3);
    }
    rank = fns->rank(ctx);
    size = fns->size(ctx);
}

static void leave(void) {
    fns->close(&vm, ctx);
    ctx = NULL;
    CHECK(vm.mem.in_use == 0);
}

// --- What arrives is what was sent ----------------------------------------------------------------

// Byte i of what rank `from` sends to `to` in round `round`.
static unsigned char byte_of(int from, int to, int round, size_t i) {
    return (unsigned char)(i * 7 + i / 251 + (size_t)from * 31 + (size_t)to * 57 + (size_t)round * 101 + 1);
}

static unsigned char *made(int from, int to, int round, size_t bytes) {
    unsigned char *block = malloc(bytes + 1);
    for (size_t i = 0; i < bytes; i++) block[i] = byte_of(from, to, round, i);
    return block;
}

static bool is_right(const unsigned char *block, int from, int to, int round, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (block[i] != byte_of(from, to, round, i)) return false;
    return true;
}

enum { LIST_MOST = 64 };

typedef struct Plan {
    Transfer list[LIST_MOST];
    int rounds[LIST_MOST]; // of the bytes
    int count;
} Plan;

static void plan_add(Plan *plan, int peer, bool sends, int round, size_t bytes) {
    void *at = sends ? made(rank, peer, round, bytes) : malloc(bytes + 1);
    plan->rounds[plan->count] = round;
    plan->list[plan->count++] = (Transfer){.peer = peer, .sends = sends, .bytes = bytes, .at = at};
}

// Does the exchange; checks contents, and what is counted.
static void plan_run(Plan *plan) {
    RanksCounts before, after;
    uint64_t sent = 0, received = 0, out = 0, in = 0;
    fns->counts(ctx, &before);
    CHECK(fns->post(ctx, plan->list, plan->count) == RANKS_DONE);
    CHECK(fns->finish(ctx) == RANKS_DONE);
    fns->counts(ctx, &after);
    for (int i = 0; i < plan->count; i++) {
        const Transfer *one = &plan->list[i];
        if (one->sends) out++, sent += one->bytes;
        else in++, received += one->bytes;
        CHECK(one->sends || is_right(one->at, one->peer, rank, plan->rounds[i], one->bytes));
        free(one->at);
    }
    CHECK(after.messages_sent - before.messages_sent == out && after.bytes_sent - before.bytes_sent == sent);
    CHECK(after.messages_received - before.messages_received == in);
    CHECK(after.bytes_received - before.bytes_received == received);
    CHECK(after.exchanges == before.exchanges + 1);
    plan->count = 0;
}

static void exchanges(void) {
    static const size_t sizes[] = {1, 2, 7, 8, 1001, 4096, 65537, (3u << 20) + 1};
    static Plan plan;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        plan_add(&plan, (rank + 1) % size, true, (int)s, sizes[s]); // round a ring
        plan_add(&plan, (rank + size - 1) % size, false, (int)s, sizes[s]);
        plan_run(&plan);
        for (int i = 1; i < size; i++) // all with all, two messages each way
            for (int k = 0; k < 2; k++) {
                plan_add(&plan, (rank + i) % size, true, k, sizes[s] + (size_t)k);
                plan_add(&plan, (rank + i) % size, false, k, sizes[s] + (size_t)k);
            }
        plan_run(&plan);
        if (rank == 0) plan_add(&plan, size - 1, true, 5, sizes[s]); // one way, the others have nothing to do
        if (rank == size - 1) plan_add(&plan, 0, false, 5, sizes[s]);
        plan_run(&plan);
    }
}

// The same numbers on every rank: who sends how much to whom.
static void random_exchanges(void) {
    static Plan plan;
    uint64_t state = 12345;
    for (int round = 0; round < 200; round++) {
        int messages = (int)((state = state * 6364136223846793005u + 1442695040888963407u) >> 60);
        for (int m = 0; m < messages; m++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            int from = (int)(state >> 40) % size, to = (int)(state >> 50) % size;
            size_t bytes = 1 + (size_t)(state >> 20) % (state >> 63 ? 40000 : 100);
            if (from == to) continue;
            if (rank == from) plan_add(&plan, to, true, m, bytes);
            if (rank == to) plan_add(&plan, from, false, m, bytes);
        }
        plan_run(&plan);
    }
}

static void gathers(void) {
    static const size_t sizes[] = {0, 1, 7, 8, 4097, (1u << 20) + 3};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t bytes = sizes[s];
        unsigned char *own = made(rank, 0, (int)s, bytes), *all = malloc(bytes * (size_t)size + 1);
        RanksCounts before, after;
        fns->counts(ctx, &before);
        CHECK(fns->gather(ctx, own, all, bytes) == RANKS_DONE);
        fns->counts(ctx, &after);
        for (int r = 0; r < size; r++) CHECK(is_right(all + (size_t)r * bytes, r, 0, (int)s, bytes));
        CHECK(after.gathers == before.gathers + 1);
        CHECK(after.bytes_received - before.bytes_received == (uint64_t)(size - 1) * bytes);
        // The own block may be in place.
        memset(all, 0, bytes * (size_t)size);
        if (bytes) memcpy(all + (size_t)rank * bytes, own, bytes);
        CHECK(fns->gather(ctx, all + (size_t)rank * bytes, all, bytes) == RANKS_DONE);
        for (int r = 0; r < size; r++) CHECK(is_right(all + (size_t)r * bytes, r, 0, (int)s, bytes));
        free(own);
        free(all);
    }
}

static void broadcasts(void) {
    static const size_t sizes[] = {0, 1, 9, 4097, (1u << 20) + 3};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int from = 0; from < size; from++) {
            unsigned char *block = rank == from ? made(from, 1, (int)s, sizes[s]) : malloc(sizes[s] + 1);
            CHECK(fns->broadcast(ctx, from, block, sizes[s]) == RANKS_DONE);
            CHECK(is_right(block, from, 1, (int)s, sizes[s]));
            free(block);
        }
}

// Once it has done the like, an exchange asks for no memory.
static void steady(void) {
    char out[1000], in[1000], all[8 * 64];
    Transfer list[] = {{.peer = (rank + 1) % size, .sends = true, .bytes = sizeof out, .at = out},
                       {.peer = (rank + size - 1) % size, .bytes = sizeof in, .at = in}};
    uint64_t requests = 0;
    memset(out, rank, sizeof out);
    for (int i = 0; i < 100; i++) {
        if (i == 1) requests = vm.mem.requests;
        CHECK(fns->post(ctx, list, 2) == RANKS_DONE && fns->finish(ctx) == RANKS_DONE);
        CHECK(fns->gather(ctx, &i, all, sizeof i) == RANKS_DONE);
    }
    CHECK(vm.mem.requests == requests);
}

static void case_works(void) {
    join(never);
    exchanges();
    random_exchanges();
    gathers();
    broadcasts();
    steady();
    leave();
}

// A VM after the other: the end of one is not taken for the next one's.
static void case_again(void) {
    for (int i = 0; i < 30; i++) {
        int all[64];
        join(never);
        for (int k = 0; k < i % 3; k++) CHECK(fns->gather(ctx, &rank, all, sizeof rank) == RANKS_DONE);
        for (int r = 0; r < size && i % 3; r++) CHECK(all[r] == r);
        if (rank == i % size) pause_for(2e-3);
        leave();
    }
}

static void case_huge(void) {
    size_t bytes = (size_t)5 << 29; // 2.5 GiB
    join(never);
    unsigned char *block = calloc(bytes, 1);
    CHECK(block);
    if (rank == 0)
        for (size_t i = 0; i < bytes; i += 4093) block[i] = byte_of(0, 1, 0, i);
    Transfer one = {.peer = 1 - rank, .sends = rank == 0, .bytes = bytes, .at = block};
    CHECK(fns->post(ctx, &one, rank < 2) == RANKS_DONE && fns->finish(ctx) == RANKS_DONE);
    for (size_t i = 0; i < bytes && rank == 1; i += 4093)
        if (block[i] != byte_of(0, 1, 0, i)) {
            CHECK(!"contents");
            break;
        }
    free(block);
    leave();
}

// --- A rank fails ---------------------------------------------------------------------------------

// Both are other memory after a failure; nothing may still be written there.
enum { LARGE = 8 << 20 };
static char large_out[LARGE], large_in[LARGE];

static RanksOutcome all_with_all(void) {
    Transfer list[2 * 64];
    int count = 0;
    for (int r = 0; r < size; r++) {
        size_t each = LARGE / (size_t)size;
        if (r == rank) continue;
        list[count++] = (Transfer){.peer = r, .sends = true, .bytes = each, .at = large_out + (size_t)r * each};
        list[count++] = (Transfer){.peer = r, .bytes = each, .at = large_in + (size_t)r * each};
    }
    RanksOutcome outcome = fns->post(ctx, list, count);
    return outcome == RANKS_DONE ? fns->finish(ctx) : outcome;
}

static RanksOutcome gather_ranks(void) {
    int all[64];
    return fns->gather(ctx, &rank, all, sizeof rank);
}

static void expect_failure(RanksOutcome outcome, int culprit, const char *bytes, size_t len, const char *text) {
    RanksFailure failure = {.rank = -1};
    CHECK(outcome == RANKS_FAILED);
    fns->failure(ctx, &failure);
    CHECK(failure.rank == culprit);
    CHECK(bytes ? failure.bytes && failure.len == len && memcmp(failure.bytes, bytes, len) == 0 : !failure.bytes);
    CHECK(failure.text && (!text || strstr(failure.text, text)));
    if (failures) fprintf(stderr, "rank %d: rank %d failed: %s\n", rank, failure.rank, failure.text);
    CHECK(fns->post(ctx, NULL, 0) == RANKS_FAILED && gather_ranks() == RANKS_FAILED);
    CHECK(fns->broadcast(ctx, 0, &failure, 1) == RANKS_FAILED);
}

// The last rank fails, with so many bytes, while the others are in the call.
static void fail_with(size_t len, RanksOutcome (*call)(void)) {
    char *words = (char *)made(size - 1, 0, 9, len);
    join(never);
    CHECK(gather_ranks() == RANKS_DONE);
    if (rank == size - 1) {
        pause_for(250e-3); // others may be slow to come out of the gather
        fns->fail(ctx, words, len);
        fns->fail(ctx, "again", 5); // nobody is told twice
    }
    memset(large_in, 1, LARGE);
    expect_failure(call(), size - 1, words, len, NULL);
    memset(large_in, 2, LARGE);
    leave();
    for (size_t i = 0; i < LARGE; i++)
        if (large_in[i] != 2) {
            CHECK(!"a message was written after the call had failed");
            break;
        }
    free(words);
}

static void case_fails(void) {
    fail_with(5, gather_ranks);
    fail_with(0, gather_ranks);
    fail_with(5000, all_with_all);
    fail_with(300000, all_with_all);
}

// Between the halves of an exchange.
static void case_fails_between(void) {
    join(never);
    int peer = (rank + 1) % size, other = (rank + size - 1) % size;
    Transfer list[] = {{.peer = peer, .sends = true, .bytes = LARGE, .at = large_out},
                       {.peer = other, .bytes = LARGE, .at = large_in}};
    if (fns->post(ctx, list, 2) == RANKS_DONE && rank == 0) fns->fail(ctx, "between", 7);
    RanksOutcome outcome = fns->finish(ctx);
    if (outcome == RANKS_DONE) outcome = gather_ranks(); // its exchange was over before
    expect_failure(outcome, 0, "between", 7, NULL);
    leave();
}

// All at once, each with a reason of its own: one of them reaches each.
static void case_all_fail(void) {
    join(never);
    RanksFailure failure;
    fns->fail(ctx, &rank, sizeof rank);
    CHECK(gather_ranks() == RANKS_FAILED);
    fns->failure(ctx, &failure);
    CHECK(failure.len == sizeof rank && failure.bytes && memcmp(failure.bytes, &failure.rank, sizeof rank) == 0);
    leave();
}

// Who is still in the call before hears of it there, from those that are not.
static void case_leaves(void) {
    join(never);
    CHECK(gather_ranks() == RANKS_DONE);
    RanksOutcome outcome = all_with_all();
    if (rank == size - 1) {
        CHECK(outcome == RANKS_DONE);
        leave();
        return;
    }
    if (outcome == RANKS_DONE) outcome = gather_ranks();
    expect_failure(outcome, size - 1, NULL, 0, "left");
    leave();
}

// What a rank has done before it leaves is not lost.
static void case_leaves_after(void) {
    join(never);
    if (rank == 0) memset(large_in, 3, LARGE);
    if (rank != 0) pause_for(30e-3);
    CHECK(fns->broadcast(ctx, 0, large_in, 1000) == RANKS_DONE);
    CHECK(large_in[0] == 3 && large_in[999] == 3);
    leave();
}

static void case_exits(void) {
    join(never);
    if (rank == size - 1) exit(0); // with its VM open
    expect_failure(gather_ranks(), size - 1, NULL, 0, "left");
    leave();
}

static void case_differ(void) {
    join(never);
    char bytes[64] = {0};
    Transfer one = {.peer = 1 - rank, .sends = rank == 0, .bytes = rank == 0 ? 16 : 24, .at = bytes};
    CHECK(fns->post(ctx, &one, rank < 2) == RANKS_DONE);
    RanksOutcome outcome = fns->finish(ctx);
    if (outcome == RANKS_DONE) outcome = gather_ranks();
    expect_failure(outcome, 1, NULL, 0, "24 bytes of rank 0, which sent 16");
    leave();
}

// --- A rank is stopped ----------------------------------------------------------------------------

static double stop_at;
static volatile sig_atomic_t signalled;

// A file by which rank 0 shows the others that it has been told to stop; they come to its call only then.
static const char *mark(void) {
    const char *path = getenv("NACRE_TEST_MARK");
    return path ? path : "";
}

static void set_mark(void) {
    FILE *file = fopen(mark(), "w");
    CHECK(file);
    if (file) fclose(file);
}

static void wait_for_mark(void) {
    double end = now() + 30;
    while (access(mark(), F_OK) != 0 && now() < end) pause_for(5e-3);
    CHECK(now() < end);
}

static bool is_to_stop(void *unused) {
    (void)unused;
    if (!signalled && !(stop_at > 0 && now() > stop_at)) return false;
    if (access(mark(), F_OK) != 0) set_mark();
    return true;
}

static void case_stopped(void) {
    join(is_to_stop);
    if (rank == 0) {
        stop_at = now() + 0.1;
        CHECK(all_with_all() == RANKS_STOPPED);
        fns->fail(ctx, "stop", 4);
        leave();
        return;
    }
    if (rank == size - 1) wait_for_mark();
    expect_failure(all_with_all(), 0, "stop", 4, NULL);
    leave();
}

static void on_signal(int number) {
    (void)number;
    signalled = 1;
}

static void case_signal(void) {
    signal(SIGALRM, on_signal);
    join(is_to_stop);
    if (rank == 0) {
        alarm(1);
        CHECK(gather_ranks() == RANKS_STOPPED);
        leave(); // without a word
        return;
    }
    wait_for_mark();
    RanksOutcome outcome = gather_ranks();
    if (outcome == RANKS_DONE) outcome = gather_ranks(); // rank 0 had sent what the first was about
    expect_failure(outcome, 0, NULL, 0, "stopped");
    leave();
}

static void case_killed(void) {
    join(never);
    if (rank == size - 1) raise(SIGKILL);
    gather_ranks();
    pause_for(60);
}

// One never notices that another has failed.
static void case_deaf(void) {
    join(never);
    if (rank == 0) pause_for(60);
    else fns->fail(ctx, "x", 1);
    leave();
}

// --- Without the right launcher -------------------------------------------------------------------

static void case_alone(void) {
    join(never);
    CHECK(size == 1 && rank == 0 && gather_ranks() == RANKS_DONE);
    CHECK(fns->broadcast(ctx, 0, &size, sizeof size) == RANKS_DONE);
    CHECK(fns->post(ctx, NULL, 0) == RANKS_DONE && fns->finish(ctx) == RANKS_DONE);
    leave();
}

static void case_launcher(void) {
    const char *why = NULL;
    setenv("PMI_SIZE", "3", 1);
    CHECK(!fns->open(&vm, &(RanksOptions){.stopped = never}, &why));
    CHECK(why && strstr(why, "PMI_SIZE") && strstr(why, "started 3") && strstr(why, "nacre-mpi.so is linked with"));
}

// --- Figures --------------------------------------------------------------------------------------

static void case_measure(void) {
    double begun = now();
    int rounds = 20000;
    join(never);
    int64_t own = rank, all[64];
    for (int i = 0; i < 100; i++) fns->gather(ctx, &own, all, 8);
    double opened = now(), best = 1;
    for (int k = 0; k < 5; k++) {
        double start = now();
        for (int i = 0; i < rounds; i++) fns->gather(ctx, &own, all, 8);
        double each = (now() - start) / rounds;
        if (each < best) best = each;
    }
    double exchange = 1;
    size_t bytes = 16 << 20;
    char *out = malloc(bytes), *in = malloc(bytes);
    memset(out, 1, bytes);
    memset(in, 1, bytes);
    Transfer list[] = {{.peer = (rank + 1) % size, .sends = true, .bytes = bytes, .at = out},
                       {.peer = (rank + size - 1) % size, .bytes = bytes, .at = in}};
    for (int i = 0; i < 30; i++) {
        double start = now();
        fns->post(ctx, list, 2);
        fns->finish(ctx);
        if (now() - start < exchange) exchange = now() - start;
    }
    if (rank == 0)
        printf("open %.1f ms, gather of 8 bytes %.2f us, exchange of 16 MiB %.2f ms (%.1f GB/s each way)\n",
               1e3 * (opened - begun), 1e6 * best, 1e3 * exchange, (double)bytes / exchange / 1e9);
    free(out);
    free(in);
    leave();
}

// --- Mail -----------------------------------------------------------------------------------------

static const size_t mail_sizes[] = {0, 1, 5000, 300000, 3000000};
enum { MAIL_SIZES = sizeof mail_sizes / sizeof *mail_sizes };

static void mail_send(int to, uint64_t context, int64_t tag, size_t len) {
    Mail *mail = mail_new(&vm.mem, len);
    if (!mail) abort();
    mail->context = context;
    mail->tag = tag;
    for (size_t i = 0; i < len; i++) mail->bytes[i] = (char)byte_of(rank, to, (int)tag, i);
    CHECK(fns->send(ctx, to, mail) == RANKS_DONE);
}

static void mail_take(int from, uint64_t context, int64_t tag, size_t len) {
    Mail *mail = NULL;
    CHECK(fns->receive(ctx, from, context, tag, &mail) == RANKS_DONE);
    CHECK(mail && mail->len == len && is_right((unsigned char *)mail->bytes, from, rank, (int)tag, len));
    mail_free(mail);
}

// All write to all, read in another order, and have steps in between that others are in already.
static void case_mail(void) {
    join(never);
    for (int round = 0; round < 3; round++) {
        char own = 0, all[64];
        for (int peer = 0; peer < size; peer++)
            for (int i = 0; peer != rank && i < MAIL_SIZES; i++) mail_send(peer, (uint64_t)round, i, mail_sizes[i]);
        if (rank % 2 == 0) CHECK(fns->gather(ctx, &own, all, 1) == RANKS_DONE);
        for (int peer = size - 1; peer >= 0; peer--)
            for (int i = MAIL_SIZES - 1; peer != rank && i >= 0; i--) mail_take(peer, (uint64_t)round, i, mail_sizes[i]);
        if (rank % 2 == 1) CHECK(fns->gather(ctx, &own, all, 1) == RANKS_DONE);
    }
    if (rank == 0) mail_send(1, 9, 1, 100000); // nobody takes it
    leave();
}

// Mail of a rank that has left is there still, however long; what it has not sent is missed.
static void case_mail_left(void) {
    join(never);
    if (rank == 1) mail_send(0, 0, 4, mail_sizes[4]);
    if (rank == 0) {
        Mail *mail = NULL;
        RanksFailure failure;
        pause_for(0.2);
        mail_take(1, 0, 4, mail_sizes[4]);
        CHECK(fns->receive(ctx, 1, 0, 4, &mail) == RANKS_FAILED && !mail);
        fns->failure(ctx, &failure);
        CHECK(failure.rank == 1 && strstr(failure.text, "left"));
    }
    leave();
}

// --- Starting the cases ---------------------------------------------------------------------------

typedef struct Case {
    const char *name;
    void (*run)(void);
    bool alone;        // without mpirun
    bool fails;        // the job ends with a status that is not 0
    const char *asked; // only where this variable is set
} Case;

static const Case cases[] = {
    {.name = "works", .run = case_works},
    {.name = "again", .run = case_again},
    {.name = "fails", .run = case_fails},
    {.name = "fails_between", .run = case_fails_between},
    {.name = "all_fail", .run = case_all_fail},
    {.name = "leaves", .run = case_leaves},
    {.name = "leaves_after", .run = case_leaves_after},
    {.name = "exits", .run = case_exits},
    {.name = "differ", .run = case_differ},
    {.name = "stopped", .run = case_stopped},
    {.name = "signal", .run = case_signal},
    {.name = "killed", .run = case_killed, .fails = true},
    {.name = "deaf", .run = case_deaf, .fails = true},
    {.name = "mail", .run = case_mail},
    {.name = "mail_left", .run = case_mail_left},
    {.name = "alone", .run = case_alone, .alone = true},
    {.name = "launcher", .run = case_launcher, .alone = true},
    {.name = "huge", .run = case_huge, .asked = "NACRE_TEST_HUGE"},
    {.name = "measure", .run = case_measure, .asked = "NACRE_TEST_MEASURE"},
};
enum { CASES = sizeof cases / sizeof *cases };

static double time_limit(const Case *one) {
    return one->fails ? 15 : one->asked ? 120 : 60;
}

// In a process group of its own, so that all of it can be ended.
static pid_t start(const Case *one, const char *ranks, const char *self, const char *marked) {
    pid_t pid = fork();
    if (pid != 0) return pid;
    setpgid(0, 0);
    set_up_job();
    setenv("NACRE_TEST_MARK", marked, 1);
    setenv("NACRE_MPI_PATIENCE", one->fails ? "1" : "30", 1);
    if (one->alone) execl(self, self, one->name, (char *)NULL);
    else execl(NACRE_MPIRUN, NACRE_MPIRUN, "-n", ranks, self, one->name, (char *)NULL);
    _exit(127);
}

// Its status; -1: it was still running when its time was over.
static int wait_for(pid_t pid, double seconds) {
    double end = now() + seconds;
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (now() > end) {
            kill(-pid, SIGKILL);
            waitpid(pid, &status, 0);
            return -1;
        }
        pause_for(5e-3);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool run(const Case *one, const char *ranks, const char *self) {
    char marked[] = "/tmp/nacre-mpi-XXXXXX";
    double begun = now();
    if (!mkdtemp(marked)) return false;
    char path[sizeof marked + 8];
    snprintf(path, sizeof path, "%s/stopped", marked);
    int status = wait_for(start(one, ranks, self, path), time_limit(one) * (*NACRE_SANITIZE ? 4 : 1));
    unlink(path);
    rmdir(marked);
    bool good = status >= 0 && status != 127 && (status != 0) == one->fails;
    printf("%-14s %s: status %d, %.2f s%s\n", one->name, one->alone ? "-" : ranks, status, now() - begun,
           good ? "" : status < 0 ? ": FAILED, it does not end" : ": FAILED");
    fflush(stdout);
    return good;
}

static int run_all(const char *self) {
    int bad = 0;
    if (!*NACRE_MPIRUN || !ranks_find("mpi")) {
        printf("without MPI\n");
        return 77;
    }
    for (int i = 0; i < CASES; i++) {
        if (cases[i].asked && !getenv(cases[i].asked)) continue;
        bad += !run(&cases[i], "2", self);
        if (!cases[i].alone && !cases[i].asked) bad += !run(&cases[i], "4", self);
    }
    return bad > 0;
}

int main(int argc, char **argv) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    if (argc == 1) return run_all(self);
    mem_init(&vm.mem, NULL, NULL, true, 0);
    fns = ranks_find("mpi");
    for (int i = 0; i < CASES && fns; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0) continue;
        cases[i].run();
        return failures > 0;
    }
    return 2;
}
