// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writing a whole file at once.

#ifndef NACRE_STDLIB_FILE_WRITE_H
#define NACRE_STDLIB_FILE_WRITE_H

#include "lang/support/buf.h"
#include "vm/value/vm.h"

// Writes the bytes to a temporary file in the same folder and renames that, so that there is never a
// partial file. A device or pipe is written in place. Raises MemoryError for a failed buf, or OSError.
Status file_write_whole(Vm *vm, const char *name, const Buf *bytes);

#endif
