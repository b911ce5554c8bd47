// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Any frames as a message to the Jupyter kernel, and what is read of its content. 0xff ends a frame.

#include <stdlib.h>
#include <string.h>

#include "hosts/jupyter/history.h"
#include "hosts/jupyter/place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Frames frames_of(const uint8_t *data, size_t size) {
    Frames frames = {0};
    while (size > 0 && frames.count < 32) {
        const uint8_t *end = memchr(data, 0xff, size);
        size_t len = end ? (size_t)(end - data) : size;
        frames_add(&frames, data, len);
        len += end ? 1 : 0;
        data += len;
        size -= len;
    }
    return frames;
}

// What is built of a message can be parsed again, and is the same.
static void check_answer(const Signer *signer, const Message *message) {
    Frames frames = wire_build(signer, &message->identities, "reply", message->header_text, message->metadata, message->content);
    Signer other = {0};
    Message back;
    if (!signer_open(&other, "", "s") || wire_parse(&other, &frames, &back)) abort();
    if (!json_equal(back.content, message->content) || !json_equal(back.parent, message->header)) abort();
    message_free(&back);
    signer_close(&other);
    frames_free(&frames);
}

static void check_place(const Message *message) {
    const Place place = place_of(message);
    size_t len, at = place_name(&place, &len);
    if (place.cursor > strlen(place.code) || at + len > strlen(place.code)) abort();
    at = place_call(&place, &len);
    if (at + len > place.cursor || place_point(&place, place.cursor) < 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Signer signer;
    Message message;
    if (!signer_open(&signer, "", "session")) return 0;
    Frames frames = frames_of(data, size);
    if (!wire_parse(&signer, &frames, &message)) {
        History history = {.session = 1};
        check_answer(&signer, &message);
        check_place(&message);
        history_add(&history, 1, "a = 1", NULL);
        history_add(&history, 2, "b = 2", "2");
        json_decref(history_reply(&history, message.content));
        history_close(&history);
        message_free(&message);
    }
    frames_free(&frames);
    signer_close(&signer);
    json_t *text = wire_text((const char *)data, size);
    if (!text || !json_is_string(text)) abort();
    json_decref(text);
    return 0;
}
