// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Encodings of text as bytes (utf-8, ascii, latin-1), and handlers for characters and bytes that cannot be converted.

#ifndef NACRE_VM_VALUE_CODEC_H
#define NACRE_VM_VALUE_CODEC_H

#include "vm/value/vm.h"

// Reads the arguments encoding and errors, in this order, of the function `name`; results are borrowed, NULL where not
// given. TypeError: an argument is no str.
Status codec_names(Vm *vm, const char *name, const Value *args, const Str **encoding,
                   const Str **errors);

// encoding == NULL stands for utf-8, errors == NULL for strict. Raise LookupError for an unknown encoding and, once
// one is needed, for an unknown error handler; else UnicodeEncodeError, UnicodeDecodeError.
Status codec_encode(Vm *vm, const Str *text, const Str *encoding, const Str *errors, Value *out);
Status codec_decode(Vm *vm, const Bytes *bytes, const Str *encoding, const Str *errors, Value *out);

#endif
