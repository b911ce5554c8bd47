// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Ranks that are VMs of the test, each in a thread of its own, which run one text after the other together.

#ifndef NACRE_TESTS_RANKS_PARTY_H
#define NACRE_TESTS_RANKS_PARTY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "nacre/nacre.h"

#define CHECK(condition)                                                       \
    ((condition) ? (void)0                                                     \
                 : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++))
extern int failures;

enum { PARTY_MOST = 4 };

typedef struct Rank {
    struct Party *party;
    int rank;
    NacreVm *vm;
    pthread_t thread;
    const char *text, *name; // what it runs; a file where the text is NULL
    NacreStatus status;
    char out[1 << 14];       // what was written
    int writes, reads, warnings;
} Rank;

typedef struct Party {
    int size;
    NacreGroup *group;
    NacreOptions options; // of all
    size_t memory_limit;  // of rank 1 alone
    Rank ranks[PARTY_MOST];
} Party;

// Makes the VMs; `options` may be NULL.
void party_open(Party *party, int size, const NacreOptions *options);
void party_close(Party *party);
// Runs a text on all ranks; the status of each is in ranks[].status. `each`: another text for one of them, NULL: the same.
void party_run(Party *party, const char *text);
void party_run_each(Party *party, const char *const *texts);
void party_run_file(Party *party, const char *path);
// Begins it, and waits for the end, for who does something meanwhile.
void party_begin(Party *party, const char *const *texts, const char *path);
void party_wait(Party *party);
// Whether it went well on all ranks; prints where it did not.
bool party_went_well(const Party *party);
// Whether all ranks ended with this class of exceptions, message within the text, and line.
bool party_raised(const Party *party, const char *class_name, const char *message, int line);
// The text of an expression on a rank that needs no others; valid until the next call.
const char *party_text(Party *party, int rank, const char *expression);
// Whether it is the same on all ranks, and not empty.
bool party_agrees(Party *party, const char *expression);

#endif
