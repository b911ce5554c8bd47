// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The tile interpreter: evaluates a kernel's body instruction by instruction, a tile at a time.

#include <string.h>

#include "backends/cpu/flags.h"
#include "backends/cpu/sparse/lines.h"
#include "backends/cpu/tile/move.h"
#include "backends/cpu/tile/tile.h"

// Computes n products of lines; `at` is the address that the first product would have if products were stored.
static const void *load_lines(Tiles *tiles, const Kernel *k, int i, const char *at, size_t n) {
    const KernAccess *products = &k->loads[i], *indptr = products, *indices = products + 1, *data = products + 2;
    const char *first = indptr->base + tiles->lines[i]->offset;
    int64_t line = (at - first) / (int64_t)dtype_size(products->dtype);
    const Lines lines = {.indptr = first, .indices = access_at(indices), .data = access_at(data),
                         .x = access_at(products + 3), .width = 1, .run_rows = tiles->cpu->loops->run_rows,
                         .runs = tiles->lines[i]->runs,
                         .first = tiles->lines[i]->first, .far = lines_are_far(tiles->lines[i]->entries)};
    sparse_rows(products->dtype, indices->dtype == DT_INT64, &lines, line, line + (int64_t)n, tiles->load_buffer[i]);
    return tiles->load_buffer[i];
}

static const void *load(Tiles *tiles, const Kernel *k, int i, const char *at, size_t n) {
    if (tiles->lines[i]) return load_lines(tiles, k, i, at, n);
    int64_t stride = k->loads[i].strides[k->ndim - 1];
    size_t size = dtype_size(k->loads[i].dtype);
    char *buffer = tiles->load_buffer[i];
    const NarrowRows *rows = tiles->rows;
    if (rows && rows->by_rows[i]) {
        gather_narrow(at, rows->row[i], rows->column[i], (size_t)rows->width, buffer, size, n);
        return buffer;
    }
    if (stride == 0) { // mostly the same element as in the tile before
        if (n <= tiles->repeated[i] && memcmp(buffer, at, size) == 0) return buffer;
        tiles->repeated[i] = n;
    }
    gather(at, stride, buffer, size, n);
    return buffer;
}

bool refuses_exponents(OpId op, DType type, const char *at, int64_t stride, size_t n) {
    if (op != AOP_POWER || dtype_kind(type) != DK_INT) return false;
    for (size_t i = 0; i < n; i++, at += stride)
        if (dtype_load(type, at).i < 0) return true;
    return false;
}

static bool any_outside(const int64_t *indexes, const int64_t *extent, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((uint64_t)indexes[i] >= (uint64_t)*extent) return true;
    return false;
}

// Vector functions do not report underflow; the op's own loop does.
static void tell_underflow(LoopFn loop, const void *a, const void *b, size_t n) {
    double unused[TILE];
    loop(a, b, NULL, unused, n);
}

static void run_special(const Call *call, const KernInstr *in, const void *a, const void *b, void *out,
                        size_t n, uint32_t *flags) {
    if (call->vector || call->loop != call->exact) {
        tell_underflow(call->exact, a, b, n);
        if (call->vector) call->run(call->vector, call->loop, in->op == AOP_POWER, a, b, out, n);
        else call->loop(a, b, NULL, out, n);
        return;
    }
    int64_t size = (int64_t)dtype_size((DType)in->from);
    if (refuses_exponents((OpId)in->op, (DType)in->from, b, size, n)) {
        *flags |= FLAG_NEGATIVE_POWER;
        memset(out, 0, n * dtype_size((DType)in->type));
        return;
    }
    call->loop(a, b, NULL, out, n);
    if (in->op == AOP_WRAP_INDEX && any_outside(out, b, n)) *flags |= FLAG_INDEX;
}

// The hot path: only plain loops.
static void run_loops(Tiles *tiles, const Kernel *k, char *const *at, size_t n) {
    const void **values = tiles->values, **result = values + KERN_FIRST_CODE;
    for (const Call *call = tiles->calls, *end = call + k->code_count; call < end; call++) {
        void *out = call->access >= 0 ? at[call->access] : call->buffer;
        call->loop(values[call->args[0]], values[call->args[1]], values[call->args[2]], out, n);
        *result++ = out;
    }
}

static void run_body(Tiles *tiles, const Kernel *k, char *const *at, size_t n, bool by_site, uint32_t *flags) {
    for (int i = 0; i < k->code_count; i++) {
        const Call *call = &tiles->calls[i];
        const KernInstr *in = &k->code[i];
        const void *a = tiles->values[call->args[0]], *b = tiles->values[call->args[1]];
        void *out = call->access >= 0 ? at[call->access] : call->buffer;
        if (call->special) run_special(call, in, a, b, out, n, &flags[in->site]);
        else if (call->vector) call->run(call->vector, call->loop, in->op == AOP_POWER, a, b, out, n);
        else call->loop(a, b, tiles->values[call->args[2]], out, n);
        if (by_site) flags_tell(&flags[in->site], in->tells ? ~0u : 0, in->op > AOP_DIVIDE);
        tiles->values[KERN_FIRST_CODE + i] = out;
    }
}

static void store(const Tiles *tiles, const Kernel *k, int s, char *to, size_t n) {
    const KernAccess *access = &k->stores[s].to;
    const void *value = tiles->values[k->stores[s].value];
    size_t size = dtype_size(access->dtype);
    bool dense = n == 1 || s < k->reduction_count;
    if (value == to) return;
    if (tiles->streamed[s]) stream(to, value, n * size);
    else scatter(value, to, dense ? (int64_t)size : access->strides[k->ndim - 1], size, n);
}

static void run_code(Tiles *tiles, const Kernel *k, char *const *at, size_t n) {
    int64_t steps[KERN_LOADS];
    char *outs[KERN_STORES], *from[KERN_LOADS];
    for (int i = 0; i < k->load_count; i++) {
        bool by_rows = tiles->rows && tiles->rows->by_rows[i];
        steps[i] = k->loads[i].strides[k->ndim - 1];
        from[i] = by_rows ? (char *)load(tiles, k, i, at[i], n) : at[i];
    }
    for (int i = 0; i < tiles->out_count; i++) {
        const Call *call = &tiles->calls[tiles->outs[i]];
        outs[i] = call->access >= 0 ? at[call->access] : call->buffer;
        tiles->values[KERN_FIRST_CODE + tiles->outs[i]] = outs[i];
    }
    tiles->body(from, steps, tiles->params, outs, n);
}

static void load_all(Tiles *tiles, const Kernel *k, char *const *at, size_t n) {
    for (int i = 0; i < k->load_count; i++)
        tiles->values[i] = tiles->direct[i] ? at[i] : load(tiles, k, i, at[i], n);
}

void tiles_run(Tiles *tiles, const Kernel *k, char *const *at, size_t n, bool by_site, uint32_t *flags) {
    bool compiled = tiles->body && !by_site;
    if (!compiled) load_all(tiles, k, at, n);
    if (compiled) run_code(tiles, k, at, n);
    else if (tiles->plain && !by_site) run_loops(tiles, k, at, n);
    else run_body(tiles, k, at, n, by_site, flags);
    if (tiles->telling == TELL_BY_TILE && !by_site && flags_any()) {
        flags_clear();
        if (compiled) load_all(tiles, k, at, n);
        run_body(tiles, k, at, n, true, flags);
    }
    for (int s = 0; s < k->store_count; s++)
        if (s >= k->reduction_count || tiles->value_access[s] == k->load_count + s)
            store(tiles, k, s, at[k->load_count + s], n);
}
