// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Text of the operating system. Names of files, arguments and environment variables are bytes there; bytes that are not
// UTF-8 become lone surrogates, U+DC80 to U+DCFF, and are converted back on the way out (PEP 383).

#ifndef NACRE_VM_VALUE_OS_TEXT_H
#define NACRE_VM_VALUE_OS_TEXT_H

#include "vm/value/vm.h"

// Bytes from outside as text: owned, NULL when out of memory (no exception set).
Str *os_text(Vm *vm, const char *bytes, size_t len);

// The bytes of a file's or folder's name, with a NUL after the last one that out->len does not count, for
// what is going to be done with it. Initialises out; on success the caller frees it. TypeError for what is
// no str, ValueError for one with a NUL, UnicodeEncodeError for a lone surrogate that stands for no byte,
// PermissionError if the host does not allow that.
Status os_path_bytes(Vm *vm, Value name, FileAccess access, Buf *out);
// The same, without asking the host.
Status os_name_bytes(Vm *vm, Value name, Buf *out);
// PermissionError if the host does not allow that.
Status os_access(Vm *vm, FileAccess access, const char *path);

// UnicodeEncodeError when a text that is to be written has lone surrogates.
Status os_output(Vm *vm, const char *text, size_t len);

// Appends text for people to read, where nothing may fail: lone surrogates as '\udcff'.
void os_show(const char *text, size_t len, Buf *out);
// The same in place; false when out of memory, and what was there is gone.
bool os_shown(Buf *text);

#endif
