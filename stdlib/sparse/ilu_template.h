// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Incomplete factors for one type of numbers. The including file defines T, its MAGNITUDE, and NAME(x).

static void NAME(touch)(Ilu *f, int64_t row) {
    if (f->marked[row]) return;
    f->marked[row] = true;
    f->touched[f->touched_count++] = row;
    ((T *)f->work)[row] = 0;
    if (f->place[row] >= 0) heap_push(f, f->place[row]);
}

// Scatters a column of the matrix into `work`. Returns the magnitude of its largest element.
static double NAME(load)(Ilu *f, int64_t column) {
    T *work = f->work;
    double most = 0;
    f->touched_count = f->heap_count = 0;
    for (int64_t k = index_at(f->indptr, column); k < index_at(f->indptr, column + 1); k++) {
        int64_t row = index_at(f->indices, k);
        NAME(touch)(f, row);
        work[row] += ((const T *)f->data->data)[k];
        double size = MAGNITUDE(work[row]);
        if (size > most) most = size;
    }
    return most;
}

// Eliminates with earlier columns of L, in pivot order, except where the multiplier is at most `small`. Returns how
// many multipliers, the elements of U, there are.
static int64_t NAME(eliminate)(Ilu *f, double small) {
    T *work = f->work;
    int64_t kept = 0;
    while (f->heap_count > 0) {
        int64_t place = heap_pop(f), row = f->pivots[place];
        T by = work[row];
        if (MAGNITUDE(by) <= small) continue;
        f->kept[kept++] = row;
        for (int64_t k = f->l.first[place]; k < f->l.first[place + 1]; k++) {
            NAME(touch)(f, f->l.rows[k]);
            work[f->l.rows[k]] -= by * ((const T *)f->l.values)[k];
        }
    }
    return kept;
}

// Returns the row of the pivot: the column's own if its element is large enough, else that of the largest element.
static int64_t NAME(choose)(Ilu *f, int64_t own, double *size) {
    const T *work = f->work;
    int64_t best = -1;
    *size = 0;
    for (int64_t k = 0; k < f->touched_count; k++) {
        int64_t row = f->touched[k];
        double here = MAGNITUDE(work[row]);
        if (f->place[row] >= 0 || !(here > *size)) continue;
        best = row;
        *size = here;
    }
    if (f->place[own] < 0) {
        double here = f->marked[own] ? MAGNITUDE(work[own]) : 0;
        if (best < 0 || (here > 0 && here >= f->pivot * *size)) {
            *size = here;
            return own;
        }
    }
    while (best < 0 && f->place[f->next_free] >= 0) f->next_free++;
    return best < 0 ? f->next_free : best;
}

// Returns the `allowed`-th largest magnitude off the pivot. Smaller elements are dropped. Elements equal to it are all
// kept, so ties can exceed `allowed`.
static double NAME(bound)(Ilu *f, int64_t kept, int64_t pivot_row, double small, int64_t allowed) {
    const T *work = f->work;
    int64_t count = 0;
    for (int64_t k = 0; k < kept; k++) f->sizes[count++] = MAGNITUDE(work[f->kept[k]]);
    for (int64_t k = 0; k < f->touched_count; k++) {
        int64_t row = f->touched[k];
        double size = MAGNITUDE(work[row]);
        if (f->place[row] < 0 && row != pivot_row && size > small) f->sizes[count++] = size;
    }
    if (count <= allowed || allowed < 1) return allowed < 1 ? INFINITY : 0;
    return select_magnitude(f->sizes, count, allowed);
}

static bool NAME(store)(Ilu *f, int64_t place, int64_t kept, int64_t pivot_row, T pivot, double small, double bound) {
    const T *work = f->work;
    bool fine = true;
    for (int64_t k = 0; k < kept && fine; k++)
        if (MAGNITUDE(work[f->kept[k]]) >= bound)
            fine = growing_add(f->call, &f->u, f->place[f->kept[k]], &work[f->kept[k]]);
    fine = fine && growing_add(f->call, &f->u, place, &pivot);
    for (int64_t k = 0; k < f->touched_count && fine; k++) {
        int64_t row = f->touched[k];
        double size = MAGNITUDE(work[row]);
        if (f->place[row] >= 0 || row == pivot_row || !(size > small) || size < bound) continue;
        T value = work[row] / pivot;
        fine = growing_add(f->call, &f->l, row, &value);
    }
    f->u.first[place + 1] = f->u.count;
    f->l.first[place + 1] = f->l.count;
    return fine;
}

int64_t NAME(ilu_run)(Ilu *f) {
    double allowed = 0;
    for (int64_t place = 0; place < f->n; place++) {
        int64_t column = f->order ? f->order[place] : place;
        double most = NAME(load)(f, column), small = f->drop * most, size;
        if (!(most > 0)) return column;
        int64_t kept = NAME(eliminate)(f, small), row = NAME(choose)(f, column, &size);
        // If dropping has left no pivot, a small one is substituted.
        T pivot = size > 0 ? ((const T *)f->work)[row] : most * (f->drop > 0 ? f->drop : 1e-16);
        int64_t entries = index_at(f->indptr, column + 1) - index_at(f->indptr, column);
        allowed += f->fill * (double)entries;
        double left = allowed - (double)(f->l.count + f->u.count) - 1;
        double bound = NAME(bound)(f, kept, row, small, left > (double)f->n ? f->n : (int64_t)left);
        bool fine = NAME(store)(f, place, kept, row, pivot, small, bound);
        for (int64_t k = 0; k < f->touched_count; k++) f->marked[f->touched[k]] = false;
        f->place[row] = place;
        f->pivots[place] = row;
        if (!fine || ((place & 255) == 0 && f->call->host->stopped(f->call))) return -2;
    }
    return -1;
}
