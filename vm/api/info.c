// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Version and description of the library.

#include <stdio.h>
#include <string.h>

#include "lang/support/buf.h"
#include "nacre_commit.h"
#include "nacre_config.h"
#include "stdlib/stdlib.h"
#include "vm/api/sizes.h"
#include "vm/sched/engine.h"

const char *nacre_version(void) {
    return NACRE_VERSION;
}

// Prints lines "NAME: text"; the text begins with "no" ("not there", "none") if the thing is missing.
static void describe(Buf *text) {
#if NACRE_HAVE_ZLIB
    buf_puts(text, "zlib: in this build\n");
#else
    buf_puts(text, "zlib: not in this build; archives of arrays are not compressed\n");
#endif
#if NACRE_HAVE_OPENMP
    buf_puts(text, "OpenMP: in this build\n");
#else
    buf_puts(text, "OpenMP: not in this build; BLIS decides itself how many threads it takes\n");
#endif
    buf_puts(text, stdlib_more() ? "standard library: whole\n"
                                 : "standard library: not whole; nacre-modules.so is missing, or of another build\n");
    engine_describe(text);
    sparse_describe(text);
}

NacreStatus nacre_prepare(void) {
    engine_prepare(false);
    return NACRE_OK;
}

NacreStatus nacre_info(NacreWriteFn write, void *ctx) {
    if (!write) return NACRE_MISUSE;
    Mem mem;
    Buf text;
    mem_init(&mem, NULL, NULL, false, 0);
    buf_init(&text, &mem);
    buf_printf(&text, "nacre %s (%s)\ncompiler: %s\n", NACRE_VERSION, NACRE_COMMIT, __VERSION__);
    describe(&text);
    bool good = !text.failed && write(ctx, 1, text.data, text.len) == 0;
    buf_free(&text);
    mem_destroy(&mem);
    return good ? NACRE_OK : NACRE_ERROR;
}

static void feature_of(const char *line, size_t len, NacreFeature *out) {
    const char *colon = memchr(line, ':', len), *detail = colon ? colon + 1 : line + len;
    while (detail < line + len && *detail == ' ') detail++;
    int rest = (int)(line + len - detail);
    snprintf(out->name, sizeof out->name, "%.*s", (int)((colon ? colon : line + len) - line), line);
    snprintf(out->detail, sizeof out->detail, "%.*s", rest, detail);
    out->is_there = strncmp(out->detail, "no", 2) != 0;
}

int nacre_feature(int index, NacreFeature *feature) {
    if (index < 0 || !api_can_give(feature, FIRST_FEATURE)) return 0;
    Mem mem;
    Buf text;
    NacreFeature found = {0};
    mem_init(&mem, NULL, NULL, false, 0);
    buf_init(&text, &mem);
    describe(&text);
    const char *at = text.data, *end = text.failed || !at ? at : at + text.len, *next;
    for (int i = 0; at < end && (next = memchr(at, '\n', (size_t)(end - at))); at = next + 1)
        if (i++ == index) feature_of(at, (size_t)(next - at), &found);
    buf_free(&text);
    mem_destroy(&mem);
    if (found.name[0]) API_GIVE(feature, &found);
    return found.name[0] != '\0';
}
