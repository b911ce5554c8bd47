// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The interface between the library (stdlib/sparse.c) and plug-ins with operations on sparse matrices. A plug-in does
// not know the language's values: an operation has a name, takes numbers, texts, contiguous arrays and states, and
// makes arrays, numbers and states. The language decides which operations a format uses (stdlib/scipy/sparse).

#ifndef NACRE_STDLIB_SPARSE_SPARSE_H
#define NACRE_STDLIB_SPARSE_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/support/buf.h"
#include "vm/graph/dtype.h"

// Increased with every change to this file.
#define SPARSE_VERSION 3

enum { SPARSE_ARGS = 16, SPARSE_RESULTS = 12 };

typedef enum SparseKind { SPARSE_NONE, SPARSE_NUMBER, SPARSE_TEXT, SPARSE_ARRAY, SPARSE_STATE } SparseKind;

// What an operation keeps between calls, say a factorisation. Any thread may use it, but only one at a time.
typedef struct SparseStateKind {
    const char *name;           // for messages: "a factorisation"
    void (*drop)(void *state);  // frees it
} SparseStateKind;

// An argument, borrowed for the call.
typedef struct SparseArg {
    SparseKind kind;
    int64_t whole;    // a number, truncated; a bool is 0 or 1
    double number;
    const char *text; // NUL-terminated UTF-8
    void *data;       // an array's elements, or a state
    int64_t count;    // elements of an array; bytes of a text
    DType type;
    const SparseStateKind *state; // kind of a state
} SparseArg;

typedef enum SparseError {
    SPARSE_OK,
    SPARSE_VALUE_ERROR,
    SPARSE_INDEX_ERROR,
    SPARSE_RUNTIME_ERROR,
    SPARSE_NOT_IMPLEMENTED,
    SPARSE_NO_MEMORY,
    SPARSE_STOPPED, // stopped, or an array could not be made: the library raises the error
} SparseError;

typedef struct SparseCall SparseCall;
typedef void (*SparsePartFn)(void *job, int part, int worker);

// Functions that an operation may call, on the calling thread.
typedef struct SparseHost {
    // Adds an uninitialised array of `count` elements to the results. NULL: no memory; the call's error is set, and the
    // operation has to return.
    void *(*array)(SparseCall *call, DType type, int64_t count);
    // Add a number, or a state, to the results. The library owns the state, and drops it if it cannot be kept.
    void (*number)(SparseCall *call, double value);
    void (*whole)(SparseCall *call, int64_t value);
    void (*state)(SparseCall *call, const SparseStateKind *kind, void *state);
    // Returns memory that is valid until the end of the call, aligned as malloc's. NULL: as for `array`. `bytes` may be
    // 0.
    void *(*scratch)(SparseCall *call, size_t bytes);
    // Returns whether the VM's memory limit leaves room for `bytes` now. An operation that allocates by itself asks
    // first, and treats false as a failed allocation. Sets no error.
    bool (*allows)(SparseCall *call, size_t bytes);
    // Runs run(job, part, worker) for all parts on all threads. `run` may only call `stopped` of these functions.
    void (*share)(SparseCall *call, SparsePartFn run, void *job, int parts);
    // Returns whether the program is to be stopped. A long operation checks from time to time and returns early; the
    // library then raises the error. Any thread may call it.
    bool (*stopped)(const SparseCall *call);
} SparseHost;

struct SparseCall {
    const SparseHost *host;
    const SparseArg *args;
    int count;
    int threads; // worker numbers are below it
    SparseError error;
    char message[200]; // for errors that have a message
};

typedef struct SparseOp {
    const char *name;
    int args;        // how many arguments it takes
    uint32_t writes; // bit i: it writes to array i, which has to be contiguous and writeable
    void (*run)(SparseCall *call);
} SparseOp;

typedef struct SparsePlugin {
    unsigned version;    // SPARSE_VERSION
    const SparseOp *ops; // ends with a row whose name is NULL
    const char *about;   // third-party code in it, for `nacre info`; NULL: none
} SparsePlugin;
typedef const SparsePlugin *(*SparsePluginFn)(void); // nacre_sparse

// Sets the call's error, with a message made by printf's rules. The operation has to return afterwards.
#define SPARSE_FAIL(call, kind, ...)                                        \
    do {                                                                    \
        (call)->error = (kind);                                             \
        snprintf((call)->message, sizeof (call)->message, __VA_ARGS__);     \
    } while (0)

#endif
