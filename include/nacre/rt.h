/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Nacre Authors
 *
 * The runtime of libraries that `nacre build` generates: errors, memory, threads, and the routines that compiled
 * functions call. It has no interpreter. All its state is in a nacre_rt, which is used by one thread at a time; a
 * process may have any number of them.
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

/* A runtime with its memory and threads. Used by one thread at a time. */
typedef struct nacre_rt nacre_rt;

/* Status that a compiled function returns: 0, or the class of an exception. */
typedef enum nacre_rt_status {
    NACRE_RT_OK = 0,            /* success: the results have been written */
    NACRE_RT_VALUE_ERROR = 1,   /* ValueError */
    NACRE_RT_INDEX_ERROR = 2,   /* IndexError */
    NACRE_RT_ZERO_DIVISION = 3, /* ZeroDivisionError */
    NACRE_RT_OVERFLOW = 4,      /* OverflowError */
    NACRE_RT_MEMORY = 5,        /* MemoryError */
    NACRE_RT_RAISED = 6, /* an exception that the program raises itself; nacre_rt_error_class has its name */
    NACRE_RT_MISUSE = 7  /* no nacre_rt, or one of another version; there is no error text */
} nacre_rt_status;

/* Creates a runtime with `threads` threads for large products, including the caller's; 0: as many as there are cores.
 * Threads are started when they are first needed. Returns NULL when out of memory. The caller frees it with
 * nacre_rt_close. */
NACRE_RT_API nacre_rt *nacre_rt_open(int threads);
/* Ends the runtime's threads and frees it. Arrays that functions have returned stay valid. NULL is allowed. */
NACRE_RT_API void nacre_rt_close(nacre_rt *rt);

/* Describe the last failed call with this runtime: its text ("ValueError: …"), its class ("ValueError"), and where in
 * the program it failed: file, function, line ("" and 0 if the arguments were wrong). Texts are borrowed, valid until
 * the next call. */
NACRE_RT_API const char *nacre_rt_error(const nacre_rt *rt);
NACRE_RT_API const char *nacre_rt_error_class(const nacre_rt *rt);
NACRE_RT_API const char *nacre_rt_error_file(const nacre_rt *rt);
NACRE_RT_API const char *nacre_rt_error_function(const nacre_rt *rt);
NACRE_RT_API int nacre_rt_error_line(const nacre_rt *rt);

/* Limits of arrays that functions return. */
enum {
    NACRE_RT_DIMS = 8 /* maximum number of dimensions */
};
/* An array that a function has returned, in C order. The caller owns it and frees it with nacre_rt_array_free. It
 * outlives the nacre_rt. */
typedef struct nacre_rt_array {
    void *data; /* address of the first element */
    int ndim;   /* number of dimensions */
    int64_t shape[NACRE_RT_DIMS], strides[NACRE_RT_DIMS]; /* `ndim` entries each; strides in bytes */
} nacre_rt_array;
/* Frees the elements, and zeroes all fields. NULL is allowed. */
NACRE_RT_API void nacre_rt_array_free(nacre_rt_array *array);

/* --- Only for compiled functions ---------------------------------------------------------------- */

/* Compatibility of compiled code and runtime. */
enum {
    NACRE_RT_ABI = 1 /* version of the interface below */
};

/* An argument or a result of a compiled function. */
typedef union nacre_rt_slot {
    int64_t i;     /* an int, a bool, an extent, a stride */
    double f;      /* a float */
    char *address; /* address of an array's first element */
} nacre_rt_slot;

/* Where a function can fail, and why. */
typedef struct nacre_rt_site {
    int why, detail, line;       /* reason, a parameter of the reason, and line of the program */
    const char *file, *function; /* file and function of the program */
    const char *cls, *text; /* class and text of an exception that the program raises, or NULL */
} nacre_rt_site;

/* An array argument. */
typedef struct nacre_rt_param {
    const char *name;               /* name of the parameter */
    const void *data;               /* address of the first element */
    int size, ndim;                 /* bytes of an element; number of dimensions */
    const int64_t *shape, *strides; /* `ndim` entries each; strides in bytes, NULL: C order */
} nacre_rt_param;

/* Begins a call: clears the last error. Returns the table of runtime routines for the machine code, owned by the
 * runtime; NULL if `rt` is NULL or `abi` is another version. */
NACRE_RT_API const void *nacre_rt_begin(nacre_rt *rt, int abi);
/* Checks an array argument, and stores its address, extents and strides in slots[0], slots[1] … slots[ndim] and
 * slots[ndim+1] … slots[2*ndim]. Sets *dense to 0 if elements of the last dimension are not contiguous; otherwise
 * leaves it unchanged. Returns a status. */
NACRE_RT_API int nacre_rt_take(nacre_rt *rt, const nacre_rt_param *param, nacre_rt_slot *slots,
                               int *dense);
/* Checks that an extent `is` equals `wanted`: the size of that name in the parameter `other`, or, if `other` is NULL, a
 * number in the annotation. Returns a status. */
NACRE_RT_API int nacre_rt_size(nacre_rt *rt, const char *size, const char *param, int64_t is,
                               const char *other, int64_t wanted);
/* Passes ownership of an array of the running function to the caller. */
NACRE_RT_API void nacre_rt_give(nacre_rt *rt, const nacre_rt_slot *slots, int ndim,
                                nacre_rt_array *out);
/* Raises the exception of a site, whose text may contain `values`. Returns its status. */
NACRE_RT_API int nacre_rt_leave(nacre_rt *rt, const nacre_rt_site *site,
                                const nacre_rt_slot *values);

#ifdef __cplusplus
}
#endif

#endif
