// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The kind of bit generators as a class: how it is called, and its methods (random.c).

#ifndef NACRE_STDLIB_RANDOM_H
#define NACRE_STDLIB_RANDOM_H

#include "vm/value/kind.h"

extern const NativeDef bits_construct_row;
extern const NativeDef bits_methods[];

#endif
