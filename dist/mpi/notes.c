// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Notes tell other ranks that a rank has failed, and why; that it matches no further messages; and that it has left.
// Notes of one rank arrive in order. A rank sends its notes to all others directly, since a rank that forwards them
// might be the one that is lost.

#include <stdio.h>
#include <string.h>

#include "dist/mpi/group.h"

// --- Why calls fail -------------------------------------------------------------------------------

// Sets the reason of a failure. The first reason is kept; words that arrive replace its text.
void failure_set(Group *group, int culprit, bool follows, const char *text) {
    Failure *failure = &group->failure;
    if (failure->set) return;
    failure->set = true;
    failure->culprit = culprit;
    failure->follows = follows;
    snprintf(failure->text, sizeof failure->text, "%s", text);
}

static void words_begin(Group *group, int from, uint64_t len) {
    Failure *failure = &group->failure;
    failure->words_from = from;
    failure->len = (size_t)len;
    failure->had = 0;
    failure->words = failure->room;
    if (len > WORDS_ROOM) {
        failure->words = mem_alloc(group->mem, (size_t)len);
        failure->size = failure->words ? (size_t)len : 0;
    }
}

void words_take(Group *group, const Note *note, int from) {
    Failure *failure = &group->failure;
    if (!group->mem || failure->shown) return;
    if (failure->words_from < 0) words_begin(group, from, note->len);
    if (failure->words_from != from || note->at != failure->had) return;
    if (failure->words) memcpy(failure->words + note->at, note->bytes, note->here);
    failure->had += note->here;
    if (failure->had < failure->len) return;
    failure->told = failure->set = true;
    failure->culprit = from;
    snprintf(failure->text, sizeof failure->text, "%s", failure->words ? "" : "no memory for what it reported");
}

void note_take(Group *group, const Note *note, int from) {
    Peer *peer = &group->peers[from];
    if (note->kind == NOTE_WORDS) words_take(group, note, from);
    if (note->kind == NOTE_QUIT) {
        char text[TEXT_MOST];
        size_t length = note->here < TEXT_MOST ? note->here : TEXT_MOST - 1;
        peer->quit = true;
        memcpy(text, note->bytes, length);
        text[length] = '\0';
        failure_set(group, note->culprit, note->follows, text);
        // revokes the announcement of words
        if (from == group->failure.culprit && !note->follows) group->failure.follows = false;
    }
    if (note->kind == NOTE_LEFT) {
        peer->quit = peer->left = true;
        peer->steps = note->steps;
        group->left++;
    }
}

// --- Sending --------------------------------------------------------------------------------------

bool outbox_open(Group *group, Outbox *box, int notes) {
    size_t each = sizeof *box->notes + (size_t)(group->size - 1) * sizeof *box->requests;
    size_t bytes = (size_t)notes * each;
    // Memory for notes is needed until the last rank has left, which may be after the VM has been destroyed.
    char *block = mem_alloc_free(group->mem, bytes);
    if (!block) return false;
    *box = (Outbox){.notes = (Note *)block, .requests = (MPI_Request *)(block + (size_t)notes * sizeof(Note)),
                    .room = notes, .bytes = bytes};
    return true;
}

bool outbox_is_sent(const Group *group, Outbox *box) {
    int sent = 1;
    if (box->count > 0) MPI_Testall(box->count * (group->size - 1), box->requests, &sent, MPI_STATUSES_IGNORE);
    return sent != 0;
}

// Sends a note to all other ranks. MPI's errors are ignored here: the job is about to end, and the launcher reports
// that.
static void send(Group *group, Outbox *box, const Note *note) {
    int at = box->count++, length = (int)(offsetof(Note, bytes) + note->here);
    MPI_Request *request = box->requests + (size_t)at * (size_t)(group->size - 1);
    memcpy(&box->notes[at], note, (size_t)length);
    for (int i = 1; i < group->size; i++, request++) {
        *request = MPI_REQUEST_NULL;
        MPI_Isend(&box->notes[at], length, MPI_BYTE, (group->rank + i) % group->size, 0, group->control, request);
    }
}

void notes_send_quit(Group *group, int culprit, bool follows, const char *text) {
    group->quit = true;
    Note note = {.kind = NOTE_QUIT, .culprit = culprit, .follows = follows, .here = (uint32_t)strlen(text)};
    memcpy(note.bytes, text, note.here);
    send(group, &group->outbox, &note);
}

void notes_send_left(Group *group) {
    Note note = {.kind = NOTE_LEFT, .steps = group->steps};
    send(group, &group->outbox, &note);
    group->left++;
    group->gone = true;
}

void notes_send_words(Group *group, const void *bytes, size_t len) {
    Outbox *box = &group->outbox;
    size_t notes = len > 0 ? (len + NOTE_BYTES - 1) / NOTE_BYTES : 1;
    if (len > WORDS_ROOM) box = outbox_open(group, &group->more, (int)notes) ? &group->more : NULL;
    if (!box) {
        notes_send_quit(group, group->rank, false, "no memory for what it reports");
        return;
    }
    Note note = {.kind = NOTE_WORDS, .len = len};
    for (size_t i = 0; i < notes; i++) {
        note.at = i * NOTE_BYTES;
        note.here = (uint32_t)(len - note.at < NOTE_BYTES ? len - note.at : NOTE_BYTES);
        if (note.here) memcpy(note.bytes, (const char *)bytes + note.at, note.here);
        send(group, box, &note);
        words_take(group, &note, group->rank);
    }
}
