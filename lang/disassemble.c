// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Code as text: one line per instruction.
//
//     12 > ADD=        total, total!, 1
//
// `>` starts a statement, `=` is FLAG_ALT (`?` on a test), `!` a last use, %n the n-th temporary.

#include "lang/effects.h"

typedef struct Printer {
    const BcCode *code;
    const BcUnit *unit;
    Buf *out;
    bool first; // no operand printed yet
} Printer;

enum { SHOWN_TEXT = 40, SHOWN_ITEMS = 8 };

static void put_register(Printer *p, uint32_t reg) {
    if (reg < p->code->local_count) {
        buf_puts(p->out, p->code->local_names[reg]);
    } else {
        buf_printf(p->out, "%%%u", (unsigned)(reg - p->code->local_count));
    }
}

static void put_text(Buf *out, const BcConst *value) {
    buf_putc(out, '\'');
    for (uint32_t i = 0; i < value->len && i < SHOWN_TEXT; i++) {
        unsigned char c = (unsigned char)value->text[i];
        if (c < ' ' || c == '\'' || c == '\\' || c == 127) {
            buf_printf(out, "\\x%02x", c);
        } else {
            buf_putc(out, (char)c);
        }
    }
    buf_puts(out, value->len > SHOWN_TEXT ? "'..." : "'");
}

// Tuples in tuples are shown to one level.
static void put_const(Buf *out, const BcConst *value, bool outer) {
    switch (value->kind) {
    case BC_NONE: buf_puts(out, "None"); break;
    case BC_TRUE: buf_puts(out, "True"); break;
    case BC_FALSE: buf_puts(out, "False"); break;
    case BC_ELLIPSIS: buf_puts(out, "..."); break;
    case BC_INT: buf_printf(out, "%lld", (long long)value->i); break;
    case BC_BIG: buf_printf(out, "<%.20s base %d>", value->text, (int)value->base); break;
    case BC_FLOAT: buf_printf(out, "%.17g", value->f); break;
    case BC_IMAG: buf_printf(out, "%.17gj", value->f); break;
    case BC_BYTES: buf_putc(out, 'b'); // fall through
    case BC_STR: put_text(out, value); break;
    case BC_CODE: buf_printf(out, "<code %s>", value->code->qualname); break;
    case BC_TUPLE:
        buf_putc(out, '(');
        for (uint32_t i = 0; outer && i < value->len && i < SHOWN_ITEMS; i++) {
            if (i) buf_puts(out, ", ");
            put_const(out, &value->items[i], false);
        }
        buf_puts(out, !outer || value->len > SHOWN_ITEMS ? "...)" : ")");
        break;
    }
}

static void separate(Printer *p) {
    buf_puts(p->out, p->first ? " " : ", ");
    p->first = false;
}

static void put_run(Printer *p, uint32_t first, uint32_t count) {
    separate(p);
    buf_putc(p->out, '[');
    put_register(p, first);
    buf_printf(p->out, " x%u]", (unsigned)count);
}

static void put_global(Printer *p, uint32_t slot) {
    separate(p);
    buf_puts(p->out, slot < p->unit->global_count ? p->unit->globals[slot] : "?");
}

static void put_const_number(Printer *p, uint32_t number) {
    separate(p);
    if (number < p->code->const_count) {
        put_const(p->out, &p->code->consts[number], true);
    } else {
        buf_putc(p->out, '?');
    }
}

static void put_field(Printer *p, const Instr *at, char letter, uint16_t value, uint8_t last) {
    switch (letter) {
    case 'd':
    case 's':
    case 'r':
        separate(p);
        put_register(p, value);
        break;
    case 'D': put_run(p, value, instr_dest_count(at)); break;
    case 'S': put_run(p, value, instr_source_count(at)); break;
    case 'x':
        if (value & CONST_BIT) {
            put_const_number(p, value & ~(uint32_t)CONST_BIT);
            break;
        }
        separate(p);
        put_register(p, value);
        break;
    case 'k': put_const_number(p, value); break;
    case 'u':
        separate(p);
        buf_printf(p->out, "%u", (unsigned)value);
        break;
    case 'i':
        separate(p);
        buf_printf(p->out, "%d", (int16_t)value);
        break;
    default: break;
    }
    if (at->flags & last) buf_putc(p->out, '!');
}

static void put_wide(Printer *p, const Instr *at) {
    const BcOpInfo *info = &bc_op_info[at->op];
    if (info->b == 'w') put_global(p, instr_wide(*at));
    Instr copy[4];
    for (int i = 0; i < info->words; i++) copy[i] = at[i];
    const Instr *target = instr_target(copy);
    if (target) buf_printf(p->out, " -> %u", (unsigned)instr_wide(*target));
    if (at->op == OP_CALLKW) put_const_number(p, instr_wide(at[1]));
    if (at->op != OP_NAME_GET) return;
    if (at->flags & FLAG_ALT) {
        buf_printf(p->out, ", free %u", (unsigned)instr_wide(at[1]));
    } else {
        put_global(p, instr_wide(at[1]));
    }
}

static void put_instr(Printer *p, uint32_t index) {
    const Instr *at = &p->code->code[index];
    const BcOpInfo *info = &bc_op_info[at->op];
    bool mark = p->code->marks[index] & BC_MARK_STATEMENT, alt = at->flags & FLAG_ALT;
    buf_printf(p->out, "%4u %c %s%s", (unsigned)index, mark ? '>' : ' ', info->name,
               !alt ? "" : op_is_test(at->op) ? "?" : "=");
    p->first = true;
    put_field(p, at, info->a, at->a, FLAG_LAST_A);
    put_field(p, at, info->b, at->b, FLAG_LAST_B);
    put_field(p, at, info->c, at->c, FLAG_LAST_C);
    put_wide(p, at);
    buf_putc(p->out, '\n');
}

void bc_disassemble(const BcCode *code, const BcUnit *unit, Buf *out) {
    Printer printer = {.code = code, .unit = unit, .out = out};
    for (uint32_t i = 0; i < code->code_len; i += bc_op_info[code->code[i].op].words) {
        put_instr(&printer, i);
    }
    for (uint32_t i = 0; i < code->handler_count; i++) {
        const BcHandler *row = &code->handlers[i];
        buf_printf(out, "     %u..%u to %u with ", (unsigned)row->start, (unsigned)row->end,
                   (unsigned)row->handler);
        put_register(&printer, row->reg);
        buf_putc(out, '\n');
    }
}
