// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU factors of circuit-like matrices, by KLU: block triangular form, then column by column in blocks that hardly fill
// in. The next matrix of the same pattern reuses the pivots (refactoring).

#include <math.h>

#include <suitesparse/klu.h>

#include "stdlib/suitesparse/direct.h"
#include "stdlib/suitesparse/guard.h"

// What is read from KLU's structs, which exist for two index widths and are otherwise the same. Here indices are wide.
typedef struct Figures {
    int64_t l, u, off, largest;
    double flops, estimate; // estimated operations; estimated elements of L and U together
} Figures;

typedef struct Extracted {
    void *lp, *li, *up, *ui, *fp, *fi, *rows, *columns, *blocks;
    double *l, *u, *f, *scale;    // their real parts if they are complex; the scales are real
    double *l_im, *u_im, *f_im;
} Extracted;

typedef struct Family {
    int (*analyse)(const Analysis *a, void **out);
    int (*factor)(const Analysis *a, double *values, void **out, double *rcond);
    // Copies a factorisation with the values of another matrix. *growth is KLU's reciprocal pivot growth: the smallest
    // ratio over the columns of the matrix's largest element to that of U.
    int (*refactor)(const Analysis *a, double *values, const void *from, void **out, double *rcond, double *growth);
    int (*solve)(const Factor *f, double *x, int64_t columns, Transpose trans);
    int (*extract)(const Factor *f, const Extracted *to);
    void (*figures)(const Analysis *a, const void *numeric, Figures *out);
    void (*drop_analysis)(void *symbolic);
    void (*drop_factor)(void *numeric);
} Family;

static void *copy_of(const void *from, size_t bytes, bool *room) {
    void *to = from ? guard_malloc(bytes + 1) : NULL;
    if (to) memcpy(to, from, bytes);
    else if (from) *room = false;
    return to;
}

#define REAL_ARGS(x, im) x
#define COMPLEX_ARGS(x, im) x, im
#define REAL_CONJ(trans)
#define COMPLEX_CONJ(trans) , (trans) == ADJOINT

#define INDEX int
#define PARTS 1
#define BY_INDEX(f) klu_##f
#define BY_NUMBER(f) klu_##f
#define ARGS(x, im) REAL_ARGS(x, im)
#define CONJ(trans) REAL_CONJ(trans)
#define NAME(f) f##_di
#include "stdlib/suitesparse/klu_template.h"
#define INDEX SuiteSparse_long
#define PARTS 1
#define BY_INDEX(f) klu_l_##f
#define BY_NUMBER(f) klu_l_##f
#define ARGS(x, im) REAL_ARGS(x, im)
#define CONJ(trans) REAL_CONJ(trans)
#define NAME(f) f##_dl
#include "stdlib/suitesparse/klu_template.h"
#define INDEX int
#define PARTS 2
#define BY_INDEX(f) klu_##f
#define BY_NUMBER(f) klu_z_##f
#define ARGS(x, im) COMPLEX_ARGS(x, im)
#define CONJ(trans) COMPLEX_CONJ(trans)
#define NAME(f) f##_zi
#include "stdlib/suitesparse/klu_template.h"
#define INDEX SuiteSparse_long
#define PARTS 2
#define BY_INDEX(f) klu_l_##f
#define BY_NUMBER(f) klu_zl_##f
#define ARGS(x, im) COMPLEX_ARGS(x, im)
#define CONJ(trans) COMPLEX_CONJ(trans)
#define NAME(f) f##_zl
#include "stdlib/suitesparse/klu_template.h"

static const Family *family_of(const Analysis *a) {
    if (a->is_complex) return a->wide ? &family_zl : &family_zi;
    return a->wide ? &family_dl : &family_di;
}

static Outcome outcome_of(int status) {
    switch (status) {
    case KLU_OK: return DONE;
    case KLU_SINGULAR: return SINGULAR;
    case KLU_TOO_LARGE: return TOO_LARGE;
    default: return NO_MEMORY;
    }
}

// Returns whether KLU suits the matrix. With few operations per element of the factors, dense blocks are too small to
// pay off. A block triangular form is an advantage by itself, since UMFPACK does not look for one. The measurements are
// in docs/decisions.md.
static bool is_suited(int64_t n, const Figures *s) {
    enum { FEW = 60, FEW_IN_BLOCKS = 400 };
    return s->flops <= (2 * s->largest <= n ? FEW_IN_BLOCKS : FEW) * (s->estimate + 1);
}

// The arguments and results of a guarded call of KLU.
typedef struct Calling {
    const Analysis *analysis;
    Factor *factor;
    void *made;
    int status;
} Calling;

static void analyse_guarded(void *job) {
    Calling *now = job;
    now->status = family_of(now->analysis)->analyse(now->analysis, &now->made);
}

static Outcome analyse(SparseCall *call, Analysis *a, const double *values) {
    enum { NARROW = 1 << 29 }; // most estimated elements for 32-bit indices, with a margin for the estimate's error
    Calling now = {.analysis = a};
    Figures s;
    (void)values;
    if (!guarded(call, analyse_guarded, &now)) return LEFT;
    a->symbolic = now.made;
    Outcome outcome = outcome_of(now.status);
    if (!a->symbolic) return outcome == DONE ? NO_MEMORY : outcome;
    if (call->host->stopped(call)) return LEFT;
    family_of(a)->figures(a, NULL, &s);
    if (!is_suited(a->n, &s)) return UNSUITED;
    a->bytes = (s.estimate * 1.2 + (double)s.off) * (8.0 * (double)doubles_of(a) + (a->wide ? 8 : 4)) + 100.0 * (double)a->n;
    return s.estimate > NARROW && !a->wide ? TOO_LARGE : DONE;
}

static void drop_analysis(Analysis *a) {
    family_of(a)->drop_analysis(a->symbolic);
    a->symbolic = NULL;
}

static void drop_factor(Factor *f) {
    if (f->numeric) family_of(f->analysis)->drop_factor(f->numeric);
    f->numeric = NULL;
}

// Factorises with the pivots of the earlier factorisation `like`. Returns false if there is none, or elements grow too
// much with its pivots; nothing is left allocated then.
static bool refactored(const Factor *f, Calling *now, double *rcond) {
    const double enough = 1e-3; // KLU's own threshold for pivots
    const Family *family = family_of(f->analysis);
    double growth = 0;
    if (!f->like || f->like->analysis != f->analysis) return false;
    now->status = family->refactor(f->analysis, f->values, f->like->numeric, &now->made, rcond, &growth);
    if (now->status == KLU_OK && growth >= enough) return true;
    if (now->made) family->drop_factor(now->made);
    return false;
}

static void factor_guarded(void *job) {
    Calling *now = job;
    Factor *f = now->factor;
    if (!refactored(f, now, &f->rcond)) now->status = family_of(f->analysis)->factor(f->analysis, f->values, &now->made, &f->rcond);
}

static Outcome factor(SparseCall *call, Factor *f) {
    Calling now = {.analysis = f->analysis, .factor = f};
    if (!reserve(call, f->analysis->bytes) || !guarded(call, factor_guarded, &now)) return LEFT;
    f->numeric = now.made;
    return outcome_of(now.status);
}

static Outcome solve(SparseCall *call, Factor *f, double *x, const double *b, int64_t columns, Transpose trans) {
    (void)call;
    memcpy(x, b, (size_t)(f->analysis->n * doubles_of(f->analysis) * columns) * sizeof *x);
    return outcome_of(family_of(f->analysis)->solve(f, x, columns, trans));
}

static int64_t entries(const Factor *f) {
    Figures s;
    family_of(f->analysis)->figures(f->analysis, f->numeric, &s);
    return s.l + s.u + s.off;
}

// --- The factors in compressed columns -------------------------------------------------------------

// KLU returns factors L and U of the diagonal blocks, and F, the blocks above them. The whole matrix is L times (U +
// inverse(L) F). Columns of inverse(L) F are computed element by element, from the first row on, with a heap of rows.
typedef struct Upper {
    int64_t *heap, size;
    bool *met;
    double *x; // values of the current column
    int64_t parts;
} Upper;

static void heap_push(Upper *s, int64_t row) {
    int64_t i = s->size++;
    for (; i > 0 && s->heap[(i - 1) / 2] > row; i = (i - 1) / 2) s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = row;
}

static int64_t heap_pop(Upper *s) {
    int64_t first = s->heap[0], last = s->heap[--s->size], i = 0;
    for (int64_t child; (child = 2 * i + 1) < s->size; i = child) {
        child += child + 1 < s->size && s->heap[child + 1] < s->heap[child];
        if (s->heap[child] >= last) break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = last;
    return first;
}

static void add_to(Upper *s, int64_t row, double re, double im) {
    if (!s->met[row]) {
        s->met[row] = true;
        heap_push(s, row);
        for (int64_t c = 0; c < s->parts; c++) s->x[row * s->parts + c] = 0;
    }
    s->x[row * s->parts] += re;
    if (s->parts == 2) s->x[row * 2 + 1] += im;
}

// Subtracts column `row` of L, below the diagonal, times x[row] from x.
static void eliminate(Upper *s, const Parts *p, int64_t row) {
    double re = s->x[row * s->parts], im = s->parts == 2 ? s->x[row * 2 + 1] : 0;
    for (int64_t k = p->l_indptr[row]; k < p->l_indptr[row + 1]; k++) {
        const double *l = p->l + k * s->parts;
        double l_im = s->parts == 2 ? l[1] : 0;
        if (p->l_indices[k] != row) add_to(s, p->l_indices[k], l_im * im - l[0] * re, -l[0] * im - l_im * re);
    }
}

static bool grow_upper(Parts *p, int64_t parts, int64_t more, int64_t *room) {
    if (more <= *room) return true;
    int64_t next = more + *room / 2;
    int64_t *indices = guard_realloc(p->u_indices, (size_t)next * 8);
    if (indices) p->u_indices = indices;
    double *values = indices ? guard_realloc(p->u, (size_t)(next * parts) * 8) : NULL;
    if (values) p->u = values;
    if (values) *room = next;
    return values != NULL;
}

// Appends column j of the whole U: inverse(L) F's column, then that of its block's U. False: out of memory.
static bool upper_column(Upper *s, const Extracted *e, bool wide, int64_t j, Parts *p, int64_t *count, int64_t *room) {
    for (int64_t k = at(e->fp, wide, j); k < at(e->fp, wide, j + 1); k++)
        add_to(s, at(e->fi, wide, k), e->f[k], e->f_im ? e->f_im[k] : 0);
    while (s->size > 0) {
        int64_t row = heap_pop(s);
        eliminate(s, p, row);
        s->met[row] = false;
        if (!grow_upper(p, s->parts, *count + 1, room)) return false;
        p->u_indices[*count] = row;
        memcpy(p->u + *count * s->parts, s->x + row * s->parts, (size_t)s->parts * 8);
        ++*count;
    }
    int64_t from = at(e->up, wide, j), own = at(e->up, wide, j + 1) - from;
    if (!grow_upper(p, s->parts, *count + own, room)) return false;
    for (int64_t k = from; k < from + own; k++, ++*count) {
        p->u_indices[*count] = at(e->ui, wide, k);
        p->u[*count * s->parts] = e->u[k];
        if (s->parts == 2) p->u[*count * 2 + 1] = e->u_im[k];
    }
    p->u_indptr[j + 1] = *count;
    return true;
}

static bool make_upper(const Analysis *a, const Extracted *e, Parts *p) {
    int64_t parts = doubles_of(a), count = 0, room = 0;
    Upper s = {.heap = guard_malloc((size_t)(a->n + 1) * 8), .met = guard_calloc((size_t)a->n + 1, sizeof(bool)),
               .x = guard_malloc((size_t)((a->n + 1) * parts) * 8), .parts = parts};
    bool fine = s.heap && s.met && s.x;
    p->u_indptr[0] = 0;
    for (int64_t j = 0; j < a->n && fine; j++) fine = upper_column(&s, e, a->wide, j, p, &count, &room);
    guard_free(s.heap);
    guard_free(s.met);
    guard_free(s.x);
    return fine;
}

static void make_lower(const Analysis *a, const Extracted *e, int64_t count, Parts *p) {
    int64_t parts = doubles_of(a);
    for (int64_t j = 0; j <= a->n; j++) p->l_indptr[j] = at(e->lp, a->wide, j);
    for (int64_t k = 0; k < count; k++) {
        p->l_indices[k] = at(e->li, a->wide, k);
        p->l[k * parts] = e->l[k];
        if (parts == 2) p->l[k * 2 + 1] = e->l_im[k];
    }
}

static Outcome parts(SparseCall *call, const Factor *f, Parts *p) {
    (void)call;
    const Analysis *a = f->analysis;
    int64_t n = a->n, size = doubles_of(a);
    size_t index = a->wide ? 8 : 4;
    Figures s;
    family_of(a)->figures(a, f->numeric, &s);
    Extracted e = {0};
    void **indices[] = {&e.lp, &e.li, &e.up, &e.ui, &e.fp, &e.fi, &e.rows, &e.columns, &e.blocks};
    const int64_t index_counts[] = {n + 1, s.l, n + 1, s.u, n + 1, s.off, n, n, n + 1};
    double **numbers[] = {&e.l, &e.u, &e.f, &e.scale, &e.l_im, &e.u_im, &e.f_im};
    const int64_t number_counts[] = {s.l, s.u, s.off, n, s.l, s.u, s.off};
    int64_t **made[] = {&p->l_indptr, &p->l_indices, &p->u_indptr, &p->row_order, &p->column_order};
    const int64_t made_counts[] = {n + 1, s.l, n + 1, n, n};
    double *by_row = guard_malloc((size_t)(n + 1) * 8);
    bool room = (p->l = guard_malloc((size_t)((s.l + 1) * size) * 8)) != NULL && by_row;
    for (int i = 0; i < 9; i++) room &= (*indices[i] = guard_malloc((size_t)(index_counts[i] + 1) * index)) != NULL;
    for (int i = 0; i < (size == 2 ? 7 : 4); i++) room &= (*numbers[i] = guard_malloc((size_t)(number_counts[i] + 1) * 8)) != NULL;
    for (int i = 0; i < 5; i++) room &= (*made[i] = guard_malloc((size_t)(made_counts[i] + 1) * 8)) != NULL;
    Outcome outcome = room ? outcome_of(family_of(a)->extract(f, &e)) : NO_MEMORY;
    if (outcome == DONE) {
        make_lower(a, &e, s.l, p);
        for (int64_t k = 0; k < n; k++) {
            p->row_order[k] = at(e.rows, a->wide, k);
            p->column_order[k] = at(e.columns, a->wide, k);
            by_row[p->row_order[k]] = e.scale[k]; // KLU orders the scales by pivot
        }
        if (make_upper(a, &e, p)) parts_unscale(f, p, by_row, false);
        else outcome = NO_MEMORY;
    }
    guard_free(by_row);
    for (int i = 0; i < 9; i++) guard_free(*indices[i]);
    for (int i = 0; i < 7; i++) guard_free(*numbers[i]);
    return outcome;
}

const Method klu_method = {analyse, drop_analysis, factor, drop_factor, solve, entries, parts};
