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
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nacre_config.h"
#include "plugin.h"

// Set in the environment of a process that has joined: programs that it starts are not ranks, even though they inherit
// the launcher's variables.
static const char joined[] = "NACRE_JOINED";

// Set by `launch` for its ranks: the file in which rank 0 leaves its exit status.
static const char ended[] = "NACRE_ENDED";

enum { RANKS_MOST = 4096 }; // limit of ranks on one machine, in case the number is a mistake
enum { DEAF_STATUS = 75 }; // exit status with which nacre-mpi.so ends a job (dist/mpi/process.c)

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

static volatile sig_atomic_t child, interrupted;

static void pass_on(int number) {
    if (child > 0) kill(child, number);
}

// In a terminal, Ctrl-C reaches mpirun directly; what another process has sent does not.
static void on_interrupt(int number, siginfo_t *info, void *context) {
    (void)context;
    interrupted = 1;
    if (info->si_code <= 0) pass_on(number);
}

static void take_signals(pid_t pid) {
    const struct sigaction interrupt = {.sa_sigaction = on_interrupt, .sa_flags = SA_SIGINFO};
    child = pid;
    sigaction(SIGINT, &interrupt, NULL);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
}

// Copies mpirun's output to this process's until it ends. If nobody reads that any more, ends the job and returns
// false: mpirun itself would crash.
static bool copy_output(int from) {
    char bytes[1 << 16];
    bool read_by_any = true;
    for (ssize_t got; (got = read(from, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR);)
        for (ssize_t at = 0, put; read_by_any && at < got; at += put > 0 ? put : 0) {
            put = write(1, bytes + at, (size_t)(got - at));
            if (put >= 0 || errno == EINTR) continue;
            if (errno == EAGAIN) { // others share the pipe, and do not wait
                poll(&(struct pollfd){.fd = 1, .events = POLLOUT}, 1, -1);
                continue;
            }
            read_by_any = false;
            pass_on(SIGTERM);
        }
    close(from);
    return read_by_any;
}

// Waits for mpirun. *by: the signal that ended it; 0: none.
static int wait_for(pid_t pid, int *by) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    *by = WIFSIGNALED(status) && !interrupted ? WTERMSIG(status) : 0;
    if (interrupted) return INTERRUPTED_STATUS;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Returns the status that rank 0 has left; -1: none, since it was ended.
static int status_left(const char *path) {
    int status = -1;
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d", &status) != 1) status = -1;
    if (file) fclose(file);
    return status;
}

// Reports how the job ended, for failures that no rank could report. Open MPI's own report, which would follow every
// traceback, is switched off (set_environment).
static void report(int status, int by, const char *path) {
    int number = status - 128;
    if (by) {
        fprintf(stderr, "nacre: mpirun itself was ended by signal %d (%s)\n", by, strsignal(by));
        return;
    }
    if (status_left(path) == status) return; // such is the program's own status
    if (number > 0 && number < NSIG && number != SIGINT)
        fprintf(stderr, "nacre: mpirun ended with status %d: a rank was ended by signal %d (%s)\n", status, number,
                strsignal(number));
    if (status == DEAF_STATUS)
        fputs("nacre: mpirun was ended: a rank had failed, and another did not notice for NACRE_MPI_PATIENCE seconds\n", stderr);
}

static bool has_reader(void) {
    struct stat to;
    return fstat(1, &to) == 0 && (S_ISFIFO(to.st_mode) || S_ISSOCK(to.st_mode));
}

static int run(char **argv, const char *path) {
    int ends[2] = {-1, -1}; // of a pipe for mpirun's output, if another process reads this one's
    if (has_reader() && pipe(ends) != 0) ends[0] = ends[1] = -1;
    for (int i = 0; i < 2 && ends[i] >= 0; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    interrupt_let(); // the processes would inherit a blocked signal
    pid_t pid = fork();
    if (pid == 0) {
        if (ends[1] >= 0) dup2(ends[1], 1);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execvp(argv[0], argv);
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (ends[1] >= 0) close(ends[1]);
    if (pid < 0) {
        fprintf(stderr, "nacre: --transport mpi: %s: %s\n", argv[0], strerror(errno));
        if (ends[0] >= 0) close(ends[0]);
        return 1;
    }
    take_signals(pid);
    const bool was_read = ends[0] < 0 || copy_output(ends[0]);
    int by, status = wait_for(pid, &by);
    if (!was_read) return 128 + SIGPIPE;
    report(status, by, path);
    return status;
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
    int status = argv ? run(argv, path) : 1;
    cli->launched = true;
    if (*path) unlink(path);
    free_arguments(argv);
    return status;
}
