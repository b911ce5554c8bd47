// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Float flags of the running thread. On x86-64 the C library also handles the x87 unit, whose cost
// shows in kernels of ten elements; here it is only touched if one of its flags is set.

#ifndef NACRE_BACKENDS_CPU_FLAGS_H
#define NACRE_BACKENDS_CPU_FLAGS_H

#include <fenv.h>

#include "vm/plugin/backend.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <xmmintrin.h>

enum { ALL_FLAGS = 0x3f, TOLD_FLAGS = 0x1d }; // the latter: all but inexact and subnormal

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

// Saves and restores the SSE flags, discarding what was raised in between. Writing the register is
// slower than reading it.
static inline unsigned flags_keep(void) {
    return _mm_getcsr();
}

static inline void flags_back(unsigned kept) {
    if ((_mm_getcsr() ^ kept) & TOLD_FLAGS) _mm_setcsr(kept);
}

static inline int flags_now(void) {
    return (int)(_mm_getcsr() & ALL_FLAGS) | x87_flags();
}

// Moves x87 flags to the SSE unit: machine code reads only the SSE unit's, but the C library raises some
// flags in the x87 unit.
static inline void flags_together(void) {
    unsigned other = (unsigned)x87_flags();
    if (!other) return;
    __asm__ volatile("fnclex");
    _mm_setcsr(_mm_getcsr() | other);
}

// Returns whether a reportable flag is set.
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

// Returns the flags raised since they were last cleared, as a set of Flag.
static inline uint32_t flags_raised(void) {
    int raised = flags_now();
    return (raised & FE_DIVBYZERO ? FLAG_DIVIDE : 0) | (raised & FE_OVERFLOW ? FLAG_OVERFLOW : 0) |
           (raised & FE_UNDERFLOW ? FLAG_UNDERFLOW : 0) | (raised & FE_INVALID ? FLAG_INVALID : 0);
}

// Adds the raised flags that are in `mask` to a site and clears all. `x87`: checks the x87 unit as
// well; arithmetic never uses it, and checking it takes longer than adding a short row.
static inline void flags_tell(uint32_t *site, uint32_t mask, bool x87) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (!(_mm_getcsr() & TOLD_FLAGS) && !(x87 && x87_flags() & TOLD_FLAGS)) return;
#else
    (void)x87;
    if (!flags_now()) return;
#endif
    *site |= flags_raised() & mask;
    flags_clear();
}

#endif
