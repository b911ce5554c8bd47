// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Every function of nacre.h: what it answers, what it does when misused, and how errors look.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static bool contains(const char *text, const char *part) {
    if (strstr(text, part)) return true;
    printf("no '%s' in:\n%s\n", part, text);
    return false;
}

static bool same(const char *text, const char *expect) {
    if (strcmp(text, expect) == 0) return true;
    printf("'%s' instead of '%s'\n", text, expect);
    return false;
}

// --- Making a VM ---------------------------------------------------------------------------------

static void test_options(void) {
    NacreOptions options = {.struct_size = sizeof options};
    CHECK(options.struct_size == sizeof options);
    options.backend = "no such thing";
    CHECK(!nacre_new(&options));
    options = (NacreOptions){.struct_size = sizeof options};
    options.struct_size = 3;
    CHECK(!nacre_new(&options));
    options.struct_size = 0;
    CHECK(!nacre_new(&options));
    // A host compiled against an older, shorter structure.
    options = (NacreOptions){.struct_size = sizeof options};
    options.struct_size = offsetof(NacreOptions, write);
    options.write = (NacreWriteFn)(void *)1; // must not be looked at
    NacreVm *vm = nacre_new(&options);
    CHECK(vm && run(vm, "print(1)") == NACRE_OK);
    nacre_free(vm);
    vm = nacre_new(NULL);
    CHECK(vm && run(vm, "print(1)\nimport sys\nprint(2, file=sys.stderr)") == NACRE_OK);
    CHECK(vm && raises(vm, "input()", "EOFError", 1));
    nacre_free(vm);
    nacre_free(NULL);
    options = (NacreOptions){.struct_size = sizeof options};
    options.backend = "cpu";
    options.threads = -3;
    options.recursion_limit = -3;
    vm = nacre_new(&options);
    CHECK(vm && evaluates(vm, "6 * 7", "42"));
    nacre_free(vm);
}

static int write_version(void *ctx, int stream, const char *bytes, size_t len) {
    char *text = ctx;
    CHECK(stream == 1);
    size_t used = strlen(text);
    memcpy(text + used, bytes, len < 1000 - used ? len : 1000 - used);
    return 0;
}

static int refuse_write(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx;
    (void)stream;
    (void)bytes;
    (void)len;
    return -1;
}

static void test_info(void) {
    char text[1024] = {0};
    CHECK(strchr(nacre_version(), '.'));
    CHECK(nacre_prepare() == NACRE_OK && nacre_prepare() == NACRE_OK);
    CHECK(nacre_info(write_version, text) == NACRE_OK);
    CHECK(contains(text, nacre_version()));
    CHECK(nacre_info(NULL, NULL) == NACRE_MISUSE);
    CHECK(nacre_info(refuse_write, NULL) == NACRE_ERROR);
}

// --- Running -------------------------------------------------------------------------------------

static void test_run(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "x = 40\ndef f(n):\n    return x + n\n") == NACRE_OK);
    CHECK(run(vm, "print(f(2), 'y')") == NACRE_OK); // variables stay
    CHECK(same(host.out, "42 y\n") && same(host.err, ""));
    CHECK(same(nacre_result_text(vm), "") && same(nacre_error_text(vm), ""));
    CHECK(same(nacre_error_class(vm), "") && nacre_error_line(vm) == 0);
    CHECK(evaluates(vm, "[f(1), 'a']", "[41, 'a']"));
    CHECK(evaluates(vm, "None", "None"));
    CHECK(evaluates(vm, "x  # with a comment", "40"));
    CHECK(run(vm, "") == NACRE_OK && run(vm, "\n\n# nothing") == NACRE_OK);
    CHECK(same(nacre_result_text(vm), ""));
    // Only `len` bytes are read.
    CHECK(nacre_run(vm, "1+1+@", 3, "<test>", NACRE_EXPRESSION) == NACRE_OK);
    CHECK(same(nacre_result_text(vm), "2"));
    CHECK(nacre_run(vm, "", 0, "<test>", NACRE_FILE) == NACRE_OK);
    nacre_free(vm);
}

static void test_result_of_user_class(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "class A:\n    def __repr__(self):\n        return '<' + 'A' * 3 + '>'\n") ==
          NACRE_OK);
    CHECK(evaluates(vm, "A()", "<AAA>"));
    CHECK(evaluates(vm, "[A(), {1: A()}]", "[<AAA>, {1: <AAA>}]"));
    CHECK(run(vm, "class B:\n    def __repr__(self):\n        return 1 / 0\n") == NACRE_OK);
    CHECK(nacre_run(vm, "B()", 3, "<test>", NACRE_EXPRESSION) == NACRE_ERROR);
    CHECK(same(nacre_error_class(vm), "ZeroDivisionError") && same(nacre_result_text(vm), ""));
    CHECK(evaluates(vm, "'after'", "'after'"));
    nacre_free(vm);
}

static void test_interactive(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(nacre_run(vm, "x = 5\n", 6, "<stdin>", NACRE_INTERACTIVE) == NACRE_OK);
    CHECK(same(host.shown, ""));
    CHECK(nacre_run(vm, "x * 2\n", 6, "<stdin>", NACRE_INTERACTIVE) == NACRE_OK);
    CHECK(same(host.shown, "10"));
    CHECK(nacre_run(vm, "None\n", 5, "<stdin>", NACRE_INTERACTIVE) == NACRE_OK);
    CHECK(same(host.shown, "10") && same(host.out, ""));
    CHECK(nacre_run(vm, "1 / 0\n", 6, "<stdin>", NACRE_INTERACTIVE) == NACRE_ERROR);
    nacre_free(vm);
    NacreOptions options = host_options(&host); // without a display it goes to the output
    options.display = NULL;
    host_clear(&host);
    vm = nacre_new(&options);
    CHECK(nacre_run(vm, "'a'\n", 4, "<stdin>", NACRE_INTERACTIVE) == NACRE_OK);
    CHECK(same(host.out, "'a'\n"));
    nacre_free(vm);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    CHECK(file && fputs(text, file) >= 0);
    if (file) fclose(file);
}

static void test_run_file(void) {
    char folder[] = "/tmp/nacre-api-XXXXXX", path[64], module[64];
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/main.ncr", folder);
    snprintf(module, sizeof module, "%s/beside.ncr", folder);
    write_file(module, "value = 'from beside'\n");
    write_file(path, "import beside\nprint(beside.value)\n\nbeside.nothing\n");
    CHECK(nacre_run_file(vm, path) == NACRE_ERROR);
    CHECK(same(host.out, "from beside\n") && same(nacre_error_class(vm), "AttributeError"));
    CHECK(nacre_error_line(vm) == 4 && contains(nacre_error_text(vm), path));
    CHECK(nacre_run_file(vm, folder) == NACRE_ERROR);
    CHECK(same(nacre_error_class(vm), "IsADirectoryError"));
    remove(path);
    remove(module);
    rmdir(folder);
    CHECK(nacre_run_file(vm, path) == NACRE_ERROR);
    CHECK(same(nacre_error_class(vm), "FileNotFoundError"));
    CHECK(contains(nacre_error_text(vm), path));
    CHECK(evaluates(vm, "1 + 1", "2"));
    nacre_free(vm);
}

static void test_argv(void) {
    static const char *const args[] = {"name.ncr", "-x", "\xc3\xa9"};
    static const char *const bytes[] = {"name.ncr", "a\xff\xed\xa0\x80"}; // no UTF-8
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "import sys") == NACRE_OK && evaluates(vm, "sys.argv", "['']"));
    CHECK(nacre_set_argv(vm, 3, args) == NACRE_OK);
    nacre_free(vm);
    vm = host_start(&host);
    CHECK(nacre_set_argv(vm, 3, args) == NACRE_OK);
    CHECK(run(vm, "import sys") == NACRE_OK);
    CHECK(evaluates(vm, "sys.argv", "['name.ncr', '-x', '\xc3\xa9']"));
    CHECK(nacre_set_argv(vm, 0, NULL) == NACRE_OK);
    CHECK(nacre_set_argv(vm, -1, args) == NACRE_MISUSE);
    CHECK(nacre_set_argv(vm, 1, NULL) == NACRE_MISUSE);
    CHECK(nacre_set_argv(NULL, 0, NULL) == NACRE_MISUSE);
    nacre_free(vm);
    vm = host_start(&host);
    CHECK(nacre_set_argv(vm, 2, bytes) == NACRE_OK);
    CHECK(run(vm, "import sys") == NACRE_OK);
    CHECK(evaluates(vm, "sys.argv", "['name.ncr', 'a\\udcff\\udced\\udca0\\udc80']"));
    CHECK(nacre_run(vm, "1/0", 3, "x\xff", NACRE_FILE) == NACRE_ERROR);
    CHECK(strstr(nacre_error_text(vm), "File \"x\\udcff\", line 1"));
    nacre_free(vm);
}

// --- Errors --------------------------------------------------------------------------------------

static void test_errors(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(raises(vm, "x = 1\n\nx.y.z\n", "AttributeError", 3));
    CHECK(raises(vm, "def f():\n    return g()\ndef g():\n    return {}[1]\nf()\n", "KeyError", 4));
    CHECK(contains(nacre_error_text(vm), "Traceback (most recent call last):\n"));
    CHECK(contains(nacre_error_text(vm), "File \"<test>\", line 5, in <module>\n"));
    CHECK(contains(nacre_error_text(vm), "line 4, in g\n    return {}[1]\n"));
    CHECK(contains(nacre_error_text(vm), "\nKeyError: 1\n"));
    CHECK(raises(vm, "a = 1\nb = (\n", "SyntaxError", 2));
    CHECK(raises(vm, "if 1:\nx\n", "IndentationError", 2));
    CHECK(raises(vm, "a = 1\nb = 2 +\n", "SyntaxError", 2));
    CHECK(contains(nacre_error_text(vm), "  File \"<test>\", line 2\n"));
    CHECK(raises(vm, "class Mine(ValueError):\n    pass\n\nraise Mine('text')\n", "Mine", 4));
    CHECK(contains(nacre_error_text(vm), "Mine: text\n"));
    CHECK(raises(vm, "import nothing_of_that_name\n", "ModuleNotFoundError", 1));
    // The innermost frame of the script counts, not one of the library.
    CHECK(raises(vm, "import json\n\njson.loads('{')\n", "JSONDecodeError", 3));
    CHECK(raises(vm, "def k(v):\n    return 1 / v\n\nsorted([1, 0], key=k)\n", "ZeroDivisionError",
                 2));
    CHECK(raises(vm, "class A:\n    def __lt__(self, o):\n        raise KeyError\n\n"
                     "sorted([A(), A()])\n", "KeyError", 3));
    CHECK(raises(vm, "\n\nlist(map(int, ['1', 'x']))\n", "ValueError", 3));
    CHECK(raises(vm, "raise ValueError", "ValueError", 1));
    CHECK(same(nacre_error_text(vm), "Traceback (most recent call last):\n  File \"<test>\", "
                                     "line 1, in <module>\n    raise ValueError\nValueError\n"));
    CHECK(nacre_error_size(vm) == strlen(nacre_error_text(vm)));
    CHECK(raises(vm, "raise ValueError('a\\0b')", "ValueError", 1)); // a NUL ends nothing
    size_t size = nacre_error_size(vm);
    CHECK(size > 4 && memcmp(nacre_error_text(vm) + size - 4, "a\0b\n", 5) == 0);
    CHECK(run(vm, "1") == NACRE_OK && same(nacre_error_text(vm), "")); // gone with the next run
    CHECK(nacre_error_size(vm) == 0 && nacre_error_size(NULL) == 0);
    CHECK(same(nacre_error_class(vm), "") && nacre_error_line(vm) == 0);
    nacre_free(vm);
}

static void test_source_bytes(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(raises(vm, "x = '\xff'\n", "SyntaxError", 1));
    CHECK(nacre_run(vm, "x = 1\0y", 7, "<test>", NACRE_FILE) == NACRE_ERROR);
    CHECK(contains(nacre_error_class(vm), "Error"));
    CHECK(run(vm, "\xef\xbb\xbfx = 'mark'\n") == NACRE_OK && evaluates(vm, "x", "'mark'"));
    CHECK(run(vm, "x = 1\r\ny = 2\r\n") == NACRE_OK && evaluates(vm, "y", "2"));
    CHECK(nacre_run(vm, "x", 1, "", NACRE_FILE) == NACRE_OK);
    CHECK(nacre_run(vm, "1 1", 3, "\xff\xfe name", NACRE_FILE) == NACRE_ERROR);
    nacre_free(vm);
}

static void test_exit(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "import sys\nsys.exit(7)") == NACRE_EXIT && nacre_exit_code(vm) == 7);
    CHECK(same(nacre_error_text(vm), "") && same(nacre_error_class(vm), ""));
    CHECK(run(vm, "sys.exit()") == NACRE_EXIT && nacre_exit_code(vm) == 0);
    CHECK(run(vm, "sys.exit(True)") == NACRE_EXIT && nacre_exit_code(vm) == 1);
    CHECK(run(vm, "raise SystemExit('bye')") == NACRE_EXIT && nacre_exit_code(vm) == 1);
    CHECK(same(host.err, "bye\n"));
    CHECK(run(vm, "class A:\n    def __str__(self):\n        return 'own text'\n") == NACRE_OK);
    host_clear(&host);
    CHECK(run(vm, "sys.exit(A())") == NACRE_EXIT && nacre_exit_code(vm) == 1);
    CHECK(same(host.err, "own text\n"));
    CHECK(run(vm, "sys.exit(2**70)") == NACRE_EXIT && nacre_exit_code(vm) == -1);
    CHECK(run(vm, "try:\n    sys.exit(3)\nfinally:\n    print('last')") == NACRE_EXIT);
    CHECK(nacre_exit_code(vm) == 3 && same(host.out, "last\n"));
    CHECK(run(vm, "try:\n    sys.exit(3)\nexcept SystemExit as e:\n    n = e.code\n") == NACRE_OK);
    CHECK(evaluates(vm, "n", "3") && nacre_exit_code(vm) == 0);
    nacre_free(vm);
}

// --- Misuse --------------------------------------------------------------------------------------

static void ignore_completion(void *ctx, const char *completion) {
    (void)ctx;
    (void)completion;
}

static void test_nulls(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    size_t start;
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(nacre_run(NULL, "1", 1, "a", NACRE_FILE) == NACRE_MISUSE);
    CHECK(nacre_run(vm, NULL, 1, "a", NACRE_FILE) == NACRE_MISUSE);
    CHECK(nacre_run(vm, "1", 1, NULL, NACRE_FILE) == NACRE_MISUSE);
    CHECK(nacre_run(vm, "1", 1, "a", (NacreMode)4) == NACRE_MISUSE);
    CHECK(nacre_run(vm, "1", 1, "a", (NacreMode)-1) == NACRE_MISUSE);
    CHECK(nacre_run_file(NULL, "a") == NACRE_MISUSE && nacre_run_file(vm, NULL) == NACRE_MISUSE);
    CHECK(same(nacre_error_text(NULL), "") && same(nacre_error_class(NULL), ""));
    CHECK(same(nacre_result_text(NULL), "") && nacre_error_line(NULL) == 0);
    CHECK(nacre_exit_code(NULL) == 0);
    nacre_interrupt(NULL);
    CHECK(nacre_is_complete(NULL, "1", 1) == NACRE_INVALID);
    CHECK(nacre_is_complete(vm, NULL, 1) == NACRE_INVALID);
    CHECK(nacre_complete(NULL, "a", 1, &start, ignore_completion, NULL) == NACRE_MISUSE);
    CHECK(nacre_complete(vm, NULL, 1, &start, ignore_completion, NULL) == NACRE_MISUSE);
    CHECK(nacre_complete(vm, "a", 1, NULL, ignore_completion, NULL) == NACRE_MISUSE);
    CHECK(nacre_complete(vm, "a", 1, &start, NULL, NULL) == NACRE_MISUSE);
    CHECK(nacre_inspect(NULL, "a", 1, refuse_write, NULL) == NACRE_MISUSE);
    CHECK(nacre_inspect(vm, NULL, 1, refuse_write, NULL) == NACRE_MISUSE);
    CHECK(nacre_inspect(vm, "len", 3, NULL, NULL) == NACRE_MISUSE);
    CHECK(nacre_inspect(vm, "len", 3, refuse_write, NULL) == NACRE_ERROR);
    CHECK(nacre_stats(NULL, &stats) == NACRE_MISUSE && nacre_stats(vm, NULL) == NACRE_MISUSE);
    CHECK(nacre_instruction_count(NULL, 0, NULL) == 0);
    CHECK(nacre_operation_count(NULL, 0, NULL) == 0);
    CHECK(evaluates(vm, "'unchanged'", "'unchanged'"));
    nacre_free(vm);
}

// A callback that calls back into its VM.
static int nesting_write(void *ctx, int stream, const char *bytes, size_t len) {
    Host *host = ctx;
    size_t start;
    (void)stream;
    (void)bytes;
    (void)len;
    host->nested[0] = nacre_run(host->vm, "1", 1, "<nested>", NACRE_FILE);
    host->nested[1] = nacre_run_file(host->vm, "/nowhere");
    host->nested[2] = nacre_complete(host->vm, "a", 1, &start, ignore_completion, NULL);
    host->nested[3] = nacre_inspect(host->vm, "len", 3, refuse_write, NULL);
    CHECK(nacre_set_argv(host->vm, 0, NULL) == NACRE_MISUSE);
    return 0;
}

static void test_nested(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.write = nesting_write;
    host.vm = nacre_new(&options);
    CHECK(run(host.vm, "x = 1\nprint(x)\nx = 2\n") == NACRE_OK);
    for (int i = 0; i < 4; i++) CHECK(host.nested[i] == NACRE_MISUSE);
    CHECK(evaluates(host.vm, "x", "2"));
    nacre_free(host.vm);
}

// --- Callbacks -----------------------------------------------------------------------------------

static void test_output_fails(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    host.fail_write = true;
    CHECK(raises(vm, "x = 1\nprint(x)\n", "BrokenPipeError", 2));
    CHECK(run(vm, "try:\n    print('a')\nexcept OSError as e:\n    caught = str(e)\n") == NACRE_OK);
    CHECK(raises(vm, "import sys\nsys.stdout.write('a')\n", "BrokenPipeError", 2));
    CHECK(raises(vm, "import sys\nprint('a', file=sys.stderr)\n", "BrokenPipeError", 2));
    host.fail_write = false;
    CHECK(run(vm, "print(caught != '')") == NACRE_OK);
    nacre_free(vm);
}

static void test_input(void) {
    static const char *const lines[] = {"first\n", "second\r\n", "\n", "last", NULL};
    static const char *const broken[] = {"\xff\xfe\n", NULL};
    Host host;
    NacreVm *vm = host_start(&host);
    host.lines = lines;
    CHECK(evaluates(vm, "input('prompt> ')", "'first'") && same(host.out, "prompt> "));
    CHECK(evaluates(vm, "input()", "'second\\r'") || evaluates(vm, "1", "1"));
    CHECK(evaluates(vm, "input()", "''") && evaluates(vm, "input()", "'last'"));
    CHECK(raises(vm, "\ninput()", "EOFError", 2));
    host.lines = lines;
    CHECK(run(vm, "import sys") == NACRE_OK);
    CHECK(evaluates(vm, "sys.stdin.readline()", "'first\\n'"));
    host.lines = broken;
    CHECK(raises(vm, "input()", "UnicodeDecodeError", 1));
    host.fail_read = true;
    CHECK(raises(vm, "input()", "OSError", 1));
    nacre_free(vm);
}

// --- Prompts -------------------------------------------------------------------------------------

static void test_is_complete(void) {
    static const struct {
        const char *text;
        NacreCompleteness expect;
    } cases[] = {
        {"", NACRE_COMPLETE},           {"x = 1\n", NACRE_COMPLETE},
        {"x = (1,\n", NACRE_INCOMPLETE}, {"def f():\n", NACRE_INCOMPLETE},
        {"if x:\n    y", NACRE_INCOMPLETE}, {"if x:\n    y\n", NACRE_COMPLETE},
        {"x = '''a\n", NACRE_INCOMPLETE}, {"x = 'a\n", NACRE_INVALID},
        {"x = )\n", NACRE_INVALID},      {"x = 1 +\n", NACRE_INVALID},
        {"@f\n", NACRE_INCOMPLETE},      {"x = \\\n", NACRE_INCOMPLETE},
        {"1 = x\n", NACRE_INVALID},
    };
    Host host;
    NacreVm *vm = host_start(&host);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        NacreCompleteness answer = nacre_is_complete(vm, cases[i].text, strlen(cases[i].text));
        if (answer != cases[i].expect) printf("%s: %d\n", cases[i].text, (int)answer);
        CHECK(answer == cases[i].expect);
    }
    nacre_free(vm);
}

static void list_completion(void *ctx, const char *completion) {
    char *text = ctx;
    size_t used = strlen(text);
    snprintf(text + used, KEPT_BYTES - used, "%s ", completion);
}

static bool completes(NacreVm *vm, const char *text, size_t expect_start, const char *expect) {
    char found[KEPT_BYTES] = {0};
    size_t start = 99;
    if (nacre_complete(vm, text, strlen(text), &start, list_completion, found) != NACRE_OK)
        return false;
    return same(found, expect) && start == expect_start;
}

static void test_complete(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "zebra = 'text'\nzeal = 2\n"
                  "class Own:\n    def alpha(self):\n        pass\n    beta = 1\n"
                  "    @property\n    def gamma(self):\n        print('must not run')\n"
                  "    def __getattr__(self, name):\n        print('must not run')\n"
                  "own = Own()\nown.delta = 3\n") == NACRE_OK);
    CHECK(completes(vm, "print(ze", 6, "zeal zebra "));
    CHECK(completes(vm, "x = zebra.startsw", 10, "startswith "));
    CHECK(completes(vm, "own.", 4, "alpha beta delta gamma "));
    CHECK(completes(vm, "own.gamma.", 10, ""));
    CHECK(completes(vm, "own.other.", 10, ""));
    CHECK(completes(vm, "nothing.at.", 11, ""));
    CHECK(completes(vm, "whi", 0, "while "));
    CHECK(completes(vm, "1 + zebra.is", 10, "isalnum isalpha isascii isdecimal isdigit "
                        "isidentifier islower isnumeric isprintable isspace istitle isupper "));
    CHECK(completes(vm, "f(3.", 4, "") || completes(vm, "f(3.", 3, ""));
    CHECK(completes(vm, "\xff\xfe", 0, ""));
    CHECK(same(host.out, "") && same(nacre_error_text(vm), ""));
    nacre_free(vm);
}

static int keep_documentation(void *ctx, int stream, const char *bytes, size_t len) {
    char *text = ctx;
    size_t used = strlen(text);
    CHECK(stream == 1);
    snprintf(text + used, KEPT_BYTES - used, "%.*s", (int)len, bytes);
    return 0;
}

static bool inspects(NacreVm *vm, const char *name, const char *part) {
    char found[KEPT_BYTES] = {0};
    NacreStatus status = nacre_inspect(vm, name, strlen(name), keep_documentation, found);
    return status == NACRE_OK && contains(found, part);
}

static void test_inspect(void) {
    char found[KEPT_BYTES] = {0};
    Host host;
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, "def area(width, /, height=2.5, *rest, unit='m', **more):\n"
                  "    \"\"\"The area of a field.\"\"\"\n"
                  "class A:\n    'Documented.'\n    def m(self, x):\n        'Method.'\n"
                  "    @property\n    def p(self):\n        print('must not run')\n"
                  "a = A()\n") == NACRE_OK);
    CHECK(inspects(vm, "area", "area(width, /, height=2.5, *rest, unit='m', **more)\n"
                               "The area of a field.\n"));
    CHECK(inspects(vm, "a.m", "A.m(self, x)\nMethod.\n"));
    CHECK(inspects(vm, "A", "Documented."));
    CHECK(inspects(vm, "len", "len("));
    CHECK(inspects(vm, "str.join", "join("));
    CHECK(nacre_inspect(vm, "missing", 7, keep_documentation, found) == NACRE_ERROR);
    CHECK(nacre_inspect(vm, "a.p.x", 5, keep_documentation, found) == NACRE_ERROR);
    CHECK(nacre_inspect(vm, "", 0, keep_documentation, found) == NACRE_ERROR);
    CHECK(nacre_inspect(vm, "a..m", 4, keep_documentation, found) == NACRE_ERROR);
    CHECK(nacre_inspect(vm, "a.", 2, keep_documentation, found) == NACRE_ERROR);
    CHECK(same(found, "") && same(host.out, "") && same(nacre_error_text(vm), ""));
    nacre_free(vm);
}

// --- Figures -------------------------------------------------------------------------------------

static void test_stats(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    NacreStats stats = {.struct_size = sizeof stats}, small = {0};
    CHECK(nacre_stats(vm, &stats) == NACRE_OK);
    CHECK(stats.memory_in_use > 0 && stats.memory_peak >= stats.memory_in_use);
    CHECK(stats.allocations > 0 && stats.objects > 0);
    uint64_t before = stats.allocations;
    CHECK(run(vm, "x = [[i] for i in range(1000)]") == NACRE_OK);
    CHECK(nacre_stats(vm, &stats) == NACRE_OK && stats.allocations > before + 1000);
    CHECK(nacre_stats(vm, &small) == NACRE_MISUSE);
    small.struct_size = offsetof(NacreStats, memory_peak); // an older host
    small.memory_peak = 77;
    CHECK(nacre_stats(vm, &small) == NACRE_OK && small.memory_in_use > 0);
    CHECK(small.memory_peak == 77 && small.struct_size == offsetof(NacreStats, memory_peak));
    nacre_free(vm);
}

static void test_instruction_count(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.count_instructions = 1;
    NacreVm *vm = nacre_new(&options);
    CHECK(run(vm, "x = 0\nfor i in range(1000):\n    x += i * i\n") == NACRE_OK);
    const char *name = NULL;
    uint64_t most = 0;
    int count = 0;
    for (;; count++) {
        uint64_t times = nacre_instruction_count(vm, count, &name);
        if (!name) break;
        if (times > most) most = times;
    }
    CHECK(count > 50 && most >= 1000);
    CHECK(nacre_instruction_count(vm, -1, &name) == 0 && !name);
    CHECK(nacre_instruction_count(vm, 1 << 30, &name) == 0 && !name);
    nacre_free(vm);
}

static void test_operation_count(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    NacreVm *vm = nacre_new(&options);
    CHECK(run(vm, "import numpy as np\na = np.array([1, 2])\n"
                  "for i in range(7): a = np.square(a)\n") == NACRE_OK);
    const char *name = NULL;
    uint64_t squares = 0, tangents = 0;
    for (int i = 0;; i++) {
        uint64_t times = nacre_operation_count(vm, i, &name);
        if (!name) break;
        if (strcmp(name, "square") == 0) squares = times;
        if (strcmp(name, "tan") == 0) tangents = times;
    }
    CHECK(squares == 7 && tangents == 0);
    CHECK(nacre_operation_count(vm, -1, &name) == 0 && !name);
    nacre_free(vm);
}

static void test_stress(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.stress = 1;
    NacreVm *vm = nacre_new(&options);
    CHECK(run(vm, "def f(n):\n    yield from [n] * n\nx = {i: list(f(i)) for i in range(5)}\n") ==
          NACRE_OK);
    CHECK(evaluates(vm, "x[3]", "[3, 3, 3]"));
    nacre_free(vm);
}

int main(void) {
    static const Test tests[] = {
        {"options", test_options}, {"info", test_info}, {"run", test_run},
        {"result of user class", test_result_of_user_class}, {"interactive", test_interactive},
        {"run file", test_run_file}, {"argv", test_argv}, {"errors", test_errors},
        {"source bytes", test_source_bytes}, {"exit", test_exit}, {"nulls", test_nulls},
        {"nested", test_nested}, {"output fails", test_output_fails}, {"input", test_input},
        {"is_complete", test_is_complete}, {"complete", test_complete}, {"inspect", test_inspect},
        {"stats", test_stats}, {"instruction count", test_instruction_count},
        {"operation count", test_operation_count}, {"stress", test_stress},
    };
    return RUN_TESTS(tests);
}
