// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The threads that reply while a cell runs: the control channel (interrupt, shutdown, kernel_info) and the heartbeat.

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "kernel.h"

enum {
    LOOK_AT_PARENT = 500, // ms between two checks whether the parent process still exists
    END_WAIT = 1500       // ms that the main thread has to end; a library call may delay it
};

// --- Control ---------------------------------------------------------------------------------------

static void reply(Kernel *k, const Message *request, const char *type, json_t *content) {
    Frames frames = {0};
    if (content)
        frames = wire_build(&k->control, &request->identities, type, request->header_text, NULL, content);
    json_decref(content);
    socket_send(k->connection.sockets[CHANNEL_CONTROL], &frames);
}

static void publish(Kernel *k, const Message *request, const char *type, json_t *content) {
    output_send(k->output, type, request->header_text, NULL, content);
}

static void shut_down(Kernel *k, const Message *request) {
    int restart = json_is_true(json_object_get(request->content, "restart"));
    reply(k, request, "shutdown_reply", json_pack("{s:s, s:b}", "status", "ok", "restart", restart));
    publish(k, request, "shutdown_reply", json_pack("{s:s, s:b}", "status", "ok", "restart", restart));
}

static void serve_request(Kernel *k, const Message *request) {
    const char *type = request->type;
    publish(k, request, "status", json_pack("{s:s}", "execution_state", "busy"));
    bool closes = strcmp(type, "shutdown_request") == 0;
    if (closes) {
        shut_down(k, request);
    } else if (strcmp(type, "interrupt_request") == 0) {
        kernel_interrupt(k);
        reply(k, request, "interrupt_reply", json_pack("{s:s}", "status", "ok"));
    } else if (strcmp(type, "kernel_info_request") == 0) {
        reply(k, request, "kernel_info_reply", kernel_info());
    } else {
        fprintf(stderr, "nacre: a message of the unknown type %.60s is ignored\n", type);
    }
    publish(k, request, "status", json_pack("{s:s}", "execution_state", "idle"));
    if (closes) kernel_close(k);
}

static bool serve_one(Kernel *k) {
    Message request;
    Received got = message_receive(k->connection.sockets[CHANNEL_CONTROL], &k->control, &request);
    if (got != RECEIVED) return got != RECEIVED_END;
    serve_request(k, &request);
    message_free(&request);
    return true;
}

static bool has_ended(Kernel *k) {
    pthread_mutex_lock(&k->lock);
    bool ended = k->ended;
    pthread_mutex_unlock(&k->lock);
    return ended;
}

// Waits for the main thread to end. If it is blocked in a library call, ends the process.
static void wait_for_end(Kernel *k) {
    for (int ms = 0; ms < END_WAIT && !has_ended(k); ms += 5) usleep(5000);
    if (!has_ended(k)) _exit(0);
}

static void *serve(void *ctx) {
    Kernel *k = ctx;
    for (bool open = true; open && !kernel_closing(k);) {
        zmq_pollitem_t items[] = {{k->connection.sockets[CHANNEL_CONTROL], 0, ZMQ_POLLIN, 0},
                                  {NULL, k->signalled, ZMQ_POLLIN, 0}};
        if (zmq_poll(items, 2, LOOK_AT_PARENT) < 0 && zmq_errno() == ETERM) break;
        uint64_t times;
        if (items[1].revents && read(k->signalled, &times, sizeof times) > 0) kernel_interrupt(k);
        if (items[0].revents) open = serve_one(k);
        if (getppid() != k->parent_process) kernel_close(k);
    }
    wait_for_end(k);
    connection_close_socket(&k->connection, CHANNEL_CONTROL);
    return NULL;
}

bool control_start(Kernel *k) {
    k->has_control = pthread_create(&k->control_thread, NULL, serve, k) == 0;
    return k->has_control;
}

// --- Heartbeat ---------------------------------------------------------------------------------------

static void *beat(void *ctx) {
    Kernel *k = ctx;
    void *socket = k->connection.sockets[CHANNEL_HEARTBEAT];
    zmq_msg_t message;
    zmq_msg_init(&message);
    // until the context is shut down
    for (;;) {
        if (zmq_msg_recv(&message, socket, 0) < 0) {
            if (zmq_errno() == EINTR) continue;
            break;
        }
        int more = zmq_msg_more(&message) ? ZMQ_SNDMORE : 0;
        if (zmq_msg_send(&message, socket, more) < 0 && zmq_errno() != EINTR) break;
    }
    zmq_msg_close(&message);
    connection_close_socket(&k->connection, CHANNEL_HEARTBEAT);
    return NULL;
}

bool heartbeat_start(Kernel *k) {
    k->has_heartbeat = pthread_create(&k->heartbeat_thread, NULL, beat, k) == 0;
    return k->has_heartbeat;
}

void control_stop(Kernel *k) {
    if (k->has_control) pthread_join(k->control_thread, NULL);
    if (k->has_heartbeat) pthread_join(k->heartbeat_thread, NULL);
}
