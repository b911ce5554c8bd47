// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the library (stdlib/sparse.c) and plug-ins with operations on sparse matrices say to each other. A plug-in
// knows nothing of values: an operation has a name, takes numbers, texts, contiguous arrays and states, and makes
// arrays, numbers and states. What an operation means for a format is decided in the language (stdlib/scipy/sparse).

#ifndef NACRE_STDLIB_SPARSE_SPARSE_H
#define NACRE_STDLIB_SPARSE_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/support/buf.h"
#include "vm/graph/dtype.h"

// Changes with anything in this file.
#define SPARSE_VERSION 3

enum { SPARSE_ARGS = 16, SPARSE_RESULTS = 12 };

typedef enum SparseKind { SPARSE_NONE, SPARSE_NUMBER, SPARSE_TEXT, SPARSE_ARRAY, SPARSE_STATE } SparseKind;

// What an operation keeps between calls, say a factorisation. It may be used by any thread, by one at a time.
typedef struct SparseStateKind {
    const char *name;           // for messages: "a factorisation"
    void (*drop)(void *state);  // frees it
} SparseStateKind;

// An argument, borrowed for the call.
typedef struct SparseArg {
    SparseKind kind;
    int64_t whole;    // a number: rounded towards zero; a bool is 0 or 1
    double number;
    const char *text; // NUL-terminated UTF-8
    void *data;       // an array's elements; a state
    int64_t count;    // of elements
    DType type;
    const SparseStateKind *state; // of a state
} SparseArg;

typedef enum SparseError {
    SPARSE_OK,
    SPARSE_VALUE_ERROR,
    SPARSE_INDEX_ERROR,
    SPARSE_RUNTIME_ERROR,
    SPARSE_NOT_IMPLEMENTED,
    SPARSE_NO_MEMORY,
    SPARSE_STOPPED, // an interrupt was seen, or an array could not be made: the library raises
} SparseError;

typedef struct SparseCall SparseCall;
typedef void (*SparsePartFn)(void *job, int part, int worker);

// What an operation may ask of the library, on the calling thread.
typedef struct SparseHost {
    // A new array of `count` elements, uninitialised, which becomes the next result. NULL: no memory; the operation
    // returns then (the error is set).
    void *(*array)(SparseCall *call, DType type, int64_t count);
    // Makes a number, or a state, the next result. A state that cannot be kept is dropped.
    void (*number)(SparseCall *call, double value);
    void (*whole)(SparseCall *call, int64_t value);
    void (*state)(SparseCall *call, const SparseStateKind *kind, void *state);
    // Memory until the end of the call, aligned as malloc's. NULL as for `array`. `bytes` may be 0.
    void *(*scratch)(SparseCall *call, size_t bytes);
    // Whether the VM's memory has room for `bytes` now: an operation that allocates by itself asks before, and counts a refusal as
    // one of the system's. Nothing is set.
    bool (*allows)(SparseCall *call, size_t bytes);
    // Runs run(job, part, worker) for all parts on all threads; they call none of these functions but `stopped`.
    void (*share)(SparseCall *call, SparsePartFn run, void *job, int parts);
    // Whether the program is to be stopped: a long operation asks now and then, leaves, and the library raises. Any
    // thread may ask.
    bool (*stopped)(const SparseCall *call);
} SparseHost;

struct SparseCall {
    const SparseHost *host;
    const SparseArg *args;
    int count;
    int threads; // workers are numbered below
    SparseError error;
    char message[200]; // of an error that has one
};

typedef struct SparseOp {
    const char *name;
    int args;        // how many it takes
    uint32_t writes; // set of the arrays among them that it writes to: they have to be contiguous and writeable
    void (*run)(SparseCall *call);
} SparseOp;

typedef struct SparsePlugin {
    unsigned version;    // SPARSE_VERSION
    const SparseOp *ops; // ends with a row without a name
    const char *about;   // what is in it of others', for `nacre info`; NULL: nothing
} SparsePlugin;
typedef const SparsePlugin *(*SparsePluginFn)(void); // nacre_sparse

// Ends an operation with an error. The text is a format with its values.
#define SPARSE_FAIL(call, kind, ...)                                        \
    do {                                                                    \
        (call)->error = (kind);                                             \
        snprintf((call)->message, sizeof (call)->message, __VA_ARGS__);     \
    } while (0)

#endif
