// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Callbacks of the VM: output and publications go to IOPub, input comes from the stdin channel.

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include "kernel.h"

// --- Output ------------------------------------------------------------------------------------------

int kernel_write(void *ctx, int stream, const char *bytes, size_t len) {
    Kernel *k = ctx;
    if (len && !k->silent) output_text(k->output, kernel_parent(k), stream == 2 ? "stderr" : "stdout", bytes, len);
    return 0;
}

static bool ends_with(const char *text, const char *end) {
    size_t len = strlen(text), n = strlen(end);
    return len >= n && strcmp(text + len - n, end) == 0;
}

static json_t *base64(const NacreForm *form) {
    size_t size = sodium_base64_ENCODED_LEN(form->len, sodium_base64_VARIANT_ORIGINAL);
    char *text = malloc(size);
    json_t *value = NULL;
    if (text) {
        sodium_bin2base64(text, size, form->data, form->len, sodium_base64_VARIANT_ORIGINAL);
        value = json_stringn_nocheck(text, size - 1);
    }
    free(text);
    return value;
}

// Returns the value of a form in `data`: JSON as it is, bytes in base64, other text as a string.
static json_t *form_value(const NacreForm *form) {
    if (form->binary) return base64(form);
    json_t *value = ends_with(form->mime, "json") ? json_loadb(form->data, form->len, JSON_DECODE_ANY, NULL) : NULL;
    return value ? value : wire_text(form->data, form->len);
}

static json_t *bundle(const NacrePublication *publication) {
    json_t *data = json_object();
    for (size_t i = 0; data && i < publication->count; i++)
        json_object_set_new(data, publication->forms[i].mime, form_value(&publication->forms[i]));
    return data;
}

static void keep_result(Kernel *k, json_t *data) {
    const char *text = json_string_value(json_object_get(data, "text/plain"));
    free(k->result);
    k->result = text ? strdup(text) : NULL;
}

int kernel_publication(void *ctx, const NacrePublication *publication) {
    Kernel *k = ctx;
    if (k->silent) return 0;
    if (publication->kind == NACRE_PUBLISH_CLEAR) {
        kernel_publish(k, "clear_output", json_pack("{s:b}", "wait", publication->wait));
        return 0;
    }
    json_t *data = bundle(publication);
    json_t *metadata = publication->metadata ? json_loads(publication->metadata, 0, NULL) : NULL;
    if (!json_is_object(metadata)) {
        json_decref(metadata);
        metadata = json_object();
    }
    bool result = publication->kind == NACRE_PUBLISH_RESULT;
    if (result) keep_result(k, data);
    json_t *content = json_pack("{s:o, s:o}", "data", data, "metadata", metadata);
    if (result) json_object_set_new(content, "execution_count", json_integer(k->count));
    else json_object_set_new(content, "transient", publication->id ? json_pack("{s:s}", "display_id", publication->id) : json_object());
    static const char *const types[] = {"execute_result", "display_data", "update_display_data"};
    if (content) kernel_publish(k, types[publication->kind], content);
    return content ? 0 : -1;
}

// --- Input -------------------------------------------------------------------------------------------

// Sends an input_request to the client that sent the current request, by that request's identity.
static void send_input_request(Kernel *k, const char *prompt, size_t len, int hidden) {
    json_t *text = wire_text(prompt, len);
    json_t *content = text ? json_pack("{s:o, s:b}", "prompt", text, "password", hidden) : NULL;
    Frames frames = {0};
    if (content)
        frames = wire_build(&k->shell, &k->request->identities, "input_request", kernel_parent(k), NULL, content);
    json_decref(content);
    socket_send(k->connection.sockets[CHANNEL_STDIN], &frames);
}

// Receives a message of the stdin channel. Returns whether it is an input_reply, whose line is then in k->line.
static bool take_answer(Kernel *k) {
    Message message;
    if (message_receive(k->connection.sockets[CHANNEL_STDIN], &k->shell, &message) != RECEIVED) return false;
    const char *value = json_string_value(json_object_get(message.content, "value"));
    bool good = value && strcmp(message.type, "input_reply") == 0;
    size_t len = good ? strlen(value) : 0;
    if (good) {
        free(k->line);
        k->line = malloc(len + 2);
        if (k->line) snprintf(k->line, len + 2, "%s\n", value);
    }
    message_free(&message);
    return good;
}

// Discards replies that came too late for an earlier question.
static void drop_answers(Kernel *k) {
    Frames frames;
    while (socket_receive(k->connection.sockets[CHANNEL_STDIN], &frames) == RECEIVED) frames_free(&frames);
}

// Waits for a reply. Returns false if the script is to stop, or the channel is gone. An interrupt wakes the thread; the
// end of the time limit does not, so it is polled.
static bool wait_for_answer(Kernel *k) {
    enum { LOOK_AT_TIME = 50 }; // ms between two polls
    int most = k->options.time_limit > 0 ? LOOK_AT_TIME : -1;
    while (!nacre_interrupted(k->vm) && !kernel_closing(k)) {
        zmq_pollitem_t items[] = {{k->connection.sockets[CHANNEL_STDIN], 0, ZMQ_POLLIN, 0},
                                  {NULL, k->wake, ZMQ_POLLIN, 0}};
        if (zmq_poll(items, 2, most) < 0 && zmq_errno() == ETERM) return false;
        uint64_t times;
        if (items[1].revents && read(k->wake, &times, sizeof times) < 0) return false;
        if (items[0].revents && take_answer(k)) return k->line;
    }
    return false;
}

long kernel_ask(void *ctx, const char *prompt, size_t len, int hidden, const char **bytes) {
    enum { FAILED = -1, NOBODY = -2 };
    Kernel *k = ctx;
    if (!k->allow_stdin || !k->request) return NOBODY;
    drop_answers(k);
    send_input_request(k, prompt, len, hidden);
    if (!wait_for_answer(k)) return FAILED;
    *bytes = k->line;
    return (long)strlen(k->line);
}

long kernel_read_line(void *ctx, const char **bytes) {
    long len = kernel_ask(ctx, "", 0, 0, bytes);
    return len == -2 ? 0 : len; // nobody can be asked: the end of input
}
