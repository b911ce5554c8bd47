// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Checks of matrices as arguments, and METIS's lock.

#include <pthread.h>

#include "stdlib/suitesparse/matrix.h"

#define ASCENDS(I)                                                                                            \
    static bool ascends_##I(const I *indptr, const I *indices, int64_t columns, int64_t rows, int64_t most) { \
        if (indptr[0] != 0) return false;                                                                     \
        for (int64_t j = 0; j < columns; j++) {                                                               \
            I last = -1;                                                                                      \
            if (indptr[j + 1] < indptr[j] || indptr[j + 1] > most) return false;                              \
            for (I k = indptr[j]; k < indptr[j + 1]; last = indices[k++])                                     \
                if (indices[k] <= last) return false;                                                         \
            if (last >= rows) return false;                                                                   \
        }                                                                                                     \
        return true;                                                                                          \
    }
ASCENDS(int32_t)
ASCENDS(int64_t)

static bool is_fine(const MatrixArgs *m) {
    const SparseArg *p = m->indptr, *i = m->indices, *x = m->data;
    if (p->kind != SPARSE_ARRAY || i->kind != SPARSE_ARRAY || p->type != i->type || m->columns < 0 || m->rows < 0) return false;
    if ((p->type != DT_INT32 && p->type != DT_INT64) || p->count != m->columns + 1) return false;
    if (x && (x->kind != SPARSE_ARRAY || (x->type != DT_FLOAT64 && x->type != DT_COMPLEX128))) return false;
    int64_t most = x && x->count < i->count ? x->count : i->count;
    return p->type == DT_INT64 ? ascends_int64_t(p->data, i->data, m->columns, m->rows, most)
                               : ascends_int32_t(p->data, i->data, m->columns, m->rows, most);
}

bool matrix_fine(const SparseArg *args, int i, bool has_data, int64_t rows, int64_t columns, MatrixArgs *m) {
    *m = (MatrixArgs){&args[i], &args[i + 1], has_data ? &args[i + 2] : NULL, rows, columns, args[i].type == DT_INT64, false};
    m->is_complex = has_data && args[i + 2].type == DT_COMPLEX128;
    return is_fine(m);
}

bool matrix_refused(SparseCall *call) {
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "indptr, indices and data have to be a matrix by columns in canonical form");
    return false;
}

static pthread_mutex_t random_lock = PTHREAD_MUTEX_INITIALIZER;

void metis_lock(void) {
    pthread_mutex_lock(&random_lock);
}
void metis_unlock(void) {
    pthread_mutex_unlock(&random_lock);
}
