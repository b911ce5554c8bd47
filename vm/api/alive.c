// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Which VMs there are, in debug builds: so that a call on one that was destroyed is told from a good one,
// without looking at its memory. The one global state of the library, and only there.
//
// A table without locks, as nacre_interrupt comes from signal handlers. A new VM must not have the address of
// one that was destroyed a moment ago: memory of the last ones is kept, unless the host allocates itself (it
// may look for leaks) or AddressSanitizer does the same, and tells of those in the engine that go there.

#include <stdlib.h>

#include "vm/api/api.h"

#ifdef NDEBUG

void api_born(const NacreVm *handle) {
    (void)handle;
}

void api_died(const NacreVm *handle) {
    (void)handle;
}

void api_bury(NacreVm *handle) {
    free(handle);
}

const char *api_text_of_dead(const NacreVm *handle) {
    (void)handle;
    return "";
}

#else

enum { MOST_ALIVE = 1024, KEPT_DEAD = 64 };

static struct {
    _Atomic(const NacreVm *) alive[MOST_ALIVE];
    atomic_int used;       // entries of `alive` in use, from the start
    atomic_bool overflown; // the table was full once, so every handle counts as alive
    _Atomic(NacreVm *) dead[KEPT_DEAD];
    atomic_uint deaths;
} process;

void api_born(const NacreVm *handle) {
    for (int i = 0; i < MOST_ALIVE; i++) {
        const NacreVm *nobody = NULL;
        if (!atomic_compare_exchange_strong(&process.alive[i], &nobody, handle)) continue;
        int used = atomic_load(&process.used);
        while (used <= i && !atomic_compare_exchange_weak(&process.used, &used, i + 1)) {
        }
        return;
    }
    atomic_store(&process.overflown, true);
}

bool api_is_alive(const NacreVm *handle) {
    int used = atomic_load(&process.used);
    if (!handle) return false;
    for (int i = 0; i < used; i++)
        if (atomic_load_explicit(&process.alive[i], memory_order_relaxed) == handle) return true;
    return atomic_load(&process.overflown);
}

void api_died(const NacreVm *handle) {
    for (int i = 0; i < MOST_ALIVE; i++)
        if (atomic_load(&process.alive[i]) == handle) atomic_store(&process.alive[i], NULL);
}

void api_bury(NacreVm *handle) {
#if !defined(__SANITIZE_ADDRESS__)
    unsigned at = atomic_fetch_add(&process.deaths, 1) % KEPT_DEAD;
    handle = atomic_exchange(&process.dead[at], handle);
#endif
    free(handle);
}

const char *api_text_of_dead(const NacreVm *handle) {
    return handle ? "call on a VM that was destroyed (nacre_free), or never made\n" : "";
}

#endif
