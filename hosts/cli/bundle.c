// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The command `nacre build --exe`. A bundled program is a copy of this one, followed by the script's files and a
// trailer with their size. Each start of the command looks for a trailer.

#include "bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Trailer {
    uint64_t size; // bytes of the files before the trailer
    char magic[16];
} Trailer;
static const char magic[16] = "nacre program 1";

static const char self[] = "/proc/self/exe";

// --- Reading -----------------------------------------------------------------------------------

static bool read_at(int fd, void *to, size_t size, off_t at) {
    while (size > 0) {
        ssize_t n = pread(fd, to, size, at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to = (char *)to + n;
        size -= (size_t)n;
        at += n;
    }
    return true;
}

// Returns where this program's own bytes end, and reads the trailer; -1: it cannot be read.
static off_t find_trailer(int fd, Trailer *trailer) {
    struct stat info;
    *trailer = (Trailer){0};
    if (fd < 0 || fstat(fd, &info) != 0 || info.st_size < (off_t)sizeof *trailer ||
        !read_at(fd, trailer, sizeof *trailer, info.st_size - (off_t)sizeof *trailer))
        return -1;
    if (memcmp(trailer->magic, magic, sizeof magic) != 0) return info.st_size;
    return info.st_size - (off_t)sizeof *trailer - (off_t)trailer->size;
}

void bundle_open(Bundle *bundle) {
    Trailer trailer;
    int fd = open(self, O_RDONLY | O_CLOEXEC);
    off_t end = find_trailer(fd, &trailer);
    if (end >= 0 && memcmp(trailer.magic, magic, sizeof magic) == 0) {
        size_t size = (size_t)trailer.size;
        bundle->bytes.bytes = end > 0 ? malloc(size + 1) : NULL;
        bundle->failed = !bundle->bytes.bytes || !read_at(fd, bundle->bytes.bytes, size, end);
        bundle->bytes.len = size;
        if (!bundle->failed) bundle->bytes.bytes[size] = '\0';
    }
    if (fd >= 0) close(fd);
}

static NacreStatus run_files(const void *ctx, NacreVm *vm) {
    const Bundle *bundle = ctx;
    const char *script = bundle->bytes.bytes, *end = script + bundle->bytes.len;
    NacreStatus status = NACRE_OK;
    for (const char *at = script; at < end && status == NACRE_OK;) {
        const char *text = at + strlen(at) + 1;
        uint64_t length;
        memcpy(&length, text, sizeof length);
        text += sizeof length;
        status = nacre_add_file(vm, at, text, (size_t)length);
        at = text + length;
    }
    return status == NACRE_OK ? nacre_run_file(vm, script) : status;
}

int bundle_run(Cli *cli, const Bundle *bundle, int count, char **argv) {
    if (bundle->failed) {
        fprintf(stderr, "%s: this program cannot read itself\n", argv[0]);
        return 1;
    }
    NacreVm *vm = cli_start(cli, count, argv);
    if (!vm) return cli->start_status;
    return cli_finish(cli, vm, cli_run(cli, vm, run_files, bundle));
}

// --- Writing -----------------------------------------------------------------------------------

static void add_file(void *ctx, const char *path, const char *text, size_t length) {
    Text *files = ctx;
    uint64_t size = length;
    text_add(files, path, strlen(path) + 1);
    text_add(files, (const char *)&size, sizeof size);
    text_add(files, text, length);
}

static bool copy_program(int from, off_t end, FILE *to) {
    char block[1 << 16];
    for (off_t at = 0; at < end;) {
        size_t size = end - at < (off_t)sizeof block ? (size_t)(end - at) : sizeof block;
        if (!read_at(from, block, size, at) || fwrite(block, 1, size, to) != size) return false;
        at += (off_t)size;
    }
    return true;
}

static bool write_all(const Text *files, FILE *to) {
    Trailer trailer = {.size = files->len};
    int from = open(self, O_RDONLY | O_CLOEXEC);
    Trailer own;
    off_t end = find_trailer(from, &own);
    memcpy(trailer.magic, magic, sizeof magic);
    bool good = end >= 0 && copy_program(from, end, to) &&
                fwrite(files->bytes, 1, files->len, to) == files->len &&
                fwrite(&trailer, sizeof trailer, 1, to) == 1;
    if (from >= 0) close(from);
    return good;
}

// Writes the program under a temporary name, and renames it when it is complete. Returns the exit status.
static int write_program(const Text *files, const char *output) {
    Text path = {0};
    text_printf(&path, "%s.XXXXXX", output);
    int fd = path.failed ? -1 : mkstemp(path.bytes);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
    bool good = to && write_all(files, to);
    mode_t mask = umask(0);
    umask(mask);
    if (to && fchmod(fd, 0777 & ~mask) != 0) good = false;
    if (to && fclose(to) != 0) good = false;
    if (good && rename(path.bytes, output) != 0) good = false;
    if (!good) {
        fprintf(stderr, "nacre build: %s: %s\n", output, strerror(errno));
        if (fd >= 0) unlink(path.bytes);
    }
    text_free(&path);
    return !good;
}

int bundle_build(Cli *cli, const char *script, const char *output) {
    Text files = {0};
    NacreVm *vm = cli_start(cli, 1, (char *[]){(char *)(uintptr_t)script});
    if (!vm) return cli->start_status;
    int status = cli_finish(cli, vm, nacre_program_files(vm, script, add_file, &files));
    if (status == 0 && files.failed) {
        fputs("nacre build: out of memory\n", stderr);
        status = 1;
    }
    if (status == 0) status = write_program(&files, output);
    text_free(&files);
    return status;
}
