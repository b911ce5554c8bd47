// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Damaged units through the unpacker and the verifier. The first byte chooses a program; the others
// change bytes of its packed form (position low, position high, new value). One choice takes the
// others as a whole unit behind a valid head.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lang/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const programs[] = {
    "x = a + 1\n",
    "def f(a, b=1, *c, d, **e):\n  'doc'\n  return [i * a for i in b if i]\n",
    "def f(x):\n  def g():\n    nonlocal x\n    x += 1\n    yield x\n  return g\n",
    "class C(B, k=1):\n  x: int = 1\n  def m(self):\n    return super().m(*self.a, **k)\n",
    ("def f(a):\n for x in a:\n  try:\n   with x: return 1\n  except E as e: g()\n"
     "  finally: h(k=1)\n"),
    "def f(a, i, j):\n  a[i, j] += 1\n  x, *y = a[1:, 0]\n  del a.b\n  return f'{x!r:>{j}}', 1j\n",
    "import a.b as c\nfrom . import d\nfrom e import *\nwhile c < d: c = (c, 2 ** 200, 0.5, ...)\n",
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static void require(bool condition) {
    if (!condition) abort();
}

static void pack_program(Mem *mem, const char *source, Buf *out) {
    CompileErrors errors = {.count = 0};
    BcUnit *unit = compile_source(mem, source, strlen(source), "x", COMPILE_FILE, &errors);
    require(unit && bc_pack(unit, out));
    bc_unit_free(unit);
    compile_errors_free(&errors);
}

// Keeps magic, version and hash of the instruction table.
static void cut_body(Buf *packed) {
    size_t at = 4;
    for (int numbers = 0; numbers < 2; at++) {
        if (!(packed->data[at] & 0x80)) numbers++;
    }
    packed->len = at;
}

static void damage(Buf *packed, const uint8_t *data, size_t size) {
    for (size_t i = 0; i + 3 <= size; i += 3) {
        size_t at = (data[i] | (size_t)data[i + 1] << 8) % packed->len;
        packed->data[at] = (char)data[i + 2];
    }
}

static void use_unit(Mem *mem, const BcUnit *unit) {
    Buf text, packed;
    buf_init(&text, mem);
    buf_init(&packed, mem);
    require(bc_verify(unit, &text));
    bc_disassemble(unit->main, unit, &text);
    require(bc_pack(unit, &packed));
    buf_free(&packed);
    buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    Mem mem;
    Buf packed;
    BcUnit *unit = NULL;
    bool no_memory;
    mem_init(&mem, NULL, NULL, true, 0);
    buf_init(&packed, &mem);
    uint32_t choice = data[0] % (PROGRAMS + 1);
    pack_program(&mem, programs[choice % PROGRAMS], &packed);
    if (choice < PROGRAMS) {
        damage(&packed, data + 1, size - 1);
    } else {
        cut_body(&packed);
        buf_put(&packed, (const char *)data + 1, size - 1);
    }
    if (bc_unpack(&mem, packed.data, packed.len, &unit, &no_memory)) use_unit(&mem, unit);
    require(!no_memory);
    bc_unit_free(unit);
    buf_free(&packed);
    require(mem.in_use == 0);
    mem_destroy(&mem);
    return 0;
}
