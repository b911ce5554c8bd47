// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What of a kernel decides its code: the types and how its innermost dimension moves, and the body.
// Extents, strides, addresses and numbers are arguments of the code, so that kernels which differ
// in them share it.

#ifndef NACRE_VM_KERNEL_FORM_H
#define NACRE_VM_KERNEL_FORM_H

#include "vm/kernel/kernel.h"

// How a load moves along the innermost dimension.
typedef enum Motion {
    MOTION_UNIT, // to the next element
    MOTION_NONE,
    MOTION_STRIDED, // by a number of bytes
} Motion;

typedef struct FormInstr {
    uint8_t op, from, type; // of the KernInstr
    int8_t args[3];
} FormInstr;

// Bytes without gaps: two forms are the same if their bytes are.
typedef struct Form {
    uint8_t load_count, param_count, code_count, out_count;
    uint8_t load_types[KERN_LOADS], motions[KERN_LOADS];
    uint8_t param_types[KERN_PARAMS];
    FormInstr code[KERN_CODE];
    uint8_t outs[KERN_STORES]; // instructions whose results are stored, each once, in the order of
                               // the stores
} Form;

_Static_assert(sizeof(Form) % sizeof(uint32_t) == 0, "form_hash goes by words");

// False: there is no code for this kernel, as its body has something that only the tile interpreter
// knows.
bool form_of(const Kernel *kernel, Form *form);
// Without what is stored. With `functions` those that the tile interpreter calls in vectors count as
// expressions, too.
bool form_of_values(const Kernel *kernel, bool functions, Form *form);
uint64_t form_hash(const Form *form);

#endif
