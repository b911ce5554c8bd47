// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The compiler: the code of small functions, errors, limits, and what happens when memory runs out
// at any point.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/compile.h"
#include "lang/unit.h"

typedef struct Case {
    const char *source, *want;
} Case;

static const Case shapes[] = {
#include "compile_code.def"
};

static const Case errors[] = {
#include "compile_errors.def"
};

enum { SHAPES = sizeof shapes / sizeof *shapes, ERRORS = sizeof errors / sizeof *errors };

static int complain(const char *what, const char *source, const char *want, const char *got) {
    printf("--- %s\n%.200s\nwant %s\ngot  %s\n", what, source, want, got);
    return 1;
}

static int check_empty(Mem *mem, const char *source) {
    if (mem->in_use == 0) return 0;
    printf("--- %.60s\n%zu bytes were not given back\n", source, mem->in_use);
    return 1;
}

// ---- code ---------------------------------------------------------------------------------------

static const BcCode *first_inner(const BcCode *code) {
    for (uint32_t i = 0; i < code->const_count; i++) {
        if (code->consts[i].kind == BC_CODE) return code->consts[i].code;
    }
    return code;
}

static int check_shape(const Case *test) {
    Mem mem;
    CompileErrors found = {.count = 0};
    int failed = 1;
    mem_init(&mem, NULL, NULL, false, 0);
    BcUnit *unit =
        compile_source(&mem, test->source, strlen(test->source), "x.py", COMPILE_FILE, &found);
    if (unit) {
        Buf text;
        buf_init(&text, &mem);
        bc_disassemble(first_inner(unit->main), unit, &text);
        buf_putc(&text, 0);
        failed = strcmp(text.data, test->want) != 0;
        if (failed) complain("code", test->source, test->want, text.data);
        buf_free(&text);
    }
    compile_errors_free(&found);
    bc_unit_free(unit);
    return failed + check_empty(&mem, test->source);
}

// ---- errors -------------------------------------------------------------------------------------

static int check_error(const Case *test) {
    Mem mem;
    CompileErrors found = {.count = 0};
    char got[400] = "no error";
    mem_init(&mem, NULL, NULL, false, 0);
    BcUnit *unit =
        compile_source(&mem, test->source, strlen(test->source), "x.py", COMPILE_FILE, &found);
    if (!unit && found.count > 0) {
        const CompileError *item = &found.items[0];
        snprintf(got, sizeof got, "%s @%u:%u-%u:%u", item->message, (unsigned)item->span.line,
                 (unsigned)item->span.col + 1, (unsigned)item->span.end_line,
                 (unsigned)item->span.end_col + 1);
    }
    compile_errors_free(&found);
    bc_unit_free(unit);
    int failed = strcmp(got, test->want) != 0;
    if (failed) complain("error", test->source, test->want, got);
    return failed + check_empty(&mem, test->source);
}

// ---- programs made of many parts ----------------------------------------------------------------

// `head`, then `count` times `piece`, then `tail`.
typedef struct Repeated {
    const char *head, *piece;
    uint32_t count;
    const char *tail;
    const char *error; // or NULL: compiles
} Repeated;

static const Repeated repeated[] = {
    {"x = a", " + a", 200000, "\n", NULL},
    {"x = a", ".b", 100000, "\n", NULL},
    {"x = a", "(b)", 50000, "\n", NULL},
    {"x = a", "[b]", 50000, "\n", NULL},
    {"x = a", " < a", 50000, "\n", NULL},
    {"x = a", " and a", 50000, "\n", NULL},
    {"x = 1", " + 1", 100000, "\n", NULL},
    {"x = [", "a, ", 40000, "]\n", NULL},
    {"x = (", "a, ", 40000, ")\n", NULL},
    {"x = {", "a, ", 40000, "}\n", NULL},
    {"x = {", "a: b, ", 40000, "}\n", NULL},
    {"x = f'", "{a}-", 20000, "'\n", NULL},
    {"f(", "a, ", 1000, ")\n", NULL},
    {"x = [0 ", "for a in b ", 1000, "]\n", NULL},
    {"(", "a, ", 300, ") = x\n", NULL},
    {"def f():\n", " if a: x = b\n", 20000, " return x\n", NULL},
    {"def f():\n try:\n  pass\n", " except A: g()\n", 5000, "\n", NULL},
    {"x = ", "(", 150, "1,", NULL},
    {"", "with a as b, ", 1, "c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c: pass\n",
     NULL},
    {"", "with a as b, ", 1, "c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c: pass\n",
     "too many statically nested blocks"},
    {"(", "a, ", 256, "*b) = x\n", "too many expressions in star-unpacking assignment"},
};

enum { REPEATED = sizeof repeated / sizeof *repeated };

static void build(const Repeated *test, Buf *text) {
    buf_puts(text, test->head);
    for (uint32_t i = 0; i < test->count; i++) buf_puts(text, test->piece);
    buf_puts(text, test->tail);
    // Brackets opened by the pieces are closed again.
    if (test->piece[0] == '(' && !test->piece[1]) buf_fill(text, ')', test->count);
}

// NULL: compiled, and the code passes the verifier; else the first message.
static const char *outcome(Mem *mem, const Buf *text, char *room, size_t size) {
    CompileErrors found = {.count = 0};
    BcUnit *unit = compile_source(mem, text->data, text->len, "x.py", COMPILE_FILE, &found);
    const char *result = NULL;
    if (!unit) {
        snprintf(room, size, "%s", found.count ? found.items[0].message : "out of memory");
        result = room;
    } else if (!bc_verify(unit, NULL)) {
        result = "fails the verifier";
    }
    compile_errors_free(&found);
    bc_unit_free(unit);
    return result;
}

static int check_outcome(Mem *mem, Buf *text, const char *label, const char *want) {
    char room[200];
    const char *got = outcome(mem, text, room, sizeof room);
    buf_free(text);
    const char *shown_want = want ? want : "compiles", *shown_got = got ? got : "compiles";
    int failed = strcmp(shown_want, shown_got) != 0;
    if (failed) complain("repeated", label, shown_want, shown_got);
    return failed + check_empty(mem, label);
}

static int check_repeated(const Repeated *test) {
    Mem mem;
    Buf text;
    mem_init(&mem, NULL, NULL, false, 0);
    buf_init(&text, &mem);
    build(test, &text);
    return check_outcome(&mem, &text, test->piece, test->error);
}

// `count` different names or numbers, each in a statement of a function.
static int check_numbered(const char *format, unsigned count, const char *want) {
    Mem mem;
    Buf text;
    mem_init(&mem, NULL, NULL, false, 0);
    buf_init(&text, &mem);
    buf_puts(&text, "def f(a):\n");
    for (unsigned i = 0; i < count; i++) {
        buf_printf(&text, format, i);
        buf_putc(&text, '\n');
    }
    return check_outcome(&mem, &text, format, want);
}

static int check_limits(void) {
    return check_numbered("  a = %u.5", 30000, NULL) +
           check_numbered("  a = %u.5", 40000, "too many constants in function") +
           check_numbered("  a%u = 1", 30000, NULL) +
           check_numbered("  a%u = 1", 40000, "too many local variables in function");
}

// ---- memory -------------------------------------------------------------------------------------

typedef struct Failing {
    uint64_t left; // requests that succeed
    size_t held;
} Failing;

static void *failing_fn(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    Failing *failing = ctx;
    if (new_size == 0) {
        failing->held -= old_size;
        free(ptr);
        return NULL;
    }
    if (failing->left == 0) return NULL;
    failing->left--;
    void *block = realloc(ptr, new_size);
    if (block) failing->held += new_size - (ptr ? old_size : 0);
    return block;
}

// Unpacks the bodies of all functions, after which the unit is as any other.
static bool unpack_bodies(BcUnit *unit, BcCode *code) {
    bool good = bc_unpack_body(unit, code);
    for (uint32_t i = 0; i < code->const_count && good; i++)
        if (code->consts[i].kind == BC_CODE) good = unpack_bodies(unit, code->consts[i].code);
    return good;
}

static int own_way(Mem *mem, const BcUnit *unit, Buf *packed) {
    BcUnit *again;
    bool no_memory;
    if (!bc_pack_own(unit, packed)) return 1;
    if (!bc_unpack_own(mem, packed->data, packed->len, &again, &no_memory)) return no_memory ? 1 : 2;
    bool good = unpack_bodies(again, again->main);
    no_memory = false;
    int result = !good ? 1 : unit_verify(again, NULL, &no_memory) ? 0 : no_memory ? 1 : 2;
    if (!good) unpack_bodies(again, again->main); // it may be tried again
    bc_unit_free(again);
    return result;
}

// Compiles, packs and unpacks. 0: all went well, or the source is wrong; 1: out of memory;
// 2: anything else.
static int whole_way(Mem *mem, const char *source) {
    CompileErrors found = {.count = 0};
    BcUnit *unit = compile_source(mem, source, strlen(source), "x.py", COMPILE_FILE, &found);
    int result = unit ? 0 : found.no_memory ? 1 : found.count > 0 ? 0 : 2;
    compile_errors_free(&found);
    if (!unit) return result;
    Buf packed;
    BcUnit *again = NULL;
    bool no_memory = false;
    buf_init(&packed, mem);
    if (!bc_pack(unit, &packed)) {
        result = 1;
    } else if (!bc_unpack(mem, packed.data, packed.len, &again, &no_memory)) {
        result = no_memory ? 1 : 2;
    }
    bc_unit_free(again);
    packed.len = 0;
    if (result == 0) result = own_way(mem, unit, &packed);
    buf_free(&packed);
    bc_unit_free(unit);
    return result;
}

static int check_memory(const char *source) {
    for (uint64_t allowed = 0;; allowed++) {
        Failing failing = {.left = allowed};
        Mem mem;
        mem_init(&mem, failing_fn, &failing, false, 0);
        int result = whole_way(&mem, source);
        mem_destroy(&mem);
        if (failing.held || result == 2) {
            printf("--- %.60s\n%zu bytes left, result %d after %u requests\n", source, failing.held,
                   result, (unsigned)allowed);
            return 1;
        }
        if (result == 0) return 0;
    }
}

// ---- packed units -------------------------------------------------------------------------------

static int check_round_trip(Mem *mem, const BcUnit *unit, const Buf *packed) {
    BcUnit *again = NULL;
    bool no_memory;
    if (!bc_unpack(mem, packed->data, packed->len, &again, &no_memory)) return 1;
    Buf second, text[2];
    buf_init(&second, mem);
    bc_pack(again, &second);
    int failed = second.len != packed->len || memcmp(second.data, packed->data, second.len) != 0;
    const BcUnit *units[] = {unit, again};
    for (int i = 0; i < 2; i++) {
        buf_init(&text[i], mem);
        bc_disassemble(first_inner(units[i]->main), units[i], &text[i]);
    }
    failed |= text[0].len != text[1].len || memcmp(text[0].data, text[1].data, text[0].len) != 0;
    for (int i = 0; i < 2; i++) buf_free(&text[i]);
    buf_free(&second);
    bc_unit_free(again);
    return failed;
}

// The library's own form: nothing is missing but columns, and what was not asked for is not there.
static int check_own(Mem *mem, const BcUnit *unit) {
    Buf packed, text[2];
    BcUnit *again = NULL;
    bool no_memory;
    buf_init(&packed, mem);
    bool good = bc_pack_own(unit, &packed) && bc_unpack_own(mem, packed.data, packed.len, &again, &no_memory) &&
                again->main->packed && again->main->code_len == 0 && unpack_bodies(again, again->main);
    const BcUnit *units[] = {unit, again};
    for (int i = 0; i < 2; i++) {
        buf_init(&text[i], mem);
        if (good) bc_disassemble(first_inner(units[i]->main), units[i], &text[i]);
    }
    good = good && text[0].len == text[1].len && memcmp(text[0].data, text[1].data, text[0].len) == 0;
    BcUnit *other = NULL;
    good = good && !bc_unpack(mem, packed.data, packed.len - 1, &other, &no_memory) && !other;
    for (int i = 0; i < 2; i++) buf_free(&text[i]);
    bc_unit_free(again);
    buf_free(&packed);
    return !good;
}

// Any prefix is refused; with any one byte changed the unit is refused or still verifies.
static int check_damage(Mem *mem, Buf *packed) {
    int failed = 0;
    BcUnit *unit;
    bool no_memory;
    for (size_t len = 0; len < packed->len; len++) {
        failed |= bc_unpack(mem, packed->data, len, &unit, &no_memory);
        bc_unit_free(unit);
    }
    for (size_t i = 0; i < packed->len; i++) {
        packed->data[i] ^= (char)(1 + i % 255);
        if (bc_unpack(mem, packed->data, packed->len, &unit, &no_memory)) {
            failed |= !bc_verify(unit, NULL);
        }
        failed |= no_memory;
        bc_unit_free(unit);
        packed->data[i] ^= (char)(1 + i % 255);
    }
    return failed;
}

static int check_packed(const char *source) {
    Mem mem;
    CompileErrors found = {.count = 0};
    Buf packed;
    mem_init(&mem, NULL, NULL, true, 0);
    BcUnit *unit = compile_source(&mem, source, strlen(source), "x.py", COMPILE_FILE, &found);
    if (!unit) return 1;
    buf_init(&packed, &mem);
    int failed = !bc_pack(unit, &packed) || check_round_trip(&mem, unit, &packed) ||
                 check_own(&mem, unit) || check_damage(&mem, &packed);
    if (failed) complain("packed", source, "the same unit", "another");
    buf_free(&packed);
    bc_unit_free(unit);
    compile_errors_free(&found);
    failed += check_empty(&mem, source);
    mem_destroy(&mem);
    return failed;
}

// ---- the verifier -------------------------------------------------------------------------------

typedef struct Damage {
    const char *what;
    void (*apply)(BcCode *code);
} Damage;

static void far_register(BcCode *code) {
    code->code[0].a = code->reg_count;
}
static void bad_opcode(BcCode *code) {
    code->code[0].op = OP_COUNT;
}
static void stray_word(BcCode *code) {
    code->code[0].op = OP_EXT;
}
static void far_constant(BcCode *code) {
    code->code[0].c = (uint16_t)(CONST_BIT | 0x7ffe);
}
static void odd_flag(BcCode *code) {
    code->code[0].flags |= 8;
}
static void in_place_move(BcCode *code) {
    code->code[0] = (Instr){.op = OP_MOVE, .flags = FLAG_ALT, .a = 0, .b = 0};
}
static void early_release(BcCode *code) {
    code->code[0].flags |= FLAG_LAST_B | FLAG_LAST_C;
}
static void unset_register(BcCode *code) {
    code->code[0].b = (uint16_t)(code->reg_count - 1);
}
static void open_end(BcCode *code) {
    code->code_len--;
}
static void far_jump(BcCode *code) {
    code->code[0] = instr_with_wide((Instr){.op = OP_JUMP}, code->code_len);
}
static void yields(BcCode *code) {
    code->code[0] = (Instr){.op = OP_YIELD};
}
static void no_code(BcCode *code) {
    code->code_len = 0;
}
static void many_params(BcCode *code) {
    code->positional = 9;
}
static void positional_only(BcCode *code) {
    code->positional_only = 9;
}
static void many_registers(BcCode *code) {
    code->local_count = 99;
}
static void captures(BcCode *code) {
    code->code[0] = (Instr){.op = OP_FREE_GET, .a = 0, .b = 0};
}
static void cell(BcCode *code) {
    code->code[0] = (Instr){.op = OP_CELL_GET, .a = 0, .b = 1};
}
static void name_space(BcCode *code) {
    code->code[0] = (Instr){.op = OP_NAME_DEL, .a = 0};
}
static void long_row(BcCode *code) {
    code->code[0] = (Instr){.op = OP_TUPLE, .b = 0, .c = 99};
}

// Applied to `def f(a, b): return a + b + a`, whose first instruction is ADD %0, a, b.
static const Damage damages[] = {
    {"register out of range", far_register},
    {"opcode out of range", bad_opcode},
    {"extension word on its own", stray_word},
    {"constant out of range", far_constant},
    {"unknown flag", odd_flag},
    {"flag the row does not have", in_place_move},
    {"register read after its last use", early_release},
    {"register read before it is set", unset_register},
    {"path off the end", open_end},
    {"jump out of the code", far_jump},
    {"yield outside a generator", yields},
    {"no instructions", no_code},
    {"more parameters than locals", many_params},
    {"more positional-only than positional", positional_only},
    {"more locals than registers", many_registers},
    {"free variable out of range", captures},
    {"no cell", cell},
    {"names outside a class body", name_space},
    {"row out of range", long_row},
};

enum { DAMAGES = sizeof damages / sizeof *damages };

static int check_verifier(const Damage *damage) {
    static const char source[] = "def f(a, b):\n    return a + b + a\n";
    Mem mem;
    CompileErrors found = {.count = 0};
    Buf why;
    mem_init(&mem, NULL, NULL, false, 0);
    buf_init(&why, &mem);
    BcUnit *unit = compile_source(&mem, source, strlen(source), "x.py", COMPILE_FILE, &found);
    if (!unit || !bc_verify(unit, &why)) return 1;
    damage->apply((BcCode *)first_inner(unit->main));
    int failed = bc_verify(unit, &why) || why.len == 0;
    if (failed) complain("verifier", damage->what, "refused", "accepted");
    buf_free(&why);
    bc_unit_free(unit);
    compile_errors_free(&found);
    return failed + check_empty(&mem, damage->what);
}

// ---- constants ----------------------------------------------------------------------------------

typedef struct Constant {
    const char *text;
    uint32_t len;
    int base; // 0: text
    bool good;
} Constant;

static const Constant constants[] = {
    {"12345678901234567890", 20, 10, true},
    {"0129", 4, 10, true},
    {"a", 1, 10, false},
    {"9aAfF0", 6, 16, true},
    {"g", 1, 16, false},
    {"G", 1, 16, false},
    {"@", 1, 16, false},
    {"`", 1, 16, false},
    {"/", 1, 16, false},
    {":", 1, 16, false},
    {"101", 3, 2, true},
    {"2", 1, 2, false},
    {"777", 3, 8, true},
    {"8", 1, 8, false},
    {"1", 1, 7, false},
    {"", 0, 10, false},
    {"-1", 2, 10, false},
    {"1 ", 2, 10, false},
    {"", 0, 0, true},
    {"a\0b", 3, 0, true},
    {"\x7f\xc2\x80\xdf\xbf", 5, 0, true},
    {"\xe0\xa0\x80\xed\xa0\x80\xef\xbf\xbf", 9, 0, true}, // a lone surrogate is allowed
    {"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8, 0, true},
    {"\x80", 1, 0, false},
    {"\xc1\xbf", 2, 0, false},
    {"\xc2", 1, 0, false},
    {"\xc2\x41", 2, 0, false},
    {"\xe0\x9f\xbf", 3, 0, false},
    {"\xe1\x80", 2, 0, false},
    {"\xe1\x80\xc0", 3, 0, false},
    {"\xf0\x8f\xbf\xbf", 4, 0, false},
    {"\xf4\x90\x80\x80", 4, 0, false},
    {"\xf5\x80\x80\x80", 4, 0, false},
    {"\xf1\x80\x80", 3, 0, false},
};

enum { CONSTANTS = sizeof constants / sizeof *constants };

// As itself, and inside of a tuple inside of a tuple.
static int check_constant(const Constant *constant) {
    BcConst value = {.kind = constant->base ? BC_BIG : BC_STR, .len = constant->len,
                     .base = constant->base, .text = (char *)constant->text};
    BcConst pair[] = {{.kind = BC_NONE}, value};
    BcConst inner = {.kind = BC_TUPLE, .len = 2, .items = pair};
    BcConst outer = {.kind = BC_TUPLE, .len = 1, .items = &inner};
    bool good = constant->good;
    if (!verify_constant(&value, 0) == good && !verify_constant(&outer, 0) == good) return 0;
    return complain("constant", constant->text, good ? "good" : "bad", good ? "bad" : "good");
}

static int check_odd_constants(void) {
    BcConst none = {.kind = BC_NONE}, no_code = {.kind = BC_CODE}, odd = {.kind = (BcConstKind)99};
    BcCode code = {0};
    BcConst of_code = {.kind = BC_CODE, .code = &code};
    BcConst around = {.kind = BC_TUPLE, .len = 1, .items = &of_code};
    int failed = !!verify_constant(&none, UNIT_MAX_NESTING) + !!verify_constant(&of_code, 0) +
                 !verify_constant(&none, UNIT_MAX_NESTING + 1) + !verify_constant(&no_code, 0) +
                 !verify_constant(&odd, 0) + !verify_constant(&around, 0);
    if (failed) complain("constants", "of other kinds", "judged rightly", "judged wrongly");
    return failed;
}

// Units with every kind of constant, of parameter and of body.
static const char *const packed[] = {
    "x = (None, True, False, ..., 1, -1, 2**62, 1.5, -0.0, 1e300, 2.5j, 'text', (), ((1,), 'a'))\n",
    "x = [123456789012345678901234567890, 0xffffffffffffffffffff, 0o7777777777777777777777777, "
    "0b11111111111111111111111111111111111111111111111111111111111111111]\n",
    "x = ['\\0', '\\ud800', '\xc3\xa9', '\\U0001f600', 'a' 'b', f'{x!r:>{5}}']\n",
    "def f(a, b=1, /, c=2, *d, e, g=3, **h):\n    'doc'\n    return lambda: (a, h)\n",
    "class A(B):\n    'doc'\n    x: int = 1\n    def f(self):\n        return super().f()\n",
    "def g():\n    try:\n        yield 1\n    except E as e:\n        raise X from e\n    finally:\n"
    "        yield from h()\n",
    "with a as b, c:\n    for i in d:\n        del i[0], i.x\n    else:\n        import m.n as o\n",
    "x = {k: [v for v in w if v] for k, w in z}\ny = {*a, *b}\nf(*a, **b)\n",
};

enum { PACKED = sizeof packed / sizeof *packed };

// ---- modes --------------------------------------------------------------------------------------

// `op` is among the instructions, and so many of them start a statement.
static int check_mode(const char *source, CompileMode mode, Opcode op, int statements) {
    Mem mem;
    CompileErrors found = {.count = 0};
    mem_init(&mem, NULL, NULL, false, 0);
    BcUnit *unit = compile_source(&mem, source, strlen(source), "x.py", mode, &found);
    int failed = !unit || !bc_verify(unit, NULL);
    bool present = false;
    for (uint32_t i = 0; unit && i < unit->main->code_len;) {
        const Instr *at = &unit->main->code[i];
        present |= at->op == op;
        statements -= unit->main->marks[i] & BC_MARK_STATEMENT;
        i += bc_op_info[at->op].words;
    }
    bc_unit_free(unit);
    compile_errors_free(&found);
    if (failed || !present) complain("mode", source, bc_op_info[op].name, "none");
    if (statements) printf("--- %s\n%d statements not marked\n", source, statements);
    return failed + !present + (statements != 0) + check_empty(&mem, source);
}

static int check_modes(void) {
    return check_mode("1 + a\n", COMPILE_INTERACTIVE, OP_DISPLAY, 1) +
           check_mode("for x in y:\n  x\n", COMPILE_INTERACTIVE, OP_DISPLAY, 2) +
           check_mode("a + b", COMPILE_EXPRESSION, OP_ADD, 1) +
           check_mode("", COMPILE_FILE, OP_RETURN, 0) +
           check_mode("'doc'\n", COMPILE_FILE, OP_GLOBAL_SET, 1);
}

int main(void) {
    int failed = check_modes() + check_limits();
    for (int i = 0; i < SHAPES; i++) {
        failed += check_shape(&shapes[i]);
        failed += check_memory(shapes[i].source);
        failed += check_packed(shapes[i].source);
    }
    for (int i = 0; i < PACKED; i++) failed += check_packed(packed[i]) + check_memory(packed[i]);
    for (int i = 0; i < CONSTANTS; i++) failed += check_constant(&constants[i]);
    failed += check_odd_constants();
    for (int i = 0; i < ERRORS; i++) failed += check_error(&errors[i]);
    failed += check_memory(errors[0].source);
    for (int i = 0; i < REPEATED; i++) failed += check_repeated(&repeated[i]);
    for (int i = 0; i < DAMAGES; i++) failed += check_verifier(&damages[i]);
    if (failed) printf("%d failures\n", failed);
    return failed != 0;
}
