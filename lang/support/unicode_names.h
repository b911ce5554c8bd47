// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Characters by name.

#ifndef NACRE_LANG_SUPPORT_UNICODE_NAMES_H
#define NACRE_LANG_SUPPORT_UNICODE_NAMES_H

#include <stddef.h>
#include <stdint.h>

// Returns the character of that name, or 0. Case is ignored. Covers the blocks that tools/gen_unicode_names.py lists;
// aliases are not known.
uint32_t unicode_named(const char *name, size_t len);

#endif
