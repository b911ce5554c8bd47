// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The transport over MPI: what its files share.
//
// All messages are MPI_Isend and MPI_Irecv, those of `gather` and `broadcast` too: a receive can be cancelled,
// a collective operation of MPI cannot, and would go on writing into memory that a failed call has given back.
// Beside the messages of the program (communicator `data`) ranks send notes (communicator `control`, notes.c):
// a note is looked for wherever a call waits, so that no rank waits for one that has failed or left.

#ifndef NACRE_DIST_MPI_GROUP_H
#define NACRE_DIST_MPI_GROUP_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/plugin/ranks.h"

enum {
    PART_MOST = 1 << 30,  // bytes of a message: MPI counts in int. Longer ones travel in parts
    NOTE_BYTES = 1 << 10, // of words in a note; it stays below what MPIs send without asking the receiver
    WORDS_ROOM = 1 << 14, // of what `fail` is given: memory for this much is there from the start
    NOTES_ROOM = WORDS_ROOM / NOTE_BYTES + 3, // words, NOTE_QUIT (which may be taken back), NOTE_LEFT
    TEXT_MOST = 512,
};

enum { TAG_EXCHANGE, TAG_MAIL, TAG_REST }; // MPI's tags of the communicator `data`

typedef enum NoteKind {
    NOTE_WORDS, // a piece of what was passed to `fail`
    NOTE_QUIT,  // the sender matches no message any more: pending ones to it will never be looked at
    NOTE_LEFT,  // the last note of a rank
} NoteKind;

typedef struct Note {
    int32_t kind;     // NoteKind
    int32_t culprit;  // NOTE_QUIT: where it began
    int32_t follows;  // NOTE_QUIT: the culprit's words are on their way
    uint32_t here;    // bytes of them in this note; NOTE_QUIT: of a text
    uint64_t steps;   // NOTE_LEFT: collective calls that the sender completed
    uint64_t at, len; // NOTE_WORDS: where they belong, of how many
    char bytes[NOTE_BYTES];
} Note;

// What this rank knows of another.
typedef struct Peer {
    uint64_t steps; // once it has left
    bool quit, left;
} Peer;

// Notes that are being sent, each to all the others.
typedef struct Outbox {
    Note *notes;
    MPI_Request *requests; // of each note size - 1
    int count, room;       // of notes
    size_t bytes;          // of the block that both are in
} Outbox;

// What stands behind a request.
typedef struct Part {
    int32_t peer;
    bool sends;
    int bytes;
} Part;

// Requests in flight. They keep their memory from exchange to exchange. Request 0 is that of the next note.
typedef struct Flight {
    MPI_Request *requests;
    Part *parts;
    int *done;
    MPI_Status *statuses;
    int count, room;
    int receives, sends; // that are not complete
    size_t bytes;        // of the block that all are in
} Flight;

typedef struct Failure {
    bool set;
    bool told;       // by its NOTE_WORDS, which every rank gets
    bool shown;      // a call has failed for it: it stays as it is
    bool follows;    // words of `culprit` should come
    int culprit;
    int words_from;  // -1: none yet
    char *words;     // room, or a block of `size` bytes
    size_t len, had; // of words; bytes that have come
    size_t size;
    char room[WORDS_ROOM];
    char text[TEXT_MOST];
} Failure;

// A part of a mail that is being sent.
typedef struct Posted {
    Mail *mail; // which has one part more to wait for
    MPI_Request request;
} Posted;

// A rank's context. It outlives `close` until every rank has left (process.c).
typedef struct Group {
    struct Group *next;
    Mem *mem; // of the VM; NULL once that has closed it
    size_t bytes; // of the block that this is in
    MPI_Comm data, control;
    int rank, size;
    bool (*stopped)(void *ctx);
    void *stopped_ctx;
    double patience; // seconds
    uint64_t steps;  // collective calls completed
    int left;        // ranks that have left, this one included
    bool quit, gone; // NOTE_QUIT, NOTE_LEFT have been sent
    Peer *peers;
    Note note; // the next
    MPI_Request listening; // for it, once there is no flight; before, it is request 0 of that
    Flight flight;
    Outbox outbox, more; // `more`: of long words
    Posted *posted;
    int posted_count, posted_room;
    bool mailing; // the flight is mail, which is no step
    Mail *kept; // mail that has come before it was asked for
    RanksCounts counts;
    Failure failure;
} Group;

// --- process.c: MPI itself ------------------------------------------------------------------------

// MPI is there, by the host's hand or now by ours. NULL, or why it is not.
const char *mpi_enter(void);
// The library's name and version.
const char *library_name(char text[MPI_MAX_LIBRARY_VERSION_STRING]);
// Why this process is a rank by itself though its launcher started several; NULL: it is not.
const char *launcher_problem(int size);
// Groups of this process, from `open` until all their ranks have left.
void groups_add(Group *group);
void groups_sweep(void);
// Ends this rank's part in a group; its memory stays for the notes of others.
void group_leave(Group *group);
// Frees a group that was never joined.
void group_abandon(Group *group);
// Ends the job: there is no other way to keep MPI off memory that goes away.
void give_up(const Group *group);

// --- notes.c --------------------------------------------------------------------------------------

void note_take(Group *group, const Note *note, int from);
void notes_send_quit(Group *group, int culprit, bool follows, const char *text);
void notes_send_words(Group *group, const void *bytes, size_t len);
void notes_send_left(Group *group);
bool outbox_open(Group *group, Outbox *box, int notes);
// Whether all its notes are on their way.
bool outbox_is_sent(const Group *group, Outbox *box);
void failure_set(Group *group, int culprit, bool follows, const char *text);
// What this rank, or another, passed to `fail`.
void words_take(Group *group, const Note *note, int from);

// --- transfer.c -----------------------------------------------------------------------------------

bool flight_open(Group *group);
bool listen(Group *group, MPI_Request *request);
RanksOutcome transfer_post(Group *group, const Transfer *list, int count);
// Looks at what has arrived, once.
void transfer_look(Group *group);
RanksOutcome transfer_wait(Group *group);
// Receives one message, in parts if it is long, and waits for it.
RanksOutcome transfer_one(Group *group, int from, int tag, void *at, size_t bytes);
void failure_of_mpi(Group *group, const char *function, int code);
// No message reads or writes the program's memory any more.
void transfer_break(Group *group);
void flight_free(Group *group);

// --- mail.c ---------------------------------------------------------------------------------------

bool mail_post(Group *group, int to, Mail *mail);
RanksOutcome mail_take(Group *group, int from, uint64_t context, int64_t tag, Mail **out);
bool mail_is_left(Group *group);
void mail_forget(Group *group, bool mpi);

// --- wait.c ---------------------------------------------------------------------------------------

// Waiting without burning a core that others need: it spins for some microseconds, then lets others run, then sleeps.
typedef struct Wait {
    double since, polled; // 0: not yet looked at the clock
    int turns;
} Wait;

double seconds_now(void);
// After a look that found nothing. Whether it is time to ask `stopped`.
bool wait_turn(Wait *wait);
double wait_time(const Wait *wait); // so far

// --- collect.c ------------------------------------------------------------------------------------

RanksOutcome collect_gather(Group *group, const void *own, void *all, size_t bytes);
RanksOutcome collect_broadcast(Group *group, int from, void *at, size_t bytes);

#endif
