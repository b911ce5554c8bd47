// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Debug builds record which VMs exist, so that a call on a destroyed VM is detected without reading its memory. This
// table is the only global state of the library.
//
// The table has no locks, since nacre_interrupt is called from signal handlers. A new VM must not get the address of
// one that was destroyed a moment ago, so the memory of the last destroyed ones is kept. AddressSanitizer does that
// itself, and detects accesses from the engine, too.

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
