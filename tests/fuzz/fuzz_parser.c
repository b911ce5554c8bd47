// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Any bytes through the parser, the dump and the renderer. The first byte chooses the mode and how
// much memory there is.

#include <stdint.h>
#include <stdlib.h>

#include "lang/ast_dump.h"
#include "lang/parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition) abort();
}

static void look_at_reports(const DiagList *diags, const char *text, size_t len, Buf *out) {
    for (uint32_t i = 0; i < diags->count; i++) {
        diag_render(&diags->items[i], text, len, "fuzz", out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    static const size_t limits[] = {0, 0, 0, 20000, 40000};
    ParseMode mode = (ParseMode)(data[0] % 3);
    size_t limit = limits[data[0] / 3 % 5];
    const char *text = (const char *)data + 1;
    size_t len = size - 1;
    Mem mem;
    mem_init(&mem, NULL, NULL, false, limit);
    Ast ast;
    DiagList diags;
    Buf out;
    diag_init(&diags, &mem);
    buf_init(&out, &mem);
    if (parse_module(&mem, text, len, "fuzz", mode, &ast, &diags)) {
        require(diags.count == 0);
        ast_dump(ast.module, true, &out);
    } else {
        require(diags.count > 0 && ast.module == NULL);
        look_at_reports(&diags, text, len, &out);
    }
    buf_free(&out);
    ast_free(&ast);
    diag_free(&diags);
    parse_is_complete(&mem, text, len);
    require(mem.in_use == 0);
    mem_destroy(&mem);
    return 0;
}
