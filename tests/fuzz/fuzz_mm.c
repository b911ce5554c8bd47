// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Any bytes as the body of a Matrix Market file: what is read has places within the extents, and comes back from what is
// written of it.

#include <string.h>

#include "stdlib/sparse/mm.h"
#include "tests/fuzz/sparse_host.h"

enum { ROOM = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_text(FuzzCall *f, const void *text, size_t size, SparseArg *args, int64_t extent) {
    args[0] = fuzz_array_arg(malloc(size ? size : 1), (int64_t)size, DT_UINT8);
    memcpy(args[0].data, text, size);
    args[4] = fuzz_number_arg(0);
    args[5] = args[6] = fuzz_number_arg(extent);
    args[7] = fuzz_number_arg(ROOM);
    args[8] = fuzz_number_arg(1);
    fuzz_run(f, op_mm_read, args, 9);
    free(args[0].data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const DType types[] = {DT_INT64, DT_UINT64, DT_FLOAT64, DT_COMPLEX128};
    if (size == 0) return 0;
    DType type = types[data[0] % 4];
    int32_t rows[ROOM], columns[ROOM];
    _Alignas(16) char values[2][ROOM * 16];
    memset(values, 0, sizeof values);
    SparseArg args[9] = {{0}};
    if (data[0] & 4) {
        args[1] = fuzz_array_arg(rows, ROOM, DT_INT32);
        args[2] = fuzz_array_arg(columns, ROOM, DT_INT32);
    }
    args[3] = fuzz_array_arg(values[0], ROOM, type);
    FuzzCall f;
    read_text(&f, data + 1, size - 1, args, 1000);
    bool read = f.call.error == SPARSE_OK && f.wholes[3] == 0 && f.wholes[1] == (int64_t)size - 1;
    int64_t count = f.wholes[0];
    fuzz_free(&f);
    if (!read) return 0;
    for (int64_t i = 0; i < count && data[0] & 4; i++)
        if (rows[i] < 0 || rows[i] >= 1000 || columns[i] < 0 || columns[i] >= 1000) abort();
    SparseArg written[6] = {args[1], args[2], args[3], fuzz_number_arg(0), fuzz_number_arg(count), fuzz_number_arg(-1)};
    FuzzCall w;
    fuzz_run(&w, op_mm_write, written, 6);
    if (w.call.error != SPARSE_OK) abort();
    const char *text = w.kept[w.count - 1];
    size_t length = 0;
    for (int64_t lines = 0; lines < count; length++) lines += text[length] == '\n';
    args[3].data = values[1];
    read_text(&f, text, length, args, 1000);
    size_t bytes = (size_t)count * (type == DT_COMPLEX128 ? 16 : 8);
    const double *a = (const double *)values[0], *b = (const double *)values[1];
    if (f.wholes[0] != count || f.wholes[3] != 0) abort();
    for (size_t i = 0; i < bytes / 8; i++)
        if (memcmp(&a[i], &b[i], 8) != 0 && !(a[i] != a[i] && b[i] != b[i])) abort(); // not a number is one of many
    fuzz_free(&f);
    fuzz_free(&w);
    return 0;
}
