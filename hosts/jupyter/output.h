// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Output to clients: a queue of messages that a thread sends on IOPub in order. It batches and paces text, since the
// Jupyter server drops what comes too fast.

#ifndef NACRE_HOSTS_JUPYTER_OUTPUT_H
#define NACRE_HOSTS_JUPYTER_OUTPUT_H

#include "connection.h"

typedef struct Output Output;

// Starts the thread, which takes over the connection's IOPub socket. Returns NULL if memory or threads run out.
Output *output_start(Connection *connection, const Signer *signer);
// Sends what is queued, and ends the thread.
void output_stop(Output *output);

// Queues a message. `parent` is the text of a header, or NULL. `content` and `metadata` (or NULL) are consumed.
// Callable from any thread. It blocks while too much is queued, except for status messages, and not while the queue is
// hurried.
void output_send(Output *output, const char *type, const char *parent, json_t *metadata, json_t *content);
// Queues text of a stream ("stdout", "stderr"), in the same way.
void output_text(Output *output, const char *parent, const char *stream, const char *bytes, size_t len);
// With true, sends what is queued at once and blocks nobody, so that a cell can end; with false, paces again.
void output_hurry(Output *output, bool hurry);

#endif
