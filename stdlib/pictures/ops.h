// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The operations of a canvas, by name (ops.c).

#ifndef NACRE_STDLIB_PICTURES_OPS_H
#define NACRE_STDLIB_PICTURES_OPS_H

#include "stdlib/pictures/canvas.h"

PictureStatus ops_call(Pictures *pictures, Canvas *canvas, const char *op, const PictureArg *args, int count,
                       PictureResult *out);

#endif
