// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Record of a script's array work by kernel, for --explain and `nacre profile`.

#ifndef NACRE_HOSTS_CLI_RECORD_H
#define NACRE_HOSTS_CLI_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "nacre/nacre.h"
#include "text.h"

// An operation in a kernel.
typedef struct RecordSite {
    int file, line;        // file: index into Record.files; -1: not in the program
    const char *operation; // static name of the library
} RecordSite;

// All runs of kernels with the same operations of the same lines.
typedef struct RecordKernel {
    uint64_t hash;
    const char *library;   // name of the library routine; NULL: a loop
    bool is_copy, on_host;
    int64_t band_rows;     // rows per band in the last run; 0: not run in bands
    bool varies; // later runs have other shapes; reads and writes are those of the first run
    int site_count;
    RecordSite *sites;     // owned
    uint64_t runs, made;   // number of runs; of these, runs in a plan that was newly made
    double bytes_read, bytes_written, operations, seconds; // sums over all runs
    uint64_t shapes;       // hash of the shapes that it reads and writes
    char *reads, *writes;  // owned: dtypes and shapes, as "2 float64[3,4]"
} RecordKernel;

// Why an operation of a line is not in the same kernel as an earlier one.
typedef struct RecordReason {
    int file, line;
    char *text; // owned
} RecordReason;

// Direct operations of a line with the same name.
typedef struct RecordDirect {
    int file, line;
    const char *operation; // static name of the library
    uint64_t count;
} RecordDirect;

// Communication and partitioning of a line.
typedef struct RecordRanks {
    int file;
    NacreRankLine line;
} RecordRanks;

// A run of a kernel.
typedef struct RecordSpan {
    uint32_t kernel; // index into Record.kernels
    double begin, seconds;
} RecordSpan;

typedef struct Record {
    NacreVm *vm;
    char **files; // owned
    int file_count;
    RecordKernel *kernels; // in the order of their first runs
    size_t kernel_count, kernel_cap;
    uint32_t *table;       // hash table of kernels: index + 1; 0: empty
    size_t table_cap;
    RecordReason *reasons;
    size_t reason_count, reason_cap;
    RecordDirect *directs; // in the order in which they first ran
    size_t direct_count, direct_cap;
    uint32_t *direct_table; // hash table of `directs` by line and name: index + 1; 0: empty
    size_t direct_table_cap;
    uint64_t direct;       // number of direct operations in all
    RecordRanks *ranks;    // lines with collective steps or distributed arrays
    size_t rank_count, rank_cap;
    RecordSpan *spans;     // filled if keep_spans is set
    size_t span_count, span_cap;
    bool keep_spans;
    double waited_before;  // seconds with other ranks before the record was started
    uint64_t plans, plans_made, plans_reused, plans_single, dropped, launched;
    uint64_t *drops;       // number of operations that were dropped from each plan, by plan number
    size_t drop_cap;
    bool failed;           // memory ran out, so the record is incomplete
} Record;

// Starts watching. All fields but keep_spans must be zeroed. `passes`: record reasons and dropped operations too.
// Returns false if the VM cannot be watched.
bool record_start(Record *record, NacreVm *vm, bool passes);
void record_free(Record *record);

// Adds the VM's figures of lines and ranks. Called once the program has ended.
void record_take_ranks(Record *record);
const NacreRankLine *record_ranks(const Record *record, int file, int line); // returns NULL if the line has none

// Returns the number of direct operations of a line.
uint64_t record_direct_count(const Record *record, int file, int line);

// Returns the sorted lines of a file that have array work, and sets *count. The caller frees the array; NULL: out of
// memory.
int *record_all_lines(const Record *record, int file, int *count);

// Texts for tables. record_name returns a static text; the other functions append to `out`.
const char *record_name(
    const NacreNode *node); // name of a node's operation; "copy" or "fill" for assignments to arrays
void record_view(const NacreView *view, Text *out);                 // "float64[3,4]"
void record_operations(const RecordKernel *kernel, Text *out);      // "add, multiply ×2"
void record_work(const RecordKernel *kernel, Text *out);            // "library gemm: matmul, add"
void record_lines(const RecordKernel *kernel, int file, Text *out); // "12 14–16"
void record_bytes(double bytes, Text *out);                         // "1.2 MB"
void record_put_ranks(const NacreRankLine *line, Text *out);        // "cut along axis 0; 2 exchanges, 16 kB"

#endif
