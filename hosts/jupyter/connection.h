// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The connection file, and the five sockets it names.

#ifndef NACRE_HOSTS_JUPYTER_CONNECTION_H
#define NACRE_HOSTS_JUPYTER_CONNECTION_H

#include <stdbool.h>

#include "wire.h"

typedef enum Channel { CHANNEL_SHELL, CHANNEL_CONTROL, CHANNEL_STDIN, CHANNEL_HEARTBEAT, CHANNEL_IOPUB, CHANNELS } Channel;

typedef struct Connection {
    char *transport, *ip, *key;           // owned
    char *curve_public, *curve_secret;    // owned; NULL: the channels are not encrypted
    int ports[CHANNELS];
    void *context;                        // ZeroMQ's
    void *sockets[CHANNELS];              // NULL: closed
} Connection;

// Reads a connection file, which nobody but its owner may be able to read or write, and binds the sockets. False after
// saying on standard error why not; what is open is to be closed all the same.
bool connection_open(Connection *connection, const char *path);
// Closes one socket, in the thread that uses it.
void connection_close_socket(Connection *connection, Channel channel);
// Ends the waiting of all threads (they get ETERM), and waits until they have closed their sockets.
void connection_end(Connection *connection);
void connection_free(Connection *connection);

typedef enum Received { RECEIVED, RECEIVED_DROPPED, RECEIVED_NOTHING, RECEIVED_END } Received;

// Receives the frames of one message without waiting. RECEIVED: `frames` is owned by the caller.
Received socket_receive(void *socket, Frames *frames);
// The same, taken apart. RECEIVED: `out` is owned by the caller (message_free). RECEIVED_DROPPED: there was a message
// that is not to be served; why is told on standard error.
Received message_receive(void *socket, Signer *signer, Message *out);
// Sends and frees frames. False: the channel is gone, or its client is.
bool socket_send(void *socket, Frames *frames);

#endif
