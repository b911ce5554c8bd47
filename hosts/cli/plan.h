// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What `nacre plan` collects of a dry run, by line.

#ifndef NACRE_HOSTS_CLI_PLAN_H
#define NACRE_HOSTS_CLI_PLAN_H

#include "cli.h"
#include "plan_model.h"

// What a line of the program does, in all.
typedef struct PlanLine {
    char *file; // owned, or NULL: nowhere
    int line;
    uint64_t kernels, shared, gathered; // array work; of it by parts; whole although operands are distributed
    uint64_t assumed;                   // how often it looks at what is unknown
    uint64_t exchanges, gathers, broadcasts;
    double messages, bytes, rank_bytes; // sent by all ranks; received by the rank that has most
    double work, waiting;               // seconds, as the model has it
    double alone;                       // its work on one rank
    char *parts;                        // owned, or NULL: how its kernel that took longest is cut
    double parts_time;
    const char *why;                    // of a gathered one; the library's
} PlanLine;

typedef struct Planned {
    int ranks;
    const Machine *machine;
    PlanLine *lines; // in the order in which they came first
    size_t count, cap, last;
    bool ended;      // the program has: what follows is the interpreter's
    bool failed;     // memory ran out: something is missing
} Planned;

void planned_step(void *ctx, const NacreDryStep *step); // a NacreDryStepFn; ctx is the Planned
void planned_free(Planned *planned);

// Totals of the report.
typedef struct PlanEnd {
    const char *script;
    int most_lines;        // of the table
    const char *error;     // NULL: the program came to its end
    uint64_t memory_peak;  // bytes of arrays on a rank
    uint64_t rank_messages, rank_bytes; // received by the rank that has most
    NacreStats stats;
} PlanEnd;

// plan_report.c
void plan_put_text(const Planned *planned, const PlanEnd *end, Text *out);
void plan_put_json(const Planned *planned, const PlanEnd *end, Text *out);

#endif
