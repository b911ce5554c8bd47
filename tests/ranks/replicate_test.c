// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Programs on several ranks at once: all come to the same values, of which rank 0 alone gets what is from outside; and
// whatever goes wrong, on all of them or on one, every rank ends with the same exception.

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/effects/outside.h"
#include "tests/ranks/party.h"

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void pause_for(double seconds) {
    nanosleep(&(struct timespec){.tv_nsec = (long)(seconds * 1e9)}, NULL);
}

// --- What is from outside ----------------------------------------------------------------------------

static const char program[] =
    "import os, sys, time, datetime, random, uuid, secrets, tempfile, glob, json, io, pathlib, platform, subprocess\n"
    "import shutil, weakref, numpy as np, csv, pickle, gzip, queue, threading, warnings\n"
    "from concurrent.futures import ThreadPoolExecutor\n"
    OUTSIDE_ANSWERS
    "sys.path.append(folder); import beside, apart.inner; note((beside.file, apart.inner.value))\n"
    OUTSIDE_TEXT
    // Text in lines, tables, pickles, what is random.
    "with open(at('t.csv'), 'w', newline='') as f: csv.writer(f).writerows([[1, 'a b', 'c,d'], [2, 'e', '']])\n"
    "with open(at('t.csv'), newline='') as f: note(list(csv.reader(f)))\n"
    "with open(at('t.pickle'), 'wb') as f: pickle.dump({'a': [1, (2, 3)], 'b': np.arange(3)}, f)\n"
    "with open(at('t.pickle'), 'rb') as f: note(pickle.load(f))\n"
    "def lines(name):\n"
    "    with open(name) as f:\n"
    "        for line in f: yield line.split()\n"
    "g = lines(at('t.txt')); note(next(g)); note([len(x) for x in g]); g.close()\n"
    "with open(at('a.txt'), 'a') as f: f.write('more')\n"
    "with open(at('a.txt'), 'r+') as f: f.seek(0, 2); note(f.tell()); f.truncate(3); f.seek(0); note(f.read())\n"
    "with gzip.open(at('z.gz'), 'wt') as f: f.write('packed')\n"
    "with gzip.open(at('z.gz'), 'rt') as f: note(f.read())\n"
    "note(os.path.getsize(at('z.gz'))); os.rename(at('z.gz'), at('y.gz')); note(sorted(os.scandir(folder), key=str)[0].name)\n"
    "note(list(os.walk(folder)))\n"
    "q = queue.Queue(); t = threading.Thread(target=lambda: q.put(time.time())); t.start(); t.join(); note(q.get())\n"
    "with ThreadPoolExecutor(2) as pool: note(list(pool.map(lambda x: (x, os.getpid()), range(3))))\n"
    "rng = np.random.default_rng(); note(rng.random(5)); note(rng.permutation(9)); note(random.choice(range(10**9)))\n"
    "note(tempfile.mkdtemp(dir=folder)); note(os.environ.get('NO_SUCH', 3)); os.environ['SET_BY_RANK'] = folder\n"
    "note(subprocess.check_output(['sh', '-c', 'echo $SET_BY_RANK']))\n"
    "try: subprocess.run(['false'], check=True)\n"
    "except subprocess.CalledProcessError as e: note(e.returncode)\n"
    "for i in range(3): warnings.warn('once')\n"
    "class Path:\n"
    "    def __fspath__(self): note(time.time()); return at('a.txt')\n"
    "class Index:\n"
    "    def __index__(self): return 1\n"
    "with open(Path()) as f: f.seek(Index()); note(f.read(Index()))\n"
    "shutil.rmtree(folder); note(os.path.exists(folder))\n" // of this the ranks are compared
    "seen = repr(seen)\n";

static void test_outside(int size, int checks) {
    static const NacreOptions empty = {.struct_size = sizeof empty};
    Party party = {.size = 0};
    NacreOptions options = empty;
    char folder[] = "/tmp/nacre-ranks-XXXXXX";
    options.check_ranks = checks;
    CHECK(mkdtemp(folder));
    setenv("EFFECTS_FOLDER", folder, 1);
    setenv("EFFECTS_RANK", "one of them", 1);
    party_open(&party, size, &options);
    party_run(&party, program);
    CHECK(party_went_well(&party) && party_agrees(&party, "seen"));
    CHECK(strlen(party_text(&party, 0, "seen")) > 6000);
    CHECK(access(folder, F_OK) != 0); // the program has removed it
    CHECK(party.ranks[0].writes > 5 && party.ranks[0].reads == 2 && party.ranks[0].warnings > 0);
    CHECK(strstr(party.ranks[0].out, "S at ") && strstr(party.ranks[0].out, "0-1-2\n"));
    for (int i = 1; i < size; i++)
        CHECK(party.ranks[i].writes == 0 && party.ranks[i].reads == 0 && party.ranks[i].warnings == 0);
    party_close(&party);
}

// A script, and modules beside it, are read by one rank.
static void test_files(void) {
    Party party = {.size = 0};
    char folder[] = "/tmp/nacre-ranks-XXXXXX", name[64], line[256];
    CHECK(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/script.py", folder);
    party_open(&party, 3, NULL);
    snprintf(line, sizeof line, "import os\nfolder = '%s'\n", folder);
    party_run(&party, line);
    party_run(&party, "for name, text in (('script.py', 'import beside, sub.inner\\nv = beside.v + sub.inner.v\\n'),\n"
                      "                   ('beside.py', 'import time\\nv = time.time()\\n'), ('sub/inner.py', 'v = 1')):\n"
                      "    os.makedirs(os.path.dirname(folder + '/' + name), exist_ok=True)\n"
                      "    with open(folder + '/' + name, 'w') as f: f.write(text)\n");
    CHECK(party_went_well(&party));
    party_run_file(&party, name);
    CHECK(party_went_well(&party) && party_agrees(&party, "(v > 1, v, __file__, sub.inner.__file__)"));
    party_run(&party, "import shutil\nshutil.rmtree(folder)\n");
    party_run_file(&party, name);
    CHECK(party_raised(&party, "FileNotFoundError", "No such file", 0));
    party_run(&party, "import beyond\n");
    CHECK(party_raised(&party, "ModuleNotFoundError", "beyond", 1));
    CHECK(party_agrees(&party, "v")); // and they are together still
    party_close(&party);
}

// Callbacks of weak references come when the collector does, which is at the same place everywhere, though rank 0
// makes and throws away more than the others.
static void test_collector(void) {
    Party party = {.size = 0};
    party_open(&party, 3, NULL);
    party_run(&party, "import os, weakref, numpy as np\n"
                      "class C: pass\n"
                      "gone, refs = [], []\n"
                      "for i in range(4000):\n"
                      "    c = C(); c.self = c; c.more = [[] for k in range(8)]\n"
                      "    refs.append(weakref.ref(c, lambda r, i=i: gone.append((i, len(refs)))))\n"
                      "    if i % 20 == 0: os.listdir('/'); os.stat('/')\n"
                      "some = len(gone)\n"
                      "for i in range(40):\n"
                      "    c = C(); c.self = c; c.a = np.empty(1 << 20)\n"
                      "    refs.append(weakref.ref(c, lambda r, i=i: gone.append((i, len(refs)))))\n"
                      "    c.a[:] = i\n"
                      "    if i % 9 == 0: np.frombuffer(os.urandom(1 << 10)); open('/dev/zero', 'rb').read(1 << 20)\n");
    CHECK(party_went_well(&party) && party_agrees(&party, "some, gone"));
    CHECK(strcmp(party_text(&party, 1, "some > 1000 and len(gone) > some"), "True") == 0);
    party_close(&party);
}

// --- Errors of all -----------------------------------------------------------------------------------

static void test_errors_of_all(void) {
    Party party = {.size = 0};
    party_open(&party, 3, NULL);
    party_run(&party, "x = 1\nraise ValueError('alike')\n");
    CHECK(party_raised(&party, "ValueError", "alike", 2));
    party_run(&party, "print(1)\nopen('/none/of/this')\n");
    CHECK(party_raised(&party, "FileNotFoundError", "'/none/of/this'", 2));
    party_run(&party, "x = = 1\n");
    CHECK(party_raised(&party, "SyntaxError", "invalid syntax", 1));
    party_run(&party, "import sys\nprint('bye')\nsys.exit(3)\n");
    for (int i = 0; i < party.size; i++)
        CHECK(party.ranks[i].status == NACRE_EXIT && nacre_exit_code(party.ranks[i].vm) == 3);
    CHECK(strcmp(party.ranks[0].out, "bye\n") == 0 && party.ranks[1].writes == 0);
    party_run(&party, "import sys\nsys.exit('why')\n");
    CHECK(strcmp(party.ranks[0].out, "why\n") == 0 && party.ranks[1].writes == 0);
    party_run(&party, "class E(Exception):\n    def __str__(self): print('asked'); return 'own'\nraise E()\n");
    CHECK(party_raised(&party, "E", "own", 3));
    party_run(&party, "try: open('/none')\nexcept OSError as e: caught = (type(e), e.errno, e.filename, str(e))\n"
                      "def f():\n    try: yield input()\n    finally: print('ends')\n"
                      "g = f(); line = next(g); g.close()\n");
    CHECK(party_went_well(&party) && party_agrees(&party, "caught, line"));
    CHECK(strcmp(party.ranks[0].out, "ends\n") == 0);
    party_close(&party);
}

// --- Errors of one -----------------------------------------------------------------------------------

// What rank 1 does while the others go on to another step; what all of them end with.
static void one_fails(const char *before, const char *others, const char *class_name, const char *message, int line) {
    Party party = {.size = 0};
    char text[1024];
    const double begun = now();
    party_open(&party, 3, NULL);
    party_run(&party, "import nacre, time\nclass Own(KeyError): pass\n"); // the others may be a step behind
    snprintf(text, sizeof text, "\n\nif nacre.comm.rank == 1:\n    %s\nelse:\n    %s\n", before, others);
    party_run(&party, text);
    CHECK(party_raised(&party, class_name, message, line));
    for (int i = 0; i < party.size; i++) {
        bool told = strstr(nacre_error_text(party.ranks[i].vm), "raised on rank 1") != NULL;
        CHECK(told == (i != 1) && strstr(nacre_error_text(party.ranks[i].vm), "line 4, in <module>"));
    }
    party_run(&party, "print(1)\n"); // there is nothing any more that they could do together
    CHECK(party_raised(&party, class_name, message, line));
    party_close(&party);
    CHECK(now() - begun < 10);
}

static void test_errors_of_one(void) {
    one_fails("raise ValueError('here', 1)", "print('others')", "ValueError", "('here', 1)", 4);
    one_fails("raise Own('k')", "nacre.comm.barrier()", "Own", "'k'", 4);
    one_fails("raise Own('k')", "pass", "Own", "'k'", 4);
    one_fails("time.undefined", "open('/none')", "AttributeError", "undefined", 4);
    one_fails("1 / 0", "[time.time() for i in range(100)]", "ZeroDivisionError", "division by zero", 4);
}

static void test_rank_0_fails(void) {
    Party party = {.size = 0};
    party_open(&party, 3, NULL);
    party_run(&party, "from nacre import comm\nif comm.rank == 0:\n    raise OSError(5, 'disk', 'name')\nprint('never')\n");
    CHECK(party_raised(&party, "OSError", "[Errno 5] disk: 'name'", 3) && party.ranks[0].writes == 0);
    party_close(&party);
}

static void test_exit_of_one(void) {
    Party party = {.size = 0};
    party_open(&party, 3, NULL);
    party_run(&party, "from nacre import comm\nimport sys\nif comm.rank == 2: sys.exit(7)\nprint('never')\n");
    for (int i = 0; i < party.size; i++)
        CHECK(party.ranks[i].status == NACRE_EXIT && nacre_exit_code(party.ranks[i].vm) == 7);
    party_close(&party);
}

static void test_memory_of_one(void) {
    Party party = {.size = 0, .memory_limit = 100 << 20};
    party_open(&party, 3, NULL);
    party_run(&party, "import time\nx = [0] * 10\ny = [0] * (1 << 24)\nprint('others')\n");
    CHECK(party_raised(&party, "MemoryError", "MemoryError", 3));
    CHECK(strstr(nacre_error_text(party.ranks[2].vm), "raised on rank 1"));
    party_close(&party);
}

// Ranks that do different things are found out.
static void test_parted(void) {
    static const char *const texts[][3] = {
        {"print(1)\n", "print(2)\n", "print(1)\n"},
        {"print(1)\n", "import time; time.time()\n", "print(1)\n"},
        {"x = 1\n", "x = 1\n", "raise ValueError('here')\n"},
        {"print(1)\n", "x = 1\n", "print(1)\n"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Party party = {.size = 0};
        party_open(&party, 3, NULL);
        party_run_each(&party, texts[i]);
        for (int r = 0; r < party.size; r++)
            CHECK(party.ranks[r].status == NACRE_ERROR && strcmp(nacre_error_class(party.ranks[r].vm), "RuntimeError") == 0);
        CHECK(party.ranks[0].writes == 0);
        party_close(&party);
    }
}

// --- Interrupts --------------------------------------------------------------------------------------

// Runs a text on three ranks, and interrupts one of them meanwhile.
static void run_interrupted(Party *party, int rank, const char *text) {
    const char *const texts[] = {text, text, text};
    party_open(party, 3, NULL);
    party_begin(party, texts, NULL);
    pause_for(0.3);
    nacre_interrupt(party->ranks[rank].vm);
    party_wait(party);
}

// Rank 0 is interrupted in what it does for all: then all are, at the same place, and may go on.
static void test_interrupted_effect(void) {
    static const char text[] = "import time\ntry: time.sleep(20)\nexcept KeyboardInterrupt: caught = time.time()\n";
    Party party = {.size = 0};
    const double begun = now();
    run_interrupted(&party, 0, text);
    CHECK(party_went_well(&party) && party_agrees(&party, "caught"));
    party_run(&party, "print('on')\n");
    CHECK(party_went_well(&party) && now() - begun < 10);
    party_close(&party);
}

// A rank is interrupted in its own work, or waiting: the others end, too.
static void test_interrupted_rank(int rank, const char *text) {
    Party party = {.size = 0};
    const double begun = now();
    run_interrupted(&party, rank, text);
    for (int i = 0; i < party.size; i++)
        CHECK(party.ranks[i].status == NACRE_INTERRUPTED || !printf("%s\n", nacre_error_text(party.ranks[i].vm)));
    CHECK(now() - begun < 10);
    party_close(&party);
}

static void test_time_limit(void) {
    const NacreOptions options = {.struct_size = sizeof options, .time_limit = 0.4};
    Party party = {.size = 0};
    party_open(&party, 3, &options);
    party_run(&party, "import time\nwhile True:\n    try: time.sleep(0.01)\n    except TimeoutError: pass\n");
    for (int i = 0; i < party.size; i++) CHECK(strcmp(nacre_error_class(party.ranks[i].vm), "TimeoutError") == 0);
    party_close(&party);
}

// --- nacre.comm ------------------------------------------------------------------------------------

static void test_comm(void) {
    Party party = {.size = 0};
    party_open(&party, 4, NULL);
    party_run(&party, "from nacre import comm\nhere = comm.rank\ncomm.barrier()\nprint(comm)\n");
    CHECK(party_went_well(&party) && strcmp(party.ranks[0].out, "<4 ranks>\n") == 0 && party_agrees(&party, "comm.size"));
    for (int i = 0; i < party.size; i++) CHECK(party_text(&party, i, "here")[0] == '0' + i);
    party_close(&party);
}

int main(void) {
    test_outside(3, true);
    test_outside(2, false);
    test_files();
    test_collector();
    test_errors_of_all();
    test_errors_of_one();
    test_rank_0_fails();
    test_exit_of_one();
    test_memory_of_one();
    test_parted();
    test_interrupted_effect();
    test_interrupted_rank(1, "import time\ntime.sleep(1.5)\n");
    test_interrupted_rank(2, "import time\nfor i in range(10**9):\n    if i % 10**6 == 0: time.time()\n");
    test_time_limit();
    test_comm();
    return failures != 0;
}
