// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Substring search on bytes.

#ifndef NACRE_VM_VALUE_STR_SEARCH_H
#define NACRE_VM_VALUE_STR_SEARCH_H

#include <stddef.h>

// Find the first (last) occurrence of `sub` in at … end; NULL when there is none.
const char *bytes_find(const char *at, const char *end, const char *sub, size_t len);
const char *bytes_find_last(const char *at, const char *end, const char *sub, size_t len);

#endif
