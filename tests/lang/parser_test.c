// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The parser against tables: trees of well-formed programs, reports on malformed ones, how reports
// are rendered, and what prompts are told.

#include <stdio.h>
#include <string.h>

#include "lang/ast_dump.h"
#include "lang/parser.h"

typedef struct Case {
    const char *source, *want;
} Case;

static const Case trees[] = {
#include "parser_trees.def"
};

static const Case errors[] = {
#include "parser_errors.def"
};

typedef struct Result {
    Mem mem;
    Ast ast;
    DiagList diags;
    Buf text;
    bool good;
} Result;

static void parse(Result *result, const char *source, size_t len, ParseMode mode) {
    mem_init(&result->mem, NULL, NULL, false, 0);
    diag_init(&result->diags, &result->mem);
    buf_init(&result->text, &result->mem);
    result->good =
        parse_module(&result->mem, source, len, "x.py", mode, &result->ast, &result->diags);
}

// Returns 1 if anything is left of it.
static int release(Result *result) {
    buf_free(&result->text);
    ast_free(&result->ast);
    diag_free(&result->diags);
    size_t left = result->mem.in_use;
    mem_destroy(&result->mem);
    if (left) printf("%zu bytes were not given back\n", left);
    return left != 0;
}

static void list_reports(Result *result) {
    for (uint32_t i = 0; i < result->diags.count; i++) {
        const Diag *item = &result->diags.items[i];
        buf_printf(&result->text, "%s %u:%u %s\n", diag_kind_name(item->kind),
                   (unsigned)item->span.line, (unsigned)item->span.col, item->message);
    }
}

static int compare(Result *result, const char *source, const char *want) {
    buf_putc(&result->text, 0);
    int failed = strcmp(result->text.data, want) != 0;
    if (failed) printf("--- %s\nwant %s\ngot  %s\n", source, want, result->text.data);
    return failed + release(result);
}

static int check_case(const Case *test) {
    Result result;
    parse(&result, test->source, strlen(test->source), PARSE_FILE);
    if (result.good) {
        ast_dump(result.ast.module, false, &result.text);
    } else {
        list_reports(&result);
    }
    return compare(&result, test->source, test->want);
}

static int check_tables(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) failed += check_case(&trees[i]);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) failed += check_case(&errors[i]);
    return failed;
}

// ---- spans --------------------------------------------------------------------------------------

static const Case spans[] = {
    {"x = (a\n     + b)", "(Assign@1:0-2:9 (targets (Name=@1:0-1:1 x)) (Binary@1:5-2:8 + "
                          "(Name@1:5-1:6 a) (Name@2:7-2:8 b)))\n"},
    {"(a)+(b)", "(Expr@1:0-1:7 (Binary@1:0-1:7 + (Name@1:1-1:2 a) (Name@1:5-1:6 b)))\n"},
    {"f(i for i in (1,))",
     "(Expr@1:0-1:18 (Call@1:0-1:18 (Name@1:0-1:1 f) (Generator@1:1-1:18 (Name@1:2-1:3 i) (for "
     "(Name=@1:8-1:9 i) (Tuple@1:13-1:17 (Int@1:14-1:15 1))))))\n"},
    {"if a:\n    b\n\n\nc", "(If@1:0-2:5 (Name@1:3-1:4 a) (then (Expr@2:4-2:5 (Name@2:4-2:5 b))))"
                            "\n(Expr@5:0-5:1 (Name@5:0-5:1 c))\n"},
    {"@d\ndef f(): pass", "(Def@2:0-2:13 f (decorators (Name@1:1-1:2 d)) (params) _ (body "
                          "(Pass@2:9-2:13)))\n"},
    {"\xC3\xA9 = a.b", "(Assign@1:0-1:8 (targets (Name=@1:0-1:2 \xC3\xA9)) (Attribute@1:5-1:8 "
                       "(Name@1:5-1:6 a) b))\n"},
    {"\xEF\xBB\xBFx\r\ny\rz", "(Expr@1:0-1:1 (Name@1:0-1:1 x))\n(Expr@2:0-2:1 (Name@2:0-2:1 y))\n"
                              "(Expr@3:0-3:1 (Name@3:0-3:1 z))\n"},
    {"f'''a\n{ x}'''", "(Expr@1:0-2:7 (FString@1:0-2:7 \"a\\x0a\" (field (Name@2:2-2:3 x))))\n"},
};

static int check_spans(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        Result result;
        parse(&result, spans[i].source, strlen(spans[i].source), PARSE_FILE);
        if (result.good) ast_dump(result.ast.module, true, &result.text);
        failed += compare(&result, spans[i].source, spans[i].want);
    }
    return failed;
}

// ---- rendering ----------------------------------------------------------------------------------

static const Case rendered[] = {
    {"a\n\nx = (1 +\n", "  File \"x.py\", line 3\n"
                        "    x = (1 +\n"
                        "        ^\n"
                        "SyntaxError: '(' was never closed\n"},
    {"if a:\n    x = f(a b, c)\n", "  File \"x.py\", line 2\n"
                                   "    x = f(a b, c)\n"
                                   "          ^^^\n"
                                   "SyntaxError: invalid syntax. Perhaps you forgot a comma?\n"},
    {"\xC3\xA9\xC3\xA9 = \xE2\x82\xAC", "  File \"x.py\", line 1\n"
                                         "    \xC3\xA9\xC3\xA9 = \xE2\x82\xAC\n"
                                         "         ^\n"
                                         "SyntaxError: invalid character "
                                         "'\xE2\x82\xAC' (U+20AC)\n"},
    {"x = 1\n  y\n", "  File \"x.py\", line 2\n"
                     "    y\n"
                     "IndentationError: unexpected indent\n"},
    {"while a\n    b", "  File \"x.py\", line 1\n"
                       "    while a\n"
                       "           ^\n"
                       "SyntaxError: expected ':'\n"},
    {"x = [\n  'a',\n  'b' 'c'\n  1]", "  File \"x.py\", line 3\n"
                                      "    'b' 'c'\n"
                                      "    ^^^^^^^\n"
                                      "SyntaxError: invalid syntax. Perhaps you forgot a comma?\n"},
    {"import 1", "  File \"x.py\", line 1\n"
                 "    import 1\n"
                 "           ^\n"
                 "SyntaxError: invalid syntax\n"
                 "  expected: name\n"},
};

static int check_rendering(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof rendered / sizeof *rendered; i++) {
        const char *source = rendered[i].source;
        Result result;
        parse(&result, source, strlen(source), PARSE_FILE);
        if (!result.good) {
            diag_render(&result.diags.items[0], source, strlen(source), "x.py", &result.text);
        }
        failed += compare(&result, source, rendered[i].want);
    }
    return failed;
}

// ---- modes and prompts --------------------------------------------------------------------------

typedef struct ModeCase {
    ParseMode mode;
    const char *source;
    bool good;
} ModeCase;

static const ModeCase modes[] = {
    {PARSE_EXPRESSION, "a, b", true},
    {PARSE_EXPRESSION, "a +\\\n b\n\n", true},
    {PARSE_EXPRESSION, "a = b", false},
    {PARSE_EXPRESSION, "a; b", false},
    {PARSE_EXPRESSION, "pass", false},
    {PARSE_EXPRESSION, "*a, b", false},
    {PARSE_EXPRESSION, "", false},
    {PARSE_INTERACTIVE, "a; b", true},
    {PARSE_INTERACTIVE, "if a:\n    b\n\n", true},
    {PARSE_INTERACTIVE, "a\nb", false},
    {PARSE_INTERACTIVE, "if a: b\nc", false},
    {PARSE_INTERACTIVE, "", true},
    {PARSE_FILE, "", true},
    {PARSE_FILE, "\f\n# only a comment", true},
};

static int check_modes(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        Result result;
        parse(&result, modes[i].source, strlen(modes[i].source), modes[i].mode);
        if (result.good != modes[i].good) {
            printf("--- mode %d: %s\n", modes[i].mode, modes[i].source);
            failed++;
        }
        failed += release(&result);
    }
    return failed;
}

typedef struct PromptCase {
    const char *source;
    ParseCompleteness want;
} PromptCase;

static const PromptCase prompts[] = {
    {"", PARSE_COMPLETE},
    {"# nothing", PARSE_COMPLETE},
    {"x = 1", PARSE_COMPLETE},
    {"x =", PARSE_INVALID},
    {"a b", PARSE_INVALID},
    {"(", PARSE_INCOMPLETE},
    {"(1,\n 2", PARSE_INCOMPLETE},
    {"(1 1", PARSE_INVALID},
    {"x)", PARSE_INVALID},
    {"'a", PARSE_INVALID},
    {"'a\\", PARSE_INCOMPLETE},
    {"'''a\n", PARSE_INCOMPLETE},
    {"x = \\", PARSE_INCOMPLETE},
    {"if a:", PARSE_INCOMPLETE},
    {"if a:\n    b", PARSE_INCOMPLETE},
    {"if a:\n    b\n", PARSE_COMPLETE},
    {"if a: b", PARSE_INCOMPLETE},
    {"class A:\n  def f(self):", PARSE_INCOMPLETE},
    {"try:\n    a", PARSE_INCOMPLETE},
    {"try:\n    a\nexcept E:\n    b\n", PARSE_COMPLETE},
    {"@d", PARSE_INCOMPLETE},
    {"if a:\n    b\n  c", PARSE_INVALID},
};

static int check_prompts(void) {
    int failed = 0;
    Mem mem;
    mem_init(&mem, NULL, NULL, false, 0);
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        const char *source = prompts[i].source;
        ParseCompleteness got = parse_is_complete(&mem, source, strlen(source));
        if (got == prompts[i].want) continue;
        printf("--- prompt: %s\nwant %d got %d\n", source, prompts[i].want, got);
        failed++;
    }
    failed += mem.in_use != 0;
    mem_destroy(&mem);
    return failed;
}

// ---- text that is no program, names, lists ------------------------------------------------------

static int check_bytes(const char *source, size_t len, const char *want) {
    Result result;
    parse(&result, source, len, PARSE_FILE);
    list_reports(&result);
    return compare(&result, source, want);
}

static int check_encoding(void) {
    return check_bytes("a\n\0b", 4, "SyntaxError 2:0 source code cannot contain null bytes\n") +
           check_bytes("a = '\x80'", 7,
                       "SyntaxError 1:5 (unicode error) 'utf-8' codec can't decode byte 0x80 in "
                       "position 5: invalid start byte\n") +
           check_bytes("'\xED\xA0\x80'", 5,
                       "SyntaxError 1:1 (unicode error) 'utf-8' codec can't decode byte 0xed in "
                       "position 1: invalid continuation byte\n") +
           check_bytes("#\xC3", 2,
                       "SyntaxError 1:1 (unicode error) 'utf-8' codec can't decode byte 0xc3 in "
                       "position 1: unexpected end of data\n") +
           check_bytes("a\xC2\xA0", 3,
                       "SyntaxError 1:1 invalid non-printable character U+00A0\n");
}

// Equal names are one pointer; the micro sign is the Greek letter.
static int check_names(void) {
    const char *source = "abc + abc + \xC2\xB5 + \xCE\xBC";
    Result result;
    parse(&result, source, strlen(source), PARSE_EXPRESSION);
    bool good = result.good;
    if (good) {
        const Expr *last = result.ast.module->body.items[0]->value, *third = last->binary.left;
        const Expr *first = third->binary.left;
        good = first->binary.left->name == first->binary.right->name &&
               third->binary.right->name == last->binary.right->name;
    }
    if (!good) printf("--- names are not interned\n");
    return !good + release(&result);
}

// Reports come in source order, are capped, and the first ones are the ones kept.
static int check_cap(void) {
    char source[400] = "";
    for (int i = 0; i < 60; i++) strcat(source, i % 2 ? "a b\n" : "0777\n");
    Result result;
    parse(&result, source, strlen(source), PARSE_FILE);
    bool good = !result.good && result.diags.count == DIAG_CAP && result.diags.dropped == 40;
    for (uint32_t i = 0; i < result.diags.count; i++) {
        good = good && result.diags.items[i].span.line == i + 1;
    }
    if (!good) printf("--- the list of reports is wrong\n");
    return !good + release(&result);
}

int main(void) {
    int failed = check_tables() + check_spans() + check_rendering() + check_modes() +
                 check_prompts() + check_encoding() + check_names() + check_cap();
    if (failed) printf("%d failed\n", failed);
    return failed != 0;
}
