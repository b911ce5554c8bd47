// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What bounds a VM from outside: memory and recursion limits, interrupts, several VMs and threads,
// lives that leave nothing behind, silence.

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "harness.h"

// --- Memory --------------------------------------------------------------------------------------

static bool over_limit(NacreVm *vm, const char *text, int line) {
    return raises(vm, text, "MemoryError", line);
}

static void test_memory_limit(void) {
    enum { LIMIT = 8 << 20 };
    Host host = {0};
    NacreOptions options = host_options(&host);
    NacreStats stats = {.struct_size = sizeof stats};
    options.memory_limit = LIMIT;
    NacreVm *vm = nacre_new(&options);
    CHECK(vm);
    CHECK(over_limit(vm, "x = 'a' * 10000000\n", 1));
    // Locals go with their frame; what a global variable holds stays.
    CHECK(over_limit(vm, "def f(x):\n    while True:\n        x.append([0] * 10000)\nf([])", 3));
    // Small blocks leave too little for the line to be noted every time; the exception is the same.
    CHECK(over_limit(vm, "def f(x):\n    while True:\n        x.append([0] * 100)\nf([])", 0));
    CHECK(over_limit(vm, "def f(d):\n    for i in range(10**9):\n        d[i] = i\nf({})", 3));
    CHECK(over_limit(vm, "def f(s):\n    while True:\n        s += s\nf('x')", 3));
    CHECK(over_limit(vm, "x = [str(i) for i in range(10**8)]\n", 1));
    CHECK(over_limit(vm, "x = list(range(10**7))\n", 1));
    CHECK(over_limit(vm, "x = ' '.join(['abc'] * 200000)\nx = [x * 5, x * 5]", 2));
    CHECK(over_limit(vm, "x = {i: {i} for i in range(10**6)}", 1));
    CHECK(over_limit(vm, "x = 3 ** (10**8)", 1));
    CHECK(over_limit(vm, "x = sorted(range(10**7))", 1));
    CHECK(over_limit(vm, "x = 'ab'.replace('a', 'b' * 10**5).replace('b', 'c' * 1000)", 1));
    CHECK(over_limit(vm, "x = f'{1:>100000000}'", 1));
    CHECK(over_limit(vm, "x = '%100000000d' % 1", 1));
    CHECK(run(vm, "x = None\ncaught = 0\nfor i in range(2000):\n    try:\n"
                  "        'x' * 10**9\n    except MemoryError:\n        caught += 1\n") ==
          NACRE_OK);
    CHECK(evaluates(vm, "caught", "2000"));
    CHECK(nacre_stats(vm, &stats) == NACRE_OK && stats.memory_peak <= LIMIT);
    CHECK(evaluates(vm, "sum(range(100))", "4950"));
    nacre_free(vm);
    options.memory_limit = 1000; // not even enough to start
    CHECK(!nacre_new(&options));
}

// --- Recursion -----------------------------------------------------------------------------------

static void test_recursion_limit(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.recursion_limit = 50;
    NacreVm *vm = nacre_new(&options);
    CHECK(run(vm, "def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\n") == NACRE_OK);
    CHECK(evaluates(vm, "f(30)", "30"));
    CHECK(raises(vm, "\nf(60)", "RecursionError", 2));
    nacre_free(vm);
    options.recursion_limit = 100000;
    vm = nacre_new(&options);
    CHECK(run(vm, "def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\n") == NACRE_OK);
    CHECK(evaluates(vm, "f(99000)", "99000")); // frames are not on the C stack
    nacre_free(vm);
}

// --- Interrupts ----------------------------------------------------------------------------------

static NacreVm *volatile signalled;

static void on_alarm(int number) {
    (void)number;
    nacre_interrupt(signalled);
}

static void alarm_after(int milliseconds) {
    struct itimerval timer = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void test_interrupt_from_signal(void) {
    static const char *const loops[] = {
        "while True:\n    pass\n",
        "for i in range(10**12):\n    x = i\n",
        "def f():\n    return f()\nwhile True:\n    try:\n        f()\n"
        "    except RecursionError:\n        pass\n",
        "x = sum(i for i in range(10**12))\n",
        "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(90)\n",
        "def g(n):\n    yield 1\n    if n:\n        yield from g(n - 1)\n"
        "        yield from g(n - 1)\nx = sum(g(90))\n",
        "x = [i for i in range(10**6) for j in range(10**6) if False]\n",
        "def g():\n    while True:\n        yield 1\nfor x in g():\n    pass\n",
        "import itertools\nfor x in itertools.count():\n    pass\n",
        "try:\n    while True:\n        pass\nfinally:\n    print('cleaned')\n",
        "while True:\n    try:\n        while True:\n            pass\n    except Exception:\n"
        "        pass\n",
    };
    Host host;
    NacreVm *vm = host_start(&host);
    struct sigaction action = {.sa_handler = on_alarm}, before;
    signalled = vm;
    sigaction(SIGALRM, &action, &before);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        alarm_after(50);
        NacreStatus status = run(vm, loops[i]);
        if (status != NACRE_INTERRUPTED) printf("%s: %d\n", loops[i], (int)status);
        CHECK(status == NACRE_INTERRUPTED);
        CHECK(strcmp(nacre_error_class(vm), "KeyboardInterrupt") == 0);
        CHECK(strstr(nacre_error_text(vm), "KeyboardInterrupt"));
        CHECK(evaluates(vm, "1 + 1", "2"));
    }
    CHECK(strcmp(host.out, "cleaned\n") == 0);
    // A script may handle it.
    alarm_after(50);
    CHECK(run(vm, "try:\n    while True:\n        pass\nexcept KeyboardInterrupt:\n"
                  "    x = 'own'\n") == NACRE_OK);
    CHECK(evaluates(vm, "x", "'own'"));
    nacre_interrupt(vm); // nothing runs: it does not hit the next run
    CHECK(evaluates(vm, "[i for i in range(5)]", "[0, 1, 2, 3, 4]"));
    sigaction(SIGALRM, &before, NULL);
    nacre_free(vm);
}

static void *interrupt_later(void *vm) {
    usleep(50000);
    nacre_interrupt(vm);
    return NULL;
}

static void test_interrupt_from_thread(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, interrupt_later, vm) == 0);
        CHECK(run(vm, "n = 0\nwhile True:\n    n += 1\n") == NACRE_INTERRUPTED);
        pthread_join(thread, NULL);
        CHECK(nacre_error_line(vm) == 2 || nacre_error_line(vm) == 3);
    }
    nacre_free(vm);
}

// --- Many VMs ------------------------------------------------------------------------------------

static const char work[] =
    "import json, math\nclass Node:\n    def __init__(self, n):\n        self.n = n\n"
    "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
    "nodes = [Node(i) for i in range(200)]\n"
    "text = json.dumps({str(x.n): math.sqrt(x.n) for x in nodes})\n"
    "total = sum(json.loads(text).values()) + fib(14) + len(str(3 ** 500))\n"
    "try:\n    nodes[1000]\nexcept IndexError as e:\n    total += len(str(e))\n";

static void *run_in_thread(void *expected) {
    intptr_t bad = 0;
    for (int i = 0; i < 5; i++) {
        Host *host = calloc(1, sizeof *host);
        NacreOptions options = host_options(host);
        NacreVm *vm = nacre_new(&options);
        bad += !vm || run(vm, work) != NACRE_OK;
        bad += !vm || nacre_run(vm, "total", 5, "<test>", NACRE_EXPRESSION) != NACRE_OK;
        if (expected && vm) bad += strcmp(nacre_result_text(vm), expected) != 0;
        nacre_free(vm);
        free(host);
    }
    return (void *)bad;
}

static void test_threads(void) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    Host host;
    char expected[100];
    NacreVm *vm = host_start(&host);
    CHECK(run(vm, work) == NACRE_OK);
    CHECK(nacre_run(vm, "total", 5, "<test>", NACRE_EXPRESSION) == NACRE_OK);
    snprintf(expected, sizeof expected, "%s", nacre_result_text(vm));
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, run_in_thread, expected) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *bad = NULL;
        pthread_join(threads[i], &bad);
        CHECK(!bad);
    }
    nacre_free(vm);
}

static void test_two_in_turn(void) {
    Host one, two;
    NacreVm *a = host_start(&one), *b = host_start(&two);
    CHECK(run(a, "x = 'a'") == NACRE_OK && run(b, "x = 'b'") == NACRE_OK);
    CHECK(evaluates(a, "x", "'a'") && evaluates(b, "x", "'b'"));
    CHECK(raises(a, "int.nothing", "AttributeError", 1));
    CHECK(run(b, "print(x)") == NACRE_OK && strcmp(two.out, "b\n") == 0 && !*one.out);
    nacre_free(a);
    CHECK(evaluates(b, "x * 2", "'bb'"));
    nacre_free(b);
}

// A VM may move from one thread to another between calls.
static void *use_vm(void *vm) {
    return (void *)(intptr_t)run(vm, "x = [x, len('abc'), f(3)]");
}

static void test_moves_between_threads(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    pthread_t thread;
    void *status = NULL;
    CHECK(run(vm, "x = 1\ndef f(n):\n    return n if n == 0 else f(n - 1)\n") == NACRE_OK);
    CHECK(pthread_create(&thread, NULL, use_vm, vm) == 0);
    pthread_join(thread, &status);
    CHECK((intptr_t)status == NACRE_OK && evaluates(vm, "x", "[1, 3, 0]"));
    nacre_free(vm);
}

// --- Nothing left behind -------------------------------------------------------------------------

static long resident_pages(void) {
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
    if (file) fclose(file);
    return resident;
}

static void one_life(void) {
    NacreOptions options = {.struct_size = sizeof options};
    options.threads = 1;
    NacreVm *vm = nacre_new(&options);
    CHECK(vm && run(vm, "class A:\n    pass\na = A()\na.self = a\nx = [a, 2**100, 'y' * 1000]\n"
                        "def g():\n    yield a\nit = g()\nnext(it)\n1 / 0\n") == NACRE_ERROR);
    nacre_free(vm);
}

static void test_lives(void) {
#ifdef __SANITIZE_ADDRESS__
    enum { LIVES = 100 }; // freed memory is kept in quarantine: growth says nothing
#else
    enum { LIVES = 1000 };
#endif
    for (int i = 0; i < 20; i++) one_life();
    long before = resident_pages();
    for (int i = 0; i < LIVES; i++) one_life();
    long grown = resident_pages() - before;
    if (LIVES == 1000 && grown > 128) printf("%ld pages more\n", grown);
    CHECK(LIVES < 1000 || grown <= 128);
}

static void test_runs_do_not_grow(void) {
    Host host;
    NacreVm *vm = host_start(&host);
    NacreStats first = {.struct_size = sizeof first}, last = first;
    for (int i = 0; i < 300; i++) {
        CHECK(run(vm, "def f():\n    return [f, {}]\nx = f()\n") == NACRE_OK);
        CHECK(raises(vm, "x = 1\nf().y\n", "AttributeError", 2));
        CHECK(raises(vm, "x = = 1\n", "SyntaxError", 1));
        CHECK(nacre_run(vm, "x", 1, "<test>", NACRE_EXPRESSION) == NACRE_OK);
        if (i == 50) nacre_stats(vm, &first);
    }
    nacre_stats(vm, &last);
    CHECK(last.memory_in_use <= first.memory_in_use + 1000);
    nacre_free(vm);
}

// --- Silence -------------------------------------------------------------------------------------

static void noisy_things(void) {
    NacreOptions options = {.struct_size = sizeof options};
    NacreVm *vm = nacre_new(&options);
    run(vm, "print('never seen')\nimport sys\nprint('nor this', file=sys.stderr)\n1 / 0\n");
    run(vm, "x = = 2");
    run(vm, "def f():\n    f()\nf()\n");
    run(vm, "class A:\n    def __del__(self):\n        1 / 0\n    def __repr__(self):\n"
            "        return 5\nraise ValueError(A())\n");
    run(vm, "x = 'a' * 10**13");
    run(vm, "sys.exit('a message')");
    nacre_run(vm, "[1]\n", 4, "<test>", NACRE_INTERACTIVE);
    nacre_run_file(vm, "/nowhere/at/all");
    nacre_run_file(NULL, NULL);
    nacre_free(vm);
    options.backend = "nonsense";
    nacre_new(&options);
}

// The process's own streams lead to a file meanwhile: it must stay empty.
static void test_silence(void) {
    char path[] = "/tmp/nacre-silence-XXXXXX";
    struct stat info;
    fflush(stdout);
    int file = mkstemp(path), out = dup(1), err = dup(2);
    CHECK(file >= 0 && out >= 0 && err >= 0);
    dup2(file, 1);
    dup2(file, 2);
    noisy_things();
    fflush(stdout);
    dup2(out, 1);
    dup2(err, 2);
    CHECK(fstat(file, &info) == 0 && info.st_size == 0);
    close(file);
    close(out);
    close(err);
    remove(path);
}

int main(void) {
    static const Test tests[] = {
        {"memory limit", test_memory_limit}, {"recursion limit", test_recursion_limit},
        {"interrupt from signal", test_interrupt_from_signal},
        {"interrupt from thread", test_interrupt_from_thread}, {"threads", test_threads},
        {"two in turn", test_two_in_turn}, {"moves between threads", test_moves_between_threads},
        {"lives", test_lives}, {"runs do not grow", test_runs_do_not_grow},
        {"silence", test_silence},
    };
    return RUN_TESTS(tests);
}
