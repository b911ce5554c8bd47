// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Float flags of the running thread. On x86-64 the C library looks after those of the x87 unit too,
// at a cost that a kernel of ten elements feels; they are touched here only if one is set.

#ifndef NACRE_BACKENDS_CPU_FLAGS_H
#define NACRE_BACKENDS_CPU_FLAGS_H

#include <fenv.h>

#include "vm/plugin/backend.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <xmmintrin.h>

enum { ALL_FLAGS = 0x3f, TOLD_FLAGS = 0x1d }; // not inexact, not subnormal

static inline int x87_flags(void) {
    unsigned short status;
    __asm__ volatile("fnstsw %0" : "=a"(status));
    return status & ALL_FLAGS;
}

static inline void flags_clear(void) {
    unsigned now = _mm_getcsr();
    if (now & ALL_FLAGS) _mm_setcsr(now & ~(unsigned)ALL_FLAGS);
    if (x87_flags()) __asm__ volatile("fnclex");
}

// The flags of the SSE unit as they are, and back: whatever has been raised in between is forgotten. To
// write the register takes longer than to read it.
static inline unsigned flags_keep(void) {
    return _mm_getcsr();
}

static inline void flags_back(unsigned kept) {
    if ((_mm_getcsr() ^ kept) & TOLD_FLAGS) _mm_setcsr(kept);
}

static inline int flags_now(void) {
    return (int)(_mm_getcsr() & ALL_FLAGS) | x87_flags();
}

// Machine code looks at those of the SSE unit only; the C library raises some in the other one.
static inline void flags_together(void) {
    unsigned other = (unsigned)x87_flags();
    if (!other) return;
    __asm__ volatile("fnclex");
    _mm_setcsr(_mm_getcsr() | other);
}

// Whether one of those that are told of has been raised.
static inline bool flags_any(void) {
    return (_mm_getcsr() | (unsigned)x87_flags()) & TOLD_FLAGS;
}
#else
static inline void flags_clear(void) {
    feclearexcept(FE_ALL_EXCEPT);
}

static inline void flags_together(void) {}

static inline int flags_now(void) {
    return fetestexcept(FE_ALL_EXCEPT);
}

static inline bool flags_any(void) {
    return fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
}
#endif

// Those raised since they were last cleared, as a set of Flag.
static inline uint32_t flags_raised(void) {
    int raised = flags_now();
    return (raised & FE_DIVBYZERO ? FLAG_DIVIDE : 0) | (raised & FE_OVERFLOW ? FLAG_OVERFLOW : 0) |
           (raised & FE_UNDERFLOW ? FLAG_UNDERFLOW : 0) | (raised & FE_INVALID ? FLAG_INVALID : 0);
}

// Adds those of them that are in `told` to a site's, and forgets all. Arithmetic does not touch the x87
// unit (`x87`), which takes longer to ask than a short row of elements takes to add.
static inline void flags_tell(uint32_t *site, uint32_t told, bool x87) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (!(_mm_getcsr() & TOLD_FLAGS) && !(x87 && x87_flags() & TOLD_FLAGS)) return;
#else
    (void)x87;
    if (!flags_now()) return;
#endif
    *site |= flags_raised() & told;
    flags_clear();
}

#endif
