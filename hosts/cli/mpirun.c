// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// mpirun as a child process: signals that it has to get, output that it must not write itself, and its end.

#include "mpirun.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

enum { DEAF_STATUS = 75 }; // exit status with which nacre-mpi.so ends a job (dist/mpi/process.c)

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

// Copies mpirun's output to standard output, to its end. On a broken pipe terminates the job, in which mpirun itself
// would crash, and returns false.
static bool copy_output(int from) {
    char bytes[1 << 16];
    bool is_open = true;
    for (ssize_t got; (got = read(from, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR);)
        for (ssize_t at = 0, put; is_open && at < got; at += put > 0 ? put : 0) {
            put = write(1, bytes + at, (size_t)(got - at));
            if (put >= 0 || errno == EINTR) continue;
            if (errno == EAGAIN) { // others share the pipe, and do not wait
                poll(&(struct pollfd){.fd = 1, .events = POLLOUT}, 1, -1);
                continue;
            }
            is_open = false;
            pass_on(SIGTERM);
        }
    close(from);
    return is_open;
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
        fputs("nacre: mpirun was ended: a rank had failed, and another did not notice for NACRE_MPI_PATIENCE seconds\n",
              stderr);
}

// Returns whether another process reads this one's output.
static bool has_reader(void) {
    struct stat to;
    return fstat(1, &to) == 0 && (S_ISFIFO(to.st_mode) || S_ISSOCK(to.st_mode));
}

int mpirun_run(char **argv, const char *path) {
    int ends[2] = {-1, -1}; // of a pipe for mpirun's output
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
