// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The constructor and the methods of the class of bit generators (random.c).

#ifndef NACRE_STDLIB_RANDOM_H
#define NACRE_STDLIB_RANDOM_H

#include "vm/value/kind.h"

extern const NativeDef bits_construct_row;
extern const NativeDef bits_methods[];

#endif
