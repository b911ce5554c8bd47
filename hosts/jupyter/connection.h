// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The connection file and the five sockets that it describes.

#ifndef NACRE_HOSTS_JUPYTER_CONNECTION_H
#define NACRE_HOSTS_JUPYTER_CONNECTION_H

#include <stdbool.h>

#include "wire.h"

typedef enum Channel { CHANNEL_SHELL, CHANNEL_CONTROL, CHANNEL_STDIN, CHANNEL_HEARTBEAT, CHANNEL_IOPUB, CHANNELS } Channel;

typedef struct Connection {
    char *transport, *ip, *key;           // owned
    char *curve_public, *curve_secret;    // owned; NULL: the channels are not encrypted
    int ports[CHANNELS];
    void *context;                        // ZeroMQ context
    void *sockets[CHANNELS];              // NULL: closed
} Connection;

// Reads a connection file, which only its owner may be able to read or write, and binds the sockets. Returns false
// after printing an error. The caller calls connection_free in both cases.
bool connection_open(Connection *connection, const char *path);
// Closes a socket. Must be called in the thread that uses the socket.
void connection_close_socket(Connection *connection, Channel channel);
// Shuts down the context: all threads that wait on sockets get ETERM. They then have to close their sockets, which
// connection_free waits for.
void connection_end(Connection *connection);
void connection_free(Connection *connection);

typedef enum Received { RECEIVED, RECEIVED_DROPPED, RECEIVED_NOTHING, RECEIVED_END } Received;

// Receives the frames of one message without blocking. On RECEIVED, the caller owns `frames`.
Received socket_receive(void *socket, Frames *frames);
// Receives and parses one message without blocking. On RECEIVED, the caller owns `out` (message_free).
// RECEIVED_DROPPED: the message is invalid, which is reported on standard error.
Received message_receive(void *socket, Signer *signer, Message *out);
// Sends frames and frees them. Returns false if the channel or the client is gone.
bool socket_send(void *socket, Frames *frames);

#endif
