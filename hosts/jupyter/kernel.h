// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kernel: what its threads share, and the handlers of requests. The main thread owns the VM and serves the shell
// and stdin channels; control.c's thread answers while a cell runs.

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
    Signer shell, control;  // of the main thread, of control's
    Output *output;
    pthread_t control_thread, heartbeat_thread;
    bool has_control, has_heartbeat; // the threads run
    pid_t parent_process;

    // Under the lock.
    pthread_mutex_t lock;
    bool executing; // a request runs the script's code: an interrupt is for it
    bool interrupted; // since that began: its output is hurried
    bool closing;   // the kernel is to end
    bool ended;     // the main thread has left its loop
    int wake;       // eventfd: the main thread is to look at these
    int signalled;  // eventfd: SIGINT came, for the control thread

    // The main thread's.
    const Message *request; // that is being answered
    bool allow_stdin, silent;
    int count;      // of cells
    History history;
    json_t *payload; // of the reply that is being made: pages to show; NULL: none
    char *line;      // owned: the last line that was typed
    char *result;    // owned: the text of the value that the cell shows; NULL: none
    int ranks;       // that run each cell; 1: the VM alone
    Mates *mates;    // the others, or NULL
    MateTask task;   // of all of them
    json_t *expressions; // of the client, for the cell that is run; borrowed
    char cell_name[32]; // "In[3]"
    NacreValue *after_cell; // a function of the language: what libraries want done when a cell has ended
    struct Magic *magic; // what magic words need of the host; NULL: none was used yet
    NacreOptions options; // of the VM
    char backend[32];     // its name, to which options.backend points; "": the default
    char next_backend[32]; // to which the kernel changes after this cell; "": none
} Kernel;

// Answers to the request: on its channel, and on IOPub. `content` and `metadata` are consumed.
void kernel_reply(Kernel *k, const char *type, json_t *content);
void kernel_publish(Kernel *k, const char *type, json_t *content);
const char *kernel_parent(const Kernel *k); // the request's header

void kernel_serve(Kernel *k, const Message *request); // answers any request of the shell channel

// From begin to end an interrupt ends what the VM runs.
void kernel_begin(Kernel *k);
void kernel_end(Kernel *k);
bool kernel_closing(Kernel *k);
void kernel_interrupt(Kernel *k); // from any thread
void kernel_close(Kernel *k);     // likewise: the main thread ends soon

void kernel_change_backend(Kernel *k); // makes a VM with next_backend; the old one with its variables is gone

// What the VM does from begin to end all ranks do; otherwise nothing. Where ranks have parted, they are started afresh, and
// the cell is told.
void kernel_begin_together(Kernel *k, MateTask task);
void kernel_end_together(Kernel *k);

json_t *kernel_info(void); // content of a kernel_info_reply

// control.c
bool control_start(Kernel *k);
void control_stop(Kernel *k);
bool heartbeat_start(Kernel *k);

// execute.c
void handle_execute(Kernel *k, const Message *request);
// stdio.c: the VM's callbacks.
int kernel_write(void *ctx, int stream, const char *bytes, size_t len);
int kernel_publication(void *ctx, const NacrePublication *publication);
long kernel_ask(void *ctx, const char *prompt, size_t len, int hidden, const char **bytes);
long kernel_read_line(void *ctx, const char **bytes);
void kernel_warn(void *ctx, const char *category, const char *message, const char *file, int line);
// complete.c, inspect.c
void handle_complete(Kernel *k, const Message *request);
void handle_inspect(Kernel *k, const Message *request);
void handle_is_complete(Kernel *k, const Message *request);
// traceback.c: the lines of an error, in colours, as a JSON array.
json_t *traceback_lines(const char *text, size_t len);

#endif
