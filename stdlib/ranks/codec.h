// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Encodes values and exceptions as bytes for other ranks of the same program, and decodes them. The results of natives
// with an effect (effects.h) can be sent: None, numbers, text, bytes, containers of those, scalars, dtypes and arrays
// of numpy, slices, ranges, exceptions, and open files, of which other ranks get a stand-in.
//
// Numbers are in the machine's byte order, which is the same for all ranks of a program.

#ifndef NACRE_STDLIB_RANKS_CODEC_H
#define NACRE_STDLIB_RANKS_CODEC_H

#include "lang/support/buf.h"
#include "vm/value/vm.h"

typedef struct Encoder {
    Vm *vm;
    Buf *out;
    bool lenient;        // encodes a value that cannot be sent as its repr(), if it is inside another value
    bool altered;        // set if decoding may give another order of a set's items, or other strides of an array
    const char *refused; // set, after TypeError, to the name of the type that cannot be sent; NULL: none
    int depth;
} Encoder;

typedef struct Decoder {
    Vm *vm;
    const char *at, *end;
    int depth;
} Decoder;

// Appends a value to encoder->out. Raises TypeError for a value that cannot be sent, or MemoryError.
Status encode_value(Encoder *encoder, Value v);
// Appends an exception: its class, arguments, attributes, and its value if that does not follow from the arguments. Its
// traceback, cause and context are left out.
Status encode_exception(Encoder *encoder, Value exception);

// Decodes a value. The bytes are not trusted: raises ValueError if they are malformed.
Status decode_value(Decoder *decoder, Value *out);
// Decodes an exception. If its class does not exist on this rank, uses the nearest built-in base class, and adds a note
// with the class's name.
Status decode_exception(Decoder *decoder, Value *out);

// Numbers and bytes without a tag, for other parts of a message.
void encode_number(Buf *out, uint64_t number);
Status decode_number(Decoder *decoder, uint64_t *out);
Status decode_bytes(Decoder *decoder, const char **bytes, size_t *len); // *bytes is borrowed from the message
void encode_bytes(Buf *out, const char *bytes, size_t len);

#endif
