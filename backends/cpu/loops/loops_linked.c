// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The loops of all instruction sets, for builds that link them in: programs and libnacre-rt.

#include "backends/cpu/cpu.h"

const Loops *loops_find(LoopSet set) {
#ifdef NACRE_LOOPS_X86
    return set == LOOPS_AVX512 ? &loops_avx512 : &loops_avx2;
#else
    (void)set;
    return NULL;
#endif
}

void loops_describe(Buf *out, const Loops *used) {
    (void)out, (void)used;
}
