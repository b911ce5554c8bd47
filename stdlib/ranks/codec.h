// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Values and exceptions as bytes for the other ranks of the same program, and back. What natives with an effect answer
// (effects.h) can be sent: None, numbers, text, bytes, containers of those, scalars, types and arrays of numpy, slices,
// ranges, exceptions, and open files, of which the others get a stand-in.
//
// Numbers stand in the order of the machine: the ranks of a program have the same.

#ifndef NACRE_STDLIB_RANKS_CODEC_H
#define NACRE_STDLIB_RANKS_CODEC_H

#include "lang/support/buf.h"
#include "vm/value/vm.h"

typedef struct Encoder {
    Vm *vm;
    Buf *out;
    bool lenient;        // what cannot be sent, and is within something else, becomes the text that repr() makes of it
    bool altered;        // who decodes it may get another order of a set's items, or other strides of an array
    const char *refused; // the name of the type that cannot be sent: TypeError is set; NULL: none
    int depth;
} Encoder;

typedef struct Decoder {
    Vm *vm;
    const char *at, *end;
    int depth;
} Decoder;

// Appends to out. TypeError for what cannot be sent, MemoryError.
Status encode_value(Encoder *encoder, Value v);
// The exception with its class, arguments, attributes and what its class derives of the arguments; neither where it was
// raised nor what it was raised for.
Status encode_exception(Encoder *encoder, Value exception);

// ValueError for bytes that no encoder has written; anything may stand there.
Status decode_value(Decoder *decoder, Value *out);
// A class that is not here is replaced by the built-in one next to it, and a note tells its name.
Status decode_exception(Decoder *decoder, Value *out);

// Plain numbers of a message.
void encode_number(Buf *out, uint64_t number);
Status decode_number(Decoder *decoder, uint64_t *out);
Status decode_bytes(Decoder *decoder, const char **bytes, size_t *len); // borrowed; written by:
void encode_bytes(Buf *out, const char *bytes, size_t len);

#endif
