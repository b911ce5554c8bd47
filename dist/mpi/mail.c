// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Mail between two ranks. The first message of a mail (TAG_MAIL) has its head and as many bytes as a message can hold;
// the rest follows in parts (TAG_REST). Mail from one rank arrives in the order in which it was sent, but is requested
// by context and tag. Mail that arrives before it is requested is kept.

#include <string.h>

#include "dist/mpi/group.h"

enum { POSTED_FIRST = 16 };
static const double grace_seconds = 0.1; // time for the last mail of a rank that has left, since its NOTE_LEFT may
                                         // overtake it

// --- Sending --------------------------------------------------------------------------------------

static void posted_done(Group *group, int at) {
    Mail *mail = group->posted[at].mail;
    group->posted[at] = group->posted[--group->posted_count];
    if (--mail->parts == 0) mail_free(mail);
}

// Frees mail that has been sent.
static void sweep(Group *group) {
    for (int i = group->posted_count - 1; i >= 0; i--) {
        int sent = 0;
        if (MPI_Test(&group->posted[i].request, &sent, MPI_STATUS_IGNORE) != MPI_SUCCESS || sent) posted_done(group, i);
    }
}

// Makes room for `need` posted parts. The array outlives the VM, so it counts towards the VM's memory limit only when
// it is allocated. Returns false if memory runs out.
static bool reserve(Group *group, int need) {
    if (need <= group->posted_room) return true;
    int room = group->posted_room ? 2 * group->posted_room : POSTED_FIRST;
    if (room < need) room = need;
    const size_t bytes = (size_t)room * sizeof *group->posted;
    Posted *grown = mem_alloc_free(group->mem, bytes);
    if (!grown) return false;
    mem_uncount(group->mem, bytes);
    if (group->posted_count) memcpy(grown, group->posted, (size_t)group->posted_count * sizeof *grown);
    free(group->posted);
    group->posted = grown;
    group->posted_room = room;
    return true;
}

static bool post(Group *group, Mail *mail, int to, size_t at, size_t total) {
    Posted *posted = &group->posted[group->posted_count];
    const size_t left = total - at;
    const int bytes = (int)(left < PART_MOST ? left : PART_MOST), tag = at ? TAG_REST : TAG_MAIL;
    posted->mail = mail;
    int code = MPI_Isend((char *)&mail->context + at, bytes, MPI_BYTE, to, tag, group->data, &posted->request);
    if (code != MPI_SUCCESS) {
        failure_of_mpi(group, "MPI_Isend", code);
        return false;
    }
    mail->parts++;
    group->posted_count++;
    group->counts.messages_sent++;
    group->counts.bytes_sent += (uint64_t)bytes;
    return true;
}

// Sends a mail, and consumes it. Returns false if the group has failed.
bool mail_post(Group *group, int to, Mail *mail) {
    const size_t total = MAIL_HEAD + (size_t)mail->len;
    sweep(group);
    mail->parts = 1; // this function's own share, so that the mail is not freed while parts are posted
    bool good = reserve(group, group->posted_count + (int)((total + PART_MOST - 1) / PART_MOST));
    if (!good) failure_set(group, group->rank, false, "no memory for its messages");
    for (size_t at = 0; good && at < total; at += PART_MOST) good = post(group, mail, to, at, total);
    if (--mail->parts == 0) mail_free(mail);
    return good;
}

// --- Receiving ------------------------------------------------------------------------------------

static Mail *take_kept(Group *group, int from, uint64_t context, int64_t tag) {
    for (Mail **at = &group->kept; *at; at = &(*at)->next) {
        Mail *mail = *at;
        if (mail->peer != from || mail->context != context || mail->tag != tag) continue;
        *at = mail->next;
        return mail;
    }
    return NULL;
}

static void keep(Group *group, Mail *mail, int from) {
    Mail **end = &group->kept;
    while (*end) end = &(*end)->next;
    mail->peer = from;
    mail->next = NULL;
    *end = mail;
}

static bool has_come(Group *group, int from, int *bytes) {
    MPI_Status status;
    int flag = 0;
    int code = MPI_Iprobe(from, TAG_MAIL, group->data, &flag, &status);
    if (code != MPI_SUCCESS) failure_of_mpi(group, "MPI_Iprobe", code);
    if (code != MPI_SUCCESS || !flag) return false;
    MPI_Get_count(&status, MPI_BYTE, bytes);
    return true;
}

// Returns whether a rank whose mail is expected has left, and its last mail has had time to arrive. If so, fails the
// group.
static bool is_missed(Group *group, int from, double *left_since) {
    if (!group->peers[from].left) return false;
    if (*left_since == 0) *left_since = seconds_now();
    if (seconds_now() - *left_since < grace_seconds) return false;
    failure_set(group, from, false, "it left");
    return true;
}

// Waits until any mail of that rank has arrived. Sets *bytes to the size of its first message.
static RanksOutcome await(Group *group, int from, int *bytes) {
    Wait wait = {.turns = 0};
    double left_since = 0;
    bool stopped = false;
    while (!group->failure.set && !stopped) {
        transfer_look(group);
        if (has_come(group, from, bytes)) return RANKS_DONE;
        if (group->failure.set || is_missed(group, from, &left_since)) break;
        stopped = wait_turn(&wait) && group->stopped && group->stopped(group->stopped_ctx);
    }
    if (stopped) failure_set(group, group->rank, true, "it was stopped");
    transfer_break(group);
    return stopped ? RANKS_STOPPED : RANKS_FAILED;
}

// Receives the mail whose first message has arrived. *out is NULL if memory runs out before that message is received.
static RanksOutcome take(Group *group, int from, int bytes, Mail **out) {
    Mail *mail = mail_new(group->mem, (size_t)bytes - MAIL_HEAD);
    *out = NULL;
    if (!mail) return RANKS_DONE;
    RanksOutcome outcome = transfer_one(group, from, TAG_MAIL, &mail->context, (size_t)bytes);
    const size_t len = (size_t)mail->len, here = (size_t)bytes - MAIL_HEAD;
    if (outcome == RANKS_DONE && here < len) {
        Mail *whole = mail_new(group->mem, len);
        if (whole) memcpy(&whole->context, &mail->context, (size_t)bytes);
        mail_free(mail);
        mail = whole;
        if (!mail) failure_set(group, group->rank, false, "no memory for a message");
        outcome = mail ? transfer_one(group, from, TAG_REST, mail->bytes + here, len - here) : RANKS_FAILED;
        if (!mail) transfer_break(group);
    }
    if (outcome == RANKS_DONE) *out = mail;
    else mail_free(mail);
    return outcome;
}

RanksOutcome mail_take(Group *group, int from, uint64_t context, int64_t tag, Mail **out) {
    sweep(group);
    for (;;) {
        int bytes;
        if ((*out = take_kept(group, from, context, tag))) return RANKS_DONE;
        RanksOutcome outcome = await(group, from, &bytes);
        Mail *mail = NULL;
        if (outcome == RANKS_DONE) outcome = take(group, from, bytes, &mail);
        if (outcome != RANKS_DONE || !mail) return outcome;
        keep(group, mail, from);
    }
}

// --- The end --------------------------------------------------------------------------------------

// Returns whether there is mail that nobody has received.
bool mail_is_left(Group *group) {
    int flag = 0;
    MPI_Status status;
    return MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, group->data, &flag, &status) != MPI_SUCCESS || flag;
}

// Frees mail that nobody will request any more. `mpi`: MPI can still be called.
void mail_forget(Group *group, bool mpi) {
    for (Mail *mail = group->kept, *next; mail; mail = next) {
        next = mail->next;
        mail_free(mail);
    }
    group->kept = NULL;
    if (mpi) sweep(group);
    while (group->posted_count > 0) {
        if (mpi) MPI_Request_free(&group->posted[group->posted_count - 1].request);
        posted_done(group, group->posted_count - 1);
    }
    free(group->posted);
    group->posted = NULL;
    group->posted_room = 0;
}
