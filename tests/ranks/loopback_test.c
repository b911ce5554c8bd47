// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The transport "loopback" by its table: what arrives, what is counted, and that whatever goes wrong ends on every
// rank, with a text about it.

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dist/loopback/group.h"
#include "vm/value/vm.h"

static atomic_int failures;
#define CHECK(condition)                                                                                \
    ((condition) ? (void)0                                                                              \
                 : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++))

enum { RANKS_MOST = 16, LIMIT = 100 }; // LIMIT: seconds for all of it, beyond which something hangs

static const Ranks *const fns = &ranks_loopback;

typedef struct Player {
    int rank, size;
    LoopbackGroup *group;
    void *ctx; // NULL: it did not get in
    const char *why;
    void (*act)(struct Player *player);
    void *shared;
    atomic_bool stop; // what `stopped` answers
    atomic_int polls;
    RanksOutcome outcome;
    RanksFailure failure;
    Vm *vm;
} Player;

static bool is_stopped(void *ctx) {
    Player *player = ctx;
    player->polls++;
    return player->stop;
}

static void *play_thread(void *arg) {
    Player *player = arg;
    RanksOptions options = {.group = player->group, .rank = player->rank, .stopped = is_stopped, .stopped_ctx = player};
    player->ctx = fns->open(player->vm, &options, &player->why);
    if (!player->ctx) return NULL;
    CHECK(fns->rank(player->ctx) == player->rank && fns->size(player->ctx) == player->size);
    player->act(player);
    return NULL;
}

static Vm *vm_alone(void) { // as much of one as the transport needs: its memory
    Vm *vm = calloc(1, sizeof *vm);
    if (vm) mem_init(&vm->mem, NULL, NULL, true, 0);
    return vm;
}

// Every rank does `act`; how each went is in `players`, until end_play.
static void play(Player *players, LoopbackOptions options, void (*act)(Player *player), void *shared) {
    pthread_t threads[RANKS_MOST];
    LoopbackGroup *group = loopback_group_new(&options);
    CHECK(group);
    for (int r = 0; r < options.ranks; r++) {
        memset(&players[r], 0, sizeof players[r]);
        players[r].rank = r;
        players[r].size = options.ranks;
        players[r].group = group;
        players[r].act = act;
        players[r].shared = shared;
        players[r].vm = vm_alone();
        CHECK(pthread_create(&threads[r], NULL, play_thread, &players[r]) == 0);
    }
    for (int r = 0; r < options.ranks; r++) pthread_join(threads[r], NULL);
}

static void leave(Player *player) {
    if (player->ctx) fns->close(player->vm, player->ctx);
    player->ctx = NULL;
}

static void end_play(Player *players, int ranks) {
    LoopbackGroup *group = players[0].group;
    for (int r = 0; r < ranks; r++) {
        leave(&players[r]);
        CHECK(players[r].vm->mem.in_use == 0);
        mem_destroy(&players[r].vm->mem);
        free(players[r].vm);
    }
    loopback_group_free(group);
}

static void note(Player *player, RanksOutcome outcome) {
    player->outcome = outcome;
    if (outcome == RANKS_FAILED) fns->failure(player->ctx, &player->failure);
}

static void sleep_for(double seconds) {
    struct timespec span = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&span, NULL);
}

// --- What arrives --------------------------------------------------------------------------------

static uint32_t mix(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

static uint32_t tag(uint32_t step, int from, int to, int number) {
    return mix(mix(step * 1024 + (uint32_t)from * 32 + (uint32_t)to) + (uint32_t)number);
}

static void fill(unsigned char *bytes, size_t size, uint32_t with) {
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)((with += 0x9e3779b9u) >> 24);
}

static bool is_filled(const unsigned char *bytes, size_t size, uint32_t with) {
    unsigned char *wanted = malloc(size ? size : 1);
    fill(wanted, size, with);
    bool same = memcmp(bytes, wanted, size) == 0;
    free(wanted);
    return same;
}

// How many messages go from one rank to another in a step of a pattern, and the size of each.
typedef struct Pattern {
    const char *name;
    int (*count)(uint32_t step, int from, int to, int size);
    size_t (*bytes)(uint32_t step, int from, int to, int number);
} Pattern;

static int ring(uint32_t step, int from, int to, int size) {
    (void)step;
    return to == (from + 1) % size;
}

static int neighbours(uint32_t step, int from, int to, int size) {
    (void)step, (void)size;
    return to == from + 1 || to == from - 1;
}

static int all_to_all(uint32_t step, int from, int to, int size) {
    (void)step, (void)from, (void)to, (void)size;
    return 1;
}

static int none(uint32_t step, int from, int to, int size) {
    (void)step, (void)from, (void)to, (void)size;
    return 0;
}

static int first_to_all(uint32_t step, int from, int to, int size) {
    (void)to;
    return from == (int)(step % (uint32_t)size) ? 2 : 0;
}

static int any(uint32_t step, int from, int to, int size) {
    (void)size;
    return (int)(tag(step, from, to, 99) % 4);
}

static size_t one_byte(uint32_t step, int from, int to, int number) {
    (void)step, (void)from, (void)to, (void)number;
    return 1;
}

static size_t any_bytes(uint32_t step, int from, int to, int number) {
    return 1 + tag(step, from, to, number + 7) % 5000;
}

static size_t a_lot(uint32_t step, int from, int to, int number) {
    return ((size_t)1 << 19) + (size_t)(step + (uint32_t)(from + to + number));
}

static const Pattern patterns[] = {
    {"ring", ring, any_bytes},       {"neighbours", neighbours, any_bytes}, {"all to all", all_to_all, one_byte},
    {"none", none, one_byte},        {"one to all", first_to_all, any_bytes}, {"any", any, any_bytes},
    {"large", ring, a_lot},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns, STEPS = 4 };

enum { MESSAGES_MOST = 2 * 4 * RANKS_MOST };

// The messages of this rank in a step, with bytes to send in them; `counts` is what they add up to.
static int list_messages(const Player *player, const Pattern *pattern, uint32_t step, Transfer list[MESSAGES_MOST],
                         RanksCounts *counts) {
    int n = 0, self = player->rank;
    for (int r = 0; r < player->size; r++) {
        if (r == self) continue;
        for (int i = 0; i < pattern->count(step, self, r, player->size); i++, n++) {
            size_t bytes = pattern->bytes(step, self, r, i);
            list[n] = (Transfer){.peer = r, .sends = true, .bytes = bytes, .at = malloc(bytes)};
            fill(list[n].at, bytes, tag(step, self, r, i));
            counts->messages_sent++, counts->bytes_sent += bytes;
        }
        for (int i = 0; i < pattern->count(step, r, self, player->size); i++, n++) {
            size_t bytes = pattern->bytes(step, r, self, i);
            list[n] = (Transfer){.peer = r, .sends = false, .bytes = bytes, .at = calloc(1, bytes)};
            counts->messages_received++, counts->bytes_received += bytes;
        }
    }
    return n;
}

static bool have_arrived(const Player *player, const Transfer *list, int count, uint32_t step) {
    int numbers[RANKS_MOST] = {0};
    bool good = true;
    for (int i = 0; i < count; i++) {
        int peer = list[i].peer;
        if (list[i].sends) continue;
        good &= is_filled(list[i].at, list[i].bytes, tag(step, peer, player->rank, numbers[peer]++));
    }
    return good;
}

static void exchange_patterns(Player *player) {
    RanksCounts wanted = {0}, counted;
    for (uint32_t step = 0; step < PATTERNS * STEPS; step++) {
        Transfer list[MESSAGES_MOST];
        const Pattern *pattern = &patterns[step % PATTERNS];
        int n = list_messages(player, pattern, step, list, &wanted);
        CHECK(fns->post(player->ctx, list, n) == RANKS_DONE);
        CHECK(fns->finish(player->ctx) == RANKS_DONE);
        CHECK(have_arrived(player, list, n, step));
        for (int i = 0; i < n; i++) free(list[i].at);
    }
    fns->counts(player->ctx, &counted);
    CHECK(counted.messages_sent == wanted.messages_sent && counted.bytes_sent == wanted.bytes_sent);
    CHECK(counted.messages_received == wanted.messages_received && counted.bytes_received == wanted.bytes_received);
    CHECK(counted.exchanges == PATTERNS * STEPS && counted.gathers == 0 && counted.broadcasts == 0);
    CHECK(counted.waited > 0);
}

static void test_exchange(void) {
    static const int sizes[] = {1, 2, 3, 5, 8, 16};
    for (uint64_t seed = 0; seed < 4; seed++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            Player players[RANKS_MOST];
            if (seed > 1 && sizes[i] > 8) continue;
            play(players, (LoopbackOptions){.ranks = sizes[i], .seed = seed}, exchange_patterns, NULL);
            end_play(players, sizes[i]);
        }
}

static void gather_and_broadcast(Player *player) {
    static const size_t sizes[] = {0, 1, 8, 4096, 100003};
    RanksCounts counted;
    uint64_t bytes = 0, steps = sizeof sizes / sizeof *sizes, others = (uint64_t)player->size - 1;
    for (uint32_t s = 0; s < steps; s++) {
        const size_t size = sizes[s];
        unsigned char *own = malloc(size + 1), *all = calloc((size_t)player->size, size + 1);
        fill(own, size, tag(s, player->rank, 0, 1));
        CHECK(fns->gather(player->ctx, size ? own : NULL, size ? all : NULL, size) == RANKS_DONE);
        for (int r = 0; r < player->size; r++) CHECK(is_filled(all + (size_t)r * size, size, tag(s, r, 0, 1)));
        int from = (int)(s % (uint32_t)player->size);
        if (player->rank == from) fill(own, size, tag(s, from, 0, 2));
        CHECK(fns->broadcast(player->ctx, from, size ? own : NULL, size) == RANKS_DONE);
        CHECK(is_filled(own, size, tag(s, from, 0, 2)));
        // A gather in place.
        memcpy(all + (size_t)player->rank * size, own, size);
        CHECK(fns->gather(player->ctx, all + (size_t)player->rank * size, all, size) == RANKS_DONE);
        for (int r = 0; r < player->size; r++) CHECK(is_filled(all + (size_t)r * size, size, tag(s, from, 0, 2)));
        bytes += 2 * size * others + (player->rank == from ? others * size : 0);
        free(own);
        free(all);
    }
    fns->counts(player->ctx, &counted);
    CHECK(counted.gathers == 2 * steps && counted.broadcasts == steps && counted.exchanges == 0);
    CHECK(counted.bytes_sent == bytes);
}

static void test_gather(void) {
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int ranks = 1; ranks <= RANKS_MOST; ranks += ranks < 4 ? 1 : 6) {
            Player players[RANKS_MOST];
            play(players, (LoopbackOptions){.ranks = ranks, .seed = seed}, gather_and_broadcast, NULL);
            end_play(players, ranks);
        }
}

// Rank 1 comes to the exchange only when rank 0 has posted its part: posting waits for nobody.
static void post_early(Player *player) {
    static atomic_bool posted;
    char bytes = player->rank == 0 ? 'a' : 'b';
    const Transfer list = {.peer = 1 - player->rank, .sends = player->rank == 0, .bytes = 1, .at = &bytes};
    if (player->rank == 0) posted = false;
    CHECK(fns->gather(player->ctx, NULL, NULL, 0) == RANKS_DONE);
    while (player->rank == 1 && !posted) sleep_for(1e-3);
    CHECK(fns->post(player->ctx, &list, 1) == RANKS_DONE);
    posted = true;
    CHECK(fns->finish(player->ctx) == RANKS_DONE && bytes == 'a');
}

static void test_post(void) {
    Player players[RANKS_MOST];
    play(players, (LoopbackOptions){.ranks = 2}, post_early, NULL);
    end_play(players, 2);
}

// --- Seeds ---------------------------------------------------------------------------------------

static void keep_turns(Player *player) {
    uint64_t *turns = (uint64_t *)player->shared + (size_t)player->rank * RANKS_MOST * 2;
    char own = 'x', all[RANKS_MOST];
    CHECK(fns->gather(player->ctx, &own, all, 1) == RANKS_DONE);
    const Member *member = player->ctx;
    for (int i = 0; i < member->count; i++) turns[i] = member->parcels[i].turn;
}

static void test_seeds(void) {
    static uint64_t turns[4][RANKS_MOST * RANKS_MOST * 2];
    static const uint64_t seeds[4] = {0, 7, 7, 8};
    for (int i = 0; i < 4; i++) {
        Player players[RANKS_MOST];
        play(players, (LoopbackOptions){.ranks = 4, .seed = seeds[i]}, keep_turns, turns[i]);
        end_play(players, 4);
    }
    CHECK(memcmp(turns[1], turns[2], sizeof turns[1]) == 0);
    CHECK(memcmp(turns[1], turns[3], sizeof turns[1]) != 0);
    CHECK(memcmp(turns[1], turns[0], sizeof turns[1]) != 0);
}

// --- What goes wrong -----------------------------------------------------------------------------

// `rank` -1: whichever it began on.
static void check_failed(Player *players, int ranks, int rank, const char *first, const char *second) {
    for (int r = 0; r < ranks; r++) {
        const RanksFailure *failure = &players[r].failure;
        CHECK(players[r].outcome == RANKS_FAILED);
        if (players[r].outcome != RANKS_FAILED) {
            printf("rank %d did not meet \"%s\"\n", r, first);
            continue;
        }
        bool told = strstr(failure->text, first) && (!second || strstr(failure->text, second));
        if (!told) printf("rank %d: \"%s\"\n", r, failure->text);
        CHECK(told);
        CHECK(rank < 0 || failure->rank == rank);
        CHECK(!failure->bytes && failure->len == 0);
    }
}

static void gather_until_failed(Player *player) {
    char own = 'x', all[RANKS_MOST];
    RanksOutcome outcome = RANKS_DONE;
    for (int i = 0; i < 20 && outcome == RANKS_DONE; i++) outcome = fns->gather(player->ctx, &own, all, 1);
    note(player, outcome);
    CHECK(fns->broadcast(player->ctx, 0, &own, 1) == outcome); // and so it stays
    CHECK(fns->post(player->ctx, NULL, 0) == outcome);
    CHECK(fns->finish(player->ctx) == outcome);
}

static void test_lost(void) {
    for (uint64_t seed = 0; seed < 2; seed++) {
        Player players[RANKS_MOST];
        play(players, (LoopbackOptions){.ranks = 4, .lost_rank = 2, .lost_step = 5, .seed = seed}, gather_until_failed,
             NULL);
        check_failed(players, 4, 2, "rank 2 was lost in step 5", NULL);
        end_play(players, 4);
    }
}

static void fail_in_the_middle(Player *player) {
    char own = 'x', all[RANKS_MOST];
    for (int i = 0; i < 3; i++) CHECK(fns->gather(player->ctx, &own, all, 1) == RANKS_DONE);
    fns->gather(player->ctx, &own, all, 1); // who is still in it when another fails may fail here already
    if (player->rank == 1) fns->fail(player->ctx, "what is wrong", 13);
    if (player->rank == 2) fns->fail(player->ctx, NULL, 0);
    note(player, fns->gather(player->ctx, &own, all, 1));
}

static void test_fail(void) {
    for (int i = 0; i < 20; i++) {
        Player players[RANKS_MOST];
        play(players, (LoopbackOptions){.ranks = 3}, fail_in_the_middle, NULL);
        for (int r = 0; r < 3; r++) {
            const RanksFailure *failure = &players[r].failure;
            bool first = failure->rank == 1 && failure->len == 13 && memcmp(failure->bytes, "what is wrong", 13) == 0;
            bool second = failure->rank == 2 && !failure->bytes && strcmp(failure->text, "rank 2 failed") == 0;
            CHECK(players[r].outcome == RANKS_FAILED && (first || second));
            CHECK(failure->rank == players[0].failure.rank);
        }
        end_play(players, 3);
    }
}

static void stop_in_the_middle(Player *player) {
    char own = 'x', all[RANKS_MOST];
    const Transfer list = {.peer = 2 - player->rank, .sends = true, .bytes = 1, .at = &own};
    CHECK(fns->gather(player->ctx, &own, all, 1) == RANKS_DONE);
    if (player->rank == 1) { // keeps the others waiting
        sleep_for(0.3);
        ((Player *)player->shared)[0].stop = true;
        sleep_for(0.3);
    }
    CHECK(fns->post(player->ctx, &list, 0) == RANKS_DONE || player->rank == 1);
    note(player, fns->finish(player->ctx));
    if (player->outcome == RANKS_STOPPED) fns->fail(player->ctx, "stop", 4);
    if (player->outcome == RANKS_STOPPED) CHECK(fns->gather(player->ctx, &own, all, 1) == RANKS_FAILED);
}

static void test_stopped(void) {
    Player players[RANKS_MOST];
    play(players, (LoopbackOptions){.ranks = 3}, stop_in_the_middle, players);
    CHECK(players[0].outcome == RANKS_STOPPED);
    for (int r = 1; r < 3; r++) {
        const RanksFailure *failure = &players[r].failure;
        CHECK(players[r].outcome == RANKS_FAILED && failure->rank == 0);
        CHECK(failure->len == 4 && memcmp(failure->bytes, "stop", 4) == 0);
    }
    CHECK(players[2].polls >= 3);
    end_play(players, 3);
}

static double thread_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stall(Player *player) {
    char own = 'x', all[RANKS_MOST];
    CHECK(fns->gather(player->ctx, &own, all, 1) == RANKS_DONE);
    if (player->rank == 1) sleep_for(1);
    double begun = thread_seconds();
    note(player, fns->gather(player->ctx, &own, all, 1));
    CHECK(thread_seconds() - begun < 0.1); // nobody waits busily
}

static void test_stall(void) {
    Player players[RANKS_MOST];
    play(players, (LoopbackOptions){.ranks = 3, .stall = 0.3}, stall, NULL);
    check_failed(players, 3, 1, "rank 1 has kept rank ", "waiting for 0.3 seconds");
    end_play(players, 3);
}

// A rank whose part is done may leave; who waits for more of it fails.
static void leave_early(Player *player) {
    unsigned char *own = malloc(1 << 20), *all = malloc((size_t)player->size << 20);
    fill(own, 1 << 20, 5);
    CHECK(fns->gather(player->ctx, own, all, 1 << 20) == RANKS_DONE);
    memset(own, 0, 1 << 20);
    for (int r = 0; r < player->size; r++) CHECK(is_filled(all + ((size_t)r << 20), 1 << 20, 5));
    free(own);
    if (player->rank == 2) leave(player);
    else note(player, fns->broadcast(player->ctx, 0, all, 1));
    free(all);
}

static void test_leave(void) {
    for (uint64_t seed = 0; seed < 10; seed++) {
        Player players[RANKS_MOST];
        play(players, (LoopbackOptions){.ranks = 3, .seed = seed}, leave_early, NULL);
        check_failed(players, 2, 2, "rank 2 has left, and rank ", "waits for it");
        end_play(players, 3);
    }
}

// One that leaves with messages under way takes its memory along.
static void leave_in_the_middle(Player *player) {
    size_t size = 1 << 20;
    char *bytes = calloc(2, size);
    const Transfer list[] = {{.peer = 1 - player->rank, .sends = true, .bytes = size, .at = bytes},
                             {.peer = 1 - player->rank, .sends = false, .bytes = size, .at = bytes + size}};
    RanksOutcome outcome = fns->post(player->ctx, list, 2);
    if (player->rank == 0) {
        leave(player);
    } else {
        if (outcome == RANKS_DONE) outcome = fns->finish(player->ctx);
        note(player, outcome);
    }
    free(bytes);
}

static void test_leave_in_the_middle(void) {
    for (int i = 0; i < 20; i++) {
        Player players[RANKS_MOST];
        play(players, (LoopbackOptions){.ranks = 2}, leave_in_the_middle, NULL);
        if (players[1].outcome == RANKS_FAILED) check_failed(players + 1, 1, 0, "rank 0 left in step 1", NULL);
        else CHECK(players[1].outcome == RANKS_DONE); // it had copied them by then
        end_play(players, 2);
    }
}

// --- Mail ----------------------------------------------------------------------------------------

static Mail *mail_of(Player *player, uint64_t context, int64_t tag, size_t len) {
    Mail *mail = mail_new(&player->vm->mem, len);
    if (!mail) abort();
    mail->context = context;
    mail->tag = tag;
    fill((unsigned char *)mail->bytes, len, (uint32_t)(player->rank * 100 + tag));
    return mail;
}

static void take_mail(Player *player, int from, uint64_t context, int64_t tag, size_t len) {
    Mail *mail = NULL;
    CHECK(fns->receive(player->ctx, from, context, tag, &mail) == RANKS_DONE);
    CHECK(mail && mail->len == len && is_filled((unsigned char *)mail->bytes, len, (uint32_t)(from * 100 + tag)));
    mail_free(mail);
}

// Ranks 0 and 1 write to each other, in another order than they read, while rank 2 is in a step already.
static void mail_each_other(Player *player) {
    char own = 0, all[3];
    const int peer = 1 - player->rank;
    RanksCounts counts;
    if (player->rank < 2) {
        for (int tag = 0; tag < 4; tag++)
            CHECK(fns->send(player->ctx, peer, mail_of(player, 7, tag, (size_t)tag * 1000)) == RANKS_DONE);
        CHECK(fns->send(player->ctx, peer, mail_of(player, 8, 0, 10)) == RANKS_DONE);
        CHECK(fns->send(player->ctx, peer, mail_of(player, 7, 2, 20)) == RANKS_DONE);
        take_mail(player, peer, 8, 0, 10);
        for (int tag = 3; tag >= 0; tag--) take_mail(player, peer, 7, tag, (size_t)tag * 1000);
        take_mail(player, peer, 7, 2, 20); // the later one of its tag
        fns->counts(player->ctx, &counts);
        CHECK(counts.messages_sent == 6 && counts.messages_received == 6 && counts.bytes_received == 6030);
    }
    CHECK(fns->gather(player->ctx, &own, all, 1) == RANKS_DONE);
    if (player->rank == 0) CHECK(fns->send(player->ctx, 2, mail_of(player, 1, 1, 5)) == RANKS_DONE); // nobody takes it
}

// Mail of a rank that has left is there still; what it has not sent is missed.
static void mail_and_leave(Player *player) {
    Mail *mail = NULL;
    if (player->rank == 1) {
        CHECK(fns->send(player->ctx, 0, mail_of(player, 0, 5, 3000)) == RANKS_DONE);
        leave(player);
        return;
    }
    sleep_for(0.01);
    take_mail(player, 1, 0, 5, 3000);
    note(player, fns->receive(player->ctx, 1, 0, 5, &mail));
    CHECK(!mail);
}

static void mail_to_nobody(Player *player) {
    note(player, fns->send(player->ctx, player->rank, mail_of(player, 0, 0, 1)));
}

// Everybody waits for mail of the next one; or one for mail of a rank that has gone on to a step.
static void mail_in_a_ring(Player *player) {
    Mail *mail = NULL;
    note(player, fns->receive(player->ctx, (player->rank + 1) % player->size, 0, 0, &mail));
}

static void mail_and_step(Player *player) {
    Mail *mail = NULL;
    char own = 0, all[3];
    if (player->rank == 2) note(player, fns->gather(player->ctx, &own, all, 1));
    else note(player, fns->receive(player->ctx, player->rank + 1, 0, 0, &mail));
}

static void test_mail(void) {
    Player players[RANKS_MOST];
    for (int i = 0; i < 20; i++) {
        play(players, (LoopbackOptions){.ranks = 3}, mail_in_a_ring, NULL);
        check_failed(players, 3, -1, "waits for rank", "which waits for it");
        end_play(players, 3);
        play(players, (LoopbackOptions){.ranks = 3}, mail_and_step, NULL);
        check_failed(players, 3, -1, "and rank 2 is in step 1 with all ranks", NULL);
        end_play(players, 3);
    }
    for (int i = 0; i < 20; i++) {
        play(players, (LoopbackOptions){.ranks = 3}, mail_each_other, NULL);
        end_play(players, 3);
        play(players, (LoopbackOptions){.ranks = 2}, mail_and_leave, NULL);
        check_failed(players, 1, 1, "rank 1 has left, and rank 0 waits for it", NULL);
        end_play(players, 2);
    }
    play(players, (LoopbackOptions){.ranks = 2}, mail_to_nobody, NULL);
    check_failed(players, 2, -1, "has mail with rank", NULL);
    end_play(players, 2);
}

// --- Ranks that do not do the same ---------------------------------------------------------------

typedef struct Mismatch {
    void (*act)(Player *player);
    const char *first, *second; // in the text
} Mismatch;

static char bytes[64];

static RanksOutcome exchange(Player *player, const Transfer *list, int count) {
    RanksOutcome outcome = fns->post(player->ctx, list, count);
    return outcome == RANKS_DONE ? fns->finish(player->ctx) : outcome;
}

static void other_kinds(Player *player) {
    note(player, player->rank == 1 ? fns->broadcast(player->ctx, 0, bytes, 8) : exchange(player, NULL, 0));
}

static void other_sizes(Player *player) {
    char own[8] = "abcdefg", all[3 * 8];
    note(player, fns->gather(player->ctx, own, all, player->rank == 1 ? 8 : 4));
}

static void other_roots(Player *player) {
    char own[8] = "abcdefg";
    note(player, fns->broadcast(player->ctx, player->rank == 1, own, 8));
}

static void other_message_sizes(Player *player) {
    char own[8] = "abcdefg";
    const Transfer list = {.peer = 1 - player->rank, .sends = player->rank == 0, .bytes = player->rank ? 4 : 8,
                           .at = own};
    note(player, exchange(player, &list, player->rank < 2));
}

static void unexpected_message(Player *player) {
    char own[8] = "abcdefg";
    const Transfer list = {.peer = 1, .sends = true, .bytes = 8, .at = own};
    note(player, exchange(player, &list, player->rank == 0));
}

static void missing_message(Player *player) {
    char own[8] = "abcdefg";
    const Transfer list[] = {{.peer = 1 - player->rank, .sends = player->rank == 0, .bytes = 8, .at = own},
                             {.peer = 1 - player->rank, .sends = player->rank == 0, .bytes = 8, .at = own}};
    note(player, exchange(player, list, player->rank == 0 ? 1 : player->rank == 1 ? 2 : 0));
}

static void no_such_rank(Player *player) {
    char own[8] = "abcdefg";
    const Transfer list = {.peer = 3, .sends = true, .bytes = 8, .at = own};
    note(player, exchange(player, &list, player->rank == 1));
}

static void itself(Player *player) {
    char own[8] = "abcdefg";
    const Transfer list = {.peer = 1, .sends = true, .bytes = 8, .at = own};
    note(player, exchange(player, &list, player->rank == 1));
}

static void no_such_root(Player *player) {
    char own[8] = "abcdefg";
    note(player, fns->broadcast(player->ctx, 3, own, 8));
}

static void unfinished(Player *player) {
    char all[3];
    if (player->rank == 1) CHECK(fns->post(player->ctx, NULL, 0) != RANKS_STOPPED);
    note(player, player->rank == 1 ? fns->gather(player->ctx, "x", all, 1) : exchange(player, NULL, 0));
    if (player->outcome == RANKS_DONE) note(player, fns->gather(player->ctx, "x", all, 1));
}

static void unbegun(Player *player) {
    note(player, player->rank == 1 ? fns->finish(player->ctx) : exchange(player, NULL, 0));
}

static const Mismatch mismatches[] = {
    {other_kinds, "exchanges messages", "rank 1 broadcasts from rank"},
    {other_sizes, "gathers", "rank 1"},
    {other_roots, "broadcasts from rank", "rank 1"},
    {other_message_sizes, "rank 0 sends 8 bytes to rank 1, which expects 4", NULL},
    {unexpected_message, "rank 0 sends a message of 8 bytes, number 1, that rank 1 does not expect", NULL},
    {missing_message, "rank 1 expects a message of 8 bytes, number 2, that rank 0 does not send", NULL},
    {no_such_rank, "rank 1 of 3 sends 8 bytes to rank 3", NULL},
    {itself, "rank 1 of 3 sends 8 bytes to rank 1", NULL},
    {no_such_root, "of 3 broadcasts from rank 3", NULL},
    {unfinished, "rank 1 did not finish the exchange of step 1", NULL},
    {unbegun, "rank 1 finishes no exchange", NULL},
};

static void test_mismatch(void) {
    for (size_t i = 0; i < sizeof mismatches / sizeof *mismatches; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            Player players[RANKS_MOST];
            play(players, (LoopbackOptions){.ranks = 3, .seed = seed}, mismatches[i].act, NULL);
            check_failed(players, 3, -1, mismatches[i].first, mismatches[i].second);
            end_play(players, 3);
        }
}

// --- Joining -------------------------------------------------------------------------------------

static void do_nothing(Player *player) {
    (void)player;
}

static bool is_refused(LoopbackGroup *group, int rank, const char *text) {
    Vm *vm = vm_alone();
    const char *why = "";
    void *ctx = fns->open(vm, &(RanksOptions){.group = group, .rank = rank}, &why);
    bool good = !ctx && strstr(why, text);
    if (!good) printf("refused: \"%s\"\n", why);
    mem_destroy(&vm->mem);
    free(vm);
    return good;
}

static void test_join(void) {
    Player players[RANKS_MOST];
    play(players, (LoopbackOptions){.ranks = 2}, do_nothing, NULL);
    CHECK(is_refused(players[0].group, 1, "another VM has this rank"));
    CHECK(is_refused(players[0].group, 2, "no such rank"));
    CHECK(is_refused(players[0].group, -1, "no such rank"));
    CHECK(is_refused(NULL, 0, "no group"));
    end_play(players, 2);
    LoopbackGroup *group = loopback_group_new(&(LoopbackOptions){.ranks = 2, .stall = 0.3});
    CHECK(is_refused(group, 0, "rank 1 has kept rank 0 waiting"));
    CHECK(is_refused(group, 1, "rank 1 has kept rank 0 waiting"));
    loopback_group_free(group);
    const LoopbackOptions wrong[] = {{.ranks = 0}, {.ranks = -1}, {.ranks = LOOPBACK_MOST + 1}, {.ranks = 2, .stall = -1},
                                     {.ranks = 2, .lost_rank = 2, .lost_step = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(!loopback_group_new(&wrong[i]));
    loopback_group_free(NULL);
}

int main(void) {
    void (*const tests[])(void) = {test_exchange, test_gather,  test_post,  test_seeds, test_lost, test_fail, test_stopped,
                                   test_stall,    test_leave, test_leave_in_the_middle, test_mismatch, test_mail, test_join};
    alarm(LIMIT); // a hang
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) tests[i]();
    printf("%d failed\n", failures);
    return failures != 0;
}
