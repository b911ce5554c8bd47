// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The runtime of libraries compiled ahead of time: what code is given, its memory, its arguments.

#include "backends/cpu/loops/vector.h"
#include "rt/rt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Errors ------------------------------------------------------------------------------------

int rt_fail(nacre_rt *rt, nacre_rt_status status, const char *cls, const char *format, ...) {
    va_list args;
    int length = snprintf(rt->text, sizeof rt->text, "%s: ", cls);
    snprintf(rt->cls, sizeof rt->cls, "%s", cls);
    va_start(args, format);
    int rest = vsnprintf(rt->text + length, sizeof rt->text - (size_t)length, format, args);
    va_end(args);
    if (rest == 0) rt->text[length - 2] = '\0'; // the class alone, as Python shows it
    return status;
}

const char *nacre_rt_error(const nacre_rt *rt) {
    return rt ? rt->text : "";
}

const char *nacre_rt_error_class(const nacre_rt *rt) {
    return rt ? rt->cls : "";
}

const char *nacre_rt_error_file(const nacre_rt *rt) {
    return rt && rt->file ? rt->file : "";
}

const char *nacre_rt_error_function(const nacre_rt *rt) {
    return rt && rt->function ? rt->function : "";
}

int nacre_rt_error_line(const nacre_rt *rt) {
    return rt ? rt->line : 0;
}

// --- Memory ------------------------------------------------------------------------------------

static bool reserve(Block *block, size_t bytes) {
    if (block->bytes >= bytes && block->at) return true;
    free(block->at);
    *block = (Block){0};
    bytes = (bytes + BUFFER_ALIGN) / BUFFER_ALIGN * BUFFER_ALIGN; // of nothing, too, there is some
    block->at = aligned_alloc(BUFFER_ALIGN, bytes);
    if (block->at) block->bytes = bytes;
    return block->at;
}

static bool room(void *runner, int64_t bytes) {
    nacre_rt *rt = runner;
    if (bytes < 0 || !reserve(&rt->scratch, (size_t)bytes)) return false;
    rt->calls.scratch = rt->scratch.at;
    return true;
}

static char *make(void *runner, int number, int type, int ndim, const int64_t *extents) {
    nacre_rt *rt = runner;
    int64_t bytes = (int64_t)dtype_size((DType)type), size = bytes;
    for (int d = 0; d < ndim; d++) {
        if (__builtin_mul_overflow(bytes, extents[d], &bytes)) return NULL;
    }
    if (bytes > INT64_MAX - size - BUFFER_ALIGN || !reserve(&rt->made[number], (size_t)bytes))
        return NULL;
    return rt->made[number].at;
}

void nacre_rt_array_free(nacre_rt_array *array) {
    if (!array) return;
    free(array->data);
    *array = (nacre_rt_array){0};
}

void nacre_rt_give(nacre_rt *rt, const nacre_rt_slot *slots, int ndim, nacre_rt_array *out) {
    *out = (nacre_rt_array){.data = slots[0].address, .ndim = ndim};
    for (int d = 0; d < ndim; d++) {
        out->shape[d] = slots[1 + d].i;
        out->strides[d] = slots[1 + ndim + d].i;
    }
    for (int m = 0; m < RT_MADE; m++)
        if (rt->made[m].at == slots[0].address) rt->made[m] = (Block){0};
}

// --- Opening -----------------------------------------------------------------------------------

nacre_rt *nacre_rt_open(int threads) {
    nacre_rt *rt = calloc(1, sizeof *rt);
    if (!rt) return NULL;
    cpu_begin(&rt->cpu, &rt->vm, &rt->pool, threads);
    cpu_ready(&rt->cpu);
    rt->calls = rt->cpu.region_calls;
    rt->calls.runner = rt;
    rt->calls.make = make;
    rt->calls.room = room;
    return rt;
}

void nacre_rt_close(nacre_rt *rt) {
    if (!rt) return;
    vectors_close(&rt->cpu);
    pool_close(&rt->pool);
    for (int m = 0; m < RT_MADE; m++) free(rt->made[m].at);
    free(rt->scratch.at);
    free(rt);
}

// --- A call ------------------------------------------------------------------------------------

const void *nacre_rt_begin(nacre_rt *rt, int abi) {
    if (!rt || abi != NACRE_RT_ABI) return NULL;
    rt->cls[0] = rt->text[0] = '\0';
    rt->file = rt->function = NULL;
    rt->line = 0;
    return &rt->calls;
}

static int wrong(nacre_rt *rt, const nacre_rt_param *p, const char *what) {
    return rt_fail(rt, NACRE_RT_VALUE_ERROR, "ValueError", "%s %s", p->name, what);
}

int nacre_rt_take(nacre_rt *rt, const nacre_rt_param *p, nacre_rt_slot *slots, int *dense) {
    int64_t stride = p->size, count = 1;
    if (!p->shape) return wrong(rt, p, "has no shape");
    slots[0].address = (char *)(uintptr_t)p->data;
    for (int d = p->ndim - 1; d >= 0; d--) {
        int64_t extent = p->shape[d], own = p->strides ? p->strides[d] : stride;
        if (extent < 0) return wrong(rt, p, "has a negative dimension");
        if (own % p->size) return wrong(rt, p, "has strides that are no multiples of its elements");
        slots[1 + d].i = extent;
        slots[1 + p->ndim + d].i = own;
        if (__builtin_mul_overflow(stride, extent > 0 ? extent : 1, &stride))
            return wrong(rt, p, "is too large");
        count *= extent;
    }
    if (count > 0 && !p->data) return wrong(rt, p, "has no elements");
    if ((uintptr_t)p->data % (uintptr_t)p->size) return wrong(rt, p, "is not aligned");
    // Of a dimension of one element, or none, nobody asks for the stride.
    if (slots[p->ndim].i <= 1) slots[2 * p->ndim].i = p->size;
    if (slots[2 * p->ndim].i != p->size) *dense = 0;
    return NACRE_RT_OK;
}

int nacre_rt_size(nacre_rt *rt, const char *size, const char *param, int64_t is, const char *other,
                  int64_t wanted) {
    if (is == wanted) return NACRE_RT_OK;
    if (!other)
        return rt_fail(rt, NACRE_RT_VALUE_ERROR, "ValueError",
                       "a dimension of %s has %lld elements, and not %lld", param, (long long)is,
                       (long long)wanted);
    return rt_fail(rt, NACRE_RT_VALUE_ERROR, "ValueError", "%s is %lld in %s and %lld in %s", size,
                   (long long)wanted, other, (long long)is, param);
}
