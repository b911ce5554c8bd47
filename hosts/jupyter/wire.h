// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Messages of the Jupyter protocol: identities, a delimiter, a signature, four JSON objects, buffers.

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

// The frames of a message, as ZeroMQ sends and receives them.
typedef struct Frames {
    Frame *items; // owned; frames_free frees them
    size_t count, cap;
    bool failed; // memory ran out, so frames are missing
} Frames;

void frames_add(Frames *frames, const void *bytes, size_t len);
void frames_free(Frames *frames);

enum { DIGESTS = 1 << 15, DIGEST_BYTES = 32 };

// Signs and verifies messages. Each thread that receives has its own, as it remembers signatures to reject repeated
// messages.
typedef struct Signer {
    unsigned char *key; // borrowed
    size_t key_len;     // 0: messages are not signed
    char session[WIRE_ID];
    unsigned char (*seen)[DIGEST_BYTES]; // recent signatures, a hash table whose rows are overwritten; owned
} Signer;

bool signer_open(Signer *signer, const char *key, const char *session); // returns false if memory runs out
void signer_close(Signer *signer);

// A received message. Zeroed: none.
typedef struct Message {
    Frames identities;
    json_t *header, *parent, *metadata, *content; // owned; message_free frees them
    char *header_text; // owned: the header's text, which replies contain
    const char *type;  // borrowed from `header`
} Message;

// Parses frames. Returns NULL on success, when the caller owns `out`; otherwise the reason to drop the message, and
// `out` is empty.
const char *wire_parse(Signer *signer, const Frames *frames, Message *out);
void message_free(Message *message);

// Builds and signs a message. `identities`, `parent` (a header's text) and `metadata` may be NULL. All arguments are
// borrowed. On IOPub, the identities are the topic.
Frames wire_build(const Signer *signer, const Frames *identities, const char *type, const char *parent,
                  json_t *metadata, json_t *content);

void wire_new_id(char id[WIRE_ID]); // generates a random id

// Makes a JSON string from bytes; invalid UTF-8 becomes U+FFFD. Returns NULL if memory runs out.
json_t *wire_text(const char *bytes, size_t len);

#endif
