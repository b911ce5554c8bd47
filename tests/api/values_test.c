// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Values in a host's hands: making them, reading them, items, attributes, operators, calls.

#include <math.h>
#include <string.h>

#include "harness.h"

// A variable of the main module; the caller lets go of it.
static NacreValue *global(NacreVm *vm, const char *name) {
    NacreValue *value = NULL;
    CHECK(nacre_global(vm, name, &value) == NACRE_OK);
    return value;
}

// Whether repr(value) is `expect`; consumes the value.
static bool is(NacreVm *vm, NacreValue *value, const char *expect) {
    NacreValue *text = NULL;
    const char *found = "(no value)";
    if (nacre_repr(vm, value, &text) == NACRE_OK) nacre_as_text(vm, text, &found, NULL);
    bool good = strcmp(found, expect) == 0;
    if (!good) printf("%s, not %s\n%s", found, expect, nacre_error_text(vm));
    nacre_release(vm, text);
    nacre_release(vm, value);
    return good;
}

// --- Making and reading --------------------------------------------------------------------------

static void test_made(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(is(vm, nacre_none(vm), "None"));
    CHECK(is(vm, nacre_ellipsis(vm), "Ellipsis"));
    CHECK(is(vm, nacre_bool(vm, 7), "True"));
    CHECK(is(vm, nacre_int(vm, INT64_MIN), "-9223372036854775808"));
    CHECK(is(vm, nacre_uint(vm, UINT64_MAX), "18446744073709551615"));
    CHECK(is(vm, nacre_float(vm, -0.5), "-0.5"));
    CHECK(is(vm, nacre_complex(vm, 1, -2), "(1-2j)"));
    CHECK(is(vm,
             nacre_text(vm,
                        "gr\xc3\xbc\xc3\x9f"
                        "e\0x",
                        9),
             "'gr\xc3\xbc\xc3\x9f"
             "e\\x00x'"));
    CHECK(is(vm, nacre_bytes(vm, "\0\xff", 2), "b'\\x00\\xff'"));
    CHECK(is(vm, nacre_bytes(vm, NULL, 0), "b''"));
    NacreValue *parts[3] = {nacre_int(vm, 1), nacre_text(vm, "two", 3), nacre_float(vm, 3)};
    CHECK(is(vm, nacre_tuple(vm, 3, parts), "(1, 'two', 3.0)"));
    CHECK(is(vm, nacre_tuple(vm, 0, NULL), "()"));
    CHECK(is(vm, nacre_list(vm, 2, parts), "[1, 'two']"));
    CHECK(is(vm, nacre_dict(vm, 2, parts, parts + 1), "{1: 'two', 'two': 3.0}"));
    CHECK(is(vm, nacre_slice(vm, parts[0], NULL, parts[0]), "slice(1, None, 1)"));
    NacreValue *list = nacre_list(vm, 0, NULL);
    CHECK(!nacre_dict(vm, 1, &list, parts) && strcmp(nacre_error_class(vm), "TypeError") == 0);
    CHECK(!nacre_text(vm, "\xff", 1) && strcmp(nacre_error_class(vm), "UnicodeDecodeError") == 0);
    CHECK(nacre_held(vm) == 4);
    NacreValue *again = nacre_hold(vm, list);
    CHECK(again && again != list && nacre_same(again, list) && !nacre_same(list, parts[0]));
    nacre_release(vm, list);
    CHECK(is(vm, again, "[]"));
    nacre_free(vm); // with three holds left
}

static void test_kinds(void) {
    static const struct {
        const char *text;
        NacreKind kind;
        const char *type;
    } rows[] = {
        {"None", NACRE_KIND_NONE, "NoneType"},
        {"True", NACRE_KIND_BOOL, "bool"},
        {"1", NACRE_KIND_INT, "int"},
        {"1 << 80", NACRE_KIND_INT, "int"},
        {"1.5", NACRE_KIND_FLOAT, "float"},
        {"2j", NACRE_KIND_COMPLEX, "complex"},
        {"np.float32(1)", NACRE_KIND_SCALAR, "float32"},
        {"np.complex64(1)", NACRE_KIND_SCALAR, "complex64"},
        {"''", NACRE_KIND_TEXT, "str"},
        {"b''", NACRE_KIND_BYTES, "bytes"},
        {"()", NACRE_KIND_TUPLE, "tuple"},
        {"[]", NACRE_KIND_LIST, "list"},
        {"{}", NACRE_KIND_DICT, "dict"},
        {"{1}", NACRE_KIND_SET, "set"},
        {"frozenset()", NACRE_KIND_SET, "frozenset"},
        {"np.zeros(2)", NACRE_KIND_ARRAY, "ndarray"},
        {"len", NACRE_KIND_CALLABLE, "builtin_function_or_method"},
        {"lambda: 0", NACRE_KIND_CALLABLE, "function"},
        {"int", NACRE_KIND_CALLABLE, "type"},
        {"np.add", NACRE_KIND_CALLABLE, "ufunc"},
        {"np", NACRE_KIND_MODULE, "module"},
        {"range(3)", NACRE_KIND_OTHER, "range"},
    };
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "import numpy as np") == NACRE_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        NacreValue *value = value_of(vm, rows[i].text);
        CHECK(nacre_kind(vm, value) == rows[i].kind);
        if (strcmp(nacre_type_name(vm, value), rows[i].type) != 0)
            printf("%s: %s\n", rows[i].text, nacre_type_name(vm, value)), failures++;
        nacre_release(vm, value);
    }
    CHECK(nacre_held(vm) == 0);
    nacre_free(vm);
}

static void test_read(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm,
              "import numpy as np\nclass N:\n    def __index__(self): return 5\n"
              "    def __float__(self): return 2.5\n    def __bool__(self): return False\n"
              "    def __len__(self): return 3\n    def __str__(self): return 'me'\n") == NACRE_OK);
    static const struct {
        const char *text, *as_int, *as_float; // NULL: TypeError
        int truth;
    } rows[] = {
        {"3", "3", "3", 1},
        {"True", "1", "1", 1},
        {"0.5", NULL, "0.5", 1},
        {"''", NULL, NULL, 0},
        {"np.int16(-4)", "-4", "-4", 1},
        {"np.float32(0)", NULL, "0", 0},
        {"np.array(7)", "7", "7", 1},
        {"N()", "5", "2.5", 0},
        {"[]", NULL, NULL, 0},
        {"2j", NULL, NULL, 1},
        {"None", NULL, NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        NacreValue *value = value_of(vm, rows[i].text);
        int64_t number = 0;
        double real = 0;
        int truth = -1;
        char text[40];
        NacreStatus status = nacre_as_int(vm, value, &number);
        snprintf(text, sizeof text, "%lld", (long long)number);
        if (rows[i].as_int)
            CHECK(status == NACRE_OK && strcmp(text, rows[i].as_int) == 0);
        else
            CHECK(failed(vm, status, "TypeError"));
        status = nacre_as_float(vm, value, &real);
        snprintf(text, sizeof text, "%g", real);
        if (rows[i].as_float)
            CHECK(status == NACRE_OK && strcmp(text, rows[i].as_float) == 0);
        else
            CHECK(failed(vm, status, "TypeError"));
        CHECK(nacre_as_truth(vm, value, &truth) == NACRE_OK && truth == rows[i].truth);
        nacre_release(vm, value);
    }
    NacreValue *big = value_of(vm, "1 << 64"), *z = value_of(vm, "np.complex64(1-2j)"),
               *n = value_of(vm, "N()"), *text;
    int64_t number;
    double re = 0, im = 0;
    CHECK(failed(vm, nacre_as_int(vm, big, &number), "OverflowError"));
    CHECK(nacre_as_complex(vm, z, &re, &im) == NACRE_OK && re == 1 && im == -2);
    CHECK(nacre_as_complex(vm, n, &re, &im) == NACRE_OK && re == 2.5 && im == 0);
    CHECK(nacre_length(vm, n, &number) == NACRE_OK && number == 3);
    CHECK(nacre_str(vm, n, &text) == NACRE_OK && is(vm, text, "'me'"));
    const char *chars = NULL;
    const void *data = NULL;
    size_t len = 0;
    text = nacre_text(vm, "abc", 3);
    CHECK(nacre_as_text(vm, text, &chars, &len) == NACRE_OK && len == 3 &&
          strcmp(chars, "abc") == 0);
    CHECK(failed(vm, nacre_as_text(vm, n, &chars, &len), "TypeError"));
    CHECK(failed(vm, nacre_as_bytes(vm, text, &data, &len), "TypeError"));
    NacreValue *bytes = nacre_bytes(vm, "\1\2", 2);
    CHECK(nacre_as_bytes(vm, bytes, &data, &len) == NACRE_OK && len == 2 &&
          memcmp(data, "\1\2", 3) == 0);
    nacre_free(vm);
}

// --- What can be done with them --------------------------------------------------------------------

static void test_items(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "import numpy as np\nclass Box:\n    def __init__(self): self.d = {}\n"
                  "    def __getitem__(self, k): return self.d[k] * 2\n"
                  "    def __setitem__(self, k, v): self.d[k] = v\n"
                  "    def __delitem__(self, k): del self.d[k]\n"
                  "    @property\n    def size(self): return len(self.d)\n"
                  "box = Box()\nd = {'a': 1}\nx = np.arange(6.0).reshape(2, 3)\n") == NACRE_OK);
    NacreValue *key = nacre_text(vm, "k", 1), *five = nacre_int(vm, 5), *out = NULL;
    const char *const names[] = {"box", "d"};
    for (int i = 0; i < 2; i++) {
        NacreValue *value = global(vm, names[i]);
        CHECK(failed(vm, nacre_item(vm, value, key, &out), "KeyError"));
        CHECK(nacre_set_item(vm, value, key, five) == NACRE_OK);
        CHECK(nacre_item(vm, value, key, &out) == NACRE_OK && is(vm, out, i ? "5" : "10"));
        CHECK(nacre_delete_item(vm, value, key) == NACRE_OK);
        CHECK(failed(vm, nacre_delete_item(vm, value, key), "KeyError"));
        nacre_release(vm, value);
    }
    NacreValue *x = global(vm, "x"), *box = global(vm, "box");
    CHECK(nacre_at(vm, x, -1, &out) == NACRE_OK && is(vm, out, "array([3., 4., 5.])"));
    CHECK(failed(vm, nacre_at(vm, x, 2, &out), "IndexError"));
    NacreValue *index[2] = {nacre_slice(vm, NULL, NULL, NULL), nacre_int(vm, 1)};
    NacreValue *both = nacre_tuple(vm, 2, index);
    CHECK(nacre_item(vm, x, both, &out) == NACRE_OK && is(vm, out, "array([1., 4.])"));
    CHECK(nacre_set_item(vm, x, both, five) == NACRE_OK);
    CHECK(evaluates(vm, "x.tolist()", "[[0.0, 5.0, 2.0], [3.0, 5.0, 5.0]]"));
    CHECK(failed(vm, nacre_set_item(vm, five, key, five), "TypeError"));
    CHECK(nacre_attribute(vm, x, "shape", &out) == NACRE_OK && is(vm, out, "(2, 3)"));
    CHECK(nacre_attribute(vm, box, "size", &out) == NACRE_OK && is(vm, out, "0"));
    CHECK(failed(vm, nacre_attribute(vm, box, "nothing", &out), "AttributeError"));
    CHECK(nacre_set_attribute(vm, box, "extra", five) == NACRE_OK);
    CHECK(evaluates(vm, "box.extra", "5"));
    CHECK(failed(vm, nacre_set_attribute(vm, five, "extra", five), "AttributeError"));
    CHECK(failed(vm, nacre_attribute(vm, box, "\xff", &out), "UnicodeDecodeError"));
    nacre_free(vm);
}

static void test_iteration(void) {
    static const char *const iterables[] = {"[1, 2]", "(i for i in (1, 2))",       "{1: 0, 2: 0}",
                                            "Two()",  "np.array([1, 2]).tolist()", "zip([1, 2])"};
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm,
              "import numpy as np\nclass Two:\n    def __init__(self): self.n = 0\n"
              "    def __iter__(self): return self\n    def __next__(self):\n        self.n += 1\n"
              "        if self.n > 2: raise StopIteration\n        return self.n\n"
              "def bad():\n    yield 1\n    raise KeyError(2)\n") == NACRE_OK);
    for (size_t i = 0; i < sizeof iterables / sizeof *iterables; i++) {
        NacreValue *value = value_of(vm, iterables[i]), *it = NULL, *item = NULL;
        CHECK(nacre_iterate(vm, value, &it) == NACRE_OK);
        int count = 0;
        while (nacre_next(vm, it, &item) == NACRE_OK && item) count++, nacre_release(vm, item);
        CHECK(count == 2 && *nacre_error_class(vm) == '\0');
        CHECK(nacre_next(vm, it, &item) == NACRE_OK && !item);
        nacre_release(vm, it);
        nacre_release(vm, value);
    }
    NacreValue *it = value_of(vm, "bad()"), *item = NULL, *five = nacre_int(vm, 5);
    CHECK(nacre_next(vm, it, &item) == NACRE_OK && is(vm, item, "1"));
    CHECK(failed(vm, nacre_next(vm, it, &item), "KeyError"));
    CHECK(failed(vm, nacre_iterate(vm, five, &item), "TypeError"));
    CHECK(failed(vm, nacre_next(vm, five, &item), "TypeError"));
    nacre_free(vm);
}

static void test_operators(void) {
    static const struct {
        const char *a, *symbol, *b, *result;
    } rows[] = {
        {"7", "+", "2", "9"},
        {"7", "-", "2", "5"},
        {"7", "*", "2", "14"},
        {"7", "/", "2", "3.5"},
        {"7", "//", "2", "3"},
        {"7", "%", "2", "1"},
        {"7", "**", "2", "49"},
        {"7", "&", "2", "2"},
        {"7", "|", "8", "15"},
        {"7", "^", "2", "5"},
        {"7", "<<", "2", "28"},
        {"7", ">>", "1", "3"},
        {"7", "<", "2", "False"},
        {"7", "<=", "7", "True"},
        {"7", "==", "7.0", "True"},
        {"7", "!=", "7", "False"},
        {"7", ">", "2", "True"},
        {"7", ">=", "8", "False"},
        {"2", "in", "[1, 2]", "True"},
        {"2", "not in", "[1, 2]", "False"},
        {"3", "in", "V(3)", "True"},
        {"3", "not in", "V(3)", "False"},
        {"7", "-", NULL, "-7"},
        {"7", "+", NULL, "7"},
        {"7", "~", NULL, "-8"},
        {"7", "not", NULL, "False"},
        {"V(0)", "not", NULL, "True"},
        {"V(1)", "+", "V(2)", "V(3)"},
        {"1", "+", "V(2)", "V(12)"},
        {"V(1)", "+=", "5", "V(6)"},
        {"V(1)", "<", "V(2)", "True"},
        {"V(1)", "==", "V(1)", "True"},
        {"V(4)", "-", NULL, "V(-4)"},
        {"V(6)", "&", "V(3)", "V(2)"},
        {"[1]", "+=", "(2,)", "[1, 2]"},
        {"np.arange(3.0)", "@", "np.arange(3.0)", "np.float64(5.0)"},
        {"np.arange(3)", "+", "1", "array([1, 2, 3])"},
        {"np.arange(3)", "<", "1", "array([ True, False, False])"},
    };
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "import numpy as np\nclass V:\n    def __init__(self, n): self.n = n\n"
                  "    def __repr__(self): return f'V({self.n})'\n"
                  "    def __bool__(self): return self.n != 0\n"
                  "    def __contains__(self, x): return x == self.n\n"
                  "    def __add__(self, o): return V(self.n + o.n)\n"
                  "    def __radd__(self, o): return V(self.n + 10 * o)\n"
                  "    def __iadd__(self, o):\n        self.n += o\n        return self\n"
                  "    def __and__(self, o): return V(self.n & o.n)\n"
                  "    def __lt__(self, o): return self.n < o.n\n"
                  "    def __eq__(self, o): return self.n == o.n\n"
                  "    def __neg__(self): return V(-self.n)\n") == NACRE_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        NacreValue *a = value_of(vm, rows[i].a), *b = rows[i].b ? value_of(vm, rows[i].b) : NULL,
                   *out = NULL;
        CHECK(nacre_operator(vm, rows[i].symbol, a, b, &out) == NACRE_OK);
        CHECK(is(vm, out, rows[i].result));
        nacre_release(vm, a);
        nacre_release(vm, b);
    }
    NacreValue *a = nacre_int(vm, 1), *text = nacre_text(vm, "x", 1), *out = NULL;
    CHECK(failed(vm, nacre_operator(vm, "+", a, text, &out), "TypeError"));
    CHECK(failed(vm, nacre_operator(vm, "<>", a, a, &out), "ValueError"));
    CHECK(failed(vm, nacre_operator(vm, "divmod()", a, a, &out), "ValueError"));
    CHECK(failed(vm, nacre_operator(vm, "*", a, NULL, &out), "ValueError"));
    CHECK(failed(vm, nacre_operator(vm, "abs()", a, NULL, &out), "ValueError"));
    CHECK(nacre_held(vm) == 2);
    nacre_free(vm);
}

// --- Variables, modules, calls ---------------------------------------------------------------------

static void test_names(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    NacreValue *value = nacre_int(vm, 41), *out = NULL;
    CHECK(nacre_set_global(vm, "x", value) == NACRE_OK);
    CHECK(evaluates(vm, "x + 1", "42"));
    CHECK(nacre_global(vm, "x", &out) == NACRE_OK && is(vm, out, "41"));
    CHECK(failed(vm, nacre_global(vm, "y", &out), "NameError"));
    CHECK(nacre_import(vm, "math", &out) == NACRE_OK && nacre_kind(vm, out) == NACRE_KIND_MODULE);
    NacreValue *pi = NULL;
    double number = 0;
    CHECK(nacre_attribute(vm, out, "pi", &pi) == NACRE_OK &&
          nacre_as_float(vm, pi, &number) == NACRE_OK);
    CHECK(fabs(number - 3.14159265358979) < 1e-12);
    CHECK(nacre_import(vm, "numpy.linalg", &out) == NACRE_OK);
    CHECK(nacre_attribute(vm, out, "solve", &out) == NACRE_OK);
    CHECK(failed(vm, nacre_import(vm, "no_such_module", &out), "ModuleNotFoundError"));
    nacre_free(vm);
}

static void test_calls(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "def f(a, b=2, *rest, scale=1, **more):\n    return (a, b, rest, scale, more)\n"
                  "class P:\n    def __init__(self, x): self.x = x\n    def get(self, y=0): return "
                  "self.x + y\n"
                  "def gen():\n    try:\n        yield 1\n    except ValueError as e:\n        "
                  "yield str(e)\n"
                  "def deep(n): return deep(n + 1)\n") == NACRE_OK);
    NacreValue *f = global(vm, "f"), *out = NULL, *args[12];
    for (int i = 0; i < 12; i++) args[i] = nacre_int(vm, i);
    CHECK(nacre_call(vm, f, 1, args, &out) == NACRE_OK && is(vm, out, "(0, 2, (), 1, {})"));
    CHECK(nacre_call(vm, f, 12, args, NULL) == NACRE_OK);
    CHECK(nacre_call(vm, f, 12, args, &out) == NACRE_OK &&
          is(vm, out, "(0, 1, (2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 1, {})"));
    const char *const names[] = {"scale", "other"};
    CHECK(nacre_call_with(vm, f, 1, args, 2, names, &out) == NACRE_OK &&
          is(vm, out, "(0, 2, (), 1, {'other': 2})"));
    CHECK(failed(vm, nacre_call(vm, f, 0, NULL, &out), "TypeError"));
    const char *const twice[] = {"a"};
    CHECK(failed(vm, nacre_call_with(vm, f, 1, args, 1, twice, &out), "TypeError"));
    CHECK(failed(vm, nacre_call(vm, args[0], 0, NULL, &out), "TypeError"));
    NacreValue *P = global(vm, "P"), *p = NULL;
    CHECK(nacre_call(vm, P, 1, args + 5, &p) == NACRE_OK);
    CHECK(nacre_call_method(vm, p, "get", 1, args + 2, &out) == NACRE_OK && is(vm, out, "7"));
    CHECK(failed(vm, nacre_call_method(vm, p, "put", 0, NULL, &out), "AttributeError"));
    NacreValue *g = value_of(vm, "gen()"), *error = value_of(vm, "ValueError('thrown')");
    CHECK(nacre_next(vm, g, &out) == NACRE_OK && is(vm, out, "1"));
    CHECK(nacre_call_method(vm, g, "throw", 1, &error, &out) == NACRE_OK &&
          is(vm, out, "'thrown'"));
    CHECK(failed(vm, nacre_call_method(vm, g, "throw", 1, &error, &out), "ValueError"));
    CHECK(nacre_call_method(vm, g, "close", 0, NULL, NULL) == NACRE_OK);
    CHECK(failed(vm, nacre_call(vm, global(vm, "deep"), 1, args, &out), "RecursionError"));
    NacreValue *builtins = value_of(vm, "globals");
    CHECK(nacre_call(vm, builtins, 0, NULL, &out) == NACRE_OK &&
          nacre_kind(vm, out) == NACRE_KIND_DICT);
    nacre_free(vm);
}

static void test_compiled(void) {
    static const char text[] = "n = n + 1\n", expression[] = "n * 10", wrong[] = "n +* 2";
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "n = 0") == NACRE_OK);
    NacreValue *code = NULL, *value = NULL, *out = NULL;
    CHECK(nacre_compile(vm, text, strlen(text), "step", NACRE_FILE, &code) == NACRE_OK);
    CHECK(nacre_compile(vm, expression, strlen(expression), "value", NACRE_EXPRESSION, &value) ==
          NACRE_OK);
    for (int i = 1; i <= 3; i++) {
        CHECK(nacre_call(vm, code, 0, NULL, &out) == NACRE_OK && is(vm, out, "None"));
        CHECK(nacre_call(vm, value, 0, NULL, &out) == NACRE_OK && is(vm, out,
                                                                     i == 1   ? "10"
                                                                     : i == 2 ? "20"
                                                                              : "30"));
    }
    CHECK(
        failed(vm, nacre_compile(vm, wrong, strlen(wrong), "w", NACRE_FILE, &out), "SyntaxError"));
    CHECK(nacre_error_line(vm) == 1);
    CHECK(nacre_compile(vm, text, 3, "x", NACRE_INTERACTIVE, &out) == NACRE_MISUSE);
    CHECK(failed(vm, nacre_evaluate(vm, "1 / 0", 5, "x", &out), "ZeroDivisionError"));
    nacre_free(vm);
}

// Holds that are none, of another VM, or let go of.
static void test_misuse(void) {
    Host host, other_host;
    NacreVm *vm = host_start(&host), *other = host_start(&other_host);
    NacreValue *mine = nacre_int(vm, 1), *foreign = nacre_int(other, 2), *gone = nacre_int(vm, 3),
               *out = NULL;
    nacre_release(vm, gone);
    NacreValue *const wrong[] = {NULL, foreign, gone};
    for (int i = 0; i < 3; i++) {
        NacreValue *w = wrong[i];
        int64_t number;
        double real;
        int truth;
        const char *text;
        const void *data;
        size_t len;
        CHECK(!nacre_hold(vm, w) && nacre_kind(vm, w) == NACRE_KIND_OTHER &&
              !*nacre_type_name(vm, w));
        CHECK(nacre_as_int(vm, w, &number) == NACRE_MISUSE &&
              nacre_as_float(vm, w, &real) == NACRE_MISUSE);
        CHECK(nacre_as_truth(vm, w, &truth) == NACRE_MISUSE);
        CHECK(nacre_as_complex(vm, w, &real, &real) == NACRE_MISUSE);
        CHECK(nacre_as_text(vm, w, &text, &len) == NACRE_MISUSE);
        CHECK(nacre_as_bytes(vm, w, &data, &len) == NACRE_MISUSE);
        CHECK(nacre_str(vm, w, &out) == NACRE_MISUSE && nacre_repr(vm, w, &out) == NACRE_MISUSE);
        CHECK(nacre_length(vm, w, &number) == NACRE_MISUSE &&
              nacre_at(vm, w, 0, &out) == NACRE_MISUSE);
        CHECK(nacre_item(vm, mine, w, &out) == NACRE_MISUSE &&
              nacre_item(vm, w, mine, &out) == NACRE_MISUSE);
        CHECK(nacre_set_item(vm, w, mine, mine) == NACRE_MISUSE);
        CHECK(nacre_delete_item(vm, w, mine) == NACRE_MISUSE);
        CHECK(nacre_attribute(vm, w, "x", &out) == NACRE_MISUSE);
        CHECK(nacre_set_attribute(vm, mine, "x", w) == NACRE_MISUSE);
        CHECK(nacre_operator(vm, "+", w, mine, &out) == NACRE_MISUSE);
        CHECK(i == 0 || nacre_operator(vm, "+", mine, w, &out) == NACRE_MISUSE);
        CHECK(nacre_iterate(vm, w, &out) == NACRE_MISUSE &&
              nacre_next(vm, w, &out) == NACRE_MISUSE);
        CHECK(nacre_set_global(vm, "x", w) == NACRE_MISUSE);
        CHECK(nacre_call(vm, w, 0, NULL, &out) == NACRE_MISUSE);
        CHECK(nacre_call(vm, mine, 1, &w, &out) == NACRE_MISUSE);
        CHECK(nacre_call(vm, mine, 1, NULL, &out) == NACRE_MISUSE);
        CHECK(nacre_call_with(vm, mine, 0, NULL, 1, NULL, &out) == NACRE_MISUSE);
        CHECK(nacre_call_method(vm, w, "x", 0, NULL, &out) == NACRE_MISUSE);
        CHECK(!nacre_tuple(vm, 1, &w) && !nacre_list(vm, 1, &w) && !nacre_dict(vm, 1, &w, &mine));
        CHECK(i == 0 || !nacre_slice(vm, w, NULL, NULL));
        nacre_release(vm, w);
    }
    CHECK(nacre_held(vm) == 1 && nacre_held(other) == 1 && nacre_held(NULL) == 0);
    CHECK(!nacre_int(NULL, 1) && !nacre_text(vm, NULL, 0) && !nacre_bytes(vm, NULL, 1));
    CHECK(nacre_global(vm, NULL, &mine) == NACRE_MISUSE &&
          nacre_import(vm, NULL, &mine) == NACRE_MISUSE);
    nacre_release(NULL, mine);
    nacre_free(vm);
    nacre_free(other);
}

int main(void) {
    static const Test tests[] = {
        {"made", test_made},     {"kinds", test_kinds},         {"read", test_read},
        {"items", test_items},   {"iteration", test_iteration}, {"operators", test_operators},
        {"names", test_names},   {"calls", test_calls},         {"compiled", test_compiled},
        {"misuse", test_misuse},
    };
    return RUN_TESTS(tests);
}
