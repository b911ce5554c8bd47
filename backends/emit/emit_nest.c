// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Renders nests: elementwise operations within a region, one loop per dimension. The innermost loop
// is that of a kernel.

#include "backends/emit/emit.h"

static const char *spelled(const Dialect *d, uint8_t type) {
    return d->types[type];
}

// Writes " + i0 * v12 + …" for all but the last dimension.
static void put_offset(const RegionNest *nest, const int32_t *strides, Buf *out) {
    for (int k = 0; k < nest->ndim - 1; k++)
        if (strides[k] != NO_VALUE) buf_printf(out, " + i%d * v%d", k, strides[k]);
}

static void put_list(const int32_t *values, int count, Buf *out) {
    for (int k = 0; k < count; k++) {
        if (values[k] == NO_VALUE)
            buf_printf(out, "%s0", k ? ", " : "");
        else
            buf_printf(out, "%sv%d", k ? ", " : "", values[k]);
    }
}

// Writes a test whether results can be stored directly: whether no load that may alias the destination overlaps it.
static void put_meetings(const Dialect *d, const RegionNest *nest, const char *type, Buf *out) {
    buf_puts(out, "        const int64_t count[] = {");
    put_list(nest->extents, nest->ndim, out);
    buf_puts(out, "}, steps[] = {");
    put_list(nest->into_strides, nest->ndim, out);
    buf_puts(out, "};\n");
    for (int i = 0; i < nest->form.load_count; i++) {
        if (!(nest->may_meet >> i & 1)) continue;
        buf_printf(out, "        const int64_t steps%d[] = {", i);
        put_list(nest->strides[i], nest->ndim, out);
        buf_printf(out,
                   "};\n        direct = direct && !meets(v%d, steps, sizeof(%s), v%d, steps%d, "
                   "sizeof(%s), count, %d);\n",
                   nest->into, type, nest->addresses[i], i, spelled(d, nest->form.load_types[i]),
                   nest->ndim);
    }
}

// Writes the stride of the results along a dimension: 0 if they are accumulated along it.
static void put_step(const RegionNest *nest, int dim, Buf *out) {
    if (nest->into_strides[dim] == NO_VALUE)
        buf_printf(out, "        const int64_t w%d = 0;\n", dim);
    else
        buf_printf(out, "        const int64_t w%d = direct ? v%d : x%d;\n", dim,
                   nest->into_strides[dim], dim);
}

static void put_target(const Dialect *d, const RegionNest *nest, const char *type, Buf *out) {
    buf_printf(out, "        int direct = %d;\n", nest->direct);
    if (nest->direct && nest->may_meet) put_meetings(d, nest, type, out);
    if (nest->direct)
        buf_printf(out, "        char *const to = direct ? (char *)v%d : calls->scratch;\n",
                   nest->into);
    else
        buf_puts(out, "        char *const to = calls->scratch;\n");
    buf_printf(out, "        const int64_t w%d = sizeof(%s);\n        (void)w%d;\n", nest->ndim - 1,
               type, nest->ndim - 1);
    for (int k = nest->ndim - 2; k >= 0; k--) {
        buf_printf(out, "        const int64_t x%d = ", k);
        if (k == nest->ndim - 2)
            buf_printf(out, "v%d * (int64_t)sizeof(%s);\n", nest->extents[k + 1], type);
        else
            buf_printf(out, "v%d * x%d;\n", nest->extents[k + 1], k + 1);
        if (nest->direct)
            put_step(nest, k, out);
        else
            buf_printf(out, "        const int64_t w%d = x%d;\n", k, k);
    }
}

static void put_row(const Dialect *d, const RegionNest *nest, const char *type, Buf *out) {
    const Form *f = &nest->form;
    int last = nest->ndim - 1;
    for (int i = 0; i < f->load_count; i++) {
        const char *of = f->motions[i] == MOTION_STRIDED ? "char" : spelled(d, f->load_types[i]);
        buf_printf(out, "        const %s *const a%d = (const %s *)(v%d", of, i, of,
                   nest->addresses[i]);
        put_offset(nest, nest->strides[i], out);
        buf_puts(out, ");\n");
        if (f->motions[i] == MOTION_STRIDED)
            buf_printf(out, "        const int64_t s%d = v%d;\n", i, nest->strides[i][last]);
    }
    buf_printf(out, "        %s *const o0 = (%s *)(to", type, type);
    for (int k = 0; k < last; k++) buf_printf(out, " + i%d * w%d", k, k);
    buf_puts(out, ");\n");
    emit_body(d, f, out);
}

void emit_nest(const Dialect *d, const Region *r, const RegionInstr *in, int32_t at, Buf *out) {
    const RegionNest *nest = &r->nests[in->number];
    const Form *f = &nest->form;
    const char *type = spelled(d, in->from);
    int last = nest->ndim - 1;
    buf_puts(out, "    {\n");
    put_target(d, nest, type, out);
    buf_printf(out, "        const size_t n = (size_t)v%d;\n", nest->extents[last]);
    for (int i = 0; i < f->param_count; i++)
        buf_printf(out, "        const %s p%d = v%d;\n", spelled(d, f->param_types[i]), i,
                   nest->params[i]);
    for (int k = 0; k < last; k++)
        buf_printf(out, "        for (int64_t i%d = 0; i%d < v%d; i%d++) {\n", k, k,
                   nest->extents[k], k);
    put_row(d, nest, type, out);
    for (int k = 0; k < last; k++) buf_puts(out, "        }\n");
    buf_printf(out, "        v%d = direct;\n    }\n", at);
}

void emit_spread(const Dialect *d, const Region *r, const RegionInstr *in, Buf *out) {
    const RegionNest *nest = &r->nests[in->number];
    const char *type = spelled(d, in->type);
    int last = nest->ndim - 1;
    if (in->args[0] != NO_VALUE) buf_printf(out, "        if (!v%d)", in->args[0]);
    buf_printf(out, "        {\n            const %s *from = (const %s *)calls->scratch;\n", type,
               type);
    for (int k = 0; k < last; k++)
        buf_printf(out, "            for (int64_t i%d = 0; i%d < v%d; i%d++)\n", k, k,
                   nest->extents[k], k);
    buf_printf(out, "            {\n                char *const to = (char *)v%d", nest->into);
    put_offset(nest, nest->into_strides, out);
    buf_printf(out, ";\n                for (int64_t i = 0; i < v%d; i++)\n", nest->extents[last]);
    if (nest->into_dense)
        buf_printf(out, "                    ((%s *)to)[i] = from[i];\n", type);
    else
        buf_printf(out, "                    *(%s *)(to + i * v%d) = from[i];\n", type,
                   nest->into_strides[last]);
    buf_printf(out, "                from += v%d;\n            }\n        }\n",
               nest->extents[last]);
}
