// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arrays that nobody has written: np.empty shows nothing of another VM's, nor of the host's memory, and np.zeros is
// zeros whatever was there.

#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { SIZES = 7 };
static const size_t sizes[SIZES] = {64, 1000, 8000, 60000, 70000, 200000, 3000000}; // bytes

// What the process's allocator hands out next is full of these.
static void leave_secrets(void) {
    for (int i = 0; i < SIZES; i++) {
        void *blocks[8];
        for (int j = 0; j < 8; j++) {
            blocks[j] = malloc(sizes[i] + (size_t)j * 16);
            if (blocks[j]) memset(blocks[j], 0x5a, sizes[i] + (size_t)j * 16);
        }
        for (int j = 0; j < 8; j++) free(blocks[j]);
    }
}

static const char secret[] = "import numpy as np\n"
                             "for n in (8, 125, 1000, 7500, 8750, 25000, 375000):\n"
                             "    kept = [np.full(n, 0x5a5a5a5a5a5a5a5a) for _ in range(8)]\n";

static const char look[] = "import numpy as np\n"
                           "seen, wrong = 0, 0\n"
                           "for n in (8, 125, 1000, 7500, 8750, 25000, 375000):\n"
                           "    kept = []\n"
                           "    for _ in range(8):\n"
                           "        kept.append(np.empty(n, np.int64))\n"
                           "        seen += (kept[-1] == 0x5a5a5a5a5a5a5a5a).sum()\n"
                           "        kept.append(np.empty((n, 2), np.int32))\n"
                           "        seen += (kept[-1] == 0x5a5a5a5a).sum()\n"
                           "        wrong += np.zeros(n, np.int64).any() + np.zeros_like(kept[-1]).any()\n";

// Within one VM: its own elements may be seen, but zeros are zeros and bools are bools.
static const char own[] = "import numpy as np\n"
                          "wrong = 0\n"
                          "for n in (8, 1000, 70000, 1000000):\n"
                          "    for kind in (np.int64, np.float32, bool, complex):\n"
                          "        used = np.full(n, 7.5)\n"
                          "        del used\n"
                          "        wrong += np.zeros(8 * n // np.dtype(kind).itemsize, kind).any()\n"
                          "        used = np.full(n, 0x0302010305060708)\n"
                          "        del used\n"
                          "        truths = np.empty(8 * n, bool)\n"
                          "        wrong += truths.sum() + (~truths).sum() != 8 * n\n";

static void check_vm(NacreVm *vm) {
    CHECK(vm && run(vm, look) == NACRE_OK);
    CHECK(evaluates(vm, "int(seen)", "0"));
    CHECK(evaluates(vm, "int(wrong)", "0"));
    CHECK(run(vm, own) == NACRE_OK && evaluates(vm, "int(wrong)", "0"));
    nacre_free(vm);
}

static void test_of_the_host(void) {
    Host host = {0};
    NacreOptions options = host_options(&host);
    leave_secrets();
    check_vm(nacre_new(&options));
    options.memory_limit = 256 << 20; // no blocks are kept
    leave_secrets();
    check_vm(nacre_new(&options));
}

static void test_of_another_vm(void) {
    Host one, other;
    NacreVm *vm = host_start(&one);
    CHECK(run(vm, secret) == NACRE_OK);
    NacreVm *next = host_start(&other); // beside it, and after it
    CHECK(run(vm, "kept = None") == NACRE_OK);
    check_vm(next);
    nacre_free(vm);
    check_vm(host_start(&other));
}

int main(void) {
    static const Test tests[] = {{"of the host", test_of_the_host}, {"of another VM", test_of_another_vm}};
    return RUN_TESTS(tests);
}
