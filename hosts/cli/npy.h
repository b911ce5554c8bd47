// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays in NumPy's file format (.npy).

#ifndef NACRE_HOSTS_CLI_NPY_H
#define NACRE_HOSTS_CLI_NPY_H

#include <stdint.h>

#include "text.h"

enum { NPY_DIMS = 64 };

// An array in C order.
typedef struct Npy {
    const char *dtype; // "float64"
    size_t item;       // bytes of an element
    int ndim;
    int64_t shape[NPY_DIMS];
    const void *data;
    size_t bytes;
} Npy;

// Returns the size of a dtype's element in bytes; 0: unknown dtype.
size_t npy_item(const char *dtype);
bool npy_write(const Npy *array, const char *path); // returns false, with errno
// Reads a file into `text`, which owns the array's data. Returns NULL, or an error message.
const char *npy_read(const char *path, Text *text, Npy *out);

#endif
