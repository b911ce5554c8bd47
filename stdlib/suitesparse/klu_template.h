// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// KLU for one type of indices and one of numbers: a template, included by klu.c.
// INDEX: type of indices
// PARTS: doubles of a number
// BY_INDEX(f): name of a struct, or of a function without numbers (klu_, klu_l_)
// BY_NUMBER(f): name of a function with numbers (klu_, klu_z_ …)
// ARGS(x, im): arguments for the parts of numbers
// CONJ(trans): further argument of a solution with the transpose: whether to conjugate
// NAME(f): name of a function, and of the table `family`

static int NAME(analyse)(const Analysis *a, void **out) {
    BY_INDEX(common) c;
    BY_INDEX(defaults)(&c);
    *out = BY_INDEX(analyze)((INDEX)a->n, a->indptr, a->indices, &c);
    return (int)c.status;
}

static void NAME(drop_analysis)(void *symbolic) {
    BY_INDEX(common) c;
    BY_INDEX(symbolic) *s = symbolic;
    BY_INDEX(defaults)(&c);
    BY_INDEX(free_symbolic)(&s, &c);
}

static void NAME(drop_factor)(void *numeric) {
    BY_INDEX(common) c;
    BY_INDEX(numeric) *n = numeric;
    BY_INDEX(defaults)(&c);
    BY_NUMBER(free_numeric)(&n, &c);
}

static int NAME(factor)(const Analysis *a, double *values, void **out, double *rcond) {
    BY_INDEX(common) c;
    BY_INDEX(defaults)(&c);
    BY_INDEX(numeric) *made = BY_NUMBER(factor)(a->indptr, a->indices, values, a->symbolic, &c);
    int status = (int)c.status;
    *out = made;
    if (made) BY_NUMBER(rcond)(a->symbolic, made, &c);
    *rcond = c.rcond;
    return made && status == KLU_OK ? KLU_OK : status == KLU_OK ? KLU_OUT_OF_MEMORY : status;
}

static BY_INDEX(numeric) *NAME(copy)(const BY_INDEX(numeric) *from) {
    BY_INDEX(numeric) *to = guard_malloc(sizeof *to);
    bool room = true;
    size_t n = (size_t)from->n, index = sizeof(INDEX), number = PARTS * sizeof(double), off = (size_t)from->nzoff;
    if (!to) return NULL;
    *to = *from;
    INDEX **orders[] = {&to->Pnum, &to->Pinv, &to->Lip, &to->Uip, &to->Llen, &to->Ulen};
    for (int i = 0; i < 6; i++) *orders[i] = copy_of(*orders[i], n * index, &room);
    to->Offp = copy_of(from->Offp, (n + 1) * index, &room);
    to->Offi = copy_of(from->Offi, off * index, &room);
    to->Offx = copy_of(from->Offx, off * number, &room);
    to->Udiag = copy_of(from->Udiag, n * number, &room);
    to->Rs = copy_of(from->Rs, n * sizeof(double), &room);
    to->LUsize = copy_of(from->LUsize, (size_t)from->nblocks * sizeof(size_t), &room);
    to->LUbx = guard_calloc((size_t)from->nblocks, sizeof *to->LUbx);
    to->Work = guard_malloc(from->worksize);
    for (INDEX b = 0; to->LUbx && b < from->nblocks; b++)
        to->LUbx[b] = from->LUbx[b] ? copy_of(from->LUbx[b], from->LUsize[b] * number, &room) : NULL;
    to->Xwork = to->Work;
    to->Iwork = to->Work ? (INDEX *)((char *)to->Work + ((char *)from->Iwork - (char *)from->Work)) : NULL;
    if (room && to->LUbx && to->Work) return to;
    NAME(drop_factor)(to);
    return NULL;
}

static int NAME(refactor)(const Analysis *a, double *values, const void *from, void **out, double *rcond,
                          double *growth) {
    BY_INDEX(common) c;
    BY_INDEX(defaults)(&c);
    BY_INDEX(numeric) *made = NAME(copy)(from);
    *out = made;
    if (!made) return KLU_OUT_OF_MEMORY;
    BY_NUMBER(refactor)(a->indptr, a->indices, values, a->symbolic, made, &c);
    int status = (int)c.status;
    if (status != KLU_OK) return status;
    BY_NUMBER(rcond)(a->symbolic, made, &c);
    BY_NUMBER(rgrowth)(a->indptr, a->indices, values, a->symbolic, made, &c);
    *rcond = c.rcond;
    *growth = c.rgrowth;
    return KLU_OK;
}

static int NAME(solve)(const Factor *f, double *x, int64_t columns, Transpose trans) {
    BY_INDEX(common) c;
    INDEX n = (INDEX)f->analysis->n;
    BY_INDEX(defaults)(&c);
    if (trans == PLAIN) BY_NUMBER(solve)(f->analysis->symbolic, f->numeric, n, (INDEX)columns, x, &c);
    else BY_NUMBER(tsolve)(f->analysis->symbolic, f->numeric, n, (INDEX)columns, x CONJ(trans), &c);
    return (int)c.status;
}

static int NAME(extract)(const Factor *f, const Extracted *e) {
    BY_INDEX(common) c;
    BY_INDEX(defaults)(&c);
    bool fine = BY_NUMBER(extract)(f->numeric, f->analysis->symbolic, e->lp, e->li, ARGS(e->l, e->l_im), e->up, e->ui,
                                   ARGS(e->u, e->u_im), e->fp, e->fi, ARGS(e->f, e->f_im), e->rows, e->columns,
                                   e->scale, e->blocks, &c) != 0;
    return fine ? KLU_OK : KLU_OUT_OF_MEMORY;
}

static void NAME(figures)(const Analysis *a, const void *numeric, Figures *out) {
    const BY_INDEX(symbolic) *s = a->symbolic;
    const BY_INDEX(numeric) *n = numeric;
    *out = (Figures){.off = s->nzoff, .largest = s->maxblock, .flops = s->est_flops, .estimate = s->lnz + s->unz};
    if (!n) return;
    out->l = n->lnz;
    out->u = n->unz;
    out->off = n->nzoff;
}

static const Family NAME(family) = {NAME(analyse), NAME(factor), NAME(refactor), NAME(solve), NAME(extract),
                                    NAME(figures), NAME(drop_analysis), NAME(drop_factor)};

#undef INDEX
#undef PARTS
#undef BY_INDEX
#undef BY_NUMBER
#undef ARGS
#undef CONJ
#undef NAME
