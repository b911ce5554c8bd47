// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Places in a cell's text, which are code points in the protocol, and what stands there.

#ifndef NACRE_HOSTS_JUPYTER_PLACE_H
#define NACRE_HOSTS_JUPYTER_PLACE_H

#include "kernel.h"

typedef struct Place {
    const char *code; // borrowed
    size_t cursor;    // in bytes
} Place;

Place place_of(const Message *request);
json_int_t place_point(const Place *place, size_t byte); // as the protocol counts

// The byte at which a dotted name begins, of *len bytes, 0 where there is none: the one at the cursor; that of the
// function whose arguments the cursor is in.
size_t place_name(const Place *place, size_t *len);
size_t place_call(const Place *place, size_t *len);

#endif
