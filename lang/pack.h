// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What writing and reading packed units have in common.

#ifndef NACRE_LANG_PACK_H
#define NACRE_LANG_PACK_H

#include "lang/unit.h"

enum { PACK_VERSION = 3, PACK_MAGIC_BYTES = 4 };
extern const char pack_magic[PACK_MAGIC_BYTES + 1];

// Changes whenever an instruction is added, moved or given other fields.
uint32_t pack_table_hash(void);

#endif
