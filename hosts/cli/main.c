// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command `nacre`: runs files and code, starts the prompt, tells about itself. It uses the
// library through nacre.h alone.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "edit.h"
#include "plans.h"

static const char usage_text[] =
    "usage: nacre [options] [FILE [args] | -c CODE [args] | COMMAND …]\n"
    "\n"
    "Runs a script of the array language. Without FILE: a prompt, or a script from standard input.\n"
    "\n"
    "commands:\n"
    "  run FILE [args]    the same as FILE\n"
    "  profile FILE         runs a script and tells where the time of array work goes\n"
    "  graph FILE -o x.svg  runs a script and draws its plans (.svg, .dot) or saves them (.json)\n"
    "  run-graph FILE.json  runs a saved plan\n"
    "  build FILE -o libx.so  compiles a module's annotated functions, for C\n"
    "  build --exe FILE -o x  makes a program of a script\n"
    "  doctest FILE…      checks the examples (>>>) in scripts and text\n"
    "  info               versions, libraries, processor\n"
    "\n"
    "options (each also an environment variable):\n"
    "  --backend NAME       cpu, mirror, opencl              NACRE_BACKEND\n"
    "  --threads N          threads for array work           NACRE_THREADS\n"
    "  --depth N            array operations pending at once NACRE_DEPTH\n"
    "  --reproducible       same bits with any threads       NACRE_REPRODUCIBLE\n"
    "  --tier TIER          interp, auto, kernel, function   NACRE_TIER\n"
    "  --memory-limit SIZE  bytes, or with suffix K, M, G    NACRE_MEMORY_LIMIT\n"
    "  --stats FILE         writes figures as JSON at exit   NACRE_STATS\n"
    "  --explain            what array work became, by line  NACRE_EXPLAIN\n"
    "  --explain=source     with the text of machine code\n"
    "  --version, --help\n";

static int usage_error(const char *what, const char *arg) {
    fprintf(stderr, "nacre: %s%s%s\n%s", what, arg ? " " : "", arg ? arg : "", usage_text);
    return 2;
}

static bool parse_count(const char *text, long *out) {
    char *end;
    *out = strtol(text, &end, 10);
    return *text && !*end && *out >= 0;
}

static bool parse_size(const char *text, size_t *out) {
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (*end == 'K' || *end == 'k') shift = 10;
    if (*end == 'M' || *end == 'm') shift = 20;
    if (*end == 'G' || *end == 'g') shift = 30;
    if (!*text || *text == '-' || end == text || (shift ? end[1] : *end)) return false;
    *out = (size_t)n << shift;
    return n <= SIZE_MAX >> shift;
}

// A file to write to that is named like a program: the name of another file has been forgotten before it.
static bool is_program(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".ncr") == 0 || strcmp(dot, ".py") == 0);
}

static bool set_option(Cli *cli, const char *name, const char *value) {
    long n;
    if (strcmp(name, "backend") == 0) cli->options.backend = value;
    else if (strcmp(name, "stats") == 0) {
        if (is_program(value)) return false;
        cli->stats_file = value;
    } else if (strcmp(name, "threads") == 0) {
        if (!parse_count(value, &n)) return false;
        cli->options.threads = (int)n;
    } else if (strcmp(name, "depth") == 0) {
        if (!parse_count(value, &n)) return false;
        cli->options.depth = (int)n;
    } else if (strcmp(name, "reproducible") == 0) {
        if (!parse_count(value, &n) || n > 1) return false;
        cli->options.reproducible = (int)n;
    } else if (strcmp(name, "tier") == 0) {
        cli->options.tier = value;
        return strcmp(value, "interp") == 0 || strcmp(value, "auto") == 0 || strcmp(value, "kernel") == 0 ||
               strcmp(value, "function") == 0;
    } else if (strcmp(name, "memory-limit") == 0) {
        return parse_size(value, &cli->options.memory_limit);
    } else return false;
    return true;
}

static const char *const option_names[] = {"backend", "threads", "depth", "reproducible", "tier", "memory-limit",
                                           "stats"};

// NACRE_MEMORY_LIMIT for memory-limit.
static const char *from_environment(const char *name) {
    char variable[64] = "NACRE_";
    size_t n = strlen(variable);
    for (; *name && n + 1 < sizeof variable; name++)
        variable[n++] = *name == '-' ? '_' : (char)(*name - 'a' + 'A');
    variable[n] = '\0';
    return getenv(variable);
}

static int read_environment(Cli *cli) {
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++) {
        const char *value = from_environment(option_names[i]);
        if (value && *value && !set_option(cli, option_names[i], value))
            return usage_error("bad value in the environment for option", option_names[i]);
    }
    const char *explain = getenv("NACRE_EXPLAIN");
    cli->explain = explain && *explain;
    cli->source = explain && strcmp(explain, "source") == 0;
    cli->options.stress = getenv("NACRE_STRESS") && *getenv("NACRE_STRESS");
    cli->counts_file = getenv("NACRE_OPCODE_COUNTS");
    cli->options.count_instructions = cli->counts_file && *cli->counts_file;
    return 0;
}

// Reads one option that starts with "--"; returns how many arguments it took, 0 when it is wrong.
static int read_option(Cli *cli, char **argv, int left) {
    const char *name = argv[0] + 2, *equals = strchr(name, '=');
    char plain[64];
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    if (len >= sizeof plain) return 0;
    if (strcmp(name, "explain") == 0) return cli->explain = true;
    if (strcmp(name, "explain=source") == 0) return cli->explain = cli->source = true;
    memcpy(plain, name, len);
    plain[len] = '\0';
    if (equals) return set_option(cli, plain, equals + 1) ? 1 : 0;
    if (strcmp(plain, "reproducible") == 0) return set_option(cli, plain, "1");
    return left > 1 && set_option(cli, plain, argv[1]) ? 2 : 0;
}

static int print_info(void) {
    if (nacre_info(cli_write, NULL) != NACRE_OK) return 1;
    const char *library = edit_library();
    printf("pictures of plans: %s\n", svg_library() ? svg_library() : "none (.dot only)");
    return printf("line editing: %s\n", library ? library : "none (a plain prompt)") < 0;
}

static int run_code(Cli *cli, int argc, char **argv) {
    if (argc < 2) return usage_error("-c needs code", NULL);
    const char *const code = cli->code = argv[1];
    argv[1] = "-c";
    NacreVm *vm = cli_start(cli, argc - 1, argv + 1);
    if (!vm) return cli->start_status;
    return cli_finish(cli, vm, nacre_run(vm, code, strlen(code), "<string>", NACRE_FILE));
}

static int run_script(Cli *cli, int argc, char **argv) {
    NacreVm *vm = cli_start(cli, argc, argv);
    if (!vm) return cli->start_status;
    return cli_finish(cli, vm, nacre_run_file(vm, argv[0]));
}

static int input_failed(Cli *cli, NacreVm *vm, int error) {
    fprintf(stderr, "%s\n", error == EINTR ? "KeyboardInterrupt" : strerror(error));
    cli_finish(cli, vm, NACRE_OK);
    return error == EINTR ? INTERRUPTED_STATUS : 1;
}

static int run_stdin(Cli *cli) {
    interrupt_hold(); // from before there is a handler
    NacreVm *vm = cli_start(cli, 1, (char *[]){""});
    if (!vm) return cli->start_status;
    if (isatty(0)) return cli_prompt(cli, vm);
    char *text = NULL;
    long len = input_all(&cli->input, &text);
    int error = errno;
    interrupt_let();
    if (len < 0) return input_failed(cli, vm, error);
    cli->code = text;
    int code = cli_finish(cli, vm, nacre_run(vm, text, (size_t)len, "<stdin>", NACRE_FILE));
    free(text);
    return code;
}

static int dispatch(Cli *cli, int argc, char **argv) {
    if (argc == 0) return run_stdin(cli);
    if (strcmp(argv[0], "-c") == 0) return run_code(cli, argc, argv);
    if (strcmp(argv[0], "-") == 0) return run_stdin(cli);
    if (strcmp(argv[0], "doctest") == 0) {
        if (argc < 2) return usage_error("doctest needs a file", NULL);
        return cli_doctest(cli, argc - 1, argv + 1);
    }
    if (strcmp(argv[0], "profile") == 0) return cli_profile(cli, argc, argv);
    if (strcmp(argv[0], "build") == 0) return cli_build(cli, argc, argv);
    if (strcmp(argv[0], "graph") == 0) return cli_graph(cli, argc, argv);
    if (strcmp(argv[0], "run-graph") == 0) return cli_run_graph(cli, argc, argv);
    if (strcmp(argv[0], "info") == 0 && argc == 1) return print_info();
    if (strcmp(argv[0], "run") == 0) {
        if (argc < 2) return usage_error("run needs a file", NULL);
        return run_script(cli, argc - 1, argv + 1);
    }
    return run_script(cli, argc, argv);
}

int main(int argc, char **argv) {
    Cli cli = {.options = {.struct_size = sizeof(NacreOptions)}};
    cli.options.tier = "auto";
    int status = read_environment(&cli), at = 1;
    Bundle bundle = {0};
    if (status) return status;
    bundle_open(&bundle);
    if (bundle.bytes.bytes || bundle.failed) {
        status = bundle_run(&cli, &bundle, argc, argv);
        text_free(&bundle.bytes);
        return status;
    }
    while (at < argc && strncmp(argv[at], "--", 2) == 0) {
        if (strcmp(argv[at], "--help") == 0) return fputs(usage_text, stdout) < 0;
        if (strcmp(argv[at], "--version") == 0) return printf("nacre %s\n", nacre_version()) < 0;
        int taken = read_option(&cli, argv + at, argc - at);
        bool stats = strncmp(argv[at], "--stats", 7) == 0;
        if (!taken) return usage_error(stats ? "a file for figures is wanted by" : "bad option", argv[at]);
        at += taken;
    }
    if (at < argc && argv[at][0] == '-' && argv[at][1] && strcmp(argv[at], "-c") != 0)
        return usage_error("unknown option", argv[at]);
    return dispatch(&cli, argc - at, argv + at);
}
