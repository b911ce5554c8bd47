// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU factors of band matrices for one type of elements. The including file defines T, its MAGNITUDE and CONJ, and
// NAME(x). Element (i, j) of the band is AT(x, i, j). Row exchanges may add `below` diagonals above the band.

#define AT(x, i, j) (x)[(j) * m->height + m->below + m->above + (i) - (j)]

// Loads the matrix into the band, with each row divided by the sum of its magnitudes. False: a row has only zeros.
static bool NAME(load)(const Factor *f, Band *m) {
    const Analysis *a = f->analysis;
    const T *values = (const T *)f->values;
    T *x = m->values;
    memset(m->scale, 0, (size_t)a->n * sizeof *m->scale);
    for (int64_t k = 0; k < a->entries; k++) m->scale[at(a->indices, a->wide, k)] += MAGNITUDE(values[k]);
    for (int64_t i = 0; i < a->n; i++)
        if (!(m->scale[i] > 0)) return false;
    for (int64_t j = 0; j < a->n; j++)
        for (int64_t k = at(a->indptr, a->wide, j); k < at(a->indptr, a->wide, j + 1); k++) {
            int64_t i = at(a->indices, a->wide, k);
            AT(x, i, j) = values[k] / m->scale[i];
        }
    return true;
}

// Eliminates column by column with row exchanges. Returns a rough estimate of 1 / the condition number: the smallest
// pivot over the largest. 0: the matrix is singular.
static double NAME(eliminate)(Band *m, int64_t n) {
    T *x = m->values;
    double least = INFINITY, most = 0;
    int64_t reach = 0; // the last column that row exchanges have filled so far
    for (int64_t j = 0; j < n; j++) {
        int64_t rows = n - 1 - j < m->below ? n - 1 - j : m->below, pivot = j;
        for (int64_t i = j + 1; i <= j + rows; i++)
            if (MAGNITUDE(AT(x, i, j)) > MAGNITUDE(AT(x, pivot, j))) pivot = i;
        double size = MAGNITUDE(AT(x, pivot, j));
        if (!(size > 0)) return 0;
        least = size < least ? size : least;
        most = size > most ? size : most;
        int64_t end = pivot + m->above < n - 1 ? pivot + m->above : n - 1;
        reach = end > reach ? end : reach;
        m->pivots[j] = pivot;
        for (int64_t c = j; c <= reach && pivot != j; c++) {
            T held = AT(x, j, c);
            AT(x, j, c) = AT(x, pivot, c);
            AT(x, pivot, c) = held;
        }
        T inverse = 1 / AT(x, j, j), *column = &AT(x, j, j);
        for (int64_t i = 1; i <= rows; i++) column[i] *= inverse;
        for (int64_t c = j + 1; c <= reach; c++) {
            T by = AT(x, j, c), *to = &AT(x, j, c);
            if (by == 0) continue;
            for (int64_t i = 1; i <= rows; i++) to[i] -= by * column[i];
        }
    }
    return least / most;
}

static void NAME(exchange)(T *x, int64_t i, int64_t k) {
    T held = x[i];
    x[i] = x[k];
    x[k] = held;
}

static void NAME(solve_plain)(const Band *m, int64_t n, T *b) {
    const T *x = m->values;
    for (int64_t i = 0; i < n; i++) b[i] /= m->scale[i];
    for (int64_t j = 0; j < n; j++) {
        int64_t rows = n - 1 - j < m->below ? n - 1 - j : m->below;
        NAME(exchange)(b, j, m->pivots[j]);
        for (int64_t i = 1; i <= rows; i++) b[j + i] -= b[j] * AT(x, j + i, j);
    }
    for (int64_t j = n - 1; j >= 0; j--) {
        int64_t first = j - m->above - m->below > 0 ? j - m->above - m->below : 0;
        b[j] /= AT(x, j, j);
        for (int64_t i = first; i < j; i++) b[i] -= b[j] * AT(x, i, j);
    }
}

static void NAME(solve_across)(const Band *m, int64_t n, T *b, bool conj_asked) {
    const T *x = m->values;
    for (int64_t j = 0; j < n; j++) {
        int64_t first = j - m->above - m->below > 0 ? j - m->above - m->below : 0;
        T sum = b[j];
        for (int64_t i = first; i < j; i++) sum -= (conj_asked ? CONJ(AT(x, i, j)) : AT(x, i, j)) * b[i];
        b[j] = sum / (conj_asked ? CONJ(AT(x, j, j)) : AT(x, j, j));
    }
    for (int64_t j = n - 1; j >= 0; j--) {
        int64_t rows = n - 1 - j < m->below ? n - 1 - j : m->below;
        T sum = b[j];
        for (int64_t i = 1; i <= rows; i++) sum -= (conj_asked ? CONJ(AT(x, j + i, j)) : AT(x, j + i, j)) * b[j + i];
        b[j] = sum;
        NAME(exchange)(b, j, m->pivots[j]);
    }
    for (int64_t i = 0; i < n; i++) b[i] /= m->scale[i];
}

// Adds the number of nonzero elements of L and U, without their diagonals, to *l and *u.
static void NAME(count)(const Band *m, int64_t n, int64_t *l, int64_t *u) {
    const T *x = m->values;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = j + 1; i < n && i <= j + m->below; i++) *l += AT(x, i, j) != 0;
        for (int64_t i = j - m->above - m->below > 0 ? j - m->above - m->below : 0; i < j; i++) *u += AT(x, i, j) != 0;
    }
}

// Writes L and U by columns. rows[i] is the row of A that is in row i after the exchanges so far; place[r] is the final
// position of A's row r. The row scaling is undone: with D the scales in pivot order, the factors of A are D L D⁻¹ and
// D U.
static void NAME(write)(const Band *m, int64_t n, int64_t *rows, const int64_t *place, Parts *p) {
    const T *x = m->values;
    T *l = (T *)p->l, *u = (T *)p->u;
    int64_t to = 0, up = 0;
    for (int64_t i = 0; i < n; i++) rows[i] = i;
    for (int64_t j = 0; j < n; j++) {
        int64_t held = rows[j];
        rows[j] = rows[m->pivots[j]];
        rows[m->pivots[j]] = held;
        p->l_indices[to] = j;
        l[to++] = 1;
        for (int64_t i = j + 1; i < n && i <= j + m->below; i++)
            if (AT(x, i, j) != 0) {
                p->l_indices[to] = place[rows[i]];
                l[to++] = AT(x, i, j) * (m->scale[rows[i]] / m->scale[rows[j]]);
            }
        p->l_indptr[j + 1] = to;
        for (int64_t i = j - m->above - m->below > 0 ? j - m->above - m->below : 0; i <= j; i++)
            if (i == j || AT(x, i, j) != 0) {
                p->u_indices[up] = i;
                u[up++] = AT(x, i, j) * m->scale[rows[i]];
            }
        p->u_indptr[j + 1] = up;
    }
}

#undef AT
