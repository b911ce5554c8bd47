// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Distinct values of a few elements, computed directly.

#include <math.h>
#include <string.h>

#include "vm/array/methods.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

typedef struct Distinct {
    const char *sorted;
    int64_t n;
    DType type;
    bool equal_nan;
} Distinct;

static bool begins_run(const Distinct *d, int64_t i) {
    if (i == 0) return true;
    int64_t size = (int64_t)dtype_size(d->type);
    Scalar a = dtype_load(d->type, d->sorted + (i - 1) * size), b = dtype_load(d->type, d->sorted + i * size);
    if (dtype_kind(d->type) != DK_FLOAT) return a.i != b.i;
    return !(a.f == b.f || (d->equal_nan && isnan(a.f) && isnan(b.f)));
}

static int64_t count_runs(const Distinct *d) {
    int64_t runs = 0;
    for (int64_t i = 0; i < d->n; i++) runs += begins_run(d, i);
    return runs;
}

// Returns the first element of each run, or the run's length.
static Status of_runs(Vm *vm, const Distinct *d, int64_t runs, bool lengths, Value *out) {
    DType type = lengths ? DT_INT64 : d->type;
    size_t size = dtype_size(type);
    Status st = array_new(vm, type, 1, &runs, ROOM_HOST, out);
    char *to = st == ST_OK ? array_write(vm, out->array) : NULL;
    if (st == ST_OK && !to) release(vm, *out);
    if (!to) return ST_ERROR;
    int64_t run = -1;
    for (int64_t i = 0; i < d->n; i++) {
        bool begins = begins_run(d, i);
        run += begins;
        if (lengths) ((int64_t *)to)[run] = begins ? 1 : ((int64_t *)to)[run] + 1;
        else if (begins) memcpy(to + run * (int64_t)size, d->sorted + i * (int64_t)size, size);
    }
    return ST_OK;
}

static Status values_and_counts(Vm *vm, const Distinct *d, bool counts, Value *out) {
    Value parts[2];
    int64_t runs = count_runs(d);
    Status st = of_runs(vm, d, runs, false, &parts[0]);
    if (st != ST_OK) return st;
    if (!counts) {
        *out = parts[0];
        return ST_OK;
    }
    st = of_runs(vm, d, runs, true, &parts[1]);
    if (st == ST_OK) {
        st = tuple_of(vm, parts, 2, out);
        release(vm, parts[1]);
    }
    release(vm, parts[0]);
    return st;
}

// args: a, equal_nan, counts. Returns the sorted distinct values of an array, with their counts if
// `counts`; None: not a small array of real numbers.
Status array_distinct(Vm *vm, const Value *args, Value *out) {
    enum { FEW = 1024 };
    const Value all[] = {args[0], V_NONE, V_NONE, V_NONE, V_NONE};
    Distinct d;
    Value sorted;
    bool counts;
    if (op_truth(vm, args[1], &d.equal_nan) != ST_OK || op_truth(vm, args[2], &counts) != ST_OK) return ST_ERROR;
    *out = V_NONE;
    if (args[0].kind != K_ARRAY || array_size(args[0].array) > FEW) return ST_OK;
    d.type = args[0].array->dtype;
    if (dtype_kind(d.type) == DK_COMPLEX) return ST_OK;
    Status st = array_sorted(vm, all, &sorted);
    if (st != ST_OK) return st;
    d.n = array_size(sorted.array);
    d.sorted = array_fetch(vm, sorted.array, "a few distinct values are found there");
    st = d.sorted ? values_and_counts(vm, &d, counts, out) : ST_ERROR;
    release(vm, sorted);
    return st;
}
