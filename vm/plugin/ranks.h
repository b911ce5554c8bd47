// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Transport between ranks: the processes (or threads) that run one program together. A transport is a
// const table of functions, and a context per VM. It moves bytes and knows nothing of arrays.
//
// Exchanges (`post`, `finish`), `gather` and `broadcast` are collective: every rank calls the same ones in the same
// order, and each returns on every rank or fails on every rank. A rank that cannot continue calls `fail`; the others
// then fail in the call that they are in, or in their next one. `send` and `receive` involve two ranks only.

#ifndef NACRE_VM_PLUGIN_RANKS_H
#define NACRE_VM_PLUGIN_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "lang/support/buf.h"
#include "lang/support/mem.h"

struct Vm;

enum { RANKS_ABI = 3 };

// One message of an exchange. Between two ranks, messages match in the order of the lists.
typedef struct Transfer {
    int32_t peer; // number of another rank
    bool sends;   // this rank sends to the peer; false: it receives
    size_t bytes; // more than 0; both sides state the same number, which may exceed 2^31
    void *at;     // borrowed until `finish` returns
} Transfer;

// A message from one rank to another, outside the collective calls: a block of mail_new, owned by its holder.
typedef struct Mail {
    struct Mail *next; // these three are for the transport's use while it holds the mail
    uint64_t parts;
    int32_t peer;
    // The part that is sent begins here.
    uint64_t context;
    int64_t tag;
    uint64_t len;
    char bytes[];
} Mail;
enum { MAIL_HEAD = 3 * sizeof(uint64_t) }; // bytes that are sent before `bytes`

// Allocates mail within the limit of `mem`. It is not counted after that, as it goes to another VM. NULL: out of
// memory.
static inline Mail *mail_new(Mem *mem, size_t len) {
    if (len > SIZE_MAX / 2) return NULL;
    Mail *mail = (Mail *)mem_alloc_free(mem, sizeof(Mail) + len);
    if (!mail) return NULL;
    mem_uncount(mem, sizeof(Mail) + len);
    mail->len = len;
    return mail;
}
static inline void mail_free(Mail *mail) { // accepts NULL
    free(mail);
}

typedef enum RanksOutcome {
    RANKS_DONE,
    RANKS_STOPPED, // RanksOptions.stopped returned true on this rank. The ranks no longer agree: `fail` comes next
    RANKS_FAILED,  // a rank failed, or is gone; `failure` describes it. Every later call fails likewise
} RanksOutcome;

typedef struct RanksOptions {
    void *communicator; // the host's, an MPI_Comm *; NULL: the transport's own
    void *group;        // loopback: the group to join
    int rank;           // loopback: this VM's rank in the group
    int size;           // dry run: the number of ranks to assume
    // Polled while a call waits, at least every 50 ms, in the VM's thread.
    bool (*stopped)(void *ctx);
    void *stopped_ctx;
} RanksOptions;

// Why calls fail.
typedef struct RanksFailure {
    int rank;          // the rank that failed first
    const void *bytes; // what that rank passed to `fail`; NULL: it ended without calling it
    size_t len;
    const char *text;  // what the transport knows about it ("rank 2 was killed by signal 9"); "" where `bytes` says all
} RanksFailure;

// Traffic of this rank so far, as the transport counts it.
typedef struct RanksCounts {
    uint64_t messages_sent, messages_received;
    uint64_t bytes_sent, bytes_received;
    uint64_t exchanges, gathers, broadcasts; // collective calls
    double waited; // seconds in them
} RanksCounts;

typedef struct Ranks {
    uint32_t abi_version; // RANKS_ABI
    uint32_t struct_size; // sizeof(Ranks) the plug-in was compiled with
    const char *name;     // "loopback", "mpi"

    // Joins the group; collective. NULL: failed, and *why is the reason as text (static, or owned by the transport).
    void *(*open)(struct Vm *vm, const RanksOptions *options, const char **why);
    // Leaves the group. Not collective: ranks that wait for this one afterwards fail.
    void (*close)(struct Vm *vm, void *ctx);
    int (*rank)(void *ctx);
    int (*size)(void *ctx);

    // Begins the messages of one exchange, and returns without waiting for them. One exchange at a time:
    // `finish` comes before anything else but `poke`. An empty list is fine.
    RanksOutcome (*post)(void *ctx, const Transfer *list, int count);
    // Advances the messages of an exchange as far as is possible without waiting. Failures are returned by `finish`.
    void (*poke)(void *ctx);
    // Waits for all messages of the exchange.
    RanksOutcome (*finish)(void *ctx);
    // Collects `bytes` bytes of each rank, in the order of ranks, at `all` on every rank.
    RanksOutcome (*gather)(void *ctx, const void *own, void *all, size_t bytes);
    // Copies bytes of rank `from` to all.
    RanksOutcome (*broadcast)(void *ctx, int from, void *at, size_t bytes);

    // Tells the others that this rank cannot go on: they get `bytes` (copied) from `failure`. Not collective, never
    // blocks.
    void (*fail)(void *ctx, const void *bytes, size_t len);
    // Describes the failure after RANKS_FAILED. Its pointers are valid until `close`.
    void (*failure)(void *ctx, RanksFailure *out);
    void (*counts)(void *ctx, RanksCounts *out);
    void (*describe)(Buf *out); // lines for `nacre info`, as Backend.describe

    // Sends mail, and takes it over even on failure. Does not wait for the receiver. NULL, as `receive`: the transport
    // has no mail.
    RanksOutcome (*send)(void *ctx, int to, Mail *mail);
    // Waits for the oldest mail of rank `from` that has this context and tag. The caller owns it. *out NULL with
    // RANKS_DONE: out of memory, and the mail can still be received.
    RanksOutcome (*receive)(void *ctx, int from, uint64_t context, int64_t tag, Mail **out);
} Ranks;

// Finds a transport by name ("loopback", "mpi") among those linked in, then plug-ins (dist/registry.c). NULL: none.
const Ranks *ranks_find(const char *name);
void ranks_describe(Buf *out); // for `nacre info`

#endif
