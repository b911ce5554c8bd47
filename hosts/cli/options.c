// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command's options. The command line, the environment and configurations share one table.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static const char usage_text[] =
    "usage: nacre [options] [FILE [args] | -c CODE [args] | COMMAND …]\n"
    "\n"
    "Runs a script of the array language. Without FILE: a prompt, or a script from standard input.\n"
    "\n"
    "commands:\n"
    "  run FILE [args]    the same as FILE\n"
    "  profile FILE         runs a script and tells where the time of array work goes\n"
    "  plan --ranks N FILE  tells what a script would do on so many ranks, and how long it\n"
    "                       would take, without its data (--machine FILE, --top N, --json FILE)\n"
    "  graph FILE -o x.svg  runs a script and draws its plans (.svg, .dot) or saves them (.json)\n"
    "  run-graph FILE.json  runs a saved plan\n"
    "  build FILE -o libx.so  compiles a module's annotated functions, for C\n"
    "  build --exe FILE -o x  makes a program of a script\n"
    "  doctest FILE…      checks the examples (>>>) in scripts and text\n"
    "  kernel install     lets Jupyter find this program as a kernel\n"
    "  info               versions, libraries, processor\n"
    "\n"
    "options (each also an environment variable):\n"
    "  --backend NAME       cpu, cuda, opencl, mirror; the   NACRE_BACKEND\n"
    "                       first there is of NAME,NAME\n"
    "  --threads N          threads for array work           NACRE_THREADS, or\n"
    "                                                        OMP_NUM_THREADS\n"
    "  --device-least N     elements of loops that a device  NACRE_DEVICE_LEAST\n"
    "                       runs, though they are on the host\n"
    "  --depth N            array operations pending at once NACRE_DEPTH\n"
    "  --no-fuse            each of them by itself           NACRE_NO_FUSE\n"
    "  --reproducible       same bits with any threads       NACRE_REPRODUCIBLE\n"
    "  --strict[=HOW]       error (the default), warn, off:  NACRE_STRICT\n"
    "                       for work that goes another way\n"
    "                       than these options ask for\n"
    "  --tier TIER          interp, auto, kernel, function   NACRE_TIER\n"
    "  --memory-limit SIZE  bytes, or with suffix K, M, G    NACRE_MEMORY_LIMIT\n"
    "  --time-limit S       seconds, then TimeoutError       NACRE_TIME_LIMIT\n"
    "  --recursion-limit N  depth of calls                   NACRE_RECURSION_LIMIT\n"
    "  --cache FOLDER       where machine code is kept       NACRE_CACHE\n"
    "  -n, --ranks N        VMs that run the script together NACRE_RANKS\n"
    "  --transport NAME     mpi (processes; the default if   NACRE_TRANSPORT\n"
    "                       there is an mpirun), loopback\n"
    "                       (threads)\n"
    "  --split-least SIZE   of arrays that ranks share       NACRE_SPLIT_LEAST\n"
    "  --check-ranks        whether all do the same          NACRE_CHECK_RANKS\n"
    "  --config FILE        a configuration in Lua           NACRE_CONFIG\n"
    "  --pass FILE          passes in Lua, any number\n"
    "  --trust-lua          Lua may do what the user may     NACRE_TRUST_LUA\n"
    "  --stats FILE         writes figures as JSON at exit   NACRE_STATS\n"
    "  --explain            what array work became, by line  NACRE_EXPLAIN\n"
    "  --explain=source     with the text of machine code\n"
    "  --version, --help\n";

int options_error(const char *what, const char *arg) {
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

// Returns whether a path has a program's suffix. As the value of --stats, it shows that the file's name was forgotten
// and the program's was taken in its place.
static bool is_program(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".ncr") == 0 || strcmp(dot, ".py") == 0);
}

static bool keep(char **slot, const char *value) {
    char *copy = strdup(value);
    if (!copy) return false;
    free(*slot);
    *slot = copy;
    return true;
}

static bool parse_seconds(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    return *text && !*end && *out >= 0 && *out < 1e9;
}

static bool set_tier(Cli *cli, const char *value) {
    static const char *const tiers[] = {"interp", "auto", "kernel", "function"};
    size_t i = 0, count = sizeof tiers / sizeof *tiers;
    while (i < count && strcmp(value, tiers[i]) != 0) i++;
    if (i < count) cli->options.tier = tiers[i];
    return i < count;
}

static bool set_strict(Cli *cli, const char *value) {
    static const char *const ways[] = {"error", "warn", "off"};
    size_t i = 0, count = sizeof ways / sizeof *ways;
    while (i < count && strcmp(value, ways[i]) != 0) i++;
    if (i < count) cli->options.strict = ways[i];
    return i < count;
}

static bool set_transport(Cli *cli, const char *value) {
    static const char *const transports[] = {"loopback", "mpi"};
    size_t i = 0, count = sizeof transports / sizeof *transports;
    while (i < count && strcmp(value, transports[i]) != 0) i++;
    if (i < count) cli->transport = transports[i];
    return i < count;
}

static bool set_flag(const char *value, int *out) {
    long n;
    if (!parse_count(value, &n) || n > 1) return false;
    *out = (int)n;
    return true;
}

static bool set_explain(Cli *cli, const char *value) {
    cli->source = strcmp(value, "source") == 0;
    cli->explain = strcmp(value, "false") != 0;
    return true;
}

static bool set_option(Cli *cli, const char *name, const char *value) {
    long n;
    if (strcmp(name, "backend") == 0) return keep(&cli->backends, value);
    if (strcmp(name, "stats") == 0) return !is_program(value) && keep(&cli->stats_file, value);
    if (strcmp(name, "tier") == 0) return set_tier(cli, value);
    if (strcmp(name, "explain") == 0) return set_explain(cli, value);
    if (strcmp(name, "strict") == 0) return set_strict(cli, value);
    if (strcmp(name, "time-limit") == 0) return parse_seconds(value, &cli->options.time_limit);
    if (strcmp(name, "cache") == 0) return setenv("NACRE_CACHE", value, 1) == 0;
    if (strcmp(name, "transport") == 0) return set_transport(cli, value);
    if (strcmp(name, "reproducible") == 0) return set_flag(value, &cli->options.reproducible);
    if (strcmp(name, "check-ranks") == 0) return set_flag(value, &cli->options.check_ranks);
    if (strcmp(name, "no-fuse") == 0) return set_flag(value, &cli->options.unfused);
    if (strcmp(name, "device-least") == 0) return parse_size(value, &cli->options.device_least);
    if (strcmp(name, "memory-limit") == 0) return parse_size(value, &cli->options.memory_limit);
    if (strcmp(name, "split-least") == 0) return parse_size(value, &cli->options.split_least);
    if (strcmp(name, "recursion-limit") == 0) {
        if (!parse_count(value, &n) || n > INT_MAX) return false;
        cli->options.recursion_limit = (int)n;
    } else if (strcmp(name, "threads") == 0) {
        if (!parse_count(value, &n)) return false;
        cli->options.threads = (int)n;
    } else if (strcmp(name, "depth") == 0) {
        if (!parse_count(value, &n)) return false;
        cli->options.depth = (int)n;
    } else if (strcmp(name, "ranks") == 0) {
        if (!parse_count(value, &n) || n < 1 || n > INT_MAX) return false;
        cli->rank_count = (int)n;
    } else return false;
    return true;
}

static const char *const option_names[] = {"backend", "threads", "depth", "reproducible", "tier", "memory-limit",
                                           "time-limit", "recursion-limit", "cache", "stats", "explain", "strict",
                                           "ranks", "transport", "check-ranks", "split-least", "no-fuse", "device-least"};
enum { OPTIONS = sizeof option_names / sizeof *option_names };
_Static_assert((int)OPTIONS <= (int)OPTIONS_MOST, "origins of options");

bool cli_set_option(Cli *cli, const char *name, const char *value, Origin origin) {
    size_t i = 0;
    while (i < OPTIONS && strcmp(option_names[i], name) != 0) i++;
    if (i == OPTIONS || cli->origins[i] > origin) return i < OPTIONS;
    cli->origins[i] = (uint8_t)origin;
    return set_option(cli, name, value);
}

// Returns the message for an invalid value of an option. The option's text follows it.
static const char *complaint_about(const char *name) {
    if (strncmp(name, "stats", 5) == 0) return "a file for figures is wanted by";
    if (strncmp(name, "ranks", 5) == 0) return "a number of ranks, at least 1, is wanted by";
    if (strncmp(name, "transport", 9) == 0) return "loopback or mpi is wanted by";
    return strncmp(name, "strict", 6) == 0 ? "error, warn or off is wanted by" : "bad option";
}

static const char *complaint_in_environment(const char *name) {
    if (strcmp(name, "strict") == 0) return "error, warn or off is wanted in the environment for option";
    if (strcmp(name, "transport") == 0) return "loopback or mpi is wanted in the environment for option";
    return "bad value in the environment for option";
}

// Returns the value of an option's variable in the environment, as NACRE_MEMORY_LIMIT for memory-limit; NULL: not set.
static const char *from_environment(const char *name) {
    char variable[64] = "NACRE_";
    size_t n = strlen(variable);
    for (; *name && n + 1 < sizeof variable; name++)
        variable[n++] = *name == '-' ? '_' : (char)(*name - 'a' + 'A');
    variable[n] = '\0';
    return getenv(variable);
}

// Takes the number of threads from OMP_NUM_THREADS, the first number if it is a list. Other values are ignored. All
// other sources override it.
static void threads_from_openmp(Cli *cli) {
    const char *value = getenv("OMP_NUM_THREADS");
    char *end = NULL;
    long n = value ? strtol(value, &end, 10) : 0;
    if (n > 0 && n <= INT_MAX && (*end == '\0' || *end == ',')) cli->options.threads = (int)n;
}

int options_from_environment(Cli *cli) {
    threads_from_openmp(cli);
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *value = from_environment(option_names[i]);
        if (value && *value && !cli_set_option(cli, option_names[i], value, ORIGIN_ENVIRONMENT))
            return options_error(complaint_in_environment(option_names[i]), option_names[i]);
    }
    const char *trust = getenv("NACRE_TRUST_LUA");
    cli->inside.trusted = trust && *trust;
    cli->options.stress = getenv("NACRE_STRESS") && *getenv("NACRE_STRESS");
    cli->counts_file = getenv("NACRE_OPCODE_COUNTS");
    cli->options.count_instructions = cli->counts_file && *cli->counts_file;
    return 0;
}

// Reads an option that starts with "--". Returns how many arguments it takes, or 0 if it is invalid.
static int read_option(Cli *cli, char **argv, int left) {
    const char *name = argv[0] + 2, *equals = strchr(name, '=');
    char plain[64];
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    if (len >= sizeof plain) return 0;
    if (strcmp(name, "explain") == 0) return cli_set_option(cli, "explain", "true", ORIGIN_ARGUMENT);
    if (strcmp(name, "strict") == 0) return cli_set_option(cli, "strict", "error", ORIGIN_ARGUMENT);
    if (strcmp(name, "trust-lua") == 0) return cli->inside.trusted = true;
    memcpy(plain, name, len);
    plain[len] = '\0';
    const bool is_flag = strcmp(plain, "reproducible") == 0 || strcmp(plain, "check-ranks") == 0 || strcmp(plain, "no-fuse") == 0;
    if (!equals && is_flag) return cli_set_option(cli, plain, "1", ORIGIN_ARGUMENT);
    const char *value = equals ? equals + 1 : left > 1 ? argv[1] : NULL;
    int taken = equals ? 1 : 2;
    if (!value) return 0;
    if (strcmp(plain, "config") == 0) {
        cli->config = value;
        return taken;
    }
    if (strcmp(plain, "pass") == 0) {
        if (cli->inside.pass_count == PASSES_MOST) return 0;
        cli->inside.passes[cli->inside.pass_count++] = value;
        return taken;
    }
    return cli_set_option(cli, plain, value, ORIGIN_ARGUMENT) ? taken : 0;
}

static Start ended(int status) {
    return (Start){.at = -1, .status = status};
}

Start options_from_arguments(Cli *cli, int argc, char **argv) {
    Start start = {.at = 1};
    while (start.at < argc) {
        const char *arg = argv[start.at];
        if (!start.runs && strcmp(arg, "run") == 0) {
            start.runs = true;
            start.at++;
            continue;
        }
        if (strcmp(arg, "-n") == 0) {
            bool good = start.at + 1 < argc && cli_set_option(cli, "ranks", argv[start.at + 1], ORIGIN_ARGUMENT);
            if (!good) return ended(options_error(complaint_about("ranks"), arg));
            start.at += 2;
            continue;
        }
        if (strncmp(arg, "--", 2) != 0) break;
        if (strcmp(arg, "--help") == 0) return ended(fputs(usage_text, stdout) < 0);
        if (strcmp(arg, "--version") == 0) return ended(printf("nacre %s\n", nacre_version()) < 0);
        int taken = read_option(cli, argv + start.at, argc - start.at);
        if (!taken) return ended(options_error(complaint_about(arg + 2), arg));
        start.at += taken;
    }
    if (start.runs && start.at == argc) return ended(options_error("run needs a file", NULL));
    const char *next = start.at < argc ? argv[start.at] : "";
    bool unknown = next[0] == '-' && next[1] && (start.runs || strcmp(next, "-c") != 0);
    return unknown ? ended(options_error("unknown option", next)) : start;
}
