// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Any bytes as a pattern, a replacement and a text, for everything that module re does with them. The first byte
// chooses flags, and whether they are texts or bytes; the others are cut at bytes 0. Each ends with a value or an
// exception, in a VM that has little memory and time, and leaves none.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nacre/nacre.h"
#include "tests/fuzz/vm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 256, RUNS_EACH_VM = 512, MEMORY_LIMIT = 256 << 20 };

static const char prologue[] =
    "import re, warnings\n"
    "warnings.simplefilter('ignore')\n"
    "choices = [0, re.I, re.M, re.S, re.X, re.A, re.I | re.A, re.I | re.M | re.S]\n"
    "def attempt(choice, data):\n"
    "    if not choice & 8:\n"
    "        data = data.decode('utf-8', 'replace') if choice & 16 else data.decode('latin-1')\n"
    "    parts = data.split(data[:0] + ('\\0' if isinstance(data, str) else b'\\0')) + [data[:0]] * 3\n"
    "    try:\n"
    "        p = re.compile(parts[0], choices[choice & 7])\n"
    "        text = parts[2]\n"
    "        for m in [p.search(text), p.match(text, 1), p.fullmatch(text, 0, 5)]:\n"
    "            if m:\n"
    "                assert m.string[m.start():m.end()] == m.group()\n"
    "                assert m.groups() == tuple([None if s < 0 else text[s:e] for s, e in m.regs[1:]])\n"
    "                str(m), m.groupdict(), m.lastgroup, m.expand(parts[1])\n"
    "        found = [m.group() for m in p.finditer(text)]\n"
    "        assert len(p.findall(text)) == len(found) == p.subn(parts[1], text)[1]\n"
    "        assert p.sub(lambda m: m.group(), text) == text\n"
    "        p.split(text)\n"
    "    except (KeyboardInterrupt, SystemError, AssertionError):\n"
    "        raise\n"
    "    except Exception:\n"
    "        pass\n";

static struct {
    NacreVm *vm;
    int runs;
    Counted memory; // of the VM
} now;

static void run(const char *text) {
    NacreStatus status = nacre_run(now.vm, text, strlen(text), "fuzz", NACRE_FILE);
    if (status == NACRE_OK) return;
    const char *error = nacre_error_text(now.vm);
    require(strstr(error, "TimeoutError") != NULL, error);
}

static void make_vm(void) {
    now.vm = counted_vm(&now.memory, MEMORY_LIMIT, 1);
    now.runs = 0;
    run(prologue);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[2 * INPUT_MAX + 64];
    if (size < 1 || size > INPUT_MAX) return -1;
    if (!now.vm) make_vm();
    int at = snprintf(text, sizeof text, "attempt(%d, bytes.fromhex('", data[0]);
    for (size_t i = 1; i < size; i++) at += snprintf(text + at, sizeof text - (size_t)at, "%02x", data[i]);
    snprintf(text + at, sizeof text - (size_t)at, "'))");
    run(text);
    if (++now.runs < RUNS_EACH_VM) return 0;
    free_counted_vm(now.vm, &now.memory);
    now.vm = NULL;
    return 0;
}
