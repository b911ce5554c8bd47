// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A group of ranks, what each of them is about, and the messages between them. All of it is under the group's
// mutex, but for the bytes of messages while they are copied.

#ifndef NACRE_DIST_LOOPBACK_GROUP_H
#define NACRE_DIST_LOOPBACK_GROUP_H

#include <pthread.h>

#include "dist/loopback/loopback.h"

typedef enum CallKind { CALL_EXCHANGE, CALL_GATHER, CALL_BROADCAST } CallKind;

// What a rank calls. All ranks have to agree about it, but for an exchange's messages.
typedef struct Call {
    CallKind kind;
    int from;     // of a broadcast
    size_t bytes; // of each rank, of a gather or a broadcast
} Call;

// One side of a message. Whoever comes first copies it, straight from the sender's memory to the receiver's.
typedef struct Parcel {
    Transfer transfer;
    struct Parcel *other; // the other side; NULL: that rank has not come to this call
    double due;           // not before that time; 0 without a seed
    uint64_t turn;        // the least of those that are due is next
    bool taken, done;
} Parcel;

// Mail that has come, in the order in which it was sent; and what is waited for.
typedef struct Inbox {
    Mail *first, **end;
    bool awaits; // and its owner does nothing else
    int from;
    uint64_t context;
    int64_t tag;
} Inbox;

typedef enum Life { LIFE_ABSENT, LIFE_JOINED, LIFE_GONE } Life;

typedef struct Member {
    LoopbackGroup *group;
    int rank;
    Life life;
    struct Vm *vm;
    RanksOptions options;
    pthread_cond_t news;
    uint64_t step;  // number of the call that it has entered last, from 1
    Call call;      // that one
    bool inside;    // and it has not ended yet
    bool withdrawn; // it was stopped there: its memory is not to be touched any more
    Parcel *parcels;
    size_t cap;
    int count, left; // parcels of the call; those that are not done
    int copies;      // copies under way from or to its memory
    Inbox inbox;
    RanksCounts counts;
} Member;

typedef struct Failure {
    bool is_set;
    int rank;
    void *bytes;
    size_t len;
    char text[240];
} Failure;

struct LoopbackGroup {
    pthread_mutex_t mutex;
    LoopbackOptions options;
    int owners; // the host, and members that have joined
    Failure failure;
    Member members[];
};

double group_clock(void); // seconds

// The rest is called with the mutex held.

void group_tell(LoopbackGroup *group); // all members: look again
// The first failure counts.
__attribute__((format(printf, 3, 4))) void group_fail(LoopbackGroup *group, int rank, const char *format, ...);
// No copy of the member's memory begins any more, and none is under way.
void group_withdraw(Member *member);
// Waits until `is_done`. `missing` is the rank that is being waited for, -1: none; it fails the group when that
// rank is gone, or takes too long. `until` is when to look again at the latest.
typedef struct Wait {
    bool (*is_done)(Member *member);
    int (*missing)(const Member *member);
    double (*until)(const Member *member); // NULL: whenever there is news
} Wait;
RanksOutcome group_wait(Member *member, const Wait *wait);

// mail.c
RanksOutcome loopback_send(void *ctx, int to, Mail *mail);
RanksOutcome loopback_receive(void *ctx, int from, uint64_t context, int64_t tag, Mail **out);
void inbox_init(Inbox *inbox);
void inbox_free(Inbox *inbox);

// parcels.c: room for so many; false: out of memory.
bool parcels_reserve(Member *member, size_t count);
void parcels_free(Member *member);
void parcels_add(Member *member, int peer, bool sends, const void *at, size_t bytes);
// Pairs the member's parcels with those of a rank that is in the same call; fails the group where they do not fit.
void parcels_match(Member *member, Member *peer);
// Copies one that is ready, without the mutex meanwhile. False: there is none.
bool parcels_copy_one(Member *member);
double parcels_next_due(const Member *member); // HUGE_VAL: nothing is waited for that is merely late
int parcels_withdrawn_peer(const Member *member); // a rank that will not let its messages be copied; -1: none

#endif
