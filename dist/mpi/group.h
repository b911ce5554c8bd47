// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The transport over MPI: declarations that its files share.
//
// All messages are sent by MPI_Isend and MPI_Irecv, also those of `gather` and `broadcast`: a receive can be cancelled,
// but a collective operation of MPI cannot, and would go on writing to memory that a failed call has released. Besides
// the program's messages (communicator `data`), ranks send notes (communicator `control`, notes.c). Every wait also
// checks for notes, so that no rank waits for one that has failed or left.

#ifndef NACRE_DIST_MPI_GROUP_H
#define NACRE_DIST_MPI_GROUP_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/plugin/ranks.h"

enum {
    PART_MOST = 1 << 30,  // maximum bytes of a message, since MPI counts in int; longer messages are sent in parts
    NOTE_BYTES = 1 << 10, // maximum bytes of words in a note; small enough that MPI sends notes eagerly
    WORDS_ROOM = 1 << 14, // bytes of the words passed to `fail` for which memory is allocated in advance
    NOTES_ROOM = WORDS_ROOM / NOTE_BYTES + 3, // notes for words, NOTE_QUIT (which may be revoked by a second one), and
                                              // NOTE_LEFT
    TEXT_MOST = 512,
};

enum { TAG_EXCHANGE, TAG_MAIL, TAG_REST }; // MPI tags in the communicator `data`

typedef enum NoteKind {
    NOTE_WORDS, // a piece of the words that were passed to `fail`
    NOTE_QUIT,  // the sender matches no further messages: pending messages to it will never be received
    NOTE_LEFT,  // the last note of a rank
} NoteKind;

typedef struct Note {
    int32_t kind;     // NoteKind
    int32_t culprit;  // for NOTE_QUIT: the rank that failed first
    int32_t follows;  // for NOTE_QUIT: the culprit will send words
    uint32_t here;    // bytes of words, or for NOTE_QUIT of a text, in this note
    uint64_t steps;   // for NOTE_LEFT: collective calls that the sender has completed
    uint64_t at, len; // for NOTE_WORDS: offset of this piece, and length of all words
    char bytes[NOTE_BYTES];
} Note;

// What this rank knows about another one.
typedef struct Peer {
    uint64_t steps; // collective calls that it completed, if it has left
    bool quit, left;
} Peer;

// Notes that are being sent, each to all other ranks.
typedef struct Outbox {
    Note *notes;
    MPI_Request *requests; // `size` - 1 per note
    int count, room;       // number of notes, and capacity
    size_t bytes;          // size of the memory block that contains both arrays
} Outbox;

// What one request sends or receives: a whole message, or a part of a long one.
typedef struct Part {
    int32_t peer;
    bool sends;
    int bytes;
} Part;

// Requests in flight. The arrays are reused from exchange to exchange. Request 0 receives the next note.
typedef struct Flight {
    MPI_Request *requests;
    Part *parts;
    int *done;
    MPI_Status *statuses;
    int count, room;
    int receives, sends; // requests that are not complete
    size_t bytes;        // size of the memory block that contains all arrays
} Flight;

typedef struct Failure {
    bool set;
    bool told;       // set by NOTE_WORDS, which every rank receives
    bool shown;      // a call has failed because of it, so it must not change any more
    bool follows;    // words of `culprit` are expected
    int culprit;
    int words_from;  // rank whose words are being received; -1: none yet
    char *words;     // points to `room`, or to a memory block of `size` bytes
    size_t len, had; // bytes of all words; bytes that have arrived
    size_t size;
    char room[WORDS_ROOM];
    char text[TEXT_MOST];
} Failure;

// A part of a mail that is being sent.
typedef struct Posted {
    Mail *mail; // counts its parts in flight, of which this is one
    MPI_Request request;
} Posted;

// A rank's context. It is kept after `close` until every rank has left (process.c).
typedef struct Group {
    struct Group *next;
    Mem *mem; // the VM's; NULL after the VM has closed the group
    size_t bytes; // size of the memory block that contains this structure
    MPI_Comm data, control;
    int rank, size;
    bool (*stopped)(void *ctx);
    void *stopped_ctx;
    double patience; // seconds that a failed rank waits for others to notice
    uint64_t steps;  // number of collective calls completed
    int left;        // number of ranks that have left, including this one
    bool quit, gone; // NOTE_QUIT has been sent; NOTE_LEFT has been sent
    Peer *peers;
    Note note; // receives the next note
    MPI_Request listening; // request that receives the next note after the flight has been freed; before, it is request
                           // 0 of the flight
    Flight flight;
    Outbox outbox, more; // `more`: for words longer than WORDS_ROOM
    Posted *posted;
    int posted_count, posted_room;
    bool mailing; // the flight belongs to mail, which is not a collective step
    Mail *kept; // mail that has arrived before it was requested
    RanksCounts counts;
    Failure failure;
} Group;

// --- process.c: MPI itself ------------------------------------------------------------------------

// Initialises MPI, unless the host has. Returns NULL on success, otherwise the reason why it cannot be used.
const char *mpi_enter(void);
// Returns the library's name and version, in `text`.
const char *library_name(char text[MPI_MAX_LIBRARY_VERSION_STRING]);
// Returns why this process is the only rank although a launcher started several processes; NULL: that is not so.
const char *launcher_problem(int size);
// groups_add registers a group of this process. groups_sweep frees the groups that all ranks have left.
void groups_add(Group *group);
void groups_sweep(void);
// Ends this rank's part in a group. The memory that notes need is kept.
void group_leave(Group *group);
// Frees a group that this rank has not joined.
void group_abandon(Group *group);
// Ends the job by MPI_Abort. It is the only way to keep MPI from accessing memory that is about to be freed.
void give_up(const Group *group);

// --- notes.c --------------------------------------------------------------------------------------

void note_take(Group *group, const Note *note, int from);
void notes_send_quit(Group *group, int culprit, bool follows, const char *text);
void notes_send_words(Group *group, const void *bytes, size_t len);
void notes_send_left(Group *group);
bool outbox_open(Group *group, Outbox *box, int notes);
// Returns whether all notes of the outbox have been sent.
bool outbox_is_sent(const Group *group, Outbox *box);
void failure_set(Group *group, int culprit, bool follows, const char *text);
// Receives words that this rank or another one passed to `fail`.
void words_take(Group *group, const Note *note, int from);

// --- transfer.c -----------------------------------------------------------------------------------

bool flight_open(Group *group);
bool listen(Group *group, MPI_Request *request);
RanksOutcome transfer_post(Group *group, const Transfer *list, int count);
// Tests once for completed requests, and processes them.
void transfer_look(Group *group);
RanksOutcome transfer_wait(Group *group);
// Receives one message, in parts if it is long, and waits for it.
RanksOutcome transfer_one(Group *group, int from, int tag, void *at, size_t bytes);
void failure_of_mpi(Group *group, const char *function, int code);
// Aborts the transfers: afterwards no message reads or writes the program's memory.
void transfer_break(Group *group);
void flight_free(Group *group);

// --- mail.c ---------------------------------------------------------------------------------------

bool mail_post(Group *group, int to, Mail *mail);
RanksOutcome mail_take(Group *group, int from, uint64_t context, int64_t tag, Mail **out);
bool mail_is_left(Group *group);
void mail_forget(Group *group, bool mpi);

// --- wait.c ---------------------------------------------------------------------------------------

// State of a wait that does not block a core that others need: it spins for some microseconds, then yields, then
// sleeps.
typedef struct Wait {
    double since, polled; // seconds; 0: the clock has not been read yet
    int turns;
} Wait;

double seconds_now(void);
// Waits a little after an unsuccessful check. Returns whether it is time to call `stopped`.
bool wait_turn(Wait *wait);
double wait_time(const Wait *wait); // returns how long the wait has lasted

// --- collect.c ------------------------------------------------------------------------------------

RanksOutcome collect_gather(Group *group, const void *own, void *all, size_t bytes);
RanksOutcome collect_broadcast(Group *group, int from, void *at, size_t bytes);

#endif
