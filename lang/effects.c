// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Register effects of instructions.

#include "lang/effects.h"

uint32_t instr_source_count(const Instr *at) {
    switch (at->op) {
    case OP_GETITEMS:
    case OP_SETITEMS: return instr_wide(at[1]);
    case OP_SLICE:
    case OP_CALLX:
    case OP_FUNC:
    case OP_CLASS: return 3;
    case OP_TUPLE:
    case OP_LIST:
    case OP_SET:
    case OP_CONCAT: return at->c;
    case OP_DICT: return 2u * at->c;
    case OP_CALL: return at->c + 1u;
    case OP_CALLM: return at->c + 2u;
    case OP_CALLKW: return at->c + (at->flags & FLAG_ALT ? 2u : 1u);
    default: return 1; // RERAISE
    }
}

uint32_t instr_dest_count(const Instr *at) {
    switch (at->op) {
    case OP_GETMETHOD: return 2;
    case OP_UNPACK: return at->c;
    case OP_UNPACK_STAR: return (at->c & 0xffu) + (at->c >> 8) + 1u;
    case OP_EXC_TRIPLE: return 3;
    case OP_WITH_PREP: return 4;
    default: return 1;
    }
}

bool op_ends_path(Opcode op) {
    switch (op) {
    case OP_JUMP:
    case OP_RETURN:
    case OP_RAISE:
    case OP_RAISE_AGAIN:
    case OP_RERAISE:
    case OP_ASSERT_FAIL: return true;
    default: return false;
    }
}

Instr *instr_target(Instr *at) {
    const BcOpInfo *info = &bc_op_info[at->op];
    if (info->b == 'j') return at;
    return info->c == 't' ? &at[info->words - 1] : NULL;
}

static void field_effects(const Instr *at, char letter, uint16_t value, uint8_t flag,
                          Effects *out) {
    switch (letter) {
    case 'd': out->defined = (RegRun){value, 1}; break;
    case 'D': out->defined = (RegRun){value, instr_dest_count(at)}; break;
    case 'S': out->consumed = (RegRun){value, instr_source_count(at)}; break;
    case 'r': out->updated = (RegRun){value, 1}; break;
    case 'x':
        if (value & CONST_BIT) break;
        // fall through
    case 's':
        out->reads[out->read_count] = value;
        out->read_flags[out->read_count++] = flag;
        break;
    default: break;
    }
}

void instr_effects(const Instr *at, Effects *out) {
    const BcOpInfo *info = &bc_op_info[at->op];
    *out = (Effects){.read_count = 0};
    field_effects(at, info->a, at->a, FLAG_LAST_A, out);
    field_effects(at, info->b, at->b, FLAG_LAST_B, out);
    field_effects(at, info->c, at->c, FLAG_LAST_C, out);
    switch (at->op) {
    case OP_UNDEFINE:
        out->defined.count = 0;
        out->dropped = (RegRun){at->a, 1};
        break;
    case OP_YIELD_FROM:
        out->updated.count = 0;
        out->consumed = (RegRun){at->b, 1};
        break;
    case OP_EXC_ENTER: out->defined = (RegRun){at->a + 1u, 1}; break;
    case OP_EXC_LEAVE:
        out->updated.count = 0;
        out->consumed = (RegRun){at->a, 2};
        break;
    default: break;
    }
}
