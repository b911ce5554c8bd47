/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Nacre Authors
 *
 * The runtime of libraries that `nacre build` writes: errors, memory, threads, and the routines that
 * compiled functions call. It holds no interpreter, and keeps no state but in a nacre_rt, which is
 * used by one thread at a time; there may be any number of them.
 */

#ifndef NACRE_RT_H
#define NACRE_RT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define NACRE_RT_API __attribute__((visibility("default")))
#else
#define NACRE_RT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A runtime with its memory and threads. */
typedef struct nacre_rt nacre_rt;

/* What a compiled function answers: 0, or the class of an exception. */
typedef enum nacre_rt_status {
    NACRE_RT_OK = 0,            /* the results are there */
    NACRE_RT_VALUE_ERROR = 1,   /* ValueError */
    NACRE_RT_INDEX_ERROR = 2,   /* IndexError */
    NACRE_RT_ZERO_DIVISION = 3, /* ZeroDivisionError */
    NACRE_RT_OVERFLOW = 4,      /* OverflowError */
    NACRE_RT_MEMORY = 5,        /* MemoryError */
    NACRE_RT_RAISED = 6, /* one that the program raises itself: nacre_rt_error_class names it */
    NACRE_RT_MISUSE = 7  /* no nacre_rt, or of another version: there is no text */
} nacre_rt_status;

/* With so many threads for large products, the caller's among them; 0: as many as there are cores.
 * They are started when they are first needed. NULL when out of memory. */
NACRE_RT_API nacre_rt *nacre_rt_open(int threads);
/* Ends its threads and frees it. NULL is allowed. */
NACRE_RT_API void nacre_rt_close(nacre_rt *rt);

/* Of the last call with this nacre_rt that failed; valid until the next call. "ValueError: …", "ValueError";
 * and where in the program: file, function, line ("" and 0 if the arguments were wrong). */
NACRE_RT_API const char *nacre_rt_error(const nacre_rt *rt);
NACRE_RT_API const char *nacre_rt_error_class(const nacre_rt *rt);
NACRE_RT_API const char *nacre_rt_error_file(const nacre_rt *rt);
NACRE_RT_API const char *nacre_rt_error_function(const nacre_rt *rt);
NACRE_RT_API int nacre_rt_error_line(const nacre_rt *rt);

/* What arrays that are given back have at most. */
enum {
    NACRE_RT_DIMS = 8 /* dimensions */
};
/* An array that a function gave back, in C order: the caller's, to be freed with nacre_rt_array_free.
 * It outlives the nacre_rt. */
typedef struct nacre_rt_array {
    void *data; /* the first element */
    int ndim;   /* how many dimensions */
    int64_t shape[NACRE_RT_DIMS], strides[NACRE_RT_DIMS]; /* the first ndim of each; strides in bytes */
} nacre_rt_array;
/* Frees the elements; all fields are zero afterwards. NULL is allowed. */
NACRE_RT_API void nacre_rt_array_free(nacre_rt_array *array);

/* --- What compiled functions call, and nobody else ---------------------------------------------- */

/* What code and runtime have to agree on. */
enum {
    NACRE_RT_ABI = 1 /* the version of what follows */
};

/* A value on its way into a compiled function or out of it. */
typedef union nacre_rt_slot {
    int64_t i;     /* an int, a bool, an extent, a stride */
    double f;      /* a float */
    char *address; /* of an array's first element */
} nacre_rt_slot;

/* Where a function can be left, and why. */
typedef struct nacre_rt_site {
    int why, detail, line;       /* the reason, what more it takes, and where in the program */
    const char *file, *function; /* where in the program, too */
    const char *cls, *text; /* of an exception that the program raises, or NULL */
} nacre_rt_site;

/* An array argument. */
typedef struct nacre_rt_param {
    const char *name;               /* the parameter's */
    const void *data;               /* the first element */
    int size, ndim;                 /* of an element, in bytes */
    const int64_t *shape, *strides; /* strides in bytes; NULL: C order */
} nacre_rt_param;

/* Begins a call; what machine code is to be given, or NULL. */
NACRE_RT_API const void *nacre_rt_begin(nacre_rt *rt, int abi);
/* Puts address, extents and strides into slots. *dense is set to 0 if elements of the last dimension do
 * not lie side by side. A status. */
NACRE_RT_API int nacre_rt_take(nacre_rt *rt, const nacre_rt_param *param, nacre_rt_slot *slots,
                               int *dense);
/* Whether a size is what annotations say: that of another parameter, or (`other` is NULL) a number. A
 * status. */
NACRE_RT_API int nacre_rt_size(nacre_rt *rt, const char *size, const char *param, int64_t is,
                               const char *other, int64_t wanted);
/* Hands an array of the running function over to the caller. */
NACRE_RT_API void nacre_rt_give(nacre_rt *rt, const nacre_rt_slot *slots, int ndim,
                                nacre_rt_array *out);
/* The exception of a site, with its values. A status. */
NACRE_RT_API int nacre_rt_leave(nacre_rt *rt, const nacre_rt_site *site,
                                const nacre_rt_slot *values);

#ifdef __cplusplus
}
#endif

#endif
