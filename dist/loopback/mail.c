// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Mail between two ranks. The memory block is passed on without a copy. Mail is not a collective step, so other ranks
// may be doing anything else.

#include <inttypes.h>

#include "dist/loopback/group.h"

void inbox_init(Inbox *inbox) {
    inbox->end = &inbox->first;
}

void inbox_free(Inbox *inbox) {
    for (Mail *mail = inbox->first, *next; mail; mail = next) {
        next = mail->next;
        mail_free(mail);
    }
    inbox->first = NULL;
    inbox->end = &inbox->first;
}

static void put(Inbox *inbox, Mail *mail, int from) {
    mail->peer = from;
    mail->next = NULL;
    *inbox->end = mail;
    inbox->end = &mail->next;
}

// Finds the oldest mail that the owner waits for; NULL: none has arrived. `takes`: also removes it from the inbox.
static Mail *find(Inbox *inbox, bool takes) {
    Mail **at = &inbox->first;
    while (*at && ((*at)->peer != inbox->from || (*at)->context != inbox->context || (*at)->tag != inbox->tag))
        at = &(*at)->next;
    Mail *mail = *at;
    if (!mail || !takes) return mail;
    *at = mail->next;
    if (inbox->end == &mail->next) inbox->end = at;
    return mail;
}

static bool may_mail(const Member *member, int peer) {
    LoopbackGroup *group = member->group;
    if (group->failure.is_set) return false;
    if (member->withdrawn)
        group_fail(group, member->rank, "rank %d was stopped in step %" PRIu64, member->rank, member->step);
    else if (member->inside)
        group_fail(group, member->rank, "rank %d did not finish the exchange of step %" PRIu64, member->rank,
                   member->step);
    else if (peer < 0 || peer >= group->options.ranks || peer == member->rank)
        group_fail(group, member->rank, "rank %d of %d has mail with rank %d", member->rank, group->options.ranks, peer);
    return !group->failure.is_set;
}

RanksOutcome loopback_send(void *ctx, int to, Mail *mail) {
    Member *member = ctx;
    LoopbackGroup *group = member->group;
    pthread_mutex_lock(&group->mutex);
    const bool may = may_mail(member, to);
    if (may) {
        member->counts.messages_sent++;
        member->counts.bytes_sent += mail->len;
        put(&group->members[to].inbox, mail, member->rank);
        pthread_cond_signal(&group->members[to].news);
    }
    pthread_mutex_unlock(&group->mutex);
    if (!may) mail_free(mail);
    return may ? RANKS_DONE : RANKS_FAILED;
}

// Follows the chain of ranks that wait for mail, from the sender on. Returns a rank that shows that this member waits
// forever: the member itself (a cycle), or a rank in a collective step that the member has not entered. -1: there is
// none.
static int stuck_rank(const Member *member) {
    LoopbackGroup *group = member->group;
    int at = member->inbox.from;
    for (int i = 0; i < group->options.ranks; i++) {
        Member *peer = &group->members[at];
        if (at == member->rank || (peer->inside && peer->step > member->step)) return at;
        if (!peer->inbox.awaits || find(&peer->inbox, false)) return -1;
        at = peer->inbox.from;
    }
    return -1; // a cycle that does not contain this member
}

// Returns whether the mail has arrived. Fails the group if it cannot arrive any more.
static bool has_come(Member *member) {
    if (find(&member->inbox, false)) return true;
    const int at = stuck_rank(member);
    if (at < 0) return false;
    if (at == member->rank)
        group_fail(member->group, at, "rank %d waits for rank %d, which waits for it", at, member->inbox.from);
    else
        group_fail(member->group, member->rank, "rank %d waits for a message of rank %d, and rank %d is in step %" PRIu64
                   " with all ranks", member->rank, member->inbox.from, at, member->group->members[at].step);
    return false;
}

static int sender(const Member *member) {
    return member->inbox.from;
}

static RanksOutcome await(Member *member, Mail **out) {
    static const Wait wait = {.is_done = has_come, .missing = sender};
    member->inbox.awaits = true;
    group_tell(member->group); // this wait may complete a cycle that others have to detect
    RanksOutcome result = group_wait(member, &wait);
    member->inbox.awaits = false;
    if (result != RANKS_DONE) return result;
    *out = find(&member->inbox, true);
    member->counts.messages_received++;
    member->counts.bytes_received += (*out)->len;
    return RANKS_DONE;
}

RanksOutcome loopback_receive(void *ctx, int from, uint64_t context, int64_t tag, Mail **out) {
    Member *member = ctx;
    const double begun = group_clock();
    pthread_mutex_lock(&member->group->mutex);
    member->inbox.from = from;
    member->inbox.context = context;
    member->inbox.tag = tag;
    RanksOutcome result = may_mail(member, from) ? await(member, out) : RANKS_FAILED;
    member->counts.waited += group_clock() - begun;
    pthread_mutex_unlock(&member->group->mutex);
    return result;
}
