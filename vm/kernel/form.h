// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Form: a kernel's signature, that is, everything that determines its machine code: types, the
// access pattern along the innermost dimension, and the body. Extents, strides, addresses and
// scalars are arguments of the code, so kernels that differ only in these share it.

#ifndef NACRE_VM_KERNEL_FORM_H
#define NACRE_VM_KERNEL_FORM_H

#include "vm/kernel/kernel.h"

// Access pattern of a load along the innermost dimension.
typedef enum Motion {
    MOTION_UNIT, // contiguous
    MOTION_NONE,    // stride 0
    MOTION_STRIDED, // any stride in bytes
    MOTION_LINES,   // a computed load (KernLines)
    MOTION_PART,    // one of the three loads after a computed one, which are not values
} Motion;

typedef struct FormInstr {
    uint8_t op, from, type; // as in KernInstr
    int8_t args[3];
} FormInstr;

// Has no padding, so forms are compared by their bytes.
typedef struct Form {
    uint8_t load_count, param_count, code_count, out_count;
    uint8_t load_types[KERN_LOADS], motions[KERN_LOADS];
    uint8_t param_types[KERN_PARAMS];
    FormInstr code[KERN_CODE];
    uint8_t outs[KERN_STORES]; // instructions whose results are stored, without duplicates, in the
                               // order of the stores
} Form;

_Static_assert(sizeof(Form) % sizeof(uint32_t) == 0, "form_hash goes by words");

// Computes a loop's signature. False: the body contains something that only the tile interpreter can
// run.
bool form_of(const Kernel *kernel, Form *form);
// Computes the signature without the stores, and accepts computed loads. With `all`, every type and op is accepted: the
// caller checks which of them its target language has.
bool form_of_values(const Kernel *kernel, bool all, Form *form);
uint64_t form_hash(const Form *form);

#endif
