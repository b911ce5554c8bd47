// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What prompts and notebooks ask a VM: completions, documentation, figures.

#include <string.h>

#include "harness.h"

typedef struct Found {
    char text[KEPT_BYTES * 4];
    int count;
} Found;

static void take(void *ctx, const char *completion) {
    Found *found = ctx;
    size_t used = strlen(found->text), len = strlen(completion);
    found->count++;
    if (used + len + 2 > sizeof found->text) return;
    if (used) found->text[used++] = ' ';
    memcpy(found->text + used, completion, len + 1);
}

// Whether the completions of a text are exactly these, of a word that begins at `start`.
static bool completes(NacreVm *vm, const char *text, size_t start, const char *expect) {
    Found found = {0};
    size_t at = 999;
    if (nacre_complete(vm, text, strlen(text), &at, take, &found) != NACRE_OK) return false;
    if (at == start && strcmp(found.text, expect) == 0) return true;
    printf("completions of '%s' from %zu:\n  %s\n  %s expected\n", text, at, found.text, expect);
    return false;
}

static int take_text(void *ctx, int stream, const char *bytes, size_t len) {
    Found *found = ctx;
    size_t used = strlen(found->text);
    if (stream != 1 || used + len >= sizeof found->text) return -1;
    memcpy(found->text + used, bytes, len);
    found->text[used + len] = 0;
    return 0;
}

static bool describes(NacreVm *vm, const char *name, const char *expect) {
    Found found = {0};
    if (nacre_inspect(vm, name, strlen(name), take_text, &found) != NACRE_OK)
        strcpy(found.text, "(nothing)");
    if (strcmp(found.text, expect) == 0) return true;
    printf("'%s' is\n%s%s expected\n", name, found.text, expect);
    return false;
}

static const char definitions[] =
    "import math\n"
    "value_one = 1\nvalue_two = [1]\n_value_hidden = 3\n"
    "def plain(a, b=2, *rest, key, other='x', **more):\n    'What it does.'\n"
    "def only(a, /, b, *, c=None):\n    pass\n"
    "def bare():\n    'Nothing\\nmore.'\n"
    "class Thing:\n    'A thing.'\n    size = 4\n    _inner = 5\n"
    "    def method(self, x):\n        'Of a thing.'\n"
    "    def __init__(self):\n        self.own = 1\n        self.other = 2\n"
    "    @property\n    def shy(self):\n        raise SystemExit\n"
    "thing = Thing()\nthing.thing = thing\n"
    "deleted = 1\ndel deleted\n";

static void test_names(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, definitions) == NACRE_OK);
    CHECK(completes(vm, "value", 0, "value_one value_two"));
    CHECK(completes(vm, "x = value_t", 4, "value_two"));
    CHECK(completes(vm, "_val", 0, "_value_hidden"));
    CHECK(completes(vm, "is", 0, "is isinstance issubclass"));
    CHECK(completes(vm, "print(or", 6, "or ord"));
    CHECK(completes(vm, "f(len", 2, "len"));
    CHECK(completes(vm, "delete", 0, ""));
    CHECK(completes(vm, "nothing_like_it", 0, ""));
    CHECK(completes(vm, "pr", 0, "print property"));
    CHECK(completes(vm, "de", 0, "def del delattr"));
    CHECK(completes(vm, "Value", 0, "ValueError"));
    CHECK(completes(vm, "T", 0, "TabError Thing TimeoutError True TypeError"));
    CHECK(completes(vm, "ma", 0, "map math max"));
    CHECK(completes(vm, "wh", 0, "while") && completes(vm, "y", 0, "yield"));
    Found all = {0};
    size_t start;
    CHECK(nacre_complete(vm, "", 0, &start, take, &all) == NACRE_OK && start == 0);
    CHECK(all.count > 150 && !strstr(all.text, " _"));
    nacre_free(vm);
}

static void test_attributes(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, definitions) == NACRE_OK);
    CHECK(completes(vm, "thing.", 6, "method other own shy size thing"));
    CHECK(completes(vm, "thing._in", 6, "_inner"));
    CHECK(completes(vm, "thing.thing.thing.o", 18, "other own"));
    CHECK(completes(vm, "1 + thing.s", 10, "shy size"));
    CHECK(completes(vm, "Thing.", 6, "method shy size"));
    CHECK(completes(vm, "math.is", 5, "isclose isfinite isinf isnan isqrt"));
    CHECK(completes(vm, "value_two.in", 10, "index insert"));
    CHECK(completes(vm, "str.is", 4, "isalnum isalpha isascii isdecimal isdigit isidentifier islower "
                                     "isnumeric isprintable isspace istitle isupper"));
    CHECK(completes(vm, "thing.shy.x", 10, ""));
    CHECK(completes(vm, "missing.x", 8, ""));
    CHECK(completes(vm, "thing.missing.x", 14, ""));
    CHECK(run(vm, "thing.later = 1") == NACRE_OK && completes(vm, "thing.l", 6, "later"));
    nacre_free(vm);
}

static void test_imports(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, definitions) == NACRE_OK);
    CHECK(completes(vm, "import nump", 7, "numpy") && completes(vm, "import  math, nump", 14, "numpy"));
    CHECK(completes(vm, "value = 1; import nump", 18, "numpy"));
    CHECK(completes(vm, "import matplotlib.py", 18, "pyplot"));
    CHECK(completes(vm, "import _na", 7, "_nacre _nacre_devices _nacre_ranks") && completes(vm, "import value", 7, ""));
    CHECK(completes(vm, "import numpy as nu", 16, "") && completes(vm, "importnu", 0, ""));
    CHECK(completes(vm, "from nump", 5, "numpy") && completes(vm, "from numpy ", 11, "import"));
    CHECK(completes(vm, "from numpy i", 11, "import") && completes(vm, "from numpy x", 11, ""));
    CHECK(completes(vm, "from math import is", 17, "isclose isfinite isinf isnan isqrt"));
    CHECK(completes(vm, "from math import (cos, si", 23, "sin sinh"));
    CHECK(completes(vm, "from math import cos as va", 24, "value_one value_two vars"));
    CHECK(completes(vm, "from colorsys import r", 21, "") && completes(vm, "from no import x", 15, ""));
    CHECK(completes(vm, "import math; math.isq", 18, "isqrt"));
    CHECK(evaluates(vm, "6 * 7", "42"));
    nacre_free(vm);
}

static void test_shown_last(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(nacre_run(vm, "_", 1, "<test>", NACRE_INTERACTIVE) == NACRE_ERROR);
    CHECK(nacre_run(vm, "[1]", 3, "<test>", NACRE_INTERACTIVE) == NACRE_OK);
    CHECK(evaluates(vm, "_ + [2]", "[1, 2]") && evaluates(vm, "_", "[1]"));
    CHECK(nacre_run(vm, "None", 4, "<test>", NACRE_INTERACTIVE) == NACRE_OK);
    CHECK(evaluates(vm, "_", "[1]"));
    CHECK(run(vm, "_ = 5\n") == NACRE_OK && evaluates(vm, "_", "5"));
    CHECK(run(vm, "del _\n") == NACRE_OK && evaluates(vm, "_", "[1]"));
    nacre_free(vm);
}

static void take_doc(void *ctx, const char *name, int line, const char *text, size_t len) {
    char item[256];
    snprintf(item, sizeof item, "%s:%d:%.*s", name, line, (int)len, text);
    take(ctx, item);
}

static bool documents(NacreVm *vm, const char *text, const char *expect) {
    Found found = {0};
    if (nacre_docstrings(vm, text, strlen(text), take_doc, &found) != NACRE_OK) return false;
    if (strcmp(found.text, expect) == 0) return true;
    printf("docstrings are\n%s\n%s expected\n", found.text, expect);
    return false;
}

static void test_docstrings(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(documents(vm, "", "") && documents(vm, "1\n'no'\n", "") && documents(vm, "f'no'", ""));
    CHECK(documents(vm, "'a\\tb' 'c'\n", ":1:a\tbc"));
    CHECK(documents(vm, "# x\n'''a'''\ndef f():\n    'b'\n    def g(): 'no'\nx = 1\n",
                    ":2:a f:4:b"));
    CHECK(documents(vm,
                    "class C:\n '''a\n'''\n def m(self):\n  'b'\n class D:\n  def n(s): 'c'\n"
                    "def f(): 'd'\n",
                    "C:2:a\n C.m:5:b C.D.n:7:c f:8:d"));
    CHECK(documents(vm, "if 1:\n def a(): '1'\nelif 2:\n def b(): '2'\nelse:\n def c(): '3'\n",
                    "a:2:1 b:4:2 c:6:3"));
    CHECK(documents(vm,
                    "for i in x:\n def a(): '1'\nelse:\n def b(): '2'\nwhile 0:\n def c(): '3'\n"
                    "else:\n def d(): '4'\nwith x:\n def e(): '5'\n",
                    "a:2:1 b:4:2 c:6:3 d:8:4 e:10:5"));
    CHECK(documents(vm,
                    "try:\n def a(): '1'\nexcept E:\n def b(): '2'\nelse:\n def c(): '3'\n"
                    "finally:\n def d(): '4'\n",
                    "a:2:1 b:4:2 c:6:3 d:8:4"));
    CHECK(!documents(vm, "'a'\nx = = 1\n", "") && strlen(nacre_error_text(vm)) == 0);
    CHECK(nacre_docstrings(vm, NULL, 0, take_doc, NULL) == NACRE_MISUSE);
    CHECK(nacre_docstrings(vm, "1", 1, NULL, NULL) == NACRE_MISUSE);
    CHECK(evaluates(vm, "6 * 7", "42"));
    nacre_free(vm);
}

static void test_scratch(void) {
    static const char *const after[] = {"(1, 1, 5, [2, 7], True)", "(1, 1, 5, [2, 7, 7], True)"};
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(nacre_scratch_end(vm) == NACRE_MISUSE && nacre_scratch_begin(NULL) == NACRE_MISUSE);
    CHECK(run(vm, "x = 1\ny = [2]\ngone = 3\ndel gone\ndef f(): return x\n") == NACRE_OK);
    for (int i = 0; i < 2; i++) {
        CHECK(nacre_scratch_begin(vm) == NACRE_OK && nacre_scratch_begin(vm) == NACRE_MISUSE);
        CHECK(evaluates(vm, "x, f(), __name__", "(1, 1, '__main__')"));
        CHECK(raises(vm, "gone", "NameError", 1) && raises(vm, "new", "NameError", 1));
        CHECK(run(vm, "x = 5\nnew = 6\ny.append(7)\ndel f\ndef g(): return x\n") == NACRE_OK);
        CHECK(evaluates(vm, "x, new, g()", "(5, 6, 5)") && raises(vm, "f", "NameError", 1));
        CHECK(completes(vm, "ne", 0, "new next"));
        CHECK(nacre_run(vm, "y", 1, "<test>", NACRE_INTERACTIVE) == NACRE_OK);
        CHECK(run(vm, "y.append(g)\n") == NACRE_OK);
        CHECK(nacre_scratch_end(vm) == NACRE_OK && nacre_scratch_end(vm) == NACRE_MISUSE);
        CHECK(evaluates(vm, "x, f(), y.pop()(), y, _ is y", after[i]));
        CHECK(raises(vm, "new", "NameError", 1));
    }
    CHECK(nacre_scratch_begin(vm) == NACRE_OK && run(vm, "z = 1\n") == NACRE_OK);
    nacre_free(vm); // from within
}

static void test_documentation(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, definitions) == NACRE_OK);
    CHECK(describes(vm, "plain", "plain(a, b=2, *rest, key, other='x', **more)\nWhat it does.\n"));
    CHECK(describes(vm, "only", "only(a, /, b, *, c=None)\n"));
    CHECK(describes(vm, "bare", "bare()\nNothing\nmore.\n"));
    CHECK(describes(vm, "thing.method", "Thing.method(self, x)\nOf a thing.\n"));
    CHECK(describes(vm, "Thing", "<class '__main__.Thing'>\nA thing.\n"));
    CHECK(describes(vm, "thing.thing.own", "1\n") && describes(vm, "value_two", "[1]\n"));
    CHECK(describes(vm, "len", "len(obj, /)\n"));
    CHECK(describes(vm, "str.split", "split(self, /, sep=None, maxsplit=-1)\n"));
    CHECK(describes(vm, "value_two.insert", "insert(self, index, object, /)\n"));
    CHECK(describes(vm, "sorted", "sorted(iterable, /, *, key=None, reverse=False)\n"));
    CHECK(describes(vm, "missing", "(nothing)") && describes(vm, "thing.missing", "(nothing)"));
    CHECK(describes(vm, "thing.shy", "(nothing)") && describes(vm, "", "(nothing)"));
    CHECK(evaluates(vm, "6 * 7", "42"));
    nacre_free(vm);
}

static void test_figures(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    NacreStats before = {.struct_size = sizeof before}, after = before;
    CHECK(nacre_stats(vm, &before) == NACRE_OK && before.struct_size == sizeof before);
    CHECK(before.memory_in_use > 0 && before.memory_peak >= before.memory_in_use);
    CHECK(run(vm, "import numpy as np\na = np.ones(100000)\nb = a + 1\nprint(b.sum())\n"
                  "c = [[] for i in range(1000)]\n") == NACRE_OK);
    CHECK(nacre_stats(vm, &after) == NACRE_OK);
    CHECK(after.memory_in_use >= before.memory_in_use + 800000);
    CHECK(after.memory_peak >= after.memory_in_use && after.allocations > before.allocations);
    CHECK(after.objects >= before.objects + 1000);
    CHECK(after.nodes_recorded > 0 && after.nodes_executed > 0 && after.kernels > 0);
    CHECK(after.nodes_pending == after.nodes_recorded - after.nodes_executed - after.nodes_eliminated);
    NacreStats small = {.struct_size = offsetof(NacreStats, allocations), .allocations = 77};
    CHECK(nacre_stats(vm, &small) == NACRE_OK && small.memory_in_use > 0 && small.allocations == 77);
    small.struct_size = 3;
    CHECK(nacre_stats(vm, &small) == NACRE_MISUSE);
    nacre_free(vm);
}

int main(void) {
    static const Test tests[] = {
        {"names", test_names},
        {"attributes", test_attributes},
        {"imports", test_imports},
        {"shown last", test_shown_last},
        {"docstrings", test_docstrings},
        {"scratch", test_scratch},
        {"documentation", test_documentation},
        {"figures", test_figures},
    };
    return RUN_TESTS(tests);
}
