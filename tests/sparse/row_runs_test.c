// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Which runs of rows are found (vm/graph/row_runs.h), and when: from the second product with a vector on, for as long as
// nobody writes to the indices. Of random matrices each run is held against its definition.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/api/api.h"
#include "vm/array/array.h"
#include "vm/graph/row_runs.h"
#include "vm/value/str.h"

static int failures;

static void fail(const char *what, long at) {
    printf("FAILED %s (%ld)\n", what, at);
    failures++;
}

static Array *array_of(NacreVm *handle, const char *name) {
    Vm *vm = &handle->vm;
    Str *interned = str_intern(vm, name, strlen(name));
    Value found = module_get(vm->interp->main, interned);
    release_obj(vm, interned);
    return found.kind == K_ARRAY ? found.array : NULL;
}

static const RowRuns *runs_now(NacreVm *handle) {
    Array *indptr = array_of(handle, "indptr"), *indices = array_of(handle, "indices");
    View bounds, entries;
    int64_t first;
    array_view(indptr, &bounds);
    array_view(indices, &entries);
    return row_runs_of(&bounds, &entries, &first);
}

static void run(NacreVm *handle, const char *text) {
    if (nacre_run(handle, text, strlen(text), "runs", NACRE_FILE) == NACRE_OK) return;
    printf("%s\n", nacre_error_text(handle));
    fail("a script", 0);
}

// So many runs are known after a script; 0: none.
static void expect(NacreVm *handle, const char *text, int64_t count) {
    run(handle, text);
    const RowRuns *runs = runs_now(handle);
    if ((runs ? runs->count : 0) != count) {
        printf("%lld runs instead of %lld after:\n%s\n", (long long)(runs ? runs->count : 0), (long long)count, text);
        failures++;
    }
}

static const char band[] = "import numpy as np\n"
                           "import scipy.sparse as sp\n"
                           "n = 1000\n"
                           "A = sp.diags_array([1.0, 2, 3], offsets=[-1, 0, 1], shape=(n, n)).tocsr()\n"
                           "x = np.ones(n)\n"
                           "indptr, indices = A.indptr, A.indices\n";

static void check_when(NacreVm *handle) {
    expect(handle, band, 0);
    expect(handle, "y = A @ x\n", 0);
    expect(handle, "y = A @ x\n", 3); // the first row, those between, the last
    expect(handle, "A.data *= 2\ny = A @ x\n", 3);
    expect(handle, "indices[1500] += 1\n", 0);
    expect(handle, "y = A @ x\n", 0);
    expect(handle, "y = A @ x\n", 5);
    expect(handle, "indptr[500:] += 0\n", 0);
    expect(handle, "B = sp.csr_array(((n - np.arange(n)) * 1.0, np.arange(n)[::-1].astype(np.int32), np.arange(n + 1)"
                   ".astype(np.int32)), shape=(n, n))\nindptr, indices = B.indptr, B.indices\nfor _ in range(2):\n    y = B @ x\n", 1);
    expect(handle, "B = sp.random_array((n, n), density=0.01, rng=1).tocsr()\nindptr, indices = B.indptr, B.indices\n"
                   "for _ in range(4):\n    y = B @ x\n", 0);
}

static int64_t at(const Array *array, int64_t i) {
    const char *from = array->storage->buffer.host + array->offset;
    return array->dtype == DT_INT64 ? ((const int64_t *)(const void *)from)[i] : ((const int32_t *)(const void *)from)[i];
}

// Runs follow each other, and have the columns that they say.
static void check_runs(const RowRuns *runs, const Array *indptr, const Array *indices, long seed) {
    if (runs->runs[0].row != 0 || runs->runs[runs->count].row != runs->rows) fail("ends", seed);
    for (const RowRun *run = runs->runs; run < runs->runs + runs->count; run++) {
        if (run[1].row <= run->row) fail("order", seed);
        for (int64_t row = run->row; row < run[1].row; row++) {
            if (row_run_at(runs, row) != run) fail("search", seed);
            if (run->entries < 0) continue;
            int64_t first = run->entry + (row - run->row) * run->entries;
            if (at(indptr, row) != first || at(indptr, row + 1) != first + run->entries) fail("entries", seed);
            for (int64_t k = 0; k < run->entries; k++)
                if (runs->columns[run->columns + k] + (row - run->row) * run->step != at(indices, first + k))
                    fail("columns", seed);
        }
    }
}

static void check_random(NacreVm *handle, long seed) {
    char text[1024];
    snprintf(text, sizeof text,
             "rng = np.random.default_rng(%ld)\n"
             "rows, column = [], 0\n"
             "while len(rows) < 1000:\n"
             "    first = rng.integers(0, 3000, rng.integers(0, 70 if rng.random() < 0.1 else 6))\n"
             "    step, length = int(rng.integers(-3, 4)), int(rng.integers(1, 60))\n"
             "    rows += [list(np.clip(first + step * i, 0, 3999)) for i in range(length)]\n"
             "index = np.int32 if rng.random() < 0.5 else np.int64\n"
             "indptr = np.cumsum([0] + [len(row) for row in rows]).astype(index)\n"
             "indices = np.array([c for row in rows for c in row], index)\n"
             "A = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(len(rows), 4000))\n"
             "indptr, indices = A.indptr, A.indices\n"
             "for _ in range(2):\n"
             "    y = A @ np.ones(4000)\n", seed);
    run(handle, text);
    const RowRuns *runs = runs_now(handle);
    if (runs) check_runs(runs, array_of(handle, "indptr"), array_of(handle, "indices"), seed);
    else fail("random runs are found", seed);
}

int main(void) {
    NacreOptions options = {.struct_size = sizeof options};
    NacreVm *vm = nacre_new(&options);
    if (!vm) return 1;
    check_when(vm);
    for (long seed = 0; seed < 40; seed++) check_random(vm, seed);
    nacre_free(vm);
    printf("%d failures\n", failures);
    return failures > 0;
}
