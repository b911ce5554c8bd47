// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// execute_request: runs a cell and reports its outcome.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "kernel.h"

typedef struct Execution {
    const char *code;
    bool store, stop_on_error;
    json_t *expressions; // user_expressions, borrowed from the request
} Execution;

static bool option(const Message *request, const char *name, bool otherwise) {
    const json_t *value = json_object_get(request->content, name);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

static Execution read_request(Kernel *k, const Message *request) {
    Execution e = {.code = json_string_value(json_object_get(request->content, "code"))};
    if (!e.code) e.code = "";
    k->silent = option(request, "silent", false);
    k->allow_stdin = option(request, "allow_stdin", true);
    e.store = option(request, "store_history", !k->silent) && !k->silent;
    e.stop_on_error = option(request, "stop_on_error", true);
    e.expressions = json_object_get(request->content, "user_expressions");
    return e;
}

// --- Errors ------------------------------------------------------------------------------------------

// Returns the VM's last error as the protocol's three fields.
static json_t *error_fields(Kernel *k) {
    const char *name = nacre_error_class(k->vm), *message = nacre_error_message(k->vm);
    bool is_usage = strcmp(name, "UsageError") == 0; // error of a magic word, whose traceback would not help
    json_t *lines = is_usage ? json_pack("[s+%]", "UsageError: ", message, strlen(message))
                             : traceback_lines(nacre_error_text(k->vm), nacre_error_size(k->vm));
    json_t *value = wire_text(message, strlen(message));
    return json_pack("{s:s, s:o, s:o}", "ename", name, "evalue", value, "traceback", lines);
}

// Returns the fields for SystemExit, which ends the cell, not the kernel.
static json_t *exit_fields(Kernel *k) {
    char code[32];
    snprintf(code, sizeof code, "%d", nacre_exit_code(k->vm));
    return json_pack("{s:s, s:s, s:[s]}", "ename", "SystemExit", "evalue", code, "traceback",
                     "The cell has ended itself (SystemExit). Shut the kernel down to end it.");
}

static json_t *fields_of(Kernel *k, NacreStatus status) {
    if (status == NACRE_OK) return NULL;
    return status == NACRE_EXIT ? exit_fields(k) : error_fields(k);
}

// --- Expressions of the client -------------------------------------------------------------------------

static json_t *expression_result(Kernel *k, const char *text) {
    NacreValue *value = NULL;
    NacreStatus status = nacre_evaluate(k->vm, text, strlen(text), "<user_expressions>", &value);
    NacreValue *shown = NULL;
    if (status == NACRE_OK) status = nacre_repr(k->vm, value, &shown);
    const char *bytes = "";
    size_t len = 0;
    if (status == NACRE_OK) status = nacre_as_text(k->vm, shown, &bytes, &len);
    json_t *result;
    if (status == NACRE_OK) {
        result = json_pack("{s:s, s:{s:o}, s:{}}", "status", "ok", "data", "text/plain", wire_text(bytes, len), "metadata");
    } else {
        result = error_fields(k);
        json_object_set_new(result, "status", json_string("error"));
    }
    nacre_release(k->vm, shown);
    nacre_release(k->vm, value);
    return result;
}

static json_t *evaluate_all(Kernel *k, json_t *expressions) {
    json_t *results = json_object(), *text;
    const char *name;
    json_object_foreach(expressions, name, text)
        if (json_is_string(text)) json_object_set_new(results, name, expression_result(k, json_string_value(text)));
    return results;
}

// --- Cells -------------------------------------------------------------------------------------------

// Requests that were received together.
typedef struct Waiting {
    Message *items; // owned
    size_t count, cap;
} Waiting;

static bool has_room(Waiting *waiting) {
    if (waiting->count < waiting->cap) return true;
    size_t cap = waiting->cap ? 2 * waiting->cap : 16;
    Message *items = realloc(waiting->items, cap * sizeof *items);
    if (!items) return false;
    waiting->items = items;
    waiting->cap = cap;
    return true;
}

static Waiting take_waiting(Kernel *k) {
    Waiting waiting = {0};
    while (has_room(&waiting)) {
        Received got = message_receive(k->connection.sockets[CHANNEL_SHELL], &k->shell, &waiting.items[waiting.count]);
        if (got == RECEIVED) waiting.count++;
        else if (got != RECEIVED_DROPPED) break;
    }
    return waiting;
}

// Replies to the requests and frees them. Cells are not run but reported as aborted; other requests are served.
static void abort_waiting(Kernel *k, Waiting *waiting) {
    const Message *request = k->request;
    for (size_t i = 0; i < waiting->count; i++) {
        Message *next = &waiting->items[i];
        if (strcmp(next->type, "execute_request") == 0) {
            k->request = next;
            kernel_publish(k, "status", json_pack("{s:s}", "execution_state", "busy"));
            kernel_reply(k, "execute_reply", json_pack("{s:s, s:i}", "status", "aborted", "execution_count", k->count));
            kernel_publish(k, "status", json_pack("{s:s}", "execution_state", "idle"));
        } else {
            kernel_serve(k, next);
        }
        message_free(next);
    }
    free(waiting->items);
    k->request = request;
}

static json_t *reply_of(Kernel *k, json_t *error, json_t *results) {
    json_t *reply = error ? error : json_pack("{s:O}", "user_expressions", results);
    json_object_set_new(reply, "status", json_string(error ? "error" : "ok"));
    json_object_set_new(reply, "execution_count", json_integer(k->count));
    json_object_set_new(reply, "payload", k->payload ? json_incref(k->payload) : json_array());
    return reply;
}

// Calls the function of libraries that act at the end of a cell, such as drawing. It reports its exceptions itself.
static void after_cell(Kernel *k) {
    NacreValue *nothing = NULL;
    if (k->after_cell && nacre_call(k->vm, k->after_cell, 0, NULL, &nothing) == NACRE_OK) nacre_release(k->vm, nothing);
}

void handle_execute(Kernel *k, const Message *request) {
    Execution e = read_request(k, request);
    if (e.store) k->count++;
    if (!k->silent)
        kernel_publish(k, "execute_input", json_pack("{s:s, s:i}", "code", e.code, "execution_count", k->count));
    k->expressions = e.expressions;
    json_t *error = fields_of(k, cell_run(k, e.code));
    json_t *results = error ? NULL : evaluate_all(k, e.expressions);
    after_cell(k);
    kernel_end_together(k);
    if (k->next_backend[0]) kernel_change_backend(k);
    if (e.store) history_add(&k->history, k->count, e.code, k->result);
    if (error && !k->silent) kernel_publish(k, "error", json_copy(error));
    // Takes the requests that arrived before the reply, which are to be aborted. A client that sends a request after
    // the reply knows about the error.
    Waiting waiting = error && e.stop_on_error ? take_waiting(k) : (Waiting){0};
    kernel_reply(k, "execute_reply", reply_of(k, error, results));
    json_decref(results);
    json_decref(k->payload);
    k->payload = NULL;
    k->silent = false;
    abort_waiting(k, &waiting);
}
