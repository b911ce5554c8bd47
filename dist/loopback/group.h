// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A group of ranks, the state of each, and the messages between them. Everything is protected by the group's mutex,
// except the bytes of messages while they are copied.

#ifndef NACRE_DIST_LOOPBACK_GROUP_H
#define NACRE_DIST_LOOPBACK_GROUP_H

#include <pthread.h>

#include "dist/loopback/loopback.h"

typedef enum CallKind { CALL_EXCHANGE, CALL_GATHER, CALL_BROADCAST } CallKind;

// A collective call. All ranks must agree on it, except on the messages of an exchange.
typedef struct Call {
    CallKind kind;
    int from;     // for a broadcast: the sending rank
    size_t bytes; // for a gather: bytes from each rank; for a broadcast: bytes from the sending rank
} Call;

// One side of a message. The first rank that can copies it, directly from the sender's memory to the receiver's.
typedef struct Parcel {
    Transfer transfer;
    struct Parcel *other; // the other side; NULL: that rank has not entered the call yet
    double due;           // earliest time at which it may be copied; 0 without a seed
    uint64_t turn;        // among parcels that are due, the one with the smallest turn is copied next
    bool taken, done;
} Parcel;

// Mail that has arrived, in the order in which it was sent, and the mail that the owner waits for.
typedef struct Inbox {
    Mail *first, **end;
    bool awaits; // the owner waits for mail with `from`, `context` and `tag`
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
    uint64_t step;  // number of the call that it entered last, from 1
    Call call;      // that call
    bool inside;    // that call has not ended yet
    bool withdrawn; // it was stopped in that call, so its memory must not be accessed any more
    Parcel *parcels;
    size_t cap;
    int count, left; // number of parcels of the call; of these, number that are not done
    int copies;      // copies in progress from or to its memory
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
    int owners; // the host, and members that have joined; the last one frees the group
    Failure failure;
    Member members[];
};

double group_clock(void); // returns seconds on a monotonic clock

// All functions below, except those of mail.c, are called with the mutex held.

void group_tell(LoopbackGroup *group); // wakes all members, so that they check their conditions again
// Marks the group as failed, and wakes all members. Only the first failure is recorded.
__attribute__((format(printf, 3, 4))) void group_fail(LoopbackGroup *group, int rank, const char *format, ...);
// Withdraws a member's memory: no further copy from or to it begins, and copies in progress are waited for.
void group_withdraw(Member *member);
// A condition to wait for.
//
// group_wait waits until `is_done` returns true. `missing` returns the rank that is being waited for, -1 if none; if
// that rank has left or takes too long, the group fails. `until` returns when to check again at the latest.
typedef struct Wait {
    bool (*is_done)(Member *member);
    int (*missing)(const Member *member);
    double (*until)(const Member *member); // NULL: check only when woken
} Wait;
RanksOutcome group_wait(Member *member, const Wait *wait);

// mail.c. loopback_send and loopback_receive lock the mutex themselves.
RanksOutcome loopback_send(void *ctx, int to, Mail *mail);
RanksOutcome loopback_receive(void *ctx, int from, uint64_t context, int64_t tag, Mail **out);
void inbox_init(Inbox *inbox);
void inbox_free(Inbox *inbox);

// parcels.c. parcels_reserve makes room for `count` parcels, and returns false if memory runs out.
bool parcels_reserve(Member *member, size_t count);
void parcels_free(Member *member);
void parcels_add(Member *member, int peer, bool sends, const void *at, size_t bytes);
// Pairs the parcels of two members that are in the same call. Fails the group if they do not match.
void parcels_match(Member *member, Member *peer);
// Copies one parcel that is ready; the mutex is released meanwhile. Returns false if none is ready.
bool parcels_copy_one(Member *member);
double parcels_next_due(const Member *member); // returns when the next delayed parcel is due; HUGE_VAL: none is delayed
int parcels_withdrawn_peer(const Member *member); // returns a rank whose messages can no longer be copied; -1: none

#endif
