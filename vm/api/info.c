// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Version and description of the library.

#include "lang/support/buf.h"
#include "nacre/nacre.h"
#include "nacre_commit.h"
#include "nacre_config.h"
#include "vm/sched/engine.h"

const char *nacre_version(void) {
    return NACRE_VERSION;
}

NacreStatus nacre_info(NacreWriteFn write, void *ctx) {
    if (!write) return NACRE_MISUSE;
    Mem mem;
    Buf text;
    mem_init(&mem, NULL, NULL, false, 0);
    buf_init(&text, &mem);
    buf_printf(&text, "nacre %s (%s)\ncompiler: %s\n", NACRE_VERSION, NACRE_COMMIT, __VERSION__);
#if NACRE_HAVE_TOMMATH
    buf_puts(&text, "big integers: libtommath\n");
#else
    buf_puts(&text, "big integers: none (integers end at 64 bits)\n");
#endif
    engine_describe(&text);
    bool good = !text.failed && write(ctx, 1, text.data, text.len) == 0;
    buf_free(&text);
    mem_destroy(&mem);
    return good ? NACRE_OK : NACRE_ERROR;
}
