// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Numbers: operators, conversions and formatting against CPython's answers, each also with its
// first, second, third … allocation failing; floats to text and back; limits on size.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "literal.h"
#include "vm/value/class.h"
#include "vm/value/float_text.h"
#include "vm/value/int.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// `operation` is an operator (of one operand: "unary -"), str, bool, hash, format(), round(), or
// a class with (). Operands are literals as in literal.h, or inf, nan, complex numbers.
typedef struct NumCase {
    const char *operation, *a, *b, *expect;
} NumCase;

static const NumCase rows[] = {
#define NUM(operation, a, b, expect) {operation, a, b, expect},
#include "num_cases.def"
};

// --- One row ------------------------------------------------------------------------------------

static Value operand(Vm *vm, const char *text) {
    Value v = V_UNDEF;
    double re, im;
    size_t len = strlen(text);
    if (len && text[len - 1] == 'j' && complex_parse(text, len, &re, &im)) {
        if (complex_out(vm, re, im, &v) != ST_OK) return V_UNDEF;
        return v;
    }
    if (strspn(text, "-.0123456789") != len && float_parse(text, len, &re)) return v_float(re);
    return len ? literal(vm, text) : V_UNDEF;
}

static Status construct(Vm *vm, const char *operation, Value a, Value b, Value *out) {
    static const Kind kinds[] = {K_INT, K_FLOAT, K_COMPLEX, K_BOOL};
    const Value args[2] = {a, b};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t len = strlen(kind_names[kinds[i]]);
        if (strncmp(operation, kind_names[kinds[i]], len) == 0 && operation[len] == '(')
            return kind_slots[kinds[i]]->construct->fn(vm, args, out);
    }
    return ST_STOP;
}

static Status format_to_str(Vm *vm, Value v, Value spec, Value *out) {
    Buf text;
    buf_init(&text, &vm->mem);
    Status st = op_format(vm, v, spec.str, &text);
    if (st == ST_OK) return str_buf_out(vm, &text, out);
    buf_free(&text);
    return st;
}

static Status round_to(Vm *vm, Value a, Value b, Value *out) {
    if (a.kind == K_FLOAT) return float_round(vm, a.f, b.kind == K_INT, b.i, out);
    return int_round(vm, a, b.kind == K_INT ? b.i : 0, out);
}

static Status operator_of(Vm *vm, const char *symbol, Value a, Value b, Value *out) {
    for (int op = 0; op < BINARY_COUNT; op++)
        if (strcmp(symbol, binary_names[op].symbol) == 0)
            return op_binary(vm, (BinaryOp)op, false, a, b, out);
    for (int op = 0; op < COMPARE_COUNT; op++)
        if (strcmp(symbol, compare_names[op].symbol) == 0)
            return op_compare(vm, (CompareOp)op, a, b, out);
    return ST_STOP;
}

static Status unary_of(Vm *vm, const char *operation, Value a, Value *out) {
    bool truth = false;
    int64_t hash = 0;
    Status st = ST_STOP;
    if (strcmp(operation, "str") == 0) return op_str_value(vm, a, out);
    if (strcmp(operation, "bool") == 0) {
        st = op_truth(vm, a, &truth);
        *out = v_bool(truth);
    } else if (strcmp(operation, "hash") == 0) {
        st = op_hash(vm, a, &hash);
        *out = v_int(hash);
    }
    static const char *const unary[UNARY_COUNT] = {"unary -", "unary +", "unary ~", "unary abs"};
    for (int op = 0; op < UNARY_COUNT && st == ST_STOP; op++)
        if (strcmp(operation, unary[op]) == 0) return op_unary(vm, (UnaryOp)op, a, out);
    return st;
}

static Status perform(Vm *vm, const char *operation, Value a, Value b, Value *out) {
    if (strcmp(operation, "format()") == 0) return format_to_str(vm, a, b, out);
    if (strcmp(operation, "round()") == 0) return round_to(vm, a, b, out);
    Status st = unary_of(vm, operation, a, out);
    if (st == ST_STOP) st = construct(vm, operation, a, b, out);
    return st == ST_STOP ? operator_of(vm, operation, a, b, out) : st;
}

static void write_error(Vm *vm, Buf *out) {
    ExcInstance *exc = exc_of(vm->error);
    buf_puts(out, exc->inst.cls->name->data);
    size_t start = out->len;
    buf_puts(out, ": ");
    if (exc_str(vm, exc, out) != ST_OK || out->len == start + 2) out->len = start;
    vm_clear_error(vm);
}

static bool same_text(const Buf *text, const char *expect) {
    return text->len == strlen(expect) && memcmp(text->data, expect, text->len) == 0;
}

static bool run_limited(TestVm *test, const NumCase *c, size_t allowed, bool *failed) {
    Vm *vm = &test->vm;
    Value a = operand(vm, c->a), b = operand(vm, c->b), result = V_UNDEF;
    Buf text;
    buf_init(&text, &vm->mem);
    test->fail_after = allowed;
    Status st = perform(vm, c->operation, a, b, &result);
    if (st == ST_OK) st = op_repr(vm, result, &text);
    *failed = test->fail_after == 0;
    test->fail_after = SIZE_MAX;
    if (st != ST_OK) {
        buf_free(&text);
        buf_init(&text, &vm->mem);
    }
    if (st == ST_ERROR) write_error(vm, &text);
    else if (st != ST_OK) buf_printf(&text, "status %d", (int)st);
    bool good = same_text(&text, c->expect) || (*failed && same_text(&text, "MemoryError"));
    if (!good)
        printf("%s %s %s\n  expected %s\n  got      %.*s\n", c->a, c->operation, c->b, c->expect,
               (int)text.len, text.data ? text.data : "");
    buf_free(&text);
    release(vm, result);
    release(vm, a);
    release(vm, b);
    return good;
}

static int test_rows(void) {
    TestVm test;
    int failures = 0;
    if (!test_vm_init(&test)) return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool failed = false;
        bool good = run_limited(&test, &rows[i], SIZE_MAX, &failed);
        failed = true;
        for (size_t allowed = 0; good && failed; allowed++)
            good = run_limited(&test, &rows[i], allowed, &failed);
        failures += !good;
    }
    return failures + test_vm_free(&test);
}

// --- Floats to text and back --------------------------------------------------------------------

static uint64_t next_random(uint64_t *state) { // Marsaglia's xorshift
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double double_of(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

// The repr reads back as the same double, and nothing shorter does.
static int check_shortest(Vm *vm, double d) {
    int failures = 0;
    Buf text;
    buf_init(&text, &vm->mem);
    float_repr(d, &text);
    double back = 0;
    CHECK(&failures, float_parse(text.data, text.len, &back) && back == d);
    Decimal decimal = float_shortest(float_parts(fabs(d)));
    int digits = decimal_length(decimal.digits);
    char shorter[64];
    snprintf(shorter, sizeof shorter, "%.*e", digits > 1 ? digits - 2 : 0, d);
    CHECK(&failures, digits == 1 || d == 0 || strtod(shorter, NULL) != d);
    buf_free(&text);
    return failures;
}

// All digits agree with the C library's, whose conversions are exact.
static int check_digits(Vm *vm, double d, int precision) {
    int failures = 0;
    char expect[2000];
    static const char formats[] = "efg";
    for (int i = 0; formats[i]; i++) {
        Buf text;
        buf_init(&text, &vm->mem);
        float_format(d, formats[i], precision, false, &text);
        const char pattern[] = {'%', '.', '*', formats[i], '\0'};
        int len = snprintf(expect, sizeof expect, pattern, precision, d);
        CHECK(&failures, text.len == (size_t)len && memcmp(text.data, expect, text.len) == 0);
        double back = 0;
        CHECK(&failures, float_parse(text.data, text.len, &back) && back == strtod(expect, NULL));
        buf_free(&text);
    }
    return failures;
}

static int test_floats(void) {
    enum { ROUNDS = 20000 };
    TestVm test;
    int failures = 0;
    uint64_t state = 88172645463325252u;
    if (!test_vm_init(&test)) return 1;
    for (int e = -1074; e < 1024; e++) {
        double power = ldexp(1.0, e);
        failures += check_shortest(&test.vm, power);
        failures += check_shortest(&test.vm, nextafter(power, 0));
        failures += check_digits(&test.vm, power, e & 31);
    }
    for (int i = 0; i < ROUNDS && failures < 10; i++) {
        double d = double_of(next_random(&state));
        if (!isfinite(d)) continue;
        failures += check_shortest(&test.vm, d);
        failures += check_shortest(&test.vm, (double)(next_random(&state) >> 40) / 1024);
        if (i % 8 == 0) failures += check_digits(&test.vm, d, (int)(next_random(&state) % 40));
    }
    return failures + test_vm_free(&test);
}

// Halfway between two doubles, and a little above and below, with hundreds of digits.
static int test_halfway(void) {
    static const struct {
        const char *text;
        double expect;
    } cases[] = {
        {"9007199254740993", 0x1p53},
        {"9007199254740993.00000000000000000000000000000000000000000000000001", 0x1p53 + 2},
        {"9007199254740992.99999999999999999999999999999999999999999999999999", 0x1p53},
        {"2.4703282292062327208e-324", 0},
        {"2.4703282292062327209e-324", 0x1p-1074},
        {"1.797693134862315807e308", 0x1.fffffffffffffp1023},
        {"1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490"
         "1797758720709633028641669288791094655554785194040263065748867150582068190890200070838367"
         "6273854845817711531764475730270069855571366959622842914819860834936475292719074168444365"
         "510704342711559699508093042880177904174497792",
         INFINITY},
        {"1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490"
         "1797758720709633028641669288791094655554785194040263065748867150582068190890200070838367"
         "6273854845817711531764475730270069855571366959622842914819860834936475292719074168444365"
         "510704342711559699508093042880177904174497791.9",
         0x1.fffffffffffffp1023},
    };
    int failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double d = -1;
        CHECK(&failures, float_parse(cases[i].text, strlen(cases[i].text), &d));
        CHECK(&failures, d == cases[i].expect);
    }
    return failures;
}

// --- Sizes --------------------------------------------------------------------------------------

static int check_memory_error(Vm *vm, BinaryOp op, Value a, Value b) {
    int failures = 0;
    Value out = V_UNDEF;
    CHECK(&failures, num_binary(vm, op, a, b, &out) == ST_ERROR);
    CHECK(&failures, vm_error_is(vm, EXC_MemoryError));
    vm_clear_error(vm);
    release(vm, out);
    return failures;
}

static int test_sizes(void) {
    TestVm test;
    int failures = 0;
    if (!test_vm_init(&test)) return 1;
    Vm *vm = &test.vm;
    failures += check_memory_error(vm, BIN_LSHIFT, v_int(1), v_int(1000000000000));
    failures += check_memory_error(vm, BIN_LSHIFT, v_int(1), v_int(INT64_MAX));
    failures += check_memory_error(vm, BIN_POW, v_int(10), v_int(10000000000));
    failures += check_memory_error(vm, BIN_POW, v_int(-3), v_int(INT64_MAX));
    Value big = V_UNDEF, product = V_UNDEF;
    CHECK(&failures, num_binary(vm, BIN_LSHIFT, v_int(1), v_int(2000000), &big) == ST_OK);
    mem_limit(&vm->mem, vm->mem.in_use + 300000); // half of what the square needs
    failures += check_memory_error(vm, BIN_MUL, big, big);
    mem_limit(&vm->mem, 0);
    CHECK(&failures, num_binary(vm, BIN_MUL, big, big, &product) == ST_OK);
    CHECK(&failures, int_bits(product) == 4000001);
    release(vm, product);
    vm->interrupt = 1; // long computations stop when asked to
    CHECK(&failures, num_binary(vm, BIN_POW, big, v_int(100), &product) == ST_ERROR);
    CHECK(&failures, vm_error_is(vm, EXC_KeyboardInterrupt));
    vm_clear_error(vm);
    release(vm, big);
    return failures + test_vm_free(&test);
}

// A number of 64 bits is never a BigInt, whatever way it was made.
static int test_normal_form(void) {
    TestVm test;
    int failures = 0;
    if (!test_vm_init(&test)) return 1;
    Vm *vm = &test.vm;
    Value big = V_UNDEF, back = V_UNDEF;
    CHECK(&failures, num_binary(vm, BIN_ADD, v_int(INT64_MAX), v_int(1), &big) == ST_OK);
    CHECK(&failures, big.kind == K_BIGINT && big.big->used == 2 && !big.big->negative);
    CHECK(&failures, num_unary(vm, UN_NEG, big, &back) == ST_OK);
    CHECK(&failures, back.kind == K_INT && back.i == INT64_MIN);
    CHECK(&failures, num_binary(vm, BIN_SUB, big, v_int(1), &back) == ST_OK);
    CHECK(&failures, back.kind == K_INT && back.i == INT64_MAX);
    CHECK(&failures, num_binary(vm, BIN_RSHIFT, big, v_int(70), &back) == ST_OK);
    CHECK(&failures, back.kind == K_INT && back.i == 0);
    release(vm, big);
    CHECK(&failures, int_from_u64(vm, UINT64_MAX, &big) == ST_OK && big.kind == K_BIGINT);
    CHECK(&failures, num_hash(big) == 7 && num_equal(big, big) && !num_equal(big, v_float(0x1p64)));
    release(vm, big);
    return failures + test_vm_free(&test);
}

int main(void) {
    int failures = test_rows() + test_floats() + test_halfway() + test_sizes() + test_normal_form();
    if (failures) printf("%d failures\n", failures);
    return failures != 0;
}
