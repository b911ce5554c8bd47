// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Elements at places that are known only at run time: by index, and by mask.

#include <string.h>

#include "backends/cpu/cpu.h"

// --- By index ----------------------------------------------------------------------------------

// The walk over places (outer) and over the axes that they do not name (inner). `many` are the
// elements in the array that has room for all of them.
typedef struct Places {
    View inner;      // of the array that is indexed: the axes that are walked
    int64_t many_inner[NDIM_MAX]; // strides of the other array along them
    const View *at;  // places
    const View *many;
} Places;

static void places_of(const Kernel *k, const View *indexed, const View *many, Places *p) {
    p->at = &k->args[k->library == AOP_TAKE ? 1 : 0].view;
    p->many = many;
    p->inner.ndim = 0;
    for (int d = 0; d < indexed->ndim; d++) {
        if (k->attrs.axes >> d & 1) continue;
        int i = p->inner.ndim++;
        p->inner.shape[i] = indexed->shape[d];
        p->inner.strides[i] = indexed->strides[d];
        p->many_inner[i] = many->strides[p->at->ndim + i];
    }
}

// Rows of the innermost axis, contiguous on both sides, are moved as one.
static size_t run_length(Places *p, size_t size) {
    int last = p->inner.ndim - 1;
    if (last < 0 || p->inner.strides[last] != (int64_t)size || p->many_inner[last] != (int64_t)size)
        return size;
    p->inner.ndim--;
    return size * (size_t)p->inner.shape[last];
}

static inline void move(char *to, const char *from, size_t bytes) {
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, bytes); break;
    }
}

static void move_inner(const Places *p, char *one, char *many, size_t bytes, bool take) {
    int64_t index[NDIM_MAX] = {0};
    const int64_t *strides[2] = {p->inner.strides, p->many_inner};
    char *at[2] = {one, many};
    if (p->inner.ndim == 0) {
        move(take ? many : one, take ? one : many, bytes);
        return;
    }
    do move(at[!take ? 0 : 1], at[take ? 0 : 1], bytes);
    while (odometer_next(p->inner.ndim, p->inner.shape, index, at, strides, 2));
}

static void select_places(const Cpu *cpu, const Kernel *k, const KernArg *indexed,
                          const KernArg *many, bool take, uint32_t *flags) {
    enum { POLL_EVERY = 1 << 12 };
    Places p;
    places_of(k, &indexed->view, &many->view, &p);
    if (view_size(&many->view) == 0) return;
    size_t bytes = run_length(&p, dtype_size(indexed->view.dtype));
    int64_t index[NDIM_MAX] = {0}, place, done = 0;
    const int64_t *strides[2] = {p.at->strides, many->view.strides};
    char *at[2] = {arg_at(&k->args[take ? 1 : 0]), arg_at(many)}, *base = arg_at(indexed);
    do {
        memcpy(&place, at[0], sizeof place);
        move_inner(&p, base + place * k->attrs.step, at[1], bytes, take);
        if (++done % POLL_EVERY == 0 && interrupted(cpu, flags)) return;
    } while (odometer_next(p.at->ndim, p.at->shape, index, at, strides, 2));
}

void run_take(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    select_places(cpu, k, &k->args[0], &k->result, true, flags);
}

void run_put(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    select_places(cpu, k, &k->result, &k->args[1], false, flags);
}

// --- By mask -----------------------------------------------------------------------------------

// Writes each element, and goes on only behind selected ones: no branch to guess. What would be
// written behind the last one is not.
#define SELECT(T)                                                    \
    for (int64_t i = 0; i < n && made < room; i++) {                 \
        ((T *)to)[made] = ((const T *)from)[i];                      \
        made += mask[i];                                             \
    }

void run_compress(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    const char *from = arg_at(&k->args[0]);
    const uint8_t *mask = (const uint8_t *)arg_at(&k->args[1]);
    char *to = arg_at(&k->result);
    int64_t n = view_size(&k->args[1].view), room = k->result.view.shape[0], made = 0;
    (void)cpu;
    (void)flags;
    switch (dtype_size(k->result.view.dtype)) {
    case 1: SELECT(uint8_t) break;
    case 2: SELECT(uint16_t) break;
    case 4: SELECT(uint32_t) break;
    default: SELECT(uint64_t) break;
    }
}

void run_nonzero(Cpu *cpu, const Kernel *k, uint32_t *flags) {
    enum { POLL_EVERY = 1 << 20 };
    const View *in = &k->args[0].view;
    const uint8_t *mask = (const uint8_t *)arg_at(&k->args[0]);
    int64_t *to = (int64_t *)arg_at(&k->result), n = view_size(in);
    int64_t *end = to + k->result.view.shape[0] * in->ndim;
    for (int64_t i = 0; i < n && to < end; i++) {
        if (i % POLL_EVERY == 0 && interrupted(cpu, flags)) return;
        if (!mask[i]) continue;
        int64_t rest = i;
        for (int d = in->ndim - 1; d >= 0; d--) {
            to[d] = rest % in->shape[d];
            rest /= in->shape[d];
        }
        to += in->ndim;
    }
}
