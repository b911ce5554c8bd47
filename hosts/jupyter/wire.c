// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The Jupyter protocol: https://jupyter-client.readthedocs.io/en/stable/messaging.html

#include "wire.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char delimiter[] = "<IDS|MSG>";

// --- Frames --------------------------------------------------------------------------------------

static bool frames_grow(Frames *frames) {
    if (frames->count < frames->cap) return true;
    size_t cap = frames->cap ? 2 * frames->cap : 8;
    Frame *items = realloc(frames->items, cap * sizeof *items);
    if (!items) return false;
    frames->items = items;
    frames->cap = cap;
    return true;
}

static void frames_take(Frames *frames, char *bytes, size_t len) {
    if (bytes && frames_grow(frames)) {
        frames->items[frames->count++] = (Frame){bytes, len};
    } else {
        free(bytes);
        frames->failed = true;
    }
}

void frames_add(Frames *frames, const void *bytes, size_t len) {
    char *copy = malloc(len + 1);
    if (copy) {
        if (len) memcpy(copy, bytes, len);
        copy[len] = '\0';
    }
    frames_take(frames, copy, len);
}

void frames_free(Frames *frames) {
    for (size_t i = 0; i < frames->count; i++) free(frames->items[i].bytes);
    free(frames->items);
    *frames = (Frames){0};
}

// --- Signatures ------------------------------------------------------------------------------------

bool signer_open(Signer *signer, const char *key, const char *session) {
    *signer = (Signer){.key = (unsigned char *)key, .key_len = strlen(key)};
    snprintf(signer->session, sizeof signer->session, "%s", session);
    if (!signer->key_len) return true;
    signer->seen = calloc(DIGESTS, sizeof *signer->seen);
    return signer->seen;
}

void signer_close(Signer *signer) {
    free(signer->seen);
    *signer = (Signer){0};
}

static void digest_of(const Signer *signer, const Frame *four, unsigned char digest[DIGEST_BYTES]) {
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, signer->key, signer->key_len);
    for (int i = 0; i < 4; i++) crypto_auth_hmacsha256_update(&state, (const unsigned char *)four[i].bytes, four[i].len);
    crypto_auth_hmacsha256_final(&state, digest);
}

// Returns whether a digest is new, and remembers it. Digests are uniformly distributed, so four of their bytes select
// the row.
static bool is_new(Signer *signer, const unsigned char digest[DIGEST_BYTES]) {
    uint32_t row;
    memcpy(&row, digest, sizeof row);
    unsigned char *seen = signer->seen[row % DIGESTS];
    if (memcmp(seen, digest, DIGEST_BYTES) == 0) return false;
    memcpy(seen, digest, DIGEST_BYTES);
    return true;
}

static const char *check_signature(Signer *signer, const Frame *given, const Frame *four) {
    unsigned char digest[DIGEST_BYTES];
    char text[2 * DIGEST_BYTES + 1];
    if (!signer->key_len) return NULL;
    digest_of(signer, four, digest);
    sodium_bin2hex(text, sizeof text, digest, sizeof digest);
    if (given->len != sizeof text - 1 || sodium_memcmp(given->bytes, text, sizeof text - 1) != 0)
        return "its signature is wrong";
    return is_new(signer, digest) ? NULL : "it was received before";
}

// --- Receiving -------------------------------------------------------------------------------------

static json_t *parse_dictionary(const Frame *frame) {
    json_t *value = json_loadb(frame->bytes, frame->len, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(value)) return value;
    json_decref(value);
    return NULL;
}

static const char *parse_four(const Frame *four, Message *out) {
    json_t **to[] = {&out->header, &out->parent, &out->metadata, &out->content};
    for (int i = 0; i < 4; i++) {
        *to[i] = parse_dictionary(&four[i]);
        if (!*to[i]) return "its parts are not JSON objects";
    }
    out->type = json_string_value(json_object_get(out->header, "msg_type"));
    return out->type ? NULL : "it has no type";
}

const char *wire_parse(Signer *signer, const Frames *frames, Message *out) {
    *out = (Message){0};
    size_t at = 0;
    while (at < frames->count && (frames->items[at].len != sizeof delimiter - 1 ||
                                  memcmp(frames->items[at].bytes, delimiter, sizeof delimiter - 1) != 0))
        at++;
    if (frames->count - at < 6) return "it has too few parts";
    const Frame *four = &frames->items[at + 2];
    const char *why = check_signature(signer, &frames->items[at + 1], four);
    if (!why) why = parse_four(four, out);
    for (size_t i = 0; !why && i < at; i++) frames_add(&out->identities, frames->items[i].bytes, frames->items[i].len);
    if (!why) out->header_text = json_dumps(out->header, JSON_COMPACT);
    if (!why && (out->identities.failed || !out->header_text)) why = "memory has run out";
    if (why) message_free(out);
    return why;
}

void message_free(Message *message) {
    frames_free(&message->identities);
    json_decref(message->header);
    json_decref(message->parent);
    json_decref(message->metadata);
    json_decref(message->content);
    free(message->header_text);
    *message = (Message){0};
}

// --- Sending ---------------------------------------------------------------------------------------

void wire_new_id(char id[WIRE_ID]) {
    unsigned char random[(WIRE_ID - 1) / 2];
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(id, WIRE_ID, random, sizeof random);
}

static void time_text(char *out, size_t size) {
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t len = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(out + len, size - len, ".%06ldZ", now.tv_nsec / 1000);
}

static json_t *new_header(const Signer *signer, const char *type) {
    char id[WIRE_ID], date[64];
    wire_new_id(id);
    time_text(date, sizeof date);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "msg_id", id, "session", signer->session, "username", "kernel",
                     "date", date, "msg_type", type, "version", WIRE_PROTOCOL);
}

// Appends a JSON object as a frame; NULL: an empty object.
static void add_dictionary(Frames *frames, json_t *value) {
    char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
    if (value) frames_take(frames, text, text ? strlen(text) : 0);
    else frames_add(frames, "{}", 2);
}

Frames wire_build(const Signer *signer, const Frames *identities, const char *type, const char *parent,
                  json_t *metadata, json_t *content) {
    Frames frames = {0};
    unsigned char digest[DIGEST_BYTES];
    char text[2 * DIGEST_BYTES + 1] = "";
    for (size_t i = 0; identities && i < identities->count; i++)
        frames_add(&frames, identities->items[i].bytes, identities->items[i].len);
    frames_add(&frames, delimiter, sizeof delimiter - 1);
    frames_add(&frames, text, sizeof text - 1);
    size_t first = frames.count;
    json_t *header = new_header(signer, type);
    if (!header) frames.failed = true;
    add_dictionary(&frames, header);
    frames_add(&frames, parent ? parent : "{}", parent ? strlen(parent) : 2);
    add_dictionary(&frames, metadata);
    add_dictionary(&frames, content);
    json_decref(header);
    if (frames.failed) return frames;
    if (signer->key_len) {
        digest_of(signer, &frames.items[first], digest);
        sodium_bin2hex(text, sizeof text, digest, sizeof digest);
    }
    Frame *signature = &frames.items[first - 1];
    memcpy(signature->bytes, text, sizeof text);
    signature->len = strlen(text);
    return frames;
}

// --- Texts -----------------------------------------------------------------------------------------

// Returns the length of the UTF-8 sequence at the beginning of the bytes; 0 if it is invalid.
static size_t sequence(const unsigned char *at, size_t len) {
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } kinds[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t n = 0; n < 4 && n < len; n++) {
        if ((at[0] & kinds[n].mask) != kinds[n].lead) continue;
        uint32_t point = at[0] & (unsigned char)~kinds[n].mask;
        for (size_t i = 1; i <= n; i++) {
            if ((at[i] & 0xc0) != 0x80) return 0;
            point = point << 6 | (at[i] & 0x3f);
        }
        bool good = point >= kinds[n].least && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
        return good ? n + 1 : 0;
    }
    return 0;
}

json_t *wire_text(const char *bytes, size_t len) {
    json_t *text = json_stringn(bytes, len);
    if (text || len > SIZE_MAX / 4) return text;
    char *copy = malloc(3 * len + 1), *to = copy;
    for (size_t i = 0; copy && i < len;) {
        size_t n = sequence((const unsigned char *)bytes + i, len - i);
        memcpy(to, n ? bytes + i : "\xef\xbf\xbd", n ? n : 3);
        to += n ? n : 3;
        i += n ? n : 1;
    }
    if (copy) text = json_stringn_nocheck(copy, (size_t)(to - copy));
    free(copy);
    return text;
}
