// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The main thread: starts the other threads, and serves the shell channel.

#include "kernel.h"

#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include "cell.h"
#include "install.h"

// --- Answers ---------------------------------------------------------------------------------------

const char *kernel_parent(const Kernel *k) {
    return k->request ? k->request->header_text : NULL;
}

void kernel_reply(Kernel *k, const char *type, json_t *content) {
    Frames frames = {0};
    if (content) frames = wire_build(&k->shell, &k->request->identities, type, kernel_parent(k), NULL, content);
    if (!content || frames.failed) fprintf(stderr, "nacre: out of memory: a %s is lost\n", type);
    json_decref(content);
    socket_send(k->connection.sockets[CHANNEL_SHELL], &frames);
}

void kernel_publish(Kernel *k, const char *type, json_t *content) {
    output_send(k->output, type, kernel_parent(k), NULL, content);
}

static void publish_state(Kernel *k, const char *state) {
    kernel_publish(k, "status", json_pack("{s:s}", "execution_state", state));
}

json_t *kernel_info(void) {
    char banner[128];
    snprintf(banner, sizeof banner, "Nacre %s: an array language", nacre_version());
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:[], s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s}}",
                     "status", "ok", "protocol_version", WIRE_PROTOCOL, "implementation", "nacre",
                     "implementation_version", nacre_version(), "banner", banner, "debugger", 0,
                     "supported_features", "language_info", "name", "python", "version", "3.11", "mimetype",
                     "text/x-python", "file_extension", ".py", "pygments_lexer", "ipython3", "codemirror_mode",
                     "python", "nbconvert_exporter", "python");
}

// --- Interrupts --------------------------------------------------------------------------------------

static void wake_main(Kernel *k) {
    uint64_t one = 1;
    ssize_t ignored = write(k->wake, &one, sizeof one);
    (void)ignored; // fails only if the main thread has been woken already
}

void kernel_begin(Kernel *k) {
    pthread_mutex_lock(&k->lock);
    nacre_forget_interrupt(k->vm);
    k->interrupted = false;
    k->executing = true;
    if (k->closing) nacre_interrupt(k->vm);
    pthread_mutex_unlock(&k->lock);
}

void kernel_end(Kernel *k) {
    pthread_mutex_lock(&k->lock);
    bool interrupted = k->interrupted;
    k->executing = k->interrupted = false;
    if (interrupted) output_hurry(k->output, false); // under the lock, so that it does not come before
                                                     // kernel_interrupt's call
    pthread_mutex_unlock(&k->lock);
}

bool kernel_closing(Kernel *k) {
    pthread_mutex_lock(&k->lock);
    bool closing = k->closing;
    pthread_mutex_unlock(&k->lock);
    return closing;
}

void kernel_interrupt(Kernel *k) {
    pthread_mutex_lock(&k->lock);
    bool executing = k->executing;
    if (executing) {
        k->interrupted = true;
        if (k->vm) nacre_interrupt(k->vm);
        output_hurry(k->output, true);
    }
    pthread_mutex_unlock(&k->lock);
    if (executing) wake_main(k);
}

void kernel_close(Kernel *k) {
    pthread_mutex_lock(&k->lock);
    k->closing = true;
    if (k->executing && k->vm) nacre_interrupt(k->vm);
    pthread_mutex_unlock(&k->lock);
    output_hurry(k->output, true);
    wake_main(k);
}

// --- Requests ----------------------------------------------------------------------------------------

static void handle_kernel_info(Kernel *k, const Message *request) {
    (void)request;
    kernel_reply(k, "kernel_info_reply", kernel_info());
}

static void handle_history(Kernel *k, const Message *request) {
    kernel_reply(k, "history_reply", history_reply(&k->history, request->content));
}

static void handle_comm_info(Kernel *k, const Message *request) {
    (void)request;
    kernel_reply(k, "comm_info_reply", json_pack("{s:s, s:{}}", "status", "ok", "comms"));
}

// Closes every comm that a client opens, as the protocol requires of a kernel without comm targets.
static void handle_comm_open(Kernel *k, const Message *request) {
    const char *id = json_string_value(json_object_get(request->content, "comm_id"));
    if (id) kernel_publish(k, "comm_close", json_pack("{s:s, s:{}}", "comm_id", id, "data"));
}

static void handle_nothing(Kernel *k, const Message *request) {
    (void)k;
    (void)request;
}

static void handle_shutdown(Kernel *k, const Message *request) {
    int restart = json_is_true(json_object_get(request->content, "restart"));
    kernel_reply(k, "shutdown_reply", json_pack("{s:s, s:b}", "status", "ok", "restart", restart));
    kernel_publish(k, "shutdown_reply", json_pack("{s:s, s:b}", "status", "ok", "restart", restart));
    kernel_close(k);
}

static void handle_interrupt(Kernel *k, const Message *request) {
    (void)request;
    kernel_reply(k, "interrupt_reply", json_pack("{s:s}", "status", "ok"));
}

static const struct {
    const char *type;
    void (*handle)(Kernel *k, const Message *request);
} requests[] = {
    {"execute_request", handle_execute},         {"kernel_info_request", handle_kernel_info},
    {"complete_request", handle_complete},       {"inspect_request", handle_inspect},
    {"is_complete_request", handle_is_complete}, {"history_request", handle_history},
    {"comm_info_request", handle_comm_info},     {"comm_open", handle_comm_open},
    {"comm_msg", handle_nothing},                {"comm_close", handle_nothing},
    {"shutdown_request", handle_shutdown},       {"interrupt_request", handle_interrupt},
};

void kernel_serve(Kernel *k, const Message *request) {
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (strcmp(request->type, requests[i].type) != 0) continue;
        k->request = request;
        kernel_begin(k); // before clients see "busy", so that no interrupt comes too early
        publish_state(k, "busy");
        requests[i].handle(k, request);
        kernel_end(k);
        publish_state(k, "idle");
        k->request = NULL;
        return;
    }
    fprintf(stderr, "nacre: a message of the unknown type %.60s is ignored\n", request->type);
}

// Serves one message of the shell channel, if there is one. Returns false if the channel is gone.
static bool serve_one(Kernel *k) {
    Message request;
    Received got = message_receive(k->connection.sockets[CHANNEL_SHELL], &k->shell, &request);
    if (got != RECEIVED) return got != RECEIVED_END;
    kernel_serve(k, &request);
    message_free(&request);
    return true;
}

static void serve(Kernel *k) {
    bool open = true;
    while (open && !kernel_closing(k)) {
        zmq_pollitem_t items[] = {{k->connection.sockets[CHANNEL_SHELL], 0, ZMQ_POLLIN, 0},
                                  {NULL, k->wake, ZMQ_POLLIN, 0}};
        uint64_t times;
        if (zmq_poll(items, 2, -1) < 0 && zmq_errno() == ETERM) break;
        if (items[1].revents && read(k->wake, &times, sizeof times) < 0) break;
        if (items[0].revents) open = serve_one(k);
    }
}

// --- Start and end -----------------------------------------------------------------------------------

// The only global state of the process, since a signal handler cannot reach any other.
static volatile int signal_to = -1;

// Handles SIGINT, which Jupyter sends before it shuts a kernel down, and which a user may send. Interrupts of clients
// come as messages.
static void on_signal(int number) {
    uint64_t one = 1;
    (void)number;
    ssize_t ignored = write(signal_to, &one, sizeof one);
    (void)ignored;
}

static void catch_signals(Kernel *k) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    signal_to = k->signalled;
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void set_options(Kernel *k, const NacreOptions *given) {
    k->options = *given;
    k->options.write = kernel_write;
    k->options.publish = kernel_publication;
    k->options.ask = kernel_ask;
    k->options.read_line = kernel_read_line;
    k->options.warn = NULL;
    k->options.display = NULL;
    k->options.access = NULL;
    k->options.ctx = k;
    k->options.keep_interrupts = 1;
    if (given->backend) snprintf(k->backend, sizeof k->backend, "%s", given->backend);
    k->options.backend = given->backend ? k->backend : NULL;
}

// Defines the names that every notebook has.
static const char at_start[] = "from IPython.display import display\nfrom IPython.core.shell import get_ipython\n";

static bool make_ready(NacreVm *vm, NacreValue **after_cell) {
    NacreValue *shell = NULL;
    nacre_set_argv(vm, 1, (const char *const[]){""});
    NacreStatus status = nacre_run(vm, at_start, sizeof at_start - 1, "<start>", NACRE_FILE);
    if (status == NACRE_OK) status = nacre_import(vm, "IPython.core.shell", &shell);
    if (status == NACRE_OK) status = nacre_attribute(vm, shell, "_after_cell", after_cell);
    nacre_release(vm, shell);
    return status == NACRE_OK;
}

// Creates the VM, and before it the other ranks if there are to be any. Returns NULL after printing an error.
static NacreVm *new_vm(Kernel *k) {
    if (k->ranks > 1 && !(k->mates = mates_start(&k->options, k->ranks, make_ready))) return NULL;
    NacreVm *vm = nacre_new(&k->options);
    if (vm && make_ready(vm, &k->after_cell)) return vm;
    if (vm) fputs(nacre_error_text(vm), stderr);
    nacre_free(vm);
    mates_free(k->mates);
    k->mates = NULL;
    return NULL;
}

static void set_vm(Kernel *k, NacreVm *vm) {
    pthread_mutex_lock(&k->lock);
    k->vm = vm;
    if (vm && k->closing) nacre_interrupt(vm);
    pthread_mutex_unlock(&k->lock);
}

static void start_afresh(Kernel *k) {
    static const char told[] = "The ranks do not go on together from where the cell ended. They have been started afresh: all "
                               "variables are gone.\n";
    NacreVm *old = k->vm;
    kernel_write(k, 2, told, sizeof told - 1);
    magic_free(k);
    set_vm(k, NULL);
    nacre_free(old);
    mates_free(k->mates);
    k->mates = NULL;
    set_vm(k, new_vm(k));
    if (k->vm) return;
    fputs("nacre: the ranks cannot be started again\n", stderr);
    kernel_close(k);
}

void kernel_begin_together(Kernel *k, MateTask task) {
    k->task = task;
    if (k->mates) mates_do(k->mates, &k->task);
}

void kernel_end_together(Kernel *k) {
    if (k->mates && !mates_done(k->mates, k->vm) && !kernel_closing(k)) start_afresh(k);
}

void kernel_change_backend(Kernel *k) {
    char before[sizeof k->backend];
    memcpy(before, k->backend, sizeof before);
    memcpy(k->backend, k->next_backend, sizeof k->backend);
    k->next_backend[0] = '\0';
    k->options.backend = k->backend;
    NacreVm *vm = new_vm(k), *old = k->vm;
    if (!vm) {
        memcpy(k->backend, before, sizeof before);
        k->options.backend = *before ? k->backend : NULL;
        static const char no_device[] = "there is no device for it: the backend stays as it was\n";
        kernel_write(k, 2, no_device, sizeof no_device - 1);
        return;
    }
    magic_free(k);
    pthread_mutex_lock(&k->lock);
    k->vm = vm;
    pthread_mutex_unlock(&k->lock);
    nacre_free(old);
}

static bool start(Kernel *k, const NacreOptions *options, const char *path) {
    char session[WIRE_ID];
    if (sodium_init() < 0) return false;
    json_object_seed(0);
    wire_new_id(session);
    pthread_mutex_init(&k->lock, NULL);
    k->parent_process = getppid();
    k->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    k->signalled = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    // Before ZeroMQ starts threads.
    if (k->ranks > 1) mates_prepare();
    else nacre_prepare();
    if (k->wake < 0 || k->signalled < 0 || !connection_open(&k->connection, path)) return false;
    if (!signer_open(&k->shell, k->connection.key, session) || !signer_open(&k->control, k->connection.key, session))
        return false;
    catch_signals(k);
    k->output = output_start(&k->connection, &k->shell);
    if (!k->output) return false;
    output_send(k->output, "status", NULL, NULL, json_pack("{s:s}", "execution_state", "starting"));
    if (!heartbeat_start(k)) return false;
    set_options(k, options);
    k->vm = new_vm(k);
    if (!k->vm) fputs("nacre: cannot start: out of memory, or there is no such backend or device\n", stderr);
    if (!k->vm || !control_start(k)) return false;
    history_open(&k->history);
    return true;
}

static void stop(Kernel *k) {
    connection_close_socket(&k->connection, CHANNEL_SHELL);
    connection_close_socket(&k->connection, CHANNEL_STDIN);
    output_stop(k->output);
    pthread_mutex_lock(&k->lock);
    k->ended = true;
    pthread_mutex_unlock(&k->lock);
    connection_end(&k->connection);
    control_stop(k);
    connection_free(&k->connection);
    signer_close(&k->shell);
    signer_close(&k->control);
    history_close(&k->history);
    magic_free(k);
    nacre_free(k->vm);
    mates_free(k->mates);
    free(k->line);
    free(k->result);
    pthread_mutex_destroy(&k->lock);
    if (k->wake >= 0) close(k->wake);
    if (k->signalled >= 0) close(k->signalled);
}

static int serve_file(const NacreOptions *options, int ranks, const char *path) {
    Kernel k = {.wake = -1, .signalled = -1, .ranks = ranks};
    bool good = start(&k, options, path);
    if (good) serve(&k);
    stop(&k);
    return good ? 0 : 1;
}

__attribute__((visibility("default"))) const JupyterTable *nacre_jupyter(void) {
    static const JupyterTable table = {.version = JUPYTER_VERSION, .install = jupyter_install, .serve = serve_file};
    return &table;
}
