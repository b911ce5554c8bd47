// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writing a whole file at once.

#ifndef NACRE_STDLIB_FILE_WRITE_H
#define NACRE_STDLIB_FILE_WRITE_H

#include "lang/support/buf.h"
#include "vm/value/vm.h"

// Writes the bytes under another name beside the file and renames that: there is never a partial
// file. MemoryError for a failed buf, OSError.
Status file_write_whole(Vm *vm, const char *name, const Buf *bytes);

#endif
