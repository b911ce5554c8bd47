// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// How arrays are shown (np.set_printoptions). The VM has one set of them; array2string makes its
// own for one text.

#ifndef NACRE_VM_VALUE_PRINT_OPTIONS_H
#define NACRE_VM_VALUE_PRINT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct Str;

typedef enum FloatMode { FLOAT_MAXPREC, FLOAT_FIXED, FLOAT_UNIQUE, FLOAT_MAXPREC_EQUAL } FloatMode;

typedef struct PrintOptions {
    int64_t precision, threshold, edge_items, line_width;
    bool suppress;   // no exponents because of small numbers
    char sign;       // '-', '+' or ' '
    FloatMode mode;
    struct Str *nan, *inf; // owned by the VM; NULL: "nan" and "inf"
} PrintOptions;

#define PRINT_OPTIONS_DEFAULT \
    {.precision = 8, .threshold = 1000, .edge_items = 3, .line_width = 75, .sign = '-'}

#endif
