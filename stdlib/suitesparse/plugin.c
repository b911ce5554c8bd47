// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The plug-in nacre-suitesparse.so: its table of operations.

#include <suitesparse/SuiteSparseQR_definitions.h>
#include <suitesparse/cholmod.h>
#include <suitesparse/klu.h>
#include <suitesparse/umfpack.h>

#include "stdlib/suitesparse/cholesky.h"
#include "stdlib/suitesparse/direct.h"
#include "stdlib/suitesparse/guard.h"
#include "stdlib/suitesparse/qr.h"

// Defines, for each operation, an entry that charges its allocations to its call.
#define ENTER(name, args, op)                \
    static void enter_##op(SparseCall *call) { \
        guard_call(call, op);                \
    }
#define ROW(name, args, op) {name, args, 0, enter_##op},
DIRECT_ROWS(ENTER)
CHOLESKY_ROWS(ENTER)
QR_ROWS(ENTER)

static const SparseOp ops[] = {
    DIRECT_ROWS(ROW)
    CHOLESKY_ROWS(ROW)
    QR_ROWS(ROW)
    {0},
};

#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
#define VERSION(name) NUMBER(name##_MAIN_VERSION) "." NUMBER(name##_SUB_VERSION) "." NUMBER(name##_SUBSUB_VERSION)

static const SparsePlugin plugin = {
    SPARSE_VERSION, ops,
    VERSION(SUITESPARSE) " (CHOLMOD " VERSION(CHOLMOD) ", UMFPACK " VERSION(UMFPACK) ", KLU " VERSION(KLU) ", SPQR " VERSION(SPQR)
    ") in nacre-suitesparse.so",
};

__attribute__((visibility("default"))) const SparsePlugin *nacre_sparse(void);
const SparsePlugin *nacre_sparse(void) { // called once, before anything else
    SuiteSparse_config.malloc_func = guard_malloc; // SuiteSparse is linked statically: this is the plug-in's own copy
    SuiteSparse_config.calloc_func = guard_calloc;
    SuiteSparse_config.realloc_func = guard_realloc;
    SuiteSparse_config.free_func = guard_free;
    return &plugin;
}
