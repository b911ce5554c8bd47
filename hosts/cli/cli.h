// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of the command share.

#ifndef NACRE_HOSTS_CLI_CLI_H
#define NACRE_HOSTS_CLI_CLI_H

#include <stdbool.h>

#include "record.h"

// What was read from standard input; the bytes from `at` to `len` were not asked for yet.
typedef struct Input {
    char *bytes;
    size_t at, len, cap;
} Input;

typedef struct Cli {
    NacreOptions options;
    const char *stats_file;  // or NULL
    const char *counts_file; // or NULL: how often each instruction ran
    int start_status;        // exit status after cli_start gave NULL
    Input input;
    bool source;   // with the text of machine code
    bool explain;  // tell afterwards what became of each line's array work
    const char *code; // the program's text where it is in no file
    Record record; // for explain
    Text *capture; // where the VM's standard output goes, or NULL: to the process's
} Cli;

// 128 + SIGINT, as a shell reports a process that Ctrl-C ended.
enum { INTERRUPTED_STATUS = 130 };

// A NacreWriteFn; ctx is the Cli, or NULL.
int cli_write(void *ctx, int stream, const char *bytes, size_t len);

// A VM with standard streams, Ctrl-C and sys.argv; NULL after saying why not.
NacreVm *cli_start(Cli *cli, int argc, char **argv);

// Prints the error of a run, if there was one, destroys the VM and returns the exit status.
int cli_finish(Cli *cli, NacreVm *vm, NacreStatus status);

// One line with its newline, which the last one may lack, valid until the next call; all there is,
// for free(). They return the length; 0 at the end; -1 with errno, which is EINTR after Ctrl-C.
// To be called while interrupts are held.
long input_line(Input *input, const char **line);
long input_all(Input *input, char **text);
// One byte from a terminal, no more: Ctrl-C drops what the terminal still holds.
long input_byte(Input *input, char *byte);
void input_free(Input *input);

// From start to stop, Ctrl-C interrupts the VM.
void interrupt_start(NacreVm *vm);
void interrupt_stop(void);
// Holds Ctrl-C back; lets it in again. Both tell whether there was one since the other was called.
bool interrupt_hold(void);
bool interrupt_let(void);
// read(2) of standard input while interrupts are held: Ctrl-C ends it with EINTR, however early.
long interrupt_read(char *into, size_t size, bool terminal);

// Tells on standard error what became of each line's array work; `code`: of a program in no file.
void cli_explain(NacreVm *vm, const Record *record, const char *code, bool source);

// `nacre graph …`, `nacre run-graph …`: the exit status.
int cli_graph(Cli *cli, int count, char **argv);
int cli_run_graph(Cli *cli, int count, char **argv);

// `nacre build …`: the exit status.
int cli_build(Cli *cli, int count, char **argv);

// `nacre profile …`: the exit status.
int cli_profile(Cli *cli, int count, char **argv);

// `nacre doctest FILE…`: the exit status.
int cli_doctest(Cli *cli, int count, char **paths);

// The interactive prompt. Interrupts are held when it is called, and let in only while it waits for
// a line and while a statement runs.
int cli_prompt(Cli *cli, NacreVm *vm);

#endif
