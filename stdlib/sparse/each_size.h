// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Includes SIZE_TEMPLATE for each type of indices I (int32_t, int64_t) and one type of elements E per size, for code
// that only moves elements. NAME(x) is x_I_E. Undefines all that it defines, and SIZE_TEMPLATE.

#define JOIN_(a, b, c) a##_##b##_##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define NAME(x) JOIN(x, I, E)
#define I int32_t
#define E uint8_t
#include SIZE_TEMPLATE
#undef E
#define E uint16_t
#include SIZE_TEMPLATE
#undef E
#define E uint32_t
#include SIZE_TEMPLATE
#undef E
#define E uint64_t
#include SIZE_TEMPLATE
#undef E
#define E Bytes16
#include SIZE_TEMPLATE
#undef E
#undef I
#define I int64_t
#define E uint8_t
#include SIZE_TEMPLATE
#undef E
#define E uint16_t
#include SIZE_TEMPLATE
#undef E
#define E uint32_t
#include SIZE_TEMPLATE
#undef E
#define E uint64_t
#include SIZE_TEMPLATE
#undef E
#define E Bytes16
#include SIZE_TEMPLATE
#undef E
#undef I
#undef NAME
#undef JOIN
#undef JOIN_
#undef SIZE_TEMPLATE
