// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The tables of functions that make up module numpy.

#ifndef NACRE_STDLIB_NUMPY_NUMPY_H
#define NACRE_STDLIB_NUMPY_NUMPY_H

#include "vm/array/methods.h"

Status numpy_ufuncs_init(Vm *vm, Module *module); // numpy_ufunc.c: elementwise functions
Status numpy_exceptions_init(Vm *vm);             // numpy_errors.c: where the engine's classes are found
extern const NativeDef numpy_creation[];  // numpy_create.c
extern const NativeDef numpy_shaping[];   // numpy_shape.c
extern const NativeDef numpy_files[];     // numpy_file.c
extern const NativeDef numpy_packing[];   // numpy_bits.c
extern const NativeDef numpy_selection[]; // numpy_select.c
Status numpy_scan_text(Vm *vm, const Value *args, Value *out); // numpy_fromstring.c

// Runs f on the array made of v.
typedef Status (*ArrayFn)(Vm *vm, Value array, Value *out);
Status with_array(Vm *vm, Value v, ArrayFn f, Value *out);

// The .npy format (numpy_npy.c): a pure function over bytes.
typedef enum NpyProblem {
    NPY_OK, NPY_NO_MAGIC, NPY_BAD_VERSION, NPY_SHORT_HEADER, NPY_BAD_HEADER, NPY_BAD_DTYPE,
    NPY_SWAPPED, NPY_OBJECTS, NPY_TOO_LARGE, NPY_SHORT_DATA
} NpyProblem;
typedef struct NpyHeader {
    DType dtype;
    bool fortran_order;
    int ndim;
    int64_t shape[NDIM_MAX];
    size_t data_at;        // offset of the elements
    int version[2];
    size_t wanted, got;    // bytes, for messages
    const char *descr;     // of NPY_BAD_DTYPE: where the text stands
    size_t descr_len;
} NpyHeader;
NpyProblem npy_parse(const char *bytes, size_t len, NpyHeader *out);
// Whole .npy files (numpy_file.c).
Status npy_array(Vm *vm, const char *bytes, size_t len, Value *out); // ValueError, EOFError
Status npy_put(Vm *vm, Value array, Buf *out);

#endif
