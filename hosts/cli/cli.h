// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of the command share.

#ifndef NACRE_HOSTS_CLI_CLI_H
#define NACRE_HOSTS_CLI_CLI_H

#include <stdbool.h>

#include "../lua/inside/inside.h"
#include "figures.h"
#include "record.h"

// What was read from standard input; the bytes from `at` to `len` were not asked for yet.
typedef struct Input {
    char *bytes;
    size_t at, len, cap;
} Input;

enum { PASSES_MOST = 64, OPTIONS_MOST = 24 };

// Who sets an option: the later ones of these count.
typedef enum Origin { ORIGIN_NONE, ORIGIN_CONFIG, ORIGIN_ENVIRONMENT, ORIGIN_ARGUMENT } Origin;

// Lua, if there is a configuration or a pass.
typedef struct Inside {
    const LuaInsideTable *table;
    LuaInside *lua;
    void *library;
    Text config;                     // the configuration's file, if there is one
    const char *passes[PASSES_MOST]; // files, from the command line
    int pass_count;
    bool trusted; // Lua may do what the process may
} Inside;

typedef struct Cli {
    NacreOptions options;
    const char *config; // from the command line, or NULL
    char backend[64]; // the one of them that the VM has, or ""
    char *backends;   // owned: in the order of preference, with commas between; NULL: the default
    char *stats_file; // owned, or NULL
    uint8_t origins[OPTIONS_MOST]; // of options, in the order of option_names (options.c)
    int rank_count;        // that are to run the program; 0: nobody said
    const char *transport; // between them, or NULL
    Figures figures;       // of all ranks, once the program has ended; or none
    struct Team *team;     // the others of this process (ranks.h), or NULL
    bool refused;          // the reason why the ranks cannot be joined is printed
    bool launched;         // mpirun has run the program: start_status is its
    bool joined;           // this process is a rank, started by a launcher
    bool follows;          // a rank that is a process, and not the first: nothing that it writes is wanted
    bool dry;              // a dry run: nothing that the program prints is shown, and it writes no files
    char **arguments;      // main's, as they came
    Inside inside;
    double started; // on cli_clock: what the VM runs now; time limits begin there
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

double cli_clock(void); // seconds, from anywhere

// A VM with standard streams, Ctrl-C and sys.argv; NULL after saying why not.
NacreVm *cli_start(Cli *cli, int argc, char **argv);

// Sets an option by its name on the command line, unless it has a later origin. The value is copied. False: there is
// none of that name, or the value is wrong.
bool cli_set_option(Cli *cli, const char *name, const char *value, Origin origin);

// Runs a program: on every rank, each with its own VM, in threads of their own.
typedef NacreStatus (*ProgramFn)(const void *ctx, NacreVm *vm);
NacreStatus cli_run(Cli *cli, NacreVm *vm, ProgramFn run, const void *ctx);
NacreStatus cli_run_file(Cli *cli, NacreVm *vm, const char *path);
// Calls what the program has registered with atexit.
void cli_run_at_exit(NacreVm *vm);

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
// VMs of other threads, by rank: from one call to the other Ctrl-C, and interrupt_others, interrupts them too.
bool interrupt_room(int ranks); // false: out of memory
void interrupt_add(int rank, NacreVm *vm);
void interrupt_remove(int rank);
void interrupt_others(void);
// Holds Ctrl-C back; lets it in again. Both tell whether there was one since the other was called.
bool interrupt_hold(void);
bool interrupt_let(void);
bool interrupt_came(void); // and nobody was told yet
// read(2) of standard input while interrupts are held: Ctrl-C ends it with EINTR, however early.
long interrupt_read(char *into, size_t size, bool terminal);

// `nacre graph …`, `nacre run-graph …`: the exit status.
int cli_graph(Cli *cli, int count, char **argv);
int cli_run_graph(Cli *cli, int count, char **argv);

// `nacre build …`: the exit status.
int cli_build(Cli *cli, int count, char **argv);

// `nacre kernel …`: the exit status.
int cli_kernel(Cli *cli, int count, char **argv);
const char *kernel_problem(void); // why the kernel cannot be opened, valid until the next call; NULL: it can

// `nacre plan …`: the exit status.
int cli_plan(Cli *cli, int count, char **argv);

// `nacre profile …`: the exit status.
int cli_profile(Cli *cli, int count, char **argv);

// `nacre doctest FILE…`: the exit status.
int cli_doctest(Cli *cli, int count, char **paths);

// The interactive prompt. Interrupts are held when it is called, and let in only while it waits for
// a line and while a statement runs.
int cli_prompt(Cli *cli, NacreVm *vm);

#endif
