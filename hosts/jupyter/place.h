// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Positions in a cell's text, which the protocol counts in code points, and the names there.

#ifndef NACRE_HOSTS_JUPYTER_PLACE_H
#define NACRE_HOSTS_JUPYTER_PLACE_H

#include "kernel.h"

typedef struct Place {
    const char *code; // borrowed
    size_t cursor;    // offset in bytes
} Place;

Place place_of(const Message *request);
json_int_t place_point(const Place *place, size_t byte); // converts a byte offset to code points

// Return the byte offset of a dotted name, and set *len to its length, 0 if there is none. place_name finds the name at
// the cursor, otherwise as place_call. place_call finds the function whose arguments the cursor is in.
size_t place_name(const Place *place, size_t *len);
size_t place_call(const Place *place, size_t *len);

#endif
