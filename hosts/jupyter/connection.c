// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reads the connection file; binds sockets, and receives and sends messages.

#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

enum {
    FILE_MOST = 1 << 16,       // maximum bytes of a connection file
    MESSAGE_MOST = 256 << 20,  // maximum bytes of a frame from a client
    LINGER = 1000              // ms for which unsent messages are kept when the kernel ends
};

static const struct {
    const char *port; // key of the port in the connection file
    int kind;
} channels[CHANNELS] = {
    [CHANNEL_SHELL] = {"shell_port", ZMQ_ROUTER},     [CHANNEL_CONTROL] = {"control_port", ZMQ_ROUTER},
    [CHANNEL_STDIN] = {"stdin_port", ZMQ_ROUTER},     [CHANNEL_HEARTBEAT] = {"hb_port", ZMQ_REP},
    [CHANNEL_IOPUB] = {"iopub_port", ZMQ_XPUB},
};

static bool fail(const char *what, const char *why) {
    fprintf(stderr, "nacre: %s: %s\n", what, why);
    return false;
}

// --- The file --------------------------------------------------------------------------------------

// Reads a file that only its owner can access. Sets *len. The caller frees the text; NULL after printing an error.
static char *read_private(const char *path, size_t *len) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    char *text = NULL;
    if (file < 0 || fstat(file, &about) != 0) fail(path, strerror(errno));
    else if (!S_ISREG(about.st_mode)) fail(path, "not a file");
    else if (about.st_uid != geteuid()) fail(path, "the connection file belongs to another user");
    else if (about.st_mode & 077) fail(path, "others can read the connection file (its mode has to be 0600)");
    else if (about.st_size > FILE_MOST) fail(path, "too long for a connection file");
    else if (!(text = malloc(FILE_MOST + 1))) fail(path, "out of memory");
    ssize_t n = text ? read(file, text, FILE_MOST) : -1;
    if (text && n < 0) {
        fail(path, strerror(errno));
        free(text);
        text = NULL;
    }
    *len = n < 0 ? 0 : (size_t)n;
    if (file >= 0) close(file);
    return text;
}

static char *copy_text(json_t *file, const char *name) {
    const char *text = json_string_value(json_object_get(file, name));
    return text ? strdup(text) : NULL;
}

static bool take_fields(Connection *c, json_t *file, const char *path) {
    const char *scheme = json_string_value(json_object_get(file, "signature_scheme"));
    c->transport = copy_text(file, "transport");
    c->ip = copy_text(file, "ip");
    c->key = copy_text(file, "key");
    c->curve_public = copy_text(file, "curve_publickey");
    c->curve_secret = copy_text(file, "curve_secretkey");
    if (!c->transport || !c->ip || !c->key) return fail(path, "no transport, ip or key");
    if (strcmp(c->transport, "tcp") != 0 && strcmp(c->transport, "ipc") != 0)
        return fail(path, "the transport is neither tcp nor ipc");
    if (*c->key && (!scheme || strcmp(scheme, "hmac-sha256") != 0))
        return fail(path, "the signature scheme is not hmac-sha256");
    if (!c->curve_public != !c->curve_secret) return fail(path, "one of the two keys for encryption is missing");
    for (int i = 0; i < CHANNELS; i++) {
        json_int_t port = json_integer_value(json_object_get(file, channels[i].port));
        if (port < 1 || port > 65535) return fail(path, "a port is missing");
        c->ports[i] = (int)port;
    }
    return true;
}

static bool read_file(Connection *c, const char *path) {
    size_t len;
    char *text = read_private(path, &len);
    if (!text) return false;
    json_t *file = json_loadb(text, len, 0, NULL);
    bool good = json_is_object(file) ? take_fields(c, file, path) : fail(path, "not a JSON object");
    json_decref(file);
    free(text);
    return good;
}

// --- The sockets -----------------------------------------------------------------------------------

static bool set_up(const Connection *c, void *socket, int kind) {
    int linger = LINGER, yes = 1, unlimited = 0;
    int64_t most = MESSAGE_MOST;
    bool good = zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger) == 0 &&
                zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof most) == 0;
    // Every subscription is reported to the kernel, which activates it and sends a welcome message. There is no limit
    // of queued messages, so output is never dropped.
    if (kind == ZMQ_XPUB)
        good = good && zmq_setsockopt(socket, ZMQ_XPUB_VERBOSE, &yes, sizeof yes) == 0 &&
               zmq_setsockopt(socket, ZMQ_XPUB_MANUAL, &yes, sizeof yes) == 0 &&
               zmq_setsockopt(socket, ZMQ_SNDHWM, &unlimited, sizeof unlimited) == 0;
    // A client that reconnects keeps its identity.
    if (kind == ZMQ_ROUTER) good = good && zmq_setsockopt(socket, ZMQ_ROUTER_HANDOVER, &yes, sizeof yes) == 0;
    if (c->curve_secret)
        good = good && zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &yes, sizeof yes) == 0 &&
               zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, c->curve_secret, strlen(c->curve_secret)) == 0;
    return good;
}

static bool bind_one(Connection *c, Channel channel) {
    char place[512];
    const char *between = strcmp(c->transport, "ipc") == 0 ? "-" : ":";
    int length = snprintf(place, sizeof place, "%s://%s%s%d", c->transport, c->ip, between, c->ports[channel]);
    void *socket = c->sockets[channel] = zmq_socket(c->context, channels[channel].kind);
    if (length < 0 || (size_t)length >= sizeof place) return fail(c->ip, "the address is too long");
    if (socket && set_up(c, socket, channels[channel].kind) && zmq_bind(socket, place) == 0) return true;
    return fail(place, zmq_strerror(zmq_errno()));
}

bool connection_open(Connection *c, const char *path) {
    *c = (Connection){0};
    if (!read_file(c, path)) return false;
    c->context = zmq_ctx_new();
    if (!c->context) return fail(path, zmq_strerror(zmq_errno()));
    for (int i = 0; i < CHANNELS; i++)
        if (!bind_one(c, (Channel)i)) return false;
    return true;
}

void connection_close_socket(Connection *c, Channel channel) {
    if (c->sockets[channel]) zmq_close(c->sockets[channel]);
    c->sockets[channel] = NULL;
}

void connection_end(Connection *c) {
    if (c->context) zmq_ctx_shutdown(c->context);
}

void connection_free(Connection *c) {
    for (int i = 0; i < CHANNELS; i++) connection_close_socket(c, (Channel)i);
    if (c->context) zmq_ctx_term(c->context);
    free(c->transport);
    free(c->ip);
    free(c->key);
    free(c->curve_public);
    free(c->curve_secret);
    *c = (Connection){0};
}

Received socket_receive(void *socket, Frames *frames) {
    *frames = (Frames){0};
    for (int more = 1; more;) {
        zmq_msg_t part;
        zmq_msg_init(&part);
        if (zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) < 0) {
            int error = zmq_errno();
            zmq_msg_close(&part);
            if (error == EINTR) continue;
            frames_free(frames);
            return error == EAGAIN ? RECEIVED_NOTHING : RECEIVED_END;
        }
        frames_add(frames, zmq_msg_data(&part), zmq_msg_size(&part));
        more = zmq_msg_more(&part);
        zmq_msg_close(&part);
    }
    return RECEIVED;
}

Received message_receive(void *socket, Signer *signer, Message *out) {
    Frames frames;
    Received got = socket_receive(socket, &frames);
    if (got != RECEIVED) return got;
    const char *why = frames.failed ? "memory has run out" : wire_parse(signer, &frames, out);
    frames_free(&frames);
    if (why) fprintf(stderr, "nacre: a message is dropped: %s\n", why);
    return why ? RECEIVED_DROPPED : RECEIVED;
}

bool socket_send(void *socket, Frames *frames) {
    bool good = !frames->failed;
    for (size_t i = 0; good && i < frames->count; i++) {
        const Frame *frame = &frames->items[i];
        int sent;
        do sent = zmq_send(socket, frame->bytes, frame->len, i + 1 < frames->count ? ZMQ_SNDMORE : 0);
        while (sent < 0 && zmq_errno() == EINTR);
        good = sent >= 0;
    }
    frames_free(frames);
    return good;
}
