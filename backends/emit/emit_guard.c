// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Decides which float flags need not be checked after every instruction. Infinities and NaN propagate through sums and
// products, so for a chain of these it is enough to check the last value. Only if this value is not finite are the
// elements computed again, with all checks.

#include "backends/emit/emit_grid_text.h"

// Returns whether a result is not finite if this operand is not.
static bool shows(OpId op, int operand) {
    switch (op) {
    case AOP_ADD:
    case AOP_SUBTRACT:
    case AOP_MULTIPLY:
    case AOP_NEGATIVE:
    case AOP_POSITIVE:
    case AOP_SQUARE:
    case AOP_ABSOLUTE:
    case AOP_FABS:
    case AOP_SQRT:
    case AOP_CBRT:
    case AOP_SIN:
    case AOP_COS:
    case AOP_TAN:
    case AOP_SINH:
    case AOP_LOG:
    case AOP_LOG2:
    case AOP_LOG10:
    case AOP_HYPOT: return true;
    case AOP_DIVIDE: return operand == 0;
    default: return false;
    }
}

static bool is_real(uint8_t type) {
    return dtype_kind((DType)type) == DK_FLOAT;
}

// Returns whether an instruction raises flags only where its result is not finite.
static bool is_by_result(const FormInstr *in) {
    if (!is_real(in->from) || !is_real(in->type)) return false;
    return in->op != AOP_CAST && in->op != AOP_LOGADDEXP && in->op != AOP_LOGADDEXP2 && in->op != AOP_SPACING;
}

static bool is_shown_by(const GridGuards *guards, const Grid *g, int value, int consumer) {
    const FormInstr *in = &g->form.code[consumer];
    bool keeps = is_real(in->from) && is_real(in->type);
    for (int a = 0; a < 2 && keeps && guards->shown[consumer]; a++)
        if (in->args[a] == KERN_FIRST_CODE + value && (in->op == AOP_CAST || shows((OpId)in->op, a))) return true;
    return false;
}

// Returns whether a reduction's result shows that a value which it sums up was not finite.
static bool is_summed(const Grid *g, int value) {
    for (int r = 0; r < g->reduction_count; r++)
        if (g->store_values[r] == KERN_FIRST_CODE + value && grid_shows_operands(g, r)) return true;
    return false;
}

bool grid_shows_operands(const Grid *g, int r) {
    return is_real(g->store_types[r]) && g->store_types[r] != DT_FLOAT16 &&
           (g->ops[r] == AOP_ADD || g->ops[r] == AOP_SUBTRACT || g->ops[r] == AOP_MULTIPLY);
}

void grid_find_guards(const Grid *g, GridGuards *guards) {
    *guards = (GridGuards){.put_off = 0};
    // Defers nothing in a kernel with functions: a second copy of their code would take registers from the first.
    for (int i = 0; i < g->form.code_count; i++)
        if (op_info[g->form.code[i].op].tolerance > 2) return;
    // Defers nothing if a reduction's loop stores elements: a second turn might read them instead of its operands.
    if (g->reduction_count && g->store_count > g->reduction_count) return;
    for (int i = g->form.code_count - 1; i >= 0; i--) {
        const FormInstr *in = &g->form.code[i];
        bool put_off = g->tells[i] && is_by_result(in);
        for (int c = i + 1; c < g->form.code_count && !guards->shown[i]; c++) guards->shown[i] = is_shown_by(guards, g, i, c);
        guards->shown[i] |= is_summed(g, i);
        guards->guard[i] = put_off && !guards->shown[i];
        guards->shown[i] |= guards->guard[i];
        guards->later[i] = put_off;
        guards->put_off += put_off;
    }
    for (int r = 0; r < g->reduction_count; r++) guards->put_off += g->op_tells[r] && grid_shows_operands(g, r);
    // A guard costs as much as a check, so deferring a single check of an element gains nothing.
    if (guards->put_off < (g->reduction_count ? 1 : 2)) *guards = (GridGuards){.put_off = 0};
}
