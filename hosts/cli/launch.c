// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Starting processes as ranks, and being one.
//
// Without --transport, -n starts processes if MPI is available, otherwise threads (the loopback). Processes do not
// share the caches of the C library's allocator, the locks of libraries (BLIS, FFTW), or a crash. They can run on
// several machines, so that what is tested with -n on one machine is what runs there. They take some 0.2 seconds to
// start; --transport loopback is for programs that take less.

#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpirun.h"
#include "nacre_config.h"
#include "plugin.h"

// Set in the environment of a process that has joined: programs that it starts are not ranks, even though they inherit
// the launcher's variables.
static const char joined[] = "NACRE_JOINED";

// Set by `launch` for its ranks: the file in which rank 0 leaves its exit status.
static const char ended[] = "NACRE_ENDED";

enum { RANKS_MOST = 4096 }; // limit of ranks on one machine, in case the number is a mistake

// --- Being one of several -------------------------------------------------------------------------

// Environment variables that launchers set for the processes that they start. SLURM's are set for each of srun's MPI
// types.
typedef struct Launcher {
    const char *name, *ranks, *rank, *local_ranks;
} Launcher;

static const Launcher launchers[] = {
    {"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"mpirun", "PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS"},
    {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_NTASKS_PER_NODE"},
};

static int number(const char *variable) {
    const char *text = getenv(variable);
    return text ? atoi(text) : 0;
}

static const Launcher *find_launcher(void) {
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (number(launchers[i].ranks) > 1) return &launchers[i];
    return NULL;
}

// Redirects the standard streams to /dev/null: output is discarded, and input is at its end.
static bool drop_streams(void) {
    int null = open("/dev/null", O_RDWR);
    bool good = null >= 0;
    for (int fd = 0; fd < 3 && good; fd++) good = dup2(null, fd) == fd;
    if (null > 2) close(null);
    return good;
}

// Divides the cores among the ranks of this machine.
static void share_cores(Cli *cli, const Launcher *launcher) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int ranks = number(launcher->local_ranks);
    if (cli->options.threads == 0 && ranks > 1) cli->options.threads = cores > ranks ? (int)cores / ranks : 1;
}

int launch_join(Cli *cli) {
    const Launcher *launcher = find_launcher();
    if (!launcher || getenv(joined) || (cli->transport && strcmp(cli->transport, "loopback") == 0)) return 0;
    int ranks = number(launcher->ranks);
    cli->follows = number(launcher->rank) > 0;
    if (cli->follows && !drop_streams()) return 1;
    if (cli->rank_count && cli->rank_count != ranks) {
        fprintf(stderr,
                "nacre: -n (NACRE_RANKS) asks for %d ranks, but %s has started %d processes (%s): leave out one of them\n",
                cli->rank_count, launcher->name, ranks, launcher->ranks);
        return 2;
    }
    if (cli->follows) {
        cli->figures.wanted |= cli->stats_file != NULL; // collecting is collective, and rank 0 does it for its --stats
        free(cli->stats_file);
        cli->stats_file = NULL;
    }
    cli->transport = "mpi";
    cli->joined = true;
    cli->rank_count = 0;
    share_cores(cli, launcher);
    return setenv(joined, "1", 1) != 0;
}

// --- Starting them --------------------------------------------------------------------------------

// Returns whether a folder of PATH has the program, or, if the name has a slash, whether it is the path of one.
static bool is_program(const char *name) {
    const char *at = getenv("PATH");
    if (strchr(name, '/')) return access(name, X_OK) == 0;
    while (at && *at) {
        size_t length = strcspn(at, ":");
        char path[4096];
        int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, name);
        if (length && written < (int)sizeof path && access(path, X_OK) == 0) return true;
        at += length + (at[length] == ':');
    }
    return false;
}

// Prefers the mpirun of the MPI that the plug-in was built with: processes of another MPI's would not find each other.
const char *launch_program(void) {
    const char *own = getenv("NACRE_MPIRUN");
    if (own && *own) return own;
    return *NACRE_MPIRUN && is_program(NACRE_MPIRUN) ? NACRE_MPIRUN : "mpirun";
}

const char *launch_problem(void) {
    if (!plugin_is_there("nacre-mpi.so")) return "there is no plug-in nacre-mpi.so";
    return is_program(launch_program()) ? NULL : "there is no mpirun (NACRE_MPIRUN, PATH)";
}

static bool is_in_batch_job(void) {
    static const char *const variables[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PE_HOSTFILE"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i])) return true;
    return false;
}

// Sets Open MPI's parameters that the user has not set; other MPIs ignore these variables. On one machine it does not
// search for networks, and so starts in a fifth of the time; a batch job may have several machines. -n allows
// oversubscription.
static void set_environment(void) {
    if (!is_in_batch_job()) {
        setenv("OMPI_MCA_pml", "ob1", 0);
        setenv("OMPI_MCA_btl", "self,vader,tcp", 0);
        setenv("PMIX_MCA_gds", "hash", 0); // processes do not exchange data by files, which saves another 20 ms
    }
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
    setenv("OMPI_MCA_orte_execute_quiet", "1", 0);
    setenv("OMPI_MCA_mca_base_env_list", ended, 0); // what ranks on other machines are to have, too
    if (geteuid() == 0) {
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    }
    unsetenv(joined);
}

// Returns whether an argument is a colon behind any number of backslashes. mpirun takes a colon for the begin of
// another program; so one backslash more is put before it, which launch_arguments removes.
static bool is_colon(const char *argument) {
    const char *at = argument + strspn(argument, "\\");
    return *at == ':' && !at[1];
}

bool launch_arguments(Cli *cli, int argc, char **argv) {
    const char *path = getenv(ended);
    if (!path) return true;
    for (int i = 1; i < argc; i++)
        if (is_colon(argv[i]) && *argv[i] == '\\') argv[i]++;
    cli->ended = strdup(path);
    return unsetenv(ended) == 0 && cli->ended;
}

static void free_arguments(char **argv) {
    for (size_t i = 4; argv && argv[i]; i++) free(argv[i]);
    free(argv);
}

// Returns `-n RANKS SELF` and copies of this program's own arguments, which contain the number of ranks again. NULL: out
// of memory.
static char **make_arguments(const Cli *cli, const char *program, char *ranks, char *self) {
    size_t count = 0;
    while (cli->arguments[count]) count++;
    char **argv = calloc(count + 5, sizeof *argv);
    if (!argv) return NULL;
    char *const first[] = {(char *)program, "-n", ranks, self};
    memcpy(argv, first, sizeof first);
    for (size_t i = 1; i < count; i++) {
        const char *from = cli->arguments[i];
        const size_t length = strlen(from), escaped = is_colon(from);
        char *to = argv[3 + i] = malloc(length + escaped + 1);
        if (!to) {
            free_arguments(argv);
            return NULL;
        }
        *to = '\\';
        memcpy(to + escaped, from, length + 1);
    }
    return argv;
}

// Makes the file for rank 0's exit status, and puts its path into the environment. Without one, *path is empty.
static bool make_file(char *path) {
    const int file = mkstemp(path);
    if (file >= 0) close(file);
    else *path = '\0';
    if (setenv(ended, path, 1) == 0) return true;
    if (*path) unlink(path);
    return false;
}

void launch_ended(const Cli *cli, int status) {
    // It is not there if rank 0 runs on another machine.
    FILE *file = cli->ended && cli->joined && !cli->follows ? fopen(cli->ended, "r+") : NULL;
    if (!file) return;
    fprintf(file, "%d\n", status & 255);
    fclose(file);
}

int launch(Cli *cli) {
    char self[4096], ranks[16], path[] = "/tmp/nacre-ended-XXXXXX";
    const char *program = launch_program(), *problem = launch_problem();
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!problem && length < 0) problem = strerror(errno);
    if (!problem && cli->rank_count > RANKS_MOST && !is_in_batch_job()) problem = "so many ranks cannot be started";
    if (!problem && !make_file(path)) problem = strerror(errno);
    if (problem) {
        fprintf(stderr, "nacre: --transport mpi: %s\n", problem);
        return 2;
    }
    self[length] = '\0';
    snprintf(ranks, sizeof ranks, "%d", cli->rank_count);
    char **argv = make_arguments(cli, program, ranks, self);
    set_environment();
    int status = argv ? mpirun_run(argv, path) : 1;
    cli->launched = true;
    if (*path) unlink(path);
    free_arguments(argv);
    return status;
}
