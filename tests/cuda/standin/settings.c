// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Settings, counts of calls, failures that are asked for, and the report at the end.

#include "driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64 };

Settings settings;
int sticky;
long live_modules, live_streams, live_events, live_handles;

static Count *counts;
static struct {
    char name[NAME];
    long at;
    int with;
    bool goes_on;
} failing;

static long number(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value ? strtol(value, NULL, 0) : otherwise;
}

static void read_failing(const char *text) {
    char *end;
    const char *colon = strchr(text, ':');
    if (!colon || colon - text >= NAME) return;
    memcpy(failing.name, text, (size_t)(colon - text));
    failing.at = strtol(colon + 1, &end, 10);
    failing.goes_on = *end == '+';
    end += failing.goes_on;
    failing.with = *end == ':' ? atoi(end + 1) : OUT_OF_MEMORY;
}

static void report(void) {
    const char *path = getenv("STANDIN_REPORT");
    FILE *file = path ? fopen(path, "w") : NULL;
    size_t bytes, peak;
    if (!file) return;
    long blocks = memory_live(&bytes, &peak);
    fprintf(file, "{\"live\": {\"blocks\": %ld, \"modules\": %ld, \"streams\": %ld, \"events\": %ld, \"handles\": %ld}, \"bytes\": %zu, "
            "\"peak\": %zu, \"calls\": {", blocks, live_modules, live_streams, live_events, live_handles, bytes, peak);
    for (Count *c = counts; c; c = c->next) fprintf(file, "%s\"%s\": %ld", c == counts ? "" : ", ", c->name, c->calls);
    fputs("}}\n", file);
    fclose(file);
}

void settings_read(void) {
    const char *order = getenv("STANDIN_ORDER"), *fail = getenv("STANDIN_FAIL");
    if (order) settings.order = strcmp(order, "reverse") == 0 ? REVERSE : strcmp(order, "random") == 0 ? RANDOM : FORWARD;
    settings.seed = (unsigned)number("STANDIN_SEED", 1);
    settings.devices = (int)number("STANDIN_DEVICES", 1);
    settings.version = (int)number("STANDIN_VERSION", 12040);
    settings.arch = (int)number("STANDIN_ARCH", 90);
    settings.memory = (size_t)number("STANDIN_MEMORY", 4L << 30);
    settings.has_pools = number("STANDIN_POOLS", 1) != 0;
    if (fail) read_failing(fail);
    atexit(report);
}

int count_call(Count *c) {
    if (!c->calls) c->next = counts, counts = c;
    c->calls++;
    bool fails = failing.at && (failing.goes_on ? c->calls >= failing.at : c->calls == failing.at);
    return fails && strcmp(c->name, failing.name) == 0 ? failing.with : sticky;
}

int wrong(int result, const char *format, ...) {
    va_list arguments;
    fputs("stand-in: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return result;
}
