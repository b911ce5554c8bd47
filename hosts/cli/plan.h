// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Results of a dry run by line of the program, for `nacre plan`.

#ifndef NACRE_HOSTS_CLI_PLAN_H
#define NACRE_HOSTS_CLI_PLAN_H

#include "cli.h"
#include "plan_model.h"

// Sums over all steps of a line.
typedef struct PlanLine {
    char *file; // owned; NULL: not in the program
    int line;
    uint64_t kernels, shared, gathered; // kernels; those of which each rank runs a part; those that every rank runs
                                        // entirely although operands are distributed
    uint64_t assumed;                   // number of times that it reads unknown elements
    uint64_t exchanges, gathers, broadcasts;
    double messages, bytes, rank_bytes; // sent by all ranks: messages, and bytes; bytes received by the rank that
                                        // receives most
    double work, waiting;               // seconds, by the model: computing; communicating
    double alone;                       // seconds that its kernels would take on one rank
    char *parts;                        // owned, or NULL: how the kernel with the longest time is cut
    double parts_time;
    const char *why;                    // why a kernel was not divided; static text of the library
} PlanLine;

typedef struct Planned {
    int ranks;
    const Machine *machine;
    PlanLine *lines; // in the order in which they first occurred
    size_t count, cap, last;
    double hidden_most; // seconds that kernels can hide of the exchanges directly before them, of one line
    size_t hidden_line; // that line
    bool in_kernels;    // the last step was a kernel
    bool ended;      // the program has ended, so that further steps belong to the interpreter
    bool failed;     // memory ran out, so the results are incomplete
} Planned;

void planned_step(void *ctx, const NacreDryStep *step); // a NacreDryStepFn; `ctx` is the Planned
void planned_free(Planned *planned);

// Totals of the report.
typedef struct PlanEnd {
    const char *script;
    int most_lines;        // maximum number of lines in the table
    const char *error;     // class of the exception that ended the program; NULL: none
    uint64_t memory_peak;  // bytes of arrays on the rank that holds most
    uint64_t rank_messages, rank_bytes; // received by the rank that receives most
    NacreStats stats;
} PlanEnd;

// plan_report.c. Append the report as text and as JSON.
void plan_put_text(const Planned *planned, const PlanEnd *end, Text *out);
void plan_put_json(const Planned *planned, const PlanEnd *end, Text *out);

#endif
