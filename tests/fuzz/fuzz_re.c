// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Any bytes as a pattern, a replacement and a text, for everything that module re does with them. The first byte
// chooses flags, and whether they are texts or bytes; the others are cut at bytes 0. Each ends with a value or an
// exception, in a VM that has little memory and time, and leaves none.

#include "tests/fuzz/vm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char prologue[] =
    "import re, warnings\n"
    "warnings.simplefilter('ignore')\n"
    "choices = [0, re.I, re.M, re.S, re.X, re.A, re.I | re.A, re.I | re.M | re.S]\n"
    "def run(choice, data):\n"
    "    if not choice & 8:\n"
    "        data = data.decode('utf-8', 'replace') if choice & 16 else data.decode('latin-1')\n"
    "    parts = data.split(data[:0] + ('\\0' if isinstance(data, str) else b'\\0')) + [data[:0]] * 3\n"
    "    p = re.compile(parts[0], choices[choice & 7])\n"
    "    text = parts[2]\n"
    "    for m in [p.search(text), p.match(text, 1), p.fullmatch(text, 0, 5)]:\n"
    "        if m:\n"
    "            assert m.string[m.start():m.end()] == m.group()\n"
    "            assert m.groups() == tuple([None if s < 0 else text[s:e] for s, e in m.regs[1:]])\n"
    "            str(m), m.groupdict(), m.lastgroup, m.expand(parts[1])\n"
    "    found = [m.group() for m in p.finditer(text)]\n"
    "    assert len(p.findall(text)) == len(found) == p.subn(parts[1], text)[1]\n"
    "    assert p.sub(lambda m: m.group(), text) == text\n"
    "    p.split(text)\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Attempts attempts = {.prologue = prologue, .memory_limit = 256 << 20};
    return attempts_call(&attempts, data, size) ? 0 : -1;
}
