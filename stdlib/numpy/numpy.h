// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The tables of functions that make up module numpy.

#ifndef NACRE_STDLIB_NUMPY_NUMPY_H
#define NACRE_STDLIB_NUMPY_NUMPY_H

#include "vm/array/methods.h"

Status numpy_ufuncs_init(Vm *vm, Module *module); // ufunc.c: adds the elementwise functions
Status numpy_exceptions_init(Vm *vm);             // errors.c: sets __module__ of exceptions to numpy.exceptions
extern const NativeDef numpy_creation[];  // create.c
extern const NativeDef numpy_shaping[];   // shape.c
extern const NativeDef numpy_files[];     // file.c
extern const NativeDef numpy_packing[];   // bits.c
extern const NativeDef numpy_selection[]; // select.c
Status numpy_scan_text(Vm *vm, const Value *args, Value *out); // fromstring.c

// Makes an array from v and calls f with it.
typedef Status (*ArrayFn)(Vm *vm, Value array, Value *out);
Status with_array(Vm *vm, Value v, ArrayFn f, Value *out);

// The header of the .npy format (npy.c).
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
    size_t wanted, got;    // bytes expected and present of the part that was read last
    const char *descr;     // the text of `descr` within the bytes, for messages; not NUL-terminated
    size_t descr_len;
} NpyHeader;
NpyProblem npy_parse(const char *bytes, size_t len, NpyHeader *out);
// Whole .npy files (file.c).
Status npy_array(Vm *vm, const char *bytes, size_t len, Value *out); // reads; raises ValueError, EOFError
Status npy_put(Vm *vm, Value array, Buf *out);                       // writes

#endif
