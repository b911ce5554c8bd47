// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The shared parts of party.h.

#include "tests/ranks/party.h"

#include <stdlib.h>
#include <string.h>

#include "vm/api/api.h"
#include "vm/sched/collective.h"
#include "vm/value/effects.h"

int failures;

// --- Hosts -----------------------------------------------------------------------------------------

static int on_write(void *ctx, int stream, const char *bytes, size_t len) {
    Rank *rank = ctx;
    size_t used = strlen(rank->out), room = sizeof rank->out - 1 - used;
    (void)stream;
    rank->writes++;
    strncat(rank->out, bytes, len < room ? len : room);
    return 0;
}

static long on_read(void *ctx, const char **bytes) {
    static const char line[] = "typed\n";
    ((Rank *)ctx)->reads++;
    *bytes = line;
    return sizeof line - 1;
}

static void on_warn(void *ctx, const char *category, const char *message, const char *file, int line) {
    (void)category, (void)message, (void)file, (void)line;
    ((Rank *)ctx)->warnings++;
}

// --- Threads ---------------------------------------------------------------------------------------

static void each_rank(Party *party, void *(*start)(void *)) {
    for (int i = 0; i < party->size; i++)
        CHECK(pthread_create(&party->ranks[i].thread, NULL, start, &party->ranks[i]) == 0);
}

void party_wait(Party *party) {
    for (int i = 0; i < party->size; i++) pthread_join(party->ranks[i].thread, NULL);
}

static void *join(void *arg) {
    Rank *rank = arg;
    NacreOptions options = rank->party->options;
    options.ctx = rank;
    options.rank = rank->rank;
    if (rank->rank == 1 && rank->party->memory_limit) options.memory_limit = rank->party->memory_limit;
    rank->vm = nacre_new(&options);
    return NULL;
}

void party_open(Party *party, int size, const NacreOptions *options) {
    const NacreGroupOptions group = {.struct_size = sizeof group, .ranks = size, .stall = 20};
    party->size = size;
    party->group = nacre_group_new(&group);
    party->options = options ? *options : (NacreOptions){.struct_size = sizeof *options, .check_ranks = 1};
    party->options.threads = 1;
    party->options.ranks = "loopback";
    party->options.group = party->group;
    party->options.write = on_write;
    party->options.read_line = on_read;
    party->options.warn = on_warn;
    for (int i = 0; i < size; i++) party->ranks[i] = (Rank){.party = party, .rank = i};
    each_rank(party, join);
    party_wait(party);
    for (int i = 0; i < size; i++) {
        CHECK(party->ranks[i].vm);
        if (!party->ranks[i].vm) exit(1);
    }
}

void party_close(Party *party) {
    for (int i = 0; i < party->size; i++) nacre_free(party->ranks[i].vm);
    nacre_group_free(party->group);
}

static void *run(void *arg) {
    Rank *rank = arg;
    rank->status = rank->text ? nacre_run(rank->vm, rank->text, strlen(rank->text), rank->name, NACRE_FILE)
                              : nacre_run_file(rank->vm, rank->name);
    return NULL;
}

void party_begin(Party *party, const char *const *texts, const char *path) {
    for (int i = 0; i < party->size; i++) {
        Rank *rank = &party->ranks[i];
        rank->text = texts ? texts[i] : NULL;
        rank->name = texts ? "program" : path;
        rank->writes = rank->reads = rank->warnings = 0;
        *rank->out = '\0';
    }
    each_rank(party, run);
}

void party_run_each(Party *party, const char *const *texts) {
    party_begin(party, texts, NULL);
    party_wait(party);
}

void party_run(Party *party, const char *text) {
    const char *const texts[PARTY_MOST] = {text, text, text, text};
    party_run_each(party, texts);
}

void party_run_file(Party *party, const char *path) {
    party_begin(party, NULL, path);
    party_wait(party);
}

// --- What came of it -------------------------------------------------------------------------------

bool party_went_well(const Party *party) {
    bool good = true;
    for (int i = 0; i < party->size; i++) {
        if (party->ranks[i].status == NACRE_OK) continue;
        printf("rank %d: %s\n", i, nacre_error_text(party->ranks[i].vm));
        good = false;
    }
    return good;
}

bool party_raised(const Party *party, const char *class_name, const char *message, int line) {
    bool good = true;
    for (int i = 0; i < party->size; i++) {
        const NacreVm *vm = party->ranks[i].vm;
        bool same = party->ranks[i].status != NACRE_OK && strcmp(nacre_error_class(vm), class_name) == 0 &&
                    strstr(nacre_error_text(vm), message) && nacre_error_line(vm) == line;
        if (!same) printf("rank %d: status %d, line %d\n%s\n", i, (int)party->ranks[i].status, nacre_error_line(vm), nacre_error_text(vm));
        good &= same;
    }
    return good;
}

// As a VM that runs alone: the others are not asked.
const char *party_text(Party *party, int rank, const char *expression) {
    NacreVm *handle = party->ranks[rank].vm;
    Link *link = link_of(&handle->vm);
    const EffectHook *effects = handle->vm.effects;
    int size = link->size;
    link->size = 1;
    handle->vm.effects = NULL;
    NacreStatus status = nacre_run(handle, expression, strlen(expression), "look", NACRE_EXPRESSION);
    handle->vm.effects = effects;
    link->size = size;
    return status == NACRE_OK ? nacre_result_text(handle) : nacre_error_text(handle);
}

bool party_agrees(Party *party, const char *expression) {
    char *first = strdup(party_text(party, 0, expression));
    bool same = *first;
    for (int i = 1; i < party->size; i++) {
        const char *text = party_text(party, i, expression);
        if (strcmp(text, first) == 0) continue;
        size_t at = 0;
        while (text[at] == first[at]) at++;
        at = at > 60 ? at - 60 : 0;
        printf("%s\n  rank 0: %.150s\n  rank %d: %.150s\n", expression, first + at, i, text + at);
        same = false;
    }
    free(first);
    return same;
}
