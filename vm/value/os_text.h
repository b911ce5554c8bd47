// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Text of the operating system. Names of files, arguments and environment variables are bytes there; bytes that are not
// UTF-8 become lone surrogates, U+DC80 to U+DCFF, and are converted back on the way out (PEP 383).

#ifndef NACRE_VM_VALUE_OS_TEXT_H
#define NACRE_VM_VALUE_OS_TEXT_H

#include "vm/value/vm.h"

// Converts bytes of the operating system to text: owned, NULL when out of memory (no exception set).
Str *os_text(Vm *vm, const char *bytes, size_t len);

// Converts the name of a file or folder to bytes, with a NUL after the last one that out->len does not count.
// Initialises out; on success the caller frees it. TypeError if the name is no str, ValueError if it has a
// NUL, UnicodeEncodeError for a lone surrogate that stands for no byte, PermissionError if the host does not
// allow `access` to the file.
Status os_path_bytes(Vm *vm, Value name, FileAccess access, Buf *out);
// As os_path_bytes, without asking the host for permission.
Status os_name_bytes(Vm *vm, Value name, Buf *out);
// Raises PermissionError if the host does not allow that access.
Status os_access(Vm *vm, FileAccess access, const char *path);

// Checks a text that is to be written: UnicodeEncodeError if it has lone surrogates.
Status os_output(Vm *vm, const char *text, size_t len);

// Appends text for people to read, where nothing may fail: lone surrogates as '\udcff'.
void os_show(const char *text, size_t len, Buf *out);
// Does the same in place. False: out of memory, and the text is lost.
bool os_shown(Buf *text);

#endif
