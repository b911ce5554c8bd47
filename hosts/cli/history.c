// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The file of lines typed at the prompt. Each line is appended as it is entered, so that concurrent sessions do not
// lose each other's lines. A file that has grown too long is truncated when a session starts.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "edit.h"

enum { PATH_BYTES = 4096 };

// Finds the file's path by the XDG Base Directory Specification, which ignores relative paths. Returns false if there
// is none.
static bool find_path(char *path) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int len = -1;
    if (state && *state == '/') len = snprintf(path, PATH_BYTES, "%s/nacre/history", state);
    else if (home && *home == '/')
        len = snprintf(path, PATH_BYTES, "%s/.local/state/nacre/history", home);
    return len > 0 && len < PATH_BYTES;
}

static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

// Returns a file's contents, NUL-terminated, which the caller frees; NULL if it cannot be read.
static char *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "r");
    struct stat info;
    char *text = NULL;
    *len = 0;
    if (file && fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode))
        text = malloc((size_t)info.st_size + 1);
    if (text) {
        *len = fread(text, 1, (size_t)info.st_size, file);
        text[*len] = '\0';
    }
    if (file) fclose(file);
    return text;
}

// Returns the beginning of the last HISTORY_LINES lines.
static char *last_lines(char *text, size_t len) {
    char *at = text + len;
    for (int lines = 0; at > text; at--)
        if (at[-1] == '\n' && at != text + len && ++lines == HISTORY_LINES) break;
    return at;
}

static void replace_file(const char *path, const char *text, size_t len) {
    char fresh[PATH_BYTES + 8];
    snprintf(fresh, sizeof fresh, "%s.XXXXXX", path);
    int fd = mkstemp(fresh); // readable only by its owner
    if (fd < 0) return;
    bool good = write(fd, text, len) == (ssize_t)len;
    good = close(fd) == 0 && good;
    if (!good || rename(fresh, path) != 0) unlink(fresh);
}

void history_load(void (*each)(void *ctx, const char *line), void *ctx) {
    char path[PATH_BYTES];
    size_t len;
    char *text = find_path(path) ? read_file(path, &len) : NULL;
    if (!text) return;
    char *at = last_lines(text, len);
    if (at > text) replace_file(path, at, (size_t)(text + len - at));
    for (char *next; (next = strchr(at, '\n')); at = next + 1) {
        *next = '\0';
        each(ctx, at);
    }
    free(text);
}

void history_keep(const char *line) {
    char path[PATH_BYTES];
    const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
    if (!find_path(path)) return;
    int fd = open(path, flags, 0600);
    if (fd < 0 && errno == ENOENT) {
        make_folders(path);
        fd = open(path, flags, 0600);
    }
    if (fd < 0) return;
    FILE *file = fdopen(fd, "a");
    if (!file) {
        close(fd);
        return;
    }
    fprintf(file, "%s\n", line);
    fclose(file);
}
