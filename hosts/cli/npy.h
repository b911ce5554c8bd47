// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays in files as NumPy has them (.npy).

#ifndef NACRE_HOSTS_CLI_NPY_H
#define NACRE_HOSTS_CLI_NPY_H

#include <stdint.h>

#include "text.h"

enum { NPY_DIMS = 64 };

// In C order.
typedef struct Npy {
    const char *dtype; // "float64"
    size_t item;       // bytes of an element
    int ndim;
    int64_t shape[NPY_DIMS];
    const void *data;
    size_t bytes;
} Npy;

// The dtype's element in bytes; 0: there is no such dtype.
size_t npy_item(const char *dtype);
bool npy_write(const Npy *array, const char *path); // false with errno
// Reads a file into `text`, where the array's data are. NULL, or what is wrong.
const char *npy_read(const char *path, Text *text, Npy *out);

#endif
