// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Detects processor features.

#include "backends/cpu/cpu.h"

#if defined(__x86_64__)
bool has_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool has_avx512(void) {
    __builtin_cpu_init();
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#else
bool has_avx2(void) {
    return false;
}

bool has_avx512(void) {
    return false;
}
#endif
