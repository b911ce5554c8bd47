// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The table of native built-in modules. Modules written in the language are compiled into the library
// from the .ncr files of this folder.

#include "stdlib/stdlib.h"
#include "vm/interp/host.h"
#include "vm/value/stepper.h"

const BuiltinModule builtin_modules[] = {
    {"_nacre", intrinsic_functions, intrinsics_init},
    {"builtins", NULL, builtins_module},
    {"math", math_functions, math_init},
    {"cmath", cmath_functions, cmath_init},
    {"itertools", itertools_functions, itertools_init},
    {"_json", json_functions, NULL},
    {"_heapq", heapq_functions, NULL},
    {"_time", time_functions, NULL},
    {"sys", sys_functions, sys_init},
    {"_os", os_functions, os_init},
    {"gc", gc_functions, NULL},
    {"_process", process_functions, NULL},
    {"_system", system_functions, NULL},
    {"_publish", publish_functions, NULL},
    {"_ranks", ranks_functions, NULL},
    {"_devices", devices_functions, NULL},
    {"_frames", frames_functions, NULL},
    {"_weak", weak_functions, NULL},
    {"_csv", csv_functions, NULL},
    {"_re", re_functions, re_init},
    {"numpy", numpy_functions, numpy_init},
    {"_numpy_random", numpy_random_functions, numpy_random_init},
    {"_numpy_files", numpy_files_functions, NULL},
    {"_numpy_zip", numpy_zip_functions, NULL},
    {"_numpy_text", numpy_text_functions, NULL},
    {"_numpy_errors", numpy_errors_functions, numpy_errors_init},
    {"_numpy_linalg", numpy_linalg_functions, numpy_linalg_init},
    {"_numpy_fft", numpy_fft_functions, NULL},
    {"_numpy_bits", numpy_bits_functions, NULL},
    {"_numpy_raw", numpy_raw_functions, NULL},
    {"_numpy_products", numpy_products_functions, NULL},
    {"_numpy_statistics", numpy_statistics_functions, NULL},
    {"_numpy_strides", numpy_strides_functions, NULL},
    {"_hashes", hashes_functions, NULL},
    {"_random", random_functions, random_init},
    {"_struct", struct_functions, struct_init},
    {"_zlib", zlib_functions, zlib_init},
    {"_binascii", binascii_functions, binascii_init},
    {"_imsave", imsave_functions, NULL},
    {"_pictures", pictures_functions, NULL},
    {"_sparse", sparse_functions, NULL},
    {NULL, NULL, NULL},
};
