// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The parser where it may not break: deep and long inputs, and memory that runs out at every
// possible place.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/ast_dump.h"
#include "lang/parser.h"

enum { DEEP = 10000 };

// `open` DEEP times, `middle`, `close` DEEP times.
typedef struct Nest {
    const char *open, *middle, *close;
    const char *want; // the first report, or NULL: it parses
} Nest;

static const char brackets[] = "too many nested parentheses";
static const char expressions[] = "too many nested expressions";

static const Nest nests[] = {
    {"(", "1", ")", brackets},
    {"[", "", "]", brackets},
    {"{1:", "1", "}", brackets},
    {"x[", "0", "]", brackets},
    {"f(a=", "1", ")", brackets},
    {"(", "", "", brackets},
    {"-", "1", "", expressions},
    {"not ", "1", "", expressions},
    {"lambda: ", "1", "", expressions},
    {"lambda a=", "1", "", expressions},
    {"a if b else ", "c", "", expressions},
    {"1**", "1", "", expressions},
    {"(a:=", "1", ")", brackets},
    {"(yield ", "", ")", brackets},
    {"1+", "1", "", NULL},
    {"1<", "1", "", NULL},
    {"a and ", "b", "", NULL},
    {"a,", "", "", NULL},
    {"a=", "1", "", NULL},
    {"'a' ", "", "", NULL},
    {"f'{a}' ", "", "", NULL},
    {"a;", "", "", NULL},
    {"", "a", ".b", NULL},
    {"", "f", "()", NULL},
    {"", "x", "[0]", NULL},
    {"", "x", ".y[0](1)", NULL},
    {"", "if a: b\n", "elif c: d\n", NULL},
    {"", "[x", " for x in y", "'[' was never closed"},
    {"{", "", "", brackets},
    {"print ", "a", "", "Missing parentheses in call to 'print'. Did you mean print(...)?"},
    {"with (", "a", "): pass", brackets},
    {"for (", "a", ") in b: pass", brackets},
    {"f'{", "", "}'", brackets},
};

static char *repeat(char *out, const char *text, int times) {
    size_t len = strlen(text);
    for (int i = 0; i < times; i++, out += len) memcpy(out, text, len);
    return out;
}

static char *build(const Nest *nest) {
    size_t unit = strlen(nest->open) + strlen(nest->close);
    char *text = malloc(unit * DEEP + strlen(nest->middle) + 1);
    if (!text) return NULL;
    char *end = repeat(text, nest->open, DEEP);
    end = repeat(end, nest->middle, 1);
    *repeat(end, nest->close, DEEP) = 0;
    return text;
}

static bool is_wanted(const Nest *nest, bool good, const DiagList *diags) {
    if (!nest->want) return good;
    return !good && diags->count > 0 && strcmp(diags->items[0].message, nest->want) == 0;
}

static int check_nest(const Nest *nest) {
    char *text = build(nest);
    if (!text) return 1;
    Mem mem;
    mem_init(&mem, NULL, NULL, false, 0);
    Ast ast;
    DiagList diags;
    Buf out;
    diag_init(&diags, &mem);
    buf_init(&out, &mem);
    bool good = parse_module(&mem, text, strlen(text), NULL, PARSE_FILE, &ast, &diags);
    int failed = !is_wanted(nest, good, &diags);
    if (good) ast_dump(ast.module, true, &out);
    if (failed) {
        printf("--- %s…%s…%s: %s\n", nest->open, nest->middle, nest->close,
               diags.count ? diags.items[0].message : good ? "accepted" : "no report");
    }
    buf_free(&out);
    ast_free(&ast);
    diag_free(&diags);
    failed += mem.in_use != 0;
    mem_destroy(&mem);
    free(text);
    return failed;
}

// Blocks nest up to the limit and not beyond.
static int check_blocks(int levels, bool want) {
    Mem mem;
    mem_init(&mem, NULL, NULL, false, 0);
    Buf text;
    buf_init(&text, &mem);
    for (int i = 0; i < levels; i++) {
        buf_fill(&text, ' ', (size_t)i);
        buf_puts(&text, "if x:\n");
    }
    buf_fill(&text, ' ', (size_t)levels);
    buf_puts(&text, "pass\n");
    Ast ast;
    DiagList diags;
    diag_init(&diags, &mem);
    bool good = parse_module(&mem, text.data, text.len, NULL, PARSE_FILE, &ast, &diags);
    if (good != want) printf("--- %d blocks: %s\n", levels, good ? "accepted" : "refused");
    ast_free(&ast);
    diag_free(&diags);
    buf_free(&text);
    int failed = (good != want) + (mem.in_use != 0);
    mem_destroy(&mem);
    return failed;
}

// ---- running out of memory ----------------------------------------------------------------------

typedef struct Supply {
    size_t left;   // requests that succeed
    size_t blocks; // alive
} Supply;

static void *supply_fn(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    Supply *supply = ctx;
    if (new_size == 0) {
        supply->blocks -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    if (new_size > old_size) {
        if (supply->left == 0) return NULL;
        supply->left--;
    }
    void *grown = realloc(ptr, new_size);
    if (grown && !ptr) supply->blocks++;
    return grown;
}

static const char *const programs[] = {
    "import a.b as c, d\nfrom ..e import (f, g as h)\n"
    "@i(1, *j, k=2, **l)\nclass M(N, o=p):\n    q: int = 0x1F\n"
    "    def r(self, a, /, b=1, *c: d, e=2, **f) -> g:\n        global h, i\n"
    "        return [x for x in y if z], {u: v, **w}, {1, 2}, (lambda t, *s: t)\n",
    "try:\n    with a as b, c: x = y = f'{a!r:>{b}}' 'c' \"\\u00e9\" + 1.5e3 - 2j\n"
    "except E as e:\n    raise F(a)[b:c, ::d].g from None\nelse: del a, b[1]\n"
    "finally:\n    x += a if b < c in d else not e or (yield f)\n",
    "\xC2\xB5 = 1\r\nwith (a, b): print(1 if 2 else 3)\r\nfor i, *j in k: assert i, j\r\n",
    "f(a b)\nprint x\nx = (1 +\n",
    "if x\n  y = 0777\n  f'{a b}'\n z\nelse: '\\x1'\nf(a=1, a=2)\n\xE2\x82\xAC\n",
};

// One parse with `requests` allocations; *enough tells that none failed. Nothing may be left, and a
// failed parse has something to say.
static int parse_with(const char *source, size_t requests, bool *enough) {
    Supply supply = {requests, 0};
    Mem mem;
    mem_init(&mem, supply_fn, &supply, false, 0);
    Ast ast;
    DiagList diags;
    diag_init(&diags, &mem);
    bool good = parse_module(&mem, source, strlen(source), NULL, PARSE_FILE, &ast, &diags);
    bool memory = false;
    for (uint32_t i = 0; i < diags.count; i++) memory |= diags.items[i].kind == DIAG_MEMORY;
    int failed = good ? diags.count > 0 : diags.count == 0;
    failed |= requests == 0 && !memory;
    *enough = supply.left > 0;
    ast_free(&ast);
    diag_free(&diags);
    failed |= mem.in_use != 0 || supply.blocks != 0;
    if (failed) printf("--- %zu requests: %s\n", requests, source);
    mem_destroy(&mem);
    return failed;
}

static int check_memory(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        bool enough = false;
        for (size_t requests = 0; !enough && !failed; requests++) {
            failed += parse_with(programs[i], requests, &enough);
        }
    }
    return failed;
}

int main(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) failed += check_nest(&nests[i]);
    failed += check_blocks(AST_MAX_BLOCKS - 1, true) + check_blocks(AST_MAX_BLOCKS, false);
    failed += check_memory();
    if (failed) printf("%d failed\n", failed);
    return failed != 0;
}
