// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of integer matrices and vectors. Integers wrap, so sums may be reordered. Compiled with
// the loops, once per instruction set. Bytes are multiplied in 16-bit lanes, whose low halves are the
// byte results. Signed and unsigned give the same bits.
// As for floats (products_template.h), panels of B are packed, bands of rows by two vectors of
// columns of C stay in registers, and blocks of A's rows in the second-level cache.

enum { INT_DEPTH = 256, INT_ROWS = 128, INT_SUMS = 4 };

#define T uint8_t
#define LANE uint16_t
#define NAME(f) f##_uint8_t
#define OF(x) uint8_t_##x
#include "backends/cpu/product/products_int_type_template.h"
#define T uint16_t
#define LANE uint16_t
#define NAME(f) f##_uint16_t
#define OF(x) uint16_t_##x
#include "backends/cpu/product/products_int_type_template.h"
#define T uint32_t
#define LANE uint32_t
#define NAME(f) f##_uint32_t
#define OF(x) uint32_t_##x
#include "backends/cpu/product/products_int_type_template.h"
#define T uint64_t
#define LANE uint64_t
#define NAME(f) f##_uint64_t
#define OF(x) uint64_t_##x
#include "backends/cpu/product/products_int_type_template.h"
