// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The tables of the native built-in modules. A module `x` has a table of functions `x_functions`, which
// ends with name == NULL. If it has more than functions, `x_init` adds the rest. stdlib/modules.c lists
// the modules.

#ifndef NACRE_STDLIB_STDLIB_H
#define NACRE_STDLIB_STDLIB_H

#include "vm/value/vm.h"

Status builtins_init(Vm *vm); // fills vm->builtins
Status builtins_module(Vm *vm, Module *module); // copies vm->builtins into module builtins

extern const NativeDef math_functions[];
extern const NativeDef json_functions[];
extern const NativeDef heapq_functions[];
Status math_init(Vm *vm, Module *module);
extern const NativeDef cmath_functions[];
Status cmath_init(Vm *vm, Module *module);
extern const NativeDef time_functions[];
extern const NativeDef sys_functions[];
Status sys_init(Vm *vm, Module *module);
extern const NativeDef os_functions[];
Status os_init(Vm *vm, Module *module);
extern const NativeDef intrinsic_functions[]; // module _nacre
Status intrinsics_init(Vm *vm, Module *module);
extern const NativeDef gc_functions[];
extern const NativeDef ranks_functions[];   // _ranks
extern const NativeDef devices_functions[]; // _devices
extern const NativeDef process_functions[]; // _process
extern const NativeDef system_functions[]; // _system
extern const NativeDef publish_functions[]; // _publish
// Asks the user for a line of input; *out is a str without the line end.
Status prompt_for(Vm *vm, const char *prompt, size_t len, Value *out);
extern const NativeDef frames_functions[]; // _frames
extern const NativeDef weak_functions[]; // _weak
extern const NativeDef csv_functions[]; // _csv
extern const NativeDef re_functions[]; // _re
Status re_init(Vm *vm, Module *module);
extern const NativeDef numpy_functions[];
Status numpy_init(Vm *vm, Module *module);
extern const NativeDef numpy_random_functions[]; // _numpy_random
Status numpy_random_init(Vm *vm, Module *module);
extern const NativeDef numpy_files_functions[]; // _numpy_files
extern const NativeDef numpy_zip_functions[]; // _numpy_zip
extern const NativeDef numpy_text_functions[]; // _numpy_text
extern const NativeDef numpy_errors_functions[]; // _numpy_errors
Status numpy_errors_init(Vm *vm, Module *module);
extern const NativeDef numpy_bits_functions[]; // _numpy_bits
extern const NativeDef numpy_raw_functions[]; // _numpy_raw
extern const NativeDef numpy_products_functions[]; // _numpy_products
Status numpy_einsum(Vm *vm, const Value *args, Value *out); // a function of _numpy_products
extern const NativeDef numpy_statistics_functions[]; // _numpy_statistics
extern const NativeDef numpy_linalg_functions[]; // _numpy_linalg
Status numpy_linalg_init(Vm *vm, Module *module);
extern const NativeDef numpy_fft_functions[]; // _numpy_fft
extern const NativeDef numpy_strides_functions[]; // _numpy_strides, in numpy/shape.c
extern const NativeDef hashes_functions[]; // _hashes
extern const NativeDef random_functions[]; // _random
Status random_init(Vm *vm, Module *module);
extern const NativeDef struct_functions[]; // _struct
Status struct_init(Vm *vm, Module *module);
extern const NativeDef zlib_functions[]; // _zlib
Status zlib_init(Vm *vm, Module *module);
extern const NativeDef binascii_functions[]; // _binascii
Status binascii_init(Vm *vm, Module *module);
extern const NativeDef imsave_functions[]; // _imsave
extern const NativeDef pictures_functions[]; // _pictures
extern const NativeDef sparse_functions[]; // _sparse
// Appends a line of text about SuiteSparse: its version, or that it is not there.
void sparse_describe(Buf *text);

// open() (file.c).
extern const NativeDef file_functions[];

#endif
