// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The shared parts of host.h.

#include "tests/effects/host.h"

#include <string.h>

int failures;

static int on_write(void *ctx, int stream, const char *bytes, size_t len) {
    Host *host = ctx;
    size_t used = strlen(host->out), room = sizeof host->out - 1 - used;
    host->writes++;
    if (stream == 1) strncat(host->out, bytes, len < room ? len : room);
    return 0;
}

static long on_read(void *ctx, const char **bytes) {
    Host *host = ctx;
    host->reads++;
    *bytes = host->line;
    return (long)strlen(host->line);
}

static int on_module(void *ctx, const char *name, const char **text, size_t *len) {
    static const char given[] = "import time\nwhen = time.time()\n";
    Host *host = ctx;
    host->modules++;
    *text = given;
    *len = sizeof given - 1;
    return strcmp(name, "given") == 0;
}

NacreVm *host_start(Host *host, const char *tier) {
    const char *line = host->line;
    *host = (Host){.line = line};
    NacreOptions options = {.struct_size = sizeof options, .write = on_write, .read_line = on_read, .ctx = host,
                            .module = on_module, .threads = 1, .tier = tier};
    return nacre_new(&options);
}

bool host_run(NacreVm *vm, const char *text) {
    if (nacre_run(vm, text, strlen(text), "test", NACRE_FILE) == NACRE_OK) return true;
    printf("%s\n", nacre_error_text(vm));
    return false;
}

const char *host_text(NacreVm *vm, const char *expression) {
    if (nacre_run(vm, expression, strlen(expression), "test", NACRE_EXPRESSION) != NACRE_OK) return nacre_error_text(vm);
    return nacre_result_text(vm);
}
