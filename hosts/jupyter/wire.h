// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Messages of the Jupyter protocol as they are on the wire: identities, a delimiter, a signature, four dictionaries
// in JSON, buffers.

#ifndef NACRE_HOSTS_JUPYTER_WIRE_H
#define NACRE_HOSTS_JUPYTER_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_PROTOCOL "5.5"

enum { WIRE_ID = 33 }; // 32 hexadecimal digits and a NUL

typedef struct Frame {
    char *bytes; // owned
    size_t len;
} Frame;

// The frames of one message, as ZeroMQ gives and takes them.
typedef struct Frames {
    Frame *items; // owned: frames_free
    size_t count, cap;
    bool failed; // memory ran out: something is missing
} Frames;

void frames_add(Frames *frames, const void *bytes, size_t len);
void frames_free(Frames *frames);

enum { DIGESTS = 1 << 15, DIGEST_BYTES = 32 };

// What signs and checks messages. One for each thread that receives: it remembers what it has seen.
typedef struct Signer {
    unsigned char *key; // borrowed
    size_t key_len;     // 0: messages are not signed
    char session[WIRE_ID];
    unsigned char (*seen)[DIGEST_BYTES]; // the last signatures, a hash table with its rows overwritten; owned
} Signer;

bool signer_open(Signer *signer, const char *key, const char *session); // false: out of memory
void signer_close(Signer *signer);

// A message that was received. All zero is none.
typedef struct Message {
    Frames identities;
    json_t *header, *parent, *metadata, *content; // owned: message_free
    char *header_text; // owned: the header as it came, for answers to carry
    const char *type;  // of the header
} Message;

// Takes frames apart. NULL: `out` is owned; otherwise why the message is to be dropped, and `out` is empty.
const char *wire_parse(Signer *signer, const Frames *frames, Message *out);
void message_free(Message *message);

// Puts a message together, signed. `identities`, `parent` (a header's text) and `metadata` may be NULL; all are
// borrowed. On IOPub a topic stands in for the identities.
Frames wire_build(const Signer *signer, const Frames *identities, const char *type, const char *parent,
                  json_t *metadata, json_t *content);

void wire_new_id(char id[WIRE_ID]); // random

// A JSON string of bytes that may not be UTF-8: what is not becomes U+FFFD. NULL: out of memory.
json_t *wire_text(const char *bytes, size_t len);

#endif
