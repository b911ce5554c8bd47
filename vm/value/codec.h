// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Text to bytes and back: utf-8, ascii, latin-1 and what to do about what does not fit.

#ifndef NACRE_VM_VALUE_CODEC_H
#define NACRE_VM_VALUE_CODEC_H

#include "vm/value/vm.h"

// The arguments encoding and errors, in this order, of the function `name`; borrowed, NULL where not
// given. TypeError for what is no str.
Status codec_names(Vm *vm, const char *name, const Value *args, const Str **encoding,
                   const Str **errors);

// NULL stands for utf-8 and strict. LookupError for an unknown encoding and, once it is needed, for an
// unknown way with errors; UnicodeEncodeError, UnicodeDecodeError.
Status codec_encode(Vm *vm, const Str *text, const Str *encoding, const Str *errors, Value *out);
Status codec_decode(Vm *vm, const Bytes *bytes, const Str *encoding, const Str *errors, Value *out);

#endif
