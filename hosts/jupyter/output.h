// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Output to clients: one queue of messages, which a thread of its own sends on IOPub, in order. It batches and paces
// text so that the Jupyter server, which drops what comes too fast, loses nothing of it.

#ifndef NACRE_HOSTS_JUPYTER_OUTPUT_H
#define NACRE_HOSTS_JUPYTER_OUTPUT_H

#include "connection.h"

typedef struct Output Output;

// Starts the thread, which takes the connection's IOPub socket over. NULL: out of memory, or of threads.
Output *output_start(Connection *connection, const Signer *signer);
// Sends what is left, and ends the thread.
void output_stop(Output *output);

// Queues a message. `parent` is the text of a header, or NULL; `content` is consumed, `metadata` (or NULL) too. From any
// thread; from the VM's it waits while far too much is queued, unless it is hurried.
void output_send(Output *output, const char *type, const char *parent, json_t *metadata, json_t *content);
// Queues text of a stream ("stdout", "stderr"), likewise.
void output_text(Output *output, const char *parent, const char *stream, const char *bytes, size_t len);
// Lets nobody wait, and sends what is queued at once, until it is called with false: the cell is to end.
void output_hurry(Output *output, bool hurry);

#endif
