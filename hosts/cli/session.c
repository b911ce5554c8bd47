// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A VM connected to the process: standard streams, exit status, files of figures.

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"
#include "json.h"
#include "ranks.h"
#include "report.h"

// Flushes standard output, which stdio buffers, before it writes to standard error, so that the two appear in order.
int cli_write(void *ctx, int stream, const char *bytes, size_t len) {
    const Cli *cli = ctx;
    if (stream == 1 && cli && cli->capture) {
        text_add(cli->capture, bytes, len);
        return cli->capture->failed ? -1 : 0;
    }
    if (stream == 1 && cli && cli->dry) return 0;
    FILE *file = stream == 2 ? stderr : stdout;
    if (stream == 2) fflush(stdout);
    if (len == 0) return fflush(file) == 0 ? 0 : -1;
    return fwrite(bytes, 1, len, file) == len ? 0 : -1;
}

static long read_line(void *ctx, const char **bytes) {
    Cli *cli = ctx;
    interrupt_hold();
    fflush(stdout);
    long n = input_line(&cli->input, bytes);
    interrupt_let();
    return n;
}

// Turns the terminal's echo off, and saves its modes in *before. Returns false if standard input is no terminal or its
// modes cannot be changed.
static bool hide_typing(struct termios *before) {
    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, before) != 0) return false;
    struct termios hidden = *before;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    return tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0;
}

static long ask(void *ctx, const char *prompt, size_t len, int hidden, const char **bytes) {
    enum { NOBODY = -2 };
    struct termios before;
    if (hidden && !hide_typing(&before)) return NOBODY;
    if (len) cli_write(ctx, hidden ? 2 : 1, prompt, len);
    long n = read_line(ctx, bytes);
    if (hidden) {
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
        fputc('\n', stderr);
    }
    return n;
}

// Allows access as the configuration does, but no writing in a dry run, whose results are not the program's.
static int allows(void *ctx, NacreAccess access, const char *path) {
    const Cli *cli = ctx;
    return !(cli->dry && access == NACRE_WRITE) && inside_allows(ctx, access, path);
}

static void say_refused(void *ctx, const char *why) {
    Cli *cli = ctx;
    cli->refused = true;
    fprintf(stderr, "nacre: the ranks cannot be joined: %s\n", why);
}

// Waits for the other ranks of this process, if there are any. Returns the exit status.
static int end_ranks(Cli *cli, int code) {
    Team *team = cli->team;
    cli->team = NULL;
    return ranks_finish(team, code, &cli->figures);
}

// Returns what `nacre info` says a backend lacks: the rest of the line with the backend's name, if that begins with
// "no"; otherwise "". `info` owns the text.
static const char *missing_of(const char *backend, Text *info) {
    const size_t length = strlen(backend);
    const char *line = nacre_info(text_write, info) == NACRE_OK ? text_string(info) : "";
    for (; *line; line += strspn(line, "\n")) {
        if (strncasecmp(line, backend, length) == 0 && strncmp(line + length, ": no", 4) == 0) return line + length;
        line += strcspn(line, "\n");
    }
    return "";
}

static void say_no_device(const char *backends) {
    Text info = {0};
    const char *missing = missing_of(backends, &info);
    fprintf(stderr, "nacre: there is no device for backend '%s'%.*s\n", backends, (int)strcspn(missing, "\n"), missing);
    text_free(&info);
}

// Finds out why nacre_new has failed, and prints it. It tries again without the ranks, and then without the backend: if
// that succeeds, what was left out is the reason.
static void explain_refusal(Cli *cli) {
    const char *backends = cli->backends;
    NacreOptions alone = cli->options;
    alone.ranks = NULL;
    NacreVm *vm = cli->options.ranks ? nacre_new(&alone) : NULL;
    cli->start_status = vm ? 1 : 0;
    if (vm && !cli->refused) fprintf(stderr, "nacre: the ranks cannot be joined (%s)\n", cli->options.ranks);
    nacre_free(vm);
    if (cli->start_status) return;
    alone.backend = NULL;
    vm = backends ? nacre_new(&alone) : NULL;
    cli->start_status = vm ? 2 : 1;
    if (vm && (strchr(backends, ',') || nacre_backend_known(backends)))
        say_no_device(backends);
    else if (vm) fprintf(stderr, "nacre: unknown backend '%s'\n", backends);
    else fprintf(stderr, "nacre: cannot start: out of memory\n");
    nacre_free(vm);
}

// Creates a VM with the first backend of cli->backends that is available. Returns NULL if none is.
static NacreVm *new_vm_of_backends(Cli *cli) {
    NacreVm *vm = NULL;
    const char *at = cli->backends;
    if (!at) return nacre_new(&cli->options);
    while (!vm) {
        size_t length = strcspn(at, ",");
        snprintf(cli->backend, sizeof cli->backend, "%.*s", (int)length, at);
        cli->options.backend = cli->backend;
        if (length < sizeof cli->backend) vm = nacre_new(&cli->options);
        cli->options.backend = NULL;
        if (!at[length]) break;
        at += length + 1;
    }
    return vm;
}

// Creates a VM that joins the ranks. A VM without ranks tests first which backend is available, since a rank can join
// the others only once.
static NacreVm *new_vm_on_ranks(Cli *cli, int argc, char **argv) {
    NacreVm *alone = cli->backends ? new_vm_of_backends(cli) : NULL, *vm = NULL;
    const bool good = alone || !cli->backends;
    nacre_free(alone);
    if (alone) cli->options.backend = cli->backend;
    cli->start_status = good ? ranks_start(cli, argc, argv) : 0;
    if (cli->launched) return NULL;
    if (good && !cli->start_status) vm = nacre_new(&cli->options);
    if (!vm && !cli->start_status) explain_refusal(cli);
    if (!vm) end_ranks(cli, 0);
    return vm;
}

static NacreVm *new_vm(Cli *cli, int argc, char **argv) {
    if (cli->rank_count || cli->transport) return new_vm_on_ranks(cli, argc, argv);
    NacreVm *vm = new_vm_of_backends(cli);
    if (!vm) explain_refusal(cli);
    return vm;
}

double cli_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

NacreVm *cli_start(Cli *cli, int argc, char **argv) {
    cli->options.write = cli_write;
    cli->options.read_line = read_line;
    cli->options.ask = ask;
    cli->options.refused = say_refused;
    cli->options.ctx = cli;
    cli->options.access = allows;
    cli->started = cli_clock();
    NacreVm *vm = new_vm(cli, argc, argv);
    if (!vm) return NULL;
    nacre_set_argv(vm, argc, (const char *const *)argv);
    if (cli->explain && !record_start(&cli->record, vm, true))
        fputs("nacre: out of memory for --explain\n", stderr);
    interrupt_start(vm);
    signal(SIGPIPE, SIG_IGN);
    cli->start_status = inside_attach(cli, vm);
    if (!cli->start_status) return vm;
    record_free(&cli->record);
    interrupt_stop();
    nacre_free(vm);
    end_ranks(cli, 0);
    inside_close(&cli->inside);
    return NULL;
}

NacreStatus cli_run(Cli *cli, NacreVm *vm, ProgramFn run, const void *ctx) {
    if (cli->team) ranks_run(cli->team, run, ctx);
    NacreStatus status = run(ctx, vm);
    if (cli->team) ranks_ended(cli->team, vm, status);
    return status;
}

static NacreStatus run_file(const void *ctx, NacreVm *vm) {
    return nacre_run_file(vm, ctx);
}

NacreStatus cli_run_file(Cli *cli, NacreVm *vm, const char *path) {
    return cli_run(cli, vm, run_file, path);
}

static void write_counts(const Cli *cli, const NacreVm *vm) {
    FILE *file = fopen(cli->counts_file, "w");
    if (!file) return;
    const char *name;
    for (int i = 0;; i++) {
        uint64_t count = nacre_instruction_count(vm, i, &name);
        if (!name) break;
        fprintf(file, "%s %" PRIu64 "\n", name, count);
    }
    fclose(file);
}

static void write_operations(FILE *file, const NacreVm *vm) {
    const char *name, *between = "";
    fputs(",\n  \"operations\": {", file);
    for (int i = 0;; i++, between = ", ") {
        uint64_t count = nacre_operation_count(vm, i, &name);
        if (!name) break;
        fprintf(file, "%s\"%s\": %" PRIu64, between, name, count);
    }
    fputs("}", file);
}

static void write_detours(FILE *file, const NacreVm *vm) {
    NacreDetour detour = {.struct_size = sizeof detour};
    fputs(",\n  \"detours\": [", file);
    for (int i = 0; nacre_detour(vm, i, &detour) == NACRE_OK; i++) {
        Text texts = {0};
        text_puts(&texts, "\"file\": ");
        json_put_string(detour.file ? detour.file : "", &texts);
        text_puts(&texts, ", \"text\": ");
        json_put_string(detour.text, &texts);
        fprintf(file, "%s\n    {\"kind\": \"%s\", \"line\": %" PRIu32 ", \"count\": %" PRIu64 ", %s}", i ? "," : "",
                detour.kind, detour.line, detour.count, text_string(&texts));
        text_free(&texts);
    }
    fputs("]", file);
}

// Begins the file of --stats with the figures of this VM. Returns the open file, to which end_stats appends the figures
// of all ranks; NULL after printing an error.
static FILE *begin_stats(const Cli *cli, const NacreVm *vm) {
    NacreStats s = {.struct_size = sizeof s};
    FILE *file = fopen(cli->stats_file, "w");
    if (!file || nacre_stats(vm, &s) != NACRE_OK) {
        fprintf(stderr, "nacre: cannot write %s\n", cli->stats_file);
        if (file) fclose(file);
        return NULL;
    }
#define FIGURE(name) {#name, s.name}
    const struct {
        const char *name;
        uint64_t value;
    } figures[] = {
        FIGURE(memory_in_use), FIGURE(memory_peak), FIGURE(allocations),
        FIGURE(system_allocations), FIGURE(objects),
        FIGURE(nodes_recorded), FIGURE(nodes_executed), FIGURE(nodes_eliminated),
        FIGURE(nodes_pending), FIGURE(kernels), FIGURE(library_calls), FIGURE(fallbacks),
        FIGURE(plans_made), FIGURE(plans_reused), FIGURE(plans_hash), FIGURE(kernels_in_bands), FIGURE(direct_operations), FIGURE(nodes_batched), FIGURE(kernels_compiled),
        FIGURE(loops_compiled), FIGURE(loops_entered), FIGURE(loops_left), FIGURE(loop_rounds), FIGURE(parallel_rounds),
        FIGURE(device_rounds), FIGURE(rank_rounds),
        FIGURE(threads), FIGURE(threads_used), FIGURE(waits),
        FIGURE(copies_host_to_device), FIGURE(copies_device_to_host),
        FIGURE(bytes_host_to_device), FIGURE(bytes_device_to_host),
    };
#undef FIGURE
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        fprintf(file, "%s  \"%s\": %" PRIu64, i ? ",\n" : "{\n", figures[i].name,
                figures[i].value);
    write_detours(file, vm);
    write_operations(file, vm);
    fputs(",\n  \"ranks\": [\n    ", file);
    return file;
}

static void end_stats(const Figures *figures, FILE *file) {
    const char *between = "";
    for (int r = 0; r < figures->count; r++) {
        if (!figures->ranks[r].len) continue;
        fprintf(file, "%s%s", between, text_string(&figures->ranks[r]));
        between = ",\n    ";
    }
    fputs("\n  ]\n}\n", file);
    fclose(file);
}

static void explain(Cli *cli, NacreVm *vm) {
    Text out = {0};
    record_take_ranks(&cli->record);
    explain_put(vm, &cli->record, cli->code, cli->source, &out);
    cli_write(NULL, 2, text_string(&out), out.len);
    text_free(&out);
}

// Calls the functions registered with atexit, if the program has imported that module. The module prints their
// exceptions, which do not change the exit status.
static const char at_exit[] =
    "import sys\nif 'atexit' in sys.modules:\n    sys.modules['atexit']._run_exitfuncs()\n";

void cli_run_at_exit(NacreVm *vm) {
    nacre_run(vm, at_exit, sizeof at_exit - 1, "<exit>", NACRE_FILE);
}

int cli_finish(Cli *cli, NacreVm *vm, NacreStatus status) {
    int code = 0;
    if (status == NACRE_EXIT) code = nacre_exit_code(vm);
    else if (status != NACRE_OK) {
        size_t size = nacre_error_size(vm);
        cli_write(NULL, 2, nacre_error_text(vm), size);
        if (size == 0) fprintf(stderr, "%s\n", nacre_error_class(vm));
        code = status == NACRE_INTERRUPTED ? INTERRUPTED_STATUS : 1;
    }
    if (cli->options.count_instructions) write_counts(cli, vm);
    if (cli->explain) explain(cli, vm);
    if (status != NACRE_INTERRUPTED) cli_run_at_exit(vm);
    FILE *stats = cli->stats_file ? begin_stats(cli, vm) : NULL; // after the atexit functions, so that their work
                                                                 // counts
    if (cli->stats_file && cli->dry) figures_plan(&cli->figures, vm);
    else if (cli->stats_file || cli->figures.wanted) figures_collect(&cli->figures, vm, cli->joined);
    record_free(&cli->record);
    interrupt_stop();
    nacre_free(vm);
    code = end_ranks(cli, code);
    if (stats) end_stats(&cli->figures, stats);
    inside_close(&cli->inside);
    input_free(&cli->input);
    if (fflush(stdout) != 0 && code == 0) code = 1;
    return code;
}
