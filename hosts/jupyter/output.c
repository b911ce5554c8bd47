// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Queue of output. The Jupyter server drops messages beyond 1,000 per second, and text beyond 1,000,000 bytes per
// second, both averaged over a window of 3 seconds. So text is gathered for a moment, and the sending thread stays
// below both limits with a margin. When too much is queued, the script waits. An interrupt sends everything at once,
// which the margin allows.

#include "output.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum {
    GATHER = 50,             // ms for which text waits for more
    PIECE = 1 << 16,         // maximum bytes of text in a message
    TEXT_MOST = 1 << 17,     // bytes of queued text at which the script waits
    MESSAGES_MOST = 256,     // number of queued messages at which the script waits
    BUCKETS = 32, BUCKET = 100, // the window, as a number of buckets and the ms of a bucket
    WINDOW_BYTES = 2000000, WINDOW_MESSAGES = 2000
};

// A message, or text of a stream that has not become a message yet.
typedef struct Item {
    struct Item *next;
    Frames frames;       // for a message
    const char *stream;  // "stdout" or "stderr"; NULL: a message
    char *parent;        // owned; for a stream
    char *text;          // owned
    size_t len, cap;
    long since;          // ms: when its first text came
    bool counts;         // it counts towards the limit of messages
} Item;

struct Output {
    Connection *connection;
    const Signer *signer;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t room;
    int wake; // eventfd that wakes the thread
    Item *first, *last;
    size_t text_queued, messages_queued;
    bool hurry, stopping;
    char topic[WIRE_ID + 8];
    // Used by the thread only: what was sent in the window.
    struct {
        long number; // number of the bucket: its time / BUCKET
        size_t bytes, messages;
    } sent[BUCKETS];
};

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// --- The queue ---------------------------------------------------------------------------------------

static void item_free(Item *item) {
    if (!item) return;
    frames_free(&item->frames);
    free(item->parent);
    free(item->text);
    free(item);
}

static void append(Output *o, Item *item) {
    if (o->last) o->last->next = item;
    else o->first = item;
    o->last = item;
    o->messages_queued++;
    o->text_queued += item->len;
}

static Item *take_first(Output *o) {
    Item *item = o->first;
    o->first = item->next;
    if (!o->first) o->last = NULL;
    o->messages_queued--;
    o->text_queued -= item->len;
    return item;
}

static void wake(Output *o) {
    uint64_t one = 1;
    ssize_t ignored = write(o->wake, &one, sizeof one);
    (void)ignored; // fails only if the thread has been woken already
}

static bool is_full(const Output *o) {
    return o->text_queued >= TEXT_MOST || o->messages_queued >= MESSAGES_MOST;
}

// Blocks a script until there is room in the queue. The lock is held.
static void wait_for_room(Output *o) {
    while (is_full(o) && !o->hurry && !o->stopping) pthread_cond_wait(&o->room, &o->lock);
}

// Builds the frames of a message, preceded by its topic.
static Frames build(const Output *o, const char *type, const char *parent, json_t *metadata, json_t *content) {
    char topic[sizeof o->topic + 64];
    int len = snprintf(topic, sizeof topic, "%s.%s", o->topic, type);
    Frames address = {0};
    frames_add(&address, topic, len < (int)sizeof topic ? (size_t)len : sizeof topic - 1);
    Frames frames = wire_build(o->signer, &address, type, parent, metadata, content);
    frames_free(&address);
    return frames;
}

void output_send(Output *o, const char *type, const char *parent, json_t *metadata, json_t *content) {
    Item *item = content ? calloc(1, sizeof *item) : NULL;
    if (item) item->frames = build(o, type, parent, metadata, content);
    json_decref(metadata);
    json_decref(content);
    if (!item || item->frames.failed) {
        fprintf(stderr, "nacre: out of memory: a message of type %s is lost\n", type);
        item_free(item);
        return;
    }
    item->counts = strcmp(type, "status") != 0 && strcmp(type, "execute_input") != 0;
    pthread_mutex_lock(&o->lock);
    if (item->counts) wait_for_room(o);
    append(o, item);
    pthread_mutex_unlock(&o->lock);
    wake(o);
}

// --- Text ------------------------------------------------------------------------------------------

static bool item_add(Item *item, const char *bytes, size_t len) {
    if (item->cap - item->len < len) {
        size_t cap = 2 * (item->len + len) + 256;
        char *text = realloc(item->text, cap);
        if (!text) return false;
        item->text = text;
        item->cap = cap;
    }
    memcpy(item->text + item->len, bytes, len);
    item->len += len;
    return true;
}

// Returns the item to append text to: the last one, if it is of the same cell and stream and has room; otherwise a new
// one. NULL: out of memory.
static Item *text_item(Output *o, const char *parent, const char *stream) {
    Item *item = o->last;
    if (item && item->stream && strcmp(item->stream, stream) == 0 && strcmp(item->parent, parent) == 0 &&
        item->len < PIECE)
        return item;
    item = calloc(1, sizeof *item);
    if (!item || !(item->parent = strdup(parent))) {
        item_free(item);
        return NULL;
    }
    item->stream = strcmp(stream, "stderr") == 0 ? "stderr" : "stdout";
    item->since = now_ms();
    item->counts = true;
    append(o, item);
    return item;
}

// Returns how many bytes of text go into a message with `room` bytes, without splitting a code point.
static size_t cut(const char *bytes, size_t len, size_t room) {
    if (len <= room) return len;
    size_t at = room;
    while (at > 0 && room - at < 4 && ((unsigned char)bytes[at] & 0xc0) == 0x80) at--;
    return at ? at : room;
}

void output_text(Output *o, const char *parent, const char *stream, const char *bytes, size_t len) {
    if (!parent) parent = "{}";
    pthread_mutex_lock(&o->lock);
    while (len > 0) {
        wait_for_room(o);
        bool was_empty = !o->first;
        Item *item = text_item(o, parent, stream);
        size_t n = cut(bytes, len, PIECE);
        if (!item || !item_add(item, bytes, n)) {
            fputs("nacre: out of memory: output is lost\n", stderr);
            break;
        }
        o->text_queued += n;
        bytes += n;
        len -= n;
        if (was_empty || item->len >= PIECE) wake(o);
    }
    pthread_mutex_unlock(&o->lock);
}

void output_hurry(Output *o, bool hurry) {
    pthread_mutex_lock(&o->lock);
    o->hurry = hurry;
    pthread_cond_broadcast(&o->room);
    pthread_mutex_unlock(&o->lock);
    if (hurry) wake(o);
}

// --- The thread ------------------------------------------------------------------------------------

// Returns how many ms to wait before `bytes` may be sent; 0: none.
static long wait_for_window(const Output *o, size_t bytes, long now) {
    size_t sent_bytes = bytes, sent_messages = 1;
    long oldest = now / BUCKET;
    for (int i = 0; i < BUCKETS; i++) {
        if (o->sent[i].number <= now / BUCKET - BUCKETS || !o->sent[i].messages) continue;
        sent_bytes += o->sent[i].bytes;
        sent_messages += o->sent[i].messages;
        if (o->sent[i].number < oldest) oldest = o->sent[i].number;
    }
    if (sent_bytes <= WINDOW_BYTES && sent_messages <= WINDOW_MESSAGES) return 0;
    return (oldest + BUCKETS) * BUCKET - now + 1;
}

static void count_sent(Output *o, size_t bytes, long now) {
    long number = now / BUCKET;
    int at = (int)(number % BUCKETS);
    if (o->sent[at].number != number) o->sent[at].bytes = o->sent[at].messages = 0;
    o->sent[at].number = number;
    o->sent[at].bytes += bytes;
    o->sent[at].messages++;
}

// Returns how many ms the first item has to wait; 0: it can be sent; -1: there is none. The lock is held.
static long first_is_due(const Output *o, long now) {
    const Item *item = o->first;
    if (!item) return -1;
    if (o->hurry || o->stopping || !item->counts) return 0;
    long paced = wait_for_window(o, item->len, now);
    if (paced > 0) return paced;
    bool gathers = item->stream && !item->next && item->len < PIECE;
    long left = item->since + GATHER - now;
    return gathers && left > 0 ? left : 0;
}

static void send_item(Output *o, Item *item) {
    Frames frames = item->frames;
    item->frames = (Frames){0};
    if (item->stream) {
        json_t *text = wire_text(item->text, item->len);
        json_t *content = text ? json_pack("{s:s, s:o}", "name", item->stream, "text", text) : NULL;
        if (content) frames = build(o, "stream", item->parent, NULL, content);
        json_decref(content);
    }
    if (!frames.count) fputs("nacre: out of memory: output is lost\n", stderr);
    socket_send(o->connection->sockets[CHANNEL_IOPUB], &frames);
}

// Sends what is due. Returns how many ms the next item has to wait; -1: there is none.
static long send_due(Output *o) {
    long wait;
    pthread_mutex_lock(&o->lock);
    while ((wait = first_is_due(o, now_ms())) == 0) {
        Item *item = take_first(o);
        pthread_cond_broadcast(&o->room);
        pthread_mutex_unlock(&o->lock);
        if (item->counts) count_sent(o, item->len, now_ms());
        send_item(o, item);
        item_free(item);
        pthread_mutex_lock(&o->lock);
    }
    pthread_mutex_unlock(&o->lock);
    return wait;
}

// Activates or ends a subscription. The socket leaves this to its owner (ZMQ_XPUB_MANUAL), so that no message can
// precede the welcome. A client that has received the welcome misses nothing that follows.
static void subscribe(Output *o, const Frames *frames) {
    const Frame *first = frames->count ? &frames->items[0] : NULL;
    if (!first || first->len < 1 || first->bytes[0] > 1) return;
    const bool begins = first->bytes[0] == 1;
    zmq_setsockopt(o->connection->sockets[CHANNEL_IOPUB], begins ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE, first->bytes + 1,
                   first->len - 1);
    if (!begins) return;
    Frames address = {0};
    frames_add(&address, first->bytes + 1, first->len - 1);
    json_t *topic = wire_text(first->bytes + 1, first->len - 1);
    json_t *content = topic ? json_pack("{s:o}", "subscription", topic) : NULL;
    Frames message = {0};
    if (content && !address.failed) message = wire_build(o->signer, &address, "iopub_welcome", NULL, NULL, content);
    json_decref(content);
    frames_free(&address);
    socket_send(o->connection->sockets[CHANNEL_IOPUB], &message);
}

static bool take_subscriptions(Output *o) {
    Frames frames;
    Received got;
    while ((got = socket_receive(o->connection->sockets[CHANNEL_IOPUB], &frames)) == RECEIVED) {
        subscribe(o, &frames);
        frames_free(&frames);
    }
    return got == RECEIVED_NOTHING;
}

static bool is_stopping(Output *o) {
    pthread_mutex_lock(&o->lock);
    bool stopping = o->stopping && !o->first;
    pthread_mutex_unlock(&o->lock);
    return stopping;
}

static void *run(void *ctx) {
    Output *o = ctx;
    for (bool open = true; open && !is_stopping(o);) {
        long wait = send_due(o);
        zmq_pollitem_t items[] = {{o->connection->sockets[CHANNEL_IOPUB], 0, ZMQ_POLLIN, 0},
                                  {NULL, o->wake, ZMQ_POLLIN, 0}};
        if (is_stopping(o)) break;
        if (zmq_poll(items, 2, wait) < 0 && zmq_errno() == ETERM) break;
        uint64_t times;
        if (items[1].revents && read(o->wake, &times, sizeof times) < 0) break;
        if (items[0].revents) open = take_subscriptions(o);
    }
    connection_close_socket(o->connection, CHANNEL_IOPUB);
    return NULL;
}

Output *output_start(Connection *connection, const Signer *signer) {
    Output *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->connection = connection;
    o->signer = signer;
    snprintf(o->topic, sizeof o->topic, "kernel.%s", signer->session);
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->room, NULL);
    o->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (o->wake >= 0 && pthread_create(&o->thread, NULL, run, o) == 0) return o;
    if (o->wake >= 0) close(o->wake);
    free(o);
    return NULL;
}

void output_stop(Output *o) {
    if (!o) return;
    pthread_mutex_lock(&o->lock);
    o->stopping = true;
    pthread_cond_broadcast(&o->room);
    pthread_mutex_unlock(&o->lock);
    wake(o);
    pthread_join(o->thread, NULL);
    while (o->first) item_free(take_first(o));
    close(o->wake);
    pthread_cond_destroy(&o->room);
    pthread_mutex_destroy(&o->lock);
    free(o);
}
