// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What a host lets scripts do with the world outside: files it is asked for, modules it gives, the sandbox.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

// Everything that would touch a file or folder.
static const char *const touches[] = {
    "open('/etc/passwd')",
    "open('/tmp/nacre_sandbox', 'w')",
    "open('/etc/passwd', 'rb').read()",
    "import os; os.listdir('/')",
    "import os; os.getcwd()",
    "import os; os.remove('/tmp/nacre_sandbox')",
    "import os; os.mkdir('/tmp/nacre_sandbox_folder')",
    "import os; os.makedirs('/tmp/nacre_sandbox_folder/a')",
    "import os; os.rmdir('/tmp/nacre_sandbox_folder')",
    "import os; os.rename('/tmp/nacre_sandbox', '/tmp/nacre_sandbox2')",
    "import os; os.chdir('/')",
    "import os; os.stat('/')",
    "import os; os.path.getsize('/etc/passwd')",
    "import os; os.symlink('/etc/passwd', '/tmp/nacre_sandbox')",
    "import os; os.readlink('/proc/self/exe')",
    "import os; os.chmod('/tmp/nacre_sandbox', 0)",
    "import os; os.access('/etc/passwd', 4)",
    "import shutil; shutil.copy('/etc/passwd', '/tmp/nacre_sandbox')",
    "import pathlib; pathlib.Path('/etc/passwd').read_text()",
    "import pathlib; pathlib.Path('/tmp/nacre_sandbox').touch()",
    "import tempfile; tempfile.mkdtemp()",
    "import numpy as np; np.load('/tmp/nacre_sandbox.npy')",
    "import numpy as np; np.save('/tmp/nacre_sandbox', np.zeros(2))",
    "import numpy as np; np.savez('/tmp/nacre_sandbox', np.zeros(2))",
    "import numpy as np; np.savetxt('/tmp/nacre_sandbox', np.zeros(2))",
    "import numpy as np; np.loadtxt('/etc/passwd')",
    "import numpy as np; np.genfromtxt('/etc/passwd')",
    "import numpy as np; np.fromfile('/etc/passwd', dtype='u1')",
    "import numpy as np; np.zeros(2).tofile('/tmp/nacre_sandbox')",
    "import numpy as np; np.memmap('/etc/passwd', dtype='u1', mode='r')",
    "import numpy as np; np.memmap('/tmp/nacre_sandbox', dtype='u1', mode='w+', shape=(4,))",
    "import numpy as np, matplotlib.pyplot as plt; plt.imsave('/tmp/nacre_sandbox.png', np.zeros((2, 2)))",
};
enum { TOUCHES = sizeof touches / sizeof *touches };

// What is no file: the host is not asked.
static const char *const others[] = {
    "import os; os.umask(0)",
    "import os; os.kill(1, 0)",
    "import os; os.system('true')",
    "import subprocess; subprocess.run(['true'])",
    "import _process; _process.read(0, 1)",
};
enum { OTHERS = sizeof others / sizeof *others };

static void test_sandbox(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.sandbox = 1;
    options.tier = "function"; // there is no compiler for it
    NacreVm *vm = nacre_new(&options);
    CHECK(vm);
    for (int i = 0; i < TOUCHES; i++) CHECK(raises(vm, touches[i], "PermissionError", 0));
    for (int i = 0; i < OTHERS; i++) CHECK(raises(vm, others[i], "PermissionError", 0));
    CHECK(access("/tmp/nacre_sandbox", F_OK) != 0 && access("/tmp/nacre_sandbox_folder", F_OK) != 0);
    CHECK(access("/tmp/nacre_sandbox.npy", F_OK) != 0 && access("/tmp/nacre_sandbox.png", F_OK) != 0);
    CHECK(run(vm, "import os\nprint(dict(os.environ), os.path.exists('/'))") == NACRE_OK);
    CHECK(strcmp(host.out, "{} False\n") == 0);
    CHECK(raises(vm, "import nothing_beside", "ModuleNotFoundError", 1));
    CHECK(run(vm, "import numpy as np\nn = 0\nfor i in range(100000): n += i\nx = np.sort(np.arange(9.0))\n") ==
          NACRE_OK);
    NacreStats stats = {.struct_size = sizeof stats};
    CHECK(nacre_stats(vm, &stats) == NACRE_OK && stats.loops_compiled == 0);
    nacre_free(vm);
    options.backend = "opencl";
    CHECK(!nacre_new(&options));
    options.backend = "mirror";
    vm = nacre_new(&options);
    CHECK(vm && run(vm, "print(1)") == NACRE_OK);
    nacre_free(vm);
}

// --- A host that is asked ------------------------------------------------------------------------------

typedef struct Asked {
    Host host; // first: the context of the harness's callbacks
    char folder[64];
    int reads, writes, refused;
} Asked;

static int only_folder(void *ctx, NacreAccess wanted, const char *path) {
    Asked *asked = ctx;
    if (wanted == NACRE_WRITE) asked->writes++;
    else asked->reads++;
    int allowed = strncmp(path, asked->folder, strlen(asked->folder)) == 0 && !strstr(path, "..");
    asked->refused += !allowed;
    return allowed;
}

static void test_access(void) {
    Asked asked = {.folder = "/tmp/nacre_access_XXXXXX"};
    CHECK(mkdtemp(asked.folder));
    NacreOptions options = host_options(&asked.host);
    options.access = only_folder;
    options.sandbox = 1;
    NacreVm *vm = nacre_new(&options);
    char text[600];
    snprintf(text, sizeof text,
             "import numpy as np\nf = '%s/a'\nwith open(f, 'w') as g: g.write('1 2 3')\n"
             "print(np.loadtxt(f), open(f).read())\nnp.save(f, [1])\nprint(np.load(f + '.npy'))\n"
             "import os\nprint(sorted(os.listdir('%s')))\nos.remove(f)\nos.remove(f + '.npy')\n",
             asked.folder, asked.folder);
    CHECK(run(vm, text) == NACRE_OK && asked.refused == 0 && asked.writes >= 4 && asked.reads >= 4);
    CHECK(strcmp(asked.host.out, "[1. 2. 3.] 1 2 3\n[1]\n['a', 'a.npy']\n") == 0);
    for (int i = 0; i < TOUCHES; i++) CHECK(raises(vm, touches[i], "PermissionError", 0));
    for (int i = 0; i < OTHERS; i++) CHECK(raises(vm, others[i], "PermissionError", 0));
    CHECK(asked.refused >= TOUCHES);
    snprintf(text, sizeof text, "open('%s/../../etc/passwd')", asked.folder);
    CHECK(raises(vm, text, "PermissionError", 1));
    nacre_free(vm);
    CHECK(rmdir(asked.folder) == 0);
}

// --- Modules of the host -------------------------------------------------------------------------------

static int give_module(void *ctx, const char *name, const char **text, size_t *len) {
    static const struct {
        const char *name, *text;
    } modules[] = {{"tools", "import helpers\ndef twice(x): return helpers.add(x, x)\n"},
                   {"helpers", "def add(a, b): return a + b\n"},
                   {"broken", "def f(:\n"},
                   {"raising", "x = 1\n1 / 0\n"}};
    (void)ctx;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        if (strcmp(modules[i].name, name) != 0) continue;
        *text = modules[i].text;
        *len = strlen(*text);
        return 1;
    }
    return 0;
}

static void test_modules(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    options.module = give_module;
    options.sandbox = 1;
    NacreVm *vm = nacre_new(&options);
    CHECK(run(vm, "import tools\nfrom helpers import add\nprint(tools.twice(21), add('a', 'b'))") == NACRE_OK);
    CHECK(strcmp(host.out, "42 ab\n") == 0);
    CHECK(raises(vm, "import broken", "SyntaxError", 0) && raises(vm, "import raising", "ZeroDivisionError", 2));
    CHECK(raises(vm, "import unknown", "ModuleNotFoundError", 1));
    CHECK(raises(vm, "import raising", "ZeroDivisionError", 2)); // not half there
    NacreValue *module = NULL;
    CHECK(nacre_import(vm, "tools", &module) == NACRE_OK);
    nacre_free(vm);
}

int main(void) {
    static const Test tests[] = {{"sandbox", test_sandbox}, {"access", test_access}, {"modules", test_modules}};
    return RUN_TESTS(tests);
}
