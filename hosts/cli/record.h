// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What array work a script did, by kernel: for --explain and `nacre profile`.

#ifndef NACRE_HOSTS_CLI_RECORD_H
#define NACRE_HOSTS_CLI_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "nacre/nacre.h"
#include "text.h"

// An operation in a kernel.
typedef struct RecordSite {
    int file, line;        // file: its number in Record.files; -1: nowhere
    const char *operation; // the library's
} RecordSite;

// All kernels of the same operations of the same lines.
typedef struct RecordKernel {
    uint64_t hash;
    const char *library;   // or NULL: a loop
    bool is_copy, on_host;
    int64_t band_rows;     // of the last run; 0: by itself
    bool varies; // reads and writes are those of the first run, later ones have other shapes
    int site_count;
    RecordSite *sites;     // owned
    uint64_t runs, made;   // made: of these, in a plan that was made for it
    double bytes_read, bytes_written, operations, seconds; // of all runs
    uint64_t shapes;       // a hash of what it reads and writes
    char *reads, *writes;  // owned: "2 float64[3,4]"
} RecordKernel;

// Why a line's operation is not in a kernel with what was written before it.
typedef struct RecordReason {
    int file, line;
    char *text; // owned
} RecordReason;

// Direct operations of a line, all of the same name.
typedef struct RecordDirect {
    int file, line;
    const char *operation; // the library's
    uint64_t count;
} RecordDirect;

// What a line had to do with other ranks.
typedef struct RecordRanks {
    int file;
    NacreRankLine line;
} RecordRanks;

// When a kernel ran.
typedef struct RecordSpan {
    uint32_t kernel; // its number
    double begin, seconds;
} RecordSpan;

typedef struct Record {
    NacreVm *vm;
    char **files; // owned
    int file_count;
    RecordKernel *kernels; // in the order in which they ran first
    size_t kernel_count, kernel_cap;
    uint32_t *table;       // number of a kernel + 1, by hash
    size_t table_cap;
    RecordReason *reasons;
    size_t reason_count, reason_cap;
    RecordDirect *directs; // in the order in which they were done first
    size_t direct_count, direct_cap;
    uint32_t *direct_table; // number of one + 1, by its line and name
    size_t direct_table_cap;
    uint64_t direct;       // operations, in all
    RecordRanks *ranks;    // of the lines with steps of all ranks, or arrays that are cut
    size_t rank_count, rank_cap;
    RecordSpan *spans;     // with keep_spans
    size_t span_count, span_cap;
    bool keep_spans;
    uint64_t plans, plans_made, plans_reused, plans_single, dropped, launched;
    uint64_t *drops;       // operations dropped from plan number i
    size_t drop_cap;
    bool failed;           // memory ran out: something is missing
} Record;

// Begins to watch; all else is zeroed first. `passes`: reasons and what is dropped are wanted too.
bool record_start(Record *record, NacreVm *vm, bool passes);
void record_free(Record *record);

// Adds what the VM knows of each line and the other ranks, once the program has ended.
void record_take_ranks(Record *record);
const NacreRankLine *record_ranks(const Record *record, int file, int line); // NULL: nothing

// How many direct operations a line did.
uint64_t record_direct_count(const Record *record, int file, int line);

// The lines of a file with array work, *count of them, to be freed; NULL without memory.
int *record_all_lines(const Record *record, int file, int *count);

// Texts for tables.
const char *record_name(
    const NacreNode *node); // the operation's; "copy" and "fill" for what writes into arrays
void record_view(const NacreView *view, Text *out);                 // "float64[3,4]"
void record_operations(const RecordKernel *kernel, Text *out);      // "add, multiply ×2"
void record_work(const RecordKernel *kernel, Text *out);            // "library gemm: matmul, add"
void record_lines(const RecordKernel *kernel, int file, Text *out); // "12 14–16"
void record_bytes(double bytes, Text *out);                         // "1.2 MB"
void record_put_ranks(const NacreRankLine *line, Text *out);        // "cut along axis 0; 2 exchanges, 16 kB"

#endif
