// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command `nacre kernel`, with `install` and `start`. The Jupyter kernel is in a library of its own.

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../jupyter/jupyter.h"
#include "cli.h"
#include "options.h"
#include "plugin.h"

static const char usage[] = "usage: nacre [OPTIONS] kernel install [--user | --sys-prefix | --prefix FOLDER] [--name NAME] "
                            "[--backend BACKEND] [--ranks N]\n"
                            "       nacre [OPTIONS] kernel start -f FILE\n";

static const JupyterTable *open_kernel(void **library, const char **why) {
    JupyterFn get = NULL;
    *(void **)&get = plugin_open("nacre-jupyter.so", "nacre_jupyter", library, why);
    const JupyterTable *table = get ? get() : NULL;
    if (table && table->version == JUPYTER_VERSION) return table;
    if (!*why) *why = "none (built without libzmq, libjansson or libsodium)";
    return NULL;
}

const char *kernel_problem(void) {
    void *library = NULL;
    const char *why = NULL;
    open_kernel(&library, &why);
    if (library) dlclose(library);
    return why;
}

static int start(const Cli *cli, const JupyterTable *table, int count, char **argv) {
    if (cli->joined || (cli->transport && strcmp(cli->transport, "loopback") != 0))
        return options_error("ranks of a kernel are threads: --transport loopback, without a launcher", NULL);
    if (count != 2 || strcmp(argv[0], "-f") != 0) {
        fputs(usage, stderr);
        return 2;
    }
    NacreOptions options = cli->options;
    options.backend = cli->backends;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (options.threads == 0 && cli->rank_count > 1) options.threads = cores > cli->rank_count ? (int)cores / cli->rank_count : 1;
    return table->serve(&options, cli->rank_count ? cli->rank_count : 1, argv[1]);
}

// Parses a number of ranks. Returns 0 if it is invalid.
static int ranks_of(const char *text) {
    enum { MOST = 1024 };
    char *end;
    const long ranks = strtol(text, &end, 10);
    return *text && !*end && ranks > 0 && ranks <= MOST ? (int)ranks : 0;
}

// Parses the arguments of `install`, and installs a kernel specification that starts this program.
static int install(const Cli *cli, const JupyterTable *table, int count, char **argv) {
    JupyterInstall install = {.backend = cli->backends};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0) return options_error("where is this program?", NULL);
    program[length] = '\0';
    install.program = program;
    for (int i = 0; i < count; i++) {
        bool more = i + 1 < count;
        if (strcmp(argv[i], "--user") == 0) install.place = JUPYTER_USER;
        else if (strcmp(argv[i], "--sys-prefix") == 0) install.place = JUPYTER_SYS_PREFIX;
        else if (strcmp(argv[i], "--prefix") == 0 && more) install.place = JUPYTER_PREFIX, install.prefix = argv[++i];
        else if (strcmp(argv[i], "--name") == 0 && more) install.name = argv[++i];
        else if (strcmp(argv[i], "--backend") == 0 && more) install.backend = argv[++i];
        else if (strcmp(argv[i], "--ranks") == 0 && more && (install.ranks = ranks_of(argv[i + 1])) > 0) i++;
        else {
            fputs(usage, stderr);
            return 2;
        }
    }
    return table->install(&install);
}

int cli_kernel(Cli *cli, int count, char **argv) {
    bool starts = count > 1 && strcmp(argv[1], "start") == 0;
    if (!starts && !(count > 1 && strcmp(argv[1], "install") == 0)) {
        fputs(usage, stderr);
        return 2;
    }
    void *library = NULL;
    const char *why;
    const JupyterTable *table = open_kernel(&library, &why);
    if (!table) {
        fprintf(stderr, "nacre: the Jupyter kernel cannot be opened: %s\n"
                        "Debian's packages: libzmq5 libjansson4 libsodium23 to run it, libzmq3-dev libjansson-dev "
                        "libsodium-dev to build it.\n", why);
        return 1;
    }
    int status = (starts ? start : install)(cli, table, count - 2, argv + 2);
    dlclose(library);
    return status;
}
