// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// f-strings: each part becomes a string in consecutive registers, which CONCAT joins.

#include "lang/compile_internal.h"

static void join_parts(Fn *f, Span span, const FPart *parts, uint32_t count, uint32_t dest);

static Operand spec_operand(Fn *f, const FPart *part) {
    if (part->spec_count == 0) return emit_const_text(&f->e, (Text){"", 0});
    if (part->spec_count == 1 && !part->spec[0].value) {
        return emit_const_text(&f->e, part->spec[0].literal);
    }
    uint32_t temp = emit_temp(&f->e);
    join_parts(f, part->span, part->spec, part->spec_count, temp);
    return temp;
}

static void format_field(Fn *f, const FPart *part, uint32_t dest) {
    Emitter *e = &f->e;
    uint32_t mark = e->top;
    Operand value = expr_operand_before(f, part->value);
    if (part->conversion) {
        bool done = part->spec_count == 0;
        uint32_t text = done ? dest : emit_temp(e);
        emit(e, part->span, OP_CONVERT, text, value, (unsigned char)part->conversion);
        value = text;
        if (done) {
            e->top = mark;
            return;
        }
    }
    Operand spec = spec_operand(f, part);
    emit(e, part->span, OP_FORMAT, dest, value, spec);
    e->top = mark;
}

static void part_into(Fn *f, const FPart *part, uint32_t dest) {
    if (part->value) {
        format_field(f, part, dest);
    } else {
        emit_move(&f->e, part->span, dest, emit_const_text(&f->e, part->literal));
    }
}

// Joins the parts with CONCAT. If there are more than MAX_ROW, the string so far becomes the first
// item of the next CONCAT.
static void join_parts(Fn *f, Span span, const FPart *parts, uint32_t count, uint32_t dest) {
    Emitter *e = &f->e;
    if (count == 1) {
        part_into(f, parts, dest);
        return;
    }
    uint32_t mark = e->top, row = expr_row(f, dest);
    for (uint32_t i = 0; i < count; i++) {
        if (e->top - row == MAX_ROW) {
            emit(e, span, OP_CONCAT, row, row, MAX_ROW);
            e->top = row + 1;
        }
        part_into(f, &parts[i], emit_temp(e));
    }
    emit(e, span, OP_CONCAT, dest, row, e->top - row);
    e->top = mark;
}

void expr_fstring(Fn *f, const Expr *expr, uint32_t dest) {
    if (expr->fstring.count == 0) {
        emit_move(&f->e, expr->span, dest, emit_const_text(&f->e, (Text){"", 0}));
    } else {
        join_parts(f, expr->span, expr->fstring.parts, expr->fstring.count, dest);
    }
}
