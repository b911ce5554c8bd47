// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command `nacre`: runs files and code, starts the prompt, and reports about itself. It uses the library only
// through nacre.h.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "edit.h"
#include "inside.h"
#include "launch.h"
#include "options.h"
#include "plans.h"
#include "ranks.h"

static int print_info(void) {
    if (nacre_info(cli_write, NULL) != NACRE_OK) return 1;
    const char *library = edit_library();
    printf("lua: %s\n", inside_is_there() ? "for --config and --pass" : "none (no configuration, no passes)");
    printf("pictures of plans: %s\n", svg_library() ? svg_library() : "none (.dot only)");
    const char *why = kernel_problem();
    printf("Jupyter kernel: %s\n", why ? why : "nacre kernel install");
    why = launch_problem();
    if (why) printf("-n: threads, --transport loopback (%s)\n", why);
    else printf("-n: processes, --transport mpi (%s)\n", launch_program());
    return printf("line editing: %s\n", library ? library : "none (a plain prompt)") < 0;
}

static void cli_free(Cli *cli) {
    inside_free(&cli->inside);
    free(cli->backends);
    free(cli->stats_file);
    figures_free(&cli->figures);
}

typedef struct Code {
    const char *text;
    size_t len;
    const char *name;
} Code;

static NacreStatus run_text(const void *ctx, NacreVm *vm) {
    const Code *code = ctx;
    return nacre_run(vm, code->text, code->len, code->name, NACRE_FILE);
}

static int run_code(Cli *cli, int argc, char **argv) {
    if (argc < 2) return options_error("-c needs code", NULL);
    const char *const code = cli->code = argv[1];
    argv[1] = "-c";
    NacreVm *vm = cli_start(cli, argc - 1, argv + 1);
    if (!vm) return cli->start_status;
    return cli_finish(cli, vm, cli_run(cli, vm, run_text, &(Code){code, strlen(code), "<string>"}));
}

static int run_script(Cli *cli, int argc, char **argv) {
    NacreVm *vm = cli_start(cli, argc, argv);
    if (!vm) return cli->start_status;
    return cli_finish(cli, vm, cli_run_file(cli, vm, argv[0]));
}

static int input_failed(Cli *cli, NacreVm *vm, int error) {
    fprintf(stderr, "%s\n", error == EINTR ? "KeyboardInterrupt" : strerror(error));
    cli_finish(cli, vm, NACRE_OK);
    return error == EINTR ? INTERRUPTED_STATUS : 1;
}

static int refuse_ranks(const char *what) {
    fprintf(stderr, "nacre: %s runs on one rank: not with -n (NACRE_RANKS), nor --transport mpi (NACRE_TRANSPORT)\n", what);
    return 2;
}

// Runs the program on standard input with the script's own sys.stdin.read(), which brings the text to all ranks: of
// several processes, only the first rank has the standard input.
static NacreStatus run_read(const void *ctx, NacreVm *vm) {
    NacreValue *sys = NULL, *stream = NULL, *read = NULL, *all = NULL;
    const char *text = NULL;
    size_t len = 0;
    (void)ctx;
    NacreStatus status = nacre_import(vm, "sys", &sys);
    if (status == NACRE_OK) status = nacre_attribute(vm, sys, "stdin", &stream);
    if (status == NACRE_OK) status = nacre_attribute(vm, stream, "read", &read);
    if (status == NACRE_OK) status = nacre_call(vm, read, 0, NULL, &all);
    if (status == NACRE_OK) status = nacre_as_text(vm, all, &text, &len);
    char *copy = status == NACRE_OK ? malloc(len + 1) : NULL;
    if (copy && len) memcpy(copy, text, len);
    NacreValue *const held[] = {all, read, stream, sys};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (held[i]) nacre_release(vm, held[i]);
    if (status == NACRE_OK && !copy) status = nacre_raise(vm, "MemoryError", "no memory for the program");
    if (copy) status = nacre_run(vm, copy, len, "<stdin>", NACRE_FILE);
    free(copy);
    return status;
}

static int run_stdin_of_first(Cli *cli, NacreVm *vm) {
    interrupt_let();
    return cli_finish(cli, vm, cli_run(cli, vm, run_read, NULL));
}

static int run_stdin(Cli *cli) {
    if (isatty(0) && ranks_asked(cli)) return refuse_ranks("the prompt");
    interrupt_hold(); // before the handler is installed
    NacreVm *vm = cli_start(cli, 1, (char *[]){""});
    if (!vm) return cli->start_status;
    if (isatty(0)) return cli_prompt(cli, vm);
    if (cli->joined) return run_stdin_of_first(cli, vm);
    char *text = NULL;
    long len = input_all(&cli->input, &text);
    int error = errno;
    interrupt_let();
    if (len < 0) return input_failed(cli, vm, error);
    cli->code = text;
    int code = cli_finish(cli, vm, cli_run(cli, vm, run_text, &(Code){text, (size_t)len, "<stdin>"}));
    free(text);
    return code;
}

// Returns whether a command runs a program but does not support several ranks.
static bool runs_alone(char **argv) {
    static const char *const names[] = {"doctest", "build", "run-graph"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(argv[0], names[i]) == 0) return true;
    return false;
}

static int dispatch(Cli *cli, int argc, char **argv) {
    if (argc > 0 && ranks_asked(cli) && runs_alone(argv)) return refuse_ranks(argv[0]);
    if (argc == 0) return run_stdin(cli);
    if (strcmp(argv[0], "-c") == 0) return run_code(cli, argc, argv);
    if (strcmp(argv[0], "-") == 0) return run_stdin(cli);
    if (strcmp(argv[0], "doctest") == 0) {
        if (argc < 2) return options_error("doctest needs a file", NULL);
        return cli_doctest(cli, argc - 1, argv + 1);
    }
    if (strcmp(argv[0], "plan") == 0) return cli_plan(cli, argc, argv);
    if (strcmp(argv[0], "profile") == 0) return cli_profile(cli, argc, argv);
    if (strcmp(argv[0], "kernel") == 0) return cli_kernel(cli, argc, argv);
    if (strcmp(argv[0], "build") == 0) return cli_build(cli, argc, argv);
    if (strcmp(argv[0], "graph") == 0) return cli_graph(cli, argc, argv);
    if (strcmp(argv[0], "run-graph") == 0) return cli_run_graph(cli, argc, argv);
    if (strcmp(argv[0], "info") == 0 && argc == 1) return print_info();
    return run_script(cli, argc, argv);
}

static int run_command(Cli *cli, int argc, char **argv) {
    Bundle bundle = {0};
    int status = options_from_environment(cli);
    if (status) return status;
    bundle_open(&bundle);
    if (bundle.bytes.bytes || bundle.failed) {
        status = launch_join(cli);
        if (status == 0) status = bundle_run(cli, &bundle, argc, argv);
        text_free(&bundle.bytes);
        return status;
    }
    const Start start = options_from_arguments(cli, argc, argv);
    if (start.at < 0) return start.status;
    status = inside_configure(cli, cli->config);
    if (status == 0) status = launch_join(cli);
    if (status) return status;
    if (start.runs) return run_script(cli, argc - start.at, argv + start.at);
    return dispatch(cli, argc - start.at, argv + start.at);
}

// Copies argv, since commands modify it.
static char **copy_of(char **argv, int argc) {
    char **copy = calloc((size_t)argc + 1, sizeof *copy);
    if (copy && argc > 0) memcpy(copy, argv, (size_t)argc * sizeof *copy);
    return copy;
}

int main(int argc, char **argv) {
    Cli cli = {.options = {.struct_size = sizeof(NacreOptions)}};
    cli.options.tier = "auto";
    if (!launch_arguments(&cli, argc, argv) || !(cli.arguments = copy_of(argv, argc))) return 1;
    int status = run_command(&cli, argc, argv);
    launch_ended(&cli, status);
    free(cli.arguments);
    free(cli.ended);
    cli_free(&cli);
    return status;
}
