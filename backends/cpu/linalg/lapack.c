// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Opens LAPACK on top of BLIS. LAPACK asks the loader for libblas.so.3; BLIS's file of that name
// has been opened by path before, so the loader reuses it, though its symbols are not global.
// Nothing is opened globally: the host may have another BLAS, whose symbols must not interpose
// either.

#define _GNU_SOURCE // dladdr, RTLD_DEEPBIND
#include "backends/cpu/linalg/lapack.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

#include "lang/support/libraries.h"

#if __has_include("nacre_config.h")
#include "nacre_config.h"
#include "backends/cpu/library.h"
#include "backends/cpu/product/blis.h"
#endif
#ifndef NACRE_LAPACK_LIBRARY
#define NACRE_LAPACK_LIBRARY ""
#endif
#ifndef NACRE_SANITIZE
#define NACRE_SANITIZE ""
#endif

// Filled once per process, under a lock.
static struct {
    pthread_once_t once;
    void *handle;
    Lapack table;
    bool complete;
} process = {.once = PTHREAD_ONCE_INIT};

#define FIND(name, symbol) \
    (*(void **)&process.table.name = dlsym(process.handle, symbol)) != NULL

static void open_lapack(void) {
    // Sanitizers do not work in a library opened with RTLD_DEEPBIND.
    int own = sizeof NACRE_SANITIZE > 1 ? 0 : RTLD_DEEPBIND;
    if (!NACRE_LAPACK_LIBRARY[0]) return;
    blis_prepare();
    process.handle = library_open(NACRE_LAPACK_LIBRARY, RTLD_LAZY | RTLD_LOCAL | own);
    process.complete =
        process.handle && FIND(geqrf[0], "dgeqrf_") && FIND(geqrf[1], "zgeqrf_") &&
        FIND(orgqr[0], "dorgqr_") && FIND(orgqr[1], "zungqr_") && FIND(syevd, "dsyevd_") &&
        FIND(heevd, "zheevd_") && FIND(dsterf, "dsterf_") && FIND(dstedc, "dstedc_") &&
        FIND(dgeev, "dgeev_") && FIND(zgeev, "zgeev_") && FIND(dgesdd, "dgesdd_") && FIND(zgesdd, "zgesdd_") &&
        FIND(dgelsd, "dgelsd_") && FIND(zgelsd, "zgelsd_") &&
        FIND(zpotrf, "zpotrf_");
}

const Lapack *lapack_open(void) {
    pthread_once(&process.once, open_lapack);
    return process.complete ? &process.table : NULL;
}

bool lapack_usable(const View *matrix, uint32_t *flags) {
    bool fits = rows_of(matrix) < INT_MAX && cols_of(matrix) < INT_MAX;
    if (!lapack_open()) *flags |= FLAG_ABSENT;
    else if (!fits) *flags |= FLAG_FAILED;
    return fits && lapack_open();
}

bool lapack_is_wide(const Cpu *cpu, int64_t extent, bool shared) {
    enum { WIDE_FROM = 128 };
    return cpu->threads > 1 && !shared && extent >= WIDE_FROM && !cpu->reproducible;
}

int lapack_begin(const Cpu *cpu, int64_t extent, bool shared) {
    return blis_begin(lapack_is_wide(cpu, extent, shared));
}

void lapack_describe(Buf *out) {
    if (!lapack_open()) {
        buf_puts(out, "LAPACK: not there; numpy.linalg has solve, inv, det, cholesky\n");
        return;
    }
    Dl_info blas;
    void *product = dlsym(process.handle, "dgemm_");
    bool known = product && dladdr(product, &blas);
    char at[PATH_MAX];
    buf_printf(out, "LAPACK: %s over %s\n", library_where(NACRE_LAPACK_LIBRARY, at), known ? blas.dli_fname : "?");
}
