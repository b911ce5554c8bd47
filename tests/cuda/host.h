// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What hosts that use CUDA themselves have of the driver.

#ifndef NACRE_TESTS_CUDA_HOST_H
#define NACRE_TESTS_CUDA_HOST_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned long long Ptr; // CUdeviceptr

enum { SKIPPED = 77, NON_BLOCKING = 1 };

// The driver, by the names of its functions.
typedef struct Driver {
    int (*init)(unsigned);
    int (*retain)(void **, int);
    int (*release)(int);
    int (*push)(void *);
    int (*pop)(void **);
    int (*create)(void **, unsigned);
    int (*destroy)(void *);
    int (*synchronize)(void *);
    int (*alloc)(Ptr *, size_t);
    int (*free)(Ptr);
    int (*to_host)(void *, Ptr, size_t, void *);
    int (*to_device)(Ptr, const void *, size_t, void *);
    int (*event_create)(void **, unsigned);
    int (*event_destroy)(void *);
    int (*event_record)(void *, void *);
    int (*event_query)(void *);
} Driver;

// False: there is none.
bool driver_open(Driver *driver);

#endif
