// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ranks that are VMs of this process, in threads. All run the same program. The user sees rank 0's output; once all
// ranks have ended, errors that only other ranks have are reported.

#include "ranks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"
#include "launch.h"
#include "plans.h"

enum { GRACE = 1 }; // seconds that the other ranks have to end by themselves after rank 0 has failed

// How a program ended on a rank.
typedef struct End {
    NacreStatus status;
    int code;     // exit status, for NACRE_EXIT
    Text error;   // error text, for other failures
    int order;    // position in the order in which ranks ended, from 1; 0: not ended
} End;

typedef struct Mate {
    Team *team;
    int rank;
    pthread_t thread;
    bool refused; // its VM could not be created
    End end;
    Text figures; // of its run, as JSON
} Mate;

typedef enum Phase { FORMING, CALLED_OFF, JOINING } Phase;

struct Team {
    NacreOptions options; // options of the other ranks; `rank` is set for each
    int argc;
    char **argv;
    pthread_mutex_t mutex;
    pthread_cond_t news;
    Phase phase;
    bool plans; // they are observed, with their data, on rank 0: looking at what is distributed is collective
    bool given; // `run` is valid; if it is NULL, there is no program
    ProgramFn run;
    const void *ctx;
    int ends;   // number of ranks that have ended
    int left;   // number of other ranks whose threads have not ended
    End own;    // rank 0's
    int mate_count;
    Mate mates[];
};

bool ranks_asked(const Cli *cli) {
    return cli->rank_count > 1 || (cli->transport && strcmp(cli->transport, "mpi") == 0);
}

// --- The thread of a rank ------------------------------------------------------------------------

static void wait_for_start(Team *team) {
    pthread_mutex_lock(&team->mutex);
    while (team->phase == FORMING) pthread_cond_wait(&team->news, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
}

static ProgramFn wait_for_program(Team *team) {
    pthread_mutex_lock(&team->mutex);
    while (!team->given) pthread_cond_wait(&team->news, &team->mutex);
    ProgramFn run = team->run;
    pthread_mutex_unlock(&team->mutex);
    return run;
}

static void note_end(Team *team, End *end, const NacreVm *vm, NacreStatus status) {
    pthread_mutex_lock(&team->mutex);
    end->order = ++team->ends;
    end->status = status;
    if (status == NACRE_EXIT) end->code = nacre_exit_code(vm);
    else if (status != NACRE_OK) text_add(&end->error, nacre_error_text(vm), nacre_error_size(vm));
    if (status != NACRE_OK && status != NACRE_EXIT && end->error.len == 0) text_puts(&end->error, nacre_error_class(vm));
    pthread_mutex_unlock(&team->mutex);
}

static void run_program(Mate *mate, NacreVm *vm) {
    Team *team = mate->team;
    nacre_set_argv(vm, team->argc, (const char *const *)team->argv);
    interrupt_add(mate->rank, vm);
    ProgramFn run = wait_for_program(team);
    Plans plans = {0};
    if (team->plans && !plans_start(&plans, vm, true)) run = NULL; // rank 0 then reports that this one is missing
    if (run) {
        note_end(team, &mate->end, vm, run(team->ctx, vm));
        if (mate->end.status != NACRE_INTERRUPTED) cli_run_at_exit(vm);
    }
    figures_put(vm, &mate->figures);
    plans_free(&plans);
    interrupt_remove(mate->rank);
}

static void *be_rank(void *arg) {
    Mate *mate = arg;
    Team *team = mate->team;
    wait_for_start(team);
    if (team->phase == JOINING) {
        NacreOptions options = team->options;
        options.rank = mate->rank;
        NacreVm *vm = nacre_new(&options);
        mate->refused = !vm;
        if (vm) run_program(mate, vm);
        nacre_free(vm);
    }
    pthread_mutex_lock(&team->mutex);
    team->left--;
    pthread_cond_broadcast(&team->news);
    pthread_mutex_unlock(&team->mutex);
    return NULL;
}

// --- Starting ------------------------------------------------------------------------------------

static Team *team_new(int ranks) {
    int others = ranks - 1;
    Team *team = calloc(1, sizeof *team + (size_t)others * sizeof team->mates[0]);
    if (!team) return NULL;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&team->news, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&team->mutex, NULL);
    return team;
}

static void team_free(Team *team) {
    for (int i = 0; i < team->mate_count; i++) {
        text_free(&team->mates[i].end.error);
        text_free(&team->mates[i].figures);
    }
    text_free(&team->own.error);
    nacre_group_free(team->options.group);
    pthread_cond_destroy(&team->news);
    pthread_mutex_destroy(&team->mutex);
    free(team);
}

static void set_phase(Team *team, Phase phase) {
    pthread_mutex_lock(&team->mutex);
    team->phase = phase;
    pthread_cond_broadcast(&team->news);
    pthread_mutex_unlock(&team->mutex);
}

// Returns the stack size for a rank's thread: that of the main thread, so that calls can nest as deeply.
static size_t stack_size(void) {
    enum { USUAL = 8 << 20 };
    struct rlimit limit;
    bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known && limit.rlim_cur > (rlim_t)sysconf(_SC_THREAD_STACK_MIN) ? (size_t)limit.rlim_cur : USUAL;
}

static bool start_threads(Team *team, int others) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    bool good = pthread_attr_setstacksize(&attributes, stack_size()) == 0;
    for (int i = 0; i < others && good; i++) {
        Mate *mate = &team->mates[i];
        *mate = (Mate){.team = team, .rank = i + 1};
        good = pthread_create(&mate->thread, &attributes, be_rank, mate) == 0;
        team->mate_count += good;
    }
    pthread_attr_destroy(&attributes);
    team->left = team->mate_count;
    set_phase(team, good ? JOINING : CALLED_OFF);
    for (int i = 0; i < team->mate_count && !good; i++) pthread_join(team->mates[i].thread, NULL);
    return good;
}

// Returns options of the other ranks. They have no access to the process's streams and files: rank 0 performs all
// effects.
static NacreOptions options_of_others(const NacreOptions *own) {
    NacreOptions options = *own;
    options.write = NULL;
    options.read_line = NULL;
    options.ask = NULL;
    options.access = NULL;
    options.refused = NULL;
    options.ctx = NULL;
    options.count_instructions = 0;
    return options;
}

static int fail(const char *why, int status) {
    fprintf(stderr, "nacre: %s\n", why);
    return status;
}

static int start_loopback(Cli *cli, int argc, char **argv) {
    // No timeout: threads do not disappear, and rank 0 may wait for its user, or sleep, for any time.
    const NacreGroupOptions group = {.struct_size = sizeof group, .ranks = cli->rank_count, .stall = 1e9};
    if (cli->options.threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        cli->options.threads = cores > cli->rank_count ? (int)cores / cli->rank_count : 1;
    }
    cli->options.ranks = "loopback";
    cli->options.group = nacre_group_new(&group);
    if (!cli->options.group) return fail("so many ranks cannot be made", 2);
    Team *team = team_new(cli->rank_count);
    if (team) {
        team->options = options_of_others(&cli->options);
        team->plans = cli->plans_with_data;
        team->argc = argc;
        team->argv = argv;
    }
    if (team && interrupt_room(cli->rank_count) && start_threads(team, cli->rank_count - 1)) {
        cli->team = team;
        return 0;
    }
    if (team) team_free(team);
    else nacre_group_free(cli->options.group);
    return fail("threads for so many ranks cannot be started", 1);
}

// Returns the transport to use, or NULL. Without --transport, several ranks are processes if they can be started;
// launch.c has the reasons.
static const char *transport_of(const Cli *cli) {
    if (cli->transport || !cli->rank_count) return cli->transport;
    return cli->rank_count > 1 && !launch_problem() ? "mpi" : "loopback";
}

int ranks_start(Cli *cli, int argc, char **argv) {
    const char *transport = transport_of(cli);
    const bool mpi = transport && strcmp(transport, "mpi") == 0;
    if (!transport) return 0;
    if (cli->inside.pass_count) return fail("passes in Lua (--pass) are for one rank: leave out -n and --transport", 2);
    const char *problem = inside_problem_on_ranks(cli);
    if (problem) return fail(problem, 2);
    if (mpi && cli->rank_count > 1) return launch(cli); // a single process needs no launcher
    if (!mpi) return cli->rank_count ? start_loopback(cli, argc, argv) : fail("--transport loopback needs -n N", 2);
    cli->options.ranks = "mpi";
    return 0;
}

// --- Running and ending --------------------------------------------------------------------------

void ranks_run(Team *team, ProgramFn run, const void *ctx) {
    pthread_mutex_lock(&team->mutex);
    if (!team->given) {
        team->run = run;
        team->ctx = ctx;
        team->given = true;
        pthread_cond_broadcast(&team->news);
    }
    pthread_mutex_unlock(&team->mutex);
}

void ranks_ended(Team *team, NacreVm *vm, NacreStatus status) {
    note_end(team, &team->own, vm, status);
}

static bool has_failed(const End *end) {
    return end->status != NACRE_OK && end->status != NACRE_EXIT;
}

// Waits until all other ranks have ended. When rank 0 has failed, they notice that it is lost at their next collective
// step. A rank that does not reach one within the grace period is interrupted.
static void wait_for_others(Team *team) {
    struct timespec until;
    int late = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += GRACE;
    pthread_mutex_lock(&team->mutex);
    while (team->left > 0 && !late)
        late = has_failed(&team->own) ? pthread_cond_timedwait(&team->news, &team->mutex, &until)
                                      : pthread_cond_wait(&team->news, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
    if (late) interrupt_others();
    for (int i = 0; i < team->mate_count; i++) pthread_join(team->mates[i].thread, NULL);
}

// Returns the essential line of a traceback: the last one that is not a note about the rank that raised the error.
static const char *last_line(const Text *text, size_t *len) {
    static const char note[] = "raised on rank ";
    const char *bytes = text_string(text), *line;
    size_t end = strlen(bytes);
    do {
        while (end > 0 && bytes[end - 1] == '\n') end--;
        size_t begin = end;
        while (begin > 0 && bytes[begin - 1] != '\n') begin--;
        line = bytes + begin;
        *len = end - begin;
        end = begin;
    } while (end > 0 && strncmp(line, note, sizeof note - 1) == 0);
    return line;
}

static bool ended_alike(const End *a, const End *b) {
    size_t lens[2];
    if (has_failed(a) != has_failed(b)) return false;
    if (!has_failed(a)) return a->code == b->code;
    const char *one = last_line(&a->error, &lens[0]), *other = last_line(&b->error, &lens[1]);
    return lens[0] == lens[1] && memcmp(one, other, lens[0]) == 0;
}

// Returns whether a rank's end is to be reported: it differs from rank 0's, and is not a consequence of rank 0's
// failure.
static bool is_news(const Team *team, const Mate *mate) {
    const End *end = &mate->end, *own = &team->own;
    return end->order && own->order && !ended_alike(end, own) && !(has_failed(own) && end->order > own->order);
}

static void put_ranks(const Team *team, const End *like, int first) {
    const char *between = "";
    int count = 0;
    for (int i = first; i < team->mate_count; i++) count += ended_alike(&team->mates[i].end, like);
    fputs(count == 1 ? "nacre: rank " : "nacre: ranks ", stderr);
    for (int i = first; i < team->mate_count; i++)
        if (ended_alike(&team->mates[i].end, like)) {
            fprintf(stderr, "%s%d", between, team->mates[i].rank);
            between = ", ";
        }
}

// Reports a rank's end, together with all ranks that ended alike; does nothing if an earlier rank has been reported for
// that.
static void report(const Team *team, int index) {
    const End *end = &team->mates[index].end;
    for (int i = 0; i < index; i++)
        if (is_news(team, &team->mates[i]) && ended_alike(&team->mates[i].end, end)) return;
    put_ranks(team, end, index);
    if (has_failed(end)) fprintf(stderr, " failed otherwise than rank 0:\n%s", text_string(&end->error));
    else fprintf(stderr, " ended with exit status %d, unlike rank 0\n", end->code);
}

static int report_all(const Team *team, int code) {
    fflush(stdout);
    for (int i = 0; i < team->mate_count; i++) {
        const Mate *mate = &team->mates[i];
        const bool refused = mate->refused && team->own.order; // rank 0 has a VM, and this rank has none
        if (refused) fprintf(stderr, "nacre: rank %d cannot start\n", mate->rank);
        else if (is_news(team, mate)) report(team, i);
        if ((refused || is_news(team, mate)) && code == 0) code = 1;
    }
    return code;
}

int ranks_finish(Team *team, int code, Figures *figures) {
    if (!team) return code;
    ranks_run(team, NULL, NULL); // releases ranks that still wait, if no program was run
    wait_for_others(team);
    code = report_all(team, code);
    for (int i = 0; i < team->mate_count; i++) figures_take(figures, team->mates[i].rank, &team->mates[i].figures);
    team_free(team);
    return code;
}
