// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writes the kernelspec, a folder with kernel.json and logos, to a place where Jupyter finds it.

#include "install.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "logo.h"

enum { PATH_MOST = 4096 };

static bool fail(const char *what, const char *why) {
    fprintf(stderr, "nacre: %s: %s\n", what, why);
    return false;
}

static bool join(char path[PATH_MOST], const char *a, const char *b) {
    int len = snprintf(path, PATH_MOST, "%s/%s", a, b);
    return (len > 0 && len < PATH_MOST) || fail(a, "the path is too long");
}

static const char *set_variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

// --- Places ------------------------------------------------------------------------------------------

static bool user_folder(char path[PATH_MOST]) {
    const char *jupyter = set_variable("JUPYTER_DATA_DIR"), *data = set_variable("XDG_DATA_HOME"), *home = set_variable("HOME");
    if (jupyter) return join(path, jupyter, "kernels");
    if (data) return join(path, data, "jupyter/kernels");
    return home ? join(path, home, ".local/share/jupyter/kernels") : fail("HOME", "not set");
}

static bool kernels_folder(const JupyterInstall *install, char path[PATH_MOST]) {
    const char *prefix = install->prefix;
    if (install->place == JUPYTER_USER) return user_folder(path);
    if (install->place == JUPYTER_SYS_PREFIX) prefix = set_variable("VIRTUAL_ENV") ? set_variable("VIRTUAL_ENV") : set_variable("CONDA_PREFIX");
    if (!prefix) return fail("--sys-prefix", "no environment of Python is active (VIRTUAL_ENV and CONDA_PREFIX are not set); --prefix names a folder");
    return join(path, prefix, "share/jupyter/kernels");
}

static bool make_folders(char *path) {
    for (char *at = strchr(path + 1, '/');; at = strchr(at + 1, '/')) {
        if (at) *at = '\0';
        int made = mkdir(path, 0755);
        int error = errno;
        if (at) *at = '/';
        if (made != 0 && error != EEXIST) return fail(path, strerror(error));
        if (!at) return true;
    }
}

// --- Files -------------------------------------------------------------------------------------------

static bool write_file(const char *folder, const char *name, const void *bytes, size_t len) {
    char path[PATH_MOST];
    if (!join(path, folder, name)) return false;
    FILE *file = fopen(path, "we");
    if (!file) return fail(path, strerror(errno));
    bool good = fwrite(bytes, 1, len, file) == len;
    good = fclose(file) == 0 && good;
    return good || fail(path, strerror(errno));
}

static bool write_spec(const JupyterInstall *install, const char *folder) {
    char title[128] = "Nacre";
    if (install->backend) snprintf(title, sizeof title, "Nacre (%s)", install->backend);
    if (install->ranks) snprintf(title + strlen(title), sizeof title - strlen(title), ", %d ranks", install->ranks);
    json_t *argv = json_pack("[s]", install->program);
    if (install->backend) {
        json_array_append_new(argv, json_string("--backend"));
        json_array_append_new(argv, json_string(install->backend));
    }
    if (install->ranks) {
        char ranks[16];
        snprintf(ranks, sizeof ranks, "%d", install->ranks);
        json_array_append_new(argv, json_string("-n"));
        json_array_append_new(argv, json_string(ranks));
        json_array_append_new(argv, json_string("--transport"));
        json_array_append_new(argv, json_string("loopback"));
    }
    json_t *rest = json_pack("[s, s, s, s]", "kernel", "start", "-f", "{connection_file}");
    json_array_extend(argv, rest);
    json_decref(rest);
    json_t *spec = json_pack("{s:o, s:s, s:s, s:s, s:{s:b, s:[s]}}", "argv", argv, "display_name", title, "language", "python",
                             "interrupt_mode", "message", "metadata", "debugger", 0, "supported_encryption", "curve");
    char *text = spec ? json_dumps(spec, JSON_INDENT(1)) : NULL;
    bool good = text ? write_file(folder, "kernel.json", text, strlen(text)) : fail("kernel.json", "out of memory");
    free(text);
    json_decref(spec);
    return good;
}

// Checks Jupyter's rule for names of kernels.
static bool is_name(const char *name) {
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at)) return false;
    return *name;
}

int jupyter_install(const JupyterInstall *install) {
    char folder[PATH_MOST], kernels[PATH_MOST], name[128];
    if (install->backend && !nacre_backend_known(install->backend)) {
        fail(install->backend, "unknown backend");
        return 2;
    }
    snprintf(name, sizeof name, install->backend ? "nacre-%s" : "nacre", install->backend);
    if (install->ranks) snprintf(name + strlen(name), sizeof name - strlen(name), "-ranks%d", install->ranks);
    const char *chosen = install->name ? install->name : name;
    if (!is_name(chosen)) {
        fail(chosen, "names of kernels have letters, digits and . _ - only");
        return 2;
    }
    bool good = kernels_folder(install, kernels) && join(folder, kernels, chosen) && make_folders(folder) &&
                write_spec(install, folder) && write_file(folder, "logo-svg.svg", logo_svg, sizeof logo_svg) &&
                write_file(folder, "logo-32x32.png", logo_32, sizeof logo_32) &&
                write_file(folder, "logo-64x64.png", logo_64, sizeof logo_64);
    if (!good) return 1;
    return printf("The kernel %s is in %s\n", chosen, folder) < 0;
}
