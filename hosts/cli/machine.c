// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reads machine descriptions, and measures this machine.

#include "machine.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roof.h"

typedef struct Key {
    const char *name;
    size_t at;
    bool optional, counts; // counts: must be a whole number
} Key;

#define KEY(name, field) {name, offsetof(Machine, field), false, false}
static const Key keys[] = {
    {"ranks_per_socket", offsetof(Machine, socket_ranks), false, true},
    {"ranks_per_node", offsetof(Machine, node_ranks), false, true},
    {"node_memory_GB", offsetof(Machine, node_memory_gigabytes), true, false},
    KEY("rank_memory_bandwidth_GB_per_s", rank_memory_bandwidth),
    KEY("node_memory_bandwidth_GB_per_s", node_memory_bandwidth),
    KEY("rank_cache_MB", rank_cache_megabytes),
    KEY("rank_arithmetic_Gflop_per_s", rank_gigaflops),
    KEY("kernel_overhead_us", kernel_overhead_us),
    KEY("message_overhead_us", message_overhead_us),
    KEY("socket_latency_us", latency_us[NEAR_SOCKET]),
    KEY("node_latency_us", latency_us[NEAR_NODE]),
    KEY("fabric_latency_us", latency_us[NEAR_FABRIC]),
    KEY("socket_bandwidth_GB_per_s", bandwidth[NEAR_SOCKET]),
    KEY("node_bandwidth_GB_per_s", bandwidth[NEAR_NODE]),
    KEY("fabric_bandwidth_GB_per_s", bandwidth[NEAR_FABRIC]),
    KEY("node_injection_bandwidth_GB_per_s", node_injection_bandwidth),
};
enum { KEYS = sizeof keys / sizeof *keys };

static double *value_at(Machine *machine, const Key *key) {
    return (double *)(void *)((char *)machine + key->at);
}

// --- Files -------------------------------------------------------------------------------------------

static size_t trimmed(const char **text, size_t len) {
    while (len && (**text == ' ' || **text == '\t')) ++*text, len--;
    while (len && strchr(" \t\r", (*text)[len - 1])) len--;
    return len;
}

static const Key *key_named(const char *name, size_t len) {
    for (int i = 0; i < KEYS; i++)
        if (strlen(keys[i].name) == len && memcmp(keys[i].name, name, len) == 0) return &keys[i];
    return NULL;
}

static bool is_number(const Key *key, const char *text, size_t len, double *out) {
    char copy[64], *end;
    if (len == 0 || len >= sizeof copy) return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    *out = strtod(copy, &end);
    if (*end || !isfinite(*out)) return false;
    return key->counts ? *out >= 1 && *out <= 1 << 20 && *out == floor(*out) : *out > 0;
}

// Reads one line, without its comment. Returns false after setting *problem.
static bool read_line(Machine *machine, const char *line, size_t len, bool *seen, Text *problem) {
    const char *value = memchr(line, '=', len);
    size_t name_len, value_len;
    if (trimmed(&line, len) == 0) return true;
    if (!value) return text_printf(problem, "a line is a key, '=' and a number"), false;
    value_len = len - (size_t)(value + 1 - line);
    name_len = (size_t)(value++ - line);
    name_len = trimmed(&line, name_len);
    value_len = trimmed(&value, value_len);
    const Key *key = key_named(line, name_len);
    if (!key) return text_printf(problem, "there is no key '%.*s'", (int)name_len, line), false;
    if (seen[key - keys]) return text_printf(problem, "'%s' is there twice", key->name), false;
    seen[key - keys] = true;
    if (is_number(key, value, value_len, value_at(machine, key))) return true;
    text_printf(problem, "%s is wanted for '%s', not '%.*s'", key->counts ? "a whole number" : "a number above 0",
                key->name, (int)value_len, value);
    return false;
}

static bool read_text(Machine *machine, const char *path, const char *at, Text *problem) {
    bool seen[KEYS] = {false};
    Text what = {0};
    for (int line = 1; *at; line++) {
        const size_t len = strcspn(at, "\n");
        const char *comment = memchr(at, '#', len), *begin = at;
        if (!read_line(machine, begin, comment ? (size_t)(comment - at) : len, seen, &what)) {
            text_printf(problem, "%s:%d: %s", path, line, text_string(&what));
            text_free(&what);
            return false;
        }
        at += len + (at[len] == '\n');
    }
    for (int i = 0; i < KEYS; i++)
        if (!seen[i] && !keys[i].optional) return text_printf(problem, "%s: '%s' is missing", path, keys[i].name), false;
    if (fmod(machine->node_ranks, machine->socket_ranks) == 0) return true;
    text_printf(problem, "%s: 'ranks_per_node' has to be a multiple of 'ranks_per_socket'", path);
    return false;
}

bool machine_read(Machine *machine, const char *path, Text *problem) {
    Text text = {0};
    *machine = (Machine){.socket_ranks = 1};
    text_puts(&machine->name, path);
    errno = 0;
    bool good = text_read_file(&text, path);
    if (!good) text_printf(problem, "%s: %s", path, errno ? strerror(errno) : "cannot be read");
    if (good && strlen(text_string(&text)) != text.len) {
        text_printf(problem, "%s: it is no text", path);
        good = false;
    }
    good = good && read_text(machine, path, text_string(&text), problem);
    text_free(&text);
    if (!good) machine_free(machine);
    return good;
}

// --- This machine ------------------------------------------------------------------------------------

void machine_measure(Machine *machine) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN), cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const int ranks = cores > 1 ? (int)cores : 1;
    const Roof alone = roof_measure(1), all = roof_measure(ranks);
    *machine = (Machine){
        .socket_ranks = ranks, .node_ranks = ranks,
        .rank_memory_bandwidth = alone.bytes * 1e-9, .node_memory_bandwidth = all.bytes * 1e-9,
        .rank_cache_megabytes = cache > 0 ? (double)cache * 1e-6 / ranks : 1,
        .rank_gigaflops = all.operations * 1e-9 / ranks, .kernel_overhead_us = 5, .message_overhead_us = 0.3,
        .latency_us = {0.5, 0.5, 1.5}, .bandwidth = {10, 10, 12.5}, .node_injection_bandwidth = 12.5};
    text_printf(&machine->name, "this one, as measured (messages: assumed)");
}

void machine_free(Machine *machine) {
    text_free(&machine->name);
}
