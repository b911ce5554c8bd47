// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the writer (pack.c) and the reader (unpack.c) of packed units.

#ifndef NACRE_LANG_PACK_H
#define NACRE_LANG_PACK_H

#include "lang/unit.h"

enum { PACK_VERSION = 3, PACK_MAGIC_BYTES = 4 };
extern const char pack_magic[PACK_MAGIC_BYTES + 1];

// Returns a hash of opcodes.def, which changes when an instruction is added, moved or given other fields.
uint32_t pack_table_hash(void);

#endif
