// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Declarations that the command's files share.

#ifndef NACRE_HOSTS_CLI_CLI_H
#define NACRE_HOSTS_CLI_CLI_H

#include <stdbool.h>

#include "../lua/inside/inside.h"
#include "figures.h"
#include "record.h"

// Buffer of standard input. The bytes from `at` to `len` have not been consumed yet.
typedef struct Input {
    char *bytes;
    size_t at, len, cap;
} Input;

enum { PASSES_MOST = 64, OPTIONS_MOST = 24 };

// Where an option was set. A later origin in this list overrides an earlier one.
typedef enum Origin { ORIGIN_NONE, ORIGIN_CONFIG, ORIGIN_ENVIRONMENT, ORIGIN_ARGUMENT } Origin;

// Lua, if there is a configuration or a pass.
typedef struct Inside {
    const LuaInsideTable *table;
    LuaInside *lua;
    void *library;
    Text config;                     // the configuration file's path, if there is one
    const char *passes[PASSES_MOST]; // files of passes, from the command line
    int pass_count;
    bool trusted; // Lua may do all that the process may
} Inside;

typedef struct Cli {
    NacreOptions options;
    const char *config; // the configuration file that the command line names, or NULL
    char backend[64]; // name of the VM's backend, the one of `backends` that was available, or ""
    char *backends;   // owned: names in order of preference, separated by commas; NULL: the default
    char *stats_file; // where --stats writes; owned, or NULL
    uint8_t origins[OPTIONS_MOST]; // origin of each option, in the order of option_names (options.c)
    int rank_count;        // number of ranks that are to run the program; 0: not given
    const char *transport; // transport between ranks, or NULL
    Figures figures;       // figures of all ranks, collected when the program has ended; may be empty
    struct Team *team;     // the other ranks of this process (ranks.h), or NULL
    bool refused;          // the reason why the ranks cannot be joined has been printed
    bool launched;         // mpirun has run the program, and start_status is mpirun's exit status
    char *ended;           // where this rank, started by `nacre -n`, leaves its exit status if it is the first; or NULL
    bool joined;           // this process is a rank that a launcher started
    bool follows;          // this process is a rank other than the first, so its output is discarded
    bool dry;              // a dry run: the program's output is discarded, and it cannot write files
    bool plans_with_data;  // `nacre graph` saves the plans with the elements of their inputs
    char **arguments;      // main's arguments, as they were passed
    Inside inside;
    double started; // on cli_clock: when the VM's current run began, from which time limits count
    const char *counts_file; // file for the counts of instructions, or NULL
    int start_status;        // exit status if cli_start returns NULL
    Input input;
    bool source;   // explain shows the text of machine code too
    bool explain;  // print afterwards how each line's array work was run
    const char *code; // text of the program if it is not in a file, or NULL
    Record record; // what explain needs
    Text *capture; // receives the VM's standard output; NULL: it goes to the process's
} Cli;

// 128 + SIGINT: the exit status that a shell reports for a process that Ctrl-C ended.
enum { INTERRUPTED_STATUS = 130 };

// Writes output of the VM, as a NacreWriteFn. `ctx` is the Cli, or NULL.
int cli_write(void *ctx, int stream, const char *bytes, size_t len);

double cli_clock(void); // returns seconds on a monotonic clock with arbitrary origin

// Creates a VM with standard streams, Ctrl-C and sys.argv. Returns NULL after printing the reason, with the exit status
// in cli->start_status.
NacreVm *cli_start(Cli *cli, int argc, char **argv);

// Sets an option by its name on the command line, unless a later origin has set it. The value is copied. Returns false
// if there is no such option or the value is invalid.
bool cli_set_option(Cli *cli, const char *name, const char *value, Origin origin);

// Runs a program on every rank. Each rank has a VM and a thread of its own. Returns the status of this thread's VM.
typedef NacreStatus (*ProgramFn)(const void *ctx, NacreVm *vm);
NacreStatus cli_run(Cli *cli, NacreVm *vm, ProgramFn run, const void *ctx);
NacreStatus cli_run_file(Cli *cli, NacreVm *vm, const char *path);
// Calls the functions that the program has registered with atexit.
void cli_run_at_exit(NacreVm *vm);

// Prints the error of a run, if there was one, destroys the VM and returns the exit status.
int cli_finish(Cli *cli, NacreVm *vm, NacreStatus status);

// input_line returns the next line with its newline, which the last line may lack. The line is valid until the next
// call. input_all returns the rest of the input, which the caller frees. Both return the length; 0 at the end; -1 on
// failure with errno, which is EINTR after Ctrl-C. Interrupts must be held during the call.
long input_line(Input *input, const char **line);
long input_all(Input *input, char **text);
// Reads a single byte from a terminal, and no more, since Ctrl-C is to discard what the terminal still buffers.
long input_byte(Input *input, char *byte);
void input_free(Input *input);

// Between interrupt_start and interrupt_stop, Ctrl-C interrupts the VM.
void interrupt_start(NacreVm *vm);
void interrupt_stop(void);
// VMs of other threads, by rank. From interrupt_add to interrupt_remove, Ctrl-C and interrupt_others interrupt a rank's
// VM too. interrupt_room must be called before with the number of ranks.
bool interrupt_room(int ranks); // returns false if memory runs out
void interrupt_add(int rank, NacreVm *vm);
void interrupt_remove(int rank);
void interrupt_others(void);
// interrupt_hold blocks Ctrl-C, and returns whether there has been one since the last interrupt_hold. interrupt_let
// unblocks it, and returns whether one came while it was blocked.
bool interrupt_hold(void);
bool interrupt_let(void);
bool interrupt_came(void); // returns whether there has been a Ctrl-C since the last interrupt_hold
// Calls read(2) on standard input while interrupts are held. Ctrl-C ends the call with EINTR, even if it came before
// the call.
long interrupt_read(char *into, size_t size, bool terminal);

// `nacre graph …` and `nacre run-graph …`: return the exit status.
int cli_graph(Cli *cli, int count, char **argv);
int cli_run_graph(Cli *cli, int count, char **argv);

// `nacre build …`: returns the exit status.
int cli_build(Cli *cli, int count, char **argv);

// `nacre kernel …`: returns the exit status.
int cli_kernel(Cli *cli, int count, char **argv);
const char *kernel_problem(void); // returns why the Jupyter kernel cannot be opened, valid until the next call; NULL:
                                  // it can

// `nacre plan …`: returns the exit status.
int cli_plan(Cli *cli, int count, char **argv);

// `nacre profile …`: returns the exit status.
int cli_profile(Cli *cli, int count, char **argv);

// `nacre doctest FILE…`: returns the exit status.
int cli_doctest(Cli *cli, int count, char **paths);

// Runs the interactive prompt, and returns the exit status. Interrupts must be held when it is called. They are let in
// only while the prompt waits for a line and while a statement runs.
int cli_prompt(Cli *cli, NacreVm *vm);

#endif
