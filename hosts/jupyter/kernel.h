// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kernel: state that its threads share, and handlers of requests. The main thread owns the VM, and serves the shell
// and stdin channels. The control thread (control.c) replies while a cell runs.

#ifndef NACRE_HOSTS_JUPYTER_KERNEL_H
#define NACRE_HOSTS_JUPYTER_KERNEL_H

#include <pthread.h>
#include <sys/types.h>

#include "connection.h"
#include "history.h"
#include "mates.h"
#include "nacre/nacre.h"
#include "output.h"

typedef struct Kernel {
    NacreVm *vm;
    Connection connection;
    Signer shell, control;  // `shell` is used by the main thread, `control` by the control thread
    Output *output;
    pthread_t control_thread, heartbeat_thread;
    bool has_control, has_heartbeat; // the threads have been started
    pid_t parent_process;

    // Protected by `lock`.
    pthread_mutex_t lock;
    bool executing; // a request is being served, so an interrupt applies to it
    bool interrupted; // the request has been interrupted, so its output is sent at once
    bool closing;   // the kernel is to end
    bool ended;     // the main thread has left its loop
    int wake;       // eventfd: wakes the main thread when these fields have changed
    int signalled;  // eventfd: wakes the control thread after SIGINT

    // Used by the main thread only.
    const Message *request; // the request that is being served
    bool allow_stdin, silent;
    int count;      // number of cells so far
    History history;
    json_t *payload; // payload of the reply that is being built, such as pages to show; NULL: none
    char *line;      // owned: the last line that was typed
    char *result;    // owned: text of the value that the cell shows; NULL: none
    int ranks;       // number of ranks that run each cell; 1: only the VM
    Mates *mates;    // the other ranks, or NULL
    MateTask task;   // the task that all ranks run
    json_t *expressions; // user_expressions of the cell that runs; borrowed
    char cell_name[32]; // "In[3]"
    NacreValue *after_cell; // function of the language that runs what libraries have scheduled for the end of a cell
    struct Magic *magic; // state of magic words; NULL: none has been used
    NacreOptions options; // options of the VM
    char backend[32];     // name of the VM's backend, to which options.backend points; "": the default
    char next_backend[32]; // the backend to change to after this cell; "": none
} Kernel;

// Send a reply to the request: on its channel, and on IOPub. `content` is consumed.
void kernel_reply(Kernel *k, const char *type, json_t *content);
void kernel_publish(Kernel *k, const char *type, json_t *content);
const char *kernel_parent(const Kernel *k); // returns the request's header; NULL: there is no request

void kernel_serve(Kernel *k, const Message *request); // serves a request of the shell channel

// Between kernel_begin and kernel_end, an interrupt ends what the VM runs.
void kernel_begin(Kernel *k);
void kernel_end(Kernel *k);
bool kernel_closing(Kernel *k);
void kernel_interrupt(Kernel *k); // callable from any thread
void kernel_close(Kernel *k);     // callable from any thread: makes the main thread end soon

void kernel_change_backend(Kernel *k); // replaces the VM by one with next_backend, and so drops all variables;
                                       // if that cannot be created, the old VM stays

// Between kernel_begin_together and kernel_end_together, all ranks run what the VM runs. Without other ranks, the
// functions do nothing. If the ranks' results differ, kernel_end_together restarts them and reports that.
void kernel_begin_together(Kernel *k, MateTask task);
void kernel_end_together(Kernel *k);

json_t *kernel_info(void); // returns the content of a kernel_info_reply

// control.c
bool control_start(Kernel *k);
void control_stop(Kernel *k);
bool heartbeat_start(Kernel *k);

// execute.c
void handle_execute(Kernel *k, const Message *request);
// stdio.c: callbacks of the VM.
int kernel_write(void *ctx, int stream, const char *bytes, size_t len);
int kernel_publication(void *ctx, const NacrePublication *publication);
long kernel_ask(void *ctx, const char *prompt, size_t len, int hidden, const char **bytes);
long kernel_read_line(void *ctx, const char **bytes);
// complete.c, inspect.c
void handle_complete(Kernel *k, const Message *request);
void handle_inspect(Kernel *k, const Message *request);
void handle_is_complete(Kernel *k, const Message *request);
// traceback.c: Returns the lines of an error, with colours, as a JSON array.
json_t *traceback_lines(const char *text, size_t len);

#endif
