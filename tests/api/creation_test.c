// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the creation of a VM asks for. Times are not tested; requests and bytes are the same each time, and
// whatever is done at creation that could wait shows in them (bench/startup/creation.c has the times).

#include <stdlib.h>

#include "harness.h"

// A tenth above what there was when this was written: 4417 requests for 1.32 MB.
enum { REQUESTS_MOST = 4850, BYTES_MOST = 1450000 };

typedef struct Asked {
    size_t requests, bytes;
} Asked;

static void *counted(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    Asked *asked = ctx;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    asked->requests++;
    if (new_size > old_size) asked->bytes += new_size - old_size;
    return realloc(ptr, new_size);
}

int main(void) {
    Asked asked = {0};
    NacreOptions options = {.struct_size = sizeof options, .alloc = counted, .alloc_ctx = &asked, .unpooled = 1};
    NacreVm *vm = nacre_new(&options);
    printf("%zu requests, %zu bytes\n", asked.requests, asked.bytes);
    CHECK(vm && asked.requests <= REQUESTS_MOST && asked.bytes <= BYTES_MOST);
    nacre_free(vm);
    printf("%d failures\n", failures);
    return failures > 0;
}
